"""The best choice by score: against every subset."""

from itertools import chain, combinations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ullage.budgets.knapsack import best

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 8)), max_size=7)
ROOMS = st.integers(0, 16)


def value(chosen, scores):
    return sum(scores[at] for at in chosen)


@settings(max_examples=1_000)
@example([(5, 1), (4, 5), (1, 2)], 5)
@given(PAIRS, ROOMS)
def test_no_subset_is_better(pairs, room):
    scores, costs = [float(score) for score, _ in pairs], [cost for _, cost in pairs]
    chosen = best(scores, costs, room)
    assert sum(costs[at] for at in chosen) <= room
    indices = range(len(pairs))
    subsets = chain.from_iterable(combinations(indices, size) for size in range(len(pairs) + 1))
    assert value(chosen, scores) == max(
        value(subset, scores) for subset in subsets if sum(costs[at] for at in subset) <= room
    )
    # Nothing more fits, not even what is worth nothing.
    assert all(sum(costs[at] for at in chosen) + costs[at] > room for at in indices if at not in chosen)


@given(PAIRS, ROOMS, st.integers(0, 3))
def test_few_steps_are_no_worse_than_taking_one_after_the_other(pairs, room, steps):
    scores, costs = [float(score) for score, _ in pairs], [cost for _, cost in pairs]
    left, plain = room, 0
    for at in sorted(range(len(pairs)), key=lambda at: -scores[at]):
        if costs[at] > left:
            break
        left -= costs[at]
        plain += scores[at]
    chosen = best(scores, costs, room, steps)
    assert sum(costs[at] for at in chosen) <= room
    assert value(chosen, scores) >= plain

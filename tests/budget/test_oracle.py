"""`allocate` against an oracle of plain fractions, for small sections of known tokens."""

from hypothesis import given, settings
from hypothesis import strategies as st

from budget import oracle
from budget.made import staying
from ullage import CannotFit, HeadAndTail, Item, LowestScoreFirst, Never, OldestFirst, Section, Whole, allocate
from ullage.budgets.shares import Ask, Shares

KEEPS = {
    "never": Never(),
    "whole": Whole(),
    "oldest": OldestFirst(),
    "ends": HeadAndTail(),
    "score": LowestScoreFirst(),
}
AMOUNTS = st.one_of(st.none(), st.integers(0, 12), st.sampled_from([0.0, 0.1, 0.25, 0.3]))


@st.composite
def cases(draw):
    count = draw(st.integers(1, 4))
    made = []
    for _ in range(count):
        costs = draw(st.lists(st.integers(0, 6), max_size=4))
        keep = draw(st.sampled_from(list(KEEPS)))
        minimum = draw(AMOUNTS) or 0
        maximum = draw(AMOUNTS)
        if type(minimum) is type(maximum):
            maximum = max(minimum, maximum)
        made.append(
            {
                "costs": costs,
                "scores": draw(st.lists(st.integers(0, 2), min_size=len(costs), max_size=len(costs))),
                "keep": keep,
                "wanted": sum(costs),
                "needed": sum(costs) if keep == "never" else 0,
                "minimum": minimum,
                "quota": draw(AMOUNTS),
                "maximum": maximum,
                "priority": draw(st.integers(0, 2)),
                "weight": draw(st.sampled_from([1, 2, 0.5])),
            }
        )
    return made


@settings(max_examples=500)
@given(cases(), st.integers(0, 60))
def test_grants_are_those_of_the_oracle(made, room):
    names = ("needed", "wanted", "minimum", "quota", "maximum", "priority", "weight")
    asks = [Ask(*(case[name] for name in names)) for case in made]
    if sum(case["needed"] for case in made) <= room:
        assert Shares(asks).grants(room) == [int(tokens) for tokens in oracle.grants(made, room)]


@settings(max_examples=200)
@given(cases(), st.integers(1, 30))
def test_it_is_what_the_oracle_says(made, room):
    sections = [
        Section(
            f"s{at}",
            [Item(None, score, tokens) for score, tokens in zip(case["scores"], case["costs"], strict=True)],
            keep=KEEPS[case["keep"]],
            **{name: case[name] for name in ("minimum", "quota", "maximum", "priority", "weight")},
        )
        for at, case in enumerate(made)
    ]
    try:
        found = allocate(sections, room)
    except CannotFit:
        needed = [case["needed"] for case in made]
        most = [oracle.amount(case["maximum"], case["wanted"], room) for case in made]
        assert sum(needed) > room or any(map(int.__gt__, needed, map(int, most)))
        return
    assert [staying(section, found.receipt.entries) for section in sections] == oracle.allocation(made, room)

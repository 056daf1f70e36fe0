"""The alignment of two sequences, beside what must hold of any."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ullage.prefix.align import gaps, moves

MEMBERS = st.lists(st.integers(0, 6), max_size=12)


@given(MEMBERS, MEMBERS)
def test_all_between_gaps_is_equal(old, new):
    at, to = 0, 0
    for gap in gaps(old, new):
        assert old[at : gap.start] == new[to : gap.new_start]
        assert gap.start < gap.stop or gap.new_start < gap.new_stop
        at, to = gap.stop, gap.new_stop
    assert old[at:] == new[to:]


@given(MEMBERS, MEMBERS)
def test_what_moved_is_the_same_in_both_and_in_gaps(old, new):
    found = gaps(old, new)
    moved = moves(old, new, found)
    left = [index for gap in found for index in range(gap.start, gap.stop)]
    come = [index for gap in found for index in range(gap.new_start, gap.new_stop)]
    assert all(old[at] == new[to] for at, to in moved.items())
    assert set(moved) <= set(left)
    assert len({*moved.values()}) == len(moved)
    assert set(moved.values()) <= set(come)
    shared = Counter(old[index] for index in left) & Counter(new[index] for index in come)
    assert len(moved) == shared.total()


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 5))
def test_an_insertion_is_one_gap(length, place, size):
    old = list(range(length))
    place = min(place, length)
    new = [*old[:place], *range(100, 100 + size), *old[place:]]
    assert gaps(old, new) == [(place, place, place, place + size)]
    assert gaps(new, old) == [(place, place + size, place, place)]


@given(st.permutations(range(8)))
def test_what_stays_is_the_longest_order_that_is_kept(new):
    old = list(range(8))
    kept = 8 - sum(gap.stop - gap.start for gap in gaps(old, new))
    longest = [1] * 8
    for index in range(8):
        longest[index] += max((longest[before] for before in range(index) if new[before] < new[index]), default=0)
    assert kept == max(longest)

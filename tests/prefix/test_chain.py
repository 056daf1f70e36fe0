"""Chain: what it remembers of requests, given units of any kind and a reader that says what their blocks are."""

import copy
import gc
import threading
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ullage import InvalidHistory
from ullage._core import Chain

from . import values
from .units import goes_on, shared
from .values import VALUES, edited

UNITS = st.lists(VALUES, max_size=5)


def reader(units):
    """A block for each unit, known by all of the unit."""
    return lambda index: [(units[index], 1, None)]


def follow(chain, units, at=0.0):
    return chain.follow(units[0], units[1:], reader(units), at)


@settings(max_examples=200, deadline=None)
@given(st.data(), UNITS)
def test_units_are_kept_up_to_the_first_that_differs(data, units):
    chain, sent = Chain(), []
    for at in range(data.draw(st.integers(1, 4))):
        if at:
            units = list(data.draw(st.sampled_from(sent))[1:])
            if units and data.draw(st.booleans()):
                place = data.draw(st.integers(0, len(units) - 1))
                units[place] = data.draw(edited(units[place]))
            elif data.draw(st.booleans()):
                units = copy.deepcopy(units)
            units += data.draw(st.lists(VALUES, max_size=2))
        units = ["head", *units]
        known = [values.sent(tuple(old)) for old in sent]
        mine = values.sent(tuple(units))
        kept = max((shared(old[1], mine[1]) for old in known), default=0)
        kind, units_kept, blocks_kept, tokens_kept, tokens, _, _, old = follow(chain, units, float(at))
        assert units_kept == blocks_kept == tokens_kept == kept
        assert tokens == len(units)
        assert len(chain) == chain.units == len(units)
        appended = goes_on([[(unit,) for unit in old[1]] for old in known], [(unit,) for unit in mine[1]], kept)
        assert kind == ("same" if known and kept == len(units) else "append" if appended else "edit")
        assert (old is not None) == (kind == "edit")
        if old is not None:
            assert any(
                values.sent(tuple(before[kept:])) == values.sent(tuple(old)) for before in sent if len(before) > kept
            )
        sent.append(copy.deepcopy(units))


def test_a_unit_that_grows_is_kept_up_to_its_end():
    chain = Chain()
    told = {0: [("a", 2, None), ("b", 3, 300)]}
    chain.follow("head", [], told.get, 0.0)
    assert (chain.key(1), chain.tokens(1), chain.markers, chain.blocks(1)) == (chain.key(1), 5, [(1, 300)], 2)
    told = {0: [("a", 2, None), ("b", 3, None), ("c", 4, 3600)]}
    before = chain.key(1)
    assert chain.follow("longer head", [], told.get, 1.0) == ("append", 0, 2, 5, 9, 0.0, 5, None)
    assert (chain.key(1), chain.tokens(2), chain.markers) == (before, 9, [(2, 3600)])
    told = {0: [("a", 2, None), ("x", 1, None)]}
    assert chain.follow("other head", [], told.get, 2.0) == ("edit", 0, 1, 2, 3, 1.0, 9, ["longer head"])


def test_only_what_is_new_is_read():
    read = []

    def told(index):
        read.append(index)
        return [(units[index], 1, None)]

    units = [{"text": f"unit {i}"} for i in range(5)]
    chain = Chain()
    chain.follow(units[0], units[1:], told, 0.0)
    assert read == [0, 1, 2, 3, 4]
    chain.follow(units[0], units[1:], told, 1.0)
    units = copy.deepcopy(units)
    chain.follow(units[0], units[1:], told, 2.0)
    units.insert(1, {"text": "new"})
    chain.follow(units[0], units[1:], told, 3.0)
    assert read == [0, 1, 2, 3, 4, 1]  # the units behind it were read before
    units.append({"text": "more"})
    chain.append((units[-1],), told, 4.0)
    assert read[-1] == 6


def test_errors_leave_the_chain_as_it_was():
    chain = Chain()
    follow(chain, ["head", "a"])
    state = len(chain), chain.key(1)
    cycle = []
    cycle.append(cycle)
    with pytest.raises(InvalidHistory, match=r"^messages\[0\]"):
        follow(chain, ["head", cycle])
    with pytest.raises(TypeError, match=r"^messages\[1\]\.x must be made of"):
        follow(chain, ["head", "b", {"x": object()}])
    with pytest.raises(ZeroDivisionError):
        chain.follow("head", ["b"], lambda index: 1 // 0, 1.0)
    for wrong in ([("b",)], [("b", -1, None)], [("b", 1, "long")], "b", None):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            chain.follow("head", ["b"], lambda index, wrong=wrong: wrong, 1.0)
    assert (len(chain), chain.key(1)) == state
    with pytest.raises(IndexError, match="no block 2 in a request of 2"):
        chain.key(2)
    with pytest.raises(IndexError, match="no block 2 in a request of 2"):
        chain.tokens(2)


def test_a_reader_that_changes_the_chain_is_noticed():
    chain = Chain()
    follow(chain, ["head"])

    def told(index):
        follow(chain, ["head", "other"])
        return [("x", 1, None)]

    with pytest.raises(RuntimeError, match="one thread at a time"):
        chain.follow("head", ["mine"], told, 1.0)
    assert len(chain) == 2


class Text(str):
    """A str that can be part of a cycle."""

    __slots__ = ("__weakref__", "chain")


def test_cycles_are_collected_and_old_walks_let_go():
    chain = Chain()
    text = Text("hello")
    text.chain = chain
    gone = weakref.ref(text)
    follow(chain, ["head", [text]])
    follow(chain, ["head", ["hello"]])  # the same in other objects: these are known from now on
    del text
    assert gone() is None
    text = Text("hello")
    text.chain = chain
    gone = weakref.ref(text)
    follow(chain, ["head", [text], [text]])
    del text, chain
    gc.collect()
    assert gone() is None


def test_threads_that_race_are_told_and_lose_nothing():
    chain = Chain()
    follow(chain, ["head"])
    errors = []

    def run(name):
        for i in range(300):
            try:
                follow(chain, ["head", *(f"{name} {j}" for j in range(i % 7))])
                chain.append((f"{name} more",), lambda index: [("more", 1, None)], 1.0)
                assert len(chain) >= 1
            except RuntimeError:
                pass  # another was faster
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert follow(chain, ["head", "a 0"], 2.0)[0] == "same"

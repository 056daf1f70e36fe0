"""first_difference and digests: exactly what plain Python says of two values."""

import collections
import gc
import math
import sys
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefix import values
from prefix.values import TEXTS, VALUES, apart, edited, said, sent
from ullage import InvalidHistory
from ullage._core import digests, first_difference
from ullage.prefix.markers import KEYS

PAIRS = VALUES.flatmap(lambda value: st.tuples(st.just(value), edited(value)))


@settings(max_examples=400)
@given(st.one_of(PAIRS, st.tuples(VALUES, VALUES)))
def test_the_first_difference_is_the_first(pair):
    a, b = pair
    assert first_difference(a, b) == values.first_difference(a, b)


@given(VALUES)
def test_a_copy_is_the_same(value):
    assert first_difference(value, apart(value)) is None
    assert first_difference(value, value) is None
    assert digests(value) == digests(apart(value))


@settings(max_examples=400)
@given(st.one_of(PAIRS, st.tuples(VALUES, VALUES)))
def test_digests_are_equal_where_values_are(pair):
    a, b = pair
    assert (digests(a)[0] == digests(b)[0]) == (sent(a) == sent(b))
    assert (digests(a)[1] == digests(b)[1]) == (said(a) == said(b))


def flips(value):
    """The value with each character of each text, and each byte, number and key, changed in turn."""
    match value:
        case str():
            for index, character in enumerate(value):
                yield value[:index] + chr(ord(character) ^ 1) + value[index + 1 :]
        case bytes():
            for index, byte in enumerate(value):
                yield value[:index] + bytes([byte ^ 1]) + value[index + 1 :]
        case bool():
            yield not value
        case int():
            yield value ^ 1
        case float():
            yield -value
        case list() | tuple():
            for index, item in enumerate(value):
                for flipped in flips(item):
                    yield type(value)([*value[:index], flipped, *value[index + 1 :]])
        case dict():
            entries = list(value.items())
            for index, (key, inner) in enumerate(entries):
                changed = [(flipped, inner) for flipped in flips(key)] + [(key, flipped) for flipped in flips(inner)]
                for entry in changed:
                    yield dict([*entries[:index], entry, *entries[index + 1 :]])


@settings(deadline=None)
@given(VALUES)
def test_any_flip_is_seen(value):
    digest = digests(value)[0]
    for flipped in flips(value):
        assert digests(flipped)[0] != digest
        assert first_difference(value, flipped) is not None


@given(TEXTS, TEXTS, TEXTS)
def test_texts_part_at_the_same_character_in_every_storage(start, left, right):
    for a, b in [(start + left, start + right), (start, start + right), (start + left + "😀", start + right + "é")]:
        expected = values.first_difference(a, b)
        assert first_difference(a, b) == expected
        assert first_difference({"x": [a]}, {"x": [b]}) == (expected and (("x", 0), expected[1]))


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 255, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("filler", ["a", "é", "世", "😀"])
def test_white_space_does_not_count_in_texts_of_any_length(filler, size):
    text = filler * size
    plain = digests(text)[1]
    for space in values.SPACES:
        for at in {0, size // 2, size}:
            spaced = text[:at] + space + text[at:]
            assert digests(spaced)[1] == plain
            assert digests(spaced)[0] != digests(text)[0]
    for other in ("\u200b", "\x1c", "\ud800", "b"):
        assert digests(text + other)[1] != plain


def test_a_path_says_which_key_has_come_or_gone():
    assert first_difference({"a": 1, "b": 2}, {"b": 2}) == (("a",), None)
    assert first_difference({"a": 1}, {"a": 1, "b": 2}) == (("b",), None)
    assert first_difference({"a": 1, "b": 2}, {"a": 1, "c": 3, "b": 2}) == (("c",), None)
    assert first_difference({"m": {"a": 1, "b": 2}}, {"m": {"b": 2, "a": 1}}) == (("m",), None)
    assert first_difference([1], [1, 2]) == ((1,), None)


@dataclass
class Message:
    role: str
    content: object


class Slotted:
    __slots__ = ("content",)

    def __init__(self, content):
        self.content = content


class Reversed(dict):
    def items(self):
        return reversed(super().items())


class Text(str):
    __slots__ = ("more",)


def test_objects_are_their_type_and_their_fields():
    assert first_difference(Message("user", ["a"]), Message("user", ["a"])) is None
    assert first_difference([Message("user", ["ab"])], [Message("user", ["ac"])]) == ((0, "content", 0), 1)
    assert first_difference(Slotted("ab"), Slotted("ac")) == (("content",), 1)
    assert first_difference(Slotted("ab"), {"content": "ab"}) == ((), None)
    assert first_difference(date(2026, 1, 1), date(2026, 1, 2)) == ((), None)
    assert first_difference(Decimal("1.0"), Decimal("1.0")) is None
    assert first_difference(Text("ab"), "ab") is None
    assert first_difference(collections.OrderedDict(a=1, b=2), {"a": 1, "b": 2}) is None
    assert first_difference(Reversed(a=1, b=2), {"b": 2, "a": 1}) is None


@pytest.mark.parametrize("call", [first_difference, lambda a, b: digests(a)])
def test_what_cannot_be_sent_is_an_error_with_its_path(call):
    a, b = [], []
    a.append(a)
    b.append(b)
    with pytest.raises(InvalidHistory, match="nest at most 256 deep"):
        call({"messages": a}, {"messages": b})
    deep = other = "x"
    for _ in range(256):
        deep, other = [deep], [other]
    call(deep, other)
    with pytest.raises(InvalidHistory, match="nest at most 256 deep"):
        call([deep], [other])
    with pytest.raises(TypeError, match=r"^messages\[1\]\.content must be made of .* not object"):
        call({"messages": [1, {"content": object()}]}, {"messages": [1, {"content": object()}]})
    with pytest.raises(TypeError, match=r"^the value must be"):
        call(object(), object())


def test_shared_containers_do_not_unfold_without_end():
    a, b = ["x"], ["x"]
    for _ in range(40):
        a, b = [a, a], [b, b]
    with pytest.raises(InvalidHistory, match="values"):
        first_difference(a, b)
    with pytest.raises(InvalidHistory, match="values"):
        digests(a)
    assert first_difference(a, a) is None


class Clearing(dict):
    """Empties a container while it is looked at."""

    target = None

    def items(self):
        self.target.clear()
        gc.collect()
        return super().items()


@pytest.mark.parametrize("kind", [list, dict])
def test_code_that_changes_a_container_meanwhile_does_no_harm(kind):
    def made(clearing):
        members = [clearing, *(str(i) * 40 for i in range(50))]
        outer = members if kind is list else dict(enumerate(members))
        clearing.target = outer
        return outer

    for _ in range(20):
        previous, following, alone = (made(Clearing(a=1)) for _ in range(3))
        first_difference(previous, following)
        digests(alone)
        assert not previous
        assert not following
        assert not alone


def test_nothing_is_kept():
    a, b = "some text".upper(), "some text".upper()
    before = sys.getrefcount(a)
    for _ in range(10):
        first_difference([a, 1], [b, 2])
        digests({a: [a]})
    assert sys.getrefcount(a) == before


def test_numbers_are_told_apart_by_their_type():
    for a, b in [(1, 1.0), (1, True), (0.0, -0.0), (0, False), (10**5000, 10**5000 + 1), (2**63, -(2**63))]:
        assert first_difference([a], [b]) == ((0,), None)
        assert digests(a)[0] != digests(b)[0]
        assert digests(a)[1] != digests(b)[1]
    assert first_difference([math.nan], [float("nan")]) is None
    assert first_difference([10**5000], [10**5000]) is None


@pytest.mark.parametrize("key", sorted(KEYS))
def test_the_markers_of_both_halves_are_the_same(key):
    block = {"type": "text", "text": "Hello"}
    with_marker = digests(block | {key: {"type": "ephemeral"}})
    assert with_marker[1] == digests(block)[1]
    assert with_marker[0] != digests(block)[0]
    assert digests(block | {f"{key}_": {"type": "ephemeral"}})[1] != digests(block)[1]

"""Values of all kinds, their edits, and what makes two of them the same: plain Python beside the Rust walk."""

import copy
import math
import struct

from hypothesis import strategies as st

MARKERS = ("cache_control", "prompt_cache_breakpoint", "cachePoint", "cache_point", "cacheControl")
# Unicode's property White_Space.
SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

TEXTS = st.text(st.one_of(st.sampled_from("ab é\u3000世😀\ud800 \n"), st.characters(exclude_categories=())), max_size=8)
LEAVES = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.integers(),
    st.sampled_from([10**4000, -(10**4000), 2**63, -(2**63), 2**63 - 1]),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, math.nan]),
    st.binary(max_size=4),
)
KEYS = st.one_of(st.sampled_from(["a", "b", "kind", "cache-point", *MARKERS]), TEXTS, st.integers(-1, 1))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sampled_from(MARKERS).map(lambda key: {key: {"type": "ephemeral"}}),
        st.tuples(st.dictionaries(KEYS, inner, max_size=3), st.sampled_from(MARKERS)).map(
            lambda pair: {**pair[0], pair[1]: {"type": "ephemeral", "ttl": "1h"}}
        ),
    ),
    max_leaves=12,
)


def apart(value):
    """A value made anew: equal, of other objects."""
    return copy.deepcopy(value)


def sent(value):
    """What is sent: a form that is equal for two values exactly when they are the same."""
    match value:
        case None | bool() | bytes():
            return type(value).__name__, value
        case int():
            return "int", value
        case str():
            return "str", value
        case float():
            return "float", struct.pack("d", value)
        case dict():
            return "dict", tuple((sent(key), sent(inner)) for key, inner in value.items())
        case list() | tuple():
            return type(value).__name__, tuple(map(sent, value))


def said(value):
    """What is said: a form that is equal for two values exactly when they differ in form and markers alone."""
    match value:
        case str():
            return "str", "".join(character for character in value if character not in SPACES)
        case dict():
            kept = [(sent(key), said(inner)) for key, inner in value.items() if not sets_marker(key, inner)]
            return "dict", frozenset(kept)
        case list() | tuple():
            return type(value).__name__, tuple(said(item) for item in value if not is_marker(item))
    return sent(value)


def sets_marker(key, value):
    return key in MARKERS and (value is None or isinstance(value, dict))


def is_marker(item):
    if not isinstance(item, dict) or not item:
        return False
    return item.get("kind") == "cache-point" or all(sets_marker(key, value) for key, value in item.items())


def first_difference(a, b):
    """The path and offset of the first difference, by recursion."""
    if sent(a) == sent(b):
        return None
    if isinstance(a, str) and isinstance(b, str):
        shared = 0
        while shared < min(len(a), len(b)) and a[shared] == b[shared]:
            shared += 1
        return (), shared
    if type(a) is not type(b) or not isinstance(a, dict | list | tuple):
        return (), None
    if not isinstance(a, dict):
        for index in range(max(len(a), len(b))):
            if index >= min(len(a), len(b)):
                return (index,), None
            if sent(a[index]) != sent(b[index]):
                return inside(index, first_difference(a[index], b[index]))
    old, new = list(a.items()), list(b.items())
    old_keys, new_keys = [sent(key) for key in a], [sent(key) for key in b]
    for place in range(max(len(old), len(new))):
        if place < min(len(old), len(new)) and old_keys[place] == new_keys[place]:
            if sent(old[place][1]) != sent(new[place][1]):
                return inside(old[place][0], first_difference(old[place][1], new[place][1]))
        elif place < len(old) and old_keys[place] not in new_keys:
            return (old[place][0],), None
        elif place < len(new) and new_keys[place] not in old_keys:
            return (new[place][0],), None
        else:
            return (), None
    raise AssertionError("the same after all")


def inside(step, difference):
    path, offset = difference
    return (step, *path), offset


@st.composite
def edited(draw, value):
    """The value with one thing changed, or nothing, somewhere in it."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        match draw(st.sampled_from(["inside", "order", "drop", "add", "mark"])):
            case "inside":
                key = draw(st.sampled_from(list(value)))
                return {k: draw(edited(v)) if k == key else apart(v) for k, v in value.items()}
            case "order":
                return {key: apart(value[key]) for key in draw(st.permutations(list(value)))}
            case "drop":
                gone = draw(st.sampled_from(list(value)))
                return {k: apart(v) for k, v in value.items() if k != gone}
            case "add":
                return {**apart(value), draw(KEYS): draw(LEAVES)}
        return {**apart(value), draw(st.sampled_from(MARKERS)): {"type": "ephemeral"}}
    if isinstance(value, list | tuple) and value and draw(st.booleans()):
        index = draw(st.integers(0, len(value) - 1))
        middle = draw(
            st.sampled_from([[], [{"cachePoint": {"type": "default"}}, value[index]]])
            | edited(value[index]).map(lambda v: [v])
        )
        return type(value)([*apart(value[:index]), *middle, *apart(value[index + 1 :])])
    if isinstance(value, str):
        at = draw(st.integers(0, len(value)))
        return (
            value[:at]
            + draw(st.sampled_from(["", " ", "\n", "\u3000", "a", "é", "世"]))
            + value[at + draw(st.integers(0, 1)) :]
        )
    if type(value) in (int, float) and draw(st.booleans()):
        return draw(st.sampled_from([1, 1.0, True, 0.0, -0.0, 0, False, value]))
    return draw(st.one_of(st.just(apart(value)), LEAVES))

"""Requests that no provider takes: compared all the same, in every format."""

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from prefix.bodies import FORMATS
from ullage import compare

KEYS = st.sampled_from(
    [
        *("role", "content", "type", "kind", "part_kind", "text", "parts", "id", "name", "data", "source", "ttl"),
        *("tool_calls", "function", "arguments", "input", "tool_use_id", "tool_call_id", "call_id", "image_url"),
        *("toolUse", "toolResult", "functionCall", "functionResponse", "response", "inlineData", "additional_kwargs"),
        *("cache_control", "cachePoint", "thinking", "reasoning_content", "summary", "output", "instructions"),
    ]
)
TEXTS = st.sampled_from(
    [
        *("user", "assistant", "system", "tool", "human", "ai", "request", "response", "user-prompt", "tool-return"),
        *("text", "tool_use", "tool_result", "image", "message", "reasoning", "function_call", "ephemeral", "1h"),
        *("", "data:image/png;base64,AAAA", "{}", "[1", "17:11", '{"a": 1}', "\ud800"),
    ]
)
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
MESSAGES = st.lists(st.dictionaries(KEYS, VALUES, max_size=4) | VALUES, max_size=4)


@given(MESSAGES, MESSAGES, MESSAGES, VALUES, st.sampled_from([*FORMATS, "json", None]))
def test_odd_requests(start, old, new, system, name):
    previous = {"messages": start + old, "system": system, "tools": []}
    following = copy.deepcopy({**previous, "messages": start + new})
    before = repr((previous, following))
    found = compare(previous, following, format=name)
    assert min(found.tokens) >= 0
    json.dumps(found.to_dict())
    assert str(found).startswith(found.kind)
    assert repr((previous, following)) == before
    again = compare(previous, copy.deepcopy(previous), format=name)
    assert (again.kind, again.change) == ("same", None)
    if name in FORMATS:
        grown = {**previous, "messages": [*previous["messages"], {"role": "user", "content": "Hello"}]}
        assert compare(previous, grown, format=name).kind == "append"

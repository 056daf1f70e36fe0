"""A request as blocks: their order, their paths, and what is a marker."""

import copy

import pytest

from prefix.bodies import FORMATS, at, body, messages
from ullage.errors import InvalidHistory
from ullage.formats.edit import with_field
from ullage.prefix.assembly import assemble, message_blocks

ZONES = {
    **{name: ["settings", "tools", "system", "messages"] for name in FORMATS},
    "gemini": ["settings", "system", "tools", "messages"],
    "bedrock": ["tools", "system", "messages"],
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_path_leads_to_the_very_object(name):
    value = body(name)
    before = copy.deepcopy(value)
    assembly = assemble(value)
    assert assembly.format == name
    for block in assembly.blocks:
        assert at(value, block.path) is block.value, block.path
    assert value == before


@pytest.mark.parametrize("name", FORMATS)
def test_the_order_is_the_providers(name):
    blocks = assemble(body(name)).blocks
    order = list(dict.fromkeys(block.zone for block in blocks))
    assert order == ZONES[name]


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_is_its_prelude_and_its_messages(name):
    value = body(name)
    assembly = assemble(value)
    given = enumerate(messages(name, value))
    parts = [message_blocks(message, f"{assembly.at}[{index}]", name) for index, message in given]
    frames = [frame for frame in (block.frame for block in assembly.blocks) if frame is not None]
    assert len(frames) == len(parts)
    found = [*assembly.prelude, *(block for blocks in parts for block in blocks)]
    assert [block._replace(zone="messages") for block in found] == [
        block._replace(zone="messages") for block in assembly.blocks
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_bare_list_has_the_blocks_of_the_messages(name):
    value = body(name)
    whole = assemble(value)
    assert assemble(messages(name, value), name).blocks == whole.blocks[len(whole.prelude) :]


def test_every_block_of_an_anthropic_request():
    text = {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}
    value = {
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": [text, {"type": "text", "text": "there"}]},
            {"role": "assistant", "content": "Hi"},
        ],
        "tool_choice": {"type": "auto"},
        "system": [{"type": "text", "text": "Be brief", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "tools": [
            {"name": "a", "input_schema": {}},
            {"name": "b", "input_schema": {}, "cache_control": {"type": "ephemeral"}},
        ],
        "model": "claude-opus-4-8",
        "temperature": 0.5,
    }
    assert [(block.zone, block.path, block.marker, block.frame) for block in assemble(value).blocks] == [
        ("settings", "model", None, None),
        ("tools", "tools[0]", None, None),
        ("tools", "tools[1]", 300, None),
        ("system", "system[0]", 3600, None),
        ("settings", "tool_choice", None, None),
        ("messages", "messages[0].content[0]", 300, {"role": "user"}),
        ("messages", "messages[0].content[1]", None, None),
        ("messages", "messages[1].content", None, {"role": "assistant"}),
    ]


def test_what_is_around_a_message_is_its_frame():
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {
        "role": "assistant",
        "content": None,
        "name": "x",
        "reasoning_content": "hm",
        "tool_calls": [call, call],
        "cache_control": {},
    }
    blocks = message_blocks(message, "messages[4]", "openai-chat")
    assert [block.path for block in blocks] == [
        "messages[4].reasoning_content",
        "messages[4].tool_calls[0]",
        "messages[4].tool_calls[1]",
    ]
    assert [block.frame for block in blocks] == [{"role": "assistant", "name": "x"}, None, None]
    assert [block.marker for block in blocks] == [None, None, 300]


def test_a_marker_of_its_own_belongs_to_the_block_before():
    point = {"cachePoint": {"type": "default"}}
    value = {
        "toolConfig": {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": {}}}}, point]},
        "system": [{"text": "Be brief"}, point],
        "messages": [
            {
                "role": "user",
                "content": [{"text": "Hello"}, {"cachePoint": {"type": "default", "ttl": "1h"}}, {"text": "there"}],
            }
        ],
    }
    assert [(block.path, block.marker) for block in assemble(value, "bedrock").blocks] == [
        ("toolConfig.tools[0]", 300),
        ("system[0]", 300),
        ("messages[0].content[0]", 3600),
        ("messages[0].content[2]", None),
    ]


def test_a_marker_on_the_request_is_one_on_its_last_block():
    value = {
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
        "system": "Be brief",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    assert [block.marker for block in assemble(value).blocks] == [None, 3600]


def test_openais_breakpoint_is_a_marker():
    part = {"type": "text", "text": "Hello", "prompt_cache_breakpoint": {"mode": "explicit"}}
    (block,) = message_blocks({"role": "user", "content": [part]}, "messages[0]", "openai-chat")
    assert block.marker == 1800


def test_a_marker_inside_a_tool_result_is_its_blocks():
    result = {
        "type": "tool_result",
        "tool_use_id": "x",
        "content": [{"type": "text", "text": "y", "cache_control": {"type": "ephemeral"}}],
    }
    (block,) = message_blocks({"role": "user", "content": [result]}, "messages[0]", "anthropic")
    assert block.marker == 300


def test_functions_of_gemini_are_tools_of_their_own():
    value = {
        "contents": [{"parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, {"googleSearch": {}}],
    }
    assert [block.path for block in assemble(value).blocks] == [
        "tools[0].functionDeclarations[0]",
        "tools[0].functionDeclarations[1]",
        "tools[1]",
        "contents[0].parts[0]",
    ]


def test_leading_messages_of_the_system_are_the_system_prompt():
    value = [
        {"role": "system", "content": "a"},
        {"role": "developer", "content": "b"},
        {"role": "user", "content": "c"},
        {"role": "system", "content": "d"},
    ]
    assert [block.zone for block in assemble(value).blocks] == ["system", "system", "messages", "messages"]


def test_instructions_of_pydantic_ai_are_those_of_the_last_request():
    value = [
        {
            "kind": "request",
            "parts": [{"part_kind": "user-prompt", "content": ["a", {"kind": "cache-point", "ttl": "1h"}, "b"]}],
            "instructions": "old",
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": "c"}]},
        {
            "kind": "request",
            "parts": [{"part_kind": "user-prompt", "content": "d"}],
            "instructions": "new",
            "timestamp": "2026-11-30",
        },
    ]
    blocks = assemble(value).blocks
    assert [(block.path, block.marker) for block in blocks] == [
        ("messages[2].instructions", None),
        ("messages[0].parts[0].content[0]", 3600),
        ("messages[0].parts[0].content[2]", None),
        ("messages[1].parts[0]", None),
        ("messages[2].parts[0].content", None),
    ]
    assert blocks[-1].frame == {"kind": "request"}


def test_objects_of_langchain_are_messages():
    core = pytest.importorskip("langchain_core.messages")
    value = [
        core.SystemMessage("Be brief"),
        core.HumanMessage("Hello"),
        core.AIMessage("", tool_calls=[{"id": "x", "name": "f", "args": {}}]),
    ]
    assembly = assemble(value)
    assert assembly.format == "langchain"
    assert [block.path for block in assembly.blocks] == [
        "messages[0].content",
        "messages[1].content",
        "messages[2].content",
        "messages[2].tool_calls[0]",
    ]
    assert assembly.blocks[1].frame == {"type": "human", "additional_kwargs": {}}


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"a": 1, "b": "x"}, ["$"]),
        ({"a": 1, "b": {"c": 2, "d": []}}, ["a", "b"]),
        ([1, [2, {"three 3": [4]}]], ["[0]", "[1][0]", '[1][1]["three 3"][0]']),
        ("text", ["$"]),
        (None, ["$"]),
        ({}, ["$"]),
        ({"messages": "none"}, ["$"]),
        ({"messages": [1, 2]}, ["messages[0]", "messages[1]"]),
    ],
)
def test_any_value_has_blocks(value, paths):
    assembly = assemble(value)
    assert assembly.format == "json"
    assert [block.path for block in assembly.blocks] == paths
    assert all(at(value, block.path) is block.value for block in assembly.blocks)


def test_a_value_in_itself_is_named():
    value = {"a": []}
    value["a"].append(value)
    with pytest.raises(InvalidHistory, match="256"):
        assert assemble(value).blocks


def test_a_format_that_is_not_known_is_named():
    with pytest.raises(ValueError, match=r"'claude'.*anthropic"):
        assemble([], "claude")


def test_what_is_not_a_message_is_one_block():
    value = [{"role": "user", "content": "Hi"}, None, "text", {"role": "user", "content": "Ho"}]
    assembly = assemble(value, "openai-chat")
    assert [block.path for block in assembly.blocks] == [
        "messages[0].content",
        "messages[1]",
        "messages[2]",
        "messages[3].content",
    ]


def test_a_field_that_says_nothing_is_none():
    message = {"role": "assistant", "content": [], "tool_calls": []}
    assert [(block.path, block.value) for block in message_blocks(message, "messages[0]", "openai-chat")] == [
        ("messages[0]", message)
    ]
    changed = with_field(message, "content", "x")
    assert [block.path for block in message_blocks(changed, "messages[0]", "openai-chat")] == ["messages[0].content"]

"""What is not a message: an error that names the place, and never a crash, in every format."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ullage
from ullage import formats
from ullage.errors import InvalidHistory

from .builder import FORMATS, build, parse

RICH = {
    "openai-chat": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x", "detail": "low"}}]}],
    "openai-responses": [
        {
            "role": "user",
            "content": [{"type": "input_image", "image_url": "x"}, {"type": "input_file", "file_data": "x"}],
        },
        {"type": "shell_call_output", "call_id": "a", "output": [{"stdout": "x", "stderr": "", "outcome": {}}]},
        {"type": "computer_call_output", "call_id": "a", "output": {"type": "computer_screenshot", "image_url": "x"}},
        {"type": "image_generation_call", "id": "i", "result": "iVBORw0KGgo="},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}", "caller": {"caller_id": "p"}},
    ],
    "anthropic": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
                {
                    "type": "document",
                    "title": "t",
                    "source": {"type": "content", "content": [{"type": "text", "text": "x"}]},
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "x"}],
                    "is_error": True,
                },
                {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "redacted_thinking", "data": "x"},
                {"type": "server_tool_use", "id": "s", "name": "f", "input": {"a": 1}, "caller": {"tool_id": "t"}},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "x"}]},
            ],
        },
    ],
    "gemini": [
        {
            "role": "user",
            "parts": [
                {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
                {"fileData": {"mimeType": "video/mp4", "fileUri": "x"}},
                {"inlineData": {"mimeType": "application/pdf", "data": b"x"}},
                {
                    "functionResponse": {
                        "name": "f",
                        "response": {"output": "x"},
                        "parts": [{"inlineData": {"data": "x"}}],
                    }
                },
                {"executableCode": {"code": "x", "language": "PYTHON"}},
                {"codeExecutionResult": {"output": "x", "outcome": "OK"}},
            ],
        }
    ],
    "bedrock": [
        {
            "role": "user",
            "content": [
                {"image": {"format": "png", "source": {"bytes": b"x"}}},
                {"document": {"name": "d", "format": "pdf", "source": {"bytes": b"x"}}},
                {"toolResult": {"toolUseId": "a", "content": [{"json": {"a": 1}}, {"text": "x"}], "status": "error"}},
                {"reasoningContent": {"redactedContent": b"x"}},
                {"cachePoint": {"type": "default"}},
                {"guardContent": {"text": {"text": "x"}}},
            ],
        }
    ],
    "langchain": [
        {
            "type": "ai",
            "content": [
                {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"},
                {"type": "image_url", "image_url": {"url": "x"}},
                {"type": "server_tool_result", "tool_call_id": "s", "output": "x"},
                {"type": "reasoning", "reasoning": "x"},
            ],
            "tool_calls": [{"id": "a", "name": "f", "args": {"a": 1}}],
            "invalid_tool_calls": [{"id": "b", "name": "f", "args": "{"}],
            "additional_kwargs": {"reasoning_content": "x", "tool_calls": [{"id": "a", "function": {"name": "f"}}]},
        },
        {"type": "human", "data": {"content": "x"}},
    ],
    "pydantic-ai": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "user-prompt", "content": ["x", {"kind": "image-url", "url": "x"}]},
                {"part_kind": "user-prompt", "content": [{"kind": "binary", "data": b"x", "media_type": "image/png"}]},
                {"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "a", "content": {"a": ["x"]}},
                {"part_kind": "retry-prompt", "tool_name": "f", "tool_call_id": "a", "content": [{"msg": "x"}]},
            ],
        }
    ],
}
JUNK = [None, True, 7, 0.5, "x", b"x", [], {}, (), [None], [7], {"x": 7}, {"text": 7}, {"type": 7}, object(), 10**5000]


def places(value, path=()):
    yield path
    for key, member in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(member, (*path, key))


def put(value, path, new):
    if not path:
        return new
    value = copy.copy(value)
    value[path[0]] = put(value[path[0]], path[1:], new)
    return value


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_a_wrong_value_anywhere(name, data):
    messages = build(name, parse("U,A(θ,a),Ta,A")).messages + RICH[name]
    message = data.draw(st.sampled_from(messages))
    broken = put(message, data.draw(st.sampled_from(list(places(message)))), data.draw(st.sampled_from(JUNK)))
    try:
        record = formats.named(name).read(broken, "messages[0]")
    except (TypeError, InvalidHistory) as error:
        found = str(error)
    else:
        found = "messages[0]"
        check(record)
        ullage.validate([broken], name)
    assert found.startswith("messages[0]")


def check(record):
    assert all(type(part.texts) is tuple and type(part.tokens) is int and part.tokens >= 0 for part in record.parts)
    assert all(isinstance(text, str) for part in record.parts for text in part.texts)


@pytest.mark.parametrize("name", FORMATS)
def test_depth_is_bounded(name):
    deep: list = ["x"]
    for _ in range(5000):
        deep = [deep]
    cyclic: dict = {}
    cyclic["self"] = cyclic
    for value in (deep, cyclic):
        message = build(name, parse("U,A(a)")).messages[1]
        broken = _with_arguments(name, message, value)
        with pytest.raises(InvalidHistory, match=r"messages\[0\].*deep"):
            formats.named(name).read(broken, "messages[0]")


def test_a_result_inside_itself_is_refused_and_never_overflows_the_stack():
    result = {"type": "tool_result", "tool_use_id": "a", "content": []}
    result["content"].append(result)
    with pytest.raises(InvalidHistory, match=r"messages\[0\].content\[0\].*nest at most 256 deep"):
        formats.named("anthropic").read({"role": "user", "content": [result]}, "messages[0]")


def _with_arguments(name, message, value):
    message = copy.deepcopy(message)
    match name:
        case "openai-chat":
            message["x_unknown"] = value
        case "openai-responses":
            return {"type": "hologram", "value": value}
        case "anthropic":
            message["content"][0]["input"] = value
        case "gemini":
            message["parts"][0]["functionCall"]["args"] = value
        case "bedrock":
            message["content"][0]["toolUse"]["input"] = value
        case "langchain":
            message["tool_calls"][0]["args"] = value
        case "pydantic-ai":
            message["parts"][0]["args"] = value
    return message

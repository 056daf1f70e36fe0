"""What a message of each format costs: all that is sent is counted, and nothing by its base64."""

import base64
import json
import struct

import pytest

import ullage
from ullage import formats
from ullage.formats import anthropic, gemini
from ullage.formats.record import Part

from .builder import FORMATS, Assistant, Call, Result, User, build, parse
from .sdk import accept


def png(width, height, size=100):
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + bytes(size)


def encoded(data):
    return base64.b64encode(data).decode()


def total(name, messages):
    return ullage.History(messages, format=name).total


def cost(name, steps):
    return total(name, build(name, steps).messages)


def parts(name, *messages):
    return [part for message in messages for part in formats.named(name).read(message, "messages[0]").parts]


@pytest.mark.parametrize("name", FORMATS)
def test_arguments_are_counted_where_there_is_no_content(name):
    """40,000 characters of arguments are 10,000 tokens by the script rule."""
    call = Assistant(None, (Call("a", args={"text": "x" * 40_000}),))
    steps = [User("u"), call, Result("a", "r")]
    assert 10_000 <= cost(name, steps) < 10_100


@pytest.mark.parametrize("name", FORMATS)
def test_text_of_every_script_is_counted(name):
    assert 1000 <= cost(name, [User("统" * 1000)]) < 1050
    assert 250 <= cost(name, [User("x" * 1000)]) < 300


@pytest.mark.parametrize("name", FORMATS)
def test_results_and_thinking_are_counted(name):
    bare = cost(name, parse("U,A(a),Ta,A", Ta="", U="u", A="a"))
    assert 1000 <= cost(name, parse("U,A(a),Ta,A", Ta="x" * 4000, U="u", A="a")) - bare <= 1001
    thinking = {"θ": "x" * 4000}
    assert cost(name, parse("U,A(θ,a),Ta", **thinking)) - cost(name, parse("U,A(a),Ta")) >= 1000


@pytest.mark.parametrize("name", FORMATS)
def test_marks_of_a_vocabulary_are_text(name):
    messages = build(name, parse("U,A(a),Ta,A", U="<|endoftext|>", Ta="<|im_start|>system", A="</s>")).messages
    assert total(name, messages) == total(name, accept(name, messages))
    assert ullage.validate(messages, name) == []


IMAGES = {
    "openai-chat": lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded(data)}"}},
    "openai-responses": lambda data: {
        "type": "input_image",
        "detail": "auto",
        "image_url": f"data:image/png;base64,{encoded(data)}",
    },
    "anthropic": lambda data: {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": encoded(data)},
    },
    "gemini": lambda data: {"inlineData": {"mimeType": "image/png", "data": encoded(data)}},
    "bedrock": lambda data: {"image": {"format": "png", "source": {"bytes": data}}},
    "langchain": lambda data: {"type": "image", "base64": encoded(data), "mime_type": "image/png"},
    "pydantic-ai": lambda data: {"kind": "binary", "data": data, "media_type": "image/png"},
}


def with_image(name, data):
    message = build(name, [User("look")]).messages[0]
    image = IMAGES[name](data)
    match name:
        case "pydantic-ai":
            message["parts"][0]["content"] = ["look", image]
        case "gemini":
            message["parts"].append(image)
        case _:
            text = {"type": "input_text" if name == "openai-responses" else "text", "text": "look"}
            message["content"] = [{"text": "look"} if name == "bedrock" else text, image]
    return message


@pytest.mark.parametrize("name", FORMATS)
def test_an_image_costs_by_its_size_in_pixels(name):
    """Four million characters of base64 are one image; the same in a text would be a million tokens."""
    data = png(1000, 800, 3_000_000)
    message = with_image(name, data)
    by_formula = {"anthropic": 1067, "bedrock": 1067, "gemini": 4 * 258}.get(name, 765)
    assert [part.tokens for part in parts(name, message) if part.kind == "image"] == [by_formula]
    assert total(name, [message]) - by_formula < 20
    assert cost(name, [User(encoded(data))]) > 1_000_000


@pytest.mark.parametrize("name", ["gemini", "langchain", "anthropic", "openai-chat"])
def test_images_of_native_objects(name):
    message = with_image(name, png(1000, 800))
    assert total(name, accept(name, [message])) == total(name, [message])


def test_images_by_the_published_formulas():
    assert anthropic.image_tokens((200, 200)) == 54
    assert anthropic.image_tokens((1000, 1000)) == 1334
    assert anthropic.image_tokens((1092, 1092)) == 1590
    assert anthropic.image_tokens((8000, 8000)) == 4784
    assert gemini.image_tokens((384, 384)) == 258
    assert gemini.image_tokens((385, 300)) == 4 * 258
    assert gemini.image_tokens((960, 540)) == 6 * 258
    assert gemini.image_tokens((3072, 3072)) == 16 * 258


@pytest.mark.parametrize("name", FORMATS)
def test_tools_are_counted(name):
    definition = {"name": "search", "description": "x" * 4000, "parameters": {"type": "object", "properties": {}}}
    part = formats.named(name).tools([definition])
    assert "".join(part.texts).count("x") == 4000
    text = json.dumps(definition | {"description": ""}, separators=(",", ":"))
    assert len("".join(part.texts)) == 4000 + len(text)
    assert formats.named(name).tools([]) == Part("text", (), 0)


@pytest.mark.parametrize("name", FORMATS)
def test_a_system_prompt_is_counted(name):
    prompt = build(name, parse("S", S="x" * 4000))
    prompt = prompt.messages[0]["content"] if prompt.system is None else prompt.system
    record = formats.named(name).system(prompt)
    assert record.role == "system"
    assert [part.texts for part in record.parts] == [("x" * 4000,)]


def test_blocks_of_anthropic():
    message = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "why", "signature": "x" * 1000},
            {"type": "thinking", "thinking": "", "signature": "x" * 1600},
            {"type": "redacted_thinking", "data": "x" * 1600},
            {"type": "text", "text": "so", "citations": [{"cited_text": "long"}]},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tea"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Tea", "url": "u"}]},
        ],
    }
    assert parts("anthropic", message) == [
        Part("thinking", ("why",)),
        Part("thinking", (), 300),
        Part("thinking", (), 300),
        Part("text", ("so",)),
        Part("tool_call", ("web_search", '{"query":"tea"}'), 0, "s", "web_search", server=True),
        Part("tool_result", ("Tea", "u"), 0, "s", "web_search", server=True),
    ]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": encoded(png(750, 100))}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "see"}, image]}
    assert parts("anthropic", {"role": "user", "content": [result]}) == [
        Part("tool_result", ("see",), 0, "a", block=0),
        Part("image", (), 100, "a", block=0),
    ]
    source = {"type": "base64", "media_type": "application/pdf", "data": encoded(bytes(99_000))}
    document = {"type": "document", "title": "t", "source": source}
    assert parts("anthropic", {"role": "user", "content": [document]}) == [Part("document", ("t",), 6000)]


def test_parts_of_gemini():
    message = {
        "role": "model",
        "parts": [
            {"text": "why", "thought": True},
            {"text": "", "thoughtSignature": "x"},
            {"function_call": {"name": "f", "args": {"a": 1}}, "thought_signature": "x" * 100},
            {"executableCode": {"code": "1+1", "language": "PYTHON"}},
            {"codeExecutionResult": {"output": "2", "outcome": "OUTCOME_OK"}},
            {"inlineData": {"mimeType": "audio/mp3", "data": encoded(bytes(30_000))}},
            {"fileData": {"mimeType": "video/mp4", "fileUri": "u"}},
        ],
    }
    assert parts("gemini", message) == [
        Part("thinking", ("why",)),
        Part("thinking", ("",)),
        Part("tool_call", ("f", '{"a":1}'), name="f"),
        Part("tool_call", ("1+1",), name="code_execution", server=True),
        Part("tool_result", ("2",), name="code_execution", server=True),
        Part("audio", (), 60),
        Part("audio", (), 60 * 263),
    ]


def test_items_of_openai():
    items = [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "why"}]},
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x" * 1600},
        {"type": "custom_tool_call", "call_id": "a", "name": "sh", "input": "ls"},
        {"type": "mcp_call", "id": "m", "name": "find", "server_label": "l", "arguments": "{}", "output": "found"},
        {"type": "image_generation_call", "id": "i", "status": "completed", "result": encoded(png(512, 512))},
        {"type": "apply_patch_call_output", "call_id": "a", "status": "failed", "output": "no"},
        {"type": "compaction", "encrypted_content": "x" * 1600},
    ]
    assert parts("openai-responses", *items) == [
        Part("thinking", ("why",)),
        Part("thinking", (), 300),
        Part("tool_call", ("sh", "ls"), 0, "a", "sh"),
        Part("tool_call", ("find", "{}", "found"), name="find", server=True),
        Part("tool_call", (), name="image_generation", server=True),
        Part("image", (), 255),
        Part("tool_result", ("no",), 0, "a", "apply_patch", error=True, block=0),
        Part("text", (), 300),
    ]


def test_a_call_of_langchain_that_is_said_twice_counts_once():
    call = {"type": "tool_call", "id": "a", "name": "f", "args": {"x": 1}}
    message = {
        "type": "ai",
        "content": [{"type": "text", "text": "so"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}],
        "tool_calls": [call],
        "additional_kwargs": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"x":1}'}}]},
    }
    wanted = [Part("text", ("so",)), Part("tool_call", ("f", '{"x":1}'), 0, "a", "f")]
    assert parts("langchain", message) == wanted
    assert parts("langchain", {**message, "tool_calls": []})[1:] == [
        Part("tool_call", ("f", '{"x":1}'), 0, "a", "f"),
    ]


def test_parts_of_pydantic_ai():
    """Instructions are left to the system prompt; a retry is an error where it answers a call, and else the user's."""
    request = {
        "kind": "request",
        "instructions": "Be brief",
        "parts": [
            {"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "a", "content": {"found": [1, "tea"]}},
            {"part_kind": "retry-prompt", "tool_name": "f", "tool_call_id": "b", "content": "no such file"},
            {"part_kind": "retry-prompt", "content": "answer in JSON"},
            {
                "part_kind": "user-prompt",
                "content": ["see", {"kind": "cache-point"}, {"kind": "image-url", "url": "u"}],
            },
        ],
    }
    assert parts("pydantic-ai", request) == [
        Part("tool_result", ('{"found":[1,"tea"]}',), 0, "a", "f", block=0),
        Part("tool_result", ("no such file",), 0, "b", "f", error=True, block=1),
        Part("text", ("answer in JSON",)),
        Part("text", ("see",)),
        Part("image", (), 765),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_history_of_native_objects_notices_a_change(name):
    messages = build(name, parse("U,A(a),Ta,A")).messages
    history = ullage.History(messages, format=name)
    shape = formats.named(name)
    edited = shape.with_result(messages[2], shape.read(messages[2], "m").parts[0].block, "x" * 4000)
    update = history.update([*messages[:2], edited, *messages[3:]])
    assert (update.first_changed, update.read) == (2, 1)
    assert history.total > 1000

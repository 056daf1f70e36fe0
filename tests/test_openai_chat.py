"""What each message of the OpenAI Chat format sends, and what it costs."""

import base64
import json
import struct
from dataclasses import dataclass

import pytest

import ullage
from ullage.formats import images, openai_chat
from ullage.formats.record import Part

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 2048, 4096) + b"\x08\x02\x00\x00\x00" + bytes(5000)
GIF = b"GIF89a" + struct.pack("<HH", 300, 200) + bytes(100)
WEBP_LOSSY = b"RIFF" + bytes(4) + b"WEBPVP8 " + bytes(4) + b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 640, 480)
WEBP_LOSSLESS = b"RIFF" + bytes(4) + b"WEBPVP8L" + bytes(4) + b"\x2f" + struct.pack("<I", (799) | (599 << 14))
WEBP_EXTENDED = (
    b"RIFF" + bytes(4) + b"WEBPVP8X" + bytes(8) + (1919).to_bytes(3, "little") + (1079).to_bytes(3, "little")
)
JPEG = (
    b"\xff\xd8\xff\xe1"
    + struct.pack(">H", 60_002)
    + b"\xff\xc0" * 30_000  # a thumbnail inside the metadata that looks like a frame
    + b"\xff\xff\xc4\x00\x04ab\xff\xc2"
    + struct.pack(">HBHH", 17, 8, 480, 640)
    + bytes(100)
)


def uri(data, kind="png"):
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def read(message):
    return openai_chat.read(message, "messages[0]")


def user(*parts):
    return {"role": "user", "content": list(parts)}


def test_text():
    assert read({"role": "user", "content": "tea"}) == ("user", (Part("text", ("tea",)),), 4)
    assert read({"role": "developer", "content": None}) == ("developer", (), 4)
    assert read(user({"type": "text", "text": "tea"}, {"type": "text", "text": ""})).parts == (
        Part("text", ("tea",)),
        Part("text", ("",)),
    )


def test_the_very_strings_are_given():
    text, arguments = "t" * 50, '{"path":  "a"}'
    message = {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}],
    }
    parts = read(message).parts
    assert parts[0].texts[0] is text
    assert parts[1].texts[1] is arguments


def test_calls_of_every_form():
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read", "arguments": "not JSON {"}},
            {"id": "b", "type": "custom", "custom": {"name": "shell", "input": "ls"}},
            {"id": "c", "type": "later", "later": {"what": "deep", "list": ["er", 7]}},
        ],
        "function_call": {"name": "old", "arguments": "{}"},
    }
    assert read(message).parts == (
        Part("tool_call", ("read", "not JSON {"), 0, "a", "read"),
        Part("tool_call", ("shell", "ls"), 0, "b", "shell"),
        Part("tool_call", ("deep", "er"), 0, "c"),
        Part("tool_call", ("old", "{}"), name="old"),
    )


def test_results():
    assert read({"role": "tool", "tool_call_id": "a", "content": "done"}).parts == (
        Part("tool_result", ("done",), 0, "a", block=0),
    )
    listed = {
        "role": "tool",
        "tool_call_id": "a",
        "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}],
    }
    assert read(listed).parts == (
        Part("tool_result", ("x",), 0, "a", block=0),
        Part("tool_result", ("y",), 0, "a", block=0),
    )
    for empty in (None, []):
        assert read({"role": "tool", "tool_call_id": "a", "content": empty}).parts == (
            Part("tool_result", (), 0, "a", block=0),
        )
    assert read({"role": "function", "name": "old", "content": "x"}) == (
        "function",
        (Part("tool_result", ("x",), name="old", block=0), Part("tool_result", ("old",), name="old", block=0)),
        5,
    )


def test_what_is_beside_the_content():
    message = {
        "role": "assistant",
        "content": "answer",
        "name": "Writer",
        "refusal": "no",
        "reasoning_content": "because",
        "audio": {"id": "audio_1", "data": "AAAA", "transcript": "said"},
        "cache_control": {"type": "ephemeral"},
        "vendor": {"note": ["kept", {"x": "y"}], "n": 3},
        "empty": None,
    }
    assert read(message) == (
        "assistant",
        (
            Part("thinking", ("because",)),
            Part("text", ("answer",)),
            Part("text", ("Writer",)),
            Part("text", ("no",)),
            Part("audio", ("said",)),
            Part("text", ("kept", "y")),
        ),
        5,
    )


def test_unknown_parts_are_counted_by_their_strings_but_files_are_not():
    blob = base64.b64encode(bytes(30_000)).decode()
    assert read(user({"type": "quote", "quote": {"of": "someone", "words": ["a", "b"]}})).parts == (
        Part("text", ("someone", "a", "b")),
    )
    assert read(user({"type": "image", "source": {"media_type": "image/png", "data": blob}})).parts == (
        Part("image", ("image/png",), 765),
    )
    assert read(user({"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{blob}"}})).parts == (
        Part("document", (), 765),
    )
    assert read(user({"type": "text", "text": f"data:image/png;base64,{blob}"})).parts[0].texts[0].endswith(blob)
    assert read(user({"type": "table", "data": "1 2 3", "format": "csv"})).parts == (Part("text", ("1 2 3", "csv")),)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (2048, 4096)),
        (GIF, (300, 200)),
        (WEBP_LOSSY, (640, 480)),
        (WEBP_LOSSLESS, (800, 600)),
        (WEBP_EXTENDED, (1920, 1080)),
        (JPEG, (640, 480)),
        (PNG[:20], None),
        (b"", None),
        (b"BM" + bytes(50), None),
        (PNG[:16] + bytes(20), None),
        (PNG[:16] + b"\xff" * 20, None),
        (b"\xff\xd8" + b"\xff\xe1\x00\x00" * 3000, None),
    ],
)
def test_sizes_are_read_from_the_first_bytes(data, size):
    assert images.size_of_data_uri(uri(data)) == size
    assert images.size_of_data_uri(base64.b64encode(data).decode()) == size


def test_damaged_base64_has_no_size():
    assert images.size_of_data_uri("data:image/png;base64,\ud800*") is None
    assert images.size_of_data_uri("") is None


@pytest.mark.parametrize(
    ("size", "detail", "tokens"),
    [
        ((1024, 1024), "high", 765),
        ((2048, 4096), "high", 1105),
        ((4096, 8192), "low", 85),
        ((1, 1), None, 255),
        ((150, 150), None, 255),
        ((1, 1 << 32), None, 85 + 4 * 170),
        ((513, 512), None, 85 + 2 * 170),
        ((512, 512), "auto", 255),
        (None, None, 765),
        ((1800, 2400), "original", 57 * 75),
        ((33, 32), "original", 2),
        (None, "original", 1024),
    ],
)
def test_images_by_their_detail(size, detail, tokens):
    assert images.tokens(size, detail) == tokens


def test_images_cost_their_formula():
    assert read(user({"type": "image_url", "image_url": {"url": uri(PNG)}})).parts == (Part("image", (), 1105),)
    assert read(user({"type": "image_url", "image_url": {"url": uri(PNG), "detail": "low"}})).parts[0].tokens == 85
    assert read(user({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}})).parts[0].tokens == 765
    assert read(user({"type": "image_url", "image_url": "https://example.org/a.png"})).parts[0].tokens == 765


def test_sound_costs_its_length():
    wav = (
        b"RIFF" + bytes(4) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 24_000, 48_000, 2, 16) + b"data" + bytes(4)
    )
    wav += bytes(48_000 * 3)
    part = {"type": "input_audio", "input_audio": {"data": base64.b64encode(wav).decode(), "format": "wav"}}
    assert read(user(part)).parts == (Part("audio", (), 31),)
    mp3 = {"type": "input_audio", "input_audio": {"data": base64.b64encode(bytes(32_000)).decode(), "format": "mp3"}}
    assert read(user(mp3)).parts == (Part("audio", (), 21),)


def test_files_cost_their_pages():
    data = f"data:application/pdf;base64,{base64.b64encode(bytes(120_000)).decode()}"
    part = {"type": "file", "file": {"filename": "a.pdf", "file_data": data}}
    assert read(user(part)).parts == (Part("document", ("a.pdf",), 4500),)
    assert read(user({"type": "file", "file": {"file_id": "file-1"}})).parts == (Part("document", (), 1500),)


def test_tools_cost_their_schemas():
    definition = {"type": "function", "function": {"name": "чай", "parameters": {"type": "object", "properties": {}}}}
    text = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    assert openai_chat.tools([definition, definition]) == Part("text", (text, text), 12 + 2 * 7)
    assert openai_chat.tools([]) == Part("text", (), 0)
    history = ullage.History(tools=[definition])
    assert history.total == 3 + 12 + 7 + ullage.estimate(text)
    assert history.breakdown() == ({}, 12 + 7 + ullage.estimate(text), 3)


def test_objects_are_read_by_their_fields():
    @dataclass
    class Function:
        name: str
        arguments: str

    @dataclass
    class Call:
        id: str
        function: Function
        type: str = "function"

    @dataclass
    class Message:
        role: str
        content: str | None
        tool_calls: list
        refusal: str | None = None

    message = Message("assistant", None, [Call("a", Function("f", "{}"))])
    assert read(message) == ("assistant", (Part("tool_call", ("f", "{}"), 0, "a", "f"),), 4)


def test_objects_of_the_openai_package_cost_what_they_dump():
    """An assistant message as the package gives it, with a field that it does not know, and as it is sent back."""
    chat = pytest.importorskip("openai.types.chat", reason="install the dependency group sdk")
    reply = chat.ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_content": "The file must be read first.",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path": "x"}'}},
                {"id": "b", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}},
            ],
        }
    )
    assert read(reply) == read(reply.model_dump()) == read(reply.model_dump(exclude_none=True))
    assert [part.kind for part in read(reply).parts] == ["thinking", "text", "tool_call", "tool_call"]
    messages = [{"role": "user", "content": "What is in x?"}, reply]
    history = ullage.History(messages)
    assert history.update(messages) == (None, 0, 2, 0)
    reply.tool_calls[0].function.arguments = '{"path": "y"}'
    assert history.update(messages) == (1, 1, 1, 1)
    reply.reasoning_content = "Changed."
    assert history.update(messages) == (1, 1, 1, 1)
    assert list(history) == list(ullage.History(messages))


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (7, "messages[0] must be a dict or an object with fields, not int"),
        ("text", "messages[0] must be a dict or an object with fields, not str"),
        ({"role": 7}, "messages[0].role must be str, not int"),
        ({"role": "user", "content": 7}, "messages[0].content must be str or a list of parts, not int"),
        (
            {"role": "user", "content": b"x"},
            "messages[0].content must be str or a list of parts, not bytes; decode it first",
        ),
        (user({"type": "text", "text": 7}), "messages[0].content[0].text must be str, not int"),
        (user("fine", 7), "messages[0].content[1] must be a dict or an object with fields, not int"),
        (
            user({"type": "image_url", "image_url": {"url": 7}}),
            "messages[0].content[0].image_url.url must be str, not int",
        ),
        ({"role": "assistant", "tool_calls": {}}, "messages[0].tool_calls must be a list of calls, not dict"),
        (
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]},
            "messages[0].tool_calls[0].function.arguments must be str, not dict",
        ),
        ({"role": "assistant", "tool_calls": [{"id": 7}]}, "messages[0].tool_calls[0].id must be str, not int"),
        ({"role": "tool", "tool_call_id": 7}, "messages[0].tool_call_id must be str, not int"),
        ({"role": "user", "name": 7}, "messages[0].name must be str, not int"),
    ],
)
def test_wrong_types_name_the_place(message, sentence):
    with pytest.raises(TypeError) as caught:
        read(message)
    assert str(caught.value) == sentence


def test_a_message_has_a_role():
    with pytest.raises(ullage.InvalidHistory) as caught:
        ullage.History([{"role": "user", "content": "x"}, {"content": "y"}])
    assert (caught.value.index, caught.value.path) == (1, "messages[1].role")
    assert str(caught.value) == "messages[1].role: a message has a role"
    assert isinstance(caught.value, ValueError)


def test_tools_that_are_no_json_are_refused():
    cyclic = {}
    cyclic["self"] = cyclic
    with pytest.raises(ullage.InvalidHistory, match=r"tools\[1\]: a definition must be JSON"):
        ullage.History(tools=[{}, cyclic])
    with pytest.raises(TypeError, match=r"tools\[0\] must be a JSON schema"):
        ullage.History(tools=[{"f": print}])
    with pytest.raises(TypeError, match="tools must be an iterable of dicts or objects, not dict"):
        ullage.History(tools={})

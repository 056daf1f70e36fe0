"""What silently broke prompt caches: two requests each, the place that must be named, the cause and the remedy.

Every case is rebuilt from a public report, which its id names.
"""

import copy
import json
from unicodedata import normalize

import pytest

from prefix.bodies import FORMATS, at, body, messages
from ullage import compare

UUIDS = "3f2b8c1e-9d47-4a6b-8e05-7c1d2f9a6b34", "a91c0d57-2e68-4f3b-b1a4-05d7e8c92f6a"
SYSTEM_AT = {
    "openai-chat": "messages[0].content",
    "openai-responses": "instructions",
    "anthropic": "system",
    "gemini": "systemInstruction.parts[0].text",
    "bedrock": "system[0].text",
    "langchain": "messages[0].content",
    "pydantic-ai": "system",
}
CAUSES_OF_SYSTEM = [
    (
        "P01 browser-use#731",
        "You drive a browser.\nCurrent date and time: 2025-02-16 17:11\nPlan first.",
        "You drive a browser.\nCurrent date and time: 2025-02-16 17:12\nPlan first.",
        "clock",
        "newest message",
    ),
    (
        "P02 anything-llm#6398",
        "Given the conversation, answer. The current time is July 14, 2026, 9:59:58 AM. Be kind.",
        "Given the conversation, answer. The current time is July 14, 2026, 10:00:12 AM. Be kind.",
        "clock",
        "newest message",
    ),
    (
        "P03 opencode#32622",
        "<env>\nPlatform: linux\nToday's date: Sun Nov 29 2026\n</env>",
        "<env>\nPlatform: linux\nToday's date: Mon Nov 30 2026\n</env>",
        "date",
        "midnight",
    ),
    (
        "P04 openclaw#19014",
        f'You chat.\n{{"channel": "telegram", "message_id": "{UUIDS[0]}", "sender": "owner"}}',
        f'You chat.\n{{"channel": "telegram", "message_id": "{UUIDS[1]}", "sender": "owner"}}',
        "identifier",
        "metadata",
    ),
    (
        "P05 bub#76",
        "You work.\n[context: 9,880 of 200,000 tokens used]\nGo on.",
        "You work.\n[context: 12,345 of 200,000 tokens used]\nGo on.",
        "counter",
        "newest message",
    ),
    (
        "P06 ollama#14918",
        "x-billing-header: cc_version=2.1.76; cc_entrypoint=cli; cch=4f1a2;",
        "x-billing-header: cc_version=2.1.76; cc_entrypoint=cli; cch=9c03e;",
        "random value",
        "the same for the whole session",
    ),
]


def compared(before, after):
    """The comparison, which must not depend on what is appended to the next request."""
    found = compare(before, after)
    name = found.format
    grown = copy.deepcopy(after)
    grown_messages = grown if isinstance(grown, list) else messages(name, grown)
    grown_messages.extend(messages(name, body(name, "A(z),Tz,A,U", U="And then?")))
    later = compare(before, grown)
    assert later.changes == found.changes
    assert later.change == found.change
    assert later.kind == ("append" if found.kind == "same" else found.kind)
    return found


def with_system(name, text):
    """A request whose system prompt is this text."""
    return body(name, "S,U,A(a),Ta,A,U", S=text)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("before", "after", "cause", "remedy"),
    [case[1:] for case in CAUSES_OF_SYSTEM],
    ids=[case[0] for case in CAUSES_OF_SYSTEM],
)
def test_what_ticks_in_the_system_prompt(name, before, after, cause, remedy):
    comparison = compared(with_system(name, before), with_system(name, after))
    change = comparison.change
    assert (comparison.kind, change.what, change.cause, change.path) == ("edit", "edited", cause, SYSTEM_AT[name])
    assert change.zone == "system"
    assert change.confidence == "certain"
    assert before[: change.offset] == after[: change.offset]
    assert before[change.offset] != after[change.offset]
    assert SYSTEM_AT[name] in change.fix
    assert remedy in change.fix
    assert comparison.tokens.lost >= 37 > 0  # all messages, and the rest of the system prompt


def test_a_clock_in_the_first_block_of_the_system_prompt():
    blocks = [
        {"type": "text", "text": "cch=4f1a2;"},
        {"type": "text", "text": "You work.", "cache_control": {"type": "ephemeral"}},
    ]
    before = {"system": blocks, "messages": [{"role": "user", "content": "Hi"}]}
    after = copy.deepcopy(before)
    after["system"][0]["text"] = "cch=9c03e;"
    change = compared(before, after).change
    assert (change.path, change.cause, change.offset) == ("system[0].text", "random value", 4)


# Tools.


def tool_names(name, value):
    tools = value["toolConfig"]["tools"] if name == "bedrock" else value["tools"]
    return tools[0]["functionDeclarations"] if name == "gemini" else tools


TOOLS_AT = {**dict.fromkeys(FORMATS, "tools"), "bedrock": "toolConfig.tools", "gemini": "tools[0].functionDeclarations"}


def with_tools(name, names):
    """A request with a tool for each of these names."""
    value = body(name)
    tools = tool_names(name, value)
    (tool,) = tools
    tools[:] = [json.loads(json.dumps(tool).replace('"search"', json.dumps(called))) for called in names]
    return value


@pytest.mark.parametrize("name", FORMATS)
def test_p07_the_tools_of_one_server_vanish_and_return(name):
    names = ["read", "mcp__mail__send", "mcp__mail__list", "write"]
    whole, less = with_tools(name, names), with_tools(name, ["read", "write"])
    gone = compared(whole, less)
    assert (gone.kind, gone.change.what, gone.change.cause) == ("edit", "removed", "tool set")
    assert gone.change.path == f"{TOOLS_AT[name]}[1]"
    assert "mcp__mail__send" in gone.change.evidence
    assert "same tools" in gone.change.fix
    assert [change.path for change in gone.changes] == [f"{TOOLS_AT[name]}[1]", f"{TOOLS_AT[name]}[2]"]
    back = compared(less, whole)
    assert (back.change.what, back.change.cause, back.change.path) == ("inserted", "tool set", f"{TOOLS_AT[name]}[1]")


@pytest.mark.parametrize("name", FORMATS)
def test_p09_the_same_tools_shuffled(name):
    before = with_tools(name, ["a", "b", "c", "d", "e"])
    after = with_tools(name, ["a", "d", "b", "e", "c"])
    comparison = compared(before, after)
    assert {change.cause for change in comparison.changes} == {"tool order"}
    assert {change.what for change in comparison.changes} == {"moved"}
    assert comparison.change.path == f"{TOOLS_AT[name]}[1]"
    assert "Sort the tools by name" in comparison.change.fix


SCHEMA_AT = {
    "openai-chat": "function.parameters",
    "openai-responses": "parameters",
    "anthropic": "input_schema",
    "gemini": "parameters",
    "bedrock": "toolSpec.inputSchema.json",
    "langchain": "function.parameters",
    "pydantic-ai": "function.parameters",
}


@pytest.mark.parametrize("name", FORMATS)
def test_p10_the_keys_of_a_schema_in_another_order(name):
    before = body(name)
    after = copy.deepcopy(before)
    path = f"{TOOLS_AT[name]}[0].{SCHEMA_AT[name]}"
    schema = at(after, path)
    schema["type"] = schema.pop("type")
    change = compared(before, after).change
    assert (change.what, change.cause, change.path) == ("edited", "key order", path)
    assert change.confidence == "certain"
    assert path in change.fix
    assert "sort_keys" in change.fix


# Calls and results.

ARGUMENTS_AT = {
    "openai-chat": "tool_calls[0].function.arguments",
    "openai-responses": "arguments",
    "anthropic": "content[0].input",
    "gemini": "parts[0].functionCall.args",
    "bedrock": "content[0].toolUse.input",
    "langchain": "tool_calls[0].args",
    "pydantic-ai": "parts[0].args",
}
"""Where the arguments of a message's only call are."""
LISTS = {**dict.fromkeys(FORMATS, "messages"), "gemini": "contents", "openai-responses": "input"}


def put(value, path, new):
    """Put something at a path."""
    parent, _, key = path.rpartition(".")
    at(value, parent)[key] = new


def called(name, arguments):
    """A request with a call of these arguments in the middle, and the path of the arguments."""
    value = body(name, "S,U,A(a),Ta,A,U")
    index = next(
        i
        for i, message in enumerate(messages(name, value))
        if '"search"' in json.dumps(message) and "what a asks" in json.dumps(message)
    )
    path = f"{LISTS[name]}[{index}].{ARGUMENTS_AT[name]}"
    put(value, path, json.dumps(arguments) if isinstance(at(value, path), str) else arguments)
    return value, path


@pytest.mark.parametrize("name", FORMATS)
def test_p11_p12_the_arguments_of_an_earlier_call_in_another_order(name):
    before, path = called(name, {"query": "caches", "limit": 5})
    after, _ = called(name, {"limit": 5, "query": "caches"})
    comparison = compared(before, after)
    change = comparison.change
    assert (comparison.kind, change.cause, change.path, change.confidence) == ("edit", "key order", path, "certain")
    assert "text that the model wrote" in change.fix


ID_AT = {
    "openai-chat": ("tool_calls[0].id", "tool_call_id"),
    "openai-responses": ("call_id", "call_id"),
    "anthropic": ("content[0].id", "content[0].tool_use_id"),
    "gemini": ("parts[0].functionCall.id", "parts[0].functionResponse.id"),
    "bedrock": ("content[0].toolUse.toolUseId", "content[0].toolResult.toolUseId"),
    "langchain": ("tool_calls[0].id", "tool_call_id"),
    "pydantic-ai": ("parts[0].tool_call_id", "parts[0].tool_call_id"),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("ids", [("call_9fXa21", "call_0bTT77"), ("a", "b"), UUIDS])
def test_p13_a_fresh_id_for_the_same_call(name, ids):
    def made(call_id):
        value, path = called(name, {"query": "caches"})
        index = int(path.partition("[")[2].partition("]")[0])
        for place, key in zip((index, index + 1), ID_AT[name], strict=True):
            put(value, f"{LISTS[name]}[{place}].{key}", call_id)
        return value, f"{LISTS[name]}[{index}].{ID_AT[name][0]}"

    (before, path), (after, _) = made(ids[0]), made(ids[1])
    comparison = compared(before, after)
    assert [change.cause for change in comparison.changes] == ["identifier", "identifier"]
    assert comparison.change.path == path
    assert "as it was first made" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p24_an_old_result_replaced_in_place(name):
    long = "def f(x):\n    return x + 1\n" * 40
    before = body(name, "S,U,A(a),Ta,A,U", Ta=long)
    after = body(name, "S,U,A(a),Ta,A,U", Ta="[Old tool result content cleared]")
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change.cause, comparison.change.confidence) == (
        "edit",
        "cleared result",
        "certain",
    )
    assert long[:20] in at(before, comparison.change.path)
    assert "many at once" in comparison.change.fix
    assert comparison.tokens.lost > 200


@pytest.mark.parametrize("name", FORMATS)
def test_p34_escapes_of_a_serialised_result(name):
    found = {"city": "Kraków 東京", "emoji": "😀"}
    before = body(name, "S,U,A(a),Ta,A,U", Ta=json.dumps(found))
    after = body(name, "S,U,A(a),Ta,A,U", Ta=json.dumps(found, ensure_ascii=False))
    change = compared(before, after).change
    assert (change.cause, change.confidence) == ("escape form", "certain")
    assert at(after, change.path) == json.dumps(found, ensure_ascii=False)
    assert "ensure_ascii" in change.fix


# Markers.

MARK = {"type": "ephemeral"}


def marked(*places, messages_=None):
    """An Anthropic request of a user, an assistant and a message of three results, with markers at these paths."""
    value = {
        "system": [{"type": "text", "text": "You work."}],
        "messages": messages_
        or [
            {"role": "user", "content": [{"type": "text", "text": "Read three files"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": f"t{i}", "name": "read", "input": {}} for i in range(3)],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": f"file {i}"} for i in range(3)],
            },
        ],
    }
    for place in places:
        at(value, place)["cache_control"] = dict(MARK)
    return value


def test_p15_a_marker_that_fans_out():
    before = marked("system[0]", "messages[0].content[0]")
    after = marked("system[0]", "messages[0].content[0]", *(f"messages[2].content[{i}]" for i in range(3)))
    comparison = compared(before, after)
    assert comparison.kind == "same"
    assert [change.path for change in comparison.changes] == [
        f"messages[2].content[{i}].cache_control" for i in range(3)
    ]
    assert {change.cause for change in comparison.changes} == {"markers"}


def test_p17_the_marker_is_elsewhere_each_turn():
    before = marked("messages[2].content[2]")
    after = marked("messages[0].content[0]")
    comparison = compared(before, after)
    assert comparison.kind == "same"
    assert comparison.change is comparison.changes[0]
    assert [(change.cause, change.path) for change in comparison.changes] == [
        ("markers", "messages[0].content[0].cache_control"),
        ("markers", "messages[2].content[2].cache_control"),
    ]
    assert "The content is the same" in comparison.change.evidence
    assert "within 20 blocks" in comparison.change.fix
    assert comparison.tokens.lost == 0


def test_p28_a_translator_drops_cache_points():
    def request(*, points):
        point = [{"cachePoint": {"type": "default"}}] * points
        return {
            "system": [{"text": "You work."}, {"cachePoint": {"type": "default"}}],
            "messages": [
                {"role": "user", "content": [{"text": "Hello"}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}, *point]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": "x"}]}}, *point]},
            ],
        }

    comparison = compared(request(points=1), request(points=0))
    assert (comparison.kind, comparison.format) == ("same", "bedrock")
    assert [(change.cause, change.path) for change in comparison.changes] == [
        ("markers", "messages[1].content[0]"),
        ("markers", "messages[2].content[0]"),
    ]
    assert "taken away" in comparison.change.evidence


def test_p28_markers_of_messages_in_chat_form():
    def request(**mark):
        return [
            {"role": "system", "content": [{"type": "text", "text": "You work.", "cache_control": MARK}]},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": [{"type": "text", "text": "Hi", **mark}]},
        ]

    comparison = compare(request(cache_control=MARK), request())
    assert comparison.kind == "same"
    assert comparison.change.path == "messages[2].content[0].cache_control"


def test_p28_a_marker_on_a_message_as_a_whole():
    def request(**mark):
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "Found", **mark},
        ]

    for before, after in ((request(cache_control=MARK), request()), (request(), request(cache_control=MARK))):
        comparison = compared(before, after)
        assert (comparison.kind, comparison.change.cause) == ("same", "markers")
        assert comparison.change.path == "messages[2].cache_control"


def test_a_string_that_becomes_a_block_with_a_marker_is_the_same():
    before = {"system": "You work.", "messages": [{"role": "user", "content": "Hello"}]}
    after = {
        "system": [{"type": "text", "text": "You work.", "cache_control": MARK}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": MARK}]}],
    }
    comparison = compared(before, after)
    assert comparison.kind == "same"
    assert [change.path for change in comparison.changes] == [
        "system[0].cache_control",
        "messages[0].content[0].cache_control",
    ]


# Thinking and history.


@pytest.mark.parametrize("name", FORMATS)
def test_p18_the_thinking_of_the_last_turn_is_dropped(name):
    before = body(name, "S,U,A(θ,a),Ta")
    after = body(name, "S,U,A(a),Ta")
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change.what, comparison.change.cause) == ("edit", "removed", "thinking removed")
    assert "I think" in json.dumps(at(before, comparison.change.path))
    assert "back as it came" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p19_omitted_reasoning_leaves_empty_tags(name):
    before = body(name, "S,U,A,U", A="<think>Let me see.</think>\nDone.")
    after = body(name, "S,U,A,U", A="<think></think>\nDone.")
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change.cause, comparison.change.offset) == ("edit", "edited history", 7)
    assert "append" in comparison.change.fix


IMAGES = {
    "openai-chat": lambda data: {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}},
    "openai-responses": lambda data: {"type": "input_image", "image_url": f"data:image/jpeg;base64,{data}"},
    "anthropic": lambda data: {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}},
    "gemini": lambda data: {"inlineData": {"mimeType": "image/jpeg", "data": data}},
    "bedrock": lambda data: {"image": {"format": "jpeg", "source": {"bytes": data.encode()}}},
}


@pytest.mark.parametrize("name", IMAGES)
def test_p21_another_image_makes_the_first_one_smaller(name):
    def request(sizes):
        value = body(name, "S,U,A,U")
        holder = next(m for m in messages(name, value) if m["role"] == "user")
        key = "parts" if name == "gemini" else "content"
        holder[key] = [IMAGES[name]("/9j/4AAQSkZJRg" + "A" * size) for size in sizes]
        return value

    comparison = compared(request(range(400, 406)), request([200, *range(401, 407)]))
    assert (comparison.kind, comparison.change.what, comparison.change.cause) == ("edit", "edited", "image")
    index = 1 if name == "openai-chat" else 0
    key = "parts" if name == "gemini" else "content"
    assert comparison.change.path.startswith(f"{LISTS[name]}[{index}].{key}[0]")
    assert "those bytes" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p22_white_space_trimmed_from_an_old_reply(name):
    before = body(name, "S,U,A,U,A,U", A="It is done. \n")
    after = body(name, "S,U,A,U,A,U", A="It is done.")
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change.cause, comparison.change.offset) == ("edit", "white space", 11)
    assert at(after, comparison.change.path) == "It is done."
    assert "byte for byte" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p26_the_summary_call_goes_out_without_system_and_tools(name):
    before = body(name, "S,U,A(a),Ta,A,U")
    after = body(name, "S,U,A(a),Ta,A,U,A,U")
    for key in ("tools", "toolConfig", "system", "instructions", "systemInstruction"):
        after.pop(key, None)
    if name in ("openai-chat", "langchain"):
        del after["messages"][0]
    comparison = compared(before, after)
    assert {change.cause for change in comparison.changes} == {"other prefix"}
    first = "system" if name == "gemini" else "tools"
    assert (comparison.kind, comparison.change.zone, comparison.change.cause) == ("edit", first, "other prefix")
    assert "without the tools and the system prompt" in comparison.change.evidence
    assert "with the tools, the system prompt" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p27_the_kept_tail_vanishes_after_compaction(name):
    before = body(name, "S,U,A(a),Ta,A(b),Tb,A,U", U="Summary of what was done")
    after = body(name, "S,U,A,U", U="Summary of what was done")
    for value in (before, after):
        value["model"] = "m"
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change.what, comparison.change.cause) == (
        "edit",
        "removed",
        "history rewritten",
    )
    gone = int(comparison.change.path.partition("[")[2].partition("]")[0])
    assert messages(name, before)[:gone] == messages(name, after)[:gone]
    assert "compact rarely" in comparison.change.fix


@pytest.mark.parametrize("name", FORMATS)
def test_p30_a_round_is_appended(name):
    before = body(name, "S,U,A(a),Ta")
    after = body(name, "S,U,A(a),Ta,A(b),Tb")
    comparison = compared(before, after)
    assert (comparison.kind, comparison.change, comparison.changes) == ("append", None, ())
    assert comparison.tokens.lost == 0
    assert comparison.tokens.kept > 0
    assert comparison.tokens.new > 0


@pytest.mark.parametrize("name", FORMATS)
def test_p32_the_same_text_composed_and_decomposed(name):
    text = "Un café à Kraków"
    before = body(name, "S,U,A,U", U=normalize("NFC", text))
    after = body(name, "S,U,A,U", U=normalize("NFD", text))
    change = compared(before, after).change
    assert (change.cause, change.offset, change.confidence) == ("normalisation", 6, "certain")
    assert "Normalise" in change.fix


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("old", "new"), [(1.0, 1), (1e5, 100000.0)])
def test_p33_a_number_serialised_anew(name, old, new):
    before, path = called(name, {"query": "x", "scale": old})
    after, _ = called(name, {"query": "x", "scale": new})
    if isinstance(at(before, path), str):
        put(before, path, '{"query": "x", "scale": %s}' % ("1.0" if new == 1 else "1e5"))
    comparison = compared(before, after)
    if json.dumps(at(before, path)) == json.dumps(at(after, path)):
        assert comparison.kind == "same"  # 1e5 and 100000.0 are one number, and so is what is sent of them
        return
    assert (comparison.change.cause, comparison.change.confidence) == ("number form", "certain")
    assert comparison.change.path.startswith(path)
    assert "written first" in comparison.change.fix

"""Ways in which real agents break their caches: the cause, and the sentence about it."""

import copy

import pytest

from ullage import compare

PROMPT = "You are a coding agent. Work step by step, and always explain what you change and why.\n"


def of_system(old, new):
    sides = [{"system": PROMPT + text, "messages": [{"role": "user", "content": "Go on."}]} for text in (old, new)]
    return compare(*sides).change


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("Il est 17h11.", "Il est 17h12.", "clock"),
        ("Es ist 17.11 Uhr.", "Es ist 17.12 Uhr.", "clock"),
        ("Time: 9:59", "Time: 10:00", "clock"),
        ("Now: 1764522671", "Now: 1764522731", "clock"),
        ("Today is Monday, November 30, 2026.", "Today is Tuesday, December 1, 2026.", "date"),
        ("request_id=9f8e7d6c5b4a3928", "request_id=17aabbccddeeff00", "identifier"),
        ("pid: 4711", "pid: 4712", "identifier"),
        ("You are on step 3 of 10.", "You are on step 4 of 10.", "counter"),
        ("Cost so far: $1.23", "Cost so far: $1.31", "counter"),
        ("Running for 12.3s so far", "Running for 114.9s so far", "counter"),
        ("Scratch: /tmp/tmpabcdefgh", "Scratch: /tmp/tmpqwert_yz", "random value"),
        ("The server is at http://localhost:49152/x", "The server is at http://localhost:50321/x", "random value"),
        ("The server is at 127.0.0.1:49152", "The server is at 127.0.0.1:50321", "random value"),
        ("Your sandbox is a1b2c3d4e5", "Your sandbox is z9y8x7w6v5", "random value"),
        ("The budget is 1,000.50 USD.", "The budget is 1.000,50 USD.", "number form"),
        ("The limit is 15 USD.", "The limit is 1.5 USD.", "other prefix"),
        ("Use \u2764 often", "Use \u2764\ufe0f often", "normalisation"),
        ("Use it often", "Use\u200b it often", "normalisation"),
        ("an of\ufb01ce", "an office", "normalisation"),
        ("a\nb\n", "a\r\nb\r\n", "white space"),
        ("", "\n", "white space"),
        ("<todo>\n[ ] write a test\n</todo>", "<todo>\n[x] write a test\n</todo>", "other prefix"),
        ("Working directory: /home/a/proj", "Working directory: /home/a/proj/src", "other prefix"),
        ("# Memory\n- likes tea\n", "# Memory\n- likes tea\n- lives in Bonn\n", "other prefix"),
        ("Use py311env here", "Use py312env here", "other prefix"),
        ("Use the model m-2024-05-13.", "Use the model m-2024-08-06.", "other prefix"),
    ],
)
def test_values_in_a_system_prompt(old, new, cause):
    change = of_system(old, new)
    assert (change.path, change.cause, change.confidence) == ("system", cause, "certain")


def test_a_value_and_more():
    change = of_system("Commits:\n9f8e7d6 Fix it\n", "Commits:\nab12cd3 Add a test\n9f8e7d6 Fix it\n")
    assert (change.cause, change.confidence) == ("identifier", "likely")


def body(schema=None, call=None, image=None):
    content = [{"type": "text", "text": "See."}, *([image] if image else [])]
    return {
        "tools": [{"name": "find", "description": "Find.", "input_schema": schema or {"type": "object"}}],
        "messages": [
            {"role": "user", "content": content},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "find", "input": call or {}}]},
        ],
    }


def test_a_list_made_from_a_set():
    schemas = [{"properties": {"by": {"enum": names}}} for names in (["day", "hour"], ["hour", "day"])]
    change = compare(*(body(schema) for schema in schemas)).change
    assert (change.path, change.cause) == ("tools[0].input_schema.properties.by.enum[0]", "key order")
    assert change.fix.startswith("Sort the list around tools[0]")
    schemas[1]["properties"]["by"]["enum"].append("week")
    change = compare(*(body(schema) for schema in schemas)).change
    assert change.cause == "tool set"
    assert change.fix.startswith("Make the definition of a tool once")


def test_null_and_absent():
    change = compare(body(call={"by": "day"}), body(call={"by": "day", "limit": None})).change
    assert (change.path, change.cause) == ("messages[1].content[0].input.limit", "edited history")
    assert change.evidence == "messages[1].content[0].input.limit is null in one request and absent in the other."


@pytest.mark.parametrize(
    ("key", "old", "new", "confidence", "evidence"),
    [
        ("url", "https://a/1.png?token=1&expires=2", "https://a/1.png?token=3&expires=4", "likely", "another query"),
        ("url", "https://a/1.png", "https://a/2.png", "certain", "another address"),
        ("url", "data:image/png;base64,AAAA", "data:image/png;base64,AAAB", "certain", "byte for byte"),
        ("detail", "low", "high", "certain", "which belongs to a file"),
    ],
)
def test_images(key, old, new, confidence, evidence):
    sides = [
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a/1", key: value}}]}]
        for value in (old, new)
    ]
    change = compare(*sides).change
    assert (change.cause, change.confidence) == ("image", confidence)
    assert evidence in change.evidence
    assert ("Give a file one address" in change.fix) == ("://" in old)


def test_blocks_in_another_order():
    old = body()
    old["messages"][0]["content"] = [{"type": "text", "text": text} for text in ("Tides rise.", "Boats sail.", "See.")]
    new = copy.deepcopy(old)
    new["messages"][0]["content"].reverse()
    change = compare(old, new).change
    assert (change.what, change.cause) == ("moved", "edited history")
    assert change.fix == (
        "Send messages[0].content[0] and what is around it in the order in which they were sent first."
    )


def test_a_setting_that_is_not_sent_any_more():
    change = compare({**body(), "thinking": {"type": "on", "budget": 1}}, {**body(), "thinking": {"type": "on"}}).change
    assert change.evidence == "thinking.budget was 1 and is not sent any more."


@pytest.mark.parametrize(
    ("key", "format", "items"),
    [
        ("input", "openai-responses", lambda *texts: [{"role": "user", "content": text} for text in texts]),
        ("contents", "gemini", lambda *texts: [{"role": "user", "parts": [{"text": text}]} for text in texts]),
    ],
)
def test_a_string_in_the_place_of_the_messages(key, format, items):
    def request(messages):
        return {"model": "m", "tools": [{"name": "find"}], key: messages}

    found = compare(request("It is 17:11."), request("It is 17:12."))
    assert (found.format, found.change.path, found.change.cause) == (format, key, "clock")
    assert compare(request("Hello"), request("Hello there")).change.path == key
    assert compare(request(items("It is 17:11.")), request("It is 17:12.")).change.cause == "clock"
    assert compare(request("Hello"), request(items("Hello"))).kind == "same"
    assert compare(request("Hello"), request(items("Hello", "And?"))).kind == "append"
    assert compare({key: "Hello"}, request(items("Hello", "And?"))).kind == "edit"  # by the tools and the model
    assert compare({key: "Hello"}, {key: items("Hello", "And?")}).kind == "append"
    assert compare(request(items("Hello", "And?")), request("Hello")).change.path == f"{key}[1]"
    assert compare({key: "a", "other": 1}, {key: "b", "other": 1}).format == "json"


def test_tools_are_not_used_up():
    tools = iter([{"name": "find"}])
    with pytest.raises(TypeError, match="tools must be a list: reading it would use it up, not list_iterator"):
        compare({"messages": [], "tools": tools}, {})
    assert list(tools) == [{"name": "find"}]


def test_equal_digests_are_no_proof(monkeypatch):
    def constant(value):
        return 1, 1

    for module in ("blocks", "messages"):
        monkeypatch.setattr(f"ullage.prefix.{module}.digests", constant)
    old = [{"role": "user", "content": text} for text in ("first", "Ask", "last")]
    for key, value in (("content", "Tell"), ("name", "ada")):
        new = copy.deepcopy(old)
        new[1][key] = value
        new[2]["content"] = "end"  # so that a pair with one digest stands between two that differ
        new[0]["content"] = "start"
        paths = [change.path for change in compare(old, new).changes]
        assert paths == ["messages[0].content", f"messages[1].{key}", "messages[2].content"]
    tools = [{"name": "find", "description": text} for text in ("one", "two")]
    found = compare({"tools": tools[:1], "messages": old}, {"tools": tools[1:], "messages": old})
    assert (found.kind, found.change.path) == ("edit", "tools[0].description")

"""Files of messages: what is recognised, and that it costs what ``History`` says."""

import json

import pytest

import ullage
from cli.requests_of import KEYS, TOOLS_OF, request
from fit.made import tokens_of
from formats.builder import FORMATS, build, parse
from ullage import Estimator, History
from ullage.cli.messages import BadMessagesError, sent
from ullage.request import Request

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA" + "A" * 4000
MESSAGES = [
    {"role": "system", "content": "Answer in Russian."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Что здесь?"}, {"type": "image_url", "image_url": {"url": PIXEL}}],
    },
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "Чай\u2028и мёд."},
]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
TEXTS = "Answer in Russian.Что здесь?look{}Чай\u2028и мёд."
TOOL_TEXT = json.dumps(TOOLS[0], separators=(",", ":"))


def lines(values):
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


CONVERSATION = {
    "a list": json.dumps(MESSAGES),
    "an indented list": json.dumps(MESSAGES, indent=2),
    "lines of messages": lines(MESSAGES),
    "lines with gaps": "\n\r\n" + lines(MESSAGES).replace("\n", "\r\n\r\n"),
    "a request": json.dumps({"model": "m", "messages": MESSAGES}),
    "an indented request": json.dumps({"messages": MESSAGES, "tools": []}, indent=2),
}


@pytest.mark.parametrize("text", CONVERSATION.values(), ids=CONVERSATION.keys())
@pytest.mark.parametrize("path", ["-", "x.json", "x.jsonl", "x.JSON"])
def test_a_conversation_costs_what_its_history_costs(path, text):
    result = sent(path, text, Estimator())
    assert (result.text, result.messages, result.tokens) == (TEXTS, 4, History(MESSAGES).total)


def test_a_request_costs_its_tools_too():
    result = sent("x.json", json.dumps({"messages": MESSAGES, "tools": TOOLS}), Estimator())
    assert (result.text, result.messages) == (TOOL_TEXT + TEXTS, 4)
    assert result.tokens == History(MESSAGES, tools=TOOLS).total


def test_lines_of_requests_are_sent_one_by_one():
    text = lines([{"messages": MESSAGES}, {"messages": MESSAGES[:1], "tools": TOOLS}])
    result = sent("x.jsonl", text, Estimator())
    assert (result.text, result.messages) == (TEXTS + TOOL_TEXT + "Answer in Russian.", 5)
    assert result.tokens == History(MESSAGES).total + History(MESSAGES[:1], tools=TOOLS).total


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("write", [json.dumps, lambda value: lines([value])], ids=["alone", "in lines"])
def test_a_request_of_every_format(name, write):
    value = request(name, "S,U,A(θ,a,b),Ta,Tb,A,U")
    messages = value[KEYS[name].messages]
    tools, system = TOOLS_OF[name], build(name, parse("S")).system
    result = sent("-", write(value), Estimator())
    assert (result.messages, result.tokens) == (len(messages), tokens_of(name, messages, system, tools))
    assert all(text in result.text for text in ("Be brief", "Do this", "I think", "Found a"))


@pytest.mark.parametrize("name", FORMATS)
def test_messages_of_every_format_without_a_request(name):
    messages = build(name, parse("U,A(θ,a,b),Ta,Tb,A,U")).messages
    for text in (json.dumps(messages), lines(messages)):
        result = sent("-", text, Estimator())
        assert (result.messages, result.tokens) == (len(messages), tokens_of(name, messages))


ONLY_TEXT = [{"role": "user", "content": "Привет"}, {"role": "assistant", "content": "Hi"}]


@pytest.mark.parametrize(
    ("around", "name"),
    [
        ({"messages": ONLY_TEXT}, "openai-chat"),
        ({"messages": ONLY_TEXT, "tools": TOOLS}, "openai-chat"),
        ({"messages": ONLY_TEXT, "system": "Answer."}, "anthropic"),
        ({"messages": ONLY_TEXT, "tools": TOOLS_OF["anthropic"]}, "anthropic"),
        ({"messages": MESSAGES, "system": "Answer."}, "openai-chat"),
        ({"input": ONLY_TEXT}, "openai-responses"),
        ({"input": [*ONLY_TEXT, {"type": "web_search", "id": "1"}]}, "openai-responses"),
        ({"contents": [{"parts": [{"text": "Привет"}]}], "config": {"system_instruction": "Answer."}}, "gemini"),
    ],
)
def test_what_stands_around_messages_tells_their_format_where_they_do_not(around, name):
    found = Request.of(around)
    assert found.format == name
    key = next(key for key in ("messages", "input", "contents") if key in around)
    system = "Answer." if found.system is not None else None
    assert sent("-", json.dumps(around), Estimator()).tokens == tokens_of(
        name, around[key], system, around.get("tools")
    )


@pytest.mark.parametrize(("key", "name"), [("input", "openai-responses"), ("contents", "gemini")])
def test_a_string_is_the_message_of_a_request(key, name):
    result = sent("x.json", json.dumps({"model": "m", key: "What is the tide?"}), Estimator())
    assert (result.text, result.messages) == ("What is the tide?", 1)
    assert result.tokens == Request.of({"model": "m", key: "What is the tide?"}, name).read().tokens(Estimator())
    assert sent("x.json", json.dumps({key: "What is the tide?", "output": "High."}), Estimator()) is None


def test_one_message():
    assert sent("x.json", json.dumps(MESSAGES[0]), Estimator()).tokens == History(MESSAGES[:1]).total


TEXT = {
    "another suffix": ("x.txt", json.dumps(MESSAGES)),
    "no messages": ("x.json", '{"messages": [], "role": 1}'),
    "a role of something else": ("x.json", '[{"role": "admin", "content": "x"}]'),
    "nothing said": ("x.json", '[{"role": "user", "email": "x"}]'),
    "messages and others": ("x.json", json.dumps([*MESSAGES, 1])),
    "lines of events": ("x.jsonl", lines([{"event": 1}, MESSAGES[0]])),
    "not JSON": ("x.json", 'the "role" of tea'),
    "inputs of something else": ("x.json", '{"role": "user", "input": [{"type": "stdin", "paths": ["a"]}]}'),
    "events": ("x.json", '[{"type": "message", "text": "tea"}, {"type": "ai", "score": 3}]'),
    "a role that is no text": ("x.json", '[{"role": ["user"], "content": "x"}]'),
    "too deep to parse": ("x.json", '{"role":' * 200_000),
    "null": ("x.json", "null"),
    "a name": ("x.json", '"role"'),
    "blank": ("x.jsonl", "\n \n"),
}


@pytest.mark.parametrize(("path", "text"), TEXT.values(), ids=TEXT.keys())
def test_everything_else_is_text(path, text):
    assert sent(path, text, Estimator()) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (lines([*MESSAGES, {"event": 1}]), "line 5 is not a message, as line 1 is"),
        ("\n" + lines(MESSAGES) + '{"role": "us', "line 6 is not a message, as line 2 is"),
        (
            lines([{"messages": MESSAGES}, MESSAGES[0]]),
            "line 2 is not a request with messages, as the lines above it are",
        ),
        ('[{"role": "user", "content": 7}]', "messages[0].content must be str or a list of parts, not int"),
        (
            lines([{"messages": MESSAGES}, {"messages": [{"role": "user", "content": {}}]}]),
            "line 2: messages[0].content must be str or a list of parts, not dict",
        ),
    ],
)
def test_what_begins_as_messages_and_is_not_is_reported(text, reason, count, tree):
    with pytest.raises(BadMessagesError) as caught:
        sent("x.jsonl", text, Estimator())
    assert str(caught.value) == reason
    tree({"x.jsonl": text, "a.txt": "tea"})
    result = count(".")
    assert (result.exit_code, result.stderr) == (1, f"ullage: x.jsonl: {reason}\n")
    assert "a.txt" in result.stdout


def test_rows_have_the_characters_that_are_sent_and_the_tokens_with_images_and_framing(count, tree):
    tree({"chat.jsonl": lines(MESSAGES), "a.txt": "tea"})
    rows = {row["path"]: row for row in count.json(".")["rows"]}
    assert rows["a.txt"]["messages"] == 0
    row = rows["chat.jsonl"]
    scripts = ullage.scripts(TEXTS)
    assert (row["characters"], row["other"], row["len4"]) == (len(TEXTS), scripts.other, len(TEXTS) // 4)
    assert (row["messages"], row["tokens"]) == (4, History(MESSAGES).total)
    assert count(".").stderr == "ullage: 4 messages are counted as what is sent, with framing, not as JSON\n"


def test_messages_by_the_profile_of_a_model(count, tree):
    tree({"chat.jsonl": lines(MESSAGES), "one.json": json.dumps(MESSAGES[:1])})
    estimator = Estimator.for_model("gpt-4o")
    rows = {row["path"]: row["tokens"] for row in count.json(".", "--model", "gpt-4o")["rows"]}
    assert rows == {
        "chat.jsonl": History(MESSAGES, estimator=estimator).total,
        "one.json": History(MESSAGES[:1], estimator=estimator).total,
    }
    note = count("one.json").stderr
    assert note == "ullage: 1 message is counted as what is sent, with framing, not as JSON\n"


def test_messages_from_stdin_by_script(count):
    report = count.json("-", "--by", "script", stdin=lines(MESSAGES[3:]))
    assert [(row["path"], row["messages"]) for row in report["rows"]] == [("Cyrillic", 1)]

"""What `compare` finds of edits whose place is known, and of requests that are hardly requests."""

import copy
import json
import random
import re

import pytest

from prefix.bodies import FORMATS, at, body, messages
from prefix.random_edits import CAUSES, EDITS, case, request
from ullage import History, compare
from ullage.errors import InvalidHistory, UnknownModel
from ullage.prefix.assembly import assemble
from ullage.prefix.sent import sent

TEXT = {"role": "user", "content": "Hello"}


def says(system, content="Hi"):
    return {"system": system, "messages": [{"role": "user", "content": content}]}


def check(seed):
    """Compare the two requests of a seed, and say where it is not what was done."""
    made = case(seed)
    before = copy.deepcopy((made.previous, made.next))
    found = compare(made.previous, made.next)
    assert (made.previous, made.next) == before, "an input was changed"
    assert found.kind == made.kind
    assert found.format == made.format
    if made.kind == "append":
        assert found.change is None
        return
    path = found.change.path
    inside = made.path.startswith((f"{path}.", f"{path}["))
    if made.edit == "reorder":
        assert path.startswith(made.path)
    elif made.edit in ("character", "white_space", "key_order"):
        assert path == made.path or inside, path
    else:
        assert path == made.path
    assert found.change.cause in CAUSES.get(made.edit, {found.change.cause})


@pytest.mark.parametrize("part", range(10))
def test_random_single_edits_are_found_where_they_were_made(part):
    for seed in range(200 * part, 200 * (part + 1)):
        try:
            check(seed)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {case(seed)}") from error


@pytest.mark.long
def test_ten_thousand_random_single_edits_are_found():
    for seed in range(10_000):
        check(seed)


@pytest.mark.parametrize("name", FORMATS)
def test_a_copy_is_the_same(name):
    value = body(name)
    found = compare(value, copy.deepcopy(value))
    assert (found.kind, found.change, found.changes, found.complete) == ("same", None, (), True)
    assert (found.tokens.lost, found.tokens.new) == (0, 0)


@pytest.mark.parametrize("name", FORMATS)
def test_the_tokens_are_those_of_a_history(name):
    value = body(name, "S,U,A(a),Ta,A,U")
    whole = History(messages(name, value), format=name)
    bare = compare(messages(name, value), copy.deepcopy(messages(name, value)), format=name)
    framing = History(format=name).total
    assert bare.tokens.kept == whole.total - framing
    assert compare([], messages(name, value), format=name).tokens == (0, 0, whole.total - framing)


def test_tokens_before_and_behind_a_change():
    before = says("a" * 400, "b" * 400)
    found = compare(before, says("a" * 200 + "c" + "a" * 199, "b" * 400))
    assert found.change.offset == 200
    assert found.tokens == (50, 154, 154)
    longer = {**before, "messages": [*before["messages"], {"role": "assistant", "content": "d" * 80}]}
    assert compare(before, longer).tokens == (204, 0, 24)
    assert compare(longer, before).tokens == (204, 24, 0)


def test_a_models_profile_estimates():
    before, after = says("You work. " * 50), says("You work! " * 50)
    assert compare(before, after, model="gpt-4o").tokens != compare(before, after).tokens
    with pytest.raises(UnknownModel):
        compare(before, after, model="no-such-model")


def test_a_block_that_comes_to_the_last_message_is_appended():
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * 40}
    before = [TEXT, {"role": "user", "content": [result]}]
    after = [
        TEXT,
        {"role": "user", "content": [result, {"type": "text", "text": "y" * 40}]},
        {"role": "assistant", "content": "Hi"},
    ]
    found = compare(before, after)
    assert (found.kind, found.change) == ("append", None)
    assert found.tokens.lost == 0
    assert found.tokens.new == 15
    assert compare([TEXT, *after[1:]], [{**TEXT, "content": "Hallo"}, *after[1:]]).kind == "edit"


def test_a_text_that_goes_on_is_an_edit_at_its_end():
    before = [TEXT, {"role": "assistant", "content": "It is"}]
    found = compare(before, [TEXT, {"role": "assistant", "content": "It is noon."}])
    assert (found.kind, found.change.path, found.change.offset) == ("edit", "messages[1].content", 5)
    assert found.change.cause == "edited history"
    assert "goes on behind its end" in found.change.evidence
    assert "a block or message of its own" in found.change.fix


def test_the_end_of_a_history_that_is_gone_is_an_edit():
    history = [TEXT, {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Go on"}]
    found = compare(history, history[:1])
    assert (found.kind, found.change.what, found.change.path) == ("edit", "removed", "messages[1]")
    assert "2 messages from messages[1] on are not sent any more" in found.change.evidence
    assert found.tokens.new == 0


def test_an_insertion_is_one_change():
    history = [{"role": "user", "content": f"message {index}"} for index in range(50)]
    note = {"role": "user", "content": "a note"}
    found = compare(history, [*history[:7], note, *history[7:], note])
    assert [(change.what, change.path) for change in found.changes] == [("inserted", "messages[7]")]
    assert found.change.cause == "history rewritten"


def test_a_summary_in_the_place_of_a_history_rewrites_it():
    roles = ("user", "assistant")
    history = [
        {"role": role, "content": f"{role} {index} speaks of {7 * index}"} for index in range(9) for role in roles
    ]
    system = {"role": "system", "content": "You work."}
    summary = {"role": "user", "content": "Summary: they spoke of nine things."}
    for kept in (0, 4):
        found = compare([system, *history], [system, summary, *history[18 - kept :], TEXT])
        assert (found.change.what, found.change.path, found.change.cause) == (
            "removed",
            "messages[1]",
            "history rewritten",
        )
        assert f"{18 - kept} messages from messages[1] on are not sent any more" in found.change.evidence


def test_another_conversation_is_another_prefix():
    found = compare(says("You work.", "What is 2 + 2?"), says("You work.", "Name a capital city in Europe"))
    assert (found.change.cause, found.change.path) == ("other prefix", "messages[0].content")
    assert found.tokens.kept == 3


def test_what_moved_is_told_from_what_came_and_left():
    history = [{"role": "user", "content": f"message {index}"} for index in range(9)]
    found = compare(history, [*history[:2], *history[3:7], history[2], *history[7:]])
    assert [(change.what, change.path, change.cause) for change in found.changes] == [
        ("moved", "messages[2]", "history rewritten")
    ]
    swapped = [*history[:2], history[7], *history[3:7], history[2], history[8]]
    assert [(change.what, change.path) for change in compare(history, swapped).changes] == [
        ("moved", "messages[2]"),
        ("moved", "messages[2]"),
    ]


def test_all_changes_are_listed_up_to_a_limit():
    history = [{"role": "user", "content": f"message {index}"} for index in range(30)]
    after = [
        {"role": "user", "content": f"massage {index}" if index % 2 else f"message {index}"} for index in range(30)
    ]
    found = compare(history, after)
    assert [change.path for change in found.changes] == [f"messages[{index}].content" for index in range(1, 30, 2)]
    assert found.complete
    few = compare(history, after, limit=3)
    assert few.changes == found.changes[:3]
    assert few.change == found.change
    assert not few.complete
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        compare(history, after, limit=0)


def test_the_content_decides_over_markers_before_it():
    marked = {"type": "text", "text": "You work.", "cache_control": {"type": "ephemeral"}}
    found = compare(says([marked]), says("You work.", "Ho"))
    assert [change.cause for change in found.changes] == ["markers", "edited history"]
    assert found.kind == "edit"
    assert found.change is found.changes[1]
    alone = compare(says([marked]), says("You work.", "Ho"), limit=1)
    assert [change.cause for change in alone.changes] == ["markers"]
    assert alone.change == found.change


def test_a_marker_that_moves_on_with_the_end_is_an_append():
    def text(words, **mark):
        return [{"type": "text", "text": words, **mark}]

    mark = {"cache_control": {"type": "ephemeral"}}
    before = [{"role": "user", "content": text("Hello", **mark)}]
    after = [
        {"role": "user", "content": text("Hello")},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": text("Go on", **mark)},
    ]
    found = compare(before, after)
    assert (found.kind, found.change) == ("append", None)
    assert found.tokens.lost == 0
    left = compare(before, [*after[:2], {"role": "user", "content": text("Go on")}])
    assert (left.kind, left.change.cause) == ("append", "markers")
    assert left.change.path == "messages[0].content[0].cache_control"


def test_the_model_of_the_request_estimates():
    words = says("You keep the log of a harbour, in JSON. " * 20)
    own, other = ({"model": name} | words for name in ("claude-opus-4-8", "a model without a profile"))
    assert compare(own, own).tokens == compare(words, words, model="claude-opus-4-8").tokens
    assert compare(own, own, model="gpt-4o").tokens == compare(words, words, model="gpt-4o").tokens
    assert compare(other, other).tokens == compare(words, words).tokens
    assert compare(own, own).tokens.kept > compare(words, words).tokens.kept


def test_the_life_of_a_marker():
    def request(ttl):
        return says([{"type": "text", "text": "You work.", "cache_control": {"type": "ephemeral", "ttl": ttl}}])

    change = compare(request("5m"), request("1h")).change
    assert change.evidence.endswith("was for 300 seconds and is for 3600.")


@pytest.mark.parametrize(
    ("key", "old", "new", "kept"),
    [
        ("model", "claude-opus-4-8", "claude-sonnet-5", "nothing"),
        ("tool_choice", {"type": "auto"}, {"type": "any"}, "system"),
        ("thinking", {"type": "adaptive"}, None, "system"),
        ("thinking", None, {"type": "adaptive"}, "system"),
    ],
)
def test_a_setting_that_is_a_part_of_the_prompt(key, old, new, kept):
    before, after = ({**says("You work. " * 40), key: value} for value in (old, new))
    found = compare(*({name: value for name, value in side.items() if value is not None} for side in (before, after)))
    assert (found.kind, found.change.cause, found.change.confidence) == ("edit", "settings", "certain")
    assert found.change.path == (f"{key}.type" if key == "tool_choice" else key)
    assert found.tokens.kept == (0 if kept == "nothing" else 100)
    assert f"Keep {found.change.path} the same" in found.change.fix


def test_a_setting_that_steers_sampling_is_no_change():
    assert compare({**says("x"), "temperature": 0.1}, {**says("x"), "temperature": 0.7, "max_tokens": 9}).kind == "same"


def test_the_order_of_the_body_is_none_of_the_prompts():
    value = says("x")
    assert compare(value, dict(reversed(value.items()))).kind == "same"


NOT_TICKING = [
    ("Be helpful and brief.", "Be terse and brief."),
    ("Use version 1.2.3 of it.", "Use version 1.2.4 of it."),
    ("Use Python 3.11.", "Use Python 3.12."),
    ("Work in /home/me/run12/out.", "Work in /home/me/run13/out."),
    ("Work in /srv/app-2024/data.", "Work in /srv/app-2025/data."),
    ("Answer in 3 sentences.", "Answer in 5 sentences."),
    ("See issue #1234.", "See issue #1235."),
    ("The branch is fix-20.", "The branch is fix-21."),
    ("You may 10 times ask.", "You may 11 times ask."),
    ("You are gpt-4o-2024-05-13.", "You are gpt-4o-2024-08-06."),
    ("It costs $1.50.", "It costs $1.60."),
    ("Listen on port 8080.", "Listen on port 8081."),
    ("Connect to 10.0.0.1.", "Connect to 10.0.0.2."),
    ("We close at 17:30. Rule A.", "We close at 17:30. Rule B."),
    ("", "You work."),
]


@pytest.mark.parametrize(("old", "new"), NOT_TICKING)
def test_what_does_not_tick_is_another_wording(old, new):
    change = compare(says(old), says(new)).change
    assert change.cause == "other prefix"
    said = compare(
        [TEXT, {"role": "user", "content": f"{old} Please."}], [TEXT, {"role": "user", "content": f"{new} Please."}]
    )
    assert said.change.cause == "edited history"


TICKING = [
    ("Today is Monday.", "Today is Tuesday.", "date", "certain"),
    ("Log: session-2026-11-29.txt", "Log: session-2026-11-30.txt", "date", "certain"),
    ("At 23:59:59 you work.", "At 00:00:01 you work.", "clock", "certain"),
    ("At 17:11 you work.", "At 17:12 you rest.", "clock", "likely"),
    ("2026-11-29T23:59:59Z", "2026-11-30T00:00:00Z", "clock", "certain"),
    ("At commit 3f2b8c1.", "At commit a91c0d5.", "identifier", "certain"),
    ("session: 8fQz1LmP0aKs9dWx", "session: 2bVc7NnR4tYu6jHg", "identifier", "certain"),
    ("nonce=1234abcd", "nonce=99aa88bb", "random value", "likely"),
    ("Step 9 of 10", "Step 10 of 10", "counter", "certain"),
    ('{"message_id": 4711}', '{"message_id": 4712}', "identifier", "certain"),
    ("requestId=abc-17; go", "requestId=abd-18; go", "identifier", "certain"),
    ("The valid: yes", "The valid: not", "other prefix", "certain"),
    ("cch=abcde;", "cch=12f4a;", "random value", "certain"),
    ("mode=abcde;", "mode=other;", "other prefix", "certain"),
    ("v=2.1.fbe; cch=a112b;", "v=2.1.0d9; cch=fae84;", "random value", "likely"),
    (
        "Shelf 12 is open and lit. Nobody reads there by night, whatever they say. Used tokens: 4120",
        "Shelf 14 is open and lit. Nobody reads there by night, whatever they say. Used tokens: 4890",
        "counter",
        "likely",
    ),
    (
        "Shelf 12 is open and lit. Nobody reads there by night, whatever they say. Used tokens: 4120",
        "Shelf 14 is open and lit. Nobody reads there by night, whatever they say. Used tokens: 4120",
        "other prefix",
        "certain",
    ),
]


@pytest.mark.parametrize(("old", "new", "cause", "confidence"), TICKING)
def test_what_ticks(old, new, cause, confidence):
    change = compare(says(old), says(new)).change
    assert (change.cause, change.confidence) == (cause, confidence)


SAME_SAID = [
    ("a  b", "a b", "white space"),
    ("a\r\nb", "a\nb", "white space"),
    ('{"a": 1}', '{"a":1}', "white space"),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', "key order"),
    ('Found: {"a": 1, "b": {"c": 1, "d": 2}}.', 'Found: {"a": 1, "b": {"d": 2, "c": 1}}.', "key order"),
    ('{"a": "é"}', '{"a": "\\u00e9"}', "escape form"),
    ('{"a": "😀/"}', '{"a": "\\ud83d\\ude00\\/"}', "escape form"),
    ('{"a": 1.0, "b": 1e5}', '{"a": 1, "b": 100000.0}', "number form"),
    ("It costs 1.50.", "It costs 1.5.", "number form"),
    ("é", "e\u0301", "normalisation"),
    ('{"a": 1, "b": "é"}', '{"b":"\\u00e9","a":1.0}', "key order"),
    ('[{"x": "{\\"a\\": 1, \\"b\\": 2}"}]', '[{"x": "{\\"b\\": 2, \\"a\\": 1}"}]', "key order"),
]


@pytest.mark.parametrize(("old", "new", "cause"), SAME_SAID)
def test_the_same_in_another_form(old, new, cause):
    assert compare(says(old), says(new)).change.cause == cause
    assert compare(says(new), says(old)).change.cause == cause


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"a": 1, "b": 2}', '{"b": 3, "a": 1}'),
        ('{"a": 1}', '{"a": 1.5}'),
        ('{"a": true}', '{"a": 1}'),
        ('{"a": "1"}', '{"a": 1}'),
        ('{"a": 1e999, "b": 2}', '{"b": 2, "a": 2e999}'),
        ("12345678901234567890.5", "12345678901234567890.25"),
        ("[1, 2]", "[2, 1]"),
        ("9007199254740993", "9007199254740992"),
        ('"\\\\u00e9"', '"\\u00e9"'),
    ],
)
def test_what_says_something_else_is_no_other_form(old, new):
    assert (
        compare([TEXT, {"role": "user", "content": old}], [TEXT, {"role": "user", "content": new}]).change.cause
        == "edited history"
    )


@pytest.mark.parametrize(
    ("old", "new", "path", "cause"),
    [
        ({"a": {"b": 1, "c": 2}, "d": []}, {"a": {"c": 2, "b": 1}, "d": []}, "a", "key order"),
        ({"a": [1, 2, {"b": "x"}]}, {"a": [1, 2, {"b": "y"}]}, "a[2].b", "edited history"),
        ("It is 17:11.", "It is 17:12.", "$", "clock"),
        ([1, 2, 3], [1, 3], "[1]", "edited history"),
        ({"n": 1}, {"n": 1.0}, "n", "number form"),
        ({"n": 1}, {"n": True}, "n", "edited history"),
        (None, [], "$", "edited history"),
    ],
)
def test_any_values_are_compared(old, new, path, cause):
    found = compare(old, new)
    assert (found.format, found.kind, found.change.path, found.change.cause) == ("json", "edit", path, cause)


def test_any_values_that_only_grow():
    assert compare([1, {"a": 2}], [1, {"a": 2}, 3]).kind == "append"
    assert compare({"messages": "none", "x": [1]}, {"messages": "none", "x": [1]}).kind == "same"


@pytest.mark.parametrize("name", FORMATS)
def test_the_first_request_of_a_session_is_appended_to(name):
    value = messages(name, body(name))
    assert compare([], value).kind == "append"
    assert compare(value, []).kind == "edit"
    assert compare([], []).kind == "same"


def test_formats_that_are_mixed():
    chat, anthropic = body("openai-chat"), body("anthropic")
    found = compare(chat, anthropic)
    assert (found.kind, found.format) == ("edit", "anthropic")
    gemini = compare(chat, body("gemini"))
    assert gemini.kind == "edit"
    assert compare(chat, 17).kind == "edit"
    assert compare(None, chat).format == "json"


def test_a_request_of_plain_messages_is_read_as_its_successor():
    before = [TEXT]
    after = [TEXT, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]
    found = compare(before, after)
    assert (found.kind, found.format) == ("append", "anthropic")


@pytest.mark.parametrize(
    "odd",
    [
        None,
        17,
        "text",
        {},
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "user", "content": 17},
        {"role": "user", "content": [None, 17, "x", []]},
        {"role": 5, "content": {"a": 1}},
        {"role": {"a": 1}, "content": [{"type": {"a": 1}, "text": "x"}]},
        {"role": ["user"], "content": [{"type": ["text"], "text": "x"}], "type": []},
        {"role": "assistant", "content": "", "tool_calls": "none"},
        {"role": "assistant", "content": [{"type": 5, "cache_control": 7}]},
    ],
)
@pytest.mark.parametrize("name", FORMATS)
def test_odd_messages_are_compared_all_the_same(name, odd):
    value = [*messages(name, body(name)), odd, copy.deepcopy(messages(name, body(name))[0])]
    assert compare(value, copy.deepcopy(value), format=name).kind == "same"
    changed = copy.deepcopy(value)
    changed[-2] = {"role": "user", "content": "another"}
    found = compare(value, changed, format=name)
    assert found.kind == "edit"
    assert found.change.path.split("[")[1].startswith(f"{len(value) - 2}]")
    assert found.tokens.kept > 0
    json.dumps(found.to_dict())
    assert compare(value[:-1], value, format=name).kind == "append"
    assert compare([odd], [odd, TEXT], format=name).kind == "append"
    assert compare({"messages": [odd]}, {"messages": [odd]}).kind == "same"


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_values_that_nest_deep():
    def request(depth):
        return [
            TEXT,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": nested(depth)}]},
        ]

    assert compare(request(200), request(200)).kind == "same"
    assert compare(request(200), request(199)).change.path.startswith("messages[1].content[0].input[0]")
    with pytest.raises(InvalidHistory, match="256"):
        compare(request(300), request(300))
    with pytest.raises(InvalidHistory, match="256"):
        compare(request(200), request(300))


def test_values_that_hold_themselves():
    loop = {"role": "user", "content": []}
    loop["content"].append({"type": "x", "own": loop})
    other = {"role": "user", "content": []}
    other["content"].append({"type": "x", "own": other})
    with pytest.raises(InvalidHistory, match="256"):
        compare([TEXT, loop], [TEXT, other])


def test_the_order_of_a_messages_own_fields_may_not_matter():
    change = compare([TEXT], [dict(reversed(TEXT.items()))]).change
    assert (change.cause, change.confidence, change.path) == ("key order", "possible", "messages[0]")
    text = {"type": "text", "text": "Hello"}
    blocks = [{"role": "user", "content": [value]} for value in (text, dict(reversed(text.items())))]
    change = compare(*([block] for block in blocks)).change
    assert (change.cause, change.confidence, change.path) == ("key order", "possible", "messages[0].content[0]")
    assert compare([TEXT], [blocks[1]]).kind == "same"


def test_null_is_as_good_as_absent():
    before = [TEXT, {"role": "assistant", "content": "Hi"}]
    after = [TEXT, {"role": "assistant", "content": "Hi", "refusal": None, "tool_calls": None}]
    assert compare(before, after).kind == "same"


def test_a_tool_without_a_name_is_named_by_its_type():
    def request(*types):
        return {**says("x"), "tools": [{"type": form} for form in types]}

    change = compare(request("web_search", "code_execution"), request("code_execution")).change
    assert (change.what, change.cause, change.path) == ("removed", "tool set", "tools[0]")
    assert "web_search" in change.evidence


def test_all_tools_that_leave_alone_are_a_tool_set():
    value = {**says("x"), "tools": [{"name": "a", "input_schema": {}}]}
    change = compare(value, says("x")).change
    assert (change.zone, change.cause) == ("tools", "tool set")


def test_the_second_part_of_a_result_is_one_too():
    def request(second):
        parts = [{"type": "text", "text": "first"}, {"type": "text", "text": second}]
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return [
            TEXT,
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": parts},
        ]

    change = compare(request("long " * 50), request("[removed]")).change
    assert (change.cause, change.path) == ("cleared result", "messages[2].content[1].text")


@pytest.mark.parametrize(
    ("new", "cause", "confidence"),
    [
        ("line 1\nline 2\n[198 lines truncated]", "cleared result", "certain"),
        ("", "cleared result", "likely"),
        ("line 1\nline 2\n", "cleared result", "likely"),
        ("".join(f"line {n}\n" for n in range(1, 150)), "edited history", "certain"),
        ("".join(f"line {n}\n" for n in range(1, 201)).replace("line 77", "none"), "edited history", "certain"),
        ("".join(f"line {n}\n" for n in range(1, 202)), "edited history", "certain"),
    ],
)
def test_a_result_that_shrank(new, cause, confidence):
    def request(text):
        return [TEXT, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]}, TEXT]

    change = compare(request("".join(f"line {n}\n" for n in range(1, 201))), request(new)).change
    assert (change.cause, change.confidence) == (cause, confidence)


@pytest.mark.parametrize(
    ("block", "path", "old", "new", "cause"),
    [
        ({"type": "document", "source": {"type": "text", "data": ""}}, "source.data", "At 17:11", "At 17:12", "clock"),
        (
            {"type": "document", "source": {"type": "base64", "data": ""}},
            "source.data",
            "JVBERi0xLjQ",
            "JVBERi0xLjU",
            "image",
        ),
        (
            {"type": "tool_use", "id": "t", "name": "f", "input": {"source": ""}},
            "input.source",
            "a b",
            "a c",
            "edited history",
        ),
        ({"type": "image", "source": {"type": "url", "url": ""}}, "source.url", "https://a/1", "https://a/2", "image"),
    ],
)
def test_a_file_is_told_from_a_text(block, path, old, new, cause):
    def request(text):
        made = copy.deepcopy(block)
        outer, inner = path.split(".")
        made[outer][inner] = text
        return [TEXT, {"role": "user", "content": [made]}]

    change = compare(request(old), request(new)).change
    assert (change.cause, change.path) == (cause, f"messages[1].content[0].{path}")


def test_objects_of_langchain():
    core = pytest.importorskip("langchain_core.messages")
    before = [core.SystemMessage("It is 17:11."), core.HumanMessage("Hello", id="1"), core.AIMessage("Hi", id="2")]
    again = [core.SystemMessage("It is 17:11."), core.HumanMessage("Hello", id="3"), core.AIMessage("Hi", id="4")]
    assert compare(before, again).kind == "same"
    assert compare(before, [*again, core.HumanMessage("Go on")]).kind == "append"
    found = compare(before, [core.SystemMessage("It is 17:12."), *again[1:]])
    assert (found.format, found.change.path, found.change.cause) == ("langchain", "messages[0].content", "clock")
    assert found.tokens.lost > 0


def test_objects_of_pydantic_ai():
    types = pytest.importorskip("pydantic_ai.messages")

    def history(*texts):
        return [types.ModelRequest(parts=[types.UserPromptPart(content=text)]) for text in texts]

    assert compare(history("a", "b"), history("a", "b")).kind == "same"
    assert compare(history("a", "b"), history("a", "b", "c")).kind == "append"
    found = compare(history("a", "b"), history("a", "c"))
    assert (found.format, found.change.path) == ("pydantic-ai", "messages[1].parts[0].content")


def test_objects_of_anthropic_beside_dicts():
    types = pytest.importorskip("anthropic.types")
    native = [
        types.TextBlock(type="text", text="Hi"),
        types.ToolUseBlock(type="tool_use", id="t", name="f", input={"a": 1}),
    ]
    plain = [{"type": "text", "text": "Hi"}, {"id": "t", "input": {"a": 1}, "name": "f", "type": "tool_use"}]
    before, after = ([TEXT, {"role": "assistant", "content": content}] for content in (native, plain))
    assert compare(before, after, format="anthropic").kind == "same"
    after[1]["content"][1]["input"] = {"a": 2}
    found = compare(before, after)
    assert (found.format, found.change.path) == ("anthropic", "messages[1].content[1].input.a")


def test_values_that_json_has_not_are_named():
    odd = {"role": "user", "content": [{"x": {1, 2}}]}
    with pytest.raises(TypeError, match=r"^messages\[1\]\.content\[0\]\.x must be"):
        compare([TEXT, odd], [TEXT, copy.deepcopy(odd)])
    with pytest.raises(TypeError, match=r"^messages\[1\]\.content\[0\]\.x must be"):
        compare([TEXT, TEXT], [{"role": "user", "content": "changed"}, odd])
    with pytest.raises(TypeError, match=r"^tools\[0\]\.x must be"):
        compare({"messages": [TEXT], "tools": [{"x": {1}}]}, {"messages": [TEXT], "tools": [{"x": {1}}]})
    with pytest.raises(TypeError, match="tools must be"):
        compare({"messages": [TEXT], "tools": 5}, {"messages": [TEXT], "tools": 5})
    with pytest.raises(ValueError, match="'claude'"):
        compare([TEXT], [TEXT], format="claude")


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ({1: "a"}, {1: "b"}, "[1]"),
        ({None: 1}, {None: 2}, "[None]"),
        ({(1, 2): 1}, {(1, 2): 2}, "[(1, 2)]"),
        ({"x": 10**6000}, {"x": 10**6000 + 1}, "x"),
        ({"x": 2**63}, {"x": 2**64}, "x"),
        ({"x": float("inf")}, {"x": float("-inf")}, "x"),
        ({"x": "\ud800"}, {"x": "\ud801"}, "x"),
        ({"x": "\0a"}, {"x": "\0b"}, "x"),
        ({"x": b"a"}, {"x": b"b"}, "x"),
        ({"x": '{"a":' * 900 + "1" + "}" * 900}, {"x": '{"a":' * 900 + "2" + "}" * 900}, "x"),
        ({"x": "[" * 100_000}, {"x": "[" * 100_001}, "x"),
        ({"x": "1" * 5000}, {"x": "1" * 4999 + "2"}, "x"),
        ({"x": "1e999999 "}, {"x": "2e999999 "}, "x"),
    ],
)
def test_hostile_values(old, new, path):
    found = compare(old, new)
    assert (found.kind, found.change.path) == ("edit", path)
    assert found.change.cause in ("edited history", "image")
    assert compare(old, copy.deepcopy(old)).kind == "same"
    json.dumps(found.to_dict())
    str(found)


def test_a_nan_is_itself():
    assert compare({"x": float("nan")}, {"x": float("nan")}).kind == "same"


def test_subclasses_are_what_they_extend():
    class Dict(dict):
        pass

    class Text(str):
        __slots__ = ()

    assert compare([Dict(TEXT)], [TEXT, TEXT]).kind == "append"
    assert compare([{"role": "user", "content": Text("Hello")}], [TEXT]).kind == "same"


def test_what_is_mostly_messages_is_a_request():
    def request(temperature):
        return {"messages": [TEXT, {"role": "assistant"}, TEXT], "temperature": temperature}

    assert compare(request(0.1), request(0.2)).kind == "same"
    assert compare(request(0.1), request(0.2)).format == "openai-chat"
    assert compare({"messages": [TEXT, 5, None]}, {"messages": [TEXT, 5, None, 6]}).format == "json"


def flat(assembly):
    """Every block of a request as it counts, in order: what an append must begin with."""
    return [(block.zone == "settings" and block.path, block.frame, sent(block.value)) for block in assembly.blocks]


@pytest.mark.parametrize("part", range(5))
def test_several_random_edits_beside_a_plain_walk(part):
    made = {name: edit for name, edit in EDITS.items() if name not in ("key_order", "number_form", "marker")}
    for seed in range(100 * part, 100 * part + 100):
        rng = random.Random(seed)
        name = rng.choice(FORMATS)
        previous = request(rng, name)
        following = copy.deepcopy(previous)
        for _ in range(rng.randint(0, 3)):
            made[rng.choice([*made])](rng, name, following)
        found = compare(previous, following, limit=1000)
        assemblies = assemble(previous), assemble(following)
        before, after = map(flat, assemblies)
        same = next((index for index, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
        expected = "same" if before == after else "append" if before == after[: len(before)] else "edit"
        assert found.kind == expected, seed
        if expected == "edit":
            # The first change is at the first block that differs, in one of the two requests, or at its message.
            index = min(len(before), len(after)) if same is None else same
            blocks = [side.blocks[index] for side in assemblies if index < len(side.blocks)]
            places = [b.path if b.frame is None else re.match(r"\w+\[\d+\]", b.path)[0] for b in blocks]
            path = found.change.path
            assert any(path.startswith(place) or place.startswith(path) for place in places), (seed, path, places)
            assert found.complete


def test_a_comparison_for_a_reader_and_for_a_machine():
    before = says("It is 17:11. Be brief.")
    after = {**says("It is 17:12. Be brief."), "messages": [TEXT]}
    found = compare(before, after)
    assert str(found) == "\n".join(
        [
            "edit: 3 tokens kept, 8 lost, 9 new",
            "edited system, character 10: clock (certain)",
            "  was: 'It is 17:11. Be brief.'",
            "  now: 'It is 17:12. Be brief.'",
            "  17:11 became 17:12.",
            "  Take the clock out of system (character 10), and tell the time in the newest message of the user.",
            "also:",
            "  edited messages[0].content, character 1: edited history (certain)",
        ]
    )
    told = json.loads(json.dumps(found.to_dict()))
    assert set(told) == {"kind", "format", "tokens", "change", "changes", "complete"}
    assert told["tokens"] == {"kept": 3, "lost": 8, "new": 9}
    assert told["change"] == told["changes"][0]
    assert told["change"]["offset"] == 10
    assert str(compare(before, before)) == "same: 11 tokens kept, 0 lost, 0 new"


def test_what_ticks_far_inside_of_a_text():
    old, new = ("😀 rule\n" * 5000 + f"It is {time}." + " more" * 5000 for time in ("17:11", "17:12"))
    change = compare(says(old), says(new)).change
    assert (change.cause, change.offset) == ("clock", 5000 * 7 + 10)
    assert old[change.offset] == "1"
    assert new[change.offset] == "2"


def test_a_long_text_is_shown_around_its_change():
    text = "word " * 10_000
    changed = text[:25_000] + "W" + text[25_001:]
    change = compare(says(text), says(changed)).change
    assert change.offset == 25_000
    assert len(change.old) <= 72
    assert "W" in change.new
    assert at(says(changed), change.path)[change.offset] == "W"


def test_a_tool_that_keeps_its_index_is_not_said_to_leave_it():
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("read", "write", "exec")]
    body = {"system": "Be brief.", "tools": tools, "messages": [{"role": "user", "content": "Hello"}]}
    changes = compare(body, body | {"tools": tools[::-1]}).changes
    assert [change.evidence for change in changes] == [
        "The tool read was tools[0] and is tools[2]; it is the same tool.",
        "The tool write has other tools before it at tools[1]; it is the same tool.",
    ]


def test_a_cleared_result_is_measured_without_its_id():
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "line\n" * 100}
    call = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
    messages = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    cleared = [*messages[:2], {"role": "user", "content": [result | {"content": "[cleared]"}]}]
    change = compare(messages, cleared).change
    assert change.cause == "cleared result"
    assert change.evidence == "The result at messages[2].content[0].content had 500 characters and has 9."

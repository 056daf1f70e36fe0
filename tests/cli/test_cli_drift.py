"""What ``ullage drift`` prints, warns of and draws."""

import json

import pytest

from cli.requests_of import request
from formats.builder import FORMATS, build, parse
from ullage import drift as drift_of

TEXTS = {"S": "i" * 4_000, "Ta": "r" * 8_000, "Tb": "r" * 40_000}
LINE = "S,U,A(a),Ta,A(b),Tb"
CHAT = build("openai-chat", parse(LINE, **TEXTS)).messages


def table(result):
    return [line.split() for line in result.stdout.splitlines()]


def test_a_session_is_walked_through(drift):
    result = drift("-", stdin=json.dumps(CHAT))
    head, *rows = table(result)
    assert head == ["step", "messages", "tokens", "instructions", "history", "results", "rest", "shares"]
    assert [row[:2] for row in rows] == [["1", "2"], ["2", "4"], ["3", "6"]]
    assert [row[3] for row in rows] == ["99%", "33%", "8%"]
    assert rows[1][-1] == "I" * 7 + "R" * 13
    assert result.exit_code == 0
    assert "below 10% of what is sent in 1 of 3 steps: 7.7% in step 3, 7.7% at worst" in result.stderr


def test_the_exit_code_says_whether_what_was_asked_for_holds(drift):
    assert drift("-", "--below", 0.05, stdin=json.dumps(CHAT)).exit_code == 0
    assert drift("-", "--below", 0.05, stdin=json.dumps(CHAT)).stderr == ""
    result = drift("-", "--below", 0.4, stdin=json.dumps(CHAT))
    assert result.exit_code == 3
    assert "below 40% of what is sent in 2 of 3 steps" in result.stderr
    assert drift("-", "--below", 1.5, stdin=json.dumps(CHAT)).exit_code == 2


@pytest.mark.parametrize("name", FORMATS)
def test_json_has_what_the_library_gives(name, drift):
    value = request(name, LINE, **TEXTS)
    found = drift.json("-", "--window", 20_000, stdin=json.dumps(value))
    built = build(name, parse(LINE, **TEXTS))
    tools = value["toolConfig"]["tools"] if name == "bedrock" else value["tools"]
    expected = drift_of(built.messages, system=built.system, tools=tools, format=name)
    assert found["steps"] == [
        {"line": 1, "step": number, **step._asdict(), "total": step.total}
        for number, step in enumerate(expected.steps, 1)
    ]
    assert (found["path"], found["model"], found["window"], found["below"]) == ("-", None, 20_000, 0.1)
    assert found["low"] == [number + 1 for number in expected.below(0.1)] == [3]


def test_lines_that_go_on_are_a_step_each(drift):
    other = build("openai-chat", parse("S,U,A,U", U="Another one")).messages
    lines = "".join(json.dumps({"messages": messages}) + "\n" for messages in (CHAT[:2], CHAT[:4], CHAT, other))
    head, *rows = table(drift("-", "--window", 10_000, stdin=lines))
    assert head[:5] == ["line", "step", "messages", "tokens", "window"]
    assert [row[:3] for row in rows] == [
        *(["1", "1", "2"], ["2", "2", "4"], ["3", "3", "6"]),
        *(["4", "4", "2"], ["4", "5", "4"]),
    ]
    assert rows[2][4] == "130%"


def test_lines_go_on_where_only_cache_markers_move(drift):
    def said(role, text, **marker):
        return {"role": role, "content": [{"type": "text", "text": text, **marker}]}

    marker = {"cache_control": {"type": "ephemeral"}}
    first = {"system": "Be brief.", "messages": [said("user", "Hello", **marker)]}
    after = [said("user", "Hello"), said("assistant", "Hello."), said("user", "What now?", **marker)]
    _, *rows = table(
        drift("-", stdin="".join(json.dumps(each) + "\n" for each in (first, first | {"messages": after})))
    )
    assert [row[:3] for row in rows] == [["1", "1", "1"], ["2", "2", "3"]]


def test_a_picture(drift, tree):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    folder = tree({"a.json": json.dumps(CHAT)})
    assert drift("a.json", "--plot", "a.svg").exit_code == 0
    assert (folder / "a.svg").read_text("utf-8").startswith("<?xml")
    result = drift("a.json", "--plot", "a.xyz")
    assert (result.exit_code, "a.xyz: Format 'xyz' is not supported" in result.stderr) == (1, True)


def test_what_cannot_be_read(drift, tree):
    tree({"a.json": "{}", "b.json": json.dumps([{"role": "user", "content": "x"}, {"role": "user", "content": 3}])})
    for name, reason in (("a.json", "it holds no messages"), ("b.json", "messages[1].content"), ("c.json", "No such")):
        result = drift(name)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"ullage: {name}: ")
        assert reason in result.stderr
        assert result.stdout == ""

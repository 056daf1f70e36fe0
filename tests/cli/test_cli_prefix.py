"""What ``ullage prefix`` prints, beside what ``ullage.compare`` gives for the same requests."""

import copy
import json

import pytest

from ullage import compare

FIRST = {
    "model": "gpt-5.6",
    "messages": [{"role": "system", "content": "You help. It is 17:11."}, {"role": "user", "content": "Hi"}],
}
LATER = copy.deepcopy(FIRST)
LATER["messages"][0]["content"] = "You help. It is 17:12."
GROWN = {**FIRST, "messages": [*FIRST["messages"], {"role": "assistant", "content": "Yes?"}]}


def dump(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def test_a_change_as_it_is_read(prefix, tree):
    tree({"a.json": dump(FIRST), "b.json": dump(LATER)})
    result = prefix("a.json", "b.json")
    comparison = compare(FIRST, LATER)
    kept, lost, new = comparison.tokens
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "What was sent before is changed.",
        f"{kept} tokens kept, {lost} lost, {new} new",
        "",
        "clock at messages[0].content, character 20 (edited, certain)",
        "  was: You help. It is 17:11.",
        "  now: You help. It is 17:12.",
        "                           ^",
        "  17:11 became 17:12.",
        f"  Fix: {comparison.change.fix}",
    ]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ("The tide is in.", "The tide is out.", "            ^^^"),
        ("茶 is 17:11", "茶 is 17:12", "          ^"),
        ("in", "in.", "  ^"),
        ("in it.", "in.", "  ^"),
        ("aa", "aaa", "  ^"),
    ],
)
def test_what_differs_is_marked_in_place(before, after, marks, prefix, tree):
    requests = [{"messages": [{"role": "user", "content": text}]} for text in (before, after)]
    tree({"a.json": dump(*requests)})
    rows = prefix("a.json").stdout.splitlines()
    (at,) = [index for index, row in enumerate(rows) if row.startswith("  now: ")]
    assert rows[at + 1] == "       " + marks


def test_what_moved_is_shown_once(prefix, tree):
    tools = [{"type": "function", "function": {"name": name}} for name in ("read", "write")]
    tree({"a.json": dump({**FIRST, "tools": tools}, {**FIRST, "tools": tools[::-1]})})
    rows = prefix("a.json").stdout.splitlines()
    assert rows[3:5] == [
        "tool order at tools[0] (moved, certain)",
        f"  it:  {json.dumps(tools[0])}",
    ]


def test_nothing_is_marked_where_the_line_breaks(prefix, tree):
    tree({"a.json": dump(FIRST, LATER)})
    assert "^" in prefix("a.json", columns=40).stdout
    assert "^" not in prefix("a.json", columns=28).stdout


@pytest.mark.parametrize(("after", "kind"), [(FIRST, "same"), (GROWN, "append")])
def test_what_goes_on_is_no_failure(after, kind, prefix, tree):
    tree({"a.json": dump(FIRST), "b.json": dump(after)})
    result = prefix("a.json", "b.json")
    first = {"same": "All is the same.", "append": "All that was sent before is sent again, and more follows."}
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, first[kind])
    assert json.loads(prefix("a.json", "b.json", "--json").stdout)["steps"][0]["kind"] == kind


def test_markers_that_move_are_shown_and_no_failure(prefix, tree):
    marked = copy.deepcopy(FIRST)
    marked["messages"][1]["content"] = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    tree({"a.json": dump(FIRST), "b.json": dump(marked)})
    result = prefix("a.json", "b.json", "--format", "anthropic")
    assert result.exit_code == 0
    assert "markers at messages[1].content[0].cache_control (marked, certain)" in result.stdout


def test_lines_of_requests_are_compared_with_those_before_them(prefix, tree):
    tree({"a.jsonl": dump(FIRST, GROWN, LATER, FIRST)})
    result = prefix("a.jsonl")
    head, *rows = result.stdout.splitlines()[:4]
    assert head.split() == ["step", "line", "prefix", "kept", "lost", "new", "cause", "at"]
    assert [row.split()[:3] for row in rows] == [["1", "2", "append"], ["2", "3", "edit"], ["3", "4", "edit"]]
    assert rows[1].endswith("clock  messages[0].content, character 20")
    # The same cause at the same place is shown once.
    assert result.stdout.count("Fix: ") == 1
    assert "clock at step 2, messages[0].content, character 20 (edited, certain)" in result.stdout
    assert result.stderr == "ullage: 3 steps; 2 changed what was sent before\n"
    assert result.exit_code == 1


def test_json_has_all_changes(prefix, tree):
    tree({"a.jsonl": dump(FIRST, LATER), "b.json": dump(GROWN)})
    result = prefix("a.jsonl", "b.json", "--json", "--model", "gpt-4o")
    report = json.loads(result.stdout)
    assert report["model"] == "gpt-4o"
    assert report["steps"] == [
        {"step": 1, "path": "a.jsonl", "line": 2, **compare(FIRST, LATER, model="gpt-4o").to_dict()},
        {"step": 2, "path": "b.json", "line": 1, **compare(LATER, GROWN, model="gpt-4o").to_dict()},
    ]
    assert result.exit_code == 1


def test_any_json_is_compared(prefix, tree):
    tree({"a.json": '{"now": [1, 2]}', "b.json": '{"now": [1, 3]}'})
    result = prefix("a.json", "b.json")
    assert result.exit_code == 1
    assert "now" in result.stdout


def test_a_conversation_in_lines_is_one_request(prefix, tree):
    tree({"a.jsonl": dump(*FIRST["messages"]), "b.jsonl": dump(*GROWN["messages"])})
    assert prefix("a.jsonl", "b.jsonl").exit_code == 0
    alone = prefix("a.jsonl")
    assert alone.exit_code == 2
    assert "give a second one" in alone.stderr


def test_many_changes_are_cut_and_said_so(prefix, tree):
    requests = [{"messages": [{"role": "user", "content": f"{n} {word}"} for n in range(60)]} for word in ("a", "b")]
    tree({"a.jsonl": dump(*requests)})
    result = prefix("a.jsonl")
    assert result.stdout.endswith("\nThere are more changes than these 20.\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tea", "it holds no requests, and is no JSON: Expecting value"),
        (b"\0\1", "it is binary"),
        (dump(FIRST, [7]), "line 2 is not a request"),
    ],
)
def test_what_cannot_be_read_is_trouble_and_no_finding(text, reason, prefix, tree):
    tree({"a.json": text, "b.json": dump(FIRST)})
    result = prefix("a.json", "b.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ullage: a.json: {reason}")


def test_wrong_usage(prefix, tree):
    tree({"a.json": dump(FIRST, GROWN)})
    for options in ([], ["a.json", "--model", "klaude"], ["a.json", "--format", "x"]):
        result = prefix(*options)
        assert (result.exit_code, result.stdout) == (2, "")
    result = prefix("no.json", "a.json")
    assert (result.exit_code, result.stderr) == (2, "ullage: no.json: No such file or directory\n")


def test_escape_sequences_do_not_reach_the_terminal(prefix, tree):
    tree({"a.json": dump(*({"messages": [{"role": "user", "content": f"\x1b[31m{word}"}]} for word in "ab"))})
    result = prefix("a.json")
    assert "\\x1b[31m" in result.stdout
    assert "\x1b" not in result.stdout

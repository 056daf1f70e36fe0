"""What ``ullage fit`` prints, writes and refuses, beside what ``ullage.fit`` gives for the same messages."""

import json
import os

import pytest

import ullage
from cli.requests_of import KEYS, TOOLS_OF, request
from formats.builder import FORMATS, build
from formats.builder import parse as steps
from ullage.cli.window import KINDS, bar, by_kind
from ullage.request import Request

LONG = "Строка 茶 line. " * 60
ROUNDS = "S,U," + ",".join(f"A(θ,c{n}),Tc{n}" for n in range(12))
RESULTS = {f"Tc{n}": f"{n} {LONG}" for n in range(12)}
BUDGET = 4_000
CHAT = build("openai-chat", steps(ROUNDS, **RESULTS)).messages


def tides(name="openai-chat"):
    return request(name, ROUNDS, **RESULTS)


def lines(values):
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def report(result):
    """The single request of ``--json``."""
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["requests"]
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_a_request_of_every_format_is_fitted_and_written_as_it_came(name, fit, tree):
    value = tides(name)
    folder = tree({"a.json": json.dumps(value)})
    found = report(fit("a.json", "--budget", BUDGET, "--out", "b.json", "--json"))
    key = KEYS[name].messages
    system = Request.of(value).system
    expected = ullage.fit(value[key], BUDGET, tools=TOOLS_OF[name], system=system, format=name)
    assert found["format"] == name
    assert found["receipt"] == json.loads(json.dumps(expected.receipt.to_dict()))
    assert {entry["action"] for entry in found["receipt"]["entries"]} == {"cleared"}
    written = json.loads((folder / "b.json").read_text("utf-8"))
    assert written == {**value, key: expected.messages}
    assert list(written) == list(value)
    assert sum(found["before"].values()) == expected.receipt.before > BUDGET
    assert sum(found["after"].values()) == expected.tokens <= BUDGET
    assert (found["messages_before"], found["messages_after"]) == (len(value[key]), len(expected.messages))
    again = report(fit("b.json", "--budget", BUDGET, "--json"))
    assert (again["receipt"]["entries"], sum(again["before"].values())) == ([], expected.tokens)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("budget", [900, BUDGET])
def test_tokens_by_kind_add_up_and_notes_are_apart(name, budget, fit):
    found = report(fit("-", "--budget", budget, "--json", stdin=json.dumps(tides(name))))
    before, after, entries = found["before"], found["after"], found["receipt"]["entries"]
    assert (before["notes"], sum(before.values())) == (0, found["receipt"]["before"])
    assert sum(after.values()) == found["receipt"]["after"]
    assert all(number >= 0 for number in after.values())
    assert after["notes"] > 0
    assert (after["tools"], after["system"]) == (before["tools"], before["system"])
    freed = sum(entry["before"] for entry in entries if entry["action"] == "cleared")
    if all(entry["action"] == "cleared" for entry in entries):
        assert before["tool results"] - after["tool results"] == freed
        assert after["notes"] == sum(entry["after"] for entry in entries)
        same = ("user", "assistant", "thinking")
        assert [after[kind] for kind in same] == [before[kind] for kind in same]


def test_the_kinds_of_a_small_request():
    value = {
        "system": "s" * 40,
        "tools": [],
        "messages": [
            {"role": "user", "content": "u" * 80},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t" * 20, "signature": "x"},
                    {"type": "tool_use", "id": "1", "name": "look", "input": {}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r" * 400}]},
        ],
    }
    assert by_kind(Request.of(value).read(), ullage.estimate) == {
        "system": 10,
        "tools": 0,
        "user": 20 + 4,
        "assistant": 1 + 1 + 4 + 3,
        "thinking": 5,
        "tool results": 100 + 4,
        "notes": 0,
    }


SHAPES = {
    "a list": (json.dumps(CHAT), lambda messages: json.dumps(messages, ensure_ascii=False) + "\n"),
    "an indented list": (
        json.dumps(CHAT, indent=3),
        lambda messages: json.dumps(messages, ensure_ascii=False, indent=3) + "\n",
    ),
    "tabs": (
        json.dumps({"messages": CHAT}, indent="\t"),
        lambda messages: json.dumps({"messages": messages}, ensure_ascii=False, indent="\t") + "\n",
    ),
    "lines of messages": (lines(CHAT), lines),
    "one request": (lines([{"messages": CHAT, "n": 1}]), lambda messages: lines([{"messages": messages, "n": 1}])),
}


@pytest.mark.parametrize(("text", "write"), SHAPES.values(), ids=SHAPES.keys())
def test_what_is_written_has_the_shape_of_what_was_read(text, write, fit, tree):
    folder = tree({"a.jsonl": text})
    assert fit("a.jsonl", "--budget", BUDGET, "--out", "b.jsonl").exit_code == 0
    written = (folder / "b.jsonl").read_text("utf-8")
    assert written == write(ullage.fit(CHAT, BUDGET).messages)
    assert (folder / "a.jsonl").read_text("utf-8") == text


def test_lone_surrogates_and_every_character_come_back(fit, tree):
    messages = [{"role": "user", "content": "\ud800 茶 \U0001f375 \x7f \\ud800"}]
    folder = tree({"a.json": json.dumps(messages)})
    assert fit("a.json", "--budget", BUDGET, "--out", "b.json").exit_code == 0
    written = (folder / "b.json").read_text("utf-8")
    assert json.loads(written) == messages
    assert "茶 \U0001f375" in written


def test_a_session_in_standard_input_and_output(fit):
    result = fit("-", "--budget", BUDGET, "--out", "-", stdin=lines(CHAT))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == lines(ullage.fit(CHAT, BUDGET).messages)


def test_the_output_reserve_comes_off_the_budget(fit):
    result = fit("-", "--budget", BUDGET + 500, "--output-reserve", 500, "--json", stdin=json.dumps(CHAT))
    assert json.loads(result.stdout)["output_reserve"] == 500
    assert report(result)["receipt"] == json.loads(json.dumps(ullage.what_if(CHAT, BUDGET).to_dict()))


def test_a_model_has_its_own_estimates_and_margin(fit):
    result = fit("-", "--budget", BUDGET, "--model", "gpt-4o", "--json", stdin=json.dumps(CHAT))
    expected = ullage.what_if(CHAT, BUDGET, estimator=ullage.Estimator.for_model("gpt-4o"))
    assert json.loads(result.stdout)["model"] == "gpt-4o"
    assert report(result)["receipt"] == json.loads(json.dumps(expected.to_dict()))
    assert expected.limit < BUDGET
    table = fit("-", "--budget", BUDGET, "--model", "gpt-4o", stdin=json.dumps(CHAT)).stdout
    margin = f"{BUDGET - expected.limit}"
    assert ["~", "margin", margin, margin] in [line.split() for line in table.splitlines()]


SHOWN = """\
before  SSSUUUARRRRRRRRRRRRRRRRRRRRR|RRRRRR-------
after   SSSUUUARRRRRRRNNNNNN.-------|

kind                before  after
S system               104    104
U user                 104    104
A assistant             57     57
R tool results         936    236
N notes                  0    203
. free                   0     46
- reserve              250    250
  all that is sent   1,201    704
  messages              20     20

done               before  after  why
7 results cleared     700    203  an old tool result
"""
EXPLAINED = """
messages  done     tool  call  before  after  why
       2  noted                     0     27  stands for rounds left out
    2-11  dropped                 550      0  the oldest rounds of their turn
      13  cleared  read  a        100     29  an old tool result
      15  cleared  read  a        100     29  an old tool result
"""


def test_the_tables(fit):
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    chat = [{"role": "system", "content": "s" * 400}, {"role": "user", "content": "u" * 400}]
    for _ in range(9):
        chat.append({"role": "assistant", "content": None, "tool_calls": [call]})
        chat.append({"role": "tool", "tool_call_id": "a", "content": "r" * 400})
    options = ("--output-reserve", 250)
    result = fit("-", "--budget", 1_000, *options, stdin=json.dumps(chat), columns=50)
    assert (result.exit_code, result.stdout, result.stderr) == (0, SHOWN, "")
    assert fit("-", "--budget", 800, *options, "--explain", stdin=json.dumps(chat)).stdout.endswith(EXPLAINED)


def test_what_fits_is_left_as_it_is(fit):
    result = fit("-", "--budget", 9_000, stdin='[{"role": "user", "content": "tea"}]')
    assert result.stdout.endswith("\nIt fits as it is.\n")


@pytest.mark.parametrize("cells", [10, 33, 100])
def test_a_bar_is_as_long_as_what_it_shows(cells):
    tokens = {"system": 100, "user": 1, "tool results": 399, "notes": 0, "free": 300, "margin": 50, "reserve": 150}
    shown = str(bar(tokens, 1_000, 1_000, cells))
    assert len(shown) == cells + 1
    assert shown.endswith("-|")
    for kind, number in tokens.items():
        assert abs(shown.count(KINDS[kind].letter) - number / 1_000 * cells) <= 1
    assert str(bar({"user": 1_500}, 1_000, 2_000, 40)) == "U" * 20 + "|" + "U" * 10
    assert str(bar({"user": 500}, 1_000, 2_000, 40)) == "U" * 10


def test_letters_are_told_apart():
    assert len({kind.letter for kind in KINDS.values()} | {"|"}) == len(KINDS) + 1


ACTIONS = ["cleared", "cut", "dropped", "noted"]


def growing(name="openai-chat"):
    """A request after each round."""
    value = tides(name)
    key = KEYS[name].messages
    messages = value[key]
    starts = [at for at, message in enumerate(messages) if at and "Строка" in json.dumps(message, ensure_ascii=False)]
    return [{**value, key: messages[: at + 1]} for at in starts]


@pytest.mark.parametrize("name", FORMATS)
def test_lines_of_requests_are_fitted_each_by_itself(name, fit, tree):
    requests, key = growing(name), KEYS[name].messages
    folder = tree({"a.jsonl": lines(requests)})
    result = fit("a.jsonl", "--budget", BUDGET, "--json", "--out", "b.jsonl")
    assert result.exit_code == 0
    found = json.loads(result.stdout)["requests"]
    sent = [json.loads(line) for line in (folder / "b.jsonl").read_text("utf-8").splitlines()]
    assert [each["line"] for each in found] == list(range(1, 13))
    changes = []
    for index, (value, fitted) in enumerate(zip(requests, sent, strict=True)):
        system = Request.of(value).system
        alone = ullage.fit(value[key], BUDGET, tools=TOOLS_OF[name], system=system, format=name)
        assert fitted == {**value, key: alone.messages}
        before = sent[index - 1][key] if index else []
        changed = next((at for at, message in enumerate(before) if fitted[key][at] != message), None)
        changes.append(None if changed is None else f"messages[{changed}]")
    assert [each["prefix_changed"] for each in found] == changes
    assert 0 < sum(change is not None for change in changes) < 6
    table = fit("a.jsonl", "--budget", BUDGET)
    assert table.stderr == (
        f"ullage: 12 requests; what was sent before changed {sum(change is not None for change in changes)} times\n"
    )
    head, first, second, *_ = table.stdout.splitlines()
    assert head.split() == ["line", "messages", "sent", "before", "after", *ACTIONS, "prefix"]
    assert (len(first.split()), second.split()[-1]) == (9, "kept")
    shown = [line.partition("changed at ")[2] or None for line in table.stdout.splitlines()[1:]]
    assert shown == changes


def test_a_cache_marker_that_moves_changes_nothing_and_tools_and_system_do(fit):
    question = {"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]}
    unmarked = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]}
    session = lines(
        [
            {"system": "A", "messages": [question]},
            {"system": "A", "messages": [unmarked, answer, question]},
            {"system": "B", "messages": [unmarked, answer, question]},
            {"system": "B", "messages": [unmarked, answer, question], "tools": TOOLS_OF["anthropic"]},
            {"system": "B", "messages": [unmarked], "tools": TOOLS_OF["anthropic"]},
        ]
    )
    found = json.loads(fit("-", "--budget", 9_000, "--json", stdin=session).stdout)["requests"]
    assert [each["prefix_changed"] for each in found] == [None, None, "system", "tools", "messages[1]"]


def test_what_cannot_fit_is_said_and_not_written(fit, tree):
    folder = tree({"a.json": json.dumps(CHAT)})
    result = fit("a.json", "--budget", 20, "--out", "b.json")
    with pytest.raises(ullage.CannotFit) as caught:
        ullage.fit(CHAT, 20)
    assert (result.exit_code, result.stderr) == (3, f"ullage: {caught.value}\nullage: nothing is written\n")
    assert "before" in result.stdout
    assert "after" not in result.stdout
    assert not (folder / "b.json").exists()
    printed = json.loads(fit("a.json", "--budget", 20, "--json").stdout)["requests"][0]
    assert (printed["receipt"], printed["after"], printed["messages_after"]) == (None, None, None)
    assert printed["cannot_fit"] == {
        "needed": caught.value.needed,
        "limit": 20,
        "over": caught.value.over,
        "parts": dict(caught.value.parts),
        "help": caught.value.help,
    }


def test_lines_that_cannot_fit_are_named_and_the_others_shown(fit):
    small = {"messages": [{"role": "user", "content": "Hi"}]}
    large = {"messages": [{"role": "user", "content": "Hi " * 400}]}
    result = fit("-", "--budget", 50, stdin=lines([small, large, small]))
    assert result.exit_code == 3
    assert [line.split()[-1] for line in result.stdout.splitlines()[2:]] == ["fit", "kept"]
    assert "ullage: line 2: the request cannot be made smaller than" in result.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tea", "it holds no messages that are known as such; if it does, name their format by --format"),
        ('{"role": "x"}', "it holds no messages that are known as such; if it does, name their format by --format"),
        ('{"role": "user",', "it is no JSON: Expecting property name enclosed in double quotes: line 1 column 17"),
        ('[\n{"role": "user" 7}]', "it is no JSON: Expecting ',' delimiter: line 2 column 17"),
        (b"\0\1", "it holds no messages that are known as such; if it does, name their format by --format"),
        (lines([*CHAT[:2], 7]), "line 3 is not a message, as line 1 is"),
        ('[{"role": "user", "content": 7}]', "messages[0].content must be str or a list of parts, not int"),
        ('{"messages": [{"role": "user", "content": "x"}], "tools": "x"}', "tools must be an iterable of dicts"),
        (
            lines([{"messages": CHAT}, {"messages": CHAT[:-1]}]),
            "line 2: messages[24]: the call 'c11' of search has no result (unanswered-call: ",
        ),
    ],
)
def test_what_is_not_messages_or_would_be_refused_is_unreadable(text, reason, fit, tree):
    folder = tree({"a.json": text})
    result = fit("a.json", "--budget", BUDGET, "--out", "b.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"ullage: a.json: {reason}")
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "b.json").exists()


def test_a_format_that_is_named_is_not_detected(fit):
    odd = [{"role": "human", "content": "Hi"}, {"role": "ai", "content": "Yes"}]
    assert fit("-", "--budget", BUDGET, stdin=json.dumps(odd)).exit_code == 1
    for text in (json.dumps(odd), lines(odd), json.dumps({"messages": odd})):
        found = report(fit("-", "--budget", BUDGET, "--format", "langchain", "--json", stdin=text))
        assert (found["format"], found["messages_before"]) == ("langchain", 2)
        assert sum(found["before"].values()) == ullage.History(odd, format="langchain").total


def test_files_that_cannot_be_read_or_written(fit, tree):
    tree({"a.json": json.dumps(CHAT)})
    result = fit("b.json", "--budget", BUDGET)
    assert (result.exit_code, result.stderr) == (1, "ullage: b.json: No such file or directory\n")
    out = os.path.join("no", "b.json")  # noqa: PTH118
    result = fit("a.json", "--budget", BUDGET, "--out", out)
    assert (result.exit_code, result.stderr) == (1, f"ullage: {out}: No such file or directory\n")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Missing option '--budget'"),
        (["--budget", "0"], "--budget"),
        (["--budget", "x"], "--budget"),
        (["--budget", "9", "--output-reserve", "9"], "a window of 9 tokens minus an output reserve of 9 leaves 0"),
        (["--budget", "9", "--format", "colour"], "--format"),
        (["--budget", "9", "--model", "colour"], "no profile is known for model 'colour'"),
        (["--budget", "9", "--out", "a.json"], "it is SESSION itself, which would be overwritten"),
        (["--budget", "9", "--out", "link.json"], "it is SESSION itself, which would be overwritten"),
        (["--budget", "9", "--out", "-", "--json"], "it is printed in the place of what --json prints"),
    ],
)
def test_wrong_usage(options, sentence, fit, tree):
    folder = tree({"a.json": json.dumps(CHAT)})
    (folder / "link.json").hardlink_to(folder / "a.json")
    result = fit("a.json", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert json.loads((folder / "a.json").read_text("utf-8")) == CHAT

"""What ``ullage lint`` prints, beside what ``ullage.lint`` gives for the same request."""

import json

import pytest

from cli.requests_of import request
from ullage import lint
from ullage.cli.columns import wrapped

CLOCK = {"model": "gpt-5.6", "instructions": "You help. It is now 17:11.", "input": [{"role": "user", "content": "Hi"}]}
MARK = {"type": "ephemeral"}
MARKED = {
    "model": "claude-sonnet-5",
    "system": [{"type": "text", "text": "You help.", "cache_control": MARK}] * 5,
    "messages": [{"role": "user", "content": "Hi"}],
}
CLEAN = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}


def dump(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def test_a_finding_as_it_is_read(lint_command):
    result = lint_command("-", stdin=json.dumps(CLOCK))
    (finding,) = lint(CLOCK)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "warning: volatile-clock at instructions, character 20",
        "  You help. It is now 17:11.",
        f"  {finding.sentence}",
        f"  Fix: {finding.fix}",
        "",
        "1 request: 1 warning",
    ]
    assert result.stderr == ""


def test_lines_keep_to_the_terminal(lint_command):
    result = lint_command("-", stdin=json.dumps(MARKED), columns=40)
    assert max(map(len, result.stdout.splitlines())) <= 47  # a heading is never broken
    words = " ".join(result.stdout.split())
    assert all(" ".join(finding.sentence.split()) in words for finding in lint(MARKED))


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini", "bedrock"])
def test_json_has_all_that_is_found(name, lint_command, tree):
    value = request(name, "S,U,A(a),Ta,A", S="It is now 17:11.")
    tree({"a.json": json.dumps(value)})
    result = lint_command("a.json", "--json", "--format", name)
    report = json.loads(result.stdout)
    assert report["path"] == "a.json"
    (only,) = report["requests"]
    assert only["line"] == 1
    assert only["findings"] == [each._asdict() for each in lint(value, format=name)]
    assert result.exit_code == 1


def test_lines_of_requests(lint_command):
    result = lint_command("-", stdin=dump(CLEAN, CLOCK | {"messages": CLEAN["messages"]}, MARKED))
    headings = [line for line in result.stdout.splitlines() if line[:1] not in ("", " ")]
    assert headings[:2] == [
        "warning: volatile-clock at line 2, instructions, character 20",
        "error: too-many-markers at line 3, system[4]",
    ]
    assert headings[-1].startswith("3 requests: 1 error, ")


def test_what_is_found_at_one_place_of_many_requests_is_printed_once(lint_command):
    later = CLOCK | {"instructions": "You help. It is now 17:12."}
    elsewhere = CLOCK | {"instructions": "You help people. It is now 17:13."}
    result = lint_command("-", stdin=dump(CLOCK, CLEAN, later, elsewhere))
    assert [line for line in result.stdout.splitlines() if line[:1] not in ("", " ")] == [
        "warning: volatile-clock at line 1 and 1 more, instructions, character 20",
        "warning: volatile-clock at line 4, instructions, character 27",
        "4 requests: 2 warnings",
    ]


def test_nothing_found_and_notes_are_no_failure(lint_command):
    clean = lint_command("-", stdin=json.dumps(CLEAN))
    assert (clean.exit_code, clean.stdout) == (0, "1 request: nothing found\n")
    unmarked = {"messages": [{"role": "user", "content": "Hello there. " * 2000}]}
    noted = lint_command("-", "--provider", "anthropic", "--model", "claude-sonnet-5", stdin=json.dumps(unmarked))
    assert noted.exit_code == 0
    assert noted.stdout.endswith("\n1 request: 1 note\n")


def test_model_and_provider_decide(lint_command):
    def rules(*options):
        report = json.loads(lint_command("-", "--json", *options, stdin=json.dumps(MARKED)).stdout)
        return [each["rule"] for each in report["requests"][0]["findings"]]

    assert "too-many-markers" in rules()
    assert rules("--provider", "deepseek") == rules("--model", "deepseek-chat") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model", "klaude"], "--model"),
        (["--provider", "anthropik"], "--provider"),
        (["--format", "x"], "--format"),
    ],
)
def test_wrong_usage(options, sentence, lint_command):
    result = lint_command("-", *options, stdin=json.dumps(CLEAN))
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tea", "-: it holds no messages that are known as such"),
        (dump(CLEAN, CLEAN, [7]), "-: line 3 is not a request"),
        (dump(CLEAN | {"tools": 7}), "-: tools must be"),
        (b"\0", "-: it holds no messages"),
    ],
)
def test_what_cannot_be_read_is_trouble_and_no_finding(text, reason, lint_command):
    result = lint_command("-", stdin=text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ullage: {reason}")


def test_what_nests_too_deep_is_named(lint_command):
    deep = '{"messages": [{"role": "user", "content": "Hi"}], "tools": [' + '{"a": ' * 300 + "1" + "}" * 300 + "]}"
    result = lint_command("-", stdin=deep)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "tools[0]" in result.stderr
    assert "256" in result.stderr


def test_a_file_that_is_not_there(lint_command, tree):
    tree({})
    result = lint_command("no.json")
    assert (result.exit_code, result.stderr) == (2, "ullage: no.json: No such file or directory\n")


def test_escape_sequences_do_not_reach_the_terminal(lint_command):
    value = {"messages": [{"role": "system", "content": "\x1b[31mIt is now 17:11."}, {"role": "user", "content": "Hi"}]}
    result = lint_command("-", stdin=json.dumps(value))
    assert "\\x1b[31mIt is now 17:11." in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("a bc def", 4, ["a bc", "def"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("茶茶茶 茶", 4, ["茶茶", "茶", "茶"]),
        ("", 10, [""]),
        ("a  b", 10, ["a  b"]),
    ],
)
def test_sentences_in_lines(text, width, lines):
    assert list(wrapped(text, width)) == lines

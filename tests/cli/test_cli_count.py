"""What ``ullage count`` prints: tables, JSON, order, groups, width."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

import ullage
from ullage.cli.app import app

RUSSIAN = "Чай остыл, а дождь всё идёт. " * 40
CHINESE = "茶已经凉了。" * 30
FILES = {"en.txt": "The tea is cold.\n" * 20, "sub/ru.txt": RUSSIAN, "sub/zh.txt": CHINESE, "sub/b/empty.txt": ""}


def numbers(text):
    scripts = ullage.scripts(text)
    return {
        "files": 1,
        "characters": len(text),
        "ascii": sum(c < "\x80" for c in text),
        "cjk": scripts.cjk,
        "other": len(text) - scripts.ascii - scripts.cjk,
        "tokens": ullage.estimate(text),
        "len4": len(text) // 4,
        "messages": 0,
        "replaced": 0,
    }


def test_json_has_every_file_with_exact_numbers_and_their_sums(count, tree):
    tree(FILES)
    report = count.json(".")
    rows = {row.pop("path"): row for row in report["rows"]}
    assert rows == {path.replace("/", os.sep): numbers(text) for path, text in FILES.items()}
    assert report["total"] == {key: sum(row[key] for row in rows.values()) for key in numbers("")}
    assert report["by"] == "file"
    assert report["skipped"] == {"binary": 0, "ignored": 0, "special": 0}
    assert report["unreadable"] == []
    assert list(report) == ["by", "model", "rows", "total", "skipped", "unreadable"]


def test_tokens_by_the_profile_of_a_model(count, tree):
    tree(FILES)
    report = count.json(".", "--model", "claude-opus-4-8")
    tokens = {row["path"].replace(os.sep, "/"): row["tokens"] for row in report["rows"]}
    assert tokens == {path: ullage.estimate(text, "claude-opus-4-8") for path, text in FILES.items()}
    assert (report["model"], count.json(".")["model"]) == ("claude-opus-4-8", None)


def test_a_model_without_a_profile_is_wrong_usage(count, tree):
    result = count(tree(FILES), "--model", "gpt-o4")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no profile is known for model 'gpt-o4'" in result.stderr


def test_json_of_nothing(count, tree):
    report = count.json(tree({}))
    assert (report["rows"], report["total"]["files"], report["total"]["tokens"]) == ([], 0, 0)


def test_a_golden_number(count):
    assert count.json("-", stdin="Привет, мир")["rows"] == [
        {
            "path": "-",
            "files": 1,
            "characters": 11,
            "ascii": 2,
            "cjk": 0,
            "other": 9,
            "tokens": 5,
            "len4": 2,
            "messages": 0,
            "replaced": 0,
        }
    ]


@pytest.mark.parametrize(
    ("sort", "paths"),
    [
        ("tokens", ["sub/ru.txt", "sub/zh.txt", "en.txt", "sub/b/empty.txt"]),
        ("characters", ["sub/ru.txt", "en.txt", "sub/zh.txt", "sub/b/empty.txt"]),
        ("path", ["en.txt", "sub/b/empty.txt", "sub/ru.txt", "sub/zh.txt"]),
    ],
)
def test_sort(count, tree, sort, paths):
    tree(FILES)
    rows = count.json(".", "--sort", sort)["rows"]
    assert [row["path"].replace(os.sep, "/") for row in rows] == paths
    lines = count(".", "--sort", sort).stdout.splitlines()
    assert [line.split()[0].replace(os.sep, "/") for line in lines[2:-2]] == paths


def test_equal_rows_are_ordered_by_path(count, tree):
    tree({"c": "tea", "a": "tea", "b": "tea"})
    for sort in ("tokens", "characters", "path"):
        assert [row["path"] for row in count.json(".", "--sort", sort)["rows"]] == ["a", "b", "c"]


def test_by_folder_sums_the_files_that_lie_in_it(count, tree):
    tree(FILES)
    rows = {row["path"]: row for row in count.json(".", "-", "--by", "folder", stdin="tea")["rows"]}
    assert {path: row["files"] for path, row in rows.items()} == {".": 1, "sub": 2, str(Path("sub/b")): 1, "-": 1}
    assert rows["sub"]["tokens"] == ullage.estimate(RUSSIAN) + ullage.estimate(CHINESE)


def test_by_script_groups_by_what_most_letters_are(count, tree):
    tree({**FILES, "mixed.md": "# Notes\n" + RUSSIAN, "numbers.csv": "1,2,3\n" * 9})
    rows = {row["path"]: row["files"] for row in count.json(".", "--by", "script")["rows"]}
    assert rows == {"Latin": 1, "Cyrillic": 2, "Han": 1, "no letters": 2}


def test_table_says_what_json_says(count, tree):
    tree(FILES)
    lines = count(".", "--by", "script").stdout.splitlines()
    assert " ".join(lines[0].split()) == "script files characters ASCII CJK other tokens len//4 ratio share"
    assert lines[2].split()[:9] == ["Cyrillic", "1", "1,160", "320", "0", "840", "500", "290", "1.72"]
    assert lines[-1].split() == ["total", "4", "1,680", "660", "180", "840", "765", "420", "1.82", "100.0%"]


def test_one_row_has_no_total(count, tree):
    tree({"a.txt": "tea" * 1000})
    lines = count("a.txt").stdout.splitlines()
    assert len(lines) == 3
    assert lines[2].split()[:3] == ["a.txt", "3,000", "3,000"]


def test_a_text_without_tokens_has_a_row_and_no_ratio(count, tree):
    tree({"empty": ""})
    assert count("empty").stdout.splitlines()[2].split() == ["empty", *"000000", "0.0%"]


LONG = {f"a folder/with {'long ' * 20}name {i}/{'名前' * 9}{i}.txt": RUSSIAN * i * 1000 for i in (1, 2)}


@pytest.mark.parametrize("by", ["file", "folder", "script"])
def test_no_line_is_wider_than_the_terminal_and_no_number_is_cut(count, tree, by):
    tree({**FILES, **LONG})
    tokens = f"{sum(ullage.estimate(text) for text in (*FILES.values(), *LONG.values())):,}"
    for width in range(60, 201, 10):
        lines = count(".", "--by", by, columns=width).stdout.splitlines()
        assert max(map(cell_len, lines)) <= width
        assert tokens in lines[-1].split(), width
        assert not any("…" in line for line in lines)


def test_into_a_pipe_lines_are_whole(count, tree):
    tree({**FILES, **LONG})
    lines = count(".").stdout.splitlines()
    assert len(lines) == 4 + len(FILES) + len(LONG)
    for path in LONG:
        assert any(line.startswith(path.replace("/", os.sep)) for line in lines)


def test_names_cannot_speak_to_the_terminal(count, tree):
    if os.name == "nt":
        pytest.skip("Windows has no such names")
    tree({"\x1b[31mred\nline[bold].txt": "tea"})
    output = count(".").stdout
    assert r"\x1b[31mred\nline[bold].txt" in output
    assert "\x1b" not in output


def test_no_color(count, tree):
    tree(FILES)
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[" in count(".", env=forced).stdout
    plain = count(".", env={**forced, "NO_COLOR": "1"}).stdout
    assert not re.search(r"\x1b\[[\d;]*[349]\d", plain)


def test_stdin_is_read_once(count):
    assert count.json("-", "-", stdin="tea")["total"]["files"] == 1


def test_help_has_examples(count):
    assert "git diff | ullage count -" in count("--help").stdout


@pytest.mark.parametrize(
    "arguments", [[], ["--by", "colour", "."], ["--sort", "size", "."], ["--no-such"]], ids=" ".join
)
def test_wrong_usage_is_2(count, arguments):
    result = count(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "ullage count" in result.stderr


def test_what_cannot_be_read_is_reported_and_the_rest_counted(count, tree):
    tree({"a.txt": "tea"})
    result = count("a.txt", "no such.txt")
    assert result.exit_code == 1
    assert result.stderr == "ullage: no such.txt: No such file or directory\n"
    assert result.stdout.splitlines()[2].split()[0] == "a.txt"
    report = json.loads(count("a.txt", "no such.txt", "--json").stdout)
    assert report["unreadable"] == [{"path": "no such.txt", "reason": "No such file or directory"}]
    assert report["total"]["tokens"] == 1


def test_a_folder_that_cannot_be_listed_is_reported(count, tree):
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("every folder can be listed")
    root = tree({"open/a.txt": "tea", "shut/b.txt": "tea"})
    (root / "shut").chmod(0)
    try:
        result = count(".")
    finally:
        (root / "shut").chmod(0o700)
    assert result.exit_code == 1
    assert result.stderr == "ullage: shut/: Permission denied\n"
    assert "a.txt" in result.stdout


def test_the_list_of_commands_shows_each_sentence_whole():
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    for command in app.registered_commands:
        assert command.callback.__doc__ in shown


def test_every_command_has_one_sentence_of_help():
    for command in app.registered_commands:
        assert command.callback.__doc__

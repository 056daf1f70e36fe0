"""prune_log on logs of no known family, on odd input, and its properties."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ullage
from ullage import prune_log, prune_text

from .test_text import ESTIMATORS, TEXTS, pruned_or_refused

LINES = st.sampled_from(
    [
        "=== 1 failed, 2 passed in 0.1s ===",
        "FAILED tests/a.py::test_a - assert 1 == 2",
        "____ test_a ____",
        "E   assert 1 == 2",
        "a.c:1:2: error: nothing",
        "a.c:1:2: warning: something",
        "error[E0001]: no",
        "warning: unused",
        " --> a.rs:1:2",
        "--- FAIL: TestA (0.0s)",
        "=== RUN   TestA",
        "  ● a › b",
        "npm error code 1",
        "a.ts(1,2): error TS1: no",
        "test result: FAILED. 1 passed",
        "Ran 3 tests in 0.1s",
        "ERROR something broke",
        "Traceback (most recent call last):",
        "[... truncated, 12 lines]",
        "[... truncated, 12 lines, 3 failures]",
        "plain",
        "",
        "\x1b[31mred\x1b[0m",
        "10%\r20%\r100%",
        "x" * 300,
        "字" * 40,
        "\udcff",
    ]
)


@given(st.one_of(TEXTS, st.lists(LINES, max_size=80).map("\n".join)), st.integers(0, 200), ESTIMATORS)
@example("\n".join(["FAILED tests/a.py::test_a"] * 50), 30, None)
def test_never_over_budget_and_idempotent(text, budget, estimator):
    count = estimator.estimate if estimator else ullage.estimate
    kept = pruned_or_refused(prune_log, text, budget, estimator)
    if count(text) <= budget:
        assert kept is text
    elif kept is not None:
        assert count(kept) <= budget
        assert prune_log(kept, max_tokens=budget, estimator=estimator) is kept


@given(st.lists(LINES.filter(lambda line: "[..." not in line and "\r" not in line and len(line) < 60), max_size=80))
def test_lines_add_up(lines):
    text = re.sub("\x1b\\[\\d+m", "", "\n".join(lines))
    kept = prune_log(text, max_tokens=60)
    shown = [line for line in kept.split("\n") if not line.startswith("[... truncated, ")]
    missing = sum(int(count) for count in re.findall(r"^\[\.\.\. truncated, (\d+) lines", kept, re.MULTILINE))
    assert "characters]" in kept or len(shown) + missing == len(text.split("\n"))


def test_an_unknown_log_keeps_head_tail_and_errors():
    lines = [f"2026-11-30 10:00:{n % 60:02} INFO request {n} served" for n in range(5000)]
    lines[2500] = "2026-11-30 10:41:40 ERROR request 2500: upstream closed the connection"
    kept = prune_log("\n".join(lines), max_tokens=250)
    for number in (0, 1, 2499, 2500, 2501, 4998, 4999):
        assert lines[number] in kept


def test_many_errors_show_the_first_and_the_last():
    lines = [f"ERROR number {n}" for n in range(10_000)]
    kept = prune_log("\n".join(lines), max_tokens=200)
    assert "ERROR number 0\n" in kept
    assert "ERROR number 9999" in kept


def test_how_the_command_ended_comes_first():
    text = "\n".join(f"error: part {n} is broken" for n in range(1000)) + "\nProcess exited with code 137\n"
    assert "Process exited with code 137" in prune_log(text, max_tokens=40)


def test_text_without_errors_is_cut_as_text():
    text = "\n".join(f"verse {n}" for n in range(1000))
    assert prune_log(text, max_tokens=60) == prune_text(text, max_tokens=60)


def test_words_that_only_sound_like_errors():
    text = "\n".join(f"the terror of page {n} passed without failure modes" for n in range(300))
    assert prune_log(text, max_tokens=60) == prune_text(text, max_tokens=60)


def test_escapes_and_progress_bars():
    text = "\x1b[2K\x1b[1mBuilding\x1b[0m\r\n" + "\r".join(f"{n}%" for n in range(101)) + "\r\n"
    text += "\x1b]8;;https://example.com\x07link\x1b]8;;\x07\r\n\x1b[31merror: no\x1b[0m"
    assert prune_log(text, max_tokens=20) == "Building\n100%\nlink\nerror: no"


def test_an_escape_without_an_end_swallows_nothing():
    text = "\x1b]0;title\nerror: no\n" + "filler\n" * 100 + "\x1b[31"
    kept = prune_log(text, max_tokens=20)
    assert "0;title\nerror: no\n" in kept


def test_a_wide_line_loses_its_middle():
    text = "error: " + "y" * 10_000 + " at the end\n" + "\n".join("fine" for _ in range(100))
    kept = prune_log(text, max_tokens=100)
    first = kept.split("\n")[0]
    assert re.fullmatch(r"error: y+\[\.\.\. truncated, \d+ characters\]y+ at the end", first)
    assert first.count("y") + int(re.search(r"(\d+) characters", first)[1]) == 10_000


def test_small_gaps_are_not_replaced_by_longer_marks():
    text = "\n".join(["error: a", "", "error: b", "", "error: c", *(f"filler number {n}" for n in range(500))])
    assert "error: a\n\nerror: b\n\nerror: c\n" in prune_log(text, max_tokens=60)


def test_too_small_a_budget_names_the_least():
    with pytest.raises(ValueError, match=r"max_tokens is 2, too small"):
        prune_log("error: no\n" * 100, max_tokens=2)


def test_the_middle_of_millions_of_lines_is_counted_unread(monkeypatch):
    monkeypatch.setattr("ullage.prune.log._MOST_LINES", 100)
    lines = [f"line {n}" for n in range(1000)]
    lines[30], lines[500], lines[960] = "error: first", "error: in the middle", "error: last"
    kept = prune_log("\n".join(lines), max_tokens=60)
    assert "error: first" in kept
    assert "error: last" in kept
    assert "error: in the middle" not in kept
    shown = [line for line in kept.split("\n") if not line.startswith("[...")]
    assert len(shown) + sum(map(int, re.findall(r"truncated, (\d+) lines", kept))) == 1000
    for count in (99, 100, 101, 102, 103):
        kept = prune_log("\n".join(lines[:count]), max_tokens=60)
        shown = [line for line in kept.split("\n") if not line.startswith("[...")]
        assert len(shown) + sum(map(int, re.findall(r"truncated, (\d+) lines", kept))) == count

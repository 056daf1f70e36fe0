"""The texts in corpora/ are what their manifest says: script, size, and nothing unlisted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import regex

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
ENTRIES: list[dict[str, Any]] = json.loads((CORPORA / "manifest.json").read_text(encoding="utf-8"))
NOT_TEXTS = {"README.md", "build_manifest.py", "files.tsv", "manifest.json"}
KINDS = {
    *("prose", "chat", "code", "json", "config", "markup"),
    *("markdown", "log", "table", "diff", "tool-output", "entropy"),
}
SCRIPTS = sorted({entry["script"] for entry in ENTRIES})
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["file"]))


def read(file: str) -> str:
    """The text as it is stored: no line end is translated."""
    return (CORPORA / file).read_bytes().decode("utf-8")


def build_manifest(corpora: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(corpora / "build_manifest.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_manifest_is_fresh() -> None:
    done = build_manifest(CORPORA, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_check_notices_a_changed_text_and_a_rebuild_repairs_it(tmp_path: Path) -> None:
    copy = tmp_path / "corpora"
    shutil.copytree(CORPORA, copy)
    with (copy / "text/en.txt").open("a", encoding="utf-8") as text:
        text.write("é")

    stale = build_manifest(copy, "--check")
    assert stale.returncode == 1
    assert "run python corpora/build_manifest.py" in stale.stderr
    assert json.loads((copy / "manifest.json").read_bytes()) == ENTRIES

    assert build_manifest(copy).returncode == 0
    assert build_manifest(copy, "--check").returncode == 0
    rebuilt = json.loads((copy / "manifest.json").read_bytes())
    [(old, new)] = [pair for pair in zip(ENTRIES, rebuilt, strict=True) if pair[0] != pair[1]]
    grown = {**old, "bytes": old["bytes"] + 2, "characters": old["characters"] + 1}
    assert (new, new["file"]) == (grown, "text/en.txt")


def test_every_file_is_listed_once_and_in_order() -> None:
    files = {path.relative_to(CORPORA).as_posix() for path in CORPORA.rglob("*") if path.is_file()}
    files = {file for file in files if "__pycache__/" not in file}
    assert [entry["file"] for entry in ENTRIES] == sorted(files - NOT_TEXTS)


def test_readme_names_every_file() -> None:
    named = regex.findall(r"`((?:text|code|data)/[^`]+)`", read("README.md"))
    assert sorted(named) == [entry["file"] for entry in ENTRIES]


def test_kinds_languages_and_scripts_are_covered() -> None:
    assert {entry["kind"] for entry in ENTRIES} == KINDS
    prose = [entry for entry in ENTRIES if entry["kind"] == "prose"]
    assert len({entry["language"] for entry in prose}) >= 40
    assert len({entry["script"] for entry in prose}) >= 24


@each_entry
def test_size(entry: dict[str, Any]) -> None:
    data = (CORPORA / entry["file"]).read_bytes()
    assert 1_000 <= len(data) <= 3_072
    assert (entry["bytes"], entry["characters"]) == (len(data), len(data.decode("utf-8")))


@each_entry
def test_text_ends_with_a_line_end_and_has_no_byte_order_mark(entry: dict[str, Any]) -> None:
    text = read(entry["file"])
    assert text.endswith("\n")
    assert "\ufeff" not in text


@each_entry
def test_language_is_a_well_formed_tag(entry: dict[str, Any]) -> None:
    assert regex.fullmatch(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?", entry["language"])


@each_entry
def test_stated_script_has_the_most_letters(entry: dict[str, Any]) -> None:
    text = read(entry["file"])
    letters = {name: len(regex.findall(rf"(?V1)[\p{{L}}&&\p{{Script={name}}}]", text)) for name in SCRIPTS}
    unnamed = len(regex.findall(r"\p{L}", text)) - sum(letters.values())
    assert max(letters, key=letters.__getitem__) == entry["script"]
    assert letters[entry["script"]] > unnamed


def test_no_paragraph_stands_in_two_files() -> None:
    files_with: Counter[str] = Counter()
    for entry in ENTRIES:
        paragraphs = regex.split(r"(?:\r?\n[ \t]*){2,}", read(entry["file"]))
        # A short one, such as a lone closing brace, may well repeat.
        files_with.update({folded for text in paragraphs if len(folded := " ".join(text.split())) >= 40})
    assert [paragraph for paragraph, files in files_with.items() if files > 1] == []


def test_one_text_has_crlf_line_ends_throughout_and_no_other_has_any() -> None:
    assert [entry["file"] for entry in ENTRIES if "\r" in read(entry["file"])] == ["text/en-crlf.txt"]
    text = read("text/en-crlf.txt")
    assert text.count("\r\n") == text.count("\n") == text.count("\r") == len(text.splitlines())


def test_upper_case_tab_and_emoji_texts_are_that() -> None:
    upper = read("text/en-upper.txt")
    assert upper == upper.upper()
    lines = read("text/en-tabs.txt").splitlines()
    assert sum(line.startswith("\t") for line in lines) >= len(lines) * 0.9
    assert len(regex.findall(r"\p{Emoji_Presentation}", read("text/en-emoji.txt"))) >= 50

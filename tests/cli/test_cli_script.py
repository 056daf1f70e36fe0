"""The main script of a text, against the manifest of the corpora."""

import json
from pathlib import Path

import pytest

from ullage.cli.script import main_script

CORPORA = Path(__file__).resolve().parents[2] / "corpora"


def test_the_corpora_are_in_the_scripts_that_their_manifest_says():
    manifest = json.loads((CORPORA / "manifest.json").read_text(encoding="utf-8"))
    names = {"Hiragana": "Japanese"}
    want = {entry["file"]: names.get(entry["script"], entry["script"]) for entry in manifest}
    assert {file: main_script((CORPORA / file).read_bytes().decode()) for file in want} == want


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("", "no letters"),
        ("12:30, 🍵\n", "no letters"),
        ("\udcff\udc80", "no letters"),
        ("茶", "Han"),
        ("茶を飲む。", "Japanese"),
        ("ｶﾀｶﾅ", "Japanese"),
        ("ＴＥＡ", "Latin"),
        ("차를 마신다", "Hangul"),
        ("def чай(): return 1", "Latin"),
        ("# Чай остыл, а дождь всё идёт\nx = 1", "Cyrillic"),
        # A long text is sampled all along its length, not at its beginning.
        ("tea " * 1_000 + "чай " * 9_000, "Cyrillic"),
        (("tea " * 3 + "чай ") * 100_000, "Latin"),
    ],
)
def test_main_script(text, script):
    assert main_script(text) == script

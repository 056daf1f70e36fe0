"""``ullage bench``: right errors against a known truth, all contestants, and sentences where something is missing."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ullage
from ullage import bench, counters
from ullage.cli.app import app
from ullage.counters import Counter
from ullage.documents import Document
from ullage.errors import MissingTokenizer

ROOT = Path(__file__).parent.parent.parent
OURS = ["ullage o200k_base", "ullage script rule", "len(text) // 4"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """How long something takes is not tested, so one round is enough."""
    monkeypatch.setattr(bench, "ROUNDS", 1)
    monkeypatch.setattr(bench, "ROUND_SECONDS", 0)


@pytest.fixture
def alone(monkeypatch):
    """As where no other package is installed."""
    monkeypatch.setattr(counters, "find_spec", lambda name: None)


def run(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def lines(*items):
    return "".join(json.dumps(item) + "\n" for item in items)


TEXT = "The room left in a vessel. " * 40


def test_errors_against_the_counts_of_the_corpus(tree, alone):
    estimate = ullage.Estimator(profile="o200k_base").estimate(TEXT)
    low, high = round(estimate / 1.1), round(estimate * 1.25)
    tree(
        {
            "corpus.jsonl": lines(
                {"text": TEXT, "kind": "a", "tokens": {"o200k_base": low}},
                {"text": TEXT, "kind": "b", "tokens": {"o200k_base": high}},
            )
        }
    )
    result = run("--corpus", "corpus.jsonl", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["truth"] == "the counts that come with the texts"
    assert (report["model"], report["profile"], report["texts"]) == ("gpt-4o", "o200k_base", 2)
    assert [found["name"] for found in report["results"]] == OURS
    ours, _, quarter = report["results"]
    assert ours["errors_by_kind"]["a"]["bias"] == pytest.approx(estimate / low - 1)
    assert ours["errors_by_kind"]["b"]["bias"] == pytest.approx(estimate / high - 1)
    assert ours["errors"]["under"] == 0.5
    assert ours["errors"]["mean"] == pytest.approx(((estimate / low - 1) + (1 - estimate / high)) / 2)
    assert quarter["errors_by_kind"]["a"]["mean"] == pytest.approx(abs(len(TEXT) // 4 / low - 1))
    assert ours["times"] == 1
    assert all(found["megabytes_per_second"] > 0 for found in report["results"])


def test_without_a_truth_there_are_only_speeds(tree, alone):
    tree({"a.txt": TEXT})
    result = run("a.txt")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == ["ullage", "ullage", "len(text)"]
    assert "mean" not in result.stdout
    assert "only speeds, since no tokenizer with the vocabulary of o200k_base is installed" in result.stderr
    report = json.loads(run("a.txt", "--json").stdout)
    assert report["truth"] is None
    assert all(found["errors"] is None for found in report["results"])


def test_a_corpus_with_some_counts_missing_is_no_truth(tree, alone):
    tree({"corpus.jsonl": lines({"text": TEXT, "tokens": {"o200k_base": 240}}, {"text": TEXT})})
    assert json.loads(run("--corpus", "corpus.jsonl", "--json").stdout)["truth"] is None


def test_the_truth_is_the_first_tokenizer(tree, monkeypatch):
    exact = Counter("words", "1.0", True, lambda text: len(text.split()))
    wrong = Counter("more", "2.0", True, lambda text: 2 * len(text.split()))
    monkeypatch.setattr(counters, "installed", lambda vocabulary: iter([exact, wrong]))
    monkeypatch.setattr(counters, "estimators", lambda: iter([]))
    report = bench.measure([Document(TEXT, kind="x")], ullage.Estimator(profile="o200k_base"))
    assert report.truth == "words 1.0"
    assert [result.errors.mean for result in report.results[-2:]] == [0, 1]


def test_the_corpora_of_a_checkout(alone, monkeypatch):
    monkeypatch.chdir(ROOT / "docs")
    report = json.loads(run("--json").stdout)
    assert report["texts"] == len(json.loads((ROOT / "corpora" / "manifest.json").read_bytes()))


def test_outside_a_checkout_texts_must_be_named(tree):
    tree({})
    result = run()
    assert result.exit_code == 2
    assert "outside a checkout of ullage" in result.stderr


def test_files_are_grouped_by_their_endings(tree):
    pytest.importorskip("quicktok", reason="quicktok-v1 is not installed")
    tree({"a.py": TEXT, "b/c.py": TEXT, "d.md": TEXT, "e": TEXT, "empty.txt": "", "image.png": b"\0\1"})
    result = run(".")
    assert result.exit_code == 0, result.output
    kinds = result.stdout.partition("mean error by kind")[2].splitlines()[1:]
    assert [line.rsplit(maxsplit=5)[0].split()[0] for line in kinds] == [".md", ".py", "no"]
    assert "4 texts of" in result.stderr


def test_what_cannot_be_read_is_named_and_the_rest_measured(tree, alone):
    tree({"a.txt": TEXT})
    result = run("a.txt", "b.txt")
    assert result.exit_code == 1
    assert "ullage: b.txt: No such file or directory\n" in result.stderr
    assert "len(text) // 4" in result.stdout


def test_wrong_usage(tree, alone):
    tree({"a.txt": TEXT, "empty.txt": "", "bad.jsonl": "{}\n"})
    result = run("a.txt", "--model", "gtp-4o")
    assert result.exit_code == 2
    assert "gpt-4o" in result.stderr
    result = run("empty.txt")
    assert (result.exit_code, result.stderr) == (1, "ullage: there are no texts to measure on\n")
    result = run("--corpus", "bad.jsonl")
    assert (result.exit_code, result.stderr) == (1, 'ullage: bad.jsonl:1: "text" is missing\n')


def test_a_picture_needs_the_extra(tree, alone, monkeypatch):
    tree({"a.txt": TEXT})
    monkeypatch.delitem(sys.modules, "ullage.plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("a.txt", "--plot", "a.png")
    assert result.exit_code == 2
    assert 'is missing: pip install "ullage[plot]"' in result.stderr


@pytest.mark.parametrize("vocabulary", ["o200k_base", "cl100k_base", "llama3", "qwen2.5"])
def test_installed_tokenizers_agree(vocabulary):
    found = {counter.name: counter for counter in counters.installed(vocabulary)}
    if not found:
        pytest.skip("no tokenizer is installed (tiktoken with bpe-openai, quicktok-v1, gigatoken)")
    assert all(counter.exact and counter.version for counter in found.values())
    text = "The room left in a vessel: 12,345 但是 место"
    assert len({counter.count(text) for counter in found.values()}) == 1, found


def test_no_tokenizer_is_installed_for_a_vocabulary_that_none_has():
    assert list(counters.installed("claude_4_8")) == []


def test_estimators():
    pytest.importorskip("skimtoken", reason="skimtoken is not installed")
    found = list(counters.estimators())
    assert [counter.name for counter in found] == ["skimtoken.simple", "skimtoken.multilingual_simple"]
    assert all(not counter.exact and 100 < counter.count(TEXT) < 1000 for counter in found)


def test_a_tokenizer_json_that_is_none(tmp_path):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(MissingTokenizer, match=r"not a tokenizer\.json"):
        counters.from_tokenizer_json(tmp_path)
    with pytest.raises(MissingTokenizer, match="there is no such file"):
        counters.from_tokenizer_json(tmp_path / "none.json")


def test_long_texts_are_timed_as_messages():
    seen = []

    def call(text):
        seen.append(len(text))

    texts = list(bench._messages(["x" * 20_000, "y" * 10]))
    assert list(map(len, texts)) == [8000, 8000, 4000, 10]
    assert list(map(len, bench._messages(["x" * 8000] * 1000)))[:3] == [8000] * 3
    assert sum(map(len, bench._messages(["x" * 8000] * 1000))) <= 1.1 * bench.TIMED
    (seconds,) = bench.time_calls([call], texts)
    assert seconds > 0
    assert seen[:4] == [8000, 8000, 4000, 10]

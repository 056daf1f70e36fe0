"""``ullage calibrate``: a corpus becomes a profile that can be loaded, the same one each time; faults are named."""

import hashlib
import json
import random

import pytest
from typer.testing import CliRunner

from ullage import Estimator
from ullage.cli.app import app
from ullage.profile_file import unpack

pytest.importorskip("scipy", reason="fitting needs scipy")

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "lazy",
    "dogs",
    "while",
    "nine",
    "silent",
    "engineers",
    "read",
    "заметки",
    "о",
    "погоде",
    "и",
    "今日",
    "天气",
    "很好",
]
SOURCES = ("letters", "notes", "manuals")


def tokens(text):
    """A tokenizer for the tests: a token for each word and one for each character beyond ASCII."""
    return len(text.split()) + sum(not char.isascii() for char in text)


def documents(count=60, seed=1):
    rng = random.Random(seed)
    for number in range(count):
        text = " ".join(rng.choices(WORDS, k=rng.randint(20, 80)))
        yield {"text": text, "source": SOURCES[number % 3], "lang": "mul", "tokens": {"words": tokens(text)}}


def lines(items):
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


@pytest.fixture
def calibrate(tree):
    def run(content, *options, tokenizer="counts:words", out="out.profile"):
        tree({"corpus.jsonl": content})
        arguments = ["calibrate", "--corpus", "corpus.jsonl", "--tokenizer", tokenizer, "--out", out, *options]
        return CliRunner().invoke(app, arguments)

    return run


@pytest.fixture(scope="module")
def corpus():
    return lines(documents())


def test_sixty_texts_make_a_profile(calibrate, corpus, tmp_path):
    result = calibrate(corpus)
    assert result.exit_code == 0, result.output
    assert result.stderr == "ullage: out.profile: fitted on 60 documents\n"
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert names == ["left", *sorted(SOURCES), "all"]

    estimator = Estimator.from_file(tmp_path / "out.profile")
    fresh = [document["text"] for document in documents(20, seed=2)]
    errors = [abs(estimator.estimate(text) - tokens(text)) / tokens(text) for text in fresh]
    assert sum(errors) / len(errors) < 0.05
    assert all(estimator.estimate_range(text).low <= tokens(text) <= estimator.upper_bound(text) for text in fresh)


def test_the_profile_says_what_it_was_fitted_on_and_how_wrong_it_is(calibrate, corpus, tmp_path):
    calibrate(corpus)
    about = unpack((tmp_path / "out.profile").read_bytes()).about
    fitted_on = about["fitted_on"]
    assert about["tokenizer"] == "words"
    assert about["byte_level"] is False
    assert fitted_on["corpus"] == hashlib.sha256(corpus.encode()).hexdigest()
    assert fitted_on["documents"] == 60
    assert fitted_on["characters"] == sum(len(document["text"]) for document in documents())
    assert fitted_on["sources"] == dict.fromkeys(SOURCES, 20)
    errors = about["errors"]
    assert errors["sources_left_out"]["texts"] == 60
    assert {name: figures["texts"] for name, figures in errors["by_source"].items()} == dict.fromkeys(SOURCES, 20)
    weighted = sum(figures["mean"] for figures in errors["by_source"].values()) / 3
    assert errors["sources_left_out"]["mean"] == pytest.approx(weighted, abs=2e-4)
    assert set(errors["by_lang"]) == {"mul"}
    assert "by_kind" not in errors  # no document has one


def test_the_same_corpus_gives_the_same_bytes(calibrate, corpus, tmp_path):
    calibrate(corpus)
    calibrate(corpus, out="again.profile")
    assert (tmp_path / "out.profile").read_bytes() == (tmp_path / "again.profile").read_bytes()
    calibrate(corpus.replace("quick", "quiet"), out="other.profile")
    assert (tmp_path / "out.profile").read_bytes() != (tmp_path / "other.profile").read_bytes()


def test_without_evaluation_there_are_no_errors_and_no_margins(calibrate, corpus, tmp_path):
    result = calibrate(corpus, "--no-evaluate")
    assert (result.exit_code, result.stdout) == (0, "")
    about = unpack((tmp_path / "out.profile").read_bytes()).about
    assert "errors" not in about
    assert "margins" not in about
    with pytest.raises(ValueError, match="no margins"):
        Estimator.from_file(tmp_path / "out.profile").upper_bound("the quick brown fox")


def test_one_source_is_left_out_in_parts(calibrate, tmp_path):
    result = calibrate(lines({**document, "source": ""} for document in documents()))
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("parts left out")
    about = unpack((tmp_path / "out.profile").read_bytes()).about
    assert about["errors"]["documents_left_out"]["texts"] == 60
    assert "by_source" not in about["errors"]


def test_what_costs_nothing_is_left_out(calibrate):
    result = calibrate(lines([*documents(), {"text": "", "tokens": {"words": 0}}]), "--no-evaluate")
    assert result.exit_code == 0
    assert "left out: 1 documents that cost no tokens" in result.stderr
    assert "fitted on 60 documents" in result.stderr


GOOD = lines([{"text": "tea", "tokens": {"words": 1}}])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (GOOD + "{", "corpus.jsonl:2: Expecting property name"),
        (GOOD + "\n" + lines([["tea"]]), "corpus.jsonl:3: a line must be an object, not list"),
        (GOOD + lines([{"tokens": {}}]), 'corpus.jsonl:2: "text" is missing'),
        (lines([{"text": 7}]), 'corpus.jsonl:1: "text" must be a string, not int'),
        (lines([{"text": "tea", "source": ["a"]}]), 'corpus.jsonl:1: "source" must be a string, not list'),
        (lines([{"text": "tea", "tokens": {"words": -1}}]), 'corpus.jsonl:1: "tokens" must hold whole numbers of 0'),
        (lines([{"text": "tea", "tokens": {"words": True}}]), "has True for 'words'"),
        (
            GOOD + lines([{"text": "tea", "tokens": {"b": 2, "a": 1}}]),
            "corpus.jsonl:2: \"tokens\" has no 'words', but a, b",
        ),
        (lines([{"text": "tea"}]), "corpus.jsonl:1: \"tokens\" has no 'words', but nothing"),
        (GOOD, "corpus.jsonl: a profile is fitted on two different texts or more"),
        ("\n", "corpus.jsonl: there are no documents in it"),
        (b'{"text": "\xff"}', "corpus.jsonl:1: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_a_bad_corpus_is_named_by_file_and_line(calibrate, tmp_path, content, sentence):
    result = calibrate(content)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out.profile").exists()


def test_files_that_cannot_be_read_or_written(calibrate, corpus, tree):
    tree({})
    arguments = ["calibrate", "--corpus", "none.jsonl", "--tokenizer", "counts:words", "--out", "out.profile"]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stderr) == (1, "ullage: none.jsonl: No such file or directory\n")
    result = calibrate(corpus, out="nowhere/out.profile")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


@pytest.mark.parametrize("tokenizer", ["words", "counts:", "gpt:4"])
def test_an_unknown_tokenizer_is_wrong_usage(calibrate, tokenizer):
    result = calibrate(GOOD, tokenizer=tokenizer)
    assert result.exit_code == 2
    assert "counts:KEY" in result.stderr


@pytest.mark.parametrize(
    ("module", "tokenizer", "sentence"),
    [
        ("tiktoken", "tiktoken:o200k_base", "tiktoken is not installed: pip install tiktoken"),
        ("tokenizers", "hf:tokenizer.json", "tokenizers is not installed: pip install tokenizers"),
    ],
)
def test_a_missing_package_is_one_sentence(calibrate, monkeypatch, module, tokenizer, sentence):
    monkeypatch.setattr("ullage.counters.find_spec", lambda name: None)
    result = calibrate(GOOD, tokenizer=tokenizer)
    assert (result.exit_code, result.stderr) == (2, f"ullage: {sentence}\n")


def test_tiktoken_without_network(calibrate, tmp_path, monkeypatch):
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    pytest.importorskip("bpe_openai", reason="bpe-openai, which carries the vocabulary, is not installed")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    texts = [document["text"] for document in documents(20)]
    result = calibrate(lines({"text": text} for text in texts), tokenizer="tiktoken:o200k_base")
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "cache").iterdir())) == 1
    estimator = Estimator.from_file(tmp_path / "out.profile")
    assert estimator.about["byte_level"] is True
    encoding = tiktoken.get_encoding("o200k_base")
    for text in texts:
        assert estimator.estimate(text) == pytest.approx(len(encoding.encode(text)), rel=0.05, abs=1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("p50k_base", "the vocabulary 'p50k_base' is not on this machine"), ("o300k", "tiktoken has no encoding 'o300k'")],
)
def test_a_vocabulary_that_is_not_here_is_not_downloaded(calibrate, tmp_path, monkeypatch, name, sentence):
    pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    result = calibrate(GOOD, tokenizer=f"tiktoken:{name}")
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_text_that_the_tokenizer_refuses_is_named(calibrate):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    words()
    result = calibrate('{"text": "tea"}\n{"text": "a \\ud800"}\n', tokenizer="hf:model/tokenizer.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("ullage: corpus.jsonl:2: tokenizers does not take this text: ")


@pytest.mark.parametrize("path", ["model", "model/tokenizer.json"])
def test_a_tokenizer_json(calibrate, tmp_path, path):
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    tokenizer = words()
    result = calibrate(
        lines({"text": document["text"]} for document in documents()), "--no-evaluate", tokenizer=f"hf:{path}"
    )
    assert result.exit_code == 0, result.output
    estimator = Estimator.from_file(tmp_path / "out.profile")
    assert estimator.about["tokenizer"] == "model"
    assert estimator.about["byte_level"] is False
    text = " ".join(WORDS * 3)
    assert len(tokenizer.encode(text)) == 4  # it is told to cut, which a count must not do
    assert estimator.estimate(text) == pytest.approx(len(text.split()), rel=0.1)


def words():
    """A tokenizer.json that gives a token for each word, and cuts what it encodes after four."""
    from pathlib import Path

    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate([*WORDS, "?"])}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_truncation(4)
    Path("model").mkdir(exist_ok=True)
    tokenizer.save("model/tokenizer.json")
    return tokenizer

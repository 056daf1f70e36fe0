"""The benches give right answers and say what they measured; how fast they are is not a matter for tests."""

import json

import pytest

from benches import bandwidth, choice, claims, fitters, machine, record, report, sessions, texts
from benches.contestants import NAMES, load
from ullage import validate

TOKENIZERS = ("gigatoken", "quicktok", "tiktoken")


def contestant(name):
    try:
        return load(name)
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing}; install the dependency group bench")


@pytest.mark.parametrize("name", texts.FILES)
@pytest.mark.parametrize("contender", NAMES)
def test_contestants_give_right_numbers(contender, name):
    subject = contestant(contender)
    for size in (0, 10, 300):
        text = texts.text(name, size)
        tokens = subject.call(text)
        assert subject.check(text, tokens)
        assert not subject.check(text, tokens + 3)


@pytest.mark.parametrize("name", texts.FILES)
def test_tokenizers_agree(name):
    text = texts.text(name, 500)
    assert len({contestant(tokenizer).call(text) for tokenizer in TOKENIZERS}) == 1


def test_a_vocabulary_gives_the_known_count():
    assert [contestant(name).call("hello world") for name in TOKENIZERS] == [2, 2, 2]


@pytest.mark.parametrize("size", [0, 1, 10, 5_000])
def test_texts_are_cut_between_characters(size):
    for name in texts.FILES:
        text = texts.text(name, size)
        assert size - 3 <= len(text.encode()) <= size
        assert texts.text(name, 2 * size).startswith(text)


@pytest.mark.parametrize("name", texts.MESSAGES)
def test_messages_are_of_one_to_eight_kilobytes(name):
    sizes = [len(message.encode()) for message in texts.messages(name)]
    assert len(sizes) > 1
    assert all(1_000 <= size <= 8_000 for size in sizes)


def test_there_is_a_text_for_every_script():
    manifest = {entry["file"]: entry["script"] for entry in json.loads(texts.MANIFEST.read_text("utf-8"))}
    assert {manifest[file] for file in texts.FILES.values()} == set(manifest.values())


@pytest.mark.parametrize(
    ("claim", "sizes"),
    [
        (claims.ascii_call, {"sizes": (0, 10), "rounds": 1}),
        (claims.bandwidth_in_cache, {"sizes": (1 << 10,), "rounds": 1}),
        (claims.bandwidth_streamed, {"sizes": (1 << 10,), "total": 1 << 12, "rounds": 1}),
        (claims.against_tiktoken, {"size": 100, "rounds": 1}),
        (claims.profile_against_tiktoken, {"rounds": 1}),
        (claims.profile_against_quicktok, {"rounds": 1}),
        (claims.profile_against_gigatoken, {"rounds": 1}),
        (claims.profile_of_short_text, {"rounds": 1}),
        (claims.history_append, {"length": 40, "appended": 8, "chunk": 4}),
        (claims.history_update, {"length": 40, "rounds": 1}),
        (claims.fit_of_a_known_history, {"length": 40, "budget": 3_000, "steps": 2}),
        (claims.allocation_time, {"count": 100, "rounds": 1}),
        (claims.session_append, {"length": 40, "appended": 8, "chunk": 4}),
        (claims.session_step, {"length": 40, "rounds": 1}),
        (claims.comparison_of_equal_bodies, {"length": 40, "rounds": 1}),
        (claims.digests_of_messages, {"length": 4, "rounds": 1}),
        (claims.import_time, {"rounds": 1}),
    ],
)
def test_claims_are_measured(claim, sizes):
    measured = claim(**sizes)
    if measured.measured is None:
        pytest.skip(measured.detail)
    assert measured.measured > 0


@pytest.mark.parametrize("language", bandwidth.UCS2)
def test_the_reference_reads_all_of_the_text(language):
    text = bandwidth.ucs2(language, 1 << 13, number=3)
    assert len(text) == 1 << 12
    assert not set(bandwidth.storage(bandwidth.absent(text))) & set(bandwidth.storage(text))


def test_a_claim_holds_on_its_side_of_the_target():
    assert claims.Claim("", "at most", 2, "", 2.0, "").held
    assert not claims.Claim("", "at most", 2, "", 2.1, "").held
    assert claims.Claim("", "at least", 2, "", 2.1, "").held
    assert not claims.Claim("", "at least", 2, "", None, "").held


def test_a_record_has_a_flag_beside_every_time():
    for name in NAMES:
        contestant(name)
    results = list(record.measure([("Russian", 100)], rounds=1, round_seconds=1e-5))
    (row,) = results
    assert tuple(row["calls"]) == NAMES
    assert all(call["correct"] is True and call["seconds"] > 0 for call in row["calls"].values())
    assert json.loads(record.dumps({"machine": machine.describe(), "results": results}))["results"] == results


def synthetic():
    """A record in which ullage takes a byte a nanosecond and each contestant ten times as long as the one before."""
    return {
        "machine": machine.describe(),
        "versions": {"ullage": "1.2.3"},
        "claims": [{"name": "c", "relation": "at most", "target": 1, "unit": " ms", "measured": 0.5, "detail": ""}],
        "results": [
            {
                "text": text,
                "bytes": size,
                "calls": {
                    name: {"seconds": size * 10**place / 1e9, "correct": True} for place, name in enumerate(NAMES)
                },
            }
            for text in texts.LADDER
            for size in texts.SIZES
        ],
    }


def test_report():
    block = report.block(synthetic())
    assert "| `ullage.estimate` | 4.1 µs | 4.1 µs | 4.1 µs |" in block
    assert "| `tiktoken` | 410 ms (100,000×) |" in block
    assert "| 1 MiB | 1 ms | 1 ms | 1 ms | 10 ms |" in block
    assert "| c | at most 1 ms | 0.5 ms | yes |" in block
    assert report.renewed(f"a{report.BEGIN}old{report.END}b", synthetic()) == f"a{report.BEGIN}\n{block}\n{report.END}b"


def test_a_wrong_answer_has_no_time():
    wrong = synthetic()
    wrong["results"][0]["calls"]["ullage"]["correct"] = False
    with pytest.raises(ValueError, match="ullage gave a wrong number for English, 10 bytes"):
        report.block(wrong)


def test_the_readme_shows_the_record():
    readme = report.README.read_text("utf-8")
    assert report.renewed(readme, json.loads(report.LATEST.read_text("utf-8"))) == readme


def test_the_best_choice_is_between_greedy_and_the_bound():
    for _, _, greedy, best, _ in choice.rows(counts=(20,), seeds=2):
        assert 0 < greedy <= best <= 1


@pytest.mark.parametrize("fitter", fitters.FITTERS, ids=lambda fitter: fitter.package)
def test_fitters_are_run_on_the_same_sessions(fitter):
    cases = [(sessions.made(6, turn=3), 1_500), (sessions.made(4), 10**6)]
    try:
        count = fitters.run(fitter, cases)
    except ImportError as missing:
        pytest.skip(f"{missing}; install the dependency group bench")
    assert count.requests == 7 + 1 + 5
    assert count.seconds > 0
    if fitter.package == "ullage":
        assert (count.refused, count.over, count.lost, count.none) == (0, 0, 0, 0)


def test_sessions_are_valid_in_every_format():
    messages = sessions.made(9, turn=3)
    assert validate(messages, "openai-chat") == []
    assert validate([item for items in sessions.responses(messages) for item in items], "openai-responses") == []
    converse = [message for message in sessions.converse(messages) if message is not None]
    assert validate(converse, "bedrock") == []

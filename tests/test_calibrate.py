"""Fitting: a linear tokenizer is found, the same input gives the same bytes, bad input is named."""

import random

import numpy as np
import pytest

from ullage._core import profile_features, profile_tables

sparse = pytest.importorskip("scipy.sparse", reason="fitting needs scipy")

from ullage.calibrate import Corpus, Errors, Settings, calibrate, leave_one_out  # noqa: E402
from ullage.calibrate.design import COLUMNS, WEIGHTS, features  # noqa: E402
from ullage.calibrate.solve import solve  # noqa: E402

SENTENCE = "the quick brown fox jumps over lazy dogs while nine silent engineers read заметки о погоде и 今日 天气 很好"
WORDS = SENTENCE.split()


def texts(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(5, 60))) for _ in range(count)]


def tokens(text: str) -> int:
    """A tokenizer for the tests: a token for each word and one for each character beyond ASCII."""
    return len(text.split()) + sum(not char.isascii() for char in text)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(texts(150))


def test_features_are_counted_for_every_storage_width():
    starts, columns, counts = profile_features(["", "a a", "é", "чай", "👍", "\ud800"])
    assert starts.tolist()[:2] == [0, 0]
    assert len(starts) == 7
    assert starts[-1] == len(columns) == len(counts)
    matrix = features(["a a"])
    step = matrix[:, COLUMNS["step"]].toarray().ravel()
    # "a" opens the text (row 0, position 0), " a" is a run of its own (space: row 9; after a space: row 1).
    assert {int(cell): step[cell] for cell in np.flatnonzero(step)} == {0: 1.0, 9 * 16: 1.0, 1 * 16 + 1: 1.0}
    assert sum(cells for _, cells in profile_tables()) == WEIGHTS


def test_what_is_not_text_is_named():
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, not int"):
        profile_features(["a", 1])


def test_a_linear_tokenizer_is_found(corpus):
    fitted = calibrate(corpus, [tokens(text) for text in corpus.texts])
    fresh = texts(40, seed=2)
    true = np.array([tokens(text) for text in fresh])
    relative = (features(fresh) @ fitted.tokens() - true) / true
    assert Errors.of(relative).mean < 0.02


def test_the_same_input_gives_the_same_bytes(corpus):
    counts = [tokens(text) for text in corpus.texts]
    first = calibrate(corpus, counts, settings=Settings(iterations=5, refit=3))
    second = calibrate(Corpus(corpus.texts), counts, settings=Settings(iterations=5, refit=3))
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.scales.tobytes() == second.scales.tobytes()


def test_segments_teach_what_documents_do_not_show():
    documents = ["one two three"] * 10
    taught = Corpus(documents, segments=[" zebra"], occurrences=[10])
    plain, helped = (
        calibrate(Corpus(documents), [3] * 10).tokens(),
        calibrate(taught, [3] * 10, [4]).tokens(),
    )
    zebra = features([" zebra"])
    assert abs((zebra @ helped)[0] - 4) < abs((zebra @ plain)[0] - 4) / 2


def test_progress_counts_to_the_end(corpus):
    seen = []
    calibrate(
        corpus,
        [tokens(text) for text in corpus.texts],
        settings=Settings(iterations=4, refit=2),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(step, 6) for step in range(1, 7)]


def test_leaving_one_out_uses_no_document_of_the_group(corpus):
    counts = [tokens(text) for text in corpus.texts]
    groups = ["a" if index % 3 else "b" for index in range(len(counts))]
    settings = Settings(iterations=10, refit=2)
    relative = leave_one_out(corpus, counts, groups, settings=settings)
    wrong = [count * 50 if group == "b" else count for count, group in zip(counts, groups, strict=True)]
    spoiled = leave_one_out(corpus, wrong, groups, settings=settings)
    # The error of b comes from a fit on a alone, so the counts of b change only what they are compared with.
    b = np.array([group == "b" for group in groups])
    np.testing.assert_allclose((1 + relative[b]) / 50, 1 + spoiled[b], rtol=1e-9)
    assert np.abs(spoiled[~b]).mean() > 1


@pytest.mark.parametrize(
    ("counts", "message"),
    [([1, 2], "counts has 2 items for 150 texts"), ([0] * 150, r"counts\[0\] is 0")],
)
def test_bad_counts_are_refused(corpus, counts, message):
    with pytest.raises(ValueError, match=message):
        calibrate(corpus, counts)


def test_counts_that_no_profile_can_hold_are_refused():
    corpus = Corpus(["abc", "abd def", "hello"])
    with pytest.raises(ValueError, match="more than a profile can hold"):
        calibrate(corpus, [10**12] * 3, settings=Settings(iterations=5, refit=5), priors={"flat": np.ones(WEIGHTS)})


def test_solve_agrees_with_the_normal_equations():
    rng = np.random.default_rng(3)
    design, target = rng.random((30, 6)), rng.random(30)
    importance, ridge = rng.random(30), np.full(6, 0.1)
    expected = np.linalg.solve(
        design.T @ (importance[:, None] * design) + np.diag(ridge), design.T @ (importance * target)
    )
    found = solve(sparse.csr_array(design), target, importance, ridge, iterations=30)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    # With some weights held, the others make the best of it.
    free = np.array([False, False, True, True, True, True])
    start = np.where(free, 0.0, 0.25)
    rest = target - design[:, :2] @ [0.25, 0.25]
    inner = design[:, 2:]
    expected = np.linalg.solve(inner.T @ (importance[:, None] * inner) + 0.1 * np.eye(4), inner.T @ (importance * rest))
    found = solve(sparse.csr_array(design), target, importance, ridge, iterations=30, start=start, free=free)
    np.testing.assert_allclose(found, np.concatenate([[0.25, 0.25], expected]), rtol=1e-6)

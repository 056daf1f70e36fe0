"""The picture shows what was measured."""

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")

from ullage.accuracy import Errors
from ullage.bench import Report, Result
from ullage.drifting import DriftStep
from ullage.plots import PARTS, accuracy, drift, save_accuracy, save_drift


def result(name, place, *, exact=False, kinds=("code", "prose"), judged=True):
    errors = Errors.of(np.array([0.02, -0.04]) * place)
    by_kind = dict.fromkeys(kinds, errors) if judged else {}
    return Result(name, "1.0", exact, 1000 / place, place, errors if judged else None, by_kind)


def report(**options):
    named = [result(name, place, **options) for place, name in enumerate(("ours", "rule", "quarter"), 1)]
    exact = result("tokenizer", 40, exact=True, **options)
    truth = "tokenizer 1.0" if options.get("judged", True) else None
    return Report("o200k_base", truth, 2, 100, (*named, exact))


def labels(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_speeds_errors_and_kinds():
    speeds, errors, kinds = accuracy(report()).axes
    assert labels(speeds) == ["ours", "rule", "quarter", "tokenizer"]
    assert [bar.get_width() for bar in speeds.patches] == [1000, 500, pytest.approx(1000 / 3), 25]
    assert labels(errors) == ["ours", "rule", "quarter"]  # a tokenizer has no error to show
    assert [bar.get_width() for bar in errors.patches] == pytest.approx([3, 6, 9])
    assert labels(kinds) == ["code", "prose"]
    assert [text.get_text() for text in kinds.get_legend().get_texts()] == ["ours", "rule", "quarter"]


def test_without_a_truth_only_speeds():
    (speeds,) = accuracy(report(judged=False)).axes
    assert labels(speeds)[0] == "ours"


def test_without_kinds_two_panels():
    assert len(accuracy(report(kinds=())).axes) == 2


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_file_in_the_format_of_its_ending(tmp_path, ending):
    save_accuracy(report(), tmp_path / f"a.{ending}")
    begin = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"a.{ending}").read_bytes().startswith(begin)


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match="xyz"):
        save_accuracy(report(), tmp_path / "a.xyz")


SESSIONS = [
    [DriftStep(2, 50, 40, 0, 10), DriftStep(4, 50, 40, 100, 10)],
    [DriftStep(1, 20, 30, 0, 0)],
]


def heights(axes):
    return [[bar.get_height() for bar in bars] for bars in axes.containers]


def test_what_each_request_sends_is_stacked():
    tokens, shares = drift(SESSIONS, below=0.1, window=300).axes
    assert heights(tokens) == [[50, 50, 20], [40, 40, 30], [0, 100, 0], [10, 10, 0]]
    assert heights(shares) == [pytest.approx(each) for each in ([50, 25, 40], [40, 20, 60], [0, 50, 0], [10, 5, 0])]
    assert [bar.get_y() + bar.get_height() for bar in shares.containers[-1]] == pytest.approx([100] * 3)
    assert [bars.get_label() for bars in tokens.containers] == list(PARTS)
    assert [list(line.get_ydata()) for line in tokens.lines[1:]] == [[300, 300]]
    assert [list(line.get_ydata()) for line in shares.lines[1:]] == [[10, 10]]
    assert [list(line.get_xdata()) for line in shares.lines[:1]] == [[2.5, 2.5]]  # where the second session begins


def test_without_a_window_only_shares_have_a_line(tmp_path):
    tokens, shares = drift(SESSIONS[1:], below=0.5).axes
    assert (len(tokens.lines), len(shares.lines)) == (0, 1)
    save_drift(SESSIONS, tmp_path / "a.png", below=0.1)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")

"""What docs/accuracy.md says of all counts and estimates, and can be tested from a checkout."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ullage import Estimator, profiles
from ullage.accuracy import Errors
from ullage.counters import installed

CORPORA = Path(__file__).parent.parent / "corpora"
TEXTS = {
    entry["file"]: (CORPORA / entry["file"]).read_bytes().decode()
    for entry in json.loads((CORPORA / "manifest.json").read_bytes())
}


def reference(vocabulary):
    counter = next(installed(vocabulary), None)
    if counter is None:
        pytest.skip(
            f"no tokenizer with the vocabulary {vocabulary} is installed (tiktoken with bpe-openai, quicktok-v1)"
        )
    return counter.count


def test_errors():
    errors = Errors.of(np.array([0.1, -0.2, 0.0, 0.3]))
    assert (errors.texts, errors.under) == (4, 0.25)
    assert errors.mean == pytest.approx(0.15)
    assert errors.median == pytest.approx(0.15)
    assert errors.bias == pytest.approx(0.05)
    assert errors.p95 == pytest.approx(0.285)


@pytest.mark.parametrize("vocabulary", ["o200k_base", "cl100k_base"])
def test_a_prefix_can_cost_more_than_the_whole(vocabulary):
    count = reference(vocabulary)
    assert (count(" notwithstandi"), count(" notwithstanding")) == (4, 1)


def test_counts_fall_along_a_text():
    count = reference("o200k_base")
    text = TEXTS["text/en.txt"]
    counts = [count(text[:end]) for end in range(len(text) + 1)]
    assert sum(after < before for before, after in pairwise(counts)) == 82


@pytest.mark.parametrize("profile", [key for key in profiles() if key != "script"])
def test_parts_at_a_line_end_add_up_to_the_whole(profile):
    estimate = Estimator(profile=profile).estimate
    differences = []
    for name, text in TEXTS.items():
        ends = [place + 1 for place, char in enumerate(text[:-1]) if char == "\n"]
        whole = estimate(text)
        for end in ends[:: max(1, len(ends) // 8)]:
            difference = estimate(text[:end]) + estimate(text[end:]) - whole
            # Three numbers are rounded, by half a token each.
            assert abs(difference) <= 1.5 + 0.01 * whole, (name, end)
            differences.append(abs(difference) / whole)
    assert np.mean(differences) < 0.002


@pytest.mark.parametrize("profile", ["o200k_base", "cl100k_base", "llama3", "qwen2.5"])
def test_profiles_are_near_their_tokenizers_on_these_corpora(profile):
    count, estimate = reference(profile), Estimator(profile=profile).estimate
    true = np.array([count(text) for text in TEXTS.values()])
    found = Errors.of(np.array([estimate(text) for text in TEXTS.values()]) / true - 1)
    assert found.mean < 0.04
    assert found.p95 < 0.10


@pytest.mark.parametrize("profile", ["o200k_base", "cl100k_base", "llama3", "qwen2.5"])
def test_bounds_hold_on_these_corpora(profile):
    count, estimator = reference(profile), Estimator(profile=profile)
    missed = [name for name, text in TEXTS.items() if count(text) > estimator.upper_bound(text)]
    assert len(missed) <= 0.01 * len(TEXTS) + 1, missed

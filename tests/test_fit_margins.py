"""Margins: found for the worst group and class, honest where texts are few, never rising with the miss rate."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="fitting needs scipy")

from ullage.calibrate import margins
from ullage.calibrate.margins import CLASSES, CONSTANT, MISS_RATES, SPREAD
from ullage.margins import Margins

TEXTS = {"ascii": "plain English text " * 40, "cjk": "天地玄黄宇宙洪荒" * 50, "other": "Вышел ёжик из тумана " * 40}


def sample(count, script="ascii", spread=0.03, seed=1):
    """Texts, true counts and estimates whose relative error is normal."""
    rng = np.random.default_rng(seed)
    true = rng.integers(400, 2000, count)
    return [TEXTS[script]] * count, true.tolist(), (true * (1 + rng.normal(0, spread, count))).tolist()


def missed(found, true, estimated, rate):
    parsed = Margins.read({"margins": found})
    numbers = [max(1, round(number)) for number in estimated]
    return (
        np.mean([count > parsed.high(number, rate) for number, count in zip(numbers, true, strict=True)]),
        np.mean([count < parsed.low(number, rate) for number, count in zip(numbers, true, strict=True)]),
    )


@pytest.mark.parametrize("script", CLASSES)
@pytest.mark.parametrize("rate", MISS_RATES)
def test_new_texts_of_the_same_kind_miss_at_the_rate(script, rate):
    found = margins(*sample(3000, script))
    _, true, estimated = sample(20_000, script, seed=2)
    for share in missed(found, true, estimated, rate):
        assert share <= 1.6 * rate


def test_a_bound_is_no_wider_than_it_must_be():
    found = margins(*sample(3000))
    # Of normal errors of 3 %, one in a hundred is beyond 7 %; spread and constant take 2 % of a thousand tokens.
    assert 0.04 < found["up"]["slope_by_script"]["ascii"][MISS_RATES.index(0.01)] < 0.08


def test_the_worst_group_decides():
    texts, true, estimated = sample(3000)
    kinds = ["log" if number < 150 else "prose" for number in range(3000)]
    low = [number * 0.8 if kind == "log" else number for number, kind in zip(estimated, kinds, strict=True)]
    apart, together = (margins(texts, true, low, labels) for labels in ([kinds], []))
    assert apart["up"]["slope"][3] > 0.25 > together["up"]["slope"][3] - 0.1
    assert apart["up"]["slope"][4] > 2 * together["up"]["slope"][4]


def test_a_class_has_a_slope_of_its_own():
    parts = [sample(500, "ascii", 0.01), sample(500, "cjk", 0.05)]
    found = margins(*([*first, *second] for first, second in zip(*parts, strict=True)))
    by_script = found["up"]["slope_by_script"]
    assert by_script["cjk"][2] > 2 * by_script["ascii"][2]
    assert found["up"]["slope"] == by_script["cjk"]
    assert by_script["other"] == found["up"]["slope"]  # no text shows it, so it gets the worst


@pytest.mark.parametrize(("count", "rate"), [(20, 0.01), (60, 0.01), (60, 0.001), (300, 0.001)])
def test_fewer_texts_than_a_rate_needs_are_stretched(count, rate):
    _, true, estimated = sample(5_000, seed=99)
    shares = [missed(margins(*sample(count, seed=seed)), true, estimated, rate) for seed in range(20)]
    assert np.mean(shares) <= 1.5 * rate


@pytest.mark.parametrize("count", [1, 2, 60, 400])
def test_numbers_never_rise_with_the_rate(count):
    found = margins(*sample(count))
    assert Margins.read({"margins": found}) is not None  # it refuses those that do
    assert found["miss_rates"] == list(MISS_RATES)
    assert (found["up"]["spread"], found["down"]["constant"]) == (list(SPREAD), list(CONSTANT))


def test_short_texts_are_used_where_there_are_few_long_ones():
    _, true, estimated = sample(80)
    assert margins(["short"] * 80, true, estimated)["up"] == margins([TEXTS["ascii"]] * 80, true, estimated)["up"]

"""What is learned from usage: how fast, and how little one number can do."""

import json
import math
import random
import statistics
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ullage import Calibration, Estimator
from ullage.calibration import COST_STEP, LEAST, MOST, MOST_COST, OTHER_KINDS, STEP, TEXT_KINDS

KINDS = sorted(TEXT_KINDS | OTHER_KINDS)


class Model:
    """A model whose tokenizer differs by a factor for each kind, with a fixed cost and noise in what it returns."""

    def __init__(self, factors, *, cost=0, noise=0.05, seed=0):
        self.factors, self.cost, self.noise, self.random = factors, cost, noise, random.Random(seed)
        self.parts = {"text": 1500} | dict.fromkeys(set(factors) - {"text"}, 0)

    def request(self):
        """The next request of an agent: a little more of every kind."""
        for kind in sorted(self.parts):
            self.parts[kind] += self.random.randint(0, 800)
        return dict(self.parts)

    def truth(self, parts):
        return sum(self.factors[kind] * tokens for kind, tokens in parts.items()) + self.cost

    def usage(self, parts):
        return max(1, round(self.truth(parts) * self.random.gauss(1, self.noise)))


def errors(factors, requests=20, **model):
    """Mean relative error of the ten requests after those that were learned from, for each of thirty sessions."""
    found = []
    for seed in range(30):
        model_ = Model(factors, seed=seed, **model)
        calibration = Calibration()
        for _ in range(requests):
            parts = model_.request()
            calibration = calibration.observe(parts, model_.usage(parts))
        later = [model_.request() for _ in range(10)]
        found.append(statistics.mean(abs(calibration.tokens(parts) / model_.truth(parts) - 1) for parts in later))
    return found


SAME = dict.fromkeys(("text", "tool_call", "tool_result", "thinking"), 1.0)
MIXED = {"text": 0.9, "tool_call": 1.3, "tool_result": 1.4, "thinking": 1.1}


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_a_tokenizer_that_differs_by_thirty_percent_is_tracked_within_twenty_requests(factor):
    factors = dict.fromkeys(SAME, factor)
    assert max(errors(factors, noise=0)) < 0.005
    noisy = errors(factors)
    assert statistics.mean(noisy) < 0.02
    assert statistics.quantiles(noisy, n=20)[18] < 0.03


@pytest.mark.parametrize("factors", [MIXED, dict.fromkeys(SAME, 1.3)])
@pytest.mark.parametrize("cost", [0, 400])
def test_so_are_kinds_that_differ_and_a_fixed_cost(factors, cost):
    found = errors(factors, cost=cost)
    assert statistics.mean(found) < 0.02
    assert statistics.quantiles(found, n=20)[18] < 0.035


def test_a_model_that_is_as_estimated_stays_so():
    assert statistics.mean(errors(SAME)) < 0.02
    assert max(errors(SAME, noise=0)) < 1e-6


def test_the_past_fades():
    calibration = Calibration()
    for factor in [1.0] * 200 + [1.5] * 100:
        calibration = calibration.observe(10_000, round(10_000 * factor))
    assert calibration.tokens(10_000) == pytest.approx(15_000, rel=0.08)


AMOUNTS = st.integers(0, 1 << 20) | st.floats(0, 4)
PARTS = st.one_of(
    st.integers(1, 1 << 30),
    st.floats(0, 2, exclude_min=True),
    st.dictionaries(st.sampled_from(KINDS), AMOUNTS, min_size=1).filter(lambda parts: sum(parts.values()) > 0),
)
USAGES = st.one_of(st.integers(1, 1 << 20), st.integers(1, 1 << 60), st.just(10**400))
OBSERVATIONS = st.lists(st.tuples(PARTS, USAGES), max_size=12)


def learned(observations):
    calibration = Calibration()
    for parts, usage in observations:
        calibration = calibration.observe(parts, usage)
    return calibration


@given(OBSERVATIONS, PARTS, USAGES)
def test_no_number_moves_anything_by_more_than_its_step(observations, parts, usage):
    before = learned(observations)
    after = before.observe(parts, usage)
    for kind in KINDS:
        assert LEAST <= after.factor(kind) <= MOST
        assert 1 / STEP - 1e-9 <= after.factor(kind) / before.factor(kind) <= STEP + 1e-9
    assert 0 <= after.request_cost <= MOST_COST
    assert abs(after.request_cost - before.request_cost) <= COST_STEP + 1e-6


def test_a_hostile_number_among_many_does_little():
    honest = learned([(1000 + 10 * index, 1000 + 10 * index) for index in range(50)])
    attacked = honest.observe(1000, 10**12)
    assert attacked.tokens(1000) <= 1.35 * honest.tokens(1000)
    recovered = attacked
    for index in range(20):
        recovered = recovered.observe(1000 + 10 * index, 1000 + 10 * index)
    assert recovered.tokens(1000) == pytest.approx(1000, rel=0.03)


@given(OBSERVATIONS, PARTS, st.integers(1, 1 << 30), OBSERVATIONS)
def test_what_was_observed_is_never_forgotten(before, parts, usage, after):
    estimate = sum(parts.values()) if isinstance(parts, dict) else parts
    calibration = learned([*before, (parts, usage), *after])
    assert calibration.observed(estimate) >= min(usage, 2 * estimate)
    assert calibration.observed(estimate) <= math.ceil(2 * (estimate + 2))


@given(OBSERVATIONS, st.integers(0, 1 << 30), st.integers(0, 1 << 30))
def test_what_was_observed_grows_with_the_size(observations, first, second):
    less, more = sorted((first, second))
    calibration = learned(observations)
    assert calibration.observed(less) <= calibration.observed(more)


@given(OBSERVATIONS, OBSERVATIONS, OBSERVATIONS)
def test_merging_does_not_depend_on_the_order(first, second, third):
    a, b, c = map(learned, (first, second, third))
    assert a.merge(b) == b.merge(a)
    left, right = a.merge(b).merge(c), a.merge(b.merge(c))
    assert left.observations == right.observations == len(first) + len(second) + len(third)
    assert left.peaks == right.peaks
    for kind in KINDS:
        assert left.factor(kind) == pytest.approx(right.factor(kind), rel=1e-6, abs=1e-6)
    assert a.merge(Calibration()) == a


def test_two_that_learned_the_same_know_it_better():
    alone = learned([(1000, 1300)] * 3)
    assert 1.1 < alone.factor() < alone.merge(alone).factor() < 1.3


def test_merging_the_same_over_and_over_stays_a_calibration():
    once = learned([({"text": 1000 + index, "image": 300 + 7 * index}, 1700) for index in range(30)])
    merged = once
    for _ in range(200):
        merged = merged.merge(merged)
    assert once.factor() < merged.factor() < 1.5
    assert Calibration.from_json(merged.to_json()) == merged
    assert merged.observe(1000, 10**9).factor() <= STEP * merged.factor()


@given(OBSERVATIONS)
def test_it_is_written_and_read_exactly(observations):
    calibration = learned(observations)
    read = Calibration.from_json(calibration.to_json())
    assert read == calibration
    assert hash(read) == hash(calibration)
    assert [read.factor(kind) for kind in KINDS] == [calibration.factor(kind) for kind in KINDS]


def test_less_than_a_token_is_written_and_read_too():
    calibration = Calibration().observe({"text": 0.25}, 7)
    assert Calibration.from_json(calibration.to_json()) == calibration
    assert calibration.observed(0.25) == 4


def test_the_same_observations_give_the_same_bytes():
    observations = [({"text": 1000 + index, "tool_result": 77 * index}, 1200 + 90 * index) for index in range(30)]
    assert learned(observations).to_json() == learned(observations).to_json()


GOOD = json.loads(learned([({"text": 100, "image": 20}, 150)]).to_json())


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"observations": -1},
        {"observations": True},
        {"observations": "3"},
        {"squares": 3},
        {"squares": [["text", "text", "x"]]},
        {"squares": [["nobody", "nobody", 1.0]]},
        {"squares": [["text", "image", 1.0]]},
        {"squares": [["text", "text", -1e9]]},
        {"squares": [["text", "text", math.inf]]},
        {"squares": [["text", "text", 1e10]]},
        {"targets": [["text", -1e17]]},
        {"targets": [["text", math.nan]]},
        {"targets": [["nobody", 1.0]]},
        {"peaks": [[3, 9.0]]},
        {"peaks": [[99, 1.5]]},
    ],
)
def test_other_json_is_refused(change):
    with pytest.raises(ValueError, match=r"not a calibration as to_json writes it: .*; start with Calibration\(\)"):
        Calibration.from_json(json.dumps({**GOOD, **change}))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "[" * 100_000, b"\xff"])
def test_what_is_no_calibration_is_refused(text):
    with pytest.raises(ValueError, match="not a calibration"):
        Calibration.from_json(text)


@given(
    st.recursive(st.none() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_any_json_is_read_or_refused(value):
    for data in (value, {**GOOD, "squares": value}, {**GOOD, "targets": value}, {**GOOD, "peaks": value}):
        try:
            read = Calibration.from_json(json.dumps(data))
        except ValueError:
            continue
        assert all(LEAST <= read.factor(kind) <= MOST for kind in KINDS)


@pytest.mark.parametrize(
    ("parts", "usage", "error", "message"),
    [
        (0, 10, ValueError, "parts must have at least one token"),
        ({}, 10, ValueError, "parts must have at least one token"),
        (-1, 10, ValueError, "tokens of 'text' must be from 0 to 2"),
        (math.nan, 10, ValueError, "tokens of 'text' must be from 0 to 2"),
        (10**400, 10, ValueError, "tokens of 'text' must be from 0 to 2"),
        (Decimal("NaN"), 10, ValueError, "tokens of 'text' must be from 0 to 2"),
        ("10", 10, TypeError, "tokens of 'text' must be a number, not str"),
        ({"tool_call": None}, 10, TypeError, "tokens of 'tool_call' must be a number, not NoneType"),
        ({"text": 1 << 53, "image": 4}, 10, ValueError, "tokens of all kinds together must be at most 2"),
        ({"video": 10}, 10, ValueError, "there is no kind of part 'video'; there are: audio, document"),
        (10, 0, ValueError, "usage must be at least 1 token, not 0"),
        (10, -(10**9), ValueError, "usage must be at least 1 token"),
        (10, 1.5, TypeError, "usage must be an int of tokens, not float"),
        (10, None, TypeError, "usage must be an int of tokens, not NoneType"),
        (10, True, TypeError, "usage must be an int of tokens, not bool"),
    ],
)
def test_what_cannot_be_learned_from_is_named(parts, usage, error, message):
    for learner in (Calibration(), Estimator()):
        with pytest.raises(error, match=message):
            learner.observe(parts, usage)


def test_a_calibration_merges_with_its_kind_only():
    with pytest.raises(TypeError, match="other must be a Calibration, not dict"):
        Calibration().merge({})


@settings(max_examples=20)
@given(st.permutations(KINDS))
def test_the_order_of_the_kinds_does_not_matter(kinds):
    one = Calibration().observe(dict.fromkeys(KINDS, 100), 1000)
    assert Calibration().observe(dict.fromkeys(kinds, 100), 1000) == one

"""The margins of a profile: read, refused, interpolated."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import InvalidProfile, ScriptCounts
from ullage.margins import Margins

STORED = {
    "miss_rates": [0.001, 0.01, 0.1],
    "up": {"slope": [0.2, 0.1, 0.05], "spread": [2, 1, 0.5], "constant": [4, 2, 1]},
    "down": {"slope": [0.1, 0.1, 0.04], "spread": [1, 1, 0], "constant": [2, 0, 0]},
}
MARGINS = Margins.read({"margins": STORED})
RATES = st.floats(0.001, 0.1)
TOKENS = st.integers(0, 1 << 40)


def test_stored_rates_are_taken_as_they_are():
    assert MARGINS.high(10_000, 0.01) == 10_000 + 1000 + 100 + 2
    assert MARGINS.low(10_000, 0.01) == 10_000 - 1000 - 100
    assert MARGINS.high(0, 0.01) == MARGINS.low(0, 0.01) == 0
    assert MARGINS.low(1, 0.001) == 1


def test_between_them_coefficients_follow_the_logarithm_of_the_rate():
    rate = math.sqrt(0.01 * 0.1)  # half-way
    assert MARGINS.high(10_000, rate) == math.ceil(10_000 * 1.075 + 0.75 * 100 + 1.5)


@given(TOKENS, RATES, RATES)
def test_fewer_misses_need_more_room(tokens, first, second):
    few, many = sorted((first, second))
    assert MARGINS.low(tokens, few) <= MARGINS.low(tokens, many) <= tokens
    assert MARGINS.high(tokens, few) >= MARGINS.high(tokens, many) >= tokens


@given(TOKENS, TOKENS, RATES)
def test_more_tokens_have_a_higher_bound(first, second, rate):
    less, more = sorted((first, second))
    assert MARGINS.high(less, rate) <= MARGINS.high(more, rate)


@pytest.mark.parametrize("rate", [0.0009, 0.11, 0, 1, -1, math.nan, math.inf])
def test_other_rates_are_refused(rate):
    with pytest.raises(ValueError, match=r"miss_rate must be from 0\.001 to 0\.1 with this profile"):
        MARGINS.high(10, rate)


@pytest.mark.parametrize("rate", ["0.01", None, True])
def test_a_rate_is_a_number(rate):
    with pytest.raises(TypeError, match=f"miss_rate must be a number, not {type(rate).__name__}"):
        Margins.read({"margins": STORED}).high(10, rate)


def test_slopes_by_script_are_taken_by_their_shares():
    by_script = {"ascii": [0.1, 0.1, 0.05], "cjk": [0.2, 0.1, 0.05], "other": [0.2, 0.2, 0.1]}
    margins = Margins.read({"margins": {**STORED, "up": {**STORED["up"], "slope_by_script": by_script}}})
    for counts, slope in [
        (ScriptCounts(ascii=10), 0.1),
        (ScriptCounts(cjk=1), 0.2),
        (ScriptCounts(ascii=4, cjk=1), 0.15),
        (ScriptCounts(ascii=2, other=1), 0.15),
        (None, 0.2),
    ]:
        assert margins.high(10_000, 0.001, counts) == math.ceil(10_000 * (1 + slope) + 2 * 100 + 4)


def test_a_profile_may_have_none():
    assert Margins.read({}) is None


UP = STORED["up"]


@pytest.mark.parametrize(
    "change",
    [
        {"miss_rates": [0.01]},
        {"miss_rates": [0.01, 0.01, 0.1]},
        {"miss_rates": [0, 0.01, 0.1]},
        {"miss_rates": "abc"},
        {"miss_rates": None},
        {"up": {**UP, "slope": [0.1, 0.2, 0.05]}},
        {"up": {**UP, "slope": [0.2, 0.1]}},
        {"up": {**UP, "constant": [4, 2, -1]}},
        {"up": {**UP, "spread": [math.inf, 1, 1]}},
        {"up": {**UP, "spread": [math.nan, 1, 1]}},
        {"up": {**UP, "spread": [1e308, 1, 1]}},
        {"up": {}},
        {"up": {**UP, "slope_by_script": {"ascii": [0.1] * 3}}},
        {"up": {**UP, "slope_by_script": {name: [0.1, 0.2, 0.3] for name in ("ascii", "cjk", "other")}}},
        {"down": []},
        {"down": {name: [*values, 0] for name, values in STORED["down"].items()}},
    ],
)
def test_what_are_no_margins_is_refused(change):
    with pytest.raises(InvalidProfile, match="margins"):
        Margins.read({"margins": {**STORED, **change}})


def test_margins_are_an_object():
    with pytest.raises(InvalidProfile, match="margins cannot be read"):
        Margins.read({"margins": None})

"""`Budget`: the arithmetic of a window, and what is known of models."""

import importlib.util
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import Budget, InvalidBudget, UnknownModel
from ullage.budgets.limits import KNOWN


@given(st.integers(1, 10**7), st.integers(0, 10**6), st.floats(0, 1, exclude_max=True))
def test_a_slack_is_the_least_number_of_tokens_that_is_its_share(window, reserve, slack):
    try:
        budget = Budget(window, reserve, slack=slack)
    except InvalidBudget:
        held = window * Fraction(str(slack))
        assert window - reserve - held < 1
        return
    share = window * Fraction(repr(slack))
    assert share <= budget.held < share + 1
    assert budget.room == window - reserve - budget.held


@given(st.integers(1, 10**6), st.integers(1, 100), st.sampled_from([0.0, 0.1, 1 / 3, 0.05, 0.999]))
def test_a_larger_window_has_no_less_room(window, more, slack):
    try:
        room = Budget(window, slack=slack).room
    except InvalidBudget:
        room = 0
    try:
        assert Budget(window + more, slack=slack).room >= room
    except InvalidBudget:
        assert room == 0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"window": 0}, "a window of 0 tokens has no room"),
        (
            {"window": 1_000, "output_reserve": 600, "slack": 0.5},
            "minus an output reserve of 600 and a slack of 500 (0.5 of the window) leaves -100",
        ),
        (
            {"window": 1_000, "output_reserve": 100, "target": 850, "slack": 0.1},
            "a target of 850 tokens is not within 1 and 800, which a window of 1,000 tokens minus an output reserve "
            "of 100 and a slack of 100 (0.1 of the window) leaves",
        ),
        ({"window": 1_000, "slack": 1.0}, "a slack of 1 is not a share of the window"),
        ({"window": 1_000, "slack": float("nan")}, "a slack of nan is not a share of the window"),
    ],
)
def test_what_is_impossible_is_refused_with_the_arithmetic(values, sentence):
    with pytest.raises(InvalidBudget) as caught:
        Budget(**values)
    assert sentence in str(caught.value)


def test_slack_is_a_number():
    with pytest.raises(TypeError, match="slack must be a number, not str"):
        Budget(1_000, slack="0.1")


@pytest.mark.parametrize(
    ("model", "window", "output"),
    [
        ("gpt-4o", 128_000, 16_384),
        ("azure/gpt-4o-2024-08-06", 128_000, 16_384),
        ("gpt-4o-2024-05-13", 128_000, 4_096),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000),
        ("claude-opus-4-20250514", 200_000, 32_000),
        ("claude-opus-4.8", 1_000_000, 128_000),
        ("models/gemini-2.5-pro", 1_048_576, 65_536),
        ("gpt-5-chat-latest", 128_000, 16_384),
    ],
)
def test_a_model_has_its_window(model, window, output):
    assert Budget.for_model(model) == Budget(window, output)


def test_what_genai_prices_knows_alone_needs_a_reserve():
    with pytest.raises(UnknownModel, match="window of 262,144 tokens, but how many it writes is not known"):
        Budget.for_model("mistral-large-2512")
    assert Budget.for_model("mistral-large-2512", output_reserve=2_000) == Budget(262_144, 2_000)


def test_without_genai_prices_the_table_still_knows(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "genai_prices" else find(name))
    assert Budget.for_model("gpt-4o") == Budget(128_000, 16_384)
    with pytest.raises(UnknownModel, match=r"no window is known for model 'mistral-large-2512': give Budget\(window"):
        Budget.for_model("mistral-large-2512", output_reserve=1)


def test_a_window_does_not_depend_on_what_is_installed():
    from genai_prices.data_snapshot import get_snapshot

    compared = 0
    for name, limits in KNOWN.items():
        try:
            window = get_snapshot().find_provider_model(name, None, None, None)[1].context_window
        except LookupError:
            continue
        if limits is not None and window is not None:
            assert limits.window <= window, name
            compared += 1
    assert compared > 30


def test_a_reserve_above_what_a_model_writes_is_refused():
    with pytest.raises(InvalidBudget, match="20,000 tokens is 3,616 more than the 16,384 that gpt-4o writes at most"):
        Budget.for_model("gpt-4o", output_reserve=20_000)


@pytest.mark.parametrize("model", ["gpt-5.9", "who-knows", ""])
def test_an_unknown_model_is_an_error(model):
    with pytest.raises(UnknownModel, match="no window is known"):
        Budget.for_model(model)


def test_a_model_is_a_name():
    with pytest.raises(TypeError, match="model must be str, not int"):
        Budget.for_model(4)

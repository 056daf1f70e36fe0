"""With a profile, what is sent is within the budget by its upper bound, and hardly more is given away."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fit.made import NAMES, steps_
from formats.builder import FORMATS, Assistant, Call, Result, User, build
from ullage import (
    Budget,
    Calibration,
    CannotFit,
    Estimator,
    FitPolicy,
    History,
    ScriptCounts,
    UnknownModel,
    fit,
    formats,
    scripts,
    validate,
    what_if,
)
from ullage.estimator import LEAST, MISS_RATE
from ullage.fitting.costs import Costs

MODELS = st.sampled_from(["gpt-4o", "mistral-nemo", "claude-opus-4-8"])
TOOLS = [{"type": "function", "function": {"name": "read", "description": "Read a file of the harbour office."}}]


def request(name, messages, system=None, tools=None):
    """The texts of a request, and the tokens of it that are not text."""
    shape = formats.named(name)
    records = [shape.read(message, "message") for message in messages]
    if system is not None:
        records.append(shape.system(system))
    parts = [part for record in records for part in record.parts]
    if tools is not None:
        parts.append(shape.tools(tools))
    texts = [text for part in parts for text in part.texts]
    framing = shape.REQUEST_TOKENS + sum(record.frame for record in records) + sum(part.tokens for part in parts)
    return texts, framing


def upper_bound(estimator, texts):
    """The profile's bound of texts together, each with the slope of its own scripts."""
    margins = estimator.about["margins"]
    at = margins["miss_rates"].index(MISS_RATE)
    slopes = {name: Fraction(rates[at]) for name, rates in margins["up"]["slope_by_script"].items()}
    total = bound = Fraction(0)
    for text in texts:
        counts = scripts(text)
        weights = {"ascii": counts.ascii, "cjk": 4 * counts.cjk, "other": 2 * counts.other}
        slope = sum(slopes[name] * weight for name, weight in weights.items()) / max(1, sum(weights.values()))
        total += estimator.estimate(text)
        bound += max(estimator.estimate(text) * (1 + slope), Fraction(LEAST) * sum(weights.values()) / 4)
    return float(bound) + margins["up"]["spread"][at] * math.sqrt(total) + margins["up"]["constant"][at]


@settings(max_examples=100, deadline=None)
@given(NAMES, steps_(), MODELS, st.sampled_from([0.2, 0.5, 0.8, 1.0, 1.2]))
def test_the_upper_bound_is_within_the_budget(name, steps, model, share):
    messages, system, _ = build(name, steps)
    if validate(messages, name):
        return
    estimator = Estimator.for_model(model)
    texts, framing = request(name, messages, system)
    budget = max(1, int((upper_bound(estimator, texts) + framing) * share))
    result = error = None
    try:
        result = fit(messages, budget, system=system, model=model, format=name)
    except CannotFit as caught:
        error = caught
    if result is None:
        assert error.needed > error.limit == Costs(estimator).limit(budget)
        assert share < 1.2
        return
    texts, framing = request(name, result.messages, system)
    assert upper_bound(estimator, texts) + framing <= budget + 1e-6
    assert result.tokens == framing + sum(map(Costs(estimator).estimate, texts)) <= result.receipt.limit
    assert what_if(messages, budget, system=system, estimator=estimator, format=name) == result.receipt
    history = History(messages, format=name, model=model)
    assert fit(messages, budget, system=system, history=history) == result


def session(count):
    """English and JSON, as agents have them."""
    steps = [User("Sort the files of the harbour office, and tell me which ships they name.")]
    for number in range(count):
        row = {"ship": f"Hope {number}", "tons": number * 7919 % 997, "port": "Cork", "left": None, "cargo": ["tea"]}
        steps += [
            Assistant(
                f"Next I read file {number}, for it may name a ship.", (Call(f"c{number}", args={"at": number}),)
            ),
            Result(f"c{number}", json.dumps([row] * (1 + number % 9), indent=number % 3 or None)),
        ]
    return steps


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("model", ["gpt-4o", "mistral-nemo", "claude-opus-4-8"])
def test_no_more_room_is_given_away_than_the_bound_of_ascii_takes(name, model):
    messages, _, _ = build(name, session(120))
    estimator = Estimator.for_model(model)
    ascii_slope = estimator.margins.above(MISS_RATE).slope(ScriptCounts(ascii=1))
    texts, framing = request(name, messages)
    total = framing + sum(map(estimator.estimate, texts))
    assert fit(messages, math.ceil(total * (1 + ascii_slope + 0.025)), model=model, format=name).receipt.entries == ()
    assert fit(messages, math.floor(total * (1 + ascii_slope * 0.8)), model=model, format=name).receipt.entries != ()


@pytest.mark.parametrize("model", ["gpt-4o", "mistral-nemo", "claude-opus-4-8"])
def test_the_limit_is_the_bound_without_its_slopes(model):
    costs = Costs(Estimator.for_model(model))
    margins = Estimator.for_model(model).about["margins"]
    at = margins["miss_rates"].index(MISS_RATE)
    spread, constant = margins["up"]["spread"][at], margins["up"]["constant"][at]
    for room in (1, 3, 4, 5, 100, 8_000, 200_000):
        limit = costs.limit(room)
        assert limit == 0 or limit + spread * math.sqrt(limit) + constant <= room
        assert limit + 1 + spread * math.sqrt(limit + 1) + constant > room
    assert Costs(Estimator()).limit(10**400) == 1 << 53
    assert (1 << 53) - (1 << 27) < costs.limit(10**400) < 1 << 53


def test_what_was_seen_to_take_more_takes_more():
    """A calibration's bound is not below what requests took, whatever the profile says."""
    calibration = Calibration()
    for _ in range(3):
        calibration = calibration.observe(1_000, 1_900)
    estimator = Estimator.for_model("gpt-4o").with_calibration(calibration)
    limit = Costs(estimator).limit(1_500)
    assert (
        calibration.observed(limit / estimator.factor) <= 1_500 < calibration.observed((limit + 3) / estimator.factor)
    )


def test_tools_of_a_history_cost_what_they_cost_when_they_are_given():
    messages, _, _ = build("openai-chat", session(20))
    history = History(messages, model="gpt-4o", tools=TOOLS)
    for policy in (FitPolicy(), FitPolicy(clear=None)):
        own = fit(messages, 1_200, history=history, policy=policy)
        assert own == fit(messages, 1_200, model="gpt-4o", tools=TOOLS, policy=policy)
        assert own.receipt.before > fit(messages, 1_200, model="gpt-4o", policy=policy).receipt.before


def test_a_model_and_an_estimator_exclude_each_other():
    for call in (lambda **options: fit([], Budget(100), **options), lambda **options: History([], **options)):
        with pytest.raises(TypeError, match=r"^model and estimator exclude each other: give one of them$"):
            call(model="gpt-4o", estimator=Estimator())
        with pytest.raises(TypeError, match=r"^estimator must be an Estimator, not str; Estimator\.for_model"):
            call(estimator="gpt-4o")
        with pytest.raises(UnknownModel, match="no profile is known for model 'wooden-9'"):
            call(model="wooden-9")
    with pytest.raises(TypeError, match="a history has its own format and model or estimator"):
        fit([], 100, model="gpt-4o", history=History())

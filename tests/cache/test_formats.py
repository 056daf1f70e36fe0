"""Sessions are priced alike in every format."""

import pytest

from fit.made import tokens_of
from fit.test_stability import session
from formats.builder import FORMATS, build
from ullage import Compaction, FitPolicy, fit, formats, simulate


@pytest.fixture(params=FORMATS)
def built(request):
    return request.param, *build(request.param, session(30, 600, turn=8))[:2]


def test_each_request_costs_what_its_messages_cost(built):
    name, messages, system = built
    report = simulate({"messages": messages, "system": system}, None, "claude-opus-5", format=name)
    framing = formats.named(name).REQUEST_TOKENS
    whole = [tokens_of(name, messages[:stop], system) - framing for stop in range(1, len(messages) + 1)]
    assert len(report.steps) >= 30
    assert {step.prompt for step in report.steps} <= set(whole)
    assert report.hit_rate > 0.8
    assert all(after.kept == before.prompt for before, after in zip(report.steps, report.steps[1:], strict=False))


def test_a_policy_does_what_fit_does(built):
    name, messages, system = built
    budget = int(tokens_of(name, messages, system) * 0.4)
    report = simulate({"messages": messages, "system": system}, FitPolicy(), "gpt-5", budget=budget, format=name)
    framing = formats.named(name).REQUEST_TOKENS
    fitted = {
        fit(messages[:stop], budget, system=system, format=name).tokens - framing for stop in answered(name, messages)
    }
    assert {step.prompt for step in report.steps} <= fitted
    assert report.largest <= budget
    assert any(after.kept < before.prompt for before, after in zip(report.steps, report.steps[1:], strict=False))


def test_a_summary_stands_for_what_left(built):
    name, messages, system = built
    budget = int(tokens_of(name, messages, system) * 0.5)
    report = simulate({"messages": messages, "system": system}, Compaction(), "gpt-5", budget=budget, format=name)
    assert [step.kind for step in report.steps].count("summary") >= 1
    assert report.largest < budget


def answered(name, messages):
    """Ends of the history at which its provider takes it."""
    shape = formats.named(name)
    for stop in range(1, len(messages) + 1):
        records = [shape.read(message, "") for message in messages[:stop]]
        if next(shape.check(messages[:stop], records), None) is None:
            yield stop

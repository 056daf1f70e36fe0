"""What makes a session cheapest."""

import json
import re
from pathlib import Path

import pytest

from cache.test_simulate import messages_of
from ullage import CannotFit, Clear, Compaction, FitPolicy, Prices, Shape, advise, simulate
from ullage.cache.advise import BATCHES, KEEP_SHARES, TRIGGERS

LONG = Shape(turns=300, base=15_000, result=2_500)


@pytest.fixture(scope="module")
def advice():
    return advise(LONG, "claude-opus-5-5", 100_000)


def test_the_cheapest_is_the_cheapest(advice):
    assert advice.cheapest.cost == min(option.cost for option in advice.options)
    assert [option.cost for option in advice.options] == sorted(option.cost for option in advice.options)
    assert isinstance(advice.cheapest.policy, Compaction)
    assert advice.against_never(advice.cheapest) < 0.4


def test_what_an_option_costs_is_what_its_policy_costs(advice):
    for option in (advice.cheapest, advice.chosen, advice.never, *advice.options[5::20]):
        report = simulate(
            LONG, option.policy, "claude-opus-5-5", budget=100_000, markers=option.markers, life=option.life
        )
        assert (option.cost, option.hit_rate, option.largest) == (report.cost, report.hit_rate, report.largest)


def test_clearing_pays_from_the_break_even_on(advice):
    """At a twentieth, four at a time do not pay, and six do."""
    assert advice.break_even == 6
    costs = {
        option.policy.clear.batch: option.cost
        for option in advice.options
        if isinstance(option.policy, FitPolicy)
        and option.policy.clear.keep_share == 0.25
        and option.policy.clear.free == 0
        and (option.markers, option.life) == (("base", "end"), None)
    }
    assert set(costs) == set(BATCHES)
    for batch, cost in costs.items():
        assert (cost < advice.never.cost) == (batch >= 6), batch


def test_a_short_session_never_pays():
    advice = advise(Shape(turns=40, base=15_000, result=2_500), "claude-fable-5-2", 100_000)
    assert advice.cheapest is advice.never
    assert advice.break_even is None


def test_everything_is_tried(advice):
    assert len(advice.options) == 2 + len(BATCHES) * len(KEEP_SHARES) + len(TRIGGERS) + 2 * (3 * 2 - 1)
    automatic = advise(Shape(turns=60, base=15_000, result=2_500), "gpt-5", 100_000)
    assert len(automatic.options) == 2 + len(BATCHES) * len(KEEP_SHARES) + len(TRIGGERS) + 2
    assert {option.life for option in automatic.options} == {None, 86_400}
    assert not any(option.markers for option in automatic.options)


def test_a_longer_life_wins_where_requests_are_rare():
    rare = Shape(turns=60, base=15_000, result=2_500, seconds_between=1_200)
    assert advise(rare, "claude-opus-5", 100_000).cheapest.life == 3600


def test_markers_behind_what_was_cleared_win_where_little_is_cleared():
    """Asked of simulate: the best batch clears so much at once that no marker is needed there."""
    one = FitPolicy(clear=Clear(batch=1, free=0))
    costs = [
        simulate(LONG, one, "claude-opus-5", budget=100_000, markers=markers).cost
        for markers in (("base", "cleared", "end"), ("base", "end"), ("end",))
    ]
    assert costs == sorted(costs)
    assert costs[0] < 0.7 * costs[1] < 0.7 * costs[2]


def test_a_policy_of_yours_is_compared():
    chosen = FitPolicy(clear=Clear(batch=1, free=0))
    advice = advise(LONG, "claude-opus-5", 100_000, policy=chosen, prices=Prices(input=5, output=25))
    assert advice.unit == "USD"
    assert advice.chosen.policy is chosen
    assert advice.against_never(advice.chosen) == pytest.approx(2.08, abs=0.01)


def test_real_messages():
    messages = messages_of(Shape(turns=40, base=2_000, result=400, output=40))
    told = []
    advice = advise(messages, "gpt-5", 9_000, progress=lambda done, total: told.append((done, total)))
    assert advice.cheapest.cost < advice.chosen.cost
    assert told[-1][0] == len(advice.options) <= told[-1][1]


def test_a_policy_that_cannot_is_an_error():
    with pytest.raises(CannotFit):
        advise(Shape(turns=40, base=950, result=400), "gpt-5", 1_000)


@pytest.mark.parametrize(
    ("trace", "prices"),
    [([{"role": "assistant", "content": "Hello."}], None), (Shape(turns=9, base=900, result=90), Prices(0, 0))],
)
def test_nothing_can_be_saved_where_nothing_is_paid(trace, prices):
    with pytest.raises(ValueError, match="the session costs nothing"):
        advise(trace, "gpt-5", 10_000, prices=prices)


def test_as_json_and_as_a_table(advice):
    told = json.loads(json.dumps(advice.to_dict()))
    assert told["break_even"] == 6
    assert told["cheapest"]["name"] == advice.cheapest.name
    assert told["never"]["against_never"] == 1
    assert len(told["options"]) == len(advice.options)
    lines = advice.table().splitlines()
    assert len(lines) == 1 + 3 + 3 + 2
    assert lines[0].split("  ")[0] == "policy"
    assert lines[-1].startswith("never clear ")
    assert lines[-1].endswith("1.00x         822,300")


def test_the_costs_in_the_docs():
    docs = (Path(__file__).parents[2] / "docs" / "caching.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `((?:Clear|FitPolicy|Compaction)\(.*\))` \|(.*)\|$", docs, flags=re.MULTILINE)
    assert len(rows) == 7
    models = ("claude-opus-5", "claude-opus-5-5", "claude-fable-5-2")
    never = [simulate(LONG, None, model).cost for model in models]
    known = {"Clear": Clear, "FitPolicy": FitPolicy, "Compaction": Compaction}
    for told, costs in rows:
        policy = eval(told, known)  # of our own docs
        policy = FitPolicy(clear=policy) if isinstance(policy, Clear) else policy
        found = [
            simulate(LONG, policy, model, budget=100_000).cost / cost for model, cost in zip(models, never, strict=True)
        ]
        assert [f"{each:.2f}" for each in found] == costs.replace("|", " ").split(), told

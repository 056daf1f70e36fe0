"""What a session costs: the arithmetic of shapes, sessions of real messages, requests that were sent."""

import json

import pytest

from ullage import (
    Budget,
    CannotFit,
    Clear,
    Compaction,
    Estimator,
    FitPolicy,
    History,
    Prices,
    Shape,
    UnknownModel,
    estimate,
    fit,
    simulate,
)
from ullage.cache.rules import CacheRules, all_rules

LONG = Shape(turns=300, base=15_000, result=2_500, output=0)
TRIGGER = 100_000


def clearing(batch, **options):
    return FitPolicy(clear=Clear(batch=batch, free=0, **options))


def times_never(policy, read, shape=LONG):
    """What a policy costs, in costs of never clearing, where a read costs so much and a write 1.25."""
    rules = CacheRules(
        "mine", match="markers", minimum=1024, markers=4, look_back=20, lives=(300,), write=(1.25,), read=read
    )
    return simulate(shape, policy, rules, budget=TRIGGER).cost / simulate(shape, None, rules).cost


def test_clearing_one_at_a_time_costs_more_than_never_clearing_at_a_tenth():
    assert times_never(clearing(1), 0.1) == pytest.approx(2.26, abs=0.01)


def test_clearing_four_at_a_time_costs_more_than_never_clearing_at_a_twentieth():
    assert times_never(clearing(4), 0.05) == pytest.approx(1.24, abs=0.01)
    assert times_never(clearing(4), 0.1) < 1


@pytest.mark.parametrize("read", [0.1, 0.05])
@pytest.mark.parametrize("policy", [clearing(25), Compaction(trigger=1.0)], ids=["25 at a time", "compaction"])
def test_many_at_a_time_or_compaction_win_by_a_factor_of_two(policy, read):
    assert times_never(policy, read) < 0.5


def test_answers_weigh_more_where_little_is_left_to_clear():
    """Answers are never cleared: with 200 tokens each, the factor at a twentieth is a little below two."""
    shape = Shape(turns=300, base=15_000, result=2_500, output=200)
    assert times_never(clearing(25), 0.05, shape) == pytest.approx(0.515, abs=0.01)
    assert times_never(Compaction(trigger=1.0), 0.05, shape) < 0.5


def test_never_clearing_by_hand():
    """Each request reads the one before it and writes what is new."""
    report = simulate(Shape(turns=4, base=2_000, result=500, output=100), None, "claude-opus-5")
    assert [(step.kept, step.read, step.written, step.plain) for step in report.steps] == [
        (0, 0, 2_000, 0),
        (2_000, 2_000, 600, 0),
        (2_600, 2_600, 600, 0),
        (3_200, 3_200, 600, 0),
    ]
    assert [step.at for step in report.steps] == [0, 10, 20, 30]
    assert (report.read, report.written, report.plain, report.output) == (7_800, 3_800, 0, 400)
    assert report.hit_rate == 7_800 / 11_600
    assert report.largest == 3_800
    assert report.unit == "million input tokens"
    assert report.cost * 1e6 == pytest.approx(7_800 * 0.1 + 3_800 * 1.25 + 400 * 5)


def test_a_pause_beyond_the_life_costs_all_of_it():
    slow = Shape(turns=3, base=2_000, result=500, output=0, seconds_between=400)
    assert simulate(slow, None, "claude-opus-5").read == 0
    hour = simulate(slow, None, "claude-opus-5", life=3600)
    assert hour.read == 4_500
    assert hour.cost * 1e6 == pytest.approx(4_500 * 0.1 + 3_000 * 2)


def test_automatic_caches_may_last_longer_too():
    slow = Shape(turns=3, base=2_048, result=512, output=0, seconds_between=400)
    assert simulate(slow, None, "gpt-5").read == 0
    assert simulate(slow, None, "gpt-5", life=86_400).read == 2_048 + 2_560
    assert simulate(slow, None, "kimi-k3", life=3_600).cost * 1e6 == pytest.approx(3_072 * 2 + 4_608 * 0.1)
    assert simulate(slow, None, "gemini-2.5-pro", life=60).read == 2_048 + 2_560  # no life is known


def test_prices_are_dollars():
    shape = Shape(turns=2, base=2_000, result=500, output=100)
    report = simulate(shape, None, "claude-opus-5", prices=Prices(input=5, output=25))
    assert report.unit == "USD"
    assert report.cost == pytest.approx((2_000 * 0.5 + 2_600 * 6.25 + 200 * 25) / 1e6)
    above = Prices(input=5, output=25, above=((2_500, Prices(input=10, output=50, read=1, write=12)),))
    assert simulate(shape, None, "claude-opus-5", prices=above).steps[1].cost == pytest.approx(
        (2_000 * 1 + 600 * 12 + 100 * 50) / 1e6
    )


def test_other_lives_cost_by_the_multiples_of_the_rules():
    shape = Shape(turns=1, base=1_000, result=0, output=0)
    given = Prices(input=5, output=25, write=6)
    assert simulate(shape, None, "claude-opus-5", prices=given, life=3600).cost == pytest.approx(1_000 * 9.6 / 1e6)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"read": -1}, ValueError, "read is -1; it is at least 0, and finite"),
        ({"input": float("nan")}, ValueError, "input is nan"),
        ({"input": 10**400}, ValueError, "and finite"),
        ({"output": None}, TypeError, "output must be a number, not NoneType"),
        ({"write": "1"}, TypeError, "write must be a number, not str"),
        ({"above": ((5, 3),)}, TypeError, "the prices above 5 must be Prices, not int"),
        (
            {"above": ((5, Prices(1, 1)), (3, Prices(2, 2)))},
            ValueError,
            r"above starts at \[5, 3\]; the least is first",
        ),
    ],
)
def test_prices_are_checked(fields, error, message):
    with pytest.raises(error, match=message):
        Prices(**{"input": 1, "output": 1, **fields})


def test_a_model_without_prices_is_not_free():
    pytest.importorskip("genai_prices")
    with pytest.raises(UnknownModel, match="knows no prices of 'grok-voice-latest' at xai"):
        Prices.of("grok-voice-latest")


def test_list_prices_agree_with_the_rules():
    """genai-prices lists prices of reads and writes, collected by others: they are the multiples of the table."""
    pytest.importorskip("genai_prices")
    agreed = 0
    for rules in all_rules():
        ranges = {field: (low, high) for field, low, high, _ in rules.contested}
        for name in rules.models:
            try:
                prices = Prices.of(name, rules.provider)
            except UnknownModel:
                continue
            if prices.read is not None:
                low, high = ranges.get("read", (rules.read, rules.read))
                assert 0.98 * low <= prices.read / prices.input <= 1.02 * high, name
                agreed += 1
            if prices.write is not None:
                assert prices.write == pytest.approx(prices.input * rules.write[0]), name
    assert agreed > 60
    assert Prices.of("claude-haiku-5-5").above[0][0] == 100_000


def message(tokens, text, **fields):
    """A message of so many tokens: by the script rule, a letter is a quarter of one."""
    empty = History([{**fields, "content": ""}], format="openai-chat").total - History([], format="openai-chat").total
    return {**fields, "content": text * 4 * (tokens - empty)}


def messages_of(shape):
    """The conversation of a shape, in words."""
    messages = [message(shape.base, "u", role="user")]
    for number in range(shape.turns - 1):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages.append(message(shape.output, "a", role="assistant", tool_calls=[call]))
        messages.append(message(shape.result, "r", role="tool", tool_call_id=f"c{number}"))
    return messages


@pytest.mark.parametrize(
    "policy",
    [
        None,
        FitPolicy(),
        clearing(1),
        clearing(4),
        clearing(10),
        clearing(0.2),
        clearing("auto"),
        FitPolicy(clear=Clear(batch=3, free=0.3, keep_share=0.1)),
        FitPolicy(clear=Clear(keep_min=5, keep_share=0)),
        FitPolicy(clear=None),
        Compaction(),
        Compaction(trigger=0.9, keep_last=9, style="transcript"),
    ],
    ids=str,
)
def test_a_shape_is_its_conversation(policy):
    """The arithmetic clears, leaves out and summarises as `fit` and `compact` do to the same session in words.

    A shape does not know what frames a note, which is why sums are only nearly the same.
    """
    shape = Shape(turns=80, base=4_000, result=3_000, output=200)
    told = simulate(shape, policy, "claude-opus-5", budget=60_100)
    done = simulate(messages_of(shape), policy, "claude-opus-5", budget=60_100)
    assert [step.kind for step in done.steps] == [step.kind for step in told.steps]
    assert done.prompts == pytest.approx(told.prompts, rel=0.015)
    assert done.cost == pytest.approx(told.cost, rel=0.03)
    lost = [
        [at for at, after in enumerate(report.steps) if at and after.prompt - after.kept > 3_300]
        for report in (done, told)
    ]
    assert all(abs(there - here) <= 1 for here, there in zip(*lost, strict=True))


def test_a_conversation_is_what_fit_sends():
    messages, policy = messages_of(Shape(turns=20, base=200, result=300, output=20)), clearing(4)
    report = simulate(messages, policy, "claude-opus-5", budget=3_000)
    sent = [fit(messages[:stop], 3_000, policy=policy) for stop in range(1, len(messages) + 1, 2)]
    assert [step.prompt for step in report.steps] == [fitted.tokens - 3 for fitted in sent]  # 3 frame the request


def test_requests_that_were_sent():
    messages = messages_of(Shape(turns=6, base=2_000, result=300, output=20))
    requests = [{"messages": messages[:stop], "model": "m"} for stop in range(1, len(messages) + 1, 2)]
    report = simulate(requests, None, "claude-opus-5")
    alone = simulate(messages, None, "claude-opus-5")
    assert [step.prompt for step in report.steps] == [step.prompt for step in alone.steps]
    assert [step.output for step in report.steps] == [step.output for step in alone.steps]
    assert not any(step.broken for step in report.steps)


def test_conversations_side_by_side_keep_their_answers():
    """An answer is that of the conversation, whatever was sent in between."""
    messages = messages_of(Shape(turns=6, base=2_000, result=300, output=20))
    system = message(50, "s", role="system")
    other = [system, message(40, "o", role="user"), message(77, "A", role="assistant"), message(20, "o", role="user")]
    ours = [{"messages": [system, *messages[:stop]], "model": "m"} for stop in range(1, len(messages) + 1, 2)]
    theirs = [{"messages": other[:2], "model": "m"}, {"messages": other, "model": "m"}]
    report = simulate([ours[0], theirs[0], *ours[1:4], theirs[1], *ours[4:]], None, "gpt-5")
    assert [step.output for step in report.steps] == [20, 77, 20, 20, 20, 0, 20, 0]
    assert not any(step.broken for step in report.steps)


def test_requests_read_anew_are_the_same_requests():
    messages = messages_of(Shape(turns=6, base=2_000, result=300, output=20))
    requests = [{"messages": messages[:stop], "model": "m"} for stop in range(1, len(messages) + 1, 2)]
    again = [json.loads(json.dumps(request)) for request in requests]
    assert simulate(again, None, "gpt-5.6") == simulate(requests, None, "gpt-5.6")
    sorted_keys = [json.loads(json.dumps(request, sort_keys=True)) for request in requests[3:]]
    assert simulate([*requests[:3], *sorted_keys], None, "gpt-5.6").steps[3].broken  # another order is another prompt


class Said:
    """A message of a package: an object with fields."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


def test_objects_are_their_fields():
    messages = messages_of(Shape(turns=6, base=2_000, result=300, output=20))
    objects = [Said(**each) for each in messages]
    report = simulate(objects, None, "gpt-5.6", format="openai-chat")
    assert [step.prompt for step in report.steps] == [step.prompt for step in simulate(messages, None, "gpt-5.6").steps]
    assert report.hit_rate > 0.7


def test_what_breaks_a_prefix():
    def request(system, *texts):
        roles = ("user", "assistant")
        messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
        return {"model": "m", "system": system, "max_tokens": 1, "messages": messages}

    requests = [
        request("s", "one"),
        request("s", "one", "two", "three"),
        request("at 10:05", "one", "two", "three", "four", "five"),  # a break: another system prompt
        request("at 10:05", "other"),  # another conversation
        request("at 10:05", "one", "two", "three"),  # asked again
        request("at 10:05", "one", "two", "three", "4", "5"),
        request("at 10:05", "one!", "two"),  # another conversation, by its first message
        request("at 10:05", "one", "TWO", "three", "4", "5", "six"),  # a break: an edit
        request("at 10:05", "other", "two", "three"),
    ]
    report = simulate(requests, None, "claude-opus-5", format="anthropic")
    assert [number for number, step in enumerate(report.steps) if step.broken] == [2, 7]


def test_markers_of_the_requests_are_theirs():
    text = "x" * 4_000
    mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    body = {
        "model": "m",
        "system": [{"type": "text", "text": text, **mark}],
        "messages": [{"role": "user", "content": text}],
    }
    report = simulate([body, body], None, "claude-opus-5")
    first, second = report.steps
    assert first.plain == second.plain > 1_000
    assert first.written == second.read
    assert first.cost * 1e6 == pytest.approx(first.written * 2 + first.plain)
    unmarked = {**body, "system": text}
    assert simulate([unmarked, unmarked], None, "claude-opus-5").steps[1].plain == 0
    moved = {**body, "system": text, "cache_control": {"type": "ephemeral"}}
    assert simulate([moved, moved], None, "claude-opus-5").steps[1].read == sum([first.written, first.plain])


def test_markers_do_not_change_what_is_kept():
    def body(*marked):
        mark = {"cache_control": {"type": "ephemeral"}}
        blocks = [{"type": "text", "text": "x" * 4_000, **(mark if at in marked else {})} for at in range(3)]
        return {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": blocks}]}

    report = simulate([body(0), body(2), body(0, 2)], None, "claude-opus-5", format="anthropic")
    assert [step.kept for step in report.steps] == [0, report.largest, report.largest]
    assert not any(step.broken for step in report.steps)


def test_inputs_stay_as_they_are():
    messages = messages_of(Shape(turns=20, base=200, result=300, output=20))
    before = repr(messages)
    for policy in (None, FitPolicy(), Compaction()):
        simulate(messages, policy, "gpt-5", budget=3_000)
    assert repr(messages) == before


def test_progress_is_told():
    told = []
    simulate(Shape(3, 100, 100), None, "gpt-5", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_report_as_json():
    report = simulate(Shape(2, 2_000, 500, 100), None, "claude-opus-5")
    told = report.to_dict()
    assert told["tokens"] == {
        "read": 2_000,
        "written": 2_600,
        "plain": 0,
        "output": 200,
        "prompts": 4_600,
        "largest": 2_600,
        "hit_rate": 2_000 / 4_600,
    }
    assert told["provider"] == "anthropic"
    assert told["steps"][1] == {
        "at": 10.0,
        "kind": "answer",
        "kept": 2_000,
        "read": 2_000,
        "written": 600,
        "plain": 0,
        "output": 100,
        "cost": report.steps[1].cost,
        "broken": False,
    }


@pytest.mark.parametrize(
    ("trace", "policy", "options", "error", "message"),
    [
        (Shape(2, 1, 1), FitPolicy(), {}, ValueError, "a policy needs a budget"),
        (
            [{"messages": [{"role": "user", "content": "x"}]}],
            FitPolicy(),
            {"budget": 99},
            ValueError,
            "are as they are",
        ),
        ("text", None, {}, TypeError, "the trace must be a Shape, messages, a request"),
        ([1], None, {}, TypeError, "the trace must be"),
        (Shape(3, 90, 50), FitPolicy(), {"budget": 100}, CannotFit, "Raise the budget"),
        (LONG, Clear(), {"budget": 100}, TypeError, "policy must be a FitPolicy, a Compaction or None, not Clear"),
        (LONG, None, {"prices": 3}, TypeError, "prices must be Prices or None, not int"),
        (LONG, None, {"life": 300.0}, TypeError, "life must be int"),
        (LONG, None, {"life": 0}, ValueError, "life is 0"),
        (LONG, None, {"summary": -1}, ValueError, "summary is -1"),
        (LONG, None, {"seconds_between": float("nan")}, ValueError, "seconds_between is nan"),
        (LONG, None, {"seconds_between": -1}, ValueError, "seconds_between is -1"),
        (LONG, None, {"markers": "end"}, ValueError, "markers is 'end'; it is a tuple of places"),
        (LONG, None, {"markers": ("top",)}, ValueError, "places, which are base, cleared, end"),
    ],
)
def test_what_cannot_be_priced(trace, policy, options, error, message):
    with pytest.raises(error, match=message):
        simulate(trace, policy, "claude-opus-5", **options)


def test_rules_are_rules_or_a_name():
    with pytest.raises(TypeError, match="rules must be CacheRules or a name, not NoneType"):
        simulate(LONG, None, None)


def test_an_error_names_the_request_of_the_trace():
    good, bad = ({"model": "m", "messages": [{"role": "user", "content": content}]} for content in ("x", 5))
    with pytest.raises(TypeError, match=r"messages\[0\]\.content must be str") as caught:
        simulate([good, good, bad], None, "gpt-5")
    assert caught.value.__notes__ == ["in trace[2]"]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"turns": 1.5}, TypeError, "turns must be int, not float"),
        ({"base": float("nan")}, TypeError, "base must be int, not float"),
        ({"output": True}, TypeError, "output must be int, not bool"),
        ({"seconds_between": float("inf")}, ValueError, "seconds_between is inf; it is at least 0, and finite"),
        ({"seconds_between": "1"}, TypeError, "seconds_between must be a number, not str"),
    ],
)
def test_the_numbers_of_shapes_are_checked(fields, error, message):
    with pytest.raises(error, match=message):
        Shape(**{"turns": 1, "base": 1, "result": 1, **fields})


@pytest.mark.parametrize("field", ["turns", "base", "result", "output", "seconds_between"])
def test_shapes_are_checked(field):
    with pytest.raises(ValueError, match=f"{field} is -1"):
        Shape(**{"turns": 1, "base": 1, "result": 1, field: -1})


def test_a_budget_keeps_its_reserve():
    report = simulate(LONG, clearing(4), "claude-opus-5", budget=Budget(TRIGGER, output_reserve=40_000))
    assert 50_000 < report.largest <= 60_000


def test_a_note_costs_what_fit_lets_it_cost():
    assert simulate(LONG, clearing(25), "gpt-5", budget=TRIGGER).largest <= TRIGGER
    assert estimate(Clear().note) == 29


def test_prompts_are_what_is_to_be_expected_and_no_upper_bound():
    messages = [{"role": "user", "content": "Compare the two reports, line by line. " * 100}]
    messages += [{"role": "assistant", "content": '{"first": 17, "second": 18}\n' * 50}]
    (step,) = simulate([{"messages": messages}], None, "gpt-5.4", estimator=Estimator.for_model("gpt-5.4")).steps
    assert step.prompt == History(messages, model="gpt-5.4").total - 3  # the framing of a request is in no cache

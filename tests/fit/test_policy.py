"""Budgets, policies, pins, and what is said where nothing fits."""

from dataclasses import FrozenInstanceError

import pytest

from fit.made import checked
from fit.test_cases import LONG, rounds
from formats.builder import FORMATS, Assistant, Call, Result, System, User, build
from ullage import (
    Budget,
    CannotFit,
    Clear,
    Cut,
    Estimator,
    FitPolicy,
    History,
    InvalidBudget,
    Rounds,
    ToolRule,
    Turns,
    estimate,
    fit,
    what_if,
)

LOOP = build("openai-chat", [System("Be brief"), User("Go"), *rounds(20)]).messages
ONLY_CLEAR = FitPolicy(turns=None, rounds=None, cut=None)
TOOLS = [{"type": "function", "function": {"name": "read", "description": "Read a file. " * 200, "parameters": {}}}]


def cleared(result):
    return [entry.call_id for entry in result.receipt.entries if entry.action == "cleared"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0,), "a window of 0 tokens has no room; give at least 1"),
        ((-5,), "a window of -5 tokens has no room"),
        ((8_000, 8_000), "a window of 8,000 tokens minus an output reserve of 8,000 leaves 0; give a smaller reserve"),
        ((8_000, -1), "output_reserve is -1; a reserve is not negative"),
        (
            (8_000, 1_000, 7_001),
            "a target of 7,001 tokens is not within 1 and 7,000, which a window of 8,000 tokens minus",
        ),
        ((8_000, 1_000, 0), "a target of 0 tokens is not within 1 and 7,000"),
    ],
)
def test_budgets_without_room(arguments, sentence):
    with pytest.raises(InvalidBudget, match=f"^{sentence}"):
        Budget(*arguments)


@pytest.mark.parametrize("budget", [None, "8000", 8_000.0, True])
def test_budgets_are_integers(budget):
    with pytest.raises(TypeError, match="window must be int, not"):
        fit(LOOP, budget)


def test_the_reserve_comes_off_and_the_target_is_kept():
    assert Budget(8_000, 1_000).room == 7_000
    assert fit(LOOP, Budget(8_000, 1_000)) == fit(LOOP, 7_000) == fit(LOOP, Budget(10**40, target=7_000))


def test_tools_and_system_prompt_count():
    bare, full = what_if(LOOP, 9_000), what_if(LOOP, 9_000, tools=TOOLS, system="Be kind. " * 100)
    assert full.before - bare.before > estimate("Be kind. " * 100) + estimate("Read a file. " * 200)
    assert what_if(LOOP, bare.before).entries == ()
    assert what_if(LOOP, bare.before, tools=TOOLS).entries != ()
    checked("openai-chat", LOOP, 9_000, tools=TOOLS, system="Be kind. " * 100)
    history = History(LOOP, tools=TOOLS)
    assert what_if(LOOP, 9_000, history=history) == what_if(LOOP, 9_000, tools=TOOLS)
    assert what_if(LOOP, 9_000, history=history, tools=[]) == what_if(LOOP, 9_000)


def test_a_profile_keeps_its_upper_bound_within_the_budget():
    estimator = Estimator.for_model("gpt-4o")
    result = fit(LOOP, 9_000, model="gpt-4o")
    assert result == fit(LOOP, 9_000, estimator=estimator)
    assert result.tokens <= result.receipt.limit < 9_000
    total = History(result.messages, estimator=estimator).total
    assert total < result.tokens < 1.1 * total
    assert fit(LOOP, 10**40, model="gpt-4o").receipt.entries == ()
    history = History(estimator=estimator)
    assert fit(LOOP, 9_000, history=history) == result


@pytest.mark.parametrize("options", [{"model": "gpt-4o"}, {"format": "openai-chat"}, {"estimator": Estimator()}])
def test_a_history_has_its_own_format_and_estimator(options):
    with pytest.raises(TypeError, match="a history has its own format and model or estimator"):
        fit(LOOP, 9_000, history=History(), **options)
    if "format" not in options:
        with pytest.raises(TypeError, match="model and estimator exclude each other"):
            fit(LOOP, 9_000, **{"model": "gpt-4o", "estimator": Estimator()})


def test_batches_from_the_oldest_on():
    """Of 20 results of 1,250 tokens each, 12 fit in 16,000: the first time, after 13."""
    for batch, count in ((4, 8), (5, 10), (7, 14), (1, 8)):
        policy = FitPolicy(clear=Clear(batch=batch))
        assert cleared(fit(LOOP, 16_000, policy=policy)) == [f"c{number}" for number in range(count)]
    half = FitPolicy(clear=Clear(free=0.5))
    assert cleared(fit(LOOP, 16_000, policy=half)) == [f"c{number}" for number in range(8)]


@pytest.mark.parametrize(
    ("clear", "count", "gone_last"),
    [
        (Clear(1, 0.9, 0), 1, 12),
        (Clear(1, 0.9, 0.25), 3, 10),
        (Clear(1, 0.9, 0.5), 6, 14),
        (Clear(1, 0.9, 0, keep_min=9), 9, 8),
    ],
)
def test_the_newest_results_stay(clear, count, gone_last):
    """In half of 16,000 tokens fit 6 of 1,250 each. The 13th result is too much, and then one that depends on them."""
    last = 0
    for end in range(4, len(LOOP) + 1, 2):
        gone = cleared(fit(LOOP[:end], 16_000, policy=FitPolicy(clear=clear)))
        last = max(last, len(gone))
        assert len(gone) <= max(0, (end - 2) // 2 - count)
    assert last == gone_last


def test_fewer_than_a_batch_are_cleared_for_a_quarter_of_the_limit_only():
    said = Assistant(LONG * 3, (Call("b"),))
    for words, gone in ((1_100, ["c0"]), (900, [])):
        steps = [User("Go"), *rounds(1, "word " * words), said, Result("b", "short")]
        result = checked("openai-chat", build("openai-chat", steps).messages, 4_500)
        assert cleared(result) == gone


def test_tools_and_errors_that_stay():
    steps = [User("Go")]
    for number in range(12):
        name = ("read", "search", "bash")[number % 3]
        steps += [Assistant(None, (Call(f"c{number}", name),)), Result(f"c{number}", LONG, number == 6, name=name)]
    for name in FORMATS:
        messages = build(name, steps).messages
        for policy, stays in (
            (Clear(batch=1, free=0.5, exclude_tools=("read",)), {0, 3, 6, 9}),
            (Clear(batch=1, free=0.5, keep_errors=name not in ("openai-chat", "openai-responses")), {6}),
            (Clear(batch=1, free=0.5, tools=(ToolRule("search", keep=2),)), {7, 10}),
            (Clear(batch=1, free=0.5, tools=(ToolRule("search", keep=9),)), {1, 4, 7, 10}),
        ):
            if policy.keep_errors is False and stays == {6}:
                continue
            result = checked(name, messages, 10_000, policy=FitPolicy(clear=policy))
            gone = {int(call_id[1:]) for call_id in cleared(result)}
            assert gone
            assert not gone & stays


def test_a_tool_has_a_note_of_its_own():
    note = "[Read the file again.]"
    policy = FitPolicy(clear=Clear(tools=(ToolRule("search", note=note),)))
    result = checked("openai-chat", LOOP, 16_000, policy=policy)
    assert result.messages[3]["content"] == note
    assert len(cleared(result)) == 8


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pins", [(8,), lambda message: "c3" in repr(message) or "Remember" in repr(message)])
def test_pins_survive_with_their_round(name, pins):
    few, many = rounds(6, "short " * 20), rounds(20, "short " * 20)
    steps = [User("Go"), *few, Assistant("Done"), User("Remember the harbour."), *few, Assistant("Done")]
    messages = build(name, [*steps, User("And now?"), *many]).messages
    for budget in (700, 1_000):
        result = checked(name, messages, budget, policy=FitPolicy(pins=pins))
        assert any(entry.action == "dropped" for entry in result.receipt.entries)


def test_a_pin_is_a_message():
    with pytest.raises(ValueError, match="there is no message 42 to pin; there are 42, counted from 0"):
        fit(LOOP, 8_000, policy=FitPolicy(pins=(42,)))
    with pytest.raises(ValueError, match="no message -1"):
        fit(LOOP, 8_000, policy=FitPolicy(pins=(-1,)))


def test_each_step_can_be_turned_off():
    turns = [step for number in range(6) for step in (User(f"Turn {number}"), *rounds(3), Assistant("Done"))]
    messages = build("anthropic", turns).messages
    for policy, done in (
        (ONLY_CLEAR, {"cleared"}),
        (FitPolicy(clear=None, rounds=None, cut=None), {"noted", "dropped"}),
        (FitPolicy(clear=None, turns=None), set()),
        (FitPolicy(clear=None, turns=None, rounds=None, cut=None), set()),
    ):
        result = checked("anthropic", messages, 11_000, policy=policy)
        assert {entry.action for entry in (result.receipt.entries if result else ())} == done


@pytest.mark.parametrize(
    ("steps", "options", "part", "help"),
    [
        ([User(LONG * 4)], {}, "first user message", "Shorten the first user message: it always stays."),
        ([System(LONG * 4), User("Go")], {}, "system messages", "Shorten the system messages."),
        ([User("Go")], {"tools": TOOLS * 8}, "tools", "Send fewer tools, or shorter descriptions of them."),
        ([User("Go")], {"system": LONG * 4}, "system prompt", "Shorten the system prompt."),
        ([User("Go"), Assistant("Yes"), User(LONG * 4)], {}, "question", "Shorten the question."),
        (
            [User("Go"), Assistant(None, (Call("a", args={"text": LONG * 4}),)), Result("a", "short")],
            {},
            "newest round",
            "Prune large tool results and arguments in the tool handler, before they enter the history.",
        ),
        ([User("Go"), *rounds(9)], {"policy": FitPolicy(pins=tuple(range(9)))}, "pinned messages", "Pin fewer"),
        (
            [User("Go"), *rounds(9)],
            {"policy": FitPolicy(None, None, None, None)},
            "other messages",
            "Give a larger budget. Or let the policy do more: clear and turns and rounds and cut are turned off.",
        ),
    ],
)
def test_what_cannot_fit_is_said(steps, options, part, help):
    with pytest.raises(CannotFit) as caught:
        fit(build("openai-chat", steps).messages, 1_000, **options)
    error = caught.value
    assert next(iter(error.parts)) == part
    assert sum(error.parts.values()) == error.needed == error.limit + error.over
    assert str(error).startswith(
        f"the request cannot be made smaller than {error.needed:,} tokens, {error.over:,} above the limit of 1,000 "
        f"({part} {error.parts[part]:,}, "
    )
    assert error.help in str(error)
    assert error.help.startswith(help)


def test_an_empty_history_fits_or_does_not():
    assert fit([], 100).messages == []
    with pytest.raises(CannotFit, match="tools"):
        fit([], 100, tools=TOOLS)


def test_any_iterable_of_messages():
    assert fit(iter(LOOP), 8_000) == fit(tuple(LOOP), 8_000) == fit(LOOP, 8_000)
    with pytest.raises(TypeError, match="messages must be an iterable of dicts or objects, not str"):
        fit("messages", 8_000)
    with pytest.raises(TypeError, match=r"messages\[1\]"):
        fit([LOOP[1], 7], 8_000)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Clear(batch=0), ValueError),
        (lambda: Clear(keep_min=-1), ValueError),
        (lambda: Clear(keep_share=1.0), ValueError),
        (lambda: Clear(free=-0.1), ValueError),
        (lambda: Turns(free=1), ValueError),
        (lambda: Rounds(free=2), ValueError),
        (lambda: ToolRule("read", keep=-1), ValueError),
        (lambda: Clear(exclude_tools="read"), TypeError),
        (lambda: Clear(batch=1.5), ValueError),
        (lambda: Clear(keep_min=True), TypeError),
        (lambda: Clear(keep_share=float("nan")), ValueError),
        (lambda: Clear(note=""), ValueError),
        (lambda: Clear(note=None), TypeError),
        (lambda: ToolRule("read", note="\n "), ValueError),
        (lambda: Turns(note=""), ValueError),
        (lambda: Rounds(note=" "), ValueError),
        (lambda: FitPolicy(clear=True), TypeError),
        (lambda: FitPolicy(cut=Clear()), TypeError),
        (lambda: FitPolicy(pins=(0.0,)), TypeError),
        (lambda: FitPolicy(pins="0"), TypeError),
        (lambda: fit(LOOP, 9_000, policy=Clear()), TypeError),
        (lambda: fit(LOOP, 9_000, history=LOOP), TypeError),
    ],
)
def test_values_that_make_no_sense(make, error):
    with pytest.raises(error):
        make()


def test_policies_are_values():
    assert FitPolicy() == FitPolicy(Clear(), Turns(), Rounds(), Cut())
    assert hash(FitPolicy()) == hash(FitPolicy(clear=Clear(batch=4)))
    with pytest.raises(FrozenInstanceError):
        FitPolicy().clear = None


def test_what_a_policy_was_made_of_can_change():
    """A generator of pins is read once, and a list that changes later is not the policy's."""
    pins, excluded = [3], {"search"}
    policy = FitPolicy(clear=Clear(exclude_tools=excluded), pins=pins)
    history = History(LOOP)
    before = fit(LOOP, 9_000, policy=policy, history=history)
    pins.append(5)
    excluded.clear()
    assert fit(LOOP, 9_000, policy=policy, history=history) == fit(LOOP, 9_000, policy=policy) == before
    assert FitPolicy(pins=iter([3, 5])) == FitPolicy(pins=[5, 3])


@pytest.mark.parametrize("options", [{}, {"model": "gpt-4o"}])
def test_a_budget_beyond_all_numbers(options):
    assert fit(LOOP, 10**400, **options).receipt.entries == ()


def test_the_notice_tells_what_may_happen():
    assert FitPolicy().notice() == FitPolicy(clear=Clear(batch=9)).notice()
    for word in ("cleared", "replaced by a short note", "left out", "cut", "Do not stop"):
        assert (word in FitPolicy().notice()) == (word != "cleared")
    assert FitPolicy(None, None, None, None).notice() == ""
    assert "left out" not in FitPolicy(turns=None, rounds=None).notice()

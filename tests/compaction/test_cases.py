"""Histories that broke other libraries when they were summarised, in every format."""

import itertools

import pytest

from formats.builder import FORMATS, Assistant, Call, Result, User, build, parse
from formats.sdk import accept
from ullage import Compaction, InvalidHistory, Summary, compact, formats, plan_compaction, validate

from .made import Summariser, apart, checked, said, words

BIG = "four words of text " * 30
"""About 140 tokens."""


def loop(count, *, first=0, thinks=lambda number: False, text=BIG):
    """Rounds of one call each."""
    steps = []
    for number in range(first, first + count):
        thought = "I think" if thinks(number) else None
        steps += [Assistant(None, (Call(f"c{number}"),), thought), Result(f"c{number}", f"{number}: {text}")]
    return steps


@pytest.fixture(params=FORMATS)
def name(request):
    return request.param


def of(name, steps, budget, **options):
    """Compact, with the budget as a number of rounds of about 170 tokens each."""
    built = build(name, steps)
    return built.messages, checked(name, built.messages, budget * 170, system=apart(name, built), **options)


def test_the_only_instruction_comes_before_a_long_tool_loop(name):
    """langmem: the instruction survives, word for word, and stays where it was."""
    _, result = of(name, [*parse("S,U", S="Be brief", U="Fix the tests in /src"), *loop(20)], 24)
    assert result.plan.reason == "over-trigger"
    assert "Fix the tests in /src" in words(name, result.messages[:2])
    accept(name, result.messages)


def test_the_range_to_summarise_never_parts_a_pair(name):
    """semantic-kernel: for every number of messages to keep, the cut is between rounds."""
    steps = [User("go")]
    for number in range(8):
        calls = tuple(Call(f"{number}{letter}") for letter in "abc"[: 1 + number % 3])
        steps += [Assistant(None, calls), *(Result(call.id, BIG) for call in calls)]
    due = 0
    for keep in range(1, 20):
        messages, result = of(name, [*steps, Assistant("done")], 12, compaction=Compaction(keep_last=keep, gain=0.01))
        kept = [message for message in result.messages if any(message is each for each in messages)]
        assert len(kept) >= min(keep, len(messages) - 1)
        if result.plan.due:
            assert said(name, messages[result.plan.summarise[-1] + 1]) == "assistant"
        due += result.plan.due
    assert due >= 5


def test_what_follows_the_summary_is_never_a_tool_result(name):
    """claude-code: the first message after the compaction is the assistant's, or the user's own."""
    for keep in range(1, 9):
        _, result = of(name, [User("go"), *loop(10)], 10, compaction=Compaction(keep_last=keep))
        place = next(at for at, each in enumerate(result.messages) if "<conversation_summary" in words(name, [each]))
        assert said(name, result.messages[place + 1]) == "assistant"


def test_an_unanswered_call_does_not_stop_it(name):
    """adk: a call that was never answered is first. It leaves with what is summarised, asked for as a transcript."""
    built = build(name, [*parse("U,A(a),U"), *loop(12)])
    assert validate(built.messages, name) != []
    summarise = Summariser()
    result = compact(built.messages, summarise, 2000, format=name)
    assert [request.style for request in summarise.requests] == ["transcript"] * len(summarise.requests)
    assert validate(result.messages, name) == []
    assert "what a asks" in words(name, summarise.requests[0].messages)


def test_an_unanswered_call_that_would_stay_is_refused(name):
    steps = [
        User("go"),
        *loop(10),
        Assistant(None, (Call("lost"),)),
        Assistant("So."),
        User("next"),
        *loop(1, first=90),
    ]
    built = build(name, steps)
    summarise = Summariser()
    with pytest.raises(InvalidHistory, match=r"messages\[\d+\].*"):
        compact(built.messages, summarise, 2000, format=name, compaction=Compaction(keep_last=5))
    assert summarise.requests == []


def test_a_round_that_is_not_complete_is_not_cut(name):
    built = build(name, [User("go"), *loop(12), Assistant(None, (Call("x"), Call("y"))), Result("x", "1")])
    for ended in (False, True):
        plan = plan_compaction(built.messages, 2000, format=name, phase_ended=ended)
        assert (plan.due, plan.reason) == (False, "open-round")
        assert "has a call whose result is not there yet" in plan.why


def test_a_cut_is_found_inside_the_turn(name):
    """strands: one message of the user, three rounds, and four messages to keep."""
    messages, result = of(name, [User("go"), *loop(3)], 4, compaction=Compaction(keep_last=4, trigger=0.6, gain=0.01))
    assert result.plan.summarise == (1, 2)
    assert [each for each in result.messages[-4:] if each not in messages] == []


def test_size_decides_and_not_age(name):
    """strands: the oldest result is tiny and a newer one is huge. It leaves, or the plan says why not."""
    steps = [User("go"), *loop(1, text="ok"), *loop(1, first=1, text=BIG * 12), *loop(3, first=2, text="ok")]
    _, result = of(name, steps, 14, compaction=Compaction(keep_last=6))
    assert result.plan.summarise == (1, 2, 3, 4)
    _, result = of(name, steps, 14, compaction=Compaction(keep_last=8))
    assert (result.plan.due, result.plan.reason) == (False, "no-gain")


def test_the_newest_round_alone_is_too_large(name):
    """agent-framework: refused with a reason; nothing is emptied."""
    messages, result = of(name, [User("go"), *loop(2, text="ok"), *loop(1, first=2, text=BIG * 20)], 6)
    assert (result.plan.due, result.plan.reason) == (False, "no-gain")
    assert result.messages == messages


def test_what_left_does_not_come_back(name):
    """agent-framework: the history after a compaction is the one to go on with, and grows from there."""
    messages = build(name, [User("go"), *loop(10, text="left" + BIG)]).messages
    result = checked(name, messages, 1700)
    assert len(result.plan.summarise) == 14
    messages = result.messages
    for number in range(10, 30):
        messages = [*messages, *build(name, loop(1, first=number)).messages]
        messages = checked(name, messages, 1700).messages
        left = words(name, messages).count("left")
        assert left <= 3
    assert left == 0


def test_the_first_summary_is_in_the_second(name):
    """agent-framework: the second summariser sees the first summary, and what it leaves out is kept."""
    first = (
        "Objective: Move the shop\nFacts: 40 routes\nDecisions: use PUT\nConstraints:\n- keep the URLs\n- no downtime"
    )
    _, result = of(name, [User("go"), *loop(10)], 10, summarise=Summariser(first))
    summarise = Summariser(
        "Facts:\n- 38 routes are moved\nPending:\n- two routes\nConstraints:\n- keep the URLs\n- test"
    )
    messages = [*result.messages, *build(name, loop(8, first=10)).messages]
    again = checked(name, messages, 1700, summarise)
    assert summarise.requests
    assert "40 routes" in words(name, summarise.requests[0].messages)
    assert "keep the URLs" in words(name, summarise.requests[0].messages)
    assert again.summary == Summary(
        "Move the shop",
        ("38 routes are moved",),
        ("use PUT",),
        ("two routes",),
        ("keep the URLs", "no downtime", "test"),
    )
    assert "no downtime" in words(name, again.messages)
    assert again.missing == ("objective", "decisions")


@pytest.mark.parametrize("large", ["system", "tail"])
def test_what_stays_is_above_the_trigger_by_itself(name, large):
    """deer-flow: it says so, and does not run on every step."""
    system = BIG * 8 if large == "system" else "Be brief"
    keep = 6 if large == "system" else 16
    compaction = Compaction(keep_last=keep)
    steps, runs, reasons = [*parse("S,U", S=system)], 0, set()
    built = build(name, steps)
    messages, system = built.messages, apart(name, built)
    for number in range(30):
        messages = [*messages, *build(name, loop(1, first=number)).messages]
        result = checked(name, messages, 1700, system=system, compaction=compaction)
        messages = result.messages
        runs += result.plan.due
        reasons.add(result.plan.reason)
        if result.plan.due and result.plan.expected > result.plan.trigger:
            assert "what stays is still above that" in result.plan.why
    assert "no-gain" in reasons
    assert 30 * 170 / 1700 / 1.2 <= runs <= 30 * 175 / (0.2 * 1700)


def test_a_wrong_estimate_never_empties_the_history(name):
    """letta: even where everything is over the budget, the newest messages and the instruction stay."""
    for budget in (1, 10, 100, 300, 1000):
        built = build(name, [User("the task"), *loop(10)])
        result = checked(name, built.messages, budget)
        assert result.messages[-6:] == built.messages[-6:]
        assert "the task" in words(name, result.messages)


def test_one_message_of_the_user_and_an_endless_loop(name):
    """pi: asked at every step. Each compaction frees a fifth of the room, so they are few; the prefix stays between."""
    steps = 200
    messages = build(name, [User("the task")]).messages
    runs, last, text = 0, None, None
    for number in range(steps):
        messages = [*messages, *build(name, loop(1, first=number)).messages]
        result = compact(messages, Summariser(f"Facts:\n- up to {number}\nConstraints:\n- c{runs}"), 1700, format=name)
        messages = result.messages
        if result.plan.due:
            assert last is None or number - last >= 2
            runs, last = runs + 1, number
            assert result.receipt.after < 0.6 * 1700
        text = words(name, messages)
        assert validate(messages, name) == []
    assert 200 * 170 / 1700 < runs <= 200 * 175 / (0.2 * 1700)
    assert "the task" in text
    assert result.summary.constraints == tuple(f"c{number}" for number in range(runs))


@pytest.mark.parametrize("keep", [2, 4, 6, 8])
@pytest.mark.parametrize("every", [1, 3, 7])
def test_a_tool_loop_keeps_the_thinking_that_begins_it(name, every, keep):
    compaction = Compaction(keep_last=keep, gain=0.05)
    messages, result = of(name, [User("go"), *loop(14, thinks=lambda n: n % every == 0)], 15, compaction=compaction)
    if formats.named(name).THINKING_FIRST and result.plan.due:
        first = formats.named(name).read(messages[result.plan.summarise[-1] + 1], "m")
        later = messages[result.plan.summarise[-1] + 1 :]
        kinds = [part.kind for each in later for part in formats.named(name).read(each, "m").parts]
        assert first.parts[0].kind == "thinking" or "thinking" not in kinds


def test_pins_stay_with_their_rounds_before_the_summary(name):
    steps = [*parse("S,U"), *loop(4), Assistant("done"), User("next"), *loop(8, first=4), Assistant("so"), User("and?")]
    built = build(name, steps)
    pinned = [built.messages[built.places[at]] for at in (4, 14)]
    compaction = Compaction(pins=lambda message: any(message is each for each in pinned), keep_last=2)
    result = checked(name, built.messages, 2040, system=apart(name, built), compaction=compaction)
    text = words(name, result.messages)
    before = text.partition("<conversation_summary")[0]
    for each in ("1: " + BIG, "next", "5: " + BIG):
        assert each in before
    assert "0: " + BIG not in text
    more = build(name, [Assistant("so"), User("more"), *loop(10, first=20)]).messages
    again = checked(name, [*result.messages, *more], 2040, system=apart(name, built), compaction=compaction)
    assert again.plan.due
    assert words(name, again.messages).partition("<conversation_summary")[0] == before


def test_the_beginning_of_the_current_turn_stays(name):
    steps = [User("first"), *loop(3), Assistant("ok"), User("the question now"), *loop(12, first=3)]
    _, result = of(name, steps, 16)
    text = words(name, result.messages)
    assert text.index("first") < text.index("<conversation_summary") < text.index("the question now")
    more = [*loop(4, first=15), Assistant("ok"), User("another"), *loop(9, first=19)]
    again = checked(name, [*result.messages, *build(name, more).messages], 16 * 170)
    assert again.plan.due
    assert "the question now" not in words(name, again.messages)
    assert "another" in words(name, again.messages)


def test_native_objects_stay_native(name):
    messages = accept(name, build(name, [User("go"), *loop(12)]).messages)
    result = compact(messages, Summariser(), 2000, format=name)
    assert result.plan.due
    assert {type(each) for each in result.messages[2:]} <= {type(each) for each in messages}
    assert validate(result.messages, name) == []
    accept(name, result.messages)
    more = accept(name, build(name, loop(12, first=12)).messages)
    again = compact([*result.messages, *more], Summariser("Facts: x"), 2000, format=name)
    assert again.plan.due
    assert again.summary.constraints == ("keep the URLs",)
    assert words(name, again.messages).count("<conversation_summary version") == 1


@pytest.mark.parametrize("line", ["", "S", "U", "S,U", "S,A,U", "A,U", "U,A"])
def test_short_histories_are_left(name, line):
    built = build(name, parse(line))
    for budget, ended in itertools.product((1, 50), (False, True)):
        plan = plan_compaction(built.messages, budget, format=name, system=apart(name, built), phase_ended=ended)
        assert not plan.due

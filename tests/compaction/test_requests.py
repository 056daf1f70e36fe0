"""What the summariser is asked, what it may answer, and the ways to call it."""

import asyncio
import copy
import re
from dataclasses import replace

import pytest

from formats.builder import FORMATS, Assistant, User, build, parse
from ullage import (
    Budget,
    CannotFit,
    Compaction,
    Estimator,
    StateFile,
    SummaryPrompt,
    UnusableSummary,
    acompact,
    compact,
    validate,
)

from .made import REPLY, Summariser, apart, checked, words
from .test_cases import BIG, loop

TOOLS = {
    "gemini": [{"functionDeclarations": [{"name": "search", "parameters": {}}]}],
}
HISTORY = build("openai-chat", [User("go"), *loop(12)]).messages


@pytest.mark.parametrize("name", FORMATS)
def test_the_prefix_stays_what_it_was(name):
    """The same objects, tools and system prompt, with a question at the end."""
    tools = TOOLS.get(name, [{"name": "search"}])
    built = build(name, [*parse("S,U"), *loop(12)])
    summarise = Summariser()
    result = checked(name, built.messages, 2400, summarise, system=apart(name, built), tools=tools)
    (request,) = summarise.requests
    assert request.style == "prefix"
    count = result.plan.summarise[-1] + 1
    merged = len(request.messages) == count
    assert all(request.messages[at] is built.messages[at] for at in range(count - merged))
    assert words(name, request.messages) == words(
        name, built.messages[:count]
    ) + "\n" + SummaryPrompt.ENGLISH.task.replace("{words}", "60")


@pytest.mark.parametrize("name", FORMATS)
def test_a_history_far_over_its_window_is_asked_for_in_parts(name):
    steps = [User("go"), *loop(30), *loop(1, first=30, text=BIG * 40), *loop(4, first=31)]
    built = build(name, steps)
    summarise = Summariser("Facts: the first part", "Facts: the second\nConstraints: none", "Pending: the third")
    result = checked(name, built.messages, Budget(2000, output_reserve=200), summarise)
    assert len(summarise.requests) > 3
    asked = [words(name, request.messages) for request in summarise.requests]
    for number in range(30):
        assert [bool(re.search(rf"\D{number}: {BIG.strip()}", text)) for text in asked].count(True) == 1
    assert "the first part" not in asked[0]
    assert "the first part" in asked[1]
    assert "the second" in asked[2]
    assert sum("[... truncated, " in text for text in asked) == 1
    assert result.summary.facts == ("the second",)
    assert result.summary.pending == ("the third",)
    assert result.missing == ("objective", "decisions")


def test_a_transcript_is_a_clean_request():
    summarise = Summariser()
    result = checked("openai-chat", HISTORY, 2400, summarise, compaction=Compaction(style="transcript"), tools=[{}])
    (request,) = summarise.requests
    text = request.messages[0]["content"]
    assert text.startswith(
        'The conversation:\n<conversation>\nuser: go\n\nassistant: [calls c0] search {"query": "what c0'
    )
    assert text.endswith("Write at most 60 words.")
    assert f"\n\ntool: [result c0] 0: {BIG.strip()}" in text
    assert result.outside == "Here is the summary:"


def test_thinking_and_files_are_not_in_a_transcript():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    steps = [User("go"), *loop(12, thinks=lambda n: True)]
    messages = build("anthropic", steps).messages
    messages[2]["content"][0]["content"] = [{"type": "text", "text": "seen"}, image]
    summarise = Summariser()
    checked("anthropic", messages, 2400, summarise, compaction=Compaction(style="transcript"))
    text = words("anthropic", summarise.requests[0].messages)
    assert "I think" not in text
    assert "[result c0] seen\n[image]\n" in text
    assert "iVBOR" not in text


def test_a_state_file_is_named_and_not_opened():
    state = StateFile("/nowhere/notes.md", "the plan and the files that are done")
    summarise = Summariser()
    result = checked("openai-chat", HISTORY, 2400, summarise, compaction=Compaction(state=state))
    asked = words("openai-chat", summarise.requests[0].messages)
    assert asked.endswith(
        "The file /nowhere/notes.md stays available (the plan and the files that are done): name it rather than repeat "
        "what is in it."
    )
    lines = result.messages[1]["content"].split("\n")
    assert lines[2].startswith("The file /nowhere/notes.md has more (the plan and the files that are done). Read it")
    assert lines[3:5] == ["", "Objective:"]


def test_another_language_and_another_wording():
    prompt = replace(SummaryPrompt.SPANISH, task="Resume con {words} palabras y títulos.", objective="Meta")
    summarise = Summariser("Meta: contar\nHechos:\n- 42")
    result = checked("openai-chat", HISTORY, 2400, summarise, compaction=Compaction(prompt=prompt))
    assert summarise.requests[0].messages[-1]["content"] == "Resume con 60 palabras y títulos."
    assert "\nMeta:\n- contar\n\nHechos:\n- 42\n" in result.messages[1]["content"]


def test_a_phase_that_ended_is_summarised_once():
    result = checked("openai-chat", HISTORY, 100_000, phase_ended=True, compaction=Compaction(summary=0.001))
    assert (result.plan.due, result.plan.reason, result.plan.why) == (True, "phase-ended", "a phase ended")
    again = checked("openai-chat", result.messages, 100_000, phase_ended=True, compaction=Compaction(summary=0.001))
    assert (again.plan.due, again.plan.reason) == (False, "no-gain")
    assert again.summary == result.summary


def test_there_is_room_to_write_the_summary():
    """The request leaves what the summary may take, even where no output is reserved."""
    total = checked("openai-chat", HISTORY, 100_000).plan.tokens
    summarise = Summariser()
    compaction = Compaction(summary=0.3, keep_last=1, gain=0.01)
    result = checked("openai-chat", HISTORY, total, summarise, compaction=compaction)
    assert result.plan.due
    for request in summarise.requests:
        assert request.tokens <= total - int(total * 0.3)


def test_a_profile_is_held_to_its_bound():
    estimator = Estimator(profile="o200k_base")
    for budget in (900, 1200, 2000):
        summarise = Summariser("Facts: x")
        result = compact(HISTORY, summarise, budget, estimator=estimator)
        assert result.plan.due
        assert validate(result.messages) == []
        assert summarise.requests
        for request in summarise.requests:
            assert estimator.upper_bound(words("openai-chat", request.messages)) < budget


def test_awaited_and_called_are_the_same():
    async def later(request):
        await asyncio.sleep(0)
        return REPLY

    called = compact(HISTORY, Summariser(REPLY), 2400)
    assert asyncio.run(acompact(HISTORY, later, 2400)) == called
    assert asyncio.run(acompact(HISTORY, Summariser(REPLY), 2400)) == called
    parts = Summariser("Facts: a", "Facts: b")
    assert asyncio.run(acompact(HISTORY, parts, 1200)) == compact(HISTORY, Summariser("Facts: a", "Facts: b"), 1200)
    assert len(parts.requests) > 1
    with pytest.raises(TypeError, match="give it to acompact"):
        compact(HISTORY, later, 2400)


def test_an_error_of_the_summariser_is_passed_on():
    class Down(Exception):
        pass

    before = copy.deepcopy(HISTORY)
    for error in (Down("503"), StopIteration("done")):

        def fail(request, error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            compact(HISTORY, fail, 2400)
        assert caught.value is error

    async def fail_later(request):
        raise Down("503")

    with pytest.raises(Down):
        asyncio.run(acompact(HISTORY, fail_later, 2400))
    assert before == HISTORY


@pytest.mark.parametrize("reply", [None, 3, b"Facts: x", ["Facts: x"]])
def test_a_reply_is_a_string(reply):
    with pytest.raises(TypeError, match=f"a summariser gives str, not {type(reply).__name__}"):
        compact(HISTORY, lambda request: reply, 2400)


def test_a_summary_that_cannot_be_used():
    with pytest.raises(UnusableSummary, match="the summary has no content; the history stays as it is"):
        compact(HISTORY, lambda request: "Facts:\n- none", 2400)
    with pytest.raises(UnusableSummary, match=r"would take 4,\d+ tokens, and takes 1,\d+ without it") as caught:
        compact(HISTORY, lambda request: "Facts: " + BIG * 30, 2400)
    assert BIG.strip() in caught.value.summary
    with pytest.raises(CannotFit, match="Ask the summariser for a shorter summary"):
        compact(HISTORY, lambda request: "Facts: " + BIG * 10, 1200)


def test_without_room_to_ask_nothing_is_asked():
    result = checked("openai-chat", HISTORY, 300)
    assert (result.plan.due, result.plan.reason) == (False, "no-room-to-ask")
    assert result.plan.why.startswith("a request for the summary has 22 tokens for what it is about, and needs 44")


def test_values_that_are_refused():
    for name in ("trigger", "gain", "summary"):
        for share in (0, -1, 1.5, float("nan")):
            with pytest.raises(ValueError, match=f"{name} is {share}; a share is above 0"):
                Compaction(**{name: share})
    with pytest.raises(ValueError, match="keep_last is 0; at least the newest"):
        Compaction(keep_last=0)
    with pytest.raises(ValueError, match="style is 'haiku'"):
        Compaction(style="haiku")
    with pytest.raises(TypeError, match="a pin must be the int of a message, not bool"):
        Compaction(pins=[True])
    for pin in (-1, len(HISTORY)):
        for budget in (2400, 1_000_000):  # due, and not due
            with pytest.raises(ValueError, match=f"there is no message {pin} to pin; there are {len(HISTORY)}"):
                compact(HISTORY, Summariser(), budget, compaction=Compaction(pins=[0, pin]))
    with pytest.raises(TypeError, match="messages must be an iterable"):
        compact("text", Summariser(), 100)
    with pytest.raises(TypeError, match=r"messages\[0\] must be"):
        compact([7], Summariser(), 100)


def test_the_receipt_says_what_was_summarised():
    result = checked("openai-chat", HISTORY, 2400)
    noted, summarised = result.receipt.entries
    assert (summarised.action, summarised.start, summarised.stop, summarised.after) == ("summarised", 1, 19, 0)
    assert (noted.action, noted.start, noted.stop, noted.before) == ("noted", 1, 1, 0)
    assert result.receipt.first_changed == 1
    turns = build("openai-chat", [User("go"), *loop(6), Assistant("ok"), User("more"), *loop(9, first=6)]).messages
    spans = [(entry.action, entry.start, entry.stop) for entry in checked("openai-chat", turns, 2800).receipt.entries]
    assert spans == [("noted", 1, 1), ("summarised", 1, 14), ("summarised", 15, 27)]

"""What is sent goes on beginning as it did: it changes at a batch or a move only, and nothing comes back."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fit.made import NAMES, checked, policies, steps_, tokens_of
from formats.builder import FORMATS, Assistant, Call, Result, System, User, build
from messages import edited
from ullage import CannotFit, FitPolicy, History, InvalidHistory, fit, validate

TRACES = Path(__file__).parents[3] / "shared" / "traces" / "agent-traces.jsonl"


def sent_at_each_step(name, messages, budget, ends, **options):
    """What is sent at each request of a growing history, and the receipts."""
    history = History(format=name)
    return [fit(messages[:end], budget, history=history, **options) for end in ends]


def changed_steps(results):
    """How many requests do not begin with the whole of the one before."""
    pairs = pairwise(results)
    return sum(later.messages[: len(one.messages)] != one.messages for one, later in pairs)


def moves(results):
    """How often more messages left than before, or came."""
    left = [[entry for entry in result.receipt.entries if entry.action == "dropped"] for result in results]
    return sum(one != other for one, other in pairwise(left))


def gone(result):
    """What is not sent as it was: messages that left, and results that are cleared."""
    left, cleared = set(), set()
    for entry in result.receipt.entries:
        if entry.action == "dropped":
            left.update(range(entry.start, entry.stop))
        elif entry.action == "cleared":
            cleared.add((entry.start, entry.call_id))
    return left, cleared


def assert_nothing_comes_back(results):
    for one, later in pairwise(results):
        left, cleared = gone(one)
        left_later, cleared_later = gone(later)
        assert left <= left_later
        assert {each for each in cleared if each[0] not in left_later} <= cleared_later


def request_ends(messages):
    """Where requests are sent: before the assistant begins to speak, and at the end."""
    ends = [end for end in range(1, len(messages)) if not _is_assistants(messages[end - 1])]
    return [*(end for end in ends if _is_assistants(messages[end])), len(messages)]


def _is_assistants(message):
    role = message.get("role") or message.get("type") or message.get("kind")
    return role in ("assistant", "model", "ai", "response", "reasoning", "function_call")


def session(count, size, turn=None):
    """A session of `count` tool calls; the sizes of results vary, and a turn ends after each `turn` calls."""
    steps = [System("You sort files."), User("Sort the files of the harbour office.")]
    for number in range(count):
        if turn and number and number % turn == 0:
            steps += [Assistant(f"Done with part {number // turn}."), User(f"Now part {number // turn}.")]
        text = f"line {number} of a file\n" * (1 + (number * 7919) % (2 * size // 6))
        steps += [Assistant(f"I read file {number}.", (Call(f"c{number}"),)), Result(f"c{number}", text)]
    return steps


@pytest.mark.parametrize(
    ("name", "budget", "size", "turn"),
    [
        *((name, 20_000, 600, 20) for name in FORMATS),
        *(("anthropic", budget, size, None) for budget, size in ((8_000, 600), (20_000, 2_000), (200_000, 4_000))),
        *(("openai-chat", budget, size, 20) for budget, size in ((8_000, 600), (50_000, 2_000))),
    ],
)
def test_a_session_of_300_steps(name, budget, size, turn):
    messages, system, _ = build(name, session(300, size, turn))
    ends = request_ends(messages)
    results = sent_at_each_step(name, messages, budget, ends, system=system)
    total = tokens_of(name, messages, system)
    changed, moved = changed_steps(results), moves(results)
    assert 0 < changed <= len(results) / 4 + moved
    assert moved <= total / (budget * 0.1) + 1
    # A change takes a tenth of the limit away, so there are no more than this many.
    assert changed <= total / (budget * 0.1) + 1
    assert_nothing_comes_back(results)
    assert all(result.tokens <= budget for result in results)
    for end in (ends[len(ends) // 2], ends[-1]):
        assert fit(messages[:end], budget, system=system, format=name) == results[ends.index(end)]


@pytest.mark.skipif(not TRACES.exists(), reason="the recorded sessions are not beside the repository")
def test_recorded_sessions():
    changed = moved = steps = 0
    for line in TRACES.read_text().splitlines():
        messages = json.loads(line)["messages"]
        total = tokens_of("openai-chat", messages)
        for share in (0.5, 0.7, 0.9):
            results = []
            for end in request_ends(messages):
                result = checked("openai-chat", messages[:end], int(total * share))
                results = [] if result is None else [*results, result]
            assert_nothing_comes_back(results)
            steps += len(results)
            changed += changed_steps(results)
            moved += moves(results)
    assert steps > 300
    assert 0 < changed <= steps / 4 + moved


@settings(max_examples=200)
@given(st.data(), NAMES, steps_())
def test_what_left_does_not_come_back(data, name, steps):
    messages, system, _ = build(name, steps)
    if validate(messages, name):
        return
    share = data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]))
    budget = max(50, int(tokens_of(name, messages, system) * share))
    policy = data.draw(policies(st.just(())))
    history = History(format=name)
    results = []
    for end in request_ends(messages):
        alone = checked(name, messages[:end], budget, system=system, policy=policy)
        together = checked(name, messages[:end], budget, system=system, policy=policy, history=history)
        assert alone == together
        if alone is None:
            results.clear()
        else:
            results.append(alone)
    assert_nothing_comes_back(results)


@settings(max_examples=200)
@given(st.data(), NAMES, steps_(max_turns=3))
def test_an_edited_history_is_fitted_as_a_fresh_one(data, name, steps):
    """A `History` that is fitted again after any edit gives what a fresh one gives, be it an error."""
    messages, system, _ = build(name, steps)
    budget = max(50, tokens_of(name, messages, system) // 2)
    history = History(messages, format=name)
    pins = data.draw(st.sampled_from([(), (0,), lambda message: "read" in repr(message)]))
    for _ in range(3):
        outcomes = [
            _outcome(messages, budget, system=system, policy=FitPolicy(pins=pins), **given)
            for given in ({"history": history}, {"format": name})
        ]
        assert outcomes[0] == outcomes[1]
        if name == "openai-chat":
            messages = data.draw(edited(messages))
        else:
            at = data.draw(st.integers(0, len(messages)))
            messages = messages[:at] + messages[data.draw(st.integers(at, len(messages))) :]


def _outcome(messages, budget, **options):
    try:
        return fit(messages, budget, **options)
    except (CannotFit, InvalidHistory, ValueError) as error:
        return repr(error), str(error)


def test_an_error_on_the_way_leaves_nothing_half_done():
    messages, _, _ = build("openai-chat", session(60, 600, turn=8))
    faulty = []

    def pins(message):
        if any(message is each for each in faulty):
            raise LookupError
        return False

    policy = FitPolicy(pins=pins)
    history = History()
    fit(messages[:40], 8_000, policy=policy, history=history)
    faulty.append(messages[80])
    with pytest.raises(LookupError):
        fit(messages[:90], 8_000, policy=policy, history=history)
    faulty.clear()
    assert fit(messages, 8_000, policy=policy, history=history) == fit(messages, 8_000)

"""Histories to be fitted: strategies over the steps of `formats.builder`, and what must hold of everything fitted."""

import copy
import json

from hypothesis import strategies as st

from formats.builder import FORMATS, Assistant, Call, Result, System, User
from ullage import (
    Budget,
    CannotFit,
    Clear,
    Cut,
    FitPolicy,
    History,
    Rounds,
    ToolRule,
    Turns,
    estimate,
    fit,
    formats,
    validate,
    what_if,
)

NAMES = st.sampled_from(FORMATS)
WORDS = st.sampled_from(["word ", "чай ", "茶", "x=1\n", "\ud800 ", "{}[] "])
SIZES = st.sampled_from([1, 3, 20, 60, 200, 1500])


@st.composite
def texts(draw):
    return (draw(WORDS) * draw(SIZES)).strip() or "x"


@st.composite
def rounds(draw, number, thinking):
    """One round: an assistant message with calls, and its results in any order. Ids may repeat in other rounds."""
    ids = [f"c{number % draw(st.sampled_from([2, 1000]))}_{at}" for at in range(draw(st.integers(1, 3)))]
    names = st.sampled_from(["search", "read", "bash"])
    calls = tuple(Call(each, draw(names), {"q": draw(texts())}) for each in ids)
    thought = draw(texts()) if thinking else None
    steps = [Assistant(draw(st.none() | texts()), calls, thought)]
    results = [Result(call.id, draw(texts()), draw(st.booleans()), name=call.name) for call in calls]
    return steps + draw(st.permutations(results))


@st.composite
def steps_(draw, max_turns=5, max_rounds=6):
    """Steps of a valid history that ends where a request is sent, or where the assistant has answered."""
    steps = [System(draw(texts()))] if draw(st.booleans()) else []
    number = 0
    for turn in range(draw(st.integers(1, max_turns))):
        if turn:
            steps.append(Assistant(draw(texts())))
        steps.append(User(draw(texts())))
        thinking = draw(st.booleans())
        for at in range(draw(st.integers(0, max_rounds))):
            thinks = thinking and (at == 0 or draw(st.booleans()))
            steps += draw(rounds(number, thinks))
            number += 1
    if draw(st.booleans()):
        steps.append(Assistant(draw(texts())))
    return steps


@st.composite
def policies(draw, pins):
    tools = st.lists(st.builds(ToolRule, st.sampled_from(["search", "read"]), st.integers(0, 2)), max_size=1).map(tuple)
    clear = st.builds(
        Clear,
        batch=st.integers(1, 4),
        free=st.sampled_from([0, 0.1, 0.3]),
        keep_share=st.sampled_from([0, 0.25, 0.5]),
        keep_min=st.integers(0, 3),
        exclude_tools=st.sampled_from([(), ("bash",)]),
        keep_errors=st.booleans(),
        tools=tools,
    )
    free = st.sampled_from([0, 0.1, 0.3])
    seldom_none = lambda step: st.one_of(step, step, step, st.none())  # noqa: E731
    return FitPolicy(
        clear=draw(seldom_none(clear)),
        turns=draw(seldom_none(st.builds(Turns, free))),
        rounds=draw(seldom_none(st.builds(Rounds, free))),
        cut=draw(seldom_none(st.just(Cut()))),
        pins=draw(pins),
    )


def tokens_of(name, messages, system=None, tools=None):
    """Tokens of a request, by `History` and the formats themselves."""
    total = History(messages, format=name, tools=tools).total
    if system is not None:
        record = formats.named(name).system(system)
        total += record.frame + sum(part.tokens + sum(map(estimate, part.texts)) for part in record.parts)
    return total


def pinned(messages, pins):
    return [message for index, message in enumerate(messages) if (pins(message) if callable(pins) else index in pins)]


def checked(name, messages, budget, *, system=None, tools=None, policy=None, history=None):
    """Fit, and assert all that must hold of whatever comes out; gives the result, or None where it cannot fit."""
    policy = FitPolicy() if policy is None else policy
    given = list(messages)
    sent = copy.deepcopy(given)
    room = Budget.of(budget).room
    options = {"system": system, "tools": tools}
    arguments = {**options, "policy": policy} | ({"format": name} if history is None else {"history": history})
    before = tokens_of(name, given, system, tools)
    result = error = None
    try:
        result = fit(messages, budget, **arguments)
    except CannotFit as caught:
        error = caught
    assert given == sent
    if result is None:
        assert error.needed > error.limit == room
        assert sum(error.parts.values()) == error.needed
        assert f"{error.over:,}" in str(error)
        return None
    assert messages is not result.messages
    assert validate(result.messages, name) == []
    receipt = result.receipt
    assert result.tokens == receipt.after == tokens_of(name, result.messages, system, tools) <= room
    assert receipt.before == before
    assert receipt.after == before + sum(entry.after - entry.before for entry in receipt.entries)
    assert what_if(messages, budget, **arguments) == receipt
    json.dumps(receipt.to_dict())
    changed = next(
        (at for at, message in enumerate(given) if at >= len(result.messages) or result.messages[at] is not message),
        None,
    )
    assert receipt.first_changed == changed
    assert bool(receipt.entries) == (changed is not None) == (before > room)
    same = [message for message in result.messages if any(message is each for each in given)]
    places = [next(at for at, each in enumerate(given) if each is message) for message in same]
    assert places == sorted(places)
    for message in pinned(given, policy.pins):
        if formats.named(name).ALTERNATES:  # one message of the user may stand for several
            blocks = [block for each in result.messages for block in each["content"]]
            assert all(any(block is each for each in blocks) for block in message["content"])
        else:
            assert any(message is each for each in same)
    unpinned = FitPolicy(clear=policy.clear, turns=policy.turns, rounds=policy.rounds, cut=policy.cut)
    again = fit(result.messages, budget, **options, policy=unpinned, format=name)
    assert again.receipt.entries == ()
    assert all(one is other for one, other in zip(again.messages, result.messages, strict=True))
    return result

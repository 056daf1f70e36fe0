"""What must hold of every compaction, asserted around the real calls; and a summariser that answers as models do."""

import copy
import json

from fit.made import tokens_of
from formats.builder import APART
from ullage import Budget, Compaction, compact, formats, plan_compaction, validate
from ullage.formats.record import speaker

REPLY = """Here is the summary:

## Objective
- Do this
## Facts
- {fact}
## Decisions
- none
## Pending
- go on
## Constraints
- keep the URLs
"""


class Summariser:
    """Answers with the same text, or with one text after the other, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = replies or (REPLY.format(fact="the answer is 42"),)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


def words(name, messages):
    """All that is said in these messages, in order."""
    shape = formats.named(name)
    return "\n".join(text for message in messages for part in shape.read(message, "m").parts for text in part.texts)


def said(name, message):
    return speaker(formats.named(name).read(message, "m"))


def checked(name, messages, budget, summarise=None, *, system=None, tools=None, compaction=None, phase_ended=False):
    """Compact, and assert all that must hold of whatever comes out of a valid history."""
    compaction = Compaction() if compaction is None else compaction
    summarise = Summariser() if summarise is None else summarise
    given, sent = list(messages), copy.deepcopy(messages)
    options = {"compaction": compaction, "system": system, "tools": tools, "format": name, "phase_ended": phase_ended}
    plan = plan_compaction(messages, budget, **options)
    result = compact(messages, summarise, budget, **options)
    assert messages == sent
    assert result.messages is not messages
    assert result.plan == plan
    assert plan.tokens == result.receipt.before == tokens_of(name, given, system, tools)
    room = Budget.of(budget).room
    assert plan.trigger == int(room * compaction.trigger)
    receipt = result.receipt
    json.dumps(receipt.to_dict())
    assert receipt.after == tokens_of(name, result.messages, system, tools)
    assert receipt.after == receipt.before + sum(entry.after - entry.before for entry in receipt.entries)
    if not plan.due:
        assert all(one is other for one, other in zip(given, result.messages, strict=True))
        assert (receipt.entries, receipt.first_changed, summarise.requests, plan.summarise) == ((), None, [], ())
        assert plan.expected == plan.tokens
        return result
    assert plan.tokens > plan.trigger or phase_ended
    assert plan.expected < plan.tokens - (
        0 if phase_ended and plan.tokens <= plan.trigger else room * compaction.gain - 1
    )
    assert validate(result.messages, name) == []
    assert receipt.after < receipt.before
    _what_stays(name, given, result, compaction)
    for request in summarise.requests:
        _asked(name, given, request, room, system, tools)
    again = plan_compaction(result.messages, budget, **(options | {"compaction": _unpinned(compaction)}))
    assert not again.due, again
    return result


def _unpinned(compaction):
    return Compaction(compaction.trigger, compaction.keep_last, compaction.gain, compaction.summary)


def _what_stays(name, given, result, compaction):
    shape = formats.named(name)
    sent = {id(message) for message in result.messages}
    kept = [message for message in result.messages if any(message is each for each in given)]
    places = [next(at for at, each in enumerate(given) if each is message) for message in kept]
    assert places == sorted(places)
    assert not {id(given[index]) for index in result.plan.summarise} & sent
    text = words(name, result.messages)
    for index, message in enumerate(given):
        if index not in result.plan.summarise:
            assert id(message) in sent or (shape.ALTERNATES and _own_words(name, message) in text)
    for message in given[-compaction.keep_last :]:
        assert id(message) in sent or (shape.ALTERNATES and said(name, message) == "user")
    first = next((message for message in given if said(name, message) == "user"), None)
    assert first is None or _own_words(name, first) in text
    pins = compaction.pins
    for index, message in enumerate(given):
        if pins(message) if callable(pins) else index in pins:
            assert id(message) in sent or shape.ALTERNATES
    assert text.count("<conversation_summary version") == 1
    changed = next(
        at for at, message in enumerate(given) if at >= len(result.messages) or result.messages[at] is not message
    )
    assert result.receipt.first_changed == changed
    covered = [index for entry in result.receipt.entries for index in range(entry.start, entry.stop)]
    assert tuple(covered) == result.plan.summarise


def _own_words(name, message):
    """What a message says up to an earlier summary in it."""
    return words(name, [message]).partition("<conversation_summary")[0].strip()


def _asked(name, given, request, room, system, tools):
    assert validate(request.messages, name) == []
    assert request.tokens <= room
    if request.style == "transcript":
        assert (request.tools, request.system, len(request.messages)) == (None, None, 1)
        assert request.tokens == tokens_of(name, request.messages)
        return
    assert request.tools is tools
    assert request.system is system
    recounted = tokens_of(name, request.messages, system, tools)
    assert recounted <= request.tokens <= recounted + 4  # where two messages are one, there is one frame less
    same = [one is other for one, other in zip(given, request.messages, strict=False)]
    assert all(same[:-2])
    assert said(name, request.messages[-1]) == "user"


def apart(name, built):
    """The system prompt where it is sent apart from the messages."""
    return built.system if name in APART else None

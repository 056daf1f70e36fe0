"""`compose`: the second phase of a turn that used tools, as one request with only what is needed to answer.

What changes least comes first (instructions, then the summary), so that the start can be read from a cache; the facts
are raw, and what is missing in them is said; the rules that matter most stand at the very end once more.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple

from ullage import formats
from ullage._core import Estimator
from ullage.budget import Budget
from ullage.budgets.shares import Ask, Shares
from ullage.compaction.reading import listed
from ullage.compaction.summary import Summary
from ullage.composing.facts import Fact
from ullage.composing.prompt import AnswerPrompt
from ullage.errors import CannotFit
from ullage.fitting.costs import Costs
from ullage.fitting.layout import Estimate, record_cost
from ullage.history import chosen
from ullage.prune.text import least_mark, prune_text
from ullage.receipt import Entry, Receipt
from ullage.request import Request

_HELP = {
    "facts": "Give fewer facts: even the marks for what is cut take that much.",
    "question": "Shorten the question.",
    "instructions": "Shorten the instructions.",
    "summary": "Shorten the summary.",
    "reminders": "Repeat fewer rules at the end.",
}

_TAG = re.compile(r"<\s*/?\s*(fact[0-9]*)", re.IGNORECASE)
_WHY = {
    "facts": "the facts together are over the budget, and the largest are cut to one size",
    "question": "the question does not fit, with all facts cut as far as they can be",
}
_SHRINK = {"facts": 0, "question": None}
"""What can be cut, and its quota: the question has all that it needs before facts have more than their marks."""


@dataclass(frozen=True, slots=True)
class Composed:
    """One request to answer from.

    Attributes:
        request: with the keys of the API: the system prompt where it takes it, and one message of the user.
        format: of it.
        tokens: of all that is sent. With a budget they are what it counts by: of a profile, the upper bound.
        receipt: what was cut to stay within the budget; None without one. Facts are its items, by their index.
    """

    request: dict[str, Any]
    format: str
    tokens: int
    receipt: Receipt | None

    @property
    def messages(self) -> list[Any]:
        """The messages of the request."""
        return _read(self.request, self.format).messages

    @property
    def system(self) -> Any:  # noqa: ANN401 - what the API takes
        """The system prompt, where it is apart from the messages; None where it is one of them."""
        return _read(self.request, self.format).system


class _Piece(NamedTuple):
    """A text and what stands around it in its block."""

    section: str
    head: str
    text: str
    tail: str = "\n"

    def __str__(self) -> str:
        return f"{self.head}{self.text}{self.tail}"


class _Around:
    """Estimates a text with what stands around it."""

    def __init__(self, piece: _Piece, estimate: Estimate) -> None:
        self._piece = piece
        self._estimate = estimate

    def estimate(self, text: str, /) -> int:
        return self._estimate(str(self._piece._replace(text=text)))


def compose(
    *,
    instructions: str,
    question: str,
    format: str,
    facts: Sequence[Fact] = (),
    summary: str | Summary = "",
    reminders: Sequence[str] = (),
    budget: int | Budget | None = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    prompt: AnswerPrompt = AnswerPrompt.ENGLISH,
) -> Composed:
    """Put together one clean request: no calls and no dialogue, only what the answer needs.

    Over a budget, the largest facts are cut, all to the same size, with a mark for what is missing; only if that is
    not enough, the question is. Where a fact is not whole, the request says so, and not to fill in what is missing.

    Args:
        instructions: the system prompt.
        question: what is to be answered.
        format: of the request, such as "anthropic".
        facts: what the tools found, as they returned it; of a history, `turn_facts` gives them.
        summary: of the dialogue so far, as short as it can be.
        reminders: the two or three rules that matter most; they stand at the end, behind what can be cached.
        budget: the most tokens that the request may take, or a `Budget`.
        model: the name of the model that the request is for.
        estimator: in the place of a model; by default, the script rule.
        prompt: the words around the pieces.

    Raises:
        TypeError: when a value is of a wrong type.
        ValueError: when the instructions or the question are blank, or there is no such format.
        UnknownModel: when no profile is known for the model.
        InvalidBudget: when the budget has no room.
        CannotFit: when the rest is too large even with all facts and the question cut.

    >>> from ullage import Fact, compose
    >>> composed = compose(
    ...     instructions="You know the tides.",
    ...     facts=[Fact("tides Roses", "high 11:40, low 17:55")],
    ...     question="When is high tide?",
    ...     reminders=["Give times as hh:mm."],
    ...     format="anthropic",
    ... )
    >>> composed.system, len(composed.messages), composed.tokens
    ('You know the tides.', 1, 68)
    >>> print("".join(block["text"] for block in composed.messages[0]["content"]))
    What the tools found for this question, as they returned it:
    <BLANKLINE>
    <fact number="1">
    Source: tides Roses
    <BLANKLINE>
    high 11:40, low 17:55
    </fact>
    <BLANKLINE>
    Question:
    When is high tide?
    <BLANKLINE>
    Keep to these rules in the answer:
    - Give times as hh:mm.
    <BLANKLINE>
    """
    facts, reminders = _checked(instructions, question, facts, reminders)
    if not isinstance(summary, str | Summary):
        raise TypeError(f"summary must be str or a Summary, not {type(summary).__name__}")
    if not isinstance(prompt, AnswerPrompt):
        raise TypeError(f"prompt must be an AnswerPrompt, not {type(prompt).__name__}")
    shape = formats.named(format)
    estimator = chosen(model, estimator)
    pieces = _pieces(question, facts, summary, reminders, prompt)
    notice = _Piece("notice", "", prompt.cut, "\n\n")
    whole = all(fact.whole for fact in facts)

    def made(pieces: Sequence[_Piece], *, cut: bool) -> dict[str, Any]:
        at = next(at for at, piece in enumerate(pieces) if piece.section == "question")
        said = [*pieces[:at], *([notice] if cut else []), *pieces[at:]]
        return shape.ask(instructions, [str(piece) for piece in said])

    request = made(pieces, cut=not whole)
    if budget is None:
        return Composed(request, format, _cost(request, format, estimator.estimate), None)
    costs = Costs(estimator)
    before, limit = _cost(request, format, costs.estimate), costs.limit(Budget.of(budget).room)
    if before <= limit:
        return Composed(request, format, before, Receipt((), before, before, limit, None))
    fitted = _fit(pieces, before - limit, costs.estimate, notice=costs.estimate(str(notice)) if whole else 0)
    after = before - sum(entry.before - entry.after for entry in fitted.entries)
    if after > limit:
        raise _cannot_fit(instructions, fitted.pieces, after, limit, costs.estimate)
    request = made(fitted.pieces, cut=not whole or any(entry.section == "facts" for entry in fitted.entries))
    return Composed(request, format, after, Receipt(fitted.entries, before, after, limit, fitted.first_changed))


def _checked(
    instructions: str, question: str, facts: Sequence[Fact], reminders: Sequence[str]
) -> tuple[tuple[Fact, ...], tuple[str, ...]]:
    """Facts and reminders as tuples, when all is of its type and not blank."""
    if isinstance(reminders, str) or not isinstance(reminders, Iterable):
        raise TypeError(f"reminders must be several texts, not {type(reminders).__name__}")
    if isinstance(facts, Fact) or not isinstance(facts, Iterable):
        raise TypeError(f"facts must be several Fact, not {type(facts).__name__}")
    facts, reminders = tuple(facts), tuple(reminders)
    texts = [("instructions", instructions), ("question", question)]
    texts += ((f"reminders[{index}]", reminder) for index, reminder in enumerate(reminders))
    for name, text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be str, not {type(text).__name__}")
        if not text.strip():
            raise ValueError(f"{name} is blank; a request has a text there")
    for index, fact in enumerate(facts):
        if not isinstance(fact, Fact):
            raise TypeError(f"facts[{index}] must be a Fact, not {type(fact).__name__}")
        for name, text in (("source", fact.source), ("text", fact.text)):
            if not isinstance(text, str):
                raise TypeError(f"facts[{index}].{name} must be str, not {type(text).__name__}")
        if not isinstance(fact.cut, bool):
            raise TypeError(f"facts[{index}].cut must be bool, not {type(fact.cut).__name__}")
    return facts, reminders


def _pieces(
    question: str, facts: Sequence[Fact], summary: str | Summary, reminders: Sequence[str], prompt: AnswerPrompt
) -> list[_Piece]:
    """What the user's message is made of, in order."""
    pieces = []
    if isinstance(summary, Summary):
        summary = "\n\n".join(listed(summary, prompt.headings))
    if summary.strip():
        pieces.append(_Piece("summary", f"{prompt.summary}\n", summary, "\n\n"))
    tag = _tag(chain((summary, question), *((fact.source, fact.text) for fact in facts)))
    for number, fact in enumerate(facts, 1):
        before = f"{prompt.facts}\n\n" if number == 1 else ""
        head = f'{before}<{tag} number="{number}">\n{prompt.source} {" ".join(fact.source.split())}\n\n'
        pieces.append(_Piece("facts", head, fact.text, f"\n</{tag}>\n\n"))
    pieces.append(_Piece("question", f"{prompt.question}\n", question))
    if reminders:
        rules = "\n".join("- " + reminder.replace("\n", "\n  ") for reminder in reminders)
        pieces.append(_Piece("reminders", f"\n{prompt.reminders}\n", rules))
    return pieces


def _tag(texts: Iterable[str]) -> str:
    """The first of "fact", "fact2", ... that no text begins or ends by itself, whatever a tool returned."""
    taken = {name.lower() for text in texts for name in _TAG.findall(text)}
    return next(name for name in chain(("fact",), map("fact{}".format, count(2))) if name not in taken)


class _Fitted(NamedTuple):
    """Pieces as far as they could be cut, what was done, and the first that changed, after the instructions."""

    pieces: list[_Piece]
    entries: tuple[Entry, ...]
    first_changed: int | None


def _fit(pieces: list[_Piece], excess: int, estimate: Estimate, notice: int) -> _Fitted:
    """Cut facts, and the question where that is not enough.

    Args:
        pieces: of the message.
        excess: tokens that must go.
        estimate: of each text.
        notice: tokens of what is added where a fact is cut.
    """
    sizes = [estimate(str(piece)) for piece in pieces]
    least = [
        min(size, _least(piece, estimate)) if piece.section in _SHRINK else size
        for piece, size in zip(pieces, sizes, strict=True)
    ]
    sections = [piece.section for piece in pieces]
    facts = range(sections.index("facts"), sections.index("question")) if "facts" in sections else range(0)
    if sum(sizes[at] - least[at] for at in facts) > notice:
        excess += notice
    else:  # cutting them would not even make room for saying so
        for at in facts:
            least[at] = sizes[at]
    asks = [
        Ask(needed, wanted, 0, _SHRINK.get(piece.section), None, int(piece.section != "facts"), 1)
        for piece, needed, wanted in zip(pieces, least, sizes, strict=True)
    ]
    granted = Shares(asks).grants(max(sum(least), sum(sizes) - excess))
    done = [
        piece if tokens >= size else _shortened(piece, tokens, estimate)
        for piece, size, tokens in zip(pieces, sizes, granted, strict=True)
    ]
    cut = [at for at, piece in enumerate(pieces) if piece is not done[at]]
    entries = [
        _entry(pieces[at].section, at - facts.start, sizes[at], estimate(str(done[at]))) for at in cut if at in facts
    ]
    if entries and notice:
        why = "says that facts are not whole, and not to fill in what is missing"
        entries.append(Entry("noted", len(facts), len(facts), 0, notice, why, section="facts"))
    entries += (_entry("question", 0, sizes[at], estimate(str(done[at]))) for at in cut if at not in facts)
    return _Fitted(done, tuple(entries), cut[0] + 1 if cut else None)


def _entry(section: str, number: int, before: int, after: int) -> Entry:
    return Entry("cut", number, number + 1, before, after, _WHY[section], section=section)


def _least(piece: _Piece, estimate: Estimate) -> int:
    """Tokens of a piece of which nothing but the mark is left."""
    return estimate(str(piece._replace(text=least_mark(piece.text))))


def _shortened(piece: _Piece, tokens: int, estimate: Estimate) -> _Piece:
    return piece._replace(text=prune_text(piece.text, max_tokens=tokens, estimator=_Around(piece, estimate)))


def _read(request: dict[str, Any], format: str) -> Request:
    found = Request.of(request, format)
    assert found is not None, "it has messages"
    return found


def _cost(request: dict[str, Any], format: str, estimate: Estimate) -> int:
    sent = _read(request, format).read()
    records = [*sent.messages, *([] if sent.system is None else [sent.system])]
    return sent.framing + sum(record_cost(record, estimate) for record in records)


def _cannot_fit(instructions: str, pieces: Sequence[_Piece], needed: int, limit: int, estimate: Estimate) -> CannotFit:
    parts = {"instructions": estimate(instructions)}
    for piece in pieces:
        parts[piece.section] = parts.get(piece.section, 0) + estimate(str(piece))
    parts["framing and notes"] = needed - sum(parts.values())
    parts = {name: tokens for name, tokens in sorted(parts.items(), key=lambda part: -part[1]) if tokens}
    return CannotFit(needed, limit, parts, _HELP.get(next(iter(parts)), "Give a larger budget."))

"""`fit`: a history that is too long for its budget, shortened so that its provider takes it and its prefix stays.

Old tool results are cleared first, then whole turns leave, then whole rounds of the current turn, and last the newest
results are cut: each only if what was done before was not enough. The history itself is never changed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ullage import formats
from ullage._core import Estimator
from ullage.budget import Budget
from ullage.fitting.draft import Draft
from ullage.fitting.known import Known
from ullage.fitting.layout import cost, record_cost
from ullage.fitting.plan import Step
from ullage.fitting.policy import FitPolicy
from ullage.fitting.shortfall import shortfall
from ullage.formats.detection import detect
from ullage.formats.record import Part
from ullage.history import History, as_list, chosen
from ullage.receipt import Receipt


@dataclass(frozen=True, slots=True)
class FitResult:
    """A history that fits.

    Attributes:
        messages: what to send; a new list, in which what was not touched is the same objects.
        receipt: what was done, and why.
        tokens: of the whole request, as `Receipt.after` says.
    """

    messages: list[Any]
    receipt: Receipt
    tokens: int


def fit(
    messages: Iterable[Any],
    budget: int | Budget,
    *,
    tools: Sequence[object] | None = None,
    system: object = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    policy: FitPolicy | None = None,
    history: History | None = None,
) -> FitResult:
    """Shorten a history so that a request with it stays within a budget, and is valid.

    What is done depends on the history alone, so that a history that grows is sent with the same beginning for many
    requests, on every machine.

    Args:
        messages: the whole history, in one of the formats; it is not changed.
        budget: the most tokens that the request may take, or a `Budget`.
        tools: the tool definitions that are sent along; by default, those of the history.
        system: the system prompt, where it is sent apart from the messages.
        model: the name of the model that the request is for; its profile estimates each text.
        estimator: estimates each text, in the place of a model; by default, by the script rule.
        format: of the messages; by default, detected.
        policy: what may be done; by default, everything.
        history: remembers `messages` from one call to the next, so that only what is new is read. It has its own format
            and model or estimator, which then are not given here, and is updated to `messages`.

    By a profile, each text costs its estimate and its share of the upper bound, so that all tokens here are a little
    more than those of `History`; the rest of the bound comes off the budget (see `Receipt.limit`).

    Raises:
        TypeError: when something is not a message, or holds a value of a wrong type (its path is named).
        ValueError: when the format is not known, a pin is not a message, or "auto" does not know what the cache costs.
        UnknownModel: when no profile is known for the model, or no cache rules that the policy needs.
        InvalidBudget: when the budget has no room for a request.
        InvalidHistory: when the provider would refuse the messages as they are; the message and the rule are named.
        CannotFit: when the request stays too large: what is too large, by how much, and what would help.

    >>> from ullage import fit
    >>> messages = [{"role": "user", "content": "Which file is the longest?"}]
    >>> for number in range(40):
    ...     call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ...     messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    ...     messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "a line of text" * 50})
    >>> fitted = fit(messages, 4_000)
    >>> len(fitted.messages), fitted.tokens, fitted.receipt.entries[0].action
    (81, 3910, 'cleared')
    """
    request = _Request(messages, budget, tools, system, model, estimator, format, policy, history)
    receipt = request.receipt()
    return FitResult(request.messages(), receipt, receipt.after)


def what_if(
    messages: Iterable[Any],
    budget: int | Budget,
    *,
    tools: Sequence[object] | None = None,
    system: object = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    policy: FitPolicy | None = None,
    history: History | None = None,
) -> Receipt:
    """The receipt that `fit` would give, without the messages. Arguments and errors are those of `fit`."""
    return _Request(messages, budget, tools, system, model, estimator, format, policy, history).receipt()


class _Request:
    """What `fit` and `what_if` have in common: everything up to the messages."""

    def __init__(
        self,
        messages: Iterable[Any],
        budget: int | Budget,
        tools: Sequence[object] | None,
        system: object,
        model: str | None,
        estimator: Estimator | None,
        format: str | None,
        policy: FitPolicy | None,
        history: History | None,
    ) -> None:
        room = Budget.of(budget).room
        given = as_list(messages, "messages")
        policy = FitPolicy() if policy is None else policy
        for name, value, kind in (("policy", policy, FitPolicy), ("history", history, History)):
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
        if history is None:
            shape = formats.named(detect(given) if format is None else format)
            known = Known(shape, chosen(model, estimator))
            known.follow(given, 0)
        elif model is not None or estimator is not None or format is not None:
            raise TypeError("a history has its own format and model or estimator: give them to History")
        else:
            known = history.follow(given)
        policy = policy.resolved(model)
        self._layout = known.layout
        self._limit = self._layout.costs.limit(room)
        fixed = self._fixed(tools, system, None if history is None else history.tools)
        notes = self._notes(given, policy)
        note_tokens = {step: self._layout.tokens(note) for step, note in notes.items()}
        plan = known.plan(policy, self._limit, sum(fixed.values()), note_tokens)
        if plan.total > self._limit:
            raise shortfall(self._layout, plan, policy, self._limit, fixed)
        self._before = self._layout.sums[-1] + sum(fixed.values())
        self._draft = Draft(self._layout, given, plan, notes)

    def messages(self) -> list[object]:
        return self._draft.messages()

    def receipt(self) -> Receipt:
        entries = self._draft.entries()
        after = self._before + sum(entry.after - entry.before for entry in entries)
        first = min((entry.start for entry in entries), default=None)
        return Receipt(entries, self._before, after, self._limit, first)

    def _fixed(self, tools: Sequence[object] | None, system: object, known: Part | None) -> dict[str, int]:
        """Tokens of what is sent beside the messages; without tools, the known ones are."""
        shape, estimate = self._layout.shape, self._layout.estimate
        sent = known if tools is None else shape.tools(as_list(tools, "tools"))
        fixed = {"framing": shape.REQUEST_TOKENS}
        if sent is not None:
            fixed["tools"] = cost(sent, estimate)
        if system is not None:
            fixed["system prompt"] = record_cost(shape.system(system), estimate)
        return fixed

    def _notes(self, messages: Sequence[object], policy: FitPolicy) -> dict[Step, object]:
        """The messages that stand for what was left out."""
        if not messages:
            return {}
        note = self._layout.shape.note
        texts: dict[Step, str] = {}
        if policy.turns is not None:
            texts["turns"] = policy.turns.note
        if policy.rounds is not None:
            texts["rounds"] = policy.rounds.note
        return {step: note(text, messages[0]) for step, text in texts.items()}

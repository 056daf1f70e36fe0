"""`Receipt`: what was done to a request, and why. It adds up to the token."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

Action: TypeAlias = Literal["cleared", "cut", "dropped", "summarised", "noted"]


class Entry(NamedTuple):
    """One thing that was done.

    Attributes:
        action: "cleared", "cut" (both: a tool result, or an item of a section), "dropped", "summarised" (both:
            messages, or items) or "noted" (a note was put in).
        start: index of the first message of the input that it concerns, or of the first item of its section.
        stop: one past the last; a note stands before this message.
        before: tokens of what was there.
        after: tokens of what is there now.
        why: the reason, in a few words.
        call_id: of the call whose result it is, where there is one.
        tool: the name of its tool, where it is known.
        section: the section whose items they are, where a budget was shared out.
    """

    action: Action
    start: int
    stop: int
    before: int
    after: int
    why: str
    call_id: str | None = None
    tool: str | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """All that was done to a request. Tokens are estimates; by a profile, each text has its share of the upper bound.

    Attributes:
        entries: in the order of the messages, or of the sections and their items as they are sent.
        before: tokens of the whole request before: messages, tools, system prompt and framing.
        after: tokens of it now: `before`, with each entry's difference.
        limit: the most tokens that were allowed: the budget, less what a profile's upper bound has once for a request.
        first_changed: index of the first message that is not what it was, or of the first such item of all sections
            in their order, or None. What stands before it is the same.
    """

    entries: tuple[Entry, ...]
    before: int
    after: int
    limit: int
    first_changed: int | None

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only, as JSON has them."""
        return {
            "entries": [entry._asdict() for entry in self.entries],
            "before": self.before,
            "after": self.after,
            "limit": self.limit,
            "first_changed": self.first_changed,
        }

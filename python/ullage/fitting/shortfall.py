"""`shortfall`: what a request is made of that cannot be made small enough, and what would help."""

from ullage.errors import CannotFit
from ullage.fitting.layout import Layout
from ullage.fitting.plan import Plan
from ullage.fitting.policy import FitPolicy

_HELP = {
    "tools": "Send fewer tools, or shorter descriptions of them.",
    "system prompt": "Shorten the system prompt.",
    "system messages": "Shorten the system messages.",
    "first user message": "Shorten the first user message: it always stays.",
    "question": "Shorten the question.",
    "pinned messages": "Pin fewer messages.",
    "newest round": "Prune large tool results and arguments in the tool handler, before they enter the history.",
}
_OTHERWISE = "Give a larger budget."


def shortfall(layout: Layout, plan: Plan, policy: FitPolicy, limit: int, fixed: dict[str, int]) -> CannotFit:
    """The error for a plan that is over its limit.

    Args:
        layout: of the history.
        plan: what is left.
        policy: what was allowed.
        limit: tokens of the request.
        fixed: tokens of what is sent beside the messages, by name.
    """
    parts = dict(fixed)
    newest = layout.segment_of(len(layout) - 1)
    left = {segment for start, stop in plan.gaps() for segment in range(start, stop)}
    for segment, kind in enumerate(layout.kinds):
        if segment in left:
            continue
        if kind == "head":
            name = "system messages"
        elif segment in plan.pinned:
            name = "pinned messages"
        elif segment == plan.anchor:
            name = "first user message"
        elif segment == newest:
            name = "question" if kind == "opening" else "newest round"
        elif kind == "opening" and layout.turn_of(segment) == layout.turn_of(newest):
            name = "question"
        else:
            name = "other messages"
        parts[name] = parts.get(name, 0) + plan.size(segment)
    rest = plan.total - sum(parts.values())
    if rest:
        parts["notes"] = rest
    parts = {name: tokens for name, tokens in sorted(parts.items(), key=lambda item: -item[1]) if tokens}
    off = [step for step in ("clear", "turns", "rounds", "cut") if getattr(policy, step) is None]
    help = _HELP.get(next(iter(parts), ""), _OTHERWISE)
    if off:
        help += f" Or let the policy do more: {' and '.join(off)} {'is' if len(off) == 1 else 'are'} turned off."
    return CannotFit(plan.total, limit, parts, help)

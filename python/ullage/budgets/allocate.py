"""`allocate`: a budget shared out among sections. What is sent, what every section takes, and a line for every loss."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, NamedTuple, get_args

from ullage._core import Estimator
from ullage.budget import Budget, exact
from ullage.budgets.keep import Never, Truncate
from ullage.budgets.ladder import Ladder
from ullage.budgets.measure import measure
from ullage.budgets.outcome import outcome
from ullage.budgets.section import Changes, Section
from ullage.budgets.shares import Ask, Shares
from ullage.budgets.truncate import Cutter
from ullage.errors import CannotFit, InvalidBudget
from ullage.fitting.costs import Costs
from ullage.history import chosen
from ullage.receipt import Receipt

_STABLE_FIRST = get_args(Changes)


class Share(NamedTuple):
    """What one section got.

    Attributes:
        items: contents that stay, in the order of the section: the same objects, but for one that was cut.
        left: contents that left, or of which a part was cut away.
        tokens: that the items take.
        wanted: tokens of all that the section had.
        quota: tokens that it asked for before others got more than they asked for.
    """

    items: tuple[Any, ...]
    left: tuple[Any, ...]
    tokens: int
    wanted: int
    quota: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """A budget shared out.

    Attributes:
        sections: by name, those that change least first: the order in which they are sent.
        receipt: what left, and why. Its tokens are those of all items and of the request's framing.
    """

    sections: dict[str, Share]
    receipt: Receipt

    @property
    def items(self) -> tuple[Any, ...]:
        """What is sent, in order."""
        return tuple(item for share in self.sections.values() for item in share.items)

    @property
    def tokens(self) -> int:
        """Tokens of what is sent, with its framing."""
        return self.receipt.after

    @property
    def free(self) -> int:
        """Tokens that nothing takes."""
        return self.receipt.limit - self.receipt.after


def allocate(
    sections: Iterable[Section],
    budget: int | Budget,
    *,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
) -> Allocation:
    """Share out a budget among sections.

    Each section first gets its minimum, then its quota, those of higher priority first; what is left goes by weight to
    those that have more. Inside a section, items leave as its `keep` says. More budget never removes an item, unless a
    section is kept by `LowestScoreFirst("best")`.

    By a profile, each text costs its estimate and its share of the upper bound, as in `fit`. What a text is put into
    (a message of its own, say) is not counted: give it as a message, or take it off the budget.

    Args:
        sections: what the request is made of; their order counts among those that change equally often.
        budget: the most tokens that the request may take, or a `Budget`.
        model: the name of the model that the request is for.
        estimator: in the place of a model; by default, the script rule.
        format: of messages and blocks; by default, detected.

    Raises:
        TypeError: when something is not a section, or an item not a text, a message or a block.
        ValueError: when two sections have one name, the format is not known, or a score is below 0 where scores are
            added up.
        UnknownModel: when no profile is known for the model.
        InvalidHistory: when a message nests too deep.
        InvalidBudget: when the budget has no room, or the shares of it add up to more than all.
        CannotFit: when what must stay is too large: what it is made of, and what would help.

    >>> from ullage import Budget, Never, Section, allocate
    >>> shared = allocate(
    ...     [
    ...         Section("instructions", "Answer from the documents.", keep=Never(), changes="never"),
    ...         Section("documents", ["The first document. " * 20, "The second document. " * 20], quota=0.8),
    ...     ],
    ...     Budget(400, output_reserve=250),
    ... )
    >>> {name: share.tokens for name, share in shared.sections.items()}, shared.free
    ({'instructions': 7, 'documents': 100}, 43)
    >>> shared.receipt.entries[0].why
    'lowest score first: 100 of 205 tokens stay'
    """
    room = Budget.of(budget).room
    estimator = chosen(model, estimator)
    costs = Costs(estimator)
    measured, shape = measure(_ordered(sections), estimator, costs, format)
    framing = 0 if shape is None else shape.REQUEST_TOKENS
    limit = costs.limit(room)
    ladders = [Ladder(each) for each in measured]
    cutters = [Cutter(each, costs, shape) if isinstance(each.section.keep, Truncate) else None for each in measured]
    needed = [_needed(ladder, cutter) for ladder, cutter in zip(ladders, cutters, strict=True)]
    shares = Shares([_ask(ladder, tokens) for ladder, tokens in zip(ladders, needed, strict=True)])
    _check(ladders, needed, shares.maximum(max(0, limit - framing)), limit, framing)
    granted = _granted(ladders, shares, limit - framing)
    outcomes = [outcome(*each) for each in zip(ladders, granted, cutters, strict=True)]

    entries = tuple(chain.from_iterable(each.entries for each in outcomes))
    before = framing + sum(ladder.wanted for ladder in ladders)
    after = framing + sum(each.tokens for each in outcomes)
    offsets = accumulate((len(each.contents) for each in measured), initial=0)
    changed = (offset + each.entries[0].start for offset, each in zip(offsets, outcomes, strict=False) if each.entries)
    quotas = shares.quota(limit - framing)
    placed = {
        ladder.measured.section.name: Share(each.items, each.left, each.tokens, ladder.wanted, quota)
        for ladder, each, quota in zip(ladders, outcomes, quotas, strict=True)
    }
    return Allocation(placed, Receipt(entries, before, after, limit, next(changed, None)))


def _ordered(sections: Iterable[Section]) -> list[Section]:
    """The sections, those that change least first."""
    if isinstance(sections, Section) or not isinstance(sections, Iterable):
        raise TypeError(f"sections must be several Section, not {type(sections).__name__}")
    given = list(sections)
    names = set()
    for at, section in enumerate(given):
        if not isinstance(section, Section):
            raise TypeError(f"sections[{at}] must be a Section, not {type(section).__name__}")
        if section.name in names:
            raise ValueError(f"sections[{at}] has the name {section.name!r} again; each section needs its own")
        names.add(section.name)
    for what in ("quota", "minimum"):
        shares = {section.name: getattr(section, what) for section in given}
        total = sum(exact(share) for share in shares.values() if isinstance(share, float))
        if total > 1:
            listed = ", ".join(f"{name} {share:g}" for name, share in shares.items() if isinstance(share, float))
            raise InvalidBudget(
                f"the shares of the room that the sections have as {what} add up to {float(total):g} ({listed}); "
                "give at most 1 together"
            )
    return sorted(given, key=lambda section: _STABLE_FIRST.index(section.changes))


def _needed(ladder: Ladder, cutter: Cutter | None) -> int:
    """Tokens that a section cannot do without."""
    if isinstance(ladder.measured.section.keep, Never):
        return ladder.wanted
    return 0 if cutter is None or not len(ladder.order) else cutter.least(ladder.units(0))


def _ask(ladder: Ladder, needed: int) -> Ask:
    section = ladder.measured.section
    bounds = section.minimum, section.quota, section.maximum
    return Ask(needed, ladder.wanted, *bounds, section.priority, section.weight)


def _check(ladders: Sequence[Ladder], needed: Sequence[int], most: Sequence[int], limit: int, framing: int) -> None:
    """Refuse what cannot be done without, if it is more than there is room for."""
    names = [ladder.measured.section.name for ladder in ladders]
    for name, tokens, maximum in zip(names, needed, most, strict=True):
        if tokens > maximum:
            help = f"The limit is the maximum of section {name!r}: raise it, or let more of the section leave."
            raise CannotFit(tokens, maximum, {name: tokens}, help)
    total = framing + sum(needed)
    if total > limit:
        parts = {"framing": framing} | dict(zip(names, needed, strict=True))
        parts = {name: tokens for name, tokens in sorted(parts.items(), key=lambda part: -part[1]) if tokens}
        largest = next(name for name in parts if name != "framing" or len(parts) == 1)
        help = f"Shorten {largest}, let more of it leave, or give a larger budget."
        raise CannotFit(total, limit, parts, help)


def _granted(ladders: Sequence[Ladder], shares: Shares, room: int) -> list[int]:
    """What each section is granted.

    Items are whole, so that sections leave some of their grants over. This goes on in the same way: granted is what
    sections would get of the largest room whose choice of items fits into the real one. That room grows with the real
    one, so that more budget never takes an item away.
    """
    most = shares.maximum(room)
    granted: list[int] = []

    def fits(more: int) -> bool:
        nonlocal granted
        tried = shares.grants(room + more)
        taken = [ladder.taken(tokens) for ladder, tokens in zip(ladders, tried, strict=True)]
        if sum(taken) > room or any(tokens > top for tokens, top in zip(taken, most, strict=True)):
            return False
        granted = tried
        return True

    enough = shares.enough
    if fits(enough):
        return granted
    fits(0)
    low, high = 0, 1
    while high < enough and fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return granted

"""`advise`: which policy, and which markers, make a session cheapest at the prices of its provider's cache."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ullage._core import Estimator
from ullage.budget import Budget
from ullage.cache.prices import Prices
from ullage.cache.rules import CacheRules, cache_rules
from ullage.cache.sending import PLACES, Place, Policy
from ullage.cache.shape import Shape
from ullage.cache.simulate import simulate
from ullage.compaction.policy import Compaction
from ullage.errors import CannotFit
from ullage.fitting.policy import Clear, FitPolicy

BATCHES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50)
KEEP_SHARES = (0.1, 0.25, 0.5)
TRIGGERS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MARKERS: tuple[tuple[Place, ...], ...] = (("end",), ("base", "end"), PLACES)
USUAL: tuple[Place, ...] = ("base", "end")


@dataclass(frozen=True, slots=True)
class Option:
    """One way to send a session.

    Attributes:
        name: what it does, in words.
        policy: what does it; None never clears anything.
        markers: where its requests have their markers; nowhere, where the provider knows none.
        life: seconds that these ask for; None for the provider's default.
        cost: of the session, in the unit of the advice.
        hit_rate: the share of all prompts that is read from the cache.
        largest: tokens of the largest prompt.
    """

    name: str
    policy: Policy
    markers: tuple[Place, ...]
    life: int | None
    cost: float
    hit_rate: float
    largest: int


@dataclass(frozen=True, slots=True)
class Advice:
    """What makes a session cheapest, of what was tried.

    Attributes:
        options: all that was tried, the cheapest first.
        never: never clearing anything, which may grow beyond the budget.
        chosen: the policy that was asked about.
        break_even: the least batch from which on clearing costs less than never clearing, of those that were tried;
            None where it never does.
        unit: of the costs, as in `CostReport`.
    """

    options: tuple[Option, ...]
    never: Option
    chosen: Option
    break_even: int | None
    unit: str

    @property
    def cheapest(self) -> Option:
        """The cheapest of all, never clearing among them."""
        return self.options[0]

    def against_never(self, option: Option) -> float:
        """What an option costs, in costs of never clearing."""
        return option.cost / self.never.cost

    def to_dict(self) -> dict[str, Any]:
        """Numbers and strings only, as JSON has them."""
        return {
            "unit": self.unit,
            "break_even": self.break_even,
            "cheapest": self._told(self.cheapest),
            "chosen": self._told(self.chosen),
            "never": self._told(self.never),
            "options": [self._told(option) for option in self.options],
        }

    def table(self, rows: int = 3) -> str:
        """The cheapest options of each kind, the chosen one and never clearing, as lines of text.

        Args:
            rows: of each kind.
        """
        shown = {self.chosen: None, self.never: None}
        for kind in (FitPolicy, Compaction):
            shown |= dict.fromkeys([option for option in self.options if isinstance(option.policy, kind)][:rows])
        head = ("policy", "markers", self.unit, "against never", "largest prompt")
        cells = [
            (
                option.name,
                " ".join(option.markers),
                f"{option.cost:.3f}",
                f"{self.against_never(option):.2f}x",
                f"{option.largest:,}",
            )
            for option in sorted(shown, key=_cost)
        ]
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        left = ("<", "<", ">", ">", ">")
        rows_of_cells = (zip(row, left, widths, strict=True) for row in (head, *cells))
        lines = ([f"{cell:{side}{width}}" for cell, side, width in row] for row in rows_of_cells)
        return "\n".join("  ".join(line).rstrip() for line in lines)

    def _told(self, option: Option) -> dict[str, Any]:
        told = {name: getattr(option, name) for name in ("name", "life", "cost", "hit_rate", "largest")}
        return {**told, "markers": list(option.markers), "against_never": self.against_never(option)}


def advise(
    trace: Shape | Mapping[str, Any] | Sequence[Any],
    rules: CacheRules | str,
    budget: int | Budget,
    *,
    policy: FitPolicy | Compaction | None = None,
    prices: Prices | None = None,
    seconds_between: float = 10.0,
    estimator: Estimator | None = None,
    format: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Advice:
    """Find what makes a session cheapest: how many results to clear at once and how many to keep, or when to summarise.

    Every batch of `BATCHES` with every share of `KEEP_SHARES`, and every trigger of `TRIGGERS`, is simulated with
    markers behind the base and at the end; then other markers and lives are tried on the best of each kind. Only costs
    are compared: a model that has less of its history may need more requests, which nobody can simulate. A compaction
    is no limit: see the largest prompt.

    Args:
        trace: a session, as for `simulate`.
        rules: of the provider, or the name of a model or provider for `cache_rules`.
        budget: the most tokens that a request may take.
        policy: one to compare with the others; by default, `FitPolicy()`.
        prices: of the model's tokens, as for `simulate`.
        seconds_between: from the start of a request to the start of the next one; a shape has its own.
        estimator: of texts; by default, by the script rule.
        format: of the messages; by default, detected.
        progress: told of options that were tried, and of all.

    Raises:
        TypeError, ValueError, InvalidBudget, InvalidHistory, UnknownModel: as `simulate`.
        ValueError: when the session costs nothing, so that nothing can be saved.
        CannotFit: when the chosen policy does not get a request within the budget.

    >>> from ullage import Shape, advise
    >>> advice = advise(Shape(turns=100, base=15_000, result=2_500), "claude-opus-5-5", 100_000)
    >>> advice.cheapest.name, round(advice.against_never(advice.cheapest), 2), advice.break_even
    ('clear 32 at once, keep 10%', 0.7, 16)
    >>> print(advice.table(1))
    policy                      markers   million input tokens  against never  largest prompt
    clear 32 at once, keep 10%  base end                 0.831          0.70x          99,712
    compact at 100%             base end                 0.859          0.73x          98,700
    never clear                 base end                 1.182          1.00x         282,300
    as chosen                   base end                 1.605          1.36x          99,856
    """
    rules = cache_rules(rules) if isinstance(rules, str) else rules
    usual = USUAL if rules.markers else ()
    lives: tuple[int | None, ...] = (None, *rules.lives[1:])
    placed = MARKERS if rules.markers else (usual,)
    others = [(places, life) for places in placed for life in lives if (places, life) != (usual, None)]
    batches = [
        (batch, share, FitPolicy(clear=Clear(batch=batch, free=0, keep_share=share)))
        for share in KEEP_SHARES
        for batch in BATCHES
    ]
    triggers = [(trigger, Compaction(trigger=trigger)) for trigger in TRIGGERS]
    total = 2 + len(batches) + len(triggers) + 2 * len(others)
    unit, done = "", 0

    def run(name: str, policy: Policy, markers: tuple[Place, ...] = usual, life: int | None = None) -> Option:
        nonlocal unit, done
        report = simulate(
            trace,
            policy,
            rules,
            budget=budget,
            prices=prices,
            markers=markers,
            life=life,
            seconds_between=seconds_between,
            estimator=estimator,
            format=format,
        )
        unit, done = report.unit, done + 1
        if progress is not None:
            progress(done, total)
        return Option(name, policy, markers, life, report.cost, report.hit_rate, report.largest)

    chosen = run("as chosen", FitPolicy() if policy is None else policy)
    never = run("never clear", None)
    if never.cost == 0:
        raise ValueError("the session costs nothing: it asks for no answer, or all prices are 0")
    cleared: dict[tuple[int, float], Option] = {}
    for batch, share, each in batches:
        with suppress(CannotFit):
            cleared[batch, share] = run(f"clear {batch} at once, keep {share:.0%}", each)
    compacted = [run(f"compact at {trigger:.0%}", each) for trigger, each in triggers]
    options = [chosen, never, *cleared.values(), *compacted]
    for best in (min(kind, key=_cost) for kind in (list(cleared.values()), compacted) if kind):
        for places, life in others:
            lasting = "" if life is None else f", kept {life} s"
            options.append(run(best.name + lasting, best.policy, places, life))
    by_batch = {batch: option for (batch, share), option in cleared.items() if share == Clear().keep_share}
    dearer = [batch for batch, option in by_batch.items() if option.cost >= never.cost]
    pays = (batch for batch in by_batch if batch > max(dearer, default=0))
    return Advice(tuple(sorted(options, key=_cost)), never, chosen, next(pays, None), unit)


def _cost(option: Option) -> float:
    return option.cost

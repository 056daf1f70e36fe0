"""`simulate`: what a session costs, request by request, under a policy and a provider's cache rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ullage.budget import Budget
from ullage.cache.prices import RELATIVE, Prices
from ullage.cache.provider_cache import ProviderCache
from ullage.cache.rules import CacheRules, cache_rules
from ullage.cache.sending import Kind, Marking, Place, Sent
from ullage.cache.shape import Shape
from ullage.compaction.policy import Compaction
from ullage.fitting.policy import FitPolicy


@dataclass(frozen=True, slots=True)
class Step:
    """A request of a session, in tokens.

    Attributes:
        at: seconds since the start of the session.
        kind: what it asks for: an answer, or a summary of the history.
        kept: at the start, the same as in the request before it.
        read: of the prompt, taken from the provider's cache.
        written: billed as written to it.
        plain: the rest, at the price of input.
        output: of the answer.
        cost: of the request and its answer, in the unit of the report.
    """

    at: float
    kind: Kind
    kept: int
    read: int
    written: int
    plain: int
    output: int
    cost: float

    @property
    def prompt(self) -> int:
        """Tokens of the prompt."""
        return self.read + self.written + self.plain


@dataclass(frozen=True, slots=True)
class CostReport:
    """What a session costs.

    Attributes:
        steps: its requests, in order.
        rules: of the provider.
        unit: of the costs: "USD" where prices are known; otherwise "million input tokens", of which a token of output
            costs five.
    """

    steps: tuple[Step, ...]
    rules: CacheRules
    unit: Literal["USD", "million input tokens"]

    @property
    def cost(self) -> float:
        """Of the whole session."""
        return sum(step.cost for step in self.steps)

    @property
    def read(self) -> int:
        """Tokens read from the cache."""
        return sum(step.read for step in self.steps)

    @property
    def written(self) -> int:
        """Tokens billed as written to the cache."""
        return sum(step.written for step in self.steps)

    @property
    def plain(self) -> int:
        """Tokens at the price of input."""
        return sum(step.plain for step in self.steps)

    @property
    def output(self) -> int:
        """Tokens of all answers."""
        return sum(step.output for step in self.steps)

    @property
    def prompts(self) -> int:
        """Tokens of all prompts."""
        return self.read + self.written + self.plain

    @property
    def largest(self) -> int:
        """Tokens of the largest prompt."""
        return max((step.prompt for step in self.steps), default=0)

    @property
    def hit_rate(self) -> float:
        """The share of all prompts that was read from the cache."""
        return self.read / self.prompts if self.prompts else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Numbers and strings only, as JSON has them."""
        return {
            "provider": self.rules.provider,
            "unit": self.unit,
            "cost": self.cost,
            "tokens": {
                **{name: getattr(self, name) for name in ("read", "written", "plain", "output", "prompts", "largest")},
                "hit_rate": self.hit_rate,
            },
            "steps": [
                {name: getattr(step, name) for name in Step.__dataclass_fields__ if name != "prompt"}
                for step in self.steps
            ],
        }


def simulate(
    trace: Shape,
    policy: FitPolicy | Compaction | None,
    rules: CacheRules | str,
    *,
    budget: int | Budget | None = None,
    prices: Prices | None = None,
    markers: Sequence[Place] = ("base", "end"),
    life: int | None = None,
) -> CostReport:
    """Price a session under a policy.

    Args:
        trace: the session.
        policy: what is done to it on the way; None for nothing ever.
        rules: of the provider, or the name of a model or provider for `cache_rules`.
        budget: the most tokens that a request may take, which a policy needs.
        prices: of the model's tokens; without any, costs are in prices of a million tokens of input.
        markers: where each request has its markers, for providers that know any.
        life: seconds that they ask for; by default, the provider's default.

    Raises:
        ValueError: when there is a policy and no budget.
        InvalidBudget: when the budget has no room for a request.
        CannotFit: when the policy does not get a request within the budget.
        UnknownModel: when there are no cache rules for the name.

    >>> from ullage import Clear, FitPolicy, Shape, simulate
    >>> session = Shape(turns=300, base=15_000, result=2_500)
    >>> never = simulate(session, None, "claude-opus-5")
    >>> one = simulate(session, FitPolicy(clear=Clear(batch=1, free=0)), "claude-opus-5", budget=100_000)
    >>> many = simulate(session, FitPolicy(clear=Clear(batch=25)), "claude-opus-5", budget=100_000)
    >>> round(never.cost, 1), round(one.cost, 1), round(many.cost, 1)
    (13.8, 28.4, 4.1)
    """
    rules = cache_rules(rules) if isinstance(rules, str) else rules
    if policy is not None and budget is None:
        raise ValueError("a policy needs a budget: say how many tokens a request may take")
    limit = 0 if budget is None else Budget.of(budget).room
    cache, steps = ProviderCache(rules), []
    for sent in trace.requests(policy, limit, rules, Marking(markers, life)):
        steps.append(_step(sent, cache, RELATIVE if prices is None else prices))
    return CostReport(tuple(steps), rules, "million input tokens" if prices is None else "USD")


def _step(sent: Sent, cache: ProviderCache, prices: Prices) -> Step:
    use = cache.request(sent.prompt, at=sent.at)
    cost = prices.cost(use, sent.output, cache.rules)
    return Step(sent.at, sent.kind, sent.prompt.sent(), use.read, use.written, use.plain, sent.output, cost)

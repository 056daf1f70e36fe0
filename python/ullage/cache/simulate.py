"""`simulate`: what a session costs, request by request, under a policy and a provider's cache rules."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ullage._core import Estimator
from ullage.arguments import finite_number, whole_number
from ullage.budget import Budget
from ullage.cache.conversation import Conversation
from ullage.cache.prices import RELATIVE, Prices
from ullage.cache.provider_cache import ProviderCache
from ullage.cache.recorded import Recorded
from ullage.cache.rules import CacheRules, cache_rules
from ullage.cache.sending import PLACES, Kind, Marking, Place, Policy, Sent
from ullage.cache.shape import Shape
from ullage.compaction.policy import Compaction
from ullage.fitting.policy import FitPolicy
from ullage.request import Request


@dataclass(frozen=True, slots=True)
class CostStep:
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
        broken: whether it changes what was sent before it in its conversation, and no policy made it so.
    """

    at: float
    kind: Kind
    kept: int
    read: int
    written: int
    plain: int
    output: int
    cost: float
    broken: bool = False

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

    steps: tuple[CostStep, ...]
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
            "steps": [{name: getattr(step, name) for name in CostStep.__dataclass_fields__} for step in self.steps],
        }


def simulate(
    trace: Shape | Mapping[str, Any] | Sequence[Any],
    policy: Policy,
    rules: CacheRules | str,
    *,
    budget: int | Budget | None = None,
    prices: Prices | None = None,
    markers: Sequence[Place] = ("base", "end"),
    life: int | None = None,
    seconds_between: float = 10.0,
    summary: int | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CostReport:
    """Price a session under a policy.

    Args:
        trace: the session: its numbers (`Shape`); or its messages, alone or in a request, of which each answer was
            asked for by a request; or requests as they were sent, which no policy can change any more.
        policy: what is done to it on the way; None for nothing ever. It is done by `fit` and `compact`, and to a shape
            by the same rules in arithmetic.
        rules: of the provider, or the name of a model or provider for `cache_rules`.
        budget: the most tokens that a request may take, which a policy needs.
        prices: of the model's tokens; without any, costs are in prices of a million tokens of input.
        markers: where requests have their markers, for providers that know any and requests that have none.
        life: seconds that these ask for, or that requests ask for where the cache is automatic; by default, the
            provider's default.
        seconds_between: from the start of a request to the start of the next one; a shape has its own.
        summary: tokens of each summary of messages; by default, as many as the policy asks for.
        estimator: of texts; by default, by the script rule.
        format: of the messages; by default, detected.
        progress: told of answers that are done, and of all.

    Raises:
        TypeError: when the trace is nothing of these, or an argument is of another type.
        ValueError: when there is a policy and no budget, or one for requests that were sent; or when a number is
            negative or not finite, or a place for markers is not known.
        InvalidBudget: when the budget has no room for a request.
        InvalidHistory: when the provider would refuse the messages.
        CannotFit: when the policy does not get a request within the budget.
        UnknownModel: when there are no cache rules for the name.

    >>> from ullage import Clear, FitPolicy, Shape, simulate
    >>> session = Shape(turns=300, base=15_000, result=2_500)
    >>> never = simulate(session, None, "claude-opus-5")
    >>> one = simulate(session, FitPolicy(clear=Clear(batch=1, free=0)), "claude-opus-5", budget=100_000)
    >>> many = simulate(session, FitPolicy(clear=Clear(batch=25)), "claude-opus-5", budget=100_000)
    >>> round(never.cost, 1), round(one.cost, 1), round(many.cost, 1)
    (13.8, 28.8, 5.0)
    """
    rules = cache_rules(rules) if isinstance(rules, str) else rules
    _check(policy, rules, prices, markers, life, seconds_between, summary)
    if life is not None and rules.match == "prefix":
        rules = rules.lasting(life)
    if isinstance(policy, FitPolicy) and policy.clear is not None and policy.clear.batch == "auto":
        policy = replace(policy, clear=replace(policy.clear, rules=policy.clear.rules or rules)).resolved(None)
    if policy is not None and budget is None:
        raise ValueError("a policy needs a budget: say how many tokens a request may take")
    limits = None if budget is None else Budget.of(budget)
    marking = Marking(markers, life)
    if isinstance(trace, Shape):
        total = len(trace)
        requests = trace.requests(policy, limits.room if limits else 0, rules, marking)
    else:
        session = _session(trace, policy, limits, estimator or Estimator(), format, seconds_between, summary)
        total, requests = len(session), session.requests(rules, marking)
    steps, answers = list[CostStep](), 0
    for step in price(requests, rules, RELATIVE if prices is None else prices):
        steps.append(step)
        answers += step.kind == "answer"
        if progress is not None:
            progress(answers, total)
    return CostReport(tuple(steps), rules, "million input tokens" if prices is None else "USD")


def _check(
    policy: Policy,
    rules: CacheRules,
    prices: Prices | None,
    markers: Sequence[Place],
    life: int | None,
    seconds_between: float,
    summary: int | None,
) -> None:
    if not isinstance(policy, FitPolicy | Compaction | None):
        raise TypeError(f"policy must be a FitPolicy, a Compaction or None, not {type(policy).__name__}")
    if not isinstance(rules, CacheRules):
        raise TypeError(f"rules must be CacheRules or a name, not {type(rules).__name__}")
    if not isinstance(prices, Prices | None):
        raise TypeError(f"prices must be Prices or None, not {type(prices).__name__}")
    if isinstance(markers, str) or any(place not in PLACES for place in markers):
        raise ValueError(f"markers is {markers!r}; it is a tuple of places, which are {', '.join(PLACES)}")
    if life is not None:
        whole_number("life", life, 1)
    if summary is not None:
        whole_number("summary", summary, 0)
    finite_number("seconds_between", seconds_between)


def _session(
    trace: Mapping[str, Any] | Sequence[Any],
    policy: Policy,
    budget: Budget | None,
    estimator: Estimator,
    format: str | None,
    seconds_between: float,
    summary: int | None,
) -> Conversation | Recorded:
    recorded = _recorded(trace, format)
    if recorded is None:
        request = Request.of(trace, format)
        if request is None:
            raise TypeError("the trace must be a Shape, messages, a request with messages, or a list of requests")
        return Conversation(request, estimator, seconds_between, policy, budget, summary)
    if policy is not None:
        raise ValueError("requests that were sent are as they are: give the messages alone to try a policy on them")
    return Recorded(recorded, estimator, seconds_between)


def _recorded(trace: Mapping[str, Any] | Sequence[Any], format: str | None) -> list[Request] | None:
    """The requests of a list of them."""
    if not isinstance(trace, list | tuple) or not trace or not all(isinstance(each, dict) for each in trace):
        return None
    found = [Request.of(each, format) if "role" not in each else None for each in trace]
    requests = [request for request in found if request is not None and request.key is not None]
    return requests if len(requests) == len(trace) else None


def price(requests: Iterable[Sent], rules: CacheRules, prices: Prices = RELATIVE) -> Iterator[CostStep]:
    """What each of the requests of a session is billed for."""
    cache = ProviderCache(rules)
    for sent in requests:
        use = cache.request(sent.prompt, at=sent.at)
        cost = prices.cost(use, sent.output, rules)
        kept = sent.prompt.sent()
        yield CostStep(sent.at, sent.kind, kept, use.read, use.written, use.plain, sent.output, cost, sent.broken)

"""How much is to be cleared at once, by the prices of a cache: what `Clear(batch="auto")` means.

Clearing anything makes all that follows be written anew, so it is the dearer the oftener it is done; and the more is
cleared at once, the sooner a model misses something. The choice is the least share of the limit that costs within a
tenth of what the best share would. It is made on one session that stands for all (300 results of a fortieth of the
limit behind a base of six fortieths), so that it is a function of the cache rules alone: the same for every history, at
every length, on every machine.
"""

from functools import lru_cache

from ullage.cache.rules import CacheRules
from ullage.cache.sending import Marking
from ullage.cache.shape import Shape
from ullage.cache.simulate import price
from ullage.fitting.policy import Clear, FitPolicy

LIMIT = 100_000
TYPICAL = Shape(turns=300, base=15_000, result=2_500)
NEAR = 1.1
"""A cost within this factor of the best one is as good."""


@lru_cache(maxsize=64)
def share(rules: CacheRules) -> float:
    """The share of the limit that a batch of results is to free.

    >>> from ullage import cache_rules
    >>> share(cache_rules("claude-opus-5")), share(cache_rules("claude-fable-5-2"))
    (0.3, 0.3)
    """
    whole = LIMIT // TYPICAL.result
    costs = {number: _cost(number / whole, rules) for number in range(2, whole, 2)}
    best = min(costs.values())
    return min(number for number, cost in costs.items() if cost <= NEAR * best) / whole


def _cost(batch: float, rules: CacheRules) -> float:
    policy = FitPolicy(clear=Clear(batch=batch, free=0))
    sent = TYPICAL.requests(policy, LIMIT, rules, Marking(("base", "end"), None))
    return sum(step.cost for step in price(sent, rules))

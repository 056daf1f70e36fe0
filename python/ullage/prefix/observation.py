"""What a provider's usage says of a request's cache: whose doing it is where less was read than could have been.

The usage is in the provider's tokens and the prediction in estimates, so a prediction is scaled by what the whole
prompt cost before the two are compared, and differences of 5 % and of one step of the provider's are none.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ullage.cache.provider_cache import Marker
from ullage.cache.rules import CacheRules
from ullage.usage import Usage

if TYPE_CHECKING:
    from ullage.prefix.session import SessionStep

#: A share of the tokens by which an estimate may be wrong without anything being the matter.
_TOLERANCE: Final = 0.05

Reason: TypeAlias = Literal["none", "ours", "expiry", "rules", "routing", "more"]


class Observation(NamedTuple):
    """How many tokens a provider read from its cache, and how many it could have.

    Attributes:
        reason: "none" where all was read that the earlier request had; "ours" where the prefix changed; "expiry" where
            it was not sent for longer than its life; "rules" where the provider's rules give no more (no marker within
            reach, below the minimum); "routing" where it is stable and within its life, and was not read all the same
            (another machine, evicted, or the request before had not ended); "more" where more was read than predicted.
        usage: what the provider returned.
        possible: tokens that could have been read had nothing changed or expired: all that the earlier request had.
        predicted: tokens that were to be read by the rules.
        missed: possible tokens that were not read.
        idle: seconds since what is kept was last sent; None where nothing is.
        life: seconds that the cache keeps it; None where that is not known.
    """

    reason: Reason
    usage: Usage
    possible: int
    predicted: int
    missed: int
    idle: float | None
    life: int | None

    def __str__(self) -> str:
        return f"read {self.usage.read:,} of {self.possible:,} possible tokens: {self._why()}"

    def _why(self) -> str:
        match self.reason:
            case "none":
                return "as it should be"
            case "more":
                return f"more than the {self.predicted:,} predicted: cached by another request, or kept for longer"
            case "ours":
                return "the prefix changed; see the change of the step"
            case "expiry":
                return f"not sent for {self.idle or 0:,.0f} s, and kept for {self.life:,} s"
            case "rules":
                return "the provider's rules give no more: markers within reach, the minimum, or steps"
        return "stable and within its life: another machine, evicted, or too early"


def observation(step: "SessionStep", usage: Usage, rules: CacheRules, markers: Sequence[Marker]) -> Observation:
    """Compare what was read with what was predicted of a step, and with all that an earlier request had."""
    scale = usage.total / step.total if step.total else 0.0
    predicted = 0 if step.use is None else round(step.use.read * scale)
    possible = round((step.kept + step.lost) * scale)
    life = max((rules.life(marker.seconds) for marker in markers), default=rules.lives[0]) if rules.lives else None
    missed = max(0, possible - usage.read)
    expired = life is not None and step.idle is not None and step.idle >= life

    def near(tokens: int) -> bool:
        return tokens - usage.read <= rules.step + _TOLERANCE * tokens

    reason: Reason = "routing"
    if usage.read - predicted > rules.step + _TOLERANCE * usage.read:
        reason = "more"
    elif near(possible):
        reason = "none"
    elif near(predicted) and step.kind == "edit":
        reason = "ours"
    elif expired:
        reason = "expiry"
    elif near(predicted):
        reason = "rules"
    return Observation(reason, usage, possible, predicted, missed, step.idle, life)

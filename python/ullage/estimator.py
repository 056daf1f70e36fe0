"""`Estimator`: a rule or a profile that has been chosen, its bounds, and what it learned from returned usage.

What touches text is inherited from the Rust half, so that a call costs what the builtin costs. Here are choosing,
bounds and calibration.
"""

import math
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from os import PathLike
from typing import Any, Final, NamedTuple, NoReturn, Self

from ullage import _core
from ullage._core import ScriptCounts, ScriptRule, byte_bound, scripts
from ullage.calibration import TEXT_KINDS, Calibration, Parts, by_kind
from ullage.loading import Fitted, load, load_file
from ullage.margins import Margins
from ullage.models import profile_for

#: The share of texts that an upper bound may be too low for, where none is asked for.
MISS_RATE: Final = 0.01
#: No measured text has a bound below this share of the script rule's estimate. It is for texts that no profile knows:
#: one character over and over can be estimated at next to nothing.
LEAST: Final = 0.5
# The script rule can be misled by any text; only bytes bound it, of which a character has up to four (ASCII one).
_BYTES = (1, 4, 4)


class Estimate(NamedTuple):
    """An estimate and its bounds, in tokens.

    Attributes:
        tokens: the estimate.
        low: the truth is below it at no more than the miss rate.
        high: the truth is above it at no more than the miss rate.
    """

    tokens: int
    low: int
    high: int


class Estimator(_core.Estimator):
    """Estimates tokens by one rule or profile. Frozen, hashable, picklable, and safe to share among threads.

    A pickle names a profile that comes with ullage by its key, and holds one from a file whole.

    Args:
        rule: a ScriptRule; without one, the script rule with its default rates.
        profile: instead of a rule, a key that `ullage.profiles` lists ("o200k_base", ...); "script" is the script rule.

    Raises:
        TypeError: when rule is not a ScriptRule or profile not a str, or when both are given.
        ValueError: when there is no such profile; the nearest keys are named.

    >>> from ullage import Estimator
    >>> Estimator(profile="o200k_base").estimate("The room left in a vessel. " * 100)
    647
    >>> Estimator.for_model("claude-opus-4-8")
    Estimator(profile='claude_4_8')
    >>> Estimator().estimate_batch(["tea", "чай", "茶"]).tolist()
    [1, 2, 1]
    """

    __slots__ = ("_calibration", "_fitted")

    _calibration: Calibration
    _fitted: Fitted | None

    def __new__(cls, rule: ScriptRule | None = None, *, profile: str | None = None) -> Self:  # noqa: D102
        if profile is None:
            return cls._make(rule, None)
        if rule is not None:
            raise TypeError("rule and profile exclude each other: give one of them")
        if not isinstance(profile, str):
            raise TypeError(f"profile must be str, not {type(profile).__name__}")
        return cls._make(None, None if profile == "script" else load(profile))

    @classmethod
    def for_model(cls, model: str) -> Self:
        """The estimator with the profile of a model's tokenizer.

        Args:
            model: a model's name, as its provider or a host writes it: provider prefixes, dates and ``:tags`` do not
                matter.

        Raises:
            TypeError: when model is not a str.
            UnknownModel: when no profile is known for it; the nearest known names are in the sentence.
        """
        return cls(profile=profile_for(model))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """The estimator with a profile of your own, as ``ullage calibrate`` writes it.

        Raises:
            OSError: when the file cannot be read.
            InvalidProfile: when it is not a profile, is damaged, or is newer than this release; it says which, and what
                to do.
        """
        return cls._make(None, load_file(path))

    @classmethod
    def _make(
        cls,
        rule: ScriptRule | None,
        fitted: Fitted | None,
        calibration: Calibration = Calibration(),  # noqa: B008 - frozen
    ) -> Self:
        self = super().__new__(cls, rule if fitted is None else fitted.weights, calibration.factor())
        object.__setattr__(self, "_fitted", fitted)
        object.__setattr__(self, "_calibration", calibration)
        return self

    @property
    def profile(self) -> str | None:
        """The key of the profile: "script" for the script rule, None for a profile from a file."""
        return "script" if self._fitted is None else self._fitted.key

    @property
    def about(self) -> Mapping[str, Any]:
        """What the profile's file says of it: tokenizer, errors by source, margins. Empty for the script rule.

        It is a copy, for what it holds can be changed and the profile is shared.
        """
        return {} if self._fitted is None else deepcopy(dict(self._fitted.about))

    @property
    def margins(self) -> Margins | None:
        """How far the truth may be from the profile's estimates; None where nothing was fitted or found out."""
        return None if self._fitted is None else self._fitted.margins

    @property
    def calibration(self) -> Calibration:
        """What was learned from returned usage. Estimates of text are multiplied by its factor for "text"."""
        return self._calibration

    def with_calibration(self, calibration: Calibration) -> Self:
        """The same estimator with another calibration; this one does not change.

        Raises:
            TypeError: when calibration is not a Calibration.
        """
        if not isinstance(calibration, Calibration):
            raise TypeError(f"calibration must be a Calibration, not {type(calibration).__name__}")
        return self._make(self.rule, self._fitted, calibration)

    def observe(self, parts: Parts, usage: int) -> Self:
        """Learn from the usage that a provider returned for a request; this estimator does not change.

        Args:
            parts: what *this* estimator estimated for all that was sent, in tokens: one number, or numbers by kind of
                part (`Calibration.observe` lists them). Its present correction is taken out of them again.
            usage: the input tokens that the provider returned, those read from and written to a cache included.

        Returns:
            An estimator that has learned from it. One number changes a factor by at most 1.25 times; all of them keep
            it from 0.5 to 2. `upper_bound` and `bound` will not be lower than what was observed, up to twice the
            estimate.

        Raises:
            TypeError: when a number is not one.
            ValueError: as `Calibration.observe`.

        >>> from ullage import Estimator
        >>> estimator = Estimator(profile="o200k_base")
        >>> for tokens, usage in [(1000, 1310), (4000, 5180), (2000, 2590), (8000, 10400)]:
        ...     estimator = estimator.observe(tokens * estimator.factor, usage)
        >>> round(estimator.factor, 1)
        1.3
        """
        raw = {kind: tokens / self.factor if kind in TEXT_KINDS else tokens for kind, tokens in by_kind(parts).items()}
        return self.with_calibration(self._calibration.observe(raw, usage))

    def upper_bound(self, text: str, /, miss_rate: float = MISS_RATE) -> int:
        """A number of tokens that real tokenizers seldom exceed.

        With a profile: the estimate and a margin, found on sources of text that the profile was not fitted on. Of
        unseen documents of 300 characters and more, at most the miss rate exceed it; shorter ones get a wider margin by
        a term that grows with the square root of the estimate only. The byte bound caps it where the tokenizer works on
        bytes, and half of the script rule's estimate is the least it can be. With the script rule: the byte bound,
        which no byte-level tokenizer ever exceeds.

        Args:
            text: any str.
            miss_rate: the share of texts that may exceed the bound, from 0.001 to 0.1 (a profile of yours may have
                others).

        Raises:
            TypeError: when text is not a str.
            ValueError: when the miss rate is out of range, or the profile has neither margins nor a byte-level
                tokenizer.

        >>> from ullage import Estimator
        >>> Estimator(profile="o200k_base").upper_bound("The room left in a vessel.")
        11
        >>> Estimator().upper_bound("The room left in a vessel.")
        26
        """
        return self._high(self.estimate(text), miss_rate, scripts(text), byte_bound(text))

    def estimate_range(self, text: str, /, miss_rate: float = MISS_RATE) -> Estimate:
        """The estimate with a bound to each side; each is missed at no more than the miss rate.

        Nothing bounds the script rule from below: there, `low` only says that a text costs a token.

        Args:
            text: any str.
            miss_rate: as in `upper_bound`, which `high` is.

        Raises:
            TypeError, ValueError: as `upper_bound`.

        >>> from ullage import Estimator
        >>> Estimator(profile="o200k_base").estimate_range("The room left in a vessel. " * 100)
        Estimate(tokens=647, low=603, high=698)
        """
        tokens = self.estimate(text)
        margins = self.margins
        counts = scripts(text)
        low = min(tokens, 1) if margins is None else margins.low(tokens, miss_rate, counts)
        return Estimate(tokens, low, self._high(tokens, miss_rate, counts, byte_bound(text)))

    def bound(self, tokens: int, miss_rate: float = MISS_RATE, *, counts: ScriptCounts | None = None) -> int:
        """The upper bound for estimates that were added up, as those of a history are, without their texts.

        With the script rule it is the most bytes that texts of this estimate can have: eight times the estimate at the
        default rates. Right, but only a profile makes it useful.

        Args:
            tokens: what this estimator estimated.
            miss_rate: as in `upper_bound`.
            counts: the sum of `ullage.scripts` of the texts. Without it the margin is that of the script for which the
                profile is least sure, which can be several times wider.

        Raises:
            TypeError: when tokens is not an int, or counts is not ScriptCounts.
            ValueError: when tokens is negative or beyond 64 bits, or as `upper_bound`.
        """
        if isinstance(tokens, bool) or not isinstance(tokens, int):
            raise TypeError(f"tokens must be int, not {type(tokens).__name__}")
        if tokens < 0:
            raise ValueError(f"tokens must be 0 or more, not {tokens}")
        if tokens >= 1 << 64:
            raise ValueError("tokens must be below 2**64, as every estimate is")
        if counts is not None and not isinstance(counts, ScriptCounts):
            raise TypeError(f"counts must be ScriptCounts, not {type(counts).__name__}")
        return self._high(tokens, miss_rate, counts)

    def _high(self, tokens: int, miss_rate: float, counts: ScriptCounts | None, bytes_: int | None = None) -> int:
        """The bound of an estimate; of its text the counts and bytes may be known."""
        bounds = []
        if self.rule is not None:
            bounds.append(self._most_bytes(tokens, self.rule) if bytes_ is None else bytes_)
        if self._fitted is not None and self._fitted.byte_level and bytes_ is not None:
            bounds.append(bytes_)
        if self.margins is not None:
            bounds.append(self.margins.high(tokens, miss_rate, counts))
        if not bounds:
            raise ValueError("this profile has no margins, and no byte bound applies, so nothing bounds it from above")
        least = 0 if counts is None else math.ceil(LEAST * _quarters(counts) / 4 * self.factor)
        return max(tokens, min(bounds), least, self._calibration.observed(tokens / self.factor))

    def _most_bytes(self, tokens: int, rule: ScriptRule) -> int:
        raw = tokens if self.factor == 1 or not tokens else (tokens + 0.5) / self.factor
        rates = rule.ascii, rule.cjk, rule.other
        return math.ceil(raw * max(rate * size for rate, size in zip(rates, _BYTES, strict=True)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an Estimator does not change; its methods give new ones")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("an Estimator does not change; its methods give new ones")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Estimator):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.rule, self._fitted, self._calibration

    def __repr__(self) -> str:
        if self._fitted is None:
            plain = "Estimator()" if self.rule == ScriptRule() else f"Estimator({self.rule!r})"
        elif self._fitted.key is not None:
            plain = f"Estimator(profile={self._fitted.key!r})"
        else:
            plain = f"<Estimator from a file, fitted to {self._fitted.about.get('tokenizer')!r}>"
        learned = self._calibration.observations
        return f"<{plain.strip('<>')} calibrated by {learned} requests>" if learned else plain

    def __reduce__(self) -> tuple[Any, ...]:
        fitted = self._fitted
        saved = fitted and (fitted.key or fitted.file)
        return self._restore, (self.rule, saved, self._calibration)

    @classmethod
    def _restore(cls, rule: ScriptRule | None, saved: str | bytes | None, calibration: Calibration) -> Self:
        fitted = load(saved) if isinstance(saved, str) else None if saved is None else Fitted.read(saved)
        return cls._make(rule, fitted, calibration)


def _quarters(counts: ScriptCounts) -> int:
    """Four times the script rule's estimate."""
    return counts.ascii + 4 * counts.cjk + 2 * counts.other


@lru_cache(maxsize=1024)
def estimator_for(model: str | None) -> Estimator:
    """The estimator of a model, or of the script rule for None; kept, for the functions that take a model's name."""
    return Estimator() if model is None else Estimator.for_model(model)


def upper_bound(text: str, model: str | None = None, miss_rate: float = MISS_RATE) -> int:
    """A number of tokens that real tokenizers seldom exceed.

    Args:
        text: any str.
        model: a model's name; without one the bound is the byte bound, which no byte-level tokenizer ever exceeds.
        miss_rate: the share of unseen texts that may exceed the bound, from 0.001 to 0.1.

    Raises:
        TypeError: when text or model is not a str.
        UnknownModel: when no profile is known for the model.
        ValueError: when the miss rate is out of range.

    >>> from ullage import upper_bound
    >>> upper_bound("The room left in a vessel.", "gpt-4o"), upper_bound("The room left in a vessel.")
    (11, 26)
    """
    return estimator_for(model).upper_bound(text, miss_rate)


def estimate_range(text: str, model: str | None = None, miss_rate: float = MISS_RATE) -> Estimate:
    """The estimate of a text with a bound to each side; each is missed at no more than the miss rate.

    Args:
        text: any str.
        model: a model's name; without one `high` is the byte bound and `low` says nothing.
        miss_rate: the share of unseen texts whose tokens may be beyond one of the bounds, from 0.001 to 0.1.

    Raises:
        TypeError: when text or model is not a str.
        UnknownModel: when no profile is known for the model.
        ValueError: when the miss rate is out of range.

    >>> from ullage import estimate_range
    >>> estimate_range("The room left in a vessel. " * 100, "gpt-4o")
    Estimate(tokens=647, low=603, high=698)
    """
    return estimator_for(model).estimate_range(text, miss_rate)

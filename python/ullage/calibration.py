"""`Calibration`: a correction learned from the token counts that a provider returns.

A request's usage is taken to be each kind of part times a factor, plus a fixed cost of the request; the factors are
found by least squares in which old requests slowly fade, starting from "no correction". All estimates in here are
uncorrected ones.

What one wrong or hostile number can do is bounded: a factor moves by at most `STEP` times an observation and stays
within `LEAST` and `MOST`, the fixed cost moves by at most `COST_STEP` tokens and stays below `MOST_COST`.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, Final

#: The most that one observation changes a factor by: times this, or divided by it.
STEP: Final = 1.25
#: The bounds of every factor.
LEAST: Final = 0.5
MOST: Final = 2.0
#: The most that one observation changes the fixed cost of a request by, and the most that it can be, in tokens.
COST_STEP: Final = 256.0
MOST_COST: Final = 4096.0

#: The kinds of parts that a tokenizer counts; they share what is learned.
TEXT_KINDS: Final = frozenset({"text", "tool_call", "tool_result", "thinking", "tools"})
#: The kinds that are counted by other formulas; each is learned by itself.
OTHER_KINDS: Final = frozenset({"image", "document", "audio", "framing"})

# The unknowns beside one for each kind: what all text kinds share, and the fixed cost of a request.
_SHARED = "*"
_COST = "+"
# How far from no correction each unknown is thought to be before anything was observed (one standard deviation).
_PRIOR = {_SHARED: 0.3, _COST: 200.0}
_PRIOR_OF_A_KIND = 0.2
# How far the usage of a request is from the sum of its parts: a share, and some tokens (one standard deviation).
_NOISE_SHARE, _NOISE_TOKENS = 0.05, 10.0
# What an observation weighs after each later one: half after 34 requests.
_MEMORY = 0.98
_MOST_TOKENS = 1 << 53
# The most that a square may be: with more, rounding would leave nothing of the prior. An observation adds at most 400
# (one over the noise share squared), and fading keeps that below 20,000; the rest is for merging.
_MOST_SQUARE = 1e9

Parts = Mapping[str, float] | float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned from returned usage. A frozen value: `observe` and `merge` give a new one.

    Args:
        observations: how many requests were observed.
        squares: sums over the observed requests, of each pair of unknowns; as `to_json` writes them.
        targets: sums over the observed requests, of each unknown and what was missing from the estimate.
        peaks: for sizes up to each power of two, the largest observed share of usage in the estimate, from 0.5 to 2.

    >>> from ullage import Calibration
    >>> calibration = Calibration()
    >>> for tokens, usage in [(1000, 1310), (4000, 5180), (2000, 2590), (8000, 10400)]:
    ...     calibration = calibration.observe(tokens, usage)
    >>> calibration.tokens(10_000)
    12923
    """

    observations: int = 0
    squares: tuple[tuple[str, str, float], ...] = ()
    targets: tuple[tuple[str, float], ...] = ()
    peaks: tuple[tuple[int, float], ...] = ()
    _solution: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_solution", _solve(_by_pair(self.squares), dict(self.targets)))

    def factor(self, kind: str = "text") -> float:
        """What the estimate of a kind of part is to be multiplied by, from 0.5 to 2; 1 where nothing is known.

        Raises:
            ValueError: when there is no such kind.
        """
        _check_kind(kind)
        return min(MOST, max(LEAST, _factor(self._solution, kind)))

    @property
    def request_cost(self) -> float:
        """What a request costs beside its parts, in tokens, from 0 to 4,096."""
        return min(MOST_COST, max(0.0, self._solution.get(_COST, 0.0)))

    def tokens(self, parts: Parts) -> int:
        """The corrected estimate of a whole request.

        Args:
            parts: uncorrected estimates by kind of part, or one number that is all text.

        Raises:
            TypeError: when an estimate is not a number.
            ValueError: when a kind is not known, or an estimate is negative, or all together are beyond 2**53.
        """
        counts = by_kind(parts)
        return round(math.fsum([self.request_cost, *(self.factor(kind) * tokens for kind, tokens in counts.items())]))

    def observe(self, parts: Parts, usage: int) -> "Calibration":
        """Learn from one request.

        Args:
            parts: uncorrected estimates of what was sent, by kind of part ("text", "tool_call", "tool_result",
                "thinking", "tools", "image", "document", "audio", "framing"), or one number that is all text.
            usage: the input tokens that the provider returned for it, those read from and written to a cache included.

        Raises:
            TypeError: when a number is not one.
            ValueError: when a kind is not known, an estimate is negative, or all together are beyond 2**53, nothing was
                sent, or usage is below 1.
        """
        counts = by_kind(parts)
        estimate = math.fsum(counts.values())
        if estimate <= 0:
            raise ValueError("parts must have at least one token: there is nothing to compare the usage with")
        if isinstance(usage, bool) or not hasattr(usage, "__index__"):
            raise TypeError(f"usage must be an int of tokens, not {type(usage).__name__}")
        if usage < 1:
            raise ValueError(f"usage must be at least 1 token, not {usage}: leave out requests without usage")
        seen = min(max(float(min(int(usage), _MOST_TOKENS)), LEAST * estimate), MOST * estimate + MOST_COST)

        row = counts | {_COST: 1.0}
        shared = math.fsum(tokens for kind, tokens in counts.items() if kind in TEXT_KINDS)
        if shared:
            row[_SHARED] = shared
        squares = {pair: total * _MEMORY for pair, total in _by_pair(self.squares).items()}
        targets = {name: total * _MEMORY for name, total in self.targets}
        weight = self._weight(row, seen - estimate, _NOISE_SHARE * estimate, squares, targets)
        for pair in combinations_with_replacement(sorted(row), 2):
            squares[pair] = squares.get(pair, 0.0) + weight * row[pair[0]] * row[pair[1]]
        for name, value in row.items():
            targets[name] = targets.get(name, 0.0) + weight * value * (seen - estimate)

        peaks = dict(self.peaks)
        size = max(1, int(estimate).bit_length())
        share = min(MOST, seen / estimate)
        peaks[size] = max(share, peaks.get(size, 0.0))
        return Calibration(
            self.observations + 1, _rows(squares), tuple(sorted(targets.items())), tuple(sorted(peaks.items()))
        )

    def _weight(
        self,
        row: Mapping[str, float],
        missing: float,
        noise: float,
        squares: Mapping[tuple[str, str], float],
        targets: Mapping[str, float],
    ) -> float:
        """What an observation may weigh so that no factor and no cost takes more than its step.

        With the weight w the solution moves by ``direction * step``, where step = w * surprise / (1 + w * spread).
        """
        faded = _solve(squares, targets, row)
        direction = _solve(squares, row, row)
        surprise = missing - math.fsum(faded[name] * value for name, value in row.items())
        spread = math.fsum(direction[name] * value for name, value in row.items())
        weight = 1 / (noise * noise + _NOISE_TOKENS * _NOISE_TOKENS)
        step = abs(weight * surprise / (1 + weight * spread))
        way = math.copysign(1.0, surprise)

        room = []
        for kind in TEXT_KINDS | OTHER_KINDS:
            now, move = self.factor(kind), way * (_factor(direction, kind) - 1)
            room.append(_room(_factor(faded, kind), move, now / STEP, now * STEP))
        room.append(
            _room(faded[_COST], way * direction[_COST], self.request_cost - COST_STEP, self.request_cost + COST_STEP)
        )
        allowed = min(room)
        return weight if step <= allowed else allowed / (abs(surprise) - allowed * spread)

    def observed(self, estimate: float) -> int:
        """The least that an upper bound may be: what requests of up to this size were observed to cost.

        Usage above twice the estimate counts as twice.

        Args:
            estimate: uncorrected, in tokens.
        """
        if not self.peaks or estimate <= 0:
            return 0
        # Two tokens more, for an estimate that went through a correction and back was rounded.
        size = estimate + 2
        known = (share * min(size, float(1 << bits)) for bits, share in self.peaks if size >= 1 << (bits - 1))
        return math.ceil(max(known, default=0.0))

    def merge(self, other: "Calibration") -> "Calibration":
        """Put together what two calibrations learned from different requests. The order does not matter.

        Raises:
            TypeError: when other is not a Calibration.
        """
        if not isinstance(other, Calibration):
            raise TypeError(f"other must be a Calibration, not {type(other).__name__}")
        squares, targets, peaks = _by_pair(self.squares), dict(self.targets), dict(self.peaks)
        for pair, total in _by_pair(other.squares).items():
            squares[pair] = squares.get(pair, 0.0) + total
        for name, total in other.targets:
            targets[name] = targets.get(name, 0.0) + total
        for bits, share in other.peaks:
            peaks[bits] = max(share, peaks.get(bits, 0.0))
        largest = max(squares.values(), default=0.0)
        if largest > _MOST_SQUARE:
            squares = {pair: total * (_MOST_SQUARE / largest) for pair, total in squares.items()}
            targets = {name: total * (_MOST_SQUARE / largest) for name, total in targets.items()}
        return Calibration(
            self.observations + other.observations,
            _rows(squares),
            tuple(sorted(targets.items())),
            tuple(sorted(peaks.items())),
        )

    def to_json(self) -> str:
        """Write it as JSON. `from_json` gives back an equal value."""
        return json.dumps(
            {
                "version": 1,
                "observations": self.observations,
                "squares": self.squares,
                "targets": self.targets,
                "peaks": self.peaks,
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> "Calibration":
        """Read what `to_json` wrote.

        Raises:
            ValueError: when it is something else.
        """
        try:
            return cls(**_checked(json.loads(text)))
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"not a calibration as to_json writes it: {error}; start with Calibration()") from None


def _checked(data: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON holds
    if data["version"] != 1:
        raise ValueError(f"version {data['version']!r} is not known to this release")
    unknowns = TEXT_KINDS | OTHER_KINDS | {_SHARED, _COST}
    squares = tuple((str(a), str(b), float(total)) for a, b, total in data["squares"])
    targets = tuple((str(name), float(total)) for name, total in data["targets"])
    peaks = tuple((int(bits), float(share)) for bits, share in data["peaks"])
    names = {name for name, _ in targets}
    if not names <= unknowns or any(a > b or not {a, b} <= names for a, b, _ in squares):
        raise ValueError("it has unknowns that do not belong together")
    if not all(abs(total) <= 2 * _MOST_SQUARE for *_, total in squares):
        raise ValueError("a square is larger than any that is learned, or not a number")
    if not all(abs(total) <= _MOST_TOKENS for _, total in targets):
        raise ValueError("a target is larger than any that is learned, or not a number")
    if not all(0 < bits <= 54 and LEAST <= share <= MOST for bits, share in peaks):
        raise ValueError("a peak is out of bounds")
    observations = data["observations"]
    if isinstance(observations, bool) or not isinstance(observations, int) or observations < 0:
        raise ValueError("observations is not a number of requests")
    return {"observations": observations, "squares": squares, "targets": targets, "peaks": peaks}


def _check_kind(kind: str) -> None:
    if kind not in TEXT_KINDS and kind not in OTHER_KINDS:
        raise ValueError(f"there is no kind of part {kind!r}; there are: {', '.join(sorted(TEXT_KINDS | OTHER_KINDS))}")


def by_kind(parts: Parts) -> dict[str, float]:
    """Estimates above zero by kind of part.

    Raises:
        TypeError: when an estimate is not a number.
        ValueError: when a kind is not known, or an estimate is negative, or all together are beyond 2**53.
    """
    named = parts if isinstance(parts, Mapping) else {"text": parts}
    counts: dict[str, float] = {}
    for kind, tokens in named.items():
        _check_kind(kind)
        if isinstance(tokens, bool | str) or not hasattr(tokens, "__float__"):
            raise TypeError(f"the tokens of {kind!r} must be a number, not {type(tokens).__name__}")
        try:
            count = float(tokens)
        except OverflowError:
            count = math.inf
        if not 0 <= count <= _MOST_TOKENS:
            raise ValueError(f"the tokens of {kind!r} must be from 0 to 2**53, not {tokens}")
        if count:
            counts[kind] = count
    if math.fsum(counts.values()) > _MOST_TOKENS:
        raise ValueError("the tokens of all kinds together must be at most 2**53")
    return counts


def _factor(solution: Mapping[str, float], kind: str) -> float:
    shared = solution.get(_SHARED, 0.0) if kind in TEXT_KINDS else 0.0
    return 1 + shared + solution.get(kind, 0.0)


def _room(start: float, move: float, low: float, high: float) -> float:
    """How many moves can be made from the start before a limit is reached."""
    if move == 0:
        return math.inf
    return max(0.0, ((high if move > 0 else low) - start) / move)


def _by_pair(rows: tuple[tuple[str, str, float], ...]) -> dict[tuple[str, str], float]:
    return {(a, b): total for a, b, total in rows}


def _rows(squares: dict[tuple[str, str], float]) -> tuple[tuple[str, str, float], ...]:
    return tuple((a, b, total) for (a, b), total in sorted(squares.items()))


def _solve(
    squares: Mapping[tuple[str, str], float], targets: Mapping[str, float], more: Iterable[str] = ()
) -> dict[str, float]:
    """The unknowns in ``squares`` and ``more``, by Cholesky's decomposition of ``squares`` plus the prior.

    The order of operations is fixed, so that the numbers are the same on every platform.
    """
    names = sorted({name for pair in squares for name in pair}.union(more))
    lower: list[list[float]] = []
    middle: list[float] = []
    for i, name in enumerate(names):
        row: list[float] = []
        for j in range(i + 1):
            total = squares.get((names[j], name), 0.0)
            if i == j:
                prior = _PRIOR.get(name, _PRIOR_OF_A_KIND)
                total += 1 / (prior * prior)
            total -= math.fsum(a * b for a, b in zip(row, lower[j] if j < i else row, strict=False))
            row.append(math.sqrt(total) if i == j else total / lower[j][j])
        lower.append(row)
        rest = targets.get(name, 0.0) - math.fsum(a * b for a, b in zip(row, middle, strict=False))
        middle.append(rest / row[i])
    values = [0.0] * len(names)
    for i in reversed(range(len(names))):
        rest = middle[i] - math.fsum(lower[j][i] * values[j] for j in range(i + 1, len(names)))
        values[i] = rest / lower[i][i]
    return dict(zip(names, values, strict=True))

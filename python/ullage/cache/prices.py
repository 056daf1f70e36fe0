"""`Prices`: what a model's tokens cost. They are yours, or come from genai-prices (extra ``prices``)."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ullage.arguments import finite_number, whole_number
from ullage.cache.provider_cache import CacheUse
from ullage.cache.rules import CacheRules, cache_rules
from ullage.errors import UnknownModel

_NAMES = {"bedrock": "aws", "gemini": "google", "xai": "x-ai", "kimi": "moonshotai"}
"""What genai-prices calls providers that have another name here."""
_PRICES = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens.

    Attributes:
        input: of the prompt.
        output: of the answer.
        read: of what is read from the cache; by default, by the multiple in the cache rules.
        write: of what is written to it for the default life; by default, and for other lives, by the multiples there.
        above: prices of requests with more than so many tokens in the prompt, the least first.

    >>> from ullage import Prices, cache_rules
    >>> from ullage.cache.provider_cache import CacheUse
    >>> Prices(input=4, output=20).cost(CacheUse(100_000, 0, 1_000), 500, cache_rules("claude-opus-5-5"))
    0.034
    """

    input: float
    output: float
    read: float | None = None
    write: float | None = None
    above: "tuple[tuple[int, Prices], ...]" = ()

    def __post_init__(self) -> None:
        for name, value in (("input", self.input), ("output", self.output)):
            finite_number(name, value)
        for name, given in (("read", self.read), ("write", self.write)):
            if given is not None:
                finite_number(name, given)
        for start, prices in self.above:
            whole_number("a start of above", start, 0)
            if not isinstance(prices, Prices):
                raise TypeError(f"the prices above {start} must be Prices, not {type(prices).__name__}")
        starts = [start for start, _ in self.above]
        if starts != sorted(set(starts)):
            raise ValueError(f"above starts at {starts}; the least is first, and each is there once")

    @classmethod
    def of(cls, model: str, provider: str | None = None) -> "Prices":
        """The list prices of a model now; those of some depend on the hour.

        Args:
            model: its name, as for `cache_rules`.
            provider: who serves it; by default, whom the name means.

        Raises:
            ModuleNotFoundError: when genai-prices is not installed.
            UnknownModel: when it knows no prices of the model, or the cache rules do not know who serves it.
        """
        try:
            from genai_prices.data_snapshot import get_snapshot
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                'prices of models need genai-prices: pip install "ullage[prices]", or give Prices(...) of your own',
                name="genai_prices",
            ) from error
        provider = cache_rules(model, provider).provider
        name = model.rsplit("/", 1)[-1]
        unknown = UnknownModel(f"genai-prices knows no prices of {name!r} at {provider}: give Prices(...) of your own")
        try:
            _, found = get_snapshot().find_provider_model(name, None, _NAMES.get(provider, provider), None)
        except LookupError as error:
            raise unknown from error
        listed = found.get_prices(datetime.now(UTC))
        if listed.input_mtok is None or listed.output_mtok is None:  # of audio, say
            raise unknown
        fields: list[Any] = [getattr(listed, name) for name in _PRICES]
        starts = sorted({tier.start for field in fields for tier in getattr(field, "tiers", ())})
        return replace(_at(fields, 0), above=tuple((start, _at(fields, start)) for start in starts))

    def cost(self, use: CacheUse, output: int, rules: CacheRules) -> float:
        """US dollars for a request and its answer."""
        total = use.read + use.written + use.plain
        prices = next((prices for start, prices in reversed(self.above) if total > start), self)
        read = prices.input * rules.read if prices.read is None else prices.read
        dollars = use.read * read + use.plain * prices.input + output * prices.output
        for life, tokens in use.writes:
            multiple = rules.write_price(life)
            price = prices.input * multiple if prices.write is None else prices.write * multiple / rules.write[0]
            dollars += tokens * price
        return dollars / 1_000_000


RELATIVE = Prices(input=1.0, output=5.0)
"""Where no prices are known: all in prices of a token of input, of which a token of output costs five."""


def _at(fields: list[Any], tokens: int) -> Prices:
    """The prices of a request with more than so many tokens."""
    prices: list[Any] = []
    for field in fields:
        price = getattr(field, "base", field)
        for tier in getattr(field, "tiers", ()):
            price = tier.price if tokens >= tier.start else price
        prices.append(None if price is None else float(price))
    return Prices(*prices)

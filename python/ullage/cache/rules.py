"""`CacheRules`: what a provider caches of a prompt, for how long, and what it charges for it.

The table is rules.toml, beside this file: each row is dated and carries its sources. What sources say differently is
kept as a range, and predictions go by the value that the row states.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeAlias

from ullage.arguments import finite_number, whole_number
from ullage.errors import UnknownModel
from ullage.models import bare_name, begins

Match: TypeAlias = Literal["markers", "requests", "prefix"]
Zone: TypeAlias = Literal["tools", "system", "messages"]

_HOSTS = {
    "azure_ai": "azure",
    "bedrock_converse": "bedrock",
    "hosted_vllm": "vllm",
    "ollama": "llama.cpp",
    "ollama_chat": "llama.cpp",
}
"""Other names of hosts in front of a model's name."""
_POINT_RELEASE = re.compile(r"[-.]\d{1,2}(?!\d)")


class Contested(NamedTuple):
    """A value that sources state differently, or that none publishes.

    Attributes:
        field: of the rules.
        low: the least that is stated.
        high: the most that is stated.
        source: where the statement is that differs from the value of the field.
    """

    field: str
    low: float
    high: float
    source: str


@dataclass(frozen=True, slots=True)
class CacheRules:
    """What a provider caches, by a stated choice where sources differ.

    Attributes:
        provider: its name.
        models: beginnings of the names of the models for which this holds; none stands for all.
        order: in which the provider puts the zones of a prompt together.
        match: what a request can read. "markers": the prefixes that end at an earlier request's markers, found by
            looking back from its own markers. "requests": also the prefixes that were whole requests, wherever it
            marks. "prefix": the longest common beginning with any earlier request.
        minimum: tokens; nothing shorter is cached.
        step: tokens read or written are a multiple of this.
        markers: so many of a request count, the latest ones; 0 where the provider knows none.
        look_back: by "markers", blocks that are tried from a marker, itself among them; by "requests", cached prefixes.
        lives: seconds that may be asked for, the default first; none where nothing is known and none is modelled. They
            count from the start of the request that wrote or read last: with every provider here, reading begins anew.
        write: the price of a written token for each life, in prices of a token of input; none where writes are not
            billed apart.
        read: the price of a read token, in prices of a token of input.
        partial: whether the beginning of a block can be read without its end.
        contested: what sources state differently.
        sources: pages on which this rests.
        checked: the date of the last check, as YYYY-MM-DD.
        note: what else is to be known, and what is not modelled.
    """

    provider: str
    models: tuple[str, ...] = ()
    order: tuple[Zone, ...] = ("tools", "system", "messages")
    match: Match = "prefix"
    minimum: int = 1
    step: int = 1
    markers: int = 0
    look_back: int = 0
    lives: tuple[int, ...] = ()
    write: tuple[float, ...] = ()
    read: float = 0.1
    partial: bool = False
    contested: tuple[Contested, ...] = ()
    sources: tuple[str, ...] = ()
    checked: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.match not in ("markers", "requests", "prefix"):
            raise ValueError(f'match is {self.match!r}; it is "markers", "requests" or "prefix"')
        for name, least in (("minimum", 1), ("step", 1), ("markers", 0), ("look_back", 0)):
            whole_number(name, getattr(self, name), least)
        for name in ("models", "order", "lives", "write", "contested", "sources"):
            if not isinstance(getattr(self, name), tuple):
                raise TypeError(f"{name} must be a tuple, not {type(getattr(self, name)).__name__}")
        for life in self.lives:
            whole_number("a life", life, 1)
        for price in self.write:
            finite_number("a price of a write", price)
        finite_number("read", self.read)
        if self.match != "prefix" and not (self.markers and self.look_back and self.lives and self.write):
            raise ValueError(f'rules that match by "{self.match}" need markers, look_back, lives and write')
        if self.write and len(self.write) != len(self.lives):
            raise ValueError(f"there are {len(self.write)} prices of a write for {len(self.lives)} lives")

    def life(self, seconds: int | None) -> int:
        """The life that a marker gets that asks for so many seconds: the longest there is within them.

        Without a wish, or with one below the least, it is the default.
        """
        if seconds is None or seconds == self.lives[0]:
            return self.lives[0]
        return max((life for life in self.lives if life <= seconds), default=self.lives[0])

    def lasting(self, seconds: int) -> "CacheRules":
        """These rules for requests that all ask for so many seconds; without known lives, as they are.

        >>> cache_rules("gpt-5").lasting(86_400).lives
        (86400,)
        """
        if not self.lives:
            return self
        life = self.life(seconds)
        return replace(self, lives=(life,), write=(self.write_price(life),) if self.write else ())

    def write_price(self, life: int) -> float:
        """The price of a token that is written for one of `lives`, in prices of a token of input."""
        return self.write[self.lives.index(life)]


def cache_rules(name: str, provider: str | None = None) -> CacheRules:
    """The rules by which a provider caches.

    Args:
        name: of a model, as its maker or a host writes it ("claude-opus-5-5", "azure/gpt-5.6"), or of a provider
            ("anthropic"), whose newest rules it then means.
        provider: who serves the model; by default, the host in front of the name, if the table knows it, or else the
            maker.

    Raises:
        TypeError: when a name is not a str.
        UnknownModel: when the table has neither; the nearest names are in the sentence.

    >>> rules = cache_rules("claude-fable-5-1")
    >>> rules.minimum, rules.markers, rules.look_back, rules.read
    (512, 4, 20, 0.025)
    >>> cache_rules("azure/gpt-4.1").read
    0.25
    """
    for each in (name, "" if provider is None else provider):
        if not isinstance(each, str):
            raise TypeError(f"a name must be str, not {type(each).__name__}")
    return _look_up(name.strip().lower(), None if provider is None else provider.strip().lower())


def all_rules() -> tuple[CacheRules, ...]:
    """All rows of the table, in its order."""
    return _rows()


@lru_cache(maxsize=256)
def _look_up(name: str, provider: str | None) -> CacheRules:
    providers = {rules.provider: rules for rules in reversed(_rows())}
    if provider is None:
        provider = _host(name, providers)
    elif provider not in providers:
        raise UnknownModel(_unknown("provider", provider, [*providers]))
    if name in providers and provider in (None, name):
        return providers[name]
    model = bare_name(name)
    rows = [rules for rules in _rows() if provider in (None, rules.provider)]
    found = [(len(start), row) for row in rows for start in row.models if _means(model, start)]
    if found:
        return max(found, key=lambda each: each[0])[1]  # the first of the longest: makers stand before hosts
    whole = [row for row in rows if provider is not None and not row.models]
    if whole:
        return whole[0]
    starts = [*providers, *dict.fromkeys(start for row in rows for start in row.models)]
    raise UnknownModel(_unknown("model or provider" if provider is None else f"model of {provider}", name, starts))


def _host(name: str, providers: Mapping[str, CacheRules]) -> str | None:
    """The provider in front of a model's name, the one nearest to it."""
    *hosts, model = name.split("/")
    if re.match(r"(?:[a-z-]+\.)?(?:anthropic|amazon)\.", model):
        return "bedrock"
    return next((host for part in reversed(hosts) if (host := _HOSTS.get(part, part)) in providers), None)


def _means(model: str, start: str) -> bool:
    """Whether a name is one of those that begin so. A point release of Claude or GPT-5 is not: its rules may differ."""
    return begins(model, start) and not (
        start.startswith(("claude", "gpt-5")) and start[-1].isdigit() and _POINT_RELEASE.match(model, len(start))
    )


def _unknown(what: str, name: str, known: list[str]) -> str:
    near = get_close_matches(name.rsplit("/", 1)[-1], known, n=3, cutoff=0.5)
    hint = f"the nearest known are {', '.join(near)}; " if near else ""
    return f"no cache rules are known for the {what} {name!r}: {hint}give CacheRules(...) of your own instead"


@lru_cache(maxsize=1)
def _rows() -> tuple[CacheRules, ...]:
    import tomllib

    text = files("ullage.cache").joinpath("rules.toml").read_text(encoding="utf-8")
    return tuple(
        _row(provider, {**{key: value for key, value in table.items() if key != "models"}, **row})
        for provider, table in tomllib.loads(text).items()
        for row in table["models"]
    )


def _row(provider: str, fields: dict[str, Any]) -> CacheRules:
    names = fields.pop("names")
    contested = tuple(Contested(*each) for each in fields.pop("contested", ()))
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return CacheRules(provider, tuple(names.split()), contested=contested, **values)

"""`ToolPhases`: the tool definitions of each phase of an agent's work, and whether changing them pays.

Definitions stand at or near the start of a prompt, so another set of them is another prefix: all that was cached behind
them is paid for anew. It pays where the definitions that are left out are many and the calls to come are too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from ullage import formats
from ullage._core import Estimator
from ullage.arguments import whole_number
from ullage.cache.rules import CacheRules, cache_rules
from ullage.errors import InvalidTools, UnknownPhase
from ullage.fitting.layout import cost
from ullage.history import as_list, chosen

_DECLARATIONS = "functionDeclarations"
_INSIDE = ("function", "custom", "toolSpec")
_TELLING = {
    _DECLARATIONS: "gemini",
    "toolSpec": "bedrock",
    "input_schema": "anthropic",
    "function": "openai-chat",
    "parameters": "openai-responses",
}
"""Keys of a definition, and the format that they tell."""


@dataclass(frozen=True, slots=True)
class Switch:
    """What it costs to change the tools, beside sending those of both phases throughout.

    Prices are in tokens of input: a price of 100 is that of 100 tokens that are neither read from a cache nor written.

    Attributes:
        before: the phase that ends.
        after: the phase that begins.
        calls: how many requests the new phase will send.
        prefix_tokens: what the next request sends beside the tools.
        before_tokens: of the tools of the phase that ends.
        after_tokens: of those of the phase that begins.
        both_tokens: of those of both.
        lost_tokens: what was cached and is not read by the first request after the switch.
        stay_price: of all calls with the tools of both.
        switch_price: of all calls with the tools of the new phase, the first of which writes its prefix anew.
        break_even: the least number of calls for which switching pays; None where it never does.
        why: the arithmetic, as a sentence.
    """

    before: str
    after: str
    calls: int
    prefix_tokens: int
    before_tokens: int
    after_tokens: int
    both_tokens: int
    lost_tokens: int
    stay_price: float
    switch_price: float
    break_even: int | None
    why: str

    @property
    def saved(self) -> float:
        """What switching saves over all calls; negative where it costs."""
        return self.stay_price - self.switch_price

    @property
    def pays(self) -> bool:
        """Whether switching is the cheaper."""
        return self.saved > 0


class ToolPhases:
    """Tool definitions by phase. What is given is never changed; what comes out is always the same for one phase.

    Args:
        phases: for each phase its definitions, in the form that the provider's API takes. One tool may be in several.
        format: of the definitions; by default, told from their keys.
        sort: whether definitions are put in the order of their names; if not, they stay as they are given.

    Raises:
        TypeError: when a definition is no dict, or is not made of what JSON has.
        InvalidTools: when a definition has no name or has a cache marker, or a name is twice in a phase or stands for
            two different definitions.
        ValueError: when there is no such format.

    >>> from ullage import ToolPhases
    >>> def tool(name, describe):
    ...     return {"name": name, "description": describe, "input_schema": {"type": "object"}}
    >>> explore = [tool(f"search_{place}", "Look for it there. " * 30) for place in ("web", "wiki", "mail", "files")]
    >>> edit = tool("edit", "Change a file.")
    >>> phases = ToolPhases({"explore": explore, "act": [edit]})
    >>> [found["name"] for found in phases.tools("explore")]
    ['search_files', 'search_mail', 'search_web', 'search_wiki']
    >>> phases.tokens("explore"), phases.tokens("act")
    (991, 366)
    >>> for prefix_tokens in (3_000, 30_000):
    ...     switch = phases.switch("explore", "act", calls=80, prefix_tokens=prefix_tokens, model="claude-opus-4-8")
    ...     print(switch.pays, switch.break_even, round(switch.saved))
    True 52 2170
    False 462 -28880
    """

    def __init__(self, phases: Mapping[str, Sequence[object]], *, format: str | None = None, sort: bool = True) -> None:
        self._names: dict[str, tuple[str, ...]] = {}
        self._json: dict[str, str] = {}
        self._declared: set[str] = set()
        self._sort = sort
        if not isinstance(phases, Mapping):
            raise TypeError(f"phases must be a dict of lists by phase, not {type(phases).__name__}")
        for phase, given in phases.items():
            if not isinstance(phase, str):
                raise TypeError(f"the name of a phase must be str, not {type(phase).__name__}")
            self._add(phase, as_list(given, f"phases[{phase!r}]"))
        everything = [definition for phase in self._names for definition in self.tools(phase)]
        self._shape = formats.named(_format_of(everything) if format is None else format)

    @property
    def phases(self) -> tuple[str, ...]:
        """The names of the phases, as they were given."""
        return tuple(self._names)

    def tools(self, phase: str) -> list[Any]:
        """The definitions of a phase, made anew, with the keys of every dict in order: they are sent as the same bytes.

        Gemini's function declarations are together in the first of them.

        Raises:
            UnknownPhase: when there is no such phase.
        """
        return self._made(self._of(phase))

    def json(self, phase: str) -> str:
        """The canonical JSON of what `tools` gives: keys in order, without spaces.

        Raises:
            UnknownPhase: when there is no such phase.
        """
        return _json(self.tools(phase))

    def tokens(self, phase: str, model: str | None = None, *, estimator: Estimator | None = None) -> int:
        """What the definitions of a phase add to each call, in tokens, with the framing of the format.

        Raises:
            UnknownPhase: when there is no such phase.
            UnknownModel: when no profile is known for the model.
        """
        return self._tokens(self._of(phase), chosen(model, estimator))

    def switch(
        self,
        before: str,
        after: str,
        *,
        calls: int,
        prefix_tokens: int,
        system_tokens: int = 0,
        model: str | None = None,
        rules: CacheRules | None = None,
    ) -> Switch:
        """Say whether it pays to send only the tools of the new phase, over sending those of both throughout.

        Sending both keeps the cache: each call reads its prefix. Switching writes it anew once, and then reads less.

        Left out are: what the phase that ends saved (or lost) by its own tools, for what is compared begins with the
        switch; what a switch back costs later; the messages that the calls add, which cost the same either way; the
        steps in which some providers count what is cached; answers; and whether a model chooses better among fewer
        tools.

        Args:
            before: the phase that ends.
            after: the phase that begins.
            calls: how many requests the new phase will send, each within the cache's life after the one before.
            prefix_tokens: of the system prompt and the messages that were sent so far.
            system_tokens: how many of these are the system prompt's, which some providers put before the tools.
            model: the name of the model, whose profile estimates and whose cache rules hold.
            rules: in the place of the model's; without a model the script rule estimates.

        Raises:
            UnknownPhase: when there is no such phase.
            UnknownModel: when neither a profile nor rules are known for the model.
            TypeError: when there is neither a model nor rules, or a value is of a wrong type.
            ValueError: when a number is out of range.
        """
        whole_number("calls", calls, 1)
        whole_number("prefix_tokens", prefix_tokens, 0)
        whole_number("system_tokens", system_tokens, 0)
        if system_tokens > prefix_tokens:
            raise ValueError(f"system_tokens is {system_tokens}; it is within 0 and prefix_tokens, {prefix_tokens}")
        if rules is None:
            if model is None:
                raise TypeError("give a model, or the rules of a cache")
            rules = cache_rules(model)
        if not isinstance(rules, CacheRules):
            raise TypeError(f"rules must be CacheRules, not {type(rules).__name__}; cache_rules(...) gives a model's")
        estimator = chosen(model, None)
        old, new = self._of(before), self._of(after)
        both = self._ordered((*old, *new))
        old_tokens, new_tokens, both_tokens = (self._tokens(names, estimator) for names in (old, new, both))
        stay = _price(rules, prefix_tokens + both_tokens, prefix_tokens + both_tokens)
        later = _price(rules, prefix_tokens + new_tokens, prefix_tokens + new_tokens)
        same = prefix_tokens + new_tokens
        if old != new:
            same = self._shared(rules, old, new, system_tokens, estimator)
        first = _price(rules, prefix_tokens + new_tokens, same)
        gain, loss = stay - later, first - later
        break_even = floor(loss / gain) + 1 if gain > 0 else None
        return Switch(
            before,
            after,
            calls,
            prefix_tokens,
            old_tokens,
            new_tokens,
            both_tokens,
            _cached(rules, prefix_tokens + old_tokens) - _cached(rules, same),
            calls * stay,
            first + (calls - 1) * later,
            break_even,
            _why(calls, gain, loss, break_even, both_tokens - new_tokens),
        )

    def _add(self, phase: str, given: Iterable[object]) -> None:
        names: dict[str, None] = {}
        for index, definition in enumerate(given):
            for name, value, declared, path in _units(definition, f"phases[{phase!r}][{index}]"):
                if name in names:
                    raise InvalidTools(path, f"the name {name!r} is twice in this phase")
                names[name] = None
                text = _checked_json(value, path)
                if self._json.setdefault(name, text) != text:
                    raise InvalidTools(path, f"{name!r} has another definition in a phase before; give it one")
                if declared:
                    self._declared.add(name)
        self._names[phase] = self._ordered(names)

    def _ordered(self, names: Iterable[str]) -> tuple[str, ...]:
        once = dict.fromkeys(names)
        return tuple(sorted(once) if self._sort else once)

    def _made(self, names: Sequence[str]) -> list[Any]:
        declared = [json.loads(self._json[name]) for name in names if name in self._declared]
        others = [json.loads(self._json[name]) for name in names if name not in self._declared]
        return [{_DECLARATIONS: declared}, *others] if declared else others

    def _of(self, phase: str) -> tuple[str, ...]:
        names = self._names.get(phase)
        if names is None:
            raise UnknownPhase(f"there is no phase {phase!r}; there are: {', '.join(self._names) or 'none'}")
        return names

    def _tokens(self, names: Sequence[str], estimator: Estimator) -> int:
        return cost(self._shape.tools(self._made(names)), estimator.estimate)

    def _shared(
        self, rules: CacheRules, old: Sequence[str], new: Sequence[str], system: int, estimator: Estimator
    ) -> int:
        """Tokens from the start that a request with the new tools has in common with one with the old ones."""
        if rules.match != "prefix":
            return 0  # what can be read ends at markers, and none is taken to stand among the tools
        alike = 0
        while alike < min(len(old), len(new)) and old[alike] == new[alike]:
            alike += 1
        in_front = system if rules.order[0] == "system" else 0
        return in_front + (self._tokens(new[:alike], estimator) if alike else 0)


def _units(definition: object, path: str) -> Iterator[tuple[str, object, bool, str]]:
    """Yield the name of each tool of a definition, what defines it, whether it is one of Gemini's, and where it is."""
    if not isinstance(definition, dict):
        raise TypeError(f"{path} must be a dict, as it is sent, not {type(definition).__name__}")
    key = next((key for key in (_DECLARATIONS, "function_declarations") if key in definition), None)
    if key is None:
        yield _name(definition, path), definition, False, path
        return
    for index, declaration in enumerate(as_list(definition[key], f"{path}.{key}")):
        at = f"{path}.{key}[{index}]"
        if not isinstance(declaration, dict):
            raise TypeError(f"{at} must be a dict, as it is sent, not {type(declaration).__name__}")
        yield _name(declaration, at), declaration, True, at
    others = {name: value for name, value in definition.items() if name != key and value is not None}
    if others:
        yield _name(others, path), others, False, path


def _name(definition: dict[str, Any], path: str) -> str:
    """What a definition is called: by its name, or what stands for one where the provider runs the tool."""
    if definition.get("cache_control") is not None or "cachePoint" in definition:
        raise InvalidTools(path, "has a cache marker; set it on what is sent, behind the last of all definitions")
    inner = next((definition[key] for key in _INSIDE if isinstance(definition.get(key), dict)), definition)
    name = next((inner[key] for key in ("name", "server_label", "type") if inner.get(key)), None)
    if name is None and len(definition) == 1:
        only, value = next(iter(definition.items()))
        name = only if isinstance(value, dict) else None
    if not isinstance(name, str):
        raise InvalidTools(path, "has no name")
    return name


def _checked_json(value: object, path: str) -> str:
    try:
        return _json(value)
    except TypeError as error:
        raise TypeError(f"{path} must be made of what JSON has: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidTools(path, f"is not JSON: {error}") from None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _format_of(definitions: Iterable[dict[str, Any]]) -> str:
    """The format by the keys of the first definition that tells."""
    for definition in definitions:
        for key, format in _TELLING.items():
            if key in definition:
                return format
    return "openai-chat"


def _price(rules: CacheRules, total: int, same: int) -> float:
    """The price of a prompt of which so many tokens at the start were sent before; all of it is to be cached."""
    read, whole = _cached(rules, same), _cached(rules, total)
    write = rules.write[0] if rules.write else 1.0
    return read * rules.read + (whole - read) * write + (total - whole)


def _cached(rules: CacheRules, tokens: int) -> int:
    """How much of a prefix a cache holds. Steps are left out: what is sent behind it moves them with each call."""
    return tokens if tokens >= rules.minimum else 0


def _why(calls: int, gain: float, loss: float, break_even: int | None, left_out: int) -> str:
    if not left_out:
        return "the new phase needs the tools of both, so there is nothing to leave out"
    if break_even is None:
        return f"without the {left_out:,} tokens of tools left out, the prompt is too short to be cached"
    return (
        f"switching {'pays' if calls >= break_even else 'does not pay'}: the first call costs {loss:,.0f} tokens of "
        f"input more for what the cache no longer has, and each call {gain:,.1f} less for {left_out:,} tokens of tools "
        f"left out, which takes {break_even:,} {'call' if break_even == 1 else 'calls'} to pay, and there "
        f"{'is' if calls == 1 else 'are'} {calls:,}"
    )

"""`Session`: the requests of an agent as they are sent, each checked against all before it.

A session remembers the strings of what was sent, not its dicts, so it notices what was changed in place. Requests form
a tree (`ullage._core.Chain`): a sub-agent, a retry or a rewind goes on from the longest beginning that any earlier
request has, wherever that is. Of a large tree, the latest 64 ways through it are kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from sys import intern
from threading import RLock
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn

from ullage import formats
from ullage._core import Chain, Estimator
from ullage.cache.provider_cache import CacheUse, Marker, ProviderCache
from ullage.cache.rules import CacheRules, cache_rules
from ullage.history import chosen
from ullage.prefix.assembly import GENERIC, Assembly, Block, assemble, message_blocks
from ullage.prefix.compare import Change, Kind, compare_assemblies
from ullage.prefix.observation import Observation, observation
from ullage.prefix.sent import sent
from ullage.prefix.tokens import block_tokens, message_tokens, prelude_costs
from ullage.usage import Usage

#: So many messages behind the first change are looked at to tell its cause.
_LOOKED_AT: Final = 256

#: What the chain is told of a block: what identifies it, its tokens, the life of its marker.
_Told = tuple[object, int, int | None]


class SessionStep(NamedTuple):
    """What a request has in common with those before it, and what that means for the provider's cache.

    All tokens are estimates; the framing of the request itself is not counted, for it is in no cache.

    Attributes:
        kind: "same" where all of it was sent before in this order; "append" where it goes on from the end of an earlier
            request (or is the first); else "edit". Where messages come again that a later request had behind that end,
            it is that later one with a change: an edit.
        kept: tokens that an earlier request begins with too.
        new: tokens behind these.
        lost: of an edit, tokens of the earlier request behind these; else 0.
        total: all tokens.
        use: how the provider will bill it, by its rules; None where no rules are known.
        change: of an edit, the first change with its path, cause and fix; else None.
        at: when it was sent, in seconds.
        idle: seconds since what is kept was last sent; None where nothing is.
    """

    kind: Kind
    kept: int
    new: int
    lost: int
    total: int
    use: CacheUse | None
    change: Change | None
    at: float
    idle: float | None

    def __str__(self) -> str:
        text = f"{self.kind}: {self.kept:,} tokens kept, {self.lost:,} lost, {self.new:,} new"
        if self.use is not None:
            text += f"; read {self.use.read:,}, written {self.use.written:,}, plain {self.use.plain:,}"
        if self.change is not None:
            text += f"\n{self.change}: {self.change.evidence} {self.change.fix}"
        return text


class Session:
    """The requests of one agent and its sub-agents, in the order in which they are sent.

    Methods can be called from any thread; each call waits for those before it. On an error nothing changes.

    Args:
        model: the model's name; it chooses the profile that estimates and the provider's cache rules.
        format: the requests' format; by default, each request's own is detected.
        rules: the cache rules, in the place of those of the model.
        estimator: estimates tokens, in the place of the model's profile.

    Raises:
        TypeError: when an argument is of another type.
        ValueError: when the format is not known.
        UnknownModel: when no profile or no rules are known for the model; the sentence says which.

    >>> from ullage import Session
    >>> session = Session("gpt-5.2")
    >>> question = {"role": "user", "content": "Compare these two reports. " * 400}
    >>> session.step({"messages": [question]}, at=0).use
    CacheUse(read=0, written=0, plain=1909, writes=())
    >>> step = session.append({"role": "assistant", "content": "The first one is longer."}, at=20)
    >>> step.kind, step.kept, step.new, step.use.read
    ('append', 1909, 10, 1792)
    >>> question["content"] = "Read these two reports. " * 400
    >>> step = session.step({"messages": [question]}, at=40)
    >>> step.kind, step.lost, step.change.path
    ('edit', 1919, 'messages[0].content')
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        format: str | None = None,
        rules: CacheRules | None = None,
        estimator: Estimator | None = None,
    ) -> None:
        if rules is not None and not isinstance(rules, CacheRules):
            raise TypeError(
                f"rules must be CacheRules, not {type(rules).__name__}; cache_rules(...) gives a provider's"
            )
        if format is not None and format != GENERIC:
            formats.named(format)
        self._estimate = chosen(model if estimator is None else None, estimator).estimate
        self._rules = cache_rules(model) if rules is None and model is not None else rules
        self._cache = None if self._rules is None else ProviderCache(self._rules)
        self._chain = Chain()
        self._lock = RLock()
        self._format = format
        self._assembly = Assembly(format or "openai-chat", (), (), "messages")
        self._step: SessionStep | None = None

    def step(self, request: object, *, at: float | None = None) -> SessionStep:
        """Take in the next request, and check all of it.

        Args:
            request: a request body in any of the formats, a list of messages, or any other JSON value; not changed.
            at: when it is sent, in seconds; by default, now by `time.monotonic`. One session uses one clock.

        Raises:
            TypeError: when something in the request is no value of JSON and no object with fields; its path is named.
            InvalidHistory: when values nest deeper than 256, or one holds itself.
            ValueError: when `at` is before the request before it, or not finite.
        """
        with self._lock:
            now = self._moment(at)
            assembly = assemble(request, self._format)
            told: Callable[[int], list[_Told]]
            told = lambda unit: self._unit(assembly, unit - 1)  # noqa: E731
            followed = self._chain.follow(_head(assembly), assembly.messages, told, now)
            return self._taken(followed, assembly, now)

    def append(self, *messages: object, at: float | None = None) -> SessionStep:
        """Take in the request before this one with more messages at its end; what was there is trusted.

        Args:
            messages: what is new, in the format of the request before.
            at: as in `step`.

        Raises:
            TypeError, InvalidHistory, ValueError: as `step`.
        """
        with self._lock:
            now = self._moment(at)
            if self._assembly.format == GENERIC:
                raise ValueError("the request before was no list of messages, so none can be appended; use step")
            if self._step is None:
                return self.step([*messages], at=now)
            first = self._chain.units - 1
            told = lambda unit: self._message(messages[unit - 1 - first], unit - 1, self._assembly)  # noqa: E731
            followed = self._chain.append(messages, told, now)
            return self._taken(followed, self._assembly, now)

    def observe(self, usage: object) -> Observation:
        """Say whether the provider read from its cache what it could, and if not, whose doing that is.

        Args:
            usage: what the provider returned for the latest request: its usage, or the answer that holds it, as a dict
                or as an object of its SDK (Anthropic, OpenAI, Gemini, Bedrock, DeepSeek, LangChain, pydantic-ai).

        Raises:
            TypeError, ValueError: when it is no usage; and when there was no request, or no rules are known.
        """
        read = Usage.of(usage)
        with self._lock:
            if self._step is None:
                raise ValueError("there was no request yet: call step before observe")
            if self._rules is None:
                raise ValueError("no cache rules are known: give Session a model or rules")
            return observation(self._step, read, self._rules, self.markers)

    def __len__(self) -> int:
        """How many blocks the latest request has."""
        return len(self._chain)

    def key(self, block: int, /) -> int:
        """What stands for all blocks of the latest request up to this one; equal for equal beginnings."""
        return self._chain.key(block)

    def tokens(self, block: int, /) -> int:
        """Tokens of the latest request up to and including a block."""
        return self._chain.tokens(block)

    @property
    def markers(self) -> Sequence[Marker]:
        """The cache markers of the latest request, by their blocks in order; at most the last 32."""
        markers = [Marker(*each) for each in self._chain.markers]
        own = self._assembly.marker
        if own is not None:
            last = len(self._chain) - 1
            if last >= 0 and (not markers or markers[-1].block != last):
                markers.append(Marker(last, own))
        return markers

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Session is neither copied nor pickled: make one anew")

    def _moment(self, at: float | None) -> float:
        now = monotonic() if at is None else float(at)
        if not isfinite(now):
            raise ValueError(f"at must be a number of seconds, not {now}")
        if self._step is not None and now < self._step.at:
            raise ValueError(
                f"the request is sent at {now}, before the one before it at {self._step.at}; one session uses one clock"
            )
        return now

    def _taken(self, followed: tuple[Any, ...], assembly: Assembly, now: float) -> SessionStep:
        """The step of a request that is in the chain."""
        kind, units, blocks, kept, total, used, was, old = followed
        if assembly is not self._assembly:
            self._assembly = replace(assembly, prelude=(), messages=(), leading=0)
        change, partial = None, 0
        if old is not None:
            change, partial = self._changed(assembly, units, old, kept)
        use = None
        if self._cache is not None:
            use = self._cache.request(self, now, partial)
        lost = max(0, was - kept) if kind == "edit" else 0
        idle = now - used if used is not None and blocks else None
        self._step = SessionStep(kind, kept, total - kept, lost, total, use, change, now, idle)
        return self._step

    def _changed(self, assembly: Assembly, units: int, old: list[Any], kept: int) -> tuple[Change | None, int]:
        """The first change of an edit, and the tokens that are the same inside the first block that is not."""
        first = max(0, units - 1)
        before: Sequence[object] = assembly.messages[:first]
        following = replace(assembly, messages=assembly.messages[: first + _LOOKED_AT])
        if units:
            previous = replace(assembly, messages=[*before, *old])
            inside = [
                replace(assembly, prelude=(), messages=side) for side in (old[:1], assembly.messages[first:units])
            ]
        else:
            prelude = tuple(Block(zone, path, value, None, marker) for zone, path, marker, value in old[0])
            previous = replace(assembly, prelude=prelude, messages=old[1:])
            inside = [replace(side, messages=()) for side in (previous, assembly)]
        change = compare_assemblies(previous, following, self._estimate, 1).change
        if self._rules is None or not self._rules.partial or assembly.format == GENERIC:
            return change, 0
        before_unit = self._before(units)
        shared = compare_assemblies(inside[0], inside[1], self._estimate, 1).tokens.kept
        return change, max(0, before_unit + shared - kept)

    def _before(self, units: int) -> int:
        """Tokens of the first so many units of the latest request."""
        blocks = self._chain.blocks(units)
        return self._chain.tokens(blocks - 1) if blocks else 0

    def _unit(self, assembly: Assembly, index: int) -> list[_Told]:
        """What the chain is told of all that stands before the messages (-1), or of a message."""
        estimate = self._estimate
        if index >= 0 and assembly.format == GENERIC:
            return [((block.path, sent(block.value)), block_tokens(block, estimate), None) for block in assembly.blocks]
        if index >= 0:
            return self._message(assembly.messages[index], index, assembly)
        costs = zip(assembly.prelude, prelude_costs(assembly, estimate), strict=True)
        return [(_identity(block), tokens, block.marker) for block, tokens in costs]

    def _message(self, message: object, index: int, assembly: Assembly) -> list[_Told]:
        """What the chain is told of a message; each block but the last costs what its texts do, and that the rest."""
        blocks = message_blocks(message, f"{assembly.at}[{index}]", assembly.format)
        rest = message_tokens(message, blocks, formats.named(assembly.format), self._estimate)
        _, _, value, frame, marker = blocks[0]
        identity: object = (frame, value if type(value) is str else sent(value))
        if len(blocks) == 1:
            return [(identity, rest, marker)]
        told: list[_Told] = []
        for block in blocks[:-1]:
            tokens = min(rest, block_tokens(block, self._estimate))
            told.append((identity, tokens, block.marker))
            rest -= tokens
            identity = sent(blocks[len(told)].value)
        told.append((identity, rest, blocks[-1].marker))
        return told


def _head(assembly: Assembly) -> object:
    """All that stands before the messages; its paths are the same objects in each request, as its values are."""
    return tuple((block.zone, intern(block.path), block.marker, block.value) for block in assembly.prelude)


def _identity(block: Block) -> object:
    """What tells a block outside of the messages from others."""
    return (block.zone if block.zone in ("tools", "system") else block.path), sent(block.value)

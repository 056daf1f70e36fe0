"""`ProviderCache`: what a provider has cached after the requests so far, and so what it reads of the next one."""

import math
from bisect import bisect_right, insort
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ullage.cache.known import Known
from ullage.cache.rules import CacheRules


class Marker(NamedTuple):
    """A place up to which a request asks for its prompt to be cached.

    Attributes:
        block: the last block of that prefix.
        seconds: the life it asks for; None for the provider's default.
    """

    block: int
    seconds: int | None = None


class Prefix(Protocol):
    """A request as a cache sees it: blocks in the provider's order. No method may take longer for a longer request."""

    def __len__(self) -> int:
        """How many blocks there are."""
        ...

    def key(self, block: int, /) -> Hashable:
        """The identity of all up to and including this block; equal ones stand for equal prompts."""
        ...

    def tokens(self, block: int, /) -> int:
        """Tokens up to and including this block."""
        ...

    @property
    def markers(self) -> Sequence[Marker]:
        """The cache markers, by their blocks in order."""
        ...


class CacheUse(NamedTuple):
    """How a provider bills the prompt of a request, in tokens. The three make the whole prompt.

    Attributes:
        read: taken from the cache.
        written: billed as written to the cache; 0 where the provider does not bill that apart.
        plain: the rest, at the price of input.
        writes: of the written, the life in seconds and the tokens for each life.
    """

    read: int
    written: int
    plain: int
    writes: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _Entry:
    """A cached prefix: its life, and when that ends."""

    life: int
    ends: float


class ProviderCache:
    """What a provider has cached, by its rules.

    A marker inside what is read is kept anew without being billed. An entry that ends at the very moment of a request
    is gone. What a provider does beyond its rules (routing, evicting early, keeping longer) is not modelled.

    Args:
        rules: of the provider.

    >>> from ullage import cache_rules
    >>> from ullage.cache.prompt import Prompt
    >>> cache, prompt = ProviderCache(cache_rules("claude-opus-5")), Prompt()
    >>> prompt.append("tools and system", 2_000)
    >>> prompt.markers = [Marker(0)]
    >>> cache.request(prompt)
    CacheUse(read=0, written=2000, plain=0, writes=((300, 2000),))
    >>> prompt.append("question", 50)
    >>> cache.request(prompt, at=299.0)
    CacheUse(read=2000, written=0, plain=50, writes=())
    """

    def __init__(self, rules: CacheRules) -> None:
        self.rules = rules
        self._entries: dict[Hashable, _Entry] = {}
        life = rules.lives[0] if rules.lives and rules.match == "prefix" else None
        self._known = Known(life)
        self._now = float("-inf")

    def request(self, prefix: Prefix, at: float = 0.0, partial: int = 0) -> CacheUse:
        """Take in the next request, and say how it is billed.

        Takes time for the markers times the blocks that are looked back, for new blocks, and for the logarithm of all.

        Args:
            prefix: the request.
            at: seconds at which it starts, since anything.
            partial: tokens shared with an earlier request inside the block after the last known one.

        Raises:
            ValueError: when it starts before the request before it, or at no finite time; or when its markers are not
                in order, or not on its blocks.
        """
        if not math.isfinite(at):
            raise ValueError(f"the request starts at {at}; give seconds")
        if at < self._now:
            raise ValueError(f"the request starts at {at}, before the one before it at {self._now}; sort them by time")
        self._now = at
        blocks = len(prefix)
        if blocks == 0:
            return CacheUse(0, 0, 0)
        if self.rules.match == "prefix":
            return self._by_prefix(prefix, blocks, at, partial)
        return self._by_entries(prefix, blocks, at)

    def _by_prefix(self, prefix: Prefix, blocks: int, at: float, partial: int) -> CacheUse:
        """Read the longest common beginning with any request, and keep all of this one."""
        rules = self.rules
        known = self._known.take(prefix, blocks, at)
        total = prefix.tokens(blocks - 1)
        shared = prefix.tokens(known - 1) if known else 0
        if partial and rules.partial and known < blocks:
            shared = min(shared + partial, prefix.tokens(known))
        read = self._cached(shared)
        written = self._cached(total) - read if rules.write else 0
        writes = ((rules.lives[0], written),) if written else ()
        return CacheUse(read, written, total - read - written, writes)

    def _by_entries(self, prefix: Prefix, blocks: int, at: float) -> CacheUse:
        """Read the longest prefix that is cached by itself, and cache those up to the markers."""
        rules = self.rules
        total = prefix.tokens(blocks - 1)
        markers = _checked(prefix, blocks)
        if rules.match == "requests":  # the end of a request is a marker too
            explicit = [marker for marker in markers if marker.block != blocks - 1]
            markers = [*explicit[max(0, len(explicit) - rules.markers + 1) :], Marker(blocks - 1)]
            read = self._read_longest(prefix, blocks, at)
        elif markers:
            markers = markers[max(0, len(markers) - rules.markers) :]
            read = max(self._look_back(prefix, marker.block, at) for marker in markers)
        else:
            return CacheUse(0, 0, total)
        written, writes = read, dict[int, int]()
        for marker in markers:
            tokens = prefix.tokens(marker.block)
            if tokens < rules.minimum:
                continue
            life = rules.life(marker.seconds)
            self._write(prefix, marker.block, life, at)
            end = self._cached(tokens)
            if end > written:
                writes[life] = writes.get(life, 0) + end - written
                written = end
        return CacheUse(read, written - read, total - written, tuple(sorted(writes.items())))

    def _look_back(self, prefix: Prefix, block: int, at: float) -> int:
        """Tokens of the longest cached prefix that a marker at this block finds."""
        for place in range(block, max(-1, block - self.rules.look_back), -1):
            if self._alive(prefix.key(place), at):
                return self._cached(prefix.tokens(place))
        return 0

    def _read_longest(self, prefix: Prefix, blocks: int, at: float) -> int:
        """Tokens of the longest cached prefix of a request; its blocks become known."""
        known = self._known.take(prefix, blocks, at)
        tried = 0
        for run in self._known.runs(prefix, known):
            for index in range(bisect_right(run.ends, known - 1) - 1, -1, -1):
                place = run.ends[index]
                if self._alive(prefix.key(place), at):
                    return self._cached(prefix.tokens(place))
                tried += 1
                if tried == self.rules.look_back:
                    return 0
        return 0

    def _alive(self, key: Hashable, at: float) -> bool:
        """Whether a prefix is cached; if so, it is being read."""
        entry = self._entries.get(key)
        if entry is None or at >= entry.ends:
            return False
        entry.ends = at + entry.life
        return True

    def _write(self, prefix: Prefix, block: int, life: int, at: float) -> None:
        """Cache the prefix up to a block; one that is cached for longer stays so."""
        key = prefix.key(block)
        entry = self._entries.get(key)
        if entry is None:
            self._entries[key] = _Entry(life, at + life)
            if self.rules.match == "requests":
                run = next(self._known.runs(prefix, block + 1))
                insort(run.ends, block)
        elif at + life >= entry.ends:
            entry.life, entry.ends = life, at + life

    def _cached(self, tokens: int) -> int:
        """How many of so many tokens can be cached."""
        return tokens - tokens % self.rules.step if tokens >= self.rules.minimum else 0


def _checked(prefix: Prefix, blocks: int) -> Sequence[Marker]:
    """The markers of a request, which are on its blocks, in order."""
    markers, least = prefix.markers, 0
    for marker in markers:
        if not least <= marker.block < blocks:
            raise ValueError(f"a marker is on block {marker.block}; it may be on {least} to {blocks - 1}, in order")
        least = marker.block
    return markers

"""`Subject`: the request that is looked at, put together, with what its provider caches."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

from ullage.cache.rules import CacheRules, cache_rules
from ullage.errors import UnknownModel
from ullage.estimator import Estimator
from ullage.prefix.assembly import GENERIC, Assembly, Block, assemble
from ullage.prefix.estimating import estimator_of, model_of
from ullage.prefix.linting.leaves import leaves

_PROVIDERS = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
    "openai-chat": "openai",
    "openai-responses": "openai",
}
"""Who serves requests of a format, where nothing else tells."""


@dataclass(frozen=True)
class Subject:
    """A request to be looked at.

    Attributes:
        request: as it was given.
        assembly: the request, put together.
        rules: of the provider's cache; None where the provider is not known.
        estimator: of the model, or the script rule.
    """

    request: object
    assembly: Assembly
    rules: CacheRules | None
    estimator: Estimator

    @classmethod
    def of(cls, request: object, format: str | None, model: str | None, provider: str | None) -> "Subject":
        """Put a request together, and find out who serves it.

        Raises:
            UnknownModel: when no profile is known for the model, or no rules for the provider.
        """
        assembly = assemble(request, format)
        estimator = estimator_of(request, model)
        rules = None if assembly.format == GENERIC else _rules(assembly.format, model or model_of(request), provider)
        return cls(request, assembly, rules, estimator)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in the provider's order."""
        return self.assembly.blocks

    @cached_property
    def prelude(self) -> tuple[Block, ...]:
        """The blocks with which every request of a session begins: tools, system prompt and settings."""
        if self.assembly.format == GENERIC:
            return ()
        return tuple(block for block in self.blocks if block.zone != "messages")

    @cached_property
    def first_message(self) -> tuple[Block, ...]:
        """The blocks of the first message that is not the system's, where others follow it."""
        first, *later = range(self.assembly.leading, len(self.assembly.messages)) or [None]
        if self.assembly.format == GENERIC or first is None or not later:
            return ()
        return tuple(self.assembly.message(first))

    @cached_property
    def marked(self) -> tuple[int, ...]:
        """The blocks that have a cache marker."""
        return tuple(index for index, block in enumerate(self.blocks) if block.marker is not None)

    def is_cached(self, index: int) -> bool:
        """Whether a block is in what the provider is asked to cache: what stands behind the last marker may change."""
        asked = self.rules is not None and self.rules.match == "markers" and self.marked
        return not asked or index <= self.marked[-1]

    def up_to(self, index: int, enough: float) -> int:
        """About how many tokens end with a block; where they are enough before it, no more are counted."""
        total = 0
        for block in islice(self.blocks, index + 1):
            total += self.tokens(block)
            if total >= enough:
                break
        return total

    def tokens(self, block: Block) -> int:
        """About how many tokens a block costs: its texts, and the keys around them. Settings are no text."""
        return 0 if block.zone == "settings" else sum(map(self.estimator.estimate, _texts(block)))

    def after(self, index: int) -> int:
        """About how many tokens of the prelude come after a block of it."""
        return self._prelude_sums[-1] - self._prelude_sums[index]

    @cached_property
    def _prelude_sums(self) -> tuple[int, ...]:
        return tuple(accumulate(map(self.tokens, self.prelude)))


def _texts(block: Block) -> Iterator[str]:
    for leaf in leaves(block.value, block.path):
        key = leaf.keys[-1] if leaf.keys else None
        if block.zone == "tools":
            yield from (leaf.text, key) if isinstance(key, str) else (leaf.text,)
        elif key != "type":
            yield leaf.text


def _rules(format: str, model: str | None, provider: str | None) -> CacheRules | None:
    if provider is not None:
        try:
            return cache_rules(provider if model is None else model, provider)
        except UnknownModel:
            return cache_rules(provider)
    if model is not None:
        try:
            return cache_rules(model)
        except UnknownModel:
            pass
    return cache_rules(_PROVIDERS[format]) if format in _PROVIDERS else None

"""`Prompt`: a request as blocks with tokens, which grows at its end and may be cut back and go on otherwise."""

from collections.abc import Hashable, Sequence
from itertools import takewhile

from ullage.cache.provider_cache import Marker


class Prompt:
    """The blocks of a request, in the provider's order. It is a `Prefix`.

    Attributes:
        markers: the cache markers, by their blocks in order.
    """

    def __init__(self) -> None:
        self.markers: Sequence[Marker] = ()
        self._keys: list[int] = []
        self._sums: list[int] = []
        self._known: dict[tuple[int, Hashable], int] = {}
        self._same = 0
        self._replaced: list[int] = []  # keys that were sent behind the first `_same` ones

    def __len__(self) -> int:
        return len(self._keys)

    def append(self, block: Hashable, tokens: int) -> None:
        """Add a block at the end: what identifies it, and what it costs."""
        before = self._keys[-1] if self._keys else 0
        self._keys.append(self._known.setdefault((before, block), len(self._known) + 1))
        self._sums.append(self.total + tokens)

    def cut(self, length: int) -> None:
        """Keep only the first so many blocks."""
        if length < self._same:
            self._replaced[:0] = self._keys[length : self._same]
            self._same = length
        del self._keys[length:], self._sums[length:]

    def sent(self) -> int:
        """Note that it was sent as it is. Returns the tokens at its start that were sent the time before, too."""
        again = zip(self._keys[self._same :], self._replaced, strict=False)
        same = self._same + sum(1 for _ in takewhile(lambda keys: keys[0] == keys[1], again))
        self._same, self._replaced = len(self._keys), []
        return self._sums[same - 1] if same else 0

    @property
    def total(self) -> int:
        """Tokens of all blocks."""
        return self._sums[-1] if self._sums else 0

    def key(self, block: int, /) -> int:
        """The identity of all up to and including this block: the same number for the same blocks."""
        return self._keys[block]

    def tokens(self, block: int, /) -> int:
        """Tokens up to and including this block."""
        return self._sums[block]

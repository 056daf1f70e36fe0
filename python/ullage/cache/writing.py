"""`Writer`: real requests as prompts, each written from the first block on that differs from the one before."""

import json
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ullage import formats
from ullage._core import Estimator
from ullage.cache.prompt import Prompt
from ullage.cache.provider_cache import Marker
from ullage.fitting.layout import cost, record_cost
from ullage.prefix.assembly import Assembly, Block, assemble
from ullage.prefix.sent import named_fields, sent
from ullage.request import Request


class _Piece(NamedTuple):
    """A block: what identifies it, its tokens, and the life of its marker."""

    text: str
    tokens: int
    marker: int | None


class _Unit(NamedTuple):
    """The blocks of a message, or of all before the messages; and whether one of them has a marker."""

    pieces: list[_Piece]
    marked: bool

    def costs_as(self, other: "_Unit") -> bool:
        """Whether another one has the same blocks, markers apart, that cost the same."""
        mine, theirs = self.pieces, other.pieces
        return self is other or (
            len(mine) == len(theirs) and all(one[:2] == two[:2] for one, two in zip(mine, theirs, strict=True))
        )


class Writer:
    """Puts requests of one session, or of several in turns, into one prompt after the other.

    Args:
        estimator: of texts.

    Attributes:
        prompt: the request that was written last.
        ends: for each message of it, the number of blocks up to its end.
        prelude: blocks before its messages.
    """

    def __init__(self, estimator: Estimator) -> None:
        self.prompt = Prompt()
        self.ends: list[int] = []
        self.prelude = 0
        self._estimate = estimator.estimate
        self._units: list[_Unit] = []
        self._known: dict[int, tuple[object, _Unit]] = {}
        self._sent: dict[str, list[int]] = {}
        self._leading = 0

    def write(self, request: Request) -> bool:
        """Write a request. Returns whether it has markers of its own, which are then set."""
        assembly = assemble(request.value, request.format)
        units = [self._prelude(request, assembly)]
        units += (self._message(assembly, index) for index in range(len(assembly.messages)))
        same = 0
        while same < min(len(self._units), len(units)) and units[same].costs_as(self._units[same]):
            same += 1
        ends = [*accumulate(len(unit.pieces) for unit in units)]
        self.prompt.cut(ends[same - 1] if same else 0)
        for unit in units[same:]:
            for piece in unit.pieces:
                self.prompt.append(piece.text, piece.tokens)
        self.prompt.markers = _markers(units, ends, assembly.marker)
        self.prelude, *self.ends = ends
        self._units, self._leading = units, assembly.leading
        return bool(self.prompt.markers)

    def breaks(self) -> bool:
        """Whether the request that was written changes the one before it in its conversation; it is then the next.

        Of one conversation are those with the same first message that is not the system's. So a change in the system
        prompt or the tools is a break, and another conversation is not, nor is one that is asked again from earlier on
        with nothing new.
        """
        if not len(self.prompt):
            return False
        opening = next(iter(self._units[1 + self._leading :]), self._units[0])
        name = "\n".join(_texts(opening))
        keys = [self.prompt.key(block) for block in range(len(self.prompt))]
        before = self._sent.get(name)
        self._sent[name] = keys
        if before is None:
            return False
        same = min(len(keys), len(before)) - 1
        return keys[same] != before[same]

    def _prelude(self, request: Request, assembly: Assembly) -> _Unit:
        shape = formats.named(request.format)
        totals = {"tools": cost(shape.tools(request.tools), self._estimate), "settings": 0, "system": 0}
        if request.system is not None:
            totals["system"] = record_cost(shape.system(request.system), self._estimate)
        blocks = assembly.prelude
        found = [
            piece for zone, total in totals.items() for piece in _pieces([b for b in blocks if b.zone == zone], total)
        ]
        by_text = {piece.text: piece for piece in found}
        return _unit([by_text[_text(block)] for block in blocks])

    def _message(self, assembly: Assembly, index: int) -> _Unit:
        message = assembly.messages[index]
        known = self._known.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        tokens = record_cost(formats.named(assembly.format).read(message, f"messages[{index}]"), self._estimate)
        unit = _unit(_pieces(assembly.message(index), tokens))
        self._known[id(message)] = (message, unit)
        return unit


def _unit(pieces: list[_Piece]) -> _Unit:
    return _Unit(pieces, any(piece.marker is not None for piece in pieces))


def _texts(unit: _Unit) -> list[str]:
    return [piece.text for piece in unit.pieces]


def _markers(units: Sequence[_Unit], ends: Sequence[int], whole: int | None) -> list[Marker]:
    """The markers on blocks, and the one on the request itself, which is one on its last block."""
    markers = [
        Marker(end - len(unit.pieces) + at, piece.marker)
        for unit, end in zip(units, ends, strict=True)
        if unit.marked
        for at, piece in enumerate(unit.pieces)
        if piece.marker is not None
    ]
    if whole is not None and ends[-1] and (not markers or markers[-1].block < ends[-1] - 1):
        markers.append(Marker(ends[-1] - 1, whole))
    return markers


def _pieces(blocks: Sequence[Block], tokens: int) -> list[_Piece]:
    """Blocks that together cost so many tokens, each by the length of its text."""
    texts = [_text(block) for block in blocks]
    whole, done, before, pieces = sum(map(len, texts)), 0, 0, []
    for block, text in zip(blocks, texts, strict=True):
        done += len(text)
        upto = round(tokens * done / whole)
        pieces.append(_Piece(text, upto - before, block.marker))
        before = upto
    return pieces


def _text(block: Block) -> str:
    """What identifies a block: all that is sent there, without markers."""
    return json.dumps([block.zone, block.frame, sent(block.value)], default=_plain, ensure_ascii=False)


def written(value: object) -> str:
    """A value of a request as it is sent, without markers."""
    return json.dumps(sent(value), default=_plain, ensure_ascii=False)


def _plain(value: object) -> object:
    """The fields of an object; of what has none, its representation."""
    named = named_fields(value)
    return repr(value) if named is None else dict(named)

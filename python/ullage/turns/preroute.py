"""`preroute`: whether what a phrase points at can be fetched at once, before anything that costs a model call.

It would rather fall through than fetch the wrong thing: any doubt is a reason to leave the phrase to what comes after.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ullage.turns.fold import is_mark, tokens
from ullage.turns.memory import Entity, TurnMemory
from ullage.turns.resolve import LANGUAGES, Resolution, resolve
from ullage.turns.words import Words

MOST_WORDS = 10
"""A longer phrase asks for more than what it points at."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a phrase goes first.

    Attributes:
        action: "fetch" what the ids say, or "fall through" to what would be done without this.
        ids: what to fetch; none where it falls through.
        entities: what it is about; none where it falls through.
        why: the reason, as a sentence.
        resolution: what the phrase was resolved to, in either case.
    """

    action: Literal["fetch", "fall through"]
    ids: tuple[str, ...]
    entities: tuple[Entity, ...]
    why: str
    resolution: Resolution


def preroute(
    phrase: str,
    memory: TurnMemory | None,
    *,
    named: Sequence[Entity] = (),
    turn: int | None = None,
    languages: Sequence[Words] = LANGUAGES,
) -> Route:
    """Say whether to fetch at once what a phrase points at. Arguments and errors are those of `resolve`.

    It is fetched where the phrase points at the turn before, names nothing, points once or at several places of one
    list, and has at most 10 words.

    >>> from ullage import Entity, TurnMemory, preroute
    >>> memory = TurnMemory(3, "list", visible=(Entity("h7", "Girona"), Entity("h2", "Palamós")), result_ids=("q19",))
    >>> route = preroute("Abre el segundo, por favor", memory, turn=4)
    >>> route.action, route.ids, route.why
    ('fetch', ('h2',), "'el segundo' points at turn 3")
    >>> preroute("compáralo con Girona", memory).why
    "the phrase names Girona and points at the turn before ('comparalo')"
    >>> preroute("el primero", None).action
    'fall through'
    """
    found = resolve(phrase, memory, named=named, turn=turn, languages=languages)
    targets = {signal.target for signal in found.signals}
    words = sum(not is_mark(token) for token in tokens(phrase))
    doubt = None
    if found.source == "none":
        doubt = found.why
    elif found.source == "phrase":
        pointing = " and ".join(repr(signal.words) for signal in found.signals)
        doubt = f"{found.why} and points at the turn before ({pointing})" if pointing else found.why
    elif words > MOST_WORDS:
        doubt = f"the phrase has {words} words, and asks for more than what it points at"
    elif any(signal.excluded for signal in found.signals):
        doubt = "the phrase takes something away, and asks for more than what it points at"
    elif len(targets) > 1 or (len(found.signals) > 1 and targets != {"places"}):
        doubt = f"the phrase points at several things: {', '.join(repr(signal.words) for signal in found.signals)}"
    if doubt is not None:
        return Route("fall through", (), (), doubt, found)
    return Route("fetch", found.ids, found.entities, found.why, found)

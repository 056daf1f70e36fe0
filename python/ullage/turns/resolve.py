"""`resolve`: what a phrase is about. What it names wins; the turn before is asked only where nothing is named.

No model is called, and nothing is guessed: where a reference could mean several things, it means none, and `why` says
so. The same phrase and memory give the same resolution on every machine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import punctuation
from typing import Literal, TypeAlias

from ullage.arguments import whole_number
from ullage.turns.fold import name_tokens, split
from ullage.turns.memory import Entity, TurnMemory, as_entities, as_memory
from ullage.turns.signals import Signal, find
from ullage.turns.words import Words

Source: TypeAlias = Literal["phrase", "memory", "none"]

LANGUAGES = (Words.ENGLISH, Words.SPANISH)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a phrase is about.

    Attributes:
        source: "phrase" where it names it, "memory" where it points at it, "none" where it does neither.
        entities: what it is about.
        ids: what to fetch: those of the last result where the phrase is about all of it, else those of the entities.
        named: what the phrase names.
        signals: where it points at the turn before, whether or not that is known.
        why: how this was found, or why nothing was, as a sentence.
        memory: the digest of the memory that was given; None without one.
        turn: the number of the turn that the phrase begins, where it was given.
    """

    source: Source
    entities: tuple[Entity, ...]
    ids: tuple[str, ...]
    named: tuple[Entity, ...]
    signals: tuple[Signal, ...]
    why: str
    memory: str | None
    turn: int | None


def resolve(
    phrase: str,
    memory: TurnMemory | None,
    *,
    named: Sequence[Entity] = (),
    turn: int | None = None,
    languages: Sequence[Words] = LANGUAGES,
) -> Resolution:
    """Find what a phrase is about: what it names, and only else what it points at in the turn before.

    Args:
        phrase: what the user said, in any case, with accents or without.
        memory: of the turn before; None where there is none.
        named: what you have found named in the phrase, by your own means. Names in the memory are found without.
        turn: the number of the turn that this phrase begins. A memory of any turn but the one before is not used. By
            default, the memory is taken to be of the turn before.
        languages: the words of each language that the phrase may be in.

    Raises:
        TypeError: when a value is of a wrong type.
        ValueError: when the turn is negative.
        InvalidMemory: when an entity that is named has a blank id or name.

    >>> from ullage import Entity, TurnMemory, resolve
    >>> harbours = (Entity("h7", "Girona"), Entity("h2", "Palamós"), Entity("h5", "Roses"))
    >>> memory = TurnMemory(3, "list", visible=harbours, result_ids=("q19",))
    >>> resolve("Muéstrame el primero", memory).entities
    (Entity(id='h7', name='Girona', kind=''),)
    >>> resolve("crúzalo con el coste", memory).ids
    ('q19',)
    >>> resolve("and the last two?", memory).ids
    ('h2', 'h5')
    >>> resolve("the first one, but in PALAMOS", memory).source  # what is named wins
    'phrase'
    >>> resolve("that is great", memory).why
    'the phrase neither names anything known nor points at the turn before'
    """
    if not isinstance(phrase, str):
        raise TypeError(f"phrase must be str, not {type(phrase).__name__}")
    memory = as_memory(memory)
    if turn is not None:
        whole_number("turn", turn, 0)
    languages = _languages(languages)
    words = split(phrase)
    shown = () if memory is None else (*memory.visible, *memory.entities)
    signals = find(words, languages, sorted({entity.kind for entity in shown if entity.kind}))
    mentioned = _unique((*as_entities(named, "named"), *_mentioned(name_tokens(phrase), shown, languages)))
    digest = None if memory is None else memory.digest

    def none(why: str) -> Resolution:
        return Resolution("none", (), (), mentioned, signals, why, digest, turn)

    if mentioned:
        names = ", ".join(entity.name for entity in mentioned)
        ids = tuple(entity.id for entity in mentioned)
        return Resolution("phrase", mentioned, ids, mentioned, signals, f"the phrase names {names}", digest, turn)
    if not signals:
        return none("the phrase neither names anything known nor points at the turn before")
    if memory is None:
        return none(f"{_pointing(signals)} at the turn before, and there is no memory of it")
    if turn is not None and memory.turn != turn - 1:
        return none(f"{_pointing(signals)} at turn {turn - 1}, and the memory is of turn {memory.turn}")
    meant = [signal for signal in signals if not signal.excluded]
    if len(meant) < len(signals) and not (meant and all(signal.target in ("places", "one") for signal in meant)):
        taken_away = next(signal for signal in signals if signal.excluded)
        return none(f"{taken_away.words!r}: the phrase takes it away, and what is left is not said")
    found: list[Entity] = []
    ids_found: list[str] = []
    for signal in meant:
        pointed = _pointed(signal, memory)
        if isinstance(pointed, str):
            return none(f"{signal.words!r}: {pointed}")
        found += pointed
        whole = signal.target == "result" or (signal.target == "all" and not signal.kind)
        ids_found += memory.result_ids if whole and memory.result_ids else [entity.id for entity in pointed]
    if not ids_found:
        return none(f"{_pointing(signals)} at a turn that showed nothing")
    why = f"{_pointing(meant)} at turn {memory.turn}"
    return Resolution("memory", _unique(found), tuple(dict.fromkeys(ids_found)), (), signals, why, digest, turn)


def _pointed(signal: Signal, memory: TurnMemory) -> Sequence[Entity] | str:
    """What a signal points at, or why that is not known."""
    shown = [entity for entity in memory.visible if not signal.kind or entity.kind == signal.kind]
    if signal.target == "result":
        if signal.kind and signal.kind != memory.output:
            return f"the turn before gave a {memory.output}, not a {signal.kind}"
        return memory.entities or memory.visible
    if signal.target == "places":
        return _at_places(signal, shown)
    if signal.target == "one":
        pool = shown or [entity for entity in memory.entities if not signal.kind or entity.kind == signal.kind]
        return pool if len(pool) == 1 else f"it is one of {len(pool)}, and the phrase does not say which"
    pool = shown or list(memory.entities)
    if signal.count is not None and signal.count != len(pool):
        return f"it is {signal.count}, and {len(pool)} were shown"
    return pool


def _at_places(signal: Signal, shown: list[Entity]) -> Sequence[Entity] | str:
    if signal.count is None:
        return "the phrase does not say how many"
    start = signal.place - 1 if signal.place > 0 else len(shown) + signal.place + 1 - signal.count
    if signal.place < -1:
        start = len(shown) + signal.place
    if start < 0 or start + signal.count > len(shown):
        return f"only {len(shown)} were shown" if shown else "nothing was shown to count in"
    return shown[start : start + signal.count]


def _mentioned(phrase: tuple[str, ...], known: Iterable[Entity], languages: Iterable[Words]) -> list[Entity]:
    """Those of the known that the phrase names, in the order of the phrase; what is inside a longer name is not."""
    functional = frozenset[str]().union(*(words.functional for words in languages))

    def means_little(token: str) -> bool:
        return token in functional or not token.strip(punctuation) or (token.isdigit() and len(token) < 3)

    begins: dict[str, list[int]] = {}
    for at, token in enumerate(phrase):
        begins.setdefault(token, []).append(at)
    places: list[tuple[int, int, Entity]] = []
    for entity in known:
        name = name_tokens(entity.name)
        if all(map(means_little, name)):
            continue  # a film may be called "The First"
        starts = (at for at in begins.get(name[0], ()) if phrase[at : at + len(name)] == name)
        places += ((at, at + len(name), entity) for at in starts)
    found: list[Entity] = []
    longest = (0, 0)
    for start, stop, entity in sorted(places, key=lambda place: (place[0], -place[1])):
        if stop > longest[1]:
            longest = (start, stop)
        if (start, stop) == longest:
            found.append(entity)
    return found


def _languages(languages: Iterable[Words]) -> tuple[Words, ...]:
    if isinstance(languages, str | Words) or not isinstance(languages, Iterable):
        raise TypeError(f"languages must be several Words, not {type(languages).__name__}")
    languages = tuple(languages)
    for index, words in enumerate(languages):
        if not isinstance(words, Words):
            raise TypeError(f"languages[{index}] must be a Words, not {type(words).__name__}")
    return languages


def _unique(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(dict.fromkeys(entities))


def _pointing(signals: Sequence[Signal]) -> str:
    """The signals and their verb, such as "'the first' and 'the last' point"."""
    return f"{' and '.join(repr(signal.words) for signal in signals)} point{'s' * (len(signals) == 1)}"

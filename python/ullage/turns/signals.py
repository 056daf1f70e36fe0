"""Signs in a phrase that it points at the turn before. Only strong ones: what may be something else is none.

"The first one" points, "the first time" does not; "show me that" does, "that is great" does not. So a word counts only
together with what stands around it, and what follows must be among the words that may.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ullage.turns.fold import fold, is_mark, tokens
from ullage.turns.words import Words

Target: TypeAlias = Literal["places", "one", "all", "result"]

_MASKED = "\0masked"
_NEAR = 3  # words between an exclusion and what it turns round, at most
_ORDINAL = re.compile(r"(\d{1,3})\.?([^\W\d_]+)")
_COUNT = re.compile(r"\d{1,3}")


class Signal(NamedTuple):
    """One sign that a phrase points at the turn before.

    Attributes:
        words: as they were found, folded.
        target: at what: "places" in what was shown, "one" thing, "all" things, or the "result" as a whole.
        place: of the first, from 1; -1 for the last ones. 0 where it is no place.
        count: how many; None where the phrase does not say.
        kind: of the output or of the things, where the phrase says it.
        excluded: whether the phrase turns it round, as in "all but the last".
        start: the place of its first word among the words of the phrase.
        stop: one past its last word.
    """

    words: str
    target: Target
    place: int
    count: int | None  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    kind: str
    excluded: bool
    start: int
    stop: int


def find(phrase: Sequence[str], languages: Iterable[Words], kinds: Iterable[str] = ()) -> tuple[Signal, ...]:
    """The signals of a phrase, in order; where two languages find one in the same words, it is that of the first.

    Args:
        phrase: its words, with their accents.
        languages: the words of each language that it may be in.
        kinds: of the things that were shown, each in the singular.
    """
    found: list[Signal] = []
    taken: set[int] = set()
    for words in languages:
        for signal in _Reader(phrase, words, kinds).signals():
            places = range(signal.start, signal.stop)
            if taken.isdisjoint(places):
                found.append(signal)
                taken.update(places)
    return tuple(sorted(found, key=lambda signal: signal.start))


class _Reader:
    def __init__(self, phrase: Sequence[str], words: Words, kinds: Iterable[str]) -> None:
        self._words = words
        self._shown = tuple(map(fold, phrase))
        self._phrase = _masked(self._shown, words.idioms)
        for at, word in enumerate(phrase):
            if word in words.homographs:
                self._phrase[at] = _MASKED
        self._kinds = {form: fold(kind) for kind in kinds for form in _forms(fold(kind))}
        self._led = self._leading()
        self._plurals = not words.articles.isdisjoint(words.many)
        self._core = [at for at, token in enumerate(self._shown) if not is_mark(token) and token not in words.fillers]

    def signals(self) -> Iterator[Signal]:
        at = 0
        matchers = (self._places, self._group, self._shown_noun, self._verb, self._clitic, self._of, self._alone)
        while at < len(self._phrase):
            tried = () if is_mark(self._phrase[at]) else matchers
            found = next((signal for match in tried if (signal := match(at)) is not None), None)
            if found is None:
                at += 1
                continue
            found = self._with_of(found)
            yield found
            numbered = self._numbered(found.start, found.start + self._determined(found.start)) is not None
            at = found.stop
            while (joined := self._joined(found, numbered=numbered)) is not None:
                yield joined
                found, at = joined, joined.stop

    def _at(self, at: int) -> str:
        return self._phrase[at] if 0 <= at < len(self._phrase) else ""

    def _signal(
        self, target: Target, start: int, stop: int, *, place: int = 0, count: int | None = None, kind: str = ""
    ) -> Signal:
        excluded = False
        for at in range(start - 1, max(-1, start - 1 - _NEAR), -1):
            if is_mark(self._phrase[at]):
                break
            excluded = excluded or self._phrase[at] in self._words.exclusions
        return Signal(" ".join(self._shown[start:stop]), target, place, count, kind, excluded, start, stop)

    def _ends(self, at: int, *, linking: bool = False) -> bool:
        """Whether a reference may end before this word."""
        words, token = self._words, self._at(at)
        if not token or is_mark(token) or token in words.after or (linking and token in words.linking):
            return True
        if token not in words.of:
            return False
        following = self._at(at + 1)
        determined = following in words.articles or following in words.demonstratives
        return following in words.plural or (determined and self._at(at + 2) in words.outputs)

    def _leading(self) -> list[bool]:
        """For each word, whether only words of asking stand before it in its clause.

        A pronoun behind anything else stands for that: "shut down the server and restart it".
        """
        words = self._words
        asking = words.fillers | words.auxiliaries | words.exclusions | words.datives
        led = [True]
        for token in self._phrase:
            led.append(is_mark(token) or (led[-1] and token in asking))
        return led

    def _opens(self, start: int) -> bool:
        """Whether a number may stand for something that was shown: "open #2", but not "example #2"."""
        words, before = self._words, self._at(start - 1)
        known = (words.fillers, words.joins, words.of, words.prepositions, words.after, words.linking, words.datives)
        return not before or is_mark(before) or self._is_verb(before) or any(before in group for group in known)

    def _is_noun(self, token: str) -> bool:
        return token in self._words.nouns or token in self._kinds

    def _is_many(self, token: str) -> bool:
        return token in self._words.many or (token in self._kinds and token != self._kinds[token])

    def _number(self, token: str) -> int | None:
        return int(token) if _COUNT.fullmatch(token) else self._words.numbers.get(token)

    def _ordinal(self, token: str) -> int | None:
        written = _ORDINAL.fullmatch(token)
        if written is not None and written[2] in self._words.suffixes:
            return int(written[1]) or None
        return self._words.ordinals.get(token)

    def _is_verb(self, token: str) -> bool:
        """Whether it is a verb, with a dative written at its end or without."""
        return any(token.removesuffix(dative) in self._words.verbs for dative in ("", *self._words.datives))

    def _determined(self, at: int) -> bool:
        return self._at(at) in self._words.articles or self._at(at) in self._words.demonstratives

    def _places(self, start: int) -> Signal | None:
        """As in "The first one", "los dos últimos", "row 3", "#3"."""
        determined = self._determined(start)
        at = start + determined
        numbered = self._numbered(start, at)
        if numbered is not None:
            return numbered
        noun = self._at(at) if self._is_noun(self._at(at)) and determined else ""
        at += bool(noun)
        count = self._number(self._at(at)) if determined and not noun else None
        at += count is not None
        place = self._ordinal(self._at(at))
        if place is None:
            return None
        ordinal, at = self._at(at), at + 1
        if count is None and (count := self._number(self._at(at))) is not None:
            if self._at(at) in self._words.nouns:  # "the first one" is one of several, and so it counts as a noun
                count = None
            else:
                at += 1
        if count is not None and (count < 1 or (place not in (1, -1) and count > 1)):
            return None
        if not noun and self._is_noun(self._at(at)):
            noun, at = self._at(at), at + 1
        whole = self._core == [start]
        if ordinal in self._words.edges and not noun and count is None:
            return None
        if noun and self._at(at) in self._words.relatives:
            return None  # "the first one that is open" is the first of those
        if not (determined or noun or count is not None or whole) or not (noun or self._ends(at, linking=determined)):
            return None
        if count is None and not any(map(self._is_many, (noun, ordinal, self._at(start) if determined else ""))):
            count = 1
        return self._signal("places", start, at, place=place, count=count, kind=self._kinds.get(noun, ""))

    def _numbered(self, start: int, at: int) -> Signal | None:
        token = self._at(at)
        if token.startswith("#") and _COUNT.fullmatch(token[1:]):
            place, stop = int(token[1:]), at + 1
        elif token in self._words.counters or (token in self._kinds and token == self._kinds[token]):
            place, stop = self._number(self._at(at + 1)) or 0, at + 2
        else:
            return None
        if not place or not self._ends(stop, linking=True) or not (at > start or self._opens(start)):
            return None
        return self._signal("places", start, stop, place=place, count=1, kind=self._kinds.get(token, ""))

    def _with_of(self, found: Signal) -> Signal:
        """With "of them" or "of the list" behind it, which is no reference of its own."""
        stop = found.stop
        if found.target != "places" or self._at(stop) not in self._words.of or not self._ends(stop):
            return found
        stop += 2 if self._at(stop + 1) in self._words.plural else 3
        return found._replace(words=" ".join(self._shown[found.start : stop]), stop=stop)

    def _joined(self, before: Signal, *, numbered: bool) -> Signal | None:
        """As in "and last" behind "the first", ", second" behind it, "and 3" behind "option 1"."""
        start = before.stop + (self._at(before.stop) == ",")
        start += self._at(start) in self._words.joins
        if before.target != "places" or start == before.stop:
            return None
        at = start + (numbered and self._determined(start))
        token, stop = self._at(at), at + 1
        place = self._number(token.removeprefix("#")) if numbered else self._ordinal(token)
        noun = self._at(stop) if self._is_noun(self._at(stop)) else ""
        if not place or not (noun or self._ends(stop, linking=True)):
            return None
        kind = self._kinds.get(noun, before.kind)
        signal = self._signal("places", start, stop + bool(noun), place=place, count=1, kind=kind)
        return signal._replace(excluded=signal.excluded or before.excluded)

    def _group(self, start: int) -> Signal | None:
        """As in "Those two", "compare the two"."""
        count = self._number(self._at(start + 1)) if self._determined(start) else None
        if count is None or count < 2:
            return None
        if self._plurals and not self._is_many(self._at(start)):
            return None  # "la 3" is one
        stop = start + 2
        noun = self._at(stop) if self._is_noun(self._at(stop)) else ""
        if not noun and self._at(start) not in self._words.demonstratives:
            before = self._at(start - 1)
            # "At the two" and "a las dos" are something else.
            if before and not is_mark(before) and not self._is_verb(before) and before not in self._words.fillers:
                return None
        if not noun and not self._ends(stop):
            return None
        return self._signal("all", start, stop + bool(noun), count=count, kind=self._kinds.get(noun, ""))

    def _shown_noun(self, start: int) -> Signal | None:
        """As in "That table", "those results", "that one"."""
        noun = self._at(start + 1)
        if self._at(start) not in self._words.demonstratives:
            return None
        if noun in self._words.outputs:
            return self._signal("result", start, start + 2, kind=self._words.outputs[noun])
        if not self._is_noun(noun) or (noun in self._words.numbers and not self._ends(start + 2, linking=True)):
            return None  # "that one time"
        many = self._is_many(noun) or self._is_many(self._at(start))
        return self._signal("all" if many else "one", start, start + 2, kind=self._kinds.get(noun, ""))

    def _verb(self, start: int) -> Signal | None:
        """As in "Show me that", "sort them by price", "me lo puedes mostrar"."""
        words = self._words
        if self._is_verb(self._at(start)):
            at = start + 1
            at += self._at(at) in words.datives
            at += self._at(at) in words.prepositions
            return self._pronoun(start, at) if self._ends(at + 1) and self._led[start] else None
        at = start + (self._at(start) in words.datives)
        many = words.clitics.get(self._at(at))
        if many is None:
            return None
        asked = self._at(at + 1) in words.auxiliaries and (at > start or self._at(at + 2) in words.verbs)
        if not asked and not (at > start and self._at(at + 1) in words.verbs):
            return None
        if not self._led[start]:
            return None
        return self._signal("all" if many else "result", start, at + 2)

    def _pronoun(self, start: int, at: int) -> Signal | None:
        token = self._at(at)
        targets: tuple[tuple[frozenset[str], Target], ...] = (
            (self._words.singular, "result"),
            (self._words.one, "one"),
            (self._words.plural, "all"),
        )
        for pronouns, target in targets:
            if token in pronouns:
                return self._signal(target, start, at + 1, count=self._words.numbers.get(token))
        return None

    def _clitic(self, start: int) -> Signal | None:
        """As in "Crúzalo", "muéstramelos"."""
        token = self._at(start)
        if not self._led[start]:
            return None
        for clitic, many in self._words.clitics.items():
            if token.endswith(clitic) and self._is_verb(token.removesuffix(clitic)):
                return self._signal("all" if many else "result", start, start + 1)
        return None

    def _of(self, start: int) -> Signal | None:
        """As in "All of them", "show me all of them"."""
        words = self._words
        if self._at(start) not in words.quantifiers or self._at(start + 1) not in words.of:
            return None
        if self._at(start + 2) not in words.plural or not self._ends(start + 3):
            return None
        asked = start - (self._at(start - 1) in words.datives)
        if not self._led[start] and not (self._is_verb(self._at(asked - 1)) and self._led[asked - 1]):
            return None
        return self._signal("all", start, start + 3)

    def _alone(self, start: int) -> Signal | None:
        """As in "Those", as the whole phrase."""
        if self._core != [start] or self._at(start) not in self._words.alone:
            return None
        return self._pronoun(start, start)


def _masked(phrase: Sequence[str], idioms: Iterable[tuple[str, ...]]) -> list[str]:
    """The phrase without the words of idioms, which only look like references."""
    masked = list(phrase)
    for idiom in idioms:
        for start in range(len(masked) - len(idiom) + 1):
            if masked[start] == idiom[0] and tuple(masked[start : start + len(idiom)]) == idiom:
                masked[start : start + len(idiom)] = [_MASKED] * len(idiom)
    return masked


def _forms(kind: str) -> tuple[str, ...]:
    """A kind of thing in the singular and in the ways in which English and Spanish make a plural."""
    if len(tokens(kind)) != 1:
        return ()
    return (kind, f"{kind}s", f"{kind}es", *([f"{kind[:-1]}ies"] if kind.endswith("y") else []))

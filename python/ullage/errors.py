"""What ullage raises of its own. Wrong types are plain ``TypeError``; everything here says what, where and what to do.

UllageError
├── CannotFit (and ValueError)        a request cannot be made small enough: what is too large, by how much
├── InvalidBudget (and ValueError)    a budget without room for a request: the arithmetic
├── InvalidCorpus (and ValueError)    a corpus file cannot be used: the file, the line, the reason
├── InvalidHistory (and ValueError)   a message breaks a rule: its index, the path to the place, the rule
├── InvalidMemory (and ValueError)    a memory of a turn cannot be used: the path to the place, the reason
├── InvalidProfile (and ValueError)   a profile file is damaged, newer, or not a profile
├── InvalidTools (and ValueError)     tool definitions cannot be used: the path to the place, the reason
├── MissingTokenizer (and LookupError) a tokenizer is not on this machine: what would bring it
├── TurnConflict (and ValueError)     stages of one turn do not agree on what the user means: the rule
├── UnknownModel (and LookupError)    a model or provider is not known: the nearest known names
├── UnknownPhase (and LookupError)    there are no tools for a phase of that name: the names there are
└── UnusableSummary (and ValueError)  a summariser's answer is empty, or longer than what it would stand for
"""

import re
from collections.abc import Mapping


class UllageError(Exception):
    """The root of all errors that ullage defines."""


class InvalidCorpus(UllageError, ValueError):
    """A corpus file cannot be used: the sentence names the file, the line and the reason."""


class _Faulty(UllageError, ValueError):
    """Something cannot be used: the path to the place, and why not, without its full stop."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


class InvalidHistory(UllageError, ValueError):
    """A message breaks a rule.

    Attributes:
        path: the place of the fault, such as ``messages[12].content[1].text``.
        rule: the rule, as a sentence without its full stop.
    """

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(path, rule)
        self.path = path
        self.rule = rule

    @property
    def index(self) -> int | None:
        """The place of the message in the list, or None for what is not in a message (tools, say)."""
        found = re.match(r"messages\[(\d+)\]", self.path)
        return int(found[1]) if found else None

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}"


class InvalidBudget(UllageError, ValueError):
    """A budget leaves no room for a request."""


class CannotFit(UllageError, ValueError):
    """A request cannot be made small enough.

    Attributes:
        needed: tokens of the smallest valid request that the policy, or what sections keep, allows.
        limit: the most tokens that were allowed, by estimate.
        parts: tokens of what it is made of, the largest first: "tools", "first user message", "newest round", ..., or
            the names of sections.
        help: what would help, as a sentence.
    """

    def __init__(self, needed: int, limit: int, parts: Mapping[str, int], help: str) -> None:
        super().__init__(needed, limit, parts, help)
        self.needed = needed
        self.limit = limit
        self.parts = parts
        self.help = help

    @property
    def over(self) -> int:
        """Tokens above the limit."""
        return self.needed - self.limit

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {tokens:,}" for name, tokens in self.parts.items())
        return (
            f"the request cannot be made smaller than {self.needed:,} tokens, {self.over:,} above the limit of "
            f"{self.limit:,} ({listed}). {self.help}"
        )


class InvalidProfile(UllageError, ValueError):
    """A profile file cannot be used: the sentence says why, and what to do."""


class InvalidMemory(_Faulty):
    """A memory of a turn cannot be used.

    Attributes:
        path: the place of the fault, such as ``visible[2].id``; empty for all of it.
        why: what is wrong there, without its full stop.
    """

    def __str__(self) -> str:
        return f"{self.path or 'the memory'} {self.why}"


class InvalidTools(_Faulty):
    """Tool definitions cannot be used.

    Attributes:
        path: the place of the fault, such as ``phases['act'][2]``.
        why: what is wrong there, without its full stop.
    """


class MissingTokenizer(UllageError, LookupError):
    """A tokenizer is not on this machine: the sentence says what would bring it."""


class TurnConflict(UllageError, ValueError):
    """Stages of one turn do not agree on what the user means.

    Attributes:
        rule: a short name, such as "hint-and-name".
        sentence: what is wrong, and what to do, without its full stop.
    """

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(rule, sentence)
        self.rule = rule
        self.sentence = sentence

    def __str__(self) -> str:
        return f"{self.rule}: {self.sentence}."


class UnknownModel(UllageError, LookupError):
    """No profile, or no cache rules, are known for a model or provider: the sentence names the nearest known ones."""


class UnknownPhase(UllageError, LookupError):
    """There are no tools for a phase of that name: the sentence names the phases that there are."""


class UnusableSummary(UllageError, ValueError):
    """What a summariser wrote cannot stand for the messages.

    Attributes:
        why: what is wrong with it, as a sentence without its full stop.
        summary: what it wrote.
    """

    def __init__(self, why: str, summary: str) -> None:
        super().__init__(why, summary)
        self.why = why
        self.summary = summary

    def __str__(self) -> str:
        return f"{self.why}; the history stays as it is"

"""`chat_sections`: the sections of an agent that talks, and the order in which they fall."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from ullage.budgets.keep import Keep, LowestScoreFirst, Never, OldestFirst, Truncate, Whole
from ullage.budgets.section import Changes, Item, Section

Items: TypeAlias = str | Item | Iterable[object]


class _Default(NamedTuple):
    priority: int
    keep: Keep
    changes: Changes


DEFAULTS: dict[str, _Default] = {
    "instructions": _Default(70, Never(), "never"),
    "knowledge": _Default(70, Never(), "never"),
    "profile": _Default(40, LowestScoreFirst(), "session"),
    "summary": _Default(50, Whole(), "session"),
    "history": _Default(10, OldestFirst(into="summary"), "turn"),
    "memories": _Default(20, LowestScoreFirst(), "request"),
    "documents": _Default(30, LowestScoreFirst(), "request"),
    "question": _Default(60, Truncate(), "request"),
}
"""In the order in which they are sent."""


def chat_sections(
    *,
    instructions: Items | None = None,
    knowledge: Items | None = None,
    profile: Items | None = None,
    summary: Items | None = None,
    history: Items | None = None,
    memories: Items | None = None,
    documents: Items | None = None,
    question: Items | None = None,
    quotas: Mapping[str, int | float] | None = None,
) -> list[Section]:
    """The sections of a chat agent, with priorities for what falls first.

    The oldest turns of the history fall first (they belong into the summary), then the memories of the lowest score,
    the documents of the lowest score, the profile from its tail, and the summary. Instructions and knowledge base never
    do. The question does not either, but is cut, with a mark, if it is too long by itself.

    Args:
        instructions: what is always said first.
        knowledge: the knowledge base that is always sent.
        profile: what is known of the user.
        summary: of what the history no longer holds.
        history: messages, or texts.
        memories: with scores.
        documents: with scores.
        question: the newest.
        quotas: by name, in tokens (int) or as shares (float). Without one, a section asks for all that it has, so that
            one falls whole before the next gives anything.

    Returns:
        Those that are given; `dataclasses.replace` changes one.

    Raises:
        TypeError: when items are not items, or quotas no dict.
        ValueError: when there is no section of a quota's name.

    >>> from ullage import allocate, chat_sections
    >>> sections = chat_sections(
    ...     instructions="Answer in one sentence.",
    ...     history=["How high is the tide? " * 20, "Four metres. " * 20],
    ...     documents=["Tide tables of the harbour. " * 20],
    ...     question="And tomorrow?",
    ... )
    >>> {name: share.tokens for name, share in allocate(sections, 230).sections.items()}
    {'instructions': 6, 'history': 65, 'documents': 140, 'question': 4}
    """
    given = {
        "instructions": instructions,
        "knowledge": knowledge,
        "profile": profile,
        "summary": summary,
        "history": history,
        "memories": memories,
        "documents": documents,
        "question": question,
    }
    quotas = {} if quotas is None else quotas
    if not isinstance(quotas, Mapping):
        raise TypeError(f"quotas must be a dict by the names of sections, not {type(quotas).__name__}")
    for name in quotas:
        if name not in given:
            raise ValueError(f"there is no section {name!r} to have a quota; there are: {', '.join(given)}")
    return [
        Section(name, items, quotas.get(name), *default[:2], changes=default.changes)
        for (name, default), items in zip(DEFAULTS.items(), given.values(), strict=True)
        if items is not None
    ]

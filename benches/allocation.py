"""What sharing out a budget costs: 10,000 texts in five sections, of which two thirds leave."""

import random

from benches import timing
from ullage import Budget, Item, Never, OldestFirst, Section, Truncate, allocate, estimator

WORDS = ("the", "room", "left", "in", "a", "vessel", "is", "what", "an", "answer", "may", "take", "of", "it")


NAMES = ("allocate, script", "estimate_batch, script", "allocate, o200k_base", "estimate_batch, o200k_base")
"""What is timed."""


def sections(count):
    """Sections with so many items together, the same on every machine."""
    source = random.Random(count)

    def text(words):
        return " ".join(source.choices(WORDS, k=words))

    documents = [Item(text(source.randrange(20, 50)), source.random()) for _ in range(count // 2)]
    memories = [Item(text(10), source.random()) for _ in range(count * 3 // 10)]
    history = [text(30) for _ in range(count // 5 - 2)]
    return [
        Section("instructions", text(500), keep=Never(), changes="never"),
        Section("history", history, quota=0.3, priority=10, keep=OldestFirst(), changes="turn"),
        Section("memories", memories, quota=0.1, priority=20),
        Section("documents", documents, quota=0.4, priority=30),
        Section("question", text(20), priority=60, keep=Truncate()),
    ]


def times(*, count=10_000, rounds=40):
    """Seconds of an allocation by the script rule and by a profile, each with all estimates, and of these alone."""
    made = sections(count)
    assert sum(len(section.items) for section in made) == count
    total = sum(share.wanted for share in allocate(made, 1 << 30).sections.values())
    budget = Budget(total // 3)
    timers = {}
    names = iter(NAMES)
    for name in ("script", "o200k_base"):
        chosen = estimator.Estimator(profile=name)
        shared = allocate(made, budget, estimator=chosen)
        assert shared.tokens <= budget.room
        texts = [item.content if isinstance(item, Item) else item for section in made for item in section.items]
        timers[next(names)] = timing.call(allocate_by, chosen, made, budget)
        timers[next(names)] = timing.call(chosen.estimate_batch, texts)
    return timing.interleave(timers, rounds=rounds)


def allocate_by(chosen, made, budget):
    """One allocation."""
    return allocate(made, budget, estimator=chosen)

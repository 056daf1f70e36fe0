"""How far the choice by score is from the best: ``python -m benches.choice`` prints the table of docs/budgets.md.

Each set has documents of 50 to 2,000 tokens and their scores, and a share of their tokens as room. The reference is a
bound that no choice exceeds (the best with a fraction of one document), so what is said to be missing is at most that.
"""

import random
import statistics
import time

from ullage import Item, LowestScoreFirst, Section, allocate

KINDS = {
    "scores that do not depend on length": lambda random, tokens: random.random(),
    "a few good ones, and many that are not": lambda random, tokens: random.betavariate(0.5, 3),
    "longer ones score higher": lambda random, tokens: tokens / 2_000 * random.uniform(0.8, 1.2),
    "all nearly the same": lambda random, tokens: random.uniform(0.75, 0.85),
}
COUNTS = (20, 200, 10_000)
SHARES = (0.1, 0.3, 0.6)


def made(kind, count, seed):
    """Items of one kind; the same on every machine."""
    source = random.Random(f"{kind} {count} {seed}")
    tokens = [min(2_000, max(50, int(source.lognormvariate(6, 0.8)))) for _ in range(count)]
    return [Item(None, KINDS[kind](source, number), number) for number in tokens]


def bound(items, room):
    """What no choice exceeds: items by score per token, and a fraction of the first that does not fit."""
    total = 0.0
    for item in sorted(items, key=lambda item: item.score / item.tokens, reverse=True):
        if item.tokens > room:
            return total + item.score * room / item.tokens
        room -= item.tokens
        total += item.score
    return total


def score(items, room, choice):
    """The sum of the scores of what stays, and the seconds that it took."""
    start = time.perf_counter()
    left = allocate([Section("documents", items, keep=LowestScoreFirst(choice))], room).receipt.entries
    seconds = time.perf_counter() - start
    gone = {at for entry in left for at in range(entry.start, entry.stop)}
    return sum(item.score for at, item in enumerate(items) if at not in gone), seconds


def rows(*, counts=COUNTS, seeds=10):
    """(kind, count, share of the bound that greedy reaches, that best reaches, its slowest seconds), of all rooms."""
    for kind in KINDS:
        for count in counts:
            reached = {"greedy": [], "best": []}
            slowest = 0.0
            for seed in range(seeds if count < 10_000 else 1):
                items = made(kind, count, seed)
                total = sum(item.tokens for item in items)
                for share in SHARES:
                    room = int(total * share)
                    most = bound(items, room)
                    for choice, shares in reached.items():
                        value, seconds = score(items, room, choice)
                        shares.append(value / most)
                        if choice == "best":
                            slowest = max(slowest, seconds)
            yield kind, count, statistics.mean(reached["greedy"]), statistics.mean(reached["best"]), slowest


def main():
    """Print the table."""
    print("| documents | | greedy | best | slowest |")
    print("|---|--:|--:|--:|--:|")
    for kind, count, greedy, best, slowest in rows():
        print(f"| {kind} | {count:,} | {greedy:.1%} | {best:.1%} | {slowest * 1e3:,.0f} ms |")


if __name__ == "__main__":
    main()

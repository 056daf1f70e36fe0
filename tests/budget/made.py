"""Sections as they come out of Hypothesis, and what must hold of every allocation."""

import random

from hypothesis import strategies as st

from ullage import (
    CannotFit,
    HeadAndTail,
    Item,
    LowestScoreFirst,
    Never,
    OldestFirst,
    Section,
    Truncate,
    Whole,
    allocate,
)

SCORES = st.one_of(st.integers(-3, 3), st.floats(-10, 10, allow_nan=False))
SHARES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0])
AMOUNTS = st.one_of(st.integers(0, 400), SHARES)
WORDS = st.text("abc ,\n茶я", max_size=60)

contents = st.one_of(
    WORDS.map(lambda text: text * 5),
    st.builds(Item, WORDS, score=SCORES),
    st.builds(Item, st.none(), score=SCORES, tokens=st.integers(0, 200)),
)


def turns(number, calls):
    """Messages of so many turns; each has a tool call with its result where `calls` says so."""
    messages = []
    for at in range(number):
        messages.append({"role": "user", "content": f"question {at} " * (1 + at % 5)})
        if at in calls:
            call = {"id": f"c{at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": "found " * (at + 1)})
        messages.append({"role": "assistant", "content": f"answer {at}"})
    return messages


histories = st.builds(turns, st.integers(0, 6), st.sets(st.integers(0, 5)))
KEEPS = (Never(), Whole(), OldestFirst(), OldestFirst("summary"), LowestScoreFirst(), HeadAndTail(), Truncate())
KEEPS = (*KEEPS, Truncate("[cut]"))


@st.composite
def section_sets(draw, keeps=KEEPS, max_items=8):
    """Up to six sections whose shares do not add up to more than all."""
    sections = []
    left = {"quota": 1.0, "minimum": 1.0}
    for at in range(draw(st.integers(0, 6))):
        amounts = {}
        for name in left:
            amount = draw(st.one_of(st.none(), AMOUNTS)) if name == "quota" else draw(st.one_of(st.just(0), AMOUNTS))
            if isinstance(amount, float):
                if amount > left[name] - 1e-9:
                    amount = draw(st.integers(0, 400))
                else:
                    left[name] -= amount
            amounts[name] = amount
        maximum = draw(st.one_of(st.none(), st.none(), AMOUNTS))
        if type(maximum) is type(amounts["minimum"]):
            maximum = max(maximum, amounts["minimum"])
        items = draw(st.one_of(st.lists(contents, max_size=max_items), histories))
        keep = draw(st.sampled_from(keeps))
        if keep == LowestScoreFirst("best"):
            items = [
                Item(item.content, abs(item.score), item.tokens) if isinstance(item, Item) else item for item in items
            ]
        sections.append(
            Section(
                f"s{at}",
                items,
                priority=draw(st.integers(-2, 2)),
                keep=keep,
                maximum=maximum,
                weight=draw(st.sampled_from([1, 2, 0.5, 0.1, 3])),
                changes=draw(st.sampled_from(["never", "session", "turn", "request"])),
                **amounts,
            )
        )
    return sections


def random_sections(seed):
    """Sections by a seed, ten times as fast as Hypothesis draws them, and larger; they do not shrink."""
    source = random.Random(seed)

    def amount(most):
        if most < 0.1 or source.random() < 0.5:
            return source.randrange(400)
        digits = 10 ** source.choice((1, 2, 15))
        return int(source.uniform(0, most) * digits) / digits

    def item():
        kind = source.randrange(3)
        text = "".join(source.choices("abc ,\n茶я", k=source.randrange(60))) * source.choice((1, 1, 5))
        score = source.choice((source.randrange(3), source.random()))
        return text if kind == 0 else Item(text, score) if kind == 1 else Item(None, score, source.randrange(200))

    sections = []
    left = {"quota": 1.0, "minimum": 1.0}
    for at in range(source.randrange(7)):
        amounts = {"quota": amount(left["quota"]) if source.random() < 0.7 else None, "minimum": 0}
        if source.random() < 0.3:
            amounts["minimum"] = amount(left["minimum"])
        for name, value in amounts.items():
            left[name] -= value if isinstance(value, float) else 0
        maximum = amount(1) if source.random() < 0.3 else None
        if type(maximum) is type(amounts["minimum"]):
            maximum = max(maximum, amounts["minimum"])
        items = [item() for _ in range(source.randrange(20))]
        if source.random() < 0.2:
            items = turns(source.randrange(7), source.sample(range(7), 3))
        sections.append(
            Section(
                f"s{at}",
                items,
                priority=source.randrange(3),
                keep=source.choice(KEEPS),
                maximum=maximum,
                weight=source.choice((1, 2, 0.5, 0.1, 3)),
                changes=source.choice(("never", "session", "turn", "request")),
                **amounts,
            )
        )
    return sections


def tried(sections, budget, **options):
    """The allocation, or None where it cannot be had; what must hold of every error is checked."""
    refused = None
    try:
        return allocate(sections, budget, **options)
    except CannotFit as error:
        refused = error
    assert refused.needed > refused.limit >= 0
    assert sum(refused.parts.values()) == refused.needed
    assert f"{refused.over:,}" in str(refused)
    return None


def staying(section, entries):
    """Indices of the items of a section that stay, whole or cut."""
    gone = [(entry.start, entry.stop) for entry in entries if entry.section == section.name and entry.action != "cut"]
    return set(range(len(section.items))) - {at for start, stop in gone for at in range(start, stop)}

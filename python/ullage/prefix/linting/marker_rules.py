"""Cache markers that a provider refuses, or that do nothing."""

from collections.abc import Iterator
from itertools import pairwise

from ullage.cache.rules import CacheRules
from ullage.prefix.linting.finding import Finding
from ullage.prefix.linting.subject import Subject
from ullage.prefix.markers import marker
from ullage.prefix.sent import named_fields

# What is said to be too short must be, even if the estimate is too low: a profile is off by some per cent, the script
# rule by more than half on code, JSON and small languages.
_SURE = 1.1
_SURE_WITHOUT_PROFILE = 2.5
_ASSISTANT = frozenset({"assistant", "model", "ai"})


def marker_rules(subject: Subject) -> Iterator[Finding]:
    """Find too many markers, short ones, ones out of reach of what was cached, lives in a wrong order, or none."""
    rules = subject.rules
    if rules is None or not rules.markers:
        return
    marked = subject.marked
    yield from _too_many(subject, rules, marked)
    yield from _below_minimum(subject, rules, marked)
    if rules.match == "markers":
        yield from _lives(subject, marked)
        yield from _look_back(subject, rules, marked)
        yield from _none(subject, rules, marked)


def _too_many(subject: Subject, rules: CacheRules, marked: tuple[int, ...]) -> Iterator[Finding]:
    refuses = rules.match == "markers"
    if len(marked) > rules.markers:
        path = subject.blocks[marked[rules.markers]].path
        yield Finding(
            "too-many-markers",
            path,
            None,
            ", ".join(subject.blocks[index].path for index in marked),
            f"{len(marked)} blocks have a cache marker, and {rules.provider} "
            + (f"takes {rules.markers}: it refuses the request." if refuses else f"heeds the last {rules.markers}."),
            "Keep those at the end of the tools, of the system prompt and of the newest message.",
            "error" if refuses else "warning",
        )
        return
    spread = [*_spread(subject)]
    total = len(marked) + sum(blocks - 1 for _, blocks in spread)
    if total > rules.markers:
        path, blocks = spread[0]
        yield Finding(
            "marker-fan-out",
            path,
            None,
            f"{len(marked)} set, {total} sent",
            f"The marker stands on a message of {blocks} blocks, not on a block. Where a translator sets it on each of "
            f"them, {total} markers are sent, and {rules.provider} takes {rules.markers}.",
            "Set it on the last block of the message.",
            "warning",
        )


def _spread(subject: Subject) -> Iterator[tuple[str, int]]:
    """The messages that have a marker of their own and several blocks."""
    for index, message in enumerate(subject.assembly.messages):
        named = named_fields(message)
        if named is not None and marker(named) is not None:
            blocks = subject.assembly.message(index)
            if len(blocks) > 1:
                yield f"{subject.assembly.at}[{index}]", len(blocks)


def _below_minimum(subject: Subject, rules: CacheRules, marked: tuple[int, ...]) -> Iterator[Finding]:
    least = min([rules.minimum, *(int(each.low) for each in rules.contested if each.field == "minimum")])
    sure = _SURE_WITHOUT_PROFILE if subject.estimator.profile == "script" else _SURE
    for index in marked:
        tokens = subject.up_to(index, least)
        if tokens * sure < least:
            is_last = index == marked[-1]
            yield Finding(
                "marker-below-minimum",
                subject.blocks[index].path,
                None,
                f"about {tokens:,} of {least:,} tokens",
                f"About {tokens:,} tokens end here, and {rules.provider} caches nothing below {least:,}"
                + (": this marker does nothing." if not is_last else ": nothing of this request is cached."),
                "Set it later, behind more tokens, or leave it out.",
                "warning" if is_last else "note",
            )


def _lives(subject: Subject, marked: tuple[int, ...]) -> Iterator[Finding]:
    for before, after in pairwise(marked):
        lives = subject.blocks[before].marker or 0, subject.blocks[after].marker or 0
        if lives[0] < lives[1]:
            yield Finding(
                "marker-lives",
                subject.blocks[after].path,
                None,
                f"{lives[0]} s before {lives[1]} s",
                f"A marker for {lives[1]:,} s comes after one for {lives[0]:,} s; longer lives must come first, or the "
                "request is refused.",
                f"Give {subject.blocks[before].path} the longer life too, or this one the shorter.",
                "error",
            )
            return


def _look_back(subject: Subject, rules: CacheRules, marked: tuple[int, ...]) -> Iterator[Finding]:
    """The request before ended in front of the last answer: that end must be in reach of a marker of this one."""
    end = _end_before(subject)
    if end is None or end in marked:
        return
    later = [index for index in marked if index > end]
    if later and later[0] - end >= rules.look_back:
        reach = subject.blocks[end + rules.look_back - 1].path
        yield Finding(
            "marker-look-back",
            subject.blocks[later[0]].path,
            None,
            f"{later[0] - end} blocks after {subject.blocks[end].path}",
            f"The request before ended with {subject.blocks[end].path}, {later[0] - end} blocks before this marker; "
            f"{rules.provider} tries {rules.look_back} blocks, from this one back, and so does not find it.",
            f"Set another marker no later than on {reach}.",
            "warning",
        )


def _end_before(subject: Subject) -> int | None:
    """The block with which the request before this one ended; None where this is the first."""
    assembly = subject.assembly
    index = len(assembly.messages)
    for wants_assistant in (False, True):  # what came after the last answer, and then the answer
        while index > assembly.leading and _is_assistant(assembly.messages[index - 1]) is wants_assistant:
            index -= 1
    if index <= assembly.leading:
        return None
    rest = sum(len(assembly.message(each)) for each in range(index, len(assembly.messages)))
    return len(subject.blocks) - rest - 1


def _is_assistant(message: object) -> bool:
    named = named_fields(message) or {}
    return named.get("role") in _ASSISTANT or named.get("type") == "ai" or named.get("kind") == "response"


def _none(subject: Subject, rules: CacheRules, marked: tuple[int, ...]) -> Iterator[Finding]:
    last = len(subject.blocks) - 1
    if not marked and subject.up_to(last, rules.minimum) >= rules.minimum:
        yield Finding(
            "no-marker",
            subject.blocks[last].path,
            None,
            f"more than {rules.minimum:,} tokens",
            f"No block has a cache marker, and {rules.provider} caches nothing without one.",
            "Set one on the last block of the system prompt and one on the newest message.",
            "note",
        )

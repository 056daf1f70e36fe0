"""`compare`: where two requests differ first, why, what it costs, and what to do about it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ullage.prefix.assembly import GENERIC, Assembly, assemble
from ullage.prefix.causes import Cause, Confidence, verdict
from ullage.prefix.edit import Edge, Edit, What
from ullage.prefix.edits import edits
from ullage.prefix.estimating import estimator_of
from ullage.prefix.excerpts import excerpt
from ullage.prefix.fixes import fix
from ullage.prefix.order import Zone
from ullage.prefix.tokens import Estimate, Tokens, tokens

Kind: TypeAlias = Literal["same", "append", "edit"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two requests.

    Attributes:
        what: whether something was "edited", "inserted", "removed" or "moved", or a marker "marked".
        zone: where in the prompt: "settings", "tools", "system" or "messages".
        path: of the place in the next request, such as ``messages[12].content[1].text``; in the previous one for what
            is not there any more.
        offset: the first code point that differs, where a text was edited; else None.
        cause: why, as one of the classes of `Cause`.
        confidence: "certain" where what differs is nothing else, "likely" where something else differs too or the
            evidence is weaker, "possible" where the provider may not mind.
        evidence: a sentence that says what shows it.
        fix: a sentence that says what to do, and where.
        old: what stood there, at most 72 characters around the change; None for nothing.
        new: what stands there.
    """

    what: What
    zone: Zone
    path: str
    offset: int | None
    cause: Cause
    confidence: Confidence
    evidence: str
    fix: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        place = self.path if self.offset is None else f"{self.path}, character {self.offset:,}"
        return f"{self.what} {place}: {self.cause} ({self.confidence})"


@dataclass(frozen=True)
class Comparison:
    """Two requests compared.

    A marker is no content: where only markers differ, the kind is "same" or "append", and `change` is the first of
    them, with the cause "markers". One that left a message for a new one behind it is as it should be, and no change.

    Attributes:
        kind: "same"; "append" where all that was sent before is sent again and more follows; else "edit".
        change: what decides the cache: the first change of the content, or else of the markers; None where nothing
            that was sent before is different.
        changes: all changes in the order of the prompt, up to the limit.
        complete: whether these are all.
        format: of the requests; "json" where they are none that is known.
    """

    kind: Kind
    change: Change | None
    changes: tuple[Change, ...]
    complete: bool
    format: str
    _sides: tuple[Assembly, Assembly] = field(repr=False, compare=False)
    _edge: Edge | None = field(repr=False, compare=False)
    _estimate: Estimate = field(repr=False, compare=False)

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens kept, lost and new, by estimate; counted when first asked for, from the requests as they are then."""
        return tokens(*self._sides, self._edge, self._estimate)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "kind": self.kind,
            "format": self.format,
            "tokens": self.tokens._asdict(),
            "change": None if self.change is None else asdict(self.change),
            "changes": [asdict(change) for change in self.changes],
            "complete": self.complete,
        }

    def __str__(self) -> str:
        kept, lost, new = self.tokens
        lines = [f"{self.kind}: {kept:,} tokens kept, {lost:,} lost, {new:,} new"]
        if self.change is not None:
            lines.append(str(self.change))
            if self.change.old is not None:
                lines.append(f"  was: {self.change.old!r}")
            if self.change.new is not None:
                lines.append(f"  now: {self.change.new!r}")
            lines += [f"  {self.change.evidence}", f"  {self.change.fix}"]
        others = [change for change in self.changes if change is not self.change]
        if others:
            lines.append("also:" if self.complete else "also, among others:")
            lines += [f"  {change}" for change in others]
        return "\n".join(lines)


def compare(
    previous: object, next: object, *, format: str | None = None, model: str | None = None, limit: int = 20
) -> Comparison:
    """Tell what of a request is still the same in the next one, and why not all of it is.

    Args:
        previous: a request body of any of the formats, a list of messages, or any other JSON value.
        next: the one that was sent after it. Neither is changed.
        format: of the messages; detected by default. "json" compares any two values, leaf by leaf.
        model: the model whose profile estimates tokens; by default, that of the next request where it has a profile, or
            else the script rule.
        limit: so many changes are listed, at least one.

    Returns:
        What `Comparison` says. A request that only goes on in the last text of the last message is an edit there: a
        provider that caches by blocks does not find the block again.

    Raises:
        ValueError: when the format is not known, or the limit is below 1.
        TypeError: when a value is none that JSON has (its path is named), or the tools are not a list.
        InvalidHistory: when values nest deeper than 256, or one holds itself.
        UnknownModel: when no profile is known for the model.

    >>> from ullage import compare
    >>> before = {"system": "It is 17:11. Be brief.", "messages": [{"role": "user", "content": "Hello"}]}
    >>> after = {**before, "system": "It is 17:12. Be brief."}
    >>> comparison = compare(before, after)
    >>> comparison.kind, comparison.change.path, comparison.change.offset, comparison.change.cause
    ('edit', 'system', 10, 'clock')
    >>> comparison.change.evidence
    '17:11 became 17:12.'
    >>> comparison.change.fix
    'Take the clock out of system (character 10), and tell the time in the newest message of the user.'
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    return compare_assemblies(*_assembled(previous, next, format), estimator_of(next, model).estimate, limit)


def compare_assemblies(old: Assembly, new: Assembly, estimate: Estimate, limit: int) -> Comparison:
    """What `compare` tells of two requests that are put together."""
    listed: list[Edit] = []
    first: Edit | None = None
    kind: Kind = "same"
    complete = True
    for edit in edits(old, new):
        if edit.what == "marked" and _moved_on(edit, old, new):
            continue
        if edit.what == "appended":
            kind = "append" if first is None else kind
            continue
        if len(listed) < limit:
            listed.append(edit)
        else:
            complete = False
        if first is None and edit.what != "marked":
            first = edit
            kind = "edit"
        if first is not None and not complete:
            break
    changes = {id(edit): _change(edit, old, new) for edit in listed}
    decisive = first or (listed[0] if listed else None)
    change = None if decisive is None else changes.get(id(decisive)) or _change(decisive, old, new)
    edge = None if first is None else first.edge
    return Comparison(kind, change, tuple(changes.values()), complete, new.format, (old, new), edge, estimate)


def _assembled(previous: object, next: object, format: str | None) -> tuple[Assembly, Assembly]:
    """Both requests, read in one format: a list of plain messages is of any."""
    old, new = assemble(previous, format), assemble(next, format)
    if format is not None or old.format == new.format:
        return old, new
    if GENERIC in (old.format, new.format):
        known = new.format if old.format == GENERIC else old.format
        if _says_little(previous if old.format == GENERIC else next):
            return assemble(previous, known), assemble(next, known)
        return assemble(previous, GENERIC), assemble(next, GENERIC)
    told = old.format if new.format == "openai-chat" else new.format
    return assemble(previous, told), assemble(next, told)


def _says_little(request: object) -> bool:
    """Whether a request tells no format of its own: it has no messages yet, or nothing beside a string."""
    if not isinstance(request, dict):
        return request == []
    return request.get("messages") == [] or any(isinstance(request.get(key), str) for key in ("input", "contents"))


def _moved_on(edit: Edit, old: Assembly, new: Assembly) -> bool:
    """Whether a marker left a message because the messages that are new have one: markers move on with the end."""
    if edit.zone != "messages" or not edit.old or edit.values[1] is not None:
        return False
    later = range(len(old.messages), len(new.messages))
    return any(block.marker is not None for index in later for block in new.message(index))


def _change(edit: Edit, old: Assembly, new: Assembly) -> Change:
    cause, confidence, evidence = verdict(edit, old, new)
    before, after = _excerpts(edit)
    return Change(
        edit.what,
        edit.zone,
        edit.path,
        edit.edge.offset,
        cause,
        confidence,
        evidence,
        fix(cause, edit),
        before,
        after,
    )


def _excerpts(edit: Edit) -> Iterable[str | None]:
    if edit.what in ("edited", "marked") or edit.values != (None, None):
        return [excerpt(value, edit.edge.offset) for value in edit.values]
    return [excerpt(blocks[0].value) if blocks else None for blocks in (edit.old, edit.new)]

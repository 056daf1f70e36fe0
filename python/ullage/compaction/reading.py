"""A summary as text: how it is written for the assistant, and how it is read from there or from a reply.

Reading takes what models write in place of what they were asked for: headings in Markdown, numbered, in either
language, lists without marks, JSON, a fence around it all. What it cannot place it hands back; it drops nothing.
"""

import json
import re
from functools import lru_cache
from typing import NamedTuple

from ullage.compaction.prompt import FIELDS, StateFile, SummaryPrompt
from ullage.compaction.summary import VERSION, Summary, unix_lines

START = '<conversation_summary version="'
END = "</conversation_summary>"

_ITEM = re.compile(r"(?:[-*•–]|\d{1,3}[.)])[ \t]+")


class Reading(NamedTuple):
    """What was read.

    Attributes:
        summary: the fields that were found.
        missing: the names of those that were not, not even empty.
        outside: what stands before the first field.
    """

    summary: Summary
    missing: tuple[str, ...]
    outside: str


def write(summary: Summary, prompt: SummaryPrompt, state: StateFile | None = None) -> str:
    """The text that stands for the messages that left."""
    lines = [f'{START}{VERSION}">', prompt.intro]
    if state is not None:
        lines.append(state.named_in(prompt.file))
    for group in listed(summary, prompt):
        lines += ["", group]
    return "\n".join([*lines, END])


def listed(summary: Summary, prompt: SummaryPrompt) -> list[str]:
    """The fields of a summary that hold something, each under its heading. Lines after the first are indented."""
    groups = []
    for name, title in prompt.titles.items():
        value = getattr(summary, name)
        items = ((value,) if value else ()) if name == "objective" else value
        if items:
            groups.append("\n".join([f"{title}:", *("- " + item.replace("\n", "\n  ") for item in items)]))
    return groups


def is_summary(text: str) -> bool:
    """Whether a text is one that `write` gave, and nothing else."""
    return text.startswith(START) and text.rstrip().endswith(f"\n{END}")


def read(text: str, prompt: SummaryPrompt) -> Reading:
    """The summary in a text that `write` gave, or in the reply of a summariser.

    A reply without any heading is taken as one fact, and all other fields are missing.
    """
    text = unix_lines(text)
    written = is_summary(text)
    if written:
        text = text[text.find("\n") + 1 : text.rfind(f"\n{END}")]
    else:
        text = _without_fence(text.strip())
        found = _from_json(text, prompt)
        if found is not None:
            return found
    heading = _heading(prompt)
    sections: dict[str, list[str]] = {}
    outside: list[str] = []
    lines = outside
    for line in text.split("\n"):
        title = heading.fullmatch(line)
        if title is None:
            lines.append(line)
        else:
            lines = sections.setdefault(next(name for name, said in title.groupdict().items() if said), [])
            if title["rest"]:
                lines.append(title["rest"])
    if not sections and not written:
        return Reading(Summary(facts=(text,)), tuple(name for name in FIELDS if name != "facts"), "")
    return _reading({name: _items(lines) for name, lines in sections.items()}, "\n".join(outside).strip())


def _reading(found: dict[str, list[str]], outside: str) -> Reading:
    lists = (tuple(found.get(name, ())) for name in FIELDS[1:])
    summary = Summary("\n".join(found.get("objective", ())), *lists)
    return Reading(summary, tuple(name for name in FIELDS if name not in found), outside)


def _items(lines: list[str]) -> list[str]:
    """The items of one section; a line that is indented goes on with the item before it."""
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    items: list[list[str]] = []
    for line in (line[indent:] for line in lines):
        if line.startswith("  ") and items:
            items[-1].append(line[2:])
        elif line.strip():
            items.append([line[mark.end() :] if (mark := _ITEM.match(line)) else line])
    return ["\n".join(item) for item in items]


@lru_cache(maxsize=16)
def _names(prompt: SummaryPrompt) -> dict[str, str]:
    """The field of each heading, in the prompt's words and in both languages."""
    found: dict[str, str] = {}
    for each in (prompt, SummaryPrompt.ENGLISH, SummaryPrompt.SPANISH):
        for name, title in each.titles.items():
            for heading in (title, f"{title}s", title.removesuffix("s")):
                found.setdefault(heading, name)
                found.setdefault(heading.casefold(), name)
    return found


@lru_cache(maxsize=16)
def _heading(prompt: SummaryPrompt) -> re.Pattern[str]:
    """A line that is a heading; the group with the name of a field has its title."""
    names = _names(prompt)
    titles = "|".join(
        f"(?P<{field}>{'|'.join(re.escape(title) for title, name in names.items() if name == field)})"
        for field in FIELDS
        if field in names.values()
    )
    return re.compile(
        rf"(?:\#{{1,6}}[ \t]*)?(?:\d[.)][ \t]*)?(?:\*\*|__)?(?:{titles})(?:[ \t]*\([^)]*\))?"
        r"(?:\*\*|__)?[ \t]*(?::(?:\*\*|__)?[ \t]*(?P<rest>.*))?",
        re.IGNORECASE,
    )


def _without_fence(text: str) -> str:
    fenced = re.fullmatch(r"```[\w-]*\n(.*)\n```", text, re.DOTALL)
    return fenced[1] if fenced else text


def _from_json(text: str, prompt: SummaryPrompt) -> Reading | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: dict[str, list[str]] = {}
    others: dict[str, object] = {}
    for key, member in value.items():
        name = _names(prompt).get(key.casefold())
        if name is None:
            others[key] = member
        else:
            items = member if isinstance(member, list) else [] if member is None else [member]
            found.setdefault(name, []).extend(item if isinstance(item, str) else _json(item) for item in items)
    return _reading(found, _json(others) if others else "") if found else None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

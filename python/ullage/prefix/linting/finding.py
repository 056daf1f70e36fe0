"""`Finding`: one thing in a request that spoils its prompt cache, or will."""

from typing import Literal, NamedTuple, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]

_AROUND = 32
"""So many characters of the text on either side of what is found are shown."""


class Finding(NamedTuple):
    """What `lint` found.

    Attributes:
        rule: its name; docs/caching.md lists them.
        path: where in the request, such as ``system[0].text``.
        offset: of what was found in the text there, in code points; None where it is no part of a text.
        excerpt: the text around it, or what stands there; one line.
        sentence: what is wrong and what it costs.
        fix: what to do.
        severity: "error": the provider refuses it; "warning": the cache is likely missed, or not used at all; "note":
            that depends on what the request does not show.
    """

    rule: str
    path: str
    offset: int | None
    excerpt: str
    sentence: str
    fix: str
    severity: Severity


def excerpt(text: str, start: int, stop: int) -> str:
    """A piece of a text with what stands around it; line breaks and the like as backslash escapes."""
    first, last = max(0, start - _AROUND), min(len(text), stop + _AROUND)
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[first:last])
    return f"{'...' if first else ''}{shown}{'...' if last < len(text) else ''}"

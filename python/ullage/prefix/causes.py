"""Why a difference between two requests is there, decided by evidence.

In this order: a marker, a setting, what came or left or moved, a picture, two ways to write the same
(`ullage.prefix.serialisation`), what a text has where it changed (`ullage.prefix.evidence`), a result that was cleared;
and only then an edit.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

from ullage.formats.record import is_data_uri, strings
from ullage.prefix.assembly import GENERIC, Assembly, Block
from ullage.prefix.edit import Edit
from ullage.prefix.evidence import ticked
from ullage.prefix.excerpts import excerpt
from ullage.prefix.kinds import IMAGE_KEYS, is_address, is_image, is_result, is_thinking, last_key, name_of
from ullage.prefix.reordered import is_reordered
from ullage.prefix.sent import named_fields, sent
from ullage.prefix.serialisation import Form, form_of
from ullage.prefix.similarity import shared, similar

Cause: TypeAlias = Literal[
    "clock",
    "date",
    "identifier",
    "counter",
    "random value",
    "tool set",
    "tool order",
    "key order",
    "white space",
    "number form",
    "escape form",
    "normalisation",
    "image",
    "thinking removed",
    "cleared result",
    "edited history",
    "history rewritten",
    "markers",
    "other prefix",
    "settings",
]
Confidence: TypeAlias = Literal["certain", "likely", "possible"]


class Verdict(NamedTuple):
    """A cause, how sure it is, and the sentence that says what shows it."""

    cause: Cause
    confidence: Confidence
    evidence: str


_IDS = frozenset({"id", "tool_call_id", "tool_use_id", "toolUseId", "call_id", "message_id", "messageId", "item_id"})
_MARK = re.compile(
    r"\b(?:cleared|removed|omitted|truncated|elided|pruned|expired|hidden|trimmed|compacted|dropped|discarded|placeholder|"
    r"no longer|more (?:items|lines|characters|tokens))\b",
    re.I,
)
_SHRUNK = 4
"""A result that is so many times shorter than it was, was cleared even if nothing says so."""
_FREE = frozenset(
    {
        *("input_schema", "parameters", "inputSchema", "parametersJsonSchema", "schema", "properties"),
        *("arguments", "args", "input", "response", "json", "output"),
    }
)
"""The fields under which the keys are the application's, so that their order reaches the model."""
_BYTES = frozenset({"data", "bytes", "file_data"})
"""The fields that have the bytes of a file in base64."""
_FEW = 2
"""A conversation of so many messages, none of which is sent again, is another one; a longer one was rewritten."""
_WRITTEN = {
    "key order": "with its keys in another order",
    "white space": "with other white space",
    "number form": "with its numbers in another form",
    "escape form": "with other escapes",
    "normalisation": "in another Unicode normalisation or with other invisible characters",
}
_ARE_PROMPT = frozenset({"model", "modelId", "tool_choice", "thinking"})
"""Settings for which the providers' own documentation says that they cost the cache."""


def verdict(edit: Edit, previous: Assembly, following: Assembly) -> Verdict:
    """The cause of one difference."""
    if edit.what == "marked":
        return Verdict("markers", "certain", _marked(edit))
    if edit.zone == "settings":
        return _setting(edit)
    if (sentence := _other_prefix(edit, previous, following)) is not None:
        return Verdict("other prefix", "certain", sentence)
    if edit.what == "edited":
        return _inside(edit, previous)
    if edit.zone == "tools":
        return _tools(edit)
    return _whole(edit, previous)


def _marked(edit: Edit) -> str:
    old, new = edit.values
    if old is None:
        return f"The content is the same; a cache marker was set at {edit.path}."
    if new is None:
        return f"The content is the same; the cache marker at {edit.path} was taken away."
    return f"The content is the same; the cache marker at {edit.path} was for {old} seconds and is for {new}."


def _setting(edit: Edit) -> Verdict:
    old, new = edit.values
    if edit.what == "edited" and (form := form_of(old, new)):
        return Verdict(form, "likely", f"{edit.path} says the same, written {_WRITTEN[form]}.")
    confidence: Confidence = "certain" if (edit.old or edit.new)[0].path in _ARE_PROMPT else "likely"
    was = "not sent before" if old is None else excerpt(old)
    now = "not sent any more" if new is None else excerpt(new)
    return Verdict("settings", confidence, f"{edit.path} was {was} and is {now}.")


def _other_prefix(edit: Edit, previous: Assembly, following: Assembly) -> str | None:
    """That the system prompt came or went as a whole, and the tools with it where it is a tool that differs."""
    if edit.zone not in ("tools", "system") or edit.what == "moved":
        return None
    system = _sizes(previous, following, "system")
    tools = _sizes(previous, following, "tools")
    if 0 not in system or system == (0, 0):
        return None
    if edit.zone == "tools" and (0 not in tools or tools == (0, 0)):
        return None
    what = "the tools and the system prompt" if 0 in tools and tools != (0, 0) else "the system prompt"
    if system[0]:
        return f"It goes out without {what} of the previous request."
    return f"It goes out with {what}, which the previous request did not have."


def _sizes(previous: Assembly, following: Assembly, zone: str) -> tuple[int, int]:
    leading = (previous.leading, following.leading) if zone == "system" else (0, 0)
    return (
        leading[0] + sum(block.zone == zone for block in previous.prelude),
        leading[1] + sum(block.zone == zone for block in following.prelude),
    )


def _tools(edit: Edit) -> Verdict:
    block = (edit.old or edit.new)[0]
    name = name_of(block) or "without a name"
    if edit.what == "moved":
        was, now = edit.old[0].path, edit.new[0].path
        places = f"was {was} and is {now}" if was != now else f"has other tools before it at {now}"
        return Verdict("tool order", "certain", f"The tool {name} {places}; it is the same tool.")
    verb = "is not sent any more" if edit.what == "removed" else "is new"
    return Verdict("tool set", "certain", f"The tool {name} at {edit.path} {verb}.")


def _whole(edit: Edit, previous: Assembly) -> Verdict:
    """What came, left or moved as a whole."""
    blocks = edit.old or edit.new
    if edit.what == "removed" and all(map(is_thinking, blocks)):
        return Verdict("thinking removed", "certain", f"The thinking at {edit.path} is not sent any more.")
    verb = {"removed": "not sent any more", "inserted": "new", "moved": "in another place"}[edit.what]
    if edit.zone == "system":
        return Verdict("other prefix", "certain", f"A part of the system prompt is {verb}: {edit.path}.")
    if not edit.messages:
        return Verdict("edited history", "certain", f"A block of a message sent before is {verb}: {edit.path}.")
    if edit.what == "removed" and edit.messages == len(previous.messages) - previous.leading <= _FEW:
        return Verdict("other prefix", "likely", "Of the messages of the previous request none is sent again.")
    number = "The message" if edit.messages == 1 else f"{edit.messages} messages from"
    be = "is" if edit.messages == 1 else "on are"
    return Verdict("history rewritten", "certain", f"{number} {edit.path} {be} {verb}, among what was sent before.")


def _inside(edit: Edit, previous: Assembly) -> Verdict:
    """What was changed inside of a block."""
    old, new = edit.values
    if _is_file(edit):
        return _file(edit)
    if old is None and new is None:
        sentence = f"{edit.path} is null in one request and absent in the other."
        return Verdict("tool set" if edit.zone == "tools" else "edited history", "certain", sentence)
    if (form := form_of(old, new)) is not None:
        sentence = f"{edit.path} says the same, written {_WRITTEN[form]}."
        return Verdict(form, _sure_of_form(edit, form), sentence)
    if not _FREE.isdisjoint(edit.keys) and is_reordered(edit):
        return Verdict("key order", "certain", f"The list around {edit.path} has the same members in another order.")
    key = edit.keys[-1] if edit.keys else None
    if key in _IDS and isinstance(old, str) and isinstance(new, str):
        return Verdict("identifier", "certain", f"The id {excerpt(old)} became {excerpt(new)}.")
    if (tick := ticked(old, new, key)) is not None:
        sentence = f"{excerpt(tick.old)} became {excerpt(tick.new)}."
        return Verdict(tick.kind, "certain" if tick.all else "likely", sentence)
    if is_result(edit.old[0]) and (cleared := _cleared(edit)) is not None:
        return cleared
    if is_thinking(edit.old[0]) and not new:
        return Verdict("thinking removed", "certain", f"The thinking at {edit.path} is empty now.")
    return _edit(edit, previous)


def _sure_of_form(edit: Edit, form: Form) -> Confidence:
    """Sure where all of the block is the same but for its form; the API's own fields are read by their names."""
    old, new = edit.old[0], edit.new[0]
    if form == "key order" and not isinstance(edit.values[0], str) and _FREE.isdisjoint(edit.keys):
        return "possible"
    return "certain" if form_of(sent(old.value), sent(new.value)) else "likely"


def _is_file(edit: Edit) -> bool:
    """Whether it is a file that changed; a document of text is a text, and what a call is given is the call's."""
    if any(isinstance(value, bytes) or (isinstance(value, str) and is_data_uri(value)) for value in edit.values):
        return True
    source = (named_fields(edit.old[0].value) or {}).get("source")
    if isinstance(source, dict) and (source.get("type") in ("text", "content") or "text" in source):
        return False
    return is_image(edit.old[0]) or (_FREE.isdisjoint(edit.keys) and not IMAGE_KEYS.isdisjoint(edit.keys))


def _file(edit: Edit) -> Verdict:
    """What became of a file: its bytes, its address, or how it is to be seen."""
    old, new = edit.values
    if isinstance(old, str) and isinstance(new, str) and is_address(old) and is_address(new):
        if old.partition("?")[0] == new.partition("?")[0]:
            return Verdict("image", "likely", f"The address of the file at {edit.path} has another query behind it.")
        return Verdict("image", "certain", f"The file at {edit.path} has another address.")
    if any(isinstance(value, bytes) or (isinstance(value, str) and is_data_uri(value)) for value in (old, new)) or (
        last_key(edit.path) in _BYTES
    ):
        return Verdict("image", "certain", f"The file at {edit.path} is not what it was, byte for byte.")
    return Verdict("image", "certain", f"{edit.path}, which belongs to a file, is not what it was.")


def _cleared(edit: Edit) -> Verdict | None:
    old, new = (_text(block) for block in (edit.old[0], edit.new[0]))
    if len(new) >= len(old):
        return None
    was, now = (
        len(value) if isinstance(value, str) else len(text) for value, text in zip(edit.values, (old, new), strict=True)
    )
    sentence = f"The result at {edit.path} had {was:,} characters and has {now:,}."
    start = shared(old, new)
    end = shared(old[start:][::-1], new[start:][::-1])
    if _MARK.search(new[start : len(new) - end]):
        return Verdict("cleared result", "certain", sentence)
    return Verdict("cleared result", "likely", sentence) if len(new) * _SHRUNK <= len(old) else None


def _edit(edit: Edit, previous: Assembly) -> Verdict:
    """What is nothing else."""
    old, new = edit.values
    if edit.zone == "tools":
        return Verdict("tool set", "certain", f"The definition of the tool {name_of(edit.new[0])} is another one.")
    if edit.zone == "system":
        return Verdict("other prefix", "certain", f"The system prompt has another wording at {edit.path}.")
    texts = _text(edit.old[0]), _text(edit.new[0])
    if isinstance(old, str) and isinstance(new, str) and new.startswith(old):
        return Verdict(
            "edited history", "certain", f"The text at {edit.path} goes on behind its end; the rest is the same."
        )
    if not similar(*texts):
        short = previous.format != GENERIC and len(previous.messages) - previous.leading <= _FEW
        if short and edit.edge.messages == previous.leading and edit.edge.blocks == 0:
            return Verdict("other prefix", "likely", f"The first message, {edit.path}, is another one.")
        if not edit.alone:
            return Verdict("history rewritten", "likely", f"Other messages stand from {edit.path} on.")
    return Verdict("edited history", "certain", f"What stands at {edit.path} was changed after it was sent.")


def _text(block: Block) -> str:
    return "\n".join(strings(sent(block.value), block.path)[0])

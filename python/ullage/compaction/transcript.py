"""Messages as text, for a summary that is asked for in a request of its own."""

from ullage.formats.record import Part, Record, speaker

_CALL = {"tool_call": "calls ", "tool_result": "result "}


def as_text(record: Record) -> str:
    """One message as text: who speaks, its texts, calls and results. Thinking is left out; a file is named only."""
    shown = [text for part in record.parts if (text := _part(part))]
    return f"{speaker(record)}: " + "\n".join(shown) if shown else ""


def _part(part: Part) -> str:
    if part.kind == "thinking":
        return ""
    text = " ".join(part.texts)
    if part.kind in _CALL:
        return f"[{_CALL[part.kind]}{part.call_id or part.name or ''}] {text}"
    return text if part.kind == "text" else f"[{part.kind}] {text}".rstrip()

"""Requests as each provider's API has them, over the steps of `formats.builder`."""

from typing import NamedTuple

from formats.builder import FORMATS, build, parse

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
_FUNCTION = {"name": "search", "parameters": SCHEMA}
TOOLS_OF = {
    **{name: [{"type": "function", "function": _FUNCTION}] for name in FORMATS},
    "openai-responses": [{"type": "function", **_FUNCTION}],
    "anthropic": [{"name": "search", "input_schema": SCHEMA}],
    "gemini": [{"functionDeclarations": [_FUNCTION]}],
    "bedrock": [{"toolSpec": {"name": "search", "inputSchema": {"json": SCHEMA}}}],
}


class Keys(NamedTuple):
    """Where a request has its messages, and its system prompt."""

    messages: str = "messages"
    system: str = "system"


KEYS = {
    **dict.fromkeys(FORMATS, Keys()),
    "openai-responses": Keys("input", "instructions"),
    "gemini": Keys("contents", "systemInstruction"),
}


def request(name, line, **texts):
    """A request with tools, the system prompt where the format has it, and keys that ullage does not know."""
    built = build(name, parse(line, **texts))
    tools = {"toolConfig": {"tools": TOOLS_OF[name]}} if name == "bedrock" else {"tools": TOOLS_OF[name]}
    system = {} if built.system is None else {KEYS[name].system: built.system}
    return {"model": "m", **system, KEYS[name].messages: built.messages, "max": 1.5, **tools, "чай": {"x": None}}

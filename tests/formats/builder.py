"""One abstract history in each of the seven formats.

`parse("S,U,A(a,b),Ta,Tb,A,U")` gives steps: S system, U user, A assistant text, A(a,b) a message with calls a and b, Ta
the result of a. `A(θ,a)` thinks first; `Ta!` is an error; `|Tb` begins a message of its own where results share one.
`build(format, steps)` gives the messages, and the system prompt where the format keeps it apart.
"""

import json
import re
from typing import Any, NamedTuple

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "langchain", "pydantic-ai")
APART = frozenset({"anthropic", "gemini", "bedrock", "pydantic-ai", "openai-responses"})
"""The formats in which `build` gives the system prompt apart."""
SHARED = frozenset({"anthropic", "gemini", "bedrock", "pydantic-ai"})
"""The formats in which results of one round share a message."""


class Call(NamedTuple):
    id: str
    name: str = "search"
    args: Any = None

    @property
    def arguments(self):
        return {"query": f"what {self.id} asks"} if self.args is None else self.args


class System(NamedTuple):
    text: str


class User(NamedTuple):
    text: str


class Assistant(NamedTuple):
    text: str | None = None
    calls: tuple[Call, ...] = ()
    thinking: str | None = None


class Result(NamedTuple):
    id: str
    text: str
    error: bool = False
    alone: bool = False
    name: str = "search"


Step = System | User | Assistant | Result


class Built(NamedTuple):
    """Messages, the system prompt where it is apart, and for each step the index of its (first) message, or None."""

    messages: list[Any]
    system: Any
    places: list[int | None]


_SAYS = {"S": "Be brief", "U": "Do this", "A": "Done", "T": "Found"}


def parse(line: str, **texts: str) -> list[Step]:
    """The steps of a line. A text is taken from `texts` by its step ("S", "U", "A", "Ta"), or made up."""
    steps: list[Step] = []
    for index, found in enumerate(re.findall(r"(\|?)([SUAT])(?:\(([^)]*)\)|(\w+))?(!?)", line)):
        alone, kind, inner, call, error = found
        text = texts.get(kind + call, f"{_SAYS[kind]} {call}{index}")
        if kind == "S":
            steps.append(System(text))
        elif kind == "U":
            steps.append(User(text))
        elif kind == "T":
            steps.append(Result(call, text, bool(error), bool(alone)))
        else:
            names = [name.strip() for name in inner.split(",") if name.strip()]
            calls = tuple(Call(name) for name in names if name != "θ")
            thinking = texts.get("θ", f"I think {index}") if "θ" in names else None
            steps.append(Assistant(None if names else text, calls, thinking))
    return steps


def build(name: str, steps: list[Step]) -> Built:
    messages: list[Any] = []
    places: list[int | None] = []
    system = None
    open_results = False
    for step in steps:
        if isinstance(step, System) and name in APART:
            system = _SYSTEM[name](step.text)
            places.append(None)
            continue
        made = _BUILD[name](step)
        joins = isinstance(step, Result) and name in SHARED and open_results and not step.alone
        if joins:
            key = "content" if "content" in messages[-1] else "parts"
            messages[-1][key] += made[0][key]
        places.append(len(messages) - 1 if joins else len(messages))
        messages += [] if joins else made
        open_results = isinstance(step, Result)
    return Built(messages, system, places)


def _openai_chat(step):
    match step:
        case System(text):
            return [{"role": "system", "content": text}]
        case User(text):
            return [{"role": "user", "content": text}]
        case Result():
            return [{"role": "tool", "tool_call_id": step.id, "content": step.text}]
    message = {"role": "assistant", "content": step.text}
    if step.thinking is not None:
        message["reasoning_content"] = step.thinking
    if step.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in step.calls
        ]
    return [message]


def _openai_responses(step):
    match step:
        case System(text):
            return [{"type": "message", "role": "developer", "content": text}]
        case User(text):
            return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
        case Result():
            return [{"type": "function_call_output", "call_id": step.id, "output": step.text}]
    items: list[Any] = []
    if step.thinking is not None:
        summary = [{"type": "summary_text", "text": step.thinking}]
        items.append({"type": "reasoning", "id": f"rs_{step.thinking}", "summary": summary})
    if step.text is not None:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content})
    return items + [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": json.dumps(call.arguments)}
        for call in step.calls
    ]


def _anthropic(step):
    match step:
        case User(text):
            return [{"role": "user", "content": text}]
        case Result():
            block = {"type": "tool_result", "tool_use_id": step.id, "content": step.text}
            return [{"role": "user", "content": [block | ({"is_error": True} if step.error else {})]}]
    content: list[Any] = []
    if step.thinking is not None:
        content.append({"type": "thinking", "thinking": step.thinking, "signature": "c2lnbmVk"})
    if step.text is not None:
        content.append({"type": "text", "text": step.text})
    content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in step.calls]
    return [{"role": "assistant", "content": content}]


def _gemini(step):
    match step:
        case User(text):
            return [{"role": "user", "parts": [{"text": text}]}]
        case Result():
            response = {"error" if step.error else "output": step.text}
            return [
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": step.id, "name": step.name, "response": response}}],
                }
            ]
    parts: list[Any] = []
    if step.thinking is not None:
        parts.append({"text": step.thinking, "thought": True})
    if step.text is not None:
        parts.append({"text": step.text})
    parts += [{"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}} for call in step.calls]
    return [{"role": "model", "parts": parts}]


def _bedrock(step):
    match step:
        case User(text):
            return [{"role": "user", "content": [{"text": text}]}]
        case Result():
            result = {"toolUseId": step.id, "content": [{"text": step.text}]}
            return [{"role": "user", "content": [{"toolResult": result | ({"status": "error"} if step.error else {})}]}]
    content: list[Any] = []
    if step.thinking is not None:
        content.append({"reasoningContent": {"reasoningText": {"text": step.thinking, "signature": "c2lnbmVk"}}})
    if step.text is not None:
        content.append({"text": step.text})
    content += [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}} for call in step.calls]
    return [{"role": "assistant", "content": content}]


def _langchain(step):
    match step:
        case System(text):
            return [{"type": "system", "content": text}]
        case User(text):
            return [{"type": "human", "content": text}]
        case Result():
            status = "error" if step.error else "success"
            return [{"type": "tool", "tool_call_id": step.id, "content": step.text, "status": status}]
    calls = [{"type": "tool_call", "id": call.id, "name": call.name, "args": call.arguments} for call in step.calls]
    content: Any = step.text or ""
    if step.thinking is not None:
        content = [{"type": "thinking", "thinking": step.thinking, "signature": "c2lnbmVk"}]
        content += [] if step.text is None else [{"type": "text", "text": step.text}]
    return [{"type": "ai", "content": content, "tool_calls": calls}]


def _pydantic_ai(step):
    match step:
        case User(text):
            return [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}]
        case Result():
            part = {"part_kind": "tool-return", "tool_name": step.name, "tool_call_id": step.id, "content": step.text}
            return [{"kind": "request", "parts": [part | ({"outcome": "failed"} if step.error else {})]}]
    parts: list[Any] = []
    if step.thinking is not None:
        parts.append({"part_kind": "thinking", "content": step.thinking})
    if step.text is not None:
        parts.append({"part_kind": "text", "content": step.text})
    parts += [
        {"part_kind": "tool-call", "tool_name": call.name, "args": call.arguments, "tool_call_id": call.id}
        for call in step.calls
    ]
    return [{"kind": "response", "parts": parts}]


_BUILD = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "langchain": _langchain,
    "pydantic-ai": _pydantic_ai,
}
_SYSTEM = {
    "openai-responses": str,
    "anthropic": str,
    "gemini": lambda text: {"parts": [{"text": text}]},
    "bedrock": lambda text: [{"text": text}],
    "pydantic-ai": str,
}

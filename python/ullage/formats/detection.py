"""Which format a list of messages has: told from the class of an object, or from keys that only one format has."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ullage.formats.record import fields

_CLASSES = (
    ("langchain_core.", "langchain"),
    ("langchain.", "langchain"),
    ("pydantic_ai.", "pydantic-ai"),
    ("google.genai.", "gemini"),
    ("openai.types.responses.", "openai-responses"),
    ("openai.types.chat.", "openai-chat"),
    ("anthropic.", "anthropic"),
)
_LANGCHAIN = frozenset({"human", "ai", "system", "tool", "function", "chat", "remove", "AIMessageChunk"})
_CHAT_KEYS = frozenset({"tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content"})
_BEDROCK_BLOCKS = frozenset(
    {"toolUse", "toolResult", "cachePoint", "reasoningContent", "guardContent", "image", "document"}
)
_ANTHROPIC_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "server_tool_use",
        "thinking",
        "redacted_thinking",
        "document",
        "search_result",
        "image",
    }
)
_CHAT_BLOCKS = frozenset({"image_url", "input_audio", "refusal", "file"})
_RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file", "summary_text"})


def detect(messages: Sequence[object]) -> str:
    """Name the format of a list of messages.

    Returns:
        "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "langchain" or "pydantic-ai". Messages of
        a role and a string alone are the same in several; they, and an empty list, are "openai-chat".

    Raises:
        TypeError: when something on the way is not a message.

    >>> from ullage import detect
    >>> detect([{"role": "user", "parts": [{"text": "Hello"}]}])
    'gemini'
    """
    for index, message in enumerate(messages):
        found = _of_message(message, f"messages[{index}]")
        if found is not None:
            return found
    return "openai-chat"


def of_class(message: object) -> str | None:
    """The format whose package the class of an object is from; None for any other."""
    if type(message) is dict:
        return None
    for module in (base.__module__ for base in type(message).__mro__):
        for prefix, name in _CLASSES:
            if module.startswith(prefix) or f"{module}." == prefix:
                return name
    return None


def _of_message(message: object, path: str) -> str | None:
    found = of_class(message)
    if found is not None:
        return found
    named = fields(message, path)
    form, role, content = named.get("type"), named.get("role"), named.get("content")
    if "parts" in named:
        return "pydantic-ai" if named.get("kind") in ("request", "response") else "gemini"
    if role is None and isinstance(form, str):
        return "langchain" if form in _LANGCHAIN and ("content" in named or "data" in named) else "openai-responses"
    if role is None and "id" in named and len(named) == 1:
        return "openai-responses"
    if form == "message" and isinstance(role, str) and "model" not in named:
        return "openai-responses"
    if role in ("tool", "developer", "function") or not _CHAT_KEYS.isdisjoint(named):
        return "openai-chat"
    return _of_blocks(content) if isinstance(content, list | tuple) else None


def _of_blocks(blocks: Iterable[object]) -> str | None:
    hint = None
    for block in blocks:
        if type(block).__module__.startswith("anthropic."):
            return "anthropic"
        if not isinstance(block, Mapping):
            continue
        found = _of_block(block)
        if found is not None:
            return found
        if block.get("cache_control") is not None:
            hint = "anthropic"
    return hint


def _of_block(block: Mapping[str, Any]) -> str | None:
    form = block.get("type")
    if form is None:
        return "bedrock" if "text" in block or not _BEDROCK_BLOCKS.isdisjoint(block) else None
    if not isinstance(form, str):
        return None
    if form in _RESPONSES_BLOCKS:
        return "openai-responses"
    if form in _CHAT_BLOCKS:
        return "openai-chat"
    return "anthropic" if form in _ANTHROPIC_BLOCKS or form.endswith("_tool_result") else None

"""Message formats: one provider's shape a file, all giving the same records (`ullage.formats.record`)."""

from functools import cache
from importlib import import_module
from typing import cast

from ullage.formats.record import Format

MODULES = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "langchain": "langchain",
    "pydantic-ai": "pydantic_ai",
}


def named(name: str) -> Format:
    """The format of that name.

    Raises:
        ValueError: when there is none.
    """
    module = MODULES.get(name) if isinstance(name, str) else None
    if module is None:
        raise ValueError(f"there is no format {name!r}; there are: {', '.join(MODULES)}")
    return _loaded(module)


@cache
def _loaded(module: str) -> Format:
    return cast(Format, import_module(f"ullage.formats.{module}"))

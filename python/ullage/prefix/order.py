"""The order in which each provider puts the parts of a request together into one prompt.

What stands earlier decides: a change there costs all that follows. Messages always come last. Settings that are part of
a prompt stand where they act; settings that only steer sampling (temperature, limits) are not in the prompt, and are
not listed. As of 2026-11-30:

- Anthropic: tools, system, messages. ``tool_choice``, ``thinking`` and effort cost the messages only; speed and an
  output format cost the system prompt too.
  https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-use-with-prompt-caching
  https://platform.claude.com/docs/en/build-with-claude/prompt-caching
- OpenAI: tools, then the response schema, ahead of the system message, then the messages; ``tool_choice`` costs
  nothing. Requests of another ``prompt_cache_key`` go to other machines. Effort is told in the first message.
  https://developers.openai.com/api/docs/guides/prompt-caching
  https://developers.openai.com/cookbook/articles/openai-harmony
- Gemini: system instruction, then tools and their configuration, then contents. Not documented by the provider; this is
  how the documentation of pydantic-ai has it.
  https://github.com/pydantic/pydantic-ai/pull/6083
  https://ai.google.dev/api/caching
- Bedrock: as Anthropic.
  https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
- LangChain and pydantic-ai send to any of these: tools, system, messages, as most do.
"""

from typing import Literal, NamedTuple, TypeAlias

Zone: TypeAlias = Literal["settings", "tools", "system", "messages"]
Path: TypeAlias = tuple[str, ...]


class Settings(NamedTuple):
    """Settings that stand together, each by the keys that lead to it."""

    paths: tuple[Path, ...]


def _settings(*paths: str) -> Settings:
    return Settings(tuple(tuple(path.split(".")) for path in paths))


_MODEL = _settings("model")
_ANTHROPIC: tuple[Settings | Literal["tools", "system"], ...] = (
    _MODEL,
    "tools",
    _settings("speed", "output_format", "output_config.format"),
    "system",
    _settings("tool_choice", "thinking", "output_config.effort"),
)

ORDERS: dict[str, tuple[Settings | Literal["tools", "system"], ...]] = {
    "anthropic": _ANTHROPIC,
    "openai-chat": (
        _settings("model", "prompt_cache_key", "reasoning_effort"),
        "tools",
        _settings("functions", "response_format"),
        "system",
    ),
    "openai-responses": (
        _settings("model", "prompt_cache_key", "prompt", "reasoning.effort"),
        "tools",
        _settings("text.format"),
        "system",
    ),
    "gemini": (
        _settings("model", "cachedContent", "cached_content", "config.cached_content"),
        "system",
        "tools",
        _settings("toolConfig", "tool_config", "config.tool_config"),
    ),
    "bedrock": (
        _settings("modelId"),
        "tools",
        "system",
        _settings("toolConfig.toolChoice", "additionalModelRequestFields"),
    ),
    "langchain": (_MODEL, "tools", "system"),
    "pydantic-ai": (_MODEL, "tools", "system"),
}

"""`Usage`: what a provider says a request's prompt cost, read from its answer in any of the providers' shapes.

The prompt is counted whole by some (OpenAI, Gemini, DeepSeek) and without what the cache had by others (Anthropic,
Bedrock). Sources: "Prompt caching", platform.claude.com/docs; "Prompt caching", developers.openai.com/api/docs;
"UsageMetadata", ai.google.dev/api; "TokenUsage", docs.aws.amazon.com/bedrock; "Context caching", api-docs.deepseek.com;
all as of 2026-11-30.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

_HOLDERS = ("usage", "usage_metadata", "usageMetadata")
_GEMINI = (
    ("promptTokenCount", "cachedContentTokenCount"),
    ("prompt_token_count", "cached_content_token_count"),
)
_DETAILS = (
    ("input_tokens_details", "cached_tokens", "cache_write_tokens"),  # OpenAI Responses
    ("input_token_details", "cache_read", "cache_creation"),  # LangChain
)


class Usage(NamedTuple):
    """Tokens of a prompt, as the provider counted them. The three make the whole prompt.

    Attributes:
        read: taken from the cache.
        written: written to the cache; 0 where the provider does not say.
        plain: the rest.
    """

    read: int
    written: int
    plain: int

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return sum(self)

    @classmethod
    def of(cls, value: object) -> "Usage":
        """Read a usage, or an answer that has one: a dict or an object of the provider's SDK.

        Known are those of Anthropic, OpenAI (Chat and Responses), Gemini, Bedrock, DeepSeek, LangChain and pydantic-ai,
        and of what speaks like them.

        Raises:
            TypeError: when it is neither a dict nor an object with fields, or a count is not an int.
            ValueError: when it has no count of a prompt, or counts that cannot be.

        >>> from ullage.usage import Usage
        >>> Usage.of({"prompt_tokens": 1500, "prompt_tokens_details": {"cached_tokens": 1024}})
        Usage(read=1024, written=0, plain=476)
        """
        named = _fields(value)
        if named is None:
            raise TypeError(f"usage must be a dict or an object with fields, not {type(value).__name__}")
        for holder in _HOLDERS:
            if (inner := _fields(named.get(holder))) is not None:
                named = inner
                break
        return _read(named)


def _read(named: Mapping[str, Any]) -> Usage:
    if "inputTokens" in named:  # Bedrock
        return _apart(named, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    for total_key, read_key in _GEMINI:
        if total_key in named:
            return _within(_count(named, total_key), _count(named, read_key), 0)
    if "prompt_tokens" in named:  # OpenAI Chat, DeepSeek, and most others
        details = _fields(named.get("prompt_tokens_details")) or {}
        read = _count(details, "cached_tokens") or _count(named, "prompt_cache_hit_tokens")
        return _within(_count(named, "prompt_tokens"), read, _count(details, "cache_write_tokens"))
    if "input_tokens" in named:
        total = _count(named, "input_tokens")
        if "cache_read_tokens" in named:  # pydantic-ai
            return _within(total, _count(named, "cache_read_tokens"), _count(named, "cache_write_tokens"))
        for holder, read_key, written_key in _DETAILS:
            if (inner := _fields(named.get(holder))) is not None:
                return _within(total, _count(inner, read_key), _count(inner, written_key))
        return _apart(named, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")  # Anthropic
    raise ValueError(
        "usage counts no prompt (by input_tokens, prompt_tokens, inputTokens or promptTokenCount); it has "
        + (", ".join(map(str, named)) or "nothing")
    )


def _apart(named: Mapping[str, Any], plain: str, read: str, written: str) -> Usage:
    return Usage(_count(named, read), _count(named, written), _count(named, plain))


def _within(total: int, read: int, written: int) -> Usage:
    if read + written > total:
        raise ValueError(f"usage has {read:,} tokens read and {written:,} written of a prompt of {total:,}")
    return Usage(read, written, total - read - written)


def _count(named: Mapping[str, Any], key: str) -> int:
    """The count under a key; 0 where there is none."""
    count = named.get(key)
    if count is None:
        return 0
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{key} of a usage must be an int, not {type(count).__name__}")
    if count < 0:
        raise ValueError(f"{key} of a usage is {count}; it is 0 or more")
    return count


def _fields(value: object) -> Mapping[str, Any] | None:
    if isinstance(value, Mapping):
        return value
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return None
    own = getattr(value, "__dict__", None)
    if not isinstance(own, dict):
        return None
    extra = getattr(value, "__pydantic_extra__", None)
    return {**own, **extra} if isinstance(extra, dict) else own

"""Cache markers: where each provider's requests say that a prefix ends here, and for how long it is to be kept.

A marker is no part of the prompt. It is a field of a block (``cache_control``, ``prompt_cache_breakpoint``), or a
block of its own (``cachePoint``). Sources: "Prompt caching", platform.claude.com/docs; "Prompt caching",
developers.openai.com/api/docs; "CachePointBlock", docs.aws.amazon.com/bedrock/latest/APIReference; ``CachePoint`` of
pydantic-ai 2; all as of 2026-11-30.
"""

import re
from collections.abc import Mapping
from typing import Any

KEYS = frozenset({"cache_control", "prompt_cache_breakpoint", "cachePoint", "cache_point", "cacheControl"})
"""The fields that are markers, and nothing that is sent to the model."""

_DEFAULT = {"prompt_cache_breakpoint": 1800}
_MINUTES_5 = 300
_UNITS = {"s": 1, "m": 60, "h": 3600}
_LIFE = re.compile(r"(\d+)([smh])")


def marker(named: Mapping[str, Any]) -> int | None:
    """The life in seconds of the marker among the fields of a block; None where there is none.

    >>> marker({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}})
    3600
    """
    if KEYS.isdisjoint(named):
        return None
    for key in KEYS.intersection(named):
        if named[key] is not None:
            return life(named[key], _DEFAULT.get(key, _MINUTES_5))
    return None


def marker_key(value: object) -> str | None:
    """The field of a block or message that is a marker; None without one."""
    named = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return next((key for key in named if key in KEYS and named[key] is not None), None)


def life(value: object, default: int = _MINUTES_5) -> int:
    """The life in seconds that a marker states, or the default."""
    ttl = value.get("ttl") if isinstance(value, Mapping) else getattr(value, "ttl", None)
    found = _LIFE.fullmatch(ttl) if isinstance(ttl, str) else None
    return default if found is None else int(found[1]) * _UNITS[found[2]]


def stands_alone(named: Mapping[str, Any]) -> bool:
    """Whether a block is nothing but a marker: Bedrock's ``cachePoint``, pydantic-ai's ``CachePoint``."""
    return named.get("kind") == "cache-point" or (len(named) == 1 and not KEYS.isdisjoint(named))

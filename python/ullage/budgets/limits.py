"""How large a model's window is, and how much it writes at most. Known offline: no request is made.

Windows come from the genai-prices package where it is installed and knows one, and from the table here. Where both do,
the smaller counts, for a window that is taken to be too large is found out by a refused request. The table holds what
that package does not: how much a model writes, and windows for those who do not have the package.

As of 2026-11-30, by the pages of the models, and for older models as these last said: platform.claude.com/docs/models,
developers.openai.com/api/docs/models (GPT-6: vercel.com/ai-gateway/models), ai.google.dev/gemini-api/docs/models,
api-docs.deepseek.com/quick_start/pricing. Windows are those of genai-prices 0.2.3, some of them rounded down there.
"""

import importlib.util
from typing import NamedTuple

from ullage.errors import InvalidBudget, UnknownModel
from ullage.models import bare_name, begins


class Limits(NamedTuple):
    """Tokens of a model's window, and of its longest answer."""

    window: int
    output: int


_TABLE = {
    Limits(16_385, 4_096): "gpt-3.5-turbo",
    Limits(128_000, 4_096): "gpt-4-turbo gpt-4-0125 gpt-4-1106 gpt-4o-2024-05-13",
    Limits(128_000, 16_384): "gpt-4o chatgpt-4o gpt-5-chat gpt-5.1-chat gpt-5.2-chat gpt-5.3-chat",
    Limits(1_000_000, 32_768): "gpt-4.1",
    Limits(200_000, 100_000): "o1 o3 o4-mini codex-mini",
    Limits(128_000, 65_536): "o1-mini",
    Limits(128_000, 32_768): "o1-preview",
    Limits(400_000, 128_000): "gpt-5 gpt-5.1 gpt-5.2 gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano",
    Limits(1_050_000, 128_000): "gpt-5.4 gpt-5.6 gpt-6-sol gpt-6-luna gpt-6.1-sol gpt-6.2-sol",
    Limits(1_000_000, 128_000): (
        "claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-sonnet-4-6 claude-opus-5 claude-sonnet-5 "
        "claude-haiku-5 claude-fable-5"
    ),
    Limits(200_000, 4_096): "claude-3-haiku claude-3-sonnet claude-3-opus",
    Limits(200_000, 8_192): "claude-3-5",
    Limits(200_000, 32_000): "claude-opus-4 claude-4-opus",
    Limits(200_000, 64_000): (
        "claude-3-7 claude-sonnet-4 claude-4-sonnet claude-sonnet-4-5 claude-haiku-4-5 claude-opus-4-5"
    ),
    Limits(1_000_000, 8_192): "gemini-2.0-flash",
    Limits(1_000_000, 65_536): "gemini-2.5-flash-lite gemini-3-flash gemini-3.5-flash gemini-3.8-flash",
    Limits(1_048_576, 65_536): "gemini-2.5-pro gemini-2.5-flash gemini-3-pro gemini-3.1-pro",
    Limits(1_000_000, 384_000): "deepseek-flash deepseek-v4",
}
# Names that begin like some of those, of models that are not known here.
_OTHERS = (
    "gpt-5. gpt-5-image gpt-4o-realtime gpt-4o-mini-realtime gpt-4o-transcribe gpt-4o-mini-transcribe "
    "gemini-2.5-flash-image gemini-2.5-flash-tts gemini-2.5-pro-tts gemini-2.5-flash-lite-preview-tts "
    "gemini-3.5-flash-lite gemini-3.8-flash-tts gemini-3.8-flash-lite"
)
KNOWN: dict[str, Limits | None] = dict.fromkeys(_OTHERS.split()) | {
    name: limits for limits, names in _TABLE.items() for name in names.split()
}


def limits_of(model: str, output_reserve: int | None) -> tuple[int, int]:
    """The window of a model, and the reserve: the given one, or the most that the model writes.

    Raises:
        TypeError: when model is not a str.
        UnknownModel: when the window is not known, or, without a reserve, how much the model writes.
        InvalidBudget: when the reserve is more than the model writes.
    """
    if not isinstance(model, str):
        raise TypeError(f"model must be str, not {type(model).__name__}")
    name = bare_name(model)
    beginning = max((beginning for beginning in KNOWN if begins(name, beginning)), key=len, default=None)
    known = None if beginning is None else KNOWN[beginning]
    windows = [window for window in (known and known.window, _priced(name)) if window]
    if not windows:
        more = "" if _installed() else "; the package genai-prices (pip install 'ullage[prices]') knows more"
        raise UnknownModel(f"no window is known for model {model!r}: give Budget(window, output_reserve=...){more}")
    if output_reserve is None:
        if known is None:
            raise UnknownModel(
                f"model {model!r} has a window of {min(windows):,} tokens, but how many it writes is not known: "
                "give output_reserve"
            )
        return min(windows), known.output
    if known is not None and isinstance(output_reserve, int) and output_reserve > known.output:
        raise InvalidBudget(
            f"an output reserve of {output_reserve:,} tokens is {output_reserve - known.output:,} more than the "
            f"{known.output:,} that {model} writes at most; give a smaller reserve"
        )
    return min(windows), output_reserve


def _priced(name: str) -> int | None:
    """The window that genai-prices knows, where it is installed: the one that came with it, or that it was given."""
    if not _installed():
        return None
    from genai_prices.data_snapshot import get_snapshot

    try:
        return get_snapshot().find_provider_model(name, None, None, None)[1].context_window
    except LookupError:
        return None


def _installed() -> bool:
    return importlib.util.find_spec("genai_prices") is not None

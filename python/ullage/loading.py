"""Profiles as they are found: by key among those that come with ullage, or in a file.

A profile is read when it is first asked for, and kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from os import PathLike
from types import MappingProxyType
from typing import Any

from ullage._core import Profile
from ullage.errors import InvalidProfile
from ullage.margins import Margins
from ullage.models import FAMILIES
from ullage.profile_file import unpack

_FITTED_FOR = {
    "o200k_base": "OpenAI from GPT-4o on",
    "cl100k_base": "OpenAI's GPT-4 and GPT-3.5, and its embedding models",
    "claude_3": "Anthropic's Claude 3 to 4.6",
    "claude_4_8": "Anthropic's Claude from 4.7 on",
    "llama3": "Meta's Llama 3",
    "qwen2.5": "Alibaba's Qwen 2 to 3",
    "deepseek_v3": "DeepSeek V3, V4 and R1",
    "tekken": "Mistral from Nemo on",
    "gemma3": "Google's Gemma 3, and Gemini from 2 on",
}

#: More than any profile needs: what is larger was not one.
_MAX_BYTES = 1 << 22


def profiles() -> dict[str, str]:
    """The profiles that ``Estimator(profile=...)`` takes: each key with what it is for.

    >>> from ullage import profiles
    >>> profiles()["o200k_base"]
    'OpenAI from GPT-4o on: models named gpt-4o, chatgpt-4o, gpt-4.1, gpt-4.5, gpt-5, gpt-oss, o1, o3, o4, codex-mini'
    """
    listed = {key: f"{what}: models named {', '.join(FAMILIES[key])}" for key, what in _FITTED_FOR.items()}
    return {"script": "any model, roughly: characters by script, without a fit"} | listed


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile in memory. Two are equal when their files are.

    Args:
        file: the whole file.
        key: its key among those that come with ullage; None for a file of the caller's.
        about: the file's line of JSON.
        weights: what estimates.
        margins: how far the truth may be.
    """

    file: bytes
    key: str | None = field(compare=False)
    about: Mapping[str, Any] = field(compare=False)
    weights: Profile = field(compare=False)
    margins: Margins | None = field(compare=False)

    @classmethod
    def read(cls, data: bytes, key: str | None = None) -> "Fitted":
        """Read a profile from the bytes of its file.

        Raises:
            InvalidProfile: when they are not a profile that this release can use.
        """
        file = unpack(data)
        return cls(
            data, key, MappingProxyType(dict(file.about)), Profile(file.scales, file.weights), Margins.read(file.about)
        )

    @property
    def byte_level(self) -> bool:
        """Whether no text can cost more tokens than it has bytes in UTF-8."""
        return self.about.get("byte_level") is True


@cache
def load(key: str) -> Fitted:
    """The profile of a key.

    Raises:
        ValueError: when no profile has that key; the nearest ones are named.
        InvalidProfile: when the installed file is damaged.
    """
    from pkgutil import get_data  # a tenth of what importlib.resources takes to import

    if key not in _FITTED_FOR:
        near = get_close_matches(key, profiles(), n=3, cutoff=0.4)
        hint = f"the nearest are {', '.join(near)}" if near else f"there are {', '.join(profiles())}"
        raise ValueError(
            f"there is no profile {key!r}: {hint}; Estimator.for_model(...) takes the name "
            "of a model, and Estimator.from_file(...) a file"
        )
    try:
        return Fitted.read(get_data("ullage", f"fitted/{key}.profile") or b"", key)
    except (OSError, InvalidProfile) as error:
        raise InvalidProfile(f"the installed profile {key!r} cannot be read ({error}): install ullage again") from error


def load_file(path: str | PathLike[str]) -> Fitted:
    """The profile in a file.

    Raises:
        OSError: when there is no such file, or it cannot be read.
        InvalidProfile: when it is not a profile that this release can use; the path and the reason are named.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - whatever open takes
        data = file.read(_MAX_BYTES + 1)
    try:
        if len(data) > _MAX_BYTES:
            raise InvalidProfile("not a profile: it is larger than any profile is")  # noqa: TRY301
        return Fitted.read(data)
    except InvalidProfile as error:
        raise InvalidProfile(f"{path}: {error}") from None

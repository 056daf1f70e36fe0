"""The file of a profile: one line that vouches for the rest, one line of JSON about the fit, then scales and weights.

The line of JSON holds what the profile was fitted on and its errors; nothing in it changes an estimate. Numbers are
little-endian.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ullage._core import profile_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MAGIC = "ullage-profile"
VERSION = 1


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """What a profile file holds.

    Args:
        about: the JSON line.
        scales: one for each table, in 2**-24 tokens.
        weights: one signed byte for each cell.

    """

    about: Mapping[str, Any]
    scales: NDArray[np.uint32]
    weights: NDArray[np.int8]


def pack(file: ProfileFile) -> bytes:
    """Write a profile as bytes. The same profile gives the same bytes."""
    about = json.dumps(dict(file.about), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    body = about.encode() + b"\n" + file.scales.astype("<u4").tobytes() + file.weights.astype("i1").tobytes()
    return f"{MAGIC} {VERSION} {_digest(body)}\n".encode() + body


def unpack(data: bytes) -> ProfileFile:
    """Read a profile.

    Raises:
        ValueError: when the data is not a profile, is damaged, or is of a version that this release does not know.

    """
    line, _, body = data.partition(b"\n")
    try:
        magic, version, digest = line.decode("ascii").split(" ")
    except ValueError:
        raise ValueError("not a profile: the first line is missing") from None
    if magic != MAGIC:
        raise ValueError(f"not a profile: it begins with {magic[:20]!r}, not {MAGIC!r}")
    if version != str(VERSION):
        raise ValueError(
            f"profile version {version} is not known to this release, which reads {VERSION}: update ullage"
        )
    if digest != _digest(body):
        raise ValueError("the profile is damaged: its checksum does not fit; fetch or fit it again")
    about, _, numbers = body.partition(b"\n")
    tables = len(profile_tables())
    cells = sum(cells for _, cells in profile_tables())
    if len(numbers) != 4 * tables + cells:
        raise ValueError(
            f"the profile has {len(numbers)} bytes of weights, not {4 * tables + cells}: other tables than ours"
        )
    return ProfileFile(
        about=json.loads(about),
        scales=np.frombuffer(numbers, "<u4", tables),
        weights=np.frombuffer(numbers, "i1", cells, 4 * tables),
    )


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=16).hexdigest()

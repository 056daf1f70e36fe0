"""The file of a profile: one line that vouches for the rest, one line of JSON about the fit, then scales and weights.

The line of JSON holds what the profile was fitted on, its errors and its margins; nothing in it changes an estimate.
Numbers are little-endian. Reading needs no numpy, so that an estimate does not wait for its import.
"""

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ullage._core import profile_tables
from ullage.errors import InvalidProfile

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
    scales: tuple[int, ...]
    weights: bytes


def pack(file: ProfileFile) -> bytes:
    """Write a profile as bytes. The same profile gives the same bytes."""
    about = json.dumps(dict(file.about), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    body = about.encode() + b"\n" + struct.pack(f"<{len(file.scales)}I", *file.scales) + file.weights
    return f"{MAGIC} {VERSION} {_digest(body)}\n".encode() + body


def unpack(data: bytes) -> ProfileFile:
    """Read a profile.

    Raises:
        InvalidProfile: when the data is not a profile, is damaged, or has a version or tables that this release does
            not know.
    """
    line, _, body = data.partition(b"\n")
    try:
        magic, version, digest = line.decode("ascii").split(" ")
    except ValueError:
        raise InvalidProfile("not a profile: the first line is missing") from None
    if magic != MAGIC:
        raise InvalidProfile(f"not a profile: it begins with {magic[:20]!r}, not {MAGIC!r}")
    if version != str(VERSION):
        raise InvalidProfile(
            f"profile version {version[:20]} is not known to this release, which reads {VERSION}: update ullage"
        )
    if digest != _digest(body):
        raise InvalidProfile("the profile is damaged: its checksum does not fit; fetch or fit it again")
    line, _, numbers = body.partition(b"\n")
    tables = profile_tables()
    scales = 4 * len(tables)
    size = scales + sum(cells for _, cells in tables)
    if len(numbers) != size:
        raise InvalidProfile(
            f"the profile has {len(numbers)} bytes of weights, not {size}: it was fitted for other tables; fit it "
            "again with this release"
        )
    try:
        about = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidProfile(f"the profile's line of JSON cannot be read ({error}); fit it again") from None
    if not isinstance(about, dict):
        raise InvalidProfile("the profile's line of JSON is not an object; fit it again")
    return ProfileFile(about, struct.unpack(f"<{len(tables)}I", numbers[:scales]), numbers[scales:])


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=16).hexdigest()

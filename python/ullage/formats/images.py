"""What an image costs at OpenAI: its size from the first bytes of the file, and the published formulas.

Constants and formulas: "Images and vision", section "Calculating costs", platform.openai.com/docs/guides/images-vision,
as of 2026-11-30. An image is never costed by its base64.
"""

from math import ceil, floor, sqrt
from typing import NamedTuple, TypeAlias

from ullage.formats.base64_bytes import Base64Bytes, PlainBytes

TILE = 512
PATCH = 32
MAX_PATCHES = 1536
DEFAULT_SIZE = (1024, 1024)
"""Width and height in pixels where they cannot be known: a remote URL, a file id, a damaged header."""


class Tiles(NamedTuple):
    """Cost by tiles of 512 pixels: `base` for any image, and `tile` for each tile in high detail."""

    base: int
    tile: int


class Patches(NamedTuple):
    """Cost by patches of 32 pixels, at most 1,536 of them, times `multiplier`."""

    multiplier: float


Rule: TypeAlias = Tiles | Patches

DEFAULT_RULE = Tiles(85, 170)
"""GPT-4o, GPT-4.1 and GPT-4.5; used where the model is not known."""

RULES: dict[str, Rule] = {
    "gpt-5": Tiles(70, 140),
    "gpt-5-chat": Tiles(70, 140),
    "gpt-5-mini": Patches(1.62),
    "gpt-5-nano": Patches(2.46),
    "gpt-4.1": Tiles(85, 170),
    "gpt-4.1-mini": Patches(1.62),
    "gpt-4.1-nano": Patches(2.46),
    "gpt-4.5": Tiles(85, 170),
    "gpt-4o": Tiles(85, 170),
    "gpt-4o-mini": Tiles(2833, 5667),
    "o1": Tiles(75, 150),
    "o3": Tiles(75, 150),
    "o4-mini": Patches(1.72),
    "computer-use-preview": Tiles(65, 129),
}


def tokens(size: tuple[int, int] | None, detail: str | None = None, rule: Rule = DEFAULT_RULE) -> int:
    """Tokens of an image.

    Args:
        size: width and height in pixels, or None where they are not known (then 1024 x 1024).
        detail: "low", "high" or "auto"; everything but "low" is taken as "high". Patches know no detail.
        rule: the model's, from `RULES`.

    By tiles: "low" costs the base. Otherwise the image is scaled down to fit 2048 x 2048 and to a shortest side of 768,
    and costs the base and each tile of 512 x 512 that it touches; it is never scaled up (the vision calculator on
    openai.com/api/pricing gave 255 for 150 x 150). By patches: as many patches of 32 x 32 as cover the
    image; above 1,536 it is first scaled down so that whole patches fit.

    >>> tokens((1024, 1024)), tokens((2048, 4096)), tokens((4096, 8192), "low")
    (765, 1105, 85)
    >>> tokens((1024, 1024), rule=Patches(1)), tokens((1800, 2400), rule=Patches(1))
    (1024, 1452)
    """
    width, height = size or DEFAULT_SIZE
    if isinstance(rule, Patches):
        return ceil(_patches(width, height) * rule.multiplier)
    if detail == "low":
        return rule.base
    scale = min(1, 2048 / max(width, height), 768 / min(width, height))
    # The published examples come out whole; 1e-9 keeps a rounding error from adding a tile.
    across, down = (max(1, ceil(side * scale / TILE - 1e-9)) for side in (width, height))
    return rule.base + rule.tile * across * down


def _patches(width: int, height: int) -> int:
    across, down = ceil(width / PATCH), ceil(height / PATCH)
    if across * down <= MAX_PATCHES:
        return across * down
    scale = sqrt(PATCH**2 * MAX_PATCHES / (width * height))
    wide, high = width * scale / PATCH, height * scale / PATCH
    scale *= min(max(floor(wide), 1) / wide, max(floor(high), 1) / high)
    return min(MAX_PATCHES, ceil(width * scale / PATCH - 1e-9) * ceil(height * scale / PATCH - 1e-9))


def size_of_data_uri(uri: str) -> tuple[int, int] | None:
    """Width and height in pixels of an image in base64, from the few bytes that say so; None where they do not.

    Args:
        uri: ``data:image/png;base64,...``, or the base64 alone. PNG, GIF, WebP and JPEG are known.
    """
    try:
        return _size(Base64Bytes(uri))
    except ValueError:
        return None


def size_of(data: str | bytes) -> tuple[int, int] | None:
    """Width and height in pixels of an image in base64 or bytes; None where its first bytes do not say."""
    if isinstance(data, str):
        return size_of_data_uri(data)
    try:
        return _size(PlainBytes(data))
    except ValueError:
        return None


def _size(file: Base64Bytes) -> tuple[int, int] | None:
    """Headers as the formats' specifications give them: PNG (IHDR), GIF89a, RFC 9649 (WebP), ITU-T T.81 (JPEG)."""
    magic = file.read(0, 12)
    if magic.startswith(b"\x89PNG\r\n\x1a\n"):
        size = file.big(16, 4), file.big(20, 4)
    elif magic.startswith(b"GIF8"):
        size = file.little(6, 2), file.little(8, 2)
    elif magic.startswith(b"RIFF") and magic.endswith(b"WEBP"):
        size = _webp_size(file)
    elif magic.startswith(b"\xff\xd8"):
        size = _jpeg_size(file)
    else:
        return None
    return size if all(size) else None


def _webp_size(file: Base64Bytes) -> tuple[int, int]:
    chunk = file.read(12, 4)
    if chunk == b"VP8X":
        return 1 + file.little(24, 3), 1 + file.little(27, 3)
    if chunk == b"VP8L":
        bits = file.little(21, 4)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        return file.little(26, 2) & 0x3FFF, file.little(28, 2) & 0x3FFF
    raise ValueError(chunk)


def _jpeg_size(file: Base64Bytes) -> tuple[int, int]:
    """Hops from segment to segment until one that starts a frame; thumbnails and profiles are jumped over."""
    at = 2
    for _ in range(1000):
        mark, code = file.read(at, 2)
        if mark != 0xFF:
            break
        if code == 0xFF:
            at += 1
        elif 0xC0 <= code <= 0xCF and code not in (0xC4, 0xC8, 0xCC):
            return file.big(at + 7, 2), file.big(at + 5, 2)
        else:
            at += 2 + file.big(at + 2, 2)
    raise ValueError(at)

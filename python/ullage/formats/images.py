"""What an image costs at OpenAI: its size from the first bytes of the file, and the published formulas.

Constants and formulas: "Images and vision", sections "Image detail" and "Calculating costs",
developers.openai.com/api/docs/guides/images-vision, as of 2026-11-30. An image is never costed by its base64.

The formula depends on the model, which a message does not name. Here every image costs as at GPT-4o and GPT-4.1, but
for detail "original", which only models that count by patches know. These (GPT-5.4 and later) take more for a large
image: up to 2,500 patches in detail "high", and GPT-5.6 as many as "original" where no detail is given.
"""

from math import ceil

from ullage.formats.base64_bytes import Base64Bytes, PlainBytes

BASE_TOKENS = 85
"""Any image."""
TILE_TOKENS = 170
"""Each tile of 512 x 512 pixels, beside the base."""
TILE = 512
PATCH = 32
DEFAULT_SIZE = (1024, 1024)
"""Width and height in pixels where they cannot be known: a remote URL, a file id, a damaged header."""
MAX_SIDE = 65_535
"""Pixels; a header that says more is damaged. JPEG has no room for more, and no provider takes as much."""


def tokens(size: tuple[int, int] | None, detail: str | None = None) -> int:
    """Tokens of an image.

    Args:
        size: width and height in pixels, or None where they are not known (then 1024 x 1024).
        detail: "low", "original", "high" or "auto"; whatever else is taken as "high".

    "low" costs the base. "original" costs a token for each patch of 32 x 32 that it takes to cover the image. Otherwise
    the image is scaled down to fit 2048 x 2048 and to a shortest side of 768, and costs the base and each tile of
    512 x 512 that it touches; it is never scaled up (community.openai.com/t/reading-videos-with-gpt4v/523568).

    >>> tokens((1024, 1024)), tokens((2048, 4096)), tokens((4096, 8192), "low"), tokens((1024, 1030), "original")
    (765, 1105, 85, 1056)
    """
    width, height = size or DEFAULT_SIZE
    if detail == "low":
        return BASE_TOKENS
    if detail == "original":
        return ceil(width / PATCH) * ceil(height / PATCH)
    scale = min(1, 2048 / max(width, height), 768 / min(width, height))
    # The published examples come out whole; 1e-9 keeps a rounding error from adding a tile.
    across, down = (max(1, ceil(side * scale / TILE - 1e-9)) for side in (width, height))
    return BASE_TOKENS + TILE_TOKENS * across * down


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
    return size if all(0 < side <= MAX_SIDE for side in size) else None


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

"""The first bytes of a file that is held as base64: only what is asked for is decoded."""

from base64 import b64decode


class Base64Bytes:
    """Bytes of a base64 text by their position.

    Args:
        text: ``data:image/png;base64,...``, or the base64 alone; without line breaks.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = text.find(",", 0, 256) + 1 if text.startswith("data:") else 0

    def read(self, offset: int, count: int) -> bytes:
        """`count` bytes from `offset` on.

        Raises:
            ValueError: when they are not there, or not base64.
        """
        first, skip = divmod(offset, 3)
        groups = (skip + count + 2) // 3
        at = self._start + 4 * first
        data = b64decode(self._text[at : at + 4 * groups], validate=True)[skip : skip + count]
        if len(data) < count:
            raise ValueError(f"there are no {count} bytes at {offset}")
        return data

    def big(self, offset: int, count: int) -> int:
        """An unsigned number, most significant byte first."""
        return int.from_bytes(self.read(offset, count), "big")

    def little(self, offset: int, count: int) -> int:
        """An unsigned number, least significant byte first."""
        return int.from_bytes(self.read(offset, count), "little")


class PlainBytes(Base64Bytes):
    """The same for a file that is at hand as bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, offset: int, count: int) -> bytes:
        """`count` bytes from `offset` on.

        Raises:
            ValueError: when they are not there.
        """
        data = bytes(self._data[offset : offset + count])
        if len(data) < count:
            raise ValueError(f"there are no {count} bytes at {offset}")
        return data


def decoded_length(data: str | bytes) -> int:
    """How many bytes a base64 text stands for, to within three; or how many there are."""
    if isinstance(data, bytes):
        return len(data)
    return (len(data) - (data.find(",", 0, 256) + 1 if data.startswith("data:") else 0)) * 3 // 4

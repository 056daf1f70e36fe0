"""A profile file comes back as it was written, and says what is wrong with it otherwise."""

import hashlib
import random
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ullage import InvalidProfile
from ullage._core import Profile, profile_tables
from ullage.profile_file import ProfileFile, pack, unpack

TABLES = len(profile_tables())
CELLS = sum(cells for _, cells in profile_tables())


def profile(about=None) -> ProfileFile:
    rng = random.Random(0)
    return ProfileFile(
        about={"tokenizer": "testing", "errors": {"prose": 0.02}} if about is None else about,
        scales=tuple(rng.randrange(1, 1 << 32) for _ in range(TABLES)),
        weights=rng.randbytes(CELLS),
    )


PACKED = pack(profile())


def signed(body: bytes) -> bytes:
    """A file whose first line vouches for the body."""
    return f"ullage-profile 1 {hashlib.blake2b(body, digest_size=16).hexdigest()}\n".encode() + body


def test_it_comes_back_as_it_was_written():
    assert unpack(PACKED) == profile()
    assert pack(unpack(PACKED)) == PACKED
    assert len(PACKED) < 64 * 1024


@given(st.integers(0, len(PACKED) - 1), st.integers(0, 7))
@example(0, 0)
@example(15, 1)
def test_any_changed_bit_is_refused(place, bit):
    data = bytearray(PACKED)
    data[place] ^= 1 << bit
    with pytest.raises(InvalidProfile, match="profile"):
        unpack(bytes(data))


@given(st.integers(0, len(PACKED) - 1))
def test_any_missing_end_is_refused(length):
    with pytest.raises(InvalidProfile, match="profile"):
        unpack(PACKED[:length])


@given(st.binary())
def test_any_bytes_are_refused(data):
    with pytest.raises(InvalidProfile, match="not a profile"):
        unpack(data)


NUMBERS = PACKED.split(b"\n", 2)[2]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a profile: the first line is missing"),
        (b"PK\x03\x04 and more", "not a profile"),
        (b"other 1 digest\n", "not a profile: it begins with 'other', not 'ullage-profile'"),
        (PACKED.replace(b"profile 1", b"profile 2", 1), "version 2 is not known .* update ullage"),
        (PACKED[:-1], "damaged: its checksum does not fit; fetch or fit it again"),
        (signed(b"{}\n" + NUMBERS[:-1]), "other tables; fit it again with this release"),
        (signed(b"{}\n" + NUMBERS + b"\0"), "other tables"),
        (signed(b"{,}\n" + NUMBERS), "line of JSON cannot be read"),
        (signed(b"\xff\n" + NUMBERS), "line of JSON cannot be read"),
        (signed(b"[" * 100_000 + b"\n" + NUMBERS), "line of JSON cannot be read"),
        (signed(b"[]\n" + NUMBERS), "not an object"),
    ],
)
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(InvalidProfile, match=message):
        unpack(data)


def test_the_rust_half_refuses_what_does_not_fit_its_tables():
    scales, weights = profile().scales, profile().weights
    with pytest.raises(ValueError, match=f"a profile has {TABLES} scales, and 0 were given"):
        Profile((), weights)
    with pytest.raises(ValueError, match=f"{CELLS} weights, and {CELLS - 1} were given"):
        Profile(scales, weights[:-1])


def test_numbers_are_little_endian():
    written = profile()
    assert NUMBERS[: 4 * TABLES] == struct.pack(f"<{TABLES}I", *written.scales)
    assert NUMBERS[4 * TABLES :] == written.weights

"""A profile file comes back as it was written, and says what is wrong with it otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage._core import profile_tables
from ullage.profile_file import ProfileFile, pack, unpack

CELLS = sum(cells for _, cells in profile_tables())
TABLES = len(profile_tables())


def profile(seed: int = 0) -> ProfileFile:
    rng = np.random.default_rng(seed)
    return ProfileFile(
        about={"tokenizer": "testing", "errors": {"prose": 0.02}},
        scales=rng.integers(1, 2**32, TABLES, dtype=np.uint32),
        weights=rng.integers(-127, 128, CELLS, dtype=np.int8),
    )


def test_it_comes_back_as_it_was_written():
    written = profile()
    read = unpack(pack(written))
    assert read.about == written.about
    assert read.scales.tolist() == written.scales.tolist()
    assert read.weights.tolist() == written.weights.tolist()
    assert len(pack(written)) < 64 * 1024


@given(place=st.integers(0, CELLS), bit=st.integers(0, 7))
def test_any_changed_bit_is_refused(place, bit):
    data = bytearray(pack(profile()))
    data[place] ^= 1 << bit
    with pytest.raises(ValueError, match="profile"):
        unpack(bytes(data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a profile: the first line is missing"),
        (b"PK\x03\x04", "not a profile"),
        (pack(profile()).replace(b"ullage-profile 1", b"ullage-profile 2", 1), "version 2 is not known"),
        (pack(profile())[:-1], "damaged"),
    ],
)
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(ValueError, match=message):
        unpack(data)

"""Bytes to text: encodings, what is broken, what is binary."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ullage
from ullage.cli.read import Text, decode, read

TEXT = "Grüße, мир, 茶, 🍵\r\n"
plain = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(plain)
def test_utf8_is_read_as_it_is(text):
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == Text(text, 0)


@given(plain, st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_byte_order_mark_says_the_encoding_and_is_not_text(text, encoding):
    assert decode(text.encode(encoding)) == Text(text, 0)


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"])
def test_either_byte_order(encoding):
    assert decode("\ufeff".encode(encoding) + TEXT.encode(encoding)) == Text(TEXT, 0)


def test_broken_sequences_become_one_character_each_and_are_counted():
    assert decode(b"tea\xff and \xe2\x82 milk") == Text("tea\ufffd and \ufffd milk", 2)
    assert decode("a \ufffd of its own, \udcff".encode(errors="surrogateescape")) == Text(
        "a \ufffd of its own, \ufffd", 1
    )
    assert decode("Grüße".encode("latin-1")) == Text("Gr\ufffd\ufffde", 2)
    assert decode(b"\xed\xa0\x80 a surrogate") == Text("\ufffd\ufffd\ufffd a surrogate", 3)


def test_a_utf16_file_that_ends_in_the_middle():
    assert decode(TEXT.encode("utf-16") + b"x") == Text(TEXT + "\ufffd", 1)


@pytest.mark.parametrize(
    "data",
    [
        b"GIF89a\0\0",
        b"text, then" + b" " * 100_000 + b"\0",
        "Чай остыл".encode("cp1251"),
        random.Random(1).randbytes(100_000),
        "a\0b".encode("utf-16"),
        TEXT.encode("utf-16-le"),
    ],
    ids=["head", "far", "code-page", "random", "nul-in-utf16", "utf16-without-mark"],
)
def test_binary(data, tmp_path):
    assert decode(data) is None
    (tmp_path / "data").write_bytes(data)
    assert read(str(tmp_path / "data")) is None


def test_empty():
    assert decode(b"") == Text("", 0)
    assert decode(b"\xef\xbb\xbf") == Text("", 0)


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 200_000])
def test_files_around_the_size_of_the_head(tmp_path, size):
    text = "ж" + "x" * (size - 2)
    (tmp_path / "data").write_text(text, encoding="utf-8")
    assert read(str(tmp_path / "data")) == Text(text, 0)


def test_binary_files_are_counted_and_no_failure(count, tree):
    tree({"a.txt": "tea", "b.png": b"\x89PNG\0", "c.bin": b"\0"})
    result = count(".")
    assert result.exit_code == 0
    assert result.stderr == "ullage: left out: 2 binary\n"
    assert count.json(".")["skipped"]["binary"] == 2


def test_only_binary(count, tree):
    tree({"b.png": b"\x89PNG\0"})
    result = count("b.png")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "ullage: left out: 1 binary\nullage: nothing to count\n"


def test_replaced_characters_are_told(count, tree):
    tree({"old.txt": "Grüße aus Köln".encode("latin-1")})
    result = count("old.txt")
    assert result.exit_code == 0
    assert result.stderr == "ullage: 3 characters stand for bytes that could not be decoded\n"
    (row,) = count.json("old.txt")["rows"]
    assert (row["replaced"], row["characters"]) == (3, 14)
    assert row["tokens"] == ullage.estimate("Gr\ufffd\ufffde aus K\ufffdln")


def test_stdin_is_bytes(count):
    row = count.json("-", stdin=TEXT.encode("utf-16"))["rows"][0]
    assert row["characters"] == len(TEXT)


@pytest.mark.long
def test_a_file_of_a_gigabyte(count, tmp_path):
    block = ("Чай остыл. " * 100_000).encode()
    with (tmp_path / "large.txt").open("wb") as file:
        blocks = -(-(1 << 30) // len(block))
        for _ in range(blocks):
            file.write(block)
    assert count.json(tmp_path / "large.txt")["total"]["characters"] == blocks * 1_100_000

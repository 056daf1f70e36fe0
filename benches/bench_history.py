"""A history of 100,000 messages, by pytest-benchmark: for comparing two commits."""

import pytest

import ullage
from benches.history import LENGTH, copied, messages

APPENDED = 4_000


@pytest.fixture(scope="module")
def originals():
    return messages()


def test_read(benchmark, originals):
    history = benchmark.pedantic(ullage.History, (originals,), rounds=3)
    assert len(history) == LENGTH


def test_append(benchmark, originals):
    history = ullage.History(originals)
    new = iter(messages(LENGTH + APPENDED)[LENGTH:])
    benchmark.pedantic(history.append, setup=lambda: ((next(new),), {}), rounds=APPENDED)
    assert len(history) == LENGTH + APPENDED


@pytest.mark.parametrize("given", [list, copied], ids=["same messages", "messages copied one level"])
def test_update(benchmark, originals, given):
    history = ullage.History(originals)
    assert benchmark(history.update, given(originals)) == (None, 0, LENGTH, 0)


def test_python_equality(benchmark, originals):
    copies = copied(originals)
    assert benchmark(lambda: originals == copies)


def test_two_edits(benchmark, originals):
    history = ullage.History(originals)
    edited = [{"role": "user", "content": "first"}, *originals[1:-1], {"role": "user", "content": "last"}]
    other = iter([edited, originals] * 100)
    update = benchmark.pedantic(lambda: history.update(next(other)), rounds=10)
    assert update.read == 2

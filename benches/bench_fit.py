"""Fitting a history of 100,000 messages, by pytest-benchmark: for comparing two commits."""

import pytest

import ullage
from benches.history import LENGTH, messages

BUDGET = 200_000


@pytest.fixture(scope="module")
def originals():
    return messages()


def test_unknown(benchmark, originals):
    """Every message is read and checked, and all requests are replayed."""
    result = benchmark.pedantic(ullage.fit, (originals, BUDGET), rounds=2)
    assert result.tokens <= BUDGET


def test_known(benchmark, originals):
    history = ullage.History(originals)
    result = benchmark(ullage.fit, originals, BUDGET, history=history)
    assert result.tokens <= BUDGET
    assert len(result.messages) < LENGTH


def test_what_if(benchmark, originals):
    history = ullage.History(originals)
    receipt = benchmark(ullage.what_if, originals, BUDGET, history=history)
    assert receipt.after <= BUDGET

"""Every contestant over the size ladder and over every text, by pytest-benchmark: for comparing two commits."""

import pytest

from benches.contestants import NAMES, load
from benches.texts import FILES, LADDER, MESSAGE, SIZES, text

CASES = [(name, size) for name in LADDER for size in SIZES] + [(name, MESSAGE) for name in FILES if name not in LADDER]


@pytest.mark.parametrize("contestant", NAMES)
@pytest.mark.parametrize(("name", "size"), CASES)
def test_call(benchmark, name, size, contestant):
    try:
        chosen = load(contestant)
    except ModuleNotFoundError as missing:
        pytest.skip(f"{contestant}: {missing}; install the dependency group bench")
    subject = text(name, size)
    benchmark.group = f"{name}, {size:,} B"
    tokens = benchmark(chosen.call, subject)
    benchmark.extra_info.update(tokens=tokens, correct=chosen.check(subject, tokens), version=chosen.version)
    assert benchmark.extra_info["correct"]

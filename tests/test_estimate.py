"""The script rule as Python sees it: module-level functions and Estimator."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import ullage
from ullage import Estimator, ScriptCounts, ScriptRule

# Every storage width, surrogates included. Each class is drawn on its own, or wide ones would hide the rest.
CHARACTERS = st.one_of(
    st.characters(max_codepoint=0x7F),
    st.characters(max_codepoint=0xFF),
    st.characters(max_codepoint=0xFFFF),
    st.characters(min_codepoint=0x2E80, max_codepoint=0x33FF),
    st.characters(),
    st.characters(categories=["Cs"]),
)
TEXTS = st.one_of(
    st.text(st.characters(max_codepoint=0x7F)),
    st.text(st.characters(max_codepoint=0xFF)),
    st.text(st.characters(max_codepoint=0xFFFF)),
    st.text(CHARACTERS),
    st.builds(lambda text, times: text * times, st.text(CHARACTERS, max_size=40), st.integers(1, 50)),
)


@given(TEXTS)
@example("")
@example("\ud800")
@example("\x00" * 9)
@example("ｶﾞ・ー〆")
@example("l·l")
@example("👩‍👩‍👧‍👦")
def test_every_answer_is_the_oracles(text):
    ascii_, cjk, other = oracle.scripts(text)
    tokens = oracle.estimate(text)
    assert ullage.scripts(text) == ScriptCounts(ascii_, cjk, other)
    assert ullage.estimate(text) == tokens
    assert Estimator().estimate(text) == tokens
    assert ullage.byte_bound(text) == oracle.byte_bound(text)
    for limit in (tokens - 1, tokens, tokens + 1, 0):
        assert ullage.fits(text, limit) is (tokens <= limit)
        assert Estimator().fits(text, limit) is (tokens <= limit)


def test_every_code_point():
    """By blocks of 64, and one by one where a block is mixed; in its own storage and in the widest."""
    for first in range(0, 0x110000, 64):
        block = [chr(point) for point in range(first, first + 64)]
        are_cjk = [oracle.CJK.match(character) is not None for character in block]
        singly = 0 < sum(are_cjk) < 64 or first < 0x100
        for text, cjk in [("".join(block), sum(are_cjk)), *(zip(block, are_cjk, strict=True) if singly else ())]:
            ascii_ = len(text) if first < 0x80 else 0
            expected = ScriptCounts(ascii_, cjk, len(text) - ascii_ - cjk)
            assert ullage.scripts(text) == expected, hex(ord(text[0]))
            assert ullage.scripts(text + "\U00010000") == expected + ScriptCounts(other=1), hex(ord(text[0]))


RATES = st.integers(1, 100_000).map(lambda thousandths: thousandths / 1000)


@given(TEXTS, RATES, RATES, RATES)
def test_rates_are_applied_exactly(text, ascii_rate, cjk_rate, other_rate):
    rule = ScriptRule(ascii=ascii_rate, cjk=cjk_rate, other=other_rate)
    exact = [Fraction(round(rate * 1000), 1000) for rate in (ascii_rate, cjk_rate, other_rate)]
    tokens = oracle.estimate(text, *exact)
    assert Estimator(rule).estimate(text) == tokens
    assert Estimator(rule).fits(text, tokens)
    assert not Estimator(rule).fits(text, tokens - 1)


@given(st.lists(TEXTS), st.sampled_from([None, 1, 2, 5]))
def test_a_batch_is_each_text_by_itself(texts, threads):
    tokens = Estimator().estimate_batch(iter(texts), threads=threads)
    assert tokens.dtype == np.uint32
    assert tokens.shape == (len(texts),)
    assert tokens.tolist() == [oracle.estimate(text) for text in texts]


def test_a_batch_beyond_the_thread_threshold():
    texts = ["чай 茶 tea " * (1000 + index % 7) for index in range(2000)]
    expected = {text: oracle.estimate(text) for text in texts[:7]}
    assert Estimator().estimate_batch(texts).tolist() == [expected[text] for text in texts]


def test_a_russian_chapter_of_known_composition():
    # 100,092 characters, 26,492 of them ASCII: 26,492 / 4 + 73,600 / 2 = 43,423.
    chapter = "".join("ж" if index % 100_092 < 73_600 else " " for index in range(100_092))
    assert len(chapter) == 100_092
    assert ullage.scripts(chapter) == ScriptCounts(ascii=26_492, cjk=0, other=73_600)
    assert ullage.estimate(chapter) == 43_423


class Text(str):
    """A subclass, as template engines and enum members are."""


def test_str_subclasses_are_text():
    assert ullage.estimate(Text("abcde")) == 2
    assert ullage.scripts(Text("茶")) == ScriptCounts(cjk=1)
    assert Estimator().estimate_batch([Text("abcde"), "茶"]).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("value", "name"), [(b"abc", "bytes"), (bytearray(b"abc"), "bytearray"), (None, "NoneType"), (7, "int")]
)
@pytest.mark.parametrize(
    "function",
    [
        ullage.estimate,
        ullage.scripts,
        ullage.byte_bound,
        lambda text: ullage.fits(text, 3),
        Estimator().estimate,
    ],
)
def test_what_is_not_text_is_named(function, value, name):
    with pytest.raises(TypeError, match=rf"^text must be str, not {name}"):
        function(value)


def test_a_batch_names_the_index():
    with pytest.raises(TypeError, match=r"^texts\[2\] must be str, not bytes; decode it first$"):
        Estimator().estimate_batch(["a", "b", b"c"])
    with pytest.raises(TypeError, match="not one str"):
        Estimator().estimate_batch("abc")
    with pytest.raises(TypeError, match="int"):
        Estimator().estimate_batch(3)
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        Estimator().estimate_batch([], threads=0)


def test_a_batch_passes_on_what_its_iterable_raises():
    def texts():
        yield "a"
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        Estimator().estimate_batch(texts())


def test_an_estimate_beyond_32_bits_is_refused_by_index():
    rule = ScriptRule(ascii=0.001)
    with pytest.raises(OverflowError, match=r"^texts\[1\] is estimated at 5000000000 tokens"):
        Estimator(rule).estimate_batch(["a", "a" * 5_000_000])


def test_more_threads_than_a_system_has():
    texts = ["чай " * 200] * 3000
    assert set(Estimator().estimate_batch(texts, threads=1 << 40).tolist()) == {oracle.estimate(texts[0])}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process, as Linux has them")
def test_a_batch_is_scanned_where_no_thread_can_be_started():
    """No room for the stack of one more thread."""
    code = """
import resource, ullage
import numpy
texts = ["чай " * 200] * 100
estimator = ullage.Estimator()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), resource.RLIM_INFINITY))
print(set(estimator.estimate_batch(texts, threads=4).tolist()))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "{350}\n"


@pytest.mark.parametrize("limit", [2**64, 2**200])
def test_huge_limits_fit(limit):
    assert ullage.fits("abc", limit)
    assert not ullage.fits("abc", -limit)


def test_a_limit_must_be_an_int():
    with pytest.raises(TypeError, match="limit must be an int of tokens, not float"):
        ullage.fits("abc", 1.5)


@pytest.mark.parametrize("rate", [0, -1, 0.0001, 100.1, float("inf"), float("nan"), 10**400])
def test_impossible_rates(rate):
    with pytest.raises(ValueError, match=r"cjk must be from 0\.001 to 100 characters a token"):
        ScriptRule(cjk=rate)


@pytest.mark.parametrize("rate", ["4", None.__class__, True])
def test_rates_are_numbers(rate):
    with pytest.raises(TypeError, match="ascii must be a number of characters a token"):
        ScriptRule(ascii=rate)


def test_what_a_rate_raises_is_passed_on():
    class Rate:
        def __float__(self):
            raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        ScriptRule(ascii=Rate())


def test_values_compare_hash_and_pickle():
    for value, same, other in [
        (ScriptRule(ascii=3.5), ScriptRule(ascii=3.5), ScriptRule()),
        (Estimator(ScriptRule(cjk=2)), Estimator(ScriptRule(cjk=2)), Estimator()),
        (ScriptCounts(1, 2, 3), ScriptCounts(1, 2, 3), ScriptCounts()),
    ]:
        assert value == same
        assert value != other
        assert hash(value) == hash(same)
        assert pickle.loads(pickle.dumps(value)) == value
        assert eval(repr(value), vars(ullage)) == value
        with pytest.raises(AttributeError):
            value.something = 1
    assert ScriptRule() == ScriptRule(ascii=4, cjk=1, other=2)
    assert Estimator() == Estimator(ScriptRule())
    assert ScriptCounts(1, 2, 3) + ScriptCounts(10, 20, 30) == ScriptCounts(11, 22, 33)


def test_one_estimator_on_many_threads():
    texts = ["чай 茶 tea " * times for times in range(400)]
    expected = [oracle.estimate(text) for text in texts]
    estimator = Estimator()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: [estimator.estimate(text) for text in texts], range(16)))
        batches = list(pool.map(lambda _: estimator.estimate_batch(texts, threads=2).tolist(), range(16)))
    assert all(result == expected for result in results + batches)


@pytest.mark.long
def test_a_gibibyte():
    text = "ж" * (1 << 29)
    assert ullage.estimate(text) == 1 << 28
    assert ullage.byte_bound(text) == 1 << 30

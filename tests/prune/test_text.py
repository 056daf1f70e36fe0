"""prune_text: head and tail, never too long, everything counted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ullage
from ullage import Estimator, ScriptRule, prune_text

TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30), max_size=60).map(
        "\n".join
    ),
    st.lists(st.sampled_from(["tea", "茶", "чай", "\ud800", "a\r\n", "\n", " ", "[... truncated, 3 lines]\n"])).map(
        "".join
    ),
    st.integers(0, 5000).map("x".__mul__),
)
ESTIMATORS = st.sampled_from([None, Estimator(ScriptRule(ascii=1)), Estimator(ScriptRule(ascii=9, cjk=3))])


def pruned_or_refused(prune, text, budget, estimator):
    """The result; where it was refused, None, after a look at the error."""
    try:
        return prune(text, max_tokens=budget, estimator=estimator)
    except ValueError as error:
        least = int(re.search(r"needs (\d+)$", str(error))[1])
        assert least > budget
        assert prune(text, max_tokens=least, estimator=estimator)
        return None


@given(TEXTS, st.integers(0, 120), ESTIMATORS)
def test_never_over_budget_and_idempotent(text, budget, estimator):
    count = estimator.estimate if estimator else ullage.estimate
    kept = pruned_or_refused(prune_text, text, budget, estimator)
    if count(text) <= budget:
        assert kept is text
    elif kept is not None:
        assert count(kept) <= budget
        assert kept.count("[... truncated, ") >= 1
        assert prune_text(kept, max_tokens=budget, estimator=estimator) is kept


@given(st.integers(2, 3000), st.integers(12, 200))
def test_lines_add_up(count, budget):
    text = "\n".join(f"line {number}" for number in range(count))
    kept = prune_text(text, max_tokens=budget)
    marks = re.findall(r"\[\.\.\. truncated, (\d+) lines\]", kept)
    shown = re.findall(r"^line \d+$", kept, re.MULTILINE)
    assert len(shown) + sum(map(int, marks)) == count


@given(st.integers(200, 5000), st.integers(10, 40))
def test_characters_add_up(count, budget):
    kept = prune_text("x" * count, max_tokens=budget)
    mark = re.search(r"\[\.\.\. truncated, (\d+) characters\]", kept)
    assert (int(mark[1]) if mark else 0) + kept.count("x") == count


@given(st.integers(1000, 3000), st.integers(50, 150), st.integers(12, 49))
def test_a_mark_passes_its_count_on(count, first, second):
    text = "\n".join(f"line {number}" for number in range(count))
    again = prune_text(prune_text(text, max_tokens=first), max_tokens=second)
    shown = re.findall(r"^line \d+$", again, re.MULTILINE)
    marks = re.findall(r"\[\.\.\. truncated, (\d+) lines\]", again)
    assert len(shown) + sum(map(int, marks)) == count


def test_cuts_between_words_where_there_are_no_lines():
    words = " ".join(f"word{number}" for number in range(500))
    kept = prune_text(words, max_tokens=40)
    head, tail = re.split(r"\[\.\.\. truncated, \d+ characters\]", kept)
    assert head.endswith(" ")
    assert words.startswith(head)
    assert words.endswith(tail)
    assert tail[:4] == "word"


def test_each_end_gets_about_half():
    text = "\n".join(f"line {number:04}" for number in range(1000))
    head, tail = re.split(r"\[\.\.\. truncated, \d+ lines\]\n", prune_text(text, max_tokens=100))
    assert abs(len(head) - len(tail)) <= 10
    assert len(head) > 150


def test_what_does_not_estimate_is_refused():
    with pytest.raises(TypeError, match=r"^estimator must have a method estimate, not be str; Estimator\.for_model"):
        prune_text("tea", max_tokens=3, estimator="gpt-4o")


def test_too_small_a_budget_names_the_least():
    with pytest.raises(ValueError, match=r"max_tokens is 3, too small for this result: .* needs 8$"):
        prune_text("x" * 1000, max_tokens=3)
    with pytest.raises(ValueError, match="cannot be negative"):
        prune_text("", max_tokens=-1)
    assert prune_text("", max_tokens=0) == ""
    with pytest.raises(TypeError):
        prune_text("x" * 1000, max_tokens=3.5)

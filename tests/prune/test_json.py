"""prune_json: fields, items, budgets, and what is not JSON."""

import copy
import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ullage
from ullage import prune_json

from .test_text import ESTIMATORS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.dictionaries(st.text(max_size=8) | st.just("..."), inner, max_size=12)
        | st.tuples(inner, inner)
    ),
    max_leaves=60,
)


def written(value):
    return json.dumps(value, ensure_ascii=False)


def same(one, other):
    """Equal, of the same types, NaN included."""
    return repr(one) == repr(other)


def leaves(value):
    """How many items, keys and characters are in ``value`` or counted by its marks."""
    if isinstance(value, str):
        mark = re.search(r"\[\.\.\. truncated, (\d+) characters\]$", value)
        return len(value) - len(mark[0]) + int(mark[1]) if mark else len(value)
    if isinstance(value, (list, tuple)):
        mark = re.fullmatch(r"\[\.\.\. truncated, (\d+) more items\]", str(value[-1])) if value else None
        return len(value) - 1 + int(mark[1]) if mark else len(value)
    if isinstance(value, dict):
        counted = [re.fullmatch(r"\[\.\.\. truncated, (\d+) more keys\]", str(item)) for item in value.values()]
        return sum(int(mark[1]) if mark else 1 for mark in counted)
    return 1


@given(VALUES, st.integers(0, 150), ESTIMATORS)
def test_never_over_budget_valid_and_idempotent(value, budget, estimator):
    count = estimator.estimate if estimator else ullage.estimate
    before = copy.deepcopy(value)
    try:
        kept = prune_json(value, max_tokens=budget, estimator=estimator)
    except ValueError as error:
        least = int(re.search(r"needs (\d+)$", str(error))[1])
        assert least > budget
        prune_json(value, max_tokens=least, estimator=estimator)
        return
    finally:
        assert same(value, before)
    assert count(written(kept)) <= budget
    assert same(json.loads(written(kept)), json.loads(json.dumps(kept)))
    assert prune_json(kept, max_tokens=budget, estimator=estimator) is kept
    assert leaves(kept) == leaves(value)
    if count(written(value)) <= budget:
        assert kept is value


@given(VALUES, st.integers(0, 5))
def test_max_items(value, most):
    before = copy.deepcopy(value)
    kept = prune_json(value, max_items=most)
    assert same(value, before)
    assert prune_json(kept, max_items=most) is kept

    def check(old, new):
        assert leaves(old) == leaves(new)
        if isinstance(old, (list, tuple)):
            if len(old) <= most:
                assert len(new) == len(old)
            else:
                assert len(new) == most + 1
                assert new[-1] == f"[... truncated, {len(old) - most} more items]"
            for one, other in zip(old[:most], new[:most], strict=True):
                check(one, other)
        elif isinstance(old, dict):
            assert old.keys() == new.keys()
            for key in old:
                check(old[key], new[key])
        else:
            assert old is new

    check(value, kept)


@given(st.integers(60, 2000), st.integers(100, 400), st.integers(20, 90))
def test_marks_pass_their_counts_on(count, first, second):
    value = {"items": [f"item {n}" for n in range(count)], "text": "x" * count}
    again = prune_json(prune_json(value, max_tokens=first), max_tokens=second)
    assert again.get("...") or (leaves(again["items"]), leaves(again["text"])) == (count, count)


def test_what_is_not_cut_is_the_same_object():
    author = {"name": "a" * 20}
    value = {"author": author, "rows": list(range(500))}
    kept = prune_json(value, max_items=3)
    assert kept == {"author": author, "rows": [0, 1, 2, "[... truncated, 497 more items]"]}
    assert kept["author"] is author
    assert prune_json(value, max_items=500, max_tokens=10_000, fields=["author", "rows"]) is value


def test_fields():
    value = {
        "total": 2,
        "results": [
            {"id": 1, "title": "Tea", "author": {"name": "A", "mail": "a@example.com"}},
            {"id": 2, "author": {"name": "B"}},
        ],
        "a.b": {"c": 1, "d": 2},
        "debug": "x" * 1000,
    }
    assert prune_json(value, fields=["total", "results.title", "results.author.name"]) == {
        "total": 2,
        "results": [{"title": "Tea", "author": {"name": "A"}}, {"author": {"name": "B"}}],
    }
    assert prune_json(value, fields=["a.b.c"]) == {"a.b": {"c": 1}}
    assert prune_json(value, fields=["results"])["results"] is value["results"]
    assert prune_json(value, fields="total") == {"total": 2}
    assert prune_json(value["results"], fields=["id"]) == [{"id": 1}, {"id": 2}]
    # The order is that of the value.
    assert list(prune_json(value, fields=["results", "total"])) == ["total", "results"]


def test_an_object_with_none_of_the_fields_stays_whole():
    error = {"error": "no such page", "status": 404}
    assert prune_json(error, fields=["results.title", "total"]) is error


@given(VALUES, st.lists(st.text(max_size=8), max_size=4))
def test_fields_are_idempotent(value, fields):
    kept = prune_json(value, fields=fields)
    assert prune_json(kept, fields=fields) is kept


def test_records_stay_longer_than_long_lists_of_them():
    value = [{f"key{k}": f"value {n}" for k in range(8)} for n in range(200)]
    kept = prune_json(value, max_tokens=150)
    assert len(kept) > 2
    assert kept[0] == value[0]
    assert kept[-1] == f"[... truncated, {201 - len(kept)} more items]"


def test_the_budget_is_used():
    for value in ("x" * 40_000, list(range(10_000)), {"text": "word " * 9000}, [["a" * 300] * 50] * 50):
        kept = prune_json(value, max_tokens=1000)
        assert 900 <= ullage.estimate(written(kept)) <= 1000


def test_a_growing_list_keeps_its_head():
    rows = [{"id": n, "name": f"row {n}"} for n in range(400)]
    heads = {json.dumps(prune_json(rows[:count], max_items=20)[:20]) for count in (20, 50, 400)}
    assert len(heads) == 1


def test_a_key_that_looks_like_the_mark():
    value = {"...": 1, **{f"key{n}": "x" * 50 for n in range(50)}}
    kept = prune_json(value, max_tokens=40)
    assert kept["..."] == 1
    assert leaves(kept) == 51


def test_numbers_that_are_no_json_pass_as_python_writes_them():
    kept = prune_json([math.nan, math.inf, 10**400, -0.0, *range(1000)], max_tokens=200)
    assert math.isnan(kept[0])
    assert kept[1:4] == [math.inf, 10**400, -0.0]


def test_what_is_not_json_is_named_with_its_path():
    with pytest.raises(TypeError, match=r"^\$\.rows\[2\]\.when is datetime, which is not JSON$"):
        prune_json({"rows": [1, 2, {"when": __import__("datetime").datetime.now()}]}, max_tokens=5)
    with pytest.raises(TypeError, match=r"^\$\[0\] is bytes"):
        prune_json([b"x"])
    with pytest.raises(TypeError, match=r"^\$\.a has a key of type tuple"):
        prune_json({"a": {(1, 2): 3}})


def test_deep_cyclic_and_endless_values():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match=r"^\$(\[0\]){6} \.\.\. (\[0\]){4} is nested deeper than 200 levels$"):
        prune_json(deep, max_tokens=100)
    while deep:
        deep = deep.pop()  # freed one by one: freeing it at once would nest as deep
    cycle = {"a": [1]}
    cycle["a"].append(cycle)
    with pytest.raises(ValueError, match=r"^\$\.a\[1\] contains itself$"):
        prune_json(cycle, max_items=3)
    bomb = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(ValueError, match="more than 100000000 values"):
        prune_json(bomb, max_tokens=100)
    twice = {"k": "v"}
    assert prune_json([twice, twice]) == [twice, twice]


def test_a_number_too_long_to_write():
    with pytest.raises(ValueError, match=r"^\$\.n is a number of \d+ bits, too long for JSON$"):
        prune_json({"n": 10**5000})


def test_lone_surrogates_and_controls():
    value = {"\ud800": ["\udfff\x00" * 100]}
    kept = prune_json(value, max_tokens=60)
    assert ullage.estimate(written(kept)) <= 60
    assert kept["\ud800"][0].startswith("\udfff\x00")


def test_bad_arguments():
    with pytest.raises(ValueError, match="max_items is -1"):
        prune_json([], max_items=-1)
    with pytest.raises(ValueError, match="cannot be negative"):
        prune_json([], max_tokens=-1)
    with pytest.raises(ValueError, match=r"max_tokens is 4, too small for this result: .* needs 9$"):
        prune_json(list(range(100)), max_tokens=4)

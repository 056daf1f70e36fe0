"""The decorator for tool handlers."""

import asyncio
import inspect
import json
from functools import partial

import pytest

import ullage
from ullage import prune_json, prune_log, pruned

ROWS = [{"id": n, "title": f"title {n}", "html": "<p>" * 50} for n in range(300)]
LOG = "\n".join(f"copying {n}" for n in range(1000)) + "\nerror: disk full"


def test_by_type():
    @pruned(max_tokens=50, fields=["title"], max_items=3)
    def tool(result):
        return result

    assert tool(ROWS) == [{"title": f"title {n}"} for n in range(3)] + ["[... truncated, 297 more items]"]
    assert tool({"title": "a", "html": "b"}) == {"title": "a"}
    assert tool(LOG) == prune_log(LOG, max_tokens=50)
    for small in (None, 3, True, 2.5, "", "short", [], {}):
        assert tool(small) is small


def test_text_that_holds_json_is_pruned_as_json_and_written_again():
    @pruned(max_tokens=60, max_items=5)
    def tool(result):
        return result

    kept = tool(json.dumps(ROWS, indent=2))
    assert ullage.estimate(kept) <= 60
    assert json.loads(kept) == prune_json(prune_json(ROWS, max_items=5), max_tokens=60)
    untouched = '{"price": 1.10,   "n": 1}'
    assert tool(untouched) is untouched
    spaced = "[" + " " * 1000 + "1.5]"
    assert tool(spaced) == "[1.5]"
    broken = '{"price": ' + "9" * 9000
    assert "[... truncated, " in tool(broken)
    deep = "[" * 100_000
    assert ullage.estimate(tool(deep + "]" * 100_000)) <= 60
    assert ullage.estimate(tool("[" * 300 + "]" * 300)) <= 60


def test_async():
    @pruned(max_tokens=50)
    async def tool(result):
        await asyncio.sleep(0)
        return result

    assert inspect.iscoroutinefunction(tool)
    assert asyncio.run(tool(LOG)) == prune_log(LOG, max_tokens=50)


def test_name_signature_and_methods():
    class Box:
        size = 1000

        @pruned(max_tokens=20)
        def read(self, path: str, *, lines: int = 3) -> str:
            """Read a file."""
            return f"{path} {lines} " * self.size

    assert Box.read.__name__ == "read"
    assert Box.read.__doc__ == "Read a file."
    assert str(inspect.signature(Box.read)) == "(self, path: str, *, lines: int = 3) -> str"
    assert ullage.estimate(Box().read("a", lines=9)) <= 20
    assert pruned(max_tokens=20)(partial(Box().read, "a"))() == Box().read("a")


def test_errors_pass():
    error = KeyError("no such page")

    @pruned(max_tokens=20)
    def tool():
        raise error

    @pruned(max_tokens=20)
    async def later():
        raise error

    with pytest.raises(KeyError) as caught:
        tool()
    assert caught.value is error
    with pytest.raises(KeyError):
        asyncio.run(later())


def test_other_types_are_refused_by_name():
    @pruned(max_tokens=20)
    def tool():
        return b"bytes"

    with pytest.raises(TypeError, match="tool returned bytes; pruned takes text or JSON values"):
        tool()


def test_bad_arguments_are_refused_before_the_first_call():
    with pytest.raises(ValueError, match="cannot be negative"):
        pruned(max_tokens=-1)
    with pytest.raises(ValueError, match="max_items"):
        pruned(max_tokens=5, max_items=-1)


def test_fields_may_be_given_once():
    tool = pruned(max_tokens=500, fields=iter(["title"]))(lambda: {"title": 1, "html": 2})
    assert tool() == tool() == {"title": 1}


def test_the_estimator_counts():
    double = ullage.Estimator(ullage.ScriptRule(ascii=2))
    kept = pruned(max_tokens=40, estimator=double)(lambda: LOG)()
    assert double.estimate(kept) <= 40

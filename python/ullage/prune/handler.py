"""A decorator that prunes what a tool returns."""

import json
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, ParamSpec, TypeVar, cast

from ullage.prune.json import prune_json
from ullage.prune.limit import Limit, TokenEstimator
from ullage.prune.log import prune_log

P = ParamSpec("P")
R = TypeVar("R")


def pruned(
    *,
    max_tokens: int,
    fields: Iterable[str] | None = None,
    max_items: int | None = None,
    estimator: TokenEstimator | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a tool handler, sync or async, so that its results fit into ``max_tokens``.

    A dict or list goes through `prune_json` with ``fields`` and ``max_items``. So does text that holds a JSON object or
    list; where something had to go, it is written again. All other text goes through `prune_log`. None, numbers and
    truth values pass. Errors that the handler raises are not touched.

    Args:
        max_tokens: Tokens that a result must not exceed by ``estimator``.
        fields: See `prune_json`.
        max_items: See `prune_json`.
        estimator: What counts; the script rule by default.

    Raises:
        TypeError: From the decorated handler: it returned something else than text or JSON.
        ValueError: ``max_tokens`` is negative; or, from the decorated handler, too small for a mark.

    >>> @pruned(max_tokens=30, fields=["results.title"])
    ... def search(query: str) -> dict[str, object]:
    ...     return {"took": 3, "results": [{"title": f"{query} {n}", "html": "<p>" * 99} for n in range(50)]}
    >>> search("tea")
    {'results': [{'title': 'tea 0'}, {'title': 'tea 1'}, {'title': 'tea 2'}, '[... truncated, 47 more items]']}

    """
    listed = None if fields is None else tuple([fields] if isinstance(fields, str) else fields)
    limit = Limit(max_tokens, estimator)
    prune_json([], max_items=max_items)  # refuses bad arguments before the first call

    def shrink(result: object, tool: str) -> object:
        if result is None or isinstance(result, (bool, int, float)):
            return result
        if isinstance(result, (dict, list, tuple)):
            return prune_json(result, fields=listed, max_items=max_items, max_tokens=max_tokens, estimator=estimator)
        if not isinstance(result, str):
            raise TypeError(f"{tool} returned {type(result).__name__}; pruned takes text or JSON values")
        try:
            value = _read_json(result)
            kept = prune_json(value, fields=listed, max_items=max_items)
        except (ValueError, RecursionError):  # not JSON, or nested too deep
            return prune_log(result, max_tokens=max_tokens, estimator=estimator)
        if kept is value and limit.holds(result):
            return result
        return json.dumps(prune_json(kept, max_tokens=max_tokens, estimator=estimator), ensure_ascii=False)

    def decorate(handler: Callable[P, R]) -> Callable[P, R]:
        tool = getattr(handler, "__name__", repr(handler))
        if iscoroutinefunction(handler):
            waiting = cast(Callable[P, Awaitable[Any]], handler)

            @wraps(handler)
            async def later(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - what the handler returns
                return shrink(await waiting(*args, **kwargs), tool)

            return cast(Callable[P, R], later)

        @wraps(handler)
        def now(*args: P.args, **kwargs: P.kwargs) -> R:
            return cast(R, shrink(handler(*args, **kwargs), tool))

        return now

    return decorate


def _read_json(text: str) -> object:
    """The object or list that ``text`` holds.

    Raises:
        ValueError: It holds something else.

    """
    if text.lstrip()[:1] not in {"{", "["}:
        raise ValueError("neither an object nor a list")
    return json.loads(text)

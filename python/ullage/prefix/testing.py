"""`assert_prefix_stable`: for the tests of an application, that its requests go on from each other."""

from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import get_args

from ullage.prefix.causes import Cause
from ullage.prefix.compare import Change, Comparison, compare

_LIMIT = 1000


def assert_prefix_stable(
    requests: Iterable[object],
    *,
    allow: Collection[Cause] = (),
    format: str | None = None,
    model: str | None = None,
) -> None:
    """Assert that each request repeats all of the one before it and at most goes on.

    Record the requests as they are sent, each as a copy: an application that appends to one list of messages would
    otherwise have sent that one list every time.

    Args:
        requests: bodies in the order in which they were sent, two at least; or lists of messages.
        allow: causes of changes that are meant, such as "cleared result"; `compare` names them. Markers always may
            change.
        format: of the messages; by default, detected.
        model: for estimates of what a change costs.

    Raises:
        TypeError: when `requests` is one body, or `allow` one cause.
        AssertionError: at the first request that changes what was sent before it: where, why, and what to do.
        ValueError: when there are fewer than two requests, when two that are equal hold one and the same list of
            messages, or when there is no such cause.

    >>> from ullage import assert_prefix_stable
    >>> first = {"system": "It is 17:11.", "messages": [{"role": "user", "content": "Hello"}]}
    >>> assert_prefix_stable([first, {**first, "system": "It is 17:12."}])
    Traceback (most recent call last):
    AssertionError: request 1 does not repeat request 0: edited system, character 10: clock (certain)
      was: 'It is 17:11.'
      now: 'It is 17:12.'
      17:11 became 17:12.
      Take the clock out of system (character 10), and tell the time in the newest message of the user.
      3 tokens are kept, 6 are lost.
    """
    __tracebackhide__ = True
    if isinstance(requests, Mapping | str):
        raise TypeError(f"requests must be several bodies in a list, not one {type(requests).__name__}")
    if isinstance(allow, str):
        raise TypeError(f"allow must be a list of causes, not str: [{allow!r}]")
    if unknown := set(allow) - set(get_args(Cause)):
        raise ValueError(f"there is no cause {min(unknown)!r}; there are: {', '.join(get_args(Cause))}")
    sent = [*requests]
    if len(sent) < 2:
        raise ValueError(f"two requests at least are needed, to compare one with the next; {len(sent)} given")
    for index, (previous, following) in enumerate(pairwise(sent)):
        comparison = compare(previous, following, format=format, model=model, limit=_LIMIT)
        if comparison.kind == "same" and _messages(previous) is _messages(following):
            raise ValueError(
                f"requests {index} and {index + 1} hold one and the same list of messages, so they are equal "
                "whatever was sent: record a copy of each when it is sent (copy.deepcopy)"
            )
        if comparison.kind == "edit" and (change := _not_allowed(comparison, allow)) is not None:
            raise AssertionError(_sentence(comparison, change, index))


def _messages(request: object) -> object:
    """The list that an application may have gone on with, or the request itself."""
    if isinstance(request, dict):
        return next((request[key] for key in ("messages", "contents", "input") if key in request), request)
    return request


def _not_allowed(comparison: Comparison, allow: Collection[Cause]) -> Change | None:
    return next((change for change in comparison.changes if change.cause not in {*allow, "markers"}), None)


def _sentence(comparison: Comparison, change: Change, index: int) -> str:
    kept, lost, _ = comparison.tokens
    lines = [f"request {index + 1} does not repeat request {index}: {change}"]
    lines += [f"  {told}: {what!r}" for told, what in (("was", change.old), ("now", change.new)) if what is not None]
    lines += [f"  {change.evidence}", f"  {change.fix}", f"  {kept:,} tokens are kept, {lost:,} are lost."]
    return "\n".join(lines)

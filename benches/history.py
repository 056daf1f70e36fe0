"""A long history of typical messages, and what the claims about it compare."""

import json
from time import perf_counter

import ullage
from benches import timing

LENGTH = 100_000


def messages(count=LENGTH):
    """Rounds of a question, an assistant message with a tool call, its result of 400 characters, and an answer."""
    kinds = (
        lambda i: {"role": "user", "content": f"Please look at file number {i} and tell me what it does."},
        lambda i: {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"call_{i}",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": f'{{"path": "src/file_{i}.py"}}'},
                }
            ],
        },
        lambda i: {
            "role": "tool",
            "tool_call_id": f"call_{i - 1}",
            "content": f"def function_{i:06}(x):\n    return x + {i:06}\n" * 8,
        },
        lambda i: {"role": "assistant", "content": f"File number {i} defines one function, used in {i % 7} places."},
    )
    return [kinds[i % 4](i) for i in range(count)]


def copied(originals):
    """The list copied one level: other dicts that hold the same objects."""
    return [dict(message) for message in originals]


def append_time(*, length=LENGTH, appended=20_000, chunk=400):
    """Seconds of one ``append`` to a history of ``length`` messages and more: the fastest chunk of them."""
    history = ullage.History(messages(length))
    new = messages(length + appended)[length:]
    chunks = (new[start : start + chunk] for start in range(0, appended, chunk))
    return min(timing.each(history.append, part).timeit(1) for part in chunks) / chunk


def update_times(*, length=LENGTH, rounds=15):
    """Seconds of ``==`` of two lists of the same objects, and of ``update`` with either of them."""
    originals = messages(length)
    copies = copied(originals)
    history = ullage.History(originals)
    return timing.interleave(
        {
            "==": timing.call(lambda: originals == copies),
            "the same messages": timing.call(history.update, originals),
            "messages copied one level": timing.call(history.update, copies),
        },
        rounds=rounds,
    )


def fit_times(*, length=LENGTH, budget=200_000, steps=40):
    """Seconds of ``json.dumps`` of a list of messages, and of `fit` when a round was added: the fastest of each.

    The history was fitted before, so that it is known.
    """
    given = messages(length)
    more = messages(length + 4 * steps)[length:]
    history = ullage.History(given)
    ullage.fit(given, budget, history=history)
    dumps = fitted = float("inf")
    for step in range(steps):
        given += more[4 * step : 4 * step + 4]
        start = perf_counter()
        ullage.fit(given, budget, history=history)
        fitted = min(fitted, perf_counter() - start)
        if step % 4 == 0:
            start = perf_counter()
            json.dumps(given)
            dumps = min(dumps, perf_counter() - start)
    return {"json.dumps": dumps, "fit": fitted}

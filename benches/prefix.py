"""Long requests, and what the claims about comparing and following them measure."""

import json

from benches import timing
from benches.history import LENGTH, copied, messages
from ullage import Session, compare
from ullage._core import digests, first_difference


def session_append_times(*, length=LENGTH, appended=8_000, chunk=400, models=(None, "claude-opus-5", "gpt-5.2")):
    """Seconds of one ``append`` to a session of ``length`` messages and more, by model: the fastest chunk of each."""
    given = messages(length + appended)
    times = {}
    for model in models:
        session = Session(model)
        session.step({"model": model, "messages": given[:length]})
        chunks = (given[start : start + chunk] for start in range(length, length + appended, chunk))
        times[model] = min(timing.each(session.append, part).timeit(1) for part in chunks) / chunk
    return times


def session_step_times(*, length=LENGTH, rounds=15):
    """Seconds of ``==`` of two lists of the same objects, and of ``step`` with either of them and one message more."""
    originals = messages(length + 1)
    copies = copied(originals)
    session = Session()
    session.step({"messages": originals[:-1]})
    return timing.interleave(
        {
            "==": timing.call(lambda: originals == copies),
            "the same messages": timing.call(lambda: session.step({"messages": originals})),
            "messages copied one level": timing.call(lambda: session.step({"messages": copies})),
        },
        rounds=rounds,
    )


def difference_times(*, length=LENGTH, rounds=15):
    """Seconds of ``==``, ``first_difference`` and ``compare`` of two equal bodies that have no object in common."""
    written = json.dumps({"model": "m", "messages": messages(length)})
    body, other = json.loads(written), json.loads(written)
    return timing.interleave(
        {
            "==": timing.call(lambda: body == other),
            "first_difference": timing.call(first_difference, body, other),
            "compare": timing.call(compare, body, other),
        },
        rounds=rounds,
    )


def digest_times(*, length=2_000, rounds=15):
    """Seconds of ``digests`` of each message and of ``json.dumps`` of each, and how many bytes they are."""
    given = messages(length)
    times = timing.interleave(
        {"digests": timing.each(digests, given), "json.dumps": timing.each(json.dumps, given)}, rounds=rounds
    )
    return times, sum(len(json.dumps(message)) for message in given)

"""Timing calls against each other, on one core.

Each round times every call once, starting with another one each time; what counts is the fastest round of each. The
fastest is what a call costs when nothing disturbs it, and since rounds alternate, a slow spell of the machine is
nobody's advantage.
"""

import os
import timeit


def pin():
    """Keep this process on one core, the last one that it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def call(function, *arguments):
    """Time ``function(*arguments)`` in timeit's loop, everything it names held in local variables."""
    names = [f"a{i}" for i in range(len(arguments))]
    return timeit.Timer(
        f"f({', '.join(names)})",
        f"f, {''.join(f'{name}, ' for name in names)} = f_, *a_",
        globals={"f_": function, "a_": arguments},
    )


def each(function, arguments):
    """Time ``function`` over a list of arguments, one after the other; one execution is the whole list."""
    return timeit.Timer("for a in l: f(a)", "f, l = f_, l_", globals={"f_": function, "l_": arguments})


def interleave(timers, *, rounds=15, round_seconds=2e-3):
    """Seconds for one execution of each timer: the fastest of its rounds.

    Args:
        timers: name -> timer, from ``call`` or ``each``.
        rounds: how often each is timed.
        round_seconds: how long one round of one timer lasts; an execution that takes longer is a round by itself.
    """
    loops = {name: _loops(timer, round_seconds) for name, timer in timers.items()}
    fastest = dict.fromkeys(timers, float("inf"))
    names = list(timers)
    for _ in range(rounds):
        for name in names:
            fastest[name] = min(fastest[name], timers[name].timeit(loops[name]) / loops[name])
        names.append(names.pop(0))
    return fastest


def _loops(timer, round_seconds):
    """How many executions fill a round; they warm the call up as well."""
    loops = 1
    while (taken := timer.timeit(loops)) < round_seconds / 2:
        loops *= 2 if taken <= 0 else min(max(2, int(round_seconds / 2 / taken)), 100)
    return max(1, round(loops * round_seconds / taken))

"""How much of the speed at which this machine can read is left when UCS-2 text is estimated.

Two plain reads of the same bytes are timed beside the estimate, and the faster one is the reference: memchr, through
``str.find`` of a character neither of whose bytes occurs, which passes over the very storage that is estimated; and
numpy's maximum of a copy of it, in the cache repeated so often that the cost of calling it does not count.
"""

import operator
from itertools import product

import numpy as np

import ullage
from benches import timing
from benches.texts import text

UCS2 = ("Russian", "Chinese")
"""Texts that CPython stores as UCS-2: with and without CJK."""


def in_cache(*, sizes=(1 << 16, 1 << 20), rounds=40):
    """{text and size: (share, the speeds)} for a text that was just read, and is in the core's own caches."""
    shares = {}
    for language, size in product(UCS2, sizes):
        subject = ucs2(language, size)
        repeats = max(1, (1 << 22) // size)
        copy = np.broadcast_to(np.frombuffer(storage(subject), np.uint64), (repeats, size // 8))
        times = timing.interleave(
            {
                "estimate": timing.call(ullage.estimate, subject),
                "memchr": timing.call(subject.find, absent(subject)),
                "numpy max": timing.call(copy.max),
            },
            rounds=rounds,
        )
        times["numpy max"] /= repeats
        shares[f"{language}, {size >> 10:,} KiB"] = _share(times, size)
    return shares


def streamed(*, sizes=(1 << 16, 1 << 20, 1 << 24), total=1 << 26, rounds=15):
    """The same for texts that are not in the core's caches: ``total`` bytes of them, one after the other."""
    shares = {}
    for language, size in product(UCS2, sizes):
        subjects = [ucs2(language, size, number) for number in range(total // size)]
        needle = absent(subjects[0])
        copy = np.frombuffer(b"".join(map(storage, subjects)), np.uint64)
        times = timing.interleave(
            {
                "estimate": timing.each(ullage.estimate, subjects),
                "memchr": timing.each(operator.methodcaller("find", needle), subjects),
                "numpy max": timing.call(copy.max),
            },
            rounds=rounds,
        )
        shares[f"{language}, {size >> 10:,} KiB"] = _share(times, total)
    return shares


def _share(times, size):
    """(share of the read bandwidth, how to say it)."""
    estimate = times.pop("estimate")
    fastest = min(times, key=times.get)
    speeds = f"{size / estimate / 1e9:.0f} of {size / times[fastest] / 1e9:.0f} GB/s"
    return times[fastest] / estimate, f"{speeds} ({fastest})"


def ucs2(language, size, number=0):
    """A str whose storage is ``size`` bytes of UCS-2; it begins at another place of the text for each number."""
    whole = text(language, 3_000)
    start = number % len(whole)
    return (whole[start:] + whole * (size // 2 // len(whole) + 1))[: size // 2]


def storage(subject):
    """The bytes that CPython holds for a UCS-2 str, as they are on a little-endian machine."""
    return subject.encode("utf-16-le")


def absent(subject):
    """A character that is not in the text, and whose two bytes, which are equal, are not in its storage either."""
    byte = min(set(range(1, 0xD8)) - set(storage(subject)))
    return chr(byte << 8 | byte)

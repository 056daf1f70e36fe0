"""Requests as units of blocks in plain Python: how much two share, and whether one goes on from those before."""

from itertools import chain

LOOKED_AT = 256


def flat(units):
    """The blocks of all units."""
    return tuple(chain.from_iterable(units))


def shared(a, b):
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def goes_on(sent, units, kept):
    """Whether a request of these units, of which so many blocks were sent before, goes on from the end of a request.

    It does not where some of what a later request had behind that end comes again: then it is that one with a change.
    """
    known = max((shared(units, old) for old in sent), default=0)
    begins = flat(units)[:kept]
    ended = [at for at, old in enumerate(sent) if flat(old) == begins]
    if not ended:
        return not sent
    way = sent[ended[-1]]
    behind = len(way)
    longer = [at for at, old in enumerate(sent) if len(old) > behind and old[:behind] == way]
    if not longer or longer[-1] < ended[-1]:
        return True
    while further := [old for old in sent if len(old) > len(way) and old[: len(way)] == way]:
        way = further[-1][: len(way) + 1]
    return not set(way[behind:][:LOOKED_AT]) & set(units[known:])

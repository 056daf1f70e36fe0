"""Requests of every format over the steps of `formats.builder`, and what stands at a path in one."""

import copy
import json
import re

from cli.requests_of import KEYS, request

FORMATS = tuple(KEYS)
_STEP = re.compile(r'\.?([^\W\d]\w*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


def at(value, path):
    """What stands at a path as `ullage.prefix.paths` writes it."""
    position = 0 if path != "$" else 1
    while position < len(path):
        found = _STEP.match(path, position)
        assert found is not None, path
        key = found[1] or (int(found[2]) if found[2] is not None else json.loads(found[3]))
        value = value[key] if isinstance(value, dict | list | tuple) else getattr(value, key)
        position = found.end()
    return value


def body(name, line="S,U,A(θ,a,b),Ta,Tb,A,U,A(c),Tc", **texts):
    return copy.deepcopy(request(name, line, **texts))


def messages(name, value):
    return value[KEYS[name].messages]

"""What the logs of common tools look like, one family a file.

A family is a set of patterns that say what a line is: the verdict, the name of a failure, its message, its place. It
applies wherever one of its signs occurs, so a log may show several families at once (cargo around rustc, npm around
jest). Formats were taken from runs of the tools themselves, recorded in ``tests/prune/recorded``.
"""

from ullage.prune.families.c import C
from ullage.prune.families.family import Found, Tier
from ullage.prune.families.go import GO
from ullage.prune.families.javascript import JEST, NODE_TEST, NPM, TSC
from ullage.prune.families.python import PYTEST, UNITTEST
from ullage.prune.families.rust import CARGO_TEST, RUSTC
from ullage.prune.families.unknown import find_exit, find_odd

FAMILIES = (PYTEST, UNITTEST, CARGO_TEST, RUSTC, GO, JEST, NODE_TEST, NPM, TSC, C)

__all__ = ["FAMILIES", "Found", "Tier", "find_exit", "find_odd"]

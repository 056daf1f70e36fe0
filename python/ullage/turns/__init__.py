"""A typed memory of the turn before, and what the next phrase points at in it, without a model call."""

from ullage.turns.checks import check_turn
from ullage.turns.memory import Entity, TurnMemory
from ullage.turns.preroute import Route, preroute
from ullage.turns.resolve import Resolution, resolve
from ullage.turns.signals import Signal
from ullage.turns.words import Words

__all__ = [
    "Entity",
    "Resolution",
    "Route",
    "Signal",
    "TurnMemory",
    "Words",
    "check_turn",
    "preroute",
    "resolve",
]

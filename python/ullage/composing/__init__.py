"""One clean request to answer from, when the tools of a turn have found what the answer needs."""

from ullage.composing.answer import Composed, compose
from ullage.composing.facts import Fact, turn_facts
from ullage.composing.prompt import AnswerPrompt

__all__ = ["AnswerPrompt", "Composed", "Fact", "compose", "turn_facts"]

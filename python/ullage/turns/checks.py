"""`check_turn`: what must hold wherever a turn is handed from one stage to the next. It fails loudly.

Each of these faults answers a question that the user did not ask, and none of them raises by itself.
"""

from collections.abc import Sequence

from ullage.errors import TurnConflict
from ullage.turns.memory import Entity, TurnMemory, as_entities, as_memory
from ullage.turns.resolve import Resolution

MIXED = "hint-and-name"
NO_MEMORY = "follow-up-without-memory"
REPLACED = "memory-replaced"


def check_turn(resolution: Resolution, memory: TurnMemory | None, *, hint: Sequence[Entity] = ()) -> None:
    """Check what a stage of a turn is given. Call it as each stage begins: planner, fetch, answer.

    Args:
        resolution: what `resolve` found when the turn began.
        memory: what this stage holds to be the memory of the turn before.
        hint: what this stage is told that the user means, beside the phrase itself.

    Raises:
        TypeError: when a value is of a wrong type.
        InvalidMemory: when a hint has a blank id or name.
        TurnConflict: the rule "memory-replaced" when the memory is not the one that the phrase was resolved by,
            "hint-and-name" when a hint from the memory comes with a phrase that names something itself,
            "follow-up-without-memory" when the phrase points at the turn before and there is no memory of it, or only
            that of another turn.

    >>> from ullage import Entity, TurnMemory, check_turn, resolve
    >>> memory = TurnMemory(3, "list", visible=(Entity("h7", "Girona"), Entity("h2", "Palamós")), result_ids=("q19",))
    >>> resolution = resolve("the first one", memory)
    >>> check_turn(resolution, memory, hint=resolution.entities)
    >>> check_turn(resolution, TurnMemory(4, "text", result_ids=("q20",)))
    Traceback (most recent call last):
    ullage.errors.TurnConflict: memory-replaced: the phrase was resolved by another memory, and this stage is given \
that of turn 4. A memory is written once, when its turn ends; hand on the one that resolve was given.
    """
    if not isinstance(resolution, Resolution):
        raise TypeError(f"resolution must be a Resolution, not {type(resolution).__name__}")
    memory = as_memory(memory)
    hints = as_entities(hint, "hint")
    digest = None if memory is None else memory.digest
    if digest != resolution.memory:
        given = "none" if memory is None else f"that of turn {memory.turn}"
        by = "without a memory" if resolution.memory is None else "by another memory"
        raise TurnConflict(
            REPLACED,
            f"the phrase was resolved {by}, and this stage is given {given}. A memory is written once, when its turn "
            "ends; hand on the one that resolve was given",
        )
    hinted = [entity for entity in hints if entity not in resolution.named]
    if hinted and resolution.named:
        raise TurnConflict(
            MIXED,
            f"the phrase names {_names(resolution.named)}, and the hint says {_names(hinted)}. What is named wins; "
            "leave the hint out",
        )
    known = memory is not None and resolution.turn in (None, memory.turn + 1)
    if resolution.signals and not known:
        pointing = ", ".join(repr(signal.words) for signal in resolution.signals)
        have = "there is no memory of it" if memory is None else f"the memory is of turn {memory.turn}"
        raise TurnConflict(
            NO_MEMORY,
            f"{pointing} points at the turn before, and {have}. Ask the user what is meant, or keep a TurnMemory of "
            "each turn",
        )


def _names(entities: Sequence[Entity]) -> str:
    return ", ".join(entity.name for entity in entities)

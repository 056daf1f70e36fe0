"""`AnswerPrompt`: the words around what a composed request is made of."""

from dataclasses import dataclass, fields
from typing import ClassVar

from ullage.compaction.prompt import SummaryPrompt


@dataclass(frozen=True, slots=True)
class AnswerPrompt:
    """The texts around the pieces of a request, in one language. Another wording is a `dataclasses.replace` of one.

    Attributes:
        summary: what stands before the summary.
        facts: what stands before the first fact.
        source: what stands before where a fact comes from.
        cut: what is said where facts are not whole.
        question: what stands before the question.
        reminders: what stands before the rules that are repeated.
        headings: those of the fields of a `Summary`.

    Raises:
        TypeError: when a value is of a wrong type.
        ValueError: when a text is blank.
    """

    summary: str
    facts: str
    source: str
    cut: str
    question: str
    reminders: str
    headings: SummaryPrompt

    ENGLISH: ClassVar["AnswerPrompt"]
    SPANISH: ClassVar["AnswerPrompt"]

    def __post_init__(self) -> None:
        if not isinstance(self.headings, SummaryPrompt):
            raise TypeError(f"headings must be a SummaryPrompt, not {type(self.headings).__name__}")
        for field in fields(self)[:-1]:  # the headings come last
            value = getattr(self, field.name)
            if not isinstance(value, str):
                raise TypeError(f"{field.name} must be str, not {type(value).__name__}")
            if not value.strip():
                raise ValueError(f"{field.name} is empty; a prompt has all its texts")


AnswerPrompt.ENGLISH = AnswerPrompt(
    summary="What was said so far, in short:",
    facts="What the tools found for this question, as they returned it:",
    source="Source:",
    cut=(
        "Not all of these facts are whole: a mark in square brackets stands for what is missing. Do not fill in what "
        "is missing. Where the answer depends on it, say that it is not known."
    ),
    question="Question:",
    reminders="Keep to these rules in the answer:",
    headings=SummaryPrompt.ENGLISH,
)

AnswerPrompt.SPANISH = AnswerPrompt(
    summary="Lo dicho hasta ahora, en breve:",
    facts="Lo que las herramientas encontraron para esta pregunta, tal como lo devolvieron:",
    source="Fuente:",
    cut=(
        "No todos estos datos están completos: una marca entre corchetes está en el lugar de lo que falta. No "
        "completes lo que falta. Si la respuesta depende de ello, di que no se sabe."
    ),
    question="Pregunta:",
    reminders="Respeta estas reglas en la respuesta:",
    headings=SummaryPrompt.SPANISH,
)

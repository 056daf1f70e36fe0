"""`SummaryPrompt`: what the summariser is asked, and the words around the summary that comes back."""

from dataclasses import dataclass, fields
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class StateFile:
    """A file that the application keeps beside the history, to which a summary points. ullage never opens it.

    Attributes:
        path: where the assistant finds it, as its tools take it.
        holds: what is in it, in a few words.
    """

    path: str
    holds: str

    def __post_init__(self) -> None:
        for name in ("path", "holds"):
            value = getattr(self, name)
            if not value.strip() or "\n" in value:
                raise ValueError(f"{name} is {value!r}; it is one line of text")

    def named_in(self, template: str) -> str:
        """A template of a `SummaryPrompt` with this file in it."""
        return template.replace("{path}", self.path).replace("{holds}", self.holds)


@dataclass(frozen=True, slots=True)
class SummaryPrompt:
    """The texts of a compaction in one language. Another wording is a `dataclasses.replace` of one of the two here.

    An earlier summary is read by its headings, those of the given prompt and of the two here: while a history has a
    summary with headings of your own, keep them, or what stands under them is lost.

    Attributes:
        objective: the heading of that field; so are the next four.
        task: what to write. ``{words}`` is the most words; the headings are to be named in it.
        file_task: what follows it where there is a state file: ``{path}`` and ``{holds}``.
        transcript: what stands before a conversation that is given as text.
        so_far: what stands before the summary of what came before that.
        intro: the first line of a summary, for the assistant that goes on from it.
        file: its second line, where there is a state file: ``{path}`` and ``{holds}``.
    """

    objective: str
    facts: str
    decisions: str
    pending: str
    constraints: str
    task: str
    file_task: str
    transcript: str
    so_far: str
    intro: str
    file: str

    ENGLISH: ClassVar["SummaryPrompt"]
    SPANISH: ClassVar["SummaryPrompt"]

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name).strip():
                raise ValueError(f"{field.name} is empty; a prompt has all its texts")

    @property
    def titles(self) -> dict[str, str]:
        """The heading of each field of a `Summary`, in order."""
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = ("objective", "facts", "decisions", "pending", "constraints")

SummaryPrompt.ENGLISH = SummaryPrompt(
    objective="Objective",
    facts="Facts",
    decisions="Decisions",
    pending="Pending",
    constraints="Constraints",
    task="""\
Stop here and write a summary of this conversation. It will take the place of the messages up to here, and what is not \
in it will be gone. Do not call a tool, and write nothing but the summary.

Use these five headings, in this order, each with a list of items that begin with "- ". Write "- none" where there is \
nothing to say. Give names, numbers, paths, identifiers and error messages exactly as they are. Where there is an \
earlier summary, keep everything in it that still holds.

Objective: what the user wants, in the user's own words
Facts: what was found out and is needed to go on, and where it was found
Decisions: what was decided, and why
Pending: what is still to be done, the next step first
Constraints: what the user wants kept, respected or avoided, in the user's own words

Write at most {words} words.""",
    file_task="The file {path} stays available ({holds}): name it rather than repeat what is in it.",
    transcript="The conversation:",
    so_far="The summary of what came before it:",
    intro="The messages that were here before are replaced by this summary. Go on from it.",
    file="The file {path} has more ({holds}). Read it when you need what is not here, and keep it up to date.",
)

SummaryPrompt.SPANISH = SummaryPrompt(
    objective="Objetivo",
    facts="Hechos",
    decisions="Decisiones",
    pending="Pendiente",
    constraints="Restricciones",
    task="""\
Detente aquí y escribe un resumen de esta conversación. Ocupará el lugar de los mensajes anteriores, y lo que no esté \
en él se perderá. No llames a ninguna herramienta y no escribas nada más que el resumen.

Usa estos cinco títulos, en este orden, cada uno con una lista de puntos que empiezan por "- ". Escribe "- ninguno" \
donde no haya nada que decir. Da los nombres, números, rutas, identificadores y mensajes de error exactamente como \
son. Si hay un resumen anterior, conserva todo lo que en él siga siendo válido.

Objetivo: lo que quiere el usuario, con sus propias palabras
Hechos: lo que se averiguó y hace falta para seguir, y dónde se encontró
Decisiones: lo que se decidió, y por qué
Pendiente: lo que queda por hacer, empezando por el próximo paso
Restricciones: lo que el usuario quiere que se conserve, se respete o se evite, con sus propias palabras

Escribe como máximo {words} palabras.""",
    file_task="El archivo {path} sigue disponible ({holds}): nómbralo en vez de repetir lo que contiene.",
    transcript="La conversación:",
    so_far="El resumen de lo anterior:",
    intro="Los mensajes que había antes se han sustituido por este resumen. Continúa a partir de él.",
    file="El archivo {path} contiene más ({holds}). Léelo cuando necesites lo que no está aquí, y mantenlo al día.",
)

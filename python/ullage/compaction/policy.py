"""`Compaction`: when a history is summarised, and how much of it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ullage.compaction.prompt import StateFile, SummaryPrompt
from ullage.pins import as_indices

Style: TypeAlias = Literal["prefix", "transcript"]


@dataclass(frozen=True, slots=True)
class Compaction:
    """When a history is summarised, and how much of it. Shares are of what the budget gives to the request.

    Attributes:
        trigger: due when the request takes more than this share.
        keep_last: so many of the newest messages stay, and what else belongs to their rounds. The first user message,
            system messages at the start and what the user said to begin the current turn stay in any case.
        gain: only done if it frees at least this share, so that it is not done again soon. At the end of a phase, it
            is done if it frees anything.
        summary: the share that the summary is asked to keep to.
        style: "prefix" asks for the summary at the end of the very messages, with the same tools and system prompt,
            so that the provider reads them from its cache; "transcript" gives them as text, in a request of its own.
            What cannot be sent as a prefix (too long, or invalid) is a transcript anyway.
        prompt: the texts, in English or Spanish or of your own.
        state: a file of the application to which the summary points.
        pins: messages that stay as they are, with their rounds, before the summary: what says of a message whether it
            is one, or indices. Indices mean these messages only; they change when messages leave.

    >>> Compaction(keep_last=10, prompt=SummaryPrompt.SPANISH).trigger
    0.7
    """

    trigger: float = 0.7
    keep_last: int = 6
    gain: float = 0.2
    summary: float = 0.05
    style: Style = "prefix"
    prompt: SummaryPrompt = SummaryPrompt.ENGLISH
    state: StateFile | None = None
    pins: Collection[int] | Callable[[object], bool] = ()

    def __post_init__(self) -> None:
        for name in ("trigger", "gain", "summary"):
            share = getattr(self, name)
            if not 0 < share <= 1:
                raise ValueError(f"{name} is {share}; a share is above 0 and at most 1")
        if self.keep_last < 1:
            raise ValueError(f"keep_last is {self.keep_last}; at least the newest message stays")
        if not callable(self.pins):
            object.__setattr__(self, "pins", as_indices(self.pins))
        if self.style not in ("prefix", "transcript"):
            raise ValueError(f'style is {self.style!r}; it is "prefix" or "transcript"')

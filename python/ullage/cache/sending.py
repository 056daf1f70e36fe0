"""What a simulated session sends, one request after the other, whatever it is made of."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from ullage.cache.prompt import Prompt
from ullage.cache.provider_cache import Marker
from ullage.cache.rules import CacheRules
from ullage.compaction.policy import Compaction
from ullage.fitting.policy import FitPolicy

Place: TypeAlias = Literal["base", "cleared", "end"]
"""Where a marker stands: behind what never changes, behind what was cleared or summarised, at the end."""
PLACES: tuple[Place, ...] = ("base", "cleared", "end")

Kind: TypeAlias = Literal["answer", "summary"]

Policy: TypeAlias = FitPolicy | Compaction | None
"""What is done to a session on the way; None for nothing."""


class Sent(NamedTuple):
    """A request of a session.

    Attributes:
        prompt: what is sent. It goes on with the next request, so it is to be looked at before that.
        at: seconds since the start of the session.
        output: tokens of the answer.
        kind: what for: an answer, or a summary of the history.
        broken: whether it changes what was sent before it in its conversation, and no policy made it so.
    """

    prompt: Prompt
    at: float
    output: int
    kind: Kind = "answer"
    broken: bool = False


class Marking(NamedTuple):
    """Where requests have their markers, and for how long they ask.

    Attributes:
        places: in any order.
        life: seconds; None for the provider's default.
    """

    places: Sequence[Place]
    life: int | None

    def mark(self, prompt: Prompt, rules: CacheRules, base: int, cleared: int) -> None:
        """Set the markers of a prompt, if the provider knows any.

        Args:
            prompt: about to be sent.
            rules: of the provider.
            base: blocks that never change.
            cleared: blocks up to the end of what was cleared or summarised; 0 before anything was.
        """
        if not rules.markers:
            return
        ends = {"base": base, "cleared": cleared, "end": len(prompt)}
        blocks = sorted({ends[place] - 1 for place in self.places if ends[place]})
        prompt.markers = [Marker(block, self.life) for block in blocks]

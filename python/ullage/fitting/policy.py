"""How a history may be shortened: a small value for each step, put together in a `FitPolicy`. None turns a step off."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from ullage.arguments import whole_number
from ullage.pins import as_indices

if TYPE_CHECKING:
    from ullage.cache.rules import CacheRules

RERUN = (
    "[This tool result was cleared to keep the conversation within the model's context. Run the tool again if needed.]"
)
LEFT_OUT = "[Earlier messages were left out here to keep the conversation within the model's context.]"


def _share(name: str, value: float) -> None:
    if not 0 <= value < 1:
        raise ValueError(f"{name} is {value}; a share is at least 0 and below 1")


def _note(note: str) -> None:
    """An empty note would be refused where it stands for messages, and by some providers in a result too."""
    if not isinstance(note, str):
        raise TypeError(f"note must be str, not {type(note).__name__}")
    if not note or note.isspace():
        raise ValueError("note is blank; providers refuse a message without text")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """How the results of one tool are cleared, where that differs from the rest.

    Attributes:
        tool: its name.
        keep: so many of its newest results are never cleared.
        note: what stands for a cleared one; None for the note of all.
    """

    tool: str
    keep: int = 0
    note: str | None = None

    def __post_init__(self) -> None:
        whole_number("keep", self.keep, 0)
        if self.note is not None:
            _note(self.note)


@dataclass(frozen=True, slots=True)
class Clear:
    """Clear old tool results, the oldest first.

    Attributes:
        batch: so many are cleared together, so that what is sent stays the same for several requests; a number below 1
            is the share of the limit that they free together. Fewer are cleared only if that frees a quarter of the
            limit. "auto" is the share that pays by the prices of the model's cache (`ullage.cache.auto`): it depends
            on these alone and not on the history, so that what was cleared stays so as the history grows.
        free: batches are cleared until this share of the limit is free.
        keep_share: the newest results that fit in this share of the limit stay.
        keep_min: so many of the newest results stay in any case.
        note: what stands for a cleared result.
        exclude_tools: names of tools whose results stay.
        keep_errors: whether results that report an error stay.
        tools: rules for single tools.
        rules: of the cache, for "auto"; by default, those of the model that `fit` is given.

    Results that the model has not seen yet always stay: they can only be cut.
    """

    batch: int | float | Literal["auto"] = 4
    free: float = 0.1
    keep_share: float = 0.25
    keep_min: int = 1
    note: str = RERUN
    exclude_tools: Collection[str] = ()
    keep_errors: bool = False
    tools: tuple[ToolRule, ...] = ()
    rules: "CacheRules | None" = None

    def __post_init__(self) -> None:
        if isinstance(self.batch, float):
            if not 0 < self.batch < 1:
                raise ValueError(f"batch is {self.batch}; as a share it is above 0 and below 1")
        elif self.batch != "auto":
            whole_number("batch", self.batch, 1)
        whole_number("keep_min", self.keep_min, 0)
        _share("free", self.free)
        _share("keep_share", self.keep_share)
        if isinstance(self.exclude_tools, str):
            raise TypeError("exclude_tools must be a collection of names, not str")
        _note(self.note)
        # Nobody else can change these, so that policies that are equal stay equal.
        object.__setattr__(self, "exclude_tools", frozenset(self.exclude_tools))
        object.__setattr__(self, "tools", tuple(self.tools))


@dataclass(frozen=True, slots=True)
class Turns:
    """Leave out whole turns, the oldest first; the first user message and the current turn stay.

    Attributes:
        free: turns leave until this share of the limit is free, so that what is sent changes seldom.
        note: stands once for all turns that left.
    """

    free: float = 0.1
    note: str = LEFT_OUT

    def __post_init__(self) -> None:
        _share("free", self.free)
        _note(self.note)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Leave out whole rounds of the current turn, the oldest first; its user message and its newest round stay.

    Attributes:
        free: rounds leave until this share of the limit is free, so that what is sent changes seldom.
        note: stands once for all rounds of a turn that left.
    """

    free: float = 0.1
    note: str = LEFT_OUT

    def __post_init__(self) -> None:
        _share("free", self.free)
        _note(self.note)


@dataclass(frozen=True, slots=True)
class Cut:
    """Cut the results of the newest round, the largest first, with a mark that says how much is missing."""


@dataclass(frozen=True, slots=True)
class FitPolicy:
    """What may be done to make a history fit. Each step is taken only if those before it were not enough.

    Attributes:
        clear: old tool results; None leaves them.
        turns: whole turns; None leaves them.
        rounds: whole rounds of the current turn; None leaves them.
        cut: results of the newest round; None leaves them.
        pins: messages that stay as they are, with their rounds: indices, or what says of a message whether it is one.
            An index counts from the start, so that it goes on meaning the same message.

    >>> FitPolicy(clear=Clear(keep_errors=True), cut=None).turns
    Turns(free=0.1, note="[Earlier messages were left out here to keep the conversation within the model's context.]")
    """

    clear: Clear | None = field(default_factory=Clear)
    turns: Turns | None = field(default_factory=Turns)
    rounds: Rounds | None = field(default_factory=Rounds)
    cut: Cut | None = field(default_factory=Cut)
    pins: Collection[int] | Callable[[object], bool] = ()

    def __post_init__(self) -> None:
        for name, kind in (("clear", Clear), ("turns", Turns), ("rounds", Rounds), ("cut", Cut)):
            step = getattr(self, name)
            if step is not None and not isinstance(step, kind):
                raise TypeError(f"{name} must be a {kind.__name__} or None, not {type(step).__name__}")
        if not callable(self.pins):
            object.__setattr__(self, "pins", as_indices(self.pins))

    def resolved(self, model: str | None) -> "FitPolicy":
        """The same policy with a share for "auto".

        Raises:
            TypeError: when the rules of `clear` are not CacheRules.
            ValueError: when neither the policy nor the name of a model says what the cache costs.
            UnknownModel: when there are no cache rules for the model.
        """
        if self.clear is None or self.clear.batch != "auto":
            return self
        if self.clear.rules is None and model is None:
            raise ValueError(
                'Clear(batch="auto") goes by what the cache costs: give the model, or Clear(rules=cache_rules(...))'
            )
        from ullage.cache.auto import share
        from ullage.cache.rules import CacheRules, cache_rules

        rules = cache_rules(model) if self.clear.rules is None and model is not None else self.clear.rules
        if not isinstance(rules, CacheRules):
            raise TypeError(f"rules must be CacheRules, not {type(rules).__name__}")
        return replace(self, clear=replace(self.clear, batch=share(rules)))

    def notice(self) -> str:
        """A text for the system prompt, so that an agent does not stop early to save space. Always the same.

        >>> print(FitPolicy(turns=None, rounds=None, cut=None).notice())
        When this conversation grows too long for the model's context, older tool results are replaced by a short \
note. This happens by itself, and only as far as needed. Do not stop, hurry or shorten your work to save space; when \
you need something that was taken out, run the tool again.
        """
        done = []
        if self.clear is not None:
            done.append("older tool results are replaced by a short note")
        if self.turns is not None or self.rounds is not None:
            done.append("older messages are left out")
        if self.cut is not None:
            done.append("a tool result that is too large by itself is cut, with a mark that says how much is missing")
        if not done:
            return ""
        listed = done[0] if len(done) == 1 else f"{', '.join(done[:-1])}, and {done[-1]}"
        return (
            f"When this conversation grows too long for the model's context, {listed}. This happens by itself, and "
            "only as far as needed. Do not stop, hurry or shorten your work to save space; when you need something "
            "that was taken out, run the tool again."
        )

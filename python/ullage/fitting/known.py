"""`Known`: what is remembered of a history between two fittings, so that the next one costs what is new."""

from collections.abc import Mapping, Sequence

from ullage._core import Estimator
from ullage.fitting.layout import Layout
from ullage.fitting.plan import Plan, Step
from ullage.fitting.policy import FitPolicy
from ullage.formats.record import Format


class Known:
    """The layout of a history, and the plan that was made of it last.

    Nothing of it changes what comes out: it is what would be found again.

    Attributes:
        layout: of the history.
    """

    def __init__(self, shape: Format, estimator: Estimator) -> None:
        self.layout = Layout(shape, estimator)
        self._messages: Sequence[object] = ()
        self._plan: Plan | None = None
        self._start = 0

    def follow(self, messages: Sequence[object], same: int) -> None:
        """Go on to `messages`, of which the first `same` are as they were.

        Raises:
            TypeError, InvalidHistory: as `Layout.follow`; what is known then stays as it was.
        """
        self._start = self.layout.follow(messages, same)
        self._messages = messages
        if self._plan is not None and self._start < self._plan.acted:
            self._plan = None

    def plan(self, policy: FitPolicy, limit: int, fixed: int, note_tokens: Mapping[Step, int]) -> Plan:
        """The plan for the history by these terms (see `Plan`)."""
        plan, self._plan = self._plan, None  # only a plan that was followed to the end is gone on with
        if plan is None or plan.terms != (policy, limit, fixed, note_tokens):
            plan = Plan(self.layout, policy, limit, fixed, note_tokens)
            self._start = 0
        now = plan.follow(self._messages, self._start)
        self._plan = plan
        return now

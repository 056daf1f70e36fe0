"""What ullage raises of its own. Wrong types are plain ``TypeError``; everything here says what, where and what to do.

UllageError
└── InvalidHistory (and ValueError)   a message breaks a rule: its index, the path to the place, the rule
"""

import re


class UllageError(Exception):
    """The root of all errors that ullage defines."""


class InvalidHistory(UllageError, ValueError):
    """A message breaks a rule.

    Attributes:
        path: the place of the fault, such as ``messages[12].content[1].text``.
        rule: the rule, as a sentence without its full stop.
    """

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(path, rule)
        self.path = path
        self.rule = rule

    @property
    def index(self) -> int | None:
        """The place of the message in the list, or None for what is not in a message (tools, say)."""
        found = re.match(r"messages\[(\d+)\]", self.path)
        return int(found[1]) if found else None

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}"

"""The room left in a context window.

``estimate(text)`` replaces ``len(text) // 4``: an estimate of tokens that is right for every script, without a
tokenizer.
This module holds the public names and nothing else.
"""

from ullage._core import Estimator, ScriptCounts, ScriptRule, __version__, byte_bound, estimate, fits, scripts

TYPE_CHECKING = False  # true to type checkers; importing typing would cost more than everything else here
if TYPE_CHECKING:
    from ullage.errors import InvalidHistory, UllageError
    from ullage.formats.detection import detect
    from ullage.formats.validation import Problem, validate
    from ullage.history import Breakdown, History, MessageRecord, Update
    from ullage.overflow import Overflow, is_context_overflow
    from ullage.prune import prune_json, prune_log, prune_text, pruned

__all__ = [
    "Breakdown",
    "Estimator",
    "History",
    "InvalidHistory",
    "MessageRecord",
    "Overflow",
    "Problem",
    "ScriptCounts",
    "ScriptRule",
    "UllageError",
    "Update",
    "__version__",
    "byte_bound",
    "detect",
    "estimate",
    "fits",
    "is_context_overflow",
    "prune_json",
    "prune_log",
    "prune_text",
    "pruned",
    "scripts",
    "validate",
]

# Imported when first asked for, so that importing ullage stays cheap.
_LAZY = {
    "Breakdown": "ullage.history",
    "History": "ullage.history",
    "InvalidHistory": "ullage.errors",
    "MessageRecord": "ullage.history",
    "Overflow": "ullage.overflow",
    "Problem": "ullage.formats.validation",
    "UllageError": "ullage.errors",
    "Update": "ullage.history",
    "detect": "ullage.formats.detection",
    "is_context_overflow": "ullage.overflow",
    "prune_json": "ullage.prune",
    "prune_log": "ullage.prune",
    "prune_text": "ullage.prune",
    "pruned": "ullage.prune",
    "validate": "ullage.formats.validation",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

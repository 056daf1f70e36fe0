"""The room left in a context window.

``estimate(text)`` replaces ``len(text) // 4``: an estimate of tokens that is right for every script, without a
tokenizer.
This module holds the public names and nothing else.
"""

from ullage._core import Estimator, ScriptCounts, ScriptRule, __version__, byte_bound, estimate, fits, scripts

__all__ = [
    "Estimator",
    "ScriptCounts",
    "ScriptRule",
    "__version__",
    "byte_bound",
    "estimate",
    "fits",
    "scripts",
]

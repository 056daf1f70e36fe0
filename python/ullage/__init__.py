"""The room left in a context window.

``estimate(text)`` replaces ``len(text) // 4``: an estimate of tokens that counts every script by a
rate of its own, without a tokenizer; with ``model=`` it is within a few per cent.
This module holds the public names and nothing else.
"""

from ullage._core import ScriptCounts, ScriptRule, __version__, byte_bound, estimate, fits, scripts

TYPE_CHECKING = False  # true to type checkers; importing typing would cost more than everything else here
if TYPE_CHECKING:
    from ullage.budget import Budget
    from ullage.budgets.allocate import Allocation, Share, allocate
    from ullage.budgets.chat import chat_sections
    from ullage.budgets.keep import HeadAndTail, LowestScoreFirst, Never, OldestFirst, Truncate, Whole
    from ullage.budgets.section import Item, Section
    from ullage.cache.advise import Advice, advise
    from ullage.cache.prices import Prices
    from ullage.cache.rules import CacheRules, cache_rules
    from ullage.cache.shape import Shape
    from ullage.cache.simulate import CostReport, CostStep, simulate
    from ullage.calibration import Calibration
    from ullage.compaction import (
        Compaction,
        CompactionPlan,
        CompactResult,
        StateFile,
        Summary,
        SummaryPrompt,
        SummaryRequest,
        acompact,
        compact,
        plan_compaction,
    )
    from ullage.composing import AnswerPrompt, Composed, Fact, compose, turn_facts
    from ullage.drifting import Drift, DriftStep, drift
    from ullage.errors import (
        CannotFit,
        InvalidBudget,
        InvalidHistory,
        InvalidMemory,
        InvalidProfile,
        InvalidTools,
        TurnConflict,
        UllageError,
        UnknownModel,
        UnknownPhase,
        UnusableSummary,
    )
    from ullage.estimator import Estimate, Estimator, estimate_range, upper_bound
    from ullage.fitting.policy import Clear, Cut, FitPolicy, Rounds, ToolRule, Turns
    from ullage.fitting.shorten import FitResult, fit, what_if
    from ullage.formats.detection import detect
    from ullage.formats.validation import Problem, validate
    from ullage.history import Breakdown, History, MessageRecord, Update
    from ullage.loading import profiles
    from ullage.overflow import Overflow, is_context_overflow
    from ullage.prefix.compare import Change, Comparison, compare
    from ullage.prefix.lint import lint
    from ullage.prefix.linting.finding import Finding
    from ullage.prefix.observation import Observation
    from ullage.prefix.session import Session, SessionStep
    from ullage.prefix.testing import assert_prefix_stable
    from ullage.prune import prune_json, prune_log, prune_text, pruned
    from ullage.receipt import Entry, Receipt
    from ullage.tool_phases import Switch, ToolPhases
    from ullage.turns import Entity, Resolution, Route, TurnMemory, Words, check_turn, preroute, resolve

__all__ = [
    "Advice",
    "Allocation",
    "AnswerPrompt",
    "Breakdown",
    "Budget",
    "CacheRules",
    "Calibration",
    "CannotFit",
    "Change",
    "Clear",
    "CompactResult",
    "Compaction",
    "CompactionPlan",
    "Comparison",
    "Composed",
    "CostReport",
    "CostStep",
    "Cut",
    "Drift",
    "DriftStep",
    "Entity",
    "Entry",
    "Estimate",
    "Estimator",
    "Fact",
    "Finding",
    "FitPolicy",
    "FitResult",
    "HeadAndTail",
    "History",
    "InvalidBudget",
    "InvalidHistory",
    "InvalidMemory",
    "InvalidProfile",
    "InvalidTools",
    "Item",
    "LowestScoreFirst",
    "MessageRecord",
    "Never",
    "Observation",
    "OldestFirst",
    "Overflow",
    "Prices",
    "Problem",
    "Receipt",
    "Resolution",
    "Rounds",
    "Route",
    "ScriptCounts",
    "ScriptRule",
    "Section",
    "Session",
    "SessionStep",
    "Shape",
    "Share",
    "StateFile",
    "Summary",
    "SummaryPrompt",
    "SummaryRequest",
    "Switch",
    "ToolPhases",
    "ToolRule",
    "Truncate",
    "TurnConflict",
    "TurnMemory",
    "Turns",
    "UllageError",
    "UnknownModel",
    "UnknownPhase",
    "UnusableSummary",
    "Update",
    "Whole",
    "Words",
    "__version__",
    "acompact",
    "advise",
    "allocate",
    "assert_prefix_stable",
    "byte_bound",
    "cache_rules",
    "chat_sections",
    "check_turn",
    "compact",
    "compare",
    "compose",
    "detect",
    "drift",
    "estimate",
    "estimate_range",
    "fit",
    "fits",
    "is_context_overflow",
    "lint",
    "plan_compaction",
    "preroute",
    "profiles",
    "prune_json",
    "prune_log",
    "prune_text",
    "pruned",
    "resolve",
    "scripts",
    "simulate",
    "turn_facts",
    "upper_bound",
    "validate",
    "what_if",
]

# Imported when first asked for, so that importing ullage stays cheap.
_LAZY = {
    "Advice": "ullage.cache.advise",
    "Allocation": "ullage.budgets.allocate",
    "AnswerPrompt": "ullage.composing",
    "Breakdown": "ullage.history",
    "Budget": "ullage.budget",
    "CacheRules": "ullage.cache.rules",
    "Calibration": "ullage.calibration",
    "CannotFit": "ullage.errors",
    "Change": "ullage.prefix.compare",
    "Clear": "ullage.fitting.policy",
    "CompactResult": "ullage.compaction",
    "Compaction": "ullage.compaction",
    "CompactionPlan": "ullage.compaction",
    "Comparison": "ullage.prefix.compare",
    "Composed": "ullage.composing",
    "CostReport": "ullage.cache.simulate",
    "CostStep": "ullage.cache.simulate",
    "Cut": "ullage.fitting.policy",
    "Drift": "ullage.drifting",
    "DriftStep": "ullage.drifting",
    "Entity": "ullage.turns",
    "Entry": "ullage.receipt",
    "Estimate": "ullage.estimator",
    "Estimator": "ullage.estimator",
    "Fact": "ullage.composing",
    "Finding": "ullage.prefix.linting.finding",
    "FitPolicy": "ullage.fitting.policy",
    "FitResult": "ullage.fitting.shorten",
    "HeadAndTail": "ullage.budgets.keep",
    "History": "ullage.history",
    "InvalidBudget": "ullage.errors",
    "InvalidHistory": "ullage.errors",
    "InvalidMemory": "ullage.errors",
    "InvalidProfile": "ullage.errors",
    "InvalidTools": "ullage.errors",
    "Item": "ullage.budgets.section",
    "LowestScoreFirst": "ullage.budgets.keep",
    "MessageRecord": "ullage.history",
    "Never": "ullage.budgets.keep",
    "Observation": "ullage.prefix.observation",
    "OldestFirst": "ullage.budgets.keep",
    "Overflow": "ullage.overflow",
    "Prices": "ullage.cache.prices",
    "Problem": "ullage.formats.validation",
    "Receipt": "ullage.receipt",
    "Resolution": "ullage.turns",
    "Rounds": "ullage.fitting.policy",
    "Route": "ullage.turns",
    "Section": "ullage.budgets.section",
    "Session": "ullage.prefix.session",
    "SessionStep": "ullage.prefix.session",
    "Shape": "ullage.cache.shape",
    "Share": "ullage.budgets.allocate",
    "StateFile": "ullage.compaction",
    "Summary": "ullage.compaction",
    "SummaryPrompt": "ullage.compaction",
    "SummaryRequest": "ullage.compaction",
    "Switch": "ullage.tool_phases",
    "ToolPhases": "ullage.tool_phases",
    "ToolRule": "ullage.fitting.policy",
    "Truncate": "ullage.budgets.keep",
    "TurnConflict": "ullage.errors",
    "TurnMemory": "ullage.turns",
    "Turns": "ullage.fitting.policy",
    "UllageError": "ullage.errors",
    "UnknownModel": "ullage.errors",
    "UnknownPhase": "ullage.errors",
    "UnusableSummary": "ullage.errors",
    "Update": "ullage.history",
    "Whole": "ullage.budgets.keep",
    "Words": "ullage.turns",
    "acompact": "ullage.compaction",
    "advise": "ullage.cache.advise",
    "allocate": "ullage.budgets.allocate",
    "assert_prefix_stable": "ullage.prefix.testing",
    "cache_rules": "ullage.cache.rules",
    "chat_sections": "ullage.budgets.chat",
    "check_turn": "ullage.turns",
    "compact": "ullage.compaction",
    "compare": "ullage.prefix.compare",
    "compose": "ullage.composing",
    "detect": "ullage.formats.detection",
    "drift": "ullage.drifting",
    "estimate_range": "ullage.estimator",
    "fit": "ullage.fitting.shorten",
    "is_context_overflow": "ullage.overflow",
    "lint": "ullage.prefix.lint",
    "plan_compaction": "ullage.compaction",
    "preroute": "ullage.turns",
    "profiles": "ullage.loading",
    "prune_json": "ullage.prune",
    "prune_log": "ullage.prune",
    "prune_text": "ullage.prune",
    "pruned": "ullage.prune",
    "resolve": "ullage.turns",
    "simulate": "ullage.cache.simulate",
    "turn_facts": "ullage.composing",
    "upper_bound": "ullage.estimator",
    "validate": "ullage.formats.validation",
    "what_if": "ullage.fitting.shorten",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

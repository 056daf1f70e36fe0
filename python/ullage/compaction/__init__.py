"""A summary in the place of the oldest messages: when, of which, asked for how, and put back where."""

from ullage.compaction.dialogue import CompactResult, SummaryRequest
from ullage.compaction.outline import CompactionPlan
from ullage.compaction.policy import Compaction
from ullage.compaction.prompt import StateFile, SummaryPrompt
from ullage.compaction.running import acompact, compact, plan_compaction
from ullage.compaction.summary import Summary

__all__ = [
    "CompactResult",
    "Compaction",
    "CompactionPlan",
    "StateFile",
    "Summary",
    "SummaryPrompt",
    "SummaryRequest",
    "acompact",
    "compact",
    "plan_compaction",
]

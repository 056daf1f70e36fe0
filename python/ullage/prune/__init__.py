"""Tool results made smaller in the tool's handler, before they enter a history.

What fits comes back as the same object; what does not is cut down to the budget, and every cut leaves a mark that says
how much is missing. Each function is one file here; ``families`` knows what the logs of common tools look like.
"""

from ullage.prune.handler import pruned
from ullage.prune.json import prune_json
from ullage.prune.log import prune_log
from ullage.prune.text import prune_text

__all__ = ["prune_json", "prune_log", "prune_text", "pruned"]

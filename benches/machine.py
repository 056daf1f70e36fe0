"""Where a measurement was taken: what has to stand beside a time for it to mean something."""

import hashlib
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benches.texts import MANIFEST

INSTRUCTION_SETS = ("sse2", "avx2", "avx512bw", "avx512vbmi", "asimd", "sve")
"""Names in Linux's list of processor flags that make a difference to how text is read."""


def describe():
    """Processor, system, versions, corpus and day, as plain values for JSON."""
    processor, flags = _processor()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": processor,
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in flags],
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": platform.python_compiler(),
        "numpy": version("numpy"),
        "corpora_sha256": hashlib.sha256(MANIFEST.read_bytes()).hexdigest(),
    }


def _processor():
    """(model name, flags); without /proc the name that Python knows and no flags."""
    info = Path("/proc/cpuinfo")
    if sys.platform != "linux" or not info.exists():
        return platform.processor(), frozenset()
    fields = dict(
        (part.strip() for part in line.split(":", 1)) for line in info.read_text().splitlines() if ":" in line
    )
    flags = fields.get("flags", fields.get("Features", ""))
    return fields.get("model name", platform.machine()), frozenset(flags.split())

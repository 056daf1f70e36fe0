"""Measure everything once and write it down: ``python -m benches.record`` makes benches/results/latest.json.

For each text and size all contestants are timed in turn; a contestant whose package is missing is an error here, since
a record without it could be taken for a comparison.
"""

import json
from dataclasses import asdict
from pathlib import Path

from benches import claims, machine, timing
from benches.contestants import NAMES, load
from benches.texts import FILES, LADDER, MESSAGE, SIZES, text

LATEST = Path(__file__).parent / "results" / "latest.json"
CASES = [(name, size) for name in LADDER for size in SIZES] + [(name, MESSAGE) for name in FILES if name not in LADDER]


def measure(cases=CASES, **timed):
    """Rows of {text, bytes, characters, calls: {contestant: {seconds, tokens, correct}}}.

    ``timed`` goes to timing.interleave.
    """
    contestants = [load(name) for name in NAMES]
    for name, size in cases:
        subject = text(name, size)
        times = timing.interleave({c.name: timing.call(c.call, subject) for c in contestants}, **timed)
        calls = {}
        for contestant in contestants:
            tokens = contestant.call(subject)
            seconds = float(f"{times[contestant.name]:.3g}")
            calls[contestant.name] = {
                "seconds": seconds,
                "tokens": tokens,
                "correct": contestant.check(subject, tokens),
            }
        yield {"text": name, "bytes": size, "characters": len(subject), "calls": calls}


def document():
    """The whole record, as it is written."""
    timing.pin()
    return {
        "machine": machine.describe(),
        "versions": {contestant.name: contestant.version for contestant in map(load, NAMES) if contestant.version},
        "claims": [asdict(claim) | {"held": claim.held} for claim in claims.measure()],
        "results": list(measure()),
    }


def dumps(record):
    """JSON with one claim or text a line, so that a new record gives a readable diff."""
    parts = []
    for key, value in record.items():
        if isinstance(value, list):
            lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f'"{key}": [\n{lines}\n ]')
        else:
            parts.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n " + ",\n ".join(parts) + "\n}\n"


if __name__ == "__main__":
    LATEST.write_text(dumps(document()), encoding="utf-8")

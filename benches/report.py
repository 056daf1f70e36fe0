"""The tables in the README, made from benches/results/latest.json.

``python -m benches.report`` renews what stands between the two markers; ``--check`` only says whether it is stale.
"""

import json
import sys
from pathlib import Path

from benches import claims
from benches.contestants import NAMES
from benches.record import LATEST
from benches.texts import LADDER, MESSAGE, SIZES

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def block(record):
    """The Markdown between the markers."""
    machine = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    where = (
        f"Measured {machine['date']} on one core of {machine['cpu']} ({', '.join(machine['instruction_sets'])}), "
        f"{machine['python']}, {versions}; the tokenizers with o200k_base and warm. "
        "`make bench` measures again and renews these tables; `benches/results/latest.json` has every text and size."
    )
    return "\n\n".join([_messages(record), _ladder(record), _claims(record), where])


def _messages(record):
    rows = [["A message of 4 kB", *LADDER]]
    for contestant in NAMES:
        cells = []
        for name in LADDER:
            seconds = _seconds(record, name, MESSAGE, contestant)
            ratio = seconds / _seconds(record, name, MESSAGE, "ullage")
            cells.append(_time(seconds) + ("" if contestant == "ullage" else f" ({_significant(ratio)}×)"))
        rows.append([f"`{contestant}`" if contestant != "ullage" else "`ullage.estimate`", *cells])
    return _table(rows)


def _ladder(record):
    rows = [["`ullage.estimate`", *LADDER, "`len // 4`"]]
    for size in SIZES:
        cells = [_time(_seconds(record, name, size, "ullage")) for name in LADDER]
        rows.append([_bytes(size), *cells, _time(_seconds(record, "English", size, "len // 4"))])
    return _table(rows)


def _claims(record):
    promised = [
        claims.Claim(**{key: value for key, value in claim.items() if key != "held"}) for claim in record["claims"]
    ]
    return _table([["Claim", "Target", "Measured, worst case", "Held"], *map(list, claims.rows(promised))])


def _seconds(record, name, size, contestant):
    """Of that call; a wrong answer has no time."""
    (calls,) = (row["calls"] for row in record["results"] if (row["text"], row["bytes"]) == (name, size))
    if not calls[contestant]["correct"]:
        raise ValueError(f"{contestant} gave a wrong number for {name}, {size} bytes; its time means nothing")
    return calls[contestant]["seconds"]


def _table(rows):
    header, *body = rows
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _time(seconds):
    for scale, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * scale < 999.5:
            return f"{_significant(seconds * scale)} {unit}"
    return f"{_significant(seconds)} s"


def _significant(value):
    """Two significant digits below 100, whole numbers above."""
    return f"{value:.2g}" if value < 99.5 else f"{value:,.0f}"


def _bytes(size):
    for scale, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} B"


def renewed(readme, record):
    """The README with its block made from the record."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{block(record)}\n{END}{after}"


def main():
    """Renew the README, or with --check say whether that would change it."""
    old = README.read_text(encoding="utf-8")
    new = renewed(old, json.loads(LATEST.read_text(encoding="utf-8")))
    if "--check" in sys.argv[1:]:
        sys.exit(f"{README.name} is stale; run python -m benches.report" if old != new else 0)
    README.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()

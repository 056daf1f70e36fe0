"""Write manifest.json from files.tsv: the hand-kept facts about each text, and its measured size.

Edit files.tsv (file, script, language, kind) and run `python corpora/build_manifest.py`;
with `--check` nothing is written, and the exit code is 1 when manifest.json is stale.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

CORPORA = Path(__file__).resolve().parent
MANIFEST = CORPORA / "manifest.json"


def entries() -> list[dict[str, str | int]]:
    """One entry a row of files.tsv: its four fields, then the size in UTF-8 bytes and in code points."""
    with (CORPORA / "files.tsv").open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t", strict=True))
    measured: list[dict[str, str | int]] = []
    for row in rows:
        data = (CORPORA / row["file"]).read_bytes()
        measured.append({**row, "bytes": len(data), "characters": len(data.decode("utf-8"))})
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description="Write corpora/manifest.json from corpora/files.tsv.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if it is stale")
    check = parser.parse_args().check

    text = json.dumps(entries(), indent=2, ensure_ascii=False) + "\n"
    if not check:
        MANIFEST.write_bytes(text.encode("utf-8"))
        return 0
    if MANIFEST.exists() and MANIFEST.read_bytes() == text.encode("utf-8"):
        return 0
    print("corpora/manifest.json is stale: run python corpora/build_manifest.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

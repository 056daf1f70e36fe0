"""What the README shows of the command is what the command prints; its Python examples are doctests."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_table_in_the_readme_is_the_commands():
    shown = re.search(r"```console\n\$ ullage (.*)\n([^`]*)```", (ROOT / "README.md").read_text(encoding="utf-8"))
    run = subprocess.run(
        [Path(sys.executable).with_name("ullage"), *shown[1].split()],
        cwd=ROOT,
        env={"COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    printed = [line.rstrip() for line in run.stdout.splitlines()]
    assert [line for line in shown[2].splitlines() if line != "..." and line not in printed] == []

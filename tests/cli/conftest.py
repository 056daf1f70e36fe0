"""The command as its users run it: in this process through typer's runner, or as a process of its own."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from ullage.cli.app import app


class Command:
    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments, stdin=None, columns=None, env=None):
        env = {"COLUMNS": None if columns is None else str(columns), **(env or {})}
        return CliRunner().invoke(app, [self.name, *map(str, arguments)], input=stdin, env=env)

    def json(self, *arguments, stdin=None):
        result = self(*arguments, "--json", stdin=stdin)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    # As the script of the package does. An interrupt between opening a file and entering its block leaves the file to
    # the collector, which is no defect.
    PYTHON = (
        *(sys.executable, "-W", "error", "-W", "ignore::ResourceWarning"),
        *("-c", "from ullage.cli import main; main()"),
    )

    def process(self, *arguments, **options):
        """Start ``ullage`` as a process."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*self.PYTHON, *map(str, arguments)], **{**pipes, **options})


@pytest.fixture
def count():
    return Command("count")


@pytest.fixture
def fit():
    return Command("fit")


@pytest.fixture
def drift():
    return Command("drift")


@pytest.fixture
def lint_command():
    return Command("lint")


@pytest.fixture
def prefix():
    return Command("prefix")


@pytest.fixture
def replay():
    return Command("replay")


@pytest.fixture
def budget():
    return Command("budget")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Write files, given by path, into a fresh folder that is the working folder; return it."""
    monkeypatch.chdir(tmp_path)

    def write(files):
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write

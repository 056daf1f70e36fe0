"""The ``ullage`` command. One file a subcommand; ``app.py`` joins them, ``output.py`` holds what they share.

It needs the extra ``cli``. ``import ullage`` imports nothing from here.
"""

import sys
from importlib.util import find_spec

_EXTRA = ("typer", "rich", "pathspec")


def main() -> None:
    """Run the command line: the entry point of the ``ullage`` script. Leaves through ``SystemExit``."""
    if any(find_spec(name) is None for name in _EXTRA):
        print('The ullage command needs the extra: pip install "ullage[cli]"', file=sys.stderr)
        sys.exit(2)
    from ullage.cli.app import app
    from ullage.cli.output import run

    run(app)

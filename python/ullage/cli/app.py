"""The command line as a whole. A new command is one file and one line here."""

from typing import Annotated

import typer

import ullage
from ullage.cli import bench, budget, calibrate, count, drift, fit, lint, prefix, replay

app = typer.Typer(
    name="ullage",
    help="The room left in a context window: estimates of tokens, without a tokenizer.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: the same on every terminal, and examples keep their lines
    pretty_exceptions_enable=False,
)
app.command(epilog=count.EXAMPLES)(count.count)
app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=prefix.EXAMPLES)(prefix.prefix)
app.command(epilog=lint.EXAMPLES)(lint.lint)
app.command(epilog=budget.EXAMPLES)(budget.budget)
app.command(epilog=replay.EXAMPLES)(replay.replay)
app.command(epilog=drift.EXAMPLES)(drift.drift)
app.command(epilog=calibrate.EXAMPLES)(calibrate.calibrate)
app.command(epilog=bench.EXAMPLES)(bench.bench)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ullage {ullage.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass

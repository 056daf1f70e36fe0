"""``ullage bench``: how near and how fast estimates are on your texts, beside what else is installed."""

import json
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ullage.cli import files, models, output
from ullage.cli.read import read
from ullage.documents import Document, read_corpus
from ullage.errors import InvalidCorpus

if TYPE_CHECKING:
    from ullage.bench import Report, Result

EXAMPLES = """
\b
Examples:
  ullage bench
  ullage bench src docs --model claude-opus-4-8
  ullage bench --corpus counted.jsonl --model gpt-4o --plot accuracy.png
  ullage bench --json | jq .results

\b
Beside ullage runs everything that is installed and counts tokens.
Without paths the texts are the corpora of this repository, inside a checkout
of it. A corpus is JSON lines, {"text": ..., "kind": ..., "tokens": {...}}.
Files are grouped by the ending of their names.

\b
Errors are against a real tokenizer of the model's vocabulary, if one is
installed (tiktoken with bpe-openai, quicktok-v1), or against the "tokens" of
the corpus under the profile's key. mean, median, p95: of the absolute error.
too low: the share of texts that were estimated below their count.
time: over that of ullage's profile; one process, texts one after the other.

\b
Exit code: 0 fine; 1 something could not be read, the rest is measured;
2 wrong usage, or a package is missing.
"""


def bench(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files or folders.", show_default=False)
    ] = None,
    corpus: Annotated[Path | None, typer.Option(help="Texts in JSON lines.", metavar="FILE")] = None,
    model: Annotated[str, typer.Option(help="The model whose profile is measured.", metavar="MODEL")] = "gpt-4o",
    as_json: Annotated[bool, typer.Option("--json", help="Exact numbers as JSON instead of a table.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a picture, too; by the ending: png, svg, pdf.", metavar="FILE")
    ] = None,
) -> None:
    """Measure accuracy and speed on your texts, beside tokenizers."""
    from ullage.bench import measure

    estimator = models.estimator(model)
    draw = _plotter(plot)
    documents, failed = _documents(paths or [], corpus)
    if not any(document.text for document in documents):
        output.note("there are no texts to measure on")
        raise typer.Exit(output.FAILED)
    report = measure(documents, estimator, track=lambda calls: output.track(calls, "Counting", quiet=as_json))
    if as_json:
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        print(json.dumps({"model": model, **asdict(report), **machine}, indent=1, ensure_ascii=False), flush=True)
    else:
        _print_tables(report)
    if draw is not None and plot is not None:
        try:
            draw(report, plot)
        except (OSError, ValueError) as error:
            output.note(f"{output.printable(str(plot))}: {output.reason(error)}")
            failed = True
    if failed:
        raise typer.Exit(output.FAILED)


def _plotter(plot: Path | None) -> "Callable[[Report, Path], None] | None":
    if plot is None:
        return None
    try:
        from ullage.plots import save_accuracy
    except ModuleNotFoundError as error:
        output.note(f'{error.name} is missing: pip install "ullage[plot]"')
        raise typer.Exit(output.USAGE) from None
    return save_accuracy


def _documents(paths: list[str], corpus: Path | None) -> tuple[list[Document], bool]:
    """The texts, and whether some could not be read."""
    documents: list[Document] = []
    failures: list[tuple[str, str]] = []
    if corpus is not None:
        try:
            documents += read_corpus(corpus).documents
        except OSError as error:
            failures.append((str(corpus), output.reason(error)))
        except InvalidCorpus as error:
            output.note(output.printable(str(error)))
            raise typer.Exit(output.FAILED) from None
    elif not paths:
        own = _own_corpora(Path.cwd())
        if own is None:
            raise typer.BadParameter(
                "outside a checkout of ullage, which has corpora of its own, name files, folders or a --corpus",
                param_hint="PATH",
            )
        documents += own
    found = files.find(paths)
    for path in found.files:
        try:
            content = read(path)
        except (OSError, MemoryError) as error:
            failures.append((path, output.reason(error)))
            continue
        if content is not None:
            documents.append(Document(content.text, kind=Path(path).suffix or "no ending", place=path))
    failures += found.unreadable
    for path, reason in failures:
        output.note(f"{output.printable(path)}: {reason}")
    return documents, bool(failures)


def _own_corpora(folder: Path) -> list[Document] | None:
    """The corpora of the checkout that the folder is in, if it is in one."""
    for root in (folder, *folder.parents):
        manifest = root / "corpora" / "manifest.json"
        if manifest.is_file() and (root / "python" / "ullage" / "__init__.py").is_file():
            entries = json.loads(manifest.read_bytes())
            return [
                Document(
                    (manifest.parent / entry["file"]).read_bytes().decode(),
                    lang=entry["language"],
                    kind=entry["kind"],
                    place=entry["file"],
                )
                for entry in entries
            ]
    return None


def _print_tables(report: "Report") -> None:
    from rich.table import Table

    console = output.console()
    overall = Table(box=None, pad_edge=False, header_style="bold")
    overall.add_column("", overflow="fold")
    judged = report.truth is not None
    for name in (*(("mean", "median", "p95", "too low") if judged else ()), "MB/s", "time"):
        overall.add_column(name, justify="right", no_wrap=True)
    for result in report.results:
        overall.add_row(
            result.name, *_shares(result), _significant(result.megabytes_per_second), f"{_significant(result.times)}×"
        )
    console.print(overall)
    if judged:
        estimates = [result for result in report.results if not result.exact]
        kinds = Table(box=None, pad_edge=False, header_style="bold")
        kinds.add_column("mean error by kind", overflow="fold")
        for name in ("texts", *(result.name for result in estimates)):
            kinds.add_column(name, justify="right")
        for kind, errors in estimates[0].errors_by_kind.items():
            shares = (f"{result.errors_by_kind[kind].mean:.1%}" for result in estimates)
            kinds.add_row(output.printable(kind), f"{errors.texts:,}", *shares)
        console.print()
        console.print(kinds)
    for sentence in _notes(report):
        output.note(sentence)


def _shares(result: "Result") -> Iterator[str]:
    if result.errors is not None:
        for share in (result.errors.mean, result.errors.median, result.errors.p95, result.errors.under):
            yield f"{share:.1%}"


def _significant(number: float) -> str:
    """Three digits below a thousand, whole numbers above."""
    return f"{number:,.0f}" if number >= 999.5 else f"{number:.3g}"


def _notes(report: "Report") -> Iterator[str]:
    texts = f"{report.texts:,} texts of {report.characters:,} characters"
    if report.truth is None:
        yield (
            f"{texts}; only speeds, since no tokenizer with the vocabulary of {report.profile} is installed and the "
            f'texts have no "tokens" for it (for o200k_base and cl100k_base: pip install tiktoken bpe-openai)'
        )
    else:
        yield f"{texts}; errors are against {report.truth}"
    versions = {f"{result.name.partition('.')[0]} {result.version}" for result in report.results if result.exact}
    if versions:
        yield "tokenizers: " + ", ".join(sorted(versions))

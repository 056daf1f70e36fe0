"""``ullage calibrate``: a profile for a tokenizer, fitted on a corpus of yours."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ullage.cli import output
from ullage.counters import Counter, from_tokenizer_json, tiktoken
from ullage.documents import Document, read_corpus
from ullage.errors import InvalidCorpus, MissingTokenizer
from ullage.profile_file import ProfileFile, pack

EXAMPLES = """
\b
Examples:
  ullage calibrate --corpus texts.jsonl --tokenizer tiktoken:o200k_base --out mine.profile
  ullage calibrate --corpus texts.jsonl --tokenizer hf:models/ours/tokenizer.json --out mine.profile
  ullage calibrate --corpus counted.jsonl --tokenizer counts:ours --out mine.profile

\b
The corpus: JSON lines, {"text": ..., "source": ..., "lang": ..., "kind": ...,
"tokens": {"ours": 12, ...}}; all but the text may be missing.
tiktoken:NAME   an encoding of tiktoken, without network: from its cache, or
                from the package bpe-openai
hf:PATH         a tokenizer.json, through the package tokenizers
counts:KEY      the number under KEY in the "tokens" of every line

\b
The profile is for Estimator.from_file. The same corpus gives the same bytes.
--evaluate fits again without each source (ten times at most; five parts of
the documents where there is one source), to say how wrong the profile is on
text that it has not seen, and to find the margins of its upper bound.

\b
Exit code: 0 fine; 1 the corpus or the tokenizer could not be used; 2 wrong
usage, or a package is missing.
"""


def calibrate(
    corpus: Annotated[Path, typer.Option(help="The texts, in JSON lines.", metavar="FILE")],
    tokenizer: Annotated[
        str, typer.Option(help="What to fit to: tiktoken:NAME, hf:PATH or counts:KEY.", metavar="TOKENIZER")
    ],
    out: Annotated[Path, typer.Option(help="Where to write the profile.", metavar="FILE", dir_okay=False)],
    evaluate: Annotated[
        bool, typer.Option(help="Find errors and margins by leaving out one source at a time; takes longer.")
    ] = True,
) -> None:
    """Fit a profile for a tokenizer on a corpus of yours."""
    kind, _, name = tokenizer.partition(":")
    if kind not in ("tiktoken", "hf", "counts") or not name:
        raise typer.BadParameter(f"{tokenizer!r} is not tiktoken:NAME, hf:PATH or counts:KEY", param_hint="--tokenizer")
    if not out.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {str(out.absolute().parent)!r}", param_hint="--out")
    try:
        from ullage.calibrate import fit_profile
    except ModuleNotFoundError as error:
        output.note(f'{error.name} is missing: pip install "ullage[calibrate]"')
        raise typer.Exit(output.USAGE) from None
    try:
        counter = _counter(kind, name)
        read = read_corpus(corpus)
        counts = _counts(read.documents, counter, name)
        counted = [(document, count) for document, count in zip(read.documents, counts, strict=True) if count]
        with output.progress("Fitting") as progress:
            profile = fit_profile(
                [document for document, _ in counted],
                [count for _, count in counted],
                tokenizer=_label(kind, name),
                byte_level=counter is not None and counter.byte_level,
                checksum=read.sha256,
                evaluate=evaluate,
                progress=progress,
            )
        out.write_bytes(pack(profile))
    except MissingTokenizer as error:
        output.note(str(error))
        raise typer.Exit(output.USAGE) from None
    except OSError as error:
        output.note(f"{output.printable(str(error.filename))}: {output.reason(error)}")
        raise typer.Exit(output.FAILED) from None
    except InvalidCorpus as error:
        output.note(output.printable(str(error)))
        raise typer.Exit(output.FAILED) from None
    except ValueError as error:
        output.note(f"{output.printable(str(corpus))}: {error}")
        raise typer.Exit(output.FAILED) from None
    _print_errors(profile)
    left = len(counts) - len(counted)
    if left:
        output.note(f"left out: {left:,} documents that cost no tokens")
    output.note(f"{output.printable(str(out))}: fitted on {len(counted):,} documents")


def _counter(kind: str, name: str) -> Counter | None:
    if kind == "counts":
        return None
    return tiktoken(name) if kind == "tiktoken" else from_tokenizer_json(name)


def _label(kind: str, name: str) -> str:
    """A name for the profile that says nothing of this machine's folders."""
    if kind != "hf":
        return name
    path = Path(name).absolute()
    return path.parent.name if path.name == "tokenizer.json" else path.stem


def _counts(documents: tuple[Document, ...], counter: Counter | None, key: str) -> list[int]:
    """Tokens of each document. Raises InvalidCorpus with its place."""
    counts = []
    for document in output.track(documents, "Counting", quiet=False):
        if counter is None:
            if key not in document.tokens:
                known = ", ".join(sorted(document.tokens)) or "nothing"
                raise InvalidCorpus(f'{document.place}: "tokens" has no {key!r}, but {known}')
            counts.append(document.tokens[key])
            continue
        try:
            counts.append(counter.count(document.text))
        except Exception as error:
            raise InvalidCorpus(f"{document.place}: {counter.name} does not take this text: {error}") from None
    return counts


def _print_errors(profile: ProfileFile) -> None:
    errors: Any = profile.about.get("errors")
    if errors is None:
        return
    from rich.table import Table

    (unit,) = (name.removesuffix("_left_out") for name in errors if name.endswith("_left_out"))
    rows = {**errors.get("by_source", {}), "all": errors[f"{unit}_left_out"]}
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("left out" if unit == "sources" else "parts left out", overflow="fold")
    for name in ("documents", "mean", "median", "p95", "too low"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, figures in rows.items():
        shares = (figures[key] for key in ("mean", "median", "p95", "under"))
        table.add_row(output.printable(name), f"{figures['texts']:,}", *(f"{share:.1%}" for share in shares))
    output.console().print(table)

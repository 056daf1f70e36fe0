"""``ullage replay``: a session priced request by request, by the rules of a provider's cache."""

import json
from contextlib import suppress
from typing import Annotated, Any

import typer

from ullage import (
    Budget,
    CacheRules,
    CannotFit,
    Clear,
    Compaction,
    CostReport,
    Estimator,
    FitPolicy,
    InvalidBudget,
    Prices,
    UnknownModel,
    cache_rules,
    simulate,
)
from ullage.cache.sending import Policy
from ullage.cli import output
from ullage.cli.fit import Format
from ullage.cli.messages import BadMessagesError, Session, load

EXAMPLES = """
\b
Examples:
  ullage replay requests.jsonl --model claude-opus-5-5
  ullage replay session.json --model gpt-5.6
  ullage replay session.json --model claude-opus-5-5 \\
      --policy clear:8 --budget 100000
  ullage replay session.json --provider vllm --policy compact:0.8 \\
      --budget 32000 --between 60
  ullage replay sessions.jsonl --sessions --model gpt-5 --json
  ullage replay requests.jsonl --model gpt-5 --plot session.png

\b
TRACE is one conversation (a list of messages, a request with messages,
or lines of one message each), replayed with a request for each answer;
or lines of requests, replayed as they were sent; or, with --sessions,
lines of one conversation each.

\b
Policies, for conversations: never; clear, clear:N, clear:SHARE or
clear:auto (fit, which clears N tool results together, or as many as free
that share of the budget); compact or compact:SHARE (a summary when the
request takes more than that share of the budget).

\b
Kept is what a request has in common with the one before it; read, written
and plain are how its prompt is billed. Costs are US dollars where prices
of the model are known (extra: prices), or else prices of a million tokens
of input. Without a model, tokens are by the script rule, which puts code
and JSON far too low.

\b
Exit code: 0 fine; 1 a request that was sent changes what was sent before
it in its conversation, which is those with the same first message (what
a policy does is no break); 2 wrong usage, or TRACE cannot be read; 3 the
policy does not get a request within the budget.
"""


def replay(
    path: Annotated[str, typer.Argument(metavar="TRACE", help="A file of messages or requests; - is standard input.")],
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The model; by default, that of the request.")
    ] = None,
    provider: Annotated[str | None, typer.Option(metavar="NAME", help="Who serves it; by default, its maker.")] = None,
    policy: Annotated[str, typer.Option(metavar="POLICY", help="What is done on the way; see below.")] = "never",
    budget: Annotated[int | None, typer.Option(help="Tokens a policy keeps to.", metavar="TOKENS", min=1)] = None,
    between: Annotated[float, typer.Option(help="Seconds from request to request.", metavar="SECONDS", min=0)] = 10.0,
    life: Annotated[int | None, typer.Option(help="Seconds that markers ask for.", metavar="SECONDS", min=1)] = None,
    sessions: Annotated[bool, typer.Option("--sessions", help="Each line is a conversation of its own.")] = False,
    format: Annotated[Format | None, typer.Option(help="Format of the messages; by default, detected.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every step as JSON instead of tables.")] = False,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the steps (extra: plot).")] = None,
) -> None:
    """Price a session request by request, by the rules of its cache."""
    done = _policy(policy)
    if done is not None and budget is None:
        raise typer.BadParameter("a policy needs the tokens that a request may take", param_hint="--budget")
    try:
        found = load(path, format)
    except (OSError, MemoryError, BadMessagesError) as error:
        output.note(f"{output.printable(path)}: {output.reason(error)}")
        raise typer.Exit(output.USAGE) from error
    recorded = found.in_lines and not sessions
    if recorded and done is not None:
        raise typer.BadParameter("requests that were sent are as they are (see --sessions)", param_hint="--policy")
    rules, model = _rules(model, provider, found)
    options: dict[str, Any] = {"life": life, "seconds_between": between, "format": format}
    options |= {"prices": _prices(model, provider), "estimator": _estimator(model)}
    traces: dict[int, Any] = {line: request.value for line, request in found.requests.items()}
    if recorded:
        traces = {min(traces): [*traces.values()]}
    reports, never = dict[int, CostReport](), dict[int, CostReport]()
    for line, trace in traces.items():
        where = f"line {line}: " if len(traces) > 1 else ""
        try:
            with output.progress("replaying") as told:
                reports[line] = simulate(trace, done, rules, budget=_budget(budget), progress=told, **options)
                if done is not None:
                    never[line] = simulate(trace, None, rules, progress=told, **options)
        except CannotFit as error:
            output.note(f"{where}{error}")
            raise typer.Exit(output.CANNOT) from error
        except (TypeError, ValueError) as error:  # what is no message, or would be refused; they name the place
            where = _line(found) if recorded else where
            output.note(f"{output.printable(path)}: {where}{error}")
            raise typer.Exit(output.USAGE) from error
    if plot is not None:
        _plot(list(reports.values()), plot)
    if as_json:
        told_as = {"path": path, "model": model, "provider": rules.provider, "policy": policy, "budget": budget}
        listed = [_report(line, report, never.get(line)) for line, report in reports.items()]
        print(json.dumps({**told_as, "sessions": listed}, indent=1), flush=True)
    else:
        from ullage.cli.replay_tables import print_sessions, print_steps

        if len(reports) == 1:
            print_steps(*reports.values(), *never.values())
        else:
            print_sessions(reports, never)
    broken = sum(step.broken for report in reports.values() for step in report.steps)
    if broken:
        who = "1 request changes" if broken == 1 else f"{broken:,} requests change"
        output.note(f"{who} what was sent before; ullage prefix says why")
        raise typer.Exit(output.FOUND)


def _policy(name: str) -> Policy:
    """The policy that a word stands for."""
    kind, _, value = name.partition(":")
    try:
        if kind == "clear":
            return FitPolicy(clear=Clear(batch="auto" if value == "auto" else _number(value))) if value else FitPolicy()
        if kind == "compact":
            return Compaction(trigger=_number(value)) if value else Compaction()
    except ValueError as error:
        raise typer.BadParameter(f"{name!r}: {error}", param_hint="--policy") from error
    if name != "never":
        raise typer.BadParameter(f"{name!r} is none of never, clear, compact", param_hint="--policy")
    return None


def _number(text: str) -> int | float:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    raise ValueError(f"{text!r} is no number")


def _budget(tokens: int | None) -> Budget | None:
    try:
        return None if tokens is None else Budget(tokens)
    except InvalidBudget as error:
        raise typer.BadParameter(str(error), param_hint="--budget") from error


def _line(found: Session) -> str:
    """The line of the first request that cannot be read."""
    for line, request in found.requests.items():
        try:
            request.read()
        except (TypeError, ValueError):
            return f"line {line}: "
    return ""


def _rules(model: str | None, provider: str | None, found: Session) -> tuple[CacheRules, str | None]:
    """The rules of the cache, and the model that is meant: the given one, or else that of the first request."""
    value = next(iter(found.requests.values())).value
    named = value.get("model", value.get("modelId")) if isinstance(value, dict) and model is None else None
    try:
        if model is None and isinstance(named, str):
            try:
                return cache_rules(named, provider), named
            except UnknownModel:
                if provider is None:
                    raise
        if model is None and provider is None:
            raise typer.BadParameter("say whose cache it is, by --model or --provider", param_hint="--model")
        return cache_rules(model or provider or "", provider), model
    except UnknownModel as error:
        raise typer.BadParameter(str(error), param_hint="--model" if provider is None else "--provider") from error


def _prices(model: str | None, provider: str | None) -> Prices | None:
    try:
        return None if model is None else Prices.of(model, provider)
    except (ModuleNotFoundError, UnknownModel) as error:
        output.note(f"costs are in prices of a million tokens of input: {error}")
        return None


def _estimator(model: str | None) -> Estimator:
    """The estimator of a model; that of the script rule, with a note, where no profile is known for it."""
    try:
        return Estimator() if model is None else Estimator.for_model(model)
    except UnknownModel:
        output.note(f"no profile is known for {model}: tokens are by the script rule")
        return Estimator()


def _plot(reports: list[CostReport], path: str) -> None:
    try:
        from ullage.plots import save_steps
    except ModuleNotFoundError as error:
        raise typer.BadParameter('it needs matplotlib: pip install "ullage[plot]"', param_hint="--plot") from error
    if len(reports) > 1:
        raise typer.BadParameter("it draws one session, and there are several", param_hint="--plot")
    try:
        save_steps(reports[0], path)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{output.printable(path)}: {output.reason(error)}", param_hint="--plot") from error


def _report(line: int, report: CostReport, never: CostReport | None) -> dict[str, Any]:
    """Return a session of ``--json``. It grows by new keys only."""
    return {"line": line, "never_cost": None if never is None else never.cost, **report.to_dict()}

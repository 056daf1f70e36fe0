"""What ``ullage replay`` prints, beside what ``ullage.simulate`` gives for the same session."""

import json
import sys

import pytest

from ullage import Clear, Compaction, Estimator, FitPolicy, simulate

MESSAGES = [{"role": "user", "content": "Read the files. " * 200}]
for number in range(12):
    called = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    MESSAGES.append({"role": "assistant", "content": "I read on.", "tool_calls": [called]})
    MESSAGES.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number} of a text. " * 60})
REQUESTS = [{"model": "gpt-5.6", "messages": MESSAGES[:stop]} for stop in range(1, len(MESSAGES) + 1, 2)]
BROKEN = [
    *REQUESTS[:5],
    {**REQUESTS[5], "messages": [*MESSAGES[:3], {**MESSAGES[3], "content": "No."}, *MESSAGES[4:11]]},
]


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def without_prices(report):
    """A report whose costs are left out: list prices change."""
    return {**report, "cost": None, "unit": None, "steps": [{**step, "cost": None} for step in report["steps"]]}


@pytest.fixture
def no_prices(monkeypatch):
    """As if genai-prices was not installed."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)


def test_a_conversation_step_by_step(replay, tree, no_prices):
    tree({"s.json": json.dumps(MESSAGES[:7])})
    result = replay("s.json", "--model", "gpt-5.6")
    assert result.exit_code == 0
    report = simulate(MESSAGES[:7], None, "gpt-5.6", estimator=Estimator.for_model("gpt-5.6"))
    head, *rows, total, empty, hits = result.stdout.splitlines()
    assert head.split()[:7] == ["step", "prompt", "kept", "read", "written", "plain", "output"]
    assert head.endswith("million input tokens")
    assert [row.split() for row in rows] == [
        [
            str(number),
            *(f"{each:,}" for each in (step.prompt, step.kept, step.read, step.written, step.plain, step.output)),
            f"{step.cost:.4f}",
        ]
        for number, step in enumerate(report.steps, 1)
    ]
    assert total.split()[:4] == [
        "all",
        f"{report.prompts:,}",
        f"{sum(s.kept for s in report.steps):,}",
        f"{report.read:,}",
    ]
    assert empty == ""
    assert hits.startswith(
        f"{report.hit_rate:.1%} of all prompts is read from the cache of openai, at 0.1 of the price"
    )
    assert "costs are in prices of a million tokens of input: prices of models need genai-prices" in result.stderr
    assert 'pip install "ullage[prices]"' in result.stderr


def test_dollars_where_prices_are_known(replay, tree):
    pytest.importorskip("genai_prices")
    tree({"s.json": json.dumps(MESSAGES)})
    result = replay("s.json", "--model", "claude-opus-5-5")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith("USD")
    assert result.stderr == ""


def test_a_policy_beside_never_clearing(replay, tree, no_prices):
    tree({"s.json": json.dumps(MESSAGES)})
    result = replay("s.json", "--model", "gpt-5.6", "--policy", "clear:2", "--budget", "3000")
    estimator = Estimator.for_model("gpt-5.6")
    report = simulate(MESSAGES, FitPolicy(clear=Clear(batch=2)), "gpt-5.6", budget=3_000, estimator=estimator)
    never = simulate(MESSAGES, None, "gpt-5.6", estimator=estimator)
    rows = result.stdout.splitlines()
    assert rows[-1] == (
        f"never clearing costs {never.cost:.4f} million input tokens; "
        f"this costs {report.cost:.4f}, {report.cost / never.cost:.2f} times that"
    )
    assert sum(row.endswith("changed") for row in rows) == sum(
        after.kept < before.prompt for before, after in zip(report.steps, report.steps[1:], strict=False)
    )
    assert result.exit_code == 0  # what a policy does is no break


@pytest.mark.parametrize(
    ("word", "policy"),
    [
        ("clear", FitPolicy()),
        ("clear:2", FitPolicy(clear=Clear(batch=2))),
        ("clear:0.3", FitPolicy(clear=Clear(batch=0.3))),
        ("clear:auto", FitPolicy(clear=Clear(batch="auto"))),
        ("compact", Compaction()),
        ("compact:0.9", Compaction(trigger=0.9)),
        ("never", None),
    ],
)
def test_policies_by_a_word(word, policy, replay, tree):
    tree({"s.json": json.dumps(MESSAGES)})
    options = ("--model", "gpt-5.6", "--policy", word, "--budget", "3200", "--between", "60")
    (told,) = replay.json("s.json", *options)["sessions"]
    report = simulate(
        *(MESSAGES, policy, "gpt-5.6"), budget=3_200, seconds_between=60, estimator=Estimator.for_model("gpt-5.6")
    )
    assert without_prices(told) == {"line": 1, "never_cost": told["never_cost"], **without_prices(report.to_dict())}


def test_summaries_are_steps(replay, tree):
    tree({"s.json": json.dumps(MESSAGES)})
    result = replay("s.json", "--provider", "vllm", "--policy", "compact:0.9", "--budget", "3200")
    assert sum(row.endswith("summary") for row in result.stdout.splitlines()) >= 1


def test_requests_as_they_were_sent(replay, tree):
    tree({"r.jsonl": lines(REQUESTS)})
    told = replay.json("r.jsonl")
    assert (told["model"], told["provider"]) == ("gpt-5.6", "openai")
    report = simulate(REQUESTS, None, "gpt-5.6", estimator=Estimator.for_model("gpt-5.6"))
    assert without_prices(told["sessions"][0]) == {"line": 1, "never_cost": None, **without_prices(report.to_dict())}


def test_a_broken_prefix_is_found(replay, tree):
    tree({"r.jsonl": lines(BROKEN)})
    result = replay("r.jsonl")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[6].endswith("broken")
    assert "1 request changes what was sent before; ullage prefix says why" in result.stderr
    assert replay("r.jsonl", "--json").exit_code == 1


def test_sessions_on_a_line_each(replay, tree, no_prices):
    tree({"s.jsonl": lines([{"messages": MESSAGES}, {"messages": MESSAGES[:9]}])})
    result = replay("s.jsonl", "--sessions", "--provider", "anthropic", "--policy", "clear", "--budget", "4000")
    rows = [row.split() for row in result.stdout.splitlines()]
    reports = [simulate(each, FitPolicy(), "anthropic", budget=4_000) for each in (MESSAGES, MESSAGES[:9])]
    assert rows[0] == [
        "line",
        "steps",
        "prompts",
        "read",
        "written",
        "plain",
        "output",
        "hits",
        "million",
        "input",
        "tokens",
    ]
    assert [row[:4] for row in rows[1:4]] == [
        ["1", "13", f"{reports[0].prompts:,}", f"{reports[0].read:,}"],
        ["2", "5", f"{reports[1].prompts:,}", f"{reports[1].read:,}"],
        ["all", "18", f"{sum(r.prompts for r in reports):,}", f"{sum(r.read for r in reports):,}"],
    ]
    assert result.stdout.splitlines()[4].startswith("never clearing costs ")


def test_the_model_of_the_requests_counts_if_it_is_known(replay, tree):
    tree({"r.jsonl": lines([{**request, "model": "house-model"} for request in REQUESTS])})
    told = replay.json("r.jsonl", "--provider", "openai")
    assert (told["model"], told["provider"]) == (None, "openai")
    assert replay("r.jsonl").exit_code == 2
    assert replay.json("r.jsonl", "--model", "claude-opus-5")["model"] == "claude-opus-5"


def test_a_model_without_a_profile_is_told_once(replay, tree):
    tree({"s.jsonl": lines([{"messages": MESSAGES}] * 2)})
    result = replay("s.jsonl", "--sessions", "--model", "kimi-k3")
    assert result.stderr.count("no profile is known for kimi-k3: tokens are by the script rule") == 1


def test_standard_input(replay):
    assert replay("-", "--provider", "openai", stdin=json.dumps(MESSAGES)).exit_code == 0


def test_markers_ask_for_a_life(replay, tree):
    tree({"s.json": json.dumps(MESSAGES)})
    options = ("--provider", "anthropic", "--between", "1000")
    (short,), (long,) = (replay.json("s.json", *options, *more)["sessions"] for more in ((), ("--life", "3600")))
    assert short["tokens"]["read"] == 0
    assert long["tokens"]["hit_rate"] > 0.8


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture(ending, replay, tree):
    pytest.importorskip("matplotlib")
    folder = tree({"r.jsonl": lines(BROKEN)})
    assert replay("r.jsonl", "--plot", f"a.{ending}").exit_code == 1
    assert (folder / f"a.{ending}").stat().st_size > 1_000


def test_a_picture_shows_the_steps():
    pytest.importorskip("matplotlib")
    from ullage.plots import steps

    report = simulate(BROKEN, None, "gpt-5.6")
    (axes,) = steps(report).axes
    bars = [[bar.get_height() for bar in kind] for kind in axes.containers]
    assert bars == [[getattr(step, name) for step in report.steps] for name in ("read", "written", "plain")]
    assert axes.get_ylim()[1] > max(step.prompt for step in report.steps)
    kept, broken = axes.lines
    assert [*kept.get_ydata()] == [step.kept for step in report.steps]
    assert [*broken.get_xdata()] == [6]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("s.json",), 2, "say whose cache it is"),
        (("s.json", "--model", "gpt-9"), 2, "no cache rules are known"),
        (("s.json", "--provider", "openaj"), 2, "the nearest known are openai"),
        (("s.json", "--model", "gpt-5", "--policy", "clear"), 2, "a policy needs the tokens"),
        (("s.json", "--model", "gpt-5", "--policy", "clear:0", "--budget", "99"), 2, "batch is 0"),
        (("s.json", "--model", "gpt-5", "--policy", "clear:x", "--budget", "99"), 2, "'clear:x': 'x' is no number"),
        (("s.json", "--model", "gpt-5", "--policy", "compact:2", "--budget", "99"), 2, "trigger is 2"),
        (("s.json", "--model", "gpt-5", "--policy", "compact:nan", "--budget", "99"), 2, "trigger is nan"),
        (("s.json", "--model", "gpt-5", "--between", "nan"), 2, "--between"),
        (("s.json", "--model", "gpt-5", "--between", "inf"), 2, "seconds_between is inf"),
        (("bad.jsonl",), 2, "bad.jsonl: line 3: messages[0].content must be str or a list of parts, not int"),
        (("half.jsonl",), 2, "half.jsonl: line 2 is not a request"),
        (("s.json", "--model", "gpt-5", "--policy", "clean", "--budget", "99"), 2, "none of never, clear, compact"),
        (("s.json", "--model", "gpt-5", "--policy", "clear", "--budget", "99"), 3, "cannot be made smaller"),
        (("r.jsonl", "--policy", "clear", "--budget", "99"), 2, "requests that were sent are as they are"),
        (("t.txt", "--model", "gpt-5"), 2, "holds no messages"),
        (("none.json", "--model", "gpt-5"), 2, "none.json: No such file"),
        (("s.json", "--model", "gpt-5", "--plot", "a.xyz"), 2, "a.xyz: Format 'xyz' is not supported"),
        (("s.json", "--model", "gpt-5", "--plot", "b/a.png"), 2, "b/a.png: No such file"),
        (("r.jsonl", "--sessions", "--plot", "a.png"), 2, "there are several"),
    ],
)
def test_what_cannot_be_replayed(arguments, code, message, replay, tree):
    tree({"s.json": json.dumps(MESSAGES), "r.jsonl": lines(REQUESTS), "t.txt": "a text"})
    bad = {**REQUESTS[0], "messages": [{"role": "user", "content": 5}]}
    tree({"bad.jsonl": lines(REQUESTS[:1]) + "\n" + lines([bad]), "half.jsonl": lines(REQUESTS[:2])[:-20]})
    result = replay(*arguments)
    assert result.exit_code == code, result.output
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""


def test_without_matplotlib(replay, tree, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "ullage.plots", raising=False)
    tree({"s.json": json.dumps(MESSAGES)})
    result = replay("s.json", "--model", "gpt-5", "--plot", "a.png")
    assert result.exit_code == 2
    assert "ullage[plot]" in result.stderr

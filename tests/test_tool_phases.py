"""Tools by phase: the same bytes whoever gave them, and the arithmetic of a switch."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import Estimator, InvalidTools, ToolPhases, UllageError, UnknownModel, UnknownPhase, estimate
from ullage.cache.prompt import Prompt
from ullage.cache.provider_cache import Marker, ProviderCache
from ullage.cache.rules import CacheRules, cache_rules

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "all": {"type": "boolean"}}}


def openai_chat(name, text="x"):
    return {"type": "function", "function": {"name": name, "description": text, "parameters": SCHEMA}}


def openai_responses(name, text="x"):
    return {"type": "function", "name": name, "description": text, "parameters": SCHEMA}


def anthropic(name, text="x"):
    return {"name": name, "description": text, "input_schema": SCHEMA}


def bedrock(name, text="x"):
    return {"toolSpec": {"name": name, "description": text, "inputSchema": {"json": SCHEMA}}}


MAKE = {"openai-chat": openai_chat, "openai-responses": openai_responses, "anthropic": anthropic, "bedrock": bedrock}
RULES = CacheRules(
    "made", match="markers", minimum=1_000, markers=4, look_back=20, lives=(300,), write=(1.25,), read=0.1
)


@pytest.mark.parametrize(("name", "make"), MAKE.items())
def test_definitions_come_out_in_the_order_of_their_names(name, make):
    given = {"explore": [make("read"), make("find")], "act": [make("edit"), make("read")]}
    before = deepcopy(given)
    phases = ToolPhases(given)
    assert phases.phases == ("explore", "act")
    assert phases.tools("explore") == [make("find"), make("read")]
    assert phases.tools("act") == [make("edit"), make("read")]
    assert ToolPhases(given, sort=False).tools("explore") == [make("read"), make("find")]
    assert given == before
    from ullage import formats

    definitions = formats.named(name).tools(phases.tools("act"))
    assert phases.tokens("act") == definitions.tokens + sum(map(estimate, definitions.texts))


def test_geminis_declarations_are_one_tool():
    read, find, edit = ({"name": name, "parameters": SCHEMA} for name in ("read", "find", "edit"))
    search = {"googleSearch": {}}
    phases = ToolPhases(
        {"a": [{"functionDeclarations": [read, find]}, search], "b": [{"function_declarations": [edit]}]}
    )
    assert phases.tools("a") == [{"functionDeclarations": [find, read]}, search]
    assert phases.tools("b") == [{"functionDeclarations": [edit]}]
    both = ToolPhases({"a": [{"functionDeclarations": [read], "googleSearch": {}}]})
    assert both.tools("a") == [{"functionDeclarations": [read]}, search]


def shuffled(value, order):
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: order(item[0]))
        return {key: shuffled(inner, order) for key, inner in items}
    return [shuffled(item, order) for item in value] if isinstance(value, list) else value


@given(
    names=st.lists(st.text("abcÑ_", min_size=1, max_size=4), min_size=1, max_size=6, unique=True),
    seed=st.randoms(use_true_random=False),
)
def test_the_same_bytes_whatever_the_order_of_tools_and_keys(names, seed):
    tools = [anthropic(name, f"does {name}") for name in names]
    plain = ToolPhases({"a": tools})
    mixed = [shuffled(tool, lambda key: seed.random()) for tool in tools]
    seed.shuffle(mixed)
    other = ToolPhases({"b": [], "a": mixed})
    assert other.json("a") == plain.json("a")
    assert json.dumps(other.tools("a")) == json.dumps(plain.tools("a"))
    assert json.loads(plain.json("a")) == plain.tools("a") == sorted(tools, key=lambda tool: tool["name"])


def test_what_comes_out_can_be_changed_without_harm():
    phases = ToolPhases({"a": [anthropic("read")]})
    phases.tools("a")[0]["input_schema"]["properties"].clear()
    assert phases.tools("a") == [anthropic("read")]


@pytest.mark.parametrize(
    ("phases", "path", "why"),
    [
        ({"a": [anthropic("x"), anthropic("x")]}, "phases['a'][1]", "the name 'x' is twice in this phase"),
        ({"a": [anthropic("x")], "b": [anthropic("x", "y")]}, "phases['b'][0]", "has another definition in a phase"),
        ({"a": [{"description": "x", "input_schema": {}}]}, "phases['a'][0]", "has no name"),
        ({"a": [{"name": ""}]}, "phases['a'][0]", "has no name"),
        ({"a": [{"description": "x"}]}, "phases['a'][0]", "has no name"),
        ({"a": [{"name": 3, "input_schema": {}}]}, "phases['a'][0]", "has no name"),
        ({"a": [anthropic("x") | {"cache_control": {"type": "ephemeral"}}]}, "phases['a'][0]", "has a cache marker"),
        ({"a": [{"cachePoint": {"type": "default"}}]}, "phases['a'][0]", "has a cache marker"),
        ({"a": [anthropic("x") | {"n": float("nan")}]}, "phases['a'][0]", "is not JSON"),
        (
            {"a": [{"functionDeclarations": [{"name": "x"}, {"name": "x"}]}]},
            "phases['a'][0].functionDeclarations[1]",
            "twice in this phase",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(phases, path, why):
    with pytest.raises(InvalidTools) as caught:
        ToolPhases(phases)
    assert (caught.value.path, isinstance(caught.value, (UllageError))) == (path, True)
    assert why in str(caught.value)


def test_a_definition_that_holds_itself():
    tool = anthropic("x")
    tool = tool | {"input_schema": {}}
    tool["input_schema"]["self"] = tool
    with pytest.raises(InvalidTools, match="is not JSON"):
        ToolPhases({"a": [tool]})


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match=r"phases\['a'\]\[0\] must be a dict, as it is sent, not str"):
        ToolPhases({"a": ["read"]})
    with pytest.raises(TypeError, match=r"phases\['a'\] must be an iterable"):
        ToolPhases({"a": anthropic("x")})
    with pytest.raises(TypeError, match=r"phases\['a'\]\[0\] must be made of what JSON has"):
        ToolPhases({"a": [anthropic("x") | {"input_schema": {1, 2}}]})
    with pytest.raises(TypeError, match=r"phases\['a'\]\[0\].functionDeclarations must be an iterable"):
        ToolPhases({"a": [{"functionDeclarations": None}]})
    with pytest.raises(ValueError, match="there is no format 'x'"):
        ToolPhases({}, format="x")
    with pytest.raises(TypeError, match="phases must be a dict of lists by phase, not list"):
        ToolPhases([anthropic("x")])
    with pytest.raises(TypeError, match="the name of a phase must be str, not int"):
        ToolPhases({1: []})
    for change, sentence in (
        ({"calls": 1.5}, "calls must be int, not float"),
        ({"calls": True}, "calls must be int, not bool"),
        ({"prefix_tokens": float("nan")}, "prefix_tokens must be int, not float"),
        ({"system_tokens": "5"}, "system_tokens must be int, not str"),
        ({"rules": "anthropic"}, "rules must be CacheRules, not str"),
    ):
        with pytest.raises(TypeError, match=sentence):
            three().switch("one", "two", **{"calls": 1, "prefix_tokens": 10, "rules": RULES, **change})


def test_an_unknown_phase_names_those_there_are():
    phases = ToolPhases({"a": [], "b": []})
    for ask in (phases.tools, phases.json, phases.tokens):
        with pytest.raises(UnknownPhase, match="there is no phase 'c'; there are: a, b") as caught:
            ask("c")
        assert isinstance(caught.value, LookupError)


def three():
    """Phases whose definitions take 1,000 tokens a tool, more or less."""
    tools = {name: anthropic(name, "words " * 700) for name in "abc"}
    return ToolPhases({"one": [tools["a"], tools["b"]], "two": [tools["c"]], "all": list(tools.values())})


def test_the_arithmetic_of_a_switch():
    phases = three()
    one, two, both = (phases.tokens(phase) for phase in ("one", "two", "all"))
    switch = phases.switch("one", "two", calls=10, prefix_tokens=2_000, rules=RULES)
    assert (switch.before_tokens, switch.after_tokens, switch.both_tokens) == (one, two, both)
    assert switch.lost_tokens == 2_000 + one
    assert switch.stay_price == pytest.approx(10 * 0.1 * (2_000 + both))
    assert switch.switch_price == pytest.approx(1.25 * (2_000 + two) + 9 * 0.1 * (2_000 + two))
    loss, gain = 1.15 * (2_000 + two), 0.1 * (both - two)
    assert switch.saved == pytest.approx(10 * gain - loss)
    assert switch.break_even == int(loss / gain) + 1 == 19
    assert not switch.pays
    assert switch.why.startswith("switching does not pay: the first call costs 3,942 tokens of input more")
    assert switch.why.endswith("which takes 19 calls to pay, and there are 10")
    assert phases.switch("one", "two", calls=19, prefix_tokens=2_000, rules=RULES).pays
    assert not phases.switch("one", "two", calls=18, prefix_tokens=2_000, rules=RULES).pays


@given(
    calls=st.integers(1, 500),
    prefix=st.integers(0, 100_000),
    system=st.integers(0, 100_000),
    read=st.sampled_from([0.0, 0.025, 0.1, 0.5, 1.0]),
    write=st.sampled_from([1.0, 1.25, 2.0]),
    minimum=st.sampled_from([1, 1_024, 4_096, 50_000]),
    order=st.permutations(["tools", "system", "messages"]),
    match=st.sampled_from(["markers", "prefix", "requests"]),
    pair=st.permutations(["one", "two", "all"]),
)
def test_break_even_is_where_saving_begins(calls, prefix, system, read, write, minimum, order, match, pair):
    rules = CacheRules(
        *("made", (), tuple(order), match, minimum, 1, 4, 20, (300,), (write,), read),
    )
    switch = three().switch(
        *pair[:2], calls=calls, prefix_tokens=prefix, system_tokens=min(system, prefix), rules=rules
    )
    assert switch.pays == (switch.break_even is not None and calls >= switch.break_even) or abs(switch.saved) < 1e-6
    assert switch.saved == pytest.approx(switch.stay_price - switch.switch_price)
    assert switch.lost_tokens >= 0


def test_with_nothing_to_leave_out_it_never_pays():
    switch = three().switch("one", "all", calls=1_000, prefix_tokens=2_000, rules=RULES)
    assert (switch.pays, switch.break_even) == (False, None)
    assert "nothing to leave out" in switch.why
    same = three().switch("two", "two", calls=5, prefix_tokens=2_000, rules=RULES)
    assert (same.saved, same.lost_tokens, same.break_even) == (0, 0, None)


def test_what_is_too_short_for_a_cache_costs_nothing_to_switch():
    rules = CacheRules("made", minimum=1_000_000)
    switch = three().switch("one", "two", calls=1, prefix_tokens=2_000, rules=rules)
    assert (switch.lost_tokens, switch.break_even, switch.pays) == (0, 1, True)
    assert switch.saved == switch.both_tokens - switch.after_tokens
    almost = CacheRules("made", minimum=switch.both_tokens)
    shorter = three().switch("one", "two", calls=100, prefix_tokens=0, rules=almost)
    assert (shorter.pays, shorter.break_even) == (False, None)
    assert "too short to be cached" in shorter.why


def test_what_stands_before_the_tools_stays():
    rules = CacheRules("made", order=("system", "tools", "messages"), read=0.1)
    phases = three()
    kept = phases.switch("one", "two", calls=1, prefix_tokens=5_000, system_tokens=4_000, rules=rules)
    lost = phases.switch("one", "two", calls=1, prefix_tokens=5_000, rules=rules)
    assert lost.lost_tokens - kept.lost_tokens == 4_000
    assert lost.switch_price - kept.switch_price == pytest.approx(0.9 * 4_000)


def test_the_same_tools_at_the_start_stay_where_any_beginning_is_read():
    rules = CacheRules("made", read=0.1)
    alike = three().switch("all", "one", calls=1, prefix_tokens=5_000, rules=rules)
    assert alike.lost_tokens == 5_000 + alike.before_tokens - alike.after_tokens
    marked = three().switch("all", "one", calls=1, prefix_tokens=5_000, rules=RULES)
    assert marked.lost_tokens == 5_000 + marked.before_tokens


def test_a_model_gives_rules_and_estimates():
    phases = three()
    found = phases.switch("one", "two", calls=10, prefix_tokens=2_000, model="claude-opus-4-8")
    assert found.after_tokens == phases.tokens("two", "claude-opus-4-8")
    assert found.after_tokens == phases.tokens("two", estimator=Estimator.for_model("claude-opus-4-8"))
    rules = cache_rules("claude-opus-4-8")
    assert found.stay_price == pytest.approx(10 * rules.read * (2_000 + found.both_tokens))
    with pytest.raises(UnknownModel):
        phases.switch("one", "two", calls=10, prefix_tokens=2_000, model="nobody-1")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"calls": 0}, "calls is 0; it is at least 1"),
        ({"prefix_tokens": -1}, "prefix_tokens is -1; it is at least 0"),
        ({"system_tokens": 11}, "system_tokens is 11; it is within 0 and prefix_tokens, 10"),
    ],
)
def test_numbers_out_of_range(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        three().switch("one", "two", **{"calls": 1, "prefix_tokens": 10, "rules": RULES, **change})


def test_neither_a_model_nor_rules():
    with pytest.raises(TypeError, match="give a model, or the rules of a cache"):
        three().switch("one", "two", calls=1, prefix_tokens=10)
    with pytest.raises(UnknownPhase):
        three().switch("one", "three", calls=1, prefix_tokens=10, rules=RULES)


def billed(rules, before, after, calls):
    """The price of so many requests of these blocks, after one with those, by the simulated cache of a provider."""
    cache, prompt = ProviderCache(rules), Prompt()
    total = 0.0
    for blocks, counts in ((before, False), *[(after, True)] * calls):
        prompt.cut(0)
        for name, tokens in blocks:
            prompt.append(name, tokens)
        prompt.markers = [Marker(len(prompt) - 1)]
        use = cache.request(prompt)
        if counts:
            total += use.read * rules.read + use.plain
            total += sum(tokens * rules.write_price(life) for life, tokens in use.writes)
    return total


@pytest.mark.parametrize("name", ["anthropic", "openai", "bedrock", "gemini", "deepseek"])
@pytest.mark.parametrize(("before", "after"), [("one", "two"), ("one", "all"), ("all", "one"), ("two", "two")])
@pytest.mark.parametrize("calls", [1, 40])
def test_the_prices_are_those_of_a_simulated_cache(name, before, after, calls):
    rules = replace(cache_rules(name), step=1)  # steps are left out
    phases = three()
    switch = phases.switch(before, after, calls=calls, prefix_tokens=6_000, system_tokens=2_000, rules=rules)

    def blocks(*names):
        """The prompt with the tools of these phases, each of which takes what it adds to those before it."""
        tools = sorted({tool["name"] for phase in names for tool in phases.tools(phase)})
        sums = [
            ToolPhases({"a": [anthropic(each, "words " * 700) for each in tools[:n]]}).tokens("a") for n in (1, 2, 3)
        ]
        sums = [0, *sums][: len(tools) + 1]
        sizes = {"tools": [(tool, sums[at + 1] - sums[at]) for at, tool in enumerate(tools)]}
        sizes |= {"system": [("system", 2_000)], "messages": [("messages", 4_000)]}
        return [block for zone in rules.order for block in sizes[zone]]

    both = blocks(before, after)
    assert switch.stay_price == pytest.approx(billed(rules, both, both, calls))
    assert switch.switch_price == pytest.approx(billed(rules, blocks(before), blocks(after), calls))

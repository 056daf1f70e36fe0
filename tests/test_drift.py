"""What share of each request the instructions have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.builder import FORMATS, Assistant, Result, System, User, build, parse
from ullage import Drift, DriftStep, Estimator, History, InvalidHistory, drift

LINE = "S,U,A(a,b),Ta,Tb,A(c),Tc!,A,U,A"


@pytest.mark.parametrize(("results", "percent"), [(12_000, "29%"), (32_000, "14%"), (60_000, "8%")])
def test_five_thousand_tokens_of_instructions_under_ever_more_results(results, percent):
    step = DriftStep(2, instructions=5_000, history=0, results=results, rest=0)
    assert f"{step.share('instructions'):.0%}" == percent


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_shares_in_a_session_of_any_format(name):
    """A script rule's token is 4 letters: 5,000 of instructions, and results in three rounds."""
    sizes = {"a": 12_000, "b": 20_000, "c": 28_000}
    steps = [System("i" * 20_000), User("go")]
    for call, tokens in sizes.items():
        steps += [*parse(f"A({call})"), Result(call, "r" * 4 * tokens)]
    built = build(name, [*steps, Assistant("done")])
    found = drift(built.messages, system=built.system, format=name)
    shares = [step.share("instructions") for step in found.steps]
    assert shares == pytest.approx([1, 5 / 17, 5 / 37, 5 / 65, 5 / 65], abs=0.002)
    assert [round(step.results, -3) for step in found.steps] == [0, 12_000, 32_000, 60_000, 60_000]
    assert (found.below(0.1), found.below(0.2), found.below(0.0)) == ((3, 4), (2, 3, 4), ())


@pytest.mark.parametrize("name", FORMATS)
def test_a_step_ends_where_the_assistant_begins_to_speak(name):
    built = build(name, parse(LINE))
    places = [built.places[index] for index in (2, 5, 7, 9)]
    found = drift(built.messages, system=built.system, format=name)
    assert [step.messages for step in found.steps] == [*places, len(built.messages)]


@pytest.mark.parametrize("name", FORMATS)
def test_all_that_is_sent_is_in_one_of_the_parts(name):
    built = build(name, parse(LINE))
    tools = [{"type": "function", "function": {"name": "search", "parameters": {}}}]
    found = drift(built.messages, tools=tools, format=name)
    for step in found.steps:
        assert step.total == History(built.messages[: step.messages], format=name, tools=tools).total
    assert sum(found.steps[-1].share(part) for part in ("instructions", "history", "results", "rest")) == 1


def test_the_parts_of_a_small_session():
    messages = [
        {"role": "user", "content": "u" * 40},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "t" * 20, "signature": "x"},
                {"type": "tool_use", "id": "1", "name": "look", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r" * 400}]},
    ]
    assert drift(messages, system="s" * 80).to_dict() == {
        "steps": [
            {"messages": 1, "instructions": 20, "history": 10 + 4, "results": 0, "rest": 3},
            {"messages": 3, "instructions": 20, "history": 14 + 5 + 1 + 1 + 4, "results": 100 + 4, "rest": 3},
        ]
    }


def test_a_model_estimates():
    messages = [{"role": "system", "content": "Say what the tide is. " * 50}, {"role": "user", "content": "Now?"}]
    found = drift(messages, model="gpt-4o").steps[-1]
    assert found == drift(messages, estimator=Estimator.for_model("gpt-4o")).steps[-1]
    assert found.instructions == 4 + Estimator.for_model("gpt-4o").estimate(messages[0]["content"])


@given(st.lists(st.sampled_from("SUA"), max_size=12))
def test_steps_only_grow(line):
    messages = build("openai-chat", parse(",".join(line))).messages
    found = drift(messages)
    assert found.steps[-1].messages == len(messages)
    for before, after in zip(found.steps, found.steps[1:], strict=False):
        assert all(one <= other for one, other in zip(before, after, strict=True))


def test_nothing_and_what_is_no_session():
    assert drift([]) == Drift((DriftStep(0, 0, 0, 0, 3),))
    assert DriftStep(0, 0, 0, 0, 0).share("rest") == 0
    for share in (float("nan"), -0.1, 1.1):
        with pytest.raises(ValueError, match="it is within 0 and 1"):
            drift([]).below(share)
    for share in (True, None, "0.1"):
        with pytest.raises(TypeError, match="share must be a number, not"):
            drift([]).below(share)
    for part in ("messages", "total", None):
        with pytest.raises(ValueError, match="there is no part"):
            drift([]).steps[0].share(part)
    with pytest.raises(TypeError, match=r"messages must be an iterable"):
        drift({"role": "user", "content": "x"})
    with pytest.raises(InvalidHistory, match=r"messages\[0\].role"):
        drift([{"content": "x"}], format="anthropic")
    with pytest.raises(ValueError, match="there is no format 'x'"):
        drift([], format="x")

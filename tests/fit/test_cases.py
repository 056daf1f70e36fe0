"""Histories that broke other libraries, in every format that can express them."""

import pytest

from fit.made import checked, tokens_of
from formats.builder import FORMATS, Assistant, Call, Result, System, User, build, parse
from ullage import (
    CannotFit,
    Clear,
    Estimator,
    FitPolicy,
    History,
    InvalidHistory,
    ScriptRule,
    estimate,
    fit,
    formats,
    validate,
)

each_format = pytest.mark.parametrize("name", FORMATS)
LONG = "a long result of a tool, " * 200
SHARES = (0.05, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1)


def rounds(count, text=LONG, thinking=()):
    """An endless tool loop: one call a message."""
    steps = []
    for number in range(count):
        thought = f"I think about {number}" if number in thinking else None
        steps += [Assistant(None, (Call(f"c{number}"),), thought), Result(f"c{number}", text)]
    return steps


def swept(name, steps, policy=None):
    """Fit to many budgets; what comes out is checked each time. Gives the results, the smallest budget first."""
    messages, system, _ = build(name, steps)
    assert validate(messages, name) == []
    total = tokens_of(name, messages, system)
    results = [checked(name, messages, int(total * share), system=system, policy=policy) for share in SHARES]
    assert results[-1].messages == messages
    return [result for result in results if result is not None]


def text_of(messages):
    return repr(messages)


@each_format
@pytest.mark.parametrize(
    "line",
    [
        "S,U,A(a,b),Ta,Tb,A,U",
        "S,U,A(a,b),Ta,Tb,A,U,A(c),Tc,A,U",
        "U,A(a,b),Ta,Tb,A,U",
        "U,A(a),Ta,A(a),Ta,A(a),Ta,A(a),Ta,A(a),Ta",
        "U,A(a),Ta,A(b),Tb,A(c),Tc,A(d),Td,A(e),Te,A",
        "U,A(a),Ta,A",
        "S,U,A(a,b,c),Tc,Ta,Tb,A(d),Td!",
        "U,A(a),Ta,A,U,A(a),Ta,A,U,A(a),Ta,A,U,A(a),Ta",
        "U,A(θ,a),Ta,A(b),Tb",
        "U,A(θ,a),Ta,A(θ,b),Tb,A(c),Tc,A(d),Td",
        "U,A(θ,a),Ta,A,U,A(b),Tb,A(c),Tc,A,U,A(θ,d),Td,A(θ,e),Te",
        "S,U,A,U,A,U,A,U,A,U",
    ],
)
def test_pairs_and_thinking_stay_together(name, line):
    texts = {f"T{call}": LONG for call in "abcde"}
    for long in (texts, dict.fromkeys(("U", "A"), LONG), texts | {"θ": LONG}):
        swept(name, parse(line, **long))


@each_format
def test_ten_parallel_calls_stay_or_leave_together(name):
    calls = tuple(Call(f"c{number}") for number in range(10))
    parallel = [Assistant(None, calls), *(Result(call.id, LONG) for call in calls)]
    for steps in ([User("Go"), *parallel], [User("Go"), *parallel, *rounds(2)], [User("Go"), *rounds(2), *parallel]):
        for result in swept(name, steps):
            text = text_of(result.messages)
            assert len({f"'c{number}'" in text for number in range(2, 10)}) == 1


@each_format
def test_parallel_results_that_are_too_large_together_are_cut_to_one_level(name):
    calls = tuple(Call(f"c{number}") for number in range(4))
    texts = ["tiny", LONG, LONG * 2, LONG * 8]
    steps = [User("Go"), Assistant(None, calls), *map(Result, [call.id for call in calls], texts)]
    messages, system, _ = build(name, steps)
    result = checked(name, messages, 4_000, system=system)
    cuts = [entry for entry in result.receipt.entries if entry.action == "cut"]
    assert [entry.call_id for entry in cuts] == ["c2", "c3"]
    assert max(entry.after for entry in cuts) - min(entry.after for entry in cuts) < 40
    assert 3_900 < result.tokens <= 4_000
    assert text_of(result.messages).count("[... truncated, ") == 2


@each_format
def test_the_instruction_survives_an_endless_loop(name):
    steps = [User("Count the ships in the harbour."), *rounds(40)]
    messages, _, _ = build(name, steps)
    for end in range(3, len(messages) + 1, 2):
        result = checked(name, messages[:end], 6_000)
        assert "Count the ships in the harbour." in text_of(result.messages[0])
        assert "c" in text_of(result.messages[-1])


@each_format
def test_under_the_budget_nothing_is_touched(name):
    messages, system, _ = build(name, parse("S,U,A(a),Ta"))
    result = checked(name, messages, 10_000, system=system)
    assert result.receipt.entries == ()
    assert len(messages) == len(result.messages)
    assert all(one is other for one, other in zip(messages, result.messages, strict=True))


def test_a_result_in_parts_pairs_by_its_id():
    messages, _, _ = build("openai-chat", [User("Go"), *rounds(12)])
    for message in messages:
        if message["role"] == "tool":
            message["content"] = [{"type": "text", "text": message["content"]}]
    result = checked("openai-chat", messages, 8_000)
    cleared = [entry for entry in result.receipt.entries if entry.action == "cleared"]
    assert len(cleared) >= 4
    first = result.messages[cleared[0].start]
    assert first["content"] == [{"type": "text", "text": Clear().note}]
    assert first["tool_call_id"] == "c0"


@each_format
@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("U,A(a),U,A", "unanswered-call"),
        ("U,A(a,b),Ta,A", "unanswered-call"),
        ("U,A(a),Ta,A(b)", "unanswered-call"),
        ("U,A,Ta,A", "result-without-call"),
        ("U,A(a),Ta,A,Ta,A", "result-without-call"),
    ],
)
def test_what_is_invalid_is_refused_with_its_place(name, line, rule):
    steps = parse(line)
    messages, system, _ = build(name, steps)
    faulty = next(problem.index for problem in validate(messages, name) if problem.rule == rule)
    for budget in (100_000, 20):
        with pytest.raises(InvalidHistory, match=rf"^messages\[{faulty}\]: .*{rule}") as caught:
            fit(messages, budget, system=system, format=name)
        assert caught.value.index == faulty


def test_what_a_server_tool_gave_stays_with_its_call():
    search = {"type": "server_tool_use", "id": "s{}", "name": "web_search", "input": {"query": "ships"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s{}", "content": [{"type": "text", "text": LONG}]}
    messages = [{"role": "user", "content": "Which ships?"}]
    for number in range(8):
        content = [{**search, "id": f"s{number}"}, {**found, "tool_use_id": f"s{number}"}]
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
        messages.append({"role": "assistant", "content": [*content, {"type": "text", "text": "So."}, call]})
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": LONG}
        messages.append({"role": "user", "content": [result]})
    total = tokens_of("anthropic", messages)
    for share in SHARES:
        checked("anthropic", messages, int(total * share))
    messages[1]["content"].pop(0)
    with pytest.raises(InvalidHistory, match="result-without-call"):
        fit(messages, 10_000)


def test_calls_made_by_code_stay_with_the_code():
    messages = [{"role": "user", "content": "Which ships?"}]
    for number in range(6):
        code = {"type": "server_tool_use", "id": f"s{number}", "name": "code_execution", "input": {"code": LONG}}
        caller = {"type": "code_execution_20260120", "tool_id": f"s{number}"}
        for at in range(2):
            call = {"type": "tool_use", "id": f"c{number}_{at}", "name": "read", "input": {}, "caller": caller}
            messages.append({"role": "assistant", "content": [code, call] if at == 0 else [call]})
            result = {"type": "tool_result", "tool_use_id": f"c{number}_{at}", "content": LONG}
            messages.append({"role": "user", "content": [result]})
        done = {"type": "code_execution_tool_result", "tool_use_id": f"s{number}", "content": {"stdout": "ok"}}
        messages.append({"role": "assistant", "content": [done, {"type": "text", "text": "Next."}]})
        messages.append({"role": "user", "content": "And?"})
    assert validate(messages) == []
    total = tokens_of("anthropic", messages)
    for end in range(1, len(messages) + 1):
        if not validate(messages[:end]):
            for share in SHARES:
                checked("anthropic", messages[:end], int(total * share))


@each_format
def test_ids_that_start_anew_in_every_turn(name):
    steps = []
    for turn in range(8):
        steps += [User(f"Turn {turn}"), *rounds(3), Assistant("Done")]
    swept(name, steps)


def test_parallel_responses_in_two_contents_are_refused():
    messages, _, _ = build("gemini", parse("U,A(a,b),Ta,|Tb"))
    with pytest.raises(InvalidHistory, match="result-apart"):
        fit(messages, 10_000)


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "langchain", "pydantic-ai"])
def test_a_loop_that_began_with_thinking_goes_on_beginning_with_it(name):
    """The first round stays for its thinking; it leaves too where another one with thinking can be the first."""
    first = [Assistant(LONG, (Call("first"),), LONG), Result("first", "short")]
    steps = [User("Go"), *first, *rounds(12, "short", thinking={5, 9})]
    results = swept(name, steps)
    firsts = set()
    for result in results[:-1]:
        loop = [message for message in result.messages[1:] if "I think" in text_of(message) or LONG in text_of(message)]
        firsts.add("first" if LONG in text_of(loop[:1]) else text_of(loop[:1]).partition("about ")[2][:1])
    assert "first" in firsts
    assert firsts & {"5", "9"}


def test_reasoning_leaves_with_what_it_led_to():
    steps = [User("Go"), *rounds(12, "short", thinking=set(range(12)))]
    for result in swept("openai-responses", steps):
        kinds = [item.get("type") for item in result.messages]
        assert kinds.count("reasoning") == kinds.count("function_call") == kinds.count("function_call_output")


@each_format
def test_a_cut_is_found_inside_a_turn(name):
    messages, _, _ = build(name, [User("Go"), *rounds(3, "short " * 30)])
    total = tokens_of(name, messages)
    result = checked(name, messages, total - 60)
    assert [entry.action for entry in result.receipt.entries if entry.action != "noted"] == ["dropped"]
    assert "c2" in text_of(result.messages)


@each_format
def test_size_decides_and_not_only_age(name):
    steps = [User("Go")]
    for number, text in enumerate(["tiny", LONG * 40, "small", "small"]):
        steps += [Assistant(None, (Call(f"c{number}"),)), Result(f"c{number}", text)]
    messages, _, _ = build(name, steps)
    result = checked(name, messages, 10_000)
    assert [(entry.action, entry.call_id) for entry in result.receipt.entries] == [("cleared", "c1")]


@each_format
def test_the_newest_round_alone_is_too_large(name):
    messages, _, _ = build(name, [User("Go"), *rounds(1, LONG * 20)])
    result = checked(name, messages, 3_000)
    (entry,) = result.receipt.entries
    assert (entry.action, entry.why) == ("cut", "too large by itself")
    assert "[... truncated, " in text_of(result.messages)
    assert 2_900 < result.tokens <= 3_000
    with pytest.raises(CannotFit, match=r"newest round .*cut is turned off") as caught:
        fit(messages, 3_000, format=name, policy=FitPolicy(cut=None))
    assert next(iter(caught.value.parts)) == "newest round"


@each_format
def test_an_estimate_that_is_too_high_does_not_wipe_everything(name):
    messages, _, _ = build(name, [User("Count the ships."), *rounds(10)])
    result = fit(messages, 8_000, format=name, estimator=Estimator(ScriptRule(ascii=1)))
    assert validate(result.messages, name) == []
    assert "Count the ships." in text_of(result.messages)
    assert result.tokens > 4_000


@each_format
def test_arguments_count(name):
    """A message of forty thousand characters of arguments and no content is what leaves."""
    call = Call("huge", args={"text": "x " * 20_000})
    steps = [User("Go"), Assistant(None, (call,)), Result("huge", "done"), *rounds(4, "short")]
    messages, _, _ = build(name, steps)
    assert tokens_of(name, messages) > estimate("x " * 20_000)
    result = checked(name, messages, 3_000)
    assert "huge" not in text_of(result.messages)
    assert "c3" in text_of(result.messages)


@each_format
def test_special_tokens_are_text(name):
    messages, _, _ = build(name, [User("<|endoftext|>"), *rounds(20, "<|endoftext|> 茶" * 100)])
    checked(name, messages, 4_000)


@each_format
def test_the_second_of_two_results_keeps_its_call_where_the_first_is_large(name):
    swept(name, parse("U,A(a,b),Ta,Tb,A,U", Ta="x = 1\n" * 900))
    swept(name, parse("U,A(a,b),Ta,Tb,A,U,A(c),Tc", Ta="x = 1\n" * 900))


@each_format
def test_tens_of_calls_and_an_answer(name):
    calls = tuple(Call(f"c{number}") for number in range(40))
    parallel = [User("Go"), Assistant(None, calls), *(Result(call.id, LONG) for call in calls), Assistant("Done")]
    swept(name, parallel)
    swept(name, [User("Go"), *rounds(40), Assistant("Done")])
    swept(name, [*parallel, User("And now?")])


@each_format
def test_a_system_prompt_that_leaves_no_room_is_named(name):
    messages, system, _ = build(name, [System(LONG * 5), User("Go"), *rounds(3)])
    with pytest.raises(CannotFit) as caught:
        fit(messages, 3_000, system=system, format=name)
    assert next(iter(caught.value.parts)) in ("system prompt", "system messages")
    assert caught.value.help.startswith("Shorten the system ")


IMAGE = "A" * 400_000
"""The base64 of an image whose size is not known."""
WITH_IMAGES = {
    "openai-chat": lambda url: {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]},
    "openai-responses": lambda url: {"role": "user", "content": [{"type": "input_image", "image_url": url}]},
    "anthropic": lambda url: {
        "role": "user",
        "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}}],
    },
    "gemini": lambda url: {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": IMAGE}}]},
    "bedrock": lambda url: {
        "role": "user",
        "content": [{"image": {"format": "png", "source": {"bytes": b"A" * 300_000}}}],
    },
    "langchain": lambda url: {"type": "human", "content": [{"type": "image_url", "image_url": {"url": url}}]},
    "pydantic-ai": lambda url: {
        "kind": "request",
        "parts": [
            {
                "part_kind": "user-prompt",
                "content": [{"kind": "binary", "data": IMAGE, "media_type": "image/png"}],
            }
        ],
    },
}


@each_format
def test_an_image_is_not_its_base64_but_base64_in_text_is_text(name):
    messages, _, _ = build(name, [User("Go"), *rounds(4), Assistant("Done")])
    shown = WITH_IMAGES[name]("data:image/png;base64," + IMAGE)
    assert fit([*messages, shown], 20_000, format=name).receipt.entries == ()
    as_text, _, _ = build(name, [User("Go"), Assistant(None, (Call("c0"),)), Result("c0", IMAGE), *rounds(2)])
    result = checked(name, as_text, 20_000)
    assert [(entry.action, entry.call_id) for entry in result.receipt.entries] == [("cleared", "c0")]


@each_format
def test_each_message_is_read_a_few_times_however_long_the_history_is(name, monkeypatch):
    """A step costs what is new and what is sent: nothing of the rest is read again but for identity."""
    shape = formats.named(name)
    read, count = shape.read, [0]

    def counted(message, path):
        count[0] += 1
        return read(message, path)

    monkeypatch.setattr(shape, "read", counted)
    reads = {}
    for size in (200, 800):
        messages, _, _ = build(name, [User("Go"), *rounds(size, "a result of a tool, " * 20)])
        history = History(format=name)
        count[0] = 0
        fit(messages[:-2], 8_000, history=history)
        fresh, count[0] = count[0], 0
        fit(messages, 8_000, history=history)
        reads[size] = fresh / len(messages), count[0]
    assert reads[800][0] < 1.2 * reads[200][0] < 6
    assert reads[800][1] <= reads[200][1] + 20 < 80

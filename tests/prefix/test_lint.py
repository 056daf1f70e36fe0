"""What `lint` finds, and what it must leave: the false alarms that it once gave are rebuilt here."""

import json

import pytest

import ullage
from prefix.bodies import FORMATS, body
from prefix.test_cases import CAUSES_OF_SYSTEM
from ullage import InvalidHistory, UnknownModel, lint
from ullage.prefix.linting import finding

UUID = "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4"
OTHER = "1f6d0b8e-52c7-4e93-a1d4-60f9be37c285"
LONG = "You help people who ask about tides, and you answer in two sentences. " * 200
MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
CLAUDE = "claude-sonnet-5"


def text(words, marker=None):
    return {"type": "text", "text": words, **({"cache_control": marker} if marker else {})}


def user(content="When is high tide?", **fields):
    return {"role": "user", "content": content, **fields}


def request(system=LONG, messages=None, tools=(), **fields):
    return {"model": CLAUDE, "system": system, "tools": [*tools], "messages": messages or [user()], **fields}


def tool(name, description="Tells tides.", properties=None):
    schema = {"type": "object", "properties": properties or {"harbour": {"type": "string"}}}
    return {"name": name, "description": description, "input_schema": schema}


def found(value, **options):
    return [(each.severity, each.rule, each.path) for each in lint(value, **options) if each.rule != "no-marker"]


def gpt(system, **fields):
    return {"model": "gpt-5.6", "messages": [{"role": "system", "content": system}, user()], **fields}


@pytest.mark.parametrize(
    ("system", "kind", "value"),
    [
        ("The current time is 17:11.", "clock", "17:11"),
        ("Current Date and Time:\n2026-11-30T17:11:09Z", "clock", "2026-11-30T17:11:09Z"),
        ("<env>Today's date: 2026-11-30</env>", "date", "2026-11-30"),
        ("Fecha actual: 30 de noviembre de 2026", "date", "30 de noviembre de 2026"),
        (json.dumps({"message_id": UUID, "chat": "tides"}), "identifier", UUID),
        ("Token usage: 48211 / 200000", "counter", "48211"),
        ("x-billing: cc_version=2.1.0; cch=a3f9c;", "random", "a3f9c"),
    ],
)
def test_a_volatile_value_is_found_where_it_stands(system, kind, value):
    words = f"You help. {system}\n{LONG}"
    (only,) = lint(gpt(words))
    assert (only.severity, only.rule, only.path) == ("warning", f"volatile-{kind}", "messages[0].content")
    assert only.offset == words.index(value)
    assert value in only.excerpt
    assert repr(value) in only.sentence
    assert only.fix


@pytest.mark.parametrize("case", CAUSES_OF_SYSTEM, ids=[case[0] for case in CAUSES_OF_SYSTEM])
def test_what_broke_caches_is_found_in_one_request_alone(case):
    _, before, after, cause, _ = case
    for words in (before, after):
        assert [each.rule for each in lint(gpt(words))] == [f"volatile-{cause.split()[0]}"]


@pytest.mark.parametrize("name", FORMATS)
def test_it_is_found_in_every_format(name):
    value = body(name, "S,U,A(a),Ta,A", S="It is now 17:11. " + LONG)
    rules = [(each.rule, each.severity) for each in lint(value, format=name) if each.rule != "no-marker"]
    assert rules == [("volatile-clock", "warning")]


@pytest.mark.parametrize(
    "words",
    [
        "We are open from 9:00 to 17:30, and were founded on 4 March 2015.",
        "Write dates as in this example: current date: 2026-11-30.",
        "Knowledge cutoff: 2026-03. Version 2026.11.30 of branch fix/clock-2, at 10.0.0.1:8080.",
        "ca-certificates/oldstable,now 20230311+deb12u1 all [installed]",
        "so if rotateAt is 13:45 and it now 14:15, rotation is due",
        "Use --condition='request.time < timestamp(\"2019-01-01T00:00:00Z\")'.",
        "2026-11-30T17:11:09Z INFO [queue-1] tide.worker request id=" + UUID,
        json.dumps([{"session": UUID, "peer": OTHER}] * 3),
        f"Session ids look like this: {UUID}",
        "The tenant is 550e8400-e29b-41d4-a716-446655440000.",
        "Step 3: read the table. You have at most 5 steps left. max_tokens: 4096",
        'integrity: "sha512-Zx81kQw2pLb7Rt5Yu3Io9Pa2Sd4Fg6Hj8Kl1Zx3Cv5Bn7Mq0We2Rt4Yu6Io8Pa=="',
    ],
)
def test_false_alarms(words):
    assert found(gpt(f"{words}\n{LONG}")) == []


def test_what_a_tool_says_counts_and_its_examples_do_not():
    clock = tool("tide", "Tells tides. It is now 17:11.")
    default = tool("tide", properties={"at": {"type": "string", "default": "2026-11-30T17:11:09.482113"}})
    midnight = tool("tide", properties={"at": {"type": "string", "default": "2026-01-01T00:00:00Z"}})
    example = tool("tide", properties={"now": {"type": "string", "examples": ["now: 17:11"]}})
    assert found(request(tools=[clock])) == [("warning", "volatile-clock", "tools[0].description")]
    assert found(request(tools=[default])) == [
        ("warning", "volatile-clock", "tools[0].input_schema.properties.at.default")
    ]
    assert found(request(tools=[midnight, example])) == []


def test_a_key_speaks_for_its_value():
    value = request(tools=[{**tool("tide"), "meta": {"timestamp": 1796033588, "version": "2026-11-30"}}])
    assert found(value) == [("warning", "volatile-clock", "tools[0].meta.timestamp")]


def test_what_stands_behind_the_last_marker_may_change():
    changing = text("It is now 17:11.")
    assert found(request([text(LONG, MARK), changing])) == []
    marked = request([text(LONG, MARK), changing], [user([text("When?", MARK)])])
    assert found(marked) == [("warning", "volatile-clock", "system[1].text")]


def test_a_key_of_the_session_is_its_own():
    assert found(gpt(LONG, prompt_cache_key=f"session {UUID}")) == []


def test_the_first_message_is_noted_once_others_follow():
    first = user("It is now 17:11. When is high tide?")
    assert found(gpt(LONG) | {"messages": [first]}) == []
    later = [first, {"role": "assistant", "content": "At 18:02."}, user("Today at 19:00?")]
    assert found({"model": "gpt-5.6", "messages": later}) == [("note", "volatile-clock", "messages[0].content")]


def test_a_changing_block_in_front_of_a_stable_one():
    value = request([text("Today is Monday."), text(LONG, MARK)])
    assert found(value) == [
        ("warning", "volatile-date", "system[0].text"),
        ("warning", "variable-before-stable", "system[0]"),
    ]
    assert found(request([text(LONG), text("Today is Monday.", MARK)])) == [
        ("warning", "volatile-date", "system[1].text")
    ]


def test_printed_objects():
    address = "Uses <tides.Table object at 0x7f3a2b4c5d6e> for this."
    assert found(gpt(address)) == [("warning", "object-address", "messages[0].content")]
    assert found(gpt("Harbours: {'Cork', 'Brest', \"St John's\"}.")) == [("note", "set-order", "messages[0].content")]
    code = "names = {'version', 'info'}\nif name in {'a', 'b'}: f({'c', 'd'})\nx = frozenset({\"version\", \"info\"})"
    assert found(gpt(code)) == []
    numpydoc = "align : {'left', 'right'}\n    Where.\nshape: {'square', 'ignore'}, optional\nfs: {'a', 'b'} or None"
    assert found(gpt(numpydoc)) == []
    session = (
        ">>> tides\n<tides.Table object at 0x7f3a2b4c5d6e>\n```text\na\n<tides.Table object at 0x7f3a2b4c5d6e>\n```"
    )
    assert found(gpt(session)) == []
    assert found(gpt("A dict is no set: {'a': 'b', 'c': 'd'}, and <b>at 0x12</b> is no object.")) == []


def test_keys_in_ever_new_orders():
    def properties(orders):
        members = {"type": "string", "description": "A harbour.", "enum": ["Cork"]}
        return {f"h{n}": {key: members[key] for key in order} for n, order in enumerate(orders)}

    one, two, three = ("type", "description", "enum"), ("enum", "type", "description"), ("description", "type", "enum")
    mixed = properties([one, two, three, two])
    assert found(request(tools=[tool("a", properties=mixed)])) == [
        ("warning", "key-order", "tools[0].input_schema.properties.h1")
    ]
    rows = [dict.fromkeys(order, 1) for order in (one, two, three, two)]
    assert found(gpt(json.dumps(rows))) == [("warning", "key-order", "messages[0].content")]
    # A table by hand, among records that all have one order.
    records = [{"name": n, "kind": "tide", "value": 1} for n in range(9)]
    assert found(gpt(json.dumps({"members": rows, "records": records}))) == []
    # By hand: one order, with slips; and two authors with an order each.
    assert found(request(tools=[tool("a", properties=properties([one] * 5 + [two, three]))])) == []
    assert found(request(tools=[tool("a", properties=properties([one] * 3 + [two] * 3))])) == []
    authors = [tool(f"{n}", properties=properties([order] * 2)) for n, order in enumerate((one, two, three))]
    assert found(request(tools=authors)) == []


def test_tools_of_several_servers_mixed():
    def of(names):
        return request(tools=[tool(name) for name in names.split()])

    assert found(of("mcp__b__x mcp__a__y mcp__b__a mcp__a__c mcp__b__q mcp__a__z")) == [
        ("warning", "tool-order", "tools[2]")
    ]
    assert found(of("mcp__b__x mcp__b__a mcp__b__q mcp__a__y mcp__a__c mcp__a__z")) == []
    assert found(of("a.get b.get a.list b.list a.put b.put")) == []  # sorted by what they do
    assert found(of("a__a b__b c__c d__d e__e f__f")) == []
    assert found(of("read write bash grep glob edit")) == []


def test_too_many_markers():
    five = request([text(LONG, MARK)] * 5)
    (only,) = lint(five)
    assert (only.severity, only.rule, only.path) == ("error", "too-many-markers", "system[4]")
    assert found(request([text(LONG, MARK)] * 4)) == []
    assert found({**five, "model": "gpt-5.6"}) == [("warning", "too-many-markers", "system[4]")]
    assert found(five, model="deepseek-chat") == []


def test_a_marker_on_a_message_fans_out():
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "tide", "input": {}} for n in range(3)]
    results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "03:10"} for n in range(3)]
    messages = [user(), {"role": "assistant", "content": calls}, user(results, cache_control=MARK)]
    value = request([text(LONG, MARK)], messages, [{**tool("tide", LONG), "cache_control": MARK}])
    assert found(value) == [("warning", "marker-fan-out", "messages[2]")]
    results[-1]["cache_control"] = MARK
    assert found({**value, "messages": [*messages[:2], user(results)]}) == []


def test_markers_below_the_minimum():
    short = request([text("You help.", MARK)])
    assert found(short) == [("warning", "marker-below-minimum", "system[0]")]
    first = request([text("You help.", MARK), text(LONG, MARK)])
    assert found(first) == [("note", "marker-below-minimum", "system[0]")]
    (only,) = lint(short)
    assert "1,024" in only.sentence
    words = "tide " * 1000  # 1,000 tokens and a little: too near to be sure
    assert found(request([text(words, MARK)])) == []


@pytest.mark.parametrize("words", ["潮汐" * 3000, "Zx81kQw2pL" * 500], ids=["no spaces", "base64"])
def test_a_long_text_without_spaces_is_a_text(words):
    assert found(request([text(words, MARK)])) == []


def test_files_are_no_text():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 2000}}
    uri = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo" * 2000}}
    for file in (image, uri):
        value = request([text("You help.")], [user([file, text("What is it?", MARK)])])
        assert found(value) == [("warning", "marker-below-minimum", "messages[0].content[1]")]


def test_a_round_longer_than_the_look_back():
    def after(count, *marked):
        calls = [{"type": "tool_use", "id": f"c{n}", "name": "tide", "input": {}} for n in range(count)]
        results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "03:10"} for n in range(count)]
        for index in marked:
            results[index]["cache_control"] = MARK
        return request([text(LONG, MARK)], [user(), {"role": "assistant", "content": calls}, user(results)])

    assert found(after(9, -1)) == []  # 18 blocks on
    assert found(after(10, -1)) == [("warning", "marker-look-back", "messages[2].content[9]")]  # 20 blocks on
    (only,) = lint(after(10, -1))
    assert "20 blocks" in only.sentence
    assert only.fix == "Set another marker no later than on messages[2].content[8]."
    assert found(after(10, 8, -1)) == []
    assert found(after(10)) == []


def test_longer_lives_come_first():
    assert found(request([text(LONG, MARK), text(LONG, HOUR)])) == [("error", "marker-lives", "system[1]")]
    assert found(request([text(LONG, HOUR), text(LONG, MARK)])) == []


def test_no_marker_is_noted_where_a_provider_needs_one():
    assert [(each.severity, each.rule) for each in lint(request())] == [("note", "no-marker")]
    assert lint(request("You help.")) == ()
    assert lint(gpt(LONG)) == ()


def test_who_serves_it():
    short = request([text("You help. " * 30, MARK)])
    assert found(short) == [("warning", "marker-below-minimum", "system[0]")]
    assert found(short, provider="openai") == found(short, model="gpt-5.6")
    assert found({**short, "model": "my-finetune"}) == [("warning", "marker-below-minimum", "system[0]")]
    with pytest.raises(UnknownModel, match="anthropik"):
        lint(short, provider="anthropik")
    with pytest.raises(UnknownModel, match="klaude"):
        lint(short, model="klaude")
    with pytest.raises(ValueError, match="there is no format"):
        lint(short, format="antropic")


@pytest.mark.parametrize("value", [None, 17, [], {}, {"now": "17:11"}, {"messages": []}])
def test_what_is_no_request_has_nothing(value):
    assert lint(value) == ()


@pytest.mark.parametrize("value", ['{"messages": []}', b"{}", bytearray(b"{}")])
def test_a_request_that_is_not_decoded_is_no_request_without_findings(value):
    with pytest.raises(TypeError, match=rf"^request must be a body or a list of messages, not {type(value).__name__}"):
        lint(value)


def test_bad_input():
    deep = inner = {}
    for _ in range(300):
        inner["x"] = inner = {}
    with pytest.raises(InvalidHistory, match="256"):
        lint(request(tools=[{"name": "a", "input_schema": deep}]))
    looped = {"name": "a"}
    looped["self"] = looped
    with pytest.raises(InvalidHistory, match="without cycles"):
        lint(request(tools=[looped]))
    content = {"type": "tool_result", "content": "03:10"}
    for _ in range(3000):
        content = {"type": "tool_result", "content": [content]}
    with pytest.raises(InvalidHistory, match=r"messages\[0\].content\[0\]: values nest"):
        lint(request(messages=[user([content]), {"role": "assistant", "content": "At 18:02."}]))
    assert found(request(tools=[{**tool("a"), "timestamp": 10**5000, "now": float("nan"), 1: None}])) == []
    assert found(gpt("[" * 900 + "]" * 900)) == []  # a text that is JSON may nest as it likes
    assert found(gpt("\ud800 It is now 17:11.")) == [("warning", "volatile-clock", "messages[0].content")]


def test_of_many_in_one_text_the_first_is_told():
    (only,) = lint(gpt("It is now 17:11. " * 30))
    assert only.offset == 10
    assert only.sentence.endswith(" There are 29 more like it in this text.")
    (only,) = lint(gpt("<tides.Table object at 0x7f3a2b4c5d6e> " * 30))
    assert (only.rule, only.offset) == ("object-address", 0)


def test_errors_come_first():
    value = request([text("It is now 17:11.", MARK), *[text(LONG, MARK)] * 4])
    severities = [each.severity for each in lint(value)]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert {"error", "warning"} <= set(severities)
    assert ullage.Finding is finding.Finding

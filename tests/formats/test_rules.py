"""`validate`: what is sound is accepted in every format, and every rule of every table finds what breaks it."""

import inspect
import json
from pathlib import Path

import pytest

import ullage
from ullage import formats
from ullage.formats import check
from ullage.formats.record import Format

from .builder import FORMATS, Assistant, Call, Result, System, User, build, parse
from .sdk import accept

SOUND = (
    "U",
    "S,U,A",
    "S,U,A(a),Ta,A,U",
    "U,A(a,b),Ta,Tb,A,U",
    "U,A(a,b),Tb,Ta!,A,U",  # out of order, and one failed
    "U,A(a),Ta,A,U,A(a),Ta,A",  # the same id again
    "U,A(θ,a),Ta,A(b),Tb,A",  # the loop began with thinking, which is enough
    "U,A(θ,a),Ta,A(θ,b),Tb,A,U,A(c),Tc,A",
    "U,A(a,a),Ta,Ta,A",  # parallel calls of one id
)


def rules(messages, name):
    return {problem.rule for problem in ullage.validate(messages, name)}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("line", SOUND)
def test_sound_histories_are_accepted(name, line):
    messages = build(name, parse(line)).messages
    assert ullage.validate(messages, name) == []
    native = accept(name, messages)
    assert ullage.validate(native, name) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_result_in_blocks_of_text_pairs_by_its_id(name):
    messages = build(name, parse("U,A(a),Ta,A")).messages
    text = {"type": "input_text" if name == "openai-responses" else "text", "text": "Found"}
    match name:
        case "anthropic":
            messages[2]["content"][0]["content"] = [text]
        case "openai-responses":
            messages[2]["output"] = [text]
        case "openai-chat" | "langchain":
            messages[2]["content"] = [text]
        case "pydantic-ai":
            messages[2]["parts"][0]["content"] = ["Found"]
    accept(name, messages)
    assert ullage.validate(messages, name) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_file_has_all_that_the_protocol_asks(name):
    shape = formats.named(name)
    assert name == shape.NAME
    assert (type(shape.ALTERNATES), type(shape.THINKING_FIRST), type(shape.REQUEST_TOKENS)) == (bool, bool, int)
    wanted = {member for member in vars(Format) if not member.startswith("_")}
    assert wanted <= set(dir(shape))
    for member in wanted:
        protocol, own = getattr(Format, member), getattr(shape, member)
        if callable(protocol):
            assert list(inspect.signature(protocol).parameters)[1:] == list(inspect.signature(own).parameters)


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_detected(name):
    messages = build(name, parse("S,U,A(θ,a),Ta,A,U")).messages
    assert ullage.detect(messages) == name
    assert ullage.detect(messages[-1:]) in (name, "openai-chat")
    if name != "bedrock":
        assert ullage.detect(accept(name, messages)) == name
    assert ullage.detect([]) == "openai-chat"
    assert ullage.History(messages).total == ullage.History(messages, format=name).total


def _steps(messages):
    names = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        match message["role"]:
            case "system":
                yield System(message["content"])
            case "user":
                yield User(message["content"])
            case "tool":
                yield Result(message["tool_call_id"], message["content"] or "-", name=names[message["tool_call_id"]])
            case _:
                calls = tuple(
                    Call(call["id"], call["function"]["name"], {"given": call["function"]["arguments"]})
                    for call in message.get("tool_calls") or ()
                )
                yield Assistant(message["content"] or None, calls)


def _traces():
    for parent in Path(__file__).resolve().parents:
        path = parent / "shared" / "traces" / "agent-traces.jsonl"
        if path.exists():
            return [json.loads(line)["messages"] for line in path.read_text(encoding="utf-8").splitlines()]
    pytest.skip("there are no recorded sessions beside the repository")


def _calls(name, message):
    return any(part.kind == "tool_call" for part in formats.named(name).read(message, "m").parts)


@pytest.mark.parametrize("name", FORMATS)
def test_recorded_sessions_are_accepted(name):
    shape = formats.named(name)
    for session in _traces():
        messages = []
        for message in build(name, list(_steps(session))).messages:
            both = shape.ALTERNATES and messages and messages[-1]["role"] == message["role"]
            messages[-1:] = [shape.merge(messages[-1], message)] if both else [*messages[-1:], message]
        assert ullage.validate(messages, name) == []
        called = next(index for index, message in enumerate(messages) if _calls(name, message))
        assert rules(messages[:called] + messages[called + 1 :], name)


def user(*blocks, role="user"):
    return {"role": role, "content": list(blocks)}


U = {
    "openai-chat": {"role": "user", "content": "u"},
    "openai-responses": {"role": "user", "content": "u"},
    "anthropic": {"role": "user", "content": "u"},
    "gemini": {"role": "user", "parts": [{"text": "u"}]},
    "bedrock": {"role": "user", "content": [{"text": "u"}]},
    "langchain": {"type": "human", "content": "u"},
    "pydantic-ai": {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "u"}]},
}
LINES = {
    check.UNANSWERED: ("U,A(a,b),Ta,A,U", 1),
    check.ORPHAN: ("U,A,Ta,A", 2),
    check.FIRST: ("A,U", 0),
    check.ALTERNATION: ("U,U,A", 1),
    check.THINKING_FIRST: ("U,A(a),Ta,A(θ,b),Tb", 1),
    check.THINKING_LAST: ("U,A(θ),U", 1),
    check.THINKING_ALONE: ("U,A(θ),U", 1),
    check.RESULTS_FIRST: ("U,A(a),U,Ta", 3),
    "reasoning-alone": ("U,A(θ),U", 1),
    "call-turn": ("U,A,A(a),Ta", 2),
}
APART = dict.fromkeys(("openai-chat", "langchain", "gemini", "bedrock"), ("U,A(a),U,Ta,A", 3))
APART |= dict.fromkeys(("anthropic", "pydantic-ai"), ("U,A(a),U,A,Ta,A", 4))
CALLED = {
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "code", "tool_id": "gone"}}
        ],
    },
    "openai-responses": {
        "type": "function_call",
        "call_id": "a",
        "name": "f",
        "arguments": "{}",
        "caller": {"type": "program", "caller_id": "gone"},
    },
}
SIGNED = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2lnbmVk"}
ANSWER = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}}}]}
BROKEN = {
    ("openai-chat", check.ROLE): ([{"role": "narrator", "content": "u"}], 0),
    ("openai-responses", check.ROLE): ([{"role": "narrator", "content": "u"}], 0),
    ("anthropic", check.ROLE): ([U["anthropic"], {"role": "tool", "content": "u"}], 1),
    ("gemini", check.ROLE): ([U["gemini"], {"role": "assistant", "parts": [{"text": "x"}]}], 1),
    ("bedrock", check.ROLE): ([U["bedrock"], {"role": "model", "content": [{"text": "x"}]}], 1),
    ("langchain", check.ROLE): ([{"type": "remove", "content": ""}], 0),
    ("openai-chat", "result-id"): (
        [*build("openai-chat", parse("U,A(a)")).messages, {"role": "tool", "content": "x"}],
        2,
    ),
    ("langchain", "result-id"): ([*build("langchain", parse("U,A(a)")).messages, {"type": "tool", "content": "x"}], 2),
    ("openai-chat", "empty-calls"): ([{"role": "assistant", "content": "x", "tool_calls": []}], 0),
    ("openai-chat", check.EMPTY): ([{"role": "user", "content": []}], 0),
    ("openai-responses", check.EMPTY): ([{"role": "user", "content": None}], 0),
    ("anthropic", check.EMPTY): ([user({"type": "text", "text": ""}, {"type": "text", "text": "x"})], 0),
    ("gemini", check.EMPTY): ([{"role": "user", "parts": []}], 0),
    ("bedrock", check.EMPTY): ([user({"text": " \n"})], 0),
    ("langchain", check.EMPTY): ([{"type": "human", "content": []}], 0),
    ("anthropic", "system-place"): ([{"role": "system", "content": "s"}, U["anthropic"]], 0),
    ("bedrock", "document-text"): (
        [user({"document": {"name": "d", "format": "txt", "source": {"text": "words"}}})],
        0,
    ),
    ("gemini", "thought-signature"): (
        [
            U["gemini"],
            {"role": "model", "parts": [SIGNED]},
            ANSWER,
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            ANSWER,
        ],
        3,
    ),
}


@pytest.mark.parametrize(
    ("name", "rule"), [(name, rule.name) for name in FORMATS for rule in formats.named(name).RULES]
)
def test_every_rule_finds_what_breaks_it(name, rule):
    if (name, rule) in BROKEN:
        messages, index = BROKEN[name, rule]
    elif rule == check.CALLER:
        messages, index = [U[name], CALLED[name]], 1
    else:
        line, step = APART[name] if rule == check.APART else LINES[rule]
        messages, _, places = build(name, parse(line))
        index = places[step]
    found = [problem for problem in ullage.validate(messages, name) if problem.rule == rule]
    assert found
    assert found[0].index == index or (name == "openai-responses" and rule == check.UNANSWERED)
    sentence = {rule.name: rule.sentence for rule in formats.named(name).RULES}[rule]
    assert found[0].sentence.startswith(f"messages[{found[0].index}]: ")
    assert found[0].sentence.endswith(f". {sentence}.")


@pytest.mark.parametrize("name", FORMATS)
def test_every_rule_has_a_source_and_a_name_of_its_own(name):
    table = formats.named(name).RULES
    assert len({rule.name for rule in table}) == len(table)
    assert all(rule.source.startswith("https://") for rule in table)
    assert not any(rule.sentence.endswith(".") for rule in table)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("line", "rule", "step"),
    [
        ("U,A(a),U,A", check.UNANSWERED, 1),  # an interrupted run, then a new one
        ("U,A(a,b),Ta", check.UNANSWERED, 1),
        ("U,Ta,A", check.ORPHAN, 1),  # an output whose call was never stored
        ("U,A(a),Ta,Ta,A", check.ORPHAN, 3),  # the same result twice
        ("U,A(a),Ta,A,U,A(a),U", check.UNANSWERED, 5),  # an earlier result of that id does not answer it
        ("U,A(a),U,A(a),Ta", check.UNANSWERED, 1),  # nor does a later one
    ],
)
def test_pairing(name, line, rule, step):
    messages, _, places = build(name, parse(line))
    problems = [problem for problem in ullage.validate(messages, name) if problem.rule == rule]
    assert len(problems) == 1
    assert problems[0].index - places[step] in ((0, 1) if name == "openai-responses" else (0,))


@pytest.mark.parametrize("name", FORMATS)
def test_a_history_does_not_begin_with_a_tool_result(name):
    messages, _, _ = build(name, parse("Ta,A,U"))
    assert rules(messages, name) >= {check.ORPHAN}
    assert ullage.validate(messages, name)[0].index == 0


@pytest.mark.parametrize("name", FORMATS)
def test_parallel_results_in_messages_of_their_own(name):
    """Gemini and Bedrock take all results of a round in one message; elsewhere they are merged, or apart anyway."""
    found = rules(build(name, parse("U,A(a,b),Ta,|Tb,A")).messages, name)
    assert (check.APART in found) == (name in ("gemini", "bedrock"))
    assert found == set() or name in ("gemini", "bedrock")


SERVER = {
    "anthropic": (
        "assistant",
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tea"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
    ),
    "bedrock": (
        "assistant",
        {"toolUse": {"toolUseId": "s", "name": "f", "input": {}, "type": "server_tool_use"}},
        {"toolResult": {"toolUseId": "s", "content": [{"text": "x"}], "type": "web_search_result"}},
    ),
    "gemini": (
        "model",
        {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": "tea"}}},
        {"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {"x": "y"}}},
    ),
    "langchain": (
        "ai",
        {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {"q": "tea"}},
        {"type": "server_tool_result", "tool_call_id": "s", "status": "success", "output": "x"},
    ),
    "pydantic-ai": (
        "response",
        {"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": {"q": "tea"}, "tool_call_id": "s"},
        {"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": "x", "tool_call_id": "s"},
    ),
}


def _said(name, blocks):
    role = SERVER[name][0]
    if name == "pydantic-ai":
        return {"kind": role, "parts": blocks}
    if name == "langchain":
        return {"type": role, "content": blocks, "tool_calls": []}
    return {"role": role, "parts" if name == "gemini" else "content": blocks}


@pytest.mark.parametrize("name", SERVER)
def test_a_server_tool_keeps_call_and_result_together(name):
    _, call, result = SERVER[name]
    whole = [U[name], _said(name, [call, result]), U[name]]
    assert ullage.validate(whole, name) == []
    accept(name, whole)
    assert rules([U[name], _said(name, [result]), U[name]], name) == {check.ORPHAN}
    assert rules([U[name], _said(name, [call]), U[name]], name) == {check.UNANSWERED}
    assert ullage.validate([U[name], _said(name, [call])], name) == []  # paused, to be continued


def test_calls_that_code_made_at_anthropic():
    """The code waits for the results, and its own result comes in a later message."""
    code = {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": "f()"}}
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    call["caller"] = {"type": "code_execution_20260120", "tool_id": "s"}
    done = {"type": "code_execution_tool_result", "tool_use_id": "s", "content": {"type": "code_execution_result"}}
    messages = [
        U["anthropic"],
        user(code, call, role="assistant"),
        user({"type": "tool_result", "tool_use_id": "a", "content": "x"}),
        user(done, {"type": "text", "text": "So."}, role="assistant"),
        U["anthropic"],
    ]
    assert ullage.validate(messages, "anthropic") == []
    assert ullage.validate(messages[:3], "anthropic") == []
    without = [messages[0], user(call, role="assistant"), *messages[2:]]
    assert rules(without, "anthropic") == {check.CALLER, check.ORPHAN}
    assert rules([*messages[:3], U["anthropic"]], "anthropic") == {check.UNANSWERED}


def test_calls_that_a_program_made_at_openai():
    program = {"type": "program", "id": "p1", "call_id": "p", "code": "f()", "fingerprint": "x"}
    call = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    call["caller"] = {"type": "program", "caller_id": "p"}
    output = {"type": "function_call_output", "call_id": "a", "output": "x", "caller": call["caller"]}
    done = {"type": "program_output", "id": "o1", "call_id": "p", "result": "x", "status": "completed"}
    messages = [U["openai-responses"], program, call, output, done]
    accept("openai-responses", messages)
    assert ullage.validate(messages) == []
    assert rules(messages[:1] + messages[2:], "openai-responses") == {check.CALLER, check.ORPHAN}


def test_items_of_the_responses_api_pair_by_their_own_ids():
    shell = {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}, "status": "completed"}
    output = [{"stdout": "x", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
    messages = [
        U["openai-responses"],
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tea"}},
        {"type": "reasoning", "id": "rs_2", "summary": []},
        {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "l", "output": "x"},
        shell,
        {"type": "shell_call_output", "call_id": "a", "output": output},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2VjcmV0"},
    ]
    assert ullage.validate(messages) == []
    assert rules(messages[:7], "openai-responses") == {check.UNANSWERED}
    assert ullage.validate([{"id": "fc_1", "type": "item_reference"}, *messages[7:]]) == []


def test_gemini_pairs_without_ids():
    def call(*names):
        return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}} for name in names]}

    def response(*names):
        parts = [{"function_response": {"name": name, "response": {"output": "x"}}} for name in names]
        return {"role": "user", "parts": parts}

    messages = [U["gemini"], call("f", "f", "g"), response("g", "f", "f"), call("f"), response("f")]
    assert ullage.validate(messages) == []
    assert rules([U["gemini"], call("f", "f"), response("f")], "gemini") == {check.UNANSWERED}
    assert rules([U["gemini"], call("f"), response("g")], "gemini") == {check.UNANSWERED, check.ORPHAN}


def test_what_anthropic_takes_for_empty():
    def said(*texts, role="user"):
        return user(*({"type": "text", "text": text} for text in texts), role=role)

    begin = U["anthropic"]
    for message in (said(), said(" "), {"role": "user", "content": ""}, {"role": "user", "content": "\n"}):
        assert rules([message], "anthropic") == {check.EMPTY}
    for message in (said(" ", "x"), said(" ", "x", role="assistant"), {"role": "assistant", "content": ""}):
        assert ullage.validate([begin, message], "anthropic") == []
    assert rules([begin, said(" ", role="assistant")], "anthropic") == {check.EMPTY}
    assert rules([begin, said("", "x", role="assistant")], "anthropic") == {check.EMPTY}


def test_a_bedrock_result_has_text():
    messages = build("bedrock", parse("U,A(a),Ta,A", Ta="")).messages
    assert rules(messages, "bedrock") == {check.EMPTY}


def test_a_message_without_its_shape_is_a_problem_and_not_an_error():
    problems = ullage.validate([{"role": "user", "content": "x"}, {"content": "x"}], "openai-chat")
    assert [(problem.index, problem.rule) for problem in problems] == [(1, "shape")]
    assert problems[0].sentence == "messages[1].role: a message has a role."
    with pytest.raises(TypeError, match=r"messages\[0\]"):
        ullage.validate([7])
    with pytest.raises(ValueError, match="there is no format 'smoke'"):
        ullage.validate([], "smoke")

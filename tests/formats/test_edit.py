"""Reading changes nothing, and an edit is a copy along the path to it: all else is the same object."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ullage
from ullage import formats
from ullage.formats.record import speaker

from .builder import FORMATS, Assistant, Call, Result, System, User, build, parse
from .sdk import accept

WORDS = st.text(st.characters(), min_size=1, max_size=30).filter(lambda text: not text.isspace())
JSON = st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.lists(WORDS, max_size=3)), max_size=3)


@st.composite
def rounds(draw):
    """The steps of a sound history: ids repeat, calls run in parallel, results come in any order."""
    steps = [System(draw(WORDS))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(1, 3))):
        steps.append(User(draw(WORDS)))
        thinks = draw(st.booleans())
        for _ in range(draw(st.integers(0, 3))):
            ids = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
            calls = tuple(Call(name, args=draw(JSON)) for name in ids)
            text = draw(st.none() | WORDS)
            steps.append(Assistant(text, calls, draw(WORDS) if thinks else None))
            steps += [Result(name, draw(WORDS), draw(st.booleans())) for name in draw(st.permutations(ids))]
        steps.append(Assistant(draw(WORDS)))
    return steps


def changed(before, after, path=()):
    """The paths at which two values are not the same object, as far down as they have the same keys."""
    if before is after:
        return
    if type(before) is type(after) and isinstance(before, dict) and before.keys() == after.keys():
        for key in before:
            yield from changed(before[key], after[key], (*path, key))
    elif type(before) is type(after) and isinstance(before, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from changed(*pair, (*path, index))
    elif type(before) is type(after) and hasattr(before, "__dict__") and vars(before).keys() == vars(after).keys():
        yield from changed(vars(before), vars(after), path)
    else:
        yield path


def results(name, messages):
    shape = formats.named(name)
    for index, message in enumerate(messages):
        for part in shape.read(message, f"messages[{index}]").parts:
            if part.kind == "tool_result":
                yield index, part


PATHS = {
    "openai-chat": lambda block: ("content",),
    "openai-responses": lambda block: ("output",),
    "anthropic": lambda block: ("content", block, "content"),
    "gemini": lambda block: ("parts", block, "functionResponse", "response"),
    "bedrock": lambda block: ("content", block, "toolResult", "content"),
    "langchain": lambda block: ("content",),
    "pydantic-ai": lambda block: ("parts", block, "content"),
}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(steps=rounds())
def test_one_result_changes_and_nothing_else(name, steps):
    messages = build(name, steps).messages
    shape = formats.named(name)
    saved = copy.deepcopy(messages)
    assert ullage.validate(messages, name) == []
    for index, part in results(name, messages):
        edited = shape.with_result(messages[index], part.block, "cleared")
        paths = list(changed(messages[index], edited))
        assert len(paths) == 1
        assert paths[0][: len(PATHS[name](part.block))] == PATHS[name](part.block)
        before, after = (shape.read(message, "messages[0]") for message in (messages[index], edited))
        assert len(before.parts) == len(after.parts)
        for old, new in zip(before.parts, after.parts, strict=True):
            if old.block == part.block:
                assert "".join(new.texts).count("cleared") == 1
                assert old._replace(texts=()) == new._replace(texts=())
            else:
                assert new == old
        assert ullage.validate([*messages[:index], edited, *messages[index + 1 :]], name) == []
    assert messages == saved


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=30, deadline=None)
@given(steps=rounds())
def test_native_objects_read_as_their_dicts_do(name, steps):
    steps = [step._replace(thinking=None) if isinstance(step, Assistant) else step for step in steps]
    messages = build(name, _plain(steps)).messages
    native = accept(name, messages)
    shape = formats.named(name)
    assert [shape.read(message, "m") for message in native] == [shape.read(message, "m") for message in messages]


def _plain(steps):
    """Without surrogates, which the packages refuse."""

    def clean(value):
        if isinstance(value, str):
            return value.encode("utf-8", "replace").decode()
        if isinstance(value, dict):
            return {clean(key): clean(member) for key, member in value.items()}
        return [clean(item) for item in value] if isinstance(value, list) else value

    for step in steps:
        if isinstance(step, Assistant):
            calls = tuple(call._replace(args=clean(call.args)) for call in step.calls)
            yield step._replace(text=clean(step.text), calls=calls)
        else:
            yield type(step)(*map(clean, step))


@pytest.mark.parametrize("name", FORMATS)
def test_native_objects_are_edited_as_such(name):
    native = accept(name, build(name, parse("U,A(a,b),Ta!,Tb,A,U")).messages)
    shape = formats.named(name)
    for index, part in results(name, native):
        edited = shape.with_result(native[index], part.block, "cleared")
        assert type(edited) is type(native[index])
        paths = list(changed(native[index], edited))
        assert len(paths) == 1
        accept(name, [edited])
        again = [new for new in shape.read(edited, "m").parts if new.block == part.block]
        assert [new.error for new in again] == [part.error]
    note = shape.note("cut here", native[0])
    assert type(note) is type(native[0])
    assert shape.read(note, "m").parts[0].texts == ("cut here",)
    merged = shape.merge(native[-1], note)
    assert type(merged) is type(native[-1])
    accept(name, [note, merged])


@pytest.mark.parametrize("name", FORMATS)
def test_a_note_is_a_message_of_the_user(name):
    messages = build(name, parse("U,A")).messages
    shape = formats.named(name)
    note = shape.note("cut here", messages[0])
    assert speaker(shape.read(note, "m")) == "user"
    saved = copy.deepcopy(messages)
    merged = shape.merge(messages[0], note)
    assert "".join(text for part in shape.read(merged, "m").parts for text in part.texts).endswith("cut here")
    assert messages == saved
    assert ullage.validate([merged, messages[1], note], name) == []
    accept(name, [merged, messages[1], note])


@pytest.mark.parametrize("name", ["anthropic", "gemini", "bedrock"])
def test_merging_keeps_results_first(name):
    messages = build(name, parse("U,A(a),Ta")).messages
    shape = formats.named(name)
    merged = shape.merge(shape.note("cut here", messages[0]), messages[2])
    assert shape.read(merged, "m").parts[0].kind == "tool_result"
    assert ullage.validate([*messages[:2], merged], name) == []


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_not_known_passes_through(name):
    """Keys, blocks and items that the format file does not know; they are counted by their strings."""
    messages = build(name, parse("U,A(a),Ta,A")).messages
    result = messages[2]
    result["x_trace"] = {"id": "t1"}
    block = {"type": "hologram", "part_kind": "hologram", "hologram": {"words": "a b c"}}
    for key in ("content", "parts"):
        if isinstance(result.get(key), list):
            result[key].append(block)
            result[key][0]["x_mark"] = ["m"]
    shape = formats.named(name)
    (_, part), *_ = results(name, [result])
    edited = shape.with_result(result, part.block, "cleared")
    assert edited["x_trace"] is result["x_trace"]
    for key in ("content", "parts"):
        if isinstance(result.get(key), list):
            assert edited[key][1] is block
            assert edited[key][0]["x_mark"] is result[key][0]["x_mark"]
            assert any("a b c" in "".join(part.texts) for part in shape.read(result, "m").parts)


def test_a_result_in_blocks_stays_in_blocks():
    blocks = [
        {"type": "text", "text": "long"},
        {"type": "text", "text": "more", "cache_control": {"type": "ephemeral"}},
    ]
    new = [{"type": "text", "text": "cleared", "cache_control": {"type": "ephemeral"}}]
    result = {"type": "tool_result", "tool_use_id": "a", "content": blocks, "cache_control": {"type": "ephemeral"}}
    message = {"role": "user", "content": [{"type": "text", "text": "x"}, result]}
    edited = formats.named("anthropic").with_result(message, 1, "cleared")
    assert edited["content"][1] == {**result, "content": new}
    assert edited["content"][0] is message["content"][0]
    tool = {"role": "tool", "tool_call_id": "a", "content": blocks}
    assert formats.named("openai-chat").with_result(tool, 0, "cleared") == {**tool, "content": new}


def test_results_of_the_responses_api_keep_their_shape():
    shape = formats.named("openai-responses")
    output = {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "long"}]}
    edited = shape.with_result(output, 0, "cleared")
    assert edited == {**output, "output": [{"type": "input_text", "text": "cleared"}]}
    failed = {"stdout": "x", "stderr": "y", "outcome": {"type": "exit", "exit_code": 2}}
    shell = {"type": "shell_call_output", "call_id": "a", "output": [failed]}
    edited = shape.with_result(shell, 0, "cleared")
    assert edited["output"] == [{"stdout": "cleared", "stderr": "", "outcome": failed["outcome"]}]
    accept("openai-responses", [edited])


def test_results_that_hold_no_text_are_not_to_be_replaced():
    def blocks(name, message):
        return {part.block for part in formats.named(name).read(message, "m").parts}

    screen = {"type": "computer_screenshot", "image_url": "https://x/y.png"}
    computer = {"type": "computer_call_output", "call_id": "a", "output": screen}
    assert blocks("openai-responses", computer) == {None}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    assert blocks("anthropic", {"role": "assistant", "content": [found]}) == {None}


def test_files_of_a_gemini_response_leave_with_it():
    file = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    response = {"name": "f", "response": {"result": "long"}, "parts": [file]}
    message = {"role": "user", "parts": [{"functionResponse": response}]}
    shape = formats.named("gemini")
    assert [part.kind for part in shape.read(message, "m").parts] == ["tool_result", "tool_result"]
    edited = shape.with_result(message, 0, "cleared")
    assert edited["parts"][0]["functionResponse"] == {"name": "f", "response": {"result": "cleared"}, "parts": None}
    accept("gemini", [edited])


@pytest.mark.parametrize("form", ["data", "role"])
def test_the_other_dicts_of_langchain(form):
    def dress(message):
        if form == "data":
            return {"type": message["type"], "data": {key: value for key, value in message.items() if key != "type"}}
        role = {"human": "user", "ai": "assistant", "tool": "tool"}[message["type"]]
        return {"role": role, **{key: value for key, value in message.items() if key != "type"}}

    plain = build("langchain", parse("U,A(a),Ta,A")).messages
    messages = [dress(message) for message in plain]
    shape = formats.named("langchain")
    assert [shape.read(m, "m").parts for m in messages] == [shape.read(m, "m").parts for m in plain]
    assert ullage.validate(messages, "langchain") == []
    edited = shape.with_result(messages[2], 0, "cleared")
    assert shape.read(edited, "m").parts[0].texts == ("cleared",)
    assert edited.keys() == messages[2].keys()
    note = shape.note("cut here", messages[0])
    assert note.keys() == messages[0].keys()
    assert shape.read(shape.merge(messages[0], note), "m").parts[0].texts[0].endswith("cut here")

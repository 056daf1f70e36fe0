"""Session: what plain Python says of each request beside all before it, whatever was edited, copied or branched."""

import copy
import gc
import math
import pickle
import threading
import weakref
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messages import HISTORIES, edited
from ullage import CacheRules, Estimator, History, InvalidHistory, Session, UnknownModel, cache_rules, compare
from ullage.cache.prompt import Prompt
from ullage.cache.provider_cache import Marker, ProviderCache
from ullage.prefix.assembly import assemble
from ullage.prefix.sent import sent

from . import values
from .units import flat, goes_on, shared

ANY = CacheRules("any", match="prefix", read=0.1)
BODIES = st.fixed_dictionaries(
    {"messages": HISTORIES},
    optional={
        "model": st.sampled_from(["a", "b"]),
        "tools": st.lists(
            st.sampled_from("xyz").map(lambda name: {"type": "function", "function": {"name": name}}), max_size=3
        ),
    },
)


def identities(request, format="openai-chat"):
    """What tells the blocks of a request from others: those before the messages, and those of each message."""
    assembly = assemble(request, format)
    units = [assembly.prelude, *map(assembly.message, range(len(assembly.messages)))]
    return [tuple(map(identity, blocks)) for blocks in units]


def identity(block):
    zone = None if block.zone in ("system", "messages") else block.path.split("[")[0]
    return values.sent(plain((zone, block.frame, sent(block.value))))


def plain(value):
    """The value as dicts and lists."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


class Oracle:
    """All requests so far, each as its units: tuples of what tells their blocks apart."""

    def __init__(self):
        self.sent = []

    def step(self, units):
        """The kind, and how many blocks are kept."""
        blocks = flat(units)
        kept = max((shared(blocks, flat(old)) for old in self.sent), default=0)
        appended = goes_on(self.sent, units, kept)
        self.sent.append(units)
        if self.sent[:-1] and kept == len(blocks):
            return "same", kept
        return ("append" if appended else "edit"), kept


@settings(max_examples=150, deadline=None)
@given(st.data(), BODIES)
def test_each_request_is_compared_with_all_before_it(data, body):
    session = Session(format="openai-chat", rules=ANY)
    oracle, provider, prompt = Oracle(), ProviderCache(ANY), Prompt()
    bodies = [body]
    for at in range(data.draw(st.integers(1, 5))):
        if at:
            body = {**data.draw(st.sampled_from(bodies))}
            body["messages"] = data.draw(edited(body["messages"]))
            if data.draw(st.booleans()):
                body = copy.deepcopy(body)
            bodies.append(body)
        before = copy.deepcopy(body)
        step = session.step(body, at=at)
        assert values.sent(plain(body)) == values.sent(plain(before))
        units = identities(body)
        blocks = flat(units)
        kind, kept = oracle.step(units)
        assert (step.kind, len(session)) == (kind, len(blocks))
        assert step.kept == (session.tokens(kept - 1) if kept else 0)
        assert step.total == step.kept + step.new == (session.tokens(len(blocks) - 1) if blocks else 0)
        assert step.total == tokens(body)
        assert (step.change is not None) == (kind == "edit")
        assert step.lost == 0 or kind == "edit"
        prompt.cut(0)
        for block, identity in enumerate(blocks):
            prompt.append(identity, session.tokens(block) - (session.tokens(block - 1) if block else 0))
        assert step.use == provider.request(prompt, at)


def tokens(body):
    return History(body["messages"], format="openai-chat", tools=body.get("tools")).total - 3


@settings(max_examples=60, deadline=None)
@given(HISTORIES, st.lists(st.integers(0, 3)))
def test_appending_is_stepping(messages, cuts):
    whole, parts = Session(format="openai-chat", rules=ANY), Session(format="openai-chat", rules=ANY)
    body, rest = {"model": "m", "messages": []}, list(messages)
    assert whole.step(body, at=0) == parts.step(body, at=0)
    for at, cut in enumerate([*cuts, len(rest)], 1):
        new, rest = rest[:cut], rest[cut:]
        body = {**body, "messages": [*body["messages"], *new]}
        assert parts.append(*new, at=at) == whole.step(body, at=at)
        assert [parts.key(block) for block in range(len(parts))] == [whole.key(block) for block in range(len(whole))]


BASE = {
    "model": "claude-opus-5",
    "system": "Be brief. " * 300,
    "tools": [{"name": "look", "description": "Look something up.", "input_schema": {"type": "object"}}],
}


def turn(text, life=None):
    """A message of the user, marked or not."""
    block = {"type": "text", "text": text}
    if life:
        block["cache_control"] = {"type": "ephemeral", "ttl": life}
    return {"role": "user", "content": [block]}


def answer(text):
    return {"role": "assistant", "content": text}


def test_a_marker_that_moves_on_is_no_edit():
    session = Session("claude-opus-5")
    question, reply = turn("What is in the file? " * 100, "5m"), answer("Nothing much.")
    assert session.step({**BASE, "messages": [question]}, at=0).use.written > 900
    assert session.markers == [Marker(len(session) - 1, 300)]
    plain_question = {"role": "user", "content": question["content"][0]["text"]}
    step = session.step({**BASE, "messages": [plain_question, reply, turn("And then?", "1h")]}, at=100)
    assert step.kind == "append"
    assert session.markers == [Marker(len(session) - 1, 3600)]
    assert step.use.read == step.kept
    assert step.use.written == step.new
    assert step.use.plain == 0
    assert step.idle == 100


@pytest.mark.parametrize("model", ["claude-opus-5", "gpt-5.2"])
def test_what_tools_cost_once_is_counted_once(model):
    def tool(name):
        described = {"name": name, "description": "Look something up."}
        if model.startswith("gpt"):
            return {"type": "function", "function": {**described, "parameters": {"type": "object"}}}
        return {**described, "input_schema": {"type": "object"}}

    format = "openai-chat" if model.startswith("gpt") else "anthropic"
    for count in range(4):
        body = {"tools": [tool(name) for name in "abcd"[:count]], "messages": [{"role": "user", "content": "Hello"}]}
        history = History(body["messages"], format=format, model=model, tools=body["tools"])
        messages = History(body["messages"], format=format, model=model)
        step = Session(model, format=format).step(body, at=0)
        assert step.total - Session(model, format=format).step(body | {"tools": []}, at=0).total == (
            history.total - messages.total
        )


def test_a_request_has_a_marker_on_its_last_block():
    session = Session("claude-opus-5")
    body = {**BASE, "cache_control": {"type": "ephemeral"}, "messages": [turn("Hello")]}
    session.step(body, at=0)
    assert session.markers == [Marker(len(session) - 1, 300)]
    session.append(answer("Hello."), turn("What now?"), at=1)
    assert session.markers == [Marker(len(session) - 1, 300)]


def test_every_marker_is_told_once():
    session = Session("claude-opus-5")
    session.step({**BASE, "messages": [turn(str(i), "5m") for i in range(5)]}, at=0)
    first = len(session) - 5
    assert session.markers == [Marker(first + i, 300) for i in range(5)]


def conversation(count):
    return [turn(f"Question {i}") if i % 2 == 0 else answer(f"Answer {i}") for i in range(count)]


def test_a_sub_agent_a_retry_and_a_rewind_go_on_from_what_they_share():
    session = Session("claude-opus-5")
    main, helper = conversation(9), [turn("Find the file."), answer("Found.")]
    assert session.step({**BASE, "messages": main[:5]}, at=0).kind == "append"
    other = {**BASE, "system": "You find files. " * 300}
    assert session.step({**other, "messages": helper[:1]}, at=1).kind == "edit"
    assert session.step({**BASE, "messages": main[:7]}, at=2).kind == "append"
    assert session.step({**other, "messages": [*helper, turn("Another one.")]}, at=3).kind == "append"
    step = session.step({**BASE, "messages": main[:7]}, at=4)
    assert (step.kind, step.new, step.idle) == ("same", 0, 2)
    step = session.step({**BASE, "messages": main[:3]}, at=5)
    assert (step.kind, step.new, step.lost) == ("same", 0, 0)
    step = session.step({**BASE, "messages": [*main[:5], answer("Another answer.")]}, at=6)
    assert step.kind == "append"
    step = session.step({**BASE, "messages": [*main[:6], turn("Another question.")]}, at=7)
    assert step.kind == "edit"
    assert step.change.path == "messages[6].content[0].text"
    assert session.step({**BASE, "messages": main}, at=8).kind == "append"


def step_by_step(count, messages=conversation):
    """A session that sent a request for each answer of an agent, and the messages of the last."""
    session = Session("claude-opus-5")
    sent = messages(count)
    for end in range(1, count + 1, 2):
        assert session.step({**BASE, "messages": sent[:end]}, at=end).kind == "append"
    return session, sent


@pytest.mark.parametrize(
    ("change", "path", "cause"),
    [
        (lambda sent: [*sent[:3], answer("Answer  3"), *sent[4:]], "messages[3].content", "white space"),
        (lambda sent: [*sent[:3], *sent[4:]], "messages[3]", "history rewritten"),
        (lambda sent: [*sent[:3], answer("In short: three answers."), *sent[7:]], "messages[3]", "history rewritten"),
        (lambda sent: [*sent[:3], answer("Noted."), *sent[3:]], "messages[3]", "history rewritten"),
    ],
)
def test_a_change_right_behind_the_end_of_an_earlier_request_is_an_edit(change, path, cause):
    session, sent = step_by_step(9)
    changed = [*change(sent), answer("Answer 9"), turn("Question 10")]
    step = session.step({**BASE, "messages": changed}, at=10)
    assert step.kind == "edit"
    assert (step.change.path, step.change.cause) == (path, cause)
    assert step.change == compare({**BASE, "messages": sent}, {**BASE, "messages": changed}).change
    assert step.kept + step.lost == session_tokens({**BASE, "messages": sent})


def session_tokens(body):
    return Session("claude-opus-5").step(body).total


def test_a_request_that_was_sent_again_is_gone_on_from_whatever_follows():
    session, sent = step_by_step(9)
    assert session.step({**BASE, "messages": sent[:3]}, at=10).kind == "same"
    assert session.step({**BASE, "messages": [*sent[:3], answer("Another answer."), sent[4]]}, at=11).kind == "append"


def test_a_message_that_begins_as_one_before_and_goes_on_in_another_way_is_an_edit():
    def called(path):
        call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"path": path}}
        return {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, call]}

    session = Session("claude-opus-5")
    session.step({**BASE, "messages": [turn("Where?")]}, at=0)
    session.step({**BASE, "messages": [turn("Where?"), called("a")]}, at=1)
    step = session.step({**BASE, "messages": [turn("Where?"), called("b")]}, at=2)
    assert (step.kind, step.change.path) == ("edit", "messages[1].content[1].input.path")


@pytest.mark.parametrize("index", range(6))
def test_what_was_changed_in_place_is_noticed_and_told_as_it_was(index):
    session = Session("claude-opus-5")
    messages = conversation(6)
    session.step({**BASE, "messages": messages}, at=0)
    message = messages[index]
    if index % 2:
        message["content"] = f"Answer {index}!"
        place = f"messages[{index}].content"
    else:
        message["content"][0]["text"] = f"Question {index}!"
        place = f"messages[{index}].content[0].text"
    step = session.step({**BASE, "messages": messages}, at=1)
    assert step.kind == "edit"
    assert step.change.path.startswith(place.removesuffix(".text"))
    assert step.change.old == ("Answer" if index % 2 else "Question") + f" {index}"
    assert step.change.new == step.change.old + "!"
    assert step.lost > 0


def test_an_edit_is_told_as_compare_tells_it():
    before = {**BASE, "system": "It is 17:11. " + BASE["system"], "messages": conversation(4)}
    after = {**before, "system": "It is 17:12. " + BASE["system"], "messages": conversation(6)}
    for first, second in [(before, after), ({**before, "messages": before["messages"][1:]}, before)]:
        session = Session("claude-opus-5")
        session.step(first, at=0)
        assert session.step(second, at=1).change == compare(first, second).change
    assert session.step({**before, "messages": []}, at=2).kind == "same"


def test_a_clock_in_the_system_prompt_has_its_cause():
    session = Session("claude-opus-5")
    session.step({**BASE, "system": "It is 17:11. Be brief.", "messages": conversation(3)}, at=0)
    step = session.step({**BASE, "system": "It is 17:12. Be brief.", "messages": conversation(5)}, at=60)
    assert (step.change.path, step.change.cause) == ("system", "clock")
    assert str(step).startswith("edit: ")
    assert step.kept > 0  # the tools


def test_part_of_a_text_is_read_where_a_provider_can():
    session = Session("gpt-5.2")
    text = "The room left in a vessel. " * 1000
    body = {"model": "gpt-5.2", "messages": [{"role": "user", "content": text}]}
    session.step(body, at=0)
    step = session.step({**body, "messages": [{"role": "user", "content": text[:-10] + "elsewhere."}]}, at=1)
    assert step.kind == "edit"
    assert step.total - 256 < step.use.read <= step.total
    step = session.step({**body, "messages": [{"role": "user", "content": "No. " + text}]}, at=2)
    assert step.use.read == 0


def test_any_value_can_be_followed():
    session = Session(format="json")
    assert session.step({"a": [1, {"b": "x"}]}, at=0).kind == "append"
    assert session.step({"a": [1, {"b": "x"}]}, at=1).kind == "same"
    assert session.step({"a": [1, {"b": "x"}, {"b": "more"}]}, at=2).kind == "append"
    step = session.step({"a": [1, {"b": "y"}]}, at=3)
    assert (step.kind, step.change.path) == ("edit", "a[1]")
    with pytest.raises(ValueError, match="use step"):
        session.append({"b": "z"}, at=4)


class Fails:
    """An object whose fields cannot be read."""

    @property
    def __dict__(self):
        raise LookupError("no fields")


CYCLE = []
CYCLE.append(CYCLE)
DEEP = "x"
for _ in range(300):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"role": "user", "content": CYCLE}, InvalidHistory),
        ({"role": "user", "content": [DEEP]}, InvalidHistory),
        ({"role": "user", "content": [object()]}, TypeError),
        ({"role": "user", "content": [{"type": "text", "text": len}]}, TypeError),
        ({"role": "user", "content": Fails()}, LookupError),
    ],
)
def test_a_bad_request_changes_nothing(bad, error):
    session = Session(format="openai-chat", rules=ANY)
    messages = [{"role": "user", "content": "Hello"}]
    session.step({"messages": messages}, at=0)
    keys = [session.key(block) for block in range(len(session))]
    for attempt in (lambda: session.step({"messages": [*messages, bad]}, at=1), lambda: session.append(bad, at=1)):
        with pytest.raises(error):
            attempt()
        assert [session.key(block) for block in range(len(session))] == keys
    assert session.step({"messages": messages}, at=2).kind == "same"


def test_time_does_not_go_back():
    session = Session()
    session.step([{"role": "user", "content": "Hello"}], at=10)
    for at, why in ((9, "one clock"), (math.nan, "a number of seconds"), (math.inf, "a number of seconds")):
        with pytest.raises(ValueError, match=why):
            session.append({"role": "user", "content": "Hello"}, at=at)
    assert len(session) == 1
    assert session.append({"role": "user", "content": "Hello"}, at=10).at == 10


def test_arguments_are_checked():
    with pytest.raises(UnknownModel):
        Session("no such model")
    with pytest.raises(TypeError, match="rules"):
        Session(rules="claude")
    with pytest.raises(ValueError, match="no format"):
        Session(format="smoke-signals")
    assert Session("gpt-5.2", estimator=Estimator()).step([{"role": "user", "content": "a" * 400}], at=0).total == 104
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            copied(Session())


def test_odd_values_are_followed():
    odd = ["\ud800", "a\x00b", "世界", math.nan, -0.0, 10**5000, True, None, b"\xff", (1, 2)]
    session = Session(format="openai-chat")
    for at, value in enumerate(odd):
        message = {"role": "user", "content": [{"type": "unheard", "value": value}]}
        session.step([message], at=at)
        assert session.step(copy.deepcopy([message]), at=at).kind == "same"


def test_native_objects_are_messages():
    anthropic = pytest.importorskip("anthropic")
    block = anthropic.types.TextBlock(type="text", text="Found it.", citations=None)
    session = Session("claude-opus-5")
    session.step({**BASE, "messages": [turn("Look."), {"role": "assistant", "content": [block]}]}, at=0)
    as_dicts = {**BASE, "messages": [turn("Look."), answer([{"type": "text", "text": "Found it."}])]}
    assert session.step(as_dicts, at=1).kind == "same"
    block.text = "Found nothing."
    step = session.step({**BASE, "messages": [turn("Look."), {"role": "assistant", "content": [block]}]}, at=2)
    assert (step.kind, step.change.old, step.change.new) == ("edit", "Found it.", "Found nothing.")


def test_a_large_tree_keeps_its_latest_ways():
    session = Session(format="openai-chat", rules=ANY)
    stem = [{"role": "user", "content": f"stem {i}"} for i in range(500)]
    for way in range(300):
        tail = [{"role": "user", "content": f"{way}, {i}"} for i in range(300)]
        step = session.step([*stem, *tail], at=way)
        assert step.kept == (session.tokens(499) if way else 0)
    assert session.append({"role": "user", "content": "More."}, at=300).kind == "append"
    assert session.step([*stem, {"role": "user", "content": "299, 0"}], at=301).kind == "same"
    assert session.step([*stem, {"role": "user", "content": "0, 0"}], at=302).kind == "edit"


class Text(str):
    """A str that can be part of a cycle."""

    __slots__ = ("__weakref__", "session")


def test_a_cycle_through_a_session_is_collected():
    session = Session()
    text = Text("hello")
    text.session = session
    session.step([{"role": "user", "content": text}], at=0)
    gone = weakref.ref(text)
    del text, session
    gc.collect()
    assert gone() is None


def test_strings_are_let_go():
    session = Session()
    text = Text("hello")
    gone = weakref.ref(text)
    session.step([{"role": "user", "content": text}], at=0)
    del text, session
    gc.collect()
    assert gone() is None


def test_threads_share_a_session():
    session = Session(format="openai-chat", rules=ANY)
    stem = [{"role": "user", "content": f"stem {i}"} for i in range(50)]
    session.step(stem, at=0)
    kinds, errors = Counter(), []

    def run(name):
        mine = list(stem)
        try:
            for i in range(60):
                mine.append({"role": "user", "content": f"{name} {i}"})
                step = session.step(mine, at=1)
                kinds[step.kind] += 1
                assert step.kept < step.total
        except Exception as error:
            errors.append(error)

    def read():
        try:
            for _ in range(2000):
                count = len(session)
                assert count == 0 or session.tokens(0) > 0
                _ = session.markers
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"] + [threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert kinds == {"append": 240}


def observed(usage, *, kind="append", idle=10.0, life="5m", rules=None):
    """What a session says of a usage for its second request."""
    session = Session("claude-opus-5", rules=rules)
    messages = [turn("Question " * 1000, life)]
    session.step({**BASE, "messages": messages}, at=0)
    if kind == "edit":
        messages = [turn("Changed " * 1000, life)]
    step = session.step({**BASE, "messages": [*messages, answer("Well."), turn("Next?", life)]}, at=idle)
    return step, session.observe(usage(step))


def anthropic_usage(read):
    return lambda step: {
        "input_tokens": 5,
        "cache_read_input_tokens": round(read(step)),
        "cache_creation_input_tokens": round(step.total - read(step)),
    }


def test_all_was_read():
    step, seen = observed(anthropic_usage(lambda step: step.use.read))
    assert (seen.reason, seen.idle, seen.life) == ("none", 10, 300)
    assert seen.predicted == pytest.approx(step.use.read, rel=0.01)


def test_another_machine_has_nothing_cached():
    step, seen = observed(anthropic_usage(lambda step: 0))
    assert seen.reason == "routing"
    assert seen.missed == seen.possible == pytest.approx(step.kept, rel=0.01)
    assert "another machine" in str(seen)


def test_a_life_ends():
    step, seen = observed(anthropic_usage(lambda step: 0), idle=301)
    assert step.use.read == 0
    assert (seen.reason, seen.idle, seen.life) == ("expiry", 301, 300)
    assert observed(anthropic_usage(lambda step: 0), idle=301, life="1h")[1].reason == "routing"


def test_we_changed_the_prefix():
    step, seen = observed(anthropic_usage(lambda step: step.use.read), kind="edit")
    assert step.lost > 1000
    assert seen.reason == "ours"
    assert seen.missed == pytest.approx(step.lost + step.kept - step.use.read, rel=0.05)


def test_the_rules_give_no_more():
    _, seen = observed(anthropic_usage(lambda step: 0), life=None)
    assert (seen.reason, seen.predicted) == ("rules", 0)


def test_more_was_read_than_predicted():
    _, seen = observed(anthropic_usage(lambda step: step.total - 10), idle=301)
    assert seen.reason == "more"


def test_usage_needs_a_request_and_rules():
    with pytest.raises(ValueError, match="call step"):
        Session("gpt-5.2").observe({"prompt_tokens": 1})
    session = Session()
    session.step([{"role": "user", "content": "Hello"}], at=0)
    with pytest.raises(ValueError, match="rules"):
        session.observe({"prompt_tokens": 1})
    with pytest.raises(TypeError, match="dict"):
        session.observe(12)


def test_the_clock_is_that_of_the_machine_by_default():
    session = Session()
    first = session.step([{"role": "user", "content": "Hello"}])
    second = session.append({"role": "assistant", "content": "Hello."})
    assert second.idle == second.at - first.at >= 0


def test_rules_can_be_given():
    rules = cache_rules("anthropic")
    session = Session(rules=rules)
    step = session.step({**BASE, "messages": [turn("Hello " * 2000, "5m")]}, at=0)
    assert step.use.written == step.total
    assert Session(rules=rules).step({**BASE, "messages": []}, at=0).use.plain > 0
    assert SimpleNamespace(use=step.use).use is step.use

"""History: the same as a fresh one after any edit, at the price of what changed."""

import collections
import copy
import gc
import json
import pickle
import threading
import weakref
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messages import HISTORIES, edited
from ullage import Estimator, History, InvalidHistory, ScriptRule, Update, estimate
from ullage.formats import openai_chat


def typical(count):
    """Rounds of a question, a call, its result and an answer."""
    kinds = (
        lambda i: {"role": "user", "content": f"What does file {i} do?"},
        lambda i: {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": f"call_{i}", "type": "function", "function": {"name": "read", "arguments": f'{{"path": "{i}"}}'}}
            ],
        },
        lambda i: {"role": "tool", "tool_call_id": f"call_{i - 1}", "content": f"def f{i}(): ..."},
        lambda i: {"role": "assistant", "content": f"File {i} defines a function."},
    )
    return [kinds[i % 4](i) for i in range(count)]


def state(history):
    """All that a history says."""
    return list(history), history.tokens.tolist(), history.total, history.breakdown()


@given(HISTORIES)
def test_tokens_are_those_of_all_strings_sent(messages):
    history = History(messages)
    expected = []
    for message in messages:
        parts = openai_chat.read(message, "").parts
        frame = 4 + ("name" in message)
        expected.append(frame + sum(part.tokens + sum(map(estimate, part.texts)) for part in parts))
    assert history.tokens.tolist() == expected
    assert history.total == sum(expected) + 3 == history.breakdown().total


def leaf_strings(value):
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for member in inner for leaf in leaf_strings(member)]


@given(HISTORIES)
def test_every_string_is_counted_but_for_names_of_things(messages):
    """By a walk that knows the format by four words only: role, type, ids and pictures cost nothing as text."""
    for message in messages:
        unpictured = copy.deepcopy(message)
        pictures = 0
        for part in unpictured["content"] if isinstance(unpictured["content"], list) else ():
            pictures += part.pop("image_url", None) is not None
            del part["type"]
        for call in unpictured.get("tool_calls", ()):
            del call["id"], call["type"]
        unpictured.pop("tool_call_id", None)
        del unpictured["role"]
        text = sum(map(estimate, leaf_strings(unpictured)))
        assert History([message])[0].tokens == 4 + ("name" in message) + 765 * pictures + text


@settings(max_examples=300)
@given(st.data(), HISTORIES)
def test_update_is_a_fresh_history(data, messages):
    history = History(messages)
    digests = [record.digest for record in history]
    for _ in range(2):
        messages = data.draw(edited(messages))
        sent = copy.deepcopy(messages)
        update = history.update(messages)
        assert messages == sent or "nan" in repr(messages)
        fresh = History(messages)
        assert state(history) == state(fresh)
        now = [record.digest for record in fresh]
        assert update.read + update.kept == len(now)
        # The least that must be read: what has no equal among the old.
        missing = collections.Counter(now) - collections.Counter(digests)
        assert update.read >= missing.total()
        assert update.removed == len(digests) - update.kept
        changed = [i for i, (new, old) in enumerate(zip(now, digests, strict=False)) if new != old]
        ends = [min(len(now), len(digests))] if len(now) != len(digests) else []
        assert update.first_changed == min(changed + ends, default=None)
        assert history.update(messages) == Update(None, 0, len(now), 0)
        digests = now


@given(HISTORIES, HISTORIES)
def test_append_and_extend_are_a_fresh_history(first, second):
    history = History(first)
    history.extend(iter(second))
    appended = History()
    for message in first + second:
        appended.append(message)
    assert state(history) == state(appended) == state(History(first + second))


@given(HISTORIES)
def test_digests_are_equal_where_messages_are(messages):
    again = History(copy.deepcopy(messages))
    assert [record.digest for record in again] == [record.digest for record in History(messages)]
    written = [json.dumps(message) for message in messages]
    for one, a in zip(again, written, strict=True):
        for other, b in zip(again, written, strict=True):
            assert (one.digest == other.digest) == (a == b)


@pytest.mark.parametrize(
    ("edit", "update"),
    [
        (lambda m: None, (None, 0, 100, 0)),
        (lambda m: m.append({"role": "user", "content": "new"}), (100, 1, 100, 0)),
        (lambda m: m[50].update(content="new"), (50, 1, 99, 1)),
        (lambda m: m[49]["tool_calls"][0]["function"].update(arguments="{}"), (49, 1, 99, 1)),
        (lambda m: m[49]["tool_calls"].append({}), (49, 1, 99, 1)),
        (lambda m: m.insert(50, {"role": "user", "content": "new"}), (50, 1, 100, 0)),
        (lambda m: m.__delitem__(slice(20, 30)), (20, 0, 90, 10)),
        (lambda m: m.reverse(), (0, 0, 100, 0)),
        (lambda m: m.append(m.pop(3)), (3, 0, 100, 0)),
        (lambda m: m.clear(), (0, 0, 0, 100)),
        (lambda m: m.__setitem__(slice(None), copy.deepcopy(m)), (None, 0, 100, 0)),
        (lambda m: m.__setitem__(slice(None), [{**x, "content": x["content"]} for x in m]), (None, 0, 100, 0)),
        (lambda m: [m[0].update(content="a"), m[99].update(content="b"), m.pop(40)], (0, 2, 97, 3)),
        (lambda m: m.__setitem__(slice(10, 12), m[10:12] * 2), (12, 2, 100, 0)),
        (lambda m: m[7].update(role=m[7].pop("role")), (7, 1, 99, 1)),
    ],
)
def test_only_what_changed_is_read(edit, update):
    messages = json.loads(json.dumps(typical(100)))
    read = []
    history = History(messages)
    history._records = type(history._records)(
        Estimator(), lambda m, path: read.append(path) or openai_chat.read(m, path)
    )
    history.extend(messages)
    assert read == [f"messages[{i}]" for i in range(100)]
    read.clear()
    edit(messages)
    assert history.update(messages) == update
    assert len(read) == update[1]
    assert state(history) == state(History(messages))
    read.clear()
    history.append({"role": "user", "content": "one more"})
    assert read == [f"messages[{len(messages)}]"]


def test_an_equal_text_in_another_object_is_no_change_and_another_text_is():
    message = {"role": "user", "content": "".join(["t", "ea"])}
    history = History([message])
    message["content"] = "".join(["te", "a"])
    assert history.update([message]) == Update(None, 0, 1, 0)
    message["content"] = "tee"
    assert history.update([message]) == Update(0, 1, 0, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0), (1, True), (0, False), (1, "1"), ("1", b"1"), (None, "None"), (0.0, -0.0), (2**64, -(2**64)),
        (2**63 - 1, 2**63), (["ab"], ["a", "b"]), ([], {}), ([[], []], [[[]]]), ([1], (1,)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ("\ud800", "\ud801"), ("é", "e\u0301"), ("a\x00", "a"), (1 << 20_000, 1 << 20_000 | 1),
    ],
    ids=range(18),
)  # fmt: skip
def test_values_that_differ_have_digests_that_differ(one, other):
    message = {"role": "user", "content": "x", "x": one}
    history = History([message])
    digest = history[0].digest
    assert len(digest) == 16
    message["x"] = other
    assert history.update([message]) == Update(0, 1, 0, 1)
    assert history[0].digest != digest


def test_subclasses_are_what_they_stand_for():
    class Text(str):
        __slots__ = ("note",)

    class Items(list):
        pass

    plain = {"role": "user", "content": [{"type": "text", "text": "tea"}], "n": 3}
    ordered = collections.OrderedDict(
        role=Text("user"), content=Items([collections.defaultdict(str, type="text", text=Text("tea"))]), n=3
    )
    history = History([plain])
    assert history.update([ordered]) == Update(None, 0, 1, 0)
    assert list(History([ordered])) == list(history)
    ordered.move_to_end("role")
    assert history.update([ordered]) == Update(0, 1, 0, 1)
    ordered["content"][0]["text"] = "tee"
    assert history.update([ordered]).read == 1


def test_objects_are_known_by_their_type_and_fields():
    @dataclass
    class Message:
        role: str
        content: str

    class Other(Message):
        pass

    messages = [Message("user", "tea"), *typical(5), Message("user", "chai")]
    history = History(messages)
    assert history.update(messages) == Update(None, 0, 7, 0)
    assert history.update([Message("user", "tea"), *messages[1:]]) == Update(None, 0, 7, 0)
    messages[0].content = "milk"
    assert history.update(messages) == Update(0, 1, 6, 1)
    assert history[0].tokens == 4 + estimate("milk")
    messages[-1] = Other("user", "chai")
    assert history.update(messages) == Update(6, 1, 6, 1)


def test_objects_with_slots_are_known_by_them():
    @dataclass(slots=True)
    class Function:
        name: str
        arguments: str

    @dataclass(frozen=True, slots=True)
    class Call:
        id: str
        function: Function

    class Message:
        __slots__ = ("content", "role", "tool_calls")

    message = Message()
    message.role = "assistant"  # the other slots are not set
    messages = [message, *typical(3)]
    history = History(messages)
    assert history[0].tokens == 4
    message.tool_calls = [Call("call_1", Function("read", "{}"))]
    assert history.update(messages) == Update(0, 1, 3, 1)
    assert history[0][1:4] == (4 + estimate("read") + estimate("{}"), ("tool_call",), ("call_1",))
    message.tool_calls[0].function.arguments = '{"path": "a"}'
    assert history.update(copy.deepcopy(messages)) == Update(0, 1, 3, 1)
    assert history.update(messages) == Update(None, 0, 4, 0)
    history.append({"role": "user", "x": Function("unknown", "counted too")})
    assert history[-1].tokens == 4 + estimate("unknown") + estimate("counted too")


def test_unknown_fields_of_models_are_seen():
    class Model:
        """Stands as pydantic does: fields in ``__dict__``, others beside it."""

        __slots__ = ("__dict__", "__pydantic_extra__")

    message = Model()
    message.__dict__ = {"role": "assistant", "content": None}
    message.__pydantic_extra__ = {"reasoning_content": "because"}
    history = History([message])
    assert history[0] == ("assistant", 4 + 2, ("thinking",), (), history[0].digest)
    message.__pydantic_extra__["reasoning_content"] = "be"
    assert history.update([message]) == Update(0, 1, 0, 1)
    message.__pydantic_extra__ = None
    assert history.update([message]).read == 1


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2)),
        (date(2026, 1, 2), date(2026, 1, 3)),
        (timedelta(1), timedelta(2)),
        (Decimal("1.0"), Decimal("1.00")),
        (UUID(int=1), UUID(int=2)),
    ],
)
def test_times_and_other_values_without_fields(value, other):
    """They are told apart by their repr, and by their class."""
    history = History([{"role": "user", "content": "u", "x": value}])
    assert history.update([{"role": "user", "content": "u", "x": copy.deepcopy(value)}]).read == 0
    assert history.update([{"role": "user", "content": "u", "x": other}]).read == 1
    assert history.update([{"role": "user", "content": "u", "x": repr(other)}]).read == 1


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (print, "builtin_function_or_method"), (lambda: 0, "function"), (json, "module"), (int, "type"), ({1}, "set"),
        (bytearray(b"x"), "bytearray"), (object(), "object"), (1j, "complex"),
    ],
)  # fmt: skip
def test_what_is_no_value_is_refused_with_its_place(value, sentence):
    with pytest.raises(TypeError, match=rf"^messages\[1\]\.x\.y\[1\] must be made of .*, not \S*{sentence}$"):
        History([{"role": "user"}, {"role": "user", "x": {"y": [0, value]}}])


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_nesting_is_bounded():
    assert len(History([{"role": "user", "x": nested(255)}])) == 1
    deep = {"role": "user", "x": nested(256)}
    with pytest.raises(InvalidHistory, match=r"^messages\[0\]\.x(\[0\]){7}\.\.\.: values nest at most 256 deep"):
        History([deep])
    cyclic = {"role": "user"}
    cyclic["x"] = [cyclic, cyclic]
    with pytest.raises(InvalidHistory, match="without cycles") as caught:
        History([{"role": "user"}, cyclic])
    assert caught.value.index == 1


def test_what_unfolds_without_end_is_refused():
    value = []
    for _ in range(100):
        value = [value, value]
    with pytest.raises(InvalidHistory, match="at most 16777216 values"):
        History([{"role": "user", "x": value}])


@pytest.mark.parametrize("bad", [7, {"role": "user", "content": 7}, {"content": "no role"}, {"role": "user", "x": {1}}])
def test_a_failed_change_changes_nothing(bad):
    messages = typical(10)
    history = History(messages)
    before = state(history)
    with pytest.raises((TypeError, InvalidHistory), match=r"messages\[10\]"):
        history.append(bad)
    with pytest.raises((TypeError, InvalidHistory), match=r"messages\[11\]"):
        history.extend([{"role": "user", "content": "fine"}, bad])
    with pytest.raises((TypeError, InvalidHistory), match=r"messages\[2\]"):
        history.update([messages[5], messages[4], bad, messages[3]])
    assert state(history) == before
    assert history.update(messages) == Update(None, 0, 10, 0)


@pytest.mark.parametrize("bad", [None, 7, "messages", b"messages", {"role": "user"}])
def test_a_list_of_messages_is_wanted(bad):
    with pytest.raises(TypeError, match="messages must be an iterable of dicts or objects, not"):
        History(bad)
    with pytest.raises(TypeError, match="messages must be an iterable of dicts or objects, not"):
        History().update(bad)


def test_an_estimator_is_wanted():
    with pytest.raises(TypeError, match=r"^estimator must be an Estimator, not str; Estimator\.for_model"):
        History([], estimator="gpt-4o")


def test_formats_have_names():
    with pytest.raises(ValueError, match="there is no format 'chat'; there are: openai-chat"):
        History(format="chat")


def test_records():
    history = History(typical(4), estimator=Estimator(ScriptRule(ascii=1)))
    assert len(history) == 4
    assert history[0][:4] == ("user", 4 + 20, ("text",), ())
    assert history[1][:4] == ("assistant", 4 + 4 + 13, ("tool_call",), ("call_1",))
    assert history[-2][:4] == ("tool", 4 + 13, ("tool_result",), ("call_1",))
    assert history[-1] == history[3]
    for index in (4, -5, 1 << 62):
        with pytest.raises(IndexError, match=f"there is no message {index} in a history of 4"):
            history[index]
    assert history.breakdown() == (
        {"user": {"text": 20}, "assistant": {"text": 26, "tool_call": 17}, "tool": {"tool_result": 13}},
        0,
        19,
    )
    assert history.total == history.breakdown().total == 95
    assert repr(history) == "<History of 4 messages, 95 tokens>"


def test_iteration_ends_where_the_history_ends_by_then():
    messages = typical(4)
    history = History(messages)
    records = iter(history)
    first = next(records)
    history.update(messages[:2])
    assert [first, *records] == list(history)
    records = iter(history)
    history.extend(messages[2:])
    assert len(list(records)) == 4


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_history_is_not_copied(duplicate):
    """A shallow copy would share its records, and change with the other."""
    with pytest.raises(TypeError, match="neither copied nor pickled: make one anew"):
        duplicate(History(typical(4)))


def test_tokens_are_a_copy():
    history = History(typical(4))
    tokens = history.tokens
    assert (tokens.dtype.name, tokens.shape) == ("uint32", (4,))
    tokens[:] = 0
    assert history.tokens.all()


def test_strings_are_held_and_given_up():
    class Text(str):
        __slots__ = ("__weakref__",)

    text = Text("tea")
    alive = weakref.ref(text)
    history = History([{"role": "user", "content": text}])
    del text
    assert alive() is not None
    history.update([])
    assert alive() is None


@pytest.mark.parametrize("key", ["role", "content", "tool_call_id", "x"])
def test_cycles_are_collected(key):
    class Text(str):
        pass

    message = {"role": "tool", "tool_call_id": "a", "content": "x"}
    message[key] = Text(message.get(key, ""))
    history = History([message, *typical(3)])
    message[key].history = history
    alive = weakref.ref(message[key])
    del message, history
    assert alive() is not None
    gc.collect()
    assert alive() is None


def test_a_message_that_changes_while_it_is_read_is_found_changed():
    message = {"role": "user", "content": "tea"}
    history = History()

    def read(value, path):
        message["content"] = "a longer text than before"
        return openai_chat.read(value, path)

    history._records = type(history._records)(Estimator(), read)
    history.append(message)
    history._records.update([message])
    assert history[0].tokens == 4 + estimate("a longer text than before")


def test_a_change_within_an_update_is_refused():
    history = History(typical(3))

    class Nosy(dict):
        def items(self):
            history.append({"role": "user", "content": "meanwhile"})
            return super().items()

    with pytest.raises(RuntimeError, match="let one thread at a time change it"):
        history.update([*typical(2), Nosy(role="user", content="x")])
    assert len(history) == 4


def test_readers_see_whole_states_while_one_thread_writes():
    short, long = typical(40), typical(400)
    totals = {History(short).total, History(long).total}
    history = History(short)
    stop, wrong = threading.Event(), []

    def look():
        while not stop.is_set():
            breakdown = history.breakdown()
            if history.total not in totals or breakdown.total not in totals or len(history.tokens) not in (40, 400):
                wrong.append(breakdown)

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(100):
        history.update(long)
        history.update(short)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_nothing_is_lost_when_threads_append():
    history = History()
    messages = typical(400)

    def work(part):
        for message in part:
            history.append(message)

    threads = [threading.Thread(target=work, args=(messages[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(history) == sorted(History(messages))
    assert history.total == History(messages).total


def test_messages_mutated_by_another_thread_do_no_harm():
    messages = typical(200)
    history = History(messages)
    stop = threading.Event()

    def mutate():
        turn = 0
        while not stop.is_set():
            turn += 1
            message = messages[turn % 200]
            message[f"x_{turn % 7}"] = ["y"] * (turn % 5)
            message.pop(f"x_{(turn + 3) % 7}", None)
            if "tool_calls" in message:
                message["tool_calls"] = [*message["tool_calls"][:1], {}][: turn % 3]

    mutator = threading.Thread(target=mutate)
    mutator.start()
    for _ in range(200):
        assert len(history) == 200
        history.update(messages)
    stop.set()
    mutator.join()
    history.update(messages)
    assert state(history) == state(History(messages))

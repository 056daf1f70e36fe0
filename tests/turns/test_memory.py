"""A memory is a value with a form that is read back, and refuses what it is not."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import Entity, InvalidMemory, TurnMemory, UllageError

MEMORY = TurnMemory(
    3,
    "list",
    (Entity("c1", "Costa Brava", "coast"),),
    (Entity("h7", "Girona"), Entity("h2", "Palamós")),
    ("q19", "q20"),
)
WORDS = st.text(min_size=1, max_size=20).filter(lambda text: text.strip())
ENTITIES = st.builds(Entity, WORDS, WORDS, st.text(max_size=5))
MEMORIES = st.builds(
    TurnMemory,
    st.integers(0),
    WORDS,
    st.lists(ENTITIES, max_size=4).map(tuple),
    st.lists(ENTITIES, max_size=4).map(tuple),
    st.lists(WORDS, max_size=4).map(tuple),
)


@given(MEMORIES)
def test_what_is_written_is_read_back(memory):
    again = TurnMemory.from_json(memory.to_json())
    assert again == memory
    assert (again.digest, hash(again)) == (memory.digest, hash(memory))
    assert TurnMemory.from_dict(json.loads(json.dumps(memory.to_dict()))) == memory


@given(MEMORIES, MEMORIES)
def test_digests_are_equal_where_memories_are(one, other):
    assert (one.digest == other.digest) == (one == other)


def test_the_digest_is_the_same_on_every_machine():
    assert MEMORY.digest == "48ce4a3ec476204c30b427eb0ad87e18"
    assert replace(MEMORY, turn=4).digest != MEMORY.digest


def test_the_form_that_is_stored():
    assert MEMORY.to_dict() == {
        "version": 1,
        "turn": 3,
        "output": "list",
        "entities": [{"id": "c1", "name": "Costa Brava", "kind": "coast"}],
        "visible": [{"id": "h7", "name": "Girona", "kind": ""}, {"id": "h2", "name": "Palamós", "kind": ""}],
        "result_ids": ["q19", "q20"],
    }


def test_it_does_not_change():
    with pytest.raises(FrozenInstanceError):
        MEMORY.turn = 4
    shown = [Entity("a", "A")]
    memory = TurnMemory(0, "list", visible=shown)
    shown.append(Entity("b", "B"))
    assert memory.visible == (Entity("a", "A"),)


@pytest.mark.parametrize(
    ("change", "path", "why"),
    [
        ({"version": 2}, "version", "is 2; 1 can be read"),
        ({"version": None}, "version", "is None"),
        ({"version": True}, "version", "is True"),
        ({"version": 1.0}, "version", "is 1.0"),
        ({"turn": -1}, "turn", "is -1; turns are numbered from 0"),
        ({"output": " "}, "output", "is blank"),
        ({"visible": [{"id": "", "name": "A", "kind": ""}]}, "visible[0].id", "is blank"),
        ({"visible": [{"id": "a", "name": "A"}]}, "visible[0].kind", "is missing"),
        ({"visible": [{"id": "a", "name": "A", "kind": "", "x": 1}]}, "visible[0].x", "is not known"),
        ({"result_ids": ["a", "\t"]}, "result_ids[1]", "is blank"),
        ({"extra": 1}, "extra", "is not known"),
    ],
)
def test_what_is_no_memory_is_refused_with_its_place(change, path, why):
    with pytest.raises(InvalidMemory) as caught:
        TurnMemory.from_dict(MEMORY.to_dict() | change)
    assert isinstance(caught.value, UllageError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.path == path
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"turn": True}, "turn must be int, not bool"),
        ({"turn": "3"}, "turn must be int, not str"),
        ({"output": None}, "output must be str, not NoneType"),
        ({"visible": "ab"}, "visible must be a list, not str"),
        ({"visible": ["ab"]}, r"visible\[0\] must be a dict, not str"),
        ({"entities": [{"id": 1, "name": "A", "kind": ""}]}, r"entities\[0\].id must be str, not int"),
        ({"entities": [{"id": "1", "name": "A", "kind": None}]}, r"entities\[0\].kind must be str, not NoneType"),
        ({"result_ids": "q19"}, "result_ids must be a tuple of str, not str"),
        ({"result_ids": [1]}, r"result_ids\[0\] must be str, not int"),
    ],
)
def test_wrong_types_are_named(change, sentence):
    with pytest.raises(TypeError, match=sentence):
        TurnMemory.from_dict(MEMORY.to_dict() | change)


@pytest.mark.parametrize("key", ["turn", "output", "entities", "visible", "result_ids"])
def test_a_missing_key_is_named(key):
    value = MEMORY.to_dict()
    del value[key]
    with pytest.raises(InvalidMemory, match=f"{key} is missing"):
        TurnMemory.from_dict(value)


def test_text_that_is_no_memory():
    for text in ("", "{", "[" * 100_000):
        with pytest.raises(InvalidMemory, match="the memory is not JSON"):
            TurnMemory.from_json(text)
    for text in ("[]", "3", '"a"'):
        with pytest.raises(TypeError, match="a memory must be a dict"):
            TurnMemory.from_json(text)


def test_only_text_is_read():
    for value in (MEMORY.to_json().encode(), None, 5):
        with pytest.raises(TypeError, match="the text of a memory must be str, not"):
            TurnMemory.from_json(value)


def test_lone_surrogates_are_stored_and_read_back():
    memory = TurnMemory(0, "list", visible=(Entity("\ud800", "\udfffé"),), result_ids=("\udc80",))
    stored = memory.to_json().encode()
    assert TurnMemory.from_json(stored.decode()) == memory
    assert TurnMemory.from_json(stored.decode()).digest == memory.digest


def test_entities_are_entities():
    with pytest.raises(TypeError, match=r"visible\[0\] must be an Entity, not tuple"):
        TurnMemory(0, "list", visible=(("a", "A", ""),))
    with pytest.raises(TypeError, match="visible must be a tuple of Entity, not Entity"):
        TurnMemory(0, "list", visible=Entity("a", "A"))

"""What stays of a history is a request that its provider takes, in every format."""

import pytest

from fit.test_stability import session
from formats.builder import FORMATS, User, build
from formats.sdk import accept
from ullage import OldestFirst, Section, Truncate, allocate, chat_sections, validate

SHARES = (0.1, 0.3, 0.5, 0.9)


@pytest.mark.parametrize("name", FORMATS)
def test_what_stays_of_a_history_is_valid(name):
    messages, _, _ = build(name, session(40, 300, turn=5))
    whole = allocate([Section("history", messages)], 1 << 40, format=name).tokens
    lengths = []
    for share in SHARES:
        found = allocate(chat_sections(history=messages), int(whole * share), format=name)
        stays = list(found.sections["history"].items)
        assert validate(stays, name) == []
        assert all(message is own for message, own in zip(stays[::-1], messages[::-1], strict=False))
        lengths.append(len(stays))
    assert lengths == sorted(lengths)
    assert 0 < lengths[-1] < len(messages)


@pytest.mark.parametrize("name", FORMATS)
def test_a_question_is_cut_in_every_format(name):
    messages, _, _ = build(name, [User("a question " * 200)])
    found = allocate([Section("question", messages, keep=Truncate())], 100, format=name)
    assert validate(list(found.items), name) == []
    assert "truncated" in str(found.items)
    assert 80 < found.tokens <= 100


@pytest.mark.parametrize("name", ["gemini", "langchain", "pydantic-ai"])
def test_objects_stay_objects(name):
    """The formats whose packages have classes of their own for messages."""
    messages, _, _ = build(name, session(40, 300, turn=5))
    objects = accept(name, messages)
    whole = allocate([Section("history", objects, keep=OldestFirst())], 1 << 40).tokens
    found = allocate([Section("history", objects, keep=OldestFirst())], whole // 2)
    assert found.items
    assert all(message is own for message, own in zip(found.items[::-1], objects[::-1], strict=False))

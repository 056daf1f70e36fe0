"""Strategies for messages of the OpenAI Chat format, typical and odd, and for edits of a list of them."""

import copy

from hypothesis import strategies as st

TEXTS = st.text(st.characters(), max_size=12)  # lone surrogates too
IDS = st.sampled_from(["call_1", "call_2", "call_3"]) | TEXTS
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.integers(-(2**200), 2**200),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
PARTS = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}),
    st.fixed_dictionaries({"type": st.just("refusal"), "refusal": TEXTS}),
    st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": TEXTS})}),
    st.fixed_dictionaries({"type": st.just("unheard"), "unheard": VALUES}),
)
CONTENTS = st.none() | TEXTS | st.lists(PARTS, max_size=3)
CALLS = st.fixed_dictionaries(
    {
        "id": IDS,
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": TEXTS, "arguments": TEXTS}),
    }
)
UNKNOWN = st.dictionaries(TEXTS.map(lambda name: f"x_{name}"), VALUES, max_size=2)


def _message(required, optional=None):
    known = st.fixed_dictionaries(required, optional=optional or {})
    return st.tuples(known, UNKNOWN).map(lambda both: {**both[0], **both[1]})


MESSAGES = st.one_of(
    _message({"role": st.sampled_from(["system", "user", "developer"]), "content": CONTENTS}, {"name": TEXTS}),
    _message(
        {"role": st.just("assistant"), "content": CONTENTS},
        {"tool_calls": st.lists(CALLS, max_size=3), "refusal": st.none() | TEXTS, "reasoning_content": TEXTS},
    ),
    _message({"role": st.just("tool"), "tool_call_id": IDS, "content": CONTENTS}),
)
HISTORIES = st.lists(MESSAGES, max_size=8)


@st.composite
def edited(draw, messages):
    """The list after some edits: in place, by replacing, inserting, deleting, moving, repeating, copying, appending."""
    messages = list(messages)
    for _ in range(draw(st.integers(0, 4))):
        edit = draw(st.sampled_from(EDITS))
        if messages or edit in (_insert, _append):
            edit(draw, messages)
    return messages


def _place(draw, messages):
    return draw(st.integers(0, len(messages) - 1))


def _mutate(draw, messages):
    container = messages[_place(draw, messages)]
    while True:
        members = list(container.items() if isinstance(container, dict) else enumerate(container))
        inner = [member for _, member in members if isinstance(member, dict | list) and member]
        if not inner or draw(st.booleans()):
            break
        container = draw(st.sampled_from(inner))
    keys = [key for key, member in members if key not in ("role", "type") and isinstance(member, str)]
    if keys:
        container[draw(st.sampled_from(keys))] = draw(TEXTS)
    elif isinstance(container, dict):
        container[f"x_{draw(TEXTS)}"] = draw(VALUES)


def _reorder_keys(draw, messages):
    message = messages[_place(draw, messages)]
    key = draw(st.sampled_from(list(message)))
    message[key] = message.pop(key)


def _replace(draw, messages):
    messages[_place(draw, messages)] = draw(MESSAGES)


def _insert(draw, messages):
    messages.insert(draw(st.integers(0, len(messages))), draw(MESSAGES))


def _delete(draw, messages):
    del messages[_place(draw, messages)]


def _move(draw, messages):
    messages.insert(_place(draw, messages), messages.pop(_place(draw, messages)))


def _repeat(draw, messages):
    messages.insert(_place(draw, messages), messages[_place(draw, messages)])


def _copy(draw, messages):
    place = _place(draw, messages)
    messages[place] = copy.deepcopy(messages[place])


def _append(draw, messages):
    messages.append(draw(MESSAGES))


EDITS = (_mutate, _reorder_keys, _replace, _insert, _delete, _move, _repeat, _copy, _append)

"""What is fitted is a request that the provider's own types take; objects of its package stay what they are."""

import pytest

from fit.made import checked, tokens_of
from fit.test_stability import session
from formats.builder import FORMATS, build
from formats.sdk import accept
from ullage import fit

SHARES = (0.12, 0.2, 0.4, 0.7)


@pytest.mark.parametrize("name", FORMATS)
def test_providers_take_what_is_fitted(name):
    messages, system, _ = build(name, session(30, 600, turn=8))
    actions = set()
    for share in SHARES:
        result = checked(name, messages, int(tokens_of(name, messages, system) * share), system=system)
        accept(name, result.messages)
        actions |= {entry.action for entry in result.receipt.entries}
    assert actions >= {"cleared", "dropped", "noted"}


@pytest.mark.parametrize("name", ["gemini", "langchain", "pydantic-ai"])
def test_objects_come_back_as_objects(name):
    """The formats whose packages have classes of their own for messages."""
    messages, system, _ = build(name, session(30, 600, turn=8))
    objects = accept(name, messages)
    for share in SHARES:
        budget = int(tokens_of(name, messages, system) * share)
        result = fit(objects, budget, system=system)
        as_dicts = fit(messages, budget, system=system, format=name)
        assert result.receipt == as_dicts.receipt
        assert {type(message).__module__.partition(".")[0] for message in result.messages} == {
            type(objects[0]).__module__.partition(".")[0]
        }
        kept = sum(any(message is each for each in objects) for message in result.messages)
        assert kept == sum(any(message is each for each in messages) for message in as_dicts.messages)
        accept(name, result.messages)

"""`assert_prefix_stable`: what it lets pass, and what it says of the first request that breaks a prefix."""

import copy
import json

import pytest

from prefix.bodies import FORMATS, body, messages
from ullage import assert_prefix_stable, compare

QUESTION = {"role": "user", "content": "When is high tide?"}
ANSWER = {"role": "assistant", "content": "At 18:02."}
FIRST = {"system": "You help. It is 17:11.", "messages": [QUESTION]}


def session():
    """Three requests, each going on from the one before it."""
    return [copy.deepcopy({**FIRST, "messages": [QUESTION, *[ANSWER, QUESTION] * n]}) for n in range(3)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_session_that_only_grows(name):
    whole = body(name)
    key = next(key for key in ("messages", "contents", "input") if key in whole)
    size = len(messages(name, whole))
    assert_prefix_stable([{**whole, key: whole[key][:stop]} for stop in range(2, size + 1)], format=name)


def test_requests_may_come_from_a_generator_and_repeat():
    first, second, third = session()
    assert_prefix_stable(each for each in (first, first | {"messages": [QUESTION]}, second, third))


def test_the_first_break_is_told_with_place_cause_and_remedy():
    first, second, third = session()
    third["system"] = "You help. It is 17:12."
    with pytest.raises(AssertionError) as caught:
        assert_prefix_stable([first, second, third])
    change = compare(second, third).change
    kept, lost, _ = compare(second, third).tokens
    assert str(caught.value).splitlines() == [
        "request 2 does not repeat request 1: edited system, character 20: clock (certain)",
        "  was: 'You help. It is 17:11.'",
        "  now: 'You help. It is 17:12.'",
        f"  {change.evidence}",
        f"  {change.fix}",
        f"  {kept:,} tokens are kept, {lost:,} are lost.",
    ]


def test_a_cause_that_is_allowed_hides_no_other():
    first, second = session()[:2]
    second["system"] = "You help. It is 17:12."
    assert_prefix_stable([first, second], allow=["clock"])
    second["messages"][0]["content"] = "When is low tide?"
    with pytest.raises(AssertionError, match=r"messages\[0\].content, character 8: edited history"):
        assert_prefix_stable([first, second], allow={"clock"})
    assert_prefix_stable([first, second], allow={"clock", "edited history"})


def test_a_break_behind_many_that_are_allowed():
    calls = [{"role": "user", "content": f"It is {hour:02}:00."} for hour in range(24)] * 2
    before = {"messages": [*calls, QUESTION, ANSWER]}
    after = copy.deepcopy(before)
    for message in after["messages"][:-2]:
        message["content"] = message["content"].replace(":00", ":30")
    assert_prefix_stable([before, after], allow=["clock"])
    after["messages"][-2]["content"] = "When is low tide?"
    with pytest.raises(AssertionError, match=r"messages\[48\]"):
        assert_prefix_stable([before, after], allow=["clock"])


def test_markers_may_move():
    first, second = session()[:2]
    first["messages"][0]["content"] = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    second["messages"][0]["content"] = [{"type": "text", "text": "Hi"}]
    assert_prefix_stable([first, second])


def test_one_list_that_grows_says_nothing():
    growing = [QUESTION]
    first = {"messages": growing}
    growing.append(ANSWER)
    with pytest.raises(ValueError, match=r"requests 0 and 1 hold one and the same list of messages.*copy.deepcopy"):
        assert_prefix_stable([first, {"messages": growing}])
    with pytest.raises(ValueError, match="one and the same list"):
        assert_prefix_stable([growing, growing])


@pytest.mark.parametrize("requests", [[], [FIRST]])
def test_one_request_says_nothing(requests):
    with pytest.raises(ValueError, match=f"two requests at least are needed.*{len(requests)} given"):
        assert_prefix_stable(requests)


def test_a_cause_that_there_is_not():
    with pytest.raises(ValueError, match="there is no cause 'clocks'; there are: clock, date,"):
        assert_prefix_stable(session(), allow=["clocks"])
    with pytest.raises(TypeError, match=r"allow must be a list of causes, not str: \['clock'\]"):
        assert_prefix_stable(session(), allow="clock")


@pytest.mark.parametrize("request_", [FIRST, json.dumps(FIRST)])
def test_one_body_is_no_list_of_them(request_):
    with pytest.raises(TypeError, match="requests must be several bodies in a list, not one"):
        assert_prefix_stable(request_)

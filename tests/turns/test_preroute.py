"""What is fetched at once, and every doubt that leaves a phrase to what comes after."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from turns.test_resolve import MEMORY, NOTHING, PALAMOS, PLACES, SHOWN, WHOLE
from ullage import Entity, TurnConflict, TurnMemory, UllageError, check_turn, preroute, resolve


@pytest.mark.parametrize(("phrase", "expected"), PLACES.items())
def test_places_are_fetched(phrase, expected):
    route = preroute(phrase, MEMORY, turn=4)
    assert (route.action, " ".join(route.ids)) == ("fetch", expected)
    assert (route.entities, route.why) == (route.resolution.entities, route.resolution.why)


@pytest.mark.parametrize("phrase", [phrase for phrase in WHOLE if "harbours" not in phrase])
def test_results_are_fetched(phrase):
    route = preroute(phrase, MEMORY, turn=4)
    assert (route.action, route.ids) == ("fetch", ("q19",))


FALLS = {
    **dict.fromkeys(NOTHING, ""),
    "Girona": "the phrase names Girona",
    "the first one, I mean Palamós": "the phrase names Palamós and points at the turn before ('the first one')",
    "the sixth one": "only 5 were shown",
    "all but the last": "takes it away",
    "the first but not the second": "the phrase takes something away",
    "show me the first one and tell me why prices rise in the north since 2010": "has 16 words",
    "compare it with the first one": "the phrase points at several things: 'compare it', 'the first one'",
    "el primero, ordénalos": "the phrase points at several things",
}


@pytest.mark.parametrize(("phrase", "why"), FALLS.items())
def test_any_doubt_falls_through(phrase, why):
    route = preroute(phrase, MEMORY, turn=4)
    assert (route.action, route.ids, route.entities) == ("fall through", (), ())
    assert why in route.why


@pytest.mark.parametrize(("memory", "turn"), [(None, 4), (MEMORY, 3), (MEMORY, 5)])
def test_only_the_turn_before_is_fetched(memory, turn):
    for phrase in (*PLACES, *WHOLE):
        if "harbour" in phrase and memory is None:
            continue  # that these are things that were shown is known by the memory alone
        route = preroute(phrase, memory, turn=turn)
        assert (route.action, route.ids) == ("fall through", ())
        assert route.resolution.signals


def test_what_the_caller_found_named_falls_through():
    assert preroute("the first one", MEMORY, named=[Entity("x", "Cádiz")]).action == "fall through"


def conflict(*arguments, **options):
    with pytest.raises(TurnConflict) as caught:
        check_turn(*arguments, **options)
    assert isinstance(caught.value, UllageError)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{caught.value.rule}: ")
    return caught.value.rule, caught.value.sentence


def test_what_stages_agree_on_passes():
    for phrase in ("the first one", "Girona", "thanks", "crúzalo con el coste"):
        found = resolve(phrase, MEMORY)
        check_turn(found, MEMORY)
        check_turn(found, TurnMemory.from_json(MEMORY.to_json()), hint=found.entities)
    check_turn(resolve("thanks", None), None)


def test_a_hint_beside_a_name_fails():
    found = resolve("compare it with Palamós", MEMORY)
    assert conflict(found, MEMORY, hint=MEMORY.entities) == (
        "hint-and-name",
        "the phrase names Palamós, and the hint says Costa Brava. What is named wins; leave the hint out",
    )
    assert conflict(found, MEMORY, hint=[PALAMOS, SHOWN[0]])[0] == "hint-and-name"
    check_turn(found, MEMORY, hint=[PALAMOS])


def test_a_follow_up_without_a_memory_fails():
    rule, sentence = conflict(resolve("crúzalo con el coste", None), None)
    assert rule == "follow-up-without-memory"
    assert sentence.startswith("'cruzalo' points at the turn before, and there is no memory of it")


@pytest.mark.parametrize("turn", [1, 3, 5])
def test_a_follow_up_with_the_memory_of_another_turn_fails(turn):
    rule, sentence = conflict(resolve("crúzalo con el coste", MEMORY, turn=turn), MEMORY)
    assert rule == "follow-up-without-memory"
    assert sentence.startswith("'cruzalo' points at the turn before, and the memory is of turn 3")
    check_turn(resolve("crúzalo con el coste", MEMORY, turn=4), MEMORY)
    check_turn(resolve("thanks", MEMORY, turn=turn), MEMORY)


def test_wrong_types_are_named():
    found = resolve("the first one", MEMORY)
    for arguments, hint, sentence in (
        ((None, MEMORY), (), "resolution must be a Resolution, not NoneType"),
        ((found, MEMORY.to_dict()), (), "memory must be a TurnMemory or None, not dict"),
        ((found, MEMORY), None, "hint must be several Entity, not NoneType"),
        ((found, MEMORY), SHOWN[0], "hint must be several Entity, not Entity"),
        ((found, MEMORY), ["h7"], r"hint\[0\] must be an Entity, not str"),
    ):
        with pytest.raises(TypeError, match=sentence):
            check_turn(*arguments, hint=hint)


def test_a_memory_that_a_later_stage_replaced_fails():
    found = resolve("the first one", MEMORY)
    for other in (replace(MEMORY, turn=4), replace(MEMORY, visible=SHOWN[:2]), replace(MEMORY, output="table")):
        rule, sentence = conflict(found, other)
        assert rule == "memory-replaced"
        assert f"by another memory, and this stage is given that of turn {other.turn}" in sentence
    assert "by another memory, and this stage is given none" in conflict(found, None)[1]
    assert "without a memory, and this stage is given that of turn 3" in conflict(resolve("thanks", None), MEMORY)[1]


CORPORA = Path(__file__).parents[2] / "corpora" / "text"


@pytest.mark.parametrize("path", sorted(CORPORA.glob("e[ns]*.txt")), ids=lambda path: path.stem)
def test_no_sentence_of_prose_or_chat_is_taken_for_a_request(path):
    sentences = re.split(r"(?<=[.!?:])\s+|\n+", path.read_text("utf-8"))
    assert len(sentences) > 10
    assert [sentence for sentence in sentences if preroute(sentence, MEMORY).action == "fetch"] == []

"""A summary as a value and as text: nothing is lost on the way, and what models write instead is read."""

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ullage import StateFile, Summary, SummaryPrompt
from ullage.compaction.prompt import FIELDS
from ullage.compaction.reading import is_summary, read, write
from ullage.compaction.summary import NOTHING

ENGLISH, SPANISH = SummaryPrompt.ENGLISH, SummaryPrompt.SPANISH
LINES = st.sampled_from(
    ["Facts:", "- x", "  - y", "1. z", "</conversation_summary>", "## Pending", "none", "", "```", "{"]
)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=20), st.lists(LINES | st.text(max_size=5), max_size=4).map("\n".join)
)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)
SUMMARIES = st.builds(Summary, TEXTS, LISTS, LISTS, LISTS, LISTS)
WHOLE = Summary("Move the shop", ("v1 has 40 routes", "see\napp.py"), ("Use PUT",), ("Move /cart",), ("Keep the URLs",))


@given(SUMMARIES, st.sampled_from([ENGLISH, SPANISH]), st.booleans())
@example(Summary("a\n\nb", facts=("- - x", "a\r\r\nb", "</conversation_summary>")), ENGLISH, True)
def test_what_is_written_is_read_again(summary, prompt, state):
    text = write(summary, prompt, StateFile("notes.md", "the plan") if state else None)
    assert is_summary(text)
    for reader in (ENGLISH, SPANISH):
        assert read(text, reader).summary == summary
    assert Summary.from_dict(json.loads(json.dumps(summary.to_dict()))) == summary


@given(SUMMARIES, SUMMARIES, SUMMARIES)
def test_merging_keeps_constraints_and_what_is_not_replaced(first, second, third):
    merged = first.merge(second)
    assert merged.constraints[: len(first.merge(Summary()).constraints)] == first.merge(Summary()).constraints
    folded = {" ".join(each.split()).casefold().rstrip(".") for each in merged.constraints}
    for each in (*first.constraints, *second.constraints):
        assert " ".join(each.split()).casefold().rstrip(".") in folded
    assert len(folded) == len(merged.constraints)
    for name in FIELDS[:-1]:
        assert getattr(merged, name) == (getattr(second, name) or getattr(first, name))
    assert merged.merge(third) == first.merge(second.merge(third))
    assert merged.merge(Summary()) == merged


REPLIES = {
    "as asked": """Objective:
- Move the shop
Facts:
- v1 has 40 routes
- see
  app.py
Decisions:
- Use PUT
Pending:
- Move /cart
Constraints:
- Keep the URLs""",
    "headings in Markdown": """# Objective
Move the shop

## Facts
* v1 has 40 routes
* see
  app.py

## Decisions
1. Use PUT

### Pending
• Move /cart

## **Constraints**
Keep the URLs
""",
    "bold, numbered, with remarks": """**Objective:** Move the shop
2. **Facts**:
   - v1 has 40 routes
   - see
     app.py
**Decisions (made so far):** Use PUT
__Pending__: Move /cart
Constraint: Keep the URLs""",
    "Spanish": """Objetivo: Move the shop\r
Hechos:\r
- v1 has 40 routes\r
- see\r
  app.py\r
DECISIONES:\r
- Use PUT\r
Pendientes:\r
- Move /cart\r
Restricciones:\r
- Keep the URLs\r
""",
    "JSON in a fence": "```json\n"
    + json.dumps(
        {
            "Objective": "Move the shop",
            "facts": ["v1 has 40 routes", "see\napp.py"],
            "decisions": "Use PUT",
            "pending": ["Move /cart"],
            "constraints": ["Keep the URLs"],
        }
    )
    + "\n```",
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_replies_of_many_shapes_are_read(reply):
    assert read(reply, ENGLISH) == (WHOLE, (), "")


def test_what_is_missing_or_elsewhere_is_reported():
    found = read("Sure, here it is.\n\nFacts:\n- none\nPending: test it", ENGLISH)
    assert found == (Summary(pending=("test it",)), ("objective", "decisions", "constraints"), "Sure, here it is.")
    found = read('{"facts": [1, {"a": "é"}], "mood": "good"}', ENGLISH)
    assert found == (
        Summary(facts=("1", '{"a": "é"}')),
        ("objective", "decisions", "pending", "constraints"),
        '{"mood": "good"}',
    )


@pytest.mark.parametrize("reply", ["The shop has 40 routes.\nThey move to v2.", "{broken", '{"mood": "good"}', "[1]"])
def test_a_reply_without_fields_is_a_fact(reply):
    assert read(reply, ENGLISH) == (Summary(facts=(reply,)), ("objective", "decisions", "pending", "constraints"), "")


@pytest.mark.parametrize("reply", ["", " \n", "```\n\n```", "Facts:\n- none"])
def test_nothing_is_nothing(reply):
    assert not read(reply, ENGLISH).summary


def test_the_written_form():
    assert write(WHOLE, SPANISH, StateFile("notas.md", "el plan")) == (
        """\
<conversation_summary version="1">
Los mensajes que había antes se han sustituido por este resumen. Continúa a partir de él.
El archivo notas.md contiene más (el plan). Léelo cuando necesites lo que no está aquí, y mantenlo al día.

Objetivo:
- Move the shop

Hechos:
- v1 has 40 routes
- see
  app.py

Decisiones:
- Use PUT

Pendiente:
- Move /cart

Restricciones:
- Keep the URLs
</conversation_summary>"""
    )


def test_headings_of_your_own():
    german = replace(ENGLISH, objective="Ziel", facts="Was bekannt ist")
    text = write(WHOLE, german)
    assert "\nWas bekannt ist:\n" in text
    assert read(text, german).summary == WHOLE


def test_headings_in_letters_that_change_with_their_case():
    assert read("OBJECTİVE: a\nDecısions:\n- b", ENGLISH).summary == Summary("a", decisions=("b",))
    german = replace(ENGLISH, constraints="Maßgaben")
    assert read(write(WHOLE, german), german).summary == WHOLE
    assert read("MASSGABEN:\n- a", german).summary == Summary(constraints=("a",))


def test_a_reply_without_end_takes_no_more_than_its_length():
    """Where the cost grows with the square of the length, these do not come to an end."""
    assert len(read("Facts:\n" + "- a\n" * 200_000, ENGLISH).summary.facts) == 200_000
    assert read("Facts:\n- a\n" + "  b\n" * 200_000, ENGLISH).summary.facts == ("a" + "\nb" * 200_000,)
    assert read("Facts:\n- a" + "\r" * 200_000 + "b", ENGLISH).summary.facts == ("a" + "\r" * 200_000 + "b",)


def test_what_a_summary_is_not():
    assert not is_summary("What is a <conversation_summary>?")
    assert not is_summary(write(WHOLE, ENGLISH) + "\n\nAnd now?")
    with pytest.raises(TypeError, match="facts must be a tuple of str"):
        Summary(facts="one")
    with pytest.raises(ValueError, match="version 2; 1 can be read"):
        Summary.from_dict({"version": 2})
    with pytest.raises(ValueError, match="task is empty"):
        replace(ENGLISH, task=" ")
    with pytest.raises(ValueError, match="path is 'a\\\\nb'; it is one line"):
        StateFile("a\nb", "x")


@pytest.mark.parametrize("prompt", [ENGLISH, SPANISH])
def test_the_task_names_every_heading(prompt):
    for title in prompt.titles.values():
        assert f"\n{title}: " in prompt.task
    assert "{words}" in prompt.task
    assert any(f'"- {word}"' in prompt.task for word in NOTHING)

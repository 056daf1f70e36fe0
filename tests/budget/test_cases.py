"""Single cases: what falls first, quotas, messages, cutting, errors."""

import dataclasses

import pytest

from budget.made import turns
from ullage import (
    CannotFit,
    Estimator,
    HeadAndTail,
    InvalidBudget,
    Item,
    LowestScoreFirst,
    Never,
    OldestFirst,
    Section,
    Truncate,
    UnknownModel,
    Whole,
    allocate,
    chat_sections,
    estimate,
)


def items(*tokens, scores=None):
    """Items of so many tokens, which say which they are."""
    scores = scores or [0] * len(tokens)
    return [Item(at, score, number) for at, (number, score) in enumerate(zip(tokens, scores, strict=True))]


def kept(sections, budget, **options):
    return {name: share.items for name, share in allocate(sections, budget, **options).sections.items()}


def chat(**changed):
    sections = {
        "instructions": items(10),
        "knowledge": items(10),
        "profile": items(5, 5),
        "summary": items(10),
        "history": items(10, 10),
        "memories": items(5, 5, scores=[0.1, 0.9]),
        "documents": items(5, 5, scores=[0.9, 0.1]),
        "question": "why? " * 8,
    }
    return chat_sections(**(sections | changed))


def test_a_chat_agent_loses_in_this_order():
    sections = chat()
    everything = allocate(sections, 1_000)
    assert not everything.receipt.entries
    fallen = []
    for budget in range(everything.tokens - 1, 0, -1):
        try:
            entries = allocate(sections, budget).receipt.entries
        except CannotFit:
            assert budget < 20 + estimate("[... truncated, 40 characters]")
            break
        for entry in entries:
            for at in range(entry.start, entry.stop):
                step = (entry.section, entry.action, at)
                if step not in fallen:
                    fallen.append(step)
    assert fallen == [
        ("history", "dropped", 0),
        ("history", "dropped", 1),
        ("memories", "dropped", 0),
        ("memories", "dropped", 1),
        ("documents", "dropped", 1),
        ("documents", "dropped", 0),
        ("profile", "dropped", 1),
        ("profile", "dropped", 0),
        ("summary", "dropped", 0),
        ("question", "cut", 0),
    ]


def test_a_chat_agent_sends_what_is_stable_first():
    names = ["instructions", "knowledge", "profile", "summary", "history", "memories", "documents", "question"]
    assert list(allocate(chat()[::-1], 1_000).sections) != names, "the given order counts among equals"
    assert list(allocate(chat(), 1_000).sections) == names


def test_a_quota_of_an_unknown_section_is_refused():
    with pytest.raises(ValueError, match="there is no section 'tools' to have a quota; there are: instructions"):
        chat_sections(question="why?", quotas={"tools": 0.1})


def test_history_goes_into_the_summary():
    receipt = allocate(chat(), 85).receipt
    assert receipt.entries[0].why == "oldest first, into the summary: 10 of 20 tokens stay"


def test_each_is_held_to_its_quota_when_all_ask():
    sections = [
        Section("a", items(*[1] * 100), quota=0.5),
        Section("b", items(*[1] * 100), quota=0.3),
        Section("c", items(*[1] * 100), quota=20),
    ]
    assert [share.tokens for share in allocate(sections, 100).sections.values()] == [50, 30, 20]
    assert [share.quota for share in allocate(sections, 100).sections.values()] == [50, 30, 20]


def test_what_one_leaves_goes_to_the_others_by_weight():
    sections = [
        Section("a", items(*[1] * 10), quota=0.4),
        Section("b", items(*[1] * 100), quota=0.3, weight=2),
        Section("c", items(*[1] * 100), quota=0.3, weight=1),
    ]
    assert [share.tokens for share in allocate(sections, 100).sections.values()] == [10, 50, 40]


def test_a_maximum_holds_whatever_is_left():
    sections = [Section("a", items(*[1] * 100), quota=0.2, maximum=0.2), Section("b", items(1), quota=0.8)]
    found = allocate(sections, 100)
    assert [share.tokens for share in found.sections.values()] == [20, 1]
    assert found.free == 79


def test_a_minimum_is_kept_before_the_quota_of_a_higher_priority():
    sections = [Section("a", items(*[1] * 100), priority=2), Section("b", items(*[1] * 100), minimum=5)]
    assert [share.tokens for share in allocate(sections, 50).sections.values()] == [45, 5]


def test_tenths_are_tenths():
    sections = [Section(str(at), items(*[1] * 10), quota=0.1) for at in range(10)]
    assert [share.tokens for share in allocate(sections, 10).sections.values()] == [1] * 10


def test_what_whole_items_leave_over_is_used_by_others():
    # Half of 100 does not hold a second item of 40: what it leaves is room for two of 20 more.
    sections = [Section("a", items(40, 40), quota=0.5), Section("b", items(*[20] * 5), quota=0.5)]
    assert [share.tokens for share in allocate(sections, 100).sections.values()] == [40, 60]


@pytest.mark.parametrize(
    ("keep", "stays"),
    [
        (OldestFirst(), (3, 4)),
        (LowestScoreFirst(), (1, 3)),
        (HeadAndTail(), (0, 4)),
        (Whole(), ()),
        (Truncate(), (0, 1)),
    ],
)
def test_items_leave_as_the_section_says(keep, stays):
    made = items(10, 10, 10, 10, 10, scores=[1, 3, 1, 2, 1])
    assert kept([Section("a", made, keep=keep)], 25)["a"] == stays


def test_of_equal_scores_the_last_leaves_first():
    assert kept([Section("a", items(1, 1, 1, scores=[2, 2, 2]))], 2)["a"] == (0, 1)


def test_a_large_item_in_front_keeps_the_others_out_unless_the_section_can_never_hold_it():
    made = items(50, 10, 10, scores=[3, 2, 1])
    assert kept([Section("a", made)], 45)["a"] == ()
    assert kept([Section("a", made, maximum=49)], 45)["a"] == (1, 2)
    assert kept([Section("a", made, keep=LowestScoreFirst("best"))], 45)["a"] == (1, 2)


def test_the_best_choice_adds_scores_up():
    made = items(6, 5, 5, scores=[8, 5, 5])
    assert kept([Section("a", made)], 10)["a"] == (0,)
    assert kept([Section("a", made, keep=LowestScoreFirst("best"))], 10)["a"] == (1, 2)
    with pytest.raises(ValueError, match=r"item 1 of section 'a' has score -5; .* needs 0 or more"):
        allocate([Section("a", items(6, 5, scores=[8, -5]), keep=LowestScoreFirst("best"))], 10)


def test_messages_leave_by_whole_turns():
    messages = turns(4, {1, 2})
    found = allocate([Section("history", messages, keep=OldestFirst())], 70)
    stays = found.sections["history"].items
    assert stays
    assert len(stays) < len(messages)
    assert all(message is own for message, own in zip(stays, messages[-len(stays) :], strict=True))
    assert stays[0]["role"] == "user"
    assert found.receipt.entries[0].stop == found.receipt.entries[0].start + len(messages) - len(stays)


def test_a_call_never_parts_from_its_result():
    messages = turns(6, range(6))
    scored = [Item(message, score=at % 3) for at, message in enumerate(messages)]
    for budget in range(10, 200, 7):
        stays = kept([Section("history", scored)], budget)["history"]
        calls = {call["id"] for message in stays for call in message.get("tool_calls", ())}
        assert calls == {message["tool_call_id"] for message in stays if message["role"] == "tool"}


def test_framing_counts():
    message = {"role": "user", "content": "why?"}
    found = allocate([Section("question", [message])], 100)
    assert found.sections["question"].tokens > estimate("why?")
    assert found.tokens > found.sections["question"].tokens, "the framing of the request"
    assert allocate([Section("question", ["why?"])], 100).tokens == estimate("why?")


def test_a_block_costs_what_it_costs_in_a_message():
    blocks = [
        {"type": "text", "text": "a text " * 10},
        {"type": "document", "source": {"type": "text", "data": "b " * 9}},
    ]
    of_blocks = allocate([Section("documents", blocks)], 1_000, format="anthropic")
    message = allocate([Section("documents", [{"role": "user", "content": blocks}])], 1_000, format="anthropic")
    empty = allocate([Section("documents", [{"role": "user", "content": []}])], 1_000, format="anthropic")
    assert of_blocks.sections["documents"].tokens == message.tokens - empty.tokens


@pytest.mark.parametrize("content", ["why? " * 100, {"role": "user", "content": "why? " * 100}])
def test_a_question_is_cut_with_a_mark(content):
    found = allocate([Section("question", [content], keep=Truncate())], 40)
    (item,) = found.sections["question"].items
    text = item if isinstance(item, str) else item["content"]
    assert text.startswith("why? ")
    assert "[... truncated, " in text
    assert found.tokens <= 40
    assert found.receipt.entries[0].action == "cut"
    assert found.receipt.first_changed == 0


def test_a_mark_of_ones_own():
    found = allocate([Section("question", "why? " * 100, keep=Truncate("(cut)"))], 20)
    (text,) = found.items
    assert "(cut)" in text
    assert 15 <= found.tokens == estimate(text) <= 20


def test_a_cut_item_is_followed_by_none():
    made = ["first " * 10, "second " * 40, "third "]
    found = allocate([Section("notes", made, keep=Truncate())], 40)
    first, second = found.sections["notes"].items
    assert first is made[0]
    assert "truncated" in second
    assert 30 < found.tokens <= 40
    assert [entry.action for entry in found.receipt.entries] == ["cut", "dropped"]
    assert found.sections["notes"].left == (made[1], made[2])


def test_with_a_profile_a_text_costs_its_share_of_the_bound():
    text = "The room left in a vessel. " * 100
    found = allocate([Section("a", text)], 2_000, model="gpt-4o")
    assert found.tokens > Estimator.for_model("gpt-4o").estimate(text)
    assert found.receipt.limit < 2_000


def test_first_changed_counts_over_all_sections():
    sections = [
        Section("late", items(5, 5)),
        Section("early", items(5, 5, 5), keep=Never(), changes="never"),
    ]
    assert allocate(sections, 20).receipt.first_changed == 4


def test_what_cannot_fit_says_what_it_is_made_of():
    with pytest.raises(CannotFit) as caught:
        allocate([Section("instructions", items(30), keep=Never()), Section("notes", items(30))], 20)
    assert str(caught.value) == (
        "the request cannot be made smaller than 30 tokens, 10 above the limit of 20 (instructions 30). Shorten "
        "instructions, let more of it leave, or give a larger budget."
    )
    with pytest.raises(CannotFit, match="The limit is the maximum of section 'a': raise it"):
        allocate([Section("a", items(30), keep=Never(), maximum=20)], 100)


def test_shares_of_more_than_all_are_refused():
    sections = [Section("a", "x", quota=0.6), Section("b", "y", quota=0.5), Section("c", "z", quota=7)]
    with pytest.raises(InvalidBudget, match=r"as quota add up to 1.1 \(a 0.6, b 0.5\); give at most 1 together"):
        allocate(sections, 100)


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: Section(1, []), TypeError, "a section's name must be str, not int"),
        (lambda: Section("a", 5), TypeError, "items of section 'a' must be a text or an iterable of items, not int"),
        (lambda: Section("a", {}), TypeError, "items of section 'a' must be a text or an iterable of items, not dict"),
        (lambda: Section("a", [], quota="1"), TypeError, "quota of section 'a' must be tokens"),
        (lambda: Section("a", [], quota=True), TypeError, "quota of section 'a' must be tokens"),
        (lambda: Section("a", [], quota=-1), ValueError, "quota of section 'a' is -1; it must be 0 or more"),
        (lambda: Section("a", [], quota=1.5), ValueError, "quota of section 'a' is 1.5, a share above 1"),
        (lambda: Section("a", [], quota=float("nan")), ValueError, "quota of section 'a' is nan"),
        (lambda: Section("a", [], minimum=5, maximum=4), ValueError, "minimum of section 'a' is 5, above its maximum"),
        (lambda: Section("a", [], minimum=None), TypeError, "minimum of section 'a' must be tokens"),
        (lambda: Section("a", [], weight=0), ValueError, "weight of section 'a' is 0; it must be above 0"),
        (lambda: Section("a", [], weight="1"), TypeError, "weight of section 'a' must be a number, not str"),
        (lambda: Section("a", [], priority=1.0), TypeError, "priority of section 'a' must be int, not float"),
        (lambda: Section("a", [], keep="never"), TypeError, r"keep of section 'a' must be Never\(\)"),
        (lambda: Section("a", [], changes="daily"), ValueError, "changes of section 'a' must be one of never, session"),
        (lambda: Item("x", score="high"), TypeError, "score must be a number, not str"),
        (lambda: Item("x", score=float("nan")), ValueError, "score is nan"),
        (lambda: Item("x", tokens=1.5), TypeError, "tokens must be int, not float"),
        (lambda: Item("x", tokens=-1), ValueError, "tokens is -1; it must be 0 or more, and below"),
        (lambda: LowestScoreFirst("all"), ValueError, "choice must be 'greedy' or 'best', not 'all'"),
        (lambda: Truncate(5), TypeError, "mark must be str, not int"),
        (lambda: OldestFirst(5), TypeError, "into must be str, not int"),
        (lambda: Item(Item("x")), TypeError, "the content of an Item is another Item"),
        (lambda: Item("x", score=10**400), ValueError, "score is out of the range of float"),
        (lambda: Item("x", score=True), TypeError, "score must be a number, not bool"),
        (lambda: Section("a", [], weight=10**400), ValueError, "it must be above 0 and finite"),
        (lambda: Section("a", [], weight=float("nan")), ValueError, "weight of section 'a' is nan"),
        (lambda: Section("a", [], weight=float("inf")), ValueError, "weight of section 'a' is inf"),
        (lambda: chat_sections(history=["x"], quotas=["history"]), TypeError, "quotas must be a dict by the names"),
        (lambda: allocate(None, 5), TypeError, "sections must be several Section, not NoneType"),
        (lambda: allocate(Section("a", []), 5), TypeError, "sections must be several Section, not Section"),
        (lambda: allocate(["a"], 5), TypeError, r"sections\[0\] must be a Section, not str"),
        (
            lambda: allocate([Section("a", []), Section("a", [])], 5),
            ValueError,
            r"sections\[1\] has the name 'a' again",
        ),
        (
            lambda: allocate([Section("a", [5])], 5),
            TypeError,
            r"a\[0\] must be a dict or an object with fields, not int",
        ),
        (
            lambda: allocate([Section("a", ["x", {"role": "user", "content": "y"}])], 5),
            TypeError,
            "section 'a' mixes messages with other items",
        ),
        (
            lambda: allocate([Section("a", [{"role": "user", "content": 5}])], 5),
            TypeError,
            r"section 'a': messages\[0\].content must be",
        ),
        (lambda: allocate([Section("a", "x")], 5, model="who-knows"), UnknownModel, "no profile is known"),
        (lambda: allocate([Section("a", "x")], 5, format="xml"), ValueError, "there is no format 'xml'"),
    ],
)
def test_what_is_wrong_is_named(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()


def test_a_section_can_be_changed():
    section = dataclasses.replace(Section("a", ["x"], quota=5), priority=3)
    assert (section.items, section.quota, section.priority) == (("x",), 5, 3)


def test_nothing_is_an_allocation_too():
    assert allocate([], 10).items == ()
    assert allocate([Section("a", [])], 10).sections["a"].tokens == 0

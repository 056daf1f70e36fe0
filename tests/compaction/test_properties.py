"""What must hold of every compaction, over generated histories of every format."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fit.made import NAMES, WORDS, rounds, steps_, tokens_of
from formats.builder import Assistant, User, build
from ullage import Budget, CannotFit, Compaction, StateFile, SummaryPrompt, UnusableSummary

from .made import REPLY, Summariser, apart, checked

COMPACTIONS = st.builds(
    Compaction,
    trigger=st.sampled_from([0.2, 0.5, 0.7, 1]),
    keep_last=st.sampled_from([1, 2, 6, 20]),
    gain=st.sampled_from([0.01, 0.2, 0.5]),
    summary=st.sampled_from([0.01, 0.05, 0.3]),
    style=st.sampled_from(["prefix", "transcript"]),
    prompt=st.sampled_from([SummaryPrompt.ENGLISH, SummaryPrompt.SPANISH]),
    state=st.sampled_from([None, StateFile("notes.md", "the plan")]),
)
SHARES = st.sampled_from([0.2, 0.8, 1.05, 1.2, 1.2, 1.4, 1.4, 2])
"""Of a history's tokens: what a budget gives to it."""
REPLIES = st.builds(lambda word, size: REPLY.format(fact=word * size), WORDS, st.sampled_from([1, 1, 20, 300]))


@st.composite
def pins(draw, messages):
    found = draw(st.lists(st.integers(0, max(0, len(messages) - 1)), max_size=3))
    return draw(st.sampled_from([tuple(found), lambda message: any(message is messages[index] for index in found)]))


def run(data, name, steps):
    built = build(name, steps)
    compaction = data.draw(COMPACTIONS)
    compaction = Compaction(
        **{field: getattr(compaction, field) for field in compaction.__slots__ if field != "pins"},
        pins=data.draw(pins(built.messages)),
    )
    least = data.draw(st.sampled_from([100, 600, 1000]))
    budget = max(least, int(data.draw(SHARES) * tokens_of(name, built.messages, apart(name, built))))
    summarise = Summariser(*data.draw(st.lists(REPLIES, min_size=1, max_size=3)))
    options = {"system": apart(name, built), "compaction": compaction, "phase_ended": data.draw(st.booleans())}
    try:
        return checked(name, built.messages, Budget(budget + 50, output_reserve=50), summarise, **options)
    except (UnusableSummary, CannotFit):
        assert summarise.requests
        return None


@settings(max_examples=150)
@given(st.data(), NAMES, steps_())
def test_every_history(data, name, steps):
    run(data, name, steps)


@settings(max_examples=40)
@given(st.data(), NAMES, steps_(max_turns=1, max_rounds=3))
def test_a_compacted_history_grows_and_is_compacted_again(data, name, steps):
    """Rounds and turns are added behind a summary, which stays one, and keeps its constraints."""
    built = build(name, steps)
    messages = built.messages
    compaction = Compaction(keep_last=data.draw(st.integers(1, 4)), gain=0.01, trigger=0.3)
    constraints = ()
    for number in range(4):
        if data.draw(st.booleans()) or isinstance(steps[-1], Assistant):
            more = [] if isinstance(steps[-1], Assistant) else [Assistant("So.")]
            more.append(User(f"And then {number}?"))
        else:
            more = []
        for at in range(data.draw(st.integers(1, 3))):
            more += data.draw(rounds(number * 10 + at, thinking=at == 0 and bool(more)))
        steps = more
        messages = [*messages, *build(name, more).messages]
        reply = f"Facts:\n- fact {number}\nConstraints:\n- keep {number}"
        try:
            result = checked(name, messages, 1500, Summariser(reply), compaction=compaction)
        except UnusableSummary:
            continue
        messages = result.messages
        if result.plan.due:
            assert result.missing == ("objective", "decisions", "pending")
            constraints = (*constraints, f"keep {number}")
        assert result.summary.constraints == constraints

"""What holds of every set of sections and every budget."""

import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget.made import KEEPS, WORDS, random_sections, section_sets, staying, tried
from ullage import Item, LowestScoreFirst, Never, Section, Truncate

ORDER = ("never", "session", "turn", "request")
BUDGETS = st.one_of(st.integers(1, 60), st.integers(1, 2_000), st.integers(1, 200_000))
MODELS = st.sampled_from([None, None, "gpt-4o"])


def content_of(item):
    return item.content if isinstance(item, Item) else item


def it_adds_up(sections, budget, model):
    before = copy.deepcopy(sections)
    found = tried(sections, budget, model=model)
    assert sections == before, "an input was changed"
    if found is None:
        return None
    receipt = found.receipt
    assert receipt.after <= receipt.limit <= budget
    assert receipt.before - sum(entry.before - entry.after for entry in receipt.entries) == receipt.after
    framing = receipt.before - sum(share.wanted for share in found.sections.values())
    assert receipt.after == framing + sum(share.tokens for share in found.sections.values())
    assert list(found.sections) == [
        section.name for section in sorted(sections, key=lambda section: ORDER.index(section.changes))
    ]
    assert found.items == tuple(item for share in found.sections.values() for item in share.items)
    for section in sections:
        share = found.sections[section.name]
        given_contents = [content_of(item) for item in section.items]
        entries = [entry for entry in receipt.entries if entry.section == section.name]
        assert share.wanted - share.tokens == sum(entry.before - entry.after for entry in entries)
        assert all(0 <= entry.start < entry.stop <= len(given_contents) and entry.why for entry in entries)
        touched = [at for entry in entries for at in range(entry.start, entry.stop)]
        assert touched == sorted(set(touched)), "two lines for one loss"
        assert [id(content) for content in share.left] == [id(given_contents[at]) for at in touched]
        cut = [entry.start for entry in entries if entry.action == "cut"]
        stays = [at for at in range(len(given_contents)) if at not in touched or at in cut]
        assert len(share.items) == len(stays)
        for at, item in zip(stays, share.items, strict=True):
            assert at in cut or item is given_contents[at]
        if isinstance(section.keep, Never):
            assert not entries
        if isinstance(section.keep, Truncate) and given_contents:
            assert share.items
        if isinstance(section.maximum, int):
            assert share.tokens <= section.maximum
        elif isinstance(section.maximum, float):
            assert share.tokens <= section.maximum * (receipt.limit - framing) + 1e-6
    assert tried(sections, budget, model=model) == found
    return found


def more_removes_nothing(sections, less, budget, model):
    if less is None:
        return
    found = tried(sections, budget, model=model)
    assert found is not None
    for section in sections:
        stayed, stays = (staying(section, result.receipt.entries) for result in (less, found))
        assert stayed <= stays


ALL = (*KEEPS, LowestScoreFirst("best"))


@settings(max_examples=300)
@given(section_sets(ALL), BUDGETS, MODELS)
def test_it_adds_up(sections, budget, model):
    it_adds_up(sections, budget, model)


@settings(max_examples=300)
@given(section_sets(), BUDGETS, st.integers(1, 300), MODELS)
def test_more_budget_removes_nothing(sections, budget, more, model):
    more_removes_nothing(sections, tried(sections, budget, model=model), budget + more, model)


@settings(max_examples=300)
@given(
    st.lists(st.lists(WORDS.map(lambda text: text * 5), min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(1, 200),
    st.integers(0, 20),
    MODELS,
)
def test_what_is_cut_fits_and_is_not_lost(texts, budget, more, model):
    sections = [
        Section(f"s{at}", each, priority=at % 2, keep=Truncate(None if at else "[cut]"))
        for at, each in enumerate(texts)
    ]
    more_removes_nothing(sections, it_adds_up(sections, budget, model), budget + more, model)


@pytest.mark.long
def test_it_holds_of_100_000_section_sets():
    for seed in range(100_000):
        source = random.Random(-seed)
        budget = source.randrange(1, source.choice((60, 2_000, 200_000)))
        model = source.choice((None, None, "gpt-4o"))
        sections = random_sections(seed)
        found = it_adds_up(sections, budget, model)
        more_removes_nothing(sections, found, budget + source.randrange(1, 300), model)

"""The table of cache rules, and how a name finds its row."""

import re
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from cache.table import sources, table
from ullage import CacheRules, UnknownModel, cache_rules
from ullage.cache.rules import all_rules
from ullage.prefix.order import ORDERS


@pytest.mark.parametrize("rules", all_rules(), ids=lambda rules: f"{rules.provider} {' '.join(rules.models[:1])}")
def test_each_row_is_dated_and_sourced(rules):
    assert date.fromisoformat(rules.checked) >= date(2026, 11, 30)
    assert rules.sources
    assert all(re.match(r"https://[\w./@-]+$", source) for source in rules.sources)
    assert 0 <= rules.read < 1
    assert rules.minimum % rules.step == 0 or rules.provider == "bedrock"
    names = {field.name for field in fields(CacheRules)}
    for field, low, high, source in rules.contested:
        assert field in names
        assert low < high
        stated = getattr(rules, field)
        assert low <= (stated[0] if isinstance(stated, tuple) else stated) <= high
        assert source.startswith("https://")


def test_the_order_is_that_in_which_requests_are_put_together():
    for provider, format in (
        ("anthropic", "anthropic"),
        ("openai", "openai-chat"),
        ("gemini", "gemini"),
        ("bedrock", "bedrock"),
    ):
        zones = tuple(part for part in ORDERS[format] if isinstance(part, str))
        assert cache_rules(provider).order == (*zones, "messages")


def test_the_table_in_the_docs_is_the_table():
    docs = (Path(__file__).parents[2] / "docs" / "caching.md").read_text(encoding="utf-8")
    assert table() in docs, "put in what python -m tests.cache.table prints"
    assert sources() in docs


def test_no_name_stands_in_two_rows_of_a_provider():
    for provider in {rules.provider for rules in all_rules()}:
        names = [name for rules in all_rules() if rules.provider == provider for name in rules.models]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "provider", "minimum", "read"),
    [
        ("claude-opus-5-5", "anthropic", 512, 0.05),
        ("claude-opus-5", "anthropic", 512, 0.1),
        ("claude-opus-5-20260724", "anthropic", 512, 0.1),
        ("claude-fable-5.1", "anthropic", 512, 0.025),
        ("vertex_ai/claude-sonnet-4-5@20250929", "anthropic", 1024, 0.1),
        ("bedrock/us.anthropic.claude-opus-4-7", "bedrock", 4096, 0.1),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-opus-5-5-v1:0",
            "bedrock",
            512,
            0.05,
        ),
        ("bedrock_converse/claude-opus-4-7", "bedrock", 4096, 0.1),
        ("azure_ai/gpt-4o", "azure", 1024, 0.5),
        ("hosted_vllm/qwen3-32b", "vllm", 16, 0.0),
        ("ollama/qwen3:8b", "llama.cpp", 1, 0.0),
        ("Claude-Haiku-4-5-20251001", "anthropic", 4096, 0.1),
        ("claude-sonnet-4-20250514", "anthropic", 1024, 0.1),
        ("claude-3-5-haiku-latest", "anthropic", 2048, 0.1),
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic", 1024, 0.1),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock", 1024, 0.1),
        ("amazon.nova-pro-v1:0", "bedrock", 1000, 0.25),
        ("gpt-5.6-mini", "openai", 1024, 0.1),
        ("gpt-5-2025-08-07", "openai", 1024, 0.1),
        ("gpt-4.1-mini", "openai", 1024, 0.25),
        ("gpt-4o-2024-08-06", "openai", 1024, 0.5),
        ("azure/gpt-4o", "azure", 1024, 0.5),
        ("models/gemini-2.5-flash", "gemini", 2048, 0.1),
        ("gemini-3.8-flash", "gemini", 4096, 0.1),
        ("deepseek-chat", "deepseek", 64, 0.02),
        ("xai/grok-4.6", "xai", 128, 0.25),
        ("kimi-k3", "kimi", 256, 0.1),
        ("qwen3-max", "qwen", 1024, 0.1),
        ("mistral-large-latest", "mistral", 64, 0.1),
        ("vllm/qwen3-32b", "vllm", 16, 0.0),
        ("anthropic", "anthropic", 512, 0.05),
        ("openai", "openai", 1024, 0.1),
        ("llama.cpp", "llama.cpp", 1, 0.0),
        ("sglang", "sglang", 1, 0.0),
    ],
)
def test_a_name_finds_its_row(name, provider, minimum, read):
    rules = cache_rules(name)
    assert (rules.provider, rules.minimum, rules.read) == (provider, minimum, read)


def test_a_provider_may_be_given_apart():
    assert cache_rules("claude-opus-4-7").minimum == 2048
    assert cache_rules("claude-opus-4-7", "bedrock").minimum == 4096
    assert cache_rules("qwen3-max", "qwen-implicit").match == "prefix"
    assert cache_rules("anything at all", "vllm").step == 16


@pytest.mark.parametrize(
    ("name", "provider", "message"),
    [
        ("claude-opus-5-7", None, "'claude-opus-5-7': the nearest known are claude-opus-5"),
        ("claud-opus-5", None, "nearest known are claude-opus-5"),
        ("gpt-5.10", None, "the nearest known are gpt-5"),
        ("gpt-5.65-mini", None, "the nearest known are gpt-5"),
        ("anthropik", None, "nearest known are anthropic"),
        ("llama3", None, "for the model or provider 'llama3'"),
        ("gpt-5", "bedrock", "for the model of bedrock 'gpt-5'"),
        ("gpt-5", "openaj", "for the provider 'openaj': the nearest known are openai"),
    ],
)
def test_what_is_not_known_is_an_error_with_near_names(name, provider, message):
    with pytest.raises(UnknownModel, match=re.escape(message)):
        cache_rules(name, provider)


def test_names_are_str():
    for names, kind in (((5,), "int"), ((None,), "NoneType"), (("gpt-5", b"openai"), "bytes")):
        with pytest.raises(TypeError, match=f"a name must be str, not {kind}"):
            cache_rules(*names)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"match": "magic"}, "match is 'magic'"),
        ({"minimum": 0}, "minimum is 0"),
        ({"match": "markers"}, 'match by "markers" need markers'),
        ({"lives": (300, 3600), "write": (1.25,)}, "1 prices of a write for 2 lives"),
        ({"read": float("nan")}, "read is nan; it is at least 0, and finite"),
        ({"read": -0.1}, "read is -0.1"),
        ({"lives": (0,)}, "a life is 0"),
        ({"lives": (300,), "write": (float("inf"),)}, "a price of a write is inf"),
    ],
)
def test_rules_of_your_own_are_checked(fields, message):
    with pytest.raises(ValueError, match=message):
        CacheRules("mine", **fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"minimum": float("nan")}, "minimum must be int, not float"),
        ({"step": 1.5}, "step must be int, not float"),
        ({"read": "0.1"}, "read must be a number, not str"),
        ({"lives": [300]}, "lives must be a tuple, not list"),
        ({"lives": (300.0,)}, "a life must be int, not float"),
        ({"models": "claude"}, "models must be a tuple, not str"),
    ],
)
def test_rules_of_your_own_are_of_the_right_types(fields, message):
    with pytest.raises(TypeError, match=message):
        CacheRules("mine", **fields)


def test_a_marker_gets_the_longest_life_within_its_wish():
    rules = cache_rules("claude-opus-5")
    assert [rules.life(seconds) for seconds in (None, 60, 300, 3000, 3600, 86400)] == [300, 300, 300, 300, 3600, 3600]
    assert rules.write_price(3600) == 2.0

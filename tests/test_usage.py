"""Usage: the same three numbers from every provider's shape, as dicts and as the objects of their SDKs."""

from types import SimpleNamespace

import pytest

from ullage.usage import Usage

SHAPES = {
    "anthropic": {"input_tokens": 100, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 50},
    "openai chat": {
        "prompt_tokens": 950,
        "prompt_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 50, "audio_tokens": 0},
    },
    "openai responses": {
        "input_tokens": 950,
        "input_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 50},
        "output_tokens": 3,
    },
    "bedrock": {"inputTokens": 100, "cacheReadInputTokens": 800, "cacheWriteInputTokens": 50, "outputTokens": 2},
    "langchain": {"input_tokens": 950, "input_token_details": {"cache_read": 800, "cache_creation": 50}},
    "pydantic-ai": {"input_tokens": 950, "cache_read_tokens": 800, "cache_write_tokens": 50},
}
WITHOUT_WRITES = {
    "gemini": {"promptTokenCount": 950, "cachedContentTokenCount": 800, "candidatesTokenCount": 5},
    "gemini sdk": {"prompt_token_count": 950, "cached_content_token_count": 800},
    "deepseek": {"prompt_tokens": 950, "prompt_cache_hit_tokens": 800, "prompt_cache_miss_tokens": 150},
    "xai": {"prompt_tokens": 950, "prompt_tokens_details": {"cached_tokens": 800}},
}


def as_object(value):
    return SimpleNamespace(**{k: as_object(v) for k, v in value.items()}) if isinstance(value, dict) else value


@pytest.mark.parametrize(
    "wrap", [lambda u: u, as_object, lambda u: {"id": "1", "usage": u}, lambda u: as_object({"usage": u})]
)
def test_every_shape_is_read(wrap):
    for name, usage in SHAPES.items():
        assert Usage.of(wrap(usage)) == (800, 50, 100), name
    for name, usage in WITHOUT_WRITES.items():
        assert Usage.of(wrap(usage)) == (800, 0, 150), name
    assert Usage.of(wrap(SHAPES["anthropic"])).total == 950


def test_gemini_answers_hold_their_usage():
    assert Usage.of({"candidates": [], "usageMetadata": WITHOUT_WRITES["gemini"]}).read == 800
    assert Usage.of(as_object({"usage_metadata": WITHOUT_WRITES["gemini sdk"]})).read == 800


def test_sdk_objects_are_read():
    anthropic = pytest.importorskip("anthropic")
    usage = anthropic.types.Usage(**SHAPES["anthropic"], output_tokens=1)
    assert Usage.of(usage) == (800, 50, 100)
    openai = pytest.importorskip("openai")
    chat = openai.types.CompletionUsage(
        completion_tokens=1,
        total_tokens=951,
        prompt_tokens=950,
        prompt_tokens_details=openai.types.completion_usage.PromptTokensDetails(
            cached_tokens=800, cache_write_tokens=50
        ),
    )
    assert Usage.of(chat) == (800, 50, 100)
    genai = pytest.importorskip("google.genai.types")
    assert Usage.of(
        genai.GenerateContentResponseUsageMetadata(prompt_token_count=950, cached_content_token_count=800)
    ) == (800, 0, 150)
    pydantic_ai = pytest.importorskip("pydantic_ai.usage")
    assert Usage.of(pydantic_ai.RequestUsage(**SHAPES["pydantic-ai"])) == (800, 50, 100)


def test_what_is_missing_is_nothing():
    assert Usage.of({"input_tokens": 7}) == (0, 0, 7)
    assert Usage.of({"input_tokens": 7, "cache_read_input_tokens": None}) == (0, 0, 7)
    assert Usage.of({"prompt_tokens": 7, "prompt_tokens_details": None}) == (0, 0, 7)


@pytest.mark.parametrize("bad", [None, 7, "usage", [1]])
def test_what_has_no_fields_is_no_usage(bad):
    with pytest.raises(TypeError, match="usage must be"):
        Usage.of(bad)


def test_counts_are_checked():
    with pytest.raises(ValueError, match="it has output_tokens"):
        Usage.of({"output_tokens": 7})
    with pytest.raises(ValueError, match="it has nothing"):
        Usage.of({})
    with pytest.raises(TypeError, match="input_tokens of a usage must be an int, not str"):
        Usage.of({"input_tokens": "7"})
    with pytest.raises(TypeError, match="not bool"):
        Usage.of({"prompt_tokens": True})
    with pytest.raises(ValueError, match="0 or more"):
        Usage.of({"inputTokens": -1})
    with pytest.raises(ValueError, match="of a prompt of 5"):
        Usage.of({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}})

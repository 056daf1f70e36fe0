"""Names of models, as providers and hosts write them, against the profiles they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import models
from ullage.errors import UnknownModel


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-mini", "o200k_base"),
        ("openai/gpt-5.1-codex", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc123", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("claude-3-haiku-20240307", "claude_3"),
        ("claude-opus-4-1-20250805", "claude_3"),
        ("claude-sonnet-4-5", "claude_3"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude_3"),
        ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "claude_3"),
        ("vertex_ai/claude-opus-4@20250514", "claude_3"),
        ("claude-opus-4-8", "claude_4_8"),
        ("anthropic/claude-opus-4.8", "claude_4_8"),
        ("global.anthropic.claude-opus-4-7-20260401-v1:0", "claude_4_8"),
        ("Claude-Sonnet-5", "claude_4_8"),
        ("llama3.1:8b-instruct-q4_K_M", "llama3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("us.meta.llama3-3-70b-instruct-v1:0", "llama3"),
        ("deepseek-r1-distill-llama-70b", "llama3"),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", "qwen2.5"),
        ("openrouter/qwen/qwen3-32b:free", "qwen2.5"),
        ("deepseek/deepseek-chat-v3-0324", "deepseek_v3"),
        ("accounts/fireworks/models/deepseek-v3p1", "deepseek_v3"),
        ("DeepSeek-R1", "deepseek_v3"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "tekken"),
        ("ministral-8b-latest", "tekken"),
        ("google/gemma-3-27b-it", "gemma3"),
        ("gemma3:12b", "gemma3"),
        ("models/gemini-2.5-pro", "gemma3"),
        ("claude-fable-5-1", "claude_4_8"),
        ("anthropic.claude-mythos-preview", "claude_4_8"),
        ("accounts/fireworks/models/llama-v3p1-70b-instruct", "llama3"),
        ("qwen/qwen-2.5-72b-instruct", "qwen2.5"),
        ("cerebras/qwen-3-32b", "qwen2.5"),
        ("groq/qwen-qwq-32b", "qwen2.5"),
        ("us.deepseek.r1-v1:0", "deepseek_v3"),
        ("deepseek.v3.2", "deepseek_v3"),
        ("deepseek-v4-flash", "deepseek_v3"),
        ("deepseek-r1:671b", "deepseek_v3"),
        ("deepseek-r1:7b", "qwen2.5"),
        ("ollama/deepseek-r1:14b-qwen-distill-q4_K_M", "qwen2.5"),
        ("deepseek/deepseek-r1-0528-qwen3-8b", "qwen2.5"),
        ("deepseek-r1:70b", "llama3"),
        ("deepseek-r1:8b-llama-distill-q4_K_M", "llama3"),
        ("mistral-small3.2:24b", "tekken"),
        ("mistral-medium-2508", "tekken"),
        ("pixtral-12b-2409", "tekken"),
    ],
)
def test_names_mean_profiles(model, profile):
    assert models.profile_for(model) == profile


@pytest.mark.parametrize(
    "model",
    [
        "",
        "gpt",
        "gpt-2",
        "claude-2.1",
        "llama-30b",
        "o10",
        "gemini-1.5-pro",
        "google/gemini-flash-1.5",
        "Qwen/Qwen3.5-27B",
        "qwen3.8-max",
        "qwen-3.5-plus",
        "mixtral-8x7b",
        "pixtral-large-latest",
        "mistral-small-2409",
        # Llama at first and Qwen now.
        "deepseek-r1:8b",
        "deepseek-r1:latest",
    ],
)
def test_unknown_names_are_refused(model):
    with pytest.raises(UnknownModel, match=r"no profile is known for model"):
        models.profile_for(model)


def test_the_nearest_names_are_told():
    with pytest.raises(UnknownModel, match=r"the nearest known are .*claude-opus-4"):
        models.profile_for("claud-opus-4-8")


@pytest.mark.parametrize(
    ("model", "nearest"),
    [
        ("llama-4-scout-17b-16e-instruct", "llama-3, llama3, llama-v3"),
        ("claude-opus-6", "claude-opus-4, claude-opus-5, claude-3"),
        ("google/gemma-4-31b-it", "gemma-3, gemma3"),
    ],
)
def test_what_is_behind_a_name_does_not_hide_what_is_near(model, nearest):
    with pytest.raises(UnknownModel, match=f"the nearest known are {nearest};"):
        models.profile_for(model)


def test_nothing_is_near_a_name_of_another_kind():
    with pytest.raises(UnknownModel, match="model 'command-r': choose a profile"):
        models.profile_for("command-r")


def test_a_name_is_text():
    with pytest.raises(TypeError, match="model must be str, not NoneType"):
        models.profile_for(None)


@given(st.text())
def test_any_text_is_a_profile_or_an_unknown_model(model):
    try:
        profile = models.profile_for(model)
    except UnknownModel as error:
        sentence = str(error)
        assert repr(model) in sentence
    else:
        assert profile in models.FAMILIES

"""The providers' own types: what they take is a request that can be sent."""

from functools import cache

import pytest


def accept(name, messages):
    """Build messages into the types of the provider's package, and give the objects.

    Skips where the package is not installed (dependency group `sdk`).
    """
    return _exhaust(_ACCEPT[name](messages))


def _exhaust(value):
    """pydantic checks what is declared as an iterable only when it is read."""
    if isinstance(value, dict):
        return {key: _exhaust(member) for key, member in value.items()}
    if isinstance(value, list | tuple) or type(value).__name__ == "ValidatorIterator":
        return [_exhaust(item) for item in value]
    return value


@cache
def _adapter(module, name):
    types = pytest.importorskip(module)
    return pytest.importorskip("pydantic").TypeAdapter(list[getattr(types, name)])


def _openai_chat(messages):
    return _adapter("openai.types.chat", "ChatCompletionMessageParam").validate_python(messages)


def _openai_responses(messages):
    return _adapter("openai.types.responses", "ResponseInputItemParam").validate_python(messages)


def _anthropic(messages):
    return _adapter("anthropic.types.beta", "BetaMessageParam").validate_python(messages)


def _gemini(messages):
    content = pytest.importorskip("google.genai.types").Content
    return [message if isinstance(message, content) else content.model_validate(message) for message in messages]


@cache
def _converse():
    session = pytest.importorskip("botocore.session").get_session()
    return session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def _bedrock(messages):
    shape = _converse()
    report = (
        pytest.importorskip("botocore.validate")
        .ParamValidator()
        .validate({"modelId": "m", "messages": messages}, shape)
    )
    assert not report.has_errors(), report.generate_report()
    return messages


def _langchain(messages):
    package = pytest.importorskip("langchain_core.messages")
    adapter = pytest.importorskip("pydantic").TypeAdapter(list[package.AnyMessage])
    return adapter.validate_python(messages)


def _pydantic_ai(messages):
    return pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter.validate_python(messages)


_ACCEPT = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "langchain": _langchain,
    "pydantic-ai": _pydantic_ai,
}

"""is_context_overflow on texts as providers send them, and on what must not be taken for one.

The texts are in overflow_cases.jsonl, each with the public report that shows it; those without one are of our own.
"""

import json
import pickle
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ullage import Overflow, is_context_overflow

LINES = (Path(__file__).parent / "overflow_cases.jsonl").read_text(encoding="utf-8")
CASES = [json.loads(line) for line in LINES.strip().split("\n")]
OVERFLOWS = [case for case in CASES if case["overflow"]]
OTHERS = [case for case in CASES if not case["overflow"]]


def told(overflow):
    return overflow.provider, overflow.limit, overflow.actual


def wrappings(text):
    """The same text as the shapes in which it arrives."""
    caused = RuntimeError("model call failed")
    caused.__cause__ = ValueError(text)
    handled = RuntimeError("model call failed")
    handled.__context__ = ValueError(text)
    answered = Exception("Error code: 400")
    answered.body = {"error": {"message": text, "type": "invalid_request_error"}}
    responded = Exception("Bad Request")
    responded.response = SimpleNamespace(status_code=400, text=json.dumps({"error": {"message": text}}))
    amazon = Exception("ValidationException")
    amazon.response = {"Error": {"Code": "ValidationException", "Message": text}}
    return {
        "text": text,
        "bytes": text.encode(),
        "exception": ValueError(text),
        "exception with code": ValueError(400, text),
        "cause": caused,
        "context": handled,
        "body": answered,
        "response": responded,
        "botocore": amazon,
        "group": ExceptionGroup("two calls", [KeyError("x"), ValueError(text)]),
        "dict": {"error": {"code": 400, "message": text}},
        "list of dicts": [{"error": {"code": 400, "message": text}}],
        "JSON": json.dumps({"error": {"message": text}}),
        "JSON in JSON": json.dumps({"error": {"message": json.dumps({"error": {"message": text}})}}),
        "repr": repr({"error": {"message": text}}),
    }


def test_there_are_as_many_others_as_overflows():
    assert len(OTHERS) >= len(OVERFLOWS)
    providers = {case["provider"] for case in OVERFLOWS}
    assert providers >= {"openai", "anthropic", "bedrock", "gemini", "mistral", "vllm", "llama.cpp", "openrouter"}


@pytest.mark.parametrize("case", OVERFLOWS, ids=lambda case: f"{case['provider']}-{case['source'][19:]}")
def test_overflows(case):
    for shape, error in wrappings(case["text"]).items():
        found = is_context_overflow(error)
        assert found, shape
        assert found.retryable is False
        assert told(found) == (case["provider"], case["limit"], case["actual"]), shape
        assert found.message.endswith(" Sending it again unchanged will not help.")
        for number in (found.limit, found.actual):
            assert number is None or str(number) in found.message


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case["text"][:40])
def test_others(case):
    for shape, error in wrappings(case["text"]).items():
        assert is_context_overflow(error) is None, shape


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "prompt is too long: 5 tokens > 3 maximum",
            "The request needs 5 tokens, 2 more than the 3 that the model takes.",
        ),
        (
            "input length and `max_tokens` exceed context limit: 150 + 64 > 200",
            "The request needs 214 tokens (150 of input and 64 reserved for the answer), "
            "14 more than the 200 that the model takes.",
        ),
        (
            "Requested tokens exceed context window of 512",
            "The request is longer than the 512 tokens that the model takes.",
        ),
        ("Input is too long for requested model.", "The request is longer than the model's context window."),
        (
            "request_too_large",
            "The request is larger in bytes than the provider takes; images and documents weigh most.",
        ),
    ],
)
def test_the_sentence(text, sentence):
    assert is_context_overflow(text).message == f"{sentence} Sending it again unchanged will not help."


def test_the_result_is_a_frozen_value():
    found = is_context_overflow("prompt is too long: 1,234,567 tokens > 1_000_000 maximum")
    assert (found.actual, found.limit) == (1_234_567, 1_000_000)
    assert found == is_context_overflow("prompt is too long: 1234567 tokens > 1000000 maximum")
    assert pickle.loads(pickle.dumps(found)) == found
    assert isinstance(found, Overflow)
    with pytest.raises(FrozenInstanceError):
        found.limit = 3


def test_a_second_refusal_while_recovering_is_not_an_overflow():
    limited = RuntimeError("rate limited")
    limited.__context__ = ValueError("prompt is too long: 210000 tokens > 200000 maximum")
    assert is_context_overflow(limited)
    limited.response = SimpleNamespace(status_code=429, text='{"error": "rate_limit_error"}')
    assert is_context_overflow(limited) is None


def test_a_context_hidden_by_from_none_does_not_count():
    hidden = RuntimeError("something else")
    hidden.__context__ = ValueError("prompt is too long: 2 tokens > 1 maximum")
    hidden.__suppress_context__ = True
    assert is_context_overflow(hidden) is None


def test_numbers_beside_a_bare_code():
    error = Exception("Error code: 400 - context_length_exceeded")
    error.__cause__ = ValueError("This model's maximum context length is 8 tokens. However, you requested 9 tokens.")
    assert (is_context_overflow(error).limit, is_context_overflow(error).actual) == (8, 9)


class HostileError(Exception):
    """Everything that can raise, raises."""

    @property
    def body(self):
        raise OSError("stream is closed")

    response = body

    def __str__(self):
        raise UnicodeError("no text")


def test_hostile_errors():
    assert is_context_overflow(HostileError("prompt is too long: 2 tokens > 1 maximum")).limit == 1
    loop = ValueError("a")
    loop.__cause__ = RuntimeError("b")
    loop.__cause__.__cause__ = loop
    assert is_context_overflow(loop) is None
    deep = "prompt is too long"
    for _ in range(100_000):
        deep = [deep]
    assert is_context_overflow(deep) is None
    while deep != "prompt is too long":
        deep = deep.pop()
    cycle = {}
    cycle["error"] = cycle
    assert is_context_overflow(cycle) is None
    long_cause = ValueError("end")
    for _ in range(10_000):
        outer = ValueError("x")
        outer.__cause__ = long_cause
        long_cause = outer
    assert is_context_overflow(long_cause) is None
    while long_cause is not None:
        long_cause.__cause__, long_cause = None, long_cause.__cause__
    for nothing in (None, 3, 2.5, object(), [], {}, "\ud800", b"\xff" * 100, "9" * 1_000_000, float("nan")):
        assert is_context_overflow(nothing) is None


def test_an_error_that_quotes_the_whole_prompt():
    quoted = "x" * 5_000_000
    for text in (
        f"prompt is too long: 9 tokens > 8 maximum. The prompt was: {quoted}",
        f"{quoted} prompt is too long: 9 tokens > 8 maximum",
    ):
        assert is_context_overflow(text).actual == 9


@given(st.text() | st.dictionaries(st.text(), st.text()) | st.lists(st.integers() | st.text()) | st.binary())
def test_never_raises(error):
    is_context_overflow(error)
    is_context_overflow(ValueError(error))


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_the_errors_of_the_sdks(name):
    """The providers' own exception types, where they are installed."""
    sdk = pytest.importorskip(name, reason=f"needs the package {name}")
    http = sys.modules.get("httpx2") or sys.modules["httpx"]
    request = http.Request("POST", "https://example.com")

    def refusal(kind, status, text):
        body = {"error": {"message": text}}
        response = http.Response(status, json=body, request=request)
        return getattr(sdk, kind)(f"Error code: {status}", response=response, body=body)

    for case in OVERFLOWS:
        found = is_context_overflow(refusal("BadRequestError", 400, case["text"]))
        assert told(found) == (case["provider"], case["limit"], case["actual"])
    for case in OTHERS:
        assert is_context_overflow(refusal("RateLimitError", 429, case["text"])) is None
    assert is_context_overflow(refusal("AuthenticationError", 401, "invalid auth token")) is None


def test_the_errors_of_boto3_and_google():
    text = "Input is too long for requested model."
    botocore = pytest.importorskip("botocore.exceptions", reason="needs the package botocore")
    error = botocore.ClientError({"Error": {"Code": "ValidationException", "Message": text}}, "Converse")
    assert told(is_context_overflow(error)) == ("bedrock", None, None)
    throttled = {
        "Error": {"Code": "ThrottlingException", "Message": "Too many tokens, please wait before trying again."}
    }
    assert is_context_overflow(botocore.ClientError(throttled, "Converse")) is None

    genai = pytest.importorskip("google.genai.errors", reason="needs the package google-genai")
    text = "The input token count (25270) exceeds the maximum number of tokens allowed (4000)."
    refusal = {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    assert told(is_context_overflow(genai.ClientError(400, refusal))) == ("gemini", 4000, 25270)
    quota = {"error": {"code": 429, "message": "You exceeded your current quota.", "status": "RESOURCE_EXHAUSTED"}}
    assert is_context_overflow(genai.ClientError(429, quota)) is None

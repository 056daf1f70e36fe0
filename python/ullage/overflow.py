"""Recognise a provider's "too long" refusal.

Providers agree on no error code, so the sentences themselves are matched: each pattern below is the wording of one
provider, with a public report that shows it. Wordings that a rate limit shares ("too many tokens", "reduce the
length of your prompt") are left out on purpose.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request that was refused because it is too long for the model.

    Attributes:
        limit: Tokens that the model takes, if the error says so.
        actual: Tokens that the request needs, the answer's reserve included where the provider counts it.
        provider: Whose wording it is. Servers that speak another's API use its wording too: ``"openai"`` stands for
            Azure, DeepSeek, Groq and many gateways as well.
        message: One sentence or two for a person.
        retryable: Never: the same request will be refused again.

    """

    limit: int | None
    actual: int | None
    provider: str | None
    message: str
    retryable: Literal[False] = False


def is_context_overflow(error: object) -> Overflow | None:
    """What a "prompt is too long" refusal says, or None if ``error`` is something else.

    Known are OpenAI (Chat and Responses), Azure, Anthropic, Bedrock, Gemini, Mistral, vLLM, llama.cpp, OpenRouter, xAI,
    Groq, Cerebras, Text Generation Inference, LM Studio and LiteLLM. Not overflows: rate limits and quotas, even where
    they count tokens; a ``max_tokens`` that is too large by itself; bad credentials; content filters. A request over a
    limit in bytes or characters is one, with no numbers in tokens: what helps is the same.

    Args:
        error: An exception (its body, its response and its causes are read too), a decoded JSON body, or the text. The
            exception that was being handled when this one was raised counts only if this one is no provider's answer
            itself: a second, different refusal while recovering from an overflow is not an overflow.

    >>> is_context_overflow("prompt is too long: 210000 tokens > 200000 maximum")
    ... # doctest: +NORMALIZE_WHITESPACE
    Overflow(limit=200000, actual=210000, provider='anthropic',
        message='The request needs 210000 tokens, 10000 more than the 200000 that the model takes. Sending it again
        unchanged will not help.', retryable=False)
    >>> is_context_overflow("invalid auth token")

    """
    best: Overflow | None = None
    for text in _texts(error):
        best = _better(best, _read(text))
    return best


class _Wording(NamedTuple):
    provider: str | None
    pattern: str
    source: str
    in_bytes: bool = False


_N = r"\d[\d,_]{0,15}"

_WORDINGS = (
    _Wording(
        "anthropic",
        rf"prompt is too long(?:: (?P<actual>{_N}) tokens > (?P<limit>{_N}) maximum)?",
        "https://github.com/sojohnnysaid/project-guide/issues/2",
    ),
    _Wording(
        "anthropic",
        rf"input length and .{{0,3}}max_tokens.{{0,3}} exceed context limit: "
        rf"(?P<input>{_N}) \+ (?P<output>{_N}) > (?P<limit>{_N})",
        "https://github.com/docker/docker-agent/issues/569",
    ),
    _Wording(
        "anthropic",
        r"request size exceeds model context window",
        "https://github.com/anthropics/claude-code/issues/6380",
    ),
    _Wording(
        "anthropic",
        r"\brequest_too_large\b|request exceeds the maximum size",
        "https://github.com/anthropics/anthropic-sdk-python/issues/938",
        in_bytes=True,
    ),
    # OpenAI's own sentence, and what vLLM makes of its second half.
    _Wording(
        "openai",
        rf"model.{{1,2}}s maximum context length is (?P<limit>{_N}) tokens"
        rf"(?:[.,] however,? (?:your messages resulted in|you requested) (?P<actual>{_N}) tokens"
        rf"(?: \((?P<input>{_N}) in (?:the messages|your prompt)[,;] (?P<output>{_N}) (?:in|for) the completion\))?)?",
        "https://github.com/bytedance/deer-flow/issues/310",
    ),
    _Wording(
        "openai",
        r"maximum context length has been exceeded",
        "https://github.com/Niek/chatgpt-web/issues/525",
    ),
    _Wording(
        "openai",
        r"input exceeds the context window of this model",
        "https://github.com/dyad-sh/dyad/issues/1672",
    ),
    _Wording(
        "openai",
        rf"input tokens exceed the configured limit(?: of (?P<limit>{_N}) tokens)?"
        rf"(?:\. your messages resulted in (?P<actual>{_N}) tokens)?",
        "https://github.com/BerriAI/litellm/issues/15968",
    ),
    _Wording(
        "openai",
        rf"reduce the length of the messages or completion\."
        rf"(?: current length is (?P<actual>{_N}) while limit is (?P<limit>{_N}))?",
        "https://github.com/cline/cline/issues/5140",
    ),
    _Wording(
        "openai",
        r"\bcontext_length_exceeded\b",
        "https://github.com/OpenHands/OpenHands/issues/1902",
    ),
    _Wording(
        "openrouter",
        rf"endpoint.{{1,2}}s maximum context length is (?P<limit>{_N}) tokens"
        rf"(?:\. however, you requested about (?P<actual>{_N}) tokens)?",
        "https://github.com/topoteretes/cognee/issues/1061",
    ),
    _Wording(
        "gemini",
        rf"input token count (?:\((?P<actual>{_N})\) )?exceeds the maximum number of tokens allowed"
        rf"(?: \((?P<limit>{_N})\))?",
        "https://github.com/BerriAI/litellm/issues/18282",
    ),
    _Wording(
        "bedrock",
        r"input is too long for requested model",
        "https://github.com/aws-samples/bedrock-chat/issues/95",
    ),
    _Wording(
        "mistral",
        rf"prompt contains (?P<actual>{_N}) tokens.{{0,80}}too large for model with (?P<limit>{_N}) "
        "maximum context length",
        "https://github.com/BerriAI/litellm/pull/21647",
    ),
    _Wording(
        "vllm",
        rf"max_tokens.{{0,40}} is too large: (?P<output>{_N})\. "
        rf"this model.{{1,2}}s maximum context length is (?P<limit>{_N}) tokens "
        rf"and your request has (?P<input>{_N}) input tokens",
        "https://github.com/claude-code-best/claude-code/issues/272",
    ),
    _Wording(
        "vllm",
        rf"maximum context length is (?P<limit>{_N}) tokens\. however, your request has (?P<input>{_N}) input tokens"
        rf"(?: plus (?P<output>{_N}) .max_tokens)?",
        "https://github.com/vllm-project/vllm/pull/33425",
    ),
    _Wording(
        "vllm",
        rf"maximum context length is (?P<limit>{_N}) tokens\. however, you requested (?P<output>{_N}) output tokens "
        rf"and your prompt contains at least (?P<input>{_N}) input tokens, "
        rf"for a total of at least (?P<actual>{_N}) tokens",
        "https://github.com/vllm-project/vllm/issues/42474",
    ),
    _Wording(
        "vllm",
        rf"prompt (?:length of|\((?:total )?length) (?P<actual>{_N})\)? is "
        rf"(?:longer than the maximum model length of|too long to fit into the model \(context length) (?P<limit>{_N})",
        "https://github.com/vllm-project/vllm/issues/12165",
    ),
    # Without a max_tokens of its own, a request gets what is left of the window.
    _Wording(
        "vllm",
        r"max_tokens must be at least 1, got -\d",
        "https://github.com/vllm-project/vllm/issues/4667",
    ),
    _Wording(
        "llama.cpp",
        rf"request (?:\((?P<actual>{_N}) tokens\) )?exceeds the available context size(?: \((?P<limit>{_N}) tokens\))?",
        "https://github.com/ggml-org/llama.cpp/issues/19774",
    ),
    _Wording(
        "llama.cpp",
        rf"exceed_context_size_error(?:.{{0,9}}n_prompt_tokens\W{{1,4}}(?P<actual>{_N}).{{0,9}}n_ctx\W{{1,4}}(?P<limit>{_N}))?"
        r"|context size has been exceeded",
        "https://github.com/ggml-org/llama.cpp/pull/15780",
    ),
    _Wording(
        "llama.cpp",
        rf"requested tokens (?:\((?P<actual>{_N})\) )?exceed context window of (?P<limit>{_N})",
        "https://github.com/fedora-copr/logdetective/issues/100",
    ),
    _Wording(
        "xai",
        rf"maximum prompt length is (?P<limit>{_N}) but the request contains (?P<actual>{_N}) tokens",
        "https://github.com/cline/cline/issues/3120",
    ),
    _Wording(
        "tgi",
        rf"inputs. tokens \+ .max_new_tokens. must be <= (?P<limit>{_N})\. "
        rf"given: (?P<input>{_N}) .inputs. tokens and (?P<output>{_N})",
        "https://github.com/huggingface/llm-vscode/issues/94",
    ),
    _Wording(
        "lm-studio",
        rf"trying to keep the first (?P<actual>{_N}) tokens when context the overflows.{{0,80}}"
        rf"context length of only (?P<limit>{_N})",
        "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546",
    ),
    _Wording(
        "litellm",
        r"context window exceeded for given call|\bContextWindowExceededError\b",
        "https://github.com/anomalyco/opencode/issues/44888",
    ),
)

_LONGEST = 20_000
"""Characters of an error that are read from each end; some quote the whole prompt."""

_NESTING = 12
_PARTS = 500


def _read(text: str) -> Overflow | None:
    """The wording in ``text`` that tells most."""
    if len(text) > 2 * _LONGEST:
        text = text[:_LONGEST] + " " + text[-_LONGEST:]
    # JSON within JSON escapes its quotes and line ends, again and again.
    text = " ".join(re.sub(r"\\+[nrt]", " ", text).replace("\\", "").split())
    best: Overflow | None = None
    for wording in _WORDINGS:
        if found := re.search(wording.pattern, text, re.IGNORECASE):
            numbers = {name: int(re.sub(r"\D", "", value)) for name, value in found.groupdict().items() if value}
            best = _better(best, _overflow(wording, numbers))
    return best


def _overflow(wording: _Wording, numbers: dict[str, int]) -> Overflow:
    limit, shares = numbers.get("limit"), ""
    actual = numbers.get("actual")
    if "input" in numbers:
        answer = numbers.get("output", 0)
        actual = actual or numbers["input"] + answer
        shares = f" ({numbers['input']} of input and {answer} reserved for the answer)" if answer else ""
    if wording.in_bytes:
        told = "The request is larger in bytes than the provider takes; images and documents weigh most."
    elif actual and limit and actual > limit:
        told = (
            f"The request needs {actual} tokens{shares}, {actual - limit} more than the {limit} that the model takes."
        )
    elif limit:
        told = f"The request is longer than the {limit} tokens that the model takes."
    else:
        told = "The request is longer than the model's context window."
    return Overflow(limit, actual, wording.provider, f"{told} Sending it again unchanged will not help.")


def _better(one: Overflow | None, other: Overflow | None) -> Overflow | None:
    """The one with more numbers; the first of equals."""
    if one is None or other is None:
        return one or other
    return other if _numbers(other) > _numbers(one) else one


def _numbers(overflow: Overflow) -> int:
    return (overflow.limit is not None) + (overflow.actual is not None)


def _texts(error: object) -> Iterator[str]:
    """One text for each error in the chain, with all that it carries."""
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _PARTS:
        error = waiting.pop(0)
        if id(error) in seen:
            continue
        seen.add(id(error))
        parts: list[str] = []
        if isinstance(error, BaseException):
            answers = [_attribute(error, name) for name in ("body", "response", "details", "message")]
            for carried in (error.args, *answers):
                _gather(carried, parts)
            parts.append(_said(error))
            if isinstance(error, BaseExceptionGroup):
                waiting.extend(error.exceptions)
            if error.__cause__ is not None:
                waiting.append(error.__cause__)
            elif error.__context__ is not None and not error.__suppress_context__ and not any(answers[:3]):
                waiting.append(error.__context__)
        else:
            _gather(error, parts)
        yield "; ".join(parts)


def _gather(value: object, parts: list[str], key: str = "", depth: int = 0) -> None:
    """All texts and numbers in ``value``, numbers with their key."""
    if depth > _NESTING or len(parts) > _PARTS:
        return
    match value:
        case str():
            parts.append(value)
        case bytes() | bytearray():
            parts.append(bytes(value[: 2 * _LONGEST]).decode(errors="replace"))
        case int():
            parts.append(f"{key}: {value}")
        case Mapping():
            for name, item in value.items():
                _gather(item, parts, str(name), depth + 1)
        case Sequence():
            for item in value:
                _gather(item, parts, key, depth + 1)
        case BaseException() | None:
            pass
        case _:
            # A response of some HTTP client, or an error object of some SDK.
            for name in ("text", "message", "error"):
                _gather(_attribute(value, name), parts, name, depth + 1)


def _attribute(value: object, name: str) -> object:
    """An attribute if it is data; None where reading it fails, as the text of an unread stream does."""
    try:
        found = getattr(value, name, None)
    except Exception:  # a property of a foreign class can raise anything
        return None
    return None if callable(found) else found


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # so can a foreign __str__
        return ""

"""What the packages give as a reply goes back into the history as it came, and is read like the dict it stands for."""

import pytest

import ullage
from ullage import formats

from .builder import build, parse


def read(name, *messages):
    return [formats.named(name).read(message, "messages[0]") for message in messages]


def test_openai_chat():
    types = pytest.importorskip("openai.types.chat")
    wanted = build("openai-chat", parse("U,A(a,b),Ta,Tb,A")).messages
    native = [types.ChatCompletionMessage.model_validate(message) for message in (wanted[1], wanted[4])]
    assert read("openai-chat", *native) == read("openai-chat", wanted[1], wanted[4])
    history = [wanted[0], native[0], *wanted[2:4], native[1]]
    assert ullage.detect(history[1:]) == "openai-chat"
    assert ullage.validate(history) == []
    assert ullage.History(history).total == ullage.History(wanted).total


def test_openai_responses():
    types = pytest.importorskip("openai.types.responses")
    wanted = build("openai-responses", parse("U,A(θ,a),Ta,A")).messages
    classes = {
        "reasoning": types.ResponseReasoningItem,
        "function_call": types.ResponseFunctionToolCall,
        "message": types.ResponseOutputMessage,
    }
    native = [
        classes[item["type"]].model_validate(item)
        if item.get("role", "assistant") == "assistant" and "output" not in item
        else item
        for item in wanted
    ]
    assert sum(not isinstance(item, dict) for item in native) == 3
    assert read("openai-responses", *native) == read("openai-responses", *wanted)
    assert ullage.detect(native[1:]) == "openai-responses"
    assert ullage.validate(native, "openai-responses") == []


def test_anthropic():
    types = pytest.importorskip("anthropic.types")
    wanted = build("anthropic", parse("U,A(θ,a),Ta,A")).messages
    reply = {"id": "m", "type": "message", "model": "c", "stop_reason": None, "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = types.Message.model_validate({**reply, "usage": usage, **wanted[1]})
    for native in (message, {"role": "assistant", "content": message.content}):
        assert read("anthropic", native) == read("anthropic", wanted[1])
        history = [wanted[0], native, *wanted[2:]]
        assert ullage.detect(history[1:]) == "anthropic"
        assert ullage.validate(history, "anthropic") == []
        assert ullage.History(history, format="anthropic").total == ullage.History(wanted, format="anthropic").total


@pytest.mark.parametrize(
    ("name", "module"), [("gemini", "google.genai.types"), ("pydantic-ai", "pydantic_ai.messages")]
)
def test_objects_with_times_and_enums_are_kept_in_a_history(name, module):
    pytest.importorskip(module)
    from .sdk import accept

    native = accept(name, build(name, parse("U,A(a),Ta,A")).messages)
    history = ullage.History(native, format=name)
    assert history.update(list(native)).read == 0
    assert history.update([*native[:3], formats.named(name).note("x", native[0])]).read == 1


def test_langchain():
    messages = pytest.importorskip("langchain_core.messages")
    call = {"name": "f", "args": {"x": 1}, "id": "a"}
    history = [
        messages.SystemMessage("s"),
        messages.HumanMessage("u"),
        messages.AIMessageChunk(content="", tool_calls=[call]),
        messages.ToolMessage("r", tool_call_id="a", name="f", status="error"),
        messages.AIMessage([{"type": "text", "text": "so"}]),
        messages.ChatMessage("x", role="user"),
    ]
    assert ullage.detect(history) == "langchain"
    assert [record.role for record in read("langchain", *history)] == ["system", "human", "ai", "tool", "ai", "user"]
    assert ullage.validate(history) == []
    assert ullage.validate(history[:3] + history[4:])[0].rule == "unanswered-call"
    cleared = formats.named("langchain").with_result(history[3], 0, "cleared")
    assert (cleared.content, cleared.status, cleared.tool_call_id) == ("cleared", "error", "a")
    assert history[3].content == "r"

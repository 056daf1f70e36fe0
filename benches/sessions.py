"""Sessions of agents for fitters: made up here, or read from a file; and the same session in the formats of others."""

import json

WORDS = "the harbour office keeps a list of every ship that has come in since the spring and of those that are due"


def made(steps, turn=None, size=600):
    """A session in OpenAI's Chat format, of so many tool calls with results of up to twice `size` tokens.

    A turn ends after each `turn` calls; without it all is one turn.
    """
    messages = [
        {"role": "system", "content": "You work for a harbour office. " * 40},
        {"role": "user", "content": "Find out which ships stayed longer than they had paid for."},
    ]
    for number in range(steps):
        if turn and number and number % turn == 0:
            messages.append({"role": "assistant", "content": f"Part {number // turn} is done."})
            messages.append({"role": "user", "content": f"Go on with part {number // turn + 1}."})
        function = {"name": "read", "arguments": json.dumps({"path": f"ships/{number}.txt", "lines": 400})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": f"I read list {number}.", "tool_calls": [call]})
        lines = 1 + number * 7_919 % (2 * size * 4 // len(WORDS))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"{number} {WORDS}\n" * lines})
    return messages


def read(path):
    """The sessions of a file of JSON lines, each with its messages in OpenAI's Chat format."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return [json.loads(line)["messages"] for line in file]


def requests(messages):
    """How many messages each request of a session has: it is sent where the assistant speaks next, and at the end."""
    ends = [end for end in range(1, len(messages)) if messages[end]["role"] == "assistant"]
    return [*(end for end in ends if messages[end - 1]["role"] != "assistant"), len(messages)]


def responses(messages):
    """The session as Responses items: for each message its items."""
    return [list(_items(message)) for message in messages]


def _items(message):
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    if message.get("content"):
        yield {"role": message["role"], "content": message["content"]}
    for call in message.get("tool_calls") or ():
        yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def converse(messages):
    """The session as Bedrock Converse messages, one for each, without those of the system; None for these."""
    return [None if message["role"] == "system" else _block_message(message) for message in messages]


def _block_message(message):
    if message["role"] == "tool":
        result = {"toolUseId": message["tool_call_id"], "content": [{"text": message["content"]}], "status": "success"}
        return {"role": "user", "content": [{"toolResult": result}]}
    blocks = [{"text": message["content"]}] if message.get("content") else []
    for call in message.get("tool_calls") or ():
        called = {"toolUseId": call["id"], "name": call["function"]["name"]}
        try:
            called["input"] = json.loads(call["function"]["arguments"])
        except ValueError:
            called["input"] = {"text": call["function"]["arguments"]}
        blocks.append({"toolUse": called})
    return {"role": message["role"], "content": blocks}

"""Random requests, and random single edits of them whose place is known."""

import copy
import random
import re
from typing import Any, NamedTuple

from cli.requests_of import KEYS, SCHEMA
from formats.builder import Assistant, Call, Result, System, User, build
from prefix.bodies import FORMATS, at

WORDS = ["read", "the", "file", "and", "say", "what", "it", "holds", "чай", "茶", "naïve", "function", "list", "of"]
STRUCTURE = frozenset({"type", "role", "kind", "part_kind", "format", "status"})
_KEPT_BACK = frozenset({"timestamp", "id", "summary"})


class Case(NamedTuple):
    """A request, the same after one edit, and what must be found."""

    format: str
    previous: Any
    next: Any
    edit: str
    kind: str
    path: str


def text(rng, words=8):
    return f"{rng.getrandbits(40):x}g " + " ".join(rng.choices(WORDS, k=rng.randint(1, words)))


def request(rng, name):
    steps = [System(text(rng)), User(text(rng))]
    for turn in range(rng.randint(1, 4)):
        calls = [f"c{turn}{letter}" for letter in "ab"[: rng.randint(0, 2)]]
        deep = {"ratio": rng.randint(1, 9) + 0.5, "all": True}
        arguments = {"query": text(rng), "limit": rng.randint(1, 99), "deep": deep}
        thinking = text(rng) if calls and rng.random() < 0.3 else None
        if calls:
            steps.append(
                Assistant(None, tuple(Call(call, "search", copy.deepcopy(arguments)) for call in calls), thinking)
            )
            steps += [Result(call, text(rng, 20)) for call in calls]
        steps += [Assistant(text(rng)), User(text(rng))]
    built = build(name, steps)
    tools = [_tool(name, f"{word}_{rng.getrandbits(20):x}", text(rng)) for word in ("find", "open", "write")]
    if name == "gemini":
        tools = [{"functionDeclarations": tools}]
    system = {} if built.system is None else {KEYS[name].system: built.system}
    beside = {"toolConfig": {"tools": tools}} if name == "bedrock" else {"tools": tools}
    return copy.deepcopy({"model": "m", **beside, **system, KEYS[name].messages: built.messages})


def _tool(name, called, says):
    function = {"name": called, "description": says, "parameters": {**SCHEMA, "required": ["query"]}}
    return {
        "openai-responses": {"type": "function", **function},
        "anthropic": {"name": called, "description": says, "input_schema": function["parameters"]},
        "gemini": function,
        "bedrock": {"toolSpec": {"name": called, "description": says, "inputSchema": {"json": function["parameters"]}}},
    }.get(name, {"type": "function", "function": function})


def places(value, path=""):
    """Every value inside of a request, with its path, its key and its parent."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        inside = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else key
        yield inside, key, value, member
        yield from places(member, inside)


def _texts(name, value):
    """The texts that are a part of the prompt."""
    keeps = name in ("langchain", "pydantic-ai", "openai-responses")
    for place in places(value):
        path, key, _, found = place
        left_out = key in STRUCTURE or path == "model" or (keeps and key in _KEPT_BACK)
        if isinstance(found, str) and found and not left_out:
            yield place


def edit_character(rng, name, value):
    path, key, parent, old = rng.choice([*_texts(name, value)])
    index = rng.randrange(len(old))
    parent[key] = old[:index] + ("q" if old[index] != "q" else "z") + old[index + 1 :]
    return "edit", path


def edit_white_space(rng, name, value):
    path, key, parent, old = rng.choice([*_texts(name, value)])
    index = rng.randrange(len(old) + 1)
    parent[key] = old[:index] + rng.choice([" ", "\n", "\u00a0"]) + old[index:]
    return "edit", path


def edit_key_order(rng, name, value):
    within = [
        place
        for place in places(value)
        if isinstance(place[3], dict)
        and len(place[3]) > 1
        and "[" in place[0]
        and place[3].get("part_kind") != "user-prompt"  # pydantic-ai sends what it holds, and not the dict
    ]
    path, _, _, found = rng.choice(within)
    first = next(iter(found))
    found[first] = found.pop(first)
    return "edit", path


def edit_number_form(rng, name, value):
    numbers = [place for place in places(value) if type(place[3]) is int]
    texts = [place for place in places(value) if place[1] in ("arguments", "args") and isinstance(place[3], str)]
    if not numbers and not texts:
        return None
    path, key, parent, old = rng.choice(numbers or texts)
    parent[key] = float(old) if numbers else old.replace(', "deep"', '.0, "deep"')
    return "edit", path


def _list(rng, name, value):
    """The list of messages or of tools, and its path."""
    tools = (
        "toolConfig.tools" if name == "bedrock" else "tools[0].functionDeclarations" if name == "gemini" else "tools"
    )
    path = rng.choice([KEYS[name].messages, KEYS[name].messages, tools])
    return at(value, path), path


def edit_reorder(rng, name, value):
    items, path = _list(rng, name, value)
    index = rng.randrange(len(items) - 1)
    other = rng.randrange(index + 1, len(items))
    items[index], items[other] = items[other], items[index]
    return "edit", f"{path}[{index}]"


def edit_insert(rng, name, value):
    items, path = _list(rng, name, value)
    new = copy.deepcopy(rng.choice(items))
    for _, key, parent, member in list(places(new)):
        if isinstance(member, str) and key not in STRUCTURE:
            parent[key] = f"{member} {rng.getrandbits(30):x}"
    index = rng.randrange(len(items))
    items.insert(index, new)
    return "edit", f"{path}[{index}]"


def edit_delete(rng, name, value):
    items, path = _list(rng, name, value)
    index = rng.randrange(len(items))
    del items[index]
    return "edit", f"{path}[{index}]"


def edit_append(rng, name, value):
    value[KEYS[name].messages] += build(name, [User(text(rng))]).messages
    return "append", ""


def edit_marker(rng, name, value):
    if name == "gemini":
        return None
    if name == "bedrock":
        index, message = rng.choice([*enumerate(value["messages"])])
        at_block = rng.randrange(len(message["content"]))
        message["content"].insert(at_block + 1, {"cachePoint": {"type": "default"}})
        return "same", f"messages[{index}].content[{at_block}]"
    if name == "pydantic-ai":
        prompts = [
            (f"messages[{index}].parts[{position}]", part)
            for index, message in enumerate(value["messages"])
            for position, part in enumerate(message["parts"])
            if part["part_kind"] == "user-prompt"
        ]
        path, part = rng.choice(prompts)
        part["content"] = [part["content"], {"kind": "cache-point", "ttl": "5m"}]
        return "same", f"{path}.content[0]"
    blocks = [
        place
        for place in places(value)
        if isinstance(place[3], dict) and re.fullmatch(r"tools\[\d+\]|\w+\[\d+\]\.content\[\d+\]", place[0])
    ]
    path, _, _, block = rng.choice(blocks)
    key = "prompt_cache_breakpoint" if name == "openai-responses" else "cache_control"
    block[key] = {"type": "ephemeral"}
    return "same", f"{path}.{key}"


EDITS = {name.removeprefix("edit_"): made for name, made in list(globals().items()) if name.startswith("edit_")}
CAUSES = {
    "white_space": {"white space"},
    "key_order": {"key order"},
    "number_form": {"number form"},
    "reorder": {"history rewritten", "tool order", "edited history", "other prefix", "thinking removed"},
    "insert": {"history rewritten", "tool set", "other prefix"},
    "delete": {"history rewritten", "tool set", "other prefix", "thinking removed"},
    "marker": {"markers"},
}


def case(seed):
    """The case of a seed."""
    rng = random.Random(seed)
    while True:
        name, edit = rng.choice(FORMATS), rng.choice([*EDITS])
        previous = request(rng, name)
        following = copy.deepcopy(previous)
        found = EDITS[edit](rng, name, following)
        if found is not None:
            return Case(name, previous, following, edit, *found)

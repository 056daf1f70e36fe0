"""For each cause, the one sentence that says what to do about it, and where."""

from ullage.prefix.causes import Cause
from ullage.prefix.edit import Edit
from ullage.prefix.kinds import is_address
from ullage.prefix.reordered import is_reordered

_FIXES: dict[Cause, str] = {
    "clock": "Take the clock out of {place}, and tell the time in the newest message of the user.",
    "date": "Take the date out of {place}, and tell it in the newest message of the user: it changes every midnight.",
    "identifier": "Take the identifier out of {place}: what the model need not read goes into metadata, and what it "
    "must read into the newest message.",
    "counter": "Take the counter out of {place}, and state it in the newest message.",
    "random value": "Keep the value in {place} the same for the whole session, or send it beside the prompt, in a "
    "header or in metadata.",
    "tool set": "Send the same tools with every request of a session, {place} too: to keep one from being used, "
    "restrict the choice of tools or say so in a message.",
    "tool order": "Sort the tools by name before they are sent; {place} is the first that is in another place.",
    "key order": "Write {place} with its keys in one order, as json.dumps(..., sort_keys=True) does, and send the "
    "arguments of a call as the very text that the model wrote.",
    "white space": "Send {place} byte for byte as it was sent first: strip and format a text before it enters the "
    "history, never after.",
    "number form": "Send the numbers in {place} as they were written first: keep the text of a call's arguments, and "
    "do not parse it and write it anew.",
    "escape form": "Write {place} with one setting of ensure_ascii, the same in every part of the program.",
    "normalisation": "Normalise {place} once, before it is sent first, and keep what was sent.",
    "image": "Scale and encode a file once, before it is sent first, and send those bytes again in {place}.",
    "thinking removed": "Send thinking back as it came, {place} too, at least until the cache is lost for another "
    "reason.",
    "cleared result": "Clear results rarely and many at once, so that the change at {place} is paid for once: "
    "ullage.fit does so, by its FitPolicy.",
    "edited history": "Leave {place} as it was sent, and append a message that corrects it.",
    "history rewritten": "Leave the messages from {place} on as they were sent; when they must go, compact rarely and "
    "far, so that many requests share the new start.",
    "markers": "Set a marker on the last block of every request, within 20 blocks of that of the request before (so "
    "far do Anthropic and Bedrock look back), and at most 4 in all; then {place} needs none of its own.",
    "other prefix": "Send this request with the tools, the system prompt and the messages of the conversation, and "
    "put what is different, {place}, into a last message.",
    "settings": "Keep {place} the same for the whole session; a request that needs another value is best made when "
    "the cache is cold.",
}
_IDS_OF_CALLS = "Keep the id at {place} as it was first made: store it with the history instead of making it anew."
_GROWN = (
    "Leave the text at {place} as it was sent, and send what is new as a block or message of its own: a provider that "
    "caches by blocks does not find one that has grown."
)
_SYSTEM = (
    "Keep the system prompt the same for the whole session, and put what changes, {place}, into the newest message."
)


_DEFINITION = (
    "Make the definition of a tool once and send it as it is, {place} too; what changes goes into the newest message."
)
_MEMBERS = "Sort the list around {place} before it is sent: what is made from a set has another order in each process."
_MOVED = "Send {place} and what is around it in the order in which they were sent first."
_ADDRESS = (
    "Give a file one address for the whole session, {place} too: sign it once, for longer than the session, or send "
    "its bytes."
)


def fix(cause: Cause, edit: Edit) -> str:
    """What to do about a difference."""
    sentence = _FIXES[cause]
    old, new = edit.values
    if cause == "identifier" and edit.zone == "messages" and edit.keys:
        sentence = _IDS_OF_CALLS
    elif cause == "edited history" and isinstance(old, str) and isinstance(new, str) and new.startswith(old):
        sentence = _GROWN
    elif cause == "tool set" and edit.what == "edited":
        sentence = _DEFINITION
    elif cause == "key order" and is_reordered(edit):
        sentence = _MEMBERS
    elif cause == "edited history" and edit.what == "moved":
        sentence = _MOVED
    elif cause == "image" and is_address(old) and is_address(new):
        sentence = _ADDRESS
    elif cause == "other prefix" and edit.zone == "system" and edit.what == "edited":
        sentence = _SYSTEM
    place = edit.path if edit.edge.offset is None else f"{edit.path} (character {edit.edge.offset:,})"
    return sentence.format(place=place)

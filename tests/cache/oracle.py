"""What Anthropic and OpenAI cache, told once more in plain Python from their pages, without a thought for speed.

A request is a list of strings, one for each block, of which each letter is a token. What is cached are lists of
strings, and they are compared as such.

Anthropic: a request asks for the prefixes up to its last four markers to be cached. From each marker, the cache is
tried for the prefix up to it, then for the prefix without its last block, and so on, twenty in all; the longest that
the markers found is read. Behind it, what comes before a marker is written for that marker's life, and what
comes after the last one is plain. Prefixes below the minimum are not cached. What is read lives on for its life.

OpenAI before GPT-5.6: the longest beginning that any request of the last minutes had in common with this one is read,
as 1,024 tokens and full steps of 128; everything else is plain.

OpenAI since GPT-5.6: as with Anthropic, but that the end of each request is a marker of its own, with three more at
most; and that any cached prefix is found, however far back.
"""

from dataclasses import dataclass, field


@dataclass
class Anthropic:
    minimum: int = 1024
    cached: list[dict] = field(default_factory=list)

    def find(self, blocks, now):
        for entry in self.cached:
            if entry["blocks"] == blocks and now < entry["last used"] + entry["life"]:
                return entry
        return None

    def store(self, blocks, life, now):
        entry = self.find(blocks, now)
        if entry is None:
            self.cached.append({"blocks": blocks, "life": life, "last used": now})
        elif now + life >= entry["last used"] + entry["life"]:
            entry["life"], entry["last used"] = life, now

    def request(self, blocks, markers, now):
        markers = markers[-4:]
        hits = []
        for place, _ in markers:
            for back in range(20):
                prefix = blocks[: max(0, place + 1 - back)]
                entry = self.find(prefix, now)
                if entry:
                    entry["last used"] = now
                    hits.append(len("".join(prefix)))
                    break
        read = max(hits, default=0)
        spans = {}
        done = read
        for place, life in markers:
            prefix = blocks[: place + 1]
            length = len("".join(prefix))
            if length >= self.minimum:
                self.store(prefix, life, now)
                if length > done:
                    spans[life] = spans.get(life, 0) + length - done
                    done = length
        return read, spans, len("".join(blocks)) - done


@dataclass
class OldOpenAI:
    life: int = 300
    log: list[tuple[list[str], float]] = field(default_factory=list)

    def request(self, blocks, markers, now):
        shared = max((common(blocks, other) for other, time in self.log if now < time + self.life), default=0)
        self.log.append((blocks, now))
        read = 0
        if shared >= 1024:
            read = 1024
            while read + 128 <= shared:
                read += 128
        return read, {}, len("".join(blocks)) - read


def common(one, other):
    """Letters that two requests have in common from the start; a block that ends is unlike one that goes on."""
    letters = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            while letters_agree(mine, theirs):
                letters, mine, theirs = letters + 1, mine[1:], theirs[1:]
            break
        letters += len(mine)
    return letters


def letters_agree(one, other):
    return bool(one and other and one[0] == other[0])


@dataclass
class NewOpenAI:
    cached: dict[tuple[str, ...], float] = field(default_factory=dict)

    def request(self, blocks, markers, now):
        read = 0
        for end in range(len(blocks), 0, -1):
            prefix = tuple(blocks[:end])
            if prefix in self.cached and now < self.cached[prefix] + 1800:
                self.cached[prefix] = now
                read = len("".join(prefix))
                break
        explicit = [place for place, _ in markers if place != len(blocks) - 1]
        written = read
        for place in [*explicit[-3:], len(blocks) - 1]:
            prefix = tuple(blocks[: place + 1])
            length = len("".join(prefix))
            if length >= 1024:
                self.cached[prefix] = now
                written = max(written, length)
        spans = {1800: written - read} if written > read else {}
        return read, spans, len("".join(blocks)) - written

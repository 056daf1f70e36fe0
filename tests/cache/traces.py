"""Random sessions as a cache sees them: growing, edited, branching, idle, with markers anywhere."""

from random import Random


def trace(seed):
    """Requests: blocks of letters, markers with their lives, and a time for each."""
    random = Random(seed)
    letters = "ab" if random.random() < 0.5 else "abcdefgh"
    largest = random.choice([20, 300, 900])

    def block():
        return random.choice(letters) * random.randint(1, largest) + random.choice(letters)

    states = [[block() for _ in range(random.randint(1, 8))]]
    now = 0.0
    for _ in range(random.randint(3, 30)):
        blocks = list(random.choice(states) if random.random() < 0.15 else states[-1])
        act = random.random()
        if act < 0.6:
            blocks += [block() for _ in range(random.choice([1, 1, 2, 2, 3, 12, 25]))]
        elif act < 0.75:
            blocks[random.randrange(len(blocks))] = block()
        elif act < 0.85:
            place = random.randrange(len(blocks))
            kept = blocks[place]
            blocks[place] = kept[: random.randint(1, len(kept))] + random.choice(letters)
        elif act < 0.95:
            del blocks[random.randrange(1, len(blocks) + 1) :]
        states.append(blocks)
        count = random.choice([0, 1, 1, 2, 3, 4, 6])
        places = sorted(random.sample(range(len(blocks)), min(count, len(blocks))))
        if random.random() < 0.6 and places:
            places[-1] = len(blocks) - 1
        markers = [(place, random.choice([300, 300, 3600])) for place in places]
        now += random.choice([0.0, 1.0, 20.0, 60.0, 250.0, 299.0, 300.0, 301.0, 1799.0, 1800.0, 4000.0])
        yield blocks, markers, now

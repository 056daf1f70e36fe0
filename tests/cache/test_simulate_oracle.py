"""Whole sessions priced by `simulate`, from request bodies to the sum, beside the second telling of the rules."""

from random import Random

import pytest

from cache.oracle import Anthropic, NewOpenAI, OldOpenAI
from ullage import Prices, simulate
from ullage._core import Estimator
from ullage.cache.writing import Writer
from ullage.request import Request

TRACES = 334
WRITE = {300: 1.25, 3600: 2.0, 1800: 1.25}


def bodies(seed):
    """Request bodies of a session that grows, is edited, branches, and moves its markers."""
    random = Random(seed)

    def block():
        text = random.choice("abcd") * random.randint(1, random.choice([80, 1_200, 4_000]))
        return {"type": "text", "text": text + random.choice("xy")}

    system, turns = [block()], []
    for _ in range(random.randint(3, 9)):
        act = random.random()
        if act < 0.75 or len(turns) < 2:
            for _ in range(random.choice([1, 1, 1, 2, 2, 3, 4, 22])):
                turns = [*turns, {"role": ("user", "assistant")[len(turns) % 2], "content": [block()]}]
        elif act < 0.85:
            place = random.randrange(len(turns))
            turns = [*turns[:place], {**turns[place], "content": [block()]}, *turns[place + 1 :]]
        elif act < 0.95:
            turns = turns[: random.randint(1, len(turns))]
        else:
            system = [block()]
        yield {"model": "m", "max_tokens": 9, "system": system, "messages": turns}


def marked(body, seed, key):
    """The same with markers on some blocks: a copy, and where they are, by the blocks of the whole prompt."""
    random = Random(seed)
    blocks = [*body["system"], *(each for message in body["messages"] for each in message["content"])]
    places = sorted(random.sample(range(len(blocks)), min(len(blocks), random.choice([1, 1, 2, 3, 4]))))
    if random.random() < 0.7:
        places[-1] = len(blocks) - 1
    lives = {place: random.choice([300, 3600]) for place in places}
    ttl = {300: "5m", 3600: "1h"}
    placed = iter(range(len(blocks)))

    def mark(each):
        place = next(placed)
        return {**each, key: {"type": "ephemeral", "ttl": ttl[lives[place]]}} if place in lives else each

    system = [mark(each) for each in body["system"]]
    messages = [{**message, "content": [mark(each) for each in message["content"]]} for message in body["messages"]]
    return {**body, "system": system, "messages": messages}, [*lives.items()]


def letters(body, known, writer):
    """Blocks as the oracle wants them: a letter for each token, and other letters for other blocks."""
    writer.write(Request.of(body, "anthropic"))
    prompt = writer.prompt
    rows = [("settings", body["model"])]
    rows += [("system", each["text"]) for each in body["system"]]
    rows += [(message["role"], message["content"][0]["text"]) for message in body["messages"]]
    sums = [prompt.tokens(block) for block in range(len(prompt))]
    tokens = [after - before for before, after in zip([0, *sums], sums, strict=False)]
    assert len(rows) == len(tokens)
    return [chr(0x4E00 + known.setdefault(row, len(known))) * count for row, count in zip(rows, tokens, strict=True)]


@pytest.mark.parametrize(
    ("model", "oracle", "read"),
    [("claude-opus-5", lambda: Anthropic(512), 0.1), ("gpt-5.6", NewOpenAI, 0.1), ("gpt-5.5", OldOpenAI, 0.1)],
)
def test_sessions_cost_what_the_rules_told_twice_say(model, oracle, read):
    prices, hits = Prices(input=3, output=7), 0
    for seed in range(TRACES):
        between = Random(seed).choice([1, 299, 300, 1_500, 4_000])
        other, known, cost = oracle(), {}, 0.0
        requests, told, writer = [], [], Writer(Estimator())
        for number, body in enumerate(bodies(seed)):
            request, markers = marked(body, (seed, number).__hash__(), "cache_control")
            requests.append(request)
            markers = [(place + 1, life) for place, life in markers]  # behind the settings
            told.append(other.request(letters(body, known, writer), markers, number * between))
            billed, spans, plain = told[-1]
            cost += billed * 3 * read + plain * 3 + sum(tokens * 3 * WRITE[life] for life, tokens in spans.items())
        if model == "gpt-5.5":
            cost = sum(billed * 3 * read + plain * 3 for billed, _, plain in told)
        report = simulate(requests, None, model, prices=prices, seconds_between=between, format="anthropic")
        found = [(step.read, step.written, step.plain) for step in report.steps]
        assert found == [(billed, sum(spans.values()), plain) for billed, spans, plain in told], seed
        assert report.cost * 1e6 == pytest.approx(cost + report.output * 7), seed
        hits += report.read > 0
    assert hits > TRACES / 3

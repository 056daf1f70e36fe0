"""What a provider reads, writes and bills, beside a second telling of the rules."""

import pytest

from cache.oracle import Anthropic, NewOpenAI, OldOpenAI, common
from cache.traces import trace
from ullage.cache.prompt import Prompt
from ullage.cache.provider_cache import CacheUse, Marker, ProviderCache
from ullage.cache.rules import all_rules, cache_rules

TRACES = 1_000


def prompt_of(blocks, markers=(), prompt=None):
    prompt = Prompt() if prompt is None else prompt
    prompt.cut(0)
    for block in blocks:
        prompt.append(block, len(block))
    prompt.markers = [Marker(*marker) for marker in markers]
    return prompt


def partial(blocks, before, now, life):
    """Letters shared inside the first block that is not known."""
    live = [other for other, time in before if now < time + life]
    known = 0
    while known < len(blocks) and any(other[: known + 1] == blocks[: known + 1] for other in live):
        known += 1
    if known == len(blocks):
        return 0
    rivals = [other[known] for other in live if len(other) > known and other[:known] == blocks[:known]]
    return max((common([blocks[known]], [rival]) for rival in rivals), default=0)


@pytest.mark.parametrize(
    ("name", "minimum", "traces"),
    [("claude-opus-5", 512, 1_000), ("claude-opus-4-8", 1024, 200), ("claude-opus-4-6", 4096, 200)],
)
def test_anthropic_is_as_told_twice(name, minimum, traces):
    rules = cache_rules(name)
    hits = writes = 0
    for seed in range(traces):
        cache, other, prompt = ProviderCache(rules), Anthropic(minimum), Prompt()
        for step, (blocks, markers, now) in enumerate(trace(seed)):
            use = cache.request(prompt_of(blocks, markers, prompt), at=now)
            assert (use.read, dict(use.writes), use.plain) == other.request(blocks, markers, now), (seed, step)
            assert use.written == sum(tokens for _, tokens in use.writes)
            hits += use.read > 0
            writes += len(use.writes) == 2
    assert hits > traces / 2
    assert writes > traces / 50


def test_older_openai_is_as_told_twice():
    rules = cache_rules("gpt-5.5")
    hits = inside = 0
    for seed in range(TRACES):
        cache, other, prompt, sent = ProviderCache(rules), OldOpenAI(), Prompt(), []
        for step, (blocks, markers, now) in enumerate(trace(seed)):
            shared = partial(blocks, sent, now, 300)
            use = cache.request(prompt_of(blocks, markers, prompt), at=now, partial=shared)
            sent.append((blocks, now))
            read, _, plain = other.request(blocks, markers, now)
            assert (use.read, use.written, use.plain) == (read, 0, plain), (seed, step)
            hits += use.read > 0
            inside += shared > 128
    assert hits > 500
    assert inside > 50


@pytest.mark.parametrize(("back", "read"), [(19, 1_000), (20, 0)])
def test_a_marker_finds_what_ends_at_most_twenty_blocks_before(back, read):
    cache = ProviderCache(cache_rules("claude-opus-5"))
    blocks = ["a" * 1_000]
    cache.request(prompt_of(blocks, [(0, None)], prompt := Prompt()))
    blocks += ["b"] * back
    assert cache.request(prompt_of(blocks, [(back, None)], prompt)) == CacheUse(
        read, 1_000 + back - read, 0, ((300, 1_000 + back - read),)
    )


@pytest.mark.parametrize(("between", "read"), [(79, 1_024), (80, 0)])
def test_newer_openai_tries_eighty_cached_prefixes(between, read):
    """They are tried from the newest, whether they are still there or not."""
    cache = ProviderCache(cache_rules("gpt-5.6"))
    blocks = ["a" * 1_024]
    cache.request(prompt_of(blocks, prompt=(prompt := Prompt())), at=1_000)
    for _ in range(between):
        blocks.append("b" * 128)
        cache.request(prompt_of(blocks, prompt=prompt), at=1_000)
    cache.request(prompt_of(blocks[:1], prompt=prompt), at=2_000)
    use = cache.request(prompt_of([*blocks, "c"], prompt=prompt), at=2_800)
    assert use.read == read


def test_the_later_markers_count():
    """Anthropic refuses a fifth; OpenAI takes the latest, and so do the predictions."""
    cache = ProviderCache(cache_rules("claude-opus-5"))
    blocks = ["a" * 600] * 6
    cache.request(prompt_of(blocks, [(place, None) for place in range(5)], prompt := Prompt()))
    assert cache.request(prompt_of(blocks[:1], [(0, None)], prompt)).read == 0
    assert cache.request(prompt_of(blocks[:2], [(1, None)], prompt)).read == 1_200


def test_a_marker_inside_what_is_read_is_kept_for_free():
    cache = ProviderCache(cache_rules("claude-opus-5"))
    blocks = ["a" * 600, "b" * 600]
    cache.request(prompt_of(blocks, [(1, None)], prompt := Prompt()))
    assert cache.request(prompt_of(blocks, [(0, None), (1, None)], prompt)).written == 0
    assert cache.request(prompt_of([blocks[0], "c"], [(0, None)], prompt)) == CacheUse(600, 0, 1)


def test_time_does_not_run_backwards():
    cache = ProviderCache(cache_rules("claude-opus-5"))
    cache.request(prompt_of(["a"]), at=2.0)
    with pytest.raises(ValueError, match=r"starts at 1\.0, before the one before it at 2\.0"):
        cache.request(prompt_of(["a"]), at=1.0)


@pytest.mark.parametrize("at", [float("nan"), float("inf"), float("-inf")])
def test_time_is_a_finite_number(at):
    cache = ProviderCache(cache_rules("claude-opus-5"))
    with pytest.raises(ValueError, match=f"starts at {at}; give seconds"):
        cache.request(prompt_of(["a"]), at=at)
    assert cache.request(prompt_of(["a"]), at=0.0) == CacheUse(0, 0, 1)


@pytest.mark.parametrize("name", ["claude-opus-5", "gpt-5.6"])
@pytest.mark.parametrize(("places", "message"), [([2], "0 to 1"), ([-1], "0 to 1"), ([1, 0], "block 0; .* 1 to 1")])
def test_markers_are_on_blocks_in_order(name, places, message):
    with pytest.raises(ValueError, match=message):
        ProviderCache(cache_rules(name)).request(prompt_of(["a", "b"], [(place, None) for place in places]))


def test_an_empty_request_costs_nothing():
    for name in ("anthropic", "openai", "gpt-4o", "vllm"):
        assert ProviderCache(cache_rules(name)).request(Prompt()) == CacheUse(0, 0, 0)


def test_automatic_writes_are_billed_where_the_rules_say_so():
    cache = ProviderCache(cache_rules("kimi-k3"))
    assert cache.request(prompt_of(["a" * 1_000], prompt=(prompt := Prompt()))) == CacheUse(0, 768, 232, ((300, 768),))
    assert cache.request(prompt_of(["a" * 1_000, "b" * 600], prompt=prompt)) == CacheUse(768, 768, 64, ((300, 768),))


def test_a_step_costs_what_is_new():
    """Counted in blocks asked for, not in time."""

    class Counted(Prompt):
        asked = 0

        def key(self, block, /):
            Counted.asked += 1
            return super().key(block)

    for name in ("claude-opus-5", "gpt-5.6", "gpt-5.5"):
        cache, prompt = ProviderCache(cache_rules(name)), Counted()
        for number in range(5_000):
            prompt.append(number, 10)
        cache.request(prompt)
        Counted.asked = 0
        for number in range(100):
            prompt.append(number, 10)
            prompt.markers = [Marker(len(prompt) - 1)]
            cache.request(prompt)
        assert Counted.asked < 100 * 40, name


def test_newer_openai_is_as_told_twice():
    rules = cache_rules("gpt-5.6")
    hits = 0
    for seed in range(TRACES):
        cache, other, prompt = ProviderCache(rules), NewOpenAI(), Prompt()
        for step, (blocks, markers, now) in enumerate(trace(seed)):
            use = cache.request(prompt_of(blocks, markers, prompt), at=now)
            assert (use.read, dict(use.writes), use.plain) == other.request(blocks, markers, now), (seed, step)
            hits += use.read > 0
    assert hits > 500


@pytest.mark.parametrize("rules", all_rules(), ids=lambda rules: f"{rules.provider} {' '.join(rules.models[:1])}")
def test_what_holds_for_every_provider(rules):
    """All is billed once, in steps, and nothing is read that was not sent before."""
    for seed in range(20):
        cache, prompt, sent = ProviderCache(rules), Prompt(), []
        for blocks, markers, now in trace(seed):
            use = cache.request(prompt_of(blocks, markers, prompt), at=now)
            total = len("".join(blocks))
            shared = max((common(blocks, other) for other in sent), default=0)
            sent.append(blocks)
            assert use.read + use.written + use.plain == total
            assert min(use.read, use.written, use.plain) >= 0
            assert use.read <= shared
            assert use.read == 0 or (use.read >= rules.minimum and use.read % rules.step == 0)
            assert use.written == sum(tokens for _, tokens in use.writes)
            assert {life for life, _ in use.writes} <= set(rules.lives)
            assert bool(rules.write) or not use.written

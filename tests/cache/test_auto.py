"""`Clear(batch="auto")` goes by the prices of a cache, and by nothing else."""

from dataclasses import replace
from random import Random

import pytest

from cache.test_simulate import message
from ullage import Clear, FitPolicy, History, UnknownModel, cache_rules, fit, simulate, what_if
from ullage.cache.auto import share
from ullage.cache.rules import CacheRules


def session(seed, rounds):
    random = Random(seed)
    messages = [message(300, "u", role="user")]
    for number in range(rounds):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages.append(message(random.randint(20, 60), "a", role="assistant", tool_calls=[call]))
        messages.append(message(random.choice([20, 100, 400, 900]), "r", role="tool", tool_call_id=f"c{number}"))
    return messages


def test_the_cheaper_a_read_the_more_at_once():
    free = CacheRules("mine", minimum=1_024, step=128, partial=True)
    shares = [share(replace(free, read=read)) for read in (0.0, 0.05, 0.2, 0.5)]
    assert shares == sorted(shares, reverse=True)
    assert all(0.1 < found < 0.4 for found in shares)


@pytest.mark.parametrize("seed", range(5))
def test_what_was_cleared_stays_cleared_as_the_history_grows(seed):
    policy = FitPolicy(clear=Clear(batch="auto", rules=cache_rules("claude-opus-5")), rounds=None)
    messages, cleared, changes = session(seed, 60), set(), 0
    history = History(format="openai-chat")
    for stop in range(1, len(messages) + 1, 2):
        fitted = fit(messages[:stop], 9_000, policy=policy, history=history)
        assert fitted.messages == fit(messages[:stop], 9_000, policy=policy).messages  # nothing is remembered
        now = {entry.start for entry in fitted.receipt.entries if entry.action == "cleared"}
        assert cleared <= now
        changes += cleared != now
        cleared = now
    every = what_if(messages, 9_000, policy=FitPolicy(clear=Clear(batch=1, free=0), rounds=None))
    assert 1 < changes < len(every.entries) / 2


def test_a_share_is_what_a_batch_frees():
    """Each time, all but the last clearing frees at least the share of the limit."""
    messages = session(1, 60)
    for size in (0.1, 0.3):
        policy = FitPolicy(clear=Clear(batch=size, free=0), rounds=None)
        before = 0
        for stop in range(1, len(messages) + 1, 2):
            receipt = what_if(messages[:stop], 9_000, policy=policy)
            freed = receipt.before - receipt.after
            assert freed == before or freed - before >= min(size, 0.25) * 9_000
            before = freed
        assert before > 9_000


def test_the_model_of_a_request_says_what_the_cache_costs():
    messages = session(2, 40)
    policy = FitPolicy(clear=Clear(batch="auto"))
    auto = fit(messages, 9_000, model="gpt-4o", policy=policy)
    assert auto == fit(
        messages, 9_000, model="gpt-4o", policy=FitPolicy(clear=Clear(batch=share(cache_rules("gpt-4o"))))
    )


def test_without_a_model_it_is_an_error():
    messages, policy = session(3, 2), FitPolicy(clear=Clear(batch="auto"))
    with pytest.raises(ValueError, match=r"goes by what the cache costs: give the model, or Clear\(rules=cache_rules"):
        fit(messages, 9_000, policy=policy)
    with pytest.raises(ValueError, match="goes by what the cache costs"):
        fit(messages, 9_000, policy=policy, history=History(messages, model="gpt-4o"))
    with pytest.raises(UnknownModel, match=r"no cache rules are known for the model or provider 'llama3\.1:8b'"):
        fit(messages, 9_000, policy=policy, model="llama3.1:8b")


def test_the_rules_of_a_policy_are_rules():
    policy = FitPolicy(clear=Clear(batch="auto", rules="claude-opus-5"))
    with pytest.raises(TypeError, match="rules must be CacheRules, not str"):
        fit(session(3, 2), 9_000, policy=policy)


def test_simulate_goes_by_its_rules():
    messages = session(4, 40)
    policy = FitPolicy(clear=Clear(batch="auto"))
    found = simulate(messages, policy, "claude-opus-5", budget=9_000)
    size = share(cache_rules("claude-opus-5"))
    assert found == simulate(messages, FitPolicy(clear=Clear(batch=size)), "claude-opus-5", budget=9_000)


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        (0, ValueError, "batch is 0; it is at least 1"),
        (1.0, ValueError, "batch is 1.0; as a share it is above 0 and below 1"),
        (0.0, ValueError, "as a share it is above 0"),
        (float("nan"), ValueError, "as a share it is above 0"),
        (True, TypeError, "batch must be int, not bool"),
        ("many", TypeError, "batch must be int, not str"),
    ],
)
def test_batches_are_checked(batch, error, message):
    with pytest.raises(error, match=message):
        Clear(batch=batch)

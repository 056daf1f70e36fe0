"""What holds of every history, budget and policy, in every format."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fit.made import NAMES, checked, policies, steps_, tokens_of
from formats.builder import build
from ullage import validate


def whatever_comes_out_is_valid(data, name, steps):
    messages, system, _ = build(name, steps)
    assume(not validate(messages, name))
    share = data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, 1.0]))
    budget = max(1, int(tokens_of(name, messages, system) * share))
    indices = st.lists(st.integers(0, len(messages) - 1), max_size=2).map(tuple)
    policy = data.draw(policies(st.one_of(st.just(()), indices)))
    checked(name, messages, budget, system=system, policy=policy)


@settings(max_examples=2_000)
@given(st.data(), NAMES, steps_())
def test_whatever_comes_out_is_valid(data, name, steps):
    whatever_comes_out_is_valid(data, name, steps)


@pytest.mark.long
@settings(max_examples=100_000, suppress_health_check=list(HealthCheck))
@given(st.data(), NAMES, steps_(max_turns=8, max_rounds=10))
def test_whatever_comes_out_is_valid_at_length(data, name, steps):
    whatever_comes_out_is_valid(data, name, steps)

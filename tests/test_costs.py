"""Costs of many texts are those of each."""

from hypothesis import given
from hypothesis import strategies as st

from ullage import Estimator
from ullage.fitting.costs import Costs

TEXTS = st.lists(st.one_of(st.text(st.characters(codec=None)), st.text("abc d\n1", max_size=200)), max_size=8)
ESTIMATORS = [Estimator(), *map(Estimator.for_model, ("gpt-4o", "claude-opus-4-8", "gemini-3-pro"))]
ESTIMATORS.append(ESTIMATORS[1].observe(1_000, 1_400))


@given(TEXTS, st.sampled_from(ESTIMATORS))
def test_a_batch_costs_what_its_texts_cost(texts, estimator):
    costs = Costs(estimator)
    assert costs.estimate_batch(texts).tolist() == [costs.estimate(text) for text in texts]

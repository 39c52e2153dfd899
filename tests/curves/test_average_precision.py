"""Average precision beside what random labels would have."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from baserate.curves import average_precision, sweep
from oracles import curve_twins as twins

TIED = st.lists(st.integers(0, 4), min_size=2, max_size=8)


@pytest.mark.parametrize("ties", [None, 1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_is_scikit_learns(ties, weighted):
    rng = np.random.default_rng(3)
    y, scores = rng.random(300) < 0.2, rng.normal(size=300)
    scores = scores if ties is None else np.round(scores * ties)
    weights = rng.random(300) if weighted else None
    found = average_precision(sweep(y, scores, sample_weight=weights))
    expected = average_precision_score(y, scores, sample_weight=weights)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert isnan(found.chance) == weighted
    assert (found.chance_reason is not None) == weighted


@pytest.mark.slow
@given(TIED, st.data())
def test_average_precision_of_random_labels(scores, data):
    p = data.draw(st.integers(1, len(scores)))
    truth = [i < p for i in range(len(scores))]
    found = average_precision(sweep(truth, scores, pos_label=True))
    chance = float(twins.mean_over_labellings(twins.average_precision, scores, p))
    value = float(twins.average_precision(truth, scores))
    assert found.value == pytest.approx(value, rel=1e-13)
    assert found.chance == pytest.approx(chance, rel=1e-13)
    if p < len(scores):
        assert found.skill == pytest.approx((value - chance) / (1 - chance), abs=1e-12)


def test_chance_for_distinct_scores_is_the_harmonic_form():
    n, p = 1000, 10
    harmonic = sum(1 / i for i in range(1, n + 1))
    expected = (p - 1) / (n - 1) + (n - p) / (n * (n - 1)) * harmonic
    found = average_precision(sweep(np.arange(n) < p, np.arange(n)))
    assert found.chance == pytest.approx(expected, rel=1e-13)
    assert found.chance > 1.6 * p / n  # far from the base rate


def test_average_precision_where_something_is_missing():
    found = average_precision(sweep([0, 0], [1, 2]))
    assert (found.reason, found.chance_reason) == ("no positives", "no positives")
    assert isnan(found.value)
    everything = average_precision(sweep([1, 1], [1, 2]))
    assert (everything.value, everything.chance) == (1.0, 1.0)
    assert isnan(everything.skill)

"""What guessing scores: the guess and its extremes are known, or missing, each for itself."""

from dataclasses import replace
from math import isnan

import pytest

from baserate import metrics
from baserate.evaluation.guesses import baseline

LARGE = {"n_positive": 400_000, "n_negative": 600_000}
# Nothing is known of how its chance depends on how many are flagged.
OWN = replace(metrics.yule_q, name="own", chance_shape="unknown")


def test_a_known_chance_outlives_extremes_that_take_too_long():
    (fact,) = baseline(**LARGE, metrics=[OWN], guess="uniform").metrics
    # Flipping every prediction changes the sign of Q, and a fair coin does not notice.
    assert fact.chance == pytest.approx(0, abs=1e-12)
    assert fact.p_defined == 1
    assert isnan(fact.low)
    assert isnan(fact.high)
    assert fact.low_at == fact.high_at == ()
    assert "tables, more than 20,000,000: limit n_predicted" in fact.reason


def test_known_extremes_outlive_a_missing_chance():
    (fact,) = baseline(n_positive=3, n_negative=0, metrics="specificity", guess="mode").metrics
    assert isnan(fact.chance)
    assert fact.reason == "undefined under this guess"
    (fact,) = baseline(**LARGE, metrics="base_rate").metrics
    assert isnan(fact.chance)
    assert fact.low == fact.high == 0.4
    assert fact.reason == "neither more nor less is better, so no guess is best"


def test_the_best_draw_is_missing_with_its_reason():
    (fact,) = baseline(**LARGE, metrics=[OWN]).metrics
    assert isnan(fact.chance)
    assert fact.reason.count("tables") == 1

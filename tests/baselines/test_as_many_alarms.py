"""Chance of as many alarms at all cuts at once, against one at a time and exact fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from baserate import metrics, skill, sweep
from baserate.baselines.chance_curve import chance_by_alarms
from baserate.errors import UnsupportedError

DIRECTED = [
    metric.name for metric in map(metrics.get, metrics.CATALOGUE) if metric.direction != "neither"
]


@pytest.mark.sweep(108, start=105)
@pytest.mark.parametrize("n", [7, 90, 3000])
@pytest.mark.parametrize("name", DIRECTED)
def test_it_is_the_chance_that_skill_refers_to(name, n):
    rng = np.random.default_rng(n)
    score = rng.random(n).round(3)
    truth = rng.random(n) < score**2
    truth[:2] = True, False
    swept = sweep(truth, score)
    cuts = np.unique(np.linspace(0, len(swept.thresholds) - 1, 9).astype(int))
    found = chance_by_alarms(name, swept.tables[cuts])
    expected = [skill(name, swept.tables[int(k)], guess="same_alarms").chance for k in cuts]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_exact_fractions_given_that_it_is_defined():
    swept = sweep([1, 0, 1, 0, 0], [0.9, 0.7, 0.5, 0.3, 0.1])
    found = chance_by_alarms("positive_likelihood_ratio", swept.tables)
    for alarms in range(6):
        ways = {t: comb(2, t) * comb(3, alarms - t) for t in range(alarms + 1) if alarms > t}
        total = sum(ways.values())
        if not total:
            assert np.isnan(found[alarms])
            continue
        mean = sum(w * Fraction(t, 2) / Fraction(alarms - t, 3) for t, w in ways.items()) / total
        assert found[alarms] == pytest.approx(float(mean), abs=1e-14)


def test_restated_at_another_base_rate_it_is_that_of_the_population():
    swept = sweep([1, 0, 1, 0, 0], [0.9, 0.7, 0.5, 0.3, 0.1])
    found = chance_by_alarms(metrics.get("precision").at_base_rate(0.02), swept.tables)
    assert found[1:] == pytest.approx(np.full(5, 0.02))


def test_weights_are_taken_where_the_totals_alone_decide():
    swept = sweep([1, 0, 1, 0], [0.9, 0.7, 0.5, 0.3], sample_weight=[0.1, 0.2, 0.3, 0.4])
    shares = np.array([0, 1, 3, 6, 10]) / 10
    assert chance_by_alarms("recall", swept.tables) == pytest.approx(shares)
    with pytest.raises(UnsupportedError, match="random denominator"):
        chance_by_alarms("f1", swept.tables)

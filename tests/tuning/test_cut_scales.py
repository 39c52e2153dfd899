"""Cuts on two scales, and the quotient of every metric of example 6 in Holzmann and Klar."""

from math import inf

import numpy as np
import pytest

from baserate import metrics, populations, tuning
from baserate.errors import InvalidArgumentError, UnknownNameError
from oracles import bayes_twins


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", bayes_twins.QUOTIENTS)
def test_quotients_of_the_paper(name):
    for s, t, p in ((0.6, 0.8, 0.3), (0.9, 0.55, 0.01), (0.2, 0.99, 0.7)):
        found = tuning.quotient(name, recall=s, specificity=t, base_rate=p)
        exact = float(bayes_twins.QUOTIENTS[name](s, 1 - s, 1 - t, t, p))
        assert found == pytest.approx(exact, rel=1e-12)


def test_the_best_threshold_solves_the_equation():
    population = populations.LDA(distance=1.5)
    best = tuning.bayes_threshold("robust_mcc(d=0.05)", population, base_rate=0.1)
    rates = {"recall": best.recall, "specificity": best.specificity}
    found = tuning.quotient("robust_mcc(d=0.05)", **rates, base_rate=0.1)
    assert found == pytest.approx(best.ratio, rel=1e-10)
    known = tuning.density_ratio(best.probability, base_rate=0.1)
    assert known == pytest.approx(best.ratio, rel=1e-12)


def test_a_metric_of_ones_own_has_a_quotient():
    own = metrics.define("twice_recall", lambda tp, fn, fp, tn: 2 * tp / (tp + fn) + tn / (fp + tn))
    assert tuning.quotient(own, recall=0.5, specificity=0.5, base_rate=0.2) == pytest.approx(0.5)


def test_density_ratios_follow_bayes():
    cut, share = np.array([0.0, 1e-9, 0.25, 0.999, 1.0]), np.array([0.1, 0.5, 0.7, 1e-6, 0.3])
    ratio = tuning.density_ratio(cut, base_rate=share)
    assert ratio[[0, 4]].tolist() == [0, inf]
    odds = ratio[1:4] * share[1:4] / (1 - share[1:4])
    np.testing.assert_allclose(odds / (1 + odds), cut[1:4], rtol=1e-12)
    assert tuning.density_ratio(0.2, base_rate=0.2) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: tuning.density_ratio(1.2, base_rate=0.1),
            "probability must lie.*got 1.2",
        ),
        (lambda: tuning.density_ratio(0.2, base_rate=0), "base_rate must lie in"),
        (lambda: tuning.quotient("f1", recall=1, specificity=0.5, base_rate=0.1), "recall must"),
    ],
)
def test_errors_finish_the_sentence(call, said):
    with pytest.raises(InvalidArgumentError, match=said):
        call()


def test_metrics_of_class_tables_have_none():
    with pytest.raises(UnknownNameError):
        tuning.quotient("nonsense", recall=0.5, specificity=0.5, base_rate=0.1)

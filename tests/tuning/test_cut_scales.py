"""Cuts on two scales, and the quotient of every metric of example 6 in Holzmann and Klar."""

from math import inf

import numpy as np
import pytest

from baserate import metrics, populations, tuning
from baserate.errors import InvalidArgumentError, UnknownNameError

# Positive forms of the quotients, from the paper's appendix: s recall, t specificity, p base rate.
QUOTIENTS = {
    "accuracy": lambda s, t, p: (1 - p) / p,
    "balanced_accuracy": lambda s, t, p: 1,
    "jaccard": lambda s, t, p: s * (1 - p) / (1 - t * (1 - p)),
    "f1": lambda s, t, p: s * (1 - p) / (p + (1 - t) * (1 - p)),
    "f_beta(beta=2)": lambda s, t, p: s * (1 - p) / (4 * p + (1 - t) * (1 - p)),
    "yule_q": lambda s, t, p: s * (1 - s) / (t * (1 - t)),
    "yule_y": lambda s, t, p: s * (1 - s) / (t * (1 - t)),
    "cohen_kappa": lambda s, t, p: (s + p * (1 - 2 * s)) / (1 - t - p * (1 - 2 * t)),
    "matthews_correlation": lambda s, t, p: (
        ((t + s - 1) * (2 * s - 1) * p + (1 - 2 * s) * t + s - 1)
        / ((1 - 2 * t) * (t + s - 1) * p + 2 * t**2 - 2 * t)
    ),
    "robust_f(d0=0.1, d1=1, c=1)": lambda s, t, p: (1 + s) * (1 - p) / (0.1 + (1 - p) * (1 - t)),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotients_of_the_paper(name):
    for s, t, p in ((0.6, 0.8, 0.3), (0.9, 0.55, 0.01), (0.2, 0.99, 0.7)):
        found = tuning.quotient(name, recall=s, specificity=t, base_rate=p)
        assert found == pytest.approx(QUOTIENTS[name](s, t, p), rel=1e-12)


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

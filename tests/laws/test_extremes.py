"""Numbers at the ends of the floats: an answer, or a refusal of ours, and no warning of NumPy's."""

from contextlib import suppress
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import baserate as br
from baserate import metrics
from baserate.cases import count_labels
from baserate.curves import (
    Empirical,
    average_precision,
    brier_score,
    calibration,
    convex_hull,
    discrimination_slope,
    log_loss,
    partial_auc,
    precision_recall,
    r_squared,
    roc_auc,
    roc_curve,
    roc_dominance,
    sweep,
)
from baserate.errors import BaserateError
from baserate.inference import interval
from baserate.tuning import bayes_threshold, cross_validated_threshold, optimal_threshold
from baserate.utilities.net_benefit import (
    net_benefit_curve,
)

inf = np.inf
SCORES = {
    "1e300": [1e300, 2e300, -1e300, 0.0, 1e300, 3e300],
    "largest": [1.7e308, 1.6e308, -1.7e308, 1.79e308, 0, 1.0],
    "smallest": [5e-324, 1e-323, 0, -5e-324, 1e-310, 2e-308],
    "infinite": [inf, 1, 0, -inf, 2, inf],
    "-infinite": [-inf, -inf, 0.5, 0.2, 0.3, 0.9],
    "all infinite": [inf] * 6,
    "all one": [0.3] * 6,
    "certain": [0, 1, 0.5, 5e-324, 1 - 1e-16, 0.2],
    "usual": [0.9, 0.8, 0.2, 0.3, 0.6, 0.1],
    "reversed": [0.1, 0.5, 0.3, 0.7, 0.1, 0.2],
    "integers": [2**60, 2**60 + 1, 0, -(2**62), 5, 6],
    "half floats": np.array([6e4, 1, 2, 3, -6e4, 0.1], "f2"),
}
TRUTH = {
    "both": [1, 0, 1, 0, 1, 0],
    "a positive": [1, 0, 0, 0, 0, 0],
    "a negative": [1, 1, 1, 1, 1, 0],
    "no positive": [0] * 6,
    "no negative": [1] * 6,
}
WEIGHTS = {
    "none": None,
    "tiny": [1e-100] * 6,
    "huge": [1e100] * 6,
    "apart": [1e-100, 1e100, 1, 1e50, 1e-50, 3.0],
    "apart again": [1e16, 1.0, 1e-100, 1e140, 1e140, 1e-50],
    "and again": [1e-100, 1e-100, 1e140, 1e140, 1e140, 1.0],
    "some zero": [0, 0, 1, 2, 3, 4],
}
OTHER = sweep([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
METRICS = ("f1", "mcc", "balanced_accuracy", "jaccard")
ASKED = {
    **{
        f.__name__: f
        for f in (
            roc_auc,
            average_precision,
            brier_score,
            log_loss,
            calibration,
            convex_hull,
            roc_curve,
            precision_recall,
            net_benefit_curve,
        )
    },
    "tables": lambda s: (s.tables, s.base_rate, s.roc_auc()),
    "explained": lambda s: (r_squared(s, kind="nagelkerke"), discrimination_slope(s)),
    "partial": lambda s: (partial_auc(s, max_fpr=0.3), partial_auc(s, max_fpr=1e-300)),
    "dominance": lambda s: (roc_dominance(s, OTHER), roc_dominance(s, s)),
    "bayes": lambda s: bayes_threshold("f1", Empirical(s), base_rate=0.3),
    "expected": lambda s: optimal_threshold("f1", s, method="plug_in"),
    "constrained": lambda s: optimal_threshold("precision", s, constraint="recall >= 0.5"),
    **{name: lambda s, name=name: optimal_threshold(name, s) for name in METRICS},
}


@pytest.mark.sweep(22, start=15)
@pytest.mark.parametrize("asked", ASKED)
def test_every_question_has_an_answer_or_a_refusal(asked):
    answered = 0
    for scores, truth, weights in product(SCORES.values(), TRUTH.values(), WEIGHTS.values()):
        try:
            ASKED[asked](sweep(truth, scores, sample_weight=weights))
        except BaserateError:
            continue
        answered += 1
    assert answered > 40


def test_cross_validation_too():
    answered = 0
    for scores, truth, nested in product(SCORES.values(), TRUTH.values(), (False, True)):
        with suppress(BaserateError):
            cross_validated_threshold("f1", [(truth, scores)] * 3, nested=nested)
            answered += 1
    assert answered > 10


def weighted(truth, scores, weights):
    return sweep(truth, scores, sample_weight=weights)


@pytest.mark.parametrize("light", [1e-100, 1e-30, 1.0, 1e30])
def test_losses_of_the_base_rate_are_exact(light):
    truth, scores, weights = [1, 1, 0], [0.9, 0.6, 0.3], [1e20, 1e20, light]
    p, q = (Fraction(w) for w in (2e20, light))
    expected = p * q / (p + q) ** 2
    found = brier_score(weighted(truth, scores, weights))
    assert found.chance == pytest.approx(float(expected), rel=1e-14)
    with mpmath.workdps(400):
        shares = [mpmath.mpf(part.numerator) / part.denominator for part in (p, q)]
        total = sum(shares)
        entropy = -sum(part / total * mpmath.log(part / total) for part in shares)
    found = log_loss(weighted(truth, scores, weights))
    assert found.chance == pytest.approx(float(entropy), rel=1e-14)
    assert found.skill == pytest.approx(1 - found.value / float(entropy), rel=1e-13)


def test_an_area_that_is_one_but_for_rounding_is_bounded_by_its_effective_cases():
    s = weighted([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], [1.0, 1e-100, 1.0, 1.0, 1.0])
    found = roc_auc(s, method="conservative")
    assert (found.value, found.high, found.reason) == (1.0, 1.0, None)
    assert found.low == pytest.approx(0.025 ** (1 / 2), rel=1e-9)


def test_curves_with_weights_that_are_nothing_beside_others_are_compared():
    light = weighted([1, 0, 1, 0, 1], [5, 4, 3, 2, 1], [1.0, 1.0, 1.0, 1e-100, 1e-100])
    plain = weighted([1, 0, 1], [5, 4, 3], [1.0, 1.0, 1.0])
    assert roc_dominance(light, plain).relation == "equal"


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["mcc", "f1", "kappa", "markedness", "yule_q", "lift"])
@pytest.mark.parametrize("weight", [1e-100, 1e-30, 1e100])
def test_intervals_do_not_depend_on_the_unit_of_weights(name, weight):
    y, p = [1, 1, 0, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 0]
    plain = interval(metrics.get(name), br.confusion_matrix(y, p))
    counted = count_labels(y, p, sample_weight=[weight] * 8)
    found = interval(name, counted.table, squared_weights=counted.squared)
    expected = (plain.low, plain.value, plain.high)
    assert (found.low, found.value, found.high) == pytest.approx(expected, rel=1e-9)

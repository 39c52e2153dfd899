"""Weighted cases, compared in pairs: what eight sums say is what the cases say one by one."""

from fractions import Fraction
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from baserate.inference import mcnemar_test, paired_counts
from baserate.inference.paired_weights import WeightedPair
from baserate.metrics import binary_metric

# Numerator and denominator of each metric, in tp, fn, fp, tn.
LINEAR = {
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "recall": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "specificity": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
}


def weighted(metric, sums, squared, n):
    """Return what is known of the difference by the sums of weights, and of their squares."""
    return WeightedPair.of(sums, squared, n).compared(binary_metric(metric), 0.95)


def cases(n=80, seed=4, largest=6):
    """Draw truth, two decisions and whole weights; A is better than B."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.45
    hard = rng.normal(size=n)
    a, b = (np.where(hard + rng.normal(size=n) + shift > 0, y, ~y) for shift in (1.0, 0.4))
    return y, a, b, rng.integers(1, largest, n)


def sums(y, a, b, weight):
    places = 4 * ~a + 2 * ~b + ~y
    return [np.bincount(places, w, 8).reshape(2, 2, 2) for w in (weight, weight**2)]


def cell(truth, decided):
    return (1 - decided) if truth else (2 if decided else 3)


class ByCase:
    """The difference and its linearised variance in fractions, case by case."""

    def __init__(self, metric, y, a, b, weight):
        self.over, self.under = LINEAR[metric]
        y, a, b, weight = (column.tolist() for column in (y, a, b, weight))
        tables = [[Fraction(0)] * 4 for _ in "ab"]
        for truth, *decided, w in zip(y, a, b, weight, strict=True):
            for table, one in zip(tables, decided, strict=True):
                table[cell(truth, one)] += Fraction(w)
        (self.value_a, slope_a), (self.value_b, slope_b) = map(self.slopes, tables)
        moved = [
            Fraction(w) * (slope_a[cell(t, i)] - slope_b[cell(t, j)])
            for t, i, j, w in zip(y, a, b, weight, strict=True)
        ]
        n = len(moved)
        centre = sum(moved) / n
        self.difference = self.value_a - self.value_b
        self.variance = Fraction(n, n - 1) * sum((m - centre) ** 2 for m in moved)
        mean = [(s + t) / 2 for s, t in zip(*tables, strict=True)]
        _, slope = self.slopes(mean)
        flips = [
            Fraction(w) * (slope[cell(t, i)] - slope[cell(t, j)])
            for t, i, j, w in zip(y, a, b, weight, strict=True)
        ]
        self.z = float(sum(flips)) / sqrt(sum(f * f for f in flips))

    def slopes(self, table):
        """The value of a ratio of two linear functions, and its derivatives."""
        top = sum(k * x for k, x in zip(self.over, table, strict=True))
        whole = sum(k * x for k, x in zip(self.under, table, strict=True))
        value = top / whole
        return value, [(p - value * q) / whole for p, q in zip(self.over, self.under, strict=True)]


def freedom(metric, y, a, b, weight):
    """Welch's rule over the kinds of cases that move the difference alike."""
    found = ByCase(metric, y, a, b, weight)
    tables = [[int(weight[[cell(t, i) == k for t, i in zip(y, d, strict=True)]].sum())
               for k in range(4)] for d in (a, b)]  # fmt: skip
    slope_a, slope_b = (found.slopes([Fraction(x) for x in table])[1] for table in tables)
    shares, sizes = [], []
    for kind in np.ndindex(2, 2, 2):
        here = (y == kind[0]) & (a == kind[1]) & (b == kind[2])
        if here.any():
            moved = slope_a[cell(kind[0], kind[1])] - slope_b[cell(kind[0], kind[2])]
            squares = Fraction(int((weight[here] ** 2).sum()))
            shares.append(moved**2 * squares)
            sizes.append(Fraction(int(weight[here].sum())) ** 2 / squares)
    each = sum(s * s / m for s, m in zip(shares, sizes, strict=True))
    return float(sum(shares) ** 2 / each) - 1


@pytest.mark.parametrize("metric", LINEAR)
@pytest.mark.parametrize("largest", [2, 6, 40])
def test_eight_sums_say_what_the_cases_say_one_by_one(metric, largest):
    y, a, b, weight = cases(largest=largest)
    exact = ByCase(metric, y, a, b, weight)
    found = weighted(metric, *sums(y, a, b, weight), n=len(y))
    assert found.difference == pytest.approx(float(exact.difference))
    assert (found.value_a, found.value_b) == pytest.approx(
        (float(exact.value_a), float(exact.value_b))
    )
    t = stats.t.ppf(0.975, freedom(metric, y, a, b, weight))
    far = t * sqrt(exact.variance)
    middle = float(exact.difference)
    assert (found.low, found.high) == pytest.approx((middle - far, middle + far), rel=1e-6)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(exact.z)), rel=1e-6)
    assert found.route == found.p_value_route == "approximate, weighted"


@pytest.mark.parametrize("metric", ["accuracy", "recall", "specificity"])
def test_weights_of_one_have_mcnemars_statistic(metric):
    y, a, b, _ = cases()
    asked = {"accuracy": y | True, "recall": y, "specificity": ~y}[metric]
    first, second = (int((asked & (d == y) & (e != y)).sum()) for d, e in ((a, b), (b, a)))
    joint = paired_counts(y, a, b)
    found = weighted(metric, joint, joint, n=len(y))
    chi2 = (first - second) ** 2 / (first + second)
    assert found.p_value == pytest.approx(stats.chi2.sf(chi2, 1), rel=1e-6)
    assert found.p_value == pytest.approx(mcnemar_test(first, second).mid_p, abs=0.02)
    assert found.design_effect == pytest.approx(1, rel=1e-6)


def test_weights_that_go_with_nothing_cost_what_kish_says():
    rng = np.random.default_rng(1)
    y, a, b, _ = cases(n=100_000)
    weight = rng.lognormal(0, 0.8, len(y))
    found = weighted("accuracy", *sums(y, a, b, weight), n=len(y))
    kish = len(y) * (weight**2).sum() / weight.sum() ** 2
    assert found.design_effect == pytest.approx(kish, rel=0.05)


def test_few_effective_cases_never_reject():
    # Three cases tell both apart; one of them weighs as much as all others.
    joint = np.array([[[50.0, 50.0], [100.0, 0.0]], [[0.0, 0.0], [20.0, 50.0]]])
    squared = np.array([[[50.0, 50.0], [9000.0, 0.0]], [[0.0, 0.0], [20.0, 50.0]]])
    assert weighted("recall", joint, squared, n=173).p_value > 0.25


def test_equal_decisions_tell_nothing_about_their_difference():
    y, a, _, weight = cases()
    found = weighted("recall", *sums(y, a, a, weight), n=len(y))
    assert (found.difference, found.p_value) == (0, 1)
    assert isnan(found.low)
    assert found.reason == "nothing shows how much cases differ: collect more cases"
    nobody = weighted("precision", *sums(y, a, y & ~y, weight), n=len(y))
    assert isnan(nobody.difference)
    assert nobody.reason == nobody.p_value_reason

"""Metrics of two tables: values, undefined cases, names and intervals."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from scipy import integrate, stats

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups.holes import count_undefined
from baserate.groups.pair_intervals import pair_interval
from baserate.groups.pairs import (
    PAIRS,
    PairMetric,
    difference,
    get_pair,
    objective_fairness_index,
    ratio,
    treatment_equality,
)
from oracles import small_sample_twins as twins

A = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
B = ConfusionMatrix(tp=13, fn=9, fp=10, tn=30)


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def batches(n1, n2):
    pairs = [(x, y) for x in twins.tables(n1) for y in twins.tables(n2)]
    first, second = (np.array(side).T for side in zip(*pairs, strict=True))
    return pairs, table(first), table(second)


def of_two(name, operation, x, y):
    a, b = twins.metric(name, x), twins.metric(name, y)
    if a is None or b is None or (operation == "ratio" and b == 0):
        return None
    return a - b if operation == "difference" else a / b


@pytest.mark.parametrize("operation", ["difference", "ratio"])
@pytest.mark.parametrize(
    "name", ["recall", "marginal_benefit", "error_ratio", "matthews_correlation", "f1", "accuracy"]
)
def test_values_and_undefined_sets_on_all_pairs_of_tables(name, operation):
    pair = get_pair(f"{operation}({name})")
    pairs, first, second = batches(3, 4)
    expected = [of_two(name, operation, x, y) for x, y in pairs]
    found = pair(first, second)
    holes = np.array([value is None for value in expected])
    np.testing.assert_array_equal(np.isnan(found), holes)
    np.testing.assert_array_equal(pair.undefined(first, second), holes)
    values = np.array([float(v) for v in expected if v is not None])
    np.testing.assert_allclose(found[~holes], values, rtol=1e-14, atol=1e-14)
    assert count_undefined(pair, (3, 4)) == holes.sum()
    low, high = pair.bounds
    assert values.min() >= low
    assert values.max() <= high


def test_the_two_named_ones():
    assert objective_fairness_index(A, B) == pytest.approx(
        float(Fraction(5, 100) - Fraction(1, 62))
    )
    assert treatment_equality(A, B) == pytest.approx(0.5 - 0.9)
    assert {pair.name for pair in PAIRS} == {"objective_fairness_index", "treatment_equality"}
    assert objective_fairness_index.equal == 0
    assert ratio("recall").equal == 1


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("difference(recall)", "difference(recall)"),
        ("Ratio( TPR )", "ratio(recall)"),
        ("difference(f_beta(beta=3))", "difference(f_beta(beta=3))"),
        ("ratio(precision.at_base_rate(0.5))", "ratio(precision.at_base_rate(0.5))"),
        ("Objective Fairness Index", "objective_fairness_index"),
        (treatment_equality, "treatment_equality"),
    ],
)
def test_names(written, name):
    assert get_pair(written).name == name


def test_unknown_names_say_how_to_write_one():
    with pytest.raises(
        UnknownNameError, match=r"Did you mean 'treatment_equality'.*difference.recall"
    ):
        get_pair("treatment_equalty")


def test_a_users_metric():
    own = metrics.define("own", lambda tp, fn, fp, tn: tp / (fn - fp), direction="neither")
    pair = difference(own)
    assert isinstance(pair, PairMetric)
    expected = sum(x[1] == x[2] or y[1] == y[2] for x in twins.tables(3) for y in twins.tables(2))
    assert count_undefined(pair, (3, 2)) == expected
    assert "own" in repr(pair)


def test_reasons_in_words():
    empty, missed = ConfusionMatrix(tp=0, fn=0, fp=1, tn=4), ConfusionMatrix(tp=0, fn=3, fp=1, tn=4)
    assert difference("recall").undefined_reason(A, B) is None
    reason = difference("recall").undefined_reason(A, empty)
    assert reason == "in the second table, no positives (tp + fn = 0)"
    assert difference("recall").undefined_reason(empty, A).startswith("in the first table")
    assert ratio("recall").undefined_reason(A, missed) == "recall of the second table is 0"
    assert ratio("recall").undefined_reason(missed, A) is None


def beta_cdf_of(operation, x, first, second):
    """P(X op Y <= x) for two Beta variables, by SciPy's adaptive integration."""
    a, b = stats.beta(*first), stats.beta(*second)
    at = (lambda y: a.cdf(x + y)) if operation == "difference" else (lambda y: a.cdf(x * y))
    points = [float(b.ppf(q)) for q in (1e-6, 0.25, 0.5, 0.75, 1 - 1e-6)]
    found, _ = integrate.quad(
        lambda y: b.pdf(y) * at(y), 0, 1, points=points, limit=400, epsabs=1e-11, epsrel=1e-11
    )
    return found


@pytest.mark.parametrize("operation", ["difference", "ratio"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_of_proportions_have_the_probability_they_claim(operation, level):
    found = pair_interval(f"{operation}(recall)", A, B, confidence_level=level)
    sides = ((35.5, 5.5), (13.5, 9.5))
    reached = [beta_cdf_of(operation, x, *sides) for x in (found.low, found.high)]
    np.testing.assert_allclose(reached, [(1 - level) / 2, (1 + level) / 2], atol=1e-7)
    assert found.low < found.value < found.high
    assert found.route == "exact"


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("pair", ["difference(mcc)", "ratio(f2)", "ratio(balanced_accuracy)"])
def test_intervals_of_other_metrics_agree_with_draws(pair):
    rng = np.random.default_rng(5)
    draws = [table(rng.dirichlet([float(c) + 0.5 for c in t], size=400_000).T) for t in (A, B)]
    found = pair_interval(pair, A, B)
    below = np.mean(get_pair(pair)(*draws) <= np.array([[found.low], [found.high]]), axis=1)
    np.testing.assert_allclose(below, [0.025, 0.975], atol=0.0012)  # five standard errors
    assert found.route == "gauss"


def test_intervals_without_a_value_or_an_answer():
    empty = ConfusionMatrix(tp=0, fn=0, fp=1, tn=4)
    found = pair_interval("difference(recall)", A, empty)
    assert isnan(found.value)
    assert isnan(found.low)
    assert found.route == "undefined"
    with pytest.raises(UnsupportedError, match=r"can be negative.*use difference\(informedness\)"):
        pair_interval("ratio(informedness)", A, B)
    with pytest.raises(InvalidArgumentError, match=r"second must be a single table.*shape"):
        pair_interval("ofi", A, ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1))


def test_an_interval_holds_its_value():
    one, none = ConfusionMatrix(tp=1, fn=0, fp=0, tn=1), ConfusionMatrix(tp=0, fn=3, fp=0, tn=1)
    found = pair_interval("difference(recall)", one, none)
    assert (found.value, found.high) == (1, 1)
    back = pair_interval("difference(recall)", none, one)
    assert (back.value, back.low) == (-1, -1)
    assert back.high == pytest.approx(-found.low, abs=1e-6)
    assert pair_interval("ratio(recall)", none, one).low == 0

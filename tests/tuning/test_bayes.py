"""Best thresholds in a population, against optimisation in mpmath and against each other."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from baserate import metrics
from baserate.curves.populations import LDA, QDA, Rates
from baserate.errors import InvalidArgumentError, NoOptimumError, UnsupportedError
from baserate.tuning import bayes_threshold, stationary_ratios
from baserate.tuning.derivatives import Differentiable, complex_slopes
from oracles import bayes_twins
from oracles.bayes_twins import SCENARIO_1, SCENARIO_2
from quick import one_in

OTHER = {
    "mean0": [0.5, -1],
    "cov0": [[1.5, -0.4], [-0.4, 0.7]],
    "mean1": [1, 1],
    "cov1": [[0.4, 0.1], [0.1, 2.2]],
}
UNBOUNDED = (
    "yule_q",
    "yule_y",
    "precision",
    "negative_predictive_value",
    "positive_likelihood_ratio",
    "diagnostic_odds_ratio",
    "lift",
)
WITH_OPTIMUM = [name for name in bayes_twins.METRICS if name != "markedness"]


def test_every_metric_of_the_catalogue_that_grows_is_tested_here():
    growing = {m.name for m in metrics.CATALOGUE if m.increases_with_rates}
    assert growing == set(UNBOUNDED) | (growing & set(bayes_twins.METRICS))


def four(found):
    return [found.ratio, found.recall, found.specificity, found.value]


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", one_in(4, WITH_OPTIMUM))
@pytest.mark.parametrize(("distance", "base_rate"), [(1.3, 0.07), (2.6, 0.4)])
def test_normal_classes(name, distance, base_rate):
    twin = bayes_twins.best_in_lda(name, distance, base_rate)
    found = bayes_threshold(name, LDA(distance=distance), base_rate=base_rate)
    assert_allclose(four(found), twin, rtol=1e-11)
    assert found.ratios == (found.ratio, found.ratio)
    odds = base_rate * found.ratio / (1 - base_rate)
    assert found.probability == pytest.approx(odds / (1 + odds), rel=1e-12)


@pytest.mark.sweep(12, start=2)
@pytest.mark.parametrize("name", WITH_OPTIMUM[::2])
@pytest.mark.parametrize("base_rate", [1e-10, 1 - 1e-10])
def test_extreme_base_rates(name, base_rate):
    twin = bayes_twins.best_in_lda(name, 2.2, base_rate, digits=150)
    found = bayes_threshold(name, LDA(distance=2.2), base_rate=base_rate)
    assert_allclose(four(found), twin, rtol=1e-10)


def test_markedness_has_an_optimum_between_distant_classes_only():
    twin = bayes_twins.best_in_lda("markedness", 3.1, 0.2)
    found = bayes_threshold("markedness", LDA(distance=3.1), base_rate=0.2)
    assert_allclose(four(found), twin, rtol=1e-11)
    with pytest.raises(NoOptimumError, match="as ever fewer cases are called positive"):
        bayes_threshold("markedness", LDA(distance=1.0), base_rate=0.2)


SOME = WITH_OPTIMUM[::4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moments", "base_rate"),
    [
        ("robust_mcc(d=0.02)", SCENARIO_1, 1e-6),
        *((name, *((SCENARIO_2, 0.05), (OTHER, 0.4))[k % 2]) for k, name in enumerate(SOME)),
    ],
)
def test_every_metric_with_different_covariances(name, moments, base_rate):
    """The quotient must cross the ratio downwards within a relative 1e-9 of the answer."""
    found = bayes_threshold(name, QDA(**moments), base_rate=base_rate)
    twin = bayes_twins.qda_rates(**moments)
    before, _, _, _ = bayes_twins.excess(name, twin, base_rate, found.ratio * (1 - 1e-9))
    after, value, s, t = bayes_twins.excess(name, twin, base_rate, found.ratio * (1 + 1e-9))
    assert before > 0 > after
    assert_allclose([found.value, found.recall, found.specificity], [value, s, t], rtol=1e-8)


def test_the_cutoffs_of_the_papers_first_example():
    """Section 2: 0.244, 0.436 and 0.636 at a distance of 2 and 30% (12 digits: mpmath)."""
    expected = {
        "f_beta(beta=1.5)": (0.752995550373, 0.243977741435),
        "mcc": (1.802069754117, 0.435766409226),
        "f_beta(beta=0.5)": (4.073034767304, 0.635779072217),
    }
    for name, pair in expected.items():
        found = bayes_threshold(name, LDA(distance=2.0), base_rate=0.3)
        assert_allclose((found.ratio, found.probability), pair, rtol=1e-11)


@pytest.mark.sweep(24, start=2)
@pytest.mark.parametrize("name", UNBOUNDED)
@pytest.mark.parametrize("population", [LDA(1.0), LDA(3.0), QDA(**SCENARIO_1)])
def test_metrics_that_reward_one_end_have_no_optimum(name, population):
    with pytest.raises(NoOptimumError, match=f"{name} has no best threshold here: it still grows"):
        bayes_threshold(name, population, base_rate=0.3)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("population", "ratio"),
    # mpmath; the paper takes these minima of Yule's Q for its optima.
    [
        (LDA(1.0), 1.0),
        (LDA(2.0), 1.0),
        (QDA(**SCENARIO_1), 6.04081292855),
        (QDA(**SCENARIO_2), 3.8172129),
    ],
)
def test_yule_is_worst_where_its_slope_is_zero(population, ratio):
    found = stationary_ratios("yule_q", population, base_rate=0.2)
    assert found.maxima == ()
    assert_allclose(found.minima, [ratio], rtol=1e-7)
    s, t = population.recall(ratio), population.specificity(ratio)
    assert s * (1 - s) / (t * (1 - t)) == pytest.approx(ratio, rel=1e-6)
    with pytest.raises(NoOptimumError, match=rf"The ratio {ratio:.6g}, where .* is a minimum"):
        bayes_threshold("yule_q", population, base_rate=0.2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("recall", "got 'recall': combine it with what it ignores"),
        ("error_rate", "got 'error_rate': negate it"),
        ("base_rate", "got 'base_rate': choose a metric of quality"),
        ("utility([[1, 2], [3, 4]])", "strictly increase with recall and with specificity"),
    ],
)
def test_metrics_that_do_not_grow_with_both_rates_are_refused(name, message):
    with pytest.raises(InvalidArgumentError, match=message):
        bayes_threshold(name, LDA(), base_rate=0.3)


@pytest.mark.parametrize("base_rate", [0, 1, -0.1, float("nan")])
def test_a_base_rate_out_of_range_is_refused(base_rate):
    with pytest.raises(InvalidArgumentError, match=r"base_rate must lie in \(0, 1\)"):
        bayes_threshold("f1", LDA(), base_rate=base_rate)


def test_separated_classes_are_refused():
    with pytest.raises(UnsupportedError, match="so far apart"):
        bayes_threshold("f1", LDA(distance=60.0), base_rate=0.3)


# A user's own metrics.


def mine(name, formula):
    return metrics.define(name, formula)


def test_a_formula_without_complex_slopes_runs_on_many_digits():
    own = mine("own_abs", lambda tp, fn, fp, tn: 2 * np.abs(tp) / (2 * tp + np.maximum(fn, 0) + fp))
    ours, theirs = (bayes_threshold(m, LDA(1.7), base_rate=0.01) for m in (own, "f1"))
    assert_allclose(four(ours), four(theirs), rtol=1e-12)


def test_a_formula_with_logarithms_has_complex_slopes():
    """log(1 + tp) + log(1 + tn) at 30%: q = (1 - p)(1 + tp)/(p (1 + tn)), solved in mpmath."""
    own = mine("own_log", lambda tp, fn, fp, tn: np.log(1 + tp) + np.log(1 + tn))
    p, rates = mp.mpf("0.3"), bayes_twins.lda_rates(2)

    def excess(x):
        s, _, _, t = rates(x)
        return (1 - p) * (1 + p * s) / (p * (1 + (1 - p) * t)) - mp.exp(x)

    x = mp.findroot(excess, 0.5)
    assert bayes_threshold(own, LDA(2.0), base_rate=0.3).ratio == pytest.approx(
        float(mp.exp(x)), rel=1e-12
    )


def test_a_formula_that_cannot_be_differentiated_is_refused():
    own = mine("own_mixed", lambda tp, fn, fp, tn: np.log(1 + np.abs(tp)) + np.log(1 + tn))
    with pytest.raises(UnsupportedError, match="own_mixed cannot be differentiated: write it with"):
        bayes_threshold(own, LDA(2.0), base_rate=0.3)


def test_a_users_metric_of_which_less_is_better_is_refused():
    cost = metrics.define(
        "own_cost", lambda tp, fn, fp, tn: (5 * fn + fp) / (tp + fn + fp + tn), direction="lower"
    )
    with pytest.raises(InvalidArgumentError, match="negate it with baserate"):
        bayes_threshold(cost, LDA(), base_rate=0.3)
    gain = mine("own_gain", lambda tp, fn, fp, tn: -(5 * fn + fp) / (tp + fn + fp + tn))
    found = bayes_threshold(gain, LDA(), base_rate=0.3)
    assert found.ratio == pytest.approx(0.7 / (5 * 0.3), rel=1e-13)


def test_of_several_maxima_the_best_wins_and_the_others_are_listed():
    """s⁴ + 0.9 t⁴: the middle beats both trivial rules between distant classes, not near ones."""
    own = mine(
        "own_quartic", lambda tp, fn, fp, tn: (tp / (tp + fn)) ** 4 + 0.9 * (tn / (tn + fp)) ** 4
    )
    far = bayes_threshold(own, LDA(2.2), base_rate=0.3)
    assert 0.5 < far.ratio < 2
    assert far.others == ((0.0, 1.0), (np.inf, 0.9))
    near = bayes_threshold(own, LDA(0.5), base_rate=0.3)
    assert (near.ratio, near.probability, near.recall, near.specificity) == (0, 0, 1, 0)
    assert near.value == 1.0
    assert near.others == ((np.inf, 0.9),)
    assert len(stationary_ratios(own, LDA(2.2), base_rate=0.3).minima) == 2


def test_two_inner_maxima():
    own = mine(
        "own_two",
        lambda tp, fn, fp, tn: (
            (tp / (tp + fn)) ** 3
            + 0.99 * (tn / (tn + fp)) ** 3
            + 1.2 * np.sqrt(tp / (tp + fn) * tn / (tn + fp))
        ),
    )
    found = bayes_threshold(own, LDA(1.0), base_rate=0.3)
    log_ratio = np.linspace(-6, 6, 200_001)
    s, t = LDA(1.0).recall(np.exp(log_ratio)), LDA(1.0).specificity(np.exp(log_ratio))
    values = s**3 + 0.99 * t**3 + 1.2 * np.sqrt(s * t)
    peaks = 1 + np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] > values[2:]))
    first, second = sorted(peaks, key=lambda k: -values[k])
    assert_allclose(
        [found.ratio, found.value], [np.exp(log_ratio[first]), values[first]], rtol=1e-4
    )
    ((other, value),) = found.others
    assert_allclose([other, value], [np.exp(log_ratio[second]), values[second]], rtol=1e-4)


# Populations of the user, and with a bounded density ratio.


class Waiting:
    """Exponential times with means 3 and 1; f₁/f₀ = exp(2x/3)/3 is at least 1/3."""

    @staticmethod
    def _time(ratio):
        with np.errstate(divide="ignore"):
            return np.maximum(1.5 * np.log(3 * np.asarray(ratio, dtype=float)), 0)

    def recall(self, ratio):
        return np.exp(-self._time(ratio) / 3)

    def miss_rate(self, ratio):
        return -np.expm1(-self._time(ratio) / 3)

    def false_positive_rate(self, ratio):
        return np.exp(-self._time(ratio))

    def specificity(self, ratio):
        return -np.expm1(-self._time(ratio))


def test_a_users_population():
    """Accuracy at 10%: f₁/f₀ = 9 at x = 1.5 log 27; F₁ there by its own fixed point."""
    found = bayes_threshold("accuracy", Waiting(), base_rate=0.1)
    assert_allclose([found.ratio, found.recall], [9, 27**-0.5], rtol=1e-12)
    found = bayes_threshold("f1", Waiting(), base_rate=0.1)
    # F₁ threshold of P(positive | x) is F₁*/2.
    assert found.probability == pytest.approx(found.value / 2, rel=1e-12)


@pytest.mark.slow
def test_where_the_ratio_is_bounded_a_trivial_rule_can_be_best():
    everything = bayes_threshold("f1", Waiting(), base_rate=0.9)
    assert (everything.ratio, everything.recall, everything.specificity) == (0, 1, 0)
    assert everything.value == pytest.approx(2 * 0.9 / 1.9, rel=1e-14)
    narrow = QDA(mean0=0, cov0=4, mean1=0, cov1=1)  # f₁/f₀ < 2
    nothing = bayes_threshold("accuracy", narrow, base_rate=0.1)
    assert (nothing.recall, nothing.specificity, nothing.value) == (0, 1, 0.9)
    assert nothing.ratio == pytest.approx(9, rel=1e-12)


NARROW = (
    {"mean0": 0, "cov0": 4, "mean1": 0, "cov1": 1},
    {"mean0": 0, "cov0": 1.03, "mean1": -2.1, "cov1": 0.044},
    {"mean0": [0, 0], "cov0": [[2, 0.3], [0.3, 1]], "mean1": [1, 0], "cov1": np.eye(2) / 3},
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("narrow", "base_rate"),
    [*((narrow, 0.01) for narrow in NARROW), (NARROW[0], 4e-9), (NARROW[-1], 1e-13)],
)
def test_optima_just_below_the_bound_of_the_ratio(narrow, base_rate):
    """Rare positives push F₁ up to the bound, where the ratio has too few digits to tell rules."""
    population = QDA(**narrow)
    found = bayes_threshold("f1", population, base_rate=base_rate)
    assert 0 < found.false_positive_rate < found.recall < 1
    assert found.probability == pytest.approx(found.value / 2, rel=1e-6)
    swapped = {k[:-1] + str(1 - int(k[-1])): v for k, v in narrow.items()}
    other = bayes_threshold("negative_f1", QDA(**swapped), base_rate=1 - base_rate)
    assert other.ratio == pytest.approx(1 / found.ratio, rel=1e-3)
    for name in ("precision", "yule_q"):
        with pytest.raises(NoOptimumError):
            bayes_threshold(name, population, base_rate=base_rate)


# Slopes.

tail = st.floats(-7, -0.31).map(lambda e: 10.0**e)
rate = st.tuples(tail, st.booleans())


@pytest.mark.sweep(20, start=13)
@pytest.mark.parametrize("name", bayes_twins.QUOTIENTS)
@settings(max_examples=15)
@given(s=rate, t=rate, p=st.floats(-8, -0.01).map(lambda e: 10.0**e))
def test_complex_steps_give_the_closed_quotients(name, s, t, p):
    (s, m), (t, f) = ((1 - x, x) if flip else (x, 1 - x) for x, flip in (s, t))
    rates = Rates(*(np.array([r]) for r in (s, m, f, t)))
    with mp.workdps(30):
        exact = float(bayes_twins.QUOTIENTS[name](*map(mp.mpf, (s, m, f, t)), mp.mpf(p)))
    metric = metrics.get(name)
    target = Differentiable.of(metric, p)
    assert target.exact(rates).quotient[0] == pytest.approx(exact, rel=1e-12)
    assert target.fast(rates).quotient[0] == pytest.approx(exact, rel=1e-5)
    if min(s, m, f, t) > 1e-3 and not name.startswith("yule"):
        found = complex_slopes(metric, rates, p).quotient[0]
        assert found == pytest.approx(exact, rel=1e-12)

"""Calibration: O:E, the exact test in the large, intercept and slope with their intervals."""

from fractions import Fraction
from math import exp, isnan, log

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import brentq
from scipy.stats import binomtest, chi2

from baserate.curves import calibration, sweep
from baserate.curves.binning import calibration_bins
from baserate.curves.logistic_recalibration import likelihood, pooled
from oracles import count_twins


def forecast(seed, *, weighted=False, ties=False, n=400):
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1.5, n)
    y = rng.random(n) < 1 / (1 + np.exp(-0.6 * logits - 0.3))
    eta = 1 / (1 + np.exp(-logits))
    weights = rng.random(n) + 0.1 if weighted else None
    return y, np.clip(np.round(eta, 1), 0.05, 0.95) if ties else eta, weights


KINDS = pytest.mark.parametrize(
    ("weighted", "ties"), [(False, False), (True, False), (False, True), (True, True)]
)


def peers(y, eta, weights=None):
    """Return the fits of statsmodels: level and slope, and the level where the slope is 1."""
    logits, family = np.log(eta / (1 - eta)), sm.families.Binomial()
    options = {"family": family, "freq_weights": weights}
    both = sm.GLM(y.astype(float), sm.add_constant(logits), **options).fit(tol=1e-12)
    held = sm.GLM(y.astype(float), np.ones(len(y)), offset=logits, **options).fit(tol=1e-12)
    return both, held


@KINDS
def test_calibration_is_a_logistic_regression(weighted, ties):
    y, eta, weights = forecast(2, weighted=weighted, ties=ties)
    found = calibration(sweep(y, eta, sample_weight=weights))
    both, held = peers(y, eta, weights)
    assert (found.joint_intercept, float(found.slope)) == pytest.approx(
        tuple(both.params), rel=1e-8
    )
    assert float(found.intercept) == pytest.approx(held.params[0], rel=1e-8)
    if not weighted:  # and so by Newton's steps of an unpenalised logit
        fit = sm.Logit(y * 1.0, sm.add_constant(np.log(eta / (1 - eta)))).fit(disp=0, tol=1e-13)
        assert (found.joint_intercept, float(found.slope)) == pytest.approx(
            tuple(fit.params), rel=1e-8
        )


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n", [60, 400])
def test_intervals_end_where_the_profile_has_fallen(level, n):
    """The likelihoods are those of statsmodels, refitted with the parameter held at each end."""
    y, eta, _ = forecast(3, n=n)
    found = calibration(y, eta, confidence_level=level)
    both, held = peers(y, eta)
    logits, family, truth = np.log(eta / (1 - eta)), sm.families.Binomial(), y.astype(float)
    amount = chi2.ppf(level, 1) / 2
    for end in (found.slope.low, found.slope.high):
        there = sm.GLM(truth, np.ones(n), offset=end * logits, family=family).fit(tol=1e-12)
        assert both.llf - there.llf == pytest.approx(amount, rel=1e-7)
    for end in (found.intercept.low, found.intercept.high):
        p = 1 / (1 + np.exp(-end - logits))
        assert held.llf - np.log(np.where(y, p, 1 - p)).sum() == pytest.approx(amount, rel=1e-7)
    stated = np.log(np.where(y, eta, 1 - eta)).sum()
    assert found.intercept.p_value == pytest.approx(chi2.sf(2 * (held.llf - stated), 1), rel=1e-6)
    one = sm.GLM(truth, np.ones(n), offset=logits, family=family).fit(tol=1e-12)
    assert found.slope.p_value == pytest.approx(chi2.sf(2 * (both.llf - one.llf), 1), rel=1e-6)
    assert found.joint_p_value == pytest.approx(chi2.sf(2 * (both.llf - stated), 2), rel=1e-6)


def test_printed_fit_and_profile_interval_of_r():
    """Faraway (2016), Extending the Linear Model with R, ch. 3: six O-rings of each of 23 flights.

    glm(cbind(damage, 6 - damage) ~ temp, family = binomial) prints 11.6630 and -0.2162; confint
    prints -0.332657 and -0.120179, interpolated in the trace of the profile.
    """
    degrees = [53, 57, 58, 63, 66, 67, 67, 67, 68, 69, 70, 70, 70, 70, 72, 73, 75, 75, 76, 76, 78]
    degrees += [79, 81]
    damage = [5, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    y = [i < hurt for hurt in damage for i in range(6)]
    x = (np.repeat(degrees, 6) - 70) / 10
    found = calibration(y, 1 / (1 + np.exp(-x)))
    assert float(found.slope) / 10 == pytest.approx(-0.2162, abs=5e-5)
    assert found.joint_intercept - 7 * float(found.slope) == pytest.approx(11.6630, abs=5e-5)
    assert found.slope.low / 10 == pytest.approx(-0.332657, abs=2e-5)
    assert found.slope.high / 10 == pytest.approx(-0.120179, abs=2e-5)
    assert found.slope.route == "asymptotic"


def test_weights_get_robust_intervals_that_a_constant_does_not_move():
    y, eta, weights = forecast(5, weighted=True)
    one, other = (calibration(y, eta, sample_weight=weights * c) for c in (1.0, 7.0))
    plain, unit = calibration(y, eta), calibration(y, eta, sample_weight=np.ones(len(y)))
    for name in ("observed_expected", "intercept", "slope"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9)
        assert a.route == "asymptotic"
        # Weights that say nothing change little: the robust variance is near the plain one.
        c, d = getattr(plain, name), getattr(unit, name)
        assert (c.low, c.high) == pytest.approx((d.low, d.high), rel=0.1, abs=0.03)
    half = np.sqrt(np.diag(peers(y, eta, weights)[0].cov_params()))[1]
    assert one.slope.high - one.slope.low > 2 * half  # weights spread, cases do not grow
    assert isnan(one.joint_p_value)
    assert "pass the cases without weights" in one.observed_expected.p_value_reason


def scaled(risks, ratio):
    """Return risks whose odds are all multiplied by one factor, so that they sum to ratio times."""

    def at(factor):
        odds = risks / (1 - risks) * factor
        return odds / (1 + odds)

    return at(brentq(lambda factor: at(factor).sum() - ratio * risks.sum(), 0, 1e6, xtol=1e-14))


def test_limits_of_the_ratio_are_where_a_tail_of_the_tilted_law_is_half_the_error():
    rng = np.random.default_rng(10)
    for k in (0, 1, 7, 24, 25):
        eta = rng.beta(1, 2, 25).round(2) / 2 + 0.01
        found = calibration([1] * k + [0] * (25 - k), eta, pos_label=1).observed_expected
        assert (found.route, found.p_value_route) == ("poisson_binomial", "poisson_binomial")
        for end, tail in ((found.low, 1), (found.high, 0)):
            if (k, tail) in {(0, 1), (25, 0)}:
                assert end == pytest.approx([25 / eta.sum(), 0][tail], rel=1e-12)
                continue
            law = count_twins.poisson_binomial(scaled(eta, end).tolist())
            assert float(count_twins.tails(law, k)[tail]) == pytest.approx(0.025, rel=1e-6)


def test_scores_that_one_case_may_refute_have_the_binomial_interval_of_their_count():
    y, eta, _ = forecast(11, n=90)
    eta = np.where(eta == eta.max(), 1.0, eta)
    found = calibration(y, eta).observed_expected
    count, expected = int(y.sum()), eta.sum()
    limits = binomtest(count, 90).proportion_ci(0.95, "exact")
    assert float(found) == pytest.approx(count / expected, rel=1e-13)
    assert found.low == pytest.approx(90 * limits.low / expected, rel=1e-10)
    assert found.high == pytest.approx(90 * limits.high / expected, rel=1e-10)
    assert (found.perfect, found.route, found.p_value_route) == (1.0, "exact", "exact")


def test_p_value_in_the_large_is_that_of_fractions():
    rng = np.random.default_rng(8)
    for _ in range(20):
        eta = rng.beta(1, 3, 25).round(2) / 2 + 0.01
        y = rng.random(25) < eta * rng.choice([0.5, 1, 2])
        law = count_twins.poisson_binomial([Fraction(p) for p in eta.tolist()])
        lower, upper = count_twins.tails(law, int(y.sum()))
        found = calibration(y, eta).observed_expected
        assert found.p_value == pytest.approx(float(min(1, 2 * min(lower, upper))), rel=1e-12)


@pytest.mark.slow
def test_the_ratio_and_its_p_value_say_the_same_of_1():
    # Beside Clopper and Pearson's limits the test disagreed in 4% of such samples.
    rng = np.random.default_rng(9)
    for level in (0.8, 0.95):
        for _ in range(150):
            eta = rng.beta(1, 3, 60) * rng.choice([0.8, 1])
            y = rng.random(60) < eta
            found = calibration(y, eta, confidence_level=level).observed_expected
            assert (found.low <= 1 <= found.high) == (found.p_value > 1 - level)


def test_one_class_still_has_a_ratio_and_a_test():
    found = calibration([0] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert float(found.observed_expected) == 0
    assert found.observed_expected.low == 0
    assert 1 < found.observed_expected.high < 5 / 1.5
    assert found.observed_expected.p_value == pytest.approx(2 * 0.9 * 0.8 * 0.7 * 0.6 * 0.5)
    assert found.slope.reason.startswith("no positives, so no finite slope fits best")
    assert "read the O:E ratio" in found.intercept.reason
    sure = calibration([1, 0], [0.0, 0.0]).observed_expected
    assert isnan(sure.value)
    assert sure.reason.startswith("every score is 0")
    assert sure.p_value == 0


def test_scores_next_to_zero_have_no_ratio_that_a_float_holds():
    found = calibration([0, 1, 0], [5e-324, 1e-310, 1e-309])
    ratio = found.observed_expected
    assert all(isnan(one) for one in (ratio.value, ratio.low, ratio.high))
    assert ratio.reason.startswith("every score is 0, or next to it")
    assert ratio.p_value == pytest.approx(2 * found.expected, rel=1e-5)
    assert found.ici.low > 0  # no overflow on the way
    tiny = calibration([0, 1, 0], [1e-300] * 3).observed_expected
    assert float(tiny) == pytest.approx(1 / 3e-300)


def test_scores_that_are_certain_are_counted():
    found = calibration([1, 1, 0, 0, 0], [1.0, 0.5, 0.5, 0.0, 0.0])
    assert float(found.observed_expected) == 1
    assert found.observed_expected.p_value == 1
    assert found.slope.reason == found.intercept.reason
    assert "clip them to [1e-6, 1 - 1e-6]" in found.slope.reason


@pytest.mark.parametrize(
    ("truth", "eta", "reason"),
    [
        ([1, 1, 0, 0], [0.9, 0.6, 0.5, 0.1], "the scores separate the classes"),
        ([1, 1, 0, 0], [0.9, 0.5, 0.5, 0.1], "the scores separate the classes"),
        ([1, 1, 0, 0], [0.1, 0.5, 0.5, 0.9], "the scores separate the classes"),
        ([1, 0, 0], [0.5, 0.5, 0.5], "every score is the same"),
        ([1, 0, 0], [1.0, 0.5, 0.2], "a probability is 0 or 1"),
        ([1, 0, 0], [0.3, 0.0, 0.2], "a probability is 0 or 1"),
        ([1, 1], [0.3, 0.2], "no negatives"),
    ],
)
def test_no_curve_is_the_best(truth, eta, reason):
    found = calibration(sweep(truth, eta))
    assert all(isnan(end) for end in (found.slope.value, found.slope.low, found.slope.high))
    assert isnan(found.joint_intercept)
    assert isnan(found.joint_p_value)
    assert found.slope.reason.startswith(reason)
    level = found.intercept
    assert isnan(level.value) == (not reason.startswith(("the scores", "every")))
    assert (level.reason is None) == (not isnan(level.value))


def test_equal_scores_have_the_logit_of_their_share():
    found = calibration([1, 0, 0, 0], [0.5] * 4).intercept
    assert float(found) == pytest.approx(log(1 / 3), rel=1e-12)
    fallen = 2 * (log(0.25) + 3 * log(0.75) - 4 * log(0.5))
    assert found.p_value == pytest.approx(chi2.sf(fallen, 1), rel=1e-10)


@pytest.mark.parametrize(
    ("truth", "eta"),
    [
        ([0, 1, 0, 1], [1e-300, 2e-300, 1e-299, 0.9999999999999999]),
        ([0, 1, 0, 1, 1, 0], [1e-15, 1e-15, 0.5, 1 - 1e-15, 1 - 1e-15, 1 - 1e-15]),
        ([0, 1] * 4, [1e-300, 1e-299, 1e-200, 1e-100, 1e-15, 1e-14, 1e-13, 1e-12]),
    ],
)
def test_saturated_probabilities_have_a_slope_at_the_top_of_the_likelihood(truth, eta):
    """At the maximum, residuals sum to zero, alone and times the logit (the score equations)."""
    found = calibration(sweep(truth, eta))
    y, x = np.array(truth), np.log(eta) - np.log1p(-np.array(eta))
    residual = y - 1 / (1 + np.exp(-(found.joint_intercept + float(found.slope) * x)))
    assert abs(residual.sum()) < 1e-6
    assert abs(residual @ x) < 1e-6 * np.abs(x).sum()
    shifted = y - 1 / (1 + np.exp(-(float(found.intercept) + x)))
    assert abs(shifted.sum()) < 1e-6
    for one in (found.intercept, found.slope):
        assert one.low < one.value < one.high


@pytest.mark.parametrize("spread", [0.1, 1e-6])
def test_scores_that_hardly_differ_have_the_slope_of_their_differences(spread):
    rng = np.random.default_rng(0)
    eta = 0.2 + spread * rng.random(300)
    y = rng.random(300) < 0.3
    found = calibration(y, eta).slope
    x = np.log(eta / (1 - eta))
    truth, z, family = y.astype(float), (x - x.mean()) / x.std(), sm.families.Binomial()
    both = sm.GLM(truth, sm.add_constant(z), family=family).fit(tol=1e-12)
    assert float(found) * x.std() == pytest.approx(both.params[1], rel=1e-6)
    for end in (found.low, found.high):
        there = sm.GLM(truth, np.ones(300), offset=end * x.std() * z, family=family).fit(tol=1e-12)
        assert both.llf - there.llf == pytest.approx(chi2.ppf(0.95, 1) / 2, rel=1e-6)


@pytest.mark.parametrize("noise", [1e-12, 1e-15])
def test_scores_that_differ_by_rounding_have_no_slope(noise):
    rng = np.random.default_rng(0)
    found = calibration(rng.random(300) < 0.3, 0.2 + noise * rng.random(300))
    assert isnan(found.slope.value)
    assert found.slope.reason.startswith("every score is the same up to rounding")
    assert found.intercept.low < float(found.intercept) < found.intercept.high


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("true_slope", [0.5, 1.0, 3.0, 9.0])
def test_pooled_logits_give_the_same_fit(true_slope, monkeypatch):
    rng = np.random.default_rng(4)
    x = rng.normal(-0.3, 1 / true_slope, 30_000)
    y = rng.random(len(x)) < 1 / (1 + np.exp(0.2 - true_slope * x))
    swept = sweep(y, 1 / (1 + np.exp(-x)))
    one = calibration(swept)
    monkeypatch.setattr("baserate.curves.logistic_recalibration.MANY", len(x) + 1)
    other = calibration(swept)
    for name in ("intercept", "slope"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-9)
        assert a.p_value == pytest.approx(b.p_value, rel=1e-6)
    assert one.joint_p_value == pytest.approx(other.joint_p_value, rel=1e-6)


@pytest.mark.parametrize("kind", ["nearly equal", "nearly apart"])
def test_many_scores_have_a_slope_far_from_one(kind):
    rng = np.random.default_rng(1)
    eta = rng.random(40_000)
    y = eta > 0.5
    y[np.argmax(eta)] = False
    if kind == "nearly equal":
        eta, y = 0.2 + 1e-8 * eta, rng.random(len(eta)) < 0.2
    found = calibration(y, eta).slope
    x = np.log(eta / (1 - eta))
    z, family = (x - x.mean()) / x.std(), sm.families.Binomial()
    both = sm.GLM(y * 1.0, sm.add_constant(z), family=family).fit(maxiter=200, tol=1e-13)
    assert float(found) * x.std() == pytest.approx(both.params[1], rel=1e-6)
    # So many cases have nearly a quadratic likelihood.
    assert (found.high - found.low) * x.std() == pytest.approx(2 * 1.96 * both.bse[1], rel=0.01)


def test_pooling_keeps_sums_of_smooth_functions():
    x = np.sort(np.random.default_rng(1).normal(0, 3, 50_000))[::-1]
    nodes, weights = pooled(x, np.ones(len(x)), 0.5)
    assert len(nodes) < 800
    for f in (np.ones_like, lambda v: np.logaddexp(0, v + 1), lambda v: 1 / (1 + np.exp(v))):
        assert weights @ f(nodes) == pytest.approx(f(x).sum(), rel=1e-13)
    few = likelihood(x[:20], np.ones(20), np.zeros(20))
    assert len(few.x) == 20


def test_case_study_shape_of_the_guidance():
    """O:E 1.23 with a slope near 1: the slope alone would read as nearly right."""
    rng = np.random.default_rng(12)
    x = rng.normal(-1.8, 1.3, 900)
    eta = 1 / (1 + np.exp(-x))
    y = rng.random(900) < 1 / (1 + np.exp(-x - 0.35))
    found = calibration(y, eta)
    assert float(found.observed_expected) > 1.1
    assert found.observed_expected.p_value < 0.01
    assert found.observed_expected.low > 1
    assert found.slope.low < 1 < found.slope.high
    assert exp(float(found.intercept)) > 1


@pytest.mark.sweep(9, start=3)
@pytest.mark.parametrize("slope", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 1.0])
def test_the_ratio_is_covered_and_the_test_keeps_its_level(slope, shift):
    """Summed over every count, given the scores: 95% at least, less if these are extreme."""
    n, rng = 30, np.random.default_rng(9)
    logits = rng.normal(-1.5, 1.5, n)
    scores, risks = 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-shift - slope * logits))
    law = [float(p) for p in count_twins.poisson_binomial(risks.tolist())]
    stated = [float(p) for p in count_twins.poisson_binomial(scores.tolist())]
    covered = rejected = 0.0
    for k in range(n + 1):
        found = calibration([1] * k + [0] * (n - k), scores, pos_label=1).observed_expected
        covered += law[k] * (found.low <= risks.sum() / scores.sum() <= found.high)
        rejected += stated[k] * (found.p_value <= 0.05)
    assert (0.95 if slope >= 1 else 0.9) <= covered < 1
    assert 0.02 < rejected <= 0.05


@pytest.mark.parametrize("weighted", [False, True])
def test_the_record_answers_what_the_functions_of_a_sweep_do(weighted):
    y, eta, weights = forecast(6, weighted=weighted)
    swept = sweep(y, eta, sample_weight=weights)
    found = calibration(swept, confidence_level=0.8)
    for name in ("ici", "e50", "e90", "eci"):
        assert getattr(found, name).to_dict() == found.to_dict()[name]
    assert found.band().confidence_level == 0.8
    assert found.band(0.95).confidence_level == 0.95
    width = calibration_bins(swept, n_bins=7, kind="width", confidence_level=0.9)
    assert found.bins(7, "width", 0.9).to_dict() == width.to_dict()
    assert found.ece == calibration_bins(swept).ece == found.to_dict()["ece"]

"""Coefficients of determination and the discrimination slope, against statsmodels and fractions."""

from math import exp, inf, isnan, log

import numpy as np
import pytest
import statsmodels.api as sm

from baserate.curves import brier_score, discrimination_slope, log_loss, r_squared, sweep
from baserate.errors import UnknownNameError
from oracles.dirichlet_twins import exceeds

KINDS = ("mcfadden", "cox_snell", "nagelkerke", "brier")
Y, P = [1, 0, 1, 0, 0, 1, 0], [0.7, 0.25, 0.5, 0.1, 0.4, 0.85, 0.35]


def forecast(seed, n):
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1.5, n)
    return rng.random(n) < 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-1.3 * logits))


def test_a_fitted_regression_has_the_coefficients_that_statsmodels_prints():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 2))
    y = rng.random(300) < 1 / (1 + np.exp(-x @ [1.0, -0.5] + 0.7))
    fit = sm.Logit(y.astype(float), sm.add_constant(x)).fit(disp=0, tol=1e-12)
    swept = sweep(y, fit.predict())
    gained = 1 - exp(2 / 300 * (fit.llnull - fit.llf))
    best = 1 - exp(2 / 300 * fit.llnull)
    assert r_squared(swept).value == pytest.approx(fit.prsquared, rel=1e-8)
    cox_snell = r_squared(swept, kind="cox_snell")
    assert (cox_snell.value, cox_snell.perfect) == pytest.approx((gained, best), rel=1e-8)
    nagelkerke = r_squared(swept, kind="nagelkerke").value
    assert nagelkerke == pytest.approx(gained / best, rel=1e-8)


def test_two_are_the_skills_of_losses():
    swept = sweep(*forecast(2, 80))
    assert r_squared(swept).value == pytest.approx(log_loss(swept).skill, rel=1e-12)
    assert r_squared(swept, kind="brier").value == pytest.approx(brier_score(swept).skill)


@pytest.mark.parametrize("kind", KINDS)
def test_chance_and_perfection(kind):
    base = r_squared([1, 0, 0, 0], [0.25] * 4, kind=kind)
    assert base.value == pytest.approx(0, abs=1e-14)
    assert base.low < 0 < base.high
    sure = r_squared([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0], kind=kind)
    assert sure.value == pytest.approx(sure.perfect)
    assert sure.high == (0.75 if kind == "cox_snell" else 1)
    assert sure.low == -inf if kind != "brier" else -inf < sure.low < 1


def per_case(kind, r, positives, total):
    """Loss less what a coefficient r allows, its slope in H at a base rate: by class."""
    pi = positives / total
    if kind == "brier":
        null, slope = ((1 - pi) ** 2, pi * pi), 1 - r
        h = pi * (1 - pi)
        allowed = (1 - r) * h
    else:
        null = -log(pi), -log(1 - pi)
        h = pi * null[0] + (1 - pi) * null[1]
        allowed = {
            "mcfadden": (1 - r) * h,
            "cox_snell": h + log(1 - r) / 2,
            "nagelkerke": log(r + (1 - r) * exp(2 * h)) / 2,
        }[kind]
        slope = {
            "mcfadden": 1 - r,
            "cox_snell": 1.0,
            "nagelkerke": (1 - r) * exp(2 * h) / (r + (1 - r) * exp(2 * h)),
        }[kind]
    return [allowed + slope * (each - h) for each in null]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_are_what_gaffkes_do_not_rule_out(kind, level):
    found = r_squared(Y, P, kind=kind, confidence_level=level)
    worst = 1.0 if kind == "brier" else log(10)
    for r, further in ((found.low, worst), (found.high, 0.0)):
        chances = []
        for positive in (True, False):
            of_positive, of_negative = per_case(kind, r, 3 + positive, 8)
            values = [
                ((1 - p if y else p) ** 2 if kind == "brier" else -log(p if y else 1 - p))
                - (of_positive if y else of_negative)
                for y, p in zip(Y, P, strict=True)
            ]
            values.append(further - (of_positive if positive else of_negative))
            chances.append(float(exceeds(values, 0)))
        reached = max(chances) if further else min(chances)
        wanted = (1 - level) / 2 if further else (1 + level) / 2
        assert reached == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_said_to_be_impossible(kind):
    found = r_squared([1, 0, 1, 0], [0.0, 0.1, 0.9, 0.2], kind=kind)
    assert np.isfinite(found.value) == (kind == "brier")
    if kind != "brier":
        assert (found.value, found.low, found.high) == (-inf, -inf, -inf)


def test_one_class_has_no_coefficient_and_no_slope():
    for found in (r_squared([1, 1], [0.5, 0.4]), discrimination_slope([1, 1], [0.5, 0.4])):
        assert isnan(found.value)
        assert isnan(found.low)
        assert found.reason == "no negatives"


def test_unknown_kinds_are_refused():
    with pytest.raises(UnknownNameError, match="kind"):
        r_squared(Y, P, kind="efron")


def test_the_slope_is_tjurs():
    y, p = forecast(5, 200)
    found = discrimination_slope(y, p)
    assert found.value == pytest.approx(p[y].mean() - p[~y].mean(), rel=1e-12)
    assert found.skill == pytest.approx(found.value)
    assert discrimination_slope([1, 0], [1.0, 0.0]).value == 1


def test_the_slopes_limits_join_those_of_both_classes():
    y, p = np.array(Y, dtype=bool), np.array(P)
    found = discrimination_slope(y, p)
    difference = p[y].mean() - p[~y].mean()
    # Each square root undoes itself: what is left is the distance of the other class's limit.
    down, up = difference - found.low, found.high - difference
    limits = {}
    for name, values in (("positive", p[y]), ("negative", p[~y])):
        limits[name] = [solved([*values, 0.0], 0.975), solved([*values, 1.0], 0.025)]
    low, high = (np.array(limits[name]) for name in ("positive", "negative"))
    assert down == pytest.approx(np.hypot(p[y].mean() - low[0], high[1] - p[~y].mean()), rel=1e-6)
    assert up == pytest.approx(np.hypot(low[1] - p[y].mean(), p[~y].mean() - high[0]), rel=1e-6)


def solved(values, chance):
    """Return the c that the Dirichlet mean exceeds with this chance, by bisection."""
    low, high = min(values), max(values)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(values, middle) > chance else (low, middle)
    return (low + high) / 2


@pytest.mark.parametrize("measure", [r_squared, discrimination_slope])
def test_weights_are_worth_their_effective_number_of_cases(measure):
    y, p = forecast(6, 50)
    plain, doubled = measure(y, p), measure(y, p, sample_weight=np.full(50, 2.0))
    assert (doubled.value, doubled.low, doubled.high) == pytest.approx(
        (plain.value, plain.low, plain.high), rel=1e-8
    )
    assert (plain.route, doubled.route) == ("conservative", "asymptotic")

"""Probability forecasts: losses and skill against the base rate."""

from math import inf, isnan, log

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, d2_log_loss_score
from sklearn.metrics import log_loss as peer_log_loss
from statsmodels.stats.proportion import proportion_confint

from baserate import ScoreHistogram
from baserate.curves import brier_score, log_loss, sweep
from baserate.curves.losses import compare_brier, loss_ends, squared_errors
from baserate.curves.score_histogram import FEWEST
from curves.test_recalibration import KINDS, forecast
from oracles.dirichlet_twins import exceeds


@KINDS
def test_losses_and_skill_are_scikit_learns(weighted, ties):
    y, eta, weights = forecast(1, weighted=weighted, ties=ties)
    s, options = sweep(y, eta, sample_weight=weights), {"sample_weight": weights}
    brier, loss = brier_score(s), log_loss(s)
    assert float(brier) == pytest.approx(brier_score_loss(y, eta, **options), rel=1e-12)
    guess = np.full(len(y), np.average(y, weights=weights))  # d2_brier_score, from scikit-learn 1.8
    skill = 1 - brier_score_loss(y, eta, **options) / brier_score_loss(y, guess, **options)
    assert brier.skill == pytest.approx(skill, rel=1e-10)
    assert float(loss) == pytest.approx(peer_log_loss(y, eta, **options), rel=1e-12)
    assert loss.skill == pytest.approx(d2_log_loss_score(y, eta, **options), rel=1e-10)


def test_certainty_is_rewarded_and_punished_in_full():
    right, wrong = sweep([1, 0], [1.0, 0.0]), sweep([1, 0, 0], [0.0, 0.5, 0.2])
    assert (log_loss(right).value, log_loss(right).skill) == (0.0, 1.0)
    assert (log_loss(wrong).value, log_loss(wrong).skill) == (inf, -inf)
    assert (brier_score(right).value, brier_score(right).skill) == (0.0, 1.0)


@pytest.mark.parametrize("score", [brier_score, log_loss])
def test_one_class_has_losses_but_no_skill(score):
    found = score(sweep([1, 1], [0.5, 0.5]))
    assert found.value == pytest.approx(0.25 if score is brier_score else log(2))
    assert isnan(found.chance)
    assert isnan(found.skill)
    assert found.chance_reason == "no negatives, so the base rate is a perfect forecast"
    assert score(sweep([0, 0], [0.5, 0.5])).chance_reason.startswith("no positives")
    assert 0 < found.low < found.value <= found.high


def test_forecasts_of_certainty_have_the_interval_of_a_share():
    y, eta = [1] * 30 + [0] * 70, [1.0] * 25 + [0.0] * 75
    found = brier_score(y, eta)
    assert (found.low, found.high) == pytest.approx(
        proportion_confint(5, 100, alpha=0.05, method="beta"), rel=1e-12
    )
    assert found.route == "conservative"


def test_the_interval_is_the_law_of_one_further_loss():
    y, eta = [1, 0, 1, 0, 0], [0.75, 0.25, 0.5, 0.125, 0.375]
    losses = [0.25**2, 0.25**2 + 2**-40, 0.25, 0.125**2, 0.375**2]  # ties parted
    found = brier_score(y, eta, confidence_level=0.9)
    assert float(exceeds([*losses, 1], found.high)) == pytest.approx(0.05, rel=1e-6)
    assert float(exceeds([*losses, 0], found.low)) == pytest.approx(0.95, rel=1e-6)


def test_a_log_loss_is_at_most_what_its_scores_could_make():
    y, eta = [1, 0, 1, 0, 0], [0.7, 0.25, 0.5, 0.1, 0.4]
    losses = [-log(p if truth else 1 - p) for truth, p in zip(y, eta, strict=True)]
    found = log_loss(y, eta)
    assert float(exceeds([*losses, log(10)], found.high)) == pytest.approx(0.025, rel=1e-6)
    assert float(exceeds([*losses, 0], found.low)) == pytest.approx(0.975, rel=1e-6)


def test_scores_of_0_and_1_leave_the_log_loss_without_an_upper_limit():
    found = log_loss([1, 0, 1], [1.0, 0.2, 0.6])
    assert 0 < found.low < found.value < found.high == inf
    wrong = log_loss([1, 0, 1], [0.0, 0.2, 0.6])
    assert (wrong.low, wrong.high) == (inf, inf)


@pytest.mark.parametrize("score", [brier_score, log_loss])
def test_weights_are_worth_their_effective_number_of_cases(score):
    y, eta, _ = forecast(3, n=60)
    plain, doubled = score(y, eta), score(y, eta, sample_weight=np.full(60, 2.0))
    assert (doubled.low, doubled.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert (plain.route, doubled.route) == ("conservative", "asymptotic")
    half = np.repeat([1.0, 1e-12], 30)  # worth 30 cases
    found, of_half = score(y, eta, sample_weight=half), score(y[:30], eta[:30])
    if score is brier_score:  # whose bounds do not depend on the other half
        assert (found.low, found.high) == pytest.approx((of_half.low, of_half.high), rel=1e-6)
    assert found.value == pytest.approx(of_half.value, rel=1e-9)


def test_nothing_is_written_as_minus_zero():
    assert str(brier_score([0, 1], [0.5, 0.5]).skill) == "0.0"
    alike = compare_brier([0, 1], [0.0, 1.0], [0.0, 1.0])
    assert (str(alike.low), str(alike.high)) == ("0.0", "0.0")


def test_the_largest_loss_of_counted_scores_is_the_one_given_or_the_largest_they_allow():
    """Brier's loss is at most 1; scores that were counted from 0.4 to 0.6 lose at most 0.36."""
    scores = np.linspace(0.4, 0.6, 20_000)
    swept = ScoreHistogram(bins=FEWEST).add(np.arange(20_000) % 2, scores).sweep()
    given, found = loss_ends(swept, squared_errors, 1.0), loss_ends(swept, squared_errors)
    assert [side.most for side in given] == [1.0, 1.0]
    assert [side.most for side in found] == pytest.approx([0.36, 0.36], abs=0.01)

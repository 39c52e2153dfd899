"""Probability forecasts: losses and skill against the base rate."""

from math import inf, isnan, log

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, d2_brier_score, d2_log_loss_score
from sklearn.metrics import log_loss as peer_log_loss

from baserate.curves import brier_score, log_loss, sweep
from baserate.errors import InvalidArgumentError


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


@KINDS
def test_losses_and_skill_are_scikit_learns(weighted, ties):
    y, eta, weights = forecast(1, weighted=weighted, ties=ties)
    s, options = sweep(y, eta, sample_weight=weights), {"sample_weight": weights}
    brier, loss = brier_score(s), log_loss(s)
    assert float(brier) == pytest.approx(brier_score_loss(y, eta, **options), rel=1e-12)
    assert brier.skill == pytest.approx(d2_brier_score(y, eta, **options), rel=1e-10)
    assert float(loss) == pytest.approx(peer_log_loss(y, eta, **options), rel=1e-12)
    assert loss.skill == pytest.approx(d2_log_loss_score(y, eta, **options), rel=1e-10)


def test_saying_the_base_rate_has_no_skill():
    s = sweep([1, 0, 0, 0], [0.25] * 4)
    for score in (brier_score(s), log_loss(s)):
        assert score.skill == pytest.approx(0, abs=1e-14)


def test_certainty_is_rewarded_and_punished_in_full():
    right, wrong = sweep([1, 0], [1.0, 0.0]), sweep([1, 0, 0], [0.0, 0.5, 0.2])
    assert (log_loss(right).value, log_loss(right).skill) == (0.0, 1.0)
    assert (log_loss(wrong).value, log_loss(wrong).skill) == (inf, -inf)
    assert (brier_score(right).value, brier_score(right).skill) == (0.0, 1.0)


@pytest.mark.parametrize("score", [brier_score, log_loss])
def test_one_class_has_losses_but_no_skill(score):
    found = score(sweep([1, 1], [0.5, 0.5]))
    assert found.value == pytest.approx(0.25 if score is brier_score else log(2))
    assert found.chance == 0
    assert isnan(found.skill)
    assert found.reason == "no negatives, so the base rate is a perfect forecast"
    assert score(sweep([0, 0], [0.5, 0.5])).reason.startswith("no positives")


@pytest.mark.parametrize("score", [brier_score, log_loss])
@pytest.mark.parametrize("bad", [1.5, -0.1])
def test_scores_must_be_probabilities(score, bad):
    with pytest.raises(InvalidArgumentError, match=rf"must lie in \[0, 1], got {bad}: pass probab"):
        score(sweep([1, 0], [bad, 0.5]))
    with pytest.raises(InvalidArgumentError, match="y_score must be given beside labels"):
        score([0.5])

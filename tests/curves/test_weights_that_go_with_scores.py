"""Weighted areas where the heavy cases lie apart: those not flagged, of whom few were looked at."""

import numpy as np
import pytest

from baserate.curves import roc_auc, sweep
from baserate.curves.area_spread import ScoredSample, spread_of

RNG = np.random.default_rng(5)
TRUTH = np.arange(400) % 5 == 0
SCORE = np.round(TRUTH + RNG.normal(size=400), 2)
WEIGHT = np.where(SCORE > 0.7, 1.0, 8.0)


def placements(truth, score, weight):
    """Return which weighted share of the other class each case wins, pair by pair."""
    wins = np.sign(np.subtract.outer(score[truth], score[~truth])) / 2 + 0.5
    return wins @ weight[~truth] / weight[~truth].sum(), weight[truth] @ wins / weight[truth].sum()


def test_a_class_is_worth_the_cases_that_its_linearised_variance_says():
    spread = spread_of(sweep(TRUTH, SCORE, sample_weight=WEIGHT))
    for own, share, size in zip(
        (WEIGHT[TRUTH], WEIGHT[~TRUTH]),
        placements(TRUTH, SCORE, WEIGHT),
        (spread.n_positive, spread.n_negative),
        strict=True,
    ):
        squares = (share - np.average(share, weights=own)) ** 2
        linearised = (own**2 @ squares) / own.sum() ** 2
        kish = own.sum() ** 2 / (own @ own)
        expected = min(kish, np.average(squares, weights=own) / linearised)
        assert size == pytest.approx(expected, rel=1e-9)
    assert spread.n_positive < WEIGHT[TRUTH].sum() ** 2 / (WEIGHT[TRUTH] ** 2).sum()


def test_the_sample_says_what_the_sweep_does():
    sample = ScoredSample(TRUTH, SCORE, (WEIGHT[TRUTH], WEIGHT[~TRUTH]))
    spread = spread_of(sweep(TRUTH, SCORE, sample_weight=WEIGHT))
    for k, share in enumerate(placements(TRUTH, SCORE, WEIGHT)):
        squares = (share - spread.area) ** 2
        assert sample.cases(k, squares) == pytest.approx(spread[3 + k], rel=1e-9)


@pytest.mark.slow
def test_intervals_hold_the_area_of_those_not_flagged_too():
    """All that are flagged and one in twenty of the others: 82% of 95% intervals held it once."""
    rng, held = np.random.default_rng(1), 0
    truth = rng.random(400_000) < 0.1
    score = rng.normal(size=400_000) + 1.8 * truth
    ranks = np.empty(len(score))
    ranks[np.argsort(score)] = np.arange(1, len(score) + 1)
    n = truth.sum()
    area = (ranks[truth].sum() - n * (n + 1) / 2) / n / (len(truth) - n)
    for _ in range(200):
        rows = rng.integers(0, len(truth), 3_000)
        seen = np.where(score[rows] > 1.2, 1, 0.05)
        kept = rng.random(3_000) < seen
        y, s, w = truth[rows][kept], score[rows][kept], 1 / seen[kept]
        found = roc_auc(y, s, sample_weight=w)
        held += found.low <= area <= found.high
    assert held >= 186

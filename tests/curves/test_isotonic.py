"""The isotonic curve and the decomposition of mean losses, beside fractions and scikit-learn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from baserate.curves import sweep
from baserate.curves.isotonic import decomposition, fitted, isotonic_curve
from baserate.errors import UnknownNameError
from oracles import calibration_twins as twins

EPS = 2.0**-52


def sample(seed, n=60, digits=1, *, weighted=False):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(digits)
    y = rng.random(n) < 0.2 + 0.6 * p
    return y, p, rng.random(n) if weighted else None


def by_score(y, p):
    scores = np.unique(p)
    return [int(y[p == s].sum()) for s in scores], [int((p == s).sum()) for s in scores]


@pytest.mark.parametrize("seed", range(20))
def test_levels_are_the_exact_pools(seed):
    y, p, _ = sample(seed, n=40, digits=1 + seed % 2)
    positives, n = by_score(y, p)
    wanted = twins.isotonic(positives, n)
    assert fitted(sweep(y, p)).tolist() == [float(level) for level in wanted]
    curve = isotonic_curve(sweep(y, p))
    assert curve.level.tolist() == [float(level) for level in sorted(set(wanted))]
    assert (curve.n.sum(), curve.positives.sum()) == (40, y.sum())
    assert (np.diff(curve.low_score) > 0).all()
    assert np.isin(curve.high_score, p).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [1, 12])
def test_curve_is_the_isotonic_regression_of_scikit_learn(digits, weighted):
    y, p, w = sample(5, n=3000, digits=digits, weighted=weighted)
    peer = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=w)
    curve = isotonic_curve(sweep(y, p, sample_weight=w))
    at = np.linspace(-0.1, 1.1, 1001)
    np.testing.assert_allclose(curve.at(at), peer.predict(at), rtol=1e-12, atol=1e-13)
    assert curve.at(0.5) == curve.at([0.5])[0]


def test_equal_neighbours_are_one_step():
    # Three pools of 15/330, 13/286 and 39/858, all 1/22: in floats they differ by rounding.
    positives, n = [15, 0, 13, 0, 39, 0], [142, 188, 140, 146, 594, 264]
    y = np.concatenate([np.arange(m) < k for k, m in zip(positives, n, strict=True)])
    curve = isotonic_curve(sweep(y, np.repeat(np.arange(6), n)))
    assert curve.level.tolist() == [1 / 22]
    assert (curve.low_score.tolist(), curve.high_score.tolist()) == ([0.0], [5.0])


def test_pools_are_no_rounded_ones():
    # Shares 333334/1000001 and 333333/1000000, of which the later is lower by 1e-12.
    up, down = [333334, 333333], [666667, 666667]
    y = np.repeat([1, 0, 1, 0], [up[0], down[0], up[1], down[1]])
    p = np.repeat([1, 1, 2, 2], [up[0], down[0], up[1], down[1]])
    assert Fraction(333334, 1000001) > Fraction(333333, 1000000)
    assert len(isotonic_curve(sweep(y, p)).level) == 1
    assert len(isotonic_curve(sweep(y, -p)).level) == 2


def test_one_class_and_one_score():
    assert isotonic_curve(sweep([1, 1], [0.2, 0.3], pos_label=1)).level.tolist() == [1.0]
    assert isotonic_curve(sweep([1, 0], [0.2, 0.2])).level.tolist() == [0.5]


@pytest.mark.sweep(32)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("loss", "peer"), [("brier", brier_score_loss), ("log", log_loss)])
@pytest.mark.parametrize("weighted", [False, True])
def test_decomposition_adds_up_to_the_score(seed, loss, peer, weighted):
    y, p, w = sample(seed, n=200, digits=3, weighted=weighted)
    p = np.clip(p, 0.001, 0.999)
    found = decomposition(sweep(y, p, sample_weight=w), loss=loss)
    parts = found.miscalibration - found.discrimination + found.uncertainty
    assert parts == pytest.approx(found.score, abs=1e-13, rel=0)
    iso = IsotonicRegression().fit(p, y, sample_weight=w).predict(p)
    best = peer(y, iso, sample_weight=w)
    score, base = peer(y, p, sample_weight=w), np.full(len(y), np.average(y, weights=w))
    wanted = (score, score - best, peer(y, base, sample_weight=w) - best)
    own = (found.score, found.miscalibration, found.discrimination)
    assert own == pytest.approx(wanted, abs=1e-12, rel=0)
    assert float(found) == found.score


def test_decomposition_in_fractions():
    y, p, _ = sample(3, n=50, digits=1)
    positives, n = by_score(y, p)
    stated = [Fraction(round(10 * s), 10) for s in np.unique(p)]
    base = [Fraction(sum(positives), sum(n))] * len(n)
    score, best, none = (
        twins.brier(positives, n, levels) for levels in (stated, twins.isotonic(positives, n), base)
    )
    found = decomposition(sweep(y, p))
    own = (found.score, found.miscalibration, found.discrimination, found.uncertainty)
    wanted = (score, score - best, none - best, none)
    assert own == pytest.approx([float(part) for part in wanted], abs=1e-14, rel=0)


def test_recalibrated_probabilities_have_no_miscalibration():
    y, p, _ = sample(4)
    levels = isotonic_curve(sweep(y, p)).at(p)
    before, after = decomposition(sweep(y, p)), decomposition(sweep(y, levels))
    assert after.miscalibration <= 32 * EPS
    assert after.discrimination == pytest.approx(before.discrimination, abs=1e-14, rel=0)


def test_infinite_log_loss_says_why():
    found = decomposition(sweep([1, 0, 0, 1], [0.0, 0.3, 0.4, 1.0]), loss="log")
    assert found.score == found.miscalibration == math.inf
    assert found.reason.startswith("a positive has probability 0, or a negative probability 1:")
    assert math.isfinite(found.discrimination)
    assert found.to_dict()["score"] is None
    one_class = decomposition(sweep([0, 0], [0.2, 0.3], pos_label=1), loss="log")
    assert str(one_class.uncertainty) == "0.0"
    sure = decomposition(sweep([0, 0, 1, 1], [0.0, 0.3, 0.4, 1.0]), loss="log")
    assert sure.reason is None
    assert sure.score == pytest.approx(-(math.log(0.7) + math.log(0.4)) / 4, rel=1e-14)


def test_unknown_losses_are_refused():
    with pytest.raises(UnknownNameError, match="must be one of brier, log"):
        decomposition(sweep([0, 1], [0.1, 0.2]), loss="hinge")


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_one_class_has_no_uncertainty(loss):
    found = decomposition(sweep([0, 0], [0.2, 0.3]), loss=loss)
    assert (found.uncertainty, found.discrimination) == (0.0, 0.0)
    assert found.miscalibration == found.score > 0


@pytest.mark.parametrize("seed", range(20))
def test_pooling_first_or_not_gives_the_same_curve(seed, monkeypatch):
    """Of few scores the hull alone is found, of many what SciPy's pooling leaves."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(60), 1 + seed % 3)
    truth = np.append(rng.random(58) < score[:58], [True, False])
    weight = None if seed % 2 else rng.integers(1, 4, 60).astype(float)
    alone = isotonic_curve(sweep(truth, score, sample_weight=weight))
    monkeypatch.setattr("baserate.curves.isotonic.FEW", 0)
    pooled = isotonic_curve(sweep(truth, score, sample_weight=weight))
    assert pooled.to_dict() == alone.to_dict()

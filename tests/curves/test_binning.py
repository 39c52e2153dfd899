"""Bins of probabilities, beside scikit-learn and statsmodels."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from statsmodels.stats.proportion import proportion_confint

from baserate.curves import sweep
from baserate.curves.binning import calibration_bins
from baserate.errors import InvalidArgumentError, UnknownNameError

RNG = np.random.default_rng(11)
P = RNG.random(600)
Y = RNG.random(600) < P**1.5


@pytest.mark.parametrize("n_bins", [1, 7, 10, 15])
@pytest.mark.parametrize(("kind", "strategy"), [("width", "uniform"), ("mass", "quantile")])
def test_bins_are_those_of_scikit_learn(kind, strategy, n_bins):
    y, p = (Y, P) if kind == "width" else (Y[: 40 * n_bins], P[: 40 * n_bins])
    found = calibration_bins(sweep(y, p), n_bins=n_bins, kind=kind)
    share, mean = calibration_curve(y, p, n_bins=n_bins, strategy=strategy)
    np.testing.assert_allclose(found.share, share, rtol=1e-12)
    np.testing.assert_allclose(found.mean_score, mean, rtol=1e-12)
    assert found.n.sum() == len(y)


def test_intervals_are_those_of_clopper_and_pearson():
    found = calibration_bins(sweep(Y, P), n_bins=20, kind="width", confidence_level=0.8)
    low, high = proportion_confint(found.positives, found.n, alpha=0.2, method="beta")
    np.testing.assert_allclose(found.low, low, atol=1e-13)
    np.testing.assert_allclose(found.high, high, atol=1e-13)
    assert (found.route, found.reason, found.confidence_level) == ("exact", None, 0.8)
    none = calibration_bins(sweep([0, 0, 1], [0.1, 0.1, 0.9]), n_bins=2)
    assert (none.low[0], none.high[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("n_bins", [10, 20, 50, 100])
def test_edges_belong_to_the_bin_below(n_bins):
    edges = np.array([float(f"{i / n_bins:.2f}") for i in range(n_bins + 1)])  # as typed
    found = calibration_bins(
        sweep([0, 1] * len(edges), np.repeat(edges, 2)), n_bins=n_bins, kind="width"
    )
    assert found.high_score.tolist() == edges[1:].tolist()
    assert found.n.tolist() == [4] + [2] * (n_bins - 1)  # 0 lies in the first


def test_tied_scores_stay_together():
    p = [0.1] * 6 + [0.2] * 3 + [0.4]
    found = calibration_bins(sweep([0, 1] * 5, p), n_bins=5)
    assert found.n.tolist() == [6, 3, 1]
    assert found.low_score.tolist() == found.high_score.tolist() == [0.1, 0.2, 0.4]
    assert found.positives.tolist() == [3, 1, 1]


def test_ece_is_the_mean_distance_of_the_bins():
    found = calibration_bins(
        sweep([0, 1, 1, 1, 0], [0.1, 0.15, 0.45, 0.9, 0.95]), n_bins=2, kind="width"
    )
    assert found.ece == pytest.approx((abs(2 - 0.7) + abs(1 - 1.85)) / 5, rel=1e-14)


def test_whole_weights_are_copies_without_intervals():
    w = RNG.integers(1, 4, 600)
    found = calibration_bins(sweep(Y, P, sample_weight=w), n_bins=10)
    copies = calibration_bins(sweep(np.repeat(Y, w), np.repeat(P, w)), n_bins=10)
    np.testing.assert_allclose(found.n, copies.n, rtol=1e-14)
    np.testing.assert_allclose(found.share, copies.share, rtol=1e-14)
    assert found.ece == pytest.approx(copies.ece, rel=1e-12)
    assert np.isnan(found.low).all()
    assert found.reason.startswith("weights have no binomial law: pass the cases without")


def test_arguments_have_rules():
    s = sweep(Y, P)
    with pytest.raises(UnknownNameError, match="must be one of mass, width"):
        calibration_bins(s, n_bins=10, kind="deciles")
    with pytest.raises(InvalidArgumentError, match="n_bins"):
        calibration_bins(s, n_bins=0)

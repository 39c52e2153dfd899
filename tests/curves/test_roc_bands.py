"""Bands for ROC curves: limits of Clopper and Pearson at levels that are integrated exactly."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm

from baserate.curves import roc_band, roc_curve, sweep
from baserate.curves.roc_bands import order_limits, probability_within, single_error
from baserate.errors import InvalidArgumentError, UnknownNameError
from oracles import area_twins


@given(st.lists(st.integers(1, 39), min_size=1, max_size=4))
def test_the_probability_of_a_band_is_integrated(cuts):
    low = [Fraction(cut, 80) for cut in sorted(cuts)]
    high = [1 - x for x in reversed(low)]
    expected = area_twins.probability_within(low, high)
    found = probability_within(np.array(low, float), np.array(high, float))
    assert found == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize("n", [2, 7, 60, 500])
def test_single_limits_hold_together_as_often_as_they_should(n):
    low, high = order_limits(n, single_error(n, 0.9))
    assert probability_within(low, high) == pytest.approx(0.9, abs=1e-9)
    rng, runs = np.random.default_rng(n), 4000
    points = np.sort(rng.random((runs, n)), axis=1)
    held = np.mean(((points >= low) & (points <= high)).all(axis=1))
    assert held == pytest.approx(0.9, abs=4 * sqrt(0.09 / runs))


def test_a_single_case_divides_its_error():
    assert single_error(1, 0.9) == pytest.approx(0.05)


def test_pointwise_sides_are_those_of_clopper_and_pearson():
    y, s = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 5]
    swept = sweep(y, s)
    band = roc_band(swept, kind="pointwise", confidence_level=0.9)
    error = (1 - sqrt(0.9)) / 2
    for hits, low, high in (
        (swept.true_positives, band.recall_low, band.recall_high),
        (swept.false_positives, band.false_positive_rate_low, band.false_positive_rate_high),
    ):
        expected = [0.0, *beta.ppf(error, np.arange(1, 5), np.arange(4, 0, -1))]
        assert low == pytest.approx(np.array(expected)[hits], rel=1e-10)
        expected = [*beta.ppf(1 - error, np.arange(1, 5), np.arange(4, 0, -1)), 1.0]
        assert high == pytest.approx(np.array(expected)[hits], rel=1e-10)
    assert band.at is swept.thresholds
    assert (band.kind, band.route) == ("pointwise", "exact")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("n", [30, 5000])
def test_rectangles_hold_their_points_and_widen_to_hold_all(n):
    rng = np.random.default_rng(0)
    y = np.arange(n) < n // 3
    s = np.round(rng.normal(size=n) + y, 1)
    curve = roc_curve(y, s)
    one, every = (roc_band(y, s, kind=kind) for kind in ("pointwise", "simultaneous"))
    assert every.route == ("exact" if n == 30 else "grid")
    for name in ("recall", "false_positive_rate"):
        low, high = (getattr(one, f"{name}_{side}") for side in ("low", "high"))
        wide_low, wide_high = (getattr(every, f"{name}_{side}") for side in ("low", "high"))
        point = getattr(curve, name)
        assert (wide_low <= low).all()
        assert (low <= point).all()
        assert (point <= high).all()
        assert (high <= wide_high).all()
        assert (np.diff(wide_low) >= 0).all()
        assert (np.diff(wide_high) >= 0).all()


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize(("n", "runs"), [(12, 600), (60, 300), (3300, 40)])
@pytest.mark.parametrize("ties", [None, 2])
def test_all_cuts_lie_within_the_band(n, runs, ties):
    rng, held = np.random.default_rng(1), 0
    y = np.arange(n) < n // 3
    for _ in range(runs):
        s = rng.normal(size=n) + y
        s = s if ties is None else np.round(s * ties) / ties
        band = roc_band(y, s)
        # Just above and at each score: what is called positive changes at the scores only.
        cut = band.at - (0 if ties is None else 0.5 / ties)
        ends = np.append(cut[1:] + (0 if ties is None else 1 / ties), -np.inf)
        inside = True
        for at in (cut, ends):
            x, z = norm.sf(at), norm.sf(at - 1)
            inside &= ((band.recall_low <= z) & (z <= band.recall_high)).all()
            inside &= (
                (band.false_positive_rate_low <= x) & (x <= band.false_positive_rate_high)
            ).all()
        held += inside
    assert held / runs >= 0.95 - 2.5 * sqrt(0.0475 / runs)


def test_the_curve_runs_between_the_corners():
    rng = np.random.default_rng(3)
    y = np.arange(200) < 80
    band = roc_band(y, rng.normal(size=200) + 1.5 * y)
    x = np.array([0.0, 0.05, 0.3, 1.0])
    low, high = band.recall_at(x)
    for at, least, most in zip(x, low, high, strict=True):
        corners = band.recall_low[band.false_positive_rate_high <= at]
        assert least == max(corners, default=0.0)
        assert most == min(band.recall_high[band.false_positive_rate_low >= at], default=1.0)
    truth = norm.sf(norm.isf(x) - 1.5)
    assert (low <= truth).all()
    assert (truth <= high).all()
    assert (np.diff(low) >= 0).all()


def test_refusals():
    with pytest.raises(InvalidArgumentError, match="kind must be simultaneous to hold the curve"):
        roc_band([0, 1], [1, 2], kind="pointwise").recall_at(0.1)
    with pytest.raises(UnknownNameError, match="kind"):
        roc_band([0, 1], [1, 2], kind="bootstrap")
    with pytest.raises(InvalidArgumentError, match="y_true must be without weights"):
        roc_band(sweep([0, 1], [1, 2], sample_weight=[1, 2]))
    with pytest.raises(InvalidArgumentError, match="y_true must hold both classes"):
        roc_band([1, 1], [1, 2])
    assert roc_band([0, 1], [1, 2]).to_dict()["kind"] == "simultaneous"

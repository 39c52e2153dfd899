"""Bounds from histograms hold what the scores themselves are worth, by exact fractions."""

from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import pytest

import baserate as br
from baserate.curves import (
    average_precision,
    discrimination_slope,
    partial_auc,
    r_squared,
    top_of_list,
)
from baserate.curves.binning import calibration_bins
from baserate.curves.isotonic import decomposition, isotonic_curve
from baserate.curves.score_bins import outward
from baserate.curves.score_grid import COARSEST, starts_of
from baserate.curves.score_histogram import FEWEST
from baserate.errors import UnsupportedError
from tests.oracles import area_twins, binned_twins, calibration_twins, curve_twins

KINDS = ("plain", "tied", "edges", "pure", "close", "one cell")
EVERY = 240  # random and adversarial samples; 10,000 of each held when they were written
SOME = 60


def sample(seed, *, probabilities=False):
    """Return labels, scores, and their histogram on some level that loses order."""
    rng = np.random.default_rng([seed, probabilities])
    n, level = int(rng.integers(4, 26)), int(rng.integers(COARSEST, 9))
    kind = KINDS[seed % len(KINDS)]
    scores = rng.random(n) ** rng.choice([1.0, 3.0])
    if kind == "tied":
        scores = rng.choice(scores, n)
    elif kind == "edges":
        edge = starts_of(scores, level)
        scores = np.where(rng.random(n) < 0.5, edge, np.nextafter(edge, rng.integers(0, 2, n)))
    elif kind == "pure":  # one class in a bin, now and then
        scores = np.where(rng.random(n) < 0.5, scores, 0.5 + scores / 64)
    elif kind == "close":
        scores = 0.3 + rng.integers(0, 4, n) * 2.0**-54
    elif kind == "one cell":
        scores = 0.51 + scores * 2.0**-7
    if probabilities:
        scores = np.clip(scores, 1e-9, 1 - 1e-9)
    elif rng.random() < 0.5:
        odd = [-inf, inf, 0.0, -0.0, 5e-324, 1e-310, -1e-310, 1e300, 64.0, -64.0, 1.0]
        scores = np.where(rng.random(n) < 0.3, rng.choice(odd, n), scores * rng.choice([-1, 1]))
    truth = rng.random(n) < np.clip(scores if probabilities else rng.random(), 0.1, 0.9)
    truth[:2] = True, False
    histogram = br.ScoreHistogram(bins=FEWEST).add(truth, scores)
    histogram._keep(histogram.rows, level)
    return truth, scores, histogram


def samples(*, probabilities=False, every=EVERY, some=SOME):
    """Yield the samples of a fast test, or all where heavy tests are asked for."""
    heavy = [pytest.param(range(some, every), marks=pytest.mark.slow, id=f"{every:,}")]
    return pytest.mark.parametrize("seeds", [pytest.param(range(some), id="few"), *heavy])


def holds(bounds, exact):
    low, high = bounds
    return low <= exact <= high


def check(measure, histogram, exact, **options):
    """Compare with a histogram that lost order, and with one that did not."""
    found = measure(histogram, **options)
    if found.bounds is None:
        assert histogram.exact
        assert float(found) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    else:
        assert holds(found.bounds, exact), (measure, found.bounds, float(exact))
        assert holds(found.bounds, found.value) or found.value == pytest.approx(found.bounds[0])
        slack = 1e-12
        assert isnan(found.low) or found.low - slack <= float(exact) <= found.high + slack
    return found


@samples()
def test_ranking(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed)
        given = truth.astype(int).tolist(), (scores + 0.0).tolist()
        path = [(Fraction(fp, given[0].count(0)), Fraction(tp, given[0].count(1)))
                for tp, fp in curve_twins.points(*given)]  # fmt: skip
        check(br.roc_auc, histogram, curve_twins.area_under_roc(*given))
        limit = Fraction(1, 4)
        area = area_twins.partial_area(path, limit)
        check(partial_auc, histogram, area, max_fpr=0.25, standardized=False)
        turned = [(1 - y, 1 - x) for x, y in path[::-1]]
        area = area_twins.partial_area(turned, limit)
        check(partial_auc, histogram, area, min_recall=0.75, standardized=False)
        check(average_precision, histogram, curve_twins.average_precision(*given))
        restated = binned_twins.precision_at_base_rate(*given, Fraction(1, 8))
        check(average_precision, histogram, restated, base_rate=0.125)


@pytest.mark.slow
@samples(probabilities=True, every=EVERY // 5)
def test_losses(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed, probabilities=True)
        given = truth.astype(int).tolist(), scores.tolist()
        rate = Fraction(int(truth.sum()), len(truth))
        brier = binned_twins.brier(*given)
        check(br.brier_score, histogram, brier)
        check(br.log_loss, histogram, binned_twins.log_loss(*given))
        check(discrimination_slope, histogram, binned_twins.discrimination(*given))
        if seed % 8 == 0:  # its interval takes a tenth of a second
            check(r_squared, histogram, 1 - brier / (rate * (1 - rate)), kind="brier")


@pytest.mark.slow
@samples(probabilities=True, some=24, every=EVERY // 5)
def test_recalibration(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed, probabilities=True)
        found = br.calibration(histogram)
        if histogram.exact:
            continue
        given = truth.astype(int).tolist(), scores.tolist()
        expected = sum(map(Fraction, given[1]))
        assert holds(found.expected_bounds, expected)
        assert holds(found.observed_expected.bounds, int(truth.sum()) / expected)
        assert holds(found.intercept.bounds, binned_twins.level(*given))
        if found.slope.bounds is not None:
            line = binned_twins.best_line(*given)
            assert line is not None
            assert holds(found.slope.bounds, line[1])
            assert holds(found.joint_intercept_bounds, line[0])
        else:
            assert isnan(found.slope.value)
            assert found.slope.reason


@pytest.mark.parametrize("power", [1.5, 0.6])
def test_the_line_is_proved_where_bins_are_narrow(power):
    rng = np.random.default_rng(0)
    scores = rng.random(40_000)
    truth = rng.random(40_000) < scores**power
    rough, exact = (
        br.calibration(br.ScoreHistogram(bins=8192).add(truth, scores)),
        br.calibration(truth, scores),
    )
    for bounds, number in (
        (rough.slope.bounds, exact.slope.value),
        (rough.joint_intercept_bounds, exact.joint_intercept),
    ):
        assert holds(bounds, number)
        assert bounds[1] < bounds[0] + 0.2


def test_a_cell_is_parted_by_mass_only_where_a_bin_ends_within_it():
    truth = [1, 0, 1, 1]
    for scores, parted in (([0.51, 0.511, 0.512, 0.9], True), ([0.51, 0.511, 0.9, 0.901], False)):
        histogram = br.ScoreHistogram(bins=FEWEST).add(truth, scores)
        histogram._keep(histogram.rows, COARSEST)
        low, high = calibration_bins(histogram.sweep(), n_bins=2).ece_bounds
        assert low <= binned_twins.calibration_error(truth, scores, 2, "mass") <= high
        assert (high > low + 0.01) == parted


@samples(probabilities=True, some=24)
def test_the_isotonic_curve(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed, probabilities=True)
        if histogram.exact:
            continue
        given = truth.astype(int).tolist(), scores.tolist()
        *measures, curve = binned_twins.distances(*given)
        found = br.calibration(histogram)
        for estimate, exact in zip(
            (found.ici, found.e50, found.e90, found.eci), measures, strict=True
        ):
            assert holds(estimate.bounds, exact)
            assert estimate.value == pytest.approx(np.clip(estimate.value, *estimate.bounds))
            assert isnan(estimate.low)
            assert isnan(estimate.chance)
        steps = binned_twins.by_score(*given)
        rough = isotonic_curve(histogram.sweep())
        for level, (score, _, _) in zip(curve, steps, strict=True):
            [at] = np.flatnonzero((rough.low_score <= score) & (score <= rough.high_score))
            assert rough.bounds[0][at] <= level <= rough.bounds[1][at]
        split = decomposition(histogram.sweep())
        positives, n = [k for _, k, _ in steps], [m for _, _, m in steps]
        rate = Fraction(sum(positives), sum(n))
        best = calibration_twins.brier(positives, n, curve)
        assert holds(split.score_bounds, binned_twins.brier(*given))
        assert holds(split.miscalibration_bounds, binned_twins.brier(*given) - best)
        assert holds(split.discrimination_bounds, rate * (1 - rate) - best)
        for kind in ("mass", "width"):
            bins = calibration_bins(histogram.sweep(), n_bins=4, kind=kind)
            assert holds(bins.ece_bounds, binned_twins.calibration_error(*given, 4, kind))
            for at in range(len(bins.n)):
                inside = [x for x in given[1] if bins.low_score[at] <= x <= bins.high_score[at]]
                mean = sum(map(Fraction, inside)) / len(inside)
                assert bins.n[at] == len(inside)
                assert bins.mean_score_bounds[0][at] <= mean <= bins.mean_score_bounds[1][at]


@samples()
def test_the_top_of_the_list(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed)
        k = 1 + seed % len(truth)
        found = top_of_list(histogram, k=k)
        if histogram.exact:
            assert found.threshold_bounds is None
            continue
        threshold = np.sort(scores)[::-1][k - 1]
        assert holds(found.threshold_bounds, threshold)
        above, tied = scores > threshold, scores == threshold
        drawn = Fraction((k - int(above.sum())) * int(truth[tied].sum()), int(tied.sum()))
        hits = int(truth[above].sum()) + drawn
        assert holds(found["precision"].bounds, float(hits / k))
        assert holds(found["recall"].bounds, float(hits / int(truth.sum())))


@pytest.mark.slow
@samples(probabilities=True)
def test_net_benefit(seeds):
    for seed in seeds:
        truth, scores, histogram = sample(seed, probabilities=True)
        rng = np.random.default_rng(seed)
        tau = np.unique(np.concatenate((rng.choice(scores, 4), rng.random(6))))
        curve = br.net_benefit_curve(histogram, thresholds=tau)
        low, high = (curve.net_benefit, curve.net_benefit) if curve.bounds is None else curve.bounds
        band = curve.band(tau[:2])
        raw = br.net_benefit_curve(br.sweep(truth, scores), thresholds=tau).band(tau[:2])
        assert (band.low <= raw.low + 1e-9).all()
        assert (band.high >= raw.high - 1e-9).all()
        for at, t in enumerate(tau.tolist()):
            tp, _, fp, _ = binned_twins.table(truth, scores, t)
            exact = (tp - fp * Fraction(t) / (1 - Fraction(t))) / len(truth)
            room = 1e-12 if curve.bounds is None else 0
            assert low[at] - room <= exact <= high[at] + room


@pytest.mark.sweep(5, start=1)
@pytest.mark.parametrize("metric", ["mcc", "f1", "accuracy", "informedness", "error_rate"])
@samples(every=EVERY // 5)
def test_the_best_cut(metric, seeds):
    metric = br.metrics.get(metric)
    sign = -1 if metric.direction == "lower" else 1
    for seed in seeds:
        truth, scores, histogram = sample(seed)
        exact = br.optimal_threshold(metric, truth, scores)
        try:
            found = br.optimal_threshold(metric, histogram)
        except UnsupportedError as error:
            assert "Cuts within bins of counted scores are not known" in str(error)  # noqa: PT017
            continue
        if histogram.exact:
            assert found.bounds is found.ranges is None
            assert found.value == exact.value
            continue
        assert holds(found.bounds, exact.value)
        tables = [binned_twins.table(truth, scores, t) for t in [*scores, nan]]
        values = [metric(br.ConfusionMatrix(tp=a, fn=b, fp=c, tn=d)) for a, b, c, d in tables]
        best = sign * np.nanmax(sign * np.array(values))
        assert holds(found.bounds, best)
        fine = br.ScoreHistogram(bins=FEWEST, focus=found.ranges).add(truth, scores)
        fine._keep(fine.rows, histogram.level)
        again = br.optimal_threshold(metric, fine)
        assert again.value == pytest.approx(best, rel=1e-12)
        assert not again.ranges
        assert again.bounds is None or again.bounds == pytest.approx((best, best), abs=1e-13)


def test_a_second_pass_finds_the_best_cut():
    rng = np.random.default_rng(3)
    scores = rng.random(60_000)
    truth = rng.random(60_000) < scores**2
    exact = br.optimal_threshold("mcc", truth, scores)
    rough = br.optimal_threshold("mcc", br.ScoreHistogram(bins=FEWEST).add(truth, scores))
    assert rough.bounds[0] < exact.value <= rough.bounds[1] < rough.bounds[0] + 0.01
    halves = [slice(0, 20_000), slice(20_000, None)]
    parts = [br.ScoreHistogram(bins=8192, focus=rough.ranges).add(truth[part], scores[part])
             for part in halves]  # fmt: skip
    whole = br.ScoreHistogram(bins=8192, focus=rough.ranges).add(truth, scores)
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole
    found = br.optimal_threshold("mcc", whole)
    assert (found.threshold, found.value, found.plateau) == (
        exact.threshold,
        exact.value,
        exact.plateau,
    )
    assert found.midpoint == exact.midpoint
    assert found.table == exact.table or found.table.tp == exact.table.tp


@pytest.mark.parametrize(
    "ask",
    [
        lambda s, h: s.roc_auc(),
        lambda s, h: br.curves.convex_hull(s),
        lambda s, h: br.curves.roc_dominance(s, s),
        lambda s, h: br.populations.Empirical(s),
        lambda s, h: br.optimal_threshold("f1", h, method="plug_in"),
        lambda s, h: br.optimal_threshold("f1", h, method="bagged", rng=0),
        lambda s, h: br.tuning.threshold_spread("f1", h, rng=0),
        lambda s, h: br.net_benefit_curve(h).information(),
    ],
)
def test_what_has_no_bounds_is_refused(ask):
    rng = np.random.default_rng(4)
    scores = rng.random(9_000)
    histogram = br.ScoreHistogram(bins=FEWEST).add(rng.random(9_000) < scores, scores)
    with pytest.raises(UnsupportedError, match="counted scores, whose order within a bin is lost"):
        ask(histogram.sweep(), histogram)


def test_a_band_of_counted_scores_says_why_there_is_none():
    rng = np.random.default_rng(5)
    scores = rng.random(9_000)
    histogram = br.ScoreHistogram(bins=FEWEST).add(rng.random(9_000) < scores, scores)
    found = br.calibration(histogram)
    assert "no band is proved of counted scores" in found.band().reason
    assert found.regions() == ()
    assert found.ici.reason == found.band().reason


def test_room_for_roundings_is_no_more_than_they_need():
    low, high = outward(0.25, 0.75, terms=1000)
    assert 0.25 - 1e-12 < low < 0.25 - 1000 * 2.0**-53
    assert 0.75 + 1000 * 2.0**-53 < high < 0.75 + 1e-12

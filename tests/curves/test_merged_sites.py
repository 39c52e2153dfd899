"""Sites that joined their small cells, pooled: what is known of all cases holds, and is narrow."""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, permutations, product
from math import inf
from operator import add

import numpy as np
import pytest

import baserate as br
from baserate.curves import average_precision, discrimination_slope
from baserate.curves.cut_points import sweep_of_bins
from baserate.curves.score_histogram import FEWEST
from baserate.errors import InvalidArgumentError
from baserate.metrics import get
from baserate.report.explorer import explorer_of
from baserate.utilities import net_benefit_curve
from tests.oracles import binned_twins, curve_twins

SEEDS = 40


def sites(seed, sizes=(120, 50, 24), *, groups=1):
    """Return labels, scores and group of each site; some sites have scores on a grid, or ties."""
    rng = np.random.default_rng([seed, 15])
    found = []
    for n in sizes:
        truth = rng.random(n) < 0.4
        scores = 1 / (1 + np.exp(-rng.normal(-0.8 + rng.choice([0.0, 1.5, 4.0]) * truth, 1)))
        kind = rng.integers(0, 4)
        if kind == 1:
            scores = np.round(scores * 16) / 16 + 0.0  # on the edges of cells
        elif kind == 2:
            scores = rng.choice(scores, n)
        elif kind == 3:
            scores = np.where(rng.random(n) < 0.5, scores, 0.5 + scores / 64)
        truth[:10], truth[10:20] = True, False  # so that no class is left out
        found.append((truth, np.clip(scores, 1e-9, 1 - 1e-9), rng.integers(0, groups, n)))
    return found


def suppressed(parts, minimum=5):
    return [br.ScoreHistogram().add(y, s).suppressed(minimum) for y, s, _ in parts]


def pooled(parts):
    return (np.concatenate([part[k] for part in parts]) for k in (0, 1))


def holds(bounds, exact):
    return bounds[0] <= exact <= bounds[1]


@pytest.mark.sweep(10, start=4)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_measures_of_all_cases_lie_within_their_bounds(seed):
    parts = sites(seed)
    found = reduce(add, suppressed(parts, 2 + seed % 5))
    truth, scores = pooled(parts)
    given = truth.astype(int).tolist(), scores.tolist()
    twins = {
        br.roc_auc: curve_twins.area_under_roc,
        average_precision: curve_twins.average_precision,
        br.brier_score: binned_twins.brier,
        br.log_loss: binned_twins.log_loss,
        discrimination_slope: binned_twins.discrimination,
    }
    for measure, twin in twins.items():
        known, exact = measure(found), twin(*given)
        if known.bounds is None:
            assert known.value == pytest.approx(float(exact), rel=1e-9)
            continue
        assert holds(known.bounds, exact), measure
        assert holds(known.bounds, known.value), measure
        assert known.low - 1e-12 <= float(exact) <= known.high + 1e-12, measure
    expected = br.calibration(found).observed_expected
    exact = Fraction(int(truth.sum())) / sum(map(Fraction, given[1]))
    assert holds(expected.bounds or (expected.value - 1e-12, expected.value + 1e-12), exact)


def of_rows(rows):
    """Return the sweep of rows: class, lowest, highest, cases."""
    columns = (np.array(column) for column in zip(*rows, strict=True))
    truth, low, high, cases = columns
    highest = {} if (low == high).all() else {"y_score": high.astype(float)}
    held = br.ScoreHistogram().add([0, 1], [0.0, 1.0]).cases()
    held = replace(held, truth=truth.astype(bool), scores={"y_score": low.astype(float)})
    return sweep_of_bins(replace(held, highest=highest, count=cases), "y_score")


def assignments(rows):
    """Yield all scores that rows may stand for, as far as their order and ties go."""
    ends = sorted({end for row in rows for end in row[1:3]})
    places = sorted({*ends, *(np.add(ends[1:], ends[:-1]) / 2)})
    yield from product(
        *(
            combinations_with_replacement([s for s in places if low <= s <= high], n)
            for _, low, high, n in rows
        )
    )


MIXED = [  # scores that are known among ranges: (class, lowest, highest, cases)
    [(1, 2, 2, 3), (1, 2, 4, 3), (0, 1, 6, 2)],
    [(1, 2, 2, 3), (1, 2, 4, 1), (0, 5, 5, 4)],
    [(1, 2, 2, 3), (1, 0, 4, 1), (0, 3, 3, 4), (0, 1, 1, 1)],
    [(1, 0, 0, 2), (1, -1, 3, 2), (0, -2, 4, 1)],
    [(1, 1, 3, 2), (1, 2, 5, 2), (1, 4, 4, 1), (0, 2, 4, 1), (0, 5, 5, 1)],
    [(1, 1, 5, 1), (1, 2, 3, 2), (0, 1, 5, 1), (0, 3, 4, 1)],
]


@pytest.mark.sweep(18, start=2)
@pytest.mark.parametrize("rows", MIXED)
@pytest.mark.parametrize("base_rate", [None, 0.1, 0.9])
def test_average_precision_of_every_assignment_lies_within_its_bounds(rows, base_rate):
    low, high = average_precision(of_rows(rows), base_rate=base_rate).bounds
    truth = np.repeat([row[0] for row in rows], [row[3] for row in rows]).astype(bool)
    rarer = 1.0 if base_rate is None else truth.sum() / (~truth).sum() * (1 / base_rate - 1)
    for found in assignments(rows):
        scores = np.concatenate(found)
        above = scores >= scores[truth][:, None]
        tp, fp = (above & truth).sum(axis=1), (above & ~truth).sum(axis=1)
        assert low <= (tp / (tp + rarer * fp)).mean() <= high, scores


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_tables_at_any_cut_lie_between_those_of_the_two_orders(seed):
    parts = sites(seed)
    found = reduce(add, suppressed(parts))
    truth, scores = pooled(parts)
    ends = np.concatenate([found.rows.lowest, found.rows.highest, scores, [0.5, inf, -inf]])
    cuts = np.concatenate([ends, np.nextafter(ends, inf)])
    worst, best = found.tables_at(cuts)
    tp = np.array([np.count_nonzero(truth & (scores >= cut)) for cut in cuts])
    fp = np.array([np.count_nonzero(~truth & (scores >= cut)) for cut in cuts])
    assert (worst.tp <= tp).all()
    assert (tp <= best.tp).all()
    assert (best.fp <= fp).all()
    assert (fp <= worst.fp).all()
    exact = found.sweep()
    at = np.searchsorted(-exact.thresholds[1:], -exact.thresholds[1:], side="right")
    for cut, own in zip(exact.thresholds[1:], exact.true_positives[at], strict=True):
        assert np.count_nonzero(truth & (scores >= cut)) == own
    tau = np.array([0.1, 0.3, 0.5, 0.7])
    curve = net_benefit_curve(found, thresholds=tau)
    for t, low, value, high in zip(tau, curve.bounds[0], curve.net_benefit, curve.bounds[1],
                                   strict=True):  # fmt: skip
        called = scores >= t
        own = np.count_nonzero(called & truth) - np.count_nonzero(called & ~truth) * t / (1 - t)
        assert low - 1e-12 <= own / len(truth) <= high + 1e-12
        assert low <= value <= high


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["informedness", "f1", "mcc", "accuracy"])
def test_the_best_cut_of_all_cases_lies_within_its_bounds(name):
    for seed in range(SEEDS):
        parts = sites(seed)
        found = reduce(add, suppressed(parts))
        truth, scores = pooled(parts)
        best = br.optimal_threshold(get(name), br.sweep(truth, scores))
        if name == "mcc" and len(found.sweep().thresholds) == 2:
            continue  # one bin: undefined at both ends, and refused
        known = br.optimal_threshold(get(name), found.sweep())
        low, high = known.bounds or (known.value - 1e-12, known.value + 1e-12)
        assert low - 1e-12 <= best.value <= high + 1e-12
        inside = [*known.ranges, *((low, high) for low, high in known.plateau)]
        assert any(low <= best.threshold <= high for low, high in inside)


@pytest.mark.sweep(16, start=10)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_sites_merge_in_any_order_to_the_bit(seed, groups):
    parts = sites(seed, (300, 200, 90, 40), groups=groups)
    counted = [br.ScoreHistogram().add(y, s, groups=g) for y, s, g in parts]
    mixed = [counted[0], *(one.suppressed(3) for one in counted[1:])]
    a, b, c, d = mixed
    whole = ((a + b) + c) + d
    assert (a + b) + (c + d) == whole == a + (b + (c + d))
    for order in permutations(mixed):
        assert reduce(add, order) == whole


@pytest.mark.parametrize("seed", range(4))
def test_wide_and_narrow_rows_are_joined_alike_in_any_order(seed):
    rng = np.random.default_rng(seed)
    parts = []
    for n in (30_000, 20_000, 300):
        y, s = rng.random(n) < 0.3, rng.random(n) ** 3
        parts.append(br.ScoreHistogram(bins=FEWEST).add(y, s))
    parts[1:] = [one.suppressed(4) for one in parts[1:]]
    a, b, c = parts
    assert (a + b) + c == a + (b + c) == (c + a) + b == b + (c + a)
    assert len((a + b + c).rows.cases) <= FEWEST


def test_a_small_site_does_not_spoil_a_large_one():
    rng = np.random.default_rng(0)
    parts = []
    for n in (900, 300, 60):
        y = rng.random(n) < 0.3
        parts.append((y, 1 / (1 + np.exp(-rng.normal(-1.2 + 1.5 * y, 1))), None))
    found = reduce(add, suppressed(parts))
    low, high = br.roc_auc(found).bounds
    assert high - low < 0.07
    worst, best = found.tables_at(0.5)
    assert best.tp - worst.tp <= 12
    assert worst.fp - best.fp <= 12


def test_a_file_of_merged_sites_holds_it_all(tmp_path):
    found = reduce(add, suppressed(sites(3)))
    found.save(tmp_path / "all.json")
    assert br.ScoreHistogram.load(tmp_path / "all.json") == found


def test_a_page_explores_a_cut_whose_table_is_known():
    rng = np.random.default_rng(0)
    parts = []
    for n in (900, 300, 60):
        y = rng.random(n) < 0.3
        parts.append((y, 1 / (1 + np.exp(-rng.normal(-1.2 + 1.5 * y, 1))), None))
    found = reduce(add, suppressed(parts)).sweep()
    fewest, most = found.rules_around(0.5)
    assert fewest != most
    assert explorer_of({"all cases": found}).start["threshold"] is None


def test_a_refused_cut_tells_how_many_reach_it_at_least_and_at_most():
    y, scores = [1, 0] * 10, np.repeat([0.1, 0.3, 0.45, 0.7, 0.9], 4) + np.arange(20) / 1000
    found = br.ScoreHistogram().add(y, scores).suppressed(10)
    with pytest.raises(InvalidArgumentError, match="0 to 10 positives and 0 to 10 negatives reach"):
        found.cases().cut("y_score", 0.5)

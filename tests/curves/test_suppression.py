"""What leaves a site after suppression tells nothing of few people, and still holds the truth."""

from collections import Counter
from functools import partial
from math import isnan, nan

import numpy as np
import pytest
import sklearn.metrics

import baserate as br
from baserate.curves.score_grid import cells_of, edges_of
from baserate.errors import InvalidArgumentError
from quick import one_in


def counted(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    y, group = rng.random(n) < 0.4, rng.integers(0, 3, n)
    score = np.round(rng.random(n), int(rng.integers(1, 5))) * (1, -100)[seed % 2]
    return y, score, group


def told(histogram):
    rows = histogram.rows
    return zip(*(column.tolist() for column in rows), strict=True)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("seed", one_in(5, range(60)))
def test_every_row_has_enough_cases_and_tells_no_score_of_few(seed):
    y, score, group = counted(seed)
    least = 2 + seed % 7
    found = br.ScoreHistogram().add(y, score, groups=group).suppressed(least)
    for code, positive, low, high, cases in told(found):
        [label] = found.groups[code]
        mine = score[(group == label) & (y == positive)]
        assert cases >= least
        assert cases == np.count_nonzero((mine >= low) & (mine <= high))
        if low == high:
            assert Counter(mine.tolist())[low] >= least
            continue
        # The ends are those of a cell that so many share, or of coarse cells next to each other.
        levels = [
            level
            for level in range(4, 21)
            if edges_of(np.array([low]), level)[0][0] == low
            and high in {edges_of(np.array([high]), level)[1][0], 1}
            and (level == 4 or np.ptp(cells_of(np.array([low, high]), level)) == 0)
        ]
        assert levels


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", one_in(5, range(60)))
def test_bounds_hold_the_cases_left_also_after_merging(seed):
    parts, least = [counted(seed), counted(seed + 60 + seed % 2)], 3
    sites = [br.ScoreHistogram().add(y, s, groups=g).suppressed(least) for y, s, g in parts]
    found, other = sites[0] + sites[1], sites[1] + sites[0]
    assert found == other
    left = [
        np.isin(group, [key for (key,) in site.groups])
        for (_, _, group), site in zip(parts, sites, strict=True)
    ]
    y, score = (
        np.concatenate([part[k][kept] for part, kept in zip(parts, left, strict=True)])
        for k in (0, 1)
    )
    assert (found.n, found.n_positive) == (len(y), y.sum())
    if y.any() and not y.all():
        area = br.roc_auc(found)
        low, high = area.bounds or (area.value, area.value)
        assert low <= br.roc_auc(y, score).value <= high


def test_sites_with_different_groups_merge_in_either_order():
    one = br.ScoreHistogram().add([0, 1], [0.1, 0.2], groups=["b", "c"])
    two = br.ScoreHistogram().add([0, 1], [0.3, 0.4], groups=["a", "b"])
    for found in (one + two, two + one):
        rows = [(found.groups[row[0]], *row[1:3]) for row in told(found)]
        assert rows == [
            (("a",), False, 0.3), (("b",), False, 0.1), (("b",), True, 0.4), (("c",), True, 0.2)
        ]  # fmt: skip


def test_small_groups_are_left_out_and_counted():
    y = [1] * 9 + [0] * 3 + [1] * 9 + [0] * 9
    group = ["small"] * 12 + ["large"] * 18
    found = br.ScoreHistogram().add(y, [0.5] * 30, groups=group).suppressed()
    assert found.groups == (("large",),)
    assert found.suppression == (5, 12, 1)
    few = br.ScoreHistogram().add([1, 0, 1], [0.1, 0.2, 0.3]).suppressed()
    assert (few.n, few.suppression) == (0, (5, None, 1))


def test_numbers_of_missing_rows_are_suppressed_too():
    y, score = [1, 0] * 10, [0.5] * 18 + [float("nan")] * 2
    histogram = br.ScoreHistogram().add(y, score, missing="drop")
    assert (histogram.n_missing, histogram.suppressed().n_missing) == (2, 0)
    assert histogram.suppressed(minimum=2).n_missing == 2


@pytest.mark.parametrize("suffix", [".json", ".arrow"])
def test_a_file_says_that_cells_were_suppressed(tmp_path, suffix):
    found = br.ScoreHistogram().add([0, 1] * 50, np.arange(100) / 100).suppressed(5)
    found.save(tmp_path / f"site{suffix}")
    again = br.ScoreHistogram.load(tmp_path / f"site{suffix}")
    assert again == found
    assert (again + again).suppression == (5, 0, 0)


def test_a_minimum_of_one_suppresses_nothing_and_is_refused():
    with pytest.raises(InvalidArgumentError, match="minimum"):
        br.ScoreHistogram().add([0, 1], [0, 1]).suppressed(1)


def certain(seed):
    """Return labels and probabilities of which some are exactly 0 and 1."""
    rng = np.random.default_rng([14, seed])
    n = int(rng.integers(12, 220))
    p = rng.random(n) if seed % 2 else rng.beta(0.5, 0.5, n).round(2)
    p = np.where(rng.random(n) < 0.5, 1 - 1e-3 * p**6, p) if seed % 3 == 0 else p
    p[rng.random(n) < rng.choice([0.02, 0.15, 0.4])] = 1.0
    p[rng.random(n) < rng.choice([0.02, 0.15, 0.4])] = 0.0
    return rng.random(n) < 0.2 + 0.6 * p, p


EXACT = {
    br.roc_auc: sklearn.metrics.roc_auc_score,
    br.brier_score: sklearn.metrics.brier_score_loss,
    br.average_precision: sklearn.metrics.average_precision_score,
    br.discrimination_slope: lambda y, p: p[y].mean() - p[~y].mean(),
    partial(br.r_squared, kind="brier"): lambda y, p: 1 - ((y - p) ** 2).mean() / y.var(),
}
ANSWERS = (
    lambda h: str(br.evaluate(h)),
    lambda h: br.evaluate(h).to_html(),
    lambda h: str(br.thresholds(h)),
    br.net_benefit_curve,
    br.log_loss,
    lambda h: br.calibration(h).bins(),
    lambda h: br.calibration(h).decomposition(),
)


@pytest.mark.parametrize("seed", one_in(12, range(12)))
def test_probabilities_of_0_and_1_are_cells_that_every_question_takes(seed):
    y, p = certain(seed)
    site = br.ScoreHistogram().add(y, p)
    small = site.suppressed(2 + seed % 6)
    if not small.n:
        return
    assert small.rows.lowest.min() >= 0
    assert small.rows.highest.max() <= 1
    for measure, exact in EXACT.items():
        found = measure(small)
        low, high = found.bounds or (found.value - 1e-9, found.value + 1e-9)
        assert low <= exact(y, p) <= high
        assert low <= found.value <= high
    found = br.calibration(small)
    low, high = found.observed_expected.bounds or (nan, nan)
    assert isnan(low) or low <= y.sum() / p.sum() <= high
    assert br.calibration(y, p).slope.reason is None or found.slope.reason is not None
    for answer in ANSWERS:
        answer(small)


@pytest.mark.parametrize("seed", one_in(9, range(90)))
def test_the_lowest_score_of_a_top_is_within_its_bounds(seed):
    y, p = certain(seed)
    small = br.ScoreHistogram().add(y, p).suppressed(2 + seed % 6)
    down = np.sort(p)[::-1]
    for k in {1, 2, len(p) // 10 + 1, len(p) // 3, len(p) // 2, len(p)} if small.n else ():
        found = br.curves.top_of_list(small, k=k)
        low, high = found.threshold_bounds or (found.threshold, found.threshold)
        assert low <= down[k - 1] <= high


def test_of_a_score_nobody_named_a_cut_that_parts_none_is_taken():
    y, p = [0] * 9 + [1] * 9, [0.1, 0.2, 0.3, 0.4, 0.45, 0.52, 0.7, 0.8, 0.9] * 2
    small = br.ScoreHistogram().add(y, p).suppressed(4)
    found = br.evaluate(small).to_dict()
    assert found["threshold"] in small.rows.lowest
    whole = br.ScoreHistogram().add(y, p)
    exact = br.evaluate(whole, threshold=found["threshold"]).to_dict()
    assert found["table"] == exact["table"]
    with pytest.raises(InvalidArgumentError, match="threshold must not lie between scores"):
        br.evaluate(small, threshold=0.5)

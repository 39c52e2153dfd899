"""What leaves a site after suppression tells nothing of few people, and still holds the truth."""

from collections import Counter

import numpy as np
import pytest

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
            and edges_of(np.array([high]), level)[1][0] == high
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

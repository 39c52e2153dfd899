"""Histograms of scores: the grid, merging in any order, files, and bounds of the ROC area."""

import json
from fractions import Fraction
from math import floor, inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import baserate as br
from baserate.curves.score_grid import CELLS, COARSEST, FINEST, FIRST, cells_of, edges_of
from baserate.curves.score_histogram import FEWEST, ScoreHistogram
from baserate.errors import DataError, InvalidArgumentError

ANY = st.floats(allow_nan=False)
ODD = [0.0, 5e-324, 1e-310, 2.0**-12, 1 / 64, 0.5, 1.0, 63.9, 64.0, 1e300, inf]
ODD += [63 / 64, np.nextafter(63 / 64, 1), 0.99, 1 - 2.0**-20, 1 - 3 * 2.0**-53, np.nextafter(1, 0)]


def exact_cell(score, level):
    """Return the cell by fractions, as the docstring of the grid defines it."""
    if score == 0:
        return 0
    sign = 1 if score > 0 else -1
    if score in (inf, -inf):
        return sign * (1 + 3 * FIRST * CELLS)
    whole, stretch = abs(Fraction(score)), 0
    near = Fraction(63, 64) < whole < 1
    size = 1 - whole if near else whole
    while size >= Fraction(64) ** (stretch + 1):
        stretch += 1
    while size < Fraction(64) ** stretch:
        stretch -= 1
    width = Fraction(64) ** (stretch + 1) / 2 ** (level if stretch == -1 else level - 4)
    number = (stretch + FIRST) * CELLS + floor(size / width)
    if near:
        return sign * (2 * FIRST * CELLS - number)
    return sign * (1 + number + (FIRST * CELLS if whole >= 1 else 0))


@given(score=ANY | st.sampled_from(ODD), level=st.integers(COARSEST, FINEST))
def test_cells_are_those_of_the_definition(score, level):
    [found] = cells_of(np.array([score]), level)
    assert found == exact_cell(score, level)


@given(st.lists(ANY | st.sampled_from(ODD), min_size=2, max_size=20), st.integers(5, 20))
def test_what_shares_a_cell_shares_the_coarser_ones(scores, level):
    fine, coarse = (cells_of(np.array(scores), one) for one in (level, level - 1))
    assert len({*zip(fine.tolist(), coarse.tolist(), strict=True)}) == len({*fine.tolist()})


@given(st.lists(ANY | st.sampled_from(ODD), min_size=2, max_size=20), st.integers(4, 20))
def test_cells_ascend_as_scores_do(scores, level):
    assert (np.diff(cells_of(np.sort(np.array(scores)), level)) >= 0).all()


@given(score=ANY | st.sampled_from(ODD) | st.floats(0.98, 1), level=st.integers(COARSEST, FINEST))
@example(score=0.9999999999999997, level=4)
def test_edges_are_the_last_floats_of_a_cell(score, level):
    (low,), (high,) = edges_of(np.array([score]), level)
    own = exact_cell(score, level)
    assert low <= score <= high
    assert exact_cell(low, level) == own == exact_cell(high, level)
    if 0 < abs(score) < 1e300:
        assert exact_cell(np.nextafter(low, -inf), level) < own
        assert exact_cell(np.nextafter(high, inf), level) > own


def cases(rng, n, *, wide=False):
    score = rng.standard_normal(n) * (10.0 ** rng.integers(-300, 300, n) if wide else 1)
    return rng.random(n) < 0.3, score, rng.integers(0, 3, n)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("size", [500, 30_000])
def test_any_order_and_any_parts_give_the_same_bits(size, wide):
    y, score, group = cases(np.random.default_rng(size), size, wide=wide)
    parts = [slice(0, 7), slice(7, size // 3), slice(size // 3, size)]
    a, b, c = (
        ScoreHistogram(bins=FEWEST).add(y[part], score[part], {"g": group[part]}) for part in parts
    )
    whole = ScoreHistogram(bins=FEWEST).add(y, score, {"g": group})
    assert (a + b) + c == a + (b + c) == (c + a) + b == whole
    assert len(whole.rows.cases) <= FEWEST
    assert whole.exact is (size == 500)
    assert whole.n == size


def test_a_histogram_that_fits_is_the_sweep_itself():
    y, score, _ = cases(np.random.default_rng(5), 900)
    score = score.round(1)  # ties
    one, other = ScoreHistogram().add(y, score).sweep(), br.sweep(y, score)
    assert one.highest is None
    for name in ("thresholds", "true_positives", "false_positives"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_tables_at_the_thresholds_of_bins_are_exact():
    y, score, group = cases(np.random.default_rng(6), 30_000)
    histogram = ScoreHistogram(bins=FEWEST).add(y, score, group)
    for key in (None, 0, 1, 2):
        which = slice(None) if key is None else group == key
        binned, exact = histogram.sweep(key), br.sweep(y[which], score[which])
        at = exact.rules_at(binned.thresholds)
        assert np.array_equal(exact.true_positives[at], binned.true_positives)
        assert np.array_equal(exact.false_positives[at], binned.false_positives)
        above = exact.rules_at(np.nextafter(binned.highest[1:], inf))
        assert np.array_equal(exact.true_positives[above], binned.true_positives[:-1])


def test_the_interval_of_a_loss_holds_that_of_the_worst_scores_there_may_be():
    rng = np.random.default_rng(1)
    truth = rng.random(40) < 0.4
    found = br.ScoreHistogram().add(truth, np.clip(rng.normal(0.3 + 0.3 * truth, 0.1), 0, 1))
    found = found.suppressed(8)
    rows = found.rows
    worst = np.where(rows.positive, rows.lowest, rows.highest)
    there = br.brier_score(np.repeat(rows.positive, rows.cases), np.repeat(worst, rows.cases))
    bound = br.brier_score(found)
    assert bound.high >= there.high > there.value > bound.value


@pytest.mark.parametrize("suffix", ["json", "arrow"])
def test_a_file_holds_it_all(tmp_path, suffix):
    if suffix == "arrow":
        pytest.importorskip("pyarrow")
    y, score, group = cases(np.random.default_rng(7), 20_000)
    score[:2] = inf, -inf
    names = np.array(["Ä", "b c", ""])[group]
    histogram = ScoreHistogram(bins=FEWEST).add(y, score, {"clinic": names, "year": group})
    path = tmp_path / f"day.{suffix}"
    histogram.save(path)
    found = ScoreHistogram.load(path)
    assert found == histogram
    assert found + histogram == histogram + histogram
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "of version 2"),
        ({"format": "other"}, "no histogram"),
        ({"level": 3}, "do not fit"),
        ({"bins": 1}, "do not fit"),
        ({"groups": 5}, "do not fit"),
        ({"rows": {}}, "do not fit"),
        ({"n_missing": inf}, "do not fit"),
        ({"n_missing": -1}, "do not fit"),
        ({"labels": [[0], [1]]}, "do not fit"),
        ({"positive": inf}, "do not fit"),
        ({"group_names": ["site"], "groups": [["a", "b"]]}, "do not fit"),
        ({"suppression": {"minimum": "two"}}, "do not fit"),
        ({"columns": [["y"], "s"]}, "do not fit"),
        ({"rows": {"group": [0], "positive": [1], "lowest": [1], "highest": [0], "cases": [1]}},
         "do not fit"),
        ({"rows": {"group": [9], "positive": [1], "lowest": [1], "highest": [1], "cases": [1]}},
         "do not fit"),
        ({"rows": {"group": [0], "positive": [1], "lowest": [1], "highest": [1], "cases": [1e300]}},
         "do not fit"),
        ({"rows": {"group": [0], "positive": [1], "lowest": [1], "highest": [1], "cases": ["x"]}},
         "do not fit"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused(tmp_path, change, why):
    path = tmp_path / "day.json"
    br.ScoreHistogram().add([1, 0], [0.5, 0.25]).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=why):
        br.ScoreHistogram.load(path)


def test_names_of_columns_that_are_no_text_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "day.arrow"
    br.ScoreHistogram().add([1, 0], [0.5, 0.25]).save(path)
    path.write_bytes(path.read_bytes().replace(b"lowest", b"low\xff\xfet"))
    with pytest.raises(DataError, match=r"no Arrow file that ScoreHistogram.save wrote"):
        br.ScoreHistogram.load(path)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"[1, 2]", b"ARROW1\0\0nothing"])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        br.ScoreHistogram.load(path)


def test_what_does_not_belong_together_is_refused():
    one = br.ScoreHistogram(pos_label="yes").add(["yes", "no"], [1, 2])
    other = br.ScoreHistogram(pos_label="no").add(["yes", "no"], [1, 2])
    with pytest.raises(DataError, match="same positive label"):
        _ = one + other
    with pytest.raises(DataError, match="same group columns"):
        one.add(["yes"], [3], {"sex": ["f"]})
    with pytest.raises(InvalidArgumentError, match=r"beyond 2\^53"):
        br.ScoreHistogram().add([1, 0], [2**60, 2**60 + 1])
    with pytest.raises(InvalidArgumentError, match="must hold cases"):
        br.ScoreHistogram().sweep()


def test_cutting_within_a_bin_is_refused_and_beside_it_exact():
    y, score, _ = cases(np.random.default_rng(8), 30_000)
    rows = br.ScoreHistogram(bins=FEWEST).add(y, score).cases()
    assert rows.cut("y_score", 0.0).table("y_score") == br.confusion_matrix(y, score >= 0.0)
    wide = np.flatnonzero(rows.highest["y_score"] > rows.scores["y_score"])[0]
    middle = (rows.highest["y_score"][wide] + rows.scores["y_score"][wide]) / 2
    with pytest.raises(InvalidArgumentError, match="counted together"):
        rows.cut("y_score", middle)

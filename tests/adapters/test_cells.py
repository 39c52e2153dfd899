"""Scores counted where they lie: cells of every engine are cells of the grid, and hold all."""

from math import inf, nan

import numpy as np
import pytest

import baserate as br
from baserate.adapters.frames import read_frame
from baserate.cases.scores import EXACT
from baserate.curves.cut_points import sweeps_of
from baserate.curves.score_grid import LEVEL, cells_of
from baserate.curves.score_histogram import ScoreHistogram
from baserate.errors import DataError, MissingValueError

pl = pytest.importorskip("polars")
SURE = [63 / 64, 0.99, 0.990001, 1 - 1e-9, 1 - 1.1e-9, 1 - 2.0**-53]
ODD = [
    *SURE,
    0.0,
    -0.0,
    1.0,
    0.5,
    1 / 64,
    1e-30,
    -1e-30,
    5e-324,
    1e300,
    inf,
    -inf,
    -5.5,
    3e-4,
    64.0,
]


def columns(n=20_000):
    rng = np.random.default_rng(3)
    truth = rng.random(n) < 0.2
    score = 1 / (1 + np.exp(-rng.normal(truth - 2.0, 1)))
    score[: len(ODD)] = ODD
    score[n // 2 :: 7] *= rng.choice([-1, 1e3, 1e-5], len(score[n // 2 :: 7]))
    return {"y": truth, "s": score, "g": rng.integers(0, 3, n)}


def frames():
    found = {"polars": pl.DataFrame, "polars lazy": pl.LazyFrame}
    found["pandas"] = lambda data: pytest.importorskip("pandas").DataFrame(data)
    found["pyarrow"] = lambda data: pytest.importorskip("pyarrow").table(data)
    found["DuckDB"] = lambda data: pytest.importorskip("duckdb").from_arrow(
        pytest.importorskip("pyarrow").table(data)
    )
    return found


def by_engine(holder, data, folder, **how):
    """Read columns from a frame of some library, or from a file of some format."""
    asked = {"target": "y", "scores": ["s"], "hold": 100} | how
    if holder in frames():
        return read_frame(frames()[holder](data), **asked)
    read_file = pytest.importorskip("baserate.adapters.files").read_file
    path = folder / f"cases.{holder}"
    table = pl.DataFrame(data)
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[holder](
        path
    )
    return read_file(path, **asked)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("holder", [*frames(), "csv", "parquet"])
def test_every_engine_counts_in_cells_of_the_grid(holder, tmp_path):
    data = columns()
    two = by_engine(holder, data, tmp_path, groups=["g"]).binary()
    low, high = two.scores["s"], two.highest["s"]
    assert 1_000 < len(low) < 20_000
    inside = (np.abs(high) < 2.0**60) & (np.abs(low) >= 2.0**-60)
    for level in (14, 12, 4):
        assert np.array_equal(cells_of(low[inside], level), cells_of(high[inside], level))
    assert (low[~np.isfinite(low)] == high[~np.isfinite(low)]).all()
    for group in range(3):
        for positive in (False, True):
            rows = (two.grouping.codes == group) & (two.truth == positive)
            own = np.sort(data["s"][(data["g"] == group) & (data["y"] == positive)])
            order = np.lexsort((high[rows], low[rows]))
            ends = np.cumsum(two.count[rows][order])
            assert np.array_equal(own[np.append(0, ends[:-1])], low[rows][order])
            assert np.array_equal(own[ends - 1], high[rows][order])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("holder", [*frames(), "parquet"])
def test_what_is_counted_merges_with_what_was_held(holder, tmp_path):
    data = columns()
    near = {name: column[:5_000] for name, column in data.items()}
    far = {name: column[5_000:] for name, column in data.items()}
    engine = by_engine(holder, far, tmp_path, groups=["g"])
    here = ScoreHistogram(bins=8192).add(near["y"], near["s"], {"g": near["g"]})
    both = here + ScoreHistogram.of(engine.binary(), bins=8192)
    exact, found = br.sweep(data["y"], data["s"]), both.sweep()
    at = exact.rules_at(found.thresholds)
    assert np.array_equal(exact.true_positives[at], found.true_positives)
    assert np.array_equal(exact.false_positives[at], found.false_positives)
    low, high = br.roc_auc(both).bounds
    assert low <= exact.roc_auc() <= high
    assert high - low < 1e-3


@pytest.mark.sweep(3)
@pytest.mark.parametrize("holder", ["polars lazy", "csv", "parquet"])
def test_a_threshold_that_is_given_is_cut_exactly(holder, tmp_path):
    data = columns()
    for at in (0.3, -1e-31, 7.0):
        table = by_engine(holder, data, tmp_path, threshold=at).binary().table("s")
        assert table == br.confusion_matrix(data["y"], data["s"] >= at)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("holder", ["polars lazy", "csv", "parquet"])
def test_missing_scores_are_counted_or_refused(holder, tmp_path):
    data = columns()
    data["s"][50:53] = nan
    with pytest.raises(MissingValueError, match="3 in 's'"):
        by_engine(holder, data, tmp_path)
    for at in (None, 0.5):
        found = by_engine(holder, data, tmp_path, missing="drop", threshold=at)
        assert (found.n, found.n_missing) == (19_997, 3)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("holder", ["polars lazy", "csv", "parquet"])
def test_whole_numbers_are_counted_unless_floats_would_merge_them(holder, tmp_path):
    data = {"y": np.array([1, 0] * 100), "s": np.arange(200)}
    [found] = sweeps_of(by_engine(holder, data, tmp_path).binary()).values()
    exact = br.sweep(data["y"], data["s"])
    assert np.array_equal(found.true_positives, exact.true_positives)
    assert np.array_equal(found.thresholds, exact.thresholds)
    with pytest.raises(DataError, match="would merge"):
        by_engine(holder, data | {"s": data["s"] + EXACT}, tmp_path)


@pytest.mark.parametrize("holder", ["polars", "pandas", "parquet", "csv"])
def test_scores_close_to_one_lie_in_the_cells_of_what_they_lack_to_it(holder, tmp_path):
    rng = np.random.default_rng(4)
    score = 1 - 2.0 ** -rng.uniform(6.5, 40, size=20_000)
    two = by_engine(holder, {"y": np.ones(20_000, dtype=bool), "s": score}, tmp_path).binary()
    low, high = two.scores["s"], two.highest["s"]
    assert len(np.unique(cells_of(score, LEVEL))) <= len(low) < 15_000
    assert np.array_equal(cells_of(low, LEVEL), cells_of(high, LEVEL))


@pytest.mark.parametrize("holder", ["parquet", "csv"])
def test_a_threshold_that_no_double_holds_cuts_whole_numbers_exactly(holder, tmp_path):
    score = [2**60 + k for k in range(-3, 4)]
    data = {"y": [True] * 7, "s": score}
    for k in (-1, 1, 2):
        cut = 2**60 + k
        cases = by_engine(holder, data, tmp_path, threshold=cut, hold=0)
        assert cases.binary().counted().table.tp == sum(value >= cut for value in score)

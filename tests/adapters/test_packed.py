"""Scores counted by one number, and what has none: together they are every case, in its cell."""

from collections import Counter

import numpy as np
import pytest

from baserate.adapters import _packed, _query
from baserate.curves.score_grid import COARSEST, cells_of

pl = pytest.importorskip("polars")
pytest.importorskip("duckdb")
from baserate.adapters.files import read_file  # noqa: E402
from baserate.adapters.tables import table_of  # noqa: E402

EDGES = [_packed.LOWEST, 1 / 64, 63 / 64, 1 - _packed.LOWEST, 0.5, 0.3]
NEAR = [np.nextafter(edge, way) for edge in EDGES for way in (0, 1)]
GROUPS = ["a", "a'; DROP TABLE kept; --", "", None]


def cases(n=20_000, *, late=True):
    rng = np.random.default_rng(8)
    score = rng.random(n)
    score[5_000 : 5_000 + len(EDGES + NEAR)] = EDGES + NEAR
    score[6_000:6_400] = np.resize([0.0, 1.0, -3.5, 1e-9, np.inf, np.nan], 400)
    group = rng.choice(np.array(GROUPS[:3], dtype=object), n)
    if late:
        group[4_000::9] = rng.choice(np.array([None, "late"], dtype=object), len(group[4_000::9]))
    return {"y": rng.random(n) < 0.2, "s": score, "g": group.tolist()}


def counted(data, folder, **asked):
    path = folder / "cases.parquet"
    pl.DataFrame(data, nan_to_null=False).write_parquet(path)
    asked = {
        "target": "y",
        "scores": ["s"],
        "groups": ["g"],
        "hold": 1_000,
        "missing": "drop",
    } | asked
    return read_file(path, **asked)


@pytest.fixture
def numbered(monkeypatch):
    """Note how rows are counted: which ones are left to a second pass."""
    found, count = [], _query.Query._count_packed

    def noted(self, *arguments):
        found.append((self.packing, count(self, *arguments)))
        return found[-1][1]

    monkeypatch.setattr(_query.Query, "_count_packed", noted)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("truth", ["booleans", "text", "whole numbers"])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("threshold", [None, 0.3, 0.5, 1e-5])
def test_every_case_is_counted_once_in_its_cell(truth, late, threshold, tmp_path, numbered):
    data, labels = cases(late=late), {"text": ["no", "yes"], "whole numbers": [-1, 1]}
    data["y"] = [labels.get(truth, [False, True])[int(y)] for y in data["y"]]
    found = counted(data, tmp_path, threshold=threshold)
    [(packing, left)] = numbered
    assert packing.level == 12
    assert left is not None
    assert ("IS NULL OR s0 IS NULL" in left) == (late or threshold is not None)
    low, high = found.scores["s"], found.highest["s"]
    inside = np.isfinite(low) & (low >= 2.0**-60)
    for level in (packing.level, COARSEST):
        assert np.array_equal(cells_of(low[inside], level), cells_of(high[inside], level))
    got = Counter()
    for i, n in enumerate(found.count.tolist()):
        y = found.truth.labels[found.truth.codes[i]]
        g = found.groups["g"].labels[found.groups["g"].codes[i]]
        got[y, g, int(cells_of(low[i : i + 1], 8)[0]) if inside[i] else low[i]] += n
    expected = Counter()
    for y, s, g in zip(*data.values(), strict=True):
        if g is not None and not np.isnan(s):
            usual = np.isfinite(s) and s >= 2.0**-60
            expected[y, g, int(cells_of(np.array([s]), 8)[0]) if usual else s] += 1
    assert got == expected
    if threshold is not None:
        assert not ((low < threshold) & (high >= threshold)).any()


def test_a_second_pass_is_read_only_for_what_is_left(tmp_path, numbered):
    data = cases(late=False)
    data["s"] = 0.01 + 0.98 * np.random.default_rng(1).random(len(data["s"]))
    counted(data, tmp_path, threshold=0.25)
    assert [left for _, left in numbered] == [None]


@pytest.mark.slow
def test_an_arrow_file_is_counted_as_a_parquet_file_is(tmp_path, numbered):
    pytest.importorskip("pyarrow")
    data, asked = cases(), {"target": "y", "scores": ["s"], "groups": ["g"], "hold": 1_000}
    frame = pl.DataFrame(data, nan_to_null=False)
    frame.write_parquet(tmp_path / "cases.parquet")
    frame.write_ipc(tmp_path / "cases.arrow")
    found = []
    for name in ("cases.parquet", "cases.arrow"):
        read = read_file(tmp_path / name, missing="drop", **asked)
        ends = read.scores["s"], read.highest["s"]
        codes = read.truth.codes, read.groups["g"].codes
        found.append(sorted(zip(*(x.tolist() for x in (*codes, *ends, read.count)), strict=True)))
    assert [left is not None for _, left in numbered] == [True, True]
    assert found[0] == found[1]


@pytest.mark.slow
def test_the_rows_looked_at_are_the_first_whatever_thread_reads_first(tmp_path):
    path, n = tmp_path / "cases.parquet", 400_000
    data = {"y": np.arange(n) % 3 == 0, "s": (np.arange(n) % 997) / 997, "id": np.arange(n)}
    pl.DataFrame(data).write_parquet(path, row_group_size=20_000)
    for _ in range(5):
        with table_of(path, ["y", "s", "id"]) as table:
            assert not table.keep([0, 1, 2], 100_000)
            [found] = table.connection.execute("SELECT min(c2), max(c2) FROM kept").fetchall()
            assert found == (0, 100_000)


@pytest.mark.parametrize("rare", [1e-6, 1e6])
def test_scores_that_mostly_have_no_cell_are_counted_at_once(rare, tmp_path, numbered):
    data = cases(late=False)
    data["s"] = data["s"] * rare
    counted(data, tmp_path)
    assert not numbered


def test_many_groups_are_counted_at_once(tmp_path, numbered):
    data = cases(late=False)
    data["g"] = [f"group {i % 50}" for i in range(len(data["g"]))]
    counted(data, tmp_path)
    assert not numbered

"""Of what an engine holds only counts arrive here: cells of scores, and rows of no partition."""

from collections import Counter
from math import floor

import narwhals.stable.v2 as nw
import pytest

import baserate as br
from baserate.adapters.frames import read_frame
from baserate.evaluation import scoring
from engines.conftest import LAZY
from engines.rows import ROWS
from oracles import engine_twins as twins


def counted_cells(cases):
    """Return how many cases lie in each range of scores, by truth and group."""
    two = cases.binary()
    names = [two.grouping.keys[code] for code in two.grouping.codes]
    ranges = zip(two.scores["fine"], two.highest["fine"], strict=True)
    keys = zip(two.truth.tolist(), names, ranges, strict=True)
    return dict(zip(keys, two.count.tolist(), strict=True))


def cell(score):
    """Name the cell that a score lies in: of width 2^-14 on [1/64, 1), one for all below 2^-60."""
    if 0 < score < 2**-60:
        return "tiny"
    return floor(score * 2**14) if 1 / 64 <= score < 1 else score


@pytest.mark.sweep(3, start=2)
def test_scores_beyond_those_held_are_counted_by_cells(frame):
    roles = {"target": "sick", "scores": ["fine"], "groups": ["insured"], "missing": "drop"}
    found = counted_cells(read_frame(frame(), **roles, hold=100))
    rows = twins.complete(ROWS, ["sick", "fine", "insured"])
    parts = {}
    for row in rows:
        key = row["sick"], (row["insured"],), cell(row["fine"])
        parts.setdefault(key, []).append(row["fine"])
    expected = Counter()
    for (truth, group, _), scores in parts.items():
        expected[truth, group, (min(scores), max(scores))] += len(scores)
    assert found == expected


@pytest.fixture
def arrived(monkeypatch):
    """Return the number of rows of every collection."""
    sizes, collect = [], nw.LazyFrame.collect

    def watched(self, *args, **kwargs):
        rows = collect(self, *args, **kwargs)
        sizes.append(len(rows))
        return rows

    monkeypatch.setattr(nw.LazyFrame, "collect", watched)
    return sizes


@pytest.mark.parametrize("frame", LAZY, indirect=True)
def test_predictions_arrive_as_counts(frame, arrived, monkeypatch):
    data = frame()
    if hasattr(type(data), "sparkSession"):  # the stream of its rows is not asked for
        monkeypatch.setattr(type(data), "__arrow_c_stream__", None)
    br.evaluate(data, target="sick", prediction="alarm", groups="year", missing="drop")
    assert arrived == [len({(row["sick"], row["alarm"], row["year"]) for row in ROWS})]


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("frame", LAZY, indirect=True)
def test_scores_too_many_to_hold_arrive_as_counts(frame, arrived, monkeypatch):
    monkeypatch.setattr(scoring, "LARGEST", 20)
    br.evaluate(frame(), target="sick", score="risk", missing="drop", metrics="recall")
    first, counted = arrived
    assert first == 1
    assert counted <= len({(row["sick"], str(row["risk"])) for row in ROWS})

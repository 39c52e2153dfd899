"""Several predictions and scores from files and frames of every kind, against arrays."""

import numpy as np
import pytest

from adapters.arrivals import FRAMES, content
from baserate.adapters.files import read_file
from baserate.adapters.frames import read_frame
from baserate.cases.arrays import read_arrays
from baserate.errors import DataError, InvalidArgumentError, LabelError, MissingValueError

RNG = np.random.default_rng(5)
N = 60
DATA = {
    "sick": ["yes" if x else "no" for x in RNG.random(N) < 0.4],
    "old": ["yes" if x else "no" for x in RNG.random(N) < 0.5],
    "new": ["yes" if x else "no" for x in RNG.random(N) < 0.4],
    "risk": RNG.random(N).round(3).tolist(),
    "odds": RNG.normal(size=N).round(2).tolist(),
    "ward": ["a" if x < 0.3 else "NA" if x < 0.6 else "b" for x in RNG.random(N)],
}
KINDS = ["csv", "jsonl", "parquet", "arrow", "arrows", *FRAMES]


@pytest.fixture(params=KINDS)
def read(request, tmp_path):
    kind = request.param

    def by_file(data, **roles):
        path = tmp_path / f"data.{kind}"
        path.write_bytes(content(kind, data))
        return read_file(path, **roles)

    def by_frame(data, **roles):
        return read_frame(FRAMES[kind](data), **roles)

    return by_frame if kind in FRAMES else by_file


def wanted(predictions=(), scores=(), groups=()):
    parts = {"predictions": predictions, "scores": scores, "groups": groups}
    columns = {part: {name: DATA[name] for name in names} for part, names in parts.items()}
    return read_arrays(DATA["sick"], **columns).binary("yes")


def same(found, expected):
    assert (found.names, found.positive, found.labels) == (
        expected.names,
        expected.positive,
        expected.labels,
    )
    assert found.groups == expected.groups
    whole = range(len(expected.names))
    assert found.cells(whole).tolist() == expected.cells(whole).tolist()
    for i in range(len(expected.groups)):
        part, other = found.within(i), expected.within(i)
        assert part.cells(whole).tolist() == other.cells(whole).tolist()


@pytest.mark.sweep(4, start=1)
def test_predictions_are_counted_together(read):
    roles = {"predictions": ["old", "new"], "groups": ["ward"]}
    found = read(DATA, target="sick", **roles).binary("yes")
    same(found, wanted(**roles))


@pytest.mark.sweep(4, start=2)
def test_scores_stay_beside_the_truth_and_the_predictions(read):
    roles = {"predictions": ["new"], "scores": ["risk", "odds"], "groups": ["ward"]}
    found = read(DATA, target="sick", **roles).binary("yes")
    same(found, wanted(**roles))
    expected = wanted(**roles)

    def rows(joint):
        columns = (joint.truth, joint.decisions["new"], joint.scores["risk"], joint.scores["odds"])
        return sorted(
            zip(*(column.tolist() for column in columns), joint.grouping.codes, strict=True)
        )

    assert rows(found) == rows(expected)


@pytest.mark.sweep(4, start=3)
def test_numbers_and_booleans_are_labels(read):
    data = {"t": [1, 0, 1, 0, 1], "a": [1, 1, 0, 0, 1], "b": [0, 0, 1, 1, 1]}
    found = read(data, target="t", predictions=["a", "b"]).binary()
    assert found.positive == 1
    assert found.cells((0, 1)).tolist() == [[[1, 0], [1, 1]], [[1, 1], [0, 0]]]
    scored = read(
        {**data, "s": [0.1, 0.2, 0.3, 0.4, 0.5]}, target="t", predictions=["b"], scores=["s"]
    ).binary()
    assert sorted(scored.scores["s"][scored.truth].tolist()) == [0.1, 0.3, 0.5]
    assert scored.table(0).to_dict() == {"tp": 2, "fn": 1, "fp": 1, "tn": 1}


@pytest.mark.parametrize("scores", [[], ["s"]])
def test_missing_entries(tmp_path, scores):
    path = tmp_path / "gaps.csv"
    path.write_text("t,a,b,s\n1,1,1,0.9\n0,,1,0.5\n1,0,NA,0.25\n0,0,0,NA\n0,1,0,0.75\n")
    roles = {"target": "t", "predictions": ["a", "b"], "scores": scores}
    with pytest.raises(MissingValueError, match="1 in 'a'"):
        read_file(path, **roles)
    found = read_file(path, missing="drop", **roles)
    assert found.n_missing == 2 + len(scores)
    assert found.n == 3 - len(scores)
    assert "gaps.csv" in found.source


@pytest.mark.parametrize("scores", [[], ["risk"]])
def test_what_cannot_be_read(tmp_path, scores):
    path = tmp_path / "data.csv"
    sides = ["left", "right"] * (N // 2)
    path.write_bytes(content("csv", DATA | {"side": sides}))
    roles = {"target": "sick", "scores": scores}
    with pytest.raises(DataError, match=r"no column 'nwe'\. Did you mean 'new'"):
        read_file(path, predictions=["old", "nwe"], **roles)
    with pytest.raises(
        InvalidArgumentError, match=r"prediction must name each column once, got 'old'"
    ):
        read_file(path, predictions=["old", "old"], **roles)
    with pytest.raises(
        InvalidArgumentError, match="prediction must differ from target, got 'sick'"
    ):
        read_file(path, predictions=["sick", "old"], **roles)
    with pytest.raises(LabelError, match="must use the same labels"):
        read_file(path, predictions=["old", "side"], **roles).binary("yes")
    with pytest.raises(DataError, match="must be a data frame"):
        read_frame(object(), predictions=["a", "b"], **roles)


def test_text_in_a_score_is_named(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("t,s,r\n1,0.5,0.1\n0,0.25,high\n")
    with pytest.raises(DataError, match=r"'r' of .*data\.csv holds text in 1 row, such as 'high'"):
        read_file(path, target="t", scores=["s", "r"])
    with pytest.raises(DataError, match="pass a column of numbers"):
        read_frame(FRAMES["pandas"](DATA), target="sick", scores=["risk", "ward"])


def test_identifiers_are_refused_before_the_whole_file_is_read(tmp_path):
    path = tmp_path / "ids.csv"
    rows = "\n".join(f"{i % 2},{i % 2},{i / 7}" for i in range(3000))
    path.write_text(f"t,a,b\n{rows}\n")
    with pytest.raises(LabelError, match="'b' holds more than 1,000 distinct values"):
        read_file(path, target="t", predictions=["a", "b"])

"""A file is scanned at most twice, and what can be read once is read once, whatever is asked."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.adapters import _text, files, tables
from baserate.evaluation import scoring
from quick import one_in

N = 400
RNG = np.random.default_rng(3)
TRUTH = RNG.random(N) < 0.4
FRAME = pd.DataFrame(
    {
        "y": TRUTH.astype(int),
        "a": (TRUTH ^ (RNG.random(N) < 0.2)).astype(int),
        "b": (TRUTH ^ (RNG.random(N) < 0.3)).astype(int),
        "s": np.where(TRUTH, 0.2, 0).round(2) + RNG.random(N).round(3) * 0.8,
        "r": RNG.random(N).round(3),
        "g": np.where(RNG.random(N) < 0.5, "f", "m"),
        "k": np.arange(N) % 4,
        "w": RNG.integers(2, 8, N) / 4,  # whose sums and squares are exact
    }
)
FEW = {"metrics": "recall, f1"}
ASKED = {
    "evaluate prediction": (br.evaluate, {"prediction": "a", "groups": "g", **FEW}),
    "evaluate weights": (br.evaluate, {"prediction": "a", "groups": "g", "weight": "w", **FEW}),
    "evaluate both": (br.evaluate, {"prediction": "a", "score": "s", "groups": "g", **FEW}),
    "evaluate score": (br.evaluate, {"score": "s", "groups": "g", **FEW}),
    "evaluate weighted score": (br.evaluate, {"score": "s", "groups": "g", "weight": "w", **FEW}),
    "evaluate best": (br.evaluate, {"score": "s", "threshold": "mcc", "groups": "g", **FEW}),
    "evaluate folds": (br.evaluate, {"score": "s", "threshold": "mcc", "fold": "k", **FEW}),
    "thresholds": (br.thresholds, {"score": "s", "groups": "g", "n_resamples": 20}),
    "thresholds folds": (br.thresholds, {"score": "s", "fold": "k", "n_resamples": 20}),
    "compare predictions": (br.compare, {"prediction": ["a", "b"], "groups": "g"}),
    "compare scores": (br.compare, {"score": ["s", "r"], "groups": "g"}),
    "compare all": (br.compare, {"prediction": "a", "score": ["s", "r"], "points": "f1"}),
    "audit": (br.audit, {"prediction": "a", "groups": "g", **FEW}),
    "audit score": (br.audit, {"score": "s", "threshold": 0.4, "groups": "g", **FEW}),
}
each = pytest.mark.parametrize("asked", one_in(2, ASKED))


def answer(asked, data):
    ask, roles = ASKED[asked]
    found = ask(data, target="y", **roles).to_dict()
    found.pop("source", None)
    if isinstance(found.get("thresholds"), dict):
        found["thresholds"].pop("source", None)
    return found


@pytest.fixture
def scans(monkeypatch):
    """List every reading of a file by the engine."""
    found = []
    for kind in (_text.TextTable, tables.ParquetTable, tables.JsonTable, tables.ArrowTable):

        def counted(self, columns, original=kind.scan):
            found.append(tuple(columns))
            return original(self, columns)

        monkeypatch.setattr(kind, "scan", counted)
    return found


@pytest.mark.sweep(14, start=6)
@each
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_that_can_be_held_are_read_once(asked, kind, scans, tmp_path):
    path = tmp_path / f"cases.{kind}"
    FRAME.to_csv(path, index=False) if kind == "csv" else FRAME.to_parquet(path)
    assert answer(asked, str(path)) == answer(asked, FRAME)
    assert len(scans) == 1


@pytest.mark.sweep(6, start=2)
@each
def test_more_rows_are_read_twice_at_most(asked, scans, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FIRST_ROWS", 50)
    monkeypatch.setattr(scoring, "LARGEST", 50)
    path = tmp_path / "cases.csv"
    FRAME.to_csv(path, index=False)
    assert answer(asked, str(path)) == answer(asked, FRAME)
    kept = {"thresholds", "compare scores", "compare all", "evaluate best", "evaluate folds"}
    assert len(scans) == 2 - (asked in kept | {"thresholds folds"})


@pytest.mark.parametrize(("first", "times"), [(N, 1), (N - 1, 2)])
def test_rows_are_held_up_to_the_limit(first, times, scans, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FIRST_ROWS", first)
    path = tmp_path / "cases.parquet"
    FRAME.to_parquet(path)
    answer("evaluate prediction", path)
    assert len(scans) == times


@pytest.mark.slow
def test_groups_of_an_evaluation_have_tables_and_no_cuts_of_their_own():
    found = answer("evaluate score", FRAME)
    assert [group["group"] for group in found["groups"]] == [{"g": "f"}, {"g": "m"}]
    assert found["thresholds"]["groups"] == []


class Once(io.BytesIO):
    """A stream that must not be read again after its end."""

    ended = False

    def read(self, size=-1):
        assert not self.ended, "read again"
        found = super().read(size)
        self.ended = not found
        return found

    def seek(self, *_):
        raise AssertionError("a stream cannot go back")


@pytest.mark.sweep(7, start=6)
@each
def test_standard_input_is_read_once(asked, monkeypatch):
    stream = Once(FRAME.to_csv(index=False).encode())
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": stream}))
    assert answer(asked, "-") == answer(asked, FRAME)
    assert stream.ended


@pytest.mark.sweep(6, start=1)
@pytest.mark.parametrize("missing", ["error", "drop"])
@pytest.mark.parametrize("asked", ["evaluate score", "thresholds", "compare scores"])
def test_what_is_wrong_with_scores_is_said_by_the_one_reading(asked, missing, tmp_path):
    path = tmp_path / "cases.csv"
    FRAME.assign(s=FRAME.s.astype(str).where(FRAME.index != 7, "high")).to_csv(path, index=False)
    ask, roles = ASKED[asked]
    with pytest.raises(br.errors.DataError, match=r"'s' of .* holds text in 1 row, such as 'high'"):
        ask(str(path), target="y", missing=missing, **roles)

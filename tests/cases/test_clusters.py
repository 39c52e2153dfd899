"""Clusters and items that come again are read alike, whatever holds them."""

import numpy as np
import polars as pl
import pytest

from baserate.cases.arrays import read_arrays
from baserate.errors import DataError, MissingValueError
from baserate.evaluation.reading import read_cases

DATA = {
    "sick": [1, 1, 0, 0, 1, 0],
    "test": [1, 0, 0, 1, 1, 0],
    "patient": ["b", "a", "b", "a", "b", "b"],
    "image": [10, 11, 12, 13, 10, 12],
}
NAMED = {"target": "sick", "predictions": ("test",)}
RULES = {"positive": 1, "missing": "error", "many_groups": True}


def rows(cases, which="cluster"):
    """Return how many cases fall on each label and class."""
    key = getattr(cases, which)
    found = {}
    for code, truth, count in zip(key.codes, cases.truth, cases.count, strict=True):
        at = (key.keys[code][0], bool(truth))
        found[at] = found.get(at, 0) + int(count)
    return found


@pytest.fixture(params=["arrays", "frame", "lazy", "file", "counted file"])
def read(request, tmp_path, monkeypatch):
    """Read the same columns from wherever they are."""
    frame = pl.DataFrame(DATA)
    path = tmp_path / "cases.parquet"
    frame.write_parquet(path)
    if request.param == "counted file":
        monkeypatch.setattr("baserate.adapters.files.FIRST_ROWS", 2)

    def reading(**keys):
        if request.param == "arrays":
            arrays = {role: DATA[name] for role, name in keys.items()}
            cases = read_arrays(DATA["sick"], {"test": DATA["test"]}, keys=arrays)
            return read_cases(cases, **NAMED, **keys, **RULES)
        data = {"frame": frame, "lazy": frame.lazy()}.get(request.param, path)
        return read_cases(data, **NAMED, **keys, **RULES)

    return lambda **keys: reading(**keys)[0]


def test_clusters_are_read(read):
    cases = read(cluster="patient")
    assert rows(cases) == {("a", True): 1, ("a", False): 1, ("b", True): 2, ("b", False): 2}
    assert cases.case is None


def test_an_item_that_comes_again_is_its_own_cluster(read):
    cases = read(case_id="image")
    assert rows(cases) == {(10, True): 2, (11, True): 1, (12, False): 2, (13, False): 1}
    assert cases.case is cases.cluster


def test_items_lie_in_clusters(read):
    cases = read(case_id="image", cluster="patient")
    assert rows(cases) == {("a", True): 1, ("a", False): 1, ("b", True): 2, ("b", False): 2}
    assert rows(cases, "case") == {(10, True): 2, (11, True): 1, (12, False): 2, (13, False): 1}


def test_an_item_in_two_clusters_is_refused():
    keys = {"cluster": ["a", "a", "b"], "case_id": ["x", "y", "y"]}
    with pytest.raises(DataError, match="The case 'y' lies in two clusters, 'a' and 'b': give"):
        read_arrays([1, 0, 1], {"p": [1, 0, 1]}, keys=keys).binary()


def test_a_missing_cluster_is_missing():
    data, how = ([1, 0, 1], {"p": [1, 0, 1]}), {"keys": {"cluster": ["a", None, "b"]}}
    with pytest.raises(MissingValueError, match="cluster"):
        read_arrays(*data, **how)
    cases = read_arrays(*data, **how, missing="drop")
    assert (cases.n, cases.n_missing) == (2, 1)


def test_too_many_clusters_of_counted_rows_are_refused(monkeypatch):
    monkeypatch.setattr("baserate.adapters._counts.MAX_KEYED_ROWS", 3)
    with pytest.raises(DataError, match=r"columns 'patient' of .* have more than 3 different"):
        read_cases(pl.DataFrame(DATA).lazy(), cluster="patient", **NAMED, **RULES)


def test_rows_keep_their_clusters():
    keys = {"cluster": ["a", "b", "a"]}
    cases = read_arrays([1, 0, 1], {"p": [1, 0, 1]}, keys=keys).binary()
    assert cases.take(np.array([2, 1])).cluster.codes.tolist() == [0, 1]

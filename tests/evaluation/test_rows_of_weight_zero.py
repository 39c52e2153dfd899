"""A row of weight 0 changes no number, whatever holds it and whoever asks."""

import json
import re
from dataclasses import replace
from itertools import product
from math import isclose, isnan

import numpy as np
import pandas as pd
import pytest

import baserate as br
from adapters.arrivals import FRAMES, content
from baserate.cases.arrays import read_arrays
from baserate.curves.losses import compare_log_loss
from baserate.errors import LabelError, MissingValueError
from baserate.evaluation.replicate_weights import Replicates

KINDS = ["csv", "jsonl", "parquet", "arrow", *FRAMES]
DESIGNS = {
    "weights": {"weight": "w"},
    "clusters": {"weight": "w", "cluster": "c"},
    "case ids": {"weight": "w", "case_id": "item"},
    "replicates": {"weight": "w", "replicate_weights": ["r0", "r1", "r2"], "replicate_scale": 0.5},
}


def samples(k, n=120, extra=400):
    """Return cases of k classes, and the same among rows of weight 0 that tell another story."""
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, n)
    data = pd.DataFrame({"y": y, "c": rng.integers(0, 12, n), "g": rng.choice(["u", "v"], n)})
    data["p"], data["q"] = (
        np.where(rng.random(n) < s, y, rng.integers(0, k, n)) for s in (0.7, 0.5)
    )
    data["item"], data["w"] = np.arange(n) // 2, rng.choice([0.5, 1.0, 2.0], n)
    own = rng.dirichlet(np.ones(k), n) + (y[:, None] == np.arange(k))
    for j in range(k):
        data[f"p_{j}"] = (own / own.sum(axis=1, keepdims=True))[:, j]
    for r in range(3):
        data[f"r{r}"] = data["w"] * rng.choice([0.5, 1.5], n)
    others = data.sample(extra, replace=True, random_state=1)
    others = others.assign(w=0.0, r0=0.0, r1=0.0, r2=0.0, item=10**6)
    others["g"], others["c"] = rng.choice(["u", "v", "x"], extra), rng.integers(0, 30, extra)
    others["p"] = rng.integers(0, k + 1, extra) if k > 2 else others["p"]
    both = pd.concat([data, others]).sample(frac=1, random_state=2).reset_index(drop=True)
    return both[both["w"] > 0].reset_index(drop=True), both


def said(result):
    return json.loads(json.dumps(result.to_dict(), default=str))


def alike(a, b):
    """Whether all numbers agree but for the order of sums."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(
            alike(a[k], b[k]) for k in a if k not in {"source", "idle"}
        )
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (isnan(a) and isnan(b))
    return a == b


DOORS = {
    "evaluate": lambda data, _, **how: br.evaluate(
        data, target="y", prediction="p", groups="g", **how
    ),
    "audit": lambda data, _, **how: br.audit(data, target="y", prediction="p", groups="g", **how),
    "compare": lambda data, _, **how: br.compare(data, target="y", prediction=["p", "q"], **how),
    "score": lambda data, k, **how: br.evaluate(
        data, target="y", score="p_1" if k == 2 else "p_*", **how
    ),
}


# Areas of several classes are refused under replicate weights.
CALLS = [c for c in product([2, 3], DOORS, DESIGNS) if c != (3, "score", "replicates")]


@pytest.mark.sweep(10, start=7)
@pytest.mark.parametrize(("k", "door", "design"), CALLS)
def test_doors(k, door, design):
    less, more = (DOORS[door](data, k, **DESIGNS[design]) for data in samples(k))
    assert alike(said(less), said(more))
    told = [" ".join(str(one).split()) for one in (less, more)]
    gone = re.search(r"; \d+ rows of weight 0 left out", told[1])
    assert gone is not None
    assert told[0] == told[1].replace(gone.group(), "")


@pytest.mark.sweep(25, start=11)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3])
def test_sources(k, kind, tmp_path):
    def arrived(name, frame):
        data = frame.to_dict("list")
        if kind in FRAMES:
            return FRAMES[kind](data)
        path = tmp_path / f"{name}.{kind}"
        path.write_bytes(content(kind, data))
        return path

    sides = [arrived(*each) for each in zip(("less", "more"), samples(k), strict=True)]
    for how in (DESIGNS["weights"], DESIGNS["clusters"]):
        less, more = (
            br.evaluate(data, target="y", prediction="p", groups="g", **how) for data in sides
        )
        assert less.facts.n == more.facts.n
        assert alike(said(less), said(more))


def test_intervals_by_clusters():
    """A hundred cases in twelve clusters say no more beside ten thousand that do not count."""
    rng = np.random.default_rng(0)
    truth, cluster, weight = np.ones(100), rng.integers(0, 12, 100), np.ones(100)
    called = rng.random(100) < 0.9
    less = br.count_labels(truth, called, sample_weight=weight, cluster=cluster)
    sides = [truth, called, weight, cluster]
    truth, called, weight, cluster = (
        np.append(side, np.resize(new, 10_000))
        for side, new in zip(sides, ([0, 1], [1], [0], range(20)), strict=True)
    )
    more = br.count_labels(truth, called, sample_weight=weight, cluster=cluster)
    a, b = (br.interval("recall", counted) for counted in (less, more))
    assert (a.low, a.high, a.design_effect) == (b.low, b.high, b.design_effect)
    assert (more.n, more.design.n_cases, more.design.n_units) == (100, 100, less.design.n_units)


def test_their_labels_are_read_all_the_same():
    y, p, w = ["a", "b", "a", "b"], ["a", "b", "b", "A"], [1, 2, 1, 0]
    with pytest.raises(LabelError, match="differ only by spaces or letter case"):
        br.count_labels(y, p, pos_label="a", sample_weight=w)
    with pytest.raises(LabelError, match="differ only by spaces or letter case"):
        br.class_table(y, p, sample_weight=w)
    with pytest.raises(MissingValueError, match="1 in 'y_pred'"):
        br.count_labels(y, ["a", "b", "b", None], pos_label="a", sample_weight=w)


def test_their_gaps_are_no_cases_left_out():
    y, p, w = [1, 0, 1, 0, None], [1, 0, None, None, 1], [1, 2, 1, 0, 0]
    found = br.count_labels(y, p, sample_weight=w, missing="drop")
    assert (found.n, found.n_missing) == (2, 1)


def test_a_class_that_only_they_have_is_none():
    table = br.class_table(list("abcb"), list("abba"), sample_weight=[1, 2, 0, 1])
    assert table.labels == ("a", "b")


def test_a_replicate_that_weighs_them_says_so():
    """The sums of a replicate are what its weights say; a case is what has a weight."""
    y, p, w = (
        np.array([1, 1, 1, 0, 1, 1]),
        np.array([1, 1, 0, 0, 1, 1]),
        np.array([2, 1, 1, 1, 0, 0]),
    )
    weights = np.array([[1, 2, 1, 1, 5, 0], [3, 0, 1, 1, 0, 0]], dtype=float)
    replicates = Replicates.of(weights.T, 0.5, weight=w, target=None)
    columns = replicates.columns
    cases = read_arrays(y, {"p": p}, scores=columns, sample_weight=w, replicates=tuple(columns))
    cases, replicated = replicates.taken_from(cases)
    cases = replace(cases.binary(1), replicated=replicated)
    design = cases.counted("p").design
    assert design.tables.tolist() == [[8, 1, 0, 1], [3, 1, 0, 1]]
    assert (design.total.tolist(), design.n_cases, cases.n) == ([3, 1, 0, 1], 4, 4)


def test_an_infinite_loss_of_theirs_is_none():
    y, a, b = np.array([1, 0] * 10), np.tile([0.8, 0.3], 10), np.tile([0.7, 0.2], 10)
    w = np.ones(20)
    less = compare_log_loss(y, a, b, sample_weight=w)
    more = compare_log_loss(
        np.append(y, 1), np.append(a, 0.0), np.append(b, 0.5), sample_weight=np.append(w, 0)
    )
    assert less.to_dict() == more.to_dict()

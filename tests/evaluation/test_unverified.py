"""Rows dropped for want of a truth are no sample of all where they are alarms less often."""

from math import isnan

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import hypergeom

import baserate as br

# Of 400 alarms 300 were looked up, of 1,600 others 20; 100 of the alarms kept are right, 1 of the
# others was missed. So recall is 100/101 = .99 of the rows kept, and of all
# 400/3 / (400/3 + 1,600/20) = .625.
KINDS = [  # truth, prediction, score, rows
    (1.0, 1, 0.9, 100), (0.0, 1, 0.7, 200), (np.nan, 1, 0.8, 100),
    (1.0, 0, 0.3, 1), (0.0, 0, 0.1, 19), (np.nan, 0, 0.2, 1580),
]  # fmt: skip
DATA = pd.DataFrame(
    [kind[:3] for kind in KINDS for _ in range(kind[3])], columns=["y", "p", "s"]
).assign(q=lambda d: np.arange(len(d)) % 2, g=lambda d: np.where(np.arange(len(d)) % 3, "a", "b"))
LAW = hypergeom(2000, 400, 1680)  # alarms among the rows without a truth
FIRST = "Beware: of 1,680 rows without a truth 6% are alarms"
ASKED = {"target": "y", "missing": "drop"}


def path_of(tmp_path):
    DATA.to_csv(tmp_path / "cases.csv", index=False)
    return str(tmp_path / "cases.csv")


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("holder", ["pandas", "polars", "file", "arrays"])
def test_a_door_says_so_first(holder, tmp_path):
    made = {"pandas": DATA, "polars": pl.from_pandas(DATA), "file": path_of(tmp_path)}
    if holder == "arrays":
        found = br.evaluate(DATA.y.to_numpy(), DATA.p.to_numpy(), missing="drop")
    else:
        found = br.evaluate(made[holder], prediction="p", **ASKED)
    fact = found.facts.unverified
    assert (fact.n, fact.alarms, fact.kept, fact.kept_alarms) == (1680, 100, 320, 300)
    assert fact.p_value == pytest.approx(2 * LAW.cdf(100), rel=1e-6)
    assert fact.recall == pytest.approx(100 / 101)
    assert fact.corrected == pytest.approx(0.625)
    lines = " ".join(found.render("table").split())
    assert lines.startswith(FIRST)
    assert "recall is 0.990 of the rows kept, and about 0.62" in lines


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("door", [br.audit, br.compare, br.thresholds])
def test_every_door_says_so(door, tmp_path):
    asked = {
        br.audit: {"prediction": "p", "groups": "g"},
        br.compare: {"prediction": ["p", "q"]},
        br.thresholds: {"score": "s"},
    }[door]
    for data in (DATA, path_of(tmp_path)):
        found = door(data, **ASKED, **asked)
        lines = " ".join(found.render("table").split())
        assert lines.startswith("Beware: of 1,680 rows without a truth")
        assert found.facts.unverified.p_value < 1e-9


def test_a_score_without_a_cut_is_compared_at_its_median():
    """All scores lie below 0.5, where a rare outcome's do: there are no alarms at all."""
    half = DATA.assign(s=DATA.s / 2)
    for found in (br.evaluate(half, score="s", **ASKED), br.thresholds(half, score="s", **ASKED)):
        fact = found.facts.unverified
        assert fact.above == pytest.approx(0.15)
        assert (fact.alarms, fact.kept_alarms) == (100, 301)
        assert "score 0.15 or more" in " ".join(found.render("table").split())
        assert isnan(fact.recall)


@pytest.mark.slow
def test_rows_dropped_at_random_are_not_spoken_of():
    truth = np.where(np.arange(2000) % 4, np.arange(2000) // 4 % 2, np.nan)
    called = np.arange(2000) // 8 % 2
    found = br.evaluate(truth, called, missing="drop")
    assert found.facts.unverified.p_value > 0.5
    assert "Beware" not in found.render("table")
    assert br.evaluate([1, 0, 1, 0], [1, 0, 0, 0]).facts.unverified is None
    only = br.evaluate([1, 0, 1, 0, 1], [1, 0, 0, 0, None], missing="drop")
    assert only.facts.unverified is None  # the prediction is missing, not the truth


def test_clusters_count_as_cases():
    whole = DATA.assign(who=np.arange(len(DATA)) // 50)
    found = br.evaluate(whole, prediction="p", cluster="who", **ASKED).facts.unverified
    assert found.p_value > br.evaluate(DATA, prediction="p", **ASKED).facts.unverified.p_value


def test_the_command_line_says_so(tmp_path, capsys):
    from baserate.cli import main

    asked = ["--target", "y", "--prediction", "p", "--missing", "drop"]
    assert main(["evaluate", path_of(tmp_path), *asked]) == 0
    assert " ".join(capsys.readouterr().out.split()).startswith(FIRST)


# Of "a", "b", "c" 150, 100 and 50 of the 300 rows kept are called so, 20, 100 and 180 of the 300
# without a truth.
OF_THREE = [
    ("a", "a", 90), ("b", "a", 60), ("c", "b", 20), ("b", "b", 80), ("c", "c", 50),
    (None, "a", 20), (None, "b", 100), (None, "c", 180),
]  # fmt: skip
THREE = pd.DataFrame(
    [kind[:2] for kind in OF_THREE for _ in range(kind[2])], columns=["y", "p"]
).assign(q=lambda d: d.p.to_numpy()[::-1], g=lambda d: np.where(np.arange(len(d)) % 3, "u", "v"))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("door", [br.evaluate, br.audit, br.compare])
def test_of_several_classes_that_which_differs_most_is_named(door):
    asked = {br.evaluate: {"prediction": "p"}, br.audit: {"prediction": "p", "groups": "g"}}
    found = door(THREE, **ASKED, **asked.get(door, {"prediction": ["p", "q"]}))
    fact = found.facts.unverified
    assert (fact.label, fact.n, fact.alarms) == ("a", 300, 20)
    assert (fact.kept, fact.kept_alarms) == (300, 150)
    tests = 6 if door is br.compare else 3
    law = hypergeom(600, 170, 300)
    assert fact.p_value == pytest.approx(tests * 2 * law.cdf(20), rel=1e-6)
    by = " by p" if door is br.compare else ""
    lines = " ".join(found.render("table").split())
    first = f'Beware: of 300 rows without a truth 7% are called "a"{by}, of the 300 kept 50% (p <'
    assert lines.startswith(first)


def test_classes_dropped_at_random_are_not_spoken_of():
    truth = np.where(np.arange(1800) % 4, np.arange(1800) // 4 % 3, np.nan)
    found = br.evaluate(truth, np.arange(1800) // 12 % 3, missing="drop")
    assert found.facts.unverified.p_value == 1
    assert "Beware" not in found.render("table")
    assert br.evaluate(list("abc"), list("abb")).facts.unverified is None


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize("held", ["frame", "file", "arrays"])
@pytest.mark.parametrize("door", [br.evaluate, br.audit, br.thresholds])
def test_the_class_with_the_highest_score_is_what_a_row_is_called(door, held, tmp_path):
    called = THREE.p.to_numpy()[:, None] == np.array(["a", "b", "c"])
    whole = THREE.assign(**{f"p_{k}": 0.2 + 0.4 * called[:, i] for i, k in enumerate("abc")})
    whole.loc[len(whole) - 1, "p_a"] = np.nan  # no score, no call
    asked = {} if door is not br.audit else {"groups": whole.g if held == "arrays" else "g"}
    if held == "arrays":
        score = {k: whole[f"p_{k}"].to_numpy() for k in "abc"}
        found = door(whole.y.to_numpy(), score=score, missing="drop", **asked)
    else:
        if held == "file":
            whole.to_csv(tmp_path / "three.csv", index=False)
        data = str(tmp_path / "three.csv") if held == "file" else whole
        found = door(data, score={k: f"p_{k}" for k in "abc"}, **ASKED, **asked)
    fact = found.facts.unverified
    assert (fact.label, fact.n, fact.alarms) == ("a", 299, 20)
    assert (fact.kept, fact.kept_alarms) == (300, 150)
    assert fact.p_value == pytest.approx(3 * 2 * hypergeom(599, 170, 299).cdf(20), rel=1e-6)
    assert found.render("table").startswith("Beware: of 299 rows without a truth 7% are called")

"""The Dutch Draw of many metrics and totals, known or not, against brute force and a peer."""

from dataclasses import replace
from fractions import Fraction
from math import isnan

import numpy as np
import pytest

from baserate import metrics
from baserate.baselines import dutch_draw
from baserate.errors import InvalidArgumentError
from oracles import chance_twins as twins

NAMES = [name for name in twins.NAMES if metrics.get(name).direction != "neither"]


def value(name, p, q, goal):
    found, best = twins.optimum(name, p, q, goal)
    return np.nan if found is None else float(found), best


def best(name, p, q):
    return value(name, p, q, "max" if metrics.get(name).direction == "higher" else "min")


def about(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def test_a_table_has_both_extremes_of_every_metric_at_all_totals():
    rows = (
        dutch_draw(NAMES, n_positive=[[0], [2]], n_negative=[1, 4])
        .to_frame("polars")
        .rows(named=True)
    )
    wanted = [(name, p, q) for name in NAMES for p in (0, 2) for q in (1, 4)]
    assert [(r["metric"], r["n_positive"], r["n_negative"]) for r in rows] == [
        (metrics.get(name).name, p, q) for name, p, q in wanted
    ]
    for row, (name, p, q) in zip(rows, wanted, strict=True):
        found = (row["min"], row["max"], row["best"])
        (low, at), (high, _) = (value(name, p, q, goal) for goal in ("min", "max"))
        assert found == about((low, high, best(name, p, q)[0])), row
        texts = [f"{a}" if a == b else f"{a}-{b}" for a, b in twins.ranges(at)]
        assert row["min_n_predicted"] == ", ".join(texts), row
        assert (row["reason"] is None) != isnan(row["best"]), row


@pytest.mark.parametrize("n", [2, 7])
def test_of_unknown_positives_the_baseline_spans_what_brute_force_does(n):
    for name, found in zip(NAMES, dutch_draw(NAMES, n=n).over_totals, strict=True):
        known = [best(name, p, n - p) for p in range(1, n)]
        values = [v for v, _ in known]
        assert (found.low, found.high) == about((min(values), max(values))), name
        shared = set.intersection(*(set(at) for _, at in known))
        spans = tuple((low / n, high / n) for low, high in twins.ranges(sorted(shared)))
        assert found.theta_star == spans, name


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("ratio", [(1, 1), (1, 3), (3, 1)])
def test_what_holds_for_any_number_of_cases_holds_for_each(ratio):
    base_rate = Fraction(ratio[0], sum(ratio))
    at, anywhere = dutch_draw(NAMES, base_rate=float(base_rate)).draws, dutch_draw(NAMES).draws
    for name, here, row in zip(NAMES, at, anywhere, strict=True):
        for size in (1, 2, 3):
            p, q = size * ratio[0], size * ratio[1]
            for goal, end, always in (
                ("min", here.minimum, row.minimum),
                ("max", here.maximum, row.maximum),
            ):
                if end is not None:
                    found, flagged = value(name, p, q, goal)
                    assert end.value == about(found), (name, p, q, goal)
                    n, spans = p + q, end.theta_star
                    inside = {k for k in range(n + 1) for a, b in spans if a <= k / n <= b}
                    assert inside, (name, p, q, goal)
                    assert inside <= {*flagged}, (name, p, q, goal)
                if always is not None and not isnan(always.value):
                    assert always.value == end.value, name
    by_name = {row.metric: row for row in anywhere}
    assert float(by_name["negative_likelihood_ratio"]) == float(by_name["recall"]) == 1
    assert by_name["f1"].reason == "depends on the base rate: pass it, or n_positive and n_negative"
    assert by_name["f1"].best.theta_star == ((1.0, 1.0),)
    shares = dutch_draw(NAMES, base_rate=0.3).to_frame()["max_theta_star"]
    told = dict(zip(NAMES, shares, strict=True))
    undefined_at = (
        "precision",
        "negative_predictive_value",
        "matthews_correlation",
        "informedness",
    )
    assert [told[name] for name in undefined_at] == [
        "above 0-1", "0-below 1", "above 0-below 1", "0-1",
    ]  # fmt: skip


# DutchDraw 0.0.2, three positives of ten: optimized_baseline_statistics, least and largest. Of an
# unknown number of positives it has none for ACC; the best draw of G2 depends on it as well (of 10
# positives in 100 it flags 51, of 30 it flags 50).
PEER = {
    "tp": (0, 3), "tn": (0, 7), "tpr": (0, 1), "fnr": (0, 1), "ppv": (0.3, 0.3), "npv": (0.7, 0.7),
    "fdr": (0.7, 0.7), "fomr": (0.3, 0.3), "f1": (0.15, 0.46153846153846156), "youden_j": (0, 0),
    "markedness": (0, 0), "acc": (0.3, 0.7), "balanced_accuracy": (0.5, 0.5), "mcc": (0, 0),
    "kappa": (0, 0), "g_mean_1": (0.17320508075688773, 0.5477225575051661),
    "g_mean_2": (0, 0.48583140955942195), "threat_score": (0, 0.3),
}  # fmt: skip


def test_a_table_agrees_with_the_package_of_the_papers_authors():
    labels = ["ill"] * 3 + ["well"] * 7
    flags_some = {"f1": {"n_predicted": (1, 10)}}  # it puts F1 together from precision and recall
    for name, expected in PEER.items():
        how = flags_some.get(name, {})
        [row] = dutch_draw([name], labels, pos_label="ill", **how).draws
        assert (row.minimum.value, row.maximum.value) == about(expected), name
    needing = [one.metric for one in dutch_draw(PEER, n=100).over_totals if not one.theta_star]
    assert needing == ["accuracy", "geometric_mean"]
    assert dutch_draw("f1", labels, pos_label="ill").n_predicted == ((10, 10),)
    assert dutch_draw("f1", n_positive=np.array(3), n=10) == dutch_draw(
        "f1", labels, pos_label="ill"
    )
    for how in ({"n_negative": 7}, {"base_rate": 0.3}):
        assert dutch_draw("f1", n=10, **how) == dutch_draw("f1", n_positive=3, n_negative=7)
    assert dutch_draw("f1", n=100, base_rate=0.07).value == about(14 / 107)  # 100 x 0.07 > 7
    assert len(dutch_draw(y_true=[0, 1, 1]).draws) == len(metrics.CATALOGUE)


def test_searches_that_only_all_totals_together_make_too_long_are_refused_by_name():
    own = replace(metrics.yule_q, name="own", chance_shape="unknown")
    many, few = dutch_draw([own, "f1"], n=600), dutch_draw([own], n_positive=[3], n_negative=[9])
    assert many.draws[0].reason.startswith("own has no known shape under guessing, and a search at")
    assert isnan(float(many.draws[0]))
    assert few.draws[0].reason is many.draws[-1].reason is None


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"metric": ["f1"], "n": 9, "goal": "max"}, "goal is one of all three"),
        ({"n": 9, "n_positive": 6, "n_negative": 3}, "n cannot be given with n_positive, n_neg"),
        ({"metric": "f1", "n_positive": 3}, "n_negative must be given too: pass it, or n, the num"),
        ({"n_negative": [3, 3]}, "n_positive must be given too"),
        ({"y_true": [0, 1], "n": 2}, "y_true cannot be given with n"),
        ({"base_rate": 0.1, "n": 2}, "base_rate must make a whole number of 2 cases positive"),
        ({"base_rate": 0.1, "n_negative": 2}, "base_rate cannot be given with n_negative"),
        ({"base_rate": 1.5}, "base_rate must lie in"),
        ({"theta": 0.5}, r"theta needs a number of cases, got 0\.5: pass n_positive"),
        ({"n_positive": [1, 2], "n_negative": [1, 2, 3]}, "n_positive"),
        ({"n_positive": [4], "n": 3}, "n must be at least n_positive"),
    ],
)
def test_totals_that_contradict_each_other_are_refused(how, words):
    with pytest.raises(InvalidArgumentError, match=words):
        dutch_draw(**how)

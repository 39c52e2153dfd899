"""Ratios between groups of weighted or clustered cases, held against the delta method by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import baserate as br

NAMES = ["recall", "f1", "balanced_accuracy"]


@pytest.fixture(scope="module")
def cases():
    """Two groups of 3,000 clusters with 1 to 4 cases, alike in each; weights of 1 or 3."""
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(6000), rng.integers(1, 5, 6000))
    group, ease = cluster % 2, rng.random(6000)[cluster] < 0.5
    truth = rng.random(len(cluster)) < 0.4
    called = rng.random(len(cluster)) < np.where(truth, 0.5 + 0.4 * ease - 0.1 * group, 0.2)
    return pd.DataFrame(
        {"truth": truth, "called": called, "group": group, "cluster": cluster}
        | {"weight": np.where(rng.random(len(cluster)) < 0.5, 1.0, 3.0)}
    )


def _influence(name, truth, called, weight):
    """Return log(metric), and what each case adds to it, by the quotient rule."""
    cells = [truth & called, truth & ~called, ~truth & called, ~truth & ~called]
    tp, fn, fp, tn = (weight @ cell for cell in cells)
    if name == "recall":
        value, slopes = tp / (tp + fn), [fn, -tp, 0, 0] / (tp + fn) ** 2
    elif name == "f1":
        size = 2 * tp + fp + fn
        value, slopes = 2 * tp / size, np.array([2 * (fp + fn), -2 * tp, -2 * tp, 0]) / size**2
    else:
        value = (tp / (tp + fn) + tn / (tn + fp)) / 2
        slopes = np.array([fn, -tp, 0, 0]) / (tp + fn) ** 2 / 2
        slopes = slopes + np.array([0, 0, -tn, fp]) / (tn + fp) ** 2 / 2
    return np.log(value), weight * (slopes / value @ np.array(cells, dtype=float))


@pytest.mark.parametrize("sampled", ["weight", "cluster"])
def test_ratios_have_the_interval_of_the_delta_method(cases, sampled):
    found = br.audit(
        cases, target="truth", prediction="called", groups="group", metrics=NAMES,
        **{sampled: sampled},
    )  # fmt: skip
    weight = cases["weight"].to_numpy() if sampled == "weight" else np.ones(len(cases))
    unit = cases["cluster"] if sampled == "cluster" else cases.index
    for gap in found.facts.gaps:
        logs, variance = [], 0.0
        for group in (gap.ratios[0].smallest["group"], gap.ratios[0].largest["group"]):
            at = (cases["group"].astype(str) == str(group)).to_numpy()
            value, moves = _influence(
                gap.name, *(cases[x].to_numpy()[at] for x in ("truth", "called")), weight[at]
            )
            logs.append(value)
            variance += (pd.Series(moves).groupby(unit.to_numpy()[at]).sum() ** 2).sum()
        far = stats.norm.ppf(0.975) * np.sqrt(variance)
        [ratio] = gap.ratios
        assert np.log(ratio.value) == pytest.approx(logs[0] - logs[1], abs=1e-12)
        ends = np.log([ratio.low, ratio.high]) - np.log(ratio.value)
        assert ends == pytest.approx([-far, far], rel=0.04), gap.name
        assert ratio.reason is None


def test_a_ratio_of_nothing_found_has_an_upper_end_only_of_a_share():
    """0 of 40 beside 20 of 40: Katz's logarithm is infinite, Jeffreys' law is not."""
    rows = [("a", 1, 0, 40), ("b", 1, 1, 20), ("b", 1, 0, 20), ("a", 0, 0, 40), ("b", 0, 0, 40)]
    frame = pd.DataFrame(
        [row[:3] for row in rows for _ in range(row[3])], columns=["group", "truth", "called"]
    ).assign(weight=1.0)
    how = {"target": "truth", "prediction": "called", "groups": "group"}
    weighted, alone = (
        br.audit(frame, metrics=["recall", "f1"], **how, **beside).facts.gaps
        for beside in ({"weight": "weight"}, {})
    )
    [share], [exact] = weighted[0].ratios, alone[0].ratios
    assert (share.value, share.low) == (0.0, 0.0)
    assert share.high == pytest.approx(exact.high, rel=0.03)
    [f1] = weighted[1].ratios
    assert np.isnan([f1.low, f1.high]).all()
    assert f1.reason.startswith("a value of 0")


def test_ratios_of_several_classes_are_those_of_dirichlet_draws():
    """Of two classes by their exact law too; of three, accuracy's is that of two Beta laws."""
    a, b = np.array([[60, 20, 20], [10, 70, 20], [5, 15, 80]]), np.array([[45, 30, 25]] * 3)
    tables = {"a": br.ClassTable(a), "b": br.ClassTable(b)}
    found = br.groups.group_ratio("accuracy", tables)
    rng = np.random.default_rng(1)
    one, two = (rng.beta(np.trace(t) + 0.5, t.sum() - np.trace(t) + 0.5, 400_000) for t in (a, b))
    assert found.value == pytest.approx(np.trace(b) / np.trace(a))
    ends = np.quantile(two / one, [0.025, 0.975])
    assert [found.low, found.high] == pytest.approx(ends, abs=0.012)


def test_a_ratio_to_a_group_within_one_cluster_says_what_lacks(cases):
    alone = cases.assign(cluster=cases["cluster"].where(cases["group"] == 0, -1))
    how = {"target": "truth", "prediction": "called", "groups": "group", "cluster": "cluster"}
    [gap] = br.audit(alone, metrics="recall", reference="0", **how).facts.gaps
    [ratio] = gap.group_ratios
    recalls = [
        cases.query("truth & group == @group")["called"].mean()  # of 1 and of 0
        for group in (1, 0)
    ]
    assert ratio.value == pytest.approx(recalls[0] / recalls[1])
    assert np.isnan([ratio.low, ratio.high]).all()
    assert ratio.reason.startswith("one of both groups lies within one cluster")

"""Metrics that one share of cases decides, and ends that would leave out the value itself."""

import numpy as np
import pytest
from scipy import stats

from baserate import ConfusionMatrix, metrics
from baserate.inference import interval
from baserate.inference.metric_limits import credible_given
from baserate.inference.posterior import evidence

CELLS = ("tp", "fn", "fp", "tn")
TABLES = [(35, 5, 10, 50), (3, 0, 0, 7), (0, 4, 2, 9), (1, 1, 1, 1), (12, 0, 3, 0), (2, 30, 400, 9)]
METHODS = ["bayes", "wilson", "exact", "bootstrap"]

# Metric, the share that decides it, the value at that share; falling ones exchange the ends.
ALIKE = [
    ("f1", "jaccard", lambda s: 2 * s / (1 + s)),
    ("f1_harmonic", "jaccard", lambda s: 2 * s / (1 + s)),
    ("robust_f(d0=0)", "jaccard", lambda s: 2 * s / (1 + s)),
    ("error_rate", "accuracy", lambda s: 1 - s),
    ("false_negative_rate", "recall", lambda s: 1 - s),
    ("false_positive_rate", "specificity", lambda s: 1 - s),
    ("false_discovery_rate", "precision", lambda s: 1 - s),
    ("false_omission_rate", "negative_predictive_value", lambda s: 1 - s),
    ("utility([[1, 0], [0, 1]])", "accuracy", lambda s: s),
    ("utility([[0, -20], [-20, 0]])", "error_rate", lambda s: -20 * s),
    ("weighted_accuracy(weight=0.5)", "accuracy", lambda s: s / 2),
]


def table_of(cells):
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def ends(metric, table, method="bayes"):
    found = interval(metric, table, method=method, rng=3, n_resamples=500)
    return np.array([found.low, found.high])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("metric", "share", "at"), ALIKE, ids=[case[0] for case in ALIKE])
def test_what_one_share_decides_has_its_interval(metric, share, at, method):
    for cells in TABLES:
        table = table_of(cells)
        if np.isnan(metrics.get(metric)(table)):
            continue
        if method == "bootstrap" and metric == "f1_harmonic" and cells[0] < 9:
            continue  # undefined in other resamples than the Jaccard index
        wanted = np.sort(at(ends(share, table, method)))
        close = 1e-5 if method == "bootstrap" else 1e-9  # percentiles lie between two resamples
        np.testing.assert_allclose(ends(metric, table, method), wanted, rtol=close, atol=1e-12)


@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("method", METHODS[:3])
def test_the_other_class_and_the_odds_of_errors(cells, method):
    table = table_of(cells)
    theirs = ends("jaccard", table.swap_classes(), method)
    np.testing.assert_allclose(ends("negative_f1", table, method), 2 * theirs / (1 + theirs))
    if table.fp:
        x, y = table.fn, table.fp
        share = ends("recall", table_of((x, y, 1, 1)), method)
        np.testing.assert_allclose(ends("error_ratio", table, method), share / (1 - share), 1e-9)
    share = ends("recall", table_of((table.tp, table.n - table.tp, 1, 1)), method)
    np.testing.assert_allclose(ends("true_positives", table, method), table.n * share, 1e-12)


@pytest.mark.parametrize("name", ["marginal_benefit", "net_benefit(threshold=0.5)", "f2", "mcc"])
def test_two_lumps_among_other_cells_are_no_share(name):
    table = table_of((35, 5, 10, 50))
    low, high = credible_given(metrics.get(name), evidence(table), 0.95)[:2]
    found = interval(name, table)
    assert (found.low, found.high, found.extended) == (low, high, None)


EDGES = [
    ("precision", (0, 3, 2, 4), "low", 0.0, stats.beta(0.5, 2.5).ppf(0.975)),
    ("recall", (9, 0, 1, 1), "high", stats.beta(9.5, 0.5).ppf(0.025), 1.0),
    ("mcc", (10, 0, 0, 20), "high", None, 1.0),
    ("mcc", (0, 10, 20, 0), "low", -1.0, None),
    ("informedness", (5, 0, 0, 5), "high", None, 1.0),
    ("lift", (0, 5, 3, 12), "low", 0.0, None),
    ("f2", (0, 5, 3, 12), "low", 0.0, None),
    ("true_positives", (9, 0, 0, 0), "high", 9 * stats.beta(9.5, 0.5).ppf(0.025), 9.0),
    ("f1.at_base_rate(0.1)", (0, 5, 3, 12), "low", 0.0, None),
]


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(("name", "cells", "side", "low", "high"), EDGES)
def test_an_end_that_would_leave_out_the_value_is_the_value(name, cells, side, low, high):
    table = table_of(cells)
    found = interval(name, table, tolerance=1e-11)
    inner = credible_given(metrics.get(name), evidence(table), 0.95, tolerance=1e-11)[:2]
    assert found.extended == side
    assert found.low <= found.value <= found.high
    assert found.low == pytest.approx(inner[0] if low is None else low, rel=1e-9)
    assert found.high == pytest.approx(inner[1] if high is None else high, rel=1e-9)


@pytest.mark.parametrize("p", [0.02, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("m", [5, 10, 20])
def test_moving_an_end_never_covers_less(m, p):
    x = np.arange(m + 1)
    found = [interval("f1", table_of((int(k), m - int(k), 0, 4))) for k in x]
    weights, f1 = stats.binom(m, p).pmf(x), 2 * p / (1 + p)
    inside = np.array([i.low <= f1 <= i.high for i in found])
    s = stats.beta(x + 0.5, m - x + 0.5)
    plain = (s.ppf(0.025) <= p) & (p <= s.ppf(0.975))
    assert weights @ inside >= weights @ plain
    assert weights @ inside >= 0.83

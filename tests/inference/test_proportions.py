"""Intervals for proportions, against statsmodels and SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from baserate import ConfusionMatrix, metrics
from baserate.inference import interval

THEIRS = {"bayes": "jeffreys", "wilson": "wilson", "exact": "beta"}
ROUTES = {"bayes": "jeffreys", "wilson": "wilson", "exact": "clopper-pearson"}
COUNTS = [(0, 10), (10, 0), (0, 1), (1, 0), (1, 1), (3, 5), (35, 10), (999, 1), (4, 123456)]


@pytest.mark.parametrize("method", THEIRS)
@pytest.mark.parametrize(("x", "y"), COUNTS)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_agrees_with_statsmodels(method, x, y, level):
    table = ConfusionMatrix(tp=x, fn=7, fp=y, tn=2)
    found = interval("precision", table, method=method, confidence_level=level)
    low, high = proportion_confint(x, x + y, alpha=1 - level, method=THEIRS[method])
    low, high = low if x else 0.0, high if y else 1.0  # as Brown, Cai and DasGupta have it
    np.testing.assert_allclose((found.low, found.high), (low, high), rtol=1e-12, atol=1e-14)
    assert (found.value, found.route) == (x / (x + y), ROUTES[method])


@pytest.mark.parametrize(
    "metric", [m for m in metrics.CATALOGUE if m.proportion], ids=lambda m: m.name
)
def test_every_declared_proportion_counts_its_own_cells(metric):
    table = ConfusionMatrix(tp=31, fn=7, fp=13, tn=53)
    cells = table.to_dict()
    x, y = (sum(cells[c] for c in side) for side in metric.proportion)
    low, high = proportion_confint(x, x + y, method="jeffreys")
    found = interval(metric, table)
    assert found.route == "jeffreys"
    np.testing.assert_allclose((found.low, found.high), (low, high), rtol=1e-12)


def test_wilson_ends_are_exactly_zero_and_one_at_the_edge():
    none = interval("recall", ConfusionMatrix(tp=0, fn=9, fp=1, tn=1), method="wilson")
    every = interval("recall", ConfusionMatrix(tp=9, fn=0, fp=1, tn=1), method="wilson")
    assert none.low == 0.0
    assert every.high == 1.0
    theirs = binomtest(0, 9).proportion_ci(method="wilson")
    np.testing.assert_allclose(none.high, theirs.high, rtol=1e-13)


def test_weighted_counts_have_beta_quantiles_too():
    from scipy.stats import beta

    found = interval("precision", ConfusionMatrix(tp=2.25, fn=1, fp=0.5, tn=1))
    np.testing.assert_allclose((found.low, found.high), beta(2.75, 1.0).ppf([0.025, 0.975]), 1e-12)

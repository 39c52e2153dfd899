"""Mean, variance, P(defined) and tails of every metric against plain 2-D sums over all tables."""

import numpy as np
import pytest
from scipy.stats import binom

from baserate import metrics
from baserate.models import BinomialPair
from baserate.questions import cdf, expect, probability_defined, sf, variance
from oracles.metric_twins import TWINS
from quick import one_in

SETTINGS = {
    "small": (7, 12, 0.3, 0.3),
    "2 of 1000, proportional": (2, 998, 0.002, 0.002),
    "5 of 1000, proportional": (5, 995, 0.005, 0.005),
    "400 of 100000": (400, 99600, 0.6, 0.02),
    "1000 of 100000, proportional": (1000, 99000, 0.01, 0.01),
    "both dimensions long": (2000, 3000, 0.5, 0.3),
}
BALANCED = [f"{name}.at_base_rate(0.5)" for name in TWINS if metrics.get(name).depends_on_base_rate]
CACHE = {}


def all_tables(setting):
    """Every table within 14 standard deviations (and 40), weighted by scipy's binomial law."""
    if setting not in CACHE:
        p, q, r, f = SETTINGS[setting]
        (tp, u), (fp, v) = (window(n, rate) for n, rate in ((p, r), (q, f)))
        tp, fp = (a.ravel() for a in np.meshgrid(tp, fp, indexing="ij"))
        CACHE[setting] = ((tp, p - tp, fp, q - fp), np.outer(u, v).ravel())
    return CACHE[setting]


def window(n, rate):
    reach = 14 * np.sqrt(n * rate * (1 - rate)) + 40
    k = np.arange(max(0, int(n * rate - reach)), min(n, int(n * rate + reach)) + 1, dtype=float)
    weights = binom.pmf(k, n, rate)
    return k, weights / weights.sum()


def model_of(setting):
    p, q, r, f = SETTINGS[setting]
    return BinomialPair(n_positive=p, n_negative=q, recall=r, false_positive_rate=f)


def summed(name, setting):
    """Return values and weights of the defined tables, and their mass."""
    cells, weights = all_tables(setting)
    values = np.broadcast_to(metrics.get(name).formula(*cells), weights.shape)
    defined = ~np.isnan(values)
    return values[defined], weights[defined], float(weights[defined].sum())


@pytest.mark.sweep(5)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", one_in(3, [*TWINS, *BALANCED]))
def test_moments_equal_plain_sums(name, setting):
    values, weights, mass = summed(name, setting)
    mean = weights @ values / mass
    spread = weights @ (values - mean) ** 2 / mass
    model = model_of(setting)
    assert float(expect(name, model)) == pytest.approx(mean, rel=1e-11, abs=1e-12 * spread**0.5)
    assert float(variance(name, model)) == pytest.approx(spread, rel=1e-11, abs=1e-24)
    assert float(probability_defined(name, model)) == pytest.approx(mass, rel=1e-11)


@pytest.mark.sweep(6, start=2)
@pytest.mark.parametrize("setting", ["400 of 100000", "both dimensions long"])
@pytest.mark.parametrize("name", one_in(3, [*TWINS, *BALANCED], start=1))
def test_tails_equal_plain_sums(name, setting):
    values, weights, mass = summed(name, setting)
    mean = weights @ values / mass
    model = model_of(setting)
    for x in (mean, mean + 2 * np.sqrt(weights @ (values - mean) ** 2)):
        above = weights[values > x + 1e-12 * abs(x)].sum() / mass
        assert float(sf(name, model, x)) == pytest.approx(above, rel=1e-11, abs=1e-14)
        assert float(cdf(name, model, x)) == pytest.approx(1 - above, abs=1e-11)

"""Every metric under every small model, against exact rational laws; every route against them."""

from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

from baserate import metrics
from baserate.errors import UnsupportedError
from baserate.models import BinomialPair, Hypergeometric, UniformTables
from baserate.questions import cdf, expect, pmf, probability_defined, quantile, sf, variance
from oracles import law_twins
from oracles.metric_twins import TWINS
from quick import one_in

TOLERANCE = 1e-12
HALF = Fraction(1, 2)
MOMENT_ROUTES = ("closed form", "tower", "lumps", "quadrature", "enumeration")
TAIL_ROUTES = ("lumps", "threshold", "enumeration")
CACHE = {}


def blind_draws(*sizes):
    for n in range(*sizes):
        for p in range(n + 1):
            for k in range(n + 1):
                yield (
                    Hypergeometric(n_positive=p, n_negative=n - p, n_predicted=k),
                    law_twins.hypergeometric(p, n - p, k),
                )


RATES = [
    (0, 1),
    (1, 0),
    (0, 0),
    (1, 1),
    (0.25, 0.25),
    (0.5, 0.5),
    (0.75, 0.125),
    (1, 0.5),
    (0, 0.5),
]
CLASSES = [(3, 4), (1, 5), (5, 1), (0, 4), (4, 0), (0, 0), (1, 1), (2, 2)]


def coins():
    for p, q in CLASSES:
        for r, f in RATES:
            model = BinomialPair(n_positive=p, n_negative=q, recall=r, false_positive_rate=f)
            yield model, law_twins.binomial_pair(p, q, r, f)


def ignorance():
    for n in range(9):
        yield UniformTables(n=n), law_twins.uniform(n)


FAMILIES = {
    "hypergeometric": list(blind_draws(8)),
    "larger hypergeometric": list(blind_draws(8, 11)),
    "binomial pair": list(coins()),
    "uniform": list(ignorance()),
}
KEYS = [pytest.param(key, marks=[pytest.mark.slow] * ("larger" in key)) for key in FAMILIES]
# A metric that does not depend on the base rate is its own restatement.
RESTATED = [name for name in TWINS if metrics.get(name).depends_on_base_rate]
METRICS = [(name, None) for name in TWINS] + [(name, HALF) for name in RESTATED]
IDS = [name if rate is None else f"{name} at 1/2" for name, rate in METRICS]


def metric_of(name, rate):
    metric = metrics.get(name)
    return metric if rate is None else metric.at_base_rate(float(rate))


def close(value, exact, scale=1.0):
    if exact is None:
        return np.isnan(value)
    return abs(value - exact) <= TOLERANCE * max(scale, abs(exact))


def answers(question, *arguments, routes):
    """Yield the answer of the default route, and of each that exists."""
    yield question(*arguments)
    for route in routes:
        with suppress(UnsupportedError):
            yield question(*arguments, method=route)


@pytest.mark.sweep(14, start=1)
@pytest.mark.parametrize("family", KEYS)
@pytest.mark.parametrize(("name", "rate"), one_in(3, METRICS, start=0), ids=IDS)
def test_moments_are_exact(name, rate, family):
    metric = metric_of(name, rate)
    for model, law in FAMILIES[family]:
        twin = law_twins.Twin(name, law, rate, CACHE)
        mean, spread = twin.mean(), twin.variance()
        got, about = expect(metric, model), (metric.name, model)
        assert close(float(got), mean), (about, got, mean)
        assert close(got.undefined, float(twin.undefined)), (about, got, twin.undefined)
        got = variance(metric, model)
        assert close(float(got), spread), (about, got, spread)


@pytest.mark.sweep(9, start=5)
@pytest.mark.parametrize("family", KEYS)
@pytest.mark.parametrize(("name", "rate"), one_in(3, METRICS, start=1), ids=IDS)
def test_routes_to_moments_agree(name, rate, family):
    metric = metric_of(name, rate)
    for model, law in FAMILIES[family][:: 3 if family == "uniform" else 11]:
        twin = law_twins.Twin(name, law, rate, CACHE)
        for got in answers(expect, metric, model, routes=MOMENT_ROUTES):
            assert close(float(got), twin.mean()), (metric.name, model, got, twin.mean())
        for got in answers(variance, metric, model, routes=MOMENT_ROUTES):
            assert close(float(got), twin.variance()), (metric.name, model, got, twin.variance())
        for got in answers(probability_defined, metric, model, routes=MOMENT_ROUTES):
            assert close(float(got), float(1 - twin.undefined)), (metric.name, model, got)


@pytest.mark.sweep(26, start=23)
@pytest.mark.parametrize("family", KEYS)
@pytest.mark.parametrize(("name", "rate"), one_in(3, METRICS, start=2), ids=IDS)
def test_tails_quantiles_and_atoms_are_exact(name, rate, family):
    metric = metric_of(name, rate)
    step = {"uniform": 3, "binomial pair": 17}.get(family, 37)
    for model, law in FAMILIES[family][::step]:
        twin = law_twins.Twin(name, law, rate, CACHE)
        groups = twin.grouped()
        atoms, about = pmf(metric, model), (metric.name, model)
        assert close(np.sum(atoms.probabilities), 1 if groups else 0), about
        np.testing.assert_allclose(atoms.values, [g[0] for g in groups], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(atoms.probabilities, [float(g[1]) for g in groups], rtol=1e-11)
        for x in points(groups):
            for got in answers(cdf, metric, model, x, routes=TAIL_ROUTES):
                assert close(float(got), twin.cdf(x) if groups else None), (about, x, got)
            for got in answers(sf, metric, model, x, routes=TAIL_ROUTES):
                assert close(float(got), twin.sf(x) if groups else None), (about, x, got)
        for q in (0.125, 0.5, 1):
            for got in answers(quantile, metric, model, q, routes=TAIL_ROUTES):
                assert close(float(got), twin.quantile(q)), (about, q, got, twin.quantile(q))


def points(groups):
    """An atom, a point between two atoms, and points beyond them all."""
    if not groups:
        return [0.0]
    middle = len(groups) // 2
    between = (groups[middle][0] + groups[middle - 1][0]) / 2
    return [groups[middle][0], between, groups[0][0] - 1, groups[-1][0]]

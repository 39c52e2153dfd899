"""Metrics made at random: routes agree, and simulation agrees within its own error bars."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baserate import metrics
from baserate.errors import UnsupportedError
from baserate.models import BinomialPair, Hypergeometric, UniformTables
from baserate.questions import cdf, expect, pmf, probability_defined, quantile, sf, variance

weights = st.tuples(*[st.integers(0, 4)] * 4)
sizes = st.integers(1, 12)
rates = st.sampled_from([0.0, 0.125, 0.3, 0.5, 0.9, 1.0])


@st.composite
def ratios(draw):
    """A ratio of linear forms whose denominator has no negative weight, perhaps a square root."""
    top, bottom = draw(weights), draw(weights.filter(any))
    root = draw(st.booleans())

    def formula(*cells):
        over, under = (sum(w * c for w, c in zip(ws, cells, strict=True)) for ws in (top, bottom))
        value = over / under
        return np.sqrt(value) if root else value

    zero = "+".join(c for c, w in zip(("tp", "fn", "fp", "tn"), bottom, strict=True) if w)
    facts = {"undefined_if_zero": (zero,)} if draw(st.booleans()) else {}
    return metrics.define("random", formula, direction="neither", **facts)


@st.composite
def models(draw):
    p, q = draw(sizes), draw(sizes)
    kind = draw(st.integers(0, 2))
    if kind == 0:
        return Hypergeometric(n_positive=p, n_negative=q, n_predicted=draw(st.integers(0, p + q)))
    if kind == 1:
        r = draw(rates)
        f = draw(st.one_of(st.just(r), rates))
        return BinomialPair(n_positive=p, n_negative=q, recall=r, false_positive_rate=f)
    return UniformTables(n=p)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ratios(), models())
def test_routes_agree_for_any_metric(metric, model):
    atoms = pmf(metric, model)
    mass = float(probability_defined(metric, model))
    assert mass == pytest.approx(float(probability_defined(metric, model, method="enumeration")))
    if mass == 0:
        assert np.isnan(float(expect(metric, model)))
        return
    assert atoms.undefined == pytest.approx(1 - mass, abs=1e-14)
    mean = atoms.probabilities @ atoms.values
    spread = atoms.probabilities @ (atoms.values - mean) ** 2
    assert float(expect(metric, model)) == pytest.approx(mean, rel=1e-12)
    assert float(variance(metric, model)) == pytest.approx(spread, rel=1e-11, abs=1e-13)
    likely = atoms.values[atoms.probabilities > 1e-9]  # quantiles have a slack of 1e-12
    x = likely[len(likely) // 2]
    below = atoms.probabilities[atoms.values <= x].sum()
    assert float(cdf(metric, model, x)) == pytest.approx(below, rel=1e-12)
    assert float(sf(metric, model, x)) == pytest.approx(1 - below, abs=1e-12)
    assert float(quantile(metric, model, below)) == pytest.approx(x, rel=1e-12)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(ratios(), models(), st.integers(0, 2**32))
def test_simulation_agrees_within_its_error_bars(metric, model, seed):
    n, exact = 20_000, float(probability_defined(metric, model))
    drawn = probability_defined(metric, model, method="simulation", rng=seed, n_samples=n)
    assert abs(drawn.value - exact) <= 5 * drawn.error
    if exact < 0.01:
        return
    x = float(quantile(metric, model, 0.5))
    for question, extra in ((expect, ()), (cdf, (x,)), (sf, (x,))):
        got = question(metric, model, *extra, method="simulation", rng=seed, n_samples=n)
        value = float(question(metric, model, *extra))
        assert got.route == "simulation"
        assert abs(got.value - value) <= 5 * got.error + 20 / n


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(ratios(), st.integers(200, 3000), st.integers(200, 3000), st.floats(0.2, 0.8))
def test_quadrature_is_used_only_where_it_is_exact(metric, p, q, g):
    model = BinomialPair(n_positive=p, n_negative=q, recall=g, false_positive_rate=1 - g)
    try:
        answer = expect(metric, model, method="quadrature")
    except UnsupportedError:
        return
    exact = expect(metric, model, method="enumeration")
    assert answer.value == pytest.approx(exact.value, rel=1e-11, abs=1e-13)
    assert float(variance(metric, model, method="quadrature")) == pytest.approx(
        float(variance(metric, model, method="enumeration")), rel=1e-8, abs=1e-14
    )


@pytest.mark.parametrize("question", [variance, lambda *a, **k: quantile(*a, 0.9, **k)])
def test_simulated_spread_and_quantile(question):
    model = BinomialPair(n_positive=200, n_negative=300, recall=0.7, false_positive_rate=0.2)
    got = question("mcc", model, method="simulation", rng=5)
    assert 0 < got.error < 0.01
    assert abs(got.value - float(question("mcc", model))) < 5 * got.error

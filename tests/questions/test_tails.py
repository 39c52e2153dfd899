"""Both tails at once: against exact laws, between routes, far out, and for large groups."""

from fractions import Fraction
from functools import cache
from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from baserate import metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models import (
    DirichletMultinomial,
    Multinomial,
    MultivariateHypergeometric,
)
from baserate.questions import cdf, sf, tails
from oracles import group_twins
from oracles.metric_twins import TWINS
from quick import one_in

ROUTES = ("lumps", "threshold", "enumeration")
# Briscoe et al. (AISTATS 2025), COMPAS: tp, fn, fp, tn of Black and of all defendants.
BLACK, ALL = (273, 170, 1043, 1692), (389, 347, 1597, 4121)
# Cells with few digits, so that twins are exact.
LAWS = {
    "multinomial": (Multinomial, "cells", (4, 2, 1, 9), group_twins.multinomial),
    "no misses": (Multinomial, "cells", (4, 0, 1, 9), group_twins.multinomial),
    "dirichlet": (
        DirichletMultinomial,
        "concentration",
        (2.5, 0.5, 7.25, 11),
        group_twins.dirichlet_multinomial,
    ),
    "without return": (
        MultivariateHypergeometric,
        "population",
        (13, 26, 31, 40),
        group_twins.multivariate_hypergeometric,
    ),
}


@cache
def laws(n):
    return {
        name: (kind(n=n, **{word: cells}), twin(n, tuple(map(Fraction, cells))))
        if kind is DirichletMultinomial
        else (kind(n=n, **{word: cells}), twin(n, cells))
        for name, (kind, word, cells, twin) in LAWS.items()
    }


def everyone(metric, model, x):
    """Return the answers of the default route, and of each that exists."""
    found = [tails(metric, model, x)]
    for route in ROUTES:
        try:
            found.append(tails(metric, model, x, method=route))
        except UnsupportedError:
            continue
    return found


def near(got, exact, tolerance=1e-12):
    """To so many digits of a fraction, however small it is."""
    return abs(Fraction(got) - exact) <= tolerance * abs(exact)


SIZES = [9, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 16))]


@pytest.mark.sweep(13, start=10)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", one_in(4, TWINS))
def test_tails_are_exact_whatever_the_route(name, n):
    order = group_twins.Order(name, n)
    for label, (model, law) in laws(n).items():
        twin = group_twins.Twin(order, law)
        if not twin.mass:
            continue
        for i in {0, *(twin.at(Fraction(k, 8)) for k in (1, 4, 7)), len(twin.ranks) - 1}:
            if (i and twin.gap(i - 1) < 1e-9) or (twin.gap(i) or 1) < 1e-9:
                continue
            below, equal = (
                twin.cdf(i - 1) if i else Fraction(0),
                Fraction(twin.masses[i], twin.mass),
            )
            x = twin.value(i)
            for cut in (float(x), *((x,) if isinstance(x, Fraction) else ())):
                for got in everyone(name, model, cut):
                    about = (name, label, n, cut, got)
                    assert near(got.below, below), about
                    assert near(got.equal, equal), about
                    assert near(got.above, 1 - below - equal), about
                    assert near(got.probability_defined, twin.defined), about


def test_between_two_values_nothing_is_equal():
    model = Multinomial(n=12, cells=BLACK)
    for name in ("recall", "matthews_correlation", "accuracy"):
        for got in everyone(name, model, 0.4321):
            assert got.equal == 0
            assert got.below == pytest.approx(float(cdf(name, model, 0.4321)), rel=1e-13)
            assert got.above == pytest.approx(float(sf(name, model, 0.4321)), rel=1e-13)


weights = st.tuples(*[st.integers(0, 4)] * 4)
tables = st.tuples(*[st.integers(0, 9)] * 4).filter(sum)


@st.composite
def ratios_with_a_trend(draw):
    """A ratio of linear forms falls or rises with fp throughout."""
    top, bottom = draw(weights), draw(weights.filter(any))
    trend = "decreasing" if draw(st.booleans()) else "increasing"
    # (a + b fp)/(c + d fp) with fp + tn fixed: drop what could make it bend the other way.
    top, bottom = list(top), list(bottom)
    up, down = (top, bottom) if trend == "increasing" else (bottom, top)
    up[3], down[2] = 0, 0
    if not any(bottom):
        bottom[0] = 1
    root = draw(st.booleans())

    def formula(*cells):
        over, under = (sum(w * c for w, c in zip(ws, cells, strict=True)) for ws in (top, bottom))
        return np.sqrt(over / under) if root else over / under

    names = ("tp", "fn", "fp", "tn")
    zero = "+".join(c for c, w in zip(names, bottom, strict=True) if w)
    return metrics.define(
        "random", formula, direction="neither", trend_in_fp=trend, undefined_if_zero=(zero,)
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ratios_with_a_trend(), tables, st.integers(1, 30), st.data())
def test_thresholds_of_random_metrics_are_those_of_enumeration(metric, cells, n, data):
    kind = data.draw(st.sampled_from(["cells", "concentration"]))
    model = (Multinomial if kind == "cells" else DirichletMultinomial)(n=n, **{kind: cells})
    at = data.draw(tables)
    x = float(metric.formula(*map(float, at)))
    x = 0.25 if isnan(x) else x
    one, other = (tails(metric, model, x, method=route) for route in ("threshold", "enumeration"))
    for part in ("below", "equal", "above"):
        value, expected = getattr(one, part), getattr(other, part)
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-14, nan_ok=True)


def exchanged(model):
    """The law of the table with fn and fp exchanged: truth and prediction trade places."""
    kind = type(model)
    tp, fn, fp, tn = model.weights
    word = {Multinomial: "cells", DirichletMultinomial: "concentration"}[kind]
    return kind(n=model.n, **{word: (tp, fp, fn, tn)})


LARGE = [1000, 10_000, pytest.param(100_000, marks=pytest.mark.slow)]


@pytest.mark.sweep(8, start=6)
@pytest.mark.parametrize("n", LARGE)
@pytest.mark.parametrize("name", ["matthews_correlation", "cohen_kappa", "lift", "yule_q"])
def test_exchanging_truth_and_prediction_changes_nothing(name, n):
    """Slices by the predictions instead of the classes are other sums, with the same result."""
    cells = (0.5, 0.15, 0.1, 0.25)
    sure = Multinomial(n=n, cells=cells)
    uncertain = DirichletMultinomial(n=n, concentration=[2 * n * c + 0.5 for c in cells])
    metric = metrics.get(name)
    # A table half a standard error off the mean, of which the score is observed.
    at = [round(n * c) for c in cells]
    step = round(n**0.5 / 4)
    x = float(metric.formula(*map(float, (at[0] + step, at[1] - step, at[2], at[3]))))
    for model in (sure, uncertain):
        one, other = tails(metric, model, x), tails(metric, exchanged(model), x)
        assert one.route == "threshold"
        assert one.below == pytest.approx(other.below, abs=1e-13, rel=0)
        assert one.equal == pytest.approx(other.equal, rel=1e-10)
        assert one.above == pytest.approx(other.above, abs=1e-13, rel=0)
        assert one.below + one.equal + one.above == pytest.approx(1, abs=1e-13)


def test_the_percentiles_of_the_literature():
    """Accuracy 0.80 of 100 cases where 0.75 is expected, Briscoe et al. (2025), section 5."""
    got = tails("accuracy", Multinomial(n=100, cells=(0.5, 0.15, 0.1, 0.25)), 0.8)
    assert got.below == pytest.approx(0.851169, abs=6e-7)
    assert got.below + got.equal == pytest.approx(0.900470, abs=6e-7)
    assert got.below + got.equal / 2 == pytest.approx(0.875819, abs=6e-7)


@pytest.mark.parametrize("n", [1000, 10_000])
def test_rates_are_sums_of_binomial_tails(n):
    """P(recall <= s) = sum of P(k) P(Bin(k, theta) <= s k), with SciPy's binomials."""
    model = Multinomial(n=n, cells=(0.5, 0.15, 0.1, 0.25))
    s = Fraction(31, 40)
    k = np.arange(1, n + 1)
    hits = np.array([int(s * int(m)) for m in k])
    weights = stats.binom.pmf(k, n, 0.65)
    got = tails("recall", model, s)
    below = weights @ stats.binom.cdf(hits, k, 0.5 / 0.65)
    assert got.below + got.equal == pytest.approx(below, rel=1e-9)
    assert got.above == pytest.approx(weights @ stats.binom.sf(hits, k, 0.5 / 0.65), rel=1e-9)


@pytest.mark.slow
def test_marginal_benefit_is_the_sum_of_the_paper():
    """P(fp - fn = k) = sum over m of n!/((k+m)! m! (n-k-2m)!) ..., Briscoe et al., theorem D.1."""
    n, alarm, miss = 60, Fraction(1, 4), Fraction(1, 8)
    model = Multinomial(n=n, cells=(0.25, 0.125, 0.25, 0.375))

    def mass(k):
        return sum(
            Fraction(comb(n, k + m) * comb(n - k - m, m))
            * alarm ** (k + m) * miss**m * (1 - alarm - miss) ** (n - k - 2 * m)
            for m in range(max(0, -k), (n - k) // 2 + 1)
        )  # fmt: skip

    for k in (-5, 3, 8, 40, 58):
        above = sum(mass(j) for j in range(k + 1, n + 1))
        for got in everyone("marginal_benefit", model, Fraction(k, n)):
            assert near(got.equal, mass(k)), (k, got)
            assert near(got.above, above, 1e-11), (k, got)


# Cells that are whole sixteenths: the sums below are exact.
SIXTEENTHS = (8, 3, 1, 4)


def short(got, exact):
    """Whether a tail has its digits, but for what windows leave out, and says how much that is."""
    return -1e-11 * exact <= exact - Fraction(got.above) <= Fraction(got.error) + exact * 1e-11


def above_by_recall(n, s):
    """P(recall > s): a sum over the positives of a binomial tail."""
    return sum(
        Fraction(comb(n, m) * 5 ** (n - m), 16**n)
        * sum(comb(m, t) * 8**t * 3 ** (m - t) for t in range(int(s * m) + 1, m + 1))
        for m in range(1, n + 1)
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("n", [60, 300])
def test_far_tails_say_how_much_is_left_out(n):
    model = Multinomial(n=n, cells=SIXTEENTHS)
    right, total = 12, 16
    for k in (int(0.9 * n), n - 2):
        exact = sum(
            Fraction(comb(n, j) * right**j * 4 ** (n - j), total**n) for j in range(k + 1, n)
        )
        exact += Fraction(right**n, total**n)
        for got in everyone("accuracy", model, Fraction(k, n)):
            assert short(got, exact), got
            assert got.error == pytest.approx(1.7e-19, rel=0.02) if n > 60 else got.error == 0
    exact = above_by_recall(n, Fraction(19, 20))
    for got in everyone("recall", model, Fraction(19, 20)):
        assert short(got, exact), got


def test_faint_tails_of_both_routes_agree():
    for model in (
        Multinomial(n=1500, cells=(0.5, 0.15, 0.1, 0.25)),
        DirichletMultinomial(n=400, concentration=(200.5, 60.5, 40.5, 100.5)),
    ):
        for x in (0.4, 0.55, 0.75, 0.77):
            lumps, rows = (tails("jaccard", model, x, method=m) for m in ("lumps", "threshold"))
            assert min(lumps.below, lumps.above) < 0.02
            assert lumps.below == pytest.approx(rows.below, rel=1e-11, abs=lumps.error)
            assert lumps.above == pytest.approx(rows.above, rel=1e-11, abs=lumps.error)


def test_far_tails_by_thresholds_survive_an_exchange():
    model = Multinomial(n=3000, cells=(0.5, 0.15, 0.1, 0.25))
    for x in (0.2, 0.375, 0.57, 0.8):
        one, other = (tails("mcc", m, x) for m in (model, exchanged(model)))
        assert one.below == pytest.approx(other.below, rel=1e-11, abs=one.error)
        assert one.above == pytest.approx(other.above, rel=1e-11, abs=one.error)
        assert one.error < 1e-18


def test_what_is_hardly_ever_defined_keeps_its_digits():
    """Given a positive, which has probability 1e-22 here, recall is 0 or 1."""
    model = Multinomial(n=1000, cells=(3e-25, 7e-25, 0.25, 0.75))
    for method in ("lumps", "threshold"):
        got = tails("recall", model, 0.5, method=method)
        assert got.above == pytest.approx(0.3, rel=1e-12)
        assert got.below == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize("x", [-1.0, 1.0])
def test_beyond_the_bounds_there_is_nothing(x):
    got = tails("mcc", Multinomial(n=2000, cells=BLACK), x)
    assert (got.above if x > 0 else got.below) == 0


@pytest.mark.parametrize("method", [None, *ROUTES])
def test_impossible_cells_leave_the_metric_undefined(method):
    model = Multinomial(n=30, cells=(0, 0, 1, 2))
    got = tails("recall", model, 0.5, method=method)
    assert isnan(got.below)
    assert isnan(got.equal)
    assert isnan(got.above)
    assert got.probability_defined == 0
    one = tails("specificity", model, 0.0, method=method)
    assert one.equal == pytest.approx(3.0**-30, rel=1e-12)


def test_nan_is_compared_with_nothing():
    got = tails("recall", Multinomial(n=30, cells=BLACK), float("nan"))
    assert isnan(got.below)
    assert isnan(got.above)
    assert got.probability_defined == pytest.approx(1, abs=0.02)


@pytest.mark.slow
def test_refusals_say_what_else_there_is():
    big = Multinomial(n=10**7, cells=BLACK)
    with pytest.raises(UnsupportedError, match=r"tables to sum.*: cdf and sf can simulate"):
        tails("mcc", big, 0.2)
    assert tails("recall", Multinomial(n=10**6, cells=BLACK), 0.62).route == "lumps"
    small = Multinomial(n=10, cells=BLACK)
    with pytest.raises(UnsupportedError, match=r"mcc|matthews_correlation .* no route 'lumps'"):
        tails("mcc", small, 0.2, method="lumps")
    with pytest.raises(InvalidArgumentError, match="x must be a number"):
        tails("mcc", small, "high")

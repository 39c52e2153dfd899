"""Every metric under every law of a group's table, against exact rational numbers."""

from fractions import Fraction
from functools import cache

import pytest

from baserate import metrics
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.models import (
    DirichletMultinomial,
    GivenClasses,
    Multinomial,
    MultivariateHypergeometric,
)
from baserate.questions import cdf, expect, pmf, probability_defined, sf, variance
from oracles import group_twins
from oracles.metric_twins import TWINS
from quick import one_in

TOLERANCE = 1e-12

# Briscoe et al. (AISTATS 2025): COMPAS Black; Folktables, American Indian and Alaska Native.
BLACK, SMALL = (273, 170, 1043, 1692), (13, 26, 31, 275)
NO_MISS = (20, 0, 15, 40)
HALVES = tuple(Fraction(1, 2) + c for c in BLACK)
LAWS = {
    "multinomial": (Multinomial, BLACK),
    "multinomial, small": (Multinomial, SMALL),
    "multinomial, zero cell": (Multinomial, NO_MISS),
    "dirichlet": (DirichletMultinomial, HALVES),
    "dirichlet, zero cell": (DirichletMultinomial, (Fraction(3, 2), 0, 2, 6)),
    "dirichlet, bimodal": (
        DirichletMultinomial,
        (Fraction(1, 2), Fraction(1, 4), 1, Fraction(3, 4)),
    ),
    "without return": (MultivariateHypergeometric, SMALL),
    "without return, zero cell": (MultivariateHypergeometric, NO_MISS),
}
GIVEN = ("multinomial", "dirichlet, bimodal", "without return", "without return, zero cell")
MAKE = {
    Multinomial: ("cells", group_twins.multinomial),
    DirichletMultinomial: ("concentration", group_twins.dirichlet_multinomial),
    MultivariateHypergeometric: ("population", group_twins.multivariate_hypergeometric),
}


@cache
def laws(n):
    """Return pairs of a model and its exact law."""
    made = {}
    for name, (kind, reference) in LAWS.items():
        keyword, twin = MAKE[kind]
        given = tuple(map(float, reference)) if kind is DirichletMultinomial else reference
        made[name] = kind(n=n, **{keyword: given}), twin(n, reference)
    for name in GIVEN:
        model, law = made[name]
        p = max(1, n // 3)
        given = GivenClasses(model, n_positive=p)
        made[f"{name}, given classes"] = given, group_twins.given_classes(law, p)
    return made


def near(value, exact, scale=1.0):
    return abs(Fraction(float(value)) - exact) <= TOLERANCE * max(scale, abs(float(exact)))


SIZES = [9, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 16))]


@pytest.mark.sweep(13, start=2)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", one_in(4, TWINS, start=2))
def test_moments_and_tails_are_exact(name, n):
    metric, order = metrics.get(name), group_twins.Order(name, n)
    for label, (model, law) in laws(n).items():
        twin, about = group_twins.Twin(order, law), (name, label, n)
        assert near(probability_defined(metric, model), twin.defined), about
        if twin.mass:
            assert near(expect(metric, model), twin.mean()), about
            assert near(variance(metric, model), twin.variance()), about
            tails_are_exact(metric, model, twin, about)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["f1", "matthews_correlation", "yule_q", "robust_f(d0=0, d1=4, c=0)"]
)
def test_moments_and_tails_of_larger_groups_are_exact(name):
    test_moments_and_tails_are_exact(name, 40)


def tails_are_exact(metric, model, twin, about):
    """At the ends, at three values between, and between two values."""
    for i in {0, *(twin.at(Fraction(k, 10)) for k in (1, 5, 9)), len(twin.ranks) - 1}:
        value, exact, gap = twin.value(i), twin.cdf(i), twin.gap(i)
        asked = []
        if isinstance(value, Fraction):
            asked.append(value)
        if gap is None or gap > 1e-9:
            asked.append(float(value))
        if gap is not None and gap > 1e-9:
            asked.append(float(value) + gap / 2)
        for x in asked:
            assert near(cdf(metric, model, x), exact), (about, x)
            assert near(sf(metric, model, x), 1 - exact), (about, x)


@pytest.mark.sweep(15, start=14)
@pytest.mark.parametrize("name", TWINS)
def test_threshold_and_atoms_agree_with_the_exact_law(name):
    metric, order = metrics.get(name), group_twins.Order(name, 12)
    for label, (model, law) in laws(12).items():
        twin, about = group_twins.Twin(order, law), (name, label)
        atoms = pmf(metric, model)
        assert len(atoms.values) == len(twin.ranks), about
        for value, share, mass in zip(atoms.values, atoms.probabilities, twin.masses, strict=True):
            exact = Fraction(mass, twin.mass)
            assert abs(share - exact) <= 1e-12 * exact, (about, value)
        if not twin.mass or metric.trend_in_fp == "unknown":
            continue
        i = twin.at(Fraction(1, 2))
        got = threshold(metric, model, float(twin.value(i)))
        assert got is None or near(got, twin.cdf(i)), about


def threshold(metric, model, x):
    try:
        return cdf(metric, model, x, method="threshold")
    except UnsupportedError:
        return None


COMPAS = tuple(c + 0.5 for c in BLACK)
LARGE = [
    Multinomial(n=400, cells=BLACK),
    DirichletMultinomial(n=320, concentration=(2000, 2500, 2600, 1900)),
    MultivariateHypergeometric(n=600, population=BLACK),
    GivenClasses(DirichletMultinomial(n=6000, concentration=COMPAS), n_positive=2400),
]


@pytest.mark.slow
@pytest.mark.parametrize("model", LARGE, ids=str)
@pytest.mark.parametrize("name", ["matthews_correlation", "f1", "geometric_mean", "cohen_kappa"])
def test_rules_agree_with_sums_over_all_tables(name, model):
    for question in (expect, variance):
        by_rules = question(name, model, method="quadrature")
        by_sums = question(name, model, method="enumeration")
        assert float(by_rules) == pytest.approx(float(by_sums), rel=1e-11)


# Bias of a group's score at n = 5, 20, 50 for COMPAS Black, enumerated independently and rounded to
# three digits (four where given): expectation minus the value at the reference's own shares.
BIAS = {
    "f1": (-0.074, -0.020, -0.008),
    "matthews_correlation": (0.066, 0.0005, -0.002),
    "prevalence_threshold": (0.080, 0.057, 0.009),
}


@pytest.mark.parametrize("name", BIAS)
def test_small_groups_are_biased(name):
    metric, reference = (
        metrics.get(name),
        ConfusionMatrix(**dict(zip(group_twins.CELLS, BLACK, strict=True))),
    )
    for n, bias in zip((5, 20, 50), BIAS[name], strict=True):
        got = float(expect(metric, Multinomial(n=n, cells=BLACK))) - float(metric(reference))
        assert got == pytest.approx(bias, abs=6e-4)


def test_the_worked_example():
    """Briscoe et al.: accuracy 0.80 of 100 cases where 0.75 is right beats "over 90 %", ties in."""
    model = Multinomial(n=100, cells=(0.5, 0.15, 0.1, 0.25))
    assert float(cdf("accuracy", model, 0.8)) == pytest.approx(0.900470, abs=5e-7)
    assert 1 - float(sf("accuracy", model, Fraction(79, 100))) == pytest.approx(0.851169, abs=5e-7)

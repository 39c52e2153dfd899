"""Quantiles are where both tails say they are; laws too long to sort are refused."""

from fractions import Fraction
from math import comb, isnan

import numpy as np
import pytest

from baserate import ClassTable, metrics
from baserate.errors import UnsupportedError
from baserate.models import (
    BinomialPair,
    ClassMultinomial,
    DirichletMultinomial,
    GivenClasses,
    Multinomial,
    MultivariateHypergeometric,
)
from baserate.questions import pmf, quantile, tails

BLACK = (273, 170, 1043, 1692)  # Briscoe et al. (AISTATS 2025), COMPAS
SURE = Multinomial(n=150, cells=BLACK)
UNSURE = DirichletMultinomial(n=120, concentration=[c / 2 + 0.5 for c in BLACK])
NAMES = ["mcc", "geometric_mean", "f2", "error_rate", "recall", "f1", "prevalence_threshold"]


def test_jaggedness_is_the_largest_jump_of_the_distribution_function():
    """Of accuracy: C(20, 15) 3^15 / 4^20; so of three classes; 1 with one value, nan with none."""
    largest = float(Fraction(comb(20, 15) * 3**15, 4**20))
    assert pmf("accuracy", Multinomial(n=20, cells=(2, 1, 0, 1))).jaggedness == pytest.approx(
        largest
    )
    three = ClassMultinomial(n=20, cells=ClassTable([[2, 1, 0], [0, 1, 0], [0, 1, 3]]))
    assert pmf("accuracy", three).jaggedness == pytest.approx(largest)
    assert pmf("recall", Multinomial(n=1, cells=(1, 0, 0, 3))).jaggedness == 1
    assert isnan(pmf("recall", Multinomial(n=1, cells=(0, 0, 1, 3))).jaggedness)


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize("model", [SURE, UNSURE], ids=["sure", "unsure"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("q", [1e-9, 0.025, 0.5, 0.975, 1 - 1e-9])
def test_quantiles_are_inverses(name, model, q):
    got = quantile(name, model, q)
    at = tails(name, model, got.value)
    assert got.route in {"enumeration", "lumps"}
    assert at.equal > 0
    assert at.below < q - 1e-12 + 1e-14
    assert at.below + at.equal >= q - 1e-12 - 1e-14


@pytest.mark.parametrize("q", [0, 1])
@pytest.mark.parametrize("name", ["mcc", "recall"])
def test_the_least_and_the_greatest(name, q):
    value = quantile(name, SURE, q).value
    at = tails(name, SURE, value)
    assert (at.below if q == 0 else at.above) < 1e-11
    assert at.equal > 0


def test_what_is_too_long_to_sort_is_refused_with_its_size():
    guess = BinomialPair(
        n_positive=300_000, n_negative=700_000, recall=0.3, false_positive_rate=0.3
    )
    with pytest.raises(
        UnsupportedError, match=r"has [\d,]{10} tables to sum.*: ask cdf or sf .*simulation"
    ):
        quantile("mcc", guess, 0.975)
    rough = quantile("mcc", guess, 0.975, method="simulation", rng=1, n_samples=2000)
    assert rough.value == pytest.approx(1.959964e-3, abs=5 * rough.error)


SMALL = [
    Multinomial(n=60, cells=BLACK),
    DirichletMultinomial(n=50, concentration=(3.5, 0.5, 7.5, 10.5)),
    MultivariateHypergeometric(n=40, population=(20, 35, 60, 90)),
    GivenClasses(Multinomial(n=80, cells=BLACK), n_positive=30),
    BinomialPair(n_positive=40, n_negative=50, recall=0.7, false_positive_rate=0.2),
]


@pytest.mark.sweep(17, start=14)
@pytest.mark.parametrize("model", SMALL, ids=str)
@pytest.mark.parametrize("metric", metrics.CATALOGUE, ids=lambda m: m.name)
def test_every_route_finds_the_atom(metric, model):
    atoms = pmf(metric, model)
    below = np.cumsum(atoms.probabilities)
    for share in (0.1, 0.5, 0.99):
        at = int(np.searchsorted(below, share))
        clear = np.diff(atoms.values, prepend=-np.inf)[at] > 1e-9
        if not clear or abs(below[at] - share) < 1e-9:
            continue
        for method in ("lumps", "enumeration"):
            try:
                got = quantile(metric, model, share, method=method).value
            except UnsupportedError:
                continue
            assert got == pytest.approx(atoms.values[at], rel=1e-11, abs=1e-13), (method, share)


@pytest.mark.parametrize("instead", [0.0, 0.4, 1.0, -3.0])
@pytest.mark.parametrize("q", [0, 0.05, 0.3, 0.6, 0.97, 1])
def test_a_number_in_place_of_nan(instead, q):
    model = Multinomial(n=12, cells=(0.5, 0.25, 1, 9))  # no positives in half of the tables
    by_sorting = quantile("recall", model, q, undefined=instead, method="enumeration")
    got = quantile("recall", model, q, undefined=instead, method="lumps")
    assert got.value == pytest.approx(by_sorting.value)
    assert got.undefined == pytest.approx(by_sorting.undefined)

"""Models of class tables against exact fractions over all tables."""

from fractions import Fraction
from math import lgamma, log

import numpy as np
import pytest

from baserate import ClassTable
from baserate.errors import InvalidArgumentError
from baserate.models import (
    ClassDirichletMultinomial,
    ClassHypergeometric,
    ClassMultinomial,
    ClassMultivariateHypergeometric,
    class_hits,
)
from baserate.models.class_hits import hits_bound, hits_cost, hits_law, hits_law_cost, ways_at_least
from oracles import class_chance_twins as twins

REFERENCE = ((3, 1, 0), (1, 2, 1), (0, 2, 2))
TABLE = ClassTable(REFERENCE)
CASES = [
    (
        ClassHypergeometric(class_counts=(3, 2, 3), predicted_counts=(4, 2, 2)),
        twins.dealt((3, 2, 3), (4, 2, 2)),
    ),
    (
        ClassHypergeometric(class_counts=(3, 0, 2, 1), predicted_counts=(0, 2, 3, 1)),
        twins.dealt((3, 0, 2, 1), (0, 2, 3, 1)),
    ),
    (ClassMultinomial(n=5, cells=TABLE), twins.multinomial(5, REFERENCE)),
    (
        ClassDirichletMultinomial(n=5, concentration=TABLE),
        twins.dirichlet_multinomial(5, REFERENCE),
    ),
    (
        ClassMultivariateHypergeometric(n=5, population=TABLE),
        twins.without_replacement(5, REFERENCE),
    ),
]


@pytest.mark.parametrize(("model", "law"), CASES)
def test_every_table_has_its_probability(model, law):
    seen = {}
    for tables, logs in model.blocks():
        for table, at in zip(tables.tolist(), logs.tolist(), strict=True):
            seen[tuple(map(tuple, table))] = np.exp(at)
    assert len(seen) <= model.n_tables
    possible = {table: p for table, p in law.items() if p}
    assert seen.keys() == possible.keys()
    for table, p in possible.items():
        assert seen[table] == pytest.approx(float(p), rel=1e-12)


@pytest.mark.parametrize(("model", "law"), CASES)
def test_means_and_samples(model, law):
    mean = sum(float(p) * np.array(table) for table, p in law.items())
    assert model.mean.counts == pytest.approx(mean, abs=1e-12)
    drawn = model.sample(20_000, 1)
    assert drawn.labels == model.labels
    assert np.all(np.asarray(drawn.n) == model.n)
    assert drawn.counts.mean(0) == pytest.approx(mean, abs=0.05)


@pytest.mark.parametrize(("model", "law"), CASES)
def test_one_class_against_the_rest_has_its_exact_margin(model, law):
    for c, label in enumerate(model.labels):
        one = model.one_vs_rest(label)
        p = sum((p for table, p in law.items() if table[c][c] == 0), Fraction(0))
        assert one.probability_zero(frozenset({"tp"})) == pytest.approx(float(p), abs=1e-13)


@pytest.mark.parametrize(
    ("truth", "predicted"), [([2, 3, 1], [3, 1, 2]), ([2, 2, 2, 1], [1, 4, 0, 2]), ([4, 3], [2, 5])]
)
def test_right_cases_are_counted_as_by_permuting(truth, predicted):
    law = twins.hits_by_permuting(truth, predicted)
    hits, chances = hits_law(truth, predicted)
    for h, chance in zip(hits.tolist(), chances.tolist(), strict=True):
        assert chance == pytest.approx(float(law.get(h, 0)), abs=1e-14)
        tail = sum((p for k, p in law.items() if k >= h), Fraction(0))
        assert Fraction(*ways_at_least(truth, predicted, h)) == tail
        assert tail == 0 or hits_bound(truth, predicted, h) >= np.log(float(tail)) - 1e-12


@pytest.mark.parametrize("least", [0, 3, 9])
def test_the_cost_of_right_cases_is_that_of_multiplying_polynomials(least):
    """Class by class, numbers of n log n bits; no more of them than the tail asks for."""
    truth, predicted = [5, 4, 3], [4, 5, 3]
    kept, products, bits = 11 - least + 1, 0, 12 * log(12)
    for own, so_far in [(5, 1), (5, 6), (4, 11)]:
        products += min(own, kept) * min(so_far, kept)
    assert hits_cost(truth, predicted, least) == pytest.approx(2 * products * bits, rel=1e-13)
    whole = hits_cost(truth, predicted) + 11 * 11 * bits  # and half of 11 by 11 sums
    assert hits_law_cost(truth, predicted) == pytest.approx(whole, rel=1e-13)
    assert hits_law_cost([5, 0], [3, 2]) == hits_law_cost([3, 2], [0, 5]) == 0


@pytest.mark.parametrize("n", [5, 30, 200])
def test_the_bound_of_all_letters_right_is_close(n):
    """All n of n: one way in n!."""
    exact = -lgamma(n + 1)
    assert exact - 1e-9 <= hits_bound([1] * n, [1] * n, n) <= exact + 0.1
    assert hits_bound([1] * n, [1] * n, n + 1) == -np.inf
    assert hits_bound([1] * n, [1] * n, 0) == 0


@pytest.mark.parametrize("least", [8, 12, 15, 18])
def test_the_bound_of_right_cases_is_close(least):
    truth, predicted = [10, 8, 4, 2], [6, 6, 6, 6]
    exact = Fraction(*ways_at_least(truth, predicted, least))
    exact = log(exact.numerator) - log(exact.denominator)
    assert exact - 1e-9 <= hits_bound(truth, predicted, least) <= exact + 4
    assert hits_bound(truth, predicted, 6 + 6 + 4 + 2 + 1) == -np.inf  # more than can be right


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("least", [400, 450, 600, 900])
def test_the_bound_of_large_classes_is_not_summed_term_by_term(least, monkeypatch):
    monkeypatch.setattr(class_hits, "LARGE", 50)
    truth, predicted = [500, 400, 100], [300, 350, 350]
    exact = Fraction(*ways_at_least(truth, predicted, least))
    exact = log(exact.numerator) - log(exact.denominator) if exact else -np.inf
    assert exact - 1e-9 <= hits_bound(truth, predicted, least) <= exact + 10


def test_the_bound_of_very_large_classes_is_quick():
    truth, predicted = [10**12, 3 * 10**14], [2 * 10**13, 281 * 10**12]
    assert hits_bound(truth, predicted, 281 * 10**12) < -1e9


@pytest.mark.parametrize(("model", "law"), CASES)
def test_tables_are_counted_as_they_are_listed(model, law):
    possible = sum(p > 0 for p in law.values())
    assert sum(len(tables) for tables, _ in model.blocks()) == possible
    if not isinstance(model, ClassHypergeometric | ClassMultivariateHypergeometric):
        assert model.n_tables == possible
    assert model.n_tables >= possible


def test_tables_with_given_margins_are_at_most_the_rows_but_one_in_every_way():
    """Two rows of 3 and 2 cases in three columns: C(5, 2) C(4, 2) ways, the largest row aside."""
    model = ClassHypergeometric(class_counts=(3, 9, 2), predicted_counts=(5, 5, 4))
    assert model.n_tables == 60


def test_matches_of_letters():
    """Montmort's derangements: 1, 0, 1, 2, 9, 44, 265 (OEIS A000166)."""
    for n, derangements in enumerate([1, 0, 1, 2, 9, 44, 265]):
        if n > 1:
            chance = hits_law([1] * n, [1] * n)[1][0]
            assert chance == pytest.approx(derangements / float(np.prod(range(1, n + 1))))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClassHypergeometric(class_counts=[1, 2], predicted_counts=[1, 1]), "sum to 3"),
        (lambda: ClassMultivariateHypergeometric(n=99, population=TABLE), "draw fewer"),
        (lambda: ClassMultinomial(n=5, cells=ClassTable([[0, 0], [0, 0]])), "above 0"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()

"""P-values of class tables given both margins, against all deals in exact fractions."""

from math import isnan

import numpy as np
import pytest
from scipy.stats import fisher_exact

from baserate import ClassTable, beats_chance, independence_test
from baserate.baselines import class_independence
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import CLASS_CATALOGUE, average, class_metric
from oracles import class_chance_twins as twins

TABLES = [
    [[3, 1, 0], [1, 2, 0], [0, 1, 1]],
    [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
    [[0, 3, 0], [1, 0, 2], [2, 0, 0]],
    [[2, 0, 0, 1], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 2]],
    [[3, 2], [1, 4]],
    [[4, 0, 0], [2, 0, 1], [0, 0, 0]],
]
METRICS = [
    *CLASS_CATALOGUE,
    class_metric("linear_kappa"),
    average("jaccard", "micro"),
    average("lift", "micro"),
    average("f1", "weighted", undefined="omit"),
    average("false_negative_rate"),
    average("false_positive_rate", "micro"),
]


def law_of(cells):
    table = np.array(cells)
    return twins.dealt(*(tuple(map(int, table.sum(axis))) for axis in (1, 0)))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_a_metric_is_as_good_in_so_many_deals(metric, cells):
    law, score = law_of(cells), metric(ClassTable(cells))
    found = beats_chance(ClassTable(cells), metric).p_at_margins[metric.name]
    if isnan(score):
        assert isnan(found.p_value)
        return
    sign = -1 if metric.direction == "lower" else 1
    values = np.atleast_1d(metric(ClassTable(np.array(list(law))))) * sign
    wanted = sum(
        p for value, p in zip(values, law.values(), strict=True) if value >= sign * score - 1e-12
    )
    assert found.route == "exact"
    assert found.p_value == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "cohen_kappa", "error_rate", "micro_jaccard"])
def test_what_right_cases_order_has_their_p_value(name):
    cells = np.full((10, 10), 2) + 6 * np.eye(10, dtype=int)
    for table in (ClassTable(cells), ClassTable(cells * 2), ClassTable([[30, 10], [5, 25]])):
        found = beats_chance(table, name)
        one = found.p_at_margins[name]
        assert (one.p_value, one.route) == (found.p_value, found.route)


@pytest.mark.parametrize("name", ["macro_f1", "linear_kappa", "macro_precision"])
def test_deals_agree_with_the_exact_law(name, monkeypatch):
    from baserate.baselines import class_significance

    table = ClassTable([[5, 3, 2], [2, 4, 1], [3, 2, 3]])
    metric = class_metric(name)
    exact = beats_chance(table, metric).p_at_margins[metric.name]
    monkeypatch.setattr(class_significance, "_TABLES", 0)
    dealt = beats_chance(table, metric).p_at_margins[metric.name]
    assert (exact.route, dealt.route) == ("exact", "permutation")
    assert 0 < dealt.error < 0.01
    assert abs(exact.p_value - dealt.p_value) < 4 * dealt.error
    assert dealt == beats_chance(table, metric).p_at_margins[metric.name]


def test_deals_have_the_margins_of_the_table():
    from baserate.baselines.class_significance import Deals

    deals = Deals((3, 0, 2, 4), (0, 5, 3, 1))
    seen = []

    def cells(tables):
        assert (tables.sum(2) == deals.truth).all()
        assert (tables.sum(1) == deals.predicted).all()
        seen.append(np.diagonal(tables, axis1=1, axis2=2))
        return np.zeros(len(tables), dtype=bool)

    def hits(right):
        seen.append(right)
        return np.ones(len(right), dtype=bool)

    never, always = deals.p_value(cells, cells=True), deals.p_value(hits, cells=False)
    assert (never.p_value, always.p_value) == (1 / 20_001, 1)
    assert np.array_equal(np.concatenate(seen[:-1]), seen[-1])
    means = np.array(deals.truth) * deals.predicted / 9
    assert seen[-1].mean(0) == pytest.approx(means, abs=0.03)


def test_what_has_no_p_value():
    table = ClassTable(np.eye(3, dtype=int))
    with pytest.raises(InvalidArgumentError, match="direction"):
        beats_chance(table, "utility([[0, 2, 0], [0, 1, 0], [0, 0, 1]])")
    for test in (independence_test, lambda t: beats_chance(t, "macro_f1")):
        with pytest.raises(UnsupportedError, match="weights"):
            test(ClassTable(np.eye(3) / 2))


@pytest.mark.parametrize("cells", TABLES)
def test_independence_adds_up_what_is_as_improbable(cells):
    law = law_of(cells)
    seen = law[tuple(map(tuple, cells))]
    wanted = sum(p for p in law.values() if p <= seen)
    found = independence_test(ClassTable(cells))
    assert found.route == "exact"
    assert float(found) == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("cells", [[[3, 1], [1, 3]], [[30, 10], [5, 25]], [[0, 7], [9, 2]]])
def test_two_classes_have_fishers_two_sided_test(cells):
    _, wanted = fisher_exact(cells)
    assert float(independence_test(ClassTable(cells))) == pytest.approx(wanted, rel=1e-10)


def square(cells):
    """Add rows or columns without cases, which say nothing."""
    cells = np.array(cells)
    size = max(cells.shape)
    return ClassTable(np.pad(cells, [(0, size - side) for side in cells.shape]))


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    ("cells", "wanted", "digits"),
    [
        # Satisfaction by income, Agresti (2002), p. 57: `fisher.test(Job)` in R.
        ([[1, 2, 1, 0], [3, 3, 6, 1], [10, 10, 14, 9], [6, 7, 12, 11]], 0.7827, 5e-5),
        # The sixth example of Mehta and Patel (1986): `fisher.test(MP6)` in R.
        (
            [
                [1, 2, 2, 1, 1, 0, 1],
                [2, 0, 0, 2, 3, 0, 0],
                [0, 1, 1, 1, 2, 7, 3],
                [1, 1, 2, 0, 0, 0, 1],
                [0, 1, 1, 1, 1, 0, 0],
            ],
            0.03929,
            5e-6,
        ),
        # Genotypes of parents, printed by `fisher.test(alleles)` in a course on population
        # genetics (University of Connecticut, EEB 348, 2006).
        ([[12, 17], [4, 25], [15, 4]], 2.957e-5, 5e-9),
    ],
)
def test_published_p_values(cells, wanted, digits):
    found = independence_test(square(cells))
    assert found.route == "exact"
    assert found.p_value == pytest.approx(wanted, abs=digits)


def test_independence_of_large_tables_is_dealt(monkeypatch):
    table = ClassTable([[5, 3, 2], [2, 4, 1], [3, 2, 3]])
    exact = independence_test(table)
    monkeypatch.setattr(class_independence, "BUDGET", 10)
    dealt = independence_test(table)
    assert (exact.route, dealt.route) == ("exact", "permutation")
    assert abs(exact.p_value - dealt.p_value) < 4 * dealt.error
    assert dealt == independence_test(table)


def test_near_products_of_factorials_are_told_apart():
    """Π 10! 6! = Π 10! 5! 3!, so equal products of other cells are a tie; 7! is not 6! 3!."""
    logs, prints, _ = class_independence._product(np.array([[6, 0, 0], [5, 3, 0], [7, 0, 0]]))
    assert prints[0] == prints[1] != prints[2]
    assert logs[0] == pytest.approx(logs[1])

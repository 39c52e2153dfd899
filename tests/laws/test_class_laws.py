"""Questions of several classes on every table there is: up to 6 cases of 3 classes, 4 of 4.

Expected values, tails and shares without a value, under fixed totals (all of them, but for the
order of classes) and of independent cases, beside sums of exact fractions.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from math import factorial, nan, prod

import pytest

import baserate as br
from baserate import ClassTable
from baserate.metrics import class_metric
from baserate.models import ClassHypergeometric, ClassMultinomial
from oracles import class_chance_twins as chance_twins
from oracles import class_twins

TWINS = {
    "accuracy": class_twins.accuracy,
    "balanced_accuracy": class_twins.balanced_accuracy,
    "matthews_correlation": class_twins.correlation,
    "cohen_kappa": class_twins.CLASS_TWINS["cohen_kappa"],
    "weighted_kappa(quadratic)": class_twins.CLASS_TWINS["weighted_kappa(quadratic)"],
    "macro_f1": class_twins.average("f1", "macro"),
    "weighted_precision.defined": class_twins.average("precision", "weighted", omit=True),
    "micro_jaccard": class_twins.average("jaccard", "micro"),
}
REFERENCES = {
    3: ((5, 1, 0), (2, 3, 1), (0, 1, 4)),
    4: ((3, 1, 0, 1), (0, 2, 1, 0), (1, 0, 4, 0), (0, 1, 0, 2)),
}
heavy = pytest.mark.slow
SIZES = [
    *((n, 3) for n in range(1, 6)),
    pytest.param(6, 3, marks=heavy),
    *((n, 4) for n in range(1, 4)),
    pytest.param(4, 4, marks=heavy),
]


@cache
def tables(n, k):
    return list(chance_twins.tables(n, k))


@cache
def by_margins(n, k):
    """Return for all totals, classes by size, the tables and how likely guessing makes each."""
    found = defaultdict(dict)
    for table in tables(n, k):
        truth, predicted = map(tuple, class_twins.margins(table))
        if truth == tuple(sorted(truth, reverse=True)):
            ways = factorial(n) * prod(factorial(c) for row in table for c in row)
            chance = Fraction(prod(map(factorial, truth + predicted)), ways)
            found[truth, predicted][table] = chance
    return found


@cache
def value(name, table):
    found = class_twins.value(TWINS[name], table)
    return nan if found is None else found


def answers_equal_sums(name, model, law):
    values = {table: value(name, table) for table in law}
    mean, defined = chance_twins.given_defined(values, law, Fraction)
    assert float(br.probability_defined(name, model)) == pytest.approx(defined, rel=1e-12)
    found = br.expect(name, model).value
    assert found == pytest.approx(mean, rel=1e-10, abs=1e-13, nan_ok=True)
    atoms = sorted({v for v in values.values() if v == v})  # noqa: PLR0124  no nan
    for x in {*atoms[:1], *atoms[len(atoms) // 2 :][:1], *atoms[-1:]}:
        above, _ = chance_twins.given_defined(values, law, lambda v, x=x: v > x + 1e-10)
        assert br.sf(name, model, x).value == pytest.approx(above, rel=1e-10, abs=1e-13)
        assert br.cdf(name, model, x).value == pytest.approx(1 - above, rel=1e-10, abs=1e-13)


@pytest.mark.sweep(20, start=10)
@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("name", TWINS)
def test_fixed_totals(name, n, k):
    for (truth, predicted), law in by_margins(n, k).items():
        assert sum(law.values()) == 1
        model = ClassHypergeometric(class_counts=truth, predicted_counts=predicted)
        answers_equal_sums(name, model, law)


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("name", TWINS)
def test_independent_cases(name, n, k):
    law = multinomial(n, k)
    assert sum(law.values()) == 1
    answers_equal_sums(name, ClassMultinomial(n=n, cells=ClassTable(REFERENCES[k])), law)


@cache
def multinomial(n, k):
    return {table: p for table, p in chance_twins.multinomial(n, REFERENCES[k]).items() if p}


def test_every_name_has_a_metric():
    assert [class_metric(name).name for name in TWINS] == [*TWINS]

"""Models of a group's table against exact integer weights: counts merged, given, drawn."""

from fractions import Fraction
from itertools import combinations
from math import exp, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models import (
    BinomialPair,
    DirichletMultinomial,
    GivenClasses,
    Hypergeometric,
    Multinomial,
    MultivariateHypergeometric,
    UniformTables,
)
from oracles import group_twins, law_twins
from quick import one_in

N = 6
HALF = Fraction(1, 2)
CHANCES = [(3, 1, 2, 5), (1, 0, 2, 4), (0, 0, 1, 3), (0, 2, 0, 1), (0, 0, 0, 2)]
PARAMETERS = [
    (HALF, HALF, HALF, HALF),
    (3 * HALF, 0, 2, Fraction(1, 4)),
    (0, 0, 1, 1),
    (40, 7, 300, 9),
    (0, 3, 0, 0),
]
POPULATIONS = [(9, 8, 7, 20), (2, 0, 3, 4), (0, 0, 5, 4), (1, 2, 1, 2), (0, 9, 0, 1)]
GROUPS = (
    [(Multinomial(n=N, cells=c), group_twins.multinomial(N, c)) for c in CHANCES]
    + [
        (
            DirichletMultinomial(n=N, concentration=tuple(map(float, c))),
            group_twins.dirichlet_multinomial(N, c),
        )
        for c in PARAMETERS
    ]
    + [
        (
            MultivariateHypergeometric(n=N, population=c),
            group_twins.multivariate_hypergeometric(N, c),
        )
        for c in POPULATIONS
    ]
)
GIVEN = [
    (GivenClasses(model, n_positive=p), group_twins.given_classes(law, p))
    for model, law in GROUPS
    for p in range(N + 1)
    if group_twins.given_classes(law, p)
]
OTHERS = [
    (UniformTables(n=4), law_twins.uniform(4)),
    (Hypergeometric(n_positive=3, n_negative=5, n_predicted=2), law_twins.hypergeometric(3, 5, 2)),
    (Hypergeometric(n_positive=2, n_negative=0, n_predicted=1), law_twins.hypergeometric(2, 0, 1)),
] + [
    (
        BinomialPair(n_positive=p, n_negative=q, recall=r, false_positive_rate=f),
        law_twins.binomial_pair(p, q, r, f),
    )
    for p, q in ((3, 4), (0, 3), (3, 0))
    for r, f in ((0.25, 0.5), (0.25, 0.25), (0.25, 0.75), (1, 1), (0, 0.5))
]
OTHERS += [
    (
        GivenClasses(UniformTables(n=4), n_positive=p),
        group_twins.given_classes(law_twins.uniform(4), p),
    )
    for p in (0, 2, 4)
]
EMPTY = [
    (Multinomial(n=0, cells=(1, 2, 3, 4)), {(0, 0, 0, 0): 1}),
    (DirichletMultinomial(n=0, concentration=(1, 2, 3, 4)), {(0, 0, 0, 0): 1}),
    (MultivariateHypergeometric(n=0, population=(1, 2, 3, 4)), {(0, 0, 0, 0): 1}),
]
LAWS = GROUPS + GIVEN + EMPTY
SETS = [frozenset(c) for size in range(5) for c in combinations(CELLS, size)]


def ids(pairs):
    return [str(model) for model, _ in pairs]


def pmf_of(factor):
    window = factor.window()
    return {window.start + i: w for i, w in enumerate(window.pmf.tolist())}


def same(factor, exact, about):
    """The window is the exact law, and so are support, variance and the probability of 0."""
    assert set(factor.window().values.tolist()) <= set(range(min(exact), max(exact) + 1)), about
    for value, share in exact.items():
        got = pmf_of(factor).get(value, 0)
        assert abs(got - share) <= 1e-13 * share + Fraction(1, 10**18), (about, value)
    assert factor.support == (min(exact), max(exact)), about
    mean = sum(v * w for v, w in exact.items())
    spread = sum((v - mean) ** 2 * w for v, w in exact.items())
    assert factor.variance == pytest.approx(float(spread), rel=1e-12), about
    assert factor.none == pytest.approx(float(exact.get(0, 0)), rel=1e-13), about


@pytest.mark.parametrize(("model", "law"), LAWS, ids=ids(LAWS))
def test_tables_mean_and_zero_cells_are_exact(model, law):
    mass = sum(law.values())
    assert model.n_tables == len(law)
    for i, mean in enumerate(model.mean):
        exact = Fraction(sum(w * t[i] for t, w in law.items()), mass)
        assert mean == pytest.approx(float(exact), rel=1e-14, abs=1e-300)
    for cells in SETS:
        zero = [w for t, w in law.items() if not any(t[CELLS.index(c)] for c in cells)]
        exact = Fraction(sum(zero), mass)
        assert model.probability_zero(cells) == pytest.approx(float(exact), rel=1e-13), cells
        assert model.possible_zero(cells) == bool(zero), cells


@pytest.mark.parametrize(("model", "law"), LAWS, ids=ids(LAWS))
def test_three_factors_multiply_to_the_law(model, law):
    mass, seen = sum(law.values()), 0
    for p, a in pmf_of(model.positives()).items():
        for tp, b in pmf_of(model.true_positives(p)).items():
            for fp, c in pmf_of(model.false_positives(model.n - p)).items():
                table = (tp, p - tp, fp, model.n - p - fp)
                assert a * b * c == pytest.approx(law.get(table, 0) / mass, rel=1e-12), table
                seen += table in law
    assert seen == len(law)


@pytest.mark.sweep(99, start=34)
@pytest.mark.parametrize(("model", "law"), LAWS + OTHERS, ids=ids(LAWS + OTHERS))
def test_sums_of_cells_have_their_exact_law(model, law):
    for cells in SETS:
        factor = model.total(cells)
        if factor is not None:
            same(factor, group_twins.total(law, cells), cells)
        else:
            assert not isinstance(model, Multinomial | DirichletMultinomial), cells
            assert not isinstance(model, MultivariateHypergeometric | UniformTables), cells


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize(("model", "law"), one_in(3, LAWS + OTHERS), ids=ids(LAWS + OTHERS))
def test_parts_of_sums_have_their_exact_law(model, law):
    for whole in SETS:
        sizes = group_twins.total(law, whole)
        for cells in (c for c in SETS if c <= whole):
            for size in range(model.n + 2):
                about = (sorted(cells), sorted(whole), size)
                if size in sizes:
                    factor = model.part(cells, whole, size)
                    assert factor is not None or model not in dict(GROUPS), about
                    if factor is not None:
                        same(factor, group_twins.part(law, cells, whole, size), about)
                elif sizes and min(sizes) <= size <= max(sizes):
                    continue
                elif model.total(whole) is not None:
                    with pytest.raises(InvalidArgumentError, match="size must"):
                        model.part(cells, whole, size)


def test_single_factors_are_known_where_they_should_be():
    """What a merge within one class, and equal rates, allow."""
    tp, flagged, right = (frozenset(c) for c in ({"tp"}, {"tp", "fp"}, {"tp", "tn"}))
    draw = Hypergeometric(n_positive=3, n_negative=5, n_predicted=4)
    assert None not in [draw.total(frozenset({c})) for c in CELLS]
    assert draw.part(tp, flagged, 4) == draw.total(tp)
    assert draw.total(right) is None
    assert draw.part(tp, right, 3) is None
    coins = BinomialPair(n_positive=3, n_negative=4, recall=0.25, false_positive_rate=0.25)
    assert coins.total(flagged) == coins.tower()
    assert coins.part(tp, flagged, 2) == Hypergeometric(
        n_positive=3, n_negative=4, n_predicted=2
    ).total(tp)
    skilled = BinomialPair(n_positive=3, n_negative=4, recall=0.75, false_positive_rate=0.25)
    assert skilled.total(flagged) is None
    assert skilled.part(tp, flagged, 2) is None
    assert skilled.total(right).n == 7
    given = GivenClasses(Multinomial(n=N, cells=CHANCES[0]), n_positive=2)
    assert given.total(flagged) is None
    assert given.total(tp) == given.true_positives(2)


COUNTS = st.tuples(*[st.integers(0, 9)] * 4).filter(any)


@given(st.integers(0, 40), st.integers(0, 40), COUNTS.filter(lambda c: c[0] + c[1] and c[2] + c[3]))
def test_a_multinomial_given_its_classes_is_a_binomial_pair(p, q, counts):
    tp, fn, fp, tn = counts
    model = GivenClasses(Multinomial(n=p + q, cells=counts), n_positive=p)
    recall, alarms = tp / (tp + fn), fp / (fp + tn)
    pair = BinomialPair(n_positive=p, n_negative=q, recall=recall, false_positive_rate=alarms)
    assert model.n_tables == pair.n_tables
    for name in CELLS:
        a, b = (pmf_of(m.total(frozenset({name}))) for m in (model, pair))
        assert a == pytest.approx(b, rel=1e-11, abs=1e-300)


def test_a_class_that_cannot_come_is_never_drawn():
    drawn = Multinomial(n=6, cells=(0, 0, 1, 3)).sample(50, 1)
    assert not drawn.n_positive.any()
    assert set(drawn.n_negative.tolist()) == {6}


def test_cells_may_be_a_table_and_are_normalised():
    table = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    model = Multinomial(n=20, cells=table)
    assert sum(model.cells) == pytest.approx(1, abs=1e-14)
    assert model == Multinomial(n=20.0, cells=(273, 170, 1043, 1692))
    assert hash(model) == hash(Multinomial(n=20, cells=[273, 170, 1043, 1692]))
    prior = DirichletMultinomial(n=20, concentration=table)
    assert prior.concentration == (273.0, 170.0, 1043.0, 1692.0)
    drawn = MultivariateHypergeometric(n=20, population=table)
    assert drawn.population == (273, 170, 1043, 1692)
    assert all(type(k) is int for k in drawn.population)


def test_the_law_of_a_rare_cell_keeps_its_digits():
    """1 - p is not taken from p: one miss in 10^9 leaves seven digits of it there."""
    n = 10**9
    model = Multinomial(n=n, cells=(10**9 - 1, 1, 0, 0))
    hits, misses = (model.total(frozenset({name})) for name in ("tp", "fn"))
    np.testing.assert_allclose(hits.window().pmf[::-1], misses.window().pmf, rtol=1e-12)
    assert misses.none == pytest.approx(exp(n * log1p(-1e-9)), rel=1e-14)
    assert hits.variance == pytest.approx(misses.variance, rel=1e-14)


LARGE = [
    Multinomial(n=10**5, cells=(273, 170, 1043, 1692)),
    Multinomial(n=10**12, cells=(1, 0, 10**6, 1)),
    DirichletMultinomial(n=10**5, concentration=(273.5, 170.5, 1043.5, 1692.5)),
    DirichletMultinomial(n=10**5, concentration=(0.5, 0, 0.5, 0.25)),
    DirichletMultinomial(n=50, concentration=(1e-100, 1e-100, 3, 1e100)),
    MultivariateHypergeometric(n=3000, population=(273, 170, 1043, 1692)),
    MultivariateHypergeometric(n=10**4, population=(10**12, 0, 3 * 10**12, 10**9)),
    GivenClasses(Multinomial(n=10**5, cells=(273, 170, 1043, 1692)), n_positive=70_000),
    GivenClasses(DirichletMultinomial(n=500, concentration=(1, 2, 3, 0.5)), n_positive=80),
    GivenClasses(
        MultivariateHypergeometric(n=2000, population=(273, 170, 1043, 1692)), n_positive=300
    ),
]


@pytest.mark.parametrize("model", LARGE, ids=str)
def test_samples_have_the_moments_of_every_cell(model):
    size = 4000
    tables = model.sample(size, 7)
    assert tables.shape == (size,)
    assert set(tables.n.tolist()) == {model.n}
    for name, drawn, mean in zip(CELLS, tables, model.mean, strict=True):
        law = model.total(frozenset({name}))
        sd = law.variance**0.5
        assert abs(np.mean(drawn) - mean) <= 5 * sd / np.sqrt(size) + 1e-9 * mean, name
        assert np.var(drawn) == pytest.approx(
            law.variance, rel=0.35, abs=5 * (mean / size) ** 0.5 + 1e-3
        )
        low, high = law.support
        assert low <= drawn.min() <= drawn.max() <= high
    assert model.sample(3, 7) == model.sample(3, 7)


@pytest.mark.parametrize(("model", "law"), [GROUPS[0], GROUPS[5], GROUPS[10]], ids=["m", "d", "h"])
def test_samples_reach_every_table_as_often_as_they_should(model, law):
    size, mass = 20_000, sum(law.values())
    cells = np.stack(list(model.sample(size, 3)))
    tables, seen = np.unique(cells, axis=1, return_counts=True)
    counted = dict(zip(map(tuple, tables.T.tolist()), seen.tolist(), strict=True))
    assert set(counted) <= set(law)
    expected = {t: size * w / mass for t, w in law.items()}
    chi_square = sum((counted.get(t, 0) - e) ** 2 / e for t, e in expected.items())
    free = len(law) - 1
    assert chi_square < free + 6 * (2 * free) ** 0.5 + sum(1 / e for e in expected.values()) ** 0.5


@pytest.mark.slow
def test_huge_draws_without_return_are_refused_where_they_take_too_long():
    model = MultivariateHypergeometric(n=10**12, population=(10**15, 10**15, 10**15, 10**15))
    with pytest.raises(UnsupportedError, match="draw fewer tables, or use Multinomial"):
        model.sample(1000, 1)


TABLE = ConfusionMatrix(tp=[1, 2], fn=3, fp=4, tn=5)
ERRORS = [
    (
        lambda: Multinomial(n=-1, cells=(1, 1, 1, 1)),
        "n must be a whole number of at least 0, got -1",
    ),
    (lambda: Multinomial(n=2**53, cells=(1, 1, 1, 1)), r"n must be below 2\^53"),
    (
        lambda: Multinomial(n=3, cells=(1, 1, 1)),
        r"cells must be four numbers.*got \(1, 1, 1\): pass a",
    ),
    (lambda: Multinomial(n=3, cells=(0, 0, 0, 0)), "cells must be four numbers .* not all 0"),
    (lambda: Multinomial(n=3, cells=(1, -1, 1, 1)), "cells must be four numbers"),
    (lambda: Multinomial(n=3, cells=(1, float("nan"), 1, 1)), "cells must be four numbers"),
    (lambda: Multinomial(n=3, cells=(1, 1e-101, 1, 1)), "between 1e-100 and 1e100"),
    (lambda: Multinomial(n=3, cells=TABLE), "cells must be .* pass a ConfusionMatrix of one table"),
    (lambda: Multinomial(n=3, cells=0.5), "cells must be four numbers"),
    (lambda: DirichletMultinomial(n=3, concentration=(1, 1, 1, "x")), "concentration must be four"),
    (lambda: DirichletMultinomial(n=1.5, concentration=(1, 1, 1, 1)), "n must be a whole number"),
    (
        lambda: MultivariateHypergeometric(n=3, population=(1, 1, 1.5, 1)),
        r"population\.fp must be a whole number of at least 0, got 1.5: pass a count",
    ),
    (
        lambda: MultivariateHypergeometric(n=11, population=(1, 2, 3, 4)),
        "n must be at most the number of cases in the population, 10, got 11: draw fewer, or use",
    ),
    (
        lambda: MultivariateHypergeometric(n=11, population=(2**52, 2**52, 0, 0)),
        r"population must be below 2\^53",
    ),
    (
        lambda: GivenClasses(
            Hypergeometric(n_positive=2, n_negative=2, n_predicted=1), n_positive=2
        ),
        r"parent must be a group model, .* got Hypergeometric\(",
    ),
    (
        lambda: GivenClasses(Multinomial(n=4, cells=(1, 1, 1, 1)), n_positive=5),
        "n_positive must lie between 0 and 4, .* got 5: condition on what can happen",
    ),
    (
        lambda: GivenClasses(Multinomial(n=4, cells=(0, 0, 1, 1)), n_positive=1),
        "n_positive must be 0, .* got 1",
    ),
    (
        lambda: GivenClasses(
            MultivariateHypergeometric(n=6, population=(2, 1, 3, 2)), n_positive=0
        ),
        "n_positive must lie between 1 and 3, .* got 0",
    ),
    (lambda: Multinomial(n=4, cells=(0, 0, 1, 1)).true_positives(1), "size must be 0, since these"),
    (
        lambda: MultivariateHypergeometric(n=4, population=(1, 2, 3, 4)).true_positives(4),
        "size must lie between 0 and 3, the cases of these cells in the population, got 4",
    ),
    (
        lambda: Multinomial(n=4, cells=(1, 1, 1, 1)).total(frozenset({"tp", "hits"})),
        r"cells must be among tp, fn, fp, tn, got \['hits', 'tp'\]",
    ),
    (
        lambda: Multinomial(n=4, cells=(1, 1, 1, 1)).part(
            frozenset({"tp"}), frozenset({"fn", "fp"}), 2
        ),
        r"cells must be among fn, fp, got \['tp'\]: name only those",
    ),
    (
        lambda: Multinomial(n=4, cells=(1, 1, 1, 1)).part(
            frozenset({"tp"}), frozenset({"tp"}), 1.5
        ),
        "size must be a whole number",
    ),
    (lambda: Multinomial(n=4, cells=(1, 1, 1, 1)).sample(2, "x"), "rng must be a seed"),
    (lambda: Multinomial(n=4, cells=(1, 1, 1, 1)).sample(-2, 1), "size must be a whole number"),
]


@pytest.mark.parametrize(("make", "message"), ERRORS)
def test_arguments_of_group_models_are_checked(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()

"""Models against their exact laws: means, zero cells, sampling, validation."""

from fractions import Fraction
from itertools import combinations
from math import isnan

import numpy as np
import pytest

from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models import BinomialPair, Hypergeometric, UniformTables
from baserate.models.factors import BinomialCount, HypergeometricCount
from oracles import law_twins

MODELS = [
    (
        Hypergeometric(n_positive=p, n_negative=m - p, n_predicted=k),
        law_twins.hypergeometric(p, m - p, k),
    )
    for m in range(6)
    for p in range(m + 1)
    for k in range(m + 1)
]
MODELS += [
    (
        BinomialPair(n_positive=p, n_negative=q, recall=r, false_positive_rate=f),
        law_twins.binomial_pair(p, q, r, f),
    )
    for p, q in [(0, 0), (0, 3), (3, 0), (2, 3), (1, 1)]
    for r in (0, 0.25, 1)
    for f in (0, 0.5, 1)
]
MODELS += [(UniformTables(n=n), law_twins.uniform(n)) for n in range(5)]
SETS = [frozenset(c) for size in range(5) for c in combinations(CELLS, size)]


@pytest.mark.sweep(141, start=129)
@pytest.mark.parametrize(("model", "law"), MODELS)
def test_mean_size_and_zero_cells_are_exact(model, law):
    assert model.n_tables == len(law)
    assert {sum(table) for table in law} == {model.n}
    for i, mean in enumerate(model.mean):
        assert mean == pytest.approx(float(sum(w * t[i] for t, w in law.items())), abs=1e-14)
    for cells in SETS:
        zero = [w for t, w in law.items() if not any(t[CELLS.index(c)] for c in cells)]
        assert model.probability_zero(cells) == pytest.approx(float(sum(zero)), rel=1e-13), cells
        assert model.possible_zero(cells) == bool(zero), cells


@pytest.mark.parametrize("model", [m for m, _ in MODELS if m.n == 5])
def test_factors_multiply_to_the_law(model):
    law = dict(MODELS)[model]
    for p, a in weighted(model.positives()):
        for tp, b in weighted(model.true_positives(p)):
            k = model.fixed_n_predicted
            columns = weighted(model.false_positives(model.n - p)) if k is None else [(k - tp, 1)]
            for fp, c in columns:
                table = (tp, p - tp, fp, model.n - p - fp)
                assert a * b * c == pytest.approx(float(law[table]), rel=1e-13)


def weighted(factor):
    window = factor.window()
    return [(window.start + i, w) for i, w in enumerate(window.pmf.tolist())]


def test_the_tower_mixes_draws_into_coins():
    coins = BinomialPair(n_positive=3, n_negative=4, recall=0.25, false_positive_rate=0.25)
    mixed = {}
    for k, weight in weighted(coins.tower()):
        for table, w in law_twins.hypergeometric(3, 4, k).items():
            mixed[table] = mixed.get(table, 0) + weight * float(w)
    exact = law_twins.binomial_pair(3, 4, 0.25, 0.25)
    assert mixed == pytest.approx({t: float(w) for t, w in exact.items()}, rel=1e-12)
    unequal = BinomialPair(n_positive=3, n_negative=4, recall=0.25, false_positive_rate=0.5)
    assert unequal.tower() is None


SAMPLED = [
    Hypergeometric(n_positive=30, n_negative=70, n_predicted=20),
    Hypergeometric(n_positive=10**9, n_negative=10**10, n_predicted=10**6),
    BinomialPair(n_positive=30, n_negative=70, recall=0.8, false_positive_rate=0.1),
    UniformTables(n=50),
]


@pytest.mark.parametrize("model", SAMPLED)
def test_samples_have_the_mean_and_the_margins(model):
    tables = model.sample(20_000, 7)
    assert tables.shape == (20_000,)
    assert set(np.unique(tables.n)) == {model.n}
    for cell, mean in zip(tables, model.mean, strict=True):
        error = np.std(cell) / np.sqrt(20_000)
        assert abs(np.mean(cell) - mean) < 5 * error
    assert model.sample(3, 7) == model.sample(3, 7)


def test_uniform_samples_reach_every_table_alike():
    tables = UniformTables(n=2).sample(10_000, 3)
    _, seen = np.unique(np.stack(list(tables)), axis=1, return_counts=True)
    assert len(seen) == 10
    assert abs(seen - 1000).max() < 5 * np.sqrt(900)


@pytest.mark.parametrize(
    ("n", "theta", "flagged"),
    [
        (10, 0.25, 3),
        (10, 0.05, 1),
        (10, Fraction(1, 20), 1),
        (10, 0.049, 0),
        (3, 0.5, 2),
        (10, 1, 10),
        (0, 0.5, 0),
    ],
)
def test_theta_rounds_half_up(n, theta, flagged):
    model = Hypergeometric(n_positive=n, n_negative=0, theta=theta)
    assert model.n_predicted == flagged
    assert isnan(model.theta) if n == 0 else model.theta == flagged / n


def test_equal_models_are_equal():
    a = Hypergeometric(n_positive=3, n_negative=7, theta=0.5)
    assert a == Hypergeometric(n_positive=np.int64(3), n_negative=7.0, n_predicted=5)
    assert hash(a) == hash(Hypergeometric(n_positive=3, n_negative=7, n_predicted=5))
    b = Hypergeometric(n_positive=np.int64(3), n_negative=7.0, n_predicted=5.0)
    assert {type(count) for count in (b.n_positive, b.n_negative, b.n_predicted)} == {int}


def test_a_part_of_nothing_is_nothing():
    assert UniformTables(n=5).part(frozenset(), frozenset(), 0).support == (0, 0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Hypergeometric(n_positive=-1, n_negative=2, n_predicted=0),
            "n_positive must be a whole",
        ),
        (
            lambda: Hypergeometric(n_positive=1.5, n_negative=2, n_predicted=0),
            "got 1.5: pass a count",
        ),
        (
            lambda: Hypergeometric(n_positive=1, n_negative=2, n_predicted=4),
            "at most the number of cases, 3, got 4",
        ),
        (
            lambda: Hypergeometric(n_positive=1, n_negative=2),
            "n_predicted, theta must be given alone",
        ),
        (lambda: Hypergeometric(n_positive=1, n_negative=2, n_predicted=1, theta=0.5), "drop one"),
        (
            lambda: Hypergeometric(n_positive=1, n_negative=2, theta=1.5),
            r"theta must lie in \[0, 1\], got 1.5",
        ),
        (
            lambda: BinomialPair(n_positive=1, n_negative=2, recall=1.2, false_positive_rate=0),
            "recall must lie",
        ),
        (
            lambda: BinomialPair(n_positive=1, n_negative="x", recall=1, false_positive_rate=0),
            "n_negative must be",
        ),
        (lambda: UniformTables(n=-3), "n must be a whole number of at least 0, got -3"),
        (
            lambda: BinomialPair(
                n_positive=2**52, n_negative=2**52, recall=0.5, false_positive_rate=0.5
            ),
            r"n_positive \+ n_negative must be below 2\^53, .* got 9007199254740992",
        ),
        (
            lambda: Hypergeometric(n_positive=2**53, n_negative=0, n_predicted=1),
            r"must be below 2\^53",
        ),
        (lambda: UniformTables(n=2**53), r"n must be below 2\^53"),
        (
            lambda: Hypergeometric(n_positive=1, n_negative=2, n_predicted=1).total({"tp", "hit"}),
            "cells must be",
        ),
        (lambda: UniformTables(n=3).sample(5, "x"), "rng must be a seed or .*, got 'x'"),
        (lambda: UniformTables(n=3).sample(5, -1), "rng must be a seed or .*, got -1"),
        (lambda: UniformTables(n=3).sample(-1, 0), "size must be a whole number"),
    ],
)
def test_arguments_are_checked(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()


def test_mean_at_a_trillion():
    model = Hypergeometric(n_positive=10**12, n_negative=3 * 10**12, n_predicted=10**12)
    assert model.mean == ConfusionMatrix(tp=2.5e11, fn=7.5e11, fp=7.5e11, tn=2.25e12)


def test_uniform_samples_of_a_billion_cases():
    """Every count has mean n / 4 and, as a share of n, variance 3/80 (Dirichlet(1, 1, 1, 1))."""
    n = 10**9
    tables = UniformTables(n=n).sample(20_000, 5)
    assert set(tables.n.tolist()) == {n}
    for cell in tables:
        share = np.asarray(cell) / n
        assert abs(share.mean() - 0.25) < 5 * np.sqrt(3 / 80 / 20_000)
        assert share.var() == pytest.approx(3 / 80, rel=0.05)
        assert share.min() >= 0


@pytest.mark.parametrize(
    "factor",
    [
        HypergeometricCount(10, 20, 7),
        HypergeometricCount(10**6, 10**6, 10**6),
        HypergeometricCount(60, 10**9, 10**8),
        BinomialCount(10**6, 0.3),
        BinomialCount(20, 0.3),
        UniformTables(n=9).positives(),
        UniformTables(n=9).true_positives(4),
        Hypergeometric(n_positive=3, n_negative=4, n_predicted=2).positives(),
    ],
    ids=str,
)
def test_nodes_are_counted_without_building_them(factor):
    assert factor.n_nodes() == len(factor.rules()[1].values)

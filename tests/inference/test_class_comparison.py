"""Two classifiers of several classes: yields exactly, metrics by draws, two classes as before."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import dirichlet

from baserate import ClassTable, errors, metrics
from baserate.inference import yield_posterior
from baserate.inference.class_comparison import compare_class_yields, compare_classes, even_prior
from baserate.inference.class_pairs import ClassPairs, paired_parts
from baserate.inference.paired import compare_paired
from baserate.inference.separate_samples import compare_separate

A = ClassTable([[45, 5, 0], [3, 44, 3], [0, 6, 44]])
B = ClassTable([[41, 7, 2], [9, 33, 8], [3, 6, 41]])
WORTH = np.array([[1.0, -1, -10], [0, 1, -10], [-1, 0, 1]])
DRAWS = 100_000
STANDARD = 4 * 0.5 / DRAWS**0.5


def sampled_pairs(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    a = np.where(rng.random(n) < 0.75, truth, rng.integers(n_classes, size=n))
    b = np.where(rng.random(n) < 0.8, a, rng.integers(n_classes, size=n))
    return ClassPairs.of_cases(truth, a, b, n_classes)


PAIRS = sampled_pairs(80, 3, 5)


def drawn_cells(pairs, seed):
    """Draw all K³ cells from the documented posterior, truth first, by other means."""
    k, rng = pairs.n_classes, np.random.default_rng(seed)
    t, a, b = np.indices((k, k, k))
    counts = np.zeros((k, k, k))
    counts[pairs.truth, pairs.a, pairs.b] = pairs.counts
    kinds = [
        (t == a) & (t == b),
        (t == a) & (t != b),
        (t == b) & (t != a),
        (t != a) & (t != b),
    ]
    prior = np.zeros((k, k, k))
    prior[kinds[0]] = 1 - 1 / k
    for kind in kinds[1:3]:
        prior[kind] = k / 4 / kind.sum()
    prior[kinds[3] & (a == b)] = k / 4 / (k * (k - 1))
    shares = dirichlet.rvs([counts[x].sum() + 0.5 for x in kinds], DRAWS, random_state=rng)
    cells = np.zeros((DRAWS, k, k, k))
    for i, kind in enumerate(kinds):
        at = kind & (counts + prior > 0)
        shape = (counts + prior)[at]
        cells[:, at] = shares[:, [i]] * dirichlet.rvs(shape, DRAWS, random_state=rng)
    return cells


def macro_f1(cells):
    hits = np.diagonal(cells, axis1=1, axis2=2)
    return (2 * hits / (cells.sum(1) + cells.sum(2))).mean(1)


def check(found, gaps):
    low, high = np.quantile(gaps, [0.025, 0.975])
    assert abs(found.higher - (gaps > 0).mean()) < STANDARD + 3 * found.error
    slack = (0.01 if found.route != "simulation" else 0.05) * (high - low)
    assert abs(found.low - low) < slack
    assert abs(found.high - high) < slack


def test_yields_on_separate_cases_agree_with_draws():
    found = compare_class_yields(WORTH, A, B)
    prior = np.where(np.eye(3) == 1, 1 / 6, 1 / 12)
    yields = [
        dirichlet.rvs((x.counts.T + prior).ravel(), DRAWS, random_state=i) @ WORTH.ravel()
        for i, x in enumerate((A, B))
    ]
    check(found, yields[0] - yields[1])
    assert found.value_a == pytest.approx((WORTH * A.counts.T).sum() / 150, rel=1e-14)


def test_yields_of_fewer_decisions_than_classes():
    worth = np.array([[3.0, -1, 0], [0, 1, 2]])
    a, b = np.array([[20, 3, 4], [2, 9, 15]]), np.array([[15, 6, 9], [7, 6, 10]])
    found = compare_class_yields(worth, a, b)
    yields = [
        dirichlet.rvs((x + 1 / 6).ravel(), DRAWS, random_state=i) @ worth.ravel()
        for i, x in enumerate((a, b))
    ]
    check(found, yields[0] - yields[1])


def test_yields_on_the_same_cases_agree_with_draws_of_every_cell():
    found = compare_class_yields(WORTH, PAIRS)
    k = np.indices((3, 3, 3))
    gain = WORTH[k[1], k[0]] - WORTH[k[2], k[0]]
    t, a, b = k
    counts = np.zeros((3, 3, 3))
    counts[PAIRS.truth, PAIRS.a, PAIRS.b] = PAIRS.counts
    prior = np.zeros((3, 3, 3))
    for kind in ((t == a) & (t == b), (t == a) & (t != b), (t == b) & (t != a)):
        prior[kind] = 0.5 / kind.sum()
    same = (t != a) & (a == b)
    prior[same] = 0.5 / same.sum()
    at = counts + prior > 0
    gaps = dirichlet.rvs((counts + prior)[at], DRAWS, random_state=4) @ gain[at]
    assert found.route == "exact"
    check(found, gaps)


def test_metrics_on_the_same_cases_agree_with_another_sampler():
    found = compare_classes("macro_f1", PAIRS)["macro_f1"]
    cells = drawn_cells(PAIRS, 9)
    assert found.route == "simulation"
    check(found, macro_f1(cells.sum(3)) - macro_f1(cells.sum(2)))


def test_a_metric_of_all_cells_is_compared_too():
    def of_cells(cells):
        hits = np.diagonal(cells, axis1=-2, axis2=-1)
        return (2 * hits / (cells.sum(-1) + cells.sum(-2))).mean(-1)

    dense = metrics.ClassMetric(name="dense", definition="", meaning="", of_cells=of_cells)
    for sides in ((PAIRS,), (A, B)):
        found = compare_classes([dense, "macro_f1"], *sides)
        assert found["dense"].low == pytest.approx(found["macro_f1"].low, abs=1e-12)
        assert found["dense"].difference == pytest.approx(found["macro_f1"].difference, abs=1e-12)


def test_accuracy_is_one_exact_law():
    found = compare_classes("accuracy", A, B)["accuracy"]
    four = [
        ClassTable([[int(x.hits.sum()), 0], [150 - int(x.hits.sum()), 0]]).one_vs_rest(0)
        for x in (A, B)
    ]
    known = compare_separate("accuracy", *four)
    assert found.better == pytest.approx(known.better, rel=1e-9)
    assert found.low == pytest.approx(known.low, rel=1e-9)


def test_yields_of_two_classes_on_the_same_cases_are_those_of_the_utility_metric():
    pairs = sampled_pairs(60, 2, 3)
    joint = np.zeros((2, 2, 2))
    joint[pairs.a, pairs.b, pairs.truth] = pairs.counts
    worth = np.array([[15.0, -335], [-35, 165]])
    known = compare_paired(metrics.utility(worth), joint)
    assert compare_class_yields(worth, pairs).better == pytest.approx(known.better, abs=1e-12)


def test_three_classes_compared_leave_either_what_it_has_alone():
    # Only A right 4, only B right 9, of 60: Jeffreys' law of that share, and of either accuracy.
    truth = [0, 1, 2] * 20
    a, b = np.array(truth), np.array(truth)
    a[:9], b[9:13] = (a[:9] + 1) % 3, (b[9:13] + 1) % 3
    pairs = ClassPairs.of_cases(truth, a, b, 3)
    known = stats.beta(4.5, 9.5).sf(0.5)
    as_yield = compare_class_yields(np.eye(3), pairs)
    for found in (compare_classes("accuracy", pairs)["accuracy"], as_yield):
        assert found.better == pytest.approx(known, rel=1e-9)
    parts = list(paired_parts(pairs, 20_000, np.random.default_rng(1), mass=1.5))
    for side, hits in ((0, 51), (1, 56)):
        drawn = np.concatenate([part.margins[side].hits.sum(axis=1) for part in parts]) / 60
        alone = stats.beta(hits + 0.5, 60 - hits + 0.5).ppf([0.025, 0.5, 0.975])
        np.testing.assert_allclose(np.quantile(drawn, [0.025, 0.5, 0.975]), alone, atol=0.004)


def test_the_yield_of_a_class_table_is_that_of_its_decisions():
    law = yield_posterior(A, WORTH, prior=even_prior(3, 3))
    known = yield_posterior(A.counts.T, WORTH, prior=even_prior(3, 3))
    assert law.mean == known.mean
    assert even_prior(3, 3).sum() == pytest.approx(1)
    assert even_prior(2, 3).sum() == pytest.approx(1)


def test_a_lacking_class_leaves_no_comparison():
    lacking = ClassTable([[9, 1, 0], [2, 8, 0], [0, 0, 0]])
    found = compare_classes(["macro_f1", "accuracy"], lacking, B)
    assert found["macro_f1"].route == "undefined"
    assert np.isnan(found["macro_f1"].better)
    assert 0 < found["accuracy"].better < 1


def test_a_thousand_classes_are_compared_where_they_hold_cases():
    pairs = sampled_pairs(3000, 400, 1)
    found = compare_classes(["macro_f1.defined", "cohen_kappa"], pairs, n_draws=200)
    assert all(0 <= one.better <= 1 for one in found.values())


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: compare_classes("accuracy", A, ClassTable([[1, 2], [3, 4]])), "classes of a"),
        (lambda: compare_class_yields([[1, 2]], PAIRS), "utilities"),
        (lambda: compare_class_yields(WORTH, A, [[1, 2]]), "shape of the utilities"),
        (lambda: compare_class_yields([[np.nan]], A, B), "finite"),
        (lambda: ClassPairs.of_cases([0, 3], [0, 1], [0, 1], 3), "places from 0 to 2"),
        (lambda: ClassPairs.of_cases([0], [0, 1], [0, 1], 3), "equal length"),
    ],
)
def test_what_does_not_fit_is_refused(call, match):
    with pytest.raises(errors.BaserateError, match=match):
        call()

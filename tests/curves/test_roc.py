"""ROC points, hulls, and precision at prescribed base rates."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn import metrics as peer

from baserate import metrics
from baserate.curves import roc, sweep
from baserate.curves.dominance import _chain, convex_hull, upper_hull
from baserate.errors import InvalidArgumentError

BOTH = st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=40).filter(
    lambda cases: len({y for y, _ in cases}) == 2
)


class Shifted:
    """Two normal classes of equal spread, a distance of 1 apart, in closed form."""

    def _cut(self, ratio):
        with np.errstate(divide="ignore"):
            return np.log(ratio) + 0.5

    def recall(self, ratio):
        return norm.sf(self._cut(ratio) - 1)

    def miss_rate(self, ratio):
        return norm.cdf(self._cut(ratio) - 1)

    def false_positive_rate(self, ratio):
        return norm.sf(self._cut(ratio))

    def specificity(self, ratio):
        return norm.cdf(self._cut(ratio))


def random_sweep(seed, *, weighted=False, n=300):
    rng = np.random.default_rng(seed)
    y = np.append(rng.random(n) < 0.3, [True, False])
    weights = rng.random(n + 2) if weighted else None
    return sweep(y, y + rng.normal(size=n + 2).round(1), sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_points_are_those_of_scikit_learn(weighted):
    rng = np.random.default_rng(4)
    y, scores = rng.random(200) < 0.4, rng.integers(0, 50, 200)
    weights = rng.random(200) if weighted else None
    fpr, recall, at = roc.roc_curve(sweep(y, scores, sample_weight=weights))
    theirs = peer.roc_curve(y, scores, sample_weight=weights, drop_intermediate=False)
    for ours, expected in zip((fpr, recall, at), theirs, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)


def on_or_below(point, first, last):
    """Whether a point lies on or below the chord of two others, in whole numbers."""
    (x, y), (x0, y0), (x1, y1) = point, first, last
    return (x1 - x0) * (y - y0) <= (y1 - y0) * (x - x0)


@pytest.mark.slow
@given(BOTH)
def test_vertices_are_the_points_above_every_chord(cases):
    truth, scores = zip(*cases, strict=True)
    s = sweep(truth, scores)
    path = list(zip(s.tables.fp.tolist(), s.tables.tp.tolist(), strict=True))
    last = len(path) - 1
    vertices = [
        i
        for i, point in enumerate(path)
        if i in {0, last}
        or not any(on_or_below(point, a, b) for a in path[:i] for b in path[i + 1 :])
    ]
    assert convex_hull(s).tolist() == vertices
    assert _chain(*zip(*path, strict=True)) == vertices


def test_hull_of_a_long_curve_is_the_isotonic_regression():
    from scipy.optimize import isotonic_regression

    rng = np.random.default_rng(8)
    y = rng.random(100_000) < 0.3
    s = sweep(y, y * 0.5 + rng.normal(size=len(y)))
    blocks = isotonic_regression(np.diff(s.tables.tp).astype(float), increasing=False).blocks
    assert convex_hull(s).tolist() == blocks.tolist()


def test_hull_distinguishes_slopes_that_floats_merge():
    m = 3 * 10**7
    x = np.array([0, m, 2 * m + 1], dtype=float)
    up = np.array([0, m - 1, 2 * m - 1], dtype=float)  # slopes 1 - 1/m and 1 - 1/(m + 1)
    assert Fraction(m - 1, m) < Fraction(m, m + 1)
    assert upper_hull(x, up).tolist() == [0, 2]
    down = np.array([0, m, 2 * m], dtype=float)  # slopes 1 and m/(m + 1)
    assert upper_hull(x, down).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["accuracy", "f1", "jaccard", "informedness", "cohen_kappa"])
@pytest.mark.parametrize("seed", range(5))
def test_a_vertex_is_a_best_cut_point(name, seed):
    s = random_sweep(seed, n=60)
    values = metrics.get(name)(s.tables)
    assert np.nanmax(values[convex_hull(s)]) == pytest.approx(np.nanmax(values), abs=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_at_other_base_rates_is_the_metric_there(weighted):
    s = random_sweep(2, weighted=weighted)
    rates = [0.5, 0.01, s.base_rate]
    found = roc.precision_recall(s, base_rate=rates)
    assert found.precision.shape == (3, len(s.thresholds))
    for row, pi in enumerate(rates):
        expected = metrics.precision.at_base_rate(pi)(s.tables)
        np.testing.assert_allclose(found.precision[row], expected, rtol=1e-12)
        wrong = metrics.get("fdr").at_base_rate(pi)(s.tables)
        np.testing.assert_allclose(found.false_discovery_rate[row], wrong, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.recall, metrics.recall(s.tables), rtol=1e-13)
    own = roc.precision_recall(s)
    np.testing.assert_allclose(own.precision[0], metrics.precision(s.tables), rtol=1e-12)


def test_precision_of_a_population_keeps_its_small_numbers():
    found = roc.precision_recall(Shifted(), base_rate=[0.5, 1e-9], ratio=[inf, 100, 1, 0])
    assert np.isnan(found.precision[:, 0]).all()
    assert found.precision[:, -1].tolist() == pytest.approx([0.5, 1e-9], rel=1e-14)
    recall, fpr = norm.sf(-0.5), norm.sf(0.5)
    assert found.precision[0, 2] == pytest.approx(recall / (recall + fpr), rel=1e-14)
    rare = 1e-9 * recall / (1e-9 * recall + (1 - 1e-9) * fpr)
    assert found.precision[1, 2] == pytest.approx(rare, rel=1e-12)
    assert found.at.tolist() == [inf, 100, 1, 0]


def test_a_population_is_drawn_from_corner_to_corner():
    fpr, recall, ratios = roc.roc_curve(Shifted())
    assert (fpr[0], recall[0], fpr[-1], recall[-1]) == (0, 0, 1, 1)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(recall) >= 0).all()
    slope = np.diff(recall) / np.where(np.diff(fpr) > 0, np.diff(fpr), np.nan)
    between = (slope <= ratios[:-1] * (1 + 1e-6)) & (slope >= ratios[1:] * (1 - 1e-6))
    middle = (ratios[1:] > 1e-3) & (ratios[:-1] < 1e3)
    assert between[middle].all()  # the slope of a ROC curve is the density ratio


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: roc.roc_curve(s, ratio=[1]), "ratio is for populations"),
        (
            lambda s: roc.roc_curve([1, 2]),
            "y_true must be a sweep or a population if alone, got 'list'",
        ),
        (lambda s: roc.roc_curve(Shifted(), ratio=[1, 2]), "ratio must fall"),
        (lambda s: roc.precision_recall(Shifted()), "base_rate must be given for a population"),
        (lambda s: roc.precision_recall(s, base_rate=[0.5, 1.5]), r"base_rate must lie in \[0, 1]"),
        (lambda s: roc.roc_curve(sweep([1, 1], [1, 2])), "must hold both classes, got 'no neg"),
        (lambda s: convex_hull(sweep([0, 0], [1, 2])), "must hold both classes, got 'no pos"),
        (lambda s: convex_hull("s"), "sweep must be a Sweep, got 's'"),
    ],
)
def test_refused_curves(ask, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ask(random_sweep(0))

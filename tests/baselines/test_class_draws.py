"""Best blind draws of many classes: shares of concave curves, against slow and plain ways."""

from math import isnan

import numpy as np
import pytest
from scipy.stats import hypergeom

from baserate import ConfusionMatrix
from baserate.baselines import class_draws, dutch_draw_multiclass
from baserate.baselines.class_draws import (
    Gains,
    _concave,
    _largest_gains,
    _programme,
    best_draw,
    share_out,
)
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import average, class_metric, class_utility


def best_of_all(curves, n):
    """Return the best sum of curves by trying every share, class by class."""
    best = {0: 0}
    for low, values in curves:
        found = {}
        for used, sum_ in best.items():
            for k, value in enumerate(values, low):
                if used + k <= n:
                    found[used + k] = max(found.get(used + k, -np.inf), sum_ + value)
        best = found
    return best.get(n)


@pytest.mark.parametrize("seed", range(40))
def test_shares_of_concave_curves_are_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    curves = []
    for _ in range(rng.integers(1, 5)):
        gains = np.sort(rng.integers(-3, 6, rng.integers(0, 60)))[::-1]
        curves.append((int(rng.integers(0, 3)), np.append(0, np.cumsum(gains)).astype(float)))
    kinds = {
        i: Gains(lambda k, v=v, low=low: v[k - low], low, low + len(v) - 1)
        for i, (low, v) in enumerate(curves)
    }
    counts = [*rng.permutation(len(curves)), *rng.integers(0, len(curves), 2)]
    n = int(rng.integers(0, sum(len(curves[c][1]) for c in counts) + 4))
    wanted, found = best_of_all([curves[c] for c in counts], n), share_out(kinds, counts, n)
    if wanted is None:
        assert found is None
        return
    assert found is not None
    assert sum(found) == n
    value = sum(curves[c][1][k - curves[c][0]] for c, k in zip(counts, found, strict=True))
    assert value == wanted


def test_ends_are_kept():
    def kinds():
        return {1: Gains(np.sqrt, 0, 7), 2: Gains(np.sqrt, 2, 40)}

    assert share_out(kinds(), [1, 2, 2], 87) == (7, 40, 40)
    assert share_out(kinds(), [1, 2, 2], 4) == (0, 2, 2)
    assert share_out(kinds(), [1, 2, 2], 88) is None
    assert share_out(kinds(), [1, 2, 2], 3) is None


def test_few_points_of_long_curves_are_looked_at():
    looked = []

    def root(scale):
        def value(k):
            looked.append(len(k))
            return scale * np.sqrt(k)

        return value

    n = 10**7
    kinds = {c: Gains(root(c), 0, n) for c in (1, 2, 3)}
    found = share_out(kinds, [3, 1, 2], n)
    assert found is not None
    assert np.abs(np.array(found) - n * np.array([9, 1, 4]) / 14).max() < 2
    assert sum(looked) < 3_000


def mean(name, p, n, k):
    tp = np.arange(min(p, k) + 1)
    value = {
        "jaccard": lambda: tp / (p + k - tp),
        "geometric_mean": lambda: np.sqrt(tp / p * np.maximum(0, n - p - k + tp) / (n - p)),
    }[name]()
    return hypergeom.pmf(tp, n, p, k) @ value


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["macro", "weighted"])
@pytest.mark.parametrize("name", ["jaccard", "geometric_mean"])
@pytest.mark.parametrize(
    "counts", [(700, 300, 200, 100, 50, 20, 10), (1800, 1700, 15), (40, 41, 42) * 60]
)
def test_no_case_is_better_off_in_another_class(name, kind, counts):
    n = sum(counts)
    best = dutch_draw_multiclass(f"{kind}_{name}", counts)
    weights = {p: p / n if kind == "weighted" else 1 / len(counts) for p in counts}
    shares = {*zip(counts, map(int, best.guess), strict=True)}
    at = {(p, k): weights[p] * mean(name, p, n, k) for p, k in shares}
    more = [weights[p] * mean(name, p, n, k + 1) - at[p, k] for p, k in shares if k < n]
    less = [at[p, k] - weights[p] * mean(name, p, n, k - 1) for p, k in shares if k]
    assert sum(best.guess) == n
    assert max(more) <= min(less) + 1e-14
    every = sum(at[p, int(k)] for p, k in zip(counts, best.guess, strict=True))
    assert best.value == pytest.approx(every, rel=1e-11)


def test_classes_without_cases_need_one_each_or_none():
    assert best_draw(class_metric("macro_jaccard"), [30, 10, 0, 0])[1][2:] == (1, 1)
    assert isnan(best_draw(class_metric("macro_jaccard"), [1, 0, 0])[0])
    assert best_draw(class_metric("weighted_jaccard"), [30, 10, 0, 0])[1][2:] == (0, 0)
    assert isnan(best_draw(class_metric("macro_geometric_mean"), [30, 10, 0])[0])
    omitted = average("geometric_mean", undefined="omit")
    absent, present = (best_draw(omitted, counts)[0] for counts in ([30, 10, 0], [30, 10]))
    assert absent == pytest.approx(present, rel=1e-13)


def test_thousands_of_class_sizes_are_refused():
    with pytest.raises(UnsupportedError, match="1,002 curves"):
        dutch_draw_multiclass("macro_jaccard", range(1, 1003))


def curves_by_enumeration(part, counts):
    """The mean of one class's metric for each number put into it, from SciPy's probabilities."""
    n, known = sum(counts), {}
    for p in set(counts):
        means = []
        for k in range(n + 1):
            tp = np.arange(max(0, k - (n - p)), min(p, k) + 1)
            table = ConfusionMatrix(tp=tp, fn=p - tp, fp=k - tp, tn=n - p - (k - tp))
            means.append(float(hypergeom.pmf(tp, n, p, k) @ part(table)))
        known[p] = np.array(means)
    return [known[p] for p in counts]


@pytest.mark.sweep(10, start=3)
@pytest.mark.parametrize("name", ["fowlkes_mallows", "jaccard", "f1", "precision", "recall"])
@pytest.mark.parametrize("counts", [(20, 31, 9), (3, 40, 5, 12)], ids=str)
def test_the_best_share_of_many_cases_is_that_of_every_curve_together(name, counts):
    metric, n = average(name, "macro"), sum(counts)
    value, draw = best_draw(metric, counts)
    curves = curves_by_enumeration(metric.part, counts)
    lows = [int(np.flatnonzero(~np.isnan(curve))[0]) for curve in curves]
    wanted = best_of_all(
        [(low, curve[low:]) for low, curve in zip(lows, curves, strict=True)], n
    ) / len(counts)
    assert value == pytest.approx(wanted, rel=1e-11)
    own = sum(curve[k] for curve, k in zip(curves, draw, strict=True)) / len(counts)
    assert (sum(draw), own) == (n, pytest.approx(wanted, rel=1e-11))


def test_what_has_no_better_end_has_no_best_draw():
    shrug = class_utility([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    with pytest.raises(InvalidArgumentError, match="must have a direction"):
        best_draw(shrug, (1, 2, 3))
    assert best_draw(average("f1", "macro"), (0, 0, 0))[1] == ()
    assert isnan(best_draw(average("f1", "macro"), (0, 0, 0))[0])


def test_what_takes_too_long_is_refused(monkeypatch):
    for limit, name, words in [
        ("_CURVES", "fowlkes_mallows", r"takes [\d,]+ tables, more than 1"),
        ("_KINDS", "jaccard", "takes a look at 3 curves, more than 1"),
    ]:
        monkeypatch.setattr(class_draws, limit, 1)
        with pytest.raises(UnsupportedError, match=words):
            best_draw(average(name, "macro"), (3, 5, 4))


@pytest.mark.parametrize("seed", range(6))
def test_shares_of_any_curves_are_the_best_of_all(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, lows = int(rng.integers(4, 12)), rng.integers(0, 3, 3).tolist()
    curves = rng.integers(-5, 6, (3, n + 1)).astype(float)
    for curve, low in zip(curves, lows, strict=True):
        curve[:low] = np.nan
    metric = average("f1", "macro")
    found = _programme(metric, list(curves), n)
    wanted = best_of_all([(low, c[low:]) for low, c in zip(lows, curves, strict=True)], n)
    if found is None:
        assert wanted is None
    else:
        assert (sum(found), sum(c[k] for c, k in zip(curves, found, strict=True))) == (n, wanted)
    monkeypatch.setattr(class_draws, "_PROGRAMME", 3 * (n + 1) ** 2 - 1)
    with pytest.raises(UnsupportedError, match=f"not concave, takes {3 * (n + 1) ** 2} steps"):
        _programme(metric, list(curves), n)


def test_curves_alike_but_for_rounding_are_filled_at_once():
    """A class that is never true and one that is never called left all cases to be put singly."""
    looked = []

    def level(k):
        looked.append(len(k))
        return 0.25 + (k % 3) * np.spacing(0.25)

    n = 10**6
    found = share_out({5: Gains(level, 1, n), 0: Gains(lambda k: 0.0 * k, 1, n)}, [5, 0, 5], n)
    assert found is not None
    assert sum(found) == n
    assert min(found) >= 1
    assert sum(looked) < 3_000


def test_a_class_only_true_and_one_only_called_have_a_best_draw():
    truth = (54_000, 54_500, 53_500, 0)
    value, draw = best_draw(average("precision", "macro"), truth)
    assert sum(draw) == sum(truth)
    assert min(draw) >= 1
    assert value == pytest.approx(1 / 4, rel=1e-12)  # each class is right at its share of cases


def test_no_share_where_every_class_needs_more_than_there_is():
    nan = np.nan
    assert _programme(average("f1", "macro"), [np.array([nan, nan, 1.0])] * 2, 2) is None


def test_gains_are_taken_one_by_one_until_all_cases_are_put():
    nan = np.nan
    assert _largest_gains([np.array([0.0, 3, 4, 4]), np.array([nan, 1, 3, 4])], 3) == (1, 2)
    assert _largest_gains([np.array([nan, nan, 1]), np.array([nan, 1, 3])], 2) is None
    assert _largest_gains([np.array([0.0, 1, nan]), np.array([0, 1, nan])], 2) == (1, 1)
    assert _largest_gains([np.array([0.0, 1, nan, nan]), np.array([0, 1, nan, nan])], 3) is None
    assert _concave(np.array([nan, 0, 2, 3, nan]))
    assert not _concave(np.array([0, nan, 2, 3]))
    assert not _concave(np.array([0, 1, 3.0]))

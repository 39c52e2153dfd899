"""Scores are sorted together with their amounts, whatever their type and wherever they lie."""

import numpy as np
import pytest

from baserate.curves import sweep
from baserate.curves._merge import FEW, count_cases, sort_together, sum_weights

N = 5 * FEW
RNG = np.random.default_rng(20_261_122)
UNIFORM = RNG.random(N)
LAWS = {
    "uniform": UNIFORM,
    "single": UNIFORM.astype(np.float32),
    "normal": RNG.normal(size=N),
    "all magnitudes": RNG.choice([-1, 1], N) * 10.0 ** RNG.uniform(-320, 308, N),
    "an outlier": np.append(UNIFORM[1:], 1e300),
    "infinities": np.concatenate([RNG.normal(size=N - 2), [np.inf, -np.inf]]),
    "zeros of either sign": np.where(UNIFORM < 0.5, 0.0, -0.0) * RNG.choice([0, 1], N),
    "tied": np.round(UNIFORM, 2),
    "one value": np.full(N, 0.25),
    "a crowd between few": np.where(UNIFORM < 0.9, 1 + 1e-13 * UNIFORM, 9 * UNIFORM),
    "whole": RNG.integers(-(2**63), 2**63 - 1, N),
    "unsigned": RNG.integers(0, 2**64 - 1, N, dtype=np.uint64),
    "narrow": RNG.integers(-128, 127, N).astype(np.int8),
    "extended": UNIFORM.astype(np.longdouble),
}


@pytest.mark.parametrize("law", LAWS)
def test_pairs_stay_together(law):
    scores = LAWS[law]
    ascending, amounts = sort_together(scores, np.arange(1.0, N + 1))
    assert np.array_equal(ascending, np.sort(scores))
    assert np.array_equal(np.sort(amounts), np.arange(1.0, N + 1))
    assert np.array_equal(scores[amounts.astype(int) - 1], ascending)


@pytest.mark.parametrize("law", LAWS)
def test_whole_weights_are_summed_as_repeated_cases_are_counted(law):
    scores, weights = LAWS[law], RNG.integers(1, 4, N)
    positive = RNG.random(N) < 0.3
    sums, squares = sum_weights(scores, positive, weights.astype(float))
    for found, times in ((sums, weights), (squares, weights**2)):
        expected = count_cases(np.repeat(scores, times), np.repeat(positive, times))
        for ours, theirs in zip(found, expected, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("ties", [None, 50])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_in_order_count_as_any_others(ties, weighted):
    y = RNG.random(N) < 0.3
    scores = UNIFORM if ties is None else np.floor(UNIFORM * ties)
    weights = RNG.integers(1, 9, N) if weighted else np.ones(N)
    expected = sweep(y, scores, sample_weight=weights if weighted else None)
    for order in (np.argsort(scores), np.argsort(-scores)):
        given = weights[order] if weighted else None
        found = sweep(y[order], scores[order], sample_weight=given)
        assert np.array_equal(found.thresholds, expected.thresholds)
        assert found.tables.to_dict() == expected.tables.to_dict()
        if weighted:
            for ours, theirs in zip(found.squared_weights, expected.squared_weights, strict=True):
                assert np.array_equal(ours, theirs)


def test_almost_sorted_is_not_sorted():
    scores = np.arange(N, dtype=float)
    scores[-1] = 0.5
    found = sweep(np.arange(N) % 2, scores)
    assert np.array_equal(found.thresholds[1:], np.sort(scores)[::-1])

"""Cells beyond their margins: the law by Python's own integers, its level, and what is refused."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import baserate as br
from baserate.errors import BaserateError


def law(sizes, row, column, total):
    """Return the law of the first of four cells, given the hits of its row, column and all."""
    n, beside, below, across = sizes
    weights = {}
    for a in range(n + 1):
        others = (row - a, column - a, total - row - column + a)
        if all(x >= 0 for x in others):
            ways = (comb(m, x) for m, x in zip((beside, below, across), others, strict=True))
            weights[a] = comb(n, a) * np.prod([*ways], dtype=object)
    whole = sum(weights.values())
    return {a: Fraction(int(w), int(whole)) for a, w in weights.items() if w}


def by_hand(hits, sizes):
    a, b, c, d = hits
    found = law(sizes, a + b, a + c, a + b + c + d)
    low = sum(p for x, p in found.items() if x <= a)
    high = sum(p for x, p in found.items() if x >= a)
    return sum(x * p for x, p in found.items()) / sizes[0], min(Fraction(1), 2 * min(low, high))


def tables(hits, sizes, rows=("f", "m"), columns=("black", "white")):
    return {
        key: br.ConfusionMatrix(tp=x, fn=n - x, fp=3, tn=5)
        for key, x, n in zip(product(rows, columns), hits, sizes, strict=True)
    }


@pytest.mark.parametrize(
    ("hits", "sizes"),
    [
        ((60, 160, 80, 162), (100, 200, 100, 200)),
        ((3, 9, 8, 20), (9, 11, 10, 21)),
        ((1, 4, 5, 7), (4, 7, 6, 9)),
    ],
)
def test_two_by_two_is_the_law_of_the_first_cell(hits, sizes):
    found = br.groups.beyond_margins("recall", tables(hits, sizes))
    expected, p = by_hand(hits, sizes)
    assert found.cells[0].expected == pytest.approx(float(expected), rel=1e-10)
    for cell in found.cells:  # the same question from any of the four
        assert (cell.p_value, cell.adjusted_p) == pytest.approx((float(p), float(p)), rel=1e-9)
    assert (found.n_tests, found.pooled) == (1, False)


def test_more_labels_are_pooled_and_adjusted():
    hits, sizes = (30, 60, 61, 58, 62, 59), (80, 80, 80, 80, 80, 80)
    found = br.groups.beyond_margins("sensitivity", tables(hits, sizes, columns=("a", "b", "c")))
    expected, p = by_hand((30, 121, 58, 121), (80, 160, 80, 160))
    first = found.cells[0]
    assert first.expected == pytest.approx(float(expected))
    assert first.p_value == pytest.approx(float(p))
    assert (found.n_tests, found.pooled) == (3, True)
    ps = sorted({round(cell.p_value, 12) for cell in found.cells})
    assert first.adjusted_p == pytest.approx(min(1, 3 * ps[0]))


@pytest.mark.slow
def test_the_level_is_kept_and_an_interaction_is_seen():
    rng, sizes = np.random.default_rng(0), (40, 90, 60, 120)
    additive = 1 / (1 + np.exp(-np.array([0.2, 0.9, 0.6, 1.3])))  # odds multiply
    beyond = np.array([0.35, 0.75, 0.75, 0.8])

    def rejected(rates, n=300):
        draws = rng.binomial(sizes, rates, (n, 4))
        found = (br.groups.beyond_margins("recall", tables(x.tolist(), sizes)) for x in draws)
        return np.mean([one.cells[0].p_value <= 0.05 for one in found])

    assert rejected(additive) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
    assert rejected(beyond) > 0.6


def test_it_is_told_in_words():
    text = str(br.groups.beyond_margins("recall", tables((60, 160, 80, 162), (100, 200, 100, 200))))
    first, *_, last = text.splitlines()
    assert (
        first
        == "f, black: recall 0.60 of 100, lower than its margins say, 0.66 (adjusted p = 0.040)"
    )
    assert last == "1 different test, enumerated, adjusted by Holm's method"
    empty = tables((0, 4, 5, 9), (0, 7, 6, 9))
    assert "no cases to compare with" in str(br.groups.beyond_margins("recall", empty))


WEIGHED = br.ConfusionMatrix(tp=0.5, fn=1, fp=1, tn=1)


@pytest.mark.parametrize(
    ("metric", "change", "told"),
    [
        ("f1", lambda x: x, "must be a share of cases"),
        ("recall", lambda x: dict([*x.items()][:3]), "every combination"),
        ("recall", lambda x: {k[0] + k[1]: t for k, t in x.items()}, "two labels each"),
        ("recall", lambda x: dict.fromkeys(x, WEIGHED), "weights"),
    ],
)
def test_what_does_not_fit_is_refused(metric, change, told):
    with pytest.raises(BaserateError, match=told):
        br.groups.beyond_margins(metric, change(tables((60, 160, 80, 162), (100, 200, 100, 200))))

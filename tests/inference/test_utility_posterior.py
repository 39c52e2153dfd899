"""Yields and P(A better), against polynomials in fractions, other integrators and random draws."""

from fractions import Fraction
from itertools import pairwise
from math import comb, factorial

import numpy as np
import pytest
from scipy import integrate, stats

from baserate import ConfusionMatrix, compare
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference import yield_posterior
from baserate.inference.best_of_several import probability_best_separate
from baserate.inference.paired import compare_paired
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
)
from baserate.utilities import UtilityMatrix
from quick import one_in

A, B = [[27, 15], [23, 35]], [[43, 18], [7, 32]]
FOUR, FIVE = [[15, -335], [-35, 165]], [[45, -335], [-65, 165]]
ACCURACY = [[1, 0], [0, 1]]
DRAWS = 400_000


# Polynomials in fractions, lowest power first.


def times(p, q):
    product = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    return product


def plus(p, q):
    p, q = sorted((p, q), key=len)
    return [a + b for a, b in zip(p + [Fraction(0)] * (len(q) - len(p)), q, strict=True)]


def at_scaled(p, c):
    return [a * c**i for i, a in enumerate(p)]


def area(p, x):
    return sum(a * Fraction(x) ** (i + 1) / (i + 1) for i, a in enumerate(p))


def difference_density(first, second):
    """Density of X - Y at d >= 0 for Beta variables with whole parameters, as a polynomial in d.

    With x = y + d: the integral of y^(a'-1) (1-y)^(b'-1) (y+d)^(a-1) (1-d-y)^(b-1) over [0, 1-d],
    where 1 - y = d + (1-d-y), and each term is a Beta integral times a power of 1 - d.
    """
    (a, b), (a2, b2) = first, second
    scale = one_over_beta(a, b) * one_over_beta(a2, b2)
    total = [Fraction(0)]
    for i in range(a):  # (y + d)^(a-1)
        for j in range(b2):  # (d + (1-d-y))^(b2-1)
            power = (a - 1 - i) + (b2 - 1 - j)
            top, rest = a2 + i, b + j
            coefficient = scale * comb(a - 1, i) * comb(b2 - 1, j) / one_over_beta(top, rest)
            term = [Fraction(0)] * power + [coefficient]
            for _ in range(top + rest - 1):
                term = times(term, [Fraction(1), Fraction(-1)])
            total = plus(total, term)
    return total


def one_over_beta(a, b):
    return Fraction(factorial(a + b - 1), factorial(a - 1) * factorial(b - 1))


def exact_better(x, y, ratio):
    """P(X1 - X2 + ratio (Y1 - Y2) > 0) for pairs of Beta parameters and a ratio in [0, 1]."""
    narrow = {1: difference_density(*y), -1: difference_density(*y[::-1])}
    result = area(narrow[1], 1)
    for sign, pair in ((-1, x), (1, x[::-1])):
        density = difference_density(*pair)
        # P(that difference > e) = total - area up to e
        tail = plus(
            [area(density, 1)], [Fraction(0), *(-c / (i + 1) for i, c in enumerate(density))]
        )
        gain = area(times(narrow[sign], at_scaled(tail, Fraction(ratio))), 1)
        result += -sign * gain
    return result


def table(first, second):
    """Counts whose rates of right decisions are these Beta laws, with a prior of 1/4."""
    (a, b), (c, d) = first, second
    return np.array([[a, d], [b, c]]) - 0.25


SMALL = [
    ([(1, 1), (1, 1)], [(1, 1), (1, 1)], Fraction(1, 2)),
    ([(1, 2), (3, 1)], [(2, 1), (1, 1)], Fraction(1)),
    ([(2, 5), (1, 4)], [(3, 3), (6, 2)], Fraction(3, 10)),
    ([(4, 1), (5, 1)], [(1, 7), (1, 5)], Fraction(1, 50)),
    ([(3, 3), (2, 4)], [(1, 6), (2, 5)], Fraction(9, 10)),
    ([(9, 10), (11, 8)], [(12, 9), (8, 13)], Fraction(2, 3)),
]


@pytest.mark.parametrize(("x", "y", "ratio"), one_in(3, SMALL))
@pytest.mark.parametrize("large", [0, 1], ids=["recall matters more", "specificity does"])
def test_separate_sets_agree_with_polynomials_in_fractions(x, y, ratio, large):
    exact = float(exact_better(x, y, ratio))
    weights = [1.0, float(ratio)]
    first, second = (x, y) if large == 0 else (y, x)
    s, t = weights if large == 0 else weights[::-1]
    found = probability_a_better_separate(
        table(first[0], second[0]),
        table(first[1], second[1]),
        [[s, 0], [0, t]],
        prior=0.25,
        class_shares=[0.5, 0.5],
    )
    assert found == pytest.approx(exact, abs=1e-11)


def gap_between(law_a, law_b):
    """P(X > Y) by another integrator."""
    return integrate.quad(
        lambda x: law_a.pdf(x) * law_b.cdf(x), 0, 1, epsabs=1e-12, epsrel=1e-12, limit=400
    )[0]


@pytest.mark.parametrize("counts", [(3, 1, 2, 2), (0, 4, 1, 0), (30, 9, 20, 12)])
def test_one_class_alone_is_a_comparison_of_two_beta_laws(counts):
    a, b, c, d = counts
    expected = gap_between(stats.beta(a + 1, b + 1), stats.beta(c + 1, d + 1))
    found = probability_a_better_separate(
        [[a, 1], [b, 2]], [[c, 3], [d, 1]], [[1, 0], [0, 0]], class_shares=[0.3, 0.7]
    )
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("factor", "expected"), [(1, 0.6157), (10, 0.8259), (100, 0.9985)], ids=["100", "1000", "1e4"]
)
def test_the_published_story_of_separate_sets(factor, expected):
    # Theory page B7: N = 100, 1000, 10000 under utilities (4).
    a, b = np.multiply(A, factor), np.multiply(B, factor)
    assert probability_a_better_separate(a, b, FOUR) == pytest.approx(expected, abs=5e-5)


def test_the_story_under_other_utilities_and_free_class_shares():
    assert probability_a_better_separate(A, B, FIVE) == pytest.approx(0.459, abs=5e-4)
    free = probability_a_better_separate(A, B, FOUR, class_shares="free")
    assert free == pytest.approx(0.61412, abs=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize("class_shares", ["pooled", "free", [0.2, 0.8]])
@pytest.mark.parametrize("utilities", [FOUR, [[-3, 2], [1, 7]], [[0, 0], [5, -1]]])
def test_one_of_two_classifiers_is_better(class_shares, utilities):
    few_a, few_b = [[3, 0], [1, 2]], [[0, 1], [2, 4]]
    huge, how = [[341_929, 0], [18_657, 47_172]], {"class_shares": class_shares, "prior": 0.5}
    for a, b in ((A, B), (few_a, few_b), (A, few_b), (few_a, huge)):
        there, back = (
            probability_a_better_separate(*pair, utilities, **how) for pair in ((a, b), (b, a))
        )
        assert there + back == pytest.approx(1, abs=1e-9)


def rates(rng, counts, prior, size):
    (tp, fp), (fn, tn) = counts
    return rng.beta(tp + prior, fn + prior, size), rng.beta(tn + prior, fp + prior, size)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    ("a", "b", "prior"),
    [
        ([[3, 0], [1, 2]], [[0, 1], [2, 4]], 0.5),
        ([[90000, 3], [2, 80000]], [[89990, 1], [12, 80000]], 1.0),
        ([[40, 0], [0, 900]], [[39, 2], [1, 898]], 0.5),
        ([[3, 20000], [1, 30000]], [[5, 21000], [2, 31000]], 1.0),
        ([[341_929, 0], [18_657, 47_172]], [[4, 0], [1, 3]], 0.5),
    ],
    ids=["few", "hardly an error", "perfect", "rare class", "huge meets tiny"],
)
def test_lopsided_tables_agree_with_random_draws(a, b, prior):
    rng = np.random.default_rng(1)
    (ta, na), (tb, nb) = (rates(rng, x, prior, DRAWS) for x in (a, b))
    expected = np.mean(0.4 * 5 * (ta - tb) + 0.6 * 2 * (na - nb) > 0)
    found = probability_a_better_separate(
        a, b, [[5, 0], [0, 2]], class_shares=[0.4, 0.6], prior=prior
    )
    assert found == pytest.approx(expected, abs=4 / DRAWS**0.5 / 2)


def test_negative_benefits_turn_the_answer():
    there = probability_a_better_separate(A, B, FOUR)
    turned = probability_a_better_separate(A, B, np.negative(FOUR))
    assert there + turned == pytest.approx(1, abs=1e-12)


def test_where_no_decision_matters_neither_is_better():
    indifferent = [[5, -2], [5, -2]]
    assert probability_a_better_separate(A, B, indifferent) == 0.0
    assert probability_a_better_paired([2, 18, 7, 4], indifferent) == 0.0
    assert probability_a_better_separate(A, B, FOUR, class_shares=[1.0, 0.0]) == pytest.approx(
        gap_between(stats.beta(28, 24), stats.beta(44, 8)), abs=1e-9
    )


@pytest.mark.parametrize(
    ("utilities", "expected"), [(FOUR, 0.650), (FIVE, 0.435), (ACCURACY, 0.0122)]
)
def test_the_published_story_of_one_test_set(utilities, expected):
    found = probability_a_better_paired([2, 18, 7, 4], utilities)
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("discordant", [(2, 18, 7, 4), (0, 0, 0, 0), (1, 0, 3, 5), (9, 4, 0, 2)])
def test_equal_benefits_give_a_binomial_sum(discordant):
    wins, losses = discordant[0] + discordant[2] + 2, discordant[1] + discordant[3] + 2
    n = wins + losses - 1
    exact = sum(Fraction(comb(n, k), 2**n) for k in range(wins))
    found = probability_a_better_paired(discordant, [[3, 0], [0, 3]])
    assert found == pytest.approx(float(exact), rel=1e-12)


def test_joint_counts_of_decisions_hold_the_same_discordant_cases():
    joint = np.array([[[25, 13], [2, 4]], [[18, 7], [5, 26]]])
    # class 0: only A right [0, 1, 0], only B right [1, 0, 0]; class 1: A right means decision 1.
    discordant = [joint[0, 1, 0], joint[1, 0, 0], joint[1, 0, 1], joint[0, 1, 1]]
    assert probability_a_better_paired(joint, FOUR) == pytest.approx(
        probability_a_better_paired(discordant, FOUR), abs=1e-14
    )


@pytest.mark.slow
def test_three_decisions_on_the_same_cases_agree_with_random_draws():
    rng = np.random.default_rng(3)
    joint = rng.integers(0, 9, (3, 3, 2))
    u = np.array([[0, -50], [-20, 100], [-5, 40]])
    gamma = rng.standard_gamma(joint.ravel() + 0.5, (DRAWS, 18)).reshape(-1, 3, 3, 2)
    gain = (gamma * (u[:, None] - u[None, :])).sum(axis=(1, 2, 3))
    found = probability_a_better_paired(joint, u, prior=0.5)
    assert found == pytest.approx(np.mean(gain > 0), abs=4 / DRAWS**0.5 / 2)


def test_the_published_posterior_of_a_yield():
    for counts in (A, ConfusionMatrix(tp=27, fp=15, fn=23, tn=35)):
        law = yield_posterior(counts, FOUR)
        assert (law.mean, law.sd) == pytest.approx((1.54, 16.0), abs=0.05)
        np.testing.assert_allclose(law.interval(), [-31.3, 31.5], atol=0.05)


def convolved(counts, prior, scales, start, c):
    """P(yield <= c) at known class shares, by another integrator."""
    (tp, fp), (fn, tn) = counts
    recall = stats.beta(tp + prior, fn + prior)
    specificity = stats.beta(tn + prior, fp + prior)
    edges = sorted(float(np.clip((c - start - b) / scales[0], 0, 1)) for b in (0.0, scales[1]))
    cuts = [recall.ppf(1e-14), *edges, recall.ppf(1 - 1e-14)]
    cuts = sorted(set(np.clip(cuts, 0, 1)))
    return sum(
        integrate.quad(
            lambda r: recall.pdf(r) * specificity.cdf((c - start - scales[0] * r) / scales[1]),
            p,
            q,
            epsabs=1e-13,
            limit=400,
        )[0]
        for p, q in pairwise(cuts)
    )


@pytest.mark.parametrize("counts", [A, [[3, 0], [1, 2]], [[900, 40], [12, 300]]])
@pytest.mark.parametrize("shift", [-1.5, 0.0, 0.8])
def test_known_class_shares_give_a_sum_of_two_beta_laws(counts, shift):
    law = yield_posterior(counts, FOUR, class_shares=[0.3, 0.7])
    c = law.mean + shift * law.sd
    expected = convolved(counts, 1.0, (0.3 * 50, 0.7 * 500), 0.3 * -35 + 0.7 * -335, c)
    assert law.cdf(c) == pytest.approx(expected, abs=1e-9)
    assert law.sf(c) == pytest.approx(1 - expected, abs=1e-9)


def test_yields_at_known_class_shares_have_quantiles_and_moments():
    law = yield_posterior(A, FOUR, class_shares=[0.9, 0.1])
    levels = np.array([1e-6, 0.025, 0.5, 0.975])
    np.testing.assert_allclose(law.cdf(law.quantile(levels)), levels, rtol=1e-7)
    recall, specificity = rates(np.random.default_rng(2), A, 1.0, DRAWS)
    drawn = 0.9 * (50 * recall - 35) + 0.1 * (500 * specificity - 335)
    assert law.mean == pytest.approx(drawn.mean(), abs=5 * law.sd / DRAWS**0.5)
    assert law.sd == pytest.approx(drawn.std(), rel=0.01)
    np.testing.assert_allclose(law.interval(), np.quantile(drawn, [0.025, 0.975]), atol=0.1)


def test_three_decisions_at_known_class_shares_agree_with_random_draws():
    counts = np.array([[3, 1], [2, 5], [0, 4]])
    u = np.array([[0, -50], [-20, 100], [-5, 40]])
    law, rng = yield_posterior(counts, u, class_shares=[0.3, 0.7]), np.random.default_rng(4)
    parts = [rng.dirichlet(counts[:, c] + 1.0, DRAWS) @ u[:, c] for c in (0, 1)]
    drawn = 0.3 * parts[0] + 0.7 * parts[1]
    for c in (5.0, 25.0, 40.0):
        assert law.cdf(c) == pytest.approx(np.mean(drawn <= c), abs=4 / DRAWS**0.5 / 2)
        assert law.cdf(c) + law.sf(c) == pytest.approx(1, abs=1e-9)


def test_one_class_only_is_one_beta_law():
    law = yield_posterior(A, FOUR, class_shares=[1, 0])
    np.testing.assert_allclose(
        law.interval(), -35 + 50 * stats.beta(28, 24).ppf([0.025, 0.975]), rtol=1e-12
    )
    certain = yield_posterior(A, [[2, 3], [2, 3]], class_shares=[0.25, 0.75])
    assert certain.interval() == (2.75, 2.75)


def test_the_best_of_three_separate_classifiers():
    rng, c = np.random.default_rng(5), [[30, 20], [20, 30]]
    drawn = [rates(rng, x, 1.0, DRAWS) for x in (A, B, c)]
    worth = np.array([50 * t + 500 * n for t, n in drawn])
    expected = np.bincount(worth.argmax(axis=0), minlength=3) / DRAWS
    found = probability_best_separate([A, B, c], FOUR)
    np.testing.assert_allclose(found.probabilities, expected, atol=4 / DRAWS**0.5 / 2)
    assert sum(found.probabilities) == pytest.approx(1, abs=1e-9)
    assert (found.route, found.standard_errors) == ("integral", (0.0, 0.0, 0.0))


def test_equal_classifiers_are_equally_likely_to_be_best():
    for class_shares in ("pooled", "free"):
        found = probability_best_separate([A] * 4, FOUR, class_shares=class_shares)
        np.testing.assert_allclose(found.probabilities, 0.25, atol=1e-9)
    two = probability_best_separate([A, B], FOUR)
    assert two.probabilities[0] == pytest.approx(probability_a_better_separate(A, B, FOUR))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            InvalidArgumentError,
            r"utilities must have the shape of the counts, \(2, 2\), got \(3, 2\)",
            lambda: yield_posterior(A, [[1, 2], [3, 4], [5, 6]]),
        ),
        (
            InvalidArgumentError,
            r"prior must lie in \(0, inf\), got 0",
            lambda: yield_posterior(A, FOUR, prior=0),
        ),
        (
            InvalidArgumentError,
            "class_shares must be 2 shares that add up to 1",
            lambda: yield_posterior(A, FOUR, class_shares=[0.5, 0.6]),
        ),
        (
            UnsupportedError,
            "known class shares of 3 classes would need 2 nested integrals",
            lambda: yield_posterior(np.ones((2, 3)), np.eye(2, 3), class_shares=[0.2, 0.3, 0.5]),
        ),
        (
            InvalidCountError,
            "counts must hold counts of at least 0, got -1",
            lambda: yield_posterior([[1, -1], [2, 3]], FOUR),
        ),
        (
            UnsupportedError,
            'need two decisions and two classes.*pass class_shares="free"',
            lambda: probability_a_better_separate(np.ones((3, 2)), np.ones((3, 2)), np.eye(3, 2)),
        ),
        (
            InvalidArgumentError,
            'class_shares must be "pooled", "free" or shares',
            lambda: probability_a_better_separate(A, B, FOUR, class_shares="own"),
        ),
        (
            InvalidArgumentError,
            "class_shares cannot be taken from tables without cases",
            lambda: probability_a_better_separate(np.zeros((2, 2)), np.zeros((2, 2)), FOUR),
        ),
        (
            InvalidArgumentError,
            "discordant must be four counts",
            lambda: probability_a_better_paired([1, 2, 3], FOUR),
        ),
        (
            InvalidArgumentError,
            "tables must be two or more of the same shape",
            lambda: probability_best_separate([A], FOUR),
        ),
        (InvalidCountError, "decisions in rows", lambda: yield_posterior([1, 2], ACCURACY)),
        (InvalidCountError, "decisions in rows", lambda: yield_posterior([], ACCURACY)),
        (
            InvalidArgumentError,
            "finite, got inf",
            lambda: yield_posterior(A, [[1, np.inf], [0, 1]]),
        ),
        (
            InvalidArgumentError,
            "finite, got nan",
            lambda: yield_posterior(A, [[1, 0], [np.nan, 1]]),
        ),
        (
            InvalidArgumentError,
            r"shape of the counts, \(2, 2\), got \(3,\)",
            lambda: yield_posterior(A, ACCURACY, prior=[1, 2, 3]),
        ),
        (InvalidArgumentError, "single table", lambda: yield_posterior([A, B], [ACCURACY] * 2)),
        (
            InvalidArgumentError,
            r"b must have the shape of a, \(2, 2\)",
            lambda: probability_a_better_separate(A, [[1, 2], [3, 4], [5, 6]], ACCURACY),
        ),
    ],
)
def test_what_cannot_be_answered_says_why(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_a_matrix_with_the_positive_class_last_gives_the_same_answers():
    a, b = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35), ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    u = UtilityMatrix(FOUR)
    v = UtilityMatrix([row[::-1] for row in FOUR[::-1]], positive=1)
    assert probability_a_better_separate(a, b, v) == pytest.approx(0.6157, abs=5e-5)
    assert yield_posterior(a, v).mean == pytest.approx(
        (28 * 15 - 16 * 335 - 24 * 35 + 36 * 165) / 104
    )
    shares = (0.1, 0.9)
    for one, other in ((shares, shares[::-1]), ("free", "free")):
        found = probability_a_better_separate(a, b, v, class_shares=other)
        wanted = probability_a_better_separate(a, b, u, class_shares=one)
        assert found == pytest.approx(wanted, abs=1e-9)
    best = [probability_best_separate([a, b, a], w).probabilities for w in (u, v)]
    assert best[1] == pytest.approx(best[0], abs=1e-9)
    # Arrays are in the order of the utilities, so a reversed one belongs to the reversed matrix.
    turned = [[35, 23], [15, 27]]
    assert yield_posterior(turned, v).mean == pytest.approx(yield_posterior(a, u).mean)
    assert probability_a_better_separate(turned, b, v) == pytest.approx(0.6157, abs=5e-5)


def test_a_report_prints_the_probability_that_compare_paired_gives():
    joint, u = np.array([[[25, 13], [2, 2]], [[18, 5], [5, 30]]]), [[15, -335], [-35, 165]]
    cells = [(i, j, c) for i, j, c in np.ndindex(2, 2, 2) for _ in range(joint[i, j, c])]
    a, b, y = (1 - np.array(cells)).T
    worth = UtilityMatrix(u)
    told = compare(y, {"a": a, "b": b}, utility=worth, positive=1).facts.classifiers
    expected = compare_paired(worth.as_metric(), joint).better
    assert told[0].best == pytest.approx(expected, rel=1e-12)

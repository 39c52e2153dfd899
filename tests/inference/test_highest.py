"""Who takes the highest value, against polynomials in fractions; what it costs; where it stays."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from baserate.errors import UnsupportedError
from baserate.inference import yield_posterior
from baserate.inference.best_of_several import probability_best_separate
from baserate.inference.bounded_law import BoundedLaw, DirichletLinear
from baserate.inference.highest_of_laws import exceeds, highest
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
)
from inference.test_utility_posterior import times

UTILITIES = [[15, -335], [-35, 165]]


def beta_cdf(a, b):
    """P(Beta(a, b) <= x) for whole parameters, as a polynomial: a binomial tail."""
    n = a + b - 1
    total = [Fraction(0)] * (n + 1)
    for k in range(a, n + 1):
        for i in range(n - k + 1):
            total[k + i] += comb(n, k) * comb(n - k, i) * (-1) ** i
    return total


def exact_shares(laws):
    cdfs = [beta_cdf(a, b) for a, b in laws]
    shares = []
    for k, own in enumerate(cdfs):
        integrand = [i * c for i, c in enumerate(own)][1:]
        for j, other in enumerate(cdfs):
            integrand = integrand if j == k else times(integrand, other)
        shares.append(sum(c / (i + 1) for i, c in enumerate(integrand)))
    assert sum(shares) == 1
    return [float(share) for share in shares]


@pytest.mark.parametrize(
    "laws",
    [
        [(1, 1), (1, 1)],
        [(1, 30), (30, 1)],
        [(2, 3), (1, 1), (4, 2)],
        [(1, 1), (5, 3), (12, 9), (2, 1), (40, 33)],
    ],
)
def test_beta_laws_agree_with_polynomials_in_fractions(laws):
    found = highest([DirichletLinear([0.0, 7.0], [b, a]) for a, b in laws])
    np.testing.assert_allclose(found.shares, exact_shares(laws), rtol=0, atol=1e-12)
    assert found.error < 1e-9


def test_half_a_count_and_a_million():
    """Densities that are infinite at both ends, against SciPy's laws and a million draws."""
    half = DirichletLinear([-3.0, 5.0], [0.5, 0.5])
    assert exceeds(half, DirichletLinear([-3.0, 5.0], [0.5, 0.5])) == pytest.approx(0.5, abs=1e-10)
    narrow = DirichletLinear([-3.0, 5.0], [7e5, 3e5])
    # The narrow one is at 0.3 but for a spread of 0.0005, and the other's law is nearly straight.
    x = stats.beta(3e5, 7e5).ppf((np.arange(2000) + 0.5) / 2000)
    expected = stats.beta(0.5, 0.5).sf(x).mean()
    assert exceeds(half, narrow) == pytest.approx(expected, abs=1e-7)


def test_certain_values_are_shared_where_they_are_equal():
    one, two = DirichletLinear([1.0], [3.0]), DirichletLinear([2.0], [1.0])
    spread = DirichletLinear([0.0, 4.0], [1.0, 1.0])
    assert highest([two, one, two]).shares.tolist() == [0.5, 0.0, 0.5]
    assert (exceeds(two, one), exceeds(one, two), exceeds(one, one)) == (1.0, 0.0, 0.0)
    assert exceeds(spread, two) == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(highest([one, spread, two]).shares, [0, 0.5, 0.5], atol=1e-12)
    indifferent = probability_best_separate([[[1, 2], [3, 4]]] * 4, [[5, 2], [5, 2]])
    assert indifferent.probabilities == (0.25,) * 4


def tables(rng, k, largest=3.5):
    return [
        rng.multinomial(int(10 ** rng.uniform(0.5, largest)), rng.dirichlet([1] * 4)).reshape(2, 2)
        for _ in range(k)
    ]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("class_shares", ["free", (0.3, 0.7), (0.999, 0.001)])
def test_probabilities_of_random_tables_are_probabilities(class_shares):
    rng = np.random.default_rng(8)
    for _ in range(12):
        a, b = tables(rng, 2)
        how = {"class_shares": class_shares, "prior": rng.choice([0.25, 0.5, 1.0])}
        best = probability_best_separate([a, b], UTILITIES, **how).probabilities
        assert min(best) >= 0
        assert max(best) <= 1
        assert sum(best) == pytest.approx(1, abs=1e-14)
        sure = probability_a_better_separate(a, b, UTILITIES, **how)
        assert 0 <= sure <= 1
        assert sure == pytest.approx(best[0], abs=1e-12)
        assert 0 <= probability_a_better_paired([*a.ravel()], UTILITIES) <= 1
        shares = None if class_shares == "free" else class_shares
        law = yield_posterior(a, UTILITIES, class_shares=shares, prior=how["prior"])
        low, high = law.knots[[0, -1]]
        at = np.concatenate((np.linspace(low, high, 41), law.mean + law.sd * np.arange(-9, 10)))
        assert all(((p >= 0) & (p <= 1)).all() for p in (law.cdf(at), law.sf(at)))


def asked(monkeypatch, call):
    """Count the values at which any law is evaluated."""
    counted, plain = [], BoundedLaw.evaluate

    def counting(law, c, *, density=False):
        counted.append(np.size(c))
        return plain(law, c, density=density)

    with monkeypatch.context() as patch:
        patch.setattr(BoundedLaw, "evaluate", counting)
        call()
    return sum(counted)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("class_shares", ["free", "pooled"])
def test_the_best_of_many_costs_in_proportion_to_their_number(monkeypatch, class_shares):
    every = tables(np.random.default_rng(1), 30)

    def cost(k):
        def call():
            probability_best_separate(every[:k], UTILITIES, class_shares=class_shares)

        return asked(monkeypatch, call)

    assert cost(30) < 30 * 400
    assert cost(30) < 5 * cost(10)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([[0, 1], [2, 0]], [[0, 1], [2, 0]]),
        ([[4, 0], [1, 3]], [[341_929, 0], [18_657, 47_172]]),
        ([[0, 0], [9, 35]], [[901, 1242], [3193, 642]]),
    ],
    ids=["tiny", "huge meets tiny", "an empty class"],
)
@pytest.mark.parametrize("class_shares", ["free", (0.5, 0.5), (0.999, 0.001)])
def test_a_pair_takes_few_values(monkeypatch, a, b, class_shares):
    def call():
        probability_a_better_separate(a, b, UTILITIES, class_shares=class_shares, prior=0.5)

    assert asked(monkeypatch, call) < 3000


THREE = [
    ([[3, 1], [2, 5], [0, 4]], [[0, -50], [-20, 100], [-5, 40]], 0.3),
    ([[145, 190], [6, 61], [233, 258]], [[7, -1], [-7, 56], [6, 2]], 0.1),
    ([[3, 44], [200, 2], [0, 3]], [[-8, -1], [-6, 4], [59, -2]], 0.01),
    ([[554, 1], [54, 11], [698, 1634]], [[16, 8], [5, 2], [-5, 5]], 0.01),
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("counts", "u", "pi"), THREE)
def test_three_decisions_at_known_shares(monkeypatch, counts, u, pi):
    """Ends against draws; density and distribution function against each other; few values."""
    counts, u = np.array(counts), np.array(u, dtype=float)
    law = yield_posterior(counts, u, class_shares=[pi, 1 - pi], prior=0.5)
    ends = []
    assert asked(monkeypatch, lambda: ends.extend(law.interval())) < 16_000
    rng = np.random.default_rng(2)
    drawn = sum(
        share * (rng.dirichlet(counts[:, c] + 0.5, 200_000) @ u[:, c])
        for c, share in enumerate((pi, 1 - pi))
    )
    reached = [np.mean(drawn <= end) for end in ends]
    np.testing.assert_allclose(reached, [0.025, 0.975], atol=4 * (0.025 / 200_000) ** 0.5)
    c, step = law.mean + 0.4 * law.sd, 1e-4 * law.sd
    slope = (law.cdf(c + step) - law.cdf(c - step)) / (2 * step)
    assert law.pdf(c) == pytest.approx(slope, rel=1e-6)
    assert law.cdf(c) + law.sf(c) == pytest.approx(1, abs=1e-14)


def test_a_prior_too_small_for_floats_is_refused():
    laws = [DirichletLinear([1.0, 2.0], [1e-4, 1e-4])] * 2
    with pytest.raises(UnsupportedError, match=r"evaluate each .* use a prior of at least 0\.1"):
        highest(laws)


def test_the_low_end_of_a_law_far_from_the_middle_of_its_range():
    """A tail without digits once sent the solver to 0.5, and left it there."""
    law = yield_posterior([[48, 413], [2, 0]], np.eye(2), class_shares=[0.001, 0.999])
    assert law.interval() == pytest.approx((0.00100361, 0.00980441), abs=5e-9)
    # Specificity must be near one half: Beta(1, 414) has 0.5^414 beyond.
    assert law.sf(0.5) == pytest.approx(stats.beta(1, 414).sf(0.499 / 0.999), rel=0.3)

"""Which of several is best, drawn together: against integrals by SciPy, and samples of equals."""

from math import isnan

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal

from baserate.inference.best_of_several import shrunken_best


def by_integral(values, covariance, freedom=np.inf):
    """P(best) of the hierarchical law: conditioned on tau and scale, orthants of a normal law."""
    k = len(values)
    contrast = np.eye(k)[1:] - np.eye(k)[0]
    d, error = contrast @ values, contrast @ covariance @ contrast.T
    spread = contrast @ contrast.T
    taus = np.geomspace(1e-2, 300, 100)
    shares = (np.arange(16) + 0.5) / 16
    scales = [1.0] if np.isinf(freedom) else freedom / chi2.ppf(shares, freedom)
    centre = np.eye(k) - 1 / k
    width = np.trace(centre @ covariance @ centre) / (k - 1)  # of the half-Cauchy prior
    total, found = 0.0, np.zeros(k)
    for tau in taus:
        for scale in scales:
            both = tau**2 * spread + scale * error
            weight = tau / (1 + tau**2 / width) * multivariate_normal(cov=both).pdf(d)
            if weight < 1e-6 * total / len(taus):
                continue
            kept = tau**2 * spread @ np.linalg.inv(both)
            mean, left = kept @ d, tau**2 * spread - kept @ (tau**2 * spread)
            total += weight
            for one in range(k):
                turn = -np.eye(k - 1) if one == 0 else np.eye(k - 1)
                if one:  # ahead of the first, which is 0, and of every other
                    turn = np.array([
                        np.eye(k - 1)[one - 1] - (np.eye(k - 1)[j - 1] if j else 0)
                        for j in range(k) if j != one
                    ])  # fmt: skip
                law = multivariate_normal(mean=-turn @ mean, cov=turn @ left @ turn.T,
                                          allow_singular=True)  # fmt: skip
                found[one] += weight * law.cdf(np.zeros(k - 1))
    return found / total


def variances_of(covariance):
    own = np.diag(covariance)
    return own[:, None] + own[None] - 2 * covariance


ROOT = np.array([[1.0, 0, 0], [0.5, 0.8, 0], [0.2, 0.6, 1.2]])


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("freedom", [np.inf, 6.0])
@pytest.mark.parametrize("values", [(0.0, 0.5, -1.0), (2.0, 0.0, 3.5)])
def test_chances_are_integrals_of_the_hierarchical_law(values, freedom):
    covariance = ROOT @ ROOT.T
    found = shrunken_best(values, variances_of(covariance), freedom=freedom, rng=1)
    wanted = by_integral(np.array(values), covariance, freedom)
    assert found.probabilities == pytest.approx(wanted, abs=0.012)
    assert sum(found.probabilities) == pytest.approx(1)
    assert 0 < max(found.standard_errors) < 0.003


def test_only_differences_matter_and_their_unit_does_not():
    values, variances = np.array([0.1, 0.4, 0.2, 0.3]), 0.04 * (1 - np.eye(4))
    found = shrunken_best(values, variances, rng=3).probabilities
    assert shrunken_best(values + 7, variances, rng=3).probabilities == pytest.approx(
        found, abs=0.01
    )
    turned = shrunken_best(1e6 * values, 1e12 * variances, rng=3).probabilities
    assert turned == pytest.approx(found, abs=0.01)


def test_those_that_are_equal_in_every_way_share():
    variances = np.array([[0.0, 0, 1], [0, 0, 1], [1, 1, 0]])
    first, second, third = shrunken_best([0.5, 0.5, 0.0], variances).probabilities
    assert first == second
    assert 2 * first + third == pytest.approx(1)
    assert shrunken_best([1, 1, 1], np.zeros((3, 3))).probabilities == pytest.approx([1 / 3] * 3)
    assert not any(map(isnan, shrunken_best([1, 2, 4], 1e-30 * (1 - np.eye(3))).probabilities))


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("k", "often"), [(3, 0.07), (4, 0.035), (5, 0.02)])
def test_the_highest_of_a_few_equals_does_not_look_best(k, often):
    """300 samples of k equal models on the same 400 cases, each right in 80% of them."""
    rng, tops, plain = np.random.default_rng(k), [], []
    for seed in range(300):
        right = (rng.random((400, k)) < 0.8).astype(float)
        covariance = np.cov(right.T) / 400
        found = shrunken_best(right.mean(axis=0), variances_of(covariance), rng=seed, n_draws=2000)
        tops.append(max(found.probabilities))
        drawn = rng.multivariate_normal(right.mean(axis=0), covariance, size=2000)
        plain.append(np.bincount(drawn.argmax(axis=1), minlength=k).max() / 2000)
    assert np.mean(plain) > np.mean(tops) + 0.1  # what each by itself says of the highest
    assert np.mean(np.array(tops) >= 0.77) < often < np.mean(np.array(plain) >= 0.77)


@pytest.mark.slow
def test_the_one_called_surely_best_of_a_few_is_so():
    """Of three to five that differ by half their error and more, P(best) promises no more."""
    rng, said, came = np.random.default_rng(4), [], []
    for seed in range(2000):
        k, spread = int(rng.integers(3, 6)), float(rng.choice([0.5, 1.0, 2.0]))
        theta = rng.normal(0, spread, k)
        found = shrunken_best(theta + rng.normal(size=k), 2 * (1 - np.eye(k)), rng=seed,
                              n_draws=500)  # fmt: skip
        said.append(max(found.probabilities))
        came.append(theta.argmax() == np.argmax(found.probabilities))
    high = np.array(said) >= 0.77
    assert high.sum() > 300
    assert np.mean(np.array(said)[high]) < np.mean(np.array(came)[high]) + 0.03


@pytest.mark.slow
def test_chances_are_right_where_expected_values_are_a_sample():
    """Of theta ~ N(0, 1) and errors as large, what is called best at p is so in a share of p."""
    rng, said, came = np.random.default_rng(2), 0.0, 0
    for seed in range(1500):
        theta = rng.normal(size=4)
        found = shrunken_best(theta + rng.normal(size=4), 2 * (1 - np.eye(4)), rng=seed,
                              n_draws=500)  # fmt: skip
        top = int(np.argmax(found.probabilities))
        said, came = said + found.probabilities[top], came + (theta.argmax() == top)
    assert said / 1500 == pytest.approx(came / 1500, abs=0.05)

"""P(best) of several models on the same cases, and tests of their pairs: equals, and a sample.

    python benchmarks/bench_best_of_equals.py [samples]

Five models, each right in 80% of n cases, independently. Printed: the mean of the largest P(best),
its 90th percentile and how often it reaches .77, by `compare` (drawn together) and by the posterior
of each by itself; and how often any pair has p < .05, as they are and adjusted by Holm's method.
Then models whose accuracies are normal themselves: how often the one called best is.
"""

import sys
from itertools import combinations

import numpy as np

import baserate as br
from baserate.groups import adjust
from baserate.inference import mcnemar_test
from baserate.inference.shrunken_best import shrunken_best

K = 5


def chances(right, seed):
    """Return P(best) drawn together, and of each by itself."""
    n = len(right)
    covariance = np.cov(right.T) / n
    own = np.diag(covariance)
    variances = own[:, None] + own - 2 * covariance
    found = shrunken_best(right.mean(axis=0), variances, rng=seed, n_draws=4000).probabilities
    drawn = np.random.default_rng(seed).multivariate_normal(
        right.mean(axis=0), covariance, size=4000
    )
    return np.array(found), np.bincount(drawn.argmax(axis=1), minlength=right.shape[1]) / 4000


def p_values(right):
    """Return McNemar's mid-p of every pair."""
    pairs = combinations(right.T.astype(bool), 2)
    return [mcnemar_test(int((a & ~b).sum()), int((b & ~a).sum())).p_value for a, b in pairs]


def equals(n, samples):
    rng, tops, any_pair = np.random.default_rng(n), [], np.zeros(2)
    for seed in range(samples):
        right = (rng.random((n, K)) < 0.8).astype(float)
        tops.append([found.max() for found in chances(right, seed)])
        p = p_values(right)
        any_pair += min(p) < 0.05, min(adjust(p)) < 0.05
    tops = np.array(tops)
    for name, column in zip(("drawn together", "by itself"), tops.T, strict=True):
        high = np.quantile(column, 0.9)
        print(f"  {n} cases, {name:<15} mean {column.mean():.3f}, 90% below {high:.3f}, "
              f">= .77 in {100 * (column >= 0.77).mean():.1f}%")  # fmt: skip
    shares = 100 * any_pair / samples
    print(f"  {n} cases, any of 10 pairs p < .05: {shares[0]:.1f}%, adjusted {shares[1]:.1f}%")


def sample(n, spread, samples):
    """Accuracies N(.8, spread²): how sure the one called best is, and how often it is the best."""
    rng, said, came = np.random.default_rng(3), np.zeros(2), np.zeros(2)
    for seed in range(samples):
        truth = np.clip(rng.normal(0.8, spread, K), 0, 1)
        right = (rng.random((n, K)) < truth).astype(float)
        for k, found in enumerate(chances(right, seed)):
            said[k] += found.max()
            came[k] += found.argmax() == truth.argmax()
    for name, a, b in zip(("drawn together", "by itself"), said, came, strict=True):
        print(f"  spread {spread}: {name:<15} said {a / samples:.3f}, was {b / samples:.3f}")


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"baserate {br.__version__}; {samples} samples; five equal models:")
    for n in (100, 400, 2000):
        equals(n, samples)
    print("models whose accuracies are a sample, 400 cases:")
    for spread in (0.01, 0.03, 0.1):
        sample(400, spread, samples)


if __name__ == "__main__":
    main()

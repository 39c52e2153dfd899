"""P(best) of several models on the same cases, and tests of their pairs: equals, and a sample.

    python benchmarks/bench_best_of_equals.py [samples]

Three, four or five models, each right in 80% of n cases, independently. Printed: the mean of the
largest P(best), its 90th percentile and how often it reaches .77, by `compare` (drawn together) and
by the posterior of each by itself; and how often any pair has p < .05, as they are and adjusted by
Holm's method.
Then models whose accuracies are normal themselves: how often the one called best is.
"""

import sys
from itertools import combinations

import numpy as np

import baserate as br
from baserate.groups import adjust
from baserate.inference import mcnemar_test
from baserate.inference.best_of_several import shrunken_best


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


def equals(n, samples, k):
    rng, tops, any_pair = np.random.default_rng(n), [], np.zeros(2)
    for seed in range(samples):
        right = (rng.random((n, k)) < 0.8).astype(float)
        tops.append([found.max() for found in chances(right, seed)])
        p = p_values(right)
        any_pair += min(p) < 0.05, min(adjust(p)) < 0.05
    tops = np.array(tops)
    for name, column in zip(("drawn together", "by itself"), tops.T, strict=True):
        high = np.quantile(column, 0.9)
        print(f"  {k} equals, {n} cases, {name:<15} mean {column.mean():.3f}, "
              f"90% below {high:.3f}, >= .77 in {100 * (column >= 0.77).mean():.1f}%")  # fmt: skip
    shares = 100 * any_pair / samples
    print(f"  {k} equals, {n} cases, any pair p < .05: {shares[0]:.1f}%, adjusted {shares[1]:.1f}%")


def sample(n, spread, samples, k):
    """Accuracies N(.8, spread²): how sure the one called best is, and how often it is the best."""
    rng, said, came = np.random.default_rng(3), np.zeros(2), np.zeros(2)
    for seed in range(samples):
        truth = np.clip(rng.normal(0.8, spread, k), 0, 1)
        right = (rng.random((n, k)) < truth).astype(float)
        for which, found in enumerate(chances(right, seed)):
            said[which] += found.max()
            came[which] += found.argmax() == truth.argmax()
    for name, a, b in zip(("drawn together", "by itself"), said, came, strict=True):
        both = f"said {a / samples:.3f}, was {b / samples:.3f}"
        print(f"  {k} models, spread {spread}: {name:<15} {both}")


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"baserate {br.__version__}; {samples} samples; equal models:")
    for k, n in ((3, 100), (3, 400), (4, 400), (5, 100), (5, 400), (5, 2000)):
        equals(n, samples, k)
    print("models whose accuracies are a sample, 400 cases:")
    for k in (3, 5):
        for spread in (0.01, 0.03, 0.1):
            sample(400, spread, samples, k)


if __name__ == "__main__":
    main()

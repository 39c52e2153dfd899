"""Which of several is best by the joint law of their differences, against SciPy's."""

import itertools
from math import isnan, nan

import numpy as np
import pytest
from scipy.stats import multivariate_t

from baserate.inference.best_by_differences import best_by_differences
from baserate.inference.paired_clusters import DifferenceLaw


def laws_of(means, covariance, freedom):
    found = {}
    for i, j in itertools.combinations(range(len(means)), 2):
        error = (covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) ** 0.5
        found[i, j] = DifferenceLaw(means[i] - means[j], float(error), freedom, 9.0, None)
    return found


def test_chances_are_those_of_the_multivariate_law():
    root = np.array([[0.1, 0, 0], [0.05, 0.08, 0], [0.0, 0.06, 0.12]])
    covariance, means, freedom = root @ root.T, np.array([0.7, 0.75, 0.68]), 7.0
    found = best_by_differences(3, laws_of(means, covariance, freedom), rng=1)
    for k in range(3):
        others = [j for j in range(3) if j != k]
        contrast = np.eye(3)[others] - np.eye(3)[k]
        law = multivariate_t(contrast @ means, contrast @ covariance @ contrast.T, freedom)
        assert found.probabilities[k] == pytest.approx(law.cdf(np.zeros(2)), abs=0.006)
    assert sum(found.probabilities) == pytest.approx(1)


def test_equals_share_and_what_has_no_law_is_not_told():
    covariance = np.array([[0.01, 0.01, 0], [0.01, 0.01, 0], [0, 0, 0.01]])
    laws = laws_of([0.7, 0.7, 0.6], covariance, 9.0)
    laws[0, 1] = DifferenceLaw(0.0, 0.0, 1.0, 1.0, "nothing shows how much clusters differ")
    first, second, _ = best_by_differences(3, laws, rng=0).probabilities
    assert first == second
    laws[0, 2] = DifferenceLaw(0.1, nan, nan, 1.0, "all cases lie in one cluster")
    assert all(isnan(p) for p in best_by_differences(3, laws, rng=0).probabilities)

"""Means and covariance matrices of the two classes, checked."""

from typing import Any

import numpy as np

from baserate.curves._population import Array
from baserate.errors import InvalidArgumentError


def difference_of_means(mean0: Any, mean1: Any) -> Array:
    """Return mean1 - mean0 as a vector."""
    means = [np.atleast_1d(np.asarray(m, dtype=float)) for m in (mean0, mean1)]
    for name, given, mean in zip(("mean0", "mean1"), (mean0, mean1), means, strict=True):
        if mean.ndim != 1 or mean.shape != means[0].shape or not np.isfinite(mean).all():
            rule = "must be a vector of finite numbers, as long as the other mean"
            raise InvalidArgumentError.from_rule(name, rule, given, "one number per variable")
    return means[1] - means[0]


def lower_root(name: str, cov: Any, size: int) -> Array:
    """Return the Cholesky factor of a covariance matrix; a number will do for one variable."""
    matrix = np.asarray(cov, dtype=float)
    matrix = matrix.reshape(1, 1) if matrix.size == 1 else matrix
    rule = f"must be a symmetric positive definite {size} x {size} matrix"
    remedy = "pass a covariance matrix without redundant variables"
    right = matrix.shape == (size, size) and np.isfinite(matrix).all()
    if not right or not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0):
        raise InvalidArgumentError.from_rule(name, rule, cov, remedy)
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError.from_rule(name, rule, cov, remedy) from None

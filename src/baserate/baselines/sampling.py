"""Label vectors of a blind draw."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import whole_number
from baserate.errors import InvalidArgumentError
from baserate.models import generator


def sample_labels(n: int, n_predicted: int, *, rng: Any) -> NDArray[np.bool_]:
    """Draw predictions blindly: `n_predicted` of `n` labels are True, all choices equally likely.

    Parameters
    ----------
    n, n_predicted : int
    rng : seed or numpy.random.Generator

    Returns
    -------
    array of bool, shape (n,)

    Raises
    ------
    InvalidArgumentError
        A count is not a whole number, more labels than n would be True, or rng is None.

    Examples
    --------
    >>> labels = sample_labels(1000, 30, rng=1)
    >>> labels.shape, int(labels.sum())
    ((1000,), 30)
    """
    n, k = whole_number("n", n), whole_number("n_predicted", n_predicted)
    if k > n:
        rule = f"must be at most n, {n}"
        raise InvalidArgumentError.from_rule("n_predicted", rule, k, "flag fewer")
    if rng is None:
        rule = "must be a seed or a generator"
        raise InvalidArgumentError.from_rule("rng", rule, None, "state where chance comes from")
    labels = np.zeros(n, dtype=np.bool_)
    labels[generator(rng).choice(n, size=k, replace=False, shuffle=False)] = True
    return labels

"""How probably each of several classifiers of several classes has the highest yield."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import generator
from baserate.errors import InvalidCountError, UnsupportedError
from baserate.inference.best_of_several import Best
from baserate.inference.class_comparison import compare_class_yields, even_prior
from baserate.inference.dirichlet_linear import DirichletLinear
from baserate.inference.highest import highest
from baserate.inference.paired_class_draws import ClassPairs

Array = NDArray[np.float64]

MOST = 16_384  # ways to be right or wrong by some amount, which all have a share of the prior
DRAWS = 20_000_000  # gamma variables, a second or two
FEWEST, MOST_DRAWS = 2_000, 100_000
BATCH = 65_536


def best_on_same_cases(
    truth: Any,
    decided: Sequence[Any],
    utilities: Any,
    *,
    count: Any = None,
    rng: Any = None,
) -> Best:
    """P(highest yield) of classifiers of any number of classes, tested on the same cases.

    Cases that bring every classifier the same do not matter. All others have a Dirichlet law, whose
    prior is two cases spread evenly over the 2^m ways in which m classifiers are right or wrong
    together, those who are wrong deciding alike: for every two of them it is that of
    `compare_class_yields`. Two have its exact integral; more are simulated, with a standard error.

    Parameters
    ----------
    truth : array of int
        Places of the classes, from 0 to K - 1.
    decided : sequence of arrays of int, one per classifier
        Places of the decisions, from 0 to D - 1.
    utilities : array of shape (D, K)
    count : array, optional
        Cases that each row stands for; default 1.
    rng : numpy.random.Generator or int
        Needed for more than two classifiers.

    Raises
    ------
    InvalidCountError
        Fewer than two classifiers.
    UnsupportedError
        More than two classifiers and no `rng`; or so many that they can be right and wrong together
        in too many ways: 15 for accuracy, 8 for utilities of ten classes that all differ.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.inference.best_of_classes import best_on_same_cases
    >>> truth = [0, 1, 2] * 10
    >>> good, fair, poor = truth, [0, 1, 1] * 10, [0, 0, 0] * 10
    >>> found = best_on_same_cases(truth, [good, fair, poor], np.eye(3), rng=0)
    >>> [round(p, 2) for p in found.probabilities], found.route
    ([1.0, 0.0, 0.0], 'simulation')
    """
    worth = np.asarray(getattr(utilities, "matrix", utilities), dtype=float)
    m = len(decided)
    if m < 2:
        rule, remedy = "must hold the decisions of two classifiers or more", "pass one more"
        raise InvalidCountError.from_rule("decided", rule, m, remedy)
    if m == 2:
        d, k = worth.shape
        pairs = ClassPairs.of_cases(truth, decided[0], decided[1], k, count=count, n_decisions=d)
        found = compare_class_yields(worth, pairs).probability_a_better
        return _exact([found, 1 - found] if np.ptp(worth, axis=0).any() else [0.5, 0.5])
    if rng is None or 2**m * len(_prior(worth)[0]) > MOST:
        remedy = "has no exact route: pass rng to simulate it"
        remedy = remedy if rng is None else "takes too many joint decisions: compare fewer"
        rule = f"P(best) of {m} classifiers on the same cases"
        raise UnsupportedError(f"{rule} {remedy}, or compare them in pairs.")
    gains, alpha = _cells(np.asarray(truth), decided, worth, count)
    return _simulated(gains, alpha, generator(rng), m)


def best_on_separate_cases(cells: Sequence[Any], utilities: Any) -> Best:
    """P(highest yield) of classifiers that were each tested on cases of their own; exact.

    Each yield has the posterior of `compare_class_yields`, independently.

    Parameters
    ----------
    cells : sequence of arrays of shape (D, K)
        How often each classifier decided what in which class.
    utilities : array of shape (D, K)

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.inference.best_of_classes import best_on_separate_cases
    >>> cells = [[9, 1, 0], [1, 8, 0], [0, 1, 10]], [[8, 1, 1], [1, 8, 2], [1, 1, 7]]
    >>> [round(p, 3) for p in best_on_separate_cases(cells, np.eye(3)).probabilities]
    [0.918, 0.082]
    """
    worth = np.asarray(getattr(utilities, "matrix", utilities), dtype=float)
    prior = even_prior(*worth.shape)
    laws = [DirichletLinear(worth.ravel(), (np.asarray(x) + prior).ravel()) for x in cells]
    return _exact(highest(laws).shares.tolist())


def _exact(probabilities: Sequence[float]) -> Best:
    zeros = (0.0,) * len(probabilities)
    return Best(probabilities=tuple(probabilities), standard_errors=zeros, route="integral")


def _cells(
    truth: NDArray[Any], decided: Sequence[Any], worth: Array, count: Any
) -> tuple[Array, Array]:
    """Return what each classifier gains over the first one, by kinds of case, and their numbers."""
    earned = np.stack([worth[np.asarray(one), truth] for one in decided], axis=1)
    amount = np.ones(len(truth)) if count is None else np.asarray(count, dtype=float)
    ahead, even = _prior(worth)
    ways = np.array(list(product((0.0, 1.0), repeat=len(decided))))
    told = (ways[:, None, :] * ahead[None, :, None]).reshape(-1, len(decided))
    added = np.tile(2 * even / len(ways), len(ways))
    every = np.concatenate((earned, told))
    gains, place = np.unique(every - every[:, :1], axis=0, return_inverse=True)
    alpha = np.zeros(len(gains))
    np.add.at(alpha, place.ravel(), np.concatenate((amount, added)))
    matters = gains.any(axis=1)
    return gains[matters], alpha[matters]


def _prior(worth: Array) -> tuple[Array, Array]:
    """Return by how much the right decision is ahead of each other one, and their shares."""
    d, k = worth.shape
    right = np.arange(k) if d == k else worth.argmax(axis=0)
    ahead = worth[right, np.arange(k)] - worth
    other = np.arange(d)[:, None] != right
    values, times = np.unique(ahead[other], return_counts=True)
    return values, (times / max(times.sum(), 1)).astype(np.float64)


def _simulated(gains: Array, alpha: Array, rng: np.random.Generator, m: int) -> Best:
    """Draw gamma variables instead of shares: their sum does not matter for who is best."""
    n_draws = int(np.clip(DRAWS // max(alpha.size, 1), FEWEST, MOST_DRAWS))
    wins, left = np.zeros(m), n_draws
    while left:
        size = min(left, max(1, BATCH * 8 // max(alpha.size, 1)))
        yields = rng.standard_gamma(alpha, size=(size, alpha.size)) @ gains
        best = yields == yields.max(axis=1, keepdims=True)
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
        left -= size
    p = wins / n_draws
    errors = np.sqrt(p * (1 - p) / n_draws)
    return Best(
        probabilities=tuple(p.tolist()), standard_errors=tuple(errors.tolist()), route="simulation"
    )

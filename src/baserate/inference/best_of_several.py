"""How probably each of several classifiers has the highest yield."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import DRAWS, broadcast, each_of, float_array, generator, whole_number
from baserate._result import Result
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference.highest_of_laws import highest
from baserate.inference.utility_posterior import (
    decision_counts,
    known_shares,
    probability_a_better_paired,
    shares_of_classes,
    utility_array,
    with_prior,
    yield_posterior,
)

Array = NDArray[np.float64]

BATCH = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Best(Result):
    """Probabilities of being best, and how they were found.

    Attributes
    ----------
    probabilities : tuple of float
        For each classifier.
    standard_errors : tuple of float
        Of a simulation; zeros if the integrals are exact.
    route : {"integral", "simulation"}
    """

    probabilities: tuple[float, ...]
    standard_errors: tuple[float, ...]
    route: str


def probability_best_separate(
    tables: Any, utilities: Any, *, class_shares: Any = "pooled", prior: Any = 1.0
) -> Best:
    """P(highest yield) of classifiers that were each tested on cases of their own.

    P(k is best) = ∫ f_k(y) Π F_j(y) dy over the others j, with the exact density and distribution
    functions of the yields, on one grid for all: an error below 1e-10. The probabilities add up to
    one; where no decision matters, all are equally probable.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_decisions, n_classes), or of ConfusionMatrix
    utilities : array of that shape, or UtilityMatrix
        A ConfusionMatrix is turned to have the positive class where the UtilityMatrix has it.
    class_shares : "pooled", "free" or a sequence of float
        As in `probability_a_better_separate`.
    prior : float or array of that shape

    Raises
    ------
    InvalidArgumentError
        Fewer than two tables, or tables that do not fit the utilities.
    UnsupportedError
        Known class shares, and other than two decisions and two classes.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, for the first two tables.

    Examples
    --------
    >>> from baserate.inference import probability_best_separate
    >>> tables = [[27, 15], [23, 35]], [[43, 18], [7, 32]], [[30, 20], [20, 30]]
    >>> found = probability_best_separate(tables, [[15, -335], [-35, 165]])
    >>> [round(p, 3) for p in found.probabilities]
    [0.565, 0.347, 0.088]
    """
    counts = [
        decision_counts("tables", table, utilities) for table in each_of("tables", tables, ())
    ]
    if len(counts) < 2 or len({table.shape for table in counts}) > 1:
        rule, given = "must be two or more of the same shape", [t.shape for t in counts]
        raise InvalidArgumentError.from_rule("tables", rule, given, "pass one per classifier")
    free = isinstance(class_shares, str) and class_shares == "free"
    shares = None if free else known_shares(class_shares, *counts)
    laws = [yield_posterior(table, utilities, prior=prior, class_shares=shares) for table in counts]
    return _exact(highest(laws).shares.tolist())


def probability_best_paired(
    joint: Any,
    utilities: Any,
    *,
    class_shares: Any = None,
    prior: Any = 1.0,
    rng: Any = None,
    n_draws: int = 100_000,
) -> Best:
    """P(highest yield) of classifiers that were tested on the same cases.

    For two it is one exact integral. For more it is the probability that several linear functions
    of one Dirichlet vector are positive together, for which no one-dimensional integral is known:
    then it is simulated, if `rng` is given, with its standard error.

    Reports print other numbers. This is the posterior of the reference, by default with its uniform
    prior, and knows of no selection: of several equals the highest looks better than it is. Of two,
    `compare` prints the probability of `compare_paired`, whose prior leaves each classifier the law
    that its own interval has. Of three and more it shrinks what it compares, as the highest was
    picked (`shrunken_best`).

    Parameters
    ----------
    joint : array of shape (n_decisions, ..., n_decisions, n_classes), one axis per classifier
        How often the first classifier decided i, the second j, and so on, in class c.
    utilities : array of shape (n_decisions, n_classes), or utility matrix
    class_shares : sequence of float, optional
        Known shares of the classes. Default: as uncertain as the counts.
    prior : float or array of the shape of `joint`
        Positive number added to each count.
    rng : numpy.random.Generator or int
        Needed for more than two classifiers.
    n_draws : int
        Of the simulation.

    Raises
    ------
    UnsupportedError
        More than two classifiers and no `rng`.
    InvalidArgumentError
        Shapes do not fit.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    >>> from baserate.inference import probability_best_paired
    >>> joint = [[[25, 13], [2, 2]], [[18, 5], [5, 30]]]
    >>> found = probability_best_paired(joint, [[15, -335], [-35, 165]])
    >>> [round(p, 3) for p in found.probabilities], found.route
    ([0.678, 0.322], 'integral')

    As a report has it:

    >>> from baserate import UtilityMatrix
    >>> from baserate.inference.paired import compare_paired
    >>> worth = UtilityMatrix([[15, -335], [-35, 165]]).as_metric()
    >>> round(compare_paired(worth, joint).probability_a_better, 3)
    0.688
    """
    counts = float_array("joint", joint, InvalidCountError)
    u = utility_array(utilities, counts.shape[-2:])
    if counts.ndim < 3 or len(set(counts.shape[:-1])) > 1:
        rule = "must have one axis of decisions per classifier, then one of classes"
        remedy = "count cases by (decision of A, decision of B, ..., class)"
        raise InvalidArgumentError.from_rule("joint", rule, counts.shape, remedy)
    shares = None if class_shares is None else shares_of_classes(class_shares, counts.shape[-1])
    if counts.ndim == 3:
        added = float_array("prior", prior)
        broadcast(joint=counts, prior=added)
        added = np.broadcast_to(added, counts.shape)
        turned = counts.swapaxes(0, 1), added.swapaxes(0, 1)
        return _exact([_a_better(*side, u, shares) for side in ((counts, added), turned)])
    if rng is None:
        message = (
            f"P(best) of {counts.ndim - 1} classifiers on the same cases has no exact route: pass "
            "rng to simulate it, or compare them in pairs."
        )
        raise UnsupportedError(message)
    alpha = with_prior(decision_counts("joint", counts), prior)
    size = whole_number("n_draws", n_draws, minimum=1, maximum=DRAWS)
    return _simulated(alpha, u, shares, generator(rng), size)


def _exact(probabilities: list[float]) -> Best:
    zeros = (0.0,) * len(probabilities)
    return Best(probabilities=tuple(probabilities), standard_errors=zeros, route="integral")


def _a_better(counts: Array, prior: Array, u: Array, shares: Array | None) -> float:
    if shares is None:
        return probability_a_better_paired(counts, u, prior=prior)
    gains = (u[:, None] - u[None]).reshape(-1, len(shares))  # by what both decided
    flat, added = counts.reshape(gains.shape), prior.reshape(gains.shape)
    return float(yield_posterior(flat, gains, prior=added, class_shares=shares).sf(0.0))


def _simulated(
    alpha: Array, u: Array, shares: Array | None, rng: np.random.Generator, n_draws: int
) -> Best:
    """Draw gamma variables instead of shares: their sum does not matter for who is best.

    Where the classes have known shares, the sum within each class does.
    """
    k = alpha.ndim - 1
    worth = np.array(
        [
            np.broadcast_to(np.expand_dims(u, _other_axes(i, k)), alpha.shape).ravel()
            for i in range(k)
        ]
    )
    wins, left = np.zeros(k), n_draws
    while left:
        size = min(left, max(1, BATCH // alpha.size))
        drawn = rng.standard_gamma(alpha.ravel(), size=(size, alpha.size))
        if shares is not None:
            classes = drawn.reshape(size, -1, len(shares))
            drawn = (classes * (shares / classes.sum(axis=1, keepdims=True))).reshape(size, -1)
        yields = drawn @ worth.T
        best = yields == yields.max(axis=1, keepdims=True)
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
        left -= size
    p = wins / n_draws
    errors = np.sqrt(p * (1 - p) / n_draws)
    return Best(
        probabilities=tuple(p.tolist()), standard_errors=tuple(errors.tolist()), route="simulation"
    )


def _other_axes(i: int, k: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(k) if axis != i)

"""How probably each of several classifiers has the highest yield."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import each_of
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.inference.highest_of_laws import highest
from baserate.inference.utility_posterior import (
    decision_counts,
    known_shares,
    yield_posterior,
)

Array = NDArray[np.float64]


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
        Shares of the classes: those of all tables together, each table's own, or known ones.
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
    shares_of_best = tuple(highest(laws).shares.tolist())
    errors = (0.0,) * len(laws)
    return Best(probabilities=shares_of_best, standard_errors=errors, route="integral")

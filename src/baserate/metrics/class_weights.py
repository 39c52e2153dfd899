"""Metrics of class tables made of a weight per cell: mean utility, kappa of ordered classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import determinant, ratio
from baserate._checks import numbers
from baserate.errors import InvalidArgumentError
from baserate.metrics import agreement
from baserate.metrics._class_metric import Cells, ClassMetric
from baserate.metrics._metric import show

Rows = tuple[tuple[float, ...], ...]

NEAR = 1e-6  # of what is possible: smaller differences are taken term by term
NAMED = {"linear": 1, "quadratic": 2}  # powers of the distance between classes


def weighted_kappa(weights: Any) -> ClassMetric:
    """Cohen's kappa where some disagreements are worse than others: of ordered classes.

    1 - n Σ w[i, j] n[i, j] / Σ w[i, j] t[i] p[j], with t and p the class totals of truth and
    prediction, and w[i, j] how bad it is that class i is called j. Range [-1, 1] with named
    weights, at most 1 with others; 0 for independent predictions; undefined where the totals leave
    no room for disagreement. Of two classes both named weights give Cohen's kappa. The average of
    kappa over classes by their counts is another metric, ``average("kappa", "weighted")``.

    Parameters
    ----------
    weights : {"linear", "quadratic"} or array of shape (K, K)
        ``|i - j|``, (i - j)², by the order of the labels; or how bad each disagreement is, truth in
        rows, with zeros for agreement.

    Returns
    -------
    ClassMetric
        Also by name: ``"weighted_kappa(quadratic)"``.

    Raises
    ------
    InvalidArgumentError
        Weights are not finite, negative, not square, or not 0 for agreement; when called: the table
        has another number of classes.

    References
    ----------
    Cohen (1968), Psychological Bulletin 70:213-220, doi:10.1037/h0026256.

    Examples
    --------
    Two judges on 200 patients; Cohen reports .492 without weights and .348 with these:

    >>> from baserate.metrics import weighted_kappa
    >>> from baserate import ClassTable, metrics
    >>> judges = ClassTable([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    >>> round(metrics.class_metric("kappa")(judges), 3)
    0.492
    >>> round(weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]])(judges), 3)
    0.348
    """
    named = isinstance(weights, str) and weights.strip().lower() in NAMED
    given: str | Rows = str(weights).strip().lower() if named else _disagreements(weights)
    text = given if isinstance(given, str) else _written(given)
    turned = given if isinstance(given, str) else _written(_rows(np.transpose(given)))
    apart = {"linear": "|i - j|", "quadratic": "(i - j)²"}.get(str(given), "as given")
    bad = _badness(given, 3 if named else len(given))
    return ClassMetric(
        name=f"weighted_kappa({text})",
        synonyms=(f"{given}_kappa", f"{given}_weighted_kappa") if named else (),
        definition=f"1 - n Σ w n[i, j] / Σ w t[i] p[j], w = {apart}",
        meaning="Agreement beyond that of a guess with the same class totals, "
        "where some disagreements are worse than others.",
        of_cells=_Kappa(given),
        two_classes=agreement.cohen_kappa if named else None,
        weighs_errors=bool(np.ptp(bad[~np.eye(len(bad), dtype=bool)])),
        bounds=(-1.0, 1.0) if named else (-np.inf, 1.0),
        chance=0.0,
        transpose=f"weighted_kappa({turned})",
        parameters={"weights": given if isinstance(given, str) else [list(row) for row in given]},
        reference="Cohen (1968), Psychological Bulletin 70:213-220, doi:10.1037/h0026256",
    )


def class_utility(matrix: Any) -> ClassMetric:
    """Mean utility per case of three classes or more, Σ u[j, i] n[i, j] / n; also called yield.

    Range from the smallest to the largest utility; undefined where n = 0. Higher is better, unless
    some wrong decision is worth more than the right one: then the direction is "neither". Costs are
    negative utilities.

    Parameters
    ----------
    matrix : array of shape (K, K), K at least 3, or UtilityMatrix
        Rows are decisions, columns classes, as in the literature on utilities and in
        `UtilityMatrix`, both in the order of the table's labels; a class table has the truth in
        rows. Of two classes use `utility`, whose rows begin with the positive class. Decisions that
        are no classes have no class table: `UtilityMatrix.utility_yield` takes their counts.

    Returns
    -------
    ClassMetric
        Also by name: ``"utility([[1, 0, 0], [0, 1, 0], [-5, 0, 1]])"``.

    Raises
    ------
    InvalidArgumentError
        The matrix is not of this shape or not finite; when called: the table has another number of
        classes.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    An urgent case (the first class) that is sent home (the third decision) costs 5, and all else is
    free; two cases of 20 are so:

    >>> from baserate.metrics import class_utility
    >>> from baserate import ClassTable
    >>> triage = ClassTable([[5, 1, 2], [0, 7, 1], [0, 0, 4]], ["urgent", "soon", "home"])
    >>> class_utility([[0, 0, 0], [0, 0, 0], [-5, 0, 0]])(triage)
    -0.5
    """
    u = _square("matrix", getattr(matrix, "matrix", matrix))
    if len(u) < 3:
        rule = "must have a row and a column for each of three classes or more"
        remedy = "for two classes use baserate.metrics.utility([[tp, fp], [fn, tn]])"
        raise InvalidArgumentError.from_rule("matrix", rule, matrix, remedy)
    return replace(mean_utility(u), transpose=f"utility({_written(_rows(u.T))})")


def mean_utility(u: NDArray[np.float64]) -> ClassMetric:
    """Return the same of square utilities of two classes or more."""
    rows, right = _rows(u), np.diagonal(u)
    return ClassMetric(
        name=f"utility({_written(rows)})",
        definition="Σ u[j, i] n[i, j] / n, decision j, class i",
        meaning="Mean utility per case.",
        of_cells=_WeightedMean(rows),
        weights=_Transposed(rows),
        bounds=(float(u.min()), float(u.max())),
        best=float(right[0]) if np.all(right == right[0]) else np.nan,
        direction="higher" if np.all(u <= right) else "neither",
        parameters={"matrix": u.tolist()},
    )


def utility_of_decisions(
    u: NDArray[np.float64], decisions: Sequence[int], classes: Sequence[int], prior: Any
) -> ClassMetric:
    """Return the same of decisions that are no classes, in a table of the labels of both.

    `decisions` and `classes` are the places of the rows and columns of `u` among the labels, and
    `prior` is what its law adds to their counts. No other cell can hold a case.
    """
    size = 1 + max((*decisions, *classes))
    worth, added = np.full((size, size), u.min()), np.zeros((size, size))
    worth[np.ix_(decisions, classes)], added[np.ix_(decisions, classes)] = u, prior
    best = u.max(axis=0)
    return replace(
        mean_utility(worth),
        name=f"utility({_written(_rows(u))})",
        prior=_Transposed(_rows(added)),
        best=float(best[0]) if np.all(best == best[0]) else np.nan,
        direction="higher",
        parameters={"matrix": u.tolist()},
    )


@dataclass(frozen=True, slots=True)
class _Transposed:
    """Utilities of decisions by classes as weights of cells, truth in rows."""

    rows: Rows

    def __call__(self, n_classes: int) -> NDArray[np.float64]:
        return _of_size("matrix", self.rows, n_classes).T


@dataclass(frozen=True, slots=True)
class _WeightedMean:
    rows: Rows

    def __call__(self, cells: Cells) -> Any:
        weights = _Transposed(self.rows)(cells.shape[-1])
        return ratio((weights * cells).sum((-2, -1)), cells.sum((-2, -1)))


@dataclass(frozen=True, slots=True)
class _Kappa:
    weights: str | Rows

    def __call__(self, cells: Cells) -> Any:
        bad = _badness(self.weights, cells.shape[-1])
        possible = ((cells.sum(-1) @ bad) * cells.sum(-2)).sum(-1)
        beyond = np.asarray(possible - cells.sum((-2, -1)) * (bad * cells).sum((-2, -1)))
        near = np.abs(beyond) < NEAR * possible
        if near.any():
            beyond[near] = _beyond(bad, cells[near])
        return ratio(beyond, possible)


def _beyond(bad: NDArray[np.float64], cells: Cells) -> Any:
    """Return Σ w (t[i] p[j] - n n[i, j]), each term zero where both are equal."""
    truth, predicted = cells.sum(-1)[..., :, None], cells.sum(-2)[..., None, :]
    rest = cells.sum((-2, -1))[..., None, None] - truth - predicted + cells
    found = determinant(cells, truth - cells, predicted - cells, rest)
    return 0.0 - (bad * found).sum((-2, -1))


def _badness(weights: str | Rows, n_classes: int) -> NDArray[np.float64]:
    if not isinstance(weights, str):
        return _of_size("weights", weights, n_classes)
    apart = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes)))
    return apart.astype(np.float64) ** NAMED[weights]


def _of_size(argument: str, rows: Rows, n_classes: int) -> NDArray[np.float64]:
    if len(rows) != n_classes:
        rule = f"must have as many rows as the table has classes ({n_classes})"
        raise InvalidArgumentError.from_rule(argument, rule, len(rows), "pass one per class")
    return np.array(rows)


def _disagreements(weights: Any) -> Rows:
    if isinstance(weights, str):
        rule = 'must be "linear", "quadratic" or a square array'
        raise InvalidArgumentError.from_rule("weights", rule, weights, "write one of these")
    bad = _square("weights", weights)
    if (bad < 0).any() or np.diagonal(bad).any() or not bad.any():
        rule = "must say how bad each disagreement is, with 0 for agreement and nothing below 0"
        remedy = "pass 1 - w if w are weights of agreement from 0 to 1"
        raise InvalidArgumentError.from_rule("weights", rule, weights, remedy)
    return _rows(bad)


def _square(argument: str, matrix: Any) -> NDArray[np.float64]:
    found = numbers(matrix)
    array = np.empty(0) if found is None else found
    square = array.ndim == 2 and len(set(array.shape)) == 1 and len(array) > 1
    if not (square and np.isfinite(array).all()):
        rule = "must be a square array of finite numbers"
        raise InvalidArgumentError.from_rule(argument, rule, matrix, "pass one row per class")
    return array


def _rows(array: NDArray[np.float64]) -> Rows:
    return tuple(map(tuple, array.tolist()))


def _written(rows: Rows) -> str:
    each = ", ".join(f"[{', '.join(map(show, row))}]" for row in rows)
    return f"[{each}]"

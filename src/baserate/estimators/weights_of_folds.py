"""Weights of classes from the held-out probabilities of a cross-validation."""

from collections.abc import Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.baselines import skill
from baserate.cases.unseen_cases import rows_of
from baserate.class_counts import ClassTable, total
from baserate.errors import UnsupportedError
from baserate.metrics import class_metric
from baserate.tuning import optimal_class_weights
from baserate.tuning.class_weights import OptimalClassWeights

Folds = Sequence[tuple[Any, NDArray[np.float64]]]  # truth and probabilities of each


class JudgedWeights(NamedTuple):
    """Weights of all folds together, and what they are worth.

    Attributes
    ----------
    best : OptimalClassWeights
    value : float
        Of the calls of all folds together: with the weights that the other folds choose if nested.
    fold_values : array
        Of each fold alone; nan where it is undefined.
    optimism : float
        What the naive value adds to the nested one; nan unless nested.
    """

    best: OptimalClassWeights
    value: float
    fold_values: NDArray[np.float64]
    optimism: float


def judged_weights(
    metric: Any, folds: Folds, classes: Sequence[Any], *, guess: Any, nested: bool
) -> JudgedWeights:
    """Find weights on the cases of all folds, and judge each fold by them or by its others'."""
    best = _best(metric, folds, classes)
    naive = [_table(best, fold) for fold in folds]
    tables = naive
    if nested:
        others = [[*folds[:k], *folds[k + 1 :]] for k in range(len(folds))]
        own = [_best(metric, rest, classes) for rest in others]
        tables = [_table(found, fold) for found, fold in zip(own, folds, strict=True)]
    values = np.array([_value(metric, table, guess) for table in tables])
    whole, flattered = (_value(metric, total(each), guess) for each in (tables, naive))
    sign = -1 if guess is None and class_metric(metric).direction == "lower" else 1
    return JudgedWeights(best, whole, values, sign * (flattered - whole) if nested else nan)


def probabilities_of(
    fitted: Any,
    X: Any,  # noqa: N803
    test: Any,
    classes: Sequence[Any],
) -> NDArray[np.float64]:
    """Return a probability for each class; of one that the training cases lacked it is 0."""
    found = np.asarray(fitted.predict_proba(rows_of(X, test)), dtype=float)
    places = [list(classes).index(label) for label in np.asarray(fitted.classes_).tolist()]
    whole = np.zeros((len(found), len(classes)))
    whole[:, places] = found
    return whole


def need_probabilities(estimator: Any) -> None:
    """Refuse a classifier whose decisions cannot be weighted."""
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise UnsupportedError(
            f"Weights of several classes need probabilities, and {kind} has no predict_proba: wrap "
            f"it in CalibratedClassifierCV, or name one class by labels such as y == 'ill'."
        )


def _best(metric: Any, folds: Folds, classes: Sequence[Any]) -> OptimalClassWeights:
    truth, scores = (np.concatenate([fold[side] for fold in folds]) for side in (0, 1))
    return optimal_class_weights(metric, truth, scores, labels=classes)


def _table(found: OptimalClassWeights, fold: tuple[Any, NDArray[np.float64]]) -> ClassTable:
    truth, scores = fold
    size, names = len(found.labels), list(found.labels)
    places = np.array([names.index(label) for label in np.asarray(truth).tolist()], dtype=np.intp)
    called = (scores * found.weights).argmax(axis=1)
    cells = np.bincount(places * size + called, minlength=size * size)
    return ClassTable(cells.reshape(size, size), found.labels)


def _value(metric: Any, table: ClassTable, guess: Any) -> float:
    chosen = class_metric(metric)
    return float(chosen(table)) if guess is None else skill(chosen, table, guess=guess).value

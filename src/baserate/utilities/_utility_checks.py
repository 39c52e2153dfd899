"""What a utility matrix must be, and what it can hardly be meant to be."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import whole_number
from baserate.errors import InvalidArgumentError

Floats = NDArray[np.float64]


def check_matrix(array: Floats) -> None:
    """Refuse what is not one matrix of finite numbers, or one per case."""
    if array.ndim not in {2, 3} or 0 in array.shape:
        rule = "must have decisions in rows and classes in columns, or one such matrix per case"
        remedy = "pass [[u_11, u_12], [u_21, u_22]]"
        raise InvalidArgumentError.from_rule("matrix", rule, array.shape, remedy)
    if not np.isfinite(array).all():
        rule, remedy = "must hold finite numbers", "give every decision a utility in every class"
        given = array[~np.isfinite(array)].flat[0].item()
        raise InvalidArgumentError.from_rule("matrix", rule, given, remedy)


def names_of(argument: str, names: Any, size: int) -> tuple[Any, ...] | None:
    """Return that many different names, or None."""
    if names is None:
        return None
    if isinstance(names, str):
        rule, remedy = "must be a sequence of names", "put it in a list"
        raise InvalidArgumentError.from_rule(argument, rule, names, remedy)
    labels = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    if len(labels) != size or len(set(labels)) != size:
        rule = f"must hold {size} different names"
        remedy = "rows of the matrix are decisions, columns are classes"
        raise InvalidArgumentError.from_rule(argument, rule, list(labels), remedy)
    return labels


def check_order(decisions: Any, classes: Any) -> None:
    """Refuse decisions that have the names of the classes, but in another order."""
    if decisions and classes and decisions != classes and set(decisions) == set(classes):
        rule = f"must be in the order of the classes {list(classes)}, whose names they are"
        remedy = "reorder the rows of the matrix"
        raise InvalidArgumentError.from_rule("decisions", rule, list(decisions), remedy)


def index_of_positive(positive: Any, shape: tuple[int, ...]) -> int:
    """Return the index of the positive row and column."""
    index = whole_number("positive", positive)
    if index >= min(shape):
        rule = f"must be the index of a row and a column of a {shape[0]}x{shape[1]} matrix"
        raise InvalidArgumentError.from_rule("positive", rule, index, "0 is the first")
    return index


def refuse_costs(matrix: Floats) -> None:
    """Refuse guesses of classes, of which every right one is worth less than every wrong one."""
    right = np.diagonal(matrix)
    wrong = np.where(np.eye(len(matrix), dtype=bool), np.inf, matrix).min(axis=0)
    if len(matrix) > 1 and (right < wrong).all():
        rule = "must be worth more where the decision is right, row i in column i"
        remedy = "pass minus the costs, or name the decisions if they are no guesses of classes"
        raise InvalidArgumentError.from_rule("matrix", rule, matrix.tolist(), remedy)


def warn_of_dominated(matrix: Floats, names: tuple[Any, ...]) -> None:
    """Warn of each decision that another one equals or betters in every class."""
    for d, row in enumerate(matrix):
        better = (matrix >= row).all(axis=1) & (matrix > row).any(axis=1)
        if better.any():
            other = names[int(np.argmax(better))]
            message = f"decision {names[d]!r} is never better than {other!r}, whatever the class."
            warnings.warn(message, UserWarning, stacklevel=5)

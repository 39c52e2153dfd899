"""What decisions are made of, checked: utilities, of files too, probabilities, labels, counts."""

import csv
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import (
    can_be_looked_up,
    each_of,
    float_array,
    same_length,
    whole_number,
)
from baserate._toml import toml_of
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.scores import EDGE, SUM
from baserate.cases.values import is_number, listed
from baserate.cases.weights import Weights
from baserate.errors import (
    DataError,
    InvalidArgumentError,
    InvalidCountError,
    LabelError,
    MissingValueError,
)
from baserate.metrics.utilities import MOST, decision_counts

Indices = NDArray[np.intp]

_tacit: ContextVar[bool] = ContextVar("tacit", default=False)


def check_matrix(array: Array) -> None:
    """Refuse what is not one matrix of finite numbers, or one per case."""
    if array.ndim not in {2, 3} or 0 in array.shape:
        rule = "must have decisions in rows and classes in columns, or one such matrix per case"
        remedy = "pass [[u_11, u_12], [u_21, u_22]]"
        raise InvalidArgumentError.from_rule("matrix", rule, array.shape, remedy)
    if not np.isfinite(array).all():
        rule, given = "must hold finite numbers", array[~np.isfinite(array)].flat[0].item()
        remedy = "give every decision a utility in every class"
        raise InvalidArgumentError.from_rule("matrix", rule, given, remedy)
    if np.abs(array).max() > MOST:
        rule, given = f"must hold numbers from {-MOST:g} to {MOST:g}", float(np.abs(array).max())
        raise InvalidArgumentError.from_rule("matrix", rule, given, "choose a larger unit")


def names_of_both(decisions: Any, classes: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return names of rows and of columns, or None; decisions default to the classes if square."""
    rows, columns = _names("decisions", decisions, shape[0]), _names("classes", classes, shape[1])
    if rows and columns and rows != columns and set(rows) == set(columns):
        rule = f"must be in the order of the classes {list(columns)}, whose names they are"
        remedy = "reorder the rows of the matrix"
        raise InvalidArgumentError.from_rule("decisions", rule, list(rows), remedy)
    square = shape[0] == shape[1]
    return columns if rows is None and square else rows, columns


def _names(argument: str, names: Any, size: int) -> tuple[Any, ...] | None:
    """Return that many different names, or None."""
    if names is None:
        return None
    if isinstance(names, str):
        rule, remedy = "must be a sequence of names", "put it in a list"
        raise InvalidArgumentError.from_rule(argument, rule, names, remedy)
    labels = tuple(
        name.item() if isinstance(name, np.generic) else name
        for name in each_of(argument, names, ())
    )
    if not all(map(can_be_looked_up, labels)):
        rule, remedy = "must hold plain names", "pass text or numbers"
        raise InvalidArgumentError.from_rule(argument, rule, names, remedy)
    if len(labels) != size or len(set(labels)) != size:
        rule = f"must hold {size} different names"
        remedy = "rows of the matrix are decisions, columns are classes"
        raise InvalidArgumentError.from_rule(argument, rule, list(labels), remedy)
    return labels


def index_of_positive(positive: Any, shape: tuple[int, ...]) -> int:
    """Return the index of the positive row and column."""
    index = whole_number("positive", positive)
    if index >= min(shape):
        rule = f"must be the index of a row and a column of a {shape[0]}x{shape[1]} matrix"
        raise InvalidArgumentError.from_rule("positive", rule, index, "0 is the first")
    return index


def look_for_mistakes(matrix: Array, names: tuple[Any, ...], *, guesses: bool) -> None:
    """Refuse what looks like costs, and warn of decisions that another one makes useless.

    Costs: guesses of classes, of which every right one is worth less than every wrong one.
    """
    if guesses and len(matrix) == matrix.shape[1] > 1:
        wrong = np.where(np.eye(len(matrix), dtype=bool), np.inf, matrix).min(axis=0)
        if (np.diagonal(matrix) < wrong).all():
            rule = "must be worth more where the decision is right, row i in column i"
            remedy = "pass minus the costs, or name the decisions if they are no guesses of classes"
            raise InvalidArgumentError.from_rule("matrix", rule, matrix.tolist(), remedy)
    for d, row in enumerate(matrix):
        better = (matrix >= row).all(axis=1) & (matrix > row).any(axis=1)
        if better.any():
            other = names[int(np.argmax(better))]
            message = f"decision {names[d]!r} is never better than {other!r}, whatever the class."
            if not _tacit.get():
                warnings.warn(message, UserWarning, stacklevel=5)  # of who makes it


@contextmanager
def tacit() -> Iterator[None]:
    """Warn of no useless decisions in this thread: the filters of `warnings` are those of all."""
    before = _tacit.set(True)
    try:
        yield
    finally:
        _tacit.reset(before)


def probabilities_of(
    argument: str, values: Any, n_classes: int, *, what: str = "probabilities"
) -> Array:
    """Return floats of shape (..., n_classes), each row non-negative with sum one."""
    array = float_array(argument, values)
    if array.ndim == 0 or array.shape[-1] != n_classes:
        rule = f"must have one column for each of {n_classes} classes"
        remedy = "order the columns as the classes of the matrix"
        if n_classes == 2 and array.ndim == 1:
            remedy = "stack the columns p and 1 - p"
        raise InvalidArgumentError.from_rule(argument, rule, array.shape, remedy)
    if array.size and not (array.min() >= -EDGE and array.max() <= 1 + EDGE):  # nan is neither
        given = array[~((array >= -EDGE) & (array <= 1 + EDGE))].flat[0].item()
        remedy = f"pass {what}, not scores"
        raise InvalidArgumentError.from_rule(argument, "must lie in [0, 1]", given, remedy)
    total = array @ np.ones(n_classes)
    if total.size and not (total.min() >= 1 - SUM and total.max() <= 1 + SUM):
        given = float(total[np.abs(total - 1) > SUM].flat[0])
        remedy = f"pass {what} of all the classes, not scores"
        raise InvalidArgumentError.from_rule(argument, "must sum to one", given, remedy)
    return array


def shares_of(argument: str, values: Any, n_classes: int) -> Array:
    """Return one share per class, which add up to one."""
    shares = probabilities_of(argument, values, n_classes, what="shares")
    if shares.ndim != 1:
        rule, remedy = "must be one share per class", "pass a flat sequence"
        raise InvalidArgumentError.from_rule(argument, rule, shares.shape, remedy)
    return shares


def counts_of(utilities: Any, counts: Any, shape: tuple[int, int]) -> Array:
    """Return counts with decisions in rows and classes in columns, of this shape behind batches."""
    array = decision_counts("counts", counts, utilities)
    if array.shape[-2:] != shape:
        rule = "must have decisions in rows and classes in columns"
        rule += f", shape (..., {shape[0]}, {shape[1]})"
        remedy = "a table of another shape belongs to another utility matrix"
        raise InvalidCountError.from_rule("counts", rule, array.shape, remedy)
    return array


def indices(argument: str, values: Any, names: tuple[Any, ...]) -> Indices:
    """Return the index of each label among the names."""
    told = Encoder(argument, column(argument, values), refuse_scores=False).whole()
    place = {name: i for i, name in enumerate(names)}
    found = dict(sorted(told.found().items()))
    if unknown := [label for label in found.values() if label not in place]:
        rule = f"must hold only {listed(names)}"
        remedy = "name decisions and classes as the matrix does, or leave them unnamed: 0, 1, ..."
        raise LabelError(f"{argument} {rule}, got {listed(unknown)}: {remedy}.")
    return np.asarray([place.get(x, -1) for x in told.labels], dtype=np.intp)[told.codes]


def weights_of(values: Any, size: int) -> Array:
    """Return one weight per case; ones without weights."""
    if values is None:
        return np.ones(size)
    weights = Weights("sample_weight", values)
    same_length("sample_weight", len(weights), "y_true", size)
    found = weights.block(0, size)
    if np.isnan(found).any():
        rule, remedy = "must not be missing", "fill weights in, or leave those cases out"
        gaps = f"{int(np.isnan(found).sum()):,} missing"
        raise MissingValueError.from_rule("sample_weight", rule, gaps, remedy)
    return found


ARGUMENT = "path (--utility)"
LARGEST = 1 << 24  # bytes: a thousand decisions for a thousand classes


class NamedUtilities(NamedTuple):
    """Utilities with the names of their rows and columns."""

    matrix: list[list[float]]
    decisions: tuple[Any, ...]
    classes: tuple[Any, ...]
    positive: int
    stated: bool = False  # whether somebody said which class is positive


def from_mapping(mapping: Any, positive: int = 0) -> NamedUtilities:
    """Read {decision: {class: utility}}; the first decision gives the order of the classes."""
    right = isinstance(mapping, Mapping) and all(isinstance(r, Mapping) for r in mapping.values())
    if not (right and mapping):
        rule = "must be {decision: {class: utility}}"
        remedy = "write for example {'buy': {'win': 10, 'lose': -1}, 'pass': {'win': 0, 'lose': 0}}"
        raise InvalidArgumentError.from_rule("mapping", rule, mapping, remedy)
    decisions, classes = tuple(mapping), tuple(next(iter(mapping.values())))
    for decision, row in mapping.items():
        if set(row) != set(classes):
            rule = f"must give decision {decision!r} a utility for each of {list(classes)}"
            remedy = "name the same classes for every decision"
            raise InvalidArgumentError.from_rule("mapping", rule, list(row), remedy)
    matrix = [[mapping[d][c] for c in classes] for d in decisions]
    return NamedUtilities(matrix, decisions, classes, positive)


def from_file(path: Any, positive: int | None) -> NamedUtilities:
    """Read a TOML or CSV file, whichever its ending says."""
    file = Path(path)
    readers = {".toml": _from_toml, ".csv": _from_csv}
    if file.suffix.lower() not in readers:
        rule, remedy = "must end in .toml or .csv", "write the utilities in one of these formats"
        raise DataError.from_rule(ARGUMENT, rule, str(path), remedy)
    try:
        named = readers[file.suffix.lower()](file)
    except (OSError, UnicodeDecodeError) as error:
        rule, remedy = "must be a text file that can be read", "check its name and encoding"
        given = f"{file} ({getattr(error, 'strerror', None) or error})"
        raise DataError(f"{ARGUMENT} {rule}, got {given}: {remedy}.") from error
    return named if positive is None else named._replace(positive=positive, stated=True)


def _from_toml(file: Path) -> NamedUtilities:
    try:
        content = toml_of(file, LARGEST)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise _broken(file, f"is not TOML: {error}") from error
    tables = {key: row for key, row in content.items() if key not in {"positive", "utilities"}}
    table = content.get("utilities")
    if tables or not isinstance(table, dict) or not table:
        found = ", ".join(map(repr, content)) or "nothing"
        raise _broken(file, f"must hold a table [utilities] and perhaps positive, not {found}")
    for decision, row in table.items():
        if not isinstance(row, dict):
            raise _broken(file, f"gives decision {decision!r} no table of utilities by class")
        for name, value in row.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (number and -MOST <= value <= MOST):
                raise _broken(file, f"gives {decision!r}, {name!r} the utility {value!r}")
    named = from_mapping(table)
    if not named.classes:
        raise _broken(file, "names no class")
    positive = content.get("positive", named.classes[0])
    if positive not in named.classes:
        raise _broken(file, f"calls {positive!r} positive, which is none of {list(named.classes)}")
    at = named.classes.index(positive)
    return named._replace(positive=at, stated="positive" in content)


def _from_csv(file: Path) -> NamedUtilities:
    if file.stat().st_size > LARGEST:
        raise _broken(file, f"is larger than {LARGEST:,} bytes")
    lines = [one for one in file.read_text(encoding="utf-8-sig").splitlines() if one.strip()]
    header = lines[0] if lines else ""
    delimiter = ";" if ";" in header and "," not in header else ","
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error as error:
        raise _broken(file, f"is not CSV ({error})") from None
    if len(rows) < 2 or len(rows[0]) < 2:
        raise _broken(file, "must have a header 'decision,class,...' and one row per decision")
    classes, decisions, matrix = tuple(rows[0][1:]), list[str](), list[list[float]]()
    for name, *cells in rows[1:]:
        if len(cells) != len(classes):
            words = f"gives decision {name!r} {len(cells)} utilities for {len(classes)} classes"
            raise _broken(file, words)
        decisions.append(name)
        pairs = zip(classes, cells, strict=True)
        matrix.append([_number(file, name, column, cell) for column, cell in pairs])
    return NamedUtilities(matrix, tuple(decisions), classes, 0)


def _number(file: Path, decision: str, column: str, cell: str) -> float:
    value = float(cell) if is_number(cell) else nan
    if not -MOST <= value <= MOST:
        raise _broken(file, f"gives {decision!r}, {column!r} the utility {cell!r}")
    return value


def _broken(file: Path, words: str) -> DataError:
    return DataError(
        f"{file.name} {words}: "
        f"give every decision one number from {-MOST:g} to {MOST:g} for each class."
    )

"""Columns of labels, counted block by block without ever being copied, sorted or interpreted."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.cases.cells import Cells
from baserate.cases.columns import column, one_dimensional
from baserate.cases.devices import count_on_device, live_together
from baserate.cases.encoder import Codes, Encoder
from baserate.cases.tally import Counted, Tally, resolve
from baserate.cases.weights import Weights
from baserate.counts import ConfusionMatrix
from baserate.errors import LabelError

Missing = Literal["error", "drop"]

BLOCK = 1 << 17  # rows: small enough for the processor's cache, large enough to hide Python's part
BOOLEANS = 1 << 19  # rows where both columns are booleans, which take a byte each
SPARSE = 1 << 40  # possible combinations beyond which they are renumbered


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    missing: Missing = "error",
) -> ConfusionMatrix:
    """Count true and false positives and negatives.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels: lists, NumPy arrays (masked ones too), columns of pandas,
        polars, pyarrow or any library that narwhals knows, torch tensors and array-API arrays,
        which are counted on their device. 1, 1.0 and True are one label. Nothing is changed.
    pos_label : label, optional
        The positive label. Default: True, or 1 of {0, 1} or {-1, 1}. With more than two labels,
        this one against the rest.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; the table then holds their sums.
    missing : {"error", "drop"}
        What to do with None, nan, NaT, null and masked entries. `count_labels` also says how many
        cases were dropped.

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    LabelError
        Nothing says which label is positive (the labels found are listed), or the two columns do
        not use the same labels, hold scores, are empty, or differ in length.
    MissingValueError
        Values are missing; the message counts them in each column.

    Examples
    --------
    >>> confusion_matrix(["ill", "ill", "well"], ["ill", "well", "well"], pos_label="ill")
    ConfusionMatrix(tp=1, fn=1, fp=0, tn=1)
    """
    arguments = {"pos_label": pos_label, "sample_weight": sample_weight, "missing": missing}
    return count_labels(y_true, y_pred, **arguments).table


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    missing: Missing = "error",
) -> Counted:
    """Count as `confusion_matrix` does, and say what was found on the way.

    Examples
    --------
    >>> counted = count_labels([1, 0, None, 1], [1, 1, 0, 1], missing="drop")
    >>> counted.table, counted.positive, counted.labels, counted.n, counted.n_missing
    (ConfusionMatrix(tp=2, fn=0, fp=1, tn=0), 1, (0, 1), 3, 1)
    """
    tally = tally_arrays(y_true, y_pred, sample_weight=sample_weight, missing=missing)
    return resolve(tally, positive=pos_label, argument="pos_label")


def tally_arrays(
    y_true: Any,
    y_pred: Any,
    *,
    groups: Mapping[str, Any] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    target: str = "y_true",
    prediction: str = "y_pred",
    weight: str = "sample_weight",
) -> Tally:
    """Count cases by label, prediction and group.

    Parameters
    ----------
    y_true, y_pred, sample_weight, missing
        As in `confusion_matrix`.
    groups : mapping of name to array-like, optional
        Columns of any type; a missing group value is a group of its own, None.
    target, prediction, weight : str
        What messages call the columns.

    Returns
    -------
    Tally

    Examples
    --------
    >>> tally_arrays([1, 1, 0], [1, 0, 0], groups={"sex": ["f", "f", "m"]}).groups
    (('f',), ('f',), ('m',))
    """
    one_of("missing", missing, Missing)
    groups = dict(groups or {})
    cells = Cells(names=(target, prediction, weight), weighted=sample_weight is not None)
    if groups or not _counted_on_device(cells, y_true, y_pred, sample_weight):
        cells = Cells(names=cells.names, weighted=cells.weighted)
        encoders = [
            Encoder(target, column(target, y_true)),
            Encoder(prediction, column(prediction, y_pred)),
            *(Encoder(k, column(k, v), refuse_scores=False) for k, v in groups.items()),
        ]
        _count(cells, encoders, Weights(weight, sample_weight) if cells.weighted else None)
    return cells.tally(tuple(groups), drop=missing == "drop")


def _counted_on_device(cells: Cells, y_true: Any, y_pred: Any, sample_weight: Any) -> bool:
    if not live_together(y_true, y_pred, sample_weight):
        return False
    arrays = dict(zip(cells.names, (y_true, y_pred, sample_weight), strict=True))
    given = [(name, tuple(array.shape)) for name, array in arrays.items() if array is not None]
    if any(len(shape) == 2 and shape[1] == 1 for _, shape in given):
        return False  # column vectors are unfolded by the processor
    for name, shape in given:
        one_dimensional(name, shape)
    _same_size([(name, int(shape[0])) for name, shape in given])
    return count_on_device(cells, y_true, y_pred, sample_weight)


def _same_size(sizes: list[tuple[str, int]]) -> None:
    (first, size), *others = sizes
    for name, other in others:
        if other != size:
            rule = f"must have as many cases as {first} ({size:,})"
            raise LabelError.from_rule(name, rule, other, "pass one entry per case in every column")


def _count(cells: Cells, encoders: list[Encoder], weights: Weights | None) -> None:
    sizes = [(encoder.argument, len(encoder.column)) for encoder in encoders]
    _same_size([*sizes, *([] if weights is None else [(weights.argument, len(weights))])])
    size = len(encoders[0].column)
    block = BOOLEANS if all(encoder.boolean for encoder in encoders) else BLOCK
    for low in range(0, size, block):
        high = min(low + block, size)
        codes = [encoder.encode(low, high) for encoder in encoders]
        if weights is not None:
            _add_weighted(cells, encoders, codes, weights.block(low, high))
        elif len(codes) == 2 and codes[0].dtype == codes[1].dtype == bool:
            _add_booleans(cells, encoders, codes)
        else:
            _add_cases(cells, encoders, codes)


def _add_booleans(cells: Cells, encoders: list[Encoder], codes: list[Codes]) -> None:
    truth, prediction = codes
    both = int(np.count_nonzero(truth & prediction))
    only_truth = int(np.count_nonzero(truth)) - both
    only_prediction = int(np.count_nonzero(prediction)) - both
    neither = len(truth) - both - only_truth - only_prediction
    for t, p, count in ((1, 1, both), (1, 0, only_truth), (0, 1, only_prediction), (0, 0, neither)):
        if count:
            cells.add((encoders[0].labels[t], encoders[1].labels[p], False), count)


def _add_cases(cells: Cells, encoders: list[Encoder], codes: list[Codes]) -> None:
    rows, place = _combinations(codes, [len(encoder.labels) for encoder in encoders])
    counts = np.bincount(place).tolist()
    for row, count in zip(rows.tolist(), counts, strict=True):
        cells.add((*_labels(encoders, codes, row), False), count)


def _add_weighted(
    cells: Cells, encoders: list[Encoder], codes: list[Codes], weights: NDArray[np.float64]
) -> None:
    absent = np.isnan(weights)
    weights = np.where(absent, 0, weights)
    sizes = [len(encoder.labels) for encoder in encoders]
    rows, place = _combinations([*codes, absent], [*sizes, 2])
    totals = [np.bincount(place, w).tolist() for w in (None, weights, weights * weights)]
    for row, count, weight, squared in zip(rows.tolist(), *totals, strict=True):
        cells.add((*_labels(encoders, codes, row), bool(absent[row])), count, weight, squared)


def _labels(encoders: list[Encoder], codes: list[Codes], row: int) -> tuple[Any, ...]:
    return tuple(e.labels[int(c[row])] for e, c in zip(encoders, codes, strict=True))


def _combinations(
    codes: list[Codes], sizes: list[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one row for every combination that occurs, and the number of each row's own."""
    flat, size = codes[0].astype(np.intp), sizes[0]
    for more, radix in zip(codes[1:], sizes[1:], strict=True):
        if size * radix > SPARSE:
            flat = np.unique(flat, return_inverse=True)[1]
            size = int(flat.max()) + 1
        flat = flat * radix + more
        size *= radix
    if size > len(flat):
        _, rows, flat = np.unique(flat, return_index=True, return_inverse=True)
        return rows, flat
    shown = np.full(size, -1, dtype=np.intp)
    shown[flat] = np.arange(len(flat))
    occurs = shown >= 0
    return shown[occurs], (np.cumsum(occurs) - 1)[flat]

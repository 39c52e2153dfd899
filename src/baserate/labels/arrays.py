"""Columns of labels, counted block by block without ever being copied, sorted or interpreted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, MissingValueError
from baserate.labels.columns import column
from baserate.labels.devices import count_on_device, live_together
from baserate.labels.encoder import Codes, Encoder
from baserate.labels.tally import Counted, Tally, resolve
from baserate.labels.weights import Weights

Missing = Literal["error", "drop"]

BLOCK = 1 << 17  # rows: small enough for the processor's cache, large enough to hide Python's part
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
        True and predicted labels: lists, NumPy arrays (masked ones too), columns of pandas, polars, pyarrow
        or any library that narwhals knows, torch tensors and array-API arrays, which are counted on their
        device. 1, 1.0 and True are one label. Nothing is changed or sorted.
    pos_label : label, optional
        The positive label. Default: True, or 1 of {0, 1} or {-1, 1}. With more than two labels, this one
        against the rest.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; the table then holds their sums.
    missing : {"error", "drop"}
        What to do with None, nan, NaT, null and masked entries. `count_labels` also says how many cases
        were dropped.

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    LabelError
        Nothing says which label is positive (the labels found are listed), the two columns do not use the
        same labels, hold scores, are empty, or differ in length.
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
    if not groups and live_together(y_true, y_pred, sample_weight):
        cells = count_on_device((target, y_true), (prediction, y_pred), (weight, sample_weight))
    else:
        encoders = [
            Encoder(target, column(target, y_true)),
            Encoder(prediction, column(prediction, y_pred)),
            *(Encoder(k, column(k, v), refuse_scores=False) for k, v in groups.items()),
        ]
        weights = None if sample_weight is None else Weights(weight, sample_weight)
        cells = _count(encoders, weights)
    return _tally(cells, tuple(groups), missing)

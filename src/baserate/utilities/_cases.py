"""Decisions and classes of single cases, as indices and as counts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import numbers_in
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.values import listed
from baserate.cases.weights import Weights
from baserate.counts import ConfusionMatrix, as_float
from baserate.errors import InvalidCountError, LabelError, MissingValueError
from baserate.utilities._probabilities import numbers

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def decision_counts(counts: Any, shape: tuple[int, int] | None, positive: int) -> Floats:
    """Return counts with decisions in rows and classes in columns, batches in front.

    `shape` None accepts any number of rows, for outputs that are not decisions.
    """
    if isinstance(counts, ConfusionMatrix):
        return _checked(_from_confusion(counts, positive), shape or (2, 2))
    return _checked(numbers("counts", counts), shape)


def _from_confusion(table: ConfusionMatrix, positive: int) -> Floats:
    tp, fn, fp, tn = (as_float(cell) for cell in table)
    rows = ((tp, fp), (fn, tn)) if positive == 0 else ((tn, fn), (fp, tp))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _checked(array: Floats, shape: tuple[int, int] | None) -> Floats:
    wanted = "decisions in rows and classes in columns"
    if array.ndim < 2 or (shape is not None and array.shape[-2:] != shape):
        rule = f"must have {wanted}" + (f", shape (..., {shape[0]}, {shape[1]})" if shape else "")
        remedy = "a table of another shape belongs to another utility matrix"
        raise InvalidCountError.from_rule("counts", rule, array.shape, remedy)
    numbers_in("counts", array, "[0, inf)", f"pass counts or sums of weights, {wanted}")
    return array


def indices(argument: str, values: Any, names: tuple[Any, ...]) -> Indices:
    """Return the index of each label among the names."""
    labels = column(argument, values)
    encoder = Encoder(argument, labels, refuse_scores=False)
    codes = np.asarray(encoder.encode(0, len(labels)), dtype=np.intp)
    place = {name: i for i, name in enumerate(names)}
    # Booleans are encoded as if both occurred.
    occurs = np.bincount(codes, minlength=len(encoder.labels)) > 0
    pairs = zip(encoder.labels, occurs, strict=True)
    unknown = [label for label, found in pairs if found and label not in place]
    if unknown:
        rule = f"must hold only {listed(names)}"
        remedy = "name decisions and classes as the matrix does, or leave them unnamed: 0, 1, ..."
        raise LabelError(f"{argument} {rule}, got {listed(unknown)}: {remedy}.")
    return np.asarray([place.get(label, -1) for label in encoder.labels], dtype=np.intp)[codes]


def same_length(a: Indices, b: Indices) -> None:
    """Refuse columns of different lengths."""
    if len(a) != len(b):
        rule = f"must have as many cases as y_true ({len(a):,})"
        raise LabelError.from_rule("decisions", rule, len(b), "pass one decision per case")


def weights_of(values: Any, size: int) -> Floats:
    """Return one weight per case; ones without weights."""
    if values is None:
        return np.ones(size)
    weights = Weights("sample_weight", values)
    if len(weights) != size:
        rule = f"must have as many cases as y_true ({size:,})"
        raise LabelError.from_rule("sample_weight", rule, len(weights), "pass one weight per case")
    found = weights.block(0, size)
    if np.isnan(found).any():
        rule, remedy = "must not be missing", "fill weights in, or leave those cases out"
        gaps = f"{int(np.isnan(found).sum()):,} missing"
        raise MissingValueError.from_rule("sample_weight", rule, gaps, remedy)
    return found

"""Labels, scores and weights of cases, read from arrays: of one length, and none missing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Mask
from baserate._checks import same_length
from baserate.cases.binary import choose_positive
from baserate.cases.columns import column
from baserate.cases.encoder import BLOCK, Encoder
from baserate.cases.scores import score_array
from baserate.cases.values import distinct
from baserate.cases.weights import SQUARES, Weights
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError


def read_truth(values: Any, pos_label: Any) -> tuple[Mask, Any]:
    """Return which cases are positive, and the label that says so."""
    encoder = Encoder("y_true", column("y_true", values))
    size = len(encoder.column)
    codes = [encoder.encode(low, min(low + BLOCK, size)) for low in range(0, size, BLOCK)]
    labels, missing = encoder.labels, [label is None for label in encoder.labels]
    if any(missing):
        gaps = sum(int(np.count_nonzero(_which(missing, block))) for block in codes)
        raise MissingValueError.in_column("y_true", gaps)
    present = [label for label in labels if label is not None] if size else []
    chosen = choose_positive(distinct(present), (), pos_label)
    hits = [label == chosen for label in labels]
    return np.concatenate([_which(hits, block) for block in codes]), chosen


def read_scores(argument: str, values: Any, size: int) -> NDArray[Any]:
    """Return one real score per case, in a type that NumPy sorts and that keeps them apart."""
    scores = score_array(argument, values)
    same_length(argument, len(scores), "y_true", size)
    gaps = int(np.count_nonzero(np.isnan(scores))) if scores.dtype.kind == "f" else 0
    if gaps:
        raise MissingValueError.in_column(argument, gaps)
    if scores.dtype == np.float16:  # half floats sort faster as single ones
        return scores.astype(np.float32)
    return scores.astype(scores.dtype.newbyteorder("="), copy=False)


def read_weights(values: Any, size: int) -> Array:
    """Return one weight per case, which can be squared."""
    source = Weights("sample_weight", values)
    same_length("sample_weight", len(source), "y_true", size)
    weights = source.block(0, size)
    gaps = int(np.count_nonzero(np.isnan(weights)))
    if gaps:
        raise MissingValueError.in_column("sample_weight", gaps)
    total = float(weights.sum())
    if not total:
        raise LabelError(
            "y_true holds no case that counts, because all weights are 0: pass a weight above 0 "
            "for some cases of each class, or pass no weights."
        )
    smallest = float(weights.min()) or float(weights[weights > 0].min())
    if not (smallest > SQUARES[0] ** 0.5 and total < SQUARES[1] ** 0.5):
        rule, remedy = "must have squares that a float can hold", "multiply all by one constant"
        given = f"weights from {smallest:g} that sum to {total:g}"
        raise InvalidArgumentError.from_rule("sample_weight", rule, given, remedy)
    return weights


def _which(chosen: list[bool], codes: NDArray[Any]) -> Mask:
    """Look each code up; codes of two labels are booleans."""
    if codes.dtype == bool and chosen[:2] == [False, True]:
        return codes
    return np.array(chosen)[codes.astype(np.uint8 if codes.dtype == bool else codes.dtype)]

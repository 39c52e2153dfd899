"""Cases one by one, for what no counts can answer: the truth, the score and the fold of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.cases.binary import choose_positive
from baserate.cases.columns import column
from baserate.cases.encoder import Encoder
from baserate.cases.score_column import score_array
from baserate.cases.values import distinct, order
from baserate.errors import LabelError, MissingValueError

BLOCK = 1 << 17  # rows encoded at a time


class Grouping(NamedTuple):
    """Which group each case belongs to: every combination of group labels that occurs.

    Attributes
    ----------
    names : tuple of str
        The group columns.
    codes : array of int
        Index into `keys`.
    keys : tuple of tuple
        One label per column, in order.
    """

    names: tuple[str, ...]
    codes: NDArray[np.intp]
    keys: tuple[tuple[Any, ...], ...]

    def members(self) -> Iterator[tuple[dict[str, Any], NDArray[np.bool_]]]:
        """Yield each group as a record of labels, and which cases are in it."""
        for code, key in enumerate(self.keys):
            yield dict(zip(self.names, key, strict=True)), self.codes == code


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cases:
    """Scored cases.

    Attributes
    ----------
    truth : array of bool
        Whether each case is positive.
    score : array of numbers
    fold : array of int or None
        Index into `folds`.
    folds : tuple
        Labels of the folds, in order.
    positive : label
    labels : tuple
        Every true label found, in order.
    n_missing : int
        Cases left out because something was missing.
    grouping : Grouping or None
    """

    truth: NDArray[np.bool_]
    score: NDArray[Any]
    fold: NDArray[np.intp] | None
    folds: tuple[Any, ...]
    positive: Any
    labels: tuple[Any, ...]
    n_missing: int
    grouping: Grouping | None = None


def cases_of_arrays(
    y_true: Any,
    y_score: Any,
    fold: Any = None,
    *,
    groups: Mapping[str, Any] | None = None,
    positive: Any = None,
    missing: str = "error",
    target: str = "y_true",
    score: str = "y_score",
    argument: str = "positive",
) -> Cases:
    """Read scored cases from lists, arrays or columns of frames.

    Raises
    ------
    LabelError
        Columns differ in length, hold no case, or nothing says which label is positive.
    InvalidArgumentError
        Scores are no numbers.
    MissingValueError
        Something is missing, unless `missing` is "drop".

    Examples
    --------
    >>> labels, scores = ["yes", "no", None], [0.9, 0.2, 0.3]
    >>> cases = cases_of_arrays(labels, scores, positive="yes", missing="drop")
    >>> cases.truth, cases.score, cases.n_missing
    (array([ True, False]), array([0.9, 0.2]), 1)
    """
    drop = one_of("missing", missing, ("error", "drop")) == "drop"
    truth_codes, labels = coded(target, y_true)
    scores = score_array(score, y_score)
    fold_codes, folds = (None, []) if fold is None else coded("fold", fold, refuse_scores=False)
    columns = {name: coded(name, v, refuse_scores=False) for name, v in (groups or {}).items()}
    in_groups = {name: codes for name, (codes, _) in columns.items()}
    _same_length(target, truth_codes, {score: scores, "fold": fold_codes, **in_groups})
    gaps = {target: _gaps(truth_codes, labels), score: _nan(scores)}
    if fold_codes is not None:
        gaps["fold"] = _gaps(fold_codes, folds)
    gaps |= {name: _gaps(*of_cases) for name, of_cases in columns.items()}
    absent = np.logical_or.reduce(list(gaps.values()))
    if absent.any() and not drop:
        sizes = {name: int(np.count_nonzero(gap)) for name, gap in gaps.items()}
        raise MissingValueError.from_rows("The data have", sizes)
    known = [label for label in labels if label is not None]
    names = {"target": target, "argument": argument}
    chosen = choose_positive(distinct(known), (), positive, **names)
    is_positive = np.array([label == chosen for label in labels], dtype=bool)
    keep = ~absent if absent.any() else slice(None)
    order_of, sorted_folds = _sorted(folds)
    return Cases(
        truth=is_positive[truth_codes[keep]],
        score=scores[keep],
        fold=None if fold_codes is None else order_of[fold_codes[keep]],
        folds=sorted_folds,
        positive=chosen,
        labels=distinct(known),
        n_missing=int(absent.sum()),
        grouping=grouped(tuple(columns), [(c[keep], found) for c, found in columns.values()]),
    )


def grouped(
    names: tuple[str, ...], columns: Sequence[tuple[NDArray[np.intp], Sequence[Any]]]
) -> Grouping | None:
    """Combine the codes of several columns; None without a column.

    Examples
    --------
    >>> sex, age = (np.array([0, 1, 0]), ["f", "m"]), (np.array([0, 0, 1]), [60, 20])
    >>> grouped(("sex", "age"), [sex, age]).keys
    (('f', 20), ('f', 60), ('m', 60))
    """
    if not columns:
        return None
    rows = np.column_stack([codes for codes, _ in columns])
    found, codes = np.unique(rows, axis=0, return_inverse=True)
    keys = [
        tuple(labels[code] for code, (_, labels) in zip(row, columns, strict=True))
        for row in found.tolist()
    ]
    places = sorted(range(len(keys)), key=lambda i: tuple(map(order, keys[i])))
    to = np.empty(len(keys), dtype=np.intp)
    to[places] = np.arange(len(keys))
    return Grouping(names, to[codes.ravel()], tuple(keys[i] for i in places))


def coded(
    argument: str, values: Any, *, refuse_scores: bool = True
) -> tuple[NDArray[np.intp], list[Any]]:
    """Return a code per case and the labels they stand for; a missing label is None."""
    encoder = Encoder(argument, column(argument, values), refuse_scores=refuse_scores)
    size = len(encoder.column)
    codes = np.empty(size, dtype=np.intp)
    for low in range(0, size, BLOCK):
        codes[low : low + BLOCK] = encoder.encode(low, min(low + BLOCK, size))
    return codes, encoder.labels


def _gaps(codes: NDArray[np.intp], labels: list[Any]) -> NDArray[np.bool_]:
    missing = np.array([label is None for label in labels], dtype=bool)
    return missing[codes] if missing.any() else np.zeros(len(codes), dtype=bool)


def _nan(scores: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(scores) if scores.dtype.kind == "f" else np.zeros(len(scores), dtype=bool)


def _same_length(first: str, codes: Any, others: dict[str, Any]) -> None:
    for name, other in others.items():
        if other is not None and len(other) != len(codes):
            rule = f"must have as many cases as {first} ({len(codes):,})"
            remedy = "pass one entry per case in every column"
            raise LabelError.from_rule(name, rule, len(other), remedy)


def _sorted(folds: list[Any]) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Return where each code goes, and the labels in order."""
    places = sorted(range(len(folds)), key=lambda code: order(folds[code]))
    to = np.empty(len(folds), dtype=np.intp)
    to[places] = np.arange(len(folds))
    return to, tuple(folds[code] for code in places if folds[code] is not None)

"""Cases with a score for each of several classes, whose columns are aligned with their labels."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._checks import same_length
from baserate.cases.columns import check_order, column, is_device_array, to_host
from baserate.cases.counted import effective_size
from baserate.cases.encoder import Encoder
from baserate.cases.values import is_missing, listed, order, plain_labels
from baserate.curves.cut_points import Sweep, sweep
from baserate.curves.scored_labels import BLOCK, missing_values, read_weights
from baserate.errors import InvalidArgumentError, LabelError

Array = NDArray[np.float64]

SUM = 1e-3  # single precision, and values rounded to a few decimals, stay within it
RIGHT = "right"  # of cases that are what they are called
EDGE = 1e-6  # what rounding may leave of a probability below zero or above one

# What arguments have no meaning beside, and what to do instead.
ONE_COLUMN = ("the scores of one class", "pass one column of scores per class, or leave it out")
COLUMNS = ("scores of several classes", "leave it out, or pass the scores of one class")


@dataclass(frozen=True, slots=True, eq=False)
class ClassScores:
    """Cases with a score for each class."""

    labels: tuple[Any, ...]  # the classes, in the order of the columns
    truth: NDArray[np.intp]  # place of each case's class among the labels
    scores: Array  # (n, K)
    weights: Array  # ones without weights
    is_weighted: bool

    @classmethod
    def of(cls, y_true: Any, y_score: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Read and align them, or say which labels, scores or columns do not fit."""
        check_order([("y_true", y_true), ("y_score", y_score), ("sample_weight", sample_weight)])
        found, codes = _encoded(y_true)
        scores = _numbers(y_score)
        same_length("y_score", len(scores), "y_true", len(codes))
        names = _names_of_columns(labels, found, y_score, scores.shape[1])
        place = {label: k for k, label in enumerate(names)}
        if lost := [label for label in found if label not in place]:
            rule, remedy = "must hold every label that occurs", f"add {listed(lost)}"
            raise LabelError.from_rule("labels", rule, list(names), remedy)
        truth = np.array([place[label] for label in found], dtype=np.intp)[codes]
        weighted = sample_weight is not None
        weights = read_weights(sample_weight, len(truth)) if weighted else np.ones(len(truth))
        return cls(names, truth, scores, weights, weighted)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.labels)

    @property
    def class_counts(self) -> Array:
        """Cases of each class, or the sum of their weights."""
        return np.asarray(np.bincount(self.truth, self.weights, self.n_classes), dtype=float)

    @property
    def shares(self) -> Array:
        """Share of each class among the cases."""
        return self.class_counts / self.weights.sum()

    @property
    def effective_n(self) -> float:
        """Kish's effective number of cases."""
        w = self.weights
        return effective_size(float(w.sum()), float(w @ w) if self.is_weighted else None)

    @property
    def of_truth(self) -> Array:
        """The score that each case has for its own class."""
        return self.scores[np.arange(len(self.truth)), self.truth]

    @property
    def absent(self) -> str | None:
        """Say which classes have no case of any weight."""
        none = [x for x, n in zip(self.labels, self.class_counts.tolist(), strict=True) if not n]
        return f"no cases of {listed(none)}" if none else None

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores of every case are probabilities that sum to one."""
        p = self.scores
        inside = bool(((p >= -EDGE) & (p <= 1 + EDGE)).all())
        return inside and bool((np.abs(p.sum(axis=1) - 1) <= SUM).all())

    @property
    def confidence(self) -> tuple[NDArray[np.bool_], Array]:
        """Whether the class of the highest score (the first of equals) is right, and that score."""
        highest = np.argmax(self.scores, axis=1)
        return highest == self.truth, self.scores[np.arange(len(highest)), highest]

    def against_the_rest(self, k: int) -> Sweep:
        """Return every cut of the scores of one class, which is positive."""
        return self._sweep(self.truth == k, self.scores[:, k])

    def of_confidence(self) -> Sweep:
        """Return every cut of the highest scores; positive are the cases that they are right of."""
        return replace(self._sweep(*self.confidence), positive=RIGHT)

    def _sweep(self, truth: NDArray[np.bool_], scores: Array) -> Sweep:
        weights = self.weights if self.is_weighted else None
        return sweep(truth, scores, pos_label=True, sample_weight=weights)

    def check_probabilities(self) -> Self:
        """Return the same with rounding beyond 0 and 1 cut off, or say what is no probability."""
        p = self.scores
        wrong = (p < -EDGE) | (p > 1 + EDGE)
        if wrong.any():
            remedy = "pass probabilities, not scores"
            given = p[wrong].flat[0].item()
            raise InvalidArgumentError.from_rule("y_score", "must lie in [0, 1]", given, remedy)
        total = p.sum(axis=1)
        wrong = np.abs(total - 1) > SUM
        if wrong.any():
            rule, given = "must sum to one in each row", total[wrong][0].item()
            remedy = "pass the probabilities of all classes"
            raise InvalidArgumentError.from_rule("y_score", rule, given, remedy)
        return type(self)(
            self.labels, self.truth, np.clip(p, 0.0, 1.0), self.weights, self.is_weighted
        )


def refuse(scores: str, remedy: str, **given: Any) -> None:
    """Refuse arguments that have no meaning beside such scores."""
    for name, value in given.items():
        if value is not None:
            shown = value if isinstance(value, str) else type(value).__name__
            raise InvalidArgumentError.from_rule(
                name, f"has no meaning beside {scores}", shown, remedy
            )


def _encoded(y_true: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the labels that occur, and the place of each case's label among them."""
    encoder = Encoder("y_true", column("y_true", y_true))
    size = len(encoder.column)
    if not size:
        raise LabelError("y_true holds no cases: pass at least one labelled case.")
    blocks = [encoder.encode(low, min(low + BLOCK, size)) for low in range(0, size, BLOCK)]
    codes = np.concatenate([np.asarray(block, dtype=np.intp) for block in blocks])
    counts = np.bincount(codes, minlength=len(encoder.labels)).tolist()
    gaps = sum(n for x, n in zip(encoder.labels, counts, strict=True) if is_missing(x))
    if gaps:
        raise missing_values("y_true", gaps)
    there = np.flatnonzero(counts)
    place = np.zeros(len(counts), dtype=np.intp)
    place[there] = np.arange(len(there))
    return [encoder.labels[k] for k in there.tolist()], place[codes]


def _numbers(y_score: Any) -> Array:
    host = to_host("y_score", y_score) if is_device_array(y_score) else y_score
    try:
        given = np.asarray(host)  # numbers as text too
        scores = np.empty((0, 0)) if given.dtype.kind == "c" else given.astype(float)
    except Exception:  # noqa: BLE001  rows of other lengths, or a foreign object
        scores = np.empty((0, 0))
    if scores.ndim != 2 or scores.shape[1] < 2:
        rule = "must be an array of numbers with one column per class"
        given, remedy = type(y_score).__name__, "pass what predict_proba returns"
        raise InvalidArgumentError.from_rule("y_score", rule, given, remedy)
    gaps = int(np.isnan(scores).sum())
    if gaps:
        raise missing_values("y_score", gaps)
    return scores


def _names_of_columns(
    labels: Any, found: list[Any], y_score: Any, n_columns: int
) -> tuple[Any, ...]:
    """Return the label of each column: as given, as the frame calls them, or in order."""
    if labels is not None:
        names = plain_labels("labels", labels)
        if len(names) != n_columns or len(set(names)) != n_columns:
            rule = f"must name the {n_columns} columns of y_score, each once"
            raise LabelError.from_rule("labels", rule, list(names), "pass model.classes_")
        return names
    columns = tuple(getattr(y_score, "columns", ()))
    if columns and set(found) <= set(columns):
        return columns
    if len(found) != n_columns:
        rule = f"must name the {n_columns} columns of y_score"
        given = f"none, and y_true holds {listed(sorted(found, key=order))}"
        raise LabelError(f"labels {rule}, got {given}: pass labels, such as model.classes_.")
    return tuple(sorted(found, key=order))

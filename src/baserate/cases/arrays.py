"""Columns of labels and scores, read block by block without ever being sorted or interpreted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of, same_length
from baserate.cases.cases import ARRAYS, Cases, Part, columns_of
from baserate.cases.columns import check_order, column, one_dimensional
from baserate.cases.counted import Counted
from baserate.cases.devices import MISSING, Totals, count_on_device, live_together
from baserate.cases.encoder import Encoder, tally
from baserate.cases.labels import Labels
from baserate.cases.restated import Names
from baserate.cases.scores import score_array
from baserate.cases.weights import Weights
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix

Missing = Literal["error", "drop"]

LABELS = ("truth", "predictions")  # columns that hold no scores


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

    Raises
    ------
    LabelError
        Nothing says which label is positive (the labels found are listed), or the two columns do
        not use the same labels, hold scores, are empty, or differ in length.
    MissingValueError
        Values are missing; the message counts them in each column.

    Examples
    --------
    >>> from baserate import confusion_matrix
    >>> confusion_matrix(["ill", "ill", "well"], ["ill", "well", "well"], pos_label="ill")
    ConfusionMatrix(tp=1, fn=1, fp=0, tn=1)
    """
    arguments = {"pos_label": pos_label, "sample_weight": sample_weight, "missing": missing}
    return count_labels(y_true, y_pred, **arguments).table


def class_table(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
) -> ClassTable:
    """Count how many cases of each class were called what.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        As for `confusion_matrix`, with any number of labels.
    labels : sequence of labels, optional
        The classes in their order, including any that do not occur. Default: those that occur in
        either column, numbers by size and text by alphabet.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; the table then holds their sums.
    missing : {"error", "drop"}

    Returns
    -------
    ClassTable
        Truth in rows, predictions in columns.

    Raises
    ------
    LabelError
        There are fewer than two classes; a label that occurs is not in `labels`; columns hold
        scores, are empty or differ in length.
    MissingValueError
        Values are missing; the message counts them in each column.

    Examples
    --------
    >>> from baserate import class_table
    >>> class_table(["cat", "ant", "cat", "bird"], ["cat", "ant", "bird", "bird"])
    ClassTable([[1, 0, 0], [0, 1, 0], [0, 1, 1]], ['ant', 'bird', 'cat'])
    """
    given: dict[str, Any] = {"sample_weight": sample_weight, "missing": missing}
    return read_arrays(y_true, {"y_pred": y_pred}, **given).classes(labels).table()


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    strata: Any = None,
    cluster: Any = None,
    case_id: Any = None,
    missing: Missing = "error",
) -> Counted:
    """Count as `confusion_matrix` does, and say what was found on the way.

    `baserate.interval` takes what it returns, weights and clusters included.

    Parameters
    ----------
    y_true, y_pred, pos_label, sample_weight, missing
        As for `confusion_matrix`.
    strata : array-like of shape (n,), optional
        What the clusters of a survey were drawn in.
    cluster : array-like of shape (n,), optional
        What is independent where cases are not: patients of images, topics of questions.
    case_id : array-like of shape (n,), optional
        Rows of one id are the same item again; without a cluster, the item is the cluster.

    Examples
    --------
    Six images of three patients: the recall rests on three, not on four positives.

    >>> from baserate import count_labels
    >>> patient = ["a", "a", "b", "b", "c", "c"]
    >>> counted = count_labels([1, 1, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0], cluster=patient)
    >>> counted.table, counted.design.n_units
    (ConfusionMatrix(tp=3, fn=1, fp=0, tn=2), 3)

    >>> counted = count_labels([1, 0, None, 1], [1, 1, 0, 1], missing="drop")
    >>> counted.table, counted.positive, counted.labels, counted.n, counted.n_missing
    (ConfusionMatrix(tp=2, fn=0, fp=1, tn=0), 1, (0, 1), 3, 1)
    """
    given: dict[str, Any] = {"sample_weight": sample_weight, "missing": missing}
    keys = {"strata": strata, "cluster": cluster, "case_id": case_id}
    given["keys"] = {role: key for role, key in keys.items() if key is not None}
    cases = read_arrays(y_true, {"y_pred": y_pred}, **given)
    return cases.binary(pos_label, argument="pos_label").counted()


def read_arrays(
    y_true: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    scores: Mapping[str, Any] | None = None,
    class_scores: Mapping[str, NDArray[np.float64]] | None = None,
    groups: Mapping[str, Any] | None = None,
    keys: Mapping[str, Any] | None = None,
    key_names: Mapping[str, str] | None = None,
    sample_weight: Any = None,
    missing: str = "error",
    target: str = "y_true",
    weight: str = "sample_weight",
    where: str = ARRAYS,
    replicates: Iterable[str] = (),
    relabel: Names | None = None,
    frequency: str | None = None,
) -> Cases:
    """Read cases from lists, arrays or columns of frames.

    Without scores and keys, cases with the same labels are counted together, in bounded memory.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    predictions : mapping of name to array-like, optional
        Predicted labels of each classifier.
    scores : mapping of name to array-like, optional
        Real numbers, higher for positive.
    class_scores : mapping of name to array of float of shape (n, K), optional
        Real numbers, a column for each class.
    groups : mapping of name to array-like, optional
        Columns of any type.
    keys : mapping of name to array-like, optional
        What belongs together: "fold", "strata", "cluster", "case_id", "run".
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. Cases of weight 0 are left out.
    replicates : iterable of str
        Scores that are replicate weights, which a case may have instead.
    relabel, frequency : mapping, str, optional
        What labels are called instead, and the score that says how many cases a row stands for.
    missing : {"error", "drop"}
        What to do with cases that lack anything: None, nan, NaT, null and masked entries.
    key_names, target, weight, where : mapping of str to str, str
        What messages call the keys, the truth, the weights and the data.

    Raises
    ------
    LabelError
        Columns differ in length or hold no labels.
    InvalidArgumentError
        Scores are no numbers; weights are negative or infinite.
    MissingValueError
        Something is missing, unless `missing` is "drop".

    Examples
    --------
    >>> from baserate.cases.arrays import read_arrays
    >>> labels, risk = ["yes", "no", None], [0.9, 0.2, 0.3]
    >>> two = read_arrays(labels, scores={"risk": risk}, missing="drop").binary("yes")
    >>> two.truth, two.scores["risk"], two.n_missing
    (array([ True, False]), array([0.9, 0.2]), 1)
    """
    one_of("missing", missing, Missing)
    given = (predictions, groups, keys, scores)
    predictions, groups, keys, scores = (dict(columns or {}) for columns in given)
    parts = columns_of(target, predictions, groups, keys)
    columns = [y_true, *predictions.values(), *groups.values(), *keys.values()]
    about = {"target": target, "weight_name": weight, "where": where}
    every = [*((name, values) for (_, name), values in zip(parts, columns, strict=True))]
    check_order([*every, *scores.items(), (weight, sample_weight)])
    totals = None
    if len(parts) == 2 and predictions and not (scores or class_scores):
        names = (target, parts[1][1], weight)
        totals = _counted_on_device(list(zip(names, (*columns, sample_weight), strict=True)))
    if totals is None:
        named = zip(parts, columns, strict=True)
        encoders = [
            Encoder(name, column(name, values), refuse_scores=part in LABELS, runs=True)
            for (part, name), values in named
        ]
        weights = None if sample_weight is None else Weights(weight, sample_weight)
        numbers = {name: score_array(name, values) for name, values in scores.items()}
        numbers |= class_scores or {}
        _same_length(encoders, numbers, weights)
        if numbers or keys:
            named_keys = {("keys", role): name for role, name in (key_names or {}).items()}
            labels = [
                e.whole(named_keys.get(part)) for e, part in zip(encoders, parts, strict=True)
            ]
            cases = _case_by_case(parts, labels, numbers, weights, **about)
            return cases.complete(missing, replicates, relabel=relabel, frequency=frequency)
        totals = tally(encoders, weights)
    weighted = sample_weight is not None
    found = _of_totals(totals, parts, weighted=weighted, **about)
    return found.complete(missing, relabel=relabel)


def _same_length(
    encoders: list[Encoder], numbers: Mapping[str, Any], weights: Weights | None
) -> None:
    sizes = [(encoder.argument, len(encoder.column)) for encoder in encoders]
    sizes += [(name, len(values)) for name, values in numbers.items()]
    sizes += [] if weights is None else [(weights.argument, len(weights))]
    for name, size in sizes:
        same_length(name, size, *sizes[0])


def _case_by_case(
    parts: list[Part],
    labels: list[Labels],
    scores: Mapping[str, NDArray[Any]],
    weights: Weights | None,
    **about: Any,
) -> Cases:
    size = len(labels[0].codes)
    if weights is not None:
        weight = weights.block(0, size)
        about |= {"weight": weight, "squared": weight * weight}
    count = np.broadcast_to(np.int64(1), size)
    return Cases.of(parts, labels, scores=scores, count=count, **about)


def _of_totals(totals: Totals, parts: list[Part], *, weighted: bool, **about: Any) -> Cases:
    """Make a row of every combination of labels that occurs, and of the kinds of weights."""
    columns = list(zip(*totals, strict=True)) if totals else [()] * (len(parts) + 1)
    count, weight, squared = zip(*totals.values(), strict=True) if totals else ((), (), ())
    if weighted:
        absent = np.array(columns[-1]) == MISSING
        about |= {"weight": np.where(absent, np.nan, weight), "squared": np.array(squared)}
    labels = map(Labels.of, columns[:-1])
    return Cases.of(parts, labels, count=np.array(count, dtype=np.int64), **about)


def _counted_on_device(columns: list[tuple[str, Any]]) -> Totals | None:
    """Count where the arrays live, if they live together; they must be columns of one length."""
    given = [(name, array) for name, array in columns if array is not None]
    if not live_together(*(array for _, array in given)):
        return None
    shapes = [(name, tuple(array.shape)) for name, array in given]
    if any(len(shape) == 2 and shape[1] == 1 for _, shape in shapes):
        return None  # column vectors are unfolded by the processor
    for name, shape in shapes:
        one_dimensional(name, shape)
        same_length(name, shape[0], shapes[0][0], shapes[0][1][0])
    return count_on_device(*columns)

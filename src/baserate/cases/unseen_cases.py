"""What the models of a cross-validation said of cases they had not seen."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import same_length
from baserate._result import json_ready
from baserate.cases.values import distinct, plain_label
from baserate.errors import (
    InvalidArgumentError,
    LabelError,
    MissingDependencyError,
    UnsupportedError,
)

NEEDED = ("estimator", "indices")
SCORES = ("predict_proba", "decision_function")


class HeldOut(NamedTuple):
    """Held-out cases in the order of the folds, each as often as it was held out.

    Attributes
    ----------
    score : array of shape (n,) or (n, K), or None
        Higher for the positive class; of several classes, a column for each. None for classifiers
        without scores, or where `decision_function` has no column for each class.
    fold : array of shape (n,)
        0, 1, ...: which model judged the case.
    rows : array of shape (n,)
        Where the case stands in the data.
    positive : label
        The class that the score is of; None of several classes.
    classes : tuple or None
        The classes of the columns of `score`.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    score: NDArray[np.float64] | None
    fold: NDArray[np.int64]
    rows: NDArray[np.int64]
    positive: Any
    classes: tuple[Any, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists, by name."""
        return json_ready(self._asdict())


def held_out(results: Mapping[str, Any], X: Any, y: Any, *, pos_label: Any = None) -> HeldOut:  # noqa: N803
    """Ask the models of ``cross_validate`` about the cases each had not seen.

    What it returns is data for `baserate.evaluate`, `baserate.audit` and `baserate.thresholds`,
    and a mapping of name to such for `baserate.compare`. Decisions are counted together. Scores are
    not ranked together, since each fold's come from a model of its own: ROC areas, average
    precision and other ranking measures are means of those within folds, with an interval for what
    these models reach; see `baserate.roc_auc`.

    Folds share training cases, which counts of decisions do not show. Where labels tell nothing,
    95% intervals of accuracy held 1/2 in 74 to 87% of samples (``benchmarks/bench_held_out.py``).

    Parameters
    ----------
    results : dict
        Of ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y
        The same data.
    pos_label : label, optional
        Which class the scores are of. Default: the second of two ``classes_``; of more, all of
        them, a column each.

    Raises
    ------
    InvalidArgumentError
        The results hold no estimators or no indices.

    References
    ----------
    Forman and Scholz (2010), SIGKDD Explorations 12:49, doi:10.1145/1882471.1882479. Airola,
    Pahikkala, Waegeman, De Baets and Salakoski (2011), Computational Statistics and Data Analysis
    55:1828, doi:10.1016/j.csda.2010.11.018.

    Examples
    --------
    >>> import baserate as br
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> kept = {"return_estimator": True, "return_indices": True}
    >>> found = br.held_out(cross_validate(tree, X, y, cv=5, **kept), X, y)
    >>> len(found.y_true), sorted(set(found.fold.tolist()))
    (569, [0, 1, 2, 3, 4])
    >>> br.evaluate(found).table
    ConfusionMatrix(tp=339, fn=18, fp=23, tn=189)
    """
    if not isinstance(results, Mapping):
        rule, remedy = "must be a mapping", "pass what cross_validate returns"
        raise InvalidArgumentError.from_rule("results", rule, results, remedy)
    for name in NEEDED:
        if name not in results:
            rule = f"must hold {name!r}"
            remedy = f"call cross_validate with return_{name}=True"
            raise InvalidArgumentError.from_rule("results", rule, [*results], remedy)
    labels = _labels(y)
    tests, models = _parts(results)
    same_length("results['estimator']", len(models), "results['indices']['test']", len(tests))
    predicted = [
        np.asarray(model.predict(rows_of(X, test)))
        for model, test in zip(models, tests, strict=True)
    ]
    classes = distinct(label for model in models for label in np.asarray(model.classes_).tolist())
    several = len(classes) > 2 and pos_label is None
    positive = None if several else positive_of(models[0].classes_, pos_label)
    scores = [
        scores_of_all(model, rows_of(X, test), classes)
        if several
        else scores_of(model, rows_of(X, test), positive_of(model.classes_, pos_label))
        if any(hasattr(model, name) for name in SCORES)
        else None
        for model, test in zip(models, tests, strict=True)
    ]
    rows = np.concatenate(tests)
    if rows.max(initial=-1) >= len(labels):
        rule, remedy = "must hold every case of results", "pass what cross_validate was given"
        raise LabelError.from_rule("y", rule, len(labels), remedy)
    known = [score for score in scores if score is not None]
    return HeldOut(
        y_true=labels[rows],
        y_pred=np.concatenate(predicted),
        score=np.concatenate(known) if len(known) == len(models) else None,
        fold=np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
        rows=rows,
        positive=positive,
        classes=classes if several else None,
    )


def _parts(results: Mapping[str, Any]) -> tuple[list[Any], Any]:
    try:
        tests = [_places(test) for test in results["indices"]["test"]]
        return tests, [*results["estimator"]]
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        rule, remedy = "must hold estimators and indices", "pass what cross_validate returns"
        raise InvalidArgumentError.from_rule("results", rule, results, remedy) from None


def _places(test: Any) -> NDArray[np.intp]:
    """Return which cases these are, also where a mask says so."""
    places = np.asarray(test)
    return np.flatnonzero(places) if places.dtype == bool else places.astype(np.intp)


def _labels(y: Any) -> NDArray[Any]:
    try:
        labels = np.asarray(y)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        labels = np.empty((0, 0))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        rule, remedy = "must be a column of labels", "pass what cross_validate was given"
        raise LabelError.from_rule("y", rule, y, remedy)
    return labels


def scores_of(estimator: Any, X: Any, positive: Any) -> Any:  # noqa: N803
    """Return one score per case, higher for the positive class."""
    place = np.asarray(estimator.classes_).tolist().index(positive)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, place]
    scores = np.asarray(estimator.decision_function(X))
    if scores.ndim == 1:
        return scores if place else -scores
    if scores.shape[1] != len(estimator.classes_):
        kind = type(estimator).__name__
        raise UnsupportedError(
            f"decision_function of {kind} compares pairs of classes, so that no column is the "
            "score of one class: use a classifier with predict_proba, or one against the rest."
        )
    return scores[:, place]


def scores_of_all(estimator: Any, X: Any, classes: Sequence[Any]) -> Any:  # noqa: N803
    """Return a score per case and class; a class that a fold never saw has probability 0.

    None if there are no scores, or decisions between pairs of classes, or a class is unknown.
    """
    own = np.asarray(estimator.classes_).tolist()
    if hasattr(estimator, "predict_proba"):
        found = np.asarray(estimator.predict_proba(X))
    elif hasattr(estimator, "decision_function") and len(own) == len(classes):
        found = np.asarray(estimator.decision_function(X))
    else:
        return None
    if found.ndim != 2 or found.shape[1] != len(own):
        return None
    whole = np.zeros((len(found), len(classes)))
    whole[:, [classes.index(label) for label in own]] = found
    return whole


def positive_of(classes: Any, pos_label: Any) -> Any:
    """Return the positive label: the one asked for, or the last class."""
    if pos_label is None:
        return classes[-1]
    label = plain_label("pos_label", pos_label)
    if label not in classes.tolist():
        rule, remedy = f"must be one of {classes.tolist()}", "the default is the last of these"
        raise LabelError.from_rule("pos_label", rule, pos_label, remedy)
    return classes[classes.tolist().index(label)]


def rows_of(X: Any, rows: Any) -> Any:  # noqa: N803
    """Return some cases, whatever holds them: an array, a frame, a list, a sparse matrix."""
    with MissingDependencyError.unless_installed("scikit-learn", "held_out", "sklearn"):
        from sklearn.utils import _safe_indexing  # pyright: ignore[reportPrivateUsage]

    try:
        return _safe_indexing(X, rows)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        rule, remedy = "must hold every case of results", "pass what cross_validate was given"
        raise InvalidArgumentError.from_rule("X", rule, type(X).__name__, remedy) from None

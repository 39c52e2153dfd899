"""Weights of classes: which class to call a case where the most probable one is not the best."""

from dataclasses import dataclass
from math import exp, inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import float_array
from baserate._result import Result
from baserate.class_counts import ClassTable
from baserate.curves.class_scores import ClassScores
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric, class_metric, get
from baserate.tuning.coordinate_ascent import BEYOND, Scored, climb
from baserate.tuning.optimal import optimal_threshold
from baserate.tuning.targets import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalClassWeights(Result):
    """Weights of classes, and how good the decisions by the largest weighted probability are.

    Attributes
    ----------
    metric : str
    labels : tuple
        In the order of the columns.
    weights : array of shape (K,)
        Above 0, with geometric mean 1: only their ratios matter. A class that is never called here
        has half the weight that would give it its first case.
    value : float
        The metric with these weights, on the same cases: too good by its own choice, see
        `class_weight_spread`.
    unweighted : float
        The metric where the most probable class is called; nan where that is undefined.
    table : ClassTable
        With these weights.
    route : {"exact", "coordinate ascent"}
        Of two classes every cut point was looked at; of more the optimum is local.
    """

    metric: str
    labels: tuple[Any, ...]
    weights: Values
    value: float
    unweighted: float
    table: ClassTable
    route: str

    def __float__(self) -> float:
        return self.value

    def decide(self, probabilities: Any) -> NDArray[Any]:
        """Return the label of the largest weighted probability of each row; ties: the first.

        Examples
        --------
        >>> from baserate.tuning import optimal_class_weights
        >>> p = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.5, 0.1, 0.4], [0.1, 0.1, 0.8]]
        >>> found = optimal_class_weights("macro_f1", [0, 1, 2, 2], p)
        >>> found.decide(p).tolist(), found.value
        ([0, 1, 2, 2], 1.0)
        """
        p = float_array("probabilities", probabilities)
        if p.ndim != 2 or p.shape[1] != len(self.labels):
            rule = f"must have a row per case and {len(self.labels)} columns, one per class"
            remedy = "pass what predict_proba returns"
            raise InvalidArgumentError.from_rule("probabilities", rule, p.shape, remedy)
        return np.array(self.labels)[decided(p, self.weights)]


def decided(probabilities: Values, weights: Values) -> NDArray[np.intp]:
    """Return the column of the largest weighted probability of each row; ties: the first."""
    return (probabilities * weights).argmax(axis=1)


def optimal_class_weights(
    metric: str | Metric | ClassMetric,
    y_true: Any,
    probabilities: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
) -> OptimalClassWeights:
    """Find weights w such that calling each case argmax over k of w_k p_k is best for a metric.

    With calibrated probabilities the best weights are known where the metric is a mean over cases
    in which only the right calls of each class count: all equal for accuracy, and one over the
    share of the class for balanced accuracy. Else they are found by coordinate ascent: one class at
    a time moves to the best of all its cut points, until none improves, from equal weights and from
    one over the class shares. Of two classes this is the optimum, and the answer of
    `optimal_threshold`; of more it is local, and a better one may exist. Weights lie in the middle,
    on a logarithmic scale, of those that do as well, and are equal wherever that does as well here.

    Where utilities of wrong calls differ, no weights of classes give the best decisions: use
    `UtilityMatrix.decide`.

    Parameters
    ----------
    metric : str, Metric or ClassMetric
        Such as "macro_f1", "balanced_accuracy", "mcc", "kappa". Of two classes also a metric of
        four counts, whose positive class is the second.
    y_true : array-like of shape (n,)
    probabilities : array-like of shape (n, K)
        One column per class, in [0, 1]; rows sum to one. A class with probability 0 is not called.
    labels : sequence of K labels, optional
        The classes in the order of the columns. Default: the column names of a frame if these are
        labels, else those that occur, numbers by size and text by alphabet.
    sample_weight : array-like of shape (n,), optional

    Raises
    ------
    InvalidArgumentError, LabelError, MissingValueError
        Of this metric neither more nor less is better; columns do not fit.
    UnsupportedError
        The metric is undefined with all weights that were looked at, or needs the cases of a class
        that has none.

    References
    ----------
    Narasimhan, Ramaswamy, Saha and Agarwal (2015), Consistent multiclass algorithms for complex
    performance measures, ICML, PMLR 37:2398-2407: the best decisions for such metrics are those of
    a metric that is linear in the table.

    Examples
    --------
    A rare class is called where it is not the most probable:

    >>> from baserate.tuning import optimal_class_weights
    >>> import numpy as np
    >>> y = np.repeat([0, 1, 2], [6, 6, 2])
    >>> p = np.array([[0.7, 0.2, 0.1]] * 6 + [[0.2, 0.6, 0.2]] * 6 + [[0.4, 0.2, 0.4]] * 2)
    >>> found = optimal_class_weights("macro_f1", y, p)
    >>> round(found.unweighted, 3), found.value, bool(found.weights[2] > found.weights[0])
    (0.619, 1.0, True)
    """
    read = ClassScores.of(y_true, probabilities, labels, sample_weight).check_probabilities()
    cases = Scored.of(read.scores, read.truth, read.weights)
    two = read.n_classes == 2
    of_two = _of_four_counts(metric) if two else None
    if of_two is not None:
        return _by_threshold(of_two, read, cases)
    chosen = checked_target(metric, read)
    found = climb(chosen, cases)
    if isnan(found.value):
        raise UnsupportedError(
            f"{chosen.name} is undefined with all weights of classes that were looked at: choose "
            f"another metric, such as {chosen.name}.defined of averages."
        )
    return _answer(chosen, read, cases, found.offsets, "exact" if two else "coordinate ascent")


def checked_target(metric: str | Metric | ClassMetric, cases: ClassScores) -> ClassMetric:
    """Return the metric of class tables; refuse one that weights cannot be chosen by."""
    chosen = class_metric(metric)
    if chosen.direction == "neither":
        rule = "must be a metric for which more or less is better"
        remedy = "choose another, or decide by expected utility (UtilityMatrix.decide)"
        raise InvalidArgumentError.from_rule("metric", rule, chosen.name, remedy)
    if cases.absent and chosen.undefined_classes == "propagate":
        raise UnsupportedError(
            f"{chosen.name} needs cases of every class, and there are {cases.absent}: collect "
            f"some, leave their columns out, or use {chosen.name}.defined."
        )
    return chosen


def _of_four_counts(metric: str | Metric | ClassMetric) -> Metric | None:
    """Return the metric of four counts that this is where there are two classes."""
    found = get(metric)
    return found if isinstance(found, Metric) else found.two_classes


def _by_threshold(metric: Metric, read: ClassScores, cases: Scored) -> OptimalClassWeights:
    """Cut the second of two classes where `optimal_threshold` does.

    Unless it cuts above a probability of 1, or below 0, where no weights lead: then at the best cut
    between.
    """
    weight, several = read.weights if read.is_weighted else None, _of_two_classes(metric)
    best = optimal_threshold(metric, read.truth == 1, read.scores[:, 1], sample_weight=weight)
    called = read.scores[:, 1] >= best.threshold
    at = cases.logs[:, 0] - cases.logs[:, 1]  # the second class is called below its offset
    low, high = at[called].max(initial=-inf), at[~called].min(initial=inf)
    low = high - 2 * BEYOND if low == -inf else low
    high = low + 2 * BEYOND if high == inf else high
    if np.isfinite([low, high]).all() and low < high:
        offset = float(low + high) / 4
        return _answer(several, read, cases, np.array([-offset, offset]), "exact")
    return _answer(several, read, cases, climb(several, cases).offsets, "exact")


def _of_two_classes(metric: Metric) -> ClassMetric:
    """Return a metric of four counts as one of tables of two classes, the second positive."""
    return ClassMetric(
        name=metric.name,
        definition=metric.definition,
        meaning=metric.meaning,
        of_margins=lambda *_: np.nan,  # of two classes `two_classes` is asked
        two_classes=metric,
        bounds=metric.bounds,
        direction=metric.direction,
    )


def _answer(
    metric: ClassMetric, read: ClassScores, cases: Scored, offsets: Values, route: str
) -> OptimalClassWeights:
    plain, table = (_named(cases, b, read) for b in (np.zeros(len(offsets)), offsets))
    return OptimalClassWeights(
        metric=metric.name,
        labels=read.labels,
        weights=np.array([exp(b) for b in offsets]),
        value=float(metric(table)),
        unweighted=float(metric(plain)),
        table=table,
        route=route,
    )


def _named(cases: Scored, offsets: Values, read: ClassScores) -> ClassTable:
    return ClassTable(cases.table(offsets).counts, read.labels)

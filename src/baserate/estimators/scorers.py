"""Scorers for scikit-learn's searches: any metric, its skill, over groups, and mean utility."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.metrics import make_scorer

from baserate._checks import refuse_given
from baserate.errors import InvalidArgumentError
from baserate.estimators.metric_functions import metric_function
from baserate.metrics import ClassMetric, Metric
from baserate.utilities import UtilityMatrix

PROBABILITIES = "predict_proba"
SCORES = ("predict_proba", "decision_function")
_Scorer: Any = type(make_scorer(len))


def scorer(
    metric: str | Metric | ClassMetric | None = None,
    *,
    average: str = "binary",
    guess: str | float | None = None,
    threshold: float | None = None,
    utility: UtilityMatrix | Any = None,
    base_rate: float | None = None,
    groups: str | None = None,
    pos_label: Any = None,
    labels: Any = None,
    undefined: str | float = "warn",
) -> "MetricScorer":
    """Return a scorer ``s(estimator, X, y)`` for scikit-learn's searches and cross-validation.

    Metrics of which less is better are returned as negatives, as scikit-learn's ``neg_`` scorers
    are, so that a search for the greatest score is right.

    Parameters
    ----------
    metric : str, Metric or ClassMetric, optional
        Any metric of tables; left out with a utility. Of several classes, one that answers for
        these ("mcc", "accuracy"), or an average over classes ("macro_f1").
    average, base_rate
        As in `metric_function`.
    guess : str or float, optional
        Score the skill beyond this guess (see `baserate.skill`). With a utility: beyond the best
        constant decision, whatever the guess is called.
    threshold : float, optional
        Cut the estimator's probabilities (or decision function) here, instead of asking for its
        predictions: positive if score >= threshold. Needed by metrics of a decision at a threshold,
        such as net benefit.
    utility : UtilityMatrix, optional
        Score the mean utility per case of the predicted decisions; with more or fewer decisions
        than classes, of those that probabilities decide, if classes are predicted. Its classes and
        decisions are matched by name; without names they are the estimator's ``classes_``, in
        order. Metadata ``amounts`` (shape (n,)) multiplies the utilities of each case;
        ``utilities`` (shape (n, n_decisions, n_classes)) replaces them.
    groups : {"worst", "gap"}, optional
        Score the worst group, or the (negative) gap between groups; needs the metadata ``groups``.
    pos_label : label, optional
        The positive label. Default: True, or 1 of {0, 1} or {-1, 1}.
    labels : sequence of labels, optional
        All classes of an average, including those that a fold lacks: there it is then undefined.
        Default: those that occur in the fold.
    undefined : {"warn", "nan", "worst", "raise"} or float
        What a score is where the metric is undefined, as in a fold without positives: nan, with an
        ``UndefinedMetricWarning`` that says why ("warn"), or as in `metric_function`. Threshold
        searches (``TunedThresholdClassifierCV``) take nan for the best; for them it is "worst",
        unless a number or "raise" is given.

    Returns
    -------
    MetricScorer
        With ``enable_metadata_routing=True`` it requests what it needs (``groups``); ask for more,
        such as ``sample_weight``, ``amounts`` or ``utilities``, by its ``set_score_request``.

    Raises
    ------
    InvalidArgumentError
        Neither or both of metric and utility are given, or options of the one beside the other.

    Examples
    --------
    Flagging everything has an F1 of 0.77 here, and no skill:

    >>> from baserate import scorer
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> everything = DummyClassifier(strategy="constant", constant=1).fit(X, y)
    >>> round(scorer("f1")(everything, X, y), 2)
    0.77
    >>> scorer("f1", guess="dutch_draw")(everything, X, y)
    0.0

    Of several classes:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> round(scorer("f1", average="macro")(GaussianNB().fit(X, y), X, y), 4)
    0.96
    """
    if (metric is None) == (utility is None):
        rule, remedy = "must be given, or a utility instead", "pass one of metric and utility"
        raise InvalidArgumentError.from_rule("metric", rule, metric, remedy)
    if metric is not None:
        function: Any = metric_function(
            metric, average=average, guess=guess, threshold=threshold, base_rate=base_rate,
            groups=groups, undefined="worst" if _left_out(undefined) else undefined,
        )  # fmt: skip
        sign = 1 if function.greater_is_better else -1
    else:
        usual = isinstance(average, str) and average == "binary"
        refuse_given(
            "has no meaning beside a utility", threshold=threshold, base_rate=base_rate,
            groups=groups, pos_label=pos_label, labels=labels, average=None if usual else average,
        )  # fmt: skip
        matrix = utility if isinstance(utility, UtilityMatrix) else UtilityMatrix(utility)
        function, sign = UtilityFunction(matrix, skilled=guess is not None), 1
    return MetricScorer(
        function,
        sign,
        {k: v for k, v in (("pos_label", pos_label), ("labels", labels)) if v is not None},
        "predict" if threshold is None else SCORES,
        undefined,
    )


def _left_out(undefined: Any) -> bool:
    """Whether undefined scores are nan, with a warning or without."""
    return isinstance(undefined, str) and undefined in {"warn", "nan"}


class MetricScorer(_Scorer):
    """A scorer of any metric; made by `scorer`.

    A subclass of what ``make_scorer`` returns, so that scorers of several metrics share one
    prediction and threshold searches can take it apart.
    """

    def __init__(
        self, function: Any, sign: int, kwargs: Any, response_method: Any, undefined: Any
    ) -> None:
        super().__init__(function, sign, kwargs, response_method)
        self._undefined = undefined
        if getattr(function, "groups", None) is not None:
            with config_context(enable_metadata_routing=True):
                self.set_score_request(groups=True)

    def __eq__(self, other: object) -> bool:
        """Whether the other asks the same of the same; a copy does."""
        return type(other) is type(self) and self._asked() == other._asked()

    def __hash__(self) -> int:
        """Return what equal scorers share."""
        return hash((self._score_func, self._sign))

    def _asked(self) -> tuple[Any, ...]:
        routed = str(getattr(self, "_metadata_request", None))
        how = (self._sign, self._kwargs, self._response_method, self._undefined)
        return (self._score_func, *how, routed)

    def _get_pos_label(self) -> Any:
        """Return the label asked for, without looking up what the function's default is."""
        return self._kwargs.get("pos_label")

    def _score(self, method_caller: Any, estimator: Any, *args: Any, **kwargs: Any) -> float:
        if isinstance(self._score_func, UtilityFunction):
            kwargs["classes"] = getattr(estimator, "classes_", None)
            if self._response_method == PROBABILITIES:
                kwargs["decides"] = True
            elif self._score_func.lacks(method_caller(estimator, "predict", args[0])):
                asked = (self._score_func, self._sign, self._kwargs, PROBABILITIES)
                twin = MetricScorer(*asked, self._undefined)
                return twin._score(method_caller, estimator, *args, **kwargs)
        else:
            # What scorers of one prediction share in scikit-learn; None, or not there, elsewhere.
            kwargs["memory"] = next(iter(getattr(method_caller, "args", ())), None)
            if _left_out(self._undefined):
                kwargs["undefined"] = self._undefined
        return float(super()._score(method_caller, estimator, *args, **kwargs))

    def __repr__(self) -> str:
        return f"scorer({self._score_func!r})"


@dataclass(frozen=True)
class UtilityFunction:
    """The mean utility per case of decisions, as a function of true classes and decisions.

    `skilled` rescales it between the best constant decision (0) and perfection (1).
    """

    utility: UtilityMatrix
    skilled: bool = False

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        amounts: Any = None,
        utilities: Any = None,
        classes: Any = None,
        decides: bool = False,
    ) -> float:
        """Return the mean utility; `classes` name the columns of a matrix without names.

        Probabilities of these classes are taken where it `decides`: for the best decision.
        """
        named = named_matrix(self.utility, np.unique(y_true) if classes is None else classes)
        if decides:
            y_pred = _decided(named, y_pred, list(np.asarray(classes).tolist()))
        u = _of_cases(named, len(np.asarray(y_true)), amounts, utilities)
        reached = u.yield_from_labels(y_true, y_pred, sample_weight=sample_weight)
        if not self.skilled:
            return reached
        truth = list(u.class_names)
        constant = max(
            u.yield_from_labels(y_true, [d] * len(np.asarray(y_true)), sample_weight=sample_weight)
            for d in u.decision_names
        )
        perfect = _perfect(u, y_true, truth, sample_weight)
        return (reached - constant) / (perfect - constant) if perfect > constant else float("nan")

    def lacks(self, predictions: Any) -> bool:
        """Whether predictions are classes, and decisions are more or fewer than these."""
        u = self.utility
        known = {*np.asarray(predictions).tolist()} <= {*u.decision_names}
        return u.n_decisions != u.n_classes and not known


def _decided(u: UtilityMatrix, probabilities: Any, classes: list[Any]) -> list[Any]:
    """Return the decision with the highest expected utility; p is that of the second of two."""
    p = np.asarray(probabilities)
    p = np.stack((1 - p, p), axis=1) if p.ndim == 1 else p
    places = u.decide(p[:, [classes.index(name) for name in u.class_names]])
    return [u.decision_names[k] for k in places]


def named_matrix(utility: UtilityMatrix, classes: Any) -> UtilityMatrix:
    """Return the matrix with names: its own, or the classes of an estimator in their order."""
    names = tuple(np.asarray(classes).tolist())
    if utility.classes is None and utility.n_classes != len(names):
        rule = f"must have one column per class ({len(names)})"
        remedy = "name its classes, or give it as many columns"
        raise InvalidArgumentError.from_rule("utility", rule, utility.n_classes, remedy)
    square = utility.n_decisions == utility.n_classes
    columns = names if utility.classes is None else utility.classes
    rows = utility.decisions
    if rows is None and square:
        rows = columns
    return UtilityMatrix(utility.matrix, rows, columns, utility.positive)


def _of_cases(u: UtilityMatrix, n: int, amounts: Any, utilities: Any) -> UtilityMatrix:
    """Return the matrix of each case, where cases have stakes of their own."""
    if amounts is None and utilities is None:
        return u
    matrix = u.matrix if utilities is None else np.asarray(utilities, dtype=float)
    matrix = np.broadcast_to(matrix, (n, *matrix.shape[-2:]))
    if amounts is not None:
        matrix = matrix * np.asarray(amounts, dtype=float)[:, None, None]
    return UtilityMatrix(matrix, u.decisions, u.classes, u.positive)


def _perfect(u: UtilityMatrix, y_true: Any, names: list[Any], sample_weight: Any) -> float:
    """Return the mean utility of the best decision for every case."""
    best = u.matrix.max(axis=-2)
    place = np.array([names.index(label) for label in np.asarray(y_true).tolist()])
    each = best[place] if best.ndim == 1 else best[np.arange(len(place)), place]
    return float(np.average(each, weights=sample_weight))

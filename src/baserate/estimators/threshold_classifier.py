"""A classifier cut or weighted where a metric is best on held-out cases, and its promise."""

from collections.abc import Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from baserate._checks import refuse_given
from baserate.baselines import skill
from baserate.cases import class_table
from baserate.cases.unseen_cases import positive_of, rows_of, scores_of, scores_of_all
from baserate.class_counts import ClassTable, total
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.estimators.checks import fit_tags, one_output, take_over_names
from baserate.metrics import class_metric
from baserate.tuning import cross_validated_threshold, optimal_class_weights
from baserate.tuning.class_weights import OptimalClassWeights
from baserate.tuning.cross_validated import CrossValidatedThreshold

Folds = Sequence[tuple[Any, NDArray[np.float64]]]  # truth and probabilities of each


class JudgedWeights(NamedTuple):
    """Weights of all folds together, and what they are worth.

    Attributes
    ----------
    best : OptimalClassWeights
    value : float
        Of the calls of all folds together: with the weights that the other folds choose if nested.
    fold_values : array
        Of each fold alone; nan where it is undefined.
    optimism : float
        What the naive value adds to the nested one; nan unless nested.
    """

    best: OptimalClassWeights
    value: float
    fold_values: NDArray[np.float64]
    optimism: float


def judged_weights(
    metric: Any, folds: Folds, classes: Sequence[Any], *, guess: Any, nested: bool
) -> JudgedWeights:
    """Find weights on the cases of all folds, and judge each fold by them or by its others'."""
    best = _best(metric, folds, classes)
    naive = [_table(best, fold) for fold in folds]
    tables = naive
    if nested:
        others = [[*folds[:k], *folds[k + 1 :]] for k in range(len(folds))]
        own = [_best(metric, rest, classes) for rest in others]
        tables = [_table(found, fold) for found, fold in zip(own, folds, strict=True)]
    values = np.array([_value(metric, table, guess) for table in tables])
    whole, flattered = (_value(metric, total(each), guess) for each in (tables, naive))
    sign = -1 if guess is None and class_metric(metric).direction == "lower" else 1
    return JudgedWeights(best, whole, values, sign * (flattered - whole) if nested else nan)


def need_probabilities(estimator: Any) -> None:
    """Refuse a classifier whose decisions cannot be weighted."""
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise UnsupportedError(
            f"Weights of several classes need probabilities, and {kind} has no predict_proba: wrap "
            f"it in CalibratedClassifierCV, or name one class by labels such as y == 'ill'."
        )


def _best(metric: Any, folds: Folds, classes: Sequence[Any]) -> OptimalClassWeights:
    truth, scores = (np.concatenate([fold[side] for fold in folds]) for side in (0, 1))
    return optimal_class_weights(metric, truth, scores, labels=classes)


def _table(found: OptimalClassWeights, fold: tuple[Any, NDArray[np.float64]]) -> ClassTable:
    truth, scores = fold
    return class_table(truth, found.decide(scores), labels=found.labels)


def _value(metric: Any, table: ClassTable, guess: Any) -> float:
    chosen = class_metric(metric)
    return float(chosen(table)) if guess is None else skill(chosen, table, guess=guess).value


class ThresholdClassifierCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Cut the scores of a classifier where a metric is best over cross-validation folds.

    It has no ``predict_proba``: scikit-learn lets callers take the likelier class for the
    prediction, which a cut elsewhere than at 1/2 contradicts. Ask ``estimator_`` for probabilities.

    Every distinct held-out score competes. The threshold has the best mean over folds; then the
    estimator is fitted to all cases. What the threshold scores on the cases that chose it flatters;
    nested, each fold is judged at the threshold that the other folds choose.

    Of more than two classes, probabilities are weighted instead, and the class with the largest
    weighted one is called: see `baserate.tuning.optimal_class_weights`.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` or ``decision_function``
        Of several classes with ``predict_proba``.
    metric : str, Metric or ClassMetric
        Of several classes such as "macro_f1".
    constraint : str or sequence of str, optional
        Such as "recall >= 0.9", over the held-out cases of all folds together; on new cases it is
        kept about half of the time (see `baserate.thresholds`).
    guess : str, float or None
        Average the skill beyond this guess over folds (see `baserate.skill`); None averages the
        metric itself. Where a threshold calls all or nothing of a fold positive, it guesses: a
        metric that is undefined there has skill 0.
    cv : int, splitter or iterable, optional
        Default: five stratified folds, or as many as the smaller class has cases.
    nested : bool
        Whether `best_score_` is the nested mean, without the optimism of the choice.
    pos_label : label, optional
        Default: the second of ``classes_``, as scikit-learn has it.
    n_jobs : int, optional

    Attributes
    ----------
    best_threshold_ : float
        Positive if score >= threshold. Of two classes only.
    best_weights_ : array of shape (n_classes,)
        Of several classes only, in the order of ``classes_``; their geometric mean is 1.
    best_score_ : float
        Mean skill (or metric) over folds: what to expect on new cases if nested. Of several classes
        that of the calls of all folds together, since a fold may lack a class.
    fold_scores_ : array of shape (n_folds,)
        The same of each fold: their spread is that of test sets of a fold's size.
    optimism_ : float
        What the naive mean adds to the nested one; nan unless nested.
    cv_results_ : CrossValidatedThreshold or OptimalClassWeights
        All candidates and their mean; or the weights of all folds together.
    estimator_ : classifier
        Fitted to all cases.
    positive_, classes_, n_features_in_, feature_names_in_
        The positive class of two classes only.

    See Also
    --------
    baserate.cross_validated_threshold : The same of scores that are there already.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, equations 2 and 3.

    Examples
    --------
    >>> from baserate import ThresholdClassifierCV
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> x = np.arange(60.0)[:, None]
    >>> y = (x[:, 0] > 48) | (x[:, 0] % 7 == 0)
    >>> tuned = ThresholdClassifierCV(LogisticRegression(), "f1").fit(x, y)
    >>> bool(tuned.best_threshold_ < 0.5), bool(tuned.optimism_ >= 0)
    (True, True)

    A rare class of three:

    >>> kind = np.where(x[:, 0] % 5 == 0, "rare", np.where(x[:, 0] > 30, "high", "low"))
    >>> tuned = ThresholdClassifierCV(LogisticRegression(), "macro_f1").fit(x, kind)
    >>> tuned.classes_.tolist(), bool(tuned.best_weights_[2] > 1)
    (['high', 'low', 'rare'], True)
    """

    def __init__(
        self,
        estimator: Any,
        metric: Any = "balanced_accuracy",
        *,
        constraint: Any = None,
        guess: Any = "dutch_draw",
        cv: Any = None,
        nested: bool = True,
        pos_label: Any = None,
        n_jobs: Any = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.constraint = constraint
        self.guess = guess
        self.cv = cv
        self.nested = nested
        self.pos_label = pos_label
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, **params: Any) -> "ThresholdClassifierCV":  # noqa: N803
        """Choose the threshold, then fit the estimator to all cases.

        Further arguments are routed to the estimator's ``fit`` and to the splitter.
        """
        indexed: Any = indexable(X, one_output(y))
        X, labels = indexed  # noqa: N806
        routed = process_routing(self, "fit", **params)
        classes, given = np.unique(labels), routed.estimator.fit
        several = len(classes) > 2
        if several:
            self._check_several()
        positive = None if several else positive_of(classes, self.pos_label)
        folds = _folds(labels) if self.cv is None else self.cv
        splitter: Any = check_cv(folds, labels, classifier=True)
        splits = splitter.split(X, labels, **routed.splitter.split)
        held: Any = Parallel(n_jobs=self.n_jobs)(
            delayed(_held_out)(self.estimator, X, labels, split, given, positive, classes.tolist())
            for split in splits
        )
        found = self._weights(held, classes) if several else self._threshold(held)
        fresh: Any = clone(self.estimator)
        self.estimator_ = fresh.fit(X, labels, **given)
        take_over_names(self)
        self._keep(found, positive)
        return self

    def _threshold(self, held: Any) -> CrossValidatedThreshold:
        return cross_validated_threshold(
            self.metric,
            held,
            guess=self.guess,
            constraint=self.constraint,
            nested=self.nested,
            undefined="drop" if self.guess is None else "zero",
        )

    def _weights(self, held: Any, classes: Any) -> JudgedWeights:
        names = classes.tolist()
        return judged_weights(self.metric, held, names, guess=self.guess, nested=self.nested)

    def _check_several(self) -> None:
        need_probabilities(self.estimator)
        rule = "has no meaning for more than two classes"
        refuse_given(rule, constraint=self.constraint, pos_label=self.pos_label)

    def _keep(self, found: CrossValidatedThreshold | JudgedWeights, positive: Any) -> None:
        """Hold what was found; a fit to other classes before leaves nothing behind."""
        for name in ("best_threshold_", "best_weights_", "positive_"):
            vars(self).pop(name, None)
        if isinstance(found, JudgedWeights):
            self.best_weights_, self.cv_results_ = found.best.weights, found.best
            self.best_score_, self.fold_scores_ = found.value, found.fold_values
        else:
            self.best_threshold_, self.cv_results_, self.positive_ = (
                found.threshold,
                found,
                positive,
            )
            self.best_score_, self.fold_scores_ = found.value, found.values
        self.optimism_ = found.optimism

    @property
    def classes_(self) -> Any:
        """The labels."""
        return self.estimator_.classes_

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the positive label where the score reaches the threshold.

        Of several classes the one with the largest weighted probability; of equal ones the first.
        """
        check_is_fitted(self, "estimator_")
        found = self.decision_function(X)
        if found.ndim == 2:
            return self.classes_[found.argmax(axis=1)]
        other = self.classes_[self.classes_ != self.positive_][0]
        return np.where(found > 0, self.positive_, other).astype(self.classes_.dtype)

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """Return score less threshold, above 0 where predicted positive.

        A score at the threshold itself is positive too: it gets the least number above 0. Of
        several classes, the weighted probability of each.
        """
        check_is_fitted(self, "estimator_")
        if hasattr(self, "best_weights_"):
            return self.estimator_.predict_proba(X) * self.best_weights_
        beyond = scores_of(self.estimator_, X, self.positive_) - self.best_threshold_
        return np.where(beyond == 0, np.finfo(float).tiny, beyond)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata goes where."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)
        return router.add(splitter=self.cv, method_mapping=split)

    def __sklearn_tags__(self) -> Any:
        return fit_tags(super().__sklearn_tags__(), self.estimator)


def _folds(labels: Any) -> int:
    sizes = np.unique(labels, return_counts=True)[1]
    if len(sizes) < 2 or min(sizes) < 2:
        message = (
            f"y must hold two cases of each class to be cut by cross-validation, got "
            f"{len(sizes)} class(es) and {len(labels)} sample(s): collect more."
        )
        raise LabelError(message)
    return min(5, *sizes)


def _held_out(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    split: Any,
    given: dict[str, Any],
    positive: Any,
    classes: list[Any],
) -> tuple[Any, Any]:
    """Return truth and scores of one fold's held-out cases, by a model that never saw them.

    Without a positive class they have a probability for each class.
    """
    train, test = split
    own = {name: _part(value, train, len(y)) for name, value in given.items()}
    fresh: Any = clone(estimator)
    fitted = fresh.fit(rows_of(X, train), rows_of(y, train), **own)
    if len(fitted.classes_) < 2:
        message = "folds must each leave both classes to train on: use fewer folds, or stratify."
        raise InvalidArgumentError(message)
    if positive is None:
        return rows_of(y, test), scores_of_all(fitted, rows_of(X, test), classes)
    return rows_of(y, test) == positive, scores_of(fitted, rows_of(X, test), positive)


def _part(value: Any, rows: Any, n: int) -> Any:
    """Return those rows of metadata that holds one value per case, else the value itself."""
    per_case = hasattr(value, "__len__") and not isinstance(value, str) and len(value) == n
    return rows_of(value, rows) if per_case else value

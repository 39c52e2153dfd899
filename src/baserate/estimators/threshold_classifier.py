"""A classifier cut where a metric is best on held-out cases, and what that promises."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from baserate.cases.unseen_cases import positive_of, rows_of, scores_of
from baserate.errors import InvalidArgumentError, LabelError
from baserate.estimators.checks import (
    fit_tags,
    one_output,
    take_over_names,
)
from baserate.tuning import cross_validated_threshold


class ThresholdClassifierCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Cut the scores of a binary classifier where a metric is best over cross-validation folds.

    It has no ``predict_proba``: scikit-learn lets callers take the likelier class for the
    prediction, which a cut elsewhere than at 1/2 contradicts. Ask ``estimator_`` for probabilities.

    Every distinct held-out score competes. The threshold has the best mean over folds; then the
    estimator is fitted to all cases. What the threshold scores on the cases that chose it flatters;
    nested, each fold is judged at the threshold that the other folds choose.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` or ``decision_function``
    metric : str or Metric
    constraint : str or sequence of str, optional
        Such as "recall >= 0.9", over the held-out cases of all folds together.
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
        Positive if score >= threshold.
    best_score_ : float
        Mean skill (or metric) over folds: what to expect on new cases if nested.
    fold_scores_ : array of shape (n_folds,)
        What `best_score_` is the mean of: their spread is that of test sets of a fold's size.
    optimism_ : float
        What the naive mean adds to the nested one; nan unless nested.
    cv_results_ : CrossValidatedThreshold
        All candidates and their mean.
    estimator_ : classifier
        Fitted to all cases.
    positive_, classes_, n_features_in_, feature_names_in_

    See Also
    --------
    baserate.cross_validated_threshold : The same of scores that are there already.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, equations 2 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> x = np.arange(60.0)[:, None]
    >>> y = (x[:, 0] > 48) | (x[:, 0] % 7 == 0)
    >>> tuned = ThresholdClassifierCV(LogisticRegression(), "f1").fit(x, y)
    >>> bool(tuned.best_threshold_ < 0.5), bool(tuned.optimism_ >= 0)
    (True, True)
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
        indexed: Any = indexable(X, one_output(y, binary=True))
        X, labels = indexed  # noqa: N806
        routed = process_routing(self, "fit", **params)
        classes = np.unique(labels)
        positive = positive_of(classes, self.pos_label)
        given = routed.estimator.fit
        folds = _folds(labels) if self.cv is None else self.cv
        splitter: Any = check_cv(folds, labels, classifier=True)
        splits = splitter.split(X, labels, **routed.splitter.split)
        held: Any = Parallel(n_jobs=self.n_jobs)(
            delayed(_held_out)(self.estimator, X, labels, split, given, positive)
            for split in splits
        )
        found = cross_validated_threshold(
            self.metric,
            held,
            guess=self.guess,
            constraint=self.constraint,
            nested=self.nested,
            undefined="drop" if self.guess is None else "zero",
        )
        fresh: Any = clone(self.estimator)
        self.estimator_ = fresh.fit(X, labels, **given)
        take_over_names(self)
        self.positive_, self.cv_results_ = positive, found
        self.best_threshold_, self.best_score_ = found.threshold, found.value
        self.fold_scores_, self.optimism_ = found.values, found.optimism
        return self

    @property
    def classes_(self) -> Any:
        """The two labels."""
        return self.estimator_.classes_

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the positive label where the score reaches the threshold."""
        check_is_fitted(self, "estimator_")
        reached = self.decision_function(X) > 0
        other = self.classes_[self.classes_ != self.positive_][0]
        return np.where(reached, self.positive_, other).astype(self.classes_.dtype)

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """Return score less threshold, above 0 where predicted positive.

        A score at the threshold itself is positive too: it gets the least number above 0.
        """
        check_is_fitted(self, "estimator_")
        beyond = scores_of(self.estimator_, X, self.positive_) - self.best_threshold_
        return np.where(beyond == 0, np.finfo(float).tiny, beyond)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata goes where."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)
        return router.add(splitter=self.cv, method_mapping=split)

    def __sklearn_tags__(self) -> Any:
        return fit_tags(super().__sklearn_tags__(), self.estimator, multi_class=False)


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
) -> tuple[Any, Any]:
    """Return truth and scores of one fold's held-out cases, by a model that never saw them."""
    train, test = split
    own = {name: _part(value, train, len(y)) for name, value in given.items()}
    fresh: Any = clone(estimator)
    fitted = fresh.fit(rows_of(X, train), rows_of(y, train), **own)
    if len(fitted.classes_) < 2:
        message = "folds must each leave both classes to train on: use fewer folds, or stratify."
        raise InvalidArgumentError(message)
    return rows_of(y, test) == positive, scores_of(fitted, rows_of(X, test), positive)


def _part(value: Any, rows: Any, n: int) -> Any:
    """Return those rows of metadata that holds one value per case, else the value itself."""
    per_case = hasattr(value, "__len__") and not isinstance(value, str) and len(value) == n
    return rows_of(value, rows) if per_case else value

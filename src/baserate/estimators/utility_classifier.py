"""Decisions by maximal expected utility, around any classifier that gives probabilities."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import (
    _check_sample_weight,  # pyright: ignore[reportPrivateUsage]
    check_is_fitted,
)

from baserate._checks import one_of
from baserate.errors import InvalidArgumentError
from baserate.estimators.checks import fit_tags, one_output, take_over_names
from baserate.estimators.scorers import UtilityFunction, named_matrix
from baserate.utilities import UtilityMatrix, shift_base_rate

CALIBRATIONS = ("sigmoid", "isotonic", "temperature")


class UtilityClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Decide by maximal expected utility, Σ over classes of U[decision][class] p(class).

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
    utility : UtilityMatrix or array of shape (n_decisions, n_classes), optional
        Decisions in rows. Columns are matched to ``classes_`` by name; without names, column j is
        ``classes_[j]``. More decisions than classes are welcome, such as "ask a human". Default: a
        right decision is worth 1, a wrong one 0.
    base_rate : float, mapping or sequence, optional
        Class shares where decisions are taken, if they differ from those of the training cases:
        the share of ``classes_[1]`` of two classes; else {class: share}, or shares in the order of
        ``classes_``. Probabilities are shifted accordingly (see `shift_base_rate`), from the class
        shares that the estimator was fitted to: those of the training cases, by ``sample_weight``.
        What shares a ``class_weight`` of the estimator stands for depends on the estimator, so that
        it is refused beside a base rate unless probabilities are calibrated.
    calibrate : {"sigmoid", "isotonic", "temperature"}, optional
        Calibrate the probabilities first, by five-fold cross-validation on the training cases.

    Attributes
    ----------
    estimator_ : classifier
        Fitted, and calibrated if asked for.
    utility_ : UtilityMatrix
        With names.
    classes_ : array of shape (n_classes,)
    class_shares_ : array of shape (n_classes,)
        Of the training cases, by their weights.
    n_features_in_, feature_names_in_
        As the estimator has them.

    See Also
    --------
    baserate.UtilityMatrix.decide

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI. Dyrland, Lundervold and Porta
    Mana (2023), Don't guess what's true: choose what's optimal, arXiv:2302.10578.

    Examples
    --------
    A missed positive costs nine false alarms, so one in ten is enough for an alarm:

    >>> from baserate import UtilityClassifier
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> x = np.arange(20.0)[:, None]
    >>> y = np.repeat([0, 1], 10)
    >>> plain = LogisticRegression().fit(x, y)
    >>> wary = UtilityClassifier(plain, [[0, -9], [-1, 0]]).fit(x, y)
    >>> int(plain.predict(x).sum()), int(wary.predict(x).sum())
    (10, 12)
    """

    def __init__(
        self, estimator: Any, utility: Any = None, *, base_rate: Any = None, calibrate: Any = None
    ) -> None:
        self.estimator = estimator
        self.utility = utility
        self.base_rate = base_rate
        self.calibrate = calibrate

    def fit(self, X: Any, y: Any, **params: Any) -> "UtilityClassifier":  # noqa: N803
        """Fit the estimator; further arguments are routed to its ``fit``.

        Raises
        ------
        InvalidArgumentError
            A base rate is given, and the estimator has a ``class_weight`` and is not calibrated; or
            arguments do not fit the classes.
        """
        labels = one_output(y)
        if self.base_rate is not None and self.calibrate is None:
            _refuse_class_weight(self.estimator)
        routed = process_routing(self, "fit", **params)
        self.estimator_ = self._calibrated().fit(X, y, **routed.estimator.fit)
        take_over_names(self)
        self.classes_ = self.estimator_.classes_
        weight = _weight_of(routed.estimator.fit, labels)
        shares = [np.average(labels == c, weights=weight) for c in self.classes_]
        self.class_shares_ = np.array(shares)
        self._target = self._shares()
        given = np.eye(len(self.classes_)) if self.utility is None else self.utility
        matrix = given if isinstance(given, UtilityMatrix) else UtilityMatrix(given)
        self.utility_ = named_matrix(matrix, self.classes_)
        self._columns = self._places()
        return self

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """Return the probability of each of ``classes_``, at the base rate of use."""
        check_is_fitted(self, "estimator_")
        p = self.estimator_.predict_proba(X)
        if self._target is None:
            return p
        return shift_base_rate(p, source=self.class_shares_, target=self._target)

    def expected_utility(self, X: Any) -> Any:  # noqa: N803
        """Return the expected utility of each decision, in the order of ``utility_``'s rows."""
        check_is_fitted(self, "estimator_")
        return self.utility_.expected(self.predict_proba(X)[:, self._columns])

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the decision with the largest expected utility for each case; ties: the first."""
        check_is_fitted(self, "estimator_")
        rows = self.utility_.decide(self.predict_proba(X)[:, self._columns])
        names = self.utility_.decision_names
        own = names == self.utility_.class_names
        kinds = self.classes_[self._columns] if own else np.array(names)
        return kinds[rows]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the mean utility per case of the decisions, which this classifier maximises."""
        return UtilityFunction(self.utility_)(y, self.predict(X), sample_weight=sample_weight)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata goes where."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        return fit_tags(super().__sklearn_tags__(), self.estimator)

    def _calibrated(self) -> Any:
        estimator = clone(self.estimator)
        if self.calibrate is None:
            return estimator
        from sklearn.calibration import CalibratedClassifierCV

        method = one_of("calibrate", self.calibrate, CALIBRATIONS)
        return CalibratedClassifierCV(estimator, method=method)

    def _shares(self) -> Any:
        """Return the class shares of use, in the order of the classes; None if they are as here."""
        if self.base_rate is None:
            return None
        if isinstance(self.base_rate, dict):
            names = self.classes_.tolist()
            if set(self.base_rate) != set(names):
                rule, remedy = f"must name the classes {names}", "give each class its share"
                raise InvalidArgumentError.from_rule("base_rate", rule, self.base_rate, remedy)
            return [self.base_rate[name] for name in names]
        if np.ndim(self.base_rate) == 0:
            if len(self.classes_) != 2:
                rule, remedy = "must be one share per class", "pass {class: share}"
                raise InvalidArgumentError.from_rule("base_rate", rule, self.base_rate, remedy)
            return [1 - float(self.base_rate), float(self.base_rate)]
        return list(self.base_rate)

    def _places(self) -> Any:
        """Return where the matrix's classes stand among the estimator's."""
        names = self.classes_.tolist()
        if set(self.utility_.class_names) != set(names):
            rule, remedy = f"must have the classes {names}", "name them as the labels are"
            given = list(self.utility_.class_names)
            raise InvalidArgumentError.from_rule("utility", rule, given, remedy)
        return [names.index(name) for name in self.utility_.class_names]


def _weight_of(routed: Any, labels: Any) -> Any:
    """Return the weights that the estimator was fitted with, also a step of a pipeline; or None."""
    for name, value in routed.items():
        if name.rpartition("__")[2] == "sample_weight" and value is not None:
            return _check_sample_weight(value, np.zeros(len(labels)))
    return None


def _refuse_class_weight(estimator: Any) -> None:
    """Refuse what makes probabilities those of unknown class shares."""
    known = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    for name, value in known.items():
        if name.rpartition("__")[2] == "class_weight" and value is not None:
            rule = "needs to know the class shares behind the probabilities"
            remedy = f"leave {name} out, or pass calibrate='sigmoid' or 'isotonic'"
            raise InvalidArgumentError.from_rule("base_rate", rule, {name: value}, remedy)

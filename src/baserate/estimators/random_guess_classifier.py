"""A classifier that guesses: a Dutch Draw, with an exact number of alarms at random places."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,  # pyright: ignore[reportPrivateUsage]
    _num_samples,  # pyright: ignore[reportPrivateUsage]
    check_is_fitted,
    validate_data,
)

from baserate._checks import number_in
from baserate.baselines import dutch_draw
from baserate.baselines.guessing import chosen_guess, guessing_rate
from baserate.cases.unseen_cases import positive_of
from baserate.estimators.checks import one_output


class RandomGuessClassifier(ClassifierMixin, BaseEstimator):
    """Call a share of the cases positive, blindly: what a classifier has to beat.

    Of n cases it calls k = floor(n θ + 1/2) positive, chosen at random: a Dutch Draw.

    Parameters
    ----------
    strategy : {"dutch_draw", "uniform", "proportional", "mode"} or float
        The share θ. "dutch_draw": the one whose expected `metric` is best, at the class totals of
        the training cases. "uniform": 1/2; "proportional": the base rate; "mode": everything as the
        more frequent class; or any share.
    metric : str or Metric
        For "dutch_draw".
    exact : bool
        Whether exactly k cases are called positive; else each is with probability θ, by itself.
    pos_label : label, optional
        Default: the second of ``classes_``.
    random_state : int, RandomState or None
        An int gives the same guesses at every call.

    Attributes
    ----------
    theta_ : float
        The share.
    positive_ : label
    classes_ : array of shape (2,)
    n_features_in_, feature_names_in_
        Where X has them; it is not looked at otherwise.

    See Also
    --------
    baserate.dutch_draw, baserate.random_guess : What such guesses score, without drawing any.

    References
    ----------
    van de Bijl, Klein, Pries, Bhulai, Hoogendoorn, van der Mei (2025), The Dutch Draw: constructing
    a universal baseline for binary classification problems, Journal of Applied Probability 62.

    Examples
    --------
    >>> from baserate import RandomGuessClassifier
    >>> guess = RandomGuessClassifier(0.3, random_state=1).fit([[0]] * 10, [0, 1] * 5)
    >>> int(guess.predict([[0]] * 1000).sum())
    300
    """

    def __init__(
        self,
        strategy: Any = "dutch_draw",
        *,
        metric: Any = "f1",
        exact: bool = True,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.strategy = strategy
        self.metric = metric
        self.exact = exact
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RandomGuessClassifier":  # noqa: N803
        """Learn the share of cases to call positive from the class totals."""
        labels = one_output(y, binary=True)
        validate_data(self, X, skip_check_array=True)
        weight = _check_sample_weight(sample_weight, np.zeros(len(labels)))
        self.classes_ = np.unique(labels)
        self.positive_ = positive_of(self.classes_, self.pos_label)
        is_positive = labels == self.positive_
        sides = [weight[is_positive].sum(), weight[~is_positive].sum()]
        if sample_weight is None:
            sides = [int(side) for side in sides]
        self.theta_ = self._theta(*sides)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return guesses."""
        check_is_fitted(self, "theta_")
        return self.classes_[self._guesses(X)]

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """Return 1 for the class that is guessed, 0 for the other: guesses are never unsure."""
        check_is_fitted(self, "theta_")
        return np.eye(2)[self._guesses(X)]

    def _guesses(self, X: Any) -> Any:  # noqa: N803
        """Return the index of a class for every case."""
        validate_data(self, X, skip_check_array=True, reset=False)
        n, random = _num_samples(X), check_random_state(self.random_state)
        if self.exact:
            alarms = np.zeros(n, dtype=bool)
            alarms[random.permutation(n)[: int(np.floor(n * self.theta_ + 0.5))]] = True
        else:
            alarms = random.random_sample(n) < self.theta_
        return np.where(alarms, *self._sides())

    def _sides(self) -> tuple[int, int]:
        """Return the places of the positive and the negative label; the same with one class."""
        place = self.classes_.tolist().index(self.positive_)
        return place, (1 - place) if len(self.classes_) > 1 else place

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.no_validation = True
        tags.non_deterministic = True
        return tags

    def _theta(self, n_positive: Any, n_negative: Any) -> float:
        if isinstance(self.strategy, Real):
            return number_in("strategy", self.strategy, "[0, 1]", "pass a share of the cases")
        name = chosen_guess(self.strategy)
        if name != "dutch_draw":
            return float(guessing_rate(name, n_positive, n_negative))
        best = dutch_draw(self.metric, n_positive=n_positive, n_negative=n_negative)
        return float(best.theta_star[0][0])

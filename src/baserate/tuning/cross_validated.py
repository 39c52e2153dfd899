"""The chimps' cutoff procedure: one threshold for all folds, by mean skill."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import each_of, float_array, one_of, yes_or_no
from baserate._result import Result
from baserate.baselines import skill
from baserate.baselines.guessing import chosen_guess
from baserate.cases.scores import EXACT
from baserate.counts import ConfusionMatrix
from baserate.curves import sweep
from baserate.curves.cut_points import Sweep
from baserate.errors import BaserateError, InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.targets import (
    Constraint,
    Values,
    all_hold,
    as_number,
    check_target,
    constraints_of,
    lowest_end,
    maximisers,
    runs,
)

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidatedThreshold(Result):
    """A threshold chosen on all folds together.

    Attributes
    ----------
    metric : str
    threshold : float
        Middle of the first plateau of the mean skill. inf is "call nothing positive", or nan where
        infinity is itself a score.
    value : float
        Mean skill over folds there; with ``nested=True``, each fold at the threshold that the
        others choose, which removes the optimism of choosing and judging on the same folds.
    values : array
        Skill of each fold, which `value` is the mean of.
    quantiles : array
        Least, quartiles and greatest of `values`: what one new test set of a fold's size may show.
    plateau : (float, float)
        Thresholds in (low, high] have the same mean skill; low is nan where -inf is a candidate and
        is as good.
    thresholds, curve : array
        Candidates, descending, and the mean skill at each; nan where some fold is undefined.
    n_dropped : int
        Candidates dropped because some fold is undefined there.
    optimism : float
        Mean skill of the chosen threshold less the nested mean; nan unless nested.
    guess : str or float
    """

    metric: str
    threshold: float
    value: float
    values: Values
    quantiles: Values
    plateau: tuple[float, float]
    thresholds: NDArray[Any]
    curve: Values
    n_dropped: int
    optimism: float
    guess: str | float | None

    def __float__(self) -> float:
        return self.threshold


def cross_validated_threshold(
    metric: str | Metric,
    folds: Iterable[tuple[Any, Any]],
    *,
    guess: str | float | None = "dutch_draw",
    thresholds: Any = None,
    constraint: Any = None,
    nested: bool = False,
    undefined: str = "drop",
    pos_label: Any = None,
) -> CrossValidatedThreshold:
    """Choose the threshold with the best mean skill over folds.

    Parameters
    ----------
    metric : Metric or str
    folds : iterable of (y_true, y_score)
        Held-out cases of each fold, or bootstrap samples.
    guess : {"dutch_draw", "uniform", "proportional", "mode"}, float or None
        The guess that skill refers to. With a tuned threshold the honest zero is the best constant
        guess, the default: a useless score reaches a mean skill above 0 against the others. None
        averages the metric itself.
    thresholds : array, optional
        Candidates; default every distinct score of any fold.
    constraint : str or sequence of str, optional
        Such as "recall >= 0.9", which the cases of all folds together must meet. Nested, those of
        the other folds: the fold that is judged may miss it.
    nested : bool
        Judge each fold at the threshold chosen on the other folds.
    undefined : {"drop", "zero"}
        What becomes of a candidate at which the metric is undefined in some fold: it does not
        compete; or its skill there is 0 if it calls all or nothing of that fold positive, since
        then it guesses.
    pos_label : label, optional

    Raises
    ------
    InvalidArgumentError
        Fewer than two folds, a fold that lacks a class, or a metric without a best cut point.
    UnsupportedError
        A fold has no chance level, at every candidate some fold is undefined, or none meets the
        constraints.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, equations 2 and 3.

    Examples
    --------
    >>> from baserate import cross_validated_threshold
    >>> folds = [([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ([0, 1, 0, 1], [0.2, 0.6, 0.5, 0.9])]
    >>> found = cross_validated_threshold("f1", folds)
    >>> found.threshold, round(found.value, 4), found.plateau
    (0.6, 0.5, (0.5, 0.6))

    Bootstrap samples may stand in the place of folds, as in section 4 of Burger and Meertens:

    >>> import numpy as np
    >>> y, score = np.array([0, 0, 1, 1] * 5), np.linspace(0, 1, 20)
    >>> draws = np.random.default_rng(1).integers(20, size=(8, 20))
    >>> round(cross_validated_threshold("f1", [(y[i], score[i]) for i in draws]).value, 3)
    0.104
    """
    nested = yes_or_no("nested", nested)
    metric, limits = binary_metric(metric), constraints_of(constraint)
    guess = None if guess is None else chosen_guess(guess)
    check_target(metric, constrained=bool(limits))
    swept = [_fold(i, fold, pos_label) for i, fold in enumerate(each_of("folds", folds, ()))]
    if len(swept) < 2:
        rule = "must hold at least two folds"
        raise InvalidArgumentError.from_rule("folds", rule, len(swept), "pass (y_true, y_score)s")
    candidates = _candidates(swept, thresholds)
    skills = np.array([_skills(metric, s, candidates, guess, i) for i, s in enumerate(swept)])
    if one_of("undefined", undefined, ("drop", "zero")) == "zero":
        skills = np.array([_filled(k, s, candidates) for k, s in zip(skills, swept, strict=True)])
    curve = skills.mean(axis=0)  # nan as soon as one fold is undefined
    sign = -1 if guess is None and metric.direction == "lower" else 1
    usable = _usable(swept, candidates, limits)
    first, last = _best(metric, sign * curve, usable.all_folds)
    at = (first + last) // 2
    held = skills[:, at]
    values = _nested(metric, sign * skills, usable) * sign if nested else held
    low = candidates[last + 1] if last + 1 < len(candidates) else lowest_end(candidates)
    return CrossValidatedThreshold(
        metric=metric.name,
        threshold=as_number(candidates[at]),
        value=float(values.mean()),
        values=values,
        quantiles=np.quantile(values, QUANTILES),
        plateau=(as_number(low), as_number(candidates[first])),
        thresholds=candidates,
        curve=curve,
        n_dropped=int(np.isnan(curve).sum()),
        optimism=sign * float(held.mean() - values.mean()) if nested else nan,
        guess=guess,
    )


def _fold(i: int, fold: Any, pos_label: Any) -> Sweep:
    try:
        y_true, y_score = fold
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        rule = "must hold pairs (y_true, y_score)"
        raise InvalidArgumentError.from_rule("folds", rule, fold, "pass one per fold") from None
    try:
        return sweep(y_true, y_score, pos_label=pos_label)
    except BaserateError as error:
        message = f"Fold {i + 1} cannot be used: {error}"
        raise InvalidArgumentError(message) from None


def _candidates(swept: list[Sweep], asked: Any) -> NDArray[Any]:
    """Return thresholds in descending order, nan (nothing positive) before infinite scores."""
    given = np.concatenate([s.thresholds for s in swept]) if asked is None else _given(asked)
    unknown = given != given  # noqa: PLR0124  only nan differs from itself
    numbers = np.unique(given[~unknown])[::-1]
    return np.concatenate((given[unknown][:1], numbers))


def _given(asked: Any) -> NDArray[Any]:
    try:
        array = np.asarray(asked).ravel()
        whole = array.dtype.kind in "iu"
        given = array.astype(object) if whole else float_array("thresholds", asked).ravel()
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        given = np.empty(0)
    if not given.size or np.any(given != given):  # noqa: PLR0124  only nan differs from itself
        rule = "must be numbers, at least one"
        raise InvalidArgumentError.from_rule("thresholds", rule, asked, "leave it out")
    return given if any(abs(t) > EXACT for t in given.tolist()) else given.astype(float)


def _skills(
    metric: Metric, swept: Sweep, candidates: NDArray[Any], guess: str | float | None, i: int
) -> Values:
    """Return the skill of one fold at every candidate; the metric itself without a guess."""
    positive, negative = swept.n_positive, swept.n_negative
    if not (positive and negative):
        lacking = "negatives" if positive else "positives"
        message = f"folds must each hold both classes, and fold {i + 1} has no {lacking}"
        raise InvalidArgumentError(f"{message}: stratify the folds.")
    values = np.asarray(metric(swept.tables), dtype=float)[swept.rules_at(candidates)]
    if guess is None:
        return values
    any_table = ConfusionMatrix(tp=positive, fn=0, fp=0, tn=negative)
    known = skill(metric, any_table, guess=guess)
    if isnan(known.value):
        raise UnsupportedError(f"Fold {i + 1} has no skill: {known.reason}.")
    return (values - known.chance) / (known.perfect - known.chance)


def _filled(skills: Values, swept: Sweep, candidates: NDArray[Any]) -> Values:
    """Put 0 where nothing is defined and a candidate calls all or nothing of the fold positive."""
    rules = swept.rules_at(candidates)
    constant = (rules == 0) | (rules == len(swept.thresholds) - 1)
    return np.where(np.isnan(skills) & constant, 0.0, skills)


class _Usable(NamedTuple):
    """Which candidates meet the constraints, by cases of all folds, or of all folds but one."""

    limits: tuple[Constraint, ...]
    true_positives: Values
    false_positives: Values
    totals: Values

    @property
    def all_folds(self) -> Any:
        """By all cases."""
        return self._hold(slice(None))

    def without(self, fold: int) -> Any:
        """By the cases of the other folds."""
        return self._hold(np.arange(len(self.totals)) != fold)

    def _hold(self, folds: Any) -> Any:
        if not self.limits:
            return True
        tp, fp = self.true_positives[folds].sum(axis=0), self.false_positives[folds].sum(axis=0)
        positive, negative = self.totals[folds].sum(axis=0)
        return all_hold(
            self.limits, ConfusionMatrix(tp=tp, fn=positive - tp, fp=fp, tn=negative - fp)
        )


def _usable(
    swept: list[Sweep], candidates: NDArray[Any], limits: tuple[Constraint, ...]
) -> _Usable:
    places = [s.rules_at(candidates) for s in swept] if limits else []
    tp = [s.true_positives[at] for s, at in zip(swept, places, strict=False)]
    fp = [s.false_positives[at] for s, at in zip(swept, places, strict=False)]
    totals = [(s.n_positive, s.n_negative) for s in swept]
    return _Usable(limits, np.array(tp), np.array(fp), np.array(totals))


def _best(metric: Metric, curve: Values, usable: Any) -> tuple[int, int]:
    defined = ~np.isnan(curve)
    places = maximisers(np.where(defined & usable, curve, -inf))
    if not places.size and defined.any():
        raise UnsupportedError(
            "At no threshold do the folds together meet the constraints: relax one of them."
        )
    if not places.size:
        raise UnsupportedError(
            f"At every threshold {metric.name} is undefined in some fold: use fewer folds."
        )
    return runs(places)[0]


def _nested(metric: Metric, skills: Values, usable: _Usable) -> Values:
    """Judge each fold where the others are best, among the candidates that all folds define."""
    total = skills.sum(axis=0)  # nan where some fold is
    judged = []
    for k, own in enumerate(skills):
        first, last = _best(metric, (total - own) / (len(skills) - 1), usable.without(k))
        judged.append(own[(first + last) // 2])
    return np.array(judged)

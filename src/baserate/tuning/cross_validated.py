"""The chimps' cutoff procedure: one threshold for all folds, by mean skill."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.baselines import chosen_guess, skill
from baserate.cases.scores import EXACT
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep, sweep
from baserate.errors import BaserateError, InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.tuning.optimal import as_number, lowest_end
from baserate.tuning.targets import Values, check_target, maximisers, runs

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
    guess: str | float

    def __float__(self) -> float:
        return self.threshold


def cross_validated_threshold(
    metric: str | Metric,
    folds: Iterable[tuple[Any, Any]],
    *,
    guess: str | float = "dutch_draw",
    thresholds: Any = None,
    nested: bool = False,
    pos_label: Any = None,
) -> CrossValidatedThreshold:
    """Choose the threshold with the best mean skill over folds.

    Parameters
    ----------
    metric : Metric or str
    folds : iterable of (y_true, y_score)
        Held-out cases of each fold, or bootstrap samples.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        The guess that skill refers to. With a tuned threshold the honest zero is the best constant
        guess, the default: a useless score reaches a mean skill above 0 against the others.
    thresholds : array, optional
        Candidates; default every distinct score of any fold.
    nested : bool
        Judge each fold at the threshold chosen on the other folds.
    pos_label : label, optional

    Returns
    -------
    CrossValidatedThreshold

    Raises
    ------
    InvalidArgumentError
        Fewer than two folds, a fold that lacks a class, or a metric without a best cut point.
    UnsupportedError
        A fold has no chance level, or at every candidate some fold is undefined.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, equations 2 and 3.

    Examples
    --------
    >>> folds = [([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ([0, 1, 0, 1], [0.2, 0.6, 0.5, 0.9])]
    >>> found = cross_validated_threshold("f1", folds)
    >>> found.threshold, round(found.value, 4), found.plateau
    (0.6, 0.5, (0.5, 0.6))
    """
    metric, guess = get(metric), chosen_guess(guess)
    check_target(metric, constrained=False)
    swept = [_fold(i, fold, pos_label) for i, fold in enumerate(folds)]
    if len(swept) < 2:
        rule = "must hold at least two folds"
        raise InvalidArgumentError.from_rule("folds", rule, len(swept), "pass (y_true, y_score)s")
    candidates = _candidates(swept, thresholds)
    skills = np.array([_skills(metric, s, candidates, guess, i) for i, s in enumerate(swept)])
    curve = skills.mean(axis=0)  # nan as soon as one fold is undefined
    first, last = _best(metric, curve)
    at = (first + last) // 2
    held = skills[:, at]
    values = _nested(metric, skills) if nested else held
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
        optimism=float(held.mean() - values.mean()) if nested else nan,
        guess=guess,
    )


def _fold(i: int, fold: Any, pos_label: Any) -> Sweep:
    try:
        y_true, y_score = fold
    except (TypeError, ValueError):
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
        given = array.astype(object) if whole else array.astype(float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if not given.size or np.any(given != given):  # noqa: PLR0124  only nan differs from itself
        rule = "must be numbers, at least one"
        raise InvalidArgumentError.from_rule("thresholds", rule, asked, "leave it out")
    return given if any(abs(t) > EXACT for t in given.tolist()) else given.astype(float)


def _skills(
    metric: Metric, swept: Sweep, candidates: NDArray[Any], guess: str | float, i: int
) -> Values:
    """Return the skill of one fold at every candidate."""
    positive, negative = swept.n_positive, swept.n_negative
    if not (positive and negative):
        lacking = "negatives" if positive else "positives"
        message = f"folds must each hold both classes, and fold {i + 1} has no {lacking}"
        raise InvalidArgumentError(f"{message}: stratify the folds.")
    any_table = ConfusionMatrix(tp=positive, fn=0, fp=0, tn=negative)
    known = skill(metric, any_table, guess=guess)
    if isnan(known.value):
        raise UnsupportedError(f"Fold {i + 1} has no skill: {known.reason}.")
    values = np.asarray(metric(swept.tables), dtype=float)[swept.rules_at(candidates)]
    return (values - known.chance) / (known.perfect - known.chance)


def _best(metric: Metric, curve: Values) -> tuple[int, int]:
    places = maximisers(np.where(np.isnan(curve), -inf, curve))
    if not places.size:
        raise UnsupportedError(
            f"At every threshold {metric.name} is undefined in some fold: use fewer folds."
        )
    return runs(places)[0]


def _nested(metric: Metric, skills: Values) -> Values:
    """Judge each fold where the others are best, among the candidates that all folds define."""
    judged, unusable = [], np.isnan(skills.mean(axis=0))
    for k in range(len(skills)):
        others = np.delete(skills, k, axis=0).mean(axis=0)
        first, last = _best(metric, np.where(unusable, np.nan, others))
        judged.append(skills[k, (first + last) // 2])
    return np.array(judged)

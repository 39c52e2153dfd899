"""The area under a part of the ROC curve: few false alarms, or few positives missed."""

from functools import partial
from math import expm1, log, log1p, nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, number_in, yes_or_no
from baserate.curves.area_spread import AreaSpread, FurtherCase, lower_limit
from baserate.curves.cut_points import Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.roc import roc_curve
from baserate.curves.score_bins import held
from baserate.curves.within_folds import mean_of_folds, read_folds
from baserate.errors import InvalidArgumentError

UNTESTED = "the law under random labels is known for the whole area only: see roc_auc"


def partial_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    max_fpr: float | None = None,
    min_recall: float | None = None,
    standardized: bool = True,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    fold: Any = None,
) -> Estimate:
    """Return the area under the ROC curve where false positives, or misses, are few.

    With `max_fpr` = f it is A = ∫ recall over false positive rates from 0 to f. With `min_recall` =
    r it is A = ∫ specificity over recalls from r to 1, with f = 1 - r: the part of the unit square
    above recall r that lies below the curve. Either is f²/2 by chance and f at best. Standardised,
    it is (1 + (A - f²/2) / (f - f²/2)) / 2, which is 1/2 by chance and 1 at best; the skill is
    (A - f²/2) / (f - f²/2) in both forms. The curve is straight between cut points. At max_fpr = 1,
    as at min_recall = 0, it is the area under the whole curve.

    The interval is made as that of `roc_auc`. Each positive contributes the part of [0, f] that its
    score leaves free, max(0, f - false positive rate at its score), and each negative among the
    highest f takes away the share of positives between its score and the cut at f (Dodd and Pepe),
    so that the estimated cut is accounted for. The further case is of the class that has fewer
    cases to say something: the positives, or f times the negatives. `route` is "conservative".

    Of a histogram, `bounds` are the areas for the two orders within bins between which all curves
    lie: negatives first, and positives first.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    max_fpr : float
        In (0, 1]: the largest false positive rate.
    min_recall : float
        In [0, 1): the least recall. Give one of the two.
    standardized : bool
        False returns A itself, and its interval.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`; with weights, a class is worth Kish's effective number of cases.
    fold : array-like of shape (n,), optional
        As in `roc_auc`: the mean of those within folds.

    Raises
    ------
    InvalidArgumentError
        None or both of `max_fpr` and `min_recall` are given, or outside their range; or more data
        stand beside a sweep.

    References
    ----------
    McClish (1989), Medical Decision Making 9:190, doi:10.1177/0272989X8900900307, for the standard.
    Dodd and Pepe (2003), Biometrics 59:614, doi:10.1111/1541-0420.00071. Jiang, Metz and Nishikawa
    (1996), Radiology 201:745, doi:10.1148/radiology.201.3.8939225, for high recall.

    Examples
    --------
    >>> from baserate.curves import partial_auc
    >>> found = partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5)
    >>> round(found.value, 4), round(found.skill, 4)
    (0.6667, 0.3333)
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5, standardized=False).value
    0.25
    """
    standardized = yes_or_no("standardized", standardized)
    level = confidence(confidence_level)
    width = _width(max_fpr, min_recall)
    if fold is not None:
        measure = partial(
            partial_auc, max_fpr=max_fpr, min_recall=min_recall, standardized=standardized,
            confidence_level=level,
        )  # fmt: skip
        folds = read_folds(y_true, y_score, fold, pos_label, sample_weight)
        return mean_of_folds(measure, folds, level)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    start, slope = ((1 - width) / (2 - width), 1 / (2 - width)) if standardized else (0.0, width)

    def at(share: float) -> float:  # of the strip's area
        return start + slope * share

    known: dict[str, Any] = {"confidence_level": level}
    known |= {"chance": at(width / 2), "perfect": at(1.0)}
    if absent := swept.absent:
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)

    def of(order: Sweep) -> Estimate:
        spread = _spread(order, width, turned=max_fpr is None)
        low, high = _limits(spread, width, (1 - level) / 2)
        return Estimate(
            value=at(spread.area),
            low=at(low),
            high=at(high),
            route="conservative",
            p_value_reason=UNTESTED,
            **known,
        )

    return held(of, swept)


def _width(max_fpr: float | None, min_recall: float | None) -> float:
    if (max_fpr is None) == (min_recall is None):
        rule, given = "must be given, or min_recall, and not both", (max_fpr, min_recall)
        remedy = "pass the largest tolerable false positive rate, or the least recall"
        raise InvalidArgumentError.from_rule("max_fpr", rule, given, remedy)
    if max_fpr is None:
        return 1 - number_in("min_recall", min_recall, "[0, 1)", "pass the least recall")
    remedy = "pass the largest tolerable false positive rate"
    limit = number_in("max_fpr", max_fpr, "[0, 1]", remedy)
    return number_in("max_fpr", limit, "(0, inf)", remedy)


def _spread(sweep: Sweep, width: float, *, turned: bool) -> AreaSpread:
    """Return the area as a share of the strip's, and how much cases of each class differ in it.

    High recall is few false positives once positives and negatives change places, and the order
    of the scores is turned.
    """
    x, y, _ = roc_curve(sweep)
    positive, negative = sweep.effective_sizes
    if turned:
        x, y, positive, negative = 1 - y[::-1], 1 - x[::-1], negative, positive
    inside = int(np.searchsorted(x, width, side="right"))
    end = np.interp(width, x[inside - 1 :], y[inside - 1 :]) if inside < len(x) else y[-1]
    x, y = np.append(x[:inside], width), np.append(y[:inside], end)
    free = 1 - (x[1:] + x[:-1]) / (2 * width)  # by each positive; 0 by those below the cut
    taken = end - (y[1:] + y[:-1]) / 2  # by each negative in the strip, times the width
    area, within = _moments(free, np.diff(y))
    left = 1 - float(end)  # positives below the cut, which count as 0
    among, varied = _moments(taken, np.diff(x) / width)
    return AreaSpread(
        area=area,
        positive=within + left * area**2,
        negative=(varied + (1 - width) * among**2) / width,
        n_positive=positive,
        n_negative=negative,
    )


def _moments(values: Array, mass: Array) -> tuple[float, float]:
    """Return the sum of the values, and of their squared distances from it."""
    total = float(np.dot(mass, values))
    return total, float(np.dot(mass, (values - total) ** 2))


def _limits(spread: AreaSpread, width: float, tail: float) -> tuple[float, float]:
    rare = FurtherCase.beside(spread.fewer, tail)
    lost = min(FurtherCase.beside(spread.n_positive, tail), _kept(spread.n_negative, width, tail))
    area, variance = spread.area, spread.variance
    low = lower_limit(area, variance, lost, tail)
    return low, 1 - lower_limit(1 - area, variance, rare, tail)


def _kept(cases: float, width: float, tail: float) -> FurtherCase:
    """Return the share of the strip that a further negative above all positives leaves.

    It is max(0, 1 - w / width) with w from Beta(1, cases).
    """
    n, f = cases, width
    out, far = (-expm1((n + k) * log1p(-f)) if f < 1 else 1.0 for k in (1, 2))
    lack = out / f / (n + 1)
    square = 1 - 2 / f * (1 / (n + 1) - far / f / (n + 1) / (n + 2))
    quantile = max(0.0, 1 + expm1(log(tail) / n) / f)
    return FurtherCase(1 - lack, lack, max(0.0, square - (1 - lack) ** 2), quantile)

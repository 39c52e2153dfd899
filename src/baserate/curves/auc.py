"""The area under the ROC curve, whole or in part: its interval, and a test against chance."""

from dataclasses import dataclass
from math import exp, expm1, log, log1p, nan, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from baserate._checks import number_in
from baserate._result import Result
from baserate.cases.two_classes import effective_size
from baserate.curves._mann_whitney import upper_tail
from baserate.curves.cut_points import WEIGHTED, Sweep, as_sweep
from baserate.curves.roc import roc_curve


@dataclass(frozen=True, slots=True, kw_only=True)
class RocAuc(Result):
    """The area under a ROC curve; ``float()`` gives it.

    Attributes
    ----------
    value : float
        Share of pairs of a positive and a negative in which the positive has the higher score,
        ties counting one half. nan if a class is empty.
    low, high : float
        Interval for the share in the population; nan if `reason` says why.
    confidence_level : float
    chance : float
        0.5, what scores that know nothing have in expectation, with ties as well.
    skill : float
        (value - chance) / (1 - chance), also called Gini coefficient or Somers' D.
    p_value : float
        Probability that scores that know nothing do as well (one-sided); nan if `p_value_reason`
        says why.
    route : {"delong", "pairs", None}
        "delong": DeLong's variance on the logit scale. "pairs": at 0 and 1, where that variance
        is 0, an exact bound from min(n_positive, n_negative) independent pairs.
    p_value_route : {"exact", "normal", None}
    reason, p_value_reason : str or None
    """

    value: float
    low: float = nan
    high: float = nan
    confidence_level: float
    chance: float = 0.5
    p_value: float = nan
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    p_value_reason: str | None = None
    derived: ClassVar[tuple[str, ...]] = ("skill",)

    @property
    def skill(self) -> float:
        """(value - chance) / (1 - chance)."""
        return (self.value - self.chance) / (1 - self.chance)

    def __float__(self) -> float:
        return self.value


class _Ends(NamedTuple):
    low: float = nan
    high: float = nan
    route: str | None = None
    reason: str | None = None


def roc_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> RocAuc:
    """Return the area under the ROC curve, its interval, and how far chance would get.

    AUC = (Σ over positive-negative pairs of [s⁺ > s⁻] + [s⁺ = s⁻]/2) / (n_positive n_negative).
    Other names: c-statistic, concordance, Mann-Whitney U / (n_positive n_negative).

    The interval is DeLong's, symmetric on the logit scale, so that it stays within [0, 1]. It needs
    two cases of each class and is nan where all scores are equal. With perfect separation it is
    replaced by an exact bound: (α/2)^(1/m), with m independent pairs, and 1. With weights, each
    class is worth Kish's effective number of cases.

    The p-value is P(U >= u) over all ways to place the labels on the scores found, ties included:
    exact while n · min(n_positive, n_negative) · 2 n_positive n_negative is at most about 1e9 (125
    cases of each class, or 8 positives among 2,600 cases), and for a single positive or negative;
    else normal with corrections for ties and continuity, which is rough far out in the tail if one
    class has only a handful of cases. It has no meaning with weights.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    confidence_level : float
        In (0, 1).
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    RocAuc

    Raises
    ------
    InvalidArgumentError
        The confidence level lies outside (0, 1), or more data stand beside a sweep.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595. Sun and Xu
    (2014), IEEE Signal Processing Letters 21:1389, doi:10.1109/LSP.2014.2337313, for the sorted
    form. Mann and Whitney (1947), Annals of Mathematical Statistics 18:50,
    doi:10.1214/aoms/1177730491. Pepe (2003), The Statistical Evaluation of Medical Tests for
    Classification and Prediction, Oxford, for the logit scale.

    Examples
    --------
    >>> found = roc_auc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3)
    (0.9167, 0.348, 0.996)

    Two of the C(7, 3) = 35 ways to place three positives do as well:

    >>> found.p_value_route, round(found.p_value * 35, 9)
    ('exact', 2.0)
    """
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if absent := swept.absent:
        return RocAuc(value=nan, confidence_level=level, reason=absent, p_value_reason=absent)
    value = swept.roc_auc()
    ends = _ends(swept, value, (1 - level) / 2)
    tail, how = (nan, None) if swept.is_weighted else upper_tail(*swept.by_score)
    return RocAuc(
        value=value,
        confidence_level=level,
        p_value=tail,
        p_value_route=how,
        p_value_reason=WEIGHTED if swept.is_weighted else None,
        **ends._asdict(),
    )


def _ends(sweep: Sweep, value: float, tail: float) -> _Ends:
    if len(sweep.thresholds) == 2:
        return _Ends(reason="all scores are equal, so their spread is unknown")
    if _separated(sweep):
        return _pairs(sweep, value, tail)
    if value in {0.0, 1.0}:
        return _Ends(reason=f"the area differs from {value:g} by rounding only")
    sizes = effective_sizes(sweep)
    for size, which in zip(sizes, ("positive", "negative"), strict=True):
        if size <= 1:
            return _Ends(reason=f"one {which} does not show how much {which}s differ")
    return _delong(sweep, value, tail, sizes)


def _separated(sweep: Sweep) -> bool:
    """Whether some cut makes no error, or nothing but errors."""
    tp, fp = sweep.true_positives, sweep.false_positives
    perfect, inverse = (tp == tp[-1]) & (fp == 0), (tp == 0) & (fp == fp[-1])
    return bool((perfect | inverse).any())


def _pairs(sweep: Sweep, value: float, tail: float) -> _Ends:
    """Bound the area by pairs that share no case, of which all went one way."""
    if sweep.is_weighted:
        return _Ends(reason="the classes are separated, and weighted pairs have no exact bound")
    pairs = min(sweep.n_positive, sweep.n_negative)
    bound = log(tail) / pairs
    if value > 0.5:
        return _Ends(exp(bound), 1.0, "pairs")
    return _Ends(0.0, -expm1(bound), "pairs")


def effective_sizes(sweep: Sweep) -> tuple[float, float]:
    """Return Kish's effective number of positives and of negatives."""
    squares = sweep.squared_weights
    positive, negative = (None, None) if squares is None else (float(s[-1]) for s in squares)
    return effective_size(sweep.n_positive, positive), effective_size(sweep.n_negative, negative)


def _delong(sweep: Sweep, value: float, tail: float, sizes: tuple[float, float]) -> _Ends:
    """Go as many standard errors to either side, on the logit scale."""
    from scipy.special import expit, ndtri

    error = sqrt(delong_variance(sweep, value, sizes)) / (value * (1 - value))
    reach = -float(ndtri(tail)) * error
    centre = log(value) - log1p(-value)
    return _Ends(float(expit(centre - reach)), float(expit(centre + reach)), "delong")


def delong_variance(sweep: Sweep, value: float, sizes: tuple[float, float]) -> float:
    """Return DeLong's variance: that of each class's mean share of pairs won, added up."""
    tp, fp = sweep.true_positives, sweep.false_positives
    won = 1 - (fp[1:] + fp[:-1]) / (2 * fp[-1])  # by a positive of each score
    lost = (tp[1:] + tp[:-1]) / (2 * tp[-1])  # by a negative of each score
    squares = sweep.squared_weights or (tp, fp)
    parts = zip((won, lost), squares, (tp[-1], fp[-1]), sizes, strict=True)
    return sum(
        float(np.dot(np.diff(square), (share - value) ** 2)) / float(total) ** 2 * m / (m - 1)
        for share, square, total, m in parts
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialAuc(Result):
    """The area under the ROC curve up to a false positive rate; ``float()`` gives it standardised.

    Attributes
    ----------
    value : float
        Standardised: 1/2 on the diagonal, 1 for a perfect ranking; nan if `reason` says why.
    area : float
        The area itself.
    max_fpr : float
    chance : float
        0.5.
    reason : str or None
    """

    value: float
    area: float
    max_fpr: float
    chance: float = 0.5
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def partial_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    max_fpr: float,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> PartialAuc:
    """Return the area under the ROC curve where the false positive rate is at most `max_fpr`.

    With area A and f = max_fpr, the standardised value is (1 + (A - f²/2) / (f - f²/2)) / 2. The
    curve is straight between cut points. At max_fpr = 1 it is the area under the whole curve.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    max_fpr : float
        In (0, 1].
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    PartialAuc

    Raises
    ------
    InvalidArgumentError
        `max_fpr` lies outside (0, 1], or more data stand beside a sweep.

    References
    ----------
    McClish (1989), Medical Decision Making 9:190, doi:10.1177/0272989X8900900307.

    Examples
    --------
    >>> found = partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5)
    >>> found.area, round(found.value, 4)
    (0.25, 0.6667)
    """
    rule = "pass the largest tolerable false positive rate"
    limit = number_in("max_fpr", max_fpr, "[0, 1]", rule)
    number_in("max_fpr", limit, "(0, inf)", rule)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if absent := swept.absent:
        return PartialAuc(value=nan, area=nan, max_fpr=limit, reason=absent)
    fpr, recall, _ = roc_curve(swept)
    inside = int(np.searchsorted(fpr, limit, side="right"))
    x = np.append(fpr[:inside], limit)
    y = np.append(recall[:inside], np.interp(limit, fpr[inside - 1 :], recall[inside - 1 :]))
    area = float(np.trapezoid(y, x))
    least = limit * limit / 2
    return PartialAuc(value=(1 + (area - least) / (limit - least)) / 2, area=area, max_fpr=limit)

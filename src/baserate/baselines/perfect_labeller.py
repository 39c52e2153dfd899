"""The share of a perfect labeller that, mixed with blind draws, explains a score."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from baserate._result import Result
from baserate._saddlepoint import thinned_hypergeometric
from baserate.baselines.chance_curve import Ranges, tables
from baserate.baselines.draws import best_draw
from baserate.baselines.rescaled import no_room
from baserate.baselines.totals import class_totals, needs_fixed_weights, same
from baserate.counts import ConfusionMatrix, single_table
from baserate.metrics import Metric, binary_metric


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchScale(Result):
    """The share of a perfect labeller that explains a score; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    value : float
        Between 0, the best blind draw, and 1, perfect labels. nan if `reason` says why.
    score, chance : float
    reason : str or None
    """

    metric: str
    value: float
    score: float
    chance: float
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def dutch_scaler(metric: str | Metric, table: ConfusionMatrix) -> DutchScale:
    """Return the least share a of a perfect labeller that, mixed with blind draws, scores as much.

    The mixture labels each case by the truth with share a, and else by the best blind draw, so its
    table is a · perfect + (1 - a) · draw. Its score is the mean of the metric over the draws; a is
    solved from it. For metrics linear in recall and specificity that is the skill; for ratios it is
    not: skill mixes scores, this mixes labellers.

    Two flaws of the published code are avoided. The baseline of F_β is that of its own β, not that
    of F1. And where the metric is not linear in the draw (geometric mean, Jaccard, prevalence
    threshold), its mean is taken instead of its value at the mean table, so that scores just above
    chance do not come out negative.

    Parameters
    ----------
    metric : Metric or str
    table : ConfusionMatrix
        A single table. Weighted counts are taken for metrics that are linear in recall and
        specificity.

    Returns
    -------
    DutchScale
        With nan and a reason where the score, chance or perfect is undefined, where guessing is
        perfect, and where the score is worse than the best guess.

    Raises
    ------
    InvalidArgumentError
        The metric has no direction.
    UnsupportedError
        Chance has no exact value here (see `dutch_draw`).

    References
    ----------
    van de Bijl, Klein, Pries, Bhulai, van der Mei (2025), The Dutch Scaler performance indicator,
    Journal of Classification 42.

    Examples
    --------
    With 30 positives of 100 and t = 1 the closed form for F1 is 1 - 2 P (1 - s)/(N s):

    >>> from baserate import ConfusionMatrix, dutch_scaler
    >>> t = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    >>> round(float(dutch_scaler("f1", t)), 12), round(1 - 2 * 30 * 0.4 / (70 * 0.6), 12)
    (0.428571428571, 0.428571428571)
    """
    metric, table = binary_metric(metric), single_table("table", table)
    if table.is_weighted:  # class totals alone may happen to be whole
        needs_fixed_weights(metric)
    draw = best_draw(metric, n_positive=table.n_positive, n_negative=table.n_negative)
    score, perfect = float(metric(table)), float(metric.perfect(table.n_positive, table.n_negative))
    reason = _no_share(metric, table, score, draw.value, perfect)
    if reason:
        share = nan
    elif metric.linear_in_rates:
        share = max(0.0, (score - draw.value) / (perfect - draw.value))
    else:
        sign = 1 if perfect > draw.value else -1
        share = _least_share(metric, table, draw.n_predicted, score, sign=sign)
    return DutchScale(
        metric=metric.name, value=share, score=score, chance=draw.value, reason=reason
    )


def _no_share(
    metric: Metric, table: ConfusionMatrix, score: float, chance: float, perfect: float
) -> str | None:
    if isnan(score - chance):
        return metric.undefined_reason(table) or "no blind draw has a value"
    if reason := no_room(metric, chance, perfect):
        return reason
    if (score - chance) / (perfect - chance) < 0 and not same(score, chance):
        return "the score is worse than that of the best guess"
    return None


def _least_share(
    metric: Metric, table: ConfusionMatrix, n_predicted: Ranges, score: float, *, sign: int
) -> float:
    """Solve for the share at the ends of every range of best draws; the least one counts."""
    totals = class_totals(table.n_positive, table.n_negative)
    assert totals is not None
    ends = {k for span in n_predicted for k in span}
    return min(_solved(_mixture(metric, *totals, k), score, sign) for k in ends)


def _mixture(metric: Metric, p: int, q: int, k: int) -> Callable[[float], float]:
    """Return the mean of the metric as a function of the share of perfect labels."""
    if metric.affine_in_tp:
        mean = np.array([k * p / (p + q)])
        tp, weights = mean, np.ones(1)
    else:
        tp, weights = thinned_hypergeometric(p, q, k)
    draw = tables(p, q, k, tp)

    def score(share: float) -> float:
        cells = [(1 - share) * cell for cell in draw]
        cells[0], cells[3] = cells[0] + share * p, cells[3] + share * q
        return float(weights @ np.asarray(metric.formula(*cells)))

    return score


def _solved(mixture: Callable[[float], float], score: float, sign: int) -> float:
    from scipy.optimize import root_scalar

    def gap(share: float) -> float:
        return sign * (mixture(share) - score)

    if gap(0.0) >= 0:
        return 0.0
    if gap(1.0) <= 0:
        return 1.0
    return float(root_scalar(gap, bracket=(0.0, 1.0), xtol=1e-300, rtol=1e-15).root)

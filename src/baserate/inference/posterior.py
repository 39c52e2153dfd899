"""What a table leaves open: Beta laws of its rates, or one Dirichlet law of its cells.

Weighted cases count by Kish's effective size (Σw)² / Σw², taken within the cells on which a rate is
conditioned: ten heavy positives are ten positives, however many light negatives there are. Where
weights go with the outcome, as where one in five of the cases not flagged was looked at, the few
heavy ones say less than that: then by the size that gives the rate its linearised variance (Korn
and Graubard 1998, Survey Methodology 24:193). The smaller of both counts, as the second errs where
either side has a few cases of chance weights.

Under Dirichlet(cells + 1/2) base rate, recall and false positive rate are independent. The rate
that moves the metric most is integrated exactly: for given values of the others the metric lies
below s on one side of a threshold, and the incomplete beta function says how probable that side is.
The other rates are integrated by Gauss rules. Choosing a lesser rate for the threshold would leave
a steep step to the Gauss rules; drawing random tables would leave an error of a hundredth.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from baserate._arith import plain
from baserate._arrays import Array
from baserate._quadrature import beta_nodes
from baserate.counts import ConfusionMatrix, as_float
from baserate.errors import UnsupportedError
from baserate.inference.beta import Beta
from baserate.metrics import Metric, binary_metric

Law = tuple[Any, Any]  # both parameters of a Beta law, or of a batch of them

POSITIVE, NEGATIVE = ("tp", "fn"), ("fp", "tn")
MOST_CASES = 1e16  # of more, two shares a standard deviation apart are nearly the same float


class Evidence(NamedTuple):
    """The laws of base rate, recall and false positive rate, and the sizes behind them."""

    n: Any  # total weight, at which counts are stated
    size: Any  # effective number of cases
    laws: tuple[Law, Law, Law]

    def row(self, i: int) -> "Evidence":
        """Return what is known of one table of a batch."""
        base, recall, fpr = ((float(a[i]), float(b[i])) for a, b in self.laws)
        return Evidence(float(self.n[i]), float(self.size[i]), (base, recall, fpr))


def evidence(table: ConfusionMatrix, squared: ConfusionMatrix | None = None) -> Evidence:
    """Return the posterior that a table leaves, or each of a batch: half a case in each cell.

    `squared` holds sums of squared weights; None means that the table holds counts.
    """
    tp, fn, fp, tn = (plain(as_float(cell)) for cell in table)
    every = cases_per_weight(table, squared, (POSITIVE, NEGATIVE))
    of_positive, of_negative = (
        cases_per_weight(table, squared, ((hit,), (miss,))) for hit, miss in (POSITIVE, NEGATIVE)
    )
    n = tp + fn + fp + tn
    refuse_beyond(every * n)
    laws = (
        (every * (tp + fn) + 1, every * (fp + tn) + 1),
        (of_positive * tp + 0.5, of_positive * fn + 0.5),
        (of_negative * fp + 0.5, of_negative * tn + 0.5),
    )
    return Evidence(n, every * n, laws)


def is_dirichlet(known: Evidence) -> bool:
    """Whether the cell shares have a Dirichlet law: with squared weights they have none."""
    (a, b), recall, fpr = known.laws
    return bool(np.allclose((a, b), (sum(recall), sum(fpr)), rtol=1e-12, atol=0))


def refuse_beyond(cases: Any) -> None:
    """Raise if there are more cases than quantiles of a Beta law have digits for."""
    most = float(np.max(cases, initial=0.0))
    if most > MOST_CASES:
        raise UnsupportedError(
            f"an interval is right for at most {MOST_CASES:.0e} cases, got {most:.3g}: so many "
            "leave no sampling error to speak of (below 1e-8): report the metric alone, or pass "
            "counts of cases if these are sums of weights."
        )


def cases_per_weight(
    table: ConfusionMatrix, squared: ConfusionMatrix | None, sides: Sequence[Sequence[str]]
) -> Any:
    """Return the effective cases of a weight, for the share of the first of two sides in both."""
    if squared is None:
        return 1.0
    (hit, miss), (hits, misses) = (
        [as_float(sum(getattr(t, cell) for cell in side)) for side in sides]
        for t in (table, squared)
    )
    with np.errstate(all="ignore"):  # nothing is linearised where one side has no weight
        whole, every = hit + miss, hits + misses
        by_variance = 1 / (hits / hit * (miss / whole) + misses / miss * (hit / whole))
        by_variance = np.where((hit > 0) & (miss > 0), by_variance, np.nan)
        return plain(np.fmin(np.where(every > 0, whole / every, 1.0), by_variance))


Odds = dict[int, Array]  # odds of base rate (0), recall (1) and false positive rate (2)

GUIDE_NODES = 12
ENOUGH = 7.0  # an incomplete beta function whose parameters are this large has no visible kink


class Plan(NamedTuple):
    """Which rate gets the threshold, how the metric moves with it, and what the others need."""

    inner: int
    rising: bool
    outer: tuple[int, ...]  # rates to integrate, the last one innermost
    sharpness: tuple[float, ...]  # their effect on the metric, relative to that of `inner`


class Posterior:
    """Distribution function of a metric under the posterior that a table leaves.

    Evidence gathered otherwise, such as a table's together with that of a reference, may stand in
    for the table.
    """

    def __init__(
        self,
        metric: Metric,
        table: ConfusionMatrix | Evidence,
        squared: ConfusionMatrix | None = None,
    ) -> None:
        given = table if isinstance(table, Evidence) else evidence(table, squared)
        self.metric, known = _turned(metric, given)
        total, self.size, laws = known
        # Without a scale a metric is stated at cases: products of four huge weights overflow.
        self.n = self.size if metric.scale_invariant else total
        self.rates = tuple(Beta(a, b) for a, b in laws)

    def value(self, odds: Odds) -> Array:
        """Return the metric at these odds; nothing is ever subtracted from one."""
        pi, recall, fpr = (odds.get(i, self.rates[i].centre) for i in range(3))
        positive, negative = self.n * (pi / (1 + pi)), self.n / (1 + pi)
        return np.asarray(
            self.metric.formula(
                positive * (recall / (1 + recall)),
                positive / (1 + recall),
                negative * (fpr / (1 + fpr)),
                negative / (1 + fpr),
            )
        )

    @cached_property
    def guide(self) -> tuple[Array, Array]:
        """Values and weights on a small grid of all three rates: a first idea of the law.

        Recall is shifted by a hair: two rates with equal counts would have equal nodes, at which
        a metric can be undefined although that has probability zero.
        """
        nodes = [beta_nodes(rate.a, rate.b, GUIDE_NODES) for rate in self.rates]
        axes = np.ix_(*(node.odds for node in nodes))
        values = self.value({i: axis * (1 + 1e-9 * (i == 1)) for i, axis in enumerate(axes)})
        weights = np.prod(np.broadcast_arrays(*np.ix_(*(node.weights for node in nodes))), axis=0)
        return np.broadcast_to(values, weights.shape), weights

    @cached_property
    def plan(self) -> Plan | None:
        """The order of integration; None if the metric is monotone in too few of the rates."""
        values, weights = self.guide
        if np.isnan(values).any():
            return None
        score = _normal_scores(values, weights)
        axes = range(len(self.rates))
        effect = [_effect(score, weights, axis) for axis in axes]
        trend = [_trend(values, axis) for axis in axes]
        if not self.metric.depends_on_base_rate:
            trend[0] = 0.0
        moving = [i for i in axes if trend[i] != 0]
        monotone = [i for i in moving if np.isfinite(trend[i])]
        if len(moving) - len(monotone) > 1 or not monotone:
            return None
        largest = max(effect[i] for i in monotone)
        inner = max(
            (i for i in monotone if effect[i] >= largest / 2),
            key=lambda i: (min(self.rates[i].least_parameter, ENOUGH), effect[i]),
        )
        # Kinks are looked for along the last of the others, so it must be a monotone one.
        outer = sorted((i for i in moving if i != inner), key=lambda i: (i in monotone, effect[i]))
        sharpness = tuple(self.rates[i].skew * effect[i] / effect[inner] for i in outer)
        return Plan(inner, trend[inner] > 0, tuple(outer), sharpness)


def _turned(metric: Metric, known: Evidence) -> tuple[Metric, Evidence]:
    """Let predictions and truths trade places where only the base rate of predictions is idle.

    Markedness has the law of informedness at the transposed table, with one rate less.
    """
    if metric.transpose is None or not metric.depends_on_base_rate or not is_dirichlet(known):
        return metric, known
    partner = binary_metric(metric.transpose)
    if partner.depends_on_base_rate:
        return metric, known
    _, (tp, fn), (fp, tn) = known.laws
    return partner, known._replace(laws=((tp + fp, fn + tn), (tp, fp), (fn, tn)))


def quick_quantiles(values: Array, weights: Array, levels: Array) -> Array:
    """Return quantiles of weighted values, by interpolation."""
    order = np.argsort(values, axis=None)
    return np.interp(levels, np.cumsum(weights.ravel()[order]), values.ravel()[order])


def _normal_scores(values: Array, weights: Array) -> Array:
    """Replace values by normal quantiles of their ranks, so that unbounded metrics behave too."""
    order = np.argsort(values, axis=None)
    mass = np.cumsum(weights.ravel()[order])
    score = np.empty(mass.size)
    score[order] = ndtri(np.clip(mass - weights.ravel()[order] / 2, 1e-12, 1 - 1e-12))
    return score.reshape(values.shape)


def _effect(score: Array, weights: Array, axis: int) -> float:
    """Return the standard deviation along one axis, averaged over the others."""
    along = weights.sum(axis=axis, keepdims=True)
    mean = (weights * score).sum(axis=axis, keepdims=True) / along
    return float(np.sqrt((weights * (score - mean) ** 2).sum()))


def _trend(values: Array, axis: int) -> float:
    """Return 1 or -1 for a metric that only rises or only falls along an axis, 0 if constant."""
    steps = np.diff(values, axis=axis)
    sizes = np.moveaxis(np.abs(values), axis, 0)
    slack = 64 * np.finfo(float).eps * np.moveaxis(np.maximum(sizes[1:], sizes[:-1]), 0, axis)
    rises, falls = bool((steps > slack).any()), bool((steps < -slack).any())
    return np.nan if rises and falls else float(rises) - float(falls)

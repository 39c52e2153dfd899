"""What probabilities lose, case by case, and what holds that of counted scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, isnan, log, log1p
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array, Index
from baserate._checks import confidence, numbers_in, one_of
from baserate.cases.columns import check_order
from baserate.cases.counted import effective_size
from baserate.cases.scores import as_probabilities
from baserate.curves.bounded_means import (
    Limits,
    compared_by,
    difference_limits,
    few,
    mean_limits,
    tail_limits,
)
from baserate.curves.cut_points import Sweep, sweep
from baserate.curves.estimates import Estimate, ScoreComparison
from baserate.curves.permutation_laws import two_sided
from baserate.curves.score_bins import orders, outward, score_ends
from baserate.curves.scored_labels import read_scores, read_truth, read_weights
from baserate.errors import InvalidArgumentError

Loss = Callable[[Array], tuple[Array, Array]]  # of a positive, and of a negative, at each score


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What each case lost, alike cases together, and the most that any case could lose."""

    positive: Array  # loss of a positive at each distinct score
    negative: Array
    n_positive: Array  # cases, or weights
    n_negative: Array
    effective: float  # effective cases per case, or per unit of weight
    most: float  # the least loss of any case is 0
    is_weighted: bool

    @classmethod
    def of(cls, swept: Sweep, loss: Loss, most: float | None = None) -> "Losses":
        """Read a sweep; `most` is the largest loss that its scores could make, unless given."""
        positive, negative = loss(probabilities(swept))
        total = swept.n_positive + swept.n_negative
        return cls(
            positive,
            negative,
            *swept.by_score,
            effective=swept.effective_n / total,
            most=float(max(positive.max(), negative.max())) if most is None else most,
            is_weighted=swept.is_weighted,
        )

    @property
    def mean(self) -> float:
        """Mean loss; a loss that nobody suffers is 0, be it infinite."""
        sides = ((self.n_positive, self.positive), (self.n_negative, self.negative))
        lost = sum(
            float(np.multiply(cases, each, out=np.zeros(len(each)), where=cases != 0).sum())
            for cases, each in sides
        )
        return lost / float(self.n_positive.sum() + self.n_negative.sum())

    @property
    def cases(self) -> tuple[Array, Array]:
        """Losses, and how many effective cases have each."""
        counts = np.concatenate((self.n_positive, self.n_negative)) * self.effective
        return np.concatenate((self.positive, self.negative)), counts

    @property
    def route(self) -> str:
        """What an interval of these cases is."""
        return "asymptotic" if self.is_weighted else "conservative"

    def limits(self, level: float) -> tuple[float, float]:
        """Return an interval for the mean loss in the population."""
        if not isfinite(self.mean):
            return inf, inf
        low, high = mean_limits(*self.cases, (0.0, self.most), level)
        return min(low, self.mean), max(high, self.mean)  # sums are rounded in other orders

    def estimate(self, level: float, chance: float, alone: str | None) -> Estimate:
        """Return the mean loss beside that of the shares, or why these are no forecast."""
        low, high = self.limits(level)
        return Estimate(
            value=self.mean,
            low=low,
            high=high,
            confidence_level=level,
            chance=chance,
            perfect=0.0,
            route=self.route,
            chance_reason=alone,
        )


def squared_errors(eta: Array) -> tuple[Array, Array]:
    """Return the squared error of a positive and of a negative of these probabilities."""
    return (1 - eta) ** 2, eta**2


def surprises(eta: Array) -> tuple[Array, Array]:
    """Return the logarithmic loss of a positive and of a negative of these probabilities."""
    with np.errstate(divide="ignore"):
        return -np.log(eta), -np.log1p(-eta)


def entropy(swept: Sweep) -> float:
    """Return the logarithmic loss of always saying the base rate."""
    rare, common = sorted(class_shares(swept))
    return -rare * log(rare) - common * log1p(-rare) if rare else 0.0


def probabilities(swept: Sweep) -> Array:
    """Return the distinct scores, having checked that they are probabilities.

    The middle of a bin stands for scores that were counted together.
    """
    lowest, highest = score_ends(swept)
    remedy = as_probabilities(float(lowest.min(initial=0)), float(highest.max(initial=0)))
    ends = [np.asarray(numbers_in("y_score", end, "[0, 1]", remedy)) for end in (lowest, highest)]
    return ends[0] if swept.highest is None else ends[0] + (ends[1] - ends[0]) / 2


def class_shares(swept: Sweep) -> tuple[float, float]:
    """Return the shares of both classes, each as a quotient: one may be far below rounding."""
    total = swept.n_positive + swept.n_negative
    return swept.n_positive / total, swept.n_negative / total


def loss_ends(swept: Sweep, loss: Loss, most: float | None = None) -> tuple[Losses, Losses] | None:
    """Return the least and the greatest losses that counted scores may stand for.

    The least where positives have the highest score of their range and negatives the lowest.
    """
    both = orders(swept)
    if both is None:
        return None
    (up, _), (_, down) = map(loss, score_ends(swept))
    worst = most or float(max(up.max(), down.max()))
    return Losses.of(both.best, loss, most), Losses.of(both.worst, loss, worst)


def loss_bounds(least: Losses, greatest: Losses) -> tuple[float, float]:
    """Return what holds the mean loss between these."""
    low, high = outward(least.mean, greatest.mean, terms=len(least.positive))
    return max(0.0, low), high


Method = Literal["conservative", "exact"]

NO_INTERVAL = "swaps tell whether losses are equal, not how far apart: leave method out"
INFINITE = "something happened that a score called impossible: a loss is infinite"


def compare_losses(
    loss: Loss,
    most: float | None,
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    y_true_b: Any = None,
    method: Method | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    sample_weight_b: Any = None,
) -> ScoreComparison:
    """Compare the mean losses of two forecasts, of the same cases or of separate ones.

    On the same cases the difference is the mean of each case's. The interval is Gaffke's
    (`brier_score`) with the largest difference, to either side, that these pairs of scores could
    have made, right or wrong: it supposes that no pair will be further apart. On separate cases it
    joins Gaffke's intervals of the two: it reaches √(a² + b²) down, where A's reaches a down and
    B's reaches b up. `route` is "conservative": unproved, it held the truth at least as often as
    stated in simulations (`benchmarks/bench_losses.py`); "asymptotic" with weights, where cases are
    worth Kish's effective number. The p-value is twice the error to either side at which the
    interval just reaches 0.

    With ``method="exact"``, on the same cases, it is P(``|Σ ± d|`` >= ``|Σ d|``) over all ways to
    swap the two scores of each case. Its route is "exact" while at most 2^36 sums differ (36 cases
    with a difference, or far more if many are alike), else "asymptotic", by the saddle point of the
    same law, within a tenth of itself. It finds more: of forecasts with noise of .5 and 1.5 on the
    logit scale it told 15% of samples of 20 cases apart, 33% of 50 and 81% of 200, and the default
    2%, 14% and 74%; of exchangeable ones 6.5%, 8% and 1.5%, and 1%, 2% and .5% (200 samples each).

    A loss is at most `most`, or (None: the logarithmic one) the largest that the scores of its
    sample could have made; scores of 0 and 1 make an interval infinite, unless both agree.

    Learned-Miller and Thomas (2019), arXiv:1905.06208, for Gaffke's limits. Zou and Donner (2008),
    Statistics in Medicine 27:1693, doi:10.1002/sim.3095. Pitman (1937), Supplement to the Journal
    of the Royal Statistical Society 4:119, doi:10.2307/2984124, for the swaps.
    """
    level = confidence(confidence_level)
    if method is not None:
        one_of("method", method, Method)
    exact = method == "exact"
    given = (y_true_b, sample_weight, sample_weight_b)
    if exact and any(one is not None for one in given):
        rule = "can be exact for unweighted scores of the same cases only"
        raise InvalidArgumentError.from_rule("method", rule, method, "leave method out")
    if y_true_b is not None:
        first = sweep(y_true, score_a, pos_label=pos_label, sample_weight=sample_weight)
        side: Any = {"pos_label": first.positive, "sample_weight": sample_weight_b}
        second = sweep(y_true_b, score_b, **side)
        return _separate(Losses.of(first, loss, most), Losses.of(second, loss, most), level)
    if sample_weight_b is not None:
        rule, remedy = "is for separate cases", "pass sample_weight alone, or y_true_b as well"
        kind = type(sample_weight_b).__name__
        raise InvalidArgumentError.from_rule("sample_weight_b", rule, kind, remedy)
    scores = score_a, score_b
    return _paired(loss, y_true, scores, level, pos_label, sample_weight, exact=exact)


compare_brier = partial(compare_losses, squared_errors, 1.0)
compare_log_loss = partial(compare_losses, surprises, None)


def _paired(
    loss: Loss, y_true: Any, scores: tuple[Any, Any], level: float, pos_label: Any, weight: Any,
    *, exact: bool,
) -> ScoreComparison:  # fmt: skip
    columns = {"y_true": y_true, "score_a": scores[0], "score_b": scores[1]}
    check_order((columns | {"sample_weight": weight}).items())
    truth, _ = read_truth(y_true, pos_label)
    weights = None if weight is None else read_weights(weight, len(truth))
    called = zip(("score_a", "score_b"), scores, strict=True)
    probabilities = [_probabilities(name, values, len(truth)) for name, values in called]
    if weights is not None:  # a case of weight 0 counts nowhere, be its loss infinite
        kept = weights > 0
        truth, weights = truth[kept], weights[kept]
        probabilities = [p[kept] for p in probabilities]
    each = [np.stack(loss(p)) for p in probabilities]
    return paired_losses(each, (~truth).astype(int), weights, level, exact=exact)


def paired_losses(
    each: Sequence[Array],
    outcome: Index,
    weights: Array | None,
    level: float,
    *,
    exact: bool = False,
) -> ScoreComparison:
    """Compare what two forecasts of the same cases lost, however many outcomes there are.

    `each` has what either would have lost at every outcome of every case, shape (outcomes, n).
    """
    lost = [sides[outcome, np.arange(len(outcome))] for sides in each]
    value_a, value_b = (float(np.average(x, weights=weights)) for x in lost)
    about: dict[str, Any] = {"value_a": value_a, "value_b": value_b, "confidence_level": level}
    if not (isfinite(value_a) and isfinite(value_b)):
        return _infinite(value_a - value_b, about)
    apart = _apart(lost[0], lost[1])
    difference = float(np.average(apart, weights=weights))
    if exact:
        p_value, how = two_sided(apart)
        about |= {"p_value_route": how, "reason": NO_INTERVAL}
        return ScoreComparison(difference=difference, p_value=p_value, **about)
    most = float(np.abs(_apart(*each)).max())
    counts = np.ones(len(outcome))
    if weights is not None:
        total = float(weights.sum())
        counts = weights * (effective_size(total, float(np.dot(weights, weights))) / total)
    pooled, route = few(apart, counts), "conservative" if weights is None else "asymptotic"

    def interval(tail: float) -> Limits:
        low, high = tail_limits(*pooled, (-most, most), tail)
        return min(low, difference), max(high, difference)  # sums are rounded in other orders

    return compared_by(interval, (value_a, value_b), level, route, difference)


def _probabilities(argument: str, values: Any, size: int) -> Array:
    scores = np.asarray(read_scores(argument, values, size), dtype=float)
    remedy = as_probabilities(float(scores.min(initial=0)), float(scores.max(initial=0)))
    return np.asarray(numbers_in(argument, scores, "[0, 1]", remedy))


def _apart(a: Array, b: Array) -> Array:
    """Return a - b; equal losses do not differ, be they infinite."""
    return np.subtract(a, b, out=np.zeros(a.shape), where=a != b)


def _infinite(difference: float, about: dict[str, Any]) -> ScoreComparison:
    """Say that a loss is infinite in the population, since it is in these cases."""
    both = "both losses are infinite" if isnan(difference) else None
    return ScoreComparison(
        difference=difference,
        low=difference,
        high=difference,
        route=None if both else "exact",
        reason=both,
        p_value_reason=INFINITE,
        **about,
    )


def _separate(a: Losses, b: Losses, level: float) -> ScoreComparison:
    about: dict[str, Any] = {"value_a": a.mean, "value_b": b.mean, "confidence_level": level}
    if not (isfinite(a.mean) and isfinite(b.mean)):
        return _infinite(a.mean - b.mean, about)
    pooled = few(*a.cases), few(*b.cases)

    def interval(tail: float) -> Limits:
        sides = [
            tail_limits(*sample, (0.0, of.most), tail)
            for sample, of in zip(pooled, (a, b), strict=True)
        ]
        return difference_limits((a.mean, b.mean), (sides[0], sides[1]))

    route = "asymptotic" if a.is_weighted or b.is_weighted else "conservative"
    return compared_by(interval, (a.mean, b.mean), level, route, a.mean - b.mean)

"""What probabilities lose, case by case, and what holds that of counted scores."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, log, log1p

import numpy as np

from baserate._arrays import Array
from baserate._checks import numbers_in
from baserate.cases.scores import as_probabilities
from baserate.curves.bounded_means import mean_limits
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.score_bins import orders, outward, score_ends

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

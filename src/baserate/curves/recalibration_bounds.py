"""What holds level and slope of a logistic recalibration of scores that were counted in bins.

Every logit lies between the ends of its bin. The level at slope 1 falls as any logit grows, so that
both ends of all bins give its bounds. Level and slope together are a root of two equations, the
gradient of the log-likelihood. Krawczyk's operator proves that for all logits within their bins
there is exactly one root in a box: with H about the information at the middle, and F the gradient,
it maps the box into middle + H⁻¹ F(middle) + (1 - H⁻¹ H(box)) (box - middle), all of it computed
with intervals. If the image lies inside the box, it holds every root.

References
----------
Krawczyk (1969), Computing 4:187, doi:10.1007/BF02234767. Neumaier (1990), Interval methods for
systems of equations, Cambridge University Press, doi:10.1017/CBO9780511526473, section 5.1.
"""

from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate.curves.logistic_recalibration import level_shift
from baserate.curves.score_bins import SPARE, UNIT, Bounds

DOUBLINGS = 40  # of the room for rounding around a root, or of the box
FIRST = 1e-13  # room for rounding, beside the size of the logits
GROWTH = 1.25  # of the box, beside what was found to be in it


class Binned(NamedTuple):
    """Logits within their bins, whose ends hold them, and cases of each class there."""

    low: Array
    high: Array
    positive: Array
    negative: Array

    @classmethod
    def of(cls, scores: tuple[Array, Array], positive: Array, negative: Array) -> "Binned":
        """Take the logits of the ends of every bin."""
        low, high = (np.log(end) - np.log1p(-end) for end in scores)
        low, high = (
            end + side * 4 * UNIT * (1 + np.abs(end)) for end, side in ((low, -1), (high, 1))
        )
        return cls(low, high, positive, negative)

    @property
    def size(self) -> Array:
        """Cases in each bin."""
        return self.positive + self.negative

    def centre(self, level: float, slope: float) -> float:
        """Return the mean logit by information, around which level and slope are uncorrelated."""
        from scipy.special import expit

        x = (self.low + self.high) / 2
        p = expit(level + slope * x)
        weight = self.size * p * (1 - p)
        return float(weight @ x / weight.sum())

    def shifted(self, centre: float) -> "Binned":
        """Return the logits less a number."""
        room = UNIT * (abs(centre) + np.abs(self.low) + np.abs(self.high))
        return self._replace(low=self.low - centre - room, high=self.high - centre + room)


def level_bounds(bins: Binned) -> Bounds | None:
    """Return what holds the level at slope 1; None where rounding hides it."""
    positives, size = float(bins.positive.sum()), bins.size
    least = _root_within(bins.high, size, positives)
    most = _root_within(bins.low, size, positives)
    return None if least is None or most is None else (least[0], most[1])


def _root_within(x: Array, size: Array, positives: float) -> Bounds | None:
    """Return an interval at whose ends the sum of probabilities is too small and too large."""
    from scipy.special import expit

    root, room = level_shift(x, size, positives), FIRST * (1 + float(np.abs(x).max()))
    error = (len(x) + SPARE) * UNIT * float(size.sum())
    for _ in range(DOUBLINGS):
        low, high = (float(size @ expit(x + root + side * room)) - positives for side in (-1, 1))
        if low < -error and high > error:
            return root - room, root + room
        room *= 2
    return None


def line_bounds(bins: Binned, level: float, slope: float) -> tuple[Bounds, Bounds] | None:
    """Return what holds level and slope, given those of the middle; None where it is not proved."""
    start = np.array([level, slope])
    centre, gradient = _gradient(bins, start)
    radius = np.zeros(2)
    for _ in range(DOUBLINGS):
        middle, spread = _information(bins, start, radius)
        try:
            inverse = np.linalg.inv(middle)
        except np.linalg.LinAlgError:
            return None
        moved = inverse @ centre
        reach = np.abs(inverse) @ (gradient + spread @ radius)
        needed = (np.abs(moved) + reach) * (1 + SPARE * UNIT) + SPARE * UNIT * (1 + np.abs(start))
        if not np.isfinite(needed).all():
            return None
        if (needed < radius).all():
            ends = [(float(x - r), float(x + r)) for x, r in zip(start, needed, strict=True)]
            return ends[0], ends[1]
        radius = GROWTH * needed
    return None


def _gradient(bins: Binned, at: Array) -> tuple[Array, Array]:
    """Return middle and radius of the gradient at a point, for all logits within their bins.

    By the mean value theorem x (1 - p(x)) differs from its value in the middle of a bin by at most
    half the width times the largest |1 - p - b x p (1 - p)|; so does x p(x).
    """
    x, half, least, most = _probabilities(bins, at, np.zeros(2))
    p = (least + most) / 2
    hits, misses, size = bins.positive, bins.negative, bins.size
    far, slope = np.abs(x) + half, abs(float(at[1]))
    first = hits - size * p
    second = x * first
    bent = far * slope / 4
    radius = half * (hits * (1 - least + bent) + misses * (most + bent))
    apart = size * (most - least) / 2  # p is taken between the ends, not at the middle
    sums = np.array([first.sum(), second.sum()])
    rounding = (len(x) + SPARE) * UNIT * np.array([size.sum(), (size * far).sum()])
    reach = np.array([apart.sum(), (radius + far * apart).sum()])
    return sums, reach + rounding


def _information(bins: Binned, at: Array, radius: Array) -> tuple[Array, Array]:
    """Return middle and radius of the information, for a box of points and all logits."""
    x, half, least, most = _probabilities(bins, at, radius)
    ends = least * (1 - least), most * (1 - most)
    low = np.minimum(*ends)
    high = np.where((least < 0.5) & (most > 0.5), 0.25, np.maximum(*ends))
    size, far = bins.size, np.abs(x) + half
    weight, spread = size * (low + high) / 2, size * (high - low) / 2
    # x w differs from its middle by at most |x| spread + half weight + half spread.
    by_x = far * spread + half * weight
    by_square = far**2 * spread + (2 * far * half) * weight
    rounding = (len(x) + SPARE) * UNIT
    sums = [float((weight * x**k).sum()) for k in range(3)]
    reach = [
        float(each.sum()) + rounding * float((size * far**k).sum())
        for k, each in enumerate((spread, by_x, by_square))
    ]
    places = np.array([[0, 1], [1, 2]])
    return np.array(sums)[places], np.array(reach)[places]


def _probabilities(bins: Binned, at: Array, radius: Array) -> tuple[Array, Array, Array, Array]:
    """Return middles and half widths of bins, and the least and greatest probability in each."""
    from scipy.special import expit

    x, half = (bins.low + bins.high) / 2, (bins.high - bins.low) / 2 * (1 + 4 * UNIT)
    far, slope = np.abs(x) + half, abs(float(at[1])) + float(radius[1])
    room: Any = radius[0] + far * radius[1] + half * slope
    room = room + 8 * UNIT * (1 + abs(float(at[0])) + far * slope)
    middle = at[0] + at[1] * x
    least, most = expit(middle - room), expit(middle + room)
    return x, half, least * (1 - 8 * UNIT), np.minimum(1.0, most * (1 + 8 * UNIT))

"""How sure a number is by its units: it moves when a cluster goes, or under replicate weights.

A few clusters cannot tell how alike their cases are, and none that is seen tells of one that is
wrong as a whole. So the variance has a floor, and the interval a second centre; both fade as the
clusters grow in number, and where so many would show it. This is the only place that knows of them.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array

USUAL = 0.95  # of an interval
Limits = tuple[float, float]

EMPTY = 1e-12  # share of a cell that rounding leaves when its last cluster goes
ROUNDING = 1e-12  # of a number: what rounding makes of no variation
STILL = 1e-9  # of the largest move: what rounding makes of none
SPEAKS = 0.1  # a probability below which what was seen speaks against the floor
WRONG = 0.1  # of the clusters: a share that may be all wrong, and none of them be seen
FADE = 3  # power by which belief falls
ALONE = "all cases lie in one cluster"
DECIDES = "it is undefined without one of the clusters"
ALIKE = "nothing shows how much clusters differ: collect more clusters"


class Likeness(NamedTuple):
    """How alike cases of a cluster may be though nothing shows it: an intraclass correlation.

    At most `most`, and `shared` over the effective number of clusters, which can tell the more the
    more there are. Fixed before the last groups of designs by which it is judged were tried
    (``benchmarks/bench_clusters_corners.py``).
    """

    most: float
    shared: float

    def of(self, clusters: float) -> float:
        """Return the correlation that so many clusters cannot rule out."""
        return min(self.most, self.shared / clusters)


TABLES = Likeness(0.2, 4.0)  # metrics of tables, and their differences on the same cases
SCORES = Likeness(0.1, 2.0)  # areas, losses, O:E
SCORES_APART = Likeness(0.02, 0.5)  # what is hard for one score is hard for the other


class Floor(NamedTuple):
    """The least variance of a number, and what it rests on."""

    alone: float  # the variance of as many independent cases
    size: float  # Σ n²/Σ n: cases in the cluster of a typical case
    clusters: float  # (Σ n)²/Σ n²: so many clusters of equal size say as much
    likeness: Likeness

    @classmethod
    def of(cls, sizes: Array, parts: Array, likeness: Likeness) -> "Floor | None":
        """Weigh cases by how much those of their class move the number.

        `sizes` (k, classes) are the cases of each cluster; `parts` what those of each class add to
        the variance if all are independent.
        """
        cases, alone = sizes.sum(axis=0), float(parts.sum())
        each = np.sqrt(np.divide(parts, cases, out=np.zeros_like(parts), where=cases > 0))
        return cls.weighed(sizes @ each, alone, likeness)

    @classmethod
    def weighed(cls, weighed: Array, alone: float, likeness: Likeness) -> "Floor | None":
        """Return the same, given the sum over each cluster of how much its cases move the number.

        None where nothing moves it.
        """
        square = float(weighed @ weighed)
        if not (alone > 0 and square > 0):
            return None
        return cls(alone, square / alone, float(weighed.sum()) ** 2 / square, likeness)

    @property
    def variance(self) -> float:
        """That of clusters whose cases are as alike as so few cannot rule out."""
        return self.alone * (1 + max(self.size - 1, 0.0) * self.likeness.of(self.clusters))

    def centre(self, value: float, wrong: float, right: float) -> float:
        """Return a mean with half a cluster more that is all wrong, and half a one all right."""
        return (self.clusters * value + (wrong + right) / 2) / (self.clusters + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A number, and how much it moves without each cluster, or under each set of replicate weights.

    The difference of two numbers of the same units is one again: see `minus`.
    """

    value: float
    moves: Array  # the value less the one without a unit; nan where it is undefined without it
    units: NDArray[np.intp]  # which unit each move is of
    scale: Array  # what each squared move counts: 1 for clusters
    bounds: Limits = (-inf, inf)  # what the number cannot pass
    known: float | None = None  # degrees of freedom that come with replicate weights
    # None for replicate weights, which say themselves how cases were drawn
    floor: Floor | None = None
    # the number with half a cluster that is all wrong and half a cluster that is all right; nan
    # where nothing is known of it
    centre: float = nan

    @property
    def jackknifed(self) -> float:
        """Σ scale d²: for clusters the jackknife around the value itself, which errs upwards."""
        return spread(self.scale, self.moves)

    @property
    def variance(self) -> float:
        """The same, or the least that so few clusters allow."""
        return self._raised()

    def _raised(self, times: float = 1.0) -> float:
        """Return it with so many times the floor, as far as what was found lets believe in it."""
        found = self.jackknifed
        more = 0.0 if self.floor is None else self.floor.variance * times - found
        return found + self.believed * more if more > 0 else found

    @property
    def believed(self) -> float:
        """How far floor and second centre hold."""
        if self.floor is None:
            return 0.0
        least, own = self.floor, satterthwaite(self.scale * self.moves**2)
        return believed(self.jackknifed, least.variance, own, least.clusters)

    @property
    def error(self) -> float:
        """The standard error."""
        return sqrt(self.variance)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: Satterthwaite's, and two more with a floor, which knows by itself.

        Fewer more where one cluster outweighs all others, and so hides from the jackknife.
        """
        if self.known is not None:
            return _of_both(self.scale, self.moves) or self.known
        found = satterthwaite(self.scale * self.moves**2)
        if self.floor is None:
            return found
        more = min(2 * (self.floor.clusters - 1), 2.0)
        return min(found + more, max(len(self.moves) - 1.0, 1.0))

    @property
    def lacking(self) -> str | None:
        """Why clusters say nothing, or None."""
        if self.known is None and len(self.moves) < 2:
            return ALONE
        return DECIDES if isnan(self.jackknifed) else None

    @property
    def blind(self) -> bool:
        """Whether no unit moves the number, or it cannot move further one way."""
        low, high = self.bounds
        moved = sqrt(self.jackknifed) > ROUNDING * abs(self.value)
        return not (moved and low < self.value < high)

    def minus(self, other: "Law", floor: Floor | None = None) -> "Law":
        """Return the law of the difference of two numbers, or of one number at two tables."""
        units = np.union1d(self.units, other.units)
        moves, scale = np.zeros(len(units)), np.ones(len(units))
        for part, sign in ((self, 1), (other, -1)):
            at = np.searchsorted(units, part.units)
            moves[at] += sign * part.moves
            scale[at] = part.scale
        reach = self.bounds[1] - self.bounds[0]
        return replace(
            self,
            value=self.value - other.value,
            moves=moves,
            units=units,
            scale=scale,
            bounds=(-reach, reach),
            known=max(self.known or 0.0, other.known or 0.0) or None,
            floor=floor,
            centre=nan,
        )

    def within(self, level: float) -> Limits:
        """Return Student's interval on a scale on which the bounds are at infinity.

        The logit scale between two bounds, logarithms beside one: the outer ends of the intervals
        around the value and around the centre. nan where clusters say nothing.
        """
        if self.lacking is not None or self.blind:
            return nan, nan
        far = _quantile(self.degrees, level)
        centre = self.centre if self.bounds[0] < self.centre < self.bounds[1] else self.value
        centre = self.value + self.believed * (centre - self.value)
        ends = [self._around(at, far) for at in (self.value, centre)]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _around(self, at: float, errors: float) -> Limits:
        """Go so many errors both ways from a centre, at which the floor is that of its share."""
        low, high = self.bounds
        beside = 1.0
        if np.isfinite(high - low):
            beside = (at - low) * (high - at) / ((self.value - low) * (high - self.value))
        far = errors * sqrt(self._raised(beside))
        if np.isfinite(low) != np.isfinite(high):
            bound = low if np.isfinite(low) else high
            far *= abs((at - bound) / (self.value - bound))
        return reached(at, far, self.bounds)

    def around(self, level: float) -> Limits:
        """Return Student's interval as far on both sides, cut at the bounds."""
        if self.lacking is not None or not self.jackknifed > 0:
            return nan, nan
        far, (low, high) = _quantile(self.degrees, level) * self.error, self.bounds
        return max(self.value - far, low), min(self.value + far, high)

    @property
    def reason(self) -> str | None:
        """Why a difference has no interval, or None."""
        return self.lacking or (None if self.jackknifed > 0 else ALIKE)

    def p_value(self, apart: float | None = None) -> float:
        """Return the two-sided p-value of 0, or of what lies `apart` from the number."""
        from scipy.special import stdtr

        if self.reason is not None:
            return nan
        by = self.value if apart is None else apart
        return float(2 * stdtr(self.degrees, -abs(by) / self.error))

    @property
    def above(self) -> float:
        """How surely the number is above 0: a confidence, .975 where its interval begins there.

        With a centre the interval reaches further than so many errors, and so does this.
        """
        from scipy.special import stdtr, stdtrit

        if self.reason:
            return nan
        error = self.error
        if not np.isnan(self.centre):
            low, high = self.within(USUAL)
            far = self.value - low if self.value > 0 else high - self.value
            error = far / stdtrit(self.degrees, (1 + USUAL) / 2)
        return float(stdtr(self.degrees, self.value / error))


def law_of_replicates(
    value: float, without: Array, scale: Array, degrees: float | None, bounds: Limits
) -> Law:
    """Return the law of a number, given what it is without each unit, or under each replicate."""
    moves = value - without
    units = np.arange(len(moves))
    return Law(value, moves, units, scale, bounds, moving(degrees, scale, moves))


def reached(value: float, far: float, bounds: Limits) -> Limits:
    """Go as far on both sides, on a scale on which the bounds are at infinity."""
    from scipy.special import expit

    low, high = bounds
    up, down = value - low, high - value
    if np.isinf(up) and np.isinf(down):
        return value - far, value + far
    if np.isinf(down):
        return low + up * float(np.exp(-far / up)), low + up * float(np.exp(far / up))
    if np.isinf(up):
        return high - down * float(np.exp(far / down)), high - down * float(np.exp(-far / down))
    middle, far = np.log(up / down), far * (high - low) / (up * down)
    below, above = (float(expit(middle + sign * far)) for sign in (-1, 1))
    return low + (high - low) * below, low + (high - low) * above


def believed(found: float, least: float, degrees: float, clusters: float) -> float:
    """Return how far the least variance holds, from 0 to 1, though one so small was found.

    Fully where clusters as alike show one as small, by χ² with so many degrees of freedom, or are
    without one that is all wrong, with a probability of `SPEAKS` or more; else by its cube. Up to
    21 clusters it always holds; .08 of it at 30, nearly nothing at 60, if hardly any is found.

    Clusters that are all wrong, so few that 22 or more may well have none, are not allowed for: 50
    of 2 to 30 cases, of which .04 are wrong, hold in 83% of samples (98 with all of the floor), and
    13% have none. For that a rate in 30 clusters of 60 independent cases has 1.3 times the width of
    the jackknife alone, not 3.1 times (``benchmarks/bench_clusters_corners.py``).
    """
    from scipy.special import chdtr

    if not found < least:
        return 1.0
    as_small = float(chdtr(degrees, degrees * found / least))
    return min(1.0, (as_small + (1 - WRONG) ** clusters) / SPEAKS) ** FADE


def satterthwaite(squares: Array) -> float:
    """Return the degrees of freedom of a sum of squares whose terms are unequal.

    3 (Σ d²)²/Σ d⁴ - 2, from the moments of normal d, between 1 and the terms less one: a few
    clusters that hold most of the positives are no more than they are.
    """
    fourth = float(squares @ squares)
    found = 3 * float(squares.sum()) ** 2 / fourth - 2 if fourth > 0 else 0.0
    return float(np.clip(found, 1, max(len(squares) - 1, 1)))


def parts_of(scale: Array) -> list[slice]:
    """Return where items, cells of an item and a run, and runs stand: cells count negative.

    Of units that were drawn in one way only, there is one part.
    """
    starts = np.flatnonzero(np.diff(np.sign(scale), prepend=0.0)).tolist()
    return [slice(*ends) for ends in pairwise([*starts, len(scale)])]


def strata_of(scale: Array) -> NDArray[np.intp]:
    """Return the stratum of each unit: k stand side by side, and a squared move counts 1 - 1/k."""
    sizes, at = list[int](), 0
    while at < len(scale):
        sizes.append(round(1 / (1 - float(scale[at]))))
        at += sizes[-1]
    return np.repeat(np.arange(len(sizes)), sizes)


def of_runs(scale: Array) -> bool:
    """Whether units are items, runs and cells of both, which count negative."""
    return bool((scale < 0).any())


def spread(scale: Array, moves: Array) -> float:
    """Return Σ scale d²; of items that were answered in several runs, no less than by items.

    Runs add to the variance, or nothing, and what cells take off may be more than runs show.
    """
    found = float(scale @ moves**2)
    if of_runs(scale):
        items = parts_of(scale)[0]
        return max(found, float(scale[items] @ moves[items] ** 2))
    return found


def _of_both(scale: Array, moves: Array) -> float | None:
    """Return the degrees of freedom of items and runs together, Satterthwaite's; else None.

    V²/(V_items²/f_items + V_runs²/(r - 1)), r - 1 at least: where runs differ, no more than there
    are runs to know it by; f_items is no more than items less their strata.
    """
    if not of_runs(scale):
        return None
    ways = parts_of(scale)[::2]
    items, runs = (scale[part] * moves[part] ** 2 for part in ways)
    most = max(float(scale[ways[0]].sum()), 1.0)
    below = float(items.sum()) ** 2 / min(satterthwaite(items), most)
    least = max(min(len(items), len(runs)) - 1.0, 1.0)
    below += float(runs.sum()) ** 2 / least
    return max(spread(scale, moves) ** 2 / below, least) if below > 0 else least


def moving(known: float | None, scale: Array, moves: Array) -> float | None:
    """Return which of the degrees of freedom of replicates are of those that move the number.

    A stratum of which no case is asked about knows nothing of it.
    """
    if known is None or not (far := float(np.max(np.abs(moves), initial=0.0))) > 0:
        return known
    if of_runs(scale):  # see `Law.degrees`
        return known
    share = float(scale @ (np.abs(moves) > STILL * far)) / float(scale.sum())
    return max(round(known * share, 9), 1.0)


def _quantile(degrees: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))

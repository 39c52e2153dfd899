"""A group of some size that may differ from its reference: how probable a rejection then is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf, isnan, nan, prod
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from baserate._arrays import Array
from baserate._checks import one_of, whole_number
from baserate._windows import DEEP, DEPTH
from baserate.counts import ConfusionMatrix, cells_from_rates
from baserate.groups.count_laws import (
    Chances,
    RatePower,
    ReferenceLuck,
    chances_of,
    dealt_laws,
    ends_of,
    rates_moved,
    tail_model,
)
from baserate.groups.null import (
    Alternative,
    Cells,
    Drawn,
    Null,
    condition_of,
    count,
    name_of,
    no_law,
    sides,
    sides_of,
    whole_of,
)
from baserate.groups.rejection_regions import SMALLEST_LEVEL, Region, rejection
from baserate.groups.samples import gradient
from baserate.groups.tables import LARGEST, SAME, Tables
from baserate.metrics import Metric
from baserate.models import Multinomial
from baserate.models.model import ALL, NEGATIVE, POSITIVE, summed

# From so many cases in the smallest cell on, gaps by normal laws were off by 0.9% at most, at level
# 0.05, by 1.2% at 0.01, 1.4% at 0.001, 2.0% at 1e-4 and 2.7% at 1e-6: 443 comparisons of eight
# metrics at rates from 0.05 to 0.95, references as large as the group or five times as large.
LARGE_CELL = 3000.0
MANY = 200  # a reference so many times as large changes a power of 0.8 by 0.002
LEAST_LEVEL = 1e-6  # below it normal tails are not trusted
TINY = 1e-300

Power = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class MetricTrial:
    """What is tested, whatever the size of the group."""

    metric: Metric
    asked: str
    uncertain: bool
    alternative: str = "two-sided"

    def __post_init__(self) -> None:
        one_of("alternative", self.alternative, Alternative)
        condition_of(self.metric, self.asked)

    @property
    def condition(self) -> str:
        """What is held fixed."""
        return condition_of(self.metric, self.asked)

    @property
    def whole(self) -> Cells | None:
        """The denominator, if the test is of one count of known size."""
        return whole_of(self.metric, self.condition)

    def unit(self, reference: Any) -> tuple[float, str]:
        """Return the share of the cases that the power depends on, and what they are called."""
        whole = self.whole or ALL
        table = self.null(1, reference).reference
        return _share(table, whole), name_of(whole)

    def missing(self, reference: ConfusionMatrix) -> str | None:
        """Say why the metric has no value at the reference, or return None if it has one."""
        reason = self.metric.undefined_reason(reference)
        return reason and f"in the reference: {reason}"

    def null(self, n: int, reference: Any) -> Null:
        """Return the null law for a group of n cases."""
        group = ConfusionMatrix(tp=n, fn=0, fp=0, tn=0)
        return Null.of(group, reference, uncertain=self.uncertain, law=None)


@dataclass(frozen=True)
class Rate:
    """Successes out of a known number: the rate itself is shifted.

    `reason` says why nothing can be seen, or is None; `gaps` how far shifts move the metric; `ends`
    are the largest shifts down and up. `laws` of the successes, under the null hypothesis, give the
    lower and the upper tail; None where there is none. `luck` is the Beta law of the reference's
    rate, over which the power is averaged; None takes that rate as known.
    """

    condition: str
    reason: str | None
    size: int
    theta: float
    laws: tuple[Any, Any] | None
    alternative: str
    luck: ReferenceLuck | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Down to a rate of 0, up to 1."""
        return -self.theta, 1 - self.theta

    def gaps(self, shifts: Any) -> Array:
        """Return the shifts: they are the gaps."""
        return np.asarray(shifts) + (nan if isnan(self.theta) else 0.0)

    def power(self, alpha: float) -> Power:
        """Return the probability of a rejection, as a function of shifts."""
        if self.reason is not None or self.laws is None:
            return lambda shifts: np.full(np.shape(shifts), nan)
        luck = self.luck if self.luck is not None and self.luck.total < MANY * self.size else None
        return RatePower(self.theta, self.size, *self._kept(alpha), luck)

    def _kept(self, alpha: float) -> tuple[int, int]:
        """Return the fewest and the most successes that are not rejected."""
        assert self.laws is not None
        depth = DEEP if alpha < SMALLEST_LEVEL else DEPTH
        level = (alpha / 2 if self.alternative == "two-sided" else alpha) * SAME
        few, many = 0, self.size
        if self.alternative != "greater":
            window = self.laws[0].window(depth=depth)
            few = window.start + int(np.count_nonzero(np.cumsum(window.pmf) <= level))
        if self.alternative != "less":
            window = self.laws[1].window(depth=depth)
            last = window.start + len(window.pmf) - 1
            many = last - int(np.count_nonzero(np.cumsum(window.pmf[::-1]) <= level))
        return (few, many) if few <= many else (self.size + 1, self.size)


@dataclass(frozen=True)
class Shifted:
    """Tables: both classes' rates move together, by one share of what is left to move.

    Errors are put right, or right answers spoilt; of a metric without a direction, more cases are
    flagged, or fewer.
    """

    question: MetricTrial
    null: Null
    dealt: bool = False

    @property
    def condition(self) -> str:
        """What is held fixed."""
        return self.question.condition

    @cached_property
    def reason(self) -> str | None:
        """Why nothing can be seen, or None."""
        why = "no cases" if not self.null.group.n else None
        why = why or no_law(self.null, self.question.metric, self.condition)
        if why is None and isnan(self._middle):
            return "the metric is undefined at the rates of the reference"
        return why

    @cached_property
    def ends(self) -> tuple[float, float]:
        """All the way down, all the way up."""
        return ends_of(self._values)

    def gaps(self, shifts: Any) -> Array:
        """Return the metric at the shifted expected tables, less its value at the reference's."""
        return self._values(shifts) - self._middle

    def power(self, alpha: float) -> Power:
        """Return the probability of a rejection, as a function of shifts."""
        question, group, model = self.question, self.null.group, self.null.model
        if self.reason is not None or model is None:
            return lambda shifts: np.full(np.shape(shifts), nan)
        if self.condition == "classes":
            region = self.rejected(alpha)
            return lambda shifts: region.probabilities(*self.chances(shifts))
        tables = Tables.of(group, "none")
        p = tables.p_values(question.metric, tables.weights(model), question.alternative)
        rejected = p <= alpha * SAME

        def seen(shifts: Array) -> Array:
            cells = np.broadcast_arrays(*self._cells(shifts))
            models = (Multinomial(n=int(group.n), cells=four) for four in zip(*cells, strict=True))
            return np.array([min(1.0, tables.weights(m)[rejected].sum()) for m in models])

        return seen

    def is_large(self, alpha: float) -> bool:
        """Return whether the tables are too many to list, and no cell is too small for normal laws.

        A level too small for normal tails is left to the exact route.
        """
        t, group = self.null.reference, self.null.group
        if min(group.n_positive, group.n_negative) < 2 * LARGE_CELL or alpha < LEAST_LEVEL:
            return False
        if self.condition != "classes" or self.reason is not None or self.null.model is None:
            return False
        if min(map(float, (*self._cells(0.0), *t))) < LARGE_CELL:
            return False
        sizes = (high - low for low, high in (law.span() for law in self._counts()))
        return prod(sizes) > LARGEST

    def approximate_power(self, alpha: float) -> Power:
        """Return the power by normal laws: the metric linear in tp and fp about each mean.

        As in the exact power, the group's own law allows for what the reference leaves open where
        cases are dealt out, and else not; the bounds of the test always do.
        """
        tail = alpha / 2 if self.question.alternative == "two-sided" else alpha
        null = np.array([float(law.variance) for law in self._counts()])
        middle, side = self._middle, self.question.alternative
        far = -ndtri(tail) * self._deviation(0.0, null)
        low = -inf if side == "greater" else middle - far
        high = inf if side == "less" else middle + far

        def seen(shifts: Array) -> Array:
            spread = np.maximum(self._deviation(shifts, self._variances(shifts)), TINY)
            values = self._values(shifts)
            return np.minimum(1.0, ndtr((low - values) / spread) + ndtr((values - high) / spread))

        return seen

    def _variances(self, shifts: Any) -> Array:
        """Return the variances of tp and fp at the shifted rates."""
        group = self.null.group
        sizes = float(group.n_positive), float(group.n_negative)
        laws = zip(self.chances(shifts), sizes, strict=True)
        return np.stack([law.variance(size) for law, size in laws])

    def rejected(self, alpha: float) -> Region:
        """Return what is rejected given the class totals."""
        tails, level = self.tails(alpha)
        return rejection(self.question.metric, *tails, self.null.group, level)

    def tails(self, alpha: float) -> tuple[tuple[Drawn | None, Drawn | None], float]:
        """Return the laws of the lower and of the upper tail, None for none, and their level.

        Where cases are dealt out, either tail is taken from the law that the same tail of one count
        has exactly: with a case more on the side that hides the difference (see `dealt_laws`).
        """
        group, side = self.null.group, self.question.alternative
        if self.dealt:
            fewer_right = self.question.metric.direction != "lower"
            lower, upper = (
                tail_model(group, self.null.reference, wrong=side)
                for side in (fewer_right, not fewer_right)
            )
            return (lower, upper), alpha / 2
        lower, upper = (None if side == out else self.null.model for out in ("greater", "less"))
        return (lower, upper), alpha / 2 if side == "two-sided" else alpha

    def chances(self, shifts: Any) -> tuple[Chances, Chances]:
        """Return the chances of a true and of a false positive at the shifted rates."""
        return chances_of(self._rates_at(np.asarray(shifts, dtype=float)), shifts, self.luck)

    @property
    def luck(self) -> tuple[ReferenceLuck, ReferenceLuck] | None:
        """What the reference leaves open about both rates; None where they count as known."""
        if self.dealt and min(one.total for one in self._luck) < MANY * self.null.group.n:
            return self._luck
        return None

    @cached_property
    def _luck(self) -> tuple[ReferenceLuck, ReferenceLuck]:
        """What the reference leaves open about its recall and its false positive rate."""
        t = self.null.reference
        return ReferenceLuck.of(t.tp, t.fn), ReferenceLuck.of(t.fp, t.tn)

    def _deviation(self, shifts: Any, variances: Array) -> Array:
        """Return the standard deviation of the metric, from the variances of tp and fp."""
        cells = np.stack(np.broadcast_arrays(*self._cells(shifts)))
        slopes = gradient(lambda four: self.question.metric.formula(*four), cells)
        by_tp, by_fp = slopes[0] - slopes[1], slopes[2] - slopes[3]
        return np.sqrt(by_tp**2 * variances[0] + by_fp**2 * variances[1])

    def _counts(self) -> tuple[Any, Any]:
        """Return the laws of tp and fp under the null hypothesis, given the class totals."""
        model, group = self.null.model, self.null.group
        assert model is not None
        tp, fn, fp, tn = model.weights
        return (
            model.split(tp, fn, int(group.n_positive)),
            model.split(fp, tn, int(group.n_negative)),
        )

    @cached_property
    def _middle(self) -> Array:
        """The metric at the rates of the reference, unshifted: asked first, of every trial."""
        recall, specificity = self.rates
        n = int(self.null.group.n)
        cells = cells_from_rates(recall, 1 - specificity, self.base_rate, n)
        return np.asarray(self.question.metric.formula(*map(np.float64, cells)), dtype=float)

    def _values(self, shifts: Any) -> Array:
        return np.asarray(self.question.metric.formula(*self._cells(shifts)), dtype=float)

    def _cells(self, shifts: Any) -> tuple[Array, ...]:
        """Return the expected tables at the shifted rates."""
        n = int(self.null.group.n)
        return cells_from_rates(*self._rates_at(shifts), self.base_rate, n)

    def _rates_at(self, shifts: Any) -> tuple[Array, Array]:
        """Return recall and false positive rate."""
        return rates_moved(*self.rates, shifts, self.question.metric.direction == "neither")

    @cached_property
    def rates(self) -> tuple[float, float]:
        """The reference's recall and specificity; of an empty class they do not matter."""
        t = self.null.reference
        held = ((t.tp, POSITIVE), (t.tn, NEGATIVE))
        absent = (self.base_rate == 0, self.base_rate == 1)
        pairs = ((float(right), float(summed(cells, t))) for right, cells in held)
        recall, specificity = (
            0.0 if none else right / total if total else nan
            for none, (right, total) in zip(absent, pairs, strict=True)
        )
        return recall, specificity

    @cached_property
    def base_rate(self) -> float:
        """The share of positives among the cases whose rates are moved."""
        table = self.null.reference if self.condition == "none" else self.null.group
        return float(table.base_rate)


Trial = Rate | Shifted


def trial(
    question: MetricTrial,
    group: ConfusionMatrix | int | None,
    reference: Any,
    *,
    size: int | None = None,
) -> Trial:
    """Return the trial of a group, given by its table, its cases, or its `size` in units."""
    null = _null(question, size if group is None else group, reference)
    if size is None and not isinstance(group, ConfusionMatrix) and question.whole is not None:
        share = _share(null.reference, question.whole)
        size = 0 if isnan(share) else round(whole_number("group", group) * share)
    return trial_of(question, null, size)


def trial_of(question: MetricTrial, null: Null, size: int | None = None) -> Trial:
    """Return the trial of a group whose null law is known; `size` is its denominator if given.

    Where all cases are dealt out anew ("permutation"), the power is averaged over the luck of the
    reference; elsewhere it is that of the reference's rates, taken as known.
    """
    whole, dealt = question.whole, null.law == "permutation"
    if dealt:
        null = _drawn(null.group, null.reference)
    if whole is None:
        return Shifted(question, null, dealt)
    size = count(null.group, whole) if size is None else size
    successes = sides(question.metric)[0]
    reason = None if size else f"no {name_of(whole)}"
    reason = reason or question.missing(null.reference)
    theta, luck = float(question.metric(null.reference)), None
    laws: tuple[Any, Any] | None = None
    if reason is None and null.model is not None and dealt:
        hits, misses = sides_of(question.metric, null.reference)
        laws, luck = dealt_laws(size, hits, misses), ReferenceLuck.of(hits, misses)
    elif reason is None and null.model is not None:
        one = null.model.split(*null.one_count(successes, whole), size)
        laws = one, one
    return Rate(question.condition, reason, size, theta, laws, question.alternative, luck)


@lru_cache(maxsize=2)  # many metrics are asked of one group
def _drawn(group: ConfusionMatrix, reference: ConfusionMatrix) -> Null:
    return Null.of(group, reference, uncertain=True, law=None)


def _null(question: MetricTrial, group: Any, reference: Any) -> Null:
    """Return the null of a table, or of so many cases with the reference's class totals."""
    if isinstance(group, ConfusionMatrix):
        return Null.of(group, reference, uncertain=question.uncertain, law=None)
    n = whole_number("group", group)
    share = _share(question.null(n, reference).reference, POSITIVE)
    positive = 0 if isnan(share) else round(n * share)
    table = ConfusionMatrix(tp=positive, fn=0, fp=0, tn=n - positive)
    return Null.of(table, reference, uncertain=question.uncertain, law=None)


def _share(table: ConfusionMatrix, cells: Cells) -> float:
    return float(summed(cells, table)) / float(table.n) if table.n else nan

"""Two classifiers, each on a test set of its own, compared by any metric."""

from collections.abc import Callable
from functools import lru_cache
from math import hypot, isnan
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from baserate._arrays import Array
from baserate._checks import confidence
from baserate.counts import CELLS, ConfusionMatrix, of_four, single_table
from baserate.inference.bounded_law import BoundedLaw, DirichletLinear
from baserate.inference.highest_of_laws import exceeds, highest
from baserate.inference.intervals import interval
from baserate.inference.linearity import HALF, cell_weights, deciding_share, share_ends
from baserate.inference.metric_comparison import UNDEFINED, MetricComparison, comparison
from baserate.inference.metric_law import distribution
from baserate.inference.metric_limits import two_shares
from baserate.inference.posterior import Posterior, evidence, quick_quantiles
from baserate.inference.posterior_cdf import distribution_within
from baserate.inference.posterior_law import law_of
from baserate.inference.roots import Point, bracketed_root
from baserate.inference.several_classes import N_DRAWS
from baserate.inference.simulation import cells_at, simulated_difference
from baserate.inference.tabulated import Scale, TabulatedLaw
from baserate.inference.tabulated import exceeds as tabulated_exceeds
from baserate.metrics import Metric, binary_metric

ACCURACY = 5e-6  # of a distribution function, three times what it is by all appearance
CLOSE = 1e-9  # of a bracket: how closely its root is located
ALIKE = (0.5, 0.5), (0.25, 0.5), (0.25, 0.125), (0.75, 0.125)  # one rate of both, base rate
SPAN = np.array([0.01, 0.25, 0.5, 0.75, 0.99])
JOINED = "joined intervals"
NEAREST, FURTHEST = 1e-9, 6.0  # standard errors: so far away 0 is looked for
ONE_INTEGRAL = 1e-6  # error of its probability, where a density is infinite at a bound


def compare_separate(
    metric: str | Metric,
    a: ConfusionMatrix,
    b: ConfusionMatrix,
    *,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> MetricComparison:
    """Return the posterior of metric(A) - metric(B) for classifiers tested on cases of their own.

    The two tables are independent, so P(A higher) = ∫ F_B dF_A. It is exact for proportions, for
    counts and for utilities. F1 and the Jaccard index, which rank all tables alike, find A better
    with the same probability. For other metrics both distribution functions are tabulated, to the
    error that is stated, some 1e-6. A metric that is not monotone in its rates is simulated, and
    refused without `rng`.
    """
    metric = binary_metric(metric)
    for name, table in (("a", a), ("b", b)):
        evidence(single_table(name, table))  # refuses too many cases
    level = confidence(confidence_level)
    values = float(metric(a)), float(metric(b))
    if any(map(isnan, values)):
        return comparison(metric, values, level, UNDEFINED)
    return comparison(metric, values, level, separate(metric, a, b, level, rng))


def compare_sampled(
    metric: Any, a: Any, b: Any, level: float
) -> tuple[MetricComparison, str | None]:
    """Return metric(A) - metric(B) of samples with weights or clusters, and why it is not known.

    The ends of both intervals are joined by squares (Zou and Donner 2008, Statistics in Medicine
    27:1693, doi:10.1002/sim.3095). The p-value is one less the level at which one of the joined
    ends is 0, and no less than 2e-9; where an interval is simulated, no less than two of its draws.
    """
    from scipy.optimize import brentq

    first, second = (interval(metric, side) for side in (a, b))
    values, apart = (first.value, second.value), first.value - second.value
    simulated = "simulation" in {first.route, second.route}
    most = -float(ndtri(1 / N_DRAWS)) if simulated else FURTHEST  # beyond draws is nothing

    def ends(level: float) -> tuple[float, float]:
        one, other = (interval(metric, side, confidence_level=level) for side in (a, b))
        down = hypot(one.value - one.low, other.high - other.value)
        up = hypot(one.high - one.value, other.value - other.low)
        return apart - down, apart + up

    def nearer(errors: float) -> float:
        low, high = ends(2 * float(ndtr(errors)) - 1)
        return low if apart > 0 else -high

    low, high = ends(level)
    if isnan(low + high):
        return comparison(metric, values, level, UNDEFINED), first.reason or second.reason
    errors = most if apart and nearer(most) > 0 else 0.0
    if not errors and nearer(NEAREST) > 0:  # a few clusters reach further than so many errors
        errors = float(np.asarray(brentq(nearer, NEAREST, most, xtol=1e-4)))
    above = float(ndtr(errors if apart > 0 else -errors))
    found = MetricComparison(low, high, above, 1 - above, JOINED)
    return comparison(metric, values, level, found), None


def separate(
    metric: Metric, a: ConfusionMatrix, b: ConfusionMatrix, level: float, rng: Any
) -> MetricComparison:
    """Return interval and probabilities of the difference at two tables that both have a value."""
    laws = [_exact_law(metric, table) for table in (a, b)]
    if laws[0] is not None and laws[1] is not None:
        return gap_of_laws(laws[0], laws[1], level)
    tables = [_tabulated(metric, tuple(float(cell) for cell in table)) for table in (a, b)]
    if tables[0] is not None and tables[1] is not None:
        return gap_of_tables(tables[0], tables[1], level)
    sides = evidence(a), evidence(b)

    def draw(points: Array) -> tuple[Array, Array]:
        return cells_at(sides[0], points[:, :3]), cells_at(sides[1], points[:, 3:])

    return simulated_difference(metric, 6, draw, level, rng)


def _exact_law(metric: Metric, table: ConfusionMatrix) -> DirichletLinear | None:
    """Return the law of a metric that is linear in the share that decides it, or in cell shares."""
    cells = {name: float(cell) for name, cell in zip(CELLS, table, strict=True)}
    share = deciding_share(metric)
    if share is not None:
        ends = share_ends(metric, table)
        law = [sum(cells[cell] for cell in side) + HALF for side in share]
        return None if ends is None else DirichletLinear(ends, law)
    weights = cell_weights(metric)
    if weights is None:
        return None
    return DirichletLinear(weights, [cell + HALF for cell in cells.values()])


def gap_of_laws(a: DirichletLinear, b: DirichletLinear, level: float) -> MetricComparison:
    """Find the ends from tables of both laws, and correct each by one step with exact integrals."""
    if a.sd == 0 and b.sd == 0:  # two tables without cases, or weights that are all the same
        gap = a.mean - b.mean
        return MetricComparison(gap, gap, float(gap > 0), float(gap < 0), "exact")
    found = highest((a, b), ONE_INTEGRAL)
    higher, lower = (float(share - found.tied / 2) for share in found.shares)
    if a.knots.size == b.knots.size == 2 and (a.knots == b.knots).all():
        first, last = a.knots  # two shares between the same values
        pair = (tuple(law.concentration[::-1]) for law in (a, b))
        share = two_shares("difference", *pair, confidence_level=level)
        low, high = (float(end[0]) * (last - first) for end in (share.low, share.high))
        return MetricComparison(low, high, higher, lower, "exact", ONE_INTEGRAL)

    def exceeds_by(gap: float) -> float:
        shifted = DirichletLinear(b.weights + gap, b.concentration)
        return exceeds(a, shifted, ONE_INTEGRAL)

    if a.sd == 0 or b.sd == 0:
        ends = _interval(exceeds_by, (a.quantile, b.quantile), level)
        return MetricComparison(*ends, higher, lower, "exact")
    tables = table_of(a), table_of(b)
    near = gap_of_tables(*tables, level)
    step = (near.high - near.low) / 1000

    def corrected(gap: float, share: float) -> float:
        before, after = (tabulated_exceeds(*tables, gap + by) for by in (-step, step))
        found = gap + 2 * step * (exceeds_by(gap) - share) / (before - after)
        return float(np.clip(found, a.knots[0] - b.knots[-1], a.knots[-1] - b.knots[0]))

    low, high = corrected(near.low, (1 + level) / 2), corrected(near.high, (1 - level) / 2)
    return MetricComparison(low, high, higher, lower, "exact", ONE_INTEGRAL)


def table_of(law: BoundedLaw) -> TabulatedLaw:
    """Tabulate the distribution function of a law that varies."""
    scale = Scale(float(law.knots[0]), float(law.knots[-1]), law.mean, law.sd)
    return TabulatedLaw(law.cdf, scale, law.quantile(np.array([0.01, 0.5, 0.99])), 0.0)


@lru_cache(maxsize=64)
def _tabulated(metric: Metric, cells: tuple[float, ...]) -> TabulatedLaw | None:
    """Return the law of a metric; None if it is monotone in too few of its rates."""
    table = of_four(cells)
    if deciding_share(metric) is not None:
        share = law_of(metric, table)
        assert share.quantile is not None
        values = share.quantile(SPAN)
        scale = Scale(*metric.bounds, centre=float(values[2]), unit=float(np.ptp(values[1:4])))
        return TabulatedLaw(share.cdf, scale, values, 0.0)
    if metric.trend_in_fp == "unknown":
        return None
    posterior = Posterior(metric, table)
    values, weights = posterior.guide
    first = quick_quantiles(values, weights, SPAN[1:4])
    tp, fn, fp, tn = cells
    one_sided = 0 in {tp + fn, fp + tn, tp + fp, fn + tn}
    scale = Scale(
        *metric.bounds,
        centre=float(first[1]),
        unit=float(first[2] - first[0]),
        kink=_without_skill(metric) if one_sided else None,
    )
    found = distribution(metric, evidence(table), ACCURACY / 5)
    if found is None:
        if posterior.plan is None:
            return None
        found = distribution_within(posterior, posterior.plan, ACCURACY, slack=2.0)
    return TabulatedLaw(found[0], scale, values, found[1])


def _without_skill(metric: Metric) -> float | None:
    """Return what every table scores that flags both classes alike, if that is one inner value.

    Where a class, or a prediction, does not occur, the law has a kink there, as at a bound.
    """
    first, *others = (float(metric.on_rates(rate, rate, base)) for rate, base in ALIKE)
    low, high = metric.bounds
    same = all(abs(other - first) <= 1e-12 for other in others)
    return first if same and low < first < high else None


def gap_of_tables(a: TabulatedLaw, b: TabulatedLaw, level: float) -> MetricComparison:
    """Find the ends and the probabilities from tables of both laws, to some 1e-6."""
    ends = _interval(lambda gap: tabulated_exceeds(a, b, gap), (a.quantile, b.quantile), level)
    higher, lower = tabulated_exceeds(a, b), tabulated_exceeds(b, a)
    return MetricComparison(*ends, higher, lower, "gauss", a.error + b.error)


def _interval(
    exceeds_by: Callable[[float], float],
    quantiles: tuple[Callable[[float], float], ...],
    level: float,
) -> tuple[float, float]:
    """Find the gaps that A - B exceeds with given probabilities, on the normal scale.

    Each lies between two differences of quantiles: with probability p at most either A falls short
    of its own or B exceeds its own, and with probability p at least neither does.
    """
    of_a, of_b = quantiles

    def root(share: float) -> float:
        # Twice as far as needed, since quantiles are rounded too.
        tail, bulk = share / 4, (1 + share**0.5) / 2
        low, high = of_a(tail) - of_b(1 - tail), of_a(bulk) - of_b(1 - bulk)
        goal = ndtri(share)

        def function(gap: float) -> float:
            return float(ndtri(np.clip(1 - exceeds_by(gap), 1e-16, 1 - 1e-16)) - goal)

        if low == high or (bottom := function(low)) >= 0:
            return low
        if (top := function(high)) <= 0:
            return high
        middle = (low + high) / 2
        ends = ((low, bottom), (high, top), (middle, function(middle)))
        points = (Point(np.array([x]), np.array([y])) for x, y in ends)
        found = bracketed_root(
            lambda x, _: np.array([function(float(x[0]))]),
            *points,
            relative=0.0,
            absolute=CLOSE * (high - low),
        )
        return float(found[0])

    return root((1 - level) / 2), root((1 + level) / 2)

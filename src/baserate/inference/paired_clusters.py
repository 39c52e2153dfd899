"""Two classifiers on the same cases, which come in clusters: what is independent is the cluster.

By Student's law of the difference, and by swapping both in whole clusters.
"""

from fractions import Fraction
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.clusters import Design
from baserate.cases.units import TABLES, Floor, Law
from baserate.counts import CELLS, ConfusionMatrix
from baserate.curves.estimates import ScoreComparison
from baserate.curves.random_signs import tails_of_steps, two_sided
from baserate.inference.survey_design import kinds, law_of, parts_of_kinds, slopes
from baserate.metrics import Metric

Array = NDArray[np.float64]

ROUTE = "asymptotic"  # of interval and p-value: Student's law
QUARTER = 0.25  # of a case, in each of eight cells
FINEST, COARSEST = 10**6, 50  # denominators of the ratio of two weights
UNITS, EVEN = 100, 1e-11  # parts of the smallest sum of weights, to which all others are even
ROUGH = 10**4  # parts of the largest, to which sums of slopes are known well enough
SAME = 1e-7  # relative, of slopes that are differences


def compared(
    metric: Metric, a: Design, b: Design, level: float, *, joint: Array
) -> ScoreComparison:
    """Compare two tables whose cells vary with the same clusters.

    `joint` has the weight of cases in which A decided i, B decided j and the class is c.
    """
    tables = [_table(design.total) for design in (a, b)]
    values = [float(metric(table)) for table in tables]
    known: dict[str, Any] = {"confidence_level": level, "n_clusters": a.n_units}
    for table in tables:
        if (reason := metric.undefined_reason(table)) is not None:
            return ScoreComparison(difference=nan, reason=reason, p_value_reason=reason, **known)
    found = law_apart(metric, a, b, joint)
    (low, high), reason = found.around(level), found.reason
    route = None if reason else ROUTE
    independent = independent_variance(metric, a, b, joint, a.n_cases)
    return ScoreComparison(
        difference=found.value,
        low=low,
        high=high,
        p_value=found.p_value(),
        value_a=values[0],
        value_b=values[1],
        route=route,
        reason=reason,
        p_value_route=route,
        p_value_reason=reason,
        design_effect=_linearised(metric, a, b) / independent if independent > 0 else nan,
        **known,
    )


def law_apart(metric: Metric, a: Design, b: Design, joint: Array) -> Law:
    """Return the law of the difference of one metric at two tables of the same clusters."""
    one, other = law_of(metric, a), law_of(metric, b)
    if a.scale is not None:
        return one.minus(other)
    positive, negative = np.add.reduceat(a.total, [0, 2])
    wrong = metric(_table(np.array([0.0, positive, negative, 0.0])))
    return one.minus(other, _floor(metric, a, b, joint), float(wrong))


def _floor(metric: Metric, a: Design, b: Design, joint: Array) -> Floor | None:
    """Return the least variance of a difference, with a quarter of a case more in each cell.

    Cases that say as little as those of the clusters: A and B may part in ways not seen yet.
    """
    times = a.n_cases / joint.sum() if joint.any() else 0.0
    alike, cells = kinds(metric), times * joint
    sizes = times * a.tables @ (alike[:, None] == np.arange(2))
    like = Floor.of(sizes.sum(axis=1, keepdims=True), np.ones(1), TABLES)
    if like is None:
        return None
    cells = cells + QUARTER * like.variance
    moved = (_moved(metric, a, b) / times).ravel()
    parts = parts_of_kinds(moved, cells.ravel(), np.tile(alike[[0, 2]], 4))
    return Floor.of(sizes, parts * (a.n_cases / cells.sum()), TABLES)


def swapped_clusters(metric: Metric, a: Design, b: Design) -> tuple[float, str | None]:
    """Return P(``|S|`` as large) over all swaps of A and B in whole clusters, and how."""
    slope = slopes(metric, (a.total + b.total) / 2)
    u, v = float(slope[0] - slope[1]), float(slope[2] - slope[3])
    if isnan(u) or isnan(v):
        return nan, None
    apart = (a.tables - b.tables)[:, [0, 2]]
    apart = apart if (apart == np.rint(apart)).all() else _in_units(apart)
    for most in (FINEST, COARSEST):
        steps = np.rint(apart @ _whole(u, v, most)).astype(np.int64)
        if (found := tails_of_steps(steps)) is not None:
            return found, "exact"
    return two_sided(steps.astype(float))


def swapped_sums(apart: Array, *, by_slopes: bool = False) -> tuple[float, str | None]:
    """Return the same, given A less B as a single number of each cluster.

    Of slopes by differences, what lies within their rounding is one number.
    """
    if np.isnan(apart).any():
        return nan, None
    if by_slopes and apart.any():
        apart = np.rint(apart * (ROUGH / np.abs(apart).max()))
    whole = apart if (apart == np.rint(apart)).all() else _in_units(apart)
    found = tails_of_steps(np.rint(whole).astype(np.int64))
    return two_sided(whole) if found is None else (found, "exact")


def _in_units(apart: Array) -> Array:
    """Return sums of weights as whole numbers of their common unit, which keeps ties.

    Where they have none, of a millionth of the largest: the test is exact with these too.
    """
    sizes = np.abs(apart)
    sizes = sizes[sizes > EVEN * sizes.max()]  # equal sums may differ by rounding
    for times in range(1, UNITS + 1):
        scaled = sizes * (times / sizes.min())
        if (np.abs(scaled - np.rint(scaled)) <= EVEN * scaled).all():
            return np.rint(apart * (times / sizes.min()))
    return np.rint(apart * (FINEST / sizes.max()))


def _whole(u: float, v: float, most: int) -> tuple[int, int]:
    """Return whole numbers in about the ratio of two weights: the test is exact with any."""
    if abs(v) > abs(u):
        other, one = _whole(v, u, most)
        return one, other
    if not u:
        return 0, 0
    ratio, sign = Fraction(v / u), 1 if u > 0 else -1
    near = (ratio.limit_denominator(10**digits) for digits in range(1, 6))
    simple = next((found for found in near if abs(found - ratio) <= SAME), ratio)
    weights = simple.limit_denominator(most)
    return sign * weights.denominator, sign * weights.numerator


def independent_variance(metric: Metric, a: Design, b: Design, joint: Array, n: float) -> float:
    """Return the linearised variance of the difference of `n` independent cases of weight one.

    `joint` has the shares that both decisions and the class have of the weight.
    """
    total = float(joint.sum())
    if n < 2 or not total:
        return nan
    moved = _moved(metric, a, b)
    centre = (joint * moved).sum() ** 2 / total
    return total / (n - 1) * float((joint * moved**2).sum() - centre)


def _moved(metric: Metric, a: Design, b: Design) -> Array:
    """Return how much a weight of one in each cell moves the difference."""
    one, other = (slopes(metric, design.total)[[0, 2, 1, 3]].reshape(2, 2) for design in (a, b))
    return one[:, None, :] - other[None, :, :]


def _linearised(metric: Metric, a: Design, b: Design) -> float:
    """Return the linearised variance of the difference, by clusters."""
    one, other = slopes(metric, a.total), slopes(metric, b.total)
    own = one @ a.covariance() @ one + other @ b.covariance() @ other
    return float(own - 2 * one @ a.covariance(b) @ other)


def _table(total: Array) -> ConfusionMatrix:
    return ConfusionMatrix(**dict(zip(CELLS, total.tolist(), strict=True)))

"""The test of a weighted or clustered group against its reference, corrected as surveys do it.

Rao and Scott's correction divides Pearson's statistic by how much the design inflates its variance.
Here the statistic is the difference of any metric from what the reference would score.
"""

from dataclasses import replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
from scipy.special import stdtr

from baserate._arrays import Array
from baserate._checks import as_number, float_array, one_of
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, shown
from baserate.groups.class_permutation import ClassTest
from baserate.groups.match import MatchTest, outcome_of
from baserate.groups.null import (
    NO_MASSES,
    NO_OTHER,
    Alternative,
    Condition,
    Masses,
    condition_of,
    name_of,
    p_value,
)
from baserate.groups.samples import MOST_DEGREES, Block, GapSpread, Samples, flat, places
from baserate.metrics import ClassMetric, Metric, binary_metric

ROUTE = "approximate"
ALONE = "lies within one cluster, which does not show how much clusters differ"


def rao_scott_test(
    metric: str | Metric,
    group: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    squared_weights: tuple[ConfusionMatrix, ConfusionMatrix] | None = None,
    covariance: Any = None,
    degrees_of_freedom: float = inf,
    condition: Condition = "auto",
    alternative: Alternative = "two-sided",
) -> MatchTest:
    """Test whether a weighted or clustered group scores like its reference; approximate.

    The difference between the group's score and what the reference would score in its place is
    divided by its standard error under the null hypothesis, and compared with Student's law. For a
    rate of counted cases the square is Pearson's χ² of the 2x2 table. Weights enter by their sums
    of squares, cell by cell; clusters by the design effect of the difference, with which χ² is
    divided (Rao and Scott 1981, 1984: for one degree of freedom their first and second order
    agree). Of any other metric the variance is linearised.

    Parameters
    ----------
    metric : Metric or str
        Any metric, your own included.
    group, reference : ConfusionMatrix
        Sums of weights, of cases that are not in both.
    squared_weights : pair of ConfusionMatrix, optional
        Sums of squared weights of either; None: cases count 1 each.
    covariance : array of shape (8, 8), optional
        Of the eight totals, tp, fn, fp, tn of the group and then of the reference, as clusters or
        replicate weights make it. None: cases are independent.
    degrees_of_freedom : float
        Of that covariance, such as clusters less 1. Student's law has these, or fewer: Kish's
        effective numbers of cases less 1, joined by Welch's rule.
    condition : {"auto", "none", "denominator", "classes"}
        As in `match_test`.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    MatchTest
        With route "approximate", law "rao-scott", and `design_effect` and `degrees_of_freedom`.

    Raises
    ------
    InvalidArgumentError
        A batch of tables, squared weights without a pair of tables, a covariance of another shape.

    Notes
    -----
    In simulations with lognormal weights (σ up to 1), whether they go with the outcome or not,
    groups of 50 cases and more reject a true hypothesis 2.4 to 7.2% of the time at a nominal 5%,
    less than that where few cases decide the metric (benchmarks/bench_weighted_audit.py). Where
    weights are larger for the cases predicted positive in one sample, and smaller in the other, up
    to 12% are rejected with groups of 20 and 50 cases, at σ = 0.5: read such p-values as too small.
    The variance of each sample at its own shares, where it is larger, mends little. 10 and 10
    clusters of unequal size with an intraclass correlation of .3 reject 4 to 7% of the time.

    References
    ----------
    Rao and Scott (1981), Journal of the American Statistical Association 76:221,
    doi:10.1080/01621459.1981.10477633. Rao and Scott (1984), Annals of Statistics 12:46,
    doi:10.1214/aos/1176346391. Rao and Scott (1992), Biometrics 48:577, doi:10.2307/2532311. Kish
    (1965), Survey Sampling, Wiley.

    Examples
    --------
    Counted cases give Pearson's test, here χ² = 5.11 (p = 0.024 by the normal law):

    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import rao_scott_test
    >>> group = ConfusionMatrix(tp=30, fn=20, fp=5, tn=45)
    >>> rest = ConfusionMatrix(tp=300, fn=100, fp=50, tn=550)
    >>> test = rao_scott_test("recall", group, rest)
    >>> round(test.p_value, 3), test.route, test.null
    (0.027, 'approximate', "given its positives, the group has the reference's recall")

    The same sums, made of weights of 4, are worth a quarter of the cases:

    >>> squares = tuple(ConfusionMatrix(**{k: 4 * v for k, v in t.to_dict().items()})
    ...                 for t in (group, rest))
    >>> round(rao_scott_test("recall", group, rest, squared_weights=squares).p_value, 3)
    0.277
    """
    tables = (single_table("group", group), single_table("reference", reference))
    samples = Samples(
        *tables,
        squared=_squares(tables, squared_weights),
        covariance=_covariance(covariance),
        degrees=_degrees(degrees_of_freedom),
    )
    return rao_scott_of(
        samples, binary_metric(metric), condition, one_of("alternative", alternative, Alternative)
    )


def _degrees(given: Any) -> float:
    """Return degrees of freedom, which may be infinitely many."""
    found = as_number(given)
    if not found > 0:
        rule, remedy = "must be a number above 0", "clusters less strata, or infinity"
        raise InvalidArgumentError.from_rule("degrees_of_freedom", rule, given, remedy)
    return found


def rao_scott_of(
    samples: Samples, metric: Metric, asked: Condition, alternative: str = "two-sided"
) -> MatchTest:
    """Return the test of one metric, for a group that is asked about several."""
    condition = condition_of(metric, asked)
    reason = metric.undefined_reason(samples.group) or no_sample(samples, metric, condition)
    z, found = nan, GapSpread(nan, nan, nan)
    if reason is None:
        z, found, reason = _score(samples, metric, condition)
    tails = NO_MASSES if reason else Masses(*_tails(z, found), ROUTE)
    value = float(metric(samples.group))
    return replace(
        outcome_of(samples, metric, condition, alternative, tails, reason, nan, value),
        design_effect=found.design_effect,
        degrees_of_freedom=float(found.degrees),
    )


def class_rao_scott(samples: Samples, metric: ClassMetric, condition: Condition) -> ClassTest:
    """Return the same test of one metric of several classes, true classes held fixed or nothing."""
    value, table = float(metric(samples.group)), samples.group
    expected = float(samples.score(metric, samples.placed(condition)))
    reason = metric.undefined_reason(table) or no_sample(samples, metric, condition)
    z, found = nan, GapSpread(nan, nan, nan)
    if reason is None:
        z, found, reason = _score(samples, metric, condition)
    if reason is not None:
        return ClassTest(value, expected, reason=reason)
    lower, _, upper = _tails(z, found)
    return ClassTest(value, expected, lower, upper, p_value(lower, upper, "two-sided"), route=ROUTE)


def _tails(z: float, found: GapSpread) -> tuple[float, float, float]:
    """Return what Student's law has below, at and above so many standard errors."""
    degrees = float(np.fmin(found.degrees, MOST_DEGREES))
    return float(stdtr(degrees, z)), 0.0, float(stdtr(degrees, -z))


def _score(
    samples: Samples, metric: Metric | ClassMetric, condition: str
) -> tuple[float, GapSpread, str | None]:
    """Return the difference in standard errors, what these rest on, and why there is none."""
    blocks, contrast = samples.blocks(metric, condition), samples.contrast(metric, condition)
    apart = float(contrast(samples.totals))
    if isnan(apart):
        return nan, GapSpread(nan, nan, nan), "the reference has no value in place of the group"
    design = samples.design_of(metric, condition)
    found = samples.spread(contrast, samples.totals, blocks, null=True, design=design)
    if found.variance > 0:
        return apart / float(np.sqrt(found.variance)), found, None
    if abs(apart) > 0 and found.variance == 0:
        return nan, found, "the samples leave no variance to compare the difference with"
    if _fixed(samples, blocks):
        return nan, found, f"{NO_OTHER} with what is held fixed"
    return 0.0, found, None


def _fixed(samples: Samples, blocks: Any) -> bool:
    """Whether both tables have cases of several kinds in a block, and the metric ignores them."""
    both = samples.totals[: samples.half] + samples.totals[samples.half :]
    return any(np.count_nonzero(both[places(block)]) > 1 for block in blocks)


def no_sample(samples: Samples, metric: Metric | ClassMetric, condition: str) -> str | None:
    """Say why the reference gives nothing to compare with, or return None if it does."""
    if not samples.reference.n:
        return "the reference has no cases"
    alone = samples.alone
    if alone is not None:
        return f"{alone} {ALONE}"
    group, reference = flat(samples.group), flat(samples.reference)
    for place, block in enumerate(samples.blocks(metric, condition)):
        at = places(block)
        if group[at].sum() and not reference[at].sum():
            return f"the reference has no {_name(block, place, samples)}"
    return None


def _name(block: Block, place: int, samples: Samples) -> str:
    if not isinstance(block, np.ndarray):
        return name_of(block)
    return f"cases of {shown(samples.group.labels[place])}"


def _squares(tables: Any, given: Any) -> tuple[ConfusionMatrix, ConfusionMatrix]:
    if given is None:
        return tables
    try:
        first, second = given
    except (TypeError, ValueError, NotImplementedError):
        rule = "must be a pair of tables, of the group and of the reference"
        remedy = "sum the squares of the weights cell by cell"
        raise InvalidArgumentError.from_rule("squared_weights", rule, given, remedy) from None
    names = ("squared_weights of the group", "squared_weights of the reference")
    one, other = map(single_table, names, (first, second))
    return one, other


def _covariance(given: Any) -> Array | None:
    if given is None:
        return None
    found = float_array("covariance", given)
    if found.shape != (8, 8) or not np.isfinite(found).all():
        rule, remedy = (
            "must have shape (8, 8) and finite entries",
            "put both tables' totals in order",
        )
        raise InvalidArgumentError.from_rule("covariance", rule, found.shape, remedy)
    return found

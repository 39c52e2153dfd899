"""Is a group's score luck, where cases come in clusters? Whole clusters are dealt out anew."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import DRAWS, one_of, whole_number
from baserate._result import Result
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.dealt_sums import tails_of_deals
from baserate.groups.match import Alternative, MatchTest, p_value
from baserate.groups.null import sides
from baserate.groups.samples import blocks_of, places
from baserate.inference.survey_design import slopes
from baserate.metrics import Metric, binary_metric
from baserate.models.model import summed

Array = NDArray[np.float64]

LAW = "cluster-permutation"
QUICK = 30_000_000  # additions for one of many tests, some 30 ms
TINY = 1e-12  # of the largest score: what rounding leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPermutation(Result):
    """How unusual a group's clusters are among all clusters; ``float()`` is the p-value.

    Attributes
    ----------
    metric : str
        Canonical name.
    value, reference_value : float
        The metric at the sums of the group's clusters, and of the others.
    lower, upper : float
        P(S <= s) and P(S >= s) if clusters are dealt out at random.
    p_value : float
        min(1, 2 min(lower, upper)); one-sided: lower for "less", upper for "greater".
    mid_p : float
        The same with half of P(S = s) in either tail.
    n_clusters : pair of int
        Clusters of the group, and of the reference.
    n_arrangements : int
        Ways to deal them out.
    alternative : {"two-sided", "less", "greater"}
    route : {"convolution", "enumeration", "simulation", ""}
        How the law was found; "" if there was nothing to find.
    error : float
        Standard error of `lower` and `upper`, of a simulation; else 0.
    reason : str or None
        Why there is no p-value.
    """

    metric: str
    value: float
    reference_value: float
    lower: float
    upper: float
    p_value: float
    mid_p: float
    n_clusters: tuple[int, int]
    n_arrangements: int
    alternative: str
    route: str
    error: float = 0.0
    reason: str | None = None

    def __float__(self) -> float:
        return self.p_value


def cluster_permutation_test(
    metric: str | Metric,
    group: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_resamples: int = 99_999,
) -> ClusterPermutation:
    """Test whether a group's score could be luck if its clusters were like all others.

    `match_test` with law="permutation" deals out single cases, which rejects too often where cases
    of one cluster (patients of a hospital, answers of a rater) are alike: 31% at a level of 5% for
    accuracy, with 20 clusters of unequal size and intraclass correlation .3. Here whole clusters
    are dealt out, as many to the group as it has. The size is at most the nominal level, however
    alike cases are, if clusters of both sides are drawn from the same clusters.

    The statistic is the score S = Σ over the group's clusters of Σ over cells of ∂metric · cell,
    with the derivatives at the table of all cases, which no deal changes: of a proportion,
    successes less the overall rate times the denominator. To first order it is how far the group's
    metric lies above that of all cases.

    The law of S is exact, by one of two routes: sums of k₁ of k scores are counted one cluster
    after another ("convolution"), or in two halves ("enumeration", up to 2^36 deals). Scores are
    whole numbers for proportions, else, and where these are too many, steps of a thousandth of the
    largest score or finer: with any fixed scores the test is exact. Beyond both, it is simulated if
    `rng` is given, with its standard error: (1 + deals as extreme)/(1 + deals).

    Parameters
    ----------
    metric : Metric or str
        Any metric, your own included.
    group, reference : ConfusionMatrix
        One table per cluster: arrays of shape (k₁,) and (k₂,).
    alternative : {"two-sided", "less", "greater"}
        "less": the group scores lower.
    rng : numpy.random.Generator or int, optional
        Needed where deals are too many, and used nowhere else.
    n_resamples : int
        Deals of a simulation.

    Returns
    -------
    ClusterPermutation
        nan, and `reason` says why, where the metric is undefined for the group, or has no
        derivative at the table of all cases.

    Raises
    ------
    UnsupportedError
        Too many deals, and no `rng`.
    InvalidArgumentError
        Tables that are no batch of one axis; one side without clusters.

    References
    ----------
    Gail, Mark, Carroll, Green and Pee (1996), Statistics in Medicine 15:1069,
    doi:10.1002/(SICI)1097-0258(19960615)15:11<1069::AID-SIM220>3.0.CO;2-Q, for permutation of whole
    groups. Fisher (1935), The Design of Experiments, section 21. Phipson and Smyth (2010), Stat.
    Appl. Genet. Mol. Biol. 9:39, doi:10.2202/1544-6115.1585, for simulated p-values.

    Examples
    --------
    Three hospitals against five, by recall:

    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import cluster_permutation_test
    >>> import numpy as np
    >>> ours = ConfusionMatrix(tp=np.array([4, 6, 3]), fn=np.array([6, 6, 5]), fp=0, tn=9)
    >>> tp, fn = np.array([[9, 8, 5, 7, 9], [1, 2, 4, 2, 1]])
    >>> rest = ConfusionMatrix(tp=tp, fn=fn, fp=0, tn=9)
    >>> found = cluster_permutation_test("recall", ours, rest)
    >>> round(found.value, 3), round(found.reference_value, 3), found.n_arrangements
    (0.433, 0.792, 56)

    No other three of the eight have a lower score:

    >>> found.lower * 56, found.p_value * 56, found.route
    (1.0, 2.0, 'convolution')
    """
    metric, side = binary_metric(metric), one_of("alternative", alternative, Alternative)
    one, other = _tables("group", group), _tables("reference", reference)
    first, second = _sum(one), _sum(other)
    k, k1 = len(one) + len(other), len(one)
    known: dict[str, Any] = {
        "metric": metric.name,
        "value": float(metric(first)),
        "reference_value": float(metric(second)),
        "n_clusters": (k1, k - k1),
        "n_arrangements": comb(k, k1),
        "alternative": side,
    }
    scores, reason = _scores(metric, np.concatenate((one, other)), first)
    if reason is not None:
        nothing = dict.fromkeys(("lower", "upper", "p_value", "mid_p"), nan)
        return ClusterPermutation(**known, **nothing, route="", reason=reason)
    found = tails_of_deals(
        scores, k1, rng, whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS)
    )
    lower, upper = (min(1.0, tail + found.equal) for tail in (found.below, found.above))
    middles = found.below + found.equal / 2, found.above + found.equal / 2
    return ClusterPermutation(
        **known,
        lower=lower,
        upper=upper,
        p_value=p_value(lower, upper, side),
        mid_p=p_value(*middles, side),
        route=found.route,
        error=found.error,
    )


def dealt(tests: Sequence[MatchTest], group: Array, other: Array) -> tuple[MatchTest, ...] | None:
    """Return the tests of one group with whole clusters dealt out; None if that takes too long.

    What a test holds fixed is taken out of its score: each cluster counts by how far its cells lie
    from what its own totals would have at the shares of all clusters, so that a group of another
    base rate does not differ by recall, or by F1 given the class totals. Under the hypothesis that
    clusters of both sides are alike, the law is exact.

    Parameters
    ----------
    tests : sequence of MatchTest
        With value, condition and reference; those without a p-value stay without.
    group, other : array of shape (k, 4)
        Cells of each cluster on either side, which share none.
    """
    both, found = np.concatenate((group, other)), list[MatchTest]()
    for test in tests:
        if test.reason is not None:
            found.append(replace(test, law=LAW))
            continue
        scores = _residuals(test.measured, both, blocks_of(test.measured, test.condition))
        try:
            tails = tails_of_deals(scores, len(group), None, 1, budget=QUICK)
        except UnsupportedError:
            return None
        lower, upper = (min(1.0, tail + tails.equal) for tail in (tails.below, tails.above))
        half = tails.equal / 2
        found.append(
            replace(
                test,
                percentile=lower,
                lower=lower,
                upper=upper,
                p_value=p_value(lower, upper, test.alternative),
                mid_p=p_value(tails.below + half, tails.above + half, test.alternative),
                null="whole clusters of the group are like those of the reference",
                law=LAW,
                route=tails.route,
            )
        )
    return tuple(found)


def _residuals(metric: Metric, tables: Array, blocks: Any) -> Array:
    """Return how far the cells of each cluster move the metric, its own totals taken for granted.

    Of a proportion in whole numbers where its cases are.
    """
    if metric.proportion is not None and len(blocks) == 1 and (tables == np.rint(tables)).all():
        successes, whole = sides(metric)
        if places(whole).tolist() == places(blocks[0]).tolist():
            won, lost = (summed(cells, tables.T) for cells in (successes, whole - successes))
            return won * float(lost.sum()) - lost * float(won.sum())
    total = tables.sum(axis=0)
    slope, scores = slopes(metric, total), np.zeros(len(tables))
    for at in map(places, blocks):
        share = total[at] / total[at].sum() if total[at].any() else total[at]
        scores += (tables[:, at] - tables[:, at].sum(axis=1, keepdims=True) * share) @ slope[at]
    return np.where(np.abs(scores) > TINY * np.abs(scores).max(), scores, 0.0)


def _tables(argument: str, tables: Any) -> Array:
    """Return the cells of each cluster; clusters without cases are left out."""
    rule, remedy = "must hold one table per cluster", "pass ConfusionMatrix(tp=[..], fn=[..], ..)"
    if not isinstance(tables, ConfusionMatrix):
        given = type(tables).__name__
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)
    cells = np.broadcast_arrays(*(np.asarray(cell, dtype=float) for cell in tables))
    if cells[0].ndim != 1:
        raise InvalidArgumentError.from_rule(argument, rule, f"shape {cells[0].shape}", remedy)
    found = np.stack(cells, axis=1)
    found = found[found.any(axis=1)]
    if not len(found):
        raise InvalidArgumentError.from_rule(argument, rule, "no case", remedy)
    return found


def _scores(metric: Metric, tables: Array, group: ConfusionMatrix) -> tuple[Array, str | None]:
    """Return what each cluster adds to the statistic, and why there is none."""
    if (reason := metric.undefined_reason(group)) is not None:
        return tables, reason
    total = tables.sum(axis=0)
    if metric.proportion is not None and (tables == np.rint(tables)).all():
        successes, whole = sides(metric)
        won, lost = (summed(cells, tables.T) for cells in (successes, whole - successes))
        return won * float(lost.sum()) - lost * float(won.sum()), None
    slope = slopes(metric, total)
    if np.isnan(slope).any():
        return tables, "it has no derivative at the table of all cases"
    return tables @ slope, None


def _sum(tables: Array) -> ConfusionMatrix:
    return ConfusionMatrix(**dict(zip(CELLS, tables.sum(axis=0).tolist(), strict=True)))

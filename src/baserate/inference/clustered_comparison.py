"""The public comparison of two classifiers by whole clusters, of two classes and of several."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence, one_of
from baserate.cases.class_designs import ClassDesign
from baserate.cases.clusters import Design
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.curves.estimates import ScoreComparison
from baserate.errors import InvalidCountError
from baserate.inference.paired_class_draws import ClassPairs
from baserate.inference.paired_clusters import compared, swapped_clusters
from baserate.inference.paired_weights import NO_SLOPES
from baserate.inference.sampled_class_pairs import ClusteredClasses, Decided
from baserate.inference.utility_posterior import decision_counts
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric

Array = NDArray[np.float64]
Method = Literal["exact"]
Tests = tuple[Callable[[float], ScoreComparison], Callable[[], tuple[float, str | None]]]

NO_INTERVAL = "swaps tell whether classifiers are equal, not how far apart: leave method out"


def compare_clusters(
    metric: str | Metric | ClassMetric,
    joint: Any,
    *,
    method: Method | None = None,
    confidence_level: float = 0.95,
) -> ScoreComparison:
    """Compare two classifiers by any metric, on the same cases, which come in clusters.

    Cases of one cluster (questions of a topic, images of a patient, runs of a question) are alike:
    the difference moves by whole clusters, and so do interval and test.

    Interval and p-value are of one law, Student's: at any confidence level the interval holds 0
    where p exceeds one less the level, and only there. With d_c how much metric(A) - metric(B)
    changes without cluster c, the variance is Σ d_c² (a jackknife), or that of cases as alike as so
    few clusters cannot rule out (see `baserate.cases.units`), with Satterthwaite's degrees of
    freedom and two more, 3 (Σ d²)²/Σ d⁴, at most the clusters less one; clusters so unequal that
    they count as m < 2 of equal size have 2 (m - 1) more. `design_effect` compares the linearised
    variance, k/(k - 1) Σ (z_c - z̄)², with that of as many independent cases; z_c adds up over a
    cluster how much each cell of both tables moves the difference.

    With ``method="exact"`` the p-value is that of swapping A and B in whole clusters, which gives
    no interval: P(``|S|`` >= the one found) over all 2^k ways, exact where A and B are exchangeable
    within clusters, however few these are. With u and v the derivatives of the metric in true and
    in false positives at the mean of the two tables (of several classes, in each cell),
    S = Σ_c ± (u (tp_A - tp_B) + v (fp_A - fp_B)): swaps leave the mean table as it is, so S is
    linear. For accuracy, recall, specificity and all that is linear in counts or rates it is the
    difference itself; with every case its own cluster, accuracy has McNemar's conditional exact
    test. `p_value_route` is then "exact" (all sums counted), or "asymptotic" with too many: a
    saddle point.

    With 6, 10, 20 and 200 clusters of 8 cases on average, unequal and with an intraclass
    correlation of .3, it rejects equal classifiers in at most .4, 1.0, 2.3 and 4.9% of samples at a
    level of 5%, "exact" in .2, 2.6, 5.4 and 5.1% (``benchmarks/bench_clusters_paired.py``); with 25
    clusters and three classes in 2.5 to 2.8%, and in 4.1 to 4.8%. "exact" finds more: a difference
    that it finds in 81% of those samples, the default finds in 70%.

    Of 53 designs with 8 to 400 clusters the 95% intervals of a difference of accuracies held it in
    93% of samples or more, most often in 97 to 100 (``benchmarks/bench_clusters_corners.py``). Of 7
    later ones, in which one classifier alone fails in whole clusters, so few that a sample may have
    none of them, in 81 to 96%.

    Parameters
    ----------
    metric : Metric, ClassMetric or str
    joint : array of shape (k, 2, 2, 2), or (k, K, K, K) of K classes
        Element [g, i, j, c]: cases of cluster g and class c in which A decided i and B decided j;
        of two classes 0 is positive. `paired_counts` makes it from labels of two classes.
    method : {None, "exact"}
        Of the p-value. Default: that of the interval.
    confidence_level : float
        In (0, 1).

    Returns
    -------
    ScoreComparison
        nan where the metric is undefined at one of the tables. Neither interval nor p-value for a
        single cluster, where no cluster moves the difference, or where the metric is undefined
        without one of them.

    Raises
    ------
    InvalidCountError
        Another shape, or counts that are no numbers of at least 0.
    InvalidArgumentError
        The confidence level lies outside (0, 1).
    UnknownNameError
        No such metric or method.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28:169, for the jackknife. Obuchowski (1998),
    Statistics in Medicine 17:1495, for clustered binary decisions. Pesarin and Salmaso (2010),
    Permutation Tests for Complex Data, Wiley, doi:10.1002/9780470689516, for swaps of whole units.

    Examples
    --------
    Two models answer questions of six topics:

    >>> from baserate.inference import compare_clusters
    >>> from baserate.inference import paired_counts
    >>> y = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    >>> a = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> b = [0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0]
    >>> joint = paired_counts(y, a, b, cluster=list("aabbccddeeff"))
    >>> found = compare_clusters("accuracy", joint)
    >>> round(found.difference, 3), round(found.low, 3), round(found.high, 3), found.n_clusters
    (0.5, 0.062, 0.938, 6)
    >>> round(found.p_value, 3)
    0.032

    Five topics differ, all in favour of A: 2 of 2^5 ways to swap them.

    >>> found = compare_clusters("accuracy", joint, method="exact")
    >>> found.p_value * 2**5, found.p_value_route
    (2.0, 'exact')

    Three classes, coded 0 to 2, in eight clusters:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y, a, cluster = rng.integers(0, 3, 80), rng.integers(0, 3, 80), np.arange(80) % 8
    >>> joint = np.zeros((8, 3, 3, 3), dtype=int)
    >>> np.add.at(joint, (cluster, np.where(y > 0, y, a), a, y), 1)
    >>> found = compare_clusters("macro_f1", joint)
    >>> round(found.difference, 3), round(found.low, 3), round(found.high, 3)
    (0.292, 0.103, 0.48)
    """
    level = confidence(confidence_level)
    if method is not None:
        one_of("method", method, Method)
    counts = decision_counts("joint", joint)
    if counts.ndim != 4 or len(set(counts.shape[1:])) > 1 or counts.shape[1] < 2:
        rule = "must have shape (k, 2, 2, 2), or (k, K, K, K) of K classes"
        remedy = "use paired_counts(y_true, a, b, cluster=)"
        raise InvalidCountError.from_rule("joint", rule, counts.shape, remedy)
    counts = counts[counts.any(axis=(1, 2, 3))]
    of_two = counts.shape[1] == 2
    compare, swap = _of_two(metric, counts) if of_two else _of_several(metric, counts)
    found = compare(level)
    if method is None or isnan(found.difference):
        return found
    p_value, route = swap()
    return replace(
        found,
        low=nan,
        high=nan,
        p_value=p_value,
        route=None,
        reason=NO_INTERVAL,
        p_value_route=route,
        p_value_reason=None if route else NO_SLOPES,
    )


def _of_two(metric: Any, counts: Array) -> Tests:
    """Return what compares both by a metric of two classes at a level, and what swaps them."""
    metric, (a, b) = binary_metric(metric), (_design(counts.sum(axis=other)) for other in (2, 1))
    by_law = partial(compared, metric, a, b, joint=counts.sum(axis=0))
    return by_law, partial(swapped_clusters, metric, a, b)


def _of_several(metric: Any, counts: Array) -> Tests:
    """Return the same of several classes."""
    metric, cells = class_metric(metric), counts.sum(axis=0)
    a, b, truth = np.nonzero(cells)
    pairs = ClassPairs.of_cases(truth, a, b, len(cells), count=cells[a, b, truth])
    one, other = (_decided(counts.sum(axis=other)) for other in (2, 1))
    how: Any = {"sums": pairs.counts, "squared": pairs.counts, "n": one.counted.n, "pairs": pairs}
    both = ClusteredClasses(one=one, other=other, right=np.arange(len(cells)), **how)
    return partial(both.compared, metric), partial(both.swapped_clusters, metric)


def _design(decided: Array) -> Design:
    """Read the tables of one classifier from its (cluster, decision, class) counts."""
    tables = np.stack(
        [decided[:, 0, 0], decided[:, 1, 0], decided[:, 0, 1], decided[:, 1, 1]], axis=1
    ).astype(float)
    total = tables.sum(axis=0)
    return Design(
        total=total,
        tables=tables,
        units=np.arange(len(tables)),
        n_units=len(tables),
        n_cases=int(total.sum()),
    )


def _decided(decided: Array) -> Decided:
    """Read the class tables of one classifier from its (cluster, decision, class) counts."""
    tables = decided.swapaxes(1, 2).reshape(len(decided), -1)
    (unit, cell), size = np.nonzero(tables), decided.shape[-1]
    design = ClassDesign(
        total=tables.sum(axis=0).reshape(size, size),
        unit=unit,
        cell=cell,
        amount=tables[unit, cell],
        units=np.arange(len(tables)),
        n_units=len(tables),
        n_cases=int(tables.sum()),
    )
    counted = ClassCounted(table=ClassTable(design.total), n=design.n_cases, design=design)
    return Decided(counted)

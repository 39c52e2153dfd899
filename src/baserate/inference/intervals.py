"""Intervals: one public function for one metric, one for several of several classes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from math import isfinite
from typing import Any, cast

from baserate._checks import confidence, number_in, one_of
from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.binary_intervals import (
    DESIGN_METHODS,
    Interval,
    Method,
    design_interval,
    table_interval,
)
from baserate.inference.class_design import design_intervals
from baserate.inference.linearity import Lumps, deciding_share, table_of_share
from baserate.inference.metric_limits import SHARES, TOLERANCE, flat, limits
from baserate.inference.several_classes import asked_metrics, squares_of, table_intervals
from baserate.metrics import ClassMetric, Metric, binary_metric, recall

FINEST = 1e-11  # tolerance that is asked for
FINE = 1e-12  # of a number of cases
MOST_CASES = 1e15  # that are searched, all but as many as intervals take


def interval(
    metric: str | Metric | ClassMetric,
    table: ConfusionMatrix | Counted | ClassTable | ClassCounted | tuple[float, float],
    *,
    confidence_level: float = 0.95,
    method: Method | None = None,
    rng: Any = None,
    n_resamples: int = 9999,
    squared_weights: Any = None,
    tolerance: float = TOLERANCE,
) -> Interval:
    """Return an equal-tailed interval for a metric, given one table of counts or a batch.

    Whatever one share of cases x/(x + y) alone decides has the interval of that share, transformed:
    accuracy and error rate, precision and false discovery rate, and F1 = 2 J/(1 + J) has that of
    the Jaccard index J. Every other metric has the law that the four cells together give it.

    The interval of a count, such as the true positives, is n times that of its share of n cases:
    it holds the number expected among n new ones, which scatter about it once more.

    An end that would leave out the metric's own value is moved to it: an MCC of 1 reaches up to 1.
    This is what Brown, Cai and DasGupta do for 0 and for m successes.

    Parameters
    ----------
    metric : Metric, ClassMetric or str
    table : ConfusionMatrix, Counted, ClassTable or ClassCounted
        Of counts or of sums of weights, which work with "bayes" only; or a batch. Of a share of
        cases two counts will do, such as (18, 2) of 18 found and 2 missed. What
        `count_labels` returns brings its squared weights and its clusters along. Of several classes
        see `baserate.inference.class_intervals`; one class against the rest is
        ``interval(metric, table.one_vs_rest(label))``.
    confidence_level : float in (0, 1)
    method : {"bayes", "wilson", "exact", "bootstrap", "jackknife"}
        Default: "jackknife" for cases in clusters, else "bayes".
        "bayes" takes every metric: quantiles of its law when the four cell probabilities have the
        Jeffreys-type posterior Dirichlet(cells + 1/2); a share x/m that alone decides the metric
        has Beta(x + 1/2, m - x + 1/2), Jeffreys' law. "wilson" and "exact" (Clopper-Pearson) take
        such metrics only. "bootstrap" takes percentiles over multinomial resamples of the table.
        Cases in clusters take the last two only: "jackknife" leaves out each cluster, with a
        variance and degrees of freedom that so few allow, "bootstrap" draws clusters, within strata
        if there are any. Where the value is a bound of the metric, or no cluster differs, each
        cluster counts as one case.
    rng : numpy.random.Generator or int
    n_resamples : int
        Of the bootstrap, which needs both.
    squared_weights : ConfusionMatrix, optional
        The sum of the squared weights in each cell of `table`; None says that `table` holds counts.
        Of several classes a number, the sum over all cases.
        With it a rate is worth Kish's effective number of cases (Σw)² / Σw², taken over the cells
        it is conditioned on: a deciding share over its own cells, and for every other metric the
        base rate over all cases, recall over the positives and the false positive rate over the
        negatives; or, if that is less, the number that gives the rate its linearised variance
        (weights go with the outcome where one in five of the cases not flagged was looked at).
        Counts, such as the true positives, stay sums of weights.
    tolerance : float
        How far a credible end may be off, as a share of the width of the interval: from 1e-11 to
        below 1. Where an integral does not get there, `error` says what it reached.

    Raises
    ------
    UnsupportedError
        The method does not exist for this metric, for weighted counts, or more than 1e16 cases.
    InvalidArgumentError
        A number out of its range, a bootstrap without `rng`, or squared weights that no
        non-negative weights with the sums in `table` have.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16:101, doi:10.1214/ss/1009213286, for the
    three intervals for proportions. Goutte and Gaussier (2005), ECIR,
    doi:10.1007/978-3-540-31865-1_25, for the posterior of F1. Caelen (2017), Annals of Mathematics
    and Artificial Intelligence 81:429, doi:10.1007/s10472-017-9564-8, for the Dirichlet posterior.
    Kish (1965), Survey Sampling, Wiley, and Korn and Graubard (1998), Survey Methodology 24:193,
    for the effective number of cases.

    Examples
    --------
    >>> from baserate import interval
    >>> from baserate import ConfusionMatrix
    >>> t = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    >>> found = interval("matthews_correlation", t)
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.532, 0.698, 0.81)

    Many tables at once:

    >>> many = interval("f1", ConfusionMatrix(tp=[35, 3, 0], fn=[5, 1, 0], fp=[10, 2, 0], tn=50))
    >>> many.low.round(3), many.high.round(3), many[1].route
    (array([0.722, 0.286,   nan]), array([0.897, 0.909,   nan]), 'jeffreys')

    Ten positives of weight 100 have the interval of ten positives:

    >>> heavy = ConfusionMatrix(tp=800, fn=200, fp=100, tn=900)
    >>> squares = ConfusionMatrix(tp=80_000, fn=20_000, fp=100, tn=900)
    >>> found = interval("recall", heavy, squared_weights=squares)
    >>> round(found.low, 3), round(found.high, 3)
    (0.497, 0.956)
    """
    how: dict[str, Any] = {
        "confidence_level": confidence_level,
        "method": method,
        "rng": rng,
        "n_resamples": n_resamples,
        "squared_weights": squared_weights,
    }
    return _interval(table, metric, tolerance, how)


@singledispatch
def _interval(table: Any, metric: Any, tolerance: float, how: Mapping[str, Any]) -> Interval:
    return _of_counts(binary_metric(metric), table, tolerance, **how)


@_interval.register
def _interval_of_several(
    table: ClassTable | ClassCounted,
    metric: Any,
    tolerance: float,  # noqa: ARG001
    how: Mapping[str, Any],
) -> Interval:
    [found] = class_intervals(_one_metric(metric), table, **how).values()
    return found


def _of_counts(
    metric: Metric,
    table: ConfusionMatrix | Counted | tuple[float, float],
    tolerance: float,
    *,
    confidence_level: float,
    method: Method | None,
    rng: Any,
    n_resamples: int,
    squared_weights: Any,
) -> Interval:
    table = cast("ConfusionMatrix | Counted", table_of_share("table", metric, table))
    level = confidence(confidence_level)
    within = number_in("tolerance", tolerance, "(0, 1)", "1e-6 is usual, 1e-11 the least")
    if within < FINEST:
        rule, remedy = f"must be at least {FINEST:g}", "floats have no more digits to spare"
        raise InvalidArgumentError.from_rule("tolerance", rule, within, remedy)
    if isinstance(table, Counted):
        if table.design is not None:
            chosen = one_of("method", DESIGN_METHODS[0] if method is None else method, Method)
            return design_interval(metric, table.design, level, chosen, rng, n_resamples)
        table, squared_weights = table.table, table.squared
    how = (method, rng, n_resamples, squared_weights, within)
    return table_interval(metric, table, level, *how)


def _one_metric(metric: Any) -> str | Metric | ClassMetric:
    if isinstance(metric, str | Metric | ClassMetric):
        return metric
    remedy = "pass a name, such as 'f1'"
    if hasattr(metric, "as_metric"):
        remedy = "pass the metric that utilities make, utility.as_metric()"
    raise InvalidArgumentError.from_rule("metric", "must be one metric", metric, remedy)


def class_intervals(
    metrics: str | Metric | ClassMetric | Sequence[str | Metric | ClassMetric],
    table: ClassTable | ClassCounted,
    *,
    confidence_level: float = 0.95,
    method: Method | None = None,
    rng: Any = None,
    n_resamples: int = 9999,
    squared_weights: float | None = None,
    n_draws: int | None = None,
) -> dict[str, Interval]:
    """Return equal-tailed intervals of metrics of several classes, by name of the metric.

    What the share of right calls alone decides (accuracy, error rate, micro averages) has the
    interval of that share, as in `interval`. A mean over cases Σ w n / N with other weights has its
    exact law under cell shares that are Dirichlet with half a case for all hits and half a case
    for all errors. Averages over classes and correlations are simulated from a posterior in which
    the share of hits is Beta(hits + 1/2, errors + 1/2), hits spread over the classes by
    Dirichlet(hits + 1 - 1/K), and errors over the pairs by Dirichlet(errors + 1/(2 (K - 1))): all
    metrics of a table share the draws. Of weighted kappa, which counts some errors more than
    others, half a case is spread over all errors, as for a mean over cases. Where a metric of new
    tables of as many cases, drawn from this posterior, errs by more than the posterior spreads, the
    draws are stretched about their median to spread as far (the middle 68% of either): with few
    cases of each class, what the prior adds to every one of them makes averages look too certain.
    With two classes a metric that has a form for two is answered by `interval`, to the last digit.

    What intervals shall hold is the population's value; of an average over the classes in which a
    metric is defined (".defined"), the population's average over the classes in which this table
    defines it: what the others would add is not in the table. An average over all classes has an
    interval where all of them have a value.

    Parameters
    ----------
    metrics : str, ClassMetric, or a sequence of them
        Names as `baserate.metrics.class_metric` takes them.
    table : ClassTable or ClassCounted
        Of counts or of sums of weights; a batch makes every attribute of the answers an array.
        Cases in clusters, or with replicate weights, have Student's intervals.
    confidence_level : float in (0, 1)
    method : {"bayes", "wilson", "exact", "bootstrap", "jackknife"}
        "wilson" and "exact" take shares of cases only; "bootstrap" takes percentiles over
        multinomial resamples. Of cases in clusters "jackknife" (the default) or "bootstrap".
    rng : numpy.random.Generator or int
    n_resamples : int
        Of the bootstrap, which needs both.
    squared_weights : float or array of the shape of the batch, optional
        Sum of the squared weights of all cases. With it the table is worth Kish's effective number
        of cases (Σw)² / Σw²: an approximation, which takes all cells to have the same weights.
    n_draws : int, optional
        Of the simulation, at least 100. Default: 4,096, of a table alone as of each in a batch. The
        error of the ends, some 3 to 15% of the width, falls with its square root.

    Returns
    -------
    dict of str to Interval
        By canonical name. `route` is "jeffreys", "wilson" or "clopper-pearson"; "exact"; "constant"
        (only one value is possible); "simulation", whose `error` is half the distance of the
        percentiles between which 99.9% of the seeds put an end; "percentile"; or "undefined".

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        Not a class table, no such metric of several classes, or a bootstrap without `rng`.
    UnsupportedError
        The method does not exist for this metric, or not for weighted counts.

    References
    ----------
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81:429,
    doi:10.1007/s10472-017-9564-8, for the Dirichlet posterior. Takahashi, Yamamoto, Kuchiba and
    Koyama (2022), Applied Intelligence 52:4961, doi:10.1007/s10489-021-02635-5, for intervals of
    averaged F1 by the delta method. Sethuraman (1994), Statistica Sinica 4:639, for the atoms by
    which the prior's part is drawn.

    Examples
    --------
    >>> from baserate.inference import class_intervals
    >>> from baserate import ClassTable
    >>> iris = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> found = class_intervals(["accuracy", "macro_f1"], iris)
    >>> for name, one in found.items():
    ...     print(f"{name} {one.value:.3f}, {one.low:.2f} to {one.high:.2f} ({one.route})")
    accuracy 0.980, 0.95 to 0.99 (jeffreys)
    macro_f1 0.980, 0.95 to 0.99 (simulation)
    """
    level = confidence(confidence_level)
    if isinstance(table, ClassCounted):
        if table.design is not None:
            how = (table.design, level, DESIGN_METHODS[0] if method is None else method)
            return design_intervals(asked_metrics(metrics), table.table, *how, rng, n_resamples)
        squared_weights = squares_of(table.table, table.squared)
        table = table.table
    how = (method, rng, n_resamples, squared_weights, n_draws)
    return table_intervals(asked_metrics(metrics), table, level, *how)


def sure_limits(
    metric: Metric | ClassMetric, table: ConfusionMatrix | ClassTable, level: float
) -> tuple[float, float] | None:
    """Return limits that hold at least as often as they say, or None where none are known.

    Those of Clopper and Pearson, of what one share of cases decides, such as recall and F1: given
    the cases that the share is of, either is wrong in (1 - level) / 2 of samples at most.
    """
    try:
        found = interval(metric, table, confidence_level=level, method="exact")
    except UnsupportedError:  # no share decides, or weights are no counts, or too many for floats
        return None
    return found.low, found.high


def as_sure(
    metric: Metric | ClassMetric,
    table: ConfusionMatrix | ClassTable,
    level: float,
    ends: tuple[float, float],
) -> tuple[float, float] | None:
    """Return limits as sure as Clopper and Pearson's, of cases that are weighted or in clusters.

    They are those of as many independent cases as give Jeffreys' law these `ends`, either by
    itself; None where no one share decides the metric.
    """
    if (known := _one_share(table, metric)) is None:
        return None
    measured, counts, share = known
    value = float(measured(counts))
    if not (measured.scale_invariant and isfinite(value + sum(ends))):
        return None
    cells = {name: float(getattr(counts, name)) for name in CELLS}
    whole = sum(cells[name] for side in share for name in side)

    def at(cases: float, end: int, method: str) -> float:
        scaled = flat(ConfusionMatrix(**{k: x * cases / whole for k, x in cells.items()}))
        return float(limits(measured, scaled, None, level, method=method)[end][0])

    low, high = (_as_far(partial(at, end=end), ends[end], value) for end in (0, 1))
    return low, high


@singledispatch
def _one_share(table: Any, metric: Any) -> tuple[Metric, ConfusionMatrix, Lumps] | None:
    """Return a metric of four counts, these, and which share decides it; None if none does."""
    share = deciding_share(metric)
    return None if share is None else (metric, table, share)


@_one_share.register
def _one_share_of_several(
    table: ClassTable, metric: Any
) -> tuple[Metric, ConfusionMatrix, Lumps] | None:
    if metric.name not in SHARES:
        return None
    value = float(metric(table))
    counts = ConfusionMatrix(tp=value, fn=1 - value, fp=0.0, tn=0.0)
    return _one_share(counts, recall)


def _as_far(at: Callable[..., float], known: float, value: float) -> float:
    """Return Clopper and Pearson's end of as many cases as have Jeffreys' end where it is known."""

    def beyond(cases: float) -> float:
        return abs(at(cases, method="bayes") - value) - abs(known - value)

    cases = MOST_CASES
    while cases > FINE and beyond(cases) < 0:
        cases /= 2
    if cases == MOST_CASES:  # no end but the value itself
        return known
    if cases <= FINE:  # wider than no case at all would have
        return at(FINE, method="exact")
    narrow = 2 * cases
    while narrow - cases > FINE * cases:
        middle = (cases + narrow) / 2
        cases, narrow = (middle, narrow) if beyond(middle) >= 0 else (cases, middle)
    return at(cases, method="exact")

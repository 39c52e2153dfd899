"""What weights of classes are worth on cases that did not choose them: out of the bag."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import DRAWS, confidence, generator, whole_number
from baserate._result import Result
from baserate.cases.arrays import read_arrays
from baserate.cases.clusters import Replicated
from baserate.cases.strata import Jackknife, drawn_again, read_clusters, read_units
from baserate.cases.values import listed
from baserate.class_counts import ClassTable
from baserate.curves.class_scores import ClassScores
from baserate.errors import InvalidArgumentError
from baserate.inference.binary_intervals import Interval
from baserate.inference.class_comparison import compare_classes
from baserate.inference.class_design import design_intervals
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.found_difference import AskedPair, classes_apart
from baserate.inference.intervals import class_intervals
from baserate.metrics import ClassMetric, Metric
from baserate.tuning.class_weights import OptimalClassWeights, checked_target, optimal_class_weights
from baserate.tuning.coordinate_ascent import Scored, climb
from baserate.tuning.targets import Values

N_RESAMPLES = 20
ALONE = "all cases lie in one cluster, which does not show how much clusters differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightSpread(Result):
    """The best weights of classes, what they promise and what they hold.

    Attributes
    ----------
    metric : str
    labels : tuple
    best : OptimalClassWeights
        Of all cases.
    value : float
        The metric with them, on the same cases: the promise.
    corrected : float
        Out of the bag: cases are drawn with replacement within each class, weights found on them
        judge the cases not drawn, and the metric is that of all these calls together, each case
        counting once. Weights of a sample are found on some 63% of the different cases, so this is
        low rather than high. nan where it is undefined.
    optimism : float
        value - corrected, or corrected - value where less is better.
    unweighted : float
        The metric where the most probable class is called, on the cases that were out of some bag.
    difference, low, high : float
        corrected - unweighted, with its paired interval, see `compare_classes`.
    probability_better : float
        That the weights are better than none on new cases.
    confidence_level : float
    weights : array of shape (n_resamples, K)
        Of the samples.
    weights_low, weights_high : array of shape (K,)
        Between which the share `confidence_level` of them lies; all of them, of folds.
    table : ClassTable
        Out of the bag: sums of shares of cases, or of their weights.
    interval : Interval or None
        Of `corrected`; None without it.
    reason : str or None
        Why there is no corrected value.
    """

    metric: str
    labels: tuple[Any, ...]
    best: OptimalClassWeights
    value: float
    corrected: float
    optimism: float
    unweighted: float
    difference: float
    low: float
    high: float
    probability_better: float
    confidence_level: float
    weights: Values
    weights_low: Values
    weights_high: Values
    table: ClassTable
    interval: Interval | None = None
    reason: str | None = None

    def __float__(self) -> float:
        return self.corrected


def class_weight_spread(
    metric: str | Metric | ClassMetric,
    y_true: Any,
    probabilities: Any,
    *,
    rng: Any,
    labels: Any = None,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    strata: Any = None,
    cluster: Any = None,
    fold: Any = None,
) -> ClassWeightSpread:
    """Return what the best weights of classes are worth on new cases, and how much they vary.

    Parameters
    ----------
    metric, y_true, probabilities, labels, sample_weight
        As in `optimal_class_weights`.
    rng : seed or numpy.random.Generator
    n_resamples : int
        Bootstrap samples: of cases within each class, or of whole clusters, or of those in strata.
    confidence_level : float
    strata : array-like of shape (n,), optional
        What the clusters of a survey were drawn in, two or more in each.
    cluster : array-like of shape (n,), optional
        Cases of one cluster are alike.
    fold : array-like of shape (n,), optional
        The model of a cross-validation that scored each case: weights found on the other folds call
        the cases of each, in place of bootstrap samples.

    Raises
    ------
    DataError, InvalidArgumentError, LabelError, MissingValueError, UnsupportedError
        As in `optimal_class_weights`; `rng` is lacking; a stratum has a single cluster.

    References
    ----------
    Breiman (1996), Out-of-bag estimation, technical report, University of California, Berkeley.
    Rao and Wu (1988), JASA 83:231, doi:10.1080/01621459.1988.10478591, for strata.

    Examples
    --------
    >>> from baserate.tuning import class_weight_spread
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], [60, 30, 10])
    >>> score = rng.normal(size=(100, 3)) + 2 * np.eye(3)[y] + np.log([6, 3, 1])
    >>> p = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    >>> found = class_weight_spread("macro_f1", y, p, rng=0)
    >>> bool(found.corrected < found.value), found.weights.shape
    (True, (20, 3))
    """
    if rng is None:
        rule = "must be given to draw bootstrap samples"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass for example 0")
    level, size = (
        confidence(confidence_level),
        whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS),
    )
    best = optimal_class_weights(
        metric, y_true, probabilities, labels=labels, sample_weight=sample_weight
    )
    read = ClassScores.of(y_true, probabilities, labels, sample_weight).check_probabilities()
    chosen = checked_target(metric, read)
    kept = read.weights > 0  # a case of weight zero is none: it is drawn in no sample
    unit = stratum = None
    if cluster is not None or strata is not None:
        unit, stratum = _units(read_units(strata, cluster, read.weights), kept)
    folds = None if fold is None else _folds(fold, kept, unit)
    read = replace(
        read, truth=read.truth[kept], scores=read.scores[kept], weights=read.weights[kept]
    )
    random = generator(rng)
    if folds is None:
        samples = (_times(read, unit, stratum, random) for _ in range(size))
    else:
        samples = _other_folds(folds)
    out = _out_of_bag(chosen, read, unit, samples)
    table = ClassTable(out.table(read.n_classes), read.labels)
    alone = unit is not None and bool(np.all(unit == unit[:1]))
    reason = ALONE if alone else _unjudged(read, table) or chosen.undefined_reason(table)
    if reason is not None:  # a class that nothing judges would count as one that is never found
        gain = Gain(value_b=float(chosen(ClassTable(out.table(read.n_classes, plain=True)))))
    elif read.is_weighted or unit is not None:
        gain = _by_units(chosen, out, stratum, level)
    else:
        gain = _by_cases(chosen, out, table, level)
    corrected = gain.value_a
    tails = [(1 - level) / 2, (1 + level) / 2] if fold is None else [0.0, 1.0]
    low, high = np.quantile(out.weights, tails, axis=0)
    return ClassWeightSpread(
        metric=chosen.name,
        labels=read.labels,
        best=best,
        value=best.value,
        corrected=corrected,
        optimism=(best.value - corrected) * (1 if chosen.direction == "higher" else -1),
        unweighted=gain.value_b,
        difference=gain.difference,
        low=gain.low,
        high=gain.high,
        probability_better=gain.better,
        interval=gain.interval,
        confidence_level=level,
        weights=out.weights,
        weights_low=low,
        weights_high=high,
        table=table,
        reason=reason,
    )


class Gain(NamedTuple):
    """What the weights are worth out of the bag, and how much better than none."""

    value_a: float = nan
    value_b: float = nan
    difference: float = nan
    low: float = nan
    high: float = nan
    better: float = nan
    interval: Interval | None = None


class _Out(NamedTuple):
    """Weights of samples, and every call of a case out of the bag, with the share it counts for."""

    weights: Values
    truth: NDArray[np.intp]
    called: NDArray[np.intp]
    plain: NDArray[np.intp]  # where the most probable class is called
    share: Values
    unit: NDArray[np.intp]

    def table(self, k: int, *, plain: bool = False) -> Values:
        """Add up the calls, truth in rows."""
        cell = self.truth * k + (self.plain if plain else self.called)
        return np.asarray(np.bincount(cell, self.share, k * k), dtype=float).reshape(k, k)


def _out_of_bag(
    metric: ClassMetric,
    read: ClassScores,
    unit: NDArray[np.intp] | None,
    samples: Iterable[NDArray[Any]],
) -> _Out:
    """Find weights on samples, and call the cases out of each: each case counts once.

    A sample says how often it has each case.
    """
    cases = Scored.of(read.scores, read.truth, read.weights)
    k, n = cases.n_classes, len(cases.truth)
    calls, weights = np.zeros((n, k)), list[Values]()
    for times in filter(np.any, samples):  # of strata, those that were drawn may have no case
        offsets = climb(metric, cases.drawn(times)).offsets
        weights.append(np.exp(offsets))
        out = np.flatnonzero(times == 0)
        calls[out, (cases.logs[out] + offsets).argmax(axis=1)] += 1
    judged = calls.sum(axis=1, keepdims=True)
    shares = np.divide(calls, judged, out=calls, where=judged > 0) * cases.weight[:, None]
    row, called = np.nonzero(shares)
    plain = cases.decisions(np.zeros(k))[row]
    of = row if unit is None else unit[row]
    return _Out(np.array(weights), cases.truth[row], called, plain, shares[row, called], of)


def _by_cases(metric: ClassMetric, out: _Out, table: ClassTable, level: float) -> Gain:
    """Judge independent cases, of which each counts once."""
    pairs = ClassPairs.of_cases(out.truth, out.called, out.plain, table.n_classes, count=out.share)
    gain = compare_classes(metric, pairs, confidence_level=level)[metric.name]
    [ends] = class_intervals(
        metric, table, confidence_level=level, squared_weights=table.n
    ).values()
    found = (gain.value_a, gain.value_b, gain.difference, gain.low, gain.high, gain.better)
    return Gain(*found, ends)


def _by_units(
    metric: ClassMetric, out: _Out, stratum: NDArray[np.intp] | None, level: float
) -> Gain:
    """Judge whole clusters, or cases with their weights."""
    k = out.weights.shape[1]
    how = {"sample_weight": out.share, "keys": {"cluster": out.unit}}
    columns = {"weighed": out.called, "plain": out.plain}
    cases = read_arrays(out.truth, columns, **how).classes(tuple(range(k)))
    if stratum is not None:
        units = Replicated.of_units(Jackknife(out.share, out.unit[None], stratum))
        cases = replace(cases, cluster=None, replicated=units)
    gain = classes_apart(AskedPair(metric, level), cases, ("weighed", "plain"))
    counted = cases.counted("weighed")
    assert counted.design is not None
    [ends] = design_intervals([metric], counted.table, counted.design, level).values()
    found = (gain.value_a, gain.value_b, gain.value, gain.low, gain.high, gain.p_better)
    return Gain(*found, ends)


def _units(
    read: NDArray[np.intp] | Jackknife, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
    """Return the cluster of each case that counts, and the stratum of each cluster."""
    if isinstance(read, Jackknife):
        return read.units[0][kept], read.stratum
    return np.unique(read[kept], return_inverse=True)[1], None


def _drawn(truth: NDArray[np.intp], k: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw cases with replacement within each class; return how often each was drawn."""
    times = np.zeros(len(truth), dtype=np.int64)
    for place in range(k):
        rows = np.flatnonzero(truth == place)
        if rows.size:
            times[rows] = random.multinomial(rows.size, np.full(rows.size, 1 / rows.size))
    return times


def _times(
    read: ClassScores,
    unit: NDArray[np.intp] | None,
    stratum: NDArray[np.intp] | None,
    random: np.random.Generator,
) -> NDArray[Any]:
    """Draw whole clusters, or else cases; return how often each case counts."""
    if unit is None:
        return _drawn(read.truth, read.n_classes, random)
    n = int(unit.max()) + 1 if stratum is None else len(stratum)
    return drawn_again(n, stratum, 1, random)[0, unit]


def _folds(fold: Any, kept: NDArray[np.bool_], unit: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Return the fold of each case that counts."""
    codes = read_clusters("fold", fold, len(kept))
    if unit is not None:
        rule, remedy = "has no meaning beside clusters, which are drawn whole", "leave out one"
        raise InvalidArgumentError.from_rule("fold", rule, "both", remedy)
    if not codes.any():
        rule, remedy = "must name at least two folds", "leave it out"
        raise InvalidArgumentError.from_rule("fold", rule, 1, remedy)
    return np.unique(codes[kept], return_inverse=True)[1]


def _other_folds(fold: NDArray[np.intp]) -> Iterator[NDArray[np.int64]]:
    """Yield, for each fold, that every case of the others counts once."""
    for k in range(int(fold.max()) + 1):
        yield (fold != k).astype(np.int64)


def _unjudged(read: ClassScores, table: ClassTable) -> str | None:
    """Say which classes have no case that was out of any bag."""
    both = zip(read.labels, read.class_counts.tolist(), table.class_counts.tolist(), strict=True)
    lost = {label: count for label, count, judged in both if count and not judged}
    if not lost:
        return None
    if set(lost.values()) == {1}:
        return f"a single case of {listed([*lost])} cannot be both in and out of the bag"
    return f"no case of {listed([*lost])} was out of the bag: draw more samples"

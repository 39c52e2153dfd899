"""How much a best threshold depends on the sample: bootstrap of cut points."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._checks import DRAWS, confidence, each_of, generator, whole_number
from baserate._result import Result
from baserate.cases.arrays import read_arrays
from baserate.curves.cut_points import Sweep, as_sweep, need_both_classes
from baserate.curves.score_bins import need_scores
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.optimism import Units, World, best_rules, bootstrap, calibrated, gaps
from baserate.tuning.targets import (
    Constraint,
    Values,
    all_hold,
    check_target,
    constraints_of,
    maximisers,
    no_cut,
    oriented,
)

FINEST = 2048  # cut points per class that samples are searched at, evenly spread over its cases
BLOCK = 1 << 19  # tables held at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdSpread(Result):
    """The best thresholds of bootstrap samples.

    Attributes
    ----------
    metric : str
    thresholds : array
        One per sample that has a best threshold.
    mean, sd, low, high : float
        Of the thresholds; low and high are the observed thresholds that hold at least the share
        `confidence_level` of them. An infinite threshold calls nothing positive (nan does where
        infinity is itself a score); then mean and sd may be infinite or nan, low and high hold.
    value : float
        The metric at the best threshold, on the same cases.
    corrected : float
        What to expect of this cut: the metric at its recall and false positive rate in the
        population, with the classes in the same ratio. It is `value` less the optimism of having
        chosen it here: the gap between bootstrap samples and the data at the samples' own best
        cuts, scaled up by what such a gap misses in a model world (two normal classes with the
        same ROC AUC, class totals and ties), and kept within the bounds of the metric. nan if no
        sample of the model world has a best cut.
    optimism : float
        How much `value` flatters: value - corrected, or corrected - value where less is better.
    """

    metric: str
    thresholds: NDArray[Any]
    mean: float
    sd: float
    low: float
    high: float
    value: float
    optimism: float
    corrected: float


def threshold_spread(
    metric: str | Metric,
    y_true: Any,
    y_score: Any = None,
    *,
    rng: Any,
    n_resamples: int = 200,
    constraint: Any = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    strata: Any = None,
    cluster: Any = None,
) -> ThresholdSpread:
    """Return the spread of the best threshold over bootstrap samples, and its optimism.

    Cases are drawn with replacement within each class, so no sample lacks a class; with weights or
    clusters, cases with their weights or whole clusters are drawn, of both classes, or within each
    stratum one cluster less than it has, each of which counts for that much more. Of more than
    4,096 distinct scores, samples are cut at 4,096 that spread evenly over the cases of each class
    (at every positive, if these are no more than 2,048). Counted scores are cut between their bins,
    if there are more than 4,096 of them.

    Parameters
    ----------
    metric : Metric or str
    y_true, y_score : array-like
        Labels and scores of whole cases; or a `Sweep` of them alone.
    rng : seed or numpy.random.Generator
    n_resamples : int
    constraint : str or sequence of str, optional
    confidence_level : float
    pos_label, sample_weight : optional
        As in `sweep`.
    strata : array-like of shape (n,), optional
        What the clusters of a survey were drawn in, two or more in each.
    cluster : array-like of shape (n,), optional
        Cases of one cluster are alike.

    Raises
    ------
    DataError, InvalidArgumentError
        A sweep that holds weights, one class only, or the metric has no best cut point; a stratum
        has a single cluster.
    UnsupportedError
        No cut point meets the constraints, or the metric is undefined at all of them.

    References
    ----------
    Efron (1983), doi:10.1080/01621459.1983.10477973 (optimism). Hall and Martin (1988),
    doi:10.1093/biomet/75.4.661 (calibrating the bootstrap). Why it sees only a part: Abrevaya and
    Huang (2005), Econometrica 73:1175. Rao and Wu (1988), JASA 83:231, for strata.

    Examples
    --------
    >>> from baserate.tuning import threshold_spread
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> spread = threshold_spread("accuracy", y_true, y_score, rng=0)
    >>> bool(spread.low <= spread.mean <= spread.high), bool(spread.corrected < spread.value)
    (True, True)
    """
    swept, units = as_sweep(y_true, y_score, pos_label, sample_weight), None
    drawn = {"strata": strata, "cluster": cluster}
    keys = {name: column for name, column in drawn.items() if column is not None}
    if y_score is None and keys:
        name = next(iter(keys))
        rule, remedy = "has no meaning beside a sweep", f"pass labels and scores, with {name}"
        raise InvalidArgumentError.from_rule(name, rule, type(keys[name]).__name__, remedy)
    if sample_weight is not None or keys:
        scores = {"score": y_score}
        read = read_arrays(y_true, scores=scores, sample_weight=sample_weight, keys=keys)
        units = Units.of_cases(read.binary(pos_label))
    found = threshold_spreads(
        [metric], swept, n_resamples=n_resamples, rng=rng, constraint=constraint,
        confidence_level=confidence_level, units=units,
    )  # fmt: skip
    return found[0]


def threshold_spreads(
    metrics: Iterable[str | Metric],
    swept: Sweep,
    *,
    rng: Any,
    n_resamples: int = 200,
    constraint: Any = None,
    confidence_level: float = 0.95,
    units: Units | None = None,
) -> tuple[ThresholdSpread, ...]:
    """Return `threshold_spread` of several metrics, on the same bootstrap samples.

    `units` are what is drawn as a whole, if these are not cases that count once.
    """
    chosen, limits = (
        tuple(map(binary_metric, each_of("metrics", metrics, str | Metric))),
        constraints_of(constraint),
    )
    level = confidence(confidence_level)
    for metric in chosen:
        check_target(metric, constrained=bool(limits))
    found = [_Found.of(metric) for metric in chosen]
    thin, random, size = _resampled(swept, limits, n_resamples, rng, weighted=units is not None)
    world = World.like(thin, None if units is None else units.effective_sizes)
    drawing = None if units is None else units.drawn(thin)
    for block in _blocks(size, max(len(thin.thresholds), 0 if units is None else units.n)):
        drawn = (
            bootstrap(thin.tables, block, random)
            if drawing is None
            else drawing.sample(block, random)
        )
        model = world.sample(block, random)
        again = bootstrap(model, None, random)
        for one in found:
            rules, values = best_rules(one.metric, drawn, limits)
            one.rules.append(rules[rules >= 0])
            one.seen.append(one.upward(gaps(rules, values, one.metric(thin.tables))))
            at, truth = best_rules(one.metric, model, limits)
            one.model_true.append(one.upward(gaps(at, truth, one.metric(world.tables))))
            at, values = best_rules(one.metric, again, limits)
            one.model_seen.append(one.upward(gaps(at, values, truth)))
    return tuple(_spread(one, swept, thin.thresholds, limits, level) for one in found)


@dataclass(frozen=True, slots=True)
class _Found:
    """What samples of the data and of the model world say about one metric, block by block."""

    metric: Metric
    rules: list[NDArray[np.intp]]
    seen: list[Values]
    model_true: list[Values]
    model_seen: list[Values]

    @classmethod
    def of(cls, metric: Metric) -> Self:
        return cls(metric, [], [], [], [])

    def upward(self, gap: Values) -> Values:
        """Turn a gap so that it is positive where the sample flatters."""
        return gap if self.metric.direction == "higher" else -gap

    def optimism(self) -> float:
        parts = (self.seen, self.model_seen, self.model_true)
        return calibrated(*(np.concatenate(part) for part in parts))


def _spread(
    found: _Found,
    swept: Sweep,
    candidates: NDArray[Any],
    limits: tuple[Constraint, ...],
    level: float,
) -> ThresholdSpread:
    metric = found.metric
    upward = np.where(all_hold(limits, swept.tables), oriented(metric, metric(swept.tables)), -inf)
    best = maximisers(upward)
    if not best.size:
        raise no_cut(metric, limits, swept.tables)
    rules = _needed(found.rules, metric, limits)
    value, higher = float(metric(swept.tables[int(best[0])])), metric.direction == "higher"
    bare = value - found.optimism() if higher else value + found.optimism()
    corrected = float(np.clip(bare, *metric.bounds))
    thresholds = candidates[rules]
    numbers = thresholds.astype(float)
    # Rules count from the highest threshold down, and unlike thresholds they are always finite.
    top = int(np.quantile(rules, (1 - level) / 2, method="lower"))
    bottom = int(np.quantile(rules, (1 + level) / 2, method="higher"))
    return ThresholdSpread(
        metric=metric.name,
        thresholds=thresholds,
        mean=_mean(numbers),
        sd=_deviation(numbers),
        low=float(candidates[bottom]),
        high=float(candidates[top]),
        value=value,
        optimism=value - corrected if higher else corrected - value,
        corrected=corrected,
    )


def _mean(numbers: Values) -> float:
    """Return the mean, never beyond the numbers; nan of infinities of both signs."""
    if not np.isfinite(numbers).all():
        with np.errstate(invalid="ignore"):
            return float(numbers.mean())
    scaled, power = _scaled(numbers)
    return float(np.clip(np.ldexp(scaled.mean(), power), numbers.min(), numbers.max()))


def _deviation(numbers: Values) -> float:
    """Return the standard deviation; nan of infinities, infinite where no float holds it."""
    if not np.isfinite(numbers).all():
        return nan
    scaled, power = _scaled(numbers)
    with np.errstate(over="ignore"):
        return float(np.ldexp(scaled.std(ddof=1), power)) if len(numbers) > 1 else 0.0


def _scaled(numbers: Values) -> tuple[Values, int]:
    """Divide by a power of two, so that neither sums nor squares overflow."""
    power = int(np.frexp(np.abs(numbers).max())[1])
    return np.ldexp(numbers, -power), power


def bagged_threshold(
    metric: Metric, swept: Sweep, limits: tuple[Constraint, ...], n_resamples: int, rng: Any
) -> float:
    """Return the mean best threshold over bootstrap samples; their median if some is infinite."""
    thin, random, size = _resampled(swept, limits, n_resamples, rng)
    found: list[NDArray[np.intp]] = []
    for block in _blocks(size, len(thin.thresholds)):
        rules, _ = best_rules(metric, bootstrap(thin.tables, block, random), limits)
        found.append(rules[rules >= 0])
    rules = np.sort(_needed(found, metric, limits))
    thresholds = thin.thresholds[rules]
    if thresholds.dtype == object or not np.isfinite(thresholds).all():
        middle = thresholds[(len(rules) - 1) // 2]
        return middle if isinstance(middle, int) else float(middle)
    return _mean(thresholds)


def _resampled(
    swept: Sweep,
    limits: tuple[Constraint, ...],
    n_resamples: int,
    rng: Any,
    *,
    weighted: bool = False,
) -> tuple[Sweep, np.random.Generator, int]:
    """Check what is to be resampled; return its cut points, the generator and the samples."""
    if rng is None:
        rule = "must be given to draw bootstrap samples"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass for example 0")
    if swept.is_weighted and not weighted:
        rule = "must hold whole cases to be resampled"
        raise InvalidArgumentError.from_rule(
            "swept", rule, "weights", "pass labels and scores, with sample_weight"
        )
    need_both_classes("swept", swept)
    if not can_be_resampled(swept):
        need_scores("The spread of best cuts", swept)
    return (
        _thinned(swept, limits),
        generator(rng),
        whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS),
    )


def can_be_resampled(swept: Sweep) -> bool:
    """Whether the cut points are all there, or as many as samples are searched at anyway."""
    return swept.highest is None or len(swept.thresholds) > 2 * FINEST


def _thinned(swept: Sweep, limits: tuple[Constraint, ...] = ()) -> Sweep:
    """Keep at most FINEST cut points per class, where equally many of its cases lie between.

    As many again where constraints hold, and as far to both sides, since in samples they hold a
    little further: a capacity may leave only cut points far closer to each other than those.
    """
    last = len(swept.thresholds) - 1
    if last <= 2 * FINEST:
        return swept
    kept = [
        np.searchsorted(reached, np.linspace(0, reached[-1], FINEST + 1).round())
        for reached in (swept.true_positives, swept.false_positives)
    ]
    if limits:
        kept.append(_near(np.flatnonzero(all_hold(limits, swept.tables)), last))
    rules = np.unique(np.concatenate((*kept, [0, last])))
    return replace(
        swept,
        thresholds=swept.thresholds[rules],
        true_positives=swept.true_positives[rules],
        false_positives=swept.false_positives[rules],
        squared_weights=swept.squared_weights
        and (swept.squared_weights[0][rules], swept.squared_weights[1][rules]),
        highest=None,  # tables are exact at every cut point that is kept
        rows=None,
    )


def _near(usable: NDArray[np.intp], last: int) -> NDArray[np.intp]:
    """Return at most FINEST rules around those that may be used, evenly spaced."""
    if not usable.size:
        return usable
    around = int(usable[-1] - usable[0]) + 1
    ends = max(0, int(usable[0]) - around), min(last, int(usable[-1]) + around)
    return np.linspace(*ends, FINEST).round().astype(np.intp)


def _blocks(samples: int, rules: int) -> Iterator[int]:
    """Yield how many samples to draw at a time, so that memory stays bounded."""
    most = max(1, BLOCK // rules)
    for start in range(0, samples, most):
        yield min(most, samples - start)


def _needed(
    found: list[NDArray[np.intp]], metric: Metric, limits: tuple[Constraint, ...]
) -> NDArray[np.intp]:
    """Return the best rules of all samples that have one."""
    rules = np.concatenate(found)
    if not rules.size:
        raise UnsupportedError(
            f"No bootstrap sample has a cut point at which {metric.name} is defined"
            f"{' and the constraints hold' if limits else ''}: collect more cases."
        )
    return rules

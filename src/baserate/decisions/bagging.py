"""How much a best threshold depends on the sample: bootstrap of cut points."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep
from baserate.decisions.constraints import Constraint, all_hold, constraints_of, no_cut
from baserate.decisions.targets import Values, check_target, maximisers, oriented
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.models import generator


class Resampled(NamedTuple):
    """The best rule of one bootstrap sample, and its value on the cases that were not drawn."""

    rule: int
    outside: float


class Resample(NamedTuple):
    """The tables of one bootstrap sample, and of the cases that it left out."""

    drawn: ConfusionMatrix
    left_out: ConfusionMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdSpread:
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
        What to expect on new cases: mean over samples of the metric at the sample's best threshold
        on the cases that were not drawn (about 37 %). Samples where that is undefined, or where
        these lack a class, are left out; nan if all are.
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
    swept: Sweep,
    *,
    rng: Any,
    n_resamples: int = 200,
    constraint: Any = None,
    confidence_level: float = 0.95,
) -> ThresholdSpread:
    """Return the spread of the best threshold over bootstrap samples, and its optimism.

    Cases are drawn with replacement within each class, so no sample lacks a class. Each sample's
    best threshold is judged on the cases that it left out, which had no part in choosing it.

    Parameters
    ----------
    metric : Metric or str
    swept : Sweep
        Of whole cases.
    rng : seed or numpy.random.Generator
    n_resamples : int
    constraint : str or sequence of str, optional
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        The sweep holds weights or one class only, or the metric has no best cut point.
    UnsupportedError
        No cut point meets the constraints, or the metric is undefined at all of them.

    References
    ----------
    Breiman (1996), Out-of-bag estimation, University of California, Berkeley. Efron and Tibshirani
    (1997), doi:10.1080/01621459.1997.10474007 (leave-one-out bootstrap).

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> swept = sweep([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    >>> spread = threshold_spread("accuracy", swept, rng=0)
    >>> bool(spread.low <= spread.mean <= spread.high), bool(spread.corrected < spread.value)
    (True, True)
    """
    how = {"n_resamples": n_resamples, "rng": rng, "constraint": constraint}
    return threshold_spreads([metric], swept, **how, confidence_level=confidence_level)[0]


def threshold_spreads(
    metrics: Iterable[str | Metric],
    swept: Sweep,
    *,
    rng: Any,
    n_resamples: int = 200,
    constraint: Any = None,
    confidence_level: float = 0.95,
) -> tuple[ThresholdSpread, ...]:
    """Return `threshold_spread` of several metrics, on the same bootstrap samples."""
    chosen, limits = tuple(map(get, metrics)), constraints_of(constraint)
    level = number_in("confidence_level", confidence_level, "(0, 1)", "pass for example 0.95")
    for metric in chosen:
        check_target(metric, constrained=bool(limits))
    found: list[list[Resampled]] = [[] for _ in chosen]
    for sample in resamples(swept, n_resamples, rng):
        for metric, best in zip(chosen, found, strict=True):
            best.extend(best_rule(metric, sample, limits))
    return tuple(
        _spread(metric, swept, limits, best, level)
        for metric, best in zip(chosen, found, strict=True)
    )


def _spread(
    metric: Metric,
    swept: Sweep,
    limits: tuple[Constraint, ...],
    found: list[Resampled],
    level: float,
) -> ThresholdSpread:
    upward = np.where(all_hold(limits, swept.tables), oriented(metric, metric(swept.tables)), -inf)
    best = maximisers(upward)
    if not best.size:
        raise no_cut(metric, limits)
    _need(found, metric, limits)
    value = float(metric(swept.tables[int(best[0])]))
    judged = [r.outside for r in found if not isnan(r.outside)]
    corrected = float(np.mean(judged)) if judged else nan
    rules = np.array([r.rule for r in found])
    thresholds = swept.thresholds[rules]
    numbers = thresholds.astype(float)
    # Rules count from the highest threshold down, and unlike thresholds they are always finite.
    top = int(np.quantile(rules, (1 - level) / 2, method="lower"))
    bottom = int(np.quantile(rules, (1 + level) / 2, method="higher"))
    return ThresholdSpread(
        metric=metric.name,
        thresholds=thresholds,
        mean=_mean(numbers),
        sd=_deviation(numbers),
        low=float(swept.thresholds[bottom]),
        high=float(swept.thresholds[top]),
        value=value,
        optimism=value - corrected if metric.direction == "higher" else corrected - value,
        corrected=corrected,
    )


def _mean(numbers: Values) -> float:
    """Return the mean; nan of infinities of both signs."""
    with np.errstate(invalid="ignore"):
        return float(numbers.mean())


def _deviation(numbers: Values) -> float:
    if not np.isfinite(numbers).all():
        return nan
    return float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0


def bagged_threshold(
    metric: Metric, swept: Sweep, limits: tuple[Constraint, ...], n_resamples: int, rng: Any
) -> float:
    """Return the mean best threshold over bootstrap samples; their median if some is infinite."""
    samples = resamples(swept, n_resamples, rng)
    found = [best for sample in samples for best in best_rule(metric, sample, limits)]
    _need(found, metric, limits)
    rules = np.sort([r.rule for r in found])
    thresholds = swept.thresholds[rules]
    if thresholds.dtype == object or not np.isfinite(thresholds).all():
        middle = thresholds[(len(rules) - 1) // 2]
        return middle if isinstance(middle, int) else float(middle)
    return float(thresholds.mean())


def best_rule(
    metric: Metric, sample: Resample, limits: tuple[Constraint, ...]
) -> Iterator[Resampled]:
    """Yield the best cut point of one bootstrap sample, if it has one."""
    upward = oriented(metric, metric(sample.drawn))
    best = maximisers(np.where(all_hold(limits, sample.drawn), upward, -inf))
    if best.size:
        rule = int(best[0])
        judged = sample.left_out[rule]
        both = judged.n_positive > 0 and judged.n_negative > 0
        yield Resampled(rule, float(metric(judged)) if both else nan)


def resamples(swept: Sweep, n_resamples: int, rng: Any) -> Iterator[Resample]:
    """Yield the tables of bootstrap samples: both classes drawn with replacement."""
    if rng is None:
        rule = "must be given to draw bootstrap samples"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass for example 0")
    if swept.is_weighted:
        rule = "must hold whole cases to be resampled"
        raise InvalidArgumentError.from_rule("swept", rule, "weights", "sweep without weights")
    if not (swept.n_positive and swept.n_negative):
        rule, lacking = "must hold both classes", "negatives" if swept.n_positive else "positives"
        given = f"a sweep without {lacking}"
        raise InvalidArgumentError.from_rule("swept", rule, given, "collect the other class")
    random = generator(rng)
    for _ in range(whole_number("n_resamples", n_resamples, minimum=1)):
        (tp, tp_out), (fp, fp_out) = (
            _drawn(reached, random) for reached in (swept.true_positives, swept.false_positives)
        )
        yield Resample(_tables(tp, fp), _tables(tp_out, fp_out))


def _drawn(reached: Any, random: np.random.Generator) -> tuple[Any, Any]:
    """Draw the cases of one class; count those drawn and those left out down to each threshold.

    Cases are numbered from the highest score down, so that `reached` says where each rule ends.
    """
    total = int(reached[-1])
    times = np.bincount(random.integers(total, size=total), minlength=total)
    return tuple(_lead(np.cumsum(count))[reached] for count in (times, times == 0))


def _lead(running: Any) -> Any:
    return np.concatenate(([0], running))


def _tables(tp: Any, fp: Any) -> ConfusionMatrix:
    return ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)


def _need(found: list[Resampled], metric: Metric, limits: tuple[Constraint, ...]) -> None:
    if not found:
        raise UnsupportedError(
            f"No bootstrap sample has a cut point at which {metric.name} is defined"
            f"{' and the constraints hold' if limits else ''}: collect more cases."
        )

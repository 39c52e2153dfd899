"""How much a best threshold depends on the sample: bootstrap of cut points."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, NamedTuple

import numpy as np

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep
from baserate.decisions.constraints import Constraint, all_hold, constraints_of
from baserate.decisions.targets import Values, check_target, maximisers, oriented
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.models import generator


class Resampled(NamedTuple):
    """The best rule of one bootstrap sample, its value there and on the cases themselves."""

    rule: int
    inside: float
    outside: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdSpread:
    """The best thresholds of bootstrap samples.

    Attributes
    ----------
    metric : str
    thresholds : array
        One per sample that has a best threshold.
    mean, sd, low, high : float
        Of the thresholds; low and high are quantiles at `confidence_level`.
    value : float
        The metric at the best threshold, on the same cases.
    optimism : float
        How much better (in the metric's own direction) a best threshold looks on the cases that
        chose it than on others: mean over samples of the value inside less the value on all cases.
    corrected : float
        value - optimism: what to expect on new cases.
    """

    metric: str
    thresholds: Values
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

    Cases are drawn with replacement within each class, so no sample lacks a class.

    Parameters
    ----------
    metric : Metric or str
    swept : Sweep
        Of whole cases.
    rng : seed or numpy.random.Generator
    n_resamples : int
    constraint : str or sequence of str, optional
    confidence_level : float

    References
    ----------
    Efron (1983), doi:10.1080/01621459.1983.10477973 (optimism).

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
    for tables in resamples(swept, n_resamples, rng):
        for metric, best in zip(chosen, found, strict=True):
            best.extend(best_rule(metric, swept, tables, limits))
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
    _need(found, metric, limits)
    thresholds = swept.thresholds[[r.rule for r in found]].astype(float)
    upward = np.where(all_hold(limits, swept.tables), oriented(metric, metric(swept.tables)), -inf)
    value = float(metric(swept.tables[int(maximisers(upward)[0])]))
    optimism = float(np.mean([r.inside - r.outside for r in found]))
    low, high = np.quantile(thresholds, [(1 - level) / 2, (1 + level) / 2])
    return ThresholdSpread(
        metric=metric.name,
        thresholds=thresholds,
        mean=float(thresholds.mean()),
        sd=float(thresholds.std(ddof=1)) if len(thresholds) > 1 else 0.0,
        low=float(low),
        high=float(high),
        value=value,
        optimism=optimism,
        corrected=value - optimism,
    )


def bagged_threshold(
    metric: Metric, swept: Sweep, limits: tuple[Constraint, ...], n_resamples: int, rng: Any
) -> float:
    """Return the mean best threshold over bootstrap samples."""
    samples = resamples(swept, n_resamples, rng)
    found = [best for tables in samples for best in best_rule(metric, swept, tables, limits)]
    _need(found, metric, limits)
    return float(np.mean(swept.thresholds[[r.rule for r in found]].astype(float)))


def best_rule(
    metric: Metric, swept: Sweep, tables: ConfusionMatrix, limits: tuple[Constraint, ...]
) -> Iterator[Resampled]:
    """Yield the best finite cut point of one bootstrap sample, if it has one."""
    inside = np.asarray(metric(tables), dtype=float)
    finite = np.isfinite(swept.thresholds.astype(float))
    upward = np.where(finite & all_hold(limits, tables), oriented(metric, inside), -inf)
    best = maximisers(upward)
    if best.size:
        rule = int(best[0])
        outside = float(metric(swept.tables[rule]))
        if not isnan(outside):
            yield Resampled(rule, float(inside[rule]), outside)


def resamples(swept: Sweep, n_resamples: int, rng: Any) -> Iterator[ConfusionMatrix]:
    """Yield the tables of bootstrap samples: both classes drawn with replacement."""
    if rng is None:
        rule = "must be given to draw bootstrap samples"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass for example 0")
    if swept.is_weighted:
        rule = "must hold whole cases to be resampled"
        raise InvalidArgumentError.from_rule("swept", rule, "weights", "sweep without weights")
    random = generator(rng)
    for _ in range(whole_number("n_resamples", n_resamples, minimum=1)):
        reached = (swept.true_positives, swept.false_positives)
        tp, fp = (_drawn(cases, random) for cases in reached)
        yield ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)


def _drawn(reached: Any, random: np.random.Generator) -> Any:
    steps = np.diff(reached, prepend=0)
    total = int(reached[-1])
    return np.cumsum(random.multinomial(total, steps / total)) if total else reached


def _need(found: list[Resampled], metric: Metric, limits: tuple[Constraint, ...]) -> None:
    if not found:
        raise UnsupportedError(
            f"No bootstrap sample has a cut point at which {metric.name} is defined"
            f"{' and the constraints hold' if limits else ''}: collect more cases."
        )

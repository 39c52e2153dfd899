"""How much a best threshold depends on the sample: bootstrap of cut points."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
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
    metric, limits = get(metric), constraints_of(constraint)
    level = number_in("confidence_level", confidence_level, "(0, 1)", "pass for example 0.95")
    check_target(metric, constrained=bool(limits))
    found = list(resampled(metric, swept, limits, n_resamples, rng))
    thresholds = swept.thresholds[[r.rule for r in found]]
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
    rules = [r.rule for r in resampled(metric, swept, limits, n_resamples, rng)]
    return float(np.mean(swept.thresholds[rules]))


def resampled(
    metric: Metric, swept: Sweep, limits: tuple[Constraint, ...], n_resamples: int, rng: Any
) -> Iterator[Resampled]:
    """Yield the best finite cut point of each bootstrap sample that has one."""
    if rng is None:
        rule = "must be given to draw bootstrap samples"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass for example 0")
    random, values = generator(rng), np.asarray(metric(swept.tables), dtype=float)
    finite = np.isfinite(swept.thresholds.astype(float))
    found = 0
    for _ in range(whole_number("n_resamples", n_resamples, minimum=1)):
        tables = _resample(swept, random)
        inside = np.asarray(metric(tables), dtype=float)
        upward = oriented(metric, inside)
        best = maximisers(np.where(finite & all_hold(limits, tables), upward, -inf))
        if best.size and not np.isnan(values[best[0]]):
            found += 1
            yield Resampled(int(best[0]), float(inside[best[0]]), float(values[best[0]]))
    if not found:
        raise UnsupportedError(
            f"No bootstrap sample has a cut point at which {metric.name} is defined"
            f"{' and the constraints hold' if limits else ''}: collect more cases."
        )


def _resample(swept: Sweep, random: np.random.Generator) -> ConfusionMatrix:
    """Draw both classes with replacement, by how many cases each score has."""
    tables = swept.tables
    if swept.is_weighted:
        rule = "must hold whole cases to be resampled"
        raise InvalidArgumentError.from_rule("swept", rule, "weights", "sweep without weights")
    tp, fp = (_drawn(np.asarray(cell), random) for cell in (tables.tp, tables.fp))
    return ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)


def _drawn(reached: Any, random: np.random.Generator) -> Any:
    steps = np.diff(reached, prepend=0)
    total = int(reached[-1])
    return np.cumsum(random.multinomial(total, steps / total)) if total else reached

"""What clusters and replicate weights make of any metric: variance, design effect, interval.

Cases of one cluster (images of a patient, runs of a question) are alike, so that they say less than
as many independent cases. A metric is recomputed with each cluster left out; how much it changes
says how far it would move with other clusters.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr, stdtrit

from baserate.cases.clusters import Design
from baserate.counts import CELLS, ConfusionMatrix
from baserate.inference.credible_limits import TOLERANCE
from baserate.inference.limits import flat, limits
from baserate.inference.linearity import deciding_share
from baserate.inference.simulation import bootstrap_of_clusters
from baserate.metrics import Metric

Array = NDArray[np.float64]

STEP = 1e-6  # relative, of a difference that takes ten digits
EMPTY = 1e-12  # share of a cell that rounding leaves when its last cluster goes
ALONE = "all cases lie in one cluster"
DECIDES = "it is undefined without one of the clusters"
NO_REPLICATE = "no replicate differs, which says nothing of how sure it is"


class Changes(NamedTuple):
    """How much a metric changes with each cluster left out, or under each set of replicate weights.

    What two tables of one sample differ in changes with the same clusters: see `minus`.

    Attributes
    ----------
    units : array of int
        As in `Design`.
    values : array
        nan where the metric is undefined without a cluster.
    scale : array
        What each squared change counts: 1 for clusters.
    known_degrees : float or None
    n_units : int
    """

    units: NDArray[np.intp]
    values: Array
    scale: Array
    known_degrees: float | None
    n_units: int

    @property
    def variance(self) -> float:
        """Σ scale d²: for clusters the jackknife around the value itself, which errs upwards."""
        return float(self.scale @ self.values**2)

    @property
    def degrees_of_freedom(self) -> float:
        """Satterthwaite's, unless they came with replicate weights; see `satterthwaite`."""
        if self.known_degrees is not None:
            return self.known_degrees
        return satterthwaite(self.scale * self.values**2)

    @property
    def of_replicates(self) -> bool:
        """Whether they come from replicate weights."""
        return self.known_degrees is not None

    def minus(self, other: "Changes") -> "Changes":
        """Return the changes of the difference of two metrics, or of one metric at two tables."""
        units = np.union1d(self.units, other.units)
        values, scale = np.zeros(len(units)), np.ones(len(units))
        for part, sign in ((self, 1), (other, -1)):
            at = np.searchsorted(units, part.units)
            values[at] += sign * part.values
            scale[at] = part.scale
        return self._replace(units=units, values=values, scale=scale)


def satterthwaite(squares: Array) -> float:
    """Return the degrees of freedom of a sum of squares whose terms are unequal.

    3 (Σ d²)²/Σ d⁴ - 2, from the moments of normal d, between 1 and the terms less one: a few
    clusters that hold most of the positives are no more than they are.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.inference.survey_design import satterthwaite
    >>> satterthwaite(np.ones(4)), satterthwaite(np.array([9.0, 0.0, 0.0, 0.0]))
    (3.0, 1.0)
    """
    fourth = float(squares @ squares)
    found = 3 * float(squares.sum()) ** 2 / fourth - 2 if fourth > 0 else 0.0
    return float(np.clip(found, 1, max(len(squares) - 1, 1)))


def changes(metric: Metric, design: Design) -> Changes:
    """Return how much a metric changes with each cluster left out, or with replicated weights.

    The tables are brought to the same number of cases, which matters for counts only.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28:169, for the jackknife around the value itself
    (CR3) and Satterthwaite's degrees of freedom. Hinkley (1977), Technometrics 19:285,
    doi:10.1080/00401706.1977.10489550, for degrees of freedom from the changes themselves.
    """
    total, tables = design.total, design.tables
    if design.scale is None:
        tables = total - tables
        tables[tables < EMPTY * total] = 0.0
    size = tables.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        tables = np.where(size > 0, tables * (total.sum() / size), 0.0)
    values = metric(_batch(total[None]))[0] - metric(_batch(tables))
    scale = np.ones(len(values)) if design.scale is None else design.scale
    return Changes(design.units, values, scale, design.known_degrees, design.n_units)


def slopes(metric: Metric, total: Array) -> Array:
    """Return the derivative of a metric in each cell; 0 in a cell without cases.

    By differences, so that any formula has them. The linearised variance of the metric is
    slopes @ covariance @ slopes.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.inference.survey_design import slopes
    >>> from baserate.metrics import get
    >>> slopes(get("recall"), np.array([3.0, 1.0, 5.0, 5.0])).round(6).tolist()
    [0.0625, -0.1875, 0.0, 0.0]
    """
    steps = STEP * np.diag(total)
    up, down = (metric(_batch(total + sign * steps)) for sign in (1, -1))
    return np.divide(up - down, 2 * STEP * total, out=np.zeros(4), where=total > 0)


def design_effect(metric: Metric, design: Design) -> float:
    """Return how many times the variance of as many independent cases of weight one this is.

    Both variances are linearised. Each case a cluster of its own, the design effect is 1; m equal
    cases in each cluster, and it is m. nan where the metric does not vary.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley. Rao and Scott (1992), Biometrics 48:577,
    doi:10.2307/2532311, for ratios of cases in clusters. Obuchowski (1998), Statistics in Medicine
    17:1495, doi:10.1002/(SICI)1097-0258(19980715)17:13<1495::AID-SIM863>3.0.CO;2-I.

    Examples
    --------
    >>> from baserate.inference import design_effect
    >>> from baserate.cases import read_arrays
    >>> sick, test, patient = [1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0], "aabbcc"
    >>> cases = read_arrays(sick, {"test": test}, keys={"cluster": list(patient)}).binary()
    >>> from baserate.metrics import get
    >>> round(design_effect(get("recall"), cases.counted().design), 6)  # 2, and 3/2 for 6/5
    2.5
    """
    slope, total = slopes(metric, design.total), design.total
    variance = float(slope @ design.covariance() @ slope)
    return effect_of(variance, slope, total, design.n_cases)


def effect_of(variance: float, slope: Array, total: Array, n_cases: int) -> float:
    """Return a linearised variance over that of independent cases of weight one.

    `slope` is the derivative in each cell, and `total` what the cells hold.
    """
    weight = total.sum()
    if n_cases < 2 or not weight:
        return np.nan
    alone = (slope * slope) @ total - (slope @ total) ** 2 / weight
    alone *= weight / (n_cases - 1)
    return float(variance / alone) if alone > STEP * STEP * weight * (slope @ slope) else np.nan


class DesignLimits(NamedTuple):
    """Both ends, and what they rest on."""

    low: float
    high: float
    degrees_of_freedom: float


class GuessingTest(NamedTuple):
    """Two tails of one test: that guessing does as well, and as badly."""

    p_value: float
    p_reversed: float


def guessing_test(design: Design) -> GuessingTest:
    """Return whether truth and prediction go together, if whole clusters are independent.

    The score u_c = Σ (y - ȳ)(p - p̄) of each cluster, summed, over the root of Σ u_c²: Student's
    law with as many degrees of freedom as clusters less one. One cluster with most of the cases
    pulls both means to itself and hides its own share, so that this alone errs up to 24% of the
    time at 5%. So the covariance is also held against its jackknife over clusters, with
    Satterthwaite's degrees of freedom, and the larger p-value counts: 6 to 9% then. Approximate;
    alarms that are frequent in one cluster and rare in another are no evidence, which Fisher's
    exact test takes them for.
    nan where only one class, or only one decision, occurs.

    References
    ----------
    Rotnitzky and Jewell (1990), Biometrika 77:485, doi:10.1093/biomet/77.3.485, for score tests of
    cases in clusters.
    """
    n, of_clusters = design.total.sum(), design.tables
    positive, alarms = (design.total[[0, i]].sum() / n if n else np.nan for i in (1, 2))
    if not (0 < positive < 1 and 0 < alarms < 1):
        return GuessingTest(np.nan, np.nan)
    moves, covariance = _moves_of_covariance(design), float(_covariance(design.total))
    if design.scale is not None:
        return tails_of_units(None, covariance, moves)
    scores = of_clusters[:, 0] - alarms * (of_clusters[:, 0] + of_clusters[:, 1])
    scores += positive * (alarms * of_clusters.sum(axis=1) - of_clusters[:, 0] - of_clusters[:, 2])
    return tails_of_units(scores / n, covariance, moves)


def tails_of_units(scores: Array | None, covariance: float, moves: Changes) -> GuessingTest:
    """Return both tails, given the covariance of truth and prediction and how it moves.

    `scores` are the shares of each cluster in it; None for replicate weights.
    """
    jackknife = _jackknifed(covariance, moves)
    if scores is None:
        return _tails([jackknife])
    size, clusters = np.sqrt(scores @ scores), len(scores)
    if clusters < 2 or not size > EMPTY:
        return GuessingTest(np.nan, np.nan)
    return _tails([(clusters - 1.0, scores.sum() / size), jackknife])


def _tails(laws: list[tuple[float, float]]) -> GuessingTest:
    """Return the larger of each tail of Student's laws, given degrees of freedom and t."""
    known = [law for law in laws if not np.isnan(law[1])]
    if not known:
        return GuessingTest(np.nan, np.nan)
    tails = (max(float(stdtr(df, sign * t)) for df, t in known) for sign in (-1, 1))
    return GuessingTest(*tails)


def _jackknifed(covariance: float, moves: Changes) -> tuple[float, float]:
    """Return degrees of freedom and t of the covariance; nan where it does not vary."""
    error = np.sqrt(moves.variance)
    return moves.degrees_of_freedom, float(covariance / error if error > EMPTY else np.nan)


def _covariance(tables: Array) -> Any:
    """Return the covariance of truth and prediction of each table."""
    with np.errstate(all="ignore"):  # the only cluster leaves nothing
        tp, fn, fp, tn = np.moveaxis(tables / tables.sum(axis=-1, keepdims=True), -1, 0)
        return tp * tn - fn * fp


def _moves_of_covariance(design: Design) -> Changes:
    """Return how much it changes with each cluster left out, or under replicate weights."""
    if design.scale is not None:
        values = _covariance(design.total) - _covariance(design.tables)
        return Changes(design.units, values, design.scale, design.known_degrees, design.n_units)
    kept = design.tables.any(axis=1)
    values = _covariance(design.total) - _covariance(design.total - design.tables[kept])
    return Changes(design.units[kept], values, np.ones(len(values)), None, design.n_units)


def design_limits(metric: Metric, design: Design, confidence_level: float) -> DesignLimits | None:
    """Return a Student interval from the jackknife over clusters, or from replicate weights.

    On the logit scale between the bounds of the metric (Fisher's z for correlations, logarithms
    where there is one bound), so that no end passes a bound. None where the value is a bound or
    does not vary, which says nothing of how alike the cases of a cluster are; nan where the metric
    is undefined without one of the clusters.

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24:193, for Student's quantile on a transformed
    scale with the design's degrees of freedom. Donner and Klar (2000), Design and Analysis of
    Cluster Randomization Trials in Health Research, Arnold.
    """
    value = float(metric(ConfusionMatrix(**dict(zip(CELLS, design.total, strict=True)))))
    return student_limits(value, changes(metric, design), metric.bounds, confidence_level)


def student_limits(
    value: float, found: Changes, bounds: tuple[float, float], confidence_level: float
) -> DesignLimits | None:
    """Return the same of any number, given how it changes with each cluster left out."""
    error, degrees = np.sqrt(found.variance), found.degrees_of_freedom
    low, high = bounds
    if np.isnan(error) or len(found.values) < 2:
        return DesignLimits(np.nan, np.nan, np.nan)
    if not error > EMPTY * abs(value) or not low < value < high:
        return None
    far = float(stdtrit(degrees, (1 + confidence_level) / 2)) * error
    return DesignLimits(*_around(value, far, low, high), degrees)


def _around(value: float, far: float, low: float, high: float) -> tuple[float, float]:
    """Go as far on both sides, on a scale on which the bounds are at infinity."""
    up, down = value - low, high - value
    if np.isinf(up) and np.isinf(down):
        return value - far, value + far
    if np.isinf(down):
        return low + up * np.exp(-far / up), low + up * np.exp(far / up)
    if np.isinf(up):
        return high - down * np.exp(far / down), high - down * np.exp(-far / down)
    middle, far = np.log(up / down), far * (high - low) / (up * down)
    return tuple(low + (high - low) * expit(middle + sign * far) for sign in (-1, 1))


def by_design(
    metric: Metric,
    design: Design,
    confidence_level: float,
    rng: np.random.Generator | None,
    n_resamples: int,
) -> dict[str, Any]:
    """Return what `baserate.interval` says of a metric of cases in clusters, by name.

    Without `rng` from the jackknife, and where that is blind from as many cases as clusters.
    """
    table = ConfusionMatrix(**dict(zip(CELLS, design.total.tolist(), strict=True)))
    value = float(metric(table))
    if np.isnan(value):
        reason, nothing = metric.undefined_reason(table), dict.fromkeys(("low", "high"), np.nan)
        return {"value": value, **nothing, "route": "undefined", "reason": reason}
    if rng is not None:
        tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
        (low, high), error, undefined = bootstrap_of_clusters(
            metric, design, tails, rng=rng, n_resamples=n_resamples
        )
        parts = {"low": low, "high": high, "error": error, "undefined": undefined}
        parts["route"] = "percentile"
    else:
        parts = _by_jackknife(metric, design, confidence_level, table)
    effect = parts.setdefault("design_effect", design_effect(metric, design))
    return {"value": value, **parts, **_effective(metric, design, effect)}


def _by_jackknife(
    metric: Metric, design: Design, level: float, table: ConfusionMatrix
) -> dict[str, Any]:
    found = student_parts(float(metric(table)), changes(metric, design), metric.bounds, level)
    if found is not None:
        return found
    row, scale = flat(table), least_cases_per_weight(metric, design)
    squared = ConfusionMatrix(**{cell: getattr(row, cell) / scale for cell in CELLS})
    value = np.atleast_1d(metric(row))
    how: Any = {"method": "bayes", "tolerance": TOLERANCE, "value": value}
    ends = limits(metric, row, squared, level, **how)
    found = {name: np.asarray(part).item() for name, part in ends._asdict().items()}
    return {**found, "design_effect": design.n_cases / (scale * design.total.sum())}


def student_parts(
    value: float, found: Changes, bounds: tuple[float, float], level: float
) -> dict[str, Any] | None:
    """Return ends and route, or why there are none, by name; None where clusters all agree."""
    ends = student_limits(value, found, bounds, level)
    if ends is not None:
        lost = np.isnan(ends.low)
        reason = ALONE if len(found.units) < 2 else DECIDES
        how = {"route": "undefined", "reason": reason} if lost else {"route": "student"}
        return {**ends._asdict(), **how}
    if not found.of_replicates:
        return None
    nothing = dict.fromkeys(("low", "high", "design_effect"), np.nan)
    return {**nothing, "route": "undefined", "reason": NO_REPLICATE}


def _effective(metric: Metric, design: Design, effect: float) -> dict[str, float]:
    """Return how many independent cases say as much, of those that a share is taken of."""
    share, total = deciding_share(metric), design.total.sum()
    cells = CELLS if share is None else share[0] + share[1]
    part = sum(design.total[CELLS.index(cell)] for cell in cells) / total
    return {"effective_n": float(design.n_cases * part / effect) if effect > 0 else np.nan}


def least_cases_per_weight(metric: Metric, design: Design) -> float:
    """Return Σ n_c/Σ n_c²: each cluster counts as one case, as if all its cases were equal.

    Of the cells that decide the metric if it is a share, else of the class where that is least.
    It holds where nothing varies between clusters, and so nothing tells how alike their cases are.
    """
    share = deciding_share(metric)
    sides = (("tp", "fn"), ("fp", "tn"), CELLS) if share is None else (share[0] + share[1],)
    sizes = [design.tables[:, [CELLS.index(cell) for cell in side]].sum(axis=1) for side in sides]
    return min(float(size.sum() / (size @ size)) for size in sizes if size.any())


def _batch(tables: Array) -> ConfusionMatrix:
    return ConfusionMatrix(**dict(zip(CELLS, tables.T, strict=True)))

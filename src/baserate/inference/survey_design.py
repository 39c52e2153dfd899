"""What clusters and replicate weights make of any metric: variance, design effect, interval.

Cases of one cluster (images of a patient, runs of a question) are alike, so that they say less than
as many independent cases. A metric is recomputed with each cluster left out; how much it changes
says how far it would move with other clusters.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtr

from baserate._arrays import Array, Index
from baserate.cases.clusters import ClassDesign, Design
from baserate.cases.units import EMPTY, ROUNDING, TABLES, Floor, Law, moving, of_runs, spread
from baserate.counts import CELLS, ConfusionMatrix, of_four
from baserate.inference.linearity import deciding_share
from baserate.inference.metric_limits import flat, limits
from baserate.inference.simulation import bootstrap_of_clusters
from baserate.metrics import Metric

STEP = 1e-6  # relative, of a difference that takes ten digits
NO_REPLICATE = "no replicate differs, which says nothing of how sure it is"
NO_RUN = "no item or run differs, which says nothing of how sure it is"


def law_of(metric: Metric, design: Design) -> Law:
    """Return a metric, and how much it moves without each cluster, or with replicated weights.

    The tables are brought to the same number of cases, which matters for counts only. Bell and
    McCaffrey (2002), Survey Methodology 28:169, for the jackknife around the value itself (CR3) and
    Satterthwaite's degrees of freedom; Hinkley (1977), Technometrics 19:285,
    doi:10.1080/00401706.1977.10489550, for degrees of freedom from the changes themselves.
    """
    total, tables = design.total, design.tables
    if design.of_clusters:
        tables = total - tables
        tables[tables < EMPTY * total] = 0.0
    size = tables.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        tables = np.where(size > 0, tables * (total.sum() / size), 0.0)
    value = float(metric(of_four(total)))
    law = law_by(design, value, value - metric(of_four(tables.T)), metric.bounds)
    floor = _floor(metric, design) if design.of_clusters else None
    if floor is None:
        return law
    # With half a cluster that is all wrong and half a cluster all right.
    positive, negative = np.add.reduceat(total, [0, 2]) / (2 * floor.clusters)
    more = total + np.array([positive, positive, negative, negative])
    return replace(law, floor=floor, centre=float(metric(of_four(more))))


def law_by(
    design: Any, value: float, moves: Array, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Law:
    """Return a law without a floor, given how a number moves with each unit of a design."""
    scale = np.ones(len(moves)) if design.scale is None else design.scale
    known = moving(design.known_degrees, scale, moves)
    return Law(value, moves, design.units, scale, bounds, known)


def _floor(metric: Metric, design: Design) -> Floor | None:
    """Return the least variance, of positives and negatives that may be alike in a cluster."""
    weight = design.total.sum()
    if not weight:
        return None
    alike = kinds(metric)
    sizes = design.tables @ (alike[:, None] == np.arange(2)) * (design.n_cases / weight)
    parts = parts_of_kinds(slopes(metric, design.total), design.total, alike)
    return Floor.of(sizes, parts * (weight / design.n_cases), TABLES)


def kinds(metric: Metric) -> Index:
    """Return which cells are cases of one kind: the true classes; all cases of a share of all."""
    share = deciding_share(metric)
    return np.array([0, 0, 0, 0] if share and len(share[0] + share[1]) == 4 else [0, 0, 1, 1])


def parts_of_kinds(slope: Array, total: Array, kind: Index, n_kinds: int = 2) -> Array:
    """Return what each kind of cases adds to the variance of independent cases of weight one each.

    `slope` is the derivative in each cell, `total` what the cells hold.
    """
    parts = np.bincount(kind, slope**2 * total, n_kinds).astype(np.float64)
    square = float(parts.sum())
    return parts * (1 - float(slope @ total) ** 2 / (total.sum() * square)) if square > 0 else parts


def slopes(metric: Metric, total: Array) -> Array:
    """Return the derivative of a metric in each cell; 0 in a cell without cases.

    By differences, so that any formula has them. The linearised variance of the metric is slopes @
    covariance @ slopes.
    """
    steps = STEP * np.diag(total)
    up, down = (metric(of_four((total + sign * steps).T)) for sign in (1, -1))
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
    >>> from baserate.cases.arrays import read_arrays
    >>> sick, test, patient = [1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0], "aabbcc"
    >>> cases = read_arrays(sick, {"test": test}, keys={"cluster": list(patient)}).binary()
    >>> from baserate.metrics import get
    >>> round(design_effect(get("recall"), cases.counted().design), 6)  # 2, and 3/2 for 6/5
    2.5
    """
    slope, total = slopes(metric, design.total), design.total
    if design.scale is None:
        variance = float(slope @ design.covariance() @ slope)
    else:
        variance = spread(design.scale, (design.tables - design.total) @ slope)
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
    return float(variance / alone) if alone > ROUNDING * weight * (slope @ slope) else np.nan


def guessing_test(design: Design | ClassDesign) -> float:
    """Return the p-value of truth and prediction that go together, whole clusters independent.

    The number of right cases beyond what independence has, Σ n_kk/n - Σ n_k. n_.k/n², is the sum
    over the classes of the covariances of being class k and being called it. Its score in each
    cluster, u_c = Σ_k Σ (y - ȳ)(p - p̄), summed, over the root of Σ u_c² (Rotnitzky and Jewell 1990,
    Biometrika 77:485, doi:10.1093/biomet/77.3.485), has Student's law with as many degrees of
    freedom as clusters less one. One cluster with most of the cases pulls both means to itself and
    hides its own share, so that this alone errs up to 24% of the time at 5% (two classes). So the
    covariance is also held against its jackknife over clusters, with Satterthwaite's degrees of
    freedom, and the larger p-value counts: 6 to 9% then. Approximate; alarms that are frequent in
    one cluster and rare in another are no evidence, which Fisher's exact test takes them for. nan
    where only one class, or only one decision, occurs.
    """
    whole = design.margins
    n, moves, scores, units = float(whole[1].sum()), list[Array](), list[Array](), list[Any]()
    truth, called = (side / n if n else np.ones(1) for side in whole[1:])
    if not (truth.max() < 1 and called.max() < 1):
        return np.nan
    covariance = float(_excess(*whole))
    for *part, at in design.parts():
        sizes = part[1].sum(axis=1)
        kept = sizes > 0
        left = [w - p for w, p in zip(whole, part, strict=True)] if design.of_clusters else part
        moves.append((covariance - _excess(*left))[kept])
        units.append(design.units[at][kept])
        score = part[0].sum(axis=1) - part[1] @ called - part[2] @ truth + sizes * (truth @ called)
        scores.append(score / n)
    known = replace(design, units=np.concatenate(units))
    law = law_by(known, covariance, np.concatenate(moves))
    tests = [(law.degrees, float(law.value / law.error))] if law.error > ROUNDING else []
    if design.of_clusters:
        every = np.concatenate(scores)
        size, clusters = np.sqrt(every @ every), len(every)
        enough = clusters > 1 and size > ROUNDING
        tests = [*tests, (clusters - 1.0, every.sum() / size)] if enough else []
    return max((float(stdtr(degrees, -t)) for degrees, t in tests), default=np.nan)


def _excess(hits: Array, truth: Array, called: Array) -> Any:
    """Return the share of right cases beyond that of independence; nan without cases."""
    n = truth.sum(axis=-1)
    with np.errstate(all="ignore"):  # the only cluster leaves nothing
        return (hits.sum(axis=-1) - (truth * called).sum(axis=-1) / n) / n


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
    table = of_four(design.total.tolist())
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
    share = deciding_share(metric)
    cells = CELLS if share is None else share[0] + share[1]
    n = design.n_cases * sum(design.total[CELLS.index(cell)] for cell in cells) / design.total.sum()
    return {"value": value, **parts, "effective_n": float(n / effect) if effect > 0 else np.nan}


def _by_jackknife(
    metric: Metric, design: Design, level: float, table: ConfusionMatrix
) -> dict[str, Any]:
    found = student_parts(law_of(metric, design), level)
    if found is not None:
        return found
    row, scale = flat(table), least_cases_per_weight(metric, design)
    squared = ConfusionMatrix(**{cell: getattr(row, cell) / scale for cell in CELLS})
    ends = limits(metric, row, squared, level)
    found = {name: np.asarray(part).item() for name, part in ends._asdict().items()}
    return {**found, "design_effect": design.n_cases / (scale * design.total.sum())}


def student_parts(law: Law, level: float) -> dict[str, Any] | None:
    """Return ends and route, or why there are none, by name; None where clusters all agree.

    Student's interval on the logit scale between the bounds of the metric (Fisher's z for
    correlations, logarithms where there is one bound), so that no end passes a bound, from the
    jackknife over clusters or from replicate weights (Korn and Graubard 1998, Survey Methodology
    24:193). Of clusters no narrower than `baserate.cases.units` allows: their cases may be more
    alike than a few of them show, and the next one all wrong.
    """
    nothing = dict.fromkeys(("low", "high"), np.nan)
    if law.lacking is not None:
        lost = {"degrees_of_freedom": np.nan, "route": "undefined", "reason": law.lacking}
        return {**nothing, **lost}
    if not law.blind:
        low, high = law.within(level)
        return {"low": low, "high": high, "degrees_of_freedom": law.degrees, "route": "student"}
    if law.known is None:
        return None
    why = NO_RUN if of_runs(law.scale) else NO_REPLICATE
    return {**nothing, "design_effect": np.nan, "route": "undefined", "reason": why}


def least_cases_per_weight(metric: Metric, design: Design) -> float:
    """Return Σ n_c/Σ n_c²: each cluster counts as one case, as if all its cases were equal.

    Of the cells that decide the metric if it is a share, else of the class where that is least.
    It holds where nothing varies between clusters, and so nothing tells how alike their cases are.
    """
    share = deciding_share(metric)
    sides = (("tp", "fn"), ("fp", "tn"), CELLS) if share is None else (share[0] + share[1],)
    sizes = [design.tables[:, [CELLS.index(cell) for cell in side]].sum(axis=1) for side in sides]
    return min(float(size.sum() / (size @ size)) for size in sizes if size.any())

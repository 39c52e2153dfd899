"""Whether smoothing helps: the reference's size and distance, and the exact risks at this n."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._beta import betainc, betainccinv, betaincinv
from baserate._checks import confidence
from baserate._result import Result, json_ready, record
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.groups.estimation import Risk, best_strength, risks, true_value
from baserate.groups.null import sides, sides_of
from baserate.groups.pseudo_cases import Estimator, Shares, best_for_cells, shares_of
from baserate.inference.metric_limits import Limits, credible_given
from baserate.inference.posterior import Evidence, Posterior
from baserate.inference.posterior_cdf import distribution
from baserate.metrics import Metric, binary_metric
from baserate.models import Multinomial
from baserate.questions.law import InheritedLaw

MOST = 25_000  # tables of which each needs a posterior: about a minute
UNLIKELY = 1e-9  # probability of all tables together that are left out
SMALL, TINY = 100, 50  # reference sizes that deserve a warning, and a strong one
SUMMABLE = 150  # largest group for which metrics that need every table are checked
STRENGTHS = (5.0, 10.0, 20.0, 40.0)

# The distinct experiments of Briscoe et al.; complements such as the miss rate add nothing.
CHECKED = (
    "accuracy",
    "base_rate",
    "predicted_positive_rate",
    "marginal_benefit",
    "recall",
    "false_positive_rate",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "prevalence_threshold",
)
ROUNDING = 1e-14  # of a variance per case that is 0
LONG = frozenset({"matthews_correlation", "prevalence_threshold"})  # need every table


class Distance(NamedTuple):
    """How far a group's shares are from the reference, and from the uniform prior."""

    reference: float
    uniform: float

    @property
    def reference_is_closer(self) -> bool:
        """Whether the reference is the better prior by this measure."""
        return self.reference < self.uniform


@dataclass(frozen=True, kw_only=True)
class Checks(Result):
    """What speaks for and against smoothing a group; everything is computed when asked for.

    Attributes
    ----------
    group : ConfusionMatrix
    reference : Shares
    reference_size : float or None
    strength : float

    Notes
    -----
    Risks are exact for samples of this size from a population with the group's observed shares. A
    small group's shares are themselves uncertain, and look further from the reference than they
    are; so the checks are cautious.
    """

    group: ConfusionMatrix
    reference: Shares
    reference_size: float | None
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict, and what it rests on, as plain JSON values."""
        found: dict[str, Any] = {"helps": self.helps, "ratios": dict(self.ratios)}
        found |= {"unjudged": list(self.unjudged), "size_warning": self.size_warning}
        found |= {"distances": {k: one._asdict() for k, one in self.distances.items()}}
        return record(self) | {"reference": self.reference._asdict()} | json_ready(found)

    @property
    def size_warning(self) -> str | None:
        """What to think of the reference's size; None if it holds 100 cases or more."""
        n = self.reference_size
        if n is None:
            return "The size of the reference is not known: pass its table to have it checked."
        if n >= SMALL:
            return None
        if n >= TINY:
            return f"The reference has only {n:g} cases: its own shares are uncertain (below 100)."
        return (
            f"The reference has only {n:g} cases, too few to lean on (below 50): collect more, or "
            "smooth towards all other groups together."
        )

    @cached_property
    def distances(self) -> Mapping[str, Distance]:
        """Distances from the observed shares: L1, Kullback-Leibler, of margins, of each cell."""
        p = np.array(shares_of("group", self.group))
        q, uniform = np.array(self.reference), np.full(4, 0.25)
        measures = {
            "l1": lambda x: float(np.abs(p - x).sum()),
            "kullback_leibler": lambda x: _divergence(p, x),
            "base_rate": lambda x: float(abs(p[0] + p[1] - x[0] - x[1])),
            "predicted_positive_rate": lambda x: float(abs(p[0] + p[2] - x[0] - x[2])),
        }
        found = {name: Distance(measure(q), measure(uniform)) for name, measure in measures.items()}
        apart = ((abs(p - x)).tolist() for x in (q, uniform))
        return found | {name: Distance(*ends) for name, *ends in zip(CELLS, *apart, strict=True)}

    @property
    def best_strength(self) -> float:
        """λ* = (1 - Σ p²)/Σ (p - q)² at the observed shares: the best for the cells together."""
        return best_for_cells(np.array(shares_of("group", self.group)), np.array(self.reference))

    @cached_property
    def best_strengths(self) -> Mapping[str, float]:
        """λ* of each checked metric that has one in closed form."""
        found = {name: self.best_strength_of(name) for name in CHECKED}
        return {name: best for name, best in found.items() if name not in LONG and name != "f1"}

    @cached_property
    def mse(self) -> Mapping[str, Mapping[str, float]]:
        """Exact mean squared error by metric and estimator.

        Estimators are "raw" (given that it is defined), "add_one", "strength=5", 10, 20, 40 and the
        one in use. Metrics undefined at the observed shares are left out, and in groups of more
        than 150 cases those that need a sum over every table.
        """
        found = self._risks(self._estimators)
        return {name: {r.estimator: r.mse for r in row} for name, row in found.items()}

    def _risks(self, estimators: list[Estimator]) -> Mapping[str, list[Risk]]:
        model = Multinomial(n=max(round(float(self.group.n)), 1), cells=self.group)
        return {name: risks(name, model, estimators) for name in self._metrics}

    @cached_property
    def _raw_and_used(self) -> Mapping[str, tuple[float, float]]:
        """Mean squared errors of the raw estimate and of this smoothing, by metric."""
        found = self._risks([Estimator.raw(), self._used])
        return {name: (raw.mse, used.mse) for name, (raw, used) in found.items()}

    @cached_property
    def ratios(self) -> Mapping[str, float]:
        """Mean squared error of this smoothing over that of the raw estimate, by metric.

        Without the metrics that are `unjudged`.
        """
        unjudged, errors = self.unjudged, self._raw_and_used
        return {m: used / raw for m, (raw, used) in errors.items() if m not in unjudged}

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Metrics whose raw estimate has no error at the observed shares.

        An observed rate of 0 or 1, taken as the truth, is estimated without error from any sample:
        nothing can be compared with that.
        """
        size = max(float(self.group.n), 1.0)
        return tuple(m for m, (raw, _) in self._raw_and_used.items() if raw * size <= ROUNDING)

    @property
    def helps(self) -> bool:
        """Whether some metric can be judged, and none gets a larger mean squared error."""
        return bool(self.ratios) and all(r <= 1 for r in self.ratios.values())

    def best_strength_of(self, metric: str) -> float:
        """Return λ* of a checked metric; nan if it has none in closed form."""
        if metric in LONG or metric == "f1":
            return nan
        return best_strength(metric, self.group, self.reference)

    @property
    def _metrics(self) -> list[str]:
        long = float(self.group.n) > SUMMABLE
        names = (name for name in CHECKED if not (long and name in LONG))
        return [name for name in names if not isnan(float(binary_metric(name)(self.group)))]

    @property
    def _estimators(self) -> list[Estimator]:
        given = (Estimator.toward(self.reference, strength=s) for s in STRENGTHS)
        return [Estimator.raw(), Estimator.add_one(), *given, self._used]

    @property
    def _used(self) -> Estimator:
        if not self.strength:
            return Estimator.raw()
        return Estimator.toward(self.reference, strength=self.strength)


def _divergence(p: Array, q: Array) -> float:
    """Σ p log(p/q), infinite where the prior rules out what was seen."""
    seen = p > 0
    if (q[seen] == 0).any():
        return inf
    return float((p[seen] * np.log(p[seen] / q[seen])).sum())


@dataclass(frozen=True)
class Dirichlet:
    """Shares of tp, fn, fp, tn with a Dirichlet law; counts are stated for n cases."""

    concentration: Shares
    n: float

    def limits(self, metric: Metric, level: float) -> Limits:
        """Return the equal-tailed limits of a metric."""
        if metric.proportion is None:
            return credible_given(metric, self.evidence(metric), level)
        a, b = sides_of(metric, self.concentration)
        if not (a and b):
            return Limits(float(a > 0), float(a > 0), "constant")
        tail = (1 - level) / 2
        return Limits(float(betaincinv(a, b, tail)), float(betainccinv(a, b, tail)), "beta")

    def evidence(self, metric: Metric) -> Evidence:
        """Return the independent Beta laws of base rate, recall and false positive rate."""
        tp, fn, fp, tn = self.concentration
        if not all(self.concentration):
            empty = ", ".join(c for c, a in zip(CELLS, self.concentration, strict=True) if not a)
            raise UnsupportedError(
                f"{metric.name} has no credible interval, since {empty} is 0 in both the group and "
                "the reference, and the posterior then rules it out: add half a case to each cell "
                "of the reference, or take a larger one."
            )
        return Evidence(self.n, tp + fn + fp + tn, ((tp + fn, fp + tn), (tp, fn), (fp, tn)))


def coverage(metric: Metric, model: Multinomial, prior: Shares, confidence_level: float) -> float:
    """Return the probability that the interval of a sample contains the population's value.

    An equal-tailed interval contains the true value if the posterior puts at least the share
    (1 - level)/2 on either side of it. So intervals are never solved for: the posterior's
    distribution function at the truth is enough. Samples that leave the metric undefined even after
    smoothing are left out.
    """
    level = confidence(confidence_level)
    tail, truth = (1 - level) / 2, true_value(metric, model)
    if isnan(truth):
        return nan
    below, weights = (
        _tables(metric, model, prior, truth)
        if metric.proportion is None
        else _pairs(metric, model, prior, truth)
    )
    inside = (below >= tail) & (below <= 1 - tail)
    known = ~np.isnan(below)
    return float(weights[known] @ inside[known] / weights[known].sum())


def _pairs(metric: Metric, model: Multinomial, prior: Shares, truth: float) -> tuple[Array, Array]:
    """Return P(proportion <= truth) and the weight of every pair of successes and failures."""
    first, both = sides(metric)
    a, b = sides_of(metric, prior)
    window, pairs = model.total(both).window(), []
    for total, weight in enumerate(window.pmf, window.start):
        part = model.part(first, both, total).window()
        below = _beta_cdf(part.values + a, total - part.values + b, truth)
        pairs.append((below, weight * part.pmf))
    below, weights = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return below, weights


def _beta_cdf(a: Array, b: Array, x: float) -> Array:
    """P(Beta(a, b) <= x): a side without cases makes a point of it, which covers only itself."""
    with np.errstate(invalid="ignore"):
        inner = betainc(np.where(a > 0, a, 1.0), np.where(b > 0, b, 1.0), x)
    at_zero = np.where(x == 0, 0.5, 1.0)
    at_one = np.where(x == 1, 0.5, 0.0)
    found = np.where(a > 0, np.where(b > 0, inner, at_one), at_zero)
    return np.where((a > 0) | (b > 0), found, np.nan)


def _tables(metric: Metric, model: Multinomial, prior: Shares, truth: float) -> tuple[Array, Array]:
    """Return P(metric <= truth) and the weight of every table that is likely enough."""
    size = model.n_tables
    if size > 400 * MOST:
        raise UnsupportedError(_too_many(metric, size))
    batches = list(InheritedLaw.of(metric, model).batches())
    weights = np.concatenate([batch.weights for batch in batches])
    cells = np.concatenate([np.array(batch.cells) for batch in batches], axis=1)
    order = np.argsort(weights)
    kept = order[np.cumsum(weights[order]) > UNLIKELY]
    if kept.size > MOST:
        raise UnsupportedError(_too_many(metric, kept.size))
    below = [_below(metric, Shares(*row), prior, truth) for row in cells[:, kept].T.tolist()]
    return np.array(below), weights[kept]


def _below(metric: Metric, cells: Shares, prior: Shares, truth: float) -> float:
    law = Dirichlet(Shares(*(c + p for c, p in zip(cells, prior, strict=True))), sum(cells))
    posterior = Posterior(metric, law.evidence(metric))
    plan = posterior.plan
    if plan is None or metric.trend_in_fp == "unknown":
        raise UnsupportedError(
            f"The coverage for {metric.name} has no exact route, since it is not monotone in its "
            "rates: ask for a metric that is, such as a proportion."
        )
    return float(distribution(posterior, plan)(np.array([truth]))[0])


def _too_many(metric: Metric, size: int) -> str:
    return (
        f"The coverage for {metric.name} needs the posterior of {size:,} tables, and at most "
        f"{MOST:,} are looked at: ask for a proportion such as recall, which needs none, or for a "
        "smaller group."
    )

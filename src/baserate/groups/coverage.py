"""Credible intervals under any Dirichlet posterior, and how often they are right."""

from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betainccinv, betaincinv

from baserate._checks import number_in
from baserate.counts import CELLS
from baserate.errors import UnsupportedError
from baserate.groups.estimators import Shares
from baserate.groups.risk import true_value
from baserate.inference.credible_limits import Limits, credible_given
from baserate.inference.distribution import distribution
from baserate.inference.evidence import Evidence
from baserate.inference.posterior import Posterior
from baserate.metrics import Metric
from baserate.models import Multinomial
from baserate.questions.law import Law

Array = NDArray[np.float64]

MOST = 25_000  # tables of which each needs a posterior: about a minute
UNLIKELY = 1e-9  # probability of all tables together that are left out


@dataclass(frozen=True)
class Dirichlet:
    """Shares of tp, fn, fp, tn with a Dirichlet law; counts are stated for n cases."""

    concentration: Shares
    n: float

    def limits(self, metric: Metric, level: float) -> Limits:
        """Return the equal-tailed limits of a metric."""
        if metric.proportion is None:
            return credible_given(metric, self.evidence(metric), level)
        a, b = self.sides(metric)
        if not (a and b):
            return Limits(float(a > 0), float(a > 0), "constant")
        tail = (1 - level) / 2
        return Limits(float(betaincinv(a, b, tail)), float(betainccinv(a, b, tail)), "beta")

    def sides(self, metric: Metric) -> tuple[float, float]:
        """Return both parameters of the Beta law of a proportion."""
        assert metric.proportion is not None
        cells = self.concentration._asdict()
        a, b = (sum(cells[cell] for cell in side) for side in metric.proportion)
        return a, b

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
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
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
    assert metric.proportion is not None
    first, both = frozenset(metric.proportion[0]), frozenset(sum(metric.proportion, ()))
    a, b = Dirichlet(prior, 0.0).sides(metric)
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
    batches = list(Law.of(metric, model).batches())
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

"""The posterior law of a metric at one table, by the first route that has it.

One share of cases decides the metric: an incomplete beta function. It is a weighted sum of cell
shares: one integral. It is linear in two rates: one integral of two Beta laws. It rises or falls
with the share of right cases: a product rule. Few counts leave it kinks: rules between these. Else
it is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from scipy.special import expit

from baserate._arrays import Array
from baserate._beta import betainc, betainccinv, betaincinv
from baserate.counts import CELLS, ConfusionMatrix
from baserate.inference.beta import Beta
from baserate.inference.bounded_law import BoundedLaw, DirichletLinear
from baserate.inference.linearity import HALF, at_share, cell_weights, deciding_share, rate_weights
from baserate.inference.metric_law import distribution
from baserate.inference.posterior import (
    Evidence,
    Posterior,
    cases_per_weight,
    evidence,
    is_dirichlet,
    refuse_beyond,
)
from baserate.inference.posterior_cdf import distribution_within
from baserate.inference.simulation import values_at_points
from baserate.inference.sums import TwoBetas
from baserate.metrics import Metric

ACCURACY = 1e-8  # of a distribution function by a product rule
CORNERS = 1e-7  # of one by rules between kinks
FARTHEST, HALVINGS = 700.0, 64  # logits of a share, and how often the way to it is halved


@dataclass(frozen=True, eq=False)
class PosteriorLaw:
    """P(metric <= s) and P(metric > s), how they are computed, and their error.

    Quantiles are known where the law is exact; `exact` is the law where it is one of these.
    """

    route: str
    sides: Callable[[Array], tuple[Array, Array]]
    error: float = 0.0
    quantile: Callable[[Array], Array] | None = None
    exact: BoundedLaw | None = None

    def cdf(self, s: Any) -> Array:
        """P(metric <= s)."""
        return self.sides(np.asarray(s, dtype=float))[0]

    def sf(self, s: Any) -> Array:
        """P(metric > s)."""
        return self.sides(np.asarray(s, dtype=float))[1]


def exactly(found: BoundedLaw) -> PosteriorLaw:
    """Take a law that is known."""

    def sides(s: Array) -> tuple[Array, Array]:
        return found.evaluate(s)[:2]

    constant = found.knots[0] == found.knots[-1]
    route = "constant" if constant else "exact"
    return PosteriorLaw(route, sides, quantile=found.quantile, exact=found)


def law_of(
    metric: Metric, table: ConfusionMatrix, squared: ConfusionMatrix | None = None
) -> PosteriorLaw:
    """Return the posterior law of a metric at one table at which it has a value."""
    share = deciding_share(metric)
    if share is None:
        return law_given(metric, evidence(table, squared))
    cells: dict[str, float] = dict(zip(CELLS, map(float, table), strict=True))
    scale = cases_per_weight(table, squared, share)
    x, y = (scale * sum(cells[cell] for cell in side) for side in share)
    refuse_beyond(x + y)
    return of_share(lambda p, q: at_share(metric, table, p, q), x + HALF, y + HALF)


def law_given(metric: Metric, known: Evidence) -> PosteriorLaw:
    """Return the law of a metric that no one share decides, given what is known of three rates."""
    if (found := known_law(metric, known)) is not None:
        return found
    if metric.trend_in_fp != "unknown":
        if (rule := distribution(metric, known, ACCURACY)) is not None:
            return _by_rule(*rule)
        posterior = Posterior(metric, known)
        if posterior.plan is not None:
            return _by_rule(*distribution_within(posterior, posterior.plan, CORNERS))
    return drawn("quasi-monte-carlo", values_at_points(metric, known))


def known_law(metric: Metric, known: Evidence) -> PosteriorLaw | None:
    """Return the law of a metric that is linear, or that one share decides; None of any other."""
    if (found := linear(metric, known)) is not None:
        return exactly(found)
    share = deciding_share(metric)
    if share is None or not (metric.scale_invariant and is_dirichlet(known)):
        return None
    alpha: dict[str, Any] = dict(zip(CELLS, (*known.laws[1], *known.laws[2]), strict=True))
    x, y = (float(sum(alpha[cell] for cell in side)) for side in share)
    whole = ConfusionMatrix(**dict.fromkeys(CELLS, 1))
    return of_share(lambda p, q: at_share(metric, whole, p, q), x, y)


def linear(metric: Metric, known: Evidence) -> BoundedLaw | None:
    """Return the law of a metric that is linear in cell shares, or in recall and specificity."""
    weights = cell_weights(metric)
    if weights is not None and is_dirichlet(known):
        return DirichletLinear(weights, np.concatenate(known.laws[1:]))
    rates = rate_weights(metric)
    if rates is None:
        return None
    start, parts = float(metric.on_rates(0.5, 0.5, 0.5)) - sum(rates) / 2, []
    for weight, (right, wrong) in zip(rates, (known.laws[1], known.laws[2][::-1]), strict=True):
        if weight < 0:  # of the opposite rate, with its own digits
            start += weight
            right, wrong = wrong, right  # noqa: PLW2901 - the law of the same rate
        if weight:
            parts.append((abs(weight), Beta(float(right), float(wrong))))
    if len(parts) == 2:
        (a, x), (b, y) = parts
        return TwoBetas(x, y, a, b, start)
    if not parts:
        return DirichletLinear([start], [1.0])
    [(a, x)] = parts
    return DirichletLinear([start, start + a], [x.b, x.a])


def of_share(value: Callable[[Array, Array], Any], x: float, y: float) -> PosteriorLaw:
    """Return the law of what moves one way with a share p = 1 - q, which is Beta(x, y)."""
    little, much = np.array(0.25), np.array(0.75)
    rising = float(value(much, little)) > float(value(little, much))

    def sides(s: Array) -> tuple[Array, Array]:
        low, high = np.full((2, s.size), [[-FARTHEST], [FARTHEST]])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            found = np.asarray(value(expit(middle), expit(-middle)), dtype=float)
            beyond = (found > s.ravel()) == rising
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        below, above = betainc(x, y, expit(high)), betainc(y, x, expit(-high))
        pair = (below, above) if rising else (above, below)
        return pair[0].reshape(s.shape), pair[1].reshape(s.shape)

    def quantile(level: Array) -> Array:
        p, q = (solve(x, y, level) for solve in (betaincinv, betainccinv))
        share = (p, betaincinv(y, x, 1 - level)) if rising else (q, betaincinv(y, x, level))
        return np.asarray(value(*share), dtype=float)

    return PosteriorLaw("jeffreys", sides, quantile=quantile)


def _by_rule(cdf: Callable[[Array], Array], error: float) -> PosteriorLaw:
    def sides(s: Array) -> tuple[Array, Array]:
        below = np.clip(cdf(s.ravel()), 0.0, 1.0).reshape(s.shape)
        return below, 1 - below

    return PosteriorLaw("gauss", sides, error)


def drawn(route: str, values: Array) -> PosteriorLaw:
    """Take the law that draws have where the metric is defined."""
    defined = np.sort(values[~np.isnan(values)])

    def sides(s: Array) -> tuple[Array, Array]:
        below = np.searchsorted(defined, s, side="right") / defined.size
        return below, 1 - below

    return PosteriorLaw(route, sides, HALF / sqrt(defined.size) if defined.size else nan)

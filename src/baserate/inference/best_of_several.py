"""How probably each of several is best: by laws of their yields, or drawn together."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._arrays import Array, Index
from baserate._checks import each_of, generator
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.inference.highest_of_laws import highest
from baserate.inference.utility_posterior import known_shares, yield_posterior
from baserate.metrics.utilities import decision_counts

DRAWS = 50_000
SPREADS, SCALES = 240, 16  # places at which tau, and the scale of all errors, are integrated
FINEST, COARSEST = 1e-3, 1e4  # tau, in units of the least error and of the widest distance
ALIKE = 1e-12  # relative: what is equal but for rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Best(Result):
    """Probabilities of being best, and how they were found.

    Attributes
    ----------
    probabilities : tuple of float
        For each classifier.
    standard_errors : tuple of float
        Of a simulation; zeros if the integrals are exact.
    route : {"integral", "simulation"}
    """

    probabilities: tuple[float, ...]
    standard_errors: tuple[float, ...]
    route: str


def probability_best_separate(
    tables: Any, utilities: Any, *, class_shares: Any = "pooled", prior: Any = 1.0
) -> Best:
    """P(highest yield) of classifiers that were each tested on cases of their own.

    P(k is best) = ∫ f_k(y) Π F_j(y) dy over the others j, with the exact density and distribution
    functions of the yields, on one grid for all: an error below 1e-10. The probabilities add up to
    one; where no decision matters, all are equally probable.

    `class_shares` are "pooled" (those of all tables together), "free" (each table's own) or known.
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, for the first two tables.

    Examples
    --------
    >>> from baserate.inference.best_of_several import probability_best_separate
    >>> tables = [[27, 15], [23, 35]], [[43, 18], [7, 32]], [[30, 20], [20, 30]]
    >>> found = probability_best_separate(tables, [[15, -335], [-35, 165]])
    >>> [round(p, 3) for p in found.probabilities]
    [0.565, 0.347, 0.088]
    """
    counts = [
        decision_counts("tables", table, utilities) for table in each_of("tables", tables, ())
    ]
    if len(counts) < 2 or len({table.shape for table in counts}) > 1:
        rule, given = "must be two or more of the same shape", [t.shape for t in counts]
        raise InvalidArgumentError.from_rule("tables", rule, given, "pass one per classifier")
    free = isinstance(class_shares, str) and class_shares == "free"
    shares = None if free else known_shares(class_shares, *counts)
    laws = [yield_posterior(table, utilities, prior=prior, class_shares=shares) for table in counts]
    shares_of_best = tuple(highest(laws).shares.tolist())
    errors = (0.0,) * len(laws)
    return Best(probabilities=shares_of_best, standard_errors=errors, route="integral")


def shrunken_best(
    values: Any, variances: Any, *, freedom: float = np.inf, rng: Any = 0, n_draws: int = DRAWS
) -> Best:
    """Return the probability that each of three or more has the highest expected value.

    Estimates t have normal errors, of which the variances V of all differences are known. The
    expected values are a sample themselves, theta ~ N(mu, tau²), mu with a flat prior, tau > 0 with
    a half-Cauchy one as wide as a usual error: estimates that scatter no more than their errors say
    little about who is first, however few they are, so that the highest of k equals does not look
    better than it is. (A flat prior of tau, of which two distances say next to nothing, lets the
    highest of three equals reach .77 in 14 of 100 samples; this one in 4.) With J = I - 11'/k,
    -J V J/2 has eigenvalues s and vectors u; the parts u't are independent, N(0, tau² + s), and
    their posterior is normal at every tau. The posterior of tau is summed on a grid, then theta is
    drawn. Errors that are known with `freedom` degrees of freedom have a scale of their own,
    chi-squared, which is summed over as well. Two that are equal in every way (variance 0) share.

    Gelman, Hill and Yajima (2012), Journal of Research on Educational Effectiveness 5:189,
    doi:10.1080/19345747.2011.618213, shrink what is compared; Gelman (2006), Bayesian Analysis
    1:515, doi:10.1214/06-BA117A, has the half-Cauchy prior where groups are few.
    """
    every, spread = np.asarray(values, dtype=float), np.asarray(variances, dtype=float)
    first, place = _different(every, spread)
    rng = generator(rng)
    drawn = _drawn(every[first], spread[np.ix_(first, first)], freedom, rng, n_draws)
    best = drawn >= drawn.max(axis=1, keepdims=True)
    share = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    p = share[place] / np.bincount(place)[place]
    return Best(
        probabilities=tuple(p.tolist()),
        standard_errors=tuple(np.sqrt(p * (1 - p) / n_draws).tolist()),
        route="hierarchical",
    )


def _different(values: Array, variances: Array) -> tuple[list[int], Index]:
    """Return the first of each that are equal in every way, and whose place each one has."""
    width = ALIKE * max(float(variances.max(initial=0.0)), 1e-300)
    first: list[int] = []
    place = np.zeros(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        near = ALIKE * max(abs(value), 1.0)
        same = [j for j in first if variances[i, j] <= width and abs(value - values[j]) <= near]
        first += [] if same else [i]
        place[i] = first.index(same[0] if same else i)
    return first, place


def _drawn(
    values: Array, variances: Array, freedom: float, rng: np.random.Generator, n_draws: int
) -> Array:
    """Draw expected values, but for what all have in common, which does not matter."""
    k = len(values)
    if k == 1:
        return np.zeros((n_draws, 1))
    centre = np.eye(k) - 1 / k
    found, vectors = np.linalg.eigh(-centre @ variances @ centre / 2)
    # The least belongs to what all have in common, or is as small as that by rounding.
    error, vectors = np.maximum(found[1:], 0.0), vectors[:, 1:]
    part = vectors.T @ (values - values.mean())
    spreads, scales = _spreads(part, error), _scales(freedom)
    variance = spreads[:, None, None] ** 2 + scales[:, None] * error  # (spread, scale, part)
    height = -0.5 * (part**2 / variance + np.log(variance)).sum(axis=-1)
    width = float(error[error > _least(error)].mean()) if error.any() else 1.0
    prior = spreads / (1 + spreads**2 / width)  # half-Cauchy, on a grid that is even in log tau
    weight = prior[:, None] * np.exp(height - height.max())
    chosen = rng.choice(weight.size, size=n_draws, p=(weight / weight.sum()).ravel())
    of_spread, of_scale = np.unravel_index(chosen, weight.shape)
    kept = spreads[of_spread, None] ** 2 / variance[of_spread, of_scale]
    sd = np.sqrt(kept * scales[of_scale, None] * error)
    # Drawn before they are turned: signs and order of the vectors differ between processors.
    turned = rng.standard_normal((n_draws, k)) @ vectors
    return (kept * part + sd * turned) @ vectors.T


def _spreads(part: Array, error: Array) -> Array:
    """Return tau from far below every error to far above every distance, evenly on a log scale."""
    known = error[error > _least(error)]
    widest = max(float(np.abs(part).max()), float(np.sqrt(error.max())), 1e-300)
    least = float(np.sqrt(known.min())) if known.size else widest
    return np.geomspace(FINEST * least, COARSEST * widest, SPREADS)


def _least(error: Array) -> float:
    """Return what of errors is none."""
    return ALIKE * max(float(error.max()), 1e-300)


def _scales(freedom: float) -> Array:
    """Return what the errors' variances are multiplied by: quantiles of freedom / chi²."""
    if not np.isfinite(freedom):
        return np.ones(1)
    from scipy.special import gammaincinv

    return freedom / (2 * gammaincinv(freedom / 2, (np.arange(SCALES) + 0.5) / SCALES))

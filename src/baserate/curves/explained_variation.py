"""How much of the outcome probabilities explain: coefficients R², and the discrimination slope."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, expm1, inf, isfinite, log, nan
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, one_of
from baserate._gamma_sums import dirichlet_sides
from baserate.curves.bounded_means import difference_limits, few, mean_limits
from baserate.curves.cut_points import Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.losses import (
    Loss,
    Losses,
    class_shares,
    entropy,
    loss_bounds,
    loss_ends,
    probabilities,
    squared_errors,
    surprises,
)
from baserate.curves.score_bins import held, middle, outward

Kind = Literal["mcfadden", "cox_snell", "nagelkerke", "brier"]

FARTHEST = 500.0  # of -log(1 - R²): beyond, R² is 1 or infinite
CERTAIN = 38.0  # standard deviations: no tail is left


def r_squared(
    y_true: Any,
    y_score: Any = None,
    *,
    kind: Kind = "mcfadden",
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Estimate:
    """Return a coefficient of determination of probabilities, with its interval.

    With L the mean logarithmic loss, H that of always saying the base rate of these cases, B and B₀
    the same for the Brier score:

    - "mcfadden": 1 - L/H, at most 1; also called likelihood-ratio index, or skill of the log loss.
    - "cox_snell": 1 - exp(2 (L - H)), at most 1 - exp(-2 H), which `perfect` holds; also called
      maximum-likelihood R².
    - "nagelkerke": the same over its maximum; also called Cragg and Uhler's R².
    - "brier": 1 - B/B₀, at most 1; also called scaled Brier score, Brier skill score, index of
      prediction accuracy, Efron's R².

    All are 0 for the base rate and negative for worse. The probabilities are taken as they are:
    nothing is fitted.

    The interval holds the coefficients that Gaffke's limits do not rule out. R² is above r where
    the mean of each case's loss, less a multiple of its base-rate loss (of the tangent, for
    Nagelkerke's), is below a constant; one further case, positive or negative, has the worst loss
    that any of these scores could make for the lower limit, and none for the upper, and the base
    rate counts it. `route` is "conservative": unproved, it held in simulations from 20 cases on
    (`benchmarks/bench_losses.py`). With weights, cases are worth Kish's effective number, and
    `route` is "asymptotic". Of a histogram, `bounds` and interval are those of the least and the
    greatest loss.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone.
    kind : {"mcfadden", "cox_snell", "nagelkerke", "brier"}
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    Estimate
        nan where a class is absent. `low` is minus infinity where a score of 0 or 1 could have been
        wrong, if the loss is logarithmic; the value too, where it was.

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        Scores lie outside [0, 1], or the confidence level outside (0, 1); no such kind.

    References
    ----------
    McFadden (1974), in Zarembka, Frontiers in Econometrics, Academic Press. Cox and Snell (1989),
    Analysis of Binary Data, Chapman and Hall. Nagelkerke (1991), Biometrika 78:691,
    doi:10.1093/biomet/78.3.691. Kattan and Gerds (2018), Diagnostic and Prognostic Research 2:7,
    doi:10.1186/s41512-018-0029-2, for "brier".

    Examples
    --------
    >>> from baserate import r_squared
    >>> y, p = [1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4]
    >>> round(r_squared(y, p).value, 4), round(r_squared(y, p, kind="brier").value, 4)
    (0.513, 0.63)

    With a base rate of one half the largest value of Cox and Snell's is 3/4:

    >>> found = r_squared(y, p, kind="cox_snell")
    >>> found.perfect, round(found.value, 4)
    (0.75, 0.509)
    >>> round(r_squared(y, p, kind="nagelkerke").value * 0.75, 4)
    0.509
    """
    one_of("kind", kind, Kind)
    level = confidence(confidence_level)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    measure = KINDS[kind]
    losses = Losses.of(middle(swept), measure.loss, measure.most)
    if absent := swept.absent:
        return Estimate(value=nan, confidence_level=level, reason=absent, chance_reason=absent)
    pi, rest = class_shares(swept)
    null = pi * rest if kind == "brier" else entropy(swept)
    low, high = _limits(losses, measure, (1 - level) / 2)
    bounds = None
    if ends := loss_ends(swept, measure.loss, measure.most):
        low = _limits(ends[1], measure, (1 - level) / 2)[0]
        high = _limits(ends[0], measure, (1 - level) / 2)[1]
        least, most = (measure.value(loss, null) for loss in loss_bounds(*ends)[::-1])
        bounds = outward(least, most)
    return Estimate(
        bounds=bounds,
        value=measure.value(losses.mean, null),
        low=low,
        high=high,
        confidence_level=level,
        chance=0.0,
        perfect=measure.value(0.0, null),
        route=losses.route,
    )


def discrimination_slope(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Estimate:
    """Return the mean probability of positives less that of negatives.

    0 for probabilities that know nothing, 1 for perfect ones. Other names: Yates' slope, Tjur's
    coefficient of discrimination (Tjur's R²); its gain by a new model is the integrated
    discrimination improvement.

    The interval joins Gaffke's limits (`brier_score`) of both means: it reaches √(a² + b²) down,
    where they reach a below the mean of positives and b above that of negatives. `route` is
    "conservative" (unproved; see `benchmarks/bench_losses.py`). With weights each class is worth
    Kish's effective number of cases, and `route` is "asymptotic". Of a histogram, `bounds` take the
    positives at one end of every bin and the negatives at the other; the interval holds those of
    both.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1], or the confidence level outside (0, 1).

    References
    ----------
    Yates (1982), Organizational Behavior and Human Performance 30:132,
    doi:10.1016/0030-5073(82)90237-9. Tjur (2009), The American Statistician 63:366,
    doi:10.1198/tast.2009.08210.

    Examples
    --------
    >>> from baserate import discrimination_slope
    >>> found = discrimination_slope([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> round(found.value, 4), found.chance, found.perfect
    (0.45, 0.0, 1.0)
    """
    level = confidence(confidence_level)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    probabilities(swept)
    if absent := swept.absent:
        return Estimate(value=nan, confidence_level=level, reason=absent, chance_reason=absent)
    return held(partial(_slope, level=level), swept)


def _slope(swept: Sweep, level: float) -> Estimate:
    means, limits, eta = [], [], probabilities(swept)
    for cases, effective in zip(swept.by_score, swept.effective_sizes, strict=True):
        total = float(cases.sum())
        means.append(float(np.dot(cases, eta)) / total)
        limits.append(mean_limits(eta, cases * (effective / total), (0.0, 1.0), level))
    low, high = difference_limits((means[0], means[1]), (limits[0], limits[1]))
    return Estimate(
        value=means[0] - means[1],
        low=max(-1.0, low),
        high=min(1.0, high),
        confidence_level=level,
        chance=0.0,
        perfect=1.0,
        route="asymptotic" if swept.is_weighted else "conservative",
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """A coefficient as a function of the mean loss L and of that of the base rate, H.

    `line` gives slope and shift of the tangent, at H, of the L that has a given coefficient, as a
    function of H: L = slope H' + shift. The coefficient is given by w = -log(1 - r).
    """

    loss: Loss
    value: Callable[[float, float], float]
    line: Callable[[float, float], tuple[float, float]]
    most: float | None = None  # loss of any case; None: what its scores could make
    largest: float = 1.0  # coefficient


def _nagelkerke_line(w: float, entropy: float) -> tuple[float, float]:
    """Return the tangent of L = log(r + (1 - r) exp(2 H))/2."""
    certain = not entropy  # by weights that leave next to nothing of a class
    log_m = 0.0 if certain else float(np.logaddexp(0.0, log(expm1(2 * entropy)) - w))
    slope = exp(2 * entropy - w - log_m)
    return slope, log_m / 2 - slope * entropy


KINDS = {
    "mcfadden": Measure(surprises, lambda loss, h: 1 - loss / h, lambda w, _: (exp(-w), 0.0)),
    "cox_snell": Measure(
        surprises,
        lambda loss, h: -_expm1(2 * (loss - h)),
        lambda w, _: (1.0, -w / 2),
        largest=0.75,  # with a base rate of one half
    ),
    "nagelkerke": Measure(
        surprises, lambda loss, h: _expm1(2 * (loss - h)) / expm1(-2 * h), _nagelkerke_line
    ),
    "brier": Measure(
        squared_errors, lambda loss, h: 1 - loss / h, lambda w, _: (exp(-w), 0.0), most=1.0
    ),
}


def _expm1(x: float) -> float:
    return expm1(x) if x < FARTHEST else inf


def _limits(losses: Losses, measure: Measure, tail: float) -> tuple[float, float]:
    """Return the least lower and the greatest upper limit over both classes of a further case."""
    if not isfinite(losses.mean):
        return -inf, -inf
    held = (losses.positive, losses.n_positive), (losses.negative, losses.n_negative)
    sides = [few(each, cases * losses.effective) for each, cases in held]
    low, high = (
        [_coefficient(sides, measure, loss, chance, positive=one) for one in (True, False)]
        for loss, chance in ((losses.most, tail), (0.0, 1 - tail))
    )
    return min(low), min(max(high), measure.largest)


def _coefficient(
    sides: list[tuple[Array, Array]],
    measure: Measure,
    loss: float,
    chance: float,
    *,
    positive: bool,
) -> float:
    """Return the coefficient that exceeds the truth with this chance, by the law of the cases.

    `sides` are losses of positives and negatives, and how many have each. A further case, positive
    or not, has this loss, and the base rate counts it.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if not isfinite(loss):
        return -inf
    one = (float(positive), float(not positive))
    sizes = [float(counts.sum()) + more for (_, counts), more in zip(sides, one, strict=True)]
    total, goal = sum(sizes), float(ndtri(chance))
    of_class = [float(each[0]) for each in measure.loss(np.array([sizes[0] / total]))]
    null = sum(n * of for n, of in zip(sizes, of_class, strict=True) if n) / total
    repeated = [np.full(len(x), of) for (x, _), of in zip(sides, of_class, strict=True)]
    null_losses = np.append(np.concatenate(repeated), of_class[0] if positive else of_class[1])
    values = np.concatenate([*(x for x, _ in sides), [loss]])
    counts = np.concatenate([*(counts for _, counts in sides), [1.0]])

    def score(w: float) -> float:
        slope, shift = measure.line(w, null)
        x = values - slope * null_losses - shift
        if x.min() >= 0 or x.max() <= 0:
            above = float(x.max() > 0)
        else:  # the probability that the mean loss is above that of a coefficient
            above = float(dirichlet_sides(x, counts, np.zeros(1))[1][0])
        return min(max(float(ndtri(above)), -CERTAIN), CERTAIN) - goal

    low, high = -1.0, 1.0
    while score(low) > 0 and low > -FARTHEST:
        low *= 2
    while score(high) < 0 and high < FARTHEST:
        high *= 2
    if high >= FARTHEST:
        return 1.0
    if low <= -FARTHEST:
        return -inf
    root: Any = brentq(score, low, high, xtol=1e-10)
    return -expm1(-root)

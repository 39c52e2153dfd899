"""The exact law of sums of gamma variables, and quantiles of a continuous law.

P(Σ x G > 0) for independent gamma variables G is one contour integral through its saddle point.

With K(t) = -Σ α log(1 - t x), the probability is the integral of exp(K(t))/t along any path that
crosses the real axis between 0 and 1/max(x). The path crosses where exp(K(t))/t is least, so that
nothing oscillates and a small probability keeps its digits. It is a hyperbola: bent like the path
of steepest descent, since along a straight line few counts facing many would oscillate for ever.
The trapezoidal rule converges exponentially where the path suits; rules with a half and a quarter
of its nodes say how fast, and so by how much it may be wrong.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate.errors import UnsupportedError

Sides = tuple[Array, Array, Array]  # P(Y <= c), P(Y > c) and the density

MOST_STEPS = 100
CLOSE_ENOUGH = 1e-6  # on the normal scale; one more Newton step squares it


def quantiles(
    evaluate: Callable[[Array], Sides], level: Array, start: Array, ends: tuple[float, float]
) -> Array:
    """Return the values that Y does not exceed with these probabilities, within a bracket."""
    from scipy.special import ndtri

    goal, (low, high) = ndtri(level), (np.full(level.shape, end) for end in ends)
    c, last = start, high - low
    for _ in range(MOST_STEPS):
        below, above, height = evaluate(c)
        z = np.where(below < above, ndtri(below), -ndtri(above))
        low, high = np.where(z < goal, c, low), np.where(z > goal, c, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = c + (goal - z) * np.exp(-z * z / 2) / (height * np.sqrt(2 * np.pi))
        narrow = high - low <= 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        settled = np.abs(z - goal) <= CLOSE_ENOUGH
        # A step that is hardly shorter than the one before it leads nowhere.
        short = (newton != c) & (np.abs(newton - c) <= last / 2)
        moves = settled | ((newton >= low) & (newton <= high) & short)
        at = np.where(moves, np.clip(newton, low, high), (low + high) / 2)
        c, last = at, np.abs(at - c)
        if (settled | narrow).all():
            break
    return c


STEP = 0.125
FINEST = 64  # the shortest step tried is STEP / FINEST
CHUNK = 32  # nodes in the first look; each further look doubles it
ENOUGH = 0.02  # of a crossing: any point nearby serves, and the last step squares the error
AGREE = 3e-8  # of the rule with half the nodes
ACCURATE = 1e-12  # of the full rule, as the rules with a half and a quarter of the nodes tell it
ROUNDED = float(np.finfo(float).eps) / 64  # the same, times the root of counts beyond billions
WIDTHS = 1, 2, 4  # steps of these rules
NEGLIGIBLE = 1e-18
HUGE = 1e300
FAR = 40.0  # beyond the slowest factor's scale: what is not a pure power is then below 1e-17
BENDS = (0.0, 0.3, -0.3, 1.0, -1.0, 3.0, -3.0)


class Saddle(NamedTuple):
    """Where the path crosses, in units in which the largest x is 1."""

    t: Array
    rest: Array  # 1 - t
    bottom: Array  # 1 - t x, without cancellation


def dirichlet_sides(
    weights: Array, concentration: Array, c: Array, *, density: bool = False
) -> tuple[Array, Array, Array]:
    """Return P(Y <= c), P(Y > c) and the density (if asked for) of Y = Σ w θ, θ Dirichlet.

    Every c lies strictly between the least and the greatest weight, which are ascending. Y <= c
    exactly if Σ (w - c) G <= 0; of the two tails the smaller one is integrated.
    """
    falls = c < weights @ concentration / concentration.sum()
    x = weights - c[:, None]
    tail, height = upper_tail(np.where(falls[:, None], -x, x), concentration, density=density)
    return np.where(falls, tail, 1 - tail), np.where(falls, 1 - tail, tail), height


def upper_tail(x: Array, alpha: Array, *, density: bool = False) -> tuple[Array, Array]:
    """Return P(Σ x G > 0) and minus its derivative under a common shift of x, row by row of x.

    Every row needs a positive and a negative x, and Σ α x <= 0 so that this is the smaller tail.
    The second array is zero unless `density` asks for it.
    """
    top = x.max(axis=1)
    r = x / top[:, None]
    at = _saddle(r, (top[:, None] - x) / top[:, None], alpha)
    y = np.concatenate((r / at.bottom, -1 / at.t[:, None]), axis=1)
    powers = np.append(alpha, 1.0)
    height = np.exp(-_log_product(r, at, alpha) - np.log(at.t))
    weights = alpha / at.bottom * at.t[:, None] if density else None
    found, seen = np.zeros((2, top.size)), height > 0  # of the others floats hold nothing
    if seen.any():
        found[:, seen] = _total(y[seen], powers, weights if weights is None else weights[seen])
    tail, slope = found
    return tail * height / np.pi, slope * height / (np.pi * top)


def _saddle(r: Array, gap: Array, alpha: Array) -> Saddle:
    """Solve Σ α r/(1 - t r) = 1/t on (0, 1), modelling each side by one pole, at 1 and at 0."""
    first, second = (r * alpha).sum(axis=1), (r * r * alpha).sum(axis=1)
    t = np.minimum((np.sqrt(first * first + 4 * second) - first) / (2 * second), 0.9)
    rest, bottom = 1 - t, 1 - t[:, None] * r
    rising = np.where(r > 0, alpha * r, 0.0)
    falling = np.where(r < 0, -alpha * r, 0.0)
    for _ in range(100):
        bottom = rest[:, None] + t[:, None] * gap
        slopes = r / bottom**2
        up, down = (rising / bottom).sum(axis=1), (falling / bottom).sum(axis=1) + 1 / t
        right = (rising * slopes).sum(axis=1) * rest * rest
        left = 1 - (falling * slopes).sum(axis=1) * t * t
        last, constant = t, (up - right / rest) - (down - left / t)
        t, rest = _between_poles(constant, left, right), _between_poles(-constant, right, left)
        if (np.abs(t - last) <= ENOUGH * last * rest).all():
            break
    return Saddle(t, rest, rest[:, None] + t[:, None] * gap)


def _between_poles(constant: Array, left: Array, right: Array) -> Array:
    """Return the root in (0, 1) of constant + right/(1 - t) - left/t."""
    b = constant + left + right
    root = np.sqrt(np.maximum(b * b - 4 * constant * left, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b > 0, 2 * left / (b + root), (b - root) / (2 * constant))


def _log_product(r: Array, at: Saddle, alpha: Array) -> Array:
    """Return Σ α log(1 - t r), with the digits of small t r and of t r near 1."""
    small = np.abs(at.t[:, None] * r) < 0.5
    near = np.log1p(np.where(small, -at.t[:, None] * r, 0.0))
    return (np.where(small, near, np.log(at.bottom)) * alpha).sum(axis=1)


def _total(y: Array, powers: Array, weights: Array | None) -> Array:
    """Integrate along the usual path, and along others where its own check fails."""
    curvature, torsion = (y * y * powers).sum(axis=1), 2 * (y**3 * powers).sum(axis=1)
    reach = np.minimum(curvature**-0.5, 1 / np.abs(y).max(axis=1))
    bend = np.clip(curvature**-1.5 * torsion / 3, -1.0, 1.0)
    total, doubt = _trapezoid(y, powers, weights, reach, bend, STEP)
    accurate = max(ACCURATE, ROUNDED * float(powers.sum()) ** 0.5)
    wrong = np.flatnonzero(~(doubt <= accurate))
    step = STEP / 2  # half a step on the same path helps more often than another path
    while wrong.size and step >= STEP / FINEST:
        for other in (None, *BENDS):
            rows = None if weights is None else weights[wrong]
            bends = bend[wrong] if other is None else np.full(wrong.size, other)
            found, doubt = _trapezoid(y[wrong], powers, rows, reach[wrong], bends, step)
            right = doubt <= accurate
            total[:, wrong[right]] = found[:, right]
            wrong = wrong[~right]
            if not wrong.size:
                break
        step /= 2
    if wrong.size:
        message = (
            "the law of this weighted sum could not be integrated to full accuracy: "
            "merge weights that hardly differ, or use a prior of at least 0.001."
        )
        raise UnsupportedError(message)
    return total


def _trapezoid(
    y: Array, powers: Array, weights: Array | None, reach: Array, bend: Array, step: float
) -> tuple[Array, Array]:
    """Return the integrals of each row, and their estimated relative error."""
    moving = y[:, :-1] != 0
    # How fast both integrands fade far out, per unit of v. An x of 0 makes the density's slower,
    # and the density infinite if the other powers add up to no more than 1.
    decay = (powers[:-1] * moving).sum(axis=1)
    fade = np.array([decay, decay - ~moving.all(axis=1)])
    slowest = np.abs(y[:, :-1]).min(axis=1, where=moving, initial=HUGE)
    end = float(
        (np.maximum(np.log(2 / (reach * slowest)), 0.0) + FAR / (1 + np.maximum(fade[1], 0))).max()
    )
    sums, start, nodes = np.zeros((3, 2, y.shape[0])), 0, CHUNK
    while True:
        v = step * np.arange(start, start + nodes + 1, dtype=np.float64)
        values = _integrand(v, y, powers, weights, reach, bend)
        negligible = bool((np.abs(values[0, :, -1]) <= NEGLIGIBLE * reach).all())
        part = values.imag
        part[..., [0, -1]] /= 2  # a chunk shares its ends with its neighbours
        with np.errstate(invalid="ignore", over="ignore"):
            sums += [width * part[..., ::width].sum(axis=-1) for width in WIDTHS]
        last = 2 * part[..., -1]
        if negligible or v[-1] >= end:
            break
        start, nodes = start + nodes, 2 * nodes
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        for rule, width in enumerate(WIDTHS):
            # Beyond the end only a power is left: its terms are a geometric series.
            ratio = np.exp(-fade * step * width)
            sums[rule] += width * last * (0.5 + ratio / (1 - ratio))
        half, quarter = np.abs(sums[1:] - sums[0]) / np.abs(sums[0])
        # Where convergence is exponential, the error is half², far less than this.
        doubt = np.where(half <= AGREE, half * np.minimum(half / quarter, 1.0), np.inf)
        infinite = fade[1] <= 0
        sums[0, 1, infinite], doubt[1, infinite] = np.inf, 0.0
        doubt = doubt[0] if weights is None else doubt.max(axis=0)
    return sums[0] * step, doubt


def _integrand(
    v: Array, y: Array, powers: Array, weights: Array | None, reach: Array, bend: Array
) -> NDArray[np.complex128]:
    """Return the integrand relative to its value at the crossing, and the same for the density."""
    sinh, cosh, lift = np.sinh(v), np.cosh(v), 2 * np.sinh(v / 2) ** 2
    real, imaginary = (reach * bend)[:, None] * lift, reach[:, None] * sinh
    slope = (reach * bend)[:, None] * sinh + 1j * (reach[:, None] * cosh)
    a, b = -real[..., None] * y[:, None, :], -imaginary[..., None] * y[:, None, :]
    values = np.zeros((2, *slope.shape), dtype=np.complex128)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        size = 0.5 * np.log1p(2 * a + a * a + b * b) @ powers
        angle = np.arctan2(b, 1 + a) @ powers
        values[0] = np.exp(-size - 1j * angle) * slope
        if weights is not None:
            factors = 1 + a + 1j * b  # the last one is t relative to the crossing
            share = (weights[:, None, :] / factors[..., :-1]).sum(axis=-1)
            values[1] = values[0] * share * factors[..., -1]
    return values

"""Generalised chi-square: both tails of a quadratic form in independent normal variables.

W = Σ λᵢ zᵢ² + 2 aᵢ zᵢ with weights of any sign. The series for positive weights do not apply, and
inverting the characteristic function on the real line loses the small tails (Imhof 1961). Here the
moment generating function exp K(s) is inverted through its saddle point instead,

    K(s) = Σ -log(1 - 2 λᵢ s)/2 + 2 aᵢ² s²/(1 - 2 λᵢ s),

    P(W > x) = 1/(2πi) ∫ exp(K(s) - s x) ds/s,    Re s > 0    (P(W <= x): Re s < 0),

so that both tails have small relative errors. The path leaves the saddle point vertically and bends
to the side on which exp(-s(x + Σ aᵢ²/λᵢ)), the far field, decays; or to the other side, if tiny
weights make the field so far that nothing is left of the integrand before. Where the path may bend
depends on the form, so bends are tried until the integrand does not grow and two step sizes agree.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from baserate._arrays import Array, Mask
from baserate.errors import UnsupportedError

_AGREE = 1e-13  # of steps h and 2h; the error at h is far smaller, as convergence is exponential
_GROWTH = 3.0  # the integrand may exceed its value at the saddle point by this factor
_STEPS = (1 / 32, 1 / 64, 1 / 128, 1 / 256)
_REACHES = (10.0, 80.0)  # sinh(80) scale lengths: algebraic tails have decayed below 1e-17 there
_BENDS = 11
_UNDERFLOW = -760.0  # exp of it is zero
_SLOPE = 0.4  # tangent of the angle by which the path leaves the vertical


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """W = Σ weights z² + 2 shifts z, z independent standard normal variables."""

    weights: Array
    shifts: Array

    def cdf(self, x: Any) -> Array:
        """Return P(W <= x)."""
        return self._tail(np.asarray(x, dtype=float), -1.0)

    def sf(self, x: Any) -> Array:
        """Return P(W > x), not as a difference from one."""
        return self._tail(np.asarray(x, dtype=float), 1.0)

    def _tail(self, x: Array, side: float) -> Array:
        """Return the tail on this side: +1 is the upper one."""
        if not self.weights.any():
            from scipy.special import ndtr

            return ndtr(-side * x / (2 * np.linalg.norm(self.shifts)))
        low, high = self._support()
        answer = np.where((x >= high) == (side < 0), 1.0, 0.0)
        inside = (x > low) & (x < high)
        answer[inside] = _integrals(self, x[inside], side)
        return np.minimum(answer, 1.0)  # rounding may exceed it

    def _support(self) -> tuple[float, float]:
        """Return the range of W, bounded on one side if all weights have one sign."""
        edge = -self.far
        if self.shifts[self.weights == 0].any() or np.ptp(np.sign(self.weights)) > 1:
            return -np.inf, np.inf
        return (edge, np.inf) if self.weights.max() > 0 else (-np.inf, edge)

    @property
    def edges(self) -> Array:
        """Return shifts²/weights: a term λ (z + a/λ)² - a²/λ cannot pass minus this; 0 if λ = 0."""
        bent = self.weights != 0
        return np.where(bent, self.shifts**2 / np.where(bent, self.weights, 1), 0.0)

    @property
    def far(self) -> float:
        """Return Σ shifts²/weights, which x is shifted by in the far field of the integrand."""
        return float(self.edges.sum())


def _integrals(form: QuadraticForm, x: Array, side: float) -> Array:
    """Return the tails at every x: those that fail to converge go on to the next path and step."""
    answer = np.full(x.shape, np.nan)
    if not x.size:
        return answer
    with np.errstate(all="ignore"):  # far arms over- and underflow; only what converges is kept
        at, width = _saddle(form, x, side)
        answer[_exponent(form, x, at) < _UNDERFLOW] = 0.0  # Chernoff's bound
        latest = 4 * np.maximum(width, 0.5 / np.abs(form.weights[form.weights != 0]).min())
        # Paths by step and reach in u, the side of the bend and its scale, the cheapest first.
        for *path, k in product(_STEPS, _REACHES, (1.0, -1.0), range(_BENDS)):
            left = np.flatnonzero(np.isnan(answer))
            bend = np.minimum(width * 4.0**k, latest)
            saddle = at[left, None], width[left, None], bend[left, None]
            answer[left] = _on_path(form, x[left], saddle, *path)
            if not np.isnan(answer).any():
                return answer
    raise UnsupportedError(
        f"The generalised chi-square integral does not converge at {x[np.isnan(answer)][0]} for "
        f"weights {form.weights} and shifts {form.shifts}: rescale the covariance matrices."
    )


def _on_path(
    form: QuadraticForm,
    x: Array,
    saddle: tuple[Array, Array, Array],
    step: float,
    reach: float,
    side: float,
) -> Array:
    """Return the integral by the trapezoidal rule in u, y = width sinh(u); nan if not converged."""
    u = np.arange(0.0, reach, step)
    at, width, bend = saddle
    lean = side * _SLOPE * np.sign(x + form.far)[:, None]
    y = width * np.sinh(u)
    radius = np.hypot(y, bend)
    s = at + 1j * y + lean * (radius - bend)
    peak = _exponent(form, x, at[:, 0])
    integrand = np.exp(_exponent(form, x[:, None], s) - peak[:, None]) * (at / s)
    terms = (integrand * (1 - 1j * lean * y / radius)).real * (width * np.cosh(u))
    terms[:, 0] /= 2
    fine, coarse = step * terms.sum(axis=1), 2 * step * terms[:, ::2].sum(axis=1)
    right = np.abs(fine - coarse) <= _AGREE * np.abs(fine)
    right &= np.abs(integrand).max(axis=1) <= _GROWTH
    nothing = 1e-17 if side > 0 else 1e-40  # where the far field would grow again
    right &= np.abs(terms[:, -1]) <= nothing * np.abs(fine)
    return np.where(right, fine * np.exp(peak) / np.abs(at[:, 0]) / np.pi, np.nan)


def _exponent(form: QuadraticForm, x: Array, s: Any) -> Any:
    """Return K(s) - s x in the form that does not cancel.

    2a²s²/(1 - 2λs) = (a²/λ) s/(1 - 2λs) - (a²/λ) s, the last part taken together with s x, where
    |2λs| > 1.
    """
    s = s[..., None]
    q = 1 - 2 * s * form.weights
    far = _is_far(form, s)
    terms = s / q * np.where(far, form.edges, 2 * form.shifts**2 * s) - np.log(q) / 2
    rest = x + np.where(far, form.edges, 0.0).sum(axis=-1)
    return terms.sum(axis=-1) - s[..., 0] * rest


def _slope(form: QuadraticForm, x: Array, s: Array) -> Array:
    """Return the derivative K'(s) - x, likewise."""
    s = s[..., None]
    q = 1 - 2 * s * form.weights
    far = _is_far(form, s)
    near = 4 * form.shifts**2 * s * (1 - form.weights * s) / q**2
    terms = form.weights / q + np.where(far, form.edges / q**2, near)
    return terms.sum(axis=-1) - (x + np.where(far, form.edges, 0.0).sum(axis=-1))


def _is_far(form: QuadraticForm, s: Any) -> Mask:
    return np.abs(2 * s * form.weights) > 1


def _saddle(form: QuadraticForm, x: Array, side: float) -> tuple[Array, Array]:
    """Return where K(s) - s x - log|s| is least on one side of zero, and how narrow it is there.

    By bisection of the derivative, which increases between zero and the first singularity; to 1e-6
    of the distance, as any path beside it leads to the same integral.
    """
    largest = (side * form.weights).max()

    def place(v: Array) -> Array:
        """Map the real line onto distances from zero that stop short of the singularity, if any."""
        return 1 / (2 * largest * (1 + np.exp(-v))) if largest > 0 else np.exp(v)

    low, high = np.full(x.shape, -400.0), np.full(x.shape, 34.0 if largest > 0 else 400.0)
    for _ in range(29):
        middle = (low + high) / 2
        distance = place(middle)
        falls = side * _slope(form, x, side * distance) < 1 / distance
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    distance = place((low + high) / 2)
    at = side * distance
    q = 1 - 2 * at[..., None] * form.weights
    curvature = (2 * (form.weights / q) ** 2 + 4 * form.shifts**2 / q**3).sum(axis=-1)
    width = 1 / np.sqrt(curvature + 1 / distance**2)
    return at, width

"""The utilities under which one classifier is better than another: a half-plane."""

from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any, Literal

import numpy as np

from baserate._arith import plain
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.utilities._exact import Rates, exact, rates

Dominant = Literal["a", "b", "equal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfPlane(Result):
    """Where A yields more than B, over all 2x2 utilities with benefit + cost > 0.

    (yield of A - yield of B) / (benefit + cost) = tau_slope tau + nu_slope nu + constant.

    Attributes
    ----------
    tau_slope, nu_slope, constant : float
        With D = cells of A / n - cells of B / n: D[fn] - D[fp], the difference of base rates, and
        -D[fn]. nu_slope is 0 on one test set or at one stated base rate.
    tau_star : float
        Threshold at which A and B yield the same; nan with `dominant`, and where class shares
        differ, so that the boundary depends on nu as well.
    dominant : {"a", "b", "equal"} or None
        A classifier that no threshold in [0, 1] makes worse than the other, and some better.
    a_better, b_better : (float, float)
        Ends of the thresholds between 0 and 1 at which A, or B, yields more; (nan, nan) if there
        are none, or if the boundary depends on nu.
    """

    tau_slope: float
    nu_slope: float
    constant: float
    tau_star: float
    dominant: Dominant | None
    a_better: tuple[float, float]
    b_better: tuple[float, float]

    def advantage(self, tau: Any, nu: Any = 0.0) -> Any:
        """Return (yield of A - yield of B) / (benefit + cost); arrays broadcast."""
        tau, nu = np.asarray(tau, dtype=float), np.asarray(nu, dtype=float)
        return plain(self.tau_slope * tau + self.nu_slope * nu + self.constant)

    def contains(self, tau: Any, nu: Any = 0.0) -> Any:
        """Say whether A yields more under these utilities; arrays broadcast."""
        return plain(np.asarray(self.advantage(tau, nu)) > 0)


def half_plane(a: ConfusionMatrix, b: ConfusionMatrix, *, base_rate: Any = None) -> HalfPlane:
    """Return the utilities, in the coordinates tau and nu, under which A yields more than B.

    Computed in fractions: with counts, tau_star is the exact number rounded once.

    Parameters
    ----------
    a, b : ConfusionMatrix
        Single tables with both classes.
    base_rate : float, optional
        Share of positives where the classifiers will be used. Default: that of each table.

    Returns
    -------
    HalfPlane

    Raises
    ------
    InvalidArgumentError
        A batch, a table without a class, or a base rate outside [0, 1].

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.5281/zenodo.6616071, for the space of
    utilities.

    Examples
    --------
    The paper's story: A is better where false alarms cost more than 16/3 of a missed positive.

    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> region = half_plane(a, b)
    >>> round(region.tau_star, 4), region.contains(10 / 11), region.contains(0.8197)
    (0.8421, True, False)
    """
    return region(rates("a", a, base_rate), rates("b", b, base_rate))


def region(a: Rates, b: Rates) -> HalfPlane:
    """Return the half-plane of two classifiers whose rates are known as fractions."""
    missed, alarms = (x - y for x, y in zip(_errors(a), _errors(b), strict=True))
    more_positive = a.base_rate - b.base_rate
    at_zero, at_one = -missed, -alarms  # the advantage at tau = 0 and at tau = 1, for nu = 0
    dominant = None if more_positive else _dominant(at_zero, at_one)
    crosses = not more_positive and dominant is None
    star = at_zero / (at_zero - at_one) if crosses else None
    return HalfPlane(
        tau_slope=float(missed - alarms),
        nu_slope=float(more_positive),
        constant=float(-missed),
        tau_star=nan if star is None else float(star),
        dominant=dominant,
        a_better=_interval(star, dominant == "a", at_zero > 0),
        b_better=_interval(star, dominant == "b", at_zero < 0),
    )


def _errors(r: Rates) -> tuple[Fraction, Fraction]:
    """Return fn / n and fp / n."""
    return r.base_rate * (1 - r.recall), (1 - r.base_rate) * (1 - r.specificity)


def _dominant(at_zero: Fraction, at_one: Fraction) -> Dominant | None:
    if at_zero == at_one == 0:
        return "equal"
    if min(at_zero, at_one) >= 0:
        return "a"
    return "b" if max(at_zero, at_one) <= 0 else None


def _interval(star: Fraction | None, everywhere: bool, below: bool) -> tuple[float, float]:  # noqa: FBT001  private
    if star is None:
        return (0.0, 1.0) if everywhere else (nan, nan)
    return (0.0, float(star)) if below else (float(star), 1.0)


def base_rate_flip(a: ConfusionMatrix, b: ConfusionMatrix, u: Any) -> float:
    """Return the base rate at which A and B yield the same under given utilities.

    Recall and specificity stay what they are; pi* = t d / (t d - s e) with d = specificity of A
    less that of B, e the same of recall, s the benefit and t the cost.

    Parameters
    ----------
    a, b : ConfusionMatrix
        Single tables with both classes.
    u : UtilityMatrix
        2x2.

    Returns
    -------
    float
        In [0, 1]; nan if the ranking is the same at every base rate.

    Examples
    --------
    >>> from baserate.utilities import UtilityMatrix
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> round(base_rate_flip(a, b, UtilityMatrix([[15, -335], [-35, 165]])), 6)
    0.652174
    """
    first, second = rates("a", a), rates("b", b)
    positives = exact(u.benefit) * (first.recall - second.recall)
    negatives = exact(u.cost) * (first.specificity - second.specificity)
    if positives * negatives >= 0:
        return nan
    return float(negatives / (negatives - positives))

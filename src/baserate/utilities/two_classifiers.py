"""Two classifiers, given what decisions are worth: which is better, where it turns, how sure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import nan
from typing import Any, ClassVar, Literal

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate._checks import broadcast, each_of, float_array, instance_of, number_in, whole_number
from baserate._result import HIDDEN, Drawable, Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
    yield_posterior,
)
from baserate.metrics.utilities import MOST
from baserate.utilities.exact_yields import (
    ExactRates,
    common_base_rate,
    constants_at,
    exact,
    exact_rates,
    exact_yield,
)
from baserate.utilities.matrix import UtilityMatrix

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
        tau, nu = float_array("tau", tau), float_array("nu", nu)
        for name, given in (("tau", tau), ("nu", nu)):
            if (np.abs(given) > MOST).any():
                rule, remedy = f"must be numbers from {-MOST:g} to {MOST:g}", "choose a larger unit"
                raise InvalidArgumentError.from_rule(name, rule, given, remedy)
        broadcast(tau=tau, nu=nu)
        return plain(self.tau_slope * tau + self.nu_slope * nu + self.constant)

    def contains(self, tau: Any, nu: Any = 0.0) -> Any:
        """Say whether A yields more under these utilities; arrays broadcast."""
        return plain(np.asarray(self.advantage(tau, nu)) > 0)


def half_plane(a: ExactRates, b: ExactRates) -> HalfPlane:
    """Return the utilities, in the coordinates tau and nu, under which A yields more than B.

    Computed in fractions: with counts, tau_star is the exact number rounded once.
    """
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


def _errors(r: ExactRates) -> tuple[Fraction, Fraction]:
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


def base_rate_flip(a: ConfusionMatrix, b: ConfusionMatrix, u: UtilityMatrix) -> float:
    """Return the base rate at which A and B yield the same under given utilities.

    Recall and specificity stay what they are; pi* = t d / (t d - s e) with d = specificity of A
    less that of B, e the same of recall, s the benefit and t the cost. nan if the ranking is the
    same at every base rate.
    """
    first, second = exact_rates("a", a), exact_rates("b", b)
    positives = exact(u.benefit) * (first.recall - second.recall)
    negatives = exact(u.cost) * (first.specificity - second.specificity)
    if positives * negatives >= 0:
        return nan
    return float(negatives / (negatives - positives))


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityComparison(Drawable):
    """Classifiers A and B under given utilities, at one base rate.

    Attributes
    ----------
    a_better : bool
        Whether A yields more, decided in fractions; False where they yield the same.
    yield_a, yield_b : float
        Mean utility per case.
    yield_constant : float
        Of the best constant decision: a classifier below it is worth less than none.
    best_constant : label
        That decision.
    tau_star : float
        Threshold at which the ranking turns; nan under dominance.
    dominant : {"a", "b", "equal"} or None
        Whether one is at least as good for every threshold.
    region : HalfPlane
        All utilities under which A is better.
    probability_a_better : float
        Given how few cases there are: posterior probability that A has the larger expected yield.
    base_rate : float
        Share of the positive class at which all this holds.
    paired : bool
        Whether the two were tested on the same cases.
    tables : dict of str to ConfusionMatrix
        A and B.
    utilities : UtilityMatrix
    discordant : tuple of int or None
        `paired` as it was given.
    """

    a_better: bool
    yield_a: float
    yield_b: float
    yield_constant: float
    best_constant: Any
    tau_star: float
    dominant: Dominant | None
    region: HalfPlane
    probability_a_better: float
    base_rate: float
    paired: bool
    tables: dict[str, ConfusionMatrix] = field(repr=False, metadata=HIDDEN)
    utilities: UtilityMatrix = field(repr=False, metadata=HIDDEN)
    discordant: tuple[int, ...] | None = field(repr=False, metadata=HIDDEN)
    display: ClassVar[str] = "UtilityMapDisplay"


def compare_utilities(
    a: ConfusionMatrix,
    b: ConfusionMatrix,
    u: UtilityMatrix,
    *,
    base_rate: float | None = None,
    paired: Sequence[int] | None = None,
    prior: float = 1.0,
) -> UtilityComparison:
    """Compare two classifiers by what their decisions are worth.

    Parameters
    ----------
    a, b : ConfusionMatrix
        Single tables with both classes; positive is the class of index ``u.positive``. Counts: from
        shares the posteriors would know as little as from one case.
    u : UtilityMatrix
        2x2, right decisions worth more than wrong ones.
    base_rate : float, optional
        Share of positives where the classifiers will be used. Default: the one at which both were
        tested.
    paired : (class0_only_a, class0_only_b, class1_only_a, class1_only_b), optional
        If both were tested on the same cases: how many of class 0, the first column of `u`, only A
        got right, or only B; the same of class 1. Default: separate test sets.
    prior : float
        Pseudo-count of the prior, positive. Separate: recall and specificity have the posteriors
        Beta(count + prior), class shares are known. Paired: cases by class and by who is right are
        Dirichlet(count + prior), class shares as uncertain as the counts unless stated.

    Raises
    ------
    InvalidArgumentError
        Class shares differ and no base rate is stated; `paired` does not fit the tables; there is
        no threshold; a table lacks a class or is a batch.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    >>> from baserate import compare_utilities, ConfusionMatrix, UtilityMatrix
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = compare_utilities(a, b, u)
    >>> found.a_better, found.yield_a, found.yield_b, found.yield_constant
    (True, 3.5, -3.5, 65.0)
    >>> round(found.tau_star, 4), round(found.probability_a_better, 3)
    (0.8421, 0.616)
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    u.canonical  # noqa: B018  refuses utilities without a threshold
    rates_a, rates_b = exact_rates("a", a), exact_rates("b", b)
    pi = common_base_rate({"a": rates_a.base_rate, "b": rates_b.base_rate}, base_rate)
    rates_a, rates_b = (r._replace(base_rate=pi) for r in (rates_a, rates_b))
    yield_a, yield_b = exact_yield(rates_a, u), exact_yield(rates_b, u)
    plane, constant = half_plane(rates_a, rates_b), constants_at(u, pi)
    pseudo, corners = number_in("prior", prior, "(0, inf)", "1 is uniform"), u.positive_first()
    if paired is None:
        shares = (float(pi), 1 - float(pi))
        sure = probability_a_better_separate(a, b, corners, class_shares=shares, prior=pseudo)
    else:
        counts = _discordant(a, b, u, paired)
        stated = None if base_rate is None else float(pi)
        sure = _probability_paired(counts, a, corners, stated, pseudo)
    return UtilityComparison(
        a_better=yield_a > yield_b,
        yield_a=float(yield_a),
        yield_b=float(yield_b),
        yield_constant=constant.value,
        best_constant=constant.best,
        tau_star=plane.tau_star,
        dominant=plane.dominant,
        region=plane,
        probability_a_better=sure,
        base_rate=float(pi),
        paired=paired is not None,
        tables={"A": a, "B": b},
        utilities=u,
        discordant=None if paired is None else tuple(paired),
    )


def _probability_paired(
    discordant: tuple[int, ...], table: ConfusionMatrix, corners: Array, pi: Any, prior: float
) -> float:
    """Return P(A better) for one test set, whose class shares are as uncertain as its counts.

    At a stated base rate the shares are known, and the cases of each class have a law of their own:
    only A right, only B right, and the rest, which is two cells of the full table.
    """
    if pi is None:
        return probability_a_better_paired(discordant, corners, prior=prior)
    (only_a, only_b), (others_a, others_b) = discordant[:2], discordant[2:]
    rest = [table.n_positive - only_a - only_b, table.n_negative - others_a - others_b]
    counts = [[only_a, others_a], [only_b, others_b], rest]
    gain = corners[[0, 1], [0, 1]] - corners[[1, 0], [0, 1]]
    law = yield_posterior(
        counts,
        [gain, -gain, 0 * gain],
        prior=[[prior] * 2, [prior] * 2, [2 * prior] * 2],
        class_shares=(pi, 1 - pi),
    )
    return float(law.sf(0.0))


def _discordant(
    a: ConfusionMatrix, b: ConfusionMatrix, u: UtilityMatrix, paired: Sequence[int]
) -> tuple[int, int, int, int]:
    """Return the discordant counts, positives first, once they fit the tables."""
    counts = tuple(whole_number("paired", count) for count in each_of("paired", paired, ()))
    if len(counts) != 4:
        rule = "must be (class0_only_a, class0_only_b, class1_only_a, class1_only_b) right"
        raise InvalidArgumentError.from_rule("paired", rule, counts, "pass four counts")
    first, second = counts[:2], counts[2:]
    positives, negatives = (first, second) if u.positive == 0 else (second, first)
    leads = (a.tp - b.tp, a.tn - b.tn)
    found = (positives[0] - positives[1], negatives[0] - negatives[1])
    if (a.n_positive, a.n_negative) != (b.n_positive, b.n_negative) or leads != found:
        rule = f"must differ by the leads {leads} that A has in true positives and true negatives"
        remedy = "count the cases of one test set that only A, or only B, got right"
        raise InvalidArgumentError.from_rule("paired", rule, counts, remedy)
    if sum(positives) > a.n_positive or sum(negatives) > a.n_negative:
        rule = f"must leave no class with more than its {a.n_positive} and {a.n_negative} cases"
        raise InvalidArgumentError.from_rule("paired", rule, counts, "count each case once")
    return (*positives, *negatives)

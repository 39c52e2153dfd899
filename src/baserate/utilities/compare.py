"""Two classifiers, given what decisions are worth: which is better, where it turns, how sure."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import number_in, whole_number
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
    yield_posterior,
)
from baserate.utilities._exact import Rates, common_base_rate, exact, rates
from baserate.utilities.constants import ConstantDecisions, exact_constants
from baserate.utilities.half_plane import Dominant, HalfPlane, region
from baserate.utilities.utility import UtilityMatrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityComparison(Result):
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
        Single tables with both classes; positive is the class of index ``u.positive``.
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

    Returns
    -------
    UtilityComparison

    Raises
    ------
    InvalidArgumentError
        Class shares differ and no base rate is stated; `paired` does not fit the tables; there is
        no threshold; a table lacks a class or is a batch.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.5281/zenodo.6616071.

    Examples
    --------
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = compare_utilities(a, b, u)
    >>> found.a_better, found.yield_a, found.yield_b, found.yield_constant
    (True, 3.5, -3.5, 65.0)
    >>> round(found.tau_star, 4), round(found.probability_a_better, 3)
    (0.8421, 0.616)
    """
    u.canonical  # noqa: B018  refuses utilities without a threshold
    rates_a, rates_b = rates("a", a), rates("b", b)
    pi = common_base_rate({"a": rates_a.base_rate, "b": rates_b.base_rate}, base_rate)
    rates_a, rates_b = (r._replace(base_rate=pi) for r in (rates_a, rates_b))
    yield_a, yield_b = exact_yield(rates_a, u), exact_yield(rates_b, u)
    plane, constant = region(rates_a, rates_b), constants_at(u, pi)
    pseudo, corners = number_in("prior", prior, "(0, inf)", "1 is uniform"), u.positive_first()
    if paired is None:
        sure = _probability(a, b, corners, float(pi), pseudo)
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
    )


def exact_yield(r: Rates, u: UtilityMatrix) -> Fraction:
    """Return the mean utility per case at these rates."""
    rows = u.positive_first().tolist()
    (hit, alarm), (miss, rest) = ([exact(value) for value in row] for row in rows)
    positive = hit * r.recall + miss * (1 - r.recall)
    negative = rest * r.specificity + alarm * (1 - r.specificity)
    return r.base_rate * positive + (1 - r.base_rate) * negative


def constants_at(u: UtilityMatrix, base_rate: Fraction) -> ConstantDecisions:
    """Return the worth of each constant decision at this base rate, rounded once."""
    shares = (base_rate, 1 - base_rate)
    return exact_constants(u.matrix, u.decision_names, shares if u.positive == 0 else shares[::-1])


def _probability(
    a: ConfusionMatrix, b: ConfusionMatrix, corners: Floats, pi: float, prior: float
) -> float:
    """Return P(A better) for separate test sets; classes and decisions positive first."""
    shares = (pi, 1 - pi)
    return probability_a_better_separate(a, b, corners, class_shares=shares, prior=prior)


def _probability_paired(
    discordant: tuple[int, ...], table: ConfusionMatrix, corners: Floats, pi: Any, prior: float
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
    counts = tuple(whole_number("paired", count) for count in paired)
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

"""Two classifiers, given what decisions are worth: which is better, where it turns, how sure."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.decisions._exact import Rates, common_base_rate, exact, rates
from baserate.decisions.half_plane import Dominant, HalfPlane, region
from baserate.decisions.utility import UtilityMatrix
from baserate.errors import InvalidArgumentError
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityComparison:
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
        Pseudo-count of the prior, positive: separate recall and specificity have the posteriors
        Beta(count + prior); paired outcomes a Dirichlet one.

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
    plane, constant = region(rates_a, rates_b), u.constant_decisions(float(pi))
    weights = float(exact(u.benefit) * pi), float(exact(u.cost) * (1 - pi))
    pseudo = number_in("prior", prior, "(0, inf)", "pass a pseudo-count, 1 is uniform")
    return UtilityComparison(
        a_better=yield_a > yield_b,
        yield_a=float(yield_a),
        yield_b=float(yield_b),
        yield_constant=constant.value,
        best_constant=constant.best,
        tau_star=plane.tau_star,
        dominant=plane.dominant,
        region=plane,
        probability_a_better=_probability(a, b, u, weights, paired, pseudo),
        base_rate=float(pi),
        paired=paired is not None,
    )


def exact_yield(r: Rates, u: UtilityMatrix) -> Fraction:
    """Return the mean utility per case at these rates."""
    matrix = u.matrix if u.positive == 0 else u.matrix[::-1, ::-1]
    (hit, alarm), (miss, rest) = ([exact(value) for value in row] for row in matrix.tolist())
    positive = hit * r.recall + miss * (1 - r.recall)
    negative = rest * r.specificity + alarm * (1 - r.specificity)
    return r.base_rate * positive + (1 - r.base_rate) * negative


def _probability(
    a: ConfusionMatrix,
    b: ConfusionMatrix,
    u: UtilityMatrix,
    weights: tuple[float, float],
    paired: Sequence[int] | None,
    prior: float,
) -> float:
    if paired is None:
        return probability_a_better_separate(a, b, *weights, prior)
    counts = _discordant(a, b, u, paired)
    return probability_a_better_paired(counts, *weights, prior)


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
    return (*positives, *negatives)

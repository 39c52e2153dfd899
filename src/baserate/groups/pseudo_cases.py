"""Pseudo-cases: what an estimator adds to a small table, and how many a reference is worth.

How many is estimated from several groups, never from one.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import exp, inf, log
from numbers import Number
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import each_of, number_in, one_of
from baserate._result import Result
from baserate.counts import CELLS, ConfusionMatrix, named_tables, single_table
from baserate.errors import InvalidArgumentError

Method = Literal["empirical_bayes", "pooled"]
EPSILON = 1e-10  # what Briscoe et al. add so that nothing is divided by zero
TELLING = 2  # cases from which on a group says something: the likelihood of one case is flat
SMALLEST, LARGEST = 1e-3, 1e7  # strengths that are searched


class Shares(NamedTuple):
    """Four numbers in the order of a table's cells."""

    tp: float
    fn: float
    fp: float
    tn: float


@dataclass(frozen=True, slots=True)
class Estimator:
    """Adds pseudo-cases to the four counts; a metric is then read off the result.

    Attributes
    ----------
    name : str
    prior : Shares
        Pseudo-cases of tp, fn, fp, tn. All zero: the raw table, which may leave a metric undefined.

    Examples
    --------
    >>> from baserate.groups import Estimator
    >>> Estimator.toward((0.1, 0.2, 0.3, 0.4), strength=10).prior
    Shares(tp=1.0, fn=2.0, fp=3.0, tn=4.0)
    """

    name: str
    prior: Shares

    @classmethod
    def raw(cls) -> "Estimator":
        """Return the table as it is: risks are then given that the metric is defined."""
        return cls("raw", Shares(0.0, 0.0, 0.0, 0.0))

    @classmethod
    def epsilon(cls, amount: float = EPSILON) -> "Estimator":
        """Return the estimator that adds next to nothing, which decides all undefined cases."""
        return cls("epsilon", Shares(amount, amount, amount, amount))

    @classmethod
    def add_one(cls) -> "Estimator":
        """Return the estimator that adds one case to each cell (Laplace)."""
        return cls("add_one", Shares(1.0, 1.0, 1.0, 1.0))

    @classmethod
    def toward(cls, reference: Any, *, strength: float) -> "Estimator":
        """Return Cross-Prior Smoothing: `strength` pseudo-cases in the proportions of a reference.

        Parameters
        ----------
        reference : ConfusionMatrix or (tp, fn, fp, tn)
            Only its proportions matter.
        strength : float
            Non-negative; 0 is `raw`.
        """
        remedy = "pass a number of pseudo-cases; 10 is usual"
        weight = number_in("strength", strength, "[0, inf)", remedy)
        shares = shares_of("reference", reference)
        return cls(f"strength={weight:g}", Shares(*(weight * share for share in shares)))

    @property
    def strength(self) -> float:
        """Pseudo-cases in all."""
        return sum(self.prior)


def shares_of(argument: str, table: Any) -> Shares:
    """Return the proportions of a single table, or of four numbers, of which one is not zero."""
    cells = _cells(argument, table)
    total = sum(cells)
    if not total:
        rule = "must hold at least one case"
        remedy = "pass the counts of a table"
        raise InvalidArgumentError.from_rule(argument, rule, "no cases", remedy)
    return Shares(*(cell / total for cell in cells))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength(Result):
    """A strength estimated from several groups; ``float(strength)`` is the number.

    Attributes
    ----------
    value : float
        inf if the groups differ from their references by no more than luck.
    method : {"empirical_bayes", "pooled"}
    n_groups : int
        Groups of at least two cases; smaller ones say nothing about a strength.
    """

    value: float
    method: Method
    n_groups: int

    def __float__(self) -> float:
        return self.value


def estimate_strength(
    groups: Mapping[Any, ConfusionMatrix],
    *,
    reference: Any = "rest",
    method: Method = "empirical_bayes",
) -> Strength:
    """Estimate from several groups how closely they follow their references.

    "empirical_bayes" maximises the Dirichlet-multinomial likelihood of all groups together,
    Σ_g [log Γ(λ) - log Γ(n + λ) + Σ_c (log Γ(c + λq) - log Γ(λq))]. "pooled" is the ratio of
    moments Σ_g v_g / Σ_g max(0, D_g - v_g/n), v = n/(n - 1)(1 - Σ p²), D = Σ (p - q)², of observed
    shares p and reference shares q.

    Parameters
    ----------
    groups : mapping of group to ConfusionMatrix
        At least two.
    reference : "rest", ConfusionMatrix, (tp, fn, fp, tn), or mapping of group to one of these two
        "rest" compares each group with the sum of the others.
    method : {"empirical_bayes", "pooled"}

    Raises
    ------
    InvalidArgumentError
        Fewer than two groups of at least two cases: one group's data cannot choose the strength
        safely. A group with cases in a cell that its reference rules out.

    References
    ----------
    Bishop, Fienberg and Holland (1975), Discrete Multivariate Analysis, MIT Press, chapter 12.
    Minka (2000), Estimating a Dirichlet distribution, MIT.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import estimate_strength
    >>> compas = {"Black": ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692),
    ...           "White": ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)}
    >>> all_ = ConfusionMatrix(tp=389, fn=347, fp=1597, tn=4121)
    >>> round(float(estimate_strength(compas, reference=all_)), 1)
    55.6
    """
    chosen: Any = one_of("method", method, Method)
    shares = {g: shares_of("reference", t) for g, t in references(groups, reference).items()}
    if len(groups) < 2:
        rule = "must hold at least two groups to estimate a strength from"
        remedy = "one group cannot choose its own strength safely; pass a number, such as 5"
        raise InvalidArgumentError.from_rule("groups", rule, len(groups), remedy)
    cells = [(np.array([float(c) for c in t]), np.array(shares[g])) for g, t in groups.items()]
    telling = sum(float(c.sum()) >= TELLING for c, _ in cells)
    if telling < 2:
        rule = "must hold at least two groups of two cases or more"
        remedy = "smaller groups say nothing about a strength; pass a number, such as 5"
        raise InvalidArgumentError.from_rule("groups", rule, telling, remedy)
    value = _marginal(cells) if chosen == "empirical_bayes" else _moments(cells)
    return Strength(value=value, method=chosen, n_groups=telling)


def best_for_cells(p: Array, q: Array) -> float:
    """Return (1 - Σ p²)/Σ (p - q)² for shares of any shape: the best strength, whatever n is."""
    apart = float(((p - q) ** 2).sum())
    return (1 - float((p * p).sum())) / apart if apart else inf


def references(groups: Mapping[Any, ConfusionMatrix], reference: Any) -> dict[Hashable, Any]:
    """Return each group's reference: its own, for "rest" the others, or the given one."""
    named_tables("groups", groups)
    if isinstance(reference, Mapping):
        return {group: _own(group, reference) for group in groups}
    if not isinstance(reference, str):
        return dict.fromkeys(groups, reference)
    one_of("reference", reference, ("rest",))
    if len(groups) < 2:
        rule = 'must hold at least two groups for reference="rest"'
        remedy = "pass the table of a reference"
        raise InvalidArgumentError.from_rule("groups", rule, len(groups), remedy)
    return {g: sum(t for other, t in groups.items() if other != g) for g in groups}


def _own(group: Hashable, reference: Mapping[Any, Any]) -> Any:
    if group not in reference:
        rule = "must hold a reference for every group"
        given = f"none for {group!r}"
        raise InvalidArgumentError.from_rule("reference", rule, given, "add its table")
    return reference[group]


def _marginal(cells: list[tuple[Array, Array]]) -> float:
    """Maximise the likelihood in log λ; a maximum at the far end means there is none."""
    if any((c[q == 0] > 0).any() for c, q in cells):
        rule = "must not have an empty cell that the group has cases in"
        remedy = 'add half a case to each cell of the reference, or take method="pooled"'
        raise InvalidArgumentError.from_rule("reference", rule, "an empty cell", remedy)

    def loss(log_strength: float) -> float:
        return -sum(_log_likelihood(exp(log_strength), c, q) for c, q in cells)

    grid = np.linspace(log(SMALLEST), log(LARGEST), 93)
    best = int(np.argmin([loss(x) for x in grid]))
    if best == grid.size - 1:
        return inf
    ends = (grid[max(best - 1, 0)], grid[best + 1])
    from scipy.optimize import minimize_scalar

    found: Any = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-10})
    return exp(float(found.x))


def _log_likelihood(strength: float, c: Array, q: Array) -> float:
    from scipy.special import gammaln

    c, prior = c[q > 0], strength * q[q > 0]
    n = c.sum()
    return float(
        gammaln(strength) - gammaln(n + strength) + (gammaln(c + prior) - gammaln(prior)).sum()
    )


def _moments(cells: list[tuple[Array, Array]]) -> float:
    noise, excess = 0.0, 0.0
    for c, q in cells:
        n = c.sum()
        if n < 2:
            continue
        p = c / n
        v = n / (n - 1) * (1 - (p * p).sum())
        noise += v
        excess += max(0.0, float(((p - q) ** 2).sum() - v / n))
    return float(noise / excess) if excess else inf


def _cells(argument: str, table: Any) -> tuple[float, ...]:
    if not isinstance(table, ConfusionMatrix):
        values = [] if isinstance(table, str) or table is None else each_of(argument, table, Number)
        if len(values) != 4:
            rule = "must be a ConfusionMatrix or four numbers tp, fn, fp, tn"
            remedy = "pass the counts or the shares of the reference"
            raise InvalidArgumentError.from_rule(argument, rule, table, remedy)
        table = ConfusionMatrix(**dict(zip(CELLS, values, strict=True)))
    return tuple(float(cell) for cell in single_table(argument, table))

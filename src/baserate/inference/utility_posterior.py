"""What a table leaves open about a yield, and how probably one classifier yields more.

Counts have decisions in rows and classes in columns, as utilities have. The posterior of the cell
shares is Dirichlet(counts + prior). If the class shares are known, it is a Dirichlet law of the
decisions within each class. Nothing here is simulated.
"""

from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import float_array, numbers_in
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.bounded_law import BoundedLaw, DirichletLinear
from baserate.inference.highest_of_laws import exceeds
from baserate.inference.sums import TwoBetas, TwoLinear
from baserate.metrics.utilities import decision_counts


def utility_array(utilities: Any, shape: tuple[int, ...]) -> Array:
    """Return finite utilities of the shape that the counts have."""
    array = float_array("utilities", getattr(utilities, "matrix", utilities))
    if array.shape != shape:
        rule = f"must have the shape of the counts, {shape}"
        remedy = "give each pair of decision and class a utility"
        raise InvalidArgumentError.from_rule("utilities", rule, array.shape, remedy)
    if not np.isfinite(array).all():
        rule, given = "must be finite", array[~np.isfinite(array)].flat[0].item()
        raise InvalidArgumentError.from_rule("utilities", rule, given, "pass numbers")
    return array


LEAST_PRIOR, MOST_PRIOR = 1e-100, 1e100  # of a prior count: beyond, laws overflow or never end


def with_prior(counts: Array, prior: Any) -> Array:
    """Return counts plus prior counts, a positive number or one for each cell."""
    added = np.asarray(numbers_in("prior", prior, "(0, inf)", "1 and 0.5 are usual"))
    if not LEAST_PRIOR <= added.min(initial=1) <= added.max(initial=1) <= MOST_PRIOR:
        rule, remedy = f"must lie between {LEAST_PRIOR:g} and {MOST_PRIOR:g}", "1 and 0.5 are usual"
        raise InvalidArgumentError.from_rule("prior", rule, prior, remedy)
    if added.ndim and added.shape != counts.shape:
        rule = f"must be a number, or have the shape of the counts, {counts.shape}"
        raise InvalidArgumentError.from_rule("prior", rule, added.shape, "pass a number")
    return counts + added


def shares_of_classes(class_shares: Any, n_classes: int) -> Array:
    """Return non-negative shares that add up to one."""
    shares = np.atleast_1d(
        numbers_in("class_shares", class_shares, "[0, 1]", "pass the share of each class")
    )
    if shares.shape != (n_classes,) or abs(shares.sum() - 1) > 1e-9:
        rule = f"must be {n_classes} shares that add up to 1"
        raise InvalidArgumentError.from_rule(
            "class_shares", rule, class_shares, "pass for example [0.1, 0.9]"
        )
    return shares / shares.sum()


def yield_posterior(
    counts: Any, utilities: Any, *, prior: Any = 1.0, class_shares: Any = None
) -> BoundedLaw:
    """Return the posterior law of the yield Σ U[d][c] θ[d][c], the mean utility per case.

    Without class shares θ ~ Dirichlet(counts + prior) over all cells, for any number of decisions
    and classes. With known shares π of two classes, θ[d][c] = π[c] φ[d][c], where the decisions
    within each class have φ ~ Dirichlet: with two decisions, recall and specificity are
    independent Beta variables.

    Parameters
    ----------
    counts : array of shape (n_decisions, n_classes), ConfusionMatrix or ClassTable
        Numbers of cases; weights may be used if they count effective cases.
    utilities : array of the same shape, or UtilityMatrix
        A ConfusionMatrix is turned to have the positive class where the UtilityMatrix has it; an
        array of utilities has it first.
    prior : float or array of that shape
        Positive number added to each count: 1 for a uniform prior, 0.5 for Jeffreys' one.
    class_shares : sequence of float, optional
        Share of each class where the classifier will be used, in the order of the columns of
        `utilities`. None: as uncertain as the counts.

    Returns
    -------
    BoundedLaw
        With ``mean``, ``variance``, ``sd``, ``interval(confidence_level)``, ``quantile(q)``, and
        ``cdf``, ``sf``, ``pdf`` of a number or an array, all exact up to rounding.

    Raises
    ------
    InvalidArgumentError, UnsupportedError
        Shapes differ, or a number is out of range; known class shares of more than two classes.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), Does the evaluation stand up to evaluation?,
    doi:10.31219/osf.io/7rz8t, for the yield and the numbers below.

    Examples
    --------
    >>> from baserate.inference import yield_posterior
    >>> a = [[27, 15], [23, 35]]
    >>> utilities = [[15, -335], [-35, 165]]
    >>> y = yield_posterior(a, utilities)
    >>> print(f"{y.mean:.2f}, sd {y.sd:.1f}, 95%", "{:.1f} to {:.1f}".format(*y.interval()))
    1.54, sd 16.0, 95% -31.3 to 31.5
    >>> y = yield_posterior(a, utilities, class_shares=[0.9, 0.1])
    >>> print("{:.1f} to {:.1f}".format(*y.interval()))
    -15.0 to 2.3
    """
    table = decision_counts("counts", counts, utilities)
    u = utility_array(utilities, _flat(table).shape)
    alpha = with_prior(table, prior)
    if class_shares is None:
        return DirichletLinear(u, alpha)
    return _at_shares(u, alpha, shares_of_classes(class_shares, table.shape[1]))


def probability_a_better_separate(
    a: Any, b: Any, utilities: Any, *, class_shares: Any = "pooled", prior: Any = 1.0
) -> float:
    """P(classifier A yields more than B), each tested on cases of its own; 0 where nothing matters.

    With two decisions, two classes and known class shares π it is
    P(π₀ s (T_A - T_B) + π₁ t (N_A - N_B) > 0), where s = U[0][0] - U[1][0], t = U[1][1] - U[0][1],
    and the rates of right decisions T and N within each class are independent Beta(right + prior,
    wrong + prior): two nested integrals, with an error below 1e-10. "pooled" takes the shares from
    both tables together, "free" leaves each classifier with its own, for any number of decisions.
    """
    first, second = decision_counts("a", a, utilities), decision_counts("b", b, utilities)
    u = utility_array(utilities, _flat(first).shape)
    if second.shape != first.shape:
        rule, remedy = f"must have the shape of a, {first.shape}", "list the same decisions"
        raise InvalidArgumentError.from_rule("b", rule, second.shape, remedy)
    alpha_a, alpha_b = with_prior(first, prior), with_prior(second, prior)
    if isinstance(class_shares, str) and class_shares == "free":
        return exceeds(DirichletLinear(u, alpha_a), DirichletLinear(u, alpha_b))
    shares = known_shares(class_shares, first, second)
    if u.shape != (2, 2):
        raise UnsupportedError(
            f"known class shares need two decisions and two classes, and utilities have shape "
            f'{u.shape}: pass class_shares="free".'
        )
    return exceeds(_at_shares(u, alpha_a, shares), _at_shares(u, alpha_b, shares))


def probability_a_better_paired(discordant: Any, utilities: Any, *, prior: Any = 1.0) -> float:
    """P(classifier A yields more than B), both tested on the same cases; 0 where nothing matters.

    Cases that both get right or both get wrong do not matter. With the others counted, it is
    P(s (G₁ - G₂) + t (G₃ - G₄) > 0) for G ~ Gamma(count + prior), s = U[0][0] - U[1][0] and
    t = U[1][1] - U[0][1]: one integral, its error below 1e-12. `discordant` holds cases of class
    0 that only A got right, that only B did, of class 1 the same; or how often A decided i and B
    decided j in class c, an array of shape (n_decisions, n_decisions, n_classes).
    """
    table = float_array("discordant", discordant, InvalidCountError)
    if table.shape == (4,):
        u = utility_array(utilities, (2, 2))
        s, t = u[0, 0] - u[1, 0], u[1, 1] - u[0, 1]
        gain = np.array([s, -s, t, -t])
    elif table.ndim == 3 and table.shape[0] == table.shape[1]:
        u = utility_array(utilities, table.shape[1:])
        gain = u[:, None, :] - u[None, :, :]
    else:
        rule = "must be four counts, or have shape (n_decisions, n_decisions, n_classes)"
        remedy = "pass [class 0 only A right, only B right, class 1 only A right, only B right]"
        raise InvalidArgumentError.from_rule("discordant", rule, table.shape, remedy)
    counts = decision_counts("discordant", table[None]).reshape(table.shape)
    alpha, matters = with_prior(counts, prior), gain != 0
    if not matters.any():
        return 0.0
    return float(DirichletLinear(gain[matters], alpha[matters]).sf(0.0))


def known_shares(class_shares: Any, *tables: Array) -> Array:
    """Return the class shares that were given, or those of all tables together."""
    if isinstance(class_shares, str):
        if class_shares != "pooled":
            rule, remedy = 'must be "pooled", "free" or shares', "pass for example [0.1, 0.9]"
            raise InvalidArgumentError.from_rule("class_shares", rule, class_shares, remedy)
        totals = np.sum([table.sum(axis=0) for table in tables], axis=0)
        if not totals.sum():
            rule, remedy = "cannot be taken from tables without cases", "pass class_shares=[...]"
            remedy += ', or class_shares="free"'
            raise InvalidArgumentError.from_rule("class_shares", rule, "pooled", remedy)
        return totals / totals.sum()
    return shares_of_classes(class_shares, tables[0].shape[1])


def _flat(table: Array) -> Array:
    """Return the table, if it is a single one."""
    if table.ndim != 2:
        rule, remedy = "must be a single table", "ask for one table at a time"
        raise InvalidArgumentError.from_rule("counts", rule, table.shape, remedy)
    return table


def _at_shares(u: Array, alpha: Array, shares: Array) -> BoundedLaw:
    """Return the law of the yield at known class shares."""
    if u.shape[1] > 2:
        raise UnsupportedError(
            f"known class shares of {u.shape[1]} classes would need {u.shape[1] - 1} nested "
            "integrals: leave class_shares out, which treats them as uncertain."
        )
    parts = [
        DirichletLinear(share * u[:, c], alpha[:, c]) for c, share in enumerate(shares.tolist())
    ]
    moving = [part for part in parts if part.weights.size > 1]
    start = sum(float(part.weights[0]) for part in parts if part.weights.size == 1)
    if len(moving) < 2:
        part = moving[0] if moving else DirichletLinear([0.0], [1.0])
        return DirichletLinear(part.weights + start, part.concentration)
    if u.shape[0] > 2:
        return TwoLinear(*moving)
    first, second = (_as_beta(part) for part in moving)
    a, b = (float(np.ptp(part.weights)) for part in moving)
    return TwoBetas(first, second, a, b, sum(float(part.weights[0]) for part in moving))


def _as_beta(law: DirichletLinear) -> Beta:
    """Return the law of the share of the larger of two weights."""
    rest, share = law.concentration.tolist()
    return Beta(share, rest)

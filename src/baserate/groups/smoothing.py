"""Cross-Prior Smoothing: a group's shares, steadied by those of a reference."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isinf, isnan, nan
from typing import Any, ClassVar

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, float_array, number_in, yes_or_no
from baserate._result import Result, record
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError
from baserate.groups.pseudo_cases import (
    Estimator,
    Shares,
    Strength,
    best_for_cells,
    estimate_strength,
    references,
    shares_of,
)
from baserate.groups.smoothing_checks import Checks, Dirichlet, coverage
from baserate.inference.binary_intervals import Interval
from baserate.inference.metric_limits import Limits
from baserate.metrics import Metric, binary_metric
from baserate.models import Multinomial

ESTIMATED = ("empirical_bayes", "pooled")


@dataclass(frozen=True, kw_only=True)
class Smoothed(Result):
    """A group's four shares after smoothing, what they rest on, and whether it helps.

    Attributes
    ----------
    group : ConfusionMatrix
    reference : Shares
        Of tp, fn, fp, tn in the reference.
    reference_size : float or None
        Cases in the reference, if a table was given.
    strength : float
        λ, the pseudo-cases borrowed from the reference.
    """

    derived: ClassVar[tuple[str, ...]] = ("probabilities", "table", "posterior", "weight")
    group: ConfusionMatrix
    reference: Shares
    reference_size: float | None
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """Return the smoothed shares and what they rest on as plain JSON values."""
        shares = {"reference": self.reference._asdict(), "weight": self.weight}
        return record(self) | shares | {"probabilities": self.probabilities._asdict()}

    @cached_property
    def posterior(self) -> Shares:
        """Concentration of the Dirichlet posterior, c + λ q, in the order tp, fn, fp, tn."""
        prior = Estimator.toward(self.reference, strength=self.strength).prior
        return Shares(*(float(c) + more for c, more in zip(self.group, prior, strict=True)))

    @cached_property
    def probabilities(self) -> Shares:
        """Smoothed shares (c + λ q)/(n + λ), in the order tp, fn, fp, tn."""
        return shares_of("group", self.posterior)

    @cached_property
    def table(self) -> ConfusionMatrix:
        """Expected counts, n times the smoothed shares; all zero for a group without cases."""
        n = float(self.group.n)
        return ConfusionMatrix(**{k: n * p for k, p in self.probabilities._asdict().items()})

    @property
    def weight(self) -> float:
        """Share n/(n + λ) that the group's own data keep; any disparity shrinks by this factor."""
        n = float(self.group.n)
        return n / (n + self.strength)

    @cached_property
    def checks(self) -> Checks:
        """Whether smoothing helps here; computed when asked for."""
        return Checks(
            group=self.group,
            reference=self.reference,
            reference_size=self.reference_size,
            strength=self.strength,
        )

    def value(self, metric: str | Metric) -> float:
        """Return a metric at the smoothed shares (a count: at the expected counts)."""
        metric = binary_metric(metric)
        if not metric.scale_invariant:
            return float(metric(self.table))
        return float(metric(self._at_shares))

    @cached_property
    def _at_shares(self) -> ConfusionMatrix:
        return ConfusionMatrix(**self.probabilities._asdict())

    def interval(self, metric: str | Metric, *, confidence_level: float = 0.95) -> Interval:
        """Return the equal-tailed credible interval of a metric under the posterior.

        It is shrunk towards the reference and may cover the truth much less often than it says; ask
        `coverage`.

        Raises
        ------
        UnsupportedError
            A cell is empty in both the group and the reference, and matters for the metric.
        """
        metric = binary_metric(metric)
        level = confidence(confidence_level)
        value = self.value(metric)
        law = Dirichlet(self.posterior, float(self.group.n))
        found = Limits(nan, nan, "undefined") if isnan(value) else law.limits(metric, level)
        return Interval(
            metric=metric.name,
            value=value,
            low=found.low,
            high=found.high,
            confidence_level=level,
            method="bayes",
            route=found.route,
            error=found.error,
            undefined=found.undefined,
            reason=metric.undefined_reason(self.table) if isnan(value) else None,
        )

    def coverage(
        self, metric: str | Metric, *, confidence_level: float = 0.95, truth: Any = None
    ) -> float:
        """Return how often such an interval contains the truth, over samples of the group's size.

        Exact, by summing over samples: one of the interval's two tails must not exceed what the
        confidence level leaves to it.

        Parameters
        ----------
        metric : Metric or str
        confidence_level : float
        truth : ConfusionMatrix or (tp, fn, fp, tn), optional
            Shares from which samples are drawn. None takes the group's own observed shares, the
            point estimate that smoothing has not touched.

        Raises
        ------
        UnsupportedError
            Not a proportion, and more than 25,000 likely tables.

        Examples
        --------
        Twenty cases like the Black defendants of COMPAS, nominal level 95 %:

        >>> from baserate import ConfusionMatrix, smooth
        >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
        >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
        >>> twenty = ConfusionMatrix(tp=2, fn=1, fp=6, tn=11)
        >>> smoothed = smooth(twenty, rest, strength=20)
        >>> round(smoothed.coverage("false_positive_rate", truth=black), 3)
        0.79
        """
        n = int(self.group.n)
        cells = self.group if truth is None else truth
        if self.group.is_weighted or not n:
            rule = "must hold whole cases, at least one, to say how often an interval is right"
            remedy = "pass counts, not weights"
            raise InvalidArgumentError.from_rule("group", rule, self.group, remedy)
        prior = Estimator.toward(self.reference, strength=self.strength).prior
        model = Multinomial(n=n, cells=shares_of("truth", cells))
        return coverage(binary_metric(metric), model, prior, confidence_level)


def smooth(group: ConfusionMatrix, reference: Any, *, strength: Any = 10) -> Smoothed:
    """Return a group's shares after Cross-Prior Smoothing, (c + λ q)/(n + λ).

    They are the posterior mean under a Dirichlet prior centred on the reference's shares q, worth λ
    cases. Each share has bias λ/(n + λ) (q - p) and variance n p(1 - p)/(n + λ)². Adding eps to
    each cell is the same with q uniform and λ = 4 eps.

    Parameters
    ----------
    group : ConfusionMatrix
        The small group's counts.
    reference : ConfusionMatrix or (tp, fn, fp, tn)
        Counts of the cases to borrow from, the group not among them; or shares.
    strength : float or Strength
        λ, pseudo-cases borrowed. 5 had the smallest worst case of all strengths tried on the ten
        groups of Briscoe et al.; 10 and 20 helped more on average. `estimate_strength` estimates it
        from several groups; one group cannot.

    Returns
    -------
    Smoothed
        ``.probabilities``, ``.table``, ``.posterior``, ``.checks``, ``.interval(metric)``.

    Raises
    ------
    InvalidArgumentError
        A negative or infinite strength, a batch of tables, an empty reference, or no case at all.

    See Also
    --------
    smooth_groups : all groups at a time, with a strength estimated from them.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS. Bishop, Fienberg and Holland (1975), Discrete Multivariate Analysis, MIT Press.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, smooth
    >>> group = ConfusionMatrix(tp=3, fn=0, fp=1, tn=6)
    >>> rest = ConfusionMatrix(tp=300, fn=100, fp=50, tn=550)
    >>> smoothed = smooth(group, rest, strength=10)
    >>> smoothed.probabilities
    Shares(tp=0.3, fn=0.05, fp=0.075, tn=0.575)
    >>> round(smoothed.value("recall"), 3), smoothed.weight
    (0.857, 0.5)
    """
    single_table("group", group)
    shares = shares_of("reference", reference)
    size = float(reference.n) if isinstance(reference, ConfusionMatrix) else None
    weight = _strength(strength)
    if not float(group.n) + weight:
        rule = "must hold cases if strength is 0"
        raise InvalidArgumentError.from_rule("group", rule, group, "pass a positive strength")
    return Smoothed(group=group, reference=shares, reference_size=size, strength=weight)


def smooth_groups(
    groups: Mapping[Any, ConfusionMatrix], *, reference: Any = "rest", strength: Any = 10
) -> dict[Hashable, Smoothed]:
    """Smooth every group, each towards its own reference.

    Parameters
    ----------
    groups : mapping of group to ConfusionMatrix
    reference : "rest", ConfusionMatrix, (tp, fn, fp, tn), or mapping of group to one of these two
        "rest" takes for each group the sum of the others.
    strength : float, Strength, "empirical_bayes" or "pooled"
        A name estimates the strength from all groups together (see `estimate_strength`).

    Raises
    ------
    InvalidArgumentError
        As `smooth` and `estimate_strength`; also where an estimate is infinite.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import smooth_groups
    >>> groups = {"a": ConfusionMatrix(tp=3, fn=0, fp=1, tn=6),
    ...           "b": ConfusionMatrix(tp=30, fn=10, fp=5, tn=55)}
    >>> {g: round(s.value("recall"), 3) for g, s in smooth_groups(groups, strength=5).items()}
    {'a': 0.9, 'b': 0.759}
    """
    if isinstance(strength, str) and strength in ESTIMATED:
        method: Any = strength
        strength = estimate_strength(groups, reference=reference, method=method)
    tables = references(groups, reference)
    return {g: smooth(table, tables[g], strength=strength) for g, table in groups.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothedMulticlass(Result):
    """A K x K confusion matrix after smoothing; rows are the truth.

    Attributes
    ----------
    probabilities : array of shape (K, K)
        They sum to one.
    table : array of shape (K, K)
        Expected counts, n times the probabilities.
    strength : float
    best_strength : float
        λ* = (1 - Σ p²)/Σ (p - q)² at the observed shares; nan for row-wise smoothing, whose rows
        each have one of their own, and without cases.
    """

    probabilities: Array
    table: Array
    strength: float
    best_strength: float


def smooth_multiclass(
    group: Any, reference: Any, *, strength: float = 10, per_row: bool = False
) -> SmoothedMulticlass:
    """Return (C + λ Q)/(n + λ) for a K x K matrix of counts C and the reference's shares Q.

    Parameters
    ----------
    group, reference : arrays of shape (K, K)
        Counts, or for the reference also shares; rows are the truth.
    strength : float
        λ, the pseudo-cases borrowed; with `per_row`, borrowed by each row.
    per_row : bool
        Smooth each row towards the reference's row, (n_r/n) (C_rc + λ Q_rc/Q_r)/(n_r + λ): the
        group's class shares n_r/n stay as they are.

    Raises
    ------
    InvalidArgumentError
        Not two square arrays of one shape with non-negative finite entries; an empty reference, or
        (with `per_row`) an empty row of it that the group needs; nothing to divide by.

    References
    ----------
    Briscoe et al. (2025), Algorithmic Accountability in Small Data, AISTATS.

    Examples
    --------
    >>> from baserate.groups import smooth_multiclass
    >>> group = [[3, 1, 0], [0, 2, 0], [0, 0, 4]]
    >>> reference = [[30, 5, 5], [10, 20, 10], [0, 5, 35]]
    >>> smooth_multiclass(group, reference, strength=5).table.sum(axis=1).round(2)
    array([3.78, 2.44, 3.78])
    >>> smooth_multiclass(group, reference, strength=5, per_row=True).table.sum(axis=1)
    array([4., 2., 4.])
    """
    per_row = yes_or_no("per_row", per_row)
    counts, shares = (_square(k, x) for k, x in (("group", group), ("reference", reference)))
    if counts.shape != shares.shape:
        rule = f"must have the shape of the reference, {shares.shape}"
        raise InvalidArgumentError.from_rule("group", rule, counts.shape, "use the same classes")
    weight = number_in("strength", strength, "[0, inf)", "pass a number of pseudo-cases")
    n = float(counts.sum())
    if not n and (per_row or not weight):
        rule = "must hold cases with strength 0, or row by row"
        raise InvalidArgumentError.from_rule("group", rule, "no cases", "pass the group's counts")
    shares = shares / shares.sum()
    if per_row:
        probabilities = _by_row(counts, shares, weight)
        best = np.nan
    else:
        probabilities = (counts + weight * shares) / (n + weight)
        best = best_for_cells(counts / n, shares) if n else np.nan
    return SmoothedMulticlass(
        probabilities=probabilities, table=n * probabilities, strength=weight, best_strength=best
    )


def _strength(strength: Any) -> float:
    if isinstance(strength, str):
        rule = "must be a number for a single group"
        remedy = (
            "one group cannot choose its own strength safely: pass 5 or 10, or what "
            "estimate_strength finds in several groups"
        )
        raise InvalidArgumentError.from_rule("strength", rule, strength, remedy)
    if isinstance(strength, Strength) and isinf(strength.value):
        rule = "must be finite, and these groups differ from their references by luck only"
        remedy = "use the reference's own shares, or pass a number of pseudo-cases"
        raise InvalidArgumentError.from_rule("strength", rule, strength.value, remedy)
    remedy = "pass a number of pseudo-cases; 10 is usual"
    return number_in("strength", strength, "[0, inf)", remedy)


def _by_row(counts: Array, shares: Array, weight: float) -> Array:
    size, whole = counts.sum(axis=1, keepdims=True), shares.sum(axis=1, keepdims=True)
    missing = np.flatnonzero((size > 0) & (whole == 0))
    if missing.size and weight:
        rule = "must have cases in every class that the group has, to be smoothed row by row"
        given = f"none in row {missing[0]}"
        raise InvalidArgumentError.from_rule("reference", rule, given, "use per_row=False")
    given = shares / np.where(whole, whole, 1)
    smoothed = (counts + weight * given) / np.where(size + weight, size + weight, 1)
    return size / size.sum() * smoothed


def _square(argument: str, value: Any) -> Array:
    array = float_array(argument, value)
    right = array.ndim == 2 and array.shape[0] == array.shape[1] and array.size > 0
    if not right or not np.isfinite(array).all() or (array < 0).any():
        rule = "must be a square array of non-negative finite numbers"
        raise InvalidArgumentError.from_rule(argument, rule, value, "rows are the truth")
    if argument == "reference" and not array.sum():
        rule = "must hold at least one case"
        raise InvalidArgumentError.from_rule(argument, rule, value, "pass the reference's counts")
    return array

"""Cross-Prior Smoothing: a group's shares, steadied by those of a reference."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isinf, isnan, nan
from typing import Any, ClassVar

from baserate._checks import number_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.groups.coverage import Dirichlet, coverage
from baserate.groups.estimators import Estimator, Shares, shares_of, single
from baserate.groups.smoothing_checks import Checks
from baserate.groups.strength import Strength, estimate_strength, references
from baserate.inference import Interval
from baserate.metrics import Metric, get
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

    @property
    def posterior(self) -> Shares:
        """Concentration of the Dirichlet posterior, c + λ q, in the order tp, fn, fp, tn."""
        prior = Estimator.toward(self.reference, strength=self.strength).prior
        return Shares(*(float(c) + more for c, more in zip(self.group, prior, strict=True)))

    @property
    def probabilities(self) -> Shares:
        """Smoothed shares (c + λ q)/(n + λ), in the order tp, fn, fp, tn."""
        return shares_of("group", self.posterior)

    @property
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
        metric = get(metric)
        if not metric.scale_invariant:
            return float(metric(self.table))
        return float(metric(ConfusionMatrix(**self.probabilities._asdict())))

    def interval(self, metric: str | Metric, *, confidence_level: float = 0.95) -> Interval:
        """Return the equal-tailed credible interval of a metric under the posterior.

        It is shrunk towards the reference and may cover the truth much less often than it says; ask
        `coverage`.

        Raises
        ------
        UnsupportedError
            A cell is empty in both the group and the reference, and matters for the metric.
        """
        metric = get(metric)
        level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
        value = self.value(metric)
        law = Dirichlet(self.posterior, float(self.group.n))
        found = None if isnan(value) else law.limits(metric, level)
        return Interval(
            metric=metric.name,
            value=value,
            low=found.low if found else nan,
            high=found.high if found else nan,
            confidence_level=level,
            method="bayes",
            route=found.route if found else "undefined",
            error=found.error if found else 0.0,
            undefined=found.undefined if found else 0.0,
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
        return coverage(get(metric), model, prior, confidence_level)


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
    >>> group = ConfusionMatrix(tp=3, fn=0, fp=1, tn=6)
    >>> rest = ConfusionMatrix(tp=300, fn=100, fp=50, tn=550)
    >>> smoothed = smooth(group, rest, strength=10)
    >>> smoothed.probabilities
    Shares(tp=0.3, fn=0.05, fp=0.075, tn=0.575)
    >>> round(smoothed.value("recall"), 3), smoothed.weight
    (0.857, 0.5)
    """
    single("group", group)
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

    Returns
    -------
    dict of group to Smoothed

    Raises
    ------
    InvalidArgumentError
        As `smooth` and `estimate_strength`; also where an estimate is infinite.

    Examples
    --------
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

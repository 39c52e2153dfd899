"""Is a group's score luck? The exact test of a group's score against a reference (MATCH)."""

from dataclasses import dataclass, field, replace
from functools import lru_cache, singledispatch
from math import inf, isnan, nan
from typing import Any, ClassVar, Literal

import numpy as np

from baserate._checks import one_of
from baserate._result import HIDDEN, Drawable
from baserate._windows import DEEP
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.groups.class_match import ClassNull, Draws, class_condition, twin
from baserate.groups.null import (
    NO_MASSES,
    Alternative,
    Condition,
    Law,
    Masses,
    Null,
    condition_of,
    count,
    how_often_defined,
    masses,
    sides,
    whole_of,
)
from baserate.inference.linearity import table_of_share
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.models import GivenClasses
from baserate.questions import pmf
from baserate.questions.quantiles import Atoms
from baserate.questions.question import share_error


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTest(Drawable):
    """How unusual a group's score is, if the group is like its reference; float() is the p-value.

    Attributes
    ----------
    metric : str
        Canonical name.
    value, reference_value : float
        The metric at the two tables; nan where undefined.
    percentile, lower : float
        P(M <= value | defined) under the null hypothesis; ties with the value are included.
    upper : float
        P(M >= value | defined).
    p_value : float
        min(1, 2 min(lower, upper)); one-sided: lower for "less", upper for "greater".
    error : float
        Both tails may be too large by so much, below 1e-18 unless the metric is rarely defined:
        what the sum leaves out is counted in full. So a p-value near it or below is an upper bound.
        0 for one count out of a fixed number, such as recall, and for up to 50,000 tables. If
        simulated, the standard error of the p-value.
    mid_p : float
        The same with half of P(M = value) in either tail: closer to its nominal level, and not
        guaranteed to stay below it.
    p_defined : float
        Probability that a table of as many cases has a value, under the null law with nothing
        held fixed (of class tables: with what is). nan for a metric that does not declare where it
        is undefined, beyond 1,373,701 tables.
    null : str
        The null hypothesis in words.
    condition : {"none", "denominator", "classes"}
        What was held fixed.
    law : {"multinomial", "dirichlet-multinomial", "permutation", "rao-scott", \
            "cluster-permutation"}
        "rao-scott" is approximate, for weights and clusters; see `rao_scott_test`. In an audit
        whole clusters are dealt out where that tells anything.
    uncertain_reference : bool
        Whether the law knows that the reference is a sample.
    alternative : {"two-sided", "less", "greater"}
    route : str
        How it was computed; "" if there was nothing to compute.
    reason : str or None
        Why there is no p-value, else None.
    group, reference : ConfusionMatrix or ClassTable
        What was compared.
    model : a model of tables, or None
        The null law with nothing held fixed; None if the reference is empty.
    measured : Metric or ClassMetric
        The metric itself.
    design_effect : float
        Of clusters, with which the variance is multiplied; 1 for independent cases.
    degrees_of_freedom : float
        Of Student's law, where that stands in for the exact one; else infinite.
    """

    metric: str
    value: float
    reference_value: float
    percentile: float
    lower: float
    upper: float
    p_value: float
    mid_p: float
    error: float
    p_defined: float
    null: str
    condition: str
    law: str
    uncertain_reference: bool
    alternative: str
    route: str
    reason: str | None
    group: Any = field(repr=False)
    reference: Any = field(repr=False)
    model: Any = field(repr=False, metadata=HIDDEN)
    measured: Any = field(repr=False, metadata=HIDDEN)
    design_effect: float = 1.0
    degrees_of_freedom: float = inf
    display: ClassVar[str] = "ChanceDisplay"

    def __float__(self) -> float:
        return self.p_value


def match_test(
    metric: str | Metric | ClassMetric,
    group: ConfusionMatrix | ClassTable | tuple[float, float],
    reference: Any,
    *,
    uncertain_reference: bool = True,
    condition: Condition = "auto",
    law: Law | None = None,
    alternative: Alternative = "two-sided",
    method: Literal["simulation"] | None = None,
    rng: Any = None,
    n_samples: int = 100_000,
) -> MatchTest:
    """Test whether a group's score could be luck if the group were like the reference.

    The group's score is compared with the exact law of the metric over tables of as many cases,
    drawn like the reference. Nothing is approximate, nor simulated unless that is asked for.

    Parameters
    ----------
    metric : Metric or str, or ClassMetric
        Any metric, your own included; of several classes "macro_f1", "accuracy", "mcc" and so on.
    group : ConfusionMatrix or ClassTable
        A single table of counted cases; of a share of cases, such as recall, two counts will do in
        place of either table: those that it counts, and the others, so that 18 of 20 is (18, 2).
    reference : ConfusionMatrix or ClassTable, or four probabilities (tp, fn, fp, tn)
        Cases that are not in the group. Probabilities are taken as known. A table of weights works
        with ``uncertain_reference=False`` only, which takes its shares as known.
    uncertain_reference : bool
        True: the reference is a sample, and the law is the Dirichlet-multinomial with its counts
        plus 1/2 per cell (the posterior prediction under the Jeffreys-type prior). A test of one
        count out of a fixed number (condition "denominator", or "none" and a proportion of all
        cases, such as accuracy) needs no four cells: with x of m in the reference the rate is
        Beta(x + 1/2, m - x + 1/2), and the count beta-binomial. False: the reference's shares are
        the truth, and the law is multinomial. That rejects far too often unless the
        reference is much larger than the group: 14.6% at a nominal 5% where both have 100 cases.
    condition : {"auto", "none", "denominator", "classes"}
        What is held fixed, and so which null hypothesis is tested.

        - "denominator", for a proportion: the group's own denominator, such as its positives for
          recall. The hypothesis is that the group has the reference's rate.
        - "classes", for any metric: the group's own class totals. The hypothesis is that the group
          has the reference's recall and false positive rate.
        - "none": nothing, as in the paper. The hypothesis is that all four cell probabilities are
          equal; a group with another base rate breaks it however fair the predictions are.
        - "auto": rates (one cell's share of two) given their denominator, other metrics with a
          direction given the class totals, those without one (base rate, predicted positive rate)
          with nothing held fixed. Given the number predicted positive, precision asks whether a
          positive prediction means the same in both groups. It is πr / (πr + (1 - π)f) at base rate
          π, recall r and false positive rate f, so a large group with the reference's r and f is
          rejected for its π alone; condition="classes" asks about r and f, as `audit` does.
    law : {None, "permutation", "contained"}
        None with an uncertain reference errs more often than it says where a large group is
        compared with a small reference: at a nominal 5% in up to 6.6% of samples for 1,000 cases
        beside 50, 8.4% beside 10 (the worst of all pairs up to 1,000 and rates; docs/small_groups).
        "permutation", which an audit takes: the exact law of a random split of all cases, those of
        the group and of `reference`, into two parts of their sizes (multivariate hypergeometric);
        its size is below the nominal level whatever the truth. "contained": the same test for a
        `reference` that includes the group, such as the overall table. Counts cannot show that; say
        it, for the overall table taken as an ordinary reference hides the group's difference from
        the rest.
    alternative : {"two-sided", "less", "greater"}
        "less": the group scores lower.
    method : {None, "simulation"}
        Of class tables whose law is too long to list: the p-value of random tables, the group among
        them, with its standard error in `error`.
    rng, n_samples
        For simulation.

    Returns
    -------
    MatchTest
        lower, upper, p_value and mid_p are nan, and `reason` says why, where the group's value is
        undefined, where the reference has no case of a total that is held fixed, such as no
        positives for recall, or where the group's class totals leave one value only, such as a
        precision of 0 without positives.

    Raises
    ------
    UnsupportedError
        The counts are weights, or there are too many tables to sum and no shorter exact route.
    InvalidArgumentError
        A batch of tables, probabilities that do not sum to 1, a condition that does not exist for
        the metric, or a reference that does not contain the group though `law` says so.

    Notes
    -----
    Of several classes the law is that of K x K tables, with 1/2 per cell if the reference is
    uncertain; class totals held fixed make the true classes independent. All tables are listed, up
    to 3 million: some 20 cases of three classes with nothing held fixed, 45 with the class totals.
    The number of right cases, as of accuracy, has its own law, whatever the size (with nothing held
    fixed 1/2 for right and wrong, not per cell). Of two classes a metric that has a form of four
    counts is tested by that, the second class positive; the result then holds those tables.

    A p-value is for one comparison; of many, some are small by luck: see `min_p` and
    `family_adjust`.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in small data,
    AISTATS, for the test with condition="none", uncertain_reference=False. Fisher (1935), Journal
    of the Royal Statistical Society 98:39, doi:10.2307/2342435, for holding totals fixed.

    Examples
    --------
    Violent recidivism, COMPAS: Black defendants against all others (Briscoe et al. 2025).

    >>> from baserate import ConfusionMatrix, match_test
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> test = match_test("recall", black, rest)
    >>> round(test.value, 3), round(test.reference_value, 3), test.p_value < 1e-6
    (0.616, 0.396, True)
    >>> test.null
    "given its 443 positives, the group has the reference's recall"

    A small group is compared just as exactly:

    >>> small = ConfusionMatrix(tp=3, fn=1, fp=4, tn=12)
    >>> round(match_test("recall", small, rest).p_value, 3)
    0.353
    >>> match_test("recall", ConfusionMatrix(tp=0, fn=0, fp=4, tn=12), rest).reason
    'no positives (tp + fn = 0)'

    Three classes, given that the group has 4, 3 and 3 cases of them:

    >>> from baserate import ClassTable
    >>> group = ClassTable([[1, 2, 1], [1, 1, 1], [0, 2, 1]])
    >>> others = ClassTable([[36, 3, 1], [4, 30, 6], [1, 4, 35]])
    >>> test = match_test("macro_f1", group, others)
    >>> round(test.value, 3), round(test.p_value, 4), test.route
    (0.306, 0.0009, 'enumeration')
    """
    side = one_of("alternative", alternative, Alternative)
    how: Any = {"uncertain": uncertain_reference, "law": law}
    draws = None if method is None else Draws(method, rng, n_samples)
    return _matched(group, reference, metric, condition, side, draws, how)


@singledispatch
def _matched(
    group: Any, reference: Any, metric: Any, condition: Any, side: Any, draws: Any, how: Any
) -> MatchTest:
    """Test a table of four counts, or two counts of a share."""
    if draws is not None:
        rule, remedy = "must be None for tables of four counts", "leave it out: their law is summed"
        raise InvalidArgumentError.from_rule("method", rule, draws.method, remedy)
    found = binary_metric(metric)
    if condition == "auto" and isinstance(group, tuple | list):
        condition = "denominator"  # of two counts no classes are known
    group, reference = (
        table_of_share(name, found, one)
        for name, one in (("group", group), ("reference", reference))
    )
    return match_of(Null.of(group, reference, **how), found, condition, side)


@_matched.register
def _matched_of_several(
    group: ClassTable, reference: Any, metric: Any, condition: Any, side: Any, draws: Any, how: Any
) -> MatchTest:
    metric = class_metric(metric)
    condition = class_condition(metric, one_of("condition", condition, Condition))
    null = ClassNull.of(group, reference, held=condition == "classes", **how)
    if (same := twin(metric, null, condition)) is not None:
        form, first, second = same
        return match_of(Null.of(first, second, **how), form, condition, side)
    value = float(metric(null.group))
    found, defined, reason = null.masses(metric, value, draws)
    test = outcome_of(null, metric, condition, side, found, reason, defined, value)
    if draws is None or found.route != draws.method or isnan(test.p_value):
        return test
    tails = 2 if side == "two-sided" else 1
    error = share_error(test.p_value / tails, round(draws.n_samples * defined))
    return replace(test, error=tails * error)


def match_of(
    null: Null, metric: Metric, condition: Condition, alternative: str = "two-sided"
) -> MatchTest:
    """Return the test of one metric, for a group that is asked about several."""
    chosen = condition_of(metric, condition)
    value = float(metric(null.group))
    found, reason = masses(null, metric, chosen, value)
    defined = how_often_defined(null, metric)
    return outcome_of(null, metric, chosen, alternative, found, reason, defined, value)


def no_test(null: Null, metric: Metric, condition: Condition, reason: str) -> MatchTest:
    """Return what is known of a test that cannot be computed: both values, and why."""
    chosen = condition_of(metric, condition)
    value = float(metric(null.group))
    return outcome_of(null, metric, chosen, "two-sided", NO_MASSES, reason, nan, value)


def outcome_of(
    null: Any,
    metric: Any,
    condition: str,
    side: str,
    found: Masses,
    reason: str | None,
    p_defined: float,
    value: float,
) -> MatchTest:
    """Return the test of a metric, given the masses around the group's value, or why it has none.

    `null` has the group and its reference, and says in words what is tested.
    """
    return MatchTest(
        metric=metric.name,
        value=value,
        reference_value=float(metric(null.reference)),
        p_defined=p_defined,
        null=null.in_words(metric, condition),
        condition=condition,
        law=null.law,
        uncertain_reference=null.uncertain,
        alternative=side,
        reason=reason,
        group=null.group,
        reference=null.reference,
        model=null.model,
        measured=metric,
        **found.tails(side),
    )


def null_law(test: MatchTest) -> Atoms:
    """Return the values that a group may score under the null hypothesis, and how often."""
    metric, model = test.measured, test.model
    if model is None:
        return Atoms(values=np.empty(0), probabilities=np.empty(0), route="", undefined=1.0)
    if (whole := whole_of(metric, test.condition)) is None:
        if test.condition == "classes":
            model = GivenClasses(model, n_positive=int(test.group.n_positive))
        return pmf(metric, model)
    null = Null(test.group, test.reference, model, test.law, uncertain=test.uncertain_reference)
    size = count(test.group, whole)
    window = model.split(*null.one_count(sides(metric)[0], whole), size).window(depth=DEEP)
    kept = window.pmf > 0 if size else np.zeros(len(window.pmf), dtype=bool)
    values = window.values[kept] / max(size, 1)
    return Atoms(values=values, probabilities=window.pmf[kept], route="closed form")


def expected_of(test: MatchTest) -> float:
    """Return what the reference would score with as many cases as the group.

    If class totals are held fixed: with the group's own positives and negatives.
    """
    metric, other = test.measured, test.reference
    if not (test.group.n and other.n):
        return test.reference_value
    expected = _expected(test.group, other, classes=test.condition == "classes")
    if expected is None:
        return nan if test.group.n_positive and test.group.n_negative else test.reference_value
    return float(metric(expected))


@lru_cache(maxsize=4)  # many metrics are asked of one group
def _expected(
    group: ConfusionMatrix, other: ConfusionMatrix, *, classes: bool
) -> ConfusionMatrix | None:
    """Return the reference at the group's size, or at its class totals; None without its rates."""
    if not classes:
        scaled = {name: group.n * float(cell) / other.n for name, cell in other.to_dict().items()}
        return ConfusionMatrix(**scaled)
    recall, specificity = (float(binary_metric(name)(other)) for name in ("recall", "specificity"))
    if isnan(recall) or isnan(specificity):
        return None
    rates = {"recall": recall, "specificity": specificity, "base_rate": group.base_rate}
    return ConfusionMatrix.from_rates(**rates, n=group.n)

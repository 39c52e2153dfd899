"""Many comparisons at once: which small p-values are more than the luck of looking often."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array
from baserate._checks import each_of, float_array, number_in, one_of
from baserate._holm import holm
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.groups.null import Alternative, Law, Null, no_law
from baserate.groups.tables import SAME, Held, Tables
from baserate.metrics import Metric, binary_metric

Adjustment = Literal["holm", "benjamini-hochberg"]


def adjust(p_values: Any, method: Adjustment = "holm") -> Array:
    """Adjust p-values for their number.

    Parameters
    ----------
    p_values : array-like of float, shape (m,)
        In [0, 1]. nan stands for a comparison that was not made: it stays nan and does not count.
    method : {"holm", "benjamini-hochberg"}
        "holm": the i-th smallest becomes max over j <= i of (m - j + 1) p_(j). Rejecting what is
        at most α keeps the chance of any false rejection below α, however the tests depend on one
        another. "benjamini-hochberg": min over j >= i of m p_(j) / j. It keeps the expected share
        of false rejections among the rejections below α, for independent or positively dependent
        tests.

    Raises
    ------
    InvalidArgumentError
        A p-value lies outside [0, 1].

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65. Benjamini and Hochberg (1995), Journal of
    the Royal Statistical Society B 57:289, doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> from baserate.groups import adjust
    >>> adjust([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06,  nan, 0.06])
    >>> adjust([0.01, 0.04, 0.03], method="benjamini-hochberg")
    array([0.03, 0.04, 0.04])
    """
    p = np.atleast_1d(float_array("p_values", p_values))
    chosen = one_of("method", method, Adjustment)
    known = ~np.isnan(p)
    if wrong := [x for x in p[known].tolist() if not 0 <= x <= 1]:
        remedy = "pass probabilities, nan where there is none"
        raise InvalidArgumentError.from_rule("p_values", "must lie in [0, 1]", wrong[0], remedy)
    adjusted = np.full(p.shape, nan)
    if chosen == "holm":
        adjusted[known] = holm(p[known])
    elif known.any():
        from scipy.stats import false_discovery_control

        adjusted[known] = false_discovery_control(p[known], method="bh")
    return adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class MinP(Result):
    """The p-values of several metrics, adjusted by the exact law of the smallest.

    Attributes
    ----------
    metrics : tuple of str
    p_values, adjusted : tuple of float
        Adjusted: P(smallest p-value of a group like the reference <= this one), and never below the
        p-value itself. nan if undefined.
    condition : {"classes", "predictions", "none"}
    null : str
        The one hypothesis that all of them test, in words.
    n_tables : int
        Tables over which the law was summed.
    reason : str or None
        Why there are no p-values, else None.
    """

    metrics: tuple[str, ...]
    p_values: tuple[float, ...]
    adjusted: tuple[float, ...]
    condition: str
    null: str
    n_tables: int
    reason: str | None = None
    _attained: Array = field(repr=False)
    _reached: Array = field(repr=False)

    def error_rate(self, alpha: float) -> float:
        """Return the chance of any p-value of at most `alpha`, if the hypothesis is true."""
        alpha = number_in("alpha", alpha, "[0, 1]", "0.05 is usual")
        return reached(self._attained, self._reached, alpha)

    def cut_off(self, alpha: float) -> float:
        """Return the largest c for which some p-value below c has probability at most `alpha`.

        p-values are discrete: c is the smallest attainable one that would let too many in. Above 1
        there is none: inf.
        """
        alpha = number_in("alpha", alpha, "[0, 1]", "0.05 is usual")
        if not len(self._reached):
            return nan
        within = int(np.searchsorted(self._reached, alpha * SAME, side="right"))
        return float(self._attained[within]) if within < len(self._attained) else inf


def min_p(
    metrics: Iterable[str | Metric],
    group: ConfusionMatrix,
    reference: Any,
    *,
    condition: Held = "classes",
    uncertain_reference: bool = True,
    law: Law | None = None,
    alternative: Alternative = "two-sided",
) -> MinP:
    """Test several metrics of one group at once, with the exact law of the smallest p-value.

    Metrics of one table depend on one another: a group with a low recall tends to have a low F1.
    Bonferroni and Holm know nothing of it. Here every table that the group could have had is
    listed, with its probability and the p-value of each metric; the adjusted p-value of a metric is
    the probability that the smallest p-value of a group like the reference is no larger. A
    complement, such as the miss rate beside recall, has the same p-value at every table, and adds
    nothing to the price.

    Rejecting whatever is adjusted to at most α errs with probability at most α when the hypothesis
    in `null` is true: that the group is like the reference, in what is not held fixed. A rejection
    says that it is not; which metric shows it best is description, not a further test.

    All metrics share one law of tables, which for an uncertain reference has 1/2 per cell. With
    condition="none" a proportion of all cases (accuracy, base rate, predicted positive rate) then
    has another p-value than from `match_test`, whose law of that one count has 1/2 on either side.
    The two differ noticeably for a small reference with a rate near 0 or 1; the error rate over
    samples of such a reference may then lie above α: prefer `match_test` with `adjust`.

    Parameters
    ----------
    metrics : iterable of Metric or str
    group, reference, uncertain_reference, law, alternative
        As in `match_test`.
    condition : {"classes", "predictions", "none"}
        "classes": the group's class totals; recall and false positive rate then have the p-values
        that they have given their denominators. "predictions": its predicted totals; so have
        precision and negative predictive value. "none": nothing.

    Raises
    ------
    UnsupportedError
        There are more than 1,373,701 tables, as many as have 200 cases. With class totals fixed,
        (n_positive + 1)(n_negative + 1) are listed.
    InvalidArgumentError
        No metric, or what `match_test` refuses.

    References
    ----------
    Westfall and Young (1993), Resampling-based multiple testing, Wiley; here by enumeration instead
    of resampling.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, min_p
    >>> group = ConfusionMatrix(tp=2, fn=8, fp=12, tn=78)
    >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> found = min_p(["recall", "fpr", "f1", "mcc"], group, rest)
    >>> [round(p, 3) for p in found.p_values], [round(p, 3) for p in found.adjusted]
    ([0.355, 0.255, 0.365, 0.435], [0.542, 0.404, 0.542, 0.606])
    """
    chosen = tuple(map(binary_metric, each_of("metrics", metrics, str | Metric)))
    if not chosen:
        remedy = 'pass for example ["recall", "precision"]'
        raise InvalidArgumentError.from_rule("metrics", "must not be empty", (), remedy)
    one_of("condition", condition, Held)
    one_of("alternative", alternative, Alternative)
    null = Null.of(group, reference, uncertain=uncertain_reference, law=law)
    reason = _no_law(null, condition)
    attained = cumulated = np.empty(0)
    observed, n_tables = (nan,) * len(chosen), 0
    if reason is None and null.model is not None:
        tables = Tables.of(null.group, condition)
        weights, at = tables.weights(null.model), tables.index(null.group)
        lowest, observed = smallest(chosen, tables, weights, at, alternative)
        attained, cumulated = law_of(lowest, weights)
        n_tables = tables.size
    return MinP(
        metrics=tuple(metric.name for metric in chosen),
        p_values=observed,
        adjusted=tuple(adjusted(attained, cumulated, p) for p in observed),
        condition=condition,
        null=_in_words(null, condition),
        n_tables=n_tables,
        reason=reason,
        _attained=attained,
        _reached=cumulated,
    )


def smallest(
    metrics: Sequence[Metric], tables: Tables, weights: Array, at: int | None, alternative: str
) -> tuple[Array, tuple[float, ...]]:
    """Return the smallest p-value of every table, and each metric's p-value at the group's.

    0 for a group's table that is too unlikely to be listed (`at` is None).
    """
    lowest, seen = np.ones(tables.size), dict[Any, float]()
    for metric in metrics:
        if (key := same_p(metric, alternative)) not in seen:
            p = tables.p_values(metric, weights, alternative)
            seen[key] = 0.0 if at is None else float(p[at])
            lowest = np.fmin(lowest, p)
    return lowest, tuple(seen[same_p(metric, alternative)] for metric in metrics)


def same_p(metric: Metric, alternative: str) -> Any:
    """Return a key that metrics with the same two-sided p-value at every table share."""
    if metric.proportion is None or alternative != "two-sided":
        return metric
    return frozenset(map(frozenset, metric.proportion))


def law_of(lowest: Array, weights: Array) -> tuple[Array, Array]:
    """Return the attainable smallest p-values, ascending, and the probability of at most each."""
    order = np.argsort(lowest)
    ordered, total = lowest[order], np.cumsum(weights[order])
    last = np.append(ordered[1:] > ordered[:-1] * SAME, True)
    return ordered[last], np.minimum(total[last] / total[-1], 1.0)


def reached(attained: Array, total: Array, p: float) -> float:
    """Return the probability of a smallest p-value of at most p."""
    if isnan(p) or not len(attained):
        return nan
    at = int(np.searchsorted(attained, p * SAME, side="right"))
    return float(total[at - 1]) if at else 0.0


def adjusted(attained: Array, total: Array, p: float) -> float:
    """Return the adjusted p-value of p.

    Doubling the smaller tail errs to the safe side, so that p may exceed its own probability; an
    adjusted p-value below the one it adjusts would only puzzle.
    """
    return float(np.maximum(p, reached(attained, total, p)))


def _no_law(null: Null, held: str) -> str | None:
    if not null.group.n:
        return "no cases"
    named = {"classes": "recall", "predictions": "precision", "none": "accuracy"}
    if held != "predictions":
        return no_law(null, binary_metric(named[held]), held)
    rates = ("precision", "negative_predictive_value")
    reasons = (no_law(null, binary_metric(rate), "denominator") for rate in rates)
    return next((reason for reason in reasons if reason is not None), None)


def _in_words(null: Null, held: str) -> str:
    if held != "predictions":
        return null.in_words(binary_metric("f1"), held)
    t, other = null.group, f"the {null.other}'s"
    given = f"given its {t.n_predicted} cases predicted positive and {t.n_predicted_negative} not"
    return f"{given}, the group has {other} precision and negative predictive value"

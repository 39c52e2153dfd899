"""Many comparisons at once: which small p-values are more than the luck of looking often."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._checks import number_in, one_of
from baserate._windows import Array
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups._null import ALL, Law, Null, in_words, sides
from baserate.groups._tables import HALVES, LARGEST, Held, Tables
from baserate.groups.match import Alternative, MatchTest, no_law
from baserate.metrics import Metric, get

Adjustment = Literal["holm", "benjamini-hochberg"]
FamilyAdjustment = Literal["min-p", "benjamini-hochberg"]

# p-values summed in different orders differ in their last digits; so much apart they are the same.
_SAME = 1e-9


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

    Returns
    -------
    array, shape (m,)

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
    >>> adjust([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06,  nan, 0.06])
    >>> adjust([0.01, 0.04, 0.03], method="benjamini-hochberg")
    array([0.03, 0.04, 0.04])
    """
    p = np.atleast_1d(np.asarray(p_values, dtype=float))
    method = one_of("method", method, Adjustment)
    known = ~np.isnan(p)
    if wrong := [x for x in p[known].tolist() if not 0 <= x <= 1]:
        remedy = "pass probabilities, nan where there is none"
        raise InvalidArgumentError.from_rule("p_values", "must lie in [0, 1]", wrong[0], remedy)
    adjusted = np.full(p.shape, nan)
    if known.any():
        adjusted[known] = holm(p[known]) if method == "holm" else _benjamini_hochberg(p[known])
    return adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class MinP:
    """The p-values of several metrics, adjusted by the exact law of the smallest.

    Attributes
    ----------
    metrics : tuple of str
    p_values, adjusted : tuple of float
        Adjusted: P(smallest p-value of a group like the reference <= this one). nan if undefined.
    held : {"classes", "predictions", "none"}
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
    held: str
    null: str
    n_tables: int
    reason: str | None = None
    _attained: Array = field(repr=False)
    _reached: Array = field(repr=False)

    def error_rate(self, alpha: float) -> float:
        """Return the chance of any p-value of at most `alpha`, if the hypothesis is true."""
        alpha = number_in("alpha", alpha, "[0, 1]", "0.05 is usual")
        return _reached(self._attained, self._reached, alpha)

    def cut_off(self, alpha: float) -> float:
        """Return the largest c for which some p-value below c has probability at most `alpha`.

        p-values are discrete: c is the smallest attainable one that would let too many in. Above 1
        there is none: inf.
        """
        alpha = number_in("alpha", alpha, "[0, 1]", "0.05 is usual")
        if not len(self._reached):
            return nan
        within = int(np.searchsorted(self._reached, alpha * (1 + _SAME), side="right"))
        return float(self._attained[within]) if within < len(self._attained) else inf


def min_p(
    metrics: Iterable[str | Metric],
    group: ConfusionMatrix,
    reference: Any,
    *,
    held: Held = "classes",
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

    Parameters
    ----------
    metrics : iterable of Metric or str
    group, reference, uncertain_reference, law, alternative
        As in `match_test`.
    held : {"classes", "predictions", "none"}
        "classes": the group's class totals; recall and false positive rate then have the p-values
        that they have given their denominators. "predictions": its predicted totals; so have
        precision and negative predictive value. "none": nothing.

    Returns
    -------
    MinP

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
    >>> group = ConfusionMatrix(tp=2, fn=8, fp=12, tn=78)
    >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> found = min_p(["recall", "fpr", "f1", "mcc"], group, rest)
    >>> [round(p, 3) for p in found.p_values], [round(p, 3) for p in found.adjusted]
    ([0.354, 0.226, 0.213, 0.328], [0.735, 0.504, 0.482, 0.702])
    """
    chosen = tuple(map(get, metrics))
    if not chosen:
        remedy = 'pass for example ["recall", "precision"]'
        raise InvalidArgumentError.from_rule("metrics", "must not be empty", (), remedy)
    held = one_of("held", held, Held)
    null = Null.of(group, reference, uncertain=uncertain_reference, law=law)
    reason = _no_law(null, held)
    facts = {
        "metrics": tuple(metric.name for metric in chosen),
        "held": held,
        "null": _in_words(null, held),
        "reason": reason,
    }
    if reason is not None or null.model is None:
        undefined = (nan,) * len(chosen)
        empty = np.empty(0)
        return MinP(
            **facts, p_values=undefined, adjusted=undefined, n_tables=0,
            _attained=empty, _reached=empty,
        )
    tables = Tables.of(null.group, held)
    weights, at = tables.weights(null.model), tables.index(null.group)
    smallest, observed = _smallest(chosen, tables, weights, at, alternative)
    attained, reached = _law_of(smallest, weights)
    return MinP(
        **facts,
        p_values=observed,
        adjusted=tuple(_reached(attained, reached, p) for p in observed),
        n_tables=tables.size,
        _attained=attained,
        _reached=reached,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyAdjusted:
    """Adjusted p-values of an audit, in the order of the tests.

    Attributes
    ----------
    p_values : tuple of float
        Adjusted; nan where the test had none.
    methods : tuple of str
        How each was adjusted: "min-p" (exact within its family, Holm across families), "holm"
        (within as well), "benjamini-hochberg", or "" where there was no p-value.
    n_families : int
        Families that hold at least one p-value.
    """

    p_values: tuple[float, ...]
    methods: tuple[str, ...]
    n_families: int


def family_adjust(
    tests: Iterable[MatchTest],
    groups: Iterable[Any],
    *,
    method: FamilyAdjustment = "min-p",
) -> FamilyAdjusted:
    """Adjust all p-values of an audit: several metrics in each of several groups.

    Tests of one group that hold the same totals fixed are a family: they test one hypothesis, that
    the group is like its reference in what is left. Tests given a class (recall, false positive
    rate) and given both classes (F1, accuracy) are one family, tests given what was predicted
    (precision) another, tests with nothing held fixed a third.

    Parameters
    ----------
    tests : iterable of MatchTest
    groups : iterable
        The group of each test, in the same order: any hashable label.
    method : {"min-p", "benjamini-hochberg"}
        "min-p": within a family the exact law of the smallest p-value (`min_p`), or Holm where it
        would take more than 1,373,701 tables; across families Holm on the smallest of each. The
        chance of rejecting any test of any family whose hypothesis is true is at most α, however
        groups depend on one another, as far as the single tests keep their level. What is
        controlled are the families' hypotheses: rejecting "recall" says that the group differs from
        its reference in recall or false positive rate. "benjamini-hochberg": over all tests at
        once; the expected share of false rejections, not the chance of one.

    Returns
    -------
    FamilyAdjusted

    Raises
    ------
    InvalidArgumentError
        Not as many groups as tests, or tests of one group that differ in its table or reference.

    See Also
    --------
    adjust : for p-values of any origin.

    Examples
    --------
    >>> from baserate.groups import match_test
    >>> a, b = ConfusionMatrix(tp=2, fn=8, fp=12, tn=78), ConfusionMatrix(tp=9, fn=1, fp=30, tn=60)
    >>> tests = [match_test(m, t, r) for t, r in ((a, b), (b, a)) for m in ("recall", "precision")]
    >>> found = family_adjust(tests, ["a", "a", "b", "b"])
    >>> [round(p, 3) for p in found.p_values], found.n_families, set(found.methods)
    ([0.013, 0.798, 0.013, 0.798], 4, {'min-p'})
    """
    tests, groups = list(tests), list(groups)
    method = one_of("method", method, FamilyAdjustment)
    if len(tests) != len(groups):
        rule = f"must name the group of each of the {len(tests)} tests"
        remedy = "pass one label per test, in the same order"
        raise InvalidArgumentError.from_rule("groups", rule, f"{len(groups)} labels", remedy)
    families = _families(tests, groups)
    if method == "min-p":
        return _by_families(tests, families)
    return _by_discoveries(tests, groups, len(families))


def holm(p: Array) -> Array:
    """Return Holm's adjusted p-values."""
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _benjamini_hochberg(p: Array) -> Array:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"), dtype=float)


def _smallest(
    metrics: Sequence[Metric], tables: Tables, weights: Array, at: int, alternative: str
) -> tuple[Array, tuple[float, ...]]:
    """Return the smallest p-value of every table, and each metric's p-value at the group's."""
    smallest, seen = np.ones(tables.size), dict[Any, float]()
    for metric in metrics:
        if (key := _same_p(metric, alternative)) not in seen:
            p = tables.tails(metric, weights).p_values(alternative)
            seen[key] = float(p[at])
            smallest = np.fmin(smallest, p)
    return smallest, tuple(seen[_same_p(metric, alternative)] for metric in metrics)


def _same_p(metric: Metric, alternative: str) -> Any:
    """Return a key that metrics with the same two-sided p-value at every table share."""
    if metric.proportion is None or alternative != "two-sided":
        return metric
    return frozenset(map(frozenset, metric.proportion))


def _law_of(smallest: Array, weights: Array) -> tuple[Array, Array]:
    """Return the attainable smallest p-values, ascending, and the probability of at most each."""
    order = np.argsort(smallest, kind="stable")
    ordered, reached = smallest[order], np.cumsum(weights[order])
    last = np.append(ordered[1:] > ordered[:-1] * (1 + _SAME), True)
    return ordered[last], np.minimum(reached[last] / reached[-1], 1.0)


def _reached(attained: Array, reached: Array, p: float) -> float:
    if isnan(p) or not len(attained):
        return nan
    at = int(np.searchsorted(attained, p * (1 + _SAME), side="right"))
    return float(reached[at - 1]) if at else 0.0


def _no_law(null: Null, held: str) -> str | None:
    if not null.group.n:
        return "no cases"
    named = {"classes": "recall", "predictions": "precision", "none": "accuracy"}
    if held != "predictions":
        return no_law(null, get(named[held]), held)
    rates = ("precision", "negative_predictive_value")
    reasons = (no_law(null, get(rate), "denominator") for rate in rates)
    return next((reason for reason in reasons if reason is not None), None)


def _in_words(null: Null, held: str) -> str:
    if held != "predictions":
        return in_words(null, get("f1"), held)
    t, other = null.group, "the rest's" if null.law == "permutation" else "the reference's"
    given = f"given its {t.n_predicted} cases predicted positive and {t.n_predicted_negative} not"
    return f"{given}, the group has {other} precision and negative predictive value"


Family = tuple[Any, str]
Families = dict[Family, list[int]]


def _families(tests: Sequence[MatchTest], groups: Sequence[Any]) -> Families:
    """Return which tests, by position, are of one family; those without a p-value are left out."""
    families, compared = defaultdict[Family, list[int]](list), dict[Any, Any]()
    for i, (test, label) in enumerate(zip(tests, groups, strict=True)):
        what = (test.group, test.reference, test.law, test.alternative)
        if compared.setdefault(label, what) != what:
            rule = "must name groups that are compared with one reference in one way"
            remedy = "give every comparison its own label"
            raise InvalidArgumentError.from_rule("groups", rule, label, remedy)
        if not isnan(test.p_value):
            families[label, _held(test)].append(i)
    return dict(families)


def _held(test: MatchTest) -> str:
    """Return what a test's family holds fixed; a denominator of its own is a family of its own."""
    if test.condition != "denominator":
        return test.condition
    whole = sides(test.measured)[1]
    for held, halves in HALVES.items():
        if whole in {half.cells for half in halves}:
            return held
    return "none" if whole == ALL else "+".join(sorted(whole))


def _by_families(tests: Sequence[MatchTest], families: Families) -> FamilyAdjusted:
    found, methods = np.full(len(tests), nan), [""] * len(tests)
    for (_, held), members in families.items():
        found[members], method = _within([tests[i] for i in members], held)
        for i in members:
            methods[i] = method
    keys = sorted(families, key=lambda key: float(np.min(found[families[key]])))
    floor = 0.0
    for left, key in zip(range(len(keys), 0, -1), keys, strict=True):
        members = families[key]
        found[members] = np.minimum(1.0, np.maximum(floor, left * found[members]))
        floor = float(np.min(found[members]))
    return FamilyAdjusted(
        p_values=tuple(found.tolist()), methods=tuple(methods), n_families=len(keys)
    )


def _within(tests: Sequence[MatchTest], held: str) -> tuple[Array, str]:
    """Adjust the p-values of one family for one another."""
    p = np.array([test.p_value for test in tests])
    keys = [_same_p(test.measured, test.alternative) for test in tests]
    if len(set(keys)) == 1:
        return p, "min-p"
    model, group = tests[0].model, tests[0].group
    if held not in {"classes", "predictions", "none"} or model is None:
        return _holm_once(p, keys), "holm"
    try:
        tables = Tables.of(group, held)
    except UnsupportedError:
        return _holm_once(p, keys), "holm"
    weights, at = tables.weights(model), tables.index(group)
    metrics = [test.measured for test in tests]
    smallest, observed = _smallest(metrics, tables, weights, at, tests[0].alternative)
    law = _law_of(smallest, weights)
    return np.array([_reached(*law, q) for q in observed]), "min-p"


def _holm_once(p: Array, keys: Sequence[Any]) -> Array:
    """Adjust by Holm, complements counted once."""
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    adjusted = dict(zip(first, adjust(p[list(first.values())]), strict=True))
    return np.array([adjusted[key] for key in keys])


def _by_discoveries(
    tests: Sequence[MatchTest], groups: Sequence[Any], n_families: int
) -> FamilyAdjusted:
    labels = zip(tests, groups, strict=True)
    keys = [(label, _same_p(test.measured, test.alternative)) for test, label in labels]
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    p = np.array([test.p_value for test in tests])
    picked = list(first.values())
    adjusted = dict(zip(first, adjust(p[picked], "benjamini-hochberg"), strict=True))
    found = tuple(float(adjusted[key]) for key in keys)
    methods = tuple("" if isnan(q) else "benjamini-hochberg" for q in found)
    return FamilyAdjusted(p_values=found, methods=methods, n_families=n_families)

"""The adjusted p-values of an audit: several metrics in each of several groups."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array
from baserate._checks import can_be_looked_up, each_of, instance_of, one_of
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.match import MatchTest
from baserate.groups.multiplicity import (
    Adjustment,
    adjust,
    adjusted,
    law_of,
    same_p,
    smallest,
)
from baserate.groups.null import Drawn, p_value, sides
from baserate.groups.tables import HALVES, SAME, SHORT, Graded, Tables
from baserate.models.model import ALL

NEGLIGIBLE = 1e-10  # share of the smallest p-value that unlikely tables may hold

FamilyAdjustment = Literal["min-p", "benjamini-hochberg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyAdjusted(Result):
    """Adjusted p-values of an audit, in the order of the tests.

    Attributes
    ----------
    p_values : tuple of float
        Adjusted; nan where the test had none.
    routes : tuple of str
        How each was adjusted: "min-p" (exact within its family, Holm across families), "holm"
        (within as well), "benjamini-hochberg", or "" where there was no p-value.
    n_families : int
        Families that hold at least one p-value.
    """

    p_values: tuple[float, ...]
    routes: tuple[str, ...]
    n_families: int


def family_adjust(
    tests: Iterable[MatchTest],
    groups: Iterable[Any],
    *,
    method: FamilyAdjustment = "min-p",
    others: Iterable[float] = (),
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
        would take more than 1,373,701 tables (tables that together hold less than 1e-10 of the
        smallest p-value are left out); across families Holm on the smallest of each. The
        chance of rejecting any test of any family whose hypothesis is true is at most α, however
        groups depend on one another, as far as the single tests keep their level. What is
        controlled are the families' hypotheses: rejecting "recall" says that the group differs from
        its reference in recall or false positive rate. "benjamini-hochberg": over all tests at
        once; the expected share of false rejections, not the chance of one.
    others : iterable of float
        p-values of other hypotheses, each a family of its own; adjusted they stand behind those of
        the tests.

    Raises
    ------
    InvalidArgumentError
        Not as many groups as tests, or tests of one group that differ in its table or reference.

    See Also
    --------
    adjust : for p-values of any origin.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65. Westfall and Young (1993),
    Resampling-based multiple testing, Wiley.

    Examples
    --------
    >>> from baserate.groups import family_adjust
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import match_test
    >>> a, b = ConfusionMatrix(tp=2, fn=8, fp=12, tn=78), ConfusionMatrix(tp=9, fn=1, fp=30, tn=60)
    >>> tests = [match_test(m, t, r) for t, r in ((a, b), (b, a)) for m in ("recall", "base_rate")]
    >>> found = family_adjust(tests, ["a", "a", "b", "b"])
    >>> [round(p, 3) for p in found.p_values], found.n_families, set(found.routes)
    ([0.009, 1.0, 0.009, 1.0], 4, {'min-p'})
    """
    tests = each_of("tests", tests, ())
    for test in tests:
        instance_of("tests", test, MatchTest, "pass what match_test returns")
        remedy = "pass the p-values of tests of class tables to groups.adjust"
        instance_of("tests", test.group, ConfusionMatrix, remedy)
    groups = each_of("groups", groups, ())
    chosen = one_of("method", method, FamilyAdjustment)
    if len(tests) != len(groups):
        rule = f"must name the group of each of the {len(tests)} tests"
        remedy = "pass one label per test, in the same order"
        raise InvalidArgumentError.from_rule("groups", rule, len(groups), remedy)
    more = each_of("others", others, float)
    families = _families(tests, groups)
    families |= {(OTHER, str(i)): [i] for i, p in enumerate(more, len(tests)) if not isnan(p)}
    if chosen == "min-p":
        return _by_families(tests, more, families)
    return _by_discoveries(tests, groups, more, len(families))


OTHER = object()  # in place of a group, of a hypothesis that is of none
Family = tuple[Any, str]
Families = dict[Family, list[int]]


def _families(tests: Sequence[MatchTest], groups: Sequence[Any]) -> Families:
    """Return which tests, by position, are of one family; those without a p-value are left out."""
    families, compared = defaultdict[Family, list[int]](list), dict[Any, Any]()
    for i, (test, label) in enumerate(zip(tests, groups, strict=True)):
        if not can_be_looked_up(label):
            rule, remedy = "must be plain labels", "pass names of groups"
            raise InvalidArgumentError.from_rule("groups", rule, label, remedy)
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


def _by_families(
    tests: Sequence[MatchTest], more: Sequence[float], families: Families
) -> FamilyAdjusted:
    """Adjust within each family, then by Holm's method across them.

    No family's smallest adjusted p-value is below its smallest p-value: families that cannot come
    next are not looked into, nor any once that of those left is 1.
    """
    p = np.array([*(test.p_value for test in tests), *more])
    found, routes = np.full(len(p), nan), [""] * len(p)
    waiting = list[tuple[float, int, Family, Callable[[], Array] | None]]()
    for place, (key, members) in enumerate(families.items()):
        within, route = partial(p.take, members), "min-p"
        if key[0] is not OTHER:
            within, route = _within([tests[i] for i in members], key[1])
        for i in members:
            routes[i] = route
        found[members] = 1.0
        waiting.append((float(p[members].min()), place, key, within))
    heapify(waiting)
    left, floor = len(waiting), 0.0
    while waiting and max(floor, left * waiting[0][0]) < 1:
        _, place, key, within = heappop(waiting)
        members = families[key]
        if within is not None:
            found[members] = within()
            heappush(waiting, (float(np.min(found[members])), place, key, None))
            continue
        found[members] = np.minimum(1.0, np.maximum(floor, left * found[members]))
        floor, left = float(np.min(found[members])), left - 1
    for _, _, key, _ in waiting:
        found[families[key]] = 1.0
    return FamilyAdjusted(
        p_values=tuple(found.tolist()), routes=tuple(routes), n_families=len(families)
    )


def _within(tests: Sequence[MatchTest], held: str) -> tuple[Callable[[], Array], str]:
    """Return how the p-values of one family are adjusted for one another, and the route."""
    p = np.array([test.p_value for test in tests])
    keys = [same_p(test.measured, test.alternative) for test in tests]
    if len(set(keys)) == 1:
        return lambda: p, "min-p"
    model, group = tests[0].model, tests[0].group
    if held not in {"classes", "predictions", "none"} or model is None:
        return partial(_once, p, keys, "holm"), "holm"
    try:
        tables = Tables.of(group, held)
    except UnsupportedError:
        return partial(_once, p, keys, "holm"), "holm"
    if held != "none" and tables.size > SHORT:
        return lambda: np.maximum(p, _among_likely(tests, p, keys, held)), "min-p"
    return partial(_among_all, tests, p, tables, model), "min-p"


def _among_all(tests: Sequence[MatchTest], p: Array, tables: Tables, model: Drawn) -> Array:
    """Return the chance of a smallest p-value of at most each observed one, over all tables."""
    weights, at = tables.weights(model), tables.index(tests[0].group)
    metrics = [test.measured for test in tests]
    lowest, observed = smallest(metrics, tables, weights, at, tests[0].alternative)
    law = law_of(lowest, weights)
    # A test of one count has a law of its own, and so perhaps a larger p-value than `observed`.
    return np.maximum(p, [adjusted(*law, q) for q in observed])


def _among_likely(tests: Sequence[MatchTest], p: Array, keys: Sequence[Any], held: str) -> Array:
    """Return the chance of a smallest p-value of at most each observed one, over likely tables."""
    model, side = tests[0].model, tests[0].alternative
    assert model is not None
    tables = Tables.likely(tests[0].group, held, model, float(p.min()) * NEGLIGIBLE)
    weights, graded, observed = tables.weights(model), dict[Any, Graded](), dict[Any, float]()
    for test, key in zip(tests, keys, strict=True):
        if key not in graded:
            metric = test.measured
            graded[key] = Graded(metric, tables.values(metric), weights)
            observed[key] = p_value(*graded[key].tails(test.value), side)
    levels, which = np.unique([observed[key] for key in keys], return_inverse=True)
    first = np.full(tables.size, levels.size, dtype=np.uint8)
    for one in graded.values():
        np.minimum(first, one.steps(*one.kept(levels * SAME, side)), out=first)
    mass = np.bincount(first, weights, levels.size + 1)
    reached = np.where(levels * SAME >= 1, 1.0, np.cumsum(mass)[:-1] / mass.sum())
    return reached[which]


def _once(p: Array, keys: Sequence[Any], method: Adjustment) -> Array:
    """Adjust p-values, those with the same key counted once."""
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    adjusted = dict(zip(first, adjust(p[list(first.values())], method), strict=True))
    return np.array([adjusted[key] for key in keys])


def _by_discoveries(
    tests: Sequence[MatchTest], groups: Sequence[Any], more: Sequence[float], n_families: int
) -> FamilyAdjusted:
    labels = zip(tests, groups, strict=True)
    keys = [(label, same_p(test.measured, test.alternative)) for test, label in labels]
    keys += [(OTHER, place) for place in range(len(more))]
    p = np.array([*(test.p_value for test in tests), *more])
    found = tuple(_once(p, keys, "benjamini-hochberg").tolist())
    routes = tuple("" if isnan(q) else "benjamini-hochberg" for q in found)
    return FamilyAdjusted(p_values=found, routes=routes, n_families=n_families)

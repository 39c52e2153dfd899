"""How far groups are apart by a metric, with the groups that have no value named and left out."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, singledispatch
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._arith import ratio as divide
from baserate._checks import one_of
from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable, single_class_table, total
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups.pair_intervals import Asked, PairInterval, pair_interval
from baserate.groups.pairs import SCALES, Operation, difference, ratio
from baserate.inference.class_pairs import class_differences
from baserate.metrics import ClassMetric, Metric, get

NOBODY = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
Compared = Literal["between_groups", "to_overall"]


@dataclass(frozen=True, kw_only=True)
class Gap(Result):
    """The gap of a metric between groups; ``float(gap)`` is its value.

    Attributes
    ----------
    metric : str
    operation : {"difference", "ratio"}
    method : {"between_groups", "to_overall"}
    value : float
        nan if fewer than two groups (between groups) or no group (to overall) has a value.
    reason : str or None
        Why `value` is nan.
    values : dict
        The metric of each group that has one.
    overall : float
        The metric of all cases together.
    largest, smallest : group or None
        The groups with the largest and the smallest value of the metric; two different groups also
        where all values are the same, and None if fewer than two groups have a value. Beside a
        `reference` that group and the other one; of a ratio the reference is `largest`.
    furthest : group or None
        "to_overall" only: the group at which the gap is attained.
    undefined : dict of group to reason
        Groups without a value. They have no part in the gap.
    tables : dict
    confidence_level : float

    Notes
    -----
    `low` and `high`, computed when asked for, are the ends of a credible interval for
    metric(largest) - metric(smallest), or for smallest over largest, as if these two groups had
    been chosen before looking. They were not: among many groups of equal merit the most extreme two
    are apart by luck, so the value is biased away from "no gap", and the interval covers the gap
    between these two less often than it says. Before calling the gap real, test each group
    against a reference and adjust for their number.
    """

    metric: str
    operation: Operation
    method: Compared
    value: float
    reason: str | None
    values: Mapping[Hashable, float]
    overall: float
    largest: Hashable
    smallest: Hashable
    furthest: Hashable
    undefined: Mapping[Hashable, str]
    tables: Mapping[Hashable, ConfusionMatrix | ClassTable]
    definition: Metric | ClassMetric = field(metadata=HIDDEN)
    confidence_level: float = 0.95

    def __float__(self) -> float:
        return self.value

    @property
    def low(self) -> float:
        """Lower end of the interval for the gap between the two groups named."""
        return self.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval for the gap between the two groups named."""
        return self.interval.high

    @cached_property
    def interval(self) -> PairInterval:
        """The interval for the gap between the two groups named, and how it was found.

        Raises
        ------
        UnsupportedError
            The gap is to the overall value, of which the group is a part; a metric of two classes
            that is not monotone in its rates.
        """
        if self.method == "to_overall":
            raise UnsupportedError(
                "A gap to the overall value has no interval, for the group is part of the whole: "
                'use method="between_groups", or pair_interval of the group and the rest.'
            )
        return _interval(self.definition, self)

    @property
    def pair(self) -> tuple[Hashable, Hashable]:
        """The groups named: of a difference the larger one first, of a ratio the smaller one."""
        if self.operation == "difference":
            return self.largest, self.smallest
        return self.smallest, self.largest

    @property
    def asked(self) -> Asked:
        """The metric of two tables, and the tables of the groups named; of two classes."""
        metric: Any = self.definition
        tables: Any = [self.tables.get(group, NOBODY) for group in self.pair]
        of_two = difference if self.operation == "difference" else ratio
        return of_two(metric), *tables


@singledispatch
def _interval(_metric: Metric, gap: Gap) -> PairInterval:
    return pair_interval(*gap.asked, confidence_level=gap.confidence_level)


@_interval.register
def _interval_of_several(metric: ClassMetric, gap: Gap) -> PairInterval:
    """Return the interval of a gap between two class tables, by simulation."""
    about = {"metric": metric.name, "confidence_level": gap.confidence_level}
    if isnan(gap.value):
        return PairInterval(value=nan, low=nan, high=nan, route="undefined", **about)
    pair: Any = [gap.tables[group] for group in gap.pair]
    (scale, back), level = SCALES[gap.operation], gap.confidence_level
    with np.errstate(divide="ignore", invalid="ignore"):  # none of the cases, at a draw
        [found] = class_differences([metric], *pair, confidence_level=level, scale=scale)
    ends = {name: float(back(end)) for name, end in found._asdict().items()}
    return PairInterval(**ends, route="simulation", **about)


def group_difference(
    metric: str | Metric | ClassMetric,
    tables: Mapping[Any, ConfusionMatrix] | Mapping[Any, ClassTable],
    *,
    method: Compared = "between_groups",
    reference: Hashable = None,
    confidence_level: float = 0.95,
) -> Gap:
    """Return the largest difference of a metric: between two groups, or from a group to all cases.

    "between_groups" is largest minus smallest value, "to_overall" the largest
    ``|group - overall|``, as in fairlearn's MetricFrame.difference. A group at which the
    metric is undefined has no part in it, and is named with the reason; fairlearn gives such a
    group the value 0.

    Parameters
    ----------
    metric : Metric, ClassMetric or str
        Of several classes, such as "macro_f1", where the tables are.
    tables : mapping of group to ConfusionMatrix or ClassTable
        At least two groups.
    method : {"between_groups", "to_overall"}
    reference : group, optional
        Compare each group with this one alone: of differences the one of the group furthest from
        it, either way; of ratios the smallest of a group to it, which may lie above 1.
    confidence_level : float
        Of the interval for the gap between the largest and the smallest group (see `Gap`).

    Raises
    ------
    InvalidArgumentError
        Fewer than two groups, or a batch of tables.

    References
    ----------
    Weerts et al. (2023), Fairlearn: Assessing and Improving Fairness of AI Systems, Journal of
    Machine Learning Research 24(257).

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import group_difference
    >>> tables = {"a": ConfusionMatrix(tp=8, fn=2, fp=3, tn=7),
    ...           "b": ConfusionMatrix(tp=5, fn=5, fp=1, tn=9),
    ...           "c": ConfusionMatrix(tp=0, fn=0, fp=1, tn=4)}
    >>> gap = group_difference("recall", tables)
    >>> round(gap.value, 3), gap.largest, gap.smallest, gap.undefined
    (0.3, 'a', 'b', {'c': 'no positives (tp + fn = 0)'})
    >>> round(gap.low, 2), round(gap.high, 2)
    (-0.11, 0.62)

    Of three classes:

    >>> from baserate import ClassTable
    >>> tables = {"a": ClassTable([[9, 1, 0], [2, 7, 1], [0, 3, 7]]),
    ...           "b": ClassTable([[5, 3, 2], [2, 7, 1], [0, 3, 7]])}
    >>> gap = group_difference("accuracy", tables)
    >>> round(gap.value, 3), gap.largest, round(gap.low, 1), round(gap.high, 1)
    (0.133, 'a', -0.1, 0.3)
    """
    return _gap(*_measured(metric, tables), "difference", method, reference, confidence_level)


def group_ratio(
    metric: str | Metric | ClassMetric,
    tables: Mapping[Any, ConfusionMatrix] | Mapping[Any, ClassTable],
    *,
    method: Compared = "between_groups",
    reference: Hashable = None,
    confidence_level: float = 0.95,
) -> Gap:
    """Return the smallest ratio of a metric: between two groups, or of a group and all cases.

    "between_groups" is smallest over largest value, "to_overall" the smallest of r and 1/r with
    r = group / overall, as in fairlearn's MetricFrame.ratio. It is undefined where the denominator
    is 0. Parameters are those of `group_difference`.

    Raises
    ------
    UnsupportedError
        The metric can be negative: ask for the difference.
    InvalidArgumentError
        Fewer than two groups, or a batch of tables.

    References
    ----------
    Weerts et al. (2023), Fairlearn: Assessing and Improving Fairness of AI Systems, Journal of
    Machine Learning Research 24(257).

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import group_ratio
    >>> tables = {"a": ConfusionMatrix(tp=8, fn=2, fp=3, tn=7),
    ...           "b": ConfusionMatrix(tp=5, fn=5, fp=1, tn=9)}
    >>> round(group_ratio("predicted_positive_rate", tables).value, 3)
    0.545
    """
    measured, tables = _measured(metric, tables)
    if measured.bounds[0] < 0:
        raise UnsupportedError(
            f"{measured.name} can be negative, and the ratio of such values says nothing about how "
            "far groups are apart: use group_difference."
        )
    return _gap(measured, tables, "ratio", method, reference, confidence_level)


def _gap(
    metric: Metric | ClassMetric,
    tables: Mapping[Any, Any],
    operation: Operation,
    method: str,
    reference: Any,
    level: float,
) -> Gap:
    chosen: Any = one_of("method", method, Compared)
    if reference is not None and reference not in tables:
        raise UnknownNameError.from_name(
            "reference", str(reference), [*map(str, tables)], "Name one of the groups"
        )
    found = _values(metric, tables)
    values = {group: value for group, value in found.items() if not isnan(value)}
    overall = float(metric(sum(tables.values())))  # pyright: ignore[reportArgumentType]
    value, furthest, reason = _summary(values, overall, operation, chosen)
    largest, smallest = _ends(values)
    if reference is not None:
        value, (largest, smallest), reason = _beside(values, reference, operation)
    return Gap(
        metric=metric.name,
        operation=operation,
        method=chosen,
        value=value,
        reason=reason,
        values=values,
        overall=overall,
        largest=largest,
        smallest=smallest,
        furthest=furthest,
        undefined={g: metric.undefined_reason(tables[g]) or "" for g in found if g not in values},
        tables=tables,
        definition=metric,
        confidence_level=level,
    )


def _values(metric: Metric | ClassMetric, tables: Mapping[Any, Any]) -> dict[Any, float]:
    """Return the metric of each group, of all groups at once."""
    batch = type(next(iter(tables.values()))).stack(tables.values())
    return dict(zip(tables, np.atleast_1d(metric(batch)).tolist(), strict=True))


def _ends(values: Mapping[Any, float]) -> tuple[Any, Any]:
    """Return the groups with the largest and the smallest value: two groups, tied or not."""
    if len(values) < 2:
        return None, None
    largest = max(values, key=lambda g: values[g])
    return largest, min((g for g in values if g != largest), key=lambda g: values[g])


def _beside(
    values: Mapping[Any, float], reference: Any, operation: Operation
) -> tuple[float, tuple[Any, Any], str | None]:
    """Return the gap to one group, the two groups as `Gap` names them, and why it is nan."""
    others = {group: value for group, value in values.items() if group != reference}
    if reference not in values or not others:
        lacking = "no other group" if reference in values else "not the reference"
        return nan, (None, None), f"{lacking} has a value"
    own = values[reference]
    if operation == "ratio":
        low = min(others, key=others.__getitem__)
        reason = None if own else "the value of the reference is 0"
        return float(divide(others[low], own)), (reference, low), reason
    far = max(others, key=lambda group: abs(others[group] - own))
    ends = (far, reference) if others[far] > own else (reference, far)
    return abs(others[far] - own), ends, None


Summary = tuple[float, Any, str | None]


def _summary(
    values: Mapping[Any, float], overall: float, operation: Operation, method: Compared
) -> Summary:
    """Return the gap, the group at which it is attained, and why it is nan."""
    if method == "to_overall":
        return _to_overall(values, overall, operation)
    if len(values) < 2:
        return nan, None, f"{len(values)} of the groups has a value, and a gap needs two"
    high, low = max(values.values()), min(values.values())
    if operation == "difference":
        return high - low, None, None
    return float(divide(low, high)), None, None if high else "the largest value is 0"


def _to_overall(values: Mapping[Any, float], overall: float, operation: Operation) -> Summary:
    if isnan(overall) or not values:
        return nan, None, "no value over all cases" if values else "no group has a value"
    if operation == "difference":
        gaps = {group: abs(value - overall) for group, value in values.items()}
        furthest = max(gaps, key=lambda g: gaps[g])
    else:
        if overall == 0:
            return nan, None, "the value over all cases is 0"
        gaps = {group: _at_most_one(value / overall) for group, value in values.items()}
        furthest = min(gaps, key=lambda g: gaps[g])
    return gaps[furthest], furthest, None


def _at_most_one(r: float) -> float:
    return r if r <= 1 else 1 / r


def _measured(metric: Any, tables: Any) -> tuple[Any, dict[Any, Any]]:
    """Return the metric in the form for these tables, and the tables, all of the same classes."""
    if not isinstance(tables, Mapping) or len(tables) < 2:
        rule = "must be a mapping of at least two groups to tables"
        remedy = "pass for example {'a': table_a, 'b': table_b}"
        raise InvalidArgumentError.from_rule("tables", rule, tables, remedy)
    several = next((t for t in tables.values() if isinstance(t, ClassTable)), None)
    single: Any = single_table if several is None else single_class_table
    found = {group: single(f"tables[{group!r}]", table) for group, table in tables.items()}
    if several is not None:
        labels = total(found.values()).labels
        found = {group: table.reorder(labels) for group, table in found.items()}
    return get(metric, next(iter(found.values()))), found

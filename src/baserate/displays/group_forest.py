"""Forest plots: a metric in every group, or every metric of one table, beside its reference."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import inf, isnan
from typing import Any, Literal, Self

from baserate._checks import confidence, one_of, whole_number
from baserate._figures import count, label, level, sentence_case, spoken
from baserate.counts import ConfusionMatrix
from baserate.displays.audit_rows import finding_of, rows_of_audit
from baserate.displays.contract import cases_told
from baserate.displays.display import TableDisplay
from baserate.displays.forest_plot import Bounds, ForestNames, ForestRow, forest
from baserate.displays.forest_rows import (
    BESIDE,
    Compared,
    ForestRows,
    bounds_of,
    metric_rows,
    rows_of_classes,
    told_of,
)
from baserate.displays.picture import Picture
from baserate.errors import InvalidArgumentError
from baserate.facts.audit import AuditFacts, ClassAuditFacts
from baserate.facts.evaluation import ClassEvaluationFacts
from baserate.metrics import Metric, binary_metric

LIMIT = 20
CLASSES, FEWEST = 40, 20  # classes that all have rows; rows of more classes
USUAL = ("accuracy", "recall", "specificity", "precision", "f1", "matthews_correlation")
Order = Literal["given", "size", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How rows are laid out: names, smallest and largest possible value, order, most rows."""

    named: ForestNames
    bounds: Bounds
    order: Order = "given"
    limit: int = LIMIT
    title: str | None = None

    def __post_init__(self) -> None:
        one_of("order", self.order, Order)
        whole_number("limit", self.limit, minimum=1)


class GroupForestDisplay(TableDisplay):
    """A metric in every group: value, interval, what it is compared with, what would go unseen.

    Every group has a row with its value, its equal-tailed credible interval (see `interval`), the
    value after Cross-Prior Smoothing toward its reference, (c + λ q)/(n + λ) cell by cell, what the
    reference would score in its place (grey dashes), and all true values that the group's test
    would miss with probability 0.2 or more (grey zone). The verdict at the right is that of the
    exact match test, p-values adjusted for the number of groups by Holm's method. Undefined values
    are hatched, with their reason.

    One table alone has a row per metric, compared with luck: what guessing with as many alarms
    scores on average.

    Parameters
    ----------
    tables : mapping of group to ConfusionMatrix, or one ConfusionMatrix
    metric : Metric or str; or several, for one table
        Default: recall for groups; accuracy, recall, specificity, precision, F1 and Matthews
        correlation for one table.
    reference : "rest", ConfusionMatrix, four shares (tp, fn, fp, tn), or the name of a group
        "rest" is for every group the cases that are not in it. A group that the others are compared
        with has no row.
    strength : float or None
        Pseudo-cases that smoothing borrows; None draws no smoothed values.
    unseen : bool
        Whether the grey zones are computed, which take most of the time.
    gap : float
        The smallest difference that matters: where a larger one would go unseen, the verdict says
        so.
    alpha : float in (0, 1)
        Accepted chance of any false alarm over all groups.
    condition : {"auto", "none", "denominator", "classes"}
        What the tests hold fixed, as in `audit`.
    order : {"given", "size", "value"}
        Of the rows, from above.
    limit : int
        Most rows. Of more, those that differ and then the largest are shown, and the title says how
        many are not.
    confidence_level : float

    Attributes
    ----------
    rows : tuple of ForestRow
        All of them, in the order given.

    Raises
    ------
    InvalidArgumentError
        Several metrics of several groups, an unknown reference, or an option out of range.

    Notes
    -----
    Weighted tables have values, and neither interval nor test, which count cases.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in small data,
    AISTATS, for test and smoothing. Lewis and Clarke (2001), BMJ 322:1479,
    doi:10.1136/bmj.322.7300.1479, for forest plots. Holm (1979), Scandinavian Journal of Statistics
    6:65.

    Examples
    --------
    Violent recidivism, COMPAS, as in Briscoe et al.:

    >>> import baserate as br
    >>> groups = {"Black": br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692),
    ...           "White": br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679),
    ...           "other": br.ConfusionMatrix(tp=39, fn=48, fp=174, tn=750)}
    >>> display = br.displays.GroupForestDisplay(groups, metric="recall")
    >>> for row in display.rows:
    ...     print(row.name, round(row.value, 3), round(row.reference, 3), row.verdict)
    Black 0.616 0.396 higher, adjusted p < 0.001
    White 0.374 0.589 lower, adjusted p < 0.001
    other 0.448 0.539 a gap of 0.19 could hide
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        metric: str | Metric | Sequence[str | Metric] | None = None,
        reference: Any = "rest",
        strength: float | None = 10,
        unseen: bool = True,
        gap: float = 0.1,
        alpha: float = 0.05,
        condition: str = "auto",
        order: Order = "given",
        limit: int = LIMIT,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        # One table, named or not, has no other groups to be compared with.
        alone = len(self.tables) == 1 and isinstance(reference, str)
        chosen: Any = [metric] if isinstance(metric, str | Metric) else metric
        self.metrics = [binary_metric(m) for m in chosen or (USUAL if alone else ("recall",))]
        self.layout = Layout(
            named=_named("value", "by luck", "", self.confidence_level),
            bounds=bounds_of(self.metrics),
            order=order,
            limit=limit,
        )
        self.compared: Compared | None = None
        if alone:
            return
        if len(self.metrics) > 1:
            rule, remedy = "can be several for one table only", "draw one after the other"
            given = [m.name for m in self.metrics]
            raise InvalidArgumentError.from_rule("metric", rule, given, remedy)
        [one] = self.metrics
        self.compared = Compared.of(
            self.tables, reference, metric=one, strength=strength, unseen=unseen, gap=gap,
            alpha=alpha, condition=condition, level=self.confidence_level,
        )  # fmt: skip
        weighed = any(table.is_weighted for table in self.tables.values())
        beside = BESIDE if weighed else told_of(one)
        named = _named(one.name, self.compared.called, beside, self.confidence_level)
        self.layout = replace(self.layout, named=named)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[ForestRow],
        *,
        metric: str = "value",
        reference: str = "reference",
        title: str | None = None,
        bounds: Bounds = (-inf, inf),
        order: Order = "given",
        limit: int = LIMIT,
        confidence_level: float = 0.95,
    ) -> Self:
        """Return the display of rows that are computed already; nothing is computed anew.

        Parameters
        ----------
        rows : iterable of ForestRow
        metric, reference : str
            What the values, and what they are compared with, are called.
        title : str, optional
            Default: how many rows differ from the reference.
        bounds : (float, float)
            Smallest and largest possible value.
        order, limit
            As above.
        confidence_level : float
            What the legend says of the intervals.
        """
        made = cls.__new__(cls)
        made.tables, made.compared, made.rows = {}, None, tuple(rows)
        made.confidence_level = confidence(confidence_level)
        beside = "" if all(isnan(row.n) for row in made.rows) else BESIDE
        named = _named(metric, reference, beside, made.confidence_level)
        made.layout = Layout(named=named, bounds=bounds, order=order, limit=limit, title=title)
        return made

    @classmethod
    def from_audit(cls, facts: AuditFacts | ClassAuditFacts, metric: str, **options: Any) -> Self:
        """Return the display of one metric of an audit, from its facts.

        Parameters
        ----------
        facts : AuditFacts or ClassAuditFacts
            ``audit(...).facts``.
        metric : str
            The name of one of its metrics. Of several classes, one of the whole table has a row per
            group, and one of each class a row per class and group.
        **options
            `title`, `order` and `limit`.
        """
        limit = whole_number("limit", options.get("limit", LIMIT), minimum=1)
        found = rows_of_audit(facts, metric, limit)
        return cls._of(found, metric, facts.confidence_level, **options)

    @classmethod
    def _of(cls, found: ForestRows, metric: str, level: float, **options: Any) -> Self:
        options = {"title": found.title, "confidence_level": level} | options
        made = cls.from_rows(found.rows, bounds=found.bounds, **options)
        named = _named(metric, found.called, found.beside, level)
        made.layout = replace(made.layout, named=named)
        return made

    @classmethod
    def from_classes(
        cls, facts: ClassEvaluationFacts, metric: str = "recall", **options: Any
    ) -> Self:
        """Return the display of one metric of every class against the rest, beside luck.

        Luck is what calling as many cases so at random scores on average. Of more than forty
        classes the twenty are shown that have the least of the metric, the least first.

        Parameters
        ----------
        facts : ClassEvaluationFacts
            ``evaluate(...).facts`` of several classes.
        metric : str
            One of those that every class has.
        **options
            `title`, `order` and `limit`.
        """
        usual = CLASSES if len(facts.classes) <= CLASSES else FEWEST
        most = whole_number("limit", options.pop("limit", usual), minimum=1)
        found = rows_of_classes(facts, metric, most)
        return cls._of(found, metric, facts.confidence_level, limit=most, **options)

    @cached_property
    def rows(self) -> tuple[ForestRow, ...]:
        """All rows, in the order given."""
        if self.compared is not None:
            return self.compared.rows()
        [table] = self.tables.values()
        return metric_rows(table, self.metrics, self.confidence_level)

    @property
    def shown(self) -> tuple[ForestRow, ...]:
        """The rows that are drawn, from above."""
        kept = self.rows
        if len(kept) > self.layout.limit:
            first = sorted(kept, key=lambda row: (not row.differs, isnan(row.value), -_size(row)))
            chosen = {id(row) for row in first[: self.layout.limit]}
            kept = tuple(row for row in kept if id(row) in chosen)
        if self.layout.order == "given":
            return kept
        by = _size if self.layout.order == "size" else _value
        return tuple(sorted(kept, key=lambda row: -by(row)))

    def _drawn(self) -> Picture:
        return forest(self.shown, self._told(), self.layout.named, self.layout.bounds)

    def _told(self) -> str:
        """Return the title: what was found, of how many cases, and how much is not shown."""
        hidden = len(self.rows) - len(self.shown)
        more = f"; {count(hidden)} of {count(len(self.rows))} not shown" if hidden else ""
        return f"{self.layout.title or self._found()}{more}"

    def _found(self) -> str:
        named = self.layout.named
        cases = f" ({cases_told([sum(self.tables.values())])})" if self.tables else ""
        if not named.rows:
            return f"Metrics beside what luck gives{cases}" if self.tables else named.value
        shades = [row.shade if row.shade or not row.differs else "apart" for row in self.rows]
        return f"{finding_of(named.value, named.reference, shades)}{cases}"

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.shown]


def _named(value: str, reference: str, rows: str, confidence_level: float) -> ForestNames:
    return ForestNames(
        value=sentence_case(spoken(value)),
        interval=f"value, {level(confidence_level)} interval",
        reference=label(reference),
        rows=rows,
    )


def _size(row: ForestRow) -> float:
    return -1.0 if isnan(row.n) else row.n


def _value(row: ForestRow) -> float:
    return -inf if isnan(row.value) else row.value

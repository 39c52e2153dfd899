"""The law of a group's score of several classes if it were like its reference: listed or drawn."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isnan, nan, prod
from typing import Any, NamedTuple, cast

import numpy as np

from baserate._arith import ratio
from baserate._arrays import Array
from baserate._checks import DRAWS, generator, one_of, whole_number, yes_or_no
from baserate._windows import DEEP, Window
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError, shown
from baserate.groups.null import NO_MASSES, Law, Masses
from baserate.inference.several_classes import of_hit_share
from baserate.metrics import ClassMetric, Metric
from baserate.models import (
    ClassDirichletMultinomial,
    ClassMultinomial,
    ClassMultivariateHypergeometric,
)
from baserate.models.class_hits import AT_A_TIME, size_in_words
from baserate.questions.several_classes import BUDGET

TIED = 1e-12  # what rounding leaves of a difference
Drawn = ClassMultinomial | ClassDirichletMultinomial | ClassMultivariateHypergeometric


class Draws(NamedTuple):
    """How random tables are asked for."""

    method: str
    rng: Any
    n_samples: int


@dataclass(frozen=True, slots=True)
class ClassNull:
    """A group, its reference, and the law of as many cases like it, in independent parts.

    With the class totals held, each true class is a part; else the whole table is. `reason` says
    why there is no law.
    """

    group: ClassTable
    reference: ClassTable
    model: Drawn | None
    parts: tuple[Drawn, ...]
    law: str
    uncertain: bool
    held: bool
    reason: str | None

    @classmethod
    def of(
        cls, group: Any, reference: Any, *, uncertain: bool, law: Law | None, held: bool
    ) -> "ClassNull":
        """Check both tables, and choose the law."""
        uncertain = yes_or_no("uncertain_reference", uncertain)
        law = None if law is None else cast("Law", one_of("law", law, Law))
        for argument, table in (("group", group), ("reference", reference)):
            single_class_table(argument, table)
            if table.is_weighted and (argument == "group" or uncertain or law is not None):
                raise UnsupportedError(
                    f"The test counts cases, and the counts of {argument} are weights: pass the "
                    "unweighted table, or of a reference uncertain_reference=False."
                )
        labels = (group + reference).labels
        group, other = group.reorder(labels), reference.reorder(labels)
        name = "permutation" if law is not None else "dirichlet-multinomial"
        name = name if law is not None or uncertain else "multinomial"
        whole = group.counts + other.counts if law == "permutation" else other.counts
        cells = whole + 0.5 if name == "dirichlet-multinomial" else whole
        there, wanted = other.counts.sum(axis=1), group.counts.sum(axis=1)
        lacking = np.flatnonzero((wanted > 0) & (there == 0)) if held else np.zeros(0, dtype=int)
        reason = "the reference has no cases" if not there.sum() else None
        if lacking.size and reason is None:
            reason = f"the reference has no cases of {shown(labels[int(lacking[0])])}"
        if law == "contained" and (group.counts > other.counts).any():
            rule = "must contain the group when law='contained'"
            remedy = "pass the table of all cases, or law='permutation' with the other cases alone"
            raise InvalidArgumentError.from_rule("reference", rule, "fewer cases", remedy)
        if reason is not None:
            return cls(group, other, None, (), name, uncertain, held, reason)
        rows = [np.flatnonzero(wanted > 0)[[i]] for i in range(int((wanted > 0).sum()))]
        parts = tuple(_model(name, cells, labels, wanted, row) for row in rows) if held else ()
        model = _model(name, cells, labels, wanted, np.arange(len(labels)))
        return cls(group, other, model, parts or (model,), name, uncertain, held, None)

    def in_words(self, _metric: ClassMetric, _condition: str) -> str:
        """Say which hypothesis is tested."""
        if not self.held:
            return (
                f"the group's {self.group.n} cases fall into the cells with the reference's chances"
            )
        each = ", ".join(map(str, self.group.class_counts.tolist()))
        return f"given its {each} cases of each class, they are called what the reference's are"

    def masses_of_hits(self, hits: int) -> Masses:
        """Return the masses around so many right cases: the convolution of all parts."""
        twos = [(part.right_or_wrong(), part.n) for part in self.parts]
        return masses_of_sum(
            hits, (two.split(*two.weights[:2], n).window(depth=DEEP) for two, n in twos)
        )

    def listed(self, metric: ClassMetric) -> Iterator[tuple[Array, Array]]:
        """Yield the values and probabilities of all tables, some thousands at a time."""
        sides = [list(map(np.concatenate, zip(*part.blocks(), strict=True))) for part in self.parts]
        sizes = [len(weights) for _, weights in sides]
        for start in range(0, prod(sizes), AT_A_TIME):
            every = np.arange(start, min(start + AT_A_TIME, prod(sizes)))
            places = list(zip(sides, np.unravel_index(every, sizes), strict=True))
            tables = sum(tables[at] for (tables, _), at in places)
            weights = np.exp(sum(weights[at] for (_, weights), at in places))
            yield np.asarray(metric(ClassTable(tables, self.group.labels)), dtype=float), weights

    def drawn(self, metric: ClassMetric, draws: Draws) -> Iterator[tuple[Array, Array]]:
        """Yield the values of random tables, all as likely."""
        one_of("method", draws.method, ("simulation",))
        if draws.rng is None:
            rule = "must be given for method='simulation'"
            raise InvalidArgumentError.from_rule("rng", rule, None, "pass a seed or a generator")
        rng = generator(draws.rng)
        size = whole_number("n_samples", draws.n_samples, minimum=2, maximum=DRAWS)
        for start in range(0, size, AT_A_TIME):
            m = min(AT_A_TIME, size - start)
            tables = sum(np.asarray(part.sample(m, rng).counts) for part in self.parts)
            values = np.asarray(metric(ClassTable(tables, self.group.labels)), dtype=float)
            yield values, np.ones(m)

    def masses(
        self, metric: ClassMetric, value: float, draws: Draws | None
    ) -> tuple[Masses, float, str | None]:
        """Return the masses around a score, how often there is one, or why there are none."""
        reason = metric.undefined_reason(self.group) if isnan(value) else self.reason
        if reason is not None:
            return NO_MASSES, nan, reason
        if of_hit_share(metric, self.group.n_classes) and metric.weights is not None:
            found = self.masses_of_hits(int(self.group.hits.sum()))
            on, off = metric.weights(self.group.n_classes)[0, :2].tolist()
            turned = found._replace(below=found.above, above=found.below)
            return (found if on >= off else turned), 1.0, None
        n_tables = prod(part.n_tables for part in self.parts)
        if draws is None and n_tables > BUDGET:
            raise UnsupportedError(
                f"The law of {metric.name} is that of {size_in_words(n_tables)} tables, and at "
                f"most {BUDGET:,} are listed: pass method='simulation' with rng=, or let audit "
                "deal the cases out."
            )
        simulated = draws is not None
        tables = self.listed(metric) if draws is None else self.drawn(metric, draws)
        sums, near = np.zeros(4), TIED * max(1.0, abs(value))  # below, equal, above, undefined
        for values, weights in tables:
            kinds = (values < value - near, abs(values - value) <= near, values > value + near)
            sums += [weights[kind].sum() for kind in (*kinds, np.isnan(values))]
        defined = float(sums[:3].sum() / sums.sum())
        # The group itself is one of the draws, so that the test keeps its level.
        below, equal, above = ratio(
            sums[:3] + np.array([0, simulated, 0]), sums[:3].sum() + simulated
        )
        route = "simulation" if simulated else "enumeration"
        reason = None if defined else "under the reference no table has a value"
        return Masses(float(below), float(equal), float(above), route), defined, reason


def masses_of_sum(value: int, parts: Iterable[Window]) -> Masses:
    """Return the masses around the sum of independent counts."""
    law, first = np.ones(1), 0
    for part in parts:
        law, first = np.convolve(law, part.pmf), first + part.start
    return Masses.around(value, Window(first, law), "convolution")


def _model(name: str, cells: Array, labels: Any, wanted: Array, rows: Any) -> Drawn:
    """Return the law of as many cases of some true classes as the group has."""
    own = np.zeros_like(cells)
    own[rows] = cells[rows]
    table, n = ClassTable(own, labels), int(wanted[rows].sum())
    if name == "permutation":
        return ClassMultivariateHypergeometric(n=n, population=table)
    if name == "multinomial":
        return ClassMultinomial(n=n, cells=table)
    return ClassDirichletMultinomial(n=n, concentration=table)


def class_condition(metric: ClassMetric, asked: str) -> str:
    """Return what is held fixed: class totals, or nothing."""
    if asked == "denominator":
        rule, remedy = 'cannot be "denominator" for class tables', "ask of one_vs_rest(label)"
        raise InvalidArgumentError.from_rule("condition", rule, asked, remedy)
    if asked != "auto":
        return asked
    return "none" if metric.direction == "neither" else "classes"


def twin(
    metric: ClassMetric, null: ClassNull, condition: str
) -> tuple[Metric, ConfusionMatrix, ConfusionMatrix] | None:
    """Return the metric and the tables of four counts that ask the same, if any do.

    Of two classes the second is positive; with nothing held fixed, right cases are one count.
    """
    labels, tables = null.group.labels, (null.group, null.reference)
    if (form := metric.form_of(len(labels))) is not None:
        first, second = (table.one_vs_rest(labels[1]) for table in tables)
        return form, first, second
    two = metric.two_classes
    if condition != "none" or two is None or not of_hit_share(metric, len(labels)):
        return None
    right = [np.trace(table.counts).item() for table in tables]
    wrong = [table.n - hits for table, hits in zip(tables, right, strict=True)]
    first, second = (
        ConfusionMatrix(tp=a, fn=b, fp=0, tn=0) for a, b in zip(right, wrong, strict=True)
    )
    return two, first, second

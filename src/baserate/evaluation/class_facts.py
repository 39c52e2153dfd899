"""The facts of an evaluation of several classes: the whole table, every class, every confusion."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, Self

import numpy as np

from baserate._checks import confidence, one_of
from baserate._deferred import Deferred
from baserate.baselines import beats_chance, chosen_guess, skill
from baserate.cases import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.evaluation.class_stakes import fitted_to_counts
from baserate.evaluation.evaluation_facts import WEIGHTED, WEIGHTED_NOT_LINEAR, IntervalOfShares
from baserate.evaluation.metric_choice import ALL, HEADLINE, listed
from baserate.evaluation.stakes import GivenStakes
from baserate.facts import (
    ClassEvaluationFacts,
    ClassFact,
    ClassGroupFact,
    ConfusionFact,
    MetricFact,
)
from baserate.inference import class_intervals, interval
from baserate.metrics import (
    CLASS_CATALOGUE,
    CLASS_HEADLINES,
    ClassMetric,
    Metric,
    binary_metric,
    class_metric,
    class_utility,
)

OF_CLASS = ("recall", "precision", "f1")  # of every class against the rest
OF_GROUP = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation")
SHARES = frozenset({"accuracy", "error_rate"})  # of cases, which Wilson and Clopper-Pearson take
MOST_CONFUSED = 20  # pairs of classes that are kept
SEVERAL_CLASSES = "weighs or cuts two classes, and these are several"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassEvaluating:
    """What is asked of every class table, however it was counted.

    Attributes
    ----------
    metrics : tuple of ClassMetric
        Of the whole table.
    of_groups : tuple of ClassMetric
    of_class : tuple of Metric
        Of each class against the rest.
    guess : str
    level : float
    interval : str
    """

    metrics: tuple[ClassMetric, ...]
    of_groups: tuple[ClassMetric, ...]
    of_class: tuple[Metric, ...]
    guess: str
    level: float
    interval: str = "bayes"

    @classmethod
    def of(cls, metrics: Any, guess: Any, level: float, interval: str | None) -> Self:
        """Check the arguments that every evaluation shares.

        Names of metrics of two classes that have no form for several are asked of every class.
        """
        whole, parts = chosen_of_classes(metrics)
        named = chosen_guess(guess, of_table=True)
        if not isinstance(named, str):
            rule = "must be the name of a guess, since there are several classes"
            raise InvalidArgumentError.from_rule("guess", rule, guess, 'pass "proportional"')
        return cls(
            metrics=whole,
            of_groups=whole if metrics is not None else tuple(map(class_metric, OF_GROUP)),
            of_class=parts,
            guess=named,
            level=confidence(level),
            interval=one_of("interval", interval or "bayes", IntervalOfShares),
        )

    def of_counted(
        self, counted: ClassCounted, about: Mapping[str, Any], given: GivenStakes | None = None
    ) -> ClassEvaluationFacts:
        """Gather the facts of all cases, of every class and of every group.

        Utilities, where given, are a metric like any other, and say whether it is worth using.
        """
        if given is not None:
            return self._with_stakes(counted, about, given)
        table = counted.table
        if not table.n:
            raise DataError("There are no cases: all counts are 0, so nothing can be evaluated.")
        weighted = counted.weighted or table.is_weighted
        return ClassEvaluationFacts(
            table=table,
            n=table.n,
            missing=counted.n_missing,
            guess=self.guess,
            confidence_level=self.level,
            interval=self.interval,
            **_tested(table, weighted=weighted),
            metrics=self.of_table(table, self.metrics, counted.squared, weighted=weighted),
            classes=self._of_classes(table, counted),
            confusions=self._confusions(counted),
            absent=table.absent,
            never_predicted=_never_predicted(table),
            groups=tuple(
                ClassGroupFact(
                    group=dict(zip(counted.group_names, key, strict=True)),
                    n=part.n,
                    table=part,
                    metrics=Deferred(
                        partial(
                            self.of_table,
                            part,
                            self.of_groups,
                            counted.group_squared.get(key),
                            weighted=weighted,
                        )
                    ),
                )
                for key, part in counted.groups.items()
            ),
            group_names=counted.group_names,
            effective_n=counted.effective_n if counted.weighted else None,
            **about,
        )

    def _with_stakes(
        self, counted: ClassCounted, about: Mapping[str, Any], given: GivenStakes
    ) -> ClassEvaluationFacts:
        stakes, counted = fitted_to_counts(given, counted)
        metric, table = class_utility(stakes.matrix), counted.table
        asked = replace(self, metrics=(*self.metrics, metric), of_groups=(*self.of_groups, metric))
        each = counted.effective_n / table.n if table.n else 1.0
        worth = {
            "stakes": stakes.fact(table.class_counts),
            "worth": stakes.worth(table.counts.T, self.level, each=each),
        }
        return asked.of_counted(counted, {**about, **worth})

    def of_table(
        self,
        table: ClassTable,
        metrics: tuple[ClassMetric, ...],
        squared: ClassTable | None,
        *,
        weighted: bool,
    ) -> tuple[MetricFact, ...]:
        """Gather the facts of every metric at one table, whose intervals share their draws."""
        found = self._intervals(metrics, table, squared)
        return tuple(
            MetricFact(
                name=metric.name,
                direction=metric.direction,
                value=float(ends.value),
                low=ends.low,
                high=ends.high,
                interval_reason=None if ends.value != ends.value else ends.reason,
                **self._chance_and_skill(metric, table, weighted=weighted),
                undefined_reason=metric.undefined_reason(table),
                definition=metric.definition,
                meaning=metric.meaning,
                bounds=metric.bounds,
            )
            for metric, ends in ((metric, found[metric.name]) for metric in metrics)
        )

    def _intervals(
        self, metrics: tuple[ClassMetric, ...], table: ClassTable, squared: ClassTable | None
    ) -> dict[str, Any]:
        """Return intervals by name; of shares as they were asked for, of all others Bayesian."""
        squares = None if squared is None else squared.n
        shares = [m for m in metrics if self.interval != "bayes" and m.name in SHARES]
        others = [m for m in metrics if m not in shares]
        how: dict[str, Any] = {"confidence_level": self.level, "squared_weights": squares}
        found = class_intervals(others, table, **how) if others else {}
        if shares:
            method: Any = self.interval
            found |= class_intervals(shares, table, method=method, **how)
        return found

    def _chance_and_skill(
        self, metric: ClassMetric, table: ClassTable, *, weighted: bool
    ) -> dict[str, Any]:
        if metric.direction == "neither":
            return {}
        if weighted and metric.chance is None and metric.weights is None:
            return {"chance_reason": WEIGHTED_NOT_LINEAR}
        try:
            found = skill(metric, table, guess=self.guess)
        except UnsupportedError as error:
            return {"chance_reason": str(error)}
        return {"chance": found.chance, "skill": found.value, "chance_reason": found.reason}

    def _of_classes(self, table: ClassTable, counted: ClassCounted) -> tuple[ClassFact, ...]:
        """Gather the facts of every class against the rest, all classes at once."""
        every = table.one_vs_rest()
        columns = [self._of_every(metric, counted) for metric in self.of_class]
        rows = zip(*columns, strict=True) if columns else ((),) * table.n_classes
        return tuple(
            ClassFact(label=label, table=every[k], metrics=tuple(row))
            for k, (label, row) in enumerate(zip(table.labels, rows, strict=True))
        )

    def _of_every(self, metric: Metric, counted: ClassCounted) -> list[MetricFact]:
        every = counted.table.one_vs_rest()
        squares = None if counted.squared is None else counted.squared.one_vs_rest()
        found = self._binary_interval(metric, every, squares)
        return [
            MetricFact(
                name=metric.name,
                direction=metric.direction,
                value=value,
                low=low,
                high=high,
                undefined_reason=metric.undefined_reason(every[k]) if value != value else None,  # noqa: PLR0124
                definition=metric.definition,
                meaning=metric.meaning,
                bounds=metric.bounds,
            )
            for k, (value, low, high) in enumerate(
                zip(found.value.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
            )
        ]

    def _binary_interval(
        self, metric: Metric, tables: ConfusionMatrix, squares: ConfusionMatrix | None
    ) -> Any:
        method: Any = "bayes" if metric.proportion is None else self.interval
        how = {"confidence_level": self.level, "method": method}
        return interval(metric, tables, squared_weights=squares, **how)

    def _confusions(self, counted: ClassCounted) -> tuple[ConfusionFact, ...]:
        """Return the pairs of classes with the most wrong cases."""
        table = counted.table
        wrong = np.where(np.eye(table.n_classes, dtype=bool), 0, table.counts)
        order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]
        pairs = [divmod(int(k), table.n_classes) for k in order if wrong.flat[k]]
        if not pairs:
            return ()
        truth, prediction = map(list, zip(*pairs, strict=True))
        rows = _of_rows(table, truth, prediction)
        squares = None if counted.squared is None else _of_rows(counted.squared, truth, prediction)
        found = self._binary_interval(binary_metric("recall"), rows, squares)
        return tuple(
            ConfusionFact(
                truth=table.labels[i],
                prediction=table.labels[j],
                n=table.counts[i, j].item(),
                share=share,
                low=low,
                high=high,
            )
            for (i, j), share, low, high in zip(
                pairs, found.value.tolist(), found.low.tolist(), found.high.tolist(), strict=True
            )
        )


def _of_rows(table: ClassTable, truth: list[int], prediction: list[int]) -> ConfusionMatrix:
    """Return tables whose recall is the share of a class's cases that are called another one."""
    n, of = table.counts[truth, prediction], table.class_counts[truth]
    return ConfusionMatrix(tp=n, fn=np.maximum(of - n, 0), fp=0, tn=0)


def chosen_of_classes(asked: Any) -> tuple[tuple[ClassMetric, ...], tuple[Metric, ...]]:
    """Part metrics of the whole table from those that are asked of every class."""
    whole: dict[str, ClassMetric] = {}
    parts: dict[str, Metric] = (
        {name: binary_metric(name) for name in OF_CLASS} if asked is None else {}
    )
    several: dict[Any, Iterable[Any]] = {
        HEADLINE: CLASS_HEADLINES,
        ALL: tuple(metric.name for metric in CLASS_CATALOGUE),
    }
    for name in listed(asked, HEADLINE):
        for one in several.get(name, (name,)) if isinstance(name, str) else (name,):
            found = _meant(one)
            if isinstance(found, ClassMetric):
                whole.setdefault(found.name, found)
            else:
                parts.setdefault(found.name, found)
        if name in (HEADLINE, ALL):
            parts |= {part: binary_metric(part) for part in OF_CLASS}
    return tuple(whole.values()), tuple(parts.values())


def _meant(name: Any) -> ClassMetric | Metric:
    """Return the metric of the whole table if there is one, else that of each class."""
    try:
        return class_metric(name)
    except UnknownNameError:
        return binary_metric(name)


def _tested(table: ClassTable, *, weighted: bool) -> dict[str, Any]:
    if weighted:
        return {"p_value_reason": WEIGHTED}
    try:
        found = beats_chance(table)
    except UnsupportedError as error:
        return {"p_value": nan, "p_value_reason": str(error)}
    return {"p_value": found.p_value, "p_value_route": found.route}


def _never_predicted(table: ClassTable) -> tuple[Any, ...]:
    sides = zip(table.labels, table.class_counts, table.predicted_counts, strict=True)
    return tuple(label for label, true, predicted in sides if true and not predicted)

"""The facts of an evaluation of several classes: the whole table, every class, every confusion."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan
from typing import Any, Self

import numpy as np

from baserate._checks import confidence, one_of
from baserate._result import Deferred
from baserate.baselines.guessing import chosen_guess
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.evaluation.asked import (
    Asked,
    by_clusters,
    resting_on,
    sampled,
    tested,
)
from baserate.evaluation.class_stakes import fitted_to_counts
from baserate.evaluation.metric_choice import chosen_of_classes, named_of_classes
from baserate.evaluation.stakes import GivenStakes
from baserate.evaluation.verdicts import MEAN_RECALL, of_classes
from baserate.facts.evaluation import (
    ClassEvaluationFacts,
    ClassFact,
    ClassGroupFact,
    ConfusionFact,
    ExtremeFact,
    IntervalOfShares,
    MetricFact,
    OrderFact,
)
from baserate.facts.numbers import records
from baserate.inference import mcnemar_test
from baserate.inference.binary_intervals import design_interval
from baserate.inference.intervals import class_intervals
from baserate.inference.metric_limits import SHARES
from baserate.metrics import (
    ClassMetric,
    Metric,
    binary_metric,
    class_metric,
    class_utility,
)

OF_GROUP = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation")
MOST_CONFUSED = 20  # pairs of classes that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassEvaluating(Asked):
    """What is asked of every class table, however it was counted."""

    of_groups: tuple[ClassMetric, ...]
    of_class: tuple[Metric, ...]  # of each class against the rest

    @classmethod
    def of(cls, metrics: Any, guess: Any, level: float, interval: str | None) -> Self:
        """Check the arguments that every evaluation shares.

        Names of metrics of two classes that have no form for several are asked of every class.
        """
        whole, parts = chosen_of_classes(metrics)
        parts = parts or (binary_metric("recall"),)  # which class is found least is told anyway
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
            interval=None if interval is None else one_of("interval", interval, IntervalOfShares),
            asked_for=named_of_classes(metrics),
        )

    def of_counted(
        self, counted: ClassCounted, about: Mapping[str, Any], given: GivenStakes | None = None
    ) -> ClassEvaluationFacts:
        """Gather the facts of all cases, of every class and of every group.

        Utilities, where given, are a metric like any other, and say whether it is worth using.
        """
        if given is not None:
            return self._with_stakes(counted, about, given)
        table, methods = counted.table, self.methods(counted)
        weighted = counted.weighted or table.is_weighted
        guessing = tested(table, counted.design, weighted=weighted)
        route = None if counted.design is None or guessing.p_value_reason else methods.p_value
        told = (class_metric("accuracy"), class_metric(MEAN_RECALL))
        found = self._intervals((*self.metrics, *told), counted)
        metrics = self.of_table(counted, self.metrics, weighted=weighted, found=found)
        return ClassEvaluationFacts(
            table=table,
            n=table.n,
            missing=counted.n_missing,
            guess=str(self.guess),
            confidence_level=self.level,
            interval=methods.interval,
            **guessing.told,
            p_value_route=route or guessing.p_value_route,
            better_than_guessing=of_classes(table, found[MEAN_RECALL], guessing.p_value),
            metrics=self._if_independent(metrics, counted),
            asked_for=self.asked_for,
            right=MetricFact(
                name="accuracy",
                direction="higher",
                value=float(found["accuracy"].value),
                **resting_on(found["accuracy"]),
            ),
            classes=self._of_classes(counted),
            confusions=self.most_confused(counted),
            least_found=self._least_found(counted),
            most_confused=self._most_confused(counted),
            order=self._order(counted),
            absent=table.absent,
            never_predicted=tuple(
                label
                for label, true, called in zip(
                    table.labels, table.class_counts, table.predicted_counts, strict=True
                )
                if true and not called
            ),
            groups=tuple(
                ClassGroupFact(
                    group=dict(zip(counted.group_names, key, strict=True)),
                    n=part.n,
                    table=part,
                    metrics=Deferred(
                        partial(
                            self.of_table,
                            counted.within(key),
                            self.of_groups,
                            weighted=weighted,
                        )
                    ),
                )
                for key, part in counted.groups.items()
            ),
            group_names=counted.group_names,
            effective_n=counted.effective_n if counted.weighted else None,
            **sampled(counted.design, lambda _: found["accuracy"]),
            **about,
        )

    def _with_stakes(
        self, counted: ClassCounted, about: Mapping[str, Any], given: GivenStakes
    ) -> ClassEvaluationFacts:
        stakes, counted = fitted_to_counts(given, counted)
        metric, table = class_utility(stakes.matrix), counted.table
        asked = replace(self, metrics=(*self.metrics, metric), of_groups=(*self.of_groups, metric))
        worth = {
            "stakes": stakes.fact(table.class_counts),
            "worth": stakes.worth_of(counted, self.level),
        }
        return asked.of_counted(counted, {**about, **worth})

    def of_table(
        self,
        counted: ClassCounted,
        metrics: tuple[ClassMetric, ...],
        *,
        weighted: bool,
        found: Mapping[str, Any] | None = None,
    ) -> tuple[MetricFact, ...]:
        """Gather the facts of every metric at one table, whose intervals share their draws."""
        table = counted.table
        found = self._intervals(metrics, counted) if found is None else found
        return tuple(
            self.fact(
                metric,
                table,
                {"value": float(ends.value), **resting_on(ends)}
                | self.beside_guess(metric, table, self.guess, weighted=weighted),
            )
            for metric, ends in ((metric, found[metric.name]) for metric in metrics)
        )

    def _if_independent(
        self, facts: tuple[MetricFact, ...], counted: ClassCounted
    ) -> tuple[MetricFact, ...]:
        """Add what intervals independent cases would have, to metrics that were asked for."""
        asked = tuple(m for m in self.metrics if m.name in self.asked_for)
        if counted.design is None or not asked:
            return facts
        alone = self._intervals(asked, replace(counted, design=None))
        return tuple(
            replace(fact, independent_low=ends.low, independent_high=ends.high) if ends else fact
            for fact, ends in ((fact, alone.get(fact.name)) for fact in facts)
        )

    def _intervals(self, metrics: tuple[ClassMetric, ...], counted: ClassCounted) -> dict[str, Any]:
        """Return intervals by name; of shares as they were asked for, of all others Bayesian.

        Of cases in clusters, or with replicate weights, all by these.
        """
        own = self.interval not in {None, "bayes"}
        metrics = tuple(dict.fromkeys(metrics))
        shares = [m for m in metrics if own and m.name in SHARES]
        others = [m for m in metrics if m not in shares]
        found = class_intervals(others, counted, confidence_level=self.level) if others else {}
        if shares:
            how: Any = {"confidence_level": self.level, "method": self.interval}
            found |= class_intervals(shares, counted, **how)
        return found

    def _of_classes(self, counted: ClassCounted) -> tuple[ClassFact, ...]:
        """Gather the facts of every class against the rest, all classes at once."""
        table, every = counted.table, counted.table.one_vs_rest()
        columns = self.ends_of_classes(counted)
        return tuple(
            ClassFact(
                label=label,
                table=every[k],
                metrics=tuple(
                    self.fact(metric, every[k], ends)
                    for metric, ends in zip(self.of_class, row, strict=True)
                ),
            )
            for k, (label, row) in enumerate(zip(table.labels, columns, strict=True))
        )

    def ends_of_classes(self, counted: ClassCounted) -> Iterable[Sequence[dict[str, Any]]]:
        """Return value and ends of every metric, class by class."""
        every = counted.table.one_vs_rest()
        if not self.of_class:
            return [()] * counted.table.n_classes
        if counted.design is not None:
            designs = (counted.design.binary(k, k) for k in range(counted.design.n_classes))
            return (
                [
                    {"value": metric(every[k]), **by_clusters(metric, own, self.level)}
                    for metric in self.of_class
                ]
                for k, own in enumerate(designs)
            )
        squares = None if counted.squared is None else counted.squared.one_vs_rest()
        found = (self.ends_of(metric, every, squares) for metric in self.of_class)
        columns = (records(dict, value=x.value, low=x.low, high=x.high) for x in found)
        return zip(*columns, strict=True)

    def most_confused(
        self, counted: ClassCounted, most: int = MOST_CONFUSED
    ) -> tuple[ConfusionFact, ...]:
        """Return the pairs of classes with the most wrong cases."""
        table = counted.table
        wrong = np.where(np.eye(table.n_classes, dtype=bool), 0, table.counts)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = [divmod(int(k), table.n_classes) for k in order if wrong.flat[k]]
        if not pairs:
            return ()
        truth, prediction = map(list, zip(*pairs, strict=True))
        ends = self._ends_of_pairs(counted, truth, prediction)
        return tuple(
            ConfusionFact(
                truth=table.labels[i],
                prediction=table.labels[j],
                n=table.counts[i, j].item(),
                share=share,
                low=low,
                high=high,
            )
            for (i, j), (share, low, high) in zip(pairs, ends, strict=True)
        )

    def _least_found(self, counted: ClassCounted) -> ExtremeFact | None:
        """Return the lowest recall of a class, with an interval that knows that it was picked."""
        recall = binary_metric("recall")
        n = sum(size > 0 for size in counted.table.class_counts.tolist())
        if recall not in self.of_class or not n:
            return None
        joint = replace(self, of_class=(recall,), level=1 - (1 - self.level) / n)
        found = [ends for (ends,) in joint.ends_of_classes(counted) if not isnan(ends["value"])]
        if not found:
            return None
        least = min(found, key=lambda ends: (ends["value"], ends["high"]))
        return ExtremeFact(share=least["value"], low=least["low"], high=least["high"], of=n)

    def _most_confused(self, counted: ClassCounted) -> ExtremeFact | None:
        """Return the share of the first of the confusions, with such an interval."""
        size = counted.table.n_classes
        joint = replace(self, level=1 - (1 - self.level) / (size * (size - 1)))
        found = joint.most_confused(counted, most=1)
        if not found:
            return None
        [one] = found
        return ExtremeFact(share=one.share, low=one.low, high=one.high, of=size * (size - 1))

    def _order(self, counted: ClassCounted) -> OrderFact | None:
        """Return how far wrong cases are off, and to which side, of classes in an order."""
        weighted_kappa = any(name.startswith("weighted_kappa") for name in self.asked_for)
        ranks = ranks_of(counted.table.labels)
        if ranks is None and not weighted_kappa:
            return None
        ranks = np.arange(counted.table.n_classes) if ranks is None else ranks
        counts, off = counted.table.counts, ranks[None, :] - ranks[:, None]
        far, high, low = (counts[some].sum().item() for some in (abs(off) > 1, off > 0, off < 0))
        total = counted.table.n
        known = dict[str, float]()
        if counted.design is None and not (counted.weighted or counted.table.is_weighted):
            wrong = ConfusionMatrix(tp=far, fn=total - far, fp=0, tn=0)
            ends = self.ends_of(binary_metric("recall"), wrong, None)
            known = {"low": float(ends.low), "high": float(ends.high)}
            known["p_value"] = mcnemar_test(high, low).p_value
        share = far / total if total else nan
        return OrderFact(far=far, share=share, too_high=high, too_low=low, **known)

    def _ends_of_pairs(
        self, counted: ClassCounted, truth: list[int], prediction: list[int]
    ) -> Iterable[tuple[float, float, float]]:
        recall = binary_metric("recall")
        if counted.design is not None:
            designs = map(counted.design.binary, truth, prediction)
            every = [design_interval(recall, design, self.level) for design in designs]
            return [(one.value, one.low, one.high) for one in every]
        rows = _of_rows(counted.table, truth, prediction)
        squares = None if counted.squared is None else _of_rows(counted.squared, truth, prediction)
        found = self.ends_of(recall, rows, squares)
        return zip(found.value.tolist(), found.low.tolist(), found.high.tolist(), strict=True)


def ranks_of(labels: Sequence[Any]) -> Any:
    """Return the place of each label in the order of the numbers that end them, if all have one.

    Examples
    --------
    >>> from baserate.evaluation.class_facts import ranks_of
    >>> ranks_of(["grade 1", "grade 10", "grade 2"]).tolist(), ranks_of(["cat", "dog 2", "dog 3"])
    ([0, 2, 1], None)
    """
    found = [re.fullmatch(r"(.*?)(-?\d+)(?:\.0)?", str(label), re.DOTALL) for label in labels]
    heads = {one[1] for one in found if one}
    if None in found or len(heads) != 1 or len(found) < 3:
        return None
    return np.argsort(np.argsort([int(one[2]) for one in found if one]))


def _of_rows(table: ClassTable, truth: list[int], prediction: list[int]) -> ConfusionMatrix:
    """Return tables whose recall is the share of a class's cases that are called another one."""
    n, of = table.counts[truth, prediction], table.class_counts[truth]
    return ConfusionMatrix(tp=n, fn=np.maximum(of - n, 0), fp=0, tn=0)

"""Weights of classes: which class to call where probabilities of several are known."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, NamedTuple, Self

import numpy as np

from baserate._checks import DRAWS, confidence, whole_number
from baserate.cases.several_classes import ClassCases
from baserate.cases.values import listed as in_words
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.evaluation.metric_choice import listed, named_of_classes, spelled_out
from baserate.evaluation.result import Reported
from baserate.evaluation.threshold_facts import units_of
from baserate.evaluation.unverified import left_out, of_classes
from baserate.facts.numbers import records
from baserate.facts.threshold import (
    ClassThresholdFacts,
    ClassWeightFact,
    ClassWeightsFact,
    GroupWeightsFact,
)
from baserate.metrics import CLASS_CATALOGUE, CLASS_HEADLINES, ClassMetric, class_metric
from baserate.report.class_threshold import sheet_of
from baserate.tuning import class_weight_spread
from baserate.tuning.class_weight_samples import ClassWeightSpread
from baserate.tuning.coordinate_ascent import Scored

DEFAULT = (
    "macro_f1", "balanced_accuracy", "matthews_correlation", "cohen_kappa", "accuracy",
)  # fmt: skip
N_RESAMPLES = 20  # each searches all cut points of all classes


@dataclass(frozen=True, slots=True, repr=False)
class ClassThresholds(Reported):
    """What `thresholds` found of several classes, and the ways to show it."""

    facts: ClassThresholdFacts
    sheet_of = staticmethod(sheet_of)


class ClassWeighting(NamedTuple):
    """What is asked of the probabilities of several classes."""

    metrics: tuple[ClassMetric, ...]
    level: float
    n_resamples: int
    rng: Any
    asked_for: bool = False

    @classmethod
    def of(cls, metrics: Any, level: float, n_resamples: int | None, rng: Any) -> Self:
        """Check the arguments."""
        size = N_RESAMPLES if n_resamples is None else n_resamples
        size = whole_number("n_resamples", size, minimum=1, maximum=DRAWS)
        chosen = _chosen(metrics)
        return cls(chosen, confidence(level), size, rng, bool(named_of_classes(metrics)))

    def of_cases(self, cases: ClassCases, about: Mapping[str, Any]) -> ClassThresholdFacts:
        """Gather the facts of all cases."""
        refuse_one_class(cases, about["target"])
        units, found = _units(cases), self._best(cases)
        names = ("source", "target", "scores", "strata", "cluster", "case_id", "fold")
        kept = {key: about[key] for key in names if key in about}
        if "sample_weight" in units:
            weight = units["sample_weight"]
            kept |= {"n": float(weight.sum()), "effective_n": weight.sum() ** 2 / (weight**2).sum()}
        kept |= units_of(cases)
        return ClassThresholdFacts(
            labels=cases.labels,
            missing=cases.n_missing,
            tied=cases.n_tied,
            confidence_level=self.level,
            n_resamples=self.n_resamples,
            metrics=found,
            groups=tuple(self._groups(cases, found)),
            group_names=cases.group_names,
            asked_for=self.asked_for,
            folds=0 if cases.fold is None else len(cases.fold.keys),
            unverified=of_classes(cases),
            **left_out(cases),
            **{"n": cases.n, **kept},
        )

    def _best(self, cases: ClassCases) -> tuple[ClassWeightsFact, ...]:
        """Return the best weights by each metric, or why there are none."""
        assert cases.scores is not None
        names = np.empty(len(cases.labels), dtype=object)
        names[:] = cases.labels
        rows, units = cases.rows, _units(cases)
        truth, scores = names[cases.truth[rows]], cases.scores[rows]
        return tuple(
            self._of_metric(metric, truth, scores, cases.labels, units) for metric in self.metrics
        )

    def _groups(
        self, cases: ClassCases, best: tuple[ClassWeightsFact, ...]
    ) -> Iterator[GroupWeightsFact]:
        """Compare, group by group, the best weights of all cases with the group's own."""
        for index, key in enumerate(cases.groups):
            part = cases.within(index)
            own = zip(self.metrics, self._best(part), best, strict=True)
            yield GroupWeightsFact(
                group=dict(zip(cases.group_names, key, strict=True)),
                n=part.n if part.weight is None else float(part.weight.sum()),
                weights=tuple(
                    replace(one, shared=_value_at(metric, part, of_all.classes))
                    for metric, one, of_all in own
                ),
            )

    def _of_metric(
        self,
        metric: ClassMetric,
        truth: Any,
        scores: Any,
        labels: tuple[Any, ...],
        units: Mapping[str, Any],
    ) -> ClassWeightsFact:
        lacking = ClassWeightsFact(name=metric.name, direction=metric.direction)
        if metric.direction == "neither":
            return replace(lacking, reason="neither more nor less of it is better")
        try:
            found = class_weight_spread(
                metric, truth, scores, labels=labels, rng=self.rng,
                n_resamples=self.n_resamples, confidence_level=self.level, **units,
            )  # fmt: skip
        except UnsupportedError as error:
            return replace(lacking, reason=str(error))
        return replace(
            lacking,
            unweighted=found.best.unweighted,
            value=found.value,
            corrected=found.corrected,
            **_interval(found),
            difference=found.difference,
            difference_low=found.low,
            difference_high=found.high,
            probability_better=found.probability_better,
            table=found.best.table,
            classes=_of_classes(found, scores, units.get("sample_weight")),
            route=found.best.route,
            corrected_reason=found.reason,
        )


def _value_at(metric: ClassMetric, cases: ClassCases, classes: Sequence[ClassWeightFact]) -> float:
    """Return a metric where cases are called by these weights of classes; nan without any."""
    if not classes:
        return nan
    assert cases.scores is not None
    scored = Scored.of(cases.scores, cases.truth, cases.amount)
    return float(metric(scored.table(np.array([one.offset for one in classes]))))


def _units(cases: ClassCases) -> dict[str, Any]:
    """Return the weight, the cluster and the fold of every case, if there are any.

    Clusters of strata as they were read, those without a case among them.
    """
    units: dict[str, Any] = {}
    if cases.weight is not None:
        units["sample_weight"] = cases.weight / cases.count
    keys = {"cluster": cases.cluster, "fold": cases.fold}
    units |= {name: key.codes for name, key in keys.items() if key is not None}
    rows = cases.rows
    units = {name: each[rows] for name, each in units.items()}
    if cases.replicated is not None:
        units["cluster"] = cases.replicated.take(rows).amounts
    return units


def _interval(found: ClassWeightSpread) -> dict[str, Any]:
    """Return the interval of the calls out of the bag."""
    ends = found.interval
    if ends is None:
        return {}
    return {"low": ends.low, "high": ends.high, "interval_route": ends.route}


def _chosen(asked: str | ClassMetric | Iterable[Any] | None) -> tuple[ClassMetric, ...]:
    given = DEFAULT if asked is None else listed(asked)
    names = [*spelled_out(given, CLASS_HEADLINES, CLASS_CATALOGUE)]
    if not names:
        raise InvalidArgumentError.from_rule("metrics", "must name a metric", asked, "name one")
    return tuple({metric.name: metric for metric in map(class_metric, names)}.values())


def _of_classes(found: ClassWeightSpread, scores: Any, weight: Any) -> tuple[ClassWeightFact, ...]:
    best = found.best
    plain = np.bincount(scores.argmax(axis=1), weight, minlength=len(best.labels))
    return tuple(
        records(
            ClassWeightFact,
            label=[*best.labels],
            n=best.table.class_counts,
            weight=best.weights,
            low=found.weights_low,
            high=found.weights_high,
            called=best.table.predicted_counts,
            called_unweighted=plain,
        )
    )


def refuse_one_class(cases: ClassCases, target: Any) -> None:
    """Refuse cases of a single class, which no weights part from another."""
    there = np.unique(cases.truth)
    if len(there) < 2:
        [only] = (cases.labels[k] for k in there.tolist())
        raise LabelError(
            f"{target} holds one class only (every case is {only!r}), and weights of classes "
            f"cannot be chosen without cases of another: collect cases of "
            f"{in_words([label for label in cases.labels if label != only])}."
        )

"""What is asked of a score, once every case is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from baserate.curves import Sweep, sweep
from baserate.decisions import (
    ThresholdSpread,
    cross_validated_threshold,
    optimal_threshold,
    rules_at,
    threshold_spreads,
)
from baserate.decisions.constraints import Constraint
from baserate.decisions.optimal import interval_of
from baserate.errors import InvalidArgumentError, LabelError, UnsupportedError
from baserate.evaluation.ranking import ranking
from baserate.facts import CutFact, ThresholdFacts
from baserate.labels.cases import Cases
from baserate.labels.scores import THRESHOLD
from baserate.metrics import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """What is asked of a score."""

    metrics: tuple[Metric, ...]
    constraint: tuple[Constraint, ...]
    default: float | None
    level: float
    n_resamples: int
    rng: Any

    def of_cases(self, cases: Cases, about: Mapping[str, Any]) -> ThresholdFacts:
        """Gather the facts of a score."""
        _need_both_classes(cases, about)
        if cases.fold is not None:
            self._need_usable_folds(cases)
        swept = sweep(cases.truth, cases.score)
        default = self._default(swept)
        best = {metric.name: self._chosen(metric, cases, swept) for metric in self.metrics}
        cuts = self._cuts(best, swept, default)
        return ThresholdFacts(
            positive=cases.positive,
            n=len(cases.truth),
            n_positive=int(swept.n_positive),
            n_negative=int(swept.n_negative),
            missing=cases.n_missing,
            n_cut_points=len(swept.thresholds) - 1,
            confidence_level=self.level,
            n_resamples=self.n_resamples,
            default=default,
            ranking=ranking(swept, self.level),
            cuts=cuts,
            constraint=tuple(map(str, self.constraint)),
            folds=len(cases.folds),
            **about,
        )

    def _chosen(self, metric: Metric, cases: Cases, swept: Sweep) -> dict[str, Any]:
        """Return the best cut for one metric, or why there is none."""
        try:
            if cases.fold is not None:
                return self._folded(metric, cases, swept)
            return self._searched(metric, swept)
        except (InvalidArgumentError, UnsupportedError) as error:
            return {"reason": str(error)}

    def _cuts(
        self, best: dict[str, dict[str, Any]], swept: Sweep, default: float | None
    ) -> tuple[CutFact, ...]:
        """Add to each best cut its spread, and what the default gives."""
        searched = [m for m in self.metrics if "plateau" in best[m.name]]
        spreads: dict[str, ThresholdSpread] = {}
        if searched and "fold_values" not in best[searched[0].name]:
            found = threshold_spreads(
                searched, swept, rng=self.rng, n_resamples=self.n_resamples,
                constraint=self.constraint, confidence_level=self.level,
            )  # fmt: skip
            spreads = {spread.metric: spread for spread in found}
        return tuple(
            CutFact(
                name=metric.name,
                direction=metric.direction,
                default=nan if default is None else _at(metric, swept, default),
                **best[metric.name],
                **_around(spreads.get(metric.name)),
            )
            for metric in self.metrics
        )

    def _searched(self, metric: Metric, swept: Sweep) -> dict[str, Any]:
        best = optimal_threshold(metric, swept, constraint=self.constraint)
        return {
            "threshold": best.threshold,
            "plateau": best.plateau[0],
            "value": best.value,
            "step": _step(swept, best.threshold),
            "table": best.table,
        }

    def _folded(self, metric: Metric, cases: Cases, swept: Sweep) -> dict[str, Any]:
        """Choose by mean skill over folds; what to expect anew is the nested mean skill."""
        parts = [cases.fold == k for k in range(len(cases.folds))]
        folds = [(cases.truth[part], cases.score[part]) for part in parts]
        found = cross_validated_threshold(metric, folds, nested=True)
        table = swept.tables[int(rules_at(swept, found.threshold))]
        return {
            "threshold": found.threshold,
            "plateau": found.plateau,
            "step": _step(swept, found.threshold),
            "value": float(metric(table)),
            "corrected": found.value,
            "table": table,
            "fold_values": tuple(found.values.tolist()),
        }

    def _need_usable_folds(self, cases: Cases) -> None:
        """Refuse what no metric could be cross-validated with."""
        if self.constraint:
            rule = "has no meaning for thresholds that are cross-validated"
            given = str(self.constraint[0])
            raise InvalidArgumentError.from_rule("constraint", rule, given, "leave out one of them")
        if len(cases.folds) < 2:
            rule = "must name at least two folds"
            raise LabelError.from_rule("fold", rule, len(cases.folds), "leave it out (--fold)")
        for k, label in enumerate(cases.folds):
            held = cases.truth[cases.fold == k]
            if held.all() or not held.any():
                lacking = (
                    "no case" if not len(held) else "no negatives" if held.all() else "no positives"
                )
                raise LabelError(
                    f"Every fold must hold both classes, and fold {label!r} has {lacking}: "
                    "stratify the folds."
                )

    def _default(self, swept: Sweep) -> float | None:
        """Return the threshold that people would use unless told otherwise, if there is one."""
        if self.default is not None:
            return self.default
        scores = np.asarray(swept.thresholds[1:], dtype=float)
        return THRESHOLD if scores[-1] >= 0 and scores[0] <= 1 else None


def _at(metric: Metric, swept: Sweep, threshold: float) -> float:
    return float(metric(swept.tables[int(rules_at(swept, threshold))]))


def _step(swept: Sweep, threshold: float) -> tuple[float, float]:
    rule = int(rules_at(swept, threshold))
    return interval_of(swept, rule, rule)


def _around(spread: ThresholdSpread | None) -> dict[str, Any]:
    if spread is None:
        return {}
    return {"low": spread.low, "high": spread.high, "corrected": spread.corrected}


def _need_both_classes(cases: Cases, about: Mapping[str, Any]) -> None:
    positive = int(np.count_nonzero(cases.truth))
    if positive in {0, len(cases.truth)}:
        which = "positive" if positive else "negative"
        raise LabelError(
            f"{about['target']} holds one class only (every case is {which}, positive being "
            f"{cases.positive!r}), and no threshold separates one class: collect the other class."
        )

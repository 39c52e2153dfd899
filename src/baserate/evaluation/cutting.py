"""What is asked of a score, once every case is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from baserate.curves import Sweep, sweep
from baserate.decisions import (
    cross_validated_threshold,
    optimal_threshold,
    rules_at,
    threshold_spread,
)
from baserate.decisions.constraints import Constraint
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
        swept = sweep(cases.truth, cases.score)
        default = self._default(swept)
        cuts = tuple(self.cut(metric, cases, swept, default) for metric in self.metrics)
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

    def cut(self, metric: Metric, cases: Cases, swept: Sweep, default: float | None) -> CutFact:
        """Return the best cut for one metric, or why there is none."""
        try:
            found = self._folded if cases.fold is not None else self._searched
            chosen = found(metric, cases, swept)
        except (InvalidArgumentError, UnsupportedError) as error:
            return CutFact(name=metric.name, direction=metric.direction, reason=str(error))
        at_default = nan
        if default is not None:
            at_default = float(metric(swept.tables[int(rules_at(swept, default))]))
        known = {"name": metric.name, "direction": metric.direction, "default": at_default}
        return CutFact(**known, **chosen)

    def _searched(self, metric: Metric, cases: Cases, swept: Sweep) -> dict[str, Any]:
        del cases
        best = optimal_threshold(metric, swept, constraint=self.constraint)
        spread = threshold_spread(
            metric, swept, rng=self.rng, n_resamples=self.n_resamples,
            constraint=self.constraint, confidence_level=self.level,
        )  # fmt: skip
        return {
            "threshold": best.threshold,
            "low": spread.low,
            "high": spread.high,
            "plateau": best.plateau[0],
            "value": best.value,
            "corrected": spread.corrected,
            "table": best.table,
        }

    def _folded(self, metric: Metric, cases: Cases, swept: Sweep) -> dict[str, Any]:
        """Choose by mean skill over folds; what to expect anew is the nested mean of the metric."""
        if self.constraint:
            rule = "has no meaning for thresholds that are cross-validated"
            given = str(self.constraint[0])
            raise InvalidArgumentError.from_rule("constraint", rule, given, "leave out one of them")
        parts = [cases.fold == k for k in range(len(cases.folds))]
        folds = [(cases.truth[part], cases.score[part]) for part in parts]
        found = cross_validated_threshold(metric, folds, nested=True)
        table = swept.tables[int(rules_at(swept, found.threshold))]
        return {
            "threshold": found.threshold,
            "plateau": found.plateau,
            "value": float(metric(table)),
            "corrected": found.value,
            "table": table,
            "fold_values": tuple(found.values.tolist()),
        }

    def _default(self, swept: Sweep) -> float | None:
        """Return the threshold that people would use unless told otherwise, if there is one."""
        if self.default is not None:
            return float(self.default)
        scores = np.asarray(swept.thresholds[1:], dtype=float)
        return THRESHOLD if scores[-1] >= 0 and scores[0] <= 1 else None


def _need_both_classes(cases: Cases, about: Mapping[str, Any]) -> None:
    positive = int(np.count_nonzero(cases.truth))
    if positive in {0, len(cases.truth)}:
        which = "positive" if positive else "negative"
        raise LabelError(
            f"{about['target']} holds one class only (every case is {which}, positive being "
            f"{cases.positive!r}), and no threshold separates one class: collect the other class."
        )

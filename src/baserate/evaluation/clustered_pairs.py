"""What clusters or replicate weights make of a comparison of decisions: differences and chances."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from baserate.cases.clusters import Design
from baserate.cases.units import Law
from baserate.curves.estimates import ScoreComparison
from baserate.evaluation.sampled_pairs import TESTED, SampledPairs
from baserate.inference import design_interval
from baserate.inference.paired_clusters import (
    compared,
    law_apart,
    swapped_clusters,
)
from baserate.metrics import Metric, binary_metric

REPLICATED = "approximate, replicate weights"


class ClusteredPairs(SampledPairs):
    """Cases come in clusters, with weights or without: whole clusters are independent."""

    @cached_property
    def designs(self) -> tuple[Design, ...]:
        """How the cells of each classifier's table vary with the clusters."""
        return tuple(one.design for one in self.counted if one.design is not None)

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample."""
        return self.designs[0].n_units

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers: interval, tests and chance, by clusters."""
        a, b, found = self.designs[i], self.designs[j], self.compared(self.metric, i, j)
        tests = {f"p_{name}": swapped_clusters(binary_metric(name), a, b)[0] for name in TESTED}
        return {
            "low": found.low,
            "high": found.high,
            "reason": found.reason,
            "p_difference": found.p_value,
            "p_route": found.p_value_route,
            "design_effect": found.design_effect,
            "a_better": self.above(i, j),
            **tests,
        }

    def compared(self, metric: Metric, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric, by whole clusters."""
        a, b = self.designs[i], self.designs[j]
        return compared(metric, a, b, self.level, joint=self._joint(i, j))

    def law_of(self, metric: Metric, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""
        return law_apart(metric, self.designs[i], self.designs[j], self._joint(i, j))

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""
        found = design_interval(self.metric, self.designs[k], self.level)
        return found.low, found.high

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own = self.designs[k]
        cells = np.zeros((2, 2, 2))
        cells[:, 0 if positive else 1] = own.total[[0, 2, 1, 3]].reshape(2, 2)
        return law_apart(self.metric, own, always(own, positive=positive), cells).above

    def _joint(self, i: int, j: int) -> Any:
        return self.joint.cells((i, j), "weight").astype(float)


class ReplicatedPairs(ClusteredPairs):
    """Cases have replicate weights: each set of them recomputes everything."""

    @property
    def n_clusters(self) -> int | None:
        """None: what belongs together is not told."""
        return None

    @property
    def n_replicates(self) -> int | None:
        """Sets of replicate weights."""
        return self.designs[0].n_units

    def compared(self, metric: Metric, i: int, j: int) -> ScoreComparison:
        """Return the same, with the p-value of Student's law: no swaps of what is not known."""
        p = self.law_of(metric, i, j).p_value()
        return replace(super().compared(metric, i, j), p_value=p, p_value_route=REPLICATED)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the same, with p-values of Student's law."""
        laws = {name: self.law_of(binary_metric(name), i, j) for name in TESTED}
        return {
            **super().pair(i, j),
            **{f"p_{name}": law.p_value() for name, law in laws.items()},
        }


def always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))

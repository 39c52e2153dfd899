"""What clusters or replicate weights make of a comparison of decisions: differences and chances."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from baserate.cases.clusters import Design
from baserate.evaluation.sampled_pairs import TESTED, SampledPairs
from baserate.inference import design_interval
from baserate.inference.paired_clusters import (
    DifferenceLaw,
    compared,
    independent_variance,
    swapped_clusters,
)
from baserate.metrics import binary_metric

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
        a, b = self.designs[i], self.designs[j]
        cells = self.joint.cells((i, j), "weight").astype(float)
        independent = independent_variance(self.metric, a, b, cells, self.joint.n)
        found = compared(self.metric, a, b, self.level, independent=independent)
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

    def law(self, i: int, j: int) -> DifferenceLaw:
        """Return Student's law of the difference of two yields."""
        return DifferenceLaw.of(self.metric, self.designs[i], self.designs[j])

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""
        found = design_interval(self.metric, self.designs[k], self.level)
        return found.low, found.high

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own = self.designs[k]
        return DifferenceLaw.of(self.metric, own, always(own, positive=positive)).above


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

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the same, with p-values of Student's law: no swaps of what is not known."""
        laws = {name: DifferenceLaw.of(binary_metric(name), self.designs[i], self.designs[j])
                for name in TESTED}  # fmt: skip
        return {
            **super().pair(i, j),
            "p_difference": self.law(i, j).p_value,
            "p_route": REPLICATED,
            **{f"p_{name}": law.p_value for name, law in laws.items()},
        }


def always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))

"""What clusters or replicate weights make of a comparison of decisions: differences and chances."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from baserate.cases.clusters import Design
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import Law
from baserate.curves.estimates import ScoreComparison
from baserate.evaluation.sampled_pairs import SampledOfTwo, WeightedPairs
from baserate.inference import design_interval
from baserate.inference.paired_clusters import ClusteredPair
from baserate.metrics import Metric


class ClusteredPairs(SampledOfTwo):
    """Cases come in clusters, with weights or without: whole clusters are independent."""

    @cached_property
    def designs(self) -> tuple[Design, ...]:
        """How the cells of each classifier's table vary with the clusters."""
        return tuple(one.design for one in self.counted if one.design is not None)

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample."""
        return self.designs[0].n_units

    def compared(self, metric: Metric, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric, by whole clusters."""
        return self._both(i, j).compared(metric, self.level)

    def law_of(self, metric: Metric, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""
        return self._both(i, j).law(metric)

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""
        found = design_interval(self.metric, self.designs[k], self.level)
        return found.low, found.high

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own = self.designs[k]
        cells = np.zeros((2, 2, 2))
        cells[:, 0 if positive else 1] = own.total[[0, 2, 1, 3]].reshape(2, 2)
        pair = ClusteredPair.of(own, always(own, positive=positive), cells)
        return pair.law(self.metric).above

    def _both(self, i: int, j: int) -> ClusteredPair:
        joint = self.joint.cells((i, j), "weight").astype(float)
        return ClusteredPair.of(self.designs[i], self.designs[j], joint)


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


def sampled_of_two(joint: BinaryCases, **asked: Any) -> SampledOfTwo | None:
    """Return what goes by clusters or weights; None where cases are independent and equal."""
    if joint.replicated is not None:
        return ReplicatedPairs(joint=joint, **asked)
    if joint.cluster is not None:
        return ClusteredPairs(joint=joint, **asked)
    return None if joint.weight is None else WeightedPairs(joint=joint, **asked)


def always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))

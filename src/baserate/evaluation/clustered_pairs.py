"""What clusters make of a comparison: differences, chances and areas that go by whole clusters."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from baserate import curves
from baserate.cases import BinaryCases
from baserate.cases.clusters import Design
from baserate.curves import Sweep
from baserate.evaluation.sampled_pairs import TESTED, SampledPairs
from baserate.evaluation.score_facts import COMPARED, are_probabilities, measures_of, named
from baserate.evaluation.scoring import CLUSTERED
from baserate.facts import EstimateFact
from baserate.facts.comparison import ScorePairFact
from baserate.inference import design_interval
from baserate.inference.paired_clusters import (
    DifferenceLaw,
    compared,
    independent_variance,
    swapped_clusters,
)
from baserate.metrics import get

LOSSES = {"brier_score": curves.brier_score, "log_loss": curves.log_loss}


class ClusteredPairs(SampledPairs):
    """Cases come in clusters, with weights or without: whole clusters are independent."""

    @cached_property
    def designs(self) -> tuple[Design, ...]:
        """How the cells of each classifier's table vary with the clusters."""
        return tuple(one.design for one in self.counted if one.design is not None)

    @property
    def n_clusters(self) -> int:
        """Clusters of the sample."""
        return self.designs[0].n_units

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers: interval, tests and chance, by clusters."""
        a, b = self.designs[i], self.designs[j]
        cells = self.joint.cells((i, j), "weight").astype(float)
        independent = independent_variance(self.metric, a, b, cells, self.joint.n)
        found = compared(self.metric, a, b, self.level, independent=independent)
        tests = {f"p_{name}": swapped_clusters(get(name), a, b)[0] for name in TESTED}
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

    def above(self, i: int, j: int) -> float:
        """How surely one classifier yields more than another: Student's law of the difference."""
        return DifferenceLaw.of(self.metric, self.designs[i], self.designs[j]).above

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""
        found = design_interval(self.metric, self.designs[k], self.level)
        return found.low, found.high

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own = self.designs[k]
        return DifferenceLaw.of(self.metric, own, always(own, positive=positive)).above


def always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))


def measures_by_clusters(
    cases: BinaryCases, score: str, swept: Sweep, level: float
) -> Iterator[EstimateFact]:
    """Yield the area with its interval by clusters, and losses without, which would need theirs."""
    assert cases.cluster is not None
    for fact in measures_of(swept, level):
        if fact.name == "roc_auc":
            scores, codes = cases.scores[score], cases.cluster.codes
            how = {"sample_weight": cases.weight, "cluster": codes, "confidence_level": level}
            found = curves.roc_auc(cases.truth, scores, **how)
            yield named("roc_auc", found)
        else:
            unsure = replace(fact, low=nan, high=nan, route=None, reason=CLUSTERED)
            yield replace(unsure, p_value=nan, p_value_route=None)


def score_pairs_by_clusters(
    cases: BinaryCases, sweeps: Mapping[str, Sweep], level: float
) -> Iterator[ScorePairFact]:
    """Compare the areas of every two scores by whole clusters, and their losses without a test."""
    assert cases.cluster is not None
    how = {"sample_weight": cases.weight, "cluster": cases.cluster.codes, "confidence_level": level}
    for a, b in combinations(cases.scores, 2):
        found = curves.compare_auc(cases.truth, cases.scores[a], cases.scores[b], **how)
        known = {name: getattr(found, name) for name in COMPARED}
        yield ScorePairFact(a=a, b=b, measure="roc_auc", **known)
        if not (are_probabilities(sweeps[a]) and are_probabilities(sweeps[b])):
            continue
        for measure, loss in LOSSES.items():
            first, second = (float(loss(sweeps[name])) for name in (a, b))
            yield ScorePairFact(
                a=a, b=b, measure=measure, value_a=first, value_b=second,
                difference=first - second, reason=CLUSTERED, p_value_reason=CLUSTERED,
            )  # fmt: skip

"""Two scores by their ROC areas or losses: on the same cases, or each on cases of its own."""

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from baserate.cases.two_classes import BinaryCases
from baserate.curves.estimates import ScoreComparison
from baserate.curves.loss_comparisons import compare_brier, compare_log_loss
from baserate.curves.paired_auc import compare_auc
from baserate.errors import UnsupportedError
from baserate.inference.design_ratios import INFINITE, areas_apart, losses_apart, told_apart
from baserate.inference.found_difference import Asked, Difference, above_by

SCORES = {"roc_auc": compare_auc, "brier_score": compare_brier, "log_loss": compare_log_loss}


def scores_apart(asked: Asked, cases: BinaryCases, names: tuple[str, str]) -> Difference:
    """Compare two scores of the same cases."""
    compare, (a, b) = SCORES[asked.metric], (cases.scores[name] for name in names)
    how: dict[str, Any] = {"sample_weight": cases.weight, "confidence_level": asked.level}
    if asked.metric == "roc_auc" and cases.cluster is not None:
        how["cluster"] = cases.cluster.codes
    elif cases.is_designed:
        return _by_design(asked, cases, names)
    return _told(asked, compare(cases.truth, a, b, method=_method(asked), **how))


def _by_design(asked: Asked, cases: BinaryCases, names: tuple[str, str]) -> Difference:
    """Compare losses by whole clusters, or any measure by replicate weights: Student's law."""
    if asked.method is not None:
        message = (
            "areas and losses of clustered cases, or with replicate weights, have Student's law "
            "alone: leave method out."
        )
        raise UnsupportedError(message)
    if asked.metric == "roc_auc":
        first, second, law = areas_apart(cases, *names)
    else:
        first, second, law = losses_apart(cases, *names, asked.metric)
    if law is None:
        values = {"value_a": first.value, "value_b": second.value}
        lost: dict[str, Any] = {"reason": INFINITE, "p_value_reason": INFINITE}
        return Difference(
            metric=asked.metric, value=nan, confidence_level=asked.level, **values, **lost
        )
    found = told_apart((first, second, law), asked.level)
    answer = asked.by_law(found, law.above)
    if cases.cluster is None:
        return answer
    return replace(answer, n_clusters=len(np.unique(cases.cluster.codes)))


def separate_scores(asked: Asked, one: Any, other: Any) -> Difference:
    """Compare two scores, each beside its own truth and perhaps weights."""
    (truth, a, weight), (truth_b, b, weight_b) = ((*side, None)[:3] for side in (one, other))
    found = SCORES[asked.metric](
        truth, a, b, y_true_b=truth_b, sample_weight=weight, sample_weight_b=weight_b,
        method=_method(asked), confidence_level=asked.level,
    )  # fmt: skip
    return _told(asked, found)


def _method(asked: Asked) -> Any:
    if asked.method == "delong" and asked.metric != "roc_auc":
        raise asked.refused("is of areas, and losses have none")
    return asked.method


def _told(asked: Asked, found: ScoreComparison) -> Difference:
    swapped = asked.method == "exact"
    above = nan if swapped else above_by(found.p_value, found.difference)
    return asked.by_law(found, above)

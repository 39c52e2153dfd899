"""The scores of a comparison: each by itself, every two of them, and their ROC curves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from baserate import curves
from baserate.cases.two_classes import BinaryCases
from baserate.curves import roc_dominance
from baserate.curves.cut_points import Sweep
from baserate.curves.isotonic import decomposition
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.evaluation.contest import Contest
from baserate.evaluation.design_scores import measures_by_design, score_pairs_by_design
from baserate.evaluation.score_facts import are_probabilities, bins_of, measures_of, score_pair
from baserate.facts.comparison import CurveFact, ScoreFact, ScorePairFact
from baserate.groups import adjust


def of_scores(contest: Contest, level: float) -> dict[str, Any]:
    """Return what `ComparisonFacts` says of scores; nothing where there are none."""
    joint, pairs = contest.cases, list[ScorePairFact]()
    if joint is not None:
        compare = score_pairs_by_design if joint.is_designed else _compared
        pairs = list(compare(joint, contest.sweeps, level))
    adjusted = adjust([one.p_value for one in pairs]).tolist()  # for all pairs and measures
    return {
        "scores": tuple(_scores(contest, level)),
        "score_pairs": tuple(
            replace(one, adjusted_p=p) for one, p in zip(pairs, adjusted, strict=True)
        ),
        "curves": tuple(_curves(contest)),
    }


def _scores(contest: Contest, level: float) -> Iterator[ScoreFact]:
    joint = contest.cases
    for name, swept in contest.sweeps.items():
        if joint is None or not joint.is_designed:
            measures = tuple(measures_of(swept, level))
        else:
            measures = tuple(measures_by_design(joint, name, swept, level))
        auc = measures[0]
        yield ScoreFact(
            name=name, auc=auc.value, low=auc.low, high=auc.high, measures=measures,
            **_parts(swept), bins=bins_of(swept), suppression=contest.suppressions.get(name),
        )  # fmt: skip


def _parts(swept: Sweep) -> dict[str, float]:
    if swept.highest is not None or not are_probabilities(swept):
        return {}
    found = decomposition(swept)
    return {"miscalibration": found.miscalibration, "discrimination": found.discrimination}


def _compared(
    cases: BinaryCases, sweeps: Mapping[str, Sweep], level: float
) -> Iterator[ScorePairFact]:
    """Compare every two scores of the same cases by each measure that both have."""
    losses = {"brier_score": compare_brier, "log_loss": compare_log_loss}
    scores, how = cases.scores, {"sample_weight": cases.weight, "confidence_level": level}
    for a, b in combinations(scores, 2):
        both = are_probabilities(sweeps[a]) and are_probabilities(sweeps[b])
        for measure, compare in {"roc_auc": curves.compare_auc, **(losses if both else {})}.items():
            found = compare(cases.truth, scores[a], scores[b], **how)
            yield score_pair(a, b, measure, found)


def _curves(contest: Contest) -> Iterator[CurveFact]:
    for (a, first), (b, second) in combinations(contest.sweeps.items(), 2):
        if first.highest is not None or second.highest is not None:
            yield CurveFact(a=a, b=b, relation="unknown", hull_relation="unknown")
            continue
        found = roc_dominance(first, second)
        yield CurveFact(
            a=a,
            b=b,
            relation=found.relation,
            crossings=tuple((float(x), float(y)) for x, y in found.crossings),
            hull_relation=found.hull_relation,
        )

"""The pictures of a result, and how they come onto its page."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from baserate import displays
from baserate._figures import label
from baserate.cases.two_classes import BinaryCases
from baserate.counts import has_both
from baserate.curves.cut_points import sweeps_by_fold, sweeps_of
from baserate.errors import BaserateError
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts
from baserate.facts.threshold import ThresholdFacts
from baserate.metrics import Metric, binary_metric
from baserate.report.opening import Pictures, drawn_of

if TYPE_CHECKING:
    from baserate.curves.class_scores import ClassScores
    from baserate.displays.display import Display

MOST_FOLDS = 10  # with a curve each
FEW_CLASSES = 12  # whose matrix holds numbers
OF_SCORES = ("roc", "calibration")  # of several classes
WIDTH = 440  # pixels: small enough for its 12 pixel letters to be read on a phone


def on_page(drawn: "Mapping[str, Display]") -> Pictures:
    """Return the displays of a result as SVG for its page; no other format has any."""
    from baserate.displays.svg_writer import style_sheet

    return drawn_of(((name, _writer(one)) for name, one in drawn.items()), style_sheet())


def _writer(display: "Display") -> Callable[[], str]:
    return lambda: str(display.to_svg(width=WIDTH, alone=False))


def of_scores(
    cases: BinaryCases | None, facts: ThresholdFacts | None, at: float | None = None
) -> "dict[str, Display]":
    """Return the four pictures that clinical guidance asks for; none without scores.

    ROC curve, calibration and decision curve (of probabilities only), and scores by outcome. Of
    held-out cases a ROC curve for every fold, whose scores one model gave.

    References
    ----------
    Van Calster et al. (2025), Lancet Digital Health 7:100916, doi:10.1016/j.landig.2025.100916.
    """
    if cases is None or facts is None or not (facts.n_positive and facts.n_negative):
        return {}
    level = facts.confidence_level
    [swept] = sweeps_of(cases).values()
    found: dict[str, Display] = {}
    folds = sweeps_by_fold(cases)
    if folds is None:
        found["roc"] = displays.RocDisplay(swept, confidence_level=level)
    elif len(folds) <= MOST_FOLDS:
        each = {f"fold {label(name)}": one for name, one in folds.items()}
        found["roc"] = displays.RocDisplay(each, confidence_level=level)
    if facts.calibration is not None:
        knots = None if folds is None else 0  # the shape of several models is nobody's
        found["calibration"] = displays.CalibrationDisplay(
            swept, confidence_level=level, knots=knots
        )
    if facts.net_benefit and not facts.is_designed:  # whose band is of independent cases
        found["decision_curve"] = displays.DecisionCurveDisplay(swept, confidence_level=level)
    found["score_distribution"] = displays.ScoreDistributionDisplay(
        swept, threshold=at, confidence_level=level
    )
    return found


def of_cuts(cases: BinaryCases | None, facts: ThresholdFacts) -> "dict[str, Display]":
    """Return the metric of the answer at every cut, above the scores; then those of a score.

    The cut that keeps what was asked is drawn, where something was; else the default one.
    """
    best = next((cut for cut in facts.cuts if cut.reason is None), None)
    at = facts.default
    if best is not None and facts.constraint and math.isfinite(best.threshold):
        at = best.threshold
    others = of_scores(cases, facts, at)
    metric = _headline(facts)
    if cases is None or metric is None or not others:
        return others
    [swept] = sweeps_of(cases).values()
    drawn = displays.ThresholdDisplay(
        swept, metric, threshold=at, confidence_level=facts.confidence_level
    )
    return {"threshold": drawn, **others}


def _headline(facts: ThresholdFacts) -> Metric | None:
    """Return the first metric with a best cut that its name alone tells, as of the catalogue."""
    for cut in facts.cuts:
        if cut.reason is None:
            try:
                return binary_metric(cut.name)
            except BaserateError:  # defined by the user
                continue
    return None


def of_table(facts: EvaluationFacts) -> "dict[str, Display]":
    """Return what luck gives beside what was found, where there are labels and no scores.

    None for several classifiers, weights, clusters and one class: luck has no law there.
    """
    table, level = facts.table, facts.confidence_level
    weighted = facts.effective_n is not None or (table is not None and table.is_weighted)
    if table is None or weighted or facts.is_designed or not has_both(table):
        return {}

    return {
        "chance": displays.ChanceDisplay(table, metric="recall", confidence_level=level),
        "confusion": displays.ConfusionDisplay(
            table, labels=_labels(facts), confidence_level=level
        ),
    }


def of_classes(
    facts: ClassEvaluationFacts, scored: "ClassScores | None" = None
) -> "dict[str, Display]":
    """Return who is called what, and every metric of each class; of many classes these first.

    Then what the scores show, if they are known.
    """
    level = facts.confidence_level
    sampled = any(x is not None for x in (facts.effective_n, facts.n_clusters, facts.n_replicates))
    matrix = {
        "confusion": displays.ConfusionDisplay(
            facts.table, confidence_level=level, independent=not sampled
        )
    }
    names = [m.name for m in facts.classes[0].metrics] if facts.classes else []
    forests = {name: displays.GroupForestDisplay.from_classes(facts, name) for name in names}
    of_scores = _of_class_scores(scored, level, folded=facts.ranked_within > 0)
    if facts.table.n_classes > FEW_CLASSES:
        return {**forests, **matrix, **of_scores}
    return {**matrix, **forests, **of_scores}


def _of_class_scores(
    scored: "ClassScores | None", level: float, *, folded: bool
) -> "dict[str, Display]":
    """Return the ROC curve of every class, and calibration of the largest probability.

    Scores of several models, one a fold, have no curve together.
    """
    if scored is None:
        return {}
    found: dict[str, Display] = {}
    if scored.n_classes <= FEW_CLASSES and not folded:
        every = {label(x): scored.against_the_rest(k) for k, x in enumerate(scored.labels)}
        found["roc"] = displays.RocDisplay(every, confidence_level=level)
    if scored.are_probabilities:
        swept = scored.check_probabilities().of_confidence()
        found["calibration"] = displays.CalibrationDisplay(
            swept, confidence_level=level, called="probability"
        )
    return found


def _labels(facts: EvaluationFacts) -> tuple[str, str]:
    others = [name for name in facts.labels if name != facts.positive]
    if len(others) != 1:
        return ("positive", "negative")
    return label(facts.positive), label(others[0])

"""Measures of scores, which are no metrics of a table: their names, better ends, ranges, words."""

import re
from math import inf
from typing import Final, NamedTuple


class ScoreMeasure(NamedTuple):
    """What is said of a measure of scores, wherever it is shown or asked for."""

    name: str
    heading: str  # in a table, and where a sentence tells it
    direction: str = "neither"  # which end is better
    bounds: tuple[float, float] = (-inf, inf)
    synonyms: tuple[str, ...] = ()
    spoken: str = ""  # of two that are compared, and of a result by itself
    gloss: str = ""  # what it is, of two classes
    of_classes: str = ""  # and of several
    compared: bool = False  # two scores are compared by it, clusters and replicate weights have it


SHARE, LOSS = (0.0, 1.0), (0.0, inf)
_EVERY = (
    ScoreMeasure(
        "roc_auc", "ROC AUC", "higher", SHARE,
        ("auc", "auroc", "c_statistic", "roc_auc_score"), "ROC area",
        "ROC AUC: how often a positive scores above a negative.",
        "ROC AUC: how often a case of the class scores above one that is not.", compared=True,
    ),
    ScoreMeasure(
        "roc_auc_ovr", "ROC AUC (OvR)", "higher", SHARE, spoken="mean ROC area",
        of_classes="OvR: how often a case of a class scores above one of the others, the mean over "
        "classes.",
    ),
    ScoreMeasure(
        "roc_auc_ovo", "ROC AUC (OvO)", "higher", SHARE,
        of_classes="OvO: the same between two classes, the mean over all pairs (Hand and Till).",
    ),
    ScoreMeasure(
        "top_2_accuracy", "top 2 accuracy", "higher", SHARE,
        of_classes="Top 2: how often the right class has one of the two highest scores; of equal "
        "ones it is one by lot.",
    ),
    ScoreMeasure(
        "average_precision", "average precision", "higher", SHARE,
        ("ap", "auprc", "average_precision_score", "pr_auc"),
    ),
    ScoreMeasure(
        "brier_score", "Brier score", "lower", SHARE, ("brier", "brier_score_loss"), "Brier score",
        "Brier score: mean squared error; its skill is the scaled Brier score.",
        "Brier score: squared errors summed over the classes, from 0 to 2.", compared=True,
    ),
    ScoreMeasure(
        "log_loss", "log loss", "lower", LOSS, gloss="Log loss: its skill is McFadden's R2.",
        compared=True,
    ),
    ScoreMeasure(
        "discrimination_slope", "discrimination slope", "higher", (-1.0, 1.0),
        gloss="Discrimination slope: mean score of positives less that of negatives.",
    ),
    ScoreMeasure("scaled_brier_score", "scaled Brier score", "higher", (-inf, 1.0)),
    ScoreMeasure("mcfadden_r2", "McFadden R2", "higher", (-inf, 1.0)),
    ScoreMeasure("cox_snell_r2", "Cox-Snell R2", "higher", (-inf, 1.0)),
    ScoreMeasure("nagelkerke_r2", "Nagelkerke R2", "higher", (-inf, 1.0)),
    ScoreMeasure(
        "observed_expected", "O:E ratio", bounds=LOSS, spoken="observed over expected",
        compared=True,
    ),
    ScoreMeasure("calibration_intercept", "calibration intercept", synonyms=("intercept",)),
    ScoreMeasure("calibration_slope", "calibration slope", synonyms=("slope",), compared=True),
    ScoreMeasure(
        "confidence_observed_expected", "O:E of largest", bounds=LOSS,
        of_classes="Of the largest probability: O:E is how many cases it is right of over its sum, "
        "below 1 where it promises too much; a slope below 1 means that it is too extreme.",
    ),
    ScoreMeasure("confidence_calibration_slope", "slope of largest"),
    ScoreMeasure(
        "integrated_calibration_index", "ICI (mean error)", "lower", SHARE, ("ici",), "ICI"
    ),
    ScoreMeasure("e50", "E50 (median error)", "lower", SHARE, spoken="E50"),
    ScoreMeasure("e90", "E90 (90% have less)", "lower", SHARE, spoken="E90"),
    ScoreMeasure(
        "estimated_calibration_index", "ECI", "lower", (0.0, 100.0), ("eci",), "ECI"
    ),
    ScoreMeasure("expected_calibration_error", "ECE", "lower", SHARE, ("ece",), "ECE"),
)  # fmt: skip
MEASURES: Final = {one.name: one for one in _EVERY}
SYNONYMS: Final = {word: one.name for one in _EVERY for word in (one.name, *one.synonyms)}
# The net benefit over a range of risks, which scores have and a table has not.
RANGE = re.compile(r"net_benefit\((?:threshold=)?\s*(?P<low>[^.)]*\.?[^.)]*?)\.\.(?P<high>[^)]+)\)")
COMPARED: Final = tuple(one.name for one in _EVERY if one.compared)

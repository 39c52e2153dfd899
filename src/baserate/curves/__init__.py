"""Curves: every cut point of real scores, ranking measures, and populations with a known law."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.curves.auc import roc_auc as roc_auc
    from baserate.curves.cut_points import sweep as sweep
    from baserate.curves.dominance import convex_hull as convex_hull
    from baserate.curves.dominance import roc_dominance as roc_dominance
    from baserate.curves.explained_variation import discrimination_slope as discrimination_slope
    from baserate.curves.explained_variation import r_squared as r_squared
    from baserate.curves.highest_scores import top_of_list as top_of_list
    from baserate.curves.paired_auc import compare_auc as compare_auc
    from baserate.curves.partial_areas import partial_auc as partial_auc
    from baserate.curves.populations import LDA as LDA
    from baserate.curves.populations import QDA as QDA
    from baserate.curves.populations import Empirical as Empirical
    from baserate.curves.populations import Population as Population
    from baserate.curves.precision_areas import average_precision as average_precision
    from baserate.curves.probability_scores import brier_score as brier_score
    from baserate.curves.probability_scores import log_loss as log_loss
    from baserate.curves.probability_scores import top_k_accuracy as top_k_accuracy
    from baserate.curves.recalibration import calibration as calibration
    from baserate.curves.roc import precision_recall as precision_recall
    from baserate.curves.roc import roc_curve as roc_curve
    from baserate.curves.roc_bands import roc_band as roc_band
    from baserate.curves.score_histogram import ScoreHistogram as ScoreHistogram
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "auc": ("roc_auc",),
            "cut_points": ("sweep",),
            "dominance": ("convex_hull", "roc_dominance"),
            "explained_variation": ("discrimination_slope", "r_squared"),
            "highest_scores": ("top_of_list",),
            "paired_auc": ("compare_auc",),
            "partial_areas": ("partial_auc",),
            "populations": ("Empirical", "LDA", "Population", "QDA"),
            "precision_areas": ("average_precision",),
            "probability_scores": ("brier_score", "log_loss", "top_k_accuracy"),
            "recalibration": ("calibration",),
            "roc": ("precision_recall", "roc_curve"),
            "score_histogram": ("ScoreHistogram",),
            "roc_bands": ("roc_band",),
        },
    )

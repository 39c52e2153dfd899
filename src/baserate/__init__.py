"""Tell whether a classifier is any good, for its purpose, given how little data there is.

A metric is a function of a table of counts, a model is a probability over such tables, and a
question is what you ask of the law that the metric inherits from the model.

Everything is reached from here (``import baserate as br``) and loaded on first use: what is used
daily by its own name, the rest from the namespaces (``br.models``, ``br.curves`` and so on).
"""

from importlib import import_module

# The names of daily use, by the module that they come from; `__init__.pyi` tells type checkers.
_DAILY = {
    "baselines": (
        "beats_chance",
        "dutch_draw",
        "dutch_draw_multiclass",
        "dutch_scaler",
        "independence_test",
        "random_guess",
        "random_guess_multiclass",
        "skill",
    ),
    "cases": ("class_table", "confusion_matrix", "count_labels", "held_out"),
    "class_counts": ("ClassTable",),
    "counts": ("ConfusionMatrix",),
    "curves": (
        "ScoreHistogram",
        "average_precision",
        "brier_score",
        "calibration",
        "compare_auc",
        "discrimination_slope",
        "log_loss",
        "r_squared",
        "roc_auc",
        "sweep",
    ),
    "estimators": (
        "RandomGuessClassifier",
        "ThresholdClassifierCV",
        "UtilityClassifier",
        "metric_function",
        "scorer",
    ),
    "evaluation": (
        "audit",
        "cases",
        "compare",
        "count_scores",
        "evaluate",
        "sample_size",
        "thresholds",
    ),
    "groups": ("count_undefined", "match_test", "min_p", "smooth"),
    "inference": ("difference", "interval", "probability"),
    "questions": (
        "affine",
        "cdf",
        "expect",
        "pmf",
        "probability_defined",
        "quantile",
        "sample",
        "sf",
        "variance",
    ),
    "tuning": (
        "bayes_threshold",
        "cross_validated_threshold",
        "is_robust",
        "optimal_threshold",
    ),
    "utilities": (
        "UtilityEnsemble",
        "UtilityMatrix",
        "admissible",
        "compare_utilities",
        "net_benefit_curve",
        "shift_base_rate",
        "value_of_information",
    ),
}
_HOMES = {name: module for module, names in _DAILY.items() for name in names}
_NAMESPACES = {
    "baselines": "baselines",
    "curves": "curves",
    "displays": "displays",
    "errors": "errors",
    "estimators": "estimators",
    "groups": "groups",
    "inference": "inference",
    "metrics": "metrics",
    "models": "models",
    "populations": "curves.populations",
    "questions": "questions",
    "results": "results",
    "tuning": "tuning",
    "utilities": "utilities",
}

# The package of this name is found by its imports; what is called has the name here.
import_module("baserate.cases")
del globals()["cases"]

__all__ = [*_HOMES, *_NAMESPACES]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("baserate")
    if name in _NAMESPACES:
        return import_module(f"baserate.{_NAMESPACES[name]}")
    if name not in _HOMES:
        said = import_module("baserate._calls").unknown_name(name, _HOMES, _NAMESPACES.values())
        raise AttributeError(said)
    clearly = import_module("baserate._lazy").called_clearly
    globals()[name] = clearly(import_module(f"baserate.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

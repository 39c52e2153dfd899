"""Tell whether a classifier is any good, for its purpose, given how little data there is.

A metric is a function of four counts, a model is a probability over tables of four counts, and a
question is what you ask of the law that the metric inherits from the model.

Everything is reached from here (``import baserate as br``) and loaded on first use.
"""

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes its time to load
if TYPE_CHECKING:
    from typing import Any

    from baserate import errors as errors
    from baserate import metrics as metrics
    from baserate import models as models
    from baserate.baselines import beats_chance as beats_chance
    from baserate.baselines import dutch_draw as dutch_draw
    from baserate.baselines import dutch_draw_multiclass as dutch_draw_multiclass
    from baserate.baselines import dutch_scaler as dutch_scaler
    from baserate.baselines import random_guess as random_guess
    from baserate.baselines import random_guess_multiclass as random_guess_multiclass
    from baserate.baselines import sample_labels as sample_labels
    from baserate.baselines import skill as skill
    from baserate.cases import confusion_matrix as confusion_matrix
    from baserate.counts import ConfusionMatrix as ConfusionMatrix
    from baserate.curves import populations as populations
    from baserate.curves import sweep as sweep
    from baserate.curves.auc import roc_auc as roc_auc
    from baserate.estimators.scorers import metric_function as metric_function
    from baserate.evaluation import audit as audit
    from baserate.evaluation import compare as compare
    from baserate.evaluation import evaluate as evaluate
    from baserate.evaluation import thresholds as thresholds
    from baserate.groups import count_undefined as count_undefined
    from baserate.groups import match_test as match_test
    from baserate.groups import min_p as min_p
    from baserate.groups import smooth as smooth
    from baserate.inference import interval as interval
    from baserate.questions import affine as affine
    from baserate.questions import cdf as cdf
    from baserate.questions import expect as expect
    from baserate.questions import pmf as pmf
    from baserate.questions import probability_defined as probability_defined
    from baserate.questions import quantile as quantile
    from baserate.questions import sample as sample
    from baserate.questions import sf as sf
    from baserate.questions import variance as variance
    from baserate.tuning import bayes_threshold as bayes_threshold
    from baserate.tuning import cross_validated_threshold as cross_validated_threshold
    from baserate.tuning import is_robust as is_robust
    from baserate.tuning import optimal_threshold as optimal_threshold
    from baserate.utilities import UtilityEnsemble as UtilityEnsemble
    from baserate.utilities import UtilityMatrix as UtilityMatrix
    from baserate.utilities import admissible as admissible
    from baserate.utilities import compare_utilities as compare_utilities
    from baserate.utilities import shift_base_rate as shift_base_rate
    from baserate.utilities.net_benefit import net_benefit_curve as net_benefit_curve

# Public name -> module that defines it; None where the name is a module itself.
_EXPORTS = {
    "ConfusionMatrix": "baserate.counts",
    "UtilityEnsemble": "baserate.utilities",
    "UtilityMatrix": "baserate.utilities",
    "admissible": "baserate.utilities",
    "affine": "baserate.questions",
    "audit": "baserate.evaluation",
    "bayes_threshold": "baserate.tuning",
    "beats_chance": "baserate.baselines",
    "cdf": "baserate.questions",
    "compare": "baserate.evaluation",
    "compare_utilities": "baserate.utilities",
    "confusion_matrix": "baserate.cases",
    "count_undefined": "baserate.groups",
    "cross_validated_threshold": "baserate.tuning",
    "dutch_draw": "baserate.baselines",
    "dutch_draw_multiclass": "baserate.baselines",
    "dutch_scaler": "baserate.baselines",
    "errors": None,
    "evaluate": "baserate.evaluation",
    "expect": "baserate.questions",
    "interval": "baserate.inference",
    "is_robust": "baserate.tuning",
    "match_test": "baserate.groups",
    "metric_function": "baserate.estimators.scorers",
    "metrics": None,
    "min_p": "baserate.groups",
    "models": None,
    "net_benefit_curve": "baserate.utilities.net_benefit",
    "optimal_threshold": "baserate.tuning",
    "pmf": "baserate.questions",
    "populations": "baserate.curves",
    "probability_defined": "baserate.questions",
    "quantile": "baserate.questions",
    "random_guess": "baserate.baselines",
    "random_guess_multiclass": "baserate.baselines",
    "roc_auc": "baserate.curves.auc",
    "sample": "baserate.questions",
    "sample_labels": "baserate.baselines",
    "sf": "baserate.questions",
    "shift_base_rate": "baserate.utilities",
    "skill": "baserate.baselines",
    "smooth": "baserate.groups",
    "sweep": "baserate.curves",
    "thresholds": "baserate.evaluation",
    "variance": "baserate.questions",
}

__all__ = [
    "ConfusionMatrix",
    "UtilityEnsemble",
    "UtilityMatrix",
    "admissible",
    "affine",
    "audit",
    "bayes_threshold",
    "beats_chance",
    "cdf",
    "compare",
    "compare_utilities",
    "confusion_matrix",
    "count_undefined",
    "cross_validated_threshold",
    "dutch_draw",
    "dutch_draw_multiclass",
    "dutch_scaler",
    "errors",
    "evaluate",
    "expect",
    "interval",
    "is_robust",
    "match_test",
    "metric_function",
    "metrics",
    "min_p",
    "models",
    "net_benefit_curve",
    "optimal_threshold",
    "pmf",
    "populations",
    "probability_defined",
    "quantile",
    "random_guess",
    "random_guess_multiclass",
    "roc_auc",
    "sample",
    "sample_labels",
    "sf",
    "shift_base_rate",
    "skill",
    "smooth",
    "sweep",
    "thresholds",
    "variance",
]


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        return import_module("importlib.metadata").version("baserate")
    if name not in _EXPORTS:
        message = f"module 'baserate' has no attribute {name!r}"
        raise AttributeError(message)
    module = _EXPORTS[name]
    if module is None:
        return import_module(f"baserate.{name}")
    globals()[name] = getattr(import_module(module), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*_EXPORTS, "__version__"])

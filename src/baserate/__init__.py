"""Tell whether a classifier is any good, for its purpose, given how little data there is.

A metric is a function of four counts, a model is a probability over tables of four counts, and a
question is what you ask of the law that the metric inherits from the model.

Everything is reached from here (``import baserate as br``) and loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate import errors as errors
    from baserate import metrics as metrics
    from baserate import models as models
    from baserate.adapters.scorers import metric_function as metric_function
    from baserate.baselines import beats_chance as beats_chance
    from baserate.baselines import dutch_draw as dutch_draw
    from baserate.baselines import dutch_draw_multiclass as dutch_draw_multiclass
    from baserate.baselines import dutch_scaler as dutch_scaler
    from baserate.baselines import random_guess as random_guess
    from baserate.baselines import random_guess_multiclass as random_guess_multiclass
    from baserate.baselines import sample_labels as sample_labels
    from baserate.baselines import skill as skill
    from baserate.counts import ConfusionMatrix as ConfusionMatrix
    from baserate.evaluation import evaluate as evaluate
    from baserate.inference import interval as interval
    from baserate.labels import confusion_matrix as confusion_matrix
    from baserate.questions import affine as affine
    from baserate.questions import cdf as cdf
    from baserate.questions import expect as expect
    from baserate.questions import pmf as pmf
    from baserate.questions import probability_defined as probability_defined
    from baserate.questions import quantile as quantile
    from baserate.questions import sample as sample
    from baserate.questions import sf as sf
    from baserate.questions import variance as variance

# Public name -> module that defines it; None where the name is a module itself.
_EXPORTS = {
    "ConfusionMatrix": "baserate.counts",
    "affine": "baserate.questions",
    "beats_chance": "baserate.baselines",
    "cdf": "baserate.questions",
    "confusion_matrix": "baserate.labels",
    "dutch_draw": "baserate.baselines",
    "dutch_draw_multiclass": "baserate.baselines",
    "dutch_scaler": "baserate.baselines",
    "errors": None,
    "evaluate": "baserate.evaluation",
    "expect": "baserate.questions",
    "interval": "baserate.inference",
    "metric_function": "baserate.adapters.scorers",
    "metrics": None,
    "models": None,
    "pmf": "baserate.questions",
    "probability_defined": "baserate.questions",
    "quantile": "baserate.questions",
    "random_guess": "baserate.baselines",
    "random_guess_multiclass": "baserate.baselines",
    "sample": "baserate.questions",
    "sample_labels": "baserate.baselines",
    "sf": "baserate.questions",
    "skill": "baserate.baselines",
    "variance": "baserate.questions",
}

__all__ = [
    "ConfusionMatrix",
    "affine",
    "beats_chance",
    "cdf",
    "confusion_matrix",
    "dutch_draw",
    "dutch_draw_multiclass",
    "dutch_scaler",
    "errors",
    "evaluate",
    "expect",
    "interval",
    "metric_function",
    "metrics",
    "models",
    "pmf",
    "probability_defined",
    "quantile",
    "random_guess",
    "random_guess_multiclass",
    "sample",
    "sample_labels",
    "sf",
    "skill",
    "variance",
]


def __getattr__(name: str) -> Any:
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

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
    from baserate.adapters.scorers import metric_function as metric_function
    from baserate.counts import ConfusionMatrix as ConfusionMatrix
    from baserate.evaluation import evaluate as evaluate
    from baserate.inference import interval as interval
    from baserate.labels import confusion_matrix as confusion_matrix

# Public name -> module that defines it; None where the name is a module itself.
_EXPORTS = {
    "ConfusionMatrix": "baserate.counts",
    "confusion_matrix": "baserate.labels",
    "errors": None,
    "evaluate": "baserate.evaluation",
    "interval": "baserate.inference",
    "metric_function": "baserate.adapters.scorers",
    "metrics": None,
}

__all__ = [
    "ConfusionMatrix",
    "confusion_matrix",
    "errors",
    "evaluate",
    "interval",
    "metric_function",
    "metrics",
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

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
    from baserate.counts import ConfusionMatrix as ConfusionMatrix

# Public name -> module that defines it; None where the name is a module itself.
_EXPORTS = {
    "ConfusionMatrix": "baserate.counts",
    "errors": None,
    "metrics": None,
}

__all__ = ["ConfusionMatrix", "errors", "metrics"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("baserate")
    if name not in _EXPORTS:
        message = f"module 'baserate' has no attribute {name!r}"
        raise AttributeError(message)
    module = _EXPORTS[name]
    if module is None:
        return import_module(f"baserate.{name}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted([*_EXPORTS, "__version__"])

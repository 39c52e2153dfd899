"""Which metrics are the same, also after a trip to another process: how they are pickled.

A metric's formula is code. Code travels by name: that of the catalogue, of the function that made
the metric with its arguments, or of a user's own function.
"""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from inspect import currentframe
from typing import TYPE_CHECKING, Any, ParamSpec

from baserate._calls import explained
from baserate.errors import UnsupportedError

if TYPE_CHECKING:
    from baserate.metrics._metric import Metric

Call = tuple[Callable[..., Any], Mapping[str, Any]]  # a function and its arguments by name

P = ParamSpec("P")
_BY_VALUE = ("cloudpickle", "joblib.externals.cloudpickle", "dill")  # these send functions too


def family(make: "Callable[P, Metric]") -> "Callable[P, Metric]":
    """Let metrics remember the function that made them; it takes their parameters by name."""

    @explained  # here, so that what is remembered is what the module has, and pickles
    @wraps(make)
    def remembered(*args: P.args, **named: P.kwargs) -> "Metric":
        metric = make(*args, **named)
        return made_by(metric, remembered, dict(metric.parameters))

    return remembered


def made_by(metric: "Metric", make: "Callable[..., Metric]", named: Mapping[str, Any]) -> "Metric":
    """Say that `make(**named)` makes this metric."""
    object.__setattr__(metric, "made_by", (make, named))
    return metric


def remake(make: "Callable[..., Metric]", named: Mapping[str, Any]) -> "Metric":
    """Make a metric again."""
    return make(**named)


def same(one: "Metric", other: "Metric") -> bool:
    """Whether two metrics were made by the same call, or have the same facts and formula."""
    if one is other:
        return True
    if one.made_by is not None and other.made_by is not None:
        return bool(one.made_by == other.made_by)
    return all(_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))


def reduced(metric: "Metric", protocol: Any) -> Any:
    """Return what pickle needs to make the metric again.

    A formula that is a lambda or a local function is refused: no other process can import it.
    """
    from baserate.metrics._catalogue import CATALOGUE, binary_metric

    if any(metric is known for known in CATALOGUE):
        return binary_metric, (metric.name,)
    if metric.made_by is not None:
        return remake, metric.made_by
    if not _sends_functions():
        for fact in fields(metric):
            _refuse_local(metric.name, fact.name, getattr(metric, fact.name))
    return object.__reduce_ex__(metric, protocol)


def _equal(one: Any, other: Any) -> bool:
    return one == other or (one != one and other != other)  # noqa: PLR0124  nan is like nan


def _sends_functions() -> bool:
    """Whether the pickle that runs now sends code as well, as joblib's workers get it."""
    frame = currentframe()  # pickle does not tell an object who asks
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(_BY_VALUE):
            return True
        frame = frame.f_back
    return False


def _refuse_local(name: str, fact: str, value: Any) -> None:
    if not callable(value):
        return
    try:
        pickle.dumps(value)
    except Exception as error:  # noqa: BLE001  every library refuses in its own way
        raise UnsupportedError(
            f"The metric {name!r} cannot be pickled, because its {fact} is a lambda or a local "
            f"function, which another process cannot import ({error}): write it with def at the "
            "top of a module, or use a tool that pickles functions, such as cloudpickle or joblib."
        ) from None

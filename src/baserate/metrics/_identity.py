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

import baserate.metrics
from baserate._calls import explained
from baserate.errors import UnsupportedError

if TYPE_CHECKING:
    from baserate.metrics._metric import Metric

Call = tuple[Callable[..., Any], Mapping[str, Any]]  # a function and its arguments by name

P = ParamSpec("P")
exported: Any = baserate.metrics  # which loads a name when it is asked for
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


class ByFacts:
    """A metric, of two classes or of several: two with the same facts are the same."""

    __slots__ = ()
    name: str
    definition: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} = {self.definition}>"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(other) is type(self) else NotImplemented


def same(one: Any, other: Any) -> bool:
    """Whether two metrics were made by the same call, or have the same facts and formula."""
    if one is other:
        return True
    calls = [getattr(metric, "made_by", None) for metric in (one, other)]
    if None not in calls:
        return bool(calls[0] == calls[1])
    given = [f.name for f in fields(one) if f.init]
    return all(_equal(getattr(one, name), getattr(other, name)) for name in given)


def is_exported(metric: "Metric") -> bool:
    """Whether the package has this metric by its name: one of the catalogue."""
    return getattr(exported, metric.name, None) is metric


def by_name(name: str) -> "Metric":
    """Return a metric of the catalogue."""
    return getattr(exported, name)


def reduced(metric: "Metric", protocol: Any) -> Any:
    """Return what pickle needs to make the metric again.

    A formula that is a lambda or a local function is refused: no other process can import it.
    """
    if is_exported(metric):
        return by_name, (metric.name,)
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

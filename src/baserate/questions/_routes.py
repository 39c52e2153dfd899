"""Routes to one answer: the first that applies is taken, or the one that was named."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from baserate._checks import one_of
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.questions._law import Law

NAMES = ("closed form", "tower", "lumps", "threshold", "quadrature", "enumeration", "simulation")


class Route(NamedTuple):
    """A way to compute; `run` returns None where it finds out that it does not apply after all."""

    name: str
    applies: Callable[[Law], bool]
    run: Callable[[Law], Any]


def follow(
    routes: Sequence[Route], law: Law, method: str | None, *, otherwise: str = ""
) -> tuple[Any, str]:
    """Return the result of the first route that applies (of that name, if given), and its name.

    If none does, the error says `otherwise`, or offers simulation.
    """
    if method is not None:
        one_of("method", method, NAMES)
    for route in routes:
        if method in {None, route.name} and route.applies(law):
            result = route.run(law)
            if result is not None:
                return result, route.name
    raise _refusal(routes, law, method, otherwise)


def needs_rng(rng: Any) -> None:
    """Refuse to simulate from an unstated source."""
    if rng is None:
        rule = "must be given for method='simulation'"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass a seed or a generator")


def _refusal(
    routes: Sequence[Route], law: Law, method: str | None, otherwise: str
) -> UnsupportedError:
    others = [route.name for route in routes if route.name != method and _exists(route, law)]
    others += [] if otherwise else ["simulation"]
    known = " or ".join(f"method={name!r}" for name in dict.fromkeys(others))
    subject = f"{law.metric.name} under {type(law.model).__name__}"
    remedy = f"use {known}" if known else otherwise
    remedy += "" if otherwise else " (simulation needs rng=)"
    if method is not None:
        return UnsupportedError(f"{subject} has no route {method!r} to this answer: {remedy}.")
    size = f"{law.n_atoms():,} tables to sum, and no shorter exact route"
    declared = "" if law.regular else " Declaring undefined_if_zero opens faster routes."
    return UnsupportedError(f"{subject} has {size}: {remedy}.{declared}")


def _exists(route: Route, law: Law) -> bool:
    closed = route.name == "closed form"
    return route.applies(law) and (not closed or route.run(law) is not None)

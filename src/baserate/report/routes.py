"""What an interval or a p-value is, told from the route by which it was computed."""

from collections.abc import Iterable
from typing import NamedTuple

from baserate.report.words import sentence_case


class Kind(NamedTuple):
    """One word for a table, and what such an interval promises."""

    word: str
    promise: str


KINDS = (
    Kind("exact", "they hold the truth at least that often, however few the cases"),
    Kind("conservative", "they held it that often in simulations, with few cases too; no proof"),
    Kind("posterior", "given these data, the truth is inside with that probability"),
    Kind("band", "it holds the whole curve at least that often, however few the cases"),
    Kind("asymptotic", "right for many cases, an approximation for few"),
    Kind("simulated", "drawn by the bootstrap, an approximation for few cases"),
)
EXACT, CONSERVATIVE, POSTERIOR, BAND, ASYMPTOTIC, SIMULATED = (kind.word for kind in KINDS)
# Route of an interval or p-value -> what it is. A route that is its own word needs no line.
ROUTES = {
    "pairs": EXACT,
    "clopper-pearson": EXACT,
    "spacings": CONSERVATIVE,
    "delong": ASYMPTOTIC,
    "t": ASYMPTOTIC,
    "normal": ASYMPTOTIC,
    "bootstrap": SIMULATED,
}


def kind(route: str | None) -> str:
    """Say in a word what an interval or p-value is.

    Examples
    --------
    >>> kind("pairs"), kind("delong"), kind("exact"), kind(None)
    ('exact', 'asymptotic', 'exact', '')
    """
    return "" if route is None else ROUTES.get(route, route.replace("_", " "))


def promises(routes: Iterable[str | None], level: str) -> str:
    """Say what each kind of interval that occurs promises.

    Examples
    --------
    >>> promises(["clopper-pearson", None], "95%")
    'Intervals of 95%. Exact: they hold the truth at least that often, however few the cases.'
    """
    found = {kind(route) for route in routes}
    said = " ".join(f"{sentence_case(w)}: {promise}." for w, promise in KINDS if w in found)
    return f"Intervals of {level}. {said}" if said else ""

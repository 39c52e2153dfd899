"""What an interval or a p-value is, told from the route by which it was computed."""

from collections.abc import Iterable
from typing import NamedTuple


class Kind(NamedTuple):
    """One word for a table, and what it promises."""

    word: str
    promise: str


KINDS = (
    Kind("exact", "holds the truth at least that often, however few the cases"),
    Kind("conservative", "held it at least that often in simulations, with few cases too, unproved"),
    Kind("posterior", "holds that much of the posterior"),
    Kind("band", "holds the whole curve at least that often, however few the cases"),
    Kind("asymptotic", "is right for many cases, and an approximation for few"),
    Kind("simulated", "is drawn by the bootstrap, and an approximation for few cases"),
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
    """Say what each kind of interval that occurs promises, in one sentence.

    Examples
    --------
    >>> promises(["delong", "pairs", None], "95%")[:73]
    'Intervals of 95%: an exact one holds the truth at least that often, howev'
    """
    found = {kind(route) for route in routes}
    said = "; ".join(
        f"{_article(word)} {word} one {promise}" for word, promise in KINDS if word in found
    )
    return f"Intervals of {level}: {said}." if said else ""


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"

"""What an interval or a p-value of a score is: the words that their `route` can be."""

from collections.abc import Iterable
from math import isinf
from typing import NamedTuple

from baserate.facts.evaluation import MetricFact
from baserate.report.words import sentence_case

NEAR = 1e-3  # of what is possible: so close to a bound, an end is written as the bound


class Kind(NamedTuple):
    """One word for a table, and what such an interval promises."""

    word: str
    promise: str


KINDS = (
    Kind("Clopper-Pearson", "they hold the truth at least that often, however few the cases"),
    Kind("Wilson", "they held it about that often in simulations of usual scores, few cases too"),
    Kind("conservative", "they held it that often in simulations, with few cases too; no proof"),
    Kind("credible", "given these data, the truth is inside with that probability"),
    Kind("band", "it holds the whole curve at least that often, however few the cases"),
    Kind("asymptotic", "right for many cases, an approximation for few"),
)


def kind(route: str | None) -> str:
    """Say in a word what an interval is."""
    if route == "exact":
        return KINDS[0].word
    if route in {"wilson", "posterior"}:
        return KINDS[1 if route == "wilson" else 3].word
    return "" if route is None else route.replace("_", " ")


def kind_of_p(route: str) -> str:
    """Say in a word what a p-value is; one that is "exact" is a sum over everything possible."""
    return "enumerated" if route == "exact" else kind(route)


def promises(routes: Iterable[str | None], level: str) -> str:
    """Say what each kind of interval that occurs promises."""
    found = {kind(route) for route in routes}
    said = " ".join(f"{sentence_case(w)}: {promise}." for w, promise in KINDS if w in found)
    return f"Intervals of {level}. {said}" if said else ""


def ends(fact: MetricFact) -> tuple[float, float]:
    """Return the ends of an interval as they are written: next to a bound, the bound.

    An interval of few clusters ends at 2e-08, which no digit of it means.
    """
    if fact.bounds is None or fact.effective_n is None or isinf(sum(map(abs, fact.bounds))):
        return fact.low, fact.high
    first, last = fact.bounds
    near = NEAR * (last - first)
    low = first if fact.low - first < near else fact.low
    return low, last if last - fact.high < near else fact.high

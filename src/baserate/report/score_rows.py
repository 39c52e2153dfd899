"""A line for each measure of scores, and the words for what its interval and p-value are."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from baserate import _figures as figures
from baserate._figures import sentence_case
from baserate._measures import MEASURES
from baserate.facts.comparison import ScorePairFact
from baserate.facts.evaluation import MetricFact
from baserate.facts.scores import EstimateFact, ScoreBinsFact
from baserate.report.columns import Column, exactly, number, span, text
from baserate.report.sheet import Cell
from baserate.report.words import reason_of

NEAR = 1e-3  # of what is possible: so close to a bound, an end is written as the bound

ROUNDED = 1e-12  # bounds are rounded outward, so that 0 may be a little less


def measure(name: str) -> str:
    """Name a measure of scores."""
    known = MEASURES.get(name)
    return name.replace("_", " ") if known is None else known.heading


def bounded(
    written: str, bounds: tuple[float, float] | None, write: Callable[[float], str] = figures.number
) -> str:
    """Add to a value what holds that of the scores themselves, where the digits could differ."""
    if bounds is None:
        return written
    low, high = (write(end if abs(end) > ROUNDED else 0.0) for end in bounds)
    return written if low == written == high else f"{written} ({low} to {high})"


def bins_of(found: ScoreBinsFact) -> str:
    """Say how many bins of scores there are."""
    return "1 bin" if found.n_bins == 1 else f"{figures.count(found.n_bins)} bins"


def valued(fact: EstimateFact) -> Cell:
    """Write the value of an estimate."""
    return exactly(fact.value, write=lambda x: bounded(figures.number(x), fact.bounds))


def _kind(fact: EstimateFact | ScorePairFact) -> str:
    known = not math.isnan(fact.low + fact.high)
    return kind(fact.route) if known else figures.NOTHING


# An estimate in a table: value, interval and what it is; what stands beside it; p.
KIND = Column("kind", _kind)
ESTIMATE = (
    text("measure", "name", measure),
    Column("value", valued),
    span(),
    KIND,
)
CHANCE = number("chance", write=figures.or_nothing)
SKILL = number("skill", write=figures.or_nothing)
P = number("p", "p_value", figures.p_value)
RANKED = (*ESTIMATE, CHANCE, SKILL, P)


def tests(estimates: tuple[EstimateFact, ...]) -> tuple[str, ...]:
    """Say which p-values are enumerated and which are not."""
    of_kind: dict[str, list[str]] = {}
    for fact in estimates:
        if not math.isnan(fact.p_value):
            of_kind.setdefault(kind_of_p(fact.p_value_route or ""), []).append(measure(fact.name))
    said = "; ".join(f"{word} for {' and '.join(names)}" for word, names in of_kind.items())
    return (f"p: {said}.",) if said else ()


def lacking(
    estimates: Iterable[EstimateFact], beside: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """Say what estimates lack and why, those that lack it for one reason together."""
    found: dict[str, dict[str, list[str]]] = {}
    for fact in estimates:
        what = "" if math.isnan(fact.value) else "interval"
        more = (("chance", fact.chance_reason), ("p", fact.p_value_reason))
        for of, why in ((what, fact.reason), *((o, w) for o, w in more if w != fact.reason)):
            if why:
                found.setdefault(why, {}).setdefault(of, []).append(measure(fact.name))
    for name, why in (beside or {}).items():
        found.setdefault(why, {}).setdefault("", []).append(name)
    return tuple((_named_once(of), reason_of(why)) for why, of in found.items())


def _named_once(parts: Mapping[str, list[str]]) -> str:
    """Write "intervals of a and b" where more than one lacks the same part."""
    heads = {"interval": ("interval of ", "intervals of "), "chance": ("chance of ",) * 2}
    heads |= {"p": ("p of ",) * 2, "": ("",) * 2}
    return "; ".join(
        heads[part][len(names) > 1] + ", ".join(names) for part, names in parts.items()
    )


class Kind(NamedTuple):
    """One word for a table, and what such an interval promises."""

    word: str
    promise: str


KINDS = (
    Kind("Clopper-Pearson", "they hold the truth at least that often, however few the cases"),
    Kind(
        "Poisson-binomial",
        "of risks that are right, or all of whose odds are wrong by one factor, they hold the "
        "truth at least that often, however few the cases; of too extreme risks less often",
    ),
    Kind("Wilson", "they held it about that often in simulations of usual scores, few cases too"),
    Kind("conservative", "they held it that often in simulations, with few cases too; no proof"),
    Kind("credible", "given these data, the truth is inside with that probability"),
    Kind("band", "it holds the whole curve at least that often, however few the cases"),
    Kind("asymptotic", "right for many cases, an approximation for few"),
)
WORDS = {
    "exact": "Clopper-Pearson",
    "poisson_binomial": "Poisson-binomial",
    "wilson": "Wilson",
    "posterior": "credible",
}


def kind(route: str | None) -> str:
    """Say in a word what an interval is."""
    if word := WORDS.get(route or ""):
        return word
    return "" if route is None else route.replace("_", " ")


def kind_of_p(route: str) -> str:
    """Say in a word what a p-value is; one that is "exact" is a sum over everything possible."""
    return "enumerated" if route == "exact" else kind(route)


def kinds_told(routes: Iterable[str | None]) -> tuple[str, ...]:
    """Say which kinds of interval occur."""
    found = dict.fromkeys(filter(None, map(kind, routes)))
    return (f"Intervals are {' or '.join(found)}.",) if found else ()


def promises(routes: Iterable[str | None], level: str) -> str:
    """Say what each kind of interval that occurs promises."""
    found = {kind(route) for route in routes}
    said = " ".join(f"{sentence_case(w)}: {promise}." for w, promise in KINDS if w in found)
    return f"Intervals of {level}. {said}" if said else ""


def ends(fact: MetricFact) -> tuple[float, float]:
    """Return the ends of an interval as they are written: next to a bound, the bound.

    An interval of few clusters ends at 2e-08, which no digit of it means.
    """
    if fact.bounds is None or fact.effective_n is None or math.isinf(sum(map(abs, fact.bounds))):
        return fact.low, fact.high
    first, last = fact.bounds
    near = NEAR * (last - first)
    low = first if fact.low - first < near else fact.low
    return low, last if last - fact.high < near else fact.high

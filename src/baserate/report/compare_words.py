"""The words of a comparison: stakes, classifiers, constant decisions, cuts, curves."""

import math
from collections.abc import Iterable
from typing import Any

from baserate import _figures as figures
from baserate.facts.comparison import (
    AnyComparison,
    ClassifierFact,
    ComparisonFacts,
    CurveFact,
    MetricRanking,
    PlaceFact,
    SpanFact,
)
from baserate.report.words import spoken

NAMED = 6  # things that one sentence names at most
FEW = 3  # ties that one cell names

Span = SpanFact


def unit(facts: AnyComparison) -> str:
    """Name what is compared."""
    return {"utility": "yield", "cost": "cost", "accuracy": "accuracy"}[facts.stakes.kind]


def highest(facts: AnyComparison) -> str:
    """Name what the best classifier has."""
    return {
        "utility": "the highest expected yield",
        "cost": "the lowest expected cost",
        "accuracy": "the highest accuracy",
    }[facts.stakes.kind]


def stakes(facts: ComparisonFacts) -> str:
    """Write out what decisions are worth; nothing where nobody said."""
    if facts.stakes.kind == "accuracy":
        return ""
    (_, alarm), (miss, _) = facts.stakes.matrix
    text = {
        "cost": f"a false positive costs {_amount(alarm)}, a false negative {_amount(miss)}",
        "utility": "; ".join(_row(facts, i) for i in (0, 1)),
    }[facts.stakes.kind]
    return f"{text}; so tau is {figures.number(facts.stakes.tau)}"


def _row(facts: ComparisonFacts, i: int) -> str:
    worths = zip(facts.stakes.matrix[i], facts.stakes.classes, strict=True)
    parts = (f"{figures.count(worth)} if {figures.quoted(label)}" for worth, label in worths)
    return f"{figures.quoted(facts.stakes.decisions[i])} {', '.join(parts)}"


def _amount(value: float) -> str:
    return figures.count(abs(value))


def under(facts: ComparisonFacts) -> str:
    """Say by which stakes."""
    return {
        "utility": "under these utilities",
        "cost": "at these costs",
        "accuracy": "in accuracy",
    }[facts.stakes.kind]


def shown(facts: AnyComparison, value: float) -> float:
    """Return a yield as it is shown: costs are minus yields."""
    return 0.0 - value if facts.stakes.kind == "cost" else value


def span(facts: AnyComparison, low: float, high: float) -> tuple[float, float]:
    """Return an interval as it is shown."""
    ends = shown(facts, low), shown(facts, high)
    return ends if facts.stakes.kind != "cost" else (ends[1], ends[0])


def choice(facts: AnyComparison, decision: Any) -> str:
    """Name a constant decision."""
    verb = "choosing" if facts.stakes.named else "saying"
    return f"always {verb} {figures.quoted(decision)}"


def called(facts: ComparisonFacts, name: str) -> str:
    """Name a classifier, or a constant decision in words."""
    constant = name.removeprefix("always ")
    is_constant = name.startswith("always ") and constant in facts.constants
    return choice(facts, constant) if is_constant else figures.label(name)


def listed(names: Iterable[str], most: int | None = None) -> str:
    """Write names as "a, b and c", or the first of them as "a, b and 7 more"."""
    found = list(names)
    more = [] if most is None or len(found) <= most else [f"{len(found) - most} more"]
    *head, last = [*(found[:most] if more else found), *more]
    return f"{', '.join(head)} and {last}" if head else last


def best_of(facts: AnyComparison, place: PlaceFact) -> str:
    """Name what is best in a group or at a base rate: classifiers, or the constant decision."""
    top = max(place.yields.values())
    if not top > place.constant_value:
        return choice(facts, place.constant)
    return listed(figures.label(name) for name, value in place.yields.items() if value == top)


def judged(ranking: MetricRanking) -> str:
    """Say whether a metric orders the classifiers as their yields do."""
    if len(ranking.wrong) > 1:
        return f"otherwise in {len(ranking.wrong)} pairs"
    parts = [f"otherwise: puts {_label(b)} before {_label(a)}" for a, b in ranking.wrong]
    parts += [f"ties {_label(a)} and {_label(b)}" for a, b in ranking.undecided[:FEW]]
    return "; ".join(parts) or "agrees"


def relation(curve: CurveFact) -> str:
    """Say which ROC curve lies above the other."""
    a, b = _label(curve.a), _label(curve.b)
    text = {
        "a": f"{a}, nowhere below {b}",
        "b": f"{b}, nowhere below {a}",
        "equal": "neither: they are equal",
        "crossing": "neither: they cross",
        "unknown": "not known: scores came counted in bins",
    }
    hull = {"a": f"; with cut points chosen, {a}", "b": f"; with cut points chosen, {b}"}
    chosen = hull.get(curve.hull_relation, "") if curve.relation == "crossing" else ""
    return text[curve.relation] + chosen


def cuts(facts: Any) -> str:
    """List where scores are cut."""
    known = {fact.cut for fact in facts.classifiers if fact.cut is not None}
    return listed(f"{cut:g}" for cut in sorted(known))


def cut(fact: ClassifierFact) -> str:
    """Say where a score is cut, and why there."""
    assert fact.cut is not None
    why = {
        "threshold": "",
        "tau": ", the threshold of the stakes",
    }.get(fact.cut_by or "", f", where {spoken(fact.cut_by or '')} is best")
    others = [spoken(by) if is_metric(by) else by for by in fact.cut_also]
    same = f"; cut at {listed(others)}, it decides the same" if others else ""
    if math.isnan(fact.cut) or fact.cut == math.inf:
        return f"nothing called positive{why}{same}"
    return f"positive where {figures.quoted(fact.score)} is {fact.cut:.6g} or more{why}{same}"


def is_metric(by: str | None) -> bool:
    """Whether a metric chose a cut, rather than a number or the stakes."""
    if by is None or by in {"threshold", "tau"}:
        return False
    try:
        float(by)
    except ValueError:
        return True
    return False


def _label(name: str) -> str:
    return figures.label(name)

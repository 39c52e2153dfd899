"""Not worse than the first named by more than a margin: by all that an answer compares."""

from collections.abc import Iterator
from math import inf, isnan
from typing import Any

from baserate._figures import spoken
from baserate._measures import MEASURES
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.facts.comparison import AnyComparison, MarginFact
from baserate.metrics import get

WORTH = {"accuracy": ("accuracy", "higher"), "utility": ("yield", "higher"),
         "cost": ("cost", "lower")}  # fmt: skip
SIGNS = {"higher": -1, "lower": 1}


def margins_of(
    facts: AnyComparison, margin: float, measures: tuple[str, ...] = ()
) -> tuple[MarginFact, ...]:
    """Judge every other classifier, and every other score, beside the first.

    The limit of the interval of the difference answers, whatever the number and the sampling: where
    the two share their cases that of the score test, which luck passes as seldom as it says.
    Who names metrics asks for these, and for the `measures` of scores that were named.
    """
    found = tuple(_told(facts, measures))
    if found:  # a cost has no end: a margin of it may be anything
        widest = max((told[0] for told in found), key=_reach)
        refuse_beyond("margin", margin, widest, _bounds(widest))
    return tuple(_beside(margin, *told) for told in found)


def refuse_beyond(argument: str, given: float, name: str, bounds: tuple[float, float]) -> None:
    """Refuse a width, or a margin, as wide as all that a number can be: often a percentage."""
    low, high = bounds
    if given >= high - low:
        rule = f"must be less than {high - low:g}, as {spoken(name)} lies in {low:g} to {high:g}"
        percent = 1 <= given < 100 * (high - low)
        remedy = f"write {given / 100:g}" if percent else "write a part of that"
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)


def _bounds(name: str) -> tuple[float, float]:
    if name in MEASURES:
        return MEASURES[name].bounds
    try:
        return get(name).bounds
    except UnknownNameError:  # of a cost, a utility or a user's own
        return -inf, inf


def _reach(name: str) -> float:
    low, high = _bounds(name)
    return high - low


def _beside(margin: float, name: str, better: str, sign: int, pair: Any, one: Any) -> MarginFact:
    sure = None if isnan(one.difference) else getattr(one, "sure", None)
    low, high = sorted(sign * end for end in sure or (one.low, one.high))
    return MarginFact(
        name=name, new=pair.b, old=pair.a, better=better, margin=margin,
        lead=sign * one.difference, low=low, high=high, law="score" if sure else "",
    )  # fmt: skip


def _told(
    facts: AnyComparison, measures: tuple[str, ...]
) -> Iterator[tuple[str, str, int, Any, Any]]:
    """Yield number, better end, sign of the first less the second as a lead, pair, difference."""
    for pair in facts.score_pairs:
        known = MEASURES[pair.measure]
        named = known.name.removesuffix("_ovr") in measures  # of several classes their mean
        asked = named if facts.asked or measures else _reach(known.name) < inf
        if pair.a == facts.scores[0].name and asked:
            yield known.name, known.direction, SIGNS[known.direction], pair, pair
    if facts.score_pairs and not (facts.cut_named or facts.asked):
        return  # nobody named a cut, so nothing of decisions was asked
    for pair in facts.pairs:
        if pair.a != facts.classifiers[0].name:
            continue
        for one in pair.metrics:
            if one.direction == "neither":
                rule = "is of metrics that have a better end"
                raise InvalidArgumentError.from_rule("margin", rule, one.name, "leave it out")
            yield one.name, one.direction, SIGNS[one.direction], pair, one
        if facts.stakes.kind != "accuracy" or not pair.metrics:
            yield *WORTH[facts.stakes.kind], -1, pair, pair

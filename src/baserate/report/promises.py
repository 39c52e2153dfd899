"""Promises in words: what failed and by what, and what is kept by luck perhaps."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter, ge, gt, le, lt

from baserate import _figures as figures
from baserate.facts.verdict import PromiseFact
from baserate.report.words import first_of, reason_of

# What a number is that keeps a limit, and what one is that does not.
KEPT = {">=": "not under", "<=": "not over", ">": "over", "<": "under", "in": "within"}
BROKEN = {">=": "under", "<=": "over", ">": "not over", "<": "not under", "in": "not within"}
KEEPS = {">=": ge, "<=": le, ">": gt, "<": lt}
EXACT = "Clopper-Pearson"  # the law of limits that are wrong no more often than they say
STATES = KEPT_BY, BROKEN_BY, SURELY, UNTOLD = (
    "kept by", "broken by", "surely broken by", "cannot be told of"
)  # fmt: skip
FEW, NAMED = 3, 8  # of the groups that are named
SIDES = {"low": "lower", "high": "upper"}


def told(promises: Sequence[PromiseFact]) -> Iterator[tuple[bool, str]]:
    """Yield what is broken, and of what is kept without its limit the one that is least sure.

    With each sentence whether the promise is kept.
    """
    for _, each in groupby(promises, attrgetter("statement")):
        every = [*each]
        if len(every) > 1 and every[0].end and not all(one.kept for one in every):
            yield False, _of_each(every)
        yield from ((False, _said(one)) for one in every if not one.kept)
        if not all(one.kept for one in every):
            continue
        if unsure := [one for one in every if not one.sure]:
            yield True, _unsure(min(unsure, key=_room))
        yield from ((True, _without(one)) for one in every if one.left_out)
        yield from ((True, _of_all(one)) for one in every if one.broken_in)


def written(promises: Sequence[PromiseFact]) -> str:
    """Write how many promises are kept, and what there is to say of them.

    Examples
    --------
    >>> from baserate.facts.verdict import PromiseFact
    >>> from baserate.report.promises import written
    >>> how = {"operator": ">=", "limit": 0.8, "confidence_level": 0.95}
    >>> fact = PromiseFact(statement="recall >= 0.8", name="recall", value=0.7, judged=0.7,
    ...                    kept=False, **how)
    >>> print(written([fact]))
    1 of 1 promise is broken
      recall is 0.7, under 0.8
    """
    n, broken = len(promises), sum(not one.kept for one in promises)
    named = "promise" if n == 1 else "promises"
    first = f"{broken} of {n} {named} {'is' if broken == 1 else 'are'} broken"
    if not broken:
        first = "the promise is kept" if n == 1 else f"all {n} promises are kept"
    lines = (f"  {'kept, but ' if kept else ''}{said}" for kept, said in told(promises))
    return "\n".join((first, *lines, *(() if broken else _together(promises))))


def joint_error(promises: Sequence[PromiseFact]) -> float:
    """Return how often luck may keep all of several promises where one is false.

    Of limits: who wants all of them errs no more often than with the one that is false (Berger
    1982, Technometrics 24:295). Of probabilities: the doubts add up.
    """
    ends = {one.end for one in promises}
    if ends and ends <= {"low", "high"}:
        return max((1 - one.confidence_level) / 2 for one in promises)
    if ends == {"probability"}:
        return min(1.0, sum(1 - one.judged for one in promises))
    return math.nan


def _together(promises: Sequence[PromiseFact]) -> Iterator[str]:
    """Say of several promises that are kept how sure it is that all of them hold."""
    error = joint_error(promises)
    if len(promises) > 1 and not math.isnan(error):
        of_limits = promises[0].end != "probability"
        sure = "at most" if all(one.law == EXACT for one in promises) else "about"
        yield (
            f"  if one is false, {sure} {figures.level(error)} of samples keep all of them by luck"
            if of_limits
            else f"  all hold with probability {1 - error:.3g} at least: doubts are added up"
        )


def _said(fact: PromiseFact) -> str:
    about = f"{fact.name}{_of(fact)}"
    if fact.end == "probability":
        about = f"the probability of {about} {fact.operator} {_limit(fact)}"
    elif fact.end is not None:
        about = f"the {SIDES[fact.end]} end of the {_interval(fact)} of {about}"
    if math.isnan(fact.judged):
        why = f": {reason_of(fact.reason)}" if fact.reason else ""
        return f"{about} is undefined, so that nothing is shown{why}"
    if fact.end == "probability":
        return f"{about} is {fact.judged:.6g}, under {fact.probability:g}"
    return f"{about} is {fact.judged:.6g}, {BROKEN[fact.operator]} {_limit(fact)}{_either(fact)}"


def _either(fact: PromiseFact) -> str:
    """Say of an end that breaks a limit whether the number is known to break it."""
    other, at = {("low", ">"): (fact.high, "most"), ("high", "<"): (fact.low, "least")}.get(
        (fact.end or "", fact.operator[0]), (math.nan, "")
    )
    if math.isnan(other):
        return ""
    broken = f"{BROKEN[fact.operator]} {_limit(fact)}"
    if KEEPS[fact.operator](other, fact.limit):
        return f"; whether it is {broken} cannot be told: it may be {other:.3g}"
    return f"; it is surely {broken}: at {at} {other:.3g}"


def _of_each(every: Sequence[PromiseFact]) -> str:
    """Say of which groups, classes or classifiers a statement is kept, and of which it is not."""
    by = dict[str, list[str]]()
    for one in every:
        by.setdefault(_state(one), []).append(one.of.partition(" ")[2])
    told = (
        f"{said} {first_of(map(figures.quoted, by[said]), NAMED)}" for said in STATES if said in by
    )
    return f"{every[0].statement}: {'; '.join(told)}"


def _state(fact: PromiseFact) -> str:
    if fact.kept:
        return KEPT_BY
    ends = {"low": fact.high, "high": fact.low}
    other = ends.get(fact.end or "", fact.judged)
    if math.isnan(other):
        return UNTOLD
    if fact.end != {">": "low", "<": "high"}.get(fact.operator[0]):  # the end that is easy to keep
        return BROKEN_BY
    return UNTOLD if KEEPS[fact.operator](other, fact.limit) else SURELY


def _unsure(fact: PromiseFact) -> str:
    end = _worse(fact)
    shown = "any value" if math.isnan(end) else f"{end:.3g}"
    ends = f"its {_interval(fact)} is {fact.low:.3g} to {fact.high:.3g}"
    if math.isnan(fact.low) and math.isnan(fact.high):
        ends = "no interval of it is known"
    known = f"{fact.name}{_of(fact)} is {fact.value:.6g}, {KEPT[fact.operator]} {_limit(fact)}"
    strict = f"{fact.strict} demands that it keeps the limit"
    return f"the data are compatible with {shown}: {known}, and {ends}; {strict}"


def _without(fact: PromiseFact) -> str:
    few = first_of(map(figures.quoted, fact.left_out), FEW)
    return f"{fact.name} leaves out what is too small to show one: {few}"


def _of_all(fact: PromiseFact) -> str:
    few = first_of(map(figures.quoted, fact.broken_in), FEW)
    return f"{fact.name} is asked of all cases together: groups break it ({few}); @groups asks each"


def _worse(fact: PromiseFact) -> float:
    """Return the end of the interval that is furthest on the wrong side."""
    if fact.operator == "in" and not fact.low < fact.limit:
        return fact.high
    return fact.high if fact.operator in {"<=", "<"} else fact.low


def _room(fact: PromiseFact) -> float:
    return -_worse(fact) if fact.operator in {"<=", "<"} else _worse(fact)


def _interval(fact: PromiseFact) -> str:
    return " ".join(filter(None, (figures.level(fact.confidence_level), fact.law, "interval")))


def _limit(fact: PromiseFact) -> str:
    most = "" if math.isnan(fact.most) else f" to {fact.most:g}"
    return f"{fact.limit:g}{most}"


def _of(fact: PromiseFact) -> str:
    return f" of {fact.of}" if fact.of else ""

"""The part of a report about net benefit: what treating by the score is worth at each threshold."""

import math

from baserate import _figures as figures
from baserate.facts import NetBenefitFact, ThresholdFacts
from baserate.report import routes
from baserate.report.score_rows import bounded
from baserate.report.sheet import Cell, Grid

PER = 1000
WORTH = (
    "Net true positives per 1,000 cases, if those with at least that risk are treated; treating "
    "no one has 0. P(useful): probability, given these data, that this beats treating all and "
    "none. Knowing all: what it would be worth, in the same unit, to know all rates exactly "
    "before choosing. Beside it: what as many more cases would be worth."
)
ENOUGH = "No more cases are needed to choose between treating all, none, and by the score."


def net_benefit(facts: ThresholdFacts) -> Grid:
    """Return the net benefit at each threshold, beside what more cases would be worth."""
    if not facts.net_benefit:
        return Grid(headings=(), rows=(), labels=0)
    return Grid(
        title="Net benefit per 1,000 cases (decision curve)",
        headings=("treat at\nrisk", "net\nbenefit", "interval", "treat\nall", "P(useful)",
                  "knowing\nall", f"{facts.net_benefit[0].more_cases:,} more\ncases"),
        rows=tuple(map(_benefit, facts.net_benefit)),
        labels=1,
        note=" ".join((WORTH, *_enough(facts), *_kinds_of_worth(facts))),
    )  # fmt: skip


def _enough(facts: ThresholdFacts) -> tuple[str, ...]:
    worth = {_per_thousand(fact.perfect_information) for fact in facts.net_benefit}
    return (ENOUGH,) if worth <= {"< 0.1", "0.0"} else ()


def _kinds_of_worth(facts: ThresholdFacts) -> tuple[str, ...]:
    found = dict.fromkeys(filter(None, (routes.kind(fact.route) for fact in facts.net_benefit)))
    return (f"Intervals are {' or '.join(found)}.",) if found else ()


def _benefit(fact: NetBenefitFact) -> tuple[Cell, ...]:
    low, high = (_per_thousand(end) for end in (fact.low, fact.high))
    known = not math.isnan(fact.low + fact.high)
    return (
        Cell(f"{fact.threshold:.6g}", exact=(fact.threshold,)),
        Cell(_with_bounds(fact), exact=(fact.value,)),
        Cell(f"{low} to {high}" if known else figures.NOTHING, exact=(fact.low, fact.high)),
        Cell(_per_thousand(fact.treat_all), exact=(fact.treat_all,)),
        Cell(figures.chance(fact.useful), exact=(fact.useful,)),
        Cell(_per_thousand(fact.perfect_information), exact=(fact.perfect_information,)),
        Cell(_more(fact), exact=(fact.more_information,)),
    )


def _with_bounds(fact: NetBenefitFact) -> str:
    return bounded(_per_thousand(fact.value), fact.bounds, _per_thousand)


def _more(fact: NetBenefitFact) -> str:
    """Write what more cases are worth: never more than knowing all."""
    known = not math.isnan(fact.more_information)
    return _per_thousand(fact.more_information if known else fact.perfect_information)


def _per_thousand(value: float) -> str:
    """Write net benefit per 1,000 cases.

    Examples
    --------
    >>> from baserate.report.net_benefit import _per_thousand
    >>> [_per_thousand(x) for x in (0.0312, 4e-6, -4e-6, 0.0, -0.6, -1.2)]
    ['31.2', '< 0.1', '-0.0', '0.0', '-600.0', '-1,200']
    """
    if math.isnan(value):
        return figures.NOTHING
    scaled = PER * value
    if 0 < scaled < 0.05:
        return "< 0.1"
    return f"{scaled:,.0f}" if abs(scaled) >= 1000 else f"{scaled:.1f}"

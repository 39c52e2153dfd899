"""The part of a report about net benefit: what treating by the score is worth at each threshold."""

import math
from itertools import groupby

from baserate import _figures as figures
from baserate._measures import RANGE
from baserate.facts.scores import NetBenefitFact
from baserate.facts.threshold import ThresholdFacts
from baserate.facts.verdict import answer_of
from baserate.report import score_rows
from baserate.report.columns import SPAN, Column, grid, number
from baserate.report.score_rows import bounded
from baserate.report.sheet import Cell, Grid

PER = 1000
EACH = "P at least {level:g}, at each such price by itself"
SURELY = f"{EACH}, that it beats treating all and none"
SURELY_AT = "at each by itself, against treating all and treating none"
NAME_YOURS = "Name yours: --cost fn=10,fp=1 (cost=)"
NOT_SURE = (
    "Worth using: cannot tell; at no price of a miss does it beat treating all and treating none "
    "with P at least {level:g} and by enough to notice."
)
WORTH = (
    "Net true positives per 1,000 cases, if those with at least that risk are treated; treating "
    "no one has 0. P(useful): probability, given these data, that this beats treating all and "
    "none."
)
KNOWING = (
    "Knowing all: what it would be worth, in the same unit, to know all rates exactly "
    "before choosing. Beside it: what as many more cases would be worth."
)
ENOUGH = (
    "At these risks more cases would hardly change whether to treat all, none, or by the score."
)


def worth_using(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the score is worth using: at the stakes that were named, or for which it is."""
    if not facts.net_benefit or (facts.ranks is not None and facts.ranks.answer == "no"):
        return ()
    if told := worth_at(facts) or _worth_within(facts):
        return told
    if facts.is_designed:  # of no other price is it known how sure that is
        return ()
    if not facts.useful:
        return (NOT_SURE.format(level=facts.confidence_level),)
    widest = max(facts.useful, key=lambda ends: _odds(ends[1]) / _odds(ends[0]))
    sure = SURELY.format(level=facts.confidence_level)
    return (f"Worth using if {prices(*widest)} ({sure}). {NAME_YOURS}.",)


def worth_at(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say whether the score is worth using at the stakes that were named, if any were."""
    named = next((one for one in facts.net_benefit if one.threshold == facts.act_at), None)
    return () if named is None or math.isnan(named.useful) else (_worth_at(named),)


def _worth_within(facts: ThresholdFacts) -> tuple[str, ...]:
    """Say at which risks of a range that was named it is worth using, if one was named."""
    named = next(filter(None, map(RANGE.fullmatch, facts.named)), None)
    if named is None:
        return ()
    low, high = float(named["low"]), float(named["high"])
    rows = [one for one in facts.net_benefit if low <= one.threshold <= high]
    parts = []
    for answer, some in groupby(rows, lambda one: answer_of(one.useful)):
        first, *rest = (one.threshold for one in some)
        parts.append(
            f"{answer} " + (f"from {first:g} to {rest[-1]:g}" if rest else f"at {first:g}")
        )
    return (f"Worth using by risk acted from: {', '.join(parts)} ({SURELY_AT}).",)


def _worth_at(fact: NetBenefitFact) -> str:
    value, everyone = _per_thousand(fact.value), _per_thousand(fact.treat_all)
    price = f"acting from a risk of {fact.threshold:.3g}, where {price_of(fact.threshold)}"
    return (
        f"Worth using: {answer_of(fact.useful)}, {price}: net benefit {value} per 1,000 cases, "
        f"by treating all {everyone}, by treating none 0; P(best) {figures.equals(fact.useful)}."
    )


def price_of(threshold: float) -> str:
    """Say what a threshold says about the price of errors."""
    odds = (1 - threshold) / threshold
    if math.isclose(odds, 1):
        return "a miss costs a false alarm"
    if odds > 1:
        return f"a miss costs {odds:.3g} false alarms"
    return f"a false alarm costs {1 / odds:.3g} misses"


def _odds(risk: float) -> float:
    return risk / (1 - risk)


def prices(low: float, high: float) -> str:
    """Write thresholds as what one error costs in terms of the other, rounded inwards.

    As many digits are written as tell a least price from a higher one.
    """
    if low > 1 / 2:
        least, most = low / (1 - low), high / (1 - high)
        costs, others = "a false alarm costs", "misses"
    else:
        least, most = (1 - high) / high, (1 - low) / low
        costs, others = "a miss costs", "false alarms"
    for digits in range(2, 7):
        inside = _rounded(least, digits, up=True), _rounded(most, digits, up=False)
        if inside[0] <= inside[1]:
            break
    else:  # one price
        return f"{costs} about {least:,.3g} {others}"
    written = [f"{price:,.6g}" for price in inside]
    if written[0] == written[1]:
        return f"{costs} {written[0]} {others}"
    return f"{costs} between {written[0]} and {written[1]} {others}"


def _rounded(value: float, digits: int, *, up: bool) -> float:
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    whole = math.ceil(value / step - 1e-9) if up else math.floor(value / step + 1e-9)
    return whole * step


POINTS = 10  # no more are told unless a range of them is named


def decision_curve(facts: ThresholdFacts) -> Grid:
    """Return the net benefit at each threshold, beside what more cases would be worth."""
    if not facts.net_benefit:
        return grid("", ())
    kinds = score_rows.kinds_told(f.route for f in facts.net_benefit)
    informed = any(not math.isnan(fact.perfect_information) for fact in facts.net_benefit)
    about = (f"{WORTH} {KNOWING}", *_enough(facts)) if informed else (WORTH,)
    more = (
        number("knowing\nall", "perfect_information", _per_thousand),
        Column(f"{facts.net_benefit[0].more_cases:,} more\ncases", _more),
    )
    return grid(
        "Net benefit per 1,000 cases (decision curve)",
        facts.net_benefit,
        number("treat at\nrisk", "threshold", "{:.6g}".format),
        Column("net\nbenefit", _with_bounds),
        number("interval", SPAN, _from_to),
        number("treat\nall", "treat_all", _per_thousand),
        number("P(useful)", "useful", figures.chance),
        *(more if informed else ()),
        asked=len(facts.net_benefit) > POINTS,  # of a range
        note=" ".join((*about, *kinds)),
    )


def _enough(facts: ThresholdFacts) -> tuple[str, ...]:
    worth = {_per_thousand(fact.perfect_information) for fact in facts.net_benefit}
    return (ENOUGH,) if worth <= {"< 0.1", "0.0"} else ()


def _from_to(low: float, high: float) -> str:
    known = not math.isnan(low + high)
    return f"{_per_thousand(low)} to {_per_thousand(high)}" if known else figures.NOTHING


def _with_bounds(fact: NetBenefitFact) -> Cell:
    text = bounded(_per_thousand(fact.value), fact.bounds, _per_thousand)
    return Cell(text, exact=(fact.value,))


def _more(fact: NetBenefitFact) -> Cell:
    """Write what more cases are worth: never more than knowing all."""
    known = not math.isnan(fact.more_information)
    shown = fact.more_information if known else fact.perfect_information
    return Cell(_per_thousand(shown), exact=(fact.more_information,))


def _per_thousand(value: float) -> str:
    if math.isnan(value):
        return figures.NOTHING
    scaled = PER * value
    if 0 < scaled < 0.05:
        return "< 0.1"
    return f"{scaled:,.0f}" if abs(scaled) >= 1000 else f"{scaled:.1f}"

"""Classifiers of several classes side by side: their yields, and what tells the first two apart."""

from math import inf, isnan, nan

from baserate._figures import as_text, chance, count, label, p_value, spoken
from baserate.displays.forest_plot import ForestRow
from baserate.displays.group_forest import GroupForestDisplay
from baserate.facts.comparison import ClassComparisonFacts
from baserate.facts.pairs import ComparedPair, DifferenceFact

MOST = 40  # rows


def yields_of(facts: ClassComparisonFacts) -> GroupForestDisplay:
    """Return a row per classifier, beside the best constant decision."""
    best = facts.stakes.constant_value
    named = "utility per case" if facts.stakes.kind == "utility" else "accuracy"
    bounds = (0.0, 1.0) if facts.stakes.kind == "accuracy" else (-inf, inf)
    rows = [
        ForestRow(
            name=one.name, value=one.value, low=one.low, high=one.high, reference=best,
            verdict="" if isnan(one.best) else f"P(best) {chance(one.best)}",
        )
        for one in facts.ranked
    ]  # fmt: skip
    return GroupForestDisplay.from_rows(
        rows, metric=named, reference="best constant decision", bounds=bounds, limit=MOST,
        title=f"What each classifier is worth per case: {named}, beside the best constant decision",
        confidence_level=facts.confidence_level,
    )  # fmt: skip


def differences_of(facts: ClassComparisonFacts) -> GroupForestDisplay:
    """Return a row per metric of the whole table: that of the first less that of the second."""
    pair, ahead = facts.leading, facts.ranked[0].name
    rows = [_row(spoken(one.name), one, pair, ahead) for one in pair.metrics]
    return _against_zero(facts, rows, "metrics of all classes together")


def classes_of(facts: ClassComparisonFacts, metric: str) -> GroupForestDisplay:
    """Return a row per class; of many those whose tests are nearest to telling them apart."""
    pair, ahead = facts.leading, facts.ranked[0].name
    found = [(one, next(m for m in one.metrics if m.name == metric)) for one in pair.classes]
    told = f"{spoken(metric)} of each class"
    if len(found) > MOST:
        known = [each for each in found if not isnan(each[1].difference)]
        found = sorted(known, key=lambda each: (each[0].p_value, -abs(each[1].difference)))[:MOST]
        told = f"{spoken(metric)} of the {MOST} clearest of {count(len(pair.classes))} classes"
    rows = [_row(as_text(one.label), m, pair, ahead, one.adjusted_p) for one, m in found]
    return _against_zero(facts, rows, told)


def _against_zero(
    facts: ClassComparisonFacts, rows: list[ForestRow], told: str
) -> GroupForestDisplay:
    first, second = (label(one.name, 30) for one in facts.ranked[:2])
    return GroupForestDisplay.from_rows(
        rows, metric=f"Difference, {first} less {second}", reference="zero", limit=MOST,
        title=f"{first} less {second}, the first two in these cases: {told}",
        confidence_level=facts.confidence_level,
    )  # fmt: skip


def _row(
    name: str, found: DifferenceFact, pair: ComparedPair, ahead: str, adjusted: float = nan
) -> ForestRow:
    """Turn the difference so that it is that of the leading classifier less the other."""
    sign = 1 if pair.a == ahead else -1
    low, high = sorted((sign * found.low, sign * found.high))
    better = found.a_better if sign == 1 else 1 - found.a_better
    told = "" if isnan(better) else f"P(better) {chance(better)}"
    told = told if isnan(adjusted) else f"adjusted p {p_value(adjusted)}"
    return ForestRow(
        name=name,
        value=sign * found.difference,
        low=low,
        high=high,
        reference=0.0,
        differs=adjusted < 0.05 if not isnan(adjusted) else low > 0 or high < 0,
        verdict=told,
        reason=found.reason or "",
    )

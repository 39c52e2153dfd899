"""The pictures of a comparison: what is best where, curves, yields and differences."""

from collections.abc import Iterator, Mapping
from math import inf, isnan, nan
from typing import TYPE_CHECKING

from baserate import displays
from baserate._figures import as_text, chance, count, label, p_value, spoken
from baserate.curves.cut_points import Sweep
from baserate.displays.forest_plot import ForestRow
from baserate.displays.strip import StripDisplay
from baserate.evaluation.score_facts import are_probabilities
from baserate.facts.comparison import (
    ClassComparisonFacts,
    ComparedPair,
    ComparisonFacts,
    DifferenceFact,
)
from baserate.utilities import UtilityMatrix

if TYPE_CHECKING:
    from baserate.displays.display import Display

# What is compared at each base rate, by the kind of the stakes.
BY = {"accuracy": "accuracy", "cost": "cost per case", "utility": "yield per case"}
ROWS = 40  # of classes and metrics
MOST = 8  # curves on one axes: as many as there are colours


def displays_of(facts: ComparisonFacts, sweeps: Mapping[str, Sweep]) -> "dict[str, Display]":
    """Return the pictures by name, those first that say what is best."""
    if not facts.by_threshold:
        return {"differences": differences_of(facts, "answers marked right or wrong")}
    return {**dict(_best(facts)), **dict(_curves(facts, sweeps))}


def _best(facts: ComparisonFacts) -> "Iterator[tuple[str, Display]]":
    tables = {fact.name: fact.table for fact in facts.classifiers}
    constants = [f"always {decision}" for decision in facts.stakes.decisions]
    stakes = UtilityMatrix(facts.stakes.matrix)
    # Probabilities stand in the table of pairs; everywhere else they would take a second or two.
    yield "utility_map", displays.UtilityMapDisplay(
        tables, base_rate=facts.base_rate, utilities=stakes, probabilities=False,
        confidence_level=facts.confidence_level,
    )  # fmt: skip
    names = tuple(tables)
    yield "best_by_threshold", StripDisplay(
        facts.by_threshold, names=names, constants=constants, along="threshold",
        here=facts.stakes.tau,
    )  # fmt: skip
    yield "best_by_base_rate", StripDisplay(
        facts.by_base_rate, names=names, constants=constants, along="base_rate",
        here=facts.base_rate, by=BY[facts.stakes.kind],
    )  # fmt: skip


def _curves(facts: ComparisonFacts, sweeps: Mapping[str, Sweep]) -> "Iterator[tuple[str, Display]]":
    """Yield the curves of the scores, the first ones if there are very many."""
    shown = dict(list(sweeps.items())[:MOST])
    if shown and all(map(are_probabilities, shown.values())):
        base_rate = facts.base_rate if facts.restated else None
        yield (
            "decision_curve",
            displays.DecisionCurveDisplay(
                shown, base_rate=base_rate, confidence_level=facts.confidence_level
            ),
        )
    if shown:
        yield "roc", displays.RocDisplay(shown, confidence_level=facts.confidence_level)


def displays_of_classes(facts: ClassComparisonFacts) -> "dict[str, Display]":
    """Return yields, and the differences of the first two: of the whole table, and class by class.

    Of classes, the first metric that every class has.
    """
    found: dict[str, Display] = {"yields": yields_of(facts)}
    if not facts.pairs:
        return found
    pair = facts.leading
    if pair.metrics:
        found["differences"] = differences_of(facts, "metrics of all classes together")
    if pair.classes and pair.classes[0].metrics:
        found["classes"] = classes_of(facts, pair.classes[0].metrics[0].name)
    return found


def yields_of(facts: ClassComparisonFacts) -> displays.GroupForestDisplay:
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
    return displays.GroupForestDisplay.from_rows(
        rows, metric=named, reference="best constant decision", bounds=bounds, limit=ROWS,
        title=f"What each classifier is worth per case: {named}, beside the best constant decision",
        confidence_level=facts.confidence_level,
    )  # fmt: skip


def differences_of(
    facts: ClassComparisonFacts | ComparisonFacts, told: str
) -> displays.GroupForestDisplay:
    """Return a row per metric of the whole table: that of the first less that of the second."""
    pair, ahead = facts.leading, facts.ranked[0].name
    rows = [_row(spoken(one.name), one, pair, ahead) for one in pair.metrics]
    return _against_zero(facts, rows, told)


def classes_of(facts: ClassComparisonFacts, metric: str) -> displays.GroupForestDisplay:
    """Return a row per class; of many those whose tests are nearest to telling them apart."""
    pair, ahead = facts.leading, facts.ranked[0].name
    found = [(one, next(m for m in one.metrics if m.name == metric)) for one in pair.classes]
    told = f"{spoken(metric)} of each class"
    if len(found) > ROWS:
        known = [each for each in found if not isnan(each[1].difference)]
        found = sorted(known, key=lambda each: (each[0].p_value, -abs(each[1].difference)))[:ROWS]
        told = f"{spoken(metric)} of the {ROWS} clearest of {count(len(pair.classes))} classes"
    rows = [_row(as_text(one.label), m, pair, ahead, one.adjusted_p) for one, m in found]
    return _against_zero(facts, rows, told)


def _against_zero(
    facts: ClassComparisonFacts | ComparisonFacts, rows: list[ForestRow], told: str
) -> displays.GroupForestDisplay:
    first, second = (label(one.name, 30) for one in facts.ranked[:2])
    return displays.GroupForestDisplay.from_rows(
        rows, metric=f"Difference, {first} less {second}", reference="zero", limit=ROWS,
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

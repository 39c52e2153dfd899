"""The pictures of a comparison: what is best where, and the curves of all scores on one axes."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from baserate.curves.cut_points import Sweep
from baserate.displays.decision_curve import DecisionCurveDisplay
from baserate.displays.roc import RocDisplay
from baserate.displays.strip import StripDisplay
from baserate.displays.utility_map import UtilityMapDisplay
from baserate.evaluation.score_facts import are_probabilities
from baserate.facts.comparison import ComparisonFacts
from baserate.utilities import UtilityMatrix

if TYPE_CHECKING:
    from baserate.displays.display import Display

# What is compared at each base rate, by the kind of the stakes.
BY = {"accuracy": "accuracy", "cost": "cost per case", "utility": "yield per case"}
MOST = 8  # curves on one axes: as many as there are colours


def displays_of(facts: ComparisonFacts, sweeps: Mapping[str, Sweep]) -> "dict[str, Display]":
    """Return the pictures by name, those first that say what is best."""
    return {**dict(_best(facts)), **dict(_curves(facts, sweeps))}


def _best(facts: ComparisonFacts) -> "Iterator[tuple[str, Display]]":
    tables = {fact.name: fact.table for fact in facts.classifiers}
    constants = [f"always {decision}" for decision in facts.stakes.decisions]
    stakes = UtilityMatrix(facts.stakes.matrix)
    # Probabilities stand in the table of pairs; everywhere else they would take a second or two.
    yield "utility_map", UtilityMapDisplay(
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
            DecisionCurveDisplay(
                shown, base_rate=base_rate, confidence_level=facts.confidence_level
            ),
        )
    if shown:
        yield "roc", RocDisplay(shown, confidence_level=facts.confidence_level)

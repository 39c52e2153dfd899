"""The pictures of a comparison: what is best where, and the curves of all scores on one axes."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from baserate.curves import Sweep
from baserate.displays.roc import RocDisplay
from baserate.displays.strip import StripDisplay
from baserate.facts.comparison import ComparisonFacts

if TYPE_CHECKING:
    from baserate.displays.display import Display

MOST = 8  # curves on one axes: as many as there are colours


def displays_of(facts: ComparisonFacts, sweeps: Mapping[str, Sweep]) -> "dict[str, Display]":
    """Return the pictures by name, those first that say what is best."""
    return {**dict(_strips(facts)), **dict(_curves(facts, sweeps))}


def _strips(facts: ComparisonFacts) -> "Iterator[tuple[str, Display]]":
    names = [fact.name for fact in facts.classifiers]
    constants = [f"always {decision}" for decision in facts.stakes.decisions]
    by_threshold = StripDisplay(
        facts.by_threshold, names=names, constants=constants, along="threshold",
        here=facts.stakes.tau,
    )  # fmt: skip
    yield "best_by_threshold", by_threshold
    by_base_rate = StripDisplay(
        facts.by_base_rate, names=names, constants=constants, along="base_rate",
        here=facts.base_rate,
    )  # fmt: skip
    yield "best_by_base_rate", by_base_rate


def _curves(facts: ComparisonFacts, sweeps: Mapping[str, Sweep]) -> "Iterator[tuple[str, Display]]":
    """Yield the curves of the scores, the first ones if there are very many."""
    shown = dict(list(sweeps.items())[:MOST])
    if shown:
        yield "roc", RocDisplay(shown, confidence_level=facts.confidence_level)

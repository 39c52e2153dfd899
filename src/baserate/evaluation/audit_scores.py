"""What `audit` adds where scores make the table: whether the risks of each group are right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baserate.cases.two_classes import BinaryCases
from baserate.evaluation import scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """What is asked of the scores of every group."""

    threshold: float | None
    alpha: float  # accepted chance of any false alarm over all groups; a family of its own
    looks: bool  # whether scores make the table, so that all of them can be looked at
    fold: None = None
    models: None = None

    @property
    def hold(self) -> int:
        """How many cases are kept one by one, if need be."""
        return scoring.LARGEST if self.looks else 0

    def about(
        self, cases: BinaryCases, about: Mapping[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Return the threshold as it is, and the calibration of the groups; as in `Scoring`."""
        _ = about
        if not self.looks or cases.grouping is None:
            return self.threshold, {}
        if cases.is_designed:
            why = "cases_in_clusters" if cases.replicated is None else "replicate_weights"
            return self.threshold, {"calibration_reason": why}
        if not cases.scores or len(cases.truth) > scoring.LARGEST:
            return self.threshold, {"calibration_reason": scoring.TOO_MANY}
        from baserate.evaluation.score_facts import NO_PROBABILITIES, Judging, bins_of_rows

        [(name, score)] = cases.scores.items()
        bins = {"bins": bins_of_rows(cases, name)}
        if not (score.min() >= 0 and cases.highest.get(name, score).max() <= 1):
            return self.threshold, {"calibration_reason": NO_PROBABILITIES, **bins}
        found = Judging(level=1 - self.alpha).of_groups(cases)
        return self.threshold, {"calibration": tuple(found), **bins}

"""Rows left out because their truth is missing: what was predicted of them is known."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.cases.scores import reaches
from baserate.cases.values import from_text
from baserate.counts import ConfusionMatrix

if TYPE_CHECKING:
    from baserate.cases.cases import Cases

UNKNOWN = -1


class Beside(NamedTuple):
    """How many of the cases without a truth are alarms, of how many, and those with one."""

    alarms: int
    n: int
    kept: ConfusionMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Unverified:
    """Rows without a truth."""

    count: NDArray[np.int64]  # cases of each row
    # whether each classifier calls them positive: 1, 0, or UNKNOWN
    calls: Mapping[str, NDArray[np.int8]]
    scores: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, cases: "Cases | None", positive: Any) -> "Unverified | None":
        """Read what each prediction says of cases without a truth."""
        if cases is None:
            return None
        calls = dict[str, NDArray[np.int8]]()
        for name, column in cases.predictions.items():
            told = [
                UNKNOWN if label is None
                else int(bool(label) if column.decided else label == positive
                         or (cases.from_text and from_text(label) == positive))
                for label in column.labels
            ]  # fmt: skip
            calls[name] = np.array(told, dtype=np.int8)[column.codes]
        return cls(cases.count, calls, cases.scores)

    def cut(self, score: str, at: float, name: str | None = None) -> "Unverified":
        """Return the same rows with a score cut as one more classifier."""
        values = self.scores[score]
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        calls = np.where(known, reaches(values, at), UNKNOWN).astype(np.int8)
        return replace(self, calls={**self.calls, name or score: calls})

    def beside(self, name: str, kept: ConfusionMatrix) -> Beside | None:
        """Return how many are alarms of a classifier, beside the table of the others."""
        if name not in self.calls:
            return None
        calls = self.calls[name]
        alarms, passed = (int(self.count[calls == call].sum()) for call in (1, 0))
        return Beside(alarms, alarms + passed, kept) if alarms + passed else None

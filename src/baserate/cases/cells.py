"""Running totals of cases and weights for every combination of labels seen so far."""

from dataclasses import dataclass, field
from typing import Any

from baserate.cases.tally import Tally
from baserate.errors import MissingValueError


@dataclass(slots=True)
class Cells:
    """Totals by (truth, prediction, *groups, weight is missing); None is a missing label."""

    names: tuple[str, str, str]  # what messages call truth, prediction and weight
    weighted: bool
    totals: dict[tuple[Any, ...], list[float]] = field(default_factory=dict[Any, Any])

    def add(
        self, labels: tuple[Any, ...], count: int, weight: float = 0, squared: float = 0
    ) -> None:
        """Add cases that share these labels."""
        total = self.totals.setdefault(labels, [0, 0.0, 0.0])
        total[0] += count
        total[1] += weight
        total[2] += squared

    def tally(self, group_names: tuple[str, ...], *, drop: bool) -> Tally:
        """Return what is complete; say how many cases are not, or refuse."""
        complete = {key: total for key, total in self.totals.items() if not any(_gaps(key))}
        n_missing = int(sum(total[0] for key, total in self.totals.items() if any(_gaps(key))))
        if n_missing and not drop:
            raise self._missing()
        count, weight, squared = zip(*complete.values(), strict=True) if complete else ((), (), ())
        return Tally(
            truth=tuple(key[0] for key in complete),
            prediction=tuple(key[1] for key in complete),
            count=tuple(int(c) for c in count),
            weight=weight if self.weighted else None,
            weight_squared=squared if self.weighted else None,
            groups=tuple(key[2:-1] for key in complete) if group_names else (),
            group_names=group_names,
            n_missing=n_missing,
        )

    def _missing(self) -> MissingValueError:
        gaps = [0, 0, 0]
        for key, total in self.totals.items():
            gaps = [so_far + total[0] * gap for so_far, gap in zip(gaps, _gaps(key), strict=True)]
        found = [
            f"{int(gap):,} in {name}" for gap, name in zip(gaps, self.names, strict=True) if gap
        ]
        return MissingValueError(
            f"Labels and weights must not be missing, found {' and '.join(found)}: "
            'fill them in, or pass missing="drop" to leave those cases out.'
        )


def _gaps(key: tuple[Any, ...]) -> tuple[bool, bool, bool]:
    return key[0] is None, key[1] is None, key[-1]

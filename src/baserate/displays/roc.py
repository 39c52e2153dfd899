"""ROC curves: recall against false positive rate, with their bands and what chance gives."""

from collections.abc import Iterator
from typing import Any

from baserate._figures import count, short
from baserate.curves import Sweep, roc_auc
from baserate.displays.display import ScoreDisplay
from baserate.displays.picture import (
    Axis,
    Line,
    Mark,
    Picture,
    flat,
    series_color,
    series_style,
)


class RocDisplay(ScoreDisplay):
    """ROC curves with bands that hold the whole curve.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
    confidence_level : float

    Examples
    --------
    >>> import baserate as br
    >>> display = br.displays.RocDisplay(br.sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> [line] = display.picture.of("curve")
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """

    def _drawn(self) -> Picture:
        first = next(iter(self.sweeps.values()))
        cases = f"{count(first.n_positive)} positives, {count(first.n_negative)} negatives"
        several = len(self.sweeps) > 1
        return Picture(
            title="ROC curves" if several else f"ROC curve of {cases}",
            description="Recall against false positive rate at every threshold. " + self._told(),
            x=Axis(label="False positive rate", low=0, high=1),
            y=Axis(label="Recall", low=0, high=1),
            marks=flat(
                (
                    Line(
                        key="chance",
                        x=[0, 1],
                        y=[0, 1],
                        color="grey",
                        style="dashed",
                        name="chance",
                    ),
                    *(
                        list(self._curve(k, name, one))
                        for k, (name, one) in enumerate(self.sweeps.items())
                    ),
                )
            ),
            square=True,
        )

    def _told(self) -> str:
        return "; ".join(self._name(name, one) for name, one in self.sweeps.items())

    def _name(self, name: str, swept: Sweep) -> str:
        area = roc_auc(swept, confidence_level=self.confidence_level)
        told = f"area {short(area.value)} ({short(area.low)} to {short(area.high)})"
        return f"{name}: {told}" if name else told

    def _curve(self, k: int, name: str, swept: Sweep) -> Iterator[Mark]:
        tables = swept.tables
        x, y = tables.fp / swept.n_negative, tables.tp / swept.n_positive
        yield Line(
            key="curve", x=x, y=y, color=series_color(k), style=series_style(k),
            name=self._name(name, swept),
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "threshold": t, "false_positive_rate": x, "recall": y}
            for name, one in self.sweeps.items()
            for t, x, y in zip(
                one.thresholds.tolist(),
                (one.tables.fp / one.n_negative).tolist(),
                (one.tables.tp / one.n_positive).tolist(),
                strict=True,
            )
        ]

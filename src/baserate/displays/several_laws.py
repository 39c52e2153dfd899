"""Distribution functions of one metric under several models, such as several sizes of sample."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from baserate._figures import sentence_case, short, spoken
from baserate.displays.contract import Display, rows_of
from baserate.displays.picture import Axis, Line, Picture, series_color, series_style
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions import pmf


class SeveralLaws(Display):
    """Distribution functions of one metric under several models, by name."""

    def __init__(self, metric: Metric, models: Mapping[str, Model], undefined: Any) -> None:
        if not models:
            rule, remedy = "must name one or more", "pass {'10 cases': UniformTables(n=10)}"
            raise InvalidArgumentError.from_rule("models", rule, models, remedy)
        self.metric = metric
        self.laws = {k: pmf(metric, one, undefined=undefined) for k, one in models.items()}
        for name, atoms in self.laws.items():
            if not atoms.values.size:
                rule = f"must give {metric.name} a value"
                raise InvalidArgumentError.from_rule("models", rule, name, "leave that one out")

    def _drawn(self) -> Picture:
        ends = np.concatenate([atoms.values[[0, -1]] for atoms in self.laws.values()])
        low, high = (
            float(bound if isfinite(bound) else end)
            for bound, end in zip(self.metric.bounds, (ends.min(), ends.max()), strict=True)
        )
        told, first = self._half(-1), self._half(0)
        other = f", {first}" if len(self.laws) > 1 else ""
        name = sentence_case(spoken(self.metric.name))
        return Picture(
            title=f"Half of the time {spoken(self.metric.name)} is {told}{other}",
            description=f"Probability of so much {name} at most, by {', '.join(self.laws)}.",
            x=Axis(label=name, low=low, high=high),
            y=Axis(label="Probability up to here", low=0, high=1),
            marks=tuple(
                Line(key="curve", name=name, x=np.r_[low, np.repeat(atoms.values, 2), high],
                     y=np.repeat(np.r_[0.0, np.cumsum(atoms.probabilities)], 2),
                     color=series_color(k), style=series_style(k))
                for k, (name, atoms) in enumerate(self.laws.items())
            ),
        )  # fmt: skip

    def _half(self, at: int) -> str:
        name, atoms = [*self.laws.items()][at]
        reached = np.cumsum(atoms.probabilities) + 1e-12
        low, high = (short(float(atoms.values[np.argmax(reached >= q)])) for q in (0.25, 0.75))
        return f"{low} to {high} ({name})"

    def _rows(self) -> list[dict[str, Any]]:
        return [
            row
            for name, atoms in self.laws.items()
            for row in rows_of(
                {"value": atoms.values, "probability": atoms.probabilities}, law=name
            )
        ]

"""Strips: what did best from where to where, along the stakes or along the base rate."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

from baserate._figures import label, short
from baserate.displays.display import Display
from baserate.displays.layout import text_width
from baserate.displays.picture import Axis, Mark, Picture, Region, Rule, Text, series_color
from baserate.facts.comparison import SpanFact

Along = Literal["threshold", "base_rate"]
LABELS = {
    "threshold": "Threshold tau: the probability from which a positive decision pays",
    "base_rate": "Base rate",
}
TITLES = {
    "threshold": "What did best in these cases, by what errors cost",
    "base_rate": "What does best{by} at each base rate, recall and specificity as in these cases",
}
# The same threshold as what a miss costs in units of a false alarm: (1 - tau) / tau.
RATIOS = ((1 / 21, "20"), (1 / 6, "5"), (1 / 3, "2"), (1 / 2, "1"), (2 / 3, "1/2"), (5 / 6, "1/5"))
COSTS = Axis(label="A miss costs this many false alarms", low=0, high=1, ticks=RATIOS)
HEIGHT = 42.0  # pixels of the strip itself
ROOM = 440.0  # pixels along the strip


class StripDisplay(Display):
    """What did best from where to where, as a strip.

    Spans lie from left to right, with everything that is best throughout each. `names` give
    classifiers their colours; `constants` are decisions in grey, the first, positive one hatched.
    One stands `here`; what is compared at each base rate, `by`, stands in the title.
    """

    def __init__(
        self,
        spans: Sequence[SpanFact],
        *,
        names: Sequence[str],
        along: Along,
        here: float,
        constants: Sequence[str] = (),
        by: str = "",
    ) -> None:
        self.spans = tuple(spans)
        self.names = tuple(names)
        self.along: Along = along
        self.here = here
        self.constants = tuple(constants)
        self.by = by

    def _drawn(self) -> Picture:
        return Picture(
            title=self._title(),
            description=self._told(),
            x=Axis(label=LABELS[self.along], low=0, high=1),
            y=Axis(label="", low=0, high=1, ticks=()),
            marks=(*self._regions(), *self._words(), *self._place()),
            top=COSTS if self.along == "threshold" else None,
            height=HEIGHT,
        )

    def _regions(self) -> list[Mark]:
        named = [self._name(span) for span in self.spans]
        return [
            Region.box(
                (span.low, span.high),
                (0, 1),
                key="best",
                name="" if named[k] in named[:k] else named[k],
                color=self._color(span),
                opacity=0.3 if self._color(span) == "grey" else 0.55,
                hatch=self._hatched(span),
            )
            for k, span in enumerate(self.spans)
        ]

    def _words(self) -> list[Mark]:
        return [
            Text(
                key="name",
                x=self._middle(span),
                y=0.5,
                text=self._name(span),
                anchor="middle",
                color="ink",
                bold=True,
            )
            for span in self.spans
            if text_width(self._name(span)) < ROOM * (span.high - span.low) - 8
            and not self._hatched(span)
        ]

    def _middle(self, span: SpanFact) -> float:
        """Return where the name of a span has room beside the place where one stands."""
        if not span.low < self.here < span.high:
            return (span.low + span.high) / 2
        left = self.here - span.low > span.high - self.here
        low, high = (span.low, self.here) if left else (self.here, span.high)
        fits = text_width(self._name(span)) < ROOM * (high - low) - 8
        return (low + high) / 2 if fits else (span.low + span.high) / 2

    def _place(self) -> list[Mark]:
        name = f"here: {short(self.here)}"
        known = isfinite(self.here)
        rule = Rule(key="here", at=self.here, of="x", color="ink", style="dashed", name=name)
        return [rule] if known else []

    def _told(self) -> str:
        ends = (f"{short(s.low)} to {short(s.high)}: {self._name(s)}" for s in self.spans)
        here = f" Here {short(self.here)}." if isfinite(self.here) else ""
        return f"{self._title()}. {'; '.join(ends)}.{here}"

    def _title(self) -> str:
        return TITLES[self.along].format(by=f" by {self.by}" if self.by else "")

    def _name(self, span: SpanFact) -> str:
        return " and ".join(map(label, span.best))

    def _hatched(self, span: SpanFact) -> bool:
        return self._color(span) == "grey" and any(name in span.best for name in self.constants[:1])

    def _color(self, span: SpanFact) -> str:
        first = next((name for name in self.names if name in span.best), None)
        return "grey" if first is None else series_color(self.names.index(first))

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"low": span.low, "high": span.high, "best": self._name(span)} for span in self.spans
        ]

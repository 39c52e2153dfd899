"""Forests of an audit: groups by one metric, beside their reference, and what would go unseen."""

from collections.abc import Sequence
from math import isfinite, isinf, isnan
from typing import Any

import numpy as np

from baserate._figures import count, label, short
from baserate.displays.display import Display
from baserate.displays.picture import Axis, Mark, Picture, Points, Region, Shape, Text
from baserate.facts import AuditedGroup, Finding

COLORS = {"higher": "C0", "lower": "C1", "consistent": "ink"}
SHAPES: dict[str, Shape] = {"higher": "triangle", "lower": "square"}
KEYS = {
    "higher": "higher by more than luck",
    "lower": "lower by more than luck",
    "consistent": "consistent",
    "other": "too small to tell",
}
ROW = 38.0  # pixels of a group: a line of words, and a line of marks
LETTERS = 58  # of a line of words
FEWEST = 12  # letters of the name of a group
# Where the words, the marks and the zones of a group lie within its row, from above.
WORDS, MARKS, ZONE, TICK = 0.26, 0.7, (0.5, 0.9), (0.46, 0.94)
MARGIN = 0.06
INDENT = 0.012  # of the words, over the width of the picture
WIDE = 0.004  # of the mark of a reference, over the width of the picture


class AuditForestDisplay(Display):
    """Groups by one metric: value, interval, smoothed value, reference, what would go unseen.

    Parameters
    ----------
    groups : sequence of AuditedGroup
        From above.
    metric : str
        Name of a metric that they were audited by.
    name : str, optional
        What to call it.

    Examples
    --------
    >>> import baserate as br
    >>> tables = {"a": br.ConfusionMatrix(tp=30, fn=10, fp=5, tn=55),
    ...     "b": br.ConfusionMatrix(tp=3, fn=2, fp=1, tn=4)}
    >>> groups = br.audit(tables, metrics="recall").facts.groups
    >>> display = AuditForestDisplay(groups, metric="recall")
    >>> [text.text for text in display.picture.of("group")]
    ['a, n = 100', 'b, n = 10']
    >>> display.picture.of("verdict")[1].text
    'too small to see 0.58'
    """

    def __init__(
        self, groups: Sequence[AuditedGroup], *, metric: str, name: str | None = None
    ) -> None:
        self.groups = tuple(groups)
        self.metric = metric
        self.name = metric.replace("_", " ") if name is None else name
        self.findings = tuple(_of(group, metric) for group in self.groups)

    def _drawn(self) -> Picture:
        n, (low, high) = len(self.groups), self._ends()
        return Picture(
            title=f"{self.name[:1].upper()}{self.name[1:]} by group",
            description=self._told(),
            x=Axis(label=self.name, low=low, high=high),
            y=Axis(label="", low=n, high=0, ticks=()),
            height=ROW * n,
            marks=(
                *self._unseen(low, high),
                *self._references(low, high),
                *self._smoothed(),
                *self._values(),
                *self._words(low, high),
            ),
        )

    def _ends(self) -> tuple[float, float]:
        """Return the ends of the axis: what is shown, and a margin within the metric's bounds."""
        shown = [x for f in self.findings for x in (f.value, f.low, f.high, f.reference)]
        known = [x for x in shown if isfinite(x)] or [0.0, 1.0]
        least, most = self.findings[0].bounds or (-np.inf, np.inf)
        room = MARGIN * (max(known) - min(known)) or 0.5
        low, high = max(least, min(known) - room), min(most, max(known) + room)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def _unseen(self, low: float, high: float) -> list[Mark]:
        """Return the gaps that would go unseen, around the reference; hatched if all of them."""
        zones = []
        for i, f in enumerate(self.findings):
            if isnan(f.unseen):
                continue
            ends = low, high
            if not isinf(f.unseen):
                ends = max(low, f.reference - f.unseen), min(high, f.reference + f.unseen)
            zones.append(
                Region.box(
                    ends,
                    (i + ZONE[0], i + ZONE[1]),
                    key="unseen",
                    color="zone",
                    opacity=0.28,
                    hatch=isinf(f.unseen),
                    name="" if zones else "gaps that would go unseen",
                )
            )
        return zones

    def _references(self, low: float, high: float) -> list[Mark]:
        half = WIDE * (high - low) / 2
        known = [(i, f.reference) for i, f in enumerate(self.findings) if isfinite(f.reference)]
        return [
            Region.box(
                (x - half, x + half),
                (i + TICK[0], i + TICK[1]),
                key="reference",
                color="ink",
                opacity=0.9,
                name="" if k else "reference",
            )
            for k, (i, x) in enumerate(known)
        ]

    def _smoothed(self) -> list[Mark]:
        at = [i + MARKS for i in range(len(self.findings))]
        x = [f.smoothed for f in self.findings]
        if not np.isfinite(x).any():
            return []
        how: dict[str, Any] = {"shape": "diamond", "hollow": True, "color": "grey", "size": 4.0}
        return [Points(key="smoothed", x=x, y=at, name="smoothed", **how)]

    def _values(self) -> list[Mark]:
        marks = []
        for kind, name in KEYS.items():
            rows = [(i, f) for i, f in enumerate(self.findings) if _kind(f) == kind]
            if not any(isfinite(f.value) for _, f in rows):
                continue
            marks.append(
                Points(
                    key="value",
                    name=name,
                    color=COLORS.get(kind, "grey"),
                    hollow=kind == "other",
                    x=[f.value for _, f in rows],
                    y=[i + MARKS for i, _ in rows],
                    x_low=[f.low for _, f in rows],
                    x_high=[f.high for _, f in rows],
                    shape=SHAPES.get(kind, "circle"),
                )
            )
        return marks

    def _words(self, low: float, high: float) -> list[Mark]:
        marks, indent = [], INDENT * (high - low)
        for i, (group, f) in enumerate(zip(self.groups, self.findings, strict=True)):
            found, n = _verdict(f), f", n = {count(group.table.n)}"
            name = ", ".join(map(label, group.group.values()))
            room = max(FEWEST, LETTERS - len(found) - len(n))
            name = name if len(name) <= room else f"{name[: room // 2]}…{name[1 - room // 2 :]}"
            at = i + WORDS
            marks += [
                Text(key="group", x=low + indent, y=at, text=name + n, color="ink"),
                Text(
                    key="verdict",
                    x=high - indent,
                    y=at,
                    text=found,
                    anchor="end",
                    color="ink" if _kind(f) in {"higher", "lower"} else "grey",
                    bold=_kind(f) in {"higher", "lower"},
                ),
            ]
        return marks

    def _told(self) -> str:
        rows = zip(self.groups, self.findings, strict=True)
        told = (
            f"{', '.join(map(label, g.group.values()))}: {short(f.value)}, {_verdict(f)}"
            for g, f in rows
        )
        return f"{self.name} of each group beside its reference. {'; '.join(told)}."

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "group": ", ".join(map(label, group.group.values())),
                "n": group.table.n,
                **{k: getattr(f, k) for k in ("value", "low", "high", "smoothed", "reference")},
                "unseen": f.unseen,
                "verdict": f.verdict,
            }
            for group, f in zip(self.groups, self.findings, strict=True)
        ]


def _of(group: AuditedGroup, metric: str) -> Finding:
    return next(finding for finding in group.findings if finding.name == metric)


def _kind(finding: Finding) -> str:
    return finding.verdict if finding.verdict in COLORS else "other"


def _verdict(finding: Finding) -> str:
    if finding.verdict in {"higher", "lower"}:
        return f"{finding.verdict} than {short(finding.reference)}"
    if finding.verdict == "too_small":
        gap = "any gap" if isinf(finding.unseen) else short(finding.unseen)
        return f"too small to see {gap}"
    words = {"unresolved": "no difference seen", "untested": "not tested"}
    return words.get(finding.verdict, finding.verdict)

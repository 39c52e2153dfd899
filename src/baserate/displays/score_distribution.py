"""Scores by outcome: histograms of positives upwards, of negatives downwards."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np

from baserate._checks import one_of, whole_number
from baserate._figures import count, label, percent, short
from baserate.cases.scores import cutting_point
from baserate.curves.cut_points import Sweep
from baserate.curves.score_bins import orders
from baserate.displays.contract import cases_told, rows_of
from baserate.displays.display import ScoreDisplay
from baserate.displays.picture import Axis, Floats, Line, Mark, Picture
from baserate.displays.score_axes import (
    bin_edges,
    binned,
    cut_rules,
    mirrored,
    score_axis,
    scores_of,
    side_names,
)

ROW, TALL = 52.0, 160.0  # pixels: of a row, and of all of them at least
Kind = Literal["share", "count"]


class ScoreDistributionDisplay(ScoreDisplay):
    """Scores by outcome: positives upwards, negatives downwards, in bins of the same width.

    Where the two sides lie over each other no threshold separates the classes. Of several
    classifiers or groups each has a row, and all rows the same scale. Probabilities that all stay
    below 1/2 are drawn from 0 to the next of 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.08, ...; other scores
    from the least to the largest finite one. Infinite scores stand in the outermost bins.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
    kind : {"share", "count"}
        Whether a bar is a share of its class, so that both sides sum to 1 whatever the base rate,
        or a number of cases (with weights, their sum).
    n_bins : int, optional
        At least 1. Default: 2 n^(1/3) of the effective number of cases (of several, their mean),
        from 10 to 60 (Rice's rule).
    threshold : float, optional
        A cut, drawn as a rule, with what it finds and what it flags wrongly.
    confidence_level : float
        Not used: nothing here is estimated.

    References
    ----------
    Van Calster et al. (2025), Lancet Digital Health 7:100916, doi:10.1016/j.landig.2025.100916: one
    of four pictures that every evaluation should show.

    Examples
    --------
    Of the positives one lies in each of the two upper thirds, of the negatives one in each of the
    two lower ones:

    >>> import baserate as br
    >>> swept = br.sweep([0, 0, 1, 1], [0.0, 0.5, 0.4, 1.0])
    >>> display = br.displays.ScoreDistributionDisplay(swept, n_bins=3)
    >>> up, down = (display.picture.of(key)[0].heights for key in ("positives", "negatives"))
    >>> up, down
    (array([0. , 0.5, 0.5]), array([-0.5, -0.5, -0. ]))
    """

    def __init__(
        self,
        sweeps: Sweep | Mapping[str, Sweep],
        *,
        kind: Kind = "share",
        n_bins: int | None = None,
        threshold: float | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)
        self.kind = one_of("kind", kind, Kind)
        bins = None if n_bins is None else whole_number("n_bins", n_bins, minimum=1)
        self.edges = bin_edges(self.sweeps.values(), bins)
        self.threshold = None if threshold is None else cutting_point(threshold)

    def _drawn(self) -> Picture:
        several, tallest = len(self.sweeps) > 1, self._tallest
        marks = [m for row, name in enumerate(self.sweeps) for m in self._row(row, name)]
        marks += cut_rules(self.threshold, self.sweeps)
        reach = 1.08 * tallest
        return Picture(
            title=f"How scores of each class are spread, as {self._what}: {self._cases}",
            description=" ".join(self._told()),
            x=score_axis(self.sweeps.values()),
            y=self._rows_axis() if several else self._heights_axis(reach),
            marks=tuple(marks),
            height=max(TALL, ROW * len(self.sweeps)) if several else None,
        )

    @property
    def _what(self) -> str:
        return "shares of that class" if self.kind == "share" else "numbers of cases"

    @property
    def _cases(self) -> str:
        return cases_told(self.sweeps.values())

    @cached_property
    def _tallest(self) -> float:
        return max(float(side.max()) for one in self.sweeps.values() for side in self._sides(one))

    def _sides(self, swept: Sweep) -> tuple[Floats, Floats]:
        """Return the heights of positives and of negatives; 0 of a class without a case."""
        sides = binned(swept, self.edges)
        if self.kind == "count":
            return sides
        totals = swept.n_positive, swept.n_negative
        up, down = (
            side / total if total else side for side, total in zip(sides, totals, strict=True)
        )
        return up, down

    def _row(self, row: int, name: str) -> Iterator[Mark]:
        several, swept = len(self.sweeps) > 1, self.sweeps[name]
        scale = 0.46 / self._tallest if several else 1.0
        base = -float(row) if several else 0.0
        up, down = self._sides(swept)
        words = ("positives", "negatives") if several else side_names(swept)
        yield from mirrored((up * scale, down * scale), self.edges, base, words)
        ends = self.edges[[0, -1]]
        yield Line(key="base", x=ends, y=[base, base], color="ink", width=1.0)

    def _heights_axis(self, reach: float) -> Axis:
        shown = Axis(label="", low=-reach, high=reach).marked()
        write = percent if self.kind == "share" else count
        ticks = tuple((at, write(abs(at)) if at else "0") for at, _ in shown)
        label = "Share of the class" if self.kind == "share" else "Cases"
        return Axis(label=label, low=-reach, high=reach, ticks=ticks)

    def _rows_axis(self) -> Axis:
        ticks = tuple((-float(row), label(name)) for row, name in enumerate(self.sweeps))
        return Axis(label="", low=0.55 - len(self.sweeps), high=0.55, ticks=ticks)

    def _told(self) -> Iterator[str]:
        yield (
            f"Histogram of the scores in {len(self.edges) - 1} bins of the same width: positives "
            f"upwards, negatives downwards, as {self._what}."
        )
        for name, one in self.sweeps.items():
            lead = f"{label(name)}: " if name else ""
            yield f"{lead}{cases_told([one])}; a positive scores higher in {pairs_won(one)}."
        if any(np.isinf(scores_of(one)).any() for one in self.sweeps.values()):
            yield "Infinite scores stand in the outermost bins."

    def _rows(self) -> list[dict[str, Any]]:
        ends, rows = {"low": self.edges[:-1], "high": self.edges[1:]}, list[dict[str, Any]]()
        for name, one in self.sweeps.items():
            up, down = self._sides(one)
            rows += rows_of(ends | {"positives": up, "negatives": down}, name=name)
        return rows


def pairs_won(swept: Sweep) -> str:
    """Return in words how often a positive has the higher score."""
    if swept.absent:
        return "no pair"
    areas = [short(order.roc_auc()) for order in orders(swept) or (swept,)]
    return f"{' to '.join(dict.fromkeys(areas))} of all pairs"

"""ROC curves: recall against false positive rate, with their bands and what chance gives."""

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._figures import label, level, short
from baserate.counts import as_float
from baserate.curves import Population, roc_auc, roc_band, roc_curve
from baserate.curves.cut_points import Sweep
from baserate.curves.roc import RocCurve
from baserate.curves.roc_bands import RocBand
from baserate.displays.contract import cases_told, rows_of
from baserate.displays.cut_marks import Metrics, best_cuts, metrics_of
from baserate.displays.display import PopulationDisplay, ScoreDisplay
from baserate.displays.picture import (
    Axis,
    Band,
    Floats,
    Line,
    Mark,
    Picture,
    Points,
    flat,
    series_color,
    series_style,
)

FINEST = 1000  # steps of a band; one of more is drawn a little wider than it is
CROSSES = 40  # rectangles of a pointwise band that are drawn

Source = Sweep | Population | RocCurve | RocBand


class RocDisplay(ScoreDisplay, PopulationDisplay):
    """ROC curves, with bands that hold the whole curve in the population.

    At every cut, recall tp / n_positive (up) against false positive rate fp / n_negative (to the
    right), both in [0, 1]. Guessing lies on the dashed diagonal. The legend has the area under
    each curve with its interval, see `baserate.roc_auc`; the title has the cases. The shaded band
    is simultaneous: the curve of the population lies within it everywhere at once with the
    probability `confidence_level` at least, see `baserate.curves.roc_band`; its level is found in
    well under a second for a million cases. Beyond a thousand steps it is drawn a little wider.

    Scores of one class only have no curve: the picture is empty, and its title (of several, the
    legend) says why. Weighted cases have no band.

    Parameters
    ----------
    sweeps : Sweep, Population, RocCurve or RocBand, or mapping of name to such
        Populations (`baserate.populations`) are drawn without a band.
    metrics : str, Metric, or sequence of these
        Hollow points mark the cut at which each is best: among the cuts of a sweep by
        `optimal_threshold`, of a population by `bayes_threshold`. Cuts chosen on the cases they
        are drawn for flatter; the band tells by how much at most.
    base_rate : float, or sequence of float for populations
        Share of positives at which these metrics are taken. Default: that of the cases;
        populations have none.
    band : bool, optional
        Default: for one curve, and not for several.
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        A band of weighted cases is asked for; metrics of a population without a base rate.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27:861, doi:10.1016/j.patrec.2005.10.010. Campbell
    (1994), Statistics in Medicine 13:499, for the band. Best cuts as
    points: Holzmann and Klar (2024), arXiv:2404.07661, figures 5 to 7.

    Examples
    --------
    >>> import baserate as br
    >>> display = br.displays.RocDisplay(br.sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> [line] = display.picture.of("curve")
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> display.picture.title
    'How well the score ranks: ROC curve of 4 cases, 2 positive'
    """

    kinds: ClassVar[tuple[type, ...]] = (Sweep, Population, RocCurve, RocBand)

    def __init__(
        self,
        sweeps: Source | Mapping[str, Source],
        *,
        metrics: Metrics = (),
        base_rate: float | Sequence[float] | None = None,
        band: bool | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)  # pyright: ignore[reportArgumentType]
        self.metrics = metrics_of(metrics)
        self.base_rate = base_rate
        self.band = band

    def _drawn(self) -> Picture:
        told = {name: self._name(name, one) for name, one in self.sweeps.items()}
        return Picture(
            title=self._title(),
            description="Recall against false positive rate at every cut; chance is the diagonal. "
            + "; ".join(told.values()),
            x=Axis(label="False positive rate", low=0, high=1),
            y=Axis(label="Recall", low=0, high=1),
            marks=flat([
                *self._bands(),
                Line(key="chance", name="chance", x=[0, 1], y=[0, 1], color="grey", style="dashed"),
                *self._curves(told),
                *best_cuts(
                    self.metrics, ((one, self.base_rate) for one in self.sweeps.values()), _point
                ),
            ]),
            square=True,
        )  # fmt: skip

    def _title(self) -> str:
        several = len(self.sweeps) > 1
        what = "How well each score ranks" if several else "How well the score ranks"
        curves = "ROC curves" if several else "ROC curve"
        if not self.swept:
            if several:
                return f"{what}: {curves} of populations"
            area = _area(next(iter(self.sweeps.values())), self.confidence_level)
            return f"{what}: {', '.join(filter(None, (area, curves)))} of a population"
        cases = cases_told(self.swept.values())
        if not several and (absent := next(iter(self.swept.values())).absent):
            return f"No ROC curve: {absent} among these cases ({cases})"
        return f"{what}: {curves} of {cases}"

    def _name(self, name: str, one: Source) -> str:
        return ": ".join(filter(None, (self.who(name, one), _area(one, self.confidence_level))))

    def _curves(self, told: Mapping[str, str]) -> Iterator[Mark]:
        for k, (name, one) in enumerate(self.sweeps.items()):
            found = points_of(one)
            if found is not None:
                yield Line(
                    key="curve", name=told[name], x=found.x, y=found.y,
                    color=series_color(k), style=series_style(k),
                )  # fmt: skip

    def _bands(self) -> Iterator[Mark]:
        for k, (name, one) in enumerate(self.sweeps.items()):
            band = self._band(one)
            if band is not None:
                whose = f"{label(name)}: " if name and len(self.sweeps) > 1 else ""
                yield _band_mark(band, f"{whose}{level(band.confidence_level)} band", k)

    def _band(self, one: Source) -> RocBand | None:
        if isinstance(one, RocBand):
            return one
        if not isinstance(one, Sweep) or one.absent:
            return None
        wanted = (len(self.sweeps) == 1 and not one.is_weighted) if self.band is None else self.band
        return roc_band(one, confidence_level=self.confidence_level) if wanted else None

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for name, one in self.sweeps.items():
            found, band = points_of(one), self._band(one)
            if found is None:
                continue
            low = high = np.full(len(found.x), np.nan)
            if band is not None and band.kind == "simultaneous":
                low, high = band.recall_at(found.x)
            columns = {
                "threshold": found.at, "false_positive_rate": found.x, "recall": found.y,
                "recall_low": low, "recall_high": high,
            }  # fmt: skip
            rows += rows_of(columns, name=name)
        return rows


class Corners(NamedTuple):
    """A curve as it is drawn: its corners, and the threshold or density ratio of each."""

    x: Floats
    y: Floats
    at: NDArray[Any]


def points_of(one: Source) -> Corners | None:
    """Return the corners of a ROC curve; None where there is no curve.

    Points half way between equal steps are left out, as scikit-learn does.
    """
    if isinstance(one, RocBand):
        return None
    if isinstance(one, Sweep):
        if one.absent:
            nothing = np.array([np.nan])
            return Corners(nothing, nothing, nothing)
        tp, fp = as_float(one.true_positives), as_float(one.false_positives)
        turns = (np.diff(tp, 2) != 0) | (np.diff(fp, 2) != 0)
        kept = np.concatenate(([True], turns, [True]))
        return Corners(fp[kept] / fp[-1], tp[kept] / tp[-1], one.thresholds[kept])
    curve = one if isinstance(one, RocCurve) else roc_curve(one)
    return Corners(curve.false_positive_rate, curve.recall, curve.at)


@singledispatch
def _area(one: Any, confidence_level: float) -> str:  # noqa: ARG001 - of the registered one
    """Return the area for the legend; that of a population by trapezoids between its points."""
    found = points_of(one)
    return f"area {short(float(np.trapezoid(found.y, found.x)))}" if found else ""


@_area.register
def _area_of_sweep(one: Sweep, confidence_level: float) -> str:
    found = roc_auc(one, confidence_level=confidence_level)
    if found.reason:
        return f"no curve, {found.reason}"
    return f"area {short(found.value)} ({short(found.low)} to {short(found.high)})"


def _point(recall: Floats, false_positive_rate: Floats, _: Any) -> tuple[Floats, Floats]:
    return false_positive_rate, recall


def _band_mark(band: RocBand, name: str, k: int) -> Mark:
    if band.kind == "simultaneous":
        x, low, high = stepped(band)
        name = f"{name} of the whole curve"
        return Band(key="band", name=name, x=x, low=low, high=high, color=series_color(k))
    some = np.unique(np.linspace(0, len(band.at) - 1, CROSSES).round().astype(int))
    x = band.false_positive_rate_low[some], band.false_positive_rate_high[some]
    y = band.recall_low[some], band.recall_high[some]
    return Points(
        key="band", name=f"{name} of single cuts", x=(x[0] + x[1]) / 2, y=(y[0] + y[1]) / 2,
        x_low=x[0], x_high=x[1], y_low=y[0], y_high=y[1], size=1.5, color=series_color(k),
    )  # fmt: skip


def stepped(band: RocBand) -> tuple[Floats, Floats, Floats]:
    """Return a simultaneous band as it is drawn: both ends of its steps, and their limits.

    Between the false positive rates at which a limit changes both are constant. Where there are
    too many of these, some stand for those between them: the lower limit is that of the first, the
    upper one that of the last, so that the band becomes wider and never narrower.
    """
    ends = band.false_positive_rate_low, band.false_positive_rate_high
    at = np.unique(np.concatenate((*ends, [0.0, 1.0])))
    if len(at) > FINEST:
        at = at[np.unique(np.linspace(0, len(at) - 1, FINEST).round().astype(int))]
    low, high = band.recall_at(at)
    return np.repeat(at, 2)[1:-1], np.repeat(low[:-1], 2), np.repeat(high[1:], 2)

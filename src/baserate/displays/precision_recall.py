"""Precision against recall, with what guessing gives; at any base rate."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio as divided
from baserate._checks import numbers_in, one_of
from baserate._figures import exact, level, short
from baserate.counts import as_float
from baserate.curves import Population, average_precision, precision_recall, roc_band
from baserate.curves.cut_points import Sweep
from baserate.curves.roc import PrecisionRecallCurves
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
    Region,
    flat,
    series_color,
    series_style,
)
from baserate.displays.roc import stepped

FINE = 400  # recalls at which a band is drawn at least
Axes = Literal["precision_recall", "recall_false_discovery"]
Source = Sweep | Population | PrecisionRecallCurves


class PrecisionRecallDisplay(ScoreDisplay, PopulationDisplay):
    """Precision and recall at every cut, beside what guessing gives.

    Precision tp / (tp + fp) against recall tp / n_positive, both in [0, 1], in steps as average
    precision adds them up; precision is undefined where nothing is called positive. Or, with
    ``axes="recall_false_discovery"``, recall (up) against 1 - precision (to the right), which lies
    like a ROC curve.

    Who calls any k >= 1 cases positive by guessing has an expected precision of the base rate
    exactly, and an expected recall of k/n: the dashed line. The legend has average precision with
    its interval and, since a random ranking has more than the base rate where positives are few,
    its own exact chance; see `baserate.curves.average_precision`.

    At a base rate π precision is π r/(π r + (1 - π) f), with recall r and false positive rate f,
    which do not depend on π. The shaded band is that of the ROC curve (`baserate.curves.roc_band`)
    in these coordinates: the curve of the population lies within it everywhere at once with the
    probability `confidence_level` at least, at this base rate.

    Parameters
    ----------
    sweeps : Sweep, Population or PrecisionRecallCurves, or mapping of name to such
        Populations (`baserate.populations`) are drawn without a band.
    axes : {"precision_recall", "recall_false_discovery"}
    base_rate : float, or sequence of float
        In (0, 1). Shares of positives where the scores will be used: one curve for each. Default:
        that of the cases; populations have none.
    metrics : str, Metric, or sequence of these
        Hollow points mark the cut at which each is best, see `RocDisplay`.
    band : bool, optional
        Default: for one curve, and not for several. Weighted cases have none.
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        A base rate outside (0, 1), or none for a population; a band of weighted cases is asked for.

    References
    ----------
    Saito and Rehmsmeier (2015), PLoS ONE 10:e0118432, doi:10.1371/journal.pone.0118432. Recall
    against 1 - precision: Holzmann and Klar (2024), arXiv:2404.07661, figures 5 to 7. Chance of
    average precision: Bestgen (2015), doi:10.1515/pralin-2015-0007.

    Examples
    --------
    >>> import baserate as br
    >>> swept = br.sweep([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> display = br.displays.PrecisionRecallDisplay(swept)
    >>> [chance] = display.picture.of("chance")
    >>> chance.y.round(4), display.picture.of("curve")[0].name
    (array([0.3333, 0.3333]), 'average precision 0.75 (0.18 to 1.000), chance 0.53')
    """

    kinds: ClassVar[tuple[type, ...]] = (Sweep, Population, PrecisionRecallCurves)

    def __init__(
        self,
        sweeps: Source | Mapping[str, Source],
        *,
        axes: Axes = "precision_recall",
        base_rate: float | Sequence[float] | None = None,
        metrics: Metrics = (),
        band: bool | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)  # pyright: ignore[reportArgumentType]
        self.axes = one_of("axes", axes, Axes)
        self.metrics = metrics_of(metrics)
        self.base_rate = base_rate
        self.band = band
        if base_rate is not None:
            remedy = "pass the share of positives"
            numbers_in("base_rate", np.atleast_1d(base_rate), "(0, 1)", remedy)

    def _drawn(self) -> Picture:
        curves, swapped = list(self._curves()), self.axes == "recall_false_discovery"
        told = [curve.told(self.confidence_level) for curve in curves]
        recall = Axis(label="Recall", low=0, high=1)
        precision = Axis(label="1 - precision" if swapped else "Precision", low=0, high=1)
        return Picture(
            title=self._title(curves),
            description=f"{'Recall against 1 - precision' if swapped else 'Precision and recall'} "
            f"at every cut, beside guessing. {'; '.join(told)}",
            x=precision if swapped else recall,
            y=recall if swapped else precision,
            marks=flat([
                *(self._band(k, curve) for k, curve in enumerate(curves)),
                *self._chances(curves),
                *(self._line(k, one, name) for k, (one, name) in enumerate(
                    zip(curves, told, strict=True))),
                *self._best(curves),
            ]),
            square=True,
        )  # fmt: skip

    def _curves(self) -> Iterator["_Curve"]:
        for name, one in self.sweeps.items():
            called = self.who(name, one)
            if isinstance(one, Sweep) and one.absent:
                nothing = np.array([np.nan])
                yield _Curve(name, called, one, np.nan, nothing, nothing, nothing, restated=False)
                continue
            given = isinstance(one, PrecisionRecallCurves)
            found = one if given else precision_recall(one, base_rate=self.base_rate)
            several = len(found.base_rate) > 1 or not isinstance(one, Sweep)
            for pi, precision in zip(found.base_rate.tolist(), found.precision, strict=True):
                at = f"base rate {exact(round(pi, 6))}" if several else ""
                whose = ", ".join(filter(None, (called, at)))
                restated = self.base_rate is not None
                yield _Curve(
                    name, whose, one, pi, found.recall, precision, found.at, restated=restated
                )

    def _title(self, curves: Sequence["_Curve"]) -> str:
        what = "What finding more costs in precision"
        if not self.swept:
            return f"{what}: {'populations' if len(self.sweeps) > 1 else 'a population'}"
        cases = cases_told(self.swept.values())
        if len(self.sweeps) == 1 and (absent := next(iter(self.swept.values())).absent):
            return f"No precision-recall curve: {absent} among these cases ({cases})"
        rates = sorted({curve.pi for curve in curves if curve.restated})
        restated = f", restated at base rate {exact(round(rates[0], 6))}" if len(rates) == 1 else ""
        return f"{what}: {cases}{restated}"

    def _placed(self, recall: Any, precision: Any) -> dict[str, Any]:
        recall, precision = np.asarray(recall, float), np.asarray(precision, float)
        if self.axes == "recall_false_discovery":
            return {"x": 1 - precision, "y": recall}
        return {"x": recall, "y": precision}

    def _line(self, k: int, curve: "_Curve", name: str) -> Mark:
        recall, precision = curve.recall, curve.precision
        if self.axes == "precision_recall" and isinstance(curve.source, Sweep):
            recall, precision = _in_steps(recall, precision)
        return Line(
            key="curve", name=name, color=series_color(k), style=series_style(k),
            **self._placed(recall, precision),
        )  # fmt: skip

    def _chances(self, curves: Sequence["_Curve"]) -> Iterator[Mark]:
        rates = _by_base_rate(curves)
        for curve in rates:
            first = 0.0 if curve.n is None else 1 / curve.n
            name = f"guessing, precision {short(curve.pi)}" if len(rates) == 1 else "guessing"
            yield Line(
                key="chance", name=name, color="grey", style="dashed",
                **self._placed([first, 1.0], [curve.pi, curve.pi]),
            )  # fmt: skip

    def _band(self, k: int, curve: "_Curve") -> Sequence[Mark]:
        one, alone = curve.source, len(self.sweeps) == 1
        if not isinstance(one, Sweep) or one.absent:
            return ()
        by_default = alone and not one.is_weighted and np.size(self.base_rate or 0) == 1
        if not (by_default if self.band is None else self.band):
            return ()
        recall, low, high = self._limits(one, curve.pi)
        name = f"{level(self.confidence_level)} band of the whole curve"
        how: dict[str, Any] = {"key": "band", "color": series_color(k), "name": name}
        if self.axes == "precision_recall":
            return (Band(x=recall, low=low, high=high, **how),)
        x, y = np.concatenate((1 - high, (1 - low)[::-1])), np.concatenate((recall, recall[::-1]))
        return (Region(x=x, y=y, **how),)

    def _limits(self, one: Sweep, pi: float) -> tuple[Floats, Floats, Floats]:
        """Return recalls, and between what precisions the curve passes there.

        Turned over, the band of the ROC curve tells between what false positive rates each recall
        is reached.
        """
        band = roc_band(one, confidence_level=self.confidence_level)
        fpr, below, above = stepped(band)
        recall = np.unique(np.concatenate((below, above, np.linspace(0, 1, FINE))))
        left, right = recall[:-1], recall[1:]
        first = fpr[np.minimum(np.searchsorted(above, right, side="left"), len(fpr) - 1)]
        last = fpr[np.minimum(np.searchsorted(below, left, side="right"), len(fpr) - 1)]
        # Precision bends downwards as recall grows: straight lines lie below it.
        low = np.column_stack((_precision(left, last, pi), _precision(right, last, pi))).ravel()
        high = np.repeat(_precision(right, first, pi), 2)
        return np.repeat(recall, 2)[1:-1], np.nan_to_num(low), high

    def _best(self, curves: Sequence["_Curve"]) -> Iterator[Mark]:
        def place(recall: Floats, fpr: Floats, pi: Floats) -> tuple[Floats, Floats]:
            placed = self._placed(recall, _precision(recall, fpr, pi))
            return placed["x"], placed["y"]

        asked = ((curve.source, curve.pi if curve.restated else None) for curve in curves)
        return best_cuts(self.metrics, asked, place)

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for one in self._curves():
            columns = {"threshold": one.at, "recall": one.recall, "precision": one.precision}
            rows += rows_of(columns, name=one.name, base_rate=one.pi)
        return rows


class _Curve(NamedTuple):
    name: str
    called: str
    source: Source
    pi: float
    recall: Floats
    precision: Floats
    at: NDArray[Any]
    restated: bool

    @property
    def n(self) -> float | None:
        """Number of cases, where there are any."""
        one = self.source
        return one.n_positive + one.n_negative if isinstance(one, Sweep) else None

    def told(self, confidence_level: float) -> str:
        """Return its entry in the legend."""
        return ": ".join(filter(None, (self.called, self._value(confidence_level))))

    def _value(self, confidence_level: float) -> str:
        one = self.source
        if not isinstance(one, Sweep):
            return ""
        if one.absent:
            return f"no curve, {one.absent}"
        pi = self.pi if self.restated else None
        found = average_precision(one, base_rate=pi, confidence_level=confidence_level)
        limits = f" ({short(found.low)} to {short(found.high)})"
        chance = "" if np.isnan(found.chance) else f", chance {short(found.chance)}"
        return f"average precision {short(found.value)}{limits}{chance}"


def _by_base_rate(curves: Sequence[_Curve]) -> list[_Curve]:
    """Return one curve of each base rate, of the most cases."""
    found: dict[float, _Curve] = {}
    for curve in sorted(curves, key=lambda curve: curve.n or np.inf):
        if not np.isnan(curve.pi):
            found[curve.pi] = curve
    return sorted(found.values(), key=lambda curve: -curve.pi)


def _in_steps(recall: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Return the corners of steps: from the recall before up to its own, the precision of each."""
    return np.repeat(recall, 2)[1:-1], np.repeat(precision[1:], 2)


def _precision(recall: Any, false_positive_rate: Any, pi: Any) -> Any:
    right = as_float(np.asarray(recall)) * pi
    return divided(right, right + (1 - pi) * as_float(np.asarray(false_positive_rate)))

"""Calibration plots: how many cases turn out positive, against the risk that was stated."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from baserate._checks import confidence, one_of, whole_number
from baserate._figures import count, label, level
from baserate._holm import not_one
from baserate.curves.binning import CalibrationBins
from baserate.curves.calibration_record import Calibration, calibration_of
from baserate.curves.confidence_band import CalibrationBand
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.losses import probabilities
from baserate.curves.miscalibration import MiscalibratedRegion
from baserate.curves.smooth_curve import SmoothCurve
from baserate.displays.contract import cases_told, positive_name, rows_of
from baserate.displays.display import ScoreDisplay
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
from baserate.displays.score_axes import MARGIN, score_ends, strip

STRIP = 0.24  # of the scale, below 0: where the risks lie
BELTS = 3  # curves, beyond which bands would hide each other
TOLD = 3  # regions named in the legend
PLURALS = {"risk": "Risks", "probability": "Probabilities"}
TELLS = {"underestimates": "too low", "overestimates": "too high"}


class CalibrationDisplay(ScoreDisplay):
    """Calibration plot: the share of positives against the risk that was stated.

    - Dashed: where risks are as stated. Above it they are underestimated, below overestimated.
    - Curve: the isotonic one, the best of all that never fall (`Calibration.curve`);
      no bandwidth, no bins.
    - Smooth curve, where there is one curve: a restricted cubic spline of the log odds with
      `knots`; around it limits at each risk by itself (`Calibration.smooth_curve`).
    - Band: it holds the whole curve at once with the probability stated, however few the cases, if
      these are independent (`Calibration.band`). Of two or three curves it is drawn
      faintly; of more, not at all.
    - Points: the share of positives p = k / m in bins of m cases at their mean score, with
      Clopper-Pearson's interval of each bin by itself.
    - Thick line at 0: risks that the band proves too low or too high.
    - Strip below: where the risks lie, positives upwards and negatives downwards, each class as
      high as there is room; of several curves all cases, a row each.
    - Legend: O:E = positives / sum of risks, intercept and slope of logistic recalibration, with
      intervals (`baserate.calibration`).

    Both axes have the same scale, from 0 to 1. Where no risk exceeds 1/2, it ends at the next of
    0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.08, ... that holds all of them; what lies higher is cut off.

    The title says what there is evidence for, by the rule of a report: that risks are too low or
    too high on the whole (test of O:E), else where the band excludes them, else too extreme or too
    timid (test of the slope); of the two tests Holm's rule decides. Otherwise it is neutral.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
        Of probabilities. With weights there is neither band nor interval of a bin, as no exact law
        holds; those of O:E, intercept and slope are asymptotic.
    confidence_level : float
        In (0, 1): of the band, and of all intervals.
    inner_level : float, optional
        Of a narrower band within, drawn where there is one curve; left out unless it is below
        `confidence_level`. Default: none, since bands of 80% and 95% can hardly be told apart.
    n_bins : int
        Bins of about as many cases each; 0 for none.
    knots : int, optional
        Of the smooth curve, 3 to 5; default as many as the cases bear, 0 for no such curve.
    called : {"risk", "probability"}
        What the words call a score: of the largest probability of several classes, which is right
        or not, risk would be the wrong word.

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1].

    References
    ----------
    Van Calster et al. (2025), Lancet Digital Health 7:100916, doi:10.1016/j.landig.2025.100916.
    Dimitriadis, Gneiting and Jordan (2021), PNAS 118:e2016191118, doi:10.1073/pnas.2016191118
    (curve). Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2023), Biometrika 110:663,
    doi:10.1093/biomet/asac068 (band). Clopper and Pearson (1934), Biometrika 26:404,
    doi:10.1093/biomet/26.4.404 (bins).

    Examples
    --------
    Everybody is given 0.2; 40 of 100 are positive, and Clopper and Pearson's interval of 0.4
    excludes 0.2:

    >>> import baserate as br
    >>> swept = br.sweep([1] * 40 + [0] * 60, [0.2] * 100)
    >>> display = br.displays.CalibrationDisplay(swept)
    >>> display.picture.title
    'Underestimates risk: O:E 2.00 (1.52 to 2.51); 100 cases, 40 positive'
    >>> [bins] = display.picture.of("bins")
    >>> [round(float(limit[0]), 4) for limit in (bins.y, bins.y_low, bins.y_high)]
    [0.4, 0.3033, 0.5028]
    """

    def __init__(
        self,
        sweeps: Sweep | Mapping[str, Sweep],
        *,
        confidence_level: float = 0.95,
        inner_level: float | None = None,
        n_bins: int = 10,
        knots: int | None = None,
        called: str = "risk",
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)
        self.called = one_of("called", called, tuple(PLURALS))
        self.inner_level = None if inner_level is None else confidence(inner_level)
        self.knots = knots
        self.n_bins = whole_number("n_bins", n_bins, minimum=0)
        for one in self.sweeps.values():
            probabilities(one)

    @cached_property
    def _found(self) -> dict[str, Calibration]:
        return {
            name: calibration_of(one, self.confidence_level) for name, one in self.sweeps.items()
        }

    @cached_property
    def _bands(self) -> dict[str, dict[float, CalibrationBand]]:
        """The bands of each curve by level, the widest first."""
        inner = self.inner_level
        levels = [self.confidence_level]
        if len(self.sweeps) == 1 and inner is not None and inner < self.confidence_level:
            levels.append(inner)
        some = self._found if len(self._found) <= BELTS else {}
        return {name: {at: one.band(at) for at in levels} for name, one in some.items()}

    @cached_property
    def _regions(self) -> dict[str, tuple[MiscalibratedRegion, ...]]:
        return {name: self._found[name].regions(self.confidence_level) for name in self._bands}

    @cached_property
    def _smooth(self) -> SmoothCurve | None:
        """The smooth curve, if there is one curve and it exists."""
        if len(self._found) > 1 or self.knots == 0:
            return None
        [found] = self._found.values()
        smooth = found.smooth_curve(self.knots)
        return smooth if smooth.knots else None

    @cached_property
    def _bins(self) -> dict[str, CalibrationBins]:
        found = self._found if self.n_bins else {}
        return {name: one.bins(self.n_bins) for name, one in found.items()}

    def _drawn(self) -> Picture:
        top = score_ends(self.sweeps.values())[1]
        several = len(self.sweeps) > 1
        low, high = -MARGIN * top, (1 + MARGIN) * top
        ticks = Axis(label="", low=0, high=top).marked()
        first = next(iter(self.sweeps.values()))
        smooth = self._smooth_drawn()
        observed = f"Observed share {positive_name(first)}"
        return Picture(
            title=self._title(),
            description=" ".join(self._told()),
            x=Axis(label=f"Predicted {self.called}", low=low, high=high, ticks=ticks),
            y=Axis(label=observed, low=-STRIP * top, high=high, ticks=ticks),
            marks=flat(
                (
                    strip(self.sweeps, -STRIP * top, -MARGIN * top),
                    *(list(self._belts(k, name)) for k, name in enumerate(self._bands)),
                    smooth[:1],
                    Line(
                        key="ideal", x=[0, top], y=[0, top], color="grey", style="dashed",
                        width=1.5, name="as stated",
                    ),
                    *(list(self._regions_drawn(name)) for name in self._regions if not several),
                    *(list(self._curve(k, name)) for k, name in enumerate(self._found)),
                    smooth[1:],
                )
            ),
            aspect=(high + STRIP * top) / (high - low),
        )  # fmt: skip

    def _belts(self, k: int, name: str) -> Iterator[Mark]:
        several = len(self.sweeps) > 1
        for at, band in self._bands[name].items():
            if len(band.scores):
                x, low, high = outline(band)
                yield Band(
                    key="band", x=x, low=low, high=high, color=series_color(k),
                    opacity=0.1 if several else 0.12 if at == self.confidence_level else 0.22,
                    name="" if several else f"band of the whole curve, {level(at)}",
                )  # fmt: skip

    def _regions_drawn(self, name: str) -> Iterator[Mark]:
        regions = self._regions[name]
        if regions:
            ends = [(r.low_score, r.high_score, np.nan) for r in regions]
            x = np.array(ends).ravel()
            y = np.where(np.isnan(x), np.nan, 0.0)
            yield Line(key="region", x=x, y=y, color="bad", width=6.0, name=regions_told(regions))

    def _smooth_drawn(self) -> list[Mark]:
        """Return the limits of the smooth curve, and the curve; nothing where there is none."""
        one = self._smooth
        if one is None:
            return []
        x, color = one.scores, series_color(1)
        limits = f"limits at each risk, {level(self.confidence_level)}"
        told = f"smooth curve: spline with {len(one.knots)} knots"
        return [
            Band(
                key="limits", x=x, low=one.low, high=one.high, color=color, opacity=0.3, name=limits
            ),
            Line(key="smooth", x=x, y=one.level, color=color, width=2.5, name=told),
        ]

    def _curve(self, k: int, name: str) -> Iterator[Mark]:
        curve = self._found[name].curve()
        yield Line(
            key="curve", color=series_color(k), style=series_style(k), name=self._name(name),
            x=np.column_stack((curve.low_score, curve.high_score)).ravel(),
            y=np.repeat(curve.level, 2),
        )  # fmt: skip
        if name in self._bins:
            yield self._points(k, self._bins[name])

    def _points(self, k: int, bins: CalibrationBins) -> Points:
        several = len(self.sweeps) > 1
        intervals = f", {level(self.confidence_level)} interval of each" if not bins.reason else ""
        reach: dict[str, Any] = {"y_low": bins.low, "y_high": bins.high}
        return Points(
            key="bins", x=bins.mean_score, y=bins.share, color=series_color(k),
            size=3.0 if several else 3.5, **({} if bins.reason or several else reach),
            name="" if several else f"{len(bins.n)} bins of the cases{intervals}",
        )  # fmt: skip

    def _name(self, name: str) -> str:
        found, alone = self._found[name], len(self.sweeps) == 1
        told = [stated("O:E", found.observed_expected)]
        told += [stated("intercept", found.intercept)] if alone else []
        told += [stated("slope", found.slope)]
        lead = self.who(name, self.sweeps[name])
        missing = found.slope.reason or found.intercept.reason
        told += [f"no slope: {missing.split(',')[0]}"] if missing else []
        return f"{lead or 'isotonic curve'}: {', '.join(filter(None, told))}"

    def _title(self) -> str:
        cases, name = cases_told(self.sweeps.values()), next(iter(self.sweeps))
        alone = len(self.sweeps) == 1
        neutral = f"How stated {PLURALS[self.called].lower()} compare with what happened: {cases}"
        if not alone:
            return neutral
        finding = finding_of(self._found[name], self._regions[name], called=self.called)
        return f"{finding}; {cases}" if finding else neutral

    def _told(self) -> Iterator[str]:
        who = "of positives"
        if self.called != "risk":
            who = positive_name(next(iter(self.sweeps.values())))
        yield f"Observed share {who} against predicted {self.called}; where they agree is dashed."
        for name, found in self._found.items():
            lead = f"{label(name)}: " if name else ""
            estimates = {
                "O:E": found.observed_expected,
                "intercept": found.intercept,
                "slope": found.slope,
            }
            words = [cases_told([self.sweeps[name]])]
            words += [
                stated(what, one) or f"no {what}: {one.reason}" for what, one in estimates.items()
            ]
            regions = self._regions.get(name, ())
            words += [regions_told(regions, len(regions))]
            words += [band.reason or "" for band in list(self._bands.get(name, {}).values())[:1]]
            yield lead + "; ".join(filter(None, words)) + "."

    def _rows(self) -> list[dict[str, Any]]:
        return [row for name in self._found for row in self._rows_of(name)]

    def _rows_of(self, name: str) -> Iterator[dict[str, Any]]:
        same, curve = EMPTY | {"name": name}, self._found[name].curve()
        parts: dict[str, dict[str, Any]] = {
            "curve": {
                "score": curve.low_score, "to_score": curve.high_score, "value": curve.level,
                "cases": curve.n, "positives": curve.positives,
            },
        }  # fmt: skip
        if smooth := self._smooth:
            parts["smooth"] = {
                "score": smooth.scores, "value": smooth.level, "low": smooth.low,
                "high": smooth.high,
            }  # fmt: skip
        for at, band in self._bands.get(name, {}).items():
            parts[f"band {level(at)}"] = {"score": band.scores, "low": band.low, "high": band.high}
        if name in self._bins:
            b = self._bins[name]
            parts["bin"] = {
                "score": b.mean_score, "value": b.share, "low": b.low, "high": b.high,
                "cases": b.n, "positives": b.positives,
            }  # fmt: skip
        for part, columns in parts.items():
            yield from rows_of(columns, **same | {"part": part})


EMPTY = dict.fromkeys(
    ("name", "part", "score", "to_score", "value", "low", "high", "cases", "positives"), np.nan
)


def outline(band: CalibrationBand) -> tuple[Floats, Floats, Floats]:
    """Return scores and both limits there, so that straight lines draw the steps of the band.

    A lower limit holds up to the next score, an upper one back to the one before. Where the limits
    cross, no curve that never falls fits, and there is a gap.
    """
    low, high = band.low, band.high
    x = np.repeat(np.asarray(band.scores, dtype=float), 3)[1:-1]
    lows = np.column_stack((np.append(0.0, low[:-1]), low, low)).ravel()[1:-1]
    highs = np.column_stack((high, high, np.append(high[1:], 1.0))).ravel()[1:-1]
    crossed = lows > highs
    return x, np.where(crossed, np.nan, lows), np.where(crossed, np.nan, highs)


def finding_of(
    found: Calibration, regions: tuple[MiscalibratedRegion, ...], *, called: str = "risk"
) -> str:
    """Return what tests or the band show about the risks, the gravest first; or nothing."""
    ratio, slope = found.observed_expected, found.slope
    large = found.intercept.p_value if isnan(ratio.p_value) else ratio.p_value
    tests = ("ratio", large, ratio), ("slope", slope.p_value, slope)
    wrong = not_one(*tests, alpha=1 - found.confidence_level)
    if "ratio" in wrong:
        verb = "Underestimates" if ratio.value > 1 else "Overestimates"
        return f"{verb} {called}: {stated('O:E', ratio)}"
    if regions:
        return f"{PLURALS[called]} are {regions_told(regions)}"
    if "slope" in wrong:
        verb = "too timid" if slope.value > 1 else "too extreme"
        return f"{PLURALS[called]} are {verb}: {stated('slope', slope)}"
    return ""


def regions_told(regions: tuple[MiscalibratedRegion, ...], most: int = TOLD) -> str:
    """Return in words where risks are proven too low or too high, there at least."""
    told = [
        f"{TELLS[r.direction]} at least {_between(r.low_score, r.high_score)}"
        for r in regions[:most]
    ]
    rest = len(regions) - most
    told += [f"and in {count(rest)} more regions"] if rest > 0 else []
    return f"surely {', '.join(told)}" if told else ""


def _between(low: float, high: float) -> str:
    digits = 2 if high >= 0.1 else 3 if high >= 0.01 else 5
    ends = [f"{end:.{digits}f}" for end in (low, high)]
    return f"at {ends[0]}" if ends[0] == ends[1] else f"between {ends[0]} and {ends[1]}"


def stated(what: str, found: Estimate) -> str:
    """Return an estimate with its interval; nothing if it does not exist.

    Two decimals, three where a limit would be mistaken for the perfect value.
    """
    if isnan(found.value):
        return ""
    limits = (found.low, found.high)
    near = any(round(limit, 2) == found.perfect != limit for limit in limits)
    digits = 3 if near else 2
    value, low, high = (f"{round(v, digits) + 0.0:.{digits}f}" for v in (found.value, *limits))
    return f"{what} {value}" + ("" if isnan(found.low) else f" ({low} to {high})")

"""Decision curves: what probabilities are worth beside treating all and none, with their band."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np

from baserate._checks import number_in
from baserate._figures import count, exact, label, level
from baserate.curves.cut_points import Sweep
from baserate.displays.contract import cases_told, rows_of
from baserate.displays.display import ScoreDisplay
from baserate.displays.picture import (
    Axis,
    Band,
    Floats,
    Line,
    Mark,
    Picture,
    flat,
    series_color,
    series_style,
)
from baserate.errors import InvalidArgumentError
from baserate.utilities import net_benefit_curve
from baserate.utilities.net_benefit import NetBenefitCurve
from baserate.utilities.useful_ranges import useful_thresholds

Source = Sweep | NetBenefitCurve

GRID = np.arange(1, 100) / 100
BELOW = 0.05  # how far below zero net benefit is shown
BAND_POINTS = 25
FINDING_POINTS = 50
JUMPS = 500  # distinct probabilities up to which every jump of the curve is drawn
FINE = 400  # thresholds at which others are
MOST = 0.99  # share of the probabilities that the thresholds shown by default reach
# Cost of a false alarm : benefit of a true positive, as people say it.
RATIOS = ((1, 100), (1, 50), (1, 19), (1, 9), (1, 4), (3, 7), (2, 3), (1, 1), (3, 2), (7, 3),
          (4, 1), (9, 1), (19, 1), (50, 1))  # fmt: skip
APART = 0.1  # of the width, between two of them


class DecisionCurveDisplay(ScoreDisplay):
    """What decisions by probabilities are worth at every threshold, beside treating all or none.

    Deciding positive where the probability reaches the threshold tau gives, per case, the net
    benefit tp/n - fp/n tau/(1 - tau), in units of one true positive: between -tau/(1 - tau) and the
    base rate. tau is also the ratio cost of a false alarm : benefit of a true positive = tau :
    1 - tau, which the upper axis has. Beside it are both decisions that need no model: treat all,
    pi - (1 - pi) tau/(1 - tau), and treat none, 0. See `baserate.net_benefit_curve`.

    With ``interventions_avoided=True``, instead, how many of 100 cases are spared an intervention
    beside treating all, less those that missed positives undo: 100 (net benefit - that of treating
    all) (1 - tau)/tau.

    The shaded band joins exact 95% intervals at 25 thresholds, each for itself. For one model the
    title says between which thresholds it is better than treating all and none with a posterior
    probability of `confidence_level` at least, and adds a twentieth at least of what knowing every
    class would add, at each of 50 thresholds by itself: a statement about each of them, not about
    all at once. A stretch that is narrower than 0.01, or three and
    more of them, are no finding.

    Parameters
    ----------
    sweeps : Sweep or NetBenefitCurve, or mapping of name to such
        Of probabilities.
    thresholds : (low, high), optional
        Between which tau is shown: those that are reasonable for the decision at hand. Default:
        from 0.01 to where 99% of the probabilities lie below, rounded up to 0.05.
    base_rate : float, optional
        In (0, 1). Share of positives where decisions will be taken; each class keeps its
        probabilities. Default: that of the cases.
    interventions_avoided : bool
    band : bool, optional
        Default: for one curve, and not for several.
    confidence_level : float

    Raises
    ------
    InvalidArgumentError
        Scores are no probabilities, or thresholds or the base rate lie outside (0, 1).
    UnsupportedError
        A band is asked for that weighted cases have not.

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26:565, doi:10.1177/0272989X06295361.
    Interventions avoided: Vickers, Cronin, Elkin and Gonen (2008), BMC Medical Informatics and
    Decision Making 8:53, doi:10.1186/1472-6947-8-53.

    Examples
    --------
    At 0.25, two of four are found for one false alarm: 2/4 - 1/4 · 1/3, and treating all has
    1/2 - 1/2 · 1/3.

    >>> import baserate as br
    >>> swept = br.sweep([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> display = br.displays.DecisionCurveDisplay(swept)
    >>> [line], [everyone] = display.picture.of("curve"), display.picture.of("treat_all")
    >>> at = line.x.tolist().index(0.25)
    >>> line.y[at].round(4), everyone.y[at].round(4)
    (np.float64(0.4167), np.float64(0.3333))
    """

    kinds: ClassVar[tuple[type, ...]] = (Sweep, NetBenefitCurve)

    def __init__(
        self,
        sweeps: Source | Mapping[str, Source],
        *,
        thresholds: tuple[float, float] | None = None,
        base_rate: float | None = None,
        interventions_avoided: bool = False,
        band: bool | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)  # pyright: ignore[reportArgumentType]
        self.thresholds = None if thresholds is None else _ends(thresholds)
        self.base_rate = base_rate
        self.interventions_avoided = interventions_avoided
        self.band = band
        if base_rate is not None:
            number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")

    @property
    def swept(self) -> dict[str, Sweep]:
        """What holds cases, by name."""
        return {
            name: one if isinstance(one, Sweep) else one.sweep for name, one in self.sweeps.items()
        }

    def _drawn(self) -> Picture:
        low, high = self._range()
        curves = self._curves(low, high)
        shown = 0.0 if low == GRID[0] else low
        marks = flat([
            *self._bands(curves, low, high),
            *self._constant(curves),
            *(self._line(k, name, curves.get(name)) for k, name in enumerate(self.sweeps)),
        ])  # fmt: skip
        told = "Interventions avoided of 100" if self.interventions_avoided else "Net benefit"
        names = ", ".join(label(name) or "model" for name in curves)
        return Picture(
            title=self._title(curves, low, high),
            description=f"{told} against the threshold from {exact(low)} to {exact(high)}, beside "
            f"treating all and treating none: {names}.",
            x=Axis(label="Threshold probability", low=shown, high=high),
            y=self._axis(marks),
            marks=marks,
            top=Axis(
                label="Cost of a false alarm : benefit of a true positive",
                low=shown, high=high, ticks=_ratios(shown, high),
            ),
        )  # fmt: skip

    def _range(self) -> tuple[float, float]:
        if self.thresholds:
            return self.thresholds
        given = [one.thresholds for one in self.sweeps.values() if isinstance(one, NetBenefitCurve)]
        if len(given) == len(self.sweeps):
            ends = np.concatenate([tau[[0, -1]] for tau in given])
            return float(ends.min()), float(max(ends.max(), ends.min() + 1e-6))
        tops = [_quantile(one, MOST) for one in self.swept.values()]
        return float(GRID[0]), float(np.clip(ceil(max(tops) * 20 - 1e-9) / 20, 0.1, GRID[-1]))

    def _curves(self, low: float, high: float) -> dict[str, NetBenefitCurve]:
        """Return the curves by name, but for cases of one class at a stated base rate."""
        return {
            name: self._curve(one, low, high)
            for name, one in self.sweeps.items()
            if self.base_rate is None or not self.swept[name].absent
        }

    def _curve(self, one: Source, low: float, high: float) -> NetBenefitCurve:
        if isinstance(one, NetBenefitCurve) and self.base_rate is None and not self.thresholds:
            return one
        swept = one if isinstance(one, Sweep) else one.sweep
        rate = self.base_rate
        if isinstance(one, NetBenefitCurve) and rate is None and one.restated:
            rate = one.base_rate
        eta = np.asarray(swept.thresholds[1:], dtype=float)
        jumps = eta[(eta >= low) & (eta < high)]
        tau = np.union1d(GRID[(low <= GRID) & (high >= GRID)], [low, high])
        if len(jumps) <= JUMPS:
            tau = np.union1d(tau, np.concatenate((jumps, np.nextafter(jumps, 1))))
        else:
            tau = np.union1d(tau, np.linspace(low, high, FINE))
        return net_benefit_curve(swept, thresholds=tau, base_rate=rate)

    def _value(self, curve: NetBenefitCurve) -> Floats:
        if self.interventions_avoided:
            return 100 * curve.interventions_avoided
        return curve.net_benefit

    def _line(self, k: int, name: str, curve: NetBenefitCurve | None) -> Mark:
        swept = self.swept[name]
        named = self.who(name, swept) or "model"
        how: dict[str, Any] = {"color": series_color(k), "style": series_style(k)}
        if curve is None:
            nothing = np.array([np.nan])
            told = f"{named}: no curve, {swept.absent}"
            return Line(key="curve", name=told, x=nothing, y=nothing, **how)
        return Line(key="curve", name=named, x=curve.thresholds, y=self._value(curve), **how)

    def _constant(self, curves: Mapping[str, NetBenefitCurve]) -> Iterator[Mark]:
        """Yield treating all and none: once for models of the same base rate, else for each."""
        rates: dict[float, tuple[int, str]] = {}
        for k, (name, curve) in enumerate(curves.items()):
            rates.setdefault(curve.base_rate, (k, name))
        for pi, (k, name) in rates.items():
            alone = len(rates) == 1
            how: dict[str, Any] = {"color": "grey" if alone else series_color(k), "width": 1.25}
            tau = curves[name].thresholds
            everyone = pi - (1 - pi) * tau / (1 - tau)
            if self.interventions_avoided:
                spared, key, told = -100 * everyone * (1 - tau) / tau, "treat_none", "treat none"
                yield Line(key=key, x=tau, y=spared, style="dashed", name=told if not k else "",
                           **how)  # fmt: skip
            else:
                told = "treat all" if alone else "treat all (each in its colour)"
                yield Line(key="treat_all", x=tau, y=everyone, style="dashed",
                           name=told if not k else "", **how)  # fmt: skip
        key = "treat_all" if self.interventions_avoided else "treat_none"
        yield Line(key=key, x=self._range(), y=(0.0, 0.0), name=key.replace("_", " "),
                   color="ink", width=1.25)  # fmt: skip

    def _bands(
        self, curves: Mapping[str, NetBenefitCurve], low: float, high: float
    ) -> Iterator[Mark]:
        avoided = self.interventions_avoided
        for k, name in enumerate(self.sweeps):
            if (curve := curves.get(name)) is None:
                continue
            if not (len(self.sweeps) == 1 if self.band is None else self.band):
                continue
            found = curve.band(
                np.linspace(low, high, BAND_POINTS),
                confidence_level=self.confidence_level,
                unit="interventions_avoided" if avoided else "net_benefit",
            )
            scale = 100 if avoided else 1
            yield Band(
                key="band", name=f"{level(self.confidence_level)} interval at each threshold",
                x=found.thresholds, low=scale * found.low, high=scale * found.high,
                color=series_color(k),
            )  # fmt: skip

    def _axis(self, marks: Sequence[Mark]) -> Axis:
        """Return the vertical axis: treating all may leave it below."""
        shown = [mark.y for mark in marks if isinstance(mark, Line)]
        shown += [mark.high for mark in marks if isinstance(mark, Band)]
        values = np.concatenate([np.ravel(y) for y in shown])
        top = float(np.nanmax(values, initial=0.0))
        if self.interventions_avoided:
            ours = [np.ravel(m.y) for m in marks if isinstance(m, Line) and m.key == "curve"]
            least = float(np.nanmin(np.concatenate(ours), initial=0.0))
            return Axis(label="Interventions avoided of 100 cases", low=max(least, -30) - 5,
                        high=min(105.0, 1.08 * top + 1))  # fmt: skip
        top = 1.08 * top or BELOW
        return Axis(label="Net benefit", low=-min(BELOW, top / 2), high=top)

    def _title(self, curves: Mapping[str, NetBenefitCurve], low: float, high: float) -> str:
        cases = cases_told(self.swept.values())
        rates = {curve.base_rate for curve in curves.values() if curve.restated}
        rate = f", at base rate {exact(round(rates.pop(), 6))}" if len(rates) == 1 else ""
        what = "Decision curve" if len(self.sweeps) == 1 else "Decision curves"
        if not curves:
            absent = next(iter(self.swept.values())).absent
            return f"No {what.lower()}: {absent} among these cases ({cases})"
        found = f"What acting on {'each' if len(self.sweeps) > 1 else 'the'} score is worth"
        if len(self.sweeps) == 1:
            found = self._finding(next(iter(curves.values())), low, high) or found
        return f"{found}: {cases}{rate}"

    def _finding(self, curve: NetBenefitCurve, low: float, high: float) -> str:
        """Return between which thresholds the model is probably better; empty if nowhere."""
        possible = not (curve.restated and curve.sweep.is_weighted) and not curve.sweep.absent
        if not possible:
            return ""
        tau = np.linspace(low, high, FINDING_POINTS)
        runs = within(useful_thresholds(curve, tau, confidence_level=self.confidence_level))
        if not runs or len(runs) > 2:
            return ""
        told = ", ".join(f"{low:.2f} and {high:.2f}" for low, high in runs)
        sure = f"P at least {self.confidence_level:g} each"
        return f"Beats treating all and none between {told} ({sure})"

    def _rows(self) -> list[dict[str, Any]]:
        low, high = self._range()
        rows: list[dict[str, Any]] = []
        for name, curve in self._curves(low, high).items():
            columns = {
                "threshold": curve.thresholds, "net_benefit": curve.net_benefit,
                "treat_all": curve.treat_all, "treat_none": curve.treat_none,
                "interventions_avoided_of_100": 100 * curve.interventions_avoided,
            }  # fmt: skip
            rows += rows_of(columns, name=name)
        return rows


def _ends(given: Any) -> tuple[float, float]:
    remedy = "pass (low, high) with 0 < low < high < 1"
    ends = np.atleast_1d(np.asarray(given, dtype=float))
    if ends.shape != (2,) or not 0 < ends[0] < ends[1] < 1:
        rule = "must be two thresholds in (0, 1), the lower one first"
        raise InvalidArgumentError.from_rule("thresholds", rule, given, remedy)
    return float(ends[0]), float(ends[1])


def _quantile(swept: Sweep, share: float) -> float:
    """Return the least probability that this share of the cases does not exceed."""
    cases = np.asarray(swept.true_positives + swept.false_positives, dtype=float)
    above = cases[:-1]  # those strictly above each distinct probability
    first = int(np.count_nonzero(above <= (1 - share) * cases[-1])) - 1
    return float(swept.thresholds[1:][max(first, 0)])


def within(runs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the ends with two decimals, rounded inwards, of stretches that have a width."""
    ends = [(ceil(100 * low - 1e-9) / 100, floor(100 * high + 1e-9) / 100) for low, high in runs]
    return [(low, high) for low, high in ends if low < high]


def _ratios(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Return thresholds that are ratios people say, far enough apart."""
    found: list[tuple[float, str]] = []
    for cost, benefit in RATIOS:
        at = cost / (cost + benefit)
        last = found[-1][0] if found else -1.0
        if low <= at <= high and at - last >= APART * (high - low):
            found.append((at, f"{count(cost)}:{count(benefit)}"))
    return tuple(found)

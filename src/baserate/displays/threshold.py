"""A metric against the threshold: what every cut gives, what chance would, and the best cut."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import inf, isfinite, isnan
from typing import Any

import numpy as np

from baserate._checks import DRAWS, whole_number
from baserate._figures import guess as guess_named
from baserate._figures import label, level, number, sentence_case, short
from baserate.baselines.guessing import SAME_ALARMS, chosen_guess
from baserate.cases.scores import cutting_point
from baserate.curves.cut_points import Sweep
from baserate.displays.contract import cases_told
from baserate.displays.display import ScoreDisplay
from baserate.displays.picture import (
    Axis,
    Band,
    Floats,
    Line,
    Mark,
    Picture,
    Points,
    Region,
    flat,
    series_color,
    series_style,
)
from baserate.displays.score_axes import cut_rules, score_axis, strip
from baserate.displays.threshold_series import (
    MetricSeries,
    Rules,
    best_rule,
    chance_at,
    places,
    thinned_to,
    told_name,
    values_of,
    visible,
)
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference import interval
from baserate.metrics import Metric, binary_metric
from baserate.tuning.bagging import threshold_spreads

STRIP = 0.2  # of the height of the curves, below them
CHANCES = 160  # cuts at which chance is computed
INTERVALS = 32  # cuts with an interval
WITHIN = 0.005  # of an interval's width, how exact its ends are


class ThresholdDisplay(ScoreDisplay):
    """A metric, or several, at every threshold, with what chance gives and the best cut.

    A case is called positive if score >= threshold, so that between two scores nothing changes and
    curves are steps; there is one value for every threshold above all scores (no alarms).

    - Dashed: chance. "same_alarms" is what blind draws of as many cases as each cut calls positive
      score on average (exact, hypergeometric; at up to 160 cuts), also called by luck; the other
      guesses do not depend on the cut and are level.
    - Hollow marker: the best cut, on the same cases, of metrics that have one
      (`baserate.optimal_threshold`); the thick line at the bottom holds the best cuts of
      bootstrap samples, if `rng` is given (`baserate.tuning.threshold_spread`).
    - Band: the interval of the metric at each of 32 cuts by itself (`baserate.interval`,
      "bayes"), joined by straight lines; where there is one curve.
    - Hatched: thresholds at which the metric is undefined.
    - Strip below: where the scores lie, positives upwards and negatives downwards.

    Of more cuts than can be seen, each of 250 columns shows its first, last, highest and lowest.

    Parameters
    ----------
    sweeps : Sweep, or mapping of name to Sweep
    metrics : str, Metric, or iterable of these
        Default Matthews correlation. Several sweeps take one metric, several metrics one sweep.
    guess : {"same_alarms", "dutch_draw", "uniform", "proportional", "mode"}, float or None
        What chance is, as in `baserate.skill`; None for none.
    threshold : float, optional
        A cut in use, drawn as a rule.
    rng : seed or numpy.random.Generator, optional
        Of the bootstrap; without it there is none.
    n_resamples : int
    confidence_level : float
        Of the band, and of the spread of best cuts.
    intervals : bool
        Whether there is a band.

    Raises
    ------
    InvalidArgumentError
        Both metrics and sweeps are several, or the guess is unknown.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661 (best cuts of metrics). Burger and Meertens, The
    algorithm versus the chimps: on the minima of classifier performance metrics (chance).

    Examples
    --------
    >>> import baserate as br
    >>> swept = br.sweep([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    >>> display = br.displays.ThresholdDisplay(swept, "recall")
    >>> frame = display.to_frame("pandas")
    >>> frame[["threshold", "value", "chance"]].round(3).values.tolist()[1:4]
    [[0.9, 0.333, 0.167], [0.7, 0.667, 0.333], [0.4, 0.667, 0.5]]
    """

    def __init__(
        self,
        sweeps: Sweep | Mapping[str, Sweep],
        metrics: str | Metric | Iterable[str | Metric] = "matthews_correlation",
        *,
        guess: str | float | None = SAME_ALARMS,
        threshold: float | None = None,
        rng: Any = None,
        n_resamples: int = 200,
        confidence_level: float = 0.95,
        intervals: bool = True,
    ) -> None:
        super().__init__(sweeps, confidence_level=confidence_level)
        given = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
        self.metrics = tuple(map(binary_metric, given))
        if not self.metrics or (len(self.metrics) > 1 and len(self.sweeps) > 1):
            rule = "must be one metric, or several of one classifier"
            names = [metric.name for metric in self.metrics]
            raise InvalidArgumentError.from_rule("metrics", rule, names, "draw one after the other")
        self.guess = None if guess is None else chosen_guess(guess, of_table=True)
        self.threshold = None if threshold is None else cutting_point(threshold)
        self.rng = rng
        self.n_resamples = whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS)
        self.intervals = intervals

    @cached_property
    def _series(self) -> tuple["MetricSeries", ...]:
        several = len(self.metrics) > 1
        return tuple(
            self._series_of(told_name(metric) if several else name, metric, one)
            for name, one in self.sweeps.items()
            for metric in self.metrics
        )

    def _series_of(self, name: str, metric: Metric, swept: Sweep) -> "MetricSeries":
        values = values_of(metric, swept)
        best = best_rule(metric, values)
        kept = visible(swept, values, best)
        chance, no_chance = chance_at(metric, swept, self.guess, thinned_to(kept, values, CHANCES))
        return MetricSeries(name, metric, swept, values, kept, best, chance, no_chance)

    @cached_property
    def _spreads(self) -> tuple[tuple[float, float] | None, ...]:
        """From where to where the best cuts of bootstrap samples lie, where asked for."""
        usable = [
            one.best is not None and not (one.swept.is_weighted or one.swept.absent)
            for one in self._series
        ]
        return tuple(
            self._spread(one) if self.rng is not None and able else None
            for one, able in zip(self._series, usable, strict=True)
        )

    def _spread(self, one: "MetricSeries") -> tuple[float, float]:
        how = {"n_resamples": self.n_resamples, "confidence_level": self.confidence_level}
        [found] = threshold_spreads([one.metric], one.swept, rng=self.rng, **how)
        return found.low, found.high

    @cached_property
    def _band(self) -> tuple[Rules, Floats, Floats] | str:
        """Cuts and the ends of their intervals, of a single curve; or why there are none."""
        one = self._series[0]
        if not self.intervals or len(self._series) > 1:
            return ""
        if one.swept.is_weighted:
            return "the posterior counts cases, and these have weights"
        rules = thinned_to(one.kept, one.values, INTERVALS)
        level = self.confidence_level
        try:
            found = interval(
                one.metric, one.swept.tables[rules], confidence_level=level, tolerance=WITHIN
            )
        except UnsupportedError as error:
            return str(error)
        return rules, np.asarray(found.low), np.asarray(found.high)

    def _drawn(self) -> Picture:
        low, high = self._ends()
        bottom = low - STRIP * (high - low)
        x = score_axis(self.sweeps.values(), "Threshold")
        several = len(self.metrics) > 1
        what = "Metrics" if several else sentence_case(told_name(self.metrics[0]))
        change = "metrics change" if several else f"{told_name(self.metrics[0])} changes"
        marks = [m for k in range(len(self._series)) for m in self._curve(k, x)]
        return Picture(
            title=f"How {change} with the threshold: {cases_told(self.sweeps.values())}",
            description=" ".join(self._told()),
            x=x,
            y=Axis(
                label="Value" if several else what, low=bottom, high=high + 0.03 * (high - low),
                ticks=Axis(label="", low=low, high=high).marked(),
            ),
            marks=flat(
                (
                    strip(self.sweeps, bottom, low - 0.02 * (high - low)),
                    *([list(self._undefined(x, low, high))] if len(self._series) == 1 else []),
                    list(self._belt(x)),
                    marks,
                    cut_rules(self.threshold, self.sweeps),
                )
            ),
        )  # fmt: skip

    def _ends(self) -> tuple[float, float]:
        """Return from where to where values reach: the bounds, if these are close enough."""
        shown = [one.values[one.kept] for one in self._series]
        shown += [np.array(list(one.chance.values())) for one in self._series]
        shown += [] if isinstance(self._band, str) else list(self._band[1:])
        values = np.concatenate([np.ravel(each) for each in shown])
        values = values[np.isfinite(values)]
        bounds = [one.metric.bounds for one in self._series]
        low, high = min(values, default=0.0), max(values, default=1.0)
        low = min(0.0, float(low)) if low >= 0 or any(b[0] < 0 for b in bounds) else float(low)
        if all(isfinite(b[1]) for b in bounds):
            high = max(float(high), *(min(b[1], 1.0) for b in bounds))
        return (low, float(high)) if high > low else (low, low + 1.0)

    def _curve(self, k: int, x: Axis) -> Iterator[Mark]:
        one, alone = self._series[k], len(self._series) == 1
        if one.chance:
            yield self._chance(k, x)
        at, y = one.steps(x)
        yield Line(
            key="curve", x=at, y=y, color=series_color(k), style=series_style(k),
            name=label(one.name) or told_name(one.metric) if alone else self._name(one),
        )  # fmt: skip
        if one.best is not None:
            yield from self._best(k, x)

    def _name(self, one: MetricSeries) -> str:
        if one.best is None:
            return label(one.name)
        at, value = float(one.swept.thresholds[one.best]), float(one.values[one.best])
        return f"{label(one.name)}: {short(value)} at {number(at)}"

    def _chance(self, k: int, x: Axis) -> Line:
        one, alone = self._series[k], len(self._series) == 1
        at, y = one.drawn(np.array(list(one.chance)), x, np.array(list(one.chance.values())))
        if self.guess != SAME_ALARMS:
            at, y = np.array([x.low, x.high]), np.repeat(y[:1], 2)
        return Line(
            key="chance", x=at, y=y, style="dashed", width=1.5,
            color="grey" if alone else series_color(k),
            name=self._guess_told if not k else "",
        )  # fmt: skip

    @property
    def _guess_told(self) -> str:
        """Name the guess; luck is as many alarms, as in every report."""
        kind = "by luck" if self.guess == SAME_ALARMS else "chance"
        return f"{kind}: {guess_named(str(self.guess))}"

    def _best(self, k: int, x: Axis) -> Iterator[Mark]:
        one, spread = self._series[k], self._spreads[k]
        assert one.best is not None
        at, value = float(one.swept.thresholds[one.best]), float(one.values[one.best])
        told = (
            f"best cut of these cases {number(at)}: {short(value)}"
            if len(self._series) == 1
            else "best cut of these cases"
        )
        yield Points(
            key="best", x=places([at], x), y=np.array([value]), hollow=True, shape="diamond",
            color=series_color(k), name=told,
        )  # fmt: skip
        if spread:
            low, high = self._ends()
            name = f"best cuts of {level(self.confidence_level)} of resamples"
            yield Line(
                key="spread", x=places(spread, x), y=np.full(2, low + 0.02 * k * (high - low)),
                color=series_color(k), width=5.0, name=name,
            )  # fmt: skip

    def _belt(self, x: Axis) -> Iterator[Band]:
        if not isinstance(self._band, str):
            at, low, high = self._series[0].drawn(self._band[0], x, *self._band[1:])
            name = f"{level(self.confidence_level)} interval at each threshold"
            yield Band(key="band", x=at, low=low, high=high, opacity=0.16, name=name)

    def _undefined(self, x: Axis, low: float, high: float) -> Iterator[Region]:
        for start, end, _ in self._series[0].gaps(x):
            yield Region.box(
                (start, end), (low, high), key="undefined", color="zone", hatch=True,
                name="undefined", opacity=0.15,
            )  # fmt: skip

    def _told(self) -> Iterator[str]:
        yield "Metrics against the threshold, above a histogram of the scores."
        x = score_axis(self.sweeps.values())
        for one in self._series:
            words = [label(one.name) or told_name(one.metric), cases_told([one.swept])]
            if one.best is not None:
                at, value = one.swept.thresholds[one.best], one.values[one.best]
                words.append(f"best cut of these cases {number(float(at))}: {number(float(value))}")
            if one.chance:
                values = [v for v in one.chance.values() if not isnan(v)] or [inf]
                ends = " to ".join(number(end(values)) for end in (min, max))
                words.append(f"{self._guess_told}, {ends}")
            words += [f"no chance level: {one.no_chance}"] if one.no_chance else []
            reasons = dict.fromkeys(reason for *_, reason in one.gaps(x))
            words += [f"undefined: {reason}" for reason in reasons]
            yield "; ".join(words) + "."
        if self._band and isinstance(self._band, str):
            yield f"No intervals: {self._band}."
        if self.rng is not None and None in self._spreads:
            yield "Best cuts of resamples need whole cases of both classes and a best cut."

    def _rows(self) -> list[dict[str, Any]]:
        arrays = () if isinstance(self._band, str) else self._band
        band = {rule: ends for rule, *ends in zip(*(a.tolist() for a in arrays), strict=True)}
        return [
            {
                "name": one.name,
                "metric": one.metric.name,
                "threshold": float(one.swept.thresholds[rule]),
                "value": float(one.values[rule]),
                "chance": one.chance.get(rule, np.nan),
                "low": band.get(rule, (np.nan, np.nan))[0],
                "high": band.get(rule, (np.nan, np.nan))[1],
                "best": rule == one.best,
            }
            for one in self._series
            for rule in one.kept.tolist()
        ]

"""A classifier against the base rate: value, chance and skill, or where its best cut is."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from baserate._checks import one_of
from baserate._figures import label, level, sentence_case, short, spoken
from baserate.counts import ConfusionMatrix
from baserate.curves import Population
from baserate.curves.cut_points import Sweep
from baserate.displays.contract import are_shares, cases_told
from baserate.displays.display import PopulationDisplay, TableDisplay
from baserate.displays.picture import (
    Axis,
    Band,
    Line,
    Mark,
    Picture,
    Points,
    Rule,
    flat,
    series_color,
    series_style,
)
from baserate.inference import interval
from baserate.metrics import Metric, binary_metric
from baserate.tuning import base_rate_curves
from baserate.tuning.across_base_rates import BaseRateCurves, Crossing
from baserate.tuning.base_rate_series import BaseRateCurve

Source = ConfusionMatrix | Sweep | Population
Show = Literal["value", "skill", "all", "cut", "rates"]
Scale = Literal["ratio", "odds", "probability"]

MOST_NAMED = 3  # metrics that a title names
_AT = 33  # base rates at which intervals are computed
_WIDE = 200.0  # base rates that span so much are drawn on a logarithmic scale
_RARE = 0.001  # share of a class from which on the axis shows odds
_LEVEL = 1e-12  # skill that is only rounding
_CUTS = {
    "ratio": "Density ratio of the best cut",
    "odds": "Odds of being positive at the best cut",
    "probability": "Probability of being positive at the best cut",
}
_ASKED = {"ratio": "a density ratio of", "odds": "odds of", "probability": "a probability of",
          "recall": "a recall of"}  # fmt: skip


class BaseRateDisplay(TableDisplay, PopulationDisplay):
    """Metrics against the base rate, with what guessing scores, skill, and where curves cross.

    A table keeps its recall and specificity at every base rate; scores and populations are cut
    where the metric is best. See `baserate.tuning.base_rate_curves`, which computes what is drawn.

    Solid: the metric's value, or with ``show="skill"`` its skill; dashed grey: chance. With
    ``show="all"`` the thin line is the value and the thick one the skill. Points mark crossings,
    hollow ones those of values. The band is the interval of the metric at each base rate, of one
    table. A vertical line marks the base rate of the test.

    Parameters
    ----------
    tables : ConfusionMatrix, Sweep or Population, or mapping of name to such
        A table of shares, such as `ConfusionMatrix.from_rates` makes, has no cases and no band.
    metric : str, Metric, or sequence of these
        ``metric.at_base_rate(0.5)`` is the balanced metric.
    show : {"value", "skill", "all", "cut", "rates"}
        Value and chance; skill; all three; the best cut; recall and specificity of the best cut
        (the latter two not for tables alone).
    scale : {"ratio", "odds", "probability"}
        Of the best cut: the density ratio δ* = f₁/f₀, the odds π δ*/(1 - π), or the probability.
    base_rates : array, optional
        Rising, in (0, 1); on a logarithmic scale if they are small and span much, on that of
        log-odds if they come within 1/1000 of 0 or 1.
    guess, n
        As in `baserate.tuning.base_rate_curves`.
    band : bool, optional
        Default: for one metric of one table, if its value is drawn.
    confidence_level : float

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, figures 1 to 4. Holzmann and Klar (2024),
    arXiv:2404.07661, figures 1 to 4, 8 and 9.

    Examples
    --------
    Recall 0.6 and specificity 0.8: F1 of both classes meets at a base rate of 4/7, skill at 3/4.

    >>> import baserate as br
    >>> table = br.ConfusionMatrix(tp=60, fn=40, fp=20, tn=80)
    >>> display = br.displays.BaseRateDisplay(table, metric=["f1", "negative_f1"], guess="uniform",
    ...                                       show="all")
    >>> [round(float(points.x[0]), 4) for points in display.picture.of("crossing")]
    [0.5714, 0.75]
    """

    kinds: ClassVar[tuple[type, ...]] = (ConfusionMatrix, Sweep, Population)

    def __init__(
        self,
        tables: Source | Mapping[str, Source],
        *,
        metric: str | Metric | Sequence[str | Metric] = "matthews_correlation",
        show: Show = "value",
        scale: Scale = "ratio",
        base_rates: Any = None,
        guess: str | float = "dutch_draw",
        n: int | None = None,
        band: bool | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)  # pyright: ignore[reportArgumentType]
        self.metrics = [
            binary_metric(m) for m in ([metric] if isinstance(metric, str | Metric) else metric)
        ]
        self.show = one_of("show", show, Show)
        self.scale = one_of("scale", scale, Scale)
        self.base_rates = base_rates
        self.guess = guess
        self.n = n
        self.band = band

    @cached_property
    def found(self) -> BaseRateCurves:
        """What is drawn."""
        return base_rate_curves(
            self.metrics,
            self.tables,
            base_rates=self.base_rates,
            guess=self.guess,
            n=self.n,
            crossings=self.show not in {"cut", "rates"},
        )

    def _drawn(self) -> Picture:
        drawn = [mark for k, one in enumerate(self.found) for mark in self._curve(k, one)]
        marks = flat([*self._bands(), *self._tested(), *self._chances(), *drawn, *self._meetings()])
        return Picture(
            title=self._title(),
            description=f"{self._title()}. {self._told()}".strip(),
            x=self._across(),
            y=self._up(marks),
            marks=marks,
        )

    def _what(self) -> str:
        names = list(dict.fromkeys(_spoken(m.name) for m in self.metrics))
        told = " and ".join(", ".join(names).rsplit(", ", maxsplit=1))
        if len(names) > MOST_NAMED:
            told = f"{len(names)} metrics"
        if self.show == "cut":
            return f"best cut by {told}"
        if self.show == "rates":
            return f"recall and specificity at the best cut by {told}"
        return {"value": "", "skill": "skill in ", "all": "value and skill in "}[self.show] + told

    def _title(self) -> str:
        tested = self._cases()
        of = cases_told(tested) if tested else ""
        if all(isinstance(one, ConfusionMatrix) for one in self.tables.values()):
            given = f", if recall and specificity stay as {f'in {of}' if of else 'they are'}"
        else:
            given = "" if self.show in {"cut", "rates"} else ", cut where it is best"
            given += (" in " if len(tested) == len(self.tables) else ": tested on ") * bool(of) + of
        return f"{sentence_case(self._finding())}{given}"

    def _finding(self) -> str:
        """Return what the curves show: how strict cuts are, what beats guessing, who is above."""
        curves = self.found.curves
        if self.show in {"cut", "rates"}:
            return self._best_cuts(curves)
        found = {1: self._against_guessing, 2: self._against_each_other}.get(len(curves))
        return (found and found(*curves)) or f"{self._what()} against the base rate"

    def _best_cuts(self, curves: Sequence[BaseRateCurve]) -> str:
        """Return the least and the greatest best cut at the lowest base rate that has any."""
        field = "recall" if self.show == "rates" else self.scale
        heights = np.array([getattr(one, field) for one in curves])
        known = np.isfinite(heights).all(axis=0)
        if not known.any():
            return self._what()
        at, several = int(known.argmax()), len(self.metrics) > 1
        told = [
            f"{short(heights[k, at])} {'by' if several else 'for'} {self._name(curves[k])}"
            for k in map(int, (heights[:, at].argmin(), heights[:, at].argmax()))
        ]
        told = " to ".join(told) if curves[1:] else short(heights[0, at])
        by = "" if several else f" by {_spoken(curves[0].metric)}"
        rate = short(float(curves[0].base_rates[at]))
        return f"at base rate {rate} the best cut{by} has {_ASKED[field]} {told}"

    def _against_guessing(self, one: BaseRateCurve) -> str:
        rates = one.base_rates[np.isfinite(one.skill)]
        better = np.flatnonzero(one.skill[np.isfinite(one.skill)] > _LEVEL)
        where = "every base rate" if better.size else "no base rate"
        if 0 < better.size < rates.size:
            some = "some " if (np.diff(better) > 1).any() else ""
            ends = (short(float(rates[better[k]])) for k in (0, -1))
            where = f"{some}base rates of {' to '.join(ends)}"
        name = " of ".join(filter(None, (_spoken(one.metric), label(one.classifier))))
        chosen = isinstance(next(iter(self.tables.values())), Sweep)  # cuts flatter their own cases
        return f"{name} is better than guessing at {where}" if rates.size and not chosen else ""

    def _against_each_other(self, a: BaseRateCurve, b: BaseRateCurve) -> str:
        """Return where two curves meet, or which lies above everywhere."""
        met = {k: [short(c.base_rate) for c in self._crossings() if c.of == k]
               for k in ("value", "skill")}  # fmt: skip
        told = [f"in {k} at base rate {' and '.join(at)}" for k, at in met.items() if at]
        of = f"{_spoken(a.metric)} of " if a.metric == b.metric else ""
        names = [label(one.classifier) if of else self._name(one) for one in (a, b)]
        if told:
            return f"{of}{' and '.join(names)} {'is' if of else 'are'} equal {', '.join(told)}"
        kind = "skill" if self.show == "skill" else "value"
        gaps = getattr(a, kind) - getattr(b, kind)
        if not ((gaps > 0).all() or (gaps < 0).all()):
            return ""
        upper, lower = names if gaps[0] > 0 else names[::-1]
        return (
            f"{of}{upper} is above {'that of ' if of else ''}{lower} in {kind} at every base rate"
        )

    def _cases(self) -> list[Any]:
        kinds = (ConfusionMatrix, Sweep)
        found = (one for one in self.tables.values() if isinstance(one, kinds))
        return [one for one in found if not are_shares(one)]

    def _told(self) -> str:
        met = [
            f"{_spoken(c.first)} and {_spoken(c.second)} meet at {short(c.base_rate)}"
            for c in self._crossings()
        ]
        if self.show in {"cut", "rates"}:
            met += [
                f"the best cut by {_spoken(one.metric)} jumps at {short(jump.base_rate)}"
                for one in self.found
                for jump in one.jumps
            ]
        return "; ".join(met) + "." if met else ""

    def _across(self) -> Axis:
        rates = self.found.curves[0].base_rates
        if rates[-1] <= 0.5 and rates[-1] / rates[0] >= _WIDE:
            return Axis(label="Base rate", low=rates[0], high=rates[-1], scale="log")
        if min(rates[0], 1 - rates[-1]) <= _RARE and rates.size > 1:
            return Axis(label="Base rate", low=rates[0], high=rates[-1], scale="logit")
        whole = rates[-1] - rates[0] > 0.5
        return Axis(label="Base rate", low=0 if whole else rates[0], high=1 if whole else rates[-1])

    def _up(self, marks: Sequence[Mark]) -> Axis:
        parts = [getattr(m, side) for m in marks for side in ("y", "low", "high")
                 if hasattr(m, side) and m.key != "crossing"]  # fmt: skip
        heights = np.concatenate([np.atleast_1d(np.asarray(part, dtype=float)) for part in parts])
        heights = heights[np.isfinite(heights)]
        if self.show == "cut" and self.scale != "probability":
            positive = heights[heights > 0]
            low, high = (positive.min(), positive.max()) if positive.size else (0.1, 10.0)
            return Axis(label=_CUTS[self.scale], low=low / 1.2, high=high * 1.2, scale="log")
        low, high = (heights.min(), heights.max()) if heights.size else (0.0, 1.0)
        low, high = min(0.0, max(low, -1.0)), max(high, 1.0)
        return Axis(label=self._label(), low=low, high=high)

    def _label(self) -> str:
        if self.show == "cut":
            return _CUTS[self.scale]
        labels = {"value": "Value", "skill": "Skill", "all": "Value, skill", "rates": "Rate"}
        return labels[self.show]

    def _name(self, one: BaseRateCurve, part: str = "") -> str:
        """Return an entry of the legend: what tells the curves apart."""
        names = (
            _spoken(one.metric) if len(self.metrics) > 1 or not one.classifier else "",
            label(one.classifier),
            part,
        )
        return ", ".join(filter(None, names))

    def _curve(self, k: int, one: BaseRateCurve) -> Iterator[Mark]:
        how: dict[str, Any] = {"x": one.base_rates, "color": series_color(k)}
        style = series_style(k)
        if self.show == "cut":
            height = getattr(one, self.scale)
            yield Line(key="curve", y=height, name=self._name(one), style=style, **how)
        elif self.show == "rates":
            yield Line(key="curve", y=one.recall, name=self._name(one, "recall"), **how)
            name = self._name(one, "specificity")
            yield Line(key="specificity", y=one.specificity, name=name, style="dotted", **how)
        else:
            yield from self._heights(one, how | {"style": style})

    def _heights(self, one: BaseRateCurve, how: dict[str, Any]) -> Iterator[Mark]:
        """Yield values and skills; of both, the values are thin and the skills thick."""
        both = self.show == "all"
        if self.show != "skill":
            width = 1.2 if both else 2.0
            yield Line(key="curve", y=one.value, name=self._name(one), width=width, **how)
        if self.show != "value":
            key, width = ("skill", 2.8) if both else ("curve", 2.0)
            yield Line(key=key, y=one.skill, name=self._name(one, "skill"), width=width, **how)

    def _chances(self) -> Iterator[Mark]:
        """Yield one line of chance for every metric: it is that of all classifiers."""
        if self.show in {"cut", "rates"}:
            return
        if self.show == "skill":
            yield Rule(key="chance", at=0.0, of="y", name="chance")
            return
        seen: set[str] = set()
        for one in self.found:
            if one.metric in seen:
                continue
            seen.add(one.metric)
            several = len(self.metrics) > 1
            name = f"chance of {_spoken(one.metric)}" if several else "chance"
            yield Line(key="chance", x=one.base_rates, y=one.chance, color="grey", name=name,
                       style="dashed" if len(seen) == 1 else "dotted", width=1.25)  # fmt: skip

    def _bands(self) -> Iterator[Mark]:
        one = next(iter(self.tables.values()))
        alone = len(self.found.curves) == 1 and isinstance(one, ConfusionMatrix)
        usual = alone and self.show in {"value", "all"} and not are_shares(one)
        wanted = usual if self.band is None else self.band
        if not (wanted and alone):
            return
        rates = self.found.curves[0].base_rates
        at = rates[np.unique(np.linspace(0, rates.size - 1, min(_AT, rates.size)).astype(int))]
        metric = self.metrics[0]
        found = [
            interval(metric.at_base_rate(float(pi)), one, confidence_level=self.confidence_level)
            for pi in at
        ]
        name = f"{level(self.confidence_level)} interval"
        low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
        yield Band(key="band", x=at, low=low, high=high, name=name)

    def _tested(self) -> Iterator[Mark]:
        rates = {float(one.n_positive / (one.n_positive + one.n_negative)) for one in self._cases()}
        if len(rates) == 1:
            at = rates.pop()
            yield Rule(key="tested", at=at, of="x", style="dashdot", name="base rate tested")

    def _crossings(self) -> list[Crossing]:
        shown = {"value": {"value"}, "skill": {"skill"}, "all": {"value", "skill"}}
        return [c for c in self.found.crossings if c.of in shown.get(self.show, set())]

    def _meetings(self) -> Iterator[Mark]:
        for one in self._crossings():
            hollow = one.of == "value"
            yield Points(
                key="crossing", x=[one.base_rate], y=[one.height], hollow=hollow, color="ink",
                size=5.0 if hollow else 6.5,
                name="values cross" if hollow else "skills cross",
            )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        return self.found.rows()


def _spoken(name: str) -> str:
    """Return a metric's name for people; the balanced metrics are called so."""
    plain = name.replace(".at_base_rate(0.5)", "")
    return f"{'balanced ' if plain != name else ''}{spoken(plain)}"

"""How far scores of small groups stray by luck: quantiles against the number of cases."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan, log, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._checks import yes_or_no
from baserate._figures import count, label, level, sentence_case, short, spoken
from baserate.counts import ConfusionMatrix, single_table
from baserate.displays.contract import cases_told
from baserate.displays.display import ONE, TableDisplay
from baserate.displays.forest_plot import SHADES, axis_of
from baserate.displays.forest_rows import Compared
from baserate.displays.picture import Axis, Band, Line, Mark, Picture, Points, Region, Rule, Text
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.facts.audit import shade_of
from baserate.metrics import Metric, binary_metric
from baserate.questions.quantiles import MetricQuantiles, metric_quantiles

SIZES = 25
TOLD = 10  # cases in a sample that a title speaks of, at least
OWN = 25  # up to so many groups, quantiles are computed at the size of each
LARGEST = 300  # cases, up to which laws of four free cells are quick
QUICK = 20_000  # those that two sums of cells decide
LETTER = 0.016  # width of a letter, and
LINE = 0.05  # height of a line, as shares of a usual picture
RARE = 0.05  # sizes at which the metric is undefined more often are hatched
NAMED = 12  # groups that get a name in the picture
ALPHA = 0.05  # chance that any group is said to differ by luck alone
LONGEST = 24  # letters of such a name


class FanGroup(NamedTuple):
    """A group: its cases, its value, the fan's ends at its size, and whether it lies outside.

    `shade` is "worse", "better" or "apart" where it differs by more than luck, else "".
    """

    name: str
    n: float
    value: float
    low: float
    high: float
    outside: bool
    shade: str = ""


def _side(group: FanGroup) -> str:
    """Return on which side of the fan a group lies that is outside."""
    return "lower" if group.value < group.low else "higher"


class SmallSampleDisplay(TableDisplay):
    """Quantiles of a metric in random groups of a reference, against their size, and real groups.

    A group of n cases like the reference has a table from Multinomial(n, q), with q the reference's
    four shares, or without replacement from MultivariateHypergeometric(n, reference): what smaller
    samples of that group would have shown. The metric inherits its law, given that it is defined.
    Drawn are its median, the half of all groups around it, and the share `confidence_level` of
    them, exact at about 25 sizes and at those of the groups (of up to 25 groups) and straight in
    between. Groups outside the fan
    are no finding: by luck alone a share 1 - `confidence_level` of groups that are like
    the reference lies there. Named and coloured are those outside that differ by more than luck, by
    the test of an audit of this metric (level 5% over all groups, Holm); sizes at which more than
    5% of groups have no value are hatched.

    Parameters
    ----------
    tables : mapping of group to ConfusionMatrix, or one ConfusionMatrix
    metric : Metric or str
    reference : "overall", the name of a group, ConfusionMatrix, or (tp, fn, fp, tn)
        "overall" is the sum of all tables.
    sizes : sequence of int, optional
        Where quantiles are computed. Default: from half the smallest group to the largest one; at
        most up to 20,000 cases, and up to 300 for metrics that need all four cells, such as
        Matthews correlation, whose laws take seconds beyond. The title says so.
    confidence_level : float
        Share of groups in the wider band.
    replace : bool
        False draws the n cases of the reference's own counted cases, at most all of them.

    Attributes
    ----------
    fan : MetricQuantiles
    groups : tuple of FanGroup

    Raises
    ------
    UnsupportedError
        Weighted groups, whose number of cases is not known, or sizes beyond 20 million tables.
    InvalidArgumentError
        An unknown reference, an empty one, or no group with cases.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in small data,
    AISTATS, figures 1 to 4. Spiegelhalter (2005), Funnel plots for comparing institutional
    performance, Statistics in Medicine 24:1185, doi:10.1002/sim.1970.

    Examples
    --------
    Where the reference is right in three cases of four, nine groups of 100 in ten have an accuracy
    of at most 0.80 (the worked example of Briscoe et al.):

    >>> import baserate as br
    >>> group = br.ConfusionMatrix(tp=50, fn=15, fp=10, tn=25)
    >>> display = br.displays.SmallSampleDisplay(group, metric="accuracy", sizes=[20, 100],
    ...                                          confidence_level=0.8)
    >>> display.fan.quantiles[-1].tolist()
    [0.85, 0.8]
    """

    def __init__(
        self,
        tables: ConfusionMatrix | Mapping[str, ConfusionMatrix],
        *,
        metric: str | Metric = "recall",
        reference: Any = "overall",
        sizes: Sequence[int] | None = None,
        confidence_level: float = 0.95,
        replace: bool = True,
    ) -> None:
        super().__init__(tables, confidence_level=confidence_level)
        self.replace = yes_or_no("replace", replace)
        for name, table in self.tables.items():
            if single_table(f"tables[{name!r}]", table).is_weighted:
                raise UnsupportedError(
                    "The fan is that of counted cases, and these counts are weights: pass the "
                    "unweighted tables."
                )
        self.metric = binary_metric(metric)
        self.reference = reference
        if not any(table.n for table in self.tables.values()):
            rule, remedy = "must hold a group with cases", "pass counts"
            raise InvalidArgumentError.from_rule("tables", rule, "none", remedy)
        if isinstance(reference, str) and reference not in {"overall", *self.tables}:
            known = ", ".join(map(label, list(self.tables)[:8]))
            rule, remedy = f"must be overall, a table, or a group: {known}", "name one of these"
            raise InvalidArgumentError.from_rule("reference", rule, reference, remedy)
        self.sizes = self._usual if sizes is None else sizes

    @property
    def _usual(self) -> list[int]:
        """The sizes at which quantiles are computed."""
        sizes = sorted({int(table.n) for table in self.tables.values() if table.n})
        quick = self.metric.lumps is not None or self.metric.proportion is not None
        most = sizes[-1] if self.replace else getattr(self._shares, "n", sizes[-1])
        top = min(sizes[-1], int(most), QUICK if quick else LARGEST)
        low = max(1, min(sizes[0] // 2, top // 2)) if self.replace else 1
        grid = np.unique(np.round(np.geomspace(low, max(top, low + 1), SIZES)).astype(int))
        own = [n for n in sizes if n <= top] if len(sizes) <= OWN else []
        return sorted({*grid.tolist(), *own})

    @property
    def _shares(self) -> Any:
        """The reference itself."""
        if isinstance(self.reference, str):
            named = self.reference in self.tables and self.reference != "overall"
            return self.tables[self.reference] if named else sum(self.tables.values())
        return self.reference

    @cached_property
    def fan(self) -> MetricQuantiles:
        """Quantiles at every size."""
        tail = (1 - self.confidence_level) / 2
        levels = (tail, 0.25, 0.5, 0.75, 1 - tail)
        shares, sizes = self._shares, self.sizes
        return metric_quantiles(self.metric, shares, sizes, levels, replace=self.replace)

    @cached_property
    def groups(self) -> tuple[FanGroup, ...]:
        """The groups, and whether they lie outside the fan as it is drawn."""
        tables = {
            name: table
            for name, table in self.tables.items()
            if table.n and name not in {self.reference, ONE}
        }
        ways = self._ways(tables)
        found = (self._group(name, table) for name, table in tables.items())
        return tuple(
            group._replace(shade=shade_of(ways[group.name], self.metric.direction))
            if group.outside and ways.get(group.name) == _side(group)
            else group
            for group in found
        )

    def _ways(self, tables: Mapping[str, ConfusionMatrix]) -> dict[str, str]:
        """Return the groups that differ by more than luck, and whether they are lower or higher."""
        if not tables or (isinstance(self.reference, str) and len(self.tables) < 2):
            return {}
        compared = Compared.of(
            self.tables, self.reference, metric=self.metric, strength=None, unseen=False, gap=0.0,
            alpha=ALPHA, condition="auto", level=self.confidence_level,
        )  # fmt: skip
        return compared.differing()

    def _group(self, name: str, table: ConfusionMatrix) -> FanGroup:
        value, fan = float(self.metric(table)), self.fan
        at = np.log(fan.sizes.astype(float))
        low, high = (
            float(np.interp(log(table.n), at, fan.quantiles[k], left=nan, right=nan))
            for k in (0, -1)
        )
        slack = 1e-9 * max(abs(low), abs(high), 1e-300)
        return FanGroup(
            name, table.n, value, low, high, value < low - slack or value > high + slack
        )

    def _drawn(self) -> Picture:
        fan, name = self.fan, spoken(self.metric.name)
        sizes = [*fan.sizes.tolist(), *(group.n for group in self.groups)]
        x = Axis(
            label=f"Cases in the {self._many[:-1]}",
            low=min(sizes) / 1.1,
            high=max(sizes) * 1.1,
            scale="log",
        )
        values = [*np.ravel(fan.quantiles[[0, -1]]).tolist(), fan.value]
        known = [*values, *(group.value for group in self.groups)]
        y = axis_of(sentence_case(name), known, self.metric.bounds)
        marks = (*self._hatch(x, y), *self._bands(), *self._points(y), *self._names(x, y))
        return Picture(
            title=self._told(), description=self._described(), x=x, y=y, marks=tuple(marks)
        )

    def _hatch(self, x: Axis, y: Axis) -> Iterator[Mark]:
        rare = 1 - self.fan.probability_defined > RARE
        if rare.any():
            last = int(np.flatnonzero(rare)[-1])
            end = x.high if last + 1 == len(rare) else float(self.fan.sizes[last])
            yield Region.box(
                (x.low, max(end, x.low * 1.05)), (y.low, y.high), key="undefined", color="grey",
                opacity=0.0, hatch=True, name=f"undefined in over 5% of {self._many}",
            )  # fmt: skip

    def _bands(self) -> Iterator[Mark]:
        fan, inner = self.fan, self.fan.quantiles
        sizes = fan.sizes.astype(float)
        ends = {"key": "band", "color": "C0", "x": sizes}
        yield Band(
            **ends,
            low=inner[0],
            high=inner[-1],
            opacity=0.15,
            name=f"{self._level} of {self._many}",
        )
        yield Band(**ends, low=inner[1], high=inner[3], opacity=0.25, name=f"half of {self._many}")
        yield Line(key="median", x=sizes, y=inner[2], color="C0", name="median")
        if not isnan(fan.value):
            yield Rule(key="chance", at=fan.value, of="y", name=self._called)

    def _points(self, y: Axis) -> Iterator[Mark]:
        known = [group for group in self.groups if not isnan(group.value)]
        for shade, (color, shape, said) in SHADES.items():
            some = [group for group in known if group.shade == shade]
            if some:
                yield Points(
                    key="differs" if shade else "curve",
                    x=[float(group.n) for group in some],
                    y=[group.value for group in some],
                    color=color if shade else "ink",
                    shape=shape,
                    name=f"{said} {self._called}" if shade else "groups",
                )
        missing = [float(group.n) for group in self.groups if isnan(group.value)]
        if missing:
            bottom = y.low + 0.03 * (y.high - y.low)
            yield Points(
                key="no_value", x=missing, y=[bottom] * len(missing), shape="triangle",
                hollow=True, color="grey", name="groups without a value",
            )  # fmt: skip

    def _names(self, x: Axis, y: Axis) -> Iterator[Mark]:
        """Yield the names of the groups that differ most, where there is room for them."""
        outside = [group for group in self.groups if group.shade]
        far = sorted(outside, key=lambda g: -max(g.low - g.value, g.value - g.high))
        taken: list[tuple[float, float, float]] = []
        for group in far[:NAMED]:
            text, at, up = (
                label(group.name, LONGEST),
                float(x.place(group.n)),
                float(y.place(group.value)),
            )
            wide = LETTER * len(text)
            for begin in (at, at - wide) if at < 0.6 else (at - wide, at):
                free = not any(
                    abs(up - v) < LINE and begin < e and b < begin + wide for v, b, e in taken
                )
                if free and begin >= 0 and begin + wide <= 1:
                    taken.append((up, begin, begin + wide))
                    yield self._written(text, group, x, left=begin < at)
                    break

    def _written(self, text: str, group: FanGroup, x: Axis, *, left: bool) -> Text:
        aside = (x.high / x.low) ** (-0.015 if left else 0.015)
        return Text(
            key="name", x=group.n * aside, y=group.value, text=text, color="ink",
            anchor="end" if left else "start",
        )  # fmt: skip

    @property
    def _level(self) -> str:
        return level(self.confidence_level)

    @property
    def _many(self) -> str:
        """What luck draws: where there are no groups, samples."""
        return "groups" if self.groups else "samples"

    @property
    def _called(self) -> str:
        if not isinstance(self.reference, str):
            return "reference"
        return "all cases" if self.reference == "overall" else label(self.reference, LONGEST)

    def _told(self) -> str:
        """Return the title: how many groups lie outside, of how many cases."""
        name, groups = spoken(self.metric.name), self.groups
        judged = [group for group in groups if not isnan(group.value + group.low)]
        outside = sum(group.outside for group in judged)
        differing = sum(bool(group.shade) for group in groups)
        beyond = sum(group.n > self.fan.sizes[-1] for group in groups)
        more = f"; fan up to {count(int(self.fan.sizes[-1]))} cases" if beyond else ""
        cases = f"({cases_told([sum(self.tables.values())])}{more})"
        if not judged:
            how = "like" if self.replace else "drawn without replacement of"
            k = min(int(np.searchsorted(self.fan.sizes, TOLD)), len(self.fan.sizes) - 1)
            low, high, value = *self.fan.quantiles[[0, -1], k].tolist(), self.fan.value
            if isnan(low + value):
                return f"How {name} scatters by luck in {self._many} {how} {self._called} {cases}"
            drawn = "" if self.replace else " drawn without replacement"
            among = f"{self._level} of {self._many} of {count(int(self.fan.sizes[k]))}{drawn}"
            scatter = f"is {short(low)} to {short(high)} by luck, {short(value)} in {self._called}"
            return f"In {among} {name} {scatter} {cases}"
        groups_told = "1 group" if len(groups) == 1 else f"{count(len(groups))} groups"
        found = f"no difference beyond luck seen in {groups_told}"
        if differing:
            verb = "differs" if differing == 1 else "differ"
            found = f"{count(differing)} of {groups_told} {verb} by more than luck"
        return (
            f"{sentence_case(name)}: {found}, {outside or 'none'} outside the {self._level} "
            f"fan of {self._called} {cases}"
        )

    def _described(self) -> str:
        named = "; ".join(
            f"{label(g.name, LONGEST)} {g.value:.3g} of {count(g.n)}" for g in self.groups[:NAMED]
        )
        head = f"Quantiles of {spoken(self.metric.name)} against {self._many[:-1]} size."
        return f"{head} {self._told()}. {named}"

    def _rows(self) -> list[dict[str, Any]]:
        names = ("low", "lower_quartile", "median", "upper_quartile", "high")
        fan = self.fan
        rows: list[dict[str, Any]] = [
            {"name": "", "n": n, "value": nan, **dict(zip(names, column, strict=True)),
             "probability_defined": p, "outside": False, "shade": ""}
            for n, column, p in zip(
                fan.sizes.tolist(), fan.quantiles.T.tolist(), fan.probability_defined.tolist(),
                strict=True,
            )
        ]  # fmt: skip
        for g in self.groups:
            ends = dict(zip(names, (g.low, nan, nan, nan, g.high), strict=True))
            row = {"name": g.name, "n": int(g.n), "value": g.value, **ends}
            rows.append({**row, "probability_defined": nan, "outside": g.outside, "shade": g.shade})
        return rows

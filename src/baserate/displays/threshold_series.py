"""A metric at every cut of a score: its best one, chance, and the cuts that can be seen."""

from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._figures import spoken
from baserate.baselines import skill
from baserate.baselines.chance_curve import chance_by_alarms
from baserate.baselines.guessing import SAME_ALARMS
from baserate.baselines.totals import needs_fixed_weights
from baserate.curves.cut_points import Sweep
from baserate.displays.picture import Axis, Floats
from baserate.displays.score_axes import score_ends
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.tuning.targets import check_target, maximisers, oriented

Rules = NDArray[np.intp]

COLUMNS = 250  # of the scores' range; each shows what is highest and lowest in it


class MetricSeries(NamedTuple):
    """A metric at every rule of a sweep: its values, rules that are drawn, the best, chance."""

    name: str
    metric: Metric
    swept: Sweep
    values: Floats
    kept: Rules
    best: int | None
    chance: dict[int, float]
    no_chance: str | None

    def steps(self, x: Axis) -> tuple[Floats, Floats]:
        """Return a line through the steps: each value from its threshold down to the next score."""
        at, y = self.drawn(self.kept, x, self.values[self.kept])
        return at, y

    def drawn(self, rules: Rules, x: Axis, *values: Floats) -> tuple[Floats, ...]:
        """Return places and values at some rules: steps if these are all that is drawn."""
        at = places(self.swept.thresholds[rules], x)
        if len(rules) < len(self.kept):
            return at, *values
        highest, then = self.swept.highest, at[1:]
        if highest is not None:  # within a bin, a straight line between what is known at its ends
            then = places(highest[rules[1:]], x)
        ends = np.column_stack((at, np.append(then, x.low))).ravel()
        return ends, *(np.repeat(each, 2) for each in values)

    def gaps(self, x: Axis) -> Iterator[tuple[float, float, str]]:
        """Yield from where to where the metric is undefined, and why."""
        at = np.append(places(self.swept.thresholds[self.kept], x), x.low)
        missing = np.isnan(self.values[self.kept])
        edges = np.flatnonzero(np.diff(missing, prepend=False, append=False))
        for first, end in pairwise(edges.tolist()):
            if missing[first]:
                table = self.swept.tables[int(self.kept[first])]
                yield float(at[end]), float(at[first]), self.metric.undefined_reason(table) or ""


def values_of(metric: Metric, swept: Sweep) -> Floats:
    """Return the metric at every rule."""
    return np.asarray(metric(swept.tables), dtype=float)


def best_rule(metric: Metric, values: Floats) -> int | None:
    """Return the best rule, that of the fewest alarms if several are; None if there is none."""
    try:
        check_target(metric, constrained=False)
    except InvalidArgumentError:
        return None
    best = maximisers(oriented(metric, values))
    return int(best[0]) if best.size else None


def visible(swept: Sweep, values: Floats, best: int | None) -> Rules:
    """Return the rules that can be seen: ends, extremes and gaps of each of some columns."""
    size = len(values)
    if size <= COLUMNS:
        return np.arange(size)
    low, high = score_ends([swept])
    scores = np.asarray(swept.thresholds, dtype=float)
    at = np.clip(np.nan_to_num((scores - low) / (high - low), nan=1.0), 0.0, 1.0)
    column = np.floor(COLUMNS * at).astype(np.intp)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], size) - 1
    order = np.lexsort((values, -column))
    known = np.add.reduceat(~np.isnan(values), first)
    top = np.maximum(first, first + known - 1)
    undefined = np.flatnonzero(np.diff(np.isnan(values)))
    kept = (first, last, order[first], order[top], undefined, undefined + 1, [0, 1, size - 1])
    return np.unique(np.concatenate((*kept, [] if best is None else [best])).astype(np.intp))


def thinned_to(rules: Rules, values: Floats, most: int) -> Rules:
    """Return at most so many of these rules, evenly spread, both ends among them.

    Of too many, those without a value do not count, or the ends would be of no use.
    """
    if len(rules) <= most:
        return rules
    known = rules[~np.isnan(values[rules])]
    known = known if known.size else rules
    if len(known) <= most:
        return known
    return known[np.linspace(0, len(known) - 1, most).round().astype(np.intp)]


def chance_at(
    metric: Metric, swept: Sweep, guess: str | float | None, rules: Rules
) -> tuple[dict[int, float], str | None]:
    """Return what chance gives at these rules, or why that is not known."""
    if guess is None:
        return {}, None
    try:
        if swept.is_weighted:  # though their sums may happen to be whole
            needs_fixed_weights(metric)
        if guess == SAME_ALARMS:
            found = chance_by_alarms(metric, swept.tables[rules])
        else:
            found = np.full(len(rules), skill(metric, swept.tables[0], guess=guess).chance)
    except (UnsupportedError, InvalidArgumentError) as error:
        return {}, str(error)
    return dict(zip(rules.tolist(), found.tolist(), strict=True)), None


def places(thresholds: Any, x: Axis) -> Floats:
    """Return where thresholds are drawn: infinite ones, and nan above them, at the ends."""
    at = np.asarray(thresholds, dtype=float)
    return np.clip(np.where(np.isnan(at), inf, at), x.low, x.high)


def told_name(metric: Metric) -> str:
    """Return a metric's name in words."""
    name, restated, rate = metric.name.partition(".at_base_rate")
    return f"{spoken(name)} at base rate {rate.strip('()')}" if restated else spoken(name)

"""Numbers against the number of cases: tables without a value, and errors of estimates."""

from collections.abc import Iterator
from math import nan
from typing import Any

import numpy as np

from baserate._checks import can_be_looked_up, instance_of
from baserate._figures import count, label, percent, sentence_case, short, spoken
from baserate.displays.contract import Display
from baserate.displays.picture import Axis, Line, Mark, Picture, series_color, series_style
from baserate.errors import InvalidArgumentError
from baserate.groups.downsampling import Downsampled
from baserate.groups.holes import UndefinedCounts
from baserate.metrics import binary_metric

LEAST = 1e-6  # share that is still drawn
TOLD = 3  # lines whose ends the title tells
ESTIMATORS = {"raw": "as observed", "epsilon": "1e-10 in every cell", "add_one": "1 in every cell"}


class SampleSizeDisplay(Display):
    """Shares of tables without a value, or errors of estimates, against the number of cases.

    Of what `count_undefined` finds, a line for each metric: C(n + 3, 3) tables of n cases are
    counted once each, and drawn is the share that has no value, on a logarithmic scale (of pairs of
    tables, against the cases of both). Of what `groups.downsample` finds, a line for each
    estimator of one metric of one group: the root of its mean squared error. Both are enumerated.

    Parameters
    ----------
    found : UndefinedCounts or Downsampled
    metric, group : optional
        Of several that were downsampled, which is drawn. Default: the first.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in small data,
    AISTATS, table 1 and figures 3 to 7.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.count_undefined(["recall", "mcc"], range(3, 151))
    >>> display = br.displays.SampleSizeDisplay(found)
    >>> display.picture.title
    'Tables without a value, of all of 150 cases: recall 0.03%, Matthews correlation 0.1%'
    """

    def __init__(
        self, found: UndefinedCounts | Downsampled, *, metric: Any = None, group: Any = None
    ) -> None:
        remedy = "pass what count_undefined or groups.downsample returns"
        if not isinstance(found, UndefinedCounts):
            instance_of("found", found, Downsampled, remedy)
        self.found = found
        if isinstance(found, Downsampled):
            name = None if metric is None else binary_metric(metric).name
            self.metric: Any = _one("metric", name, found.metrics)
            self.group: Any = _one("group", group, found.groups)
        elif metric is not None or group is not None:
            rule, remedy = "cannot choose among counts", "leave metric and group out"
            raise InvalidArgumentError.from_rule("metric", rule, metric or group, remedy)

    def _lines(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield the name of each line, the numbers of cases, and what is drawn there."""
        found = self.found
        if isinstance(found, UndefinedCounts):
            sizes = np.array([np.sum(size) for size in found.sizes], dtype=float)
            for name, shares in zip(found.metrics, found.shares, strict=True):
                yield spoken(name), sizes, shares
            return
        g, m = found.groups.index(self.group), found.metrics.index(self.metric)
        drawn = np.isfinite(found.probability_defined[g, m]).any(axis=0)
        sizes = np.array(found.sizes, dtype=float)[drawn]
        for name, errors in zip(found.estimators, found.mse[g, m][:, drawn], strict=True):
            said = f"smoothed ({name.replace('=', ' ')})"
            yield ESTIMATORS.get(name, said), sizes, errors**0.5

    def _drawn(self) -> Picture:
        lines, holes = list(self._lines()), isinstance(self.found, UndefinedCounts)
        known = np.concatenate([y[np.isfinite(y)] for _, _, y in lines])
        low, high = (max(1.0, float(end)) for end in (lines[0][1].min(), lines[0][1].max()))
        x = Axis(label="Cases", low=low / 1.05, high=high * 1.05, scale="log")
        top = float(known.max(initial=0.0)) or 1.0
        if holes:
            seen = known[known > 0]
            low = max(LEAST, float(seen.min(initial=1.0)) / 1.5)
            y = Axis(label="Share of tables without a value", low=low, high=1, scale="log")
        else:
            name = f"Error of {spoken(self.metric)} (root mean square)"
            y = Axis(label=name, low=0, high=1.05 * top)
        return Picture(
            title=self._told(lines),
            description=f"{y.label} against the number of cases. {self._told(lines)}",
            x=x,
            y=y,
            marks=tuple(_mark(k, line, y.low if holes else None) for k, line in enumerate(lines)),
        )

    def _told(self, lines: list[tuple[str, Any, Any]]) -> str:
        """Return the title: shares at the largest size, errors at one in the middle."""
        holes, sizes = isinstance(self.found, UndefinedCounts), lines[0][1]
        at = int(sizes.argmax()) if holes else int(np.argsort(sizes)[(sizes.size - 1) // 2])
        told = lines if holes else [lines[0], *lines[len(ESTIMATORS) :]]
        cases = f"{count(float(sizes[at]))} cases"
        ends = [(name, float(y[at])) for name, _, y in told[:TOLD]]
        if holes:
            shares = ", ".join(f"{name} {percent(share)}" for name, share in ends)
            return f"Tables without a value, of all of {cases}: {shares}"
        errors = ", ".join(f"{short(error)} {name}" for name, error in ends)
        of = f" of {label(self.group)}" if str(self.group) else ""
        return f"{sentence_case(spoken(self.metric))}{of}, error of {cases} drawn: {errors}"

    def _rows(self) -> list[dict[str, Any]]:
        if isinstance(self.found, UndefinedCounts):
            return self.found.rows
        here = {"group": self.group, "metric": self.metric}
        return [row for row in self.found.rows if row | here == row]


def _mark(k: int, line: tuple[str, Any, Any], low: float | None) -> Mark:
    name, x, y = line
    shown = y if low is None else np.where(y >= low, y, nan)
    name = name if np.isfinite(shown).any() else f"{name}: none"
    return Line(key="curve", name=name, x=x, y=shown, color=series_color(k), style=series_style(k))


def _one(argument: str, asked: Any, known: tuple[Any, ...]) -> Any:
    if asked is None:
        return known[0]
    if not can_be_looked_up(asked) or asked not in known:
        rule = f"must be one of {', '.join(map(label, known))}"
        raise InvalidArgumentError.from_rule(argument, rule, asked, "name what was downsampled")
    return asked

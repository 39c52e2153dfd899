"""The axis of scores, and histograms along it."""

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import numpy as np

from baserate._figures import count
from baserate.curves.cut_points import Sweep
from baserate.curves.score_bins import score_ends as ends_of
from baserate.displays.contract import is_named, positive_name
from baserate.displays.picture import Axis, Floats, Histogram, Mark, Rule, series_color

FEWEST, MOST = 10, 60  # bins
MARGIN = 0.02  # of the scores' range, beyond either end
SMALL = 0.5  # probabilities that do not exceed this are drawn on a scale of their own
MOST_ROWS = 6  # series in a strip
ROUND = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)


def scores_of(swept: Sweep) -> Floats:
    """Return the distinct scores as floats, the highest first."""
    return np.asarray(swept.thresholds[1:], dtype=float)


def score_ends(sweeps: Any) -> tuple[float, float]:
    """Return from where to where scores are drawn: 0 to 1 or to a round number, or all of them."""
    every = [
        np.asarray(np.append(highest[:1], lowest), dtype=float)
        for lowest, highest in map(ends_of, sweeps)
    ]
    low, high = min(one[-1] for one in every), max(one[0] for one in every)
    if low >= 0 and high <= 1:
        return 0.0, rounded_up(float(high)) if 0 < high <= SMALL else 1.0
    finite = np.concatenate([one[np.isfinite(one)] for one in every])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (-1.0, 1.0)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return low, high
    reach = 0.5 * max(abs(low), abs(high)) or 1.0
    return low - reach, high + reach


def rounded_up(value: float) -> float:
    """Return the least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is no smaller."""
    rounds = (float(f"{step}e{floor(log10(value))}") for step in ROUND)
    return next(end for end in rounds if end >= value * (1 - 1e-12))


def score_axis(sweeps: Any, label: str = "Score") -> Axis:
    """Return the axis of scores, a little longer than they are, with ticks where they are."""
    low, high = score_ends(sweeps)
    beyond = MARGIN * (high - low)
    ticks = Axis(label=label, low=low, high=high).marked()
    return Axis(label=label, low=low - beyond, high=high + beyond, ticks=ticks)


def bin_edges(sweeps: Any, n_bins: int | None = None) -> Floats:
    """Return the edges of bins of the same width, as many as Rice's rule gives."""
    sweeps = list(sweeps)
    if n_bins is None:
        mean = np.mean([one.effective_n for one in sweeps])
        n_bins = int(np.clip(np.ceil(2 * mean ** (1 / 3)), FEWEST, MOST))
    return np.linspace(*score_ends(sweeps), n_bins + 1)


def binned(swept: Sweep, edges: Floats) -> tuple[Floats, Floats]:
    """Return positives and negatives in each bin; scores beyond stand in the outermost ones.

    Scores that came counted in bins of their own are spread evenly over these.
    """
    if swept.highest is not None:
        return _spread(swept, edges)
    ascending = scores_of(swept)[::-1]
    below = np.searchsorted(ascending, edges)
    below[0], below[-1] = 0, len(ascending)
    positive, negative = (
        np.maximum(-np.diff(side[len(ascending) - below].astype(float)), 0.0)
        for side in (swept.true_positives, swept.false_positives)
    )
    return positive, negative


def _spread(swept: Sweep, edges: Floats) -> tuple[Floats, Floats]:
    """Return what falls between edges if the cases of a bin lie evenly within it."""
    lowest, highest = (np.asarray(end, dtype=float)[::-1] for end in ends_of(swept))
    at = np.column_stack((lowest, highest)).ravel()
    finite = np.isfinite(at)
    found: list[Floats] = []
    for cases in swept.by_score:
        below = np.append(0, np.cumsum(cases[::-1]))
        reached = np.column_stack((below[:-1], below[1:])).ravel().astype(float)
        up_to = np.interp(edges, at[finite], reached[finite])
        up_to[0], up_to[-1] = 0, reached[-1]
        found.append(np.maximum(np.diff(up_to), 0.0))
    return found[0], found[1]


def strip(sweeps: Mapping[str, Sweep], low: float, high: float) -> list[Mark]:
    """Return histograms of scores as a strip between two heights.

    Of one series, positives upwards and negatives downwards, each class as high as there is room;
    of up to six, all cases in a row each; of more, nothing.
    """
    edges = bin_edges(sweeps.values())
    if len(sweeps) == 1:
        [swept] = sweeps.values()
        up, down = side_names(swept)
        names = up, f"{down}, each class on a scale of its own"
        sides = [0.48 * (high - low) * _to_one(side) for side in binned(swept, edges)]
        return mirrored(sides, edges, (low + high) / 2, names)
    rows = len(sweeps) if len(sweeps) <= MOST_ROWS else 0
    tall = (high - low) / max(rows, 1)
    return [
        Histogram(
            key="strip", edges=edges, base=high - (row + 1) * tall, color=series_color(row),
            heights=0.85 * tall * _to_one(sum(binned(one, edges))),
        )
        for row, one in enumerate(list(sweeps.values())[:rows])
    ]  # fmt: skip


def mirrored(
    sides: Sequence[Floats], edges: Floats, base: float, names: Sequence[str]
) -> list[Mark]:
    """Return bars of positives upwards, and of negatives downwards."""
    keys, signs, colors = ("positives", "negatives"), (1, -1), ("positive", "negative")
    return [
        Histogram(key=key, edges=edges, heights=sign * side, base=base, color=color, name=name)
        for key, sign, color, side, name in zip(keys, signs, colors, sides, names, strict=True)
    ]


def _to_one(heights: Any) -> Floats:
    heights = np.asarray(heights, dtype=float)
    return heights / (heights.max() or 1.0)


def side_names(swept: Sweep) -> tuple[str, str]:
    """Return what the legend calls the two classes, with which side they are on."""
    others = "the others" if is_named(swept) else "negative"
    return f"{positive_name(swept)} (up)", f"{others} (down)"


def cut_rules(threshold: float | None, sweeps: Mapping[str, Sweep]) -> list[Rule]:
    """Return the rule at a cut in use; of one sweep with what it finds and flags wrongly."""
    if threshold is None:
        return []
    name = f"cut at {threshold:.4g}"
    if len(sweeps) == 1:
        [swept] = sweeps.values()
        table = swept.tables[int(swept.rules_at(threshold))]
        name += (
            f": finds {count(table.tp)} of {count(table.n_positive)} positives, "
            f"flags {count(table.fp)} of {count(table.n_negative)} negatives"
        )
    return [Rule(key="threshold", at=threshold, of="x", color="ink", style="solid", name=name)]

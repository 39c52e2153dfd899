"""Counts for the explorer: as many cuts of a curve as a page holds, and what is drawn of them."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.curves.binning import calibration_bins
from baserate.curves.cut_points import Sweep
from baserate.curves.dominance import upper_hull

BARS = 20  # of the distribution of scores
EXACT = 2.0**53
DECIMALS = 22  # powers of ten up to here are exact, and so is a number divided by them, once


def curve_record(sweep: Sweep, most: int, *, keep: Iterable[float | None] = ()) -> dict[str, Any]:
    """Return all that a page holds of one curve, as JSON values."""
    kept, corners = cuts_shown(sweep, most, keep=keep)
    return {
        "corners": corners,
        **_counts(sweep, kept),
        "histogram": _histogram(sweep),
        "calibration": _calibration(sweep),
    }


class Shown(NamedTuple):
    """The rules of a sweep that a page holds, and whether its hull is among them."""

    kept: NDArray[np.intp]
    corners: bool


def cuts_shown(sweep: Sweep, most: int, *, keep: Iterable[float | None] = ()) -> Shown:
    """Return which rules of a sweep a page holds, as indices: all of them if they are few.

    Else both ends, those asked for, and the vertices of the convex hull of the ROC curve, among
    which lie the best cuts of every metric shown, whatever the base rate and the costs; the rest
    follow one another at even distances along the ROC curve.
    """
    size = len(sweep.thresholds)
    if size <= most:
        return Shown(np.arange(size), corners=True)
    fp, tp = (np.asarray(side, float) for side in (sweep.false_positives, sweep.true_positives))
    asked = [t for t in keep if t is not None]
    rules = np.asarray(sweep.rules_at(asked) if asked else [], dtype=np.intp)
    kept = np.unique(np.concatenate(([0, size - 1], rules, upper_hull(fp, tp))))
    if len(kept) > most:  # more vertices than places: evenly among them
        even = np.linspace(0, len(kept) - 1, most - len(rules)).astype(np.intp)
        return Shown(np.union1d(kept[even], rules), corners=False)
    return Shown(_filled(kept, _lengths(fp) + _lengths(tp), most), corners=True)


def _filled(kept: NDArray[np.intp], along: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Add cuts at even distances along the curve until there are as many as may be."""
    wanted = most - len(kept)
    while wanted:
        even = np.searchsorted(along, np.linspace(0, along[-1], wanted + 2)[1:-1])
        both = np.union1d(kept, np.minimum(even, len(along) - 1))
        if len(both) <= most:
            break
        wanted -= len(both) - most
    else:
        return kept
    left = np.ones(len(along), dtype=bool)
    left[both] = False
    spare = np.flatnonzero(left)
    lacking = min(most - len(both), len(spare))
    more = spare[np.linspace(0, len(spare) - 1, lacking).astype(np.intp)] if lacking else both[:0]
    return np.union1d(both, more)


def _lengths(side: NDArray[Any]) -> NDArray[Any]:
    return side / side[-1] if side[-1] else np.zeros(len(side))


def short_thresholds(sweep: Sweep, kept: NDArray[np.intp]) -> NDArray[Any]:
    """Return thresholds with few decimals that cut these cases as the scores themselves do.

    The largest number of so many decimals that is no more than the score, and more than the next
    lower one: then whatever has no more decimals, and is typed in, finds the right cut.
    """
    scores = sweep.thresholds[kept]
    if scores.dtype == object:
        return scores
    below = np.append(sweep.thresholds, -np.inf)[kept + 1].astype(float)
    out, left = scores.astype(float), np.isfinite(scores)
    with np.errstate(all="ignore"):  # what overflows is no candidate
        for digits in range(_first_digits(out[left]), DECIMALS + 1):
            scale = 10.0**digits
            whole = np.rint(out * scale)
            written = np.where(whole / scale > out, whole - 1, whole) / scale
            good = left & (np.abs(whole) < EXACT) & (below < written) & (written <= out)
            out, left = np.where(good, written, out), left & ~good
    return out


def _first_digits(scores: NDArray[Any]) -> int:
    """Return how many decimals make about a thousand steps of the range of scores."""
    span = float(scores.max() - scores.min()) if len(scores) else 0.0
    return min(DECIMALS, max(0, 3 - math.ceil(math.log10(span)))) if 0 < span < math.inf else 3


def _counts(sweep: Sweep, kept: NDArray[np.intp]) -> dict[str, Any]:
    """Return thresholds and counts; whole counts as steps from cut to cut, which are short."""
    sides = sweep.true_positives[kept], sweep.false_positives[kept]
    steps = not sweep.is_weighted
    tp, fp = (np.diff(side, prepend=0) if steps else side for side in sides)
    first, *others = (_number(t) for t in short_thresholds(sweep, kept).tolist())
    return {
        "thresholds": [None if first in {"inf", "nan"} else first, *others],
        "above": _above(sweep),
        "steps": steps,
        "tp": [_number(x) for x in tp.tolist()],
        "fp": [_number(x) for x in fp.tolist()],
        "cuts": len(sweep.thresholds),
        "positives": _number(sweep.n_positive),
        "negatives": _number(sweep.n_negative),
        "weighted": sweep.is_weighted,
    }


def _above(sweep: Sweep) -> Any:
    highest = sweep.thresholds[1] if len(sweep.thresholds) > 1 else 0
    if isinstance(highest, int):
        return str(highest + 1)
    if math.isinf(highest):
        return _number(0.0) if highest < 0 else None
    above = max(math.floor(highest) + 1.0, math.nextafter(highest, math.inf))
    return None if math.isinf(above) else _number(above)


def _number(x: Any) -> Any:
    """Return a number that JSON and JavaScript keep: those that they do not hold as text."""
    if isinstance(x, float):
        return str(x) if not math.isfinite(x) else int(x) if _is_small_whole(x) else x
    return x if abs(x) < EXACT else str(x)


def _is_small_whole(x: float) -> bool:
    return x.is_integer() and abs(x) < EXACT


def _histogram(sweep: Sweep) -> dict[str, Any] | None:
    scores = sweep.thresholds[1:].astype(float)
    finite = np.isfinite(scores)
    if not finite.any():
        return None
    ends = (0.0, 1.0) if are_probabilities(sweep) else (scores[finite].min(), scores[finite].max())
    spare = 0.0 if ends[0] < ends[1] else max(0.5, 1e-3 * abs(float(ends[0])))
    low, high = float(ends[0]) - spare, float(ends[1]) + spare
    if not math.isfinite(high - low):
        return None
    inside = np.clip(scores, low, high)  # infinite scores stand at the ends
    bars = np.minimum((BARS * ((inside - low) / (high - low))).astype(np.intp), BARS - 1)
    written = {
        name: [_number(x) for x in np.bincount(bars, side, BARS).tolist()]
        for name, side in zip(("positive", "negative"), sweep.by_score, strict=True)
    }
    return {"low": low, "high": high, **written}


def _calibration(sweep: Sweep) -> dict[str, Any] | None:
    if not are_probabilities(sweep):
        return None
    bins = calibration_bins(sweep)
    columns = {"mean": bins.mean_score, "share": bins.share, "low": bins.low, "high": bins.high}
    written = {name: [_rounded(x) for x in side.tolist()] for name, side in columns.items()}
    return {**written, "n": [_number(x) for x in bins.n.tolist()]}


def _rounded(x: float) -> float | None:
    return None if math.isnan(x) else float(f"{x:.7g}")


def are_probabilities(sweep: Sweep) -> bool:
    """Whether every score lies in [0, 1]."""
    scores = sweep.thresholds[1:]
    return len(scores) > 0 and scores[-1] >= 0 and scores[0] <= 1

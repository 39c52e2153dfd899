"""The explorer: a part of a page in which one moves the cut and sees what becomes of the cases.

Python counts and writes the counts down, thinned where there are more cuts than a page can hold.
From there the page's own script does the arithmetic, offline: `templates/explorer*.js`.
"""

import base64
import hashlib
import html
import json
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.counts import CELLS, ConfusionMatrix
from baserate.curves import Sweep, calibration_bins
from baserate.curves.dominance import upper_hull
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, get
from baserate.report import figures
from baserate.report.words import GUESSES, reason_of, sentence_case, spoken

METRICS = (
    "accuracy", "recall", "specificity", "precision", "negative_predictive_value", "f1",
    "balanced_accuracy", "informedness", "matthews_correlation", "cohen_kappa",
)  # fmt: skip
# Perfect at any cut without errors of one kind: the best cut by them is no choice.
ONE_SIDED = frozenset({"recall", "specificity", "precision", "negative_predictive_value"})
SCRIPTS = ("explorer_numbers.js", "explorer_words.js", "explorer_pictures.js", "explorer.js")
SHOWN_GUESSES = ("same_alarms", "dutch_draw")
MOST_CUTS = 512  # of one curve: a redraw takes a millisecond, and the ROC curve looks the same
CUTS_IN_ALL = 12_800  # about 150 kB
MOST_CURVES = 40
BARS = 20  # of the distribution of scores
LABEL = 80  # letters of a name that a menu shows
EXACT = 2.0**53
DECIMALS = 22  # powers of ten up to here are exact, and so is a number divided by them, once
# What ends a script early, opens a comment, or is an entity, written so that none of it is there.
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}

Names = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """What a page needs to let its reader move the cut; written only when `data` is asked for.

    Attributes
    ----------
    curves : mapping of (classifier, group) to Sweep
        Either name may be empty.
    commands : mapping of classifier to tuple of str
        Words of the command that evaluates its scores, without what the reader chooses; empty
        where the data were in memory.
    start : mapping of str to float, str or None
        What the page shows first: "threshold", "base_rate", "tau", "guess".
    people : str
        What the cases are.
    title : str
    """

    curves: Mapping[Names, Sweep]
    commands: Mapping[str, tuple[str, ...]]
    start: Mapping[str, Any]
    people: str = "people"
    title: str = "Explore the cut"

    @property
    def script(self) -> str:
        """The script, the same for every page, as it has to stand between its tags."""
        return _script()

    @property
    def policy(self) -> str:
        """What a Content-Security-Policy must say for this script, and no other, to run."""
        digest = hashlib.sha256(self.script.encode()).digest()
        return f"script-src 'sha256-{base64.b64encode(digest).decode()}'"

    @property
    def data(self) -> str:
        """The counts as JSON that may stand in a script element, whatever the labels hold."""
        shown = dict(sorted(self._by_size()[:MOST_CURVES]))
        most = min(MOST_CUTS, CUTS_IN_ALL // max(1, len(shown)))
        names = [names for at, names in enumerate(self.curves) if at in shown]
        first = self.curves[names[0]]
        document = {
            "positive": figures.label(first.positive),
            "people": self.people,
            "start": dict(self.start),
            "leftOut": len(self.curves) - len(names),
            "guesses": {name: GUESSES[name] for name in SHOWN_GUESSES},
            "weightedNotLinear": reason_of("weighted_not_linear"),
            "metrics": [_facts(get(name)) for name in METRICS] + [_net_benefit()],
            "curves": [self._curve(name, most) for name in names],
        }
        text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        return "".join(ESCAPES.get(sign, sign) for sign in text)

    def _by_size(self) -> list[tuple[int, float]]:
        """Return places and sizes of the curves, the largest first; the very first one leads."""
        sizes = [(at, s.n_positive + s.n_negative) for at, s in enumerate(self.curves.values())]
        return [sizes[0], *sorted(sizes[1:], key=lambda pair: -pair[1])]

    def _curve(self, names: Names, most: int) -> dict[str, Any]:
        classifier, group = names
        sweep = self.curves[names]
        words = self.commands.get(classifier, ())
        kept, corners = cuts_shown(sweep, most, keep=(self.start["threshold"],))
        return {
            "classifier": brief(classifier),
            "group": brief(group),
            "command": shlex.join(words),
            "corners": corners,
            **_counts(sweep, kept),
            "histogram": _histogram(sweep),
            "calibration": _calibration(sweep),
        }


def explorer_of(
    sweeps: Mapping[str, Sweep] | Mapping[str, Mapping[str, Sweep]],
    *,
    command: Sequence[str] | Mapping[str, Sequence[str]] = (),
    threshold: float | None = None,
    base_rate: float | None = None,
    tau: float | None = None,
    guess: str = "same_alarms",
    people: str = "people",
) -> Explorer:
    """Prepare the explorer of some scores; nothing is computed before a page is written.

    Parameters
    ----------
    sweeps : mapping of name to Sweep, or of classifier to such a mapping
        Groups by name, all cases first; or classifiers, each with its groups.
    command : sequence of str, or mapping of classifier to such, optional
        Words of the command that evaluates the scores, such as ("baserate", "evaluate",
        "cases.csv", "--target", "y", "--score", "p", "--positive", "1", "--group", "region"),
        without --threshold, --base-rate, --guess and --metrics, which the page adds. Without it
        the page gives a call of Python.
    threshold : float, optional
        The cut shown first, and kept however many are left out. Default 0.5 where every score lies
        in [0, 1], else the middle cut.
    base_rate : float, optional
        In (0, 1); default that of the cases.
    tau : float, optional
        Threshold probability in (0, 1), from which net benefit weighs errors: a false alarm costs
        tau / (1 - tau) as much as a miss. Default `threshold` where that is a probability, else
        1/2.
    guess : {"same_alarms", "dutch_draw"}
        What skill refers to at first. The page shows both.
    people : str
        What the cases are called: "people".

    Returns
    -------
    Explorer
        For `Sheet.explorer`.

    Raises
    ------
    InvalidArgumentError
        There is no sweep.

    Examples
    --------
    >>> from baserate import sweep
    >>> explorer = explorer_of({"all cases": sweep([0, 1, 1], [0.2, 0.4, 0.9])})
    >>> explorer.start["threshold"], explorer.policy[:18]
    (0.5, "script-src 'sha256")
    """
    curves = dict(_named(sweeps))
    if not curves:
        rule, remedy = "must hold a sweep", "pass baserate.sweep(y_true, y_score) by name"
        raise InvalidArgumentError.from_rule("sweeps", rule, sweeps, remedy)
    chances = all(map(_are_probabilities, curves.values()))
    at = 0.5 if threshold is None and chances else threshold
    worth = at if chances and at is not None and 0 < at < 1 else 0.5
    return Explorer(
        curves=curves,
        commands=_commands(command, {classifier for classifier, _ in curves}),
        start={
            "threshold": at,
            "base_rate": base_rate,
            "tau": worth if tau is None else tau,
            "guess": guess if guess in SHOWN_GUESSES else SHOWN_GUESSES[0],
        },
        people=people,
    )


def framed(page: str, *, title: str, height: int = 900) -> str:
    """Return a whole page in a frame of its own, as notebooks show it.

    A notebook is one document with many results. In a frame (srcdoc) each page keeps its styles,
    its Content-Security-Policy and its script to itself, and its sandbox allows nothing but that
    script: not even what the notebook itself could read.

    Examples
    --------
    >>> framed("<p>1 < 2</p>", title="a report")[:41]
    '<iframe title="a report" sandbox="allow-s'
    """
    style = f"width: 100%; height: {height}px; border: 0; resize: vertical"
    return (
        f'<iframe title="{html.escape(title)}" sandbox="allow-scripts" style="{style}" '
        f'srcdoc="{html.escape(page)}"></iframe>'
    )


def brief(name: str) -> str:
    """Write a name on one line, short enough for a menu.

    Examples
    --------
    >>> brief("a" * 100)[-3:], len(brief("a" * 100))
    ('aa…', 80)
    """
    written = figures.label(name)
    return written if len(written) <= LABEL else f"{written[: LABEL - 1]}…"


class Shown(NamedTuple):
    """The rules of a sweep that a page holds, and whether all vertices of its hull are among them.

    Attributes
    ----------
    kept : array of int
    corners : bool
    """

    kept: NDArray[np.intp]
    corners: bool


def cuts_shown(sweep: Sweep, most: int, *, keep: Iterable[float | None] = ()) -> Shown:
    """Return which rules of a sweep a page holds, as indices: all of them if they are few.

    Else both ends, those asked for, and the vertices of the convex hull of the ROC curve, among
    which lie the best cuts of every metric shown, whatever the base rate and the costs; the rest
    follow one another at even distances along the ROC curve.

    Examples
    --------
    >>> from baserate import sweep
    >>> shown = cuts_shown(sweep([0, 1] * 500, range(1000)), 100)
    >>> len(shown.kept), shown.corners
    (100, True)
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
    spare = np.setdiff1d(np.arange(len(along)), both)
    lacking = min(most - len(both), len(spare))
    more = spare[np.linspace(0, len(spare) - 1, lacking).astype(np.intp)] if lacking else both[:0]
    return np.union1d(both, more)


def _lengths(side: NDArray[Any]) -> NDArray[Any]:
    return side / side[-1] if side[-1] else np.zeros(len(side))


def short_thresholds(sweep: Sweep, kept: NDArray[np.intp]) -> NDArray[Any]:
    """Return thresholds with few decimals that cut these cases as the scores themselves do.

    The largest number of so many decimals that is no more than the score, and more than the next
    lower one: then whatever has no more decimals, and is typed in, finds the right cut.

    Examples
    --------
    >>> from baserate import sweep
    >>> s = sweep([0, 1, 1], [0.12345678, 0.12341234, 0.9])
    >>> short_thresholds(s, np.arange(4)).tolist()
    [inf, 0.9, 0.12345, 0.1234]
    """
    scores = sweep.thresholds[kept]
    if scores.dtype == object:
        return scores
    below = np.append(sweep.thresholds, -np.inf)[kept + 1].astype(float)
    out, left = scores.astype(float), np.isfinite(scores)
    with np.errstate(all="ignore"):
        for digits in range(_first_digits(out[left]), DECIMALS + 1):
            scale = 10.0**digits
            whole = np.rint(out * scale)
            written = np.where(whole / scale > out, whole - 1, whole) / scale
            good = left & (np.abs(whole) < EXACT) & (below < written) & (written <= out)
            out, left = np.where(good, written, out), left & ~good
    return out


def _first_digits(scores: NDArray[Any]) -> int:
    """Return how many decimals make about a thousand steps of the range of scores."""
    span = float(np.ptp(scores)) if len(scores) else 0.0
    return min(DECIMALS, max(0, 3 - math.ceil(math.log10(span)))) if span else 3


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
    """Return a finite threshold that no score reaches; None if there is none."""
    highest = sweep.thresholds[1] if len(sweep.thresholds) > 1 else 0
    if isinstance(highest, int):
        return str(highest + 1)
    if math.isinf(highest):
        return _number(0.0) if highest < 0 else None
    above = math.floor(highest) + 1.0
    return _number(above if above > highest else math.nextafter(highest, math.inf))


def _number(x: Any) -> Any:
    """Return a number that JSON and JavaScript keep: those that they do not hold as text."""
    if isinstance(x, float):
        return str(x) if not math.isfinite(x) else int(x) if _is_small_whole(x) else x
    return x if abs(x) < EXACT else str(x)


def _is_small_whole(x: float) -> bool:
    return x.is_integer() and abs(x) < EXACT


def _histogram(sweep: Sweep) -> dict[str, Any] | None:
    """Return how many of each class have scores in ranges of the same width."""
    scores = sweep.thresholds[1:].astype(float)
    finite = np.isfinite(scores)
    if not finite.any():
        return None
    ends = (0.0, 1.0) if _are_probabilities(sweep) else (scores[finite].min(), scores[finite].max())
    inside = np.clip(scores, *ends)  # infinite scores stand at the ends
    sides = {"positive": sweep.by_score[0], "negative": sweep.by_score[1]}
    low, high = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
    bars = {
        name: np.histogram(inside, bins=BARS, range=(low, high), weights=side)[0]
        for name, side in sides.items()
    }
    written = {name: [_number(float(x)) for x in side] for name, side in bars.items()}
    return {"low": float(low), "high": float(high), **written}


def _calibration(sweep: Sweep) -> dict[str, Any] | None:
    """Return bins of probabilities: mean score, positives, cases and exact interval."""
    if not _are_probabilities(sweep):
        return None
    bins = calibration_bins(sweep)
    columns = {"mean": bins.mean_score, "share": bins.share, "low": bins.low, "high": bins.high}
    written = {name: [_rounded(x) for x in side.tolist()] for name, side in columns.items()}
    return {**written, "n": [_number(x) for x in bins.n.tolist()]}


def _rounded(x: float) -> float | None:
    return None if math.isnan(x) else float(f"{x:.7g}")


def _are_probabilities(sweep: Sweep) -> bool:
    scores = sweep.thresholds[1:]
    return len(scores) > 0 and scores[-1] >= 0 and scores[0] <= 1


def _facts(metric: Metric) -> dict[str, Any]:
    """Return what the page must know of a metric that its formula does not say."""
    restated = metric.at_base_rate(0.5)
    return {
        "name": metric.name,
        "label": sentence_case(spoken(metric.name)),
        "definition": metric.definition,
        "dependsOnBaseRate": metric.depends_on_base_rate,
        "linear": metric.linear_in_rates,
        "hasBestCut": metric.name not in ONE_SIDED,
        "undefined": _reasons(metric),
        "undefinedRestated": _reasons(restated),
    }


def _net_benefit() -> dict[str, Any]:
    facts = _facts(get("net_benefit(threshold=0.5)"))
    return {
        **facts,
        "name": "net_benefit",
        "label": "Net benefit",
        "definition": "tp/n - fp/n odds",
    }


def _reasons(metric: Metric) -> list[list[str]]:
    """Return each sum of counts that must not be zero, and what it means; empty classes first."""
    sums = sorted(metric.undefined_if_zero, key=lambda cells: cells not in {"tp+fn", "fp+tn"})
    return [[cells, _reason(metric, cells.split("+"))] for cells in sums]


def _reason(metric: Metric, empty: list[str]) -> str:
    cells = {cell: 0 if cell in empty else 1 for cell in CELLS}
    return metric.undefined_reason(ConfusionMatrix(**cells)) or ""


def _named(sweeps: Mapping[str, Any]) -> Iterator[tuple[Names, Sweep]]:
    for name, held in sweeps.items():
        if isinstance(held, Sweep):
            yield ("", name), held
        else:
            for group, sweep in held.items():
                yield (name, group), sweep


def _commands(given: Any, classifiers: set[str]) -> dict[str, tuple[str, ...]]:
    by_name = given if isinstance(given, Mapping) else dict.fromkeys(classifiers, given)
    return {name: tuple(words) for name, words in by_name.items()}


@cache
def _script() -> str:
    """Join the parts in a scope of their own, with one sign for each end of a line.

    That is how a browser reads a page, and so how the digest must be taken.
    """
    folder = files("baserate.report").joinpath("templates")
    parts = (folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)
    return "\n".join(('"use strict";', "(() => {", *parts, "})();")).replace("\r\n", "\n")

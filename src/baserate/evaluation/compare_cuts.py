"""Scores become classifiers: each is cut where a metric is best, at a threshold, and at tau."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.cases.joint import Joint
from baserate.cases.scores import check_scale, cutting_point, reaches
from baserate.curves import Sweep, sweep
from baserate.errors import DataError
from baserate.evaluation.compare_inputs import Contest, Cut, refuse_too_few
from baserate.evaluation.metric_choice import listed
from baserate.evaluation.sources import refuse_given
from baserate.metrics import Metric, get
from baserate.tuning import optimal_threshold

TAU = "tau"
THRESHOLD = "threshold"


def contest_of(
    joint: Joint,
    about: Mapping[str, Any],
    *,
    points: Any,
    threshold: Any,
    tau: float | None,
) -> Contest:
    """Cut every score, and count what each classifier decides.

    A score is cut where each metric of `points` is best on these cases; at `threshold`, or at 0.5
    where neither is given; and at `tau`, if there are stakes and the score lies in [0, 1].
    """
    if not joint.scores:
        refuse_given(
            "cuts a score, and no score is given", {"threshold": threshold, "points": points}
        )
    sweeps = {name: sweep(joint.truth, score) for name, score in joint.scores.items()}
    chosen = _points(points)
    cuts = [cut for name in sweeps for cut in _cuts(name, sweeps[name], chosen, threshold, tau)]
    different = _merged(cuts, joint.scores)
    if len(cuts) > 1 == len(different) and not joint.names:
        raise DataError(
            f"The cuts of {different[0].score} at {_places(different[0])} flag the same cases, so "
            "there is one classifier only: name another score, or other points."
        )
    named = _named(different, [cut.score for cut in cuts])
    decided = {name: reaches(joint.scores[cut.score], cut.threshold) for name, cut in named.items()}
    refuse_too_few([*joint.names, *decided])
    whole = joint.with_decisions(decided) if decided else joint
    return Contest(
        tables={name: whole.table(k) for k, name in enumerate(whole.names)},
        joint=whole,
        positive=whole.positive,
        labels=whole.labels,
        missing=whole.n_missing,
        cuts=named,
        sweeps=sweeps,
        about=about,
    )


def _points(points: Any) -> dict[str, Metric]:
    """Return the metrics that choose cut points, called as the user calls them."""
    asked = listed(points)
    return {point if isinstance(point, str) else point.name: get(point) for point in asked}


def _cuts(
    score: str, swept: Sweep, points: Mapping[str, Metric], threshold: Any, tau: float | None
) -> Iterator[Cut]:
    for name, metric in points.items():
        best = optimal_threshold(metric, swept)
        yield Cut(score=score, threshold=best.threshold, by=name)
    low, high = _range(swept)
    if threshold is not None or not points:
        check_scale(low, high, threshold, name=score)
        at = cutting_point(threshold)
        yield Cut(score=score, threshold=at, by=THRESHOLD)
        if at == tau:
            return
    if tau is not None and low >= 0 and high <= 1:
        yield Cut(score=score, threshold=tau, by=TAU)


def _range(swept: Sweep) -> tuple[float, float]:
    scores = np.asarray(swept.thresholds[1:], dtype=float)
    return float(scores[-1]), float(scores[0])


def _merged(cuts: Iterable[Cut], scores: Mapping[str, Any]) -> list[Cut]:
    """Make one of all cuts of a score that flag the same cases: they are one classifier."""
    merged = dict[tuple[str, int], Cut]()
    for cut in cuts:
        # Cuts of one score flag the same cases if they flag equally many.
        key = cut.score, int(reaches(scores[cut.score], cut.threshold).sum())
        first = merged.get(key)
        merged[key] = cut if first is None else replace(first, also=(*first.also, _place(cut)))
    return list(merged.values())


def _named(cuts: list[Cut], times: list[str]) -> dict[str, Cut]:
    """Call a classifier as its score, and say where it is cut if the score is cut several times."""
    return {
        cut.score if times.count(cut.score) == 1 else f"{cut.score} @ {_places(cut)}": cut
        for cut in cuts
    }


def _places(cut: Cut) -> str:
    return ", ".join((_place(cut), *cut.also))


def _place(cut: Cut) -> str:
    return f"{cut.threshold:g}" if cut.by == THRESHOLD else cut.by

"""Holzmann and Klar (2024): what sections 5.1 to 5.3 say of figures 3 to 5."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import dist

import baserate as br
from papers.cells import Cell, Table

FAR = br.populations.LDA(distance=2.0)
ROBUST_MCC = tuple(f"robust_mcc(d={d})" for d in (0, 0.01, 0.05, 0.1, 0.5, 1))
D1 = (0.25, 0.5, 2, 4)
WEIGHTS = (0.5, 0.2, 0.05, 0.02)
RARE = 1e-9  # a base rate at which limits are reached to six digits


def curves() -> Table:
    """Ask each sentence of the best cuts that it speaks of, at distance 2."""
    cells = *_balanced(), *_tails(), _limit(), *_best_points(), _slopes()
    note = (
        '"Largely in one place" is taken to mean less than a third of the way that the cuts of '
        "Matthews correlation go; slopes of recall against 1 - precision are those from the origin."
    )
    return Table(name="Sections 5.1 to 5.3, sentences on figures", cells=cells, notes=(note,))


def _ratio(metric: str, base_rate: float) -> float:
    return br.bayes_threshold(metric, FAR, base_rate=base_rate).ratio


def _balanced() -> Iterator[Cell]:
    for metric in ROBUST_MCC:
        yield Cell(where=f"Figure 4: {metric}, δ* at π = 0.5", published=1.0,
                   ours=_ratio(metric, 0.5), within=1e-9)  # fmt: skip


def _tails() -> Iterator[Cell]:
    for said, base_rate, end in (("decreases", 1e-4, "0"), ("increases", 1 - 1e-4, "1")):
        found = [_ratio(metric, base_rate) for metric in ROBUST_MCC]
        yield Cell(where=f"Figure 4: δ* for π toward {end}, as d increases", published=said,
                   ours=_course(found))  # fmt: skip


def _limit() -> Cell:
    found = [_ratio(f"robust_f(d0=0.1, d1={d1}, c=0)", RARE) for d1 in D1]
    return Cell(where="Figure 3: spread of the limits of δ* when d1 varies", published=0.0,
                ours=max(found) - min(found), within=1e-6)  # fmt: skip


def _best_points() -> Iterator[Cell]:
    ways = []
    for metric in ("matthews_correlation", "robust_mcc(d=0.15)"):
        cuts = [br.bayes_threshold(metric, FAR, base_rate=pi) for pi in WEIGHTS]
        places = [(cut.false_positive_rate, cut.recall) for cut in cuts]
        ways.append(sum(dist(a, b) for a, b in pairwise(places)))
        if len(ways) == 1:
            nearer = {_course(part) for part in zip(*places, strict=True)} == {"decreases"}
            yield Cell(where="Figure 5: best cuts of Matthews correlation for small π",
                       published="move towards the origin",
                       ours="move towards the origin" if nearer else "do not")  # fmt: skip
    stay = "largely in one place"
    yield Cell(where="Figure 5: best cuts of the robust correlation", published=stay,
               ours=stay if 3 * ways[1] < ways[0] else "not in one place")  # fmt: skip


def _slopes() -> Cell:
    fpr = FAR.false_positive_rate(1.0)
    recall = FAR.recall(1.0)
    precisions = [
        float(br.metrics.precision.at_rates(recall=recall, specificity=1 - fpr, base_rate=pi))
        for pi in WEIGHTS
    ]
    found = _course([recall / (1 - precision) for precision in precisions])
    return Cell(where="Figure 5: slopes of recall against 1 - precision, as π falls",
                published="decreases", ours=found)  # fmt: skip


def _course(values: Sequence[float]) -> str:
    rises = {b > a for a, b in pairwise(values)}
    return {frozenset({True}): "increases", frozenset({False}): "decreases"}.get(
        frozenset(rises), "neither"
    )

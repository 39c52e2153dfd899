"""The probability that guessing does as well."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._checks import whole_number
from baserate._windows import DEEP, hypergeometric
from baserate.baselines._scan import blocks
from baserate.baselines._totals import class_totals
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.metrics.ties import tie_width

_NOTE = (
    "One-sided exact test at the table's own margins (Fisher): one number for every metric that "
    "rises with the true positives when both margins are fixed."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatsChance:
    """How likely guessing is to do as well.

    Attributes
    ----------
    p_value : float
        P(true positives >= those of the table), if as many cases are flagged blindly.
    p_sup : mapping of str to float
        For each metric asked: the largest probability, over all numbers predicted positive, that a
        blind draw is at least as good. nan if the score is undefined.
    n_predicted : mapping of str to int
        A number predicted positive that attains it.
    note : str
    """

    p_value: float
    p_sup: Mapping[str, float] = field(default_factory=dict[str, float])
    n_predicted: Mapping[str, int] = field(default_factory=dict[str, int])
    note: str = _NOTE


def beats_chance(
    table: ConfusionMatrix, metrics: str | Metric | Iterable[str | Metric] | None = None
) -> BeatsChance:
    """Return the exact probability that a blind guess does at least as well as this table.

    `p_value` fixes both margins: it flags as many cases as the table does, at random. Every metric
    that rises with the true positives then orders the tables alike, so accuracy, F1, MCC and the
    rest share this one number, Fisher's one-sided exact p-value. A guess that is free to choose how
    many cases it flags may do better on a given metric: `p_sup` is the largest probability over
    0 < n_predicted < n, one number per metric. A draw at which the metric is undefined does not
    count as doing as well.

    Parameters
    ----------
    table : ConfusionMatrix
        A single table of cases counted one by one. Sums of weights that happen to be whole numbers
        look the same and mean nothing here: pass the unweighted table.
    metrics : Metric, str or several of them, optional
        Metrics for which `p_sup` is computed.

    Returns
    -------
    BeatsChance

    Raises
    ------
    UnsupportedError
        The counts are weights, or 2^53 and more, or `p_sup` would look at more tables than the
        budget allows.
    InvalidArgumentError
        A metric of `metrics` has no direction.

    References
    ----------
    Fisher (1935), Journal of the Royal Statistical Society 98:39, doi:10.2307/2342435.

    Examples
    --------
    Fisher's tea taster, 3 of 4 cups right:

    >>> beats_chance(ConfusionMatrix(tp=3, fn=1, fp=1, tn=3)).p_value * 70
    17.0

    An accuracy of 0.75 with 30 positives of 100; the best guess for it flags 9 cases:

    >>> b = beats_chance(ConfusionMatrix(tp=15, fn=15, fp=10, tn=60), ["accuracy"])
    >>> round(b.p_sup["accuracy"], 4), b.n_predicted["accuracy"]
    (0.0028, 9)
    """
    single_table("table", table)
    totals = class_totals(table.n_positive, table.n_negative)
    if totals is None or table.is_weighted:
        raise UnsupportedError(
            "The exact test counts cases, and these counts are weights, or 2^53 and more: pass the "
            "unweighted table, or simulate with the weights of the cases."
        )
    chosen = [metrics] if isinstance(metrics, str | Metric) else metrics or ()
    found = {m.name: _sup(m, table, *totals) for m in map(get, chosen)}
    return BeatsChance(
        p_value=_fisher(whole_number("tp", table.tp), whole_number("fp", table.fp), *totals),
        p_sup={name: p for name, (p, _) in found.items()},
        n_predicted={name: k for name, (_, k) in found.items() if k is not None},
    )


def _fisher(tp: int, fp: int, n_positive: int, n_negative: int) -> float:
    """Sum the upper tail from its small end, with its digits down to 1e-300."""
    window = hypergeometric(n_positive, n_negative, tp + fp, depth=DEEP)
    upper = window.pmf[max(0, tp - window.start) :]
    return min(1.0, float(np.sum(upper[::-1])))


def _sup(metric: Metric, table: ConfusionMatrix, p: int, q: int) -> tuple[float, int | None]:
    if metric.direction == "neither":
        rule = "must have a direction: 'at least as good' needs a metric with a better end"
        raise InvalidArgumentError.from_rule("metrics", rule, metric.name, "leave it out")
    higher = metric.direction == "higher"
    score = float(metric(table))
    if isnan(score) or p + q < 2:
        return nan, None
    tie = tie_width(metric, score)
    remedy = f"the largest p-value of {metric.name} needs them; p_value does not"
    best: tuple[float, Any] = (-1.0, None)
    for block in blocks(p, q, ((1, p + q - 1),), remedy=remedy, depth=DEEP):
        value = np.asarray(metric.formula(*block.tables), dtype=float)
        good = value >= score - tie if higher else value <= score + tie
        tail = (block.pmf * good).sum(axis=1)
        top = int(tail.argmax())
        best = max(best, (float(tail[top]), int(block.k[top])), key=lambda pair: pair[0])
    return min(1.0, best[0]), best[1]

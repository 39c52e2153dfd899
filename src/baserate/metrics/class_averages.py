"""Averages over classes of any metric of four counts, a user's own included."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from baserate._arith import ratio
from baserate._checks import one_of
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import BaserateError
from baserate.metrics._catalogue import KNOWN_NAMES, binary_metric
from baserate.metrics._class_metric import Cells, ClassMetric, Counts, one_vs_rest
from baserate.metrics._metric import Metric

Kind = Literal["macro", "micro", "weighted"]
Policy = Literal["propagate", "omit"]

# Sums of counts of which both class totals say whether they are zero.
MARGINS = {"tp+fn+fp+tn", "tp+fn", "fp+tn", "tp+fp", "fn+tn", "tp+fn+fp", "fn+fp+tn"}

MEANINGS = {
    "macro": "Mean over the classes, each counting the same, of: {}",
    "micro": "Of all classes' tables added up: {}",
    "weighted": "Mean over the classes, each counting as often as it occurs, of: {}",
}


# How an average is called; weighted kappa and weighted accuracy are called alike, and are none.
AVERAGE = re.compile(r"(macro|micro|weighted)[\s_-]+(.+?)(\.defined)?", re.IGNORECASE)


def is_of_classes(metric: object) -> bool:
    """Whether this is a metric of several classes, or the name of one, and of no metric of two."""
    from baserate.metrics._class_catalogue import BY_NAME, CLASS_FAMILIES, class_metric

    if not isinstance(metric, str):
        return isinstance(metric, ClassMetric)
    name = re.sub(r"[\s-]+", "_", metric.strip().lower())
    family = name.partition("(")[0]
    if family in KNOWN_NAMES:  # of both go by the shape of what they are given, as utilities do
        both = family != name and family in CLASS_FAMILIES
        return both and _is_one(metric, class_metric) and not _is_one(metric, binary_metric)
    return name in BY_NAME or family in CLASS_FAMILIES or bool(AVERAGE.fullmatch(name))


def _is_one(name: str, found: Callable[[str], Any]) -> bool:
    try:
        return bool(found(name))
    except BaserateError:
        return False


def average(
    metric: str | Metric, kind: Kind = "macro", *, undefined: Policy = "propagate"
) -> ClassMetric:
    """Average a metric of four counts over the classes, each against the rest.

    With f_c the metric of class c against the rest, n_c its cases and n all cases:

    - macro: Σ f_c / K;
    - weighted: Σ n_c f_c / n, over the classes that occur;
    - micro: f at the sum of the K tables.

    So the macro F1 is the mean of the classes' F1, as in scikit-learn. Others mean by it the F1 of
    macro precision and macro recall, which is as large or larger, by up to 0.5 (Opitz and Burst).

    Parameters
    ----------
    metric : str or Metric
        Any metric of four counts, a user's own included.
    kind : {"macro", "micro", "weighted"}
    undefined : {"propagate", "omit"}
        What becomes of a macro or weighted average where f_c is undefined: no value, with the
        classes as its reason; or the average over the other classes, which looks better than it is
        where the lacking class is the one that was missed.

    Returns
    -------
    ClassMetric
        Also by name: ``baserate.metrics.get("macro_f1")``.

    Raises
    ------
    UnknownNameError
        There is no such metric, kind or policy.

    References
    ----------
    Sokolova, M. and Lapalme, G. (2009), Information Processing & Management 45:427-437,
    doi:10.1016/j.ipm.2009.03.002 (whose macro F is that of the macro precision and recall).
    Opitz, J. and Burst, S. (2019), Macro F1 and macro F1, doi:10.48550/arXiv.1911.03347.

    Examples
    --------
    Fisher's irises by linear discriminant analysis (scikit-learn: 0.979998):

    >>> from baserate.metrics import average
    >>> from baserate import ClassTable
    >>> iris = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]])
    >>> round(average("f1")(iris), 6), round(average("precision", "micro")(iris), 6)
    (0.979998, 0.98)
    """
    part, how = binary_metric(metric), one_of("kind", kind, Kind)
    policy = one_of("undefined", undefined, Policy)
    if how == "micro":  # has one table, and no classes to leave out
        policy = "propagate"
    policy_named = ".defined" if policy == "omit" else ""
    turned = part.transpose if how != "weighted" else None  # by class counts, not by predictions
    formula = _Average(part, how, policy)
    return ClassMetric(
        name=f"{how}_{part.name}{policy_named}",
        definition=_definition(part, how, policy),
        meaning=MEANINGS[how].format(part.meaning),
        of_margins=formula,
        of_cells=_OfCells(formula),
        part=part,
        kind=how,
        undefined_classes=None if how == "micro" else policy,
        of_hits=how == "micro",
        bounds=part.bounds,
        best=float("nan") if part.best is None else part.best,
        direction=part.direction,
        chance=_chance(part, how),
        scale_invariant=part.scale_invariant,
        transpose=f"{how}_{turned}{policy_named}" if turned else None,
        parameters={} if policy == "propagate" else {"undefined": policy},
    )


def _definition(part: Metric, kind: str, policy: str) -> str:
    if kind == "micro":
        return f"{part.definition}, of the sums over classes"
    weight = "each class alike" if kind == "macro" else "by class counts"
    left_out = ", where it is defined" if policy == "omit" else ""
    return f"mean over classes{left_out}, {weight}, of {part.definition}"


@dataclass(frozen=True, slots=True)
class _Average:
    """The formula of an average; a class, so that it can be pickled."""

    part: Metric
    kind: str
    policy: str

    def __call__(self, hits: Counts, class_counts: Counts, predicted_counts: Counts) -> Any:
        return self.of_tables(one_vs_rest(hits, class_counts, predicted_counts), class_counts)

    def of_tables(self, every: ConfusionMatrix, class_counts: Counts) -> Any:
        if self.kind == "micro":
            tp, fn, fp, tn = (np.sum(cell, -1) for cell in every)
            return self.part(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
        values = np.asarray(self.part(every))
        weight = np.ones_like(values) if self.kind == "macro" else _in_range(class_counts)
        counts = weight > 0
        if self.policy == "omit":
            counts = counts & ~np.isnan(values)
        used = np.where(counts, weight, 0.0)
        return ratio(np.where(counts, values * weight, 0.0).sum(-1), used.sum(-1))


@dataclass(frozen=True, slots=True)
class _OfCells:
    """The same of whole tables, whose empty parts are seen as such."""

    average: _Average

    def __call__(self, cells: Cells) -> Any:
        table = ClassTable(cells)
        return self.average.of_tables(table.one_vs_rest(), table.class_counts)


def _in_range(class_counts: Counts) -> Counts:
    """Scale weights by a power of two, so that their products with values do not overflow."""
    _, power = np.frexp(class_counts.max(-1, keepdims=True))
    return np.ldexp(class_counts, -power)


def _chance(part: Metric, kind: str) -> float | None:
    """Return the mean of constant chances, if the class totals decide which classes have a value.

    Of a micro average the totals are those of all classes, of which no chance is known.
    """
    decided = part.undefined_also is None and {*part.undefined_if_zero} <= MARGINS
    return part.chance if decided and kind != "micro" else None

"""Metrics that are linear in the counts: what decisions are worth."""

from decimal import Decimal
from functools import singledispatch
from typing import Any

import numpy as np

from baserate._arith import ratio
from baserate._arrays import Array
from baserate._checks import float_array, number_in
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError
from baserate.metrics._identity import family
from baserate.metrics._kinds import MOST, count, trend
from baserate.metrics._metric import Formula, Lumps, Metric, show
from baserate.metrics.shares import FAWCETT

_DYRLAND = "Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t"


def _mean(*, tp: float, fn: float, fp: float, tn: float, formula: Formula, **facts: Any) -> Metric:
    """Make a mean over cases of what a case is worth in each cell."""
    return Metric(
        formula=formula,
        undefined_if_zero=("tp+fn+fp+tn",),
        linear_in_rates=True,
        affine_in_tp=True,
        chance_shape="affine",
        trend_in_fp=trend(fp - tn),
        lumps=_lumps(tp=tp, fn=fn, fp=fp, tn=tn),
        **facts,
    )


def _lumps(**worth: float) -> Lumps | None:
    """Part the cells of a mean of at most three different values: best, worst, and what is left.

    With two values, their counts add up to the number of cases.
    """
    alike: dict[float, tuple[str, ...]] = {}
    for cell, value in worth.items():
        alike[value] = (*alike.get(value, ()), cell)
    if len(alike) not in {2, 3}:
        return None
    return alike[max(alike)], alike[min(alike)]


marginal_benefit = _mean(
    tp=0,
    fn=-1,
    fp=1,
    tn=0,
    name="marginal_benefit",
    synonyms=("mb",),
    definition="(fp - fn) / n",
    meaning="Predicted positive rate minus base rate: how far predictions exceed the truth.",
    formula=lambda tp, fn, fp, tn: ratio(fp - fn, tp + fn + fp + tn),
    bounds=(-1, 1),
    best=0,
    direction="neither",
    reference="Briscoe et al., Algorithmic Accountability in Small Data, AISTATS 2025",
)

predicted_positives = count(
    "tp",
    "fp",
    name="predicted_positives",
    synonyms=("alarms", "n_predicted", "test_positives"),
    definition="tp + fp",
    meaning="Cases predicted positive: what a capacity limits.",
    formula=lambda tp, fn, fp, tn: tp + fp,
    class_swap="predicted_negatives",
    reference=FAWCETT,
)

predicted_negatives = count(
    "fn",
    "tn",
    name="predicted_negatives",
    synonyms=("test_negatives",),
    definition="fn + tn",
    meaning="Cases predicted negative.",
    formula=lambda tp, fn, fp, tn: fn + tn,
    class_swap="predicted_positives",
    reference=FAWCETT,
)


@family
def utility(matrix: Any) -> Metric:
    """Mean utility per case, (u₁₁ tp + u₁₂ fp + u₂₁ fn + u₂₂ tn) / n; also called yield.

    Range from the smallest to the largest utility; undefined where n = 0. Higher is better, unless
    a wrong decision is worth more than the right one in some class: then mending errors may hurt,
    and the direction is "neither".

    Parameters
    ----------
    matrix : 2x2 array
        Rows are decisions (positive, negative), columns classes (positive, negative), as in the
        literature on utilities: [[tp, fp], [fn, tn]]. A confusion matrix has the truth in rows.
        From -1e100 to 1e100: products with counts, and their squares, stay finite.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, eq. 10.

    Examples
    --------
    Classifier A of the paper, 100 cases, utilities in dollars:

    >>> from baserate.metrics import utility
    >>> from baserate import ConfusionMatrix
    >>> a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> round(utility([[15, -335], [-35, 165]])(a), 10)
    3.5
    """
    u = float_array("matrix", matrix)
    if u.shape != (2, 2) or not (np.abs(u) <= MOST).all():
        rule = f"must be a 2x2 array of numbers from {-MOST:g} to {MOST:g}"
        remedy = "pass [[tp, fp], [fn, tn]]; for several classes use baserate.metrics.class_utility"
        raise InvalidArgumentError.from_rule("matrix", rule, matrix, remedy)
    (hit, alarm), (miss, rest) = u.tolist()
    benefit, cost = hit - miss, rest - alarm
    text = f"[[{show(hit)}, {show(alarm)}], [{show(miss)}, {show(rest)}]]"
    return _mean(
        tp=hit,
        fn=miss,
        fp=alarm,
        tn=rest,
        name=f"utility({text})",
        definition=f"({show(hit)} tp + {show(alarm)} fp + {show(miss)} fn + {show(rest)} tn) / n",
        meaning="Mean utility per case.",
        formula=lambda tp, fn, fp, tn: ratio(
            hit * tp + miss * fn + alarm * fp + rest * tn, tp + fn + fp + tn
        ),
        bounds=(float(u.min()), float(u.max())),
        direction="higher" if benefit >= 0 and cost >= 0 else "neither",
        best=hit if hit == rest else None,
        increases_with_rates=benefit > 0 and cost > 0,
        class_swap=f"utility([[{show(rest)}, {show(miss)}], [{show(alarm)}, {show(hit)}]])",
        transpose=f"utility([[{show(hit)}, {show(miss)}], [{show(alarm)}, {show(rest)}]])",
        parameters={"matrix": u.tolist()},
        reference=_DYRLAND,
    )


@family
def cost_per_case(fn: float, fp: float) -> Metric:
    """Cost per case, (c₁ fn + c₀ fp) / n: what errors cost; a right decision costs nothing.

    Range from 0 to the larger cost; undefined where n = 0. Lower is better.

    Parameters
    ----------
    fn, fp : float
        What a false negative and a false positive cost, from 0 to 1e100.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, eq. 1.

    Examples
    --------
    Five misses at 10 and ten false alarms at 1, over 100 cases:

    >>> from baserate.metrics import cost_per_case
    >>> from baserate import ConfusionMatrix
    >>> cost_per_case(fn=10, fp=1)(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50))
    0.6
    """
    remedy = "pass what each error costs, such as fn=10, fp=1"
    miss, alarm = (
        number_in(name, value, "[0, inf)", remedy) for name, value in (("fn", fn), ("fp", fp))
    )
    if max(miss, alarm) > MOST:
        rule = f"must be at most {MOST:g}"
        raise InvalidArgumentError.from_rule("cost", rule, max(miss, alarm), remedy)
    swapped = f"cost_per_case(fn={show(alarm)}, fp={show(miss)})"
    return _mean(
        tp=0,
        fn=miss,
        fp=alarm,
        tn=0,
        name=f"cost_per_case(fn={show(miss)}, fp={show(alarm)})",
        definition=f"({show(miss)} fn + {show(alarm)} fp) / n",
        meaning="What errors cost per case.",
        formula=lambda tp, fn, fp, tn: ratio(miss * fn + alarm * fp, tp + fn + fp + tn),
        bounds=(0, max(miss, alarm)),
        direction="lower",
        best=0,
        class_swap=swapped,
        transpose=swapped,
        parameters={"fn": miss, "fp": alarm},
        reference="Elkan (2001), The foundations of cost-sensitive learning, IJCAI",
    )


@family
def weighted_accuracy(weight: float) -> Metric:
    """Weighted accuracy w tp/n + (1 - w) tn/n, unnormalised: perfect is w π + (1 - w)(1 - π).

    Range [0, max(w, 1 - w)]; undefined where n = 0; w = 1/2 is half the accuracy.

    Parameters
    ----------
    weight : float
        Weight w in [0, 1] of the positives.

    References
    ----------
    Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems,
    arXiv:2404.07661.

    Examples
    --------
    >>> from baserate.metrics import weighted_accuracy
    >>> from baserate import ConfusionMatrix
    >>> round(weighted_accuracy(weight=0.75)(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)), 6)
    0.3875
    """
    w = number_in("weight", weight, "[0, 1]", "pass the weight of the positives")
    rest = float(1 - Decimal(repr(w)))  # the complement of 0.8 as one writes it, 0.2
    return _mean(
        tp=w,
        fn=0,
        fp=0,
        tn=rest,
        name=f"weighted_accuracy(weight={show(w)})",
        definition=f"{show(w)} tp/n + {show(rest)} tn/n",
        meaning="Accuracy that weighs right positives and right negatives differently.",
        formula=lambda tp, fn, fp, tn: ratio(w * tp + rest * tn, tp + fn + fp + tn),
        bounds=(0, max(w, rest)),
        direction="higher",
        best=0.5 if w == 0.5 else None,
        increases_with_rates=0 < w < 1,
        class_swap=f"weighted_accuracy(weight={show(rest)})",
        transpose=f"weighted_accuracy(weight={show(w)})",
        parameters={"weight": w},
        reference="Holzmann and Klar (2024), Robust performance metrics for imbalanced "
        "classification problems, arXiv:2404.07661",
    )


@family
def net_benefit(threshold: float) -> Metric:
    """Net benefit tp/n - fp/n t/(1 - t) at the threshold probability t.

    Range [-t/(1 - t), 1]; the perfect table has the base rate; undefined where n = 0.

    Parameters
    ----------
    threshold : float
        Probability t in [0, 1) above which one would act: t/(1 - t) false alarms cost as much as
        one found positive is worth.

    References
    ----------
    Vickers and Elkin (2006), Medical Decision Making 26:565, doi:10.1177/0272989X06295361.

    Examples
    --------
    >>> from baserate.metrics import net_benefit
    >>> from baserate import ConfusionMatrix
    >>> round(net_benefit(threshold=0.2)(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)), 6)
    0.325
    """
    t = number_in("threshold", threshold, "[0, 1)", "pass a probability")
    odds = t / (1 - t)
    return _mean(
        tp=1,
        fn=0,
        fp=-odds,
        tn=0,
        name=f"net_benefit(threshold={show(t)})",
        definition=f"tp/n - fp/n t/(1 - t), t = {show(t)}",
        meaning="Positives found per case, less the false alarms at their price in positives.",
        formula=lambda tp, fn, fp, tn: ratio(tp - odds * fp, tp + fn + fp + tn),
        bounds=(-odds, 1),
        direction="higher",
        increases_with_rates=t > 0,
        parameters={"threshold": t},
        reference="Vickers and Elkin (2006), doi:10.1177/0272989X06295361",
    )


def decision_counts(name: str, counts: Any, utilities: Any = None) -> Array:
    """Return counts with decisions in rows and classes in columns; axes before them are allowed.

    A confusion matrix knows which class is positive, and so may the utilities: then its rows and
    columns are put in their order. A class table has the truth in rows, and is turned; its classes
    are put in the order of the utilities, where these name them. Arrays stay as they are.
    """
    array = float_array(name, _by_decision(counts, utilities), InvalidCountError)
    if array.ndim < 2 or 0 in array.shape:
        rule, remedy = "must have decisions in rows and classes in columns", "pass [[..], [..]]"
        raise InvalidCountError.from_rule(name, rule, array.shape, remedy)
    if not (np.isfinite(array) & (array >= 0)).all():
        rule = "must hold counts of at least 0"
        given = array[~(np.isfinite(array) & (array >= 0))].flat[0].item()
        raise InvalidCountError.from_rule(name, rule, given, "pass how often each pair occurred")
    return array


@singledispatch
def _by_decision(counts: Any, utilities: Any) -> Any:  # noqa: ARG001
    """Return counts in the order of decisions and classes; arrays are in it."""
    return counts


@_by_decision.register
def _by_decision_of_several(counts: ClassTable, utilities: Any) -> Array:
    classes = getattr(utilities, "classes", None)
    counts = counts if classes is None else counts.reorder(classes)
    return np.swapaxes(counts.counts, -2, -1)


@_by_decision.register
def _by_decision_of_two(counts: ConfusionMatrix, utilities: Any) -> Array:
    cells = np.array([[counts.tp, counts.fp], [counts.fn, counts.tn]], dtype=float)
    turned = getattr(utilities, "positive", 0) == 1
    return np.moveaxis(cells[::-1, ::-1] if turned else cells, (0, 1), (-2, -1))

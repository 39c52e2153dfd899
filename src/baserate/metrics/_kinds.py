"""Kinds of metrics whose facts follow from their cells, or from what "better" means.

A fact that follows is not declared metric by metric. The laws measure it all the same.
"""

from math import inf
from typing import Any

from baserate._checks import Interval, number_in
from baserate.counts import CELLS
from baserate.errors import InvalidArgumentError
from baserate.metrics._metric import Formula, Lumps, Metric, Trend

MOST = 1e100  # the size of a parameter: its products with counts, and their squares, stay finite
RIGHT, WRONG = {"tp", "tn"}, {"fn", "fp"}
CLASSES = {"tp", "fn"}, {"fp", "tn"}


def parameter(name: str, value: Any, interval: Interval, remedy: str) -> float:
    """Return a parameter as a float if it lies in the interval, and is at most 1e100."""
    number = number_in(name, value, interval, remedy)
    if number > MOST:
        rule = f"must be at most {MOST:g}"
        raise InvalidArgumentError.from_rule(name, rule, value, "pass a smaller one")
    return number


def rising(*, formula: Formula, **facts: Any) -> Metric:
    """Make a metric that strictly rises with recall and with specificity; best 1 unless told.

    So more is better, and it falls as negatives are flagged.
    """
    known: dict[str, Any] = {"best": 1, "direction": "higher", "trend_in_fp": "decreasing"}
    return Metric(formula=formula, increases_with_rates=True, **(known | facts))


def proportion(cells: Lumps, *, formula: Formula, **facts: Any) -> Metric:
    """Make the share that the first cells have of all of them: of a margin, or of all cases.

    It is linear in the rates unless its denominator is a number of predictions. Guessing then has
    the base rate, or one less the base rate, whatever it flags; a share of all cases that says
    nothing about predictions does not depend on them either.
    """
    first, second = map(set, cells)
    whole = first | second
    of_class = whole in CLASSES
    linear = of_class or len(whole) == len(CELLS)
    known: dict[str, Any] = _better(first) | {
        "trend_in_fp": trend(_flagged(first) - _flagged(second))
    }
    return Metric(
        formula=formula,
        bounds=(0, 1),
        undefined_if_zero=("+".join(cell for cell in CELLS if cell in whole),),
        increases_with_rates=first <= RIGHT and not of_class,
        linear_in_rates=linear,
        affine_in_tp=True,
        chance_shape="affine" if linear and first not in CLASSES else "constant",
        depends_on_base_rate=not of_class,
        proportion=cells,
        **(known | facts),
    )


def count(*cells: str, formula: Formula, **facts: Any) -> Metric:
    """Make the number of cases in one cell, or of those predicted one way."""
    chosen = set(cells)
    known: dict[str, Any] = _better(chosen) | {"trend_in_fp": trend(_flagged(chosen))}
    if chosen <= RIGHT:
        known["best"] = None  # that depends on the class totals
    return Metric(
        formula=formula,
        bounds=(0, inf),
        linear_in_rates=True,
        affine_in_tp=True,
        chance_shape="affine",
        scale_invariant=False,
        lumps=(cells, tuple(other for other in CELLS if other not in chosen)),
        **(known | facts),
    )


def trend(slope: float) -> Trend:
    """Name what a metric does as one more negative is flagged."""
    return "constant" if slope == 0 else "increasing" if slope > 0 else "decreasing"


def _better(cells: set[str]) -> dict[str, Any]:
    """Return the best value of a share of these cells, and which way is better."""
    if cells <= RIGHT:
        return {"best": 1, "direction": "higher"}
    return {"best": 0, "direction": "lower"} if cells <= WRONG else {"direction": "neither"}


def _flagged(cells: set[str]) -> int:
    """Return by how much the sum of these cells changes as one more negative is flagged."""
    return ("fp" in cells) - ("tn" in cells)

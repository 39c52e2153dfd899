"""Cases counted by raw label: labels are then interpreted on a few rows, not on millions."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, nan
from typing import Any

from baserate.cases.binary import choose_positive
from baserate.cases.values import distinct, order
from baserate.cases.values import from_text as value_in
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

Add = Callable[[list[float]], float]
SQUARES = (1e-290, 1e290)  # beyond these the square of a weight has lost its digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Cases counted by raw label, prediction and group; one entry per distinct combination.

    Parameters
    ----------
    truth : tuple
        True label of each entry.
    prediction : tuple
        Predicted label of each entry, or a bool when `decided`.
    count : tuple of int
        Cases of each entry.
    weight, weight_squared : tuple of float, optional
        Sum of the weights and of the squared weights of those cases; None if there are no weights.
    groups : tuple of tuple
        Group values of each entry, in the order of `group_names`; None is a missing value.
    group_names : tuple of str
    decided : bool
        Predictions already say "positive?", because a score was cut at a threshold.
    n_missing : int
        Cases left out because a label or a weight was missing.
    """

    truth: tuple[Any, ...]
    prediction: tuple[Any, ...]
    count: tuple[int, ...]
    weight: tuple[float, ...] | None = None
    weight_squared: tuple[float, ...] | None = None
    groups: tuple[tuple[Any, ...], ...] = ()
    group_names: tuple[str, ...] = ()
    decided: bool = False
    n_missing: int = 0

    def __post_init__(self) -> None:
        if (self.weight is None) != (self.weight_squared is None):
            rule = "must be given together"
            given = (self.weight, self.weight_squared)
            raise InvalidArgumentError.from_rule("weight, weight_squared", rule, given, "add both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A confusion matrix with what was found on the way to it.

    Attributes
    ----------
    table : ConfusionMatrix
        Whole numbers, or sums of weights.
    positive : label
        The label that counts as positive.
    labels : tuple
        Every label found, in order.
    n : int
        Cases counted, whatever their weight.
    n_missing : int
        Cases left out because a label or a weight was missing.
    effective_n : float
        Kish's effective sample size (Σw)² / Σw², which is `n` without weights.
    groups : dict of tuple to ConfusionMatrix
        One table per combination of group values, in order: numbers by size, text by alphabet,
        missing (None) last. Empty without group columns.
    group_names : tuple of str
    group_n, group_effective_n : dict
        Cases and effective sample size of each group; the latter is nan if all its weights are 0.
    squared : ConfusionMatrix or None
        Sums of squared weights; None for unweighted cases, which the table counts.
    group_squared : dict of tuple to ConfusionMatrix
        The same for each group; empty for unweighted cases.

    References
    ----------
    Kish, L. (1965). Survey Sampling. Wiley.
    """

    table: ConfusionMatrix
    positive: Any
    labels: tuple[Any, ...]
    n: int
    n_missing: int
    effective_n: float
    groups: dict[tuple[Any, ...], ConfusionMatrix] = field(default_factory=dict)
    group_names: tuple[str, ...] = ()
    group_n: dict[tuple[Any, ...], int] = field(default_factory=dict)
    group_effective_n: dict[tuple[Any, ...], float] = field(default_factory=dict)
    squared: ConfusionMatrix | None = None
    group_squared: dict[tuple[Any, ...], ConfusionMatrix] = field(default_factory=dict)

    @property
    def weighted(self) -> bool:
        """Whether cases came with weights, even if these sum to whole numbers."""
        return self.squared is not None


def effective_sizes(table: ConfusionMatrix, squared: ConfusionMatrix | None) -> tuple[float, float]:
    """Return Kish's effective number of positives and of negatives."""
    if squared is None:
        return float(table.n_positive), float(table.n_negative)
    positive, negative = squared.n_positive, squared.n_negative
    return (
        table.n_positive * (table.n_positive / positive) if positive else 0.0,
        table.n_negative * (table.n_negative / negative) if negative else 0.0,
    )


def without_groups(counted: Counted, left_out: Collection[tuple[Any, ...]]) -> Counted:
    """Leave out, and count as missing, the cases of some groups."""
    nothing = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    kept = [key for key in counted.groups if key not in left_out]
    if not kept:
        raise MissingValueError("Every case lacks a group: name a group column that is filled in.")
    table = sum((counted.groups[key] for key in kept), nothing)
    squared = None
    if counted.squared is not None:
        squared = sum((counted.group_squared[key] for key in kept), nothing)
    n = sum(counted.group_n[key] for key in kept)
    return replace(
        counted,
        table=table,
        n=n,
        n_missing=counted.n_missing + counted.n - n,
        effective_n=_effective_n(table, squared),
        groups={key: counted.groups[key] for key in kept},
        group_n={key: counted.group_n[key] for key in kept},
        group_effective_n={key: counted.group_effective_n[key] for key in kept},
        squared=squared,
        group_squared={key: square for key, square in counted.group_squared.items() if key in kept},
    )


def resolve(
    tally: Tally,
    *,
    positive: Any = None,
    target: str = "y_true",
    prediction: str = "y_pred",
    from_text: bool = False,
    argument: str = "positive",
) -> Counted:
    """Decide which label is positive and fold the tally into confusion matrices.

    Parameters
    ----------
    tally : Tally
    positive : label, optional
        Default: True, or 1 of {0, 1} or {-1, 1}. With more labels, one against the rest. Text also
        matches a number or a boolean by its value.
    target, prediction, argument : str
        What messages call the two columns and the argument `positive`.
    from_text : bool
        Labels were read from text: numbers ("1" equals "1.0") and true/false in any case become
        values, provided that every label of both columns is one.

    Returns
    -------
    Counted

    Raises
    ------
    LabelError
        No cases, all weights are 0, weights too large or too small to be squared, or nothing says
        which label is positive; the message lists the labels found.

    Examples
    --------
    >>> tally = Tally(truth=("1", "1", "0"), prediction=("1.0", "0", "0"), count=(3, 1, 6))
    >>> counted = resolve(tally, from_text=True)
    >>> counted.table, counted.positive, counted.labels
    (ConfusionMatrix(tp=3, fn=1, fp=0, tn=6), 1, (0, 1))
    """
    if not sum(tally.count):
        dropped = f" after {tally.n_missing:,} were dropped" if tally.n_missing else ""
        raise LabelError(f"{target} holds no cases{dropped}: pass at least one labelled case.")
    _check_weights(tally, target)
    truth, predicted = _values(tally) if from_text else (tally.truth, tally.prediction)
    side = () if tally.decided else distinct(predicted)
    names = {"target": target, "predicted": prediction, "argument": argument}
    chosen = choose_positive(distinct(truth), side, positive, **names)
    hit = [bool(p) if tally.decided else p == chosen for p in predicted]
    cells = [2 * (t != chosen) + (not p) for t, p in zip(truth, hit, strict=True)]
    return _counted(tally, cells, chosen, distinct([*truth, *side]))


def _values(tally: Tally) -> tuple[Sequence[Any], Sequence[Any]]:
    """Read values out of the text of both columns, or of neither."""
    truth = [value_in(label) for label in tally.truth]
    predicted = tally.prediction if tally.decided else [value_in(p) for p in tally.prediction]
    if any(value is None for value in (*truth, *predicted)):
        return tally.truth, tally.prediction
    return truth, predicted


def _check_weights(tally: Tally, target: str) -> None:
    if tally.weight is None or tally.weight_squared is None:
        return
    if not any(tally.weight):
        raise LabelError(
            f"{target} holds no case that counts, because all weights are 0: "
            "pass a weight above 0 for some cases of each class, or pass no weights."
        )
    low, high = SQUARES
    for weight, square in zip(tally.weight, tally.weight_squared, strict=True):
        if weight and not low < square < high:
            rule = "must have squares that a float can hold"
            given = f"weights that sum to {weight:g}"
            remedy = "multiply all weights by one constant, which changes no rate"
            raise LabelError.from_rule("weights", rule, given, remedy)


def _counted(tally: Tally, cells: list[int], positive: Any, labels: tuple[Any, ...]) -> Counted:
    amounts = tally.count if tally.weight is None else tally.weight
    table, groups = _tables(tally, cells, amounts)
    squared, group_squared = None, {}
    if tally.weight_squared is not None:
        squared, group_squared = _tables(tally, cells, tally.weight_squared)
    _, group_counts = _tables(tally, cells, tally.count)
    return Counted(
        table=table,
        positive=positive,
        labels=labels,
        n=sum(tally.count),
        n_missing=tally.n_missing,
        effective_n=_effective_n(table, squared),
        groups=groups,
        group_names=tally.group_names,
        group_n={group: counts.n for group, counts in group_counts.items()},
        group_effective_n={k: _effective_n(t, group_squared.get(k)) for k, t in groups.items()},
        squared=squared,
        group_squared=group_squared,
    )


def _tables(
    tally: Tally, cells: list[int], amounts: Sequence[float]
) -> tuple[ConfusionMatrix, dict[tuple[Any, ...], ConfusionMatrix]]:
    """Sum an amount cell by cell, over all cases and over each group."""
    # Counts add as whole numbers, however large; weights without loss.
    add: Add = sum if amounts is tally.count else fsum
    members = _members(tally.groups)
    groups = {group: _table(cells, amounts, rows, add) for group, rows in members.items()}
    return _table(cells, amounts, range(len(cells)), add), groups


def _members(groups: Sequence[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[int]]:
    members: dict[tuple[Any, ...], list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    return dict(sorted(members.items(), key=lambda item: [order(value) for value in item[0]]))


def _table(
    cells: list[int], amounts: Sequence[float], rows: Iterable[int], add: Add
) -> ConfusionMatrix:
    parts: list[list[float]] = [[], [], [], []]
    for row in rows:
        parts[cells[row]].append(amounts[row])
    tp, fn, fp, tn = (add(part) for part in parts)
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def _effective_n(table: ConfusionMatrix, squared: ConfusionMatrix | None) -> float:
    if squared is None:
        return float(table.n)
    return table.n * (table.n / squared.n) if squared.n else nan

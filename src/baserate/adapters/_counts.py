"""Counted rows, and the rules that their values obey, on the way to one record of cases."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.adapters._roles import Roles, refuse_text
from baserate.cases.cases import Cases, opening
from baserate.cases.labels import Labels
from baserate.cases.scores import EXACT, check_scale
from baserate.errors import DataError, InvalidArgumentError, LabelError

MAX_LABELS = 1_000  # distinct labels in one column; beyond that they are identifiers or scores
MAX_ROWS = 200_000  # distinct combinations of labels, groups included
MAX_KEYED_ROWS = 2_000_000  # with clusters or case ids too: about 1 GB while they are collected
MAX_BINS = 4_000_000  # with the cells of a score


class ColumnRange(NamedTuple):
    """What a column of numbers holds: its range, and the text that is no number."""

    low: float = 0.0
    high: float = 0.0
    n_text: int = 0
    text: Any = None

    @classmethod
    def of(
        cls,
        low: Iterable[Any],
        high: Iterable[Any],
        n_text: Iterable[int | None] = (),
        text: Iterable[Any] = (),
    ) -> "ColumnRange":
        """Return the spread of several spreads; None stands for no number, no text and no row."""
        lows, highs = ([float(end) for end in ends if end is not None] for ends in (low, high))
        example = min((value for value in text if value is not None), key=str, default=None)
        return cls(
            min(lows, default=0.0), max(highs, default=0.0), sum(n or 0 for n in n_text), example
        )


class Sums(NamedTuple):
    """Weights of each row: their sum, that of their squares, and whether there are any."""

    present: Sequence[bool] | NDArray[np.bool_]
    weight: Sequence[float] | NDArray[np.float64]
    squared: Sequence[float] | NDArray[np.float64]


def counted_cases(
    roles: Roles,
    labels: Iterable[Labels | Iterable[Any]],
    count: Sequence[int] | NDArray[np.int64],
    sums: Sums | None,
    spreads: Mapping[Any, ColumnRange],
    *,
    where: str,
    ranges: Mapping[Any, tuple[Any, Any]] | None = None,
    **about: Any,
) -> Cases:
    """Turn rows of counts into cases; refuse what no table can be made of.

    `labels` has one column for each of `roles.counted`; a score that was cut is None, False or
    True. `spreads` are the numbers found in the columns of scores and weights; `ranges`, where rows
    are cells, the lowest and the highest score of each row, nan if it is missing.
    """
    refuse_no_rows(len(count), where)
    refuse_wrong_numbers(roles, spreads, where)
    parts, cut = roles.counted, {("predictions", score) for score in roles.cuts}
    coded = (one if isinstance(one, Labels) else Labels.of(one) for one in labels)
    columns = [column._replace(decided=part in cut, name=roles.column(part))
               for part, column in zip(parts, coded, strict=True)]  # fmt: skip
    if sums is not None:
        present = np.array(sums.present, dtype=bool)
        about["weight"] = np.where(present, np.array(sums.weight, dtype=float), np.nan)
        about["squared"] = np.array(sums.squared, dtype=float)
    if ranges:
        ends = {str(score): tuple(np.asarray(end, dtype=np.float64) + 0.0 for end in ends)
                for score, ends in ranges.items() if not _merged(score, ends, roles)}  # fmt: skip
        about["scores"] = {score: low for score, (low, _) in ends.items()}
        about["highest"] = {score: high for score, (_, high) in ends.items()}
    about |= {"target": roles.target, "weight_name": roles.weight, "where": where}
    cases = Cases.of(parts, columns, count=np.array(count, dtype=np.int64), **about)
    cases = roles.complete(cases)
    for score in roles.cuts:
        low, high, *_ = spreads[score]
        check_scale(low, high, roles.threshold, name=f"column {score!r}")
    check_cases(cases)
    return cases


def refuse_wrong_numbers(roles: Roles, spreads: Mapping[Any, ColumnRange], where: str) -> None:
    """Refuse text where numbers are needed, and weights that are negative or infinite."""
    for column, spread in spreads.items():
        if spread.n_text:
            refuse_text(column, spread.n_text, spread.text, where)
    low, high = (0.0, 0.0) if roles.weight is None else spreads[roles.weight][:2]
    if low < 0 or not isfinite(high):
        rule, remedy = "must be non-negative and finite", "mend the column"
        column = f"weight column {roles.weight!r}"
        raise InvalidArgumentError.from_rule(column, rule, low if low < 0 else high, remedy)


def refuse_no_rows(size: int, where: str) -> None:
    """Refuse data without a case."""
    if not size:
        raise DataError(f"{opening(where)} holds no rows: pass at least one case.")


def check_cases(cases: Cases) -> None:
    """Refuse a truth and predictions of too many different labels."""
    check_labels(cases.target, cases.truth.found().values())
    for name, column in cases.predictions.items():
        check_labels(name, column.found().values())


def check_labels(column: Any, values: Iterable[Any]) -> None:
    """Refuse a column with too many different labels: it holds identifiers or scores."""
    different = dict.fromkeys(values)
    if len(different) > MAX_LABELS:
        raise LabelError(
            f"Column {column!r} holds more than {MAX_LABELS:,} distinct values such as "
            f"{next(iter(different))!r}: pass labels, and scores as score (--score)."
        )


def _merged(score: Any, ends: tuple[Any, Any], roles: Roles) -> bool:
    """Whether doubles would merge whole numbers: then there is no more than what was decided."""
    low, high = map(np.asarray, ends)
    if low.dtype.kind not in "iu" or not len(low):
        return False
    merged = not -EXACT <= int(low.min()) <= int(high.max()) <= EXACT
    if merged and score not in roles.cuts:
        raise beyond_floats(score)
    return merged


def most_rows(roles: Roles) -> int:
    """Return how many rows of counts are taken: more where they tell clusters or cells apart."""
    return MAX_BINS if roles.bins else MAX_KEYED_ROWS if roles.keys else MAX_ROWS


def check_size(size: int, labels: Sequence[Iterable[Any]], roles: Roles, where: str) -> None:
    """Refuse more rows of counts than `most_rows`, and name the columns to blame."""
    if size <= most_rows(roles):
        return
    for column, values in zip(roles.labels, labels, strict=False):
        check_labels(column, values)
    columns = [*roles.groups, *roles.keys.values()]
    kind = "columns" if roles.keys else "group columns"
    blame = f"{kind} {', '.join(map(repr, columns))}" if columns else "labels"
    raise DataError(
        f"The {blame} of {where} have more than {most_rows(roles):,} different combinations: "
        "pass columns with fewer distinct values."
    )


def beyond_floats(column: Any) -> DataError:
    """Say that scores would be merged if they were read as floats."""
    return DataError(
        f"Column {column!r} holds whole numbers beyond 2^53, which floats would merge: "
        "pass their ranks."
    )

"""The confusion matrix: four counts that always travel by name."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, cast

import numpy as np

from baserate._arith import plain, ratio
from baserate._calls import explained
from baserate._checks import broadcast, is_plain, numbers_in
from baserate._result import Crossed
from baserate.errors import InvalidArgumentError, InvalidCountError, UnknownNameError

CELLS = ("tp", "fn", "fp", "tn")
LARGEST = 2**61  # arrays of larger counts are kept as floats, so that no sum of four can overflow
ROUNDING = 1e-12  # of rates, which make no more cases than there are
USUAL = 1e300  # Python numbers up to here are counts without further question

# A layout is named by its own picture, row by row.
LAYOUTS = {
    "tp fn / fp tn": ("tp", "fn", "fp", "tn"),
    "tn fp / fn tp": ("tn", "fp", "fn", "tp"),
    "tp fp / fn tn": ("tp", "fp", "fn", "tn"),
    "tn fn / fp tp": ("tn", "fn", "fp", "tp"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfusionMatrix(Crossed):
    """Counts of true positives, false negatives, false positives and true negatives.

    Parameters
    ----------
    tp, fn, fp, tn : int, float or array
        Non-negative and finite. Arrays broadcast against each other and make a batch of tables.
        Floats are weighted counts. Python integers stay exact at any size that a float can hold.

    Raises
    ------
    InvalidCountError
        A count is negative, nan, infinite, not a number, or the shapes do not broadcast.

    Examples
    --------
    Violent recidivism within two years, COMPAS, White defendants (ProPublica; in Briscoe et al.,
    "Algorithmic Accountability in Small Data", AISTATS 2025):

    >>> from baserate import ConfusionMatrix
    >>> t = ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    >>> t.n, t.n_positive, t.n_negative, t.n_predicted
    (2265, 206, 2059, 457)
    >>> round(t.base_rate, 4)
    0.0909
    """

    tp: Any
    fn: Any
    fp: Any
    tn: Any

    def __post_init__(self) -> None:
        cells = {name: _count(name, getattr(self, name)) for name in CELLS}
        if any(isinstance(cell, np.ndarray) for cell in cells.values()):
            cells = dict(zip(CELLS, _broadcast(cells), strict=True))
        for name, cell in cells.items():
            object.__setattr__(self, name, cell)

    @classmethod
    @explained
    def from_rates(
        cls, *, recall: Any, specificity: Any = None, precision: Any = None, base_rate: Any,
        n: Any = 1,
    ) -> Self:  # fmt: skip
        """Build the (weighted) table that has these rates; everything broadcasts.

        tp = n π r, fn = n π (1 - r), fp = n (1 - π)(1 - s), tn = n (1 - π) s. With a precision p
        in place of specificity, as many papers report, fp = tp (1 - p)/p.

        Examples
        --------
        >>> from baserate import ConfusionMatrix
        >>> ConfusionMatrix.from_rates(recall=0.75, specificity=0.5, base_rate=0.5, n=8)
        ConfusionMatrix(tp=3.0, fn=1.0, fp=2.0, tn=2.0)
        >>> ConfusionMatrix.from_rates(recall=0.75, precision=0.75, base_rate=0.5, n=8)
        ConfusionMatrix(tp=3.0, fn=1.0, fp=1.0, tn=3.0)
        """
        size = numbers_in("n", n, "[0, inf)", "pass a number of cases")
        if (specificity is None) is (precision is None):
            rule, remedy = "must be given unless precision is", "pass one of the two"
            raise InvalidArgumentError.from_rule("specificity", rule, specificity, remedy)
        beside = {"specificity": specificity} if precision is None else {"precision": precision}
        rates = {"recall": recall, **beside, "base_rate": base_rate}
        r, x, pi = (numbers_in(k, v, "[0, 1]", "pass a share") for k, v in rates.items())
        broadcast(n=size, **rates)
        if precision is None:
            tp, fn, fp, tn = cells_from_rates(r, 1 - x, pi, size)
            return cls(tp=tp, fn=fn, fp=fp, tn=tn)
        tp, fn, negatives = size * pi * r, size * pi * (1 - r), size * (1 - pi)
        fp = ratio(tp * (1 - x), x)
        if not np.all(fp <= negatives * (1 + ROUNDING)):
            rule = "must leave room among the negatives for as many false alarms as it says"
            least = "pass a higher precision, or a lower base rate"
            raise InvalidArgumentError.from_rule("precision", rule, precision, least)
        return cls(tp=tp, fn=fn, fp=np.minimum(fp, negatives), tn=np.maximum(negatives - fp, 0))

    @classmethod
    def from_array(cls, array: Any, *, layout: str) -> Self:
        """Read the last two axes of an array whose `layout` is named by its own picture.

        Parameters
        ----------
        array : array of shape (..., 2, 2)
        layout : {"tp fn / fp tn", "tn fp / fn tp", "tp fp / fn tn", "tn fn / fp tp"}
            scikit-learn's ``confusion_matrix`` gives "tn fp / fn tp".

        Examples
        --------
        >>> from baserate import ConfusionMatrix
        >>> ConfusionMatrix.from_array([[50, 10], [5, 35]], layout="tn fp / fn tp")
        ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
        """
        known: Any = layout
        if not (isinstance(known, str) and known in LAYOUTS):
            remedy = f"Choose one of {', '.join(map(repr, LAYOUTS))}"
            raise UnknownNameError.from_name("layout", layout, LAYOUTS, remedy)
        values = _asked("array", array)
        if values.shape[-2:] != (2, 2):
            rule = "must have shape (..., 2, 2)"
            raise InvalidCountError.from_rule("array", rule, values.shape, "pass a 2x2 table")
        flat = np.moveaxis(values.reshape(*values.shape[:-2], 4), -1, 0)
        return cls(**dict(zip(LAYOUTS[layout], (plain(cell) for cell in flat), strict=True)))

    @classmethod
    def stack(cls, tables: Iterable[Self]) -> Self:
        """Make one batch of single tables."""
        return cls(**dict(zip(CELLS, map(list, zip(*tables, strict=True)), strict=True)))

    @property
    def n_positive(self) -> Any:
        """Cases that are positive: tp + fn."""
        return self.tp + self.fn

    @property
    def n_negative(self) -> Any:
        """Cases that are negative: fp + tn."""
        return self.fp + self.tn

    @property
    def n_predicted(self) -> Any:
        """Cases predicted positive: tp + fp."""
        return self.tp + self.fp

    @property
    def n_predicted_negative(self) -> Any:
        """Cases predicted negative: fn + tn."""
        return self.fn + self.tn

    @property
    def n(self) -> Any:
        """All cases."""
        return self.n_positive + self.n_negative

    @property
    def base_rate(self) -> Any:
        """Share of positive cases, also called prevalence; nan if there is no case."""
        return plain(ratio(as_float(self.n_positive), as_float(self.n)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for a single table."""
        return np.shape(self.tp)

    @property
    def is_weighted(self) -> bool:
        """Whether some count is not a whole number."""
        some = (cell for cell in self if type(cell) is not int)
        return any(bool(np.any(as_float(cell) % 1 != 0)) for cell in some)

    def __iter__(self) -> Iterator[Any]:
        """Yield tp, fn, fp, tn."""
        return iter((self.tp, self.fn, self.fp, self.tn))

    def __getitem__(self, index: Any) -> Self:
        """Pick tables from a batch."""
        return type(self)(**{name: plain(getattr(self, name)[index]) for name in CELLS})

    def at_base_rate(self, base_rate: Any) -> Self:
        """Reweight the two classes so that positives have this share; recall and specificity stay.

        The total n stays too. A table without positives or without negatives cannot be reweighted:
        that is an error here, and nan in ``metric.at_base_rate``.

        Examples
        --------
        >>> from baserate import ConfusionMatrix
        >>> ConfusionMatrix(tp=6, fn=4, fp=18, tn=72).at_base_rate(0.5)
        ConfusionMatrix(tp=30.0, fn=20.0, fp=10.0, tn=40.0)
        """
        pi = numbers_in("base_rate", base_rate, "[0, 1]", "pass the share of positives")
        empty = np.equal(self.n_positive, 0) | np.equal(self.n_negative, 0)
        if np.any(empty):
            rule = "must contain both classes to be restated at another base rate"
            raise InvalidCountError.from_rule("table", rule, self, "collect cases of both classes")
        tp, fn, fp, tn = reweighted(*map(as_float, self), base_rate=pi)
        return type(self)(tp=tp, fn=fn, fp=fp, tn=tn)

    def swap_classes(self) -> Self:
        """Call the other class positive."""
        return type(self)(tp=self.tn, fn=self.fp, fp=self.fn, tn=self.tp)

    def transpose(self) -> Self:
        """Exchange truth and prediction."""
        return type(self)(tp=self.tp, fn=self.fp, fp=self.fn, tn=self.tn)

    def to_dict(self) -> dict[str, Any]:
        """Return the four counts by name; arrays become nested lists."""
        return {f.name: np.asarray(getattr(self, f.name)).tolist() for f in fields(self)}

    def __add__(self, other: object) -> Self:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        pairs = zip(CELLS, self, other, strict=True)
        return type(self)(**{name: mine + theirs for name, mine, theirs in pairs})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return all(np.array_equal(a, b) for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        if isinstance(self.tp, int | float):  # one table, as those are that are looked up often
            return hash((self.tp, self.fn, self.fp, self.tn))
        return hash((self.shape, *(tuple(np.ravel(cell).tolist()) for cell in self)))


# What the dataclass wrote.
setattr(ConfusionMatrix, "__init__", explained(ConfusionMatrix.__init__))  # noqa: B010


def of_four(cells: Any) -> ConfusionMatrix:
    """Return the table with these counts, in the order of `CELLS`."""
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def unchecked(*, tp: Any, fn: Any, fp: Any, tn: Any) -> ConfusionMatrix:
    """Make a batch of arrays that are known to be valid counts, without a copy; they get frozen.

    For counts made here: int64 or float64 arrays of one shape, non-negative and finite, that nobody
    else writes to.
    """
    table = object.__new__(ConfusionMatrix)
    for name, cell in zip(CELLS, (tp, fn, fp, tn), strict=True):
        cell.flags.writeable = False
        object.__setattr__(table, name, cell)
    return table


def some_table(argument: str, table: Any) -> ConfusionMatrix:
    """Return the table if it is a confusion matrix, or a batch of them."""
    if not isinstance(table, ConfusionMatrix):
        raise no_table(argument, table)
    return table


def no_table(argument: str, given: Any) -> InvalidArgumentError:
    """Say that this is no table, and how one is made: of four cells without names too."""
    remedy = "pass ConfusionMatrix(tp=, fn=, fp=, tn=)"
    if is_unnamed(given):
        remedy += ", or of an array of scikit-learn's ConfusionMatrix.from_array(array, "
        remedy += 'layout="tn fp / fn tp")'
    return InvalidArgumentError.from_rule(argument, "must be a ConfusionMatrix", given, remedy)


def is_unnamed(given: Any) -> bool:
    """Whether these are four cells in an array, which does not say what each of them counts."""
    try:
        return np.shape(given) == (2, 2) and not isinstance(given, Mapping)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return False


def named_tables(argument: str, tables: Any) -> Mapping[Any, ConfusionMatrix]:
    """Return a mapping of names to single tables."""
    if not isinstance(tables, Mapping):
        rule, remedy = "must be a mapping of names to tables", "pass {name: ConfusionMatrix(...)}"
        raise InvalidArgumentError.from_rule(argument, rule, tables, remedy)
    named: Mapping[Any, Any] = cast("Mapping[Any, Any]", tables)
    for name, table in named.items():
        single_table(f"{argument}[{name!r}]", table)
    return named


def single_table(argument: str, table: Any) -> ConfusionMatrix:
    """Return the table if it is one confusion matrix, not a batch of them."""
    some_table(argument, table)
    if table.shape != ():
        given, remedy = f"a batch of shape {table.shape}", "pass one table of a batch at a time"
        raise InvalidArgumentError.from_rule(argument, "must be a single table", given, remedy)
    return table


def has_both(table: ConfusionMatrix) -> bool:
    """Whether there are cases of both classes: of one alone nothing is guessed or at stake."""
    return bool(table.n_positive and table.n_negative)


def both_classes(argument: str, table: Any) -> ConfusionMatrix:
    """Return the table if it is a single one with cases of both classes."""
    found = single_table(argument, table)
    if not has_both(found):
        rule = "must contain both classes, without which its recall or specificity is undefined"
        raise InvalidCountError.from_rule(argument, rule, found, "collect cases of both classes")
    return found


def as_float(cell: Any) -> Any:
    """Return counts as float64: Python integers may be larger than any NumPy integer."""
    return np.asarray(cell, dtype=np.float64)


def cells_from_rates(recall: Any, false_positive_rate: Any, base_rate: Any, n: Any = 1) -> Any:
    """Return (tp, fn, fp, tn) without any check, so that complex steps pass through."""
    positive, negative = n * base_rate, n * (1 - base_rate)
    r, f = recall, false_positive_rate
    return positive * r, positive * (1 - r), negative * f, negative * (1 - f)


def reweighted(tp: Any, fn: Any, fp: Any, tn: Any, base_rate: Any) -> Any:
    """Return the four cells at another base rate; all nan where a class is empty."""
    n = tp + fn + fp + tn
    up, down = ratio(n * base_rate, tp + fn), ratio(n * (1 - base_rate), fp + tn)
    up, down = up + 0 * down, down + 0 * up
    return tuple(plain(cell) for cell in (tp * up, fn * up, fp * down, tn * down))


def _count(name: str, value: Any) -> Any:
    if type(value) in (int, float) and 0 <= value <= USUAL:
        return value
    array = _asked(name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        array = np.asarray(float(value) if value.bit_length() < 1000 else math.inf)
    if array.dtype.kind not in "iuf":
        rule = "must be a number or an array of numbers"
        raise InvalidCountError.from_rule(name, rule, value, "pass counts, not labels")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # long doubles that no float holds are infinite
            array = array.astype(np.float64)
    if array.size and not (np.isfinite(array).all() and (array >= 0).all()):
        rule = "must be non-negative and finite"
        given = array[~(np.isfinite(array) & (array >= 0))].flat[0].item()
        raise InvalidCountError.from_rule(name, rule, given, "pass counts or sums of weights")
    if array.size and float(array.max()) > USUAL:
        rule, given = f"must be at most {USUAL:g}", array.max().item()
        raise InvalidCountError.from_rule(name, rule, given, "choose a larger unit of weight")
    # Python numbers stay exact; arrays are private, so that the table really is frozen.
    if array.ndim:
        return _safe(array)
    return value if type(value) in (int, float) else array.item()


def _asked(name: str, value: Any) -> np.ndarray[Any, Any]:
    """Return what NumPy makes of it; gaps of a mask are no counts."""
    try:
        if is_plain(value):
            return np.asarray(value)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of masked numbers in a list
            hidden, array = np.ma.is_masked(value), np.asarray(value)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        hidden, array = False, np.array(None)
    if hidden or array.dtype.kind == "m":
        rule, remedy = "must be a number or an array of numbers", "pass counts, not labels"
        raise InvalidCountError.from_rule(name, rule, value, remedy)
    return array


def _broadcast(cells: dict[str, Any]) -> list[Any]:
    try:
        arrays = np.broadcast_arrays(*cells.values())
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(cell)}" for name, cell in cells.items())
        rule = "must have shapes that broadcast"
        raise InvalidCountError.from_rule(
            "tp, fn, fp, tn", rule, shapes, "pass arrays of one shape"
        ) from None
    copies = [_safe(array) for array in arrays]
    for copy in copies:
        copy.flags.writeable = False
    return copies


def _safe(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Copy counts into a type in which the sum of four cannot overflow."""
    small = array.dtype.kind in "iu" and (not array.size or array.max() <= LARGEST)
    return array.astype(np.int64 if small else np.float64)

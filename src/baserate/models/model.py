"""What every model of tables offers, and the rules that its arguments obey.

Questions ask for nothing else than `Model` offers.
"""

from typing import Any, Protocol

from baserate._checks import as_number
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models.factors import BinomialCount, Factor

LIMIT = 2**53

_LEAST, _MOST = 1e-100, 1e100

Cells = tuple[float, float, float, float]

ALL = frozenset(CELLS)
CAN_SUM = "what these cells can sum to"
POSITIVE, NEGATIVE = frozenset({"tp", "fn"}), frozenset({"fp", "tn"})
FLAGGED, PASSED = frozenset({"tp", "fp"}), frozenset({"fn", "tn"})


class Model(Protocol):
    """A probability over tables of four counts, factorised the same way for all models.

    First the number of positives, then the true positives given the positives, then the false
    positives given the negatives; the last two are independent given the first, unless the number
    of predicted positives is fixed: then ``n_predicted`` is a number and fp = n_predicted - tp.
    """

    @property
    def n(self) -> int:
        """Cases in every table."""
        ...

    @property
    def fixed_n_predicted(self) -> int | None:
        """Cases predicted positive, if that number is the same in every table."""
        ...

    @property
    def n_tables(self) -> int:
        """Tables that are possible."""
        ...

    @property
    def mean(self) -> ConfusionMatrix:
        """The mean of each count."""
        ...

    def positives(self) -> Factor:
        """Return the law of the number of positives."""
        ...

    def true_positives(self, n_positive: Any) -> Factor:
        """Return the law of the true positives among that many positives."""
        ...

    def false_positives(self, n_negative: Any) -> Factor:
        """Return the law of the false positives among that many negatives."""
        ...

    def total(self, cells: frozenset[str]) -> Factor | None:
        """Return the law of the sum of these cells, or None where it is no single factor."""
        ...

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor | None:
        """Return the law of the sum of `cells`, a subset of `whole`, given the sum of `whole`.

        None where it is no single factor.
        """
        ...

    def tower(self) -> BinomialCount | None:
        """Return the law of n_predicted if, given it, the table is Hypergeometric; else None."""
        ...

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        ...

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        ...

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        ...


def countable(argument: str, n: int) -> None:
    """Refuse 2^53 cases or more."""
    if n >= LIMIT:
        rule = "must be below 2^53, up to where doubles tell whole numbers apart"
        remedy = "ask a metric's own formula at the mean table, from which it hardly differs"
        raise InvalidArgumentError.from_rule(argument, rule, n, remedy)


def from_margins(tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> ConfusionMatrix:
    """Return the table with these class totals."""
    return ConfusionMatrix(tp=tp, fn=n_positive - tp, fp=fp, tn=n_negative - fp)


def four_numbers(argument: str, value: Any) -> tuple[Any, Any, Any, Any]:
    """Return (tp, fn, fp, tn) of one table or of four numbers that do not all vanish."""
    try:
        tp, fn, fp, tn = value
        given = (tp, fn, fp, tn)
        right = all(map(_is_weight, given)) and any(given)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        given, right = (0, 0, 0, 0), False
    if not right:
        rule = "must be four numbers tp, fn, fp, tn, not all 0, the others between 1e-100 and 1e100"
        remedy = "pass a ConfusionMatrix of one table, or a tuple"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return given


def summed(cells: frozenset[str], weights: Any) -> Any:
    """Return the sum of the weights of these cells."""
    tp, fn, fp, tn = weights  # an audit asks a million times
    return (
        (tp if "tp" in cells else 0)
        + (fn if "fn" in cells else 0)
        + (fp if "fp" in cells else 0)
        + (tn if "tn" in cells else 0)
    )


def checked(argument: str, cells: frozenset[str], known: frozenset[str] = ALL) -> None:
    """Refuse cells that are not among those known."""
    if not cells <= known:
        rule = f"must be among {', '.join(name for name in CELLS if name in known)}"
        raise InvalidArgumentError.from_rule(argument, rule, sorted(cells), "name only those")


def within(argument: str, given: int, ends: tuple[int, int], what: str) -> None:
    """Refuse a condition that has probability zero."""
    low, high = ends
    if not low <= given <= high:
        rule = f"must be {low}" if low == high else f"must lie between {low} and {high}"
        remedy = "condition on what can happen"
        raise InvalidArgumentError.from_rule(argument, f"{rule}, {what}", given, remedy)


def _is_weight(number: Any) -> bool:
    """Whether it is 0, or a number whose ratio to others neither overflows nor vanishes."""
    found = as_number(number)
    return found == 0 or _LEAST <= found <= _MOST

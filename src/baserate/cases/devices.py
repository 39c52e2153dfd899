"""Arrays that live on a device are counted there, with comparisons, `&` and sums alone."""

import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

from baserate.cases.columns import is_device_array
from baserate.errors import InvalidArgumentError

# Cases, weight and squared weight, by labels and whether the weight counts.
Totals = dict[tuple[Any, ...], list[float]]
COUNTS, MISSING, IDLE = 0, 1, 2  # a weight above 0 or none asked for, a missing one, and 0

CHUNK = 1 << 21  # rows: one comparison then takes 2 MiB of the device
FEW = 16  # labels beyond which the processor counts faster


def live_together(*arrays: Any) -> bool:
    """Whether everything is held by one array library other than NumPy."""
    return all(map(is_device_array, arrays)) and len({type(array) for array in arrays}) == 1


def count_on_device(
    truth: tuple[str, Any], prediction: tuple[str, Any], weight: tuple[str, Any]
) -> Totals | None:
    """Count named columns chunk by chunk, by (label, label, kind of weight).

    None if there are too many labels to count by comparison. All arrays must be one-dimensional and
    of one length; the weight may be None.
    """
    totals: Totals = {}
    (_, y_true), (_, y_pred), (weight_name, sample_weight) = truth, prediction, weight
    xp = namespace_of(y_true)
    sides = _Labels(xp, y_true), _Labels(xp, y_pred)
    size = int(y_true.shape[0])
    for low in range(0, size, CHUNK):
        rows = slice(low, min(low + CHUNK, size))
        masks = [list(labels.masks(rows)) for labels in sides]
        if max(map(len, masks)) > FEW:
            return None
        part = (weight_name, None if sample_weight is None else sample_weight[rows])
        for (t, hit_t), (p, hit_p) in product(*masks):
            _add(xp, totals, (t, p), hit_t & hit_p, part)
    return totals


def labels_on_device(array: Any) -> list[tuple[Any, Any]] | None:
    """Return every label of a column with the rows that hold it; None if they are too many."""
    found = list(_Labels(namespace_of(array), array).masks(slice(0, int(array.shape[0]))))
    return None if len(found) > FEW else found


class _Labels:
    """The labels of one array, learned by halving: find the first row that equals none of them."""

    def __init__(self, xp: Any, array: Any) -> None:
        self.xp = xp
        self.array = array
        self.known: list[Any] = []

    def masks(self, rows: slice) -> Iterator[tuple[Any, Any]]:
        """Yield every label in these rows (None if missing) with the rows that hold it."""
        part = self.array[rows]
        rest = part == part  # noqa: PLR0124  everything but nan
        yield None, ~rest
        for label in self.known:
            mask = part == label
            rest = rest & ~mask
            yield label, mask
        while len(self.known) <= FEW and _count(self.xp, rest):
            label = _plain(self.xp, part[_first(self.xp, rest)])
            self.known.append(label)
            mask = part == label
            rest = rest & ~mask
            yield label, mask


def _first(xp: Any, mask: Any) -> int:
    low, high = 0, int(mask.shape[0])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _count(xp, mask[low:middle]) else (middle, high)
    return low


def add(
    totals: Totals, labels: tuple[Any, ...], count: int, weight: float = 0, squared: float = 0
) -> None:
    """Add cases that share these labels."""
    total = totals.setdefault(labels, [0, 0.0, 0.0])
    total[0] += count
    total[1] += weight
    total[2] += squared


def _add(
    xp: Any, totals: Totals, labels: tuple[Any, Any], mask: Any, named_weight: tuple[str, Any]
) -> None:
    count, (argument, weight) = _count(xp, mask), named_weight
    if not count:
        return
    if weight is None:
        add(totals, (*labels, COUNTS), count)
        return
    weights = weight[mask]
    present = weights[weights == weights]  # noqa: PLR0124  a missing weight is nan
    complete = int(present.shape[0])
    if complete < count:
        add(totals, (*labels, MISSING), count - complete)
    if complete:
        _check(xp, argument, present)
        wide = xp.asarray(present, dtype=xp.float64)  # squares leave narrow types
        total, squared = float(xp.sum(wide)), float(xp.sum(wide * wide))
        above = _count(xp, present > 0)
        for kind, cases, *sums in ((COUNTS, above, total, squared), (IDLE, complete - above)):
            if cases:
                add(totals, (*labels, kind), cases, *sums)


def _check(xp: Any, argument: str, weights: Any) -> None:
    low, high = float(xp.min(weights)), float(xp.max(weights))
    given = low if low < 0 else high
    if low < 0 or high == float("inf"):
        rule, remedy = "must be non-negative and finite", "pass numbers of at least 0"
        raise InvalidArgumentError.from_rule(argument, rule, given, remedy)


def _count(xp: Any, mask: Any) -> int:
    return int(xp.count_nonzero(mask))


def _plain(xp: Any, scalar: Any) -> Any:
    if hasattr(scalar, "item"):
        return scalar.item()
    if xp.isdtype(scalar.dtype, "bool"):
        return bool(scalar)
    return int(scalar) if xp.isdtype(scalar.dtype, "integral") else float(scalar)


def namespace_of(array: Any) -> Any:
    """Return the functions of the library that an array belongs to."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    return sys.modules[type(array).__module__.partition(".")[0]]

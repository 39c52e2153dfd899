"""Blocks of labels become small whole numbers, learned as they turn up and counted."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases._kinds import AnyColumn, Numbers
from baserate.cases.binary import scores_error
from baserate.cases.devices import COUNTS, IDLE, MISSING, Totals, add
from baserate.cases.labels import Labels, combinations
from baserate.cases.values import is_fraction, label_of
from baserate.cases.weights import Weights
from baserate.errors import LabelError

FEW = 8  # up to here, comparing with each label beats looking each label up
TOO_MANY = 1000  # different labels, some of them fractions: these are scores
SPAN = 1 << 12  # whole numbers so close together are codes already, less the smallest
SAFE = 1 << 62  # beyond it, offsets of whole numbers might overflow

Codes = NDArray[Any]


class Encoder:
    """Encode one column in blocks; code `i` stands for `labels[i]`, which is None if missing.

    With `runs`, whole numbers that lie close together are numbered by size without being looked
    at one by one: quicker, but some of the labels may then not occur.
    """

    def __init__(
        self, argument: str, column: AnyColumn, *, refuse_scores: bool = True, runs: bool = False
    ) -> None:
        self.argument = argument
        self.column = column
        self.refuse_scores = refuse_scores
        self.labels: list[Any] = []
        self.keys: list[Any] = []
        self.index: _Index | None = None
        kind = column.array.dtype.kind if isinstance(column, Numbers) else "O"
        self.boolean = kind == "b"
        self.run = _Run(float if kind == "f" else int) if runs and kind in "iuf" else None
        if self.boolean:
            self.labels = [False, True]

    def encode(self, low: int, high: int) -> Codes:
        """Return one code per row: booleans while two labels are known, else whole numbers."""
        block = self.column.block(low, high)
        if self.boolean:
            return block
        codes = None
        if self.index is None and (self.run is None or not self.run.size):
            codes = self._compare(block, high - low)
        if codes is None and self.run is not None:
            codes = self._run_on(block, self.run)
        return self._look_up(block) if codes is None else codes

    def whole(self, name: str | None = None) -> Labels:
        """Encode the whole column; `name` is what messages call it, if not what it is kept as."""
        size = len(self.column)
        codes = np.empty(size, dtype=np.intp)
        for low in range(0, size, BLOCK):
            codes[low : low + BLOCK] = self.encode(low, min(low + BLOCK, size))
        return Labels(codes, self.labels, name=name)

    def _run_on(self, block: Any, run: "_Run") -> Codes | None:
        codes = run.encode(block, self.labels)
        if codes is None:
            self.run = None
            if not run.size:
                return self._compare(block, len(block))
        return codes

    def _compare(self, block: Any, size: int) -> Codes | None:
        few = FEW if self.run is None else 2  # whole numbers have a quicker way
        masks = [self.column.equal(block, key) for key in self.keys]
        found = sum(int(np.count_nonzero(mask)) for mask in masks)
        while found < size:
            if len(masks) == few:
                return None
            masks.append(self._learn(block, masks))
            found += int(np.count_nonzero(masks[-1]))
        return _combined(masks)

    def _learn(self, block: Any, masks: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        row = int(np.argmin(np.logical_or.reduce(masks))) if masks else 0
        key = self.column.key(block, row)
        self.keys.append(key)
        self.labels.append(self._label(self.column.objects(block[row : row + 1])[0]))
        return self.column.equal(block, key)

    def _look_up(self, block: Any) -> Codes:
        if self.index is None:
            self.index = _Index(self.labels)
        objects = self.column.objects(block)
        try:
            codes = np.fromiter(map(self.index.__getitem__, objects), np.intp, len(objects))
        except Exception:  # noqa: BLE001  a foreign object may raise anything
            # A missing value that cannot be hashed, or a label that is none: the error says which.
            objects = [self._label(value) for value in objects]
            codes = np.fromiter(map(self.index.__getitem__, objects), np.intp, len(objects))
        if (
            self.refuse_scores
            and len(self.labels) > TOO_MANY
            and any(map(is_fraction, self.labels))
        ):
            raise scores_error(self.argument, self.labels)
        return codes

    def _label(self, value: Any) -> Any:
        try:
            label = label_of(value)
            hash(label)
        except Exception:  # noqa: BLE001  a foreign object may raise anything
            rule, remedy = "must hold one plain label per case", "pass a flat column of labels"
            raise LabelError.from_rule(self.argument, rule, value, remedy) from None
        return label


class _Run:
    """Codes of whole numbers that lie close together: the number itself, less the smallest.

    A block that leaves the range gets a wider one, whose labels come after all that there are: a
    few labels then have several codes.
    """

    def __init__(self, label: type) -> None:
        self.label = label
        self.low = 0
        self.size = 0
        self.first = 0

    def encode(self, block: NDArray[Any], labels: list[Any]) -> Codes | None:
        """Return one code per row; None if the numbers are not whole or too far apart."""
        low, high = block.min().item(), block.max().item()
        if not -SAFE < low <= high < SAFE:  # nan neither
            return None
        low, high = int(low), int(high)
        if not (self.size and self.low <= low and high < self.low + self.size):
            if self.size:
                low, high = min(low, self.low), max(high, self.low + self.size - 1)
            if high - low >= SPAN:
                return None
        codes = block.astype(np.intp)
        if self.label is float and not np.array_equal(codes, block):
            return None
        if high - low >= self.size:
            self._widen(low, high, labels)
        codes += self.first - self.low
        return codes

    def _widen(self, low: int, high: int, labels: list[Any]) -> None:
        """Take in these numbers; more at once than asked for, so that it is seldom done."""
        if self.size:
            low, high = low - self.size * (low < self.low), high + self.size * (low == self.low)
        self.low, self.size, self.first = low, high - low + 1, len(labels)
        labels.extend(map(self.label, range(low, high + 1)))


class _Index(dict[Any, int]):
    """Codes by label; a label that is not there yet gets the next code."""

    def __init__(self, labels: list[Any]) -> None:
        super().__init__((label, code) for code, label in enumerate(labels))
        self.labels = labels

    def __missing__(self, value: Any) -> int:
        label = label_of(value)
        code = self.get(label)
        if code is None:
            code = len(self.labels)
            self.labels.append(label)
            self[label] = code
        self[value] = code  # as it is stored, too: a day may come as a datetime
        return code


def _combined(masks: list[NDArray[np.bool_]]) -> Codes:
    if len(masks) < 2:
        return ~masks[0] if masks else np.zeros(0, dtype=bool)
    codes = masks[1]
    for code, mask in enumerate(masks[2:], start=2):
        codes = codes + np.uint8(code) * mask
    return codes


BLOCK = 1 << 17  # rows: small enough for the processor's cache, large enough to hide Python's part
CELLS = 1 << 23  # combinations that one array may count, and for each row that it pays for:
CELLS_A_ROW = 32
BOOLEANS = 1 << 19  # rows where both columns are booleans, which take a byte each


def tally(encoders: Sequence[Encoder], weights: Weights | None) -> Totals:
    """Count the cases, and add up their weights, for every combination of labels that occurs.

    From the labels of each column, and what kind of weight there is (see `Totals`), to the number
    of cases, the sum of their weights and that of the squared weights.
    """
    totals: Totals = {}
    cells = _Cells(encoders)
    size = len(encoders[0].column)
    block = BOOLEANS if all(encoder.boolean for encoder in encoders) else BLOCK
    for low in range(0, size, block):
        high = min(low + block, size)
        codes = [encoder.encode(low, high) for encoder in encoders]
        if weights is not None:
            _add_weighted(totals, encoders, codes, weights.block(low, high))
        elif len(codes) == 2 and codes[0].dtype == codes[1].dtype == bool:
            _add_booleans(totals, encoders, codes)
        elif not cells.add(codes):
            _add_cases(totals, encoders, codes)
    cells.into(totals)
    return totals


class _Cells:
    """Counts of every combination of codes, kept as one array while that is not too large."""

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self.encoders = encoders
        self.counts = np.zeros((0,) * len(encoders), dtype=np.int64)
        self.most = min(CELLS, max(BLOCK, CELLS_A_ROW * len(encoders[0].column)))

    def add(self, codes: Sequence[Codes]) -> bool:
        """Count a block; False, and nothing is done, if there are too many combinations."""
        shape = tuple(len(encoder.labels) for encoder in self.encoders)
        if prod(shape) > self.most:
            return False
        if shape != self.counts.shape:
            more = [(0, now - was) for now, was in zip(shape, self.counts.shape, strict=True)]
            self.counts = np.pad(self.counts, more)
        place = codes[0].astype(np.intp, copy=False)
        for column, radix in zip(codes[1:], shape[1:], strict=True):
            place = place * radix
            place += column
        if prod(shape) <= BLOCK:
            self.counts += np.bincount(place, minlength=prod(shape)).reshape(shape)
        else:
            np.add.at(self.counts.reshape(-1), place, 1)
        return True

    def into(self, totals: Totals) -> None:
        """Add what was counted to the totals."""
        for place in zip(*(axis.tolist() for axis in np.nonzero(self.counts)), strict=True):
            labels = [encoder.labels[k] for encoder, k in zip(self.encoders, place, strict=True)]
            add(totals, (*labels, COUNTS), int(self.counts[place]))


def _add_booleans(totals: Totals, encoders: Sequence[Encoder], codes: list[Codes]) -> None:
    truth, prediction = codes
    both = int(np.count_nonzero(truth & prediction))
    only_truth = int(np.count_nonzero(truth)) - both
    only_prediction = int(np.count_nonzero(prediction)) - both
    neither = len(truth) - both - only_truth - only_prediction
    for t, p, count in ((1, 1, both), (1, 0, only_truth), (0, 1, only_prediction), (0, 0, neither)):
        if count:
            add(totals, (encoders[0].labels[t], encoders[1].labels[p], COUNTS), count)


def _add_cases(totals: Totals, encoders: Sequence[Encoder], codes: list[Codes]) -> None:
    rows, place = combinations(codes, [len(encoder.labels) for encoder in encoders])
    counts = np.bincount(place).tolist()
    for row, count in zip(rows.tolist(), counts, strict=True):
        add(totals, (*_labels(encoders, codes, row), COUNTS), count)


def _add_weighted(
    totals: Totals, encoders: Sequence[Encoder], codes: list[Codes], weights: NDArray[np.float64]
) -> None:
    absent = np.isnan(weights)
    kind = (MISSING * absent + IDLE * (weights == 0)).astype(np.uint8)
    weights = np.where(absent, 0, weights)
    sizes = [len(encoder.labels) for encoder in encoders]
    rows, place = combinations([*codes, kind], [*sizes, 3])
    sums = [np.bincount(place, w).tolist() for w in (None, weights, weights * weights)]
    for row, count, weight, squared in zip(rows.tolist(), *sums, strict=True):
        add(totals, (*_labels(encoders, codes, row), int(kind[row])), count, weight, squared)


def _labels(encoders: Sequence[Encoder], codes: list[Codes], row: int) -> tuple[Any, ...]:
    return tuple(e.labels[int(c[row])] for e, c in zip(encoders, codes, strict=True))

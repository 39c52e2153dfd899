"""Count the combinations of labels in several columns, block by block."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.devices import COUNTS, IDLE, MISSING, Totals, add
from baserate.cases.encoder import Codes, Encoder
from baserate.cases.labels import combinations
from baserate.cases.weights import Weights

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

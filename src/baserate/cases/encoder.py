"""Blocks of labels become small whole numbers, and labels are learned as they turn up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases._kinds import Column, Numbers
from baserate.cases.binary import scores_error
from baserate.cases.values import is_fraction, label_of
from baserate.errors import LabelError

FEW = 8  # up to here, comparing with each label beats looking each label up
TOO_MANY = 1000  # different labels, some of them fractions: these are scores

Codes = NDArray[Any]


class Encoder:
    """Encode one column in blocks; code `i` stands for `labels[i]`, which is None if missing."""

    def __init__(self, argument: str, column: Column, *, refuse_scores: bool = True) -> None:
        self.argument = argument
        self.column = column
        self.refuse_scores = refuse_scores
        self.labels: list[Any] = []
        self.keys: list[Any] = []
        self.index: _Index | None = None
        self.boolean = isinstance(column, Numbers) and column.array.dtype == bool
        if self.boolean:
            self.labels = [False, True]

    def encode(self, low: int, high: int) -> Codes:
        """Return one code per row: booleans while two labels are known, else whole numbers."""
        block = self.column.block(low, high)
        if self.boolean:
            return block
        codes = self._compare(block, high - low) if self.index is None else None
        return self._look_up(block) if codes is None else codes

    def _compare(self, block: Any, size: int) -> Codes | None:
        masks = [self.column.equal(block, key) for key in self.keys]
        found = sum(int(np.count_nonzero(mask)) for mask in masks)
        while found < size:
            if len(masks) == FEW:
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
        except (TypeError, ValueError):
            for value in objects:  # find the one that is to blame
                self._label(value)
            raise
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
        except (TypeError, ValueError):
            rule, remedy = "must hold one plain label per case", "pass a flat column of labels"
            raise LabelError.from_rule(self.argument, rule, value, remedy) from None
        return label


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
    if len(masks) == 1:
        return ~masks[0]
    codes = masks[1]
    for code, mask in enumerate(masks[2:], start=2):
        codes = codes + np.uint8(code) * mask
    return codes

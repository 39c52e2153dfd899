"""One non-negative weight per case, read in blocks, and what their sums must be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import numbers
from baserate.cases._kinds import Frame, Numbers, Objects
from baserate.cases.columns import column
from baserate.cases.values import is_missing
from baserate.errors import InvalidArgumentError, LabelError

LARGEST = 1e150  # the square of a larger weight is no finite number
SQUARES = (1e-290, 1e290)  # beyond these the square of a weight has lost its digits


class Weights:
    """Blocks of weights as floats; a missing weight is nan."""

    def __init__(self, argument: str, values: Any) -> None:
        self.argument = argument
        try:
            self.column = column(argument, values)
        except LabelError as error:
            raise InvalidArgumentError(str(error)) from None

    def __len__(self) -> int:
        return len(self.column)

    def block(self, low: int, high: int) -> NDArray[np.float64]:
        """Return weights low to high, having checked that they are non-negative and finite."""
        weights = self._floats(self.column.block(low, high))
        wrong = (weights < 0) | np.isinf(weights)
        if wrong.any():
            given = weights[wrong][0].item()
            raise self._error("must be non-negative and finite", given)
        if (vast := weights > LARGEST).any():
            rule = f"must be at most {LARGEST:g}, so that their squares can be added up"
            raise self._error(rule, weights[vast][0].item())
        return weights

    def _floats(self, block: Any) -> NDArray[np.float64]:
        if isinstance(self.column, Numbers) and block.dtype.kind in "biuf":
            return np.asarray(block, dtype=float)
        if isinstance(self.column, Frame) and block.dtype.is_numeric():
            values = self.column.objects(block)
        elif isinstance(self.column, Objects):
            values = block.tolist()
        else:
            raise self._error("must hold numbers", self.column.objects(block[:1])[0])
        return self._from_objects(values)

    def _from_objects(self, values: Any) -> NDArray[np.float64]:
        text = next((value for value in values if isinstance(value, (str, bytes))), None)
        if text is not None:
            raise self._error("must hold numbers", text)
        present = [np.nan if is_missing(value) else value for value in values]
        weights = numbers(present)
        if weights is None or weights.ndim != 1:
            raise self._error("must hold numbers", present[0])
        return weights

    def _error(self, rule: str, given: Any) -> InvalidArgumentError:
        numeric = rule.startswith("must be non-negative")
        remedy = "pass numbers of at least 0" if numeric else "pass one weight per case"
        return InvalidArgumentError.from_rule(self.argument, rule, given, remedy)


def check_sums(target: str, n: int, weight: Array | None, squared: Array | None) -> None:
    """Refuse no cases, and sums of weights and of their squares by which no rate is known."""
    if not n:
        raise LabelError(f"{target} holds no cases: pass at least one labelled case.")
    if weight is None or squared is None:
        return
    if not weight.any():
        raise LabelError(
            f"{target} holds no case that counts, because all weights are 0: pass a weight above 0 "
            "for some cases of each class, or pass no weights."
        )
    low, high = SQUARES
    lost = (weight != 0) & ~((low < squared) & (squared < high))
    if lost.any():
        rule = "must have squares that a float can hold"
        given = f"weights that sum to {weight[lost][0]:g}"
        remedy = "multiply all weights by one constant, which changes no rate"
        raise LabelError.from_rule("weights", rule, given, remedy)

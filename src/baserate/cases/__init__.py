"""Columns and arrays of labels become four counts, whatever library holds them."""

from baserate.cases.arrays import confusion_matrix, count_labels, tally_arrays
from baserate.cases.tally import Counted, Tally, resolve

__all__ = [
    "Counted",
    "Tally",
    "confusion_matrix",
    "count_labels",
    "resolve",
    "tally_arrays",
]

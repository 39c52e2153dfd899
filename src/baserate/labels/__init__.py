"""Columns and arrays of labels become four counts, whatever library holds them."""

from baserate.labels.arrays import confusion_matrix, count_labels, tally_arrays
from baserate.labels.tally import Counted, Tally, resolve

__all__ = [
    "Counted",
    "Tally",
    "confusion_matrix",
    "count_labels",
    "resolve",
    "tally_arrays",
]

"""The reading room: columns and arrays become one record of cases, whatever library holds them."""

from baserate.cases.arrays import confusion_matrix, count_labels, read_arrays
from baserate.cases.cases import Cases
from baserate.cases.labels import Labels
from baserate.cases.two_classes import BinaryCases, Counted

__all__ = [
    "BinaryCases",
    "Cases",
    "Counted",
    "Labels",
    "confusion_matrix",
    "count_labels",
    "read_arrays",
]

"""The reading room: columns and arrays become one record of cases, whatever library holds them."""

from baserate.cases.arrays import confusion_matrix, count_labels, read_arrays
from baserate.cases.cases import Cases
from baserate.cases.counted import Counted
from baserate.cases.labels import Labels
from baserate.cases.two_classes import BinaryCases
from baserate.cases.unseen_cases import HeldOut, held_out

__all__ = [
    "BinaryCases",
    "Cases",
    "Counted",
    "HeldOut",
    "Labels",
    "confusion_matrix",
    "count_labels",
    "held_out",
    "read_arrays",
]

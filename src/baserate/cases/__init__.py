"""The reading room: columns and arrays become one record of cases, whatever library holds them."""

from baserate.cases.arrays import class_table, confusion_matrix, count_labels, read_arrays
from baserate.cases.cases import Cases
from baserate.cases.counted import Counted
from baserate.cases.labels import Labels
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.cases.unseen_cases import HeldOut, held_out

__all__ = [
    "BinaryCases",
    "Cases",
    "ClassCases",
    "ClassCounted",
    "Counted",
    "HeldOut",
    "Labels",
    "class_table",
    "confusion_matrix",
    "count_labels",
    "held_out",
    "read_arrays",
]

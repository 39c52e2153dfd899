"""The reading room: columns and arrays become one record of cases, whatever library holds them."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.cases.arrays import class_table as class_table
    from baserate.cases.arrays import confusion_matrix as confusion_matrix
    from baserate.cases.arrays import count_labels as count_labels
    from baserate.cases.arrays import read_arrays as read_arrays
    from baserate.cases.cases import Cases as Cases
    from baserate.cases.counted import Counted as Counted
    from baserate.cases.labels import Labels as Labels
    from baserate.cases.several_classes import ClassCases as ClassCases
    from baserate.cases.several_classes import ClassCounted as ClassCounted
    from baserate.cases.two_classes import BinaryCases as BinaryCases
    from baserate.cases.unseen_cases import HeldOut as HeldOut
    from baserate.cases.unseen_cases import held_out as held_out
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "arrays": ("class_table", "confusion_matrix", "count_labels", "read_arrays"),
            "cases": ("Cases",),
            "counted": ("Counted",),
            "labels": ("Labels",),
            "several_classes": ("ClassCases", "ClassCounted"),
            "two_classes": ("BinaryCases",),
            "unseen_cases": ("HeldOut", "held_out"),
        },
    )

"""The reading room: columns and arrays become one record of cases, whatever library holds them."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.cases.arrays import class_table as class_table
    from baserate.cases.arrays import confusion_matrix as confusion_matrix
    from baserate.cases.arrays import count_labels as count_labels
    from baserate.cases.unseen_cases import held_out as held_out
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "arrays": ("class_table", "confusion_matrix", "count_labels"),
            "unseen_cases": ("held_out",),
        },
    )

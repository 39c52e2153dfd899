"""Columns of labels in a frame: of which group, class or classifier a row is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from baserate._figures import as_text

EVERYONE, ALL_CLASSES = "all cases", "all classes"
IN_FRAMES = {"p_value": "p_luck", "p_value_reason": "p_luck_reason", "direction": "better"}
IN_AUDITS = IN_FRAMES | {"p_value": "p_difference"}


class LabelColumns(NamedTuple):
    """Columns of labels by what they are of.

    Labels stand as they are where no row is of all of them together, which is told in text: `mixed`
    are the columns that hold both.
    """

    columns: Mapping[str, str]
    whole: Mapping[str, str]
    mixed: frozenset[str]
    groups: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, groups: Sequence[str], known: Sequence[Mapping[str, Any]],
        rows: Sequence[Mapping[str, Any]], others: Iterable[str],
    ) -> "LabelColumns":  # fmt: skip
        """Return the columns that places which are known need beside others.

        `rows` are the places of metrics. A group column called as another one is kept apart.
        """
        keys = [
            key for key in (*groups, "classifier", "class") if any(key in place for place in known)
        ]
        taken = {IN_FRAMES.get(name, name) for name in others} | {*others, *IN_AUDITS.values()}
        return cls(
            {key: f"group_{key}" if key in taken else key for key in keys},
            {key: EVERYONE if key in groups or key != "class" else ALL_CLASSES for key in keys},
            frozenset(key for key in keys if any(key not in place for place in rows)),
            tuple(key for key in keys if key in groups),
        )

    def at(self, place: Mapping[str, Any]) -> dict[str, Any]:
        """Return what stands in the columns for a place."""
        text = {key: as_text(v) if key in self.mixed else v for key, v in place.items()}
        return {column: text.get(key, self.whole[key]) for key, column in self.columns.items()}

    def place(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the labels of a row."""
        return tuple(row[column] for column in self.columns.values())

    def key(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the labels of a row and the name of its number."""
        return (*self.place(row), row["name"])

    def path(self, row: Mapping[str, Any]) -> str:
        """Return the name of a number behind the labels of its part.

        Of a group by some columns only all are named: those of others may be called so too.
        """
        partly = len({row[self.columns[key]] == EVERYONE for key in self.groups}) == 2
        labels = (
            (partly and key in self.groups, row[column]) for key, column in self.columns.items()
        )
        said = (x for needed, x in labels if needed or x not in (EVERYONE, ALL_CLASSES))
        return "/".join(map(str, (*said, row["name"])))

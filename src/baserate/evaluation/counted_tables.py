"""Tables of decisions as files of counts: counted where the cases lie, added up elsewhere."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from baserate._whole_files import write_text
from baserate.cases.labels import read_alike
from baserate.cases.values import in_order
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation.reading import names_of, read_cases

SUFFIXES = (".csv", ".json")
Key = tuple[Any, ...]


class CountedTables(NamedTuple):
    """Tables by group, or one table, as a file of counts holds them; they add up."""

    names: tuple[str, ...]  # group columns
    tables: Mapping[Key, ConfusionMatrix]

    @classmethod
    def of_cases(cls, data: Any, *, target: str, prediction: str, **how: Any) -> Self:
        """Count a frame or a file of labels and predictions; see `evaluate`."""
        usual = {"positive": None, "missing": "error", "many_groups": False}
        columns = {"target": target, "predictions": names_of(prediction)}
        cases, _ = read_cases(data, **columns, **{**usual, **how})
        counted = cases.counted()
        return cls(counted.group_names, dict(counted.groups) or {(): counted.table})

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a file of counts; rows with the same labels are added up."""
        from baserate.adapters.counts_file import read_counts  # loads the engine

        rows, tables = read_counts(path), dict[Key, ConfusionMatrix]()
        for row in rows:
            key = tuple(row.labels.values())
            table = ConfusionMatrix(tp=row.tp, fn=row.fn, fp=row.fp, tn=row.tn)
            tables[key] = tables[key] + table if key in tables else table
        nothing = cls(tuple(rows[0].labels), {})
        return nothing.and_others(nothing._replace(tables=tables))

    def and_others(self, other: "CountedTables") -> Self:
        """Return the sums of both, in the order of their labels."""
        if sorted(self.names) != sorted(other.names):
            mine, theirs = (", ".join(side.names) or "none" for side in (self, other))
            raise DataError(
                f"Counts must have the same group columns, got {theirs} beside {mine}: count one "
                "of them again."
            )
        at = [other.names.index(name) for name in self.names]
        theirs = {tuple(key[k] for k in at): table for key, table in other.tables.items()}
        read = read_alike(self.names, self.tables, theirs)
        sums = dict[Key, ConfusionMatrix]()
        for key, table in (*self.tables.items(), *theirs.items()):
            own = read[key]
            sums[own] = sums[own] + table if own in sums else table
        return self._replace(tables={key: sums[key] for key in in_order(sums)})

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file of counts that `evaluate` reads, CSV or JSON by its suffix, at once."""
        check_suffix(path)
        rows = [
            [*map(_plain, key), *(getattr(table, cell) for cell in CELLS)]
            for key, table in self.tables.items()
        ]
        write = _as_json if Path(path).suffix.lower() == ".json" else _as_csv
        write_text(path, write([*self.names, *CELLS], rows))


def check_suffix(path: str | PathLike[str]) -> None:
    """Refuse a file name that no format of counts has."""
    if Path(path).suffix.lower() not in SUFFIXES:
        rule = f"must end in {' or '.join(SUFFIXES)} for counts of decisions"
        raise InvalidArgumentError.from_rule("--output", rule, str(path), "choose one of these")


def summed(parts: Iterable[CountedTables]) -> CountedTables:
    """Add up the counts of at least one place."""
    first, *others = parts
    for other in others:
        first = first.and_others(other)
    return first


def _plain(label: Any) -> Any:
    return label if isinstance(label, str | int | float | bool) else str(label)


def _as_json(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = ",\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    return f"[\n{lines}\n]\n"


def _as_csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    held = StringIO()
    csv.writer(held, lineterminator="\n").writerows([names, *rows])
    return held.getvalue()

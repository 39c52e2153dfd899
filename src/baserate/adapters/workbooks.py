"""The first sheet of a workbook (.xlsx) as a text file, which is then read as any other."""

import csv
import datetime as dt
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from baserate.errors import DataError, MissingDependencyError

MAGIC, OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # of a zip archive; of .xls, before 2007
PART = b"[Content_Types].xml"  # the first file of an archive that is a workbook, in most of them
ERRORS = ("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")


def is_workbook(head: bytes, name: str) -> bool:
    """Whether a file is a workbook, by its first bytes; those of Excel before 2007 are refused."""
    if head.startswith(OLD):
        raise DataError(f"{name} is a workbook of an old format (.xls): save it as .xlsx or CSV.")
    return head.startswith(MAGIC) and (name.lower().endswith(".xlsx") or PART in head)


def as_text(path: Path, name: str, target: Path) -> tuple[Path, str]:
    """Write the first sheet that holds anything as CSV, and return that file and what to call it.

    The first row that is not empty names the columns. A cell whose formula failed is missing, and
    one that was never calculated too.
    """
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise MissingDependencyError.from_extra("openpyxl", "Reading a workbook", "excel") from None
    target.parent.mkdir(exist_ok=True)
    with path.open("rb") as packed, target.open("w", encoding="utf-8", newline="") as file:
        try:
            book = openpyxl.load_workbook(packed, read_only=True, data_only=True)
        except Exception as error:  # noqa: BLE001  an archive that is none raises whatever it likes
            raise DataError(f"{name} cannot be read as a workbook: {error}.") from None
        sheets = [sheet for sheet in book.worksheets if next(_rows(sheet), None)]
        if not sheets:
            raise DataError(f"{name} holds no rows: pass a workbook whose first sheet is a table.")
        csv.writer(file, lineterminator="\n").writerows(_rows(sheets[0]))
    first = "" if len(sheets) == 1 else f", the first of {len(sheets)}"
    return target, f"sheet {sheets[0].title!r}{first}"


def _rows(sheet: Any) -> Iterator[Sequence[str]]:
    """Yield the rows that hold anything, as wide as the first of them, which names the columns."""
    width = 0
    for row in sheet.iter_rows(values_only=True):
        texts = [*map(_text, row)]
        if any(texts):
            width = width or max(k for k, text in enumerate(texts, 1) if text)
            yield [*texts[:width], *[""] * (width - len(texts))]


def _text(value: Any) -> str:
    """Write a cell as text files have it: a day without midnight, true and false, no errors."""
    if value is None or (isinstance(value, str) and value in ERRORS):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return (value.date() if value.time() == dt.time() else value).isoformat()
    return str(value)

"""The first sheet of a workbook answers as the same rows in a text file do."""

import datetime as dt

import pytest
from openpyxl import Workbook

import baserate as br
from baserate.adapters.archives import as_text
from baserate.errors import DataError

ROWS = [
    ("ill", "risk", "seen on", "site"),
    (True, 0.9, dt.datetime(2026, 1, 2), "a, b"),  # noqa: DTZ001  workbooks know no zones
    (None, None, None, None),
    (False, 0.25, dt.datetime(2026, 1, 2, 3, 4), 'say "x"'),  # noqa: DTZ001
    (True, "#N/A", None, "ü"),
    (False, 1, None, None),
]
TEXT = """\
ill,risk,seen on,site
true,0.9,2026-01-02,"a, b"
false,0.25,2026-01-02T03:04:00,"say ""x\"""
true,,,ü
false,1,,
"""


def written(folder, *sheets, name="w.xlsx"):
    book = Workbook()
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(folder / name)
    return folder / name


def test_cells_are_written_as_text_files_have_them(tmp_path):
    path, called = as_text(written(tmp_path, ROWS), "w.xlsx", tmp_path / "out" / "sheet.csv")
    assert path.read_text(encoding="utf-8") == TEXT
    assert called == "sheet 'Sheet1'"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["w.xlsx", "no suffix"])
def test_a_workbook_answers_as_its_text_does(tmp_path, name):
    asked = {"target": "ill", "score": "risk", "threshold": 0.5, "missing": "drop"}
    book = br.evaluate(written(tmp_path, [], ROWS, ROWS, name=name), **asked)
    (tmp_path / "w.csv").write_text(TEXT, encoding="utf-8")
    assert book["recall"] == br.evaluate(tmp_path / "w.csv", **asked)["recall"]
    assert book.facts.source.endswith(f"{name} (sheet 'Sheet2', the first of 2)")
    assert book.facts.missing == 1


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rows", [[(1, 0)] * 100_000, [("x" * 1000, 0)] * 10_000])
def test_a_workbook_that_unpacks_to_far_more_than_its_size_is_refused(rows, tmp_path, monkeypatch):
    """Whether its parts do, or the text of which there is one part for many cells."""
    path = written(tmp_path, [("ill", "risk"), *rows])
    monkeypatch.setattr("baserate.adapters.archives.LEAST_UNPACKED", 1 << 20)
    monkeypatch.setattr("baserate.adapters.archives.MOST_PACKED", 4)
    with pytest.raises(DataError, match=r"w.xlsx has .* than 1 GiB .* save its sheet as CSV"):
        br.evaluate(path, target="ill", score="risk")


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(DataError, match="holds no rows: pass a workbook"):
        br.evaluate(written(tmp_path, []), target="a", prediction="b")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0" + b"\0" * 99)
    with pytest.raises(DataError, match=r"old.xls is a workbook of an old format \(.xls\): save"):
        br.evaluate(tmp_path / "old.xls", target="a", prediction="b")
    (tmp_path / "torn.xlsx").write_bytes(b"PK\x03\x04" + b"\0" * 99)
    with pytest.raises(DataError, match=r"torn.xlsx cannot be read as a workbook: "):
        br.evaluate(tmp_path / "torn.xlsx", target="a", prediction="b")

"""Reports as files of numbers: CSV and workbooks that other programs read back, a LaTeX table."""

import sys
from io import StringIO

import pandas as pd
import pytest
from openpyxl import load_workbook

import baserate as br
from baserate.errors import BaserateError, MissingDependencyError

TWO = pd.read_csv("examples/two_models.csv")
HOW = {"target": "label", "prediction": "new"}
REPORTS = {
    "evaluate": lambda: br.evaluate(TWO, groups="site", **HOW),
    "audit": lambda: br.audit(TWO, groups="site", **HOW),
    "compare": lambda: br.compare(TWO, target="label", prediction=["old", "new"]),
    "thresholds": lambda: br.thresholds(TWO, target="label", score="probability"),
    "classes": lambda: br.evaluate(br.ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], list("abc"))),
}


@pytest.mark.sweep(5, start=4)
@pytest.mark.parametrize("door", REPORTS)
def test_a_csv_file_holds_the_frame(door, tmp_path) -> None:
    found = REPORTS[door]()
    found.write(tmp_path / "numbers.csv")
    own = StringIO(found.to_frame("pandas").to_csv(index=False))
    pd.testing.assert_frame_equal(
        *(pd.read_csv(x, float_precision="round_trip") for x in (tmp_path / "numbers.csv", own))
    )


@pytest.mark.sweep(3)
@pytest.mark.parametrize("door", REPORTS)
def test_a_latex_table_has_a_row_for_each_of_the_frame(door) -> None:
    found = REPORTS[door]()
    lines = found.render("latex").splitlines()
    columns = lines[0].removeprefix(r"\begin{tabular}{").rstrip("}")
    body = lines[4:-2]
    assert len(body) == len(found.to_frame("pandas"))
    assert {line.count(" & ") for line in body} == {len(columns) - 1}
    assert all(line.endswith(r" \\") for line in body)


def test_signs_of_latex_are_escaped_and_rounded_numbers_are_those_of_the_text() -> None:
    frame = TWO.assign(site=TWO["site"].replace("north", "50% & #1_{a}"))
    table = br.evaluate(frame, groups="site", metrics="recall", **HOW).render("latex")
    assert r"50\% \& \#1\_\{a\}" in table
    recall = next(line for line in table.splitlines() if line.startswith("all cases & recall"))
    assert recall == r"all cases & recall & 0.566 & 0.485 to 0.646 \\"


@pytest.mark.sweep(5, start=4)
@pytest.mark.parametrize("door", REPORTS)
def test_a_workbook_holds_the_frame(door, tmp_path) -> None:
    found = REPORTS[door]()
    found.write(tmp_path / "numbers.xlsx")
    found.write(tmp_path / "numbers.csv")
    own, sheet = pd.read_csv(tmp_path / "numbers.csv"), pd.read_excel(tmp_path / "numbers.xlsx")
    pd.testing.assert_frame_equal(own, sheet, check_dtype=False, rtol=1e-15)


def test_text_that_looks_like_a_formula_stays_text(tmp_path) -> None:
    frame = TWO.assign(site=TWO["site"].replace("north", "=1+1").replace("south", "http://x.org"))
    br.evaluate(frame, groups="site", **HOW).write(tmp_path / "numbers.xlsx")
    cells = [cell for row in load_workbook(tmp_path / "numbers.xlsx").active for cell in row]
    assert {cell.data_type for cell in cells if cell.value == "=1+1"} == {"s"}
    assert not any(cell.hyperlink for cell in cells)


def test_the_same_data_at_the_same_time_give_the_same_bytes(monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert REPORTS["evaluate"]().to_xlsx() == REPORTS["evaluate"]().to_xlsx()


DATA = ["examples/two_models.csv", "--target", "label"]
COMMANDS = {
    "evaluate": ["--prediction", "new", "--group", "site"],
    "audit": ["--prediction", "new", "--group", "site"],
    "compare": ["--prediction", "old", "--prediction", "new"],
    "threshold": ["--score", "probability", "--metrics", "f1"],
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("door", COMMANDS)
def test_every_command_writes_a_workbook(door, tmp_path, capsys) -> None:
    from baserate.cli import main

    both = [tmp_path / "numbers.xlsx", tmp_path / "numbers.csv"]
    for path in both:
        assert main([door, *DATA, *COMMANDS[door], "--output", str(path)]) in {0, 1}
    assert "numbers.xlsx written" in capsys.readouterr().err
    own, sheet = pd.read_csv(both[1]), pd.read_excel(both[0])
    pd.testing.assert_frame_equal(own, sheet, check_dtype=False, rtol=1e-15)
    assert sorted(tmp_path.iterdir()) == sorted(both)


def test_a_workbook_is_a_file_and_needs_its_package(tmp_path, capsys, monkeypatch) -> None:
    from baserate.cli import _output, main

    assert main(["evaluate", *DATA, *COMMANDS["evaluate"], "--format", "xlsx"]) == 2
    assert "name it: --output numbers.xlsx" in capsys.readouterr().err
    monkeypatch.setattr(_output, "find_spec", lambda _: None)
    path = tmp_path / "numbers.xlsx"
    assert main(["evaluate", *DATA, *COMMANDS["evaluate"], "--output", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert 'pip install "baserate[excel]"' in told
    assert not path.exists()
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingDependencyError, match="xlsxwriter"):
        REPORTS["evaluate"]().write(path)


def test_what_has_no_rows_refuses_the_format(tmp_path, capsys) -> None:
    from baserate.cli import main

    assert main(["baseline", "--positives", "3", "--negatives", "4", "--format", "csv"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(BaserateError, match=r"\.csv, \.tex, \.xlsx"):
        REPORTS["evaluate"]().write(tmp_path / "numbers.ods")

"""Reports as files of numbers: CSV that another program reads back, and a LaTeX table."""

from io import StringIO

import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError

TWO = pd.read_csv("examples/two_models.csv")
HOW = {"target": "label", "prediction": "new"}
REPORTS = {
    "evaluate": lambda: br.evaluate(TWO, groups="site", **HOW),
    "audit": lambda: br.audit(TWO, groups="site", **HOW),
    "compare": lambda: br.compare(TWO, target="label", prediction=["old", "new"]),
    "thresholds": lambda: br.thresholds(TWO, target="label", score="probability"),
    "classes": lambda: br.evaluate(br.ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], list("abc"))),
}


@pytest.mark.parametrize("door", REPORTS)
def test_a_csv_file_holds_the_frame(door, tmp_path) -> None:
    found = REPORTS[door]()
    found.write(tmp_path / "numbers.csv")
    own = StringIO(found.to_frame("pandas").to_csv(index=False))
    pd.testing.assert_frame_equal(
        *(pd.read_csv(x, float_precision="round_trip") for x in (tmp_path / "numbers.csv", own))
    )


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


def test_what_has_no_rows_refuses_the_format(tmp_path, capsys) -> None:
    from baserate.cli import main

    assert main(["baseline", "--positives", "3", "--negatives", "4", "--format", "csv"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(BaserateError, match=r"\.csv, \.tex"):
        REPORTS["evaluate"]().write(tmp_path / "numbers.xlsx")

"""A text is a number where the engine that reads files takes it for one, and nowhere else."""

import io

import duckdb
import pandas as pd
import pytest

import baserate as br
from baserate.adapters.counts_file import read_counts
from baserate.cases.values import from_text
from baserate.errors import DataError

STRANGE = ["1_0", "１", "１_０", "٣", "\u00a01", "0x10", "1__0", "½", "−1"]
PLAIN = ["1", " 1 ", "+1", "1.", ".5", "1e3", "1E+3", "00012", "\t1", "-0.5e-3"]


@pytest.mark.parametrize("text", [*STRANGE, *PLAIN, "1e", "e5", ".", "- 1", "1,0", "yes", ""])
def test_labels_are_numbers_where_the_engine_says_so(text):
    [(number,)] = duckdb.execute("SELECT try_cast(? AS DOUBLE)", [text]).fetchall()
    assert from_text(text) == (None if "_" in text else number)  # it takes 1_0 for 10


@pytest.mark.sweep(8, start=7)
@pytest.mark.parametrize("text", [text for text in STRANGE if text.strip() == text])
def test_what_looks_strange_is_a_label_of_its_own(text):
    rows = f"y,p\n{text},10\n10,{text}\n1,1\n3,3\n"
    found = br.evaluate(io.BytesIO(rows.encode()), target="y", prediction="p").to_dict()
    assert {one["label"] for one in found["classes"]} == {text, "10", "1", "3"}


@pytest.mark.parametrize("text", ["1_0", "１", "٣"])
def test_and_no_number(text):
    rows = f"y,s\n1,{text}\n0,0.5\n"
    with pytest.raises(DataError, match="holds text in 1 row, such as"):
        br.evaluate(io.BytesIO(rows.encode()), target="y", score="s", threshold=0.5)
    frame = pd.DataFrame({"y": [1, 0], "s": [text, "0.5"]})
    with pytest.raises(DataError, match="holds text in 1 row, such as"):
        br.evaluate(frame, target="y", score="s", threshold=0.5)
    with pytest.raises(DataError, match="must be a non-negative number, got"):
        read_counts(io.BytesIO(f"tp,fn,fp,tn\n{text},1,1,1\n".encode()))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_decimal_comma_is_named(tmp_path, separator):
    path = tmp_path / "risks.csv"
    rows = ("y", "risk"), ("1", "0,8"), ("0", "0,25"), ("1", "0,5"), ("0", ",1")
    path.write_text("\n".join(map(separator.join, rows)))
    with pytest.raises(DataError, match=r"these have a decimal comma: write points \(0?\.\d+\)"):
        br.evaluate(path, target="y", score="risk")

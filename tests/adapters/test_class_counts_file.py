"""Files of counts of several classes."""

import io
import json

import pandas as pd
import pytest

import baserate as br
from adapters.arrivals import content
from baserate.adapters.counts_file import read_any_counts
from baserate.errors import DataError

T = br.ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["ant", "bee", "cat"])
SQUARE = {"": ["cat", "ant", "bee"], "ant": [0, 5, 2], "bee": [0, 1, 7], "cat": [4, 0, 1]}
LONG = {
    "prediction": ["ant", "bee", "ant", "bee", "cat", "cat", "bee"],
    "Truth": ["ant", "ant", "bee", "bee", "bee", "cat", "bee"],
    "COUNT": [5, 1, 2, 3, 1, 4, 4],
}


def read(text):
    return read_any_counts(io.BytesIO(text.encode()))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("data", [SQUARE, {"t": SQUARE[""]} | SQUARE, LONG], ids=str)
@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_every_format(tmp_path, kind, data):
    data = {name: column for name, column in data.items() if name or "t" not in data}
    path = tmp_path / f"counts.{kind}"
    path.write_bytes(content(kind, data))
    assert read_any_counts(path) == T


def test_the_document_that_a_table_writes(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps(T.to_dict()))
    assert read_any_counts(path) == T
    weighted = br.ClassTable([[0.5, 2], [1, 1.25]], [0, 1])
    path.write_text(json.dumps(weighted.to_dict(), indent=2))
    assert read_any_counts(path) == weighted


def test_what_pandas_writes(tmp_path):
    truth, prediction = pd.Series([0, 1, 2, 10, 1], name="y"), pd.Series([0, 1, 10, 2, 0], name="p")
    path = tmp_path / "crosstab.csv"
    pd.crosstab(truth, prediction).to_csv(path)
    assert read_any_counts(path) == br.class_table(truth, prediction)
    pd.crosstab(truth, prediction, margins=True).to_csv(path)
    with pytest.raises(DataError, match="holds totals, called 'All': leave out"):
        read_any_counts(path)


@pytest.mark.parametrize("index", [True, False])
def test_what_a_table_gives_pandas(tmp_path, index):
    path = tmp_path / "counts.csv"
    T.to_frame().to_csv(path, index=index)
    assert read_any_counts(path) == T
    assert read(",0,1\n0,1,3\n1,1,4\n").counts.tolist() == [[1, 3], [1, 4]]


def test_counts_keep_their_kind():
    assert read(",a,b\na,1.0, 2 \nb,3,4\n").counts.dtype.kind == "i"
    assert read(",a,b\na,1.5,2\nb,3,4\n").counts.tolist() == [[1.5, 2], [3, 4]]


def test_two_classes_in_four_columns_stay_what_they_were():
    [row] = read_any_counts(io.BytesIO(b"model,tp,fn,fp,tn\nold,1,2,3,4\n"))
    assert (row.labels, row.tp, row.tn) == ({"model": "old"}, 1, 4)
    with pytest.raises(DataError, match="lacks the count columns tn"):
        read_any_counts(io.BytesIO(b"tp,fn,fp\n1,2,3\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b\na,1,-2\nb,3,4\n", r"Row 'a', column 'b' of .* must be a non-negative .*'-2'"),
        (",a,b\na,1,2\nb,,4\n", r"Row 'b', column 'a' of .* must be a non-negative number, got"),
        (",a,b\na,1,2\n", r"same classes in rows \(the truth\).* rows are 'a' and .*'a', 'b'"),
        (",a,b\na,1,2\nc,3,4\n", r"rows are 'a', 'c' and its columns 'a', 'b': add rows"),
        (",a,b\na,1,2\na,3,4\n", r"has two rows called 'a'"),
        (",0,00\n0,1,2\n1,3,4\n", r"has two columns called 0"),
        ("truth,prediction,count\na,a,x\na,b,1\n", r"The count of 'a' called 'a' in .*got 'x'"),
        ("truth,prediction,count\na,a,1\n", "fewer than two classes"),
        (",a,b\n", "holds no rows"),
        (",a,b\na,1,2e999\nb,3,4\n", r"Row 'a', column 'b' of .* got '2e999'"),
        ('{"truth": ["a"], "prediction": "a", "count": 1}', "nested type list"),
        ('{"labels": ["a", "b"], "counts": [[5, inf], [0, 4]]}', "which is no value of JSON"),
        ('{"labels": ["a", "b"], "counts": "[[5, 1], [0, 4]]"}', "must hold a list of labels and"),
    ],
)
def test_what_is_no_class_table(text, message):
    with pytest.raises(DataError, match=message):
        read(text)

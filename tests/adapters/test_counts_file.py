"""Files of counts."""

import io

import pytest

from adapters.arrivals import content
from baserate.adapters.counts_file import read_counts
from baserate.errors import DataError

DATA = {
    "model": ["old", "new", None],
    "tp": [35, 36, 0],
    "Fn": [5, 4, 0],
    "FP": [10, 8.5, 0],
    "tN": [50, 51.5, 0],
    "year": [2020, 2021, 2022],
}


def read(text):
    return read_counts(io.BytesIO(text.encode()))


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "jsonl", "parquet", "arrow", "arrows"])
def test_every_format(tmp_path, kind):
    path = tmp_path / f"counts.{kind}"
    path.write_bytes(content(kind, DATA))
    years = [str(year) if "sv" in kind else year for year in DATA["year"]]
    assert [tuple(row) for row in read_counts(path)] == [
        ({"model": "old", "year": years[0]}, 35, 5, 10, 50),
        ({"model": "new", "year": years[1]}, 36, 4, 8.5, 51.5),
        ({"model": None, "year": years[2]}, 0, 0, 0, 0),
    ]


def test_whole_counts_are_integers_of_any_size():
    (row,) = read("TN,FP,FN,TP\n1.0,2.5, 3 ,123456789012345678901234567890\n")
    assert row == ({}, 123456789012345678901234567890, 3, 2.5, 1)
    assert [type(count) for count in row[1:]] == [int, int, float, int]


def test_rows_keep_their_order():
    lines = "".join(f"m{i},{i},1,2,3\n" for i in range(5000))
    rows = read("name,tp,fn,fp,tn\n" + lines)
    assert [row.labels["name"] for row in rows] == [f"m{i}" for i in range(5000)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "tp,fn,fp\n1,2,3\n",
            r"lacks the count columns tn \(its columns are",
        ),
        ("a,b\n1,2\n", "lacks the count columns tp, fn, fp, tn .* columns are 'a', 'b'"),
        ("truth,prediction\na,b\n", "and lacks one called count"),
        ("tp,TP,fn,fp,tn\n1,2,3,4,5\n", "more than one column called tp: keep one"),
        ("tp,tp,fn,fp,tn\n1,2,3,4,5\n", "more than one column called 'tp'"),
        ("tp,fn,fp,tn\n", "holds no rows"),
        (
            "tp,fn,fp,tn\n1,2,3,4\n1,-2,3,4\n",
            "fn in row 2 of .* must be a non-negative number, got '-2'",
        ),
        ("tp,fn,fp,tn\n1,2,x,4\n", "fp in row 1 of .* got 'x': pass counts or sums of weights"),
        ("tp,fn,fp,tn\n1,2,3,\n", "tn in row 1 of .* got None"),
        ("tp,fn,fp,tn\n1,2,3,nan\n", "tn in row 1 of .* got 'nan'"),
        ("tp,fn,fp,tn\n1,2,3,inf\n", "tn in row 1 of .* got 'inf'"),
        ("tp,fn,fp,tn\n1,2,3,1e400400400\n", "tn in row 1 of .* got '1e400400400'"),
        (f"tp,fn,fp,tn\n1,2,3,{'9' * 400}\n", "tn in row 1 of .* got '999"),
        ('{"tp": 1, "fn": 1, "fp": 1, "tn": inf}', "holds inf, which is no value of JSON"),
        ('{"tp": true, "fn": 1, "fp": 1, "tn": 1}', "tp in row 1 of .* got True"),
        ('{"tp": [1], "fn": 1, "fp": 1, "tn": 1}', "tp in row 1 of .* got .1"),
        ('{"tp": 1, "fn": 1, "fp": 1, "tn": 1, "m": [1]}', "Column 'm' of .* nested type list"),
    ],
)
def test_counts_that_are_none(text, wanted):
    with pytest.raises(DataError, match=wanted):
        read(text)

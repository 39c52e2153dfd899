"""Files of counts of several classes in which further columns name groups."""

import io

import pytest

import baserate as br
from adapters.arrivals import content
from baserate.adapters.counts_file import read_any_counts
from baserate.errors import DataError, MissingValueError

COLUMNS = {
    "site": ["x", "x", "y", "y", "x"],
    "truth": ["ant", "bee", "cat", "ant", "bee"],
    "prediction": ["ant", "ant", "cat", "bee", "ant"],
    "Count": [5, 1, 4, 2, 3],
}
LABELS = ["ant", "bee", "cat"]
X = br.ClassTable([[5, 0, 0], [4, 0, 0], [0, 0, 0]], LABELS)
Y = br.ClassTable([[0, 2, 0], [0, 0, 0], [0, 0, 4]], LABELS)


def read(text):
    return read_any_counts(io.BytesIO(text.encode()))


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_every_group_has_a_table_of_all_classes(tmp_path, kind):
    path = tmp_path / f"counts.{kind}"
    path.write_bytes(content(kind, COLUMNS))
    found = read_any_counts(path)
    assert found.group_names == ("site",)
    assert dict(found.groups) == {("x",): X, ("y",): Y}
    assert (found.table, found.n, dict(found.group_n)) == (X + Y, 15, {("x",): 9, ("y",): 6})


def test_several_columns_make_combinations():
    text = "sex,age,truth,prediction,count\nf,1,a,a,5\nf,2,a,b,1\nm,1,b,b,2\nf,1,b,b,0.5\n"
    found = read(text)
    assert found.group_names == ("sex", "age")
    assert {key: table.n for key, table in found.groups.items()} == {
        ("f", "1"): 5.5,
        ("f", "2"): 1,
        ("m", "1"): 2,
    }


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("g,truth,prediction,count\n,a,b,1\nx,b,b,1\n", MissingValueError, "Row 1 of .*'g': name"),
        ("share,truth,prediction,count\n0.5,a,b,1\n1,b,b,1\n", DataError, "'share' would name gr"),
        ("g,truth,prediction,count\nx,a,b,-1\nx,b,b,1\n", DataError, "of 'a' called 'b' in .*'-1'"),
        ("g,truth,prediction,count\nx,a,a,1\ny,a,a,1\n", DataError, "fewer than two classes"),
        ("g,g,truth,prediction,count\nx,y,a,a,1\n", DataError, "'g'"),
    ],
)
def test_what_is_wrong_is_named(text, error, message):
    with pytest.raises(error, match=message):
        read(text)

"""Patterns and folders: several files of one format are read as one table."""

import os
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from adapters.arrivals import content, entries, read
from baserate.adapters import files
from baserate.adapters.counts_file import read_counts
from baserate.errors import DataError, MissingValueError

ROWS = [("sick" if i % 3 else "well", "sick" if i % 4 else "well", f"g{i % 2}") for i in range(60)]
WANTED = {(y, p, (g,)): n for (y, p, g), n in Counter(ROWS).items()}
ROLES = {"target": "y", "prediction": "p", "groups": "g"}
KINDS = ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows", "csv.gz", "csv.bz2", "jsonl.zst"]


def columns(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate("ypg")}


def write(path, data, kind=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else content(kind or path.suffix[1:], data))
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path, wanted, **roles):
    with pytest.raises(DataError, match=wanted) as caught:
        read(path, **(ROLES | roles))
    assert "\n" not in str(caught.value)


@pytest.mark.sweep(9, start=1)
@pytest.mark.parametrize("kind", KINDS)
def test_every_format(folder, kind):
    for i in range(3):
        write(folder / f"data/part-{i}.{kind}", columns(ROWS[20 * i : 20 * i + 20]), kind)
    cases = read(f"data/*.{kind}", **ROLES)
    assert entries(cases) == WANTED
    assert cases.n == len(ROWS)
    for path in ("data", Path("data"), folder / "data", "**/part-?.*", "./data/part-[0-2]*"):
        assert entries(read(path, **ROLES)) == WANTED


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("kind", "called"), [("csv", "CSV files"), ("parquet", "Parquet files")])
def test_reports_name_the_pattern(folder, kind, called):
    for i in range(3):
        write(folder / f"data/{i}.{kind}", columns(ROWS))
    assert read(f"data/*.{kind}", **ROLES).source == f"data/*.{kind} (3 {called})"
    assert read(f"data/0*.{kind}", **ROLES).source == f"data/0*.{kind} (1 {called[:-1]})"
    assert read("data", **ROLES).source == f"data (3 {called})"


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_folders_name_columns(folder, kind):
    years = {"2024": ROWS[:17], "2025": ROWS[17:40], "999": ROWS[40:]}
    for year, rows in years.items():
        for half, part in enumerate((rows[:9], rows[9:])):
            data = {key: column for key, column in columns(part).items() if key != "g"}
            write(folder / f"data/year={year}/site=a%20b/{half}.{kind}", data)
    label = str if kind == "csv" else int
    wanted = Counter((y, p, (label(year), "a b")) for year in years for y, p, _ in years[year])
    cases = read(f"data/year=*/**/*.{kind}", **(ROLES | {"groups": ["year", "site"]}))
    assert entries(cases) == wanted
    one = read(f"data/year=2024/**/*.{kind}", **(ROLES | {"groups": ["year", "site"]}))
    assert entries(one) == {key: n for key, n in wanted.items() if key[2][0] == label("2024")}


def test_months_with_a_leading_zero_are_names(folder):
    for month in ("01", "10"):
        write(folder / f"month={month}/x.parquet", columns(ROWS))
    found = read("**/*.parquet", **(ROLES | {"groups": "month"})).groups["month"].labels
    assert set(found) - {None} == {"01", "10"}


def test_a_folder_of_missing_values(folder):
    write(folder / "k=1/x.parquet", columns(ROWS))
    write(folder / "k=__HIVE_DEFAULT_PARTITION__/x.parquet", columns(ROWS[:5]))
    roles = ROLES | {"groups": "k"}
    with pytest.raises(MissingValueError, match="missing values: 5 in 'k'"):
        read("**/*.parquet", **roles)
    assert read("**/*.parquet", **roles, missing="drop").n_missing == 5


def test_a_column_that_is_stored_goes_before_its_folder(folder):
    write(folder / "g=other/x.parquet", columns(ROWS))
    assert entries(read("*/*.parquet", **ROLES)) == WANTED


def test_one_file_says_nothing_of_its_folders(folder):
    write(folder / "k=1/x.parquet", columns(ROWS))
    refused("k=1/x.parquet", "x.parquet has no column 'k'", groups="k")


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_columns_go_by_name(folder, kind):
    data, more = columns(ROWS[:30]), columns(ROWS[30:])
    write(folder / f"a.{kind}", data)
    write(folder / f"b.{kind}", {"extra": [1] * 30, **dict(reversed(more.items()))})
    assert entries(read(f"?.{kind}", **ROLES)) == WANTED
    lacking = f"^b.{kind} has no column 'q'. Its columns are 'extra', 'g', 'p', 'y'"
    write(folder / f"a.{kind}", {**data, "q": data["p"]})
    if kind == "jsonl":
        lacking = lacking.replace("'extra', 'g', 'p', 'y'", "'extra', 'g', 'p', 'y'")
    refused(f"?.{kind}", lacking, prediction="q")
    refused(f"?.{kind}", r"^\?.* has no column 'z'. Its columns are 'g', 'p', 'q', 'y'|'y', 'p'",
            prediction="z")  # fmt: skip
    assert entries(read(f"?.{kind}", **ROLES)) == WANTED


def test_delimiters_and_line_ends_may_differ(folder):
    lines = [",".join(row) for row in ROWS]
    (folder / "a.csv").write_text("y,p,g\n" + "\n".join(lines[:20]) + "\n")
    (folder / "b.csv").write_text("y;p;g\n" + "\n".join(lines[20:40]).replace(",", ";"))
    (folder / "c.csv").write_bytes(b"y,p,g\r\n" + "\r\n".join(lines[40:]).encode())
    assert entries(read("*.csv", **ROLES)) == WANTED


def test_headers_of_several_lines(folder):
    for i in range(2):
        rows = "".join(",".join(row) + "\n" for row in ROWS[30 * i : 30 * i + 30])
        (folder / f"{i}.csv").write_text('"y\nx",p,g\n' + rows)
    assert entries(read("*.csv", **(ROLES | {"target": "y\nx"}))) == WANTED


@pytest.mark.parametrize("where", ["part*", "**/*", "**", "part[01]/*"])
def test_what_begins_with_an_underscore_or_a_dot_is_left_out(folder, where):
    write(folder / "x/part0/a.parquet", columns(ROWS[:30]))
    write(folder / "x/part1/b.parquet", columns(ROWS[30:]))
    for name in ("_SUCCESS", ".b.parquet.crc", "_tmp/c.parquet", ".d/e.parquet"):
        write(folder / "x/part1" / name, b"")
    if where == "part*":
        refused("x/part*", r"^x/part\* matches no file .names that begin with _ or a dot are")
        where = "part*/*"
    assert entries(read(f"x/{where}", **ROLES)) == WANTED
    refused("x/*/_*", "_SUCCESS is empty")


def test_a_path_that_exists_is_one_file(folder):
    write(folder / "a[1]*.csv", columns(ROWS))
    write(folder / "a1.csv", columns(ROWS))
    assert read("a[1]*.csv", **ROLES).source == "a[1]*.csv (CSV)"
    assert entries(read("a[[]1*.csv", **ROLES)) == WANTED


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("none/*.csv", r"^none/\*.csv matches no file \(names that begin with _"),
        ("x[", r"^x\[ matches no file"),
        ("*", r"^\* holds files of several formats \(a.csv is CSV, b.parquet is Parquet\): pass a"),
        ("a*/x", r"matches no file"),
        ("a.csv/**", r"a.csv/\*\* matches no file"),
    ],
)
def test_what_no_pattern_can_be(folder, pattern, wanted):
    write(folder / "a.csv", columns(ROWS))
    write(folder / "b.parquet", columns(ROWS))
    refused(pattern, wanted)


def test_a_file_with_damage_is_named(folder):
    write(folder / "a.csv", columns(ROWS))
    write(folder / "a.csv.csv", b"y,p,g\na,b\n")
    refused("*.csv", "^a.csv.csv cannot be read: CSV Error on Line: 2, Expected Number of Columns")
    write(folder / "a.csv.csv", b"")
    refused("*.csv", "^a.csv.csv is empty")
    write(folder / "a.parquet", columns(ROWS))
    write(folder / "b.parquet", content("parquet", columns(ROWS))[:-9])
    refused("*.parquet", "^b.parquet cannot be read: ")


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_one_file_under_two_names_is_refused(folder, link):
    write(folder / "data/a.csv", columns(ROWS))
    link(folder / "data/a.csv", folder / "data/b.csv")
    refused("data/*.csv", "^data/b.csv is the same file as data/a.csv, whose cases would count twi")
    assert entries(read("data/b*", **ROLES)) == WANTED


def test_links_that_lead_in_circles(folder):
    write(folder / "data/x/a.csv", columns(ROWS))
    os.symlink(folder / "data", folder / "data/x/up")
    os.symlink(folder / "data/x", folder / "data/x/here")
    assert entries(read("data", **ROLES)) == WANTED
    assert entries(read("data/**/*.csv", **ROLES)) == WANTED
    write(folder / "other/b.csv", columns(ROWS))
    os.symlink(folder / "other", folder / "data/linked")
    assert read("data", **ROLES).n == 2 * len(ROWS)


INTS = pa.array([1, 0, 1, 1], pa.int64())


@pytest.mark.sweep(10, start=6)
@pytest.mark.parametrize("other", [
    pa.array([1, 0, 0, 0], pa.int8()), pa.array([1, 0, 0, 0], pa.uint64()),
    pa.array([1.0, 0, 0, 0], pa.float64()), pa.array([1.0, 0, 0, 0], pa.float32()),
    pa.array([True, False, False, False]),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_numbers_of_several_types(folder, other, kind):
    write(folder / f"a.{kind}", {"y": INTS, "s": pa.array([0.1, 0.2, 0.3, 0.4])})
    write(folder / f"b.{kind}", {"y": other, "s": pa.array([0.6, 0.7, 0.8, 0.9], pa.float32())})
    found = br.evaluate(f"*.{kind}", target="y", score="s", metrics="recall").to_dict()
    assert found["table"] == {"tp": 1, "fn": 3, "fp": 3, "tn": 1}
    assert found["positive"] == 1


def test_whole_numbers_that_floats_would_merge(folder):
    roles = {"target": "y", "score": "s", "prediction": None, "groups": ()}
    big = pa.array([2**53 + 1, 2, 3, 4])
    write(folder / "a.parquet", {"y": INTS, "s": big})
    write(folder / "b.parquet", {"y": INTS, "s": pa.array([0.1, 0.2, 0.3, 0.4])})
    wanted = "column 's' holds fractions, and whole numbers beyond 2.53 that floats would merge"
    refused("*.parquet", wanted, **roles)
    write(folder / "b.parquet", {"y": INTS, "s": pa.array([2**53, 2, 3, 4], pa.uint64())})
    read_cases = files.read_file("*.parquet", target="y", scores=["s"])
    assert sorted(read_cases.scores["s"].tolist())[-2:] == [2**53, 2**53 + 1]


def test_a_column_without_a_value_in_one_file(folder):
    write(folder / "a.parquet", columns(ROWS))
    write(folder / "b.parquet", {"y": ["sick"], "p": ["well"], "g": pa.nulls(1)})
    cases = read("*.parquet", **ROLES, missing="drop")
    assert (entries(cases), cases.n_missing) == (WANTED, 1)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(("one", "other", "kinds"), [
    (INTS, pa.array(["1", "0", "0", "1"]), "BIGINT in a.parquet and VARCHAR in b.parquet"),
    (INTS, pa.array([1, 0, 0, 1]).cast(pa.decimal128(22, 2)), "BIGINT in a.parquet and DECIMAL"),
    (INTS.cast(pa.timestamp("us")), INTS.cast(pa.timestamp("ns")), "TIMESTAMP in a.parquet and TI"),
])  # fmt: skip
def test_types_that_have_nothing_in_common(folder, one, other, kinds):
    write(folder / "a.parquet", {"y": INTS, "p": INTS, "g": one})
    write(folder / "b.parquet", {"y": INTS, "p": INTS, "g": other})
    refused("*.parquet", f"^Column 'g' is of type {kinds}.*: write it as one type")
    assert read("*.parquet", **(ROLES | {"groups": ()})).n == 8


def test_dictionaries_are_text(folder):
    data = columns(ROWS)
    write(folder / "a.parquet", {**data, "g": pa.array(data["g"]).dictionary_encode()})
    write(folder / "b.parquet", data)
    assert entries(read("*.parquet", **ROLES)) == {key: 2 * n for key, n in WANTED.items()}


@pytest.mark.slow
def test_scores_are_held_and_read_once(folder, monkeypatch):
    frame = pd.DataFrame({"y": [1, 0] * 50, "s": [i / 100 for i in range(100)]})
    for i in range(4):
        frame[25 * i : 25 * i + 25].to_parquet(folder / f"{i}.parquet")
    whole = frame.to_parquet(folder / "all.parquet")
    found = [br.thresholds(path, target="y", score="s", n_resamples=20).to_dict()
             for path in ("?.parquet", "all.parquet")]  # fmt: skip
    assert whole is None
    assert found[0].pop("source") == "?.parquet (4 Parquet files)"
    assert found[1].pop("source") == "all.parquet (Parquet)"
    assert found[0] == found[1]


def test_counts_of_several_sites(folder):
    write(folder / "site=A/counts.csv", b"tp,fn,fp,tn\n1,2,3,4\n")
    write(folder / "site=B/counts.csv", b"tp,fn,fp\n5,6,7\n")
    with pytest.raises(DataError, match=r"^site=B/counts.csv has no column 'tn'. Its columns are"):
        read_counts("site=*/counts.csv")
    write(folder / "site=B/counts.csv", b"tn,fn,fp,tp\n8,6,7,5\n")
    rows = {row.labels["site"]: tuple(row[1:]) for row in read_counts("site=*/counts.csv")}
    assert rows == {"A": (1, 2, 3, 4), "B": (5, 6, 7, 8)}


@pytest.mark.slow
def test_many_files_of_one_schema_are_one_scan(folder):
    table = pa.table(columns(ROWS))
    for i in range(200):
        path = folder / f"day={i}/x.parquet"
        path.parent.mkdir()
        pq.write_table(table, path)
    cases = read("**/*.parquet", **(ROLES | {"groups": ["g", "day"]}))
    assert cases.n == 200 * len(ROWS)
    assert len(set(cases.groups["day"].labels) - {None}) == 200

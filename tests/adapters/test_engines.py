"""Files: every format gives the same cases, and the engine stays within its bounds."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
import time
from decimal import Decimal
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adapters.arrivals import PLAIN, SQUEEZE, content, csv_bytes, entries, labels, read
from baserate.adapters.engine import POLL_SECONDS, run
from baserate.adapters.tables import table_of
from baserate.errors import DataError, LabelError, MissingValueError

Y = ["yes", "no", "yes", "no", "é <b>\n2"]
P = ["yes", "yes", "no", "no", 'a "quote", and'] * 1
G = ["a, b", None, "a, b", "NA", "x"]
DATA = {"y": Y, "p": P, "g": G}
EXPECTED = {(y, p, (g,)): 1 for y, p, g in zip(Y, P, G, strict=True) if g is not None}


def read_text(text, **roles):
    return read(io.BytesIO(text.encode()), **roles)


@pytest.mark.sweep(10, start=6)
@pytest.mark.parametrize("squeezed", ["", *SQUEEZE])
@pytest.mark.parametrize("plain", PLAIN)
def test_every_format_gives_the_same_cases(tmp_path, plain, squeezed):
    kind = f"{plain}.{squeezed}".rstrip(".")
    path = tmp_path / f"data.{kind}"
    path.write_bytes(content(kind, DATA))
    found = read(path, target="y", prediction="p", groups=["g"], missing="drop")
    assert entries(found) == EXPECTED
    assert found.from_text == (plain in {"csv", "tsv"})
    assert found.source.startswith(f"{path} (")


@pytest.mark.sweep(11, start=9)
@pytest.mark.parametrize("squeezed", ["", "gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("plain", PLAIN)
def test_a_stream_is_recognised_by_its_first_bytes(plain, squeezed):
    kind = f"{plain}.{squeezed}".rstrip(".")
    stream = io.BytesIO(content(kind, DATA))
    found = read(stream, target="y", prediction="p", groups="g", missing="drop")
    assert entries(found) == EXPECTED
    assert found.source.startswith("the stream (")


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl.gz"])
def test_standard_input(kind):
    code = (
        "from baserate.adapters.files import read_file\n"
        "found = read_file('-', target='y', predictions=['p'])\n"
        "print(sum(found.count), found.source)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=content(kind, DATA), capture_output=True, check=True
    )
    assert done.stdout.decode().startswith("5 standard input (")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(csv_bytes(DATA),))
    writer.start()
    assert sum(read(pipe, target="y", prediction="p").count) == 5
    writer.join()


@pytest.mark.parametrize(
    ("suffix", "kind"), [("csv", "parquet"), ("parquet", "arrow"), ("csv", "csv.gz"), ("", "jsonl")]
)
def test_bytes_say_more_than_a_suffix(tmp_path, suffix, kind):
    path = tmp_path / f"data.{suffix}"
    path.write_bytes(content(kind, DATA))
    assert sum(read(path, target="y", prediction="p").count) == 5


def test_text_keeps_its_labels():
    rows = [("01", "1"), ("1", "01"), ("True", "true"), (" a", "a "), ("1e3", "1000"), ("é", "e")]
    text = "y,p\n" + "".join(f"{y},{p}\n" for y, p in rows) * 3
    assert entries(read_text(text, target="y", prediction="p")) == {(y, p, ()): 3 for y, p in rows}


def test_a_late_label_of_another_kind_is_kept():
    text = "y,p\n" + "1,0\n" * 50_000 + "unsure,0\n"
    found = entries(read_text(text, target="y", prediction="p"))
    assert found == {("1", "0", ()): 50_000, ("unsure", "0", ()): 1}


@pytest.mark.sweep(7, start=3)
@pytest.mark.parametrize(
    "mark", ["", '""', "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>"]
)
def test_text_has_markers_of_missing_values(mark):
    text = (
        f"y,p,s,w,g\na,b,0.1,1,NA\n{mark},b,1,1,x\na,b,{mark},1,x\na,b,0,{mark},x\na,{mark},0,1,x\n"
    )
    with pytest.raises(MissingValueError, match="1 in 'y', 1 in 'p', 1 in 'w'"):
        read_text(text, target="y", prediction="p", weight="w")
    cases = read_text(text, target="y", score="s", weight="w", groups="g", missing="drop")
    assert cases.n_missing == 3
    assert entries(cases) == {("a", False, ("NA",)): 1, ("a", False, ("x",)): 1}


def test_in_text_only_an_empty_group_is_missing():
    text = "y,p,g\na,b,\na,b,NA\na,b,None\n"
    cases = read_text(text, target="y", prediction="p", groups="g", missing="drop")
    assert {group for *_, (group,) in entries(cases)} == {"NA", "None"}
    assert cases.n_missing == 1


def test_markers_are_labels_where_columns_have_types(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"y": ["NA", ""], "p": ["None", "NA"]}), path)
    found = entries(read(path, target="y", prediction="p"))
    assert found == {("NA", "None", ()): 1, ("", "NA", ()): 1}


@pytest.mark.sweep(7, start=3)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiters_line_ends_and_byte_order_marks(tmp_path, delimiter, end, mark):
    path = tmp_path / "d.csv"
    text = mark + "".join(
        f"{a}{delimiter}{b}{end}" for a, b in [("y", "p"), ("a", "b"), ("c", "d")]
    )
    path.write_bytes(text.encode())
    found = entries(read(path, target="y", prediction="p"))
    assert found == {("a", "b", ()): 1, ("c", "d", ()): 1}


def test_the_columns_asked_for_decide_between_delimiters():
    text = "a; b; c,y\nx;1;2,z\nx;1;2,z\n"
    found = entries(read_text(text, target="a; b; c", prediction="y"))
    assert found == {("x;1;2", "z", ()): 2}


HOSTILE = [
    'my col; "x"',
    "1st",
    " space ",
    "",
    "Y",
    "y",
    "a,b\nc",
    "c0",
    "select",
    "x'); DROP TABLE t; --",
    "\"; COPY (SELECT 1) TO 'pwned'; --",
    "$1",
    "?",
    "~0/1*",
    "$.a[0]",
    "é <b>",
    "t",
    "batches",
]


@pytest.mark.sweep(30, start=23)
@pytest.mark.parametrize(
    "kind", ["csv", "tsv.gz", "csv.zst", "jsonl", "parquet", "arrow", "arrows"]
)
@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in {"", "a,b\nc"}])
def test_hostile_column_names(tmp_path, monkeypatch, kind, name):
    monkeypatch.chdir(tmp_path)
    data = {column: [f"{i} one", f"{i} two"] for i, column in enumerate(HOSTILE)}
    path = tmp_path / f"data.{kind}"
    path.write_bytes(content(kind, data))
    other = "Y" if name == "y" else "y"
    found = read(path, target=name, prediction=other, groups=["a,b\nc", name])
    i, j, k = (HOSTILE.index(column) for column in (name, other, "a,b\nc"))
    assert entries(found) == {
        (f"{i} {n}", f"{j} {n}", (f"{k} {n}", f"{i} {n}")): 1 for n in ("one", "two")
    }
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.sweep(7)
@pytest.mark.parametrize(
    "name",
    [
        "a[1]*.csv",
        "b?.csv",
        "[a-z].csv",
        "'; DROP TABLE x; --.csv",
        'q"uote.csv',
        "100% é.csv",
        "~.csv",
    ],
)
def test_a_file_name_means_that_very_file(tmp_path, name):
    for decoy in ("a1.csv", "a1b.csv", "bx.csv", "c.csv"):
        (tmp_path / decoy).write_text("y,p\nBAD,BAD\n")
    path = tmp_path / name
    path.write_text("y,p\ngood,fine\n")
    found = entries(read(path, target="y", prediction="p"))
    assert found == {("good", "fine", ()): 1}


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_folders_named_like_partitions_add_no_column(tmp_path, kind):
    folder = tmp_path / "y=7"
    folder.mkdir()
    (folder / f"d.{kind}").write_bytes(content(kind, {"y": ["a", "b"], "p": ["a", "a"]}))
    found = entries(read(folder / f"d.{kind}", target="y", prediction="p"))
    assert found == {("a", "a", ()): 1, ("b", "a", ()): 1}


def test_a_relative_path_that_looks_like_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        read("https://example.org/d.csv", target="y", prediction="p")
    (tmp_path / "s3:").mkdir()
    (tmp_path / "s3:" / "d.csv").write_text("y,p\na,b\n")
    assert sum(read("s3:/d.csv", target="y", prediction="p").count) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoted_line_breaks_in_a_large_file(tmp_path, end):
    path, n = tmp_path / "d.csv", 60_000
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator=end)
        writer.writerow(["y", "p", "note"])
        writer.writerows([i % 2, i % 3, f'line, "one"\nline two {i}'] for i in range(n))
    cases = read(path, target="y", prediction="p")
    assert set(cases.count.tolist()) == {n // 6}
    assert len(cases.count) == 6


def test_json_keeps_the_type_of_a_label():
    rows = [(1, "1"), (True, "true"), ("01", 1.5), (0, False), ("é\u2028", "\\")]
    lines = "\n".join(json.dumps({"y": y, "p": p}) for y, p in rows)
    cases = read_text(lines, target="y", prediction="p")
    found = {
        (type(y), y, type(p), p)
        for y, p in zip(labels(cases.truth), labels(cases.predictions["p"]), strict=True)
    }
    assert found == {(type(y), y, type(p), p) for y, p in rows}


def test_json_may_be_an_array_and_may_leave_keys_out():
    rows = [{"y": "a", "p": "b"}, {"y": "a"}, {"p": "b", "y": None}]
    cases = read_text(json.dumps(rows), target="y", prediction="p", missing="drop")
    assert (entries(cases), cases.n_missing) == ({("a", "b", ()): 1}, 2)


def test_json_finds_a_key_that_first_occurs_late():
    lines = ['{"y": "a", "p": "b"}'] * 1500 + ['{"y": "a", "p": "b", "g": "late"}']
    cases = read_text("\n".join(lines), target="y", prediction="p", groups="g", missing="drop")
    assert (entries(cases), cases.n_missing) == ({("a", "b", ("late",)): 1}, 1500)


def test_spellings_of_one_json_label_are_one_label():
    lines = '{"y": "\\u00e9", "p": 0}\n{"y": "é", "p": 0}\n'
    assert entries(read_text(lines, target="y", prediction="p")) == {("é", 0, ()): 2}


def test_parquet_values_of_many_types(tmp_path):
    path = tmp_path / "d.parquet"
    columns = {
        "y": pa.array([1, 0, 1], pa.int8()),
        "p": pa.array([True, False, False]),
        "s": pa.array([Decimal("0.50"), Decimal("0.49"), Decimal("1.00")], pa.decimal128(5, 2)),
        "w": pa.array([1, 2, 3], pa.uint64()),
        "g": pa.array(["a", "b", "a"]).dictionary_encode(),
        "b": pa.array([b"yes", b"no", b"yes"]),
        "f": pa.array([0.0, 1.0, None], pa.float32()),
    }
    pq.write_table(pa.table(columns), path)
    cases = read(path, target="y", score="s", weight="w", groups=["g", "b"])
    assert entries(cases) == {
        (1, True, ("a", "yes")): 2,
        (0, False, ("b", "no")): 1,
    }
    assert sum(cases.weight) == 6
    floats = read(path, target="f", prediction="p", missing="drop")
    assert entries(floats) == {(0.0, True, ()): 1, (1.0, False, ()): 1}


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("threshold", [0.1, 0.95])
def test_statistics_of_a_parquet_file_do_not_hide_nan(tmp_path, threshold):
    path = tmp_path / "d.parquet"
    scores = [0.2, 0.9, float("nan"), float("nan")]
    pq.write_table(pa.table({"y": [1, 0, 1, 0], "s": scores, "f": scores}), path)
    roles = {"target": "y", "score": "s", "threshold": threshold}
    with pytest.raises(MissingValueError, match="2 in 's'"):
        read(path, **roles)
    cases = read(path, **roles, missing="drop")
    assert (sum(cases.count), cases.n_missing) == (2, 2)
    with pytest.raises(MissingValueError, match="2 in 'f'"):
        read(path, target="f", prediction="y")


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl"])
@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}]])
@pytest.mark.parametrize("role", ["target", "prediction", "groups"])
def test_a_nested_column_is_no_label(tmp_path, kind, values, role):
    path = tmp_path / f"d.{kind}"
    path.write_bytes(content(kind, {"y": ["a", "b"], "p": ["a", "b"], "n": values}))
    roles = {"target": "y", "prediction": "p"} | {role: "n"}
    with pytest.raises(DataError, match=r"Column 'n' of .* is of nested type [^()]*: pass"):
        read(path, **roles)


def test_dates_are_labels_but_no_scores(tmp_path):
    path = tmp_path / "d.parquet"
    days = pa.array([1, 2], pa.date32())
    pq.write_table(pa.table({"y": ["a", "b"], "p": ["a", "b"], "d": days}), path)
    assert len(entries(read(path, target="y", prediction="p", groups="d"))) == 2
    with pytest.raises(DataError, match=r"Column 'd' of .* is of type DATE: pass a column of num"):
        read(path, target="y", score="d")


def test_scores_passed_as_predictions_are_refused_before_the_whole_file_is_read(monkeypatch):
    monkeypatch.setattr("baserate.adapters._query.Query.counted", None)  # calling it would fail
    text = "y,p\n" + "".join(f"{i % 2},{i / 5000}\n" for i in range(5000))
    with pytest.raises(LabelError, match="'p' holds more than 1,000 distinct values such as '0"):
        read_text(text, target="y", prediction="p")


@pytest.mark.slow
def test_progress_is_a_share_and_nothing_is_printed(tmp_path, capfd):
    path = tmp_path / "d.parquet"
    query = (
        "SELECT (i % 2)::INT AS y, hash(i) % 2 AS p, 'g' || (i % 9) AS g FROM range(3000000) t(i)"
    )
    duckdb.sql(query).write_parquet(str(path))
    capfd.readouterr()  # on a slow machine DuckDB shows the progress of writing
    shares = []
    cases = read(path, target="y", prediction="p", groups="g", progress=shares.append)
    assert sum(cases.count) == 3_000_000
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_ends_the_query():
    def interrupted(_share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(io.BytesIO(csv_bytes(DATA)), target="y", prediction="p", progress=interrupted)


def test_an_error_in_the_watched_query_is_still_one_line():
    text = "y,p\n" + "a,b\n" * 10 + "a,b,c\n"
    with pytest.raises(DataError, match="CSV Error on Line: 12, Expected Number of Columns: 2 Fou"):
        read_text(text, target="y", prediction="p", progress=[].append)


def test_the_engine_fetches_nothing_and_keeps_within_its_memory():
    with table_of(io.BytesIO(csv_bytes(DATA))) as table:
        names = (
            "autoinstall_known_extensions",
            "autoload_known_extensions",
            "memory_limit",
            "temp_directory",
            "disabled_optimizers",
            "enable_progress_bar_print",  # of itself the engine prints to standard output
        )
        sql = "SELECT current_setting(?)"
        found = [table.connection.execute(sql, [name]).fetchone()[0] for name in names]
        assert found[:3] == [False, False, "512.0 MiB"]
        assert found[3].startswith(str(table.file.scratch))
        assert found[4:] == ["statistics_propagation", False]


def test_the_scratch_folder_goes_away():
    with table_of(io.BytesIO(csv_bytes(DATA))) as table:
        scratch = table.file.scratch
        assert scratch.is_dir()
    assert not scratch.exists()


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("hidden", "extra", "code"),
    [
        ("duckdb", "cli", "import baserate.adapters.files"),
        (
            "pyarrow",
            "arrow",
            "from baserate.adapters.files import *; read_file(PATH, target='y', scores='s')",
        ),
    ],
)
def test_what_to_install_is_named(tmp_path, hidden, extra, code):
    path = tmp_path / "d.arrow"
    path.write_bytes(content("arrow", DATA))
    hide = f"import sys; sys.modules[{hidden!r}] = None; PATH = sys.argv[1];"
    done = subprocess.run(
        [sys.executable, "-c", hide + code, str(path)], capture_output=True, text=True, check=False
    )
    assert f'needs {hidden}: install it with pip install "baserate[{extra}]"' in done.stderr


def test_a_share_of_a_query_is_what_the_engine_says_in_percent():
    slow = SimpleNamespace(fetchall=lambda: time.sleep(3 * POLL_SECONDS))
    engine = SimpleNamespace(execute=lambda *_: slow, query_progress=lambda: 40.0)
    shares = []
    run(engine, "", progress=shares.append)
    assert shares[0] == 0.4

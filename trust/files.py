"""Targets of fuzzing that read files: cases, counts, histograms, utilities, settings, paths.

Files lie in memory, and one engine serves them all: opening it anew takes most of the time of a
small file.
"""

import bz2
import gzip
import lzma
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from trust.inputs import MEMORY
from trust.parsers import only_ours, text_of

Target = Callable[[bytes], None]
USES = 500  # of an engine, before a new one takes its place


def utilities_toml(data: bytes) -> None:
    """Utilities in TOML."""
    _utilities(data, ".toml")


def utilities_csv(data: bytes) -> None:
    """Utilities in CSV."""
    _utilities(data, ".csv")


def _utilities(data: bytes, suffix: str) -> None:
    import baserate as br

    with only_ours(), in_file(data, suffix) as path:
        found = br.UtilityMatrix.from_file(path)
        assert all(isfinite(x) for row in found.matrix for x in row)
        assert len(set(found.class_names)) == found.matrix.shape[1]


def settings(data: bytes) -> None:
    """A `baserate.toml` for every command."""
    _settings("baserate.toml", data)


def settings_of_project(data: bytes) -> None:
    """A `pyproject.toml` that holds settings among others."""
    _settings("pyproject.toml", data)


def _settings(name: str, data: bytes) -> None:
    from baserate.cli._app import COMMANDS
    from baserate.cli._config import configuration

    with only_ours(), inside_folder():
        Path(name).write_bytes(data)
        for found in configuration(COMMANDS):
            assert set(found.config) <= set(COMMANDS)


def histogram_json(data: bytes) -> None:
    """A histogram of scores in JSON."""
    _histogram(data, ".json")


def histogram_arrow(data: bytes) -> None:
    """A histogram of scores in Arrow."""
    _histogram(data, ".arrow")


def _histogram(data: bytes, suffix: str) -> None:
    import baserate as br

    with only_ours(), in_file(data, suffix) as path:
        found = br.ScoreHistogram.load(path)
        assert found.n_missing >= 0
        found.save(path)
        assert repr(br.ScoreHistogram.load(path)) == repr(found)


def counts_file(data: bytes) -> None:
    """Counts of two classes in any format: a table for each row."""
    from baserate.adapters.counts_file import read_counts

    with only_ours(), one_engine():
        for row in read_counts(BytesIO(data)):
            assert min(row.tp, row.fn, row.fp, row.tn) >= 0


def class_counts_file(data: bytes) -> None:
    """Counts of several classes, square, long or in JSON, with groups or without."""
    from baserate.adapters.counts_file import read_any_counts

    with only_ours(), one_engine():
        found = read_any_counts(BytesIO(data))
        tables = getattr(found, "groups", {(): found})
        for table in tables.values():
            assert isinstance(table, list) or table.n >= 0


def cases_in_text(data: bytes) -> None:
    """Cases in CSV, TSV or JSON, their first columns called y, p, s and g, or not."""
    _cases(data, "")


def cases_compressed(data: bytes) -> None:
    """Cases in CSV, packed by gzip, bzip2, xz or Zstandard."""
    _cases(data, "")


def cases_in_parquet(data: bytes) -> None:
    """Cases in Parquet."""
    _cases(data, ".parquet")


def cases_in_arrow(data: bytes) -> None:
    """Cases in an Arrow file or stream."""
    _cases(data, ".arrow")


def _cases(data: bytes, suffix: str) -> None:
    from baserate.adapters.files import read_file

    with only_ours(), one_engine(), in_file(data, suffix) as path:
        found = read_file(path, target="y", predictions=["p"], groups=["g"], missing="drop")
        labels = [label for label in found.truth.found().values() if label is not None]
        if labels:
            table = found.binary(labels[0]).table("p")
            assert min(table.tp, table.fn, table.fp, table.tn) >= 0
    with only_ours(), one_engine(), in_file(data, suffix) as path:
        read_file(path, target="y", scores=["s"], weight="w", threshold=0.5)


def path_pattern(data: bytes) -> None:
    """A pattern of paths in a small tree of folders."""
    from baserate._files import files_of, origins
    from baserate.adapters.formats import local_file

    pattern = text_of(data)
    if pattern.startswith(("/", "~", "\0/")) or ".." in pattern or len(pattern) > 200:
        return
    with only_ours(), inside_folder():
        for file in TREE:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_bytes(b"y,p\n1,1\n0,0\n")
        with local_file(pattern) as found:
            assert all(one.path.is_file() for one in found.each)
            named = [origin.path for origin in origins(pattern) if origin.path is not None]
            assert len(named) == len(found.each)
            assert len(files_of(pattern) or [None]) == len(found.each)


TREE = (
    "year=2024/site=A/part.csv",
    "year=2024/site=B%20C/part.csv",
    "year=2025/_log/x.csv",
    "cases[1].csv",
    ".y.csv",
)


@contextmanager
def one_engine() -> Iterator[None]:
    """Let all files be read by one engine, each by a connection of its own."""
    import duckdb

    from baserate.adapters import engine

    if _engine.get("uses", USES) >= USES:
        _engine["open"] = duckdb.connect(
            ":memory:", config={"threads": 1, "memory_limit": "512MiB"}
        )
        _engine["uses"] = 0
    _engine["uses"] += 1
    before = engine.duckdb
    opened = lambda *_, **__: _engine["open"].cursor()  # noqa: E731
    engine.duckdb = SimpleNamespace(connect=opened, Error=duckdb.Error)
    try:
        yield
    finally:
        engine.duckdb = before


_engine: dict[str, Any] = {}


@contextmanager
def in_file(data: bytes, suffix: str) -> Iterator[str]:
    """Hold bytes in a file in memory."""
    with tempfile.NamedTemporaryFile(suffix=suffix, dir=MEMORY) as file:
        file.write(data)
        file.flush()
        yield file.name


@contextmanager
def inside_folder() -> Iterator[None]:
    """Work in an empty folder in memory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir=MEMORY) as home:
        os.chdir(home)
        try:
            yield
        finally:
            os.chdir(before)


SEEDS: dict[str, list[bytes]] = {
    "utilities_toml": [
        b'positive = "ill"\n[utilities]\ntreat = {ill = 10, well = -1}\nwait = {ill = -20, well = 0}\n',
        b"[utilities.a]\nx = 1\ny = 2\n[utilities.b]\nx = 0.5\ny = -inf\n",
        b'[utilities]\n"a b" = {1 = 1e308, 0 = -1e308}\nc = {1 = 0, 0 = true}\n',
    ],
    "utilities_csv": [
        b"decision,ill,well\ntreat,10,-1\nwait,-20,0\n",
        b'd;"a;b";c\nx;1;2\ny;3;4\nz;5;6\n',
        b"\xef\xbb\xbf,a,b\r\nx,1e3,nan\r\ny,-inf,0x1\r\n",
    ],
    "settings": [
        b'positive = "yes"\nmetrics = ["recall", "mcc"]\n[evaluate]\nfail_under = ["recall=0.8@low"]\n',
        b"base-rate = [0.1, 0.2]\n[compare]\ncost = 'fp=1,fn=2'\n[threshold]\npoints='mcc'\nresamples = 20\n",
        b"[baseline]\npositives = 3\nnegatives = 7\n[sample-size]\nauc = 0.8\n",
    ],
    "settings_of_project": [
        b'[project]\nname = "x"\n[tool.baserate]\nmissing = "drop"\nmetric = "f1"\n[tool.baserate.audit]\ngap = 0.2\n',
        b"[tool]\nbaserate = 3\n",
        b"[tool.ruff]\nline-length = 100\n",
    ],
    "counts_file": [
        b"tp,fn,fp,tn\n1,2,3,4\n",
        b"site,tp,fn,fp,tn\nnorth,35,5,10,50\nsouth,1e3,2,0,7\n",
        b'{"tp": 1, "fn": 2, "fp": 3, "tn": 4, "site": "a"}\n{"tp": 1.5, "fn": 0, "fp": "3", "tn": 4}\n',
        b"tp\tfn\tfp\ttn\n0\t0\t0\t0\n",
        b'TP;FN;FP;TN;"a\nb"\r\n1;2;3;4;"x ""y"""\r\n',
    ],
    "class_counts_file": [
        b"truth,cat,dog,fox\ncat,5,1,0\ndog,0,4,2\nfox,1,1,9\n",
        b",0,1\n1,3,4\n0,1,2\n",
        b"truth,prediction,count\ncat,cat,5\ncat,dog,1\ndog,dog,4\ndog,cat,2\n",
        b"site,truth,prediction,count\nx,a,a,5\nx,b,a,1\ny,b,b,2\n",
        b'{"labels": ["a", "b", "c"], "counts": [[5, 1, 0], [0, 4, 2], [1, 1, 9]]}',
        b'{"truth": "a", "prediction": "b", "count": 3}\n{"truth": "b", "prediction": "b", "count": 1}\n',
    ],
    "cases_in_text": [
        b"y,p,g,s,w\n1,1,a,0.5,1\n0,1,b,1e-3,2\n1,0,a,-0,0.5\n0,0,,1,1\n",
        b'y,p,g,s,w\n"yes",no,"a,b",inf,1\nno,no,"c ""d""",nan,1\nyes,"yes","e\nf",0.2,1\n',
        b'{"y": true, "p": false, "g": 1, "s": 0.1, "w": 1}\n{"y": false, "p": null, "g": "1", "s": "2", "w": 0}\n',
        b'[{"y": 1, "p": 1.0, "g": [1], "s": 1e400, "w": 1}, {"y": 2, "p": 1, "s": 9007199254740993, "w": 2}]',
        b"\xef\xbb\xbfy;p;g;s;w\r\n1;0;NA;0.5;1\r\n0;0;x;0.7;2\r\n",
        b"y\tp\tg\ts\tw\n1\t1\t\t0\t1\n0\t0\tx\t1\t1\n",
        b"y,p,g,s,w,y\n2,1,x,1,1,0\n3,3,x,0,1,0\n",
    ],
    "path_pattern": [
        b"**/*.csv",
        b"year=*/site=A/part.csv",
        b"year=2024",
        b"cases[1].csv",
        b"cases[[]1].csv",
        b"*/*/p?rt.csv",
        b"_*",
    ],
}

INPUTS = {
    "utilities_toml": 30_000,
    "utilities_csv": 30_000,
    "settings": 30_000,
    "settings_of_project": 20_000,
    "histogram_json": 50_000,
    "histogram_arrow": 50_000,
    "counts_file": 10_000,
    "class_counts_file": 10_000,
    "cases_in_text": 8_000,
    "cases_compressed": 5_000,
    "cases_in_parquet": 5_000,
    "cases_in_arrow": 5_000,
    "path_pattern": 10_000,
}

TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        utilities_toml,
        utilities_csv,
        settings,
        settings_of_project,
        histogram_json,
        histogram_arrow,
        counts_file,
        class_counts_file,
        cases_in_text,
        cases_compressed,
        cases_in_parquet,
        cases_in_arrow,
        path_pattern,
    )
}


def seeds(name: str) -> list[bytes]:
    """Return valid inputs of a target; binary ones are written anew."""
    if name in SEEDS:
        return SEEDS[name]
    if name == "cases_compressed":
        return _packed(SEEDS["cases_in_text"][0])
    return _histograms(name) if name.startswith("histogram") else _tables(name)


def _packed(data: bytes) -> list[bytes]:
    import pyarrow as pa

    zstandard = pa.compress(data, codec="zstd", asbytes=True)
    return [gzip.compress(data, mtime=0), bz2.compress(data), lzma.compress(data), zstandard]


def _histograms(name: str) -> list[bytes]:
    import baserate as br

    plain = br.ScoreHistogram().add([0, 1, 1, 0], [0.1, 0.4, 0.9, 0.4])
    grouped = br.ScoreHistogram().add(
        [0, 1, 1, 0], [0.1, 4, -9, 1e300], groups=["a", "b", "a", "b"]
    )
    return [
        _saved(made, name.rpartition("_")[2]) for made in (plain, grouped, grouped.suppressed(2))
    ]


def _saved(made: Any, suffix: str) -> bytes:
    with in_file(b"", f".{suffix}") as path:
        made.save(path)
        return Path(path).read_bytes()


def _tables(name: str) -> list[bytes]:
    import pyarrow as pa
    from pyarrow import ipc, parquet

    columns = {
        "y": [1, 0, 1, None],
        "p": ["a", "1", "0", "1"],
        "g": ["x", "y", "x", "y"],
        "s": [0.5, 0.1, float("nan"), 1.0],
        "w": [1, 2, 3, 4],
    }
    held = BytesIO()
    if name.endswith("parquet"):
        parquet.write_table(pa.table(columns), held, compression="none")
        return [held.getvalue()]
    with ipc.new_file(held, pa.table(columns).schema) as writer:
        writer.write_table(pa.table(columns))
    stream = BytesIO()
    with ipc.new_stream(stream, pa.table(columns).schema) as writer:
        writer.write_table(pa.table(columns))
    return [held.getvalue(), stream.getvalue()]

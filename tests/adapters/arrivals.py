"""Ways for one table to arrive: a file of each format, a frame of each kind."""

import csv
import gzip
import json
import lzma
from bz2 import compress as bz2_compress
from collections import Counter
from io import BytesIO, StringIO
from os import PathLike

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

from baserate.adapters.files import read_file
from baserate.adapters.frames import read_frame


def csv_bytes(data, delimiter=","):
    out = StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(data)
    writer.writerows(zip(*data.values(), strict=True))
    return out.getvalue().encode()


def json_bytes(data):
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    return "\n".join(map(json.dumps, rows)).encode()


def parquet_bytes(data):
    out = BytesIO()
    pq.write_table(pa.table(data), out)
    return out.getvalue()


def arrow_bytes(data, opener=pyarrow.ipc.new_file):
    table, out = pa.table(data), BytesIO()
    with opener(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def feather_bytes(data):
    out = BytesIO()
    pyarrow.feather.write_feather(pa.table(data), out)  # compressed buffers inside
    return out.getvalue()


def zstd(content):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


def stream_bytes(data):
    return arrow_bytes(data, pyarrow.ipc.new_stream)


def converted(data, backend):
    with np.errstate(invalid="ignore"):  # pandas casts infinity to see whether it is whole
        return pd.DataFrame(data).convert_dtypes(dtype_backend=backend)


PLAIN = {
    "csv": csv_bytes,
    "tsv": lambda data: csv_bytes(data, "\t"),
    "jsonl": json_bytes,
    "parquet": parquet_bytes,
    "arrow": arrow_bytes,
    "arrows": stream_bytes,
    "feather": feather_bytes,
}
SQUEEZE = {"gz": gzip.compress, "zst": zstd, "bz2": bz2_compress, "xz": lzma.compress}
FRAMES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda data: converted(data, "numpy_nullable"),
    "pandas arrow": lambda data: converted(data, "pyarrow"),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.connect().from_arrow(pa.table(data)),
}


def content(kind, data):
    """Write a table in a format such as "csv" or "csv.gz"."""
    plain, _, squeezed = kind.partition(".")
    made = PLAIN[plain](data)
    return SQUEEZE[squeezed](made) if squeezed else made


def read(data, *, prediction=None, score=None, groups=(), hold=0, **roles):
    """Read one classifier from a file or a frame, as an evaluation asks for it."""
    roles["groups"] = [groups] if isinstance(groups, str) else groups
    others = [] if score is None else [score]
    if prediction is None:
        roles |= {"scores": others, "hold": hold}
    else:
        roles |= {"predictions": [prediction], "unused": others}
    is_file = isinstance(data, str | PathLike) or (hasattr(data, "read") and hasattr(data, "seek"))
    return (read_file if is_file else read_frame)(data, **roles)


def labels(column):
    """Return one label per row."""
    return [column.labels[code] for code in column.codes.tolist()]


def entries(cases):
    """Count cases by truth, prediction and groups; the order of rows plays no part."""
    [prediction] = map(labels, cases.predictions.values())
    groups = list(zip(*map(labels, cases.groups.values()), strict=True)) or [()] * len(prediction)
    found = Counter()
    for *key, count in zip(labels(cases.truth), prediction, groups, cases.count, strict=True):
        found[tuple(key)] += int(count)
    return dict(found)

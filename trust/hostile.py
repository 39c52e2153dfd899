"""Values that nobody would send: alone, of any type, or made from a good value by spoiling it."""

import array as machine
import datetime as dt
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from baserate import ClassTable, ConfusionMatrix

Maker = Callable[[], Any]


def _endless_list() -> list[Any]:
    itself: list[Any] = [1, 0]
    itself.append(itself)
    return itself


class Rude:
    """An object whose every question is answered by an exception."""

    def __repr__(self) -> str:
        return "Rude()"

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError("no")

    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __float__ = __int__ = __bool__ = _refuse
    __len__ = __iter__ = __getitem__ = __hash__ = __array__ = __index__ = _refuse


SCALARS: dict[str, Maker] = {
    "None": lambda: None,
    "True": lambda: True,
    "zero": lambda: 0,
    "one": lambda: 1,
    "minus one": lambda: -1,
    "minus zero": lambda: -0.0,
    "half": lambda: 0.5,
    "nan": lambda: math.nan,
    "infinity": lambda: math.inf,
    "minus infinity": lambda: -math.inf,
    "subnormal": lambda: 5e-324,
    "largest": lambda: 1.7976931348623157e308,
    "2**53 + 1": lambda: 2**53 + 1,
    "2**63 - 1": lambda: 2**63 - 1,
    "2**63": lambda: 2**63,
    "-2**63": lambda: -(2**63),
    "2**64": lambda: 2**64,
    "10**18": lambda: 10**18,
    "10**400": lambda: 10**400,
    "-10**5000": lambda: -(10**5000),
    "fraction": lambda: Fraction(1, 3),
    "huge fraction": lambda: Fraction(10**400, 3),
    "decimal": lambda: Decimal("0.3"),
    "decimal nan": lambda: Decimal("NaN"),
    "signalling nan": lambda: Decimal("sNaN"),
    "vast decimal": lambda: Decimal("1e5000"),
    "complex": lambda: 1j,
    "empty text": lambda: "",
    "text": lambda: "x",
    "number as text": lambda: "0.5",
    "surrogate": lambda: "\ud800",
    "nul": lambda: "a\0b",
    "right to left": lambda: "\u202eאבג",
    "combining": lambda: "é\u0301" * 50,
    "bytes": lambda: b"\xff\xfe",
    "half float": lambda: np.float16(0.5),
    "long double": lambda: np.longdouble("1e4000"),
    "int8": lambda: np.int8(-128),
    "uint64": lambda: np.uint64(2**64 - 1),
    "numpy bool": lambda: np.True_,
    "numpy text": lambda: np.str_("x"),
    "numpy void": lambda: np.void(b"abc"),
    "NaT": lambda: np.datetime64("NaT"),
    "timedelta": lambda: np.timedelta64(3, "D"),
    "pandas NA": lambda: pd.NA,
    "pandas NaT": lambda: pd.NaT,
    "masked": lambda: np.ma.masked,
    "date": lambda: dt.date(2020, 1, 1),
    "aware time": lambda: dt.datetime(2020, 1, 1, 3, tzinfo=dt.UTC),
    "object": object,
    "rude": Rude,
    "class": lambda: int,
    "function": lambda: len,
    "ellipsis": lambda: ...,
    "slice": lambda: slice(None),
    "path": lambda: Path("/nowhere/at all"),
    "module": lambda: math,
    "lock": threading.Lock,
    "exception": lambda: ValueError("a value"),
}

CONTAINERS: dict[str, Maker] = {
    "empty list": list,
    "empty tuple": tuple,
    "empty mapping": dict,
    "empty set": set,
    "list of None": lambda: [None],
    "list of nan": lambda: [math.nan, math.nan],
    "list of lists": lambda: [[1, 0], [0, 1]],
    "ragged": lambda: [[1, 2], [3]],
    "mixed": lambda: [1, "a", None, b"x", 2.5],
    "list in itself": _endless_list,
    "mapping": lambda: {"a": 1},
    "mapping of nan": lambda: {math.nan: None},
    "ordered": lambda: OrderedDict(b=[1, 0]),
    "read-only mapping": lambda: MappingProxyType({"a": [0, 1]}),
    "set": lambda: {0, 1},
    "deque": lambda: deque([0, 1, 1]),
    "range": lambda: range(3),
    "iterator": lambda: iter([0, 1, 1]),
    "generator": lambda: (k for k in (0, 1)),
    "zip": lambda: zip([1, 2], [3, 4], strict=True),
    "0-d array": lambda: np.array(1.0),
    "empty array": lambda: np.array([]),
    "array (0, 2)": lambda: np.zeros((0, 2)),
    "array (2, 0)": lambda: np.zeros((2, 0)),
    "array (2, 2)": lambda: np.array([[1, 0], [0, 1]]),
    "array (3, 2, 2)": lambda: np.ones((3, 2, 2)),
    "array of nan": lambda: np.full(3, np.nan),
    "array of -1": lambda: np.array([-1, 0, 1]),
    "complex array": lambda: np.array([1j, 0]),
    "object array": lambda: np.array([1, "a", None], dtype=object),
    "text array": lambda: np.array(["a", "b"]),
    "wide text": lambda: np.array(["\U0010ffff", ""], dtype="U3"),
    "no-width text": lambda: np.array(["", ""], dtype="U0"),
    "bytes array": lambda: np.array([b"\xff", b"b"]),
    "new strings": lambda: np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    "strings with gaps": lambda: np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None)),
    "structured": lambda: np.zeros(3, dtype=[("a", int), ("b", float)]),
    "void array": lambda: np.zeros(2, dtype="V3"),
    "record array": lambda: np.rec.fromarrays([[1, 0], [0, 1]], names="x,y"),
    "times": lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
    "spans": lambda: np.array([3, 4], dtype="m8[ns]"),
    "long doubles": lambda: np.array(["1e4000", "1"], dtype=np.longdouble),
    "matrix of numpy": lambda: np.asmatrix([[1, 0]]),
    "masked array": lambda: np.ma.masked_array([1, 0, 1], mask=[1, 0, 0]),
    "all masked": lambda: np.ma.masked_all(3),
    "sparse": lambda: sparse.csr_matrix(np.eye(2)),
    "bytearray": lambda: bytearray(b"01"),
    "memoryview": lambda: memoryview(b"01"),
    "machine array": lambda: machine.array("d", [0.0, 1.0]),
    "machine text": lambda: machine.array("u", "ab"),
    "pandas series": lambda: pd.Series([1, 0, 1], index=[5, 5, 7]),
    "empty series": lambda: pd.Series([], dtype=object),
    "series with gaps": lambda: pd.Series([1, None, 0], dtype="Int64"),
    "nullable booleans": lambda: pd.Series([True, None], dtype="boolean"),
    "category": lambda: pd.Series(["a", None, "b"], dtype="category"),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=2)),
    "intervals": lambda: pd.Series(pd.interval_range(0, 2)),
    "zoned times": lambda: pd.Series(pd.date_range("2020", periods=2, tz="CET")),
    "sparse series": lambda: pd.Series([0, 1], dtype="Sparse[int]"),
    "pandas frame": lambda: pd.DataFrame({"a": [1, 0], "b": [0, 1]}),
    "same columns": lambda: pd.DataFrame([[1, 0], [0, 1]], columns=["a", "a"]),
    "empty frame": pd.DataFrame,
    "many levels": lambda: pd.DataFrame(
        [[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    ),
    "pandas index": lambda: pd.Index([1, 0]),
    "multi-index": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "polars series": lambda: pl.Series([1, 0, None]),
    "polars nulls": lambda: pl.Series([None, None]),
    "polars binary": lambda: pl.Series([b"a", b"\xff"]),
    "polars 128": lambda: pl.Series([2**100, 0], dtype=pl.Int128),
    "polars decimal": lambda: pl.Series([Decimal("1.5"), Decimal(0)]),
    "polars lists": lambda: pl.Series([[1], [0, 1]]),
    "polars objects": lambda: pl.Series([object(), 1], dtype=pl.Object),
    "polars struct": lambda: pl.Series([{"a": 1}, {"a": 0}]),
    "polars enum": lambda: pl.Series(["a", None], dtype=pl.Enum(["a", "b"])),
    "polars times": lambda: pl.Series([dt.time(3), None]),
    "polars frame": lambda: pl.DataFrame({"a": [1, 0]}),
    "lazy frame": lambda: pl.LazyFrame({"a": [1, 0]}),
    "expression": lambda: pl.col("a"),
    "arrow array": lambda: pa.array([1, None, 0]),
    "arrow chunks": lambda: pa.chunked_array([[1], [0, 1]]),
    "arrow dictionary": lambda: pa.array(["a", None]).dictionary_encode(),
    "arrow binary": lambda: pa.array([b"a", b"\xff"]),
    "arrow decimal": lambda: pa.array([Decimal("1.5"), None]),
    "arrow lists": lambda: pa.array([[1], []]),
    "arrow struct": lambda: pa.array([{"a": 1}]),
    "arrow null": lambda: pa.nulls(2),
    "arrow scalar": lambda: pa.scalar(1),
    "arrow table": lambda: pa.table({"a": [1, 0]}),
    "namespace": lambda: SimpleNamespace(shape=(2,), dtype="int64"),
    "matrix": lambda: ConfusionMatrix(tp=3, fn=1, fp=2, tn=4),
    "empty matrix": lambda: ConfusionMatrix(tp=0, fn=0, fp=0, tn=0),
    "huge matrix": lambda: ConfusionMatrix(tp=10**18, fn=2**53 + 1, fp=2**63 - 1, tn=10**25),
    "vast matrix": lambda: ConfusionMatrix(tp=1e308, fn=1e308, fp=1e308, tn=1e308),
    "tiny matrix": lambda: ConfusionMatrix(tp=5e-324, fn=1e-300, fp=0, tn=1e-310),
    "weighted matrix": lambda: ConfusionMatrix(tp=1.5, fn=0.25, fp=2.75, tn=3.125),
    "one class": lambda: ConfusionMatrix(tp=3, fn=4, fp=0, tn=0),
    "batch": lambda: ConfusionMatrix(tp=[1, 2], fn=[0, 1], fp=1, tn=[3, 0]),
    "batch of none": lambda: ConfusionMatrix(tp=np.zeros(0), fn=0, fp=0, tn=0),
    "class table": lambda: ClassTable([[2, 1, 0], [0, 3, 1], [1, 0, 4]]),
    "empty class table": lambda: ClassTable([[0, 0], [0, 0]]),
    "huge class table": lambda: ClassTable([[10**18, 0], [2**53 + 1, 2**62]]),
    "batch of classes": lambda: ClassTable(np.ones((3, 2, 2))),
}

ALONE: dict[str, Maker] = {**SCALARS, **CONTAINERS}

# What a column of good values is turned into: mostly still good, in another dress.
DRESSES: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "array": np.array,
    "object array": lambda v: np.array(v, dtype=object),
    "text": lambda v: np.array([str(x) for x in v]),
    "bytes": lambda v: np.array([str(x).encode() for x in v]),
    "new strings": lambda v: np.array([str(x) for x in v], dtype=np.dtypes.StringDType()),
    "bool": lambda v: np.array(v).astype(bool),
    "int8": lambda v: np.array(v).astype(np.int8),
    "uint64": lambda v: np.array(v).astype(np.uint64),
    "float16": lambda v: np.array(v).astype(np.float16),
    "float32": lambda v: np.array(v).astype(np.float32),
    "long double": lambda v: np.array(v).astype(np.longdouble),
    "complex": lambda v: np.array(v).astype(complex),
    "times": lambda v: np.array(v).astype(np.int64).astype("M8[D]"),
    "spans": lambda v: np.array(v).astype(np.int64).astype("m8[s]"),
    "swapped": lambda v: np.array(v).astype(np.array(v).dtype.newbyteorder()),
    "strided": lambda v: np.repeat(np.array(v), 2)[::2],
    "reversed": lambda v: np.array(v[::-1])[::-1],
    "broadcast": lambda v: np.broadcast_to(np.array(v[0]), len(v)),
    "column vector": lambda v: np.array(v)[:, None],
    "row vector": lambda v: np.array(v)[None, :],
    "two columns": lambda v: np.column_stack([v, v]),
    "read-only": lambda v: _frozen(np.array(v)),
    "masked": lambda v: np.ma.masked_array(v, mask=[k == 0 for k in range(len(v))]),
    "unmasked": np.ma.masked_array,
    "structured": lambda v: np.array([(x,) for x in v], dtype=[("a", object)]),
    "generator": lambda v: (x for x in v),
    "deque": deque,
    "mapping": lambda v: dict(enumerate(v)),
    "lists": lambda v: [[x] for x in v],
    "numpy scalars": lambda v: list(np.array(v)),
    "doubled": lambda v: v + v,
    "shorter": lambda v: v[:-1],
    "longer": lambda v: [*v, v[0]],
    "first only": lambda v: v[:1],
    "constant": lambda v: [v[0]] * len(v),
    "all None": lambda v: [None] * len(v),
    "all nan": lambda v: [math.nan] * len(v),
    "all zero": lambda v: [0] * len(v),
    "all infinite": lambda v: [math.inf] * len(v),
    "all huge": lambda v: [10**18] * len(v),
    "all subnormal": lambda v: [5e-324] * len(v),
    "all different": lambda v: list(range(len(v))),
    "series": lambda v: pd.Series(v, index=[7] * len(v)),
    "Int64": lambda v: pd.Series([*v[:-1], None], dtype="Int64"),
    "Float64": lambda v: pd.Series([*v[:-1], None], dtype="Float64"),
    "boolean": lambda v: pd.Series([*map(bool, v[:-1]), None], dtype="boolean"),
    "whole Int64": lambda v: pd.Series(v, dtype="Int64"),
    "string": lambda v: pd.Series(map(str, v), dtype="string"),
    "category": lambda v: pd.Series(v, dtype="category"),
    "ordered": lambda v: pd.Categorical(v, ordered=True),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.array(v).type)),
    "zoned": lambda v: pd.Series(pd.to_datetime([int(x) for x in v], utc=True)),
    "index": pd.Index,
    "frame": lambda v: pd.DataFrame({"a": v}),
    "polars": pl.Series,
    "polars Int128": lambda v: pl.Series([int(x) for x in v], dtype=pl.Int128),
    "polars UInt128": lambda v: pl.Series([int(x) for x in v], dtype=pl.UInt128),
    "polars Float16": lambda v: pl.Series([float(x) for x in v], dtype=pl.Float16),
    "polars binary": lambda v: pl.Series([str(x).encode() for x in v]),
    "polars decimal": lambda v: pl.Series([Decimal(str(x)) for x in v]),
    "polars object": lambda v: pl.Series(v, dtype=pl.Object),
    "polars category": lambda v: pl.Series([str(x) for x in v], dtype=pl.Categorical),
    "polars lists": lambda v: pl.Series([[x] for x in v]),
    "polars frame": lambda v: pl.DataFrame({"a": v}),
    "arrow": pa.array,
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow binary": lambda v: pa.array([str(x).encode() for x in v]),
    "arrow decimal": lambda v: pa.array([Decimal(str(x)) for x in v]),
    "arrow half": lambda v: pa.array(np.array(v).astype(np.float16)),
    "arrow nulls": lambda v: pa.nulls(len(v)),
    "arrow large": lambda v: pa.array([str(x) for x in v], type=pa.large_string()),
    "arrow view": lambda v: pa.array([str(x) for x in v], type=pa.string_view()),
    "arrow runs": lambda v: pa.RunEndEncodedArray.from_arrays([len(v)], [v[0]]),
    "arrow months": lambda v: pa.array([(1, 2, 3)] * len(v), type=pa.month_day_nano_interval()),
    "memoryview": lambda v: memoryview(np.array(v)),
    "machine array": lambda v: machine.array("d", v),
}


def _frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def listed(value: Any) -> list[Any] | None:
    """Return a good column as a list of its values; None if it is no column."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, (Sequence, np.ndarray)):
        return None
    return list(value) or None


def variants(good: Any) -> Iterator[tuple[str, Maker]]:
    """Yield every hostile value for an argument whose good value this is, by name."""
    yield from ALONE.items()
    values = listed(good)
    if values is None:
        return
    for name, dress in DRESSES.items():
        yield f"as {name}", lambda dress=dress: dress(list(values))
    for name, make in SCALARS.items():
        yield f"first is {name}", lambda make=make: [make(), *values[1:]]

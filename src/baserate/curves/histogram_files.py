"""Files of score histograms, JSON or Arrow: versioned, and refused where they do not fit."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate._whole_files import write_bytes
from baserate.curves.counted_rows import TYPES, Bins, Focus, Suppressed
from baserate.curves.score_grid import COARSEST, FINEST
from baserate.errors import DataError, InvalidArgumentError, MissingDependencyError

if TYPE_CHECKING:
    from baserate.curves.score_histogram import ScoreHistogram

FORMAT, VERSION = "baserate score histogram", 1
COLUMNS = Bins._fields
MAGIC = b"ARROW1"  # how an Arrow file begins
SUFFIXES = (".json", ".arrow")
KINDS = {"date": dt.date, "datetime": dt.datetime}


def save_histogram(histogram: "ScoreHistogram", path: str | PathLike[str]) -> None:
    """Write a histogram to a file that ends in .json or .arrow; see `ScoreHistogram.save`."""
    check_suffix(path)
    is_json = Path(path).suffix.lower() == ".json"
    write_bytes(path, _as_json(histogram) if is_json else _as_arrow(histogram))


def check_suffix(path: str | PathLike[str], argument: str = "path") -> None:
    """Refuse a file name that no format of histograms has."""
    if Path(path).suffix.lower() not in SUFFIXES:
        rule = f"must end in {' or '.join(SUFFIXES)}"
        raise InvalidArgumentError.from_rule(argument, rule, str(path), "choose one of these")


def load_histogram(path: str | PathLike[str], kind: "type[ScoreHistogram]") -> "ScoreHistogram":
    """Read a histogram from a file; see `ScoreHistogram.load`."""
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror}.") from None
    found = _from_arrow(data, name) if data.startswith(MAGIC) else _from_json(data, name)
    return _restored(*found, name, kind)


def is_histogram(head: bytes) -> bool:
    """Whether a file that begins so is a histogram; of an Arrow file, the schema is needed."""
    return f'"format": "{FORMAT}"'.encode() in head or b"baserate histogram" in head


def _header(histogram: "ScoreHistogram") -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "positive": _label_out(histogram.positive),
        "labels": list(map(_label_out, histogram.labels)),
        "group_names": list(histogram.group_names),
        "groups": [list(map(_label_out, key)) for key in histogram.groups],
        "level": histogram.level,
        "bins": histogram.bins,
        "n_missing": histogram.n_missing,
        "focus": [_numbers(np.array(pair)) for pair in histogram.focus],
        "columns": list(histogram.columns),
        "suppression": histogram.suppression and histogram.suppression._asdict(),
    }


def _label_out(label: Any) -> Any:
    """Return what JSON holds and gives back as the same label."""
    if label is None or type(label) in {bool, int, float, str}:
        return label
    for name, kind in KINDS.items():
        if type(label) is kind:
            return {name: label.isoformat()}
    rule, remedy = "must be text, numbers, booleans or dates to be saved", "turn it into text"
    raise InvalidArgumentError.from_rule("labels", rule, label, remedy)


def _label_in(value: Any) -> Any:
    if isinstance(value, list) or (isinstance(value, float) and not isfinite(value)):
        raise ValueError(value)
    if not isinstance(value, Mapping):
        return value
    [(name, text)] = value.items()
    return KINDS[name].fromisoformat(text)


def _as_json(histogram: "ScoreHistogram") -> bytes:
    columns = {name: _numbers(column) for name, column in histogram.rows._asdict().items()}
    return json.dumps(_header(histogram) | {"rows": columns}, allow_nan=False).encode()


def _numbers(column: Any) -> list[Any]:
    """Write infinities as text, which JSON has no number for."""
    return [x if isfinite(x) else repr(x) for x in column.tolist()]


def _from_json(data: bytes, name: str) -> tuple[Any, Any]:
    try:
        document = json.loads(data)
        return document, document["rows"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _other(name, "it is no JSON or Arrow file that ScoreHistogram.save wrote") from None


def _as_arrow(histogram: "ScoreHistogram") -> bytes:
    pa, ipc = _arrow("Writing")
    table = pa.table(histogram.rows._asdict())
    told = {b"baserate histogram": json.dumps(_header(histogram)).encode()}
    target = BytesIO()
    with ipc.new_file(target, table.schema.with_metadata(told)) as writer:
        writer.write_table(table.replace_schema_metadata(told))
    return target.getvalue()


def _from_arrow(data: bytes, name: str) -> tuple[Any, Any]:
    pa, ipc = _arrow("Reading")
    try:
        table = ipc.open_file(pa.py_buffer(data)).read_all()
        header = json.loads(table.schema.metadata[b"baserate histogram"])
        return header, {column: table[column].to_numpy() for column in table.column_names}
    except (pa.ArrowException, TypeError, KeyError, ValueError, RecursionError, OSError):
        raise _other(name, "it is no Arrow file that ScoreHistogram.save wrote") from None


def _arrow(what: str) -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.ipc")
    except ImportError:
        purpose = f"{what} a histogram as an Arrow file"
        raise MissingDependencyError.from_extra("pyarrow", purpose, "arrow") from None


def _restored(
    header: Any,
    columns: Mapping[str, Sequence[Any]],
    name: str,
    kind: "type[ScoreHistogram]",
) -> "ScoreHistogram":
    """Make a histogram of what a file holds, once everything was found to fit."""
    if not isinstance(header, Mapping) or header.get("format") != FORMAT:
        raise _other(name, "it is no histogram of scores")
    if header.get("version") != VERSION:
        version = header.get("version")
        raise _other(name, f"it is of version {version!r}, and this release reads {VERSION}")
    made = kind()
    try:
        ranges = [[float(end) for end in pair] for pair in header.get("focus", [])]
        positive = _label_in(header["positive"])
        made = kind(pos_label=positive, bins=header["bins"], focus=ranges)
        made.positive, made.source = made.pos_label, name
        made.labels = tuple(map(_label_in, header["labels"]))
        made.group_names = tuple(map(_label_in, header["group_names"]))
        made.groups = tuple(tuple(map(_label_in, key)) for key in header["groups"])
        made.n_missing = header["n_missing"]
        truth, score = header.get("columns", (None, None))
        made.columns = (_label_in(truth), _label_in(score))
        if header.get("suppression") is not None:
            made.suppression = Suppressed(**header["suppression"])
        parts = zip(COLUMNS, TYPES, strict=True)
        with np.errstate(invalid="ignore"):  # numbers that do not fit are found below
            read: Any = [np.array(columns[part], dtype=kind) for part, kind in parts]
        made.restore(Bins(*read), header["level"])
        fits = _fits(made)
    except (KeyError, TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise _other(name, "its rows do not fit together")
    return made


def _fits(made: "ScoreHistogram") -> bool:
    """Whether rows are as `ScoreHistogram` keeps them."""
    rows, groups = made.rows, max(len(made.groups), 1)
    if len({len(column) for column in rows}) != 1:
        return False
    told = (made.n_missing, *(n for n in made.suppression or () if n is not None))
    if not all(type(n) is int and n >= 0 for n in told):
        return False
    if any(len(key) != len(made.group_names) for key in made.groups):
        return False
    if made.level is not None and made.level not in range(COARSEST, FINEST + 1):
        return False
    inside = bool(((rows.group >= 0) & (rows.group < groups)).all())
    ranges = bool((rows.lowest <= rows.highest).all() and (rows.cases > 0).all())
    again = rows.joined(made.level, Focus.of(made.focus))
    return inside and ranges and all(map(np.array_equal, rows, again))


def _other(name: str, why: str) -> DataError:
    return DataError(f"{name} cannot be read: {why}; count the cases again.")

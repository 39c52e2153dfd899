"""No row is lost because its line is long: it is read, or the file is refused."""

import gzip

import pytest

from adapters.arrivals import SQUEEZE, read
from baserate.adapters import _text
from baserate.errors import DataError, MissingDependencyError

HEAD = b"y,p,note\n1,1,a\n0,0,b\n"
LONG = b"0,1," + b"x" * (33 << 20)  # more than a buffer of the engine


def rows(path):
    return int(sum(read(path, target="y", prediction="p").count))


def refused(path):
    with pytest.raises(DataError, match=r"long|Maximum line size"):
        rows(path)


@pytest.mark.sweep(15, start=10)
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "csv.zst", "csv.bz2"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n" * 100], ids=["", "n", "blank"])
def test_a_last_line_that_fills_a_buffer(tmp_path, kind, end):
    path = tmp_path / f"d.{kind}"
    squeeze = SQUEEZE.get(kind[4:], bytes)
    path.write_bytes(squeeze(HEAD + LONG + end))
    refused(path)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_a_line_amid_others_is_not_called_the_last(tmp_path, kind):
    path = tmp_path / f"d.{kind}"
    path.write_bytes(SQUEEZE.get(kind[4:], bytes)(HEAD + LONG + b"\n1,1,c\n"))
    with pytest.raises(DataError, match=r"a line of it is longer than .*: shorten it, or save the"):
        rows(path)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("quote", [b"", b'"'])
@pytest.mark.parametrize("end", [b"\r\n", b"\r"], ids=["crlf", "cr"])
def test_whatever_ends_lines(tmp_path, end, quote):
    path = tmp_path / "d.csv"
    path.write_bytes(HEAD.replace(b"\n", end) + b"0,1," + quote + LONG[4:] + quote + end)
    with pytest.raises(DataError, match="a line of it is longer than 2,000,000 bytes: shorten it"):
        rows(path)


def test_what_only_the_engine_decompresses(tmp_path, monkeypatch):
    def none(path, compression):
        raise MissingDependencyError.from_extra("pyarrow", "Reading", "arrow")

    monkeypatch.setattr(_text, "decompressed", none)
    path = tmp_path / "d.csv.zst"
    path.write_bytes(SQUEEZE["zst"](HEAD + LONG))
    refused(path)
    path.write_bytes(SQUEEZE["zst"](HEAD + LONG[:1_900_000]))
    assert rows(path) == 3


def test_one_of_several_files(tmp_path):
    for name, line in (("a", b"1,1,c"), ("b", LONG), ("c", b"1,1,c")):
        (tmp_path / f"{name}.csv").write_bytes(HEAD + line)
    with pytest.raises(DataError, match=r"b\.csv cannot be read: a line of it is longer"):
        rows(tmp_path / "*.csv")


@pytest.mark.sweep(6)
@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
@pytest.mark.parametrize("after", [b"", b"\n1,1,c\n"], ids=["", "row"])
def test_a_line_as_long_as_lines_may_be_is_read(tmp_path, squeeze, after):
    path = tmp_path / ("d.csv" if squeeze is bytes else "d.csv.gz")
    path.write_bytes(squeeze(HEAD + b"1,0,\n" * 6_000_000 + LONG[:1_999_000] + after))
    assert rows(path) == 6_000_003 + after.count(b"c")

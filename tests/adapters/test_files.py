"""What cannot be read is refused in one clear line."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest

from adapters.arrivals import arrow_bytes, content, csv_bytes, parquet_bytes, read, stream_bytes
from baserate.adapters import formats
from baserate.adapters.files import read_file
from baserate.errors import DataError

DATA = {"y": ["a", "b", "a"] * 50, "p": ["a", "a", "b"] * 50}


def refused(path, wanted, **roles):
    with pytest.raises(DataError, match=wanted) as caught:
        read(path, **({"target": "y", "prediction": "p"} | roles))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500 + len(str(path))


def write(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.csv", "none.csv does not exist: pass the path of a file"),
        (".", "is a folder without files .names that begin with _ or a dot are left out.:"),
        ("a\0b.csv", "cannot be read|does not exist"),
        ("a" * 5000 + ".csv", "cannot be read: File name too long|does not exist"),
    ],
    ids=["missing", "a folder", "no name of a file", "a name that is too long"],
)
def test_what_is_no_file(tmp_path, name, said):
    refused(tmp_path / name, said)


def test_an_empty_stream():
    refused(io.BytesIO(b""), "the stream is empty")


NO_FORMAT = "of no recognised format: pass CSV, TSV, JSON lines, Par"
TWICE = "has more than one column called 'y': rename them"
EMPTY = {"y": [], "p": []}
PARQUET = parquet_bytes(DATA)
BROKEN = [  # the name of a file, what it holds, and what is said of it
    *((f"d.{suffix}", b"", "is empty: pass a file with a header and rows")
      for suffix in ("csv", "tsv", "parquet", "jsonl", "arrow", "txt", "csv.gz")),
    ("d.csv.gz", gzip.compress(b""), "is empty"),
    *(("d.csv", text.encode(), "holds no rows: pass at least one case")
      for text in ("y,p\n", "y,p", "y,p\r\n\r\n", "\ufeffy,p\n")),
    *(("d.csv", text, "has no header: its first line must name")
      for text in (b"\n", b"\n\n\n", b",")),
    *((f"d.{kind}", content(kind, EMPTY), "holds no rows")
      for kind in ("parquet", "arrow", "arrows")),
    *(("d.arrows", stream_bytes(DATA)[:cut], "cannot be read: ") for cut in (10, 200, -700)),
    ("d.parquet", PARQUET[:4] + b"\xff" * 80 + PARQUET[84:], "cannot be read: "),
    ("d.parquet", b"y,p\na,b\n" * 9, "cannot be read: No magic bytes"),
    ("d.csv", b"y,p\na,b\na\n", "CSV Error on Line: 3, Expected Number of Columns: 2 Found: 1"),
    ("d.csv", b"y,p\na,b\na,b,c\n", "CSV Error on Line: 3, Expected Number of Columns: 2 Found: 3"),
    ("d.csv", b'y,p\na,"b\na,b\n', "CSV Error on Line: 2, Value with unterminated quote found"),
    ("d.csv", b"y,p\na,b\r\na,b\n", "read: line ends are mixed, or a quote is out of place"),
    ("d.csv", "y,p\ncaf\u00e9,b\n".encode("latin-1"),
     "cannot be read: CSV Error on Line: 2, Invalid unicode .*not utf-8 encoded"),
    ("d16.csv", "y,p\na,b\n".encode("utf-16"), "d16.csv is not UTF-8 text: save it as UTF-8"),
    *(("d.jsonl", text, "cannot be read: |no column")
      for text in (b'{"y": 1, "p": 1}\n{"y": 1,', b'{"y": 1}\nnonsense\n', b"[1, 2")),
    *(("d.jsonl", text, "has no columns|cannot be read|holds no")
      for text in (b"[1, 2, 3]", b'"text"', b"{}\n{}\n")),
    *((name, data, NO_FORMAT) for name in ("d", "d.dat", "d.xlsx")
      for data in (b"hello world\n", b"\x00\x01\x02\x03", b"\x89PNG\r\n\x1a\n\x00,")),
    *(("d.csv", squeeze(header), TWICE) for squeeze in (bytes, gzip.compress)
      for header in (b"y,p,y\na,a,a\n", b'"y","p","y"\na,a,a\n')),
]  # fmt: skip


@pytest.mark.parametrize(("name", "held", "said"), BROKEN, ids=range(len(BROKEN)))
def test_what_cannot_be_read(tmp_path, name, held, said):
    refused(write(tmp_path / name, held), said)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("cut", [4, 8, 40, -100, -8, -1])
@pytest.mark.parametrize("make", [parquet_bytes, arrow_bytes])
def test_a_truncated_file(tmp_path, make, cut):
    suffix = "parquet" if make is parquet_bytes else "arrow"
    refused(write(tmp_path / f"d.{suffix}", make(DATA)[:cut]), "cannot be read: ")


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", ["csv.gz", "csv.bz2", "csv.xz", "csv.zst", "parquet.gz"])
def test_a_truncated_archive(tmp_path, kind):
    data = {"y": [str(i) for i in range(900)] * 300, "p": [str(i % 7) for i in range(900)] * 300}
    whole = content(kind, data)
    refused(write(tmp_path / f"d.{kind}", whole[: len(whole) // 2]), "cannot be read: ")


@pytest.mark.parametrize("name", ["d", "d.txt", "d.data"])
def test_an_unknown_suffix_with_a_header_is_fine(tmp_path, name):
    path = write(tmp_path / name, csv_bytes(DATA))
    assert read(path, target="y", prediction="p").source == f"{path} (CSV)"


def test_nameless_columns_are_no_duplicates(tmp_path):
    path = write(tmp_path / "d.csv", b"y,p,,\na,b,,\n")
    assert read(path, target="y", prediction="p").count.tolist() == [1]


@pytest.mark.parametrize("made", [arrow_bytes, stream_bytes])
def test_text_that_would_lie_beyond_its_buffer(tmp_path, made):
    whole = made({"y": ["no", "yes"] * 3, "p": ["no", "yes"] * 3})
    ends = np.array([0, 2, 5], dtype="<i4")  # two rows to a batch
    assert ends.tobytes() in whole
    torn = whole.replace(ends.tobytes(), ends.tobytes()[:-4] + (1 << 30).to_bytes(4, "little"))
    refused(write(tmp_path / "cases.arrow", torn), "cannot be read: .*[Oo]ffset")


def test_a_stream_that_breaks_off(tmp_path):
    whole = stream_bytes({"y": ["no", "yes"] * 30, "p": ["no", "yes"] * 30})
    path = write(tmp_path / "cases.arrows", whole[: len(whole) // 2])
    refused(path, r"cases.arrows cannot be read: (?!.*(registered|Detail|Traceback))\w+")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("packed", ["csv.xz", "csv.bz2", "parquet.gz"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(packed, tmp_path, monkeypatch):
    """A file of 457 kB filled the temporary folder with 3 GB."""
    opener = {"xz": lzma.open, "bz2": bz2.open, "gz": gzip.open}[packed.split(".")[1]]
    path = tmp_path / f"bomb.{packed}"
    with opener(path, "wb") as file:
        file.write(b"PAR1" if packed.startswith("parquet") else b"y,p\n")
        file.write(b"1,1\n" * 2_000_000)
    monkeypatch.setattr("baserate.adapters.archives.LEAST_UNPACKED", 1 << 20)
    with pytest.raises(DataError, match=r"unpacks to more than 1 GiB and 100 times as many: if"):
        read_file(path, target="y", predictions=["p"])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["xz", "bz2"])
def test_what_the_engine_cannot_stream_is_never_written_in_full(kind, tmp_path, monkeypatch):
    sizes, unpacked = [], formats.unpacked

    def measured(*given):
        copy = unpacked(*given)
        sizes.append(copy.stat().st_size)
        return copy

    monkeypatch.setattr(formats, "unpacked", measured)
    path = tmp_path / f"cases.csv.{kind}"
    with {"xz": lzma.open, "bz2": bz2.open}[kind](path, "wb") as file:
        file.write(b"y,p\n" + b"1,1\n0,0\n" * 100_000)
    assert read_file(path, target="y", predictions=["p"]).n == 200_000
    assert sizes[0] < 20_000


def test_what_the_engine_reads_by_itself_is_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "unpacked", None)
    path = tmp_path / "cases.csv.gz"
    path.write_bytes(gzip.compress(b"y,p\n1,1\n0,0\n"))
    assert read_file(path, target="y", predictions=["p"]).n == 2

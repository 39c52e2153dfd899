"""Days, times below a microsecond and Unicode forms: equal where equal, never merged in silence."""

import datetime as dt
import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.adapters.files import read_file
from baserate.adapters.frames import read_frame
from baserate.cases import count_labels
from baserate.errors import LabelError

NANOSECONDS = [1, 2, 1, 1_000, 10**18]  # two of them in one microsecond
WHERE = np.array(NANOSECONDS) == 1
COUNTED = br.confusion_matrix(WHERE, [True, True, False, False, False])
COLUMNS = {
    "polars": lambda kind: pl.Series(np.array(NANOSECONDS, kind)),
    "pyarrow": lambda kind: pa.array(np.array(NANOSECONDS, kind)),
    "pandas": lambda kind: pd.Series(np.array(NANOSECONDS, kind)),
    "pandas, arrow": lambda kind: pd.Series(
        pa.array(np.array(NANOSECONDS, kind)), dtype=pd.ArrowDtype(ARROW[kind])
    ),
    "numpy": lambda kind: np.array(NANOSECONDS, kind),
}
ARROW = {"M8[ns]": pa.timestamp("ns"), "m8[ns]": pa.duration("ns")}
FRAMES = {"polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table, "pandas": pd.DataFrame}


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("library", COLUMNS)
def test_times_below_a_microsecond_stay_apart(library, kind):
    truth = COLUMNS[library](kind)
    positive = np.array(NANOSECONDS, kind)[0]
    guess = np.array([1, 1, 2, 2, 2], kind)
    counted = count_labels(truth, guess, pos_label=positive)
    assert counted.table == COUNTED
    assert len(counted.labels) == 4
    gaps = COLUMNS[library](kind)
    if library == "polars":
        gaps = gaps.clone()
        gaps[1] = None
        assert count_labels(gaps, guess, pos_label=positive, missing="drop").n_missing == 1


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("library", FRAMES)
def test_frames_keep_times_apart(library, kind):
    columns = {"y": np.array(NANOSECONDS, kind), "p": np.array([1, 1, 2, 2, 2], kind)}
    cases = read_frame(FRAMES[library](columns), target="y", predictions=["p"], groups=["y"])
    found = cases.binary(np.array(NANOSECONDS, kind)[0])
    assert found.table("p") == COUNTED
    assert len(found.groups) == 4


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_files_keep_times_apart(tmp_path, suffix):
    kind = "M8[ns]"
    columns = {"y": np.array(NANOSECONDS, kind), "p": np.array([1, 1, 2, 2, 2], kind)}
    path, table = tmp_path / f"times.{suffix}", pa.table(columns)
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    cases = read_file(path, target="y", predictions=["p"], groups=["y"])
    found = cases.binary(np.array(NANOSECONDS, kind)[0])
    assert found.table("p") == COUNTED
    assert len(found.groups) == 4


def test_times_with_a_zone_are_kept_or_refused():
    times = pl.Series(np.array([1000, 2000, 1000], "M8[ns]")).dt.replace_time_zone("UTC")
    first = dt.datetime(1970, 1, 1, microsecond=1, tzinfo=dt.UTC)
    assert br.confusion_matrix(times, times, pos_label=first).tp == 2
    finer = pl.Series(np.array([1, 2, 1], "M8[ns]")).dt.replace_time_zone("UTC")
    with pytest.raises(LabelError, match=r"whole microseconds .* cast it to text, or round it"):
        br.confusion_matrix(finer, finer, pos_label=first)
    frame = pl.DataFrame({"y": finer, "p": finer})
    with pytest.raises(LabelError, match=r"'y' must hold times of whole microseconds"):
        read_frame(frame, target="y", predictions=["p"])


DAYS = [dt.date(2020, 1, day) for day in (1, 2, 3, 1)]
GUESSES = [dt.date(2020, 1, day) for day in (1, 2, 1, 2)]
AS_DAYS = {
    "dates": list,
    "datetimes": lambda days: [dt.datetime.combine(day, dt.time()) for day in days],
    "days": lambda days: np.array(days, "M8[D]"),
    "seconds": lambda days: np.array(days, "M8[s]"),
    "nanoseconds": lambda days: np.array(days, "M8[ns]"),
    "objects": lambda days: np.array(days, dtype=object),
    "pandas": lambda days: pd.Series(pd.to_datetime(days)),
    "polars dates": pl.Series,
    "polars datetimes": lambda days: pl.Series(days).cast(pl.Datetime("us")),
    "polars nanoseconds": lambda days: pl.Series(days).cast(pl.Datetime("ns")),
    "arrow dates": pa.array,
}


@pytest.mark.sweep(120, start=101)
@pytest.mark.parametrize("prediction", AS_DAYS)
@pytest.mark.parametrize("truth", AS_DAYS)
def test_a_day_is_a_day_however_it_is_stored(truth, prediction):
    expected = br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)
    for positive in (DAYS[0], dt.datetime.combine(DAYS[0], dt.time()), np.datetime64(DAYS[0])):
        found = count_labels(AS_DAYS[truth](DAYS), AS_DAYS[prediction](GUESSES), pos_label=positive)
        assert found.table == expected
        assert found.labels == tuple(sorted(set(DAYS)))


def test_days_and_times_are_in_order():
    noon = dt.datetime.combine(DAYS[0], dt.time(12))
    times = [dt.datetime.combine(DAYS[1], dt.time()), noon, dt.datetime.combine(DAYS[0], dt.time())]
    labels = count_labels(times, times, pos_label=times[0]).labels
    assert labels == (DAYS[0], noon, DAYS[1])


def test_many_days_are_looked_up():
    days = np.arange("2020-01-01", "2020-02-01", dtype="M8[D]")
    stored = [day.astype("M8[us]").item() for day in days]
    assert count_labels(stored * 2, list(days) * 2, pos_label=days[3]).table.tp == 2


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))


def test_one_word_in_two_unicode_forms_is_refused_with_its_code():
    with pytest.raises(LabelError, match=r"'caf\\xe9'.*differ only by Unicode form .composed, dec"):
        br.confusion_matrix([COMPOSED, "tea"], [DECOMPOSED, "tea"], pos_label="tea")
    with pytest.raises(LabelError, match=r"'cafe\\u0301'"):
        br.confusion_matrix([COMPOSED, DECOMPOSED], ["tea", "tea"], pos_label="tea")
    with pytest.raises(LabelError, match="differ only by spaces or letter case"):
        br.confusion_matrix([COMPOSED, "tea"], [DECOMPOSED.upper(), "tea"], pos_label="tea")


def test_the_positive_label_may_be_written_in_either_form():
    for form in (COMPOSED, DECOMPOSED):
        for asked in (COMPOSED, DECOMPOSED):
            table = br.confusion_matrix([form, "tea"], [form, form], pos_label=asked)
            assert table == br.ConfusionMatrix(tp=1, fn=0, fp=1, tn=0)


def test_files_refuse_two_forms_too(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text(f"y,p\n{COMPOSED},{DECOMPOSED}\ntea,tea\n", encoding="utf-8")
    with pytest.raises(LabelError, match="differ only by Unicode form"):
        br.evaluate(path, target="y", prediction="p", positive="tea")

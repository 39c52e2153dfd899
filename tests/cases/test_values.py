from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from baserate.cases.values import (
    distinct,
    from_text,
    is_fraction,
    is_missing,
    listed,
    order,
    python_value,
)


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        np.nan,
        np.float32("nan"),
        np.datetime64("NaT", "ns"),
        pd.NaT,
        pd.NA,
        np.ma.masked,
    ],
)
def test_missing_in_every_library(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", False, "nan", "None", b"", 0.0, np.inf, date(2020, 1, 1)])
def test_present_values_are_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int8(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (b"yes", "yes"),
        (np.bytes_(b"no"), "no"),
        (np.datetime64("2020-01-02T03:04:05", "ns"), datetime(2020, 1, 2, 3, 4, 5)),  # noqa: DTZ001  NumPy times have no zone
    ],
)
def test_numpy_scalars_become_python_values(value, expected):
    found = python_value(value)
    assert found == expected
    assert type(found) is type(expected)


def test_a_time_finer_than_a_microsecond_keeps_its_nanoseconds():
    value = np.datetime64("2020-01-02T03:04:05.000000001", "ns")
    assert python_value(value) == value


def test_numbers_then_text_then_the_rest_then_missing():
    values = [None, "b", 10, date(2020, 1, 1), "a", 2.5, True, Decimal(3), float("nan")]
    assert sorted(values, key=order)[:7] == [True, 2.5, Decimal(3), 10, "a", "b", date(2020, 1, 1)]
    assert all(is_missing(value) for value in sorted(values, key=order)[7:])


def test_one_is_one_however_it_is_written():
    assert distinct([1, True, 1.0, np.int64(1), 0]) == (0, 1)


def test_long_lists_are_cut():
    assert listed([1, "a"]) == "1, 'a'"
    assert listed([]) == "nothing"
    assert listed(range(1010)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1,000 more"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("1.0", 1), (" -1 ", -1), ("0.5", 0.5), ("1e3", 1000),
        ("12345678901234567890", 12345678901234567890),
        ("true", True), ("FALSE", False),
        ("yes", None), ("nan", None), ("inf", None), ("", None), (7, 7),
    ],
)  # fmt: skip
def test_values_read_out_of_text(text, value):
    assert from_text(text) == value
    assert isinstance(from_text(text), bool) == isinstance(value, bool)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, True), (1.0, False), (1, False), ("0.5", False), (np.inf, False)]
)
def test_fractions_are_numbers_that_are_not_whole(value, expected):
    assert is_fraction(value) is expected


def test_aware_times_are_kept():
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    assert python_value(moment) is moment

"""Numbers and labels as a reader sees them."""

import math

import numpy as np
import pytest

from baserate import _figures as figures


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"), (-0.0, "0.000"), (0.5, "0.500"), (1, "1.000"), (-0.0004, "-0.0004"),
        (0.00049, "0.0005"), (3e-12, "3e-12"), (9.5, "9.500"), (10.5, "10.50"), (123.45, "123.5"),
        (9999.6, "10,000"), (1e18, "1.000e+18"), (math.nan, "undefined"), (math.inf, "∞"),
    ],
)  # fmt: skip
def test_numbers(value, text):
    assert figures.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (10**12, "1,000,000,000,000"), (10**300, "1.000e+300"), (3.0, "3"),
        (0.333333, "0.3333"), (999.96, "1,000"), (1234567.8, "1,234,568"), (1e-9, "1e-09"),
    ],
)  # fmt: skip
def test_counts(value, text):
    assert figures.count(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.001, "0.001"), (0.0996, "0.10"), (1.0, "1.00")],
)
def test_p_values(p, text):
    assert figures.p_value(p) == text


def test_exact_numbers_read_back_as_themselves():
    for value in (1 / 3, np.float64(1 / 3), 10**20, 1e-300):
        assert float(figures.exact(value)) == float(value)


@pytest.mark.parametrize(
    ("label", "text"),
    [(np.int64(3), "3"), (True, "True"), ("a\tb\x1b", "a\\tb\\x1b"), ("größer", "größer")],
)
def test_labels(label, text):
    assert figures.label(label) == text

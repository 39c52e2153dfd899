"""Names of curves, tables and groups: whole in frames, short in pictures, never mixed up."""

import numpy as np
import pytest

import baserate as br
from baserate.displays import (
    BaseRateDisplay,
    CalibrationDisplay,
    ChanceDisplay,
    ConfusionDisplay,
    DecisionCurveDisplay,
    GroupForestDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    ScoreDistributionDisplay,
    SmallSampleDisplay,
    ThresholdDisplay,
    UtilityMapDisplay,
)
from baserate.errors import InvalidArgumentError

LONG = ["x" * 5_000 + middle + "y" * 5_000 for middle in ("<a>", "<b>")]  # alike at both ends
TRUTH = np.tile([0, 1, 0, 1, 1, 0, 0, 1], 5)
SCORE = np.linspace(0.05, 0.95, 40)
TABLES = (
    br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
    br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
)
SWEEPS = br.sweep(TRUTH, SCORE), br.sweep(TRUTH, SCORE[::-1] ** 2)

of_scores = pytest.mark.parametrize(
    "display",
    [
        CalibrationDisplay, DecisionCurveDisplay, PrecisionRecallDisplay, RocDisplay,
        ScoreDistributionDisplay, ThresholdDisplay,
    ],
)  # fmt: skip
of_tables = pytest.mark.parametrize(
    "display", [BaseRateDisplay, ConfusionDisplay, GroupForestDisplay, SmallSampleDisplay]
)


def check(display, names):
    """Assert that all are there, whole in the frame and short in the picture."""
    rows = display.to_frame("pandas").to_dict("records")
    assert {value for row in rows for value in row.values() if value in names} == set(names)
    assert "x" * 200 not in str(display.picture)
    assert "x" * 200 not in display.to_svg()


@of_scores
def test_long_names_of_scores_that_look_alike_are_two(display):
    check(display(dict(zip(LONG, SWEEPS, strict=True))), LONG)


@pytest.mark.sweep(4, start=3)
@of_tables
def test_long_names_of_tables_that_look_alike_are_two(display):
    check(display(dict(zip(LONG, TABLES, strict=True))), LONG)


def test_utility_maps_keep_names_apart():
    names = [LONG[0], "one, with a comma"]
    display = UtilityMapDisplay(dict(zip(names, TABLES, strict=True)), probabilities=False)
    check(display, names)


@of_scores
def test_groups_that_look_alike_are_two(display):
    groups = np.where(np.arange(40) < 24, *LONG)
    found = display.from_predictions(TRUTH, SCORE, groups=groups, plot=False)
    assert list(found.sweeps) == LONG


def test_groups_of_tables_that_look_alike_are_two():
    groups = np.where(np.arange(40) < 24, *LONG)
    found = ConfusionDisplay.from_predictions(TRUTH, SCORE > 0.5, groups=groups, plot=False)
    assert list(found.tables) == LONG


@pytest.mark.parametrize(
    ("display", "parts", "argument"),
    [(RocDisplay, SWEEPS, "sweeps"), (ChanceDisplay, TABLES, "tables")],
)
def test_names_that_read_the_same_are_refused(display, parts, argument):
    with pytest.raises(InvalidArgumentError, match=f"{argument} must have names that differ"):
        display({1: parts[0], "1": parts[1]})


@pytest.mark.slow
def test_groups_of_two_columns_are_not_mistaken_for_each_other():
    pairs = [("a, b", "c"), ("a", "b, c"), ('"a', "b"), ("a", 'b"'), ("a, ", "b")]
    first, second = (np.repeat([pair[k] for pair in pairs], 4) for k in (0, 1))
    groups = {"one": first, "two": second}
    found = br.evaluate([1, 0, 1, 0] * 5, score=[0.9, 0.2, 0.6, 0.4] * 5, groups=groups)
    assert len(found.sweeps) == 1 + len(pairs)

"""Pictures against the number of cases: holes by their closed forms, errors by two moments."""

import numpy as np
import pytest

import baserate as br
from baserate.displays import SampleSizeDisplay
from baserate.errors import InvalidArgumentError

GROUPS = {
    "a": br.ConfusionMatrix(tp=6, fn=2, fp=3, tn=9),
    "b": br.ConfusionMatrix(tp=9, fn=9, fp=3, tn=39),
}


def test_holes_are_lines_of_shares():
    found = br.count_undefined(["recall", "accuracy"], range(1, 6))
    display = SampleSizeDisplay(found)
    recall, accuracy = display.picture.of("curve")
    n = np.arange(1, 6)
    np.testing.assert_allclose(recall.y, 6 / ((n + 2) * (n + 3)))
    assert (accuracy.name, np.isnan(accuracy.y).all()) == ("accuracy: none", True)
    assert display.picture.title.endswith("all of 5 cases: recall 11%, accuracy 0%")
    assert display.to_frame("polars").rows(named=True) == found.rows
    pair = br.count_undefined("difference(recall)", [(2, 3), (4, 5)])
    assert SampleSizeDisplay(pair).picture.of("curve")[0].x.tolist() == [5, 9]


def test_errors_of_the_group_and_metric_that_are_asked_for():
    """Accuracy of 0.8 by n cases: root of 0.16 / n; smoothed by 10 of 0.75, with its bias."""
    how = {"strengths": [10], "replace": True}
    found = br.groups.downsample(GROUPS, ["recall", "accuracy"], sizes=[4, 25], **how)
    display = found.plot(metric="acc", group="b", plot=False)
    lines = {line.name: line.y for line in display.picture.of("curve")}
    n = np.array([4, 25])
    np.testing.assert_allclose(lines["as observed"], np.sqrt(0.16 / n))
    smoothed = np.sqrt(n * 0.16 + 0.25) / (n + 10)  # (10 * 0.05)^2
    np.testing.assert_allclose(lines["smoothed (strength 10)"], smoothed)
    assert "Accuracy of b, error of 4 cases drawn: 0.20 as observed" in display.picture.title
    rows = display.to_frame("polars").rows(named=True)
    assert {(row["group"], row["metric"]) for row in rows} == {("b", "accuracy")}
    assert SampleSizeDisplay(found).metric == "recall"


def test_refusals():
    holes = br.count_undefined("recall", [3])
    errors = br.groups.downsample(GROUPS, "recall", sizes=[3])
    for found, how, message in (
        (holes, {"metric": "recall"}, "cannot choose among counts"),
        (errors, {"group": "c"}, "group must be one of a, b"),
        (errors, {"metric": "f1"}, "metric must be one of recall"),
        (GROUPS, {}, "what count_undefined or groups.downsample returns"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            SampleSizeDisplay(found, **how)

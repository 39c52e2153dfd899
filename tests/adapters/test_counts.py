"""Every rule about values, through every kind of file and frame: same counts, same message."""

import math
from collections import Counter

import pytest

from adapters.arrivals import entries, labels
from baserate.adapters._counts import ColumnRange
from baserate.errors import (
    DataError,
    InvalidArgumentError,
    LabelError,
    MissingValueError,
    UnknownNameError,
)

Y = ["yes", "no", "yes", "no", "yes", "no", "yes"]
P = ["yes", "yes", "no", "no", "yes", "no", "no"]
S = [0.9, 0.5, 0.25, 0.1, 0.8, 0.499, 0.0]
G = ["a, b", "<b>", "a, b", None, "<b>", "é\n2", "a, b"]
W = [1.0, 2.0, 0.5, 4.0, 0.0, 1.5, 3.0]
DATA = {"y": Y, "p": P, "s": S, "g": G, "w": W}


def with_value(column, value, row=1):
    return DATA | {column: [*DATA[column][:row], value, *DATA[column][row + 1 :]]}


@pytest.mark.sweep(2)
def test_counts_labels_and_predictions(counted):
    cases = counted(DATA, target="y", prediction="p")
    pairs = Counter(zip(Y, P, strict=True))
    assert entries(cases) == {(t, p, ()): n for (t, p), n in pairs.items()}
    assert (cases.predictions["p"].decided, cases.n_missing, cases.weight) == (False, 0, None)


@pytest.mark.sweep(4)
def test_keeps_groups_and_refuses_a_missing_one(counted):
    with pytest.raises(MissingValueError, match="missing values: 1 in 'g'; pass missing="):
        counted(DATA, target="y", prediction="p", groups=["g"])
    cases = counted(DATA, target="y", prediction="p", groups=["g"], missing="drop")
    rows = zip(Y, P, ((g,) for g in G), strict=True)
    assert entries(cases) == Counter(row for row in rows if row[2] != (None,))
    assert (list(cases.groups), cases.n_missing) == (["g"], 1)


@pytest.mark.sweep(2, start=1)
def test_two_groups_one_of_them_the_target(counted):
    cases = counted(DATA, target="y", prediction="p", groups=["g", "y"], missing="drop")
    rows = zip(Y, P, zip(G, Y, strict=True), strict=True)
    assert entries(cases) == Counter(row for row in rows if None not in row[2])


@pytest.mark.sweep(2, start=1)
def test_one_group_may_be_given_by_name_alone(counted):
    assert list(counted(DATA, target="y", prediction="p", groups="p").groups) == ["p"]


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize(("threshold", "cut"), [(None, 0.5), (0.5, 0.5), (0.25, 0.25), (0.0, 0.0)])
def test_cuts_scores_at_or_above_the_threshold(counted, threshold, cut):
    cases = counted(DATA, target="y", score="s", threshold=threshold)
    assert entries(cases) == Counter((t, s >= cut, ()) for t, s in zip(Y, S, strict=True))
    assert cases.predictions["s"].decided


@pytest.mark.sweep(5, start=4)
@pytest.mark.parametrize("threshold", [0.1, 0.30000000000000004, 0.7])
def test_a_threshold_is_a_double_to_the_last_bit(counted, threshold):
    below = math.nextafter(threshold, 0)
    data = {"y": ["a", "b", "c"], "s": [threshold, below, 0.0]}
    found = entries(counted(data, target="y", score="s", threshold=threshold))
    assert found == {("a", True, ()): 1, ("b", False, ()): 1, ("c", False, ()): 1}


@pytest.mark.sweep(3, start=2)
def test_the_prediction_wins_over_the_score(counted):
    cases = counted(DATA, target="y", prediction="p", score="s")
    assert entries(cases) == entries(counted(DATA, target="y", prediction="p"))
    assert not cases.predictions["p"].decided


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize("scores", [[0, 1, 1], [True, False, True], [0.5, 0.4, 1.0]])
def test_scores_may_be_numbers_or_booleans(counted, scores):
    cases = counted({"y": ["a", "b", "c"], "s": scores}, target="y", score="s")
    assert entries(cases) == Counter((t, s >= 0.5, ()) for t, s in zip("abc", scores, strict=True))


@pytest.mark.sweep(2, start=1)
def test_sums_weights_and_their_squares(counted):
    cases = counted(DATA, target="y", prediction="p", weight="w")
    keys = list(zip(labels(cases.truth), labels(cases.predictions["p"]), strict=True))
    for key, weight, square in zip(keys, cases.weight, cases.squared, strict=True):
        mine = [w for t, p, w in zip(Y, P, W, strict=True) if (t, p) == key]
        assert weight == math.fsum(mine)
        assert square == math.fsum(w * w for w in mine)


@pytest.mark.sweep(11, start=9)
def test_missing_values_are_counted_by_column(counted):
    data = with_value("y", None) | {"p": [None, None, *P[2:]]}
    wanted = "missing values: 1 in 'y', 2 in 'p'; pass missing=\"drop\" .--missing drop."
    with pytest.raises(MissingValueError, match=wanted):
        counted(data, target="y", prediction="p")


@pytest.mark.sweep(11, start=9)
def test_missing_rows_are_dropped_and_counted_once(counted):
    data = with_value("y", None) | {"p": [None, None, *P[2:]]}
    cases = counted(data, target="y", prediction="p", missing="drop")
    assert cases.n_missing == 2
    assert entries(cases) == Counter((t, p, ()) for t, p in zip(Y[2:], P[2:], strict=True))


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize("hole", [None, math.nan])
def test_a_missing_score_is_neither_high_nor_low(counted, hole):
    data = with_value("s", hole)
    with pytest.raises(MissingValueError, match="1 in 's'"):
        counted(data, target="y", score="s")
    cases = counted(data, target="y", score="s", missing="drop")
    kept = [(t, s >= 0.5, ()) for i, (t, s) in enumerate(zip(Y, S, strict=True)) if i != 1]
    assert (entries(cases), cases.n_missing) == (Counter(kept), 1)


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize("hole", [None, math.nan])
def test_a_missing_weight_is_not_zero(counted, hole):
    data = with_value("w", hole)
    with pytest.raises(MissingValueError, match="1 in 'w'"):
        counted(data, target="y", prediction="p", weight="w")
    cases = counted(data, target="y", prediction="p", weight="w", missing="drop")
    assert (sum(cases.count), math.fsum(cases.weight), cases.n_missing) == (5, 10.0, 1)


@pytest.mark.sweep(11, start=8)
def test_nothing_is_left_when_every_row_has_a_gap(counted):
    data = {"y": ["a", "b"], "s": [math.nan, math.nan]}
    with pytest.raises(MissingValueError, match=r"Every row of .* has a missing value: 2 in 's'"):
        counted(data, target="y", score="s", missing="drop")


@pytest.mark.sweep(11, start=9)
def test_a_gap_in_a_column_without_a_role_is_no_matter(counted):
    assert sum(counted(with_value("s", None), target="y", prediction="p").count) == len(Y)


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize(("score", "shown"), [(-3.5, "-3.5 to 0.9"), (7.25, "0 to 7.25")])
def test_scores_outside_the_unit_interval_need_a_threshold(counted, score, shown):
    data = with_value("s", score)
    with pytest.raises(InvalidArgumentError, match=f"'s' runs from {shown}.: pass threshold"):
        counted(data, target="y", score="s")
    assert sum(counted(data, target="y", score="s", threshold=0.5).count) == len(Y)


@pytest.mark.sweep(3, start=1)
def test_text_among_scores_is_counted_and_shown(counted):
    texts = ["0.9", "low", "0.25", "0.1", "high", "0.4", "0"]
    # Of several texts the first by the alphabet, in whatever order they are read.
    wanted = "Column 's' of .* holds text in 2 rows, such as 'high': pass a column of numbers"
    with pytest.raises(DataError, match=wanted):
        counted(DATA | {"s": texts}, target="y", score="s")
    with pytest.raises(DataError, match=wanted.replace("'s'", "'w'").replace("w'' of", "w' of")):
        counted(DATA | {"w": texts}, target="y", prediction="p", weight="w")


@pytest.mark.sweep(2, start=1)
def test_numbers_written_as_text_are_numbers(counted):
    texts = [" 0.9", "NA", "1e-3", "true", "False", "1", "0"]
    cases = counted(DATA | {"s": texts}, target="y", score="s", missing="drop")
    decided = [True, None, False, True, False, True, False]
    kept = Counter((t, d, ()) for t, d in zip(Y, decided, strict=True) if d is not None)
    assert (entries(cases), cases.n_missing) == (kept, 1)


@pytest.mark.sweep(11, start=9)
def test_text_in_a_score_that_is_not_used_is_no_matter(counted):
    data = DATA | {"s": ["high"] * 7}
    assert sum(counted(data, target="y", prediction="p", score="s").count) == 7


@pytest.mark.sweep(21, start=17)
@pytest.mark.parametrize("weight", [-0.5, 1e400])
def test_weights_are_non_negative_and_finite(counted, weight):
    wanted = f"weight column 'w' must be non-negative and finite, got {weight}"
    with pytest.raises(InvalidArgumentError, match=wanted):
        counted(with_value("w", weight), target="y", prediction="p", weight="w")


@pytest.mark.sweep(3, start=1)
def test_identifiers_are_not_labels(counted):
    data = {"y": ["a", "b"] * 600, "p": [f"id{i}" for i in range(1200)]}
    wanted = "Column 'p' holds more than 1,000 distinct values such as 'id.*: pass labels, and scor"
    with pytest.raises(LabelError, match=wanted):
        counted(data, target="y", prediction="p")
    with pytest.raises(LabelError, match="Column 'p' holds more than 1,000 distinct values"):
        counted(data, target="p", prediction="y")


@pytest.mark.sweep(10, start=9)
def test_a_thousand_classes_are_labels(counted):
    labels = [f"class {i}" for i in range(1000)]
    cases = counted({"y": labels, "p": labels[1:] + labels[:1]}, target="y", prediction="p")
    assert len(cases.count) == 1000


@pytest.mark.sweep(5)
def test_many_groups_are_fine(counted):
    data = {"y": ["a", "b"] * 5000, "p": ["a"] * 10000, "g": list(range(10000))}
    assert len(counted(data, target="y", prediction="p", groups="g").count) == 10000


@pytest.mark.sweep(5, start=2)
def test_too_many_groups_are_refused(counted, monkeypatch):
    monkeypatch.setattr("baserate.adapters._counts.MAX_ROWS", 5)
    data = {"y": ["a", "b"] * 5, "p": ["a"] * 10, "g": list(range(10))}
    with pytest.raises(DataError, match=r"group columns 'g' of .* have more than 5 different comb"):
        counted(data, target="y", prediction="p", groups="g")


@pytest.mark.sweep(11, start=8)
def test_a_missing_column_names_the_nearest_and_the_others(counted):
    data = {"target": Y, "Prediction": P}
    with pytest.raises(DataError, match=r"has no column 'traget'. Did you mean 'target'. Its col"):
        counted(data, target="traget", prediction="Prediction")
    with pytest.raises(DataError, match=r"no column 'prediction'. Did you mean 'Prediction'.* are"):
        counted(data, target="target", prediction="prediction")
    with pytest.raises(DataError, match=r"no column 'zzz'. Its columns are '"):
        counted(data, target="target", prediction="Prediction", score="zzz")


def test_no_more_than_ten_columns_are_listed(counted):
    data = {f"c{i:02}": ["a", "b"] for i in range(25)}
    with pytest.raises(DataError, match=r"'c08', 'c09' and 15 more."):
        counted(data, target="c00", prediction="zzz")


def test_no_rows(counted):
    with pytest.raises(DataError, match=r"holds no rows|is empty"):
        counted({"y": [], "p": []}, target="y", prediction="p")


@pytest.mark.sweep(4, start=1)
@pytest.mark.parametrize(
    ("roles", "wanted"),
    [
        ({"target": "y", "prediction": "y"}, "prediction must differ from target, got 'y'"),
        ({"target": "y", "score": "y"}, "score must differ from target"),
        ({"target": "y", "prediction": "p", "score": "p"}, "score must differ from prediction"),
        ({"target": "y", "prediction": "p", "weight": "p"}, "weight must differ from prediction"),
        ({"target": "y", "prediction": "p", "groups": ["g", "g"]}, "must name each column once"),
        ({"target": "y"}, "prediction must be given unless score is"),
        ({"target": "y", "score": "s", "threshold": math.nan}, "threshold must be a finite number"),
    ],
)
def test_roles_that_cannot_be(counted, roles, wanted):
    with pytest.raises(InvalidArgumentError, match=wanted):
        counted(DATA, **roles)


def test_missing_takes_two_words(counted):
    with pytest.raises(UnknownNameError, match="missing must be one of error, drop, got 'ignore'"):
        counted(DATA, target="y", prediction="p", missing="ignore")


def test_the_range_of_several_ranges_reaches_from_the_lowest_to_the_highest():
    found = ColumnRange.of([0.2, None, -1.0], [0.5, 3.0, None], [0, 2, 1], [None, "b", "a"])
    assert found == (-1.0, 3.0, 3, "a")
    assert ColumnRange.of([], []) == (0.0, 0.0, 0, None)

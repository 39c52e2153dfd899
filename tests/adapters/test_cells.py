"""Every rule about values, through every kind of file and frame: same tally, same message."""

import math
from collections import Counter

import pytest

from adapters.arrivals import entries
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


def test_counts_labels_and_predictions(tallied):
    tally = tallied(DATA, target="y", prediction="p")
    pairs = Counter(zip(Y, P, strict=True))
    assert entries(tally) == {(t, p, ()): n for (t, p), n in pairs.items()}
    assert (tally.decided, tally.n_missing, tally.weight) == (False, 0, None)


def test_keeps_groups_and_a_missing_group(tallied):
    tally = tallied(DATA, target="y", prediction="p", groups=["g"])
    assert entries(tally) == Counter(zip(Y, P, ((g,) for g in G), strict=True))
    assert tally.group_names == ("g",)


def test_two_groups_one_of_them_the_target(tallied):
    tally = tallied(DATA, target="y", prediction="p", groups=["g", "y"])
    assert entries(tally) == Counter(zip(Y, P, zip(G, Y, strict=True), strict=True))


def test_one_group_may_be_given_by_name_alone(tallied):
    assert tallied(DATA, target="y", prediction="p", groups="g").group_names == ("g",)


@pytest.mark.parametrize(("threshold", "cut"), [(None, 0.5), (0.5, 0.5), (0.25, 0.25), (0.0, 0.0)])
def test_cuts_scores_at_or_above_the_threshold(tallied, threshold, cut):
    tally = tallied(DATA, target="y", score="s", threshold=threshold)
    assert entries(tally) == Counter((t, s >= cut, ()) for t, s in zip(Y, S, strict=True))
    assert tally.decided


@pytest.mark.parametrize("threshold", [0.1, 0.30000000000000004, 0.7])
def test_a_threshold_is_a_double_to_the_last_bit(tallied, threshold):
    below = math.nextafter(threshold, 0)
    data = {"y": ["a", "b", "c"], "s": [threshold, below, 0.0]}
    found = entries(tallied(data, target="y", score="s", threshold=threshold))
    assert found == {("a", True, ()): 1, ("b", False, ()): 1, ("c", False, ()): 1}


def test_the_prediction_wins_over_the_score(tallied):
    tally = tallied(DATA, target="y", prediction="p", score="s")
    assert entries(tally) == entries(tallied(DATA, target="y", prediction="p"))
    assert not tally.decided


@pytest.mark.parametrize("scores", [[0, 1, 1], [True, False, True], [0.5, 0.4, 1.0]])
def test_scores_may_be_numbers_or_booleans(tallied, scores):
    tally = tallied({"y": ["a", "b", "c"], "s": scores}, target="y", score="s")
    assert entries(tally) == Counter((t, s >= 0.5, ()) for t, s in zip("abc", scores, strict=True))


def test_sums_weights_and_their_squares(tallied):
    tally = tallied(DATA, target="y", prediction="p", weight="w")
    keys = list(zip(tally.truth, tally.prediction, strict=True))
    for key, weight, square in zip(keys, tally.weight, tally.weight_squared, strict=True):
        mine = [w for t, p, w in zip(Y, P, W, strict=True) if (t, p) == key]
        assert weight == math.fsum(mine)
        assert square == math.fsum(w * w for w in mine)


def test_missing_values_are_counted_by_column(tallied):
    data = with_value("y", None) | {"p": [None, None, *P[2:]]}
    wanted = "missing values: 1 in 'y', 2 in 'p'; pass missing=\"drop\" .--missing drop."
    with pytest.raises(MissingValueError, match=wanted):
        tallied(data, target="y", prediction="p")


def test_missing_rows_are_dropped_and_counted_once(tallied):
    data = with_value("y", None) | {"p": [None, None, *P[2:]]}
    tally = tallied(data, target="y", prediction="p", missing="drop")
    assert tally.n_missing == 2
    assert entries(tally) == Counter((t, p, ()) for t, p in zip(Y[2:], P[2:], strict=True))


@pytest.mark.parametrize("hole", [None, math.nan])
def test_a_missing_score_is_neither_high_nor_low(tallied, hole):
    data = with_value("s", hole)
    with pytest.raises(MissingValueError, match="1 in 's'"):
        tallied(data, target="y", score="s")
    tally = tallied(data, target="y", score="s", missing="drop")
    kept = [(t, s >= 0.5, ()) for i, (t, s) in enumerate(zip(Y, S, strict=True)) if i != 1]
    assert (entries(tally), tally.n_missing) == (Counter(kept), 1)


@pytest.mark.parametrize("hole", [None, math.nan])
def test_a_missing_weight_is_not_zero(tallied, hole):
    data = with_value("w", hole)
    with pytest.raises(MissingValueError, match="1 in 'w'"):
        tallied(data, target="y", prediction="p", weight="w")
    tally = tallied(data, target="y", prediction="p", weight="w", missing="drop")
    assert (sum(tally.count), math.fsum(tally.weight), tally.n_missing) == (6, 10.0, 1)


def test_nothing_is_left_when_every_row_has_a_gap(tallied):
    data = {"y": ["a", "b"], "s": [math.nan, math.nan]}
    with pytest.raises(MissingValueError, match=r"Every row of .* has a missing value: 2 in 's'"):
        tallied(data, target="y", score="s", missing="drop")


def test_a_gap_in_a_column_without_a_role_is_no_matter(tallied):
    assert sum(tallied(with_value("s", None), target="y", prediction="p").count) == len(Y)


@pytest.mark.parametrize(("score", "shown"), [(-3.5, "-3.5 to 0.9"), (7.25, "0 to 7.25")])
def test_scores_outside_the_unit_interval_need_a_threshold(tallied, score, shown):
    data = with_value("s", score)
    with pytest.raises(InvalidArgumentError, match=f"'s' runs from {shown}.: pass threshold"):
        tallied(data, target="y", score="s")
    assert sum(tallied(data, target="y", score="s", threshold=0.5).count) == len(Y)


def test_text_among_scores_is_counted_and_shown(tallied):
    texts = ["0.9", "high", "0.25", "0.1", "high", "0.4", "0"]
    wanted = "Column 's' of .* holds text in 2 rows, such as 'high': pass a column of numbers"
    with pytest.raises(DataError, match=wanted):
        tallied(DATA | {"s": texts}, target="y", score="s")
    with pytest.raises(DataError, match=wanted.replace("'s'", "'w'").replace("w'' of", "w' of")):
        tallied(DATA | {"w": texts}, target="y", prediction="p", weight="w")


def test_numbers_written_as_text_are_numbers(tallied):
    texts = [" 0.9", "NA", "1e-3", "true", "False", "1", "0"]
    tally = tallied(DATA | {"s": texts}, target="y", score="s", missing="drop")
    decided = [True, None, False, True, False, True, False]
    kept = Counter((t, d, ()) for t, d in zip(Y, decided, strict=True) if d is not None)
    assert (entries(tally), tally.n_missing) == (kept, 1)


def test_text_in_a_score_that_is_not_used_is_no_matter(tallied):
    data = DATA | {"s": ["high"] * 7}
    assert sum(tallied(data, target="y", prediction="p", score="s").count) == 7


@pytest.mark.parametrize("weight", [-0.5, 1e400])
def test_weights_are_non_negative_and_finite(tallied, weight):
    wanted = f"weight column 'w' must be non-negative and finite, got {weight}"
    with pytest.raises(InvalidArgumentError, match=wanted):
        tallied(with_value("w", weight), target="y", prediction="p", weight="w")


def test_identifiers_are_not_labels(tallied):
    data = {"y": ["a", "b"] * 600, "p": [f"id{i}" for i in range(1200)]}
    wanted = "Column 'p' holds more than 1,000 distinct values such as 'id.*: pass labels, and scor"
    with pytest.raises(LabelError, match=wanted):
        tallied(data, target="y", prediction="p")
    with pytest.raises(LabelError, match="Column 'p' holds more than 1,000 distinct values"):
        tallied(data, target="p", prediction="y")


def test_a_thousand_classes_are_labels(tallied):
    labels = [f"class {i}" for i in range(1000)]
    tally = tallied({"y": labels, "p": labels[1:] + labels[:1]}, target="y", prediction="p")
    assert len(tally.count) == 1000


def test_many_groups_are_fine(tallied):
    data = {"y": ["a", "b"] * 5000, "p": ["a"] * 10000, "g": list(range(10000))}
    assert len(tallied(data, target="y", prediction="p", groups="g").count) == 10000


def test_too_many_groups_are_refused(tallied, monkeypatch):
    for module in ("_cells", "_query"):
        monkeypatch.setattr(f"baserate.adapters.{module}.MAX_CELLS", 5)
    data = {"y": ["a", "b"] * 5, "p": ["a"] * 10, "g": list(range(10))}
    with pytest.raises(DataError, match=r"group columns 'g' of .* have more than 5 different comb"):
        tallied(data, target="y", prediction="p", groups="g")


def test_a_missing_column_names_the_nearest_and_the_others(tallied):
    data = {"target": Y, "Prediction": P}
    with pytest.raises(DataError, match=r"has no column 'traget'. Did you mean 'target'. Its col"):
        tallied(data, target="traget", prediction="Prediction")
    with pytest.raises(DataError, match=r"no column 'prediction'. Did you mean 'Prediction'.* are"):
        tallied(data, target="target", prediction="prediction")
    with pytest.raises(DataError, match=r"no column 'zzz'. Its columns are '"):
        tallied(data, target="target", prediction="Prediction", score="zzz")


def test_no_more_than_ten_columns_are_listed(tallied):
    data = {f"c{i:02}": ["a", "b"] for i in range(25)}
    with pytest.raises(DataError, match=r"'c08', 'c09' and 15 more."):
        tallied(data, target="c00", prediction="zzz")


def test_no_rows(tallied):
    with pytest.raises(DataError, match=r"holds no rows|is empty"):
        tallied({"y": [], "p": []}, target="y", prediction="p")


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
def test_roles_that_cannot_be(tallied, roles, wanted):
    with pytest.raises(InvalidArgumentError, match=wanted):
        tallied(DATA, **roles)


def test_missing_takes_two_words(tallied):
    with pytest.raises(
        UnknownNameError, match=r"missing is called 'ignore'. Choose one of error, d"
    ):
        tallied(DATA, target="y", prediction="p", missing="ignore")

"""Utility matrices: yields, decisions, names, files, mistakes."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from baserate import ClassTable, ConfusionMatrix
from baserate.baselines import dutch_draw
from baserate.errors import (
    InvalidArgumentError,
    InvalidCountError,
    LabelError,
    MissingValueError,
    UnsupportedError,
)
from baserate.inference import interval
from baserate.metrics import class_utility
from baserate.utilities import UtilityMatrix
from oracles import utility_twins as twin

# Dyrland et al., draft of 12 May 2022: confusion matrices (1), (2); utilities (4), (5), (6), (7).
A, B = [[27, 15], [23, 35]], [[43, 18], [7, 32]]
U4, U5, U6 = [[15, -335], [-35, 165]], [[45, -335], [-65, 165]], [[350, 0], [300, 500]]
LOTTERY = UtilityMatrix([[10, -1], [0, 0]], ["buy", "pass"], ["win", "lose"])

WHOLE = st.integers(-50, 50)


def matrices(n_decisions, n_classes):
    row = st.lists(WHOLE, min_size=n_classes, max_size=n_classes)
    return st.lists(row, min_size=n_decisions, max_size=n_decisions)


def quiet(matrix, **names):
    """A matrix whose decisions are no guesses of classes, without the warning of dull rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return UtilityMatrix(matrix, decisions=[f"d{i}" for i in range(len(matrix))], **names)


@pytest.mark.parametrize(
    ("matrix", "a", "b"),
    [
        (U4, Fraction(7, 2), Fraction(-7, 2)),
        (U5, Fraction(47, 10), Fraction(73, 10)),
        (U6, Fraction(677, 2), Fraction(663, 2)),
    ],
)
def test_yields_of_the_papers_story(matrix, a, b):
    assert (twin.mean_yield(matrix, A), twin.mean_yield(matrix, B)) == (a, b)
    u = UtilityMatrix(matrix)
    assert u.utility_yield(A) == float(a)
    assert u.utility_yield([A, B]).tolist() == [float(a), float(b)]


def test_a_confusion_matrix_is_converted_and_an_array_is_not():
    table = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    assert UtilityMatrix(U4).utility_yield(table) == 3.5
    assert UtilityMatrix(U4).utility_yield(np.transpose(A)) != 3.5
    # The same problem with the other class called positive, or with classes listed the other way.
    swapped = UtilityMatrix(np.flip(U4))
    assert swapped.utility_yield(table.swap_classes()) == 3.5
    assert UtilityMatrix(U4, positive=1).utility_yield(table.swap_classes()) == 3.5
    batch = ConfusionMatrix(tp=[27, 43], fn=[23, 7], fp=[15, 18], tn=[35, 32])
    assert UtilityMatrix(U4).utility_yield(batch).tolist() == [3.5, -3.5]


def test_yield_without_cases_is_nan():
    assert np.isnan(UtilityMatrix(U4).utility_yield(np.zeros((2, 2))))


@given(
    matrices(3, 2),
    st.lists(st.lists(st.integers(0, 99), min_size=2, max_size=2), min_size=3, max_size=3),
)
def test_yield_equals_its_twin(matrix, counts):
    if sum(map(sum, counts)):
        exact = twin.mean_yield(matrix, counts)
        assert quiet(matrix).utility_yield(counts) == pytest.approx(float(exact), abs=1e-12)


# The draft, section 2.3: buy at 20% (expected +1.2 against 0); the real share of wins is 1%
# (-0.89), a test set with 50% says 4.5.
@pytest.mark.parametrize(
    ("win", "worth", "decision"),
    [
        (Fraction(1, 5), Fraction(6, 5), 0),
        (Fraction(1, 100), Fraction(-89, 100), 1),
        (Fraction(1, 2), Fraction(9, 2), 0),
        (Fraction(1, 11), 0, 0),
    ],
)
def test_lottery(win, worth, decision):
    assert twin.expected(LOTTERY.matrix.tolist(), [win, 1 - win]) == [worth, 0]
    p = [float(win), float(1 - win)]
    assert LOTTERY.expected(p) == pytest.approx([float(worth), 0])
    assert LOTTERY.decide(p) == decision
    assert LOTTERY.decide([p, [0.0, 1.0]]).tolist() == [decision, 1]


@given(matrices(3, 3), st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any))
def test_decisions_equal_their_twin_ties_included(matrix, weights):
    exact = [Fraction(w, sum(weights)) for w in weights]
    p = [float(x) for x in exact]
    u = quiet(matrix)
    assert u.decide(p) == twin.decide(matrix, exact)
    assert u.expected(p) == pytest.approx([float(x) for x in twin.expected(matrix, exact)])


def test_utilities_are_the_same_where_both_coordinates_are_and_decisions_where_thresholds_are():
    story = UtilityMatrix(U4).canonical
    assert UtilityMatrix(U6).canonical == pytest.approx(story)
    assert UtilityMatrix(U5).threshold != pytest.approx(story.tau)
    shifted = quiet([[50, 0], [0, 500]]).canonical
    assert shifted.tau == pytest.approx(story.tau)
    assert shifted.nu != pytest.approx(story.nu)


# shared theory of the draft and its published version: eq. 4 is (10/11, -3/11) and (.3, -.6),
# eq. 5 is (.8197, -.1967) and (.24, -.54).
@pytest.mark.parametrize(
    ("matrix", "tau", "nu", "xy"),
    [
        (U4, Fraction(10, 11), Fraction(-3, 11), (Fraction(3, 10), Fraction(-6, 10))),
        (U6, Fraction(10, 11), Fraction(-3, 11), (Fraction(3, 10), Fraction(-6, 10))),
        (U5, Fraction(50, 61), Fraction(-12, 61), (Fraction(24, 100), Fraction(-54, 100))),
    ],
)
def test_coordinates(matrix, tau, nu, xy):
    u = UtilityMatrix(matrix)
    assert u.canonical == pytest.approx((float(tau), float(nu)), abs=1e-14)
    assert u.threshold == float(tau)
    assert u.published == pytest.approx([float(z) for z in xy], abs=1e-14)
    # Positive is a name for a class: the other one has the complementary threshold.
    assert UtilityMatrix(matrix, positive=1).threshold == pytest.approx(float(1 - tau), abs=1e-14)


@given(st.fractions(0, 1), st.integers(-3, 3))
def test_canonical_round_trip(tau, nu):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        u = UtilityMatrix.from_canonical(float(tau), nu)
    assert u.canonical == pytest.approx((float(tau), nu), abs=1e-14)


@given(matrices(2, 2), st.integers(0, 100))
def test_threshold_is_where_the_decision_turns(matrix, percent):
    s, t = matrix[0][0] - matrix[1][0], matrix[1][1] - matrix[0][1]
    u = quiet(matrix)
    if s < 0 or t < 0 or s + t == 0:
        with pytest.raises(InvalidArgumentError, match="to have a threshold"):
            u.threshold  # noqa: B018
        return
    assert u.threshold == pytest.approx(t / (s + t))
    if Fraction(percent, 100) != Fraction(t, s + t):
        assert u.decide([percent / 100, 1 - percent / 100]) == (
            Fraction(percent, 100) < Fraction(t, s + t)
        )


def test_threshold_refuses_with_the_reason():
    with pytest.raises(UnsupportedError, match="two decisions and two classes, got 3 and 2"):
        UtilityMatrix([[1, 0], [0, 1], [0.9, 0.9]]).threshold  # noqa: B018
    with pytest.raises(InvalidArgumentError, match="worth more in the negative class: one dec"):
        quiet([[1, 1], [0, 0]]).threshold  # noqa: B018
    with pytest.raises(InvalidArgumentError, match="positive and the negative class: list"):
        quiet([[0, 1], [1, 0]]).threshold  # noqa: B018
    with pytest.raises(InvalidArgumentError, match="worth the same in either class"):
        quiet([[3, 1], [3, 1]]).threshold  # noqa: B018


@pytest.mark.parametrize(("s", "t"), [(1, 10), (5, 1), (6, 9), (10, 2), (11, 7), (3, 7)])
def test_at_the_threshold_the_first_listed_decision_is_taken_whatever_rounding_says(s, t):
    """In binary one of two equal expected utilities may come out larger by an ulp."""
    p = [t / (s + t), s / (s + t)]
    assert UtilityMatrix([[s, 0], [0, t]]).decide(p) == 0
    assert UtilityMatrix([[t, 0], [0, s]], positive=1).decide(p[::-1]) == 0
    near = [p[0] - 1e-9, p[1] + 1e-9]
    assert UtilityMatrix([[s, 0], [0, t]]).decide(near) == 1


def test_each_case_has_its_own_utilities():
    stack = [[[2, -1], [0, 0]], [[50, -5], [0, 0]], [[1, -9], [0, 0]]]
    u = UtilityMatrix(stack)
    assert u.per_case
    p = [[0.25, 0.75]] * 3
    assert u.expected(p).tolist() == [[-0.25, 0], [8.75, 0], [-6.5, 0]]
    assert u.expected(p[0]).tolist() == [[-0.25, 0], [8.75, 0], [-6.5, 0]]
    assert u.decide(p).tolist() == [1, 0, 1]
    assert u.threshold == pytest.approx([1 / 3, 1 / 11, 9 / 10])
    assert u.yield_from_labels([0, 1, 0], [0, 0, 1]) == pytest.approx((2 - 5 + 0) / 3)
    weighted = u.yield_from_labels([0, 1, 0], [0, 0, 0], sample_weight=[1, 2, 5])
    assert weighted == pytest.approx((2 - 10 + 5) / 8)
    for ask in (
        lambda: u.utility_yield(A),
        lambda: u.constant_decisions(0.5),
        lambda: u.skill(A),
        u.as_metric,
    ):
        with pytest.raises(UnsupportedError, match=r"needs one matrix for all cases, got \(3, 2"):
            ask()
    for ask in (lambda: u.decide(p[:2]), lambda: u.yield_from_labels([0, 1], [0, 0])):
        with pytest.raises(InvalidArgumentError, match="one matrix for each of 2 cases"):
            ask()


def test_yield_from_labels():
    truth = ["win", "lose", "lose", "win", "lose"]
    chosen = ["buy", "pass", "buy", "pass", "pass"]
    assert LOTTERY.yield_from_labels(truth, chosen) == 9 / 5
    assert LOTTERY.yield_from_labels(np.array(truth), np.array(chosen)) == 9 / 5
    assert LOTTERY.yield_from_labels(truth, chosen, sample_weight=[1, 1, 2, 1, 1]) == 8 / 6
    assert np.isnan(LOTTERY.yield_from_labels(truth, chosen, sample_weight=[0] * 5))
    assert UtilityMatrix(U4).yield_from_labels([True, False], [True, True]) == (165 - 35) / 2
    with pytest.raises(LabelError, match=r"y_true must hold only 'win', 'lose', got 'draw'"):
        LOTTERY.yield_from_labels(["draw"], ["buy"])
    with pytest.raises(LabelError, match="decisions must hold only"):
        LOTTERY.yield_from_labels(["win"], [0])
    with pytest.raises(LabelError, match="as many cases as y_true"):
        LOTTERY.yield_from_labels(truth, chosen[:4])
    with pytest.raises(LabelError, match="sample_weight must have as many cases"):
        LOTTERY.yield_from_labels(truth, chosen, sample_weight=[1])
    with pytest.raises(MissingValueError, match="sample_weight must not be missing, got '1 m"):
        LOTTERY.yield_from_labels(truth, chosen, sample_weight=[1, 1, None, 1, 1])


def test_constant_decisions_beat_both_classifiers_of_the_story():
    """Always choosing class 1 yields 65, 50 and 400 under (4), (5), (6)."""
    for matrix, best in ((U4, 65), (U5, 50), (U6, 400)):
        found = UtilityMatrix(matrix).constant_decisions([0.5, 0.5])
        assert (found.best, found.value) == (1, best)
    found = UtilityMatrix(U4).constant_decisions(0.5)
    assert found.expected == {0: -160, 1: 65}
    assert found.perfect == 90
    assert found.class_shares == (0.5, 0.5)
    assert found.skill(3.5) == UtilityMatrix(U4).skill(A) == pytest.approx(-61.5 / 25)


def test_constant_decisions_at_any_shares():
    assert LOTTERY.constant_decisions(0.01).best == "pass"
    assert LOTTERY.constant_decisions([0.2, 0.8]).value == pytest.approx(1.2)
    second = UtilityMatrix([[0, 0], [-1, 10]], ["pass", "buy"], ["lose", "win"], positive=1)
    assert second.constant_decisions(0.2).value == pytest.approx(1.2)
    assert np.isnan(LOTTERY.constant_decisions([1, 0]).skill(10))
    with pytest.raises(
        InvalidArgumentError, match=r"class_shares must sum to one, got 0\.7: pass shares"
    ):
        LOTTERY.constant_decisions([0.5, 0.2])
    with pytest.raises(InvalidArgumentError, match=r"class_shares must lie in \[0, 1\]"):
        LOTTERY.constant_decisions(1.2)
    with pytest.raises(InvalidCountError, match="a single table with cases"):
        LOTTERY.skill([A, B])


def test_as_metric_knows_its_chance_and_its_interval():
    table = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    metric = UtilityMatrix(U4).as_metric()
    assert metric(table) == 3.5
    assert UtilityMatrix(U4, positive=1).as_metric()(table.swap_classes()) == 3.5
    assert float(dutch_draw(metric, n_positive=50, n_negative=50)) == pytest.approx(65)
    found = interval(metric, table)
    assert found.low < 3.5 < found.high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, np.nan], [0, 1]],), "matrix must hold finite numbers, got nan"),
        (([[1, 2], [3]],), "matrix must be numbers in an array"),
        (([["a", 2], [3, 4]],), "matrix must be numbers in an array"),
        (([1, 2],), "decisions in rows and classes in columns"),
        ((U4, ["x"], None), "decisions must hold 2 different names"),
        ((U4, None, ["x", "x"]), "classes must hold 2 different names"),
        ((U4, "no", None), "decisions must be a sequence of names"),
        ((U4, ["b", "a"], ["a", "b"]), r"decisions must be in the order of the classes \['a', 'b"),
        ((U4, None, None, 2), "positive must be the index of a row and a column of a 2x2"),
        (([[0, 5], [1, 0]],), "pass minus the costs"),
        (([[0, 5, 1], [1, 0, 1], [2, 2, 0]],), "pass minus the costs"),
    ],
)
def test_bad_utilities_get_one_clear_line(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        UtilityMatrix(*arguments)
    assert "\n" not in str(caught.value)


def test_decisions_with_names_of_their_own_are_not_taken_for_costs():
    u = UtilityMatrix([[-10, 5], [0, 0]], ["keep", "discard"], ["broken", "fine"])
    assert u.decide([[0.1, 0.9], [0.9, 0.1]]).tolist() == [0, 1]


def test_a_dull_decision_is_named():
    with pytest.warns(UserWarning, match="decision 'wait' is never better than 'left'"):
        UtilityMatrix([[10, 0], [0, 10], [9, -1]], ["left", "right", "wait"])


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.2, 0.9], "must sum to one, got 1.1"),
        ([1.2, -0.2], r"must lie in \[0, 1\], got 1.2"),
        ([np.nan, 1], r"must lie in \[0, 1\], got nan"),
        ([0.3, 1.5], r"must lie in \[0, 1\], got 1.5"),
        ([0.2, 0.3, 0.5], r"one column for each of 2 classes, got \(3,\): stack the columns p and"),
        ([[1.0]], "order the columns as the classes"),
        ("xy", "must be numbers in an array"),
    ],
)
def test_probabilities_are_checked(p, message):
    with pytest.raises(InvalidArgumentError, match=message):
        LOTTERY.decide(p)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"shape \(..., 2, 2\), got \(2, 3\)"),
        ([1, 2], "decisions in rows and classes in columns"),
        ([[1, -2], [3, 4]], r"counts must hold counts of at least 0, got -2.0"),
    ],
)
def test_counts_are_checked(counts, message):
    with pytest.raises(InvalidArgumentError, match=message):
        UtilityMatrix(U4).utility_yield(counts)


def test_the_matrix_is_frozen_and_shows_itself():
    source = np.array(U4, float)
    u = UtilityMatrix(source)
    source[0, 0] = 0
    assert u.matrix[0, 0] == 15
    with pytest.raises(ValueError, match="read-only"):
        u.matrix[0, 0] = 1
    assert "decisions=['buy', 'pass'], classes=['win', 'lose'], positive=0" in repr(LOTTERY)


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (4, 2), (2, 3)])
def test_equivalent_matrices_decide_alike_and_others_do_not(shape):
    rng = np.random.default_rng(sum(shape))
    probabilities = rng.dirichlet(np.ones(shape[1]), 2_000)
    for _ in range(20):
        ours = rng.permuted(np.arange(shape[0] * shape[1]).reshape(shape), axis=0)
        unit, zeros = rng.uniform(0.1, 9), rng.integers(-99, 99, shape[1])
        mine, theirs = quiet(ours), quiet(unit * ours + zeros)
        assert mine.equivalent(theirs)
        assert theirs.equivalent(mine)
        assert_array_equal(mine.decide(probabilities), theirs.decide(probabilities))
        assert mine.equivalent(quiet(unit * ours + zeros[0]), up_to="values")
        assert mine.equivalent(theirs, up_to="values") == (np.ptp(zeros) == 0)
        assert not mine.equivalent(quiet(-ours))
        ours[0, 0] += 50
        assert not mine.equivalent(quiet(ours))
    assert not mine.equivalent(quiet(np.vstack([ours, ours[:1]])))
    with pytest.raises(InvalidArgumentError, match="other must be a UtilityMatrix"):
        mine.equivalent([[1, 0], [0, 1]])


def test_matrices_are_told_by_the_names_of_decisions_and_classes():
    rows, classes = ["wait", "test", "treat"], ["ill", "well"]
    ours = UtilityMatrix([[0, 9], [4, 8], [7, 1]], decisions=rows, classes=classes)
    turned = UtilityMatrix([[1, 7], [8, 4], [9, 0]], decisions=rows[::-1], classes=classes[::-1])
    assert ours.equivalent(turned)
    assert ours.equivalent(turned, up_to="values")
    assert not ours.equivalent(UtilityMatrix([[1, 7], [8, 4], [9, 0]]))  # by place
    assert not ours.equivalent(UtilityMatrix([[0, 9], [4, 8], [7, 1]], decisions=["a", "b", "c"]))


def test_class_tables_are_turned_and_put_in_the_order_of_the_classes():
    table = ClassTable([[5, 1, 2], [0, 7, 1], [0, 0, 4]], ["urgent", "soon", "home"])
    matrix = [[4, 1, 0], [1, 2, 0], [-5, -1, 1]]
    cells = np.array(matrix) * np.array([[5, 0, 0], [1, 7, 0], [2, 1, 4]])  # decisions in rows
    assert UtilityMatrix(matrix).utility_yield(table) == pytest.approx(cells.sum() / 20)
    names = {"decisions": ["home", "urgent", "soon"], "classes": ["home", "urgent", "soon"]}
    turned = UtilityMatrix(np.array(matrix)[np.ix_([2, 0, 1], [2, 0, 1])], **names)
    assert turned.utility_yield(table) == pytest.approx(cells.sum() / 20)
    assert class_utility(UtilityMatrix(matrix))(table) == pytest.approx(cells.sum() / 20)


def test_a_class_table_has_its_classes_in_the_order_of_the_utilities():
    """By hand: 5 of 6 cases are right and worth 1, 2 or 3; always "c" is worth 3 in 3 of 6."""
    u = UtilityMatrix(np.diag([1.0, 2.0, 3.0]), classes=["a", "b", "c"])
    table = ClassTable([[2, 0, 1], [0, 1, 0], [0, 0, 2]], ["c", "a", "b"])
    assert u.utility_yield(table) == pytest.approx((2 * 3 + 1 + 2 * 2) / 6)
    assert u.skill(table) == pytest.approx((11 / 6 - 9 / 6) / (14 / 6 - 9 / 6))

"""Tables of several classes as pictures: the shares of scikit-learn, and what can be read."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

import baserate as br
from baserate.displays import ConfusionDisplay
from baserate.displays.layout import text_width
from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError

SVG = "{http://www.w3.org/2000/svg}"
RNG = np.random.default_rng(20268)
NAMES = np.array(["cat", "dog", "eel", "fox", "gnu"])
TRUTH = RNG.choice(NAMES, size=300, p=[0.4, 0.3, 0.2, 0.07, 0.03])
CALLED = np.where(RNG.random(300) < 0.6, TRUTH, RNG.choice(NAMES[:4], size=300))
CALLED[CALLED == "gnu"] = "fox"  # so that one is never predicted


def texts(display, **sizes):
    tree = ET.fromstring(display.to_svg(**sizes))  # noqa: S314 - our own
    return [element.text for element in tree.iter(f"{SVG}text")]


def drawn(*arrays, **options):
    return ConfusionDisplay.from_predictions(*arrays, plot=False, **options)


def many(size, n):
    truth = RNG.integers(size, size=n)
    near = np.clip(truth + RNG.integers(-1, 2, size=n), 0, size - 1)
    return truth, np.where(RNG.random(n) < 0.5, truth, near)


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_shares_are_those_of_scikit_learn(normalize):
    with np.errstate(invalid="ignore"):
        expected = confusion_matrix(TRUTH, CALLED, normalize=normalize)
    cells = drawn(TRUTH, CALLED, normalize=normalize).cells
    shares = np.array([cell.share for cell in cells]).reshape(5, 5)
    if normalize == "pred":  # the gnu is never predicted: they write 0, it has no share
        assert np.isnan(shares[:, 4]).all()
        shares[:, 4] = 0
    np.testing.assert_allclose(shares, expected, rtol=1e-12)


def test_counts_are_those_of_scikit_learn_weights_and_labels_too():
    weight = RNG.random(300)
    expected = confusion_matrix(TRUTH, CALLED, sample_weight=weight)
    found = drawn(TRUTH, CALLED, sample_weight=weight, normalize=None)
    cases = np.array([cell.cases for cell in found.cells]).reshape(5, 5)
    np.testing.assert_allclose(cases, expected, rtol=1e-12)
    some = drawn(TRUTH, CALLED, labels=["eel", "cat"], normalize=None)
    expected = confusion_matrix(TRUTH, CALLED, labels=["eel", "cat"])
    assert [cell.cases for cell in some.cells] == expected.ravel().tolist()
    # Shares stay those of all cases, whichever classes are shown.
    whole = {(c.truth, c.prediction): c.share for c in drawn(TRUTH, CALLED).cells}
    for cell in drawn(TRUTH, CALLED, labels=["eel", "cat"]).cells:
        assert cell.share == whole[cell.truth, cell.prediction]


def test_intervals_are_those_of_jeffreys_and_those_of_recall():
    table = br.class_table(TRUTH, CALLED)
    cells = {(c.truth, c.prediction): c for c in ConfusionDisplay(table).cells}
    pair, row = cells["cat", "eel"], table.class_counts[0]
    ends = beta.ppf([0.025, 0.975], pair.cases + 0.5, row - pair.cases + 0.5)
    np.testing.assert_allclose((pair.low, pair.high), ends, rtol=1e-9)
    recall = br.interval("recall", table.one_vs_rest("dog"))
    assert (cells["dog", "dog"].low, cells["dog", "dog"].high) == (recall.low, recall.high)


def test_two_classes_have_the_same_shares_with_or_without_a_positive_one():
    table = br.ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    for normalize in ("true", "pred", "all"):
        two = ConfusionDisplay(table, normalize=normalize).cells
        classes = br.ClassTable([[77, 129], [380, 1679]], ["yes", "no"])
        several = ConfusionDisplay(classes, normalize=normalize).cells
        assert [cell[2:] for cell in two] == [cell[2:] for cell in several]
    counts = ConfusionDisplay(table, normalize=None)
    assert "37%" not in " ".join(texts(counts))
    assert {"77", "129", "380", "1,679"} <= set(texts(counts))


def test_shades_say_what_is_right_and_how_much():
    display = drawn(TRUTH, CALLED)
    shades = display.picture.of("cell")
    filled = [cell for cell in display.cells if cell.cases]
    assert len(shades) == len(filled)
    for shade, cell in zip(shades, filled, strict=True):
        assert shade.color == ("good" if cell.truth == cell.prediction else "bad")
        assert shade.opacity == pytest.approx(0.1 + 0.35 * cell.share**0.5, abs=1e-3)
        x, y = (list(NAMES).index(name) for name in (cell.prediction, cell.truth))
        assert (np.mean(shade.x), np.mean(shade.y)) == (x, y)


def test_numbers_stand_in_the_cells_and_titles_say_of_what():
    known = (TRUTH < "f") & (CALLED < "f")
    three = drawn(TRUTH[known], CALLED[known])
    assert len(three.picture.of("share")) == 9
    assert sum("\N{EN DASH}" in mark.text for mark in three.picture.of("words")) == 9
    five = drawn(TRUTH, CALLED)
    assert sum("\N{EN DASH}" in mark.text for mark in five.picture.of("words")) == 5
    assert (
        "300 cases of 5 classes, percent of each row (95% intervals on the diagonal)"
        in " ".join(texts(five))
    )
    ten = drawn(*many(10, 2000))
    shares = [cell.share for cell in ten.cells if cell.cases]
    assert [mark.text for mark in ten.picture.of("share")] == [f"{100 * x:.0f}" for x in shares]
    assert "percent of each row" in ten.picture.title
    rare = ConfusionDisplay(br.ClassTable(499 * np.eye(10, dtype=int) + np.eye(10, k=1, dtype=int)))
    assert {mark.text for mark in rare.picture.of("share")} == {">99", "<1", "100"}
    forty = drawn(*many(40, 2000))
    assert not forty.picture.of("share")
    assert "the darker the more" in forty.picture.title


def test_of_a_thousand_classes_the_most_confused_are_drawn_partners_side_by_side(calls_of):
    truth, called = many(1000, 50_000)
    called[truth == 700] = 17  # one large confusion
    display = drawn(truth, called)
    assert calls_of(lambda: drawn(truth, called).to_svg()) < 300_000
    assert len(display.to_svg()) < 40_000
    assert len(display.labels) == 20
    assert display.labels[:2] == (17, 700)
    assert "20 of 1,000 classes confused most (50,000 cases in all)" in display.picture.title
    [cell] = [c for c in display.cells if (c.truth, c.prediction) == (700, 17)]
    assert (cell.cases, cell.share) == ((truth == 700).sum(), 1)


@pytest.mark.parametrize("size", [3, 6, 10, 12, 20, 40])
@pytest.mark.parametrize("name", ["{}", "a class with quite a long name {}"])
def test_names_never_run_into_each_other(size, name):
    cells = np.eye(size, dtype=int) * 50 + RNG.integers(0, 3, size=(size, size))
    display = ConfusionDisplay(br.ClassTable(cells, [name.format(k) for k in range(size)]))
    ticks = display.picture.x.marked()
    room = (440 - 44 - 0.4 * 440) / size if len(name) > 5 else (440 - 70) / size
    for (at, text), (after, other) in pairwise(ticks):
        assert (after - at) * room >= (text_width(text) + text_width(other)) / 2
    if len(name) > 5:
        assert display.picture.x.label == "predicted, numbered as the rows"
        assert display.picture.y.ticks[1][1].startswith("2: a class")


def test_classifiers_of_several_classes_draw_themselves():
    data, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(data, y)
    display = ConfusionDisplay.from_estimator(model, data, y, plot=False)
    cases = [cell.cases for cell in display.cells]
    assert cases == confusion_matrix(y, model.predict(data)).ravel().tolist()
    few = ConfusionDisplay.from_estimator(model, data[:60], y[:60], plot=False)
    assert few.labels == (0, 1, 2)
    named = ConfusionDisplay.from_predictions(y, model.predict(data), pos_label=1, plot=False)
    assert len(named.cells) == 4


def test_hostile_and_leftward_names_stay_text():
    names = ["<script>" * 50, "a\nb", "\u05e9\u05dc\u05d5\u05dd", "$x^2$"]
    display = ConfusionDisplay(br.ClassTable(np.full((4, 4), 3), names))
    shown = " ".join(texts(display))
    assert "a\\nb" in shown
    assert "\u05e9\u05dc\u05d5\u05dd" in shown
    assert max(map(len, texts(display))) < 100
    display.plot()


def test_rows_without_cases_are_hatched():
    display = ConfusionDisplay(br.ClassTable([[5, 1, 0], [0, 0, 0], [1, 0, 7]]))
    assert len(display.picture.of("undefined")) == 3
    assert all(mark.hatch for mark in display.picture.of("undefined"))


def test_what_cannot_be_drawn_is_refused():
    table = br.ClassTable(np.eye(3, dtype=int))
    with pytest.raises(UnknownNameError, match="must be one of true, pred, all"):
        ConfusionDisplay(table, normalize="rows")
    with pytest.raises(InvalidArgumentError, match="draw one after the other"):
        ConfusionDisplay({"a": table, "b": table})
    with pytest.raises(LabelError, match="must be a class of the table"):
        ConfusionDisplay(table, labels=[0, 9])
    with pytest.raises(InvalidArgumentError, match="2 to 40 classes"):
        ConfusionDisplay(table, labels=[0])
    with pytest.raises(InvalidArgumentError, match="single table"):
        ConfusionDisplay(br.ClassTable(np.ones((2, 3, 3))))
    two = br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)
    with pytest.raises(InvalidArgumentError, match="labels must be 2"):
        ConfusionDisplay(two, labels=["a", "b", "c"])

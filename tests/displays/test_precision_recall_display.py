"""Precision-recall displays: scikit-learn's curve, exact chance, bands and restated base rates."""

import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, precision_recall_curve

import baserate as br
from baserate.displays import PrecisionRecallDisplay
from baserate.errors import InvalidArgumentError, UnknownNameError

RNG = np.random.default_rng(20262)
Y = RNG.random(250) < 0.3
S = np.round(RNG.normal(size=250) + 1.2 * Y, 1)  # with ties


def theirs(**how):
    """Return scikit-learn's points from strict to lax, without its artificial end."""
    precision, recall, _ = precision_recall_curve(Y, S, **how)
    return precision[:-1][::-1], recall[:-1][::-1]


def test_the_curve_is_that_of_scikit_learn():
    display = PrecisionRecallDisplay.from_predictions(Y, S)
    [line] = display.artists_["curve"]
    precision, recall = theirs()
    assert_allclose(line.get_xdata()[1::2], recall, atol=1e-15)
    assert_allclose(line.get_ydata()[1::2], precision, atol=1e-15)
    # Each precision holds from the recall before: the area below is average precision.
    area = np.sum(np.diff(line.get_xdata()) * line.get_ydata()[1:])
    assert_allclose(area, average_precision_score(Y, S))
    frame = display.to_frame("polars")
    assert_allclose(frame["precision"].to_numpy()[1:], precision)
    assert np.isnan(frame["precision"].to_numpy()[0])  # nothing is called positive


def test_weights_are_those_of_scikit_learn():
    w = RNG.random(250)
    display = PrecisionRecallDisplay.from_predictions(Y, S, sample_weight=w, plot=False)
    [line] = display.picture.of("curve")
    precision, recall = theirs(sample_weight=w)
    assert_allclose(line.x[1::2], recall, atol=1e-12)
    assert_allclose(line.y[1::2], precision, atol=1e-12)
    assert display.picture.of("band") == ()
    assert "chance" not in line.name  # weights have no law under random labels


def test_chance_is_the_base_rate_wherever_anything_is_called_positive():
    """Over all labels of two positives among five, precision at any cut is 2/5 on average."""
    n, positives = 5, 2
    for k in range(1, n + 1):
        shares = [Fraction(sum(i < k for i in c), k) for c in combinations(range(n), positives)]
        assert sum(shares) / len(shares) == Fraction(2, 5)
    swept = br.sweep([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    [chance] = PrecisionRecallDisplay(swept).picture.of("chance")
    assert_array_equal(chance.x, [1 / 5, 1.0])
    assert_array_equal(chance.y, [2 / 5, 2 / 5])
    assert chance.name == "guessing, precision 0.40"
    turned = PrecisionRecallDisplay(swept, axes="recall_false_discovery")
    [chance] = turned.picture.of("chance")
    assert_array_equal(chance.x, [3 / 5, 3 / 5])
    assert_array_equal(chance.y, [1 / 5, 1.0])


def test_the_legend_has_average_precision_interval_and_chance():
    found = br.curves.average_precision(Y, S)
    told = PrecisionRecallDisplay(br.sweep(Y, S)).picture.of("curve")[0].name
    value = average_precision_score(Y, S)
    assert told == (
        f"average precision {value:.2f} ({found.low:.2f} to {found.high:.2f}), "
        f"chance {found.chance:.2f}"
    )


def brute_limits(swept, pi, recall):
    """Return the least and the greatest precision at a recall that the ROC band leaves."""
    band = br.curves.roc_band(swept)
    fpr = np.linspace(0, 1, 20001)
    low, high = band.recall_at(fpr)
    reached = fpr[(low <= recall) & (recall <= high)]
    precision = pi * recall / (pi * recall + (1 - pi) * reached[[-1, 0]])
    return precision[0], precision[1]


@pytest.mark.parametrize("pi", [None, 0.05])
def test_the_band_is_that_of_the_roc_curve(pi):
    swept = br.sweep(Y, S)
    [band] = PrecisionRecallDisplay(swept, base_rate=pi).picture.of("band")
    rate = swept.base_rate if pi is None else pi
    for recall in (0.0333, 0.2345, 0.5432, 0.8765, 0.9876):
        low, high = brute_limits(swept, rate, recall)
        drawn = np.interp(recall, band.x, band.low), np.interp(recall, band.x, band.high)
        assert drawn[0] <= low + 1e-9
        assert drawn[1] >= high - 1e-9
        assert_allclose(drawn, (low, high), atol=0.005)


def test_the_other_axes_turn_everything():
    swept = br.sweep(Y, S)
    display = PrecisionRecallDisplay(swept, axes="recall_false_discovery", metrics="f1")
    picture = display.plot().picture
    precision, recall = theirs()
    [line], [region] = picture.of("curve"), picture.of("band")
    assert_allclose(line.x[1:], 1 - precision, atol=1e-15)
    assert_allclose(line.y[1:], recall, atol=1e-15)
    assert (picture.x.label, picture.y.label) == ("1 - precision", "Recall")
    assert region.x.min() >= 0
    assert region.x.max() <= 1
    f1 = 2 * precision * recall / (precision + recall)
    [best] = picture.of("best")
    assert_allclose((best.x[0], best.y[0]), (1 - precision[f1.argmax()], recall[f1.argmax()]))
    ET.fromstring(display.to_svg())  # noqa: S314 - our own


def test_a_stated_base_rate_restates_curve_chance_value_and_title():
    picture = PrecisionRecallDisplay(br.sweep(Y, S), base_rate=0.02).picture
    weights = np.where(Y, 0.02 / Y.sum(), 0.98 / (~Y).sum())  # the sample at that base rate
    precision, recall = theirs(sample_weight=weights)
    [line] = picture.of("curve")
    assert_allclose(line.y[1::2], precision)
    assert_allclose(line.x[1::2], recall)
    value = average_precision_score(Y, S, sample_weight=weights)
    assert line.name.startswith(f"average precision {value:.2f} (")
    assert picture.of("chance")[0].name == "guessing, precision 0.020"
    assert picture.title.endswith("positive, restated at base rate 0.02")


def test_average_precision_at_a_stated_base_rate():
    at_own = br.curves.average_precision(Y, S, base_rate=float(Y.mean()))
    own = br.curves.average_precision(Y, S)
    assert_allclose(at_own.value, own.value)
    assert own.low < at_own.low < at_own.high < own.high  # the population's is not known
    assert at_own.chance_reason == "chance belongs to cases, not to a stated base rate"
    nothing = br.curves.average_precision([1, 1], [1, 2], base_rate=0.5)
    assert nothing.reason == "no negatives"
    with pytest.raises(InvalidArgumentError, match=r"base_rate must lie in \(0, 1\)"):
        br.curves.average_precision(Y, S, base_rate=1.5)


def test_populations_have_one_curve_for_each_base_rate():
    """Figure 5 of Holzmann and Klar; recalls of table 6 for the best Jaccard coefficient."""
    display = PrecisionRecallDisplay.from_population(
        br.populations.LDA(distance=1.0),
        base_rate=[0.1, 0.01],
        metrics=["jaccard", br.metrics.robust_mcc(d=0.15)],
        axes="recall_false_discovery",
    )
    picture = display.picture
    assert [m.name for m in picture.of("curve")] == ["base rate 0.1", "base rate 0.01"]
    best = picture.of("best")
    assert [m.shape for m in best] == ["circle", "triangle"] * 2
    assert [best[i].y[0].round(2) for i in (0, 2)] == [0.45, 0.14]
    specificity = [0.87, 0.98]
    for points, pi, tnr in zip(best[::2], (0.1, 0.01), specificity, strict=True):
        right = pi * points.y[0]
        fpr = points.x[0] * right / (1 - points.x[0]) / (1 - pi)
        assert round(1 - fpr, 2) == tnr
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert len(legend) == len(set(legend))
    with pytest.raises(InvalidArgumentError, match="base_rate must be given"):
        _ = PrecisionRecallDisplay(br.populations.LDA(2.0)).picture


def test_one_class_is_drawn_empty_and_says_why():
    picture = PrecisionRecallDisplay(br.sweep([0, 0], [1, 2], pos_label=1)).picture
    assert picture.title.startswith("No precision-recall curve: no positives")
    assert picture.of("chance") == ()


def test_wrong_options_are_refused():
    with pytest.raises(UnknownNameError, match="must be one of precision_recall, recall_false"):
        PrecisionRecallDisplay(br.sweep(Y, S), axes="roc")
    with pytest.raises(InvalidArgumentError, match="base_rate"):
        PrecisionRecallDisplay(br.sweep(Y, S), base_rate=0)

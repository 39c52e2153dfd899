"""ROC displays: what is drawn is what scikit-learn, exact limits and published tables say."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.metrics import RocCurveDisplay, roc_auc_score, roc_curve

import baserate as br
from baserate.displays import RocDisplay
from baserate.errors import InvalidArgumentError, NoOptimumError

RNG = np.random.default_rng(20261)
Y = RNG.random(300) < 0.3
S = np.round(RNG.normal(size=300) + 1.2 * Y, 1)  # with ties


def at_thresholds(kept, **how):
    """Return scikit-learn's points at some thresholds, the first above them all."""
    fpr, recall, thresholds = roc_curve(Y, S, drop_intermediate=False, **how)
    rows = np.concatenate(([True], np.isin(thresholds[1:], kept[1:])))
    return fpr[rows], recall[rows]


def test_the_curve_is_that_of_scikit_learn():
    display = RocDisplay.from_predictions(Y, S)
    [line] = display.artists_["curve"]
    frame = display.to_frame("pandas")
    assert list(frame.columns)[:4] == ["name", "threshold", "false_positive_rate", "recall"]
    fpr, recall = at_thresholds(frame["threshold"].to_numpy())
    assert_allclose(line.get_xdata(), fpr, rtol=0, atol=1e-14)
    assert_allclose(line.get_ydata(), recall, rtol=0, atol=1e-14)
    # What was left out lies on the line.
    assert len(fpr) < len(np.unique(S)) + 1
    assert_allclose(np.trapezoid(line.get_ydata(), line.get_xdata()), roc_auc_score(Y, S))
    theirs = RocCurveDisplay.from_predictions(Y, S)
    assert_allclose(theirs.line_.get_xdata()[1:], line.get_xdata()[-len(theirs.fpr) + 1 :])


def test_weights_are_those_of_scikit_learn():
    w = RNG.random(300)
    display = RocDisplay.from_predictions(Y, S, sample_weight=w, plot=False)
    [line] = display.picture.of("curve")
    kept = display.to_frame("pandas")["threshold"].to_numpy()
    fpr, recall = at_thresholds(kept, sample_weight=w)
    assert_allclose(line.x, fpr, atol=1e-12)
    assert_allclose(line.y, recall, atol=1e-12)
    area = roc_auc_score(Y, S, sample_weight=w)
    assert line.name.startswith(f"area {area:.2f} (")
    assert display.picture.title.startswith("How well the score ranks: ROC curve of weights of ")
    assert display.picture.of("band") == ()
    with pytest.raises(InvalidArgumentError, match="without weights"):
        _ = RocDisplay.from_predictions(Y, S, sample_weight=w, band=True, plot=False).picture


def test_chance_is_the_diagonal_and_can_be_left_out():
    display = RocDisplay.from_predictions(Y, S)
    [chance] = display.artists_["chance"]
    assert_array_equal(chance.get_ydata(), [0, 1])
    assert_array_equal(chance.get_xdata(), [0, 1])
    assert chance.get_linestyle() == "--"
    without = RocDisplay.from_predictions(Y, S, plot_chance_level=False)
    assert "chance" not in without.artists_


def test_the_band_is_the_simultaneous_one_between_all_its_steps():
    swept = br.sweep(Y, S)
    [mark] = RocDisplay(swept).picture.of("band")
    x = np.linspace(0.0007, 0.9993, 401)  # no multiple of 1/210
    step = np.searchsorted(mark.x, x, side="right") - 1
    low, high = br.curves.roc_band(swept).recall_at(x)
    assert_array_equal(mark.low[step], low)
    assert_array_equal(mark.high[step + 1], high)
    assert mark.name == "95% band of the whole curve"


def test_a_band_of_many_steps_is_wider_and_never_narrower():
    y = RNG.random(5000) < 0.4
    swept = br.sweep(y, RNG.normal(size=5000) + y)
    [mark] = RocDisplay(swept).picture.of("band")
    assert len(mark.x) < 2001
    x = np.linspace(0, 1, 777)
    low, high = br.curves.roc_band(swept).recall_at(x)
    step = np.clip(np.searchsorted(mark.x, x, side="right") - 1, 0, len(mark.x) - 2)
    assert (mark.low[step] <= low).all()
    assert (mark.high[step + 1] >= high).all()


def test_the_legend_has_area_and_interval_the_title_cases():
    picture = RocDisplay(br.sweep(Y, S)).picture
    found = br.roc_auc(Y, S)
    area = roc_auc_score(Y, S)
    told = f"area {area:.2f} ({found.low:.2f} to {found.high:.2f})"
    assert picture.of("curve")[0].name == told
    assert picture.title == f"How well the score ranks: ROC curve of 300 cases, {Y.sum()} positive"
    assert told in picture.description


def test_several_have_no_band_unless_asked_for():
    both = {"one": S, "other": -S}
    display = RocDisplay.from_predictions(Y, both, plot=False)
    assert [m.name.split(":")[0] for m in display.picture.of("curve")] == ["one", "other"]
    assert display.picture.of("band") == ()
    assert len(RocDisplay(display.sweeps, band=True).picture.of("band")) == 2
    assert RocDisplay(br.sweep(Y, S), band=False).picture.of("band") == ()


@pytest.mark.slow
def test_one_class_is_drawn_empty_and_says_why():
    alone = RocDisplay.from_predictions([1, 1, 1], [0.1, 0.2, 0.3], pos_label=1)
    assert (
        alone.picture.title == "No ROC curve: no negatives among these cases (3 cases, 3 positive)"
    )
    assert np.isnan(alone.artists_["curve"][0].get_ydata()).all()
    ET.fromstring(alone.to_svg())  # noqa: S314 - our own
    groups = np.where(np.arange(300) < 290, "many", "none")
    y = Y & (groups == "many")
    some = RocDisplay.from_predictions(y, S, groups=groups, plot=False, metrics="f1")
    names = {m.name for m in some.picture.of("curve")}
    assert "none (0 of 10): no curve, no positives" in names
    assert len(some.picture.of("best")) == 1


def test_best_cuts_are_hollow_points_where_the_metric_is_largest():
    fpr, recall, _ = roc_curve(Y, S, drop_intermediate=False)
    k = np.argmax(recall - fpr)
    display = RocDisplay.from_predictions(Y, S, metrics=["youden_j", "f1"])
    first, second = display.picture.of("best")
    assert (first.x[0], first.y[0]) == (fpr[k], recall[k])
    assert (first.hollow, first.name, first.shape) == (
        True,
        "best cut of these cases by informedness",
        "circle",
    )
    assert second.shape == "triangle"
    marker = display.artists_["best"][0].lines[0]
    assert marker.get_markerfacecolor() == "white"
    # With base rate 0.01 cost decides otherwise: accuracy calls almost nothing positive.
    [rare] = RocDisplay(br.sweep(Y, S), metrics="accuracy", base_rate=0.01).picture.of("best")
    k = np.argmax(0.01 * recall - 0.99 * fpr)
    assert (rare.x[0], rare.y[0]) == (fpr[k], recall[k])


@pytest.mark.slow
def test_populations():
    lda = br.populations.LDA(distance=1.0)
    [line] = RocDisplay.from_population(lda, plot=False).picture.of("curve")
    x = line.x[1:-1]
    inner = (x > 1e-12) & (x < 1 - 1e-12)
    assert_allclose(line.y[1:-1][inner], norm.sf(norm.isf(x[inner]) - 1), atol=1e-9)
    assert line.name == f"area {norm.cdf(1 / np.sqrt(2)):.2f}"
    # Table 6 of Holzmann and Klar: recall and specificity of the best Jaccard coefficient.
    display = RocDisplay.from_population(
        {"LDA": lda}, metrics="jaccard", base_rate=[0.1, 0.01], plot=False
    )
    [best] = display.picture.of("best")
    assert_array_equal(best.y.round(2), [0.45, 0.14])
    assert_array_equal(best.x.round(2), [0.13, 0.02])
    with pytest.raises(InvalidArgumentError, match="base_rate must be given"):
        _ = RocDisplay(lda, metrics="f1").picture
    with pytest.raises(NoOptimumError):
        _ = RocDisplay(lda, metrics="yule_q", base_rate=0.3).picture
    empirical = br.populations.Empirical(br.sweep(Y, S))
    qda = br.populations.QDA(mean0=0, cov0=1, mean1=1, cov1=4)
    both = RocDisplay.from_population({"hull": empirical, "QDA": qda}, plot=False).picture
    assert both.title == "How well each score ranks: ROC curves of populations"
    assert len(both.of("curve")) == 2


def test_curves_and_bands_draw_themselves():
    curve = br.curves.roc_curve(Y, S)
    [line] = curve.plot().artists_["curve"]
    assert_array_equal(line.get_ydata(), curve.recall)
    band = br.curves.roc_band(Y, S)
    assert band.plot(plot=False).picture.of("curve") == ()
    pointwise = br.curves.roc_band(Y, S, kind="pointwise").plot(plot=False)
    [crosses] = pointwise.picture.of("band")
    assert (crosses.y_low <= crosses.y_high).all()
    assert len(crosses.x) == 40
    assert isinstance(br.sweep(Y, S).plot(), RocDisplay)


@pytest.mark.slow
def test_a_million_cases_take_no_step_for_each(calls_of):
    y = RNG.random(10**6) < 0.1
    swept = br.sweep(y, RNG.normal(size=10**6) + y)
    drawn = []
    assert calls_of(lambda: drawn.append(RocDisplay(swept).picture)) < 10_000
    assert len(drawn[0].of("band")[0].x) <= 2000

"""Calibration plots: every number that is drawn against one that is not ours."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from baserate import sweep, thresholds
from baserate.curves.confidence_band import calibration_band
from baserate.displays import CalibrationDisplay
from baserate.displays.calibration import outline, regions_told
from baserate.errors import InvalidArgumentError, UnknownNameError


def test_the_curve_is_the_isotonic_regression(affairs, affairs_swept):
    truth, score, _ = affairs
    [curve] = CalibrationDisplay(affairs_swept).picture.of("curve")
    expected = IsotonicRegression().fit(score, truth).predict(score)
    order = np.argsort(score)
    assert np.interp(score[order], curve.x, curve.y) == pytest.approx(expected[order], abs=1e-9)


def test_bins_have_the_intervals_of_clopper_and_pearson(affairs_swept):
    display = CalibrationDisplay(affairs_swept)
    frame = display.to_frame("pandas")
    bins = frame[frame["part"] == "bin"]
    k, n = bins["positives"], bins["cases"]
    assert n.sum() == 6366
    [points] = display.picture.of("bins")
    assert points.y == pytest.approx((k / n).to_numpy())
    assert points.y_low == pytest.approx(beta.ppf(0.025, k, n - k + 1), abs=1e-9)
    assert points.y_high == pytest.approx(beta.ppf(0.975, k + 1, n - k), abs=1e-9)
    # What only curves and bands have is no number of a bin, and not zero.
    assert bins["to_score"].isna().all()
    assert frame.loc[frame["part"] == "curve", ["low", "high"]].isna().all(axis=None)


def test_one_band_is_drawn_and_a_narrower_one_where_it_is_asked_for(affairs_swept):
    [alone] = CalibrationDisplay(affairs_swept).picture.of("band")
    outer, inner = CalibrationDisplay(affairs_swept, inner_level=0.8).picture.of("band")
    assert (alone.low == outer.low).all()
    at = np.linspace(0.05001234, 0.8, 301)  # none of them is a score
    for level, band in ((0.95, outer), (0.8, inner)):
        low, high = calibration_band(affairs_swept, confidence_level=level).at(at)
        # Between two scores both sides are level, so that interpolation is exact.
        assert np.interp(at, band.x, band.low) == pytest.approx(low, abs=1e-12)
        assert np.interp(at, band.x, band.high) == pytest.approx(high, abs=1e-12)


def test_one_score_has_a_band_of_beta_quantiles():
    band = calibration_band(sweep([1] * 10 + [0] * 90, [0.1] * 100))
    _, low, high = outline(band)
    assert low.tolist() == pytest.approx([beta.ppf(0.025, 10, 91)])
    assert high.tolist() == pytest.approx([beta.ppf(0.975, 11, 90)])


def test_where_risks_are_as_stated_is_dashed_grey(affairs_swept):
    [ideal] = CalibrationDisplay(affairs_swept).picture.of("ideal")
    assert (ideal.x, ideal.y) == ([0, 1], [0, 1])
    assert (ideal.style, ideal.color) == ("dashed", "grey")


def test_the_legend_has_ratio_intercept_and_slope(affairs, affairs_swept):
    truth, score, _ = affairs
    logit = np.log(score / (1 - score)).reshape(-1, 1)
    fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit, truth)
    [curve] = CalibrationDisplay(affairs_swept).picture.of("curve")
    assert f"O:E {truth.sum() / score.sum():.2f} (" in curve.name
    assert f"slope {fit.coef_[0, 0]:.2f} (" in curve.name
    assert "intercept" in curve.name


@pytest.mark.parametrize(
    ("positives", "risk", "title"),
    [
        (40, 0.2, "Underestimates risk: O:E 2.00"),
        (10, 0.3, "Overestimates risk: O:E 0.33"),
        (20, 0.2, "How stated risks compare with what happened: 100 cases, 20 positive"),
    ],
)
def test_the_title_states_what_is_proven(positives, risk, title):
    swept = sweep([1] * positives + [0] * (100 - positives), [risk] * 100)
    found = CalibrationDisplay(swept).picture.title
    assert found.startswith(title)
    assert f"100 cases, {positives} positive" in found


@pytest.mark.slow
def test_the_title_takes_no_borderline_test_for_evidence_as_a_report_does():
    """Of two tests the smaller p must be below 0.025 (Holm), though the interval leaves out 1."""
    truth = [1] * 14 + [0] * 86 + [1] * 39 + [0] * 61
    score = [0.1] * 100 + [0.3] * 100
    assert 0.025 < binomtest(53, 200, 0.2).pvalue < 0.05
    display = CalibrationDisplay(sweep(truth, score))
    assert display._found[""].observed_expected.low > 1
    assert display.picture.title.startswith("How stated risks compare with what happened")
    assert "No clear evidence that risks are wrong" in thresholds(truth, score=score).render()


def test_a_title_of_scores_too_extreme_or_wrong_in_a_region():
    rng = np.random.default_rng(0)
    risk = rng.uniform(0.2, 0.8, 4000)
    truth = rng.random(4000) < risk
    logit = np.log(risk / (1 - risk))
    extreme = CalibrationDisplay(sweep(truth, 1 / (1 + np.exp(-3 * logit))))
    assert extreme.picture.title.startswith("Risks are surely too low at least between")
    [region] = extreme.picture.of("region")
    assert region.name == regions_told(extreme._regions[""])
    mild = CalibrationDisplay(sweep(truth[:300], 1 / (1 + np.exp(-1.6 * logit[:300]))))
    assert mild.picture.title.startswith("Risks are too extreme: slope 0.")


def test_regions_are_where_the_band_excludes_what_is_stated():
    truth = [1] * 40 + [0] * 60 + [1] * 20 + [0] * 80
    swept = sweep(truth, [0.2] * 100 + [0.6] * 100)
    [line] = CalibrationDisplay(swept).picture.of("region")
    assert line.x.tolist()[:2] == [0.2, 0.2]
    assert line.x.tolist()[3:5] == [0.6, 0.6]
    assert line.name == "surely too low at least at 0.20, too high at least at 0.60"


def test_the_strip_counts_cases_of_each_class(affairs):
    truth, score, _ = affairs
    picture = CalibrationDisplay(sweep(truth, score)).picture
    for key, chosen, sign in (("positives", truth, 1), ("negatives", ~truth, -1)):
        [bars] = picture.of(key)
        counts, _ = np.histogram(score[chosen], bars.edges)
        expected = sign * counts / counts.max() * np.abs(bars.heights).max()
        assert bars.heights == pytest.approx(expected)
        assert picture.y.low <= bars.base + bars.heights.min()
        assert bars.base + bars.heights.max() < 0
    names = [mark.name for mark in picture.legend]
    assert "negative (down), each class on a scale of its own" in names


def test_small_risks_have_a_scale_of_their_own():
    rng = np.random.default_rng(1)
    risk = rng.uniform(0, 0.12, 500)
    picture = CalibrationDisplay(sweep(rng.random(500) < risk, risk)).picture
    assert picture.of("ideal")[0].x == [0, 0.15]
    ends = picture.x.high - picture.x.low, picture.y.high - picture.y.low
    assert picture.aspect == pytest.approx(ends[1] / ends[0])  # a unit is as long on both axes


@pytest.mark.parametrize("score", [[-0.1, 0.5], [0.5, 1.5], [0.5, np.inf]])
def test_scores_that_are_no_probabilities_are_refused_with_a_remedy(score):
    with pytest.raises(InvalidArgumentError, match=r"must lie in \[0, 1\].*pass probabilities"):
        CalibrationDisplay(sweep([0, 1], score))


def test_two_classifiers_have_faint_bands_and_one_row_each(affairs):
    truth, score, _ = affairs
    display = CalibrationDisplay.from_predictions(truth, {"a": score, "b": score**2}, plot=False)
    picture = display.picture
    assert [len(picture.of(key)) for key in ("curve", "band", "strip", "region")] == [2, 2, 2, 0]
    assert [line.color for line in picture.of("curve")] == ["C0", "C1"]
    assert picture.title.endswith("compare with what happened: 6,366 cases, 2,053 positive")
    assert [line.name[:6] for line in picture.of("curve")] == ["a: O:E", "b: O:E"]
    a, b = picture.of("strip")
    assert picture.y.low <= b.base < b.base + max(b.heights) < a.base < a.base + max(a.heights) < 0


def test_groups_have_no_bands_but_their_numbers(affairs):
    truth, score, rows = affairs
    groups = [row["occupation"] for row in rows]
    picture = CalibrationDisplay.from_predictions(truth, score, groups=groups, plot=False).picture
    assert not picture.of("band")
    assert "student (7 of 41): O:E" in picture.of("curve")[3].name
    assert picture.title.endswith(": 6 samples of 41 to 2,783 cases, 7 to 965 positive")


def test_weights_have_no_band_and_say_so(affairs):
    truth, score, _ = affairs
    weight = np.linspace(0.5, 1.5, len(truth))
    picture = CalibrationDisplay(sweep(truth, score, sample_weight=weight)).picture
    assert not picture.of("band")
    assert picture.of("bins")[0].y_low is None
    assert "weights have no binomial law" in picture.description


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    ("truth", "score"),
    [
        ([0, 1, 1], [0.2, 0.4, 0.9]),
        ([1, 1, 1], [0.2, 0.4, 0.9]),
        ([0, 0, 0], [0.0, 0.0, 0.0]),
        ([1], [1.0]),
        ([0, 1] * 20, [0.5] * 40),
        ([0, 1], [0.0, 1.0]),
    ],
)
def test_few_cases_one_class_and_ties_are_drawn(truth, score):
    display = CalibrationDisplay(sweep(truth, score, pos_label=1))
    root = ET.fromstring(display.to_svg())  # noqa: S314 - our own text
    assert root.get("role") == "img"
    display.plot().figure_.canvas.draw()
    assert "cases" in display.picture.title or "case," in display.picture.title


def test_what_has_no_slope_says_why():
    picture = CalibrationDisplay(sweep([0, 1, 0, 1], [0.0, 0.4, 0.6, 1.0])).picture
    assert picture.of("curve")[0].name.endswith("no slope: a probability is 0 or 1")


def test_a_missed_level_is_refused(affairs_swept):
    with pytest.raises(InvalidArgumentError, match="confidence_level"):
        CalibrationDisplay(affairs_swept, inner_level=1.0)
    only = CalibrationDisplay(affairs_swept, n_bins=0).picture
    assert (len(only.of("band")), len(only.of("bins"))) == (1, 0)


def test_scores_may_be_called_probabilities():
    """Of the largest probability of several classes, "risk" would be the wrong word."""
    swept = sweep([1] * 40 + [0] * 60, [0.2] * 100)
    risk, other = (CalibrationDisplay(swept, called=word) for word in ("risk", "probability"))
    assert (risk.picture.x.label, other.picture.x.label) == (
        "Predicted risk",
        "Predicted probability",
    )
    assert other.picture.title == risk.picture.title.replace("risk", "probability")
    assert "predicted probability" in other.picture.description
    assert "risk" not in other.picture.description
    with pytest.raises(UnknownNameError, match="called"):
        CalibrationDisplay(swept, called="chance")

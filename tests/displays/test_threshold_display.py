"""A metric by threshold: values, exact chance, best cuts, gaps."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import beta, hypergeom
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score

from baserate import metrics, optimal_threshold, sweep
from baserate.displays import ThresholdDisplay
from baserate.displays.threshold_series import told_name
from baserate.errors import InvalidArgumentError
from baserate.tuning import threshold_spread

SIX = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]


@pytest.mark.parametrize(
    ("name", "peer"), [("f1", f1_score), ("mcc", matthews_corrcoef), ("precision", precision_score)]
)
def test_values_are_those_of_scikit_learn(affairs, name, peer):
    truth, score, _ = affairs
    frame = ThresholdDisplay(sweep(truth, score), name).to_frame("pandas")
    for row in frame.iloc[1:-1:97].itertuples():
        assert row.value == pytest.approx(peer(truth, score >= row.threshold), abs=1e-12)


def test_chance_by_luck_is_the_hypergeometric_mean(affairs):
    truth, score, _ = affairs
    n, positive = len(truth), int(truth.sum())
    display = ThresholdDisplay(sweep(truth, score), "jaccard")
    frame = display.to_frame("pandas").dropna(subset="chance")
    assert 100 <= len(frame) <= 160
    for row in frame.iloc[1:-1:30].itertuples():
        alarms = int((score >= row.threshold).sum())
        tp = np.arange(min(alarms, positive) + 1)
        mean = hypergeom.pmf(tp, n, positive, alarms) @ (tp / (positive + alarms - tp))
        assert row.chance == pytest.approx(mean, rel=1e-8)
    [line] = display.picture.of("chance")
    assert (line.color, line.style) == ("grey", "dashed")
    assert line.y == pytest.approx(frame["chance"].to_numpy())


def test_chance_of_six_cases_is_an_exact_fraction():
    frame = ThresholdDisplay(sweep(*SIX), "f1").to_frame("pandas")
    for alarms, row in enumerate(frame.itertuples()):
        draws = {t: comb(3, t) * comb(3, alarms - t) for t in range(alarms + 1)}
        total = sum(ways * Fraction(2 * t, 3 + alarms) for t, ways in draws.items())
        assert row.chance == pytest.approx(float(total / comb(6, alarms)), abs=1e-14)


def test_the_best_guess_is_level():
    picture = ThresholdDisplay(sweep(*SIX), "f1", guess="dutch-draw").picture
    [line] = picture.of("chance")
    assert line.y.tolist() == pytest.approx([2 / 3, 2 / 3])  # calling all positive
    assert line.name == "chance: the best guess"
    assert not ThresholdDisplay(sweep(*SIX), "f1", guess=None).picture.of("chance")


@pytest.mark.parametrize("name", ["mcc", "f1", "error_rate", "balanced_accuracy"])
def test_the_best_cut_is_a_hollow_marker(affairs_swept, name):
    [best] = ThresholdDisplay(affairs_swept, name).picture.of("best")
    expected = optimal_threshold(name, affairs_swept)
    assert best.hollow
    assert (best.x[0], best.y[0]) == (expected.threshold, expected.value)


@pytest.mark.parametrize("name", ["recall", "precision", "predicted_positive_rate"])
def test_what_has_no_best_cut_has_no_marker(affairs_swept, name):
    assert not ThresholdDisplay(affairs_swept, name).picture.of("best")


def test_the_spread_of_best_cuts_is_that_of_the_bootstrap():
    swept = sweep(*SIX)
    assert not ThresholdDisplay(swept, "accuracy").picture.of("spread")
    [line] = ThresholdDisplay(swept, "accuracy", rng=0, n_resamples=50).picture.of("spread")
    expected = threshold_spread("accuracy", swept, rng=0, n_resamples=50)
    assert line.x.tolist() == np.clip([expected.low, expected.high], -0.02, 1.02).tolist()


def test_the_band_of_recall_is_that_of_jeffreys(affairs):
    truth, score, _ = affairs
    frame = ThresholdDisplay(sweep(truth, score), "recall").to_frame("pandas").dropna(subset="low")
    assert 20 <= len(frame) <= 32
    for row in frame.iloc[1:-1:7].itertuples():
        hits = int((score[truth] >= row.threshold).sum())
        misses = int(truth.sum()) - hits
        expected = beta.ppf([0.025, 0.975], hits + 0.5, misses + 0.5)
        assert (row.low, row.high) == pytest.approx(expected, abs=2e-4)


def test_curves_are_steps_that_reach_down_to_the_next_score():
    picture = ThresholdDisplay(sweep(*SIX), "recall").picture
    [curve] = picture.of("curve")
    assert curve.x[2:8].tolist() == [0.9, 0.7, 0.7, 0.4, 0.4, 0.3]
    assert curve.y[2:8] == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert (curve.x[0], curve.x[-1]) == (picture.x.high, picture.x.low)


def test_where_the_metric_is_undefined_is_hatched_with_its_reason():
    picture = ThresholdDisplay(sweep(*SIX), "precision").picture
    [gap] = picture.of("undefined")
    assert gap.hatch
    assert (min(gap.x), max(gap.x)) == (0.9, picture.x.high)
    assert "undefined: nothing predicted positive (tp + fp = 0)" in picture.description
    assert np.isnan(picture.of("curve")[0].y[:2]).all()


def test_of_many_cuts_those_that_show_are_kept():
    rng = np.random.default_rng(0)
    score = rng.random(50_000)
    swept = sweep(rng.random(50_000) < score**2, score)
    values = metrics.get("precision")(swept.tables)
    frame = ThresholdDisplay(swept, "precision").to_frame("pandas")
    assert len(frame) < 1000
    kept = frame["threshold"].to_numpy()
    for column in range(250):  # each shows what is highest and lowest in it
        low, high = column / 250, (column + 1) / 250
        every = values[1:][(swept.thresholds[1:] >= low) & (swept.thresholds[1:] < high)]
        shown = frame["value"][(kept >= low) & (kept < high)]
        assert (shown.min(), shown.max()) == (every.min(), every.max())
    assert frame["threshold"].iloc[[0, -1]].tolist() == [np.inf, score.min()]


def test_several_metrics_have_colours_and_dashed_chance_of_their_own(affairs_swept):
    display = ThresholdDisplay(affairs_swept, ["f1", "recall"])
    picture = display.picture
    assert [m.color for m in picture.of("curve")] == [m.color for m in picture.of("chance")]
    assert picture.of("curve")[0].name.startswith("F1: 0.")
    assert (picture.y.label, len(picture.of("band"))) == ("Value", 0)


def test_any_metric_of_the_user_is_drawn():
    mine = metrics.define("hits per alarm", lambda tp, fn, fp, tn: tp / (1 + tp + fp))
    frame = ThresholdDisplay(sweep(*SIX), mine).to_frame("pandas")
    assert frame["value"].tolist() == pytest.approx([0, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 3 / 6, 3 / 7])


def test_weights_without_a_chance_say_why():
    swept = sweep(*SIX, sample_weight=[1.5, 1, 1, 2, 1, 1])
    picture = ThresholdDisplay(swept, "f1").picture
    assert not picture.of("chance")
    assert "no chance level: f1 has a random denominator under weights" in picture.description
    assert not picture.of("band")
    assert ThresholdDisplay(swept, "accuracy").picture.of("chance")


@pytest.mark.sweep(9, start=8)
@pytest.mark.parametrize("metric", ["mcc", "precision", "positive_likelihood_ratio", "base_rate"])
@pytest.mark.parametrize(
    ("truth", "score"),
    [
        ([1], [0.3]),
        ([0, 0, 0], [0.1, 0.2, 0.3]),
        ([0, 1] * 10, [0.5] * 20),
        ([0, 1, 0, 1], [-np.inf, np.inf, 0.2, 0.3]),
        ([0, 1], [-np.inf, np.inf]),
        ([0, 1, 1], [2**60, 2**60 + 1, 2**60 + 3]),
    ],
)
def test_few_cases_one_class_ties_and_infinite_scores_are_drawn(metric, truth, score):
    display = ThresholdDisplay(sweep(truth, score, pos_label=1), metric, rng=0, n_resamples=5)
    assert "nan" not in display.to_svg()
    display.plot().figure_.canvas.draw()


def test_several_of_both_are_refused():
    swept = sweep(*SIX)
    with pytest.raises(InvalidArgumentError, match="metrics must be one metric"):
        ThresholdDisplay({"a": swept, "b": swept}, ["f1", "mcc"])
    with pytest.raises(InvalidArgumentError, match="guess"):
        ThresholdDisplay(swept, guess="dutch")


def test_chance_and_band_reach_as_far_as_the_curve():
    """Of more cuts than they are computed at, the outermost ones with a value are among these."""
    rng = np.random.default_rng(3)
    p = rng.beta(2, 4, size=900)
    swept = sweep((rng.random(900) < p).astype(int), p)
    picture = ThresholdDisplay(swept).picture
    [curve], [chance], [band] = (picture.of(key) for key in ("curve", "chance", "band"))
    ends = curve.x[~np.isnan(curve.y)]
    for x, y in ((chance.x, chance.y), (band.x, band.low)):
        known = x[~np.isnan(y)]
        assert (known.max(), known.min()) == (ends.max(), pytest.approx(ends.min(), abs=0.02))


def test_a_metric_without_any_value_is_drawn_as_such():
    swept = sweep([0] * 600, np.arange(600) / 600, pos_label=1)
    picture = ThresholdDisplay(swept, "recall").picture
    assert [region.hatch for region in picture.of("undefined")] == [True]
    assert np.isnan(picture.of("curve")[0].y).all()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("recall", "recall"), ("f1", "F1"), ("false_positive_rate", "false positive rate")],
)
def test_a_metric_is_told_with_the_base_rate_it_is_restated_at(name, expected):
    assert told_name(metrics.get(name)) == expected
    assert told_name(metrics.get(name).at_base_rate(0.1)) == f"{expected} at base rate 0.1"

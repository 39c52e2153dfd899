"""The pictures of two papers: crossings and best cuts where they say, in both renderers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from baserate import ConfusionMatrix, interval, metrics, sweep
from baserate.curves.populations import LDA
from baserate.displays import BaseRateDisplay
from baserate.errors import InvalidArgumentError

# Burger and Meertens, figure 1: recall 0.6, specificity 0.8.
TABLE = ConfusionMatrix(tp=60, fn=40, fp=20, tn=80)
BOTH = {"metric": ["f1", "negative_f1"], "guess": "uniform", "show": "all"}
RATES = np.linspace(0.01, 0.99, 99)


def test_figure_1_of_burger_and_meertens():
    display = BaseRateDisplay(TABLE, **BOTH).plot()
    value, skill = display.picture.of("crossing")
    assert (value.x[0], value.y[0]) == pytest.approx((4 / 7, 24 / 35), abs=1e-12)
    assert (skill.x[0], skill.y[0]) == pytest.approx((3 / 4, 0.3), abs=1e-12)
    assert value.hollow
    assert not skill.hollow
    positive, _ = display.artists_["curve"]
    pi = positive.get_xdata()
    assert_allclose(positive.get_ydata(), 1.2 * pi / (1.4 * pi + 0.2), rtol=1e-12)
    chance = display.artists_["chance"][0]
    assert_allclose(chance.get_ydata(), pi / (pi + 0.5), rtol=1e-12)
    thick = display.artists_["skill"][0]
    expected = (positive.get_ydata() - chance.get_ydata()) / (1 - chance.get_ydata())
    assert_allclose(thick.get_ydata(), expected, rtol=1e-9)
    assert thick.get_linewidth() > positive.get_linewidth()
    assert display.ax_.get_xlabel() == "Base rate"


def test_balanced_metrics_are_level():
    balanced = [metrics.get(name).at_base_rate(0.5) for name in ("f1", "negative_f1")]
    picture = BaseRateDisplay(TABLE, metric=balanced, guess="uniform").picture
    levels = [curve.y for curve in picture.of("curve")]
    assert_allclose(levels[0], 2 / 3, rtol=1e-12)
    assert_allclose(levels[1], 8 / 11, rtol=1e-12)
    assert picture.of("curve")[0].name == "balanced F1"


def test_the_interval_of_one_table_and_where_it_was_tested():
    picture = BaseRateDisplay(TABLE, metric="precision", base_rates=[0.1, 0.5, 0.9]).picture
    [band], [tested] = picture.of("band"), picture.of("tested")
    for k, pi in enumerate((0.1, 0.5, 0.9)):
        alone = interval(metrics.precision.at_base_rate(pi), TABLE)
        assert (band.low[k], band.high[k]) == pytest.approx((alone.low, alone.high), abs=1e-12)
    assert tested.at == 0.5
    [curve] = picture.of("curve")
    assert_allclose(curve.y, [3 / 12, 3 / 4, 27 / 28], rtol=1e-12)
    assert "200 cases, 100 positive" in picture.title


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("scale", "expected"), [("ratio", (1 - RATES) / RATES), ("odds", 1), ("probability", 0.5)]
)
def test_the_best_cut_of_accuracy_on_three_scales(scale, expected):
    display = BaseRateDisplay.from_population(
        LDA(distance=2.0), metric="accuracy", show="cut", scale=scale, base_rates=RATES, plot=False
    )
    [curve] = display.picture.of("curve")
    assert_allclose(curve.y, expected * np.ones(99), rtol=1e-9)
    assert display.picture.y.scale == ("linear" if scale == "probability" else "log")


def test_recall_and_specificity_of_the_best_cut():
    display = BaseRateDisplay.from_population(
        {"near": LDA(distance=1.0), "far": LDA(distance=2.0)},
        metric="accuracy", show="rates", base_rates=np.geomspace(1e-3, 0.5, 9),
    )  # fmt: skip
    delta = 1 / np.geomspace(1e-3, 0.5, 9) - 1
    for distance, recall, specificity in zip(
        (1, 2), display.artists_["curve"], display.artists_["specificity"], strict=True
    ):
        cut = np.log(delta) / distance
        assert_allclose(recall.get_ydata(), norm.cdf(distance / 2 - cut), rtol=1e-9)
        assert_allclose(specificity.get_ydata(), norm.cdf(distance / 2 + cut), rtol=1e-9)
    assert display.picture.x.scale == "log"


def test_classifiers_share_a_line_of_chance():
    a = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    b = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    picture = BaseRateDisplay({"A": a, "B": b}, metric="accuracy").picture
    [chance] = picture.of("chance")
    assert_allclose(chance.y, np.maximum(chance.x, 1 - chance.x), atol=1e-12)
    [crossing] = picture.of("crossing")
    assert crossing.x[0] == pytest.approx(3 / 19, abs=1e-12)
    assert [curve.name for curve in picture.of("curve")] == ["A", "B"]
    assert not picture.of("band")


def test_skill_of_a_sweep_from_predictions_and_a_table_beside_it():
    rng = np.random.default_rng(5)
    positive = rng.random(200) < 0.3
    swept = sweep(positive, rng.normal(size=200) + positive)
    display = BaseRateDisplay({"sweep": swept, "table": TABLE}, metric="mcc", show="skill",
                              base_rates=[0.1, 0.3, 0.5])  # fmt: skip
    [chance] = display.picture.of("chance")
    assert chance.at == 0
    alone = BaseRateDisplay.from_predictions(positive, positive, metric="f1", plot=False,
                                             base_rates=[0.2, 0.4])  # fmt: skip
    assert_allclose(alone.picture.of("curve")[0].y, 1)
    rows = display.to_frame("polars")
    assert rows.columns[:4] == ["metric", "classifier", "base_rate", "value"]
    assert len(rows) == 6


def test_all_base_rates_are_drawn_and_three_metrics_listed():
    picture = BaseRateDisplay(TABLE, metric=["recall", "precision", "f1"]).picture
    assert (picture.x.low, picture.x.high) == (0, 1)
    assert picture.title.startswith("Recall, precision and F1 against")


def test_refusals():
    with pytest.raises(InvalidArgumentError, match="tables must be a"):
        BaseRateDisplay(3)
    with pytest.raises(InvalidArgumentError, match="options must be one of"):
        BaseRateDisplay.from_table(TABLE, colour="red")


@pytest.mark.slow
def test_titles_say_what_is_found_and_what_it_takes_for_granted(on_record):
    """F1 is precision where recall is, at 1/3; accuracy is chance at δ = (-1 ± √41)/10."""
    shares = ConfusionMatrix.from_rates(recall=0.6, specificity=0.8, base_rate=0.5)
    near = {"far": LDA(distance=2.0), "near": LDA(distance=1.0)}
    many = [metrics.get("f_beta(beta=3)"), "recall", "precision", "f1"]
    swept = sweep([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.9])
    drawn = {
        "equal somewhere": BaseRateDisplay(TABLE, metric=["f1", "precision"]),
        "better everywhere": BaseRateDisplay(TABLE, metric="precision"),
        "above everywhere": BaseRateDisplay(TABLE, metric=["recall", "specificity"]),
        "better somewhere": BaseRateDisplay(shares, metric="accuracy", guess="proportional"),
        "a cut": BaseRateDisplay(near["far"], metric="accuracy", show="cut", base_rates=[0.2]),
        "rates": BaseRateDisplay(near, metric="accuracy", show="rates", base_rates=[0.2]),
        "many": BaseRateDisplay(TABLE, metric=many),
        "a score": BaseRateDisplay(swept, metric="f1"),
    }
    on_record({how: display.picture.title for how, display in drawn.items()})
    assert not BaseRateDisplay(shares, metric="accuracy").picture.of("band")


@pytest.mark.parametrize(
    ("rates", "scale"),
    [
        ([0.002, 0.4], "log"),
        ([0.0021, 0.4], "linear"),
        ([0.0021, 0.51], "linear"),
        ([0.001, 0.51], "logit"),
        ([0.5, 0.9995], "logit"),
    ],
)
def test_base_rates_that_span_two_hundred_times_and_stay_small_are_drawn_by_ratio(rates, scale):
    display = BaseRateDisplay(TABLE, metric="f1", base_rates=rates)
    assert display.picture.x.scale == scale

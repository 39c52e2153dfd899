"""Decision curve displays: equal to dcurves, exact bands, findings that the posterior supports."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

import baserate as br
from baserate.displays import DecisionCurveDisplay
from baserate.displays.decision_curve import within
from baserate.errors import InvalidArgumentError

RNG = np.random.default_rng(20263)
P = RNG.beta(2, 4, size=400)
Y = RNG.random(400) < P
AT = np.round(np.arange(5, 70, 5) / 100, 2)


def theirs(**how):
    """Return what dcurves says at the thresholds, by model."""
    dcurves = pytest.importorskip("dcurves")

    data = pd.DataFrame({"y": Y.astype(int), "p": P})
    found = dcurves.dca(data=data, outcome="y", modelnames=["p"], thresholds=AT, **how)
    return {name: part.sort_values("threshold") for name, part in found.groupby("model")}


def drawn(picture, key):
    """Return a line at these thresholds."""
    [line] = picture.of(key)
    return np.interp(AT, line.x, line.y)


def own(picture):
    [line] = picture.of("curve")
    return line.y[np.searchsorted(line.x, AT)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("base_rate", [None, 0.1])
def test_net_benefit_is_that_of_dcurves(base_rate):
    picture = DecisionCurveDisplay.from_predictions(Y, P, base_rate=base_rate, plot=False).picture
    found = theirs(**({} if base_rate is None else {"prevalence": base_rate}))
    assert_allclose(own(picture), found["p"]["net_benefit"], atol=1e-12)
    assert_allclose(drawn(picture, "treat_all"), found["all"]["net_benefit"], atol=1e-3)
    everyone = picture.of("treat_all")[0]
    exact = everyone.y[np.searchsorted(everyone.x, AT)]
    assert_allclose(exact, found["all"]["net_benefit"], atol=1e-12)
    assert_array_equal(drawn(picture, "treat_none"), 0)


def test_interventions_avoided_are_those_of_dcurves():
    display = DecisionCurveDisplay.from_predictions(Y, P, interventions_avoided=True, plot=False)
    found = theirs(nper=100)
    assert_allclose(own(display.picture), found["p"]["net_intervention_avoided"], atol=1e-9)
    none = display.picture.of("treat_none")[0]
    exact = none.y[np.searchsorted(none.x, AT)]
    assert_allclose(exact, found["none"]["net_intervention_avoided"], atol=1e-9)
    frame = display.to_frame("pyarrow").to_pandas().set_index("threshold")
    assert_allclose(frame.loc[AT, "net_benefit"], found["p"]["net_benefit"], atol=1e-12)


def test_the_band_is_exact_where_only_one_share_is_left():
    """Where all above the threshold are positive, net benefit is a share with its beta law."""
    swept = br.sweep([1] * 6 + [0] * 14, [0.9] * 6 + [0.1] * 14)
    curve = br.net_benefit_curve(swept, thresholds=[1e-9])
    low, high = curve.band([1e-9])[1:]  # false alarms cost nothing: the share of true positives
    assert_allclose((low[0], high[0]), beta(20 * 0 + 6.5, 14 + 1.5).ppf([0.025, 0.975]), atol=1e-7)
    band = curve.band([0.5], unit="interventions_avoided")
    law = RNG.dirichlet([6.5, 0.5, 0.5, 14.5], size=400_000)  # tp, fn, fp, tn
    simulated = np.quantile(law[:, 3] - law[:, 1], [0.025, 0.975])
    assert_allclose((band.low[0], band.high[0]), simulated, atol=0.002)


def test_the_band_is_drawn_from_exact_intervals():
    display = DecisionCurveDisplay.from_predictions(Y, P)
    [mark] = display.picture.of("band")
    assert len(mark.x) == 25
    found = br.net_benefit_curve(Y, P).band(mark.x[[3, 12]])
    assert_array_equal(mark.low[[3, 12]], found.low)
    assert_array_equal(mark.high[[3, 12]], found.high)
    filled = display.artists_["band"][0].get_paths()[0].vertices
    assert_allclose(filled[:, 1].max(), mark.high.max())
    several = DecisionCurveDisplay.from_predictions(Y, {"a": P, "b": P**2}, plot=False)
    assert several.picture.of("band") == ()


def test_axes_show_from_a_little_below_zero_and_the_cost_ratio_on_top():
    display = DecisionCurveDisplay.from_predictions(Y, P)
    assert display.ax_.get_ylim()[0] == -0.05
    ticks = dict(reversed(tick) for tick in display.picture.top.marked())
    assert_allclose([ticks["1:4"], ticks["1:1"]], [0.2, 0.5])
    [top] = display.ax_.child_axes
    assert "1:4" in [text.get_text() for text in top.get_xticklabels()]
    # 99% of the probabilities lie below the right end, which is a multiple of 0.05.
    high = display.picture.x.high
    assert np.quantile(P, 0.99) <= high < np.quantile(P, 0.99) + 0.06
    assert round(high * 20, 9) % 1 == 0


def test_reasonable_thresholds_only():
    picture = DecisionCurveDisplay(br.sweep(Y, P), thresholds=(0.1, 0.3)).picture
    [line] = picture.of("curve")
    assert (line.x[0], line.x[-1]) == (0.1, 0.3)
    assert (picture.x.low, picture.x.high) == (0.1, 0.3)
    for wrong in [(0.3, 0.1), (0, 0.5), 0.2, (0.1, 0.2, 0.3)]:
        with pytest.raises(InvalidArgumentError, match="thresholds must be two thresholds"):
            DecisionCurveDisplay(br.sweep(Y, P), thresholds=wrong)


def test_every_jump_is_drawn():
    swept = br.sweep([0, 1, 0, 1, 1], [0.1, 0.3, 0.45, 0.6, 0.62])
    [line] = DecisionCurveDisplay(swept, thresholds=(0.05, 0.9)).picture.of("curve")
    for tau in (0.2999, 0.3, 0.30001, 0.4501, 0.61, 0.7):
        called = np.array([0.1, 0.3, 0.45, 0.6, 0.62]) >= tau
        y = np.array([0, 1, 0, 1, 1], dtype=bool)
        expected = (called & y).sum() / 5 - (called & ~y).sum() / 5 * tau / (1 - tau)
        assert abs(np.interp(tau, line.x, line.y) - expected) < 2e-4


@pytest.mark.slow
def test_the_title_says_where_the_model_is_worth_using():
    title = DecisionCurveDisplay(br.sweep(Y, P)).picture.title
    assert title.startswith("Beats treating all and none between 0.")
    assert title.endswith(f"400 cases, {Y.sum()} positive")
    low, high = (float(word.strip(",")) for word in title.split()[6:9:2])
    worth = br.net_benefit_curve(Y, P).information(np.linspace(low, high, 20).round(3))
    assert (worth.probability_useful >= 0.94).all()
    assert " (P at least 0.95 each): " in title
    luck = DecisionCurveDisplay(br.sweep(RNG.permutation(Y), P)).picture.title
    assert luck.startswith("What acting on the score is worth: ")


@pytest.mark.slow
def test_a_stretch_without_width_is_no_finding():
    """Scores that know nothing: at a threshold or two they seem useful by luck."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        y, p = rng.random(200) < 0.3, np.clip(rng.normal(0.3, 0.1, 200), 0.01, 0.99)
        title = DecisionCurveDisplay(br.sweep(y.astype(int), p)).picture.title
        for low, high in re.findall(r"(0\.\d\d) and (0\.\d\d)", title):
            assert low < high


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([(0.104, 0.301)], [(0.11, 0.3)]),
        ([(0.33, 0.33)], []),
        ([(0.801, 0.809)], []),
        ([(0.07, 0.58)], [(0.07, 0.58)]),
    ],
)
def test_ends_that_the_title_rounds_lie_within(runs, told):
    assert within(runs) == told


def test_groups_have_a_treat_all_each_in_their_colour():
    groups = np.where(np.arange(400) < 150, "a", "b")
    picture = DecisionCurveDisplay.from_predictions(Y, P, groups=groups, plot=False).picture
    both = picture.of("treat_all")
    assert [line.color for line in both] == ["C0", "C1"]
    for line, group in zip(both, ("a", "b"), strict=True):
        pi, tau = Y[groups == group].mean(), line.x
        assert_allclose(line.y, pi - (1 - pi) * tau / (1 - tau))
    assert [line.name for line in picture.of("curve")] == [
        f"{g} ({Y[groups == g].sum()} of {(groups == g).sum()})" for g in ("a", "b")
    ]


@pytest.mark.slow
def test_one_class_and_weights():
    alone = DecisionCurveDisplay(br.sweep([0, 0], [0.2, 0.4], pos_label=1))
    assert alone.picture.title == "What acting on the score is worth: 2 cases, 0 positive"
    [line] = alone.picture.of("curve")
    assert line.y[np.searchsorted(line.x, 0.4)] == -1 / 2 * 0.4 / 0.6
    stated = DecisionCurveDisplay(br.sweep([0, 0], [0.2, 0.4], pos_label=1), base_rate=0.2)
    assert stated.picture.title.startswith("No decision curve: no positives among these cases")
    ET.fromstring(stated.to_svg())  # noqa: S314 - our own
    weighted = br.sweep(Y, P, sample_weight=RNG.random(400))
    assert len(DecisionCurveDisplay(weighted).picture.of("band")) == 1
    restated = DecisionCurveDisplay(weighted, base_rate=0.1).picture
    assert len(restated.of("band")) == 1
    assert " positive, at base rate 0.1" in restated.title
    assert len(DecisionCurveDisplay(weighted, interventions_avoided=True).picture.of("band")) == 1


@pytest.mark.slow
def test_a_curve_draws_itself_at_its_own_thresholds():
    curve = br.net_benefit_curve(Y, P, thresholds=AT, base_rate=0.2)
    [line] = curve.plot().artists_["curve"]
    assert_array_equal(line.get_xdata(), AT)
    assert_array_equal(line.get_ydata(), curve.net_benefit)
    assert repr(curve).startswith("<NetBenefitCurve: 13 thresholds from 0.05 to 0.65, base rate")


def test_the_axis_reaches_over_the_thresholds_of_all_curves():
    curves = {str(at): br.net_benefit_curve(Y, P, thresholds=at) for at in ([0.3], [0.2, 0.4])}
    axis = DecisionCurveDisplay(curves).picture.x
    assert (axis.low, axis.high) == (0.2, 0.4)


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(InvalidArgumentError, match="probabilit"):
        DecisionCurveDisplay.from_predictions(Y, 10 * P)

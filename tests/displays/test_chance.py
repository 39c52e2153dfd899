"""The law of luck as a picture: against SciPy's hypergeometric law and exact fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import betabinom, fisher_exact, hypergeom

import baserate as br
from baserate.displays import ChanceDisplay
from baserate.errors import InvalidArgumentError, UnsupportedError

SMALL = br.ConfusionMatrix(tp=9, fn=6, fp=12, tn=40)
BLACK = br.ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)


def test_bars_are_the_hypergeometric_law():
    luck = ChanceDisplay(SMALL, metric="recall").luck
    expected = hypergeom(67, 15, 21).pmf(np.arange(16))
    np.testing.assert_allclose(luck.atoms.values, np.arange(16) / 15, rtol=1e-14)
    np.testing.assert_allclose(luck.atoms.probabilities, expected, rtol=1e-10)
    [law] = ChanceDisplay(SMALL, metric="recall").picture.of("law")
    drawn = expected[(np.cumsum(expected) > 1e-6) & (np.cumsum(expected) - expected < 1 - 1e-6)]
    np.testing.assert_allclose(law.heights[::2], drawn, rtol=1e-10)
    assert set(law.heights[1::2].tolist()) == {0.0}


@pytest.mark.parametrize("metric", ["recall", "f1", "mcc", "accuracy", "false_positive_rate"])
def test_tail_is_that_of_fisher(metric):
    display = ChanceDisplay(SMALL, metric=metric)
    total = comb(67, 21)
    exact = sum(Fraction(comb(15, x) * comb(52, 21 - x), total) for x in range(9, 16))
    assert display.luck.p_value == pytest.approx(float(exact), rel=1e-12)
    assert display.luck.p_value == pytest.approx(
        fisher_exact([[9, 6], [12, 40]], alternative="greater").pvalue, rel=1e-9
    )
    [tail] = display.picture.of("tail")
    assert tail.heights.sum() == pytest.approx(float(exact), abs=2e-6)
    assert display.luck.atoms.probabilities[display.luck.as_good].sum() == pytest.approx(
        float(exact), rel=1e-9
    )


def test_many_values_share_bars_and_keep_their_tail():
    display = ChanceDisplay(BLACK, metric="accuracy")
    [law] = display.picture.of("law")
    assert 20 < len(law.heights) <= 82
    assert law.heights.sum() == pytest.approx(1, abs=3e-6)
    assert np.ptp(np.diff(law.edges)) < 1e-12
    expected = hypergeom(3178, 443, 1316).sf(272)
    assert display.luck.p_value == pytest.approx(expected, rel=1e-7)
    assert "p < 0.001" in display.picture.title


def test_no_bar_holds_values_to_either_side_of_the_observed_one():
    for metric, guess in (("mcc", "uniform"), ("accuracy", "same_alarms")):
        table = br.ConfusionMatrix(tp=160, fn=283, fp=900, tn=1835)
        display = ChanceDisplay(table, metric=metric, guess=guess)
        [law], [tail] = (display.picture.of(key) for key in ("law", "tail"))
        mixed = (tail.heights > 0) & (law.heights - tail.heights > 1e-15)
        assert not mixed.any()


def test_rules_stand_at_value_mean_and_best_guess():
    picture = ChanceDisplay(SMALL, metric="f1").picture
    [value], [mean], [best] = (picture.of(key) for key in ("curve", "chance", "best_guess"))
    assert value.at == float(Fraction(2 * 9, 15 + 21))
    assert mean.at == pytest.approx(float(Fraction(2 * 15 * 21, 67 * (15 + 21))), rel=1e-12)
    assert best.at == pytest.approx(float(Fraction(2 * 15, 15 + 67)), rel=1e-12)
    assert (mean.of, best.style, mean.style) == ("x", "dashed", "dotted")


def test_plain_guesses_and_models_have_their_own_laws():
    coin = ChanceDisplay(SMALL, metric="recall", guess="uniform").luck
    expected = np.array([comb(15, x) / 2**15 for x in range(16)])
    np.testing.assert_allclose(coin.atoms.probabilities, expected, rtol=1e-10)
    model = br.models.Multinomial(n=20, cells=(0.25, 0.25, 0.25, 0.25))
    named = ChanceDisplay(SMALL, metric="accuracy", model=model)
    assert named.picture.x.label == "Accuracy by the Multinomial model"
    # Luck is guessing with as many alarms, and no other guess is called so.
    assert coin.claim == "as good or better by tossing a coin"
    assert named.luck.claim == "as good or better by the Multinomial model"
    assert named.luck.atoms.probabilities.sum() == pytest.approx(1)


def test_a_test_of_a_group_shows_its_null_law_and_both_tails():
    group = br.ConfusionMatrix(tp=3, fn=8, fp=4, tn=12)
    reference = br.ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    display = ChanceDisplay.from_test(br.match_test("recall", group, reference), plot=False)
    law = betabinom(11, 116.5, 177.5)
    pmf = law.pmf(np.arange(12))
    np.testing.assert_allclose(display.luck.atoms.probabilities, pmf, rtol=1e-8)
    assert display.luck.p_value == pytest.approx(2 * law.cdf(3), rel=1e-8)
    lower = np.arange(12) <= 3
    upper = np.array([pmf[k:].sum() <= law.cdf(3) for k in range(12)])
    assert display.luck.as_good.tolist() == (lower | upper).tolist()


def test_a_test_given_class_totals_is_drawn_from_its_law():
    group = br.ConfusionMatrix(tp=3, fn=8, fp=4, tn=12)
    reference = br.ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    test = br.match_test("f1", group, reference, condition="classes")
    luck = ChanceDisplay.from_test(test, plot=False).luck
    kept = luck.atoms.probabilities[luck.atoms.values <= test.value + 1e-12]
    assert kept.sum() == pytest.approx(test.lower, rel=1e-9)


def test_undefined_is_hatched_with_its_reason():
    picture = ChanceDisplay(br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=9)).picture
    assert picture.of("undefined")[0].hatch
    assert "undefined: no positives" in picture.title
    assert picture.of("curve") == ()


def test_weights_and_several_tables_are_refused():
    with pytest.raises(UnsupportedError, match="counts are weights"):
        ChanceDisplay(br.ConfusionMatrix(tp=1.5, fn=1, fp=1, tn=1))
    with pytest.raises(InvalidArgumentError, match="one table"):
        ChanceDisplay({"a": SMALL, "b": SMALL})


def test_own_metrics_work():
    own = br.metrics.define("cost", lambda tp, fn, fp, tn: 5 * fn + fp, direction="lower")
    luck = ChanceDisplay(SMALL, metric=own).luck
    assert luck.value == 42
    assert luck.p_value == pytest.approx(hypergeom(67, 15, 21).sf(8), rel=1e-9)


def test_frame_holds_the_law():
    frame = ChanceDisplay(SMALL, metric="recall").to_frame("pandas")
    assert frame["probability"].sum() == pytest.approx(1)
    assert frame.loc[frame["in_tail"], "value"].min() == 9 / 15


def test_laws_that_cannot_be_drawn_are_refused():
    with pytest.raises(InvalidArgumentError, match="models must name one or more"):
        ChanceDisplay.from_models({}, metric="recall")
    empty = br.models.Hypergeometric(n_positive=0, n_negative=5, n_predicted=2)
    with pytest.raises(InvalidArgumentError, match="models must give recall a value, got 'empty'"):
        ChanceDisplay.from_models({"empty": empty}, metric="recall", plot=False)


def test_laws_may_have_a_value_where_the_metric_has_none():
    """Of three cases 12 of 20 tables have no Matthews correlation: they weigh as 0."""
    models = {"3 cases": br.models.UniformTables(n=3)}
    frames = [
        ChanceDisplay.from_models(models, metric="mcc", undefined=value, plot=False).to_frame()
        for value in ("omit", 0)
    ]
    omitted, filled = (dict(zip(f["value"], f["probability"], strict=True)) for f in frames)
    assert filled[0] == pytest.approx(12 / 20 + omitted.get(0, 0) * 8 / 20)
    assert filled[1] == pytest.approx(omitted[1] * 8 / 20)

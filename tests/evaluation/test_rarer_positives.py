"""The same classifier where positives are rarer: against exact arithmetic by hand."""

from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.evaluation.rarer import at_base_rates

TABLE = br.ConfusionMatrix(tp=18, fn=12, fp=14, tn=56)  # 30 positives of 100
RECALL, FALL_OUT = Fraction(18, 30), Fraction(14, 70)


def precision(base_rate):
    right, wrong = RECALL * base_rate, FALL_OUT * (1 - base_rate)
    return right / (right + wrong)


def test_base_rates_are_those_of_the_data_its_half_a_fifth_and_a_twentieth():
    found = at_base_rates(br.evaluate(TABLE).facts, None)
    assert [row.base_rate for row in found] == [0.3, 0.15, 0.06, 0.015]
    assert [row.name for row in found] == ["these cases", "", "", ""]


def test_precision_and_f1_by_bayes_rule():
    for row in at_base_rates(br.evaluate(TABLE).facts, None):
        b = Fraction(str(row.base_rate))
        p = precision(b)
        assert row.precision.value == pytest.approx(float(p), rel=1e-12)
        assert row.headline.value == pytest.approx(float(2 * p * RECALL / (p + RECALL)), rel=1e-12)
        # Of all guesses, calling everybody positive has the best F1: precision b, recall 1.
        assert row.headline.chance == pytest.approx(float(2 * b / (1 + b)), rel=1e-9)
        assert row.precision.chance == pytest.approx(float(b), rel=1e-9)
        assert row.precision.low < row.precision.value < row.precision.high


@pytest.mark.slow
def test_no_cut_is_judged_for_a_base_rate_that_it_was_not_seen_at():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    p = np.where(y == 1, rng.beta(2, 5, 300), rng.beta(2, 40, 300))
    own, rare = (
        br.evaluate(y, score=p, threshold=0.5, base_rate=rate).render("markdown")
        for rate in (None, 0.02)
    )
    assert "acting from a risk of 0.5" in own
    assert "acting from a risk" not in rare  # net benefit is that of the cases' own base rate
    assert "What if positives were rarer" in br.evaluate(
        y, score=p, threshold=0.5, base_rate=0.02
    ).render("markdown", details=True)


def test_the_base_rate_asked_for_is_among_them():
    page = br.evaluate(TABLE, base_rate=0.1).render("markdown")
    assert "| 0.300 (these cases) | 0.562 |" in page
    assert "| 0.100 (asked for) | 0.250 |" in page


def test_best_cuts_are_found_anew_for_each_base_rate():
    """By trying every cut: Matthews correlation at rates r, f and base rate b."""
    rng = np.random.default_rng(3)
    truth = rng.random(400) < 0.3
    score = np.round(1 / (1 + np.exp(1 - 1.5 * truth - rng.normal(size=400))), 3)
    result = br.evaluate(truth, score=score)
    for row in at_base_rates(result.facts, result.cases):
        b, best = row.base_rate, (-1.0, (0.0, 0.0, 0.0))
        for cut in np.unique(score):
            r, f = np.mean(score[truth] >= cut), np.mean(score[~truth] >= cut)
            called = b * r + (1 - b) * f
            spread = np.sqrt(called * (1 - called) * b * (1 - b))
            value = b * (1 - b) * (r - f) / spread if spread > 0 else -1.0
            best = max(best, (value, (cut, r, b * r / called)))
        assert (row.best.recall, row.best.precision) == pytest.approx(best[1][1:])
        assert np.mean(score[truth] >= row.best.threshold) == pytest.approx(best[1][1])


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize(
    ("data", "how"),
    [
        (([1, 1, 0, 0], [1, 0, 0, 0]), {"weight": [1, 2, 1, 1.5]}),
        (([1, 1, 1], [1, 0, 1]), {"positive": 1}),
        (({"a": TABLE, "b": TABLE},), {}),
    ],
)
def test_weights_one_class_and_several_classifiers_have_no_such_table(data, how):
    result = br.evaluate(*data, **how)
    assert at_base_rates(result.facts, result.cases) == ()
    assert "What if positives were rarer" not in result.render("markdown")

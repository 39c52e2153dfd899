"""At which prices of errors decisions are worth it: by two independent laws of Beta, and alike."""

import re

import numpy as np
import pytest
from scipy.stats import beta

import baserate as br
from baserate.report.net_benefit import prices
from baserate.utilities.useful_ranges import useful_prices, useful_thresholds


@pytest.mark.parametrize("cells", [(45, 5, 10, 140), (8, 4, 3, 40), (96, 4, 274, 1626)])
def test_prices_are_those_at_which_two_laws_of_beta_say_so(cells):
    tp, fn, fp, tn = cells
    table = br.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
    [(low, high)] = useful_prices(table)
    tau = np.arange(1, 100) / 100
    sure = beta.sf(tau, tp + 0.5, fp + 0.5) * beta.cdf(tau, fn + 0.5, tn + 0.5) >= 0.95
    rate, odds = (tp + fn) / sum(cells), tau / (1 - tau)
    everyone = np.maximum(rate - (1 - rate) * odds, 0)
    more = (tp - fp * odds) / sum(cells) - everyone
    expected = tau[sure & (more >= 0.05 * (rate - everyone))]
    assert high == pytest.approx(expected[-1])
    assert low == pytest.approx(expected[0]) or (low < 0.01 == expected[0])


def test_labels_and_a_score_that_says_as_much_have_one_range_of_prices():
    """`compare` of labels went by the limits of two rates: .13 to .66 became another .12 to .65."""
    rng = np.random.default_rng(2)
    truth = (rng.random(500) < 0.3).astype(int)
    called = np.where(rng.random(500) < 0.85, truth, 1 - truth)
    curve = br.net_benefit_curve(truth, np.where(called, 0.995, 0.005))
    labels = useful_prices(br.confusion_matrix(truth, called))
    assert labels == useful_thresholds(curve)
    [first, _] = br.compare(truth, {"a": called, "b": 1 - called}).facts.classifiers
    assert (first.pays,) == labels


def test_a_rare_outcome_is_worth_more_than_99_false_alarms():
    """4 in 10,000, ranked well: prices ended at 99, where the hundredths did."""
    truth = np.repeat([1, 0], [80, 199_920])
    risk = np.where(np.arange(200_000) % 10 == 0, 1e-5, np.where(truth == 1, 4e-3, 2e-4))
    [(low, high)] = useful_thresholds(br.net_benefit_curve(truth, risk))
    assert low < 1 / 1000
    assert high < 0.2
    others = useful_thresholds(br.net_benefit_curve(1 - truth, 1 - risk))
    assert others[-1][1] > 1 - 1 / 1000


def test_cases_of_one_class_have_no_such_prices():
    assert useful_prices(br.ConfusionMatrix(tp=3, fn=1, fp=0, tn=0)) == ()


@pytest.mark.parametrize("seed", range(40))
def test_prices_are_written_inside_their_range_and_in_order(seed):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0.01, 0.98)
    high = min(low + 10.0 ** -rng.uniform(0, 4), 0.99)
    turned = low > 1 / 2
    ends = [x / (1 - x) for x in (low, high)] if turned else [(1 - x) / x for x in (high, low)]
    said = prices(low, high)
    assert said.startswith("a false alarm costs" if turned else "a miss costs")
    least, *most = map(float, re.findall(r"[\d.]+", said))
    assert ends[0] * (1 - 1e-5) <= least <= (most or [least])[0] <= ends[1] * (1 + 1e-5)

"""Two counts, such as 18 found and 2 missed, stand for a share of cases."""

import pytest
from scipy.stats import beta, betabinom

import baserate as br

SHARES = ("recall", "specificity", "precision", "accuracy", "error_rate", "jaccard")


@pytest.mark.parametrize("metric", SHARES)
def test_they_are_x_and_the_others(metric):
    low, high = beta.ppf([0.025, 0.975], 18.5, 2.5)
    found = br.interval(metric, (18, 2))
    assert (found.value, found.low, found.high) == pytest.approx((0.9, low, high))
    assert float(br.probability(metric, [18, 2], ">= 0.8")) == pytest.approx(
        beta.sf(0.8, 18.5, 2.5)
    )


def test_two_shares_are_compared():
    tables = (br.ConfusionMatrix(tp=x, fn=20 - x, fp=0, tn=0) for x in (18, 12))
    assert br.difference("recall", (18, 2), (12, 8)) == br.difference("recall", *tables)


@pytest.mark.slow
def test_a_probability_tells_which_share_was_read():
    read = br.probability("recall", (18, 20), ">= 0.8")
    assert read.share == (18, 38)
    assert str(read).endswith(", from 18 of 38")
    table = br.ConfusionMatrix(tp=18, fn=2, fp=9, tn=71)
    assert br.probability("specificity", table, ">= 0.8").share == (71, 80)
    assert br.probability("f1", table, ">= 0.8").share is None


@pytest.mark.parametrize("metric", SHARES)
def test_a_share_is_tested_against_another(metric):
    """Of 20 cases 18, where the rate is Beta(35.5, 15.5) by 35 of 50."""
    found = br.match_test(metric, (18, 2), [35, 15])
    assert found.p_value == pytest.approx(2 * betabinom(20, 35.5, 15.5).sf(17), rel=1e-10)
    assert (found.value, found.reference_value) == (0.9, 0.7)
    assert found.null.endswith(f"has the reference's {metric.replace('_', ' ')}")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: br.interval("f1", (18, 2)), "two counts say what a share of cases is"),
        (lambda: br.probability("mcc", (18, 2), "> 0"), "two counts say what a share of cases is"),
        (lambda: br.match_test("f1", (1, 2), (3, 4)), "two counts say what a share of cases is"),
        (lambda: br.interval("recall", (18, -2)), "must be non-negative"),
        (lambda: br.interval("recall", (18, 2, 3)), "must be a ConfusionMatrix"),
    ],
)
def test_what_is_no_share_is_refused(ask, said):
    with pytest.raises(br.errors.BaserateError, match=said):
        ask()

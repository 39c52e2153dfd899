"""The line on intervals says which law they are quantiles of, of weights and of counts too."""

import pytest
from scipy.stats import beta

import baserate as br

TABLE = br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)


def told(result):
    return " ".join(result.render(details=True).split())


def test_the_interval_of_a_count_is_of_the_number_expected():
    listed = br.evaluate(TABLE, metrics=["true_positives", "recall"])
    assert "That of a count is of the number expected among as many new cases." in told(listed)
    assert "of a count" not in told(br.evaluate(TABLE, metrics=["recall"]))
    found = br.interval("true_positives", TABLE)
    assert found.low == pytest.approx(100 * beta.ppf(0.025, 35.5, 65.5))

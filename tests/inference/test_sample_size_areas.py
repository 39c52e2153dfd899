"""How many cases show which of two scores has the larger ROC area."""

import numpy as np
import pytest
from scipy.stats import norm

import baserate as br
from baserate.inference.sample_size import _placements

KNOWN = {"auc": (0.8, 0.85), "base_rate": 0.1, "correlation": 0.6}


def size(**other):
    return br.sample_size("difference(roc_auc)", **{**KNOWN, **other}).n


def drawn(rng, auc, correlation, n, positive):
    scores = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n)
    scores[:positive] += np.sqrt(2) * norm.ppf(auc)
    return np.arange(n) < positive, *scores.T


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.6, 0.95])
def test_what_a_case_wins_varies_as_in_a_large_sample(correlation):
    auc = (0.9, 0.7)
    _, a, b = drawn(np.random.default_rng(1), auc, correlation, 400_000, 400_000)
    found = np.cov(norm.cdf(a), norm.cdf(b))  # shares of the negatives, normal around 0, it beats
    one, other, common = _placements(*auc, correlation)
    assert (one, other, common) == pytest.approx((found[0, 0], found[1, 1], found[0, 1]), abs=4e-4)


def test_less_to_see_takes_more_cases():
    assert size(correlation=0) > size() > size(correlation=0.9)
    assert size(power=0.9) > size() > size(certainty=0.95)
    assert size(base_rate=0.01) > size() > size(base_rate=0.5)
    assert size(auc=(0.85, 0.8)) == size()
    assert size(design_effect=2) == 2 * size()


@pytest.mark.slow
@pytest.mark.parametrize(
    "known", [{}, {"auc": (0.7, 0.8), "base_rate": 0.3, "correlation": 0.3}], ids=["rare", "common"]
)
def test_the_comparison_shows_it_about_as_often_as_asked(known):
    asked = {**KNOWN, **known}
    n, rng = size(**known), np.random.default_rng(2)
    samples = (
        drawn(rng, asked["auc"], asked["correlation"], n, round(n * asked["base_rate"]))
        for _ in range(300)
    )
    shown = np.mean([br.compare_auc(*sample).p_value < 0.05 for sample in samples])
    assert shown == pytest.approx(0.78, abs=0.07)  # three standard errors


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"auc": (0.8, 0.8)}, "two areas that differ"),
        ({"auc": 0.8}, "must be two areas"),
        ({"correlation": 1}, "correlation must lie"),
        ({"correlation": None}, "correlation must be known"),
        ({"auc": (0.5, 0.5 + 1e-7), "correlation": 0}, "10⁹ cases"),
    ],
)
def test_what_cannot_be_answered_is_refused(known, said):
    with pytest.raises(br.errors.InvalidArgumentError, match=said):
        size(**known)

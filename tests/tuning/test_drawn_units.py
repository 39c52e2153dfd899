"""What is drawn as a whole: brute force over rows; what clusters and weights must agree with."""

import numpy as np
import pytest

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.errors import InvalidArgumentError
from baserate.tuning import threshold_spread
from baserate.tuning.optimism import Units

RNG = np.random.default_rng(0)
N = 90
Y = RNG.random(N) < 0.4
S = np.round(RNG.normal(size=N) + Y, 1)  # with ties
WARD = RNG.integers(0, 9, N)
W = RNG.integers(0, 4, N) / 2.0


def units(weight=None, cluster=None, y=Y, s=S):
    keys = {} if cluster is None else {"cluster": cluster}
    read = read_arrays(y, scores={"s": s}, sample_weight=weight, keys=keys)
    return Units.of_cases(read.binary(True))


@pytest.mark.parametrize("weight", [None, W])
@pytest.mark.parametrize("cluster", [None, WARD])
def test_a_sample_is_the_sum_over_what_was_drawn(weight, cluster):
    drawing = units(weight, cluster).drawn(swept := br.sweep(Y, S, sample_weight=weight))
    found = drawing.sample(3, np.random.default_rng(7))
    of, kept = (np.arange(N) if cluster is None else cluster), (np.ones(N) if weight is None else W)
    places, unit = np.unique(of[kept > 0], return_inverse=True)
    chances = np.full(len(places), 1 / len(places))
    times = np.random.default_rng(7).multinomial(len(places), chances, 3)
    for i in range(3):
        amount = np.zeros(N)
        amount[kept > 0] = times[i][unit] * kept[kept > 0]
        for k, cut in enumerate(swept.thresholds.tolist()):
            assert found.tp[i, k] == pytest.approx(amount[Y & (cut <= S)].sum())
            assert found.fp[i, k] == pytest.approx(amount[~Y & (cut <= S)].sum())
    assert np.allclose(found.tp + found.fn, found.tp[:, -1:])


def test_clusters_of_one_case_and_weights_of_one_are_cases():
    how = {"rng": 0, "n_resamples": 50}
    alone = threshold_spread("f1", Y, S, cluster=np.arange(N), **how)
    assert threshold_spread("f1", Y, S, sample_weight=np.ones(N), **how) == alone


def test_a_case_of_whole_weight_is_a_cluster_of_as_many():
    whole = np.arange(N) % 3 + 1
    again = np.repeat(np.arange(N), whole)
    how = {"rng": 0, "n_resamples": 50}
    weighted = threshold_spread("mcc", Y, S, sample_weight=whole, **how)
    repeated = threshold_spread("mcc", Y[again], S[again], cluster=again, **how)
    for name in ("low", "high", "value", "mean"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))


def test_cases_of_weight_0_are_nobody():
    kept = W > 0
    how = {"rng": 0, "n_resamples": 50}
    some = threshold_spread("f1", Y[kept], S[kept], sample_weight=W[kept], **how)
    every = threshold_spread("f1", Y, S, sample_weight=W, **how)
    assert (some.low, some.high) == (every.low, every.high)


def test_infinite_scores_and_beyond_floats():
    s = np.where(np.arange(N) % 7 == 0, np.inf, S)
    swept = br.sweep(Y, s)
    found = units(s=s, cluster=WARD).drawn(swept).sample(2, np.random.default_rng(1))
    assert (found.tp[:, 0] == 0).all()
    assert (np.diff(found.tp, axis=1) >= 0).all()
    large = (2**53 + np.arange(N)).tolist()
    spread = threshold_spread("accuracy", Y, large, rng=0, n_resamples=20, cluster=WARD)
    assert spread.value == br.optimal_threshold("accuracy", Y, large).value


def test_clusters_beside_a_sweep_are_refused():
    with pytest.raises(InvalidArgumentError, match="cluster has no meaning beside a sweep"):
        threshold_spread("f1", br.sweep(Y, S), rng=0, cluster=WARD)
    with pytest.raises(InvalidArgumentError, match="with sample_weight"):
        threshold_spread("f1", br.sweep(Y, S, sample_weight=W), rng=0)


@pytest.mark.parametrize("metric", ["mcc", "accuracy", "f1"])
def test_copies_in_clusters_promise_what_the_cases_do(metric):
    y, s = np.tile([True, False], 30), np.round(RNG.normal(size=60) + np.tile([0.7, 0], 30), 3)
    asked = {"rng": 0, "n_resamples": 400}
    alone = threshold_spread(metric, y, s, cluster=np.arange(60), **asked)
    twenty = np.repeat(np.arange(60), 20)
    copied = threshold_spread(metric, y[twenty], s[twenty], cluster=twenty, **asked)
    flattered = threshold_spread(metric, y[twenty], s[twenty], **asked)
    assert copied.value == pytest.approx(alone.value)
    assert copied.corrected == pytest.approx(alone.corrected, abs=0.03)
    assert flattered.corrected > copied.corrected + 0.03


def test_clusters_of_copies_are_worth_their_number():
    assert units(cluster=None).effective_sizes is None
    y, s = np.tile([True, False], 20), RNG.normal(size=40)
    of = np.repeat(np.arange(40), 5)
    assert units(cluster=of, y=y[of], s=s[of]).effective_sizes == pytest.approx((20, 20))
    level = units(cluster=of, y=y[of], s=np.zeros(200)).effective_sizes
    assert level == pytest.approx((20, 20))
    apart = units(cluster=np.arange(200) // 2, y=y[of], s=RNG.normal(size=200)).effective_sizes
    assert all(60 < size <= 100 for size in apart)

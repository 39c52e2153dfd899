"""Held-out cases rank within folds: means of what scikit-learn finds, and intervals that hold."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import baserate as br
from baserate.curves import partial_auc
from baserate.curves.area_spread import AreaSpread, ScoredSample, area_limits
from baserate.curves.clustered_auc import ClusteredArea
from baserate.errors import InvalidArgumentError

RNG = np.random.default_rng(5)
FOLD = np.arange(90) % 3
Y = (np.arange(90) % 10 < 4).astype(int)
SCORE = np.round(RNG.normal(size=90) + Y + 3 * FOLD, 1)  # models differ, and some scores are tied


def mean(measure, **how):
    parts = [k == FOLD for k in range(3)]
    return np.mean([measure(Y[part], SCORE[part], **how) for part in parts])


def positives_and_negatives(k):
    own = k == FOLD
    return SCORE[own & (Y == 1)], SCORE[own & (Y == 0)]


def test_the_values_are_means_over_folds():
    area = br.roc_auc(Y, SCORE, fold=FOLD)
    assert area.value == pytest.approx(mean(roc_auc_score))
    assert abs(area.value - roc_auc_score(Y, SCORE)) > 0.1  # pooled, folds hide what scores tell
    found = br.average_precision(Y, SCORE, fold=list("abc") * 30)
    assert found.value == pytest.approx(mean(average_precision_score))
    assert found.chance > 0.42  # of three lists of 30, whose base rate is .4
    part = partial_auc(Y, SCORE, fold=FOLD, max_fpr=0.3)
    assert part.value == pytest.approx(mean(roc_auc_score, max_fpr=0.3))
    for one in (area, found, part):
        assert one.low < one.value < one.high


def test_every_order_of_folds_and_labels_of_any_kind():
    order = RNG.permutation(90)
    names = np.array(["x", "y", "z"])[FOLD]
    found = br.roc_auc(Y[order], SCORE[order], fold=names[order])
    known = br.roc_auc(Y, SCORE, fold=FOLD)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_one_fold_is_all_cases_but_for_the_doubled_variance():
    whole = br.roc_auc(Y, SCORE, method="conservative")
    alone = br.roc_auc(Y, SCORE, fold=np.zeros(90))
    assert alone.value == pytest.approx(whole.value)
    width = (whole.high - whole.low, alone.high - alone.low)
    assert 1.2 < width[1] / width[0] < np.sqrt(2)


def test_cases_differ_within_folds_and_between_them():
    """By shares of pairs won, counted pair by pair, around the one mean of all folds."""
    score = np.where(FOLD == 0, -SCORE, SCORE)  # the areas of folds are far apart
    won, lost = [], []
    for k in range(3):
        x, y = (score[(k == FOLD) & (side == Y)] for side in (1, 0))
        pairs = (x[:, None] > y) + 0.5 * (x[:, None] == y)
        won.append(pairs.mean(axis=1))
        lost.append(pairs.mean(axis=0))
    area = np.mean([one.mean() for one in won])
    varies = (2 * np.mean([np.mean((one - area) ** 2) for one in side]) for side in (won, lost))
    cases = (9 / sum(1 / len(one) for one in side) for side in (won, lost))
    found = br.roc_auc(Y, score, fold=FOLD)
    assert (found.low, found.high) == pytest.approx(
        area_limits(AreaSpread(area, *varies, *cases), 0.025), abs=1e-9
    )


@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 1.5, 90)])
@pytest.mark.parametrize("cluster", [None, np.arange(90) // 2])
def test_the_p_value_is_that_of_the_interval(cluster, weight):
    given = {"fold": FOLD, "cluster": cluster, "sample_weight": weight}
    found = br.roc_auc(Y, SCORE, **given)
    assert 0 < found.p_value < 0.5
    edge = br.roc_auc(Y, SCORE, **given, confidence_level=1 - found.p_value)
    assert edge.low == pytest.approx(0.5, abs=1e-7)


def test_clusters_within_folds():
    cluster = np.arange(90) // 2
    found = br.roc_auc(Y, SCORE, fold=FOLD, cluster=cluster)
    assert found.value == pytest.approx(mean(roc_auc_score))
    assert found.n_clusters == 45


def test_cases_that_are_their_own_cluster_have_delongs_variance_within_folds():
    sides = [], []
    for k in range(3):
        x, y = positives_and_negatives(k)
        won = (x[:, None] > y) + 0.5 * (x[:, None] == y)
        sides[0].extend(won.mean(axis=1))
        sides[1].extend(won.mean(axis=0))
    variance = sum(np.var(side, ddof=1) / len(side) for side in sides)
    sample = ScoredSample(Y == 1, SCORE, None)
    found = ClusteredArea.of(sample, np.arange(90), FOLD, 2.0)
    assert found.variance == pytest.approx(2 * variance)
    assert found.design_effect == pytest.approx(1)


def test_a_fold_of_one_class_has_no_pairs():
    truth = np.sort(Y)
    halves = np.repeat([0, 1], 45)
    why = "fold 0 has no positives: stratify the folds"
    for found in (
        br.roc_auc(truth, SCORE, fold=halves),
        br.average_precision(truth, SCORE, fold=halves),
        br.roc_auc(truth, SCORE, fold=halves, cluster=np.arange(90)),
    ):
        assert np.isnan(found.value)
        assert found.reason == why


def test_a_sweep_has_forgotten_its_folds():
    with pytest.raises(InvalidArgumentError, match="fold needs labels and scores case by case"):
        br.roc_auc(br.sweep(Y, SCORE), fold=FOLD)


@pytest.mark.slow
def test_scores_that_know_nothing_are_not_called_worse_than_chance():
    """Labels without any relation: pooled, a fifth of intervals lie wholly below 1/2."""
    rng, missed = np.random.default_rng(1), np.zeros(2)
    y = np.repeat([0, 1], 25)
    for _ in range(150):
        x, fold, score = rng.normal(size=(50, 2)), rng.permutation(np.arange(50) % 5), np.empty(50)
        for k in range(5):
            own, other = fold == k, fold != k
            means = [x[other & (y == side)].mean(axis=0) for side in (0, 1)]
            share = y[other].mean()
            direction = means[1] - means[0]
            middle = direction @ (means[0] + means[1]) / 2
            score[own] = x[own] @ direction - middle + np.log(share / (1 - share))
        missed += (br.roc_auc(y, score).high < 0.5, br.roc_auc(y, score, fold=fold).high < 0.5)
    assert missed[0] > 0.1 * 150
    assert missed[1] <= 0.04 * 150

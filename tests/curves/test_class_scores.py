"""Probabilities of several classes, beside scikit-learn, brute force and the measures of two."""

import warnings
from math import isnan, log

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binomtest
from sklearn import datasets
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import baserate as br
from baserate.curves import top_k_accuracy
from baserate.curves.area_spread import ScoredSample, shares_won
from baserate.curves.class_scores import _influence
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

Y = ["a", "b", "c", "c", "b", "c", "a"]
P = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.1, 0.6, 0.3],
        [0.2, 0.2, 0.6],
        [0.5, 0.1, 0.4],
        [0.4, 0.4, 0.2],
        [0.05, 0.05, 0.9],
        [0.3, 0.5, 0.2],
    ]
)
MEASURES = [br.roc_auc, br.brier_score, br.log_loss]


def out_of_fold(name):
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    model = GaussianNB(var_smoothing=0.1)
    if name != "digits":
        model = LogisticRegression(C=0.01, max_iter=5000)
    p = cross_val_predict(model, x, y, cv=3, method="predict_proba")
    return y, (p + 0.001) / (1 + 0.001 * p.shape[1])  # scikit-learn raises tiny probabilities


@pytest.fixture(scope="module", params=["small", "digits", "wine", "iris"])
def cases(request):
    return (Y, P) if request.param == "small" else out_of_fold(request.param)


@pytest.mark.sweep(15, start=1)
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_areas_are_those_of_scikit_learn(cases, average, multi_class):
    how = {"average": average, "multi_class": multi_class}
    found = br.roc_auc(*cases, **how)
    assert found.value == pytest.approx(sk.roc_auc_score(*cases, **how), rel=1e-13)
    assert found.low < found.value <= found.high <= 1


def test_losses_are_those_of_scikit_learn(cases):
    assert float(br.log_loss(*cases)) == pytest.approx(sk.log_loss(*cases), rel=1e-13)
    expected = sk.brier_score_loss(*cases)
    assert float(br.brier_score(*cases)) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("k", [1, 2])
def test_the_k_most_probable_are_those_of_scikit_learn(cases, k):
    found = top_k_accuracy(*cases, k=k)
    if found.route == "exact":
        assert found.value == sk.top_k_accuracy_score(*cases, k=k)
        hits = round(found.value * len(cases[0]))
        limits = binomtest(hits, len(cases[0])).proportion_ci(0.95, method="exact")
        assert (found.low, found.high) == pytest.approx((limits.low, limits.high), rel=1e-9)


def test_with_weights_they_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, weight = rng.integers(0, 4, 300), rng.random(300)
    p = rng.dirichlet(np.ones(4), 300)
    given = {"sample_weight": weight}
    for ours, theirs, how in (
        (br.log_loss, sk.log_loss, {}),
        (br.brier_score, sk.brier_score_loss, {}),
        (top_k_accuracy, sk.top_k_accuracy_score, {"k": 2}),
        (br.roc_auc, sk.roc_auc_score, {"multi_class": "ovr"}),
        (br.roc_auc, sk.roc_auc_score, {"multi_class": "ovr", "average": "weighted"}),
    ):
        found = ours(y, p, **given, **how)
        assert found.value == pytest.approx(theirs(y, p, **given, **how), rel=1e-12)
        assert found.low < found.value < found.high
    twos = {"sample_weight": np.full(300, 2.0)}
    for how in ("ovr", "ovo"):
        plain, doubled = (
            br.roc_auc(y, p, multi_class=how),
            br.roc_auc(y, p, multi_class=how, **twos),
        )
        assert (doubled.value, doubled.low) == pytest.approx((plain.value, plain.low), rel=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_two_columns_are_the_second_class_to_the_last_digit(measure):
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 60), rng.random(60)
    both = np.column_stack([1 - p, p])
    assert measure(y, both) == measure(y, p)
    named = np.where(y == 1, "ill", "well")
    weight = rng.random(60)
    assert measure(named, both[:, ::-1], labels=["ill", "well"], sample_weight=weight) == measure(
        named, 1 - p, pos_label="well", sample_weight=weight
    ) or np.allclose(1 - p, both[:, 0])
    assert measure(y, both.tolist()) == measure(y, p)


def test_chance_knows_the_class_shares():
    shares = [2 / 7, 2 / 7, 3 / 7]
    always = np.tile(shares, (7, 1))
    for measure in (br.brier_score, br.log_loss):
        blind, found = measure(Y, always), measure(Y, P)
        assert blind.value == pytest.approx(blind.chance) == pytest.approx(found.chance)
        assert blind.skill == pytest.approx(0, abs=1e-12)
        assert found.perfect == 0
    assert top_k_accuracy(Y, P, k=2).chance == pytest.approx(5 / 7)


def test_ties_are_broken_by_lot():
    y, p = [0, 1, 2, 0], np.full((4, 3), 1 / 3)
    found = top_k_accuracy(y, p, k=2)
    assert found.value == pytest.approx(2 / 3)
    assert found.route == "conservative"
    assert br.roc_auc(y, p).value == 0.5
    one = top_k_accuracy([0, 1, 2], [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.4, 0.4, 0.2]], k=1)
    assert one.value == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_columns_go_by_name():
    order = [2, 0, 1]
    turned, names = P[:, order], ["c", "a", "b"]
    for measure in MEASURES:
        plain = measure(Y, P)
        for scores in (pd.DataFrame(turned, columns=names), pl.DataFrame(turned, schema=names)):
            assert measure(Y, scores).value == pytest.approx(plain.value, rel=1e-14)
        found = measure(Y, turned, labels=names)
        assert (found.value, found.low) == pytest.approx((plain.value, plain.low), rel=1e-12)


def test_what_was_said_to_be_impossible_is_infinite():
    p = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [0.1, 0.2, 0.7]])
    assert br.log_loss([1, 1, 2], p, labels=[0, 1, 2]).value == np.inf
    found = br.log_loss([0, 1, 2], p)
    assert found.value == pytest.approx((log(1 / 0.3) + log(1 / 0.7)) / 3)
    assert found.high == np.inf


def test_classes_without_cases():
    p = P[:, [0, 1, 2]]
    y = ["a", "b", "a", "a", "b", "b", "a"]
    found = br.roc_auc(y, p, labels=["a", "b", "c"])
    assert isnan(found.value)
    assert found.reason == "no cases of 'c'"
    assert br.brier_score(y, p, labels=["a", "b", "c"]).chance == pytest.approx(2 * 12 / 49)
    alone = br.log_loss(["a"] * 7, p, labels=["a", "b", "c"])
    assert isnan(alone.chance)
    assert alone.chance_reason.startswith("only class 'a' occurs")


def held(scores):
    return pytest.raises((InvalidArgumentError, LabelError, MissingValueError), match=scores)


@pytest.mark.parametrize(
    ("y", "p", "how", "words"),
    [
        (Y, P + 0.1, {}, "must sum to one in each row, got 1.3"),
        (Y, P * 2 - 0.5, {}, r"must lie in \[0, 1\]"),
        (Y, np.where(P == 0.7, np.nan, P), {}, "missing values, found 1"),
        ([None, *Y[1:]], P, {}, "y_true must not hold missing values, found 1"),
        (Y[1:], P, {}, "as many cases as y_true"),
        (Y, np.column_stack([P, P]) / 2, {}, "name the 6 columns .* holds 'a', 'b', 'c'"),
        (Y, P, {"labels": ["a", "b"]}, "name the 3 columns"),
        (Y, P, {"labels": ["a", "b", "x"]}, "add 'c'"),
        (Y, P, {"labels": ["a", "b", "b"]}, "each once"),
        (Y, P, {"pos_label": "a"}, "pos_label has no meaning beside scores of several classes"),
        (Y, P.astype(str).tolist(), {}, None),
        ([], np.zeros((0, 3)), {}, "holds no cases"),
    ],
)
def test_what_does_not_fit_is_refused(y, p, how, words):
    if words is None:  # numbers written as text are numbers, as everywhere in NumPy
        assert br.brier_score(y, p).value == br.brier_score(Y, P).value
        return
    with held(words):
        br.brier_score(y, p, **how)


def test_arguments_of_several_classes_need_columns():
    binary = [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3]
    for how in ({"labels": [0, 1]}, {"average": "macro"}, {"multi_class": "ovr"}):
        with held("has no meaning beside the scores of one class"):
            br.roc_auc(*binary, **how)
    with held("cluster has no meaning beside scores of several classes"):
        br.roc_auc(Y, P, cluster=Y)
    with held("must be less than the number of classes"):
        top_k_accuracy(Y, P, k=3)
    with held("must have one column per class"):
        top_k_accuracy(*binary, k=1)
    with pytest.raises(br.errors.UnknownNameError, match="Did you mean 'ovo'"):
        br.roc_auc(Y, P, multi_class="ovoo")


def placements(y, score, c):
    """Influence of each case on the area of one class against the rest, pair by pair."""
    wins = (score[:, None] > score) + (score[:, None] == score) / 2
    positive = y == c
    area = wins[np.ix_(positive, ~positive)].mean()
    found = np.empty(len(y))
    found[positive] = (wins[:, ~positive].mean(1) - area)[positive] / positive.sum()
    found[~positive] = (wins[positive].mean(0) - area)[~positive] / (~positive).sum()
    return area, found


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_joins_those_of_the_classes_by_their_correlations(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2, 3], [4, 9, 14, 13]))
    p = rng.dirichlet(np.ones(4), 40) + np.eye(4)[y] * rng.random((40, 1)) / 2
    single = [br.roc_auc(y == c, p[:, c], method="conservative") for c in range(4)]
    areas, influence = zip(*(placements(y, p[:, c], c) for c in range(4)), strict=True)
    of_class = np.bincount(y)
    for average, part in (("macro", np.full(4, 0.25)), ("weighted", of_class / 40)):
        found = br.roc_auc(y, p, average=average)
        assert found.value == pytest.approx(part @ areas)
        for end, limit in (("low", found.low), ("high", found.high)):
            reach = part * [abs(getattr(e, end) - a) for a, e in zip(areas, single, strict=True)]
            lost = np.array(areas if end == "low" else [1 - a for a in areas])
            every = np.hstack([influence, lost[:, None] * unseen(of_class)])
            lengths = np.linalg.norm(every, axis=1)
            lengths[lengths == 0] = 1  # an area of 1 has no way up
            correlation = every @ every.T / np.outer(lengths, lengths)
            distance = np.sqrt(reach @ correlation @ reach)
            if limit < 1:
                assert abs(limit - found.value) == pytest.approx(distance)
            else:
                assert distance >= 1 - found.value - 1e-12


def unseen(of_class):
    """Standard deviation of the share of the pairs that one further case of each class takes."""
    sizes = np.where(np.eye(len(of_class)), of_class[:, None], (of_class.sum() - of_class)[:, None])
    variance = sizes / (sizes + 2) / (sizes + 1) ** 2  # of Beta(m, 1)
    parts = of_class / (of_class.sum() - of_class)[:, None]
    return np.sqrt(variance * np.where(np.eye(len(of_class)), 1, parts))


def test_separated_classes_have_an_interval_all_the_same():
    y = np.repeat([0, 1, 2], 10)
    found, single = (
        br.roc_auc(y, np.eye(3)[y]),
        br.roc_auc(y == 0, (y == 0) * 1.0, method="conservative"),
    )
    assert (found.value, found.high) == (1.0, 1.0)
    assert 1 - (1 - single.low) / np.sqrt(3) > found.low > single.low


def test_losses_of_zeros_and_ones_have_the_interval_of_a_share():
    p = np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1, 2, 1]]
    found = br.brier_score([0, 1, 2, 0, 1, 2, 0, 1, 0, 0], p)
    limits = binomtest(2, 10).proportion_ci(0.95, method="exact")
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((2 * limits.low, 2 * limits.high), rel=1e-9)


def test_nothing_given_is_changed():
    before = P.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for measure in MEASURES:
            measure(Y, P)
    assert np.array_equal(P, before)


def test_influence_of_weighted_cases_is_how_the_area_moves():
    """The derivative of scikit-learn's weighted area by the logarithm of each weight."""
    rng = np.random.default_rng(6)
    truth, score = np.arange(30) % 3 == 0, rng.normal(size=30)
    weight = rng.uniform(0.2, 5, size=30)
    sample = ScoredSample(truth, score, (weight[truth], weight[~truth]))
    sides = shares_won(sample)
    area = sample.mean(0, sides[0])
    found = _influence(sample, [side - area for side in sides])
    for k in range(30):
        moved = [np.where(np.arange(30) == k, weight * np.exp(h), weight) for h in (1e-5, -1e-5)]
        up, down = (sk.roc_auc_score(truth, score, sample_weight=w) for w in moved)
        assert found[k] == pytest.approx((up - down) / 2e-5, abs=1e-8)
    plain = _influence(ScoredSample(truth, score, None), [side - area for side in sides])
    assert not np.allclose(plain, found, rtol=0.1)

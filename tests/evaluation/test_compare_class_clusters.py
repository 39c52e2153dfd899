"""`compare` of several classes with clusters, weights or replicate weights, against brute force."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.cases.clusters import Replicated
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.sampled_pairs import of_classes
from baserate.evaluation.stakes import stakes_of
from baserate.inference import difference
from baserate.metrics import class_metric, class_utility

RNG = np.random.default_rng(11)
K = 40
WARD = np.repeat(np.arange(K), RNG.integers(4, 12, K))
N = len(WARD)
LABELS = np.array(["acute", "mild", "none"])
TRUTH = RNG.choice(3, N, p=[0.25, 0.35, 0.4])


def called(right):
    """Return labels of which whole clusters are right or wrong together."""
    hit = 0.8 * RNG.normal(size=K)[WARD] + 0.6 * RNG.normal(size=N) < right
    return LABELS[np.where(hit, TRUTH, RNG.integers(3, size=N))]


FRAME = pd.DataFrame(
    {
        "truth": LABELS[TRUTH], "A": called(0.7), "B": called(0.2), "C": called(0.1), "ward": WARD,
        "weight": np.ceil(4 * RNG.lognormal(sigma=0.6, size=N)) / 4,
        "site": np.where(WARD % 2, "east", "west"),
    }
)  # fmt: skip
TWO = {"target": "truth", "prediction": ["A", "B"]}
WORTH = np.array([[4, -1, -2], [-2, 3, -1], [-9, 0, 1.0]])
UTILITY = br.UtilityMatrix(WORTH, classes=LABELS)


def worth_of(matrix):
    place = {label: k for k, label in enumerate(LABELS)}

    def mean(truth, called, sample_weight):
        gains = [matrix[place[c], place[y]] for y, c in zip(truth, called, strict=True)]
        return np.average(gains, weights=sample_weight)

    return mean


METRICS = {
    "accuracy": worth_of(np.eye(3)),
    "balanced_accuracy": lambda y, p, sample_weight: balanced_accuracy_score(
        y, p, sample_weight=sample_weight
    ),
    "macro_f1": lambda y, p, sample_weight: f1_score(
        y, p, average="macro", sample_weight=sample_weight
    ),
    "matthews_correlation": lambda y, p, sample_weight: matthews_corrcoef(
        y, p, sample_weight=sample_weight
    ),
}


def differences(metric, weights):
    """Return A less B by scikit-learn under each set of weights."""
    y, a, b = FRAME.truth, FRAME.A, FRAME.B
    return np.array(
        [metric(y, a, sample_weight=w) - metric(y, b, sample_weight=w) for w in weights]
    )


def ends(value, variance, degrees):
    far = t.ppf(0.975, degrees) * np.sqrt(variance)
    return value - far, value + far


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("weighted", [False, True])
def test_differences_are_those_without_each_whole_cluster(weighted):
    weight = FRAME.weight.to_numpy() if weighted else np.ones(N)
    how = {"weight": "weight"} if weighted else {}
    [pair] = br.compare(FRAME, **TWO, cluster="ward", **how).facts.pairs
    left = [np.where(c == WARD, 0.0, weight) for c in range(K)]
    for one in pair.metrics:
        [value] = differences(METRICS[one.name], [weight])
        moves = value - differences(METRICS[one.name], left)
        squares = moves**2
        degrees = 3 * squares.sum() ** 2 / (squares @ squares)  # two more, with the floor
        assert one.difference == pytest.approx(value)
        assert (one.low, one.high) == pytest.approx(ends(value, squares.sum(), degrees), rel=1e-9)
        assert one.a_better == pytest.approx(t.cdf(value / np.sqrt(squares.sum()), degrees))


def test_yields_are_those_without_each_whole_cluster():
    found = br.compare(FRAME, **TWO, cluster="ward", utility=UTILITY, weight="weight").facts
    weight, yields = FRAME.weight.to_numpy(), worth_of(WORTH)
    [value] = differences(yields, [weight])
    moves = value - differences(yields, [np.where(c == WARD, 0.0, weight) for c in range(K)])
    degrees = 3 * (moves**2).sum() ** 2 / (moves**4).sum()
    [pair] = found.pairs
    assert (pair.low, pair.high) == pytest.approx(ends(value, moves @ moves, degrees), rel=1e-9)
    own = [yields(FRAME.truth, FRAME[name], sample_weight=weight) for name in "AB"]
    assert [one.value for one in found.classifiers] == pytest.approx(own)
    assert found.n_clusters == K


@pytest.mark.slow
def test_replicate_weights_recompute_every_difference():
    replicates = RNG.exponential(size=(N, 15)) * FRAME.weight.to_numpy()[:, None]
    [pair] = br.compare(
        FRAME.truth, {"A": FRAME.A, "B": FRAME.B}, weight=FRAME.weight,
        replicate_weights=replicates, replicate_scale=1 / 14,
    ).facts.pairs  # fmt: skip
    for one in pair.metrics:
        metric = METRICS[one.name]
        [value] = differences(metric, [FRAME.weight])
        variance = ((differences(metric, replicates.T) - value) ** 2).sum() / 14
        assert (one.low, one.high) == pytest.approx(ends(value, variance, 14), rel=1e-9)
        assert one.p_value == pytest.approx(2 * t.sf(abs(value) / np.sqrt(variance), 14))


def test_weighted_differences_are_linearised():
    """The mean gain of independent cases: Σ w d/Σ w, with variance n/(n - 1) Σ w² (d - D)²/W²."""
    [pair] = br.compare(FRAME, **TWO, weight="weight").facts.pairs
    w, d = FRAME.weight.to_numpy(), 1.0 * (FRAME.truth == FRAME.A) - (FRAME.truth == FRAME.B)
    value = w @ d / w.sum()
    variance = N / (N - 1) * (w**2 @ (d - value) ** 2) / w.sum() ** 2
    far = (pair.high - pair.low) / 2 / np.sqrt(variance)
    assert pair.difference == pytest.approx(value)
    assert 1.96 < far < 2.05  # Student's, with Kish's effective cases less one
    z = w @ d / np.sqrt(w**2 @ d**2)
    assert pair.p_value == pytest.approx(2 * t.sf(abs(z), np.inf))


@pytest.mark.slow
def test_weights_of_one_have_mcnemars_statistic_and_nearly_the_unweighted_interval():
    [plain] = br.compare(FRAME, **TWO).facts.pairs
    [one] = br.compare(FRAME.assign(weight=1.0), **TWO, weight="weight").facts.pairs
    b, c = plain.only_a, plain.only_b
    assert one.p_value == pytest.approx(2 * t.sf(abs(b - c) / np.sqrt(b + c), np.inf))
    assert one.design_effect == pytest.approx(1)
    for found, same in zip(one.metrics, plain.metrics, strict=True):
        assert found.difference == pytest.approx(same.difference)
        assert (found.low, found.high) == pytest.approx((same.low, same.high), abs=0.006)


def test_p_is_the_share_of_swaps_of_whole_clusters_that_are_as_far_apart():
    part = FRAME[FRAME.ward < 10]
    gain = worth_of(WORTH)
    weights = [np.where(part.ward == c, 1.0, 0.0) for c in range(10)]
    sums = np.array(
        [w.sum() * (gain(part.truth, part.A, w) - gain(part.truth, part.B, w)) for w in weights]
    )
    every = np.array(list(product([1, -1], repeat=10))) @ sums
    expected = (np.abs(every) > abs(sums.sum()) - 1e-9).mean()
    codes = {name: np.searchsorted(LABELS, part[name]) for name in ("truth", "A", "B")}
    joint = np.zeros((10, 3, 3, 3))
    np.add.at(joint, (part.ward, codes["A"], codes["B"], codes["truth"]), 1)
    found = difference(class_utility(WORTH), paired=joint, method="exact")
    assert (found.p_value, found.p_value_route) == (pytest.approx(expected), "exact")
    [pair] = br.compare(part, **TWO, cluster="ward", utility=UTILITY).facts.pairs
    law = difference(class_utility(WORTH), paired=joint)
    same = law.value, law.low, law.high, law.p_value
    assert (pair.difference, pair.low, pair.high, pair.p_value) == pytest.approx(same)


DESIGNS = {
    "clusters": {"cluster": WARD},
    "few": {"cluster": WARD % 5},  # which cannot show how alike their cases are
    "weights": {"weight": FRAME.weight},
    "both": {"cluster": WARD, "weight": FRAME.weight},
    "replicates": {
        "weight": FRAME.weight,
        "replicate_weights": RNG.exponential(size=(N, 12)) * FRAME.weight.to_numpy()[:, None],
        "replicate_scale": 1 / 11,
    },
}


@pytest.mark.sweep(15, start=4)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("metric", ["accuracy", "matthews_correlation", "balanced_accuracy"])
def test_two_labels_as_classes_agree_with_two_classes(design, metric):
    y, a, b = (FRAME[name] == "none" for name in ("truth", "A", "B"))
    given = dict(DESIGNS[design])
    two = br.compare(y, {"A": a, "B": b}, positive=True, metrics=metric, **given).facts
    replicates = given.pop("replicate_weights", None)
    given.pop("replicate_scale", None)
    keys = {"cluster": given["cluster"]} if "cluster" in given else {}
    cases = read_arrays(
        y.to_numpy(), {"A": a.to_numpy(), "B": b.to_numpy()}, keys=keys,
        sample_weight=given.get("weight"),
    ).classes()  # fmt: skip
    if replicates is not None:
        cases = read_arrays(
            y.to_numpy(), {"A": a.to_numpy(), "B": b.to_numpy()}, sample_weight=given["weight"],
            scores={str(k): column for k, column in enumerate(replicates.T)},
        ).classes()  # fmt: skip
        cases = replace(cases, replicated=Replicated.of(replicates.T, np.full(12, 1 / 11)))
    contest = ClassContest.of_cases(cases, stakes_of(None, None), {})
    found = of_classes(contest, 0.95).compared(class_metric(metric), 0, 1)
    [pair] = two.pairs
    [one] = pair.metrics
    assert found.difference == pytest.approx(one.difference)
    assert (found.low, found.high) == pytest.approx((one.low, one.high), rel=1e-7)
    if metric == "accuracy":
        assert found.design_effect == pytest.approx(pair.design_effect)
        assert found.p_value == pytest.approx(one.p_value, rel=1e-5)  # to a millionth of a weight
    else:  # slopes by differences, whose last digits part no ties in the same way
        assert found.p_value == pytest.approx(one.p_value, abs=1e-3)


@pytest.mark.sweep(6, start=4)
@pytest.mark.parametrize("design", DESIGNS)
def test_each_class_is_compared_with_the_rest_as_two_classes(design):
    names = {"A": FRAME.A, "B": FRAME.B}
    [pair] = br.compare(FRAME.truth, names, **DESIGNS[design]).facts.pairs
    for one in pair.classes:
        two = br.compare(
            FRAME.truth, names, positive=one.label, metrics="recall", **DESIGNS[design]
        ).facts.pairs[0]
        [found], [same] = one.metrics, two.metrics
        assert (found.low, found.high) == pytest.approx((same.low, same.high))
        assert one.p_value == pytest.approx(two.p_recall)


def test_decisions_that_are_no_classes_go_by_clusters_too():
    u = br.UtilityMatrix([[2, 1, -1], [-6, 0, 1]], decisions=["admit", "send home"], classes=LABELS)
    taken = FRAME.assign(
        A=np.where(FRAME.A == "none", "send home", "admit"),
        B=np.where(FRAME.B == "acute", "admit", "send home"),
    )
    facts = br.compare(taken, **TWO, utility=u, cluster="ward").facts
    rows = [u.matrix[(taken[name] != "admit").astype(int), TRUTH] for name in "AB"]
    gain = rows[0] - rows[1]
    sums, sizes = np.bincount(WARD, gain), np.bincount(WARD)
    moves = gain.mean() - (gain.sum() - sums) / (N - sizes)
    degrees = 3 * (moves**2).sum() ** 2 / (moves**4).sum()
    [pair] = facts.pairs
    assert pair.difference == pytest.approx(gain.mean())
    assert (pair.low, pair.high) == pytest.approx(ends(gain.mean(), moves @ moves, degrees))
    assert [one.value for one in facts.classifiers] == pytest.approx([r.mean() for r in rows])
    for one, row in zip(facts.classifiers, rows, strict=True):
        assert one.low < row.mean() < one.high
        assert one.beats_constant is not None
    assert (pair.metrics, pair.classes) == ((), ())


def test_classifiers_have_the_intervals_of_an_evaluation():
    found = br.compare(FRAME, **TWO, cluster="ward").facts
    for one in found.classifiers:
        alone = br.evaluate(FRAME, target="truth", prediction=one.name, cluster="ward").facts
        [accuracy] = [m for m in alone.metrics if m.name == "accuracy"]
        assert (one.low, one.high) == (accuracy.low, accuracy.high)
        assert one.metrics[0].low == accuracy.low


def test_one_cluster_says_nothing_of_which_is_better():
    found = br.compare(FRAME.assign(ward="x"), **TWO, cluster="ward")
    [pair] = found.facts.pairs
    assert np.isnan(pair.low)
    assert pair.reason == "all cases lie in one cluster"
    assert str(found).startswith("Which is better: cannot tell.")


def test_case_ids_that_repeat_are_the_clusters():
    found = br.compare(FRAME, **TWO, case_id="ward").facts
    assert found.pairs == br.compare(FRAME, **TWO, cluster="ward").facts.pairs
    assert (found.case_id, found.cluster, found.n_clusters) == ("ward", None, K)

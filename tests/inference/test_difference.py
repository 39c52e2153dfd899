"""One call for every difference: what it takes, and each route has the numbers of its engine."""

from math import isnan

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.cases.arrays import read_arrays
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.inference import mcnemar_test, paired_counts
from baserate.inference.class_comparison import compare_class_yields, compare_classes
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired import compare_paired
from baserate.inference.separate_samples import compare_separate

RNG = np.random.default_rng(5)
N = 120
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.8, 0.7))
WEIGHT, CLUSTER = RNG.lognormal(0, 0.6, N), RNG.integers(0, 14, N)
Y3 = RNG.integers(0, 3, N)
A3, B3 = (np.where(RNG.random(N) < right, Y3, RNG.integers(0, 3, N)) for right in (0.7, 0.6))
RISK_A, RISK_B = (
    np.clip(0.5 + slope * (Y - 0.5) + RNG.normal(0, 0.2, N), 0.01, 0.99) for slope in (0.3, 0.2)
)
SEED = 20_250_101  # of whatever is simulated
METRICS = ("accuracy", "recall", "f1", "mcc", "markedness", "error_rate")
OF_CLASSES = ("accuracy", "macro_f1", "mcc")
UTILITIES = br.UtilityMatrix([[1, -1, -10], [0, 1, -10], [-1, 0, 1]])


def same(found, known, *, better):
    new = found.value, found.low, found.high, found.p_better
    old = known.difference, known.low, known.high, better
    assert new == pytest.approx(old, abs=1e-12)
    assert (found.route, found.error) == (known.route, getattr(known, "error", 0.0))


def better(known):
    return known.better


@pytest.mark.parametrize("metric", METRICS)
def test_tables_of_separate_samples(metric):
    tables = br.confusion_matrix(Y, A), br.confusion_matrix(Y, B)
    known = compare_separate(metric, *tables, rng=SEED)
    same(br.difference(metric, *tables), known, better=better(known))


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1"])
def test_two_classes_of_the_same_cases_however_they_come(metric):
    joint, tables = paired_counts(Y, A, B), [br.confusion_matrix(Y, x) for x in (A, B)]
    known = compare_paired(metric, joint, rng=SEED)
    four = joint[0, 1, 0], joint[1, 0, 0], joint[1, 0, 1], joint[0, 1, 1]
    for found in (
        br.difference(metric, A, B, y_true=Y),
        br.difference(metric, paired=joint),
        br.difference(metric, *tables, paired=four),
        br.difference(metric, "x", "z", y_true=read_arrays(Y, {"x": A, "z": B})),
    ):
        same(found, known, better=better(known))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("metric", OF_CLASSES)
def test_several_classes(metric):
    tables, pairs = [br.class_table(Y3, x) for x in (A3, B3)], ClassPairs.of_cases(Y3, A3, B3, 3)
    [known] = compare_classes(metric, *tables).values()
    same(br.difference(metric, *tables), known, better=better(known))
    [known] = compare_classes(metric, pairs).values()
    same(br.difference(metric, A3, B3, y_true=Y3), known, better=better(known))
    joint = np.zeros((3, 3, 3), dtype=int)
    np.add.at(joint, (A3, B3, Y3), 1)
    same(br.difference(metric, paired=joint), known, better=better(known))


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_a_unit_of_weight_makes_no_difference_of_several_classes_surer(metric):
    one, five = (
        br.difference(metric, A3, B3, y_true=Y3, sample_weight=unit * WEIGHT) for unit in (1, 5)
    )
    assert (five.low, five.high) == pytest.approx((one.low, one.high), abs=1e-8)


def test_what_decisions_are_worth():
    tables, pairs = [br.class_table(Y3, x) for x in (A3, B3)], ClassPairs.of_cases(Y3, A3, B3, 3)
    known = compare_class_yields(UTILITIES, *tables)
    same(br.difference(UTILITIES, *tables), known, better=better(known))
    known = compare_class_yields(UTILITIES, pairs)
    found = br.difference(UTILITIES, A3, B3, y_true=Y3)
    same(found, known, better=better(known))
    by_weight = br.difference(UTILITIES, A3, B3, y_true=Y3, sample_weight=np.full(N, 2.0))
    assert found.metric == by_weight.metric == "yield"
    assert by_weight.value == pytest.approx(found.value, abs=1e-12)


TWO = br.UtilityMatrix([[4, -1], [-2, 1]])


@pytest.mark.parametrize("how", [{}, {"cluster": CLUSTER}, {"sample_weight": WEIGHT}])
def test_utilities_of_two_classes_have_the_positive_first(how):
    found = br.difference(TWO, A, B, y_true=Y, **how)
    known = br.difference(TWO.as_metric(), A, B, y_true=Y, **how)
    assert (found.metric, found.value, found.low) == ("yield", known.value, known.low)
    mean = [np.average(TWO.matrix[1 - x, 1 - Y], weights=how.get("sample_weight")) for x in (A, B)]
    assert (found.value_a, found.value_b) == pytest.approx(mean, abs=1e-12)
    words = [np.array(["no", "yes"])[x] for x in (Y, A, B)]
    named = br.UtilityMatrix(TWO.matrix, classes=["yes", "no"], decisions=["yes", "no"])
    assert br.difference(named, *words[1:], y_true=words[0], **how).low == found.low


def test_utilities_of_joint_cells():
    found = br.difference(TWO, paired=paired_counts(Y, A, B))
    assert found.low == br.difference(TWO, A, B, y_true=Y).low


@pytest.mark.parametrize("method", [None, "exact"])
def test_scores(method):
    how = {"y_true": Y, "method": method}
    for metric, compare in {
        "brier_score": compare_brier, "log_loss": compare_log_loss, "roc_auc": br.compare_auc,
    }.items():  # fmt: skip
        if metric == "roc_auc" and method == "exact":
            continue  # 2^120 swaps take longer than a second
        known, found = (
            compare(Y, RISK_A, RISK_B, method=method),
            br.difference(metric, RISK_A, RISK_B, **how),
        )
        assert found.p_value == known.p_value
        lower = 1 - known.p_value / 2 if known.difference < 0 else known.p_value / 2
        if method is None:
            same(found, known, better=1 - lower if metric == "roc_auc" else lower)
        else:
            assert isnan(found.p_better)
            assert isnan(found.low)


def test_scores_of_separate_samples():
    one, other = (Y[:60], RISK_A[:60]), (Y[60:], RISK_B[60:])
    found = br.difference("roc_auc", one, other, method="delong")
    known = br.compare_auc(*one, other[1], y_true_b=other[0], method="delong")
    assert (found.low, found.high, found.p_value) == (known.low, known.high, known.p_value)
    heavy = br.difference("brier_score", (*one, WEIGHT[:60]), (*other, WEIGHT[60:]))
    known = compare_brier(
        *one, other[1], y_true_b=other[0], sample_weight=WEIGHT[:60], sample_weight_b=WEIGHT[60:]
    )
    assert (heavy.low, heavy.route) == (known.low, "asymptotic")


def test_losses_of_clusters_are_those_of_compare():
    found = br.difference("brier_score", RISK_A, RISK_B, y_true=Y, cluster=CLUSTER)
    facts = br.compare(Y, score={"a": RISK_A, "b": RISK_B}, cluster=CLUSTER).facts
    [known] = [pair for pair in facts.score_pairs if pair.measure == "brier_score"]
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert (found.p_value, found.n_clusters) == (known.p_value, 14)


@pytest.mark.parametrize(("metric", "y", "a", "b"), [("f1", Y, A, B), ("macro_f1", Y3, A3, B3)])
def test_replicates_that_leave_out_clusters_are_the_jackknife(metric, y, a, b):
    clusters = np.unique(CLUSTER)
    left = np.where(CLUSTER[:, None] == clusters, 0.0, 1.0)
    by_replicate = br.difference(
        metric, a, b, y_true=y, sample_weight=np.ones(N), replicate_weights=left, replicate_scale=1
    )
    of, table = br.metrics.get(metric), br.confusion_matrix if metric == "f1" else br.class_table
    apart = ([of(table(y[w > 0], x[w > 0])) for x in (a, b)] for w in left.T)
    values = [float(one - other) for one, other in apart]
    error = np.sqrt(np.sum((np.array(values) - by_replicate.value) ** 2))
    far = stats.t.ppf(0.975, len(clusters) - 1) * error
    assert by_replicate.high == pytest.approx(by_replicate.value + far, abs=1e-9)
    assert by_replicate.n_clusters is None


def test_swaps_of_cases_are_mcnemars():
    found = br.difference("accuracy", A, B, y_true=Y, method="exact")
    alone = int(((A == Y) & (B != Y)).sum()), int(((B == Y) & (A != Y)).sum())
    assert found.p_value == pytest.approx(mcnemar_test(*alone).p_value, abs=1e-12)
    assert (found.p_value_route, found.route) == ("mid-p", None)
    # Of three classes the conditional exact test: both tails of Binomial(n, 1/2).
    alone = int(((A3 == Y3) & (B3 != Y3)).sum()), int(((B3 == Y3) & (A3 != Y3)).sum())
    found = br.difference("accuracy", A3, B3, y_true=Y3, method="exact")
    assert found.p_value == pytest.approx(stats.binomtest(alone[0], sum(alone)).pvalue, abs=1e-12)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("metric", ["accuracy", "f1", "informedness"])
@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_ends_at_zero_at_the_level_that_p_leaves(metric, paired):
    tables = [br.confusion_matrix(Y, x) for x in (A, B)]
    sides, how = ((A, B), {"y_true": Y}) if paired else (tables, {})
    found = br.difference(metric, *sides, **how)
    at = br.difference(metric, *sides, confidence_level=1 - found.p_value, **how)
    end = at.low if found.value > 0 else at.high
    assert end == pytest.approx(0, abs=3e-4)
    assert found.p_value == pytest.approx(2 * min(found.p_better, 1 - found.p_better), abs=2e-4)


def test_equal_classifiers_and_metrics_without_a_better_end():
    found = br.difference("accuracy", A, A, y_true=Y)
    assert (found.value, found.p_better, found.p_value) == (0, 0.5, 1)
    assert isnan(br.difference("predicted_positive_rate", A, B, y_true=Y).p_better)
    lower = br.difference("error_rate", A, B, y_true=Y)
    assert lower.p_better == pytest.approx(br.difference("accuracy", A, B, y_true=Y).p_better)


def test_where_there_is_no_value_there_is_a_reason():
    none = br.ConfusionMatrix(tp=0, fn=0, fp=3, tn=9)
    found = br.difference("recall", none, br.ConfusionMatrix(tp=3, fn=1, fp=3, tn=9))
    assert isnan(found.value)
    assert isnan(found.p_value)
    assert "no positives" in found.reason
    assert found.route is None


TABLE = br.ConfusionMatrix(tp=5, fn=5, fp=5, tn=5)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: br.difference("f1", TABLE, A), InvalidArgumentError, "b must be a table"),
        (lambda: br.difference("f1", A, B), InvalidArgumentError, "pass y_true as well"),
        (lambda: br.difference("f1", TABLE, TABLE, cluster=A), InvalidArgumentError, "cluster is"),
        (
            lambda: br.difference("f1", TABLE, TABLE, paired=[1, 0, 0, 0]),
            InvalidCountError,
            "must then differ by",
        ),
        (lambda: br.difference("f1", paired=[1, 0]), InvalidCountError, "four counts, or have"),
        (
            lambda: br.difference("f1", A, B, y_true=Y, method="delong"),
            InvalidArgumentError,
            "method is for scores",
        ),
        (
            lambda: br.difference("f1", TABLE, TABLE, method="exact"),
            InvalidArgumentError,
            "on the same cases",
        ),
        (
            lambda: br.difference("f1", A, B, y_true=Y, sample_weight=WEIGHT, method="exact"),
            UnsupportedError,
            "not exchangeable",
        ),
        (lambda: br.difference("roc_auc", RISK_A, RISK_B), InvalidArgumentError, r"\(truth, score"),
        (
            lambda: br.difference("f1", A, B, y_true=Y, replicate_weights=np.ones((N, 3))),
            InvalidArgumentError,
            "sample_weight",
        ),
        (
            lambda: br.difference("f1", "a", "z", y_true=read_arrays(Y, {"a": A, "b": B})),
            InvalidArgumentError,
            "b must name a column",
        ),
        (lambda: br.difference("f1", [1, 2], [1, 3], folds=5), InvalidArgumentError, "two numbers"),
        (lambda: br.difference("f1", [1, 2], [1, 3], folds=(0, 1)), InvalidArgumentError, "folds"),
    ],
)
def test_what_does_not_belong_together_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(("metric", "part"), [("informedness", 1), ("balanced_accuracy", 0.5)])
def test_a_class_in_which_nobody_alone_is_right_is_answered(metric, part):
    """The density of that class has no bound at 0, which no rule of nodes integrates."""
    found = br.difference(metric, paired=[[[201, 34], [0, 25]], [[0, 13], [20, 45]]])
    assert found.route == "quasi-monte-carlo"
    assert 0 < found.error < 0.002
    rng = np.random.default_rng(0)
    sides = rng.dirichlet([0.5, 0.5, 221], 400_000), rng.dirichlet([13.5, 25.5, 79], 400_000)
    gap = part * sum(side[:, 0] - side[:, 1] for side in sides)
    assert found.p_better == pytest.approx((gap > 0).mean(), abs=2e-3)
    ends = np.quantile(gap, [0.025, 0.975])
    assert [found.low, found.high] == pytest.approx(ends.tolist(), abs=2e-3)


@pytest.mark.parametrize("metric", ["recall", "accuracy", "f1", "mcc"])
def test_an_interval_holds_its_value_where_all_is_right_or_wrong(metric):
    right = br.ConfusionMatrix(tp=5, fn=0, fp=0, tn=5)
    wrong = br.ConfusionMatrix(tp=0, fn=5, fp=5, tn=0)
    for a, b in ((right, wrong), (wrong, right)):
        found = br.difference(metric, a, b)
        assert found.low <= found.value <= found.high
        assert (found.low > 0) == (a is right)


def test_one_weighted_case_has_no_interval_and_says_why():
    found = br.difference("accuracy", [1], [0], y_true=[1], sample_weight=[2.0])
    assert found.value == 1
    assert isnan(found.low)
    assert found.reason


@pytest.mark.parametrize("sampled", ["weight", "cluster"])
def test_separate_samples_with_weights_or_clusters_by_the_delta_method(sampled):
    """Accuracies of 6,000 and 4,000 cases, two in a cluster: the error by hand."""
    rng, sides, worth, variance = np.random.default_rng(6), [], [], 0.0
    for n, easy in ((6000, 0.8), (4000, 0.79)):
        truth, twice = rng.random(n) < 0.4, np.repeat(rng.random(n // 2), 2)
        right = (twice < 0.5) | (rng.random(n) < 2 * easy - 1)
        weight = rng.choice([1.0, 4.0], n) if sampled == "weight" else np.ones(n)
        beside = {"sample_weight": weight} if sampled == "weight" else {}
        beside |= {"cluster": np.arange(n) // 2} if sampled == "cluster" else {}
        sides.append(br.count_labels(truth, truth == right, **beside))
        worth.append(weight @ right / weight.sum())
        moves = weight * (right - worth[-1]) / weight.sum()
        units = moves.reshape(-1, 2).sum(axis=1) if sampled == "cluster" else moves
        variance += (units**2).sum()
    found, apart, error = br.difference("accuracy", *sides), worth[0] - worth[1], np.sqrt(variance)
    assert found.value == pytest.approx(apart, abs=1e-12)
    assert found.low == pytest.approx(apart - 1.96 * error, abs=0.05 * error)
    assert found.high == pytest.approx(apart + 1.96 * error, abs=0.05 * error)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(apart) / error), rel=0.15)
    assert found.p_better == pytest.approx(1 - found.p_value / 2)
    worth_two = br.difference(br.UtilityMatrix([[2, -1], [-1, 2]]), *sides)
    assert worth_two.value == pytest.approx(3 * apart)
    assert (worth_two.low, worth_two.high) == pytest.approx(
        (3 * found.low, 3 * found.high), rel=0.02
    )


def test_what_is_simulated_of_separate_samples_is_no_surer_than_its_draws():
    """27 of 30 and 15 of 30 right of each weight: Wald's p is 1e-7, of 4,096 draws none is less."""
    truth, weight = np.arange(60) % 3, np.repeat([1.0, 2.0], 30)
    sides = [
        read_arrays(truth, {"x": np.where(np.arange(60) % 30 < right, truth, (truth + 1) % 3)},
                    sample_weight=weight).classes((0, 1, 2)).counted("x")
        for right in (27, 15)
    ]  # fmt: skip
    for pair in (sides, sides[::-1]):
        share, mean = (br.difference(metric, *pair) for metric in ("accuracy", "macro_f1"))
        assert 1e-8 < share.p_value < 1e-4
        assert mean.p_value == pytest.approx(2 / 4096)


def test_a_separate_sample_within_one_cluster_says_why_nothing_is_known():
    one = br.count_labels([1, 0, 1, 0], [1, 0, 0, 0], cluster=list("aaaa"))
    other = br.count_labels([1, 0, 1, 0], [1, 1, 0, 0], cluster=list("abcd"))
    found = br.difference("recall", one, other)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert found.reason == "all cases lie in one cluster"


def test_a_few_clusters_that_may_be_wrong_leave_a_p_value_of_one():
    """5 of 6 beside 50 of 63 in three clusters each: half a cluster more turns the difference."""
    sides = [
        br.count_labels([1] * n, [1] * k + [0] * (n - k), pos_label=1, cluster=[0, 1, 2] * (n // 3))
        for k, n in ((5, 6), (50, 63))
    ]
    found = br.difference("recall", *sides)
    assert found.low < 0 < found.value < found.high
    assert found.p_value == 1.0

"""Metrics of several classes: their names, their reasons, and what large or odd tables do."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from baserate import ClassTable, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import average, class_metric, class_utility, define, weighted_kappa
from baserate.metrics.class_catalogue import CLASS_FAMILIES, is_of_classes
from oracles import class_twins

TABLE = ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["ant", "bee", "cat"])


def double_recall(tp, fn, fp, tn):
    return 2 * tp / (tp + fn)


OWN = define("double_recall", double_recall, bounds=(0, 2))
MADE = [
    *metrics.CLASS_CATALOGUE,
    weighted_kappa("linear"),
    weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]]),
    class_utility(np.diag([1, 2.5, 3])),
    average(OWN, "weighted"),
    average("f_beta(beta=3)", undefined="omit"),
]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("MCC", "matthews_correlation"),
        ("macro-recall", "balanced_accuracy"),
        ("weighted recall", "accuracy"),
        ("micro_f1", "accuracy"),
        ("Macro_F1", "macro_f1"),
        ("macro_f_beta(beta=3)", "macro_f_beta(beta=3)"),
        ("macro_F_beta(3)", "macro_f_beta(beta=3)"),
        ("macro_f1.at_base_rate(0.5)", "macro_f1.at_base_rate(0.5)"),
        ("weighted_precision.defined", "weighted_precision.defined"),
        ("micro_jaccard.defined", "micro_jaccard"),  # one table, no classes to leave out
        ("macro_utility([[1, -20], [0, 0]])", "macro_utility([[1, -20], [0, 0]])"),
        ("weighted_accuracy", "weighted_accuracy"),
        ("macro_weighted_accuracy(weight=0.7)", "macro_weighted_accuracy(weight=0.7)"),
        ("weighted_kappa(quadratic)", "weighted_kappa(quadratic)"),
        ("Weighted_Kappa(weights='Linear')", "weighted_kappa(linear)"),
        ("quadratic_kappa", "weighted_kappa(quadratic)"),
        ("weighted_cohen_kappa", "weighted_cohen_kappa"),
        ("utility([[1, 0, 0], [0, 1, 0], [-5, 0, 1]])",) * 2,
    ],
)
def test_names(written, name):
    found = class_metric(written)
    assert found.name == name
    assert class_metric(found.name) == class_metric(found) == found


@pytest.mark.parametrize(
    ("written", "error", "words"),
    [
        ("recall", UnknownNameError, 'for example "macro_recall"'),
        ("weighted_accuracy(weight=0.7)", UnknownNameError, "macro_weighted_accuracy"),
        ("macro_precison", UnknownNameError, "Did you mean 'precision'"),
        ("accuracie", UnknownNameError, "Did you mean 'accuracy'"),
        ("balanced_F1", UnknownNameError, r"it is 'f1\.at_base_rate\(0\.5\)'\.$"),
        ("Balanced MCC", UnknownNameError, r"'matthews_correlation\.at_base_rate\(0\.5\)'\.$"),
        ("balanced_f_beta(beta=3)", UnknownNameError, r"'f_beta\(beta=3\)\.at_base_rate\(0\.5"),
        ("balanced_tpr", UnknownNameError, "no base rate changes recall, so write 'recall'"),
        ("balanced_acuracy", UnknownNameError, "Did you mean 'balanced_accuracy'"),
        ("weighted_kappa", InvalidArgumentError, r"weighted_kappa\(quadratic\)"),
        ("weighted_kappa(cubic)", InvalidArgumentError, '"linear", "quadratic"'),
        ("utility([[1, 0], [0, 1]])", InvalidArgumentError, "for two classes use"),
        ("utility([[1, 0, 0], [0, 1]])", InvalidArgumentError, "square array"),
        ("weighted_kappa([[1, 0], [0, 1]])", InvalidArgumentError, "0 for agreement"),
        ("weighted_kappa([[0, 0], [0, 0]])", InvalidArgumentError, "0 for agreement"),
        ("weighted_kappa([[0]])", InvalidArgumentError, "square array"),
    ],
)
def test_names_that_are_refused(written, error, words):
    with pytest.raises(error, match=words):
        class_metric(written)


NAMED = [*metrics.CLASS_CATALOGUE, *map(metrics.weighted_kappa, ("linear", "quadratic"))]
FAMILIES = [
    metrics.class_utility(np.eye(3)),
    metrics.weighted_kappa(1 - np.eye(2)),
    metrics.weighted_kappa(1 - np.eye(3)),
]


def is_of_two(name):
    try:
        return bool(metrics.binary_metric(name))
    except (UnknownNameError, InvalidArgumentError):
        return False


def test_which_names_are_of_several_classes_only():
    names = [name for m in (*NAMED, *FAMILIES) for name in (m.name, *m.synonyms)]
    assert {*CLASS_FAMILIES} == {m.name.partition("(")[0] for m in FAMILIES}
    for name in (*names, "Weighted-Jaccard", "macro_f1.defined", "Linear-Weighted-Kappa"):
        assert is_of_classes(name) != is_of_two(name), name
        assert isinstance(metrics.get(name), metrics.Metric) == is_of_two(name)
    for name in ("utility", "weighted_accuracy(weight=0.7)", "utility([[1, 0], [0]])", metrics.f1):
        assert not is_of_classes(name)
    assert is_of_classes(metrics.class_metric("accuracy"))


@pytest.mark.parametrize(
    "name", ["macro_f1", "weighted_mcc.defined", "r_k", "micro_tpr", "quadratic_weighted_kappa"]
)
def test_a_metric_of_several_classes_is_known_as_one(name):
    assert isinstance(metrics.get(name), metrics.ClassMetric)
    with pytest.raises(UnknownNameError, match="is a metric of several classes, and this takes"):
        metrics.binary_metric(name)
    with pytest.raises(UnknownNameError, match="is a metric of several classes, and this takes"):
        metrics.binary_metric(metrics.get(name))


def test_ordered_classes_must_stand_in_order():
    """By alphabet "grade 10" stands between "grade 1" and "grade 2", and kappa counts steps."""
    counts = np.diag([5, 6, 7]) + 1
    kappa = metrics.get("quadratic_kappa")
    by_alphabet = ClassTable(counts, ["grade 1", "grade 10", "grade 2"])
    with pytest.raises(InvalidArgumentError, match="classes in order"):
        kappa(by_alphabet)
    in_order = by_alphabet.reorder(["grade 1", "grade 2", "grade 10"])
    swapped = counts[np.ix_([0, 2, 1], [0, 2, 1])]
    assert kappa(in_order) == kappa(ClassTable(swapped, [1, 2, 10]))
    assert kappa(ClassTable(counts, ["high", "low", "mid"])) == kappa(ClassTable(counts))
    assert metrics.get("macro_f1")(by_alphabet) > 0


def test_an_average_of_nothing_is_unknown():
    with pytest.raises(UnknownNameError, match="macro_nothing"):
        metrics.binary_metric("macro_nothing")


def test_every_metric_and_family_is_an_attribute():
    names = {*metrics.FAMILIES, *(metric.name for metric in metrics.CATALOGUE)}
    assert names - {*metrics.__all__} == set()


def test_a_metric_of_four_counts_that_has_a_form_for_several_classes_answers():
    assert metrics.accuracy(TABLE) == 0.8
    for name in ("accuracy", "error_rate", "balanced_accuracy", "mcc", "kappa"):
        assert metrics.get(name)(TABLE) == class_metric(name)(TABLE)
    with pytest.raises(UnknownNameError, match='"macro_recall", or ask it of one class'):
        metrics.recall(TABLE)
    with pytest.raises(UnknownNameError, match=r"metrics.average\(macro_thing\)"):
        define("macro_thing", double_recall)(TABLE)
    with pytest.raises(InvalidArgumentError, match="table must be a ClassTable"):
        class_metric("accuracy")([[1, 0], [0, 1]])


def test_a_chance_is_promised_only_where_class_totals_decide_what_has_a_value():
    j = metrics.informedness
    assert average(j).chance == average(j, "weighted").chance == 0
    assert average(j, "micro").chance is None
    assert average(replace(j, undefined_also=lambda tp, fn, fp, tn: tp == fp)).chance is None
    assert average(replace(j, undefined_if_zero=("tp+tn",))).chance is None


def test_own_metrics_are_averaged():
    assert average(OWN)(TABLE) == pytest.approx(2 * class_metric("balanced_accuracy")(TABLE))
    assert average(OWN) != average(define("double_recall", lambda tp, fn, fp, tn: tp))


@pytest.mark.parametrize("metric", MADE, ids=lambda m: m.name)
def test_metrics_travel(metric):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(metric, protocol))  # noqa: S301
        assert (twin, hash(twin), twin(TABLE)) == (metric, hash(metric), metric(TABLE))
    assert replace(metric, best=0.3) != metric


@pytest.mark.parametrize("metric", MADE, ids=lambda m: m.name)
def test_a_batch_is_its_tables_one_by_one(metric):
    rng = np.random.default_rng(3)
    batch = ClassTable(rng.integers(0, 3, (4, 5, 3, 3)))
    found = metric(batch)
    for i, j in np.ndindex(4, 5):
        assert np.array_equal(found[i, j], metric(batch[i, j]), equal_nan=True)


@pytest.mark.parametrize("metric", MADE, ids=lambda m: m.name)
def test_huge_and_tiny_weights(metric):
    for factor in (1e-300, 1e-160, 1e160, 1e306):
        table = ClassTable(TABLE.counts * factor, TABLE.labels)
        assert metric(table) == pytest.approx(metric(TABLE), rel=1e-12)


UNLIKE = (
    ("error_rate", "matthews_correlation", "cohen_kappa", "weighted_kappa(linear)"),
    [(p, k) for p in ("specificity", "npv", "precision", "mcc") for k in ("macro", "weighted")],
)


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize("whole", [True, False])
def test_weights_of_any_size_and_counts_beyond_the_floats_keep_their_digits(size, whole):
    """Against exact fractions: no small part of the table is lost in a difference of large ones."""
    pairs = [(class_metric(name), class_twins.CLASS_TWINS[name]) for name in UNLIKE[0]]
    pairs += [(average(p, k), class_twins.average(average(p).part.name, k)) for p, k in UNLIKE[1]]
    rng = np.random.default_rng(size)
    for _ in range(40):
        cells = 10 ** rng.uniform(0, 17, (size, size)) if whole else rng.random((size, size))
        cells *= rng.random((size, size)) < 0.7
        cells = cells.astype(int) if whole else cells * 10 ** rng.uniform(-12, 12, cells.shape)
        exact = tuple(tuple(map(Fraction, row)) for row in cells.tolist())
        for metric, twin in pairs:
            wanted = class_twins.value(twin, exact)
            wanted = np.nan if wanted is None else wanted
            off = 0 if metric.name == "error_rate" else 1e-12  # correlations may be near zero
            assert metric(ClassTable(cells)) == pytest.approx(
                wanted, rel=1e-12, abs=off, nan_ok=True
            )


@pytest.mark.parametrize("name", ["mcc", "kappa", "quadratic_kappa", "macro_mcc"])
def test_independent_tables_have_exactly_zero(name):
    rng = np.random.default_rng(1)
    for size in (10, 10**3, *[10**7] * 20):
        table = ClassTable(np.multiply.outer(*rng.integers(1, size, (2, 4))))
        assert class_metric(name)(table) == 0.0


@pytest.mark.parametrize("name", ["mcc", "kappa", "linear_kappa"])
def test_a_table_without_errors_has_exactly_one(name):
    rng = np.random.default_rng(2)
    for _ in range(100):
        assert class_metric(name)(ClassTable(np.diag(rng.random(5)))) == 1.0


def test_rounded_weights_do_not_hide_that_a_class_is_not_predicted():
    cells = np.zeros((3, 3))
    cells[:, 0] = 0.1, 0.2, 0.7
    table = ClassTable(cells)
    assert np.isnan(class_metric("macro_npv")(table))
    assert table.one_vs_rest().tn.tolist()[0] == 0.0
    assert np.isnan(class_metric("mcc")(table))
    rng = np.random.default_rng(4)
    for _ in range(200):
        cells[:, 0] = rng.random(3)
        one = ClassTable(cells).one_vs_rest(0)
        assert (one.fn, one.tn) == (0.0, 0.0)


def test_reasons_name_the_classes():
    table = ClassTable([[3, 1, 0], [2, 4, 0], [0, 0, 0]], ["ant", "bee", "cat"])
    reason = {
        name: class_metric(name).undefined_reason(table)
        for name in ("macro_f1", "macro_precision", "balanced_accuracy", "mcc", "weighted_f1")
    }
    assert reason["balanced_accuracy"] == ("recall is undefined: no positives (tp + fn = 0) in cat")
    assert reason["macro_precision"].endswith("nothing predicted positive (tp + fp = 0) in cat")
    assert reason["macro_f1"].endswith("neither true nor predicted (tp + fn + fp = 0) in cat")
    assert reason["mcc"] is reason["weighted_f1"] is None
    assert class_metric("macro_precision.defined")(table) == pytest.approx((3 / 5 + 4 / 5) / 2)
    one = ClassTable([[3, 1, 0], [0, 0, 0], [0, 0, 0]], ["ant", "bee", "cat"])
    assert class_metric("mcc").undefined_reason(one) == "only class ant is true"
    one = ClassTable([[3, 0], [0, 0]], ["ant", "bee"])
    both = "only class ant is true and only class ant is predicted"
    assert class_metric("kappa").undefined_reason(one) == both
    micro = class_metric("micro_lift").undefined_reason(ClassTable(np.zeros((3, 3))))
    assert micro == "no cases"
    many = ClassTable(np.diag([1] + [0] * 9))
    assert (
        class_metric("balanced_accuracy")
        .undefined_reason(many)
        .endswith("1, 2, 3, 4, 5 and 4 more")
    )


def test_a_reason_names_no_class_that_has_no_weight_and_five_at_most():
    table = ClassTable([[3, 0, 0], [2, 0, 0], [0, 0, 0]], ["ant", "bee", "cat"])
    reason = class_metric("weighted_precision").undefined_reason(table)
    assert reason.endswith("nothing predicted positive (tp + fp = 0) in bee")
    six = class_metric("balanced_accuracy").undefined_reason(ClassTable(np.diag([1] + [0] * 6)))
    assert six.endswith("1, 2, 3, 4, 5 and 1 more")
    micro = class_metric("micro_diagnostic_odds_ratio").undefined_reason(ClassTable(np.eye(3)))
    assert micro.endswith(", over all classes")


@pytest.mark.parametrize("name", ["mcc", "macro_f1", "quadratic_kappa"])
def test_tables_of_a_batch_may_be_of_any_size(name):
    both = ClassTable(np.stack([TABLE.counts * 1e-200, TABLE.counts * 1e200]))
    assert class_metric(name)(both) == pytest.approx([class_metric(name)(TABLE)] * 2, rel=1e-12)


def test_weighted_kappa_is_that_of_another_package_and_of_cohen():
    rng = np.random.default_rng(5)
    for _ in range(20):
        counts = rng.integers(0, 9, (4, 4))
        bad = rng.random((4, 4)) * (1 - np.eye(4))
        expected = cohens_kappa(counts, weights=bad, return_results=False)
        assert weighted_kappa(bad)(ClassTable(counts)) == pytest.approx(expected, rel=1e-12)
    cohen = ClassTable(np.array([[0.44, 0.07, 0.09], [0.05, 0.20, 0.05], [0.01, 0.03, 0.06]]))
    assert round(class_metric("kappa")(cohen), 3) == 0.492  # Cohen (1968)
    assert round(weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]])(cohen), 3) == 0.348
    assert round(weighted_kappa([[0, 1, 4], [1, 0, 6], [2, 2, 0]])(cohen), 3) == 0.353


def test_own_weights_have_no_lower_bound_and_no_form_for_two_classes():
    one_way = weighted_kappa([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    assert one_way(ClassTable([[0, 1, 0], [0, 0, 0], [0, 0, 9]])) == 1 - 10 * 1 / (1 * 1)
    assert one_way.bounds == (-np.inf, 1.0)
    two = ClassTable([[5, 1], [2, 7]])
    uneven = 1 - 15 * (1 * 1 + 5 * 2) / (1 * 6 * 8 + 5 * 9 * 7)
    assert weighted_kappa([[0, 1], [5, 0]])(two) == pytest.approx(uneven, rel=1e-14)


def test_utilities_have_decisions_in_rows():
    urgent_sent_home = class_utility([[0, 0, 0], [0, 0, 0], [-5, 0, 0]])
    home_kept = class_utility([[0, 0, -5], [0, 0, 0], [0, 0, 0]])
    table = ClassTable([[5, 1, 2], [0, 7, 1], [0, 0, 4]])
    assert (urgent_sent_home(table), home_kept(table)) == (-0.5, 0.0)
    assert urgent_sent_home.direction == "higher"
    assert urgent_sent_home.bounds == (-5.0, 0.0)
    assert class_utility([[0, 1, 0], [0, 0, 0], [0, 0, 0]]).direction == "neither"
    assert class_utility([[5, 0, 0], [4, 1, 0], [0, 0, 1]]).direction == "higher"
    with pytest.raises(InvalidArgumentError, match=r"as many rows as .* \(4\), got 3"):
        urgent_sent_home(ClassTable(np.eye(4)))


def test_averages_of_counts_are_not_scaled():
    table = ClassTable(TABLE.counts * 1e200)
    assert class_metric("weighted_tp")(table) == pytest.approx(
        1e200 * class_metric("weighted_tp")(TABLE)
    )

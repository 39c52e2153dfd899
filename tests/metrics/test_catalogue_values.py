"""Every metric has the value of its exact twin on every table with at most 12 cases."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import robust_f_for
from baserate.metrics._laws import all_tables
from oracles import metric_twins

NAMES = list(metric_twins.TWINS)
TABLE = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)


def test_twins_cover_the_catalogue():
    assert {m.name for m in metrics.CATALOGUE} <= set(NAMES)
    assert {metrics.get(n).name for n in NAMES} == set(NAMES)


@pytest.mark.sweep(8, start=3)
@pytest.mark.parametrize("name", NAMES)
def test_values_equal_exact_fractions(name):
    tables = all_tables(12)
    value = metrics.get(name)(tables)
    for i, cells in enumerate(zip(*(c.tolist() for c in tables), strict=True)):
        exact = metric_twins.value(name, *cells)
        if exact is None:
            assert math.isnan(value[i]), cells
        else:
            assert value[i] == pytest.approx(exact, rel=1e-12, abs=1e-12), cells


@pytest.mark.sweep(110, start=59)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pi", [0.5, 0.125])
def test_restated_values_equal_exact_fractions(name, pi):
    metric, tables = metrics.get(name), all_tables(7)
    value = metric.at_base_rate(pi)(tables)
    for i, cells in enumerate(zip(*(c.tolist() for c in tables), strict=True)):
        exact = metric_twins.at_base_rate(name, pi, *cells)
        both = (cells[0] + cells[1]) * (cells[2] + cells[3]) > 0
        if exact is not None:
            assert value[i] == pytest.approx(exact, rel=1e-12, abs=1e-12), cells
        elif both or metric.depends_on_base_rate:
            assert math.isnan(value[i]), cells


SKLEARN = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "recall": sk.recall_score,
    "precision": sk.precision_score,
    "f1": sk.f1_score,
    "f2": lambda y, p: sk.fbeta_score(y, p, beta=2),
    "f05": lambda y, p: sk.fbeta_score(y, p, beta=0.5),
    "negative_f1": lambda y, p: sk.f1_score(y, p, pos_label=0),
    "jaccard": sk.jaccard_score,
    "matthews_correlation": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
    "error_rate": sk.zero_one_loss,
    "positive_likelihood_ratio": lambda y, p: sk.class_likelihood_ratios(y, p)[0],
    "negative_likelihood_ratio": lambda y, p: sk.class_likelihood_ratios(y, p)[1],
}


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("cells", [(35, 5, 10, 50), (3, 4, 2, 9), (120, 7, 90, 4000)])
def test_parity_with_scikit_learn(name, cells):
    y = np.repeat([1, 1, 0, 0], cells)
    p = np.repeat([1, 0, 1, 0], cells)
    tp, fn, fp, tn = cells
    ours = metrics.get(name)(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn))
    assert ours == pytest.approx(SKLEARN[name](y, p), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_products_of_margins_at_large_counts(name):
    """Ten to the twelve times a table has its value, for every scale-invariant metric."""
    metric, big = metrics.get(name), 10**12
    table = ConfusionMatrix(**{k: v * big for k, v in TABLE.to_dict().items()})
    arrays = ConfusionMatrix(tp=np.array([35 * big]), fn=5 * big, fp=10 * big, tn=50 * big)
    scale = 1 if metric.scale_invariant else big
    assert metric(table) == pytest.approx(
        metric_twins.value(name, 35, 5, 10, 50) * scale, rel=1e-12
    )
    assert metric(arrays)[0] == metric(table)


def test_determinants_are_zero_only_where_they_are():
    """(n + 1)(n - 1) - n n = -1 for every n; plain floats lose it from 10^8 on."""
    for n in (10**8, 10**9, 10**12, 2**52):
        table = ConfusionMatrix(tp=n + 1, fn=n, fp=n, tn=n - 1)
        assert metrics.prevalence_threshold_strict(table) == pytest.approx(0.5)
        exact = metric_twins.value("cohen_kappa", n + 1, n, n, n - 1)
        assert metrics.cohen_kappa(table) == pytest.approx(exact, rel=1e-12)
        singular = ConfusionMatrix(tp=n, fn=n, fp=n, tn=n)
        assert math.isnan(metrics.prevalence_threshold_strict(singular))


def test_restating_twice_changes_nothing():
    once = metrics.f1.at_base_rate(0.5)
    assert once.at_base_rate(0.3) is once
    assert metrics.accuracy.at_base_rate(0.5).chance == 0.5
    assert metrics.accuracy.at_base_rate(0.5).chance_shape == "constant"


@pytest.mark.parametrize("name", ["robust_f", "f_beta", "Weighted Accuracy", "utility"])
def test_families_need_their_parameters(name):
    with pytest.raises(InvalidArgumentError, match=r"needs its parameters, .* write for example"):
        metrics.get(name)


def test_the_least_that_a_robust_f_can_do_is_no_rounding_error_below_zero():
    pi, d1 = 0.806919381895185, 2
    found = robust_f_for(base_rate=pi, as_if=d1 * pi / (1 - pi + d1 * pi), d1=d1)
    assert found.parameters["d0"] == 0


def test_a_share_of_alarms_moves_one_way_with_them_at_any_base_rate():
    """Precision is one, as npv is of those passed; f1 is a share of neither."""
    for name, shape in [("precision", "monotone"), ("npv", "monotone"), ("f1", "unknown")]:
        assert metrics.get(name).at_base_rate(0.3).chance_shape == shape


def test_small_tables_are_all_there():
    assert len(all_tables(3).tp) == 1 + 4 + 10 + 20
    assert int(all_tables(3).n.max()) == 3


def test_chi_squared_of_cells_that_broadcast():
    fn, tn = np.array([[20.0], [5.0]]), np.array([90.0, 30.0, 60.0])
    found = metrics.chi_squared.formula(80.0, fn, 10.0, tn)
    margins = (80 + fn) * (10 + tn) * 90 * (fn + tn)
    expected = (90 + fn + tn) * (80 * tn - fn * 10) ** 2 / margins
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("written", "name"),
    {
        "inaccuracy": "error_rate", "inacc": "error_rate", "prev": "base_rate",
        "nprev": "negative_base_rate", "MRK": "markedness", "PF1": "f1", "NF1": "negative_f1",
        "JAC": "jaccard", "Youden's J": "informedness", "Yule phi": "matthews_correlation",
        "Matthews correlation coefficient": "matthews_correlation",
    }.items(),
)  # fmt: skip
def test_the_papers_own_abbreviations_are_understood(written, name):
    assert metrics.get(written).name == name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("OFI", "compares two groups.*pair_interval"), ("te", "compares two groups"),
        ("PRECISON", "Did you mean 'precision'"),
    ],
)  # fmt: skip
def test_what_is_no_metric_of_one_table_says_what_it_is(written, said):
    with pytest.raises(UnknownNameError, match=said):
        metrics.get(written)


def test_names_of_other_fields_lead_to_a_metric_or_to_what_answers_them():
    """Against scikit-learn: F of any weight, the Hamming loss of one label, likelihood ratios."""
    y, p = np.repeat([1, 1, 0, 0], (35, 5, 10, 50)), np.repeat([1, 0, 1, 0], (35, 5, 10, 50))
    ratios = sk.class_likelihood_ratios(y, p)
    known = {
        "f3": sk.fbeta_score(y, p, beta=3),
        "F-0.7": sk.fbeta_score(y, p, beta=0.7),
        "fbeta_score(beta=3)": sk.fbeta_score(y, p, beta=3),
        "hamming_loss": sk.hamming_loss(y, p),
        "LR+": ratios[0],
        "lr-": ratios[1],
        "Youden index": sk.balanced_accuracy_score(y, p, adjusted=True),
    }
    for name, value in known.items():
        assert metrics.get(name)(TABLE) == pytest.approx(value, rel=1e-12)
    for name, said in {
        "Clopper-Pearson": "--interval exact", "bh": "groups.adjust", "PABAK": "ask 'accuracy'",
        "roc_auc_score": "is a measure of scores",
    }.items():  # fmt: skip
        with pytest.raises(UnknownNameError, match=said):
            metrics.binary_metric(name)

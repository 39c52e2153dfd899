"""Metrics of several classes beside scikit-learn and PyCM; where they say 0, we say why."""

import warnings

import numpy as np
import pytest
from pycm import ConfusionMatrix as PycmMatrix
from sklearn import datasets
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import baserate as br
from baserate.metrics import class_metric

AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f_beta(beta=3)": lambda *a, **k: sk.fbeta_score(*a, beta=3, **k),
    "jaccard": sk.jaccard_score,
}
WHOLE = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "linear_kappa": lambda *a, **k: sk.cohen_kappa_score(*a, weights="linear", **k),
    "quadratic_kappa": lambda *a, **k: sk.cohen_kappa_score(*a, weights="quadratic", **k),
}


def labels_of(counts):
    """Return truths and predictions of a table."""
    pairs = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    return tuple(map(list, zip(*pairs, strict=True)))


SMALL = {  # in the manner of scikit-learn's own tests: labels of any kind, one never predicted
    "numbers": ([0, 1, 2, 0, 1, 2, 2, 1], [0, 2, 1, 0, 0, 1, 2, 1]),
    "text": (
        ["cat", "ant", "cat", "cat", "ant", "bird"],
        ["ant", "ant", "cat", "cat", "ant", "cat"],
    ),
    "gaps": ([3, 1, 7, 7, 3, 1, 1, 9], [3, 7, 7, 9, 1, 1, 1, 9]),
    "fallen out": ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 0, 1]),
    # Inputs of scikit-learn's own tests of classification metrics.
    "noisy iris": labels_of([[19, 4, 1], [4, 3, 24], [0, 2, 18]]),
    "Artstein and Poesio": (  # table 4
        [0] * 46 + [1] * 44 + [2] * 10,
        [0] * 52 + [1] * 32 + [2] * 16,
    ),
    "weighting example": ([0] * 46 + [1] * 44 + [2] * 10, [0] * 50 + [1] * 40 + [2] * 10),
    "all wrong": ([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 1, 1]),
    "lowest correlation": ([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 0, 0]),
    "no correlation": ([0, 1, 2, 0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2, 0, 0, 0]),
    "one class lacking": (["a", "b", "c", "b"], ["a", "a", "a", "b"]),
}


def out_of_fold(name):
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    model = GaussianNB() if name == "digits" else LogisticRegression(C=0.01, max_iter=5000)
    return y, cross_val_predict(model, x, y, cv=3)


CASES = [*SMALL, "digits", "wine", "iris"]


@pytest.fixture(scope="module", params=CASES)
def labels(request):
    return SMALL[request.param] if request.param in SMALL else out_of_fold(request.param)


def theirs(score, labels, **how):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        value = score(*labels, **how)
    undefined = any("ill-defined" in str(w.message) for w in told)
    return value, undefined


@pytest.mark.sweep(210, start=129)
@pytest.mark.parametrize("part", AVERAGED)
@pytest.mark.parametrize("kind", ["macro", "micro", "weighted"])
def test_averages_are_those_of_scikit_learn(labels, part, kind):
    score, undefined = theirs(AVERAGED[part], labels, average=kind)
    metric, table = class_metric(f"{kind}_{part}"), br.class_table(*labels)
    if undefined:
        lacking = br.class_table(*labels).one_vs_rest()
        assert np.isnan(metric(table))
        assert "nothing predicted positive" in metric.undefined_reason(table)
        assert (lacking.n_predicted == 0).any()
    else:
        assert metric(table) == pytest.approx(score, rel=1e-13)


@pytest.mark.sweep(98, start=47)
@pytest.mark.parametrize("name", WHOLE)
def test_metrics_of_the_table_are_those_of_scikit_learn(labels, name):
    assert class_metric(name)(br.class_table(*labels)) == pytest.approx(
        WHOLE[name](*labels), rel=1e-13, abs=1e-15
    )


@pytest.mark.parametrize("name", [*WHOLE, "macro_f1", "weighted_f1"])
def test_with_weights(name):
    rng = np.random.default_rng(0)
    truth, predicted, weight = rng.integers(0, 4, 200), rng.integers(0, 4, 200), rng.random(200)
    score = WHOLE.get(name) or (lambda *a, **k: sk.f1_score(*a, average=name[:-3], **k))
    expected = score(truth, predicted, sample_weight=weight)
    table = br.class_table(truth, predicted, sample_weight=weight)
    assert class_metric(name)(table) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_values_that_scikit_learn_is_tested_for():
    table = {name: br.class_table(*SMALL[name]) for name in SMALL}
    assert class_metric("kappa")(table["Artstein and Poesio"]) == pytest.approx(0.8013, abs=5e-5)
    kappas = {"kappa": 0.9315, "linear_kappa": 0.9412, "quadratic_kappa": 0.9541}
    for name, wanted in kappas.items():
        assert class_metric(name)(table["weighting example"]) == pytest.approx(wanted, abs=5e-5)
    mcc = class_metric("mcc")
    assert mcc(table["all wrong"]) == pytest.approx(-0.5, rel=1e-14)
    assert mcc(table["lowest correlation"]) == pytest.approx(-12 / np.sqrt(24 * 16), rel=1e-14)
    assert mcc(table["no correlation"]) == 0.0


def test_a_class_that_is_predicted_and_never_true_is_not_dropped():
    truth, predicted = ["a", "a", "a", "b"], ["a", "b", "c", "b"]
    with pytest.warns(UserWarning, match="classes not in y_true"):
        assert sk.balanced_accuracy_score(truth, predicted) == pytest.approx(2 / 3)
    table = br.class_table(truth, predicted)
    metric = class_metric("balanced_accuracy")
    assert np.isnan(metric(table))
    assert metric.undefined_reason(table).endswith("no positives (tp + fn = 0) in c")
    assert class_metric("macro_recall.defined")(table) == pytest.approx(2 / 3)


def test_where_they_say_0_for_undefined_we_say_why():
    truth, predicted = [0, 0, 0], [0, 0, 0]
    table = br.class_table(truth, predicted, labels=[0, 1, 2])
    assert theirs(sk.matthews_corrcoef, (truth, predicted))[0] == 0
    assert np.isnan(class_metric("mcc")(table))
    assert class_metric("mcc").undefined_reason(table).startswith("only class 0 is true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zero = sk.f1_score(truth, predicted, labels=[0, 1, 2], average="macro")
    assert zero == pytest.approx(1 / 3)
    assert np.isnan(class_metric("macro_f1")(table))
    assert class_metric("macro_f1").undefined_reason(table).endswith("in 1, 2")
    assert class_metric("macro_f1.defined")(table) == 1.0


PYCM = {
    "accuracy": "Overall_ACC",
    "mcc": "Overall_MCC",
    "kappa": "Kappa",
    "macro_precision": "PPV_Macro",
    "balanced_accuracy": "TPR_Macro",
    "macro_specificity": "TNR_Macro",
    "macro_f1": "F1_Macro",
    "macro_false_positive_rate": "FPR_Macro",
    "macro_false_negative_rate": "FNR_Macro",
    "macro_accuracy": "ACC_Macro",
    "micro_specificity": "TNR_Micro",
    "micro_false_positive_rate": "FPR_Micro",
}


@pytest.mark.slow
def test_pycm_on_60_random_tables():
    rng = np.random.default_rng(0)
    for _ in range(60):
        k = int(rng.integers(2, 11))
        counts = rng.integers(0, 12, (k, k))
        pycm = PycmMatrix(matrix={i: dict(enumerate(row)) for i, row in enumerate(counts.tolist())})
        table = br.ClassTable(counts)
        for ours, attribute in PYCM.items():
            given, value = getattr(pycm, attribute), class_metric(ours)(table)
            if given == "None":
                assert np.isnan(value), (ours, counts)
            else:
                assert value == pytest.approx(given, rel=1e-12, abs=1e-12), (ours, counts)
        for part, given in (("f1", pycm.F1), ("mcc", pycm.MCC), ("jaccard", pycm.J)):
            if "None" not in given.values():
                weights = counts.sum(1) / counts.sum()
                expected = sum(w * given[i] for i, w in enumerate(weights))
                found = class_metric(f"weighted_{part}")(table)
                assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        quadratic = {i: {j: (i - j) ** 2 for j in range(k)} for i in range(k)}
        expected = pycm.weighted_kappa(weight=quadratic)
        found = class_metric("quadratic_kappa")(table)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)

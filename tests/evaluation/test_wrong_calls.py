"""Calls that a new user gets wrong: one exception each, which says what to write."""

import inspect
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate._calls import explained
from baserate.errors import BaserateError, MissingDependencyError, WrongCallError

TRUTH = np.array([0, 1] * 50)
CALL = np.where(np.arange(100) % 7 == 0, 1 - TRUTH, TRUTH)
SCORE = np.clip(0.6 * CALL + 0.2, 0, 1)
FRAME = pd.DataFrame({"y": TRUTH, "p": CALL, "s": SCORE, "site": ["a", "b"] * 50})
TABLE = br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
ARRAY = np.array([[50, 10], [5, 35]])
NAMED = {"target": "y", "prediction": "p"}
FOUND = br.evaluate(TRUTH, CALL)

# What Python alone would refuse: what the message says besides, and the call.
SIGNATURES = {
    "group": ("Write groups.", lambda: br.evaluate(FRAME, **NAMED, group="site")),
    "pos_label": ("Write positive.", lambda: br.evaluate(TRUTH, CALL, pos_label=1)),
    "positive": ("Write pos_label.", lambda: br.roc_auc(TRUTH, SCORE, positive=1)),
    "sample_weight": ("Write weight.", lambda: br.evaluate(TRUTH, CALL, sample_weight=TRUTH)),
    "sensitive_features": ("Write groups.", lambda: br.audit(TRUTH, CALL, sensitive_features=[])),
    "confidence": ("Write confidence_level.", lambda: br.interval("f1", TABLE, confidence=0.9)),
    "scores by name": ("Write score.", lambda: br.evaluate(TRUTH, y_score=SCORE)),
    "pred": ("Write prediction.", lambda: br.evaluate(FRAME, target="y", pred="p")),
    "labels": ("as target", lambda: br.evaluate(TRUTH, CALL, labels=[0, 1])),
    "labels by name": (
        "go by place, without a name: data, y_pred",
        lambda: br.evaluate(y_true=TRUTH, y_pred=CALL),
    ),
    "base rate of an interval": (
        "precision.at_base_rate",
        lambda: br.interval("ppv", TABLE, base_rate=0.03),
    ),
    "labels for a table": (
        "confusion_matrix(y_true, y_pred)",
        lambda: br.interval("recall", TRUTH, CALL),
    ),
    "a model first": ("only data and y_pred go by place", lambda: br.evaluate(1, TRUTH, CALL)),
    "two arrays": (
        "only data and predictions go by place",
        lambda: br.compare(TRUTH, CALL, CALL),
    ),
    "cells by place": ("such as tp=", lambda: br.ConfusionMatrix(35, 5, 10, 50)),
    "an array": ("such as tp=", lambda: br.ConfusionMatrix(ARRAY)),
    "one sentence": ("statement", lambda: br.probability("recall >= 0.8", TABLE)),
}
# What is refused by its value.
VALUES = {
    "scikit-learn's array": ('layout="tn fp / fn tp"', lambda: br.evaluate(ARRAY)),
    "the same in a list": ('layout="tn fp / fn tp"', lambda: br.evaluate(ARRAY.tolist())),
    "a dict of columns": (
        "got dict: pass pd.DataFrame(data)",
        lambda: br.evaluate({"y": TRUTH, "p": CALL}, target="y", prediction="p"),
    ),
    "of an interval": ('layout="tn fp / fn tp"', lambda: br.interval("recall", ARRAY)),
    "swapped": ("goes by its name", lambda: br.interval(TABLE, "recall")),
    "level": (
        "confidence_level must lie in (0, 1)",
        lambda: br.interval("f1", TABLE, confidence_level=95),
    ),
    "base rate": ("base_rate must lie in (0, 1)", lambda: br.evaluate(TRUTH, CALL, base_rate=3)),
    "a group by its column": ("0.8@group=f.", lambda: FOUND.check("recall >= 0.8@sex=f")),
    "a percentage": ("write 0.8", lambda: FOUND.check("recall >= 80")),
    "with its sign": ("write 0.8", lambda: FOUND.check("recall >= 80%")),
    "the sign turned": ("NAME >= NUMBER", lambda: FOUND.check("recall => 0.8")),
    "a misspelt promise": ("Did you mean 'recall'?", lambda: FOUND.check("recal >= 0.8")),
    "a misspelt number": ("Did you mean 'recall'?", lambda: FOUND["recal"]),
    "no such column": (
        "no column 'label'",
        lambda: br.evaluate(FRAME, target="label", prediction="p"),
    ),
    "other labels": ("must use the same labels", lambda: br.evaluate(["a", "b", "a"], [1, 0, 1])),
    "beyond one": ("y_score must lie in [0, 1]", lambda: br.calibration(TRUTH, 2 * SCORE)),
    "a cut in percent": (
        "write a percentage as a share, 0.3",
        lambda: br.evaluate(FRAME, target="y", score="s", threshold=30),
    ),
    "scores as labels": (
        "pass them as score",
        lambda: br.evaluate(TRUTH, np.linspace(0.01, 0.99, 100)),
    ),
    "labels as scores": (
        "'high'",
        lambda: br.evaluate(FRAME.assign(s="high"), target="y", score="s"),
    ),
    "a list of one score": (
        "score must name the column of scores, got ['s']",
        lambda: br.evaluate(FRAME, target="y", score=["s"]),
    ),
    "no score to cut": (
        "score must name the column of scores, got None",
        lambda: br.thresholds(FRAME, target="y"),
    ),
    "no such metric": ("No metric is called", lambda: br.evaluate(TRUTH, CALL, metrics=["q3"])),
    "no cases": ("holds no cases", lambda: br.evaluate([], [])),
    "no rows": ("holds no rows", lambda: br.evaluate(FRAME.iloc[:0], **NAMED)),
    "nan": (
        'missing="drop"',
        lambda: br.evaluate(np.where(np.arange(100) == 3, np.nan, TRUTH), CALL),
    ),
    "one class": ("one class only", lambda: br.evaluate(TRUTH[1::2], TRUTH[1::2])),
    "a negative cost": ("cost of fn", lambda: br.evaluate(TRUTH, CALL, cost={"fn": -10, "fp": 1})),
    "costs misspelt": ("fp=1,fn=20", lambda: br.evaluate(TRUTH, CALL, cost="miss=10,fp=1")),
    "too short": ("as many cases", lambda: br.evaluate(TRUTH, CALL[:-1])),
    "scores first": (
        "pass the labels first, then the scores",
        lambda: br.compare_auc(SCORE + np.arange(100) / 1e3, TRUTH, SCORE),
    ),
    "utilities for a metric": (
        "pass its as_metric()",
        lambda: br.interval(br.UtilityMatrix([[1, 0], [0, 1]]), TABLE),
    ),
    "a constraint in percent": (
        "write recall >= 0.9",
        lambda: br.thresholds(TRUTH, SCORE, constraint="recall >= 90", metrics="f1"),
    ),
    "a single classifier": ("two classifiers", lambda: br.compare(FRAME, **NAMED)),
    "no groups": ("groups=, --group", lambda: br.audit(FRAME, **NAMED)),
    "a reference": ("a, b", lambda: br.audit(FRAME, **NAMED, groups="site", reference="c")),
    "no file": ("does not exist", lambda: br.evaluate("nofile.csv", **NAMED)),
    "power in percent": (
        "power must lie in (0, 1)",
        lambda: br.sample_size("recall >= 0.8@low", expected=0.9, power=80),
    ),
    "a number alone": ('">= 0.8"', lambda: br.probability("recall", TABLE, 0.8)),
    "no such positive": (
        "must be a label that occurs",
        lambda: br.evaluate(TRUTH, CALL, positive=2),
    ),
    "no room": (
        "higher precision",
        lambda: br.ConfusionMatrix.from_rates(recall=0.9, precision=0.1, base_rate=0.5),
    ),
    "both": (
        "pass one of the two",
        lambda: br.ConfusionMatrix.from_rates(
            recall=0.9, specificity=0.9, precision=0.1, base_rate=0.5
        ),
    ),
}


@pytest.mark.parametrize("wrong", SIGNATURES)
def test_a_call_that_does_not_fit_is_told_what_to_write(wrong):
    remedy, call = SIGNATURES[wrong]
    with pytest.raises(WrongCallError) as told:
        call()
    assert isinstance(told.value, TypeError)
    assert remedy in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("wrong", VALUES)
def test_a_wrong_value_is_told_what_to_write(wrong):
    remedy, call = VALUES[wrong]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BaserateError) as told:
            call()
    assert remedy in str(told.value)
    assert str(told.value).endswith((".", "?"))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("roc_curve", "baserate.curves.roc_curve"),
        ("recall", "baserate.metrics.recall"),
        ("f1_score", 'baserate.interval("f1", table)'),
        ("decision_curve", "baserate.net_benefit_curve"),
        ("evalute", "baserate.evaluate"),
    ],
)
def test_a_name_that_is_elsewhere_is_told(name, where):
    with pytest.raises(AttributeError) as told:
        getattr(br, name)
    assert str(told.value).startswith(f"module 'baserate' has no attribute {name!r}")
    assert where in str(told.value)


def test_a_number_is_no_attribute():
    with pytest.raises(AttributeError, match=r"write r\['recall'\] for this number"):
        FOUND.recall  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'recal'$"):
        FOUND.recal  # noqa: B018
    assert not hasattr(FOUND, "_repr_jpeg_")


def test_measures_of_scores_are_told_apart_from_metrics():
    with pytest.raises(BaserateError, match="measure of scores"):
        br.audit(FRAME, target="y", score="s", groups="site", metrics="observed_expected")


def test_errors_within_a_call_stay_what_they_are():
    @explained
    def fails():
        raise TypeError("inside")

    with pytest.raises(TypeError, match=r"^inside$") as told:
        fails()
    assert not isinstance(told.value, WrongCallError)


def test_precision_in_place_of_specificity():
    # By hand: of 1,000 half are positive, 450 are found, and 450/0.6 = 750 are called positive.
    table = br.ConfusionMatrix.from_rates(recall=0.9, precision=0.6, base_rate=0.5, n=1000)
    assert [*table] == pytest.approx([450, 50, 300, 200])


def test_group_columns_of_a_frame_stand_beside_arrays():
    sites = FRAME[["site"]].assign(half=np.arange(100) // 50)
    found = br.evaluate(TRUTH, CALL, groups=sites)
    assert found.facts.group_names == ("site", "half")
    assert len(found.facts.groups) == 4


def test_what_is_undefined_says_so():
    assert str(br.roc_auc(np.ones(20, int), np.arange(20))).endswith("is undefined: no negatives")


def public_calls():
    """Yield every function and class that a user reaches, by the name that it is reached by."""
    spaces = {"br": br, **{name: getattr(br, name) for name in br._NAMESPACES if name != "errors"}}
    for space, module in spaces.items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                yield f"{space}.{name}", value


@pytest.mark.slow
def test_every_public_call_explains_what_does_not_fit():
    """Whoever takes any keyword, or is made by nobody, has no such calls."""
    silent = []
    for name, call in public_calls():
        made = inspect.isclass(call) and call.__init__
        ours = getattr(made or call, "__module__", "").startswith("baserate")
        if inspect.isabstract(call) or not ours:
            continue
        kinds = {one.kind for one in inspect.signature(call).parameters.values()}
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            with pytest.raises(TypeError) as refused:
                call(no_such_keyword=1)
            silent += [name] * (not isinstance(refused.value, WrongCallError))
    assert silent == []


def test_names_that_reports_of_other_libraries_have():
    for name, said in {"save": r"r\.write\(path\)", "metrics": r"r\.facts\.metrics"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}': write {said}"):
            getattr(FOUND, name)
    assert not hasattr(FOUND, "__array__")


def test_a_frame_that_arrow_collects_says_what_to_install(monkeypatch):
    relation = duckdb.sql("select 1 as y, 0 as p union all select 0, 0")
    for name in [*sys.modules]:
        if name.partition(".")[0] == "pyarrow" or name.startswith("narwhals._arrow"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    with pytest.raises(MissingDependencyError, match=r"pip install .baserate\[arrow\]"):
        br.evaluate(relation, **NAMED)

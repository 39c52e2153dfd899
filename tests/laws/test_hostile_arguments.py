"""Arguments of a wholly wrong kind: each is refused by its name, never by an error of Python."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.errors import BaserateError, InvalidArgumentError, UnsupportedError
from baserate.inference.best_of_several import probability_best_separate
from baserate.inference.sample_size import sample_size_paired, sample_size_separate
from baserate.inference.validation_size import validation_sample_size
from trust.calls import CALLED, FRAME, GROUP, MATRIX, SCORE, TABLES, TRUTH, A, B, X, called
from trust.hostile import Rude

LABELS = {"data": TRUTH, "y_pred": CALLED, "metrics": "recall"}
COLUMNS = {"data": FRAME, "target": "y", "prediction": "p", "metrics": "recall"}
DOORS = {
    "evaluate": (br.evaluate, COLUMNS),
    "audit": (br.audit, {**COLUMNS, "groups": "g"}),
    "compare": (br.compare, {**COLUMNS, "prediction": ["p", "q"]}),
    "thresholds": (br.thresholds, {"data": FRAME, "target": "y", "score": "s", "n_resamples": 5}),
    "count_scores": (br.count_scores, {"data": FRAME, "target": "y", "score": "s"}),
}
STRANGE = {
    "frame": pd.DataFrame({"a": [1, 0]}),
    "column": pd.Series([1, 0]),
    "array": np.array([1, 0]),
    "polars": pl.Series([[1], [0]]),
    "expression": pl.col("a"),
    "structure": np.zeros(2, dtype=[("a", int)]),
    "rude": Rude(),
    "mapping": {"a": 1},
}


@pytest.mark.parametrize("argument", ["target", "positive", "missing", "many_groups"])
@pytest.mark.parametrize("door", DOORS)
def test_doors_refuse_columns_where_one_value_is_asked_for(door, argument):
    call, good = DOORS[door]
    for value in STRANGE.values():
        with pytest.raises(BaserateError, match=argument):
            called(call, {**good, argument: value})


@pytest.mark.parametrize("role", ["prediction", "score", "groups", "weight", "cluster", "case_id"])
@pytest.mark.parametrize("name", ["structure", "rude", "polars"])
def test_no_column_is_called_by_what_cannot_be_looked_up(role, name):
    with pytest.raises(InvalidArgumentError, match=role):
        called(br.evaluate, {**COLUMNS, role: STRANGE[name]})


def test_no_column_is_called_by_a_number_of_thousands_of_digits():
    with pytest.raises(InvalidArgumentError, match="a value of type int"):
        called(br.evaluate, {**COLUMNS, "weight": -(10**5000)})


ESTIMATED = br.metric_function
PERFECT = br.dutch_draw_multiclass("accuracy", [2, 3])
WEIGHTS = br.tuning.optimal_class_weights("accuracy", [0, 1, 2], np.eye(3))
ISOTONIC = br.calibration(TRUTH, SCORE).curve()
FIT = LogisticRegression().fit(X, TRUTH)
SIZES = {"n_positive": 30, "n_negative": 70}
RISKS = {"base_rate": 0.3, "auc": 0.8}
ROWS = {"estimator": [FIT], "indices": {"test": [list(range(12))]}}

# What is called, with good arguments but one, whose name or rule the error holds.
BATCH = br.ClassTable([[[3, 1], [2, 4]]] * 3)
WRONG = [
    (br.evaluate, {**LABELS, "interval": pd.Series([1])}, "interval"),
    (br.evaluate, {**LABELS, "p_value": pl.DataFrame({"a": [1]})}, "p_value"),
    (br.audit, {"data": TABLES, "metrics": "recall", "uncertain_reference": Rude()}, "uncertain_"),
    (br.audit, {"data": TABLES, "metrics": "recall", "reference": [[1], [2]]}, "reference"),
    (br.compare, {"data": TABLES, "metrics": "recall", "base_rate": Rude()}, "base_rate"),
    (br.evaluate, {**LABELS, "score": SCORE, "top": np.array(1)}, "top"),
    (ESTIMATED, {"metric": "mcc", "average": np.array([1, 2])}, "average"),
    (br.scorer, {"metric": "mcc", "undefined": ["warn"]}, "undefined"),
    (br.interval, {"metric": (), "table": br.ClassTable([[3, 1], [2, 4]])}, "metric"),
    (br.interval, {"metric": "f1", "table": A, "confidence_level": 5e-324}, "confidence_level"),
    (br.interval, {"metric": "f1", "table": A, "method": "bootstrap", "n_resamples": 10**18,
                   "rng": 1}, "n_resamples must be a whole number of at most"),
    (br.dutch_draw, {"metric": "f1", **SIZES, "theta": math}, "theta must be one number"),
    (br.dutch_draw, {"metric": "f1", **SIZES, "n_predicted": [None, None]}, "n_predicted"),
    (br.random_guess, {"metric": "f1", **SIZES, "strategy": Rude()}, "strategy"),
    (br.models.ClassHypergeometric, {"class_counts": [3, 4], "predicted_counts": [2, 5],
                                     "labels": 3}, "labels"),
    (br.models.Multinomial, {"n": np.timedelta64(3, "D"), "cells": A}, "n must be a whole"),
    (br.models.Hypergeometric, {**SIZES, "n_predicted": Decimal("NaN")}, "n_predicted"),
    (br.count_undefined, {"metric": "f1", "n": (5, 5)}, "one size"),
    (br.metrics.f1.count_undefined, {"n": "many"}, "n must be a whole number"),
    (br.metrics.define, {"name": "mine", "formula": lambda tp, fn, fp, tn: tp, "bounds": 3},
     "bounds must be"),
    (br.metrics.f1.undefined_reason, {"table": br.ConfusionMatrix(tp=[], fn=0, fp=0, tn=0)},
     "table must be"),
    (PERFECT.skill, {"score": "half"}, "score must be a finite number"),
    (PERFECT.score_at, {"skill": None}, "skill must be a finite number"),
    (WEIGHTS.decide, {"probabilities": [0.2, 0.8]}, "probabilities must have a row per case"),
    (ISOTONIC.at, {"scores": {"a": 1}}, "scores must be numbers"),
    (br.curves.Empirical, {"sweep": 3}, "sweep must be a Sweep"),
    (br.difference, {"metric": "f1", "a": [1, math.inf], "b": [1, 2], "folds": (9, 3)},
     "a must lie between"),
    (br.inference.mcnemar_test, {"only_a": 10**400, "only_b": 1}, "only_a must be a whole number"),
    (probability_best_separate, {"tables": 3, "utilities": np.eye(2)}, "tables"),
    (validation_sample_size, {**RISKS, "intercept": pd.Series([1.0])}, "intercept"),
    (validation_sample_size, {**RISKS, "slope": 1e6}, "slope must lie between"),
    (validation_sample_size, {**RISKS, "auc_width": 5e-324}, "auc_width must lie"),
    (br.groups.rao_scott_test, {"metric": "recall", "group": A, "reference": B,
                                "degrees_of_freedom": []}, "degrees_of_freedom"),
    (br.groups.pair_interval, {"pair": -(10**5000), "first": A, "second": B},
     "No metric of two tables"),
    (br.match_test, {"metric": "f1", "group": A, "reference": Rude()}, "reference"),
    (br.smooth, {"group": A, "reference": Rude()}, "reference"),
    (br.tuning.base_rate_curves, {"metrics": A, "classifiers": [246.0]},
     "metrics must name metrics, which come first"),
    (br.tuning.base_rate_curves, {"metrics": "f1", "classifiers": TABLES, "n": 2**63}, "n must be"),
    (br.tuning.quotient, {"metric": "f1", "recall": [0.7], "specificity": 0.8, "base_rate": 0.2},
     "recall must lie"),
    (br.tuning.density_ratio, {"probability": [0.3, 0.5], "base_rate": [0.1, 0.2, 0.3]},
     "probability and base_rate must have shapes"),
    (br.optimal_threshold, {"metric": "f1", "y_true": TRUTH, "y_score": SCORE,
                            "constraint": np.array(1)}, "constraint"),
    (br.optimal_threshold, {"metric": "f1", "y_true": TRUTH, "y_score": SCORE,
                            "constraint": Rude()}, "constraint"),
    (br.UtilityMatrix.from_canonical, {"tau": 0.3, "nu": Decimal("NaN")}, "nu must be a finite"),
    (br.compare_utilities(A, B, MATRIX).region.advantage, {"tau": 0.1, "nu": math.inf},
     "nu must be numbers"),
    (br.compare_utilities, {"a": A, "b": B, "u": MATRIX, "base_rate": Fraction(10**400, 3)},
     "base_rate must lie"),
    (br.shift_base_rate, {"probabilities": [0.5], "source": Rude(), "target": 0.1}, "source"),
    (br.value_of_information, {"counts": A, "threshold": 0.2, "m": [[1, 2], [3]]}, "m must be"),
    (br.inference.yield_posterior, {"counts": A, "utilities": np.eye(2), "prior": 1e308}, "prior"),
    (br.independence_test, {"table": br.ClassTable([[10**18, 0], [1, 2**62]])}, "up to 10,000,000"),
    (br.held_out, {"results": 3, "X": X, "y": TRUTH}, "results must be a mapping"),
    (br.held_out, {"results": ROWS, "X": 3, "y": TRUTH}, "X must hold every case"),
    (br.held_out, {"results": ROWS, "X": X, "y": 3}, "y must be a column of labels"),
    (br.ClassTable, {"counts": [[3, 1], [2, 4]], "labels": [pd.NA, 1]}, "labels must"),
    (br.groups.family_adjust, {"tests": [br.match_test("recall", A, B)], "groups": [[1]]},
     "groups must be plain labels"),
    (br.ConfusionMatrix, {"tp": 1e308, "fn": 1, "fp": 1, "tn": 1}, "tp must be at most 1e\\+300"),
    (br.ConfusionMatrix.from_rates, {"recall": [0.5, 1], "specificity": 1, "base_rate": [0.1] * 3},
     "must have shapes that fit"),
    (br.random_guess, {"metric": "f1", "n_positive": 3, "n_negative": 7, "strategy": BATCH},
     "strategy must be a number, or"),
    (br.shift_base_rate, {"probabilities": [0.5], "source": BATCH, "target": [0.5, 0.5]},
     "source must be a number, or"),
    (sample_size_separate, {"a": A, "b": BATCH, "utilities": np.eye(2)}, "b must be"),
    (sample_size_paired, {"joint": BATCH, "utilities": np.eye(2)}, "joint must be"),
    (br.difference, {"metric": "brier_score", "a": SCORE, "b": SCORE, "y_true": TRUTH,
                     "method": np.zeros(2, dtype="V3")}, "method must be"),
    (br.difference, {"metric": ["f1"], "a": A, "b": B}, "A metric goes by its name"),
    (br.probability, {"metric": {"f1": 1}, "table": A, "statement": "> 0.5"}, "A metric goes by"),
    (br.ScoreHistogram, {"focus": memoryview(np.eye(2))}, "focus must hold pairs"),
    (br.groups.rao_scott_test, {"metric": "recall", "group": A, "reference": B,
                                "squared_weights": memoryview(np.eye(2))}, "squared_weights must"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "arguments", "said"), WRONG, ids=[f"{k}: {said}" for k, (*_, said) in enumerate(WRONG)]
)
def test_an_argument_of_a_wrong_kind_is_refused_by_name(call, arguments, said):
    with pytest.raises(BaserateError, match=said):
        called(call, arguments)


@pytest.mark.parametrize("metric", ["error_ratio", "diagnostic_odds_ratio", "mcc", "chi_squared"])
def test_weights_of_one_table_that_no_product_holds_are_refused(metric):
    far = br.ConfusionMatrix(tp=1e-320, fn=1e300, fp=5e-324, tn=1.0)
    with pytest.raises(UnsupportedError, match="differ by more than 1e\\+150 times"):
        br.metrics.get(metric)(far)


@pytest.mark.parametrize("unit", [1e-290, 1e-75, 1.0, 1e75, 1e150, 1e298])
def test_chi_squared_has_the_unit_of_its_weights(unit):
    tp, fn, fp, tn = 10, 20, 30, 5
    exact = Fraction(65 * (tp * tn - fp * fn) ** 2, 30 * 35 * 40 * 25)
    cells = {"tp": tp * unit, "fn": fn * unit, "fp": fp * unit, "tn": tn * unit}
    found = br.metrics.chi_squared(br.ConfusionMatrix(**cells))
    assert found / unit == pytest.approx(float(exact), rel=1e-12)


def test_groups_named_by_anything_are_still_groups():
    found = br.audit(TRUTH, CALLED, groups=GROUP, metrics="recall", reference="a").facts
    assert found.reference == "a"


class Negative(list):
    def __len__(self):
        return -3  # noqa: PLE0303


@pytest.mark.parametrize("given", [math, np, Negative(TRUTH), type(TRUTH)])
@pytest.mark.parametrize(
    "call",
    [
        lambda given: br.roc_auc(TRUTH, given),
        lambda given: br.confusion_matrix(TRUTH, given),
        lambda given: br.evaluate(given, TRUTH),
        lambda given: br.audit(TRUTH, CALLED, groups=given),
    ],
)
def test_what_is_no_column_is_refused_by_name(call, given):
    with pytest.raises(BaserateError) as caught:
        call(given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", STRANGE.values(), ids=list(STRANGE))
def test_what_is_no_index_and_no_guess_is_refused_on_one_line(given):
    for call in (
        lambda: br.utilities.LabelTransducer(A, positive=given),
        lambda: br.baselines.guessing.chosen_guess(given),
        lambda: br.interval("recall", A, confidence_level=given),
    ):
        with pytest.raises(InvalidArgumentError) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_arrays_in_messages_are_short_and_on_one_line():
    with pytest.raises(BaserateError, match=r"\[ 0, 1, 2, .*…: 0.95 is usual") as caught:
        br.interval("recall", A, confidence_level=np.arange(400).reshape(20, 20))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200

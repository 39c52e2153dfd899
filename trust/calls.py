"""A good call of everything public that takes arrays, counts, tables, scores or frames."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate import ClassTable, ConfusionMatrix
from baserate.inference import best_of_several
from baserate.utilities import envelope

TRUTH = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0]
CALLED = [1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0]
OTHER = [1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0]
SCORE = [0.9, 0.2, 0.8, 0.6, 0.4, 0.1, 0.7, 0.95, 0.3, 0.55, 0.65, 0.05]
RIVAL = [0.7, 0.4, 0.6, 0.5, 0.6, 0.2, 0.9, 0.85, 0.1, 0.45, 0.35, 0.15]
WEIGHT = [1.0, 2.0, 1.0, 0.5, 1.5, 1.0, 1.0, 2.0, 3.0, 1.0, 1.0, 0.25]
GROUP = list("aabbabababab")
CLUSTER = list("aabbccddeeff")
CASE = list(range(12))
FOLD = [1, 2] * 6
CLASSES = [0, 1, 2] * 4
CALLED_CLASSES = [0, 1, 2, 0, 2, 1, 0, 1, 2, 1, 1, 2]
SHARES = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]] * 4
X = [[x, 1 - x] for x in SCORE]
A = ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
B = ConfusionMatrix(tp=20, fn=10, fp=25, tn=45)
SMALL = ConfusionMatrix(tp=4, fn=2, fp=1, tn=5)
TABLES = {"a": A, "b": B}
SIX = ConfusionMatrix(tp=np.arange(6) + 1, fn=2, fp=3, tn=4)
K3 = ClassTable([[5, 1, 0], [2, 7, 1], [0, 1, 4]])
L3 = ClassTable([[4, 1, 1], [1, 8, 1], [0, 0, 5]])
JOINT = [[[3, 1], [2, 6]], [[4, 2], [1, 7]]]
UTILITY = [[15, -335], [-35, 165]]
MODEL = br.models.Hypergeometric(n_positive=6, n_negative=9, n_predicted=5)
MULTINOMIAL = br.models.Multinomial(n=9, cells=A)
CALIBRATION = br.calibration(TRUTH, SCORE)
SWEPT = br.sweep(TRUTH, SCORE)
LDA = br.populations.LDA(distance=2.0)
ROWS = {"y": TRUTH, "p": CALLED, "q": OTHER, "s": SCORE, "g": GROUP, "w": WEIGHT, "c": CLUSTER}
FRAME = pd.DataFrame(ROWS)
SCORES = {"y_true": TRUTH, "y_score": SCORE}
PAIR = {"y_true": TRUTH, "score_a": SCORE, "score_b": RIVAL}
SIZES = {"n_positive": 30, "n_negative": 70}
MATRIX = br.UtilityMatrix(UTILITY)


@dataclass(frozen=True)
class Call:
    """A callable with arguments that it answers."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]

    def made(self, arguments: dict[str, Any]) -> Any:
        """Call with these arguments, those that are positional only by position."""
        return called(self.function, arguments)

    @property
    def wraps_an_estimator(self) -> bool:
        """Whether data go on to an estimator of scikit-learn, which refuses what it does not like."""
        return self.function in {_fitted, _scored, br.held_out}

    def attacked(self) -> dict[str, Any]:
        """Return every argument that can be given, by name, with its good value."""
        parameters = inspect.signature(self.function).parameters.values()
        optional = {p.name: p.default for p in parameters if p.default is not p.empty}
        return {**optional, **self.arguments}


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function with arguments by name, also those that it takes by position only."""
    signature = inspect.signature(function)
    first = [
        arguments[p.name]
        for p in signature.parameters.values()
        if p.kind is p.POSITIONAL_ONLY and p.name in arguments
    ]
    only = {p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_ONLY}
    return function(*first, **{k: v for k, v in arguments.items() if k not in only})


def _histogram() -> Any:
    return br.ScoreHistogram(bins=4096).add(TRUTH, SCORE)


def _saved(bins: Any, focus: Any, y_true: Any, y_score: Any, groups: Any) -> Any:
    return br.ScoreHistogram(bins=bins, focus=focus).add(y_true, y_score, groups).sweep("a")


def _fitted(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: N803
    given = {} if sample_weight is None else {"sample_weight": sample_weight}
    return estimator.fit(X, y, **given).predict(X)


def _scored(score: Any, estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:  # noqa: N803
    return score(estimator, X, y, sample_weight=sample_weight)


def _listed() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:  # noqa: PLR0915  one a line
    """Yield each callable with good arguments."""
    two = {"y_true": TRUTH, "y_pred": CALLED}
    yield br.confusion_matrix, {**two, "sample_weight": WEIGHT}
    yield br.count_labels, {**two, "sample_weight": WEIGHT, "cluster": GROUP, "case_id": CASE}
    yield br.class_table, {"y_true": CLASSES, "y_pred": CALLED_CLASSES, "sample_weight": WEIGHT}
    yield ConfusionMatrix, {"tp": 35, "fn": 5, "fp": 10, "tn": 50}
    yield ConfusionMatrix, {"tp": [35, 2], "fn": [5, 1], "fp": 10, "tn": [50, 0]}
    yield ConfusionMatrix.from_rates, {"recall": 0.7, "specificity": [0.5, 1], "base_rate": 0.3}
    yield ConfusionMatrix.from_array, {"array": [[3, 1], [2, 4]], "layout": "tp fn / fp tn"}
    yield A.at_base_rate, {"base_rate": 0.3}
    yield ClassTable, {"counts": [[3, 1], [2, 4]], "labels": ["a", "b"]}
    yield K3.one_vs_rest, {"label": 1}
    yield K3.collapse, {"groups": {"x": [0, 1]}}
    yield K3.reorder, {"labels": [2, 1, 0]}
    yield K3.rates, {"by": "all"}
    yield K3.to_frame, {"backend": "polars"}
    yield _histogram().add, {**SCORES, "groups": None}
    yield _saved, {"bins": 4096, "focus": [(0.4, 0.5)], **SCORES, "groups": GROUP}
    yield _histogram().tables_at, {"thresholds": [0.3, 0.6]}
    yield _histogram().suppressed, {"minimum": 5}
    yield br.sweep, {**SCORES, "sample_weight": WEIGHT}
    yield br.roc_auc, {**SCORES, "sample_weight": WEIGHT}
    yield br.roc_auc, {**SCORES, "cluster": CLUSTER}
    yield br.roc_auc, {"y_true": CLASSES, "y_score": SHARES, "labels": [0, 1, 2], "average": None}
    for f in (br.average_precision, br.brier_score, br.log_loss, br.calibration,
              br.discrimination_slope, br.r_squared, br.curves.precision_recall,
              br.curves.roc_curve, br.net_benefit_curve):  # fmt: skip
        yield f, {**SCORES, "sample_weight": WEIGHT}
    for f in (br.brier_score, br.log_loss, br.calibration, br.curves.top_k_accuracy):
        yield f, {"y_true": CLASSES, "y_score": SHARES}
    yield br.curves.partial_auc, {**SCORES, "max_fpr": 0.5}
    yield br.curves.top_of_list, {**SCORES, "k": 3}
    yield br.curves.top_of_list, {**SCORES, "share": 0.3}
    yield br.curves.roc_band, SCORES
    yield br.curves.convex_hull, {"sweep": SWEPT}
    yield br.curves.roc_dominance, {"a": SWEPT, "b": SWEPT}
    yield CALIBRATION.bins, {"n_bins": 4, "kind": "width", "confidence_level": 0.9}
    yield SWEPT.rules_at, {"thresholds": [0.3, 0.6]}
    yield CALIBRATION.band().at, {"scores": [0.3, 0.6]}
    yield CALIBRATION.curve().at, {"scores": [0.3, 0.6]}
    yield br.curves.roc_band(TRUTH, SCORE).recall_at, {"false_positive_rate": [0.3, 0.6]}
    yield br.populations.LDA, {"distance": 2.0}
    yield br.populations.LDA.from_moments, {"mean0": [0, 1], "mean1": [1, 1], "cov": np.eye(2)}
    yield br.populations.QDA, {"mean0": 0, "cov0": 1, "mean1": [1], "cov1": [[2.0]]}
    yield br.populations.Empirical, {"sweep": SWEPT}
    yield br.compare_auc, PAIR
    yield br.compare_auc, {**PAIR, "y_true_b": TRUTH}
    for loss in ("roc_auc", "brier_score", "log_loss"):
        two = {"a": PAIR["score_a"], "b": PAIR["score_b"]}
        yield br.difference, {"metric": loss, "y_true": PAIR["y_true"], **two}
    yield br.compare_auc, {**PAIR, "cluster": CLUSTER}
    yield from _chance()
    yield from _questions()
    yield from _inference()
    yield from _groups()
    yield from _tuning()
    yield from _utilities()
    yield from _doors()


def _chance() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    yield br.beats_chance, {"table": A, "metrics": ["f1", "recall"]}
    yield br.beats_chance, {"table": K3, "metrics": "accuracy"}
    yield br.dutch_draw, {"metric": "f1", **SIZES}
    yield br.dutch_draw, {"metric": "f1", **SIZES, "theta": 0.3}
    yield br.dutch_draw_multiclass, {"metric": "macro_f1", "class_counts": [2, 3, 4]}
    yield br.dutch_scaler, {"metric": "f1", "table": A}
    yield br.independence_test, {"table": K3}
    yield br.random_guess, {"metric": "f1", **SIZES}
    yield br.random_guess_multiclass, {"metric": "accuracy", "class_counts": [2, 3, 4]}
    yield br.skill, {"metric": "f1", "table": A}
    yield br.skill, {"metric": "macro_f1", "table": K3}
    yield br.dutch_draw_multiclass("accuracy", [2, 3]).skill, {"score": 0.5}


def _questions() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    q, m = br.questions, {"metric": "f1", "model": MODEL}
    for f in (br.affine, br.expect, br.variance, br.pmf, br.probability_defined):
        yield f, m
    yield br.cdf, {**m, "x": 0.5}
    yield br.sf, {**m, "x": 0.5}
    yield q.tails, {**m, "x": 0.5}
    yield br.quantile, {**m, "q": 0.5}
    yield br.sample, {"model": MODEL, "size": 3, "rng": 1}
    yield br.expect, {"metric": "macro_f1", "model": br.models.ClassMultinomial(n=3, cells=K3)}
    M = br.models  # noqa: N806
    sizes = {"n_positive": 6, "n_negative": 9}
    yield M.Hypergeometric, {**sizes, "n_predicted": 5}
    yield M.Hypergeometric, {**sizes, "theta": 0.5}
    yield M.BinomialPair, {**sizes, "recall": 0.7, "false_positive_rate": 0.2}
    yield M.Multinomial, {"n": 9, "cells": (1, 2, 3, 4)}
    yield M.Multinomial, {"n": 9, "cells": A}
    yield M.DirichletMultinomial, {"n": 9, "concentration": (1, 2, 3, 4)}
    yield M.MultivariateHypergeometric, {"n": 9, "population": A}
    yield M.UniformTables, {"n": 4}
    yield M.GivenClasses, {"parent": MULTINOMIAL, "n_positive": 3}
    yield M.ClassMultinomial, {"n": 9, "cells": K3}
    yield M.ClassDirichletMultinomial, {"n": 9, "concentration": K3}
    yield M.ClassMultivariateHypergeometric, {"n": 9, "population": K3}
    yield M.ClassHypergeometric, {"class_counts": [3, 4], "predicted_counts": [2, 5]}
    yield from _metrics()


def _metrics() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    m = br.metrics
    for name in ("recall", "f1", "matthews_correlation", "diagnostic_odds_ratio", "chi_squared"):
        yield getattr(m, name), {"table": A}
    yield m.get("mcc"), {"table": SIX}
    yield m.get("macro_f1"), {"table": K3}
    yield m.get, {"metric": "mcc"}
    yield m.f_beta, {"beta": 2}
    yield m.robust_f, {"d0": 0.1}
    yield m.robust_f_for, {"base_rate": 0.1, "as_if": 0.3}
    yield m.robust_mcc, {"d": 0.1}
    yield m.weighted_accuracy, {"weight": 0.3}
    yield m.net_benefit, {"threshold": 0.3}
    yield m.utility, {"matrix": UTILITY}
    yield m.class_utility, {"matrix": np.eye(3)}
    yield m.weighted_kappa, {"weights": "linear"}
    yield m.weighted_kappa, {"weights": 1 - np.eye(3)}
    yield m.average, {"metric": "f1"}
    yield m.f1.at_rates, {"recall": 0.5, "specificity": 0.7, "base_rate": 0.1}
    yield m.f1.at_base_rate, {"base_rate": 0.3}
    yield m.f1.perfect, {"n_positive": 3, "n_negative": 4}
    yield m.f1.count_undefined, {"n": 4}
    yield m.f1.undefined, {"table": A}
    yield m.f1.undefined_reason, {"table": A}
    yield m.get("macro_f1").undefined_reason, {"table": K3}
    yield m.define, {"name": "mine", "formula": lambda tp, fn, fp, tn: tp - fp + fn * tn}


def _inference() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    i = br.inference
    counted = br.count_labels(TRUTH, CALLED, cluster=CLUSTER)
    yield br.interval, {"metric": "f1", "table": A}
    yield br.interval, {"metric": "recall", "table": A, "method": "exact"}
    yield br.interval, {"metric": "f1", "table": A, "method": "bootstrap", "rng": 1,
                        "n_resamples": 50}  # fmt: skip
    yield br.interval, {"metric": "f1", "table": counted}
    yield br.interval, {"metric": "macro_f1", "table": K3}
    yield i.class_intervals, {"metrics": ["accuracy", "macro_f1"], "table": K3}
    yield br.difference, {"metric": "f1", "a": A, "b": B}
    yield br.difference, {"metric": "recall", "paired": JOINT}
    yield br.difference, {"metric": "accuracy", "a": K3, "b": L3}
    yield br.difference, {"metric": "f1", "paired": [JOINT] * 3}
    labels = {"metric": "f1", "a": CALLED, "b": OTHER, "y_true": TRUTH}
    yield br.difference, {**labels, "sample_weight": WEIGHT}
    yield br.difference, {**labels, "cluster": CLUSTER}
    yield br.difference, {"metric": "f1", "a": [1, 3], "b": [1, 2], "folds": (9, 3)}
    yield br.probability, {"metric": "recall", "table": A, "statement": ">= 0.8"}
    yield br.probability, {"metric": "macro_f1", "table": K3, "statement": "< 0.5"}
    yield i.mcnemar_test, {"only_a": 3, "only_b": 5}
    yield i.paired_counts, {"y_true": TRUTH, "a": CALLED, "b": OTHER, "cluster": CLUSTER}
    yield best_of_several.probability_best_separate, {"tables": [A, B], "utilities": MATRIX}
    yield i.yield_posterior, {"counts": A, "utilities": MATRIX}
    size = br.sample_size
    yield size, {"question": "recall >= 0.8@low", "expected": 0.9, "base_rate": 0.3}
    yield size, {"question": "recall", "table": A, "width": 0.2}
    yield size, {"question": "difference", "a": A, "b": B, "utility": MATRIX, "certainty": 0.6}
    yield size, {"question": "difference", "joint": JOINT, "utility": MATRIX, "certainty": 0.6}
    yield size, {"question": "calibration", "base_rate": 0.1, "auc": 0.8}
    yield size, {"question": "calibration", "base_rate": 0.3, "scores": SCORE * 5}
    yield size, {"question": "roc_auc", "auc": 0.8, "base_rate": 0.3}
    yield size, {"question": "gap(recall)", "reference": B, "gap": 0.3}
    yield size, {"question": "gap(recall)", "reference": B, "group": SMALL}
    yield size, {"question": "gap(recall)", "reference": B, "group": SMALL, "gap": 0.2}


def _groups() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    g = br.groups
    yield br.match_test, {"metric": "recall", "group": A, "reference": B}
    yield br.match_test, {"metric": "f1", "group": SMALL, "reference": (0.1, 0.2, 0.3, 0.4)}
    yield br.min_p, {"metrics": ["recall", "f1"], "group": SMALL, "reference": B}
    yield br.smooth, {"group": A, "reference": B}
    yield br.count_undefined, {"metric": "f1", "n": 5}
    yield br.count_undefined, {"metric": "treatment_equality", "n": (3, 4)}
    yield br.count_undefined, {"metric": ["f1", "mcc"], "n": [3, 9]}
    yield br.match_test, {"metric": "macro_f1", "group": K3, "reference": K3}
    yield g.downsample, {"groups": TABLES, "metrics": ["recall", "f1"], "sizes": [3, 9]}
    yield g.compare_calibration, {**SCORES, "groups": GROUP, "sample_weight": WEIGHT}
    yield g.best_strength, {"metric": "recall", "group": A, "reference": B}
    yield g.estimate_strength, {"groups": {**TABLES, "c": SMALL}}
    yield g.smooth_groups, {"groups": TABLES}
    yield g.smooth_multiclass, {"group": [[3, 1], [2, 4]], "reference": [[9, 4], [5, 9]]}
    yield g.group_difference, {"metric": "recall", "tables": TABLES}
    yield g.group_ratio, {"metric": "recall", "tables": TABLES}
    yield g.rao_scott_test, {"metric": "recall", "group": A, "reference": B,
                             "squared_weights": (A, B)}  # fmt: skip
    yield g.adjust, {"p_values": [0.1, 0.02, 0.5]}
    yield g.family_adjust, {"tests": [br.match_test("recall", A, B)] * 2, "groups": ["a", "b"]}
    yield g.pair_interval, {"pair": "treatment_equality", "first": A, "second": B}
    yield g.objective_fairness_index, {"first": A, "second": B}
    yield g.difference("recall"), {"first": A, "second": B}
    yield g.risks, {"metric": "recall", "model": MULTINOMIAL, "estimators": [g.Estimator.raw()]}
    yield g.Estimator.toward, {"reference": B, "strength": 3.0}
    yield g.Estimator.epsilon, {"amount": 1e-10}
    yield br.smooth(A, B).value, {"metric": "f1"}
    yield br.smooth(A, B).interval, {"metric": "f1"}
    yield br.smooth(SMALL, B).coverage, {"metric": "recall"}
    yield br.min_p(["recall", "f1"], SMALL, B).error_rate, {"alpha": 0.05}


def _tuning() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    t = br.tuning
    yield br.optimal_threshold, {"metric": "f1", **SCORES, "sample_weight": WEIGHT}
    yield br.optimal_threshold, {"metric": "f1", **SCORES, "method": "bagged", "rng": 1}
    yield br.cross_validated_threshold, {"metric": "f1", "folds": [(TRUTH, SCORE), (TRUTH, RIVAL)]}
    yield br.bayes_threshold, {"metric": "f1", "population": LDA, "base_rate": 0.3}
    yield br.is_robust, {"metric": "mcc", "population": LDA}
    yield t.threshold_spread, {"metric": "f1", **SCORES, "rng": 1, "n_resamples": 5}
    yield t.base_rate_curves, {"metrics": "f1", "classifiers": TABLES, "n": 9}
    yield t.stationary_ratios, {"metric": "f1", "population": LDA, "base_rate": 0.3}
    classes = {"y_true": CLASSES, "probabilities": SHARES}
    yield t.optimal_class_weights, {"metric": "accuracy", **classes, "sample_weight": WEIGHT}
    yield t.class_weight_spread, {"metric": "accuracy", **classes, "rng": 1, "n_resamples": 2}
    weights = t.optimal_class_weights("accuracy", CLASSES, SHARES)
    yield weights.decide, {"probabilities": SHARES}
    yield t.density_ratio, {"probability": [0.3, 0.5], "base_rate": 0.2}
    yield t.quotient, {"metric": "f1", "recall": 0.7, "specificity": 0.8, "base_rate": 0.2}


def _utilities() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    u, two = br.utilities, [[0.3, 0.7], [0.6, 0.4]]
    yield br.UtilityMatrix, {"matrix": UTILITY, "decisions": ["treat", "wait"], "classes": [1, 0]}
    yield br.UtilityMatrix.from_mapping, {"mapping": {"treat": {"ill": 3, "well": -1},
                                                      "wait": {"ill": -5, "well": 0}}}  # fmt: skip
    yield br.UtilityMatrix.from_canonical, {"tau": 0.3}
    yield MATRIX.expected, {"probabilities": two}
    yield MATRIX.decide, {"probabilities": two}
    yield MATRIX.utility_yield, {"counts": [[5, 2], [1, 9]]}
    yield MATRIX.yield_from_labels, {"y_true": TRUTH, "decisions": CALLED, "sample_weight": WEIGHT}
    yield MATRIX.constant_decisions, {"class_shares": [0.3, 0.7]}
    yield MATRIX.skill, {"counts": A}
    yield br.UtilityEnsemble, {"matrices": [UTILITY, UTILITY], "weights": [1, 2]}
    ensemble = br.UtilityEnsemble([UTILITY, UTILITY])
    yield ensemble.decision_shares, {"probabilities": two}
    yield ensemble.classifier_shares, {"tables": TABLES}
    yield br.shift_base_rate, {"probabilities": two, "source": [0.5, 0.5], "target": [0.2, 0.8]}
    yield br.compare_utilities, {"a": A, "b": B, "u": MATRIX}
    yield br.compare_utilities, {"a": A, "b": A, "u": MATRIX, "paired": (3, 3, 2, 2)}
    yield br.value_of_information, {"counts": A, "threshold": 0.2, "m": 5}
    yield br.admissible, {"metric": "f1"}
    yield br.admissible("f1").tau_at, {"base_rate": 0.3}
    yield br.compare_utilities(A, B, MATRIX).region.advantage, {"tau": [0.1, 0.2], "nu": 0.1}
    yield u.best_by_threshold, {"tables": TABLES}
    yield u.best_by_base_rate, {"tables": TABLES, "u": MATRIX}
    yield u.best_by_threshold(TABLES).best_at, {"value": 0.3}
    yield u.information, {"u": MATRIX, "counts": [[5, 2], [1, 9]]}
    yield u.rankings, {"tables": TABLES, "u": MATRIX}
    yield u.LabelTransducer, {"counts": [[5, 2], [1, 9]]}
    yield u.LabelTransducer([[5, 2], [1, 9]]).probabilities, {"target": [0.2, 0.8]}
    yield u.LabelTransducer([[5, 2], [1, 9]]).decide, {"u": MATRIX}
    yield envelope.decision_intervals, {"u": MATRIX}
    yield br.net_benefit_curve(TRUTH, SCORE).band, {"thresholds": [0.2, 0.3]}
    yield br.net_benefit_curve(TRUTH, SCORE).information, {"thresholds": [0.2], "m": 5}


def _doors() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    labels = {"data": TRUTH, "y_pred": CALLED, "metrics": ["recall", "f1"]}
    columns = {"data": FRAME, "target": "y", "groups": ["g"], "weight": "w"}
    yield br.evaluate, {**labels, "groups": GROUP, "weight": WEIGHT, "positive": 1}
    yield br.evaluate, {**labels, "score": SCORE, "cluster": CLUSTER}
    yield br.evaluate, {**columns, "score": "s", "threshold": 0.5, "metrics": "recall"}
    yield br.evaluate, {"data": A, "metrics": ["recall", "f1"]}
    yield br.evaluate, {"data": K3, "metrics": ["accuracy", "macro_f1"]}
    yield br.evaluate, {"data": CLASSES, "y_pred": CALLED_CLASSES, "metrics": "accuracy"}
    yield br.audit, {**labels, "groups": GROUP, "metrics": "recall"}
    yield br.audit, {**columns, "prediction": "p", "weight": None, "metrics": "recall"}
    yield br.audit, {"data": TABLES, "metrics": "recall"}
    yield br.compare, {"data": TRUTH, "predictions": {"a": CALLED, "b": OTHER}, "metrics": "f1"}
    yield br.compare, {"data": FRAME, "target": "y", "prediction": ["p", "q"], "metrics": "f1"}
    yield br.compare, {"data": TABLES, "metrics": "recall"}
    yield br.thresholds, {"data": TRUTH, "y_score": SCORE, "metrics": "f1", "fold": FOLD}
    yield br.thresholds, {"data": FRAME, "target": "y", "score": "s", "metrics": "f1"}
    yield br.thresholds, {"data": CLASSES, "y_score": SHARES, "metrics": "accuracy"}
    yield br.count_scores, {"data": FRAME, "target": "y", "score": "s", "groups": "g", "bins": 4096}
    yield br.count_scores, {"data": pl.DataFrame(ROWS), "target": "y", "score": "s"}
    yield from _estimators()


def _estimators() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    e, two = br.estimators, {"y_true": TRUTH, "y_pred": CALLED}
    yield br.metric_function, {"metric": "mcc"}
    yield br.metric_function("mcc"), {**two, "sample_weight": WEIGHT}
    yield br.metric_function("recall", threshold=0.5), {"y_true": TRUTH, "y_pred": SCORE}
    yield br.metric_function("macro_f1"), {"y_true": CLASSES, "y_pred": CALLED_CLASSES}
    yield br.scorer, {"metric": "mcc"}
    model = LogisticRegression().fit(X, TRUTH)
    scored = {"estimator": model, "X": X, "y": TRUTH}
    yield _scored, {"score": br.scorer("mcc"), **scored, "sample_weight": WEIGHT}
    fitted = {"X": X, "y": TRUTH}
    guess = e.RandomGuessClassifier
    yield (
        _fitted,
        {"estimator": guess("uniform", random_state=1), **fitted, "sample_weight": WEIGHT},
    )
    yield _fitted, {"estimator": br.ThresholdClassifierCV(model, "f1", cv=2), **fitted}
    yield _fitted, {"estimator": br.UtilityClassifier(model, MATRIX), **fitted}
    cv = {"estimator": [model], "indices": {"test": [list(range(12))]}}
    yield br.held_out, {"results": cv, "X": np.array(X), "y": TRUTH}
    yield from _displays()


def _displays() -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    d = br.displays
    for kind in (d.RocDisplay, d.PrecisionRecallDisplay, d.CalibrationDisplay,
                 d.DecisionCurveDisplay, d.ThresholdDisplay, d.ScoreDistributionDisplay,
                 ):  # fmt: skip
        yield kind.from_predictions, {**SCORES, "plot": False}
    yield d.ConfusionDisplay.from_table, {"table": A, "plot": False}
    yield d.ChanceDisplay.from_table, {"table": A, "plot": False}
    yield d.SampleSizeDisplay, {"found": br.count_undefined("recall", [3, 9])}
    for kind in (d.GroupForestDisplay,
                 d.SmallSampleDisplay, d.BaseRateDisplay, d.UtilityMapDisplay):  # fmt: skip
        yield kind.from_table, {"table": TABLES, "plot": False}


def name_of(function: Callable[..., Any]) -> str:
    """Return what a callable is called, with the type that it is a method of."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def calls() -> list[Call]:
    """Return a good call of everything, numbered where there are several."""
    seen: dict[str, int] = {}
    found = []
    for function, arguments in _listed():
        name = name_of(function)
        seen[name] = seen.get(name, 0) + 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        found.append(Call(name + number, function, arguments))
    return found

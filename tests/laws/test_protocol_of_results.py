"""Every result of scores, thresholds and utilities turns into JSON by itself."""

import json

import numpy as np
import pytest

import baserate as br
from baserate import curves, tuning, utilities

Y = [0, 0, 1, 0, 1, 1, 0, 1]
P = [0.1, 0.2, 0.3, 0.4, 0.7, 0.9, 0.8, 0.6]
U = utilities.UtilityMatrix([[15, -335], [-35, 165]])
A = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
SWEPT = curves.sweep(Y, P)
LDA = curves.LDA(distance=2.0)
RESULTS = {
    "roc_auc": lambda: curves.roc_auc(Y, P),
    "partial_auc": lambda: curves.partial_auc(Y, P, max_fpr=0.5),
    "compare_auc": lambda: curves.compare_auc(Y, P, P[::-1]),
    "average_precision": lambda: curves.average_precision(Y, P),
    "gain": lambda: curves.precision_recall_gain_auc(Y, P),
    "brier_score": lambda: curves.brier_score(Y, P),
    "calibration": lambda: curves.calibration(Y, P),
    "dominance": lambda: curves.roc_dominance(SWEPT, SWEPT),
    "optimal": lambda: tuning.optimal_threshold("f1", Y, P),
    "spread": lambda: tuning.threshold_spread("f1", SWEPT, rng=0, n_resamples=5),
    "cross_validated": lambda: tuning.cross_validated_threshold("f1", [(Y, P), (Y, P)]),
    "bayes": lambda: tuning.bayes_threshold("f1", LDA, base_rate=0.3),
    "stationary": lambda: tuning.stationary_ratios("f1", LDA, base_rate=0.3),
    "robust": lambda: tuning.is_robust("robust_f(d0=0.1)"),
    "admissible": lambda: utilities.admissible("accuracy"),
    "rankings": lambda: utilities.rankings({"A": A, "B": B}, U)[0],
    "compare": lambda: utilities.compare_utilities(A, B, U),
    "half_plane": lambda: utilities.half_plane(A, B),
    "constants": lambda: U.constant_decisions(0.5),
    "information": lambda: utilities.information(U, A),
    "envelope": lambda: utilities.best_by_threshold({"A": A, "B": B}),
    "net_benefit": lambda: utilities.net_benefit_curve(Y, P),
}


@pytest.mark.parametrize("asked", RESULTS.values(), ids=RESULTS)
def test_results_are_documents(asked):
    found = asked().to_dict()
    assert found
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_yes_and_no():
    answers = {name: bool(utilities.admissible(name)) for name in ("accuracy", "f1", "base_rate")}
    assert answers == {"accuracy": True, "f1": False, "base_rate": False}
    assert utilities.admissible("balanced_accuracy")  # on one test set
    assert float(utilities.information(U, [[49, 0], [1, 50]])) == pytest.approx(24.5)
    assert np.isfinite(float(tuning.optimal_threshold("f1", Y, P)))

"""Every measure of scores takes labels and scores as scikit-learn does, or a sweep alone."""

import numpy as np
import pytest

from baserate import curves
from baserate._result import Result
from baserate.curves import sweep
from baserate.errors import InvalidArgumentError
from baserate.tuning import optimal_threshold, threshold_spread
from baserate.utilities import net_benefit_curve

MEASURES = {
    "roc_auc": curves.roc_auc,
    "partial_auc": lambda *a, **k: curves.partial_auc(*a, max_fpr=0.3, **k),
    "average_precision": curves.average_precision,
    "brier_score": curves.brier_score,
    "log_loss": curves.log_loss,
    "r_squared": curves.r_squared,
    "discrimination_slope": curves.discrimination_slope,
    "calibration": curves.calibration,
    "roc_curve": curves.roc_curve,
    "precision_recall": curves.precision_recall,
    "optimal_threshold": lambda *a, **k: optimal_threshold("f1", *a, **k),
    "net_benefit_curve": lambda *a, **k: net_benefit_curve(*a, **k).net_benefit,
}
RNG = np.random.default_rng(3)
Y = np.array(["no", "yes"])[(RNG.random(60) < 0.4).astype(int)]
P = RNG.uniform(0.05, 0.95, 60).round(2)
W = RNG.random(60)

measures = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def parts(found):
    return found.to_dict() if isinstance(found, Result) else found


@pytest.mark.sweep(2)
@measures
@pytest.mark.parametrize("weight", [None, W], ids=["cases", "weights"])
@pytest.mark.parametrize("pos_label", ["yes", "no"])
def test_arrays_are_the_sweep_of_them(measure, weight, pos_label):
    how = {"pos_label": pos_label, "sample_weight": weight}
    from_arrays, from_sweep = measure(Y, P, **how), measure(sweep(Y, P, **how))
    np.testing.assert_equal(parts(from_arrays), parts(from_sweep))


@measures
def test_a_sweep_stands_alone(measure):
    swept = sweep(Y == "yes", P)
    for beside in ({"pos_label": 1}, {"sample_weight": W}):
        (name,) = beside
        with pytest.raises(InvalidArgumentError, match=f"{name} has no meaning beside a sweep"):
            measure(swept, **beside)
    with pytest.raises(
        InvalidArgumentError, match=r"y_score has no meaning beside .* the sweep alone"
    ):
        measure(swept, P)


@measures
def test_labels_do_not_stand_alone(measure):
    with pytest.raises(InvalidArgumentError, match="pass y_true and y_score"):
        measure(Y)


def test_spreads_take_both_as_well():
    how = {"rng": 0, "n_resamples": 20}
    swept = sweep(Y, P, pos_label="yes")
    from_arrays = threshold_spread("f1", Y, P, pos_label="yes", **how)
    assert from_arrays.to_dict() == threshold_spread("f1", swept, **how).to_dict()

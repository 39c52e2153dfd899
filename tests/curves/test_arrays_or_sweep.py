"""Every measure of scores takes labels and scores as scikit-learn does, or a sweep alone."""

import numpy as np
import pytest

from baserate import curves
from baserate._result import Result
from baserate.curves import sweep
from baserate.curves.binning import calibration_bins
from baserate.curves.confidence_band import calibration_band
from baserate.curves.isotonic import decomposition
from baserate.curves.losses import compare_brier, compare_log_loss
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


OF_LEVELS = {
    **{name: MEASURES[name] for name in [*MEASURES][:8]},
    "compare_auc": lambda y, p, **k: curves.compare_auc(y, p, P, **k),
    "compare_brier": lambda y, p, **k: compare_brier(y, p, P, **k),
    "compare_log_loss": lambda y, p, **k: compare_log_loss(y, p, P, **k),
    "calibration_band": lambda y, p, **k: calibration_band(sweep(y, p), **k),
    "top_of_list": lambda y, p, **k: curves.top_of_list(y, p, k=3, **k),
}
OF_PROBABILITIES = {
    **{name: MEASURES[name] for name in [*MEASURES][3:8]},
    "compare_brier": lambda y, p, **k: compare_brier(y, P, p, **k),
    "decomposition": lambda y, p, **k: decomposition(sweep(y, p, **k)),
    "calibration_bins": lambda y, p, **k: calibration_bins(sweep(y, p, **k)),
}


@pytest.mark.parametrize("measure", OF_LEVELS.values(), ids=OF_LEVELS)
def test_the_level_is_a_probability(measure):
    for level in (0.0, 1.0, 95):
        with pytest.raises(InvalidArgumentError, match=r"confidence_level must lie in \(0, 1\)"):
            measure(Y == "yes", P, confidence_level=level)


@pytest.mark.parametrize("measure", OF_PROBABILITIES.values(), ids=OF_PROBABILITIES)
def test_scores_must_be_probabilities(measure):
    for bad in (1.5, -0.1):
        with pytest.raises(
            InvalidArgumentError, match=rf"must lie in \[0, 1], got {bad}: pass prob"
        ):
            measure(Y, np.append(bad, P[1:]), pos_label="yes")


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

"""Expected tables of scores taken as probabilities, refused where outcomes contradict these."""

from math import inf, log

import numpy as np

from baserate.counts import ConfusionMatrix
from baserate.curves.cut_points import Sweep
from baserate.curves.logistic_recalibration import level_shift
from baserate.curves.probability_scores import probabilities
from baserate.errors import UnsupportedError
from baserate.metrics import Metric
from baserate.tuning.targets import Values

# Calibration is rejected where outcomes so far off, in the direction found, have at most these
# probabilities if the scores are calibrated. Together, over both directions and all bins, that
# refuses fewer than 1 % of calibrated scores, however few cases there are.
VISIBLE = 0.002
BINS = 10
VISIBLE_IN_A_BIN = VISIBLE / BINS


def expected_values(metric: Metric, swept: Sweep) -> Values:
    """Return the metric at the expected table of every cut point, unless outcomes contradict it.

    With η the probability of each case: tp(t) = Σ η over cases with η >= t, fp(t) = Σ (1 - η).
    """
    eta, (positive, negative) = probabilities(swept), swept.by_score
    cases = (positive + negative).astype(float)
    _check_calibration(swept, eta, positive.astype(float), cases)
    tp, fp = _reached(cases * eta), _reached(cases * (1 - eta))
    return np.asarray(metric(ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)))


def _reached(steps: Values) -> Values:
    return np.concatenate(((0.0,), np.cumsum(steps)))


def _check_calibration(swept: Sweep, eta: Values, positive: Values, cases: Values) -> None:
    """Compare outcomes with probabilities, over all cases and in ten bins of equal size."""
    rank, effective = np.cumsum(cases) - cases, swept.effective_n / cases.sum()
    bins = np.minimum((rank * BINS // cases.sum()).astype(int), BINS - 1)
    parts = [bins == place for place in range(BINS)]
    overall = _surprise(eta, positive, cases) * effective
    worst = max(_surprise(eta[p], positive[p], cases[p]) for p in parts) * effective
    if overall > -log(VISIBLE) or worst > -log(VISIBLE_IN_A_BIN):
        raise UnsupportedError(
            f"The scores are visibly not calibrated (outcomes differ from probabilities as much as "
            f"by {(2 * max(overall, worst)) ** 0.5:.1f} standard errors), and the plug-in "
            f'threshold would inherit that: calibrate them first, or use method="search".'
        )


def _surprise(eta: Values, positive: Values, cases: Values) -> float:
    """Bound how improbable so many positives, or more if many (fewer if few), are: -log of it.

    Chernoff's bound of a sum of unequal coins (1952, doi:10.1214/aoms/1177729330): max over a of a
    k - Σ log(1 - η + η e^a). It never understates the probability, and half the square of a
    standard normal deviate is its limit.
    """
    from scipy.special import logit

    if np.any((eta == 0) & (positive > 0)) or np.any((eta == 1) & (positive < cases)):
        return inf
    open_ = (eta > 0) & (eta < 1)
    found, size, eta = float(positive[open_].sum()), cases[open_], eta[open_]
    if found <= 0:
        return -float(size @ np.log1p(-eta))
    if found >= size.sum():
        return -float(size @ np.log(eta))
    x = logit(eta)
    a = level_shift(x, size, found)
    return max(0.0, a * found - float(size @ (np.logaddexp(0, x + a) - np.logaddexp(0, x))))

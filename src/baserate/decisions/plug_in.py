"""Expected counts at every cut point, from calibrated probabilities instead of labels."""

import numpy as np

from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep
from baserate.decisions.targets import Values
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric

# Calibration is rejected where the standardised sum of (outcome - probability) is beyond this.
VISIBLE = 3.0
_BINS = 10


def plug_in_values(metric: Metric, swept: Sweep) -> Values:
    """Return the metric at the expected table of every cut point.

    With η the probability of each case: tp(t) = Σ η over cases with η >= t, fp(t) = Σ (1 - η).

    Raises
    ------
    InvalidArgumentError
        The scores are no probabilities.
    UnsupportedError
        The labels contradict the probabilities: they are visibly not calibrated.
    """
    eta = swept.thresholds[1:]
    if not (np.all(eta >= 0) and np.all(eta <= 1)):
        rule = "must be probabilities in [0, 1] for the plug-in threshold"
        given = float(eta[0] if eta[0] > 1 else eta[-1])
        raise InvalidArgumentError.from_rule("y_score", rule, given, 'calibrate, or use "search"')
    positive, negative = (np.diff(np.asarray(cell)) for cell in (swept.tables.tp, swept.tables.fp))
    cases = positive + negative
    _check_calibration(eta, positive, cases)
    tp, fp = (_reached(cases * share) for share in (eta, 1 - eta))
    return np.asarray(metric(ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)))


def _reached(steps: Values) -> Values:
    return np.concatenate(((0.0,), np.cumsum(steps)))


def _check_calibration(eta: Values, positive: Values, cases: Values) -> None:
    """Compare outcomes with probabilities, over all cases and in ten bins of equal size."""
    rank = np.cumsum(cases) - cases
    bins = np.minimum((rank * _BINS // max(1, cases.sum())).astype(int), _BINS - 1)
    excess = np.bincount(bins, positive - cases * eta, _BINS)
    variance = np.bincount(bins, cases * eta * (1 - eta), _BINS)
    overall = _z(float(excess.sum()), float(variance.sum()))
    worst = max((_z(e, v) for e, v in zip(excess.tolist(), variance.tolist(), strict=True)))
    if overall > VISIBLE or worst > VISIBLE + 1:
        raise UnsupportedError(
            f"The scores are visibly not calibrated (outcomes differ from probabilities by "
            f"{max(overall, worst):.1f} standard errors), and the plug-in threshold would inherit "
            f'that: calibrate them first, or use method="search".'
        )


def _z(excess: float, variance: float) -> float:
    """Return |excess| in standard errors; certain cases that come out otherwise are infinite."""
    if variance > 0:
        return abs(excess) / variance**0.5
    return np.inf if abs(excess) > 1e-9 else 0.0

"""What it is worth to know more about a classifier that will be used at a stated base rate.

Then deciding the same for all is worth a known amount, and the classifier π s R - (1 - π) t A for
its recall R and false positive rate A, which are independent Beta variables. Of m more cases,
Binomial(m, π) are positive.
"""

import numpy as np
from numpy.typing import NDArray

from baserate.errors import UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.sums import TwoBetas
from baserate.models.factors import BetaBinomialCount, BinomialCount
from baserate.utilities.perfect_information import Prospects, without_data

Array = NDArray[np.float64]

BUDGET = 20_000_000  # values of a count that are summed up


def prospects_at(alpha: Array, benefit: float, cost: float, base_rate: float) -> Prospects:
    """Return the prospects of deciding negative for all, by the classifier, or positive for all.

    Arguments are those of `three_options`, and the share of positives.
    """
    if benefit + cost < 0:
        return prospects_at(alpha[:, ::-1], -cost, -benefit, 1 - base_rate)
    if benefit <= 0 or cost <= 0:
        return Prospects(without_data(benefit, cost), 0.0, "closed form")
    (tp, fp), (fn, tn) = alpha.tolist()
    s, t = base_rate * benefit, (1 - base_rate) * cost
    all_, bar = s - t, max(s - t, 0.0)

    def above(found: Beta, spared: Beta) -> float:
        return float(TwoBetas(found, spared, s, t, -t).sf(bar))

    recall, specificity = Beta(tp, fn), Beta(tn, fp)
    win = above(recall, specificity)
    part = (
        s * recall.mean * above(Beta(tp + 1, fn), specificity)
        + t * specificity.mean * above(recall, Beta(tn + 1, fp))
        - (t + bar) * win
    )
    mean = s * recall.mean - t * (1 - specificity.mean) - bar
    shares = (0.0, win, 1 - win) if all_ > 0 else (1 - win, win, 0.0)
    return Prospects(shares, max(part - mean if mean > 0 else part, 0.0), "integral")


def sample_at(alpha: Array, benefit: float, cost: float, base_rate: float, m: int) -> float:
    """Return what m more cases are worth, summed over all of their tables that matter."""
    if benefit + cost < 0:
        return sample_at(alpha[:, ::-1], -cost, -benefit, 1 - base_rate, m)
    (tp, fp), (fn, tn) = alpha.tolist()
    s, t = base_rate * benefit, (1 - base_rate) * cost
    bar = max(s - t, 0.0)
    lead = s * tp / (tp + fn) - t * fp / (fp + tn) - bar
    positives = BinomialCount(m, base_rate).window()
    if len(positives.pmf) * m > BUDGET:
        message = (
            f"What {m:,} more cases are worth at a stated base rate has {len(positives.pmf) * m:,} "
            f"values to sum, and at most {BUDGET:,} are: leave out base_rate, or ask for fewer."
        )
        raise UnsupportedError(message)
    total = 0.0
    for p, mass in zip(positives.values.tolist(), positives.pmf.tolist(), strict=True):
        hits = BetaBinomialCount(int(p), tp, fn).window()
        alarms = BetaBinomialCount(m - int(p), fp, tn).window()
        gain = s * (tp + hits.values) / (tp + fn + p)
        loss = t * (fp + alarms.values) / (fp + tn + m - p) + bar
        total += mass * _mean_excess(gain, hits.pmf, loss, alarms.pmf, flip=lead > 0)
    return total


def _mean_excess(gain: Array, p: Array, loss: Array, q: Array, *, flip: bool) -> float:
    """Return E max(0, gain - loss), or E max(0, loss - gain), of independent increasing values."""
    if flip:
        return _mean_excess(loss, q, gain, p, flip=False)
    mass = np.append(np.cumsum(p[::-1])[::-1], 0.0)
    moment = np.append(np.cumsum((p * gain)[::-1])[::-1], 0.0)
    first = np.searchsorted(gain, loss)
    return float(q @ np.maximum(moment[first] - loss * mass[first], 0.0))

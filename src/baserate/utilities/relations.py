"""One loss, many names: net benefit, cost curves, Brier curves and Murphy diagrams of a table.

At the threshold tau a missed positive costs 1 - tau and a false alarm tau. Every quantity here is
that loss per case, in another unit and from another zero.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._arith import plain, ratio
from baserate._checks import broadcast, float_array, instance_of, numbers_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix, as_float, some_table
from baserate.errors import InvalidArgumentError
from baserate.utilities.matrix import UtilityMatrix


@dataclass(frozen=True, slots=True)
class AtThreshold(Result):
    """What a table of decisions is worth at a threshold probability, in every published unit.

    Parameters
    ----------
    table : ConfusionMatrix
        One table or a batch; restate it at the base rate of its use with ``at_base_rate``.
    threshold : float or array
        tau in [0, 1]: the probability above which the positive decision is right. tau : 1 - tau is
        the cost of a false alarm to the benefit of a found positive. Broadcasts with the table.

    Attributes
    ----------
    loss, brier, net_benefit, standardized_net_benefit, normalized_expected_cost, \
weighted_accuracy, probability_cost : float or array
        nan where a denominator is zero.

    References
    ----------
    Vickers and Elkin (2006), doi:10.1177/0272989X06295361. Drummond and Holte (2006),
    doi:10.1007/s10994-006-8199-5. Hernández-Orallo, Flach and Ferri (2011), ICML, Brier curves.
    Ehm, Gneiting, Jordan and Krüger (2016), doi:10.1111/rssb.12154, Murphy diagrams.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.utilities.relations import AtThreshold
    >>> found = AtThreshold(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50), 0.2)
    >>> round(found.net_benefit, 6), round(found.standardized_net_benefit, 6)
    (0.325, 0.8125)
    """

    table: ConfusionMatrix
    threshold: Any

    def __post_init__(self) -> None:
        tau = numbers_in("threshold", self.threshold, "[0, 1]", "pass a probability")
        object.__setattr__(self, "threshold", tau)

    @property
    def loss(self) -> Any:
        """(1 - tau) fn/n + tau fp/n, (perfect yield - yield)/(benefit + cost): a Murphy diagram."""
        tau, t = self.threshold, self.table
        lost = (1 - tau) * as_float(t.fn) + tau * as_float(t.fp)
        return plain(ratio(lost, as_float(t.n)))

    @property
    def brier(self) -> Any:
        """Twice the loss: a Brier curve, which integrates over tau to the Brier score."""
        return plain(2 * np.asarray(self.loss))

    @property
    def net_benefit(self) -> Any:
        """tp/n - fp/n tau/(1 - tau), also (yield - yield of never) / benefit; nan at tau = 1."""
        tau, t = self.threshold, self.table
        n = as_float(t.n)
        alarms = ratio(as_float(t.fp), n)
        return plain(ratio(as_float(t.tp), n) - alarms * ratio(tau, 1 - np.asarray(tau)))

    @property
    def standardized_net_benefit(self) -> Any:
        """Net benefit over the base rate, also called relative utility of the model; at most 1."""
        return plain(ratio(self.net_benefit, self.table.base_rate))

    @property
    def normalized_expected_cost(self) -> Any:
        """Loss over that of deciding wrong in every case; 1 - weighted_accuracy."""
        tau, pi = np.asarray(self.threshold), np.asarray(self.table.base_rate)
        return plain(ratio(self.loss, (1 - tau) * pi + tau * (1 - pi)))

    @property
    def weighted_accuracy(self) -> Any:
        """(benefit tp + cost tn) / (benefit positives + cost negatives), 1 for a perfect table.

        The catalogue's metric of this name is unnormalised, w tp/n + (1 - w) tn/n.
        """
        return plain(1 - np.asarray(self.normalized_expected_cost))

    @property
    def probability_cost(self) -> Any:
        """Share of the positives in the largest loss: the horizontal axis of cost curves."""
        return probability_cost(self.threshold, self.table.base_rate)


def probability_cost(threshold: Any, base_rate: Any) -> Any:
    """Return PC = pi (1 - tau) / (pi (1 - tau) + (1 - pi) tau); nan where both terms are 0.

    Parameters
    ----------
    threshold, base_rate : float or array
        In [0, 1]; they broadcast.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65:95, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from baserate.utilities import probability_cost
    >>> probability_cost(0.5, 0.3)
    0.3
    """
    tau = np.asarray(numbers_in("threshold", threshold, "[0, 1]", "pass a probability"))
    pi = float_array("base_rate", base_rate)
    if not np.isfinite(pi).all():
        rule, remedy = "must be finite numbers", "pass shares of positives"
        raise InvalidArgumentError.from_rule("base_rate", rule, base_rate, remedy)
    broadcast(threshold=tau, base_rate=pi)
    missed, alarms = pi * (1 - tau), (1 - pi) * tau
    return plain(ratio(missed, missed + alarms))


def cost_curve(table: ConfusionMatrix, probability_cost: Any) -> Any:
    """Return the normalised expected cost, fnr PC + fpr (1 - PC): a line for each table.

    Parameters
    ----------
    table : ConfusionMatrix
        One table or a batch.
    probability_cost : float or array
        In [0, 1]; broadcasts with the table.

    Returns
    -------
    float or array
        nan for tables that lack a class.

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65:95, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.utilities import cost_curve
    >>> float(round(cost_curve(ConfusionMatrix(tp=35, fn=5, fp=10, tn=50), 0.5), 6))
    0.145833
    """
    some_table("table", table)
    pc = numbers_in("probability_cost", probability_cost, "[0, 1]", "pass a share")
    broadcast(table=table.tp, probability_cost=pc)
    missed = ratio(as_float(table.fn), as_float(table.n_positive))
    alarms = ratio(as_float(table.fp), as_float(table.n_negative))
    return plain(missed * pc + alarms * (1 - np.asarray(pc)))


def expected_cost(table: ConfusionMatrix, u: UtilityMatrix) -> Any:
    """Return what errors cost per case, benefit fn/n + cost fp/n: perfect yield less yield.

    Parameters
    ----------
    table : ConfusionMatrix
        One table or a batch.
    u : UtilityMatrix
        2x2, of any sign.

    Examples
    --------
    >>> from baserate import ConfusionMatrix, UtilityMatrix
    >>> from baserate.utilities import expected_cost
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> expected_cost(ConfusionMatrix(tp=27, fn=23, fp=15, tn=35), u)  # 90 less 3.5
    86.5
    """
    some_table("table", table)
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    lost = u.benefit * as_float(table.fn) + u.cost * as_float(table.fp)
    return plain(ratio(lost, as_float(table.n)))

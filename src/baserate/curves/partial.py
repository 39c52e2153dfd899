"""The area under the part of a ROC curve that raises few false alarms."""

from dataclasses import dataclass
from math import nan

import numpy as np

from baserate._checks import number_in
from baserate._result import Result
from baserate.curves._groups import absent_class
from baserate.curves.roc import roc_curve
from baserate.curves.sweep import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialAuc(Result):
    """The area under the ROC curve up to a false positive rate; ``float()`` gives it standardised.

    Attributes
    ----------
    value : float
        Standardised: 1/2 on the diagonal, 1 for a perfect ranking; nan if `reason` says why.
    area : float
        The area itself.
    max_fpr : float
    chance : float
        0.5.
    reason : str or None
    """

    value: float
    area: float
    max_fpr: float
    chance: float = 0.5
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def partial_auc(sweep: Sweep, *, max_fpr: float) -> PartialAuc:
    """Return the area under the ROC curve where the false positive rate is at most `max_fpr`.

    With area A and f = max_fpr, the standardised value is (1 + (A - f²/2) / (f - f²/2)) / 2. The
    curve is straight between cut points. At max_fpr = 1 it is the area under the whole curve.

    Parameters
    ----------
    sweep : Sweep
        Of cases or weights.
    max_fpr : float
        In (0, 1].

    Returns
    -------
    PartialAuc

    Raises
    ------
    InvalidArgumentError
        `max_fpr` lies outside (0, 1], or no sweep was given.

    References
    ----------
    McClish (1989), Medical Decision Making 9:190, doi:10.1177/0272989X8900900307.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> found = partial_auc(sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), max_fpr=0.5)
    >>> found.area, round(found.value, 4)
    (0.25, 0.6667)
    """
    rule = "pass the largest tolerable false positive rate"
    limit = number_in("max_fpr", max_fpr, "[0, 1]", rule)
    number_in("max_fpr", limit, "(0, inf)", rule)
    absent = absent_class(sweep)
    if absent:
        return PartialAuc(value=nan, area=nan, max_fpr=limit, reason=absent)
    fpr, recall, _ = roc_curve(sweep)
    inside = int(np.searchsorted(fpr, limit, side="right"))
    x = np.append(fpr[:inside], limit)
    y = np.append(recall[:inside], np.interp(limit, fpr[inside - 1 :], recall[inside - 1 :]))
    area = float(np.trapezoid(y, x))
    least = limit * limit / 2
    return PartialAuc(value=(1 + (area - least) / (limit - least)) / 2, area=area, max_fpr=limit)

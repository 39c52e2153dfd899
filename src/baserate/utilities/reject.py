"""The option not to decide."""

from typing import Any

import numpy as np

from baserate._checks import number_in
from baserate.utilities.utility import UtilityMatrix


def chow_utilities(reject_cost: float, classes: Any = 2) -> UtilityMatrix:
    """Return the utilities of Chow's rule: right 1, wrong 0, no label 1 - `reject_cost`.

    No label is given where the largest probability is below 1 - `reject_cost`.

    Parameters
    ----------
    reject_cost : float
        In [0, 1], in units of what a wrong label costs. From 1 - 1/n_classes on, every case gets
        a label.
    classes : int or sequence of labels
        Their number, or their names.

    Returns
    -------
    UtilityMatrix
        One row per class, and "reject" last.

    References
    ----------
    Chow (1970), IEEE Transactions on Information Theory 16:41, doi:10.1109/TIT.1970.1054406.

    Examples
    --------
    >>> chow_utilities(0.25).decide([[0.8, 0.2], [0.6, 0.4], [0.1, 0.9]])
    array([0, 2, 1])
    """
    cost = number_in("reject_cost", reject_cost, "[0, 1]", "pass a cost in units of an error")
    names = tuple(range(classes)) if isinstance(classes, int) else tuple(classes)
    rows = [*np.eye(len(names)).tolist(), [1 - cost] * len(names)]
    return UtilityMatrix(rows, (*names, "reject"), None if isinstance(classes, int) else names)

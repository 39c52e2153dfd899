"""What the best cut point of a classifier costs, whatever costs and base rate are."""

from typing import Any

import numpy as np

from baserate._arith import plain
from baserate._checks import instance_of, numbers_in
from baserate.curves import convex_hull
from baserate.curves.cut_points import Sweep
from baserate.utilities.relations import cost_curve


def cost_envelope(sweep: Sweep, probability_cost: Any) -> Any:
    """Return the lower envelope of the cost lines: what the best cut point costs.

    Cost is normalised by that of deciding wrong in every case; probability cost
    PC = pi (1 - tau) / (pi (1 - tau) + (1 - pi) tau). The envelope belongs to the convex hull of
    the ROC curve. No constant decision costs less than min(PC, 1 - PC), which it includes.

    Parameters
    ----------
    sweep : Sweep
        Of any scores, with cases of both classes.
    probability_cost : float or array
        In [0, 1].

    Returns
    -------
    float or array of the same shape

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65:95, doi:10.1007/s10994-006-8199-5.

    Examples
    --------
    >>> from baserate.utilities import cost_envelope
    >>> from baserate.curves import sweep
    >>> cost_envelope(sweep([1, 0, 1, 0], [4, 3, 2, 1]), [0.0, 0.5, 1.0])
    array([0.  , 0.25, 0.  ])
    """
    instance_of("sweep", sweep, Sweep, "pass sweep(y_true, y_score)")
    pc = numbers_in("probability_cost", probability_cost, "[0, 1]", "pass a share")
    vertices = sweep.tables[convex_hull(sweep)]
    found, alarms = cost_curve(vertices, 1.0), cost_curve(vertices, 0.0)
    points = np.ravel(np.asarray(pc, dtype=float))
    # Lines in the order of the hull take turns: each is lowest up to where the next one crosses.
    moves = np.append(True, np.diff(alarms) - np.diff(found) > 0)  # a weight may be nothing
    found, alarms = found[moves], alarms[moves]
    more_alarms, fewer_misses = np.diff(alarms), -np.diff(found)
    turns = more_alarms / (more_alarms + fewer_misses)
    line = np.searchsorted(turns, points, side="left")
    lowest = found[line] * points + alarms[line] * (1 - points)
    return plain(lowest.reshape(np.shape(pc)))

"""Scores cut at a threshold: score >= threshold is a positive prediction."""

from typing import Any

import numpy as np

from baserate.errors import InvalidArgumentError


def cut(scores: Any, threshold: float | None, *, name: str = "score") -> np.ma.MaskedArray:
    """Return which scores reach the threshold; a missing score (nan) is masked.

    Parameters
    ----------
    scores : array-like of shape (n,)
    threshold : float or None
        None means 0.5, and then every score must lie in [0, 1].

    Raises
    ------
    InvalidArgumentError
        Scores are no numbers, or lie outside [0, 1] while no threshold was given.

    Examples
    --------
    >>> cut([0.2, 0.5, float("nan")], None).tolist()
    [False, True, None]
    """
    try:
        values = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        rule = "must be an array of numbers"
        raise InvalidArgumentError.from_rule(name, rule, str(error), "pass scores") from None
    absent = np.isnan(values)
    low, high = np.nanmin(values, initial=0), np.nanmax(values, initial=0)
    if threshold is None and (low < 0 or high > 1):
        given = f"scores from {low:g} to {high:g}"
        rule = "must be given when scores lie outside [0, 1]"
        raise InvalidArgumentError.from_rule("threshold", rule, given, "pass threshold")
    with np.errstate(invalid="ignore"):
        return np.ma.masked_array(values >= (0.5 if threshold is None else threshold), mask=absent)

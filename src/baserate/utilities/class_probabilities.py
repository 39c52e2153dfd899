"""Probabilities of classes at another base rate than that of the cases they come from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain, ratio
from baserate._checks import number_in, numbers_in, shape_of
from baserate.errors import InvalidArgumentError
from baserate.utilities.inputs import probabilities_of, shares_of

Floats = NDArray[np.float64]


def shift_base_rate(probabilities: Any, *, source: Any, target: Any) -> Any:
    """Return p'(c) proportional to p(c) target(c) / source(c): the prior, or label, shift.

    Right when the classes look the same as before and only their shares have changed. For two
    classes it is logit p' = logit p + logit target - logit source; weights in place of logits keep
    probabilities of 0 and 1 as they are, and tiny ones to full precision.

    Parameters
    ----------
    probabilities : array of shape (n_cases,), or (n_cases, n_classes)
        A vector holds the probability of the positive class; `source` and `target` are then single
        numbers.
    source, target : float, or sequence of n_classes shares
        Class shares where the probabilities come from, and where they will be used.

    Returns
    -------
    array of the same shape
        nan where a case is certain to be of a class that does not exist at the target.

    Raises
    ------
    InvalidArgumentError
        Shapes do not fit, shares do not sum to one, or a class is new at the target: a source share
        of 0 says nothing about it.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Neural Computation 14:21,
    doi:10.1162/089976602753284446, equation 2.4. Elkan (2001), IJCAI, theorem 2.

    Examples
    --------
    >>> from baserate import shift_base_rate
    >>> shift_base_rate([0.5, 0.9], source=0.5, target=0.1).round(6)
    array([0.1, 0.5])
    >>> shift_base_rate([[0.2, 0.3, 0.5]], source=[0.25, 0.25, 0.5], target=[0.5, 0.25, 0.25])
    array([[0.42105263, 0.31578947, 0.26315789]])
    """
    old, new = shape_of("source", source), shape_of("target", target)
    if old == new == ():
        return _shift_binary(probabilities, source, target)
    if len(old) != 1 or old != new:
        rule, remedy = "must have as many shares as source", "pass two numbers, or two sequences"
        raise InvalidArgumentError.from_rule("target", rule, new, remedy)
    n_classes = len(source)
    old = shares_of("source", source, n_classes)
    weights = _weights(old, shares_of("target", target, n_classes))
    raised = probabilities_of("probabilities", probabilities, n_classes) * weights
    return ratio(raised, raised.sum(axis=-1, keepdims=True))


def _shift_binary(probabilities: Any, source: Any, target: Any) -> Any:
    if np.ndim(probabilities) > 1:
        rule = "must be one share per class for probabilities of several classes"
        raise InvalidArgumentError.from_rule("source", rule, source, "pass two sequences of shares")
    p = np.asarray(numbers_in("probabilities", probabilities, "[0, 1]", "pass probabilities"))
    old = number_in("source", source, "[0, 1]", "pass the share of positives behind p")
    new = number_in("target", target, "[0, 1]", "pass the share of positives to expect")
    up, down = _weights(np.array([old, 1 - old]), np.array([new, 1 - new]))
    return plain(ratio(p * up, p * up + (1 - p) * down))


def _weights(source: Floats, target: Floats) -> Floats:
    """Return target / source up to a factor, the largest one 1."""
    new = (source <= 0) & (target > 0)
    if new.any():
        rule = "must be positive for every class that occurs at the target"
        remedy = "collect cases of that class first"
        raise InvalidArgumentError.from_rule("source", rule, source.tolist(), remedy)
    weights = np.divide(target, source, out=np.zeros_like(target), where=source > 0)
    return weights / weights.max()

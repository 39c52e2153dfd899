"""From what a classifier says to the probability of each class, and what it adds to decisions."""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain, ratio
from baserate._arrays import Array
from baserate._checks import float_array, instance_of, number_in, numbers_in, one_of, shape_of
from baserate._result import Result
from baserate.errors import InvalidArgumentError, InvalidCountError
from baserate.metrics.utilities import decision_counts
from baserate.utilities.constant_decisions import best_rows
from baserate.utilities.inputs import (
    index_of_positive,
    probabilities_of,
    shares_of,
)
from baserate.utilities.matrix import UtilityMatrix

Mode = Literal["generative", "discriminative"]

SAME = 1e-12  # shares that differ by less are the same shares


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


@dataclass(frozen=True, slots=True, eq=False)
class LabelTransducer:
    """Probabilities of the classes given a label that a classifier puts out.

    Learned from calibration counts n[z][c] of output z in class c, with a Dirichlet prior:

    - discriminative: p(c | z) = (n[z][c] + prior) / sum over c; right where the class shares are
      those of the calibration set;
    - generative: p(z | c) = (n[z][c] + prior) / sum over z, then p(c | z) proportional to
      p(z | c) target(c); right at any stated class shares, and exact for exchangeable outputs.

    Parameters
    ----------
    counts : ConfusionMatrix, or array of shape (n_outputs, n_classes)
        From cases that the classifier was not trained on; outputs in rows. Not shares, beside which
        the prior would outweigh them.
    prior : float, or array of the shape of the counts
        Pseudo-count in every cell, positive: 1 is uniform, others are what is known beforehand.
    positive : int
        Index of the positive class, to read a ConfusionMatrix.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2023), Don't guess what's true: choose what's optimal,
    doi:10.48550/arXiv.2302.10578. Dyrland, Lundervold and Porta Mana (2022), Does the evaluation
    stand up to evaluation?, doi:10.31219/osf.io/7rz8t, draft of 12 May, equations (16) to (25).

    Examples
    --------
    >>> from baserate.utilities import LabelTransducer
    >>> t = LabelTransducer([[43, 18], [7, 32]])
    >>> t.probabilities().round(4)
    array([[0.6984, 0.3016],
           [0.1951, 0.8049]])
    >>> t.probabilities(target=[0.9, 0.1]).round(4)
    array([[0.9542, 0.0458],
           [0.6857, 0.3143]])
    """

    counts: Any
    prior: Any = 1.0
    positive: int = 0

    def __post_init__(self) -> None:
        positive = index_of_positive(self.positive, (2, 2))
        counts = decision_counts("counts", self.counts, self).copy()
        if counts.ndim != 2 or 0 in counts.shape:
            rule, remedy = "must be one table", "put outputs in rows and classes in columns"
            raise InvalidCountError.from_rule("counts", rule, counts.shape, remedy)
        prior: Any = self.prior
        if np.ndim(prior):
            prior = float_array("prior", prior)
            if prior.shape != counts.shape or not ((prior > 0) & (prior < np.inf)).all():
                rule = f"must be positive, one number or one for each of {counts.shape} cells"
                remedy = "pass pseudo-counts, 1 is uniform"
                raise InvalidArgumentError.from_rule("prior", rule, prior.tolist(), remedy)
            prior.flags.writeable = False
        else:
            prior = number_in("prior", prior, "(0, inf)", "pass a pseudo-count, 1 is uniform")
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "positive", positive)

    def probabilities(self, *, target: Any = None, mode: Mode | None = None) -> Array:
        """Return p(class | output), one row for each output.

        Parameters
        ----------
        target : sequence of n_classes shares, optional
            Class shares where the classifier will be used. Default: those of the counts.
        mode : {"generative", "discriminative"}, optional
            Default: generative if `target` differs from the class shares of the counts.

        Raises
        ------
        InvalidArgumentError
            "discriminative" at other class shares than those of the counts.
        """
        smooth = self.counts + self.prior
        size = self.counts.sum()
        own = self.counts.sum(axis=0) / size if size else np.full(smooth.shape[1], np.nan)
        new = own if target is None else shares_of("target", target, smooth.shape[1])
        moved = target is not None and not np.allclose(new, own, rtol=0, atol=SAME)
        chosen = one_of(
            "mode", ("generative" if moved else "discriminative") if mode is None else mode, Mode
        )
        if chosen == "discriminative":
            if moved:
                rule = "must be 'generative' where class shares change"
                raise InvalidArgumentError.from_rule("mode", rule, mode, "leave it out")
            return smooth / smooth.sum(axis=1, keepdims=True)
        if not size and target is None:
            rule, remedy = "must be stated if the counts are all 0", "pass the class shares of use"
            raise InvalidArgumentError.from_rule("target", rule, target, remedy)
        joint = smooth / smooth.sum(axis=0) * new
        return joint / joint.sum(axis=1, keepdims=True)

    def decide(
        self, u: UtilityMatrix, *, target: Any = None, mode: Mode | None = None
    ) -> NDArray[np.intp]:
        """Return the index of the best decision after each output."""
        instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
        return u.decide(self.probabilities(target=target, mode=mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class Information(Result):
    """What outputs of a classifier are worth to someone who decides best, given each.

    ``float()`` gives `value`.

    Attributes
    ----------
    value : float
        Expected utility with the outputs less that without them: never negative; nan without cases.
    with_outputs : float
        Expected utility per case when each output is met by its best decision.
    without_outputs : float
        Expected utility per case of the best constant decision.
    perfect : float
        Expected utility per case of knowing every class.
    decisions : tuple of label
        The best decision after each output. All equal: the outputs change nothing.
    """

    value: float
    with_outputs: float
    without_outputs: float
    perfect: float
    decisions: tuple[Any, ...]

    def __float__(self) -> float:
        return self.value


def information(u: UtilityMatrix, counts: Any) -> Information:
    """Return what a classifier's outputs are worth once each is met by its best decision.

    Sum over outputs z of max over d of sum over c U[d][c] p(z, c), less max over d of sum over c
    U[d][c] p(c): never negative, and 0 where the outputs change no decision.

    Parameters
    ----------
    u : UtilityMatrix
    counts : ConfusionMatrix, or array of shape (n_outputs, n_classes)
        Outputs in rows, as many as there are: they need not be decisions. Plain counts are taken
        at their word; few cases make outputs look more informative than they are.

    References
    ----------
    Raiffa and Schlaifer (1961), Applied Statistical Decision Theory, chapter 4.

    Examples
    --------
    The paper's classifiers tell its manager nothing; a nearly perfect one would:

    >>> from baserate.utilities import information
    >>> from baserate.utilities import UtilityMatrix
    >>> u = UtilityMatrix([[15, -335], [-35, 165]])
    >>> information(u, [[27, 15], [23, 35]]).value, information(u, [[43, 18], [7, 32]]).value
    (0.0, 0.0)
    >>> information(u, [[49, 0], [1, 50]]).value
    24.5
    """
    instance_of("u", u, UtilityMatrix, "pass UtilityMatrix([[...]])")
    matrix = u.one_matrix("information")
    joint = decision_counts("counts", counts, u)
    if joint.ndim != 2 or joint.shape[1] != u.n_classes:
        rule = f"must be one table with {u.n_classes} columns, one for each class"
        raise InvalidCountError.from_rule("counts", rule, joint.shape, "put outputs in rows")
    p, floor = ratio(joint, joint.sum()), matrix.min(axis=0)
    gains = p @ (matrix - floor).T
    base = float(p.sum(axis=0) @ floor)
    informed, constant = float(gains.max(axis=1).sum()), float(gains.sum(axis=0).max())
    return Information(
        value=max(informed - constant, 0.0) if joint.sum() else nan,
        with_outputs=base + informed,
        without_outputs=base + constant,
        perfect=float(p.sum(axis=0) @ matrix.max(axis=0)),
        decisions=tuple(u.decision_names[i] for i in best_rows(gains)),
    )


def _shift_binary(probabilities: Any, source: Any, target: Any) -> Any:
    if np.ndim(probabilities) > 1:
        rule = "must be one share per class for probabilities of several classes"
        raise InvalidArgumentError.from_rule("source", rule, source, "pass two sequences of shares")
    p = np.asarray(numbers_in("probabilities", probabilities, "[0, 1]", "pass probabilities"))
    old = number_in("source", source, "[0, 1]", "pass the share of positives behind p")
    new = number_in("target", target, "[0, 1]", "pass the share of positives to expect")
    up, down = _weights(np.array([old, 1 - old]), np.array([new, 1 - new]))
    return plain(ratio(p * up, p * up + (1 - p) * down))


def _weights(source: Array, target: Array) -> Array:
    """Return target / source up to a factor, the largest one 1."""
    new = (source <= 0) & (target > 0)
    if new.any():
        rule = "must be positive for every class that occurs at the target"
        remedy = "collect cases of that class first"
        raise InvalidArgumentError.from_rule("source", rule, source.tolist(), remedy)
    weights = np.divide(target, source, out=np.zeros_like(target), where=source > 0)
    return weights / weights.max()

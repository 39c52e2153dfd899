"""Utility matrices: what each decision is worth when each class is true."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from baserate._arith import plain, ratio
from baserate._arrays import Array
from baserate._checks import float_array, instance_of, number_in, one_of, same_length, shape_of
from baserate.cases.columns import check_order
from baserate.errors import InvalidArgumentError, InvalidCountError, UnsupportedError
from baserate.metrics import Metric, utility
from baserate.utilities.constant_decisions import ConstantDecisions, best_rows, constants
from baserate.utilities.inputs import (
    check_matrix,
    counts_of,
    from_file,
    from_mapping,
    index_of_positive,
    indices,
    look_for_mistakes,
    names_of_both,
    probabilities_of,
    shares_of,
    weights_of,
)
from baserate.utilities.two_by_two import TwoByTwo


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UtilityMatrix(TwoByTwo):
    """Utility U[d][c] of decision d when class c is true, also called payoff or gain matrix.

    Decisions stand in rows, classes in columns, as in the literature on decisions; a confusion
    matrix has the truth in rows. Costs are negative utilities. Adding a number to a column, or
    multiplying everything by a positive one, changes no decision.

    Parameters
    ----------
    matrix : array of shape (n_decisions, n_classes), or (n_cases, n_decisions, n_classes)
        Finite numbers. The second shape holds one matrix for each case.
    decisions, classes : sequence of labels, optional
        Names of rows and columns, each once. Decisions default to the classes when the matrix is
        square; unnamed ones are called 0, 1, ...
    positive : int
        Index of the positive class, and of the decision that belongs to it.

    Raises
    ------
    InvalidArgumentError
        Utilities are not finite numbers in an array of these shapes; names do not fit them; or
        decisions named as the classes are, in which every right one is worth less than every wrong
        one, so that the numbers look like costs.

    Warns
    -----
    UserWarning
        A decision is never better than another one, whatever the class.

    References
    ----------
    Dyrland, Lundervold and Porta Mana (2022), Does the evaluation stand up to evaluation?,
    doi:10.31219/osf.io/7rz8t.

    Examples
    --------
    A lottery ticket costs 1 and wins 11:

    >>> from baserate import UtilityMatrix
    >>> u = UtilityMatrix([[10, -1], [0, 0]], decisions=["buy", "pass"], classes=["win", "lose"])
    >>> u.expected([0.25, 0.75])
    array([1.75, 0.  ])
    >>> u.decision_names[u.decide([0.25, 0.75])], round(u.threshold, 6)
    ('buy', 0.090909)

    Utility of money is rather its logarithm: pass that of what is owned afterwards. With 2 in the
    pocket the ticket is not worth it, at the paper's chance of 0.2; `exp` says what it is worth:

    >>> import numpy as np
    >>> log_money = UtilityMatrix(np.log(2 + u.matrix), decisions=["buy", "pass"])
    >>> log_money.decision_names[log_money.decide([0.2, 0.8])]
    'pass'
    >>> (np.exp(log_money.expected([0.2, 0.8])) - 2).round(2)
    array([-0.36,  0.  ])
    """

    matrix: Any
    decisions: Any = None
    classes: Any = None
    positive: int = 0

    def __post_init__(self) -> None:
        array = float_array("matrix", self.matrix).copy()
        check_matrix(array)
        array.flags.writeable = False
        decisions, classes = names_of_both(self.decisions, self.classes, array.shape[-2:])
        object.__setattr__(self, "matrix", array)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "decisions", decisions)
        object.__setattr__(self, "positive", index_of_positive(self.positive, array.shape[-2:]))
        if not self.per_case:
            look_for_mistakes(array, self.decision_names, guesses=decisions == classes)

    @classmethod
    def from_mapping(cls, mapping: Any, *, positive: int = 0) -> Self:
        """Read {decision: {class: utility}}; the first decision gives the order of the classes.

        Examples
        --------
        >>> from baserate import UtilityMatrix
        >>> UtilityMatrix.from_mapping(
        ...     {"buy": {"win": 10, "lose": -1}, "pass": {"win": 0, "lose": 0}}
        ... ).classes
        ('win', 'lose')
        """
        return cls(*from_mapping(mapping, positive)[:4])

    @classmethod
    def from_file(cls, path: Any, *, positive: int | None = None) -> Self:
        """Read utilities and names from a TOML or CSV file.

        A CSV file has the header ``decision,class,class,...`` and one row per decision. A TOML file
        has one table per decision, ``[utilities.buy]`` with ``win = 10``, and may name the positive
        class on its first line, ``positive = "win"``. Else the first class is positive. A broken
        file raises a DataError that names the decision and the class.
        """
        return cls(*from_file(path, positive)[:4])

    @property
    def n_decisions(self) -> int:
        """Rows."""
        return int(self.matrix.shape[-2])

    @property
    def n_classes(self) -> int:
        """Columns."""
        return int(self.matrix.shape[-1])

    @property
    def decision_names(self) -> tuple[Any, ...]:
        """Names of the rows; 0, 1, ... without any."""
        return tuple(range(self.n_decisions)) if self.decisions is None else self.decisions

    @property
    def class_names(self) -> tuple[Any, ...]:
        """Names of the columns; 0, 1, ... without any."""
        return tuple(range(self.n_classes)) if self.classes is None else self.classes

    @property
    def per_case(self) -> bool:
        """Whether there is one matrix for each case."""
        return self.matrix.ndim == 3

    def expected(self, probabilities: Any) -> Array:
        """Return the expected utility of each decision, sum over c of U[d][c] p(c).

        Parameters
        ----------
        probabilities : array of shape (n_cases, n_classes), or (n_classes,)
            Of the classes, in the order of the columns; each case sums to one.

        Returns
        -------
        array of shape (n_cases, n_decisions), or (n_decisions,)
        """
        return self._weigh(self.matrix, probabilities)

    def decide(self, probabilities: Any) -> Any:
        """Return the index of the decision with the largest expected utility.

        Among decisions that are equal within rounding (1e-12, relative to what is at stake) the
        first listed is taken.

        Parameters
        ----------
        probabilities : array of shape (n_cases, n_classes), or (n_classes,)

        Returns
        -------
        array of shape (n_cases,), or int
        """
        gains = self.matrix - self.matrix.min(axis=-2, keepdims=True)
        return plain(best_rows(self._weigh(gains, probabilities)))

    def utility_yield(self, counts: Any) -> Any:
        """Return the mean utility per case, sum of U[d][c] M[d][c] over n; nan without cases.

        Parameters
        ----------
        counts : ConfusionMatrix, ClassTable, or array of shape (..., n_decisions, n_classes)
            An array has decisions in rows and classes in columns, unlike scikit-learn's. Batches
            give one value per table. A class table is turned, and has the order of `classes` if
            these are named.

        Examples
        --------
        Classifiers A and B of the paper's story, in dollars:

        >>> from baserate import UtilityMatrix
        >>> u = UtilityMatrix([[15, -335], [-35, 165]])
        >>> u.utility_yield([[27, 15], [23, 35]]), u.utility_yield([[43, 18], [7, 32]])
        (3.5, -3.5)
        """
        matrix = self.one_matrix("utility_yield of counts")
        table = counts_of(self, counts, matrix.shape)
        return plain(ratio((table * matrix).sum(axis=(-2, -1)), table.sum(axis=(-2, -1))))

    def yield_from_labels(self, y_true: Any, decisions: Any, *, sample_weight: Any = None) -> float:
        """Return the mean utility per case of decisions already taken; nan without cases.

        Parameters
        ----------
        y_true, decisions : columns of labels
            Names of classes and of decisions; 0, 1, ... where these have no names.
        sample_weight : column, optional
            Non-negative weights.

        Raises
        ------
        LabelError
            A label is no class or no decision of this matrix, or the lengths differ.

        Examples
        --------
        Each case has its own stakes:

        >>> from baserate import UtilityMatrix
        >>> u = UtilityMatrix([[[2, -1], [0, 0]], [[50, -5], [0, 0]]])
        >>> u.yield_from_labels([0, 1], [0, 0])
        -1.5
        """
        given = {"y_true": y_true, "decisions": decisions, "sample_weight": sample_weight}
        check_order(given.items())
        truth = indices("y_true", y_true, self.class_names)
        rows = indices("decisions", decisions, self.decision_names)
        same_length("decisions", len(rows), "y_true", len(truth))
        weights = weights_of(sample_weight, len(truth))
        if self.per_case:
            self._one_each(len(truth))
        case = (np.arange(len(truth)),) if self.per_case else ()
        return float(ratio((weights * self.matrix[(*case, rows, truth)]).sum(), weights.sum()))

    def equivalent(self, other: "UtilityMatrix", *, up_to: str = "decisions") -> bool:
        """Whether another matrix says the same in another unit and from another zero.

        Parameters
        ----------
        other : UtilityMatrix
            Where both name their decisions, or classes, these are told by name: in another order
            they are the same, and others are not. Else they are told by place.
        up_to : {"decisions", "values"}
            "decisions": each class may have a zero of its own, since only the utilities of one
            class are ever weighed against each other; the two always choose alike, and rank
            classifiers alike that were tested on the same cases. "values": one zero for all, so
            that yields rank alike whatever the class shares.

        References
        ----------
        Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, section 2.4.

        Examples
        --------
        >>> from baserate import UtilityMatrix
        >>> triage = UtilityMatrix([[5, 0], [3, 4], [0, 6]])
        >>> triage.equivalent(UtilityMatrix([[12, -4], [8, 4], [2, 8]]))
        True
        >>> triage.equivalent(UtilityMatrix([[12, -4], [8, 4], [2, 8]]), up_to="values")
        False
        >>> named = UtilityMatrix([[9, 0], [0, 1]], decisions=["wait", "treat"])
        >>> named.equivalent(UtilityMatrix([[0, 1], [9, 0]], decisions=["treat", "wait"]))
        True
        """
        axis = 0 if one_of("up_to", up_to, ("decisions", "values")) == "decisions" else None
        instance_of("other", other, UtilityMatrix, "wrap the array in one")
        ours, theirs = (each.one_matrix("equivalence") for each in (self, other))
        if ours.shape != theirs.shape:
            return False
        for at, (own, named) in enumerate(
            ((self.decisions, other.decisions), (self.classes, other.classes))
        ):
            if own is not None and named is not None:
                if set(own) != set(named):
                    return False
                theirs = theirs.take([named.index(name) for name in own], axis=at)
        ours, theirs = (each - each.min(axis=axis) for each in (ours, theirs))
        units = [float(each.max()) or 1.0 for each in (ours, theirs)]  # 0: all decisions are alike
        return np.allclose(ours / units[0], theirs / units[1], rtol=0, atol=1e-12)

    def constant_decisions(self, class_shares: Any) -> ConstantDecisions:
        """Return what each decision is worth if always taken: what a classifier has to beat.

        Parameters
        ----------
        class_shares : sequence of n_classes shares, or float
            A single number is the share of the positive of two classes.

        Examples
        --------
        In the paper's story no classifier is needed: A yields 3.5, B -3.5.

        >>> from baserate import UtilityMatrix
        >>> found = UtilityMatrix([[15, -335], [-35, 165]]).constant_decisions(0.5)
        >>> found.expected, found.best, found.value, found.perfect
        ({0: -160.0, 1: 65.0}, 1, 65.0, 90.0)
        """
        matrix = self.one_matrix("constant_decisions")
        if shape_of("class_shares", class_shares) == () and self.n_classes == 2:
            rate = number_in("class_shares", class_shares, "[0, 1]", "pass the positives' share")
            class_shares = [rate, 1 - rate] if self.positive == 0 else [1 - rate, rate]
        shares = shares_of("class_shares", class_shares, self.n_classes)
        return constants(matrix, self.decision_names, shares)

    def skill(self, counts: Any) -> float:
        """Return (yield - best constant decision) / (perfect - best constant decision).

        0 is the best constant decision, 1 perfection; nan where these are equal.

        Parameters
        ----------
        counts : ConfusionMatrix, or array of shape (n_decisions, n_classes)
        """
        matrix = self.one_matrix("skill")
        table = counts_of(self, counts, matrix.shape)
        if table.ndim != 2 or not table.sum():
            rule, remedy = "must be a single table with cases", "pass one table at a time"
            raise InvalidCountError.from_rule("counts", rule, table.shape, remedy)
        shares = table.sum(axis=0) / table.sum()
        return self.constant_decisions(shares).skill(self.utility_yield(table))

    def as_metric(self) -> Metric:
        """Return the yield as a metric of confusion matrices, for chance, intervals and scorers.

        Examples
        --------
        >>> from baserate import UtilityMatrix
        >>> from baserate import ConfusionMatrix
        >>> metric = UtilityMatrix([[15, -335], [-35, 165]]).as_metric()
        >>> metric(ConfusionMatrix(tp=27, fn=23, fp=15, tn=35))
        3.5
        """
        self.one_matrix("as_metric")
        return utility(self.positive_first())

    def one_matrix(self, question: str) -> Array:
        """Return the matrix of all cases, or refuse the question if each case has its own."""
        if self.per_case:
            shape = self.matrix.shape
            raise UnsupportedError(
                f"{question} needs one matrix for all cases, got {shape}: ask about one of them, "
                "or use yield_from_labels, expected and decide, which take one for each case."
            )
        return self.matrix

    def __repr__(self) -> str:
        words = [np.array2string(self.matrix, separator=", ", floatmode="unique", threshold=100)]
        words += [f"decisions={list(self.decisions)}"] if self.decisions is not None else []
        words += [f"classes={list(self.classes)}"] if self.classes is not None else []
        return f"UtilityMatrix({', '.join(words)}, positive={self.positive})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UtilityMatrix):
            return NotImplemented
        return self._key() == other._key() and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self._key(), tuple(self.matrix.ravel().tolist())))

    def _key(self) -> tuple[Any, ...]:
        return self.matrix.shape, self.decisions, self.classes, self.positive

    def _weigh(self, matrix: Array, probabilities: Any) -> Array:
        p = probabilities_of("probabilities", probabilities, self.n_classes)
        if not self.per_case:
            return p @ matrix.T
        if p.ndim == 2:
            self._one_each(len(p))
        return np.einsum("ndc,...nc->...nd", matrix, np.atleast_2d(p))

    def _one_each(self, n_cases: int) -> None:
        if n_cases != len(self.matrix):
            rule = f"must hold one matrix for each of {n_cases:,} cases"
            remedy = "pass the cases in the order of the matrices"
            raise InvalidArgumentError.from_rule("matrix", rule, self.matrix.shape, remedy)

"""Several classifiers of several classes: on the same cases, or in tables counted elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.cases import Cases
from baserate.cases.labels import adder
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import listed
from baserate.class_counts import ClassTable, total
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from baserate.evaluation.class_stakes import ClassStakes, classes_of
from baserate.evaluation.contest import refuse_too_few
from baserate.evaluation.published_tables import class_tables_in
from baserate.evaluation.stakes import GivenStakes, same_label, usual_positive
from baserate.facts.comparison import TurnFact
from baserate.inference.class_pairs import ClassPairs

Floats = NDArray[np.float64]
SEVERAL = 3  # labels, none of them named positive, that are compared as classes
MOST = 10  # turns that are kept: those nearest to an even cost
Counts = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class ClassContest:
    """Classifiers, on the same cases or on test sets of their own."""

    stakes: ClassStakes
    cells: Mapping[str, Floats]  # how often each one decided what in which class
    cases: ClassCases | None = None  # the same cases; None for separate test sets
    missing: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)  # where the data came from

    @classmethod
    def of_cases(
        cls, cases: ClassCases, given: GivenStakes, about: Mapping[str, Any]
    ) -> "ClassContest":
        """Count what every classifier decided in which class."""
        stakes = ClassStakes.of(given, cases.labels)
        decided = {name: stakes.decide(one, name) for name, one in cases.scores_of.items()}
        cases = replace(cases, predictions={**cases.predictions, **decided})
        if cases.decisions is None and stakes.named:  # predictions stand for the rows
            cases = replace(cases, decisions=stakes.decisions)
        return cls(
            stakes=stakes, cells=_cells(cases, stakes), cases=cases, missing=cases.n_missing,
            about=about,
        )  # fmt: skip

    @classmethod
    def of_tables(
        cls, tables: Mapping[str, ClassTable], given: GivenStakes, about: Mapping[str, Any]
    ) -> "ClassContest":
        """Take class tables that were counted elsewhere, each on a test set of its own."""
        labels = total(tables.values()).labels
        names = given.matrix.classes
        if names is not None and set(labels) <= set(names):
            labels = names
        stakes = ClassStakes.of(given, labels)
        if len(stakes.decisions) != len(labels):
            rule = f"must have a decision for each of {len(labels)} classes, as class tables have"
            remedy = "pass the cases, with columns of decisions"
            shape = " x ".join(map(str, stakes.matrix.shape))
            raise InvalidArgumentError.about("utility", f"{rule}, got {shape}: {remedy}.")
        cells = {name: table.reorder(labels).counts.T for name, table in tables.items()}
        for name, counts in cells.items():
            if not counts.sum():
                raise DataError(f"The table of {name!r} holds no cases: leave it out.")
            if (counts % 1).any():
                raise UnsupportedError(
                    "The counts are weights, and sums alone do not say how many cases they rest "
                    "on: pass unweighted counts."
                )
        return cls(stakes=stakes, cells=cells, about=about)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.cells)

    @property
    def n(self) -> float:
        """Cases, of all test sets together."""
        if self.cases is not None:
            return self.cases.n
        return float(sum(cells.sum() for cells in self.cells.values()))

    @property
    def class_counts(self) -> Floats:
        """Cases of each class, of all test sets together."""
        found = [cells.sum(axis=0) for cells in self.cells.values()]
        return found[0] if self.cases is not None else np.sum(found, axis=0)

    @property
    def same_shares(self) -> bool:
        """Whether all test sets hold the classes in the same shares."""
        if self.cases is not None:
            return True
        first, *others = (cells.sum(axis=0) for cells in self.cells.values())
        return all((first * x.sum() == x * first.sum()).all() for x in others)

    def table(self, name: str) -> ClassTable | None:
        """Return the class table of one classifier; None where decisions are no classes."""
        if self.stakes.named:
            return None
        cells = self.cells[name].T
        whole = self.cases is None or self.cases.weight is None
        return ClassTable(cells.astype(np.int64) if whole else cells, self.stakes.classes)

    def pairs(self, i: int, j: int) -> ClassPairs:
        """Return what two classifiers decided on the same cases."""
        cases = self.cases
        assert cases is not None
        a, b = (cases.predictions[cases.names[k]] for k in (i, j))
        d, k = self.stakes.matrix.shape
        how = {"count": cases.count, "n_decisions": d if d != k else None}
        return ClassPairs.of_cases(cases.truth, a, b, k, **how)

    def within(self, index: int) -> "ClassContest":
        """Return the same in one group of the cases."""
        cases = self.cases
        assert cases is not None
        part = cases.within(index)
        return replace(self, cells=_cells(part, self.stakes), cases=part)


def _cells(cases: ClassCases, stakes: ClassStakes) -> dict[str, Floats]:
    d, k = stakes.matrix.shape
    add = adder(cases.amount)
    return {
        name: add(called * k + cases.truth, cases.amount, d * k).astype(float).reshape(d, k)
        for name, called in cases.predictions.items()
    }


def classes_or_two(
    given: GivenStakes, cases: Cases, positive: Any, *, least: int = SEVERAL
) -> BinaryCases | ClassCases:
    """Tell every class from every other one if there are so many and none is named positive."""
    stakes_of_two = positive is None and given.of_two and given.kind != "accuracy"
    if stakes_of_two and cases.n_classes >= SEVERAL:
        raise InvalidArgumentError(
            f"{given.kind} (--{given.kind}) speaks of two classes, and there are "
            f"{cases.n_classes}: pass utility (--utility) with a column for each class, or "
            "positive (--positive) for one class against the rest."
        )
    richer = not given.of_two  # of two classes too, either of which may be called positive
    apart = (richer and (positive is None or cases.n_classes < SEVERAL)) or (
        positive is None and given.kind == "accuracy" and cases.n_classes >= least
    )
    if apart and not given.of_two and given.matrix.classes is None and cases.n_classes < SEVERAL:
        rule = "must name its two classes, of which an array does not say which comes first"
        remedy = "pass UtilityMatrix(..., decisions=, classes=), a mapping or a file"
        raise InvalidArgumentError.from_rule("utility", rule, "an array", remedy)
    if apart and positive is not None:
        labels = tuple(cases.truth.found().values())
        if not any(same_label(label, positive) for label in labels):
            rule, remedy = f"must be one of {listed(labels)}", "name a class of the data"
            raise InvalidArgumentError.from_rule("positive", rule, positive, remedy)
    return classes_of(cases, given) if apart else cases.binary(positive)


def tables_of_classes(data: Any, positive: Any) -> dict[str, ClassTable]:
    """Return class tables of several classes by name.

    None where they are of two classes, or one class is named positive: those are compared as counts
    of positives and negatives are.
    """
    tables = {str(name): table for name, table in class_tables_in(data).items()}
    if positive is not None or not tables or total(tables.values()).n_classes < SEVERAL:
        return {}
    refuse_too_few(tables)
    return tables


def usual_of_tables(data: Any) -> Any:
    """Return which label of class tables of two classes is positive by the usual rule, if any."""
    tables = class_tables_in(data).values()
    return usual_positive(total(tables).labels) if tables else None


def turns_of(
    names: tuple[str, str], a: Counts, b: Counts, labels: Sequence[Any]
) -> tuple[TurnFact, ...]:
    """Return at which cost of one error the better of two becomes the worse, all else being equal.

    If every error costs 1 but those of one kind, which cost x, then A is worth
    Δ - (x - 1)(e_A - e_B) more than B, where Δ is by how much more often A is right and e how often
    each makes that error, in shares of cases. So the ranking turns at x = 1 + Δ/(e_A - e_B), if
    that is positive: the ten nearest to 1, by their ratio to it. Kinds of errors are cases of one
    class called another one, and cases of one class called anything wrong.

    Examples
    --------
    A is right once more than B; it takes "c" for "a" twice more:

    >>> from baserate.evaluation.class_contest import turns_of
    >>> import numpy as np
    >>> a, b = [[9, 0, 0], [0, 9, 0], [3, 0, 6]], [[7, 1, 1], [1, 8, 0], [1, 0, 8]]
    >>> for turn in turns_of(("A", "B"), np.array(a), np.array(b), "abc"):
    ...     print(turn.truth, turn.prediction, round(turn.cost, 2), turn.above)
    c a 1.5 B
    a None 0.5 A
    """
    sizes = a.sum(), b.sum()
    cells = a * float(sizes[1]) - b * float(sizes[0])  # whole numbers, in units of one case
    lead = float(np.trace(cells))
    if not lead:
        return ()
    found = sorted(_turns(names, cells, lead, labels), key=lambda turn: abs(np.log(turn.cost)))
    return tuple(found[:MOST])


def _turns(
    names: tuple[str, str], cells: NDArray[np.float64], lead: float, labels: Sequence[Any]
) -> Iterator[TurnFact]:
    wrong = cells - np.diag(np.diagonal(cells))
    rows = wrong.sum(axis=1)
    kinds = [(i, j, wrong[i, j]) for i, j in zip(*np.nonzero(wrong), strict=True)]
    kinds += [(i, None, row) for i, row in enumerate(rows) if row and (wrong[i] != 0).sum() > 1]
    for i, j, more in kinds:
        cost = 1 + lead / more
        if cost > 0:
            above = names[1] if more > 0 else names[0]
            prediction = None if j is None else labels[j]
            yield TurnFact(truth=labels[i], prediction=prediction, cost=float(cost), above=above)

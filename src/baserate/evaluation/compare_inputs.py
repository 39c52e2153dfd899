"""Whatever holds several classifiers becomes one `Contest`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from baserate.cases import BinaryCases, Counted
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep
from baserate.errors import DataError, InvalidArgumentError, UnsupportedError
from baserate.evaluation.sources import (
    called,
    from_counts,
    from_tables,
    names_of,
    read_cases,
    refuse_given,
    refuse_one_class,
    refuse_second,
)

MOST = 30  # classifiers: beyond that nobody reads the pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where a score was cut, and what chose it: a metric, "threshold" or "tau".

    `also` names what chose other cuts that lead to the same decisions.
    """

    score: str
    threshold: float
    by: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Several classifiers, on the same cases or on test sets of their own.

    Attributes
    ----------
    tables : dict of name to ConfusionMatrix
    joint : BinaryCases or None
        The same cases; None for separate test sets.
    cuts : dict of name to Cut
    sweeps : dict of score to Sweep
    positive, labels
    assumed : bool
        Whether the positive class is the first of the utilities because nothing names one.
    missing : int
    about : mapping
        Where the data came from.
    """

    tables: dict[str, ConfusionMatrix]
    joint: BinaryCases | None
    positive: Any
    labels: tuple[Any, ...]
    assumed: bool = False
    missing: int = 0
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> float:
        """Cases, of all test sets together."""
        return (
            sum(table.n for table in self.tables.values()) if self.joint is None else self.joint.n
        )


def read_several(
    data: Any, predictions: Any, *, target: str | None, prediction: Any, score: Any, **how: Any
) -> tuple[BinaryCases, dict[str, Any]]:
    """Read several predictions or scores of the same cases, and say what to call them."""
    if target is None:
        refuse_given(
            "names columns of a frame or a file, not of arrays", {"prediction": prediction}
        )
        named, scores = _mapping("predictions", predictions), _mapping("score", score)
        if both := sorted(named.keys() & scores.keys()):
            rule, remedy = "must have names that no prediction has", "rename one of the two"
            raise InvalidArgumentError.from_rule("score", rule, both[0], remedy)
    else:
        refuse_second(predictions, target)
        named, scores = _names("prediction", prediction), _names("score", score)
        _names("groups", how["groups"])
    if not scores:  # a single score may still be cut in several places
        refuse_too_few(map(str, named))
    cases, source = read_cases(data, target=target, predictions=named, scores=scores, **how)
    called = target or "y_true"
    so = "one class cannot show which classifier is better: collect the other class"
    n_positive = int(cases.count[cases.truth].sum())
    refuse_one_class((n_positive, cases.n - n_positive), called, cases.positive, so)
    return cases, {"target": called, "source": source} if source else {"target": called}


def contest_of_tables(data: Any, positive: Any, *, assumed: bool) -> Contest:
    """Take tables that were counted elsewhere, each on a test set of its own."""
    return _separate(from_tables(data, positive), {}, assumed=assumed)


def contest_of_counts(path: str | PathLike[str], positive: Any, *, assumed: bool) -> Contest:
    """Read a file of counts, one row per classifier."""
    return _separate(from_counts(path, positive), {"source": called(path)}, assumed=assumed)


def _separate(counted: Counted, about: Mapping[str, Any], *, assumed: bool) -> Contest:
    tables = {", ".join(map(str, key)): table for key, table in counted.groups.items()}
    refuse_too_few(tables)
    if any(table.is_weighted for table in tables.values()):
        raise UnsupportedError(
            "The counts are weights, and how sure a comparison is depends on numbers of cases: "
            "pass unweighted counts."
        )
    return Contest(
        tables=tables, joint=None, positive=counted.positive, labels=(), assumed=assumed,
        about=about,
    )  # fmt: skip


def refuse_too_few(names: Iterable[str]) -> None:
    """Refuse a contest of one, and one that is too large to report."""
    found = list(names)
    if len(found) < 2:
        only = f"one only ({found[0]})" if found else "none with a name"
        raise DataError(
            f"A comparison needs two classifiers, and there is {only}: name another prediction or "
            "score, or another row of counts."
        )
    if len(found) > MOST:
        raise DataError(
            f"{len(found)} classifiers are too many for one comparison: compare at most {MOST}."
        )


def _mapping(argument: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        rule = "must name its columns when the truth is an array"
        remedy = 'pass {"A": array, "B": array}'
        raise InvalidArgumentError.from_rule(argument, rule, type(given).__name__, remedy)
    return {str(name): column for name, column in given.items()}


def _names(argument: str, named: Any) -> tuple[Any, ...]:
    if isinstance(named, Mapping):
        rule = "must name columns when the data are a frame or a file"
        raise InvalidArgumentError.from_rule(argument, rule, list(named), "name the columns")
    return names_of(named)

"""Rows as they are meant: labels by other names, and a row that stands for several cases."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.labels import Labels
from baserate.cases.values import distinct, from_text, label_of, listed
from baserate.errors import InvalidArgumentError

if TYPE_CHECKING:
    from baserate.cases.cases import Cases

MOST = 50_000_000  # rows that a count beside scores is written out to
Names = Mapping[Any, Any]  # what a label is called instead; None for a missing one


def names_told(given: Any) -> Names | None:
    """Read what labels are called instead: a mapping, or text such as "POS=yes,neg=no,void=".

    What has nothing behind its sign is missing, and nothing before it a prediction that is missing;
    None where nothing is told.

    Examples
    --------
    >>> from baserate.cases.restated import names_told
    >>> names_told("POS=yes,neg=no,void=")
    {'POS': 'yes', 'neg': 'no', 'void': None}
    """
    if given is None or isinstance(given, Mapping):
        return given or None
    texts = [given] if isinstance(given, str) else given
    found: dict[Any, Any] = {}
    for text in texts if isinstance(texts, Iterable) else [texts]:
        pairs = [pair.split("=", 1) for pair in str(text).split(",")]
        if any(len(pair) < 2 for pair in pairs):  # a label may hold a comma
            pairs = [str(text).split("=", 1)]
        if len(pairs[0]) < 2:
            rule, remedy = "must say what labels are called", "write for example POS=yes,neg=no"
            raise InvalidArgumentError.from_rule("relabel", rule, text, remedy)
        found |= {label or None: name or None for label, name in pairs}
    return found or None


def relabelled(cases: "Cases", names: Names) -> "Cases":
    """Call labels of the truth and of predictions by other names; None is a missing label.

    A truth that is missing stays so: nobody knows what it would have been.
    """
    columns = {cases.target: cases.truth, **cases.predictions}
    columns = {name: column for name, column in columns.items() if not column.decided}
    every = distinct(label for column in columns.values() for label in column.found().values())
    known = {*every, *(str(label) for label in every if label is not None)}
    if strange := [name for name in names if name not in known]:
        rule, held = "must name labels that occur", f"there are {listed(every)}"
        raise InvalidArgumentError.from_rule("relabel", rule, strange[0], held)
    found = {name: _renamed(column, names) for name, column in columns.items()}
    truth = found.pop(cases.target, cases.truth)
    if None in names:
        truth = _renamed(cases.truth, {label: names[label] for label in names if label is not None})
    return replace(cases, truth=truth, predictions={**cases.predictions, **found})


def _renamed(column: Labels, names: Names) -> Labels:
    return column._replace(labels=[_called(label, names) for label in column.labels])


def _called(label: Any, names: Names) -> Any:
    """Return what a label is called; text stands for numbers in a column of numbers."""
    if label in names:
        return label_of(names[label])
    if isinstance(label, str) or label is None or str(label) not in names:
        return label
    name = names[str(label)]
    number = from_text(name) if isinstance(name, str) else None
    return label_of(name if number is None else number)


def repeated(cases: "Cases", column: str) -> "Cases":
    """Take each row for as many cases as a column of its scores says, and drop that column."""
    times = np.asarray(cases.scores[column], dtype=float)
    wrong = ~((times >= 0) & (times == np.floor(times)) & (times < 2**53))
    if wrong.any():
        rule, given = "must hold whole numbers, cases of each row", times[wrong][0].item()
        remedy = "write 0 for a row that stands for none; what is no count is a weight (--weight)"
        raise InvalidArgumentError.from_rule("frequency", rule, given, remedy)
    scores, highest = (
        {name: score for name, score in those.items() if name != column}
        for those in (cases.scores, cases.highest)
    )
    many = times.astype(np.int64)
    found = replace(cases, scores=scores, highest=highest)
    if scores:
        return found.take(_each(many))
    sums = {name: getattr(cases, name) for name in ("weight", "squared")}
    sums = {name: None if each is None else each * times for name, each in sums.items()}
    found = replace(found, count=cases.count * many, **sums)
    return found if many.all() else found.take(many > 0)


def _each(many: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the row of each case: scores are judged case by case."""
    if many.sum() > MOST:
        rule, remedy = f"must count {MOST:,} cases at most beside scores", "pass classes as counts"
        raise InvalidArgumentError.from_rule("frequency", rule, int(many.sum()), remedy)
    return np.repeat(np.arange(len(many)), many)

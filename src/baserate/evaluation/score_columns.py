"""Scores of several classes: which column belongs to which class, however they were given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._checks import same_length
from baserate.cases.columns import is_device_array, to_host
from baserate.cases.scores import has_columns, score_array
from baserate.cases.values import NUMBERS, distinct, from_text, listed, python_value
from baserate.errors import InvalidArgumentError, LabelError
from baserate.evaluation.reading import SCORE, columns_like

Array = NDArray[np.float64]

NAME_THEM = "say which is whose: a mapping of label to column (--score LABEL=COLUMN ...)"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumns:
    """Columns of scores, one for each class."""

    # Of the columns: in the data, or of what was passed beside arrays; empty where these have no
    # names, and stand in the order of the labels.
    names: tuple[Any, ...]
    labels: tuple[Any, ...] | None = None  # whose each column is, where that was said
    values: Array | None = None  # the scores, unless they are columns of the data

    @classmethod
    def of(cls, score: Any, *, target: Any, known: Any = None) -> Self | None:
        """Read the argument `score`; None if that is the score of one class."""
        if isinstance(score, cls):  # of cases that were read before
            return score
        if target is not None:
            return cls._of_names(score, known)
        columns = columns_of_frame(score)
        if columns is not None:
            return cls(tuple(columns), None, _side_by_side(columns)) if len(columns) > 1 else None
        return cls((), None, _matrix(score)) if has_columns(score) else None

    @classmethod
    def _of_names(cls, score: Any, known: Any) -> Self | None:
        if isinstance(score, Mapping):
            return cls(tuple(score.values()), tuple(map(python_value, score)))
        single = isinstance(score, str)
        if score is None or not (single or isinstance(score, Sequence)):
            return None
        asked = [score] if single else list(score)
        if known is not None and len(asked) > 1 and all(isinstance(x, str) for x in asked):
            whose = _labelled(asked, known)
            if whose is not None:
                return cls(tuple(whose.values()), tuple(whose))
        if known is not None and any(isinstance(name, str) and "*" in name for name in asked):
            columns = known()
            if not all(name in columns for name in asked):
                fitting = columns_like(SCORE, asked, columns)
                if len(fitting) < 2:
                    rule, given = "must fit a column for each class", listed(fitting)
                    raise InvalidArgumentError.from_rule(SCORE, rule, given, "name the columns")
                return cls(fitting)
        return None if single or len(asked) < 2 else cls(tuple(asked))

    @property
    def by_name(self) -> tuple[Any, ...]:
        """The columns of the data; none where the scores are here."""
        return self.names if self.values is None else ()

    def arranged(self, found: Sequence[Any]) -> tuple[tuple[Any, ...], list[int]]:
        """Return the classes in order, and the place of the column of each."""
        if self.labels is not None:
            said = [_as_found(label, found) for label in self.labels]
            if lacking := [label for label in found if label not in said]:
                rule, remedy = "must have a column for every label", f"add {listed(lacking)}"
                raise LabelError.from_rule(SCORE, rule, f"columns of {listed(said)}", remedy)
        elif self.names:
            said = _matched(self.names, found)
        elif self.values is not None and len(found) != self.values.shape[1]:
            rule = f"must have a column for each label found ({listed(found)})"
            given = f"{self.values.shape[1]} columns"
            remedy = "pass a mapping of label to column, or a frame whose columns are the classes"
            raise LabelError.from_rule(SCORE, rule, given, remedy)
        else:
            said = list(distinct(found))
        order = distinct(said)
        if len(order) < len(said):
            twice = next(label for label in said if said.count(label) > 1)
            rule, remedy = "must be one column for each class", "name each class once"
            raise LabelError.from_rule(SCORE, rule, f"two columns of {twice!r}", remedy)
        return order, [said.index(label) for label in order]

    def called(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return what reports call the columns at these places."""
        return tuple(str(self.names[k]) for k in places) if self.names else (SCORE,)


def _labelled(asked: Sequence[str], known: Any) -> dict[str, str] | None:
    """Read LABEL=COLUMN of every class, as the command line has it; None of names of columns.

    A label and a column may hold = themselves: the column is one of the data.
    """
    if not all("=" in text for text in asked):
        return None
    try:
        columns = set(known())
    except InvalidArgumentError:  # a stream says no names before: the first = parts the two
        columns = set()
    if columns.issuperset(asked):
        return None
    whose: dict[str, str] = {}
    for text in asked:
        ways = [(text[:k], text[k + 1 :]) for k, sign in enumerate(text) if sign == "="]
        label, column = next((way for way in ways if way[1] in columns), ways[0])
        if label in whose:
            rule, remedy = "must be one column for each class", "name each class once"
            raise LabelError.from_rule(SCORE, rule, f"two columns of {label!r}", remedy)
        whose[label] = column
    return whose


def _as_found(label: Any, found: Sequence[Any]) -> Any:
    """Return the label that occurs and is written so: a command line knows text only."""
    if label in found:
        return next(each for each in found if each == label)
    same = [each for each in found if str(each) == str(label)]
    if same:
        return same[0]
    value = from_text(label)
    numbers = bool(found) and all(isinstance(each, NUMBERS) for each in found)
    if numbers and value is not None:
        return next((each for each in found if each == value), value)
    return label


def _matched(names: Sequence[Any], found: Sequence[Any]) -> list[Any]:
    """Return whose each column is: it is called like its class, or all have the same words around.

    Columns of classes that do not occur are found by what stands where the others have a label.
    """
    if set(found) <= set(names):
        return [python_value(name) for name in names]
    if len(names) < len(found):
        rule = f"must have a column for every label ({listed(found)})"
        given, remedy = f"columns {listed(names)}", "add those of the other classes"
        raise LabelError.from_rule(SCORE, rule, given, remedy)
    texts = {str(label): label for label in found}
    ways = _around(list(map(str, names)), list(texts))
    around = [way for way in ways if all(_fits(str(name), *way) for name in names)] or ways
    if len(around) != 1:
        why = "more than one way to read them" if around else "no way to read them"
        rule = "must be called like the classes, or like them with the same words around each"
        remedy = NAME_THEM
        if len(found) == 2:
            remedy = f"name one score of these two classes (compare judges several), or {NAME_THEM}"
        given = f"columns {listed(names)} beside labels {listed(found)}, which leave {why}"
        raise LabelError.about(SCORE, f"{rule}, got {given}: {remedy}.")
    [(before, after)] = around
    strange = [name for name in names if not _fits(str(name), before, after)]
    if strange:
        rule = f"must each be the column of a class, called like {before}LABEL{after}"
        raise LabelError.from_rule(SCORE, rule, listed(strange), NAME_THEM)
    inner = [str(name)[len(before) : len(str(name)) - len(after)] for name in names]
    return [texts[text] if text in texts else _as_found(text, found) for text in inner]


def _fits(name: str, before: str, after: str) -> bool:
    longer = len(name) > len(before) + len(after)
    return longer and name.startswith(before) and name.endswith(after)


def _around(names: Sequence[str], texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words around labels that make a column of every label; none wins."""
    known, anchor = set(names), max(texts, key=len)
    found: dict[tuple[str, str], None] = {}
    for name in names:
        at = name.find(anchor)
        while at >= 0:
            before, after = name[:at], name[at + len(anchor) :]
            if all(f"{before}{text}{after}" in known for text in texts):
                found[before, after] = None
            at = name.find(anchor, at + 1)
    return [("", "")] if ("", "") in found else list(found)


def _matrix(score: Any) -> Array:
    host = to_host(SCORE, score) if is_device_array(score) else score
    if isinstance(host, np.ma.MaskedArray):
        host = np.where(np.ma.getmaskarray(host), np.nan, host.data)
    try:
        return np.asarray(host, dtype=float)
    except (TypeError, ValueError):
        rule, remedy = "must hold numbers, a column for each class", "pass what predict_proba gives"
        raise InvalidArgumentError.from_rule(SCORE, rule, type(score).__name__, remedy) from None


def columns_of_frame(score: Any) -> dict[Any, Any] | None:
    """Return the columns of a frame by name; None of anything else."""
    if score is None or isinstance(score, (np.ndarray, list, tuple, str)):
        return None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(score, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    names = getattr(score, "columns", None)  # labels that are numbers, where pandas has them
    if names is None or len(names) != frame.shape[1] or (len(names) and not _plain(names)):
        names = frame.columns
    return {python_value(name): frame[:, k].to_native() for k, name in enumerate(list(names))}


def _plain(names: Any) -> bool:
    return all(isinstance(python_value(name), (str, *NUMBERS)) for name in names)


def _side_by_side(columns: Mapping[Any, Any]) -> Array:
    named = {f"{SCORE} of {name!r}": column for name, column in columns.items()}
    parts = [np.asarray(score_array(name, column), dtype=float) for name, column in named.items()]
    first = next(iter(named), SCORE)
    for name, part in zip(named, parts, strict=True):
        same_length(name, len(part), first, len(parts[0]))
    return np.stack(parts, axis=1) if parts else np.empty((0, 0))

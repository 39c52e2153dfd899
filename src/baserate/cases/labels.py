"""A column of labels as codes, what several columns say together, and which classes there are."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Mask
from baserate.cases.binary import check_sides, choose_positive
from baserate.cases.values import (
    NUMBERS,
    distinct,
    from_text,
    in_order,
    label_of,
    listed,
    plain_labels,
)
from baserate.errors import DataError, LabelError, shown

Codes = NDArray[np.intp]
Key = tuple[Any, ...]
Decide = Callable[[NDArray[np.float64]], Codes]  # of rows of scores, one for each class

FEW = 1000  # rows whose codes Python collects faster than NumPy counts them
SPARSE = 1 << 40  # possible combinations beyond which they are renumbered


class Labels(NamedTuple):
    """A column of labels: `labels[code]` of each row; None is a missing label.

    Several codes may stand for equal labels, such as 1 and True. `decided` labels are booleans that
    already say "positive?", because a score was cut. `name` is what messages call the column, where
    that is not what it is kept under.
    """

    codes: Codes
    labels: Sequence[Any]
    decided: bool = False
    name: str | None = None

    @classmethod
    def of(cls, values: Iterable[Any], *, decided: bool = False) -> Self:
        """Give labels numbers as they come; 1 and True stay apart until they are compared."""
        index: dict[Any, int] = {}
        codes = [index.setdefault((type(value), value), len(index)) for value in values]
        labels = [label_of(value) for _, value in index]
        return cls(np.array(codes, dtype=np.intp), labels, decided)

    def missing(self) -> Mask:
        """Say which rows have no label."""
        return np.array([value is None for value in self.labels], dtype=bool)[self.codes]

    def found(self) -> dict[int, Any]:
        """Return the labels that occur, by code."""
        few = len(self.codes) < FEW
        codes = (
            set(self.codes.tolist()) if few else np.flatnonzero(np.bincount(self.codes)).tolist()
        )
        return {code: self.labels[code] for code in codes}

    def take(self, rows: Any) -> "Labels":
        """Return the labels of some rows."""
        return self._replace(codes=self.codes[rows])


class Grouping(NamedTuple):
    """Which group each row belongs to: every combination of labels that occurs."""

    names: tuple[str, ...]  # the columns
    codes: Codes  # index into `keys`
    # one label per column, in order: numbers by size, then text by alphabet and numbers in it
    keys: tuple[tuple[Any, ...], ...]

    def take(self, rows: Any) -> "Grouping":
        """Return the groups of some rows; a group that has none left keeps its place."""
        return self._replace(codes=self.codes[rows])


def grouped(columns: Mapping[str, Labels]) -> Grouping | None:
    """Combine the labels of several columns; None without a column."""
    if not columns:
        return None
    sides = list(columns.values())
    rows, place = combinations([side.codes for side in sides], [len(s.labels) for s in sides])
    keys = [tuple(side.labels[int(side.codes[row])] for side in sides) for row in rows.tolist()]
    sort = in_order(dict.fromkeys(keys))
    index = {key: code for code, key in enumerate(sort)}
    to = np.array([index[key] for key in keys], dtype=np.intp)
    return Grouping(tuple(map(str, columns)), to[place], tuple(sort))


def read_alike(names: Sequence[str], *places: Iterable[Key]) -> dict[Key, Key]:
    """Return how the keys of several places read once they stand beside each other.

    A place that keeps text calls 0 and 1 "0" and "1". Beside numbers, text that is all numbers is
    read as such, as that of true labels is.
    """
    keys = [list(place) for place in places]
    found = [_read_column(name, [[k[i] for k in place] for place in keys])
             for i, name in enumerate(names)]  # fmt: skip
    return {
        key: tuple(map(_read, found, key))
        for key in dict.fromkeys(k for place in keys for k in place)
    }


def _read(read: Mapping[str, Any], label: Any) -> Any:
    return read.get(label, label) if isinstance(label, str) else label


def _read_column(name: str, places: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the numbers that the texts of a column stand for, if they do."""
    texts = [{label for label in place if isinstance(label, str)} for place in places]
    others = [{label for label in place if not isinstance(label, str)} for place in places]
    if not (any(texts) and any(others)):
        return {}
    read = {text: from_text(text) for text in sorted(set[str]().union(*texts))}
    pure = not any(text and other for text, other in zip(texts, others, strict=True))
    numbers = all(isinstance(label, NUMBERS) for other in others for label in other)
    if pure and numbers and None not in read.values() and len({*read.values()}) == len(read):
        return read
    for i, place in enumerate(texts):
        elsewhere = {label for j, other in enumerate(others) if j != i for label in other}
        written = {str(label): label for label in elsewhere}
        for text in sorted(place):
            if read[text] in elsewhere or text in written:
                label = shown(written.get(text, read[text]))
                raise DataError(
                    f"Group column {name!r} must hold labels of one type, got the text {text!r} "
                    f"beside {label}, which is no text, in another file: count one of them again, "
                    "with that column stored as in the other."
                )
    return {}


def combinations(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one row for every combination of codes that occurs, and which one each row has."""
    flat, size = codes[0].astype(np.intp), max(sizes[0], 1)
    for more, radix in zip(codes[1:], sizes[1:], strict=True):
        if size * radix > SPARSE:
            flat = np.unique(flat, return_inverse=True)[1]
            size = int(flat.max()) + 1
        flat = flat * radix + more
        size *= radix
    if size > len(flat):
        _, rows, flat = np.unique(flat, return_index=True, return_inverse=True)
        return rows, flat
    shown = np.full(size, -1, dtype=np.intp)
    shown[flat] = np.arange(len(flat))
    occurs = shown >= 0
    return shown[occurs], (np.cumsum(occurs) - 1)[flat]


def adder(amount: NDArray[Any]) -> Any:
    """Return the function (place, amount, size) that adds up such amounts without loss."""
    return _whole_sums if amount.dtype.kind == "i" else _exact_sums


def _whole_sums(place: NDArray[Any], count: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    if count.strides == (0,):  # every row is one case
        return np.bincount(place, minlength=size) * count[:1].sum()
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place, count)
    return sums


def _exact_sums(place: NDArray[Any], amount: NDArray[Any], size: int) -> NDArray[np.float64]:
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place, minlength=size)
    used = np.flatnonzero(counts)
    parts = np.split(amount[order], np.cumsum(counts[used])[:-1]) if len(used) else []
    sums = np.zeros(size)
    sums[used] = [fsum(part.tolist()) for part in parts]
    return sums


def likeliest(scores: NDArray[np.float64]) -> Codes:
    """Return the class with the highest score; the first among equals."""
    return np.argmax(scores, axis=1)


class Resolved(NamedTuple):
    """Whether each code of the truth, and of a prediction, is the positive label."""

    truth: Mask
    decided: Mask
    positive: Any
    labels: tuple[Any, ...]
    only_predicted: Counter[Any]  # labels that the truth never has, and of how many cases


def beside(
    truth: Labels,
    prediction: Labels,
    positive: Any,
    *,
    count: NDArray[np.int64],
    judged: bool,
    from_text: bool,
    **names: str,
) -> Resolved:
    """Resolve one prediction beside the truth, on the few labels that occur.

    Where cases are not `judged`, all stand as positive. `names` are what messages call both columns
    and the argument; see `choose_positive`.
    """
    true, side = truth.found() if judged else {}, prediction.found()
    if from_text:
        true, read = values_of([true, {} if prediction.decided else side])
        side = read or side
    predicted = () if prediction.decided else distinct(side.values())
    chosen = choose_positive(distinct(true.values()), predicted, positive, **names)
    hit: Callable[[Any], bool] = bool if prediction.decided else lambda label: label == chosen
    known, strange = {*true.values()}, Counter[Any]()
    for code, label in side.items() if len(known) > 1 and not prediction.decided else ():
        if label not in known:
            strange[label] += int(count[prediction.codes == code].sum())
    return Resolved(
        truth=_by_code(true, lambda label: label == chosen, len(truth.labels)) | (not judged),
        decided=_by_code(side, hit, len(prediction.labels)),
        positive=chosen,
        labels=distinct([*true.values(), *predicted]),
        only_predicted=strange,
    )


def _by_code(found: dict[int, Any], says: Callable[[Any], bool], size: int) -> Mask:
    hits = np.zeros(size, dtype=bool)
    for code, label in found.items():
        hits[code] = says(label)
    return hits


MOST = 5_000  # classes: their table takes 200 MB


class Classes(NamedTuple):
    """The classes, and which of them each code of each column is."""

    labels: tuple[Any, ...]
    places: list[NDArray[np.intp]]


def several_columns(
    columns: Sequence[Labels],
    names: Sequence[Any],
    labels: Sequence[Any] | None = None,
    *,
    decisions: Sequence[Any] | None = None,
    from_text: bool = False,
) -> Classes:
    """Find the classes in the truth, the first column, and in predictions.

    With `decisions`, which are no classes, predictions are placed among those; labels given keep
    their order, and one that no other column has is taken as meant.
    """
    _refuse_decided(columns, names)
    if decisions is not None:
        return _decided(columns, names, labels, decisions, from_text=from_text)
    every, found = labels_of_columns(columns, from_text=from_text)
    _refuse_many(every, names)
    if labels is None:
        for side, name in zip(found[1:], names[1:], strict=True):
            sides = [distinct(one.values()) for one in (found[0], side)]
            check_sides(*sides, target=str(names[0]), predicted=str(name))
        classes = every
    else:
        classes = _named(labels, every)
    if len(classes) < 2:
        also = ", and so do the predictions" if len(columns) > 1 else ""
        raise LabelError(
            f"{names[0]} holds one class only, {listed(classes)}{also}: pass cases of at least two "
            "classes, or name them all in labels."
        )
    place = {label: k for k, label in enumerate(classes)}
    sizes = [len(column.labels) for column in columns]
    return Classes(classes, [_places(*pair, place) for pair in zip(found, sizes, strict=True)])


def _decided(
    columns: Sequence[Labels],
    names: Sequence[Any],
    labels: Sequence[Any] | None,
    decisions: Sequence[Any],
    *,
    from_text: bool,
) -> Classes:
    """Find the classes in the truth alone, and the decisions in all other columns."""
    each = [labels_of_columns([column], from_text=from_text) for column in columns]
    every, read = each[0][0], [found[0] for _, found in each]
    classes = every if labels is None else _named(labels, every)
    if len(classes) < 2:
        rule, remedy = "must hold two classes or more", "pass cases of at least two classes"
        raise LabelError.from_rule(str(names[0]), rule, listed(classes), remedy)
    places = [{label: k for k, label in enumerate(classes)}]
    for side, name in zip(read[1:], names[1:], strict=True):
        place = {label: k for k, label in enumerate(decisions)}
        read_too = {_value(label): k for label, k in place.items()}
        strange = [x for x in distinct(side.values()) if x not in place and x not in read_too]
        if strange:
            rule, remedy = f"must hold decisions, {listed(decisions)}", "name them as there"
            raise LabelError.from_rule(str(name), rule, listed(strange), remedy)
        places.append(read_too | place)
    sizes = [len(column.labels) for column in columns]
    return Classes(classes, [_places(*x) for x in zip(read, sizes, places, strict=True)])


def labels_of_columns(
    columns: Sequence[Labels], *, from_text: bool = False
) -> tuple[tuple[Any, ...], list[dict[int, Any]]]:
    """Return the labels that occur in any column, in order, and those of each column by code."""
    found = [column.found() for column in columns]
    if from_text:
        found = values_of(found)
    return _plain(distinct(label for side in found for label in side.values())), found


def _named(labels: Sequence[Any], every: Sequence[Any]) -> tuple[Any, ...]:
    """Return the classes that were named, if they are all that occur."""
    names = plain_labels("labels", labels)
    read = tuple(from_text(name) for name in names)
    if every and all(isinstance(x, NUMBERS) for x in every) and None not in read:
        names = read  # a command line has only text for numbers
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        remedy = "name each class once"
        raise LabelError.from_rule("labels", "must differ", f"{twice!r} twice", remedy)
    if lost := [label for label in every if label not in set(names)]:
        rule, remedy = "must hold every label that occurs", f"add {listed(lost)}"
        raise LabelError.from_rule("labels", rule, listed(names), remedy)
    return names


def _plain(labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """Show False and True among other numbers as the numbers that they equal."""
    if any(isinstance(x, NUMBERS) and not isinstance(x, bool) for x in labels):
        return tuple(int(x) if isinstance(x, bool) else x for x in labels)
    return labels


def values_of(found: list[dict[int, Any]]) -> list[dict[int, Any]]:
    """Read values out of the text of all columns, or of none."""
    read = [{code: from_text(label) for code, label in side.items()} for side in found]
    return found if any(value is None for side in read for value in side.values()) else read


def _value(label: Any) -> Any:
    read = from_text(label)
    return label if read is None else read


def _places(found: dict[int, Any], size: int, place: dict[Any, int]) -> NDArray[np.intp]:
    places = np.zeros(size, dtype=np.intp)
    for code, label in found.items():
        places[code] = place[label]
    return places


def _refuse_decided(columns: Sequence[Labels], names: Sequence[Any]) -> None:
    for column, name in zip(columns, names, strict=True):
        if column.decided:
            raise LabelError(
                f"{name} is a score that was cut at a threshold, which tells two classes apart: "
                "pass predicted labels, or name the positive label."
            )


def _refuse_many(labels: Sequence[Any], names: Sequence[Any]) -> None:
    if len(labels) > MOST:
        raise LabelError(
            f"{' and '.join(map(str, names))} must hold the labels of at most {MOST:,} classes, "
            f"got {len(labels):,} such as {listed(labels[:3])}: pass labels, not measurements or "
            "identifiers, or coarser classes."
        )

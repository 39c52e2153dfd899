"""One protocol of results: frozen records that turn into plain JSON values and data frames."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Self, TypeVar, overload

import numpy as np

from baserate.errors import InvalidArgumentError, MissingDependencyError

Part = TypeVar("Part")


class Deferred(Sequence[Part]):
    """A tuple that is made when it is first looked at, and then kept.

    For what a report of very many parts leaves out, and the JSON does not. A copy of it is a plain
    tuple.

    Examples
    --------
    >>> from baserate._result import Deferred
    >>> later = Deferred(lambda: print("made") or (1, 2))
    >>> later[0], later[1]
    made
    (1, 2)
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Iterable[Part]]) -> None:
        self._make: Callable[[], Iterable[Part]] | None = make
        self._made: tuple[Part, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The tuple."""
        if self._make is not None:
            self._made, self._make = tuple(self._make()), None
        return self._made

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Part, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.parts[index]

    def __len__(self) -> int:
        return len(self.parts)

    def __eq__(self, other: object) -> bool:
        return self.parts == (other.parts if isinstance(other, Deferred) else other)

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return repr(self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.parts,)


HIDDEN: Mapping[str, None] = {"json": None}


def called(name: str) -> Mapping[str, str]:
    """Return the metadata of a field that a document calls by another name."""
    return {"json": name}


class Result:
    """A frozen record that answers `to_dict()`; the base class of all that is returned.

    Two records are equal when their answers are, and an undefined number is the same answer twice.
    One walker serves every class. A field may say otherwise in its metadata: `HIDDEN` leaves it
    out, ``called("name")`` gives it another name. Properties named in `derived` are added. A
    document of its own states the version of its names in `schema`.

    Examples
    --------
    >>> import math
    >>> from baserate._result import called, Result
    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Found(Result):
    ...     value: float
    ...     spans: tuple[tuple[int, int], ...] = field(metadata=called("at"))
    >>> Found(math.nan, ((1, 2), (4, 4))).to_dict()
    {'value': None, 'at': [[1, 2], [4, 4]]}
    """

    __slots__ = ()
    schema: ClassVar[int | None] = None
    derived: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Give each class of results one equality, before `dataclass` writes its own.

        What Python writes calls two records with nan equal where both hold the same object, and
        from 3.13 on never. Nor does it write raw records in place of words.
        """
        super().__init_subclass__(**options)
        for name, method in (("__eq__", _equal), ("__hash__", _hash), ("__repr__", cls.__repr__)):
            if name not in vars(cls):
                setattr(cls, name, method)

    def __repr__(self) -> str:
        """Return it in words: as a sentence, or as a small table."""
        return import_module("baserate.report.results").printed(self)

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return import_module("baserate.report.results").as_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON values: None for nan and infinities, lists for arrays."""
        version = {} if self.schema is None else {"schema": self.schema}
        return (
            version
            | record(self)
            | {name: json_ready(getattr(self, name)) for name in self.derived}
        )


class Crossed:
    """A table of counts, which prints as one: truth in rows, predictions in columns, margins."""

    __slots__ = ()

    def __radd__(self, other: object) -> Self:
        """Let `sum` begin with its 0."""
        if type(other) is int and other == 0:
            return self
        return NotImplemented

    def __str__(self) -> str:
        return import_module("baserate.report.results").crossed(self)

    def _repr_html_(self) -> str:
        return import_module("baserate.report.results").crossed_html(self)


def _equal(self: Any, other: object) -> Any:
    """Compare answers: records of one class, in which nan is equal to nan."""
    if self is other:
        return True
    if other.__class__ is not self.__class__ or not _has_value(self):
        return NotImplemented
    return all(map(_alike, _compared(self), _compared(other)))


def _hash(self: Any) -> int:
    return hash(_without_nan(_compared(self))) if _has_value(self) else object.__hash__(self)


def _has_value(result: Any) -> bool:
    """Tell records that are compared by value from those that are themselves: ``eq=False``."""
    parameters = getattr(result, "__dataclass_params__", None)
    return parameters is not None and parameters.eq


def _compared(result: Any) -> tuple[Any, ...]:
    return tuple(getattr(result, f.name) for f in fields(result) if f.compare)


def _alike(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, tuple | list) and type(one) is type(other):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[k], other[k]) for k in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        numbers = {one.dtype.kind, other.dtype.kind} <= set("biufc")
        return np.array_equal(one, other, equal_nan=numbers)
    return bool(one == other) or (_is_nan(one) and _is_nan(other))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _without_nan(value: Any) -> Any:
    """Return what is hashed: nan, whose hash is that of the object, is None."""
    if isinstance(value, tuple):
        return tuple(map(_without_nan, value))
    return None if _is_nan(value) else value


class Drawable(Result):
    """A result with a picture: `plot` draws it, with the display that the class names.

    Displays stand above all that they draw, so they are looked up by name, and loaded when one is
    asked for. Notebooks show the short text of a result; its picture costs nothing until then.
    """

    __slots__ = ()
    display: ClassVar[str]

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it with matplotlib; see the display, which is returned.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: those of a new figure.
        **options
            Those of the display, and of its own `plot`; ``plot=False`` for one that is not drawn,
            whose `to_svg` needs no matplotlib.

        Raises
        ------
        MissingDependencyError
            matplotlib is not installed.
        """
        return drawn(self, self.display, ax, options)


def drawn(result: Any, display: str, ax: Any, options: Mapping[str, Any]) -> Any:
    """Return the display of a result, by the name of its class."""
    displays = import_module("baserate.displays")
    return getattr(displays, display).from_result(result, ax=ax, **options)


def record(result: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain JSON values."""
    names = {f.name: f.metadata.get("json", f.name) for f in fields(result)}
    return {
        called: json_ready(getattr(result, name))
        for name, called in names.items()
        if called is not None and not name.startswith("_")
    }


def json_ready(value: Any) -> Any:
    """Return a value that JSON can hold: None for nan and infinities, text for other labels."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "dtype"):
        return json_ready(np.asarray(value).tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return _parts(value)


def _parts(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {_key(name): json_ready(part) for name, part in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [json_ready(part) for part in value]
    return record(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def _key(name: Any) -> str:
    """Return a name as JSON writes it; a group's values are joined."""
    return ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)


LIBRARIES = ("pandas", "polars", "pyarrow")


class Framed:
    """Many numbers, which `to_frame` gives as the rows of a data frame."""

    __slots__ = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping of columns to plain values per row."""
        raise NotImplementedError

    def to_frame(self, backend: Any = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : str, module or narwhals implementation, optional
            "pandas", "polars", "pyarrow" or another library that narwhals makes frames of. Default:
            the first of these three that is installed.
        """
        return frame_of(self.rows, backend)


def frame_of(rows: Sequence[Mapping[str, Any]], backend: Any = None) -> Any:
    """Return rows, which have the same columns, as a data frame.

    Parameters
    ----------
    rows : sequence of mapping
    backend : str, module or narwhals implementation, optional
        "pandas", "polars", "pyarrow" or another library that narwhals makes frames of. Default: the
        first of these three that is installed.

    Raises
    ------
    MissingDependencyError
        The library is not installed, or none of the three is.
    """
    import narwhals.stable.v2 as nw

    chosen: Any = _installed() if backend is None else backend
    columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
    try:
        return nw.from_dict(columns, backend=chosen).to_native()
    except ImportError:
        remedy = f"install {chosen}, or leave backend out"
        raise MissingDependencyError(f"backend needs {chosen}: {remedy}.") from None
    except Exception:  # noqa: BLE001  narwhals raises what its version likes
        rule = "must be a library that narwhals makes frames of"
        remedy = f"pass one of {', '.join(LIBRARIES)}"
        raise InvalidArgumentError.from_rule("backend", rule, backend, remedy) from None


def _installed() -> str:
    """Return the first library of data frames that is there."""
    for name in LIBRARIES:
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    raise MissingDependencyError.from_extra("pandas, polars or pyarrow", "A data frame", "arrow")

"""Parts of a result that cost nothing until somebody looks at them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, overload

Part = TypeVar("Part")


class Deferred(Sequence[Part]):
    """A tuple that is made when it is first looked at, and then kept.

    For what a report of very many parts leaves out, and the JSON does not. A copy of it is a plain
    tuple.

    Examples
    --------
    >>> from baserate._deferred import Deferred
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

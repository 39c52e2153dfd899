"""A published number beside the same number computed here, and what to call their difference.

Every number of a paper becomes a `Cell`. It agrees, or it is an erratum of which the right value is
known from elsewhere (algebra, exact fractions, brute force), or it is a failure. An erratum that is
none any more, because the numbers agree, is a failure too, and so is one whose right value is not
ours.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Literal

Status = Literal["agree", "erratum", "failure"]
ROUNDING = 1e-12  # of a decimal fraction in double precision, relative


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """What a paper should have printed.

    Attributes
    ----------
    value : float or str
        The right value, from something that is not the library under test.
    why : str
        What went wrong.
    proof : str
        How the right value is known.
    origin : str
        "paper" where the slip was seen in the published text or code or follows from it by proof,
        "our copy" where the text at hand may be garbled.
    """

    value: Any
    why: str
    proof: str
    origin: Literal["paper", "our copy"] = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One published number.

    Attributes
    ----------
    where : str
        Row and column, or the sentence.
    published : float or str
        As printed; text is a statement, and `ours` then says what holds.
    ours : float or str
        Recomputed through the public names.
    within : float
        Half a unit of the last printed digit, or what else the print allows.
    erratum : Erratum, optional
    """

    where: str
    published: Any
    ours: Any
    within: float = 0.0
    erratum: Erratum | None = None

    @property
    def agrees(self) -> bool:
        """Whether the printed number is ours, as far as it is printed."""
        return _same(self.published, self.ours, self.within)

    @property
    def status(self) -> Status:
        """What the difference is."""
        if self.erratum is None:
            return "agree" if self.agrees else "failure"
        right = _same(self.erratum.value, self.ours, _half_unit(self.erratum.value))
        return "erratum" if right and not self.agrees else "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cells of a table, or of the numbers of a section.

    Attributes
    ----------
    name : str
        As the paper has it.
    cells : tuple of Cell
    notes : tuple of str
        What differs by choice, and tolerances.
    rows : tuple of mappings
        A table made again from other data, of which nothing printed can be compared.
    """

    name: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()

    def having(self, status: Status) -> tuple[Cell, ...]:
        """Return the cells of one status."""
        return tuple(cell for cell in self.cells if cell.status == status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Misprint:
    """A slip in words, signs or references, from which no number follows.

    Attributes
    ----------
    where, printed, right, why : str
    origin : str
        As of an `Erratum`.
    """

    where: str
    printed: str
    right: str
    why: str
    origin: Literal["paper", "our copy"] = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure drawn anew.

    Attributes
    ----------
    name : str
    pictures : tuple of str
        Files under docs/pictures/papers, without their suffix.
    differs : str
        What differs from the original, and why.
    """

    name: str
    pictures: tuple[str, ...]
    differs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """Everything of one paper that can be computed.

    Attributes
    ----------
    name, reference : str
    tables : tuple of Table
    figures : tuple of Figure
    misprints : tuple of Misprint
    """

    name: str
    reference: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = field(default=())
    misprints: tuple[Misprint, ...] = field(default=())

    def errata(self) -> Iterator[tuple[Table, Cell]]:
        """Yield every erratum with the table that it stands in."""
        for table in self.tables:
            for cell in table.having("erratum"):
                yield table, cell


def printed(value: float, digits: int) -> float:
    """Return half a unit of the last of so many printed decimals, and what rounding adds.

    Examples
    --------
    >>> printed(0.64, 2)
    0.00500000000064
    """
    return 0.5 * 10.0**-digits + ROUNDING * abs(value)


def _same(published: Any, ours: Any, within: float) -> bool:
    if isinstance(published, str) or isinstance(ours, str):
        return published == ours
    if isnan(published) or isnan(ours):
        return isnan(published) and isnan(ours)
    return bool(abs(published - ours) <= within + ROUNDING * abs(published))


def _half_unit(value: Any) -> float:
    """Return what a right value that is written as a decimal fraction leaves open."""
    if isinstance(value, str | int) or isnan(value):
        return 0.0
    _, _, decimals = repr(float(value)).partition(".")
    return 1e-6 * abs(value) if "e" in decimals else 0.5 * 10.0 ** -len(decimals)

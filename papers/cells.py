"""A published number beside the same number computed here, and what to call their difference.

Every number of a paper becomes a `Cell`. It agrees, or there is a finding about it of which the
right value is known from elsewhere (algebra, exact fractions, brute force), or it is a failure. A
finding that is none any more, because the numbers agree, is a failure too, and so is one whose
right value is not ours.

Not every cell recomputes something: its basis says what stands behind our number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Literal, get_args

Kind = Literal["substance", "misprint", "remark", "our copy"]
Basis = Literal["recomputed", "consistency", "arithmetic", "other data"]
Status = Literal["agree", "differs", "substance", "misprint", "remark", "our copy", "failure"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BASES: tuple[Basis, ...] = get_args(Basis)
STATES: tuple[Status, ...] = get_args(Status)
ROUNDING = 1e-12  # of a decimal fraction in double precision, relative


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What there is to say about a printed number.

    Attributes
    ----------
    kind : {"substance", "misprint", "remark", "our copy"}
        "substance" where a reader who relies on the print is misled; "misprint" where the paper
        itself shows what is meant, and for last digits; "remark" where nothing is wrong, but an
        edge case, a definition or an omission deserves a word; "our copy" where the text at hand
        is damaged, so that the print is not known.
    value : float or str
        The right value, from something that is not the library under test.
    why : str
        What is different.
    proof : str
        How the right value is known.
    """

    kind: Kind
    value: Any
    why: str
    proof: str


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
    within : float
        Half a unit of the last printed digit, or what else the print allows.
    finding : Finding, optional
    decimals : int, optional
        How many the print has, where its last ones are zeros (0.20, 0.00).
    basis : {"recomputed", "consistency", "arithmetic", "other data"}
        "recomputed" where `ours` comes out of public names of the library; "consistency" where
        printed numbers are held against other printed numbers; "arithmetic" where no name of the
        library takes part; "other data" where a sentence is asked of data that are not the
        paper's, and need not hold.
    """

    where: str
    published: Any
    ours: Any
    within: float = 0.0
    finding: Finding | None = None
    decimals: int | None = None
    basis: Basis = "recomputed"

    @property
    def agrees(self) -> bool:
        """Whether the printed number is ours, as far as it is printed."""
        return _same(self.published, self.ours, self.within)

    @property
    def status(self) -> Status:
        """What the difference is."""
        if self.finding is None:
            beside = "differs" if self.basis == "other data" else "failure"
            return "agree" if self.agrees else beside
        right = _same(self.finding.value, self.ours, _half_unit(self.finding.value))
        return self.finding.kind if right and not self.agrees else "failure"


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

    def counts(self) -> dict[Basis, dict[Status, int]]:
        """Return how many cells of each basis have which status; those that there are.

        Examples
        --------
        >>> Table(name="", cells=(Cell(where="recall", published=0.5, ours=0.5),)).counts()
        {'recomputed': {'agree': 1}}
        """
        kept: dict[Basis, dict[Status, int]] = {}
        for cell in self.cells:
            of_basis = kept.setdefault(cell.basis, {})
            of_basis[cell.status] = of_basis.get(cell.status, 0) + 1
        return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A finding on words, signs or references, from which no number follows.

    Attributes
    ----------
    kind : {"substance", "misprint", "remark", "our copy"}
        As of a `Finding`.
    where, printed, right, why : str
    proof : str
        How that is known, where the text does not show it.
    """

    kind: Kind
    where: str
    printed: str
    right: str
    why: str
    proof: str = "the text beside it"


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
    words : tuple of Wording
    """

    name: str
    reference: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = field(default=())
    words: tuple[Wording, ...] = field(default=())

    def found(self, kind: Kind) -> int:
        """Return how many cells and words have a finding of one kind."""
        of_words = sum(one.kind == kind for one in self.words)
        return of_words + sum(len(table.having(kind)) for table in self.tables)

    def causes(self, kind: Kind) -> int:
        """Return how many different causes the findings of one kind have."""
        cells = (cell for table in self.tables for cell in table.having(kind))
        reasons = {cell.finding.why for cell in cells if cell.finding is not None}
        return len(reasons) + sum(one.kind == kind for one in self.words)


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

"""What was read, as plain frozen records."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from baserate._result import Result


class ClassSize(NamedTuple):
    """How many cases have a label."""

    label: Any
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesFacts(Result):
    """Cases that were read.

    Attributes
    ----------
    n : float
        Cases, whatever their weight.
    missing : int
        Cases left out because something was missing.
    source : str or None
        Name and format of a file.
    classes : tuple of ClassSize
        Empty where tables do not say.
    positive : label
        None of several classes, and where nothing says which one it is.
    predictions, scores, groups : tuple of str
        Columns; of counted tables the names of these.
    n_clusters, n_strata, n_runs : int or None
        None for independent cases; strata are those that clusters lie in, runs those of items.
    """

    n: float
    missing: int = 0
    source: str | None = None
    target: str | None = None
    classes: tuple[ClassSize, ...] = ()
    positive: Any = None
    predictions: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    n_groups: int = 0
    n_clusters: int | None = None
    n_strata: int | None = None
    n_runs: int | None = None
    weighted: bool = False

"""Histograms of scores as the data of the front doors: one in memory, or a file that holds one."""

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from baserate.counts import CELLS
from baserate.curves.histogram_files import is_histogram
from baserate.curves.score_histogram import BINS, ScoreHistogram
from baserate.errors import InvalidArgumentError
from baserate.evaluation.published_tables import CountsFile
from baserate.evaluation.reading import SCORE, check_shared, is_file, read_cases
from baserate.evaluation.refusals import refuse
from baserate.evaluation.scoring import LARGEST

HEAD = 1 << 16  # bytes that show what a file holds


def counted_scores(data: Any, score: Any, **beside: Any) -> tuple[Any, Any]:
    """Return a histogram, read if need be, and what to call its score; other data as they are.

    A file is looked into only where nothing beside it names columns or arrays.
    """
    if is_path(data) and beside.get("target") is None and score is None:
        data = histogram_in(data)
    if not isinstance(data, ScoreHistogram):
        return data, score
    refuse("histogram", score=score, **beside)
    return data, SCORE


def counted_classifiers(data: Any) -> dict[str, ScoreHistogram]:
    """Return histograms by name, read where they are files; none if data are anything else."""
    if not isinstance(data, Mapping) or not data:
        return {}
    named: Mapping[Any, Any] = data
    found = {str(k): histogram_in(v) if is_path(v) else v for k, v in named.items()}
    counted = {k: value for k, value in found.items() if isinstance(value, ScoreHistogram)}
    if counted and len(counted) < len(found):
        other = next(name for name in found if name not in counted)
        rule = "must be a histogram of scores, as the others are"
        raise InvalidArgumentError.from_rule(other, rule, type(found[other]).__name__, "count it")
    return counted


def is_path(data: Any) -> bool:
    """Whether data are the path of a file of cases, or of a histogram."""
    named = isinstance(data, str | PathLike) and not isinstance(data, CountsFile)
    return named and is_file(data) and str(data) != "-"


def counts_in(data: Any, *named: Any) -> Any:
    """Return the path of a file that says that it holds counts as that of one; other data as given.

    It is looked into only where no column or array is named.
    """
    if any(one is not None for one in named) or not is_path(data) or not holds_counts(data):
        return data
    return CountsFile(data)


def holds_counts(path: str | PathLike[str]) -> bool:
    """Whether the first record of a text file names the four counts of a table."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(HEAD).decode(errors="ignore").lstrip("\ufeff \n[")
    except OSError:  # whoever reads it has the better message
        return False
    record = text.partition("}" if text.startswith("{") else "\n")[0]
    names = (name.strip(" \r\n\t{\"'").lower() for name in re.split("[,;\t:]", record))
    return {*CELLS} <= {*names}


def histogram_in(path: str | PathLike[str]) -> Any:
    """Return the histogram that a file holds, or the path of any other file."""
    if not is_histogram_file(path):
        return path
    return ScoreHistogram.load(path)


def is_histogram_file(path: str | PathLike[str]) -> bool:
    """Whether a file says that it holds a histogram of scores."""
    try:
        with Path(path).open("rb") as file:
            return is_histogram(file.read(HEAD))
    except (OSError, ValueError):  # whoever reads it has the better message
        return False


def count_scores(
    data: Any,
    /,
    *,
    target: str,
    score: str,
    groups: Any = None,
    positive: Any = None,
    missing: str = "error",
    many_groups: bool = False,
    bins: int | None = None,
    progress: Any = None,
) -> ScoreHistogram:
    r"""Count the scores of a frame or a file of any size, where they lie.

    Up to a million cases are read, and their distinct scores kept apart while they fit. Beyond, the
    engine that holds the data counts them in cells of the grid, and only counts leave it.

    Parameters
    ----------
    data : frame, lazy frame, path or binary file object
        What `evaluate` takes with named columns.
    target, score : str
        Columns of true labels and of scores, higher for positive.
    groups : str or sequence of str, optional
        Group columns; every combination that occurs is counted.
    positive, missing, many_groups, progress : optional
        As in `evaluate`.
    bins : int, optional
        Rows that are kept at most; default as `ScoreHistogram` has it.

    Returns
    -------
    ScoreHistogram
        Those of days, partitions and sites add up. It is data for `evaluate`, `thresholds`, `audit`
        and `compare`.

    Raises
    ------
    BaserateError
        In one sentence, as in `evaluate`.

    Examples
    --------
    >>> from baserate import count_scores
    >>> import io
    >>> day = io.BytesIO(b"ill,risk\n1,0.8\n0,0.3\n1,0.4\n0,0.1\n")
    >>> count_scores(day, target="ill", score="risk")
    <ScoreHistogram: 2 positives, 2 negatives, exact>
    """
    check_shared(missing=missing, many_groups=many_groups, positive=positive, target=target)
    for name, column in (("target", target), ("score", score)):
        if not isinstance(column, str):
            rule = "must name a column"
            raise InvalidArgumentError.from_rule(name, rule, column, "name it")
    cases, _ = read_cases(
        data, target=target, scores=(score,), groups=groups, positive=positive, missing=missing,
        many_groups=many_groups, progress=progress, hold=LARGEST,
    )  # fmt: skip
    made = ScoreHistogram.of(cases, bins=BINS if bins is None else bins)
    made.columns = (target, score)
    return made

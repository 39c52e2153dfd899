"""Histograms of scores as the data of the front doors: one in memory, or a file that holds one."""

from os import PathLike
from pathlib import Path
from typing import Any

from baserate.curves.histogram_files import is_histogram
from baserate.curves.score_histogram import ScoreHistogram
from baserate.evaluation.sources import SCORE, CountsFile, is_file, refuse_given

HEAD = 1 << 16  # bytes that show what a file holds
NO_CASES = "has no meaning beside a histogram of scores, which holds no cases one by one"


def counted_scores(data: Any, score: Any, **beside: Any) -> tuple[Any, Any]:
    """Return a histogram, read if need be, and what to call its score; other data as they are.

    A file is looked into only where nothing beside it names columns or arrays.

    Raises
    ------
    InvalidArgumentError
        Something is given beside a histogram that only cases one by one can answer.
    """
    names = {"target": beside.get("target"), "score": score}
    if is_path(data) and not any(value is not None for value in names.values()):
        data = histogram_in(data)
    if not isinstance(data, ScoreHistogram):
        return data, score
    beside["missing"] = None if beside.get("missing") == "error" else beside.get("missing")
    groups = beside.get("groups")
    beside["groups"] = None if isinstance(groups, list | tuple) and not groups else groups
    refuse_given(NO_CASES, {**names, **beside})
    return data, SCORE


def is_path(data: Any) -> bool:
    """Whether data are the path of a file of cases, or of a histogram."""
    named = isinstance(data, str | PathLike) and not isinstance(data, CountsFile)
    return named and is_file(data) and str(data) != "-"


def histogram_in(path: str | PathLike[str]) -> Any:
    """Return the histogram that a file holds, or the path of any other file."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(HEAD)
    except OSError:  # whoever reads it has the better message
        return path
    return ScoreHistogram.load(path) if is_histogram(head) else path

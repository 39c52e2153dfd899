"""Reports: the same facts as terminal text, JSON, Markdown or one HTML page.

Facts come in, text goes out. Nothing is computed here, so that the formats cannot disagree.
"""

from os import PathLike

from baserate.facts import EvaluationFacts
from baserate.report.files import Origin, origins, refuse_origin, write_text
from baserate.report.formats import format_of, load

__all__ = [
    "Origin",
    "format_of",
    "origins",
    "refuse_origin",
    "render",
    "write",
    "write_text",
]


def render(
    facts: EvaluationFacts,
    format: str = "table",  # noqa: A002 - the word that the command line uses
    *,
    color: bool = False,
) -> str:
    """Return a report.

    Parameters
    ----------
    facts : EvaluationFacts
    format : {"table", "json", "markdown", "html"}
        "table" is plain text for a terminal.
    color : bool
        Whether to add colour codes of a terminal to a "table"; other formats have none.

    Raises
    ------
    UnknownNameError
        No such format.
    MissingDependencyError
        The format needs a package that is not installed: rich for "table", jinja2 for "html".

    Examples
    --------
    >>> from baserate.counts import ConfusionMatrix
    >>> facts = EvaluationFacts(
    ...     positive="yes", labels=("no", "yes"), n=100, missing=0, base_rate=0.4,
    ...     table=ConfusionMatrix(tp=35, fn=5, fp=10, tn=50), guess="dutch_draw",
    ...     confidence_level=0.95, metrics=(),
    ... )
    >>> print(render(facts, "markdown").splitlines()[2])
    Of the 40 positives, 88% are found (recall); of the 45 alarms, 78% are right (precision).
    """
    drawn = load(format)
    return drawn(facts, color=True) if color and format == "table" else drawn(facts)


def write(
    facts: EvaluationFacts,
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that the command line uses
) -> None:
    """Write a report to a file that appears whole or not at all.

    Parameters
    ----------
    facts : EvaluationFacts
    path : path-like
    format : {"table", "json", "markdown", "html"}, optional
        Default: what the suffix stands for (.txt, .json, .md, .markdown, .html, .htm).

    Raises
    ------
    InvalidArgumentError
        The suffix stands for no format, and none is named.
    OSError
        The file cannot be written.
    """
    write_text(path, render(facts, format_of(path) if format is None else format))

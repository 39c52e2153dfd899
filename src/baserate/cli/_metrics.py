"""`baserate metrics`: the catalogue with its facts."""

from pathlib import Path
from typing import Literal

from baserate.cli._output import chosen_format, deliver
from baserate.report.catalogue import render_catalogue

Format = Literal["table", "json", "markdown", "html"]


def metrics(*, format: Format | None = None, output: Path | None = None) -> int:  # noqa: A002
    """List every metric with its names, formula and facts.

    Parameters
    ----------
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    """
    deliver(render_catalogue(chosen_format(format, output)), output)
    return 0

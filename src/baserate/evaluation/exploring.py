"""The explorer of a result on its page."""

from typing import TYPE_CHECKING

from baserate.evaluation.result import Reported

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer


def explorer_on_page(result: Reported, format: str) -> "Explorer | None":  # noqa: A002
    """Return the explorer of a result's scores for its page; no other format has one."""
    if format != "html" or result.cases is None:
        return None
    from baserate.report.explorer import explorer_of_facts

    return explorer_of_facts(result.sweeps, result.facts)

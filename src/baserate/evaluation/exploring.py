"""The explorer of a result on its page."""

from dataclasses import replace
from typing import TYPE_CHECKING

from baserate.cases.two_classes import BinaryCases
from baserate.evaluation.result import EVERYONE, Reported

if TYPE_CHECKING:
    from baserate.facts.comparison import ComparisonFacts  # loads what only comparisons need
    from baserate.report.explorer import Explorer


def explorer_on_page(result: Reported, format: str) -> "Explorer | None":  # noqa: A002
    """Return the explorer of a result's scores for its page; no other format has one."""
    if format != "html" or result.cases is None:
        return None
    from baserate.report.explorer import explorer_of_facts

    return explorer_of_facts(result.sweeps, result.facts)


def explorer_of_scores(
    cases: BinaryCases | None,
    facts: "ComparisonFacts",
    format: str,  # noqa: A002
) -> "Explorer | None":
    """Return the explorer of several scores of the same cases, each with its groups, for a page."""
    if format != "html" or cases is None:
        return None
    from baserate.curves.cut_points import sweeps_by_group, sweeps_of
    from baserate.report.explorer import explorer_of_comparison

    swept = {
        name: {
            EVERYONE: whole,
            **sweeps_by_group(replace(cases, scores={name: cases.scores[name]})),
        }
        for name, whole in sweeps_of(cases).items()
    }
    return explorer_of_comparison(swept, facts)

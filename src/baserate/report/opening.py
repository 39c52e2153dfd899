"""What every report begins with, and how its sheet becomes text, JSON, Markdown or a page."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from baserate import _figures as figures
from baserate.facts.report import ReportFacts, UnverifiedFact
from baserate.report.pictures import UNDRAWN, Pictures
from baserate.report.sheet import Sheet, render_sheet, shows_details

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # loads curves, which only pages need

LEVEL = 0.05


def opened(
    kind: str, facts: ReportFacts, drawn: Pictures, *, answer: tuple[str, ...], **parts: Any
) -> Sheet:
    """Return a sheet with what those of all reports share: a title, a warning, a document."""
    return Sheet(
        title=f"{kind} of {source_of(facts)}",
        answer=(*unverified(facts.unverified), *answer),
        style=drawn.style,
        document=facts.to_dict,
        **parts,
    )


def source_of(facts: ReportFacts) -> str:
    """Name where the data came from."""
    return figures.label(facts.source) if facts.source else "data in memory"


def cases_dropped(facts: ReportFacts) -> str:
    """Say how many rows were dropped, after the number of cases."""
    rows = "row" if facts.missing == 1 else "rows"
    return f"; {figures.count(facts.missing)} {rows} dropped as missing" if facts.missing else ""


def about_lines(*lines: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the lines that say what the data are, without empty ones."""
    return tuple((heading, text) for heading, text in lines if text)


def render(
    sheet_of: Callable[..., Sheet],
    facts: ReportFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    details: bool = False,
    drawn: Pictures = UNDRAWN,
    explorer: "Explorer | None" = None,
    **beside: Any,
) -> str:
    """Return a report as "table" (text), JSON, Markdown or one HTML page."""
    shown = shows_details(format, details=details)
    sheet = replace(sheet_of(facts, drawn, in_full=shown, **beside), explorer=explorer)
    return render_sheet(sheet, format, color=color, details=details)


def unverified(fact: UnverifiedFact | None) -> tuple[str, ...]:
    """Say that the rows kept are no sample of all, if that is beyond luck."""
    if fact is None or not fact.p_value <= LEVEL:
        return ()
    share, other = (
        figures.percent(part / whole)
        for part, whole in ((fact.alarms, fact.n), (fact.kept_alarms, fact.kept))
    )
    alarms = "are alarms" if fact.name is None else f"are alarms of {figures.label(fact.name)}"
    if fact.label is not None:
        by = "" if fact.name is None else f" by {figures.label(fact.name)}"
        alarms = f"are called {figures.quoted(fact.label)}{by}"
    if not math.isnan(fact.above):
        alarms = f"score {figures.short(fact.above)} or more"
    first = (
        f"Beware: of {figures.count(fact.n)} rows without a truth {share} {alarms}, of the "
        f"{figures.count(fact.kept)} kept {other} ({figures.p_stated(fact.p_value)}): the rows "
        "kept are no sample of all."
    )
    if fact.label is not None:
        return first, "Recall of the classes, accuracy and what rests on them mislead."
    second = "Recall, specificity and what rests on them mislead"
    if not math.isnan(fact.corrected):
        second += (
            f": recall is {figures.short(fact.recall)} of the rows kept, and about "
            f"{figures.short(fact.corrected)} of all if the truth was looked up by the alarm alone"
        )
    return first, f"{second}."

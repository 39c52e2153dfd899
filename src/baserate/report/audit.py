"""An audit as a sheet: findings, groups by metrics coloured by verdict, pictures, every test."""

from dataclasses import replace
from typing import TYPE_CHECKING

from baserate import _figures as figures
from baserate.facts.audit import AuditFacts, GapFact
from baserate.facts.scores import CalibrationFact
from baserate.report import scores
from baserate.report.audit_details import details_of, forests, held, smoothing
from baserate.report.audit_matrix import FEW, largest_gaps, matrix_of, too_small
from baserate.report.audit_methods import of_audit
from baserate.report.audit_shown import in_brief, left_out, shown_of
from baserate.report.audit_words import (
    answer,
    called,
    clusters_of,
    method,
    reference_of,
    weights_of,
)
from baserate.report.catalogue import named
from baserate.report.methods import for_paper
from baserate.report.pictures import UNDRAWN, Pictures
from baserate.report.sheet import Figure, Grid, Remarks, Sheet, render_sheet
from baserate.report.verification import unverified
from baserate.report.words import reason_of, sentence_case, small_cells, spoken

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # loads curves, which only pages need

MORE = (
    "The gap that each group would miss, every p-value, interval and smoothed value: --details "
    "(details=True), or the JSON and HTML reports."
)
APART = "Tested apart from the comparisons above, at the same {level}."


def render_audit(
    facts: AuditFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    details: bool = False,
    drawn: Pictures = UNDRAWN,
    explorer: "Explorer | None" = None,
) -> str:
    """Return an audit as text, JSON, Markdown or one HTML page.

    Text and Markdown hold details if asked for. A page shows what is `drawn`, a forest by metric,
    and the explorer of the scores.
    """
    sheet = replace(_sheet(facts, drawn), explorer=explorer, document=facts.to_dict)
    if format == "markdown" and not details:
        short = tuple(p for p in sheet.parts if isinstance(p, Figure) or not p.detail)
        sheet = replace(sheet, parts=short, method=(MORE, *sheet.method))
    return render_sheet(sheet, format, color=color, details=details)


def _sheet(facts: AuditFacts, drawn: Pictures = UNDRAWN) -> Sheet:
    shown = shown_of(facts)
    return Sheet(
        title=f"Audit of {figures.label(facts.source) if facts.source else 'data in memory'}",
        answer=(*unverified(facts.unverified), *answer(facts)),
        about=_about(facts),
        parts=(
            matrix_of(shown, left_out(facts)),
            *forests(facts, drawn.svgs),
            largest_gaps(((named(gap.name), gap) for gap in shown.gaps), figures.number),
            _calibration(in_brief(facts)),
            Remarks(title="Left out of gaps, since undefined", pairs=_left_out(shown.gaps)),
            too_small((spoken(gap.name), gap) for gap in shown.gaps),
            *details_of(facts, shown, drawn.svgs),
            drawn.lacking,
            Remarks(title="What was tested", pairs=held(facts), detail=True),
            Remarks(title="Smoothing", pairs=smoothing(shown), detail=True),
            for_paper(of_audit(facts)),
        ),
        more=MORE,
        style=drawn.style,
        method=method(facts),
    )


def _left_out(gaps: tuple[GapFact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (sentence_case(spoken(gap.name)), _undefined(gap)) for gap in gaps if gap.undefined
    )


def _undefined(gap: GapFact) -> str:
    few = gap.undefined[:FEW]
    more = f"; and {len(gap.undefined) - FEW} more" if gap.undefined[FEW:] else ""
    return "; ".join(f"{called(group)} ({reason})" for group, reason in few) + more


def _calibration(facts: AuditFacts) -> Grid | Remarks:
    """Return whether the probabilities of each group are right on the whole."""
    if facts.calibration_reason:
        why = (("Calibration by group", sentence_case(reason_of(facts.calibration_reason))),)
        return Remarks(title="Not in this report", pairs=why)
    found = CalibrationFact(observed=0, expected=0, measures=(), groups=facts.calibration)
    grid = scores.calibration_by_group(found)
    return replace(grid, note=f"{grid.note} {APART.format(level=figures.level(facts.alpha))}")


def _about(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    t, show = facts.table, figures.count
    rows = "row" if facts.missing == 1 else "rows"
    missing = f"; {show(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    total = show(t.n) if facts.effective_n is None else f"total weight {show(t.n)}"
    cases = f"{total}: {show(t.n_positive)} positive, {show(t.n_negative)} negative{missing}"
    lines = (
        ("Positive", figures.quoted(facts.positive)),
        ("Cases", cases),
        ("Weights", weights_of(facts)),
        ("Clusters", clusters_of(facts)),
        ("Small cells", small_cells(facts.suppression)),
        ("Groups", f"{len(facts.groups):,}, compared with {reference_of(facts)}"),
        ("Truth", figures.quoted(facts.target) if facts.target else ""),
        ("Prediction", _prediction(facts)),
        ("Base rate", "" if facts.base_rate is None else f"restated at {facts.base_rate:g}"),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _prediction(facts: AuditFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        return f"positive where {figures.quoted(facts.score)} is {facts.threshold:g} or more"
    return figures.quoted(facts.prediction) if facts.prediction else ""

"""What every report begins with, its pictures, and how its sheet becomes text or a page."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate import _figures as figures
from baserate.counts import ConfusionMatrix
from baserate.errors import BaserateError
from baserate.facts.report import ReportFacts, SampledFacts, UnansweredFact, UnverifiedFact
from baserate.report.sheet import Figure, Part, Remarks, Sheet, render_sheet, shows_details

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # loads curves, which only pages need

REPEATED = (
    "Weights are not counts: if a weight says how many cases a row stands for, pass it as "
    "frequency (--frequency) instead."
)
FEW_WEIGHED, HEAVY = 50, 5  # effective cases, and how many times as much the weights add up to
FILL_IN = "fill in what a missing value counts as, which may change what follows"
STRANGE = (
    "Beware: predictions that the truth never has ({found}) count as not positive; {gone} with "
    "--missing drop leaves them out."
)
JOINED = "All labels but {} count as negative; --relabel joins some (low=no,high=yes)."
REFUSED = "Pictures that could not be drawn"
# What a picture shows and how it is read, by its name among the `displays()` of a result.
HOW_TO_READ = {
    "roc": "Ranking: each point is a cut. Upwards, the share of positives found; to the right, the "
    "share of negatives called positive by mistake. A score that knows nothing follows the dashed "
    "line.",
    "calibration": "Can the probabilities be believed? Of the cases given a probability (to the "
    "right), the share that it came true for (upwards). Right ones follow the dashed line; the "
    "band holds the whole curve.",
    "decision_curve": "Is it worth using? Net benefit if those above a risk are treated, beside "
    "treating everyone and no one. Look at the risks at which one would act; the highest line did "
    "best there in these cases.",
    "score_distribution": "Do positives get higher scores? Scores of positives and of negatives, "
    "each as shares of their class. The less they overlap, the better.",
    "threshold": "Where to cut: each metric at every cut, above the scores of the cases. A hollow "
    "mark, where there is one, is the best cut of these cases, which flatters it; dashed: by luck.",
    "chance": "Is it better than luck? How often guessing with as many alarms would find each "
    "share of the positives, and the share that was found. Shaded: luck as good or better.",
    "confusion": "Of the cases in each row, how many were called what. What is right lies on the "
    "diagonal.",
    "recall": "Of the cases of each class, how many are found; dashed: what calling as many so at "
    "random would find.",
    "precision": "Of the cases called each class, how many are it; dashed: what calling as many so "
    "at random would get right.",
    "yields": "What each classifier is worth per case, with its interval; dashed: the best "
    "constant decision, which a classifier has to beat.",
    "differences": "The leading classifier less the next by each metric; where an interval covers "
    "the dashed line, either may be better.",
    "classes": "The same in each class: left of the dashed line the next one did better. Squares: "
    "classes whose adjusted p-value is below 0.05.",
    "groups": "Groups side by side: value and interval of each; dashed: what it is judged by, with "
    "as many cases of each class as the group has.",
    "classes_by_group": "Each class in each group: value and interval; dashed: what the others "
    "have; grey: true values that would go unseen.",
}

LEVEL = 0.05


class Pictures(NamedTuple):
    """Pictures for a page: SVG by name, the rules of their colours, and why some are lacking."""

    svgs: Mapping[str, str] = {}
    style: str = ""
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def lacking(self) -> Remarks:
        """Why some could not be drawn."""
        return Remarks(REFUSED, self.refused)


UNDRAWN = Pictures()  # of every format but a page


def drawn_of(drawn: Iterable[tuple[str, Callable[[], str]]], style: str) -> Pictures:
    """Write pictures; say why some could not be drawn."""
    svgs: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    for name, write in drawn:
        try:
            svgs[name] = write()
        except BaserateError as error:
            refused.append((name.replace("_", " "), str(error)))
    return Pictures(svgs, style if svgs else "", tuple(refused))


def captioned(drawn: Pictures) -> tuple[Part, ...]:
    """Return pictures under the captions that say how they are read, and why some are lacking."""
    svgs = drawn.svgs.items()
    shown = (Figure(svg=svg, note=HOW_TO_READ.get(name, "")) for name, svg in svgs)
    return (*shown, drawn.lacking)


def opened(
    kind: str, facts: ReportFacts, drawn: Pictures, *, answer: tuple[str, ...], **parts: Any
) -> Sheet:
    """Return a sheet with what those of all reports share: a title, a warning, a document."""
    return Sheet(
        title=f"{kind} of {source_of(facts)}",
        answer=(*_beware(facts), *answer, *_joined(facts)),
        brief=facts.brief,
        style=drawn.style,
        document=facts.to_dict,
        **parts,
    )


def _beware(facts: ReportFacts) -> tuple[str, ...]:
    """Say what a reader of any report must know before its answer."""
    lost = (*unverified(facts.unverified), *unanswered(facts.unanswered), *_strange(facts))
    return (*lost, REPEATED) if _seem_counts(facts) else lost


def _strange(facts: ReportFacts) -> tuple[str, ...]:
    """Say of labels that only predictions have that they count as no alarms."""
    if not facts.only_predicted:
        return ()
    found = ", ".join(
        f"{figures.count(n)} of {figures.quoted(label)}"
        for label, n in facts.only_predicted.items()
    )
    names = ",".join(f"{label}=" for label in facts.only_predicted)
    gone = f"--relabel{'=' if names.startswith('-') else ' '}{quote(names)}"
    if {*"=,"} & {*"".join(facts.only_predicted)}:  # by which typed labels are told apart
        gone = "relabel={LABEL: None} in Python"
    return (STRANGE.format(found=found, gone=gone),)


def _joined(facts: ReportFacts) -> tuple[str, ...]:
    """Say that several labels count as negative, where that may not be meant."""
    if facts.n_labels - len(facts.only_predicted) <= 2:
        return ()
    return (JOINED.format(figures.quoted(getattr(facts, "positive", None))),)


def _seem_counts(facts: ReportFacts) -> bool:
    """Whether weights seem to be counts: whole, and worth few cases where they add up to many."""
    if not isinstance(facts, SampledFacts) or not 0 < (facts.effective_n or 0) <= FEW_WEIGHED:
        return False
    table = next((part.table for part in facts.parts() if part.table is not None), None)
    if table is None or table.is_weighted:
        return False
    return table.n >= HEAVY * (facts.effective_n or 0)


def source_of(facts: ReportFacts) -> str:
    """Name where the data came from."""
    return figures.label(facts.source) if facts.source else "data in memory"


def cases_dropped(facts: ReportFacts) -> str:
    """Say how many rows were dropped, after the number of cases."""
    lost = {"dropped as missing": facts.missing, "of weight 0 left out": facts.idle}
    return "".join(
        f"; {figures.count(n)} {'row' if n == 1 else 'rows'} {why}" for why, n in lost.items() if n
    )


def classes_of(
    facts: ReportFacts, *tables: ConfusionMatrix, judged: bool = True
) -> tuple[str, str]:
    """Return what the positive label is called, and say how many cases of each class there are."""
    [table, *others] = tables
    show = figures.count
    if facts.graded:
        right = "answers marked right or wrong" if others else f"{show(table.tp)} marked right"
        return "Right", right
    if not judged:
        return "Positive", f"{show(table.n_predicted)} called positive; no true labels"
    return "Positive", f"{show(table.n_positive)} positive, {show(table.n_negative)} negative"


def about_lines(*lines: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the lines that say what the data are, without empty ones."""
    return tuple((heading, text) for heading, text in lines if text not in ("", figures.NOTHING))


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
    """Return a report as "table" (text), JSON, Markdown or one HTML page.

    The JSON is the facts, which nothing is laid out for.
    """
    if format == "json":
        return render_sheet(Sheet(title="", answer=(), parts=(), document=facts.to_dict), format)
    shown = shows_details(format, details=details, brief=facts.brief)
    stated = getattr(facts, "base_rate", None) if getattr(facts, "restated", True) else None
    with figures.stated_at(stated):
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


def unanswered(fact: UnansweredFact | None) -> tuple[str, ...]:
    """Say that the rows left out are of other classes than those kept, if that is beyond luck."""
    if fact is None or not fact.p_value <= LEVEL:
        return ()
    lost, kept = (
        figures.percent(part / whole)
        for part, whole in ((fact.of_label, fact.n), (fact.kept_of_label, fact.kept))
    )
    n, of_label, whole = map(figures.count, (fact.n, fact.of_label, fact.kept))
    found = f"of {n} rows dropped as missing {of_label} are {figures.quoted(fact.label)} ({lost})"
    found += f", of the {whole} kept {kept} ({figures.p_stated(fact.p_value)})"
    return (f"Beware: {found}: {FILL_IN}.",)

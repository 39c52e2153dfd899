"""The size of a validation in words: how many cases, and which measure asks for so many."""

from math import ceil, isnan
from operator import itemgetter
from typing import Any

from baserate import _figures as figures
from baserate.groups.power import SmallestGap
from baserate.inference.validation_size import ValidationSize
from baserate.report.columns import SPAN, Column, grid, text, within
from baserate.report.sheet import Grid, Sheet, render_sheet

NAMES = {
    "oe": "O:E",
    "slope": "calibration slope",
    "auc": "ROC area",
    "net_benefit": "standardized net benefit",
}
METHOD = (
    "Cases at which each {level} interval is expected to be as narrow as asked for (Riley et al. "
    "2021, Statistics in Medicine 40:4230). These are normal approximations, made before the "
    "study; its own intervals will differ. O:E: observed over expected positives."
)
SLOPE = (
    "The slope depends on how much risks vary, and so on the law of risks that is assumed: one of "
    "mean {mean} and ROC area {area}."
)


def render_sample_size(asked: Any, format: str = "table") -> str:  # noqa: A002 - the command line's word
    """Return how many cases a question takes, as text, JSON, Markdown or one HTML page."""
    found: ValidationSize | None = getattr(asked, "validation", None)
    if found is None:
        return render_sheet(
            Sheet(
                title="How many cases a question takes",
                answer=(f"{asked}.",),
                parts=(),
                document=lambda: {"schema": 1, **asked.to_dict()},
            ),
            format,
        )
    method = [METHOD.format(level=figures.level(found.confidence_level))]
    if found.law_base_rate is not None and found.law_auc is not None:
        law = figures.short(found.law_base_rate), figures.short(found.law_auc)
        method.append(SLOPE.format(mean=law[0], area=law[1]))
    return render_sheet(
        Sheet(
            title="How many cases a validation takes",
            answer=_answer(found),
            parts=(_criteria(found),),
            method=tuple(method),
            document=lambda: {"schema": 1, **found.to_dict()},
        ),
        format,
    )


def size_in_words(found: Any) -> str:
    """Say in a sentence how many cases a question takes, and what for."""
    if found.validation is not None:
        return _answer(found.validation)[0].rstrip(".")
    if found.n is None:
        return f"no number of cases is enough: {found.reason}"
    known = found.known
    size = f"{figures.count(found.n)} {found.counted}"
    if not found.counted.startswith("cases") and found.cases is not None:
        size += f", in about {figures.count(found.cases)} cases,"
    if "expected" in known:
        likely = f"with probability {known['power']:g} if it is {known['expected']:g}"
        return f"{size} show {found.question} {likely}"
    if "width" in known:
        level = figures.level(known["confidence_level"])
        return f"{size} make the {level} interval of {found.question} {known['width']:g} wide"
    if "gap" in known:
        likely = f"with probability {known['power']:g}, at level {known['alpha']:g}"
        return f"{size} show a gap of {known['gap']:g} {likely}"
    return f"{size} make it {known['certainty']:g} certain which of the two is better"


def power_in_words(found: Any) -> str:
    """Say how probably a group shows a gap."""
    likely = f"with probability {figures.number(found.power)}, at level {found.alpha:g}"
    return f"a gap of {found.gap:g} is seen {likely}"


def gap_in_words(found: SmallestGap) -> str:
    """Say which gaps a group shows."""
    ends = {"a fall": found.below, "a rise": found.above}
    seen = [f"{way} of {figures.short(end)}" for way, end in ends.items() if not isnan(end)]
    metric = figures.spoken(found.metric)
    if not seen:
        return f"{found.reason} (by {metric})"
    likely = f"with probability {found.power:g}, at level {found.alpha:g}"
    return f"{' or '.join(seen)} in {metric} is seen {likely}"


def _answer(found: ValidationSize) -> tuple[str, ...]:
    events = figures.count(ceil(found.events))
    cases = f"{figures.count(found.n)} cases, {events} of them with the event"
    return (f"{cases}: the {NAMES[found.binding]} asks for so many.",)


def _criteria(found: ValidationSize) -> Grid:
    return grid(
        "",
        found.criteria.items(),
        Column("measure", lambda row: NAMES[row[0]]),
        *within(
            itemgetter(1),
            text("cases", "n", figures.count),
            text("events", lambda one: ceil(one.n * found.base_rate), figures.count),
            text("anticipated", "value", figures.number),
            text("interval", SPAN, figures.interval),
            text("width asked", "width", figures.number),
        ),
    )

"""The size of a validation in words: how many cases, and which measure asks for so many."""

from math import ceil

from baserate import _figures as figures
from baserate.inference import ValidationSize
from baserate.report.sheet import Grid, Sheet, render_sheet

HEADINGS = ("measure", "cases", "events", "anticipated", "interval", "width asked")
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


def render_sample_size(found: ValidationSize, format: str = "table") -> str:  # noqa: A002 - the command line's word
    """Return how many cases a validation takes, as text, JSON, Markdown or one HTML page."""
    method = [METHOD.format(level=figures.level(found.confidence_level))]
    if found.law_base_rate is not None and found.law_auc is not None:
        law = figures.short(found.law_base_rate), figures.short(found.law_auc)
        method.append(SLOPE.format(mean=law[0], area=law[1]))
    return render_sheet(
        Sheet(
            title="How many cases a validation takes",
            answer=_answer(found),
            parts=(Grid(headings=HEADINGS, rows=_rows(found), labels=1),),
            method=tuple(method),
            document=lambda: {"schema": 1, **found.to_dict()},
        ),
        format,
    )


def _answer(found: ValidationSize) -> tuple[str, ...]:
    events = figures.count(ceil(found.events))
    cases = f"{figures.count(found.n)} cases, {events} of them with the event"
    return (f"{cases}: the {NAMES[found.binding]} asks for so many.",)


def _rows(found: ValidationSize) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            NAMES[name],
            figures.count(criterion.n),
            figures.count(ceil(criterion.n * found.base_rate)),
            figures.number(criterion.value),
            figures.interval(criterion.low, criterion.high),
            figures.number(criterion.width),
        )
        for name, criterion in found.criteria.items()
    )

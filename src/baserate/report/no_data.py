"""What needs no data in words: how many cases a question takes, and what guessing scores."""

import re
from collections.abc import Iterable, Iterator
from math import ceil, isnan, nextafter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from baserate import _figures as figures
from baserate._figures import guess, sentence_case
from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.report.columns import SPAN, Column, grid, text, within
from baserate.report.sheet import Grid, Sheet, render_sheet
from baserate.report.words import plain_name

if TYPE_CHECKING:  # whoever prints a result loads it, and no other
    from baserate.baselines.draws import Spans
    from baserate.groups.power import SmallestGap
    from baserate.inference.validation_size import ValidationSize

CHANCE = (
    "Chance: expected score of {guess}; defined: the probability that the metric has a value then."
)
DRAWS = (
    "A draw flags a fixed number of the {n} cases at random. The smallest and the largest expected "
    "score are enumerated, with every number of flags that attains them; numbers with which the "
    "metric may be undefined do not compete."
)
WHATEVER = (
    "Chance: expected score of {guess}, whichever class totals are the true ones; best to flag: "
    "the shares of all cases that are best to flag at random in any case."
)
PLURAL = re.compile(r"s\b")
MANY_RANGES = 2  # more separate ranges than this are counted, not listed

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
    if found.n is None:
        return f"no number of cases is enough: {found.reason}"
    validation: ValidationSize | None = found.validation
    if validation is not None:
        return _answer(validation)[0].rstrip(".")
    known, of = found.known, found.counted
    size = f"{figures.count(found.n)} {PLURAL.sub('', of, 1) if found.n == 1 else of}"
    if (effect := known.get("design_effect", 1)) != 1:
        size += f", with a design effect of {effect:g},"
    if not found.counted.startswith("cases") and found.cases is not None:
        size += f", in about {figures.count(found.cases)} cases,"
    if "expected" in known:
        likely = f"with probability {known['power']:g} if it is {known['expected']:g}"
        return f"{size} show {found.question} ({_limit(known['confidence_level'])}) {likely}"
    if "width" in known:
        level = figures.level(known["confidence_level"])
        hoped = f" if it is {known['hoped']:g}" if "hoped" in known else ""
        interval = f"the {level} interval of {found.question}"
        return f"{size} make {interval} {known['width']:g} wide{hoped}"
    if "gap" in known:
        likely = f"with probability {known['power']:g}, at level {known['alpha']:g}"
        return f"{size} show a gap of {known['gap']:g} {likely}"
    return f"{size} {_shown(found.question, known)}"


def _shown(question: str, known: Any) -> str:
    """Say what so many cases show of two classifiers."""
    if "margin" in known:
        if question == "difference":
            question = f"that the second is worse by less than {known['margin']:g}, if at all,"
        likely = f"with probability {known['power']:g}, if the two differ as expected"
        return f"show {question} (score limit, {known['certainty']:g}) {likely}"
    if "power" in known:
        better = f"which of the two is better (p below {2 - 2 * known['certainty']:g})"
        return f"show {better} with probability {known['power']:g}, if they differ as expected"
    certain = f"make it {known['certainty']:g} certain which of the two is better"
    return f"{certain}, where they differ as much as expected; about half of samples show less"


def _limit(level: float) -> str:
    return f"Clopper-Pearson, {figures.level(level)}"


def promise_in_words(found: Any) -> str:
    """Say how probably so many cases show a promise."""
    of = PLURAL.sub("", found.counted, 1) if found.n == 1 else found.counted
    size = f"{figures.count(found.n)} {of} {'shows' if found.n == 1 else 'show'} {found.question}"
    size += f" ({_limit(found.confidence_level)})"
    return f"{size} with probability {figures.number(found.power)} if it is {found.expected:g}"


def power_in_words(found: Any) -> str:
    """Say how probably a group shows a gap."""
    likely = f"with probability {figures.number(found.power)}, at level {found.alpha:g}"
    return f"a gap of {found.gap:g} is seen {likely}"


def gap_in_words(found: "SmallestGap") -> str:
    """Say which gaps a group shows."""
    ends = {"a fall": found.below, "a rise": found.above}
    seen = [f"{way} of {figures.short(end)}" for way, end in ends.items() if not isnan(end)]
    metric = figures.spoken(found.metric)
    if not seen:
        return f"{found.reason} (by {metric})"
    likely = f"with probability {found.power:g}, at level {found.alpha:g}"
    return f"{' or '.join(seen)} in {metric} is seen {likely}"


def _answer(found: "ValidationSize") -> tuple[str, ...]:
    events = figures.count(ceil(found.events))
    cases = f"{figures.count(found.n)} cases, {events} of them with the event"
    more = {name: one for name, one in found.criteria.items() if one.n > found.n}
    return (
        f"{cases}: the {NAMES[found.binding]} asks for so many.",
        *(
            f"The {NAMES[name]} takes {figures.count(one.n)} to be {figures.number(one.width)} "
            "wide, which nobody named."
            for name, one in more.items()
        ),
    )


def _criteria(found: "ValidationSize") -> Grid:
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


def render_baseline(facts: BaselineFacts, format: str = "table") -> str:  # noqa: A002 - the command line's word
    """Return what guessing scores, as text, JSON, Markdown or one HTML page."""
    return render_sheet(_sheet_of_guess(facts), format)


def _sheet_of_guess(facts: BaselineFacts) -> Sheet:
    whatever = facts.n_positive is None
    means, draws = CHANCE, (DRAWS.format(n=figures.count(facts.n or 0)),)
    if whatever:
        means, draws = WHATEVER, _missing(facts.metrics)
    return Sheet(
        title="What guessing scores",
        answer=_answer_of_guess(facts),
        parts=(
            grid(
                "",
                facts.metrics,
                text("metric", "name", plain_name),
                text("chance", ("chance_low", "chance_high"), _chance),
                *((BEST,) if whatever else DRAWN),
            ),
        ),
        method=(means.format(guess=guess(facts.guess)), *draws),
        document=facts.to_dict,
    )


def _answer_of_guess(facts: BaselineFacts) -> tuple[str, ...]:
    known = [fact for fact in facts.metrics if not isnan(fact.chance_low)]
    spoken = {"f1": "F1", "accuracy": "accuracy"}
    named = [
        f"{_chance(fact.chance_low, fact.chance_high)} in {spoken[fact.name]}"
        for fact in known
        if fact.name in spoken
    ]
    scores = f" {' and '.join(named)}" if named else " what stands below"
    return (f"{_totals(facts)}: {guess(facts.guess)} scores{scores}.",)


def _totals(facts: BaselineFacts) -> str:
    """Say what is known of how many cases there are of each class."""
    known = {"positives": facts.n_positive, "negatives": facts.n_negative}
    told = [f"{figures.count(total)} {name}" for name, total in known.items() if total is not None]
    if not told and facts.n is not None:
        return f"{figures.count(facts.n)} cases, 1 to {figures.count(facts.n - 1)} of them positive"
    if not told and facts.base_rate is not None:
        return f"Any number of cases, {figures.percent(facts.base_rate)} of them positive"
    return ", ".join(told) or "Any number of cases, any share of them positive"


def _chance(low: float, high: float) -> str:
    ends = figures.or_nothing(low), figures.or_nothing(high)
    return ends[0] if ends[0] == ends[1] else figures.interval(low, high)


def shares(spans: "Spans") -> str:
    """Write shares of cases; an end that is left out, as the metric is 0/0 there, is so named."""
    ends = {nextafter(0, 1): "above 0%", nextafter(1, 0): "below 100%"}
    told = ([ends.get(x) or figures.percent(x) for x in span] for span in spans)
    written = (low if low == high else f"{low} to {high}" for low, high in told)
    return ", ".join(written) or figures.NOTHING


def _missing(found: Iterable[BaselineFact]) -> Iterator[str]:
    """Say why metrics have no chance; not what to pass, which the command calls otherwise."""
    named = dict[str, list[str]]()
    for fact in found:
        if fact.reason:
            parts = (part.partition(":")[0] for part in fact.reason.split("; "))
            named.setdefault("; ".join(parts), []).append(plain_name(fact.name))
    for reason, names in named.items():
        yield f"{sentence_case(reason)}: {', '.join(names)}."


def _end(fact: BaselineFact, *, best: bool) -> tuple[float, tuple[tuple[int, int], ...]]:
    if best is (fact.direction == "lower"):
        return fact.low, fact.low_at
    return fact.high, fact.high_at


def _ranges(spans: tuple[tuple[int, int], ...]) -> str:
    if len(spans) > MANY_RANGES:
        return f"{len(spans)} ranges"
    written = [
        figures.count(low) if low == high else f"{figures.count(low)}–{figures.count(high)}"
        for low, high in spans
    ]
    return ", ".join(written) or figures.NOTHING


BEST = text("best to flag", "theta_star", shares)
DRAWN = (
    text("defined", "p_defined", figures.or_nothing),
    text("worst draw", lambda fact: _end(fact, best=False)[0], figures.or_nothing),
    text("flags", lambda fact: _end(fact, best=False)[1], _ranges),
    text("best draw", lambda fact: _end(fact, best=True)[0], figures.or_nothing),
    text("flags", lambda fact: _end(fact, best=True)[1], _ranges),
)

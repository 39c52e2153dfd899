"""Baselines in words: what guessing scores by every metric."""

from baserate import _figures as figures
from baserate.facts.baseline import BaselineFact, BaselineFacts
from baserate.report.catalogue import plain_name
from baserate.report.columns import grid, text
from baserate.report.sheet import Sheet, render_sheet
from baserate.report.words import guess

CHANCE = (
    "Chance: expected score of {guess}; defined: the probability that the metric has a value then."
)
DRAWS = (
    "A draw flags a fixed number of the {n} cases at random. The smallest and the largest expected "
    "score are enumerated, with every number of flags that attains them; numbers with which the "
    "metric may be undefined do not compete."
)
MANY_RANGES = 2  # more separate ranges than this are counted, not listed


def render_baseline(facts: BaselineFacts, format: str = "table") -> str:  # noqa: A002 - the command line's word
    """Return what guessing scores, as text, JSON, Markdown or one HTML page."""
    return render_sheet(_sheet(facts), format)


def _sheet(facts: BaselineFacts) -> Sheet:
    n = facts.n_positive + facts.n_negative
    return Sheet(
        title="What guessing scores",
        answer=_answer(facts),
        parts=(
            grid(
                "",
                facts.metrics,
                text("metric", "name", plain_name),
                text("chance", write=figures.or_nothing),
                text("defined", "p_defined", figures.or_nothing),
                text("worst draw", lambda fact: _end(fact, best=False)[0], figures.or_nothing),
                text("flags", lambda fact: _end(fact, best=False)[1], _ranges),
                text("best draw", lambda fact: _end(fact, best=True)[0], figures.or_nothing),
                text("flags", lambda fact: _end(fact, best=True)[1], _ranges),
            ),
        ),
        method=(
            CHANCE.format(guess=guess(facts.guess)),
            DRAWS.format(n=figures.count(n)),
        ),
        document=facts.to_dict,
    )


def _answer(facts: BaselineFacts) -> tuple[str, ...]:
    cases = (
        f"{figures.count(facts.n_positive)} positives, {figures.count(facts.n_negative)} negatives"
    )
    known = [fact for fact in facts.metrics if fact.chance == fact.chance]
    spoken = {"f1": "F1", "accuracy": "accuracy"}
    named = [f"{figures.number(f.chance)} in {spoken[f.name]}" for f in known if f.name in spoken]
    scores = f" {' and '.join(named)}" if named else " what stands below"
    return (f"{cases}: {guess(facts.guess)} scores{scores}.",)


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

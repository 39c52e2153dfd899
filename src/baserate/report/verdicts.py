"""Verdicts of three states as sentences: the answer, what it rests on, what would decide."""

import math

from baserate._figures import count, level, p_stated, percent, short, spoken
from baserate.counts import ConfusionMatrix
from baserate.facts.evaluation import MetricFact
from baserate.facts.scores import EstimateFact
from baserate.facts.verdict import Answer, VerdictFact
from baserate.report.score_rows import bounded

ONE_CLASS = "Better than guessing: cannot tell, for the cases are of one class."
DECIDES = "If these values stayed, about {} cases would decide."
REVERSED = "The opposite ones are right in {} of these cases; check which label is positive."
TURNED = (
    "The score looks reversed: turned round it would have {}. If a low score means positive, hand "
    "in the score times -1; else check which label is positive."
)
METHOD = {
    "informedness": "Better than guessing is judged by informedness, recall less the false "
    "positive rate: 0 is guessing, 1 perfect.",
    "adjusted_balanced_accuracy": "Better than guessing is judged by the mean recall of the K "
    "classes that have cases, (K mean recall - 1)/(K - 1): 0 is guessing, 1 perfect.",
}
STATES = (
    ' "Yes" where its interval lies above 0{}; "no" where the interval lies below {}, the smallest '
    'advantage worth having; else "cannot tell".'
)


def on_labels(verdict: VerdictFact, p_value: float, what: str = "guessing") -> str:
    """Say whether predicted labels are better than guessing."""
    return f"Better than {what}: {in_short(verdict, p_value)}."


def by_metric(fact: MetricFact) -> Answer:
    """Answer by the interval of one metric and by what the guess scores."""
    ends = fact.low - fact.chance, fact.high - fact.chance
    ends = ends if fact.direction == "higher" else (-ends[1], -ends[0])
    worst, best = fact.beyond_guess or ends
    return "yes" if worst > 0 else "no" if best <= 0 else "cannot tell"


def in_short(verdict: VerdictFact, p_value: float) -> str:
    """Write the answer and what it rests on."""
    answer = verdict.answer
    if answer == "yes" and verdict.high <= verdict.smallest:
        answer = "yes, but by little"
    if answer == "no" and verdict.reversed:
        answer = "no, its answers look reversed"
    elif answer == "no" and verdict.high < verdict.guess:
        answer = "no, it does worse"
    return f"{answer} ({'; '.join(_rests_on(verdict, p_value))})"


def _rests_on(verdict: VerdictFact, p_value: float) -> list[str]:
    of_classes = verdict.metric == "adjusted_balanced_accuracy"
    name = "mean recall beyond guessing" if of_classes else spoken(verdict.metric)
    known = not math.isnan(verdict.low + verdict.high)
    ends = f", {short(verdict.low)} to {short(verdict.high)}" if known else ", without an interval"
    parts = [] if math.isnan(verdict.value) else [f"{name} {short(verdict.value)}{ends}"]
    if verdict.answer == "no" and verdict.high >= verdict.guess:
        parts.append(f"less than {verdict.smallest:g} is not worth having")
    elif parts:
        parts.append(f"{verdict.guess:g} is guessing")
    decides = verdict.answer == "yes" or not known or verdict.low > verdict.guess
    if decides and not math.isnan(p_value):
        parts.append(p_stated(p_value))
    return parts or ["no interval and no test"]


def beside(verdict: VerdictFact, table: ConfusionMatrix | None = None) -> tuple[str, ...]:
    """Say what follows a verdict: how many cases would decide, or what the opposite would be."""
    if verdict.enough is not None:
        return (DECIDES.format(count(rounded(verdict.enough))),)
    if verdict.reversed and table is not None:
        return (REVERSED.format(percent((table.fn + table.fp) / table.n)),)
    return ()


def rounded(n: int) -> int:
    """Return a number of cases that is told as "about", with two digits."""
    step = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step


def method(verdict: VerdictFact | None, *, tested: bool) -> tuple[str, ...]:
    """Say how a verdict about labels is found, which weights leave without a test."""
    if verdict is None or verdict.metric not in METHOD:
        return ()
    test = " and the test excludes guessing" if tested else ""
    return (METHOD[verdict.metric] + STATES.format(test, f"{verdict.smallest:g}"),)


def by_area(
    auc: EstimateFact, verdict: VerdictFact, confidence_level: float, within: int = 0
) -> tuple[str, ...]:
    """Say whether a score ranks better than chance, by an area that may be a mean over folds."""
    value = bounded(short(auc.value), auc.bounds, short)
    known = not math.isnan(auc.low + auc.high)
    ends = f"{level(confidence_level)} interval {short(auc.low)} to {short(auc.high)}"
    name = f"mean ROC area within {within} folds" if within else "ROC area"
    parts = [f"{name} {value}" + (f", {ends}" if known else "")]
    if verdict.answer == "no" and not verdict.reversed:
        parts.append(f"below {verdict.smallest:g} it is not worth having")
    else:
        parts.append("0.5 is chance")
    if (verdict.answer == "yes" or verdict.low > 0.5) and not math.isnan(auc.p_value):
        parts.append(p_stated(auc.p_value))
    answer = "no, it ranks worse" if verdict.reversed else verdict.answer
    return (
        f"Ranks better than chance: {answer} ({'; '.join(parts)}).",
        *beside(verdict),
        *((TURNED.format(short(1 - auc.value)),) if verdict.reversed else ()),
    )


def area(auc: EstimateFact, confidence_level: float, folds: int = 0) -> tuple[str, ...]:
    """Say in one sentence how well a score ranks, where there is no verdict on it."""
    parts = []
    if not math.isnan(auc.low + auc.high):
        parts.append(f"{level(confidence_level)} interval {short(auc.low)} to {short(auc.high)}")
    if not math.isnan(auc.p_value):
        parts.append(p_stated(auc.p_value))
    told = f" ({'; '.join(parts)})" if parts else ""
    value = bounded(short(auc.value), auc.bounds, short)
    return (f"{over(folds)} is {value}{told}; 0.5 is chance.",)


def over(folds: int, mean: str = "") -> str:
    """Begin the sentence about an area: over which cuts, of which cases, and what kind of mean."""
    return (
        f"Within {folds} folds, the mean ROC area{mean}"
        if folds
        else f"Over all cuts, the ROC area{mean}"
    )

"""The words of an evaluation: its answer."""

import math
from typing import Any

from baserate._figures import count, label, level, p_stated, percent, quoted, short
from baserate.cases.scores import THRESHOLD
from baserate.counts import ConfusionMatrix
from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.metrics import CATALOGUE
from baserate.report import score_words, threshold
from baserate.report.alike import alike, untold
from baserate.report.catalogue import COUNTS, plain_name
from baserate.report.routes import ends
from baserate.report.words import (
    SIGNIFICANT,
    guess,
    guess_heading,
    in_words,
    sentence_case,
    spoken,
)

GROUPS, SMALL = 30, 10  # more groups than that, of fewer cases each, may be clusters
GROUPED = (
    "There are {size} on average. If the cases of one are alike, as those of a patient are, the "
    "intervals of all cases are too narrow: name it as clusters (--cluster, cluster=)."
)
NAMED = 6  # classifiers that get a sentence each
FEW = 10  # fewer cases of a class than this are called out

# The metric that a sentence about chance is made of: the first that is present.
SPOKEN_OF = ("f1", "balanced_accuracy", "matthews_correlation", "accuracy")
OF_LABELS = (
    "That is about the predicted labels; what is said of risks is about the probabilities, "
    "whatever the cut."
)
AS_MANY = "guessing with as many alarms"
BEST = "the best that guessing can score on average, with any number of alarms (Dutch Draw)"
SKILL = "Skill refers to it: 0 is that guess, 1 perfection, below 0 worse than the guess."


def answer(facts: EvaluationFacts) -> tuple[str, ...]:
    """Return the answer as a few short sentences."""
    if facts.table is None:
        return (*_each_classifier(facts), *_few(facts))
    verdict = (*untold(facts), *_worth(facts), *_verdict(facts), *_reversed(facts))
    plain = () if verdict else _plain_score(facts)
    good = (*verdict, *_of_labels(facts), *_found(facts), *plain, *_ranked(facts))
    parts = (_believed(facts), good) if _risks_come_first(facts) else (good, _believed(facts))
    first, second = parts
    return (
        *first,
        *second,
        *_flattered(facts),
        *_other_cut(facts),
        *(alike(facts) or _grouped(facts)),
        *_few(facts),
    )


def of_own(metrics: tuple[MetricFact, ...]) -> tuple[MetricFact, ...]:
    """Return what was asked for beyond the catalogue: utilities, costs, metrics of one's own."""
    known = {metric.name for metric in CATALOGUE}
    return tuple(m for m in metrics if plain_name(m.name) not in known)


def is_weighted(facts: EvaluationFacts) -> bool:
    """Whether counts are sums of weights."""
    return facts.effective_n is not None or facts.classes.is_weighted


def knows_chance(metrics: tuple[MetricFact, ...]) -> bool:
    """Whether some metric has a chance level, a skill or a p-value."""
    return any(not math.isnan(x) for m in metrics for x in (m.chance, m.skill, m.p_value))


def knows_luck(facts: EvaluationFacts) -> bool:
    """Whether luck is a yardstick besides the guess."""
    known = any(not math.isnan(m.same_alarms) for m in facts.metrics)
    return known and facts.guess != "same_alarms"


def yardsticks(facts: EvaluationFacts) -> str:
    """Say in one line which of the two columns is which, and what refers to it."""
    if not any(not math.isnan(m.chance) for m in facts.metrics):
        return ""
    where = f" at a base rate of {facts.base_rate:g}" if facts.restated else ""
    tested = facts.p_value_method != "sup" and not math.isnan(facts.p_value)
    p = "; p refers to it" if tested else ""
    luck = f"By luck: what {AS_MANY} scores on average{where}{p}."
    if not knows_luck(facts):
        return f"{luck} {SKILL}" if facts.guess == "same_alarms" else _of_guess(facts, where)
    return f"{luck} {_of_guess(facts, where)}"


def _of_guess(facts: EvaluationFacts, where: str) -> str:
    name = sentence_case(guess_heading(facts.guess))
    told = BEST if facts.guess == "dutch_draw" else f"what {guess(facts.guess)} scores on average"
    return f"{name}: {told}{where}. {SKILL}"


def positive_label(facts: EvaluationFacts) -> str:
    """Name the positive class."""
    return quoted("positive" if facts.positive is None else facts.positive)


def negative_label(facts: EvaluationFacts) -> str:
    """Name the negative class: the other label, or what it is not."""
    others = other_labels(facts)
    if len(others) == 1:
        return quoted(others[0])
    counted_elsewhere = not facts.labels and facts.positive in {None, "positive"}
    return quoted("negative") if counted_elsewhere else f"not {positive_label(facts)}"


def other_labels(facts: EvaluationFacts) -> list[Any]:
    """Return the labels found besides the positive one."""
    return [label for label in facts.labels if label != facts.positive]


def _worth(facts: EvaluationFacts) -> tuple[str, ...]:
    """Answer by the first utility, cost or other metric from beyond the catalogue."""
    asked = (m for m in of_own(facts.metrics) if not math.isnan(m.value + m.chance + m.skill))
    fact = next(asked, None)
    if fact is None:
        return ()
    sure = fact.low > fact.chance if fact.direction == "higher" else fact.high < fact.chance
    better = "no" if fact.skill <= 0 else "yes" if sure else "cannot tell"
    compared = _against_guess(facts, fact, loses=fact.skill < 0)
    return (f"Better than guessing by {spoken(fact.name)}: {better}.", compared)


def _reversed(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say that a classifier tells the classes apart, the wrong way round."""
    t = facts.table
    if t is None or not facts.p_reversed < SIGNIFICANT:
        return ()
    right = percent((t.fn + t.fp) / t.n)
    return (
        f"It is worse than guessing ({p_stated(facts.p_reversed)}): its answers look reversed.",
        f"The opposite ones are right in {right} of cases; check which label is positive.",
    )


def _each_classifier(facts: EvaluationFacts) -> tuple[str, ...]:
    """Answer for each of several classifiers, which are not added up."""
    lines = [
        f"{label(next(iter(group.group.values())))}: {_in_short(facts, group)}."
        for group in facts.groups[:NAMED]
    ]
    more = len(facts.groups) - NAMED
    tables = f"{in_words(len(facts.groups))} tables with the same class totals"
    return (
        *lines,
        *((f"{count(more)} more are in the table below.",) if more > 0 else ()),
        f"{tables} are taken for classifiers on the same cases: they are not added up.",
    )


def _in_short(facts: EvaluationFacts, group: GroupFact) -> str:
    headline = _first_of(group.metrics)
    if headline is None:
        return "no metric has a chance level to compare with"
    verdict = ""
    if facts.p_value_method != "sup" and not math.isnan(headline.p_value):
        _, said = _verdict_words(group.table, headline.p_value)
        verdict = f"better than guessing: {said}; "
    beaten = ", which is better" if headline.skill < 0 else ""
    scores = f"{guess(facts.guess)} scores {_figure(headline, headline.chance)}{beaten}"
    return f"{verdict}{_value(facts, headline)}; {scores}"


def _verdict(facts: EvaluationFacts) -> tuple[str, ...]:
    worth = _worth(facts)
    headline = None if worth else _first_of(facts.metrics)
    p = facts.p_value
    loses = headline is not None and headline.skill < 0
    sentences = () if headline is None else (_against_guess(facts, headline, loses=loses),)
    if math.isnan(p):
        return sentences
    verdict, said = _verdict_words(facts.classes, p)
    but = f", but not by {spoken(headline.name)}" if headline and loses and verdict == "yes" else ""
    what = "guessing with as many alarms" if worth else "guessing"
    return (f"Better than {what}: {said}{but}.", *sentences)


def _verdict_words(t: ConfusionMatrix, p: float) -> tuple[str, str]:
    """Return yes, no or cannot tell, and the same with what it rests on."""
    if not (t.n_positive and t.n_negative):
        return "cannot tell", "cannot tell, for the cases are of one class"
    better = "cannot tell" if t.tp * t.tn > t.fp * t.fn else "no"
    better = "yes" if p < SIGNIFICANT else better
    return better, f"{better} ({p_stated(p)})"


def _first_of(metrics: tuple[MetricFact, ...]) -> MetricFact | None:
    """Return the metric that a sentence about chance is made of."""
    by_name = {plain_name(m.name): m for m in reversed(metrics)}  # the first of a name
    named = [by_name[name] for name in SPOKEN_OF if name in by_name]
    # Without a skill, guessing may be perfect by this metric: equal to chance says nothing then.
    ordered = (*of_own(metrics), *named, *metrics)
    return next((m for m in ordered if not math.isnan(m.value + m.chance + m.skill)), None)


def _against_guess(facts: EvaluationFacts, fact: MetricFact, *, loses: bool) -> str:
    scores = f"{guess(facts.guess)} scores {_figure(fact, fact.chance)}"
    text = f"{_at_base_rate(facts, _value(facts, fact))}; {scores}"
    if loses:
        return f"{text}, which is better."
    way = f"{percent(fact.skill)} of the way from {guess(facts.guess)} to perfection"
    return f"{text}, so that is {way}."


def _value(facts: EvaluationFacts, fact: MetricFact) -> str:
    verb = ":" if plain_name(fact.name) in COUNTS else " is"
    _, restated, rate = fact.name.partition(".at_base_rate(")
    at = f" at a base rate of {rate.rstrip(')')}" if restated and not facts.restated else ""
    text = f"{spoken(fact.name)}{at}{verb} {_figure(fact, fact.value)}"
    if math.isnan(fact.low + fact.high):
        return text
    low, high = (_figure(fact, end) for end in ends(fact))
    return f"{text} ({level(facts.confidence_level)} interval {low} to {high})"


def _figure(fact: MetricFact, value: float) -> str:
    """Write a value of this metric: a count is no share."""
    return count(value) if plain_name(fact.name) in COUNTS else short(value)


def _at_base_rate(facts: EvaluationFacts, text: str) -> str:
    """Say first at which base rate a restated value holds."""
    if not facts.restated:
        return sentence_case(text)
    return f"At a base rate of {facts.base_rate:g}, {text}"


def _found(facts: EvaluationFacts) -> tuple[str, ...]:
    t = facts.classes
    found = _share(facts, "positives", t.tp, t.n_positive, "found (recall)")
    other = _share(facts, "alarms", t.tp, t.n_predicted, "right (precision)")
    if facts.restated:  # precision moves with the base rate, specificity does not
        other = _share(facts, "negatives", t.tn, t.n_negative, "left in peace (specificity)")
    return (f"{sentence_case(found)}; {other}.",)


def _share(facts: EvaluationFacts, of: str, part: float, whole: float, what: str) -> str:
    if not whole:
        return f"there are no {of}"
    if is_weighted(facts):
        return f"of the {of}, {percent(part / whole)} by weight are {what}"
    if whole == 1:
        return f"the only {of[:-1]} is {'' if part else 'not '}{what}"
    return f"of the {count(whole)} {of}, {percent(part / whole)} are {what}"


def _plain_score(facts: EvaluationFacts) -> tuple[str, ...]:
    accuracy = facts.metric("accuracy")
    if accuracy is None or math.isnan(accuracy.value):
        known = (m for m in facts.metrics if not math.isnan(m.value))
        return tuple(f"{_at_base_rate(facts, _value(facts, m))}." for m in known)[:1]
    positive = facts.base_rate > 0.5
    saying = positive_label(facts) if positive else negative_label(facts)
    always = (
        f"always saying {saying} would score {short(max(facts.base_rate, 1 - facts.base_rate))}"
    )
    return (f"{_at_base_rate(facts, f'accuracy is {short(accuracy.value)}')}; {always}.",)


def _flattered(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say what choosing the cut on the same cases does to every number of the report."""
    if facts.cut_by is None or facts.thresholds is None:
        return ()
    if facts.thresholds.folds:
        return (f"The cut was cross-validated over {facts.thresholds.folds} folds.",)
    [cut] = facts.thresholds.cuts
    expected = ""
    if not math.isnan(cut.corrected):
        expected = f": expect {spoken(cut.name)} near {short(cut.corrected)} on new ones"
    return (f"The cut was chosen on these same cases, which flatters the figures{expected}.",)


def _believed(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say whether the probabilities that were cut can be believed."""
    return () if facts.thresholds is None else score_words.believed(facts.thresholds)


def _risks_come_first(facts: EvaluationFacts) -> bool:
    """Whether risks are surely wrong where a risk decides: at a cut that was named as one.

    Else it comes first whether the classifier is any good, which is what was asked.
    """
    found, t = facts.thresholds, facts.classes
    if found is None or found.calibration is None or not (t.n_positive and t.n_negative):
        return False
    named = facts.cut_by is None and found.default != THRESHOLD
    return named and score_words.is_wrong(found.calibration)


def _of_labels(facts: EvaluationFacts) -> tuple[str, ...]:
    """Tell the verdict, which is about labels, from that about risks, where the two may clash."""
    found, t = facts.thresholds, facts.classes
    if found is None or found.calibration is None or facts.p_value < SIGNIFICANT:
        return ()
    if not (t.n_positive and t.n_negative):
        return ()
    wrong = score_words.is_wrong(found.calibration) and not math.isnan(facts.p_value)
    return (OF_LABELS,) if wrong else ()


def _ranked(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say how the score ranks, which one cut may hide."""
    if facts.roc_auc is not None and not math.isnan(facts.roc_auc.value):
        return score_words.area(facts.roc_auc, facts.confidence_level)
    return () if facts.thresholds is None else score_words.ranked(facts.thresholds)


def _other_cut(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say whether to keep the cut that no metric chose.

    Another one is advised in place of the default only: who names a cut decides at that risk, for
    what is at stake there and not for a metric.
    """
    found = facts.thresholds
    if found is None or facts.cut_by is not None or facts.p_reversed < SIGNIFICANT:
        return ()  # no cut mends a score that is turned round
    if facts.restated:  # these cuts are best at the base rate of the cases
        return ()
    return (*threshold.kept(found), *(threshold.moved(found) if found.default == THRESHOLD else ()))


def _grouped(facts: EvaluationFacts) -> tuple[str, ...]:
    """Warn of groups so many and so small that they may be clusters; never of ordinary ones."""
    few = len(facts.groups) > GROUPS and facts.classes.n < SMALL * len(facts.groups)
    if not (few and facts.labels and facts.n_replicates is None):
        return ()
    size = f"{count(len(facts.groups))} groups of {facts.classes.n / len(facts.groups):.2g} cases"
    return (GROUPED.format(size=size),)


def _few(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say plainly when a class has too few cases to judge by."""
    t = facts.classes
    positive, negative = facts.effective_positive, facts.effective_negative
    sizes = {
        "positive": t.n_positive if positive is None else positive,
        "negative": t.n_negative if negative is None else negative,
    }
    kind = "effective cases" if facts.effective_n is not None else "cases"
    few = [f"{_size(size, kind)} {name}" for name, size in sizes.items() if size < FEW]
    return (f"Few data: {' and '.join(few)}; read the intervals, not the values.",) if few else ()


def _size(size: float, kind: str) -> str:
    if not size:
        return "no case is"
    return f"only {count(size)} {kind} are" if size != 1 else "only one case is"

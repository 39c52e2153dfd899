"""The words of an evaluation: its answer."""

import math
from collections.abc import Container
from dataclasses import replace
from typing import Any

from baserate._figures import (
    count,
    exact,
    guess,
    label,
    level,
    percent,
    percents,
    quoted,
    sentence_case,
    short,
    spoken,
)
from baserate.baselines.significance import OF_EACH
from baserate.counts import ConfusionMatrix, has_both
from baserate.facts.evaluation import EvaluationFacts, GroupFact, MetricFact
from baserate.metrics import CATALOGUE, binary_metric
from baserate.report import score_words, threshold
from baserate.report.clustering import is_weighted, on_clusters, untold
from baserate.report.net_benefit import worth_using
from baserate.report.score_rows import ends
from baserate.report.verdicts import ONE_CLASS, beside, by_metric, in_short, on_labels
from baserate.report.words import COUNTS, guess_heading, in_words, plain_name

BESIDE = (
    'How probably a share is above a number that was stated: br.probability("recall", table, '
    '">= 0.8"), or --require "recall >= 0.8@probability=0.95".'
)
GROUPS, SMALL = 30, 10  # more groups than that, of fewer cases each, may be clusters
GROUPED = (
    "There are {size} on average. If the cases of one are alike, as those of a patient are, the "
    "intervals of all cases are too narrow: name it as clusters (--cluster, cluster=)."
)
NAMED = 6  # classifiers that get a sentence each
LONGEST = 8  # signs of a threshold in a sentence; the lines below it have them all
FEW = 10  # fewer cases of a class than this are called out

# What the sentence about labels says anyway, and that about answers that are right or wrong.
TOLD, ANSWERS = ("recall", "precision", "specificity"), ("accuracy",)
BEWARE = ("f1", "accuracy")  # by which guessing may do better than a classifier that beats luck
AS_MANY = "guessing with as many alarms"
BEST = "the best that guessing can score on average, with any number of alarms (Dutch Draw)"
SKILL = "Skill refers to it: 0 is that guess, 1 perfection, below 0 worse than the guess."


def answer(facts: EvaluationFacts) -> tuple[str, ...]:
    """Return the answer as a few short sentences: what the data can answer comes first."""
    if facts.table is None:
        return (*_each_classifier(facts), *_few(facts))
    scored = _of_score(facts)
    labels = _of_labels(facts, scored=bool(scored))
    asked = facts.restated and not facts.default_threshold  # what labels are at a base rate
    leads = asked or not has_both(facts.classes)
    first, second = (labels, scored) if leads else (scored, labels)
    return (
        *untold(facts),
        *first,
        *second,
        *_flattered(facts),
        *(on_clusters(facts) or _grouped(facts)),
        *_few(facts),
    )


def of_own(metrics: tuple[MetricFact, ...]) -> tuple[MetricFact, ...]:
    """Return what was asked for beyond the catalogue: utilities, costs, metrics of one's own."""
    known = {metric.name for metric in CATALOGUE}
    return tuple(m for m in metrics if plain_name(m.name) not in known)


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
    where = " at the base rate of its row" if facts.restated else ""
    tested = facts.p_value_method not in OF_EACH and not math.isnan(facts.p_value)
    p = "; p refers to it" if tested else ""
    luck = f"By luck: what {AS_MANY} scores on average{where}{p}."
    if not knows_luck(facts):
        return f"{luck} {SKILL}" if facts.guess == "same_alarms" else _of_guess(facts, where)
    return f"{luck} {_of_guess(facts, where)}"


def _of_guess(facts: EvaluationFacts, where: str) -> str:
    name = sentence_case(guess_heading(facts.guess))
    told = BEST if facts.guess == "dutch_draw" else f"what {guess(facts.guess)} scores on average"
    known = any(not math.isnan(m.skill) for m in facts.metrics)
    return f"{name}: {told}{where}.{known * f' {SKILL}'}"


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


def _of_score(facts: EvaluationFacts) -> tuple[str, ...]:
    found = facts.thresholds
    if found is None:
        return ()
    return score_words.answer(found, () if facts.restated else worth_using(found))


def _of_labels(facts: EvaluationFacts, *, scored: bool) -> tuple[str, ...]:
    """Say what is found and what alarms are worth, then whether that is better than guessing.

    Labels that a cut makes which nobody named are told in a table only, where the score itself has
    an answer; never is there a verdict on them.
    """
    asked, t = _asked(facts), facts.classes
    if not has_both(t):
        found, unknown = _found(facts), () if of_answers(facts) else (ONE_CLASS,)
        if facts.default_threshold:
            return (*asked, *unknown, *found)
        return (*asked, *found, *unknown, *((BESIDE,) if unknown and not facts.sampled else ()))
    if not facts.default_threshold:
        beware = () if len(asked) > 1 else _beware(facts)  # what is at stake was said
        return (*asked, *_found(facts), *_verdict(facts, asked), *beware)
    at_stake = facts.thresholds and facts.thresholds.act_at is not None
    if scored and (at_stake or not (asked or facts.restated)):
        return ()
    at = f"At {exact(facts.threshold or 0.0)}, a cut that nobody named: "
    return (at + _lower((asked or _found(facts))[-1]),)


def _lower(text: str) -> str:
    """Continue a sentence with another one; abbreviations keep their capitals."""
    return text if text[1:2].isupper() or text[1:2].isdigit() else text[:1].lower() + text[1:]


def _asked(facts: EvaluationFacts) -> tuple[str, ...]:
    """Answer by what was asked for: a utility, a cost, a metric of one's own, or one by name."""
    own = [m for m in of_own(facts.metrics) if not math.isnan(m.value + m.chance + m.skill)]
    if own:
        return (_beats(facts, own[0]), _told(facts, own[0]))
    named = [m for m in facts.metrics if m.name in facts.asked_for]
    told = ANSWERS if of_answers(facts) else TOLD
    named = [m for m in named if not _is_told(m.name, told) and not math.isnan(m.value)]
    if not named:
        return ()
    verdict, told = facts.better_than_guessing, (_told(facts, named[0]),)
    if verdict is None or math.isnan(named[0].skill) or by_metric(named[0]) == verdict.answer:
        return told
    return (_beats(facts, named[0]), *told)  # where the verdict below is another one


def _is_told(name: str, told: Container[str]) -> bool:
    """Whether the answer tells a metric anyway; precision is another one at another base rate."""
    plain = plain_name(name)
    return plain in told and (plain == label(name) or plain != "precision")


def _told(facts: EvaluationFacts, fact: MetricFact) -> str:
    """Tell a metric, against the guess if that is known, and what it is in these cases."""
    scored = not math.isnan(fact.chance + fact.skill)
    value = f"{_at_base_rate(facts, _value(facts, fact))}."
    told, raw = _against_guess(facts, fact) if scored else value, raw_of(fact)
    if raw is None or facts.table is None:
        return told
    return f"{told} In these cases, {_lower(_told(replace(facts, restated=False), raw))}"


def raw_of(fact: MetricFact) -> MetricFact | None:
    """Return what a metric is at the base rate of the cases, if that is another value."""
    raw = getattr(fact, "raw", fact)
    same = math.isclose(fact.value, raw.value, rel_tol=1e-9)
    return None if same or (math.isnan(fact.value) and math.isnan(raw.value)) else raw


def _beats(facts: EvaluationFacts, fact: MetricFact) -> str:
    text = f"better than guessing by {spoken(fact.name)}: {by_metric(fact)}."
    return _at_base_rate(facts, text)


def _each_classifier(facts: EvaluationFacts) -> tuple[str, ...]:
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
    verdict = group.better_than_guessing
    asked = _asked(replace(facts, metrics=group.metrics, better_than_guessing=verdict))
    found = _found(replace(facts, table=group.table, shares=group.shares))
    said = asked[::-1] or found
    what = AS_MANY if len(asked) > 1 else "guessing"
    told = () if verdict is None else (f"better than {what}: {_verdict_words(facts, group)}",)
    return "; ".join((*(_lower(line).rstrip(".") for line in said), *told))


def _verdict_words(facts: EvaluationFacts, group: GroupFact) -> str:
    verdict, t = group.better_than_guessing, group.table
    if verdict is None or not has_both(t):
        return "cannot tell, for the cases are of one class"
    tested = [m.p_value for m in group.metrics if not math.isnan(m.p_value)]
    known = facts.p_value_method not in OF_EACH and tested
    return in_short(verdict, tested[0] if known else math.nan)


def _verdict(facts: EvaluationFacts, asked: tuple[str, ...]) -> tuple[str, ...]:
    verdict = facts.better_than_guessing
    if verdict is None or untold(facts):
        return ()
    what = "guessing with as many alarms" if len(asked) > 1 else "guessing"
    return (on_labels(verdict, facts.p_value, what), *beside(verdict, facts.table))


def _beware(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say by which usual metric the guess surely does better than a classifier that beats luck."""
    if not facts.better_than_guessing:
        return ()
    for name in BEWARE:
        fact = facts.metric(name)
        if fact is not None and fact.name not in facts.asked_for and fact.high < fact.chance:
            scores = f"{_figure(fact, fact.chance)} against {_figure(fact, fact.value)}"
            return (f"By {spoken(name)}, {_named_guess(facts, fact)} does better: {scores}.",)
    return ()


def _named_guess(facts: EvaluationFacts, fact: MetricFact) -> str:
    t, name = facts.classes, plain_name(fact.name)
    if facts.guess != "dutch_draw" or facts.restated:
        return guess(facts.guess)
    of = {"everyone": (t.n_positive, t.n_negative), "no one": (0, 0)}
    for who, (tp, fp) in of.items():
        table = ConfusionMatrix(tp=tp, fn=t.n_positive - tp, fp=fp, tn=t.n_negative - fp)
        if math.isclose(binary_metric(name)(table), fact.chance, rel_tol=1e-9):
            return f"calling {who} positive"
    return guess(facts.guess)


def _against_guess(facts: EvaluationFacts, fact: MetricFact) -> str:
    scores = f"{guess(facts.guess)} scores {_figure(fact, fact.chance)}"
    text = f"{_at_base_rate(facts, _value(facts, fact))}; {scores}"
    if fact.skill < 0:
        within = fact.low <= fact.chance <= fact.high
        return f"{text}, which {'the interval allows' if within else 'is better'}."
    way = f"{percent(fact.skill)} of the way from {guess(facts.guess)} to perfection"
    return f"{text}, so that is {way}."


def _value(facts: EvaluationFacts, fact: MetricFact) -> str:
    verb = ":" if plain_name(fact.name) in COUNTS else " is"
    text = f"{spoken(fact.name)}{verb} {_figure(fact, fact.value)}"
    if math.isnan(fact.low + fact.high):
        return text
    low, high = (_figure(fact, end) for end in ends(fact))
    return f"{text} ({level(facts.confidence_level)} interval {low} to {high})"


def _figure(fact: MetricFact, value: float) -> str:
    return count(value) if plain_name(fact.name) in COUNTS else short(value)


def _at_base_rate(facts: EvaluationFacts, text: str) -> str:
    """Say first at which base rate a restated value holds."""
    if not facts.restated:
        return sentence_case(text)
    return f"At a base rate of {facts.base_rate:g}, {text}"


def _found(facts: EvaluationFacts) -> tuple[str, ...]:
    t = facts.classes
    if of_answers(facts):
        right = _share(facts, "answers", (t.tp, t.n), "right", "accuracy")
        return (sentence_case(f"{right}."),)
    found = _share(facts, "positives", (t.tp, t.n_positive), "found", "recall")
    other = _share(facts, "alarms", (t.tp, t.n_predicted), "right", "precision")
    # Precision moves with the base rate, specificity does not; of one class either is certain.
    asked = {*facts.asked_for} & {"precision", "specificity"}
    if facts.restated or not t.n_positive or asked == {"specificity"}:
        other = _share(facts, "negatives", (t.tn, t.n_negative), "not flagged", "specificity")
    there = next((m for m in facts.shares if m.name.startswith("precision.at_base_rate")), None)
    both = (found, other) if has_both(t) else (found if t.n_positive else other,)
    told = f"{'; '.join(both)}."
    if there is not None and not math.isnan(there.value):
        ends = _ends(facts, there.name)
        share = f"{percent(there.value)} of the alarms would be right (precision{ends})"
        told += f" At a base rate of {facts.base_rate:g}, if both stay as they are, {share}."
    if facts.threshold is None or facts.default_threshold:
        return (sentence_case(told),)
    chosen = f", where {spoken(facts.cut_by)} is best" if facts.cut_by else ""
    cuts = facts.thresholds.cuts if facts.cut_by and facts.thresholds else ()
    at = threshold.cut_at(facts.threshold, cuts)
    return (f"At {at if len(at) <= LONGEST else format(facts.threshold, '.4g')}{chosen}: {told}",)


def of_answers(facts: EvaluationFacts) -> bool:
    """Whether the share of answers that are right is all that is told."""
    return tuple(share.name for share in facts.shares) == ANSWERS


def _share(
    facts: EvaluationFacts, of: str, counts: tuple[float, float], what: str, name: str
) -> str:
    part, whole = counts
    if not whole:
        return f"there are no {of}"
    ends = _ends(facts, name)
    if is_weighted(facts):
        return f"of the {of}, {percent(part / whole)} by weight are {what} ({name}{ends})"
    if whole == 1:
        return f"the only {of[:-1]} is {'' if part else 'not '}{what} ({name}{ends})"
    return f"of the {count(whole)} {of}, {percent(part / whole)} are {what} ({name}{ends})"


def _ends(facts: EvaluationFacts, name: str) -> str:
    """Write the interval of a share, whose level the first one says."""
    fact = next((m for m in facts.shares if m.name == name), None)
    if fact is None or math.isnan(fact.low + fact.high):
        return ""
    leads = name in {"recall", *ANSWERS} or not facts.classes.n_positive
    first = f"{level(facts.confidence_level)} interval " if leads else ""
    return f"; {first}{percents(fact.low, fact.high)}"


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


def _grouped(facts: EvaluationFacts) -> tuple[str, ...]:
    """Warn of groups so many and so small that they may be clusters; never of ordinary ones."""
    few = len(facts.groups) > GROUPS and facts.classes.n < SMALL * len(facts.groups)
    if not (few and facts.labels and facts.n_replicates is None):
        return ()
    size = f"{count(len(facts.groups))} groups of {facts.classes.n / len(facts.groups):.2g} cases"
    return (GROUPED.format(size=size),)


def _few(facts: EvaluationFacts) -> tuple[str, ...]:
    t = facts.classes
    positive, negative = facts.effective_positive, facts.effective_negative
    sizes = {
        "positive": t.n_positive if positive is None else positive,
        "negative": t.n_negative if negative is None else negative,
    }
    if of_answers(facts):
        sizes = {"marked": sizes["positive"]}
    kind = "effective cases" if facts.effective_n is not None else "cases"
    few = [f"{_size(size, kind)} {name}" for name, size in sizes.items() if 0 < size < FEW]
    return (f"Few data: {' and '.join(few)}; read the intervals, not the values.",) if few else ()


def _size(size: float, kind: str) -> str:
    return f"only {count(size)} {kind} are" if size != 1 else "only one case is"

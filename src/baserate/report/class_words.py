"""The words of an evaluation of several classes: answer, data, method, what decisions are worth."""

import math
from collections.abc import Sequence
from operator import itemgetter

from baserate import _figures as figures
from baserate._figures import (
    count,
    label,
    level,
    percent,
    percents,
    quoted,
    sentence_case,
    short,
    spoken,
)
from baserate.facts.audit import ClassAuditFacts
from baserate.facts.evaluation import (
    ClassEvaluationFacts,
    ClassFact,
    ExtremeFact,
    GuessingTest,
    IntervalOfShares,
    MetricFact,
    OrderFact,
)
from baserate.report import class_scores
from baserate.report.clustering import clusters, effective, on_clusters, untold
from baserate.report.compare_words import stakes_told, worth_using
from baserate.report.evaluation_methods import INTERVALS
from baserate.report.opening import about_lines, cases_dropped
from baserate.report.verdicts import ONE_CLASS, by_metric, on_labels
from baserate.report.verdicts import method as method_of_verdict
from baserate.report.words import SIGNIFICANT, first_of, in_words, listed

KAPPA = "weighted_kappa"
NAMED = 8  # labels that a line has room for
ALIKE = 1e-12  # relative, so that the order of weights does not decide
TIED = 3  # pairs of classes that are named where as many cases are confused
FEW = 10  # fewer cases of a class than this are called out
GUESSES = {
    "dutch_draw": "the best blind guess",
    "same_alarms": "guessing each class as often as here",
    "uniform": "guessing each class as often",
    "proportional": "guessing each class as often as it occurs",
    "mode": "always saying the commonest class",
}
SHARES: dict[IntervalOfShares, str] = {
    "bayes": "Jeffreys",
    "wilson": "Wilson",
    "exact": "Clopper-Pearson",
}
ROUTES: dict[GuessingTest, str] = {
    "exact": "enumerated",
    "permutation": "by dealing the predictions out anew, with a fixed seed",
    "upper bound": "an upper bound of that",
    "clusters": "score test and jackknife of whole clusters, one-sided, approximate",
    "replicates": "Student's test of the share of right cases beyond that, from the replicate "
    "weights, one-sided, approximate",
    "runs": "Student's test of the share of right cases beyond that, by items and runs, one-sided, "
    "approximate",
}


def answer(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Return the answer as a few short sentences: what is right, then whether by more than luck."""
    one_class = sum(n > 0 for n in facts.table.class_counts.tolist()) < 2
    return (
        *untold(facts),
        *((ONE_CLASS,) if one_class else ()),
        *_worth(facts),
        *class_scores.asked(facts),
        *_asked(facts),
        *(() if first_asked(facts) == "accuracy" else _right(facts)),
        *_weakest(facts),
        *(() if one_class else _verdict(facts)),
        *_confused(facts),
        *class_scores.answer(facts),
        *_lacking(facts),
        *on_clusters(facts),
        *_few(facts),
    )


def _worth(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    if facts.stakes is None or facts.worth is None:
        return ()
    return (worth_using(facts.stakes, facts.worth, facts.confidence_level),)


def _verdict(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    verdict = facts.better_than_guessing
    if verdict is None or untold(facts):
        return ()
    named = (facts.metric(name) for name in facts.asked_for)
    asked = next((m for m in named if m is not None and not math.isnan(m.low + m.skill)), None)
    if asked is None or by_metric(asked) == verdict.answer:
        return (on_labels(verdict, facts.p_value),)
    told = f"Better than guessing by {spoken(asked.name)}: {by_metric(asked)}."
    return told, on_labels(verdict, facts.p_value, "guessing by mean recall")


def _right(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    table, found = facts.table, facts.right or facts.metric("accuracy")
    right = table.hits.sum() / table.n
    cases = "Of all cases by weight" if facts.effective_n else f"Of {count(table.n)} cases"
    largest = int(table.class_counts.argmax())
    ends = "" if found is None or math.isnan(found.low) else f" ({_shares(facts, found)})"
    always = percent(table.class_counts[largest] / table.n)
    other = f"always saying {quoted(table.labels[largest])} would be right in {always}"
    return (f"{cases}, {percent(right)} are called what they are{ends}; {other}.",)


def _shares(facts: ClassEvaluationFacts, fact: MetricFact | ExtremeFact | OrderFact) -> str:
    return f"{level(facts.confidence_level)} interval {percents(fact.low, fact.high)}"


def _asked(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    right = _right(facts) if first_asked(facts) == "accuracy" else ()
    off = order(facts) if any(name.startswith(KAPPA) for name in facts.asked_for) else ()
    return (*right, *_asked_of_all(facts), *off, *_asked_of_each(facts))


def first_asked(facts: ClassEvaluationFacts) -> str:
    """Return the metric that was named first; empty if none was."""
    return next(iter(facts.asked_for), "")


def order(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say of classes in an order how often cases are far off, and to which side they are off."""
    found = facts.order
    if found is None:
        return ()
    n, far = facts.table.n, "Two classes or more off"
    if facts.effective_n:
        sides = f"{percent(found.too_high / n)} too high, {percent(found.too_low / n)} too low"
        return (f"{far}: {percent(found.share)} of all cases by weight; {sides}.",)
    ends = "" if math.isnan(found.low) else f", {_shares(facts, found)}"
    far += f": {count(found.far)} of {count(n)} cases"
    sides = f"{count(found.too_high)} are called too high, {count(found.too_low)} too low"
    if not math.isnan(found.p_value):
        way = "too high" if found.too_high > found.too_low else "too low"
        told = f"more often {way}" if found.p_value < SIGNIFICANT else "no tendency can be told"
        sides += f" ({figures.p_stated(found.p_value)}: {told})"
    return (f"{far} ({percent(found.share)}{ends}); {sides}.",)


def of_each(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Return the metrics that were asked for by name and are of each class against the rest."""
    known = facts.classes[0].metrics if facts.classes else ()
    return tuple(m.name for m in known if m.name in facts.asked_for)


def _asked_of_each(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say between which values of which classes the first such metric lies, beside recall."""
    name = next((name for name in of_each(facts) if name != "recall"), None)
    known = [(fact.value, one) for one in facts.classes if name and (fact := rate(one, name))]
    if name is None or len(known) < 2:
        return ()
    ends = (pick(known, key=itemgetter(0)) for pick in (min, max))
    least, most = (f"{short(value)} ({quoted(one.label)})" for value, one in ends)
    return (f"{sentence_case(spoken(name))} of each class against the rest: {least} to {most}.",)


def _asked_of_all(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    named = (facts.metric(name) for name in facts.asked_for if name != "accuracy")
    fact, *more = [m for m in named if m is not None and not math.isnan(m.value)] or [None]
    if fact is None:
        return ()
    return _beside_guess(facts, fact), *(
        f"{sentence_case(spoken(m.name))} is {_with_ends(m)}." for m in more[: TIED - 1] if m
    )


def _with_ends(fact: MetricFact) -> str:
    ends = "" if math.isnan(fact.low) else f" ({figures.interval(fact.low, fact.high)})"
    return f"{short(fact.value)}{ends}"


def _beside_guess(facts: ClassEvaluationFacts, fact: MetricFact) -> str:
    who, value = GUESSES[facts.guess], f"{spoken(fact.name)} is {_with_ends(fact)}"
    if math.isnan(fact.chance + fact.skill):
        return f"{sentence_case(value)}."
    text = f"{value}; {who} scores {short(fact.chance)}"
    if fact.skill < 0:
        within = fact.low <= fact.chance <= fact.high
        so = "which the interval allows" if within else "which is better"
        return f"{sentence_case(text)}, {so}."
    return f"{sentence_case(text)}, so that is {percent(fact.skill)} of the way to perfection."


def rate(one: ClassFact, name: str) -> MetricFact | None:
    """Return a metric of a class; None if it was not asked for or is undefined."""
    return next((m for m in one.metrics if m.name == name and not math.isnan(m.value)), None)


def weakest(facts: ClassEvaluationFacts) -> list[ClassFact]:
    """Return the classes that have cases, those of which fewest are found first."""
    found = [(one, rate(one, "recall")) for one in facts.classes]
    return [
        one
        for one, fact in sorted(
            ((one, fact) for one, fact in found if fact is not None),
            key=lambda pair: (pair[1].value, pair[1].high),
        )
    ]


def _weakest(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    ranked = weakest(facts)
    if not ranked:
        return ()
    first = ranked[0]
    fact = rate(first, "recall")
    assert fact is not None
    if fact.value == 1:
        return ("Every case of every class is found.",)
    tied = [one for one in ranked if _alike(rate(one, "recall"), fact)]
    if len(tied) > 1:
        who = listed((quoted(one.label) for one in tied), NAMED)
        if len(tied) == len(ranked):
            who = f"all {count(len(tied))} classes" if len(tied) > 2 else "both classes"
        return (f"Found least: {who} alike, {percent(fact.value)} each{_lower(ranked, fact)}.",)
    of = "" if facts.effective_n else f" of {count(first.table.n_positive)}"
    picked = _picked(facts, facts.least_found, "the lowest")
    least = f"{quoted(first.label)}, {percent(fact.value)}{of}{picked}"
    return (f"Found least: {least}{_lower(ranked, fact)}.",)


def _lower(ranked: Sequence[ClassFact], least: MetricFact) -> str:
    """Name the classes found more often whose intervals reach below the least."""
    known = [(one, rate(one, "recall")) for one in ranked]
    may = [
        quoted(one.label)
        for one, fact in known
        if fact is not None and fact.low < least.value and not _alike(fact, least)
    ]
    return f"; {listed(may, NAMED)} may be lower" if may else ""


def _alike(one: MetricFact | None, other: MetricFact) -> bool:
    return one is not None and math.isclose(one.value, other.value, rel_tol=ALIKE)


def _picked(facts: ClassEvaluationFacts, fact: ExtremeFact | None, which: str) -> str:
    """Return the interval of the extreme one of several, which owes its place to luck as well."""
    if fact is None or math.isnan(fact.low + fact.high):
        return ""
    return f" ({_shares(facts, fact)}, knowing that it is {which} of {count(fact.of)})"


def _confused(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    if not facts.confusions:
        return ()
    first = facts.confusions[0]
    cases = f"{count(first.n)} {'case' if first.n == 1 else 'cases'}"
    cases = f"weight {count(first.n)}" if facts.effective_n else cases
    counts = facts.table.counts
    ties = int((counts == first.n).sum() - (counts.diagonal() == first.n).sum())
    pairs = [f"{quoted(one.truth)} called {quoted(one.prediction)}" for one in facts.confusions]
    if ties > TIED:
        many = f"{count(ties)} pairs of classes, such as {pairs[0]}"
        return (f"Most often confused: {many}, {cases} each.",)
    if ties > 1:
        return (f"Most often confused: {' and '.join(pairs[:ties])}, {cases} each.",)
    of = f"{percent(first.share)} of {quoted(first.truth)}"
    picked = _picked(facts, facts.most_confused, "the most frequent")
    return (f"Most often confused: {pairs[0]}, {cases}, {of}{picked}.",)


def _lacking(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    lines: list[str] = []
    if facts.absent:
        lines.append(
            f"No cases of {named(facts.absent)}: an average over all classes has no value where "
            'one of them has none ("macro_recall.defined" leaves that one out).'
        )
    called = facts.table.predicted_counts.tolist()
    strays = [x for x, n in zip(facts.labels, called, strict=True) if n and x in facts.absent]
    if strays:
        lines.append(
            f"Predicted all the same: {named(tuple(strays))}; precision and F1 are 0 there, which "
            "lowers their averages."
        )
    if facts.never_predicted:
        lines.append(f"Never predicted: {named(facts.never_predicted)}.")
    return tuple(lines)


def named(labels: tuple[object, ...]) -> str:
    """List labels, as many as a line has room for."""
    return first_of(map(quoted, labels), NAMED, write=count)


def _few(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    if facts.effective_n:
        return ()
    few = [one for one in facts.classes if 0 < one.table.n_positive < FEW]
    if not few:
        return ()
    if len(few) > NAMED:
        many = sentence_case(in_words(len(few)))
        return (f"{many} classes have fewer than {FEW} cases each: look at their intervals.",)
    parts = ", ".join(f"{quoted(one.label)} {count(one.table.n_positive)}" for one in few)
    return (f"Few cases of some classes ({parts}): look at their intervals.",)


def about(facts: ClassEvaluationFacts) -> tuple[tuple[str, str], ...]:
    """Say what was evaluated: classes, cases, columns, weights, the guess."""
    size = facts.table.n_classes
    total = f"total weight {count(facts.n)}" if facts.effective_n else count(facts.n)
    return about_lines(
        ("Classes", f"{count(size)}: {named(facts.labels)}"),
        ("Cases", f"{total}{cases_dropped(facts)}"),
        ("Clusters", clusters(facts)),
        ("Weights", "" if facts.n_clusters is not None else effective(facts)),
        ("Truth", "" if facts.target is None else f"column {quoted(facts.target)}"),
        ("Worth", "" if facts.stakes is None else stakes_told(facts.stakes)),
        ("Prediction", prediction(facts.prediction, facts.scores, facts.tied)),
        ("Decisions", decided(facts)),
        ("Scores", scores(facts.scores)),
        ("Guess", f"{GUESSES[facts.guess]} ({facts.guess.replace('_', '-')})"),
    )


def prediction(name: str | None, columns: tuple[str, ...], tied: int | None) -> str:
    """Say what made the predictions: a column, or the highest score of each case."""
    if name is not None:
        return f"column {quoted(name)}"
    if not columns or tied is None:
        return ""
    cases = "1 case" if tied == 1 else f"{count(tied)} cases"
    ties = f"; of {cases} with equal ones the first" if tied else ""
    return f"the class with the highest score{ties}"


BY_UTILITY = "those with the highest expected utility by the probabilities, the first of equals"


def decided(facts: ClassEvaluationFacts | ClassAuditFacts) -> str:
    """Say that probabilities were decided on by what decisions are worth, if so."""
    by_scores = facts.scores and facts.prediction is None and facts.stakes is not None
    return BY_UTILITY if by_scores else ""


def scores(columns: tuple[str, ...]) -> str:
    """Name the columns of scores, in the order of the classes."""
    return f"columns {named(columns)}" if len(columns) > 1 else ""


def method(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say how the numbers were found."""
    known = any(not math.isnan(m.low + m.high) for m in facts.metrics)
    lines = [_intervals(facts)] if known or facts.interval in SHARES else []
    if not math.isnan(facts.p_value):
        how = ROUTES[facts.p_value_route or "exact"]
        lines.append(
            "p: how often guessing, with the same number of cases of each class and as many called "
            f"each, has as many right or more ({how})."
        )
    if any(not math.isnan(m.chance) for m in facts.metrics):
        lines.append("What the guess scores on average is enumerated.")
    tested = not math.isnan(facts.p_value)
    judged = method_of_verdict(facts.better_than_guessing, tested=tested)
    return (*lines, *judged, *class_scores.method(facts))


def _intervals(facts: ClassEvaluationFacts) -> str:
    how = level(facts.confidence_level)
    if facts.interval not in SHARES:
        return INTERVALS["strata" if facts.n_strata else facts.interval].format(level=how)
    return (
        f"Intervals of {how}: of shares {SHARES[facts.interval]}; of averages and correlations "
        "from a posterior of Dirichlet laws for hits and for errors, by simulation with a fixed "
        "seed."
    )


def called(name: str) -> str:
    """Return the name of a metric in a table: utilities stand elsewhere."""
    return "utility" if name.startswith("utility(") else label(name)

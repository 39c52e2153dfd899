"""A comparison of several classes in words: which is better, by how much, and can it be told."""

import math

from baserate._figures import count, label, level, percent, quoted
from baserate.facts.comparison import ClassComparisonFacts
from baserate.facts.pairs import TurnFact
from baserate.report import compare_answer, compare_laws
from baserate.report.class_words import GUESSES, named
from baserate.report.class_worth import stakes_told
from baserate.report.compare_laws import SHRUNK
from baserate.report.compare_words import listed, unit
from baserate.report.opening import about_lines, cases_dropped
from baserate.report.words import SIGNIFICANT, reason_of, spoken

FEW = 3  # classifiers that the first sentence names one by one
NAMED = 4  # metrics, classes, costs that a sentence names
SAME = (
    "Tested on the same cases: of every two classifiers those where both are right, only one of "
    "them, or neither have a Dirichlet posterior, with half a case for each alone (and so half a "
    "case for the right and for the wrong answers of either); p is McNemar's mid-p of the cases "
    "that one alone gets right, two-sided."
)
SEPARATE = (
    "Tested on separate cases: each table has a Dirichlet posterior of its own, with half a case "
    "for all right decisions and half a case for all others; shares of classes are as uncertain as "
    "the counts."
)
EXACT = "Yields and recall are computed, averages and correlations are simulated, always "
TURNS = "Costs at which the ranking turns are those of these cases; new cases would move them."
HOLM = "Adjusted p-values allow for the number of pairs, or of classes, by Holm's method."


def answer(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Return the answer: what was asked for, how surely it differs, then what it is worth."""
    return (
        *compare_answer.untold(facts),
        *compare_answer.raced(facts),
        *compare_answer.alike(facts),
        *_alone(facts),
        *compare_answer.best(facts),
        *compare_answer.worth(facts),
        *_other_shares(facts),
        *_metrics_disagree(facts),
        *_of_classes(facts),
        *_no_stakes(facts),
        *compare_answer.in_groups(facts),
    )


def _verb(facts: ClassComparisonFacts, value: float, *, again: bool = False) -> str:
    if facts.stakes.kind == "accuracy":
        return f"{'' if again else 'is right '}in {percent(value)}"
    return f"{'loses' if value < 0 else 'earns'} {count(abs(value))}"


def _alone(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say how many cases tell the first two apart, if these were compared by accuracy."""
    pair, first, second = facts.leading, *facts.ranked[:2]
    if facts.asked or facts.stakes.kind != "accuracy":
        return ()
    if pair.only_a is None or pair.only_b is None:
        return ()
    turned = pair.a != first.name
    alone = (pair.only_b, pair.only_a) if turned else (pair.only_a, pair.only_b)
    text = f"{label(first.name)} alone gets right {count(alone[0])} cases"
    return (f"{text}, {label(second.name)} alone {count(alone[1])}.",)


def _other_shares(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say what yields would be if all test sets held the classes in the same shares."""
    if facts.same_shares:
        return ()
    head = "The test sets hold the classes in other shares, which moves yields by itself"
    known = [one for one in facts.ranked if not math.isnan(one.at_all_shares)]
    if len(known) < len(facts.ranked) or len(known) > FEW:
        return (f"{head}.",)
    at = (f"{label(one.name)} {_verb(facts, one.at_all_shares)}" for one in known)
    return (f"{head}: in the shares of all cases together {listed(at)}.",)


def _metrics_disagree(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Name the metrics that put the second of two before the first."""
    pair, first, second = facts.leading, *facts.ranked[:2]
    sign = 1 if pair.a == first.name else -1
    if not pair.difference:
        return ()
    directed = {m.name: m.direction for m in first.metrics}
    wrong = [
        spoken(one.name)
        for one in pair.metrics
        if sign * one.difference * {"higher": 1, "lower": -1}.get(directed[one.name], 0) < 0
    ]
    if not wrong:
        return ()
    verb = "puts" if len(wrong) == 1 else "put"
    return (f"In these cases {listed(wrong, NAMED)} {verb} {label(second.name)} first.",)


def _of_classes(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Name the classes of which one finds more than the other, as tests of all classes tell."""
    pair = facts.leading
    tested = [one for one in pair.classes if not math.isnan(one.adjusted_p)]
    if not tested:
        return ()
    told = [one for one in tested if one.adjusted_p < SIGNIFICANT]
    if not told:
        return ("No class by itself tells them apart (p-values adjusted for all classes).",)
    parts = []
    for name, of_a in ((pair.a, True), (pair.b, False)):
        more = [one for one in told if ((one.only_a or 0) > (one.only_b or 0)) is of_a]
        if more:
            shown = listed((quoted(one.label) for one in more), NAMED)
            parts.append(f"{label(name)} finds more of {shown}")
    return (f"Class by class, {', '.join(parts)} (p-values adjusted for all classes).",)


def _no_stakes(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say that no utilities were given, and at which costs the ranking would turn."""
    if facts.stakes.kind != "accuracy":
        return ()
    head = "No utilities were given, so that every error counts the same in accuracy"
    pair = facts.leading
    if not pair.turns:
        return (f"{head}.",)
    second, turn = facts.ranked[1].name, pair.turns[0]
    told = f"{head}; in these cases {label(second)} is worth more if {turned(turn, second)}"
    return (f"{told}.",)


def turned(turn: TurnFact, name: str) -> str:
    """Say at which cost of an error a classifier is the better one.

    Examples
    --------
    >>> from baserate.report.class_compare_words import turned, TurnFact
    >>> turned(TurnFact(truth="a", prediction="b", cost=1.5, above="B"), "B")
    'taking "a" for "b" costs more than 1.5 times any other error'
    """
    more = "more" if turn.above == name else "less"
    return f"{error(turn)} costs {more} than {turn.cost:.3g} times any other error"


def error(turn: TurnFact) -> str:
    """Name an error."""
    other = "anything else" if turn.prediction is None else quoted(turn.prediction)
    return f"taking {quoted(turn.truth)} for {other}"


def about(facts: ClassComparisonFacts) -> tuple[tuple[str, str], ...]:
    """Say what was compared: classes, cases, columns, stakes."""
    apart = "" if facts.paired else " in separate test sets"
    total = sum(facts.class_counts.values())
    weight = "" if facts.effective_n is None else f", total weight {count(total)}"
    return about_lines(
        ("Classes", f"{count(len(facts.labels))}: {named(facts.labels)}"),
        ("Cases", f"{count(facts.n)}{weight}{apart}{cases_dropped(facts)}"),
        ("Truth", quoted(facts.target) if facts.target else ""),
        ("Clusters", compare_laws.clusters(facts)),
        ("Weights", compare_laws.weights(facts)),
        ("Worth", stakes_told(facts.stakes)),
        (
            "Guess",
            ""
            if facts.stakes.named
            else f"{GUESSES[facts.guess]} ({facts.guess.replace('_', '-')})",
        ),
    )


def method(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say by which laws intervals, tests and chances were found."""
    errors = [
        one.error for pair in facts.pairs for one in pair.metrics if one.route == "simulation"
    ]
    said = f"(standard error of a probability at most {max(errors, default=0):.2g})."
    lines = (
        compare_laws.of_sample(facts) or (SAME if facts.paired else SEPARATE),
        f"{EXACT}with the same seed {said}" if errors else "",
        compare_laws.intervals(facts, unit(facts))
        if facts.sampled
        else f"Intervals hold {level(facts.confidence_level)} of the posterior.",
        *(
            (
                SHRUNK.format(k=len(facts.classifiers)),
                f"P(best) is simulated, standard error at most {facts.best_error:.2g}.",
            )
            if facts.best_error
            else ()
        ),
        f"P(best) is missing: {reason_of(facts.best_reason)}." if facts.best_reason else "",
        HOLM if facts.paired else "",
        TURNS if any(pair.turns for pair in facts.pairs) else "",
        *compare_laws.no_chance(facts),
    )
    return tuple(filter(None, lines))

"""A comparison of several classes in words: which is better, by how much, and can it be told."""

import math

from baserate._figures import count, label, level, percent, quoted
from baserate.facts.comparison import ClassComparisonFacts, ComparedGroup
from baserate.facts.pairs import ComparedClassifier, ComparedPair, TurnFact
from baserate.report import compare_answer, compare_laws
from baserate.report import compare_lead as lead
from baserate.report.class_words import GUESSES, named
from baserate.report.class_worth import choice, stakes_told
from baserate.report.compare_laws import SHRUNK
from baserate.report.compare_words import listed
from baserate.report.words import SIGNIFICANT, reason_of, sentence_case, spoken

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
    races = [_of_metric(facts, name) for name in facts.asked]
    if not races or facts.stakes.kind != "accuracy":
        races.append(_of_worth(facts))
    return (
        *compare_answer.untold(facts),
        *(sentence for race in races for sentence in lead.told(race)),
        *compare_answer.alike(facts),
        *_alone(facts),
        *_best(facts),
        *_against_constant(facts),
        *_other_shares(facts),
        *_metrics_disagree(facts),
        *_of_classes(facts),
        *_no_stakes(facts),
        *_in_groups(facts),
    )


def _of_metric(facts: ClassComparisonFacts, name: str) -> lead.Race:
    """Return the classifiers compared by a metric that was asked for."""
    found = {o.name: next(m for m in o.metrics if m.name == name) for o in facts.classifiers}
    [direction] = {metric.direction for metric in found.values()}
    pairs = {}
    for pair in facts.pairs:
        one = next(metric for metric in pair.metrics if metric.name == name)
        p = one.adjusted_p if len(facts.pairs) > 1 else one.p_value
        pairs[pair.a, pair.b] = lead.Lead(
            value=one.difference, low=one.low, high=one.high, p=p, chance=one.a_better
        )
    return lead.Race(
        called=sentence_case(spoken(name)),
        sign={"higher": 1, "lower": -1}.get(direction, 0),
        values={of: (m.value, m.low, m.high) for of, m in found.items()},
        pairs=pairs,
        level=facts.confidence_level,
    )


def _of_worth(facts: ClassComparisonFacts) -> lead.Race:
    """Return the classifiers compared by what decisions are worth: accuracy without utilities."""
    by_accuracy, several = facts.stakes.kind == "accuracy", len(facts.pairs) > 1
    pairs = {}
    for pair in facts.pairs:
        p = pair.adjusted_p if several else pair.p_value
        pairs[pair.a, pair.b] = lead.Lead(
            value=pair.difference, low=pair.low, high=pair.high,
            p=p if by_accuracy or facts.sampled else math.nan, chance=pair.a_better,
        )  # fmt: skip
    return lead.Race(
        called="Accuracy" if by_accuracy else "Yield per case",
        sign=1,
        values={one.name: (one.value, one.low, one.high) for one in facts.classifiers},
        pairs=pairs,
        level=facts.confidence_level,
    )


def _best(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say how probably the highest of several is the best, by stakes if others were asked for."""
    if facts.asked and facts.stakes.kind == "accuracy":
        return ()
    by = unit(facts) if facts.asked else ""
    return lead.best({one.name: one.best for one in facts.classifiers}, by, _cases(facts))


def _cases(facts: ClassComparisonFacts) -> str:
    sizes = [one.n for one in facts.classifiers]
    return lead.these_cases(facts.n if facts.paired else None, sizes)


def _verb(facts: ClassComparisonFacts, value: float, *, again: bool = False) -> str:
    if facts.stakes.kind == "accuracy":
        return f"{'' if again else 'is right '}in {percent(value)}"
    return f"{'loses' if value < 0 else 'earns'} {count(abs(value))}"


def _against_constant(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say under utilities that were named whether each is worth using: yes, no, cannot tell."""
    if facts.stakes.kind == "accuracy":
        return ()
    always = choice(facts.stakes, facts.stakes.constant)
    bar = f"{always} {_verb(facts, facts.stakes.constant_value)}"
    shown = facts.ranked if len(facts.ranked) <= FEW else facts.ranked[:1]
    chances = {one.name: one.beats_constant for one in shown if not one.beats_reason}
    return (sentence_case(f"{bar}{compare_answer.against_constant(chances)}."),)


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


def _in_groups(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Name the groups in which another classifier is surely best than over all cases."""
    found = [(place.group, place.best) for place in facts.groups]
    return compare_answer.in_groups(facts.ranked[0].name, found)


def best_of(facts: ClassComparisonFacts, place: ComparedGroup) -> str:
    """Name what is best in a group: classifiers, or the constant decision."""
    top = max(place.yields.values())
    if not top > place.constant_value:
        return choice(facts.stakes, place.constant)
    return listed(label(name) for name, value in place.yields.items() if value == top)


def unit(facts: ClassComparisonFacts) -> str:
    """Name what is compared."""
    return "accuracy" if facts.stakes.kind == "accuracy" else "yield"


def about(facts: ClassComparisonFacts) -> tuple[tuple[str, str], ...]:
    """Say what was compared: classes, cases, columns, stakes."""
    rows = "row" if facts.missing == 1 else "rows"
    dropped = f"; {count(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    apart = "" if facts.paired else " in separate test sets"
    total = sum(facts.class_counts.values())
    weight = "" if facts.effective_n is None else f", total weight {count(total)}"
    lines = (
        ("Classes", f"{count(len(facts.labels))}: {named(facts.labels)}"),
        ("Cases", f"{count(facts.n)}{weight}{apart}{dropped}"),
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
    return tuple((heading, text) for heading, text in lines if text)


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
        *_no_chance(facts.classifiers),
    )
    return tuple(filter(None, lines))


def _no_chance(classifiers: tuple[ComparedClassifier, ...]) -> tuple[str, ...]:
    """Say why a classifier has no probability of beating the best constant decision."""
    return tuple(
        f"P(beats constant) of {label(one.name)} is missing: {reason_of(one.beats_reason)}."
        for one in classifiers
        if one.beats_reason
    )


def pair_named(pair: ComparedPair) -> tuple[str, str]:
    """Name both of a pair."""
    return label(pair.a), label(pair.b)

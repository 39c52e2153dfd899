"""A comparison of several classes in words: which is better, by how much, and can it be told."""

import math

from baserate import _figures as figures
from baserate._figures import count, label, level, p_stated, percent, quoted, short
from baserate.facts.class_comparison import (
    ClassComparisonFacts,
    ComparedClassifier,
    ComparedGroup,
    ComparedPair,
    TurnFact,
)
from baserate.report.class_words import GUESSES, named
from baserate.report.class_worth import choice, stakes_told
from baserate.report.compare_words import listed
from baserate.report.words import SIGNIFICANT, reason_of, sentence_case, spoken

SURE = 0.975  # P(best) from which on one of several is called the best
FEW = 3  # classifiers that the first sentence names one by one
NAMED = 4  # metrics, classes, costs that a sentence names
SAME = (
    "Tested on the same cases: of every two classifiers those where both are right, only one of "
    "them, or neither have a Dirichlet posterior with half a case each; p is McNemar's exact test "
    "of the cases that one alone gets right, two-sided."
)
SEPARATE = (
    "Tested on separate cases: each table has a Dirichlet posterior of its own, with half a case "
    "for all right decisions and half a case for all others; shares of classes are as uncertain as "
    "the counts."
)
EXACT = "Laws of yields and of recall are exact; averages and correlations are simulated, always "
TURNS = "A cost at which the ranking turns is exact for these cases, and as uncertain as they are."
HOLM = "Adjusted p-values allow for the number of pairs, or of classes, by Holm's method."


def answer(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Return the answer as a few short sentences."""
    return (
        _verdict(facts),
        _earnings(facts),
        *_difference(facts),
        *_beats_constant(facts),
        *_other_shares(facts),
        *_metrics_disagree(facts),
        *_of_classes(facts),
        *_no_stakes(facts),
        *_in_groups(facts),
    )


def _verdict(facts: ClassComparisonFacts) -> str:
    """Say which is better, and whether it can be told."""
    first, second = facts.ranked[:2]
    if len(facts.classifiers) > 2:
        cases = f"with {_cases(facts)}"
        if math.isnan(first.best):
            return f"Highest: {label(first.name)}; how probably it is the best is not known."
        if first.best >= SURE:
            return f"Best: {label(first.name)} (P {_equals(first.best)} {cases})."
        likely = max(facts.classifiers, key=lambda one: one.best)
        told = f"most probably {label(likely.name)}, P {_equals(likely.best)} {cases}"
        return f"Which is best: cannot tell ({told})."
    pair = facts.leading
    if not pair.difference:
        both = f"{label(first.name)} and {label(second.name)}"
        return f"Which is better: cannot tell; {both} are worth the same here."
    p = pair.a_better if pair.a == first.name else 1 - pair.a_better
    if pair.low > 0 or pair.high < 0:
        return f"Better: {label(first.name)} (P {_equals(p)} with {_cases(facts)})."
    event = f"P({label(first.name)} better) {_equals(p)} with {_cases(facts)}"
    return f"Which is better: cannot tell ({event})."


def _equals(p: float) -> str:
    text = figures.chance(p)
    return text if text[0] in "<>" else f"= {text}"


def _cases(facts: ClassComparisonFacts) -> str:
    if facts.paired:
        return f"these {count(facts.n)} cases"
    sizes = [count(one.n) for one in facts.classifiers]
    if len(set(sizes)) == 1:
        return f"these {sizes[0]} cases each"
    return f"these {listed(sizes)} cases" if len(sizes) <= FEW else "these cases"


def _earnings(facts: ClassComparisonFacts) -> str:
    """Say what each classifier is worth, beside the best constant decision."""
    ranked = facts.ranked
    shown = ranked if len(ranked) <= FEW else (ranked[0], ranked[-1])
    of = " of cases" if facts.stakes.kind == "accuracy" else " per case"
    first = f"{label(shown[0].name)} {_verb(facts, shown[0].value)}{of}"
    others = [f"{label(one.name)} {_verb(facts, one.value, again=True)}" for one in shown[1:]]
    head = ", ".join([first, *others])
    if len(ranked) > FEW:
        head = f"Of {len(ranked)} classifiers, {first} (the highest), {others[0]} (the lowest)"
    return f"{head}; {_against_constant(facts)}"


def _verb(facts: ClassComparisonFacts, value: float, *, again: bool = False) -> str:
    if facts.stakes.kind == "accuracy":
        return f"{'' if again else 'is right '}in {percent(value)}"
    return f"{'loses' if value < 0 else 'earns'} {count(abs(value))}"


def _against_constant(facts: ClassComparisonFacts) -> str:
    bar = facts.stakes.constant_value
    always = f"{choice(facts.stakes, facts.stakes.constant)} {_verb(facts, bar)}"
    useless = [one for one in facts.ranked if not one.value > bar]
    if len(useless) == len(facts.ranked):
        which = "neither classifier" if len(useless) == 2 else "no classifier"
        return f"but {always}: {which} is worth using."
    if not useless:
        return f"{always}."
    names = listed(label(one.name) for one in useless) if len(useless) <= FEW else len(useless)
    return f"{always}, so {names} {'is' if len(useless) == 1 else 'are'} not worth using."


def _difference(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say by how much the first two differ, and how many cases tell them apart."""
    pair, first, second = facts.leading, *facts.ranked[:2]
    turned = pair.a != first.name
    low, high = (-pair.high, -pair.low) if turned else (pair.low, pair.high)
    ends = f"{level(facts.confidence_level)} interval {figures.interval(low, high)}"
    both = f" between {label(first.name)} and {label(second.name)}"
    both = both if len(facts.classifiers) > 2 else ""
    text = f"The difference{both} is {short(abs(pair.difference))} ({ends})"
    if facts.stakes.kind != "accuracy" or pair.only_a is None or pair.only_b is None:
        return (f"{text}.",)
    alone = (pair.only_b, pair.only_a) if turned else (pair.only_a, pair.only_b)
    only = f"{label(first.name)} alone gets right {count(alone[0])} cases"
    only += f", {label(second.name)} alone {count(alone[1])}"
    p = pair.adjusted_p if len(facts.pairs) > 1 else pair.p_value
    adjusted = "adjusted " if len(facts.pairs) > 1 else ""
    return (f"{text}; {only} ({adjusted}{p_stated(p)}).",)


def _beats_constant(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say how surely the first is worth using."""
    first = facts.ranked[0]
    if not first.value > facts.stakes.constant_value or math.isnan(first.beats_constant):
        return ()
    better = f"{label(first.name)} is worth more than"
    always = choice(facts.stakes, facts.stakes.constant)
    return (f"P({better} {always}) {_equals(first.beats_constant)}.",)


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
    names = listed(wrong, NAMED)
    return (f"{sentence_case(names)} {verb} {label(second.name)} first.",)


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
    head = "No utilities were given, so every error counts the same (accuracy)"
    pair = facts.leading
    if not pair.turns:
        return (f"{head}.",)
    second = facts.ranked[1].name
    turn = pair.turns[0]
    return (f"{head}; {label(second)} would be better if {turned(turn, second)}.",)


def turned(turn: TurnFact, name: str) -> str:
    """Say at which cost of an error a classifier is the better one.

    Examples
    --------
    >>> from baserate.report.class_compare_words import turned, TurnFact
    >>> turned(TurnFact(truth="a", prediction="b", cost=1.5, above="B"), "B")
    'taking "a" for "b" cost more than 1.5 times any other error'
    """
    more = "more" if turn.above == name else "less"
    return f"{error(turn)} cost {more} than {turn.cost:.3g} times any other error"


def error(turn: TurnFact) -> str:
    """Name an error."""
    other = "anything else" if turn.prediction is None else quoted(turn.prediction)
    return f"taking {quoted(turn.truth)} for {other}"


def _in_groups(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Name the groups in which something else is best than over all cases."""
    first, bar = facts.ranked[0], facts.stakes.constant_value
    overall = (
        label(first.name) if first.value > bar else choice(facts.stakes, facts.stakes.constant)
    )
    other = [
        f"{', '.join(map(label, place.group.values()))} ({best_of(facts, place)})"
        for place in facts.groups
        if best_of(facts, place) != overall
    ]
    if not other:
        return ()
    return (f"Something else than {overall} is highest in {listed(other, 2 * FEW)}.",)


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
    lines = (
        ("Classes", f"{count(len(facts.labels))}: {named(facts.labels)}"),
        ("Cases", f"{count(facts.n)}{apart}{dropped}"),
        ("Truth", quoted(facts.target) if facts.target else ""),
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
        SAME if facts.paired else SEPARATE,
        f"{EXACT}with the same seed {said}" if errors else "",
        f"Intervals hold {level(facts.confidence_level)} of the posterior.",
        f"P(best) is simulated, standard error at most {facts.best_error:.2g}."
        if facts.best_error
        else "",
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

"""The first lines of a comparison: each value with its interval, and how surely they differ."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate import _figures as figures
from baserate._figures import label, sentence_case, spoken
from baserate._holm import holm
from baserate.facts.comparison import AnyComparison, DifferenceFact, ScorePairFact
from baserate.report import compare_words as words
from baserate.report.words import SIGNIFICANT, stated_at

FEW = 3  # values that one sentence holds
NAMED = 4  # pairs that one sentence names
SEPARATE = {
    (1, True): "It is {higher} for {a} than for {b}",
    (2, True): "It may be {higher} for {a} than for {b}: interval and test disagree",
    (1, False): "Whether it is {higher} for {a} than for {b} cannot be told",
}
TAKEN = (
    "Taken as separate test sets: a difference may lie in their cases{hidden}. If the cases are "
    "the same, compare them case by case."
)
HIDDEN = ", and adding them up would hide it"

Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Lead:
    """How far the first of two lies above the second."""

    value: float
    low: float
    high: float
    p: float
    chance: float = math.nan

    def turned(self) -> "Lead":
        """Return the second less the first."""
        return Lead(
            value=-self.value, low=-self.high, high=-self.low, p=self.p, chance=1 - self.chance
        )


@dataclass(frozen=True, kw_only=True)
class Race:
    """What is compared by one number."""

    called: str  # the number, as a sentence begins with it
    name: str = ""  # the same within a sentence, of a metric asked for
    sign: int  # 1 where higher is better, -1 where lower is, 0 where neither
    values: Mapping[str, tuple[float, float, float]]
    pairs: Mapping[tuple[str, str], Lead]  # p-values of more than one pair are adjusted
    level: float
    better: str = "is better"  # what is said of the better one: "is better"
    separate: bool = False  # whether each has cases of its own, which differ too

    @property
    def ranked(self) -> list[str]:
        """Names, the best first; those without a value last."""
        known = [name for name, found in self.values.items() if not math.isnan(found[0])]
        known.sort(key=lambda name: -(self.sign or 1) * self.values[name][0])
        return [*known, *(name for name in self.values if name not in known)]

    @property
    def higher(self) -> str:
        """What the number of the first is, beside that of the second."""
        return "lower" if self.sign < 0 else "higher"

    def ahead(self, a: str, b: str) -> Lead:
        """Return how far one lies above another."""
        found = self.pairs.get((a, b))
        return self.pairs[b, a].turned() if found is None else found


def told(race: Race) -> tuple[str, ...]:
    """Say the values, then how surely the first two differ; of several, which pairs do."""
    ranked = race.ranked
    head = f"{race.called}: {_values(race, ranked)}"
    first, second = ranked[:2]
    if math.isnan(race.values[second][0]):
        return (f"{head}.",)
    several = len(ranked) > 2
    verdict = _verdict(race, first, second, several=several)
    return (f"{head}.", verdict, *(_beyond_luck(race, ranked) if several else ()))


def _values(race: Race, ranked: list[str]) -> str:
    shown = ranked if len(ranked) <= FEW else ranked[:2]
    parts = []
    for name in shown:
        value, low, high = race.values[name]
        text = f"{label(name)} {figures.number(value)}"
        known = not math.isnan(low + high)
        first = f"{figures.level(race.level)} interval " if not parts else ""
        parts.append(f"{text} ({first}{figures.interval(low, high)})" if known else text)
    if len(ranked) > FEW:
        last = f"{label(ranked[-1])} {figures.number(race.values[ranked[-1]][0])}"
        n = len(ranked) - len(shown)
        parts.append(f"{n} more {'down' if race.sign >= 0 else 'up'} to {last}")
    return ", ".join(parts)


def _verdict(race: Race, first: str, second: str, *, several: bool) -> str:
    gap = race.ahead(first, second)
    high = race.better if race.sign else "is higher"
    which = f"{label(first)} or {label(second)}" if several else ""
    if math.isnan(gap.low + gap.high) and math.isnan(gap.p):
        return f"Which {which + ' ' if which else ''}{high} is not known: there is no interval."
    size = f"a difference of {figures.number(abs(gap.value))}"
    span = gap if gap.value >= 0 else gap.turned()
    alone = "unadjusted " if several and not math.isnan(gap.p) else ""
    known = not math.isnan(gap.low)
    ends = f", {alone}{figures.interval(span.low, span.high)}" if known else ""
    test = "adjusted " if several else ""
    p = f", {test}{figures.p_stated(gap.p)}" if not math.isnan(gap.p) else ""
    chance = ""
    if not (several and p) and not math.isnan(gap.chance):
        event = f"{race.higher} for {label(first)}" if race.separate else f"{label(first)} better"
        chance = f", P({event}) {figures.equals(gap.chance)}"
    evidence = f"({size}{ends}{p}{chance})"
    said = _said(gap, len(race.pairs))
    if race.separate:  # whose cases differ too, so that nothing is better
        text = SEPARATE[len(said), True in said]
        text = text.format(higher=race.higher, a=label(first), b=label(second))
        return f"{text} {evidence}."
    than = f" than {label(second)}" if "better" in high or "higher" in high else ""
    if said == {True}:
        return f"{label(first)} {high}{than} {evidence}."
    if len(said) == 2:
        may = high.replace("is ", "may be ", 1) if high.startswith("is ") else f"perhaps {high}"
        return f"{label(first)} {may}{than}: interval and test disagree {evidence}."
    if several:
        return f"Which of {which.replace(' or ', ' and ')} {high} cannot be told {evidence}."
    return f"Which {high} cannot be told {evidence}."


def together(races: Sequence[Race]) -> tuple[str, ...]:
    """Say what of two holds of several metrics at once, and what separate test sets leave open."""
    leads = {race.name: race.pairs.values() for race in races if race.name}
    if any(len(found) > 1 for found in leads.values()):  # which are adjusted for pairs already
        leads = {}
    tests = {name: lead.p for name, [lead] in leads.items() if not math.isnan(lead.p)}
    some = [name for name, p in tests.items() if p < SIGNIFICANT]
    said = []
    if some and len(tests) > 1:
        adjusted = dict(zip(tests, holm(np.array([*tests.values()])).tolist(), strict=True))
        parts = words.listed(f"{figures.p_stated(adjusted[name])} for {name}" for name in some)
        every = "both" if len(tests) == 2 else f"all {len(tests)}"
        said.append(f"Each metric is tested by itself; allowing for {every} (Holm), {parts}.")
        if lost := [name for name in some if adjusted[name] >= SIGNIFICANT]:
            said.append(f"By {words.listed(lost)} they cannot be told apart then.")
    if of_cases := [race for race in races if race.separate]:
        apart = any(
            True in _said(lead, len(one.pairs)) for one in of_cases for lead in one.pairs.values()
        )
        said.append(TAKEN.format(hidden=HIDDEN * apart))
    return tuple(said)


def _said(gap: Lead, n_pairs: int) -> set[bool]:
    """Return what interval and test say; of several only the test, or the chance, is adjusted."""
    of_interval, several = not gap.low <= 0 <= gap.high, n_pairs > 1
    if math.isnan(gap.p) and several and not math.isnan(gap.chance):
        return {max(gap.chance, 1 - gap.chance) >= 1 - SIGNIFICANT / 2 / n_pairs}
    if math.isnan(gap.p):
        return {of_interval}
    tested = gap.p < SIGNIFICANT
    return {tested} if several or math.isnan(gap.low) else {tested, of_interval}


def _beyond_luck(race: Race, ranked: list[str]) -> tuple[str, ...]:
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    tested = [pair for pair in pairs if not math.isnan(race.ahead(*pair).p)]
    if not tested:
        return ()
    apart = [pair for pair in tested if race.ahead(*pair).p < SIGNIFICANT]
    if not apart:
        return (f"No two of them can be told apart ({len(tested)} tests, adjusted by Holm).",)
    behind: dict[str, list[str]] = {}
    for a, b in apart:
        behind.setdefault(a, []).append(label(b))
    parts = [f"{label(a)} from {words.listed(others, NAMED)}" for a, others in behind.items()]
    number = f"{len(apart)} of {len(tested)} pairs {'differs' if len(apart) == 1 else 'differ'}"
    return (f"{number} beyond luck (adjusted by Holm): {words.listed(parts, NAMED)}.",)


def best(chances: Mapping[str, float], by: str, cases: str) -> tuple[str, ...]:
    """Say how probably the highest of several is the best, now that it was picked."""
    first = max(chances, key=lambda name: -1 if math.isnan(chances[name]) else chances[name])
    if len(chances) == 2 or math.isnan(chances[first]):
        return ()
    event = f"{label(first)} is the best{by and ' by '}{by}"
    text = f"P({event}) {figures.equals(chances[first])} with {cases}"
    return (f"{text}, allowing for the choice among {len(chances)}.",)


def these_cases(n: float | None, sizes: Sequence[float]) -> str:
    """Name the cases: the `n` that are the same for all, else how many each one has."""
    if n is not None:
        return f"these {figures.count(n)} cases"
    if len(set(sizes)) == 1:
        return f"these {figures.count(sizes[0])} cases each"
    listed = words.listed(map(figures.count, sizes))
    return f"these {listed} cases" if len(sizes) <= FEW else "these cases"


def of_metrics(facts: AnyComparison) -> Iterator[Race]:
    """Yield what was asked for by name, in that order."""
    at = stated_at(facts)
    for k, name in enumerate(facts.asked):
        found = {one.name: one.metrics[k] for one in facts.classifiers}
        [direction] = {metric.direction for metric in found.values()}
        yield Race(
            called=sentence_case(spoken(name)) + at,
            name=spoken(name) + at,
            sign={"higher": 1, "lower": -1}.get(direction, 0),
            values={of: (m.value, m.low, m.high) for of, m in found.items()},
            pairs={
                (pair.a, pair.b): _of_metric(pair.metrics[k], len(facts.pairs))
                for pair in facts.pairs
            },
            level=facts.confidence_level,
            separate=not facts.paired,
        )


def of_worth(facts: AnyComparison) -> Race:
    """Return what decisions are worth: accuracy without stakes."""
    called = {"accuracy": "Accuracy", "cost": "Cost per case", "utility": "Yield per case"}
    return Race(
        called=called[facts.stakes.kind] + stated_at(facts),
        sign=-1 if facts.stakes.kind == "cost" else 1,
        values={
            one.name: (words.shown(facts, one.value), *words.span(facts, one.low, one.high))
            for one in facts.classifiers
        },
        pairs={(pair.a, pair.b): _of_worth(facts, pair) for pair in facts.pairs},
        level=facts.confidence_level,
        separate=not facts.paired and facts.stakes.kind == "accuracy",  # else better is what pays
    )


def of_scores(facts: AnyComparison, measure: str, called: str, better: str, sign: int) -> Race:
    """Return scores compared by one measure."""
    values = {
        score.name: next((m.value, m.low, m.high) for m in score.measures if m.name == measure)
        for score in facts.scores
        if any(m.name == measure for m in score.measures)
    }
    pairs = [pair for pair in facts.score_pairs if pair.measure == measure]
    return Race(
        called=called,
        better=better,
        sign=sign,
        values=values,
        pairs={(pair.a, pair.b): _of_scores(pair, len(pairs)) for pair in pairs},
        level=facts.confidence_level,
    )


def _of_metric(found: DifferenceFact, n_pairs: int) -> Lead:
    p = found.adjusted_p if n_pairs > 1 else found.p_value
    return Lead(value=found.difference, low=found.low, high=found.high, p=p, chance=found.a_better)


def _of_worth(facts: AnyComparison, pair: Any) -> Lead:
    low, high = words.span(facts, pair.low, pair.high)
    p = pair.adjusted_p if len(facts.pairs) > 1 else pair.p_difference
    p = p if facts.tests_yields else math.nan
    value = words.shown(facts, pair.difference)
    return Lead(value=value, low=low, high=high, p=p, chance=pair.a_better)


def _of_scores(pair: ScorePairFact, n_pairs: int) -> Lead:
    p = pair.adjusted_p if n_pairs > 1 else pair.p_value
    return Lead(value=pair.difference, low=pair.low, high=pair.high, p=p)

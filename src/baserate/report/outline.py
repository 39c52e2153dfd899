"""The report as an outline: every heading, row and sentence once, before any format lays it out."""

import math
from dataclasses import dataclass

from baserate.facts import EvaluationFacts, GroupFact, MetricFact
from baserate.report import figures, threshold, words
from baserate.report.declared import COUNTS, name_at, plain_name
from baserate.report.sheet import Grid, Remarks

# The metrics people read, in the order in which they read them.
KEY_METRICS = (
    "accuracy", "balanced_accuracy", "recall", "specificity", "precision",
    "negative_predictive_value", "f1", "matthews_correlation", "cohen_kappa", "informedness",
    "jaccard", "geometric_mean",
)  # fmt: skip
KEY_RATES = ("accuracy", "recall", "precision", "f1")
WHOLE_CATALOGUE = 30  # fewer metrics than this were picked by hand: all of them are key
GROUP_COLUMNS = 4
TOTAL = "total"
EVERYONE = "all cases"
P_VALUES = {
    "fisher": "p: the probability that guessing with as many alarms does as well "
    "(Fisher's exact test at the table's own margins, one-sided).",
    "sup": "p: the probability that guessing does as well by that metric, the largest over all "
    "numbers predicted positive.",
}
PERFECT = "guessing is perfect here"  # then a dash in the table says enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One metric, written out; "–" where a column does not apply."""

    fact: MetricFact
    name: str
    value: str
    interval: str
    chance: str
    skill: str
    p_value: str

    @classmethod
    def of(cls, fact: MetricFact, base_rate: float | None = None) -> "Row":
        """Write out a fact of a report whose metrics are restated at a base rate, or are not."""
        write = figures.count if plain_name(fact.name) in COUNTS else figures.number
        known = not math.isnan(fact.low + fact.high)
        return cls(
            fact=fact,
            name=name_at(fact.name, base_rate),
            value=figures.number(fact.value) if math.isnan(fact.value) else write(fact.value),
            interval=f"{write(fact.low)} to {write(fact.high)}" if known else figures.NOTHING,
            chance=figures.or_nothing(fact.chance),
            skill=figures.or_nothing(fact.skill),
            p_value=figures.p_value(fact.p_value),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRow:
    """One row of the confusion table: what is true, the two counts by name, and their sum."""

    heading: str
    cells: tuple[tuple[str, float], ...]
    total: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group, or all cases together: its labels, size, base rate and key rates."""

    labels: tuple[str, ...]
    n: float
    base_rate: float
    rows: tuple[Row | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What every format shows, in the order in which it is shown."""

    title: str
    answer: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    predicted: tuple[str, str]
    counts: tuple[CountRow, ...]
    rows: tuple[Row, ...]
    others: tuple[Row, ...]
    has_chance: bool
    has_p_values: bool
    group_names: tuple[str, ...]
    group_metrics: tuple[str, ...]
    groups: tuple[GroupRow, ...]
    undefined: tuple[tuple[str, str], ...]
    no_chance: tuple[tuple[str, str], ...]
    no_chance_others: tuple[tuple[str, str], ...]
    no_interval: tuple[tuple[str, str], ...]
    no_p_value: tuple[tuple[str, str], ...]
    score: tuple[Grid | Remarks, ...]
    method: tuple[str, ...]

    @property
    def groups_title(self) -> str:
        """Name the rows below the counts of all cases, or without them."""
        return "Groups" if self.counts else "Classifiers"

    def count_cells(self) -> list[tuple[str, ...]]:
        """Return the confusion table as text, row by row."""
        return [
            (
                row.heading if row.heading == TOTAL else f"truth {row.heading}",
                *(f"{name} {figures.count(value)}".strip() for name, value in row.cells),
                figures.count(row.total),
            )
            for row in self.counts
        ]

    def metric_table(self, rows: tuple[Row, ...]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings and cells of a table of metrics, with chance only if it is known."""
        headings = ("metric", "value", "interval", "chance", "skill", "p")
        cells = [(r.name, r.value, r.interval, r.chance, r.skill, r.p_value) for r in rows]
        width = 3 + 2 * self.has_chance + (self.has_chance and self.has_p_values)
        return headings[:width], [row[:width] for row in cells]


def outline(facts: EvaluationFacts) -> Outline:
    """Arrange the facts."""
    rows = _rows(facts, facts.metrics)
    whole = len(rows) >= WHOLE_CATALOGUE
    key = _picked(rows, (*_own(rows), *KEY_METRICS)) if whole else rows
    columns = _group_columns(_rows(facts, facts.typical))
    return Outline(
        title=figures.label(facts.source) if facts.source else "data in memory",
        answer=words.answer(facts),
        about=_about(facts),
        predicted=(words.positive_label(facts), words.negative_label(facts)),
        counts=_counts(facts) if facts.table else (),
        rows=key,
        others=tuple(row for row in rows if row not in key),
        has_chance=words.knows_chance(facts.metrics),
        has_p_values=facts.p_value_method != "fisher",  # that one is said once, in the answer
        group_names=tuple(map(figures.label, facts.group_names)),
        group_metrics=columns,
        groups=_groups(facts, columns) if facts.groups else (),
        undefined=(*_undefined(rows), *_undefined_in_groups(facts, columns)),
        no_chance=_no_chance(key),
        no_chance_others=_no_chance(tuple(row for row in rows if row not in key)),
        no_interval=_without(rows, "interval_reason"),
        no_p_value=_without(_directed(rows), "p_value_reason"),
        score=_score(facts),
        method=_method(facts),
    )


def _score(facts: EvaluationFacts) -> tuple[Grid | Remarks, ...]:
    """Return what is known about the score besides its one table, or why there is nothing."""
    if facts.thresholds is None:
        pairs = (("Ranking", facts.ranking_reason),) if facts.ranking_reason else ()
        return (Remarks(title="Nothing about the score itself", pairs=pairs),) if pairs else ()
    return tuple(part for part in threshold.parts(facts.thresholds) if part.filled)


def _picked(rows: tuple[Row, ...], names: tuple[str, ...]) -> tuple[Row, ...]:
    by_name = {row.name: row for row in rows}
    return tuple(by_name[name] for name in names if name in by_name)


def _rows(facts: EvaluationFacts, metrics: tuple[MetricFact, ...]) -> tuple[Row, ...]:
    at = facts.base_rate if facts.restated else None
    return tuple(Row.of(fact, at) for fact in metrics)


def _own(rows: tuple[Row, ...]) -> tuple[str, ...]:
    own = words.of_own(tuple(row.fact for row in rows))
    return tuple(row.name for row in rows if row.fact in own)


def _group_columns(rows: tuple[Row, ...]) -> tuple[str, ...]:
    names = tuple(row.name for row in rows)
    if len(names) >= WHOLE_CATALOGUE:
        names = (*_own(rows), *(name for name in KEY_RATES if name in names))
    return names[:GROUP_COLUMNS]


def _groups(facts: EvaluationFacts, columns: tuple[str, ...]) -> tuple[GroupRow, ...]:
    named = [(tuple(map(figures.label, g.group.values())), g) for g in facts.groups]
    if facts.table is not None:
        everyone = tuple(EVERYONE if i == 0 else "" for i in range(max(1, len(facts.group_names))))
        whole = GroupFact(group={}, table=facts.table, metrics=facts.metrics)
        named.insert(0, (everyone, whole))
    return tuple(_group(facts, labels, g, columns) for labels, g in named)


def _group(
    facts: EvaluationFacts, labels: tuple[str, ...], group: GroupFact, columns: tuple[str, ...]
) -> GroupRow:
    by_name = {row.name: row for row in _rows(facts, group.metrics)}
    return GroupRow(
        labels=labels,
        n=group.table.n,
        base_rate=group.table.base_rate,
        rows=tuple(by_name.get(name) for name in columns),
    )


def _counts(facts: EvaluationFacts) -> tuple[CountRow, ...]:
    t = facts.classes
    truths = (
        (words.positive_label(facts), (("tp", t.tp), ("fn", t.fn)), t.n_positive),
        (words.negative_label(facts), (("fp", t.fp), ("tn", t.tn)), t.n_negative),
        (TOTAL, (("", t.n_predicted), ("", t.n_predicted_negative)), t.n),
    )
    return tuple(CountRow(heading=h, cells=cells, total=total) for h, cells, total in truths)


def _undefined(rows: tuple[Row, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (row.name, row.fact.undefined_reason or "a denominator of its definition is 0")
        for row in rows
        if math.isnan(row.fact.value)
    )


def _undefined_in_groups(
    facts: EvaluationFacts, columns: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return the gaps that the table of groups shows."""
    return tuple(
        (f"{name} in {_where(group)}", reason)
        for group in facts.groups
        for name, reason in _undefined(_rows(facts, group.metrics))
        if name in columns
    )


def _no_chance(rows: tuple[Row, ...]) -> tuple[tuple[str, str], ...]:
    """Return why metrics have no chance level or no skill, those with one reason together."""
    named: dict[str, list[str]] = {}
    for row in rows:
        fact = row.fact
        if fact.direction == "neither" or not math.isnan(fact.chance + fact.skill):
            continue
        reason = words.reason(fact.chance_reason or PERFECT).removeprefix(f"{fact.name} ")
        if reason not in {PERFECT, fact.undefined_reason}:
            named.setdefault(reason, []).append(row.name)
    return tuple((", ".join(names), _told(names, reason)) for reason, names in named.items())


def _told(names: list[str], reason: str) -> str:
    """Give a reason that went on from a metric's name a subject, one for each of several."""
    goes_on = reason.startswith(("is ", "has "))
    return f"{'it' if len(names) == 1 else 'each'} {reason}" if goes_on else reason


def _directed(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(row for row in rows if row.fact.direction != "neither")


def _without(rows: tuple[Row, ...], why: str) -> tuple[tuple[str, str], ...]:
    """Return why metrics that have a value lack something, those with one reason together."""
    named: dict[str, list[str]] = {}
    for row in rows:
        reason = getattr(row.fact, why)
        if reason and not math.isnan(row.fact.value):
            named.setdefault(words.reason(reason).replace(row.fact.name, "a metric"), []).append(row.name)
    return tuple((_names(names), reason) for reason, names in named.items())


def _names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= len(KEY_METRICS) else f"{len(names)} metrics"


def _where(group: GroupFact) -> str:
    return ", ".join(f"{figures.label(k)} = {figures.label(v)}" for k, v in group.group.items())


def _about(facts: EvaluationFacts) -> tuple[tuple[str, str], ...]:
    lines = (
        ("Positive", _positive(facts)),
        ("Cases", _cases(facts)),
        ("Base rate", words.base_rate_line(facts)),
        ("Weights", _weights(facts)),
        ("Truth", _column(facts.target)),
        ("Prediction", _prediction(facts)),
        ("Reference guess", _reference(facts)),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _positive(facts: EvaluationFacts) -> str:
    positive, others = words.positive_label(facts), words.other_labels(facts)
    if len(others) < 2:
        return f"{positive}; negative is {words.negative_label(facts)}"
    found = [figures.quoted(label) for label in facts.labels]
    more = f" and {len(found) - 8} more" if len(found) > 8 else ""
    size = words.in_words(len(found)).lower()
    return f"{positive} against the rest; {size} labels found: {', '.join(found[:8])}{more}"


def _cases(facts: EvaluationFacts) -> str:
    t, show = facts.classes, figures.count
    total = f"total weight {show(t.n)}" if words.is_weighted(facts) else show(t.n)
    classes = f"{show(t.n_positive)} positive, {show(t.n_negative)} negative"
    rows = "row" if facts.missing == 1 else "rows"
    dropped = f"{show(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    return "; ".join(filter(None, (f"{total}: {classes}", dropped)))


def _weights(facts: EvaluationFacts) -> str:
    if facts.effective_n is None:
        return ""
    sizes = f"intervals use {figures.count(facts.effective_n)} effective cases (Kish)"
    if facts.effective_positive is None or facts.effective_negative is None:
        return sizes
    positive, negative = map(figures.count, (facts.effective_positive, facts.effective_negative))
    return f"{sizes}: {positive} among the positives, {negative} among the negatives"


def _column(name: str | None) -> str:
    return "" if name is None else f"column {figures.quoted(name)}"


def _prediction(facts: EvaluationFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        cuts = () if facts.thresholds is None else facts.thresholds.cuts
        cut = f"is {threshold.cut_at(facts.threshold, cuts)} or more"
        chosen = f", where {facts.cut_by} is best" if facts.cut_by else ""
        return f"positive where the score in {_column(facts.score)} {cut}{chosen}"
    column = _column(facts.prediction)
    if facts.score is None:
        return column
    return f"{column}; the score in {_column(facts.score)} and any threshold were not used"


def _reference(facts: EvaluationFacts) -> str:
    name = facts.reference.replace("_", "-")
    text = f"{words.guess(facts.reference)} ({name})"
    scored = any(not math.isnan(m.chance) for m in facts.typical)
    return text if scored else f"{text}; not scored in this report"


def _method(facts: EvaluationFacts) -> tuple[str, ...]:
    level = figures.level(facts.confidence_level)
    intervals = INTERVALS[facts.interval].format(level=level)
    known = any(not math.isnan(m.low + m.high) for m in facts.typical)
    every = [*facts.metrics, *(m for group in facts.groups for m in group.metrics)]
    if any(m.low < m.high and m.value in {m.low, m.high} for m in every):
        intervals += " One that ends at its own value is one-sided."
    return (*((intervals,) if known else ()), *_chance_method(facts))


INTERVALS = {
    "bayes": "Intervals hold {level} of the posterior: Jeffreys for a share of cases and for what "
    "such a share decides (F1), Dirichlet(counts + 1/2) for all others.",
    "wilson": "Intervals of level {level}: Wilson for a share of cases; all others hold that much "
    "of the posterior.",
    "exact": "Intervals of level {level}: Clopper-Pearson for a share of cases; all others hold "
    "that much of the posterior.",
}


def _chance_method(facts: EvaluationFacts) -> tuple[str, ...]:
    scored = any(not math.isnan(m.chance) for m in facts.typical)
    tested = any(not math.isnan(m.p_value) for m in facts.typical)
    where = f" at a base rate of {facts.base_rate:g}" if facts.restated else ""
    chance = (
        f"Chance: the expected score of {words.guess(facts.reference)}{where}. "
        "Skill: 0 is that guess, 1 is perfection, below 0 is worse than the guess."
    )
    sentences = [chance] if scored else []
    if tested:
        sentences.append(P_VALUES[facts.p_value_method])
    elif words.is_weighted(facts):
        sentences.append("p: none, since the exact test counts cases and these counts are weights.")
    return (" ".join(sentences),) if sentences else ()

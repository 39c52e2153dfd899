"""What rows of a forest plot show: groups tested against a reference, or metrics beside luck."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import slack
from baserate._checks import number_in
from baserate._figures import as_text, count, label, p_stated, sentence_case, short, spoken
from baserate.baselines import skill
from baserate.counts import CELLS, ConfusionMatrix, single_table
from baserate.displays.forest_plot import Bounds, ForestRow
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.facts.audit import POWER, REFERENCES, shade_of
from baserate.facts.evaluation import ClassEvaluationFacts, ClassFact, MetricFact
from baserate.groups import adjust, smooth
from baserate.groups.match import MatchTest, expected_of, match_of, no_test
from baserate.groups.null import Null, name_of, sides, sides_of
from baserate.groups.power import farthest, smallest_of
from baserate.groups.trials import MetricTrial, trial_of
from baserate.inference import interval
from baserate.metrics import Metric, binary_metric
from baserate.metrics.ties import tie_width

BESIDE = "positives of cases"  # of a metric that is no share
# Shares of the cases of a class: of which cases, and what stands below the names of classes.
OF_CLASS = {
    "recall": ("n_positive", "found of cases"),
    "precision": ("n_predicted", "right of those called so"),
}
WEIGHT_OF_CLASS = "weight of the class"


class ForestRows(NamedTuple):
    """Rows, the bounds of their metric, what they are compared with, and what is below the names.

    `title` is None where the rows themselves say what was found.
    """

    rows: tuple[ForestRow, ...]
    bounds: Bounds
    called: str
    beside: str
    title: str | None = None


class Share(NamedTuple):
    """How many cases were counted, and of how many."""

    events: float
    n: float


def share_of(metric: str | Metric, table: ConfusionMatrix) -> Share:
    """Return the counts that a value is made of; positives and cases where it is no share."""
    known = _known(metric)
    if known is None:
        return Share(float(table.n_positive), float(table.n))
    hits, misses = sides_of(known, table)
    return Share(hits, hits + misses)


def told_of(metric: str | Metric) -> str:
    """Return what the cases are called that a value is a share of."""
    known = _known(metric)
    return BESIDE if known is None else f"of {name_of(sides(known)[1])}"


def _known(metric: str | Metric) -> Metric | None:
    """Return the metric if it is a share; None too for one that only its owner knows."""
    try:
        found = binary_metric(metric)
    except (InvalidArgumentError, UnknownNameError):
        return None
    return found if found.proportion is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Groups, the cases that each is compared with, and how.

    `apart` are, for every group, the cases that are not in it; `called` is what the reference is
    called.
    """

    tables: Mapping[str, ConfusionMatrix]
    apart: Mapping[str, Any]
    called: str
    whole: ConfusionMatrix | None
    metric: Metric
    strength: float | None
    unseen: bool
    gap: float
    alpha: float
    condition: str
    level: float

    @classmethod
    def of(cls, tables: Mapping[str, ConfusionMatrix], reference: Any, **asked: Any) -> "Compared":
        """Find each group's reference."""
        for name, table in tables.items():
            single_table(f"tables[{name!r}]", table)
        number_in("alpha", asked["alpha"], "(0, 1)", "0.05 is usual")
        number_in("gap", asked["gap"], "[0, inf)", "pass the smallest difference that matters")
        kept, apart, called = _apart(tables, reference)
        whole = sum(tables.values()) if called == REFERENCES["overall"] else None
        return cls(tables=kept, apart=apart, called=called, whole=whole, **asked)  # type: ignore[arg-type]

    def tested(self) -> tuple[dict[str, MatchTest], list[float], int]:
        """Return each group's test, the p-values adjusted for their number, and that number."""
        tests = {name: self._test(name) for name in self.tables}
        p_values = adjust([test.p_value for test in tests.values()]).tolist()
        mirrored = len(self.tables) == 2 and self.called in REFERENCES.values()
        if mirrored:  # one test, from either side
            return tests, [test.p_value for test in tests.values()], 1
        return tests, p_values, sum(not isnan(p) for p in p_values)

    def differing(self) -> dict[str, str]:
        """Return the groups that differ by more than luck, and whether they are lower or higher."""
        tests, p_values, _ = self.tested()
        found: dict[str, str] = {}
        for (name, test), p in zip(tests.items(), p_values, strict=True):
            apart = test.value - expected_of(test)
            if p <= self.alpha and abs(apart) > 0:
                found[name] = "lower" if apart < 0 else "higher"
        return found

    def rows(self) -> tuple[ForestRow, ...]:
        """Return a row per group."""
        if any(table.is_weighted for table in self.tables.values()):
            return tuple(self._weighted(name) for name in self.tables)
        tests, p_values, tested = self.tested()
        cells = dict(zip(CELLS, map(list, zip(*self.tables.values(), strict=True)), strict=True))
        ends = interval(self.metric, ConfusionMatrix(**cells), confidence_level=self.level)
        return tuple(
            self._row(name, test, p, max(1, tested), (float(low), float(high)))
            for (name, test), p, low, high in zip(
                tests.items(), p_values, ends.low, ends.high, strict=True
            )
        )

    def _row(self, name: str, test: MatchTest, p: float, tests: int, ends: Bounds) -> ForestRow:
        expected = expected_of(test)
        apart, verdict, unseen = test.value - expected, "consistent", nan
        if isnan(test.value):
            verdict = "undefined"
        elif isnan(test.p_value) or isnan(expected):
            verdict = "untested"
        elif p <= self.alpha and abs(apart) > tie_width(self.metric, expected):
            verdict = "lower" if apart < 0 else "higher"
        else:
            unseen = self._unseen(name, expected, tests)
            verdict = _size_of(unseen, self.gap)
        return ForestRow(
            name=name,
            value=test.value,
            low=ends[0],
            high=ends[1],
            **share_of(self.metric, self.tables[name])._asdict(),
            smoothed=self._smoothed(name),
            reference=expected,
            unseen_low=expected - unseen,
            unseen_high=expected + unseen,
            differs=verdict in {"lower", "higher"},
            shade=shade_of(verdict, self.metric.direction),
            verdict=said(verdict, p, unseen),
            reason=briefly(test.reason),
        )

    def _weighted(self, name: str) -> ForestRow:
        table, other = self.tables[name], self.apart[name]
        known = other if isinstance(other, ConfusionMatrix) else _table(other)
        return ForestRow(
            name=name,
            value=float(self.metric(table)),
            n=table.n,
            events=table.n_positive,
            smoothed=self._smoothed(name),
            reference=float(self.metric(known)),
            shade="untested",
            verdict="weights: not tested",
            reason=briefly(self.metric.undefined_reason(table)),
        )

    def _null(self, name: str) -> Null:
        if self.whole is not None:
            return Null.of(self.tables[name], self.whole, uncertain=True, law="contained")
        return self._apart(name)

    def _apart(self, name: str) -> Null:
        """Return the null law of dealing cases out; of known shares, of drawing from these."""
        other = self.apart[name]
        counted = isinstance(other, ConfusionMatrix) and not other.is_weighted
        return Null.of(
            self.tables[name], other, uncertain=True, law="permutation" if counted else None
        )

    def _test(self, name: str) -> MatchTest:
        """Test a group; if there is no exact test here, say why."""
        null, held = self._null(name), self._held
        try:
            return match_of(null, self.metric, held)
        except UnsupportedError as refused:
            return no_test(null, self.metric, held, reason=str(refused))

    @property
    def _held(self) -> Any:
        """What is held fixed: as an audit does, class totals for what depends on the base rate."""
        composite = self.metric.depends_on_base_rate and self.metric.direction != "neither"
        return "classes" if self.condition == "auto" and composite else self.condition

    def _smoothed(self, name: str) -> float:
        if self.strength is None or not _cases(self.apart[name]):
            return nan
        found = smooth(self.tables[name], self.apart[name], strength=self.strength)
        return found.value(self.metric)

    def _unseen(self, name: str, expected: float, tests: int) -> float:
        """Return a gap that would have been seen either way at Bonferroni's level; inf if none."""
        if not self.unseen:
            return nan
        null = self._apart(name)
        question = MetricTrial(self.metric, self._held, uncertain=True)
        try:
            found = smallest_of(trial_of(question, null), self.metric, self.alpha / tests, POWER)
        except UnsupportedError:
            return nan
        seen = float(np.fmax(found.below, found.above))
        return inf if isnan(seen) or seen > farthest(self.metric, expected) else seen


def said(verdict: str, p: float, unseen: float) -> str:
    """Say a verdict in a few words."""
    if verdict in {"lower", "higher"}:
        return f"{verdict}, adjusted {p_stated(p)}"
    if verdict == "too_small":
        return "any gap could hide" if isinf(unseen) else f"a gap of {short(unseen)} could hide"
    return {"undefined": "", "untested": "not tested"}.get(verdict, "no difference seen")


def briefly(reason: str | None) -> str:
    """Leave out what stands in brackets."""
    return (reason or "").split(" (", maxsplit=1)[0]


def metric_rows(
    table: ConfusionMatrix, metrics: Sequence[Metric], confidence_level: float
) -> tuple[ForestRow, ...]:
    """Return a row per metric of one table, compared with guessing with as many alarms."""
    return tuple(_metric_row(single_table("table", table), m, confidence_level) for m in metrics)


def _metric_row(table: ConfusionMatrix, metric: Metric, confidence_level: float) -> ForestRow:
    ends = None if table.is_weighted else interval(metric, table, confidence_level=confidence_level)
    return ForestRow(
        name=spoken(metric.name),
        value=float(metric(table)),
        low=nan if ends is None else float(ends.low),
        high=nan if ends is None else float(ends.high),
        **_by_luck(metric, table),
        reason=briefly(metric.undefined_reason(table)),
    )


def _by_luck(metric: str | Metric, table: ConfusionMatrix) -> dict[str, Any]:
    """Return what guessing with as many alarms scores, if that is known of the metric."""
    try:
        luck = skill(metric, table, guess="same_alarms").chance
    except (UnknownNameError, UnsupportedError):  # a metric of the user's own, or too much to count
        luck = nan
    return {"reference": luck, "verdict": "" if isnan(luck) else f"by luck {short(luck)}"}


def bounds_of(metrics: Sequence[Metric]) -> Bounds:
    """Return the smallest and the largest value that one of the metrics can have."""
    return min(m.bounds[0] for m in metrics), max(m.bounds[1] for m in metrics)


def rows_of_classes(facts: ClassEvaluationFacts, metric: str, most: int) -> ForestRows:
    """Return a row per class, compared with luck.

    Of more classes than fit, those that have the least of the metric.
    """
    names = [m.name for m in facts.classes[0].metrics] if facts.classes else []
    if metric not in names:
        rule = f"must be one of every class, {', '.join(names)}"
        raise InvalidArgumentError.from_rule("metric", rule, metric, "name one of these")
    at = names.index(metric)
    found = [(one, one.metrics[at]) for one in facts.classes]
    plain = facts.effective_n is None and not facts.table.is_weighted
    size = f"{count(facts.n)} cases" if plain else f"weights of {count(facts.n)}"
    title = f"{sentence_case(spoken(metric))} of each class: {size}"
    if len(found) > most:
        known = [pair for pair in found if not isnan(pair[1].value)]
        worst = -1 if found[0][1].direction == "lower" else 1
        found = sorted(known, key=lambda pair: (worst * pair[1].value, pair[1].high))[:most]
        every = count(len(facts.classes))
        title = f"{title}, the {count(len(found))} of {every} classes with the least"
    bounds = next((fact.bounds for _, fact in found if fact.bounds is not None), (-inf, inf))
    of = OF_CLASS.get(metric, ("n_positive", "cases"))
    rows = tuple(_class_row(one, fact, of[0], plain=plain) for one, fact in found)
    return ForestRows(rows, bounds, "by luck", of[1] if plain else WEIGHT_OF_CLASS, title)


def _class_row(one: ClassFact, fact: MetricFact, of: str, *, plain: bool) -> ForestRow:
    """Return the row of a class, compared with guessing with as many calls of it."""
    known = plain and not isnan(fact.value)
    return ForestRow(
        name=as_text(one.label),
        value=fact.value,
        low=fact.low,
        high=fact.high,
        n=getattr(one.table, of),
        events=one.table.tp if plain and fact.name in OF_CLASS else nan,
        **_by_luck(fact.name, one.table) if known else {},
        reason=briefly(fact.undefined_reason),
    )


def _apart(
    tables: Mapping[str, ConfusionMatrix], reference: Any
) -> tuple[Mapping[str, ConfusionMatrix], dict[str, Any], str]:
    """Return the groups that are compared, the cases apart from each, and what these are called."""
    if not isinstance(reference, str):
        return tables, dict.fromkeys(tables, reference), "the reference"
    if reference in REFERENCES:
        whole: Any = sum(tables.values())
        return tables, {name: _less(whole, t) for name, t in tables.items()}, REFERENCES[reference]
    if reference not in tables or len(tables) < 2:
        rule = (
            f"must be rest, overall, a table, or a group: {', '.join(map(label, list(tables)[:8]))}"
        )
        raise InvalidArgumentError.from_rule("reference", rule, reference, "name one of these")
    kept = {name: table for name, table in tables.items() if name != reference}
    return kept, dict.fromkeys(kept, tables[reference]), reference


def _less(whole: ConfusionMatrix, part: ConfusionMatrix) -> ConfusionMatrix:
    cells = (max(0, all_ - mine) for all_, mine in zip(whole, part, strict=True))
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def _cases(reference: Any) -> float:
    return float(reference.n) if isinstance(reference, ConfusionMatrix) else float(sum(reference))


def _table(shares: Any) -> ConfusionMatrix:
    return ConfusionMatrix(**dict(zip(CELLS, shares, strict=True)))


def _size_of(unseen: float, gap: float) -> str:
    if isnan(unseen):
        return "unresolved"
    return "too_small" if unseen > gap + slack(gap, gap) else "consistent"

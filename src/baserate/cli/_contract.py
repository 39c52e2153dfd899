"""Contracts on the command line: a limit for a metric, as found or as surely known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, Literal, NamedTuple

from baserate import _figures as figures
from baserate.class_counts import ClassTable
from baserate.cli._terminal import say
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation.metric_choice import split_names
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts, MetricFact
from baserate.inference.metric_limits import as_sure, sure_limits
from baserate.metrics import ClassMetric, Metric, get

Option = Literal["--fail-under", "--fail-over"]
Facts = EvaluationFacts | ClassEvaluationFacts
Table = ConfusionMatrix | ClassTable | None
Part = tuple[str | None, Sequence[MetricFact], Table]  # what it is called, its metrics, its cases
# METRIC=VALUE, then @low, @high, and @groups, @group=LABEL, @classes or @class=LABEL; a metric may
# hold = in its brackets.
SYNTAX = re.compile(r"(?P<metric>.+?)=(?P<limit>[^=@,()\s]+)(?P<rest>(@.*)?)", re.DOTALL)
MOST = 20  # groups or classes that an error lists
WRONG = {"--fail-under": "lower", "--fail-over": "higher"}
OTHER: dict[str, str] = {"--fail-under": "--fail-over", "--fail-over": "--fail-under"}
EVERY = {"groups": "group", "classes": "class"}
# What limits are called, and the cases; of no law of these is it known to hold as often as it says.
LAWS = {"jackknife": ("jackknife", "clustered"), "replicates": ("replicate-weight", "replicated")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What one option demands."""

    option: Option
    text: str  # as it was given
    metric: Metric | ClassMetric
    limit: float
    # the end of the interval that must keep the limit; None for the value itself
    end: str | None = None
    part: str | None = None  # what is judged apart; None for all cases together
    label: str = ""  # of the one group or class that is judged; empty for every one

    @classmethod
    def of(cls, option: Option, text: str) -> "Contract":
        """Read METRIC=VALUE[@low|@high][@groups|@group=LABEL|@classes|@class=LABEL]."""
        found = SYNTAX.fullmatch(text.strip())
        limit = _number(found["limit"]) if found else nan
        if found is None or not isfinite(limit):
            raise _malformed(option, text)
        name = found["metric"].strip()
        metric = get(name)
        if metric.direction == WRONG[option]:
            other = "higher" if option == "--fail-under" else "lower"
            rule = f"needs a metric for which {other} is better"
            remedy = f"write {OTHER[option]} {text}"
            raise InvalidArgumentError.from_rule(option, rule, metric.name, remedy)
        end, part, label = _where(option, text, found["rest"])
        how = {"limit": limit, "end": end, "part": part, "label": label}
        return cls(option=option, text=text, metric=metric, **how)  # pyright: ignore[reportArgumentType]

    def judge(self, facts: Facts) -> bool:
        """Say whether it is broken, or kept by luck perhaps; return whether it is kept."""
        asked = self.metric
        if isinstance(facts, EvaluationFacts) and isinstance(asked, Metric) and facts.restated:
            asked = asked.at_base_rate(facts.base_rate)
        found = [
            (name, self._judged_by(self._fact(metrics, asked.name), asked, table, facts))
            for name, metrics, table in self._parts(facts)
        ]
        broken = [(name, fact) for name, fact in found if not self._keeps(self._judged(fact))]
        for name, fact in broken:
            say(f"failed: {self._said(name, fact, facts)}")
        unsure = [(name, fact) for name, fact in found if not self._keeps(self._worse_end(fact))]
        if unsure and not broken and self.end is None:
            name, fact = min(unsure, key=lambda pair: self._distance(pair[1]))
            say(f"passed, but {self._unsure(name, fact, facts)}")
        return not broken

    def _judged_by(
        self, fact: MetricFact, metric: Metric | ClassMetric, table: Table, facts: Facts
    ) -> "Judged":
        """Return the value, with limits of coverage at least nominal where there are any.

        Where cases count as fewer than they are, the limits are of so many.
        """
        level, ends = facts.confidence_level, (fact.low, fact.high)
        law, design = LAWS.get(facts.interval, ("posterior", None))
        if design is None and facts.effective_n is not None:
            law, design = "approximate (weighted) posterior", "weighted"
        found = None
        if table is not None and design is None:
            found = sure_limits(metric, table, level)
        elif table is not None:
            found = as_sure(metric, table, level, ends)
        if found is not None:
            law = f"approximate ({design}) Clopper-Pearson" if design else "Clopper-Pearson"
        return Judged(fact.name, fact.value, *(found or ends), law)

    def _fact(self, metrics: Sequence[MetricFact], name: str) -> MetricFact:
        """Return the fact of a metric; averages are of all classes, and other metrics of one."""
        for fact in metrics:
            if fact.name == name:
                return fact
        if self.part == "class":
            rule, remedy = "is not of one class", "leave @class out"
        else:
            rule = "is of each class, and there are several"
            remedy = f"write {self.text}@classes, {self.text}@class=LABEL or macro_{self.text}"
        raise InvalidArgumentError.from_rule(f"{self.option} {name}", rule, self.text, remedy)

    def _parts(self, facts: Facts) -> Sequence[Part]:
        if self.part is None:
            if not facts.metrics:
                rule, remedy = "has no table of all cases to judge", f"write {self.text}@groups"
                raise InvalidArgumentError.from_rule(self.option, rule, self.text, remedy)
            return [(None, facts.metrics, facts.table)]
        named = self._classes(facts) if self.part == "class" else _groups(facts)
        chosen: Sequence[Part] = [
            (f"{self.part} {x}", metrics, table)
            for x, metrics, table in named
            if self.label in ("", x)
        ]
        if not chosen:
            known = ", ".join(str(name) for name, *_ in named[:MOST])
            known = known or "none: name a column (--group)"
            several = "classes" if self.part == "class" else "groups"
            raise DataError(
                f"No {self.part} for {self.option} {self.text}: the {several} are {known}."
            )
        return chosen

    def _classes(self, facts: Facts) -> Sequence[Part]:
        if not isinstance(facts, ClassEvaluationFacts):
            rule = "speaks of one of several classes, and these are two, one of them positive"
            remedy = "leave @class out, or name the positive label (--positive)"
            raise InvalidArgumentError.from_rule(self.option, rule, self.text, remedy)
        return [(figures.label(one.label), one.metrics, one.table) for one in facts.classes]

    def _judged(self, fact: "Judged") -> float:
        return fact.value if self.end is None else getattr(fact, self.end)

    def _worse_end(self, fact: "Judged") -> float:
        return fact.low if self.option == "--fail-under" else fact.high

    def _keeps(self, value: float) -> bool:
        """Whether a value keeps the limit; one that is undefined does not."""
        return value >= self.limit if self.option == "--fail-under" else value <= self.limit

    def _distance(self, fact: "Judged") -> float:
        sign = 1 if self.option == "--fail-under" else -1
        return sign * self._worse_end(fact)

    def _said(self, name: str | None, fact: "Judged", facts: Facts) -> str:
        judged = self._judged(fact)
        shown = "undefined" if judged != judged else f"{judged:.6g}"  # noqa: PLR0124
        beyond = "under" if self.option == "--fail-under" else "over"
        level = figures.level(facts.confidence_level)
        what = fact.name
        if self.end is not None:
            side = "lower" if self.end == "low" else "upper"
            what = f"the {side} end of the {level} {fact.law} interval of {fact.name}"
        return f"{what}{_of(name)} is {shown}, {beyond} {self.limit:g}"

    def _unsure(self, name: str | None, fact: "Judged", facts: Facts) -> str:
        end = self._worse_end(fact)
        side = "low" if self.option == "--fail-under" else "high"
        kept = "not under" if self.option == "--fail-under" else "not over"
        level = figures.level(facts.confidence_level)
        shown = "any value" if end != end else f"{end:.3g}"  # noqa: PLR0124
        metric, _, rest = self.text.partition("@")
        strict = "@".join([metric, side, *([rest] if rest else [])])
        return (
            f"the data are compatible with {shown}: {fact.name}{_of(name)} is {fact.value:.6g}, "
            f"{kept} {self.limit:g}, and its {level} {fact.law} interval is {fact.low:.3g} to "
            f"{fact.high:.3g}; {self.option} {strict} demands that it keeps the limit"
        )


class Judged(NamedTuple):
    """A value, its limits, and by which law they are."""

    name: str
    value: float
    low: float
    high: float
    law: str


def contracts(under: list[str] | None, over: list[str] | None) -> list[Contract]:
    """Read what the options demand, before anything is counted."""
    return [
        *(Contract.of("--fail-under", text) for text in under or ()),
        *(Contract.of("--fail-over", text) for text in over or ()),
    ]


def with_metrics(asked: str | None, demanded: Sequence[Contract]) -> str | list[Any] | None:
    """Add the metrics of contracts to those asked for, so that the report shows them."""
    if asked is None and not demanded:
        return None
    return [*split_names("headline" if asked is None else asked), *(c.metric for c in demanded)]


def judge(result: Any, demanded: Sequence[Contract]) -> int:
    """Return the exit code: 1 if a contract is broken."""
    kept = [contract.judge(result.facts) for contract in demanded]  # each has its say
    return 0 if all(kept) else 1


def _groups(facts: Facts) -> Sequence[Part]:
    return [
        (", ".join(map(figures.label, group.group.values())), group.metrics, group.table)
        for group in facts.groups
    ]


def _where(option: Option, text: str, rest: str) -> tuple[str | None, str | None, str]:
    """Read what follows the value: which end of the interval, and which groups or classes."""
    end, part = None, None
    while rest:
        word, mark, later = rest[1:].partition("@")
        kind, named, _ = word.partition("=")
        if named and kind in EVERY.values() and part is None:  # a label may hold anything
            return end, kind, rest[1:].removeprefix(f"{kind}=")
        if word in ("low", "high") and end is None:
            end = word
        elif word in EVERY and part is None:
            part = EVERY[word]
        else:
            raise _malformed(option, text)
        rest = mark + later
    return end, part, ""


def _of(name: str | None) -> str:
    return "" if name is None else f" of {name}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def _malformed(option: Option, text: str) -> InvalidArgumentError:
    rule = (
        "must have the form METRIC=VALUE, then @low or @high, @groups or @group=LABEL, @classes or "
        "@class=LABEL if wanted"
    )
    remedy = "write for example recall=0.8, recall=0.8@low or recall=0.8@groups"
    return InvalidArgumentError.from_rule(option, rule, text, remedy)

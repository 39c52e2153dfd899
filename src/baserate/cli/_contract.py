"""Contracts on the command line: a limit for a metric, as found or as surely known."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Literal

from baserate import _figures as figures
from baserate.cli._terminal import say
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation import Evaluation
from baserate.evaluation.metric_choice import split_names
from baserate.facts import EvaluationFacts, MetricFact
from baserate.metrics import Metric, get

Option = Literal["--fail-under", "--fail-over"]
# METRIC=VALUE, then @low, @high, @groups and @group=LABEL; a metric may hold = in its brackets.
SYNTAX = re.compile(r"(?P<metric>.+?)=(?P<limit>[^=@,()\s]+)(?P<rest>(@.*)?)", re.DOTALL)
WRONG = {"--fail-under": "lower", "--fail-over": "higher"}
OTHER: dict[str, str] = {"--fail-under": "--fail-over", "--fail-over": "--fail-under"}
EVERY = "groups"
ONE = "group="


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What one option demands.

    Attributes
    ----------
    option : {"--fail-under", "--fail-over"}
    text : str
        As it was given.
    metric : Metric
    limit : float
    end : {"low", "high"} or None
        The end of the interval that must keep the limit; None for the value itself.
    group : str or None
        The label of a group, or "" for every group; None for all cases together.
    """

    option: Option
    text: str
    metric: Metric
    limit: float
    end: str | None = None
    group: str | None = None

    @classmethod
    def of(cls, option: Option, text: str) -> "Contract":
        """Read METRIC=VALUE[@low|@high][@groups|@group=LABEL]."""
        found = SYNTAX.fullmatch(text.strip())
        limit = _number(found["limit"]) if found else nan
        if found is None or not isfinite(limit):
            raise _malformed(option, text)
        metric = get(found["metric"].strip())
        if metric.direction == WRONG[option]:
            other = "higher" if option == "--fail-under" else "lower"
            rule = f"needs a metric for which {other} is better"
            remedy = f"write {OTHER[option]} {text}"
            raise InvalidArgumentError.from_rule(option, rule, metric.name, remedy)
        end, group = _where(option, text, found["rest"])
        return cls(option=option, text=text, metric=metric, limit=limit, end=end, group=group)

    def judge(self, facts: EvaluationFacts) -> bool:
        """Say whether it is broken, or kept by luck perhaps; return whether it is kept."""
        asked = self.metric.at_base_rate(facts.base_rate) if facts.restated else self.metric
        found = [
            (name, next(fact for fact in metrics if fact.name == asked.name))
            for name, metrics in self._parts(facts)
        ]
        broken = [(name, fact) for name, fact in found if not self._keeps(self._judged(fact))]
        for name, fact in broken:
            say(f"failed: {self._said(name, fact, facts)}")
        unsure = [(name, fact) for name, fact in found if not self._keeps(self._worse_end(fact))]
        if unsure and not broken and self.end is None:
            name, fact = min(unsure, key=lambda pair: self._distance(pair[1]))
            say(f"passed, but {self._unsure(name, fact, facts)}")
        return not broken

    def _parts(self, facts: EvaluationFacts) -> Iterable[tuple[str | None, Sequence[MetricFact]]]:
        if self.group is None:
            if not facts.metrics:
                rule, remedy = "has no table of all cases to judge", f"write {self.text}@groups"
                raise InvalidArgumentError.from_rule(self.option, rule, self.text, remedy)
            return [(None, facts.metrics)]
        named = [
            (", ".join(map(figures.label, group.group.values())), group.metrics)
            for group in facts.groups
        ]
        chosen = [(name, metrics) for name, metrics in named if self.group in ("", name)]
        if not chosen:
            known = ", ".join(name for name, _ in named) or "none: name a column (--group)"
            raise DataError(f"No group for {self.option} {self.text}: the groups are {known}.")
        return chosen

    def _judged(self, fact: MetricFact) -> float:
        return fact.value if self.end is None else getattr(fact, self.end)

    def _worse_end(self, fact: MetricFact) -> float:
        return fact.low if self.option == "--fail-under" else fact.high

    def _keeps(self, value: float) -> bool:
        """Whether a value keeps the limit; one that is undefined does not."""
        return value >= self.limit if self.option == "--fail-under" else value <= self.limit

    def _distance(self, fact: MetricFact) -> float:
        sign = 1 if self.option == "--fail-under" else -1
        return sign * self._worse_end(fact)

    def _said(self, name: str | None, fact: MetricFact, facts: EvaluationFacts) -> str:
        judged = self._judged(fact)
        shown = "undefined" if judged != judged else f"{judged:.6g}"  # noqa: PLR0124
        beyond = "under" if self.option == "--fail-under" else "over"
        level = figures.level(facts.confidence_level)
        what = fact.name
        if self.end is not None:
            side = "lower" if self.end == "low" else "upper"
            what = f"the {side} end of the {level} interval of {fact.name}"
        return f"{what}{_of(name)} is {shown}, {beyond} {self.limit:g}"

    def _unsure(self, name: str | None, fact: MetricFact, facts: EvaluationFacts) -> str:
        end = self._worse_end(fact)
        side = "low" if self.option == "--fail-under" else "high"
        kept = "not under" if self.option == "--fail-under" else "not over"
        level = figures.level(facts.confidence_level)
        shown = "any value" if end != end else f"{end:.3g}"  # noqa: PLR0124
        metric, _, rest = self.text.partition("@")
        strict = "@".join([metric, side, *([rest] if rest else [])])
        return (
            f"the data are compatible with {shown}: {fact.name}{_of(name)} is {fact.value:.6g}, "
            f"{kept} {self.limit:g}, and its {level} interval is {fact.low:.3g} to "
            f"{fact.high:.3g}; {self.option} {strict} demands that the interval keeps the limit"
        )


def contracts(under: list[str] | None, over: list[str] | None) -> list[Contract]:
    """Read what the options demand, before anything is counted."""
    return [
        *(Contract.of("--fail-under", text) for text in under or ()),
        *(Contract.of("--fail-over", text) for text in over or ()),
    ]


def with_metrics(
    asked: str | None, demanded: Sequence[Contract]
) -> str | list[Metric | str] | None:
    """Add the metrics of contracts to those asked for, so that the report shows them."""
    if asked is None and not demanded:
        return None
    return [*split_names("headline" if asked is None else asked), *(c.metric for c in demanded)]


def judge(result: Evaluation, demanded: Sequence[Contract]) -> int:
    """Return the exit code: 1 if a contract is broken."""
    kept = [contract.judge(result.facts) for contract in demanded]  # each has its say
    return 0 if all(kept) else 1


def _where(option: Option, text: str, rest: str) -> tuple[str | None, str | None]:
    """Read what follows the value: which end of the interval, and which groups."""
    end, group = None, None
    while rest:
        word, mark, later = rest[1:].partition("@")
        if word.startswith(ONE):  # a label may hold anything
            return end, rest[1:].removeprefix(ONE)
        if word in ("low", "high") and end is None:
            end = word
        elif word == EVERY and group is None:
            group = ""
        else:
            raise _malformed(option, text)
        rest = mark + later
    return end, group


def _of(name: str | None) -> str:
    return "" if name is None else f" of group {name}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def _malformed(option: Option, text: str) -> InvalidArgumentError:
    rule = "must have the form METRIC=VALUE, then @low or @high, @groups or @group=LABEL if wanted"
    remedy = "write for example recall=0.8, recall=0.8@low or recall=0.8@groups"
    return InvalidArgumentError.from_rule(option, rule, text, remedy)

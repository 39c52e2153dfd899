"""What a report must keep, such as "recall >= 0.8@low": one grammar, read here and judged here.

NAME >= NUMBER, NAME <= NUMBER (or > and <) or NAME in A..B, where a name is any that a report
answers; then @low or @high for an end of the interval, or @probability=0.95; then @groups,
@group=LABEL, or the same of classes and classifiers. The options --fail-under and --fail-over write
METRIC=VALUE, and say the comparison themselves.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Any, ClassVar, Literal

from baserate._checks import as_number
from baserate._figures import spoken
from baserate._measures import MEASURES
from baserate._result import Result
from baserate.curves.estimates import Estimate
from baserate.errors import BaserateError, DataError, InvalidArgumentError, UnknownNameError
from baserate.evaluation import named_numbers as numbers
from baserate.evaluation.metric_choice import split_names
from baserate.evaluation.named_numbers import Found
from baserate.facts.audit import REFERENCES
from baserate.facts.numbers import Part
from baserate.facts.verdict import PromiseFact
from baserate.inference import probability
from baserate.inference.intervals import as_sure, sure_limits
from baserate.metrics import ClassMetric, Metric, class_metric, get
from baserate.report.promises import joint_error, told, written

Option = Literal["--fail-under", "--fail-over", "--require", "statement"]
NUMBER = r"[^=@,()\s<>]+?"
# A metric may hold = in its brackets.
SYNTAX = re.compile(
    rf"(?P<name>.+?)\s*(?:(?P<operator>>=|<=|>|<|=)\s*(?P<limit>{NUMBER})"
    rf"|\s(?P<within>in)\s+(?P<least>{NUMBER})\.\.(?P<most>{NUMBER}))\s*(?P<rest>@.*)?",
    re.DOTALL,
)
STRICT = {">": "low", "<": "high"}  # the end that is hard to keep
MEANT = {"--fail-under": ">=", "--fail-over": "<="}  # by METRIC=VALUE
BETTER = {"--fail-under": "higher", "--fail-over": "lower"}  # end of a metric that it is for
EVERY = {"groups": "group", "classes": "class", "classifiers": "classifier"}
PLURAL = {part: every for every, part in EVERY.items()}
FORM = (
    "must have the form {}, then @low or @high, @groups or @group=LABEL, @classes or @class=LABEL "
    "if wanted"
)
# What limits are called, and the cases; of no law of these is it known to hold as often as it says.
LAWS: dict[str, tuple[str, str]] = {
    "jackknife": ("jackknife", "clustered"),
    "replicates": ("replicate-weight", "replicated"),
    "runs": ("two-way clustered", "clustered"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What one statement demands."""

    option: Option
    text: str  # as it was given
    name: str
    metric: Metric | ClassMetric | None = None  # that the name is of, in brackets too
    operator: str
    limit: float
    most: float = nan  # the upper end of what is allowed, of "in"
    # the end of the interval that must keep the limit, or "probability"; None for the value itself
    end: str | None = None
    probability: float = nan
    part: str | None = None  # what is judged apart; None for all cases together
    label: str = ""  # of the one group or class that is judged; empty for every one

    @classmethod
    def of(cls, text: Any, option: Option = "statement") -> "Contract":
        """Read a statement.

        Examples
        --------
        >>> from baserate.evaluation.contracts import Contract
        >>> found = Contract.of("tpr >= 0.8@low@group=North")
        >>> found.name, found.operator, found.limit, found.end, found.label
        ('tpr', '>=', 0.8, 'low', 'North')
        """
        found = SYNTAX.fullmatch(text.strip()) if isinstance(text, str) else None
        limit = as_number(found["limit"] or found["least"]) if found else nan
        most = as_number(found["most"]) if found and found["within"] else nan
        if found and (share := _percentage(found)) is not None:
            raise InvalidArgumentError.from_rule(option, "must be of shares", text, share)
        if found is None or not isfinite(limit) or (found["within"] and not limit <= most):
            raise _malformed(option, text)
        if found["name"].rstrip().endswith(("=", "<", ">", "!")):
            raise _malformed(option, text)
        operator = found["within"] or found["operator"]
        where = _where(option, text, found["rest"] or "")
        if operator == "in" and where.get("end") in {"low", "high"}:
            words = (found["rest"] or "").split("@")[1:]
            rest = "@".join(word for word in words if word not in ("low", "high"))
            both = _both_ends(option, found["name"].strip(), limit, most, rest)
            rule = "has two limits, each with an end of its own"
            raise InvalidArgumentError.from_rule(option, rule, text, f"write {both}")
        if (operator == "=") is not (option in MEANT):
            raise _malformed(option, text)
        name, metric = found["name"].strip(), None
        if option in MEANT:
            operator, known = MEANT[option], numbers.canonical(name)[0]
            metric = None if known in MEASURES else get(name)
            better = MEASURES[known].direction if metric is None else metric.direction
            if better not in {BETTER[option], "neither"}:
                rule = f"needs a metric for which {BETTER[option]} is better"
                [other] = {*MEANT} - {option}
                raise InvalidArgumentError.from_rule(option, rule, known, f"write {other} {text}")
        else:
            kind, _, inner = numbers.canonical(name)[0].removesuffix(")").partition("(")
            with suppress(BaserateError):  # measures of scores are no metrics
                metric = get(inner if kind in numbers.BRACKETS else name)
        if metric is not None and isnan(most):
            _refuse_beyond(option, text, name, metric, limit)
        return cls(
            option=option, text=text, name=name, metric=metric, operator=operator, limit=limit,
            most=most, **where,
        )  # fmt: skip

    def judge(self, facts: Any) -> Sequence[PromiseFact]:
        """Return whether it is kept, by every part that it is of."""
        return [self._judged(facts, found) for found in self._found(facts)]

    def _found(self, facts: Any) -> Sequence[Found]:
        """Return the numbers that are demanded."""
        if self.part is not None:
            return self._of_parts(facts, self.part)
        try:
            return [numbers.find(facts, self.name)]
        except UnknownNameError:
            self._refuse_several(facts)
            raise

    def _refuse_several(self, facts: Any) -> None:
        """Say how the groups, classes or classifiers are named that the number is of, if any."""
        asked, among = numbers.canonical(self.name)
        for part in () if among else facts.parts():
            kind = _kind(facts, part)
            if kind == "pair" and numbers.first(facts, part.numbers, asked):
                first, second = (numbers.written([one]) for one in part.place.values())
                of = f"{asked.removesuffix(')')}, {first}, {second})"
                rule, about = "must name two classifiers, first less second", self.option
                remedy = f"write {self.text.replace(self.name, of)}"
                raise InvalidArgumentError.from_rule(about, rule, self.text, remedy)
            if kind in PLURAL and numbers.first(facts, part.numbers, asked):
                rule = f"is of each {kind}, and there are several"
                remedy = f"write {self.text}@{PLURAL[kind]}, {self.text}@{kind}=LABEL"
                remedy += self._of_all(facts, asked) if kind == "class" else ""
                about = f"{self.option} {asked}"
                raise InvalidArgumentError.from_rule(about, rule, self.text, remedy)

    def _of_all(self, facts: Any, asked: str) -> str:
        """Return what all classes have together in place of a number of each, if there is such."""
        whole = next(iter(facts.parts())).numbers
        with suppress(BaserateError):
            if numbers.first(facts, whole, f"{asked}_ovr") is not None:  # a measure of scores
                return f" or {self.text.replace(self.name, f'{asked}_ovr')}"
            return f" or {self.text.replace(self.name, class_metric(f'macro_{asked}').name)}"
        return ""

    def _of_parts(self, facts: Any, kind: str) -> Sequence[Found]:
        asked, _ = numbers.canonical(self.name)
        known, chosen = dict[str, None](), list[Found]()
        for part in facts.parts():
            label = numbers.written(part.place.values())
            if _kind(facts, part) == kind:
                known[label] = None
                if self.label in ("", label):
                    found = numbers.first(facts, part.numbers, asked)
                    chosen += [] if found is None else [Found(found, part)]
        if not known and kind == "class" and hasattr(facts, "positive"):
            rule = "speaks of one of several classes, and these are two, one of them positive"
            remedy = "leave @class out, or name the positive label (--positive)"
            raise InvalidArgumentError.from_rule(self.option, rule, self.text, remedy)
        if not known or (self.label and self.label not in known):
            none = "none: name a column (--group)" if kind == "group" else "none here"
            names = ", ".join([*known][: numbers.MOST]) or none
            several = PLURAL[kind]
            what = f"No {kind} for {self.option} {self.text}"
            raise DataError(f"{what}: the {several} are {names}.")
        if not chosen:
            rule, remedy = f"is not of one {kind}", f"leave @{kind} out"
            about = f"{self.option} {asked}"
            raise InvalidArgumentError.from_rule(about, rule, self.text, remedy)
        return chosen

    def _judged(self, facts: Any, found: Found) -> PromiseFact:
        about, metric, table = numbers.estimate(facts, found), None, found.part.table
        if about.method is not None and table is not None:
            with suppress(BaserateError):  # a user's own
                metric = get(found.number.name)  # restated as it is there
        low, high, law = _limits(facts, about, metric, table)
        if sure := found.number.sure:
            low, high, law = *sure, "score"
        judged = {None: about.value, "low": low, "high": high}.get(self.end, nan)
        if self.end == "probability":
            judged = self._probability(facts, metric, table)
        worse = {">": (low,), "<": (high,)}.get(self.operator[0], (low, high))
        return PromiseFact(
            statement=self.text,
            name=_named(found),
            of=f"{self.part} {numbers.written(about.of)}" if self.part else _beside(facts, found),
            operator=self.operator,
            limit=self.limit,
            most=self.most,
            end=self.end,
            probability=self.probability,
            value=about.value,
            low=low,
            high=high,
            law=law,
            confidence_level=about.confidence_level,
            judged=judged,
            kept=judged >= self.probability if self.end == "probability" else self._keeps(judged),
            sure=self.end in {STRICT.get(self.operator[0], ""), "probability"}
            or all(map(self._keeps, worse)),
            strict=self._strict(),
            reason=about.reason,
            left_out=tuple(numbers.written(one.values()) for one in found.number.left_out),
            broken_in=tuple(self._broken_in(facts, found)),
        )

    def _broken_in(self, facts: Any, whole: Found) -> Iterator[str]:
        """Yield the groups that break what nobody asked of them, but of all cases together."""
        for part in facts.parts() if self.part is None and not whole.part.place else ():
            own = numbers.first(facts, part.numbers, numbers.canonical(self.name)[0])
            if _kind(facts, part) == "group" and own:
                value = own.limits[0]
                if not (isnan(value) or self._keeps(value)):
                    yield numbers.written(part.place.values())

    def _keeps(self, value: float) -> bool:
        """Whether a value keeps the limit; one that is undefined does not."""
        return {
            ">=": value >= self.limit,
            "<=": value <= self.limit,
            ">": value > self.limit,
            "<": value < self.limit,
            "in": self.limit <= value <= self.most,
        }[self.operator]

    def _probability(self, facts: Any, metric: Any, table: Any) -> float:
        """Return the posterior probability of what is demanded."""
        if metric is None or facts.sampled or facts.n_replicates is not None:
            rule = "is of a metric of one table of independent cases"
            remedy = "write @low or @high, an end of its interval"
            raise InvalidArgumentError.from_rule("@probability", rule, self.text, remedy)
        if self.operator != "in":
            return probability(metric, table, f"{self.operator} {self.limit!r}").value
        above = probability(metric, table, f">= {self.limit!r}").value
        return above - probability(metric, table, f"> {self.most!r}").value

    def _strict(self) -> str:
        """Return what demands that the end of the interval keeps the limit too."""
        head, _, rest = self.text.partition("@")
        if self.operator == "in":
            return _both_ends(self.option, self.name, self.limit, self.most, rest)
        option = f"{self.option} " if self.option in MEANT else ""
        others = [word for word in rest.split("@") if word not in {"", *STRICT.values()}]
        return option + "@".join([head.rstrip(), STRICT[self.operator[0]], *others])


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Result):
    """Whether a report keeps what it must; ``bool()`` says whether it keeps all of it.

    Attributes
    ----------
    promises : tuple of PromiseFact
        Each statement, or each of its groups or classes: what was judged, and whether it is kept.
    """

    derived: ClassVar[tuple[str, ...]] = ("kept", "sentences", "joint_error")
    promises: tuple[PromiseFact, ...]

    @property
    def kept(self) -> bool:
        """Whether all are kept."""
        return all(one.kept for one in self.promises)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What failed, and by what; empty if all is kept."""
        return tuple(said for kept, said in told(self.promises) if not kept)

    @property
    def joint_error(self) -> float:
        """In what share of samples luck keeps all of them where one is false.

        At most, if all go by Clopper and Pearson's limits, else about so often. Of limits (@low,
        @high) as sure as the least sure of them; of probabilities the sum of doubts; nan where a
        value is judged, which says nothing of luck.
        """
        return joint_error(self.promises)

    def __bool__(self) -> bool:
        return self.kept

    def __repr__(self) -> str:
        return written(self.promises)


def _limits(facts: Any, about: Estimate, metric: Any, table: Any) -> tuple[float, float, str]:
    """Return both limits, of coverage at least nominal where such are known, and by which law.

    Where cases count as fewer than they are, they are those of so many.
    """
    ends, level = (about.low, about.high), about.confidence_level
    if about.method is None:
        return *ends, ""
    law, design = LAWS.get(about.method, ("posterior", None))
    if design is None and facts.effective_n is not None:
        law, design = "approximate (weighted) posterior", "weighted"
    found = None
    if metric is not None:
        found = (
            sure_limits(metric, table, level)
            if design is None
            else as_sure(metric, table, level, ends)
        )
    if found is None:
        return *ends, law
    return *found, f"approximate ({design}) Clopper-Pearson" if design else "Clopper-Pearson"


def _kind(facts: Any, part: Part) -> str:
    """Return what a part is: a class, a classifier, two of these, or a group."""
    place = part.place
    if {*place} & {*facts.group_names} and "classifier" not in place:
        return "group"
    return "pair" if "first" in place else next(iter(place), "")


def _named(found: Found) -> str:
    """Return the name of a number, with the classifiers whose difference it is."""
    name, place = found.number.name, found.part.place
    return f"{name[:-1]}, {place['first']}, {place['second']})" if "first" in place else name


def _beside(facts: Any, found: Found) -> str:
    """Return which group a gap or ratio is of, where one was named that others are beside."""
    record, reference = found.number.record, getattr(facts, "reference", "rest")
    ends: Any = [getattr(record, end, None) for end in ("largest", "smallest")]
    if None in ends or reference in REFERENCES:
        return ""
    places = [numbers.written(one.values()) for one in ends]
    of = [place for place in places if place != reference]
    return f"{' and '.join(of)} beside {reference}"


def check(facts: Any, demanded: Iterable[Contract]) -> Checked:
    """Judge all that is demanded of a report."""
    return Checked(promises=tuple(fact for one in demanded for fact in one.judge(facts)))


def with_metrics(
    asked: str | None, demanded: Sequence[Contract], *, scored: bool
) -> str | list[Any] | None:
    """Add the metrics of contracts to those asked for, so that the report shows them.

    Scores have a net benefit of their own, at whatever threshold it is asked for.
    """
    known = [one.metric for one in demanded if one.metric is not None]
    added = [m for m in known if not (scored and m.name.startswith("net_benefit("))]
    if asked is None and not added:
        return None
    return [*split_names("headline" if asked is None else asked), *added]


def _where(option: Option, text: str, rest: str) -> dict[str, Any]:
    """Read what follows the value: which end of the interval, and which groups or classes."""
    found = dict[str, Any]()
    while rest:
        word, mark, later = rest[1:].partition("@")
        kind, named, given = word.partition("=")
        if named and kind in PLURAL and "part" not in found:  # a label may hold anything
            return found | {"part": kind, "label": rest[1:].removeprefix(f"{kind}=")}
        if word in ("low", "high") and "end" not in found:
            found["end"] = word
        elif kind == "probability" and "end" not in found and 0 < as_number(given) < 1:
            found |= {"end": kind, "probability": float(given)}
        elif word in EVERY and "part" not in found:
            found["part"] = EVERY[word]
        elif named and kind not in {*PLURAL, "probability"} and "part" not in found:
            rule = "calls a part @group, @class or @classifier"
            remedy = f"write {text.replace(f'@{kind}=', '@group=')}"
            raise InvalidArgumentError.from_rule(option, rule, text, remedy)
        else:
            raise _malformed(option, text)
        rest = mark + later
    return found


def _percentage(found: re.Match[str]) -> str | None:
    """Return how a percentage is written as a share; None if there is none."""
    given = [found[name] for name in ("limit", "least", "most") if found[name]]
    shares = [as_number(text.removesuffix("%")) / 100 for text in given if text.endswith("%")]
    return f"write {', '.join(f'{one:g}' for one in shares)}" if shares else None


def _refuse_beyond(
    option: Option, text: str, name: str, metric: Metric | ClassMetric, limit: float
) -> None:
    """Refuse a demand that every value of the metric keeps, or none: often a percentage."""
    low, high = metric.bounds
    if name.partition("(")[0].strip().lower() in numbers.BRACKETS or low <= limit <= high:
        return
    share = f"{limit / 100:g}" if high == 1 < limit <= 100 else f"a number from {low:g} to {high:g}"
    rule = f"must lie in {low:g} to {high:g}, as every {spoken(metric.name)} does"
    raise InvalidArgumentError.from_rule(option, rule, text, f"write {share}")


def _both_ends(option: Option, name: str, least: float, most: float, rest: str) -> str:
    """Write that both ends of an interval keep a range: two statements, as they are passed."""
    tail = f"@{rest}" if rest else ""
    low, high = f'"{name} >= {least:g}@low{tail}"', f'"{name} <= {most:g}@high{tail}"'
    return f"--require {low} {high}" if option == "--require" else f"{low}, {high}"


def _malformed(option: Option, text: Any) -> InvalidArgumentError:
    if option in MEANT:
        form, remedy = "METRIC=VALUE", "recall=0.8, recall=0.8@low or recall=0.8@groups"
    else:
        form = "NAME >= NUMBER, NAME <= NUMBER or NAME in A..B"
        remedy = "recall >= 0.8@low, observed_expected in 0.8..1.25 or gap(recall) <= 0.1"
    return InvalidArgumentError.from_rule(
        option, FORM.format(form), text, f"write for example {remedy}"
    )

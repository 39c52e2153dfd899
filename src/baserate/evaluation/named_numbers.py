"""Any number of a report by its name ("recall", "gap(recall)") and its place.

The place is the group, class or classifier that it is of, by column; what is of all cases together
has none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from baserate._figures import label
from baserate._measures import SYNONYMS
from baserate.curves.estimates import Estimate
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.facts.numbers import Number, Part
from baserate.facts.scores import EstimateFact
from baserate.metrics import get
from baserate.metrics.fairness import criterion

Place = Mapping[str, Any]
Columns = tuple[str, ...]
AT_STAKE = {"cost", "utility", "yield"}  # names without their parameters
# Around another name, and the call whose reports have it.
BRACKETS = {
    "gap": "audit",
    "ratio": "audit",
    "difference": "compare",
    "threshold": "thresholds",
    "expected": "thresholds",
    "raw": "evaluate(base_rate=)",
}
# What a name has that nobody needs to repeat: what is at stake, the base rate of the report.
GIVEN = re.compile(r"(cost)_per_case\([^()]*\)|(utility)\(\[.*\]\)")
RESTATED = re.compile(r"\.at_base_rate\([^()]*\)")
SHARES = {"accuracy", "error_rate"}  # of several classes too
CHOSEN = "the cut was chosen on these cases: expected({}) is what to expect of others"
P_VALUES = {"p", "p_value", "pvalue", "p_difference", "p_luck"}
MOST = 20  # names or places that an error lists


class Found(NamedTuple):
    """A number, and the part of the cases that it is of."""

    number: Number
    part: Part


def number(facts: Any, key: Any) -> Estimate:
    """Return the number of a key: a name, or a name and the labels of a group, class or classifier.

    Raises
    ------
    UnknownNameError
        The report shows no such number; the message says which it has.
    """
    return estimate(facts, find(facts, key))


def find(facts: Any, key: Any) -> Found:
    """Return where the number of a key stands."""
    name, *labels = key if isinstance(key, tuple) and key else (key,)
    asked, among = canonical(name)
    columns = {*labels[0]} if labels and isinstance(labels[0], Mapping) else None
    where = ", ".join(filter(None, (written(_flat(labels)), among)))
    found = [
        Found(one, part)
        for part in facts.parts()
        if _at(part.place) == where.replace(", ", ",") and columns in (None, {*part.place})
        if (one := first(facts, part.numbers, asked)) is not None
    ]
    if not found:
        raise _unknown(facts, name, asked, where)
    if len({(*part.place.items(),) for _, part in found}) > 1:  # labels may hold commas
        exact = [*map(label, _flat(labels))]
        found = [x for x in found if [*map(label, x.part.place.values())] == exact] or found
    if len({(*part.place.items(),) for _, part in found}) > 1:
        place = found[0].part.place
        remedy = f"write {{{next(iter(place))!r}: {where!r}}} in place of the label"
        raise InvalidArgumentError.from_rule("the key", "names several parts", key, remedy)
    return found[0]


def first(facts: Any, named: Iterable[Number], asked: str) -> Number | None:
    """Return the number of this canonical name, with or without what the report restates at."""
    return next((one for one in named if asked in (one.name, _plain(facts, one.name))), None)


def estimate(facts: Any, found: Found) -> Estimate:
    """Return a number with its interval, as far as its record knows one."""
    number, place = found.number, found.part.place
    fact, level, known = number.record, number.level, dict[str, Any]()
    if isinstance(fact, EstimateFact):
        every = {one.name for one in fields(Estimate)}
        known = {x.name: getattr(fact, x.name) for x in fields(fact) if x.name in every}
    known["reason"] = number.reason
    if not number.ends and number.value == "value":
        known["reason"] = known["reason"] or CHOSEN.format(number.name)
    known |= dict(zip(("value", "low", "high"), number.limits, strict=True))
    about = {"metric": number.name, "of": (*place.values(),), "method": _method(facts, number)}
    return Estimate(**known, **about, confidence_level=level or facts.confidence_level)


def canonical(name: Any) -> tuple[str, str]:
    """Return the name of a number, and the labels that stand behind it in brackets.

    Examples
    --------
    >>> from baserate.evaluation.named_numbers import canonical
    >>> canonical("TPR"), canonical("slope"), canonical("gap(ppv)")
    (('recall', ''), ('calibration_slope', ''), ('gap(precision)', ''))
    >>> canonical("difference(mcc, new, old)")
    ('difference(matthews_correlation)', 'new, old')
    """
    text = str(getattr(name, "name", name)).strip()
    kind, bracket, rest = text.partition("(")
    if bracket and rest.endswith(")") and kind.strip().lower() in BRACKETS:
        inner, among = _split(rest[:-1])
        return f"{kind.strip().lower()}({canonical(inner)[0]})", among
    plain = text.lower().replace(" ", "_").replace("-", "_")
    if plain.startswith("utility("):  # of any number of classes
        return text, ""
    try:
        known = plain if plain in AT_STAKE else SYNONYMS.get(plain)
        return known or get(text).name, ""
    except UnknownNameError:
        return text if bracket else plain, ""


def written(labels: Iterable[Any]) -> str:
    """Write the labels of a place as one text, by which it is found."""
    return ", ".join(map(label, labels))


def better(name: str) -> str | None:
    """Return which end of a metric is better; None of what is no metric of the catalogue."""
    try:
        return get(name).direction
    except UnknownNameError:
        return None


def _plain(facts: Any, name: str) -> str:
    """Return a name without what goes for the whole report."""
    name = RESTATED.sub("", name) if facts.restated else name
    return GIVEN.sub(lambda given: given[1] or given[2], name)


def _at(place: Place) -> str:
    return written(place.values()).replace(", ", ",")


def _flat(labels: Iterable[Any]) -> Iterator[Any]:
    """Yield the labels of a place, however they were given."""
    for one in labels:
        if isinstance(one, Mapping):
            yield from one.values()
        elif isinstance(one, tuple | list):
            yield from one
        else:
            yield one


def _split(text: str) -> tuple[str, str]:
    """Split a name from the labels behind it, at the first comma that no bracket encloses."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            return text[:place], text[place + 1 :].strip()
    return text, ""


def _method(facts: Any, number: Number) -> str | None:
    """Return what gave the interval, by the name that a caller asks for it; None if unknown."""
    fact, asked = number.record, facts.interval
    if not fact.of_table:
        return None
    if facts.n_replicates is not None or facts.n_clusters is not None:
        by = "replicates" if facts.n_runs is None else "runs"
        return asked or ("jackknife" if facts.n_replicates is None else by)
    if asked is None or fact.name in SHARES:
        return asked or "bayes"
    try:
        return "bayes" if getattr(get(fact.name), "proportion", None) is None else asked
    except BaserateError:  # a user's own, or a utility of several classes
        return "bayes"


def _unknown(facts: Any, name: Any, asked: str, where: str) -> UnknownNameError:
    """Say what there is in place of a number that there is not."""
    kind, bracket, _ = asked.partition("(")
    inner = bool(bracket) and kind in BRACKETS
    labels, names = dict[Columns, dict[str, None]](), dict[Columns, dict[str, None]]()
    for part in facts.parts():
        place = part.place
        at, columns = _at(place), (*place,)
        if columns not in names or at == where.replace(", ", ","):  # one tells of its kind
            outer = ((one.name.partition("(")[0], one.name) for one in part.numbers)
            plain = (
                _plain(facts, x) for k, x in outer if (k == kind if inner else k not in BRACKETS)
            )
            names.setdefault(columns, {}).update(dict.fromkeys(plain))
        labels.setdefault(columns, {})[written(place.values())] = None
    sought = where.replace(", ", ",")
    if inner and not any(names.values()):
        remedy = f"Reports of {BRACKETS[kind]} have a {kind}"
        return UnknownNameError.from_name("number here", str(name), (), remedy)
    here = [k for k, known in labels.items() if any(sought == x.replace(", ", ",") for x in known)]
    elsewhere = [k for k in names if asked in names[k]]
    if where and not here:
        known = [one for k in elsewhere or labels if k for one in labels[k]]
        remedy = f"It has {_listed(map(repr, known))}" if known else "It has no groups or classes"
        if () in elsewhere and any(labels) and not known:
            remedy = f"{asked} is one number of all cases: write {asked}"
        return UnknownNameError.from_name("part of this report", where, known, remedy)
    if elsewhere:
        columns, known = elsewhere[0], [*labels[elsewhere[0]]]
        of = f"each {' and '.join(columns)}: {_listed(known)}; write" if columns else "all cases:"
        shown = [str(name), *(known[:1] if columns else ())]
        return UnknownNameError(f"{name} is here of {of} r[{', '.join(map(repr, shown))}].")
    if (meant := _meant(facts, asked)) or asked in P_VALUES:
        remedy = "A p-value is no promise; a limit of an interval is: difference(recall) >= 0@low"
        remedy = f"Write {meant}" if meant else remedy
        return UnknownNameError.from_name("number here", str(name), (), remedy)
    known = [one for columns in here for one in names[columns]]
    if not known and len(names) > 1:
        columns, apart = next((k, x) for k, x in names.items() if k)
        remedy = f"Of each {' and '.join(columns)} it has {_listed(apart)}"
        return UnknownNameError.from_name("number here", str(name), [*apart], remedy)
    remedy = f"It has {_listed(known)}; other metrics are named in metrics (--metrics)"
    return UnknownNameError.from_name("number here", str(name), known, remedy)


def _meant(facts: Any, asked: str) -> str:
    """Return what a criterion of fairness, or "recall gap", is called if the report has it."""
    words = asked.replace("(", " ").replace("_", " ").split()
    inner = canonical("_".join(word for word in words if word not in BRACKETS))[0]
    shown = {one.name for part in facts.parts() for one in part.numbers}
    usual = "ratio" if "impact" in words else "gap"
    for kind in (*(word for word in words if word in BRACKETS), usual):
        every = [f"{kind}({one})" for one in criterion(asked) or (inner,)]
        if {*every} <= shown:
            return " and ".join(every)
    return ""


def _listed(names: Iterable[str]) -> str:
    every = [*names]
    more = len(every) - MOST
    return ", ".join(every[:MOST]) + (f" and {more:,} more" if more > 0 else "")

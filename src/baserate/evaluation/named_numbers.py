"""Any number of a report by its name: one walk over the facts, from which every caller picks.

A number has a name ("recall", "gap(recall)") and a place: the group, class or classifier that it is
of, by column; what is of all cases together has none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from math import nan
from typing import Any, NamedTuple

from baserate._figures import label
from baserate.counts import ConfusionMatrix
from baserate.curves.estimates import Estimate
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.facts.audit import AverageFinding, Finding
from baserate.facts.evaluation import MetricFact
from baserate.facts.scores import EstimateFact
from baserate.facts.stakes import YieldFact
from baserate.metrics import get

Place = Mapping[str, Any]
Columns = tuple[str, ...]
SHORT = {
    "auc": "roc_auc",
    "brier": "brier_score",
    "eci": "estimated_calibration_index",
    "ici": "integrated_calibration_index",
    "intercept": "calibration_intercept",
    "slope": "calibration_slope",
}
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
OWN = ("metrics", "findings", "shares", "right", "roc_auc", "observed_expected")  # of any part
COUNTS = {
    "true_positives": "tp", "false_negatives": "fn", "false_positives": "fp",
    "true_negatives": "tn", "n": "n", "base_rate": "base_rate",
}  # fmt: skip
OF_SCORES = ("score_measures", "ranking", "measures")
REASONS = ("reason", "undefined_reason", "interval_reason")
SHARES = {"accuracy", "error_rate"}  # of several classes too
CHOSEN = "the cut was chosen on these cases: expected({}) is what to expect of others"
EVERYWHERE: Place = {}
MOST = 20  # names or places that an error lists


class Found(NamedTuple):
    """A number: its name, its place, the record that holds it, and what it is called there."""

    name: str
    fact: Any
    value: str = "value"
    ends: tuple[str, ...] = ("low", "high")
    turned: bool = False  # whether the record has it with the other sign
    place: Place = EVERYWHERE


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
        one._replace(place=place)
        for place, _, named in parts(facts)
        if _at(place) == where.replace(", ", ",") and columns in (None, {*place})
        if (one := first(facts, named, asked)) is not None
    ]
    if not found:
        raise _unknown(facts, name, asked, where)
    if len({(*one.place.items(),) for one in found}) > 1:  # labels may hold commas
        exact = [*map(label, _flat(labels))]
        found = [x for x in found if [*map(label, x.place.values())] == exact] or found
    if len({(*one.place.items(),) for one in found}) > 1:
        remedy = f"write {{{next(iter(found[0].place))!r}: {where!r}}} in place of the label"
        raise InvalidArgumentError.from_rule("the key", "names several parts", key, remedy)
    return found[0]


def first(facts: Any, named: Iterable[Found], asked: str) -> Found | None:
    """Return the number of this canonical name, with or without what the report restates at."""
    return next((one for one in named if asked in (one.name, _plain(facts, one.name))), None)


def estimate(facts: Any, found: Found) -> Estimate:
    """Return a number with its interval, as far as its record knows one."""
    level = facts.confidence_level
    fact = found.fact[0] if isinstance(found.fact, Sequence) else found.fact  # a deferred one
    low, high = (getattr(fact, name) for name in found.ends) if found.ends else (nan, nan)
    known = dict[str, Any]()
    if isinstance(fact, EstimateFact):
        names = (one.name for one in fields(Estimate))
        known = {name: getattr(fact, name) for name in names if hasattr(fact, name)}
        if fact.name == "observed_expected":  # of the groups of an audit
            level = 1 - getattr(facts, "alpha", 1 - level)
    known["reason"] = next(filter(None, (getattr(fact, name, None) for name in REASONS)), None)
    if not found.ends and found.value == "value":
        known["reason"] = known["reason"] or CHOSEN.format(fact.name)
    value, sign = float(getattr(fact, found.value)), -1.0 if found.turned else 1.0
    ends = (-high, -low) if found.turned else (low, high)
    about = {"value": sign * value + 0.0, "low": ends[0] + 0.0, "high": ends[1] + 0.0}
    about |= {"metric": found.name, "of": (*found.place.values(),), "method": _method(facts, found)}
    return Estimate(**{**known, **about, "confidence_level": level})


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
        known = plain if plain in AT_STAKE else SHORT.get(plain)
        return known or get(text).name, ""
    except UnknownNameError:
        return text if bracket else plain, ""


def written(labels: Iterable[Any]) -> str:
    """Write the labels of a place as one text, by which it is found."""
    return ", ".join(map(label, labels))


def parts(facts: Any) -> Iterator[tuple[Place, Any, Iterable[Found]]]:
    """Yield every place of a report, its record, and its numbers, looked at one by one."""
    worth = getattr(facts, "worth", None)
    yields = () if worth is None else _yields(facts, worth)
    yield {}, facts, chain(_own(facts), _of_scores(facts), _gaps(facts), yields)
    for one in getattr(facts, "classifiers", ()):
        yield {"classifier": one.name}, one, chain(_yields(facts, one), _own(one))
    for one in getattr(facts, "classes", ()):
        if hasattr(one, "label"):
            place = {"class": one.label}
            yield place, one, chain(_own(one), _of_scores(one), _gaps(one))
            for group in getattr(one, "groups", ()):
                yield place | dict(group.group), group, _own(group)
    for group in getattr(facts, "groups", ()):
        own = getattr(group, "worth", None)
        earned = () if own is None else _yields(facts, own)
        yield group.group, group, chain(_own(group), _cuts(group), earned)
        for name, value in getattr(group, "yields", {}).items():
            worth = YieldFact(value=value)
            yield {**group.group, "classifier": name}, worth, _yields(facts, worth)
    calibration = getattr(facts, "calibration", None)
    for group in getattr(calibration, "groups", calibration or ()):
        yield group.group, group, _own(group)
    for one in getattr(facts, "scores", ()):
        if hasattr(one, "measures"):
            area = Found("roc_auc", one, "auc")
            yield {"classifier": one.name}, one, chain([area], _of_scores(one))
    yield from _pairs(facts)


def beside(facts: Any) -> Iterator[Found]:
    """Yield what the metrics of a report do not tell: counts, measures of scores, gaps of groups.

    What is chosen on these cases is not among them, nor what is found only when it is looked at.
    """
    for place, record, _ in parts(facts):
        area = [Found("roc_auc", record, "auc")] if hasattr(record, "measures") else []
        gaps = (one for one in _gaps(record) if one.value == "difference")
        for found in chain(_counts(record), _measures(record), area, gaps):
            yield found._replace(place=place)


def better(found: Found) -> str | None:
    """Return which end of a metric is better; None of what is no metric of the catalogue."""
    try:
        return get(found.name).direction
    except UnknownNameError:
        return None


def _counts(record: Any) -> Iterator[Found]:
    """Yield the counts of a part, and how many of its cases are positive."""
    for table in (getattr(record, name, None) for name in ("table", "classes")):
        if isinstance(table, ConfusionMatrix) and not table.shape:
            for name, short in COUNTS.items():
                value = float(getattr(table, short))
                yield Found(name, EstimateFact(name=short, value=value))
            return


def _own(record: Any) -> Iterator[Found]:
    """Yield the metrics of a part."""
    for fact in chain.from_iterable(_several(getattr(record, name, None)) for name in OWN):
        if hasattr(fact, "corrected"):  # best weights of classes, chosen on these cases
            yield Found(fact.name, fact, ends=())
            yield Found(f"expected({fact.name})", fact, "corrected")
        else:
            yield Found(fact.name, fact)
            if hasattr(fact, "raw"):  # restated, beside what these cases give
                yield Found(f"raw({fact.raw.name})", fact.raw)
    yield from _counts(record)


def _of_scores(record: Any) -> Iterator[Found]:
    """Yield what is known of scores, and the best cuts."""
    yield from _measures(record)
    for one in filter(None, (record, getattr(record, "thresholds", None))):
        yield from _cuts(one)


def _measures(record: Any) -> Iterator[Found]:
    """Yield what is known of scores: those of an evaluation are a report of their own."""
    for one in filter(None, (record, getattr(record, "thresholds", None))):
        calibration = getattr(one, "calibration", None)
        known = (getattr(one, name, ()) for name in OF_SCORES)
        every = chain(*known, getattr(calibration, "measures", ()))
        yield from (Found(fact.name, fact) for fact in every)
        for fact in getattr(one, "net_benefit", ()):
            yield Found(get(f"net_benefit({fact.threshold!r})").name, fact)
        for fact in getattr(one, "top", ()):
            yield Found(f"precision_at({fact.share:g})", fact.precision)
            yield Found(f"recall_at({fact.share:g})", fact.recall)


def _cuts(record: Any) -> Iterator[Found]:
    for cut in getattr(record, "cuts", ()):
        yield Found(cut.name, cut, ends=())
        yield Found(f"threshold({cut.name})", cut, "threshold")
        yield Found(f"expected({cut.name})", cut, "corrected", ())


def _gaps(record: Any) -> Iterator[Found]:
    for gap in getattr(record, "gaps", ()):
        yield Found(f"gap({gap.name})", gap, "difference")
        yield Found(f"ratio({gap.name})", gap.ratios)


def _yields(facts: Any, found: YieldFact) -> Iterator[Found]:
    """Yield what decisions are worth under its names: a cost has the other sign."""
    yield Found("yield", found)
    yield Found(facts.stakes.kind, found, turned=facts.stakes.kind == "cost")


def _pairs(facts: Any) -> Iterator[tuple[Place, Any, Iterable[Found]]]:
    """Yield differences of two classifiers, either of them first."""
    for pair in (*getattr(facts, "pairs", ()), *getattr(facts, "score_pairs", ())):
        of_classes = [({"class": one.label}, one.metrics) for one in getattr(pair, "classes", ())]
        for turned, first, second in ((False, pair.a, pair.b), (True, pair.b, pair.a)):
            named = {"first": first, "second": second}
            yield (
                named,
                pair,
                _differences(facts, pair, getattr(pair, "metrics", ()), turned=turned),
            )
            for place, metrics in of_classes:
                yield place | named, pair, _differences(facts, None, metrics, turned=turned)


def _differences(facts: Any, pair: Any, metrics: Iterable[Any], *, turned: bool) -> Iterator[Found]:
    for fact in metrics:
        yield Found(f"difference({fact.name})", fact, "difference", turned=turned)
    if hasattr(pair, "measure"):
        yield Found(f"difference({pair.measure})", pair, "difference", turned=turned)
    elif pair is not None:
        kind = facts.stakes.kind
        yield Found("difference(yield)", pair, "difference", turned=turned)
        cost = kind == "cost"
        yield Found(f"difference({kind})", pair, "difference", turned=turned != cost)


def _plain(facts: Any, name: str) -> str:
    """Return a name without what goes for the whole report."""
    stated = getattr(facts, "base_rate", None) is not None
    name = RESTATED.sub("", name) if getattr(facts, "restated", stated) else name
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


def _several(value: Any) -> Iterable[Any]:
    """Return the records of a field, which holds one, several or none."""
    return () if value is None else (value,) if hasattr(value, "name") else value


def _method(facts: Any, found: Found) -> str | None:
    """Return what gave the interval, by the name that a caller asks for it; None if unknown."""
    fact, asked = found.fact, getattr(facts, "interval", None)
    if not isinstance(fact, MetricFact | Finding | AverageFinding):
        return None
    if facts.n_replicates is not None or facts.n_clusters is not None:
        return asked or ("jackknife" if facts.n_replicates is None else "replicates")
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
    for place, _, named in parts(facts):
        at, columns = _at(place), (*place,)
        if columns not in names or at == where.replace(", ", ","):  # one tells of its kind
            outer = ((one.name.partition("(")[0], one.name) for one in named)
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
        return UnknownNameError.from_name("part of this report", where, known, remedy)
    if elsewhere:
        columns, known = elsewhere[0], [*labels[elsewhere[0]]]
        of = f"each {' and '.join(columns)}: {_listed(known)}; write" if columns else "all cases:"
        shown = [str(name), *(known[:1] if columns else ())]
        return UnknownNameError(f"{name} is here of {of} r[{', '.join(map(repr, shown))}].")
    known = [one for columns in here for one in names[columns]]
    remedy = f"It has {_listed(known)}; other metrics are named in metrics (--metrics)"
    return UnknownNameError.from_name("number here", str(name), known, remedy)


def _listed(names: Iterable[str]) -> str:
    every = [*names]
    more = len(every) - MOST
    return ", ".join(every[:MOST]) + (f" and {more:,} more" if more > 0 else "")

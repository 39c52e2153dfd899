"""Any result in words: a line with its value and how sure it is, or a small table of its parts.

One writer serves every class of results: it reads the names of their fields, which mean the same
everywhere (`value`, `low`, `high`, `chance`, `p_value`, `reason`). Classes with words of their own
are told by name, so that printing one loads none of the others.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

from baserate import _figures as figures
from baserate._measures import MEASURES, SYNONYMS
from baserate.counts import CELLS, ConfusionMatrix
from baserate.report.intersections import beyond_in_words
from baserate.report.no_data import gap_in_words, shares
from baserate.report.words import reason_of

# What a value is called, if not as the metric, or as its class in words; it may stand inside.
SUBJECTS = {
    "Answer": "{value} ({route})",
    "ClassWeightSpread": "{metric} {value} on cases that did not choose the weights",
    "ConstantDecisions": "the best constant decision",
    "CrossValidatedThreshold": "{metric} {value} at a cut of {threshold:.3g}",
    "Difference": "difference in {metric}",
    "DutchDraw": "{end} expected {metric} of a guess",
    "BeatsChance": "beats chance",
    "DutchScale": "share of a perfect labeller behind {metric}",
    "Gap": "gap in {metric}",
    "Information": "value of the outputs",
    "McNemar": "McNemar's test",
    "OptimalThreshold": "{metric} {value} at a cut of {threshold:.3g}",
    "RandomGuess": "{metric} of {guess}",
    "ScoreComparison": "difference",
    "ScoreDecomposition": "{loss}",
    "Skill": "skill in {metric}",
    "StatementProbability": "{metric} {statement} with probability {value}",
    "Strength": "strength of smoothing",
}
# Whose number it is, where that is not called `value`.
VALUES = ("value", "difference", "p_value")
KINDS = {
    "bayes": "credible interval", "bootstrap": "bootstrap interval", "exact": "interval",
    "jackknife": "jackknife interval", "replicates": "replicate-weight interval",
    "runs": "two-way clustered interval",
    "wilson": "interval",
}  # fmt: skip
ROUTES = {
    "clopper-pearson": "Clopper-Pearson", "jeffreys": "Jeffreys", "wilson": "Wilson",
    "student": "Student",
}  # fmt: skip
CELLS_SHOWN = 6  # of an array; more are told by how many they are and what they span
# How numbers of a report are called that are of another one.
AROUND = {
    "difference": "difference in {}", "expected": "{} expected anew", "gap": "largest gap in {}",
    "ratio": "smallest ratio of {}", "raw": "{} in these cases", "threshold": "best cut for {}",
}  # fmt: skip
WRITTEN = {
    "confidence_level": figures.level, "joint_p_value": figures.p_value,
    "p_value": figures.p_value, "adjusted_p": figures.p_value, "mid_p": figures.p_value,
}  # fmt: skip
ENDS = {"max": "highest", "min": "lowest"}
SEEN = 5e-4  # an error below it does not show in three decimals
ROWS = 12  # of a table, and of a batch


def printed(result: Any) -> str:
    """Write a result: one line where it has one number, else a small table.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.interval("recall", br.ConfusionMatrix(tp=18, fn=2, fp=5, tn=75)))
    recall 0.90 (95% credible interval 0.716 to 0.979, Jeffreys)
    >>> print(br.interval("recall", br.ConfusionMatrix(tp=0, fn=0, fp=5, tn=75)))
    recall is undefined: no positives (tp + fn = 0)
    """
    heading, rows = _told(result)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join((heading, *(f"  {name:{width}}  {said}" for name, said in rows)))


def as_html(result: Any) -> str:
    """Write it for a notebook."""
    heading, rows = _told(result)
    return f"<p>{escape(heading)}</p>" + (_html_table(rows) if rows else "")


def _told(result: Any) -> tuple[str, list[tuple[str, str]]]:
    """Return the sentence, or the heading of a table and its rows."""
    if write := WRITERS.get(_kind(result)):
        return write(result), []
    if hasattr(result, "__float__"):
        return _sentence(result), []
    heading = " of ".join(filter(None, (_in_words(_kind(result)), _metric(result))))
    if _kind(result) == "Checks":
        heading = "\n".join(_on_smoothing(result))
    return heading, [(_named(name), said) for name, said in _rows(result)]


def crossed(table: Any) -> str:
    """Write a table of counts with its margins: truth in rows, predictions in columns.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.ConfusionMatrix(tp=18, fn=2, fp=5, tn=75))
    truth     called positive  called negative  all
    positive               18                2   20
    negative                5               75   80
    all                    23               77  100
    """
    if table.shape or len(rows := _crossed(table)) > ROWS:
        return repr(table)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:]))) for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def crossed_html(table: Any) -> str:
    """Write it for a notebook."""
    if table.shape or len(rows := _crossed(table)) > ROWS:
        return f"<pre>{escape(repr(table))}</pre>"
    return _html_table(rows[1:], rows[0])


def _crossed(table: Any) -> list[tuple[str, ...]]:
    if isinstance(table, ConfusionMatrix):
        named, cells = ["positive", "negative"], [[table.tp, table.fn], [table.fp, table.tn]]
    else:
        named, cells = [*map(figures.label, table.labels)], table.counts.tolist()
    rows = zip((*named, "all"), (*cells, map(sum, zip(*cells, strict=True))), strict=True)
    body = [(name, *_with_sum(row)) for name, row in rows]
    return [("truth", *(f"called {name}" for name in named), "all"), *body]


def _with_sum(cells: Iterable[Any]) -> tuple[str, ...]:
    row = [*cells]
    return tuple(map(figures.count, (*row, sum(row))))


def _html_table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    of = ([("th", head)] if head else []) + [("td", row) for row in rows]
    lines = ("".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in row) for kind, row in of)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _on_smoothing(checks: Any) -> Iterator[str]:
    """Say whether smoothing helps, how far the reference is, and whether it is small."""
    if not checks.group.n:
        yield "smoothing cannot be judged: the group has no cases"
        return
    verdict = "helps" if checks.helps else "may hurt" if checks.ratios else "cannot be judged"
    apart = checks.distances["l1"]
    near, far = figures.told_apart(apart.reference, apart.uniform)
    yield f"smoothing {verdict}; distance {near} from the reference, {far} from equal shares (L1)"
    if checks.size_warning:
        yield checks.size_warning


def _sentence(result: Any) -> str:
    known = ((name, _of(result, name)) for name in VALUES)
    found: Any = next((pair for pair in known if pair[1] is not None), ("", None))
    called: str = found[0]
    named: Any = found[1]
    if np.ndim(named):
        return _batch(result)
    subject, value = _subject(result), float(result if named is None else named)
    if called == "p_value":
        return f"{subject}: {figures.p_stated(value)}"
    if math.isnan(value):
        why = _of(result, "reason")
        reason = f": {reason_of(why)}" if isinstance(why, str) else ""
        name = subject.partition(" {value}")[0].removesuffix(":") or "the value"
        return f"{name} is undefined{reason}"
    pattern = subject if "{value}" in subject else f"{subject} {{value}}".lstrip()
    sure = _kind(result) == "StatementProbability" and result.route != "constant"
    write = figures.chance if sure else figures.short
    told = pattern.replace("{value}", write(value)) + _interval(result)
    return ", ".join((told, *_said(result)))


def _of_weights(spread: Any) -> str:
    """Write what weights of classes have: the ends of the record are those of what they gain."""
    name, gain = _subject(spread), figures.interval(spread.low, spread.high)
    promised = f"{figures.short(spread.value)} on those that did"
    if spread.interval is None:
        said = [f"{name.replace('{value} ', '')} is undefined: {reason_of(spread.reason or '')}"]
    else:
        said = [
            name.replace("{value}", figures.short(spread.corrected)) + _interval(spread.interval),
            f"a gain of {figures.number(spread.difference)} ({gain}) by weighting",
        ]
    return ", ".join((*said, promised))


def _said(result: Any) -> Iterator[str]:
    """Yield what else is known of a number."""
    if _kind(result) == "StatementProbability" and result.share is not None:
        yield "from {} of {}".format(*map(figures.count, result.share))
    one, other = _of(result, "value_a"), _of(result, "value_b")
    if _number(one) and _number(other):
        yield "{} against {}".format(*figures.told_apart(float(one), float(other)))
    if _number(reference := _of(result, "reference_value")):
        yield f"{figures.short(reference)} in the reference"
    if _number(chance := _of(result, "chance")):
        yield f"chance {figures.short(chance)}"
    if _number(p := _of(result, "p_value")):
        yield figures.p_stated(p)
    if _number(better := _of(result, "p_better")):
        yield f"the first is better with probability {figures.chance(better)}"
    if _kind(result) == "DutchDraw" and (called := _called(result)):
        yield called
    if _number(error := _of(result, "error")) and error > SEEN:
        yield f"error {figures.number(error)}"
    if isinstance(reason := _of(result, "reason"), str):
        yield reason_of(reason)


def _interval(result: Any) -> str:
    low, high, level = (_of(result, name) for name in ("low", "high", "confidence_level"))
    if not (_number(low) and _number(high) and _number(level)):
        return ""
    kind = KINDS.get(str(_of(result, "method")), "interval")
    route = ROUTES.get(str(_of(result, "route")))
    ends = f"{figures.level(level)} {kind} {figures.interval(low, high)}"
    return f" ({', '.join(filter(None, (ends, route)))})"


def _batch(result: Any) -> str:
    """Write the values of many tables, the first of them one by one."""
    shown = ("value", "low", "high")
    columns = {name: np.ravel(_of(result, name)) for name in shown if _of(result, name) is not None}
    size = len(next(iter(columns.values())))
    level = _of(result, "confidence_level")
    kind = f" ({figures.level(level)} intervals)" if _number(level) else ""
    lines = [f"{_subject(result)} of {figures.count(size)} tables{kind}"]
    for value, *ends in zip(*(column[:ROWS] for column in columns.values()), strict=True):
        span = f" ({figures.interval(*map(float, ends))})" if len(ends) == len(shown) - 1 else ""
        lines.append(f"  {figures.short(float(value))}{span}")
    return "\n".join([*lines, *([f"  and {size - ROWS:,} more"] if size > ROWS else [])])


def _rows(result: Any) -> Iterator[tuple[str, str]]:
    """Yield the parts of a record that a reader can take in, by name."""
    names = [one.name for one in fields(result) if one.metadata.get("json", "") is not None]
    for name in dict.fromkeys((*names, *getattr(result, "derived", ()))):
        if name.startswith("_") or name == "metric":
            continue
        value = getattr(result, name)
        write = WRITTEN.get(name) if _number(value) else None
        if said := _part(value) if write is None else write(value):
            yield name, said


def _part(value: Any) -> str:
    """Write a part of a result; nothing where that takes more than a line."""
    if hasattr(value, "dtype") and np.ndim(value) == 0:
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return _scalar(value)
    if all(hasattr(value, cell) for cell in CELLS) and np.ndim(value.tp) == 0:
        return ", ".join(f"{cell} {figures.count(getattr(value, cell))}" for cell in CELLS)
    if isinstance(value, Mapping):
        parts = {str(key): _part(part) for key, part in [*value.items()][:ROWS]}
        return _several([f"{key} {part}" for key, part in parts.items() if part], len(value))
    if isinstance(value, Sequence) or hasattr(value, "dtype"):
        return _listed(value)
    return printed(value) if is_dataclass(value) and hasattr(value, "__float__") else ""


def _scalar(value: float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return figures.label(value)
    whole = isinstance(value, int) or (value.is_integer() and abs(value) >= CELLS_SHOWN)
    return figures.count(value) if whole else figures.number(value)


def _listed(values: Any) -> str:
    """Write a list, or how many values it has and what they span."""
    known = np.asarray(values) if all(map(_number, np.ravel(values)[:1])) else None
    if known is None or known.size <= CELLS_SHOWN or known.dtype.kind not in "iuf":
        return _several([_part(one) for one in [*values][:CELLS_SHOWN]], len(values))
    if np.isnan(known).all():
        return f"{figures.count(known.size)} values, undefined"
    low, high = np.nanmin(known).item(), np.nanmax(known).item()
    whole = known.dtype.kind in "iu"
    span = f"{low:,} to {high:,}" if whole else figures.interval(low, high)
    return f"{figures.count(known.size)} values, {span}"


def _several(parts: Iterable[str], size: int) -> str:
    shown = [part for part in parts if part and "\n" not in part]
    more = size - len(shown)
    return "; ".join([*shown, *([f"{more:,} more"] if shown and more else [])])


def _subject(result: Any) -> str:
    name, metric = _kind(result), _metric(result)
    if name == "Estimate":
        return _of_a_report(result.metric or "", [figures.label(one) for one in result.of])
    if name not in SUBJECTS:
        return metric or _in_words(name)
    known = {field.name: getattr(result, field.name) for field in fields(result)}
    known |= {"guess": _guess(known.get("strategy")), "end": ENDS.get(str(known.get("goal")))}
    return SUBJECTS[name].format(**{**known, "metric": metric, "value": "{value}"})


def _guess(strategy: Any) -> str:
    alone = _number(strategy) and f"guessing positive with probability {figures.short(strategy)}:"
    return alone or "guessing"


def _called(draw: Any) -> str:
    """Say how many a blind draw calls positive, in shares where no number of cases is known."""
    if draw.theta_star == ((0.0, 1.0),):
        return "however many it calls positive"
    if not draw.n_predicted:
        return f"calling {shares(draw.theta_star)} positive"
    if len(draw.n_predicted) > 1:
        return ""
    low, high = (figures.count(end) for end in next(iter(draw.n_predicted)))
    every = "all " if draw.theta_star == ((1.0, 1.0),) else ""
    return f"calling {every}{low if low == high else f'{low} to {high}'} positive"


def _named(part: str) -> str:
    """Name a part of a result: a measure of scores as in a sentence."""
    known = MEASURES.get(SYNONYMS.get(part, ""))
    return (known and known.spoken) or figures.spoken(part)


def _of_a_report(metric: str, labels: list[str]) -> str:
    """Name a number and what it is of: a difference is of two classifiers, the first less."""
    kind, bracket, inner = metric.partition("(")
    if not bracket or kind not in AROUND:
        named = figures.spoken(metric)
    else:
        inner = inner.removesuffix(")")
        named = AROUND[kind].format(figures.spoken(inner))
        named = named.removeprefix("smallest ") if labels else named  # of one group
    *rest, first, second = labels if kind == "difference" else (*labels, "", "")
    named = " of ".join(filter(None, (named, ", ".join(rest))))
    return f"{named} ({first} less {second})" if first else named


def _metric(result: Any) -> str:
    metric = _of(result, "metric")
    return figures.spoken(metric) if isinstance(metric, str) else ""


def _in_words(name: str) -> str:
    """Write the name of a class in words: McNemar and ROC stay what they are."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _kind(result: Any) -> str:
    return type(result).__name__


def _of(result: Any, name: str) -> Any:
    return getattr(result, name, None)


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not math.isnan(value)


# Results whose words are all their own.
WRITERS: dict[str, Callable[[Any], str]] = {
    "BeyondMargins": lambda found: "\n".join(beyond_in_words(found)),
    "ClassWeightSpread": _of_weights,
    "SmallestGap": gap_in_words,
}

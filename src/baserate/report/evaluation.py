"""An evaluation in words: is it better than guessing, by which metrics, in which groups."""

import math
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from textwrap import wrap

from baserate import _figures as figures
from baserate._figures import count, guess, quoted
from baserate.baselines.significance import OF_EACH
from baserate.counts import has_both
from baserate.facts.evaluation import EvaluationFacts
from baserate.metrics import HEADLINES
from baserate.report import evaluation_rows as lines
from baserate.report import evaluation_words as words
from baserate.report import scores, threshold
from baserate.report.clustering import (
    clusters,
    effective,
    is_weighted,
    weighted_cases,
)
from baserate.report.columns import Column, each, exactly, grid, number, text
from baserate.report.evaluation_methods import how, method, of_evaluation
from baserate.report.evaluation_words import (
    negative_label,
    other_labels,
    positive_label,
)
from baserate.report.methods import for_paper
from baserate.report.opening import (
    UNDRAWN,
    Pictures,
    about_lines,
    captioned,
    cases_dropped,
    classes_of,
    opened,
    source_of,
)
from baserate.report.sheet import Cell, Grid, Remarks, Sheet
from baserate.report.words import (
    described,
    first_of,
    guess_heading,
    in_words,
    reason_of,
    small_cells,
    stated_at,
)

TOTAL = "total"
FIRST = 7  # metrics on the first screen where none was named
# What cases of one class show: all else is undefined there, or one number whoever predicts.
OF_POSITIVES, OF_NEGATIVES = ("accuracy", "recall", "f1"), ("accuracy", "specificity")
FOUND = {"tp": "found", "fn": "missed", "fp": "false alarms", "tn": "not flagged"}
PERFECT = "guessing is perfect here"  # then a dash in the table says enough


def sheet_of(
    facts: EvaluationFacts,
    drawn: Pictures = UNDRAWN,
    rarer: tuple[lines.AtBaseRate, ...] = (),
    *,
    in_full: bool = True,
) -> Sheet:
    """Arrange the facts; what only details show is computed only if they are shown."""
    rows = lines.rows_of(facts, facts.metrics)
    key = _key(rows) if facts.asked_for else _telling(facts, _key(rows))
    others = tuple(row for row in rows if row not in key)
    columns = lines.columns_of(facts)
    differ = any(words.raw_of(fact) for group in facts.groups for fact in group.metrics)
    return opened(
        "Evaluation",
        facts,
        drawn,
        answer=words.answer(facts),
        about=(*about(facts), ("Data", source_of(facts))),
        parts=(
            *captioned(drawn),
            _counts(facts),
            _metrics(facts, "Metrics", key),
            _metrics(facts, "Other metrics", others, detail=True),
            *lines.below((row.name, row.fact) for row in rows),
            lines.at_base_rates(rarer, guess=facts.guess),
            lines.table_of_groups(facts, columns),
            *((lines.table_of_groups(lines.unrestated(facts), columns, lines.OWN),) * differ),
            lines.counts_of_groups(facts),
            *_score(facts, in_full=in_full),
            Remarks(
                "Undefined",
                (*lines.undefined(rows), *lines.undefined_in_groups(facts, columns)),
                asked=bool(facts.asked_for) or _telling(facts, rows) == rows,
            ),
            *_unguessed(key),
            *(
                replace(one, title=f"{one.title}: others", detail=True)
                for one in _unguessed(others)
            ),
            Remarks("No interval", _without(rows, "interval_reason")),
            Remarks(
                "No p-value",
                _without(
                    tuple(row for row in rows if row.fact.direction != "neither"), "p_value_reason"
                ),
            ),
            Remarks(
                "Definitions",
                tuple((row.name, told) for row in rows if (told := described(row.fact))),
                detail=True,
            ),
            *((for_paper(of_evaluation(facts)),) if in_full else ()),
        ),
        more=_more(facts),
        how=how(facts),
        method=method(facts),
    )


def _more(facts: EvaluationFacts) -> tuple[str, ...]:
    """Name what is computed for details only."""
    found = facts.thresholds
    cuts = found is not None and "thresholds" not in found.absent and not facts.cut_by
    return (*(("best cuts",) if cuts else ()), "all metrics", "definitions", "methods")


def _key(rows: lines.Rows) -> lines.Rows:
    if len(rows) < lines.WHOLE_CATALOGUE:
        return rows
    by_name = {row.name: row for row in rows}
    return tuple(
        by_name[name] for name in (*lines.names_of_own(rows), *HEADLINES) if name in by_name
    )


def _telling(facts: EvaluationFacts, rows: lines.Rows) -> lines.Rows:
    t = facts.classes
    if t.n_positive and t.n_negative:
        return rows
    kept = {*lines.names_of_own(rows), *(OF_POSITIVES if t.n_positive else OF_NEGATIVES)}
    return tuple(row for row in rows if row.name in kept)


def _counts(facts: EvaluationFacts) -> Grid:
    t = facts.classes
    positive, negative = words.positive_label(facts), words.negative_label(facts)
    predicted = ("\n".join(wrap(f"predicted {name}", 28)) for name in (positive, negative))
    rows = (
        (f"truth {positive}", t.n_positive, (("tp", t.tp), ("fn", t.fn))),
        (f"truth {negative}", t.n_negative, (("fp", t.fp), ("tn", t.tn))),
    )
    totals = (t.n_predicted, t.n_predicted_negative, t.n)
    shown = facts.table and not words.of_answers(facts)
    at = f" at {figures.exact(facts.threshold or 0.0)}, a cut that nobody named"
    at = at if facts.default_threshold else ""
    return grid(
        f"Counts{at} (truth in rows, predictions in columns)",
        rows if shown else (),
        Column("", itemgetter(0)),
        *each(predicted, _of_class, lambda cell: cell),
        number(TOTAL, itemgetter(1), figures.count),
        below=[(TOTAL, *(exactly(n, write=figures.count) for n in totals))] if shown else (),
        line=", ".join(f"{name} {figures.count(n)}" for _, _, of in rows for name, n in of),
    )


def _of_class(row: tuple[str, float, tuple[tuple[str, float], ...]]) -> Iterator[Cell]:
    _, total, parts = row
    for name, n in parts:
        yield Cell(
            f"{name} {figures.count(n)}",
            exact=(n,),
            note=FOUND[name],
            share=n / total if total else 0.0,
            wrong=name in {"fn", "fp"},
        )


def _metrics(facts: EvaluationFacts, title: str, rows: lines.Rows, *, detail: bool = False) -> Grid:
    known = words.knows_chance(facts.metrics)
    luck = known and words.knows_luck(facts)
    guess = guess_heading(facts.guess)
    tested = known and facts.p_value_method in OF_EACH  # any other one is said once, in the answer
    both = lines.beside_raw(rows)
    bars = tuple(lines.bar_of(row.fact, facts.guess) for row in both)
    return grid(
        f"{title}{stated_at(facts)}{f', and {lines.IN_DATA}' if both != rows else ''}",
        both if facts.table else (),
        text("metric", "name", lines.named),
        Column("value", lines.value_of),
        Column("interval", lines.interval_of),
        luck and number("by\nluck", "fact.same_alarms", figures.or_nothing),
        number(guess.replace(" ", "\n"), "fact.chance", figures.or_nothing),
        number("skill", "fact.skill", figures.or_nothing),
        tested and number("p", "fact.p_value", figures.p_value),
        note="" if detail else words.yardsticks(facts),
        bars=bars if any(bars) else (),
        mark=guess if known else "",
        second="by luck" if luck else "",
        detail=detail,
        asked=bool(facts.asked_for) or not facts.default_threshold,
        first=0 if facts.asked_for else FIRST,
    )


def _score(facts: EvaluationFacts, *, in_full: bool) -> tuple[Grid | Remarks, ...]:
    """Return what is known about the score besides its one table, or why there is nothing.

    Best cuts, whose bootstrap takes most of the time, are left to details where none was asked for.
    """
    if facts.thresholds is None:
        why = facts.ranking_reason
        pairs = (("Ranking", reason_of(why)),) if why else ()
        return (Remarks("Nothing about the score itself", pairs),)
    cuts = threshold.parts(facts.thresholds) if in_full or facts.cut_by else ()
    return (*scores.parts(facts.thresholds, asked=facts.default_threshold), *cuts)


def _unguessed(rows: lines.Rows) -> tuple[Remarks, ...]:
    bare = tuple(row for row in rows if math.isnan(row.fact.chance))
    lucky = tuple(row for row in bare if not math.isnan(row.fact.same_alarms))
    shown = tuple(row for row in rows if row not in bare)
    return (
        Remarks(
            "No chance level or skill", _no_chance(tuple(row for row in bare if row not in lucky))
        ),
        Remarks("No value of the guess, and no skill", _no_chance(lucky)),
        Remarks("No skill", _no_chance(shown)),
    )


def _no_chance(rows: lines.Rows) -> lines.Pairs:
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        fact = row.fact
        if fact.direction == "neither" or not math.isnan(fact.chance + fact.skill):
            continue
        reason = reason_of(fact.chance_reason or PERFECT).removeprefix(f"{fact.name} ")
        if reason not in {"", PERFECT, fact.undefined_reason}:
            by_reason.setdefault(reason, []).append(row.name)
    return tuple((", ".join(names), _told(names, reason)) for reason, names in by_reason.items())


def _told(names: list[str], reason: str) -> str:
    """Give a reason that went on from a metric's name a subject, one for each of several."""
    goes_on = reason.startswith(("is ", "has "))
    return f"{'it' if len(names) == 1 else 'each'} {reason}" if goes_on else reason


def _without(rows: lines.Rows, why: str) -> lines.Pairs:
    by_reason: dict[str, list[str]] = {}
    for name, fact in rows:
        if (found := reason_of(getattr(fact, why) or "")) and not math.isnan(fact.value):
            reason = found.replace(fact.name, "a metric")
            by_reason.setdefault(reason, []).append(name)
    return tuple((_names(names), reason) for reason, names in by_reason.items())


def _names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= len(HEADLINES) else f"{len(names)} metrics"


def base_rate_line(facts: EvaluationFacts) -> str:
    """Name the base rate of the data, and the one in force if it is another."""
    own = figures.number(facts.classes.base_rate) if has_both(facts.classes) else ""
    if not facts.restated:
        return own
    return (
        f"{own} in the data. Metrics restated at a base rate of {facts.base_rate:g}, if recall and "
        "specificity stay as they are"
    )


def about(facts: EvaluationFacts) -> tuple[tuple[str, str], ...]:
    """Say what was evaluated: classes, cases, columns, weights, the guess."""
    return about_lines(
        (classes_of(facts, facts.classes)[0], _positive(facts)),
        ("Cases", _cases(facts)),
        ("Small cells", small_cells(facts.suppression)),
        ("Base rate", base_rate_line(facts)),
        ("Clusters", clusters(facts)),
        ("Weights", _weights(facts)),
        ("Truth", _column(facts.target)),
        ("Prediction", _prediction(facts)),
        ("Guess", _guess(facts)),
    )


def _positive(facts: EvaluationFacts) -> str:
    positive, others = positive_label(facts), other_labels(facts)
    if len(others) < 2:
        other = "wrong" if words.of_answers(facts) else "negative"
        return f"{positive}; {other} is {negative_label(facts)}"
    size, found = in_words(len(facts.labels)).lower(), first_of(map(quoted, facts.labels), 8)
    return f"{positive} against the rest; {size} labels found: {found}"


def _cases(facts: EvaluationFacts) -> str:
    t = facts.classes
    total = count(t.n)
    total = weighted_cases(facts, total, ", total weight ") if is_weighted(facts) else total
    _, classes = classes_of(facts, t)
    return f"{total}: {classes}{cases_dropped(facts)}"


def _weights(facts: EvaluationFacts) -> str:
    sizes = effective(facts)
    if facts.n_replicates is not None:
        return sizes
    if not (facts.effective_positive and facts.effective_negative):
        return sizes
    positive, negative = map(count, (facts.effective_positive, facts.effective_negative))
    return f"{sizes}: {positive} among the positives, {negative} among the negatives"


def _column(name: str | None) -> str:
    return "" if name is None else f"column {quoted(name)}"


def _prediction(facts: EvaluationFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        cuts = facts.thresholds.cuts if facts.cut_by and facts.thresholds else ()
        cut = f"is {threshold.cut_at(facts.threshold, cuts)} or more"
        chosen = f", where {facts.cut_by} is best" if facts.cut_by else ""
        return f"positive where the score in {_column(facts.score)} {cut}{chosen}"
    column = _column(facts.prediction)
    if facts.score is None:
        return column
    return f"{column}; the score in {_column(facts.score)} and any threshold were not used"


def _guess(facts: EvaluationFacts) -> str:
    if not has_both(facts.classes):
        return ""
    name = facts.guess.replace("_", "-")
    text = f"{guess(facts.guess)} ({name})"
    scored = any(not math.isnan(m.chance) for m in facts.typical)
    return text if scored else f"{text}; not scored in this report"

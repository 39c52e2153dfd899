"""What was evaluated: classes, cases, clusters, weights, columns, the guess."""

import math

from baserate._figures import count, number, quoted
from baserate.facts.evaluation import EvaluationFacts
from baserate.report import threshold
from baserate.report.clustering import clusters, replicates
from baserate.report.evaluation_words import (
    is_weighted,
    negative_label,
    other_labels,
    positive_label,
)
from baserate.report.words import guess, in_words, small_cells


def base_rate_line(facts: EvaluationFacts) -> str:
    """Name the base rate of the data, and the one in force if it is another."""
    own = number(facts.classes.base_rate)
    if not facts.restated:
        return own
    return (
        f"{own} in the data. Metrics restated at a base rate of {facts.base_rate:g}, if recall and "
        "specificity stay as they are"
    )


def about(facts: EvaluationFacts) -> tuple[tuple[str, str], ...]:
    """Say what was evaluated: classes, cases, columns, weights, the guess."""
    lines = (
        ("Positive", _positive(facts)),
        ("Cases", _cases(facts)),
        ("Small cells", small_cells(facts.suppression)),
        ("Base rate", base_rate_line(facts)),
        ("Clusters", clusters(facts)),
        ("Weights", _weights(facts)),
        ("Truth", _column(facts.target)),
        ("Prediction", _prediction(facts)),
        ("Guess", _guess(facts)),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _positive(facts: EvaluationFacts) -> str:
    positive, others = positive_label(facts), other_labels(facts)
    if len(others) < 2:
        return f"{positive}; negative is {negative_label(facts)}"
    found = list(map(quoted, facts.labels))
    more = f" and {len(found) - 8} more" if len(found) > 8 else ""
    size = in_words(len(found)).lower()
    return f"{positive} against the rest; {size} labels found: {', '.join(found[:8])}{more}"


def _cases(facts: EvaluationFacts) -> str:
    t, show = facts.classes, count
    total = f"total weight {show(t.n)}" if is_weighted(facts) else show(t.n)
    classes = f"{show(t.n_positive)} positive, {show(t.n_negative)} negative"
    rows = "row" if facts.missing == 1 else "rows"
    dropped = f"{show(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    return "; ".join(filter(None, (f"{total}: {classes}", dropped)))


def _weights(facts: EvaluationFacts) -> str:
    if facts.effective_n is None:
        return ""
    if facts.n_replicates is not None:
        return replicates(facts.n_replicates)
    sizes = f"intervals use {count(facts.effective_n)} effective cases (Kish)"
    if facts.effective_positive is None or facts.effective_negative is None:
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
    name = facts.guess.replace("_", "-")
    text = f"{guess(facts.guess)} ({name})"
    scored = any(not math.isnan(m.chance) for m in facts.typical)
    return text if scored else f"{text}; not scored in this report"

"""`baserate evaluate`: one table of predictions in, one report out."""

from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from baserate.cli._columns import Several, refuse_with_counts, require_columns
from baserate.cli._output import chosen_format, deliver, in_color
from baserate.cli._terminal import say
from baserate.cli._watch import reading
from baserate.errors import InvalidArgumentError
from baserate.evaluation import Evaluation, evaluate_counts
from baserate.evaluation import evaluate as run_evaluate
from baserate.metrics import get
from baserate.report import render

Format = Literal["table", "json", "markdown", "html"]


def evaluate(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    target: str | None = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: str | None = None,
    fold: str | None = None,
    positive: str | None = None,
    group: Annotated[list[str] | None, Several] = None,
    weight: str | None = None,
    counts: Annotated[bool, Parameter(negative=())] = False,
    metrics: str | None = None,
    utility: Path | None = None,
    confidence: float = 0.95,
    reference: str = "dutch-draw",
    base_rate: float | None = None,
    p_value: Literal["fisher", "sup"] = "fisher",
    missing: Literal["error", "drop"] = "error",
    many_groups: Annotated[bool, Parameter(negative=())] = False,
    format: Format | None = None,  # noqa: A002
    output: Path | None = None,
    fail_under: Annotated[list[str] | None, Several] = None,
) -> int:
    """Say whether a classifier is any good: a table of predictions in, a report out.

    Parameters
    ----------
    file
        CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; - for standard input.
    target
        Column of true labels.
    prediction
        Column of predicted labels.
    score
        Column of scores; predicted positive if score >= threshold. With a prediction too, the
        table comes from the prediction, and the report says so.
    threshold
        Where to cut the score; default 0.5, if every score lies in [0, 1]. A metric, such as mcc or
        "robust_mcc(d=0.05)", cuts where it is best.
    fold
        Column that names the fold each case was held out in: a metric then cuts where its mean
        skill over folds is best.
    positive
        The positive label; default True, or 1 of 0/1 or -1/1. With more than two labels, this one
        against the rest.
    group
        Group columns; every combination is reported.
    weight
        Column of case weights.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per group or classifier.
    metrics
        Names, comma-separated; default the whole catalogue. See: baserate metrics.
    utility
        TOML or CSV file of utilities, decisions in rows; adds the mean utility per case.
    confidence
        Level of the intervals.
    reference
        The guess that chance and skill refer to: dutch-draw, uniform, proportional, mode or a
        probability.
    base_rate
        Restate every metric at this base rate; 0.5 gives the balanced metrics.
    p_value
        Probability that guessing does as well: fisher, at the table's own margins, or sup, the
        largest over all numbers predicted positive.
    missing
        What to do with rows that lack a label, score, weight or group: error, or drop (and count)
        them.
    many_groups
        Take a nearly continuous column as groups: more than 30, of fewer than ten cases on average.
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    fail_under
        METRIC=VALUE: exit with 1 if the metric is below the value, or undefined.
    """
    checks = [_check(text) for text in fail_under or ()]
    form = chosen_format(format, output, file, utility)
    options: dict[str, Any] = {
        "metrics": metrics,
        "utility": utility,
        "confidence_level": confidence,
        "reference": reference,
        "base_rate": base_rate,
        "p_value": p_value,
        "positive": positive,
    }
    if counts:
        columns = {"target": target, "prediction": prediction, "score": score, "group": group}
        rows = {"weight": weight, "missing": None if missing == "error" else missing}
        rows["many_groups"] = many_groups or None
        refuse_with_counts(**columns, threshold=threshold, fold=fold, **rows)
        result = evaluate_counts(file, **options)
    else:
        require_columns(target, prediction, score)
        result = run_evaluate(
            file, target=target, prediction=prediction, score=score, fold=fold,
            threshold=_threshold(threshold), groups=group or (), weight=weight,
            missing=missing, many_groups=many_groups, progress=reading, **options,
        )  # fmt: skip
    code = _judge(result, checks)
    deliver(render(result.facts, form, color=in_color(output)), output)
    return code


def _threshold(text: str | None) -> float | str | None:
    """Return a number where the text is one; else it must name a metric."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _check(text: str) -> tuple[str, float]:
    name, _, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = nan
    if not name or not isfinite(limit):
        rule = "must have the form METRIC=VALUE"
        raise InvalidArgumentError.from_rule("--fail-under", rule, text, "write for example f1=0.5")
    metric = get(name)
    if metric.direction != "higher":
        rule = "needs a metric for which higher is better"
        remedy = "check accuracy, recall or another such metric instead"
        raise InvalidArgumentError.from_rule("--fail-under", rule, metric.name, remedy)
    return metric.name, limit


def _judge(result: Evaluation, checks: list[tuple[str, float]]) -> int:
    failed = 0
    for name, limit in checks:
        value = result.value(name)
        if not value >= limit:  # also if it is undefined
            shown = "undefined" if value != value else f"{value:.6g}"  # noqa: PLR0124
            say(f"failed: {name} is {shown}, under {limit:g}")
            failed = 1
    return failed

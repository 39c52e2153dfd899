"""`baserate audit`: which groups differ by more than luck, and which are too small to tell."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from baserate.cli._columns import Metrics, Several, refuse_with_counts, require_columns
from baserate.cli._output import chosen_format, deliver, in_color
from baserate.cli._terminal import say
from baserate.cli._watch import reading
from baserate.evaluation import audit as run_audit
from baserate.evaluation import audit_counts

Format = Literal["table", "json", "markdown", "html"]
Condition = Literal["auto", "none", "denominator", "classes"]


def audit(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    target: str | None = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    positive: str | None = None,
    group: Annotated[list[str] | None, Several] = None,
    counts: Annotated[bool, Parameter(negative=())] = False,
    reference: str = "rest",
    metrics: Annotated[str | None, Metrics] = None,
    utility: Path | None = None,
    alpha: float = 0.05,
    gap: float = 0.1,
    strength: float = 10,
    condition: Condition = "auto",
    adjust: Literal["auto", "holm", "benjamini-hochberg"] = "auto",
    confidence: float = 0.95,
    missing: Literal["error", "drop"] = "error",
    many_groups: Annotated[bool, Parameter(negative=())] = False,
    format: Format | None = None,  # noqa: A002
    output: Path | None = None,
    details: Annotated[bool, Parameter(negative=())] = False,
    fail_on_difference: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Say which groups differ by more than luck, and which are too small to tell.

    Parameters
    ----------
    file
        CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; - for standard input.
    target
        Column of true labels.
    prediction
        Column of predicted labels.
    score
        Column of scores; predicted positive if score >= threshold.
    threshold
        Where to cut the score; default 0.5, if every score lies in [0, 1].
    positive
        The positive label; default True, or 1 of 0/1 or -1/1.
    group
        Group columns; every combination is a group.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per group.
    reference
        What each group is compared with: rest (all others), overall (all cases), or the label of
        one group.
    metrics
        Names, comma-separated; default the rates, F1 and Matthews correlation.
    utility
        TOML or CSV file of utilities, decisions in rows; adds the mean utility per case.
    alpha
        Accepted chance of any false alarm, over all comparisons.
    gap
        The smallest gap that matters: groups that would not show it are called too small to tell.
    strength
        Pseudo-cases that smoothing borrows from the reference.
    condition
        What the test holds fixed: auto (the class of recall or false positive rate, else both class
        totals), none, denominator or classes.
    adjust
        For many comparisons: auto (exact over metrics up to 200 cases, Holm over groups), holm or
        benjamini-hochberg.
    confidence
        Level of the intervals.
    missing
        What to do with rows that lack a label, score or group: error, or drop (and count) them.
    many_groups
        Take a nearly continuous column as groups: more than 30, of fewer than ten cases on average.
    format
        table, json, markdown or html; default: the suffix of the output, else table.
    output
        File to write instead of standard output.
    details
        Show every p-value, interval and smoothed value in the table too.
    fail_on_difference
        Exit with 1 if a group differs.
    """
    form = chosen_format(format, output, file, utility)
    options: dict[str, Any] = {
        "reference": reference, "metrics": metrics, "utility": utility, "alpha": alpha, "gap": gap,
        "strength": strength, "condition": condition,
        "adjust": adjust, "confidence_level": confidence, "positive": positive,
    }  # fmt: skip
    if counts:
        columns = {"target": target, "prediction": prediction, "score": score, "group": group}
        gaps = None if missing == "error" else missing
        rows = {"missing": gaps, "many_groups": many_groups or None}
        refuse_with_counts(**columns, threshold=threshold, **rows)
        result = audit_counts(file, **options)
    else:
        require_columns(target, prediction, score)
        result = run_audit(
            file, target=target, prediction=prediction, score=score, threshold=threshold,
            groups=group or (), missing=missing, many_groups=many_groups, progress=reading,
            **options,
        )  # fmt: skip
    deliver(result.render(form, color=in_color(output), details=details), output)
    differing = len({tuple(group.group.values()) for group, _ in result.facts.differing})
    if fail_on_difference and differing:
        say(f"failed: {differing} {'group differs' if differing == 1 else 'groups differ'}")
        return 1
    return 0

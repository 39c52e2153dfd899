"""`baserate audit`: which groups differ by more than luck, and which are too small to tell."""

from pathlib import Path
from typing import Annotated, Any, Literal

import baserate.evaluation
from baserate.cli import _options as given
from baserate.cli._output import check_plot, chosen_format, drawn, report
from baserate.cli._terminal import say
from baserate.cli._watch import reading as watched
from baserate.errors import InvalidArgumentError

Condition = Literal["auto", "none", "denominator", "classes"]


@given.reads(
    "target",
    "prediction",
    "score",
    "correct",
    "groups",
    *given.DESIGN,
    *given.ROWS,
    "positive",
    "missing",
    "many_groups",
)
def audit(
    file: given.File,
    *more: given.MoreFiles,
    threshold: float | None = None,
    counts: Annotated[bool, given.Switch] = False,
    reference: str = "rest",
    known_reference: Annotated[bool, given.Switch] = False,
    metrics: Annotated[str | None, given.MetricsOrCriteria] = None,
    utility: Path | None = None,
    cost: str | None = None,
    alpha: float = 0.05,
    gap: float = 0.1,
    strength: float = 10,
    condition: Condition = "auto",
    adjust: Literal["auto", "holm", "benjamini-hochberg"] = "auto",
    confidence: given.Confidence = 0.95,
    format: given.Format = None,  # noqa: A002
    output: given.Output = None,
    plot: given.Plot = None,
    picture: given.PictureName = None,
    details: Annotated[bool, given.Switch] = False,
    fail_on_difference: Annotated[bool, given.Switch] = False,
    require: given.Require = None,
    **columns: Any,
) -> int:
    """Say which groups differ by more than luck, and which are too small to tell.

    More than two labels, none of them positive, are audited class by class, and by averages.

    Parameters
    ----------
    threshold
        Where to cut the score; default 0.5, if every score lies in [0, 1].
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per group. Of several classes, columns
        truth, prediction and count, a row for every cell of every group, which other columns name;
        or a FILE per group: a square table with the truth in rows.
    reference
        What each group is compared with: rest (all others), overall (all cases), the label of one
        group, or a range of them, such as the months 2026-01..2026-06, pooled.
    known_reference
        Take the shares of the reference as known: it is the whole population, and no sample.
    metrics
        Names, comma-separated, or criteria: demographic_parity (adverse_impact, the four-fifths
        rule), equal_opportunity, equalized_odds, predictive_parity. Default the rates, F1 and
        Matthews correlation; of several classes the recall of each, and accuracy, macro F1 and
        others of all.
    utility
        TOML or CSV file of utilities, decisions in rows; adds the mean utility per case.
    cost
        Costs of the two errors, in place of a utility, such as fp=1,fn=20; adds the cost per case.
    alpha
        Accepted chance of any false alarm, over all comparisons.
    gap
        The smallest gap that matters, of a cost as a share of the largest, of a utility as one of
        what lies between the least and the largest: groups that would not show it are called too
        small to tell.
    strength
        Pseudo-cases that smoothing borrows from the reference.
    condition
        What the test holds fixed: auto (the class of recall or false positive rate, else both class
        totals), none, denominator or classes.
    adjust
        For many comparisons: auto (the enumerated law of the smallest p-value over metrics, of
        groups up to 200 cases, and Holm over groups), holm or benjamini-hochberg.
    details
        Show every p-value, interval and smoothed value as a table or Markdown too.
    fail_on_difference
        Exit with 1 if a group differs.
    """
    from baserate.evaluation.audits import needs_no_truth

    promises = given.promises(require=require)
    form = chosen_format(format, output, file, *more, utility)
    check_plot(plot, picture, output, file, *more, utility)
    given.refuse_options(more, "audit")
    options: dict[str, Any] = {
        "reference": reference, "uncertain_reference": not known_reference, "metrics": metrics,
        "utility": utility, "cost": cost, "alpha": alpha, "gap": gap, "strength": strength,
        "condition": condition, "adjust": adjust, "confidence_level": confidence,
        "threshold": threshold,
    }  # fmt: skip
    reading = given.keywords(columns)
    if more and not counts:
        given.refuse_columns(more)
        raise InvalidArgumentError(
            f"FILE must be one table of cases, got {len(more) + 1} files: pass a pattern such "
            "as 'data/*.csv', or with --counts a file of counts per group."
        )
    if counts:
        files = given.by_name((file, *more)) if more else file
        result = baserate.audit(baserate.evaluation.CountsFile.each(files), **reading, **options)
    else:
        promised = promises.metrics
        if metrics is None and not reading.get("target") and needs_no_truth(promised or None):
            options["metrics"] = promised
        remedy = "name the true labels' column, or ask what needs none: --metrics selection_rate"
        if reading.get("target") or not needs_no_truth(options["metrics"]):
            given.require_columns(**reading, file=file, truth=remedy)
        result = baserate.audit(file, progress=watched, **reading, **options)
    code = promises.judge(result)
    pictures = drawn(result, plot, picture)
    report(result, form, output, pictures, details=details)
    differing = len({tuple(group.group.items()) for group, *_ in result.facts.differing})
    if fail_on_difference and differing:
        say(f"failed: {differing} {'group differs' if differing == 1 else 'groups differ'}")
        return 1
    return code

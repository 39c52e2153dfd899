"""`baserate evaluate`: one table of predictions in, one report out."""

from pathlib import Path
from typing import Annotated, Any, Literal

import baserate.evaluation
from baserate.cli import _options as given
from baserate.cli._output import check_plot, chosen_format, drawn, report
from baserate.cli._watch import reading as watched
from baserate.errors import InvalidArgumentError


@given.reads(
    "target",
    "prediction",
    "score",
    "correct",
    "groups",
    "fold",
    *given.DESIGN,
    *given.ROWS,
    "positive",
    "missing",
    "many_groups",
)
def evaluate(
    file: given.File,
    *,
    threshold: str | None = None,
    top: Annotated[list[str] | None, given.Several] = None,
    counts: Annotated[bool, given.Switch] = False,
    metrics: given.MetricsOrAll = None,
    utility: Path | None = None,
    cost: str | None = None,
    confidence: given.Confidence = 0.95,
    interval: Literal["bayes", "wilson", "exact"] | None = None,
    guess: str = "dutch-draw",
    base_rate: float | None = None,
    balanced: Annotated[bool, given.Switch] = False,
    p_value: Literal["fisher", "sup"] = "fisher",
    format: given.Format = None,  # noqa: A002
    output: given.Output = None,
    plot: given.Plot = None,
    picture: given.PictureName = None,
    details: Annotated[bool, given.Switch] = False,
    fail_under: Annotated[list[str] | None, given.Several] = None,
    fail_over: Annotated[list[str] | None, given.Several] = None,
    require: given.Require = None,
    **columns: Any,
) -> int:
    """Say whether a classifier is any good: a table of predictions in, a report out.

    Of more than two labels, none of which is named positive, the whole class table is evaluated:
    averages over classes, every class against the rest, and which are taken for which.

    Parameters
    ----------
    threshold
        Where to cut the score; default 0.5, if every score lies in [0, 1]. A metric, such as mcc or
        "robust_mcc(d=0.05)", cuts where it is best in these cases.
    top
        With a score: how many of the highest, such as 50, or which share of them, such as 5%, have
        their precision and recall reported; default 10%. Of several classes: among how many of the
        highest scores of a case the right class may be; default 2, 3 and 5.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per group or classifier.
    utility
        TOML or CSV file of utilities, decisions in rows; the answer is then about the mean
        utility per case.
    cost
        Costs of the two errors, in place of a utility, such as fn=10,fp=1. Probabilities are
        then judged at the risk from which these say to act.
    interval
        Of a share of cases, such as recall: bayes (Jeffreys, the default), wilson or exact
        (Clopper-Pearson). All other metrics have the Bayesian one, and the report says so. Cases in
        clusters have the jackknife over clusters.
    guess
        The guess that chance and skill refer to: dutch-draw (the best one), same-alarms (as many
        predicted positive as here), uniform, proportional, mode or a probability.
    base_rate
        Restate every metric at this base rate, beside its value in these cases.
    balanced
        The balanced metrics, beside those of these cases: --base-rate 0.5.
    p_value
        Probability that guessing does as well: fisher, at the table's own margins, or sup, the
        largest over all numbers predicted positive.
    details
        Show the whole catalogue, unless metrics are named, and all definitions in the table too.
    fail_under
        METRIC=VALUE: exit with 1 if the metric is below the value, or undefined. METRIC=VALUE@low
        judges a lower limit, what the data vouch for: Clopper and Pearson's where one share of
        cases decides (2.5% of samples at most pass by luck), else that of the posterior; @groups
        judges every group, and
        @group=LABEL one group, instead of all cases: recall=0.8@low@groups. Of several classes,
        @classes judges every class against the rest, and @class=LABEL one: recall=0.6@class=cat,
        macro_f1=0.8@low.
    fail_over
        METRIC=VALUE: the same for metrics of which less is better, such as error_rate=0.1 or
        error_rate=0.1@high.
    """
    promises = given.promises(under=fail_under, over=fail_over, require=require)
    form = chosen_format(format, output, file, utility)
    check_plot(plot, picture, output, file, utility)
    reading = given.keywords(columns)
    asked = "all" if details and metrics is None else metrics
    scored = bool(reading.get("score")) and base_rate is None and not balanced
    options: dict[str, Any] = {
        "metrics": promises.with_metrics(asked, scored=scored),
        "utility": utility,
        "cost": cost,
        "confidence_level": confidence,
        "interval": interval,
        "guess": guess,
        "base_rate": given.stated(base_rate, balanced=balanced),
        "p_value": p_value,
    }
    if not counts:
        given.require_columns(**reading, file=file)
    result = baserate.evaluate(
        baserate.evaluation.CountsFile(file) if counts else file,
        threshold=_threshold(threshold), top=top, progress=watched, **reading, **options,
    )  # fmt: skip
    code = promises.judge(result)
    pictures = drawn(result, plot, picture)
    report(result, form, output, pictures, details=details)
    return code


def _threshold(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        if text and text.endswith("%"):  # of no metric, nor of a score in percent
            rule = "must be on the scale of the score"
            remedy = f"write {given.as_share(text)}, or {text[:-1]} where scores are percentages"
            raise InvalidArgumentError.from_rule("threshold", rule, text, remedy) from None
        return text

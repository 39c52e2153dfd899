"""`baserate compare`: which of several classifiers is best, given what decisions are worth."""

from typing import Annotated, Any

from baserate.cli._options import (
    Confidence,
    File,
    Format,
    ManyGroups,
    Metrics,
    Missing,
    Output,
    PictureName,
    Plot,
    Several,
    Switch,
    Target,
    refuse_with_counts,
    require_columns,
)
from baserate.cli._output import check_plot, chosen_format, deliver, draw, in_color
from baserate.cli._watch import reading
from baserate.errors import InvalidArgumentError


def compare(
    file: File,
    *,
    target: Target = None,
    prediction: Annotated[list[str] | None, Several] = None,
    score: Annotated[list[str] | None, Several] = None,
    threshold: float | None = None,
    points: str | None = None,
    positive: str | None = None,
    group: Annotated[list[str] | None, Several] = None,
    weight: str | None = None,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002 - the command line's word
    counts: Annotated[bool, Switch] = False,
    utility: str | None = None,
    cost: str | None = None,
    base_rate: str | None = None,
    metrics: Annotated[str | None, Metrics] = None,
    guess: str = "dutch-draw",
    confidence: Confidence = 0.95,
    seed: int | None = None,
    missing: Missing = "error",
    many_groups: ManyGroups = False,
    format: Format = None,  # noqa: A002
    output: Output = None,
    plot: Plot = None,
    picture: PictureName = None,
) -> int:
    """Say which of several classifiers is best, given what their decisions are worth.

    Parameters
    ----------
    prediction
        Columns of predicted labels, one per classifier.
    score
        Columns of scores; predicted positive if score >= threshold.
    threshold
        Where to cut the scores; default 0.5, if every score lies in [0, 1], and no points.
    points
        Metrics, comma-separated, such as "mcc,robust_mcc(d=0.1)": each score is cut where each of
        them is best. With utilities or costs, probabilities are also cut at the threshold that
        these imply.
    positive
        The positive label; default the one that a TOML file of utilities states, True, or 1 of 0/1
        or -1/1. Counts have no labels: with them it is the first class of the utilities.
    group
        Group columns; every combination is reported.
    weight
        Column of case weights; intervals, tests and chances are approximate then.
    cluster
        Column of what is independent where cases are not, such as the topic of each question:
        intervals, tests and chances then go by whole clusters.
    id
        Column of case ids: rows of one id are the same item again, as questions repeated over runs.
        Without a cluster, the item is the cluster.
    counts
        FILE holds counts: columns tp, fn, fp, tn, one row per classifier, each with a test set of
        its own.
    utility
        TOML or CSV file: what each decision is worth in each class.
    cost
        Costs of the two errors instead, such as fp=1,fn=20.
    base_rate
        Base rates of deployment, comma-separated: everything but the groups is stated at the first,
        yields and the best classifier at the others too.
    metrics
        Names, comma-separated: metrics whose rankings are judged; default the usual eight.
    guess
        The guess that chance levels refer to: dutch-draw, uniform, proportional, mode or a
        probability.
    seed
        Of the simulation of P(best) for three or more classifiers on the same cases; default 0.
    """
    from baserate.evaluation import compare as run_compare
    from baserate.evaluation import compare_counts

    form = chosen_format(format, output, file, utility)
    check_plot(plot, picture, output, file, utility)
    options: dict[str, Any] = {
        "utility": utility, "cost": cost, "positive": positive, "guess": guess,
        "base_rate": _base_rates(base_rate), "metrics": metrics, "confidence_level": confidence,
    }  # fmt: skip
    if counts:
        refuse_with_counts(
            target=target, prediction=prediction, score=score, group=group, threshold=threshold,
            weight=weight, cluster=cluster, id=id, points=points, missing=missing, seed=seed,
            many_groups=many_groups,
        )  # fmt: skip
        found = compare_counts(file, **options)
    else:
        two = "name two columns: --prediction A --prediction B"
        require_columns(target, prediction, score, two)
        found = run_compare(
            file, target=target, prediction=prediction, score=score, threshold=threshold,
            points=points, groups=group, weight=weight, cluster=cluster, case_id=id,
            rng=0 if seed is None else seed, missing=missing, many_groups=many_groups,
            progress=reading, **options,
        )  # fmt: skip
    draw(found, plot, picture)
    deliver(found.render(form, color=in_color(output)), output)
    return 0


def _base_rates(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        rule, remedy = "must be numbers with commas between them", "write for example 0.5,0.02"
        raise InvalidArgumentError.from_rule("--base-rate", rule, text, remedy) from None

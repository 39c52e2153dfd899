"""`baserate compare`: which of several classifiers is best, given what decisions are worth."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from baserate.cli._options import (
    Confidence,
    Format,
    ManyGroups,
    Metrics,
    Missing,
    Output,
    PictureName,
    Plot,
    ReplicateScale,
    ReplicateWeights,
    Several,
    Switch,
    Target,
    by_name,
    holds_histogram,
    numbers,
    refuse_options,
    refuse_with_counts,
    require_columns,
    shown,
)
from baserate.cli._output import check_plot, chosen_format, deliver, drawn, in_color
from baserate.cli._terminal import say
from baserate.cli._watch import reading
from baserate.errors import DataError, InvalidArgumentError

Files = Annotated[
    str,
    shown(
        "CSV, TSV, Parquet, JSON lines or Arrow, compressed or not; a pattern such as "
        "'data/year=*/**/*.parquet', or a folder; - for standard input. Or several files in which "
        "`baserate count` counted scores, one per classifier, each of test cases of its own.",
        allow_leading_hyphen=True,
    ),
]


def compare(
    *file: Files,
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
    replicate_weights: Annotated[list[str] | None, ReplicateWeights] = None,
    replicate_scale: Annotated[str | None, ReplicateScale] = None,
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
    fail_on_worse: Annotated[bool, Switch] = False,
) -> int:
    """Say which of several classifiers did better, and how sure that is of new cases.

    Of more than two labels, none of which is named positive, all classes are compared.

    Parameters
    ----------
    prediction
        Columns of predicted labels, one per classifier; of decisions, where --utility names such.
    score
        Columns of scores; predicted positive if score >= threshold.
    threshold
        Where to cut the scores; default 0.5, if every score lies in [0, 1], and no points.
    points
        Metrics, comma-separated, such as "mcc,robust_mcc(d=0.1)": each score is cut where each of
        them is best in these cases. With utilities or costs, probabilities are also cut at the
        threshold that these imply.
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
        its own. Of several classes, a FILE per classifier: a square table with the truth in rows,
        or columns truth, prediction and count.
    utility
        TOML or CSV file: what each decision is worth in each class.
    cost
        Costs of the two errors instead, such as fp=1,fn=20.
    base_rate
        Base rates of deployment, comma-separated: everything but the groups is stated at the first,
        yields and the best classifier at the others too.
    metrics
        Names, comma-separated: metrics whose rankings are judged; default the usual eight. Of
        several classes, metrics whose differences are told, such as macro_f1,mcc,recall.
    guess
        The guess that chance levels refer to: dutch-draw, uniform, proportional, mode or a
        probability.
    seed
        Of the simulation of P(best) for three or more classifiers on the same cases; default 0.
    fail_on_worse
        Exit with 1 if any classifier is worse than the first one named with at least the
        probability that --confidence says. One of which that is not known fails too.
    """
    from baserate.evaluation import compare as run_compare
    from baserate.evaluation import compare_counts

    form = chosen_format(format, output, *file, utility)
    check_plot(plot, picture, output, *file, utility)
    refuse_options(file, "compare")
    several = counts and len(file) > 1
    data = by_name(file) if several else _classifiers(file, by_column=bool(target or counts))
    options: dict[str, Any] = {
        "utility": utility, "cost": cost, "positive": positive, "guess": guess,
        "base_rate": _base_rates(base_rate), "metrics": metrics, "confidence_level": confidence,
    }  # fmt: skip
    if counts:
        refuse_with_counts(
            target=target, prediction=prediction, score=score, group=group, threshold=threshold,
            weight=weight, cluster=cluster, id=id,
            replicate_weights=replicate_weights, replicate_scale=replicate_scale,
            points=points, missing=missing, seed=seed,
            many_groups=many_groups,
        )  # fmt: skip
        found = compare_counts(data, **options)
    else:
        if isinstance(data, str):
            two = "name two columns: --prediction A --prediction B"
            require_columns(target, prediction, score, two)
            _refuse_commas(prediction, score)
        found = run_compare(
            data, target=target, prediction=prediction, score=score, threshold=threshold,
            points=points, groups=group, weight=weight, cluster=cluster, case_id=id,
            replicate_weights=replicate_weights, replicate_scale=numbers(replicate_scale),

            rng=0 if seed is None else seed, missing=missing, many_groups=many_groups,
            progress=reading, **options,
        )  # fmt: skip
    code = int(fail_on_worse and not _as_good(found.facts, confidence))
    pictures = drawn(found, plot, picture)
    deliver(found.render(form, color=in_color(output)), output, pictures)
    return code


def _as_good(facts: Any, confidence: float) -> bool:
    """Say which classifiers are worse than the first one, surely or probably; return if none is."""
    from baserate import _figures as figures  # loads NumPy

    first = facts.classifiers[0].name
    pairs = [pair for pair in facts.pairs if pair.a == first]
    for pair in pairs:
        chance = f"P({first} better than {pair.b}) {figures.equals(pair.a_better)}"
        if not pair.a_better < confidence:  # nan says that nobody can know
            say(f"failed: {chance}")
        elif pair.a_better > 0.5:
            say(f"passed, but {chance}")
    return all(pair.a_better < confidence for pair in pairs)


def _classifiers(files: Sequence[str], *, by_column: bool) -> str | dict[str, str]:
    """Return the one file whose columns or rows are classifiers, or a file for each by its name."""
    if not files:
        raise InvalidArgumentError("FILE must be given: the path of a table, or files of counts.")
    if len(files) == 1 and (by_column or not holds_histogram(files[0])):
        return files[0]
    for file in files:
        if not Path(file).exists():
            raise DataError(f"{file} does not exist: pass files that baserate count wrote.")
    if other := next((file for file in files if not holds_histogram(file)), None):
        raise DataError(
            f"{other} holds no histogram of scores, and several files are compared by these only: "
            "count each with baserate count --score, or put the classifiers into one table."
        )
    return by_name(files)


def _refuse_commas(prediction: list[str] | None, score: list[str] | None) -> None:
    """Say how two columns are named, to whoever writes them as other options have it."""
    named = [*(prediction or ()), *(score or ())]
    if len(named) == 1 and "," in named[0]:
        option = "--prediction" if prediction else "--score"
        parts = " ".join(part.strip() for part in named[0].split(","))
        rule = "must name two columns, without commas, for two classifiers"
        raise InvalidArgumentError.from_rule(option, rule, named[0], f"write {option} {parts}")


def _base_rates(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        rule, remedy = "must be numbers with commas between them", "write for example 0.5,0.02"
        raise InvalidArgumentError.from_rule("--base-rate", rule, text, remedy) from None

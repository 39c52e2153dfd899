"""What metrics declare about themselves, as plain data and in words; the catalogue as a page."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from inspect import getdoc, signature
from typing import Any

from baserate._figures import number
from baserate._result import json_ready
from baserate.metrics import CATALOGUE, CLASS_CATALOGUE, FAMILIES, Metric
from baserate.report.columns import grid, text
from baserate.report.sheet import Remarks, Sheet, render_sheet
from baserate.report.text import Page

NOTE = (
    "tp, fn, fp, tn are the four counts and n their sum. Chance is the expected value under "
    "guessing, where it is the same for every guess."
)
SEVERAL = "Of several classes"
AVERAGED = (
    "Every metric of this catalogue can be averaged over several classes, each against the rest: "
    "macro_recall, weighted_precision, micro_f1, macro_robust_mcc(d=0.05). Where it is undefined "
    "in a class, so is the average; macro_precision.defined is that over the classes that have one."
)
ELSEWHERE = "In other words"
# What users ask for by name that is no metric of one table, and what answers it.
ANSWERED = {
    "selection rate, demographic (statistical) parity": "audit --metrics selection_rate",
    "equal opportunity; equalized odds": "audit --metrics recall; recall,false_positive_rate",
    "predictive parity": "audit --metrics precision",
    "adverse impact, disparate impact, four-fifths rule": "audit --require "
    '"ratio(selection_rate) >= 0.8"',
    "accuracy of a question set, pass rate": "accuracy",
    "win rate": "compare --details: the cases that one alone gets right",
    "Gini, KS": "2 ROC area - 1, and the best informedness over all cuts: evaluate --score; "
    "threshold --metrics informedness",
    "lift at the top tenth": "evaluate --score --top 10%: its precision over the base rate",
    "label shift": "--base-rate restates, if recall and specificity stay as they are",
    "spectrum (case mix)": "recall and specificity move with it; audit shows how far by group",
    "non-inferiority margin": "compare --margin",
    "AUC, AUROC, c-statistic, concordance": "ROC area: evaluate --score; of two, compare --score",
    "calibration plot, reliability diagram, calibration in the large": "evaluate --score --plot "
    "curve.svg --picture calibration; --details",
    "Hosmer-Lemeshow test": "none, since its answer turns on the bins: evaluate --score tells O:E, "
    "slope and the curve",
    "decision curve": "evaluate --score --plot curve.svg --picture decision_curve",
    "cutoff, operating point, Youden index": "threshold; threshold --metrics informedness",
    "dummy classifier, majority class, no-information rate": "the best guess beside every value; "
    "baseline, without data",
    "chance-corrected; inter-rater agreement": "skill of any metric; cohen_kappa",
    "weighted kappa, ordinal classes": "quadratic_kappa, linear_kappa: of classes in order",
    "McNemar, DeLong, champion and challenger": "compare",
    "bootstrap, permutation test": "by which law each number was found: --details",
    "multiple comparisons, Bonferroni": "audit and compare adjust exactly or by Holm's method",
    "cross-validation, held out": "--fold",
    "survey weights, reweighting; repeated runs": "--weight, --replicate-weights; --id",
    "seeds, repeated trainings, trials": "--run with --id",
    "frequency weights, a table of counts": "--frequency",
    "recode, merge categories, dichotomize": "--relabel 1=low,2=low,3=high",
    "strata and PSUs of a survey": "--strata with --cluster",
    "imbalance, rare positives": "robust_f, robust_mcc, balanced_accuracy",
    "drift, monitoring": "audit --group month --reference 2026-01..2026-06",
    "regression test, gate": "--require, compare --fail-on-worse",
    "judge, benchmark, leaderboard": "compare --correct a b --id question",
    "alarms per hit, number needed to evaluate": "1 / precision",
    "multilabel": "one label at a time, each a question of two classes",
    "f1_score, recall_score, ...": "scikit-learn's names are understood",
}


def record(metric: Metric) -> dict[str, Any]:
    """Return every declared fact that is plain data; unbounded and undefined are None.

    `undefined_also` says whether the metric is undefined beyond the sums of `undefined_if_zero`,
    `several_classes` how it is defined for several classes, if not as an average.
    """
    values = {field.name: getattr(metric, field.name) for field in fields(metric) if field.init}
    facts = {name: _plain(value) for name, value in values.items() if not callable(value)}
    facts.pop("undefined_count", None)
    also = metric.undefined_also is not None
    return {**facts, "undefined_also": also, "several_classes": several_classes().get(metric.name)}


def in_words(value: float | None) -> str:
    """Write what a metric declares of its best value or of chance; some depend on the base rate."""
    return "varies" if value is None else _brief(value)


def range_of(metric: Metric) -> str:
    """Write out the range."""
    return " to ".join(map(_brief, metric.bounds))


def families() -> dict[str, str]:
    """Return how to call each family of metrics with parameters, and the first line about it."""
    return {
        f"{name}({', '.join(signature(maker).parameters)})": (getdoc(maker) or "").split("\n")[0]
        for name, maker in FAMILIES.items()
    }


def several_classes() -> dict[str, str]:
    """Return the metrics of the whole table of several classes, and how each is defined."""
    return {metric.name: metric.definition for metric in CLASS_CATALOGUE}


def render_catalogue(
    format: str = "table",  # noqa: A002 - the word that the command line uses
    metrics: Sequence[Metric] = CATALOGUE,
) -> str:
    """Return the metrics and what each declares."""
    return (
        catalogue_as_text(metrics) if format == "table" else render_sheet(_sheet(metrics), format)
    )


def catalogue_as_text(metrics: Sequence[Metric], *, width: int | None = None) -> str:
    """Return the catalogue as text: each name with its formula, meaning, range and synonyms."""
    page = Page.of(width)
    for metric in metrics:
        page.add(metric.name)
        page.add(_entry(metric), indent=4)
        page.add()
    page.add("With parameters of your own")
    for call, line in families().items():
        page.add(f"{call}: {line}", indent=4)
    page.add(f"\n{SEVERAL}")
    for name, line in (*several_classes().items(), ("averages", AVERAGED)):
        page.add(f"{name}: {line}", indent=4)
    page.add(f"\n{ELSEWHERE}")
    for name, line in ANSWERED.items():
        page.add(f"{name}: {line}", indent=4)
    return page.text


def _entry(metric: Metric) -> str:
    better = "" if metric.direction == "neither" else f", {metric.direction} is better"
    chance = f"; {in_words(metric.chance)} by guessing" if metric.chance is not None else ""
    also = f"Also: {', '.join(metric.synonyms)}" if metric.synonyms else ""
    where = undefined_where(metric)
    undefined = f"Undefined where {where}" if where != "never" else ""
    scale = f"From {range_of(metric)}{better}{chance}"
    return "\n".join(filter(None, (metric.definition, metric.meaning, scale, undefined, also)))


def _sheet(metrics: Sequence[Metric]) -> Sheet:
    return Sheet(
        title="Metrics",
        answer=(f"The {len(metrics)} metrics of the catalogue, and what each declares.",),
        parts=(
            grid(
                "",
                metrics,
                text("metric", lambda m: (m.name, ", ".join(m.synonyms)), _lines),
                text("definition", lambda m: (m.definition, m.meaning), _lines),
                text("range", range_of, str),
                text("better", "direction"),
                text("best", write=in_words),
                text("chance", write=in_words),
                text("undefined where", undefined_where),
                labels=2,
                note=NOTE,
                sentence=True,
            ),
            Remarks("With parameters of your own", tuple(families().items())),
            Remarks(SEVERAL, (*several_classes().items(), ("averages", AVERAGED))),
            Remarks(ELSEWHERE, tuple(ANSWERED.items())),
        ),
        document=lambda: [record(metric) for metric in metrics],
    )


def _lines(parts: tuple[str, ...]) -> str:
    return "\n".join(filter(None, parts))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return json_ready(value)


def _brief(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) and value == round(value) else number(value)


def undefined_where(metric: Metric) -> str:
    """Write out the sums that make it undefined if they are zero."""
    sums = [f"{total.replace('+', ' + ')} = 0" for total in metric.undefined_if_zero]
    if metric.undefined_also is not None:
        sums.append("another denominator is 0" if sums else "its formula has no value")
    return " or ".join(sums) or "never"

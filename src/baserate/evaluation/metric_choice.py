"""Which metrics are asked for: by name, as metrics, the dozen headlines, or the whole catalogue."""

from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from typing import Any

from baserate._measures import MEASURES, RANGE
from baserate.baselines.guessing import chosen_guess
from baserate.cases.scores import ActingRisk
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.evaluation.named_numbers import canonical
from baserate.evaluation.refusals import refuse
from baserate.metrics import (
    CATALOGUE,
    CLASS_CATALOGUE,
    CLASS_HEADLINES,
    HEADLINES,
    ClassMetric,
    Metric,
    binary_metric,
    class_metric,
)
from baserate.metrics.class_catalogue import is_of_classes
from baserate.metrics.fairness import criterion

BEST = "dutch_draw"  # the guess where none is named
HEADLINE, ALL = "headline", "all"  # names that stand for several metrics
NET_BENEFIT = "net_benefit"
OF_MARKS = ("accuracy", "error_rate")  # of answers that are right or wrong
EVALUATED = ("recall", "precision", "f1")  # of every class against the rest
OF_CUTS = ("matthews_correlation", "f1", "cohen_kappa", "balanced_accuracy", "accuracy")


def chosen_metrics(
    asked: str | Metric | Iterable[str | Metric] | None = None,
    base_rate: float | None = None,
    *,
    headlines: Iterable[str] = HEADLINES,
) -> tuple[Metric, ...]:
    """Return the metrics asked for, each once, restated if a base rate is given.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import chosen_metrics
    >>> [metric.name for metric in chosen_metrics("recall, f1, tpr, sensitivity")]
    ['recall', 'f1']
    >>> len(chosen_metrics()), len(chosen_metrics("headline, lift"))
    (12, 13)
    """
    found = [*map(binary_metric, spelled_out(listed(asked, HEADLINE), headlines, CATALOGUE))]
    if not found:
        raise InvalidArgumentError.from_rule("metrics", "must name a metric", asked, "name one")
    once = {(metric.name, metric.definition): metric for metric in found}.values()
    return tuple(m if base_rate is None else m.at_base_rate(base_rate) for m in once)


def marked_metrics(asked: Any, correct: Any, *, guess: Any = BEST, **worthless: Any) -> Any:
    """Return the metrics asked for: of answers marked as `correct` or not accuracy unless told."""
    if correct is None:
        return asked
    usual = chosen_guess(guess, of_table=True) == BEST
    refuse("marked", **worthless, guess=None if usual else guess)
    several = {HEADLINE: OF_MARKS[:1], ALL: OF_MARKS}
    named = ((x, x if isinstance(x, str) else "") for x in listed(asked, HEADLINE))
    found = [one for x, name in named for one in several.get(name, (x,))]
    if names_averages(found) or not of_answers(chosen_metrics(found)):
        rule = "must be accuracy or error_rate of answers marked right or wrong (--correct)"
        given = ", ".join(str(getattr(one, "name", one)) for one in found)
        raise InvalidArgumentError.from_rule("metrics", rule, given, "name one of these")
    return found


def of_answers(metrics: Iterable[Metric]) -> bool:
    """Whether metrics ask only how many answers are right: accuracy and the error rate.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import chosen_metrics, of_answers
    >>> of_answers(chosen_metrics("accuracy, error_rate")), of_answers(chosen_metrics("recall"))
    (True, False)
    """
    return _same(metrics, ConfusionMatrix(tp=[3, 16], fn=[7, 18], fp=[11, 0], tn=[13, 0]))


def of_predictions(metrics: Iterable[Metric]) -> bool:
    """Whether metrics are of predictions alone, so that no truth is needed: selection rates.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import chosen_metrics, of_predictions
    >>> of_predictions(chosen_metrics("selection_rate")), of_predictions(chosen_metrics("accuracy"))
    (True, False)
    """
    return _same(metrics, ConfusionMatrix(tp=[3, 14], fn=[7, 20], fp=[11, 0], tn=[13, 0]))


def _same(metrics: Iterable[Metric], tables: ConfusionMatrix) -> bool:
    """Whether no metric tells two tables apart, of which the second has no negatives."""
    return all(bool(first == second) for first, second in (metric(tables) for metric in metrics))


def chosen_of_classes(asked: Any) -> tuple[tuple[ClassMetric, ...], tuple[Metric, ...]]:
    """Part metrics of the whole table from those that are asked of every class."""
    whole: dict[str, ClassMetric] = {}
    parts: dict[str, Metric] = (
        {name: binary_metric(name) for name in EVALUATED} if asked is None else {}
    )
    for name in listed(asked, HEADLINE):
        for one in spelled_out([name], CLASS_HEADLINES, CLASS_CATALOGUE):
            try:
                found = class_metric(one)
                whole.setdefault(found.name, found)
            except UnknownNameError:
                of_each = binary_metric(one)
                parts.setdefault(of_each.name, of_each)
        if name in (HEADLINE, ALL):
            parts |= {part: binary_metric(part) for part in EVALUATED}
    return tuple(whole.values()), tuple(parts.values())


def spelled_out(
    names: Iterable[Any], headlines: Iterable[Any], catalogue: Iterable[Any]
) -> Iterator[Any]:
    """Yield names and metrics: what "headline", "all" and criteria of fairness stand for too."""
    several = {HEADLINE: headlines, ALL: [metric.name for metric in catalogue]}
    for name in names:
        if isinstance(name, str):
            yield from several.get(name) or criterion(name) or (name,)
        else:
            yield name


def listed(asked: Any, default: Any = ()) -> list[str | Metric]:
    """Return names and metrics one by one, however they were given."""
    given = default if asked is None else asked
    if isinstance(given, str):
        return list(split_names(given))
    if isinstance(given, Metric | ClassMetric):
        return [given]  # pyright: ignore[reportReturnType]
    found: list[Any] = [None]
    with suppress(Exception):  # a foreign object may raise anything
        found = [*given]
    if not all(isinstance(one, str | Metric | ClassMetric) for one in found):
        rule, remedy = "must be names of metrics, or metrics", "pass for example ['recall', 'f1']"
        raise InvalidArgumentError.from_rule("metrics", rule, given, remedy)
    return found


def named_singly(asked: Any, base_rate: float | None = None) -> tuple[str, ...]:
    """Return the names of metrics that were named one by one, not as headlines or as all."""
    one_by_one = _one_by_one(asked)
    return tuple(m.name for m in chosen_metrics(one_by_one, base_rate)) if one_by_one else ()


def named_of_classes(asked: Any) -> tuple[str, ...]:
    """Return the same of several classes: metrics of the whole table, then those of each class."""
    one_by_one = _one_by_one(asked)
    return tuple(m.name for some in chosen_of_classes(one_by_one) for m in some)


def _one_by_one(asked: Any) -> list[Any]:
    return [m for m in listed(asked) if not (isinstance(m, str) and m in (HEADLINE, ALL))]


def names_averages(asked: Any) -> list[Any]:
    """Return the metrics asked for that are of several classes, which two have too: averages."""
    return [m for m in listed(asked) if is_of_classes(m)]


def refuse_averages(averages: list[Any]) -> None:
    """Refuse averages over classes of tables of which one class is positive."""
    if averages:
        rule, remedy = "must be of two classes, since positive is named", "leave positive out"
        raise InvalidArgumentError.from_rule("metrics", rule, averages[0], remedy)


def besides_measures(
    asked: Any, score: Any, known: Container[str] = MEASURES
) -> tuple[Any, tuple[str, ...]]:
    """Part metrics of a table from measures of scores, which a report on scores has in any case.

    Those that are not `known` there are left where they are, to be refused as metrics.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import besides_measures
    >>> besides_measures("auc, f1", "risk"), besides_measures("roc_auc", "risk")
    ((['f1'], ('roc_auc',)), (None, ('roc_auc',)))
    """
    if not isinstance(asked, str | list | tuple):
        return asked, ()
    every = [one for one in listed(asked) if isinstance(one, str)]
    ranged = {one: one for one in every if known is MEASURES and RANGE.fullmatch(one)}
    names = {one: canonical(one)[0] for one in every if one not in ranged}
    measures = ranged | {one: name for one, name in names.items() if name in known}
    if not measures:
        return asked, ()
    if score is None:
        rule = "must be metrics of a table where there is no score"
        remedy = "name the column of scores (score=, --score)"
        raise InvalidArgumentError.from_rule("metrics", rule, next(iter(measures)), remedy)
    others = [one for one in listed(asked) if not (isinstance(one, str) and one in measures)]
    return others or None, (*measures.values(),)


def acting_cut(threshold: Any, asked: Any, *, cuts: bool) -> Any:
    """Return where a score is cut: if nobody says, at the risk from which a net benefit acts.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import acting_cut
    >>> acting_cut(None, "recall, net_benefit(0.1)", cuts=True), acting_cut(None, "f1", cuts=True)
    (0.1, None)
    """
    if threshold is not None or not cuts:
        return threshold
    every = [one for one in listed(asked) if not (isinstance(one, str) and RANGE.fullmatch(one))]
    named = [one for one in every if isinstance(one, Metric) or str(one).startswith(NET_BENEFIT)]
    metrics = [binary_metric(one) for one in named]
    risks = [m.parameters["threshold"] for m in metrics if m.name.startswith(f"{NET_BENEFIT}(")]
    if len(set(risks)) > 1:
        rule = "must name one net benefit of a score, which is cut at its risk"
        remedy = "ask for a range, net_benefit(0.1..0.2), or name the cut (threshold=, --threshold)"
        raise InvalidArgumentError.from_rule("metrics", rule, risks, remedy)
    return ActingRisk(risks[0]) if risks else None


def names_criteria(asked: Any) -> bool:
    """Whether a criterion of fairness is among what is asked for, such as adverse impact."""
    return any(isinstance(one, str) and bool(criterion(one)) for one in listed(asked))


def split_names(text: str) -> list[str]:
    """Split "f1, robust_f(d0=0.1, d1=4)" at the commas that no bracket encloses.

    Examples
    --------
    >>> from baserate.evaluation.metric_choice import split_names
    >>> split_names("f1, robust_f(d0=0.1, d1=4)")
    ['f1', 'robust_f(d0=0.1, d1=4)']
    """
    names, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            names.append("")
        else:
            names[-1] += sign
    return [name.strip() for name in names if name.strip()]

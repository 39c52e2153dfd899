"""One call that says whether a classifier is any good, and what it returns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from baserate._checks import confidence
from baserate._figures import as_text
from baserate._files import origins
from baserate._measures import RANGE
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.evaluation.evaluation_facts import Evaluating
from baserate.evaluation.given import Given
from baserate.evaluation.keywords import ReadingKeywords, takes_reading
from baserate.evaluation.metric_choice import (
    acting_cut,
    besides_measures,
    marked_metrics,
    names_averages,
    refuse_averages,
)
from baserate.evaluation.pictures import OF_SCORES, of_classes, of_scores, of_table
from baserate.evaluation.refusals import refuse
from baserate.evaluation.result import Reported
from baserate.evaluation.scoring import Scoring
from baserate.evaluation.sources import count
from baserate.evaluation.stakes import (
    is_uneven,
    of_several,
    positive_of_table,
    stake_of,
    with_stake,
)
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.report.classes import sheet_of as sheet_of_classes
from baserate.report.evaluation import sheet_of
from baserate.report.sheet import shows_details

if TYPE_CHECKING:
    from baserate.curves.class_scores import ClassScores
    from baserate.curves.cut_points import Sweep
    from baserate.displays.display import Display
    from baserate.evaluation.comparisons import ClassComparison


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Reported):
    """What `evaluate` found, and the ways to show it."""

    facts: EvaluationFacts
    sheet_of = staticmethod(sheet_of)

    def _value(self, metric: str | Metric) -> float:
        """Return any metric at the table of all cases, restated as the report is."""
        named = metric.name if isinstance(metric, Metric) else metric
        known = next((fact for fact in self.facts.metrics if fact.name == named), None)
        if known is not None:
            return known.value
        chosen = binary_metric(metric)
        restated = chosen.at_base_rate(self.facts.base_rate) if self.facts.restated else chosen
        return restated(self.table)

    @property
    def table(self) -> ConfusionMatrix:
        """The confusion matrix of all cases."""
        if self.facts.table is None:
            names = ", ".join(str(*group.group.values()) for group in self.facts.groups)
            raise UnsupportedError(
                f"Several classifiers on the same cases ({names}) have no table in common: look at "
                "facts.groups, or evaluate one of them."
            )
        return self.facts.table

    def _beside(self, format: str, *, details: bool) -> Mapping[str, Any]:  # noqa: A002
        if not shows_details(format, details=details):
            return {}
        from baserate.evaluation.rarer import at_base_rates  # for details only

        return {"rarer": at_base_rates(self.facts, self.cases)}

    def displays(self) -> "Mapping[str, Display]":
        """Return what clinical guidance asks to be drawn of scores, of all cases together.

        ROC curve, calibration, decision curve and scores by outcome; without scores, what luck
        gives beside what was found, and the table.

        References
        ----------
        Van Calster et al. (2025), Lancet Digital Health 7:100916, doi:10.1016/j.landig.2025.100916.
        """
        facts = self.facts
        scored = of_scores(self.cases, facts.thresholds, facts.threshold)
        return scored or of_table(facts)


@dataclass(frozen=True, slots=True, repr=False)
class ClassEvaluation(Reported):
    """What `evaluate` found about several classes, and the ways to show it."""

    facts: ClassEvaluationFacts
    sheet_of = staticmethod(sheet_of_classes)

    def _value(self, metric: str | Metric | ClassMetric) -> float:
        """Return any metric of the class table, named or averaged."""
        found = class_metric(metric)
        known = self.facts.metric(found.name)
        return found(self.table) if known is None else known.value

    @property
    def table(self) -> ClassTable:
        """The class table of all cases."""
        return self.facts.table

    @property
    def sweeps(self) -> "Mapping[str, Sweep]":
        """Every cut point of the score of each class, which is positive; empty without scores."""
        scored = self._scored
        if scored is None:
            return {}
        return {as_text(x): scored.against_the_rest(k) for k, x in enumerate(scored.labels)}

    def displays(self) -> "Mapping[str, Display]":
        """Return who is called what ("confusion"), and each metric of every class by its name.

        Of more than twelve classes the metrics come first, and of more than forty those classes are
        drawn that have the least, or that are confused most. With scores, of up to twelve classes
        also the ROC curve of each class against the rest ("roc"), and with probabilities how often
        the class with the largest one is right ("calibration").
        """
        return of_classes(self.facts, self._scored)

    @property
    def _scored(self) -> "ClassScores | None":
        if self.cases is None:
            return None
        from baserate.evaluation.class_score_facts import scores_of  # of scores only

        return scores_of(self.cases)

    def _explorer(self) -> None:
        """Return nothing: a cut is of two classes."""

    def _page(self) -> "Mapping[str, Display]":
        """Return the pictures of the page: the matrix, the first metric of every class, scores."""
        drawn = self.displays()
        first = next((name for name in drawn if name != "confusion"), "confusion")
        shown = {first, "confusion", *OF_SCORES}
        return {name: one for name, one in drawn.items() if name in shown}


@takes_reading
def evaluate(
    data: Any,
    y_pred: Any = None,
    /,
    *,
    threshold: float | str | Metric | None = None,
    top: Any = None,
    utility: Any = None,
    cost: Any = None,
    guess: str | float = "dutch_draw",
    base_rate: float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    confidence_level: float = 0.95,
    interval: str | None = None,
    p_value: str = "fisher",
    **reading: Unpack[ReadingKeywords],
) -> "Evaluation | ClassEvaluation | ClassComparison":
    """Say whether a classifier is any good, given how little data there is.

    Of more than two classes, none of which is named positive, the whole class table is evaluated:
    averages over classes, every class against the rest, and which are taken for which.

    Parameters
    ----------
    data : array-like, frame, path, Reading, ConfusionMatrix, ClassTable, mapping, or HeldOut
        With `y_pred` or an array of scores, the true labels. Otherwise a frame (pandas, polars,
        pyarrow, anything narwhals knows) or a path (CSV, TSV, Parquet, JSON lines, Arrow, .xlsx)
        whose columns are named below; or what `cases` read of such; or tables that were counted
        elsewhere, or a mapping of name to such; or what `held_out` read from a cross-validation.
    y_pred : array-like, optional
        Predicted labels.
    **reading
        What says how data are read, as in `cases`.
    threshold : float, Metric or str, optional
        Default 0.5, or where costs, utilities or the net benefit asked for say to act, if every
        score lies in [0, 1]. A metric cuts where it is best on these cases, which flatters it: the
        report says by how much.
    top : int, float, str or sequence of these, optional
        With a score: the k highest (50) or the top share (0.05, "5%") whose precision and recall
        are reported; default the top tenth. Of several classes, among how many of the highest
        scores of a case the right class may be.
    utility : array, UtilityMatrix, mapping or path, optional
        Adds the mean utility per case, which the answer is then about; rows decisions, columns
        classes, the positive class first unless they are named (see `UtilityMatrix.from_file`). Of
        several classes, a row and a column for each, in order unless they are named; without
        predictions, probabilities are decided on by the highest expected utility. So are more or
        fewer decisions than classes, such as treat, test and wait; then what they earn is all.
    cost : str or mapping, optional
        The costs of the two errors instead, such as "fn=10,fp=1". Probabilities are then judged at
        the risk from which these say to act.
    guess : {"dutch_draw", "same_alarms", "uniform", "proportional", "mode"} or float
        The guess that chance and skill refer to: the best one, one with as many alarms as the
        table, a coin, the base rate, the commoner class; a float is its probability of guessing
        positive.
    base_rate : float, optional
        Restate every metric at this base rate; 0.5 gives the balanced metrics. The value of these
        cases stands beside it: ``r["f1"]`` is the restated one then, ``r["raw(f1)"]`` theirs.
    metrics : str, Metric or iterable, optional
        Names or metrics, each listed once. Default "headline", the dozen that people read, of which
        groups have the four of their table; "all" is the catalogue.
    confidence_level : float
    interval : {"bayes", "wilson", "exact"}, optional
        Of shares of unweighted cases, such as recall: Jeffreys (the default), Wilson or
        Clopper-Pearson. Metrics that are no such share have the Bayesian one in any case, and the
        report says so. Cases in clusters have the jackknife over clusters, and nothing else.
    p_value : {"fisher", "sup"}
        Probability that guessing does as well: at the table's own margins, which is one number for
        every metric, or the largest over all numbers predicted positive, metric by metric.

    Returns
    -------
    Evaluation, ClassEvaluation or ClassComparison
        The last of decisions that are no classes, whose yield stands by itself. All have
        ``.to_dict()``, ``.to_frame()``, ``.to_html(path)``; printing one gives the report.

    Raises
    ------
    BaserateError
        In one sentence: what is wrong with the data or an argument, and what to do. An argument
        that would be ignored is such an error.

    Examples
    --------
    >>> from baserate import evaluate
    >>> result = evaluate([1, 1, 0, 0, 1], [1, 0, 0, 0, 1], metrics="recall, precision")
    >>> [(m.name, round(m.value, 3)) for m in result.facts.metrics]
    [('recall', 0.667), ('precision', 1.0)]
    """
    given = Given.of("evaluate", data, {"y_pred": y_pred}, reading)
    named_test = None if isinstance(p_value, str) and p_value == "fisher" else p_value
    metrics = marked_metrics(
        metrics, given.correct, threshold=threshold, top=top, utility=utility, cost=cost,
        guess=guess, base_rate=base_rate, p_value=named_test,
    )  # fmt: skip
    cuts = given.cuts and not isinstance(given.score, list | tuple)  # not of each class one
    threshold = acting_cut(threshold, metrics, cuts=cuts)
    given = given.singly("y_pred", cut=threshold is not None)
    metrics, measures = besides_measures(metrics, given.score)
    averages = names_averages(metrics)
    stake = stake_of(utility, cost)
    if stake is not None and given.positive is None:
        given = replace(given, positive=positive_of_table(given.data, stake))
    made_from = (*given.origins, *origins(utility))
    if is_uneven(stake):
        from baserate.evaluation.comparisons import of_one  # few utilities are so

        return of_one(
            given, stake, made_from, guess=guess, confidence_level=confidence(confidence_level),
            threshold=threshold, top=top, base_rate=base_rate, interval=interval, metrics=metrics,
            p_value=named_test,
        )  # fmt: skip
    own = None if averages else metrics  # averages are asked of several classes only
    asked = Evaluating.of(own, guess, base_rate, confidence_level, p_value, interval)
    scoring = Scoring.of(
        given, threshold, top, asked, utility=utility, cost=cost, measures=measures
    )
    counted, about, scored = count(
        given, threshold=scoring.threshold, scoring=scoring, several=2 if averages else 3,
        stakes=(worth := of_several(stake)),
    )  # fmt: skip
    if isinstance(counted, ClassCounted):
        from baserate.evaluation.class_facts import ClassEvaluating

        scores = "scores" in about
        ranged = next(filter(RANGE.fullmatch, measures), None)
        refuse(
            "classes", counted.table.n_classes, metrics=ranged,
            score=None if scores else given.score,
            threshold=threshold, fold=given.fold, top=None if scores else top,
            utility=None if worth else utility, cost=cost, base_rate=base_rate,
            p_value=None if asked.p_value == "fisher" else p_value,
        )  # fmt: skip
        several = ClassEvaluating.of(metrics, guess, confidence_level, interval)
        facts = several.of_counted(counted, about, worth)
        if scored is not None:
            from baserate.evaluation.class_score_facts import with_scores  # of scores only

            facts = with_scores(facts, scored, top, measures)
        return ClassEvaluation(facts, made_from, scored)
    refuse_averages(averages)
    if measures and not given.cuts:
        rule = "must be metrics of the predictions, which make the table beside a score"
        remedy = "leave the predictions out, so that the score makes it"
        raise InvalidArgumentError.from_rule("metrics", rule, measures[0], remedy)
    asked = with_stake(asked, stake, counted, about.get("target"))
    return Evaluation(asked.of_counted(counted, about), made_from, scored)

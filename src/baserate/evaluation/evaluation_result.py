"""What `evaluate` returns, of two classes and of several."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate._figures import as_text
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.evaluation.pictures import OF_SCORES, of_classes, of_scores, of_table
from baserate.evaluation.result import EVERYONE, Reported, apart
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts, GroupFact, MetricFact
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.report.evaluation import sheet_of
from baserate.report.sheet import shows_details

if TYPE_CHECKING:
    from baserate.curves.cut_points import Sweep
    from baserate.displays.display import Display


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Reported):
    """What `evaluate` found, and the ways to show it."""

    facts: EvaluationFacts
    sheet_of = staticmethod(sheet_of)

    def value(self, metric: str | Metric) -> float:
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

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per group and metric; "all cases" is the group of all cases together.

        Group columns hold labels as text: numbers and that name do not fit
        one column.
        """
        facts = self.facts
        everyone = dict.fromkeys(facts.group_names, EVERYONE)
        whole = GroupFact(group=everyone, table=facts.classes, metrics=facts.metrics)
        for part in (whole, *facts.groups):
            named = {apart(k, MetricFact.__slots__): as_text(v) for k, v in part.group.items()}
            yield from ({**named, **metric.to_dict()} for metric in part.metrics)


@dataclass(frozen=True, slots=True, repr=False)
class ClassEvaluation(Reported):
    """What `evaluate` found about several classes, and the ways to show it."""

    facts: ClassEvaluationFacts

    @staticmethod
    def sheet_of(facts: ClassEvaluationFacts, *drawn: Any, **how: Any) -> Any:
        """Arrange the facts."""
        from baserate.report.classes import sheet_of  # few need it

        return sheet_of(facts, *drawn, **how)

    def value(self, metric: str | Metric | ClassMetric) -> float:
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
        if self.cases is None:
            return {}
        from baserate.evaluation.class_score_facts import scores_of  # of scores only

        scored = scores_of(self.cases)
        return {as_text(x): scored.against_the_rest(k) for k, x in enumerate(scored.labels)}

    def displays(self) -> "Mapping[str, Display]":
        """Return who is called what ("confusion"), and each metric of every class by its name.

        Of more than twelve classes the metrics come first, and of more than forty those classes are
        drawn that have the least, or that are confused most. With scores, of up to twelve classes
        also the ROC curve of each class against the rest ("roc"), and with probabilities how often
        the class with the largest one is right ("calibration").
        """
        if self.cases is None:
            return of_classes(self.facts)
        from baserate.evaluation.class_score_facts import scores_of  # of scores only

        return of_classes(self.facts, scores_of(self.cases))

    def _explorer(self) -> None:
        """Return nothing: a cut is of two classes."""

    def _page(self) -> "Mapping[str, Display]":
        """Return the pictures of the page: the matrix, the first metric of every class, scores."""
        drawn = self.displays()
        first = next((name for name in drawn if name != "confusion"), "confusion")
        shown = {first, "confusion", *OF_SCORES}
        return {name: one for name, one in drawn.items() if name in shown}

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per class or group and metric; the whole table is the class "all classes"."""
        facts = self.facts
        names = {name: apart(name, MetricFact.__slots__) for name in facts.group_names}
        everyone = dict.fromkeys(names.values(), EVERYONE)
        for metric in facts.metrics:
            yield {**everyone, "class": "all classes", **metric.to_dict()}
        for one in facts.classes:
            for metric in one.metrics:
                yield {**everyone, "class": as_text(one.label), **metric.to_dict()}
        for group in facts.groups:
            named = {names[k]: as_text(v) for k, v in group.group.items()}
            for metric in group.metrics:
                yield {**named, "class": "all classes", **metric.to_dict()}

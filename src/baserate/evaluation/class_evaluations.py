"""What `evaluate` returns for several classes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate._figures import as_text
from baserate.class_counts import ClassTable
from baserate.evaluation.pictures import OF_SCORES, of_classes
from baserate.evaluation.result import EVERYONE, Reported, apart
from baserate.facts.evaluation import ClassEvaluationFacts, MetricFact
from baserate.metrics import ClassMetric, Metric, class_metric
from baserate.report.classes import sheet_of

if TYPE_CHECKING:
    from baserate.curves.cut_points import Sweep
    from baserate.displays.display import Display


@dataclass(frozen=True, slots=True, repr=False)
class ClassEvaluation(Reported):
    """What `evaluate` found about several classes, and the ways to show it."""

    facts: ClassEvaluationFacts
    sheet_of = staticmethod(sheet_of)

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

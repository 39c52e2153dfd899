"""An audit: every group beside its reference, metric by metric, with luck allowed for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from baserate import displays
from baserate._checks import can_be_looked_up, confidence, number_in, one_of, yes_or_no
from baserate._files import origins
from baserate.cases.several_classes import ClassCounted
from baserate.errors import InvalidArgumentError
from baserate.evaluation.audit_facts import Auditing
from baserate.evaluation.class_audit_facts import ClassAuditing
from baserate.evaluation.given import Given
from baserate.evaluation.keywords import ReadingKeywords, takes_reading
from baserate.evaluation.label_columns import IN_AUDITS
from baserate.evaluation.metric_choice import (
    acting_cut,
    chosen_metrics,
    marked_metrics,
    names_averages,
    names_criteria,
    of_predictions,
    refuse_averages,
)
from baserate.evaluation.pooled_reference import PooledReference
from baserate.evaluation.reading import of_arrays, refuse_shared_groups
from baserate.evaluation.refusals import refuse
from baserate.evaluation.result import Reported
from baserate.evaluation.scoring import Calibrating
from baserate.evaluation.sources import count
from baserate.evaluation.stakes import is_uneven, of_several, stake_of, with_stake
from baserate.facts.audit import AuditFacts, ClassAuditFacts
from baserate.groups.null import Condition
from baserate.metrics import Metric
from baserate.report.audit import sheet_of
from baserate.report.audit_shown import SHOWN_GROUPS, shown_of, strongest
from baserate.report.class_audit import parts_of
from baserate.report.class_audit import sheet_of as sheet_of_classes
from baserate.report.class_audit_words import surest

if TYPE_CHECKING:
    from baserate.displays.display import Display
    from baserate.displays.group_forest import GroupForestDisplay


class OfGroups(Reported):
    """Findings in groups, two classes or several."""

    __slots__ = ()
    in_frames: ClassVar[Mapping[str, str]] = IN_AUDITS


@dataclass(frozen=True, slots=True, repr=False)
class Audit(OfGroups):
    """What `audit` found, and the ways to show it."""

    facts: AuditFacts
    sheet_of = staticmethod(sheet_of)

    def displays(self) -> "dict[str, GroupForestDisplay]":
        """Return a forest of the groups for every metric, those that tell most first.

        Of very many groups and metrics those that matter, as on the page.
        """
        shown = shown_of(self.facts)
        return {
            name: displays.GroupForestDisplay.from_audit(shown, name, limit=SHOWN_GROUPS)
            for name in strongest(shown)
        }


@dataclass(frozen=True, slots=True, repr=False)
class ClassAudit(OfGroups):
    """What `audit` found about several classes, and the ways to show it."""

    facts: ClassAuditFacts
    sheet_of = staticmethod(sheet_of_classes)

    def displays(self) -> "Mapping[str, Display]":
        """Return a forest of every metric: of the groups, or of each class within every group.

        Those by which a group differs come first. Of many rows those that differ are drawn, then
        those with the smallest p-values.
        """
        differing = [one.finding.name for one in surest(self.facts)]
        whole = [f.name for group in self.facts.groups[:1] for f in group.findings]
        names = dict.fromkeys((*differing, *whole, *parts_of(self.facts)))
        return {
            name: displays.GroupForestDisplay.from_audit(self.facts, name, limit=SHOWN_GROUPS)
            for name in names
        }

    def _page(self) -> "Mapping[str, Display]":
        """Return the pictures of the page: the first metric of the whole, the first of classes."""
        drawn, parts = self.displays(), parts_of(self.facts)
        firsts = (
            ("groups", next((name for name in drawn if name not in parts), None)),
            ("classes_by_group", next((name for name in drawn if name in parts), None)),
        )
        return {kind: drawn[name] for kind, name in firsts if name is not None}


# The rates that fairness is stated in, and two scores of both classes at once.
DEFAULT = (
    "predicted_positive_rate",
    "accuracy",
    "recall",
    "false_positive_rate",
    "precision",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
)
Adjust = Literal["auto", "holm", "benjamini-hochberg"]


@takes_reading
def audit(
    data: Any,
    y_pred: Any = None,
    /,
    *,
    threshold: float | None = None,
    utility: Any = None,
    cost: Any = None,
    reference: Any = "rest",
    uncertain_reference: bool = True,
    base_rate: float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    strength: float = 10,
    alpha: float = 0.05,
    gap: float = 0.1,
    condition: Condition = "auto",
    adjust: Adjust = "auto",
    confidence_level: float = 0.95,
    **reading: Unpack[ReadingKeywords],
) -> Audit | ClassAudit:
    """Say which groups differ from their reference by more than luck, and which are too small.

    Parameters
    ----------
    data, y_pred, threshold
        As in `evaluate`; `groups` must name at least one column, or `data` be a mapping of group
        to ConfusionMatrix or ClassTable. Of several columns the groups of each are audited, and
        every combination; of two also whether a combination is more than both explain: one family.
        More than two labels, none of them named `positive`, are audited class by class, and by
        averages; see Notes. With weights or clusters tests are approximate: `rao_scott_test`
        instead of `match_test`, Holm's method for many, and smoothing of as many effective cases.
    **reading
        What says how data are read, as in `cases`.
    utility : array, UtilityMatrix, mapping or path, optional
        Adds the mean utility per case, as in `evaluate`. With more or fewer decisions than classes
        what these earn is all that is audited.
    cost : str or mapping, optional
        The costs of the two errors instead, such as "fn=10,fp=1": adds the cost per case.
    reference : {"rest", "overall"}, the label of a group, or a range of them
        What each group is compared with: all other cases; all cases, of which the group is a part;
        or one group (a tuple of labels if there are several columns, or if it is called "rest"),
        which is then not tested itself; or the cases of several groups together, such as those of
        months: "2026-01..2026-06", in the order in which groups are shown. Tests deal all cases of
        the group and of the others out to both in all ways (`match_test` with law="permutation",
        Fisher's): a test errs at most as often as it says, whatever the rates and however small
        either side.
    uncertain_reference : bool
        Whether the reference is a sample too, so that its own luck counts. False takes its shares
        as known, as the MATCH test of Briscoe et al. does: right for a reference that is the whole
        population, too sure for any other.
    base_rate : float, optional
        Restate every metric at this base rate.
    metrics : str, Metric or iterable, optional
        Default: the rates that fairness is stated in, accuracy, F1 and Matthews correlation. Of
        several classes: the recall of each, and accuracy, balanced accuracy, macro F1 and Matthews
        correlation of all. Criteria stand for what they ask to be equal: "demographic_parity" for
        the selection rate, "equal_opportunity", "equalized_odds", "predictive_parity" and others.
        What is of predictions alone, as the selection rate, needs no `target`.
    strength : float
        Pseudo-cases that Cross-Prior Smoothing borrows from the reference.
    alpha : float
        Accepted chance of any false alarm, over all groups and metrics.
    gap : float
        The smallest gap that matters; of a cost, a utility or whatever else is no share, as a part
        of the way from the least that it can be to the largest. A group that differs less than luck
        allows is "consistent" if a gap of this size to the other cases would have been seen with
        probability 0.8 or more (on average over what the sample leaves open about those other
        cases), else "too small to tell"; "unresolved" where no exact way is short enough to know,
        as for most metrics of large groups with nothing held fixed.
    condition : {"auto", "none", "denominator", "classes"}
        What a test holds fixed; see `match_test`. "auto" judges precision and its kin, like F1, by
        what the reference would score with the group's class totals, so that a group with its
        recall and false positive rate does not differ for having another base rate. "none" is the
        unconditional test of the paper.
    adjust : {"auto", "holm", "benjamini-hochberg"}
        For many comparisons. "auto": exact over the metrics of a group (single-step min-P) up to
        200 cases, Holm's method above that and over groups. Two groups compared with each other
        are one comparison, seen from either side: each side is adjusted by itself.
    confidence_level : float

    Returns
    -------
    Audit or ClassAudit

    Raises
    ------
    BaserateError
        In one sentence: no groups, one group, an unknown reference, sums of weights without the
        cases, or what `evaluate` refuses.

    Notes
    -----
    Of several classes, each class against the rest is audited as two classes are: the same tests
    with the same p-values before adjustment. Metrics of the whole class table are tested by dealing
    cases of each true class anew between the group and the others (with condition="none" all cases,
    whatever their class): the number of right cases by its exact law, all others by random deals
    with a fixed seed, (1 + deals as extreme)/(1 + deals); of weighted or clustered cases by Rao and
    Scott's test of the difference from what the others would score with the group's class totals.
    All p-values of groups, classes and
    metrics are adjusted together, by Holm's method unless Benjamini and Hochberg's is asked for.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic accountability in small data,
    AISTATS. Rao and Scott (1984), Annals of Statistics 12:46, doi:10.1214/aos/1176346391, for
    weights and clusters.

    Examples
    --------
    COMPAS, violent recidivism (table 2 of the paper, the rest corrected):

    >>> from baserate import audit
    >>> from baserate import ConfusionMatrix
    >>> result = audit(
    ...     {
    ...         "Black": ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692),
    ...         "others": ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429),
    ...     },
    ...     reference="others",
    ...     metrics="recall, false_positive_rate",
    ... )
    >>> [(f.name, f.verdict) for f in result.facts.groups[0].findings]
    [('recall', 'higher'), ('false_positive_rate', 'higher')]
    """
    given = Given.of("audit", data, {"y_pred": y_pred}, reading)
    others = {"cost": cost, "utility": utility, "base_rate": base_rate}
    metrics = marked_metrics(metrics, given.correct, **others)
    if needs_no_truth(metrics, **others):
        given = given.without_truth()
    if not of_arrays(given.data):
        refuse_shared_groups(given.groups, target=given.target, prediction=given.prediction)
    cuts = given.cuts and not isinstance(given.score, list | tuple)  # not of each class one
    threshold = acting_cut(threshold, metrics, cuts=cuts)
    given = given.singly("y_pred", cut=threshold is not None)
    stake = stake_of(utility, cost)
    averages = names_averages(metrics)
    auditing = asked(
        None if averages else metrics, base_rate, reference=reference, strength=strength,
        uncertain_reference=uncertain_reference, alpha=alpha, gap=gap, condition=condition,
        adjust=adjust, confidence_level=confidence_level,
    )  # fmt: skip
    made_from = (*given.origins, *origins(utility))
    if is_uneven(stake):
        from baserate.evaluation.decisions import contest_of_one  # few utilities are so

        contest = contest_of_one(
            given, stake, threshold=threshold, base_rate=base_rate, metrics=metrics,
            uncertain_reference=None if auditing.uncertain else False,
        )  # fmt: skip
        return ClassAudit(ClassAuditing.of_decisions(auditing, contest), made_from)
    looking = Calibrating(
        threshold=threshold, alpha=auditing.alpha, looks=given.cuts, utility=utility, cost=cost
    )
    counted, about, scored = count(
        given, threshold=threshold, scoring=looking, several=2 if averages else 3,
        stakes=(worth := of_several(stake)), pooled=PooledReference(auditing.reference),
    )  # fmt: skip
    if isinstance(counted, ClassCounted):
        refuse(
            "classes", counted.table.n_classes, score=None if "scores" in about else given.score,
            threshold=threshold, utility=utility if worth is None else None, cost=cost,
            base_rate=base_rate,
            uncertain_reference=None if auditing.uncertain else False,
        )  # fmt: skip
        return ClassAudit(ClassAuditing.facts(auditing, metrics, counted, about, worth), made_from)
    refuse_averages(averages)
    auditing = with_stake(auditing, stake, counted, about.get("target"))
    return Audit(auditing.of_counted(counted, about), made_from, scored)


def needs_no_truth(metrics: Any, **others: Any) -> bool:
    """Whether all that is asked is of predictions alone, such as selection rates."""
    if metrics is None or names_averages(metrics) or any(x is not None for x in others.values()):
        return False
    return of_predictions(chosen_metrics(metrics))


def asked(
    metrics: Any,
    base_rate: float | None,
    *,
    reference: Any = "rest",
    uncertain_reference: bool = True,
    strength: float = 10,
    alpha: float = 0.05,
    gap: float = 0.1,
    condition: str = "auto",
    adjust: str = "auto",
    confidence_level: float = 0.95,
) -> Auditing:
    """Check what an audit is asked for."""
    reference = tuple(reference) if isinstance(reference, list) else reference
    if not can_be_looked_up(reference):
        rule = 'must be "rest", "overall" or the label of a group'
        raise InvalidArgumentError.from_rule("reference", rule, reference, "name one of them")
    chosen = chosen_metrics(DEFAULT if metrics is None else metrics, base_rate)
    most = max(metric.bounds[1] - metric.bounds[0] for metric in chosen)
    gap = number_in("gap", gap, "(0, inf)", "pass the smallest gap that matters")
    if gap > most:
        rule = f"must be at most the {most:g} that the metrics asked for can differ by"
        remedy = "write percentage points as a share, such as 0.1"
        raise InvalidArgumentError.from_rule("gap", rule, gap, remedy)
    return Auditing(
        metrics=chosen,
        base_rate=base_rate,
        reference=reference,
        strength=number_in("strength", strength, "(0, inf)", "pass a number of pseudo-cases"),
        alpha=number_in("alpha", alpha, "(0, 1)", "pass for example 0.05"),
        gap=gap,
        condition=one_of("condition", condition, Condition),
        adjust=one_of("adjust", adjust, Adjust),
        level=confidence(confidence_level),
        uncertain=yes_or_no("uncertain_reference", uncertain_reference),
        fairness=names_criteria(metrics),
    )

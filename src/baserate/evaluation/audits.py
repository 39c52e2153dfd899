"""An audit: every group beside its reference, metric by metric, with luck allowed for."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

from baserate._checks import can_be_looked_up, confidence, number_in, one_of, yes_or_no
from baserate._files import origins
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.unseen_cases import HeldOut
from baserate.errors import InvalidArgumentError
from baserate.evaluation.audit_facts import Auditing
from baserate.evaluation.audit_result import Audit, ClassAudit
from baserate.evaluation.audit_scores import Calibrating
from baserate.evaluation.held_out_cases import unfolded
from baserate.evaluation.metric_choice import chosen_metrics, names_averages, stake_of, with_stake
from baserate.evaluation.published_tables import CountsFile, files_in
from baserate.evaluation.reading import check_shared, refuse_of_two
from baserate.evaluation.replicate_weights import Replicates
from baserate.evaluation.score_histograms import counted_scores
from baserate.evaluation.sources import count
from baserate.groups.null import Condition
from baserate.metrics import Metric

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


def audit(
    data: Any,
    y_pred: Any = None,
    /,
    *,
    target: str | None = None,
    prediction: str | None = None,
    score: Any = None,
    threshold: float | None = None,
    groups: Any = None,
    weight: Any = None,
    cluster: Any = None,
    case_id: Any = None,
    replicate_weights: Any = None,
    replicate_scale: Any = None,
    utility: Any = None,
    positive: Any = None,
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
    missing: str = "error",
    many_groups: bool = False,
    progress: Any = None,
) -> Audit | ClassAudit:
    """Say which groups differ from their reference by more than luck, and which are too small.

    Parameters
    ----------
    data, y_pred, target, prediction, score, threshold, groups, positive, missing, progress, weight
        As in `evaluate`; `groups` must name at least one column, or `data` be a mapping of group
        to ConfusionMatrix or ClassTable. Several columns make intersections: every combination is a
        group. More than two labels, none of them named `positive`, are audited class by class, and
        by averages; see Notes.
    many_groups : bool
        Whether groups may be as many as a nearly continuous column makes: more than 30, of fewer
        than ten cases on average. Otherwise they are refused.
    cluster, case_id : str or array-like, optional
        Columns (or arrays) that say which cases belong together, such as patients or questions, and
        which rows are the same item again: without clusters, an item is one.

    replicate_weights : sequence of str, or array of shape (n, R), optional
        Beside `weight`, columns of replicate weights (or patterns such as "repwt*"), as surveys
        publish them in place of their strata and clusters (R's `svrepdesign`).
    replicate_scale : float or sequence of float
        What a squared deviation of each replicate from the full sample counts: 1/R for balanced
        repeated replication, 1/(R (1 - ρ)²) with Fay's factor ρ, (R - 1)/R for the jackknife,
        1/(R - 1) for the bootstrap; one per replicate for a stratified jackknife.

        With weights or clusters tests are approximate: `rao_scott_test` instead of `match_test`,
        Holm's method for many, and smoothing of as many effective cases.
    utility : array, UtilityMatrix, mapping or path, optional
        Adds the mean utility per case, as in `evaluate`.
    reference : {"rest", "overall"} or the label of a group
        What each group is compared with: all other cases; all cases, of which the group is a part;
        or one group (a tuple of labels if there are several columns, or if it is called "rest"),
        which is then not tested itself. Tests deal all cases of the group and of the others out to
        both in all ways (`match_test` with law="permutation", Fisher's): a test errs at most as
        often as it says, whatever the rates and however small either side.
    uncertain_reference : bool
        Whether the reference is a sample too, so that its own luck counts. False takes its shares
        as known, as the MATCH test of Briscoe et al. does: right for a reference that is the whole
        population, too sure for any other.
    base_rate : float, optional
        Restate every metric at this base rate.
    metrics : str, Metric or iterable, optional
        Default: the rates that fairness is stated in, accuracy, F1 and Matthews correlation. Of
        several classes: the recall of each, and accuracy, balanced accuracy, macro F1 and Matthews
        correlation of all.
    strength : float
        Pseudo-cases that Cross-Prior Smoothing borrows from the reference.
    alpha : float
        Accepted chance of any false alarm, over all groups and metrics.
    gap : float
        The smallest gap that matters. A group that differs less than luck allows is "consistent"
        if a gap of this size to the other cases would have been seen with probability 0.8 or more
        (on average over what the sample leaves open about those other cases), else "too small to
        tell"; "unresolved" where no exact way is short enough to know, as for most metrics of large
        groups with nothing held fixed.
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
    check_shared(missing=missing, many_groups=many_groups, positive=positive, target=target)
    if isinstance(data, HeldOut):
        own = unfolded(data, cut=threshold is not None, y_pred=y_pred, target=target, score=score)
        positive = data.positive if positive is None else positive
        data, y_pred, score = (own.get(name) for name in ("data", "y_pred", "score"))
    made_from = origins(*files_in(data), utility)
    data, score = counted_scores(
        data, score, target=target, y_pred=y_pred, prediction=prediction, groups=groups,
        weight=weight, missing=missing,
    )  # fmt: skip
    stake = stake_of(utility)
    replicates = Replicates.of(
        replicate_weights, replicate_scale, weight=weight, target=target, data=data,
        cluster=cluster, case_id=case_id,
    )  # fmt: skip
    averages = names_averages(metrics)
    auditing = asked(
        None if averages else metrics, base_rate, reference=reference, strength=strength,
        uncertain_reference=uncertain_reference, alpha=alpha, gap=gap, condition=condition,
        adjust=adjust, confidence_level=confidence_level,
    )  # fmt: skip
    counted, about, scored = count(
        data, y_pred, target=target, prediction=prediction, score=score, threshold=threshold,
        groups=groups, weight=weight, cluster=cluster, case_id=case_id, positive=positive,
        missing=missing, many_groups=many_groups, progress=progress, replicates=replicates,
        several=2 if averages else 3,
        scoring=Calibrating(
            threshold=threshold, alpha=auditing.alpha,
            looks=score is not None and prediction is None and y_pred is None,
        ),
    )  # fmt: skip
    if isinstance(counted, ClassCounted):
        from baserate.evaluation.class_audit_facts import ClassAuditing  # few need it
        from baserate.evaluation.stakes import GivenStakes

        worth = stake if isinstance(stake, GivenStakes) and not stake.of_two else None
        refuse_of_two(
            counted.table.n_classes, score=None if "scores" in about else score,
            threshold=threshold, utility=utility if worth is None else None, base_rate=base_rate,
            uncertain_reference=None if auditing.uncertain else False,
        )  # fmt: skip
        return ClassAudit(ClassAuditing.facts(auditing, metrics, counted, about, worth), made_from)
    if averages:
        rule, remedy = "must be of two classes, since positive is named", "leave positive out"
        raise InvalidArgumentError.from_rule("metrics", rule, averages[0], remedy)
    assert not isinstance(scored, ClassCases)
    auditing = with_stake(auditing, stake, counted, about.get("target"))
    return Audit(auditing.of_counted(counted, about), made_from, scored)


def audit_counts(
    path: str | PathLike[str] | Mapping[str, str | PathLike[str]], **options: Any
) -> Audit | ClassAudit:
    """Audit a file of counts: columns tp, fn, fp, tn, one row per group.

    Of several classes, columns truth, prediction and count, a row for every cell of every group,
    which other columns name; or a mapping of the name of each group to its file, a square table or
    a row for every cell. The options are those of `audit` that need no columns.
    """
    if isinstance(path, Mapping):
        return audit({name: CountsFile(one) for name, one in path.items()}, **options)
    return audit(CountsFile(path), **options)


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
    return Auditing(
        metrics=chosen_metrics(DEFAULT if metrics is None else metrics, base_rate),
        base_rate=base_rate,
        reference=reference,
        strength=number_in("strength", strength, "(0, inf)", "pass a number of pseudo-cases"),
        alpha=number_in("alpha", alpha, "(0, 1)", "pass for example 0.05"),
        gap=number_in("gap", gap, "(0, inf)", "pass the smallest gap that matters"),
        condition=one_of("condition", condition, Condition),
        adjust=one_of("adjust", adjust, Adjust),
        level=confidence(confidence_level),
        uncertain=yes_or_no("uncertain_reference", uncertain_reference),
    )

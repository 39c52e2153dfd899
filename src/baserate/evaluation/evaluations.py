"""One call that says whether a classifier is any good, and what it returns."""

from collections.abc import Iterable
from os import PathLike
from typing import Any

from baserate._files import origins
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.cases.unseen_cases import HeldOut
from baserate.errors import InvalidArgumentError
from baserate.evaluation.evaluation_facts import Evaluating
from baserate.evaluation.evaluation_result import ClassEvaluation, Evaluation
from baserate.evaluation.held_out_cases import unfolded
from baserate.evaluation.metric_choice import costs_of, names_averages, stake_of, with_stake
from baserate.evaluation.published_tables import CountsFile
from baserate.evaluation.reading import check_shared, refuse_of_two
from baserate.evaluation.replicate_weights import Replicates
from baserate.evaluation.score_histograms import counted_scores
from baserate.evaluation.scoring import Scoring
from baserate.evaluation.sources import count
from baserate.metrics import Metric


def evaluate(
    data: Any,
    y_pred: Any = None,
    /,
    *,
    target: str | None = None,
    prediction: str | None = None,
    score: Any = None,
    threshold: float | str | Metric | None = None,
    fold: Any = None,
    top: Any = None,
    groups: Any = None,
    weight: Any = None,
    cluster: Any = None,
    case_id: Any = None,
    replicate_weights: Any = None,
    replicate_scale: Any = None,
    utility: Any = None,
    cost: Any = None,
    positive: Any = None,
    guess: str | float = "dutch_draw",
    base_rate: float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    confidence_level: float = 0.95,
    interval: str | None = None,
    p_value: str = "fisher",
    missing: str = "error",
    many_groups: bool = False,
    progress: Any = None,
) -> Evaluation | ClassEvaluation:
    """Say whether a classifier is any good, given how little data there is.

    Of more than two classes, none of which is named positive, the whole class table is evaluated:
    averages over classes, every class against the rest, and which are taken for which.

    Parameters
    ----------
    data : array-like, frame, path, ConfusionMatrix, ClassTable, mapping to tables, or HeldOut
        With `y_pred` or an array of scores, the true labels. Otherwise a frame (pandas, polars,
        pyarrow, anything narwhals knows) or a path (CSV, TSV, Parquet, JSON lines, Arrow) whose
        columns are named below; or tables that were counted elsewhere; or what `held_out` read from
        a cross-validation.
    y_pred : array-like, optional
        Predicted labels.
    target, prediction : str, optional
        Columns of true and of predicted labels.
    score : str, sequence of str, mapping, array-like or frame, optional
        Scores, higher for positive: predicted positive if score >= `threshold`. Of several classes
        a column for each: columns or a pattern such as "p_*", an array of shape (n, K) whose
        columns are the labels in order, a frame called by the labels, or a mapping of label to
        column; each case is then called the class with the highest score. With a prediction too,
        the table comes from the prediction, and the report says so.
    threshold : float, Metric or str, optional
        Default 0.5, if every score lies in [0, 1]. A metric cuts where it is best on these cases,
        which flatters it: the report says by how much.
    fold : str or array-like, optional
        The fold each case was held out in: a metric then cuts where its mean skill over folds is
        best.
    top : int, float, str or sequence of these, optional
        With a score: the k highest (50) or the top share (0.05, "5%") whose precision and recall
        are reported; default the top tenth. Of several classes, among how many of the highest
        scores of a case the right class may be.
    groups : str, sequence of str, or mapping of name to array-like, optional
        Group columns; every combination that occurs is reported.
    weight : str or array-like, optional
        Non-negative weights. Intervals then use Kish's effective number of cases. A row of weight 0
        counts nowhere.
    cluster : str or array-like, optional
        What is independent of each other where cases are not: patients of images, topics of
        questions. Intervals and the test against guessing then go by clusters, which are never
        split; the report says how many independent cases say as much.
    case_id : str or array-like, optional
        Rows of one id are the same item again, as in repeated runs; without a cluster, the item is
        the cluster.
    replicate_weights, replicate_scale
        Beside `weight`, the replicate weights of a survey and what they count, as in `audit`:
        intervals and the test against guessing then come from these.
    utility : array, UtilityMatrix, mapping or path, optional
        Adds the mean utility per case, which the answer is then about; rows decisions, columns
        classes, the positive class first unless they are named (see `UtilityMatrix.from_file`). Of
        several classes, a row and a column for each, in order unless they are named.
    cost : str or mapping, optional
        The costs of the two errors instead, such as "fn=10,fp=1". Probabilities are then judged at
        the risk from which these say to act.
    positive : label, optional
        Default: True, or 1 of {0, 1} or {-1, 1}. With more than two labels, this one against the
        rest; or none, for all of them.
    guess : {"dutch_draw", "same_alarms", "uniform", "proportional", "mode"} or float
        The guess that chance and skill refer to: the best one, one with as many alarms as the
        table, a coin, the base rate, the commoner class; a float is its probability of guessing
        positive.
    base_rate : float, optional
        Restate every metric at this base rate; 0.5 gives the balanced metrics.
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
    missing : {"error", "drop"}
        What to do with rows whose label, score, weight or group is missing: null, nan, and in text
        files an empty field (a label, score or weight also as NA, N/A, NaN, null, None or <NA>).
    many_groups : bool
        Whether groups may be as many as a nearly continuous column makes: more than 30, of fewer
        than ten cases on average. Otherwise they are refused.
    progress : callable, optional
        For files: called with the share of the work done.

    Returns
    -------
    Evaluation or ClassEvaluation
        With ``.to_dict()``, ``.to_frame()``, ``.to_html(path)``; printing it gives the report.

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
    check_shared(missing=missing, many_groups=many_groups, positive=positive, target=target)
    models = None
    if isinstance(data, HeldOut):
        own = unfolded(data, cut=threshold is not None, y_pred=y_pred, target=target, score=score)
        positive = data.positive if positive is None else positive
        models = data.fold
        data, y_pred, score = (own.get(name) for name in ("data", "y_pred", "score"))
    made_from = origins(data, utility)
    data, score = counted_scores(
        data, score, target=target, y_pred=y_pred, prediction=prediction, fold=fold, groups=groups,
        weight=weight, missing=missing,
    )  # fmt: skip
    averages = names_averages(metrics)
    of_two = {"score": score, "threshold": threshold, "fold": fold, "top": top,
              "utility": utility, "cost": cost, "base_rate": base_rate}  # fmt: skip
    stake = stake_of(utility) if cost is None else costs_of(utility, cost)
    if stake is not None and positive is None:
        from baserate.evaluation.stakes import positive_of_table

        positive = positive_of_table(data, stake)
    own = None if averages else metrics  # averages are asked of several classes only
    asked = Evaluating.of(own, guess, base_rate, confidence_level, p_value, interval)
    of_two["p_value"] = None if asked.p_value == "fisher" else p_value
    cuts = score is not None and prediction is None and y_pred is None
    scoring = Scoring.of(
        threshold,
        fold,
        top,
        asked,
        cuts=cuts,
        weighted=weight is not None,
        utility=utility,
        cost=cost,
        clustered=cluster is not None or case_id is not None,
        models=models,
    )
    replicates = Replicates.of(
        replicate_weights, replicate_scale, weight=weight, target=target, data=data,
        cluster=cluster, case_id=case_id,
    )  # fmt: skip
    counted, about, scored = count(
        data, y_pred, target=target, prediction=prediction, score=score,
        replicates=replicates, threshold=scoring.threshold,
        groups=groups, weight=weight, cluster=cluster,
        case_id=case_id, positive=positive, missing=missing, many_groups=many_groups,
        progress=progress, scoring=scoring, several=2 if averages else 3,
    )  # fmt: skip
    if isinstance(counted, ClassCounted):
        from baserate.evaluation.class_facts import ClassEvaluating
        from baserate.evaluation.stakes import GivenStakes

        worth = stake if isinstance(stake, GivenStakes) and not stake.of_two else None
        of_two["utility"] = None if worth is not None else utility
        if "scores" in about:
            of_two |= {"score": None, "top": None}
        refuse_of_two(counted.table.n_classes, **of_two)
        several = ClassEvaluating.of(metrics, guess, confidence_level, interval)
        facts = several.of_counted(counted, about, worth)
        assert not isinstance(scored, BinaryCases)
        if scored is not None:
            from baserate.evaluation.class_score_facts import ClassJudging, with_scores

            judging = ClassJudging(level=several.level, top=top)
            facts = with_scores(facts, judging.of_cases(scored))
        return ClassEvaluation(facts, made_from, scored)
    if averages:
        rule, remedy = "must be of two classes, since positive is named", "leave positive out"
        raise InvalidArgumentError.from_rule("metrics", rule, averages[0], remedy)
    assert not isinstance(scored, ClassCases)
    about["default_threshold"] = threshold is None and about.get("threshold") is not None
    asked = with_stake(asked, stake, counted, about.get("target"))
    return Evaluation(asked.of_counted(counted, about), made_from, scored)


def evaluate_counts(path: str | PathLike[str], **options: Any) -> Evaluation | ClassEvaluation:
    """Evaluate a file of counts: columns tp, fn, fp, tn, one row per group or classifier.

    Other columns name the rows; all rows together make the table at the top. The options are those
    of `evaluate` that need no columns.
    """
    return evaluate(CountsFile(path), **options)

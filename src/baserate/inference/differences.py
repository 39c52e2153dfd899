"""How far two classifiers differ by one metric: each on cases of its own, or both on the same."""

from dataclasses import replace
from math import isnan
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, float_array, one_of
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import Cases
from baserate.cases.clusters import Replicated
from baserate.cases.columns import check_order
from baserate.cases.counted import Counted
from baserate.cases.labels import Labels
from baserate.cases.several_classes import ClassCounted
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import InvalidArgumentError, InvalidCountError
from baserate.inference.class_comparison import compare_class_yields, compare_classes
from baserate.inference.found_difference import (
    AskedPair,
    Difference,
    classes_apart,
    lacking,
    over_folds,
    scores_apart,
    separate_scores,
    two_classes_apart,
)
from baserate.inference.linearity import table_of_share
from baserate.inference.separate_samples import compare_sampled, compare_separate
from baserate.inference.several_classes import SEED
from baserate.metrics import binary_metric, class_metric, class_utility
from baserate.metrics.class_catalogue import is_of_classes

Method = Literal["exact", "conservative", "delong"]

SIDES = "a", "b"
FIRST = 1e-9  # of a count: what rounding may leave below 0


def difference(
    metric: Any,
    a: Any = None,
    b: Any = None,
    *,
    y_true: Any = None,
    paired: Any = None,
    folds: tuple[int, int] | None = None,
    method: Method | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    strata: Any = None,
    cluster: Any = None,
    replicate_weights: Any = None,
    replicate_scale: Any = None,
) -> Difference:
    r"""Return metric(A) - metric(B), with its interval, its p-value and P(A is better).

    ================  ==========================  ==================================================
    what is compared  `a`, `b`                    beside them
    ================  ==========================  ==================================================
    separate samples  tables, or (18, 2) of 20    nothing
    separate scores   (truth, score) of each      nothing; (truth, score, weight) with weights
    the same cases    labels, or scores           `y_true`; `cluster`, `sample_weight`, replicates
    the same, read    names of two columns        `y_true`, what `baserate.cases` read
    the same, counts  tables of two classes       `paired`: four cells that tell both apart
    the same, counts  nothing                     `paired`: all joint cells, by cluster where needed
    learning methods  a score of each fold        `folds`: cases to train on, and to test on
    ================  ==========================  ==================================================

    Interval and p-value are of one law: at any confidence level the interval holds 0 where p
    exceeds one less the level, and only there (but for weighted cases, below). The law is

    - of **independent cases**, the posterior of `interval`, whose prior is half a case in each cell
      (or on either side of the share that alone decides the metric): P(A higher) = ∫ F_B dF_A of
      separate tables; on the same cases Dirichlet(joint cells + prior), where what only one of the
      two gets right has half a case on either side. p is twice the smaller of P(A higher) and
      P(A lower). `route` is "exact" (one integral), "gauss" (of tabulated laws), or
      "quasi-monte-carlo" and "simulation" (always of one seed), with their `error`;
    - of **clusters** and **replicate weights**, Student's ("asymptotic"): the difference moves by
      d_c without cluster c, its variance is Σ d_c², or that of cases as alike as so few clusters
      cannot rule out, with Satterthwaite's degrees of freedom 3 (Σ d²)²/Σ d⁴, at most one less than
      the clusters. Of 53 designs with 8 to 400 clusters its 95% intervals of a difference of
      accuracies held it in 93% of samples or more (``benchmarks/bench_clusters_corners.py``); of 7
      later ones, in which one classifier alone fails in whole clusters, so few that a sample may
      have none of them, in 81 to 96%;
    - of **weights**, Student's with the linearised variance n/(n - 1) (Σ w² z² - (Σ w z)²/n), z how
      much a case moves the difference; p is of a weighted McNemar test, D/√(Σ w² d²), d what
      swapping a case's two decisions changes. Both are "approximate, weighted". The intervals of
      separate samples with weights or clusters are joined, as those of scores below, and p is one
      less the level at which an end is 0 ("joined intervals");
    - of **scores**, that of `baserate.compare_auc` for "roc_auc" ("delong" has its z), and for
      "brier_score" and "log_loss" Gaffke's limits of the mean of each case's difference, with the
      largest that these pairs could have made ("conservative"); on separate cases those of both
      joined, √(a² + b²) down where A's reaches a down and B's b up;
    - of **folds**, Student's with the variance (1/k + n_test/n_train) s², since folds share
      training cases ("corrected t").

    With ``method="exact"`` p is that of swapping A and B, case by case or in whole clusters, which
    gives no interval: P(``|S|`` >= the one found) over all swaps, exact where both are
    exchangeable. S is the difference of two scores' measures, or linear in the decisions, with the
    derivatives of the metric at the mean of both tables. Of two classes and independent cases it is
    the mid-p: McNemar's of accuracy, and of recall and specificity within their class. This is the
    p that `baserate.compare` shows beside the posterior's interval.

    Parameters
    ----------
    metric : Metric, ClassMetric, UtilityMatrix or str
        Any of two or of several classes ("f1", "macro_f1", one of your own), or "roc_auc",
        "brier_score", "log_loss". A UtilityMatrix stands for the mean utility per case.
    a, b : ConfusionMatrix, ClassTable or Counted; or array-like of shape (n,), or str
        See above. With a UtilityMatrix of more decisions than classes, counts of its shape.
    y_true : array-like of shape (n,), or what `baserate.cases` read
        The truth of cases that `a` and `b` both decided.
    paired : array-like, optional
        Four counts, beside two tables: positives that only A gets right, positives that only B
        does, negatives that only A does, negatives that only B does. Or all cells alone: shape
        (K, K, K), element [i, j, c] the cases of class c in which A decided i and B decided j, of
        two classes 0 the positive; (k, K, K, K) of k clusters. `baserate.inference.paired_counts`
        makes those of two classes.
    folds : (int, int), optional
        Cases that each fold is trained and tested on; repeated cross-validation has more folds.
    method : {None, "exact", "conservative", "delong"}
        The last two for scores.
    confidence_level : float in (0, 1)
    pos_label : label, optional
        As in `baserate.confusion_matrix`.
    sample_weight, strata, cluster : array-like of shape (n,), optional
        Strata are what the clusters of a survey were drawn in.
    replicate_weights : array-like of shape (n, R), optional
    replicate_scale : float or array-like of shape (R,)
        Beside `sample_weight`, as in `baserate.evaluate`.

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        Arguments that do not fit or belong together; no such metric or method.
    UnsupportedError
        Swaps of weighted cases, or more than 1e16 cases.

    References
    ----------
    Goutte and Gaussier (2005), ECIR, doi:10.1007/978-3-540-31865-1_25, for P(A better). Benavoli,
    Corani, Demšar and Zaffalon (2017), JMLR 18(77), for the same cases. McNemar (1947),
    Psychometrika 12:153, doi:10.1007/BF02295996. Obuchowski (1998), Statistics in Medicine 17:1495,
    and Bell and McCaffrey (2002), Survey Methodology 28:169, for clusters. Binder (1983),
    International Statistical Review 51:279, doi:10.2307/1402588, and Welch (1947), Biometrika
    34:28, doi:10.1093/biomet/34.1-2.28, for weights. Zou and Donner (2008), Statistics in Medicine
    27:1693, doi:10.1002/sim.3095, for limits that are joined. Nadeau and Bengio (2003), Machine
    Learning 52:239, doi:10.1023/A:1024068626366, for folds.

    Examples
    --------
    Two tests of 1,465 men for coronary disease, a history of chest pain and one under exercise
    (Weiner and others 1979, doi:10.1056/NEJM197908023010502): 183 of the diseased are found by the
    first alone, 29 by the second alone.

    >>> import baserate as br
    >>> a = br.ConfusionMatrix(tp=969, fn=54, fp=245, tn=197)
    >>> b = br.ConfusionMatrix(tp=815, fn=208, fp=115, tn=327)
    >>> found = br.difference("recall", a, b, paired=[183, 29, 46, 176])
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.route
    (0.151, 0.124, 0.177, 'exact')

    Separate samples, from tables:

    >>> a = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
    >>> b = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
    >>> found = br.difference("f1", a, b)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), round(found.p_better, 4)
    (-0.188, -0.333, -0.041, 0.006)

    Two models on the same questions, which come in six topics:

    >>> y = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    >>> a = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> b = [0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0]
    >>> topic = list("aabbccddeeff")
    >>> found = br.difference("accuracy", a, b, y_true=y, cluster=topic)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.n_clusters
    (0.5, 0.062, 0.938, 6)

    Five topics differ, all in favour of A: 2 of 2^5 ways to swap them part both as far.

    >>> br.difference("accuracy", a, b, y_true=y, cluster=topic, method="exact").p_value * 2**5
    2.0

    Two scores, and two learning methods over the folds of one cross-validation:

    >>> y, a, b = [1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1], [0.6, 0.7, 0.6, 0.5, 0.4, 0.3]
    >>> found = br.difference("brier_score", a, b, y_true=y)
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3), found.route
    (-0.105, -0.265, 0.151, 'conservative')
    >>> a, b = [0.8, 0.7, 0.9, 0.8], [0.7, 0.7, 0.8, 0.6]
    >>> found = br.difference("accuracy", a, b, folds=(75, 25))
    >>> round(found.value, 3), round(found.p_value, 4)
    (0.1, 0.2071)
    """
    level = confidence(confidence_level)
    asked = AskedPair(metric, level, None if method is None else one_of("method", method, Method))
    beside = {"sample_weight": sample_weight, "cluster": cluster, "pos_label": pos_label}
    beside["strata"] = strata
    beside |= {"replicate_weights": replicate_weights, "replicate_scale": replicate_scale}
    sources = {"folds": folds, "paired": paired, "y_true": y_true}
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        rule, remedy = f"has no meaning beside {given[0]}", "pass one of them"
        raise InvalidArgumentError.from_rule(given[1], rule, "both", remedy)
    if y_true is not None:
        return _of_columns(asked, a, b, y_true, **beside)
    for name, value in beside.items():
        if value is not None:
            rule, remedy = "is for cases that a and b both decided", "pass y_true as well"
            raise InvalidArgumentError.from_rule(name, rule, type(value).__name__, remedy)
    if paired is not None:
        return _of_cells(asked, _joint_cells(a, b, paired))
    if folds is not None:
        return over_folds(asked, a, b, folds)
    return _separate(asked, a, b)


def _separate(asked: AskedPair, a: Any, b: Any) -> Difference:
    """Compare two tables, or two scores that bring their own truth."""
    if asked.scored:
        return separate_scores(asked, a, b)
    if asked.method is not None:
        raise asked.refused("is for two scores, or for classifiers on the same cases")
    counted = [one for one in (a, b) if isinstance(one, Counted | ClassCounted)]
    sampled = any(one.squared is not None or one.design is not None for one in counted)
    if hasattr(asked.metric, "matrix") and not sampled:
        tables = [getattr(one, "table", one) for one in (a, b)]
        found = compare_class_yields(asked.metric, *tables, confidence_level=asked.level)
        return asked.posterior(found, "no cases" if isnan(found.difference) else None)
    sides = zip(SIDES, (a, b), strict=True)
    tables: list[Any] = [_table(name, table_of_share(name, asked.metric, x)) for name, x in sides]
    if isinstance(tables[0], ConfusionMatrix) != isinstance(tables[1], ConfusionMatrix):
        rule, remedy = "must be a table of the same kind as a", "pass two of the same classes"
        raise InvalidArgumentError.from_rule("b", rule, type(b).__name__, remedy)
    of_two = isinstance(tables[0], ConfusionMatrix)
    metric: Any = asked.metric
    if hasattr(metric, "matrix"):
        metric = metric.as_metric() if of_two else class_utility(metric.matrix)
    metric = (binary_metric if of_two else class_metric)(metric)
    if sampled:
        return asked.posterior(*compare_sampled(metric, a, b, asked.level))
    if of_two:
        found = compare_separate(metric, *tables, confidence_level=asked.level, rng=SEED)
    else:
        [found] = compare_classes(metric, *tables, confidence_level=asked.level).values()
    return asked.posterior(found, lacking(metric, *tables))


def _table(name: str, side: Any) -> ConfusionMatrix | ClassTable:
    if isinstance(side, Counted | ClassCounted):
        side = side.table
    if not isinstance(side, ConfusionMatrix | ClassTable):
        rule = "must be a table, or what was said of the cases of y_true"
        raise InvalidArgumentError.from_rule(name, rule, type(side).__name__, "pass y_true as well")
    return side


def _of_columns(
    asked: AskedPair, a: Any, b: Any, y_true: Any, *, pos_label: Any, sample_weight: Any,
    strata: Any, cluster: Any, replicate_weights: Any, replicate_scale: Any,
) -> Difference:  # fmt: skip
    """Compare what two columns say of the same cases."""
    scored, replicated, amounts = asked.scored, dict[str, Array](), None
    if hasattr(y_true, "of_same_cases"):  # what `baserate.cases` read
        y_true, positive, amounts = y_true.of_same_cases()
        pos_label = positive if pos_label is None else pos_label
    if isinstance(y_true, Cases):
        beside = (sample_weight, strata, cluster, replicate_weights, replicate_scale)
        if any(given is not None for given in beside):
            rule, remedy = "were read with their weights and clusters", "leave these out here"
            raise InvalidArgumentError.from_rule("y_true", rule, "others beside it", remedy)
        held = y_true.scores if scored else y_true.predictions
        for name, known in zip(SIDES, (a, b), strict=True):
            if known not in held:
                rule, remedy = "must name a column that was read", f"use one of {', '.join(held)}"
                raise InvalidArgumentError.from_rule(name, rule, known, remedy)
        return _apart(asked, y_true, (str(a), str(b)), pos_label, replicated=amounts)
    if replicate_weights is not None:
        check_order({"y_true": y_true, "replicate_weights": replicate_weights}.items())
        replicated = _replicates(replicate_weights, sample_weight, strata, cluster)
    said, keys = {"a": a, "b": b}, {"strata": strata, "cluster": cluster}
    cases = read_arrays(
        y_true,
        None if scored else said,
        scores={**(said if scored else {}), **replicated},
        keys={role: x for role, x in keys.items() if x is not None},
        sample_weight=sample_weight,
        replicates=replicated,
    )
    if replicated:
        rows = np.array([cases.scores[name] for name in replicated], dtype=float)
        amounts = Replicated.of(rows, _scales(replicate_scale, len(rows)))
    return _apart(asked, cases, SIDES, pos_label, replicated=amounts)


def _apart(
    asked: AskedPair,
    cases: Cases,
    names: tuple[str, str],
    pos_label: Any,
    *,
    labels: Any = None,
    replicated: Replicated | None = None,
) -> Difference:
    """Compare two columns of cases, as two classes where four counts are what the metric is of."""
    metric, positive = asked.metric, pos_label
    beside = {} if replicated is None else {"replicated": replicated}
    if hasattr(metric, "matrix"):
        decided = None if metric.decisions == metric.classes else metric.decisions
        if metric.matrix.shape != (2, 2) or decided is not None:
            read = cases.classes(metric.classes or labels, decisions=decided)
            return classes_apart(asked, replace(read, **beside), names)
        if positive is None and metric.classes is not None:
            positive = metric.classes[metric.positive]
        metric = metric.as_metric()
    unnamed = positive is None and not asked.scored
    if is_of_classes(asked.metric) or (unnamed and len(cases.occurring) > 2):
        return classes_apart(asked, replace(cases.classes(labels), **beside), names)
    two = replace(cases.binary(positive, argument="pos_label"), **beside)
    if asked.scored:
        return scores_apart(asked, two, names)
    return two_classes_apart(asked, binary_metric(metric), two, names)


def _replicates(weights: Any, sample_weight: Any, *alike: Any) -> dict[str, Array]:
    if sample_weight is None or any(given is not None for given in alike):
        rule = "must come with sample_weight, and without cluster or strata"
        remedy = "pass the weights of the sample itself; replicates stand for its clusters"
        raise InvalidArgumentError.from_rule("replicate_weights", rule, "otherwise", remedy)
    matrix = float_array("replicate_weights", weights)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or (matrix < 0).any():
        rule, remedy = "must be non-negative, of shape (n, R)", "pass a column for each of several"
        raise InvalidArgumentError.from_rule("replicate_weights", rule, matrix.shape, remedy)
    return {f"replicate {k}": column for k, column in enumerate(matrix.T, 1)}


def _scales(given: Any, n_replicates: int) -> Array:
    scale = float_array("replicate_scale", np.nan if given is None else given)
    if scale.shape not in {(), (n_replicates,)} or not (np.isfinite(scale) & (scale > 0)).all():
        rule = f"must be a positive number, or one for each of {n_replicates} replicates"
        remedy = "pass what each squared deviation counts, 1/R of R balanced repeated replicates"
        raise InvalidArgumentError.from_rule("replicate_scale", rule, given, remedy)
    return scale


def _joint_cells(a: Any, b: Any, paired: Any) -> Array:
    """Return the joint cells of each cluster, of shape (k, K, K, K), or of all cases, one less."""
    cells = float_array("paired", paired, InvalidCountError)
    if not (np.isfinite(cells) & (cells >= 0)).all():
        rule, remedy = "must hold counts of at least 0", "pass how often each pair occurred"
        raise InvalidCountError.from_rule("paired", rule, cells.min(), remedy)
    if cells.shape == (4,):
        return _from_margins(single_table("a", a), single_table("b", b), cells)
    if a is not None or b is not None:
        name, rule = "b" if a is None else "a", "is in the joint cells already"
        remedy = "leave it out, or pass four counts"
        raise InvalidArgumentError.from_rule(name, rule, "given", remedy)
    if cells.ndim not in {3, 4} or len(set(cells.shape[-3:])) > 1 or cells.shape[-1] < 2:
        rule = "must be four counts, or have shape (K, K, K), or (k, K, K, K) of k clusters"
        remedy = "use paired_counts(y_true, a, b)"
        raise InvalidCountError.from_rule("paired", rule, cells.shape, remedy)
    return cells


def _from_margins(a: ConfusionMatrix, b: ConfusionMatrix, alone: Array) -> Array:
    """Return the eight cells, given both tables and how often only one of them is right."""
    p_a, p_b, n_a, n_b = alone.tolist()
    (tp, fn, fp, tn), other = ([float(cell) for cell in table] for table in (a, b))
    expected = [tp - p_a + p_b, fn + p_a - p_b, fp + n_a - n_b, tn - n_a + n_b]
    both = [tp - p_a, fn - p_b, fp - n_b, tn - n_a]
    if not np.allclose(expected, other, rtol=1e-12, atol=FIRST) or min(both) < -FIRST:
        rule = "must be how often only A, only B was right: positives first, then negatives"
        remedy = "a and b must then differ by what only one of them gets right"
        raise InvalidCountError.from_rule("paired", rule, alone.tolist(), remedy)
    positive, negative = [[both[0], p_a], [p_b, both[1]]], [[both[2], n_b], [n_a, both[3]]]
    return np.stack((positive, negative), axis=-1)


def _of_cells(asked: AskedPair, cells: Array) -> Difference:
    """Compare two classifiers by their joint cells: rows that stand for many cases."""
    if asked.scored:
        rule, remedy = "must be a metric of decisions", "pass scores and y_true"
        raise InvalidArgumentError.from_rule("metric", rule, asked.metric, remedy)
    *cluster, a, b, truth = np.nonzero(cells)
    size, count = cells.shape[-1], cells[cells > 0]
    whole: Any = count.astype(np.int64) if (count == np.rint(count)).all() else count
    # Of two classes the first is positive, as 1 of 0 and 1.
    labels = [1, 0] if size == 2 else list(range(size))
    said = {name: Labels(column, labels) for name, column in zip(SIDES, (a, b), strict=True)}
    keys = {"cluster": Labels.of(cluster[0].tolist())} if cluster else {}
    cases = Cases(truth=Labels(truth, labels), predictions=said, count=whole, keys=keys)
    return _apart(asked, cases, SIDES, 1 if size == 2 else None, labels=sorted(labels))

"""Tables: cases in any order, split and merged, weighted or repeated, reweighted and back."""

import numpy as np
import pandas as pd

import baserate as br
from laws.cases import BINARY, CLASSES, agree, compared, evaluated, numbers
from laws.subjects import (
    CLASS_METRICS,
    METRICS,
    QUICK,
    batch,
    swapped_metric,
    tables_of,
    transposed_metric,
)
from laws.sweep import law

ALL = tables_of(9)
WHOLE = np.random.default_rng(41).integers(1, 4, 200)
PARTS = [[0, 1], [0, 20, 60], [0, 1, 2, 3, 59, 60], [*range(61)]]


def same(one, other, rtol=1e-12):
    np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-13)


@law(METRICS)
def test_partners_of_every_metric_on_every_table(metric):
    """Derived and a user's own too; of those without a partner, the formula turned by hand."""
    same(swapped_metric(metric)(ALL.swap_classes()), metric(ALL))
    same(transposed_metric(metric)(ALL.transpose()), metric(ALL))
    assert ALL.swap_classes().swap_classes() == ALL
    assert ALL.transpose().transpose() == ALL
    assert ALL.swap_classes().transpose() == ALL.transpose().swap_classes()


@law(METRICS)
def test_a_table_has_its_value_alone_in_a_batch_and_in_any_shape(metric):
    some = ALL[5::97]
    found = metric(some)
    alone = [metric(some[i]) for i in range(some.shape[0])]
    np.testing.assert_array_equal(found, alone)
    cube = batch([np.reshape(cell[:700], (10, 7, 10), order="F") for cell in ALL])
    expected = np.reshape(metric(ALL)[:700], (10, 7, 10), order="F")
    np.testing.assert_array_equal(metric(cube), expected)


@law(METRICS)
def test_rates_and_a_size_are_the_table(metric):
    t = ALL[(ALL.n_positive > 0) & (ALL.n_negative > 0)]
    recall, specificity = br.metrics.recall(t), br.metrics.specificity(t)
    found = metric.at_rates(recall=recall, specificity=specificity, base_rate=t.base_rate, n=t.n)
    where = ~np.isnan(metric(t)) & ~np.isnan(found)  # rates may round what decides a nan
    assert where.sum() > len(where) / 4
    np.testing.assert_allclose(found[where], metric(t)[where], rtol=1e-6, atol=1e-6)


@law([m for m in METRICS if "base_rate" not in m.parameters and m.scale_invariant])
def test_restated_at_its_own_base_rate_a_metric_is_itself(metric):
    t = batch(np.array([[6, 4, 18, 72], [3, 3, 1, 3], [9, 1, 2, 8]]).T)
    for i in range(t.shape[0]):
        pi = t[i].base_rate
        same(metric.at_base_rate(pi)(t[i]), metric(t[i]))
        same(metric(t[i].at_base_rate(pi)), metric(t[i]))
        there_and_back = t[i].at_base_rate(0.2).at_base_rate(pi)
        same(metric(there_and_back), metric(t[i]), rtol=1e-10)
        same(metric.at_base_rate(0.2)(t[i]), metric(t[i].at_base_rate(0.2)), rtol=1e-10)


@law([m for m in METRICS if m.scale_invariant], [3, 0.1, 1e200, 1e-200])
def test_a_unit_of_weight_changes_nothing(metric, unit):
    some = ALL[::7]
    scaled = batch([unit * np.asarray(cell) for cell in some])
    same(metric(scaled), metric(some), rtol=1e-10)


@law([BINARY, CLASSES], PARTS)
def test_parts_add_up(cases, cuts):
    """Tables of parts of the cases, however cut, add up to the table of all."""

    def table(k):
        truth, called = cases.truth[k], cases.called[k]
        if cases is BINARY:
            return br.confusion_matrix(truth, called, pos_label="yes")
        return br.class_table(truth, called, labels=["cat", "dog", "owl"])

    n = len(cases.truth)
    ends = [end for end in cuts if end < n]
    tables = [table(slice(*pair)) for pair in zip(ends, [*ends[1:], n], strict=True)]
    whole = table(slice(None))
    assert sum(tables[1:], tables[0]) == whole
    assert sum(reversed(tables[:-1]), tables[-1]) == whole


@law([BINARY, CLASSES])
def test_groups_add_up_to_all_cases(cases):
    """The table of all is the sum over groups, which are what an evaluation of each alone finds."""
    metrics = ["accuracy", "balanced_accuracy"]
    whole = evaluated(cases, metrics).facts
    tables = [group.table for group in whole.groups]
    assert sum(tables[1:], tables[0]) == whole.table
    for group in whole.groups:
        (name,) = group.group.values()
        alone = cases.each(lambda column, name=name: column[cases.group == name])
        found = evaluated(alone, metrics, groups=None).facts
        for one, other in zip(group.metrics, found.metrics, strict=True):
            for field in ("value", "low", "high", "chance", "skill", "p_value"):
                pair = [getattr(row, field) for row in (one, other)]
                same(*(np.nan if value is None else value for value in pair))


@law([(BINARY, evaluated), (BINARY, compared), (CLASSES, evaluated)], few=1)
def test_values_of_whole_weights_are_those_of_repeated_cases(pair):
    cases, door = pair
    metrics = QUICK[::9] if cases is BINARY else CLASS_METRICS[:12:3]
    weights = WHOLE[: len(cases.truth)]
    how = {"groups": None} if door is evaluated else {}
    weighted = door(cases, metrics, weight=weights * 1.0, **how)
    repeated = door(cases.each(lambda column: np.repeat(column, weights)), metrics, **how)
    one, other = (
        {where: v for where, v in numbers(r).items() if where.endswith("].value")}
        for r in (weighted, repeated)
    )
    assert len(one) >= len(metrics)
    agree(one, other)


@law([evaluated, compared])
def test_the_unit_of_weights_changes_only_sums(door):
    metrics = [m for m in QUICK if m.scale_invariant][::16]
    weights = np.random.default_rng(2).choice([0.5, 1.0, 3.0], len(BINARY.truth))
    one, other = (numbers(door(BINARY, metrics, weight=weights * unit)) for unit in (1, 0.125))
    sums = (".tp", ".fn", ".fp", ".tn", ".n")
    one, other = ({k: v for k, v in r.items() if not k.endswith(sums)} for r in (one, other))
    agree(one, other, rtol=1e-6)


@law([BINARY, CLASSES])
def test_labels_and_their_table_are_evaluated_alike(cases):
    metrics = QUICK[1::9] if cases is BINARY else CLASS_METRICS[:9:2]
    if cases is BINARY:
        table = br.confusion_matrix(cases.truth, cases.called, pos_label="yes")
    else:
        table = br.class_table(cases.truth, cases.called)
    of_table = br.evaluate(table, metrics=metrics).facts
    of_cases = evaluated(cases, metrics, groups=None).facts
    assert of_table.table == of_cases.table
    for one, other in zip(of_table.metrics, of_cases.metrics, strict=True):
        assert repr(one) == repr(other)


@law([0.3, 0.5, 0.61])
def test_a_cut_score_is_its_labels(threshold):
    """An evaluation at a cut, its labels, and the row of a sweep say the same."""
    metrics = QUICK[2::9]
    called = np.where(BINARY.score >= threshold, "yes", "no")
    frame = {"y": BINARY.truth, "s": BINARY.score}
    asked = {"positive": "yes", "metrics": metrics}
    by_label = br.evaluate(BINARY.truth, called, **asked).facts
    by_score = br.evaluate(pd.DataFrame(frame), target="y", score="s", threshold=threshold, **asked)
    swept = br.sweep(BINARY.truth, BINARY.score, pos_label="yes")
    assert by_label.table == by_score.facts.table == swept.tables[int(swept.rules_at(threshold))]
    for one, other in zip(by_label.metrics, by_score.facts.metrics, strict=True):
        assert repr(one) == repr(other)

"""Front doors say the same of the same cases, in whatever order, under whatever names they come."""

from dataclasses import replace

import numpy as np

from laws.cases import (
    BINARY,
    CLASSES,
    CLUSTERED,
    DOORS,
    KINDS,
    WEIGHTED,
    agree,
    audited,
    compared,
    cut,
    evaluated,
    numbers,
)
from laws.subjects import CLASS_METRICS, QUICK, swapped_metric
from laws.sweep import law

TOGETHER = 13
ASKED = [QUICK[i::TOGETHER] for i in range(TOGETHER)]
SWAPS = [m for m in QUICK if m.class_swap is not None and "base_rate" not in m.parameters]
SWAPPED = [SWAPS[i::9] for i in range(9)]
FEW = ASKED[:2]


def shuffled(column):
    return column[np.random.default_rng(3).permutation(len(column))]


def asked_of(cases, metrics):
    return CLASS_METRICS[:: len(ASKED)] if cases is CLASSES else metrics


def possible(door, cases):
    return not (door is cut and cases is not BINARY)


@law(ASKED, DOORS, KINDS, few=2, most=40)
def test_the_order_of_cases_does_not_matter(metrics, door, cases):
    if possible(door, cases):
        metrics, turned = asked_of(cases, metrics), cases.each(shuffled)
        agree(numbers(door(cases, metrics)), numbers(door(turned, metrics)))


RENAMED = {"north": "zone 3", "south": "area 9", "east": "mid", "x": "b", "y": "a"}


@law(FEW, [evaluated, audited], KINDS, few=1)
def test_names_of_groups_are_names(metrics, door, cases):
    """Other names, in another order: the same rows, under other names."""
    metrics = asked_of(cases, metrics)
    one = numbers(door(cases, metrics), leave=("group",))
    groups = np.array([RENAMED[name] for name in cases.group])
    other = numbers(door(replace(cases, group=groups), metrics), leave=("group",))
    expected = {}
    for where, value in one.items():
        found = where
        for name, new in RENAMED.items():
            found = found.replace(f"[{name}]", f"[{new}]")
        expected[found] = value
    for found in (expected, other):  # words that name groups; gaps, see below
        for where in [*found]:
            if where.endswith((".null", ".reason")) or where.startswith(".gaps"):
                del found[where]
    agree(expected, other)


@law(FEW, [BINARY, WEIGHTED, CLUSTERED], few=1)
def test_gaps_lie_between_the_same_groups_whatever_they_are_called(metrics, cases):
    """Of groups that tie, the first by name is taken: there the ends may be another group's."""
    renamed = replace(cases, group=np.array([RENAMED[name] for name in cases.group]))
    both = (audited(c, metrics).to_dict()["gaps"] for c in (cases, renamed))
    for gap, other in zip(*both, strict=True):
        named = [other[side]["group"] for side in ("largest", "smallest")]
        tied = named != [RENAMED[gap[side]["group"]] for side in ("largest", "smallest")]
        for field in ("difference",) if tied else ("difference", "low", "high"):
            np.testing.assert_allclose(gap[field], other[field], rtol=1e-9, err_msg=gap["name"])


LABELS = {"yes": -7, "no": 2, "cat": 10, "dog": 20, "owl": 30}


@law(FEW[:1], DOORS, KINDS, few=2)
def test_labels_are_names(metrics, door, cases):
    if not possible(door, cases):
        return

    def coded(column):
        words = column.dtype.kind == "U" and set(column) <= set(LABELS)
        return np.array([LABELS[word] for word in column]) if words else column

    metrics = asked_of(cases, metrics)
    turned = replace(cases.each(coded), positive=LABELS.get(cases.positive))
    leave = ("positive", "labels", "label", "decisions", "classes", "constants", "constant")
    leave += ("outcome", "worst", "best", "class_chance", "confusions", "class_counts")
    leave += ("order",)  # numbers have one, and words none
    one, other = (numbers(door(c, metrics), leave) for c in (cases, turned))
    for word, code in LABELS.items():
        one = {where.replace(f"[{word}]", f"[{code}]"): value for where, value in one.items()}
    assert one.keys() == other.keys()
    agree({k: v for k, v in one.items() if not isinstance(v, str)}, other_of(one, other))


def other_of(one, other):
    return {k: other[k] for k, v in one.items() if not isinstance(v, str)}


ROWS = ("value", "low", "high", "chance", "skill", "p_value", "same_alarms")
FINDINGS = ("value", "low", "high", "reference", "reference_value", "p_value", "mid_p", "smoothed")
BOTH = [BINARY, WEIGHTED, CLUSTERED]


def swapped(cases):
    """The same cases, the other class positive: a high score speaks against it."""
    return replace(cases, positive="no", score=np.round(1 - cases.score, 2))


@law(SWAPPED, BOTH, few=1, most=9)
def test_an_evaluation_with_the_other_class_positive(metrics, cases):
    """Every row is that of the metric's partner; so is the answer to the question of luck."""
    partners = [swapped_metric(m) for m in metrics]
    one, other = evaluated(cases, metrics), evaluated(swapped(cases), partners)
    mirrored(one.facts.metrics, other.facts.metrics, ROWS)
    for group, turned in zip(one.facts.groups, other.facts.groups, strict=True):
        mirrored(group.metrics, turned.metrics, ROWS)


@law(SWAPPED, BOTH, ["rest", "overall", "north"], few=1, most=9)
def test_an_audit_with_the_other_class_positive(metrics, cases, reference):
    partners = [swapped_metric(m) for m in metrics]
    one = audited(cases, metrics, reference=reference).facts
    other = audited(swapped(cases), partners, reference=reference).facts
    for group, turned in zip(one.groups, other.groups, strict=True):
        mirrored(group.findings, turned.findings, FINDINGS)
    mirrored(one.gaps, other.gaps, ("difference", "low", "high"))


def mirrored(rows, turned, fields):
    for row, other in zip(rows, turned, strict=True):
        for field in fields:
            one, two = getattr(row, field, None), getattr(other, field, None)
            assert (one is None) == (two is None), (row.name, field)
            if isinstance(one, float | int):
                message = f"{row.name} {field}"
                np.testing.assert_allclose(one, two, rtol=3e-6, atol=1e-7, err_msg=message)


@law(SWAPPED, few=1)
def test_the_best_cut_with_the_other_class_positive(metrics):
    """One less the scores: the same partitions, and the same values."""
    directed = [m for m in metrics if m.direction != "neither"]
    one = cut(BINARY, directed).to_dict()
    other = cut(swapped(BINARY), [swapped_metric(m) for m in directed]).to_dict()
    for row, turned in zip(one["thresholds"], other["thresholds"], strict=True):
        pair = [np.nan if v is None else v for v in (row["value"], turned["value"])]
        np.testing.assert_allclose(*pair, rtol=1e-12, err_msg=row["name"])
    for field in ("value", "low", "high", "p_value", "chance"):
        area, mirror = (found["ranking"][0][field] for found in (one, other))
        np.testing.assert_allclose(area, mirror, rtol=1e-9, err_msg=field)


@law([evaluated, audited, compared], few=1)
def test_a_cluster_for_every_case_leaves_every_value(door):
    """Intervals and tests are those of clusters then; tables and values are those of cases."""
    apart = replace(BINARY, cluster=np.arange(len(BINARY.truth)))
    ends = (".value", ".reference_value", ".tp", ".fn", ".fp", ".tn", ".chance", ".skill")
    one, other = (
        {where: value for where, value in numbers(door(c, FEW[0])).items() if where.endswith(ends)}
        for c in (BINARY, apart)
    )
    both = one.keys() & other.keys()
    assert len(both) > 20
    agree(*({where: found[where] for where in both} for found in (one, other)))

"""Groups beside a reference: other classes, further off, more of the reference, in any order."""

import numpy as np

import baserate as br
from baserate import groups
from laws.subjects import METRICS, QUICK, batch, swapped_metric, transposed_metric
from laws.sweep import law

A, B = batch((14, 5, 3, 28)), batch((11, 8, 1, 30))
REFERENCE = batch((120, 30, 40, 310))


def same(one, other, rtol=1e-9, atol=1e-12):
    np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


CONDITIONS = ["auto", "none", "classes"]


@law(METRICS, CONDITIONS, [True, False], few=12, most=200)
def test_a_group_with_the_other_class_positive(metric, condition, uncertain):
    """The test of the swapped metric at swapped tables: every tail the same."""
    how = {"condition": condition, "uncertain_reference": uncertain}
    one = br.match_test(metric, A, REFERENCE, **how)
    other = br.match_test(swapped_metric(metric), A.swap_classes(), REFERENCE.swap_classes(), **how)
    fields = ("value", "reference_value", "percentile", "lower", "upper", "p_value", "mid_p")
    if one.condition == other.condition:
        same(*([getattr(found, field) for field in fields] for found in (one, other)))
    if condition == "none":
        turned = transposed_metric(metric)
        third = br.match_test(turned, A.transpose(), REFERENCE.transpose(), **how)
        same(*([getattr(found, field) for field in fields] for found in (one, third)))


@law([m for m in METRICS if m.proportion is not None], [True, False])
def test_the_p_value_falls_the_further_a_group_is_off(metric, uncertain):
    """Tails fall as more successes are seen; both together are no more than one and the atom."""
    hits, misses = metric.proportion
    reference = dict.fromkeys(("tp", "fn", "fp", "tn"), 40)
    counts = np.arange(16)
    upper, lower, two = [], [], []
    for x in counts.tolist():
        cells = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
        cells[hits[0]], cells[misses[0]] = x, 15 - x
        found = br.match_test(
            metric,
            br.ConfusionMatrix(**cells),
            br.ConfusionMatrix(**reference),
            uncertain_reference=uncertain,
        )
        upper.append(found.upper)
        lower.append(found.lower)
        two.append(found.p_value)
        assert found.lower + found.upper > 1  # both hold what is observed
        same(found.p_value, min(1.0, 2 * min(found.lower, found.upper)))
    assert (np.diff(upper) < 0).all()
    assert (np.diff(lower) > 0).all()
    peak = int(np.argmax(two))
    assert (np.diff(two[: peak + 1]) >= -1e-12).all()
    assert (np.diff(two[peak:]) <= 1e-12).all()


@law(METRICS, few=10)
def test_a_known_reference_is_a_huge_uncertain_one(metric):
    huge = batch([10**9 * np.asarray(cell) for cell in REFERENCE])
    if not metric.scale_invariant:
        return
    one = br.match_test(metric, A, huge, condition="classes")
    other = br.match_test(metric, A, REFERENCE, condition="classes", uncertain_reference=False)
    same([one.lower, one.upper], [other.lower, other.upper], rtol=1e-5)


@law(METRICS)
def test_smoothing_of_no_strength_is_none_and_commutes_with_the_classes(metric):
    none = br.smooth(A, REFERENCE, strength=0)
    same(none.to_dict()["probabilities"]["tp"], A.tp / A.n)

    def value(group, reference, strength, measured):
        p = br.smooth(group, reference, strength=strength).to_dict()["probabilities"]
        return measured(
            br.ConfusionMatrix(**{name: A.n * p[name] for name in ("tp", "fn", "fp", "tn")})
        )

    same(value(A, REFERENCE, 0, metric), metric(A))
    endless = value(A, REFERENCE, 1e12, metric)
    expected = metric(batch([A.n / REFERENCE.n * np.asarray(cell) for cell in REFERENCE]))
    same(endless, expected, rtol=1e-6, atol=1e-6)
    swapped = value(A.swap_classes(), REFERENCE.swap_classes(), 10, swapped_metric(metric))
    same(value(A, REFERENCE, 10, metric), swapped)
    tenfold = batch([10 * np.asarray(cell) for cell in REFERENCE])
    same(value(A, REFERENCE, 10, metric), value(A, tenfold, 10, metric))


P_VALUES = np.array([0.2, 0.01, 0.04, 0.04, 0.5, 0.003, 1.0])


@law(["holm", "benjamini-hochberg"])
def test_adjusted_p_values_keep_their_order_whatever_order_they_come_in(method):
    found = groups.adjust(P_VALUES, method)
    order = np.random.default_rng(1).permutation(len(P_VALUES))
    np.testing.assert_array_equal(groups.adjust(P_VALUES[order], method), found[order])
    assert (found >= P_VALUES).all()
    assert (np.diff(found[np.argsort(P_VALUES)]) >= 0).all()
    np.testing.assert_array_equal(groups.adjust(P_VALUES[:1], method), P_VALUES[:1])


@law(QUICK, ["between_groups", "to_overall"], few=6, most=60)
def test_gaps_do_not_depend_on_the_order_of_groups(metric, method):
    tables = {"a": A, "b": B, "c": batch((4, 6, 2, 9))}
    turned = {name: tables[name] for name in ("c", "a", "b")}
    one, other = (groups.group_difference(metric, t, method=method) for t in (tables, turned))
    same(one.value, other.value)
    assert {one.largest, one.smallest, one.furthest} == {
        other.largest,
        other.smallest,
        other.furthest,
    }

"""Holm, Benjamini-Hochberg and the exact law of the smallest p-value."""

from fractions import Fraction
from itertools import product
from math import inf, isnan, nan

import numpy as np
import pytest
from scipy.stats import betabinom
from statsmodels.stats.multitest import multipletests

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups import adjust, family_adjust, match_test, min_p
from baserate.groups.tables import Tables
from baserate.models import DirichletMultinomial
from oracles import match_twins as twins

NAMES = ("tp", "fn", "fp", "tn")
REST = (7, 3, 4, 16)
HELD = {"classes": (("tp", "fn"),), "predictions": (("tp", "fp"),), "none": ()}
MEASURED = (
    "recall",
    "precision",
    "f1",
    "matthews_correlation",
    "accuracy",
    "negative_predictive_value",
)

COMPAS_REST = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)

# The eleven that are left of fifteen when complements count once.
ELEVEN = (
    "accuracy", "base_rate", "ppr", "recall", "fpr", "precision", "npv", "f1", "mcc",
    "prevalence_threshold", "marginal_benefit",
)  # fmt: skip


def table(cells):
    return ConfusionMatrix(**dict(zip(NAMES, cells, strict=True)))


@pytest.mark.sweep(8, start=4)
@pytest.mark.parametrize("p", [[0.01, 0.04, 0.03], [0.2, 0.01, 0.01, 0.6, 0.04], [0.5], [0, 1, 1]])
@pytest.mark.parametrize(("method", "peer"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_adjust_agrees_with_statsmodels(p, method, peer):
    expected = multipletests(p, method=peer)[1]
    np.testing.assert_allclose(adjust(p, method=method), expected, rtol=1e-14)
    holes = adjust([nan, *p, nan], method=method)
    np.testing.assert_allclose(holes, [nan, *expected, nan], rtol=1e-14)


def test_adjust_has_limits():
    assert np.isnan(adjust([nan, nan])).all()
    assert adjust([]).shape == (0,)
    with pytest.raises(InvalidArgumentError, match=r"p_values must lie in \[0, 1\], got 1.2"):
        adjust([0.1, 1.2])
    with pytest.raises(UnknownNameError, match="holm"):
        adjust([0.1], method="bonferroni")


@pytest.mark.sweep(6)
@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize(("law", "uncertain"), [(None, True), (None, False), ("permutation", True)])
@pytest.mark.parametrize("group", [(3, 1, 1, 2), (1, 3, 2, 1)])
def test_the_smallest_p_value_in_fractions(held, law, uncertain, group):
    found = min_p(
        MEASURED, table(group), table(REST), condition=held, law=law, uncertain_reference=uncertain
    )
    exact = twins.held(twins.law_of(7, group, REST, law, uncertain=uncertain), group, HELD[held])
    singles = [float(twins.all_p_values(name, exact)[group]) for name in MEASURED]
    np.testing.assert_allclose(found.p_values, singles, rtol=1e-12)
    exact_p = twins.adjusted(MEASURED, exact, group)
    expected = [max(float(p), single) for p, single in zip(exact_p, singles, strict=True)]
    np.testing.assert_allclose(found.adjusted, expected, rtol=1e-12)
    totals = {"classes": 4 + 1, "predictions": 4 + 1, "none": 0}
    assert found.n_tables >= max(len(exact), totals[held])
    _check_levels(found, exact)


def _check_levels(found, law):
    lowest, total = twins.smallest(MEASURED, law), sum(law.values())
    for alpha in (0.05, 0.2, 0.5):
        exact = Fraction(sum(w for t, w in law.items() if lowest[t] <= alpha), total)
        assert found.error_rate(alpha) == pytest.approx(float(exact), abs=1e-12)
        cut = found.cut_off(alpha)
        below = sum(w for t, w in law.items() if lowest[t] < cut * (1 - 1e-9))
        upto = sum(w for t, w in law.items() if lowest[t] <= cut * (1 + 1e-9))
        assert Fraction(below, total) <= alpha
        assert cut == inf or Fraction(upto, total) > alpha


def test_rates_keep_the_p_values_of_their_denominators():
    group, rest = table((3, 5, 2, 20)), table(REST)
    for held, names in (("classes", ("recall", "fpr")), ("predictions", ("precision", "fomr"))):
        found = min_p(names, group, rest, condition=held)
        singles = [float(match_test(m, group, rest, condition="denominator")) for m in names]
        np.testing.assert_allclose(found.p_values, singles, rtol=1e-12)
    names, known = ("base_rate", "ppr", "f1"), {"uncertain_reference": False}
    found = min_p(names, group, rest, condition="none", **known)
    singles = [match_test(m, group, rest, condition="none", **known).p_value for m in names]
    np.testing.assert_allclose(found.p_values, singles, rtol=1e-12)


def test_rates_of_other_denominators_are_families_of_their_own():
    group, rest = table((3, 5, 2, 20)), table((40, 20, 30, 210))
    names = ("recall", "jaccard", "accuracy", "base_rate")  # given a class, tp+fn+fp, all and all
    tests = [match_test(name, group, rest, condition="denominator") for name in names]
    found = family_adjust(tests, ["one"] * 4)
    assert found.n_families == 3
    alone = family_adjust(tests[1:2], ["one"]).p_values[0]
    assert alone == pytest.approx(tests[1].p_value)
    assert found.p_values[1] >= alone


def test_complements_cost_nothing():
    group, rest = table((3, 5, 2, 20)), table(REST)
    few = min_p(("recall", "f1"), group, rest)
    more = min_p(("recall", "f1", "false_negative_rate", "jaccard"), group, rest)
    np.testing.assert_allclose(more.adjusted[:2], few.adjusted, rtol=1e-12)
    assert more.adjusted[2] == more.adjusted[0]
    assert more.adjusted[3] == pytest.approx(more.adjusted[1], rel=1e-9)
    one = min_p(("recall", "false_negative_rate"), group, rest)
    np.testing.assert_allclose(one.adjusted, one.p_values, rtol=1e-12)


# Measured by enumeration of all tables (theory of small samples, section 7): chance of a p-value
# of at most 5% among eleven metrics, and the exact cut-off; Bonferroni's is .0045.
ELEVEN_METRICS = {20: (0.102, 0.0232), 50: (0.157, 0.0159), 100: (0.175, 0.0122)}


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("n", "figures"), ELEVEN_METRICS.items())
def test_eleven_metrics_without_adjustment(n, figures):
    group = ConfusionMatrix(tp=n, fn=0, fp=0, tn=0)
    found = min_p(ELEVEN, group, COMPAS_REST, condition="none", uncertain_reference=False)
    assert found.error_rate(0.05) == pytest.approx(figures[0], abs=0.0005)
    assert found.cut_off(0.05) == pytest.approx(figures[1], abs=0.00006)


def test_undefined_metrics_and_references():
    group, rest = ConfusionMatrix(tp=0, fn=0, fp=3, tn=5), table(REST)
    found = min_p(("recall", "fpr"), group, rest)
    assert isnan(found.adjusted[0])
    assert found.adjusted[1] == pytest.approx(float(match_test("fpr", group, rest)), rel=1e-12)
    for uncertain in (True, False):
        none = min_p(("recall", "fpr"), rest, group, uncertain_reference=uncertain)
        assert none.reason == "the reference has no positives"
        assert all(map(isnan, (*none.p_values, *none.adjusted, none.cut_off(0.05))))
    assert min_p(("f1",), table((0, 0, 0, 0)), rest).reason == "no cases"
    flagged = ConfusionMatrix(tp=5, fn=0, fp=5, tn=0)
    for uncertain in (True, False):
        found = min_p(("precision",), rest, flagged, condition="predictions",
                      uncertain_reference=uncertain)  # fmt: skip
        assert found.reason == "the reference has no cases predicted negative"


def test_too_many_tables_are_refused():
    big = ConfusionMatrix(tp=100, fn=100, fp=100, tn=100)
    with pytest.raises(UnsupportedError, match="10,827,401 tables to list"):
        min_p(("f1", "mcc"), big, big, condition="none")
    assert min_p(("f1", "mcc"), big, big).n_tables == 201**2
    with pytest.raises(InvalidArgumentError, match="metrics must not be empty"):
        min_p((), big, big)


def by_its_own_cases(name, group, rest):
    """One test as it is by default, except that precision has a family of its own."""
    condition = "denominator" if name == "precision" else "auto"
    return match_test(name, group, rest, condition=condition)


def audit(pairs, names):
    tests = [by_its_own_cases(name, table(g), table(r)) for g, r in pairs for name in names]
    labels = [i for i, _ in enumerate(pairs) for _ in names]
    return tests, labels


PAIRS = (((3, 1, 1, 9), (5, 9, 8, 8)), ((5, 9, 8, 8), (3, 1, 1, 9)))
METRICS = ("recall", "f1", "false_negative_rate", "precision", "base_rate", "ppr")
FAMILIES = {"classes": (0, 1, 2), "predictions": (3,), "none": (4, 5)}


def test_families_by_hand():
    tests, labels = audit(PAIRS, METRICS)
    found = family_adjust(tests, labels)
    assert found.n_families == 6
    assert set(found.routes) == {"min-p"}
    within = {}
    for (i, (g, r)), (held, members) in product(enumerate(PAIRS), FAMILIES.items()):
        names = [METRICS[m] for m in members]
        adjusted = min_p(names, table(g), table(r), condition=held).adjusted
        within[i, held] = {6 * i + m: p for m, p in zip(members, adjusted, strict=True)}
    least = {key: min(ps.values()) for key, ps in within.items()}
    for key, ps in within.items():
        left = sum(p >= least[key] for p in least.values())
        floor = max(
            sum(q >= p for q in least.values()) * p for p in least.values() if p <= least[key]
        )
        for i, p in ps.items():
            expected = min(1.0, max(floor, left * p))
            assert found.p_values[i] == pytest.approx(expected, rel=1e-12)


def test_no_adjusted_p_value_is_below_its_own():
    """Beside a small reference the law of one merged count may give the larger p-value."""
    group, rest = table((0, 8, 3, 7)), table((1, 4, 0, 0))
    tests = [match_test(name, group, rest, condition="none") for name in ("base_rate", "ppr")]
    joint = min_p(("base_rate", "ppr"), group, rest, condition="none")
    assert joint.adjusted[1] < float(tests[1])
    found = family_adjust(tests, ["a"] * 2)
    assert found.p_values == (joint.adjusted[0], float(tests[1]))


def test_what_is_too_large_goes_by_holm():
    group = ConfusionMatrix(tp=900, fn=300, fp=700, tn=1900)
    rest = ConfusionMatrix(tp=1900, fn=500, fp=1500, tn=3900)
    names = ("recall", "f1", "false_negative_rate", "precision")
    tests = [by_its_own_cases(name, group, rest) for name in names]
    found = family_adjust(tests, ["a"] * 4)
    assert found.routes == ("holm", "holm", "holm", "min-p")
    p = [float(t) for t in tests]
    inner = adjust([p[0], p[1]])  # the complement is counted once
    order = adjust([inner.min(), p[3]])
    assert found.p_values[0] == found.p_values[2]
    assert min(found.p_values[:2]) == pytest.approx(order[0], rel=1e-12)
    assert found.p_values[3] == pytest.approx(order[1], rel=1e-12)


def test_families_of_larger_groups_by_summing_every_table():
    """SciPy's laws of tp and fp over all 9,000 tables; ours sums only those that are likely."""
    group = ConfusionMatrix(tp=40, fn=49, fp=14, tn=85)
    rest = ConfusionMatrix(tp=300, fn=200, fp=120, tn=700)
    hits = betabinom(89, 300.5, 200.5).pmf(np.arange(90))
    alarms = betabinom(99, 120.5, 700.5).pmf(np.arange(100))
    tp, fp = np.indices((90, 100), dtype=float)
    weight = np.outer(hits, alarms)
    values = {
        "recall": tp / 89,
        "false_positive_rate": fp / 99,
        "f1": np.round(2 * tp / (tp + 89 + fp), 12),
        "accuracy": (tp + 99 - fp) / 188,
    }
    smallest = np.ones(tp.shape)
    for value in values.values():
        _, rank = np.unique(value, return_inverse=True)
        mass = np.bincount(rank.ravel(), weight.ravel())
        lower, upper = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]
        smallest = np.minimum(smallest, 2 * np.minimum(lower, upper)[rank].reshape(tp.shape))
    tests = [match_test(name, group, rest, condition="classes") for name in values]
    found = family_adjust(tests, ["a"] * 4)
    for test, adjusted in zip(tests, found.p_values, strict=True):
        expected = weight[smallest <= test.p_value * (1 + 1e-9)].sum()
        assert adjusted == pytest.approx(max(expected, test.p_value), rel=1e-9)


@pytest.mark.parametrize(("p", "q"), [(89, 99), (2, 1500), (0, 700)])
def test_what_a_list_of_likely_tables_leaves_out(p, q):
    group = ConfusionMatrix(tp=p, fn=0, fp=0, tn=q)
    model = DirichletMultinomial(n=p + q, concentration=(300.5, 200.5, 120.5, 700.5))
    short = Tables.likely(group, "classes", model)
    assert short.size <= (p + 1) * (q + 1)
    assert short.weights(model).sum() == pytest.approx(1, rel=1e-14)
    kept = set(zip(short.cells["tp"], short.cells["fp"], strict=True))
    whole = Tables.of(group, "classes")
    others = np.array(
        [(tp, fp) not in kept for tp, fp in zip(whole.cells["tp"], whole.cells["fp"], strict=True)]
    )
    assert others.sum() == whole.size - short.size
    assert whole.weights(model)[others].sum() < 1e-18


def test_discoveries_count_complements_once():
    tests, labels = audit(PAIRS, METRICS)
    found = family_adjust(tests, labels, method="benjamini-hochberg")
    once = [i for i, name in enumerate(METRICS * 2) if name != "false_negative_rate"]
    expected = multipletests([float(tests[i]) for i in once], method="fdr_bh")[1]
    np.testing.assert_allclose([found.p_values[i] for i in once], expected, rtol=1e-12)
    assert found.p_values[2] == found.p_values[0]
    assert set(found.routes) == {"benjamini-hochberg"}


def test_tests_without_a_p_value_do_not_count():
    empty, rest = ConfusionMatrix(tp=0, fn=0, fp=3, tn=5), table(REST)
    tests = [match_test(m, empty, rest) for m in ("recall", "fpr")]
    for method in ("min-p", "benjamini-hochberg"):
        found = family_adjust(tests, ["a", "a"], method=method)
        assert isnan(found.p_values[0])
        assert found.routes[0] == ""
        assert found.p_values[1] == pytest.approx(float(tests[1]), rel=1e-12)
        assert found.n_families == 1
    nothing = family_adjust(tests[:1], ["a"])
    assert (nothing.n_families, nothing.routes) == (0, ("",))


def test_labels_must_fit():
    tests, labels = audit(PAIRS, ("recall",))
    with pytest.raises(InvalidArgumentError, match="group of each of the 2 tests, got 1:"):
        family_adjust(tests, labels[:1])
    with pytest.raises(InvalidArgumentError, match="compared with one reference in one way"):
        family_adjust(tests, ["a", "a"])


@pytest.mark.slow
@pytest.mark.parametrize("n", [12])
def test_the_chance_of_any_false_alarm_stays_below_the_level(n):
    """One group, three families: Holm across min-P, over every table of a known reference."""
    names = ("recall", "f1", "precision", "npv", "base_rate", "ppr")
    shares = (0.3, 0.2, 0.1, 0.4)
    law = twins.law_of(n, None, (3, 2, 1, 4), None, uncertain=False)
    total, wrong = sum(law.values()), 0
    for cells, weight in list(law.items()):
        tests = [match_test(metrics.get(m), table(cells), shares) for m in names]
        adjusted = family_adjust(tests, ["a"] * len(names)).p_values
        wrong += weight * bool(np.nanmin(adjusted) <= 0.2)
    assert 0.05 < wrong / total <= 0.2

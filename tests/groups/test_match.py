"""The match test against exact fractions, and how often it errs."""

import itertools
from fractions import Fraction
from math import comb, isnan, nan

import pytest
from scipy.stats import binom, hypergeom

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.groups import match_test
from baserate.metrics import define
from oracles import match_twins as twins

NAMES = ("tp", "fn", "fp", "tn")
REST = (7, 3, 4, 16)
COMPAS_REST = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)  # Briscoe et al. (2025), appendix


def table(cells):
    return ConfusionMatrix(**dict(zip(NAMES, cells, strict=True)))


MEASURED = (
    "recall",
    "false_negative_rate",
    "false_positive_rate",
    "precision",
    "negative_predictive_value",
    "accuracy",
    "base_rate",
    "predicted_positive_rate",
    "f1",
    "jaccard",
    "matthews_correlation",
    "informedness",
    "prevalence_threshold",
    "marginal_benefit",
    "diagnostic_odds_ratio",
)
GROUPS = ((3, 1, 2, 2), (1, 4, 0, 3), (2, 0, 3, 3), (1, 1, 5, 1))
LAWS = ((None, True), (None, False), ("permutation", True))


def held_by(metric, condition):
    if condition == "classes":
        return ("tp", "fn"), ("fp", "tn")
    return (sum(metric.proportion, ()),) if condition == "denominator" else ()


def sides_of(metric, group, whole, condition, *, one_count):
    """Return both tails and the tie; one count of an uncertain rate is beta-binomial."""
    cells = [frozenset(side) for side in metric.proportion or ()]
    single = condition == "denominator" or (
        condition == "none" and len(frozenset().union(*cells)) == 4
    )
    if not (one_count and cells and single):
        return twins.tails(
            metric.name, twins.held(whole, group, held_by(metric, condition)), group
        )[0]
    (x, y), (v, w) = (
        [sum(c for n, c in zip(NAMES, t, strict=True) if n in side) for side in cells]
        for t in (group, REST)
    )
    law = twins.beta_binomial(x + y, v + twins.HALF, w + twins.HALF)
    return [sum(law[:x]), law[x], sum(law[x + 1 :])]


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("condition", ["none", "denominator", "classes"])
@pytest.mark.parametrize(("law", "uncertain"), LAWS)
def test_every_condition_and_law_in_fractions(name, condition, law, uncertain):
    metric = metrics.get(name)
    if condition == "denominator" and metric.proportion is None:
        with pytest.raises(InvalidArgumentError, match='"denominator" for proportions only'):
            match_test(name, table(GROUPS[0]), table(REST), condition=condition)
        return
    for group in GROUPS:
        found = match_test(
            name, table(group), table(REST), condition=condition, law=law,
            uncertain_reference=uncertain,
        )  # fmt: skip
        whole = twins.law_of(8, group, REST, law, uncertain=uncertain)
        defined = (
            twins.tails(name, whole, group)[1] if twins.value(name, group) is not None else nan
        )
        if isnan(defined):
            assert isnan(float(found))
            assert found.reason
            continue
        sides = sides_of(metric, group, whole, condition, one_count=uncertain and law is None)
        assert found.percentile == pytest.approx(float(sides[0] + sides[1]), rel=1e-12)
        assert found.lower == found.percentile
        assert found.upper == pytest.approx(float(sides[1] + sides[2]), rel=1e-12)
        assert float(found) == pytest.approx(float(twins.p_value(sides)), rel=1e-12)
        assert found.mid_p == pytest.approx(float(twins.mid_p(sides)), rel=1e-12)
        assert found.p_defined == pytest.approx(float(defined), rel=1e-12)


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("name", ["recall", "f1", "base_rate"])
def test_one_sided(name, alternative):
    group = (1, 4, 0, 3)
    found = match_test(name, table(group), table(REST), alternative=alternative)
    whole = twins.law_of(8, group, REST, None)
    below, equal, above = sides_of(metrics.get(name), group, whole, found.condition, one_count=True)
    expected = twins.p_value((below, equal, above), alternative)
    tail = below if alternative == "less" else above
    assert found.p_value == pytest.approx(float(expected), rel=1e-12)
    assert found.mid_p == pytest.approx(float(tail + equal / 2), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("recall", "denominator"),
        ("fnr", "denominator"),
        ("fpr", "denominator"),
        ("specificity", "denominator"),
        ("precision", "denominator"),
        ("npv", "denominator"),
        ("fomr", "denominator"),
        ("f1", "classes"),
        ("jaccard", "classes"),
        ("accuracy", "classes"),
        ("mcc", "classes"),
        ("base_rate", "none"),
        ("predicted_positive_rate", "none"),
        ("marginal_benefit", "none"),
    ],
)
def test_what_auto_holds_fixed(name, condition):
    group = table((3, 1, 2, 2))
    found = match_test(name, group, table(REST))
    assert found.condition == condition
    assert found.p_value == match_test(name, group, table(REST), condition=condition).p_value


def test_a_metric_of_ones_own():
    mine = define("hits_less_alarms", lambda tp, fn, fp, tn: (tp - fp) / (tp + fp))
    same = define("share", lambda tp, fn, fp, tn: tp / (tp + fp))
    group, rest = table((3, 1, 2, 2)), table(REST)
    a, b = (match_test(m, group, rest, condition="none") for m in (mine, same))
    expected = match_test("precision", group, rest, condition="none")
    assert a.p_value == pytest.approx(b.p_value, rel=1e-12)
    assert b.p_value == pytest.approx(expected.p_value, rel=1e-12)
    assert b.p_defined == pytest.approx(expected.p_defined, rel=1e-12)


def test_contained_is_the_permutation_test_of_the_rest():
    group, rest = table((3, 1, 2, 2)), table(REST)
    inside = match_test("recall", group, group + rest, law="contained")
    outside = match_test("recall", group, rest, law="permutation")
    assert inside.p_value == outside.p_value
    assert inside.null == "given its 4 positives, the group has the rest's recall"
    law = hypergeom(14, 10, 4)  # hits among the positives of group and rest
    assert (outside.lower, outside.upper) == pytest.approx((law.cdf(3), law.sf(2)), rel=1e-12)
    with pytest.raises(InvalidArgumentError, match="fewer tn than the group"):
        match_test("recall", table((3, 1, 2, 20)), rest, law="contained")


def test_statistics_agree_with_scipy_for_a_known_rate():
    found = match_test("recall", table((3, 17, 0, 0)), (0.5, 0.25, 0.125, 0.125))
    law = binom(20, 2 / 3)
    assert found.percentile == pytest.approx(law.cdf(3), rel=1e-12)
    assert not found.uncertain_reference
    assert found.law == "multinomial"


# COMPAS, reference counts + 1/2: scipy's beta-binomial, whose tails lose digits near 1e-10.
def test_faint_tails_keep_their_digits():
    from mpmath import beta, binomial, mpf

    a, b = mpf("116.5"), mpf("177.5")
    tail = sum(binomial(443, k) * beta(k + a, 443 - k + b) for k in range(273, 444)) / beta(a, b)
    black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    found = match_test("recall", black, COMPAS_REST)
    assert found.upper == pytest.approx(float(tail), rel=1e-10)
    assert found.p_value == pytest.approx(2 * float(tail), rel=1e-10)


NO_POSITIVES = ConfusionMatrix(tp=0, fn=0, fp=3, tn=5)


@pytest.mark.parametrize("condition", ["auto", "none", "classes"])
@pytest.mark.parametrize("law", [None, "permutation"])
def test_an_undefined_value_has_no_p_value(condition, law):
    found = match_test("recall", NO_POSITIVES, table(REST), condition=condition, law=law)
    numbers = (found.value, found.p_value, found.mid_p, found.percentile, found.lower, found.upper)
    assert all(map(isnan, numbers))
    assert found.reason == "no positives (tp + fn = 0)"
    whole = twins.law_of(8, (0, 0, 3, 5), REST, law)
    expected = twins.tails("recall", whole, (1, 0, 3, 4))[1]
    assert found.p_defined == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("name", ["recall", "f1"])
@pytest.mark.parametrize("uncertain", [True, False])
def test_a_reference_without_positives_says_nothing(name, uncertain):
    group = table((3, 1, 2, 2))
    found = match_test(name, group, NO_POSITIVES, uncertain_reference=uncertain)
    assert isnan(found.p_value)
    assert isnan(found.mid_p)
    assert found.reason == "the reference has no positives"
    assert isnan(found.reference_value) == (name == "recall")


@pytest.mark.parametrize(
    ("name", "condition", "reference", "words"),
    [
        ("recall", "auto", (0, 0, 50, 50), "positives"),
        ("recall", "classes", (0, 0, 50, 50), "positives"),
        ("mcc", "auto", (50, 50, 0, 0), "negatives"),
        ("precision", "denominator", (0, 50, 0, 50), "cases predicted positive"),
        ("npv", "denominator", (50, 0, 50, 0), "cases predicted negative"),
        ("jaccard", "denominator", (0, 0, 0, 50), "cases in tp + fn + fp"),
    ],
)
def test_no_p_value_from_cases_that_the_reference_does_not_have(name, condition, reference, words):
    found = match_test(name, table((10_000, 1, 5, 5)), table(reference), condition=condition)
    assert isnan(float(found))
    assert found.reason == f"the reference has no {words}"


@pytest.mark.parametrize(
    ("name", "group", "absent"),
    [
        ("precision", (0, 0, 7, 30), "positives"),
        ("f1", (0, 0, 7, 30), "positives"),
        ("npv", (20, 3, 0, 0), "negatives"),
    ],
)
def test_a_group_of_one_class_whose_value_is_settled_is_not_tested(name, group, absent):
    found = match_test(name, table(group), table(REST), condition="classes")
    assert isnan(float(found))
    assert found.reason == f"without {absent} no other value is possible"
    assert match_test("accuracy", table(group), table(REST)).reason is None


def test_what_needs_no_denominator_of_the_reference_is_tested():
    group = (3, 1, 2, 2)
    nothing_held = match_test("recall", table(group), NO_POSITIVES, condition="none")
    law = twins.law_of(8, group, (0, 0, 3, 5), None)
    sides, _ = twins.tails("recall", law, group)
    assert nothing_held.p_value == pytest.approx(float(twins.p_value(sides)), rel=1e-12)
    split = match_test("recall", table(group), NO_POSITIVES, law="permutation")
    assert isnan(split.p_value)  # all positives are the group's own
    assert split.reason == "the reference has no positives"
    whole = table(group) + table((0, 0, 3, 5))
    held = match_test("recall", table(group), whole, law="contained")
    assert held.reason == "the rest has no positives"


# Beta(x + 1/2, m - x + 1/2) for one count, as for a rate; with 1/2 per cell the two sizes are .91
# and .10 (measured by the same sum with Beta(x + 1, m - x + 1)).
@pytest.mark.parametrize(
    ("n", "m", "rate", "size"), [(500, 5, 0.999, 0.005), (1000, 20, 0.995, 0.044)]
)
def test_merged_cells_keep_the_level(n, m, rate, size):
    total = 0.0
    for x, y in itertools.product(range(n + 1), range(m + 1)):
        chance = binom.pmf(x, n, rate) * binom.pmf(y, m, rate) if x >= 0.95 * n else 0
        if chance > 1e-6:
            group, rest = table((x, n - x, 0, 0)), table((0, m - y, 0, y))
            total += chance * (
                match_test("accuracy", group, rest, condition="none").p_value <= 0.05
            )
    assert total == pytest.approx(size, abs=0.0006)


def test_a_rate_is_tested_wherever_its_own_cases_lie():
    """A reference that flags everything has a precision, whatever the group does not flag."""
    found = match_test("precision", table((3, 1, 2, 2)), table((5, 0, 5, 0)),
                       uncertain_reference=False, condition="denominator")  # fmt: skip
    assert found.p_value == pytest.approx(1.0)
    assert found.upper == pytest.approx(0.5)


@pytest.mark.parametrize("uncertain", [True, False])
def test_empty_tables(uncertain):
    empty = table((0, 0, 0, 0))
    nobody = match_test("f1", empty, table(REST), uncertain_reference=uncertain)
    assert (nobody.reason, nobody.p_defined) == ("no cases", 0.0)
    nothing = match_test("f1", table(REST), empty, uncertain_reference=uncertain)
    assert nothing.reason == "the reference has no cases"
    assert isnan(nothing.p_value)
    assert isnan(nothing.p_defined)


def test_no_table_of_the_reference_has_a_value():
    never = ConfusionMatrix(tp=0, fn=5, fp=0, tn=5)
    found = match_test("precision", table((3, 1, 2, 2)), never, uncertain_reference=False,
                       condition="none")  # fmt: skip
    assert found.reason == "under the reference no table has a value"
    assert found.p_defined == 0


NULLS = {
    ("recall", "auto", None): "given its 4 positives, the group has the reference's recall",
    ("precision", "denominator", None): (
        "given its 5 cases predicted positive, the group has the reference's precision"
    ),
    ("f1", "auto", "permutation"): (
        "given its 4 positives and 4 negatives, the group has the reference's recall and false "
        "positive rate"
    ),
    ("base_rate", "auto", None): "the group of 8 cases has the reference's base rate",
    ("f1", "none", None): (
        "the group's 8 cases fall into the four cells with the reference's chances"
    ),
    ("jaccard", "denominator", None): (
        "given its 6 cases in tp + fn + fp, the group has the reference's jaccard"
    ),
}


@pytest.mark.parametrize(("asked", "words"), NULLS.items())
def test_the_hypothesis_in_words(asked, words):
    name, condition, law = asked
    found = match_test(name, table((3, 1, 2, 2)), table(REST), condition=condition, law=law)
    assert found.null == words


def test_weights_and_other_nonsense_are_refused():
    whole, weighted = table(REST), ConfusionMatrix(tp=3.5, fn=1, fp=2, tn=2)
    with pytest.raises(UnsupportedError, match="the counts of group are weights"):
        match_test("f1", weighted, whole)
    with pytest.raises(UnsupportedError, match="pass uncertain_reference=False"):
        match_test("f1", whole, weighted)
    with pytest.raises(UnsupportedError, match="the counts of reference are weights"):
        match_test("f1", whole, weighted, law="permutation")
    with pytest.raises(InvalidArgumentError, match="must stay True with law='permutation'"):
        match_test("f1", whole, whole, law="permutation", uncertain_reference=False)
    for nonsense in ((7, 3, 4, 16), (0.5, 0.5, 0), "rest", None, 0.25, object()):
        with pytest.raises(InvalidArgumentError, match="four probabilities of tp, fn, fp, tn"):
            match_test("f1", whole, nonsense)
    with pytest.raises(InvalidArgumentError, match="reference must be a ConfusionMatrix"):
        match_test("f1", whole, (0.5, 0.25, 0.125, 0.125), law="permutation")
    with pytest.raises(InvalidArgumentError, match="group must be a single table"):
        match_test("f1", ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1), whole)
    with pytest.raises(UnknownNameError, match="condition"):
        match_test("f1", whole, whole, condition="margins")
    with pytest.raises(UnknownNameError, match="alternative"):
        match_test("f1", whole, whole, alternative="both")
    known = match_test("f1", whole, weighted, uncertain_reference=False)
    shares = tuple(cell / 8.5 for cell in weighted)
    assert known.p_value == pytest.approx(match_test("f1", whole, shares).p_value, rel=1e-12)


@pytest.mark.parametrize("tp", [170, 180, 185, 195, 200])
def test_a_far_tail_is_never_below_the_true_one(tp):
    """Jaccard of 200 of 210 cases right: given the flagged or positive, hits are binomial."""
    group, cells = ConfusionMatrix(tp=tp, fn=200 - tp, fp=5, tn=5), (0.25, 0.125, 0.125, 0.5)
    found = match_test("jaccard", group, cells, condition="none")
    n, share = group.n, Fraction(tp, 205)
    inside = Fraction(1, 2)
    above = sum(
        comb(n, m) * inside**m * (1 - inside) ** (n - m)
        * sum(Fraction(comb(m, t), 2**m) for t in range(-int(-share * m // 1), m + 1))
        for m in range(1, n + 1)
    ) / (1 - (1 - inside) ** n)  # fmt: skip
    assert 0 < found.error < 1e-18
    assert above * (1 - Fraction(1, 10**11)) <= Fraction(found.upper)
    assert found.upper <= float(above) * (1 + 1e-11) + found.error
    assert found.p_value == 2 * found.upper


def test_small_groups_keep_all_digits():
    group = ConfusionMatrix(tp=30, fn=0, fp=0, tn=30)
    found = match_test("mcc", group, (1 / 8, 3 / 8, 3 / 8, 1 / 8), condition="none")
    # no errors: (1/4)^60, and 1 - 2/8^60 have both classes and both predictions
    assert found.error == 0
    assert found.upper == pytest.approx(0.25**60, rel=1e-9)

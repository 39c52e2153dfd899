"""Cross-Prior Smoothing: shares, posteriors, intervals with their coverage, and checks."""

from fractions import Fraction
from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.pseudo_cases import Estimator, Shares, Strength, estimate_strength
from baserate.groups.smoothing import smooth, smooth_groups, smooth_multiclass
from baserate.groups.smoothing_checks import coverage
from baserate.models import Multinomial
from oracles import small_sample_twins as twins
from papers import small_data

BLACK = small_data.GROUPS["COMPAS Black"]
REST = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
GROUP = ConfusionMatrix(tp=2, fn=1, fp=6, tn=11)
EMPTY = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


@pytest.mark.parametrize("strength", [0, 5, 12.5])
def test_shares_table_and_posterior_in_fractions(strength):
    found = smooth(GROUP, REST, strength=strength)
    lam, n = Fraction(strength), 20
    alpha = [Fraction(c) + lam * Fraction(q, 3276) for c, q in zip(GROUP, REST, strict=True)]
    np.testing.assert_allclose(found.posterior, [float(a) for a in alpha], rtol=1e-14)
    shares = [float(a / (n + lam)) for a in alpha]
    np.testing.assert_allclose(found.probabilities, shares, rtol=1e-14)
    np.testing.assert_allclose(list(found.table), [n * s for s in shares], rtol=1e-14)
    assert found.weight == pytest.approx(float(n / (n + lam)))
    assert found.reference_size == 3276


def test_the_default_is_ten_and_the_order_is_that_of_a_table():
    found = smooth(GROUP, (1, 2, 3, 4))
    assert found.strength == 10
    assert found.posterior == Shares(3.0, 3.0, 9.0, 15.0)
    assert found.posterior.fp == 9.0
    assert found.reference_size is None


def test_values_of_metrics():
    found = smooth(GROUP, (1, 2, 3, 4))
    assert found.value("recall") == pytest.approx(0.5)
    assert found.value("false_positives") == pytest.approx(20 * 9 / 30)
    assert found.value("mcc") == pytest.approx((3 * 15 - 9 * 3) / (6 * 24 * 12 * 18) ** 0.5)


def test_a_group_without_cases_gets_the_shares_of_the_reference():
    found = smooth(EMPTY, REST)
    np.testing.assert_allclose(found.probabilities, [c / 3276 for c in REST])
    assert found.value("recall") == pytest.approx(116 / 293)
    assert found.table == EMPTY


def test_a_hole_survives_where_the_reference_has_it_too():
    none = smooth(ConfusionMatrix(tp=0, fn=0, fp=3, tn=4), (0, 0, 1, 1))
    assert isnan(none.value("recall"))
    found = none.interval("recall")
    assert isnan(found.low)
    assert found.route == "undefined"


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_of_proportions_are_quantiles_of_beta_laws(level):
    found = smooth(GROUP, (1, 2, 3, 4)).interval("fpr", confidence_level=level)
    beta = stats.beta(9, 15)
    np.testing.assert_allclose(
        beta.cdf([found.low, found.high]), [(1 - level) / 2, (1 + level) / 2]
    )
    whole = smooth(GROUP, (1, 2, 3, 4)).interval("accuracy")
    np.testing.assert_allclose(stats.beta(18, 12).cdf([whole.low, whole.high]), [0.025, 0.975])


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("name", ["mcc", "f1", "marginal_benefit", "false_positives", "kappa"])
def test_intervals_of_other_metrics_agree_with_draws(name):
    rng = np.random.default_rng(3)
    smoothed = smooth(GROUP, REST, strength=10)
    draws = table(20 * rng.dirichlet(smoothed.posterior, size=400_000).T)
    found = smoothed.interval(name)
    below = np.mean(metrics.get(name)(draws) <= np.array([[found.low], [found.high]]), axis=1)
    np.testing.assert_allclose(below, [0.025, 0.975], atol=0.0012)  # five standard errors
    assert found.low < found.value < found.high


def test_intervals_without_a_side():
    smoothed = smooth(ConfusionMatrix(tp=0, fn=3, fp=1, tn=4), (0, 1, 2, 3))
    found = smoothed.interval("recall")
    assert (found.low, found.high) == (0.0, 0.0)
    with pytest.raises(UnsupportedError, match=r"tp is 0 in both.*add half a case to each cell"):
        smoothed.interval("mcc")


# Exact coverage of nominal 95 % for the false positive rate of COMPAS Black, reference all others.
@pytest.mark.parametrize(
    ("n", "strength", "printed"),
    [
        (20, 5, 0.939),
        (20, 10, 0.908),
        (20, 20, 0.790),
        (100, 5, 0.950),
        (100, 10, 0.942),
        (100, 20, 0.906),
    ],
)
def test_coverage_of_compas_black(n, strength, printed):
    prior = Estimator.toward(REST, strength=strength).prior
    found = coverage(metrics.get("fpr"), Multinomial(n=n, cells=BLACK), prior, 0.95)
    assert round(found, 3) == printed


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["recall", "accuracy", "f1", "mcc"])
def test_coverage_by_solving_every_interval(name):
    group, reference = ConfusionMatrix(tp=1, fn=1, fp=1, tn=1), (4, 2, 1, 9)
    truth = float(metrics.get(name)(group))
    inside = total = 0.0
    for cells in twins.tables(4):
        weight = float(twins.multinomial(cells, tuple(group)))
        found = smooth(table(cells), reference, strength=4).interval(name, confidence_level=0.8)
        inside, total = inside + weight * (found.low <= truth <= found.high), total + weight
    answer = smooth(group, reference, strength=4).coverage(name, confidence_level=0.8)
    assert answer == pytest.approx(inside / total, abs=2e-9)


def test_coverage_takes_another_truth_and_refuses_what_is_too_long():
    smoothed = smooth(GROUP, REST, strength=20)
    assert round(smoothed.coverage("fpr", truth=tuple(BLACK)), 3) == 0.790
    assert smoothed.coverage("fpr") != smoothed.coverage("fpr", truth=BLACK)
    with pytest.raises(UnsupportedError, match=r"posterior of .* tables.*ask for a proportion"):
        smooth(BLACK, REST).coverage("mcc")
    with pytest.raises(InvalidArgumentError, match="whole cases, at least one"):
        smooth(EMPTY, REST).coverage("fpr")

    def formula(tp, fn, fp, tn):
        return (tp * tn - fp) / (tp + fn + fp + tn) ** 2

    own = metrics.define("own", formula, trend_in_fp="unknown")
    with pytest.raises(UnsupportedError, match="not monotone in its rates"):
        smooth(GROUP, REST).coverage(own)
    assert isnan(smoothed.coverage("recall", truth=(0, 0, 1, 1)))


def test_a_degenerate_truth_is_covered_by_the_point_that_it_is():
    smoothed = smooth(ConfusionMatrix(tp=0, fn=3, fp=1, tn=4), (0, 1, 2, 3))
    assert smoothed.coverage("recall") == 1.0


@pytest.mark.parametrize(
    ("size", "warning"), [(30, "too few to lean on"), (80, "only 80 cases"), (100, None)]
)
def test_the_size_of_the_reference(size, warning):
    share = ConfusionMatrix(tp=size / 10, fn=size / 10, fp=size / 5, tn=size * 0.6)
    found = smooth(GROUP, share).checks.size_warning
    assert found is None if warning is None else warning in found
    assert str(smooth(GROUP, share).checks).count(found or "The reference has") == (size < 100)
    assert "not known" in smooth(GROUP, (1, 1, 1, 1)).checks.size_warning


def test_distances_of_table_2():
    # Corrected Table 2: L1 .419 to the rest and .721 to the uniform prior.
    found = smooth(BLACK, REST).checks.distances
    assert round(found["l1"].reference, 3) == 0.419
    assert round(found["l1"].uniform, 3) == 0.721
    assert found["l1"].reference_is_closer
    said = str(smooth(BLACK, REST).checks).splitlines()
    assert said[0] == (
        "smoothing helps; distance 0.42 from the reference, 0.72 from equal shares (L1)"
    )
    assert said[1].lstrip().startswith("group")
    p, q = ([c / sum(t) for c in t] for t in (BLACK, REST))
    assert found["kullback_leibler"].reference == pytest.approx(stats.entropy(p, q))
    assert found["kullback_leibler"].uniform == pytest.approx(stats.entropy(p, [0.25] * 4))
    assert found["base_rate"].reference == pytest.approx(abs(443 / 3178 - 293 / 3276))
    assert found["predicted_positive_rate"].uniform == pytest.approx(0.5 - 1316 / 3178)
    cells = [found[cell].reference for cell in ("tp", "fn", "fp", "tn")]
    assert cells == pytest.approx([abs(a - b) for a, b in zip(p, q, strict=True)])
    assert sum(cells) == pytest.approx(found["l1"].reference)
    written = smooth(BLACK, REST).checks.to_dict()
    assert written["distances"]["tn"]["uniform"] == pytest.approx(abs(p[3] - 0.25))
    assert written["size_warning"] is None
    ruled_out = smooth(GROUP, (0, 1, 1, 1)).checks.distances
    assert ruled_out["kullback_leibler"].reference == inf


def test_errors_in_the_checks_are_exact():
    checks = smooth(GROUP, REST, strength=20).checks
    for name in ("recall", "matthews_correlation"):
        prior = [20 * Fraction(c, 3276) for c in REST]
        # A smaller twin of the same sum: 6 cases with the same shares.
        six = smooth(ConfusionMatrix(tp=1, fn=1, fp=2, tn=2), REST, strength=20).checks
        expected = float(twins.risk(name, 6, (1, 1, 2, 2), prior, twins.multinomial)[2])
        assert six.mse[name]["strength=20"] == pytest.approx(expected, rel=1e-11)
    assert set(checks.mse["accuracy"]) == {
        "raw", "add_one", "strength=5", "strength=10", "strength=20", "strength=40"
    }  # fmt: skip
    assert checks.ratios["accuracy"] == pytest.approx(
        checks.mse["accuracy"]["strength=20"] / checks.mse["accuracy"]["raw"]
    )
    assert len(checks.mse) == 11


def test_checks_say_whether_it_helps():
    near = smooth(GROUP, GROUP, strength=10).checks
    assert near.helps
    assert len(near.ratios) == 11
    far = smooth(ConfusionMatrix(tp=1, fn=1, fp=40, tn=58), (1, 1, 1, 97), strength=40).checks
    assert not far.helps
    assert str(far).startswith("smoothing may hurt; distance ")
    none = smooth(GROUP, REST, strength=0).checks
    assert set(none.ratios.values()) == {1.0}


def test_an_observed_rate_of_one_cannot_judge():
    """Taken as the truth, a recall of 1 is estimated without error: no ratio to that."""
    checks = smooth(table((3, 0, 2, 15)), table((30, 20, 30, 40)), strength=5).checks
    assert checks.mse["recall"]["raw"] == 0
    assert checks.unjudged == ("recall", "negative_predictive_value")
    assert set(checks.ratios) == set(checks.mse) - set(checks.unjudged)
    assert np.isfinite(list(checks.ratios.values())).all()


# Shares such as 3/7 + 4/7 do not sum to 1 in doubles: what is left over is no error.
@pytest.mark.parametrize("cells", [(3, 0, 0, 4), (5, 0, 0, 1), (33, 0, 0, 16), (7, 0, 0, 3000)])
def test_rounding_is_no_error(cells):
    checks = smooth(table(cells), table((30, 20, 30, 40)), strength=5).checks
    judged = {"base_rate", "predicted_positive_rate"}
    assert set(checks.ratios) <= judged | {"prevalence_threshold"}
    assert judged <= set(checks.ratios)
    assert max(checks.ratios.values()) < 1e4


def test_nothing_to_judge_by():
    checks = smooth(table((6, 0, 0, 0)), table((30, 20, 30, 40)), strength=5).checks
    assert not checks.ratios
    assert not checks.helps
    assert str(checks).startswith("smoothing cannot be judged; distance ")
    none = smooth(table((0, 0, 0, 0)), table((30, 20, 30, 40)), strength=5).checks
    assert str(none).startswith("smoothing cannot be judged: the group has no cases\n")


def test_checks_of_a_large_group_leave_out_long_sums():
    found = smooth(BLACK, REST).checks
    assert len(found.mse) == 9
    assert "matthews_correlation" not in found.mse
    assert round(found.best_strengths["predicted_positive_rate"], 2) == 5.52
    p, q = ([Fraction(c, sum(t)) for c in t] for t in (BLACK, REST))
    apart = sum((x - y) ** 2 for x, y in zip(p, q, strict=True))
    assert found.best_strength == pytest.approx(float((1 - sum(x * x for x in p)) / apart))


def test_all_groups_at_a_time():
    groups = dict(small_data.FOLKTABLES)
    found = smooth_groups(groups, strength="empirical_bayes")
    assert list(found) == list(groups)
    strength = float(estimate_strength(groups))
    assert {s.strength for s in found.values()} == {strength}
    white = small_data.rest_of("FT White")
    np.testing.assert_allclose(found["FT White"].reference, [c / white.n for c in white])
    pooled = smooth_groups(groups, strength="pooled", reference=small_data.FOLKTABLES_ALL)
    assert pooled["FT White"].reference == pooled["FT Asian"].reference


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strength": "empirical_bayes"}, "one group cannot choose its own strength safely"),
        ({"strength": -1}, r"strength must lie in \[0, inf\)"),
        ({"strength": Strength(value=inf, method="pooled", n_groups=3)}, "by luck only"),
        ({"group": EMPTY, "strength": 0}, "must hold cases if strength is 0"),
        ({"group": ConfusionMatrix(tp=[1, 2], fn=1, fp=1, tn=1)}, "group must be a single"),
        ({"reference": EMPTY}, r"reference must hold at least one case, got 'no cases': pass"),
        ({"reference": (0, 0, 0, 0)}, "reference must hold at least one case, got 'no cases'"),
    ],
)
def test_refusals(arguments, message):
    given = {"group": GROUP, "reference": REST} | arguments
    with pytest.raises(InvalidArgumentError, match=message):
        smooth(given.pop("group"), given.pop("reference"), **given)


COUNTS = [[3, 1, 0], [0, 2, 0], [0, 0, 4]]
THREE = [[30, 5, 5], [10, 20, 10], [0, 5, 35]]


def test_several_classes_in_fractions():
    found = smooth_multiclass(COUNTS, THREE, strength=5)
    total = sum(map(sum, THREE))
    expected = [
        [(c + 5 * Fraction(q, total)) / 15 for c, q in zip(a, b, strict=True)]
        for a, b in zip(COUNTS, THREE, strict=True)
    ]
    np.testing.assert_allclose(found.probabilities, np.array(expected, float), rtol=1e-14)
    np.testing.assert_allclose(found.table, 10 * np.array(expected, float), rtol=1e-14)
    p = [Fraction(c, 10) for row in COUNTS for c in row]
    q = [Fraction(c, total) for row in THREE for c in row]
    best = (1 - sum(x * x for x in p)) / sum((x - y) ** 2 for x, y in zip(p, q, strict=True))
    assert found.best_strength == pytest.approx(float(best))


def test_row_by_row_keeps_the_class_shares():
    found = smooth_multiclass(COUNTS, THREE, strength=5, per_row=True)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), [0.4, 0.2, 0.4])
    assert found.probabilities[0, 0] == pytest.approx(0.4 * (3 + 5 * 0.75) / 9)
    assert isnan(found.best_strength)
    absent = smooth_multiclass([[3, 1], [0, 0]], [[1, 1], [1, 3]], strength=2, per_row=True)
    np.testing.assert_allclose(absent.probabilities, [[4 / 6, 2 / 6], [0, 0]])


def test_two_classes_agree_with_smooth():
    found = smooth_multiclass([[2, 1], [6, 11]], [[116, 177], [554, 2429]], strength=7)
    np.testing.assert_allclose(
        found.probabilities.ravel(), smooth(GROUP, REST, strength=7).probabilities
    )


@pytest.mark.parametrize(
    ("group", "reference", "options", "message"),
    [
        ([[1, 2]], THREE, {}, "group must be a square array"),
        ([[1, -2], [1, 1]], THREE, {}, "group must be a square array of non-negative"),
        ([[1, 2], [1, 1]], THREE, {}, r"group must have the shape of the reference, \(3, 3\)"),
        (COUNTS, np.zeros((3, 3)), {}, "reference must hold at least one case"),
        (np.zeros((3, 3)), THREE, {"per_row": True}, "group must hold cases"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 0]], {"per_row": True}, "none in row 1.*per_row=False"),
        (COUNTS, THREE, {"strength": -2}, r"strength must lie in \[0, inf\)"),
    ],
)
def test_refusals_with_several_classes(group, reference, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        smooth_multiclass(group, reference, **options)

"""r["recall"]: any number of a report by its name, against numbers that were found otherwise."""

import pickle
from dataclasses import FrozenInstanceError
from math import isnan

import numpy as np
import pytest
from scipy.stats import beta

import baserate as br
from baserate.errors import InvalidArgumentError, UnknownNameError

REGION = ["North"] * 20 + ["South"] * 30
SEX = (["f"] * 5 + ["m"] * 5) * 5
TRUTH = [1] * 10 + [0] * 10 + [1] * 10 + [0] * 20
FOUND = [1] * 8 + [0] * 12 + [1] * 4 + [0] * 6 + [1] * 5 + [0] * 15
RISKS = [0.1, 0.3, 0.2, 0.7, 0.6, 0.9, 0.4, 0.8]
HAPPENED = [0, 0, 1, 0, 1, 1, 0, 1]
THREE = ["a", "a", "a", "a", "b", "b", "b", "c", "c", "c"]
CALLED = ["a", "a", "a", "b", "b", "b", "c", "c", "c", "a"]


def jeffreys(hits, misses):
    return tuple(beta.ppf((0.025, 0.975), hits + 0.5, misses + 0.5))


def test_shares_of_all_cases_and_of_groups():
    r = br.evaluate(TRUTH, FOUND, groups=REGION)
    for key, hits, misses in (
        ("recall", 12, 8),
        ("tpr", 12, 8),
        ("Sensitivity", 12, 8),
        (("recall", "North"), 8, 2),
        (("recall", "South"), 4, 6),
        (("hit rate", {"group": "South"}), 4, 6),
        (("ppv", ("South",)), 4, 5),
    ):
        found = r[key]
        assert found.value == hits / (hits + misses)
        assert (found.low, found.high) == pytest.approx(jeffreys(hits, misses), rel=1e-9)
        assert (found.confidence_level, found.method) == (0.95, "bayes")
    low, high = jeffreys(8, 2)
    said = f"recall of North 0.80 (95% credible interval {low:.3f} to {high:.3f})"
    assert str(r["recall", "North"]) == said
    assert r["recall", "North"].to_dict()["metric"] == "recall"
    assert float(r["recall"]) == 0.6


def test_intervals_of_clusters_come_from_leaving_them_out():
    r = br.evaluate(TRUTH, FOUND, cluster=[*range(25)] * 2)
    assert r["recall"].method == r["mcc"].method == "jackknife"


def test_several_columns_of_groups_in_order_or_by_name():
    r = br.evaluate(TRUTH, FOUND, groups={"region": REGION, "sex": SEX})
    north = [y for y, g, s in zip(TRUTH, REGION, SEX, strict=True) if (g, s) == ("North", "m")]
    for label in (("North", "m"), "North, m", {"region": "North", "sex": "m"}):
        assert r["accuracy", label].of == ("North", "m")
    assert r["accuracy", "North", "m"] == r["accuracy", ("North", "m")]
    right = sum(y == p for y, p, g, s in zip(TRUTH, FOUND, REGION, SEX, strict=True)
                if (g, s) == ("North", "m"))  # fmt: skip
    assert r["accuracy", "North", "m"].value == right / len(north)
    with pytest.raises(KeyError, match=r"No part of this report is called 'North'. Did you mean"):
        _ = r["accuracy", "North"]


def test_scores_answer_by_the_names_of_their_measures():
    r = br.evaluate(HAPPENED, score=RISKS)
    y, s = np.array(HAPPENED), np.array(RISKS)
    # At 0.1 all are treated: 4 of 8 rightly, 4 wrongly at a ninth.
    assert r["net_benefit(0.1)"].value == pytest.approx((4 - 4 / 9) / 8, abs=1e-12)
    assert r["net_benefit(threshold=0.5)"].value == pytest.approx((3 - 1) / 8, abs=1e-12)
    area, slope = br.roc_auc(y, s), br.calibration(y, s).slope
    assert (r["auc"].low, r["auc"].high, r["auc"].p_value) == (area.low, area.high, area.p_value)
    assert (r["slope"].value, r["slope"].high) == (slope.value, slope.high)
    assert r["intercept"].value == br.calibration(y, s).intercept.value
    t = br.thresholds(HAPPENED, RISKS, metrics="f1", n_resamples=5)
    assert t["roc_auc"].value == r["roc_auc"].value
    called = s >= t["threshold(f1)"].value
    assert t["f1"].value == 2 * sum(called & (y == 1)) / (sum(called) + sum(y))
    assert isnan(t["f1"].low)
    assert "chosen on these cases" in str(t["f1"])


def test_costs_and_restated_metrics_need_no_parameters():
    r = br.evaluate(TRUTH, FOUND, cost={"fn": 10, "fp": 1})
    assert r["cost"].value == pytest.approx((10 * 8 + 5) / 50)
    assert r["cost"] == r["cost_per_case(fn=10, fp=1)"]
    assert str(r["cost"]).startswith("cost per case 1.7")
    at = br.evaluate(TRUTH, FOUND, base_rate=0.5, metrics="precision")
    assert at["precision"].value == pytest.approx(0.6 / (0.6 + 5 / 30))
    with pytest.raises(KeyError, match="No number here"):
        _ = at["precision.at_base_rate(0.3)"]
    u = br.evaluate(TRUTH, FOUND, utility=[[1, -1], [-2, 0]])
    assert u["utility"].value == pytest.approx((12 - 5 - 2 * 8) / 50)


def test_three_classes():
    r = br.evaluate(THREE, CALLED, groups=["x", "y"] * 5)
    # Recalls 3/4, 2/3, 2/3; precisions 3/4, 2/3, 2/3: so every F1 is the recall.
    assert r["macro_f1"].value == pytest.approx((3 / 4 + 2 / 3 + 2 / 3) / 3)
    assert r["accuracy"].value == 0.7
    assert r["recall", "a"].value == 0.75
    assert (r["recall", "a"].low, r["recall", "a"].high) == pytest.approx(jeffreys(3, 1), rel=1e-9)
    assert r["precision", {"class": "b"}].value == pytest.approx(2 / 3)
    right = [y == p for y, p in zip(THREE, CALLED, strict=True)][::2]
    assert r["accuracy", "x"].value == sum(right) / 5
    with pytest.raises(UnknownNameError) as error:
        _ = r["recall"]
    assert str(error.value) == "recall is here of each class: a, b, c; write r['recall', 'a']."


@pytest.mark.slow
def test_a_class_and_a_group_of_one_name_are_told_apart_by_column():
    r = br.evaluate(THREE, CALLED, groups=["a", "b"] * 5, metrics="accuracy, recall")
    assert r["recall", "a"].of == ("a",)
    a = br.audit(THREE, CALLED, groups=["a", "b"] * 5)
    assert (a["accuracy", "a"].value, a["accuracy", "b"].value) == (0.8, 0.6)
    both = br.evaluate(
        [*THREE, *THREE], [*CALLED, *CALLED], groups=["a", "b"] * 10, metrics="accuracy,f1"
    )
    assert both["accuracy", {"group": "a"}].value == 0.8


def test_calibration_of_groups_has_the_level_of_the_audit():
    region = ["n", "s"] * 4
    a = br.audit(HAPPENED, score=RISKS, groups=region, alpha=0.1)
    assert a["observed_expected", "n"].value == pytest.approx(2 / (0.1 + 0.2 + 0.6 + 0.4))
    assert a["observed_expected", "n"].confidence_level == pytest.approx(0.9)


@pytest.mark.slow
def test_comparisons_have_classifiers_and_differences_either_way():
    other = [1] * 5 + [0] * 45
    data = {"y": TRUTH, "new": FOUND, "old": other}
    c = br.compare(br.cases(pandas(data), target="y", prediction=["new", "old"]),
                   metrics="recall, precision")  # fmt: skip
    assert (c["recall", "new"].value, c["recall", "old"].value) == (0.6, 0.25)
    found, back = c["difference(recall, new, old)"], c["difference(tpr,old,new)"]
    assert found.value == pytest.approx(0.35)
    assert (back.value, back.low, back.high) == (-found.value, -found.high, -found.low)
    assert c["difference(recall)", "new", "old"] == found
    assert str(found).startswith("difference in recall (new less old) 0.35 (95%")
    assert c["difference(accuracy, new, old)"].value == pytest.approx((37 - 35) / 50)
    with pytest.raises(KeyError, match=r"'new, older'. Did you mean 'new, old'"):
        _ = c["difference(recall, new, older)"]
    costs = br.compare(pandas(data), target="y", prediction=["new", "old"], cost="fn=10,fp=1")
    assert costs["cost", "new"].value == pytest.approx(85 / 50)
    assert costs["difference(cost, new, old)"].value == pytest.approx((85 - 150) / 50)
    assert costs["cost", "new"].low < 1.7 < costs["cost", "new"].high
    assert costs["yield", "new"].value == pytest.approx(-1.7)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("recal", "No number here is called 'recal'. Did you mean 'recall'? It has accuracy, bal"),
        ("yule_q", "other metrics are named in metrics (--metrics)"),
        ("cost", "No number here is called 'cost'"),
        ("gap(recall)", "No number here is called 'gap(recall)'. Reports of audit have a gap."),
        (("recall", "Nrth"), "No part of this report is called 'Nrth'. Did you mean 'North'?"),
        (("specificity", "North"), "specificity is here of all cases: r['specificity']."),
        ((), "No number here"),
        (3, "No number here is called '3'"),
    ],
)
def test_an_unknown_name_is_a_key_error_in_one_line(key, expected):
    r = br.evaluate(TRUTH, FOUND, groups=REGION)
    with pytest.raises(KeyError) as error:
        _ = r[key]
    assert isinstance(error.value, UnknownNameError)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_a_family_with_parameters_out_of_range_is_refused_as_everywhere():
    r = br.evaluate(TRUTH, FOUND)
    with pytest.raises(InvalidArgumentError):
        _ = r["net_benefit(2)"]


def test_numbers_are_frozen_and_travel():
    r = br.evaluate(TRUTH, FOUND, groups=REGION)
    found = r["recall", "North"]
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - written in this line
    assert hash(found) == hash(r["tpr", "North"])
    with pytest.raises(FrozenInstanceError):
        found.value = 1
    undefined = br.evaluate([1, 0], [0, 0], metrics="precision")["precision"]
    assert isnan(undefined.value)
    assert str(undefined).startswith("precision is undefined: ")


def test_a_metric_of_ones_own():
    mine = br.metrics.define(
        "half_recall", lambda tp, fn, fp, tn: tp / (tp + fn) / 2, bounds=(0, 1)
    )
    r = br.evaluate(TRUTH, FOUND, metrics=[mine])
    assert r["half_recall"].value == r[mine].value == 0.3


def pandas(data):
    return pytest.importorskip("pandas").DataFrame(data)


@pytest.mark.slow
def test_an_unknown_parameter_is_answered_with_those_that_there_are():
    r = br.evaluate(HAPPENED, score=RISKS)
    with pytest.raises(KeyError, match=r"Did you mean 'net_benefit\(threshold=0\.\d+\)'"):
        _ = r["net_benefit(0.15)"]


def test_differences_of_each_class():
    frame = pandas({"y": THREE * 4, "p": CALLED * 4, "q": THREE[::-1] * 4})
    k = br.compare(frame, target="y", prediction=["p", "q"])
    # All four of class a are called a in three of four cases; read backwards in none.
    assert k["difference(recall, p, q)", "a"].value == 0.75
    assert k["difference(recall)", "a", "q", "p"].value == -0.75
    with pytest.raises(InvalidArgumentError, match="the classes are none here"):
        k.check("recall >= 0.2@classes")


def test_labels_that_hold_commas_are_told_apart_where_they_are_given_one_by_one():
    one, two = ["a", "a, b"], ["b, c", "c"]
    groups = {"one": [one[k % 2] for k in range(50)], "two": [two[k % 2] for k in range(50)]}
    r = br.evaluate(TRUTH, FOUND, groups=groups)
    for k in range(2):
        right = [y == p for y, p in zip(TRUTH, FOUND, strict=True)][k::2]
        assert r["accuracy", one[k], two[k]].value == sum(right) / len(right)
    with pytest.raises(InvalidArgumentError, match="names several parts"):
        _ = r["accuracy", "a, b, c"]


def test_a_report_is_no_sequence_of_numbers():
    r = br.evaluate(TRUTH, FOUND)
    with pytest.raises(TypeError, match="not iterable"):
        list(r)
    with pytest.raises(TypeError):
        _ = "recall" in r


def test_frames_and_flat_numbers_tell_what_the_records_do():
    published = br.evaluate({k: br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4) for k in "AB"})
    flat = published.to_dict(flat=True)
    assert flat["A/tp"] == 3
    assert "tp" not in flat  # no table is of both
    r = br.evaluate(HAPPENED, score=RISKS)
    luck = {row["name"]: row["p_luck"] for row in r.to_frame("polars").to_dicts()}
    assert luck["roc_auc"] == r["roc_auc"].p_value
    assert luck["observed_expected"] is None  # not of luck
    assert r["observed_expected"].p_value > 0
    assert {"tp", "fn", "fp", "tn"} < {
        *br.thresholds(HAPPENED, score=RISKS, n_resamples=5).to_frame()
    }
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 20)
    data = pandas({"y": THREE * 2, "g": ["x", "y"] * 10, **dict(zip("abc", shares.T, strict=True))})
    how = {"target": "y", "score": ["a", "b", "c"], "groups": "g", "metrics": "macro_f1"}
    t = br.thresholds(data, **how, n_resamples=5)
    assert t["macro_f1", "x"].value == t.facts.groups[0].weights[0].value


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("door", [br.evaluate, br.audit, br.thresholds])
def test_each_group_has_its_observed_over_expected(door, weighted):
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv("examples/two_models.csv")
    frame["w"] = 1 + frame.index % 3 if weighted else 1
    how = {"weight": "w"} if weighted else {}
    how |= {"n_resamples": 5} if door is br.thresholds else {}
    found = door(frame, target="label", score="probability", groups="site", **how)
    for site, own in frame.groupby("site"):
        expected = (own["w"] * own["label"]).sum() / (own["w"] * own["probability"]).sum()
        one = found["observed_expected", site]
        assert float(one) == pytest.approx(expected, rel=1e-12)
        assert one.low < float(one) < one.high


def test_a_gap_is_of_no_group_and_that_is_said():
    a = br.audit(TRUTH, FOUND, groups=REGION)
    with pytest.raises(UnknownNameError) as error:
        a.check("gap(recall, region) <= 0.1")
    assert str(error.value).endswith("gap(recall) is one number of all cases: write gap(recall).")
    assert a["gap(recall)"].value >= 0


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("recall gap", ("gap(recall)",)),
        ("recall_difference", ("gap(recall)",)),
        ("disparate_impact", ("ratio(predicted_positive_rate)",)),
        ("demographic_parity", ("gap(predicted_positive_rate)",)),
        ("equalized_odds", ("gap(recall)", "gap(false_positive_rate)")),
    ],
)
def test_a_gap_by_another_word_is_told_its_name(asked, meant):
    a = br.audit(TRUTH, FOUND, groups=REGION)
    with pytest.raises(UnknownNameError) as error:
        _ = a[asked]
    assert str(error.value).endswith(f"Write {' and '.join(meant)}.")
    assert all(a[name].value >= 0 for name in meant)


def test_a_difference_of_no_classifiers_is_told_how_two_are_named():
    r = br.compare(TRUTH, {"old": FOUND, "new": TRUTH})
    with pytest.raises(InvalidArgumentError) as error:
        r.check("difference(recall) >= 0")
    written = str(error.value).rpartition(": write ")[2].removesuffix(".")
    assert written == "difference(recall, old, new) >= 0"
    assert not r.check(written)


def test_specificity_that_was_asked_for_is_told_in_the_place_of_precision():
    said = str(br.evaluate([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], metrics="recall,specificity"))
    assert "of the 3 negatives, 67% are not flagged (specificity;" in " ".join(said.split())
    assert "precision" not in said.split("Positive:", maxsplit=1)[0]

"""r.check("recall >= 0.8@low"): what is judged, against limits that were found otherwise."""

import re
from dataclasses import FrozenInstanceError
from math import isnan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom

import baserate as br
from baserate.errors import BaserateError, InvalidArgumentError, UnknownNameError
from baserate.inference.paired import score_limits

REGION = ["North"] * 20 + ["South"] * 30
TRUTH = [1] * 10 + [0] * 10 + [1] * 10 + [0] * 20
FOUND = [1] * 8 + [0] * 12 + [1] * 4 + [0] * 6 + [1] * 5 + [0] * 15
RISKS = [0.1, 0.3, 0.2, 0.7, 0.6, 0.9, 0.4, 0.8]
HAPPENED = [0, 0, 1, 0, 1, 1, 0, 1]
THREE = ["a", "a", "a", "a", "b", "b", "b", "c", "c", "c"]
CALLED = ["a", "a", "a", "b", "b", "b", "c", "c", "c", "a"]
EPS = 1e-6


def lower(hits, misses, level=0.95):
    return beta.ppf((1 - level) / 2, hits, misses + 1)


def upper(hits, misses, level=0.95):
    return beta.ppf((1 + level) / 2, hits + 1, misses)


@pytest.fixture(scope="module")
def report():
    return br.evaluate(TRUTH, FOUND, groups=REGION)


def test_values_are_kept_or_broken_at_their_limit(report):
    for kept, broken in (
        ("recall >= 0.6", "recall > 0.6"),
        ("tpr <= 0.6", "recall < 0.6"),
        ("recall in 0.6..0.7", "recall in 0.61..0.7"),
        ("recall in -1..0.6", "recall in 0..0.5"),
        ("  Sensitivity>=6e-1 ", "recall>=.61"),
    ):
        assert report.check(kept)
        assert not report.check(broken)
    found = report.check("recall >= 0.7", "recall < 0.6", "recall in 0.7..0.8", "recall >= 0.5")
    assert found.sentences == (
        "recall is 0.6, under 0.7",
        "recall is 0.6, not under 0.6",
        "recall is 0.6, not within 0.7 to 0.8",
    )
    assert [one.kept for one in found.promises] == [False, False, False, True]
    assert str(found).startswith("3 of 4 promises are broken\n  recall is 0.6, under 0.7\n")


def test_ends_of_shares_are_those_of_clopper_and_pearson(on_record, report):
    low, high = lower(12, 8), upper(12, 8)
    assert report.check(f"recall >= {low - EPS}@low", f"recall <= {high + EPS}@high")
    found = report.check(f"recall >= {low + EPS}@low", f"recall <= {high - EPS}@high")
    surely = report.check("recall >= 0.95@low")
    on_record({"broken": found.sentences, "surely": surely.sentences})
    at = br.evaluate(TRUTH, FOUND, confidence_level=0.8)
    assert at.check(f"recall >= {lower(12, 8, 0.8) - EPS}@low")
    assert not at.check(f"recall >= {lower(12, 8, 0.8) + EPS}@low")
    j = lower(12, 13)  # F1 goes by the share 12 of 25: 2 J / (1 + J)
    assert report.check(f"f1 >= {2 * j / (1 + j) - EPS}@low")
    assert not report.check(f"f1 >= {2 * j / (1 + j) + EPS}@low")


def test_the_options_and_statements_are_one_grammar():
    from baserate.evaluation.contracts import Contract

    for text, option in (("recall=0.8@low@groups", "--fail-under"), ("fnr=0.1", "--fail-over")):
        old = Contract.of(text, option)
        name, _, limit = text.partition("=")
        new = Contract.of(f"{name} {old.operator} {limit}", "--require")
        for field in ("name", "metric", "operator", "limit", "end", "part", "label"):
            assert getattr(old, field) == getattr(new, field)


def test_what_is_kept_by_luck_perhaps_is_said(on_record, report):
    found = report.check("recall >= 0.55")
    assert found
    assert found.sentences == ()
    within = report.check("recall in 0.5..0.7@groups@probability=0.001")
    on_record(
        {
            "perhaps": str(found),
            "surely": str(report.check("recall >= 0.3")),
            "all together": str(within),
            "within": str(report.check("recall in 0.5..0.7")),
        }
    )


@pytest.mark.parametrize("end", ["@low", "@high", "@groups@low", "@low@groups"])
def test_a_range_with_an_end_is_told_the_two_statements_that_are_understood(report, end):
    apart = end.replace("@low", "").replace("@high", "")
    low, high = f"recall >= 0.1@low{apart}", f"recall <= 0.999@high{apart}"
    with pytest.raises(InvalidArgumentError, match=re.escape(f'write "{low}", "{high}".')):
        report.check(f"recall in 0.1..0.999{end}")
    assert report.check(low, high)


@pytest.mark.slow
def test_all_of_several_promises_are_kept_by_luck_no_more_often_than_the_false_one():
    """At a recall on its limit and a perfect specificity, summed over all samples of 30 and 40."""
    true = 0.7
    passed = sum(
        binom.pmf(found, 30, true)
        for found in range(31)
        if br.evaluate(br.ConfusionMatrix(tp=found, fn=30 - found, fp=0, tn=40)).check(
            f"recall >= {true}@low", "specificity >= 0.8@low"
        )
    )
    kept = br.evaluate(br.ConfusionMatrix(tp=30, fn=0, fp=0, tn=40)).check(
        f"recall >= {true}@low", "specificity >= 0.8@low"
    )
    assert 0.005 < passed <= kept.joint_error == pytest.approx(0.025)
    assert str(kept).splitlines()[1:] == [
        "  if one is false, at most 2.5% of samples keep all of them by luck"
    ]
    assert "by luck" not in str(kept.promises[0])
    other = br.evaluate(br.ConfusionMatrix(tp=30, fn=0, fp=0, tn=40)).check(
        f"recall >= {true}@low", "mcc >= 0.5@low"
    )
    assert "  if one is false, about 2.5% of samples keep all of them by luck" in str(other)


def test_doubts_of_several_probabilities_add_up(report):
    found = report.check("recall >= 0.3@probability=0.9", "recall <= 0.9@probability=0.9")
    law = beta(12.5, 8.5)
    assert found.joint_error == pytest.approx(law.cdf(0.3) + law.sf(0.9), abs=1e-9)
    assert isnan(report.check("recall >= 0.3", "recall <= 0.9@high").joint_error)


def test_probabilities_are_those_of_the_posterior(report):
    law = beta(12.5, 8.5)
    p = law.sf(0.5)
    assert report.check(f"recall >= 0.5@probability={p - EPS}")
    assert not report.check(f"recall >= 0.5@probability={p + EPS}")
    q = law.cdf(0.7) - law.cdf(0.5)
    assert report.check(f"recall in 0.5..0.7@probability={q - EPS}")
    found = report.check(f"recall in 0.5..0.7@probability={q + EPS}")
    assert found.sentences == (
        f"the probability of recall in 0.5 to 0.7 is {q:.6g}, under {q + EPS:g}",
    )
    in_south = beta(4.5, 6.5).sf(0.3)
    assert report.check(f"recall > 0.3@probability={in_south - EPS}@group=South")
    weighted = br.evaluate(TRUTH, FOUND, weight=[1, 2] * 25)
    for r, name in ((weighted, "recall"), (br.evaluate(HAPPENED, score=RISKS), "roc_auc")):
        with pytest.raises(InvalidArgumentError, match="of one table of independent cases"):
            r.check(f"{name} >= 0.5@probability=0.9")


def test_groups_one_by_one(report):
    assert report.check("recall >= 0.4@groups", "recall >= 0.8@group=North")
    found = report.check("recall >= 0.5@groups")
    assert found.sentences == ("recall of group South is 0.4, under 0.5",)
    low = lower(8, 2)
    assert report.check(f"recall >= {low - EPS}@low@group=North")
    assert not report.check(f"recall >= {low + EPS}@low@group=North")
    audit = br.audit(TRUTH, FOUND, groups=REGION)
    assert audit.check(f"recall >= {low - EPS}@low@group=North", "recall >= 0.4@groups")
    assert not audit.check(f"recall >= {low + EPS}@low@group=North")


@pytest.mark.slow
def test_scores(report):
    r = br.evaluate(HAPPENED, score=RISKS)
    y, s = np.array(HAPPENED), np.array(RISKS)
    brier, ratio = np.mean((s - y) ** 2), y.sum() / s.sum()
    assert r.check(
        f"brier_score <= {brier + EPS}", f"observed_expected in {ratio - EPS}..{ratio + EPS}"
    )
    found = r.check(f"brier_score <= {brier - EPS}", "observed_expected in 1.1..1.25")
    assert [said.partition(" is ")[0] for said in found.sentences] == [
        "brier_score", "observed_expected",
    ]  # fmt: skip
    area = br.roc_auc(HAPPENED, RISKS)
    assert r.check(f"roc_auc >= {area.low - EPS}@low")
    found = r.check(f"auc >= {area.low + EPS}@low")
    assert found.sentences[0].startswith("the lower end of the 95% interval of roc_auc is ")


def test_costs():
    r = br.evaluate(TRUTH, FOUND, cost={"fn": 10, "fp": 1})
    assert r.check(f"cost <= {85 / 50}")
    assert not r.check("cost <= 1.69")
    assert not r.check("cost <= 1.7@high")


def test_gaps_and_ratios_of_audits():
    a = br.audit(TRUTH, FOUND, groups=REGION)
    assert a.check("gap(recall) <= 0.4000001")
    assert a.check("gap(tpr) <= 0.39").sentences == ("gap(recall) is 0.4, over 0.39",)
    selected = (9 / 30) / (8 / 20)
    assert a["ratio(selection_rate)"].value == pytest.approx(selected)
    tables = {
        "n": br.ConfusionMatrix(tp=8, fn=2, fp=0, tn=10),
        "s": br.ConfusionMatrix(tp=4, fn=6, fp=5, tn=15),
    }
    known = br.groups.group_ratio("selection_rate", tables)
    assert a["ratio(ppr)"].low == pytest.approx(known.low)
    assert a.check(f"ratio(selection_rate) >= {selected - EPS}")
    assert not a.check("ratio(selection_rate) >= 0.8")
    assert not a.check(f"ratio(selection_rate) >= {known.low + EPS}@low")
    assert a.check(f"ratio(selection_rate) >= {known.low - EPS}@low")
    assert "can be negative" in a.check("ratio(mcc) >= 0.5").sentences[0]
    clustered = br.audit(TRUTH, FOUND, groups=REGION, cluster=[k // 2 for k in range(50)])
    assert clustered["ratio(ppr)"].value == pytest.approx(selected)
    assert clustered["ratio(ppr)"].low < a["ratio(ppr)"].low
    assert clustered.check("ratio(ppr) >= 0.1@low")
    alone = br.audit(TRUTH, FOUND, groups=REGION, cluster=REGION)
    assert isnan(alone["ratio(ppr)"].low)
    assert not alone.check("ratio(ppr) >= 0.1@low")
    assert "no interval of it is known" in str(alone.check("ratio(ppr) >= 0.1"))


def test_differences_of_a_comparison(on_record):
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"y": TRUTH, "new": FOUND, "old": [1] * 5 + [0] * 45})
    c = br.compare(data, target="y", prediction=["old", "new"], metrics="recall")
    only_new, only_old = 12 - 5, 0  # of 20 positives; the limit is held to its law in test_margins
    low, _ = score_limits(only_new, only_old, 20, 0.95)
    assert c["difference(recall, new, old)"].value == pytest.approx((only_new - only_old) / 20)
    assert c.check("difference(recall, new, old) >= 0.349", "difference(recall,old,new) <= -0.34")
    assert c.check(f"difference(tpr, new, old) >= {low - EPS}@low")
    found = c.check(f"difference(tpr, new, old) >= {low + EPS}@low")
    on_record(found.sentences)
    assert c.check(
        "recall >= 0.6@classifier=new", f"recall >= {lower(12, 8) - EPS}@low@classifier=new"
    )
    assert c.check("recall >= 0.6@classifiers").sentences == (
        "recall of classifier old is 0.25, under 0.6",
    )
    with pytest.raises(InvalidArgumentError, match=r"write difference\(recall, old, new\) >= 0"):
        c.check("difference(recall) >= 0")
    with pytest.raises(InvalidArgumentError, match=r"recall >= 0\.6@classifiers"):
        c.check("recall >= 0.6")


def test_three_classes():
    r = br.evaluate(THREE, CALLED)
    assert r.check("macro_f1 >= 0.69", "recall >= 0.66@classes", "recall >= 0.75@class=a")
    assert r.check("recall >= 0.7@classes").sentences == (
        "recall of class b is 0.666667, under 0.7",
        "recall of class c is 0.666667, under 0.7",
    )
    low = lower(3, 1)
    assert r.check(f"recall >= {low - EPS}@low@class=a")
    assert not r.check(f"recall >= {low + EPS}@low@class=a")
    low = lower(7, 3)
    assert r.check(f"accuracy >= {low - EPS}@low")
    assert not r.check(f"accuracy >= {low + EPS}@low")
    with pytest.raises(InvalidArgumentError, match=r"write recall >= 0\.7@classes, recall >= "):
        r.check("recall >= 0.7")


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("how", ["weight", "cluster"])
def test_24_of_24_pass_no_gate_that_independent_cases_do_not(how):
    """Clopper and Pearson's limit of 24 of 24, 0.8575, each of weight 3 or a cluster of its own."""
    truth = [1] * 24 + [0] * 10
    r = br.evaluate(truth, truth, **{how: [3] * 34 if how == "weight" else range(34)})
    assert not r.check("recall >= 0.9@low")
    assert r.check("recall >= 0.857@low")
    a = br.audit([*truth, *truth], [*truth, *truth], groups=["x"] * 34 + ["y"] * 34,
                 **{how: [3] * 68 if how == "weight" else range(68)})  # fmt: skip
    assert not a.check("recall >= 0.9@low@group=x")
    assert a.check("recall >= 0.857@low@group=x")


def test_undefined_values_keep_nothing():
    r = br.evaluate([1, 0], [0, 0], metrics="precision, recall")
    found = r.check("precision >= 0", "precision <= 1", "precision in -5..5", "precision >= 0@low")
    assert not any(found.promises)
    assert found.sentences[0].startswith("precision is undefined, so that nothing is shown: ")


@pytest.mark.parametrize(
    "statement",
    [
        "", "recall", "recall >=", ">= 0.8", "recall == 0.8", "recall=0.8", "recall >= high",
        "recall >= nan", "recall >= 0.8@", "recall >= 0.8@lower", "recall >= 0.8@low@high",
        "recall >= 0.8@groups@classes", "recall in 0.8", "recall in 0.9..0.8",
        "recall >= 0.8@probability=2", "recall >= 0.8@probability", "recall >= 0.8 low", None, 0.8,
    ],
)  # fmt: skip
def test_what_is_no_statement_is_refused_in_one_line(report, statement):
    with pytest.raises(InvalidArgumentError) as error:
        report.check(statement)
    assert str(error.value).startswith("statement must have the form NAME >= NUMBER")
    assert "\n" not in str(error.value)


def test_a_check_of_nothing_is_refused(report):
    with pytest.raises(InvalidArgumentError, match="must have the form"):
        report.check()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("recal >= 0.8", "Did you mean 'recall'?"),
        ("roc_auc >= 0.8", "No number here is called 'roc_auc'"),
        ("gap(recall) <= 0.1", "Reports of audit have a gap"),
        ("difference(recall, a, b) >= 0", "Reports of compare have a difference"),
        ("recall >= 0.8@group=West", "the groups are North, South."),
        ("recall >= 0.8@classes", "leave @class out"),
        ("recall >= 0.8@classifiers", "No classifier for"),
        ("specificity >= 0.8@groups", "is not of one group"),
    ],
)
def test_what_the_report_does_not_know_is_said(report, statement, expected):
    with pytest.raises(BaserateError) as error:
        report.check(statement)
    assert expected in str(error.value)
    assert isinstance(error.value, UnknownNameError | InvalidArgumentError)


def test_the_result_is_frozen_and_plain(report):
    found = report.check("recall >= 0.7")
    assert found.to_dict()["kept"] is False
    assert found.to_dict()["sentences"] == ["recall is 0.6, under 0.7"]
    assert found.to_dict()["promises"][0]["judged"] == 0.6
    assert bool(found) is False
    with pytest.raises(FrozenInstanceError):
        found.promises = ()
    assert found == report.check("recall >= 0.7")


@pytest.mark.parametrize(
    ("promise", "remedy"),
    [
        ("recall >= 0.1@low", "or balanced_accuracy >= 0.1@low"),
        ("precision >= 0.1", "or macro_precision >= 0.1"),
        ("roc_auc >= 0.1", "or roc_auc_ovr >= 0.1"),
    ],
)
def test_what_all_classes_have_together_can_be_promised(promise, remedy):
    """What a refusal names as a remedy is understood."""
    rng = np.random.default_rng(2)
    shares = rng.dirichlet(np.ones(3), 90)
    data = pd.DataFrame(shares, columns=list("abc"))
    data["y"] = [rng.choice(list("abc"), p=share) for share in shares]
    how = {"target": "y", "score": list("abc")}
    with pytest.raises(InvalidArgumentError) as said:
        br.evaluate(data, **how).check(promise)
    assert remedy in str(said.value)
    assert br.evaluate(data, metrics="macro_precision, macro_recall", **how).check(
        remedy.removeprefix("or ")
    )


def test_a_promise_of_all_cases_names_the_groups_that_break_it():
    """Recall is 10/12 of all, 8/8 of the first group and 2/4 of the second."""
    truth, found = [1] * 12 + [0] * 4, [1] * 8 + [1, 1, 0, 0] + [0] * 4
    group = ["large"] * 8 + ["small"] * 4 + ["large", "large", "small", "none"]
    report = br.evaluate(truth, found, groups={"size": group})
    checked = report.check("recall >= 0.8")
    assert checked
    assert checked.promises[0].broken_in == ("small",)
    assert 'groups break it ("small"); @groups asks each' in str(checked)
    assert not report.check("recall >= 0.4").promises[0].broken_in
    assert not report.check("recall >= 0.8@groups")


@pytest.mark.parametrize(
    ("asked", "strict"),
    [
        ("recall >= 0.65@high", "recall >= 0.65@low demands"),
        ("recall >= 0.65@high@groups", "recall >= 0.65@low@groups demands"),
        ("recall <= 0.65@low", "recall <= 0.65@high demands"),
    ],
)
def test_an_end_that_is_easy_to_keep_is_spoken_of(report, asked, strict):
    found = report.check(asked)
    assert found
    assert strict in str(found)


def test_which_groups_keep_a_promise_is_told_beside_those_that_break_it(on_record) -> None:
    tables = {
        "en": br.ConfusionMatrix(tp=183, fn=17, fp=1, tn=9),
        "fi": br.ConfusionMatrix(tp=9, fn=1, fp=1, tn=9),
        "mt": br.ConfusionMatrix(tp=21, fn=15, fp=1, tn=9),
        "is": br.ConfusionMatrix(tp=0, fn=0, fp=1, tn=9),
    }
    # Clopper-Pearson: 0.868 to 0.950; 0.555 to 0.997; 0.408 to 0.745; none.
    found = br.audit(tables, metrics="recall")
    asked = ("recall >= 0.8@low@groups", "recall >= 0.8@probability=0.9@groups")
    on_record({promise: found.check(promise).sentences for promise in asked})

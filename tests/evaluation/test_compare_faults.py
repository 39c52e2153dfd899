"""`compare` where answers are easily wrong: names, the positive class, ties, priors, warnings."""

import json
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.errors import BaserateError, InvalidArgumentError, LabelError

A = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
Y = [1, 1, 1, 0, 0, 0, 0, 0]
P = [0.9, 0.8, 0.3, 0.6, 0.2, 0.1, 0.4, 0.05]
Q = [0.6, 0.2, 0.7, 0.9, 0.8, 0.1, 0.3, 0.45]
CSV = "decision,0,1\nwait,1,-8\ntreat,-2,5\n"  # columns run 0, 1
NAMES = {"classes": [0, 1], "decisions": ["wait", "treat"]}
CASES = pd.DataFrame({"y": Y, "p": P, "q": Q})


@pytest.mark.slow
def test_constant_decisions_keep_their_names_where_labels_are_positive_and_negative():
    words = [["negative", "positive"][y] for y in Y]
    called = {n: [["negative", "positive"][x > 0.5] for x in s] for n, s in (("A", P), ("B", Q))}
    facts = br.compare(words, called, cost="fp=1,fn=3", positive="positive").facts
    # Without positives "negative" costs nothing, without negatives "positive" does.
    assert facts.by_base_rate[0].best == ("always negative",)
    assert facts.by_base_rate[-1].best == ("always positive",)
    turned = br.compare(words, called, cost="fp=1,fn=3", positive="negative").facts
    assert turned.by_base_rate[0].best == ("always positive",)
    assert turned.by_base_rate[-1].best == ("always negative",)
    assert turned.by_threshold[0].best == ("always negative",)


@pytest.mark.slow
def test_the_first_column_of_a_file_does_not_make_its_class_positive(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text(CSV)
    toml = tmp_path / "u.toml"
    toml.write_text("[utilities.wait]\n0 = 1\n1 = -8\n[utilities.treat]\n0 = -2\n1 = 5\n")
    how = {"target": "y", "score": ["p", "q"]}
    mapping = {"wait": {0: 1, 1: -8}, "treat": {0: -2, 1: 5}}
    for utility in (path, toml, mapping):
        facts = br.compare(CASES, utility=utility, threshold=0.5, **how).facts
        assert facts.positive == 1
        [at_half] = [c for c in facts.classifiers if c.name == "p @ 0.5"]
        # 0.9, 0.8 of the positives and 0.6 of the negatives are flagged.
        assert tuple(at_half.table) == (2, 1, 1, 4)
        assert at_half.value == (2 * 5 - 8 - 2 + 4) / 8
    toml.write_text("positive = '0'\n" + toml.read_text())
    assert br.compare(CASES, utility=toml, **how).facts.positive == 0
    assert br.compare(CASES, utility=path, positive=0, **how).facts.positive == 0


@pytest.mark.slow
def test_a_matrix_whose_first_class_is_0_asks():
    u = br.UtilityMatrix([[1, -8], [-2, 5]], **NAMES)
    how = {"target": "y", "score": ["p", "q"]}
    with pytest.raises(LabelError, match=r"0 as their positive class.*1 is the usual one: pass"):
        br.compare(CASES, utility=u, **how)
    for positive in (0, 1):
        assert br.compare(CASES, utility=u, positive=positive, **how).facts.positive == positive
    stated = br.UtilityMatrix([[1, -8], [-2, 5]], **NAMES, positive=1)
    assert br.compare(CASES, utility=stated, **how).facts.positive == 1
    # `evaluate` knows the positive class of its data.
    assert br.evaluate(Y, [p > 0.5 for p in P], utility=u, metrics="f1").facts.positive == 1


@pytest.mark.slow
def test_counts_take_the_first_class_and_say_so(tmp_path):
    counts, path = tmp_path / "counts.csv", tmp_path / "u.csv"
    counts.write_text("name,tp,fn,fp,tn\nA,27,23,15,35\nB,43,7,18,32\n")
    path.write_text("decision,ill,well\ntreat,8,-3\nwait,-4,1\n")
    from baserate.evaluation import CountsFile

    found = br.compare(CountsFile.each(counts), utility=path)
    assert (found.facts.positive, found.facts.positive_assumed) == ("ill", True)
    assert "the first class of the utilities, since nothing says which one" in method(found)
    named = br.compare(CountsFile.each(counts), utility=path, positive="well")
    assert (named.facts.positive, named.facts.positive_assumed) == ("well", False)
    assert "first class of the utilities" not in method(named)
    path.write_text(CSV)
    usual = br.compare(CountsFile.each(counts), utility=path).facts
    assert (usual.positive, usual.positive_assumed) == ("1", False)
    assert usual.classifiers[0].value == (27 * 5 - 23 * 8 - 15 * 2 + 35) / 100


@pytest.mark.slow
def test_a_classifier_that_is_the_best_constant_is_not_better_than_it():
    worst = 0
    for n, k, utility in ((49, 11, [[0.1, -0.7], [-0.3, 0.2]]), (30, 7, [[1.1, -0.1], [0.3, 0.2]]),
                          (90, 13, [[0.7, -0.4], [0.1, 0.6]])):  # fmt: skip
        y = np.arange(n) < k
        tables = {"never": np.zeros(n, dtype=bool), "always": np.ones(n, dtype=bool)}
        groups = np.where(np.arange(n) % 2, "odd", "even")
        facts = br.compare(y, tables, utility=utility, groups=groups, base_rate=[0.1, 1 / 3]).facts
        names = {"False": "never", "True": "always"}
        same = names[facts.constant]
        [found] = [c for c in facts.classifiers if c.name == same]
        assert (found.value, found.skill) == (facts.constant_value, 0.0)
        for place in (*facts.base_rates, *facts.groups):
            assert place.yields[names[place.constant]] == place.constant_value
            assert max(place.yields.values()) == place.constant_value
        # What floats alone would say, so that this test can fail:
        worst += facts.constant_value != br.UtilityMatrix(utility).utility_yield(found.table)
        text = br.compare(y, tables, utility=utility, groups=groups).render(details=True)
        assert f"{same} (P" not in text  # no verdict on the constant decision itself
        assert math.isnan(found.beats_constant)
        assert f"P(beats constant) of {same} is missing: it takes the best constant" in text
    assert worst


def test_skill_of_the_best_constant_is_0():
    u = br.UtilityMatrix([[0.1, -0.7], [-0.3, 0.2]])
    for k in range(1, 50):
        never = br.ConfusionMatrix(tp=0, fn=k, fp=0, tn=200 - k)
        assert u.skill(never) == 0.0
        assert u.skill(br.ConfusionMatrix(tp=1, fn=k - 1, fp=0, tn=200 - k)) > 0


def test_a_constant_classifier_has_no_probability_of_beating_itself():
    facts = br.compare(Y, {"A": [0] * 8, "B": [y > 0.5 for y in P]}, cost="fp=3,fn=1").facts
    assert facts.constant == "0"
    first, second = facts.classifiers
    assert math.isnan(first.beats_constant)
    assert first.beats_reason
    assert 0 < second.beats_constant < 1
    assert second.beats_reason is None
    assert first.to_dict()["beats_constant"] is None


@pytest.mark.slow
def test_separate_test_sets_have_known_shares_whether_or_not_they_agree():
    # The same base rate, stated or found: the same law of the difference.
    u = [[8, -3], [-4, 1]]
    found = br.compare({"A": A, "B": B}, utility=u)
    stated = br.compare({"A": A, "B": B}, utility=u, base_rate=0.5)
    assert found.facts.pairs[0].a_better == pytest.approx(stated.facts.pairs[0].a_better, rel=1e-9)
    # One classifier has the interval that it has alone; stated shares are known, own are not.
    alone = br.interval(br.UtilityMatrix(u).as_metric(), A)
    one, other = found.facts.classifiers[0], stated.facts.classifiers[0]
    assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-6)
    assert other.high - other.low < one.high - one.low
    told = " ".join(found.render(details=True).split())
    assert "at known class shares, those of all cases together." in told


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("source", ["cost", "file", "python"])
def test_a_decision_that_is_never_better_is_told_once_and_by_its_name(tmp_path, source):
    path = tmp_path / "u.toml"
    path.write_text("positive = '1'\n[utilities.treat]\n1 = 2\n0 = 1\n"
                    "[utilities.wait]\n1 = 0\n0 = 1\n")  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = {"cost": {"cost": "fp=0,fn=1"}, "file": {"utility": path},
                 "python": {"utility": br.UtilityMatrix([[2, 1], [0, 1]], ["treat", "wait"],
                                                        [1, 0])}
                 if source == "python" else {}}[source]  # fmt: skip
        br.compare(CASES, target="y", score=["p", "q"], **given)
    said = [str(w.message) for w in caught]
    wanted = "'0' is never better than '1'" if source == "cost" else "'wait' is never better than"
    assert len(said) == 1
    assert wanted in said[0]


@pytest.mark.slow
def test_cuts_that_flag_the_same_cases_are_one_classifier():
    y, s = [1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    q = [0.9, 0.2, 0.6, 0.4, 0.3, 0.1]
    facts = br.compare(y, score={"s": s, "q": q}, points="f1, mcc", threshold=0.4).facts
    names = [c.name for c in facts.classifiers]
    assert names[0] == "s @ f1, mcc, 0.4"
    assert all(pair.difference or pair.a[0] != pair.b[0] for pair in facts.pairs)
    assert facts.classifiers[0].cut_also == ("mcc", "0.4")
    with pytest.raises(BaserateError, match="cuts of s at f1, mcc flag the same cases"):
        br.compare(y, score={"s": s}, points="f1, mcc")


def method(result):
    return " ".join(result.render("markdown").split())


def test_a_classifier_with_the_name_of_a_constant_decision_is_refused_clearly():
    message = "a classifier must not have the name of a constant decision, got 'always 1': rename"
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        br.compare(Y, {"always 1": [1] * 8, "B": [q > 0.5 for q in Q]}, cost="fp=1,fn=3")


def test_facts_are_json():
    found = br.compare(Y, {"A": [0] * 8, "B": [int(y > 0.5) for y in P]}, cost="fp=3,fn=1")
    document = json.loads(found.render("json"))
    assert document["positive_assumed"] is False
    assert document["classifiers"][0]["beats_reason"] == "decides_constantly"


def test_two_sensitivities_are_told_what_compares_them():
    tables = {"a": (18, 2, 0, 0), "b": (35, 15, 0, 0)}
    names = ("tp", "fn", "fp", "tn")
    given = {
        name: br.ConfusionMatrix(**dict(zip(names, cells, strict=True)))
        for name, cells in tables.items()
    }
    with pytest.raises(InvalidArgumentError) as error:
        br.compare(given)
    said = str(error.value)
    assert 'write br.difference("recall", (18, 2), (35, 15)), or baserate audit FILE' in said
    assert br.difference("recall", (18, 2), (35, 15)).p_value < 0.1
    assert "recall" in br.audit(given, metrics="recall").render()

"""A comparison in words, in every format, from facts made by hand."""

import json
import math
from dataclasses import replace

import pytest

from baserate.counts import ConfusionMatrix
from baserate.facts import MetricFact
from baserate.facts.compared_scores import CurveFact, ScoreFact
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    PairFact,
    SpanFact,
    StakesFact,
    WorthFact,
)
from baserate.report.compare import render_comparison

FORMATS = ("table", "json", "markdown", "html")
NAN = math.nan


def classifier(name, value, rank, **more):
    table = ConfusionMatrix(tp=20, fn=30, fp=10, tn=40)
    metric = MetricFact(name="f1", direction="higher", value=0.5 + rank / 10, chance=0.667)
    known = {"low": value - 2, "high": value + 2, "skill": 0.1, "beats_constant": 0.9, "best": 0.7,
             "thresholds": (0.2, 0.6), "metrics": (metric,)}  # fmt: skip
    return ClassifierFact(name=name, value=value, rank=rank, table=table, **{**known, **more})


PAIR = PairFact(
    a="new", b="old", difference=1.0, low=-0.5, high=2.5, a_better=0.9, tau_star=0.25,
    a_thresholds=(0.25, 1.0), b_thresholds=(0.0, 0.25), flip=0.4, discordant=(1, 2, 3, 4),
    p_accuracy=1.0, p_recall=1.0, p_specificity=1.0,
)  # fmt: skip
STAKES = StakesFact(
    kind="utility", matrix=((8.0, -3.0), (-4.0, 1.0)), decisions=("treat", "wait"),
    classes=("ill", "well"), named=True, tau=0.25,
)  # fmt: skip


def facts(*classifiers, **changes):
    known = classifiers or (classifier("new", 3.0, 1), classifier("old", 2.0, 2))
    return ComparisonFacts(
        **{
            "positive": "ill", "labels": ("ill", "well"), "n": 100, "missing": 3, "paired": True,
            "base_rate": 0.5, "restated": False, "confidence_level": 0.95, "stakes": STAKES,
            "constants": {"treat": 2.5, "wait": -1.5}, "constant": "treat", "perfect": 4.5,
            "classifiers": known, "pairs": (PAIR,),
            "rankings": (MetricRanking(name="f1", first=("old",), wrong=(("new", "old"),)),),
            "by_threshold": (SpanFact(low=0.0, high=1.0, best=("new", "always wait")),),
            "by_base_rate": (SpanFact(low=0.0, high=1.0, best=("old",)),),
            "source": "cases.csv", "target": "sick",
        }
        | changes
    )  # fmt: skip


def answer(found):
    return render_comparison(found, "markdown").splitlines()[2]


def test_the_answer_comes_first():
    assert answer(facts()) == (
        'new earns 3 per case, old earns 2; always choosing "treat" earns 2.5, so old is not worth '
        "using. P(new better than old) = 0.90 with these 100 cases. P(new is worth more than "
        'always choosing "treat") = 0.90. F1 ranks old before new, which is wrong under these '
        "utilities. "
        "new is better than old for thresholds tau above 0.250 (a miss costs 3 times what a false "
        "alarm does), old below; here tau is 0.250."
    )


def test_all_are_worth_using():
    low = facts(constants={"treat": -7.0, "wait": -9.0})
    assert answer(low).startswith(
        'new earns 3 per case, old earns 2; always choosing "treat" loses 7. P(new better'
    )


def test_costs_are_shown_as_costs():
    stakes = replace(STAKES, kind="cost", matrix=((0.0, -1.0), (-3.0, 0.0)), named=False)
    known = (classifier("new", -0.5, 1), classifier("old", -0.75, 2))
    found = facts(*known, stakes=stakes, constants={"treat": -0.6, "wait": -1.5})
    assert answer(found).startswith(
        'new costs 0.5 per case, old 0.75; always saying "treat" costs 0.6, so old is not worth'
    )
    text = render_comparison(found, "markdown")
    assert "- Worth: a false positive costs 1, a false negative 3; so tau is 0.250" in text
    assert "| new | 100 | 0.500 | -1.500 to 2.500 |" in text
    assert "has the lowest expected cost of all" in text


def test_without_stakes_it_says_so():
    stakes = replace(STAKES, kind="accuracy", named=False, tau=0.5)
    known = (classifier("new", 0.75, 1), classifier("old", 0.62, 2))
    found = facts(*known, stakes=stakes, constants={"treat": 0.5, "wait": 0.5})
    assert answer(found).startswith(
        'new is right in 75% of cases, old in 62%; always saying "treat" is right in 50%. No '
        "utilities or costs were given, so every error counts the same (accuracy)."
    )


def test_many_classifiers_are_summed_up():
    known = [classifier(f"m{i}", 5.0 - i, i + 1) for i in range(5)]
    pairs = (PAIR, replace(PAIR, a="m1"))
    found = facts(*known, pairs=pairs, rankings=(), best_error=0.0012)
    assert answer(found) == (
        "Of 5 classifiers, m0 earns 5 per case (the best), m4 earns 1 (the worst); always choosing "
        '"treat" earns 2.5, so m3 and m4 are not worth using. P(m0 is the best) = 0.70 with these '
        '100 cases. P(m0 is worth more than always choosing "treat") = 0.90.'
    )
    assert "P(best) is simulated, standard error at most 0.0012." in render_comparison(
        found, "markdown"
    )


def test_separate_test_sets_and_dominance():
    pair = replace(PAIR, tau_star=NAN, a_thresholds=(0.0, 1.0), b_thresholds=(NAN, NAN),
                   discordant=None)  # fmt: skip
    found = facts(paired=False, pairs=(pair,))
    assert "with these 100 cases each." in answer(found)
    assert "new is no worse than old whatever the stakes" in answer(found)
    text = render_comparison(found, "markdown")
    assert "in separate test sets" in text
    assert "one classifier alone" not in text


def test_places_scores_and_cuts():
    def place(rate, new, old, **more):
        values = {"yields": {"new": new, "old": old}, "constant": "wait", "constant_value": 1.0}
        kind = GroupWorthFact if "group" in more else WorthFact
        return kind(**{"base_rate": rate, "best": {"new": 0.8, "old": 0.2}, **values, **more})

    found = facts(
        classifier("new", 3.0, 1, score="risk", cut=0.25, cut_by="tau"),
        classifier("old", 2.0, 2, score="odds", cut=math.inf, cut_by="f1"),
        base_rates=(place(0.2, 3.0, 0.5), place(0.02, 0.25, 0.5)),
        groups=(place(0.4, 0.1, 2.0, group={"ward": "a|b"}, n=40),),
        group_names=("ward",),
        scores=(ScoreFact(name="risk", auc=0.8, low=0.7, high=0.9),),
        curves=(
            CurveFact(a="risk", b="odds", relation="crossing", crossings=((0.25, 0.5),),
                      hull_relation="a"),
        ),
    )  # fmt: skip
    said = answer(found)
    assert 'Best by base rate: at 0.2 new; at 0.02 always choosing "wait".' in said
    assert r"Something else than new is best in a\|b (old)." in said
    assert "The ROC curves of risk and odds cross" in said
    text = render_comparison(found, "markdown")
    assert '- new: positive where "risk" is 0.25 or more, the threshold of the stakes' in text
    assert "- old: nothing called positive, where F1 is best" in text
    assert "(0.25, 0.5) | neither: they cross; with cut points chosen, risk |" in text
    assert "which flatters them" in text
    assert "calibrated probabilities" in text


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_everything(form):
    shown = render_comparison(facts(), form)
    for text in ("new", "old", "treat", "f1", "sick"):
        assert text in shown.lower()
    assert "nan" not in shown


def test_json_holds_the_facts():
    document = json.loads(render_comparison(facts(best_reason="why"), "json"))
    assert list(document)[:2] == ["schema", "positive"]
    assert document["stakes"] == {
        "kind": "utility", "matrix": [[8, -3], [-4, 1]], "decisions": ["treat", "wait"],
        "classes": ["ill", "well"], "tau": 0.25,
    }  # fmt: skip
    assert document["classifiers"][0]["thresholds"] == [0.2, 0.6]
    assert document["pairs"][0]["discordant"] == [1, 2, 3, 4]
    assert document["rankings"][0]["wrong"] == [["new", "old"]]
    assert document["by_threshold"] == [{"low": 0, "high": 1, "best": ["new", "always wait"]}]
    assert document["best_reason"] == "why"
    unknown = facts(classifier("new", 3.0, 1, best=NAN), classifier("old", 2.0, 2))
    assert unknown.to_dict()["classifiers"][0]["best"] is None


def test_labels_are_escaped():
    hostile = facts(classifier("<b>|x", 3.0, 1), classifier("old", 2.0, 2), pairs=(
        replace(PAIR, a="<b>|x"),))  # fmt: skip
    assert "<b>" not in render_comparison(hostile, "html")
    assert "&lt;b&gt;\\|x" in render_comparison(hostile, "markdown")

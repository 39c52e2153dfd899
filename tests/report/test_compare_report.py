"""A comparison in words, in every format, from facts made by hand."""

import itertools
import math
from dataclasses import replace
from functools import partial

from baserate.counts import ConfusionMatrix
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    CurveFact,
    DifferenceFact,
    GroupWorthFact,
    MetricRanking,
    PairFact,
    ScoreFact,
    SpanFact,
    WorthFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.facts.stakes import StakesFact
from baserate.report import compare as compare_report
from baserate.report.opening import render as rendered

render_comparison = partial(rendered, compare_report.sheet_of)

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
    tested = replace(PAIR, p_difference=0.21, p_recall=0.01, p_specificity=0.02)
    assert answer(facts(pairs=(tested,))) == (
        "Yield per case: new 3.000 (95% interval 1.000 to 5.000), old 2.000 (0.000 to 4.000). "
        "Which is better cannot be told (a difference of 1.000, -0.500 to 2.500, p = 0.21, P(new "
        'better) = 0.90). Always choosing "treat" earns 2.5: whether new (P = 0.90) and old '
        "(P = 0.90) do better cannot be told. F1 ranks old before new here; yield does not. "
        "Which is better depends on the stakes: new for thresholds tau above about 0.250 (a miss "
        "costs 3 times what a false alarm does), old below; here tau is 0.250."
    )
    # A turn that luck may have made is not told.
    chance = replace(tested, p_specificity=0.06)
    assert "depends on the stakes" not in answer(facts(pairs=(chance,)))


def test_three_states_of_a_difference():
    sure = replace(PAIR, low=0.5, p_difference=0.01)
    assert (
        "new is better than old (a difference of 1.000, 0.500 to 2.500, p = 0.010, P(new better) "
        "= 0.90)." in answer(facts(pairs=(sure,)))
    )
    torn = replace(PAIR, p_difference=0.04)
    assert "new may be better than old: interval and test disagree (" in answer(
        facts(pairs=(torn,))
    )


def test_three_states_of_worth():
    known = (
        classifier("new", 3.0, 1, beats_constant=0.99),
        classifier("old", 2.0, 2, beats_constant=0.01),
        classifier("odd", 1.0, 3, beats_constant=NAN),
    )
    pairs = [replace(PAIR, b="odd"), replace(PAIR, a="old", b="odd"), PAIR]
    assert (
        'Always choosing "treat" loses 7: new (P = 0.99) does better; old (P = 0.99) does '
        "worse; whether odd does better is not known."
    ) in answer(facts(*known, pairs=pairs, constants={"treat": -7.0, "wait": -9.0}))


def test_costs_are_shown_as_costs():
    stakes = replace(STAKES, kind="cost", matrix=((0.0, -1.0), (-3.0, 0.0)), named=False)
    known = (classifier("new", -0.5, 1), classifier("old", -0.75, 2))
    found = facts(*known, stakes=stakes, constants={"treat": -0.6, "wait": -1.5})
    assert answer(found).startswith(
        "Cost per case: new 0.500 (95% interval -1.500 to 2.500), old 0.750 (-1.250 to 2.750)."
    )
    assert 'Always saying "treat" costs 0.6: whether new' in answer(found)
    text = render_comparison(found, "markdown")
    assert "- Worth: a false positive costs 1, a false negative 3; so tau is 0.250" in text
    assert "| new | 100 | 0.500 | -1.500 to 2.500 |" in text
    assert "has the lowest expected cost of all" in text


def test_without_stakes_nothing_is_called_worth_using_and_costs_are_asked_for():
    stakes = replace(STAKES, kind="accuracy", named=False, tau=NAN)
    known = (
        classifier("new", 0.75, 1, low=0.6, high=0.8, pays=(0.01, 0.25)),
        classifier("old", 0.62, 2, low=0.5, high=0.7, pays=(0.005, 0.2)),
    )
    # However certainly the constant decision has the higher accuracy.
    found = facts(*known, stakes=stakes, constants={"treat": 0.95, "wait": 0.05})
    said = answer(found)
    assert said.startswith("Accuracy: new 0.750 (95% interval 0.600 to 0.800), old 0.620")
    assert (
        'Worth using depends on costs: name yours (cost="fp=1,fn=10", --cost fp=1,fn=10): new '
        "beats deciding always the same if a miss costs between 3 and 99 false alarms, old if a "
        "miss costs between 4 and 190 false alarms (P at least 0.95, at each such price by itself)."
    ) in said
    assert "F1 ranks" not in said
    assert "tau is" not in render_comparison(found)
    assert "Worth:" not in render_comparison(found)
    assert "Best by base rate, in accuracy" in render_comparison(found, details=True)
    unknown = replace(known[0], pays=(NAN, NAN)), replace(known[1], pays=(NAN, NAN))
    said = answer(facts(*unknown, stakes=stakes, constants={"treat": 0.95, "wait": 0.05}))
    assert "Whether any is worth using, at whatever costs of errors, these cases do not" in said


def pairs_of(*names, **changes):
    made = itertools.combinations(names, 2)
    return tuple(replace(PAIR, **{"a": a, "b": b, "adjusted_p": 0.6} | changes) for a, b in made)


def test_many_classifiers_are_summed_up():
    known = [classifier(f"m{i}", 5.0 - i, i + 1, best=0.3 - i / 20) for i in range(5)]
    pairs = pairs_of(*(one.name for one in known))
    found = facts(*known, pairs=pairs, rankings=(), best_error=0.0012)
    assert answer(found) == (
        "Yield per case: m0 5.000 (95% interval 3.000 to 7.000), m1 4.000 (2.000 to 6.000), 3 more "
        "down to m4 1.000. Which of m0 and m1 is better cannot be told (a difference of 1.000, "
        "unadjusted -0.500 to 2.500, adjusted p = 0.60). No two of them can be told apart (10 "
        "tests, adjusted by Holm). P(m0 is the best) = 0.30 with these 100 cases, allowing for the "
        'choice among 5. Always choosing "treat" earns 2.5: whether m0 (P = 0.90) does better '
        "cannot be told."
    )
    text = render_comparison(found, "markdown")
    assert "P(best) is simulated, standard error at most 0.0012." in text
    assert "P(best) allows for the choice among 5" in text
    assert "for all pairs: accuracy by itself, recall and specificity together." in text
    last = replace(pairs[-1], adjusted_p=0.01), replace(pairs[3], adjusted_p=0.02)
    found = facts(*known, pairs=(*pairs[:3], last[1], *pairs[4:-1], last[0]), rankings=())
    assert "2 of 10 pairs differ beyond luck (adjusted by Holm): m0 from m4 and m3 from m4." in (
        answer(found)
    )


def test_what_was_asked_for_comes_first():
    f1 = [MetricFact(name="f1", direction="higher", value=v, low=v - 0.1, high=v + 0.1)
          for v in (0.6, 0.7)]  # fmt: skip
    gap = DifferenceFact(
        name="f1", value_a=0.6, value_b=0.7, difference=-0.1, low=-0.18, high=-0.02,
        a_better=0.01, p_value=0.02,
    )  # fmt: skip
    known = [
        replace(one, metrics=(metric,)) for one, metric in zip(facts().classifiers, f1, strict=True)
    ]
    found = facts(*known, asked=("f1",), pairs=(replace(PAIR, metrics=(gap,)),))
    assert answer(found).startswith(
        "F1: old 0.700 (95% interval 0.600 to 0.800), new 0.600 (0.500 to 0.700). old is better "
        "than new (a difference of 0.100, 0.020 to 0.180, p = 0.020, P(old better) = 0.99). Yield "
        "per case: new"
    )


def test_separate_test_sets_and_dominance():
    pair = replace(PAIR, tau_star=NAN, a_thresholds=(0.0, 1.0), b_thresholds=(NAN, NAN),
                   discordant=None, a_dominates=0.77)  # fmt: skip
    found = facts(paired=False, pairs=(pair,))
    assert "P(new is no worse than old whatever the stakes) = 0.77." in answer(found)
    text = render_comparison(found, "markdown")
    assert "in separate test sets" in text
    assert "one classifier alone" not in text
    unknown = facts(pairs=(replace(pair, a_dominates=NAN),))
    assert "whatever the stakes" not in answer(unknown)


def test_places_scores_and_cuts():
    def place(rate, new, old, **more):
        values = {"yields": {"new": new, "old": old}, "constant": "wait", "constant_value": 1.0}
        kind = GroupWorthFact if "group" in more else WorthFact
        return kind(**{"base_rate": rate, "best": {"new": 0.8, "old": 0.2}, **values, **more})

    found = facts(
        classifier("new", 3.0, 1, score="risk", cut=0.25, cut_by="tau"),
        classifier("old", 2.0, 2, score="odds", cut=math.inf, cut_by="f1"),
        base_rates=(place(0.2, 3.0, 0.5), place(0.02, 0.25, 0.5)),
        groups=(
            place(0.4, 0.1, 2.0, group={"ward": "a|b"}, n=40, best={"new": 0.01, "old": 0.99}),
            place(0.4, 0.1, 2.0, group={"ward": "c"}, n=9, best={"new": 0.03, "old": 0.97}),
        ),
        group_names=("ward",),
        scores=(ScoreFact(name="risk", auc=0.8, low=0.7, high=0.9),),
        curves=(
            CurveFact(a="risk", b="odds", relation="crossing", crossings=((0.25, 0.5),),
                      hull_relation="a"),
        ),
    )  # fmt: skip
    said = answer(found)
    assert (
        "Highest yield by base rate, in these cases: at 0.2 new (P = 0.80); at 0.02 old (P = 0.20)."
        in said
    )
    assert r"Another than new is best in a\|b (old, P = 0.99)." in said
    elsewhere = replace(found, restated=True, base_rate=0.1)
    own = r"best in a\|b (old, P = 0.99), at the base rates of these groups."
    assert own in answer(elsewhere)
    assert "Groups, at their own base rates" in render_comparison(elsewhere)
    assert "at their own" not in render_comparison(found)
    assert "cross" not in said  # any two noisy curves do
    text = render_comparison(found, "markdown")
    assert '- new: positive where "risk" is 0.25 or more, the threshold of the stakes' in text
    assert "- old: nothing called positive, where F1 is best" in text
    assert "any two curves that are not known exactly cross somewhere" in text
    assert "(0.25, 0.5) | neither: they cross; with cut points chosen, risk |" in text
    assert "which flatters them" in text
    assert "calibrated probabilities" in text

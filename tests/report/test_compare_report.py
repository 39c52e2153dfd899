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


def test_the_answer_comes_first(on_record):
    tested = replace(PAIR, p_difference=0.21, p_recall=0.01, p_specificity=0.02)
    chance = replace(tested, p_specificity=0.06)
    on_record(
        {
            "which is better depends on the stakes": answer(facts(pairs=(tested,))),
            "a turn that luck may have made is not told": answer(facts(pairs=(chance,))),
            "sure": answer(facts(pairs=(replace(PAIR, low=0.5, p_difference=0.01),))),
            "interval and test disagree": answer(facts(pairs=(replace(PAIR, p_difference=0.04),))),
        }
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


def test_without_stakes_nothing_is_called_worth_using_and_costs_are_asked_for(on_record):
    stakes = replace(STAKES, kind="accuracy", named=False, tau=NAN)
    known = (
        classifier("new", 0.75, 1, low=0.6, high=0.8, pays=(0.01, 0.25)),
        classifier("old", 0.62, 2, low=0.5, high=0.7, pays=(0.005, 0.2)),
    )
    # However certainly the constant decision has the higher accuracy.
    how = {"stakes": stakes, "constants": {"treat": 0.95, "wait": 0.05}}
    found = facts(*known, **how)
    unknown = replace(known[0], pays=(NAN, NAN)), replace(known[1], pays=(NAN, NAN))
    on_record({"known": answer(found), "at no costs": answer(facts(*unknown, **how))})
    assert "tau is" not in render_comparison(found)
    assert "Worth:" not in render_comparison(found)
    assert "Best by base rate, in accuracy" in render_comparison(found, details=True)


def pairs_of(*names, **changes):
    made = itertools.combinations(names, 2)
    return tuple(replace(PAIR, **{"a": a, "b": b, "adjusted_p": 0.6} | changes) for a, b in made)


def test_many_classifiers_are_summed_up(on_record):
    known = [classifier(f"m{i}", 5.0 - i, i + 1, best=0.3 - i / 20) for i in range(5)]
    pairs = pairs_of(*(one.name for one in known))
    found = facts(*known, pairs=pairs, rankings=(), best_error=0.0012)
    last = replace(pairs[-1], adjusted_p=0.01), replace(pairs[3], adjusted_p=0.02)
    two = facts(*known, pairs=(*pairs[:3], last[1], *pairs[4:-1], last[0]), rankings=())
    on_record({"whole": render_comparison(found, "markdown"), "two differ": answer(two)})


def test_what_was_asked_for_comes_first(on_record):
    f1 = [MetricFact(name="f1", direction="higher", value=v, low=v - 0.1, high=v + 0.1)
          for v in (0.6, 0.7)]  # fmt: skip
    gap = DifferenceFact(
        name="f1", value_a=0.6, value_b=0.7, difference=-0.1, low=-0.18, high=-0.02,
        a_better=0.01, p_value=0.02,
    )  # fmt: skip
    known = [
        replace(one, metrics=(metric,)) for one, metric in zip(facts().classifiers, f1, strict=True)
    ]
    on_record(answer(facts(*known, asked=("f1",), pairs=(replace(PAIR, metrics=(gap,)),))))


def test_separate_test_sets_and_dominance(on_record):
    pair = replace(PAIR, tau_star=NAN, a_thresholds=(0.0, 1.0), b_thresholds=(NAN, NAN),
                   discordant=None, a_dominates=0.77)  # fmt: skip
    found = facts(paired=False, pairs=(pair,))
    unknown = facts(pairs=(replace(pair, a_dominates=NAN),))
    on_record({"known": render_comparison(found, "markdown"), "unknown": answer(unknown)})


def test_places_scores_and_cuts(on_record):
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
    on_record(render_comparison(found, "markdown"))
    elsewhere = replace(found, restated=True, base_rate=0.1)
    own = r"best in a\|b (old, P = 0.99), at the base rates of these groups."
    assert own in answer(elsewhere)
    assert "Groups, at their own base rates" in render_comparison(elsewhere)
    assert "at their own" not in render_comparison(found)

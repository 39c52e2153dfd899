"""What leads the answer of an evaluation: what its data can answer, in the order of asking."""

import math
import re

import numpy as np
import pytest

import baserate as br
from baserate.facts.scores import NetBenefitFact
from baserate.report.evaluation_words import answer
from baserate.report.net_benefit import worth_using

RARE = 5000


def rare_risks(seed=1, n=RARE):
    """Right risks of a rare outcome, all but one below one half."""
    rng = np.random.default_rng(seed)
    risk = 1 / (1 + np.exp(3.4 - rng.normal(size=n)))
    return rng.random(n) < risk, np.minimum(risk, 0.49)


def timid(slope, n=400):
    """Labels that depend on x by one slope, and scores that claim another; medians fit."""
    x = np.linspace(-3, 3, n)
    truth = np.arange(n) * 0.618034 % 1 < 1 / (1 + np.exp(-slope * x))
    return truth, 1 / (1 + np.exp(-3 * x))


@pytest.mark.slow
def test_that_there_is_one_class_only_comes_before_what_risks_are():
    found = br.evaluate([1] * 13, score=[0.2, 0.3, 0.9] * 4 + [0.3], positive=1)
    first, *others = answer(found.facts)
    assert first == "Better than guessing: cannot tell, for the cases are of one class."
    assert any(said.startswith("Risks are underestimated: 13 observed") for said in others)


@pytest.mark.slow
def test_a_score_whose_cut_nobody_named_leads_with_rank_then_risks_then_worth():
    truth, score = rare_risks()
    found = br.evaluate(truth, score=score)
    said = answer(found.facts)
    assert [line.split(":")[0].split(" if ")[0] for line in said] == [
        "Ranks better than chance",
        "No evidence that risks are wrong",
        "Worth using",
    ]
    assert "F1" not in " ".join(said)
    assert "guessing" not in " ".join(said)
    assert found.facts.default_threshold
    assert "Counts at 0.5, a cut that nobody named: tp" in found.render()


@pytest.mark.slow
def test_a_cut_that_was_named_is_judged_after_the_score():
    truth, score = rare_risks()
    said = answer(br.evaluate(truth, score=score, threshold=0.1).facts)
    assert said[2].startswith("Worth using: yes, acting from a risk of 0.1, where a miss costs 9 f")
    assert said[3].startswith("At 0.1: of the ")
    assert said[4].startswith("Better than guessing: yes (informedness ")
    assert "Keep" not in " ".join(said)
    half = answer(br.evaluate(truth, score=score, threshold=0.5).facts)
    assert half[3].startswith("At 0.5: of the ")  # named all the same


@pytest.mark.slow
def test_costs_name_the_risk_from_which_to_act():
    truth, score = rare_risks()
    found = br.evaluate(truth, score=score, cost="fn=19,fp=1")
    assert "cost_per_case(fn=19, fp=1)" in [one.name for one in found.facts.metrics]
    assert found.facts.thresholds.act_at == pytest.approx(0.05)
    assert any(
        "acting from a risk of 0.05, where a miss costs 19 " in x for x in answer(found.facts)
    )


@pytest.mark.slow
def test_f1_at_a_cut_that_nobody_named_is_said_to_be_that():
    truth, score = rare_risks()
    said = answer(br.evaluate(truth, score=score, metrics="f1").facts)
    assert said[-1].startswith("At 0.5, a cut that nobody named: F1 is 0")


@pytest.mark.slow
def test_wrong_risks_are_told_before_labels_whoever_named_the_cut():
    truth, score = timid(1.0)  # surely wrong risks
    for threshold in (None, 0.2):
        said = answer(br.evaluate(truth, score=score, threshold=threshold).facts)
        assert said[0].startswith("Ranks better than chance: yes (ROC area")
        assert "too extreme (calibration slope" in said[1]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ((3, 7, 28, 62), r"cannot tell \(informedness -0\.011, -0\.24 to 0\.31; 0 is guessing\)"),
        ((10, 90, 200, 700), r"no, it does worse \(informedness -0\.12, -0\.18 to -0\.04\d;"),
        ((10, 40, 160, 90), r"no, its answers look reversed \(informedness -0\.44,"),
        (
            (500, 500, 500, 500),
            r"no \(informedness 0\.000, -0\.04\d to 0\.04\d; less than 0\.05 is not",
        ),
        (
            (30, 10, 10, 30),
            r"yes \(informedness 0\.50, 0\.2\d to 0\.6\d; 0 is guessing; p < 0\.001",
        ),
    ],
)
def test_labels_are_judged_by_what_the_interval_allows(table, said):
    counts = br.ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    lines = answer(br.evaluate(counts).facts)
    assert re.match(f"Better than guessing: {said}", lines[1])
    assert lines[0].startswith(f"Of the {table[0] + table[1]:,} positives, ")


def test_so_many_cases_of_the_same_shares_would_decide():
    """Drawn posteriors of two rates: half their interval separates -.011 from what is worth it."""
    table = br.ConfusionMatrix(tp=3, fn=7, fp=28, tn=62)
    times = br.evaluate(table).facts.better_than_guessing.enough / 100
    rng = np.random.default_rng(5)
    recall, alarms = (
        rng.beta(times * yes + 0.5, times * no + 0.5, 400_000) for yes, no in ((3, 7), (28, 62))
    )
    low, high = np.quantile(recall - alarms, [0.025, 0.975])
    assert (high - low) / 2 == pytest.approx(0.05 - (0.3 - 28 / 90), rel=0.03)


@pytest.mark.sweep(4, start=3)
@pytest.mark.parametrize("cells", [(1, 1, 0, 2), (6, 1, 2, 0), (2, 0, 6, 2), (0, 3, 1, 6)])
def test_so_many_cases_as_are_told_do_decide_a_small_table(cells):
    """A share of 0 or 1 does not count as known: 58 cases, not 17, decide the second table."""
    small = dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))
    enough = br.evaluate(br.ConfusionMatrix(**small)).facts.better_than_guessing.enough
    times = math.ceil(1.5 * enough / sum(cells))
    larger = br.ConfusionMatrix(**{cell: times * n for cell, n in small.items()})
    assert br.evaluate(larger).facts.better_than_guessing.answer != "cannot tell"


def test_several_classifiers_have_a_verdict_each():
    tables = {
        "old": br.ConfusionMatrix(tp=20, fn=20, fp=15, tn=45),
        "odd": br.ConfusionMatrix(tp=16, fn=24, fp=24, tn=36),
    }
    facts = br.evaluate(tables).facts
    assert facts.better_than_guessing is None
    states = [group.better_than_guessing.answer for group in facts.groups]
    assert states == ["yes", "cannot tell"]
    said = answer(facts)
    assert said[0].startswith("old: of the 40 positives, 50% are found (recall; 95% interval 35% t")
    assert "; better than guessing: yes (informedness 0.25, " in said[0]
    assert "; better than guessing: cannot tell (informedness 0.000, " in said[1]


@pytest.mark.slow
def test_a_score_of_cases_in_clusters_has_the_same_order():
    rng = np.random.default_rng(3)
    x = np.repeat(rng.normal(size=60), 5) + rng.normal(size=300)
    truth, cluster = rng.random(300) < 1 / (1 + np.exp(-x)), np.arange(300) // 5
    found = br.evaluate(truth, score=1 / (1 + np.exp(-x)), cluster=cluster)
    said = answer(found.facts)
    assert found.facts.thresholds.ranks.answer == "yes"
    assert said[0].startswith("Ranks better than chance: yes (ROC area 0.")
    assert said[1].startswith("No evidence that risks are wrong: O:E ")
    assert said[2].startswith("These are 300 cases in 60 clusters")


def test_a_score_that_ranks_no_better_is_not_asked_what_it_is_worth():
    truth = np.arange(200) % 2 == 0
    turned = np.where(truth, 0.3, 0.6) + np.linspace(0, 0.35, 200)
    said = answer(br.evaluate(truth, score=turned).facts)
    assert said[0].startswith("Ranks better than chance: no, it ranks worse")
    assert "Worth using" not in " ".join(said)


@pytest.mark.parametrize(
    ("useful", "said"),
    [
        (((0.1, 0.5),), "a miss costs between 1 and 9 false alarms"),
        (((0.03, 0.66),), "a miss costs between 0.52 and 32 false alarms"),
        (((0.6, 0.75),), "a false alarm costs between 1.5 and 3 misses"),
        (((0.1, 0.11), (0.2, 0.4), (0.5, 0.52)), "a miss costs between 1.5 and 4 false alarms"),
    ],
)
def test_prices_are_rounded_inwards_and_of_the_widest_stretch(score, useful, said):
    worth = NetBenefitFact(threshold=0.3, value=0.1, treat_all=0.05, useful=0.9)
    first = worth_using(score(net_benefit=(worth,), useful=useful))[0]
    assert first.startswith(f"Worth using if {said} (P at least 0.95, at each such price")


@pytest.mark.parametrize(
    ("p", "sure"), [(0.95, "yes"), (0.949, "cannot tell"), (0.051, "cannot tell"), (0.05, "no")]
)
def test_a_named_price_is_judged_by_its_probability(score, p, sure):
    worth = NetBenefitFact(threshold=0.2, value=0.0312, treat_all=-0.1, useful=p)
    first = worth_using(score(net_benefit=(worth,), act_at=0.2))[0]
    assert first.startswith(
        f"Worth using: {sure}, acting from a risk of 0.2, where a miss costs 4 "
    )
    assert "net benefit 31.2 per 1,000 cases, by treating all -100.0" in first


def test_groups_are_told_of_a_cut_that_nobody_named():
    risk = np.tile([0.2, 0.4, 0.6, 0.8], 25)
    how = {"groups": np.tile(["a", "b"], 50)}
    truth = np.random.default_rng(1).random(100) < risk
    assert ", a cut that nobody named" in str(br.audit(truth, score=risk, **how))
    assert "nobody named" not in str(br.audit(truth, score=risk, threshold=0.5, **how))

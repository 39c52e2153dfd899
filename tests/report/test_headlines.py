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
def test_that_there_is_one_class_only_comes_before_what_risks_are(on_record):
    found = br.evaluate([1] * 13, score=[0.2, 0.3, 0.9] * 4 + [0.3], positive=1)
    on_record(answer(found.facts))


@pytest.mark.slow
def test_a_score_leads_with_rank_then_risks_then_worth_then_a_cut_that_was_named(on_record):
    truth, score = rare_risks()
    found = br.evaluate(truth, score=score, cost="fn=19,fp=1")
    assert found.facts.thresholds.act_at == pytest.approx(0.05)
    other, wrong = timid(1.0)  # surely wrong risks
    on_record(
        {
            "nobody named a cut": answer(br.evaluate(truth, score=score).facts),
            "named": answer(br.evaluate(truth, score=score, threshold=0.1).facts),
            "one half is named": answer(br.evaluate(truth, score=score, threshold=0.5).facts),
            "costs name the risk from which to act": answer(found.facts),
            "of a metric that is asked for nobody named the cut": answer(
                br.evaluate(truth, score=score, metrics="f1").facts
            ),
            "wrong risks": answer(br.evaluate(other, score=wrong).facts),
            "wrong risks and a cut": answer(br.evaluate(other, score=wrong, threshold=0.2).facts),
        }
    )


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


def test_several_classifiers_have_a_verdict_each(on_record):
    tables = {
        "old": br.ConfusionMatrix(tp=20, fn=20, fp=15, tn=45),
        "odd": br.ConfusionMatrix(tp=16, fn=24, fp=24, tn=36),
    }
    facts = br.evaluate(tables).facts
    assert facts.better_than_guessing is None
    on_record(answer(facts))


@pytest.mark.slow
def test_a_score_of_cases_in_clusters_has_the_same_order(on_record):
    rng = np.random.default_rng(3)
    x = np.repeat(rng.normal(size=60), 5) + rng.normal(size=300)
    truth, cluster = rng.random(300) < 1 / (1 + np.exp(-x)), np.arange(300) // 5
    on_record(answer(br.evaluate(truth, score=1 / (1 + np.exp(-x)), cluster=cluster).facts))


def test_a_score_that_ranks_no_better_is_not_asked_what_it_is_worth(on_record):
    truth = np.arange(200) % 2 == 0
    turned = np.where(truth, 0.3, 0.6) + np.linspace(0, 0.35, 200)
    on_record(answer(br.evaluate(truth, score=turned).facts))


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

"""`evaluate` of several classes under utilities: worth, constant decisions, whether to use it."""

from fractions import Fraction
from math import isnan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import dirichlet

import baserate as br
from baserate.cli import main
from baserate.errors import InvalidArgumentError, LabelError

TABLE = br.ClassTable([[5, 1, 2], [0, 7, 1], [0, 0, 4]], ["urgent", "soon", "home"])
WORTH = [[3, -1, -1], [0, 2, -2], [-8, -2, 1]]
U = br.UtilityMatrix(WORTH, classes=TABLE.labels)


def test_worth_is_exact_and_beside_the_best_constant_decision():
    facts = br.evaluate(TABLE, utility=U).facts
    counts, shares = TABLE.counts.T, TABLE.class_counts
    value = sum(Fraction(WORTH[d][c] * int(counts[d, c]), 20) for d in range(3) for c in range(3))
    constants = [sum(Fraction(u * int(n), 20) for u, n in zip(row, shares, strict=True))
                 for row in WORTH]  # fmt: skip
    perfect = sum(Fraction(WORTH[c][c] * int(shares[c]), 20) for c in range(3))
    assert facts.worth.value == float(value)
    assert list(facts.stakes.constants.values()) == [float(x) for x in constants]
    assert facts.stakes.constant == "urgent"
    assert facts.worth.skill == pytest.approx(
        float((value - max(constants)) / (perfect - max(constants)))
    )


def test_whether_it_is_worth_using_is_that_of_drawn_tables():
    facts = br.evaluate(TABLE, utility=U).facts
    prior = np.where(np.eye(3), 1 / 6, 1 / 12)
    drawn = dirichlet.rvs((TABLE.counts.T + prior).ravel(), 200_000, random_state=4)
    gain = drawn @ (np.array(WORTH) - np.array(WORTH)[0]).ravel()
    assert facts.worth.beats_constant == pytest.approx((gain > 0).mean(), abs=0.005)
    ends = np.quantile(drawn @ np.ravel(WORTH), [0.025, 0.975])
    assert (facts.worth.low, facts.worth.high) == pytest.approx(tuple(ends), abs=0.02)


def test_the_yield_is_a_metric_like_any_other():
    facts = br.evaluate(TABLE, utility=WORTH).facts
    metric = facts.metrics[-1]
    assert metric.name.startswith("utility(")
    assert (metric.value, metric.low, metric.high) == pytest.approx(
        (facts.worth.value, facts.worth.low, facts.worth.high)
    )
    assert metric.chance == pytest.approx(facts.stakes.constant_value)  # the best blind guess
    assert metric.skill == pytest.approx(facts.worth.skill)


def test_order_and_names_of_classes_change_nothing():
    order = [1, 2, 0]
    turned = br.UtilityMatrix(
        np.array(WORTH)[np.ix_(order, order)], classes=[TABLE.labels[k] for k in order]
    )
    one, two = (br.evaluate(TABLE, utility=u).facts for u in (U, turned))
    assert one.worth.value == two.worth.value
    assert one.worth.beats_constant == pytest.approx(two.worth.beats_constant)


def test_weights_widen_the_interval_and_not_the_value():
    y, p, w = [0, 1, 2] * 20, [0, 1, 1] * 20, [1.0, 3.0, 0.5] * 20
    plain = br.evaluate(y, p, utility=WORTH).facts.worth
    weighted = br.evaluate(y, p, weight=w, utility=WORTH).facts
    double = br.evaluate(y, p, weight=[2 * x for x in w], utility=WORTH).facts.worth
    total = Fraction(90)
    value = (3 * 20 + 2 * 60 - 2 * 10) / total
    assert weighted.worth.value == float(value)
    assert double.low == pytest.approx(weighted.worth.low)
    assert weighted.metrics[-1].low == pytest.approx(weighted.worth.low)
    assert plain.value != weighted.worth.value


def test_a_constant_classifier_is_named_as_such():
    always = br.ClassTable([[8, 0, 0], [8, 0, 0], [4, 0, 0]], TABLE.labels)
    result = br.evaluate(always, utility=U)
    assert isnan(result.facts.worth.beats_constant)
    assert "it decides so in every case" in str(result).replace("\n", " ")


@pytest.mark.parametrize(
    ("utility", "words"),
    [
        ([[1, 0], [0, 1]], "speaks of one positive class"),
        (np.eye(4), "a column for each of the 3 classes"),
        (np.ones((2, 3)), "do not say which were taken"),
        (br.UtilityMatrix(WORTH, classes=["urgent", "soon", "later"]), "name every class"),
    ],
)
@pytest.mark.filterwarnings("ignore:decision")
def test_utilities_that_do_not_fit_are_refused(utility, words):
    with pytest.raises((InvalidArgumentError, LabelError), match=words):
        br.evaluate(TABLE, utility=utility)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("classes", [None, [1, 0], ["1", "0"]])
def test_a_table_of_two_classes_has_the_worth_of_its_four_counts(classes):
    two = br.ClassTable([[58, 12], [12, 18]], [0, 1])
    four = br.ConfusionMatrix(tp=18, fn=12, fp=12, tn=58)
    rows = [[15, -335], [-35, 165]]
    u = br.UtilityMatrix(rows, classes=classes) if classes else rows
    one, other = br.evaluate(two, utility=u).facts, br.evaluate(four, utility=rows).facts
    assert one.metrics[-1].low == other.metrics[-1].low
    assert one.metrics[-1].chance == other.metrics[-1].chance
    assert one.table == other.table


def test_a_table_of_two_classes_asks_which_is_positive():
    two = br.ClassTable([[58, 12], [12, 18]], ["no", "yes"])
    with pytest.raises(InvalidArgumentError, match="or pass positive"):
        br.evaluate(two, utility=[[1, -1], [-1, 1]])


def test_utilities_of_each_case_say_who_takes_them():
    apart = br.UtilityMatrix(np.tile([[2, -1], [0, 0]], (4, 1, 1)))
    for door in (br.evaluate, br.compare):
        with pytest.raises(InvalidArgumentError, match=r"one matrix .* yield_from_labels"):
            door([1, 0, 1, 0], [1, 0, 0, 0], utility=apart)


def forecasts():
    """Return who is what, and probabilities that tell it somewhat; a missed "urgent" costs most."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, 300)
    p = rng.dirichlet(np.ones(3), 300) + 0.5 * np.eye(3)[truth]
    return np.array(TABLE.labels)[truth], p / p.sum(axis=1, keepdims=True)


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_probabilities_are_decided_on_by_expected_utility_at_every_door(order, tmp_path, capsys):
    truth, p = forecasts()
    labels = [TABLE.labels[k] for k in order]
    frame = pd.DataFrame(p, columns=[f"p_{x}" for x in TABLE.labels])
    frame = frame.assign(y=truth, g=np.arange(300) % 2)[["y", "g", *(f"p_{x}" for x in labels)]]
    decided = np.array(TABLE.labels)[(p @ np.array(WORTH).T).argmax(axis=1)]
    likeliest = np.array(TABLE.labels)[p.argmax(axis=1)]
    assert (decided != likeliest).any()
    how = {"target": "y", "utility": U}
    scored = br.evaluate(frame, score="p_*", **how)
    called = br.evaluate(frame.assign(d=decided), prediction="d", score="p_*", **how).facts
    assert scored.facts.worth == called.worth
    assert scored.facts.table == called.table
    assert (scored.facts.tied, called.prediction) == (None, "d")
    assert scored.facts.worth.value == pytest.approx(
        br.compare(frame, score={"a": "p_*", "b": "p_*"}, **how).facts.classifiers[0].value
    )
    audited = br.audit(frame, score="p_*", groups="g", **how)
    assert audited.facts.table == called.table
    for found in (scored, audited):
        said = " ".join(str(found).split())
        assert "Decisions: those with the highest expected utility by the probabilities" in said
        assert "the class with the highest score" not in said
    plain = br.evaluate(frame, target="y", score="p_*")
    assert plain.facts.table == br.evaluate(truth, likeliest).facts.table
    paths = [str(tmp_path / name) for name in ("cases.csv", "worth.csv")]
    frame.to_csv(paths[0], index=False)
    pd.DataFrame(WORTH, TABLE.labels, TABLE.labels).to_csv(paths[1])
    main(["evaluate", paths[0], "--target", "y", "--score", "p_*", "--utility", paths[1]])
    assert f"It earns {scored.facts.worth.value:.4g}" in capsys.readouterr().out


def test_scores_that_are_no_probabilities_expect_no_utility():
    truth, p = forecasts()
    for scores in (np.log(p), 2 * p):
        with pytest.raises(InvalidArgumentError, match="sum to one, to decide by expected utility"):
            br.evaluate(truth, score=dict(zip(TABLE.labels, scores.T, strict=True)), utility=U)

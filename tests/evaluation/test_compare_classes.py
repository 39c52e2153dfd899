"""`compare` of several classes: every number against its definition, or another package."""

from fractions import Fraction
from math import isnan

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, dirichlet
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, matthews_corrcoef
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

import baserate as br
from baserate.errors import DataError, InvalidArgumentError, LabelError

RNG = np.random.default_rng(5)
N = 90
LABELS = np.array(["acute", "mild", "none"])
TRUTH = RNG.choice(3, N, p=[0.2, 0.3, 0.5])


def called(share):
    return LABELS[np.where(RNG.random(N) < share, TRUTH, RNG.integers(3, size=N))]


FRAME = pd.DataFrame(
    {
        "truth": LABELS[TRUTH], "A": called(0.8), "B": called(0.7), "C": called(0.5),
        "ward": np.where(RNG.random(N) < 0.4, "east", "west"),
    }
)  # fmt: skip
WORTH = [[4, -1, -2], [-2, 3, -1], [-9, 0, 1]]
U = br.UtilityMatrix(WORTH, classes=LABELS)
TWO = {"target": "truth", "prediction": ["A", "B"]}
DRAWS = 200_000


def cells(name):
    """Return how often each decision was taken in each class."""
    table = pd.crosstab(FRAME[name], FRAME["truth"])
    return table.reindex(index=LABELS, columns=LABELS, fill_value=0).to_numpy()


def exact_yield(worth, counts):
    flat = zip(np.ravel(worth).tolist(), np.ravel(counts).tolist(), strict=True)
    return sum(Fraction(u) * n for u, n in flat) / Fraction(int(np.sum(counts)))


@pytest.fixture(scope="module")
def found():
    return br.compare(FRAME, **TWO).facts


@pytest.fixture(scope="module")
def worth():
    return br.compare(FRAME, **TWO, utility=U, groups="ward").facts


@pytest.mark.slow
def test_metrics_are_those_of_scikit_learn(found):
    of = {
        "accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score,
        "macro_f1": lambda y, p: f1_score(y, p, average="macro"),
        "matthews_correlation": matthews_corrcoef,
    }  # fmt: skip
    for one in found.classifiers:
        for metric in one.metrics:
            assert metric.value == pytest.approx(of[metric.name](FRAME.truth, FRAME[one.name]))
    [pair] = found.pairs
    values = [of[m.name](FRAME.truth, FRAME.A) - of[m.name](FRAME.truth, FRAME.B)
              for m in pair.metrics]  # fmt: skip
    assert [m.difference for m in pair.metrics] == pytest.approx(values)


@pytest.mark.slow
def test_mcnemar_is_that_of_statsmodels_over_all_cases_and_in_each_class(found):
    right_a, right_b = FRAME.truth == FRAME.A, FRAME.truth == FRAME.B
    [pair] = found.pairs
    every = [slice(None), *(FRAME.truth == label for label in LABELS)]
    p_values = []
    for rows, told in zip(every, [pair, *pair.classes], strict=True):
        a, b = right_a[rows], right_b[rows]
        table = [[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]]
        assert (told.only_a, told.only_b) == (table[0][1], table[1][0])
        fewer, more = sorted((table[0][1], table[1][0]))
        p_values.append(mcnemar(table, exact=True).pvalue - binom.pmf(fewer, fewer + more, 0.5)
                        if fewer < more else 1.0)  # fmt: skip
        assert told.p_value == pytest.approx(p_values[-1])
    adjusted = multipletests(p_values[1:], method="holm")[1]
    assert [one.adjusted_p for one in pair.classes] == pytest.approx(adjusted)


@pytest.mark.slow
def test_tests_of_pairs_are_adjusted_for_their_number():
    pairs = br.compare(FRAME, target="truth", prediction=["A", "B", "C"]).facts.pairs
    adjusted = multipletests([pair.p_value for pair in pairs], method="holm")[1]
    assert [pair.adjusted_p for pair in pairs] == pytest.approx(adjusted)


@pytest.mark.slow
def test_yields_constants_and_skill_are_exact(worth):
    shares = cells("A").sum(axis=0)
    constants = [exact_yield(row, shares) for row in WORTH]
    perfect = exact_yield(np.max(WORTH, axis=0), shares)
    assert list(worth.stakes.constants.values()) == [float(x) for x in constants]
    assert worth.stakes.constant_value == float(max(constants))
    assert worth.stakes.perfect == float(perfect)
    for one in worth.classifiers:
        value = exact_yield(WORTH, cells(one.name))
        assert one.value == float(value)
        assert one.skill == pytest.approx(
            float((value - max(constants)) / (perfect - max(constants)))
        )


def test_the_gain_over_the_constant_is_that_of_drawn_tables(worth):
    one, counts = worth.classifiers[0], cells("A")
    prior = np.where(np.eye(3), 1 / 6, 1 / 12)  # half a case for right ones, half for all others
    drawn = dirichlet.rvs((counts + prior).ravel(), DRAWS, random_state=1)
    yields = drawn @ np.ravel(WORTH)
    ends = np.quantile(yields, [0.025, 0.975])
    assert (one.low, one.high) == pytest.approx(tuple(ends), abs=0.02)
    row = LABELS.tolist().index(worth.stakes.constant)
    gain = drawn @ np.ravel(np.array(WORTH) - np.array(WORTH)[row])
    assert one.beats_constant == pytest.approx((gain > 0).mean(), abs=0.005)


def test_which_is_better_on_the_same_cases_is_that_of_drawn_tables(worth):
    u, place = np.array(WORTH, dtype=float), {label: k for k, label in enumerate(LABELS)}
    t, a, b = (FRAME[name].map(place).to_numpy() for name in ("truth", "A", "B"))
    gain = u[a, t] - u[b, t]
    ahead = (np.diagonal(u) - u)[~np.eye(3, dtype=bool)]  # of the right decision over each other
    values = np.concatenate([gain, ahead, -ahead, [0.0]])
    alpha = np.concatenate([np.ones(N), np.full(12, 0.5 / 6), [1.0]])
    drawn = np.random.default_rng(2).gamma(alpha, size=(20_000, alpha.size))
    difference = drawn @ values / drawn.sum(axis=1)
    [pair] = worth.pairs
    assert pair.a_better == pytest.approx((difference > 0).mean(), abs=0.015)
    assert (pair.low, pair.high) == pytest.approx(
        tuple(np.quantile(difference, [0.025, 0.975])), abs=0.05
    )
    assert pair.route == "exact"


def test_separate_cases_have_independent_laws():
    tables = {name: br.class_table(FRAME.truth, FRAME[name], labels=LABELS) for name in "AB"}
    [pair] = br.compare(tables, utility=U).facts.pairs
    prior = np.where(np.eye(3), 1 / 6, 1 / 12)
    drawn = [
        dirichlet.rvs((cells(name) + prior).ravel(), DRAWS, random_state=k) @ np.ravel(WORTH)
        for k, name in enumerate("AB")
    ]
    assert pair.a_better == pytest.approx((drawn[0] > drawn[1]).mean(), abs=0.005)
    ends = np.quantile(drawn[0] - drawn[1], [0.025, 0.975])
    assert (pair.low, pair.high) == pytest.approx(tuple(ends), abs=0.02)
    assert isnan(pair.p_value)
    assert pair.only_a is None


@pytest.mark.slow
def test_at_a_turn_both_are_worth_the_same(found):
    [pair] = found.pairs
    assert pair.turns
    for turn in pair.turns:
        worth = np.eye(3) - (1 - np.eye(3))
        cost = Fraction(turn.cost).limit_denominator(10_000)
        truth = LABELS.tolist().index(turn.truth)
        of = range(3) if turn.prediction is None else [LABELS.tolist().index(turn.prediction)]
        total = {}
        for x in (cost, cost + 1):
            priced = [[Fraction(int(k == c)) for c in range(3)] for k in range(3)]
            for k in of:
                if k != truth:
                    priced[k][truth] = 1 - x
            total[x] = [
                sum(priced[k][c] * int(cells(name)[k, c]) for k in range(3) for c in range(3))
                for name in "AB"
            ]
        assert worth.shape == (3, 3)
        assert total[cost][0] == total[cost][1]
        better = "A" if total[cost + 1][0] > total[cost + 1][1] else "B"
        assert turn.above == better


@pytest.mark.slow
def test_three_are_compared_by_their_joint_law():
    facts = br.compare(FRAME, target="truth", prediction=["A", "B", "C"], utility=U, rng=3).facts
    two = br.compare(FRAME, **TWO, utility=U).facts
    assert sum(one.best for one in facts.classifiers) == pytest.approx(1)
    assert facts.best_error > 0
    assert facts.pairs[0].a_better == two.pairs[0].a_better  # whoever else is compared
    assert [one.rank for one in facts.classifiers] == [1, 2, 3]


@pytest.mark.slow
def test_groups_are_compared_as_if_they_were_alone(worth):
    for place in worth.groups:
        part = FRAME[FRAME.ward == place.group["ward"]]
        alone = br.compare(part, **TWO, utility=U).facts
        assert place.n == len(part)
        assert dict(place.yields) == {one.name: one.value for one in alone.classifiers}
        assert dict(place.best) == pytest.approx({c.name: c.best for c in alone.classifiers})
        assert place.constant_value == alone.stakes.constant_value


@pytest.mark.slow
def test_tables_and_every_form_of_utilities_agree(tmp_path, found):
    (tmp_path / "u.toml").write_text(
        "\n".join(
            f"[utilities.{d}]\n" + "\n".join(f"{c} = {WORTH[i][j]}" for j, c in enumerate(LABELS))
            for i, d in enumerate(LABELS)
        )
    )
    tables = {name: br.class_table(FRAME.truth, FRAME[name]) for name in "AB"}
    values = [one.value for one in br.compare(tables).facts.classifiers]
    assert values == [one.value for one in found.classifiers]
    for given in (U, WORTH, tmp_path / "u.toml"):
        assert br.compare(FRAME, **TWO, utility=given).facts.pairs[0].low == (
            br.compare(FRAME, **TWO, utility=U).facts.pairs[0].low
        )


@pytest.mark.slow
def test_classes_may_stand_in_any_order_in_the_utilities():
    order = [2, 0, 1]
    turned = br.UtilityMatrix(np.array(WORTH)[np.ix_(order, order)], classes=LABELS[order])
    one, two = (br.compare(FRAME, **TWO, utility=u).facts for u in (U, turned))
    assert [c.value for c in one.classifiers] == [c.value for c in two.classifiers]
    assert one.pairs[0].a_better == pytest.approx(two.pairs[0].a_better)


def test_predictions_may_hold_decisions_that_are_no_classes():
    u = br.UtilityMatrix([[2, 1, -1], [-6, 0, 1]], decisions=["admit", "send home"], classes=LABELS)
    frame = FRAME.assign(
        A=np.where(FRAME.A == "none", "send home", "admit"),
        B=np.where(FRAME.B == "acute", "admit", "send home"),
    )
    facts = br.compare(frame, **TWO, utility=u).facts
    counts = [
        pd.crosstab(frame[name], frame.truth).loc[["admit", "send home"], LABELS].to_numpy()
        for name in "AB"
    ]
    assert [one.value for one in facts.classifiers] == [
        float(exact_yield(u.matrix, table)) for table in counts
    ]
    best = np.array(["admit", "admit", "send home"])[TRUTH]  # in each class
    right = [(frame[name] == best).to_numpy() for name in "AB"]
    [pair] = facts.pairs
    assert pair.only_a == (right[0] & ~right[1]).sum()
    assert (pair.metrics, pair.classes) == ((), ())
    assert facts.classifiers[0].table is None


def test_three_decisions_about_two_classes():
    truth, one = ["ill", "well", "ill", "well"] * 6, ["treat", "wait", "ask", "wait"] * 6
    u = br.UtilityMatrix(
        [[5, -2], [3, -1], [-9, 0]], decisions=["treat", "ask", "wait"], classes=["ill", "well"]
    )
    other = ["treat", "wait", "wait", "ask"] * 6
    facts = br.compare(truth, {"A": one, "B": other}, utility=u).facts
    assert [c.value for c in facts.classifiers] == [2.0, -1.25]
    with pytest.raises(InvalidArgumentError, match="must name its two classes"):
        br.compare(truth, {"A": one, "B": other}, utility=u.matrix)


def test_test_sets_with_other_class_shares_are_compared_at_those_of_all():
    a = br.ClassTable([[8, 2, 0], [1, 9, 0], [0, 2, 8]])
    b = br.ClassTable([[5, 5, 0], [4, 36, 0], [1, 1, 8]])
    result = br.compare({"a": a, "b": b})
    found = [one.at_all_shares for one in result.facts.classifiers]
    shares = [Fraction(20, 90), Fraction(50, 90), Fraction(20, 90)]
    recalls = [(Fraction(8, 10), Fraction(9, 10), Fraction(8, 10)),
               (Fraction(5, 10), Fraction(36, 40), Fraction(8, 10))]  # fmt: skip
    expected = [float(sum(s * r for s, r in zip(shares, rates, strict=True))) for rates in recalls]
    assert found == pytest.approx(expected)
    assert not result.facts.same_shares
    assert "in other shares" in str(result).replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cost": {"fp": 1, "fn": 2}}, "speaks of two classes, and there are 3"),
        ({"base_rate": 0.3}, "speaks of one positive class"),
        ({"utility": np.eye(4)}, "a column for each of the 3 classes"),
        ({"utility": br.UtilityMatrix(WORTH, classes=["acute", "mild", "no"])}, "name every class"),
    ],
)
def test_what_has_no_meaning_is_refused_with_the_way_out(options, words):
    arrays = {"A": FRAME.A, "B": FRAME.B}
    with pytest.raises((InvalidArgumentError, LabelError), match=words):
        br.compare(FRAME.truth, arrays, **options)


def test_one_classifier_and_unknown_decisions_are_refused():
    with pytest.raises(DataError, match="needs two classifiers"):
        br.compare({"a": br.ClassTable(np.eye(3))})
    u = br.UtilityMatrix([[2, 1, -1], [-6, 0, 1]], decisions=["admit", "send home"], classes=LABELS)
    with pytest.raises(LabelError, match="A must hold decisions, 'admit', 'send home'"):
        br.compare(FRAME, **TWO, utility=u)


def test_labels_that_utilities_do_not_name_are_listed(tmp_path):
    (tmp_path / "cases.csv").write_text("t,a,b\n" + "0,0,1\n1,1,1\n2,2,0\n" * 5)
    (tmp_path / "u.csv").write_text("decision,0,1,two\n0,1,0,0\n1,0,1,0\ntwo,0,0,1\n")
    words = "name the classes '0', '1', 'two', but the data also hold '2': name every class"
    with pytest.raises(LabelError, match=words):
        br.compare(
            tmp_path / "cases.csv",
            target="t", prediction=["a", "b"], utility=tmp_path / "u.csv",
        )  # fmt: skip


def test_many_groups_have_no_meaning_for_tables():
    tables = {name: br.class_table(FRAME.truth, FRAME[name]) for name in "AB"}
    with pytest.raises(InvalidArgumentError, match="many_groups has no meaning for tables"):
        br.compare(tables, many_groups=True)


def test_decisions_with_names_of_their_own_for_predicted_classes():
    """Each class called stands for the decision in its row; no metric of classes is simulated."""
    named = br.UtilityMatrix(WORTH, decisions=["admit", "watch", "send home"], classes=LABELS)
    found = br.compare(FRAME, utility=named, **TWO)
    expected = br.compare(FRAME, utility=U, **TWO).facts
    assert found.facts.pairs[0].difference == expected.pairs[0].difference
    told = " ".join(found.render(details=True).split())
    assert "Intervals hold 95% of the posterior." in told


@pytest.mark.parametrize("more", [{}, {"cluster": np.arange(200) // 4}, {"weight": np.ones(200)}])
def test_averages_over_two_classes(more):
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    a, b = (np.where(rng.random(200) < right, y, ~y) for right in (0.8, 0.7))
    facts = br.compare(y, {"a": a, "b": b}, metrics="macro_f1, recall", **more).facts
    for one, called in zip(facts.classifiers, (a, b), strict=True):
        macro = next(fact for fact in one.metrics if fact.name == "macro_f1")
        assert macro.value == pytest.approx(f1_score(y, called, average="macro"))
        assert macro.low < macro.value < macro.high
    [pair] = facts.pairs
    gap = next(fact for fact in pair.metrics if fact.name == "macro_f1")
    assert gap.low < gap.difference < gap.high


@pytest.mark.parametrize("named", [{"positive": True}, {"cost": "fn=2,fp=1"}])
def test_averages_where_one_of_two_classes_is_positive(named):
    y = np.arange(20) % 2 == 0
    with pytest.raises(InvalidArgumentError, match="must be of two classes where one is positive"):
        br.compare(y, {"a": y, "b": ~y}, metrics="macro_f1", **named)


def test_three_decisions_about_two_classes_whatever_is_called_positive():
    """Yields by hand: the matrix's cells, averaged over four cases."""
    u = br.UtilityMatrix(
        [[0, -50], [-20, 100], [-5, 40]],
        decisions=["drop", "keep", "wait"],
        classes=["bad", "good"],
    )
    data = pd.DataFrame(
        {
            "y": ["bad", "bad", "good", "good"],
            "a": ["drop", "wait", "keep", "drop"],
            "b": ["keep", "drop", "wait", "keep"],
        }
    )
    how = {"target": "y", "prediction": ["a", "b"], "utility": u}
    for positive in (None, "good", "bad"):
        found = br.compare(data, positive=positive, **how).facts
        assert [c.value for c in found.classifiers] == [
            (0 - 5 + 100 - 50) / 4,
            (-20 + 40 + 100) / 4,
        ]
    with pytest.raises(InvalidArgumentError, match="must be one of"):
        br.compare(data, positive="fine", **how)


def test_the_best_is_told_first_wherever_it_stands():
    truth, right, wrong = (list(word * 5) for word in ("abcabcab", "abcabbaa", "bbcabbaa"))
    found = br.compare(truth, {"poor": wrong, "good": right})
    assert "good alone gets right 5 cases, poor alone 0." in str(found)

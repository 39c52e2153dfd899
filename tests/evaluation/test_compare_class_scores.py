"""Classifiers of several classes compared by their scores, however these are given."""

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.curves.class_scores import ClassScores, compare_class_areas
from baserate.errors import BaserateError, DataError, InvalidArgumentError, LabelError

RNG = np.random.default_rng(3)
N = 150
LABELS = np.array(["a", "b", "c"])
TRUTH = RNG.integers(0, 3, N)


def shares(strength):
    weight = np.exp(strength * np.eye(3)[TRUTH] + RNG.normal(size=(N, 3)))
    return weight / weight.sum(axis=1, keepdims=True)


P, Q = shares(1.0), shares(2.0)
COLUMNS = {name: [f"{name}_{label}" for label in LABELS] for name in "pq"}
FRAME = pd.DataFrame(
    {
        "y": LABELS[TRUTH],
        **dict(zip(COLUMNS["p"], P.T, strict=True)),
        **dict(zip(COLUMNS["q"], Q.T, strict=True)),
        "p": LABELS[P.argmax(axis=1)],
        "q": LABELS[Q.argmax(axis=1)],
        "ward": np.arange(N) // 5,
        "w": RNG.integers(1, 4, N) / 2,
        "site": np.where(np.arange(N) % 3, "N", "S"),
    }
)


def facts(**given):
    return br.compare(FRAME, target="y", **{"score": COLUMNS, **given}).facts


@pytest.fixture(scope="module")
def found():
    return facts()


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "score",
    [
        {"p": "p_*", "q": "q_*"},
        ["p=p_*", "q=q_*"],
        {"p": {"c": "p_c", "a": "p_a", "b": "p_b"}, "q": ["q_c", "q_b", "q_a"]},
    ],
)
def test_columns_may_be_named_in_any_way(found, score):
    assert facts(score=score).to_dict() == found.to_dict()


def test_a_case_is_called_what_has_the_highest_score(found):
    called = br.compare(FRAME, target="y", prediction=["p", "q"]).facts
    assert found.pairs == called.pairs
    assert [c.value for c in found.classifiers] == [c.value for c in called.classifiers]


@pytest.mark.slow
def test_utilities_decide_by_expected_utility():
    u = [[1, -1, -1], [-2, 1, -1], [-9, -3, 1]]
    decided = {
        name: LABELS[br.UtilityMatrix(u).decide(scores)] for name, scores in (("p", P), ("q", Q))
    }
    expected = br.compare(FRAME["y"], decided, utility=u).facts
    of_scores = facts(utility=u)
    assert [c.value for c in of_scores.classifiers] == [c.value for c in expected.classifiers]
    assert of_scores.pairs == expected.pairs


@pytest.mark.slow
def test_decisions_that_are_no_classes():
    u = br.UtilityMatrix(
        [[1, -1, -1], [-2, 1, 1], [0, 0, 0], [-1, -1, 2]],
        decisions=["do a", "do b", "wait", "do c"], classes=["a", "b", "c"],
    )  # fmt: skip
    names = np.array(["do a", "do b", "wait", "do c"])
    decided = {name: names[u.decide(scores)] for name, scores in (("p", P), ("q", Q))}
    expected = br.compare(FRAME["y"], decided, utility=u).facts
    assert [c.value for c in facts(utility=u).classifiers] == [
        c.value for c in expected.classifiers
    ]


def test_pairs_are_those_of_the_scores(found):
    areas = {pair.measure: pair for pair in found.score_pairs}
    assert list(areas) == ["roc_auc_ovr", "brier_score", "log_loss"]
    each = np.ones(N)
    two = [ClassScores(tuple(LABELS), TRUTH, s, each, is_weighted=False) for s in (P, Q)]
    expected = compare_class_areas(*two, 0.95)
    assert areas["roc_auc_ovr"].low == pytest.approx(expected.low)
    outcome = np.eye(3)[TRUTH]
    brier = ((P - outcome) ** 2).sum(axis=1).mean() - ((Q - outcome) ** 2).sum(axis=1).mean()
    assert areas["brier_score"].difference == pytest.approx(brier)
    by_itself = br.evaluate(FRAME, target="y", score=COLUMNS["p"]).facts.score_measures
    own = {m.name: m for m in by_itself}
    for measure in found.scores[0].measures:
        assert measure == own[measure.name]


def test_clusters_move_whole():
    pair = next(p for p in facts(cluster="ward").score_pairs if p.measure == "brier_score")
    outcome = np.eye(3)[TRUTH]
    apart = ((P - outcome) ** 2).sum(axis=1) - ((Q - outcome) ** 2).sum(axis=1)
    ward = FRAME["ward"].to_numpy()
    without = np.array([apart[ward != k].mean() for k in range(30)])
    error = np.sqrt(29 / 30 * ((without - apart.mean()) ** 2).sum())
    assert pair.difference == pytest.approx(apart.mean())
    assert (pair.high - pair.low) / 2 == pytest.approx(2.045 * error, rel=0.1)
    area = next(p for p in facts(cluster="ward").score_pairs if p.measure == "roc_auc_ovr")
    assert np.isnan(area.p_value)
    assert area.reason


def test_one_class_against_the_rest_has_its_own_column():
    one = facts(positive="a")
    other = br.compare(FRAME.assign(y=FRAME["y"] == "a"), target="y", score=["p_a", "q_a"]).facts
    assert [p.difference for p in one.score_pairs] == [p.difference for p in other.score_pairs]


def test_groups_and_missing_rows():
    assert [group.n for group in facts(groups="site").groups] == [100, 50]
    lacking = FRAME.assign(p_a=FRAME["p_a"].where(FRAME["p_a"] > 0.1))
    kept = br.compare(lacking, target="y", score=COLUMNS, missing="drop").facts
    assert kept.n == int((P[:, 0] > 0.1).sum())
    assert kept.missing == N - kept.n


def test_what_is_said(on_record):
    plain = br.compare(FRAME, target="y", score=COLUMNS)
    utility = br.compare(FRAME, target="y", score=COLUMNS, utility=np.eye(3) * 2)
    on_record({"likeliest class": str(plain), "expected utility": str(utility)})


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"score": {"p": COLUMNS["p"]}}, DataError, "needs two classifiers"),
        ({"score": ["p=p_*"]}, DataError, "needs two classifiers"),
        ({"score": "p=p_*"}, DataError, "needs two classifiers"),
        ({"score": ["p=p_*", "p=q_*"]}, InvalidArgumentError, "name each classifier once"),
        ({"score": {"p": ["p_a", "p_b"], "q": COLUMNS["q"]}}, LabelError, "every label"),
        ({"score": ["p_*", "q_*"]}, InvalidArgumentError, "--score NAME=PATTERN"),
        ({"threshold": 0.3}, InvalidArgumentError, "one positive class"),
        ({"base_rate": 0.3}, InvalidArgumentError, "one positive class"),
    ],
)
def test_what_is_refused(given, error, match):
    with pytest.raises(error, match=match):
        facts(**given)


def test_scores_that_are_no_probabilities_rank_but_do_not_weigh():
    raised = {name: np.log(s) for name, s in (("p", P), ("q", Q))}
    found = br.compare(FRAME["y"], score=raised).facts
    assert [p.measure for p in found.score_pairs] == ["roc_auc_ovr"]
    with pytest.raises(BaserateError, match="needs probabilities that sum to one"):
        br.compare(FRAME["y"], score=raised, utility=np.eye(3) * 2)


def test_a_column_may_be_called_like_a_pattern():
    two = FRAME.assign(y=FRAME["y"] == "a").rename(columns={"p_a": "x=*1", "q_a": "y=*2"})
    found = br.compare(two, target="y", score=["x=*1", "y=*2"]).facts
    assert [one.name for one in found.scores] == ["x=*1", "y=*2"]
